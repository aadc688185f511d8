package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/chatlogin"
)

func TestWorkChatSaysThatItSignsInAndShowsTheFormWhenItFails(t *testing.T) {
	b := newChatSite(t).inApp(strings.Replace(inWeChat, "MicroMessenger/", "wxwork/4.1.30 MicroMessenger/", 1))
	signingIn := wantPage(t, b.get(chatHost+"/login"), http.StatusOK,
		"正在通过企业微信登录…", `http-equiv="refresh"`, `href="/wechatpro"`)
	if strings.Contains(signingIn, `name="password"`) {
		t.Error("the form is shown while the person is being signed in")
	}
	for range chatlogin.Authorisations {
		b.get(chatHost + "/wechatpro")
	}
	failed, at := b.follow(b.get(chatHost+"/wechatpro"), chatHost+"/wechatpro")
	if at != chatHost+"/login?done=wecom" {
		t.Errorf("at %s", at)
	}
	form := wantPage(t, failed, http.StatusOK, `name="password"`, `class="toast"`, `role="status"`)
	if strings.Contains(form, `http-equiv="refresh"`) {
		t.Error("the page tries again by itself")
	}
}

func TestEachStepOfATrialAndARegistrationSaysWhatIsBeingDone(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	const entering, creating, initialising = `data-busy="正在进入…"`, `data-busy="正在创建企业…"`, `data-busy="正在初始化…"`
	wantPage(t, b.get(account+"/experience"), http.StatusOK, entering)
	wantPage(t, b.get(account+"/register"), http.StatusOK, creating)
	b.signIn("account.portico.test", "13800000001")
	wantTo(t, b.post(account+"/experience", "industry", "118", "agree", "1"), "/experience/role")
	if page := wantPage(t, b.get(account+"/experience/role"), http.StatusOK); strings.Count(page, entering) != 2 {
		t.Error("not both sides say that they are being entered")
	}
	const phone = "13911112222"
	b = s.browser()
	b.post(account+"/register", "phone", phone, "action", "send_code")
	wantTo(t, b.post(account+"/register", "phone", phone, "code", s.lastCode(phone), "password", "Blauwal77",
		"name", "周洁", "company_name", "新丰商行", "agree", "1"), "/register/init?done=created")
	wantPage(t, b.get(account+"/register/init?done=created"), http.StatusOK, "企业已创建", initialising)
	done := b.post(account+"/register/init", "industry", "118", "import", "1")
	wantPage(t, b.get(account+done.Header.Get("Location")), http.StatusOK, "已初始化")
}
