package chatlogin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// headInTicket is the longest address of a portrait that a browser's ticket holds, in bytes. WeChat's have about 140.
const headInTicket = 300

// recognise says what comes of an identity in a browser. Without the browser's own cookie nobody is signed in unseen,
// and an identity that signs nobody in is worth nothing: it might be somebody else's, who would come in by it later.
func (cl *Chatlogin) recognise(ctx context.Context, who known, in CallbackInput, own bool) (Callback, error) {
	c, row, found, err := cl.Linked(ctx, who)
	if err != nil {
		return Callback{}, err
	}
	view := cl.identityView(who, c)
	switch {
	case found && !own:
		ask, err := cl.sealing.Seal(
			"sign in by identity",
			identityTicket{
				Known: who,
				Flow:  cl.verification.Flow(in.Fresh),
				Until: cl.now().Add(signin.IdentityTicketLife).UnixMilli(),
			},
		)
		return Callback{Ask: ask, Who: view}, err
	case found:
		result, err := cl.signInBy(ctx, in.Browser, who, c, row)
		return Callback{Login: result}, err
	case !own:
		return Callback{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if id, err := cl.appliedBy(ctx, who); id != 0 || err != nil {
		return Callback{Application: id}, err
	}
	if len(who.Identity.Head) > headInTicket {
		who.Identity.Head = "" // the ticket goes into a cookie
	}
	ticket, err := cl.identityTicket(who, Holder{Flow: in.Flow})
	return Callback{Ticket: ticket, Who: view}, err
}

func (cl *Chatlogin) identityView(who known, c access.Subject) IdentityView {
	return IdentityView{
		Provider: who.Provider,
		Nick:     who.Identity.Nick,
		Phone:    access.MaskPhone(c.Phone.Phone),
		Login:    c.Member.Login,
		Lighting: who.Lighting,
	}
}

// ReadAsk is whom a callback recognised; WeChatExpired for what is too old, another browser's, another place's or none.
func (cl *Chatlogin) ReadAsk(ctx context.Context, ask, flow string, place access.Place) (IdentityView, error) {
	who, c, _, err := cl.openAsk(ctx, ask, flow, place)
	return cl.identityView(who, c), err
}

func (cl *Chatlogin) openAsk(
	ctx context.Context, ask, flow string, place access.Place,
) (known, access.Subject, store.Identity, error) {
	var t identityTicket
	theirs := cl.sealing.Unseal("sign in by identity", ask, &t) == nil && flow != "" &&
		t.Flow == cl.verification.Flow(flow)
	if !theirs || cl.limits.Ended(t.Until) || t.Known.CompanyID != place.CompanyID() {
		return known{}, access.Subject{}, store.Identity{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if err := cl.stillOffered(ctx, t.Known); err != nil {
		return t.Known, access.Subject{}, store.Identity{}, err
	}
	c, row, found, err := cl.Linked(ctx, t.Known)
	if err == nil && !found {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	return t.Known, c, row, err
}

// ConfirmSignIn signs in whom a callback recognised, once the person has seen whom. Refused as ReadAsk, and with what
// blocks a sign-in.
func (cl *Chatlogin) ConfirmSignIn(
	ctx context.Context, ask, flow string, browser access.Browser,
) (signin.LoginResult, error) {
	who, c, row, err := cl.openAsk(ctx, ask, flow, browser.Place)
	if err != nil {
		return signin.LoginResult{}, err
	}
	browser.Lighting = who.Lighting
	result, err := cl.signInBy(ctx, browser, who, c, row)
	if err != nil {
		return signin.LoginResult{}, err
	}
	return *result, nil
}

// signInBy signs in whom an identity is linked to, with all that blocks a sign-in.
func (cl *Chatlogin) signInBy(
	ctx context.Context, browser access.Browser, who known, c access.Subject, row store.Identity,
) (signedIn *signin.LoginResult, err error) {
	defer func() { cl.access.CountSignIn(string(who.Provider), err) }()
	c.Provider = who.Provider
	result, err := cl.signin.SignInBrowser(ctx, signin.BrowserSignIn{
		SignIn:  signin.SignIn{Subject: c, How: string(who.Provider), Settle: cl.notingIdentity(ctx, who, c, row)},
		Browser: browser,
	})
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// notingIdentity returns noteSignInBy as what a sign-in does in its transaction.
func (cl *Chatlogin) notingIdentity(
	ctx context.Context, who known, c access.Subject, row store.Identity,
) signin.Settler {
	return func(tx *store.DB, _ *store.Batch) error { return cl.noteSignInBy(ctx, tx, who, c, row) }
}

// noteSignInBy notes that an identity was used; one of the same union is linked from now on, too. LoginRequired when
// it was unlinked meanwhile.
func (cl *Chatlogin) noteSignInBy(
	ctx context.Context, tx *store.DB, who known, c access.Subject, row store.Identity,
) error {
	i := who.row()
	i.PhoneID, i.AccountID = c.Phone.ID, c.Member.ID
	same := func(other store.Identity) bool { return other.PhoneID == i.PhoneID && other.AccountID == i.AccountID }
	if !same(row) {
		others, err := tx.IdentitiesOfUnion(ctx, i.Provider, i.OwnerID, i.UnionID)
		if err == nil && !slices.ContainsFunc(others, same) {
			err = access.LoginRequired
		}
		if err == nil {
			_, err = cl.Link(ctx, tx, who, c)
		}
		return err
	}
	if i.UnionID == "" {
		i.UnionID = row.UnionID
	}
	if i.Nick == "" {
		i.Nick = row.Nick
	}
	if i.Head == "" {
		i.Head = row.Head
	}
	err := tx.UseIdentity(ctx, i, store.At(cl.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return err
}
