package ordering

import (
	"fmt"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

func TestShopRefusesWrongQuantitiesAndTakesAnOrder(t *testing.T) {
	t.Parallel()
	browser.InTwoModes(t, func(b *browser.Tab, text func(string) string) {
		steps.SignIn(b, "13800000001")
		steps.WantSide(b, "shop", 1001, "")
		goods := steps.FirstProduct(b)
		for quantity, problem := range map[string]string{
			"0": "quantity_required", "abc": "quantity_required", "": "quantity_required", "9999": "stock_short",
		} {
			steps.PlaceOrder(b, quantity)
			if quantity == "abc" && !b.NoScripts {
				quantity = "" // the field accepts digits only
			}
			steps.WantRefusedWith(b, "quantity", text("problem."+problem))
			steps.WantTyped(b, "quantity", quantity)
			b.Await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
			b.WantText(
				goods + program.FillIn(
					program.FillIn(text("shop.mistake"), "name", ""), "problem", text("problem."+problem),
				),
			)
		}
		steps.SetValues(b, "quantity", "99999") // more digits than the field accepts
		b.Follow(steps.OrderButton)
		steps.WantRefusedWith(b, "quantity", text("problem.quantity_required"))
		steps.WantTyped(b, "quantity", "99999")

		mine := func() int { return b.Server.Count(b.T, "SELECT COUNT(*) FROM orders WHERE account_id = 3001") }
		before := mine()
		// The server asks for confirmation when the same order comes again within minutes.
		quantity := map[bool]string{false: "2", true: "3"}[b.NoScripts]
		b.Fill("quantity", quantity)
		host, root := steps.SideOf(b, "shop", 1001)
		steps.PressTwiceTo(b, steps.OrderButton, host, root+"/orders")
		if n := mine() - before; n != 1 {
			b.T.Errorf("%d orders, want 1", n)
		}
		number := b.Server.Count(b.T, "SELECT MAX(number) FROM orders WHERE company_id = 1001")
		b.Follow(steps.PlacedOrder)
		b.WantText(program.FillIn(text("order.number"), "num", number), text("order.new"), goods, "王芳")
		b.WantCount(steps.ConfirmButton, 0)
		wantNotFound(b, "shop", "company_id = 1002")
		wantNotFound(b, "shop", "company_id = 1001 AND client_id <> 2001")
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
	browser.InTwoModes(t, func(b *browser.Tab, text func(string) string) {
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
