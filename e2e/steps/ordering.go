package steps

import (
	"portico/e2e/browser"
)

// FirstProduct is the name of the first product that can be ordered.
func FirstProduct(b *browser.Tab) string {
	b.T.Helper()
	return browser.Ask[string](b, `s => document.querySelector(s).closest(".offer").querySelector("h3").innerText`, OrderButton)
}

// WantSide checks on which page of a side of a company the tab is.
func WantSide(b *browser.Tab, side string, company int64, path string) {
	b.T.Helper()
	host, root := SideOf(b, side, company)
	b.WantAt(host, root+path)
	b.WantStatus(200)
}

// PlaceOrder orders a quantity of the first product that can be had.
func PlaceOrder(b *browser.Tab, quantity string) {
	b.T.Helper()
	b.Fill("quantity", quantity)
	b.Follow(OrderButton)
}
