package portal

import (
	"context"
	"errors"
	"time"

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
	Session Session
	Flow    string
	Version string // of the agreement as it was shown; "" where none was
	Lang    string
	Browser Browser
	Client  Client
}

// SandboxNames are the names of a sandbox, of the person in it and of the customer that orders there, in the person's
// language.
type SandboxNames struct{ Company, Person, Customer string }

// Experience is a sandbox that is open. Token is "" where the browser keeps its session; Ticket is an API client's.
type Experience struct {
	LoginResult
	CompanyID int64
	Ticket    string
}

// OpenExperience makes the person's sandbox of an industry, or finds the one there is, and signs the person in: a phone
// that nobody registered becomes a person without a password. The same proof again gives the same sandbox. Refused:
// malformed fields, CodeWrong, CodeExpired, PhoneBoundElsewhere.
func (p *Portal) OpenExperience(ctx context.Context, in ExperienceInput) (Experience, error) {
	if err := p.validateExperience(&in); err != nil {
		return Experience{}, err
	}
	if in.Session.ID != "" {
		return p.openExperience(ctx, in, madeBy{})
	}
	by := madeBy{p.proofID(ForExperience, in.Flow, in.Phone, in.Code), contentOf(decimal(in.Industry)), in.Phone, ForExperience}
	var result Experience
	err := p.onlyOnce(ctx, by, func() (err error) {
		result, err = p.openExperience(ctx, in, by)
		return err
	}, func(made store.Registration) (err error) {
		result, err = p.experienceAgain(ctx, in, made)
		return err
	})
	return result, err
}

func (p *Portal) validateExperience(in *ExperienceInput) error {
	fields := Fields{}
	if in.Session.ID == "" {
		fields = codeFields(&in.Phone, &in.Code)
	} else if in.Session.PhoneID == 0 {
		return &Refused{Refusal: WrongParameters}
	}
	if _, known := Samples(in.Industry); !known {
		fields["industry"] = IndustryRequired
	}
	if in.Client == "" && !in.Agree {
		fields["agree"] = AgreeRequired
	}
	if in.Name != "" {
		nameField(fields, &in.Name)
		in.Names.Person = in.Name
	}
	company, ok := NormalText(in.CompanyName, MaxCompanyName)
	if !ok {
		fields["company_name"] = CompanyMalformed
	} else if company != "" {
		in.Names.Company = company
	}
	return invalid(fields)
}

// errSandboxMade says that another request was faster to make the sandbox, or its person.
var errSandboxMade = errors.New("portal: the sandbox was made meanwhile")

func (p *Portal) openExperience(ctx context.Context, in ExperienceInput, by madeBy) (Experience, error) {
	result, err := p.tryExperience(ctx, in, by)
	if errors.Is(err, errSandboxMade) {
		result, err = p.tryExperience(ctx, in, by)
	}
	return result, err
}

func (p *Portal) tryExperience(ctx context.Context, in ExperienceInput, by madeBy) (Experience, error) {
	var proof codeProof
	var person store.Phone
	var err error
	if in.Session.ID == "" {
		if proof, err = p.proveCode(ctx, in.Phone, ForExperience, 0, in.Flow, targetPhone, in.Code); err != nil {
			return Experience{}, err
		}
		person, _, err = p.person(ctx, in.Phone)
	} else {
		person, err = p.db.PhoneByID(ctx, in.Session.PhoneID)
	}
	if err == nil {
		err = p.free(ctx, person)
	}
	if err != nil {
		return Experience{}, err
	}
	var result Experience
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := p.spendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		person, err := p.settlePerson(ctx, tx, in.Phone, person, "", "")
		if err != nil { // it became somebody else's meanwhile
			return errors.Join(err, errSandboxMade)
		}
		m, err := p.sandbox(ctx, tx, in, person)
		if err != nil {
			return err
		}
		if by.id != "" {
			if err := p.noteMade(ctx, tx, by, m); err != nil {
				return err
			}
		}
		if in.Version != "" {
			if err := p.accept(ctx, tx, signatory{PhoneID: person.ID, CompanyID: m.CompanyID}, in.Version, in.Lang); err != nil {
				return err
			}
		}
		return p.enterSandbox(ctx, tx, in, person, m, &result, false)
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}

