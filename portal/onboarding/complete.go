package onboarding

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/signin"
	"portico/store"
)

// InvitationHere returns the invitation that a company's own host shows without a link. With a valid ticket of an
// applicant it has the phone, and the name and password state of its person.
func (o *Onboarding) InvitationHere(
	ctx context.Context, c store.Company, ticket string,
) (credentials.Invitation, error) {
	in := credentials.Invitation{CompanyID: c.ID, Company: c}
	phone, ok := o.ApplicantNow(ticket, c.ID)
	if !ok {
		return in, nil
	}
	person, _, err := o.core.Access.Person(ctx, phone)
	if err != nil {
		return in, err
	}
	in.Phone, in.HasPassword = phone, person.PasswordHash != ""
	offers, err := o.core.DB.Offers.InCompany(ctx, c.ID, person.ID)
	if len(offers) > 0 {
		in.Name = offers[0].Name
	}
	return in, err
}

// CompleteInput accepts an account that a company offers to a phone. Code proves the phone. If the phone has a
// password, Password must be that one, unless New is set, or for an API client Confirm: then it may be a new password,
// because an earlier owner of the number may have set the old one.
type CompleteInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	Name      string `form:"name" json:"name_"`
	Password  string `form:"password" json:"password_"`
	Confirm   string `form:"confirm_password" json:"confirm_password_"`
	CompanyID int64  `json:"company_id_"`
	Invite    string `form:"invite"`
	New       bool   `form:"new"`
	Lang      string `json:"-"` // the language of the notice about a new password

	Ticket  string // an applicant's ticket, which replaces Code for a phone without a password
	Flow    string
	Browser access.Browser
	Client  access.Client

	accountID int64 // the account of the invitation link, 0 for the first offered account
}

// Completed is an account that is set up, with the new session of a browser, or for an API client the User with its
// token.
type Completed struct {
	signin.LoginResult
	Member store.Member
	User   access.User
}

// Complete proves the phone that an account is offered to, accepts the account and signs in. The same proof again
// signs in again. It refuses malformed fields; with PhoneNotInvited under "phone" another phone than the invited one;
// with CodeWrong and CodeExpired; with NotInCompany when the company offers the phone no account; with PhoneRegistered
// when the account was accepted before; with PhoneBoundElsewhere; with WrongPassword; with PasswordKept under
// "password" a new password without New for a phone that has one; and with the reason why the account is blocked.
func (o *Onboarding) Complete(ctx context.Context, in CompleteInput) (Completed, error) {
	if err := o.validateComplete(ctx, &in); err != nil {
		return Completed{}, err
	}
	by := core.MadeBy{
		ID:      o.core.Replay.ProofID(core.ForShopRegister, in.Flow, in.Phone, in.Code),
		Content: core.ContentHash(access.Decimal(in.CompanyID), in.Name),
		Phone:   in.Phone, Purpose: core.ForShopRegister,
	}
	if in.Code == "" {
		by.ID = o.core.Sealing.Tag("made by ticket", in.Ticket)
	}
	var result Completed
	err := o.core.Replay.OnlyOnce(ctx, by, func() (err error) {
		result, err = o.complete(ctx, in, by)
		return err
	}, func(made store.Registration) error {
		return o.core.DB.Tx(ctx, func(tx *store.DB) (err error) {
			if result.Member, err = o.core.Replay.CreatedAccount(ctx, tx, made, in.Phone); err != nil {
				return err
			}
			return o.enterCompleted(ctx, tx, in, &result, true)
		})
	})
	return result, err
}

// validateComplete normalises and checks the input, and fills in the company and account of the invitation link. It
// refuses with NotFound a link that is not valid.
func (o *Onboarding) validateComplete(ctx context.Context, in *CompleteInput) error {
	fields := core.CodeFields(&in.Phone, &in.Code)
	if in.Invite != "" {
		invitation, ok, err := o.credentials.Invitation(ctx, in.Invite)
		if err != nil {
			return err
		}
		if !ok {
			return access.NotFound
		}
		in.accountID = invitation.AccountID
		if in.CompanyID = invitation.CompanyID; fields["phone"] == "" && in.Phone != invitation.Phone {
			fields["phone"] = access.PhoneNotInvited
		}
	}
	if in.CompanyID == 0 {
		fields["company_id"] = access.ChoiceRequired
	}
	if in.Client == "" || in.Name != "" {
		access.NameField(fields, &in.Name)
	}
	if phone, ok := o.ApplicantNow(in.Ticket, in.CompanyID); in.Code == "" && ok && phone == in.Phone {
		delete(fields, "code")
	}
	return access.Invalid(fields)
}

