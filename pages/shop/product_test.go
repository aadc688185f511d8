package shop_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/picturetest"
)

const list = pagestest.Office + "/products"

// tea are the fields of a product as they are typed.
var tea = []string{
	"name", "Green tea", "number", "T-7", "category", "Tea", "spec", "500 g", "unit", "tin", "price", "12.50", "stock",
	"40", "form", "one",
}

func TestOfficeAddsEditsAndSwitchesOffAProduct(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(list), http.StatusOK, "东北长粒香米", `href="/mgr/products/new"`, "在售")
	pagestest.WantPage(t, b.Get(list+"/new"), http.StatusOK, `name="icon"`, `list="category-options"`)
	var at string
	for range 2 { // the response was lost
		at = b.Post(list+"/new", tea...).Header.Get("Location")
		if !regexp.MustCompile(`^/mgr/products/\d+\?done=added$`).MatchString(at) {
			t.Fatalf("the form leads to %q", at)
		}
	}
	address := "http://store1001.portico.test" + strings.TrimSuffix(at, "?done=added")
	page := pagestest.WantPage(t, b.Get(address), http.StatusOK, `value="Green tea"`, `value="12.50"`, `value="T-7"`,
		`value="off"`)
	seen, stock := pagestest.FindIn(t, page, `name="seen" value="(\d+)"`), pagestest.FindIn(t, page,
		`name="seen_stock" value="(\d+)"`)
	edit := func(price string) *http.Response {
		return b.Post(address, append(tea[:10:10], "price", price, "stock", "40", "seen", seen, "seen_stock", stock)...)
	}
	pagestest.WantPage(t, edit("dear"), http.StatusUnprocessableEntity, `value="dear"`, "请输入单价", `href="#price"`)
	pagestest.WantRedirect(t, edit("13"), strings.TrimSuffix(at, "?done=added")+"?done=saved")
	pagestest.WantRedirect(t, edit("13"), strings.TrimSuffix(at, "?done=added")+"?done=saved")
	pagestest.WantPage(t, edit("14"), http.StatusUnprocessableEntity, `value="14"`, "13.00", "商品或库存已发生变化")
	pagestest.WantPage(t, b.Get(list+"?q=t-7"), http.StatusOK, "Green tea", "¥13.00")
	pagestest.WantRedirect(t, b.Post(address, "action", "off"), strings.TrimSuffix(at, "?done=added")+"?done=off")
	pagestest.WantPage(t, b.Get(list+"?state=off"), http.StatusOK, "Green tea", "已下架")
	if page := pagestest.Text(t, s.SignInByPhone("13800000001").Get(pagestest.Shop+"?q=green")); strings.Contains(page,
		"Green tea") {
		t.Error("the shop shows a product that is off")
	}
	pagestest.WantStatus(t, b.Post(address, "action", "burn"), http.StatusBadRequest)
	csv := pagestest.Text(t, b.Get(list+"/export.csv?q=green"))
	if !strings.Contains(csv, `"T-7","Green tea","Tea","500 g","tin","13.00","40","已下架"`) {
		t.Error(csv)
	}
}

func TestRefusedProductKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	page := pagestest.WantPage(t, b.Post(list+"/new", "name", "Tea", "price", "0", "stock", "many"),
		http.StatusUnprocessableEntity, `value="Tea"`, `value="many"`, "请输入单位，例如 箱、袋。", "库存应为 0 到 9,999,999 的整数。")
	if strings.Count(page, `aria-invalid="true"`) != 4 {
		t.Errorf("%d fields are marked", strings.Count(page, `aria-invalid="true"`))
	}
	b.Post(list+"/new", tea...)
	again := append(tea[:0:0], tea...)
	again[len(again)-1], again[3] = "two", "T-8"
	pagestest.WantPage(t, b.Post(list+"/new", again...), http.StatusUnprocessableEntity, `name="again" value="1"`,
		"您刚刚添加过同名的商品")
}

func TestPictureOfAProductIsShownToCustomers(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	send := func(file []byte) *http.Response {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for i := 0; i < len(tea); i += 2 {
			_ = form.WriteField(tea[i], tea[i+1])
		}
		part, _ := form.CreateFormFile("icon", "tea.png")
		_, _ = part.Write(file)
		_ = form.Close()
		return b.Send(list+"/new", form.FormDataContentType(), &body, int64(body.Len()))
	}
	pagestest.WantPage(t, send([]byte("text")), http.StatusUnprocessableEntity, `value="Green tea"`,
		`aria-describedby="icon-hint icon-msg"`)
	if at := send(picturetest.PNG(300, 200)).Header.Get("Location"); !strings.HasSuffix(at, "?done=added") {
		t.Fatalf("the form leads to %q", at)
	}
	found := s.SignInByPhone("13800000001").Get(pagestest.Shop + "?q=green")
	shop := pagestest.WantPage(t, found, http.StatusOK, "Green tea")
	src := pagestest.FindIn(t, shop, `src="(/product/[^"]+\.jpg)"`)
	r := b.Get("http://store1001.portico.test" + src)
	pagestest.WantStatus(t, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("%s", r.Header.Get("Content-Type"))
	}
}
