package onboarding

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatlogin"
	"portico/portal/replay"
	"portico/portal/revocation"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

const (
	// TrialLife is how long a company that registered itself may try the platform.
	TrialLife = 15 * 24 * time.Hour
	// CompaniesADay is how many companies one person may register in a day.
	CompaniesADay = 5
)

// RegisterInput makes a company and its first administrator. A phone is proven by its code, or by being signed in
// (Session). Add says that a company is to be added to a phone that is registered already; Password is then not needed.
// SandboxID is the trial that becomes the company, 0 for a new one.
type RegisterInput struct {
	Phone       string `form:"phone" json:"phone_"`
	Code        string `form:"code" json:"code_"`
	Password    string `form:"password" json:"password_"`
	Name        string `form:"name" json:"name_"`
	CompanyName string `form:"company_name" json:"company_name_"`
	Agree       bool   `form:"agree" json:"agree_"`
	Add         bool   `form:"add"`
	SandboxID   int64  `form:"sandbox"`
	Ticket      string // of an identity, which is a way in instead of a password

	Session access.Session
	Flow    string
	Version string // of the agreement as it was shown
	Lang    string
	Browser access.Browser
	Client  access.Client // "" for a browser

	provider access.ProviderName // of the Ticket's identity, which begins the sign-in; "" without one
}

// Registered is a company of one's own, and the session one has in it: Token is "" where the browser keeps the one it
// had. User has its token, for an API client alone.
type Registered struct {
	signin.LoginResult
	Member store.Member
	User   access.User
}

// Register makes a company, its administrator and a session, all or nothing. The same proof again gives the same
// company, or WrongParameters where something else is asked for with it. Refused: malformed fields, CodeWrong,
// CodeExpired, PhoneRegistered, TooManyAttempts past CompaniesADay, and with a Ticket what a link refuses, and
// WeChatManagerClosed where ManagerClosedTo its app.
func (o *Onboarding) Register(ctx context.Context, in RegisterInput) (Registered, error) {
	person, err := o.registrant(ctx, &in)
	if err != nil {
		return Registered{}, err
	}
	by := replay.MadeBy{
		Id:      o.replay.ProofID(verification.ForRegister, in.Flow, in.Phone, in.Code),
		Content: replay.ContentOf(in.Name, in.CompanyName, access.Decimal(in.SandboxID)),
		Phone:   in.Phone, Purpose: verification.ForRegister,
	}
	if in.Session.ID != "" {
		by.Id = o.replay.SessionProofID(in.Session, in.CompanyName)
	}
	var result Registered
	err = o.replay.OnlyOnce(ctx, by, func() error {
		result, err = o.register(ctx, in, person, by)
		return err
	}, func(made store.Registration) error {
		result, err = o.registeredAgain(ctx, in, made)
		return err
	})
	return result, err
}

