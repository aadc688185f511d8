package application

import (
	"context"
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/regions"
	"portico/store"
)

// applicationStateView is the page that tells an applicant the state of an application.
type applicationStateView struct {
	Path     string
	Note     string // says that the form that was just sent did not replace this application, "" for none
	Scene    components.Scene
	Owner    components.Owner // the company
	Heading  string
	Body     string
	Company  string // whose application it is, "" when the page is the company's own
	Reason   string // of a rejection
	People   []components.Person
	Main     web.PageLink
	Links    []web.PageLink
	Timeline []timelineStep
	Refresh  string // the address that the refresh button loads, "" when the state is final
	Facts    []ApplicationFact
	Picture  string // the address of the licence
	Earlier  []EarlierApplication
}

// head returns the beginning of the page. The reason of a rejection comes before the sentence.
func (v applicationStateView) head() components.State {
	s := components.State{Scene: v.Scene, Of: v.Company, Heading: v.Heading}
	if v.Reason == "" {
		s.Body = v.Body
	}
	return s
}

// timelineStep is one step of an application, from sending it to ordering.
type timelineStep struct {
	Text string
	When string // the time of a step that was done, or how long the current one takes; "" for neither
	Kind string // "done", "bad", "now", "" for a step that is still to come
}

// ApplicationFact is one value of an application with its label.
type ApplicationFact struct {
	Name, Value string
	Lang        string // of the value, "" for the page's
	Lines       bool   // the value may have several lines
	Phone       bool   // the value is a phone number
	Call        bool   // a press on the phone number calls it
}

// EarlierApplication is an earlier application from the same phone.
type EarlierApplication struct {
	Applied string
	State   web.Chip
	Reason  string
	Href    string
}

// showApplication shows the application with an id. Everybody who has the link sees the state; the applicant, who has
// proven the phone, sees the whole application.
func (p *Pages) showApplication(w http.ResponseWriter, r *http.Request, id int64) error {
	place := web.PlaceOf(r.Context())
	view, err := p.portal.Application.ApplicationByID(r.Context(), id, p.web.Cookie(r, web.ApplicantCookie))
	if err != nil {
		return err
	}
	if place.Company == nil && !place.Local { // an application is shown on the company's host only
		return web.SeeOther(w,
			p.portal.Core.Access.CompanyOrigin(view.CompanyID)+"/register/result?id="+web.Decimal(id))
	}
	if place.CompanyID() != view.CompanyID {
		return access.NotFound
	}
	if r.URL.Query().Get("prove") == "1" && !view.AllFields {
		care := p.proveApplicationView(r, view, application.ProveApplicantInput{})
		if _, err := p.forms.Resume(r, &care, p.web.Cookie(r, web.FlowCookie),
			core.ForApplication); err != nil {
			return err
		}
		return p.forms.RenderForm(w, r, care, nil)
	}
	shell := p.web.Shell(r, "", true)
	shell.Path = "/register/result"
	shell.Query = "id=" + web.Decimal(id)
	p.web.FlowsStyle(r, &shell)
	shell.State, shell.Offline = true, true
	standing := p.applicationState(r, view)
	standing.Note = p.web.Flash(w, r, "not_taken", "apply.not_taken")
	return p.web.Render(w, r, http.StatusOK, shell, applicationStatePage(standing))
}

