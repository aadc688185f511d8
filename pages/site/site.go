// Package site redeems the one-time code with which a person arrives at a landing site, and has what all pages of such
// a site share.
package site

import (
	"log/slog"

	"portico/pages/web"
	"portico/portal"
	"portico/store"
)

// Site is what all pages of a site share: the frame, the menu and the account that is signed in.
type Site struct {
	portal *portal.Portal
	log    *slog.Logger
	path   string
	slot   store.Slot

	web *web.Web
}

// New returns the Site whose first page is at path and which needs an account of slot.
func New(portal *portal.Portal, web *web.Web, path string, slot store.Slot) *Site {
	return &Site{
		portal: portal,
		log:    web.Platform.Log,
		path:   path,
		slot:   slot,
		web:    web,
	}
}

// Path returns the path of the first page of the site, such as "/home".
func (l *Site) Path() string { return l.path }

// Slot returns the slot of accounts for which the site is.
func (l *Site) Slot() store.Slot { return l.slot }
