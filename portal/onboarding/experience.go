package onboarding

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/replay"
	"portico/portal/samples"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

// SandboxLife is how long a sandbox may be tried before the janitor removes it.
const SandboxLife = 7 * 24 * time.Hour

// ExperienceInput opens a sandbox: a company of an industry in which one person is both sides. A phone is proven by its
// code, or by being signed in. Names are what the sandbox is called where the person does not say.
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
	Version string // of the agreement as it was shown; "" where none was
	Lang    string
	Browser access.Browser
	Client  access.Client
}

// SandboxNames are the names of a sandbox, of the person in it and of the customer that orders there, in the person's
// language.
type SandboxNames struct{ Company, Person, Customer string }

// Experience is a sandbox that is open. Token is "" where the browser keeps its session; Ticket is an API client's.
type Experience struct {
	signin.LoginResult
	CompanyID int64
	Ticket    string
}

// OpenExperience makes the person's sandbox of an industry, or finds the one there is, and signs the person in: a phone
// that nobody registered becomes a person without a password. The same proof again gives the same sandbox. Refused:
// malformed fields, CodeWrong, CodeExpired, PhoneBoundElsewhere.
func (o *Onboarding) OpenExperience(ctx context.Context, in ExperienceInput) (Experience, error) {
	if err := o.validateExperience(&in); err != nil {
		return Experience{}, err
	}
	if in.Session.ID != "" {
		return o.openExperience(ctx, in, replay.MadeBy{})
	}
	by := replay.MadeBy{
		Id:      o.replay.ProofID(verification.ForExperience, in.Flow, in.Phone, in.Code),
		Content: replay.ContentOf(access.Decimal(in.Industry)),
		Phone:   in.Phone, Purpose: verification.ForExperience,
	}
	var result Experience
	err := o.replay.OnlyOnce(ctx, by, func() (err error) {
		result, err = o.openExperience(ctx, in, by)
		return err
	}, func(made store.Registration) (err error) {
		result, err = o.experienceAgain(ctx, in, made)
		return err
	})
	return result, err
}

