package api

import (
	"portico/portal"
	"portico/store"
)

// applicationSetting is how a company accepts new customers.
type applicationSetting struct {
	Open     bool          `json:"open_"`
	Review   bool          `json:"review_"`
	Required []string      `json:"required_"`
	Admin    administrator `json:"admin_"`
}

// applicationParameters are what the fields of an application are called in calls, where it is not the field's name and
// "_".
var applicationParameters = map[string][]string{
	"region":  {"province_", "city_", "district_"},
	"licence": {"licence_key_"},
}

func getByCompany(a *API, who *caller, in companyID) (applicationSetting, error) {
	s, err := a.portal.ApplicationSetting(who.ctx, in.CompanyID)
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

// administratorOf is the person whom a company names as its contact.
func administratorOf(c store.Company) administrator {
	return administrator{portal.Text(c.ContactName), portal.Text(c.ContactPhone)}
}

type applicantState struct {
	State portal.ApplicantState `json:"state_"`
}

func checkPhoneOrOpenID(a *API, who *caller, in portal.LookUpApplicantInput) (applicantState, error) {
	in.Client = who.kind
	state, err := a.portal.LookUpApplicationState(who.ctx, in)
	return applicantState{state}, err
}

type applicantTicket struct {
	Ticket string `json:"ticket_"`
}

func checkCode(a *API, who *caller, in portal.ProveApplicantInput) (applicantTicket, error) {
	in.Flow = who.flow()
	ticket, _, err := a.portal.ProveApplicant(who.ctx, in)
	return applicantTicket{ticket}, err
}

// application is an application to join a company. When the caller may see only its state, all other fields are null.
type application struct {
	ID           portal.Number          `json:"id_"`
	CompanyID    int64                  `json:"company_id_"`
	State        store.ApplicationState `json:"state_"`
	CompanyName  portal.Text            `json:"company_name_"`
	ContactName  portal.Text            `json:"contact_name_"`
	Position     portal.Text            `json:"position_"`
	Province     portal.Text            `json:"province_"`
	City         portal.Text            `json:"city_"`
	District     portal.Text            `json:"district_"`
	Address      portal.Text            `json:"address_"`
	Reason       portal.Text            `json:"reason_"`
	LicenceKey   portal.Text            `json:"licence_key_"`
	ContactPhone portal.Text            `json:"contact_phone_"`
	RejectReason portal.Text            `json:"reject_reason_"`
	Admin        *administrator         `json:"admin_"`
	CreatedAt    portal.Number          `json:"created_at_"` // Unix ms
}

func applicationOf(view portal.ApplicationView, err error) (application, error) {
	a := application{
		ID:           portal.Number(view.ID),
		CompanyID:    view.CompanyID,
		State:        view.State,
		CompanyName:  portal.Text(view.CompanyName),
		ContactName:  portal.Text(view.ContactName),
		Position:     portal.Text(view.Position),
		Province:     portal.Text(view.Province),
		City:         portal.Text(view.City),
		District:     portal.Text(view.District),
		Address:      portal.Text(view.Address),
		Reason:       portal.Text(view.Reason),
		LicenceKey:   portal.Text(view.LicenceKey),
		ContactPhone: portal.Text(view.ContactPhone),
		RejectReason: portal.Text(view.RejectReason),
		CreatedAt:    portal.Number(view.CreatedAt),
	}
	if view.Whole {
		admin := administratorOf(view.Company)
		a.Admin = &admin
	}
	return a, err
}

func getByPhoneOrOpenID(a *API, who *caller, in portal.LookUpApplicantInput) (application, error) {
	in.Client = who.kind
	return applicationOf(a.portal.LookUpLastApplication(who.ctx, in))
}

func getByID(a *API, who *caller, in portal.LookUpApplicationInput) (application, error) {
	in.ID, in.CompanyID = who.id, who.companyID
	return applicationOf(a.portal.LookUpApplication(who.ctx, in))
}

// applicationInput is an application as a program sends it. Ticket proves the applicant's phone.
type applicationInput struct {
	portal.ApplicationInput
	Ticket string `json:"ticket_"`
}

func save(a *API, who *caller, in applicationInput) (application, error) {
	setting, err := a.portal.ApplicationSetting(who.ctx, in.CompanyID)
	if err != nil {
		return application{}, err
	}
	in.Lang = who.lang()
	in.Applicant, _ = a.portal.Applicant(in.Ticket, in.CompanyID) // SendApplication refuses when nobody is proven
	sent, err := a.portal.SendApplication(who.ctx, in.ApplicationInput)
	view := portal.ApplicationView{Application: sent.Application, Company: setting.Company, Whole: true}
	return applicationOf(view, err)
}
