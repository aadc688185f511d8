package pages_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheBankAccountIsSetAndShownOnlyToItsCustomers(t *testing.T) {
	s := newSite(t, options{})
	admin, buyer := s.within("13800000002"), s.within("13800000001")
	path := settings + "/bank"
	shop := "http://store1001.portico.test/home"
	order := shop + "/orders/" + found(t, text(t, buyer.get(shop+"/orders")), `href="/home/orders/(\d+)"`)
	if strings.Contains(text(t, buyer.get(order)), "付款至") {
		t.Error("there is an account to pay to before it is set")
	}
	wantPage(t, admin.get(settings), http.StatusOK, `href="/mgr/settings/bank"`)
	wantPage(t, admin.get(path), http.StatusOK, "收款账户", `inputmode="numeric"`, `data-island="digits"`)
	wantPage(
		t,
		admin.post(path, "bank_holder", "金穗", "bank_name", "", "bank_card", "6222 x"),
		http.StatusUnprocessableEntity,
		`href="#bank_name"`,
		`href="#bank_card"`,
		`value="金穗"`,
		`value="6222 x"`,
		"12 至 19 位数字",
	)
	switched := wantPage(
		t,
		admin.post(path, "bank_holder", "金穗", "bank_card", "6222", "lang", "es"),
		http.StatusOK,
		"Cuenta de cobro",
		`value="金穗"`,
		`value="6222"`,
	)
	if strings.Contains(switched, `class="note bad"`) {
		t.Error("a switch of the language is refused")
	}
	admin.post(path, "lang", "zh")
	wantTo(
		t,
		admin.post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222-0000 00000001"),
		"/mgr/settings/bank?done=saved",
	)
	wantPage(t, admin.get(path+"?done=saved"), http.StatusOK, "已保存。", `value="6222 0000 0000 0001"`)
	if list := wantPage(t, admin.get(settings), http.StatusOK, "示例银行 •••• 0001"); strings.Contains(list, "6222") {
		t.Error("the list shows the whole number")
	}
	wantPage(t, buyer.get(order), http.StatusOK, "付款至", "示例银行", "6222 0000 0000 0001", "复制卡号")
	wantPage(t, admin.get(office+"/audit"), http.StatusOK, "设置收款账户: •••• 0001")
	if strings.Contains(text(t, admin.get(office+"/audit")), "6222") {
		t.Error("the number is in the audit log")
	}
	wantPage(
		t,
		s.named("northwind").get("http://store1003.portico.test/mgr/settings/bank"),
		http.StatusOK,
		`name="bank_card"`,
		`value=""`,
	)
	wantTo(t, admin.post(path, "bank_holder", "", "bank_name", "", "bank_card", ""), "/mgr/settings/bank?done=saved")
	if strings.Contains(text(t, buyer.get(order)), "付款至") {
		t.Error("it is still shown")
	}
}

func TestTheSecondEditorOfTheBankAccountSeesThatItChanged(t *testing.T) {
	s := newSite(t, options{})
	first, second := s.within("13800000002"), s.within("13800000002")
	path := settings + "/bank"
	seen := fieldOf(t, text(t, second.get(path)), "seen")
	wantTo(
		t,
		first.post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222000000000001", "seen", seen),
		"/mgr/settings/bank?done=saved",
	)
	again := wantPage(
		t,
		second.post(path, "bank_holder", "金穗", "bank_name", "示例银行", "bank_card", "6222000000000002", "seen", seen),
		http.StatusUnprocessableEntity,
		"收款账户已被其他人修改",
		`value="6222 0000 0000 0002"`,
		"已保存的内容",
		"<dd>6222 0000 0000 0001</dd>",
	)
	wantPage(t, first.get(path), http.StatusOK, `value="6222 0000 0000 0001"`)
	wantTo(
		t,
		second.post(
			path,
			"bank_holder",
			"金穗",
			"bank_name",
			"示例银行",
			"bank_card",
			"6222000000000002",
			"seen",
			fieldOf(t, again, "seen"),
		),
		"/mgr/settings/bank?done=saved",
	)
}

func TestPullingDownRefreshesCompaniesAndOrdersAndKeepsTheForm(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.post("http://account.portico.test/login", "phone", "13800000003", "password", "Demo2026")
	page := wantPage(
		t,
		b.get("http://account.portico.test/company"),
		http.StatusOK,
		`data-island="pull"`,
		`href="/company?all=1"`,
		`name="default" value="1" form="choose"`,
	)
	if pulled := strings.Index(page, `class="pulled"`); pulled < strings.Index(page, `name="default"`) ||
		pulled > strings.Index(page, `id="choose"`) {
		t.Error("a refresh would lose what is ticked, or does not bring the companies")
	}
	wantPage(
		t,
		s.within("13800000002").get(office+"/orders"),
		http.StatusOK,
		`data-island="pull"`,
		`href="/mgr/orders"`,
		"下拉刷新",
		`data-island="submenu"`,
	)
}
