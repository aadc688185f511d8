package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/shop"
	"portico/store/storetest"
)

func TestCustomerOrdersFromTheCatalogueAndSeesTheOrder(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	page := pagestest.Text(t, b.Get(pagestest.Shop))
	for _, want := range []string{"王芳，您好", "东北长粒香米", "5kg/袋", "¥32.80", "每袋", `href="#picture-rice"`,
		`id="picture-rice"`, `aria-current="page"`, "芳华便利店", `href="http://account.portico.test/accounts?all=1"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Count(page, `<symbol id="picture-rice"`) != 1 || strings.Count(page, `class="stepper none"`) < 12 {
		t.Error("drawings more than once, or steppers that are not there")
	}
	product, form := pagestest.FindIn(t, page, `name="quantity_(\d+)"`), shop.NewForm()
	for range 2 { // sent twice, ordered once
		pagestest.WantRedirect(t, b.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "3", "form",
			form),
			"/home/orders")
	}
	list := pagestest.Text(t, b.Get(pagestest.Shop+"/orders"))
	number := pagestest.FindIn(t, list, `<p class="toast" role="status"[^>]*>已提交订单 (\d+)，`)
	if n := strings.Count(list, `class="line placed"`); n != 2 || !strings.Contains(list, "¥98.40") ||
		!strings.Contains(list, "待确认") {
		t.Errorf("%d orders\n%s", n, list)
	}
	href := pagestest.FindIn(t, list, `href="(/home/orders/\d+)"`)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+href), http.StatusOK, "订单 "+number,
		`<td class="quantity">3</td>`, "¥32.80", "每袋",
		"¥98.40", "王芳", `datetime="2026-10-01T16:00:00+08:00"`)
	if page := pagestest.Text(t, b.Get("http://store1001.portico.test"+href)); strings.Contains(page,
		`value="confirm"`) {
		t.Error("customers may confirm their own orders")
	}
	pagestest.WantPage(t, b.Get(pagestest.Shop+"/orders?before=1"), http.StatusOK, "没有更早的订单了", "回到最新的订单")

	other := s.Browser()
	landed, _ := other.Follow(other.Post("http://account.portico.test/login/account", "login", "trial.shop", "password",
		onboarding.DemoPassword), "http://account.portico.test/login/account")
	pagestest.WantStatus(t, landed, http.StatusOK)
	for _, address := range []string{"http://store1008.portico.test" + href,
		"http://store1008.portico.test/home/orders/x", "http://store1008.portico.test/home/orders/0"} {
		pagestest.WantStatus(t, other.Get(address), http.StatusNotFound)
	}
}

func TestRefusedOrderKeepsWhatWasTyped(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	for typed, message := range map[string]string{"9999": "库存不足，请减少数量。", "0": "数量应为 1 到 9999 的整数。",
		"两箱": "数量应为 1 到 9999 的整数。"} {
		r := b.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", typed, "form", shop.NewForm())
		pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
		page := pagestest.Text(t, r)
		field := "quantity-" + product
		for _, want := range []string{`value="` + typed + `"`, `href="#` + field + `"`,
			`aria-describedby="` + field + `-msg"`, `<p class="msg" id="` + field + `-msg">` + message,
			`id="summary"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", typed, want)
			}
		}
		if strings.Count(page, `aria-invalid`) != 1 {
			t.Errorf("%s: marked more than one field", typed)
		}
	}
	pagestest.WantStatus(t, b.Get(pagestest.Shop+"/customers"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Post("http://store1001.portico.test/home/orders/1", "action", "confirm"),
		http.StatusBadRequest)
}

func TestSameOrderAgainNeedsOneConfirmation(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	order := func(more ...string) *http.Response {
		return b.Post(pagestest.Shop+"/orders",
			append(more, "product_id", product, "quantity", "3", "form", shop.NewForm())...)
	}
	pagestest.WantRedirect(t, order(), "/home/orders")
	asked := order()
	pagestest.WantStatus(t, asked, http.StatusUnprocessableEntity)
	page := pagestest.Text(t, asked)
	if strings.Count(page, `name="again" value="1"`) != 1 || !strings.Contains(page, "刚刚订购过同样数量") ||
		!strings.Contains(page, `value="3"`) {
		t.Error(page)
	}
	if strings.Count(pagestest.Text(t, b.Get(pagestest.Shop+"/orders")), `class="line placed"`) != 2 {
		t.Error("it was ordered again at once")
	}
	pagestest.WantRedirect(t, order("again", "1"), "/home/orders")
}

