package e2e

import (
	"testing"

	"github.com/go-rod/rod/lib/input"
)

func TestARefusedRegistrationKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.visit("account", "/register")
		b.follow(careButton)
		b.wantMistakes("phone", "code", "password", "name", "company_name", "agree")
		b.wantText(text("problem.phone_required"), text("problem.code_required"), text("problem.name_required"), text("problem.company_required"), text("problem.agree_required"))

		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.describe(f)
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantForm(f, wrong(code))

		b.fill("code", code) // not sent by itself: the password is missing
		b.fill("password", "football1")
		b.follow(careButton)
		b.wantRefusedWith("password", text("problem.password_common"))
		b.wantForm(f, code)

		b.fill("password", newPassword)
		b.follow(careButton)
		b.wantAt("account", "/register/init")
		b.wantNoSecrets()
	})
}

func TestSwitchingTheLanguageKeepsARegistration(t *testing.T) {
	t.Parallel()
	eachWay(t, phone, func(b *tab) {
		f := newFounder()
		b.visit("account", "/register")
		b.fill("phone", f.phone)
		b.fill("code", "12345")
		b.describe(f)
		for _, lang := range []string{"es", "en", "zh"} {
			b.follow(languageButton(lang))
			b.wantAt("account", "/register")
			b.wantStatus(200)
			b.wantLang(lang)
			b.wantText(texts(b.t, lang)("register.heading"))
			b.wantTyped("code", "12345", "password", "", "name", f.name, "company_name", f.company)
			b.wantPhone(f.phone)
			b.wantChosen(field("agree"))
		}
		b.visit("account", "/experience")
		b.fill("phone", f.phone)
		b.chooseIndustry(128)
		for _, lang := range []string{"en", "es"} {
			b.follow(languageButton(lang))
			b.wantLang(lang)
			b.wantPhone(f.phone)
			b.wantChosen(`input[name=industry][value="128"]`)
		}
	})
}

// wantForm checks what a refused registration still holds.
func (b *tab) wantForm(f founder, code string) {
	b.t.Helper()
	b.wantPhone(f.phone)
	b.wantTyped("code", code, "password", "", "name", f.name, "company_name", f.company)
	b.wantChosen(field("agree"))
}

// wantPhone checks the number in the form, however it is grouped.
func (b *tab) wantPhone(number string) {
	b.t.Helper()
	if got := b.value("phone"); got != number && got != grouped(number) {
		b.t.Errorf("the phone is %q, want %s", got, number)
	}
}

func TestTheKeyboardAloneRegistersACompany(t *testing.T) {
	t.Parallel()
	eachWay(t, desktop, func(b *tab) {
		f := newFounder()
		b.visit("account", "/register")
		b.tabTo(field("phone"))
		b.keys(f.phone)
		code := b.askByKeyboard(f.phone)
		if b.plain {
			b.tabTo(field("code"))
		}
		b.keys(code) // first of all: the form is not complete
		b.tabTo(field("password"))
		b.keys(newPassword)
		b.tabTo(field("name"))
		b.keys("Ana Ruiz")
		b.tabTo(field("company_name"))
		b.keys("Ruiz " + f.phone[7:])
		b.tabTo(field("agree"))
		b.keyboard(input.Space)
		b.wantChosen(field("agree"))
		b.tabTo(careButton)
		b.enterKey()
		b.wantAt("account", "/register/init")
		b.tabTo(`input[name=industry]`)
		b.keyboard(input.Space)
		b.tabTo(importButton)
		b.enterKey()
		b.wantAt("account", "/register/result")
		b.tabTo(enterButton)
		b.enterKey()
		b.wantText("Ana Ruiz", "Ruiz "+f.phone[7:])
		b.tabTo(placedOrder)
		b.enterKey()
		b.tabTo(confirmButton)
		b.enterKey()
		b.wantText(texts(b.t, "zh")("order.confirmed"))
	})
}

// askByKeyboard asks for a code with the phone typed, and gives it.
func (b *tab) askByKeyboard(number string) string {
	b.t.Helper()
	b.tabTo(sendButton)
	if b.plain {
		b.enterKey()
	} else {
		b.keyboard(input.Enter)
		b.await("the focus in the code", `s => document.activeElement.matches(s)`, field("code"))
	}
	return b.received(number, 1)
}
