package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

func TestSigningInByCode(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		who := b.site.register(b.t)
		b.visit("account", "/login")
		b.follow(`main a[href="/login/code"]`)
		b.wantLang(b.lang)
		b.press(field("remember"))
		b.fill("phone", who.phone)
		code := b.askCode(who.phone)
		b.wantText(filled(text("code.sent"), "phone", grouped(who.phone)))
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantTyped("phone", grouped(who.phone), "code", wrong(code))
		b.visit("account", "/login/code") // begun anew: the phone and the countdown are there
		b.wantWaiting()
		b.wantTyped("phone", grouped(who.phone))
		b.enterCode(code)
		b.wantArrived(who.landing(b.screen))
		b.wantLang(b.lang)
		b.wantNoSecrets()
		b.back()
		b.wantAt("account", "/login/code")
		b.setAgain("phone", who.phone, "code", code)
		b.follow(careButton)
		b.wantRefusedWith("code", text("error.code_expired"))
	})
}

func TestSwitchingTheLanguageKeepsPhoneAndCode(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		for _, path := range []string{"/login/code", "/forget/phone"} {
			b.visit("account", path)
			b.fill("phone", "13900000000")
			b.fill("code", "12345")
			if path == "/forget/phone" {
				b.fill("password", newPassword)
			}
			for _, lang := range []string{"es", "en", "zh"} {
				b.follow(languageButton(lang))
				b.wantAt("account", path)
				b.wantStatus(200)
				b.wantLang(lang)
				b.wantTyped("code", "12345")
				if got := b.value("phone"); got != "13900000000" && got != "139 0000 0000" {
					b.t.Errorf("in %s the phone is %q", lang, got)
				}
				if path == "/forget/phone" {
					b.wantTyped("password", "")
				}
			}
		}
	})
}

// Without scripts the first button of a form is the one Enter presses: it must not be the one that sends.
func TestEnterInTheCodePressesTheMainButton(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	eachWay(t, desktop, func(b *tab) {
		who := b.site.register(b.t)
		b.visit("account", "/login/code")
		b.fill("phone", who.phone)
		b.fill("code", "12345")
		b.enterKey()
		b.wantRefusedWith("code", text("problem.code_malformed"))
		b.wantTyped("phone", grouped(who.phone), "code", "12345")
		b.fill("phone", who.phone)
		b.enterKey()
		b.wantRefusedWith("code", text("problem.code_malformed"))
		if codes := b.codesOf(who.phone); len(codes) > 0 {
			b.t.Errorf("%d codes were sent", len(codes))
		}
	})
}

func TestTheCountdownSurvivesAReloadAndStandsInEveryTab(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	who := b.site.register(t)
	other := b.beside()
	for _, one := range []*tab{other, b} {
		one.visit("account", "/login/code")
		if one.waiting() != 0 {
			t.Errorf("%s waits at once", one.here())
		}
	}
	if _, err := b.Activate(); err != nil {
		t.Fatal(err)
	}
	b.fill("phone", who.phone)
	b.press(field("remember"))
	ask[any](b, `() => { window.stays = true }`)
	b.askCode(who.phone)
	first := b.wantWaiting()
	b.await("the focus in the code", `s => document.activeElement.matches(s)`, field("code"))
	other.await("the countdown in the other tab", `s => document.querySelector(s).disabled`, sendButton)
	other.wantWaiting()
	b.await("the countdown to go on", `(s, n) => parseInt(document.querySelector(s).textContent) < n`, sendButton, first)
	if !ask[bool](b, `s => window.stays && document.querySelector(s).checked`, field("remember")) {
		t.Error("the button left the page")
	}
	b.reload()
	if again := b.wantWaiting(); again > first {
		t.Errorf("%d seconds after %d", again, first)
	}
	b.wantTyped("phone", grouped(who.phone))
	third := b.beside()
	third.visit("account", "/login/code")
	third.wantWaiting()
	third.wantTyped("phone", grouped(who.phone))
	other.visit("account", "/forget/phone") // another purpose has its own
	if other.waiting() != 0 {
		t.Errorf("%s waits for another code", other.here())
	}
}

// waiting is the seconds that the button counts, 0 when it can be pressed.
func (b *tab) waiting() int {
	b.t.Helper()
	label := ask[string](b, `s => document.querySelector(s).textContent`, sendButton)
	n, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(label))
	return n
}

