package application

import (
	"context"
	"net/url"
	"strings"

	"portico/portal/access"
)

// MaxSite is the longest address or number, in bytes, with which a customer may look up a company.
const MaxSite = 300

// FindCompany finds the company that a customer wants to order from, by its number or the address of its site. It
// returns the origin of the company's host on the platform. It refuses an empty text and an unknown company, each under
// "site", and with TooManyAttempts too many unknown companies from one network.
func (ap *Application) FindCompany(ctx context.Context, text string) (origin string, err error) {
	text = access.Truncated(strings.TrimSpace(text), MaxSite)
	if text == "" {
		return "", access.Invalid(access.Fields{"site": access.SiteRequired})
	}
	place, err := ap.core.Access.Locate(ctx, access.LocateInput{Host: ap.hostNamed(text)})
	if err != nil {
		return "", err
	}
	if place.Company == nil || place.Company.Sandbox {
		if err := ap.core.Limits.CountLookup(ctx, "company:"+strings.ToLower(text)); err != nil {
			return "", err
		}
		return "", access.Invalid(access.Fields{"site": access.SiteUnknown})
	}
	return ap.core.Access.CompanyOrigin(place.Company.ID), nil
}

// hostNamed returns the host that a text names: by a company's number, or by an address with or without its scheme; ""
// for none. For an address on the platform the first part is enough, like "store1001".
func (ap *Application) hostNamed(text string) string {
	if id, ok := access.DecimalID(text); ok {
		return "store" + access.Decimal(id) + "." + ap.core.BaseHost
	}
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	if name := strings.ToLower(u.Host); name != "" && name != "localhost" && !strings.ContainsAny(name, ".:") {
		return name + "." + ap.core.BaseHost
	}
	return u.Host
}
