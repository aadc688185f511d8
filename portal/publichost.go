package portal

import (
	"strings"

	"portico/store"
)

// PublicOrigin is the origin at which a place's pages are to be found by search engines and shared links, built from
// configuration: the address of a company's desktop where it has one, else its own domain where that is asked, else
// its host under the base; without a company the account site.
func (p *Portal) PublicOrigin(place Place) string {
	c := place.Company
	switch {
	case c == nil && place.Local:
		return place.Origin
	case c == nil:
		return p.AccountOrigin(place)
	case c.PCDomain != "":
		return c.PCDomain
	case place.Site == SiteStore && !strings.HasSuffix(place.Host, "."+p.baseHost):
		return place.Origin
	}
	return p.CompanyOrigin(c.ID)
}

// AccountOrigin is the origin of the account site: this machine's own where it is asked under a local name.
func (p *Portal) AccountOrigin(place Place) string {
	if place.Local {
		return place.Origin
	}
	return p.origin("account")
}

// Findable says whether search engines may show a place's pages: not those of a company that is disabled, or that
// somebody is only trying; and in dev nothing but what this machine alone can ask for.
func (p *Portal) Findable(place Place) bool {
	if p.dev && !isLocal(place.Host) && !strings.HasSuffix(place.Host, ".localhost") {
		return false
	}
	return place.Company == nil || !place.Company.Disabled && !place.Company.Sandbox
}

// TakesApplications says whether customers may apply to a company now.
func (p *Portal) TakesApplications(c store.Company) bool {
	return c.ApplicationsOpen && BlockedBy(store.Member{Company: c}, false, p.now()) == ""
}
