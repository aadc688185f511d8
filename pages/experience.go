package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/verification"
)

// experienceView returns the form that opens a sandbox. masked is the masked phone of a person who is signed in and
// needs no code.
func (p *Pages) experienceView(r *http.Request, in onboarding.ExperienceInput, masked string) formView {
	ctx := r.Context()
	v := formView{
		Heading: locale.T(ctx, "experience.heading"),
		Lead:    locale.T(ctx, "experience.lead", "num", int(onboarding.SandboxLife.Hours()/24)),
		Step:    locale.T(ctx, "care.step", "num", 1, "of", 2),
		Path:    "/experience",
		Public:  publicExperience,
		Submit:  locale.T(ctx, "experience.submit"),
		Busy:    locale.T(ctx, "enter.entering"),
		Links: []pageLink{
			{locale.T(ctx, "register.to_login"), "/login"},
			{locale.T(ctx, "experience.to_register"), "/register"},
		},
	}
	if in.Session.ID == "" {
		code := codeField(r)
		code.Value = in.Code
		v.Fields = []components.Field{phoneField(r, in.Phone), code}
		v.Sending = sendingFor(verification.ForExperience, 0, "phone")
	} else {
		v.Lead = locale.T(ctx, "experience.signed_in_lead", "phone", masked)
	}
	v.Fields = append(v.Fields, industryField(r, in.Industry))
	v.Links = append(v.Links, p.supportLinks(r)...)
	p.agreeBox(r, &v, in.Agree)
	return v
}

// readExperiencePerson adds the session to the input when the person is signed in by phone, and returns their masked
// phone. It returns "" for everybody else, who has to prove a phone.
func (p *Pages) readExperiencePerson(r *http.Request, in *onboarding.ExperienceInput) (masked string, err error) {
	if r.PostForm.Has("phone") { // the form was opened while nobody was signed in
		return "", nil
	}
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) || err == nil && s.PhoneID == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	in.Session = s
	return p.portal.Accounts.PersonLabel(r.Context(), s)
}

// showExperience shows the form.
func (p *Pages) showExperience(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return err
	}
	p.shared(w, r)
	var in onboarding.ExperienceInput
	masked, err := p.readExperiencePerson(r, &in)
	if err != nil {
		return err
	}
	view := p.experienceView(r, in, masked)
	if _, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForExperience); err != nil {
		return err
	}
	return p.renderForm(w, r, view, nil)
}

// submitExperience opens a sandbox, signs the person in and redirects to the choice of a side.
func (p *Pages) submitExperience(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return err
	}
	var in onboarding.ExperienceInput
	decode(r, &in)
	in.Agree = p.agreesToCurrent(r, in.Agree)
	masked, err := p.readExperiencePerson(r, &in)
	if err != nil {
		return err
	}
	view := p.experienceView(r, in, masked)
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.experienceView(again, in, masked), nil)
	}
	if asksForCode(r) {
		return p.sendCode(w, r, verification.ForExperience, view)
	}
	in.Flow, in.Lang, in.Version = p.cookie(r, flowCookie), string(locale.Of(r.Context())), p.agreement(r).Version
	in.Names.Company, in.Names.Person, in.Names.Customer = locale.Of(r.Context()).Sandbox(in.Industry)
	in.Browser = p.browserOf(r, false)
	result, err := p.portal.Onboarding.OpenExperience(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		if _, err := p.resume(r, &view, in.Flow, verification.ForExperience); err != nil {
			return err
		}
		return p.renderForm(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	if result.Token != "" {
		if err := p.setSignedIn(w, r, result.LoginResult); err != nil {
			return err
		}
	}
	return seeOther(w, "/experience/role")
}

// roleView is the choice of a side of the sandbox.
type roleView struct {
	Company  string
	Industry int64
	Import   bool // offers to import the samples
	Token    string
	Mistakes []components.Mistake
	Support  []pageLink
}

// showRole shows the choice.
func (p *Pages) showRole(w http.ResponseWriter, r *http.Request) error {
	return p.renderRole(w, r, nil)
}

// renderRole writes the choice. A person without a sandbox is redirected to the form that opens one.
func (p *Pages) renderRole(w http.ResponseWriter, r *http.Request, refused *access.Refused) error {
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return seeOther(w, "/experience")
	}
	if err != nil {
		return err
	}
	c, ok, err := p.portal.Onboarding.Sandbox(r.Context(), s, 0)
	if err != nil {
		return err
	}
	if !ok {
		return seeOther(w, "/experience")
	}
	view := roleView{
		Company: c.Name, Industry: c.IndustryID, Import: c.InitialisedAt == 0, Token: p.formToken(r),
		Support: p.supportLinks(r),
	}
	if refused != nil {
		view.Mistakes = []components.Mistake{{Field: "roles", Message: p.problemText(r, refused.Fields["role"])}}
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Offline, shell.Path = true, true, "/experience/role"
	return p.render(w, r, refusedStatus(w, refused), shell, rolePage(view))
}

// submitRole enters the chosen side of the sandbox.
func (p *Pages) submitRole(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return seeOther(w, "/experience")
	}
	if err != nil {
		return err
	}
	in := onboarding.RoleInput{Session: s}
	decode(r, &in)
	m, err := p.portal.Onboarding.ChooseRole(r.Context(), in)
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.WrongParameters):
		return seeOther(w, "/experience")
	case ok && refused.Refusal == access.ValidationFailed:
		return p.renderRole(w, r, refused)
	case err != nil:
		return err
	}
	return p.enter(w, r, s, m.ID)
}
