package e2e

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// Browsers keep whole pages for a moment to go back to, whatever their headers say. Scripts make such a page
// forget; without them the next request does.
func TestGoingBackAfterSigningInGivesAUsableForm(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.signIn("13800000001")
		b.back()
		b.wantAt("account", "/login")
		b.wantNoText("王芳")
		if b.value("password") != "" && !b.plain {
			b.t.Error("the password is still in the form")
		}
		b.fill("phone", "13800000001")
		b.fill("password", password)
		b.follow(signInButton)
		b.wantArrived(arrival{"m", "/shop", "王芳", "金穗粮油"})
	})
}

func TestGoingBackAfterSigningOutShowsNothingPrivate(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		b.signIn("13800000001")
		b.wantText("王芳", "138****0001")
		b.follow(signOutButton)
		b.wantAt("account", "/login")
		b.backOut(b.site.at("store1001", "/login"))
		b.wantNoText("王芳", "138****0001")

		b.signIn("13800000003")
		b.wantText("Mariscos del Sur")
		b.follow(signOutButton)
		b.backOut(b.site.at("account", "/login"))
		b.wantNoText("Mariscos del Sur", "138****0003")
	})
}

// backOut goes back to a page that one has signed out of, and on to the sign-in page it leads to.
func (b *tab) backOut(signIn string) {
	b.t.Helper()
	b.steps++
	ask[any](b, `n => { window.left = n }`, b.steps) // the address of the page left can be the one waited for
	if b.plain {
		from := b.entry()
		b.back()
		for end := time.Now().Add(patience); b.entry() >= from; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				b.t.Fatalf("the browser did not go back from entry %d", from)
			}
		}
		b.reload()
	} else {
		b.run(`() => history.back()`)
	}
	b.await("the sign-in page", `(want, n) => location.href === want && window.left !== n &&
		document.readyState === "complete"`, signIn, b.steps)
}

// entry is where the tab is in its history. A page knows that it is shown a little before the browser does, so entry
// waits until the two agree.
func (b *tab) entry() int {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		history, err := proto.PageGetNavigationHistory{}.Call(b)
		b.must(err)
		shown := ask[string](b, `() => location.href`)
		if history.Entries[history.CurrentIndex].URL == shown {
			return history.CurrentIndex
		}
		if time.Now().After(end) {
			b.t.Fatalf("the browser is at %s, the page at %s", history.Entries[history.CurrentIndex].URL, shown)
		}
	}
}

func TestGoingBackAfterARefusalKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login")
		b.fill("phone", "1380000000")
		b.fill("password", "wrong-password")
		b.follow(signInButton)
		b.wantStatus(422)
		if got := b.value("phone"); got != "1380000000" && got != "138 0000 000" {
			b.t.Errorf("the refused form holds the phone %q", got)
		}
		b.back()
		b.wantAt("account", "/login")
		b.await("what was typed", `s => document.querySelector(s).value.replaceAll(" ", "") === "1380000000"`, field("phone"))
	})
}

func TestReadingTheAgreementLosesNothing(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login/account")
		b.fill("login", "nophone")
		b.press(field("remember"))
		b.follow(`a[href="/agreement"]`)
		b.back()
		b.wantAt("account", "/login/account")
		b.await("what was typed", `(login, remember) => document.querySelector(login).value === "nophone" && document.querySelector(remember).checked`, field("login"), field("remember"))
	})
}

// With scripts the second press is dropped; without them the browser sends both, and the later answer counts.
func TestPressingSignInTwiceSignsInOnce(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		agent := b.t.Name() + rand.Text() // the site's database has the sessions of earlier runs
		b.must(proto.EmulationSetUserAgentOverride{UserAgent: agent}.Call(b))
		b.visit("account", "/login")
		b.fill("phone", "13800000002")
		b.fill("password", password)
		b.leave(func() { b.pressTwice(signInButton) })
		b.wantArrived(arrival{"store1001", "/mgr", "陈静", "金穗粮油"})
		for _, host := range []string{"account.localhost", "store1001.localhost"} {
			if n := b.site.count(b.t, "SELECT COUNT(*) FROM sessions WHERE agent = ? AND host = ?", agent, host); n != 1 && !b.plain {
				b.t.Errorf("%d sessions on %s", n, host)
			}
		}
		b.reload()
		b.wantArrived(arrival{"store1001", "/mgr", "陈静", "金穗粮油"})
	})
}

func TestPressingACompanyTwiceEntersIt(t *testing.T) {
	t.Parallel()
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			eachWay(t, on, func(b *tab) {
				b.signIn("13800000003")
				b.leave(func() { b.pressTwice(companyButton(1003)) })
				b.wantStatus(200)
				b.wantText("Li Wei", "Northwind Lighting")
				b.reload()
				b.wantText("Li Wei", "Northwind Lighting")
			})
		})
	}
}

// Someone who stops a slow answer can press again.
func TestAStoppedFormCanBeSentAgain(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	b.visit("account", "/login")
	b.fill("phone", "13800000001")
	b.fill("password", password)
	held, release := b.hold("*/login")
	b.press(signInButton)
	select {
	case <-held:
	case <-time.After(patience):
		t.Fatal("the form was not sent")
	}
	b.must(b.StopLoading())
	b.await("the button as it was", `s => !document.querySelector(s).hasAttribute("aria-busy")`, signInButton)
	release()
	b.follow(signInButton)
	b.wantArrived(arrival{"store1001", "/home", "王芳", "金穗粮油"})
}

func TestReloadingTheLandingStaysThere(t *testing.T) {
	t.Parallel()
	for _, on := range screens {
		t.Run(on.name, func(t *testing.T) {
			b := newTab(t, normal, on)
			b.motion(true)
			b.signIn("nophone")
			b.follow(skipButton)
			want := arrival{"store1001", "/home", "许静", "金穗粮油"}
			if on.mobile {
				want.host, want.path = "m", "/shop"
			}
			for range 2 {
				b.wantArrived(want)
				b.reload()
			}
		})
	}
}

func TestSwitchingTheLanguageKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		b.visit("account", "/login")
		b.fill("phone", "13800000001")
		b.fill("password", password)
		b.press(field("remember"))
		for _, lang := range []string{"es", "en", "zh"} {
			b.follow(languageButton(lang))
			b.wantStatus(200)
			b.wantLang(lang)
			b.wantText(texts(b.t, lang)("login.heading"))
			if got := b.value("phone"); got != "13800000001" && got != "138 0000 0001" {
				b.t.Errorf("in %s the phone is %q", lang, got)
			}
			if b.value("password") != "" {
				b.t.Errorf("in %s the answer holds the password", lang)
			}
			if !ask[bool](b, `s => document.querySelector(s).checked`, field("remember")) {
				b.t.Errorf("in %s the box is empty", lang)
			}
		}
		b.visit("account", "/login/account")
		b.wantLang("zh")
	})
}
