package e2e

import (
	"fmt"
	"testing"
)

func TestBothSidesOfATrialSeeTheOrder(t *testing.T) {
	t.Parallel()
	eachManner(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.visit("account", "/login")
		b.follow(`main a[href="/experience"]`)
		b.wantLang(b.lang)
		b.wantText(text("experience.heading"), step(text, 1))
		b.tryOut(f.phone, 121, "shop")
		tried := b.site.own(b.t, f.phone)
		b.wantSide("shop", tried, "")
		b.wantToast(text("enter.entered"))
		b.wantText(text("land.try_shop"), text("land.mine"))

		goods := b.goods()
		b.order("3")
		b.wantSide("shop", tried, "/orders")
		b.wantToast(filled(text("order.ordered"), "num", b.site.count(b.t, "SELECT MAX(number) FROM orders WHERE company_id = ?", tried)))
		b.wantCount(placedOrder, 1)
		b.wantText(text("order.new"))
		order := ask[string](b, `s => document.querySelector(s).pathname.split("/").pop()`, placedOrder)
		b.follow(placedOrder)
		b.wantText(goods, text("order.new"))

		b.follow(switchButton)
		b.wantSide("mgr", tried, "")
		b.wantLang(b.lang)
		b.wantText(text("land.try_mgr"))
		b.follow(placedOrder) // the newest
		b.wantSide("mgr", tried, "/orders/"+order)
		b.wantText(goods)
		b.follow(confirmButton)
		b.wantSide("mgr", tried, "/orders/"+order)
		b.wantText(text("order.confirmed"), text("order.confirmed_at"))
		b.wantCount(confirmButton, 0)

		b.follow(switchButton)
		b.wantSide("shop", tried, "")
		b.follow(ordersLink)
		b.wantText(text("order.confirmed"))
		b.wantNoText(text("order.new"))
		b.wantNoSecrets()
	})
}

// goods is the name of the first product that can be ordered.
func (b *tab) goods() string {
	b.t.Helper()
	return ask[string](b, `s => document.querySelector(s).closest(".offer").querySelector("h3").innerText`, orderButton)
}

func TestATrialBecomesTheCompany(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := newFounder()
		b.tryOut(f.phone, 118, "shop")
		goods := b.goods()
		b.order("2")
		b.wantCount(placedOrder, 1)
		tried := b.site.own(b.t, f.phone)

		b.follow(mineLink)
		b.wantAt("account", "/register")
		b.wantText(text("register.own_heading"), text("register.own_lead"))
		for _, name := range []string{"phone", "code"} {
			b.wantCount(field(name), 0)
		}
		b.follow(careButton)
		b.wantMistakes("password", "name", "company_name", "agree")
		b.describe(f)
		b.follow(careButton)
		b.wantAt("account", "/register/result")
		b.wantText(filled(text("register.created_long"), "company", f.company))
		b.follow(enterButton)
		b.wantChosenSide("mgr")
		b.wantArrived(b.office(f))
		b.wantCount(".try", 0)
		b.follow(placedOrder)
		b.wantText(goods, text("order.new"))
		b.wantCompanies(f.phone, 1)
		if b.site.own(b.t, f.phone) != tried {
			b.t.Error("it is another company")
		}
		b.forget()
		b.signInAt("account", f.phone, newPassword)
		b.wantChosenSide("mgr")
		b.wantArrived(b.office(f))
	})
}

// wantChosenSide answers the question for a side of a company where one has both.
func (b *tab) wantChosenSide(side string) {
	b.t.Helper()
	b.wantAt("account", "/enter")
	b.follow(sideButton(side))
}

func TestATrialIsBegunAnewAfterReloads(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		number := newPhone()
		b.visit("account", "/experience/role") // nothing was opened
		b.wantAt("account", "/experience")
		b.follow(careButton)
		b.wantMistakes("phone", "code", "industry", "agree")
		b.fill("phone", number)
		code := b.askCode(number)
		b.visit("account", "/experience")
		b.wantWaiting()
		b.wantTyped("phone", grouped(number))
		b.chooseIndustry(128)
		b.agree()
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantChosen(`input[name=industry][value="128"]`)
		b.wantChosen(field("agree"))
		b.enterCode(code)
		for range 2 {
			b.wantAt("account", "/experience/role")
			b.wantText(step(text, 2))
			b.reload()
		}
		b.press(field("import")) // without samples
		b.follow(roleButton("mgr"))
		tried := b.site.own(b.t, number)
		b.wantSide("mgr", tried, "")
		b.wantText(text("order.none"))
		b.follow(switchButton)
		b.wantSide("shop", tried, "")
		b.wantText(text("shop.empty"))

		b.visit("account", "/experience") // somebody who is signed in tries another one, without a code
		b.wantCount(field("phone"), 0)
		b.chooseIndustry(725)
		b.agree()
		b.pressTwiceTo(careButton, "account", "/experience/role")
		b.follow(roleButton("shop"))
		b.wantSide("shop", b.site.own(b.t, number), "")
		b.find(orderButton)
		b.visit("account", "/experience/role")
		if n := b.site.count(b.t, "SELECT COUNT(*) FROM sandboxes s JOIN phones p ON p.id = s.phone_id WHERE p.phone = ?", number); n != 2 {
			b.t.Errorf("%d sandboxes, want 2", n)
		}
	})
}

// A sandbox of somebody else's is not to be had.
func TestATrialOfSomeoneElseStaysTheirs(t *testing.T) {
	t.Parallel()
	theirs, b := newTab(t, normal, phone), newTab(t, normal, phone)
	owner, f := newPhone(), newFounder()
	theirs.tryOut(owner, 118, "mgr")
	taken := normal.own(t, owner)
	b.tryOut(f.phone, 121, "mgr")
	b.visit("account", fmt.Sprintf("/register?sandbox=%d", taken))
	b.wantSentAgain(422, "/register", "sandbox", fmt.Sprint(taken), "password", newPassword, "name", f.name, "company_name", f.company, "agree", "1")
	if normal.count(t, "SELECT COUNT(*) FROM companies WHERE id = ? AND sandbox = ?", taken, true) != 1 {
		t.Error("it is no trial any more")
	}
	theirs.reload()
	theirs.wantSide("mgr", taken, "")
}
