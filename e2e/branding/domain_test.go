package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// ownDomainOf makes jinsui.test the address of company 1001's desktop back office and returns its origin.
func ownDomainOf(t *testing.T, s *site) string {
	t.Helper()
	_, port, _ := strings.Cut(s.base, ":")
	own := s.scheme + "://jinsui.test:" + port
	if err := s.manage("company", "set", "1001", "pc_domain", own); err != nil {
		t.Fatal(err)
	}
	s.others = []string{"jinsui.test", "evil.test"}
	return own
}

func (b *tab) wantAddress(want string) {
	b.t.Helper()
	b.await(want, `want => location.href === want && document.readyState === "complete"`, want)
}

func TestACompanysOwnDomainLeadsToThePlatformsHostAndBack(t *testing.T) {
	needBrowser(t)
	browser, page, s := worldBrowser(t), evilSite(t), behindTLS(t)
	own := ownDomainOf(t, s)
	for _, plain := range []bool{false, true} {
		for _, lang := range []string{"zh", "es", "en"} {
			text := texts(t, lang)
			for _, on := range []screen{phone, desktop} {
				t.Run(fmt.Sprintf("%s %s plain %t", lang, on.name, plain), func(t *testing.T) {
					incognito, err := browser.Incognito()
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = incognito.Close() })
					b := tabOf(t, s, on, incognito)
					if plain {
						b.blockScripts()
					}
					b.visitURL(own + "/login?lang=" + lang)
					lead := filled(text("login.own_domain"), "company", "金穗粮油")
					b.wantText(filled(lead, "host", "store1001."+s.base))
					b.wantCount("input", 0)
					if dir := os.Getenv("PORTICO_SHOTS"); dir != "" {
						b.shoot(fmt.Sprintf("%s/own-domain-%d-%s-%t.webp", dir, on.width, lang, plain), true)
					}
					if on.mobile {
						return // the back office of a phone is on mgr.
					}
					b.visitURL(own + "/mgr/orders")
					b.follow(`main a.button`)
					b.wantAt("store1001", "/login")
					b.fill("phone", "13800000002")
					b.fill("password", password)
					b.press(signInButton)
					b.wantAddress(own + "/mgr/orders")
					b.wantText("金穗粮油")
					b.follow(signOutButton)
					b.wantAt("store1001", "/login")
					b.visitURL(own + "/mgr")
					b.wantNoText("陈静")

					b.visitURL(page(s.attackersLink(t, "13800000002"), "location"))
					b.wantAddress(own + "/mgr?asked=1")
					b.wantText(filled(text("asked.sign_in"), "new", "陈静 (jinsui)"))
				})
			}
		}
	}
}
