package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/sessions"
	"portico/store/storetest"
)

const shop = "http://store1001.portico.test/home"

// within signs in and lands.
func (s *site) within(phone string) *browser {
	s.t.Helper()
	b := s.browser()
	const from = "http://account.portico.test/login"
	landed, at := b.follow(b.signIn("account.portico.test", phone), from)
	wantStatus(s.t, landed, http.StatusOK)
	if strings.HasPrefix(at, "http://account.") {
		s.t.Fatalf("%s stays at %s", phone, at)
	}
	return b
}

// found is what the first group of a pattern holds on a page.
func found(t testing.TB, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s on\n%s", pattern, page)
	}
	return m[1]
}

func TestACustomerOrdersOfTheCatalogueAndFollowsTheOrder(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000001")
	page := text(t, b.get(shop))
	for _, want := range []string{"王芳，您好", "东北长粒香米", "5kg/袋", "¥32.80", "每袋", `href="#picture-rice"`, `id="picture-rice"`, `aria-current="page"`, "芳华便利店", `href="http://account.portico.test/accounts?all=1"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Count(page, `<symbol id="picture-rice"`) != 1 || strings.Count(page, `name="form"`) < 12 {
		t.Error("drawings more than once, or forms that are not there")
	}
	product, form := found(t, page, `name="product_id" value="(\d+)"`), found(t, page, `name="form" value="([^"]+)"`)
	for range 2 { // pressed twice, ordered once
		wantTo(t, b.post(shop+"/orders", "product_id", product, "quantity", "3", "form", form), "/home/orders")
	}
	list := text(t, b.get(shop+"/orders"))
	number := found(t, list, `<p class="toast" role="status"[^>]*>已提交订单 (\d+)，`)
	if n := strings.Count(list, `class="line placed"`); n != 2 || !strings.Contains(list, "¥98.40") || !strings.Contains(list, "待确认") {
		t.Errorf("%d orders\n%s", n, list)
	}
	href := found(t, list, `href="(/home/orders/\d+)"`)
	wantPage(t, b.get("http://store1001.portico.test"+href), http.StatusOK, "订单 "+number, "3 袋 × ¥32.80", "¥98.40", "王芳", `datetime="2026-10-01T16:00:00+08:00"`)
	if page := text(t, b.get("http://store1001.portico.test"+href)); strings.Contains(page, `value="confirm"`) {
		t.Error("customers may confirm their own orders")
	}
	wantPage(t, b.get(shop+"/orders?before=1"), http.StatusOK, "没有更早的订单了", "回到最新的订单")

	other := s.browser()
	landed, _ := other.follow(other.post("http://account.portico.test/login/account", "login", "trial.shop", "password", onboarding.DemoPassword), "http://account.portico.test/login/account")
	wantStatus(t, landed, http.StatusOK)
	for _, address := range []string{"http://store1008.portico.test" + href, "http://store1008.portico.test/home/orders/x", "http://store1008.portico.test/home/orders/0"} {
		wantStatus(t, other.get(address), http.StatusNotFound)
	}
}

