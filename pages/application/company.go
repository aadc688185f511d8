package application

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
)

// On a host without a company, /register/more asks for the company: customers apply on the company's own host.

// findCompanyView returns the form that asks for a company's address.
func (p *Pages) findCompanyView(r *http.Request, typed string) forms.FormView {
	ctx := r.Context()
	return forms.FormView{
		Heading: locale.T(ctx, "apply.no_company"), Lead: locale.T(ctx, "apply.no_company_body"),
		Path: "/register/more",
		Fields: []components.Field{{
			ID: "site", Label: locale.T(ctx, "apply.which_company"),
			Hint:  locale.T(ctx, "apply.which_company_hint", "host", p.base.Host),
			Value: typed, Complete: "off", Max: application.MaxSite,
		}},
		Submit: locale.T(ctx, "apply.to_company"), Busy: locale.T(ctx, "care.busy"),
		Links: []web.PageLink{{Label: locale.T(ctx, "care.back_to_login"), Href: "/login"}},
	}
}

// showFindCompany shows that form.
func (p *Pages) showFindCompany(w http.ResponseWriter, r *http.Request) error {
	return p.forms.RenderForm(w, r, p.findCompanyView(r, ""), nil)
}

// submitFindCompany redirects to the application form on the company's host.
func (p *Pages) submitFindCompany(w http.ResponseWriter, r *http.Request) error {
	typed := r.PostForm.Get("site")
	origin, err := p.portal.Application.FindCompany(r.Context(), typed)
	if refused, ok := errors.AsType[*access.Refused](err); ok {
		return p.forms.RenderForm(w, r, p.findCompanyView(r, typed), refused)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, origin+web.InEdition(r.Context(), "/register/more"))
}
