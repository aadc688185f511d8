package shop_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store/storetest"
)

// productIDs returns the ids of the products of a page.
func productIDs(t *testing.T, page string) (ids []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`name="quantity_(\d+)"`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, m[1])
	}
	if len(ids) == 0 {
		t.Fatal("no products")
	}
	return ids
}

// cartForm returns the fields of a cart's form as the page has them.
func cartForm(t *testing.T, page string) url.Values {
	t.Helper()
	form := url.Values{"form": {pagestest.FindIn(t, page, `name="form" value="([^"]+)"`)}, "note": {""}}
	for _, id := range productIDs(t, page) {
		form.Set("quantity_"+id, pagestest.FindIn(t, page, `(?s)name="quantity_`+id+`".*?value="(\d+)"`))
		form.Set("seen_"+id, pagestest.FindIn(t, page, `name="seen_`+id+`" value="([^"]+)"`))
	}
	return form
}

func TestCustomerFillsTheCartWithoutScriptsAndOrdersIt(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	ids := productIDs(t, pagestest.Text(t, b.Get(pagestest.Shop)))
	for i, id := range ids[:5] {
		r := b.Post(pagestest.Shop+"/products", "quantity_"+id, fmt.Sprint(i), "more", id)
		pagestest.WantRedirect(t, r, "/home#product-"+id)
	}
	b.Post(pagestest.Shop+"/products", "quantity_"+ids[0], "4")
	b.Post(pagestest.Shop+"/products", "quantity_"+ids[1], "2", "less", ids[1])
	page := pagestest.WantPage(t, b.Get(pagestest.Shop), http.StatusOK, `href="/home/cart"`, "5 种商品", "购物车中有 5 种商品")
	if strings.Contains(page, `cart-bar" hidden`) {
		t.Error("the bar is hidden")
	}
	page = pagestest.WantPage(t, b.Get(pagestest.Shop+"/cart"), http.StatusOK, "提交订单")
	form := cartForm(t, page)
	if form.Get("quantity_"+ids[0]) != "4" || form.Get("quantity_"+ids[1]) != "1" {
		t.Errorf("%v", form)
	}
	form.Set("action", "order")
	form.Set("note", "上午送货\n谢谢")
	for range 2 { // the second time as if the response was lost
		pagestest.WantRedirect(t, b.Do(http.MethodPost, pagestest.Shop+"/cart", form), "/home/orders")
	}
	list := pagestest.Text(t, b.Get(pagestest.Shop+"/orders"))
	if n := strings.Count(list, `class="line placed"`); n != 2 || !strings.Contains(list, "5 种商品") {
		t.Errorf("%d orders", n)
	}
	href := pagestest.FindIn(t, list, `href="(/home/orders/\d+)"`)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+href), http.StatusOK, "上午送货", "再来一单")
	pagestest.WantPage(t, b.Get(pagestest.Shop+"/cart"), http.StatusOK, "购物车是空的")
	office := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, office.Get(pagestest.Office+strings.TrimPrefix(href, "/home")), http.StatusOK, "上午送货",
		`value="confirm"`)

	storetest.Exec(t, s.DB, "UPDATE products SET state = 'off' WHERE id = "+ids[2])
	for range 2 {
		r := b.Post("http://store1001.portico.test"+href, "action", "repeat")
		pagestest.WantRedirect(t, r, "/home/cart?repeated="+strings.TrimPrefix(href, "/home/orders/"))
	}
	page = pagestest.WantPage(t, b.Get(pagestest.Shop+"/cart?repeated="+strings.TrimPrefix(href, "/home/orders/")),
		http.StatusOK, "无法再次加入购物车")
	if got := len(productIDs(t, page)); got != 4 {
		t.Errorf("%d products in the cart", got)
	}
	pagestest.WantStatus(t, b.Post("http://store1001.portico.test"+href, "action", "confirm"), http.StatusBadRequest)
	for _, id := range []string{"1", "999999", "x"} { // an order of another customer, none, no number
		pagestest.WantStatus(t, b.Post(pagestest.Shop+"/orders/"+id, "action", "repeat"), http.StatusNotFound)
	}
}

func TestRefusedCartSaysWhyAtEachLineAndKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	ids := productIDs(t, pagestest.Text(t, b.Get(pagestest.Shop)))
	for _, c := range []struct{ typed, message string }{
		{"两箱", "数量应为 1 到 9999 的整数。"}, {"9999", "库存不足，请减少数量。"}, {"-1", "数量应为 1 到 9999 的整数。"},
	} {
		r := b.Post(pagestest.Shop+"/products", "quantity_"+ids[0], c.typed)
		pagestest.WantPage(t, r, http.StatusUnprocessableEntity, `value="`+c.typed+`"`, c.message,
			`href="#quantity-`+ids[0]+`"`, `aria-invalid="true"`)
	}
	for _, id := range ids[:3] {
		b.Post(pagestest.Shop+"/products", "quantity_"+id, "2")
	}
	form := cartForm(t, pagestest.Text(t, b.Get(pagestest.Shop+"/cart")))
	form.Set("action", "order")
	form.Set("note", "typed")
	form.Set("quantity_"+ids[2], "7")
	storetest.Exec(t, s.DB, "UPDATE products SET price = price + 100 WHERE id = "+ids[0])
	storetest.Exec(t, s.DB, "UPDATE products SET stock = 1 WHERE id = "+ids[1])
	page := pagestest.WantPage(t, b.Do(http.MethodPost, pagestest.Shop+"/cart", form), http.StatusUnprocessableEntity,
		"仅剩 1 ", "单价已从 ", ">typed</textarea>", `value="7"`)
	form = cartForm(t, page)
	form.Set("action", "order")
	form.Set("quantity_"+ids[1], "1")
	pagestest.WantRedirect(t, b.Do(http.MethodPost, pagestest.Shop+"/cart", form), "/home/orders")
	pagestest.WantPage(t, b.Post(pagestest.Shop+"/cart", "action", "order"), http.StatusUnprocessableEntity,
		"购物车是空的，没有可以提交的商品。")
}

func TestScriptsGetTheCartAsJSON(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	ids := productIDs(t, pagestest.Text(t, b.Get(pagestest.Shop)))
	post := func(typed string) (int, map[string]any) {
		t.Helper()
		r := b.Do(http.MethodPost, pagestest.Shop+"/products", url.Values{"quantity_" + ids[0]: {typed}},
			"Accept", "application/json")
		var answer map[string]any
		if err := json.Unmarshal([]byte(pagestest.Text(t, r)), &answer); err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, answer
	}
	status, answer := post("3")
	lines, _ := answer["lines"].(map[string]any)
	if status != http.StatusOK || answer["count"] != 1.0 || answer["counted"] != "购物车中有 1 种商品" ||
		answer["total"] != "¥98.40" || len(lines) != 1 {
		t.Errorf("%d %v", status, answer)
	}
	status, answer = post("9999")
	if status != http.StatusUnprocessableEntity || answer["message"] != "库存不足，请减少数量。" || answer["count"] != 1.0 {
		t.Errorf("%d %v", status, answer)
	}
}
