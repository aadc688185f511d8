package company

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// ownDomainOf makes jinsui.test the host of company 1001's desktop back office and returns its origin.
func ownDomainOf(t *testing.T, s *program.Server) string {
	t.Helper()
	_, port, _ := strings.Cut(s.Base, ":")
	own := s.Scheme + "://jinsui.test:" + port
	if err := s.Run("company", "set", "1001", "pc_domain", own); err != nil {
		t.Fatal(err)
	}
	s.OtherHosts = []string{"jinsui.test", "evil.test"}
	return own
}

func TestOwnDomainRedirectsToThePlatformAndBack(t *testing.T) {
	testscope.OnlyInAll(t, "it starts a server and a browser of its own")
	browser.NeedBrowser(t)
	chromium, page, s := browser.NewBrowserWithTestHosts(t), steps.StartForeignSite(t), steps.StartTLSServer(t)
	own := ownDomainOf(t, s)
	for _, plain := range []bool{false, true} {
		for _, lang := range []string{"zh", "es", "en"} {
			text := program.Texts(t, lang)
			for _, on := range []browser.Screen{browser.Phone, browser.Desktop} {
				t.Run(fmt.Sprintf("%s %s plain %t", lang, on.Name, plain), func(t *testing.T) {
					incognito, err := chromium.Incognito()
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = incognito.Close() })
					b := browser.NewTabIn(t, s, on, incognito)
					if plain {
						b.BlockScripts()
					}
					b.VisitURL(own + "/login?lang=" + lang)
					lead := program.FillIn(text("login.own_domain"), "company", "金穗粮油")
					b.WantText(program.FillIn(lead, "host", "store1001."+s.Base))
					b.WantCount("input", 0)
					if dir := os.Getenv("PORTICO_SHOTS"); dir != "" {
						b.TakePicture(fmt.Sprintf("%s/own-domain-%d-%s-%t.webp", dir, on.Width, lang, plain), true)
					}
					if on.Mobile {
						return // on a phone the back office is at mgr.
					}
					b.VisitURL(own + "/mgr/orders")
					b.Follow(`main a.button`)
					b.WantAt("store1001", "/login")
					b.Fill("phone", "13800000002")
					b.Fill("password", program.Password)
					b.Press(steps.SignInButton)
					browser.WantAddress(b, own+"/mgr/orders")
					b.WantText("金穗粮油")
					steps.SignOut(b)
					b.WantAt("store1001", "/login")
					b.VisitURL(own + "/mgr")
					b.WantNoText("陈静")

					b.VisitURL(page(steps.AttackerLink(t, s, "13800000002"), "location"))
					browser.WantAddress(b, own+"/mgr?asked=1")
					b.WantText(program.FillIn(text("asked.sign_in"), "new", "陈静 (jinsui)"))
				})
			}
		}
	}
}
