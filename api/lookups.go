package api

import (
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/limits"
)

type existsInCompany struct {
	Exists *bool `json:"exists_"` // null: not disclosed
}

func checkPhoneExitInCompany(a *API, who *caller, in limits.PhoneInput) (existsInCompany, error) {
	known, err := a.portal.Limits.PhoneInCompany(who.ctx, in)
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
	known, err := a.portal.Limits.PhoneKnown(who.ctx, limits.PhoneInput{Phone: in.Phone})
	return exists{known.Exists, known.Bound}, err
}

type administrator struct {
	Name  access.Text `json:"name_"`
	Phone access.Text `json:"phone_"`
}

func getAdminByLogin(a *API, who *caller, in limits.CompanyContactInput) (administrator, error) {
	in.CompanyID = who.companyID
	c, err := a.portal.Limits.CompanyContact(who.ctx, in)
	return administrator{access.Text(c.Name), access.Text(c.Phone)}, err
}

func getCompanyByID(a *API, who *caller, _ none) (branding.PublicCompany, error) {
	return a.portal.Branding.CompanyByID(who.ctx, who.id)
}

type hostInput struct {
	Host string `json:"host_"`
}

func getByHost(a *API, who *caller, in hostInput) (*branding.PublicCompany, error) {
	return a.portal.Branding.CompanyByHost(who.ctx, in.Host)
}

func getDefaultSetting(a *API, who *caller, in companyID) (branding.DefaultSetting, error) {
	return a.portal.Branding.Defaults(who.ctx, in.CompanyID)
}
