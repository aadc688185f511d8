package badline_test

import (
	"fmt"

	"portico/portal/picturetest"
	"portico/store"
)

func formBindPhone(x *scene) {
	who, phone := x.newCompany().addAccount(x.t, store.TypeShop, ""), newPhone()
	x.b.signIn(who)
	code := x.requestCode("account", "/bind", phone)
	x.b.open("account", "/bind").form("code").fill("phone", phone, "code", code).press("")
	x.page(onAccount, "/bind?step=2", "confirm_password", "",
		func(f *form) { f.fill("password", newPassword, "confirm_password", newPassword) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_bound' AND account_id = ?",
			who.accountID)
	}
	x.home = "account /accounts?all=1"
}

func formUnbindPhone(x *scene) {
	who := x.newCompany().buyer
	x.s.newCompany(x.t).addAccount(x.t, store.TypeShop, who.phone)
	x.b.signIn(who)
	path := fmt.Sprint("/unbind?account_id=", who.accountID)
	code := x.requestCode("account", path, who.phone)
	x.page(onAccount, path, "code", "", func(f *form) {
		fillPresent(f.fill("code", code), "password", password,
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

// requestCodeFrom presses a button that sends a code, without a fault, and returns the code that arrives at a phone.
func (x *scene) requestCodeFrom(f *form, action, newPhone, phone string) string {
	x.t.Helper()
	f.fill("phone", newPhone).press("action=" + action)
	return x.s.awaitCode(x.t, phone)
}

func formChangePhone(byCode bool) func(*scene) {
	return func(x *scene) {
		who, phone := x.newCompany().buyer, newPhone()
		x.b.signIn(who)
		code, proof, value := x.requestCodeFrom(x.phoneForm(byCode), "send_code", phone, phone), "password", password
		if byCode {
			proof, value = "old_code", x.requestCodeFrom(x.phoneForm(true), "send_old_code", phone, who.phone)
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

func formCodeToChangePhone(x *scene) {
	x.b.signIn(x.newCompany().buyer)
	x.codePage(onAccount, "/phone", newPhone(), func(f *form) { f.fill("password", password) })
}

func formCodeToFormerPhone(x *scene) {
	who, phone := x.newCompany().buyer, newPhone()
	x.b.signIn(who)
	code := x.requestCodeFrom(x.phoneForm(true), "send_code", phone, phone)
	x.open = func() (request, *page) {
		return x.phoneForm(true).fill("phone", phone, "code", code).request("action=send_old_code"), nil
	}
	x.effect = func() int { return len(x.s.inbox(x.t, who.phone)) - x.countNotices(who.phone) }
	x.after = func(last *page) *page {
		x.t.Helper()
		x.wantNoFailurePage(last)
		f := last.form("old_code").fill("phone", phone, "code", code, "old_code", x.s.awaitCode(x.t, who.phone))
		return f.press("")
	}
}

// noticeCounter returns a count of the messages to a phone without a code: each change of a password sends one.
func (x *scene) noticeCounter(phone string) func() int {
	return func() int { return x.countNotices(phone) }
}

func formResetPassword(x *scene) {
	who := x.newCompany().buyer
	code := x.requestCode("account", "/forget/phone", who.phone)
	x.page(onAccount, "/forget/phone", "confirm_password", "", func(f *form) {
		f.fill("phone", who.phone, "code", code, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect = x.noticeCounter(who.phone)
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

func formChangePassword(x *scene) {
	who := x.newCompany().buyer
	x.b.signIn(who)
	x.page(onAccount, "/password", "old_password", "", func(f *form) {
		f.fill("old_password", password, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect, x.home = x.noticeCounter(who.phone), "account /accounts?all=1"
}

func formProfile(x *scene) {
	company := x.newCompany()
	x.b.signIn(company.buyer)
	x.page(
		onAccount, "/profile", "portrait", "action=save", func(f *form) { f.fill("name", "Bo", "position", "Buyer") },
	)
	x.effect, x.home = func() int { return x.events("profile_changed", company.id) }, "account /accounts?all=1"
}

func formSendPortrait(x *scene) {
	company := x.newCompany()
	x.b.signIn(company.buyer)
	picture := picturetest.JPEG(80, 60)
	x.page(
		onAccount, "/profile", "portrait", "action=save",
		func(f *form) { f.fill("name", "Bo"); f.attach("portrait", picture) },
	)
	x.effect, x.home = func() int { return x.events("portrait_set", company.id) }, "account /accounts?all=1"
}

func formRemovePortrait(x *scene) {
	company := x.newCompany()
	x.b.signIn(company.buyer)
	f := x.b.open("account", "/profile").form("portrait").fill("name", "Bo")
	f.attach("portrait", picturetest.JPEG(80, 60))
	f.press("action=save")
	x.page(onAccount, "/profile", "action=remove_portrait", "action=remove_portrait", nil)
	x.effect, x.home = func() int { return x.events("portrait_removed", company.id) }, "account /accounts?all=1"
}
