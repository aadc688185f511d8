package signin

import (
	"fmt"
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestForgottenPasswordIsResetByPhone(t *testing.T) {
	t.Parallel()
	browser.InEveryMode(t, browser.ScriptsOff(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/login")
		b.Follow(`main a[href="/forget/phone"]`)
		b.WantLang(b.Lang)
		b.Fill("phone", who.Phone)
		code := steps.RequestCode(b, who.Phone)
		b.WantText(program.FillIn(text("code.sent"), "phone", program.Grouped(who.Phone)))
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantTyped(
			b,
			"phone",
			program.Grouped(who.Phone),
			"code",
			program.WrongCode(code),
			"password",
			"",
			"confirm_password",
			"",
		)
		b.WantText(text("password.kept"))
		b.Visit("account", "/forget/phone") // starts again with the phone and the countdown
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		steps.EnterCode(b, code)
		b.WantAt("account", "/login")
		b.WantToast(text("login.reset"))
		b.Back()
		b.WantAt("account", "/forget/phone")
		steps.SetValues(
			b, "phone", who.Phone, "code", code, "password", "Wanderfalke8", "confirm_password", "Wanderfalke8",
		)
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "code", text("error.code_expired"))
		steps.SignInAt(b, "account", who.Phone, program.NewPassword)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantNoSecrets()
	})
}

func TestForgottenPasswordIsResetByAccountName(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.Scripted(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/login/account")
		b.Follow(`main a[href="/forget/account"]`)
		steps.WantStep(b, 1)
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "login", text("problem.login_missing"))
		b.Fill("login", who.Login)
		b.Follow(steps.MainButton)
		code := steps.ReceivedCode(b, who.Phone, 1)
		for range 2 {
			b.WantAt("account", "/forget/account")
			steps.WantStep(b, 2)
			b.WantText(program.FillIn(text("forget.code_lead"), "login", who.Login), program.Masked(who.Phone))
			if steps.MarkupContains(b, who.Phone) || steps.MarkupContains(b, program.Grouped(who.Phone)) {
				b.T.Error("the page shows the phone")
			}
			b.Reload()
		}
		b.Fill("code", program.WrongCode(code))
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantStep(b, 2)
		steps.WantTyped(
			b,
			"code",
			program.WrongCode(code),
			"password",
			"",
			"confirm_password",
			"",
		)
		b.WantText(text("password.kept"))

		b.Follow(`main .links a[href="/forget/account"]`) // back to the first step; the code was sent
		steps.WantStep(b, 1)
		b.Fill("login", who.Login)
		b.Follow(steps.MainButton)
		steps.WantStep(b, 2)
		steps.ReceivedCode(b, who.Phone, 1)
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		steps.EnterCode(b, code)
		b.WantAt("account", "/login/account")
		b.WantToast(text("login.reset"))
		b.Visit("account", "/forget/account") // it starts again without the account name
		steps.WantStep(b, 1)
		steps.SignInAt(b, "account", who.Login, program.NewPassword)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.WantNoSecrets()
	})
}

func TestResettingWithoutAPhoneShowsWhomToCall(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPersonWithoutPhone(b.T)
		b.Visit("account", "/forget/account")
		b.Fill("login", who.Login)
		b.Follow(steps.MainButton)
		b.WantStatus(422)
		b.WantLang(b.Lang)
		b.WantText(text("forget.no_phone"), text("forget.no_phone_body"))
		b.Find(`main a[href="tel:` + program.SupportPhone + `"]`) // a name proves nothing to the company
		b.Follow(`main a[href="/login/account"]`)
		b.WantAt("account", "/login/account")
	})
}

func TestChangingThePasswordSignsOutOtherBrowsers(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "zh"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPerson(b.T)
		other := browser.NewTab(b.T, b.Server, b.Screen)
		for _, tab := range []*browser.Tab{other, b} {
			steps.SignIn(tab, who.Phone)
			tab.WantArrived(steps.ShopOfPerson(who, b.Screen))
		}
		steps.OpenPhonePages(b)
		b.Follow(`main a[href="/password"]`)
		b.WantLang(b.Lang)
		steps.ChangePassword(b, "wrong-password")
		steps.WantRefusedWith(b, "old_password", text("error.old_password_wrong"))
		steps.WantTyped(
			b,
			"old_password",
			"",
			"password",
			"",
			"confirm_password",
			"",
		)
		b.WantText(text("password.kept"))
		steps.ChangePassword(b, program.Password)
		b.WantAt("account", "/accounts")
		b.WantToast(text("password.changed"))
		b.WantNoSecrets()
		steps.WantResent(
			b,
			422,
			"/password",
			"old_password",
			program.Password,
			"password",
			"Wanderfalke8",
			"confirm_password",
			"Wanderfalke8",
		)
		b.WantText(who.Login)

		other.Reload()
		other.WantAt(map[bool]string{true: "account", false: "store1001"}[b.Screen.Mobile], "/login")
	})
}

