package portal

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"

	"portico/store"
)

// Limits of an application.
const (
	// MaxPosition, MaxAddress, MaxReason and MaxRejectReason are in characters.
	MaxPosition     = 40
	MaxAddress      = 200
	MaxReason       = 500
	MaxRejectReason = 200
	// ApplicantLife is how long a proven phone may be used to apply (contract section 4: checkCode).
	ApplicantLife = 15 * time.Minute
	// ApplicationsADay is how often one phone may apply to one company in a day.
	ApplicationsADay = 5
)

// ApplicationFields are the fields a company may make required; the others always are.
var ApplicationFields = []string{"position", "region", "address", "reason", "licence", "contact_phone"}

// RegistrationSetting is how a company takes new customers, as anyone may see it.
type RegistrationSetting struct {
	Company  store.Company
	Open     bool
	Review   bool
	Required []string // of ApplicationFields
	Contacts []Contact
}

// Registration reads how a company takes new customers; NotFound.
func (p *Portal) Registration(ctx context.Context, companyID int64) (RegistrationSetting, error) {
	c, err := p.companies.byID(ctx, p.db, companyID, p.now())
	if errors.Is(err, store.ErrNotFound) {
		return RegistrationSetting{}, NotFound
	}
	if err != nil {
		return RegistrationSetting{}, err
	}
	return RegistrationSetting{
		Company: *c, Open: c.RegistrationOpen, Review: c.RegistrationReview, Required: strings.Fields(c.RegistrationRequired), Contacts: p.contactsFor(RegistrationClosed, *c),
	}, nil
}

// applicant is a proven phone that applies to a company.
type applicant struct {
	CompanyID int64  `json:"c"`
	Phone     string `json:"p"`
	Until     int64  `json:"u"` // Unix ms
}

// ApplicantInput proves the phone of somebody who wants to join a company.
type ApplicantInput struct {
	Phone     string `form:"phone" json:"phone_"`
	Code      string `form:"code" json:"code_"`
	CompanyID int64  `json:"company_id_"`

	Flow string
}

// ProveApplicant checks the code and gives a ticket, which proves the phone in this company for ApplicantLife. CodeWrong,
// CodeExpired, TooManyAttempts.
func (p *Portal) ProveApplicant(ctx context.Context, in ApplicantInput) (ticket string, err error) {
	fields := codeFields(&in.Phone, &in.Code)
	if in.CompanyID == 0 {
		fields["company_id"] = ChoiceRequired
	}
	if err := invalid(fields); err != nil {
		return "", err
	}
	proof, err := p.proveCode(ctx, in.Phone, ForApplication, in.CompanyID, in.Flow, targetPhone, in.Code)
	if err != nil {
		return "", err
	}
	if err := p.db.Tx(ctx, func(tx *store.DB) error { return p.spend(ctx, tx, proof) }); err != nil {
		return "", err
	}
	return p.seal("applicant", applicant{CompanyID: in.CompanyID, Phone: in.Phone, Until: p.now().Add(ApplicantLife).UnixMilli()})
}

// Applicant is the phone a ticket proves in a company; CodeExpired for one that is none, too old, or another company's.
func (p *Portal) Applicant(ticket string, companyID int64) (phone string, err error) {
	var who applicant
	if p.unseal("applicant", ticket, &who) != nil || who.Until < p.now().UnixMilli() || who.CompanyID != companyID {
		return "", &Refused{Refusal: CodeExpired}
	}
	return who.Phone, nil
}

// ApplyInput is an application as it is sent in. Ticket proves the phone.
type ApplyInput struct {
	CompanyID    int64  `json:"company_id_"`
	Ticket       string `form:"ticket" json:"ticket_"`
	CompanyName  string `form:"company_name" json:"company_name_"`
	ContactName  string `form:"contact_name" json:"contact_name_"`
	Position     string `form:"position" json:"position_"`
	Province     string `form:"province" json:"province_"`
	City         string `form:"city" json:"city_"`
	District     string `form:"district" json:"district_"`
	Address      string `form:"address" json:"address_"`
	Reason       string `form:"reason" json:"reason_"`
	ContactPhone string `form:"contact_phone" json:"contact_phone_"`

	Lang string
}

