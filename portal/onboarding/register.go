package onboarding

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

const (
	// CompaniesADay is how many companies one person may register in a day.
	CompaniesADay = 5
)

// RegisterInput registers a company and its first administrator. The phone is proved by Code, or by a signed-in
// Session. With Add the phone may be registered already; Password is then not needed. SandboxID is the sandbox that
// becomes the company, 0 for a new company.
type RegisterInput struct {
	Phone       string `form:"phone" json:"phone_"`
	Code        string `form:"code" json:"code_"`
	Password    string `form:"password" json:"password_"`
	Name        string `form:"name" json:"name_"`
	CompanyName string `form:"company_name" json:"company_name_"`
	Agree       bool   `form:"agree" json:"agree_"`
	Add         bool   `form:"add"`
	SandboxID   int64  `form:"sandbox"`
	Ticket      string // a ticket of a chat identity, which is linked instead of setting a password; "" for none

	Session access.Session
	Flow    string
	Version string // the version of the agreement that was shown
	Lang    string
	Browser access.Browser
	Client  access.Client // "" for a browser

	provider access.ProviderName // the provider of the Ticket's identity, "" without a Ticket
}

// Registered is the administrator's account of a registered company, with the session of a browser (Token is "" when
// the browser keeps its session), or for an API client the User with its token.
type Registered struct {
	signin.LoginResult
	Member store.Member
	User   access.User
}

// Register adds a company, its administrator and a session in one transaction. The same proof with the same input
// returns the same company. It refuses with CompaniesClosed where only the operator opens companies; malformed
// fields; with CodeWrong and CodeExpired; with PhoneRegistered a registered phone without Add; with
// PhoneBoundElsewhere; with TooManyAttempts after CompaniesADay; with WrongParameters a used proof with another input;
// with WeChatManagerClosed a Ticket of an app that administrators may not use; and a Ticket that cannot be linked as
// Chatlogin.Link does.
func (o *Onboarding) Register(ctx context.Context, in RegisterInput) (Registered, error) {
	if err := o.core.Access.RequireCompaniesOpen(); err != nil {
		return Registered{}, err
	}
	person, err := o.registrant(ctx, &in)
	if err != nil {
		return Registered{}, err
	}
	by := core.MadeBy{
		ID:      o.core.Replay.ProofID(core.ForRegister, in.Flow, in.Phone, in.Code),
		Content: core.ContentHash(in.Name, in.CompanyName, access.Decimal(in.SandboxID)),
		Phone:   in.Phone, Purpose: core.ForRegister,
	}
	if in.Session.ID != "" {
		by.ID = o.core.Replay.SessionProofID(in.Session, in.CompanyName)
	}
	var result Registered
	err = o.core.Replay.OnlyOnce(ctx, by, func() error {
		result, err = o.register(ctx, in, person, by)
		return err
	}, func(made store.Registration) error {
		result, err = o.registeredAgain(ctx, in, made)
		return err
	})
	return result, err
}

// registrant normalises and checks the input. It returns the signed-in person, or zero when Code has still to prove the
// phone.
func (o *Onboarding) registrant(ctx context.Context, in *RegisterInput) (store.Person, error) {
	fields := access.Fields{}
	var person store.Person
	if in.Session.ID == "" {
		fields = core.CodeFields(&in.Phone, &in.Code)
	} else {
		if in.Session.PersonID == 0 {
			return person, &access.Refused{Refusal: access.WrongParameters}
		}
		var err error
		if person, err = o.core.DB.Persons.ByID(ctx, in.Session.PersonID); err != nil {
			return person, err
		}
		in.Phone = person.Phone
	}
	access.NameField(fields, &in.Name)
	company, ok := access.NormalText(in.CompanyName, access.MaxCompanyName)
	switch {
	case !ok:
		fields["company_name"] = access.CompanyMalformed
	case company == "":
		fields["company_name"] = access.CompanyRequired
	}
	in.CompanyName = company
	if !in.Agree {
		fields["agree"] = access.AgreeRequired
	}
	if in.Ticket != "" {
		in.Add = false
		if in.Session.ID != "" { // an identity is linked only to a new account whose phone has just been proved
			return person, &access.Refused{Refusal: access.WrongParameters}
		}
		who, err := o.chatlogin.OpenTicket(ctx, in.Ticket, signin.Holder{Flow: in.Flow})
		if err != nil {
			return person, err
		}
		if o.chatapps.ManagerClosedTo(who.Provider) {
			return person, &access.Refused{Refusal: access.WeChatManagerClosed}
		}
		in.provider = who.Provider
	} else if needsPassword := person.ID != 0 && person.PasswordHash == "" || person.ID == 0 && !in.Add; needsPassword {
		in.Password = o.core.Passwords.Password.Meant(in.Password)
		if problem := o.core.Passwords.Password.Check(in.Password, in.about()); problem != "" {
			fields["password"] = problem
		}
	}
	return person, access.Invalid(fields)
}

// about returns what the password must not contain.
func (in *RegisterInput) about() access.PasswordContext {
	return access.PasswordContext{Phone: in.Phone, Name: in.Name, Company: in.CompanyName}
}

