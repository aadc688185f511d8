package web_test

import (
	"strings"
	"testing"

	"portico/assets"
	"portico/components"
	"portico/pages/pagestest"
)

// The app adds its bridge to a page and takes none of its styles: those of the landing sites, of the back office, and
// the colours of the companies' marks.
func TestPagesInTheAppKeepTheirStyles(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(IosApp)
	shop, shopAt := b.SignInAndFollow("13800000001")
	office := s.BrowserWithAgent(IosApp)
	_, officeAt := office.SignInAndFollow("13800000002")
	several := s.BrowserWithAgent(IosApp)
	places, _ := several.SignInAndFollow("13800000003")
	blocked := s.BrowserWithAgent(IosApp).SignIn("account.portico.test", "13800000005")
	signIn := pagestest.Text(t, s.BrowserWithAgent(IosApp).Get(pagestest.AccountSite+"/login"))
	for _, page := range []struct{ name, has, text string }{
		{"shop " + shopAt, assets.LandingStyle(), shop},
		{"orders", assets.OfficeURL, pagestest.Text(t, office.Get(officeAt+"/orders"))},
		{"where to go", ".mark-1001{--mark:", places},
		{"blocked", "." + components.OwnerMark + "{--mark:", pagestest.Text(t, blocked)},
		{"sign-in", assets.FlowsStyle(), signIn},
	} {
		if _, ok := bridgeData(t, page.text); !ok {
			t.Errorf("%s has no bridge", page.name)
		}
		if !strings.Contains(page.text, page.has) {
			t.Errorf("%s lacks %.60s", page.name, page.has)
		}
	}
}
