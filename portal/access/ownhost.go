package access

import (
	"strings"

	"portico/store"
)

// Top-level names that nobody can own (RFC 2606, 6761, 6762, 7686, 8375 and ICANN's .internal). In dev those that
// one's own machine or network may answer for can be tried.
var (
	neverOwned = []string{"alt", "arpa", "corp", "example", "home", "invalid", "lan", "mail", "onion"}
	ownedInDev = []string{"internal", "local", "localhost", "test"}
)

// OwnHost is a host that a company may claim, in its one spelling: the host alone, nothing around it.
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
		// Of names with hyphens in third and fourth place only punycode is in use, whose letters are looked alike.
		if !goodLabel(label) || strings.Contains(label, "_") || len(label) > 3 && label[2:4] == "--" {
			return "", DomainMalformed
		}
	}
	top := labels[len(labels)-1]
	// An IP address in any notation ends in digits.
	if len(top) < 2 || strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", DomainMalformed
	}
	// The platform's own name anywhere in it would be taken for the platform.
	if strings.Contains("."+host+".", "."+a.baseHost+".") {
		return "", DomainOurs
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

// PublicOrigin is the origin at which a place's pages are to be found by search engines and shared links, built from
// configuration: the address of a company's desktop where it has one, else its own domain where that is asked, else
// its host under the base; without a company the account site.
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

// AccountOrigin is the origin of the account site: this machine's own where it is asked under a local name.
func (a *Access) AccountOrigin(place Place) string {
	if place.Local {
		return place.Origin
	}
	return a.Origin("account")
}

// Findable says whether search engines may show a place's pages: not those of a company that is disabled, or that
// somebody is only trying; and in dev nothing but what this machine alone can ask for.
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
