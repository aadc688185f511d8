package application

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
)

// ApplicationStatus is the state of an applicant with a company, for the page with the form.
type ApplicationStatus struct {
	Setting   ApplicationSetting
	Applicant signin.Applicant // the zero value until the phone is proved
	State     ApplicantState
	Last      store.Application // the last application, zero for none and when the applicant declined the account

	newest store.Application // the last application, also when the applicant declined the account
}

// ApplicationStatus reads the state of an applicant with a company; who is the zero value before the phone is proved.
// It refuses with ApplicationsClosed or the reason why the company is blocked, unless the applicant has a pending or
// approved application; and with NotFound an unknown company.
func (ap *Application) ApplicationStatus(
	ctx context.Context, companyID int64, who signin.Applicant,
) (ApplicationStatus, error) {
	setting, err := ap.ApplicationSetting(ctx, companyID)
	if err != nil {
		return ApplicationStatus{}, err
	}
	s := ApplicationStatus{Setting: setting, State: ApplicantNone}
	closed := ap.requireOpen(setting)
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

// ApplicationView is an application with its company, the earlier applications of the same phone, and the contacts for
// questions.
type ApplicationView struct {
	store.Application
	Company   store.Company
	Earlier   []store.Application
	Contacts  []access.Contact // the people whom applicants may call
	AllFields bool             // the phone was proved: everything may be shown
	SetUp     bool             // approved, and the account has been accepted or declined
	Closed    bool             // the company accepts no applications now
}

// ApplicationByID reads an application by its id, which cannot be guessed. Without a ticket of its phone it returns the
// state alone, not AllFields, because a link may be passed on. It refuses with NotFound an unknown id.
func (ap *Application) ApplicationByID(ctx context.Context, id int64, ticket string) (ApplicationView, error) {
	a, err := ap.core.DB.Applications.ByID(ctx, id)
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
	c, err := ap.core.Access.Companies.ByID(ctx, ap.core.DB, a.CompanyID, ap.core.Now())
	if err != nil {
		return ApplicationView{}, err
	}
	view := ApplicationView{
		Application: a, Company: *c, Contacts: ap.core.Access.ContactsFor(access.ApplicationsClosed, *c),
		Closed: !c.ApplicationsOpen,
	}
	if who, err := ap.Applicant(ticket, a.CompanyID); err != nil || who.Number != a.Phone {
		view.Application = store.Application{ID: a.ID, CompanyID: a.CompanyID, State: a.State}
		return view, nil
	}
	view.AllFields = true
	view.Contacts, err = access.ContactsForOwn(
		ctx, ap.core.Access, ap.core.DB, store.Member{Company: *c, Phone: a.Phone}, access.ApplicationsClosed,
	)
	if err != nil {
		return view, err
	}
	if a.AccountID != 0 {
		m, err := ap.core.DB.Accounts.ByID(ctx, a.CompanyID, a.AccountID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return view, err
		}
		view.SetUp = err == nil && (!m.Invited || m.DeclinedAt != 0)
	}
	view.Earlier, err = ap.otherApplications(ctx, a)
	return view, err
}

// ApplicantState is the state of a phone with a company.
type ApplicantState string

const (
	// ApplicantNone is a phone without an application, or one that declined the account it was offered.
	ApplicantNone ApplicantState = "none"
	// ApplicantPending is a phone with an application that is not decided.
	ApplicantPending ApplicantState = "pending"
	// ApplicantApproved is a phone with an account that it has not accepted yet.
	ApplicantApproved ApplicantState = "approved"
	// ApplicantRejected is a phone with a rejected application. It may apply again.
	ApplicantRejected ApplicantState = "rejected"
	// ApplicantMember is a phone with a customer's account in the company.
	ApplicantMember ApplicantState = "member"
)

// notDeclined returns the newest application of an applicant, or zero when the applicant declined the offered account.
func notDeclined(state ApplicantState, newest store.Application) store.Application {
	if state == ApplicantNone {
		return store.Application{}
	}
	return newest
}

// applicantStateOf reads the state of a phone with a company, and its newest application, zero for none.
func (ap *Application) applicantStateOf(
	ctx context.Context, phone string, companyID int64,
) (state ApplicantState, newest store.Application, err error) {
	person, members, err := ap.core.Access.Person(ctx, phone)
	if err != nil {
		return "", store.Application{}, err
	}
	a, err := ap.core.DB.Applications.Last(ctx, companyID, phone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", a, err
	}
	offers, err := ap.core.DB.Offers.InCompany(ctx, companyID, person.ID)
	if err != nil {
		return "", a, err
	}
	switch {
	case slices.ContainsFunc(offers, isCustomer):
		return ApplicantApproved, a, nil
	case slices.ContainsFunc(ap.core.Access.InPlace(members, companyID), isCustomer):
		return ApplicantMember, a, nil
	case a.ID == 0:
		return ApplicantNone, a, nil
	case a.State == store.ApplicationApproved:
		m, err := ap.core.DB.Accounts.ByID(ctx, companyID, a.AccountID)
		if err == nil && m.DeclinedAt != 0 { // the applicant declined the account and may apply again
			return ApplicantNone, a, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", a, err
		}
	}
	return ApplicantState(a.State), a, nil
}