// Apply sends an application in. Where the company asks for no review it is approved at once. Refused: RegistrationClosed
// and what blocks the company, CodeExpired without a good ticket, malformed fields, ApplicationExists while one is pending,
// PhoneRegistered for a member, TooManyAttempts past ApplicationsADay.
func (p *Portal) Apply(ctx context.Context, in ApplyInput) (store.Application, error) {
	setting, err := p.Registration(ctx, in.CompanyID)
	if err != nil {
		return store.Application{}, err
	}
	if err := p.takesApplications(setting); err != nil {
		return store.Application{}, err
	}
	phone, err := p.Applicant(in.Ticket, in.CompanyID)
	if err != nil {
		return store.Application{}, err
	}
	a, err := in.application(setting)
	if err != nil {
		return store.Application{}, err
	}
	a.Phone, a.ID, a.CreatedAt = phone, newApplicationID(), store.At(p.now())
	_, members, err := p.person(ctx, phone)
	if err != nil {
		return store.Application{}, err
	}
	if slices.ContainsFunc(p.inPlace(members, in.CompanyID), isCustomer) {
		return store.Application{}, &Refused{Refusal: PhoneRegistered}
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		fresh, err := tx.AddApplication(ctx, a)
		if err == nil && !fresh {
			err = &Refused{Refusal: ApplicationExists}
		}
		if err != nil {
			return err
		}
		if err := p.countUpTo(ctx, tx, "applications:"+decimal(a.CompanyID)+":"+p.codeSubject(a.Phone), ApplicationsADay, day); err != nil {
			return err
		}
		if err := p.event(ctx, tx, "application_sent", store.Member{Account: store.Account{CompanyID: a.CompanyID}}, decimal(a.ID)); err != nil || setting.Review {
			return err
		}
		a, err = p.approve(ctx, tx, a, 0)
		return err
	})
	if err != nil {
		return store.Application{}, err
	}
	if a.State == store.ApplicationApproved {
		p.tell(ctx, a.Phone, NoticeApproved, a.Lang, setting.Company)
	}
	return a, nil
}

func isCustomer(m store.Member) bool { return m.Side == store.Shop }

// takesApplications refuses where a company is closed to them, or blocked.
func (p *Portal) takesApplications(s RegistrationSetting) error {
	if reason := BlockedBy(store.Member{Company: s.Company}, false, p.now()); reason != "" {
		return &Refused{Refusal: reason}
	}
	if !s.Open {
		return &Refused{Refusal: RegistrationClosed, Contacts: s.Contacts}
	}
	return nil
}

// newApplicationID draws an id of 52 random bits, which programs that count in doubles can hold.
func newApplicationID() int64 {
	n, err := rand.Int(rand.Reader, big.NewInt(1<<52))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return 1<<52 | n.Int64()
}

// application judges the fields and puts them into their one spelling.
func (in *ApplyInput) application(s RegistrationSetting) (store.Application, error) {
	fields := Fields{}
	required := func(name string) bool { return slices.Contains(s.Required, name) }
	line := func(name, typed string, longest int, must bool, missing, malformed Problem) string {
		text, ok := NormalText(typed, longest)
		switch {
		case !ok:
			fields[name] = malformed
		case text == "" && must:
			fields[name] = missing
		}
		return text
	}
	a := store.Application{CompanyID: in.CompanyID, State: store.ApplicationPending, Lang: in.Lang}
	a.CompanyName = line("company_name", in.CompanyName, MaxCompanyName, true, CompanyRequired, CompanyMalformed)
	a.ContactName = line("contact_name", in.ContactName, MaxName, true, NameRequired, NameMalformed)
	a.Position = line("position", in.Position, MaxPosition, required("position"), FieldRequired, TextMalformed)
	a.Address = line("address", in.Address, MaxAddress, required("address"), FieldRequired, TextMalformed)
	a.Reason = line("reason", in.Reason, MaxReason, required("reason"), FieldRequired, TextMalformed)
	a.Province, a.City, a.District = in.Province, in.City, in.District
	if none := in.Province+in.City+in.District == ""; none && required("region") || !none && !ValidRegion(in.Province, in.City, in.District) {
		fields["province"] = RegionRequired
	}
	if strings.TrimSpace(in.ContactPhone) != "" || required("contact_phone") {
		for _, problem := range phoneFields(&in.ContactPhone) {
			fields["contact_phone"] = problem
		}
		a.ContactPhone = in.ContactPhone
	}
	return a, invalid(fields)
}

