package portal

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/store"
)

// InvitationLife is how long an inviting link works.
const InvitationLife = 7 * 24 * time.Hour

// Invitation is what an inviting link carries: an account that a company opened for a phone.
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

// Invite makes the token of the inviting link for an account that a company opened and nobody has set up; NotFound. It is the
// same link, with the same end, until the account is invited again.
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
	person, members, err := p.person(ctx, phone)
	in.Phone, in.Registered = phone, person.PasswordHash != ""
	for _, m := range p.inPlace(members, c.ID) {
		if m.Invited {
			in.Name = m.Name
		}
	}
	return in, err
}

// CompleteInput sets up an account that a company opened. A phone that has a password keeps it: Password may then be
// absent, and must be right where it is not.
type CompleteInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	Name      string `form:"name" json:"name_"`
	Password  string `form:"password" json:"password_"`
	Confirm   string `form:"confirm_password" json:"confirm_password_"`
	CompanyID int64  `json:"company_id_"`
	Invite    string `form:"invite"`

	Ticket string // of somebody whose application was approved: instead of Code, for a phone without a password
	Flow   string
	Begin  LoginInput
	Client Client

	accountID int64 // of the link that invited, 0 for the first that waits
}

// Completed is an account that is set up, and the session one has in it. User has its token, for an API client alone.
type Completed struct {
	LoginResult
	Member store.Member
	User   User
}

// Complete proves the phone an account was opened for, names its holder and signs in. The same proof again signs in
// again. Refused: malformed fields, another phone than the invited one, CodeWrong, CodeExpired, NotInCompany where the
// company opened nothing for the phone, PhoneRegistered where it was set up before, PhoneBoundElsewhere where a company keeps its phones to itself, WrongPassword,
// and what blocks.
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

// ApplicantNow is the phone that somebody proved to a company within ApplicantLife: where it has no password yet, no other
// code is asked for to set up the account applied for.
func (p *Portal) ApplicantNow(ticket string, companyID int64) (phone string, ok bool) {
	who, err := p.applicant(ticket, companyID)
	return who.Phone, err == nil && p.now().Before(time.UnixMilli(who.Proven).Add(ApplicantLife))
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
	m, err := p.invited(ctx, members, in)
	if err != nil {
		return Completed{}, err
	}
	if in.Name == "" {
		in.Name = m.Name
	}
	if in.Code == "" && person.PasswordHash != "" { // whoever opens more than this one account proves the phone anew
		return Completed{}, errors.Join(invalid(Fields{"code": CodeRequired}), errMadeBefore)
	}
	hash, err := p.ownPassword(ctx, in, person, m)
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
		if person, err = p.settlePerson(ctx, tx, in.Phone, person, hash, ""); err != nil {
			return err
		}
		others, err := tx.MembersByPhone(ctx, person.ID)
		if err == nil {
			err = exclusive(m, others)
		}
		if err != nil {
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
	return result, nil
}

// invited is the account that the company opened for the person and nobody has set up, of several the one of the link.
func (p *Portal) invited(ctx context.Context, members []store.Member, in CompleteInput) (store.Member, error) {
	members = p.inPlace(members, in.CompanyID)
	if in.CompanyID == 0 || len(members) == 0 {
		c, err := p.db.CompanyByID(ctx, in.CompanyID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return store.Member{}, err
		}
		return store.Member{}, &Refused{Refusal: NotInCompany, Contacts: p.contactsFor(NotInCompany, c)}
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.Invited && (in.accountID == 0 || in.accountID == m.ID) })
	if i < 0 {
		return store.Member{}, errors.Join(&Refused{Refusal: PhoneRegistered}, errMadeBefore)
	}
	if reason := BlockedBy(members[i], false, p.now()); reason != "" {
		return store.Member{}, p.blocked(members[i], reason)
	}
	return members[i], nil
}

// ownPassword checks the password of a phone that has one, where it is given, and else hashes the new one.
func (p *Portal) ownPassword(ctx context.Context, in CompleteInput, person store.Phone, m store.Member) (hash string, err error) {
	if person.PasswordHash != "" {
		if in.Password == "" {
			return "", nil
		}
		if in.Client == "" && in.Confirm != "" { // a new one was typed, where none is wanted
			return "", invalid(Fields{"password": PasswordKept})
		}
		owner := candidate{subject: phoneSubject(person.ID), hash: person.PasswordHash, phone: person}
		g, err := p.checkPassword(ctx, LoginInput{Password: limited(in.Password, MaxPassword+1), Device: in.Begin.Device}, owner, nil)
		if err != nil {
			return "", waitInstead(err)
		}
		return "", p.db.Tx(ctx, func(tx *store.DB) error { return p.passed(ctx, tx, g, nil) })
	}
	fields := Fields{}
	p.newPasswordFields(fields, in.Password, in.Confirm, PasswordContext{Phone: in.Phone, Name: in.Name, Login: m.Login, Company: m.Company.Name})
	if err := invalid(fields); err != nil {
		return "", err
	}
	return p.firstPassword(ctx, person, in.Password, PasswordContext{Phone: in.Phone, Name: in.Name})
}

func (p *Portal) enterCompleted(ctx context.Context, tx *store.DB, in CompleteInput, result *Completed, again bool) (err error) {
	m := result.Member
	if reason := BlockedBy(m, false, p.now()); reason != "" {
		return p.blocked(m, reason)
	}
	if in.Client != "" {
		result.User, err = p.actAs(ctx, tx, in.Client, m, "set up", again)
		return err
	}
	person, err := tx.PhoneByID(ctx, m.PhoneID)
	if err != nil {
		return err
	}
	who := candidate{subject: phoneSubject(person.ID), phone: person}
	result.LoginResult = p.freshLogin(ctx, in.Begin, who)
	result.Step = Step{Kind: StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}
	return p.begin(ctx, tx, in.Begin, who, "set up", result.LoginResult)
}
