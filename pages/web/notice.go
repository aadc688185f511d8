package web

import (
	"net/http"
	"slices"
	"strings"

	"portico/locale"
	"portico/pages/request"
	"portico/portal/access"
)

// After a sign-in, the page where the person arrives shows once what happened. If that page is on another host, the
// auth code carries the notice there. On the same host a cookie carries it.

// The notices. Each is followed by the name of the chat app.
const (
	NoticeAuthorised = "authorised."
	NoticeLinked     = "linked."
)

// KeepNotice keeps this sign-in's notice for the next page of this host.
func (p *Web) KeepNotice(w http.ResponseWriter, r *http.Request) {
	if notice := request.VisitOf(r.Context()).Notice; notice != "" {
		p.request.SetCookie(w, request.DoneCookie, notice, request.MinuteSeconds)
	}
}

// KeptNotice returns the notice of a sign-in by a chat app that no page has shown yet, "" for none.
func (p *Web) KeptNotice(r *http.Request) string {
	notice := p.request.Cookie(r, request.DoneCookie)
	if strings.HasPrefix(notice, NoticeAuthorised) || strings.HasPrefix(notice, NoticeLinked) {
		return notice
	}
	return ""
}

// arrivalNotice returns the text of the notice that is kept for this host and removes the notice, so that no other page
// shows it; "" for none.
func (p *Web) arrivalNotice(w http.ResponseWriter, r *http.Request) string {
	ctx, notice := r.Context(), p.request.Cookie(r, request.DoneCookie)
	if p.KeptNotice(r) == "" {
		return ""
	}
	p.request.DropCookie(w, request.DoneCookie)
	what, app, _ := strings.Cut(notice, ".")
	if !slices.Contains([]access.ProviderName{access.WeChat, access.WeCom}, access.ProviderName(app)) {
		return ""
	}
	name := AppName(r, access.ProviderName(app))
	if what+"." == NoticeLinked {
		return locale.T(ctx, "chat.linked", "app", name)
	}
	return locale.T(ctx, "chat.authorised", "app", name)
}