// registrant puts what was typed into its one spelling and finds the person who is signed in, zero for a phone that is
// still to be proven.
func (o *Onboarding) registrant(ctx context.Context, in *RegisterInput) (store.Phone, error) {
	fields := access.Fields{}
	var person store.Phone
	if in.Session.ID == "" {
		fields = verification.CodeFields(&in.Phone, &in.Code)
	} else {
		if in.Session.PhoneID == 0 {
			return person, &access.Refused{Refusal: access.WrongParameters}
		}
		var err error
		if person, err = o.db.PhoneByID(ctx, in.Session.PhoneID); err != nil {
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
		// a link takes the phone's code, and nobody's account but one that is new
		if in.Add = false; in.Session.ID != "" {
			return person, &access.Refused{Refusal: access.WrongParameters}
		}
		who, err := o.chatlogin.OpenTicket(ctx, in.Ticket, chatlogin.Holder{Flow: in.Flow})
		if err == nil && o.chatapps.ManagerClosedTo(who.Provider) {
			err = &access.Refused{Refusal: access.WeChatManagerClosed}
		}
		if err != nil {
			return person, err
		}
		in.provider = who.Provider
	} else if needsPassword := person.ID != 0 && person.PasswordHash == "" || person.ID == 0 && !in.Add; needsPassword {
		if problem := o.passwords.Password.Check(in.Password, in.about()); problem != "" {
			fields["password"] = problem
		}
	}
	return person, access.Invalid(fields)
}

func (in *RegisterInput) about() access.PasswordContext {
	return access.PasswordContext{Phone: in.Phone, Name: in.Name, Company: in.CompanyName}
}

// register is Register for a proof that has made nothing yet.
func (o *Onboarding) register(
	ctx context.Context, in RegisterInput, person store.Phone, by replay.MadeBy,
) (Registered, error) {
	var proof verification.CodeProof
	var err error
	if in.Session.ID == "" {
		flow := o.chatlogin.CodeFlow(in.Flow, in.Ticket)
		if proof, err = o.verification.ProveCode(
			ctx, in.Phone, verification.ForRegister, 0, flow, verification.TargetPhone, in.Code,
		); err != nil {
			return Registered{}, err
		}
		var members []store.Member
		if person, members, err = o.access.Person(ctx, in.Phone); err != nil {
			return Registered{}, err
		}
		if access.Registered(person, members) && !in.Add {
			return Registered{}, errors.Join(&access.Refused{Refusal: access.PhoneRegistered}, replay.ErrMadeBefore)
		}
	}
	if err := o.free(ctx, person); err != nil {
		return Registered{}, err
	}
	link, hash, err := o.firstWayIn(ctx, in, person)
	if err != nil {
		return Registered{}, err
	}
	var result Registered
	err = o.db.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := o.replay.SpendOnce(ctx, tx, proof); err != nil {
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
		if known && in.Ticket != "" { // the phone may have been somebody else's before
			if err := o.revocation.EndOlderAccess(
				ctx, tx, access.Subject{Phone: person}, revocation.KeptAccess{},
			); err != nil {
				return err
			}
		}
		if err := link(tx, person); err != nil {
			return err
		}
		if err := o.replay.NoteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if err := o.limits.CountUpTo(
			ctx, tx, "companies:"+access.Decimal(person.ID), CompaniesADay, access.Day,
		); err != nil {
			return err
		}
		if err := o.accounts.Accept(
			ctx, tx, accounts.Signatory{PhoneID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang,
		); err != nil {
			return err
		}
		if err := o.access.Event(ctx, tx, "company_registered", m, ""); err != nil {
			return err
		}
		return o.enterOwn(ctx, tx, in, person, &result, false)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// enterOwn signs the person in to a company of their own.
func (o *Onboarding) enterOwn(
	ctx context.Context, tx *store.DB, in RegisterInput, person store.Phone, result *Registered, again bool,
) (err error) {
	if in.Client != "" {
		result.User, err = o.signin.ActAs(ctx, tx, in.Client, result.Member, in.Session, "registration", again)
	} else {
		who := access.Subject{Key: access.PersonKey(person.ID), Phone: person, Provider: in.provider}
		result.LoginResult, err = o.enterCompany(
			ctx, tx, in.Session, in.Browser, who, result.Member.CompanyID, "registration",
		)
	}
	return err
}

// enterCompany signs a browser in with a new session, or keeps the one it has, and chooses the company in it.
func (o *Onboarding) enterCompany(
	ctx context.Context, tx *store.DB, s access.Session, browser access.Browser, who access.Subject, companyID int64,
	how string,
) (signin.LoginResult, error) {
	result := signin.LoginResult{Session: s}
	if s.ID == "" {
		browser.Lighting = false // a new company starts in the ordinary edition
		result = o.signin.FreshLogin(ctx, browser, who)
		if err := o.signin.Begin(ctx, tx, browser.Place, who, how, &result); err != nil {
			return signin.LoginResult{}, err
		}
	}
	err := tx.ChooseCompany(ctx, result.Session.ID, companyID)
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return result, err
}

// registeredAgain signs in once more to what the same proof has made.
func (o *Onboarding) registeredAgain(
	ctx context.Context, in RegisterInput, made store.Registration,
) (Registered, error) {
	var result Registered
	err := o.db.Tx(ctx, func(tx *store.DB) error {
		m, err := o.replay.MadeFor(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if reason := access.BlockedBy(m, false, o.now()); reason != "" {
			return o.access.Blocked(m, reason)
		}
		person, err := tx.PhoneByID(ctx, m.PhoneID)
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

// firstWayIn is by what somebody who registers signs in from now on: the identity of a ticket, which link then links,
// or a password, whose hash is "" for a person who has one.
func (o *Onboarding) firstWayIn(
	ctx context.Context, in RegisterInput, person store.Phone,
) (link func(*store.DB, store.Phone) error, hash string, err error) {
	if in.Ticket == "" {
		hash, err = o.firstPassword(ctx, person, in.Password, in.about())
		return func(*store.DB, store.Phone) error { return nil }, hash, err
	}
	who, err := o.chatlogin.OpenTicket(ctx, in.Ticket, chatlogin.Holder{Flow: in.Flow})
	return func(tx *store.DB, person store.Phone) error {
		owner := access.PersonSubject(person)
		if err := o.revocation.EndOlderAccess(ctx, tx, owner, revocation.KeptAccess{}); err != nil {
			return err
		}
		_, err := o.chatlogin.Link(ctx, tx, who, owner)
		return err
	}, "", err
}
