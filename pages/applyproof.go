package pages

import (
	"context"
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/store"
)

// detailsOfApplication are the fields of the application form; typed before the phone was proven, they come along.
var detailsOfApplication = []string{"company_name", "contact_name", "position", "province", "city", "district", "address", "reason", "licence_key", "contact_phone"}

// proveView asks for the phone of somebody who applies, with whatever else came with the form.
func (p *Pages) proveView(r *http.Request, setting portal.RegistrationSetting, in portal.ApplicantInput) careView {
	ctx := r.Context()
	v := careView{
		Heading: locale.T(ctx, "apply.heading", "company", setting.Company.Name), Lead: locale.T(ctx, "apply.prove_lead"),
		Path: "/register/more", Progress: applyStages(r, 0), Submit: locale.T(ctx, "apply.next"), Busy: locale.T(ctx, "care.busy"),
		Sending: sendingFor(portal.ForApplication, 0, "phone"), Links: []pageLink{{locale.T(ctx, "register.to_login"), "/login"}},
	}
	v.Fields = applicantFields(r, in)
	if uploadCame(r) || r.PostForm.Get("picture") == "1" { // it could not be kept: nobody had proven to be somebody
		v.Hidden = append(v.Hidden, hidden{"picture", "1"})
	}
	for _, name := range detailsOfApplication {
		if value := r.PostForm.Get(name); value != "" {
			v.Hidden = append(v.Hidden, hidden{name, value})
		}
	}
	return v
}

// applicantFields are the phone of an applicant and its code.
func applicantFields(r *http.Request, in portal.ApplicantInput) []components.Field {
	code := codeField(r)
	code.Value = in.Code
	return []components.Field{phoneField(r, in.Phone), code}
}

// submitProof proves the phone; a form that brings the details, too, sends them in at once.
func (p *Pages) submitProof(w http.ResponseWriter, r *http.Request, c store.Company) error {
	var in portal.ApplicantInput
	decode(r, &in)
	in.CompanyID, in.Flow = c.ID, p.cookie(r, flowCookie)
	if r.PostForm.Get("action") == "draft" { // kept once the phone is proven
		return portal.Forbidden
	}
	now, err := p.portal.Applying(r.Context(), c.ID, "")
	if err != nil {
		return err
	}
	form := func(r *http.Request) careView { return p.proveView(r, now.Setting, in) }
	return p.applicantBy(w, r, in, form, p.portal.ProveApplicant, func(ticket string) error {
		switch {
		case r.PostForm.Get("picture") == "1": // is to be chosen once more
			return p.chooseAgain(w, r, c, ticket)
		case r.PostForm.Has("company_name"):
			return p.submitDetails(w, r, c, ticket)
		}
		return seeOther(w, inEdition(r.Context(), "/register/more"))
	})
}

// applicantBy sends the code to an applicant's phone, or proves the phone by it and goes on; what is to be mended is shown on
// the same form.
func (p *Pages) applicantBy(w http.ResponseWriter, r *http.Request, in portal.ApplicantInput, form func(*http.Request) careView,
	prove func(context.Context, portal.ApplicantInput) (string, error), goOn func(ticket string) error,
) error {
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderCare(w, again, form(again), nil)
	}
	view := form(r)
	if asked(r) {
		return p.sendCode(w, r, portal.ForApplication, view)
	}
	ticket, err := prove(r.Context(), in)
	refused := new(portal.Refused)
	if errors.As(err, &refused) && refused.Company == nil {
		if _, err := p.resume(r, &view, in.Flow, portal.ForApplication); err != nil {
			return err
		}
		return p.renderCare(w, r, view, refused)
	}
	if err != nil {
		return err
	}
	p.setCookie(w, applicantCookie, ticket, daySeconds)
	return goOn(ticket)
}

// chooseAgain keeps the details and shows the form, for a picture that came before the phone was proven.
func (p *Pages) chooseAgain(w http.ResponseWriter, r *http.Request, c store.Company, ticket string) error {
	in := portal.ApplyInput{}
	decode(r, &in)
	in.CompanyID, in.Ticket = c.ID, ticket
	if err := p.portal.KeepDraft(r.Context(), in); err != nil {
		return err
	}
	p.setFlash(w, "picture", 0)
	return seeOther(w, inEdition(r.Context(), "/register/more"))
}
