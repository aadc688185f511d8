package steps

import (
	"strings"

	"github.com/go-rod/rod/lib/input"

	"portico/e2e/browser"
)

// FirstProduct returns the name of the first product that can be ordered.
func FirstProduct(b *browser.Tab) string {
	b.T.Helper()
	return browser.Eval[string](
		b, `s => document.querySelector(s).closest(".offer").querySelector("h3").innerText`, MoreButton,
	)
}

// WantSide checks that the tab is on a page of a company's side.
func WantSide(b *browser.Tab, side string, company int64, path string) {
	b.T.Helper()
	host, root := SideOf(b, side, company)
	b.WantAt(host, root+path)
	b.WantStatus(200)
}

// QuantityField returns the name of the field with the quantity of the n-th product of a page, from 0.
func QuantityField(b *browser.Tab, n int) string {
	b.T.Helper()
	return browser.Eval[string](b, `n => document.querySelectorAll(".stepper input")[n].name`, n)
}

// TypeQuantity types the quantity of the n-th product of a page and presses Enter. A product that is not in the cart is
// added first. It waits until the server has answered.
func TypeQuantity(b *browser.Tab, n int, quantity string) {
	b.T.Helper()
	field := QuantityField(b, n)
	if !b.NoScripts {
		b.Await("the script of the cart", `() => document.querySelector("[data-island=cart]").dataset.ready === ""`)
	}
	if browser.Eval[bool](b, `name => !document.getElementsByName(name)[0].checkVisibility()`, field) {
		more := `.stepper[data-product="` + strings.TrimPrefix(field, "quantity_") + `"] [name=more]`
		if b.NoScripts {
			b.Follow(more)
		} else {
			awaitCart(b, func() { b.Press(more) })
		}
	}
	b.Fill(field, quantity)
	if b.NoScripts {
		browser.PressEnter(b)
		return
	}
	awaitCart(b, func() { browser.PressKey(b, input.Enter) })
}

// awaitCart changes the cart and waits for the answer to that change: no other may be on its way.
func awaitCart(b *browser.Tab, change func()) {
	b.T.Helper()
	before := browser.Eval[int](b, answersToCart)
	change()
	b.Await("the answer about the cart", `before => (`+answersToCart+`)() > before`, before)
}

// answersToCart counts the answers that the page got about its cart.
const answersToCart = `() => performance.getEntriesByType("resource")
	.filter(e => e.responseEnd && /\/(products|cart)$/.test(e.name)).length`

// PlaceOrder puts a quantity of the first product into the cart, and orders it.
func PlaceOrder(b *browser.Tab, quantity string) {
	b.T.Helper()
	TypeQuantity(b, 0, quantity)
	b.Follow(CartLink)
	b.Follow(OrderButton)
}

// AddProduct fills in the form of a new product, which the tab shows, and saves it.
func AddProduct(b *browser.Tab) {
	b.T.Helper()
	for _, f := range [][2]string{
		{"name", "Oolong"}, {"category", "Tea"}, {"unit", "tin"}, {"price", "12,50"}, {"stock", "40"},
	} {
		b.Fill(f[0], f[1])
	}
	b.Follow(SaveProduct)
}

// SaveProduct is the button that saves a product.
const SaveProduct = `form#product button.button`

// OfficePath returns the host and the path of a page of the back office that the tab shows.
func OfficePath(b *browser.Tab, path string) (host, at string) {
	b.T.Helper()
	host = browser.Eval[string](b, `() => location.hostname.split(".")[0]`)
	return host, browser.Eval[string](b, `() => "/" + location.pathname.split("/")[1]`) + path
}