func TestShopIsShownInTheReadersLanguage(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, b.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "40"),
		http.StatusSeeOther)
	for lang, want := range map[string][2]string{"es": {"¥32.80", "¥1,312.00"}, "en": {"¥32.80", "¥1,312.00"}} {
		pagestest.WantPage(t, b.Get(pagestest.Shop+"?lang="+lang), http.StatusOK, want[0], "380")
		pagestest.WantPage(t, b.Get(pagestest.Shop+"/orders"), http.StatusOK, want[1], "1 produc")
	}
}

func TestShopAndBackOfficePagesNeedASignIn(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for _, path := range []string{"/home", "/home/orders", "/home/orders/1", "/mgr", "/mgr/orders", "/mgr/orders/1",
		"/mgr/customers", "/mgr/settings/initialisation"} {
		if answer := b.Get("http://store1001.portico.test" + path); strings.Count(path, "/") == 1 {
			pagestest.WantRedirect(t, answer, "/login")
		} else {
			pagestest.WantSignIn(t, answer, "", path)
		}
	}
	pagestest.WantSignIn(t, b.Get("http://m.portico.test/shop/orders"), pagestest.AccountSite, "/shop/orders")
	pagestest.WantSignIn(t, b.Get("http://mgr.portico.test/home/customers"), pagestest.AccountSite, "/home/customers")
	pagestest.WantRedirect(t, b.Post("http://m.portico.test/shop", "action", "switch"), pagestest.AccountSite+"/login")
}

// orderFormOf returns the HTML of a product's order form on a page. It fails the test when the page has none.
func orderFormOf(t testing.TB, page, product string) string {
	t.Helper()
	for form := range strings.SplitSeq(page, "<form ") {
		if form, _, _ = strings.Cut(form, "</form>"); strings.Contains(form, `name="product_id" value="`+product+`"`) {
			return form
		}
	}
	t.Fatalf("no form orders %s on\n%s", product, page)
	return ""
}

func TestOrderNeedsAConfirmationWhenThePriceChanged(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	o, before := firstOrderForm(b), countOrders(b)
	storetest.Exec(t, s.DB, "UPDATE products SET price = 32800 WHERE id = "+o.Product)
	stored := s.DumpWithoutSessions()
	asked := pagestest.WantPage(t, sendOrder(b, o, "3"), http.StatusUnprocessableEntity,
		"打开页面时的价格为 ¥32.80，现在为 ¥328.00", `id="summary"`, `aria-invalid="true"`)
	if s.DumpWithoutSessions() != stored || countOrders(b) != before {
		t.Error("something was ordered without a question")
	}
	form := orderFormOf(t, asked, o.Product)
	if pagestest.FieldValue(t, form, "quantity") != "3" || pagestest.FieldValue(t, form, "seen") == o.Seen ||
		strings.Contains(form, "again") {
		t.Error(form)
	}
	pagestest.WantRedirect(t, sendOrderForm(b, form), "/home/orders")
	pagestest.WantPage(t, b.Get(pagestest.Shop+"/orders"), http.StatusOK, "¥984.00")
	for lang, want := range map[string]string{
		"es": "Al abrir la página, el precio era ¥32.80; ahora es ¥328.00",
		"en": "The price was ¥32.80 when you opened the page. It’s now ¥328.00",
	} {
		b.Get(pagestest.Shop + "?lang=" + lang)
		pagestest.WantPage(t, sendOrder(b, orderForm{Product: o.Product, Form: "", Seen: o.Seen}, "4"),
			http.StatusUnprocessableEntity, want)
	}
}

