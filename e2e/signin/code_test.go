package signin

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestPersonSignsInByCode(t *testing.T) {
	t.Parallel()
	browser.InEveryMode(t, browser.Scripted(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		b.Follow(`main a[href="/login/code"]`)
		b.WantLang(b.Lang)
		b.Press(browser.Field("remember"))
		b.Fill("phone", who.Phone)
		code := steps.RequestCode(b, who.Phone)
		b.WantText(program.FillIn(text("code.sent"), "phone", program.Grouped(who.Phone)))
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone), "code", program.WrongCode(code))
		b.Visit("account", "/login/code") // starts again with the phone and the countdown
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
		steps.EnterCode(b, code)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantLang(b.Lang)
		b.WantNoSecrets()
		b.Back()
		b.WantAt("account", "/login/code")
		steps.SetValues(b, "phone", who.Phone, "code", code)
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "code", text("error.code_expired"))
	})
}

func TestSwitchingTheLanguageKeepsThePhoneAndTheCode(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		for _, path := range []string{"/login/code", "/forget/phone"} {
			b.Visit("account", path)
			b.Fill("phone", "13900000000")
			b.Fill("code", "12345")
			if path == "/forget/phone" {
				b.Fill("password", program.NewPassword)
			}
			for _, lang := range []string{"es", "en", "zh"} {
				steps.ChooseLanguage(b, lang)
				b.WantAt("account", path)
				b.WantStatus(200)
				b.WantLang(lang)
				steps.WantTyped(b, "code", "12345")
				if got := b.Value("phone"); got != "13900000000" && got != "139 0000 0000" {
					b.T.Errorf("in %s the phone is %q", lang, got)
				}
				if path == "/forget/phone" { // a new password comes back sealed, never as text
					b.WantText(program.Texts(b.T, lang)("password.kept"))
				}
			}
		}
	})
}

// Without scripts Enter presses the first button of a form. It must not be the one that sends a code.
func TestEnterInTheCodeFieldPressesTheMainButton(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	text := program.Texts(t, "zh")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Desktop, ""), func(b *browser.Tab) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/login/code")
		b.Fill("phone", who.Phone)
		b.Fill("code", "12345")
		browser.PressEnter(b)
		steps.WantRefusedWith(b, "code", text("problem.code_malformed"))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone), "code", "12345")
		b.Fill("phone", who.Phone)
		browser.PressEnter(b)
		steps.WantRefusedWith(b, "code", text("problem.code_malformed"))
		if codes := steps.CodesSentTo(b, who.Phone); len(codes) > 0 {
			b.T.Errorf("%d codes were sent", len(codes))
		}
	})
}

func TestCountdownContinuesAfterAReloadAndInEveryTab(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	who := b.Server.AddPerson(t)
	other := browser.OpenTab(b)
	for _, tab := range []*browser.Tab{other, b} {
		tab.Visit("account", "/login/code")
		if steps.CountdownSeconds(tab) != 0 {
			t.Errorf("%s shows a countdown before a code was sent", tab.Address())
		}
	}
	if _, err := b.Activate(); err != nil {
		t.Fatal(err)
	}
	b.Fill("phone", who.Phone)
	b.Press(browser.Field("remember"))
	browser.Eval[any](b, `() => { window.stays = true }`)
	steps.RequestCode(b, who.Phone)
	first := steps.WantCountdown(b)
	b.Await("the focus in the code", `s => document.activeElement.matches(s)`, browser.Field("code"))
	other.Await("the countdown in the other tab", `s => document.querySelector(s).disabled`, steps.SendCodeButton)
	steps.WantCountdown(other)
	b.Await(
		"the countdown to continue",
		`(s, n) => parseInt(document.querySelector(s).textContent) < n`,
		steps.SendCodeButton,
		first,
	)
	if !browser.Eval[bool](b, `s => window.stays && document.querySelector(s).checked`, browser.Field("remember")) {
		t.Error("the button left the page")
	}
	b.Reload()
	if again := steps.WantCountdown(b); again > first {
		t.Errorf("%d seconds after %d", again, first)
	}
	steps.WantTyped(b, "phone", program.Grouped(who.Phone))
	third := browser.OpenTab(b)
	third.Visit("account", "/login/code")
	steps.WantCountdown(third)
	steps.WantTyped(third, "phone", program.Grouped(who.Phone))
	other.Visit("account", "/forget/phone") // another purpose has its own countdown
	if steps.CountdownSeconds(other) != 0 {
		t.Errorf("%s shows the countdown of another purpose", other.Address())
	}
}