// A phone is unregistered; or registered, and the person knows its password; or registered, and the person does not.
func TestPhoneIsBoundToAnAccount(t *testing.T) {
	t.Parallel()
	for what, bind := range map[string]func(b *browser.Tab, text func(string) string){
		"an unknown phone": func(b *browser.Tab, text func(string) string) {
			who := b.Server.AddPersonWithoutPhone(b.T)
			proveNewPhone(b, text, who, who.Phone)
			b.WantText(program.FillIn(text("bind.new_lead"), "phone", program.Grouped(who.Phone)))
			b.Fill("password", program.NewPassword)
			b.Fill("confirm_password", program.NewPassword)
			wantPhoneBound(b, text)
			b.ClearCookies()
			steps.SignInAt(b, "account", who.Phone, program.NewPassword)
			b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		},
		"a registered phone by its password": func(b *browser.Tab, text func(string) string) {
			who, owner := b.Server.AddPersonWithoutPhone(b.T), b.Server.AddPerson(b.T)
			proveNewPhone(b, text, who, owner.Phone)
			b.WantText(program.FillIn(text("bind.confirm_lead"), "phone", program.Grouped(owner.Phone)))
			b.Fill("password", program.Password)
			wantPhoneBound(b, text)
			wantAccounts(b, owner, 2)
		},
		"a registered phone by a new password": func(b *browser.Tab, text func(string) string) {
			who, owner := b.Server.AddPersonWithoutPhone(b.T), b.Server.AddPerson(b.T)
			proveNewPhone(b, text, who, owner.Phone)
			b.Follow(`button[name=action][value=new_password]`)
			lead := program.FillIn(text("bind.new_lead"), "phone", program.Grouped(owner.Phone))
			b.WantText(lead, text("bind.others"), "金穗粮油 · "+owner.Login)
			b.Fill("password", program.NewPassword)
			b.Fill("confirm_password", program.NewPassword)
			wantPhoneBound(b, text)
			b.ClearCookies()
			steps.SignInAt(b, "account", owner.Phone, program.NewPassword)
			b.WantText(who.Login, owner.Login)
		},
	} {
		t.Run(what, func(t *testing.T) { browser.InMode(t, browser.ScriptsOff(browser.Phone, "zh"), bind) })
	}
}

// proveNewPhone signs in and goes to the second step of binding a phone.
func proveNewPhone(b *browser.Tab, text func(string) string, who program.Person, number string) {
	b.T.Helper()
	steps.SignIn(b, who.Login)
	b.WantAt("account", "/bind")
	steps.WantStep(b, 1)
	b.WantText(program.FillIn(text("bind.lead"), "login", who.Login))
	b.Fill("phone", number)
	code := steps.RequestCode(b, number)
	steps.EnterCode(b, code)
	b.WantAt("account", "/bind")
	steps.WantStep(b, 2)
}

// wantPhoneBound sends the second step and checks that the phone is bound, once.
func wantPhoneBound(b *browser.Tab, text func(string) string) {
	b.T.Helper()
	b.Follow(steps.MainButton)
	b.WantAt("account", "/accounts")
	b.WantToast(text("bind.done"))
	b.WantNoSecrets()
	b.Visit("account", "/bind") // the page redirects, because a phone is bound
	b.WantAt("account", "/company")
	b.WantStatus(200)
}

func TestRefusedBindingKeepsTheTypedText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	text := program.Texts(t, "zh")
	browser.WithAndWithoutScripts(t, browser.ScriptsOff(browser.Phone, ""), func(b *browser.Tab) {
		who, owner := b.Server.AddPersonWithoutPhone(b.T), b.Server.AddPerson(b.T)
		steps.SignIn(b, who.Login)
		b.Fill("phone", owner.Phone)
		code := steps.RequestCode(b, owner.Phone)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantTyped(b, "phone", program.Grouped(owner.Phone), "code", program.WrongCode(code))
		steps.ChooseLanguage(b, "es")
		steps.WantTyped(b, "phone", program.Grouped(owner.Phone), "code", program.WrongCode(code))
		steps.ChooseLanguage(b, "zh")
		steps.EnterCode(b, code)
		for range 2 {
			steps.WantStep(b, 2)
			b.Reload()
		}
		b.Follow(`main .links a[href="/bind"]`) // the link to choose another phone
		steps.WantStep(b, 1)
		b.Fill("phone", owner.Phone)
		steps.EnterCode(b, code)
		steps.WantStep(b, 2)
		b.Fill("password", "wrong-password")
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "password", strings.Split(text("error.wrong_password"), "{left}")[0])
		steps.WantTyped(b, "password", "")
		b.Follow(`button[name=action][value=new_password]`)
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", "other")
		b.Follow(steps.MainButton)
		steps.WantRefusedWith(b, "confirm_password", text("problem.passwords_differ"))
		steps.WantTyped(b, "password", "", "confirm_password", "")
		b.Fill("password", program.NewPassword)
		b.Fill("confirm_password", program.NewPassword)
		wantPhoneBound(b, text)
	})
}

