package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/portal"
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
	landed, _ := other.follow(other.post("http://account.portico.test/login/account", "login", "trial.shop", "password", portal.DemoPassword), "http://account.portico.test/login/account")
	wantStatus(t, landed, http.StatusOK)
	for _, address := range []string{"http://store1008.portico.test" + href, "http://store1008.portico.test/home/orders/x", "http://store1008.portico.test/home/orders/0"} {
		wantStatus(t, other.get(address), http.StatusNotFound)
	}
}

func TestARefusedOrderComesBackWithWhatWasTyped(t *testing.T) {
	b := newSite(t, options{}).within("13800000001")
	product := found(t, text(t, b.get(shop)), `name="product_id" value="(\d+)"`)
	for typed, message := range map[string]string{"9999": "库存不足，请减少数量。", "0": "数量应为 1 到 9999 的整数。", "两箱": "数量应为 1 到 9999 的整数。"} {
		r := b.post(shop+"/orders", "product_id", product, "quantity", typed, "form", portal.NewForm())
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
	wantStatus(t, b.post(shop+"/orders", "product_id", "999999", "quantity", "1"), http.StatusNotFound)
	wantStatus(t, b.get(shop+"/customers"), http.StatusNotFound)
	wantStatus(t, b.post("http://store1001.portico.test/home/orders/1", "action", "confirm"), http.StatusMethodNotAllowed)
}

func TestWhoeverOrdersTheSameAgainIsAskedOnce(t *testing.T) {
	b := newSite(t, options{}).within("13800000001")
	product := found(t, text(t, b.get(shop)), `name="product_id" value="(\d+)"`)
	order := func(more ...string) *http.Response {
		return b.post(shop+"/orders", append(more, "product_id", product, "quantity", "3", "form", portal.NewForm())...)
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
			wantTo(t, answer, "/login?done=session_ended")
		} else {
			wantSignIn(t, answer, "", path)
		}
	}
	wantSignIn(t, b.get("http://m.portico.test/shop/orders"), account, "/shop/orders")
	wantSignIn(t, b.get("http://mgr.portico.test/home/customers"), account, "/home/customers")
	wantTo(t, b.post("http://m.portico.test/shop", "action", "switch"), "http://account.portico.test/login?done=session_ended")
}
