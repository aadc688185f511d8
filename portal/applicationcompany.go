package portal

import (
	"context"
	"net/url"
	"strings"
)

// MaxSite is the longest text, in bytes, by which a customer may name a company's site.
const MaxSite = 300

// FindCompany finds the company that a customer wants to order from, by its number or the address of its site, and
// returns the origin of its host on the platform. Refused: an empty text and an unknown company, each under "site";
// TooManyAttempts after too many unknown ones.
func (p *Portal) FindCompany(ctx context.Context, text string) (origin string, err error) {
	text = limited(strings.TrimSpace(text), MaxSite)
	if text == "" {
		return "", invalid(Fields{"site": SiteRequired})
	}
	place, err := p.Locate(ctx, LocateInput{Host: p.hostNamed(text)})
	if err != nil {
		return "", err
	}
	if place.Company == nil || place.Company.Sandbox {
		if err := p.probed(ctx, "company:"+strings.ToLower(text)); err != nil {
			return "", err
		}
		return "", invalid(Fields{"site": SiteUnknown})
	}
	return p.CompanyOrigin(place.Company.ID), nil
}

// hostNamed returns the host of a company's number, or of an address with or without its scheme; "" for none.
func (p *Portal) hostNamed(text string) string {
	if id, ok := DecimalID(text); ok {
		return "store" + decimal(id) + "." + p.baseHost
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