func TestOrderNeedsAConfirmationWhenTheProductChanged(t *testing.T) {
	for column, c := range map[string]struct{ value, price string }{
		"name": {"'糯米'", ""}, "spec": {"'2.5kg/袋'", ""}, "unit": {"'箱'", ", price = 100"},
	} {
		s := pagestest.NewSite(t, pagestest.Options{})
		b := s.SignInByPhone("13800000001")
		o := firstOrderForm(b)
		set := "sample = '', " + column + " = " + c.value + c.price
		storetest.Exec(t, s.DB, "UPDATE products SET "+set+" WHERE id = "+o.Product)
		stored := s.DumpWithoutSessions()
		asked := pagestest.WantPage(t, sendOrder(b, o, "3"), http.StatusUnprocessableEntity, "打开页面后，这件商品已有变动")
		if strings.Contains(asked, "现在为 ¥1.00") != (c.price != "") || s.DumpWithoutSessions() != stored {
			t.Errorf("%s: the order was placed, or the page names another price", column)
		}
		pagestest.WantRedirect(t, sendOrderForm(b, orderFormOf(t, asked, o.Product)), "/home/orders")
	}
}

func TestOneConfirmationCoversChangedPriceAndRepeatedOrder(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	o := firstOrderForm(b)
	pagestest.WantRedirect(t, sendOrder(b, o, "3"), "/home/orders")
	storetest.Exec(t, s.DB, "UPDATE products SET price = 1000 WHERE id = "+o.Product)
	both := pagestest.WantPage(t, sendOrder(b, orderForm{Product: o.Product, Form: "another", Seen: o.Seen}, "3"),
		http.StatusUnprocessableEntity,
		"现在为 ¥10.00", "刚刚订购过同样数量")
	// while the person reads the questions
	storetest.Exec(t, s.DB, "UPDATE products SET price = 2000 WHERE id = "+o.Product)
	again := pagestest.WantPage(t, sendOrderForm(b, orderFormOf(t, both, o.Product)), http.StatusUnprocessableEntity,
		"打开页面时的价格为 ¥10.00，现在为 ¥20.00")
	if strings.Contains(again, "刚刚订购过同样数量") || countOrders(b) != 2 {
		t.Error("the page asks to confirm the repetition again, or the order was placed")
	}
	pagestest.WantRedirect(t, sendOrderForm(b, orderFormOf(t, again, o.Product)), "/home/orders")
	pagestest.WantPage(t, b.Get(pagestest.Shop+"/orders"), http.StatusOK, "¥60.00")
}

func TestOrderOfAProductNoLongerSoldShowsTheCatalogue(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	foreign, err := s.DB.Catalogue.Products(t.Context(), 1003)
	if err != nil || len(foreign) == 0 {
		t.Fatal(err)
	}
	o := firstOrderForm(b)
	storetest.Exec(t, s.DB, "DELETE FROM order_lines WHERE product_id = "+o.Product)
	storetest.Exec(t, s.DB, "DELETE FROM products WHERE id = "+o.Product)
	stored := s.DumpWithoutSessions()
	for _, product := range []string{o.Product, "999999", "0", "", "x", pagestest.Decimal(foreign[0].ID)} {
		page := pagestest.WantPage(t, sendOrder(b, orderForm{Product: product, Form: o.Form, Seen: o.Seen}, "3"),
			http.StatusUnprocessableEntity,
			"您选择的商品已下架", `id="summary"`, `class="offer"`)
		if strings.Contains(page, foreign[0].Name) || strings.Contains(page, `aria-invalid`) {
			t.Errorf("%q: a product of another company is named, or a field marked", product)
		}
	}
	if s.DumpWithoutSessions() != stored {
		t.Error("something was written")
	}
}

func TestOrderOnAPhoneNeedsTheSameConfirmation(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Agent = pagestest.PhoneAgent
	landed, _ := b.Follow(b.SignIn("account.portico.test", "13800000001"), "http://account.portico.test/login")
	const shop = "http://m.portico.test/shop"
	page := pagestest.WantPage(t, landed, http.StatusOK, `action="/shop/products"`)
	product := pagestest.FindIn(t, page, `name="quantity_(\d+)"`)
	seen := seenTag(b, shop, product)
	storetest.Exec(t, s.DB, "UPDATE products SET price = 32800 WHERE id = "+product)
	pagestest.WantPage(t, b.Post(shop+"/orders", "product_id", product, "quantity", "3", "seen", seen),
		http.StatusUnprocessableEntity, "现在为 ¥328.00")
	pagestest.WantPage(t, b.Post(shop+"/orders", "product_id", "999999", "quantity", "3"),
		http.StatusUnprocessableEntity,
		"您选择的商品已下架")
}

