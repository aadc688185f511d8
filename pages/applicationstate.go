package pages

import (
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/regions"
	"portico/portal/verification"
	"portico/store"
)

// applicationStateView is the page that tells an applicant the state of an application.
type applicationStateView struct {
	Path     string
	Note     string // says that the form that was just sent did not replace this application, "" for none
	Drawing  string
	Heading  string
	Body     string
	State    chip
	Company  string
	Reason   string // of a rejection
	People   []components.Person
	Main     pageLink
	Links    []pageLink
	Progress []stage
	Refresh  string // the address that the refresh button loads, "" when the state is final
	Facts    []applicationFact
	Picture  string // the address of the licence
	Earlier  []earlierApplication
}

// applicationFact is one value of an application with its label.
type applicationFact struct {
	Name, Value string
	Lang        string // of the value, "" for the page's
	Lines       bool   // the value may have several lines
	Phone       bool   // the value is a phone number
}

// earlierApplication is an earlier application from the same phone.
type earlierApplication struct {
	Applied string
	State   chip
	Reason  string
	Href    string
}

// applicationStates maps a state to the kind and locale key of its chip.
var applicationStates = map[store.ApplicationState]chip{
	store.ApplicationPending:  {"warn", "application.pending"},
	store.ApplicationApproved: {"ok", "application.approved"},
	store.ApplicationRejected: {"bad", "application.rejected"},
}

// applicationChip returns the chip of a state, with its text.
func applicationChip(r *http.Request, state store.ApplicationState) chip {
	c := applicationStates[state]
	return chip{c.Kind, locale.T(r.Context(), c.Text)}
}