func TestARefusedOrderComesBackWithWhatWasTyped(t *testing.T) {
	b := newSite(t, options{}).within("13800000001")
	product := found(t, text(t, b.get(shop)), `name="product_id" value="(\d+)"`)
	for typed, message := range map[string]string{"9999": "库存不足，请减少数量。", "0": "数量应为 1 到 9999 的整数。", "两箱": "数量应为 1 到 9999 的整数。"} {
		r := b.post(shop+"/orders", "product_id", product, "quantity", typed, "form", ordering.NewForm())
		wantStatus(t, r, http.StatusUnprocessableEntity)
		page := text(t, r)
		field := "quantity-" + product
		for _, want := range []string{`value="` + typed + `"`, `href="#` + field + `"`, `aria-describedby="` + field + `-msg"`, `<p class="msg" id="` + field + `-msg">` + message, `id="summary"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", typed, want)
			}
		}
		if strings.Count(page, `aria-invalid`) != 1 {
			t.Errorf("%s: marked more than one field", typed)
		}
	}
	wantStatus(t, b.get(shop+"/customers"), http.StatusNotFound)
	wantStatus(t, b.post("http://store1001.portico.test/home/orders/1", "action", "confirm"), http.StatusMethodNotAllowed)
}

func TestWhoeverOrdersTheSameAgainIsAskedOnce(t *testing.T) {
	b := newSite(t, options{}).within("13800000001")
	product := found(t, text(t, b.get(shop)), `name="product_id" value="(\d+)"`)
	order := func(more ...string) *http.Response {
		return b.post(shop+"/orders", append(more, "product_id", product, "quantity", "3", "form", ordering.NewForm())...)
	}
	wantTo(t, order(), "/home/orders")
	asked := order()
	wantStatus(t, asked, http.StatusUnprocessableEntity)
	page := text(t, asked)
	if strings.Count(page, `name="again" value="1"`) != 1 || !strings.Contains(page, "刚刚订购过同样数量") || !strings.Contains(page, `value="3"`) {
		t.Error(page)
	}
	if strings.Count(text(t, b.get(shop+"/orders")), `class="line placed"`) != 2 {
		t.Error("it was ordered again at once")
	}
	wantTo(t, order("again", "1"), "/home/orders")
}

func TestTheShopSpeaksTheReadersLanguage(t *testing.T) {
	b := newSite(t, options{}).within("13800000001")
	product := found(t, text(t, b.get(shop)), `name="product_id" value="(\d+)"`)
	wantStatus(t, b.post(shop+"/orders", "product_id", product, "quantity", "40"), http.StatusSeeOther)
	for lang, want := range map[string][2]string{"es": {"32,80 ¥", "1.312,00 ¥"}, "en": {"¥32.80", "¥1,312.00"}} {
		wantPage(t, b.get(shop+"?lang="+lang), http.StatusOK, want[0], "380")
		wantPage(t, b.get(shop+"/orders"), http.StatusOK, want[1], "1 produc")
	}
}

func TestNobodySeesThePagesOfASideWithoutSigningIn(t *testing.T) {
	b := newSite(t, options{}).browser()
	for _, path := range []string{"/home", "/home/orders", "/home/orders/1", "/mgr", "/mgr/orders", "/mgr/orders/1", "/mgr/customers", "/mgr/settings/initialisation"} {
		if answer := b.get("http://store1001.portico.test" + path); strings.Count(path, "/") == 1 {
			wantTo(t, answer, "/login")
		} else {
			wantFirstSignIn(t, answer, "", path)
		}
	}
	wantFirstSignIn(t, b.get("http://m.portico.test/shop/orders"), account, "/shop/orders")
	wantFirstSignIn(t, b.get("http://mgr.portico.test/home/customers"), account, "/home/customers")
	wantTo(t, b.post("http://m.portico.test/shop", "action", "switch"), account+"/login")
}

// offered is the order form of a product on a page.
type offered struct{ product, form, seen string }

// offer is the first product of the shop.
func (b *browser) offer() offered {
	b.t.Helper()
	page := text(b.t, b.get(shop))
	return offered{
		found(b.t, page, `name="product_id" value="(\d+)"`),
		found(b.t, page, `name="form" value="([^"]+)"`), found(b.t, page, `name="seen" value="([^"]+)"`),
	}
}

// formOf is the order form of a product on a page.
func orderForm(t testing.TB, page, product string) string {
	t.Helper()
	for form := range strings.SplitSeq(page, "<form ") {
		if form, _, _ = strings.Cut(form, "</form>"); strings.Contains(form, `name="product_id" value="`+product+`"`) {
			return form
		}
	}
	t.Fatalf("no form orders %s on\n%s", product, page)
	return ""
}

// order sends the form of a product.
func (b *browser) order(o offered, quantity string) *http.Response {
	b.t.Helper()
	return b.post(shop+"/orders", "product_id", o.product, "quantity", quantity, "form", o.form, "seen", o.seen)
}

// press sends an order form as it stands on a page.
func (b *browser) press(form string) *http.Response {
	b.t.Helper()
	var fields []string
	for _, name := range []string{"product_id", "quantity", "form", "seen", "again"} {
		if strings.Contains(form, `name="`+name+`"`) {
			fields = append(fields, name, fieldOf(b.t, form, name))
		}
	}
	return b.post(shop+"/orders", fields...)
}

func (b *browser) orders() int {
	b.t.Helper()
	return strings.Count(text(b.t, b.get(shop+"/orders")), `class="line placed"`)
}

func TestAnOrderAtAChangedPriceNeedsAConfirmation(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000001")
	o, before, stored := b.offer(), b.orders(), ""
	storetest.Exec(t, s.db, "UPDATE products SET price = 32800 WHERE id = "+o.product)
	stored = s.stored()
	asked := wantPage(t, b.order(o, "3"), http.StatusUnprocessableEntity,
		"打开页面时的价格为 ¥32.80，现在为 ¥328.00", `id="summary"`, `aria-invalid="true"`)
	if s.stored() != stored || b.orders() != before {
		t.Error("something was ordered without a question")
	}
	form := orderForm(t, asked, o.product)
	if fieldOf(t, form, "quantity") != "3" || fieldOf(t, form, "seen") == o.seen || strings.Contains(form, "again") {
		t.Error(form)
	}
	wantTo(t, b.press(form), "/home/orders")
	wantPage(t, b.get(shop+"/orders"), http.StatusOK, "¥984.00")
	for lang, want := range map[string]string{
		"es": "Al abrir la página, el precio era 32,80 ¥; ahora es 328,00 ¥",
		"en": "The price was ¥32.80 when you opened the page. It’s now ¥328.00",
	} {
		b.get(shop + "?lang=" + lang)
		wantPage(t, b.order(offered{o.product, "", o.seen}, "4"), http.StatusUnprocessableEntity, want)
	}
}

func TestAnOrderOfAChangedProductNeedsAConfirmation(t *testing.T) {
	for column, c := range map[string]struct{ value, price string }{
		"name": {"'糯米'", ""}, "spec": {"'2.5kg/袋'", ""}, "unit": {"'箱'", ", price = 100"},
	} {
		s := newSite(t, options{})
		b := s.within("13800000001")
		o := b.offer()
		set := "sample = '', " + column + " = " + c.value + c.price
		storetest.Exec(t, s.db, "UPDATE products SET "+set+" WHERE id = "+o.product)
		stored := s.stored()
		asked := wantPage(t, b.order(o, "3"), http.StatusUnprocessableEntity, "打开页面后，这件商品已有变动")
		if strings.Contains(asked, "现在为 ¥1.00") != (c.price != "") || s.stored() != stored {
			t.Errorf("%s: the order was placed, or the page names another price", column)
		}
		wantTo(t, b.press(orderForm(t, asked, o.product)), "/home/orders")
	}
}

func TestAnOrderIsConfirmedForItsPriceAndItsRepetitionTogether(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000001")
	o := b.offer()
	wantTo(t, b.order(o, "3"), "/home/orders")
	storetest.Exec(t, s.db, "UPDATE products SET price = 1000 WHERE id = "+o.product)
	both := wantPage(t, b.order(offered{o.product, "another", o.seen}, "3"), http.StatusUnprocessableEntity,
		"现在为 ¥10.00", "刚刚订购过同样数量")
	storetest.Exec(t, s.db, "UPDATE products SET price = 2000 WHERE id = "+o.product) // while they are answered
	again := wantPage(t, b.press(orderForm(t, both, o.product)), http.StatusUnprocessableEntity,
		"打开页面时的价格为 ¥10.00，现在为 ¥20.00")
	if strings.Contains(again, "刚刚订购过同样数量") || b.orders() != 2 {
		t.Error("a confirmed question is asked again, or the order was placed")
	}
	wantTo(t, b.press(orderForm(t, again, o.product)), "/home/orders")
	wantPage(t, b.get(shop+"/orders"), http.StatusOK, "¥60.00")
}

func TestAnOrderOfAProductNoLongerSoldShowsTheCatalogue(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000001")
	foreign, err := s.db.Products(t.Context(), 1003)
	if err != nil || len(foreign) == 0 {
		t.Fatal(err)
	}
	o := b.offer()
	storetest.Exec(t, s.db, "DELETE FROM order_lines WHERE product_id = "+o.product)
	storetest.Exec(t, s.db, "DELETE FROM products WHERE id = "+o.product)
	stored := s.stored()
	for _, product := range []string{o.product, "999999", "0", "", "x", decimal(foreign[0].ID)} {
		page := wantPage(t, b.order(offered{product, o.form, o.seen}, "3"), http.StatusUnprocessableEntity,
			"您选择的商品已不在此出售", `id="summary"`, `class="offer"`)
		if strings.Contains(page, foreign[0].Name) || strings.Contains(page, `aria-invalid`) {
			t.Errorf("%q: a product of another company is named, or a field marked", product)
		}
	}
	if s.stored() != stored {
		t.Error("something was written")
	}
}

func TestOrdersOnAPhoneNeedAConfirmationToo(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.agent = phoneAgent
	landed, _ := b.follow(b.signIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	const shop = "http://m.portico.test/shop"
	page := wantPage(t, landed, http.StatusOK, `action="/shop/orders"`)
	product, seen := found(t, page, `name="product_id" value="(\d+)"`), found(t, page, `name="seen" value="([^"]+)"`)
	storetest.Exec(t, s.db, "UPDATE products SET price = 32800 WHERE id = "+product)
	wantPage(t, b.post(shop+"/orders", "product_id", product, "quantity", "3", "seen", seen),
		http.StatusUnprocessableEntity, "现在为 ¥328.00")
	wantPage(t, b.post(shop+"/orders", "product_id", "999999", "quantity", "3"), http.StatusUnprocessableEntity,
		"您选择的商品已不在此出售")
}