func TestPhoneToBindStaysAfterAReload(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.WithAndWithoutScripts(t, browser.Scripted(browser.Desktop, ""), func(b *browser.Tab) {
		who := b.Server.AddPersonWithoutPhone(b.T)
		steps.SignIn(b, who.Login)
		b.Fill("phone", who.Phone)
		steps.RequestCode(b, who.Phone)
		b.Visit("account", "/bind")
		steps.WantCountdown(b)
		steps.WantTyped(b, "phone", program.Grouped(who.Phone))
	})
}

func TestGoingBackFromTheSecondBindingStepShowsTheFirst(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in pages/credentials; another flow goes back")
	b := browser.NewScriptedTab(t, browser.Normal, browser.Desktop)
	who := b.Server.AddPerson(t)
	b.Visit("account", "/forget/account")
	b.Fill("login", who.Login)
	b.Follow(steps.MainButton)
	steps.WantStep(b, 2)
	b.Back()
	steps.WantStep(b, 1)
	steps.WantTyped(b, "login", who.Login)
	b.Follow(steps.MainButton)
	steps.WantStep(b, 2)
	steps.ReceivedCode(b, who.Phone, 1)

	other := b.Server.AddPersonWithoutPhone(t)
	steps.SignIn(b, other.Login)
	b.Fill("phone", other.Phone)
	steps.EnterCode(b, steps.RequestCode(b, other.Phone))
	steps.WantStep(b, 2)
	b.Back()
	steps.WantStep(b, 1)
	steps.WantTyped(b, "phone", program.Grouped(other.Phone))
	b.Follow(steps.MainButton)
	steps.WantStep(b, 2)
}

func TestOfferToBindAPhoneCanBeSkippedOrRefused(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InEveryMode(t, browser.Scripted(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		who := b.Server.AddPersonWithoutPhone(b.T)
		steps.SignIn(b, who.Login)
		b.WantAt("account", "/bind")
		b.WantText(text("bind.skip"), text("bind.never"))
		b.Follow(steps.SkipButton)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.Visit("account", "/bind")
		b.Follow(`button[name=remind][value="0"]`)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
		b.ClearCookies()
		steps.SignIn(b, who.Login)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

func TestOneOfSeveralAccountsIsUnbound(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.Scripted(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		kept := b.Server.AddPerson(b.T)
		given := b.Server.AddAccountOf(b.T, kept)
		steps.SignIn(b, kept.Phone)
		b.Visit("account", "/unbind")
		b.WantAt("account", "/security")
		b.Follow(fmt.Sprintf(`main a[href="/unbind?account_id=%d"]`, given.AccountID))
		b.WantText(program.Masked(kept.Phone), given.Login)
		if steps.MarkupContains(b, kept.Phone) || steps.MarkupContains(b, program.Grouped(kept.Phone)) {
			b.T.Error("the page shows the phone")
		}
		code := steps.RequestCode(b, kept.Phone)
		steps.EnterCode(b, program.WrongCode(code))
		steps.WantRefusedWith(b, "code", text("error.code_wrong"))
		steps.WantTyped(b, "code", program.WrongCode(code))
		steps.EnterCode(b, code)
		b.WantAt("account", "/accounts")
		b.WantToast(text("unbind.done"))
		b.WantText(kept.Login)
		b.WantNoText(given.Login)
		b.WantNoSecrets()
		steps.WantResent(b, 200, "/unbind", "account_id", fmt.Sprint(given.AccountID), "code", code)
		wantAccounts(b, kept, 1)
		steps.SignIn(b, given.Login)
		b.WantAt("account", "/bind")
	})
}

// wantAccounts checks how many accounts are bound to a phone.
func wantAccounts(b *browser.Tab, who program.Person, want int) {
	b.T.Helper()
	if n := b.Server.Count(b.T, "SELECT COUNT(*) FROM accounts WHERE phone_id = ?", who.PersonID); n != want {
		b.T.Errorf("%d accounts have the phone, want %d", n, want)
	}
}
