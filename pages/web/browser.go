package web

import (
	"net/http"

	"portico/portal/access"
)

// BrowserOf returns what a request says about its browser. remember is true when the person asked to stay signed in.
func (p *Requests) BrowserOf(r *http.Request, remember bool) access.Browser {
	browser := access.Browser{
		Place: PlaceOf(r.Context()), Lighting: AsksLighting(r.Context()), Remember: remember,
		Device: p.core.Sessions.DeviceID(p.Cookie(r, DeviceCookie)), Width: WidthOf(r),
	}
	browser.ShareUser, browser.ShareClient = sharedFrom(p.Cookie(r, ShareCookie))
	return browser
}
