package site_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

func TestTrialIsMentionedAndShowsAContactNearItsEnd(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	enter := func() string {
		b := s.Browser()
		landed, _ := b.Follow(b.Post("http://account.portico.test/login/account", "login", "trial", "password",
			onboarding.DemoPassword), "http://account.portico.test/login/account")
		return pagestest.Text(t, landed)
	}
	early := enter()
	if !strings.Contains(early, "试用还剩 12 天") || strings.Contains(early, "note warn") {
		t.Error("12 days before the end", early[strings.Index(early, "<main"):])
	}
	s.Clock = s.Clock.Add(7 * 24 * time.Hour)
	if late := enter(); !strings.Contains(late, "note warn") || !strings.Contains(late, "试用还剩 5 天") ||
		!strings.Contains(late, `href="tel:13700000099"`) {
		t.Error("5 days before the end", late[strings.Index(late, "<main"):])
	}
}

func TestSandboxLinksBothSides(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000001")
	const account = "http://account.portico.test"
	pagestest.WantRedirect(t, b.Post(account+"/experience", "industry", "118", "agree", "1"), "/experience/role")
	landed, at := b.Follow(b.Post(account+"/experience/role", "role", "shop", "industry", "118", "import", "1"),
		account+"/experience/role")
	pagestest.WantStatus(t, landed, http.StatusOK)
	if !strings.HasSuffix(at, "/home") {
		t.Fatal(at)
	}
	at, _, _ = strings.Cut(at, "?")
	page := pagestest.Text(t, b.Get(at))
	id := pagestest.FindIn(t, page, `href="http://account.portico.test/register\?sandbox=(\d+)"`)
	if !strings.Contains(page, "体验：订货商城") || !strings.Contains(page, "至 2026年10月8日") ||
		strings.Contains(page, "note warn") || strings.Contains(page, "试用还剩") {
		t.Error(page)
	}
	pagestest.WantPage(t, b.Get(at+"/orders"), http.StatusOK, "sandbox="+id, `value="switch"`)
	product := pagestest.FindIn(t, page, `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, b.Post(at+"/orders", "product_id", product, "quantity", "2"), http.StatusSeeOther)

	switched := b.Post(at, "action", "switch")
	if switched.Header.Get("Referrer-Policy") != "strict-origin" {
		t.Error("the auth code may leave in the Referer header")
	}
	landed, office := b.Follow(switched, at)
	pagestest.WantPage(t, landed, http.StatusOK, "体验：管理后台", "待确认订单")
	if want := "http://store" + id + ".portico.test/mgr"; office != want {
		t.Errorf("%s, want %s", office, want)
	}
	for path, want := range map[string]string{"/orders": "待确认", "/customers": "合作中",
		"/settings/initialisation": "清除示例数据"} {
		pagestest.WantPage(t, b.Get("http://store"+id+".portico.test/mgr"+path), http.StatusOK, want, `value="switch"`)
	}
	if strings.Contains(pagestest.Text(t, b.Get("http://store"+id+".portico.test/mgr")), "/register/init") {
		t.Error("a sandbox is to be set up")
	}
}

func TestCompanyOutsideTheSandboxDoesNotLinkTheOtherSide(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000001")
	if strings.Contains(pagestest.Text(t, b.Get(pagestest.Shop)), `value="switch"`) {
		t.Error("the page offers the other side")
	}
	// A form from a tab that was opened while the company was still a sandbox.
	pagestest.WantRedirect(t, b.Post(pagestest.Shop, "action", "switch"), pagestest.AccountSite+"/accounts?all=1")
}

func TestAdministratorIsAskedToInitialiseTheCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	if page := pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office)); strings.Contains(page,
		"/register/init") {
		t.Error("the page asks to initialise the company again")
	}
	const account, phone, password = "http://account.portico.test", "13911112222", "Blauwal77"
	b := s.Browser()
	b.Post(account+"/register", "phone", phone, "action", "send_code")
	r := b.Post(account+"/register", "phone", phone, "code", s.LastCode(phone), "password", password, "name", "周洁",
		"company_name", "新丰商行", "agree", "1")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	landed, _ := b.Follow(b.Post(account+"/login", "phone", phone, "password", password), account+"/login")
	pagestest.WantPage(t, landed, http.StatusOK, "周洁，您好", "新丰商行", "完成企业设置",
		`href="http://account.portico.test/register/init"`, "还没有订单。")
}
