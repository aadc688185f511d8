package e2e

import (
	"errors"
	"sync"
	"testing"
	"time"

	"portico/store"
)

// view is one of the pages, and how a visitor comes to see it.
type view struct {
	name string
	open func(b *tab)
}

// gallery is every page there is, in an order that saves sign-ins: some go on from the one before. Each part has a browser of
// its own.
var gallery = [][]view{doorViews, onboardingViews, joiningViews, chatViews}

// doorViews are the pages that lead in, and those of a phone's care.
var doorViews = []view{
	{"login", func(b *tab) { b.forget(); b.visit("account", "/login") }},
	{"login-by-name", func(b *tab) { b.visit("account", "/login/account") }},
	{"login-of-a-company", func(b *tab) { b.visit("store1002", "/login") }},
	{"login-incomplete", func(b *tab) { b.visit("account", "/login"); b.follow(signInButton) }},
	{"login-wrong-password", func(b *tab) { b.signInAt("account", "13800000001", "wrong-password") }},
	{"login-not-bound", func(b *tab) { b.signIn("13800000011") }},
	{"login-question", func(b *tab) {
		askForProof(b.t, "13800000009")
		b.elsewhere(limited, func() { b.signIn("13800000009") })
	}},
	{"blocked", func(b *tab) { b.forget(); b.signIn("13800000005") }},
	{"company", func(b *tab) { b.signIn("13800000003") }},
	{"accounts", func(b *tab) { b.visit("account", "/accounts?all=1") }},
	{"profiles", func(b *tab) { b.visit("account", "/profile") }},
	{"profile", func(b *tab) { b.follow(`main .list a.line`) }},
	{"profile-refused", func(b *tab) { b.fill("name", ""); b.follow(profileButton) }},
	{"profile-portrait", func(b *tab) {
		b.fill("name", "李伟")
		b.setFile(`#portrait`, aPicture(b.t))
		b.follow(profileButton)
	}},
	{"login-signed-in", func(b *tab) { b.visit("account", "/login") }},
	{"login-signed-out", func(b *tab) { b.visit("account", "/accounts?all=1"); b.follow(signOutButton) }},
	{"company-with-blocked", func(b *tab) {
		b.elsewhere(limited, func() { b.forget(); b.signIn("13800000003"); b.visit("account", "/company?all=1") })
	}},
	{"accounts-with-blocked", func(b *tab) { b.elsewhere(limited, func() { b.visit("account", "/accounts?all=1") }) }},
	{"enter", func(b *tab) { b.forget(); b.signIn("13800000012") }},
	{"office", func(b *tab) { b.follow(sideButton("mgr")) }},
	{"shop", func(b *tab) { b.visit("account", "/enter"); b.follow(sideButton("shop")) }},
	{"asked", func(b *tab) {
		b.forget()
		b.signIn("nophone")
		b.follow(skipButton)
		b.visitURL(b.site.link(b.t, "13800000001", b.screen.width))
	}},
	{"accounts-none", func(b *tab) {
		b.visit("account", "/accounts")
		b.follow(`button[name=action][value=remove]`)
	}},
	{"login-code", func(b *tab) { b.forget(); b.visit("account", "/login/code") }},
	{"login-code-sent", func(b *tab) {
		b.fill("phone", b.site.register(b.t).phone)
		b.sendPlainly()
	}},
	{"login-code-refused", func(b *tab) { b.fill("code", "12345"); b.follow(careButton) }},
	{"login-code-question", func(b *tab) {
		b.elsewhere(limited, func() {
			askForWork(b.t)
			b.visit("account", "/login/code")
			b.fill("phone", b.site.register(b.t).phone)
			b.sendPlainly()
		})
	}},
	{"forget-phone", func(b *tab) { b.visit("account", "/forget/phone") }},
	{"forget-phone-refused", func(b *tab) { b.follow(careButton) }},
	{"forget-account", func(b *tab) { b.visit("account", "/forget/account") }},
	{"forget-account-refused", func(b *tab) { b.follow(careButton) }},
	{"forget-account-code", func(b *tab) { b.fill("login", b.site.register(b.t).login); b.follow(careButton) }},
	{"forget-account-code-refused", func(b *tab) { b.follow(careButton) }},
	{"forget-account-no-phone", func(b *tab) {
		b.visit("account", "/forget/account")
		b.fill("login", b.site.enroll(b.t).login)
		b.follow(careButton)
	}},
	{"bind", func(b *tab) { b.forget(); b.signIn(b.site.enroll(b.t).login) }},
	{"bind-refused", func(b *tab) { b.follow(careButton) }},
	{"bind-confirm", func(b *tab) {
		b.visit("account", "/bind")
		owner := b.site.register(b.t)
		b.fill("phone", owner.phone)
		b.enterCode(b.askCode(owner.phone))
	}},
	{"bind-confirm-refused", func(b *tab) { b.follow(careButton) }},
	{"bind-new", func(b *tab) { b.follow(`button[name=action][value=new_password]`) }},
	{"bind-new-refused", func(b *tab) { b.follow(careButton) }},
	{"password", func(b *tab) { b.visit("account", "/password") }},
	{"password-refused", func(b *tab) { b.follow(careButton) }},
	{"misplaced", func(b *tab) {
		b.visit("account", "/password")
		b.beside().signIn("13800000001") // somebody else, in another tab
		b.toFront()
		b.follow(careButton)
	}},
	{"login-form-kept", func(b *tab) { b.visit("account", "/login?done=form_kept&return=%2Fhome%2Fpeople") }},
	{"accounts-care", func(b *tab) {
		who := b.site.register(b.t)
		b.site.another(b.t, who)
		b.forget()
		b.signIn(who.phone)
		b.openCare()
	}},
	{"unbind", func(b *tab) { b.follow(`main a[href^="/unbind?"]`) }},
	{"unbind-refused", func(b *tab) { b.follow(careButton) }},
	{"phone", func(b *tab) { b.follow(`main a[href="/phone"]`) }},
	{"phone-refused", func(b *tab) { b.follow(careButton) }},
	{"phone-by-code", func(b *tab) { b.follow(`button[name=action][value=by_code]`) }},
	{"phone-by-code-refused", func(b *tab) { b.follow(careButton) }},
	{"inbox-empty", func(b *tab) { b.visit("account", "/dev/inbox?phone="+newPhone()) }},
	{"inbox", func(b *tab) {
		who := b.site.register(b.t)
		b.visit("account", "/login/code")
		b.fill("phone", who.phone)
		b.askCode(who.phone)
		b.visit("account", "/dev/inbox?phone="+who.phone)
	}},
	{"jumperror", func(b *tab) { b.visit("m", "/jumperror") }},
	{"agreement", func(b *tab) { b.visit("account", "/agreement") }},
	{"not-found", func(b *tab) { b.visit("account", "/no-such-page") }},
}

