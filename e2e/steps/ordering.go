package steps

import (
	"portico/e2e/browser"
)

// FirstProduct returns the name of the first product that can be ordered.
func FirstProduct(b *browser.Tab) string {
	b.T.Helper()
	return browser.Eval[string](
		b, `s => document.querySelector(s).closest(".offer").querySelector("h3").innerText`, OrderButton,
	)
}

// WantSide checks that the tab is on a page of a company's side.
func WantSide(b *browser.Tab, side string, company int64, path string) {
	b.T.Helper()
	host, root := SideOf(b, side, company)
	b.WantAt(host, root+path)
	b.WantStatus(200)
}

// PlaceOrder orders a quantity of the first product.
func PlaceOrder(b *browser.Tab, quantity string) {
	b.T.Helper()
	b.Fill("quantity", quantity)
	b.Follow(OrderButton)
}
