package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/pages"
	"portico/pages/pagestest"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
)

func TestTitlesSayWhatAPageIsForOnSomePages(t *testing.T) {
	s := pagestest.NewChatSite(t)
	signed := s.Browser()
	signed.SignIn("account.portico.test", "13800000003")
	named := s.Browser()
	named.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	const store = "http://store1001.portico.test"
	wechat := s.BrowserWithAgent(pagestest.InWeChat)
	pagestest.WantRedirect(t, wechat.ReturnFromChatApp("xiao"), "/wechat/link")
	for _, c := range []struct {
		b           *pagestest.Browser
		page, title string
	}{
		{s.Browser(), pagestest.AccountSite + "/", "登录 - Portico 订货平台"},
		{s.Browser(), pagestest.AccountSite + "/login", "登录 - Portico 订货平台"},
		{s.Browser(), pagestest.AccountSite + "/register", "注册 - Portico 订货平台"},
		{s.Browser(), pagestest.AccountSite + "/experience", "体验 - Portico 订货平台"},
		{s.Browser(), store + "/", "登录 - 金穗粮油"},
		{s.Browser(), store + "/login", "登录 - 金穗粮油"},
		{s.Browser(), store + "/register", "注册 - 金穗粮油"},
		{s.Browser(), pagestest.OwnHost + "/login", "登录 - 金穗粮油"},
		// The company takes no applications.
		{s.Browser(), "http://store1003.portico.test/register?lang=zh", "注册 - Northwind Lighting"},
		{s.Browser(), store + "/login/account", "登录 - 金穗粮油"},
		{s.Browser(), store + "/login/code", "登录 - 金穗粮油"},
		{s.Browser(), store + "/register/more", "注册 - 金穗粮油"},
		{s.Browser(), store + "/register/complete", "注册 - 金穗粮油"},
		{s.Browser(), store + "/forget", "金穗粮油"},
		{s.Browser(), store + "/agreement", "金穗粮油"},
		{s.Browser(), store + "/jumperror", "金穗粮油"},
		{wechat, store + "/wechat/link", "关联您的微信 - 金穗粮油"},
		{s.Browser(), pagestest.AccountSite + "/register/more", "注册 - Portico 订货平台"},
		{s.Browser(), pagestest.AccountSite + "/no-such-page", "页面不存在 - Portico 订货平台"},
		{signed, pagestest.AccountSite + "/company", "Portico 订货平台"},
		{signed, pagestest.AccountSite + "/accounts", "选择账号 - Portico 订货平台"},
		{signed, pagestest.AccountSite + "/security", "账号与安全 - Portico 订货平台"},
		{signed, pagestest.AccountSite + "/password", "修改密码 - Portico 订货平台"},
		{named, pagestest.AccountSite + "/bind", "Portico 订货平台"},
	} {
		page := pagestest.Text(t, c.b.Get(c.page))
		if title := pagestest.FindIn(t, page, "<title>([^<]*)</title>"); title != c.title {
			t.Errorf("%s: %q, want %q", c.page, title, c.title)
		}
	}
	for lang, title := range map[string]string{"es": "Iniciar sesión - ", "en": "Sign in - "} {
		page := pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login?lang="+lang))
		if got := pagestest.FindIn(t, page, "<title>([^<]*)</title>"); !strings.HasPrefix(got, title) {
			t.Errorf("%s: %q", lang, got)
		}
	}
	page := pagestest.Text(t, s.Browser().Post(pagestest.AccountSite+"/login", "phone", ""))
	if title := pagestest.FindIn(t, page, "<title>([^<]*)</title>"); title != "登录 - Portico 订货平台" {
		t.Errorf("the refused form: %q", title)
	}
}

