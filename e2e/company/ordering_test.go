package company

import (
	"fmt"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

func TestShopRefusesWrongQuantities(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/shop")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "es"), func(b *browser.Tab, text func(string) string) {
		steps.SignIn(b, "13800000001")
		steps.WantSide(b, "shop", 1001, "")
		for _, quantity := range []string{"abc", "9999"} {
			problem := map[string]string{"abc": "quantity_required", "9999": "stock_short"}[quantity]
			steps.TypeQuantity(b, 0, quantity)
			b.Await("the message beside the quantity",
				`text => document.querySelector(".offer .msg").innerText === text`, text("problem."+problem))
			if b.Value(steps.QuantityField(b, 0)) != quantity {
				b.T.Errorf("%s is lost", quantity)
			}
		}
		wantNotFound(b, "shop", "company_id = 1002")
		wantNotFound(b, "shop", "company_id = 1001 AND client_id <> 2001")
	})
}

func TestFiveProductsAreOrderedAtOnce(t *testing.T) {
	t.Parallel()
	browser.InEveryMode(t, browser.Scripted(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		steps.EnterTrial(b, program.NewPhone(), 121, "shop")
		goods := steps.FirstProduct(b)
		for n := range 4 {
			steps.TypeQuantity(b, n, fmt.Sprint(n+1))
		}
		b.Reload()
		for n := range 4 {
			if got := b.Value(steps.QuantityField(b, n)); got != fmt.Sprint(n+1) {
				b.T.Errorf("after loading the page again, product %d has the quantity %s", n, got)
			}
		}
		steps.TypeQuantity(b, 4, "1")
		b.Follow(`.cart-bar a`)
		b.WantText(text("cart.heading"), goods)
		b.WantCount(`.in-cart`, 5)
		steps.TypeQuantity(b, 4, "2")
		b.Fill("note", "10:00")
		b.Follow(steps.OrderButton)
		b.WantText(text("shop.orders"))
		b.Follow(steps.PlacedOrder)
		b.WantText(goods, "10:00", text("order.total"), text("cart.repeat"))
		b.WantCount(`.ordered tbody tr`, 5)
		b.Follow(`button[name=action][value=repeat]`)
		b.WantCount(`.in-cart`, 5)
		if n := b.Server.Count(b.T, "SELECT COUNT(*) FROM order_lines WHERE order_id = (SELECT MAX(id) FROM orders "+
			"WHERE note = '10:00')"); n != 5 {
			b.T.Errorf("the order has %d lines", n)
		}
		b.Follow(`.drop[name=remove]`)
		b.WantCount(`.in-cart`, 4)
	})
}

func TestCustomerSeesANewProductWithItsPicture(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/shop")
	browser.InMode(t, browser.ScriptsOff(browser.Phone, "en"), func(b *browser.Tab, text func(string) string) {
		steps.EnterTrial(b, program.NewPhone(), 118, "shop")
		b.Follow(steps.SwitchButton)
		b.Visit(steps.OfficePath(b, "/products/new"))
		browser.SetFile(b, `#icon`, program.NewPortrait(b.T))
		steps.AddProduct(b)
		b.WantText("Oolong", text("product.on"))
		b.WantCount(`.drop-shown img`, 1)
		b.Visit(steps.OfficePath(b, "/products"))
		b.WantText("Oolong", "¥12.50")
		b.Follow(steps.SwitchButton)
		b.WantText("Oolong", "¥12.50")
		b.Await("the picture", `() => {
			const picture = document.querySelector("img.tile");
			picture.scrollIntoView(); // it is loaded when it is near
			return picture.complete;
		}`)
		if browser.Eval[int](b, `() => document.querySelector("img.tile").naturalWidth`) == 0 {
			b.T.Error("the picture is not shown")
		}
	})
}

// wantNotFound checks that an order of another company or customer is not found.
func wantNotFound(b *browser.Tab, side, where string) {
	b.T.Helper()
	host, root := steps.SideOf(b, side, 1001)
	id := b.Server.Count(b.T, "SELECT MIN(id) FROM orders WHERE "+where)
	b.Visit(host, fmt.Sprintf("%s/orders/%d", root, id))
	b.WantStatus(404)
	b.WantCount(`main a.placed, main dl`, 0)
}

func TestBackOfficeShowsItsOrdersAndCustomers(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/shop")
	browser.InMode(t, browser.ScriptsOff(browser.Desktop, "en"), func(b *browser.Tab, text func(string) string) {
		steps.SignIn(b, "13800000002")
		steps.WantSide(b, "mgr", 1001, "")
		b.WantCount(steps.PlacedOrder, 5)
		b.Follow(`main a.way[href$="/orders"]`)
		steps.WantSide(b, "mgr", 1001, "/orders")
		b.WantText(text("office.orders"), text("order.confirmed"))
		b.Follow(steps.CustomersLink)
		steps.WantSide(b, "mgr", 1001, "/customers")
		b.WantText("芳华便利店", text("office.partner"), text("chip.partner_ended"))
		wantNotFound(b, "mgr", "company_id = 1002")
		b.Follow(`main a`) // the link back
		b.WantStatus(200)
	})
}
