// Package web reads what a browser or native app sends, renders pages, mounts forms, writes failures and files, and
// counts page views. All pages build on it.
package web

import (
	"net/http"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

// Web is what every page needs: it reads what a browser and the native app send, renders pages, mounts forms, writes
// failures and counts page views.
type Web struct {
	*Requests
	*NativePages
	*PageViews

	Platform Platform
	Cache    *PageCache

	ShowApplied func(http.ResponseWriter, *http.Request, *access.Refused)

	// Routes are the route tables of all sites. They are set when the pages are mounted.
	Routes Routes

	core     *core.Core
	accounts *signin.Accounts
}

// New returns the Web of one program. simulated is nil in production.
func New(
	platform Platform, core *core.Core, accounts *signin.Accounts, landing *signin.Landing, simulated *SimulatedApps,
) *Web {
	requests := NewRequests(platform, core)
	native := NewNative(platform, core, simulated, requests)
	return &Web{
		Requests:    requests,
		NativePages: native,
		PageViews:   NewStatistics(core, landing, requests, native),
		Platform:    platform,
		Cache:       NewPageCache(keptPages),
		core:        core,
		accounts:    accounts,
	}
}

// SignedIn returns the session of the person who is signed in on this host. It returns LoginRequired when nobody is.
func (p *Web) SignedIn(r *http.Request) (access.Session, error) {
	s, err := p.Session(r)
	if err != nil {
		return s, err
	}
	if core.PersonOwner(s).Nobody() {
		return s, access.LoginRequired
	}
	return s, nil
}
