package api

import (
	"portico/portal/access"
	"portico/portal/application"
	"portico/store"
)

// applicationSetting is how a company accepts applications of new customers.
type applicationSetting struct {
	Open     bool          `json:"open_"`
	Review   bool          `json:"review_"`
	Required []string      `json:"required_"`
	Admin    administrator `json:"admin_"`
}

// applicationParameters are the parameters of a field of an application, where they differ from the field's name
// followed by "_".
var applicationParameters = map[string][]string{
	"region":  {"province_", "city_", "district_"},
	"licence": {"licence_key_"},
}

func getApplicationSetting(a *API, caller *caller, in companyInput) (applicationSetting, error) {
	s, err := a.portal.Application.ApplicationSetting(caller.ctx, in.CompanyID)
	required := []string{"company_name_", "contact_name_"}
	for _, field := range s.Required {
		names, other := applicationParameters[field]
		if !other {
			names = []string{field + "_"}
		}
		required = append(required, names...)
	}
	return applicationSetting{
		Open: s.Open, Review: s.Review, Required: required, Admin: administratorOf(s.Company),
	}, err
}

// administratorOf returns the contact that a company has set, which anybody may see.
func administratorOf(c store.Company) administrator {
	return administrator{access.Text(c.ContactName), access.Text(c.ContactPhone)}
}

type applicantState struct {
	State application.ApplicantState `json:"state_"`
}

func getApplicationState(a *API, caller *caller, in application.LookUpApplicantInput) (applicantState, error) {
	in.Client = caller.kind
	state, err := a.portal.Application.LookUpApplicationState(caller.ctx, in)
	return applicantState{state}, err
}

type applicantTicket struct {
	Ticket string `json:"ticket_"`
}

func proveApplicant(a *API, caller *caller, in application.ProveApplicantInput) (applicantTicket, error) {
	in.Flow = caller.flow()
	ticket, _, err := a.portal.Application.ProveApplicant(caller.ctx, in)
	return applicantTicket{ticket}, err
}

// applicationAnswer is an application to join a company. When the caller may see only its state, all other fields
// are null.
type applicationAnswer struct {
	ID           access.Number          `json:"id_"`
	CompanyID    int64                  `json:"company_id_"`
	State        store.ApplicationState `json:"state_"`
	CompanyName  access.Text            `json:"company_name_"`
	ContactName  access.Text            `json:"contact_name_"`
	Position     access.Text            `json:"position_"`
	Province     access.Text            `json:"province_"`
	City         access.Text            `json:"city_"`
	District     access.Text            `json:"district_"`
	Address      access.Text            `json:"address_"`
	Reason       access.Text            `json:"reason_"`
	LicenceKey   access.Text            `json:"licence_key_"`
	ContactPhone access.Text            `json:"contact_phone_"`
	RejectReason access.Text            `json:"reject_reason_"`
	Admin        *administrator         `json:"admin_"`
	CreatedAt    access.Number          `json:"created_at_"` // Unix ms
}

// applicationAnswerOf returns an application as the answer shows it.
func applicationAnswerOf(view application.ApplicationView, err error) (applicationAnswer, error) {
	a := applicationAnswer{
		ID:           access.Number(view.ID),
		CompanyID:    view.CompanyID,
		State:        view.State,
		CompanyName:  access.Text(view.CompanyName),
		ContactName:  access.Text(view.ContactName),
		Position:     access.Text(view.Position),
		Province:     access.Text(view.Province),
		City:         access.Text(view.City),
		District:     access.Text(view.District),
		Address:      access.Text(view.Address),
		Reason:       access.Text(view.Reason),
		LicenceKey:   access.Text(view.LicenceKey),
		ContactPhone: access.Text(view.ContactPhone),
		RejectReason: access.Text(view.RejectReason),
		CreatedAt:    access.Number(view.CreatedAt),
	}
	if view.AllFields {
		a.Admin = &administrator{}
		for _, contact := range view.Contacts {
			if contact.Role == access.RoleAdministrator {
				*a.Admin = administrator{access.Text(contact.Name), access.Text(contact.Phone)}
			}
		}
	}
	return a, err
}

func getLastApplication(a *API, caller *caller, in application.LookUpApplicantInput) (applicationAnswer, error) {
	in.Client = caller.kind
	return applicationAnswerOf(a.portal.Application.LookUpLastApplication(caller.ctx, in))
}

func getApplication(a *API, caller *caller, in application.LookUpApplicationInput) (applicationAnswer, error) {
	in.ID, in.CompanyID = caller.id, caller.companyID
	return applicationAnswerOf(a.portal.Application.LookUpApplication(caller.ctx, in))
}

// applicationInput is an application as a program sends it. Ticket proves the applicant's phone.
type applicationInput struct {
	application.ApplicationInput
	Ticket string `json:"ticket_"`
}

func sendApplication(a *API, caller *caller, in applicationInput) (applicationAnswer, error) {
	if _, err := a.portal.Application.ApplicationSetting(caller.ctx, in.CompanyID); err != nil {
		return applicationAnswer{}, err
	}
	in.Lang = caller.lang()
	// Without a valid ticket the applicant is zero, and SendApplication refuses.
	in.Applicant, _ = a.portal.Application.Applicant(in.Ticket, in.CompanyID)
	sent, err := a.portal.Application.SendApplication(caller.ctx, in.ApplicationInput)
	if err != nil {
		return applicationAnswer{}, err
	}
	return applicationAnswerOf(a.portal.Application.LookUpApplication(caller.ctx, application.LookUpApplicationInput{
		ID: sent.Application.ID, CompanyID: in.CompanyID, Ticket: in.Ticket,
	}))
}
