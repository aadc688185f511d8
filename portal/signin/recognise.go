package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// headInTicket is the longest address of a portrait that a ticket for a browser contains, in bytes. Those of WeChat
// have about 140.
const headInTicket = 300

// recognise decides what follows for an identity in a browser. own says that the browser sent the cookie with which the
// authorisation began. Without it nobody is signed in before confirming, and an identity that is not linked is refused:
// it might be another person's, who could sign in with it later.
func (cl *Chatlogin) recognise(ctx context.Context, who appIdentity, in CallbackInput, own bool) (Callback, error) {
	c, row, found, err := cl.Linked(ctx, who)
	if err != nil {
		return Callback{}, err
	}
	view := cl.identityView(who, c)
	switch {
	case found && !own:
		token, err := cl.core.Sealing.Seal("sign in by identity", identityTicket{
			Known: who, Flow: cl.core.Verification.Flow(in.Fresh),
			Until: cl.core.Now().Add(IdentityTicketLife).UnixMilli(),
		})
		return Callback{ConfirmToken: token, Identity: view}, err
	case found:
		result, err := cl.signInBy(ctx, in.Browser, who, c, row)
		return Callback{Login: result}, err
	case !own:
		return Callback{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if id, err := cl.appliedBy(ctx, who); id != 0 || err != nil {
		return Callback{Application: id}, err
	}
	if len(who.Identity.Portrait) > headInTicket {
		who.Identity.Portrait = "" // the ticket goes into a cookie
	}
	ticket, err := cl.identityTicket(who, Holder{Flow: in.Flow})
	return Callback{Ticket: ticket, Identity: view}, err
}

// identityView returns an identity as its owner sees it. c is the person or account that it signs in.
func (cl *Chatlogin) identityView(who appIdentity, c access.Subject) IdentityView {
	return IdentityView{
		Provider: who.Provider,
		Nick:     who.Identity.Nick,
		Phone:    access.MaskPhone(c.Person.Phone),
		Login:    c.Member.Login,
		Lighting: who.Lighting,
	}
}

// IdentityToConfirm returns the identity that a ConfirmToken would sign in. It refuses with WeChatExpired a token that
// has expired, is invalid, or belongs to another browser or company.
func (cl *Chatlogin) IdentityToConfirm(
	ctx context.Context, token, flow string, place access.Place,
) (IdentityView, error) {
	who, c, _, err := cl.openConfirmation(ctx, token, flow, place)
	return cl.identityView(who, c), err
}

// openConfirmation reads a ConfirmToken and the person or account that it would sign in.
func (cl *Chatlogin) openConfirmation(
	ctx context.Context, token, flow string, place access.Place,
) (appIdentity, access.Subject, store.Identity, error) {
	var t identityTicket
	valid := cl.core.Sealing.Unseal("sign in by identity", token, &t) == nil && flow != "" &&
		t.Flow == cl.core.Verification.Flow(flow)
	if !valid || cl.core.Limits.Ended(t.Until) || t.Known.CompanyID != place.CompanyID() {
		return appIdentity{}, access.Subject{}, store.Identity{}, &access.Refused{Refusal: access.WeChatExpired}
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

// ConfirmSignIn signs in by a ConfirmToken, once the person has seen which account it is. It refuses what
// IdentityToConfirm refuses and what blocks a sign-in.
func (cl *Chatlogin) ConfirmSignIn(
	ctx context.Context, token, flow string, browser access.Browser,
) (LoginResult, error) {
	who, c, row, err := cl.openConfirmation(ctx, token, flow, browser.Place)
	if err != nil {
		return LoginResult{}, err
	}
	browser.Lighting = who.Lighting
	result, err := cl.signInBy(ctx, browser, who, c, row)
	if err != nil {
		return LoginResult{}, err
	}
	return *result, nil
}

// signInBy signs a browser in as the person or account that an identity is linked to. It refuses what blocks a sign-in.
func (cl *Chatlogin) signInBy(
	ctx context.Context, browser access.Browser, who appIdentity, c access.Subject, row store.Identity,
) (signedIn *LoginResult, err error) {
	defer func() { cl.core.Access.CountSignIn(string(who.Provider), err) }()
	c.Provider = who.Provider
	result, err := cl.signin.SignInBrowser(ctx, BrowserSignIn{
		SignIn:  SignIn{Subject: c, How: string(who.Provider), Settle: cl.notingIdentity(ctx, who, c, row)},
		Browser: browser,
	})
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// notingIdentity returns noteSignInBy as a step of the transaction of a sign-in.
func (cl *Chatlogin) notingIdentity(
	ctx context.Context, who appIdentity, c access.Subject, row store.Identity,
) Settler {
	return func(tx *store.DB, _ *store.Batch) error { return cl.noteSignInBy(ctx, tx, who, c, row) }
}

// noteSignInBy records that an identity was used. An identity that was recognised by its union is linked as well. It
// refuses with LoginRequired an identity that was unlinked in the meantime.
func (cl *Chatlogin) noteSignInBy(
	ctx context.Context, tx *store.DB, who appIdentity, c access.Subject, row store.Identity,
) error {
	i := who.row()
	i.PersonID, i.AccountID = c.Person.ID, c.Member.ID
	same := func(other store.Identity) bool { return other.PersonID == i.PersonID && other.AccountID == i.AccountID }
	if !same(row) {
		others, err := tx.Identities.OfUnion(ctx, i.Provider, i.OwnerID, i.UnionID)
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
	if i.Portrait == "" {
		i.Portrait = row.Portrait
	}
	err := tx.Identities.Use(ctx, i, store.At(cl.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return err
}
