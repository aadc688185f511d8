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
	"portico/store"
)

// registering is the person who registers: a new one, one with a registered phone (in.Add), or one who is signed in by
// phone (session), perhaps to turn a trial into a company (in.SandboxID).
type registering struct {
	in       onboarding.RegisterInput
	masked   string // the phone of a session
	password bool   // a password is asked for
}

// registrant reads who registers. A form with a code was shown to a person who was not signed in. When it is sent again
// after it signed the person in, it asks for the company that was made, not for another one.
func (p *Pages) registrant(r *http.Request, in onboarding.RegisterInput) (registering, error) {
	who := registering{in: in, password: !in.Add}
	if in.Code != "" || r.PostForm.Has("phone") { // the form was opened while nobody was signed in
		return who, nil
	}
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) || err == nil && s.PersonID == 0 {
		return who, nil
	}
	if err != nil {
		return who, err
	}
	person, err := p.portal.Accounts.Person(r.Context(), s)
	if err != nil {
		return who, err
	}
	who.in.Session = s
	who.in.Add = false
	who.masked = access.MaskPhone(person.Phone)
	who.password = person.PasswordHash == ""
	return who, nil
}

func (p *Pages) registerView(r *http.Request, who registering) forms.FormView {
	ctx := r.Context()
	v := forms.FormView{
		Heading: locale.T(ctx, "register.heading"),
		Lead:    locale.T(ctx, "register.lead", "num", int(access.TrialLife.Hours()/24)),
		Path:    "/register", Public: web.PublicRegister, Progress: forms.RegisterStages(r, 0),
		Submit: locale.T(ctx, "register.submit"), Busy: locale.T(ctx, "register.creating"),
		Links: []web.PageLink{
			{Label: locale.T(ctx, "register.to_login"), Href: "/login"},
			{Label: locale.T(ctx, "register.to_experience"), Href: "/experience"},
			{Label: locale.T(ctx, "register.to_join"), Href: "/register/more"},
		},
	}
	if who.in.Session.ID == "" {
		code := forms.CodeField(r)
		code.Value = who.in.Code
		v.Fields = []components.Field{forms.PhoneField(r, who.in.Phone), code}
		v.Sending = forms.SendingFor(core.ForRegister, 0, "phone", "add")
	} else {
		v.Links = []web.PageLink{{Label: locale.T(ctx, "role.own"), Href: "/company"}}
	}
	switch {
	case who.in.SandboxID != 0:
		v.Heading, v.Lead = locale.T(ctx, "register.own_heading"), locale.T(ctx, "register.own_lead")
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "sandbox", Value: web.Decimal(who.in.SandboxID)})
	case who.in.Session.ID != "":
		v.Heading, v.Lead = locale.T(ctx, "register.add_heading"),
			locale.T(ctx, "register.signed_in_lead", "phone", who.masked)
	case who.in.Add:
		v.Heading, v.Lead = locale.T(ctx, "register.add_heading"), locale.T(ctx, "register.add_lead")
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "add", Value: "1"})
		v.Links = append(v.Links, web.PageLink{Label: locale.T(ctx, "register.to_new"), Href: "/register"})
	}
	if who.password {
		v.Fields = append(v.Fields, p.firstPasswordField(r))
	}
	v.Fields = append(v.Fields,
		components.Field{ID: "name", Label: locale.T(ctx, "register.name"), Value: who.in.Name, Complete: "name",
			Max: access.MaxName},
		components.Field{ID: "company_name", Label: locale.T(ctx, "register.company_name"), Value: who.in.CompanyName,
			Complete: "organization", Max: access.MaxCompanyName})
	v.Links = append(v.Links, p.web.SupportLinks(r)...)
	p.entry.AgreeBox(r, &v, who.in.Agree)
	return v
}

// firstPasswordField is the password field for a new person. It shows the rule before a mistake is made.
func (p *Pages) firstPasswordField(r *http.Request) components.Field {
	return p.forms.NewPasswordFields(r)[0].Labelled(locale.T(r.Context(), "login.password"))
}

// atPlatform redirects visitors of a company's host to the platform's account site, where companies are registered.
func (p *Pages) atPlatform(w http.ResponseWriter, r *http.Request) (elsewhere bool, err error) {
	place := web.PlaceOf(r.Context())
	if place.Company == nil || place.Local {
		return false, nil
	}
	return true, web.SeeOther(w, p.base.Scheme+"://account."+p.base.Host+r.URL.RequestURI())
}

// takesApplicants reports whether visitors of this host register by applying to its company. Visitors who want to
// register a company do not.
func takesApplicants(r *http.Request) bool {
	place, query := web.PlaceOf(r.Context()), r.URL.Query()
	return place.Company != nil && !place.Local && !query.Has("sandbox") && !query.Has("add")
}

// redirectToApplication redirects visitors of a company's host to its application form, unless they want to register a
// company. Where only the operator opens companies it says so to the others.
func (p *Pages) redirectToApplication(w http.ResponseWriter, r *http.Request) (elsewhere bool, err error) {
	if takesApplicants(r) {
		return true, web.SeeOther(w, web.InEdition(r.Context(), "/register/more"))
	}
	if elsewhere, err := p.atPlatform(w, r); elsewhere {
		return true, err
	}
	if p.portal.Core.Access.CompaniesOpen {
		return false, nil
	}
	p.renderCompaniesClosed(w, r)
	return true, nil
}

