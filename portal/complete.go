package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// Invitation is what an inviting link carries: an account that a company offers to a phone.
type Invitation struct {
	CompanyID int64         `json:"c"`
	AccountID int64         `json:"a"`
	Phone     string        `json:"p"`
	InvitedAt store.Instant `json:"i"` // a link made earlier than the account's last one does not work

	Company    store.Company `json:"-"`
	SetUp      bool          `json:"-"` // its holder has set the account up: the link only repeats that
	Name       string        `json:"-"` // of the holder, as the company knows it; for who proved the phone alone
	Registered bool          `json:"-"` // the phone has a password already; for who proved the phone alone
}

// until is when the link ends.
func (in Invitation) until() store.Instant { return store.At(in.InvitedAt.Time().Add(InvitationLife)) }

// Invite makes the token of the inviting link for an account that a company opened and nobody has set up; NotFound.
// It is the same link, with the same end, until the account is invited again.
func (p *Portal) Invite(ctx context.Context, companyID, accountID int64) (string, error) {
	m, err := p.db.MemberByID(ctx, companyID, accountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (!m.Invited || m.Phone == "") {
		err = NotFound
	}
	if err != nil {
		return "", err
	}
	return p.seal("invitation", invitationOf(m))
}

func invitationOf(m store.Member) Invitation {
	return Invitation{CompanyID: m.CompanyID, AccountID: m.ID, Phone: m.Phone, InvitedAt: m.InvitedAt}
}

// Invitation reads an inviting link; ok is false for one that is none, too old, or renewed since.
func (p *Portal) Invitation(ctx context.Context, token string) (in Invitation, ok bool, err error) {
	if p.unseal("invitation", token, &in) != nil || in.until() <= store.At(p.now()) {
		return Invitation{}, false, nil
	}
	m, err := p.db.MemberByID(ctx, in.CompanyID, in.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && in != invitationOf(m) {
		return Invitation{}, false, nil
	}
	if err != nil {
		return Invitation{}, false, err
	}
	in.Company, in.SetUp = m.Company, !m.Invited
	return in, true, nil
}

// InvitationHere is what a company's own host invites to; by the ticket of an application, if there is one, for whom.
func (p *Portal) InvitationHere(ctx context.Context, c store.Company, ticket string) (Invitation, error) {
	in := Invitation{CompanyID: c.ID, Company: c}
	phone, ok := p.ApplicantNow(ticket, c.ID)
	if !ok {
		return in, nil
	}
	person, _, err := p.person(ctx, phone)
	if err != nil {
		return in, err
	}
	in.Phone, in.Registered = phone, person.PasswordHash != ""
	offers, err := p.db.OffersIn(ctx, c.ID, person.ID)
	if len(offers) > 0 {
		in.Name = offers[0].Name
	}
	return in, err
}

// CompleteInput accepts an account that a company offers to a phone, with a code to that phone. For a phone that has a
// password, Password is that one. With New, or for an API client with Confirm, it may also be a new one: the holder may
// not know the password, because somebody else had the number before.
type CompleteInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	Name      string `form:"name" json:"name_"`
	Password  string `form:"password" json:"password_"`
	Confirm   string `form:"confirm_password" json:"confirm_password_"`
	CompanyID int64  `json:"company_id_"`
	Invite    string `form:"invite"`
	New       bool   `form:"new"`
	Lang      string `json:"-"` // of the notice about a new password

	Ticket  string // of somebody whose application was approved: instead of Code, for a phone without a password
	Flow    string
	Browser Browser
	Client  Client

	accountID int64 // of the link that invited, 0 for the first that waits
}

// Completed is an account that is set up, and the session one has in it. User has its token, for an API client alone.
type Completed struct {
	LoginResult
	Member store.Member
	User   User
}

// Complete proves the phone that an account is offered to, accepts the account and signs in. The same proof again
// signs in again. It refuses malformed fields, another phone than the invited one, CodeWrong, CodeExpired,
// NotInCompany when the company offers the phone nothing, PhoneRegistered when the account was accepted before,
// PhoneBoundElsewhere, WrongPassword, PasswordKept under "password" when a new password is given for a phone that has
// one without New, and what blocks the account.
func (p *Portal) Complete(ctx context.Context, in CompleteInput) (Completed, error) {
	if err := p.validateComplete(ctx, &in); err != nil {
		return Completed{}, err
	}
	by := madeBy{p.proofID(ForShopRegister, in.Flow, in.Phone, in.Code), contentOf(decimal(in.CompanyID), in.Name), in.Phone, ForShopRegister}
	if in.Code == "" {
		by.id = p.tag("made by ticket", in.Ticket)
	}
	var result Completed
	err := p.onlyOnce(ctx, by, func() (err error) {
		result, err = p.complete(ctx, in, by)
		return err
	}, func(made store.Registration) error {
		return p.db.Tx(ctx, func(tx *store.DB) (err error) {
			if result.Member, err = p.madeFor(ctx, tx, made, in.Phone); err != nil {
				return err
			}
			return p.enterCompleted(ctx, tx, in, &result, true)
		})
	})
	return result, err
}

func (p *Portal) validateComplete(ctx context.Context, in *CompleteInput) error {
	fields := codeFields(&in.Phone, &in.Code)
	if in.Invite != "" {
		invitation, ok, err := p.Invitation(ctx, in.Invite)
		if err != nil {
			return err
		}
		if !ok {
			return NotFound
		}
		in.accountID = invitation.AccountID
		if in.CompanyID = invitation.CompanyID; fields["phone"] == "" && in.Phone != invitation.Phone {
			fields["phone"] = PhoneNotInvited
		}
	}
	if in.CompanyID == 0 {
		fields["company_id"] = ChoiceRequired
	}
	if in.Client == "" || in.Name != "" {
		nameField(fields, &in.Name)
	}
	if phone, ok := p.ApplicantNow(in.Ticket, in.CompanyID); in.Code == "" && ok && phone == in.Phone {
		delete(fields, "code")
	}
	return invalid(fields)
}

// ApplicantNow is the phone that somebody proved to a company within ApplicantLife: where it has no password yet, no
// other code is asked for to set up the account applied for.
func (p *Portal) ApplicantNow(ticket string, companyID int64) (phone string, ok bool) {
	who, err := p.Applicant(ticket, companyID)
	return who.phone, err == nil && p.now().Before(who.proven.Time().Add(ApplicantLife))
}

func (p *Portal) complete(ctx context.Context, in CompleteInput, by madeBy) (Completed, error) {
	var proof codeProof
	var err error
	if in.Code != "" {
		if proof, err = p.proveCode(ctx, in.Phone, ForShopRegister, in.CompanyID, in.Flow, targetPhone, in.Code); err != nil {
			return Completed{}, err
		}
	}
	person, members, err := p.person(ctx, in.Phone)
	if err != nil {
		return Completed{}, err
	}
	m, err := p.invited(ctx, person, members, in)
	if err != nil {
		return Completed{}, err
	}
	if in.Name == "" {
		in.Name = m.Name
	}
	if in.Code == "" && person.PasswordHash != "" { // whoever opens more than this one account proves the phone anew
		return Completed{}, errors.Join(invalid(Fields{"code": CodeRequired}), errMadeBefore)
	}
	fresh, err := p.completePassword(ctx, in, person, m)
	if err != nil {
		return Completed{}, err
	}
	var result Completed
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if in.Code != "" {
			if err := p.spendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		person, err := p.settleHolder(ctx, tx, in, person, fresh)
		if err != nil {
			return err
		}
		if err := mayJoin(ctx, tx, m, person.ID); err != nil {
			return err
		}
		if err := tx.SetUpAccount(ctx, m.CompanyID, m.ID, person.ID, in.Name); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				err = errors.Join(&Refused{Refusal: PhoneRegistered}, errMadeBefore)
			}
			return err
		}
		if err := p.noteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if result.Member, err = tx.MemberByID(ctx, m.CompanyID, m.ID); err != nil {
			return err
		}
		if err := p.event(ctx, tx, "account_set_up", m, ""); err != nil {
			return err
		}
		return p.enterCompleted(ctx, tx, in, &result, false)
	})
	if err != nil {
		return Completed{}, err
	}
	if fresh.replaces {
		p.notify(ctx, Message{Phone: in.Phone, Notice: NoticePassword, Lang: in.Lang}, store.Company{})
	}
	return result, nil
}

