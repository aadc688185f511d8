package api

import (
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
)

func createCompany(a *API, who *caller, in onboarding.RegisterInput) (access.User, error) {
	in.Client, in.Flow, in.Lang, in.Version = who.kind, who.flow(), who.lang(), who.agreement()
	result, err := a.portal.Onboarding.Register(who.ctx, in)
	return result.User, err
}

// agreement is the version of the agreement in the caller's language.
func (who *caller) agreement() string { return locale.Lang(who.lang()).Agreement().Version }

type initialised struct {
	CompanyID  int64         `json:"company_id_"`
	IndustryID access.Number `json:"industry_id_"`
	Imported   bool          `json:"imported_"`
}

func updateAndImportTrade(a *API, who *caller, in onboarding.InitialiseInput) (initialised, error) {
	in.Session = who.session
	result, err := a.portal.Onboarding.Initialise(who.ctx, in)
	return initialised{result.Company.ID, access.Number(result.Company.IndustryID), result.Imported}, err
}

type experience struct {
	CompanyID int64  `json:"company_id_"`
	Ticket    string `json:"ticket_"`
}

func experienceRegister(a *API, who *caller, in onboarding.ExperienceInput) (experience, error) {
	in.Client, in.Flow, in.Lang = who.kind, who.flow(), who.lang()
	in.Names.Company, in.Names.Person, in.Names.Customer = locale.Lang(in.Lang).Sandbox(in.Industry)
	result, err := a.portal.Onboarding.OpenExperience(who.ctx, in)
	return experience{result.CompanyID, result.Ticket}, err
}

func getExperienceUser(a *API, who *caller, in onboarding.RoleInput) (access.User, error) {
	in.Session = who.session
	return a.portal.Onboarding.ExperienceUser(who.ctx, in, who.kind)
}

func shopCompleteRegister(a *API, who *caller, in onboarding.CompleteInput) (access.User, error) {
	in.Client, in.Flow, in.Lang = who.kind, who.flow(), who.lang()
	result, err := a.portal.Onboarding.Complete(who.ctx, in)
	return result.User, err
}
