package pages

import (
	"net/http"
	"slices"
	"strings"

	"portico/locale"
	"portico/portal/access"
)

// After a sign-in, the page where the person arrives shows once what happened. If that page is on another host, the
// auth code carries the notice there. On the same host a cookie carries it.

// The notices. The chat app's name follows where the notice ends in a dot.
const (
	noticeEntered    = "entered.0"
	noticeAuthorised = "authorised."
	noticeLinked     = "linked."
)

// keepNotice keeps this sign-in's notice for the next page of this host.
func (p *Pages) keepNotice(w http.ResponseWriter, r *http.Request) {
	if notice := visitOf(r.Context()).notice; notice != "" {
		p.setCookie(w, doneCookie, notice, minuteSeconds)
	}
}

// keptNotice returns the notice of a sign-in by a chat app that no page has shown yet, "" for none.
func (p *Pages) keptNotice(r *http.Request) string {
	notice := p.cookie(r, doneCookie)
	if strings.HasPrefix(notice, noticeAuthorised) || strings.HasPrefix(notice, noticeLinked) {
		return notice
	}
	return ""
}

// arrivalNotice returns the text of the waiting notice and removes the notice, so that no other page shows it; "" for
// none.
func (p *Pages) arrivalNotice(w http.ResponseWriter, r *http.Request) string {
	ctx, notice := r.Context(), p.cookie(r, doneCookie)
	if notice == noticeEntered {
		p.dropCookie(w, doneCookie)
		return locale.T(ctx, "enter.entered")
	}
	if p.keptNotice(r) == "" {
		return ""
	}
	p.dropCookie(w, doneCookie)
	what, app, _ := strings.Cut(notice, ".")
	if !slices.Contains([]access.ProviderName{access.WeChat, access.WeCom}, access.ProviderName(app)) {
		return ""
	}
	name := appName(r, access.ProviderName(app))
	if what+"." == noticeLinked {
		return locale.T(ctx, "chat.linked", "app", name)
	}
	return locale.T(ctx, "chat.authorised", "app", name)
}
