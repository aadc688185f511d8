package signin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// ApplicantKept is how long an identity is remembered with the application that it sent.
const ApplicantKept = 180 * access.Day

// IdentityView is an identity as its owner sees it. Phone is masked. Login is the account name when the account has no
// phone. Both are "" when the identity is not linked.
type IdentityView struct {
	Provider access.ProviderName
	Nick     string
	Phone    string
	Login    string
	Linked   time.Time
	Ref      string // identifies it in a form
	Lighting bool   // the authorisation was for the lighting edition
}

// Account returns the masked phone or the account name that the identity signs in, "" when it is not linked.
func (v IdentityView) Account() string { return cmp.Or(v.Phone, v.Login) }

// identityTicket carries an authorised identity to the account that it will be linked to. It is sealed for the browser
// or program that authorised.
type identityTicket struct {
	Known appIdentity   `json:"k"`
	Flow  string        `json:"f"` // keyed hash of the browser's id; "" for a program
	Kind  access.Client `json:"c"`
	Until int64         `json:"u"` // Unix ms
}

// Holder is the owner of a ticket: a browser with its own id, or a program with its kind.
type Holder struct {
	Flow   string
	Client access.Client
}

// identityTicket seals the ticket of an identity for its holder.
func (cl *Chatlogin) identityTicket(who appIdentity, by Holder) (string, error) {
	t := identityTicket{Known: who, Kind: by.Client, Until: cl.core.Now().Add(IdentityTicketLife).UnixMilli()}
	if by.Client == "" {
		t.Flow = cl.core.Verification.Flow(by.Flow)
	}
	return cl.core.Sealing.Seal("identity", t)
}

// OpenTicket reads a ticket for its holder. It refuses with WeChatExpired a ticket that has expired, with LoginRequired
// an invalid one or one of another holder, and with WeChatFailed when its company or the platform no longer offers this
// method to sign in.
func (cl *Chatlogin) OpenTicket(ctx context.Context, ticket string, by Holder) (appIdentity, error) {
	var t identityTicket
	if cl.core.Sealing.Unseal("identity", ticket, &t) != nil || t.Kind != by.Client ||
		by.Client == "" && (by.Flow == "" || t.Flow != cl.core.Verification.Flow(by.Flow)) {
		return appIdentity{}, access.LoginRequired
	}
	if cl.core.Limits.Ended(t.Until) {
		return appIdentity{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	return t.Known, cl.stillOffered(ctx, t.Known)
}

// CodeFlow returns the flow of the codes that a browser asks for while it links or registers the identity of a ticket.
// Such a code proves the phone for that identity alone, and a code that was asked for elsewhere proves nothing for it.
// Without a ticket it returns the browser's own flow.
func (cl *Chatlogin) CodeFlow(flow, ticket string) string {
	var t identityTicket
	if ticket == "" || cl.core.Sealing.Unseal("identity", ticket, &t) != nil {
		return flow
	}
	who := t.Known
	return flow + "\x00" + cl.core.Sealing.Tag(
		"identity flow", string(who.Provider)+"\x00"+who.App+"\x00"+who.Identity.Subject,
	)
}

// stillOffered refuses with WeChatFailed an identity when its application is no longer set up where it authorised.
func (cl *Chatlogin) stillOffered(ctx context.Context, who appIdentity) error {
	var c *store.Company
	if who.CompanyID != 0 {
		company, err := cl.core.DB.Companies.ByID(ctx, who.CompanyID)
		if errors.Is(err, store.ErrNotFound) {
			return &access.Refused{Refusal: access.WeChatFailed}
		}
		if err != nil {
			return err
		}
		c = &company
	}
	app, err := cl.chatapps.AppFor(ctx, c, who.Kind)
	if err == nil && (app.ID != who.App || app.Owner != who.Owner) {
		err = &access.Refused{Refusal: access.WeChatFailed}
	}
	return err
}

// row returns an identity as it is stored, not linked to anybody.
func (k appIdentity) row() store.Identity {
	return store.Identity{
		Provider: string(k.Provider), App: k.App, Subject: k.Identity.Subject, UnionID: k.Identity.UnionID,
		OwnerID: k.Owner, Nick: k.Identity.Nick, Portrait: k.Identity.Portrait,
	}
}

// Linked returns the person or account that an identity signs in: by its own row, or by another identity of the same
// union, to which it is then to be linked as well. found is false when it is linked to nobody, or to an account that
// was deleted. row is the row of the identity that was found, or else the identity's own.
func (cl *Chatlogin) Linked(
	ctx context.Context, who appIdentity,
) (c access.Subject, row store.Identity, found bool, err error) {
	row, err = cl.core.DB.Identities.Of(ctx, string(who.Provider), who.App, who.Identity.Subject)
	if err == nil {
		c, found, err = linkedTo(ctx, cl.core.DB, row)
	} else if errors.Is(err, store.ErrNotFound) {
		row, err = store.Identity{}, nil
	}
	if found || err != nil {
		return c, row, found, err
	}
	others, err := cl.core.DB.Identities.OfUnion(ctx, string(who.Provider), who.Owner, who.Identity.UnionID)
	if err != nil {
		return c, row, false, err
	}
	for _, other := range others {
		if c, found, err = linkedTo(ctx, cl.core.DB, other); found || err != nil {
			return c, row, found, err
		}
	}
	return access.Subject{}, row, false, nil
}

// linkedTo reads the person or the account of a link. found is false when it was deleted.
func linkedTo(ctx context.Context, db *store.DB, i store.Identity) (c access.Subject, found bool, err error) {
	if i.PersonID != 0 {
		c.Person, err = db.Persons.ByID(ctx, i.PersonID)
		c.Key, c.Hash = access.PersonKey(i.PersonID), c.Person.PasswordHash
	} else {
		c.Member, err = db.Accounts.OfAnyCompany(ctx, i.AccountID)
		c.Key, c.Hash = access.AccountKey(c.Member), c.Member.PasswordHash
	}
	if errors.Is(err, store.ErrNotFound) {
		return access.Subject{}, false, nil
	}
	return c, err == nil, err
}

// IdentityOfTicket returns the identity of a ticket, to be shown. It refuses what OpenTicket refuses.
func (cl *Chatlogin) IdentityOfTicket(ctx context.Context, ticket, flow string) (IdentityView, error) {
	who, err := cl.OpenTicket(ctx, ticket, Holder{Flow: flow})
	return cl.identityView(who, access.Subject{}), err
}
