package pages

import (
	"errors"
	"net/http"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/store"
)

// applicantTicket is the ticket of a phone that was proven to this company, renewed while its holder is here; "" for none.
func (p *Pages) applicantTicket(w http.ResponseWriter, r *http.Request, companyID int64) string {
	ticket, _, err := p.portal.RenewApplicant(p.cookie(r, applicantCookie), companyID)
	if err != nil {
		return ""
	}
	p.setCookie(w, applicantCookie, ticket, daySeconds)
	return ticket
}

// applyStages is the way into a company; at is the stage one is at.
func applyStages(r *http.Request, at int) []stage {
	stages := make([]stage, 3)
	for i, key := range []string{"apply.stage_phone", "apply.stage_details", "apply.stage_decision"} {
		stages[i].Text = locale.T(r.Context(), key)
		switch {
		case i < at:
			stages[i].State = "done"
		case i == at:
			stages[i].State = "now"
		}
	}
	return stages
}

// applyView is the application form.
func (p *Pages) applyView(r *http.Request, setting portal.RegistrationSetting, in portal.ApplyInput, phone string) careView {
	ctx := r.Context()
	v := careView{
		Heading: locale.T(ctx, "apply.heading", "company", setting.Company.Name), Lead: locale.T(ctx, "apply.lead"),
		Path: "/register/more", Progress: applyStages(r, 1), Multipart: true, Draft: true, Submit: locale.T(ctx, "apply.submit"), Busy: locale.T(ctx, "apply.sending"),
		Links: []pageLink{{locale.T(ctx, "register.to_login"), "/login"}},
	}
	if !setting.Review {
		v.Lead = locale.T(ctx, "apply.lead_at_once")
	}
	text := func(id, value, complete string, max int, optional bool) components.Field {
		return components.Field{ID: id, Label: locale.T(ctx, "apply."+id), Value: value, Complete: complete, Max: max, Optional: optional}
	}
	optional := func(name string) bool { return !setting.Requires(name) }
	region := regionField(in.Province, in.City, in.District)
	region.Required = setting.Requires("region")
	contact := phoneField(r, in.ContactPhone).Labelled(locale.T(ctx, "apply.contact_phone"))
	contact.ID, contact.Optional = "contact_phone", optional("contact_phone")
	if contact.Optional {
		contact.Hint = locale.T(ctx, "apply.contact_phone_hint", "phone", portal.MaskPhone(phone))
	}
	reason := text("reason", in.Reason, "off", portal.MaxReason, optional("reason"))
	reason.Kind = components.KindLines
	v.Fields = []components.Field{
		text("company_name", in.CompanyName, "organization", portal.MaxCompanyName, false), text("contact_name", in.ContactName, "name", portal.MaxName, false),
		text("position", in.Position, "organization-title", portal.MaxPosition, optional("position")),
		{Kind: components.KindRegion, ID: components.RegionID, Region: &region}, text("address", in.Address, "address-line1", portal.MaxAddress, optional("address")),
		reason, p.licenceField(r, setting, in, phone), contact,
	}
	return v
}

// licenceField takes the picture of the business licence.
func (p *Pages) licenceField(r *http.Request, setting portal.RegistrationSetting, in portal.ApplyInput, phone string) components.Field {
	ctx := r.Context()
	f := components.UploadField{
		ID: "licence", Label: locale.T(ctx, "apply.licence"), Hint: locale.T(ctx, "apply.licence_hint"), URL: "/upload", Key: in.Licence,
		Max: portal.MaxUpload, Required: setting.Requires("licence"),
	}
	if in.Licence != "" {
		f.Preview = "/register/more/licence?key=" + in.Licence
	}
	if token, err := p.portal.LicenceToken(ctx, setting.Company.ID, phone); err == nil {
		f.Token = token
	}
	return components.Field{Kind: components.KindUpload, ID: "licence", Upload: &f}
}

func (p *Pages) showApply(w http.ResponseWriter, r *http.Request) error {
	c := placeOf(r.Context()).Company
	if c == nil {
		return p.showFindCompany(w, r)
	}
	ticket := p.applicantTicket(w, r, c.ID)
	now, err := p.portal.Applying(r.Context(), c.ID, ticket)
	if err != nil {
		return err
	}
	if elsewhere, err := p.appliedAlready(w, r, now.State, now.Last); elsewhere {
		return err
	}
	if now.Phone == "" {
		view := p.proveView(r, now.Setting, portal.ApplicantInput{})
		if _, err := p.resume(r, &view, p.cookie(r, flowCookie), portal.ForApplication); err != nil {
			return err
		}
		view.Public = publicApply
		return p.renderCare(w, r, view, nil)
	}
	view := p.applyView(r, now.Setting, now.Draft, now.Phone)
	view.Note = p.flash(w, r, "picture", "apply.picture_again")
	if view.Note == "" && now.State == portal.ApplicantRejected {
		view.Note = locale.T(r.Context(), "apply.again_note")
	}
	return p.renderCare(w, r, view, nil)
}

