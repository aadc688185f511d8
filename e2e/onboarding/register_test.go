package e2e

import (
	"testing"
	"time"

	"portico/store"
)

func TestAPhoneBecomesARunningCompany(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.visit("account", "/login")
		b.follow(`main a[href="/register"]`)
		b.wantLang(b.lang)
		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.wantText(filled(text("code.sent"), "phone", grouped(f.phone)))
		b.describe(f)
		b.enterCode(code)
		b.wantAt("account", "/register/init")
		b.wantText(filled(text("register.created_long"), "company", f.company), text("register.created"))
		b.chooseIndustry(118)
		b.follow(importButton)
		b.wantAt("account", "/register/result")
		b.wantText(text("init.done"), text("register.initialised"), f.company, text("trade.118"), filled(text("chip.trial"), "num", 15))
		b.follow(enterButton)
		b.wantArrived(b.office(f))
		b.wantToast(text("enter.entered"))
		b.wantText(filled(text("chip.trial"), "num", 15))
		b.wantCount(placedOrder, 5)
		b.wantLang(b.lang)
		b.wantNoSecrets()
		b.wantCompanies(f.phone, 1)
	})
}

func TestAReloadAtEveryStepLosesNothing(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.visit("account", "/register")
		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.visit("account", "/register") // begun anew: the phone and the countdown are there
		b.wantWaiting()
		b.wantTyped("phone", grouped(f.phone))
		b.describe(f)
		b.enterCode(code)
		for range 2 {
			b.wantAt("account", "/register/init")
			b.wantText(filled(text("init.lead"), "company", f.company))
			b.reload()
		}
		b.follow(importButton)
		b.wantMistakes("industry")
		b.reload()
		b.chooseIndustry(725)
		b.follow(importButton)
		for range 2 {
			b.wantAt("account", "/register/result")
			b.wantText(text("trade.725"))
			b.reload()
		}
		b.visit("account", "/register/init") // it is done
		b.wantAt("account", "/register/result")
		b.follow(enterButton)
		b.reload()
		b.wantArrived(b.office(f))
		b.wantCount(".toast", 0)
		b.wantCompanies(f.phone, 1)
	})
}

func TestGoingBackAndPressingAgainMakesNoSecondCompany(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.visit("account", "/register")
		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.visit("account", "/register") // an answer to a form is nothing to go back to
		b.describe(f)
		b.enterCode(code)
		b.back()
		b.wantAt("account", "/register")
		b.wantSentAgain(200, "/register", "phone", f.phone, "code", code, "password", newPassword, "name", f.name, "company_name", f.company, "agree", "1")
		b.visit("account", "/register/init")
		b.wantAt("account", "/register/init")
		b.wantCompanies(f.phone, 1)
		b.chooseIndustry(121)
		b.follow(importButton)
		b.wantAt("account", "/register/result")
		b.back()
		if b.has(importButton) { // the browser kept the page
			b.chooseIndustry(725)
			b.follow(importButton)
		}
		b.wantAt("account", "/register/result")
		b.wantText(text("trade.121"))
		b.wantImportedOnce(f)
		b.wantCompanies(f.phone, 1)
	})
}

func TestPressingTwiceMakesOneCompany(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, _ func(string) string) {
		f := newFounder()
		b.visit("account", "/register")
		b.fill("phone", f.phone)
		b.fill("code", b.askCode(f.phone)) // before the rest: it would send the form
		b.describe(f)
		b.pressTwiceTo(careButton, "account", "/register/init")
		b.wantCompanies(f.phone, 1)
		b.chooseIndustry(118)
		b.pressTwiceTo(importButton, "account", "/register/result")
		b.wantImportedOnce(f)
	})
}

