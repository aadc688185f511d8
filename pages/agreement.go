package pages

import (
	"errors"
	"net/http"
	"slices"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/accounts"
)

// acceptPath is where a new version of the agreement is accepted by somebody who signs in.
const acceptPath = "/agreement/accept"

// agreementView is a version of the agreement, and what the reader has to do with it.
type agreementView struct {
	locale.AgreementText
	Former   bool // there is a newer one
	Accepted string
	Due      bool // the reader is to accept the present one
	Token    string
	Versions []agreementVersion
}

// agreementVersion is a version in the list of all.
type agreementVersion struct {
	Day, Changes, Href string
	Shown              bool
}

// agreement is the present version, in the reader's language.
func (p *Pages) agreement(r *http.Request) locale.AgreementText {
	return p.agreements(locale.Of(r.Context()))[0]
}

// demandedAgreement is the newest version that those who accepted an earlier one are asked to accept, "" for none.
func (p *Pages) demandedAgreement() string {
	for _, a := range p.agreements(locale.Chinese) {
		if a.Again {
			return a.Version
		}
	}
	return ""
}

func (p *Pages) showAgreement(w http.ResponseWriter, r *http.Request) error {
	all, shown := p.agreements(locale.Of(r.Context())), 0
	if query := r.URL.Query(); query.Has("version") {
		shown = slices.IndexFunc(all, func(a locale.AgreementText) bool { return a.Version == query.Get("version") })
	}
	if shown < 0 {
		return access.NotFound
	}
	view := agreementView{AgreementText: all[shown], Former: shown > 0}
	for i, a := range all {
		view.Versions = append(
			view.Versions, agreementVersion{a.Updated, a.Changes, "/agreement?version=" + a.Version, i == shown},
		)
	}
	if err := p.noteAccepted(r, &view, all); err != nil {
		return err
	}
	shell := p.shell(r, "", true)
	shell.Wide = true
	p.more(r, &shell)
	if view.Former {
		shell.Query = "version=" + view.Version
	} else {
		p.findable(r, &shell, publicAgreement, view.Title)
	}
	return p.render(w, r, http.StatusOK, shell, agreementPage(view))
}

// noteAccepted tells somebody who is signed in what they have accepted, and when.
func (p *Pages) noteAccepted(r *http.Request, view *agreementView, all []locale.AgreementText) error {
	s, err := p.signedIn(r)
	if errors.Is(err, access.LoginRequired) {
		return nil
	}
	if err != nil {
		return err
	}
	accepted, err := p.portal.Accounts.Accepted(r.Context(), s)
	if err != nil {
		return err
	}
	view.Token = p.formToken(r)
	if view.Due, err = p.portal.Accounts.AgreementDue(r.Context(), s, p.demandedAgreement()); err != nil ||
		accepted.Version == "" {
		return err
	}
	version := accepted.Version
	for _, a := range all {
		if a.Version == version {
			version = a.Updated
		}
	}
	view.Accepted = locale.T(
		r.Context(),
		"agreement.accepted",
		"version",
		version,
		"day",
		components.Day(locale.Of(r.Context()), accepted.At.Time()),
	)
	return nil
}

// agreeBox adds the yes to the agreement to a form, and which version it was shown with.
func (p *Pages) agreeBox(r *http.Request, v *formView, agreed bool) {
	v.Fields = append(v.Fields, agreeField(r, agreed))
	v.Hidden = append(v.Hidden, hidden{"version", p.agreement(r).Version})
}

// agreesNow says whether a yes that was sent is one to the present version: a newer one may have come since the form
// was shown.
func (p *Pages) agreesNow(r *http.Request, agreed bool) bool {
	return agreed && (!r.PostForm.Has("version") || r.PostForm.Get("version") == p.agreement(r).Version)
}

// asksAgreement says whether a person who goes on by a step is to be asked for the agreement before. Replacing a first
// password and the offer to bind a phone come first.
func (p *Pages) asksAgreement(r *http.Request, s access.Session, step accounts.StepKind) (bool, error) {
	if step == accounts.StepPassword || step == accounts.StepBind {
		return false, nil
	}
	return p.portal.Accounts.AgreementDue(r.Context(), s, p.demandedAgreement())
}

// acceptView is the step of signing in at which the agreement is accepted anew: what has changed, and one button.
func (p *Pages) acceptView(r *http.Request, known string) formView {
	ctx, a := r.Context(), p.agreement(r)
	v := formView{
		Heading: locale.T(ctx, "agreement.new_heading"),
		Lead:    locale.T(ctx, "agreement.new_lead", "version", a.Updated),
		Path:    acceptPath,
		Hidden:  []hidden{{"version", a.Version}},
		Submit:  locale.T(ctx, "agreement.accept"),
		Busy:    locale.T(ctx, "care.busy"),
		List:    pointList{Heading: locale.T(ctx, "agreement.changes")},
		Links:   []pageLink{{locale.T(ctx, "agreement.read"), "/agreement"}},
		SignOut: true,
	}
	for _, a := range p.agreements(locale.Of(ctx)) {
		if a.Version > known && (known != "" || len(v.List.Items) == 0) {
			v.List.Items = append(v.List.Items, a.Updated+" · "+a.Changes)
		}
	}
	return v
}

// accepting is who is to accept the agreement, and the version known to them.
func (p *Pages) accepting(r *http.Request) (s access.Session, known string, due bool, err error) {
	if s, err = p.signedIn(r); err != nil {
		return s, "", false, err
	}
	accepted, err := p.portal.Accounts.Accepted(r.Context(), s)
	if err == nil {
		due, err = p.portal.Accounts.AgreementDue(r.Context(), s, p.demandedAgreement())
	}
	return s, accepted.Version, due, err
}

func (p *Pages) showAccept(w http.ResponseWriter, r *http.Request) error {
	_, known, due, err := p.accepting(r)
	if err != nil {
		return err
	}
	if !due {
		return seeOther(w, "/company")
	}
	return p.renderForm(w, r, p.acceptView(r, known), nil)
}

func (p *Pages) submitAccept(w http.ResponseWriter, r *http.Request) error {
	s, known, due, err := p.accepting(r)
	if err != nil {
		return err
	}
	if again, switched := p.switchedLang(w, r); switched {
		return p.renderForm(w, again, p.acceptView(again, known), nil)
	}
	if version := p.agreement(r).Version; due && r.PostForm.Get("version") != version { // there is a newer version
		return seeOther(w, acceptPath)
	} else if due {
		if err := p.portal.Accounts.AcceptAgreement(
			r.Context(), s, version, string(locale.Of(r.Context())),
		); err != nil {
			return err
		}
	}
	step, err := p.portal.Accounts.Continue(r.Context(), s) // the offer to bind a phone came before
	if err != nil {
		return err
	}
	return p.next(w, r, s, step)
}
