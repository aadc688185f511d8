package company

import (
	"testing"

	"github.com/go-rod/rod/lib/input"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestRefusedRegistrationKeepsTheTypedText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.InMode(t, browser.Scripted(browser.Phone, "es"), func(b *browser.Tab, text func(string) string) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		b.Follow(steps.MainButton)
		steps.WantMistakes(b, "phone", "code", "password", "name", "company_name", "agree")
		b.WantText(
			text("problem.phone_required"),
			text("problem.code_required"),
			text("problem.name_required"),
			text("problem.company_required"),
			text("problem.agree_required"),
		)

		b.Fill("phone", f.Phone)
		code := steps.RequestCode(b, f.Phone)
		steps.DescribeCompany(b, f)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		wantForm(b, f, program.WrongCode(code))
		b.WantText(text("password.kept"))

		b.Fill("password", "football1")
		steps.EnterCode(b, code)
		steps.WantRefusedWith(b, "password", text("problem.password_common"))
		wantForm(b, f, code)
		b.WantNoText(text("password.kept"))

		b.Fill("password", program.NewPassword)
		b.Follow(steps.MainButton)
		b.WantAt("account", "/register/init")
		b.WantNoSecrets()
	})
}

func TestSwitchingTheLanguageKeepsTheRegistrationForm(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/onboarding")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Phone, ""), func(b *browser.Tab) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		b.Fill("phone", f.Phone)
		b.Fill("code", "12345")
		steps.DescribeCompany(b, f)
		for _, lang := range []string{"es", "en", "zh"} {
			steps.ChooseLanguage(b, lang)
			b.WantAt("account", "/register")
			b.WantStatus(200)
			b.WantLang(lang)
			b.WantText(program.Texts(b.T, lang)("register.heading"), program.Texts(b.T, lang)("password.kept"))
			steps.WantTyped(
				b,
				"code",
				"12345",
				"password",
				"",
				"name",
				f.Name,
				"company_name",
				f.Company,
			)
			wantPhone(b, f.Phone)
			wantChosen(b, browser.Field("agree"))
		}
		b.Visit("account", "/experience")
		b.Fill("phone", f.Phone)
		steps.ChooseIndustry(b, 128)
		for _, lang := range []string{"en", "es"} {
			steps.ChooseLanguage(b, lang)
			b.WantLang(lang)
			wantPhone(b, f.Phone)
			wantChosen(b, `input[name=industry][value="128"]`)
		}
	})
}

// wantForm checks what a refused registration still contains: everything but the password.
func wantForm(b *browser.Tab, f program.Founder, code string) {
	b.T.Helper()
	wantPhone(b, f.Phone)
	steps.WantTyped(b, "code", code, "password", "", "name", f.Name, "company_name", f.Company)
	wantChosen(b, browser.Field("agree"))
}

// wantPhone checks the number in the form, whatever its grouping.
func wantPhone(b *browser.Tab, number string) {
	b.T.Helper()
	if got := b.Value("phone"); got != number && got != program.Grouped(number) {
		b.T.Errorf("the phone is %q, want %s", got, number)
	}
}

func TestKeyboardAloneRegistersACompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Desktop, ""), func(b *browser.Tab) {
		f := program.NewFounder()
		b.Visit("account", "/register")
		browser.TabTo(b, browser.Field("phone"))
		browser.TypeKeys(b, f.Phone)
		code := requestByKeyboard(b, f.Phone)
		if b.NoScripts {
			browser.TabTo(b, browser.Field("code"))
		}
		browser.TypeKeys(b, code) // first, while the form is incomplete
		browser.TabTo(b, browser.Field("password"))
		browser.TypeKeys(b, program.NewPassword)
		browser.TabTo(b, browser.Field("name"))
		browser.TypeKeys(b, "Ana Ruiz")
		browser.TabTo(b, browser.Field("company_name"))
		browser.TypeKeys(b, "Ruiz "+f.Phone[7:])
		browser.TabTo(b, browser.Field("agree"))
		browser.PressKey(b, input.Space)
		wantChosen(b, browser.Field("agree"))
		browser.TabTo(b, steps.MainButton)
		browser.PressEnter(b)
		b.WantAt("account", "/register/init")
		browser.TabTo(b, `input[name=industry]`)
		browser.PressKey(b, input.Space)
		browser.TabTo(b, steps.ImportButton)
		browser.PressEnter(b)
		browser.TabTo(b, steps.EnterButton)
		browser.PressEnter(b)
		b.WantText("Ana Ruiz", "Ruiz "+f.Phone[7:])
		browser.TabTo(b, steps.PlacedOrder)
		browser.PressEnter(b)
		browser.TabTo(b, steps.ConfirmButton)
		browser.PressEnter(b)
		b.WantText(program.Texts(b.T, "zh")("order.confirmed"))
	})
}

// requestByKeyboard requests a code for the phone that was typed, with the keyboard, and returns it.
func requestByKeyboard(b *browser.Tab, number string) string {
	b.T.Helper()
	browser.TabTo(b, steps.SendCodeButton)
	if b.NoScripts {
		browser.PressEnter(b)
	} else {
		browser.PressKey(b, input.Enter)
		b.Await("the focus in the code", `s => document.activeElement.matches(s)`, browser.Field("code"))
	}
	return steps.ReceivedCode(b, number, 1)
}

// wantChosen checks that a box or card is chosen.
func wantChosen(b *browser.Tab, control string) {
	b.T.Helper()
	if !browser.Eval[bool](b, `s => document.querySelector(s).checked`, control) {
		b.T.Errorf("%s is not chosen at %s", control, b.Address())
	}
}
