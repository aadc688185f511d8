package office_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/assets"
	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

func TestOfficeShowsPendingWorkAndConfirmsAnOrder(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	buyer := s.SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2"),
		http.StatusSeeOther)
	b := s.SignInByPhone("13800000002")
	page := pagestest.Text(t, b.Get(pagestest.Office))
	waiting := pagestest.FindIn(t, page, `<strong class="num due">(\d+)</strong>`)
	href := pagestest.FindIn(t, page, `href="(/mgr/orders/\d+)"`)
	for _, want := range []string{"待确认订单", "芳华便利店", "¥65.60", "陈静，您好", "昨日此时", "清除示例数据"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	order := "http://store1001.portico.test" + href
	pagestest.WantPage(t, b.Get(order), http.StatusOK, "芳华便利店", "王芳", `value="confirm"`)
	pagestest.WantStatus(t, b.Post(order, "action", "erase"), http.StatusBadRequest)
	customer := pagestest.FindIn(t, pagestest.Text(t, b.Get(order)), `href="(/mgr/customers/\d+)"`)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+customer), http.StatusOK, "累计订货金额", "¥65.60",
		`href="`+href+`"`)
	s.Clock = s.Clock.Add(10 * time.Minute)
	for range 2 {
		pagestest.WantRedirect(t, b.Post(order, "action", "confirm"), href+"?done=confirmed")
	}
	confirmed := pagestest.Text(t, b.Get(order+"?done=confirmed"))
	for _, want := range []string{"已确认", "确认人", "操作记录", "陈静",
		`datetime="2026-10-01T16:10:00+08:00"`} {
		if !strings.Contains(confirmed, want) {
			t.Errorf("no %s", want)
		}
	}
	waits := `<strong class="num due">` + waiting + `</strong>`
	if strings.Contains(confirmed, `value="confirm"`) ||
		strings.Contains(pagestest.Text(t, b.Get(pagestest.Office)), waits) {
		t.Error("it can be confirmed again, or still waits")
	}
	pagestest.WantPage(t, buyer.Get("http://store1001.portico.test/home/orders"), http.StatusOK, "已确认")
	pagestest.WantPage(t, b.Get(pagestest.Office+"/orders"), http.StatusOK, "订单", href)
	pagestest.WantPage(t, b.Get(pagestest.Office+"/customers"), http.StatusOK, "芳华便利店", "合作已终止",
		`全部 <span class="num muted">7</span>`)

}

func TestOnlyTheBackOfficeLoadsItsStyleSheet(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	sheet, all := `<link rel="stylesheet" href="`+assets.OfficeURL, assets.OfficeStyle()
	end := all[len(all)-200:] // it begins with rules that other pages have, too
	b := s.SignInByPhone("13800000002")
	for _, path := range []string{"/orders", "/people", "/settings", "/audit"} {
		pagestest.WantPage(t, b.Get(pagestest.Office+path), http.StatusOK, sheet)
	}
	first := pagestest.Text(t, b.Get(pagestest.Office))
	if !strings.Contains(first, `<link rel="prefetch" href="`+assets.OfficeURL) {
		t.Error("the first page does not fetch the style sheet of the others")
	}
	buyer := s.SignInByPhone("13800000001")
	for path, page := range map[string]string{
		"/mgr":      first,
		"/register": pagestest.Text(t, s.Browser().Get("http://account.portico.test/register")),
		"/shop":     pagestest.Text(t, buyer.Get(pagestest.Shop)),
	} {
		if strings.Contains(page, sheet) || strings.Contains(page, end) {
			t.Errorf("%s has the style sheet of the back office", path)
		}
	}
}

func TestOrderOfAnotherCompanyIsNotFound(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	href := pagestest.FindIn(t, pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office)),
		`href="(/mgr/orders/\d+)"`)
	b := s.Browser()
	landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", "trial", "password",
		onboarding.DemoPassword), "http://account.portico.test/login/account")
	pagestest.WantStatus(t, landed, http.StatusOK)
	pagestest.WantStatus(t, b.Get("http://store1008.portico.test"+href), http.StatusNotFound)
	pagestest.WantStatus(t, b.Post("http://store1008.portico.test"+href, "action", "confirm"), http.StatusNotFound)
}

func TestTrialShowsRemainingDaysAndARenewalContact(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for login, shown := range map[string]bool{"trial": true, "trial.shop": false} { // customers cannot renew anything
		b := s.Browser()
		landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", login, "password",
			onboarding.DemoPassword), "http://account.portico.test/login/account")
		page := pagestest.Text(t, landed)
		if strings.Contains(page, "剩 12 天") != shown || strings.Contains(page, `href="tel:13700000099"`) != shown {
			t.Errorf("%s sees the contact: %v\n%s", login, !shown, page)
		}
	}
}

func TestOnlyAdministratorsClearSampleData(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	settings := pagestest.Office + "/settings/initialisation"
	buyer := s.SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2"),
		http.StatusSeeOther)

	employee := s.Browser()
	employee.Follow(employee.Post("http://account.portico.test/login/account", "login", "li.manager", "password",
		onboarding.DemoPassword), "http://account.portico.test/login/account")
	page := pagestest.Text(t, employee.Get(pagestest.Office))
	if !strings.Contains(page, "李伟，您好") || strings.Contains(page, "settings/initialisation") {
		t.Errorf("not the employee's page:\n%s", page)
	}
	pagestest.WantStatus(t, employee.Get(settings), http.StatusForbidden)
	pagestest.WantStatus(t, employee.Post(settings, "action", "clear_samples"), http.StatusForbidden)

	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(settings), http.StatusOK, "将清除", "将保留", "东北长粒香米", "大米", `value="clear_samples"`)
	pagestest.WantStatus(t, b.Post(settings, "action", "other"), http.StatusBadRequest)
	pagestest.WantRedirect(t, b.Post(settings, "action", "clear_samples"), "/mgr/settings/initialisation?done=cleared")
	after := pagestest.Text(t, b.Get(settings+"?done=cleared"))
	if !strings.Contains(after, "示例数据已清除。") || !strings.Contains(after, "没有可以清除的示例数据。") ||
		!strings.Contains(after, "东北长粒香米") || strings.Contains(after, `value="clear_samples"`) {
		t.Error(after)
	}
	if rest := pagestest.Text(t, buyer.Get(pagestest.Shop)); !strings.Contains(rest, "东北长粒香米") ||
		strings.Contains(rest, "东北珍珠米") {
		t.Error("the sample data was not cleared exactly")
	}
}

func TestShopWithoutProductsSaysSo(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	pagestest.WantRedirect(t, s.SignInByPhone("13800000002").Post(pagestest.Office+"/settings/initialisation", "action",
		"clear_samples"), "/mgr/settings/initialisation?done=cleared")
	b := s.SignInByPhone("13800000001")
	pagestest.WantPage(t, b.Get(pagestest.Shop), http.StatusOK, "这里还没有商品。", "金穗粮油上架商品后")
	pagestest.WantPage(t, b.Get(pagestest.Shop+"/orders"), http.StatusOK, "还没有订单。", "查看商品")
}
