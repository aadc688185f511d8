package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/chatapps"
	"portico/portal/onboarding"
	"portico/store"
)

const managerClosed = "微信管理端暂时关闭，请使用 App 登录。"

// newClosedSite is a platform whose management side is closed to WeChat, with a company's own applications.
func newClosedSite(t *testing.T) *site {
	t.Helper()
	return newSite(t, options{limits: true, providers: chatapps.Providers{
		WeChat: readsCodes{}, WeCom: readsCodes{}, ManagerClosed: true,
		Apps: []chatapps.ProviderApp{
			{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
			{Kind: store.WeChatOpen, ID: "wx00000000000000a2", Secret: "a-made-up-secret"},
			{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
		},
	}})
}

// links connects WeChat with the accounts of a phone and returns the answer.
func (b *browser) links(as, phone string) *http.Response {
	b.t.Helper()
	form := hiddenFields(b.proveLink(as, phone))
	form.Set("action", "link")
	return b.do(http.MethodPost, chatHost+"/wechat/confirm", form)
}

func TestAManagerWithoutAShopReadsThatWeChatIsClosedAndHowToSignIn(t *testing.T) {
	s := newClosedSite(t)
	for _, agent := range []string{inWeChat, desktopAgent} {
		b := s.inApp(agent)
		wantRedirect(t, b.comesBack("chen"), "/wechat/link")
		r := b.post(chatHost+"/wechat/link", "phone", "13800000002", "password", onboarding.DemoPassword)
		page := wantPage(t, r, http.StatusUnprocessableEntity, managerClosed, "用密码或验证码登录", `href="/login"`)
		if strings.Contains(page, "/mgr") {
			t.Error("the page leads to the back office")
		}
		byPassword := b.post(chatHost+"/login", "phone", "13800000002", "password", onboarding.DemoPassword)
		to, _ := b.follow(byPassword, chatHost+"/login")
		wantPage(t, to, http.StatusOK, "金穗粮油") // by password, in the same browser
	}
}

func TestASignInByWeChatShowsTheBackOfficeAsClosedAndEntersTheShop(t *testing.T) {
	s := newClosedSite(t)
	b := s.inApp(inWeChat)
	r := b.links("li", "13800000003") // the shop is the only account here that can be entered
	if at := r.Header.Get("Location"); !strings.HasPrefix(at, "http://m.portico.test/shop?") {
		t.Fatalf("%d %s", r.StatusCode, at)
	}
	page := wantPage(t, b.get(chatHost+"/accounts?all=1"), http.StatusOK, "微信管理端已关闭", managerClosed)
	manager, shop := decimal(s.account("li.manager").ID), decimal(s.account("li.shop").ID)
	if !strings.Contains(page, `value="`+shop+`"`) {
		t.Error("the shop cannot be chosen")
	}
	enter := func(id string) *http.Response {
		return b.post(chatHost+"/accounts", "account_id", id, "action", "enter")
	}
	wantPage(t, enter(manager), http.StatusUnprocessableEntity, managerClosed, "用密码或验证码登录")
	wantStatus(t, enter(shop), http.StatusSeeOther)
	r = b.post(chatHost+"/enter", "side", "mgr")
	wantPage(t, b.get(chatHost+r.Header.Get("Location")), http.StatusOK, managerClosed)
}

func TestNobodyRegistersByWeChatWhileItLeadsToNoBackOffice(t *testing.T) {
	s := newClosedSite(t)
	b := s.inApp(inWeChat)
	const host = "http://account.portico.test"
	to, err := b.get(host + "/wechat").Location()
	if err != nil {
		t.Fatal(err)
	}
	wantRedirect(t, b.get(host+"/wechat/callback?code=wang&state="+to.Query().Get("state")), "/wechat/link")
	for _, r := range []*http.Response{
		b.get(host + "/register/wechat"),
		b.post(host+"/register/wechat", "phone", "13911112222", "action", "send_code"),
	} {
		wantPage(t, r, http.StatusUnprocessableEntity, managerClosed, "用密码注册", `href="/register"`)
	}
	if s.lastCode("13911112222") != "" {
		t.Error("a code was sent")
	}
}
