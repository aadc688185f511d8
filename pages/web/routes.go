package web

import (
	"github.com/go-chi/chi/v5"

	"portico/portal/access"
	"portico/store"
)

// Routes are the route tables of the sites. Pages ask them whether another site, or this one, has a page at a path.
type Routes struct {
	Account    chi.Router // the account site on the platform's host and on companies' hosts
	Desktop    chi.Router // the account site together with both landing sites for desktops
	OwnDomain  chi.Router // what a company's own domain has
	MobileShop chi.Router
	MobileMgr  chi.Router
	None       chi.Router // what every host has
}

// At returns the route table of a place.
func (t Routes) At(place access.Place) chi.Router {
	switch {
	case place.Site == access.SiteMobileShop:
		return t.MobileShop
	case place.Site == access.SiteMobileMgr:
		return t.MobileMgr
	case place.Site == access.SiteAPI:
		return t.None
	case place.OwnDomain:
		return t.OwnDomain
	case place.Desktop():
		return t.Desktop
	}
	return t.Account
}

// OfSlot returns the route table that has the pages of a slot.
func (t Routes) OfSlot(slot store.Slot) chi.Router {
	switch slot {
	case store.MobileShop:
		return t.MobileShop
	case store.MobileMgr:
		return t.MobileMgr
	}
	return t.Desktop
}
