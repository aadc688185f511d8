package pages

import (
	"net/http"

	"portico/portal/access"
)

// browserOf returns what a request says about its browser. remember is true when the person asked to stay signed in.
func (p *Pages) browserOf(r *http.Request, remember bool) access.Browser {
	browser := access.Browser{
		Place: placeOf(r.Context()), Lighting: asksLighting(r.Context()), Remember: remember,
		Device: p.portal.Sessions.DeviceID(p.cookie(r, deviceCookie)), Width: widthOf(r),
	}
	browser.ShareUser, browser.ShareClient = sharedFrom(p.cookie(r, shareCookie))
	return browser
}
