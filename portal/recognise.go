package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// headInTicket is the longest address of a portrait that a browser's ticket holds, in bytes. WeChat's have about 140.
const headInTicket = 300

// recognise says what comes of an identity in a browser. Without the browser's own cookie nobody is signed in unseen,
// and an identity that signs nobody in is worth nothing: it might be somebody else's, who would come in by it later.
func (p *Portal) recognise(ctx context.Context, who known, in CallbackInput, own bool) (Callback, error) {
	c, row, found, err := p.linked(ctx, who)
	if err != nil {
		return Callback{}, err
	}
	view := p.identityView(who, c)
	switch {
	case found && !own:
		ask, err := p.seal("sign in by identity", identityTicket{Known: who, Flow: p.flow(in.Fresh), Until: p.now().Add(IdentityTicketLife).UnixMilli()})
		return Callback{Ask: ask, Who: view}, err
	case found:
		result, err := p.signInBy(ctx, in.Browser, who, c, row)
		return Callback{Login: result}, err
	case !own:
		return Callback{}, &Refused{Refusal: WeChatExpired}
	}
	if id, err := p.appliedBy(ctx, who); id != 0 || err != nil {
		return Callback{Application: id}, err
	}
	if len(who.Identity.Head) > headInTicket {
		who.Identity.Head = "" // the ticket goes into a cookie
	}
	ticket, err := p.identityTicket(who, holder{Flow: in.Flow})
	return Callback{Ticket: ticket, Who: view}, err
}

func (p *Portal) identityView(who known, c Subject) IdentityView {
	return IdentityView{Provider: who.Provider, Nick: who.Identity.Nick, Phone: MaskPhone(c.phone.Phone), Login: c.member.Login, Lighting: who.Lighting}
}

// ReadAsk is whom a callback recognised; WeChatExpired for what is too old, another browser's, another place's or none.
func (p *Portal) ReadAsk(ctx context.Context, ask, flow string, place Place) (IdentityView, error) {
	who, c, _, err := p.openAsk(ctx, ask, flow, place)
	return p.identityView(who, c), err
}

func (p *Portal) openAsk(ctx context.Context, ask, flow string, place Place) (known, Subject, store.Identity, error) {
	var t identityTicket
	theirs := p.unseal("sign in by identity", ask, &t) == nil && flow != "" && t.Flow == p.flow(flow)
	if !theirs || p.ended(t.Until) || t.Known.CompanyID != place.CompanyID() {
		return known{}, Subject{}, store.Identity{}, &Refused{Refusal: WeChatExpired}
	}
	if err := p.stillOffered(ctx, t.Known); err != nil {
		return t.Known, Subject{}, store.Identity{}, err
	}
	c, row, found, err := p.linked(ctx, t.Known)
	if err == nil && !found {
		err = &Refused{Refusal: WeChatExpired}
	}
	return t.Known, c, row, err
}

// ConfirmSignIn signs in whom a callback recognised, once the person has seen whom. Refused as ReadAsk, and with what
// blocks a sign-in.
func (p *Portal) ConfirmSignIn(ctx context.Context, ask, flow string, browser Browser) (LoginResult, error) {
	who, c, row, err := p.openAsk(ctx, ask, flow, browser.Place)
	if err != nil {
		return LoginResult{}, err
	}
	browser.Lighting = who.Lighting
	result, err := p.signInBy(ctx, browser, who, c, row)
	if err != nil {
		return LoginResult{}, err
	}
	return *result, nil
}

// signInBy signs in whom an identity is linked to, with all that blocks a sign-in.
func (p *Portal) signInBy(
	ctx context.Context, browser Browser, who known, c Subject, row store.Identity,
) (signedIn *LoginResult, err error) {
	defer func() { p.countSignIn(string(who.Provider), err) }()
	c.provider = who.Provider
	result, err := p.signInBrowser(ctx, browserSignIn{
		signIn:  signIn{subject: c, how: string(who.Provider), settle: p.notingIdentity(ctx, who, c, row)},
		browser: browser,
	})
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// notingIdentity returns noteSignInBy as what a sign-in does in its transaction.
func (p *Portal) notingIdentity(ctx context.Context, who known, c Subject, row store.Identity) settler {
	return func(tx *store.DB, _ *store.Batch) error { return p.noteSignInBy(ctx, tx, who, c, row) }
}

// noteSignInBy notes that an identity was used; one of the same union is linked from now on, too. LoginRequired when
// it was unlinked meanwhile.
func (p *Portal) noteSignInBy(ctx context.Context, tx *store.DB, who known, c Subject, row store.Identity) error {
	i := who.row()
	i.PhoneID, i.AccountID = c.phone.ID, c.member.ID
	same := func(other store.Identity) bool { return other.PhoneID == i.PhoneID && other.AccountID == i.AccountID }
	if !same(row) {
		others, err := tx.IdentitiesOfUnion(ctx, i.Provider, i.OwnerID, i.UnionID)
		if err == nil && !slices.ContainsFunc(others, same) {
			err = LoginRequired
		}
		if err == nil {
			_, err = p.link(ctx, tx, who, c)
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
	err := tx.UseIdentity(ctx, i, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return err
}
