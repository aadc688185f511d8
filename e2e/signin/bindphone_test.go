package signin

import (
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

const (
	sendOldButton = `button[name=action][value=send_old_code]`
	byCodeButton  = `button[name=action][value=by_code]`
)

func TestPhoneIsChangedWithThePassword(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "zh"), func(b *browser.Tab, text func(string) string) {
		who, fresh := b.Server.AddPerson(b.T), program.NewPhone()
		steps.SignIn(b, who.Phone)
		b.Visit("account", "/phone")
		b.WantText(program.Masked(who.Phone))
		b.Fill("phone", fresh)
		code := steps.RequestCode(b, fresh)
		b.Fill("password", program.Password)
		steps.EnterCode(b, code)
		b.WantAt("account", "/accounts")
		b.WantToast(text("phone.done"))
		b.WantNoSecrets()
		steps.WantResent(b, 200, "/phone", "phone", fresh, "code", code, "password", program.Password)
		wantAccounts(b, who, 1)
		b.ClearCookies()
		steps.SignIn(b, fresh)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

func TestPhoneIsChangedWithCodesToBothNumbers(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/credentials")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		who, fresh := b.Server.AddPerson(b.T), program.NewPhone()
		steps.SignIn(b, who.Phone)
		b.Visit("account", "/phone")
		b.Fill("phone", fresh)
		b.Follow(byCodeButton)
		steps.WantTyped(b, "phone", program.Grouped(fresh))
		b.Fill("code", steps.RequestCode(b, fresh))
		old := requestOldCode(b, who.Phone)
		typeLastCode(b, "old_code", program.WrongCode(old))
		steps.WantRefusedWith(b, "old_code", text("error.code_wrong"))
		typeLastCode(b, "old_code", old)
		b.WantAt("account", "/accounts")
		b.WantToast(text("phone.done"))
		b.ClearCookies()
		steps.SignIn(b, fresh)
		b.WantArrived(steps.ShopOfPerson(who, b.Screen))
	})
}

// requestOldCode presses the button beside the second code field and returns the code that arrives.
func requestOldCode(b *browser.Tab, number string) string {
	b.T.Helper()
	before := len(steps.CodesSentTo(b, number))
	if b.NoScripts || !browser.HasScripts {
		b.Follow(sendOldButton)
		b.WantStatus(200)
	} else {
		b.Press(sendOldButton)
		b.Await("the countdown", `s => document.querySelector(s).disabled`, sendOldButton)
	}
	return steps.ReceivedCode(b, number, before+1)
}

// typeLastCode types a code that completes the form. Scripts then submit it.
func typeLastCode(b *browser.Tab, id, code string) {
	b.T.Helper()
	if b.NoScripts || !browser.HasScripts {
		b.Fill(id, code)
		b.Follow(steps.MainButton)
		return
	}
	b.LeavePage(func() { b.T.Helper(); b.Fill(id, code) })
}
