package application_test

import (
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
		} {
			if origin, err := p.Application.FindCompany(p.From(portaltest.HomeAddress), text); err != nil ||
				origin != want {
				t.Errorf("%q: %s %v", text, origin, err)
			}
		}
		for text, problem := range map[string]access.Problem{
			"": access.SiteRequired, " ": access.SiteRequired, "4711": access.SiteUnknown, "01001": access.SiteUnknown,
			"portico.test": access.SiteUnknown, "evil.test": access.SiteUnknown, "金穗粮油": access.SiteUnknown,
		} {
			_, err := p.Application.FindCompany(p.From(portaltest.HomeAddress), text)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["site"] != problem {
				t.Errorf("%q: %+v", text, with.Fields)
			}
		}
	})
}