// TestEveryRouteHasTheTitleOfItsKind opens every page as the person who sees it.
func TestEveryRouteHasTheTitleOfItsKind(t *testing.T) {
	s := pagestest.NewChatSite(t)
	person := s.Browser()
	person.SignIn("account.portico.test", "13800000003")
	named := s.Browser()
	named.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	wechat := s.BrowserWithAgent(pagestest.InWeChat)
	to, err := wechat.Get(pagestest.AccountSite + "/wechat").Location()
	if err != nil {
		t.Fatal(err)
	}
	wechat.Get(pagestest.AccountSite + "/wechat/callback?code=xiao&state=" + to.Query().Get("state"))
	founder, tester := s.Browser(), s.Browser()
	founder.Post(pagestest.AccountSite+"/register", "phone", "13911112222", "action", "send_code")
	founder.Post(pagestest.AccountSite+"/register", "phone", "13911112222", "code", s.LastCode("13911112222"),
		"password", "Blauwal77", "name", "周洁", "company_name", "新丰商行", "agree", "1")
	tester.Post(pagestest.AccountSite+"/experience", "phone", "13911113333", "action", "send_code")
	tester.Post(pagestest.AccountSite+"/experience", "phone", "13911113333", "code", s.LastCode("13911113333"),
		"industry", "118", "agree", "1")
	boss, buyer := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000001")
	bossPhone, buyerPhone := s.SignInOnPhone("13800000002", "jinsui"), s.SignInOnPhone("13800000001", "buyer1")
	browsers := map[access.Site][]*pagestest.Browser{
		access.SiteAccount: {founder, tester, person, named, wechat, s.Browser()},
		access.SiteStore:   {boss, buyer}, access.SiteMobileMgr: {bossPhone}, access.SiteMobileShop: {buyerPhone},
	}
	origins := map[access.Site]string{
		access.SiteAccount: "http://account.portico.test", access.SiteStore: "http://store1001.portico.test",
		access.SiteMobileMgr: "http://mgr.portico.test", access.SiteMobileShop: "http://m.portico.test",
	}
	title := func(route pages.ShownRoute) (found string) {
		path := strings.NewReplacer("{isBind}", "1", "{type}", "phone", "{id}", "1").Replace(route.Path)
		for _, b := range browsers[route.Site] {
			r := b.Get(origins[route.Site] + path)
			if r.StatusCode == http.StatusSeeOther {
				continue
			}
			found = pagestest.FindIn(t, pagestest.Text(t, r), "<title>([^<]*)</title>")
			if r.StatusCode == http.StatusOK {
				break
			}
		}
		return found
	}
	for _, route := range s.Handler.(*pages.Pages).ShownRoutes() {
		if route.Screen == "" || route.Site != access.SiteAccount && !landingPath.MatchString(route.Path) {
			continue // no page, or one of the account site on another host
		}
		if route.Path == web.AcceptPath || route.Path == web.ConfirmPath {
			continue // shown only in the middle of a sign-in; their titles are those of forms
		}
		got, want := title(route), "^.+ - .+$"
		switch first := strings.Split(route.Path, "/")[1]; {
		case slices.Contains([]string{"/home", "/mgr", "/shop"}, route.Path),
			slices.Contains(SpecifiedRoutes, route.Path) && !slices.Contains([]string{"", "login", "register",
				"experience"}, first), first == "bind", first == "forget":
			want = "^[^-]+$"
		case first == "" || first == "login":
			want = "^登录 - "
		case first == "register":
			want = "^注册 - "
		case first == "experience":
			want = "^体验 - "
		}
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s on %s: %q, want %s", route.Path, route.Site, got, want)
		}
	}
}

// landingPath matches the paths of the landing sites.
var landingPath = regexp.MustCompile(`^/(home|mgr|shop)(/.*)?$`)

func TestBindPageSaysWhetherBindingIsRequired(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
		onboarding.DemoPassword), "/bind")
	for value, must := range map[string]bool{
		"": false, "/0": false, "/false": false, "/no": false, "/2": false, "/1": true, "/true": true,
	} {
		page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind"+value), http.StatusOK, `name="phone"`)
		if strings.Contains(page, `value="skip"`) == must {
			t.Errorf("/bind%s: skipping is offered: %t", value, !must)
		}
		skipped := b.Post(pagestest.AccountSite+"/bind"+value, "action", "skip")
		if went := strings.HasPrefix(skipped.Header.Get("Location"), "http://store1001."); went == must {
			t.Errorf("/bind%s: skipping leads to %s", value, skipped.Header.Get("Location"))
		}
	}
	pagestest.WantStatus(t, b.Get(pagestest.AccountSite+"/bind/1/2"), http.StatusNotFound)
}

func TestForgetPageResetsByPhoneOrAccountName(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for value, field := range map[string]string{
		"": "phone", "/phone": "phone", "/account": "login", "/other": "phone", "/0": "phone",
	} {
		pagestest.WantPage(t, s.Browser().Get(pagestest.AccountSite+"/forget"+value), http.StatusOK, `name="`+field+`"`)
	}
}