func (o *Onboarding) validateExperience(in *ExperienceInput) error {
	fields := access.Fields{}
	if in.Session.ID == "" {
		fields = verification.CodeFields(&in.Phone, &in.Code)
	} else if in.Session.PhoneID == 0 {
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

// errSandboxMade says that another request was faster to make the sandbox, or its person.
var errSandboxMade = errors.New("portal: the sandbox was made meanwhile")

func (o *Onboarding) openExperience(ctx context.Context, in ExperienceInput, by replay.MadeBy) (Experience, error) {
	result, err := o.tryExperience(ctx, in, by)
	if errors.Is(err, errSandboxMade) {
		result, err = o.tryExperience(ctx, in, by)
	}
	return result, err
}

func (o *Onboarding) tryExperience(ctx context.Context, in ExperienceInput, by replay.MadeBy) (Experience, error) {
	var proof verification.CodeProof
	var person store.Phone
	var err error
	if in.Session.ID == "" {
		if proof, err = o.verification.ProveCode(
			ctx, in.Phone, verification.ForExperience, 0, in.Flow, verification.TargetPhone, in.Code,
		); err != nil {
			return Experience{}, err
		}
		person, _, err = o.access.Person(ctx, in.Phone)
	} else {
		person, err = o.db.PhoneByID(ctx, in.Session.PhoneID)
	}
	if err == nil {
		err = o.free(ctx, person)
	}
	if err != nil {
		return Experience{}, err
	}
	var result Experience
	err = o.db.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := o.replay.SpendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		person, err := o.settlePerson(ctx, tx, in.Phone, person, "", "")
		if err != nil { // it became somebody else's meanwhile
			return errors.Join(err, errSandboxMade)
		}
		m, err := o.sandbox(ctx, tx, in, person)
		if err != nil {
			return err
		}
		if by.Id != "" {
			if err := o.replay.NoteMade(ctx, tx, by, m); err != nil {
				return err
			}
		}
		if in.Version != "" {
			if err := o.accounts.Accept(
				ctx, tx, accounts.Signatory{PhoneID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang,
			); err != nil {
				return err
			}
		}
		return o.enterSandbox(ctx, tx, in, person, m, &result, false)
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}

// sandbox is the person's sandbox of an industry, by its administrator's account; made when there is none, or the one
// there is has ended.
func (o *Onboarding) sandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone,
) (store.Member, error) {
	now := o.now()
	members, err := tx.MembersByPhone(ctx, person.ID)
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
		err := tx.RemoveSandbox(ctx, m.CompanyID, store.At(now))
		if errors.Is(err, store.ErrNotFound) { // the janitor was faster
			err = errSandboxMade
		}
		if err != nil {
			return m, err
		}
	}
	return o.makeSandbox(ctx, tx, in, person)
}

// makeSandbox makes the company, its customer, and an account of the person on either side.
func (o *Onboarding) makeSandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone,
) (store.Member, error) {
	now := o.now()
	c := store.Company{
		Name: in.Names.Company, Language: in.Lang, Standing: store.Trial, EndsAt: store.At(now.Add(SandboxLife)),
		Mall:       store.MallOpen,
		IndustryID: in.Industry, Sandbox: true, CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	var err error
	if c.ID, err = tx.AddCompany(ctx, c); err != nil {
		return store.Member{}, err
	}
	if fresh, err := tx.AddSandbox(ctx, store.Sandbox{
		PhoneID: person.ID, IndustryID: in.Industry, CompanyID: c.ID, CreatedAt: store.At(now),
	}); err != nil || !fresh {
		return store.Member{}, errors.Join(err, errSandboxMade)
	}
	client, err := tx.NewClient(ctx, store.Client{
		CompanyID: c.ID, Name: in.Names.Customer, Contact: in.Names.Person, State: store.ClientPartner,
		CreatedAt: store.At(now),
	})
	if err != nil {
		return store.Member{}, err
	}
	shop := store.Account{
		CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Name: in.Names.Person, PhoneID: person.ID,
		ClientID: client,
	}
	if _, err := o.accounts.AddOwnAccount(ctx, tx, shop, "try"); err != nil {
		return store.Member{}, err
	}
	id, err := o.accounts.AddOwnAccount(
		ctx, tx,
		store.Account{
			CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Names.Person, PhoneID: person.ID,
		}, "try",
	)
	if err != nil {
		return store.Member{}, err
	}
	m, err := tx.MemberByID(ctx, c.ID, id)
	if err != nil {
		return m, err
	}
	return m, o.access.Event(ctx, tx, "sandbox_opened", m, access.Decimal(in.Industry))
}

// enterSandbox signs the person in: a browser with a session, an API client with a ticket; again, for a proof that
// was used before, one for the sandbox alone.
func (o *Onboarding) enterSandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone, m store.Member, result *Experience,
	again bool,
) (err error) {
	result.CompanyID = m.CompanyID
	if in.Client == "" {
		who := access.Subject{Key: access.PersonKey(person.ID), Phone: person}
		result.LoginResult, err = o.enterCompany(ctx, tx, in.Session, in.Browser, who, m.CompanyID, "experience")
		return err
	}
	result.Ticket = access.RandomToken(32)
	s := o.sessions.NewClientSession(ctx, in.Client, result.Ticket)
	s.PhoneID, s.ChosenCompanyID = person.ID, m.CompanyID
	if again {
		s.CompanyID = m.CompanyID
	}
	if err := tx.AddSession(ctx, o.sessions.AsTicket(s)); err != nil {
		return err
	}
	return o.access.Event(ctx, tx, "sign_in", m, "experience, "+string(in.Client))
}

// experienceAgain signs in once more to the sandbox that the same proof has opened.
func (o *Onboarding) experienceAgain(
	ctx context.Context, in ExperienceInput, made store.Registration,
) (Experience, error) {
	var result Experience
	err := o.db.Tx(ctx, func(tx *store.DB) error {
		m, err := o.replay.MadeFor(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if !m.Company.Sandbox { // it was made the person's company since
			return &access.Refused{Refusal: access.CodeExpired}
		}
		person, err := tx.PhoneByID(ctx, m.PhoneID)
		if err != nil {
			return err
		}
		return o.enterSandbox(ctx, tx, in, person, m, &result, true)
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}
