package chatlogin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// LinkInput proves an account that an identity is to be linked to: by password (Phone, or Login with ByName), or by a
// code (ByCode).
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

// Linking is a link that waits for the person's yes: Sealed names it, Companies are what it opens.
type Linking struct {
	Sealed    string
	Who       IdentityView
	Companies []store.Company
}

// linking is what the person says yes to. Stamp changes with the password, so that a reset in between voids it.
type linking struct {
	Known     known  `json:"k"`
	Flow      string `json:"f"`
	PhoneID   int64  `json:"p"`
	AccountID int64  `json:"a"`
	Subject   string `json:"s"`
	Stamp     string `json:"w"`
	Until     int64  `json:"u"` // Unix ms
}

// ProveForLink proves the account an identity is to be linked to, and gives what the person has to confirm: nothing
// is linked yet. Refused as Login and LoginByCode refuse, all that blocks a sign-in included; what OpenTicket
// refuses; PasswordNotSet for a first password.
func (p *Chatlogin) ProveForLink(ctx context.Context, in LinkInput) (Linking, error) {
	who, err := p.OpenTicket(ctx, in.Ticket, Holder{Flow: in.Flow})
	if err != nil {
		return Linking{}, err
	}
	in.Browser.Lighting = who.Lighting
	c, err := p.proveForLink(ctx, in)
	if err != nil {
		return Linking{}, err
	}
	members, err := p.linkable(ctx, who, c, in.Browser.Place, in.Browser.Lighting)
	if err != nil {
		return Linking{}, err
	}
	stamp, err := p.passwordStamp(ctx, p.db, c, who)
	if err != nil {
		return Linking{}, err
	}
	sealed, err := p.sealing.Seal("linking", linking{
		Known: who, Flow: p.verification.Flow(in.Flow), PhoneID: c.Phone.ID, AccountID: c.Member.ID, Subject: c.Key, Stamp: stamp,
		Until: p.now().Add(signin.IdentityTicketLife).UnixMilli(),
	})
	return Linking{Sealed: sealed, Who: p.identityView(who, c), Companies: companiesOf(members)}, err
}

// proveForLink checks the password or the code.
func (c *Chatlogin) proveForLink(ctx context.Context, in LinkInput) (access.Subject, error) {
	place := in.Browser.Place
	if in.ByCode {
		if err := access.Invalid(verification.CodeFields(&in.Phone, &in.Code)); err != nil {
			return access.Subject{}, err
		}
		flow := c.CodeFlow(in.Flow, in.Ticket)
		proof, err := c.verification.ProveCode(ctx, in.Phone, verification.ForLogin, place.CompanyID(), flow, verification.TargetPhone, in.Code)
		if err != nil {
			return access.Subject{}, err
		}
		phone, err := c.db.PhoneByNumber(ctx, in.Phone)
		if errors.Is(err, store.ErrNotFound) {
			refusal := &access.Refused{Refusal: access.PhoneNotBound, Contacts: c.access.Support(place)}
			return access.Subject{}, c.signin.RefuseWithoutAccount(ctx, store.Phone{Phone: in.Phone}, place, refusal)
		}
		if err == nil {
			err = c.db.Tx(ctx, func(tx *store.DB) error { return c.verification.Spend(ctx, tx, proof) })
		}
		return access.PersonSubject(phone), err
	}
	try := signin.LoginInput{
		ByName: in.ByName, Phone: in.Phone, Login: in.Login, Password: in.Password, Question: in.Question, Answer: in.Answer,
		Browser: in.Browser,
	}
	if err := try.Validate(); err != nil {
		return access.Subject{}, err
	}
	guard, err := c.signin.Prove(ctx, try)
	if err != nil {
		return access.Subject{}, err
	}
	if err := guard.SettleSignIn(ctx); err != nil {
		return access.Subject{}, err
	}
	return c.asStored(ctx, guard.Subject, in.Password)
}

