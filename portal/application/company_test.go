package application_test

import (
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
)

func TestACompanyIsFoundByItsIDOrItsAddress(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for text, want := range map[string]string{
			"1001": "http://store1001.portico.test", " 1002": "http://store1002.portico.test",
			"astore1003.portico.test/register": "http://store1003.portico.test",
			"jinsui.test":                      "http://store1001.portico.test",
			"store1001":                        "http://store1001.portico.test",
			"AStore1002/login":                 "http://store1002.portico.test",
			longAddress(300):                   "http://store1001.portico.test",
		} {
			if origin, err := p.Application.FindCompany(p.From(portaltest.HomeAddress), text); err != nil ||
				origin != want {
				t.Errorf("%q: %s %v", text, origin, err)
			}
		}
		for text, problem := range map[string]access.Problem{
			"": access.SiteRequired, " ": access.SiteRequired, "4711": access.SiteUnknown, "01001": access.SiteUnknown,
			"portico.test": access.SiteUnknown, "account": access.SiteUnknown, "store4711": access.SiteUnknown,
			"evil.test": access.SiteUnknown, "金穗粮油": access.SiteUnknown,
			longAddress(301): access.SiteUnknown, // the end of the host is cut off
		} {
			_, err := p.Application.FindCompany(p.From(portaltest.HomeAddress), text)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["site"] != problem {
				t.Errorf("%q: %+v", text, with.Fields)
			}
		}
	})
}

// longAddress returns the address of company 1001 with a user name that makes it so many bytes long.
func longAddress(length int) string {
	const scheme, host = "http://", "@store1001.portico.test"
	return scheme + strings.Repeat("u", length-len(scheme)-len(host)) + host
}
