package portal

import (
	"context"
	"errors"
	"slices"

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
	Browser Browser
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
// is linked yet. Refused as Login and LoginByCode refuse, all that blocks a sign-in included; what openTicket
// refuses; PasswordNotSet for a first password.
func (p *Portal) ProveForLink(ctx context.Context, in LinkInput) (Linking, error) {
	who, err := p.openTicket(ctx, in.Ticket, holder{Flow: in.Flow})
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
	sealed, err := p.seal("linking", linking{
		Known: who, Flow: p.flow(in.Flow), PhoneID: c.phone.ID, AccountID: c.member.ID, Subject: c.key, Stamp: stamp,
		Until: p.now().Add(IdentityTicketLife).UnixMilli(),
	})
	return Linking{Sealed: sealed, Who: p.identityView(who, c), Companies: companiesOf(members)}, err
}

// proveForLink checks the password or the code.
func (p *Portal) proveForLink(ctx context.Context, in LinkInput) (Subject, error) {
	place := in.Browser.Place
	if in.ByCode {
		if err := invalid(codeFields(&in.Phone, &in.Code)); err != nil {
			return Subject{}, err
		}
		flow := p.CodeFlow(in.Flow, in.Ticket)
		proof, err := p.proveCode(ctx, in.Phone, ForLogin, place.CompanyID(), flow, targetPhone, in.Code)
		if err != nil {
			return Subject{}, err
		}
		phone, err := p.db.PhoneByNumber(ctx, in.Phone)
		if errors.Is(err, store.ErrNotFound) {
			refusal := &Refused{Refusal: PhoneNotBound, Contacts: p.Support(place)}
			return Subject{}, p.notHere(ctx, store.Phone{Phone: in.Phone}, place, refusal)
		}
		if err == nil {
			err = p.db.Tx(ctx, func(tx *store.DB) error { return p.spend(ctx, tx, proof) })
		}
		return personSubject(phone), err
	}
	try := LoginInput{
		ByName: in.ByName, Phone: in.Phone, Login: in.Login, Password: in.Password, Question: in.Question, Answer: in.Answer,
		Browser: in.Browser,
	}
	if err := try.Validate(); err != nil {
		return Subject{}, err
	}
	guard, err := p.prove(ctx, try)
	if err != nil {
		return Subject{}, err
	}
	if err := guard.SettleSignIn(ctx); err != nil {
		return Subject{}, err
	}
	return p.asStored(ctx, guard.subject, in.Password)
}

// asStored reads the proven one as it is stored now: the password may just have been hashed anew. WeChatExpired where
// it was changed.
func (p *Portal) asStored(ctx context.Context, c Subject, password string) (Subject, error) {
	now, found, err := linkedTo(ctx, p.db, store.Identity{PhoneID: c.phone.ID, AccountID: c.member.ID})
	if err != nil || found && now.hash == c.hash {
		return now, err
	}
	same := false
	if found {
		same, _, err = p.hasher.verify(ctx, now.hash, password)
	}
	if err == nil && !same {
		err = &Refused{Refusal: WeChatExpired}
	}
	return now, err
}

// linkable are the accounts that a link to the proven one opens here; refused as a sign-in is, and while a first
// password has not been replaced: whoever gave it would come in by the link later.
func (p *Portal) linkable(
	ctx context.Context, who known, c Subject, place Place, lighting bool,
) ([]store.Member, error) {
	c.provider = who.Provider
	members, err := p.provenMembers(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.refuseProven(c, members, place, lighting); err != nil {
		return nil, p.notHere(ctx, c.phone, place, err)
	}
	if c.member.FirstPasswordUntil != 0 {
		return nil, &Refused{Refusal: PasswordNotSet, FirstPassword: true}
	}
	members = slices.DeleteFunc(members, func(m store.Member) bool {
		reason := BlockedBy(m, lighting, p.now())
		return reason == ChatClosed || reason == WeChatManagerClosed
	})
	if who.Owner == 0 { // the platform's own application opens them at every door
		return members, nil
	}
	return p.inPlace(members, who.Owner), nil
}

// passwordStamp changes with the password of somebody who proved themselves to link an identity; of a person without
// one, with what else signs them in.
func (p *Portal) passwordStamp(ctx context.Context, db *store.DB, c Subject, who known) (string, error) {
	text := c.key + "\x00" + c.hash
	if c.hash == "" {
		all, err := db.IdentitiesOf(ctx, c.phone.ID, c.member.ID)
		if err != nil {
			return "", err
		}
		for _, i := range all {
			if own := who.row(); i.Provider != own.Provider || i.App != own.App || i.Subject != own.Subject {
				text += "\x00" + p.identityRef(i)
			}
		}
	}
	return p.tag("password stamp", text), nil
}

// openLinking reads what a confirmation is of, for the browser that proved it: WeChatExpired for one that is too old,
// another browser's, or whose password was changed meanwhile.
func (p *Portal) openLinking(ctx context.Context, sealed, flow string) (linking, Subject, error) {
	var l linking
	if p.unseal("linking", sealed, &l) != nil || flow == "" || l.Flow != p.flow(flow) || p.ended(l.Until) {
		return l, Subject{}, &Refused{Refusal: WeChatExpired}
	}
	if err := p.stillOffered(ctx, l.Known); err != nil {
		return l, Subject{}, err
	}
	c, found, err := linkedTo(ctx, p.db, store.Identity{PhoneID: l.PhoneID, AccountID: l.AccountID})
	if err == nil && !found {
		err = &Refused{Refusal: WeChatExpired}
	}
	if err == nil {
		err = p.stillProven(ctx, p.db, l, c)
	}
	c.provider = l.Known.Provider
	return l, c, err
}

// stillProven refuses a link whose proof was voided meanwhile.
func (p *Portal) stillProven(ctx context.Context, db *store.DB, l linking, c Subject) error {
	stamp, err := p.passwordStamp(ctx, db, c, l.Known)
	if err == nil && stamp != l.Stamp {
		err = &Refused{Refusal: WeChatExpired}
	}
	return err
}

// ReadLinking is what the person is asked to say yes to; what ConfirmLink refuses.
func (p *Portal) ReadLinking(ctx context.Context, sealed, flow string, place Place) (Linking, error) {
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
func (p *Portal) ConfirmLink(
	ctx context.Context, sealed, flow, lang string, browser Browser,
) (result LoginResult, err error) {
	l, c, err := p.openLinking(ctx, sealed, flow)
	if err != nil {
		return LoginResult{}, err
	}
	defer func() { p.countSignIn(string(l.Known.Provider), err) }()
	browser.Lighting = l.Known.Lighting
	if _, err := p.linkable(ctx, l.Known, c, browser.Place, browser.Lighting); err != nil {
		return LoginResult{}, err
	}
	fresh := false
	linking := func(tx *store.DB, _ *store.Batch) (err error) {
		if fresh, err = p.link(ctx, tx, l.Known, c); err == nil {
			err = p.stillProven(ctx, tx, l, c)
		}
		return err
	}
	result, err = p.signInBrowser(ctx, browserSignIn{
		signIn: signIn{subject: c, how: string(l.Known.Provider), settle: linking}, browser: browser,
	})
	if err == nil && fresh {
		p.notifyOwner(ctx, c, linkedNotice(l.Known, lang))
	}
	return result, err
}

// linkedNotice is the notice that an identity was linked.
func linkedNotice(who known, lang string) Message {
	return Message{Notice: NoticeLinked, Lang: lang, App: who.Provider, Nick: who.Identity.Nick}
}

// link makes an identity sign in whom somebody has proven to be, and says whether it did not before. WrongParameters
// where it signs in somebody else by now; WeChatExpired where the password is not the one that was proven any more: a
// reset that runs at the same time leaves no link.
func (p *Portal) link(ctx context.Context, tx *store.DB, who known, c Subject) (fresh bool, err error) {
	if err := tx.LockPassword(ctx, c.phone.ID, c.member.CompanyID, c.member.ID, c.hash); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &Refused{Refusal: WeChatExpired}
		}
		return false, err
	}
	i, now := who.row(), store.At(p.now())
	i.PhoneID, i.AccountID, i.LinkedAt, i.UsedAt = c.phone.ID, c.member.ID, now, now
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
			return false, &Refused{Refusal: WrongParameters}
		}
	}
	if err := tx.LinkIdentity(ctx, i, was); err != nil {
		if errors.Is(err, store.ErrNotFound) { // linked meanwhile
			err = &Refused{Refusal: WrongParameters}
		}
		return false, err
	}
	return true, p.event(ctx, tx, "identity_linked", c.who(), string(who.Provider))
}
