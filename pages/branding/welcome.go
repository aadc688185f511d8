package branding

import (
	"cmp"
	"net/http"

	"github.com/go-chi/chi/v5"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/site"
	"portico/pages/uploads"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/branding"
)

// welcomeView is the form of what a company shows beside the form of its own sign-in page.
type welcomeView struct {
	forms.SettingForm
	Back, Seen string
	Greeting   components.Field
	Picture    components.Field
	Shown      string // path of the published picture, "" for none
	SignIn     string // address of the company's own sign-in page
}

// WelcomeForm mounts the page of a company's greeting and picture.
func (l *Pages) WelcomeForm(r chi.Router, path string) {
	l.uploads.FilePage(r, path, l.uploads.AdmitSignedIn, l.site.FilePage(site.FilePage{
		Show: l.showWelcome, View: l.viewWelcome, Submit: l.submitWelcome,
	}))
}

// showWelcome shows the form with what is published.
func (l *Pages) showWelcome(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	in, err := l.portal.Branding.WelcomeOf(here)
	if err != nil {
		return err
	}
	return l.renderWelcome(w, r, here, in, nil)
}

// viewWelcome shows the form with what was typed.
func (l *Pages) viewWelcome(w http.ResponseWriter, r *http.Request, here access.Landing, _ *uploads.FormFile) error {
	var in branding.WelcomeInput
	web.Decode(r, &in)
	return l.renderWelcome(w, r, here, in, nil)
}

// submitWelcome publishes the greeting and the picture, or shows the form again with what was refused.
func (l *Pages) submitWelcome(w http.ResponseWriter, r *http.Request, here access.Landing, f *uploads.FormFile) error {
	var in branding.WelcomeInput
	web.Decode(r, &in)
	in.Picture, in.Remove = f.Content(), r.PostForm.Get("action") == "remove"
	refused, err := forms.RefusedOf(l.portal.Branding.SetWelcome(r.Context(), here, in))
	if err != nil {
		return err
	}
	if refused != nil {
		return l.renderWelcome(w, r, here, in, refused)
	}
	return web.SeeOther(w, r.URL.Path+"?done=saved")
}

// renderWelcome writes the form with the values of in. refused is nil for a form that was not refused.
func (l *Pages) renderWelcome(
	w http.ResponseWriter, r *http.Request, here access.Landing, in branding.WelcomeInput, refused *access.Refused,
) error {
	ctx, c := r.Context(), here.Member.Company
	present, err := l.portal.Branding.WelcomeOf(here)
	if err != nil {
		return err
	}
	v := welcomeView{
		SettingForm: l.site.SettingForm(r),
		Back:        l.path + "/settings",
		Seen:        cmp.Or(in.Seen, present.Seen),
		Greeting: components.Field{
			ID: "greeting", Label: locale.T(ctx, "welcome.greeting"), Hint: locale.T(ctx, "welcome.greeting_means"),
			Value: in.Greeting, Complete: "off", Max: branding.MaxGreeting, Optional: true, Last: true,
		},
		Picture: components.Field{
			ID: "icon", Label: locale.T(ctx, "welcome.photo"), Hint: locale.T(ctx, "welcome.photo_means"),
			Optional: true,
		},
		Shown:  web.OwnIcon(c.WelcomeURL),
		SignIn: l.portal.Branding.SignInAddress(c),
	}
	v.AddRefusal(l.forms, r, refused, &v.Greeting, &v.Picture)
	if refused != nil && refused.Fields["seen"] != "" {
		v.Seen = present.Seen // the page shows the stored values now: saving again replaces them
		v.ChangedMeanwhile(l.forms, r, refused.Fields["seen"], []forms.Difference{
			{Name: v.Greeting.Label, Typed: in.Greeting, Stored: present.Greeting},
		})
	}
	if refused != nil && uploads.FileCame(r) && v.Picture.Message == "" {
		v.Picture.Message = locale.T(ctx, "profile.portrait_again")
	}
	shell := l.site.Frame(r, here, l.path+"/settings")
	shell.Form = "welcome"
	if r.URL.Query().Get("done") == "saved" && refused == nil && r.Method == http.MethodGet {
		shell.Toast = locale.T(ctx, "settings.saved")
	}
	return l.web.Render(w, r, web.RefusedStatus(w, refused), shell, welcomePage(v))
}
