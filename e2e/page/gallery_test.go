package page

import (
	"slices"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// view is a page of the gallery. open leads a tab to it.
type view struct {
	name string
	open func(b *browser.Tab)
}

// gallery has every page, in an order that saves sign-ins: some views continue from the one before. Each part has a
// browser of its own.
var gallery = [][]view{signInViews, onboardingViews, applicationViews, chatViews}

// signInViews are the pages for signing in, and those for passwords and phones.
var signInViews = []view{
	{"login", func(b *browser.Tab) { b.ClearCookies(); b.Visit("account", "/login") }},
	{"login-by-name", func(b *browser.Tab) { b.Visit("account", "/login/account") }},
	{"login-of-a-company", func(b *browser.Tab) { b.Visit("store1002", "/login") }},
	{"login-incomplete", func(b *browser.Tab) { b.Visit("account", "/login"); b.Follow(steps.SignInButton) }},
	{"login-wrong-password", func(b *browser.Tab) { steps.SignInAt(b, "account", "13800000001", "wrong-password") }},
	{"login-not-bound", func(b *browser.Tab) { steps.SignIn(b, "13800000011") }},
	{"login-question", func(b *browser.Tab) {
		steps.RequireProof(b.T, "13800000009")
		onServer(b, browser.Limited(b.T), func() { steps.SignIn(b, "13800000009") })
	}},
	{"blocked", func(b *browser.Tab) { b.ClearCookies(); steps.SignIn(b, "13800000005") }},
	{"company", func(b *browser.Tab) {
		steps.SignIn(b, "13800000003")
		b.Follow(`.choice button.place`)
		b.Visit("account", "/company?all=1")
	}},
	{"accounts", func(b *browser.Tab) { b.Visit("account", "/accounts?all=1") }},
	{"accounts-edited", func(b *browser.Tab) { b.Visit("account", "/accounts?all=1&manage=1") }},
	{"security", func(b *browser.Tab) { b.Visit("account", "/security") }},
	{"account-menu", func(b *browser.Tab) { b.Press(steps.AccountMenu) }},
	{"profiles", func(b *browser.Tab) { b.Visit("account", "/profile") }},
	{"profile", func(b *browser.Tab) { b.Follow(`main .list a.line`) }},
	{"profile-refused", func(b *browser.Tab) { b.Fill("name", ""); b.Follow(steps.ProfileButton) }},
	{"profile-portrait", func(b *browser.Tab) {
		b.Fill("name", "李伟")
		browser.SetFile(b, `#portrait`, program.NewPortrait(b.T))
		b.Follow(steps.ProfileButton)
	}},
	{"login-signed-in", func(b *browser.Tab) { b.Visit("account", "/login") }},
	{"login-signed-out", func(b *browser.Tab) { b.Visit("account", "/accounts?all=1"); steps.SignOut(b) }},
	{"company-with-blocked", func(b *browser.Tab) {
		onServer(
			b,
			browser.Limited(b.T),
			func() { b.ClearCookies(); steps.SignIn(b, "13800000003"); b.Visit("account", "/company?all=1") },
		)
	}},
	{
		"accounts-with-blocked",
		func(b *browser.Tab) {
			onServer(b, browser.Limited(b.T), func() { b.Visit("account", "/accounts?all=1") })
		},
	},
	{"enter", func(b *browser.Tab) { b.ClearCookies(); steps.SignIn(b, "13800000012") }},
	{"office", func(b *browser.Tab) {
		steps.AddSignIns(b, 1008)
		steps.AddVisits(b, 1008)
		b.Follow(steps.SideButton("mgr"))
	}},
	{"shop", func(b *browser.Tab) { b.Visit("account", "/enter"); b.Follow(steps.SideButton("shop")) }},
	{"asked", func(b *browser.Tab) {
		b.ClearCookies()
		steps.SignIn(b, "nophone")
		b.Follow(steps.SkipButton)
		b.VisitURL(b.Server.SignInLink(b.T, "13800000001", b.Screen.Width))
	}},
	{"accounts-none", func(b *browser.Tab) {
		b.Visit("account", "/accounts?manage=1")
		b.Follow(`button[name=action][value=remove]`)
	}},
	{"login-code", func(b *browser.Tab) { b.ClearCookies(); b.Visit("account", "/login/code") }},
	{"login-code-sent", func(b *browser.Tab) {
		b.Fill("phone", b.Server.AddPerson(b.T).Phone)
		sendPlainly(b)
	}},
	{"login-code-refused", func(b *browser.Tab) { b.Fill("code", "12345"); b.Follow(steps.MainButton) }},
	{"login-code-question", func(b *browser.Tab) {
		onServer(b, browser.Limited(b.T), func() {
			steps.RequireWork(b.T)
			b.Visit("account", "/login/code")
			b.Fill("phone", b.Server.AddPerson(b.T).Phone)
			sendPlainly(b)
		})
	}},
	{"forget-phone", func(b *browser.Tab) { b.Visit("account", "/forget/phone") }},
	{"forget-phone-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"forget-account", func(b *browser.Tab) { b.Visit("account", "/forget/account") }},
	{"forget-account-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{
		"forget-account-code",
		func(b *browser.Tab) { b.Fill("login", b.Server.AddPerson(b.T).Login); b.Follow(steps.MainButton) },
	},
	{"forget-account-code-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"forget-account-no-phone", func(b *browser.Tab) {
		b.Visit("account", "/forget/account")
		b.Fill("login", b.Server.AddPersonWithoutPhone(b.T).Login)
		b.Follow(steps.MainButton)
	}},
	{"bind", func(b *browser.Tab) { b.ClearCookies(); steps.SignIn(b, b.Server.AddPersonWithoutPhone(b.T).Login) }},
	{"bind-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"bind-confirm", func(b *browser.Tab) {
		b.Visit("account", "/bind")
		owner := b.Server.AddPerson(b.T)
		b.Fill("phone", owner.Phone)
		steps.EnterCode(b, steps.RequestCode(b, owner.Phone))
	}},
	{"bind-confirm-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"bind-new", func(b *browser.Tab) { b.Follow(`button[name=action][value=new_password]`) }},
	{"bind-new-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"password", func(b *browser.Tab) { b.Visit("account", "/password") }},
	{"password-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"misplaced", func(b *browser.Tab) {
		b.Visit("account", "/password")
		steps.SignIn(browser.OpenTab(b), "13800000001") // another person, in another tab
		browser.BringToFront(b)
		b.Follow(steps.MainButton)
	}},
	{"login-form-kept", func(b *browser.Tab) { b.Visit("account", "/login?done=form_kept&return=%2Fhome%2Fpeople") }},
	{"accounts-care", func(b *browser.Tab) {
		who := b.Server.AddPerson(b.T)
		b.Server.AddAccountOf(b.T, who)
		b.ClearCookies()
		steps.SignIn(b, who.Phone)
		steps.OpenPhonePages(b)
	}},
	{"unbind", func(b *browser.Tab) {
		b.Visit("account", "/unbind")
		b.Follow(`main a[href^="/unbind?"]`)
	}},
	{"unbind-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"phone", func(b *browser.Tab) { b.Follow(`main a[href="/phone"]`) }},
	{"phone-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"phone-by-code", func(b *browser.Tab) { b.Follow(`button[name=action][value=by_code]`) }},
	{"phone-by-code-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"inbox-empty", func(b *browser.Tab) { b.Visit("account", "/dev/inbox?phone="+program.NewPhone()) }},
	{"inbox", func(b *browser.Tab) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/login/code")
		b.Fill("phone", who.Phone)
		steps.RequestCode(b, who.Phone)
		b.Visit("account", "/dev/inbox?phone="+who.Phone)
	}},
	{"jumperror", func(b *browser.Tab) { b.Visit("m", "/jumperror") }},
	{"agreement", func(b *browser.Tab) { b.Visit("account", "/agreement") }},
	{"not-found", func(b *browser.Tab) { b.Visit("account", "/no-such-page") }},
}

// onServer calls do with the tab on another server. The tab then returns to its own server.
func onServer(b *browser.Tab, s *program.Server, do func()) {
	own := browser.SetServer(b, s)
	defer browser.SetServer(b, own)
	do()
}

// visitEachView opens every view on a screen, one after the other, and calls inspect on each. lang is the language, ""
// for that of the browser.
func visitEachView(t *testing.T, on browser.Screen, lang string, inspect func(b *browser.Tab, name string)) {
	t.Helper()
	visitViews(t, gallery, on, lang, nil, inspect)
}

// visitViews does so for some parts of the gallery, and of them for those with one of the names in only; nil is all.
func visitViews(
	t *testing.T, parts [][]view, on browser.Screen, lang string, only []string,
	inspect func(b *browser.Tab, name string),
) {
	t.Helper()
	for _, views := range parts {
		isWanted := func(v view) bool { return only == nil || slices.Contains(only, v.name) }
		if !slices.ContainsFunc(views, isWanted) {
			continue
		}
		b := browser.NewTab(t, browser.Normal, on)
		b.Lang = lang
		for _, v := range views {
			b.SetScreen(on)
			v.open(b)
			inspect(b, v.name)
		}
	}
}

// inspection is the result of all checks of a page.
type inspection struct {
	name          string
	source        []byte
	findings      []string // the findings of axe
	small         []string // too small to touch, on phones
	wide          []string // wider than the window
	covered       []string // the result of coveredOrCut
	lost          []string // the result of adaptationFaults
	cutWhenSpaced []string // cut off when text has more spacing
	sendsOffline  bool     // it submits forms without a connection
	lacks         []string // the result of missingStyles
	texts         pageTexts
}

// walk is one run through the gallery.
type walk struct {
	on   browser.Screen
	lang string
}

// walks use the language with the longest words where there is least room.
var walks = []walk{{browser.Phone, "es"}, {browser.Desktop, "zh"}}

// TestEveryPage walks through the gallery once on each screen. The subtests check the inspections. In make test it
// inspects only the first pages, on the phone: for signing in, of the account, of the office and the shop.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	browser.NeedBrowser(t)
	script, walks, parts := axeScript(t), walks, gallery
	if !testscope.All() {
		last := slices.IndexFunc(signInViews, func(v view) bool { return v.name == "shop" })
		walks, parts = walks[:1], [][]view{signInViews[:last+1]}
	}
	for _, w := range walks {
		t.Run(w.on.Name, func(t *testing.T) {
			t.Parallel()
			pages := inspectPages(t, parts, w, script)
			t.Run("has no finding of axe", func(t *testing.T) { wantNoFindings(t, pages, script) })
			t.Run("fits and can be touched", func(t *testing.T) { wantFitting(t, pages) })
			t.Run("has the styles for what is on it", func(t *testing.T) { wantStyled(t, pages) })
			t.Run("adapts to its reader", func(t *testing.T) { wantAdaptive(t, pages) })
			if w == walks[len(walks)-1] { // one walk is enough
				t.Run("is valid HTML", func(t *testing.T) { wantValidHTML(t, pages) })
			}
			t.Run("sends no form without a connection", func(t *testing.T) { wantFormsWaitOffline(t, pages) })
			t.Run("uses one language and cuts off no text", func(t *testing.T) {
				texts := map[string]pageTexts{}
				for _, s := range pages {
					texts[s.name] = s.texts
				}
				wantOneLanguage(t, w.lang, texts)
			})
		})
	}
}

// inspectPages walks through some parts of the gallery and returns the inspection of each page.
func inspectPages(t *testing.T, parts [][]view, w walk, axeSource string) (pages []inspection) {
	t.Helper()
	visitViews(t, parts, w.on, w.lang, nil, func(b *browser.Tab, name string) {
		s := inspection{name: name, source: browser.Source(b), small: tooSmall(b)}
		s.covered = browser.Eval[[]string](b, coveredOrCut)
		if axeSource != "" {
			s.findings = axe(b, axeSource)
		}
		s.sendsOffline = browser.HasScripts && browser.Eval[bool](b, sendsFormsOffline)
		s.lost = adaptationFaults(b)
		s.cutWhenSpaced = cutOffWithMoreSpace(b)
		s.lacks = missingStyles(b)
		s.wide = tooWide(b)
		s.texts = readTexts(b)
		pages = append(pages, s)
	})
	return pages
}

// sendPlainly requests a code as a browser without scripts does.
func sendPlainly(b *browser.Tab) {
	b.T.Helper()
	b.LeavePage(func() {
		b.T.Helper()
		browser.Eval[any](b, `() => {
			const form = document.forms.care, action = document.createElement("input")
			Object.assign(action, {type: "hidden", name: "action", value: "send_code"})
			form.append(action)
			form.submit()
		}`)
	})
}
