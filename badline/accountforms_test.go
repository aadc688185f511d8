package badline_test

import (
	"fmt"

	"portico/portal/picturetest"
	"portico/store"
)

func binding(x *scene) {
	who, phone := x.house().add(x.t, store.TypeShop, ""), newPhone()
	x.b.signIn(who)
	code := x.ask("account", "/bind", phone)
	x.b.open("account", "/bind").form("code").fill("phone", phone, "code", code).press("")
	x.page(onAccount, "/bind?step=2", "confirm_password", "",
		func(f *form) { f.fill("password", newPassword, "confirm_password", newPassword) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_bound' AND account_id = ?",
			who.accountID)
	}
	x.home = "account /accounts?all=1"
}

func unbinding(x *scene) {
	who := x.house().buyer
	x.s.newHouse(x.t).add(x.t, store.TypeShop, who.phone)
	x.b.signIn(who)
	path := fmt.Sprint("/unbind?account_id=", who.accountID)
	code := x.ask("account", path, who.phone)
	x.page(onAccount, path, "code", "", func(f *form) {
		fillAll(f.fill("code", code), "password", password,
			"confirm_password", password)
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_unbound' AND account_id = ?",
			who.accountID)
	}
	x.home = "account /accounts?all=1"
}

// phoneForm opens the page that changes a phone, with a code to the former number in place of the password.
func (x *scene) phoneForm(byCode bool) *form {
	x.t.Helper()
	f := x.b.open("account", "/phone").form("code")
	if byCode {
		f = f.press("action=by_code").form("old_code")
	}
	return f
}

// askFrom presses a button that sends a code, without a fault, and returns the code that arrives at a phone.
func (x *scene) askFrom(f *form, action, newPhone, phone string) string {
	x.t.Helper()
	f.fill("phone", newPhone).press("action=" + action)
	return x.s.awaitCode(x.t, phone)
}

func changingPhone(byCode bool) func(*scene) {
	return func(x *scene) {
		who, phone := x.house().buyer, newPhone()
		x.b.signIn(who)
		code, proof, value := x.askFrom(x.phoneForm(byCode), "send_code", phone, phone), "password", password
		if byCode {
			proof, value = "old_code", x.askFrom(x.phoneForm(true), "send_old_code", phone, who.phone)
		}
		x.open = func() (request, *page) {
			return x.phoneForm(byCode).fill("phone", phone, "code", code, proof, value).request(""), nil
		}
		x.effect = func() int {
			return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_changed' AND account_id = ?",
				who.accountID)
		}
		x.home = "account /accounts?all=1"
	}
}

func codeToChangePhone(x *scene) {
	x.b.signIn(x.house().buyer)
	x.sendingCode(onAccount, "/phone", newPhone(), func(f *form) { f.fill("password", password) })
}

func codeToFormerPhone(x *scene) {
	who, phone := x.house().buyer, newPhone()
	x.b.signIn(who)
	code := x.askFrom(x.phoneForm(true), "send_code", phone, phone)
	x.open = func() (request, *page) {
		return x.phoneForm(true).fill("phone", phone, "code", code).request("action=send_old_code"), nil
	}
	x.effect = func() int { return len(x.s.inbox(x.t, who.phone)) - x.noticed(who.phone) }
	x.after = func(last *page) *page {
		x.t.Helper()
		x.wantNotThrownOut(last)
		f := last.form("old_code").fill("phone", phone, "code", code, "old_code", x.s.awaitCode(x.t, who.phone))
		return f.press("")
	}
}

// notices returns a count of the messages to a phone without a code: each change of a password sends one.
func (x *scene) notices(phone string) func() int { return func() int { return x.noticed(phone) } }

func resetting(x *scene) {
	who := x.house().buyer
	code := x.ask("account", "/forget/phone", who.phone)
	x.page(onAccount, "/forget/phone", "confirm_password", "", func(f *form) {
		f.fill("phone", who.phone, "code", code, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect = x.notices(who.phone)
	x.after = func(last *page) *page {
		x.t.Helper()
		p := newBrowser(x.t, x.s, phoneAgent).open("account", "/login").form("password").fill("phone", who.phone,
			"password", newPassword).press("")
		if p.at() != "m /shop" {
			x.t.Errorf("the new password does not sign in: %s", p.summary())
		}
		return last
	}
}

func changing(x *scene) {
	who := x.house().buyer
	x.b.signIn(who)
	x.page(onAccount, "/password", "old_password", "", func(f *form) {
		f.fill("old_password", password, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect, x.home = x.notices(who.phone), "account /accounts?all=1"
}

func changingProfile(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	x.page(
		onAccount, "/profile", "portrait", "action=save", func(f *form) { f.fill("name", "Bo", "position", "Buyer") },
	)
	x.effect, x.home = func() int { return x.events("profile_changed", h.id) }, "account /accounts?all=1"
}

func sendingPortrait(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	picture := picturetest.JPEG(80, 60)
	x.page(
		onAccount, "/profile", "portrait", "action=save",
		func(f *form) { f.fill("name", "Bo"); f.attach("portrait", picture) },
	)
	x.effect, x.home = func() int { return x.events("portrait_set", h.id) }, "account /accounts?all=1"
}

func removingPortrait(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	f := x.b.open("account", "/profile").form("portrait").fill("name", "Bo")
	f.attach("portrait", picturetest.JPEG(80, 60))
	f.press("action=save")
	x.page(onAccount, "/profile", "action=remove_portrait", "action=remove_portrait", nil)
	x.effect, x.home = func() int { return x.events("portrait_removed", h.id) }, "account /accounts?all=1"
}
