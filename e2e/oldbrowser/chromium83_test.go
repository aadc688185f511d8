package oldbrowser

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// startOldChromium starts Chromium 83, which `.ci/setup chromium83` installs. Without it the test is skipped: it comes
// from the npm registry, which a machine may not reach.
func startOldChromium(t *testing.T) *rod.Browser {
	t.Helper()
	browser.NeedBrowser(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "portico", "chromium-83")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no Chromium 83: .ci/setup chromium83")
	}
	l := browser.LauncherIn(path, t.TempDir()).Set("disable-dev-shm-usage")
	address, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	old := rod.New().ControlURL(address).NoDefaultDevice()
	if err := old.Connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = old.Close()
		l.Cleanup()
	})
	return old
}

// crowded returns the controls of a page that touch or overlap. Rows of one list touch on purpose; the buttons inside
// password and search fields, the transparent radio buttons of the trades, the bar of actions and the menu of
// phones lie over something on purpose.
const crowded = `() => {
	const shown = [...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, summary")]
		.filter(e => !e.matches(".peek, .find, .skip, .first, .industry input"))
		.filter(e => getComputedStyle(e).visibility === "visible")
		.map(e => ({e, b: e.getBoundingClientRect(), t: (e.textContent || e.name || e.tagName).trim().slice(0, 24)}))
		.filter(({b}) => b.width > 1 && b.height > 1 && b.right > 0)
	const found = []
	shown.forEach((p, i) => shown.slice(i + 1).forEach(q => {
		if (p.e.contains(q.e) || q.e.contains(p.e)) return
		const list = p.e.closest(".list, .places, .contacts, .menu")
		if (p.e.closest(".actbar") !== q.e.closest(".actbar")) return
		if (list && list.contains(q.e) || p.e.closest(".menu") || q.e.closest(".menu")) return
		const x = Math.min(p.b.right, q.b.right) - Math.max(p.b.left, q.b.left)
		const y = Math.min(p.b.bottom, q.b.bottom) - Math.max(p.b.top, q.b.top)
		if (x > 2 && y > 2) found.push(p.t + " lies over " + q.t)
		else if (x > -3 && y > -3 && (x > 0 || y > 0)) found.push(p.t + " touches " + q.t)
	}))
	return found
}`

// dead returns the islands that did not come to life.
const dead = `() => [...document.querySelectorAll("[data-island]")].filter(e => !("ready" in e.dataset))
	.map(e => e.dataset.island)`

// publicPages are the pages that anybody can open, by host.
var publicPages = map[string][]string{
	"account": {
		"/login", "/login/account", "/login/code", "/register", "/experience", "/experience?industry=118",
		"/forget/phone", "/forget/account", "/agreement", "/jumperror",
	},
	"store1001": {"/login", "/register", "/register/complete"},
	"store1002": {"/login", "/login/code"},
	"store1003": {"/register"},
}

func TestPagesLookRightInChromium83(t *testing.T) {
	old := startOldChromium(t)
	for _, on := range []browser.Screen{browser.Phone, browser.Desktop} {
		for _, lang := range program.Languages {
			t.Run(on.Name+" "+lang, func(t *testing.T) {
				b := browser.NewTabIn(t, browser.Normal, on, old)
				b.Lang = lang
				b.ClearCookies()
				for host, paths := range publicPages {
					for _, path := range paths {
						b.Visit(host, path)
						wantRightLook(b)
					}
				}
				b.Visit("account", "/login")
				press(b, `() => {
					document.getElementById("phone").value = "13800000003"
					document.getElementById("password").value = "`+program.Password+`"
					document.querySelector("#sign-in .button").click()
				}`)
				b.WantAt("account", "/company")
				wantRightLook(b)
				for _, path := range []string{"/accounts?all=1", "/accounts?all=1&manage=1", "/security", "/profile"} {
					b.Visit("account", path)
					wantRightLook(b)
				}
				b.Visit("account", "/company?all=1")
				press(b, "() => document.querySelector(`"+steps.DestinationButton(1002, "mgr")+"`).click()")
				wantRightLook(b)
				press(b, `() => document.querySelector(".menu a[href$='/orders']").click()`)
				wantRightLook(b)
				wantListRenewed(b)
				b.ClearCookies()
			})
		}
	}
}

// wantListRenewed presses a tab of the list that the page shows, which must not load the page again.
func wantListRenewed(b *browser.Tab) {
	b.T.Helper()
	if !browser.HasScripts {
		return
	}
	b.Await("htmx", `() => !!document.querySelector(".states [data-htmx-powered]")`)
	press(b, `() => { window.stayed = true; document.querySelector(".states a:last-child").click() }`)
	b.Await("the tab", `() => window.stayed === true && location.search.includes("state=") &&
		document.querySelector(".states a:last-child").matches("[aria-current]")`)
	wantRightLook(b)
}

// press runs a script that leads to another page. The helpers of other browser tests need a newer engine.
func press(b *browser.Tab, script string) {
	b.T.Helper()
	b.LeavePage(func() { browser.Eval[any](b, script) })
}

// wantRightLook checks that no two controls of the page touch, and that the page's scripts work.
func wantRightLook(b *browser.Tab) {
	b.T.Helper()
	if found := browser.Eval[[]string](b, crowded); len(found) > 0 {
		b.T.Errorf("%s: %s", b.Address(), strings.Join(found, "; "))
	}
	if !browser.HasScripts {
		return
	}
	b.Await("the islands", `dead => eval(dead)().length === 0`, dead)
	if still := browser.Eval[[]string](b, dead); len(still) > 0 {
		slices.Sort(still)
		b.T.Errorf("%s: %q did not come to life", b.Address(), still)
	}
}