// sandbox is the person's sandbox of an industry, by its administrator's account; made when there is none, or the one
// there is has ended.
func (p *Portal) sandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone,
) (store.Member, error) {
	now := p.now()
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
	return p.makeSandbox(ctx, tx, in, person)
}

// makeSandbox makes the company, its customer, and an account of the person on either side.
func (p *Portal) makeSandbox(
	ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone,
) (store.Member, error) {
	now := p.now()
	c := store.Company{
		Name: in.Names.Company, Language: in.Lang, Standing: store.Trial, EndsAt: store.At(now.Add(SandboxLife)), Mall: store.MallOpen,
		IndustryID: in.Industry, Sandbox: true, CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	var err error
	if c.ID, err = tx.AddCompany(ctx, c); err != nil {
		return store.Member{}, err
	}
	if fresh, err := tx.AddSandbox(ctx, store.Sandbox{PhoneID: person.ID, IndustryID: in.Industry, CompanyID: c.ID, CreatedAt: store.At(now)}); err != nil || !fresh {
		return store.Member{}, errors.Join(err, errSandboxMade)
	}
	client, err := tx.NewClient(ctx, store.Client{CompanyID: c.ID, Name: in.Names.Customer, Contact: in.Names.Person, State: store.ClientPartner, CreatedAt: store.At(now)})
	if err != nil {
		return store.Member{}, err
	}
	shop := store.Account{CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Name: in.Names.Person, PhoneID: person.ID, ClientID: client}
	if _, err := p.addOwnAccount(ctx, tx, shop, "try"); err != nil {
		return store.Member{}, err
	}
	id, err := p.addOwnAccount(ctx, tx, store.Account{CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Names.Person, PhoneID: person.ID}, "try")
	if err != nil {
		return store.Member{}, err
	}
	m, err := tx.MemberByID(ctx, c.ID, id)
	if err != nil {
		return m, err
	}
	return m, p.event(ctx, tx, "sandbox_opened", m, decimal(in.Industry))
}

// enterSandbox signs the person in: a browser with a session, an API client with a ticket; again, for a proof that
// was used before, one for the sandbox alone.
func (p *Portal) enterSandbox(ctx context.Context, tx *store.DB, in ExperienceInput, person store.Phone, m store.Member, result *Experience, again bool) (err error) {
	result.CompanyID = m.CompanyID
	if in.Client == "" {
		who := Subject{key: personKey(person.ID), phone: person}
		result.LoginResult, err = p.enterCompany(ctx, tx, in.Session, in.Browser, who, m.CompanyID, "experience")
		return err
	}
	result.Ticket = randomToken(32)
	s := p.newClientSession(ctx, in.Client, result.Ticket)
	s.PhoneID, s.ChosenCompanyID = person.ID, m.CompanyID
	if again {
		s.CompanyID = m.CompanyID
	}
	if err := tx.AddSession(ctx, p.asTicket(s)); err != nil {
		return err
	}
	return p.event(ctx, tx, "sign_in", m, "experience, "+string(in.Client))
}

// experienceAgain signs in once more to the sandbox that the same proof has opened.
func (p *Portal) experienceAgain(ctx context.Context, in ExperienceInput, made store.Registration) (Experience, error) {
	var result Experience
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.madeFor(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if !m.Company.Sandbox { // it was made the person's company since
			return &Refused{Refusal: CodeExpired}
		}
		person, err := tx.PhoneByID(ctx, m.PhoneID)
		if err != nil {
			return err
		}
		return p.enterSandbox(ctx, tx, in, person, m, &result, true)
	})
	if err != nil {
		return Experience{}, err
	}
	return result, nil
}
