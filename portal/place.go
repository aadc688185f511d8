package portal

import "portico/store"

// Place is where a request arrived, decided by its host alone.
type Place struct {
	Site    Site
	Variant string         // "", "a" or "b": from astore, bstore, am, bm; kept in redirects
	Host    string         // normalised, without port; "" when it was not a host
	Origin  string         // scheme://host[:port], built from configuration, never from the request
	Company *store.Company // nil: none
	Local   bool           // the company may be named by ?companyId= (dev, loopback or 192.168.x.x)

	// OwnDomain says that the host is a company's own domain. The company controls its DNS, so no password and no code
	// is typed there.
	OwnDomain bool
}

// CompanyID is the place's company, 0 for none.
func (p Place) CompanyID() int64 {
	if p.Company == nil {
		return 0
	}
	return p.Company.ID
}

// Desktop says whether the desktop landing pages are served here.
func (p Place) Desktop() bool { return p.Site == SiteStore && p.Company != nil }

// placeOfCompany is where a program is that names a company, 0 for none: one that does not exist has no accounts.
func placeOfCompany(companyID int64) Place {
	if companyID == 0 {
		return Place{}
	}
	return Place{Company: &store.Company{ID: companyID}}
}

// inPlace keeps the accounts of the host's company, all where the host has none.
func (p *Portal) inPlace(members []store.Member, companyID int64) []store.Member {
	if companyID == 0 {
		return members
	}
	var own []store.Member
	for _, m := range members {
		if m.CompanyID == companyID {
			own = append(own, m)
		}
	}
	return own
}
