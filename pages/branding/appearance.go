package branding

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
)

// maxLookText is how much text the form of a company's look may contain, in bytes. It is more than the limit of a style
// sheet, so that one that is too long can be shown again.
const maxLookText = 128 << 10

// submittedLook is what an administrator typed on the page of the look, and which button was pressed.
type submittedLook struct {
	in      branding.AppearanceInput
	domain  domainAction
	file    io.ReadSeeker // the picture that came with the form, nil for none
	refused *access.Refused
}

// LookForm mounts the page of a company's look.
func (l *Pages) LookForm(r chi.Router, path string) {
	l.uploads.FilePageReadBy(r, path, l.readLook, l.site.FilePage(site.FilePage{
		Show: l.showAppearance, View: l.viewAppearance, Submit: l.submitAppearance,
	}))
}

// readLook reads the form of a company's look: a style sheet as text or as a file, and a picture.
func (l *Pages) readLook(w http.ResponseWriter, r *http.Request, f *uploads.FormFile) error {
	if uploads.IsMultipart(r) {
		return l.uploads.ReadParts(w, r, f, uploads.PartLimits{Whole: uploads.MaxPageForm, Text: maxLookText,
			TextFile: "style_file"}, l.uploads.AdmitSignedIn)
	}
	return web.ReadForm(w, r)
}

// showAppearance shows the draft of the look, or the published look when there is no draft.
func (l *Pages) showAppearance(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, drafted, err := l.portal.Branding.KeptDraft(r.Context(), here)
	if err != nil {
		return err
	}
	if !drafted {
		if in, err = l.portal.Branding.AppearanceOf(r.Context(), here); err != nil {
			return err
		}
	}
	return l.renderAppearance(w, r, here, submittedLook{in: in})
}

// viewAppearance shows the page with what was typed. It keeps a picture that came with the form in the draft, because a
// browser does not fill in a file field again.
func (l *Pages) viewAppearance(
	w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile,
) error {
	in, err := l.typedLook(r, here)
	if err != nil {
		return err
	}
	tried := submittedLook{in: in, domain: domainAction{Action: "preview"}, file: f.Content()}
	if tried.refused, err = forms.RefusedOf(l.storeChosenIcon(r.Context(), here, &tried)); err != nil {
		return err
	}
	if tried.in.Icon != in.Icon {
		if err := l.portal.Branding.KeepLook(r.Context(), here, tried.in); err != nil {
			return err
		}
	}
	return l.renderAppearance(w, r, here, tried)
}

// submitAppearance does what the pressed button says. Whatever it is, the page keeps what was typed and is not
// published yet.
func (l *Pages) submitAppearance(
	w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile,
) error {
	in, err := l.typedLook(r, here)
	if err != nil {
		return err
	}
	tried := submittedLook{in: in, domain: domainActionOf(r), file: f.Content()}
	refused, err := forms.RefusedOf(l.storeChosenIcon(r.Context(), here, &tried))
	if err != nil {
		return err
	}
	if refused == nil {
		if refused, err = forms.RefusedOf(l.applyLookAction(r, here, &tried)); err != nil {
			return err
		}
	}
	// The stored picture has expired: the next press publishes without it.
	if refused != nil && refused.Fields["icon"] != "" && tried.domain.Action == "save" {
		tried.in.Icon = ""
	}
	if tried.in.Icon != in.Icon && (refused != nil || tried.domain.Action == "preview") {
		err = l.portal.Branding.KeepLook(r.Context(), here, tried.in) // a browser does not fill in a file field again
	}
	if err != nil {
		return err
	}
	tried.refused = refused
	switch action := tried.domain.Action; {
	case refused != nil || action == "preview":
		return l.renderAppearance(w, r, here, tried)
	case action == "look":
		return l.openLook(w, r, here)
	case action == "save":
		return web.SeeOther(w, r.URL.Path+"?done=saved"+tried.typedDomainQuery(r))
	default:
		return l.redirectAfterLook(w, r, here, tried)
	}
}

// applyLookAction does what the pressed button says, with what was typed.
func (l *Pages) applyLookAction(r *http.Request, here access.Landing, tried *submittedLook) error {
	ctx, checked := r.Context(), tried.in // CheckAppearance changes its argument; the page shows what was typed
	switch action := tried.domain.Action; {
	case action == "preview":
		return l.portal.Branding.CheckAppearance(&checked)
	case action == "look":
		if err := l.portal.Branding.CheckAppearance(&checked); err != nil {
			return err
		}
		return l.portal.Branding.KeepLook(ctx, here, tried.in)
	case action == "save":
		return l.portal.Branding.SetAppearance(ctx, here, tried.in)
	case action == "undo":
		return l.portal.Branding.UndoAppearance(ctx, here, r.PostForm.Get("undo"))
	case action == "discard":
		return l.portal.Branding.DropLook(ctx, here)
	case action == "icon":
		return l.useIcon(ctx, here, tried.file)
	case action == "remove_icon":
		tried.in.Icon = ""
		return l.portal.Branding.RemoveIcon(ctx, here)
	}
	return l.applyDomainAction(ctx, here, tried.domain)
}