// appliedAlready leads on those who need not apply: to where their application stands, or to sign in.
func (p *Pages) appliedAlready(w http.ResponseWriter, r *http.Request, state portal.ApplicantState, last store.Application) (elsewhere bool, err error) {
	switch state {
	case portal.ApplicantPending, portal.ApplicantApproved:
		if last.State == store.ApplicationRejected || last.ID == 0 { // the company opened the account by itself
			return true, seeOther(w, inEdition(r.Context(), "/register/complete"))
		}
		return true, seeOther(w, inEdition(r.Context(), "/register/result?id="+decimal(last.ID)))
	case portal.ApplicantMember:
		ctx := r.Context()
		p.renderState(w, r, http.StatusOK, components.State{
			Drawing: "d-open", Heading: locale.T(ctx, "apply.member"), Body: locale.T(ctx, "apply.member_body", "company", placeOf(ctx).Company.Name),
			Action: locale.T(ctx, "register.to_login"), Href: "/login",
		})
		return true, nil
	}
	return false, nil
}

func (p *Pages) submitApply(w http.ResponseWriter, r *http.Request) error {
	c := placeOf(r.Context()).Company
	if c == nil {
		return p.submitFindCompany(w, r)
	}
	if err := p.applicantsOwn(r); err != nil {
		return err
	}
	ticket := p.applicantTicket(w, r, c.ID)
	if ticket == "" {
		return p.submitProof(w, r, *c)
	}
	return p.submitDetails(w, r, *c, ticket)
}

// submitDetails keeps what was typed before anything else, and then does what the pressed button says.
func (p *Pages) submitDetails(w http.ResponseWriter, r *http.Request, c store.Company, ticket string) error {
	in := portal.ApplyInput{CompanyID: c.ID, Ticket: ticket, Lang: string(locale.Of(r.Context()))}
	decode(r, &in)
	in.Ticket = ticket
	refused, err := p.attach(r, &in)
	if err != nil {
		return err
	}
	if err := p.portal.KeepDraft(r.Context(), in); err != nil {
		return err
	}
	action := r.PostForm.Get("action")
	if action == "draft" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if again, switched := p.switchedLang(w, r); switched {
		r, action = again, "language"
	}
	if refused == nil && action == "" {
		a, err := p.portal.Apply(r.Context(), in)
		if !errors.As(err, &refused) || refused.Company != nil {
			if err != nil {
				return err
			}
			return p.applied(w, r, a)
		}
	}
	return p.applyAgain(w, r, in, refused)
}

// applyAgain shows the form as it was sent, and what to mend.
func (p *Pages) applyAgain(w http.ResponseWriter, r *http.Request, in portal.ApplyInput, refused *portal.Refused) error {
	now, err := p.portal.Applying(r.Context(), in.CompanyID, in.Ticket)
	if err != nil {
		return err
	}
	p.tellWhichCounts(w, in, now.Last)
	if elsewhere, err := p.appliedAlready(w, r, now.State, now.Last); elsewhere { // sent twice, or from a second tab
		return err
	}
	if refused != nil && refused.Fields["province"] != "" { // of the three together
		refused.Fields[components.RegionID] = refused.Fields["province"]
	}
	return p.renderCare(w, r, p.applyView(r, now.Setting, in, now.Phone), refused)
}

// tellWhichCounts sets a flash message for the page of an earlier application: it says whether that application has the
// same content as the form that was sent now.
func (p *Pages) tellWhichCounts(w http.ResponseWriter, in portal.ApplyInput, last store.Application) {
	switch {
	case last.ID == 0 || last.State == store.ApplicationRejected:
	case !in.SameAs(last):
		p.setFlash(w, "not_taken", 0)
	case last.State == store.ApplicationPending:
		p.setFlash(w, "applied", 0)
	}
}

// applied goes on: to set the account up where no review is asked for, else to where the application stands.
func (p *Pages) applied(w http.ResponseWriter, r *http.Request, a store.Application) error {
	if ticket := p.cookie(r, identityCookie); ticket != "" {
		if err := p.portal.NoteApplicant(r.Context(), ticket, p.cookie(r, flowCookie), a.CompanyID, a.Phone); err != nil {
			return err
		}
	}
	if a.State == store.ApplicationApproved {
		return seeOther(w, inEdition(r.Context(), "/register/complete"))
	}
	p.setFlash(w, "applied", 0)
	return seeOther(w, inEdition(r.Context(), "/register/result?id="+decimal(a.ID)))
}

// attach stores a picture that came with the form, or drops the one there was.
func (p *Pages) attach(r *http.Request, in *portal.ApplyInput) (*portal.Refused, error) {
	file := uploadOf(r)
	if file == nil {
		if r.PostForm.Get("licence_remove") == "1" {
			in.Licence = ""
		}
		return nil, nil
	}
	phone, err := p.portal.Applicant(in.Ticket, in.CompanyID)
	if err != nil {
		return nil, err
	}
	token, err := p.portal.LicenceToken(r.Context(), in.CompanyID, phone)
	if err != nil {
		return nil, err
	}
	stored, err := p.portal.UploadLicence(r.Context(), portal.UploadInput{Token: token, Body: file})
	refused := new(portal.Refused)
	switch {
	case errors.As(err, &refused):
		if stored.ID != "" { // the same picture again
			in.Licence = stored.ID
			return nil, nil
		}
		return refused, nil
	case err != nil:
		return nil, err
	}
	in.Licence = stored.ID
	return nil, nil
}
