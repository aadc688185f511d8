package e2e

import (
	"fmt"
	"testing"
	"time"
)

func TestTheShopTakesAnOrderAndRefusesOthers(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		b.signIn("13800000001")
		b.wantSide("shop", 1001, "")
		goods := b.goods()
		for quantity, problem := range map[string]string{"0": "quantity_required", "abc": "quantity_required", "": "quantity_required", "9999": "stock_short"} {
			b.order(quantity)
			if quantity == "abc" && !b.plain {
				quantity = "" // only digits come into the field
			}
			b.wantRefusedWith("quantity", text("problem."+problem))
			b.wantTyped("quantity", quantity)
			b.await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
			b.wantText(goods + filled(filled(text("shop.mistake"), "name", ""), "problem", text("problem."+problem)))
		}
		b.setAgain("quantity", "99999") // more digits than the field takes
		b.follow(orderButton)
		b.wantRefusedWith("quantity", text("problem.quantity_required"))
		b.wantTyped("quantity", "99999")

		mine := func() int { return b.site.count(b.t, "SELECT COUNT(*) FROM orders WHERE account_id = 3001") }
		before := mine()
		quantity := map[bool]string{false: "2", true: "3"}[b.plain] // the same again within minutes would be asked about
		b.fill("quantity", quantity)
		host, root := b.sideOf("shop", 1001)
		b.pressTwiceTo(orderButton, host, root+"/orders")
		if n := mine() - before; n != 1 {
			b.t.Errorf("%d orders, want 1", n)
		}
		number := b.site.count(b.t, "SELECT MAX(number) FROM orders WHERE company_id = 1001")
		b.follow(placedOrder)
		b.wantText(filled(text("order.number"), "num", number), text("order.new"), goods, "王芳")
		b.wantCount(confirmButton, 0)
		b.wantStrange("shop", "company_id = 1002")
		b.wantStrange("shop", "company_id = 1001 AND client_id <> 2001")
	})
}

// wantStrange checks that an order which is not of this side is not to be found.
func (b *tab) wantStrange(side, where string) {
	b.t.Helper()
	host, root := b.sideOf(side, 1001)
	id := b.site.count(b.t, "SELECT MIN(id) FROM orders WHERE "+where)
	b.visit(host, fmt.Sprintf("%s/orders/%d", root, id))
	b.wantStatus(404)
	b.wantCount(`main a.placed, main dl`, 0)
}

func TestTheOfficeShowsItsOrdersAndCustomers(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		b.signIn("13800000002")
		b.wantSide("mgr", 1001, "")
		b.wantCount(placedOrder, 5)
		b.follow(`main a.figure[href$="/orders"]`)
		b.wantSide("mgr", 1001, "/orders")
		b.wantText(text("office.orders"), text("order.confirmed"))
		b.follow(customersLink)
		b.wantSide("mgr", 1001, "/customers")
		b.wantText("芳华便利店", text("office.partner"), text("chip.partner_ended"))
		b.wantStrange("mgr", "company_id = 1002")
		b.follow(`main a`) // the way out
		b.wantStatus(200)
	})
}

func TestAnEmployeeChangesNoSettings(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		b.signIn("13800000003")
		b.follow(companyButton(1001))
		b.follow(sideButton("mgr"))
		b.wantSide("mgr", 1001, "")
		b.wantCount(settingsLink, 0)
		b.wantCount(`main a[href$="/settings/initialisation"]`, 0)
		host, root := b.sideOf("mgr", 1001)
		b.visit(host, root+"/settings/initialisation")
		b.wantStatus(403)
		b.wantText(text("error.forbidden"))
	})
}

func TestSamplesAreClearedButWhatARealOrderUses(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		number := newPhone()
		b.tryOut(number, 121, "shop")
		goods := b.goods()
		b.order("1")
		b.follow(switchButton)
		b.follow(settingsLink)
		b.follow(samplesLink)
		b.wantText(text("office.clear_what"), text("office.clear_kept"), text("office.clear_kept_why"), text("office.clear_final"), goods)
		b.follow(clearButton)
		for range 2 {
			b.wantSide("mgr", b.site.own(b.t, number), "/settings/initialisation")
			b.wantText(text("office.clear_nothing"), text("office.clear_kept"), goods)
			b.wantCount(clearButton, 0)
			b.reload()
		}
		b.follow(ordersLink)
		b.wantCount(placedOrder, 1)
		b.follow(switchButton)
		b.wantCount(".offer", 1)
		b.wantText(goods)
	})
}

func TestTheDemosSamplesAreCleared(t *testing.T) {
	t.Parallel()
	text := texts(t, "zh")
	b := scriptedTab(t, normal, desktop)
	b.signIn("13800000012")
	b.follow(sideButton("mgr"))
	b.wantCount(placedOrder, 5)
	b.follow(settingsLink)
	b.follow(samplesLink)
	shown := ask[[]int](b, `() => [...document.querySelectorAll("main .figure strong")].map(e => parseInt(e.innerText))`)
	var want []int
	for _, table := range []string{"categories", "products", "clients", "orders"} {
		want = append(want, b.site.count(t, "SELECT COUNT(*) FROM "+table+" WHERE company_id = 1008 AND sample <> ''"))
	}
	if fmt.Sprint(shown) != fmt.Sprint(want) || want[1] < 12 {
		t.Errorf("the page counts %d, want %d", shown, want)
	}
	b.follow(clearButton)
	b.wantToast(text("office.cleared"))
	b.wantText(text("office.clear_nothing"))
	b.wantNoText(text("office.clear_kept"))
	b.follow(ordersLink)
	b.wantText(text("order.none"), text("order.none_office"))
	b.follow(customersLink)
	b.wantText("试用客户") // it was theirs
	b.visit("account", "/enter")
	b.follow(sideButton("shop"))
	b.wantText(text("shop.empty"))
}

func TestATrialEndsAndGoesOn(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		f := b.site.found(b.t, b.lang, 0)
		id := b.site.own(b.t, f.phone)
		b.site.endTrial(b.t, id, 71*time.Hour)
		b.signInAt("account", f.phone, newPassword)
		b.wantArrived(b.office(f))
		b.wantText(filled(text("land.trial_soon"), "num", 3), text("land.trial_renew"))
		b.find(`main .note a[href="tel:` + supportPhone + `"]`)

		b.site.endTrial(b.t, id, -time.Minute)
		b.reload()
		b.wantText(text("error.trial_ended"))
		b.forget()
		b.signInAt("account", f.phone, newPassword)
		b.wantRefused(text("error.trial_ended"), supportPhone)

		b.must(b.site.manage("company", "extend-trial", fmt.Sprint(id), "10"))
		b.signInAt("account", f.phone, newPassword)
		b.wantArrived(b.office(f))
		b.wantCount(`main .note.warn`, 0)
		b.wantText(filled(text("chip.trial"), "num", 10))
	})
}