// elsewhere does something on another site; the tab comes back to its own afterwards.
func (b *tab) elsewhere(s *site, do func()) {
	own := b.moveTo(s)
	defer b.moveTo(own)
	do()
}

// eachView shows every page on a screen, one after the other; lang is "" for the browser's own.
func eachView(t *testing.T, on screen, lang string, see func(b *tab, name string)) {
	t.Helper()
	for _, views := range gallery {
		b := newTab(t, normal, on)
		b.lang = lang
		for _, v := range views {
			b.on(on)
			v.open(b)
			see(b, v.name)
		}
	}
}

// sight is what was found on a page.
type sight struct {
	name     string
	source   []byte
	findings []string // axe's
	small    []string // too small to touch, on phones
	wide     []string // wider than the window
	lost     []string // what does not adapt to its reader
	crowded  []string // cut off when its text is given more space
	unheld   bool     // its forms go out without a connection
	words    pageWords
}

// walk is a way through the gallery.
type walk struct {
	on   screen
	lang string
}

// walks are in the language of the longest words where there is least room.
var walks = []walk{{phone, "es"}, {desktop, "zh"}}

// TestEveryPage walks through the gallery once on each screen, and every judge looks at what was seen on the way.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	script := axeScript(t)
	for _, w := range walks {
		t.Run(w.on.name, func(t *testing.T) {
			t.Parallel()
			seen := sights(t, w.on, w.lang, script)
			t.Run("has nothing that axe finds", func(t *testing.T) { wantNoFindings(t, seen, script) })
			t.Run("fits and can be touched", func(t *testing.T) { wantFitting(t, seen) })
			t.Run("adapts to its reader", func(t *testing.T) { wantAdapting(t, seen) })
			if !w.on.mobile {
				t.Run("is valid HTML", func(t *testing.T) { wantValid(t, seen) })
			}
			t.Run("holds its forms while there is no connection", func(t *testing.T) { wantHeld(t, seen) })
			t.Run("speaks one language and cuts nothing off", func(t *testing.T) {
				words := map[string]pageWords{}
				for _, s := range seen {
					words[s.name] = s.words
				}
				wantOneLanguage(t, w.lang, words)
			})
		})
	}
}

// sights are those of a walk.
func sights(t *testing.T, on screen, lang, axe string) (seen []sight) {
	t.Helper()
	eachView(t, on, lang, func(b *tab, name string) {
		s := sight{name: name, source: b.source(), small: b.tooSmall()}
		if axe != "" {
			s.findings = b.axe(axe)
		}
		s.unheld = scripted && ask[bool](b, sendsUnheld)
		s.lost = b.adapts()
		s.crowded = b.crowds()
		s.wide = b.tooWide()
		s.words = b.reads()
		seen = append(seen, s)
	})
	return seen
}

// sendPlainly asks for a code as a browser without scripts does.
func (b *tab) sendPlainly() {
	b.t.Helper()
	b.leave(func() {
		b.t.Helper()
		ask[any](b, `() => {
			const form = document.forms.care, action = document.createElement("input")
			Object.assign(action, {type: "hidden", name: "action", value: "send_code"})
			form.append(action)
			form.submit()
		}`)
	})
}

// oneAsks keeps walks apart: attempts are only counted in the order of their times.
var oneAsks sync.Mutex

// askForWork puts this machine where everyone who asks for a code has to prove to be a person.
func askForWork(t *testing.T) {
	t.Helper()
	oneAsks.Lock()
	defer oneAsks.Unlock()
	db, now := limited.seed(t), store.At(time.Now())
	for range 3 {
		if _, err := db.RaiseAttempts(t.Context(), "sms:address:127.0.0.1", now, now-1); err != nil {
			t.Fatal(err)
		}
	}
}

// askForProof puts a phone where its next sign-in must answer a question, without the waits on the way.
func askForProof(t *testing.T, number string) {
	t.Helper()
	oneAsks.Lock()
	defer oneAsks.Unlock()
	db, now := limited.seed(t), store.At(time.Now())
	owner, err := db.PhoneByNumber(t.Context(), number)
	for range 10 {
		_, raised := db.RaiseAttempts(t.Context(), phoneSubject(owner.ID), now, now-1)
		err = errors.Join(err, raised)
	}
	if err != nil {
		t.Fatal(err)
	}
}
