package api

import (
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/core"
)

type phoneInCompany struct {
	Exists *bool `json:"exists_"` // null: not disclosed
}

func checkPhoneExitInCompany(a *API, caller *caller, in core.PhoneInput) (phoneInCompany, error) {
	known, err := a.portal.Limits.PhoneInCompany(caller.ctx, in)
	return phoneInCompany{known.Exists}, err
}

type phoneInput struct {
	Phone string `json:"phone_"`
}

type phoneState struct {
	Exists *bool `json:"exists_"`
	Bound  *bool `json:"bound_"`
}

func checkPhoneExitInUser(a *API, caller *caller, in phoneInput) (phoneState, error) {
	known, err := a.portal.Limits.PhoneKnown(caller.ctx, core.PhoneInput{Phone: in.Phone})
	return phoneState{known.Exists, known.Bound}, err
}

type administrator struct {
	Name  access.Text `json:"name_"`
	Phone access.Text `json:"phone_"`
}

func getAdminByLogin(a *API, caller *caller, in core.CompanyContactInput) (administrator, error) {
	in.CompanyID = caller.companyID
	c, err := a.portal.Limits.CompanyContact(caller.ctx, in)
	return administrator{access.Text(c.Name), access.Text(c.Phone)}, err
}

func getCompanyByID(a *API, caller *caller, _ noParameters) (branding.PublicCompany, error) {
	return a.portal.Branding.CompanyByID(caller.ctx, caller.id)
}

type hostInput struct {
	Host string `json:"host_"`
}

func getCompanyByHost(a *API, caller *caller, in hostInput) (*branding.PublicCompany, error) {
	return a.portal.Branding.CompanyByHost(caller.ctx, in.Host)
}

func getDefaultSetting(a *API, caller *caller, in companyInput) (branding.DefaultSetting, error) {
	return a.portal.Branding.Defaults(caller.ctx, in.CompanyID)
}