// ApplicantNow returns the phone of an applicant's ticket; ok is false unless the phone was proved for the company
// within ApplicantLife. If the phone has no password, the ticket replaces the code when the account is set up.
func (o *Onboarding) ApplicantNow(ticket string, companyID int64) (phone string, ok bool) {
	who, err := o.accounts.Applicants.Open(ticket, companyID)
	return who.Number, err == nil && o.core.Now().Before(who.Proven.Time().Add(signin.ApplicantLife))
}

// complete sets the account up for a proof that was not used before.
func (o *Onboarding) complete(ctx context.Context, in CompleteInput, by core.MadeBy) (Completed, error) {
	var proof core.CodeProof
	if in.Code != "" {
		var err error
		if proof, err = o.core.Verification.ProveCode(ctx, core.TypedCode{
			Phone: in.Phone, Purpose: core.ForShopRegister, CompanyID: in.CompanyID, Flow: in.Flow,
			Target: core.TargetPhone, Code: in.Code,
		}); err != nil {
			return Completed{}, err
		}
	}
	person, members, err := o.core.Access.Person(ctx, in.Phone)
	if err != nil {
		return Completed{}, err
	}
	m, err := o.invited(ctx, person, members, in)
	if err != nil {
		return Completed{}, err
	}
	if in.Name == "" {
		in.Name = m.Name
	}
	if in.Code == "" && person.PasswordHash != "" { // the phone has other accounts, so a ticket is not enough
		return Completed{}, errors.Join(access.Invalid(access.Fields{"code": access.CodeRequired}), core.ErrProofUsed)
	}
	fresh, err := o.completePassword(ctx, in, person, m)
	if err != nil {
		return Completed{}, err
	}
	var result Completed
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		if in.Code != "" {
			if err := o.core.Replay.SpendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		person, err := o.settleHolder(ctx, tx, in, person, fresh)
		if err != nil {
			return err
		}
		if err := access.MayJoin(ctx, tx, m, person.ID); err != nil {
			return err
		}
		if err := tx.Accounts.SetUp(ctx, m.CompanyID, m.ID, person.ID, in.Name); err != nil {
			if errors.Is(err, store.ErrNotFound) {
				err = errors.Join(&access.Refused{Refusal: access.PhoneRegistered}, core.ErrProofUsed)
			}
			return err
		}
		if err := o.core.Replay.NoteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if result.Member, err = tx.Accounts.ByID(ctx, m.CompanyID, m.ID); err != nil {
			return err
		}
		if err := o.core.Access.Event(ctx, tx, "account_set_up", m, ""); err != nil {
			return err
		}
		return o.enterCompleted(ctx, tx, in, &result, false)
	})
	if err != nil {
		return Completed{}, err
	}
	if fresh.replaces {
		o.core.Verification.Notify(
			ctx, core.Message{Phone: in.Phone, Notice: core.NoticePassword, Lang: in.Lang},
			store.Company{},
		)
	}
	return result, nil
}

