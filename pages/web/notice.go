package web

import (
	"net/http"
	"strings"

	"portico/locale"
	"portico/portal/access"
)

// After a sign-in, the page where the person arrives shows once what happened. If that page is on another host, the
// auth code carries the notice there. On the same host a cookie carries it.

// The notices. The first two are followed by the name of the chat app.
const (
	NoticeAuthorised  = "authorised."
	NoticeLinked      = "linked."
	NoticeSignedIn    = "signed_in."   // by password or code
	NoticeEntered     = "entered."     // a sandbox
	NoticeInitialised = "initialised." // a sandbox, which has just got its samples
)

// notices are the locale keys of the notices.
var notices = map[string]string{
	NoticeAuthorised: "chat.authorised", NoticeLinked: "chat.linked", NoticeSignedIn: "login.done",
	NoticeEntered: "experience.entered", NoticeInitialised: "experience.initialised",
}

// KeepNotice keeps this sign-in's notice for the next page of this host.
func (p *Web) KeepNotice(w http.ResponseWriter, r *http.Request) {
	if notice := VisitOf(r.Context()).Notice; notice != "" {
		p.SetCookie(w, DoneCookie, notice, MinuteSeconds)
	}
}

// KeptNotice returns the notice of a sign-in that no page has shown yet, "" for none.
func (p *Web) KeptNotice(r *http.Request) string {
	kept := p.Cookie(r, DoneCookie)
	if notice, _ := cutNotice(kept); notices[notice] == "" {
		return ""
	}
	return kept
}

// cutNotice returns a kept notice without the chat app, and the app.
func cutNotice(kept string) (notice string, app access.ProviderName) {
	what, name, _ := strings.Cut(kept, ".")
	return what + ".", access.ProviderName(name)
}

// arrivalNotice returns the text of the notice that is kept for this host and removes the notice, so that no other page
// shows it; "" for none.
func (p *Web) arrivalNotice(w http.ResponseWriter, r *http.Request) string {
	kept := p.KeptNotice(r)
	if kept == "" {
		return ""
	}
	p.DropCookie(w, DoneCookie)
	notice, app := cutNotice(kept)
	switch {
	case app == "":
		return locale.T(r.Context(), notices[notice])
	case app != access.WeChat && app != access.WeCom:
		return ""
	}
	return locale.T(r.Context(), notices[notice], "app", AppName(r, app))
}
