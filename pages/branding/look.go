package branding

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/pages/request"
	signinpages "portico/pages/signin"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// lookView is a sign-in page as it would be, under a line that says so.
type lookView struct {
	Login signinpages.LoginView
	Sizes []web.PageLink // to see it on a phone, and on a desktop
	Doors []web.PageLink // links to the other ways to sign in
	Back  string
}

// The widths that a preview can be laid out for, in pixels; without one it is the reader's own.
const (
	phoneWidth   = 360
	desktopWidth = 1280
)

// openLook leads to the preview of what was typed.
func (l *Pages) openLook(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	token, err := l.portal.Branding.LookToken(here)
	if err != nil {
		return err
	}
	return request.SeeOther(w, r.URL.Path+"/look?token="+token)
}

// ShowLook is the company's sign-in page with the look that is not published: its styles travel in the page, and its
// forms send nothing.
func (l *Pages) ShowLook(w http.ResponseWriter, r *http.Request, here access.Landing) error {
	query := r.URL.Query()
	look, err := l.portal.Branding.PreviewLook(r.Context(), here, query.Get("token"))
	if err != nil {
		return err
	}
	door := "/login"
	if query.Get("by") == "name" {
		door = "/login/account"
	}
	there := r.Clone(locale.With(request.WithVisit(r.Context(),
		&request.Visit{Place: access.Place{Site: access.SiteStore, Company: &look.Company},
			Lang: locale.Of(r.Context())}), locale.Of(r.Context())))
	there.URL = &url.URL{Path: door}
	view := lookView{Login: l.signin.LoginView(there, signin.LoginInput{ByName: request.IsAccountNamePath(door)}, nil),
		Back: l.path + "/settings/appearance"}
	view.links(r)
	shell := l.signin.LoginShell(there, view.Login)
	shell.Path, shell.Query, shell.Form, shell.Index, shell.OwnStyle, shell.Mirror, shell.Inert = r.URL.Path,
		lookQuery(query, "", ""), "", false, "", "", true
	if look.Icon != nil {
		shell.Icon = "data:" + look.Icon.Kind + ";base64," + base64.StdEncoding.EncodeToString(look.Icon.Data)
	}
	shell.Style = components.StyleFor(shell.Theme, components.Sheets{}, components.PartMore)
	shell.Style.Inline += look.Style
	shell.Style.Prefetch, shell.Style.Gives = nil, ""
	switch query.Get("size") {
	case "phone":
		shell.Style.Inline = laidOutFor(shell.Style.Inline, phoneWidth) + ".door{max-width:" +
			strconv.Itoa(phoneWidth) + "px;margin:0 auto}"
	case "desktop":
		shell.Viewport = desktopWidth
	}
	return l.web.Render(w, there, http.StatusOK, shell, lookPage(view))
}

// links are the other ways to see it.
func (v *lookView) links(r *http.Request) {
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
	v.Doors = add(v.Doors, "login.by_phone", "by", "")
	v.Doors = add(v.Doors, "login.by_name", "by", "name")
}

// lookQuery is the query of a preview with one thing changed.
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

var askedWidth = regexp.MustCompile(`\((min|max)-width:(\d+(?:\.\d+)?)(px|em|rem)\)`)

// laidOutFor answers a sheet's questions about the width of the window as a window of so many pixels would.
func laidOutFor(css string, width float64) string {
	return askedWidth.ReplaceAllStringFunc(css, func(asked string) string {
		m := askedWidth.FindStringSubmatch(asked)
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
