// Package site redeems the one-time code with which a person arrives at a landing site, and has what all pages of such
// a site share.
package site

import (
	"log/slog"

	"portico/pages/web"
	"portico/portal/core"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
)

// Portal has what these pages call.
type Portal struct {
	Core     *core.Core
	Accounts *signin.Accounts
	Entry    *signin.Entry
	Landing  *signin.Landing
	Shop     *shop.Shop
	Overview *office.Overview
}

// Site is what all pages of a site share: the frame, the menu and the account that is signed in.
type Site struct {
	portal Portal
	log    *slog.Logger
	path   string
	slot   store.Slot

	request *web.Requests
	native  *web.NativePages
	web     *web.Web
}

// New returns the Site of one program. The other arguments are the packages that it calls.
func New(
	o web.Platform,
	portal Portal,
	request *web.Requests,
	native *web.NativePages,
	web *web.Web,
) *Site {
	return &Site{
		portal:  portal,
		log:     o.Log,
		path:    o.Path,
		slot:    o.Slot,
		request: request,
		native:  native,
		web:     web,
	}
}