// wantWaiting checks that the button counts down, in the page's language. Without scripts it can be pressed, and
// the server says no.
func (b *tab) wantWaiting() int {
	b.t.Helper()
	lang := ask[string](b, `() => document.documentElement.lang`)
	n := b.waiting()
	label := ask[string](b, `s => document.querySelector(s).textContent`, sendButton)
	if want := filled(texts(b.t, lang)("code.wait"), "num", n); n < 1 || n > 60 || label != want {
		b.t.Errorf("the button says %q at %s", label, b.here())
	}
	return n
}

// The code may come before the rest: the form waits for all of it.
func TestACodeWaitsForTheRestOfTheForm(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	b := scriptedTab(t, normal, desktop)
	who := b.site.register(t)
	b.visit("account", "/forget/phone")
	b.fill("phone", who.phone)
	code := b.askCode(who.phone)
	ask[any](b, `() => { window.stays = true }`)
	b.fill("code", code)
	b.fill("password", newPassword)
	b.fill("confirm_password", newPassword)
	if !ask[bool](b, `() => window.stays && !document.querySelector("[aria-busy]")`) {
		t.Error("the form was sent by itself")
	}
	b.enterKey()
	b.wantToast(text("login.reset"))
}

func TestACodeIsPastedOutOfItsMessage(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, desktop)
	who := b.site.register(t)
	b.visit("account", "/login/code")
	b.fill("phone", who.phone)
	code := b.askCode(who.phone)
	list, err := b.site.inbox(who.phone)
	b.must(err)
	b.leave(func() { b.paste("code", list[0].Text) })
	b.wantArrived(who.landing(desktop))
	if list[0].Code != code {
		t.Errorf("the message holds %q", list[0].Code)
	}
}

// A question that cannot be asked by script goes with the form, and the page comes back with all but passwords.
func TestWithoutAnAnswerTheFormAsksForTheCode(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	b := scriptedTab(t, normal, phone)
	who := b.site.register(t)
	b.cutOff(b.site.at("account", "/code"))
	b.visit("account", "/login/code")
	b.fill("phone", who.phone)
	b.press(field("remember"))
	b.follow(sendButton)
	b.wantStatus(200)
	b.wantText(filled(text("code.sent"), "phone", grouped(who.phone)))
	b.wantWaiting()
	b.wantTyped("phone", grouped(who.phone))
	if !ask[bool](b, `s => document.querySelector(s).checked`, field("remember")) {
		t.Error("the box is empty")
	}
	b.enterCode(b.received(who.phone, 1))
	b.wantArrived(who.landing(phone))
}

// From the second time on someone who asks for a code proves to be a person: scripts by work nobody sees, without
// them by a sum.
func TestTheSecondCodeTakesAProof(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	text := texts(t, "zh")
	s, err := start(normal.cmd.Path, filepath.Join(t.TempDir(), "site"), "on", "PORTICO_CODE_RESEND=1s")
	if err != nil {
		t.Fatal(err)
	}
	defer s.kill()
	t.Run("with scripts", func(t *testing.T) {
		b := scriptedTab(t, s, phone)
		who := s.register(t)
		b.visit("account", "/login/code")
		b.fill("phone", who.phone)
		b.askCode(who.phone)
		b.await("the next ask", `s => !document.querySelector(s).disabled`, sendButton)
		code := b.askCode(who.phone)
		if len(b.codesOf(who.phone)) != 2 {
			t.Errorf("%d codes", len(b.codesOf(who.phone)))
		}
		b.wantText(filled(text("code.sent"), "phone", grouped(who.phone)))
		b.enterCode(code)
		b.wantArrived(who.landing(phone))
	})
	t.Run("without scripts", func(t *testing.T) {
		b := newTab(t, s, desktop)
		b.blockScripts()
		who := s.register(t)
		b.visit("account", "/login/code")
		b.fill("phone", who.phone)
		b.askCode(who.phone)
		time.Sleep(time.Second)
		b.follow(sendButton)
		b.wantRefusedWith("answer", text("problem.answer_required"))
		b.wantTyped("phone", grouped(who.phone))
		b.fill("answer", "1")
		b.follow(sendButton)
		b.wantRefusedWith("answer", text("problem.answer_wrong"))
		b.fill("answer", fmt.Sprint(b.sum()))
		b.follow(sendButton)
		b.wantStatus(200)
		b.enterCode(b.received(who.phone, 2))
		b.wantArrived(who.landing(desktop))
	})
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
