package portal_test

import (
	"testing"

	"portico/portal"
)

func TestACompanyIsFoundByItsNumberOrItsAddress(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for text, want := range map[string]string{
			"1001": "http://store1001.portico.test", " 1002": "http://store1002.portico.test",
			"astore1003.portico.test/register": "http://store1003.portico.test", "jinsui.test": "http://store1001.portico.test",
		} {
			if origin, err := p.FindCompany(p.from(homeAddress), text); err != nil || origin != want {
				t.Errorf("%q: %s %v", text, origin, err)
			}
		}
		for text, problem := range map[string]portal.Problem{
			"": portal.SiteRequired, " ": portal.SiteRequired, "4711": portal.SiteUnknown, "01001": portal.SiteUnknown,
			"portico.test": portal.SiteUnknown, "evil.test": portal.SiteUnknown, "金穗粮油": portal.SiteUnknown,
		} {
			_, err := p.FindCompany(p.from(homeAddress), text)
			if with := refused(t, err, portal.ValidationFailed); with.Fields["site"] != problem {
				t.Errorf("%q: %+v", text, with.Fields)
			}
		}
	})
}
