package company

import (
	"slices"
	"strconv"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// worstSheets are the worst style sheets that a company can publish for its sign-in pages. The filter accepts each.
var worstSheets = map[string]string{
	"as large as can be": `body,main,header,footer,nav,form,div,label,input,button,a,p,span,h1,ul,li` + largest +
		`.side,.with,.peek,.field,.code-row,.code-row .button,.code-row .input,.with .input` + largest,
	"all in white": `body,main,header,nav,form,div,label,input,button,a,p,span,strong,h1,ul,li,svg` + white +
		`.side,.button,.button.quiet,.note,.input,.peek,.links a,.links a:visited` + white,
	"as small as can be": `body,main,header,nav,form,div,label,input,button,a,p,span,strong,h1,ul,li` +
		`{font-family:Wingdings,"Webdings";font-size:12px;line-height:1.1;letter-spacing:-.5px;` +
		`font-style:italic;text-transform:uppercase;text-align:right;text-decoration:none;` +
		`margin:0 0 0 auto;padding:0;gap:0;border:0;border-radius:9999px}.input,.button{padding:0;border:0}`,
}

const (
	largest = `{font-size:48px;padding:2em;margin:2em;border:8px solid #fff;line-height:2.5;` +
		`letter-spacing:4px;gap:2em;` +
		`box-shadow:0 1.5em 4em 1em #fff,inset 0 24px 0 16px #fff}`
	white = `{color:#fff;background:#fff;border-color:#fff;caret-color:#fff;outline-color:#fff;` +
		`text-decoration-color:#fff;box-shadow:0 24px 64px 16px #fff,0 -24px 64px 16px #fff}`
)

func TestCompanyStyleSheetHidesNoProtectedElement(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/stylesheet")
	shown := []string{".msg", "#summary", "#summary a", ".foot > a", ".langs button", `main a[href^="tel:"]`}
	for name, sheet := range worstSheets {
		t.Run(name, func(t *testing.T) {
			company := browser.Normal.AddCompany(t, "es", "", true)
			if err := browser.Normal.Run(
				"company",
				"set",
				strconv.FormatInt(company.ID, 10),
				"style",
				sheet,
			); err != nil {
				t.Fatal(err)
			}
			b := browser.NewTab(t, browser.Normal, browser.Narrow)
			b.Visit(company.Host(), "/login")
			if !b.Has(`link[href^="/style/"]`) {
				t.Fatal("the page does not link the style sheet of its company")
			}
			b.Fill("phone", "12")
			b.Follow(steps.SignInButton)
			for _, on := range []browser.Screen{browser.Narrow, browser.Desktop} {
				b.SetScreen(on)
				calls := slices.Clone(shown)
				if on == browser.Desktop {
					calls = append(calls, `.panel a[href^="tel:"]`) // the panel is for wide windows
				}
				wantNothingHidden(b, calls, append(calls, "#phone", "#password", steps.SignInButton))
			}
			b.Follow(".foot > a")
			if !b.Has("article.agreement") {
				t.Errorf("the agreement is not at %s", b.Address())
			}
			b.SetScreen(browser.Narrow)
			b.Visit(company.Host(), "/login/code")
			wantNothingHidden(
				b,
				[]string{".foot > a", ".langs button"},
				[]string{"#phone", "#code", `button[value=send_code]`, steps.MainButton},
			)
		})
	}
}

// wantNothingHidden checks that a style sheet hides nothing: shown are selectors of what a page must show, used those
// of its controls.
func wantNothingHidden(b *browser.Tab, shown, used []string) {
	b.T.Helper()
	for _, trouble := range browser.Eval[[]string](b, hiddenElements, shown, used) {
		b.T.Errorf("%s: %s", b.Screen.Name, trouble)
	}
}

// hiddenElements returns what is missing, too small, covered or without contrast, and fields without room for what is
// typed.
const hiddenElements = `(shown, used) => {
	const light = c => c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
		.map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0)
	const ground = e => {
		const c = getComputedStyle(e).backgroundColor
		return /, 0\)$/.test(c) && e.parentElement ? ground(e.parentElement) : c
	}
	return [...new Set([...shown, ...used])].flatMap(s => {
		const all = [...document.querySelectorAll(s)].filter(e => !e.hidden)
		return all.length ? all.flatMap(e => {
			e.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"})
			const [box] = e.getClientRects(), style = getComputedStyle(e), found = []
			const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
			if (!hit || !e.contains(hit)) found.push(s + " is under " + (hit ? hit.outerHTML.slice(0, 80) : "nothing"))
			if (box.width < 24 || box.height < 16)
				found.push(s + " is " + Math.round(box.width) + " x " + Math.round(box.height))
			if (shown.includes(s)) {
				const [a, b] = [light(style.color), light(ground(e))].sort((x, y) => y - x)
				if ((a + .05) / (b + .05) < 4.5) found.push(s + " is " + style.color + " on " + ground(e))
				if (parseFloat(style.fontSize) < 14 && !e.matches("[href^='tel:']") ||
					/dings/.test(style.fontFamily))
					found.push(s + " is " + style.fontSize + " " + style.fontFamily)
			}
			if (e.matches("input")) {
				const wide = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
					high = e.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)
				if (wide < 32 || high < parseFloat(style.fontSize))
					found.push(s + " has room for " + Math.round(wide) + " x " + Math.round(high))
			}
			return found
		}) : [s + " is missing"]
	})
}`
