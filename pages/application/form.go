package application

import (
	"io"
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

// applicant returns the person who proved a phone to this company in this browser, and renews their ticket. It returns
// the zero Applicant when nobody did.
func (p *Pages) applicant(w http.ResponseWriter, r *http.Request, companyID int64) signin.Applicant {
	ticket, who, err := p.portal.Application.RenewApplicant(p.web.Cookie(r, web.ApplicantCookie), companyID)
	if err != nil {
		return signin.Applicant{}
	}
	p.web.SetCookie(w, web.ApplicantCookie, ticket, web.DaySeconds)
	return who
}

// applicationStages returns the steps of an application; at is the index of the current one.
func applicationStages(r *http.Request, at int) []forms.Stage {
	return forms.StagesNamed(r, at, "apply.stage_phone", "apply.stage_details", "apply.stage_decision")
}

// applicationFormView returns the application form with what was typed. The company's setting says which fields are
// required.
func (p *Pages) applicationFormView(
	r *http.Request, setting application.ApplicationSetting, in application.ApplicationInput,
) forms.FormView {
	ctx := r.Context()
	v := forms.FormView{
		ForCompany: web.OtherCompany(r, setting.Company), Heading: locale.T(ctx, "apply.heading"),
		Lead: locale.T(ctx, "apply.lead"),
		Path: "/register/more", Progress: applicationStages(r, 1), Multipart: true, Draft: true, Columns: true,
		Submit: locale.T(ctx, "apply.submit"), Busy: locale.T(ctx, "apply.sending"),
		Links: []web.PageLink{{Label: locale.T(ctx, "register.to_login"), Href: "/login"}},
	}
	if !setting.Review {
		v.Lead = locale.T(ctx, "apply.lead_at_once")
	}
	text := func(id, value, complete string, max int, optional bool) components.Field {
		label := locale.T(ctx, "apply."+id)
		return components.Field{ID: id, Label: label, Value: value, Complete: complete, Max: max, Optional: optional}
	}
	optional := func(name string) bool { return !setting.Requires(name) }
	region := forms.RegionField(in.Province, in.City, in.District)
	region.Required = setting.Requires("region")
	contact := forms.PhoneField(r, in.ContactPhone).Labelled(locale.T(ctx, "apply.contact_phone"))
	contact.ID, contact.Optional = "contact_phone", optional("contact_phone")
	if contact.Optional {
		contact.Hint = locale.T(ctx, "apply.contact_phone_hint", "phone", access.MaskPhone(in.Applicant.Phone()))
	}
	reason := text("reason", in.Reason, "off", application.MaxReason, optional("reason"))
	reason.Kind = components.KindLines
	v.Fields = []components.Field{
		text("company_name", in.CompanyName, "organization", access.MaxCompanyName, false),
		text("contact_name", in.ContactName, "name", access.MaxName, false),
		text("position", in.Position, "organization-title", access.MaxPosition, optional("position")),
		contact,
		{Kind: components.KindRegion, ID: components.RegionID, Region: &region},
		text("address", in.Address, "address-line1", application.MaxAddress, optional("address")),
		reason, p.licenceField(r, setting, in),
	}
	return v
}

// licenceField returns the field for the picture of the business licence.
func (p *Pages) licenceField(
	r *http.Request, setting application.ApplicationSetting, in application.ApplicationInput,
) components.Field {
	ctx := r.Context()
	f := components.UploadField{
		ID: "licence", Label: locale.T(ctx, "apply.licence"), Hint: locale.T(ctx, "apply.licence_hint"), URL: "/upload",
		Key: in.LicenceKey,
		Max: access.MaxUpload, Required: setting.Requires("licence"),
	}
	if in.LicenceKey != "" {
		f.Preview = "/register/more/licence?key=" + in.LicenceKey
	}
	if token, err := p.portal.Licences.LicenceToken(ctx, setting.Company.ID, in.Applicant.Phone()); err == nil {
		f.Token = token
	}
	return components.Field{Kind: components.KindUpload, ID: "licence", Upload: &f}
}

// ShowApplicationForm shows the application form, or the form that proves the phone first. On a host without a company
// it asks for the company.
func (p *Pages) ShowApplicationForm(w http.ResponseWriter, r *http.Request) error {
	c := web.PlaceOf(r.Context()).Company
	if c == nil {
		return p.showFindCompany(w, r)
	}
	now, err := p.portal.Application.ApplicationStatus(r.Context(), c.ID, p.applicant(w, r, c.ID))
	if err != nil {
		return err
	}
	if elsewhere, err := p.redirectApplicant(w, r, now.State, now.Last); elsewhere {
		return err
	}
	if now.Applicant.Phone() == "" {
		view := p.applicantProofView(r, now.Setting, application.ProveApplicantInput{})
		if _, err := p.forms.Resume(r, &view, p.web.Cookie(r, web.FlowCookie),
			core.ForApplication); err != nil {
			return err
		}
		view.Public = web.PublicApplication
		return p.forms.RenderForm(w, r, view, nil)
	}
	draft, err := p.portal.Application.ApplicationDraft(r.Context(), now)
	if err != nil {
		return err
	}
	view := p.applicationFormView(r, now.Setting, draft)
	view.Note = p.web.Flash(w, r, "picture", "apply.picture_again")
	if view.Note == "" && now.State == application.ApplicantRejected {
		view.Note = locale.T(r.Context(), "apply.again_note")
	}
	return p.forms.RenderForm(w, r, view, nil)
}

// redirectApplicant answers people who need not apply: with a redirect to their application, or a link to sign in.
// elsewhere reports whether it has written the answer.
func (p *Pages) redirectApplicant(
	w http.ResponseWriter, r *http.Request, state application.ApplicantState, last store.Application,
) (elsewhere bool, err error) {
	switch state {
	case application.ApplicantPending, application.ApplicantApproved:
		if last.State == store.ApplicationRejected || last.ID == 0 { // the company opened the account by itself
			return true, web.SeeOther(w, web.InEdition(r.Context(), "/register/complete"))
		}
		return true, web.SeeOther(w, web.InEdition(r.Context(),
			"/register/result?id="+web.Decimal(last.ID)))
	case application.ApplicantMember:
		ctx := r.Context()
		p.web.RenderState(w, r, http.StatusOK, components.State{
			Scene: components.SceneOpen, Heading: locale.T(ctx, "apply.member"),
			Body:   locale.T(ctx, "apply.member_body", "company", web.PlaceOf(ctx).Company.Name),
			Action: locale.T(ctx, "register.to_login"), Href: "/login",
		})
		return true, nil
	}
	return false, nil
}

// ApplicationForm is the page on which a customer applies to a company.
func (p *Pages) ApplicationForm() uploads.FilePage {
	return uploads.FilePage{Show: p.ShowApplicationForm, View: p.viewApplicationForm, Submit: p.SubmitApplicationForm}
}

// viewApplicationForm shows the form of either step with what was typed. It keeps the details and their picture in the
// draft, because a browser does not fill in a file field again.
func (p *Pages) viewApplicationForm(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	c := web.PlaceOf(r.Context()).Company
	if c == nil {
		return p.forms.RenderForm(w, r, p.findCompanyView(r, r.PostForm.Get("site")), nil)
	}
	if err := p.CheckApplicantForm(r); err != nil {
		return err
	}
	who := p.applicant(w, r, c.ID)
	if who.Phone() == "" {
		return p.viewApplicantProof(w, r, *c)
	}
	return p.keepAndShow(w, r, applicationWith(r, who, f.Content()))
}

// keepAndShow keeps the draft and shows the form again.
func (p *Pages) keepAndShow(w http.ResponseWriter, r *http.Request, in application.ApplicationInput) error {
	in, err := p.portal.Application.KeepDraft(r.Context(), in)
	refused, err := forms.RefusedOf(err)
	if err != nil {
		return err
	}
	return p.applicationFormAgain(w, r, in, refused)
}

// SubmitApplicationForm handles the form of either step: the phone with its code, or the details.
func (p *Pages) SubmitApplicationForm(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	c := web.PlaceOf(r.Context()).Company
	if c == nil {
		return p.submitFindCompany(w, r)
	}
	if err := p.CheckApplicantForm(r); err != nil {
		return err
	}
	who := p.applicant(w, r, c.ID)
	if who.Phone() == "" {
		return p.submitApplicantProof(w, r, *c)
	}
	return p.submitApplicationDetails(w, r, who, f.Content())
}

// submitApplicationDetails sends the application. Any other button keeps the draft and shows the form again.
func (p *Pages) submitApplicationDetails(
	w http.ResponseWriter, r *http.Request, who signin.Applicant, licence io.ReadSeeker,
) error {
	in := applicationWith(r, who, licence)
	switch r.PostForm.Get("action") {
	case "":
	case "draft":
		return p.keepDraft(w, r, in)
	default: // such as the button that shows the cities of a province
		return p.keepAndShow(w, r, in)
	}
	sent, err := p.portal.Application.SendApplication(r.Context(), in)
	refused, err := forms.RefusedOf(err)
	switch {
	case err != nil:
		return err
	case refused == nil:
		return p.afterApplication(w, r, sent.Application)
	case refused.Company != nil:
		return refused
	}
	return p.applicationFormAgain(w, r, sent.Typed, refused)
}

// keepDraft answers the script that saves what is typed. It ignores a refused picture: the form sends the picture
// again.
func (p *Pages) keepDraft(w http.ResponseWriter, r *http.Request, in application.ApplicationInput) error {
	_, err := p.portal.Application.KeepDraft(r.Context(), in)
	if _, err = forms.RefusedOf(err); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// applicationWith reads an application from a form that has come with a picture of the licence, nil for none.
func applicationWith(r *http.Request, who signin.Applicant, licence io.ReadSeeker) application.ApplicationInput {
	in := applicationOf(r, who)
	if in.Licence = licence; licence == nil && r.PostForm.Get("licence_remove") == "1" {
		in.LicenceKey = ""
	}
	return in
}

// applicationOf reads an application from a form. Without scripts, a browser still sends the chosen city and district
// after the person has set the province back to none, so applicationOf clears them.
func applicationOf(r *http.Request, who signin.Applicant) application.ApplicationInput {
	in := application.ApplicationInput{Lang: string(locale.Of(r.Context()))}
	web.Decode(r, &in)
	if in.Province == "" {
		in.City, in.District = "", ""
	}
	in.CompanyID = web.PlaceOf(r.Context()).CompanyID()
	in.Applicant = who
	in.KeepRefused = true
	return in
}

// applicationFormAgain shows the form as it was sent, with what was refused.
func (p *Pages) applicationFormAgain(
	w http.ResponseWriter, r *http.Request, in application.ApplicationInput, refused *access.Refused,
) error {
	now, err := p.portal.Application.ApplicationStatus(r.Context(), in.CompanyID, in.Applicant)
	if err != nil {
		return err
	}
	p.flashEarlierApplication(w, in, now.Last)
	if elsewhere, err := p.redirectApplicant(w, r, now.State, now.Last); elsewhere { // sent twice, or from a second tab
		return err
	}
	if refused != nil && refused.Fields["province"] != "" { // one message for the three fields
		refused.Fields[components.RegionID] = refused.Fields["province"]
	}
	return p.forms.RenderForm(w, r, p.applicationFormView(r, now.Setting, in), refused)
}

// flashEarlierApplication sets a flash message for the page of an earlier application: it says that the form that was
// sent now has other content and was not taken.
func (p *Pages) flashEarlierApplication(
	w http.ResponseWriter, in application.ApplicationInput, last store.Application,
) {
	if last.ID != 0 && last.State != store.ApplicationRejected && !in.SameAs(last) {
		p.web.SetFlash(w, "not_taken", 0)
	}
}

// afterApplication redirects an applicant: to set the account up when the company requires no review, otherwise to the
// state of the application.
func (p *Pages) afterApplication(w http.ResponseWriter, r *http.Request, a store.Application) error {
	if ticket := p.web.Cookie(r, web.IdentityCookie); ticket != "" {
		flow := p.web.Cookie(r, web.FlowCookie)
		if err := p.portal.Chatlogin.NoteApplicant(r.Context(), ticket, flow, a.CompanyID, a.Phone); err != nil {
			return err
		}
	}
	if a.State == store.ApplicationApproved {
		return web.SeeOther(w, web.InEdition(r.Context(), "/register/complete"))
	}
	return web.SeeOther(w, web.InEdition(r.Context(), "/register/result?id="+web.Decimal(a.ID)))
}
