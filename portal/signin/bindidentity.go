package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// LinkInput proves the account that an identity is to be linked to: by password (Phone, or Login with ByName), or by a
// verification code (ByCode).
type LinkInput struct {
	Ticket   string // of the identity
	ByName   bool
	ByCode   bool
	Phone    string `form:"phone"`
	Login    string `form:"login"`
	Password string `form:"password"`
	Code     string `form:"code"`
	Question string `form:"question"`
	Answer   string `form:"answer"`

	Flow    string
	Browser access.Browser
}

// Linking is a link that the person has yet to confirm. Sealed is passed to ConfirmLink. Companies are those that the
// link will sign in to.
type Linking struct {
	Sealed    string
	Identity  IdentityView
	Companies []store.Company
}

// linking is the content of Linking.Sealed. Stamp changes with the password, so that a password reset in the meantime
// makes it invalid.
type linking struct {
	Known     appIdentity `json:"k"`
	Flow      string      `json:"f"`
	PersonID  int64       `json:"p"`
	AccountID int64       `json:"a"`
	Subject   string      `json:"s"`
	Stamp     string      `json:"w"`
	Until     int64       `json:"u"` // Unix ms
}

// ProveForLink proves the account that an identity is to be linked to, and returns what the person has to confirm. It
// links nothing yet. It refuses as Login and LoginByCode do, including what blocks a sign-in; what OpenTicket refuses;
// and with PasswordNotSet a first password.
func (cl *Chatlogin) ProveForLink(ctx context.Context, in LinkInput) (Linking, error) {
	who, err := cl.OpenTicket(ctx, in.Ticket, Holder{Flow: in.Flow})
	if err != nil {
		return Linking{}, err
	}
	in.Browser.Lighting = who.Lighting
	c, err := cl.proveForLink(ctx, in)
	if err != nil {
		return Linking{}, err
	}
	members, err := cl.linkable(ctx, who, c, in.Browser.Place, in.Browser.Lighting)
	if err != nil {
		return Linking{}, err
	}
	stamp, err := cl.passwordStamp(ctx, cl.core.DB, c, who)
	if err != nil {
		return Linking{}, err
	}
	sealed, err := cl.core.Sealing.Seal("linking", linking{
		Known:     who,
		Flow:      cl.core.Verification.Flow(in.Flow),
		PersonID:  c.Person.ID,
		AccountID: c.Member.ID,
		Subject:   c.Key,
		Stamp:     stamp,
		Until:     cl.core.Now().Add(IdentityTicketLife).UnixMilli(),
	})
	return Linking{Sealed: sealed, Identity: cl.identityView(who, c), Companies: companiesOf(members)}, err
}

// proveForLink checks the password or the code and returns the person or account that it proved.
func (cl *Chatlogin) proveForLink(ctx context.Context, in LinkInput) (access.Subject, error) {
	place := in.Browser.Place
	if in.ByCode {
		if err := access.Invalid(core.CodeFields(&in.Phone, &in.Code)); err != nil {
			return access.Subject{}, err
		}
		flow := cl.CodeFlow(in.Flow, in.Ticket)
		proof, err := cl.core.Verification.ProveCode(ctx, core.TypedCode{
			Phone: in.Phone, Purpose: core.ForLogin, CompanyID: place.CompanyID(), Flow: flow,
			Target: core.TargetPhone, Code: in.Code,
		})
		if err != nil {
			return access.Subject{}, err
		}
		person, err := cl.core.DB.Persons.ByNumber(ctx, in.Phone)
		if errors.Is(err, store.ErrNotFound) {
			refusal := &access.Refused{Refusal: access.PhoneNotBound, Contacts: cl.core.Access.Support(place)}
			return access.Subject{}, cl.signin.RefuseWithoutAccount(ctx, store.Person{Phone: in.Phone}, place, refusal)
		}
		if err == nil {
			err = cl.core.DB.Tx(ctx, func(tx *store.DB) error { return cl.core.Verification.Spend(ctx, tx, proof) })
		}
		return access.PersonSubject(person), err
	}
	try := LoginInput{
		ByName:   in.ByName,
		Phone:    in.Phone,
		Login:    in.Login,
		Password: in.Password,
		Question: in.Question,
		Answer:   in.Answer,
		Browser:  in.Browser,
	}
	if err := try.Validate(); err != nil {
		return access.Subject{}, err
	}
	guard, err := cl.signin.Prove(ctx, try)
	if err != nil {
		return access.Subject{}, err
	}
	if err := guard.SettleSignIn(ctx); err != nil {
		return access.Subject{}, err
	}
	return cl.asStored(ctx, guard.Subject, in.Password)
}

