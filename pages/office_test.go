package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/onboarding"
)

const office = "http://store1001.portico.test/mgr"

func TestTheOfficeShowsWhatWaitsAndConfirmsAnOrder(t *testing.T) {
	s := newSite(t, options{})
	buyer := s.within("13800000001")
	product := found(t, text(t, buyer.get(shop)), `name="product_id" value="(\d+)"`)
	wantStatus(t, buyer.post(shop+"/orders", "product_id", product, "quantity", "2"), http.StatusSeeOther)
	b := s.within("13800000002")
	page := text(t, b.get(office))
	waiting := found(t, page, `<strong class="waiting">(\d+)</strong>`)
	href := found(t, page, `href="(/mgr/orders/\d+)"`)
	for _, want := range []string{"待确认订单", "芳华便利店", "¥65.60", "陈静，您好", "jinsui", "系统初始化"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	order := "http://store1001.portico.test" + href
	wantPage(t, b.get(order), http.StatusOK, "芳华便利店", "王芳", `value="confirm"`)
	wantStatus(t, b.post(order, "action", "erase"), http.StatusBadRequest)
	s.clock = s.clock.Add(10 * time.Minute)
	for range 2 {
		wantTo(t, b.post(order, "action", "confirm"), href+"?done=confirmed")
	}
	confirmed := text(t, b.get(order+"?done=confirmed"))
	for _, want := range []string{`role="status" data-island="toast" data-load="more">订单`, "已确认", "确认人", "陈静", `datetime="2026-10-01T16:10:00+08:00"`} {
		if !strings.Contains(confirmed, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(confirmed, `value="confirm"`) || strings.Contains(text(t, b.get(office)), `<strong class="waiting">`+waiting+`</strong>`) {
		t.Error("it can be confirmed again, or still waits")
	}
	wantPage(t, buyer.get("http://store1001.portico.test/home/orders"), http.StatusOK, "已确认")
	wantPage(t, b.get(office+"/orders"), http.StatusOK, "订单", href)
	wantPage(t, b.get(office+"/customers"), http.StatusOK, "芳华便利店", "合作已终止", "家客户")

}

func TestAnOrderOfAnotherCompanyIsNotFound(t *testing.T) {
	s := newSite(t, options{})
	href := found(t, text(t, s.within("13800000002").get(office)), `href="(/mgr/orders/\d+)"`)
	b := s.browser()
	landed, _ := b.follow(b.post("http://account.portico.test/login/account", "login", "trial", "password", onboarding.DemoPassword), "http://account.portico.test/login/account")
	wantStatus(t, landed, http.StatusOK)
	wantStatus(t, b.get("http://store1008.portico.test"+href), http.StatusNotFound)
	wantStatus(t, b.post("http://store1008.portico.test"+href, "action", "confirm"), http.StatusNotFound)
}

func TestATrialTellsItsDaysAndWhomToCallForRenewal(t *testing.T) {
	s := newSite(t, options{})
	for login, told := range map[string]bool{"trial": true, "trial.shop": false} { // customers cannot renew anything
		b := s.browser()
		landed, _ := b.follow(b.post("http://account.portico.test/login/account", "login", login, "password", onboarding.DemoPassword), "http://account.portico.test/login/account")
		page := text(t, landed)
		if strings.Contains(page, "剩 12 天") != told || strings.Contains(page, `href="tel:13700000099"`) != told {
			t.Errorf("%s is told %v:\n%s", login, !told, page)
		}
	}
}

func TestAdministratorsClearTheSamplesAndEmployeesDoNot(t *testing.T) {
	s := newSite(t, options{})
	settings := office + "/settings/initialisation"
	buyer := s.within("13800000001")
	product := found(t, text(t, buyer.get(shop)), `name="product_id" value="(\d+)"`)
	wantStatus(t, buyer.post(shop+"/orders", "product_id", product, "quantity", "2"), http.StatusSeeOther)

	employee := s.browser()
	employee.follow(employee.post("http://account.portico.test/login/account", "login", "li.manager", "password", onboarding.DemoPassword), "http://account.portico.test/login/account")
	page := text(t, employee.get(office))
	if !strings.Contains(page, "李伟，您好") || strings.Contains(page, "settings/initialisation") {
		t.Errorf("not the employee's page:\n%s", page)
	}
	wantStatus(t, employee.get(settings), http.StatusForbidden)
	wantStatus(t, employee.post(settings, "action", "clear_samples"), http.StatusForbidden)

	b := s.within("13800000002")
	wantPage(t, b.get(settings), http.StatusOK, "将清除", "将保留", "东北长粒香米", "大米", `value="clear_samples"`)
	wantStatus(t, b.post(settings, "action", "other"), http.StatusBadRequest)
	wantTo(t, b.post(settings, "action", "clear_samples"), "/mgr/settings/initialisation?done=cleared")
	after := text(t, b.get(settings+"?done=cleared"))
	if !strings.Contains(after, "示例数据已清除。") || !strings.Contains(after, "没有可以清除的示例数据。") || !strings.Contains(after, "东北长粒香米") || strings.Contains(after, `value="clear_samples"`) {
		t.Error(after)
	}
	if rest := text(t, buyer.get(shop)); !strings.Contains(rest, "东北长粒香米") || strings.Contains(rest, "东北珍珠米") {
		t.Error("more or less was cleared than said")
	}
}

func TestAShopWithoutGoodsSaysSo(t *testing.T) {
	s := newSite(t, options{})
	wantTo(t, s.within("13800000002").post(office+"/settings/initialisation", "action", "clear_samples"), "/mgr/settings/initialisation?done=cleared")
	b := s.within("13800000001")
	wantPage(t, b.get(shop), http.StatusOK, "这里还没有商品。", "金穗粮油上架商品后")
	wantPage(t, b.get(shop+"/orders"), http.StatusOK, "还没有订单。", "查看商品")
}
