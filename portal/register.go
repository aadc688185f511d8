package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

const (
	// TrialLife is how long a company that registered itself may try the platform.
	TrialLife = 15 * 24 * time.Hour
	// CompaniesADay is how many companies one person may register in a day.
	CompaniesADay = 5
	// RegistrationKept is how long the same proof gives the same company again.
	RegistrationKept = ProofLife
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

	Session Session
	Flow    string
	Version string // of the agreement as it was shown
	Lang    string
	Browser Browser
	Client  Client // "" for a browser

	provider ProviderName // of the Ticket's identity, which begins the sign-in; "" without one
}

// Registered is a company of one's own, and the session one has in it: Token is "" where the browser keeps the one it
// had. User has its token, for an API client alone.
type Registered struct {
	LoginResult
	Member store.Member
	User   User
}

// Register makes a company, its administrator and a session, all or nothing. The same proof again gives the same
// company, or WrongParameters where something else is asked for with it. Refused: malformed fields, CodeWrong,
// CodeExpired, PhoneRegistered, TooManyAttempts past CompaniesADay, and with a Ticket what a link refuses, and
// WeChatManagerClosed where ManagerClosedTo its app.
func (p *Portal) Register(ctx context.Context, in RegisterInput) (Registered, error) {
	person, err := p.registrant(ctx, &in)
	if err != nil {
		return Registered{}, err
	}
	by := madeBy{p.proofID(ForRegister, in.Flow, in.Phone, in.Code), contentOf(in.Name, in.CompanyName, decimal(in.SandboxID)), in.Phone, ForRegister}
	if in.Session.ID != "" {
		by.id = p.sessionProofID(in.Session, in.CompanyName)
	}
	var result Registered
	err = p.onlyOnce(ctx, by, func() error {
		result, err = p.register(ctx, in, person, by)
		return err
	}, func(made store.Registration) error {
		result, err = p.registeredAgain(ctx, in, made)
		return err
	})
	return result, err
}

// registrant puts what was typed into its one spelling and finds the person who is signed in, zero for a phone that is
// still to be proven.
func (p *Portal) registrant(ctx context.Context, in *RegisterInput) (store.Phone, error) {
	fields := Fields{}
	var person store.Phone
	if in.Session.ID == "" {
		fields = codeFields(&in.Phone, &in.Code)
	} else {
		if in.Session.PhoneID == 0 {
			return person, &Refused{Refusal: WrongParameters}
		}
		var err error
		if person, err = p.db.PhoneByID(ctx, in.Session.PhoneID); err != nil {
			return person, err
		}
		in.Phone = person.Phone
	}
	nameField(fields, &in.Name)
	company, ok := NormalText(in.CompanyName, MaxCompanyName)
	switch {
	case !ok:
		fields["company_name"] = CompanyMalformed
	case company == "":
		fields["company_name"] = CompanyRequired
	}
	in.CompanyName = company
	if !in.Agree {
		fields["agree"] = AgreeRequired
	}
	if in.Ticket != "" {
		if in.Add = false; in.Session.ID != "" { // a link takes the phone's code, and nobody's account but one that is new
			return person, &Refused{Refusal: WrongParameters}
		}
		who, err := p.openTicket(ctx, in.Ticket, holder{Flow: in.Flow})
		if err == nil && p.ManagerClosedTo(who.Provider) {
			err = &Refused{Refusal: WeChatManagerClosed}
		}
		if err != nil {
			return person, err
		}
		in.provider = who.Provider
	} else if needsPassword := person.ID != 0 && person.PasswordHash == "" || person.ID == 0 && !in.Add; needsPassword {
		if problem := p.password.Check(in.Password, in.about()); problem != "" {
			fields["password"] = problem
		}
	}
	return person, invalid(fields)
}

func (in *RegisterInput) about() PasswordContext {
	return PasswordContext{Phone: in.Phone, Name: in.Name, Company: in.CompanyName}
}