// ApplicationView is an application with its company, the earlier ones of the same phone, and whom to ask.
type ApplicationView struct {
	store.Application
	Company  store.Company
	Earlier  []store.Application
	Contacts []Contact
	Whole    bool // the phone was proven: everything may be shown
}

// ApplicationByID reads an application by its id, which nobody can guess: without a ticket of its phone little of it may be
// shown (requirement 13). NotFound.
func (p *Portal) ApplicationByID(ctx context.Context, id int64, ticket string) (ApplicationView, error) {
	a, err := p.db.ApplicationByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = NotFound
	}
	if err != nil {
		return ApplicationView{}, err
	}
	return p.applicationView(ctx, a, ticket)
}

func (p *Portal) applicationView(ctx context.Context, a store.Application, ticket string) (ApplicationView, error) {
	c, err := p.companies.byID(ctx, p.db, a.CompanyID, p.now())
	if err != nil {
		return ApplicationView{}, err
	}
	view := ApplicationView{Application: a, Company: *c}
	if phone, err := p.Applicant(ticket, a.CompanyID); err != nil || phone != a.Phone {
		view.Application = store.Application{ID: a.ID, CompanyID: a.CompanyID, State: a.State}
		return view, nil
	}
	view.Whole, view.Contacts = true, p.contactsFor(RegistrationClosed, *c)
	all, err := p.db.ApplicationsOfPhone(ctx, a.CompanyID, a.Phone)
	view.Earlier = slices.DeleteFunc(all, func(other store.Application) bool { return other.ID == a.ID })
	return view, err
}

// ApplicantState is where a phone stands with a company.
type ApplicantState string

// The states: member has an account there.
const (
	ApplicantNone     ApplicantState = "none"
	ApplicantPending  ApplicantState = "pending"
	ApplicantApproved ApplicantState = "approved"
	ApplicantRejected ApplicantState = "rejected"
	ApplicantMember   ApplicantState = "member"
)

// WhereApplicantStands says where a phone stands with a company, and what it sent in last, zero for nothing. It draws on the
// address's budget of look-ups (requirement 12); strict tells everyone "none" without a ticket.
func (p *Portal) WhereApplicantStands(ctx context.Context, in PhoneInput, ticket string) (ApplicantState, store.Application, error) {
	if err := in.Validate(); err != nil {
		return "", store.Application{}, err
	}
	if in.CompanyID == 0 {
		return "", store.Application{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	proven, err := p.Applicant(ticket, in.CompanyID)
	if err != nil || proven != in.Phone {
		if err := p.probed(ctx, "phone:"+in.Phone); err != nil || p.strict {
			return ApplicantNone, store.Application{}, err
		}
	}
	_, members, err := p.person(ctx, in.Phone)
	if err != nil {
		return "", store.Application{}, err
	}
	a, err := p.db.LastApplication(ctx, in.CompanyID, in.Phone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", a, err
	}
	invited := func(m store.Member) bool { return m.Invited }
	own := slices.DeleteFunc(p.inPlace(members, in.CompanyID), func(m store.Member) bool { return !isCustomer(m) })
	switch {
	case len(own) > 0 && !slices.ContainsFunc(own, invited):
		return ApplicantMember, a, nil
	case a.ID == 0:
		return ApplicantNone, a, nil
	}
	return ApplicantState(a.State), a, nil
}