// The session ends while the person types the quantity, and the price changes before they sign in again.
func TestKeptOrderIsComparedWithThePriceThatWasShown(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInOnPhone("13800000001", "buyer1")
	page := pagestest.WantPage(t, b.Get(pagestest.ShopOnPhone), http.StatusOK)
	product := pagestest.FindIn(t, page, `name="quantity_(\d+)"`)
	order := pagestest.FormFields(t, page, "/shop/products")
	order.Set("product_id", product)
	order.Set("seen", seenTag(b, pagestest.ShopOnPhone, product))
	order.Set("quantity", "77")
	s.Clock = s.Clock.Add(core.ShopIdle + core.AccountIdle)
	ended := b.SendForm(pagestest.ShopOnPhone+"/orders", order)
	pagestest.WantStatus(t, ended, http.StatusSeeOther)
	storetest.Exec(t, s.DB, "UPDATE products SET price = 32800 WHERE id = "+order.Get("product_id"))
	b.Get(ended.Header.Get("Location"))
	answer, _ := b.Follow(b.SignIn("account.portico.test", "13800000001"), pagestest.AccountSite+"/login")
	form := orderFormOf(t, pagestest.WantPage(t, answer, http.StatusOK, "¥328.00"), order.Get("product_id"))
	if pagestest.FieldValue(t, form, "quantity") != "77" {
		t.Error(form)
	}
	order.Set("token", pagestest.FieldValue(t, form, "token"))
	order.Set("seen", pagestest.FieldValue(t, form, "seen"))
	asked := b.SendForm(pagestest.ShopOnPhone+"/orders", order)
	pagestest.WantPage(t, asked, http.StatusUnprocessableEntity, "打开页面时的价格为 ¥32.80，现在为 ¥328.00", `value="77"`)
}

// orderForm has the hidden fields of a product's order form: the product's id, the id of the form, and the tag of the
// price that the page showed.
type orderForm struct{ Product, Form, Seen string }

// firstOrderForm returns the order form of the first product in the shop. It fails the test when the shop has none.
func firstOrderForm(b *pagestest.Browser) orderForm {
	b.T.Helper()
	product := pagestest.FindIn(b.T, pagestest.Text(b.T, b.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	return orderForm{product, shop.NewForm(), seenTag(b, pagestest.Shop, product)}
}

// seenTag returns the tag of a product and its price, as the cart shows it. The cart is empty afterwards. It fails the
// test when the shop does not sell the product.
func seenTag(b *pagestest.Browser, shop, product string) string {
	b.T.Helper()
	b.Post(shop+"/products", "quantity_"+product, "1")
	seen := pagestest.FindIn(b.T, pagestest.Text(b.T, b.Get(shop+"/cart")), `name="seen_`+product+`" value="([^"]+)"`)
	b.Post(shop+"/products", "quantity_"+product, "0")
	return seen
}

// sendOrder sends an order form with a quantity and returns the answer.
func sendOrder(b *pagestest.Browser, o orderForm, quantity string) *http.Response {
	b.T.Helper()
	return b.Post(pagestest.Shop+"/orders", "product_id", o.Product, "quantity", quantity, "form", o.Form, "seen",
		o.Seen)
}

// sendOrderForm sends the HTML of an order form unchanged and returns the answer.
func sendOrderForm(b *pagestest.Browser, form string) *http.Response {
	b.T.Helper()
	var fields []string
	for _, name := range []string{"product_id", "quantity", "form", "seen", "again"} {
		if strings.Contains(form, `name="`+name+`"`) {
			fields = append(fields, name, pagestest.FieldValue(b.T, form, name))
		}
	}
	return b.Post(pagestest.Shop+"/orders", fields...)
}

// countOrders returns the number of orders on the page of the customer's orders.
func countOrders(b *pagestest.Browser) int {
	b.T.Helper()
	return strings.Count(pagestest.Text(b.T, b.Get(pagestest.Shop+"/orders")), `class="line placed"`)
}
