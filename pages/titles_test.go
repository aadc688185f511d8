package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/limits"
	"portico/portal/onboarding"
)

func TestOnlyTheSignInRegisterAndExperiencePagesHaveATitlePrefix(t *testing.T) {
	s := newChatSite(t)
	signed := s.browser()
	signed.signIn("account.portico.test", "13800000003")
	named := s.browser()
	named.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	const store = "http://store1001.portico.test"
	wechat := s.inApp(inWeChat)
	wantRedirect(t, wechat.comesBack("xiao"), "/wechat/link")
	for _, c := range []struct {
		b           *browser
		page, title string
	}{
		{s.browser(), account + "/", "登录 - Portico 订货平台"},
		{s.browser(), account + "/login", "登录 - Portico 订货平台"},
		{s.browser(), account + "/register", "注册 - Portico 订货平台"},
		{s.browser(), account + "/experience", "体验 - Portico 订货平台"},
		{s.browser(), store + "/", "登录 - 金穗粮油"},
		{s.browser(), store + "/login", "登录 - 金穗粮油"},
		{s.browser(), store + "/register", "注册 - 金穗粮油"},
		{s.browser(), ownHost + "/login", "登录 - 金穗粮油"},
		{s.browser(), "http://store1003.portico.test/register?lang=zh", "注册 - Northwind Lighting"}, // registration is closed
		{s.browser(), store + "/login/account", "金穗粮油"},
		{s.browser(), store + "/login/code", "金穗粮油"},
		{s.browser(), store + "/register/more", "金穗粮油"},
		{s.browser(), store + "/register/complete", "金穗粮油"},
		{s.browser(), store + "/forget", "金穗粮油"},
		{s.browser(), store + "/agreement", "金穗粮油"},
		{s.browser(), store + "/jumperror", "金穗粮油"},
		{wechat, store + "/wechat/link", "金穗粮油"},
		{s.browser(), account + "/register/more", "Portico 订货平台"},
		{s.browser(), account + "/no-such-page", "Portico 订货平台"},
		{signed, account + "/company", "Portico 订货平台"},
		{signed, account + "/accounts", "Portico 订货平台"},
		{named, account + "/bind", "Portico 订货平台"},
	} {
		page := text(t, c.b.get(c.page))
		if title := found(t, page, "<title>([^<]*)</title>"); title != c.title {
			t.Errorf("%s: %q, want %q", c.page, title, c.title)
		}
	}
	for lang, title := range map[string]string{"es": "Iniciar sesión - ", "en": "Sign in - "} {
		page := text(t, s.browser().get(account+"/login?lang="+lang))
		if got := found(t, page, "<title>([^<]*)</title>"); !strings.HasPrefix(got, title) {
			t.Errorf("%s: %q", lang, got)
		}
	}
	page := text(t, s.browser().post(account+"/login", "phone", ""))
	if title := found(t, page, "<title>([^<]*)</title>"); title != "登录 - Portico 订货平台" {
		t.Errorf("the refused form: %q", title)
	}
}

func TestTheParameterOfBindSaysWhetherBindingIsADuty(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	wantTo(t, b.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword), "/bind")
	for value, must := range map[string]bool{
		"": false, "/0": false, "/false": false, "/no": false, "/2": false, "/1": true, "/true": true,
	} {
		page := wantPage(t, b.get(account+"/bind"+value), http.StatusOK, `name="phone"`)
		if strings.Contains(page, `value="skip"`) == must {
			t.Errorf("/bind%s: skipping is offered: %t", value, !must)
		}
		skipped := b.post(account+"/bind"+value, "action", "skip")
		if went := strings.HasPrefix(skipped.Header.Get("Location"), "http://store1001."); went == must {
			t.Errorf("/bind%s: skipping leads to %s", value, skipped.Header.Get("Location"))
		}
	}
	wantStatus(t, b.get(account+"/bind/1/2"), http.StatusNotFound)
}

func TestTheParameterOfForgetSaysWhatWasForgotten(t *testing.T) {
	s := newSite(t, options{})
	for value, field := range map[string]string{
		"": "phone", "/phone": "phone", "/account": "login", "/other": "phone", "/0": "phone",
	} {
		wantPage(t, s.browser().get(account+"/forget"+value), http.StatusOK, `name="`+field+`"`)
	}
}

func TestOnTheAccountSiteACustomerFindsTheCompanyToApplyTo(t *testing.T) {
	s := newSite(t, options{limits: true})
	const at = account + "/register/more"
	wantPage(t, s.browser().get(at), http.StatusOK, "请从企业的专属地址申请", `name="site"`)
	wantPage(t, s.browser().get(account+"/register"), http.StatusOK, `href="/register/more"`)
	for typed, to := range map[string]string{
		"1001": "1001", " 1002 ": "1002", "store1003.portico.test": "1003", "http://store1001.portico.test/login": "1001",
		"HTTP://STORE1001.portico.test:80/": "1001", "jinsui.test": "1001", "https://jinsui.test/x?y=1": "1001",
	} {
		r := s.browser().post(at, "site", typed)
		wantTo(t, r, "http://store"+to+".portico.test/register/more")
	}
	for typed, problem := range map[string]string{
		"": "请输入企业编号或网址。", "4711": "未找到这家企业", "evil.test": "未找到这家企业", "account.portico.test": "未找到这家企业",
		"金穗粮油": "未找到这家企业", "//": "未找到这家企业", "store1001": "未找到这家企业", "http://[": "未找到这家企业",
	} {
		page := wantPage(t, s.browser().post(at, "site", typed), http.StatusUnprocessableEntity, problem)
		if typed != "" && !strings.Contains(page, `value="`+typed+`"`) {
			t.Errorf("%q is lost", typed)
		}
	}
	wantPage(t, s.browser().post(at, "site", "1001", "lang", "en"), http.StatusOK, `value="1001"`, "Company number or address")

	b, refused := s.browser(), 0 // nobody lists the companies
	for id := range int64(2 * limits.LookupLimit) {
		if r := b.post(at, "site", decimal(100000+id)); r.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("companies can be guessed without end")
	}
	wantTo(t, b.post(at, "site", "1001"), "http://store1001.portico.test/register/more")
}
