package interaction

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// For a while browsers keep whole pages to go back to, whatever the headers say. Scripts empty such a page; without
// scripts the next request leads to the sign-in page.
func TestGoingBackAfterSigningInShowsAUsableForm(t *testing.T) {
	t.Parallel()
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000001")
		b.Back()
		b.WantAt("account", "/login")
		b.WantNoText("王芳")
		if b.Value("password") != "" && !b.NoScripts {
			b.T.Error("the password is still in the form")
		}
		b.Fill("phone", "13800000001")
		b.Fill("password", program.Password)
		b.Follow(steps.SignInButton)
		b.WantArrived(browser.Arrival{Host: "m", Path: "/shop", Holder: "王芳", Company: "金穗粮油"})
	})
}

func TestGoingBackAfterSigningOutShowsNothingPrivate(t *testing.T) {
	t.Parallel()
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Desktop, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000001")
		b.WantText("王芳", "138****0001")
		steps.SignOut(b)
		b.WantAt("account", "/login")
		goBackSignedOut(b, b.Server.URL("store1001", "/login"))
		b.WantNoText("王芳", "138****0001")

		steps.SignIn(b, "13800000003")
		b.WantText("Mariscos del Sur")
		steps.SignOut(b)
		goBackSignedOut(b, b.Server.URL("account", "/login"))
		b.WantNoText("Mariscos del Sur", "138****0003")
	})
}

// goBackSignedOut goes back to a page from which the person has signed out, and waits for the sign-in page that it
// leads to.
func goBackSignedOut(b *browser.Tab, signIn string) {
	b.T.Helper()
	step := browser.MarkPage(b) // the page that is left may have the URL that is expected
	if b.NoScripts {
		from := historyIndex(b)
		b.Back()
		for end := time.Now().Add(program.Patience); historyIndex(b) >= from; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				b.T.Fatalf("the browser did not go back from entry %d", from)
			}
		}
		b.Reload()
	} else {
		b.RunAndLeave(`() => history.back()`)
	}
	b.Await("the sign-in page", `(want, n) => location.href === want && window.left !== n &&
		document.readyState === "complete"`, signIn, step)
}

// historyIndex returns the tab's position in its history. A page learns of a change a little before the browser does,
// so it waits until the two agree.
func historyIndex(b *browser.Tab) int {
	b.T.Helper()
	for end := time.Now().Add(program.Patience); ; time.Sleep(10 * time.Millisecond) {
		history, err := proto.PageGetNavigationHistory{}.Call(b)
		b.Must(err)
		shown := browser.Eval[string](b, `() => location.href`)
		if history.Entries[history.CurrentIndex].URL == shown {
			return history.CurrentIndex
		}
		if time.Now().After(end) {
			b.T.Fatalf("the browser is at %s, the page at %s", history.Entries[history.CurrentIndex].URL, shown)
		}
	}
}

func TestGoingBackAfterARefusalKeepsTheTypedText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login")
		b.Fill("phone", "1380000000")
		b.Fill("password", "wrong-password")
		b.Follow(steps.SignInButton)
		b.WantStatus(422)
		if got := b.Value("phone"); got != "1380000000" && got != "138 0000 000" {
			b.T.Errorf("the refused form contains the phone %q", got)
		}
		b.Back()
		b.WantAt("account", "/login")
		b.Await(
			"what was typed",
			`s => document.querySelector(s).value.replaceAll(" ", "") === "1380000000"`,
			browser.Field("phone"),
		)
	})
}

func TestReadingTheAgreementKeepsTheTypedText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login/account")
		b.Fill("login", "nophone")
		b.Press(browser.Field("remember"))
		b.Follow(`a[href="/agreement"]`)
		b.Back()
		b.WantAt("account", "/login/account")
		b.Await(
			"what was typed",
			`(login, remember) => document.querySelector(login).value === "nophone" &&
				document.querySelector(remember).checked`,
			browser.Field("login"),
			browser.Field("remember"),
		)
	})
}