// invited returns the account that the company offers to a person: the link's, or without a link the first.
func (p *Portal) invited(
	ctx context.Context, person store.Phone, members []store.Member, in CompleteInput,
) (store.Member, error) {
	offers, err := p.db.OffersIn(ctx, in.CompanyID, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(offers, func(m store.Member) bool { return in.accountID == 0 || in.accountID == m.ID })
	switch {
	case i >= 0:
		if reason := blockedOnceAccepted(offers[i], false, p.now()); reason != "" {
			return store.Member{}, p.blocked(offers[i], reason)
		}
		return offers[i], nil
	case len(offers) > 0 || len(p.inPlace(members, in.CompanyID)) > 0:
		return store.Member{}, errors.Join(&Refused{Refusal: PhoneRegistered}, errMadeBefore)
	}
	c, err := p.db.CompanyByID(ctx, in.CompanyID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Member{}, err
	}
	return store.Member{}, &Refused{Refusal: NotInCompany, Contacts: p.contactsFor(NotInCompany, c)}
}

// freshPassword is the hash of a new password for a phone, "" when the phone keeps its password. replaces says that the
// phone has a password already.
type freshPassword struct {
	hash     string
	replaces bool
}

// completePassword checks the phone's password, or hashes a new one.
func (p *Portal) completePassword(
	ctx context.Context, in CompleteInput, person store.Phone, m store.Member,
) (freshPassword, error) {
	has := person.PasswordHash != ""
	owner := personSubject(person)
	if mayBeNew := in.New || in.Client != "" && in.Confirm != ""; has && !mayBeNew {
		return freshPassword{}, p.confirmPassword(ctx, in, owner)
	}
	fields, about := Fields{}, PasswordContext{Phone: in.Phone, Name: in.Name, Login: m.Login, Company: m.Company.Name}
	p.newPasswordFields(fields, in.Password, in.Confirm, about)
	if err := invalid(fields); err != nil {
		return freshPassword{}, err
	}
	if !has {
		hash, err := p.firstPassword(ctx, person, in.Password, PasswordContext{Phone: in.Phone, Name: in.Name})
		return freshPassword{hash: hash}, err
	}
	err := p.checkNewPassword(ctx, owner, in.Password, "")
	if isSamePassword(err) { // the new password is the phone's own
		return freshPassword{}, nil
	}
	if err != nil {
		return freshPassword{}, err
	}
	hash, err := p.hasher.hash(ctx, in.Password)
	return freshPassword{hash: hash, replaces: true}, err
}

// settleHolder makes or reads the person of the proven phone, and stores the person's new password.
func (p *Portal) settleHolder(
	ctx context.Context, tx *store.DB, in CompleteInput, person store.Phone, fresh freshPassword,
) (store.Phone, error) {
	if !fresh.replaces {
		return p.settlePerson(ctx, tx, in.Phone, person, fresh.hash, "")
	}
	settled, err := p.settlePerson(ctx, tx, in.Phone, person, "", "")
	if err != nil {
		return settled, err
	}
	owner := personSubject(settled)
	return settled, p.setPassword(ctx, tx, owner, fresh.hash, "password_reset", keptAccess{})
}

// confirmPassword checks the password of a phone that has one.
func (p *Portal) confirmPassword(ctx context.Context, in CompleteInput, owner Subject) error {
	switch {
	case in.Client == "" && in.Confirm != "": // the form did not know yet that the phone has a password
		return invalid(Fields{"password": PasswordKept})
	case in.Password == "":
		return invalid(Fields{"password": PasswordRequired})
	}
	try := PasswordTry{Password: limited(in.Password, MaxPassword+1), Device: in.Browser.Device}
	if err := p.tryPassword(ctx, try, owner); err != nil {
		return waitInstead(err)
	}
	return nil
}

func (p *Portal) enterCompleted(
	ctx context.Context, tx *store.DB, in CompleteInput, result *Completed, again bool,
) (err error) {
	m := result.Member
	if reason := BlockedBy(m, in.Browser.Lighting, p.now()); reason != "" {
		return p.blocked(m, reason)
	}
	if in.Client != "" {
		result.User, err = p.actAs(ctx, tx, in.Client, m, Session{}, "set up", again)
		return err
	}
	person, err := tx.PhoneByID(ctx, m.PhoneID)
	if err != nil {
		return err
	}
	who := Subject{key: personKey(person.ID), phone: person}
	result.LoginResult = p.freshLogin(ctx, in.Browser, who)
	result.Step = Step{Kind: StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}
	return p.begin(ctx, tx, in.Browser.Place, who, "set up", &result.LoginResult)
}
