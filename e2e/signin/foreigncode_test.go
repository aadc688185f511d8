package signin

import (
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestForeignSiteSignsNobodyInWithoutAsking(t *testing.T) {
	testscope.OnlyInAll(
		t,
		"portal/signin tests that another person's code asks; this starts a browser and a server of its own",
	)
	browser.NeedBrowser(t)
	text := program.Texts(t, "zh")
	chromium, page := browser.NewBrowserWithTestHosts(t), steps.StartForeignSite(t)
	servers := map[string]*program.Server{"one site with TLS": steps.StartTLSServer(t)}
	ways := []string{"location", "redirect", "form", "no referrer"} // in which a site sends its visitors on
	if testscope.All() {
		servers["hosts below localhost"] = browser.Normal
	} else {
		ways = ways[:1]
	}
	for name, s := range servers {
		s.OtherHosts = []string{"evil.test"}
		victims := map[string]struct {
			signIn func(b *browser.Tab)
			asks   string
		}{
			"a visitor": {func(*browser.Tab) {}, program.FillIn(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in on account. as another person": {func(b *browser.Tab) {
				steps.SignIn(b, "13800000003")
				b.WantAt("account", "/company")
			}, program.FillIn(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in on the same host": {func(b *browser.Tab) {
				steps.SignIn(b, "13800000001")
				b.WantArrived(browser.Arrival{Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"})
			}, program.FillIn(text("asked.sign_in"), "new", "陈静 (jinsui)")},
			"signed in to the same side": {func(b *browser.Tab) {
				steps.SignIn(b, "13800000003")
				b.Visit("account", "/accounts?all=1")
				b.Follow(accountButton(b, "li.manager"))
				b.WantArrived(browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "李", Company: "金穗粮油"})
			}, text("asked.heading")},
		}
		for who, victim := range victims {
			for _, how := range ways {
				t.Run(name+", "+who+", "+how, func(t *testing.T) {
					incognito, err := chromium.Incognito()
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = incognito.Close() })
					b := browser.NewTabIn(t, s, browser.Desktop, incognito)
					victim.signIn(b)
					b.VisitURL(page(steps.AttackerLink(t, s, "13800000002"), how))
					browser.WantAddress(b, s.URL("store1001", "/mgr?asked=1"))
					b.WantText(victim.asks)
					b.WantNoText("陈静，您好")
				})
			}
		}
	}
}
