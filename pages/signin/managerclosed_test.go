package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

const ManagerClosed = "微信管理端暂时关闭，请使用 App 登录。"

// newSiteWithClosedOffice returns a Site where WeChat does not sign in to the back office, because a company has its
// own chat application.
func newSiteWithClosedOffice(t *testing.T) *pagestest.Site {
	t.Helper()
	return pagestest.NewSite(t, pagestest.Options{Limits: true, Providers: signin.Providers{
		WeChat: pagestest.NameCodeProvider{}, WeCom: pagestest.NameCodeProvider{}, ManagerClosed: true,
		Apps: []signin.ProviderApp{
			{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
			{Kind: store.WeChatOpen, ID: "wx00000000000000a2", Secret: "a-made-up-secret"},
			{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
		},
	}})
}

func TestStaffWithoutAShopAreToldToSignInWithoutWeChat(t *testing.T) {
	s := newSiteWithClosedOffice(t)
	for _, agent := range []string{pagestest.InWeChat, pagestest.DesktopAgent} {
		b := s.BrowserWithAgent(agent)
		pagestest.WantRedirect(t, b.ReturnFromChatApp("chen"), "/wechat/link")
		r := b.Post(pagestest.ChatSite+"/wechat/link", "phone", "13800000002", "password", onboarding.DemoPassword)
		page := pagestest.WantPage(t, r, http.StatusUnprocessableEntity, ManagerClosed, "用密码或验证码登录", `href="/login"`)
		if strings.Contains(page, "/mgr") {
			t.Error("the page leads to the back office")
		}
		byPassword := b.Post(pagestest.ChatSite+"/login", "phone", "13800000002", "password", onboarding.DemoPassword)
		to, _ := b.Follow(byPassword, pagestest.ChatSite+"/login")
		pagestest.WantPage(t, to, http.StatusOK, "金穗粮油") // by password, in the same browser
	}
}

func TestWeChatSignInEntersTheShopAndShowsTheBackOfficeAsClosed(t *testing.T) {
	s := newSiteWithClosedOffice(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	r := b.LinkWeChat("li", "13800000003") // the shop is the only account here that can be entered
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "http://m.portico.test/shop?") {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	page := pagestest.WantPage(t, b.Get(pagestest.ChatSite+"/accounts?all=1"), http.StatusOK, "微信版后台已关闭", ManagerClosed)
	manager, shop := pagestest.Decimal(s.Account("li.manager").ID), pagestest.Decimal(s.Account("li.shop").ID)
	if !strings.Contains(page, `value="`+shop+`"`) {
		t.Error("the shop cannot be chosen")
	}
	enter := func(id string) *http.Response {
		return b.Post(pagestest.ChatSite+"/accounts", "account_id", id, "action", "enter")
	}
	pagestest.WantPage(t, enter(manager), http.StatusUnprocessableEntity, ManagerClosed, "用密码或验证码登录")
	pagestest.WantStatus(t, enter(shop), http.StatusSeeOther)
	r = b.Post(pagestest.ChatSite+"/enter", "side", "mgr")
	pagestest.WantPage(t, b.Get(pagestest.ChatSite+r.Header.Get("Location")), http.StatusOK, ManagerClosed)
}

func TestRegistrationByWeChatIsRefusedWhileTheBackOfficeIsClosedToIt(t *testing.T) {
	s := newSiteWithClosedOffice(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	const host = "http://account.portico.test"
	to, err := b.Get(host + "/wechat").Location()
	if err != nil {
		t.Fatal(err)
	}
	pagestest.WantRedirect(t, b.Get(host+"/wechat/callback?code=wang&state="+to.Query().Get("state")), "/wechat/link")
	for _, r := range []*http.Response{
		b.Get(host + "/register/wechat"),
		b.Post(host+"/register/wechat", "phone", "13911112222", "action", "send_code"),
	} {
		pagestest.WantPage(t, r, http.StatusUnprocessableEntity, ManagerClosed, "用密码注册", `href="/register"`)
	}
	if s.LastCode("13911112222") != "" {
		t.Error("a code was sent")
	}
}
