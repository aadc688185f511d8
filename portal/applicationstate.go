package portal

import (
	"context"
	"errors"
	"slices"

	"portico/store"
)

// Applying is where somebody who wants to join a company stands: Phone is "" until it is proven.
type Applying struct {
	Setting RegistrationSetting
	Phone   string
	State   ApplicantState
	Last    store.Application // what the phone sent in last, zero for nothing
	Draft   ApplyInput
}

// Applying reads it by the ticket of the phone, "" for none. Refused where the company takes no applications, but for those
// whose application waits or was approved; NotFound.
func (p *Portal) Applying(ctx context.Context, companyID int64, ticket string) (Applying, error) {
	setting, err := p.Registration(ctx, companyID)
	if err != nil {
		return Applying{}, err
	}
	now := Applying{Setting: setting, State: ApplicantNone}
	closed := p.takesApplications(setting)
	phone, err := p.Applicant(ticket, companyID)
	if err != nil {
		return now, closed
	}
	now.Phone = phone
	if now.State, now.Last, err = p.WhereApplicantStands(ctx, PhoneInput{Phone: phone, CompanyID: companyID}, ticket); err != nil {
		return now, err
	}
	if closed != nil && (now.State == ApplicantNone || now.State == ApplicantRejected) {
		return now, closed
	}
	now.Draft, err = p.Draft(ctx, ticket, companyID)
	return now, err
}

// ApplicationView is an application with its company, the earlier ones of the same phone, and whom to ask.
type ApplicationView struct {
	store.Application
	Company  store.Company
	Earlier  []store.Application
	Contacts []Contact // whom the company lets applicants ask
	Whole    bool      // the phone was proven: everything may be shown
	SetUp    bool      // approved, and the account has been accepted or declined
	Closed   bool      // the company takes no applications now
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

// ProveApplicantOf is ProveApplicant for whoever wants to read an application: PhoneNotApplicant under "phone" for a number
// that did not send it in.
func (p *Portal) ProveApplicantOf(ctx context.Context, in ApplicantInput, id int64) (ticket string, err error) {
	if ticket, err = p.ProveApplicant(ctx, in); err != nil {
		return "", err
	}
	a, err := p.db.ApplicationOf(ctx, in.CompanyID, id)
	if errors.Is(err, store.ErrNotFound) {
		return "", NotFound
	}
	if number, _ := NormalPhone(in.Phone); err == nil && a.Phone != number {
		err = invalid(Fields{"phone": PhoneNotApplicant})
	}
	return ticket, err
}

func (p *Portal) applicationView(ctx context.Context, a store.Application, ticket string) (ApplicationView, error) {
	c, err := p.companies.byID(ctx, p.db, a.CompanyID, p.now())
	if err != nil {
		return ApplicationView{}, err
	}
	view := ApplicationView{Application: a, Company: *c, Contacts: p.contactsFor(RegistrationClosed, *c), Closed: !c.RegistrationOpen}
	if phone, err := p.Applicant(ticket, a.CompanyID); err != nil || phone != a.Phone {
		view.Application = store.Application{ID: a.ID, CompanyID: a.CompanyID, State: a.State}
		return view, nil
	}
	view.Whole = true
	if a.AccountID != 0 {
		m, err := p.db.MemberByID(ctx, a.CompanyID, a.AccountID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return view, err
		}
		view.SetUp = err == nil && (!m.Invited || m.DeclinedAt != 0)
	}
	view.Earlier, err = p.otherApplications(ctx, a)
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
	return p.standing(ctx, in.Phone, in.CompanyID)
}

// standing reads where a phone stands with a company.
func (p *Portal) standing(ctx context.Context, phone string, companyID int64) (ApplicantState, store.Application, error) {
	person, members, err := p.person(ctx, phone)
	if err != nil {
		return "", store.Application{}, err
	}
	a, err := p.db.LastApplication(ctx, companyID, phone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", a, err
	}
	offers, err := p.db.OffersIn(ctx, companyID, person.ID)
	if err != nil {
		return "", a, err
	}
	switch {
	case slices.ContainsFunc(offers, isCustomer):
		return ApplicantApproved, a, nil
	case slices.ContainsFunc(p.inPlace(members, companyID), isCustomer):
		return ApplicantMember, a, nil
	case a.ID == 0:
		return ApplicantNone, a, nil
	case a.State == store.ApplicationApproved:
		m, err := p.db.MemberByID(ctx, companyID, a.AccountID)
		if err == nil && m.DeclinedAt != 0 { // the applicant declined the account and may apply again
			return ApplicantNone, store.Application{}, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", a, err
		}
	}
	return ApplicantState(a.State), a, nil
}