// Scripts drop the second press. Without scripts the browser sends both, and shows the later response.
func TestPressingSignInTwiceSignsInOnce(t *testing.T) {
	t.Parallel()
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Desktop, ""), func(b *browser.Tab) {
		agent := b.T.Name() + rand.Text() // tells the sessions of this test from others
		b.Must(proto.EmulationSetUserAgentOverride{UserAgent: agent}.Call(b))
		b.Visit("account", "/login")
		b.Fill("phone", "13800000002")
		b.Fill("password", program.Password)
		b.LeavePage(func() { b.PressTwice(steps.SignInButton) })
		b.WantArrived(browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"})
		for _, host := range []string{"account.localhost", "store1001.localhost"} {
			if n := b.Server.Count(
				b.T, "SELECT COUNT(*) FROM sessions WHERE agent = ? AND host = ?", agent, host,
			); n != 1 &&
				!b.NoScripts {
				b.T.Errorf("%d sessions on %s", n, host)
			}
		}
		b.Reload()
		b.WantArrived(browser.Arrival{Host: "store1001", Path: "/mgr", Holder: "陈静", Company: "金穗粮油"})
	})
}

func TestPressingACompanyTwiceEntersItOnce(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.OnEachScreen(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		steps.SignIn(b, "13800000003")
		b.LeavePage(func() { b.PressTwice(steps.CompanyButton(1003)) })
		b.WantStatus(200)
		b.WantText("Li Wei", "Northwind Lighting")
		b.Reload()
		b.WantText("Li Wei", "Northwind Lighting")
	})
}

// A person who stops a slow response can press again.
func TestStoppedFormCanBeSentAgain(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	b.Visit("account", "/login")
	b.Fill("phone", "13800000001")
	b.Fill("password", program.Password)
	held, release := delayRequests(b, "*/login")
	b.Press(steps.SignInButton)
	select {
	case <-held:
	case <-time.After(program.Patience):
		t.Fatal("the form was not sent")
	}
	b.Must(b.StopLoading())
	b.Await("the button as it was", `s => !document.querySelector(s).hasAttribute("aria-busy")`, steps.SignInButton)
	release()
	b.Follow(steps.SignInButton)
	b.WantArrived(browser.Arrival{Host: "store1001", Path: "/home", Holder: "王芳", Company: "金穗粮油"})
}

func TestReloadingALandingPageStaysOnIt(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	for _, on := range browser.Screens {
		t.Run(on.Name, func(t *testing.T) {
			b := browser.NewTab(t, browser.Normal, on)
			b.SetMotion(true)
			steps.SignIn(b, "nophone")
			b.Follow(steps.SkipButton)
			want := browser.Arrival{Host: "store1001", Path: "/home", Holder: "许静", Company: "金穗粮油"}
			if on.Mobile {
				want.Host, want.Path = "m", "/shop"
			}
			for range 2 {
				b.WantArrived(want)
				b.Reload()
			}
		})
	}
}

func TestSwitchingTheLanguageKeepsTheTypedText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login")
		b.Fill("phone", "13800000001")
		b.Fill("password", program.Password)
		b.Press(browser.Field("remember"))
		for _, lang := range []string{"es", "en", "zh"} {
			steps.ChooseLanguage(b, lang)
			b.WantStatus(200)
			b.WantLang(lang)
			b.WantText(program.Texts(b.T, lang)("login.heading"))
			if got := b.Value("phone"); got != "13800000001" && got != "138 0000 0001" {
				b.T.Errorf("in %s the phone is %q", lang, got)
			}
			if b.Value("password") != "" {
				b.T.Errorf("in %s the answer contains the password", lang)
			}
			if !browser.Eval[bool](b, `s => document.querySelector(s).checked`, browser.Field("remember")) {
				b.T.Errorf("in %s the box is empty", lang)
			}
		}
		b.Visit("account", "/login/account")
		b.WantLang("zh")
	})
}
