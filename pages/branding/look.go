package branding

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"portico/components"
	"portico/locale"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// lookView is a preview of the sign-in page, below a bar with links.
type lookView struct {
	Login       signinpages.LoginView
	Sizes       []web.PageLink // show the preview as on a phone or a desktop
	SignInPages []web.PageLink // the pages of the other ways to sign in
	Back        string
}

// The widths for which the preview can be shown, in pixels. Without one it has the width of the reader's screen.
const (
	phoneWidth   = 360
	desktopWidth = 1280
)

// openLook redirects to the preview of the stored draft.
func (l *Pages) openLook(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	token, err := l.portal.Branding.LookToken(here)
	if err != nil {
		return err
	}
	return web.SeeOther(w, r.URL.Path+"/look?token="+token)
}

// ShowLook shows the company's sign-in page with a draft of its look. The page contains its styles, and its forms
// cannot be sent.
func (l *Pages) ShowLook(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	query := r.URL.Query()
	look, err := l.portal.Branding.PreviewLook(r.Context(), here, query.Get("token"))
	if err != nil {
		return err
	}
	path := "/login"
	if query.Get("by") == "name" {
		path = "/login/account"
	}
	preview := r.Clone(locale.With(web.WithVisit(r.Context(),
		&web.Visit{Place: access.Place{Site: access.SiteStore, Company: &look.Company},
			Lang: locale.Of(r.Context())}), locale.Of(r.Context())))
	preview.URL = &url.URL{Path: path}
	view := lookView{Login: l.signin.LoginView(preview, signin.LoginInput{ByName: web.IsAccountNamePath(path)},
		nil),
		Back: l.path + "/settings/appearance"}
	view.setLinks(r)
	shell := l.signin.LoginShell(preview, view.Login)
	shell.Path = r.URL.Path
	shell.Query = lookQuery(query, "", "")
	shell.Form = ""
	shell.Index = false
	shell.OwnStyle = ""
	shell.Mirror = ""
	shell.Inert = true
	if look.Icon != nil {
		shell.Icon = "data:" + look.Icon.Kind + ";base64," + base64.StdEncoding.EncodeToString(look.Icon.Data)
	}
	shell.Style = components.StyleFor(shell.Theme, components.Sheets{}, components.PartFlows)
	shell.Style.Inline += look.Style
	shell.Style.Prefetch, shell.Style.Gives = nil, ""
	switch query.Get("size") {
	case "phone":
		shell.Style.Inline = layoutForWidth(shell.Style.Inline, phoneWidth) + ".door{max-width:" +
			strconv.Itoa(phoneWidth) + "px;margin:0 auto}"
	case "desktop":
		shell.Viewport = desktopWidth
	}
	return l.web.Render(w, preview, http.StatusOK, shell, lookPage(view))
}

// setLinks adds the links to the same preview in other sizes and of other sign-in pages.
func (v *lookView) setLinks(r *http.Request) {
	ctx, query := r.Context(), r.URL.Query()
	add := func(list []web.PageLink, label, name, value string) []web.PageLink {
		href := r.URL.Path + "?" + lookQuery(query, name, value)
		if query.Get(name) == value {
			href = ""
		}
		return append(list, web.PageLink{Label: locale.T(ctx, label), Href: href})
	}
	v.Sizes = add(v.Sizes, "look.own", "size", "")
	v.Sizes = add(v.Sizes, "look.phone", "size", "phone")
	v.Sizes = add(v.Sizes, "look.desktop", "size", "desktop")
	v.SignInPages = add(v.SignInPages, "login.by_phone", "by", "")
	v.SignInPages = add(v.SignInPages, "login.by_name", "by", "name")
}

// lookQuery returns the query of a preview with one parameter changed, or removed when value is "".
func lookQuery(query url.Values, name, value string) string {
	kept := url.Values{}
	for _, key := range []string{"token", "size", "by"} {
		if given := query.Get(key); given != "" {
			kept.Set(key, given)
		}
	}
	if name != "" {
		kept.Set(name, value)
	}
	if value == "" {
		kept.Del(name)
	}
	return kept.Encode()
}

// widthQuery finds the media queries about the width of the window.
var widthQuery = regexp.MustCompile(`\((min|max)-width:(\d+(?:\.\d+)?)(px|em|rem)\)`)

// layoutForWidth replaces the media queries about the width of the window by their answer for a width in pixels.
func layoutForWidth(css string, width float64) string {
	return widthQuery.ReplaceAllStringFunc(css, func(query string) string {
		m := widthQuery.FindStringSubmatch(query)
		limit, _ := strconv.ParseFloat(m[2], 64)
		if m[3] != "px" {
			limit *= 16
		}
		if (m[1] == "min") == (width >= limit) || width == limit {
			return "(min-width:0px)"
		}
		return "(min-width:99999px)"
	})
}