// RenderApplied answers the sign-in of an applicant who has no account yet: it shows the state of the application. When
// a code proved the phone on the company's own host, the link leads to the whole application.
func (p *Pages) RenderApplied(w http.ResponseWriter, r *http.Request, refused *access.Refused) {
	ctx, applied := r.Context(), refused.Applied
	if applied.Ticket != "" {
		p.web.SetCookie(w, web.ApplicantCookie, applied.Ticket, web.DaySeconds)
	}
	v := p.applicationState(r, application.ApplicationView{
		Application: store.Application{ID: applied.ID, State: applied.State, RejectReason: applied.RejectReason},
		Company:     applied.Company, Contacts: refused.Contacts, Closed: applied.Closed,
	})
	v.Links = []web.PageLink{{Label: locale.T(ctx, "standing.open"), Href: v.Path},
		{Label: locale.T(ctx, "blocked.other"), Href: p.web.OtherSignIn(r)}}
	if web.PlaceOf(ctx).CompanyID() != applied.Company.ID { // the links lead to the company's host
		v.atHost(p.portal.Core.Access.CompanyOrigin(applied.Company.ID))
	}
	shell := p.web.Shell(r, "", true)
	shell.Path, shell.OwnStyle = p.web.OtherSignIn(r), ""
	p.web.FlowsStyle(r, &shell)
	shell.Marks = web.OwnerStyle(r, applied.Company)
	shell.State, shell.Offline = true, true
	if err := p.web.Render(w, r, http.StatusUnprocessableEntity, shell, applicationStatePage(v)); err != nil {
		p.web.RenderFailure(w, r, err)
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
	path := "/register/result?id=" + web.Decimal(a.ID)
	v := applicationStateView{
		Path: path, Owner: web.Owner(a.Company), Company: web.OtherCompany(r, a.Company), Timeline: timeline(r, a),
		Heading: locale.T(ctx, "standing."+string(a.State)),
		Body:    locale.T(ctx, "standing."+string(a.State)+"_body"),
	}
	switch a.State {
	case store.ApplicationPending:
		v.Scene = components.SceneReview
		v.Refresh = path
		v.People = web.People(r, a.Contacts)
	case store.ApplicationApproved:
		v.Scene = components.SceneOpen
		v.Main = web.PageLink{Label: locale.T(ctx, "standing.set_up"), Href: "/register/complete"}
		v.Links = []web.PageLink{{Label: locale.T(ctx, "register.to_login"), Href: "/login"}}
		if a.SetUp {
			v.Body = locale.T(ctx, "standing.ready")
			v.Main, v.Links = v.Links[0], nil
		}
	case store.ApplicationRejected:
		v.Scene = components.SceneRejected
		v.People = web.People(r, a.Contacts)
		v.Reason = a.RejectReason
		if v.Reason != "" && len(v.People) > 0 { // the reason and the contacts say it
			v.Body = ""
		}
		if !a.Closed {
			v.Main = web.PageLink{Label: locale.T(ctx, "standing.again"), Href: "/register/more"}
		}
	}
	if !a.AllFields {
		v.Links = append([]web.PageLink{{Label: locale.T(ctx, "standing.whole"), Href: path + "&prove=1"}}, v.Links...)
		return v
	}
	v.Facts = ApplicationFacts(r, a.Application)
	for i := range v.Facts {
		v.Facts[i].Call = false // the applicant's own
	}
	if a.LicenceKey != "" {
		v.Picture = "/register/more/licence?key=" + a.LicenceKey
	}
	for _, e := range a.Earlier {
		v.Earlier = append(v.Earlier, EarlierApplicationOf(r, e, "/register/result?id="+web.Decimal(e.ID)))
	}
	return v
}

// timeline returns the steps of an application. Only the applicant learns the times.
func timeline(r *http.Request, a application.ApplicationView) []timelineStep {
	ctx := r.Context()
	decided := timelineStep{Text: locale.T(ctx, "apply.stage_decision")}
	if a.State != store.ApplicationPending {
		decided.Text, decided.Kind = web.ApplicationChip(r, a.State).Text, "done"
	}
	sent := timelineStep{Text: locale.T(ctx, "standing.sent"), Kind: "done"}
	if a.AllFields {
		sent.When = dayAndTime(ctx, a.CreatedAt)
		if a.DecidedAt != 0 {
			decided.When = dayAndTime(ctx, a.DecidedAt)
		}
	}
	switch a.State {
	case store.ApplicationPending:
		review := timelineStep{Text: locale.T(ctx, "standing.review"), When: locale.T(ctx, "standing.review_time"),
			Kind: "now"}
		return []timelineStep{sent, review, decided}
	case store.ApplicationApproved:
		setUp := timelineStep{Text: locale.T(ctx, "standing.set_up"), Kind: "now"}
		order := timelineStep{Text: locale.T(ctx, "standing.first_order")}
		if a.SetUp {
			setUp.Kind, order.Kind = "done", "now"
		}
		return []timelineStep{sent, decided, setUp, order}
	}
	decided.Kind = "bad"
	return []timelineStep{sent, decided}
}

// dayAndTime formats an instant for the timeline.
func dayAndTime(ctx context.Context, at store.Instant) string {
	return components.Day(locale.Of(ctx), at.Time()) + " " + components.Clock(at.Time())
}

// EarlierApplicationOf returns the line of an earlier application.
func EarlierApplicationOf(r *http.Request, a store.Application, href string) EarlierApplication {
	return EarlierApplication{
		Applied: components.Day(locale.Of(r.Context()), a.CreatedAt.Time()), State: web.ApplicationChip(r, a.State),
		Reason: a.RejectReason, Href: href,
	}
}

// ApplicationFacts returns the values of an application that are not empty, with the names of regions instead of their
// codes.
func ApplicationFacts(r *http.Request, a store.Application) []ApplicationFact {
	ctx := r.Context()
	var region []string
	for _, code := range []string{a.Province, a.City, a.District} {
		name, _ := regions.RegionName(code)
		// 北京市 is both a province and its only city: name it once.
		if name != "" && (len(region) == 0 || region[len(region)-1] != name) {
			region = append(region, name)
		}
	}
	all := []ApplicationFact{
		{Name: locale.T(ctx, "apply.company_name"), Value: a.CompanyName},
		{Name: locale.T(ctx, "apply.contact_name"), Value: a.ContactName},
		{Name: locale.T(ctx, "apply.position"), Value: a.Position},
		{Name: locale.T(ctx, "apply.region"), Value: strings.Join(region, " "), Lang: components.RegionLang},
		{Name: locale.T(ctx, "apply.address"), Value: a.Address},
		{Name: locale.T(ctx, "apply.reason"), Value: a.Reason, Lines: true},
		{Name: locale.T(ctx, "apply.phone"), Value: a.Phone, Phone: true, Call: true},
		{Name: locale.T(ctx, "apply.contact_phone"), Value: a.ContactPhone, Phone: true, Call: true},
	}
	var facts []ApplicationFact
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
) forms.FormView {
	ctx := r.Context()
	return forms.FormView{
		Heading: locale.T(ctx, "standing.prove"), Lead: locale.T(ctx, "standing.prove_lead", "company", a.Company.Name),
		Path:   "/register/result",
		Fields: applicantFields(r, in), Sending: forms.SendingFor(core.ForApplication, 0, "phone"),
		Hidden: []forms.Hidden{{Name: "id", Value: web.Decimal(a.ID)}}, Submit: locale.T(ctx, "standing.show"),
		Busy: locale.T(ctx, "care.busy"),
		Links: []web.PageLink{{Label: locale.T(ctx, "standing.back"),
			Href: "/register/result?id=" + web.Decimal(a.ID)}},
	}
}

// applicationToProve reads the form of an applicant who wants to read the whole application.
func (p *Pages) applicationToProve(
	r *http.Request,
) (a application.ApplicationView, in application.ProveApplicantInput, err error) {
	id, ok := access.DecimalID(r.PostForm.Get("id"))
	if !ok {
		return a, in, access.NotFound
	}
	if a, err = p.portal.Application.ApplicationByID(r.Context(), id, ""); err != nil {
		return a, in, err
	}
	if web.PlaceOf(r.Context()).CompanyID() != a.CompanyID {
		return a, in, access.NotFound
	}
	in = p.proofInput(r, a.CompanyID)
	in.ApplicationID = id
	return a, in, nil
}

// viewApplicationProof shows the form that proves the phone with what was typed.
func (p *Pages) viewApplicationProof(w http.ResponseWriter, r *http.Request) error {
	a, in, err := p.applicationToProve(r)
	if err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, p.proveApplicationView(r, a, in), nil)
}

// submitApplicationProof proves the phone of an applicant who wants to read the whole application.
func (p *Pages) submitApplicationProof(w http.ResponseWriter, r *http.Request) error {
	a, in, err := p.applicationToProve(r)
	if err != nil {
		return err
	}
	view := p.proveApplicationView(r, a, in)
	if _, answered, err := p.proveApplicant(w, r, in, view); answered || err != nil {
		return err
	}
	return web.SeeOther(w, "/register/result?id="+web.Decimal(a.ID))
}
