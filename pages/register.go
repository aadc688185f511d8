package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/verification"
	"portico/store"
)

// registering is who asks for the page: somebody new, somebody with a registered phone (add), or somebody who is signed
// in by phone (session), perhaps to make a trial their company (sandbox).
type registering struct {
	in       onboarding.RegisterInput
	masked   string // the phone of a session
	password bool   // a password is asked for
}

// registrant reads who asks. A form that brings a code was made for somebody who was not signed in: sent again after it
// signed its sender in, it asks for what the code has made, not for another company.
func (p *Pages) registrant(r *http.Request, in onboarding.RegisterInput) (registering, error) {
	who := registering{in: in, password: !in.Add}
	if in.Code != "" || r.PostForm.Has("phone") { // the form was opened while nobody was signed in
		return who, nil
	}
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) || err == nil && s.PhoneID == 0 {
		return who, nil
	}
	if err != nil {
		return who, err
	}
	person, err := p.portal.Accounts.Person(r.Context(), s)
	if err != nil {
		return who, err
	}
	who.in.Session, who.in.Add, who.masked, who.password = s, false, access.MaskPhone(person.Phone), person.PasswordHash == ""
	return who, nil
}

func (p *Pages) registerView(r *http.Request, who registering) formView {
	ctx := r.Context()
	v := formView{
		Heading: locale.T(ctx, "register.heading"), Lead: locale.T(ctx, "register.lead", "num", int(onboarding.TrialLife.Hours()/24)),
		Path: "/register", Public: publicRegister, Progress: registerStages(r, 0), Submit: locale.T(ctx, "register.submit"), Busy: locale.T(ctx, "register.creating"),
		Links: []pageLink{
			{locale.T(ctx, "register.to_login"), "/login"},
			{locale.T(ctx, "register.to_experience"), "/experience"},
			{locale.T(ctx, "register.to_join"), "/register/more"},
		},
	}
	if who.in.Session.ID == "" {
		code := codeField(r)
		code.Value = who.in.Code
		v.Fields = []components.Field{phoneField(r, who.in.Phone), code}
		v.Sending = sendingFor(verification.ForRegister, 0, "phone", "add")
	} else {
		v.Links = []pageLink{{locale.T(ctx, "role.own"), "/company"}}
	}
	switch {
	case who.in.SandboxID != 0:
		v.Heading, v.Lead = locale.T(ctx, "register.own_heading"), locale.T(ctx, "register.own_lead")
		v.Hidden = append(v.Hidden, hidden{"sandbox", decimal(who.in.SandboxID)})
	case who.in.Session.ID != "":
		v.Heading, v.Lead = locale.T(ctx, "register.add_heading"), locale.T(ctx, "register.signed_in_lead", "phone", who.masked)
	case who.in.Add:
		v.Heading, v.Lead = locale.T(ctx, "register.add_heading"), locale.T(ctx, "register.add_lead")
		v.Hidden = append(v.Hidden, hidden{"add", "1"})
		v.Links = append(v.Links, pageLink{locale.T(ctx, "register.to_new"), "/register"})
	}
	if who.password {
		v.Fields = append(v.Fields, p.firstPasswordField(r))
	}
	v.Fields = append(v.Fields,
		components.Field{ID: "name", Label: locale.T(ctx, "register.name"), Value: who.in.Name, Complete: "name", Max: access.MaxName},
		components.Field{ID: "company_name", Label: locale.T(ctx, "register.company_name"), Value: who.in.CompanyName, Complete: "organization", Max: access.MaxCompanyName})
	v.Links = append(v.Links, p.supportLinks(r)...)
	p.agreeBox(r, &v, who.in.Agree)
	return v
}

// firstPasswordField is the password of somebody who has none, with the rule said before the mistake.
func (p *Pages) firstPasswordField(r *http.Request) components.Field {
	return p.newPasswordFields(r)[0].Labelled(locale.T(r.Context(), "login.password"))
}

func agreeField(r *http.Request, agreed bool) components.Field {
	f := components.Field{Kind: components.KindAgree, ID: "agree", Label: locale.T(r.Context(), "register.agree")}
	if agreed {
		f.Value = "1"
	}
	return f
}

// registerStages is the way from nothing to a running company; at is the stage one is at.
func registerStages(r *http.Request, at int) []stage {
	stages := make([]stage, 3)
	for i, key := range []string{"register.stage_create", "register.stage_initialise", "register.stage_enter"} {
		stages[i].Text = locale.T(r.Context(), key)
		if i == at {
			stages[i].State = "now"
		}
	}
	for i, key := range []string{"register.created", "register.initialised"}[:min(at, 2)] {
		stages[i] = stage{"done", locale.T(r.Context(), key)}
	}
	return stages
}