// register adds the company for a proof that was not used before.
func (o *Onboarding) register(
	ctx context.Context, in RegisterInput, person store.Person, by core.MadeBy,
) (Registered, error) {
	var proof core.CodeProof
	var err error
	if in.Session.ID == "" {
		flow := o.chatlogin.CodeFlow(in.Flow, in.Ticket)
		if proof, err = o.core.Verification.ProveCode(ctx, core.TypedCode{
			Phone: in.Phone, Purpose: core.ForRegister, Flow: flow, Target: core.TargetPhone, Code: in.Code,
		}); err != nil {
			return Registered{}, err
		}
		var members []store.Member
		if person, members, err = o.core.Access.Person(ctx, in.Phone); err != nil {
			return Registered{}, err
		}
		if access.Registered(person, members) && !in.Add {
			return Registered{}, errors.Join(&access.Refused{Refusal: access.PhoneRegistered}, core.ErrProofUsed)
		}
	}
	if err := o.requireFree(ctx, person); err != nil {
		return Registered{}, err
	}
	link, hash, err := o.firstCredential(ctx, in, person)
	if err != nil {
		return Registered{}, err
	}
	var result Registered
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := o.core.Replay.SpendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		known := person.ID != 0
		person, err := o.settlePerson(ctx, tx, in.Phone, person, hash, in.Session.Family)
		if err != nil {
			return err
		}
		if result.Member, err = o.makeCompany(ctx, tx, in, person, known && hash != ""); err != nil {
			return err
		}
		m := result.Member
		// Until somebody turns it off, applications are announced to the only person who can review them.
		if err := tx.Watchers.Add(ctx, m.CompanyID, m.ID, in.Lang); err != nil {
			return err
		}
		if known && in.Ticket != "" { // another person may have had the phone before
			if err := o.core.Revocation.EndOlderAccess(
				ctx, tx, access.Subject{Person: person}, core.KeptAccess{},
			); err != nil {
				return err
			}
		}
		if err := link(tx, person); err != nil {
			return err
		}
		if err := o.core.Replay.NoteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if err := o.core.Limits.CountUpTo(
			ctx, tx, "companies:"+access.Decimal(person.ID), CompaniesADay, access.Day,
		); err != nil {
			return err
		}
		if err := o.accounts.Agreements.Record(
			ctx, tx, signin.Signatory{PersonID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang,
		); err != nil {
			return err
		}
		if err := o.core.Access.Event(ctx, tx, "company_registered", m, ""); err != nil {
			return err
		}
		return o.enterOwn(ctx, tx, in, person, &result, false)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// enterOwn signs the person in to the registered company. again says that the proof was used before.
func (o *Onboarding) enterOwn(
	ctx context.Context, tx *store.DB, in RegisterInput, person store.Person, result *Registered, again bool,
) (err error) {
	if in.Client != "" {
		result.User, err = o.signin.ActAs(ctx, tx, signin.Acting{
			Client: in.Client, Member: result.Member, From: in.Session, How: "registration", Again: again,
		})
	} else {
		who := access.Subject{Key: access.PersonKey(person.ID), Person: person, Provider: in.provider}
		by := arrival{in.Session, in.Browser, who, "registration"}
		result.LoginResult, err = o.enterCompany(ctx, tx, result.Member.CompanyID, by)
	}
	return err
}

// arrival is who enters their new company, with which browser, and what made it: "registration" or "experience".
// Session is the browser's, the zero Session for none.
type arrival struct {
	Session access.Session
	Browser access.Browser
	Who     access.Subject
	How     string
}

// enterCompany chooses a company in the browser's session, or in a new session when the browser has none.
func (o *Onboarding) enterCompany(
	ctx context.Context, tx *store.DB, companyID int64, by arrival,
) (signin.LoginResult, error) {
	result := signin.LoginResult{Session: by.Session}
	if by.Session.ID == "" {
		by.Browser.Lighting = false // a new company starts in the ordinary edition
		result = o.signin.FreshLogin(ctx, by.Browser, by.Who)
		if err := o.signin.Begin(ctx, tx, by.Browser.Place, by.Who, by.How, &result); err != nil {
			return signin.LoginResult{}, err
		}
	}
	err := tx.Sessions.ChooseCompany(ctx, result.Session.ID, companyID)
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return result, err
}

// registeredAgain signs in again to the company that the same proof registered.
func (o *Onboarding) registeredAgain(
	ctx context.Context, in RegisterInput, made store.Registration,
) (Registered, error) {
	var result Registered
	err := o.core.DB.Tx(ctx, func(tx *store.DB) error {
		m, err := o.core.Replay.CreatedAccount(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if reason := access.BlockedBy(m, false, o.core.Now()); reason != "" {
			return o.core.Access.Blocked(ctx, tx, m, reason)
		}
		person, err := tx.Persons.ByID(ctx, m.PersonID)
		if err != nil {
			return err
		}
		result.Member = m
		return o.enterOwn(ctx, tx, in, person, &result, true)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// firstCredential returns how a new administrator will sign in: with a Ticket, link links its identity in the
// transaction; without one, hash is the hash of the password, "" for a person who has a password.
func (o *Onboarding) firstCredential(
	ctx context.Context, in RegisterInput, person store.Person,
) (link func(*store.DB, store.Person) error, hash string, err error) {
	if in.Ticket == "" {
		hash, err = o.firstPassword(ctx, person, in.Password, in.about())
		return func(*store.DB, store.Person) error { return nil }, hash, err
	}
	who, err := o.chatlogin.OpenTicket(ctx, in.Ticket, signin.Holder{Flow: in.Flow})
	return func(tx *store.DB, person store.Person) error {
		owner := access.PersonSubject(person)
		if err := o.core.Revocation.EndOlderAccess(ctx, tx, owner, core.KeptAccess{}); err != nil {
			return err
		}
		_, err := o.chatlogin.Link(ctx, tx, who, owner)
		return err
	}, "", err
}
