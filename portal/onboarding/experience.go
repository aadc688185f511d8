package onboarding

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/store"
)

// SandboxLife is how long a sandbox works before the janitor removes it.
const SandboxLife = 7 * 24 * time.Hour

// ExperienceInput opens a sandbox: a company of an industry in which one person has an account on both sides. The phone
// is proved by Code, or by a signed-in Session. Names are used for the names that the person does not enter.
type ExperienceInput struct {
	Phone       string `form:"phone" json:"phone_"`
	Code        string `form:"code" json:"code_"`
	Industry    int64  `form:"industry" json:"industry_id_"`
	Name        string `json:"name_"`
	CompanyName string `json:"company_name_"`
	Agree       bool   `form:"agree"`

	Names   SandboxNames
	Session access.Session
	Flow    string
	Version string // the version of the agreement that was shown, "" when none was
	Lang    string
	Browser access.Browser
	Client  access.Client

	again bool // the proof was used before
}

// SandboxNames are the default names of a sandbox's company, person and customer, in the person's language.
type SandboxNames struct{ Company, Person, Customer string }

// Experience is an open sandbox, with the session of a browser (Token is "" when the browser keeps its session), or the
// Ticket of an API client.
type Experience struct {
	signin.LoginResult
	CompanyID int64
	Ticket    string
}

// OpenExperience adds the person's sandbox of an industry, or finds the existing one, and signs the person in. It adds
// a person without a password for an unknown phone. The same proof again returns the same sandbox. It refuses malformed
// fields; with CodeWrong and CodeExpired; with PhoneBoundElsewhere; and with WrongParameters a session that is not a
// person's.
func (o *Onboarding) OpenExperience(ctx context.Context, in ExperienceInput) (Experience, error) {
	if err := o.validateExperience(&in); err != nil {
		return Experience{}, err
	}
	if in.Session.ID != "" {
		return o.openExperience(ctx, in, core.MadeBy{})
	}
	by := core.MadeBy{
		ID:      o.core.Replay.ProofID(core.ForExperience, in.Flow, in.Phone, in.Code),
		Content: core.ContentHash(access.Decimal(in.Industry)),
		Phone:   in.Phone, Purpose: core.ForExperience,
	}
	var result Experience
	err := o.core.Replay.OnlyOnce(ctx, by, func() (err error) {
		result, err = o.openExperience(ctx, in, by)
		return err
	}, func(made store.Registration) (err error) {
		result, err = o.experienceAgain(ctx, in, made)
		return err
	})
	return result, err
}

// validateExperience normalises and checks the input.
func (o *Onboarding) validateExperience(in *ExperienceInput) error {
	fields := access.Fields{}
	if in.Session.ID == "" {
		fields = core.CodeFields(&in.Phone, &in.Code)
	} else if in.Session.PersonID == 0 {
		return &access.Refused{Refusal: access.WrongParameters}
	}
	if _, known := samples.Samples(in.Industry); !known {
		fields["industry"] = access.IndustryRequired
	}
	if in.Client == "" && !in.Agree {
		fields["agree"] = access.AgreeRequired
	}
	if in.Name != "" {
		access.NameField(fields, &in.Name)
		in.Names.Person = in.Name
	}
	company, ok := access.NormalText(in.CompanyName, access.MaxCompanyName)
	if !ok {
		fields["company_name"] = access.CompanyMalformed
	} else if company != "" {
		in.Names.Company = company
	}
	return access.Invalid(fields)
}

// errSandboxMade is the error when another request has added the sandbox or its person meanwhile.
var errSandboxMade = errors.New("portal: the sandbox was made meanwhile")

// openExperience opens the sandbox, and tries again once when another request was faster.
func (o *Onboarding) openExperience(ctx context.Context, in ExperienceInput, by core.MadeBy) (Experience, error) {
	result, err := o.tryExperience(ctx, in, by)
	if errors.Is(err, errSandboxMade) {
		result, err = o.tryExperience(ctx, in, by)
	}
	return result, err
}

