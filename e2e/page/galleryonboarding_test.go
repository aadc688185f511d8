package e2e

import (
	"cmp"
	"time"
)

// onboardingViews are the pages from nothing to a running company, and the landing sites with something on them.
var onboardingViews = []view{
	{"register", func(b *tab) { b.forget(); b.visit("account", "/register") }},
	{"register-refused", func(b *tab) { b.follow(careButton) }},
	{"register-registered", func(b *tab) {
		b.visit("account", "/register")
		b.fill("phone", "13800000001")
		b.sendPlainly()
	}},
	{"register-add", func(b *tab) { b.visit("account", "/register?add=1") }},
	{"initialise", func(b *tab) { b.create(newFounder()) }},
	{"initialise-refused", func(b *tab) { b.follow(importButton) }},
	{"result", func(b *tab) { b.chooseIndustry(118); b.follow(importButton) }},
	{"office-entered", func(b *tab) { b.follow(enterButton) }},
	{"register-signed-in", func(b *tab) { b.visit("account", "/register") }},
	{"office-trial-ending", func(b *tab) {
		f := b.site.found(b.t, cmp.Or(b.lang, "zh"), 0)
		b.site.endTrial(b.t, b.site.own(b.t, f.phone), 71*time.Hour)
		b.forget()
		b.signInAt("account", f.phone, newPassword)
	}},
	{"experience", func(b *tab) { b.forget(); b.visit("account", "/experience") }},
	{"experience-refused", func(b *tab) { b.follow(careButton) }},
	{"experience-role", func(b *tab) { b.openTrial(newPhone(), 121) }},
	{"catalogue", func(b *tab) { b.follow(roleButton("shop")) }},
	{"catalogue-refused", func(b *tab) { b.order("abc") }},
	{"orders-none", func(b *tab) { b.follow(ordersLink) }},
	{"orders", func(b *tab) { b.follow(`.menu a`); b.order("1") }},
	{"order", func(b *tab) { b.follow(placedOrder) }},
	{"office-tried", func(b *tab) { b.follow(switchButton) }},
	{"office-orders", func(b *tab) { b.follow(ordersLink) }},
	{"office-order", func(b *tab) { b.follow(placedOrder) }},
	{"office-order-confirmed", func(b *tab) { b.follow(confirmButton) }},
	{"customers", func(b *tab) { b.follow(customersLink) }},
	{"initialisation", func(b *tab) { b.follow(settingsLink); b.follow(samplesLink) }},
	{"initialisation-done", func(b *tab) { b.follow(clearButton) }},
	{"register-own", func(b *tab) { b.follow(mineLink) }},
	{"complete", func(b *tab) { b.forget(); b.visit("store1001", "/register/complete") }},
	{"complete-refused", func(b *tab) { b.follow(careButton) }},
	{"complete-no-link", func(b *tab) { b.visit("account", "/register/complete") }},
}