// showApplication shows the application with an id. Everybody who has the link sees the state; the applicant, who has
// proven the phone, sees the whole application.
func (p *Pages) showApplication(w http.ResponseWriter, r *http.Request, id int64) error {
	place := placeOf(r.Context())
	view, err := p.portal.Application.ApplicationByID(r.Context(), id, p.cookie(r, applicantCookie))
	if err != nil {
		return err
	}
	if place.Company == nil && !place.Local { // an application is shown on the company's host only
		return seeOther(w, p.portal.Access.CompanyOrigin(view.CompanyID)+"/register/result?id="+decimal(id))
	}
	if place.CompanyID() != view.CompanyID {
		return access.NotFound
	}
	if r.URL.Query().Get("prove") == "1" && !view.Whole {
		care := p.proveApplicationView(r, view, application.ProveApplicantInput{})
		if _, err := p.resume(r, &care, p.cookie(r, flowCookie), verification.ForApplication); err != nil {
			return err
		}
		return p.renderForm(w, r, care, nil)
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Path = true, "/register/result"
	shell.Query = "id=" + decimal(id)
	p.more(r, &shell)
	shell.Offline = true
	shell.Toast = p.flash(w, r, "applied", "apply.sent")
	standing := p.applicationState(r, view)
	standing.Note = p.flash(w, r, "not_taken", "apply.not_taken")
	return p.render(w, r, http.StatusOK, shell, applicationStatePage(standing))
}

// renderApplied answers the sign-in of an applicant who has no account yet: it shows the state of the application. When
// a code proved the phone on the company's own host, the link leads to the whole application.
func (p *Pages) renderApplied(w http.ResponseWriter, r *http.Request, refused *access.Refused) {
	ctx, applied := r.Context(), refused.Applied
	if applied.Ticket != "" {
		p.setCookie(w, applicantCookie, applied.Ticket, daySeconds)
	}
	v := p.applicationState(r, application.ApplicationView{
		Application: store.Application{ID: applied.ID, State: applied.State, RejectReason: applied.RejectReason},
		Company:     applied.Company, Contacts: refused.Contacts, Closed: applied.Closed,
	})
	v.Links = []pageLink{{locale.T(ctx, "standing.open"), v.Path}, {locale.T(ctx, "blocked.other"), p.otherSignIn(r)}}
	if placeOf(ctx).CompanyID() != applied.Company.ID { // the links lead to the company's host
		v.atHost(p.portal.Access.CompanyOrigin(applied.Company.ID))
	}
	shell := p.shell(r, "", true)
	shell.Panel, shell.Path, shell.OwnStyle = true, p.otherSignIn(r), ""
	p.more(r, &shell)
	shell.Offline = true
	if err := p.render(w, r, http.StatusUnprocessableEntity, shell, applicationStatePage(v)); err != nil {
		p.renderFailure(w, r, err)
	}
}

// atHost makes the links absolute. It removes the refresh button, which could not load a page of another host.
func (v *applicationStateView) atHost(origin string) {
	v.Refresh = ""
	v.Links[0].Href = origin + v.Links[0].Href
	if v.Main.Href == "" {
		v.Main, v.Links = v.Links[0], v.Links[1:]
		return
	}
	v.Main.Href = origin + v.Main.Href
}

// applicationState returns the view of an application: its state and what the applicant can do next.
func (p *Pages) applicationState(r *http.Request, a application.ApplicationView) applicationStateView {
	ctx := r.Context()
	path := "/register/result?id=" + decimal(a.ID)
	v := applicationStateView{
		Path: path, Company: a.Company.Name, State: applicationChip(r, a.State), Progress: applicationStages(r, 2),
		Heading: locale.T(ctx, "standing."+string(a.State)),
		Body:    locale.T(ctx, "standing."+string(a.State)+"_body", "company", a.Company.Name),
	}
	switch a.State {
	case store.ApplicationPending:
		v.Drawing, v.Refresh, v.People = "d-review", path, people(r, a.Contacts)
	case store.ApplicationApproved:
		v.Drawing, v.Main = "d-open", pageLink{locale.T(ctx, "standing.set_up"), "/register/complete"}
		v.Links = []pageLink{{locale.T(ctx, "register.to_login"), "/login"}}
		if a.SetUp {
			v.Body = locale.T(ctx, "standing.ready", "company", a.Company.Name)
			v.Main, v.Links = v.Links[0], nil
		}
	case store.ApplicationRejected:
		v.Drawing, v.People, v.Reason = "d-partner", people(r, a.Contacts), a.RejectReason
		if !a.Closed {
			v.Main = pageLink{locale.T(ctx, "standing.again"), "/register/more"}
		}
	}
	if !a.Whole {
		v.Links = append([]pageLink{{locale.T(ctx, "standing.whole"), path + "&prove=1"}}, v.Links...)
		return v
	}
	v.Facts = applicationFacts(r, a.Application)
	if a.LicenceKey != "" {
		v.Picture = "/register/more/licence?key=" + a.LicenceKey
	}
	for _, e := range a.Earlier {
		v.Earlier = append(v.Earlier, earlierApplicationOf(r, e, "/register/result?id="+decimal(e.ID)))
	}
	return v
}

// earlierApplicationOf returns the line of an earlier application.
func earlierApplicationOf(r *http.Request, a store.Application, href string) earlierApplication {
	return earlierApplication{
		Applied: components.Day(locale.Of(r.Context()), a.CreatedAt.Time()), State: applicationChip(r, a.State),
		Reason: a.RejectReason, Href: href,
	}
}

// applicationFacts returns the values of an application that are not empty, with the names of regions instead of their
// codes.
func applicationFacts(r *http.Request, a store.Application) []applicationFact {
	ctx := r.Context()
	var region []string
	for _, code := range []string{a.Province, a.City, a.District} {
		name, _ := regions.RegionName(code)
		// 北京市 is both a province and its only city: name it once.
		if name != "" && (len(region) == 0 || region[len(region)-1] != name) {
			region = append(region, name)
		}
	}
	all := []applicationFact{
		{Name: locale.T(ctx, "apply.company_name"), Value: a.CompanyName},
		{Name: locale.T(ctx, "apply.contact_name"), Value: a.ContactName},
		{Name: locale.T(ctx, "apply.position"), Value: a.Position},
		{Name: locale.T(ctx, "apply.region"), Value: strings.Join(region, " "), Lang: components.RegionLang},
		{Name: locale.T(ctx, "apply.address"), Value: a.Address},
		{Name: locale.T(ctx, "apply.reason"), Value: a.Reason, Lines: true},
		{Name: locale.T(ctx, "apply.phone"), Value: a.Phone, Phone: true},
		{Name: locale.T(ctx, "apply.contact_phone"), Value: a.ContactPhone, Phone: true},
		{Name: locale.T(ctx, "application.sent_at"), Value: components.Day(locale.Of(ctx), a.CreatedAt.Time())},
	}
	var facts []applicationFact
	for _, f := range all {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// proveApplicationView returns the form that proves the phone of an applicant who wants to read the whole application.
func (p *Pages) proveApplicationView(
	r *http.Request, a application.ApplicationView, in application.ProveApplicantInput,
) formView {
	ctx := r.Context()
	return formView{
		Heading: locale.T(ctx, "standing.prove"), Lead: locale.T(ctx, "standing.prove_lead", "company", a.Company.Name),
		Path:   "/register/result",
		Fields: applicantFields(r, in), Sending: sendingFor(verification.ForApplication, 0, "phone"),
		Hidden: []hidden{{"id", decimal(a.ID)}}, Submit: locale.T(ctx, "standing.show"),
		Busy:  locale.T(ctx, "care.busy"),
		Links: []pageLink{{locale.T(ctx, "standing.back"), "/register/result?id=" + decimal(a.ID)}},
	}
}

// submitApplicationProof proves the phone of an applicant who wants to read the whole application.
func (p *Pages) submitApplicationProof(w http.ResponseWriter, r *http.Request) error {
	id, ok := access.DecimalID(r.PostForm.Get("id"))
	if !ok {
		return access.NotFound
	}
	a, err := p.portal.Application.ApplicationByID(r.Context(), id, "")
	if err != nil {
		return err
	}
	if placeOf(r.Context()).CompanyID() != a.CompanyID {
		return access.NotFound
	}
	in := application.ProveApplicantInput{}
	decode(r, &in)
	in.CompanyID, in.ApplicationID, in.Flow = a.CompanyID, id, p.cookie(r, flowCookie)
	form := func(r *http.Request) formView { return p.proveApplicationView(r, a, in) }
	if _, answered, err := p.proveApplicant(w, r, in, form); answered || err != nil {
		return err
	}
	return seeOther(w, "/register/result?id="+decimal(id))
}
