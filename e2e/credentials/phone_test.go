package e2e

import "testing"

const (
	sendOldButton = `button[name=action][value=send_old_code]`
	byCodeButton  = `button[name=action][value=by_code]`
)

func TestChangingThePhoneByThePassword(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who, fresh := b.site.register(b.t), newPhone()
		b.signIn(who.phone)
		b.visit("account", "/phone")
		b.wantText(masked(who.phone))
		b.fill("phone", fresh)
		code := b.askCode(fresh)
		b.fill("password", password)
		b.enterCode(code)
		b.wantAt("account", "/accounts")
		b.wantToast(text("phone.done"))
		b.wantNoSecrets()
		b.wantSentAgain(200, "/phone", "phone", fresh, "code", code, "password", password)
		b.wantAccounts(who, 1)
		b.forget()
		b.signIn(fresh)
		b.wantArrived(who.landing(b.screen))
	})
}

func TestChangingThePhoneByACodeToEachNumber(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who, fresh := b.site.register(b.t), newPhone()
		b.signIn(who.phone)
		b.visit("account", "/phone")
		b.fill("phone", fresh)
		b.follow(byCodeButton)
		b.wantTyped("phone", grouped(fresh))
		b.fill("code", b.askCode(fresh))
		old := b.askOldCode(who.phone)
		b.fillLast("old_code", wrong(old))
		b.wantRefusedWith("old_code", text("error.code_wrong"))
		b.fillLast("old_code", old)
		b.wantAt("account", "/accounts")
		b.wantToast(text("phone.done"))
		b.forget()
		b.signIn(fresh)
		b.wantArrived(who.landing(b.screen))
	})
}

// askOldCode presses the button beside the second code and gives the code that came.
func (b *tab) askOldCode(number string) string {
	b.t.Helper()
	before := len(b.codesOf(number))
	if b.plain || !scripted {
		b.follow(sendOldButton)
		b.wantStatus(200)
	} else {
		b.press(sendOldButton)
		b.await("the countdown", `s => document.querySelector(s).disabled`, sendOldButton)
	}
	return b.received(number, before+1)
}

// fillLast types a code that completes the form: scripts send it then.
func (b *tab) fillLast(id, code string) {
	b.t.Helper()
	if b.plain || !scripted {
		b.fill(id, code)
		b.follow(careButton)
		return
	}
	b.leave(func() { b.t.Helper(); b.fill(id, code) })
}