// asStored reads the proven one as it is stored now: the password may just have been hashed anew. WeChatExpired where
// it was changed.
func (p *Chatlogin) asStored(ctx context.Context, c access.Subject, password string) (access.Subject, error) {
	now, found, err := linkedTo(ctx, p.db, store.Identity{PhoneID: c.Phone.ID, AccountID: c.Member.ID})
	if err != nil || found && now.Hash == c.Hash {
		return now, err
	}
	same := false
	if found {
		same, _, err = p.passwords.Hasher.Verify(ctx, now.Hash, password)
	}
	if err == nil && !same {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	return now, err
}

// linkable are the accounts that a link to the proven one opens here; refused as a sign-in is, and while a first
// password has not been replaced: whoever gave it would come in by the link later.
func (p *Chatlogin) linkable(
	ctx context.Context, who known, c access.Subject, place access.Place, lighting bool,
) ([]store.Member, error) {
	c.Provider = who.Provider
	members, err := p.signin.ProvenMembers(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.accounts.RefuseProven(c, members, place, lighting); err != nil {
		return nil, p.signin.RefuseWithoutAccount(ctx, c.Phone, place, err)
	}
	if c.Member.FirstPasswordUntil != 0 {
		return nil, &access.Refused{Refusal: access.PasswordNotSet, FirstPassword: true}
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		reason := access.BlockedBy(m, lighting, p.now())
		return reason == access.ChatClosed || reason == access.WeChatManagerClosed
	})
	if who.Owner == 0 { // the platform's own application opens them at every door
		return members, nil
	}
	return p.access.InPlace(members, who.Owner), nil
}

// passwordStamp changes with the password of somebody who proved themselves to link an identity; of a person without
// one, with what else signs them in.
func (p *Chatlogin) passwordStamp(ctx context.Context, db *store.DB, c access.Subject, who known) (string, error) {
	text := c.Key + "\x00" + c.Hash
	if c.Hash == "" {
		all, err := db.IdentitiesOf(ctx, c.Phone.ID, c.Member.ID)
		if err != nil {
			return "", err
		}
		for _, i := range all {
			if own := who.row(); i.Provider != own.Provider || i.App != own.App || i.Subject != own.Subject {
				text += "\x00" + p.identityRef(i)
			}
		}
	}
	return p.sealing.Tag("password stamp", text), nil
}

// openLinking reads what a confirmation is of, for the browser that proved it: WeChatExpired for one that is too old,
// another browser's, or whose password was changed meanwhile.
func (p *Chatlogin) openLinking(ctx context.Context, sealed, flow string) (linking, access.Subject, error) {
	var l linking
	if p.sealing.Unseal("linking", sealed, &l) != nil || flow == "" || l.Flow != p.verification.Flow(flow) || p.limits.Ended(l.Until) {
		return l, access.Subject{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if err := p.stillOffered(ctx, l.Known); err != nil {
		return l, access.Subject{}, err
	}
	c, found, err := linkedTo(ctx, p.db, store.Identity{PhoneID: l.PhoneID, AccountID: l.AccountID})
	if err == nil && !found {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	if err == nil {
		err = p.stillProven(ctx, p.db, l, c)
	}
	c.Provider = l.Known.Provider
	return l, c, err
}

// stillProven refuses a link whose proof was voided meanwhile.
func (p *Chatlogin) stillProven(ctx context.Context, db *store.DB, l linking, c access.Subject) error {
	stamp, err := p.passwordStamp(ctx, db, c, l.Known)
	if err == nil && stamp != l.Stamp {
		err = &access.Refused{Refusal: access.WeChatExpired}
	}
	return err
}

// ReadLinking is what the person is asked to say yes to; what ConfirmLink refuses.
func (p *Chatlogin) ReadLinking(ctx context.Context, sealed, flow string, place access.Place) (Linking, error) {
	l, c, err := p.openLinking(ctx, sealed, flow)
	if err != nil {
		return Linking{}, err
	}
	members, err := p.linkable(ctx, l.Known, c, place, l.Known.Lighting)
	return Linking{Sealed: sealed, Who: p.identityView(l.Known, c), Companies: companiesOf(members)}, err
}

// companiesOf are the companies of accounts, each once.
func companiesOf(members []store.Member) (all []store.Company) {
	for _, m := range members {
		if !slices.ContainsFunc(all, func(c store.Company) bool { return c.ID == m.CompanyID }) {
			all = append(all, m.Company)
		}
	}
	return all
}

// ConfirmLink links an identity to the account that was proven for it and signs in. WeChatExpired for a confirmation
// that is too old, another browser's, or whose password was changed meanwhile; what blocks a sign-in by now;
// WrongParameters where the identity has come to sign somebody else in.
func (p *Chatlogin) ConfirmLink(
	ctx context.Context, sealed, flow, lang string, browser access.Browser,
) (result signin.LoginResult, err error) {
	l, c, err := p.openLinking(ctx, sealed, flow)
	if err != nil {
		return signin.LoginResult{}, err
	}
	defer func() { p.access.CountSignIn(string(l.Known.Provider), err) }()
	browser.Lighting = l.Known.Lighting
	if _, err := p.linkable(ctx, l.Known, c, browser.Place, browser.Lighting); err != nil {
		return signin.LoginResult{}, err
	}
	fresh := false
	linking := func(tx *store.DB, _ *store.Batch) (err error) {
		if fresh, err = p.Link(ctx, tx, l.Known, c); err == nil {
			err = p.stillProven(ctx, tx, l, c)
		}
		return err
	}
	result, err = p.signin.SignInBrowser(ctx, signin.BrowserSignIn{
		SignIn: signin.SignIn{Subject: c, How: string(l.Known.Provider), Settle: linking}, Browser: browser,
	})
	if err == nil && fresh {
		p.verification.NotifyOwner(ctx, c, linkedNotice(l.Known, lang))
	}
	return result, err
}

// linkedNotice is the notice that an identity was linked.
func linkedNotice(who known, lang string) verification.Message {
	return verification.Message{Notice: verification.NoticeLinked, Lang: lang, App: who.Provider, Nick: who.Identity.Nick}
}

// Link makes an identity sign in whom somebody has proven to be, and says whether it did not before. WrongParameters
// where it signs in somebody else by now; WeChatExpired where the password is not the one that was proven any more: a
// reset that runs at the same time leaves no link.
func (p *Chatlogin) Link(ctx context.Context, tx *store.DB, who known, c access.Subject) (fresh bool, err error) {
	if err := tx.LockPassword(ctx, c.Phone.ID, c.Member.CompanyID, c.Member.ID, c.Hash); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &access.Refused{Refusal: access.WeChatExpired}
		}
		return false, err
	}
	i, now := who.row(), store.At(p.now())
	i.PhoneID, i.AccountID, i.LinkedAt, i.UsedAt = c.Phone.ID, c.Member.ID, now, now
	was, err := tx.IdentityOf(ctx, i.Provider, i.App, i.Subject)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if err == nil {
		if was.PhoneID == i.PhoneID && was.AccountID == i.AccountID {
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
	if err := tx.LinkIdentity(ctx, i, was); err != nil {
		if errors.Is(err, store.ErrNotFound) { // linked meanwhile
			err = &access.Refused{Refusal: access.WrongParameters}
		}
		return false, err
	}
	return true, p.access.Event(ctx, tx, "identity_linked", c.Who(), string(who.Provider))
}