// The session ends while the person types the quantity, and the price changes before they sign in again.
func TestAKeptOrderIsComparedWithThePriceAtWhichItWasTyped(t *testing.T) {
	s := newSite(t, options{})
	b := s.onPhone("13800000001", "buyer1")
	order := formOf(t, wantPage(t, b.get(phoneShop), http.StatusOK), "/shop/orders")
	order.Set("quantity", "77")
	s.clock = s.clock.Add(sessions.ShopIdle + sessions.AccountIdle)
	ended := b.sendForm(phoneShop+"/orders", order)
	wantStatus(t, ended, http.StatusSeeOther)
	storetest.Exec(t, s.db, "UPDATE products SET price = 32800 WHERE id = "+order.Get("product_id"))
	b.get(ended.Header.Get("Location"))
	answer, _ := b.follow(b.signIn("account.portico.test", "13800000001"), account+"/login")
	form := orderForm(t, wantPage(t, answer, http.StatusOK, "¥328.00"), order.Get("product_id"))
	if fieldOf(t, form, "quantity") != "77" {
		t.Error(form)
	}
	order.Set("token", fieldOf(t, form, "token"))
	order.Set("seen", fieldOf(t, form, "seen"))
	asked := b.sendForm(phoneShop+"/orders", order)
	wantPage(t, asked, http.StatusUnprocessableEntity, "打开页面时的价格为 ¥32.80，现在为 ¥328.00", `value="77"`)
}
