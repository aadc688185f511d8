package interaction

import (
	"testing"

	"github.com/go-rod/rod/lib/input"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestKeyboardAloneSignsInAndOut(t *testing.T) {
	t.Parallel()
	browser.OnEachScreen(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login")
		browser.TabTo(b, browser.Field("phone"))
		browser.TypeKeys(b, "13800000003")
		browser.TabTo(b, browser.Field("password"))
		browser.TypeKeys(b, program.Password)
		browser.TabTo(b, browser.Field("remember"))
		browser.TabTo(b, steps.SignInButton)
		browser.PressEnter(b)
		b.WantAt("account", "/company")
		browser.TabTo(b, steps.DestinationButton(1001, "mgr"))
		browser.PressEnter(b)
		b.WantText("李伟", "金穗粮油")
		browser.TabTo(b, steps.AccountMenu)
		browser.PressKey(b, input.Enter)
		browser.TabTo(b, steps.SignOutButton)
		browser.PressEnter(b)
		b.WantAt("account", "/login")
		b.WantToast(program.Texts(b.T, "zh")("login.signed_out"))
	})
}

// Enter in a field submits the form with its main button, never with the language switch, which belongs to it too.
func TestEnterInThePasswordFieldSignsIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Desktop, ""), func(b *browser.Tab) {
		b.Visit("account", "/login/account")
		browser.TabTo(b, browser.Field("login"))
		browser.TypeKeys(b, "nophone")
		browser.TabTo(b, browser.Field("password"))
		browser.TypeKeys(b, program.Password)
		browser.PressEnter(b)
		b.WantAt("account", "/bind")
		browser.TabTo(b, steps.SkipButton)
		browser.PressEnter(b)
		b.WantArrived(browser.Arrival{Host: "store1001", Path: "/home", Holder: "许静", Company: "金穗粮油"})
	})
}

func TestKeyboardAloneSignsInByCodeAndBindsAPhone(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	text := program.Texts(t, "zh")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Desktop, ""), func(b *browser.Tab) {
		who := b.Server.AddPersonWithoutPhone(b.T)
		owner := b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		browser.TabTo(b, `a[href="/login/code"]`)
		browser.PressEnter(b)
		enterCodeByKeyboard(b, owner.Phone)
		b.WantArrived(steps.ShopOfPerson(owner, browser.Desktop))

		b.Visit("account", "/login/account")
		browser.TabTo(b, browser.Field("login"))
		browser.TypeKeys(b, who.Login)
		browser.TabTo(b, browser.Field("password"))
		browser.TypeKeys(b, program.Password)
		browser.PressEnter(b)
		b.WantAt("account", "/bind")
		enterCodeByKeyboard(b, who.Phone)
		steps.WantStep(b, 2)
		browser.TabTo(b, browser.Field("password"))
		browser.TypeKeys(b, program.NewPassword)
		browser.TabTo(b, browser.Field("confirm_password"))
		browser.TypeKeys(b, program.NewPassword)
		browser.TabTo(b, steps.MainButton)
		browser.PressEnter(b)
		b.WantToast(text("bind.done"))
	})
}

// enterCodeByKeyboard requests a code and enters it, with the keyboard alone.
func enterCodeByKeyboard(b *browser.Tab, number string) {
	b.T.Helper()
	browser.TabTo(b, browser.Field("phone"))
	browser.TypeKeys(b, number)
	browser.TabTo(b, steps.SendCodeButton)
	if b.NoScripts {
		browser.PressEnter(b)
		code := steps.ReceivedCode(b, number, 1)
		browser.TabTo(b, browser.Field("code"))
		browser.TypeKeys(b, code)
		browser.PressEnter(b)
		return
	}
	browser.PressKey(b, input.Enter)
	b.Await("the focus in the code", `s => document.activeElement.matches(s)`, browser.Field("code"))
	browser.WantFocusVisible(b)
	code := steps.ReceivedCode(b, number, 1)
	b.LeavePage(func() { b.T.Helper(); browser.TypeKeys(b, code) })
}

func TestSkipLinkLeadsToTheContent(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := browser.NewTab(t, browser.Normal, browser.Desktop)
	b.Visit("account", "/login")
	browser.PressKey(b, input.Tab)
	if !browser.Eval[bool](b, `() => document.activeElement.getAttribute("href") === "#main"`) {
		t.Fatal("the first stop of the Tab key is not the link to the content")
	}
	browser.WantFocusVisible(b)
	browser.PressKey(b, input.Enter)
	b.Await("the next focus in the content", `() => location.hash === "#main"`)
	browser.PressKey(b, input.Tab)
	if !browser.Eval[bool](b, `() => document.querySelector("main").contains(document.activeElement)`) {
		t.Error("the Tab key does not continue in the content")
	}
}

func TestRefusalGetsTheFocusAndLinksToTheFields(t *testing.T) {
	t.Parallel()
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		b.Visit("account", "/login")
		browser.TabTo(b, steps.SignInButton)
		browser.PressEnter(b)
		b.WantStatus(422)
		for _, name := range []string{"phone", "password"} {
			b.Await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
			browser.TabTo(b, `[role=alert] a[href="#`+name+`"]`)
			browser.PressKey(b, input.Enter)
			b.Await("the focus on the field "+name, `s => document.activeElement.matches(s)`, browser.Field(name))
			if !browser.Eval[bool](b, `() => {
				const e = document.activeElement, notes = (e.getAttribute("aria-describedby") || "").split(" ")
					.map(id => document.getElementById(id))
				return e.getAttribute("aria-invalid") === "true" && notes.every(n => n && n.innerText)
			}`) {
				b.T.Errorf("the field %s is not tied to its message", name)
			}
			browser.Eval[any](b, `() => document.querySelector("[role=alert]").focus()`)
		}
	})
}

func TestKeyboardShowsThePasswordWithTheEyeButton(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	b.Visit("account", "/login")
	browser.TabTo(b, browser.Field("password"))
	browser.TypeKeys(b, program.Password)
	for _, kind := range []string{"text", "password"} {
		browser.TabTo(b, browser.Field("password")+` ~ button[type=button]`)
		browser.PressKey(b, input.Space)
		b.Await(
			"a field of type "+kind,
			`(s, kind) => document.querySelector(s).type === kind`,
			browser.Field("password"),
			kind,
		)
	}
	if got := b.Value("password"); got != program.Password {
		t.Errorf("the field has %q", got)
	}
}
