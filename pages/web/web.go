// Package web renders pages, mounts forms and writes failures. All pages build on it.
package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"portico/portal/accounts"
	"portico/portal/branding"
	"portico/portal/limits"
	"portico/portal/profile"
	"portico/portal/sessions"

	"github.com/go-chi/chi/v5"

	"portico/pages/native"
	"portico/pages/request"
	statisticspages "portico/pages/statistics"
	"portico/portal/access"
	"portico/store"
)

// Portal holds the operations of portal that these pages call.
type Portal struct {
	Access   *access.Access
	Accounts *accounts.Accounts
	Branding *branding.Branding
	Limits   *limits.Limits
	Profiles *profile.Profiles
	Sessions *sessions.Sessions
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

// New returns a Web with an empty cache. The caller then sets ShowApplied, SiteOf and SideOf.
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
		Cache:      NewPageCache(SignInPagesSize),
		request:    request,
		native:     native,
		statistics: statistics,
	}
}