func (o *Onboarding) tryExperience(ctx context.Context, in ExperienceInput, by core.MadeBy) (Experience, error) {
	var proof core.CodeProof
	var person store.Person
	var err error
	if in.Session.ID == "" {
		if proof, err = o.core.Verification.ProveCode(ctx, core.TypedCode{
			Phone: in.Phone, Purpose: core.ForExperience, Flow: in.Flow, Target: core.TargetPhone, Code: in.Code,
		}); err != nil {
			return Experience{}, err
		}
		person, _, err = o.core.Access.Person(ctx, in.Phone)
	} else {
		person, err = o.core.DB.Persons.ByID(ctx, in.Session.PersonID)
	}
	if err == nil {
		err = o.requireFree(ctx, person)
	}
	if err != nil {
		return Experience{}, err
	}
	var result Experience
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := o.core.Replay.SpendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		person, err := o.settlePerson(ctx, tx, in.Phone, person, "", "")
		if err != nil { // another request has added the person, or the number was given to another person
			return errors.Join(err, errSandboxMade)
		}
		m, err := o.sandbox(ctx, tx, in, person)
		if err != nil {
			return err
		}
		if by.ID != "" {
			if err := o.core.Replay.NoteMade(ctx, tx, by, m); err != nil {
				return err
			}
		}
		if in.Version != "" {
			if err := o.accounts.Agreements.Record(
				ctx, tx, signin.Signatory{PersonID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang,
			); err != nil {
				return err
			}
		}
		result, err = o.enterSandbox(ctx, tx, in, person, m)
		return err
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}

// sandbox returns the administrator's account of the person's sandbox of an industry. It adds the sandbox when there is
// none, or the existing one has expired.
func (o *Onboarding) sandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Person,
) (store.Member, error) {
	now := o.core.Now()
	members, err := tx.Accounts.ByPerson(ctx, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	for _, m := range members {
		if !m.Company.Sandbox || m.Company.IndustryID != in.Industry || m.Side != store.Mgr {
			continue
		}
		if m.Company.EndsAt > store.At(now) {
			return m, nil
		}
		err := tx.Sandboxes.Remove(ctx, m.CompanyID, store.At(now))
		if errors.Is(err, store.ErrNotFound) { // the janitor was faster
			err = errSandboxMade
		}
		if err != nil {
			return m, err
		}
	}
	return o.makeSandbox(ctx, tx, in, person)
}

// makeSandbox adds the company, its customer, and an account of the person on each side. It returns the
// administrator's.
func (o *Onboarding) makeSandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Person,
) (store.Member, error) {
	now := o.core.Now()
	c := store.Company{
		Name: in.Names.Company, Language: in.Lang, Standing: store.Trial, EndsAt: store.At(now.Add(SandboxLife)),
		Mall:       store.MallOpen,
		IndustryID: in.Industry, Sandbox: true, CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	var err error
	if c.ID, err = tx.Companies.Add(ctx, c); err != nil {
		return store.Member{}, err
	}
	if fresh, err := tx.Sandboxes.Add(ctx, store.Sandbox{
		PersonID: person.ID, IndustryID: in.Industry, CompanyID: c.ID, CreatedAt: store.At(now),
	}); err != nil || !fresh {
		return store.Member{}, errors.Join(err, errSandboxMade)
	}
	client, err := tx.Clients.Add(ctx, store.Client{
		CompanyID: c.ID, Name: in.Names.Customer, Contact: in.Names.Person, State: store.ClientPartner,
		CreatedAt: store.At(now),
	})
	if err != nil {
		return store.Member{}, err
	}
	shop := store.Account{
		CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Name: in.Names.Person, PersonID: person.ID,
		ClientID: client,
	}
	if _, err := o.accounts.AddOwnAccount(ctx, tx, shop, "try"); err != nil {
		return store.Member{}, err
	}
	id, err := o.accounts.AddOwnAccount(
		ctx, tx,
		store.Account{
			CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Names.Person, PersonID: person.ID,
		}, "try",
	)
	if err != nil {
		return store.Member{}, err
	}
	m, err := tx.Accounts.ByID(ctx, c.ID, id)
	if err != nil {
		return m, err
	}
	return m, o.core.Access.Event(ctx, tx, "sandbox_opened", m, access.Decimal(in.Industry))
}

// enterSandbox signs a browser in with a session, and an API client with a ticket. For a proof that was used before,
// the ticket is valid for the sandbox alone.
func (o *Onboarding) enterSandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Person, m store.Member,
) (Experience, error) {
	result := Experience{CompanyID: m.CompanyID}
	if in.Client == "" {
		who := access.Subject{Key: access.PersonKey(person.ID), Person: person}
		var err error
		by := arrival{in.Session, in.Browser, who, "experience"}
		result.LoginResult, err = o.enterCompany(ctx, tx, m.CompanyID, by)
		return result, err
	}
	result.Ticket = access.RandomToken(32)
	s := o.core.Sessions.NewClientSession(ctx, in.Client, result.Ticket)
	s.PersonID, s.ChosenCompanyID = person.ID, m.CompanyID
	if in.again {
		s.CompanyID = m.CompanyID
	}
	if err := tx.Sessions.Add(ctx, o.core.Sessions.AsTicket(s)); err != nil {
		return Experience{}, err
	}
	return result, o.core.Access.Event(ctx, tx, "sign_in", m, "experience, "+string(in.Client))
}

// experienceAgain signs in again to the sandbox that the same proof opened.
func (o *Onboarding) experienceAgain(
	ctx context.Context, in ExperienceInput, made store.Registration,
) (Experience, error) {
	var result Experience
	err := o.core.DB.Tx(ctx, func(tx *store.DB) error {
		m, err := o.core.Replay.CreatedAccount(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if !m.Company.Sandbox { // it has become the person's company
			return &access.Refused{Refusal: access.CodeExpired}
		}
		person, err := tx.Persons.ByID(ctx, m.PersonID)
		if err != nil {
			return err
		}
		in.again = true
		result, err = o.enterSandbox(ctx, tx, in, person, m)
		return err
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}
