package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

func (p *Pages) initialiseView(r *http.Request, c store.Company, industry int64) formView {
	ctx := r.Context()
	return formView{
		Heading: locale.T(ctx, "init.heading"), Lead: locale.T(ctx, "init.lead", "company", c.Name), Path: "/register/init", Progress: registerStages(r, 1),
		Fields: []components.Field{industryField(r, industry)}, Main: formButton{Name: "import", Value: "1"},
		Submit: locale.T(ctx, "init.import"), Busy: locale.T(ctx, "init.initialising"), Extra: []formButton{{"import", "0", locale.T(ctx, "init.skip")}},
		Links: []pageLink{{locale.T(ctx, "init.later"), "/company"}}, Hidden: []hidden{{"company", decimal(c.ID)}},
	}
}

func industryField(r *http.Request, chosen int64) components.Field {
	f := components.Field{Kind: components.KindIndustry, ID: "industry", Label: locale.T(r.Context(), "init.industry")}
	if chosen != 0 {
		f.Value = decimal(chosen)
	}
	return f
}

// showInitialise is the choice of an industry, for a company that has none yet; there is nothing to do for others.
func (p *Pages) showInitialise(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	c, ok, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
	if err != nil {
		return err
	}
	if !ok {
		return seeOther(w, "/register/result")
	}
	view := p.initialiseView(r, c, 0)
	if r.URL.Query().Get("done") == "created" {
		view.Note = locale.T(r.Context(), "register.created_long", "company", c.Name)
	}
	return p.renderForm(w, r, view, nil)
}

func (p *Pages) submitInitialise(w http.ResponseWriter, r *http.Request) error {
	s, err := p.signedIn(r)
	if err != nil {
		return err
	}
	in := onboarding.InitialiseInput{Session: s}
	decode(r, &in)
	c, ok, err := p.portal.Onboarding.ToInitialise(r.Context(), s)
	if err != nil {
		return err
	}
	if !ok { // sent twice, or done in another tab
		return seeOther(w, "/register/result")
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.initialiseView(again, c, in.Industry), nil)
	}
	_, err = p.portal.Onboarding.Initialise(r.Context(), in)
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.WrongParameters):
		return seeOther(w, "/register/result")
	case ok && refused.Company == nil:
		return p.renderForm(w, r, p.initialiseView(r, c, in.Industry), refused)
	case err != nil:
		return err
	}
	return seeOther(w, "/register/result?done=initialised")
}
