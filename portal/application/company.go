package application

import (
	"context"
	"net/url"
	"strings"

	"portico/portal/access"
)

// MaxSite is the longest text, in bytes, by which a customer may name a company's site.
const MaxSite = 300

// FindCompany finds the company that a customer wants to order from, by its number or the address of its site, and
// returns the origin of its host on the platform. Refused: an empty text and an unknown company, each under "site";
// TooManyAttempts after too many unknown ones.
func (ap *Application) FindCompany(ctx context.Context, text string) (origin string, err error) {
	text = access.Limited(strings.TrimSpace(text), MaxSite)
	if text == "" {
		return "", access.Invalid(access.Fields{"site": access.SiteRequired})
	}
	place, err := ap.access.Locate(ctx, access.LocateInput{Host: ap.hostNamed(text)})
	if err != nil {
		return "", err
	}
	if place.Company == nil || place.Company.Sandbox {
		if err := ap.limits.Probed(ctx, "company:"+strings.ToLower(text)); err != nil {
			return "", err
		}
		return "", access.Invalid(access.Fields{"site": access.SiteUnknown})
	}
	return ap.access.CompanyOrigin(place.Company.ID), nil
}

// hostNamed returns the host of a company's number, or of an address with or without its scheme; "" for none.
func (ap *Application) hostNamed(text string) string {
	if id, ok := access.DecimalID(text); ok {
		return "store" + access.Decimal(id) + "." + ap.baseHost
	}
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
