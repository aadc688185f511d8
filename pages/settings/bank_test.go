package settings_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

func TestBankAccountIsShownOnlyToTheCompanysCustomers(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin, buyer := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000001")
	path := pagestest.Settings + "/bank"
	shop := "http://store1001.portico.test/home"
	order := shop + "/orders/" + pagestest.FindIn(t, pagestest.Text(t, buyer.Get(shop+"/orders")),
		`href="/home/orders/(\d+)"`)
	if strings.Contains(pagestest.Text(t, buyer.Get(order)), "付款至") {
		t.Error("the order shows a bank account before one is set")
	}
	pagestest.WantPage(t, admin.Get(pagestest.Settings), http.StatusOK, `href="/mgr/settings/bank"`)
	pagestest.WantPage(t, admin.Get(path), http.StatusOK, "收款账户", `inputmode="numeric"`, `data-island="digits"`)
	pagestest.WantPage(
		t,
		admin.Post(path, "bank_holder", "金穗", "bank_name", "", "bank_card", "6222 x"),
		http.StatusUnprocessableEntity,
		`href="#bank_name"`,
		`href="#bank_card"`,
		`value="金穗"`,
		`value="6222 x"`,
		"12 至 19 位数字",
	)
	switched := pagestest.WantPage(
		t,
		admin.Post(path, "bank_holder", "金穗", "bank_card", "6222", "lang", "es"),
		http.StatusOK,
		"Cuenta de cobro",
		`value="金穗"`,
		`value="6222"`,
	)
	if strings.Contains(switched, `class="note bad"`) {
		t.Error("a switch of the language is refused")
	}
	admin.Post(path, "lang", "zh")
	pagestest.WantRedirect(
		t,
		admin.Post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222-0000 00000001"),
		"/mgr/settings/bank?done=saved",
	)
	pagestest.WantPage(t, admin.Get(path+"?done=saved"), http.StatusOK, "已保存。", `value="6222 0000 0000 0001"`)
	number := regexp.MustCompile(`\b6222`) // not within a token
	if list := pagestest.WantPage(t, admin.Get(pagestest.Settings), http.StatusOK,
		"示例银行 •••• 0001"); number.MatchString(list) {
		t.Error("the list shows the whole number")
	}
	pagestest.WantPage(t, buyer.Get(order), http.StatusOK, "付款至", "示例银行", "6222 0000 0000 0001", "复制卡号")
	pagestest.WantPage(t, admin.Get(pagestest.Office+"/audit"), http.StatusOK, "设置收款账户: •••• 0001")
	if number.MatchString(pagestest.Text(t, admin.Get(pagestest.Office+"/audit"))) {
		t.Error("the number is in the audit log")
	}
	pagestest.WantPage(
		t,
		s.SignInByName("northwind").Get("http://store1003.portico.test/mgr/settings/bank"),
		http.StatusOK,
		`name="bank_card"`,
		`value=""`,
	)
	pagestest.WantRedirect(t, admin.Post(path, "bank_holder", "", "bank_name", "", "bank_card", ""),
		"/mgr/settings/bank?done=saved")
	if strings.Contains(pagestest.Text(t, buyer.Get(order)), "付款至") {
		t.Error("the removed bank account is still shown")
	}
}

func TestConflictingBankAccountChangeIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	first, second := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000002")
	path := pagestest.Settings + "/bank"
	seen := pagestest.FieldValue(t, pagestest.Text(t, second.Get(path)), "seen")
	pagestest.WantRedirect(
		t,
		first.Post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222000000000001", "seen", seen),
		"/mgr/settings/bank?done=saved",
	)
	again := pagestest.WantPage(
		t,
		second.Post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222000000000002", "seen", seen),
		http.StatusUnprocessableEntity,
		"收款账户已被其他人修改",
		`value="6222 0000 0000 0002"`,
		"已保存的内容",
		"<dd>6222 0000 0000 0001</dd>",
	)
	pagestest.WantPage(t, first.Get(path), http.StatusOK, `value="6222 0000 0000 0001"`)
	pagestest.WantRedirect(
		t,
		second.Post(
			path,
			"bank_holder",
			"金穗",
			"bank_name",
			"示例银行",
			"bank_card",
			"6222000000000002",
			"seen",
			pagestest.FieldValue(t, again, "seen"),
		),
		"/mgr/settings/bank?done=saved",
	)
}

func TestPagesThatRefreshByPullingDown(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Post("http://account.portico.test/login", "phone", "13800000003", "password", "Demo2026")
	page := pagestest.WantPage(
		t,
		b.Get("http://account.portico.test/company"),
		http.StatusOK,
		`data-island="pull"`,
		`href="/company?all=1"`,
		`name="action" value="star"`,
	)
	if pulled := strings.Index(page, `class="pulled"`); pulled < 0 ||
		pulled > strings.Index(page, `name="company_id"`) {
		t.Error("a refresh does not bring the companies")
	}
	pagestest.WantPage(
		t,
		s.SignInByPhone("13800000002").Get(pagestest.Office+"/orders"),
		http.StatusOK,
		`data-island="pull"`,
		`href="/mgr/orders"`,
		"下拉刷新",
		`data-island="submenu"`,
	)
}
