// Package web renders pages, mounts forms and writes failures. All pages build on it.
package web

import (
	"log/slog"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"portico/pages/native"
	"portico/pages/request"
	statisticspages "portico/pages/statistics"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
	"portico/store"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Accounts *signin.Accounts
}

// Web renders pages and writes failures.
type Web struct {
	portal     Portal
	base       *url.URL
	log        *slog.Logger
	formAction string
	guard      *http.CrossOriginProtection

	ShowApplied func(http.ResponseWriter, *http.Request, *access.Refused)
	SiteOf      func(access.Place) chi.Routes
	SideOf      func(store.Slot) chi.Routes
	Cache       *PageCache

	request    *request.Requests
	native     *native.Pages
	statistics *statisticspages.Pages
}

// New returns the Web of one program. The other arguments are the packages that it calls.
func New(
	o request.Platform,
	portal Portal,
	request *request.Requests,
	native *native.Pages,
	statistics *statisticspages.Pages,
) *Web {
	return &Web{
		portal:     portal,
		base:       o.Base,
		log:        o.Log,
		formAction: o.FormAction,
		guard:      o.Guard,
		Cache:      NewPageCache(keptPages),
		request:    request,
		native:     native,
		statistics: statistics,
	}
}

// SignedIn returns the session of the person who is signed in on this host. It returns LoginRequired when nobody is.
func (p *Web) SignedIn(r *http.Request) (access.Session, error) {
	s, err := p.request.Session(r)
	if err != nil {
		return s, err
	}
	if core.PersonOwner(s).Nobody() {
		return s, access.LoginRequired
	}
	return s, nil
}
