package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

func TestChoiceOfSidesSaysWhyASideIsBlocked(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000002") // an administrator without an ordering account
	page := pagestest.WantPage(t, b.Get("http://account.portico.test/enter"), http.StatusOK,
		`name="side" value="mgr"`, "您在这家企业没有订货账号")
	if strings.Contains(page, `name="side" value="shop"`) {
		t.Error("the mall can be chosen")
	}
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/enter", "side", "shop"), "/enter?company=1001")
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/enter", "side", "elsewhere"), "/company")
}

// A person who removed an account from the device is not told to ask the company for one.
func TestChoiceOfSidesSaysWhichAccountWasRemoved(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	page := pagestest.Text(t, b.Get("http://account.portico.test/accounts?all=1&manage=1"))
	_, form, found := strings.Cut(page, "li.manager")
	if !found {
		t.Fatal("li.manager is not in the list")
	}
	id := pagestest.FieldValue(t, form, "account_id")
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/accounts", "account_id", id, "action", "remove"),
		"/accounts?all=1&manage=1&done=forgotten")
	enter := "http://account.portico.test/enter?company=1001"
	page = pagestest.WantPage(t, b.Get(enter), http.StatusOK, `value="shop"`, "您已从这台设备移除这个账号")
	for _, wrong := range []string{`name="side" value="mgr"`, "您在这家企业没有"} {
		if strings.Contains(page, wrong) {
			t.Errorf("the page has %q", wrong)
		}
	}
	b.SignIn("account.portico.test", "13800000003")
	pagestest.WantPage(t, b.Get(enter), http.StatusOK, `name="side" value="mgr"`)
}

func TestTrialPagesShowPlatformSupport(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	call := `<a href="tel:4000000000">联系客服 400 000 0000</a>`
	for _, path := range []string{"/register", "/experience"} {
		pagestest.WantPage(t, s.Browser().Get("http://account.portico.test"+path), http.StatusOK, call)
	}
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000001")
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/experience", "industry", "118", "agree", "1"),
		"/experience/role")
	pagestest.WantPage(t, b.Get("http://account.portico.test/experience/role"), http.StatusOK, call)
}

func TestChoiceOfSidesSaysWhatWaits(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	enter := "http://account.portico.test/enter?company=1001"
	if page := pagestest.Text(t, b.Get(enter)); strings.Contains(page, "待确认") {
		t.Error("sample orders wait")
	}
	buyer := s.SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2"),
		http.StatusSeeOther)
	page := pagestest.WantPage(t, b.Get(enter), http.StatusOK, "个订单待确认")
	if shop, office, _ := strings.Cut(page, `value="mgr"`); strings.Contains(shop, "待确认") ||
		!strings.Contains(office, "待确认") {
		t.Error("the orders do not wait in the back office")
	}
}

// The account that was entered last is marked, except where accounts are removed.
func TestAccountsMarkTheOneUsedLast(t *testing.T) {
	const mark = "上次使用"
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	accounts := "http://account.portico.test/accounts?all=1"
	if page := pagestest.Text(t, b.Get(accounts)); strings.Contains(page, mark) {
		t.Error("an account is marked that was never entered")
	}
	b.EnterAccount("li.shop")
	page := pagestest.Text(t, b.Get(accounts))
	before, after, found := strings.Cut(page, mark)
	card := before[strings.LastIndex(before, "<form"):]
	if !found || strings.Contains(after, mark) || !strings.Contains(card, "li.shop") {
		t.Error("li.shop is not marked, or not alone")
	}
	if page := pagestest.Text(t, b.Get(accounts+"&manage=1")); strings.Contains(page, mark) {
		t.Error("the account is marked where accounts are removed")
	}
}

// A page that is a state says so to the style sheets, and shows the shop of the company on whose host it is. What was
// not found has a signpost instead.
func TestStatesShowTheShopOfTheirHost(t *testing.T) {
	const stated, signpost, logo = `<body class="stated brief">`, `>?</text>`, `class="logo"`
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantPage(t, b.Get("http://account.portico.test/nowhere"), http.StatusNotFound, stated, signpost)
	pagestest.WantPage(t, b.Get("http://account.portico.test/jumperror"), http.StatusOK, stated, logo)
	page := pagestest.WantPage(t, b.Get("http://store1001.portico.test/jumperror"), http.StatusOK, stated,
		`class="slats"`, `y="57">金</text>`)
	if strings.Contains(page, logo) || strings.Contains(page, signpost) {
		t.Error("an error on a company's host shows the platform's shop or a signpost")
	}
}
