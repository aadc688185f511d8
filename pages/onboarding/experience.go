package onboarding

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
)

// experienceView returns the form that opens a sandbox. masked is the masked phone of a person who is signed in and
// needs no code.
func (p *Pages) experienceView(r *http.Request, in onboarding.ExperienceInput, masked string) forms.FormView {
	ctx := r.Context()
	v := forms.FormView{
		Heading: locale.T(ctx, "experience.heading"),
		Lead:    locale.T(ctx, "experience.lead", "num", int(onboarding.SandboxLife.Hours()/24)),
		Path:    "/experience",
		Public:  web.PublicExperience,
		Submit:  locale.T(ctx, "experience.submit"),
		Busy:    locale.T(ctx, "enter.entering"),
		Links: []web.PageLink{
			{Label: locale.T(ctx, "register.to_login"), Href: "/login"},
		},
	}
	if p.portal.Core.Access.CompaniesOpen {
		v.Links = append(v.Links, web.PageLink{Label: locale.T(ctx, "experience.to_register"), Href: "/register"})
	}
	industry := industryField(r, in.Industry)
	if in.Session.ID == "" {
		industry.Label = locale.T(ctx, "experience.pick")
		phone := forms.PhoneField(r, in.Phone)
		phone.Group = locale.T(ctx, "experience.verify")
		code := forms.CodeField(r)
		code.Value = in.Code
		v.Fields = []components.Field{industry, phone, code}
		v.Sending = forms.SendingFor(core.ForExperience, 0, "phone")
	} else {
		v.Fields = []components.Field{industry}
		v.Lead = locale.T(ctx, "experience.signed_in_lead", "phone", masked)
	}
	v.Links = append(v.Links, p.web.SupportLinks(r)...)
	p.entry.AgreeBox(r, &v, in.Agree)
	return v
}

// readExperiencePerson adds the session to the input when the person is signed in by phone, and returns their masked
// phone. It returns "" for everybody else, who has to prove a phone.
func (p *Pages) readExperiencePerson(r *http.Request, in *onboarding.ExperienceInput) (masked string, err error) {
	if r.PostForm.Has("phone") { // the form was opened while nobody was signed in
		return "", nil
	}
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) || err == nil && s.PersonID == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	in.Session = s
	return p.portal.Accounts.PersonLabel(r.Context(), s)
}

// ExperienceForm is the page that opens a sandbox.
func (p *Pages) ExperienceForm() web.FormPage {
	return web.FormPage{Show: p.showExperience, View: p.viewExperience, Submit: p.submitExperience}
}

// showExperience shows the form.
func (p *Pages) showExperience(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return err
	}
	p.web.KeepSharer(w, r)
	var in onboarding.ExperienceInput
	in.Industry, _ = access.DecimalID(r.URL.Query().Get("industry")) // a link from the sign-in page
	masked, err := p.readExperiencePerson(r, &in)
	if err != nil {
		return err
	}
	view := p.experienceView(r, in, masked)
	if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie),
		core.ForExperience); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// experienceTyped reads the form, and returns the page that shows it again.
func (p *Pages) experienceTyped(r *http.Request) (in onboarding.ExperienceInput, view forms.FormView, err error) {
	web.Decode(r, &in)
	in.Agree = p.entry.AgreesToCurrent(r, in.Agree)
	masked, err := p.readExperiencePerson(r, &in)
	return in, p.experienceView(r, in, masked), err
}

// viewExperience shows the form with what was typed.
func (p *Pages) viewExperience(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return err
	}
	_, view, err := p.experienceTyped(r)
	if err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// submitExperience opens a sandbox, signs the person in and redirects to the choice of a side.
func (p *Pages) submitExperience(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return err
	}
	in, view, err := p.experienceTyped(r)
	if err != nil {
		return err
	}
	if forms.AsksForCode(r) {
		return p.forms.SendCode(w, r, core.ForExperience, p.portal.Onboarding.AskExperienceCode, view)
	}
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.Lang = string(locale.Of(r.Context()))
	in.Version = p.entry.Agreement(r).Version
	in.Names.Company, in.Names.Person, in.Names.Customer = locale.Of(r.Context()).Sandbox(in.Industry)
	in.Browser = p.web.BrowserOf(r, false)
	result, err := p.portal.Onboarding.OpenExperience(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForExperience); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if result.Token != "" {
		if err := p.entry.SetSessionCookies(w, r, result.LoginResult); err != nil {
			return err
		}
	}
	return web.SeeOther(w, "/experience/role")
}

// roleView is the choice of a side of the sandbox.
type roleView struct {
	Company  string
	Industry int64
	Import   bool // offers to import the samples
	Token    string
	Mistakes []components.Mistake
	Support  []web.PageLink
}

// ShowRole shows the choice.
func (p *Pages) ShowRole(w http.ResponseWriter, r *http.Request) error {
	return p.renderRole(w, r, nil)
}

// renderRole writes the choice. A person without a sandbox is redirected to the form that opens one.
func (p *Pages) renderRole(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return web.SeeOther(w, "/experience")
	}
	if err != nil {
		return err
	}
	c, ok, err := p.portal.Onboarding.Sandbox(r.Context(), s, 0)
	if err != nil {
		return err
	}
	if !ok {
		return web.SeeOther(w, "/experience")
	}
	view := roleView{
		Company: c.Name, Industry: c.IndustryID, Import: c.InitialisedAt == 0, Token: p.web.FormToken(r),
		Support: p.web.SupportLinks(r),
	}
	if refused != nil {
		view.Mistakes = []components.Mistake{{Field: "roles", Message: p.forms.ProblemText(r, refused.Fields["role"])}}
	}
	shell := p.web.Shell(r, "", true)
	shell.Panel = true
	shell.Offline = true
	shell.Path = "/experience/role"
	return p.web.Render(w, r, web.RefusedStatus(w, refused), shell, rolePage(view))
}

// SubmitRole enters the chosen side of the sandbox.
func (p *Pages) SubmitRole(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return web.SeeOther(w, "/experience")
	}
	if err != nil {
		return err
	}
	in := onboarding.RoleInput{Session: s}
	web.Decode(r, &in)
	m, err := p.portal.Onboarding.ChooseRole(r.Context(), in)
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.WrongParameters):
		return web.SeeOther(w, "/experience")
	case ok && refused.Refusal == access.ValidationFailed:
		return p.renderRole(w, r, refused)
	case err != nil:
		return err
	}
	visit := web.VisitOf(r.Context())
	visit.Notice = web.NoticeEntered
	if in.Import && m.Company.InitialisedAt == 0 { // as ChooseRole read the company before the import
		visit.Notice = web.NoticeInitialised
	}
	return p.entry.Enter(w, r, s, m.ID)
}