// renderCompaniesClosed says that only the operator opens companies, and whom to ask.
func (p *Pages) renderCompaniesClosed(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	p.web.RenderState(w, r, http.StatusForbidden, components.State{
		Scene: components.SceneLocked, Heading: web.RefusalText(r, &access.Refused{Refusal: access.CompaniesClosed}),
		Body: locale.T(ctx, "register.closed"), People: web.People(
			r, p.portal.Core.Access.Support(web.PlaceOf(ctx)),
		),
		Action: locale.T(ctx, "register.to_login"), Href: "/login",
		Second: locale.T(ctx, "register.to_experience"), SecondHref: "/experience",
	})
}

// RegisterForm is the page that registers a company.
func (p *Pages) RegisterForm() web.FormPage {
	return web.FormPage{Show: p.showRegister, View: p.viewRegister, Submit: p.submitRegister}
}

// showRegister answers GET /register: the form that registers a company, or the application form on the host of a
// company.
func (p *Pages) showRegister(w http.ResponseWriter, r *http.Request) error {
	if takesApplicants(r) {
		return p.application.ShowApplicationForm(w, r)
	}
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return err
	}
	p.web.KeepSharer(w, r)
	sandbox, _ := access.DecimalID(r.URL.Query().Get("sandbox"))
	who, err := p.registrant(r, onboarding.RegisterInput{Add: r.URL.Query().Get("add") == "1"})
	if err != nil {
		return err
	}
	if who.in.SandboxID, err = p.portal.Onboarding.SandboxToAdopt(r.Context(), who.in.Session, sandbox); err != nil {
		return err
	}
	view := p.registerView(r, who)
	if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie),
		core.ForRegister); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// registrantTyped reads the form.
func (p *Pages) registrantTyped(r *http.Request) (registering, error) {
	var in onboarding.RegisterInput
	web.Decode(r, &in)
	in.Agree = p.entry.AgreesToCurrent(r, in.Agree)
	return p.registrant(r, in)
}

// viewRegister shows the form with what was typed.
func (p *Pages) viewRegister(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return err
	}
	who, err := p.registrantTyped(r)
	if err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, p.registerView(r, who), nil)
}

// submitRegister answers POST /register. A refused form is shown again with what was typed.
func (p *Pages) submitRegister(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return err
	}
	who, err := p.registrantTyped(r)
	if err != nil {
		return err
	}
	view := p.registerView(r, who)
	if forms.AsksForCode(r) {
		return p.askToRegister(w, r, view)
	}
	in := who.in
	in.Flow = p.web.Cookie(r, web.FlowCookie)
	in.Lang = string(locale.Of(r.Context()))
	in.Version = p.entry.Agreement(r).Version
	in.Browser = p.web.BrowserOf(r, false)
	result, err := p.portal.Onboarding.Register(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.registerAgain(w, r, who, refused)
	}
	if err != nil {
		return err
	}
	if result.Token != "" {
		if err := p.entry.SetSessionCookies(w, r, result.LoginResult); err != nil {
			return err
		}
	}
	return p.registered(w, result.Member)
}

// registerAgain shows the form as it was sent, with what was refused. It leaves out fields that are no longer needed.
func (p *Pages) registerAgain(w http.ResponseWriter, r *http.Request, who registering, refused *access.Refused) error {
	if refused.Fields["password"] != "" && !who.password { // the phone turned out to be new
		who.in.Add, who.password = false, true
	}
	if refused.Refusal == access.WrongParameters { // the trial has ended, or became a company
		who.in.SandboxID = 0
	}
	view := p.registerView(r, who)
	if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie),
		core.ForRegister); err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, withWays(r, view, refused), refused)
}

// registered redirects to the next step: initialise the company, or see the result.
func (p *Pages) registered(w http.ResponseWriter, m store.Member) error {
	if m.Company.InitialisedAt == 0 {
		return web.SeeOther(w, "/register/init?done=created")
	}
	return web.SeeOther(w, resultPath("created", m.CompanyID))
}

// askToRegister sends the code. A registered phone gets links to sign in or to add a company.
func (p *Pages) askToRegister(w http.ResponseWriter, r *http.Request, view forms.FormView) error {
	return p.forms.SendCodeOr(w, r, core.ForRegister, p.portal.Onboarding.AskRegisterCode, view,
		func(refused *access.Refused) forms.FormView { return withWays(r, view, refused) })
}

// withWays adds links for a refused registration: with a registered phone to sign in or add a company, after the same
// registration to enter the company or register another one.
func withWays(r *http.Request, v forms.FormView, refused *access.Refused) forms.FormView {
	if refused.Refusal == access.WrongParameters {
		v.Refusal.Text = locale.T(r.Context(), "register.made_already")
		v.Refusal.Links = []web.PageLink{{Label: locale.T(r.Context(), "role.own"), Href: "/company"},
			{Label: locale.T(r.Context(), "register.add_heading"), Href: "/register?add=1"}}
	}
	if refused.Refusal == access.PhoneRegistered {
		v.Refusal.Links = []web.PageLink{{Label: locale.T(r.Context(), "register.to_login"), Href: "/login"},
			{Label: locale.T(r.Context(), "register.to_add"), Href: "/register?add=1"}}
	}
	return v
}