// A code may be typed before the other fields. The form submits itself only when it is complete.
func TestTypedCodeSubmitsOnlyACompleteForm(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	text := program.Texts(t, "zh")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	who := b.Server.AddPerson(t)
	b.Visit("account", "/forget/phone")
	b.Fill("phone", who.Phone)
	code := steps.RequestCode(b, who.Phone)
	browser.Eval[any](b, `() => { window.stays = true }`)
	b.Fill("code", code)
	b.Fill("password", program.NewPassword)
	b.Fill("confirm_password", program.NewPassword)
	if !browser.Eval[bool](b, `() => window.stays && !document.querySelector("[aria-busy]")`) {
		t.Error("the form was submitted without a press")
	}
	browser.PressEnter(b)
	b.WantToast(text("login.reset"))
}

func TestPastedMessageFillsInItsCode(t *testing.T) {
	t.Parallel()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	who := b.Server.AddPerson(t)
	b.Visit("account", "/login/code")
	b.Fill("phone", who.Phone)
	code := steps.RequestCode(b, who.Phone)
	list, err := b.Server.Inbox(who.Phone)
	b.Must(err)
	b.LeavePage(func() { browser.Paste(b, "code", list[0].Text) })
	b.WantArrived(steps.ShopOfPerson(who, browser.Desktop))
	if list[0].Code != code {
		t.Errorf("the message contains %q", list[0].Code)
	}
}

// If a script cannot request the code, the form does, and the page keeps everything except passwords.
func TestFormRequestsTheCodeIfTheScriptCannot(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	text := program.Texts(t, "zh")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	who := b.Server.AddPerson(t)
	browser.CutOff(b, b.Server.URL("account", "/code"))
	b.Visit("account", "/login/code")
	b.Fill("phone", who.Phone)
	b.Press(browser.Field("remember"))
	b.Follow(steps.SendCodeButton)
	b.WantStatus(200)
	b.WantText(program.FillIn(text("code.sent"), "phone", program.Grouped(who.Phone)))
	steps.WantCountdown(b)
	steps.WantTyped(b, "phone", program.Grouped(who.Phone))
	if !browser.Eval[bool](b, `s => document.querySelector(s).checked`, browser.Field("remember")) {
		t.Error("the box is empty")
	}
	steps.EnterCode(b, steps.ReceivedCode(b, who.Phone, 1))
	b.WantArrived(steps.ShopOfPerson(who, browser.Phone))
}

// From the second code on, the server demands a proof that a person asks: scripts do a proof of work, and without
// scripts the person answers a sum.
func TestSecondCodeRequiresAProof(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	browser.NeedBrowser(t)
	text := program.Texts(t, "zh")
	s, err := program.Start(
		browser.Normal.Command.Path, filepath.Join(t.TempDir(), "site"), "on", "PORTICO_CODE_RESEND=1s",
	)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	t.Run("with scripts", func(t *testing.T) {
		b := browser.NewScriptedTab(t, s, browser.Phone)
		who := s.AddPerson(t)
		b.Visit("account", "/login/code")
		b.Fill("phone", who.Phone)
		steps.RequestCode(b, who.Phone)
		b.Await("the next ask", `s => !document.querySelector(s).disabled`, steps.SendCodeButton)
		code := steps.RequestCode(b, who.Phone)
		if len(steps.CodesSentTo(b, who.Phone)) != 2 {
			t.Errorf("%d codes", len(steps.CodesSentTo(b, who.Phone)))
		}
		b.WantText(program.FillIn(text("code.sent"), "phone", program.Grouped(who.Phone)))
		steps.EnterCode(b, code)
		b.WantArrived(steps.ShopOfPerson(who, browser.Phone))
	})
	t.Run("without scripts", func(t *testing.T) {
		b := browser.NewTab(t, s, browser.Desktop)
		b.BlockScripts()
		who := s.AddPerson(t)
		b.Visit("account", "/login/code")
		b.Fill("phone", who.Phone)
		steps.RequestCode(b, who.Phone)
		time.Sleep(time.Second)
		b.Follow(steps.SendCodeButton)
		steps.WantRefusedWith(b, "answer", text("problem.answer_required"))
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
		b.Fill("answer", "1")
		b.Follow(steps.SendCodeButton)
		steps.WantRefusedWith(b, "answer", text("problem.answer_wrong"))
		b.Fill("answer", fmt.Sprint(sum(b)))
		b.Follow(steps.SendCodeButton)
		b.WantStatus(200)
		steps.EnterCode(b, steps.ReceivedCode(b, who.Phone, 2))
		b.WantArrived(steps.ShopOfPerson(who, browser.Desktop))
	})
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
