package pages

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/branding"
)

// maxLookText is how much text the form of a company's look may have, in bytes. It is more than a style sheet may have:
// one that is too long is shown again.
const maxLookText = 128 << 10

// lookTried is what somebody has typed on the page of the look, and just tried there.
type lookTried struct {
	in      branding.AppearanceInput
	domain  domainTried
	file    io.ReadSeeker // the picture that came with the form, nil for none
	refused *access.Refused
}

// lookForm mounts the page of a company's look.
func (l landingPages) lookForm(r chi.Router, path string, show landed, submit landedFile) {
	l.formReadBy(r, path, l.readLook, l.typed(show, submit.without()), l.pageWithFile(submit))
}

// readLook reads the form of a company's look: a style sheet as text or as a file, and a picture.
func (p *Pages) readLook(w http.ResponseWriter, r *http.Request, f *formFile) error {
	if isMultipart(r) {
		return p.readParts(w, r, f, partLimits{maxPageForm, maxLookText, "style_file"}, p.admitSignedIn)
	}
	return readForm(w, r)
}

func (l landingPages) showAppearance(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, drafted, err := l.portal.Branding.KeptDraft(r.Context(), here)
	if err == nil && !drafted {
		in, err = l.portal.Branding.AppearanceOf(r.Context(), here)
	}
	if err != nil {
		return err
	}
	return l.renderAppearance(w, r, here, lookTried{in: in})
}

// submitAppearance does what was pressed. What is typed on the page and not published stays, whatever that is.
func (l landingPages) submitAppearance(w http.ResponseWriter, r *http.Request, here access.Landing, f *formFile) error {
	in, err := l.typedLook(r, here)
	if err != nil {
		return err
	}
	tried := lookTried{in: in, domain: domainTriedOf(r), file: f.content()}
	again, switched := l.switchedLang(w, r)
	if switched {
		r, tried.domain = again, domainTried{Action: "preview"}
	}
	refused, err := refusedOf(l.takeFile(r.Context(), here, &tried))
	if err == nil && refused == nil && !switched {
		refused, err = refusedOf(l.doneTo(r, here, &tried))
	}
	if refused != nil && refused.Fields["icon"] != "" &&
		tried.domain.Action == "save" { // it is gone: the next press does without it
		tried.in.Icon = ""
	}
	if err == nil && tried.in.Icon != in.Icon && (refused != nil || tried.domain.Action == "preview") {
		err = l.portal.Branding.KeepLook(r.Context(), here, tried.in) // browsers do not choose a file again
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
		return seeOther(w, r.URL.Path+"?done=saved"+tried.unsent(r))
	default:
		return l.leaveLook(w, r, here, tried)
	}
}

// doneTo does what was pressed, with what was typed.
func (l landingPages) doneTo(r *http.Request, here access.Landing, tried *lookTried) error {
	ctx, checked := r.Context(), tried.in // what was typed is shown again as it was
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
	return l.doToDomain(ctx, here, tried.domain)
}

// useIcon makes the picture of the form the company's icon at once.
func (l landingPages) useIcon(ctx context.Context, here access.Landing, file io.ReadSeeker) error {
	if file == nil {
		return &access.Refused{Refusal: access.ValidationFailed, Fields: access.Fields{"icon": access.FieldRequired}}
	}
	return l.portal.Branding.SetIcon(ctx, here, file)
}

// typedLook is the look as it was typed, or the one there is where a form came without it; a file goes before the text.
func (l landingPages) typedLook(r *http.Request, here access.Landing) (branding.AppearanceInput, error) {
	published, err := l.portal.Branding.AppearanceOf(r.Context(), here)
	if err != nil || !r.PostForm.Has("name") {
		return published, err
	}
	var in branding.AppearanceInput
	decode(r, &in)
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

// takeFile stores the picture of a form that was sent for something else, so that it need not be chosen again.
func (l landingPages) takeFile(ctx context.Context, here access.Landing, tried *lookTried) (err error) {
	file, action := tried.file, tried.domain.Action
	if file == nil || action == "icon" || action == "remove_icon" || action == "discard" {
		return nil
	}
	tried.in.Icon, err = l.portal.Branding.StoreIcon(ctx, here, file)
	return err
}

// leaveLook goes back to the page after something else was done there; what is typed and not published is kept.
func (l landingPages) leaveLook(w http.ResponseWriter, r *http.Request, here access.Landing, tried lookTried) error {
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
			to += tried.unsent(r)
		}
		to += "#domains"
	}
	return seeOther(w, to)
}

// differs says whether what is typed is another look than the one published.
func (l landingPages) differs(typed, published branding.AppearanceInput) bool {
	_ = l.portal.Branding.CheckAppearance(&typed) // for its one spelling
	_ = l.portal.Branding.CheckAppearance(&published)
	typed.Seen, published.Seen, typed.Agreed = "", "", ""
	return typed != published
}

// unsent is a domain that was typed and not added, for the address of the page.
func (t lookTried) unsent(r *http.Request) string {
	domain := r.PostForm.Get("domain")
	if domain == "" || len(domain) > access.MaxHost || t.domain.Host == domain {
		return ""
	}
	return "&domain=" + url.QueryEscape(domain)
}

// renderAppearance writes the page with what was typed and tried.
func (l landingPages) renderAppearance(
	w http.ResponseWriter, r *http.Request, here access.Landing, tried lookTried,
) error {
	v, err := l.appearanceView(r, here, tried)
	if err != nil {
		return err
	}
	shell := l.frame(r, here, l.path+"/settings")
	shell.Form = "setting"
	shell.Style.Inline += previewStyles(v)
	if done := r.URL.Query().
		Get("done"); tried.refused == nil && appearanceDone[done] != "" &&
		r.Method != http.MethodPost {
		shell.Toast = locale.T(r.Context(), appearanceDone[done])
	}
	return l.render(w, r, refusedStatus(w, tried.refused), shell, appearancePage(v))
}

// appearanceDone is said about what was just done.
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
