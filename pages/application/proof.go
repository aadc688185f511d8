package application

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// applicationDetails names the fields of the application form. The form that proves the phone carries the values that
// were typed earlier.
var applicationDetails = []string{
	"company_name", "contact_name", "position", "province", "city", "district", "address", "reason", "licence_key",
	"contact_phone",
}

// applicantProofView returns the form that asks for an applicant's phone. It carries the other fields that were sent
// with the form.
func (p *Pages) applicantProofView(
	r *http.Request, setting application.ApplicationSetting, in application.ProveApplicantInput,
) forms.FormView {
	ctx := r.Context()
	v := forms.FormView{
		ForCompany: web.OtherCompany(r, setting.Company), Heading: locale.T(ctx, "apply.heading"),
		Lead: locale.T(ctx, "apply.prove_lead"),
		Path: "/register/more", Progress: applicationStages(r, 0), Submit: locale.T(ctx, "apply.next"),
		Busy:    locale.T(ctx, "care.busy"),
		Sending: forms.SendingFor(core.ForApplication, 0, "phone"),
		Links:   []web.PageLink{{Label: locale.T(ctx, "register.to_login"), Href: "/login"}},
	}
	v.Fields = applicantFields(r, in)
	if uploads.FileCame(r) || r.PostForm.Get("picture") == "1" { // the picture was dropped, because no phone was proven
		v.Hidden = append(v.Hidden, forms.Hidden{Name: "picture", Value: "1"})
	}
	for _, name := range applicationDetails {
		if value := r.PostForm.Get(name); value != "" {
			v.Hidden = append(v.Hidden, forms.Hidden{Name: name, Value: value})
		}
	}
	return v
}

// applicantFields returns the fields for an applicant's phone and its code.
func applicantFields(r *http.Request, in application.ProveApplicantInput) []components.Field {
	code := forms.CodeField(r)
	code.Value = in.Code
	return []components.Field{forms.PhoneField(r, in.Phone), code}
}

// proofInput reads the form that proves the phone of an applicant to a company.
func (p *Pages) proofInput(r *http.Request, companyID int64) application.ProveApplicantInput {
	var in application.ProveApplicantInput
	web.Decode(r, &in)
	in.CompanyID, in.Flow = companyID, p.web.Cookie(r, web.FlowCookie)
	return in
}

// viewApplicantProof shows the form that proves the phone with what was typed.
func (p *Pages) viewApplicantProof(w http.ResponseWriter, r *http.Request, c store.Company) error {
	now, err := p.portal.Application.ApplicationStatus(r.Context(), c.ID, signin.Applicant{})
	if err != nil {
		return err
	}
	return p.forms.RenderForm(w, r, p.applicantProofView(r, now.Setting, p.proofInput(r, c.ID)), nil)
}

// submitApplicantProof proves the phone. A form that also has the details sends the application at once.
func (p *Pages) submitApplicantProof(w http.ResponseWriter, r *http.Request, c store.Company) error {
	in := p.proofInput(r, c.ID)
	if r.PostForm.Get("action") == "draft" { // drafts are kept for proven phones only
		return access.Forbidden
	}
	now, err := p.portal.Application.ApplicationStatus(r.Context(), c.ID, signin.Applicant{})
	if err != nil {
		return err
	}
	who, answered, err := p.proveApplicant(w, r, in, p.applicantProofView(r, now.Setting, in))
	switch {
	case answered || err != nil:
		return err
	case r.PostForm.Get("picture") == "1": // the applicant has to choose it again
		return p.askForPictureAgain(w, r, who)
	case r.PostForm.Has("company_name"):
		return p.submitApplicationDetails(w, r, who, nil)
	}
	return web.SeeOther(w, web.InEdition(r.Context(), "/register/more"))
}

// proveApplicant sends a code to an applicant's phone, or proves the phone with it. answered reports whether it has
// written the form again: with the message that a code was sent, or with what was refused.
func (p *Pages) proveApplicant(
	w http.ResponseWriter, r *http.Request, in application.ProveApplicantInput, view forms.FormView,
) (who signin.Applicant, answered bool, err error) {
	if forms.AsksForCode(r) {
		return who, true, p.forms.SendCode(w, r, core.ForApplication, p.portal.Application.AskCode, view)
	}
	ticket, who, err := p.portal.Application.ProveApplicant(r.Context(), in)
	refused := new(access.Refused)
	if errors.As(err, &refused) && refused.Company == nil {
		if _, err := p.forms.Resume(r, &view, in.Flow, core.ForApplication); err != nil {
			return who, false, err
		}
		return who, true, p.forms.RenderForm(w, r, view, refused)
	}
	if err != nil {
		return who, false, err
	}
	p.web.SetCookie(w, web.ApplicantCookie, ticket, web.DaySeconds)
	return who, false, nil
}

// askForPictureAgain keeps the details and shows the form, because a picture that was sent before the phone was proven
// is not stored.
func (p *Pages) askForPictureAgain(w http.ResponseWriter, r *http.Request, who signin.Applicant) error {
	if _, err := p.portal.Application.KeepDraft(r.Context(), applicationOf(r, who)); err != nil {
		return err
	}
	p.web.SetFlash(w, "picture", 0)
	return web.SeeOther(w, web.InEdition(r.Context(), "/register/more"))
}

// AdmitApplicant accepts files from applicants to this host's company and from people who are signed in.
func (p *Pages) AdmitApplicant(r *http.Request) (uploads.Sender, error) {
	companyID := web.PlaceOf(r.Context()).CompanyID()
	if ticket := p.web.Cookie(r, web.ApplicantCookie); ticket != "" && companyID != 0 {
		if _, err := p.portal.Application.Applicant(ticket, companyID); err == nil {
			return uploads.Proven, nil
		}
	}
	return p.uploads.AdmitSignedIn(r)
}

// CheckApplicantForm is web.CheckFormOrigin for browsers in which an applicant has proven a phone. Other browsers send
// nothing that another site could misuse.
func (p *Pages) CheckApplicantForm(r *http.Request) error {
	if p.web.Cookie(r, web.ApplicantCookie) == "" {
		return nil
	}
	return p.web.CheckFormOrigin(r)
}
