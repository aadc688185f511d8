package api

import (
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
)

func createCompany(a *API, caller *caller, in onboarding.RegisterInput) (access.User, error) {
	in.Client = caller.kind
	in.Flow = caller.flow()
	in.Lang = caller.lang()
	in.Version = caller.agreement()
	result, err := a.portal.Onboarding.Register(caller.ctx, in)
	return result.User, err
}

// agreement is the version of the agreement in the caller's language.
func (caller *caller) agreement() string { return locale.Lang(caller.lang()).Agreement().Version }

type initialised struct {
	CompanyID  int64         `json:"company_id_"`
	IndustryID access.Number `json:"industry_id_"`
	Imported   bool          `json:"imported_"`
}

func updateAndImportTrade(a *API, caller *caller, in onboarding.InitialiseInput) (initialised, error) {
	in.Session = caller.session
	result, err := a.portal.Onboarding.Initialise(caller.ctx, in)
	return initialised{result.Company.ID, access.Number(result.Company.IndustryID), result.Imported}, err
}

type experience struct {
	CompanyID int64  `json:"company_id_"`
	Ticket    string `json:"ticket_"`
}

func experienceRegister(a *API, caller *caller, in onboarding.ExperienceInput) (experience, error) {
	in.Client = caller.kind
	in.Flow = caller.flow()
	in.Lang = caller.lang()
	in.Names.Company, in.Names.Person, in.Names.Customer = locale.Lang(in.Lang).Sandbox(in.Industry)
	result, err := a.portal.Onboarding.OpenExperience(caller.ctx, in)
	return experience{result.CompanyID, result.Ticket}, err
}

func getExperienceUser(a *API, caller *caller, in onboarding.RoleInput) (access.User, error) {
	in.Session = caller.session
	return a.portal.Onboarding.ExperienceUser(caller.ctx, in, caller.kind)
}

func shopCompleteRegister(a *API, caller *caller, in onboarding.CompleteInput) (access.User, error) {
	in.Client = caller.kind
	in.Flow = caller.flow()
	in.Lang = caller.lang()
	result, err := a.portal.Onboarding.Complete(caller.ctx, in)
	return result.User, err
}