// register is Register for a proof that has made nothing yet.
func (p *Portal) register(ctx context.Context, in RegisterInput, person store.Phone, by madeBy) (Registered, error) {
	var proof codeProof
	var err error
	if in.Session.ID == "" {
		flow := p.CodeFlow(in.Flow, in.Ticket)
		if proof, err = p.proveCode(ctx, in.Phone, ForRegister, 0, flow, targetPhone, in.Code); err != nil {
			return Registered{}, err
		}
		var members []store.Member
		if person, members, err = p.person(ctx, in.Phone); err != nil {
			return Registered{}, err
		}
		if registered(person, members) && !in.Add {
			return Registered{}, errors.Join(&Refused{Refusal: PhoneRegistered}, errMadeBefore)
		}
	}
	if err := p.free(ctx, person); err != nil {
		return Registered{}, err
	}
	link, hash, err := p.firstWayIn(ctx, in, person)
	if err != nil {
		return Registered{}, err
	}
	var result Registered
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := p.spendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		known := person.ID != 0
		person, err := p.settlePerson(ctx, tx, in.Phone, person, hash, in.Session.Family)
		if err != nil {
			return err
		}
		if result.Member, err = p.makeCompany(ctx, tx, in, person, known && hash != ""); err != nil {
			return err
		}
		m := result.Member
		if known && in.Ticket != "" { // the phone may have been somebody else's before
			if err := p.endOlderAccess(ctx, tx, Subject{phone: person}, keptAccess{}); err != nil {
				return err
			}
		}
		if err := link(tx, person); err != nil {
			return err
		}
		if err := p.noteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if err := p.countUpTo(ctx, tx, "companies:"+decimal(person.ID), CompaniesADay, day); err != nil {
			return err
		}
		if err := p.accept(ctx, tx, signatory{PhoneID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang); err != nil {
			return err
		}
		if err := p.event(ctx, tx, "company_registered", m, ""); err != nil {
			return err
		}
		return p.enterOwn(ctx, tx, in, person, &result, false)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// enterOwn signs the person in to a company of their own.
func (p *Portal) enterOwn(
	ctx context.Context, tx *store.DB, in RegisterInput, person store.Phone, result *Registered, again bool,
) (err error) {
	if in.Client != "" {
		result.User, err = p.actAs(ctx, tx, in.Client, result.Member, in.Session, "registration", again)
	} else {
		who := Subject{key: personKey(person.ID), phone: person, provider: in.provider}
		result.LoginResult, err = p.enterCompany(ctx, tx, in.Session, in.Browser, who, result.Member.CompanyID, "registration")
	}
	return err
}

// enterCompany signs a browser in with a new session, or keeps the one it has, and chooses the company in it.
func (p *Portal) enterCompany(
	ctx context.Context, tx *store.DB, s Session, browser Browser, who Subject, companyID int64, how string,
) (LoginResult, error) {
	result := LoginResult{Session: s}
	if s.ID == "" {
		browser.Lighting = false // a new company starts in the ordinary edition
		result = p.freshLogin(ctx, browser, who)
		if err := p.begin(ctx, tx, browser.Place, who, how, &result); err != nil {
			return LoginResult{}, err
		}
	}
	err := tx.ChooseCompany(ctx, result.Session.ID, companyID)
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return result, err
}

// registeredAgain signs in once more to what the same proof has made.
func (p *Portal) registeredAgain(ctx context.Context, in RegisterInput, made store.Registration) (Registered, error) {
	var result Registered
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.madeFor(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if reason := BlockedBy(m, false, p.now()); reason != "" {
			return p.blocked(m, reason)
		}
		person, err := tx.PhoneByID(ctx, m.PhoneID)
		if err != nil {
			return err
		}
		result.Member = m
		return p.enterOwn(ctx, tx, in, person, &result, true)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// firstWayIn is by what somebody who registers signs in from now on: the identity of a ticket, which link then links,
// or a password, whose hash is "" for a person who has one.
func (p *Portal) firstWayIn(
	ctx context.Context, in RegisterInput, person store.Phone,
) (link func(*store.DB, store.Phone) error, hash string, err error) {
	if in.Ticket == "" {
		hash, err = p.firstPassword(ctx, person, in.Password, in.about())
		return func(*store.DB, store.Phone) error { return nil }, hash, err
	}
	who, err := p.openTicket(ctx, in.Ticket, holder{Flow: in.Flow})
	return func(tx *store.DB, person store.Phone) error {
		owner := personSubject(person)
		if err := p.endOlderAccess(ctx, tx, owner, keptAccess{}); err != nil {
			return err
		}
		_, err := p.link(ctx, tx, who, owner)
		return err
	}, "", err
}
