package access

import (
	"strings"

	"portico/store"
)

// Top-level names that nobody can own (RFC 2606, 6761, 6762, 7686, 8375 and ICANN's .internal). In dev the ones that
// resolve on a developer's machine or network are allowed.
var (
	neverOwned = []string{"alt", "arpa", "corp", "example", "home", "invalid", "lan", "mail", "onion"}
	ownedInDev = []string{"internal", "local", "localhost", "test"}
)

// OwnHost normalises a host that a company wants to claim as its own domain, or returns the problem with it.
func (a *Access) OwnHost(typed string) (string, Problem) {
	if len(typed) > maxClaimed {
		return "", DomainMalformed
	}
	host := strings.Trim(typed, " ")
	if host == "" {
		return "", DomainRequired
	}
	for i := range len(host) { // before lowering: a Kelvin sign would become a k
		if host[i] >= 0x80 {
			return "", DomainMalformed
		}
	}
	host = strings.ToLower(host)
	labels := strings.Split(host, ".")
	if len(host) > MaxHost || len(labels) < 2 {
		return "", DomainMalformed
	}
	for _, label := range labels {
		// Labels with hyphens in third and fourth place are punycode, which can imitate other names.
		if !goodLabel(label) || strings.Contains(label, "_") || len(label) > 3 && label[2:4] == "--" {
			return "", DomainMalformed
		}
	}
	top := labels[len(labels)-1]
	// An IP address in any notation ends in digits.
	if len(top) < 2 || strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", DomainMalformed
	}
	// People would take a host that contains the platform's name for the platform.
	if strings.Contains("."+host+".", "."+a.baseHost+".") {
		return "", DomainOfPlatform
	}
	for _, name := range neverOwned {
		if top == name {
			return "", DomainReserved
		}
	}
	for _, name := range ownedInDev {
		if top == name && !a.dev {
			return "", DomainReserved
		}
	}
	return host, ""
}

// PublicOrigin returns the origin of a place's pages for search engines and shared links. With a company it is the
// company's desktop domain if it has one, else the company's own domain if the request used one, else the company's
// host below the base. Without a company it is the account site.
func (a *Access) PublicOrigin(place Place) string {
	c := place.Company
	switch {
	case c == nil && place.Local:
		return place.Origin
	case c == nil:
		return a.AccountOrigin(place)
	case c.PCDomain != "":
		return c.PCDomain
	case place.Site == SiteStore && !strings.HasSuffix(place.Host, "."+a.baseHost):
		return place.Origin
	}
	return a.CompanyOrigin(c.ID)
}

// AccountOrigin returns the origin of the account site, which is the place's own origin on a local host.
func (a *Access) AccountOrigin(place Place) string {
	if place.Local {
		return place.Origin
	}
	return a.Origin("account")
}

// Findable says whether search engines may index a place's pages. They may not index the pages of a disabled company or
// of a sandbox. In dev only local hosts are indexable, which search engines cannot reach.
func (a *Access) Findable(place Place) bool {
	if a.dev && !IsLocal(place.Host) && !strings.HasSuffix(place.Host, ".localhost") {
		return false
	}
	return place.Company == nil || !place.Company.Disabled && !place.Company.Sandbox
}

// TakesApplications says whether customers may apply to a company now.
func (a *Access) TakesApplications(c store.Company) bool {
	return c.ApplicationsOpen && BlockedBy(store.Member{Company: c}, false, a.now()) == ""
}