func TestCustomerFindsACompanyOnTheAccountSite(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	const at = pagestest.AccountSite + "/register/more"
	pagestest.WantPage(t, s.Browser().Get(at), http.StatusOK, "请从企业的注册链接申请", `name="site"`)
	pagestest.WantPage(t, s.Browser().Get(pagestest.AccountSite+"/register"), http.StatusOK, `href="/register/more"`)
	for typed, to := range map[string]string{
		"1001": "1001", " 1002 ": "1002", "store1003.portico.test": "1003",
		"http://store1001.portico.test/login": "1001",
		"store1001":                           "1001",
		"HTTP://STORE1001.portico.test:80/":   "1001", "jinsui.test": "1001", "https://jinsui.test/x?y=1": "1001",
	} {
		r := s.Browser().Post(at, "site", typed)
		pagestest.WantRedirect(t, r, "http://store"+to+".portico.test/register/more")
	}
	for typed, problem := range map[string]string{
		"": "请输入企业编号或网址。", "4711": "未找到这家企业", "evil.test": "未找到这家企业", "account.portico.test": "未找到这家企业",
		"金穗粮油": "未找到这家企业", "//": "未找到这家企业", "store4711": "未找到这家企业", "http://[": "未找到这家企业",
	} {
		page := pagestest.WantPage(t, s.Browser().Post(at, "site", typed), http.StatusUnprocessableEntity, problem)
		if typed != "" && !strings.Contains(page, `value="`+typed+`"`) {
			t.Errorf("%q is lost", typed)
		}
	}
	pagestest.WantPage(t, s.Browser().Post(at, "site", "1001", "lang", "en"), http.StatusOK, `value="1001"`,
		"Company number or address")

	b, refused := s.Browser(), 0 // the platform shows no list of its companies
	for id := range int64(2 * core.LookupLimit) {
		if r := b.Post(at, "site", pagestest.Decimal(100000+id)); r.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("companies can be guessed without end")
	}
	pagestest.WantRedirect(t, b.Post(at, "site", "1001"), "http://store1001.portico.test/register/more")
}

func TestSignInTabsFollowTheLastSignIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	const code, password, name = `href="/login/code"`, `href="/login"`, `href="/login/account"`
	tabs := func(b *pagestest.Browser, path string) []string {
		t.Helper()
		page := pagestest.Text(t, b.Get(pagestest.AccountSite+path))
		row := pagestest.FindIn(t, page, `<nav class="tabs"[^>]*>(.*?)</nav>`)
		return regexp.MustCompile(`href="[^"]*"`).FindAllString(row, -1)
	}
	phone := s.BrowserWithAgent(pagestest.PhoneAgent)
	for _, path := range []string{"/login", "/login/code", "/login/account", "/login?done=reset"} {
		for device, b := range map[string]*pagestest.Browser{"phone": phone, "desktop": s.Browser()} {
			if got := tabs(b, path); !slices.Equal(got, []string{password, code, name}) {
				t.Errorf("%s on a %s: %q", path, device, got)
			}
		}
	}
	b := s.Browser()
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login"), http.StatusOK, `name="password"`)
	b.Post(pagestest.AccountSite+"/login/code", "phone", "13800000001", "action", "send_code")
	b.Post(pagestest.AccountSite+"/login/code", "phone", "13800000001", "code", b.LastCode("13800000001"))
	b.Post(pagestest.AccountSite + "/logout")
	page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login"), http.StatusOK, `name="code"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("after a sign-in by code the page asks for the password")
	}
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login?by=password"), http.StatusOK, `name="password"`)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login/account"), http.StatusOK, `name="login"`)
	b.Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password", onboarding.DemoPassword)
	b.Post(pagestest.AccountSite + "/logout")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login"), http.StatusOK, `name="password"`)
}

func TestTradesLeadIntoTheirDemoFromThePlatformsOwnPageOnly(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	page := pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login"))
	doors := regexp.MustCompile(`href="(/experience\?industry=\d+)"`).FindAllStringSubmatch(page, -1)
	if len(doors) != 12 {
		t.Fatalf("%d doors", len(doors))
	}
	for _, door := range doors {
		_, id, _ := strings.Cut(door[1], "=")
		demo := pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+door[1]))
		chosen := pagestest.FindIn(t, demo, `<input type="radio" name="industry" value="(\d+)"[^>]* checked`)
		if chosen != id {
			t.Errorf("%s chooses %s", door[1], chosen)
		}
	}
	for _, wrong := range []string{"0", "x", "99999999999999999999", "-1", "118'--"} {
		pagestest.WantPage(t, s.Browser().Get(pagestest.AccountSite+"/experience?industry="+url.QueryEscape(wrong)),
			http.StatusOK, `name="industry"`)
	}
	page = pagestest.Text(t, s.Browser().Get("http://store1001.portico.test/login"))
	if strings.Contains(page, "industry=") || !strings.Contains(page, "金穗粮油") {
		t.Error("a company's page has the platform's doors")
	}
}