// atPlatform sends visitors of a company's own host to the platform's account site: companies are made there.
func (p *Pages) atPlatform(w http.ResponseWriter, r *http.Request) (elsewhere bool, err error) {
	place := placeOf(r.Context())
	if place.Company == nil || place.Local {
		return false, nil
	}
	return true, seeOther(w, p.base.Scheme+"://account."+p.base.Host+r.URL.RequestURI())
}

// takesApplicants says whether visitors of this host register by applying to its company. Those who come to make a company of
// their own do not.
func takesApplicants(r *http.Request) bool {
	place, query := placeOf(r.Context()), r.URL.Query()
	return place.Company != nil && !place.Local && !query.Has("sandbox") && !query.Has("add")
}

// redirectToApplication sends visitors of a company's own host to its application, unless they come to make a company of their own.
func (p *Pages) redirectToApplication(w http.ResponseWriter, r *http.Request) (elsewhere bool, err error) {
	if !takesApplicants(r) {
		return p.atPlatform(w, r)
	}
	return true, seeOther(w, inEdition(r.Context(), "/register/more"))
}

func (p *Pages) showRegister(w http.ResponseWriter, r *http.Request) error {
	if takesApplicants(r) {
		return p.showApplicationForm(w, r)
	}
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return err
	}
	p.shared(w, r)
	sandbox, _ := access.DecimalID(r.URL.Query().Get("sandbox"))
	who, err := p.registrant(r, onboarding.RegisterInput{Add: r.URL.Query().Get("add") == "1"})
	if err != nil {
		return err
	}
	if who.in.SandboxID, err = p.portal.Onboarding.SandboxToAdopt(r.Context(), who.in.Session, sandbox); err != nil {
		return err
	}
	view := p.registerView(r, who)
	if _, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForRegister); err != nil {
		return err
	}
	return p.renderForm(w, r, view, nil)
}

func (p *Pages) submitRegister(w http.ResponseWriter, r *http.Request) error {
	if elsewhere, err := p.redirectToApplication(w, r); elsewhere {
		return err
	}
	var in onboarding.RegisterInput
	decode(r, &in)
	in.Agree = p.agreesToCurrent(r, in.Agree)
	who, err := p.registrant(r, in)
	if err != nil {
		return err
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.registerView(again, who), nil)
	}
	view := p.registerView(r, who)
	if asksForCode(r) {
		return p.askToRegister(w, r, view)
	}
	in = who.in
	in.Flow, in.Lang, in.Version = p.cookie(r, flowCookie), string(locale.Of(r.Context())), p.agreement(r).Version
	in.Browser = p.browserOf(r, false)
	result, err := p.portal.Onboarding.Register(r.Context(), in)
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.Company == nil {
		return p.registerAgain(w, r, who, refused)
	}
	if err != nil {
		return err
	}
	if result.Token != "" {
		if err := p.setSignedIn(w, r, result.LoginResult); err != nil {
			return err
		}
	}
	return p.registered(w, result.Member)
}

// registerAgain shows the form as it was sent, and what to mend: what does not hold any more is not asked for again.
func (p *Pages) registerAgain(w http.ResponseWriter, r *http.Request, who registering, refused *access.Refused) error {
	if refused.Fields["password"] != "" && !who.password { // the phone turned out to be new
		who.in.Add, who.password = false, true
	}
	if refused.Refusal == access.WrongParameters { // the trial has ended, or is a company by now
		who.in.SandboxID = 0
	}
	view := p.registerView(r, who)
	if _, err := p.resume(r, &view, p.cookie(r, flowCookie), verification.ForRegister); err != nil {
		return err
	}
	return p.renderForm(w, r, withWays(r, view, refused), refused)
}

// registered goes on to what is still to be done.
func (p *Pages) registered(w http.ResponseWriter, m store.Member) error {
	if m.Company.InitialisedAt == 0 {
		return seeOther(w, "/register/init?done=created")
	}
	return seeOther(w, "/register/result?done=created")
}

// askToRegister sends the code; a phone that is registered is shown its two ways.
func (p *Pages) askToRegister(w http.ResponseWriter, r *http.Request, view formView) error {
	return p.sendCodeOr(w, r, verification.ForRegister, view, func(refused *access.Refused) formView { return withWays(r, view, refused) })
}

// withWays offers somebody whose phone is registered to sign in, or to add a company to it; somebody whose company
// was made already, to enter that one or make another.
func withWays(r *http.Request, v formView, refused *access.Refused) formView {
	if refused.Refusal == access.WrongParameters {
		v.Refusal.Text = locale.T(r.Context(), "register.made_already")
		v.Refusal.Links = []pageLink{{locale.T(r.Context(), "role.own"), "/company"}, {locale.T(r.Context(), "register.add_heading"), "/register?add=1"}}
	}
	if refused.Refusal == access.PhoneRegistered {
		v.Refusal.Links = []pageLink{{locale.T(r.Context(), "register.to_login"), "/login"}, {locale.T(r.Context(), "register.to_add"), "/register?add=1"}}
	}
	return v
}
