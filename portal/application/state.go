package application

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// ApplicationStatus is where an applicant stands with a company, for the form.
type ApplicationStatus struct {
	Setting   ApplicationSetting
	Applicant signin.Applicant // nobody until the phone is proven
	State     ApplicantState
	Last      store.Application // the last one, zero for none

	newest store.Application // the last one, also when the applicant declined the account
}

// ApplicationStatus reads where an applicant stands with a company; who may be nobody. It refuses with
// ApplicationsClosed or the reason why the company is blocked, except for applicants whose application is pending or
// approved; and with NotFound.
func (ap *Application) ApplicationStatus(
	ctx context.Context, companyID int64, who signin.Applicant,
) (ApplicationStatus, error) {
	setting, err := ap.ApplicationSetting(ctx, companyID)
	if err != nil {
		return ApplicationStatus{}, err
	}
	s := ApplicationStatus{Setting: setting, State: ApplicantNone}
	closed := ap.takesApplications(setting)
	if who.Company != companyID || who.Number == "" {
		return s, closed
	}
	s.Applicant = who
	if s.State, s.newest, err = ap.applicantStateOf(ctx, who.Number, companyID); err != nil {
		return s, err
	}
	s.Last = notDeclined(s.State, s.newest)
	if closed != nil && (s.State == ApplicantNone || s.State == ApplicantRejected) {
		return s, closed
	}
	return s, nil
}

// ApplicationView is an application with its company, the earlier ones of the same phone, and whom to ask.
type ApplicationView struct {
	store.Application
	Company  store.Company
	Earlier  []store.Application
	Contacts []access.Contact // whom the company lets applicants ask
	Whole    bool             // the phone was proven: everything may be shown
	SetUp    bool             // approved, and the account has been accepted or declined
	Closed   bool             // the company takes no applications now
}

// ApplicationByID reads an application by its id, which nobody can guess. Without a ticket of its phone it is not
// Whole: a link may be passed on, so it shows the state alone. It refuses with NotFound.
func (ap *Application) ApplicationByID(ctx context.Context, id int64, ticket string) (ApplicationView, error) {
	a, err := ap.db.ApplicationByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		err = access.NotFound
	}
	if err != nil {
		return ApplicationView{}, err
	}
	return ap.applicationView(ctx, a, ticket)
}

func (ap *Application) applicationView(
	ctx context.Context, a store.Application, ticket string,
) (ApplicationView, error) {
	c, err := ap.access.Companies.ByID(ctx, ap.db, a.CompanyID, ap.now())
	if err != nil {
		return ApplicationView{}, err
	}
	view := ApplicationView{
		Application: a, Company: *c, Contacts: ap.access.ContactsFor(access.ApplicationsClosed, *c),
		Closed: !c.ApplicationsOpen,
	}
	if who, err := ap.Applicant(ticket, a.CompanyID); err != nil || who.Number != a.Phone {
		view.Application = store.Application{ID: a.ID, CompanyID: a.CompanyID, State: a.State}
		return view, nil
	}
	view.Whole = true
	if a.AccountID != 0 {
		m, err := ap.db.MemberByID(ctx, a.CompanyID, a.AccountID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return view, err
		}
		view.SetUp = err == nil && (!m.Invited || m.DeclinedAt != 0)
	}
	view.Earlier, err = ap.otherApplications(ctx, a)
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

// notDeclined is the newest application of an applicant, or zero when the applicant declined the account it led to.
func notDeclined(state ApplicantState, newest store.Application) store.Application {
	if state == ApplicantNone {
		return store.Application{}
	}
	return newest
}

// applicantStateOf reads where a phone stands with a company, and its newest application, zero for none.
func (ap *Application) applicantStateOf(
	ctx context.Context, phone string, companyID int64,
) (state ApplicantState, newest store.Application, err error) {
	person, members, err := ap.access.Person(ctx, phone)
	if err != nil {
		return "", store.Application{}, err
	}
	a, err := ap.db.LastApplication(ctx, companyID, phone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", a, err
	}
	offers, err := ap.db.OffersIn(ctx, companyID, person.ID)
	if err != nil {
		return "", a, err
	}
	switch {
	case slices.ContainsFunc(offers, isCustomer):
		return ApplicantApproved, a, nil
	case slices.ContainsFunc(ap.access.InPlace(members, companyID), isCustomer):
		return ApplicantMember, a, nil
	case a.ID == 0:
		return ApplicantNone, a, nil
	case a.State == store.ApplicationApproved:
		m, err := ap.db.MemberByID(ctx, companyID, a.AccountID)
		if err == nil && m.DeclinedAt != 0 { // the applicant declined the account and may apply again
			return ApplicantNone, a, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", a, err
		}
	}
	return ApplicantState(a.State), a, nil
}
