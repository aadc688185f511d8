package onboarding

import (
	"errors"
	"net/http"
	"net/url"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/samples"
	"portico/store"
)

func (p *Pages) initialiseView(r *http.Request, c store.Company, industry int64) forms.FormView {
	ctx := r.Context()
	field, least := industryField(r, industry), samples.Least()
	field.Hint = locale.T(ctx, "init.brings",
		"products", least.Products, "customers", least.Customers, "orders", least.Orders)
	return forms.FormView{
		Heading: locale.T(ctx, "init.heading"), Lead: locale.T(ctx, "init.lead", "company", c.Name),
		Path: "/register/init", Progress: forms.RegisterStages(r, 1),
		Fields: []components.Field{field}, Main: forms.FormButton{Name: "import", Value: "1"},
		Submit: locale.T(ctx, "init.import"), Busy: locale.T(ctx, "init.initialising"),
		Extra:  []forms.FormButton{{Name: "import", Value: "0", Label: locale.T(ctx, "init.skip")}},
		Hidden: []forms.Hidden{{Name: "company", Value: web.Decimal(c.ID)}},
	}
}

func industryField(r *http.Request, chosen int64) components.Field {
	f := components.Field{Kind: components.KindIndustry, ID: "industry", Label: locale.T(r.Context(), "init.industry")}
	if chosen != 0 {
		f.Value = web.Decimal(chosen)
	}
	return f
}

// InitialiseForm is the page on which the industry of a new company is chosen.
func (p *Pages) InitialiseForm() web.FormPage {
	return web.FormPage{Show: p.showInitialise, View: p.viewInitialise, Submit: p.submitInitialise}
}

// showInitialise answers GET /register/init: the choice of an industry. It redirects when the company has one.
func (p *Pages) showInitialise(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	c, ok, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
	if err != nil {
		return err
	}
	if !ok {
		return web.SeeOther(w, "/register/result")
	}
	view := p.initialiseView(r, c, 0)
	if r.URL.Query().Get("done") == "created" {
		view.Note = locale.T(r.Context(), "register.created_long", "company", c.Name)
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// viewInitialise shows the form with the chosen industry.
func (p *Pages) viewInitialise(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	var in onboarding.InitialiseInput
	web.Decode(r, &in)
	c, ok, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
	if err != nil {
		return err
	}
	if !ok {
		return web.SeeOther(w, resultPath("initialised", in.Company))
	}
	return p.forms.RenderForm(w, r, p.initialiseView(r, c, in.Industry), nil)
}

// submitInitialise answers POST /register/init: it sets the industry of a new company, with sample data or without, and
// redirects to the result.
func (p *Pages) submitInitialise(w http.ResponseWriter, r *http.Request) error {
	s, err := p.web.SignedIn(r)
	if err != nil {
		return err
	}
	in := onboarding.InitialiseInput{Session: s}
	web.Decode(r, &in)
	c, ok, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
	if err != nil {
		return err
	}
	if !ok { // sent twice, or done in another tab
		return web.SeeOther(w, resultPath("initialised", in.Company))
	}
	_, err = p.portal.Onboarding.Initialise(r.Context(), in)
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.WrongParameters):
		return web.SeeOther(w, resultPath("initialised", in.Company))
	case ok && refused.Company == nil:
		return p.forms.RenderForm(w, r, p.initialiseView(r, c, in.Industry), refused)
	case err != nil:
		return err
	}
	return web.SeeOther(w, resultPath("initialised", c.ID))
}

// resultPath returns the path of the result page of registering a company, which says what was done: "created", or
// "initialised". An id of 0 is the person's default company.
func resultPath(done string, companyID int64) string {
	query := url.Values{"done": {done}}
	if companyID != 0 {
		query.Set("company", web.Decimal(companyID))
	}
	return "/register/result?" + query.Encode()
}
