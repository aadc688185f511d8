package page

import (
	"cmp"
	"time"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// onboardingViews are the pages from registering a company to a shop and a back office with data.
var onboardingViews = []view{
	{"register", func(b *browser.Tab) { b.ClearCookies(); b.Visit("account", "/register") }},
	{"register-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"register-registered", func(b *browser.Tab) {
		b.Visit("account", "/register")
		b.Fill("phone", "13800000001")
		sendPlainly(b)
	}},
	{"register-add", func(b *browser.Tab) { b.Visit("account", "/register?add=1") }},
	{"initialise", func(b *browser.Tab) { steps.RegisterCompany(b, program.NewFounder()) }},
	{"initialise-refused", func(b *browser.Tab) { b.Follow(steps.ImportButton) }},
	{"result", func(b *browser.Tab) { steps.ChooseIndustry(b, 118); b.Follow(steps.ImportButton) }},
	{"office-entered", func(b *browser.Tab) { b.Follow(steps.EnterButton) }},
	{"register-signed-in", func(b *browser.Tab) { b.Visit("account", "/register") }},
	{"office-trial-ending", func(b *browser.Tab) {
		f := b.Server.RegisterCompany(b.T, cmp.Or(b.Lang, "zh"), 0)
		b.Server.SetTrialEnd(b.T, b.Server.CompanyOf(b.T, f.Phone), 71*time.Hour)
		b.ClearCookies()
		steps.SignInAt(b, "account", f.Phone, program.NewPassword)
	}},
	{"experience", func(b *browser.Tab) { b.ClearCookies(); b.Visit("account", "/experience") }},
	{"experience-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"experience-role", func(b *browser.Tab) { steps.OpenTrial(b, program.NewPhone(), 121) }},
	{"catalogue", func(b *browser.Tab) { b.Follow(steps.RoleButton("shop")) }},
	{"catalogue-refused", func(b *browser.Tab) { steps.TypeQuantity(b, 0, "9999") }},
	{"cart-none", func(b *browser.Tab) { b.Follow(steps.CartLink) }},
	{"orders-none", func(b *browser.Tab) { b.Follow(steps.OrdersLink) }},
	{"cart", func(b *browser.Tab) {
		b.Follow(`.menu a`)
		steps.TypeQuantity(b, 0, "2")
		steps.TypeQuantity(b, 1, "3")
		b.Follow(steps.CartLink)
	}},
	{"orders", func(b *browser.Tab) { b.Follow(steps.OrderButton) }},
	{"order", func(b *browser.Tab) { b.Follow(steps.PlacedOrder) }},
	{"office-tried", func(b *browser.Tab) { b.Follow(steps.SwitchButton) }},
	{"office-orders", func(b *browser.Tab) { b.Follow(steps.OrdersLink) }},
	{"office-orders-filter", func(b *browser.Tab) { b.Press(`.finder .filter summary`) }},
	{"office-order", func(b *browser.Tab) {
		b.Visit(steps.OfficePath(b, "/orders"))
		b.Follow(steps.PlacedOrder)
	}},
	{"office-order-confirmed", func(b *browser.Tab) { b.Follow(steps.ConfirmButton) }},
	{"products", func(b *browser.Tab) { b.Visit(steps.OfficePath(b, "/products")) }},
	{"product", func(b *browser.Tab) { b.Follow(`main .rows tbody a`) }},
	{"product-new", func(b *browser.Tab) { b.Visit(steps.OfficePath(b, "/products/new")) }},
	{"product-refused", func(b *browser.Tab) { b.Follow(steps.SaveProduct) }},
	{"import", func(b *browser.Tab) { b.Visit(steps.OfficePath(b, "/products/import")) }},
	{"import-refused", func(b *browser.Tab) { b.Follow(steps.SheetButton) }},
	{"import-checked", func(b *browser.Tab) {
		steps.ChoosePriceList(b)
		b.Follow(steps.SheetButton)
	}},
	{"import-done", func(b *browser.Tab) { b.Follow(steps.SheetButton) }},
	{"import-gone", func(b *browser.Tab) { b.Visit(steps.OfficePath(b, "/products/import?file=x")) }},
	{"customers", func(b *browser.Tab) { b.Follow(steps.CustomersLink) }},
	{"initialisation", func(b *browser.Tab) { b.Follow(steps.SettingsLink); b.Follow(steps.SamplesLink) }},
	{"initialisation-done", func(b *browser.Tab) { b.Follow(steps.ClearButton) }},
	{"register-own", func(b *browser.Tab) { b.Follow(steps.MineLink) }},
	{"complete", func(b *browser.Tab) { b.ClearCookies(); b.Visit("store1001", "/register/complete") }},
	{"complete-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"complete-no-link", func(b *browser.Tab) { b.Visit("account", "/register/complete") }},
}
