// Package web reads what a browser or native app sends, renders pages, mounts forms, writes failures and files, and
// counts page views. All pages build on it.
package web

import (
	"log/slog"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

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

	request    *Requests
	native     *NativePages
	statistics *StatisticsPages
}

// New returns the Web of one program. The other arguments are the packages that it calls.
func New(
	o Platform,
	portal Portal,
	request *Requests,
	native *NativePages,
	statistics *StatisticsPages,
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