// invited returns the account that the company offers to a person: the one of the link, or the first without a link.
func (o *Onboarding) invited(
	ctx context.Context, person store.Person, members []store.Member, in CompleteInput,
) (store.Member, error) {
	offers, err := o.core.DB.Offers.InCompany(ctx, in.CompanyID, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(offers, func(m store.Member) bool { return in.accountID == 0 || in.accountID == m.ID })
	switch {
	case i >= 0:
		if reason := access.BlockedOnceAccepted(offers[i], false, o.core.Now()); reason != "" {
			return store.Member{}, o.core.Access.Blocked(ctx, o.core.DB, offers[i], reason)
		}
		return offers[i], nil
	case len(offers) > 0 || len(o.core.Access.InPlace(members, in.CompanyID)) > 0:
		return store.Member{}, errors.Join(&access.Refused{Refusal: access.PhoneRegistered}, core.ErrProofUsed)
	}
	c, err := o.core.DB.Companies.ByID(ctx, in.CompanyID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Member{}, err
	}
	return store.Member{}, &access.Refused{
		Refusal: access.NotInCompany, Contacts: o.core.Access.ContactsFor(access.NotInCompany, c),
	}
}

// freshPassword is the hash of a new password for a phone, "" when the phone keeps its password. replaces says that it
// replaces an older password.
type freshPassword struct {
	hash     string
	replaces bool
}

// completePassword checks the phone's password, or hashes a new one.
func (o *Onboarding) completePassword(
	ctx context.Context, in CompleteInput, person store.Person, m store.Member,
) (freshPassword, error) {
	has := person.PasswordHash != ""
	owner := access.PersonSubject(person)
	if mayBeNew := in.New || in.Client != "" && in.Confirm != ""; has && !mayBeNew {
		return freshPassword{}, o.confirmPassword(ctx, in, owner)
	}
	fields, about := access.Fields{}, access.PasswordContext{
		Phone: in.Phone, Name: in.Name, Login: m.Login, Company: m.Company.Name,
	}
	o.core.Passwords.NewPasswordFields(fields, &in.Password, in.Confirm, about)
	if err := access.Invalid(fields); err != nil {
		return freshPassword{}, err
	}
	if !has {
		hash, err := o.firstPassword(ctx, person, in.Password, access.PasswordContext{Phone: in.Phone, Name: in.Name})
		return freshPassword{hash: hash}, err
	}
	err := o.core.Passwords.CheckNewPassword(ctx, owner, in.Password, "")
	if core.IsSamePassword(err) { // the phone has this password already
		return freshPassword{}, nil
	}
	if err != nil {
		return freshPassword{}, err
	}
	hash, err := o.core.Passwords.Hasher.Hash(ctx, in.Password)
	return freshPassword{hash: hash, replaces: true}, err
}

// settleHolder reads or adds the person of the proven phone, and stores the person's new password.
func (o *Onboarding) settleHolder(
	ctx context.Context, tx *store.DB, in CompleteInput, person store.Person, fresh freshPassword,
) (store.Person, error) {
	if !fresh.replaces {
		return o.settlePerson(ctx, tx, in.Phone, person, fresh.hash, "")
	}
	settled, err := o.settlePerson(ctx, tx, in.Phone, person, "", "")
	if err != nil {
		return settled, err
	}
	owner := access.PersonSubject(settled)
	return settled, o.credentials.SetPassword(ctx, tx, owner, fresh.hash, "password_reset", core.KeptAccess{})
}

// confirmPassword checks the password of a phone that has one.
func (o *Onboarding) confirmPassword(ctx context.Context, in CompleteInput, owner access.Subject) error {
	switch {
	case in.Client == "" && in.Confirm != "": // the form was shown before it was known that the phone has a password
		return access.Invalid(access.Fields{"password": access.PasswordKept})
	case in.Password == "":
		return access.Invalid(access.Fields{"password": access.PasswordRequired})
	}
	try := access.PasswordTry{Password: access.Truncated(in.Password, access.MaxPassword+1), Device: in.Browser.Device}
	if err := o.signin.TryPassword(ctx, try, owner); err != nil {
		return credentials.WaitInstead(err)
	}
	return nil
}

// enterCompleted signs the person in to the account that was set up. again says that the proof was used before.
func (o *Onboarding) enterCompleted(
	ctx context.Context, tx *store.DB, in CompleteInput, result *Completed, again bool,
) (err error) {
	m := result.Member
	if reason := access.BlockedBy(m, in.Browser.Lighting, o.core.Now()); reason != "" {
		return o.core.Access.Blocked(ctx, tx, m, reason)
	}
	if in.Client != "" {
		result.User, err = o.signin.ActAs(ctx, tx, signin.Acting{
			Client: in.Client, Member: m, How: "set up", Again: again,
		})
		return err
	}
	person, err := tx.Persons.ByID(ctx, m.PersonID)
	if err != nil {
		return err
	}
	who := access.Subject{Key: access.PersonKey(person.ID), Person: person}
	result.LoginResult = o.signin.FreshLogin(ctx, in.Browser, who)
	result.Step = signin.Step{Kind: signin.StepEnter, CompanyID: m.CompanyID, AccountID: m.ID}
	return o.signin.Begin(ctx, tx, in.Browser.Place, who, "set up", &result.LoginResult)
}
