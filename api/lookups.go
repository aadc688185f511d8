package api

import "portico/portal"

type existsInCompany struct {
	Exists *bool `json:"exists_"` // null: not disclosed
}

func checkPhoneExitInCompany(a *API, who *caller, in portal.PhoneInput) (existsInCompany, error) {
	known, err := a.portal.PhoneInCompany(who.ctx, in)
	return existsInCompany{known.Exists}, err
}

type phoneOnly struct {
	Phone string `json:"phone_"`
}

type exists struct {
	Exists *bool `json:"exists_"`
	Bound  *bool `json:"bound_"`
}

func checkPhoneExitInUser(a *API, who *caller, in phoneOnly) (exists, error) {
	known, err := a.portal.PhoneKnown(who.ctx, portal.PhoneInput{Phone: in.Phone})
	return exists{known.Exists, known.Bound}, err
}

type administrator struct {
	Name  portal.Text `json:"name_"`
	Phone portal.Text `json:"phone_"`
}

func getAdminByLogin(a *API, who *caller, in portal.LoginQuestion) (administrator, error) {
	in.CompanyID = who.companyID
	c, err := a.portal.AdministratorOf(who.ctx, in)
	return administrator{portal.Text(c.Name), portal.Text(c.Phone)}, err
}

func getCompanyByID(a *API, who *caller, _ none) (portal.PublicCompany, error) {
	return a.portal.CompanyByID(who.ctx, who.id)
}

type hostInput struct {
	Host string `json:"host_"`
}

func getByHost(a *API, who *caller, in hostInput) (*portal.PublicCompany, error) {
	return a.portal.CompanyByHost(who.ctx, in.Host)
}

func getDefaultSetting(a *API, who *caller, in companyID) (portal.DefaultSetting, error) {
	return a.portal.Defaults(who.ctx, in.CompanyID)
}