// useIcon publishes the picture of the form as the company's icon at once.
func (l *Pages) useIcon(ctx context.Context, here access.Landing, file io.ReadSeeker) error {
	if file == nil {
		return &access.Refused{Refusal: access.ValidationFailed, Fields: access.Fields{"icon": access.FieldRequired}}
	}
	return l.portal.Branding.SetIcon(ctx, here, file)
}

// typedLook returns the look that was typed, or the published one when the form has none. A style sheet that was sent
// as a file replaces the typed one.
func (l *Pages) typedLook(r *http.Request, here access.Landing) (branding.AppearanceInput, error) {
	published, err := l.portal.Branding.AppearanceOf(r.Context(), here)
	if err != nil || !r.PostForm.Has("name") {
		return published, err
	}
	var in branding.AppearanceInput
	web.Decode(r, &in)
	if file := r.PostForm.Get("style_file"); file != "" {
		in.Style = file
	}
	in.Style = strings.ToValidUTF8(in.Style, "\ufffd")
	draft, drafted, err := l.portal.Branding.KeptDraft(r.Context(), here)
	if drafted {
		in.Icon = draft.Icon
	}
	return in, err
}

// storeChosenIcon stores the picture of a form that was sent by another button, so that the administrator need not
// choose it again.
func (l *Pages) storeChosenIcon(ctx context.Context, here access.Landing, tried *submittedLook) (err error) {
	file, action := tried.file, tried.domain.Action
	if file == nil || action == "icon" || action == "remove_icon" || action == "discard" {
		return nil
	}
	tried.in.Icon, err = l.portal.Branding.StoreIcon(ctx, here, file)
	return err
}

// redirectAfterLook redirects to the page after an action other than publishing. What was typed and differs from the
// published look is kept as a draft.
func (l *Pages) redirectAfterLook(
	w http.ResponseWriter, r *http.Request, here access.Landing, tried submittedLook,
) error {
	action := tried.domain.Action
	published, err := l.portal.Branding.AppearanceOf(r.Context(), here)
	if err != nil {
		return err
	}
	if action != "discard" && l.differs(tried.in, published) {
		err = l.portal.Branding.KeepLook(r.Context(), here, tried.in)
	} else {
		err = l.portal.Branding.DropLook(r.Context(), here)
	}
	if err != nil {
		return err
	}
	to := r.URL.Path + "?done=" + action
	if strings.HasPrefix(action, "domain_") {
		if action != "domain_add" {
			to += tried.typedDomainQuery(r)
		}
		to += "#domains"
	}
	return web.SeeOther(w, to)
}

// differs reports whether a typed look differs from the published one.
func (l *Pages) differs(typed, published branding.AppearanceInput) bool {
	_ = l.portal.Branding.CheckAppearance(&typed) // normalises the values
	_ = l.portal.Branding.CheckAppearance(&published)
	typed.Seen = ""
	published.Seen = ""
	typed.Agreed = ""
	return typed != published
}

// typedDomainQuery is the query parameter of a domain that was typed and not added, so that the page shows it again; ""
// for none.
func (t submittedLook) typedDomainQuery(r *http.Request) string {
	domain := r.PostForm.Get("domain")
	if domain == "" || len(domain) > access.MaxHost || t.domain.Host == domain {
		return ""
	}
	return "&domain=" + url.QueryEscape(domain)
}

// renderAppearance writes the page with what was typed and what was refused.
func (l *Pages) renderAppearance(
	w http.ResponseWriter, r *http.Request, here access.Landing, tried submittedLook,
) error {
	v, err := l.appearanceView(r, here, tried)
	if err != nil {
		return err
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "setting"
	shell.Style.Inline += previewStyles(v)
	done := appearanceDone[r.URL.Query().Get("done")]
	if done != "" && tried.refused == nil && r.Method != http.MethodPost {
		shell.Toast = locale.T(r.Context(), done)
	}
	return l.web.Render(w, r, web.RefusedStatus(w, tried.refused), shell, appearancePage(v))
}

// appearanceDone maps ?done= to the text about what the administrator has just done.
var appearanceDone = map[string]string{
	"saved":          "settings.saved",
	"domain_add":     "domain.added",
	"domain_check":   "domain.checked",
	"domain_remove":  "domain.removed",
	"domain_desktop": "settings.saved",
	"domain_unuse":   "settings.saved",
	"icon":           "appearance.icon_set",
	"remove_icon":    "appearance.icon_removed",
	"undo":           "appearance.undone",
	"discard":        "appearance.discarded",
}
