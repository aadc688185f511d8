package entry

import (
	"errors"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// agreementView is a version of the agreement, and whether the reader has accepted it.
type agreementView struct {
	locale.AgreementText
	Former   bool   // there is a newer one
	Accepted string // says which version the reader has accepted, "" for none
	Due      bool   // the reader still has to accept the current version
	Token    string
	Versions []agreementVersion
}

// agreementVersion is one line in the list of all versions.
type agreementVersion struct {
	Day, Changes, Href string
	Shown              bool
}

// Agreement returns the current version, in the reader's language.
func (p *Pages) Agreement(r *http.Request) locale.AgreementText {
	return p.agreements(locale.Of(r.Context()))[0]
}

// RequiredAgreement returns the newest version that people who accepted an earlier one have to accept again; "" for
// none.
func (p *Pages) RequiredAgreement() string {
	for _, a := range p.agreements(locale.Chinese) {
		if a.Again {
			return a.Version
		}
	}
	return ""
}

// ShowAgreement shows the version of ?version=, or the current one.
func (p *Pages) ShowAgreement(w http.ResponseWriter, r *http.Request) error {
	all, shown := p.agreements(locale.Of(r.Context())), 0
	if query := r.URL.Query(); query.Has("version") {
		shown = slices.IndexFunc(all, func(a locale.AgreementText) bool { return a.Version == query.Get("version") })
	}
	if shown < 0 {
		return access.NotFound
	}
	view := agreementView{AgreementText: all[shown], Former: shown > 0}
	for i, a := range all {
		address := "/agreement?version=" + a.Version
		view.Versions = append(view.Versions, agreementVersion{a.Updated, a.Changes, address, i == shown})
	}
	if err := p.noteAccepted(r, &view, all); err != nil {
		return err
	}
	shell := p.web.Shell(r, "", true)
	shell.Wide = true
	p.web.FlowsStyle(r, &shell)
	if view.Former {
		shell.Query = "version=" + view.Version
	} else {
		p.web.AllowIndexing(r, &shell, web.PublicAgreement, view.Title)
	}
	return p.web.Render(w, r, http.StatusOK, shell, agreementPage(view))
}

// noteAccepted adds to the view which version a signed-in reader has accepted and when, and whether another one is due.
func (p *Pages) noteAccepted(r *http.Request, view *agreementView, all []locale.AgreementText) error {
	s, err := p.web.SignedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return nil
	}
	if err != nil {
		return err
	}
	accepted, err := p.accounts.Agreements.Accepted(r.Context(), s)
	if err != nil {
		return err
	}
	view.Token = p.web.FormToken(r)
	view.Due, err = p.accounts.Agreements.Due(r.Context(), s, p.RequiredAgreement())
	if err != nil || accepted.Version == "" {
		return err
	}
	version := accepted.Version
	for _, a := range all {
		if a.Version == version {
			version = a.Updated
		}
	}
	day := components.Day(locale.Of(r.Context()), accepted.At.Time())
	view.Accepted = locale.T(r.Context(), "agreement.accepted", "version", version, "day", day)
	return nil
}

// AgreeBox adds the agreement's check box to a form, and the version that the form was shown with.
func (p *Pages) AgreeBox(r *http.Request, v *forms.FormView, agreed bool) {
	v.Fields = append(v.Fields, web.AgreeField(r, agreed))
	v.Hidden = append(v.Hidden, forms.Hidden{Name: "version", Value: p.Agreement(r).Version})
}

// AgreesToCurrent reports whether a ticked box accepts the current version. A newer version may have come out since the
// form was shown.
func (p *Pages) AgreesToCurrent(r *http.Request, agreed bool) bool {
	return agreed && (!r.PostForm.Has("version") || r.PostForm.Get("version") == p.Agreement(r).Version)
}

// asksAgreement reports whether a person has to accept the agreement before a step. Replacing a first password and the
// offer to bind a phone come before the agreement.
func (p *Pages) asksAgreement(r *http.Request, s access.Session, step signin.StepKind) (bool, error) {
	if step == signin.StepPassword || step == signin.StepBind {
		return false, nil
	}
	return p.accounts.Agreements.Due(r.Context(), s, p.RequiredAgreement())
}

// acceptView is the page on which people who sign in accept a new version: the changes since the version that they
// accepted, and one button.
func (p *Pages) acceptView(r *http.Request, known string) forms.FormView {
	ctx, a := r.Context(), p.Agreement(r)
	v := forms.FormView{
		Heading: locale.T(ctx, "agreement.new_heading"),
		Lead:    locale.T(ctx, "agreement.new_lead", "version", a.Updated),
		Path:    web.AcceptPath,
		Hidden:  []forms.Hidden{{Name: "version", Value: a.Version}},
		Submit:  locale.T(ctx, "agreement.accept"),
		Busy:    locale.T(ctx, "care.busy"),
		List:    forms.PointList{Heading: locale.T(ctx, "agreement.changes")},
		Links:   []web.PageLink{{Label: locale.T(ctx, "agreement.read"), Href: "/agreement"}},
		SignOut: true,
	}
	for _, a := range p.agreements(locale.Of(ctx)) {
		if a.Version > known && (known != "" || len(v.List.Items) == 0) {
			v.List.Items = append(v.List.Items, a.Updated+" · "+a.Changes)
		}
	}
	return v
}

// agreementState returns the person's session, the version that they accepted last ("" for none), and whether they have
// to accept another one.
func (p *Pages) agreementState(r *http.Request) (s access.Session, known string, due bool, err error) {
	if s, err = p.web.SignedIn(r); err != nil {
		return s, "", false, err
	}
	accepted, err := p.accounts.Agreements.Accepted(r.Context(), s)
	if err != nil {
		return s, "", false, err
	}
	due, err = p.accounts.Agreements.Due(r.Context(), s, p.RequiredAgreement())
	return s, accepted.Version, due, err
}

// AcceptForm is the page on which a person accepts a new version of the agreement. Nothing is typed there.
func (p *Pages) AcceptForm() web.FormPage {
	return web.FormPage{Show: p.showAccept, View: p.showAccept, Submit: p.submitAccept}
}

// showAccept shows the new version to a person who has to accept it.
func (p *Pages) showAccept(w http.ResponseWriter, r *http.Request) error {
	_, known, due, err := p.agreementState(r)
	if err != nil {
		return err
	}
	if !due {
		return web.SeeOther(w, "/company")
	}
	return p.forms.RenderForm(w, r, p.acceptView(r, known), nil)
}

// submitAccept records that the person accepts the current version, and continues the sign-in.
func (p *Pages) submitAccept(w http.ResponseWriter, r *http.Request) error {
	s, _, due, err := p.agreementState(r)
	if err != nil {
		return err
	}
	version := p.Agreement(r).Version
	if due && r.PostForm.Get("version") != version { // a newer version than the one that was shown
		return web.SeeOther(w, web.AcceptPath)
	}
	if due {
		lang := string(locale.Of(r.Context()))
		if err := p.accounts.Agreements.Accept(r.Context(), s, version, lang); err != nil {
			return err
		}
	}
	step, err := p.accounts.Continue(r.Context(), s) // the offer to bind a phone came earlier
	if err != nil {
		return err
	}
	return p.Next(w, r, s, step)
}