// asStored reads the proven person or account as it is stored now, because the password may just have been hashed anew.
// It refuses with WeChatExpired when the password was changed.
func (cl *Chatlogin) asStored(ctx context.Context, c access.Subject, password string) (access.Subject, error) {
	now, found, err := linkedTo(ctx, cl.core.DB, store.Identity{PersonID: c.Person.ID, AccountID: c.Member.ID})
	if err != nil || found && now.Hash == c.Hash {
		return now, err
	}
	same := false
	if found {
		same, _, err = cl.core.Passwords.Hasher.Verify(ctx, now.Hash, password)
	}
	if err == nil && !same {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	return now, err
}

// linkable returns the accounts that a link to the proven person or account would sign in to here. It refuses what
// blocks a sign-in, and an account whose first password was not replaced: the administrator who made that password
// could link their own identity to it.
func (cl *Chatlogin) linkable(
	ctx context.Context, who appIdentity, c access.Subject, place access.Place, lighting bool,
) ([]store.Member, error) {
	c.Provider = who.Provider
	members, err := cl.signin.ProvenMembers(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := cl.accounts.RefuseProven(ctx, c, members, place, lighting); err != nil {
		return nil, cl.signin.RefuseWithoutAccount(ctx, c.Person, place, err)
	}
	if c.Member.FirstPasswordUntil != 0 {
		return nil, &access.Refused{Refusal: access.PasswordNotSet, FirstPassword: true}
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		reason := access.BlockedBy(m, lighting, cl.core.Now())
		return reason == access.ChatClosed || reason == access.WeChatManagerClosed
	})
	if who.Owner == 0 { // the platform's own application opens them by every sign-in method
		return members, nil
	}
	return cl.core.Access.InPlace(members, who.Owner), nil
}

// passwordStamp returns a tag that changes with the password of the person or account. Without a password it changes
// with the other identities that sign the person in.
func (cl *Chatlogin) passwordStamp(
	ctx context.Context, db *store.DB, c access.Subject, who appIdentity,
) (string, error) {
	text := c.Key + "\x00" + c.Hash
	if c.Hash == "" {
		all, err := db.Identities.OfHolder(ctx, c.Person.ID, c.Member.ID)
		if err != nil {
			return "", err
		}
		for _, i := range all {
			if own := who.row(); i.Provider != own.Provider || i.App != own.App || i.Subject != own.Subject {
				text += "\x00" + cl.identityRef(i)
			}
		}
	}
	return cl.core.Sealing.Tag("password stamp", text), nil
}

// openLinking reads a confirmation for the browser that proved the account. It refuses with WeChatExpired one that has
// expired, belongs to another browser, or whose password was changed in the meantime.
func (cl *Chatlogin) openLinking(ctx context.Context, sealed, flow string) (linking, access.Subject, error) {
	var l linking
	if cl.core.Sealing.Unseal("linking", sealed, &l) != nil || flow == "" ||
		l.Flow != cl.core.Verification.Flow(flow) ||
		cl.core.Limits.Ended(l.Until) {
		return l, access.Subject{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if err := cl.stillOffered(ctx, l.Known); err != nil {
		return l, access.Subject{}, err
	}
	c, found, err := linkedTo(ctx, cl.core.DB, store.Identity{PersonID: l.PersonID, AccountID: l.AccountID})
	if err == nil && !found {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	if err == nil {
		err = cl.stillProven(ctx, cl.core.DB, l, c)
	}
	c.Provider = l.Known.Provider
	return l, c, err
}

// stillProven refuses with WeChatExpired a link when the password was changed since the proof.
func (cl *Chatlogin) stillProven(ctx context.Context, db *store.DB, l linking, c access.Subject) error {
	stamp, err := cl.passwordStamp(ctx, db, c, l.Known)
	if err == nil && stamp != l.Stamp {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	return err
}

// ReadLinking returns what the person is asked to confirm. It refuses what ConfirmLink refuses.
func (cl *Chatlogin) ReadLinking(ctx context.Context, sealed, flow string, place access.Place) (Linking, error) {
	l, c, err := cl.openLinking(ctx, sealed, flow)
	if err != nil {
		return Linking{}, err
	}
	members, err := cl.linkable(ctx, l.Known, c, place, l.Known.Lighting)
	return Linking{Sealed: sealed, Identity: cl.identityView(l.Known, c), Companies: companiesOf(members)}, err
}

// companiesOf returns the companies of accounts, each once.
func companiesOf(members []store.Member) (all []store.Company) {
	for _, m := range members {
		if !slices.ContainsFunc(all, func(c store.Company) bool { return c.ID == m.CompanyID }) {
			all = append(all, m.Company)
		}
	}
	return all
}

// ConfirmLink links an identity to the account that was proven for it and signs in. It refuses with WeChatExpired a
// confirmation that has expired, belongs to another browser, or whose password was changed in the meantime; what blocks
// a sign-in by now; and with WrongParameters an identity that was linked to another account in the meantime.
func (cl *Chatlogin) ConfirmLink(
	ctx context.Context, sealed, flow, lang string, browser access.Browser,
) (result LoginResult, err error) {
	l, c, err := cl.openLinking(ctx, sealed, flow)
	if err != nil {
		return LoginResult{}, err
	}
	defer func() { cl.core.Access.CountSignIn(string(l.Known.Provider), err) }()
	browser.Lighting = l.Known.Lighting
	if _, err := cl.linkable(ctx, l.Known, c, browser.Place, browser.Lighting); err != nil {
		return LoginResult{}, err
	}
	fresh := false
	linking := func(tx *store.DB, _ *store.Batch) (err error) {
		if fresh, err = cl.Link(ctx, tx, l.Known, c); err == nil {
			err = cl.stillProven(ctx, tx, l, c)
		}
		return err
	}
	result, err = cl.signin.SignInBrowser(ctx, BrowserSignIn{
		SignIn: SignIn{Subject: c, How: string(l.Known.Provider), Settle: linking}, Browser: browser,
	})
	if err == nil && fresh {
		cl.core.Verification.NotifyOwner(ctx, c, linkedNotice(l.Known, lang))
	}
	return result, err
}

// linkedNotice returns the notice that an identity was linked.
func linkedNotice(who appIdentity, lang string) core.Message {
	return core.Message{
		Notice: core.NoticeLinked, Lang: lang, App: who.Provider, Nick: who.Identity.Nick,
	}
}

// Link links an identity to the proven person or account. fresh says that it was not linked before. It refuses with
// WrongParameters an identity that is linked to another account by now, and with WeChatExpired when the password is no
// longer the proven one: a reset at the same time leaves no link.
func (cl *Chatlogin) Link(
	ctx context.Context, tx *store.DB, who appIdentity, c access.Subject,
) (fresh bool, err error) {
	if err := tx.Passwords.Lock(ctx, c.Person.ID, c.Member.CompanyID, c.Member.ID, c.Hash); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &access.Refused{Refusal: access.WeChatExpired}
		}
		return false, err
	}
	i, now := who.row(), store.At(cl.core.Now())
	i.PersonID = c.Person.ID
	i.AccountID = c.Member.ID
	i.LinkedAt = now
	i.UsedAt = now
	was, err := tx.Identities.Of(ctx, i.Provider, i.App, i.Subject)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if err == nil {
		if was.PersonID == i.PersonID && was.AccountID == i.AccountID {
			return false, nil
		}
		_, alive, err := linkedTo(ctx, tx, was)
		if err != nil {
			return false, err
		}
		if alive {
			return false, &access.Refused{Refusal: access.WrongParameters}
		}
	}
	if err := tx.Identities.Link(ctx, i, was); err != nil {
		if errors.Is(err, store.ErrNotFound) { // linked meanwhile
			err = &access.Refused{Refusal: access.WrongParameters}
		}
		return false, err
	}
	return true, cl.core.Access.Event(ctx, tx, "identity_linked", c.Who(), string(who.Provider))
}
