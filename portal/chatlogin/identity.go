package chatlogin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// ApplicantKept is how long an identity finds the application it sent in.
const ApplicantKept = 180 * access.Day

// IdentityView is an identity as its holder sees it. Phone is masked, Login of an account without a phone; both are
// "" where nobody is signed in by it.
type IdentityView struct {
	Provider access.ProviderName
	Nick     string
	Phone    string
	Login    string
	Linked   time.Time
	Ref      string // names it in a form
	Lighting bool   // it authorised to enter the lighting edition
}

// Account is whom the identity signs in, as its holder knows them: the masked phone, or the account name; "" for
// nobody.
func (v IdentityView) Account() string { return cmp.Or(v.Phone, v.Login) }

// identityTicket is a recognised identity on its way to an account, for the browser or the program that authorised.
type identityTicket struct {
	Known known         `json:"k"`
	Flow  string        `json:"f"` // keyed hash of the browser's id; "" where a program holds it
	Kind  access.Client `json:"c"`
	Until int64         `json:"u"` // Unix ms
}

// Holder is who holds a ticket: a browser by its own id, or a program by its kind.
type Holder struct {
	Flow   string
	Client access.Client
}

func (cl *Chatlogin) identityTicket(who known, by Holder) (string, error) {
	t := identityTicket{Known: who, Kind: by.Client, Until: cl.now().Add(signin.IdentityTicketLife).UnixMilli()}
	if by.Client == "" {
		t.Flow = cl.verification.Flow(by.Flow)
	}
	return cl.sealing.Seal("identity", t)
}

// OpenTicket reads a ticket for its holder: WeChatExpired for one that is too old, LoginRequired for one that is none
// or somebody else's. WeChatFailed where its company, or the platform, has closed the door meanwhile.
func (cl *Chatlogin) OpenTicket(ctx context.Context, ticket string, by Holder) (known, error) {
	var t identityTicket
	if cl.sealing.Unseal("identity", ticket, &t) != nil || t.Kind != by.Client ||
		by.Client == "" && (by.Flow == "" || t.Flow != cl.verification.Flow(by.Flow)) {
		return known{}, access.LoginRequired
	}
	if cl.limits.Ended(t.Until) {
		return known{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	return t.Known, cl.stillOffered(ctx, t.Known)
}

// CodeFlow returns the flow of the codes that a browser asks for while it links or registers the identity of a ticket.
// Such a code proves the phone for that identity alone, and a code that was asked for elsewhere proves nothing for it.
// Without a ticket it returns the browser's own flow.
func (cl *Chatlogin) CodeFlow(flow, ticket string) string {
	var t identityTicket
	if ticket == "" || cl.sealing.Unseal("identity", ticket, &t) != nil {
		return flow
	}
	who := t.Known
	return flow + "\x00" + cl.sealing.Tag(
		"identity flow", string(who.Provider)+"\x00"+who.App+"\x00"+who.Identity.Subject,
	)
}

// stillOffered refuses an identity of an application that is asked no more where it authorised.
func (cl *Chatlogin) stillOffered(ctx context.Context, who known) error {
	var c *store.Company
	if who.CompanyID != 0 {
		company, err := cl.db.CompanyByID(ctx, who.CompanyID)
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

// row is how an identity is stored.
func (k known) row() store.Identity {
	return store.Identity{
		Provider: string(
			k.Provider,
		),
		App:     k.App,
		Subject: k.Identity.Subject,
		UnionID: k.Identity.UnionID,
		OwnerID: k.Owner,
		Nick:    k.Identity.Nick,
		Head:    k.Identity.Head,
	}
}

// Linked is whom an identity signs in: by its own row, or by one of the same union (link is then to be made). found
// is false where nobody is, or whoever was is gone; row is what stands in its place.
func (cl *Chatlogin) Linked(
	ctx context.Context, who known,
) (c access.Subject, row store.Identity, found bool, err error) {
	row, err = cl.db.IdentityOf(ctx, string(who.Provider), who.App, who.Identity.Subject)
	if err == nil {
		c, found, err = linkedTo(ctx, cl.db, row)
	} else if errors.Is(err, store.ErrNotFound) {
		row, err = store.Identity{}, nil
	}
	if found || err != nil {
		return c, row, found, err
	}
	others, err := cl.db.IdentitiesOfUnion(ctx, string(who.Provider), who.Owner, who.Identity.UnionID)
	if err != nil {
		return c, row, false, err
	}
	for _, other := range others {
		if c, found, err = linkedTo(ctx, cl.db, other); found || err != nil {
			return c, row, found, err
		}
	}
	return access.Subject{}, row, false, nil
}

// linkedTo reads the person or the account of a link; false when they are gone.
func linkedTo(ctx context.Context, db *store.DB, i store.Identity) (c access.Subject, found bool, err error) {
	if i.PhoneID != 0 {
		c.Phone, err = db.PhoneByID(ctx, i.PhoneID)
		c.Key, c.Hash = access.PersonKey(i.PhoneID), c.Phone.PasswordHash
	} else {
		c.Member, err = db.MemberOfAccount(ctx, i.AccountID)
		c.Key, c.Hash = access.AccountKey(c.Member), c.Member.PasswordHash
	}
	if errors.Is(err, store.ErrNotFound) {
		return access.Subject{}, false, nil
	}
	return c, err == nil, err
}

// IdentityOfTicket is who holds a ticket, to be shown; what OpenTicket refuses.
func (cl *Chatlogin) IdentityOfTicket(ctx context.Context, ticket, flow string) (IdentityView, error) {
	who, err := cl.OpenTicket(ctx, ticket, Holder{Flow: flow})
	return cl.identityView(who, access.Subject{}), err
}