// wantImportedOnce checks that the samples of a founder's company are there, each once.
func (b *tab) wantImportedOnce(f founder) {
	b.t.Helper()
	id := b.site.own(b.t, f.phone)
	for _, table := range []string{"products", "orders"} {
		all := b.site.count(b.t, "SELECT COUNT(*) FROM "+table+" WHERE company_id = ?", id)
		different := b.site.count(b.t, "SELECT COUNT(DISTINCT sample) FROM "+table+" WHERE company_id = ?", id)
		if all == 0 || all != different {
			b.t.Errorf("%d %s, %d of them different", all, table, different)
		}
	}
}

func TestACompanyBeginsEmpty(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.create(f)
		b.follow(emptyButton)
		b.wantAt("account", "/register/result")
		b.follow(enterButton)
		b.wantArrived(b.office(f))
		b.wantText(text("order.none"))
		b.wantNoText(text("office.set_up"))
		b.wantCount(placedOrder, 0)
	})
}

func TestSettingUpIsFinishedLater(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.create(f)
		b.forget()
		b.signInAt("account", f.phone, newPassword)
		b.wantArrived(b.office(f))
		b.wantText(text("office.set_up"))
		b.follow(`main a[href$="/register/init"]`)
		b.wantAt("account", "/register/init")
		b.chooseIndustry(128)
		b.follow(importButton)
		b.follow(enterButton)
		b.wantArrived(b.office(f))
		b.wantNoText(text("office.set_up"))
		b.wantCount(placedOrder, 5)
	})
}

func TestARegisteredPhoneAddsACompany(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		for _, number := range []string{"13800000001", "13800000011"} {
			b.visit("account", "/register")
			b.fill("phone", number)
			b.follow(sendButton)
			b.wantRefusedWith("phone", text("error.phone_registered"))
			b.find(`main .cards a[href="/login"]`)
		}
		who := b.site.register(b.t)
		b.fill("phone", who.phone)
		b.follow(sendButton)
		b.follow(`main a[href="/register?add=1"]`)
		b.wantText(text("register.add_heading"), text("register.add_lead"))
		b.wantCount(field("password"), 0)
		f := founder{who.phone, who.name, "新店" + who.phone[7:]}
		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.describe(f)
		b.enterCode(code)
		b.wantAt("account", "/register/init")
		b.wantCompanies(f.phone, 1)
		b.forget()
		b.signIn(who.phone) // its password is as it was
		b.wantAt("account", "/company")
		b.wantText("金穗粮油", f.company)
	})
}

func TestAPhoneWithoutAnAccountAddsACompany(t *testing.T) {
	t.Parallel()
	b := scriptedTab(t, normal, phone)
	f, db := newFounder(), normal.seed(t)
	like, err := db.PhoneByNumber(t.Context(), "13800000011")
	b.must(err)
	_, err = db.AddPhone(t.Context(), store.Phone{Phone: f.phone, PasswordHash: like.PasswordHash, CreatedAt: store.At(time.Now())})
	b.must(err)
	b.visit("account", "/register?add=1")
	b.fill("phone", f.phone)
	code := b.askCode(f.phone)
	b.describe(f)
	b.enterCode(code)
	b.follow(emptyButton)
	b.follow(enterButton)
	b.wantArrived(b.office(f))
	b.forget()
	b.signIn(f.phone)
	b.wantArrived(b.office(f))
}

func TestSomeoneSignedInAddsACompanyWithoutACode(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		who := b.site.register(b.t)
		b.signIn(who.phone)
		b.visit("account", "/register")
		b.wantText(filled(text("register.signed_in_lead"), "phone", masked(who.phone)))
		for _, name := range []string{"phone", "code", "password"} {
			b.wantCount(field(name), 0)
		}
		f := founder{who.phone, who.name, "新店" + who.phone[7:]}
		b.describe(f)
		b.pressTwiceTo(careButton, "account", "/register/init")
		b.wantCompanies(f.phone, 1)
		if codes := b.codesOf(f.phone); len(codes) > 0 {
			b.t.Errorf("%d codes were sent", len(codes))
		}
	})
}
