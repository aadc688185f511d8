package onboarding_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/signin"
)

func TestWeComPageShowsProgressAndTheFormAfterAFailure(t *testing.T) {
	b := pagestest.NewChatSite(t).BrowserWithAgent(strings.Replace(pagestest.InWeChat, "MicroMessenger/",
		"wxwork/4.1.30 MicroMessenger/", 1))
	signingIn := pagestest.WantPage(t, b.Get(pagestest.ChatSite+"/login"), http.StatusOK,
		"正在通过企业微信登录…", `http-equiv="refresh"`, `href="/wechatpro"`)
	if strings.Contains(signingIn, `name="password"`) {
		t.Error("the form is shown while the person is being signed in")
	}
	for range signin.Authorisations {
		b.Get(pagestest.ChatSite + "/wechatpro")
	}
	failed, at := b.Follow(b.Get(pagestest.ChatSite+"/wechatpro"), pagestest.ChatSite+"/wechatpro")
	if at != pagestest.ChatSite+"/login?done=wecom" {
		t.Errorf("at %s", at)
	}
	form := pagestest.WantPage(t, failed, http.StatusOK, `name="password"`, `class="toast"`, `role="status"`)
	if strings.Contains(form, `http-equiv="refresh"`) {
		t.Error("the page tries again by itself")
	}
}

func TestRegistrationAndTrialShowTheirProgress(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	const entering, creating, initialising = `data-busy="正在进入…"`, `data-busy="正在创建企业…"`, `data-busy="正在准备…"`
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/experience"), http.StatusOK, entering)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/register"), http.StatusOK, creating)
	b.SignIn("account.portico.test", "13800000001")
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/experience", "industry", "118", "agree", "1"),
		"/experience/role")
	if page := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/experience/role"),
		http.StatusOK); strings.Count(page,
		entering) != 2 {
		t.Error("not both buttons have the text for entering")
	}
	const phone = "13911112222"
	b = s.Browser()
	b.Post(pagestest.AccountSite+"/register", "phone", phone, "action", "send_code")
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/register", "phone", phone, "code", s.LastCode(phone),
		"password",
		"Blauwal77",
		"name", "周洁", "company_name", "新丰商行", "agree", "1"), "/register/init?done=created")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/register/init?done=created"), http.StatusOK, "企业已创建",
		initialising)
	done := b.Post(pagestest.AccountSite+"/register/init", "industry", "118", "import", "1")
	to := done.Header.Get("Location")
	if !strings.HasPrefix(to, "/register/result?company=") {
		t.Fatalf("the result is not shown: %s", to)
	}
	result := pagestest.WantPage(t, b.Get(pagestest.AccountSite+to), http.StatusOK, "“新丰商行”创建成功，设置已完成。",
		"设置完成</li>", "粮油食品", "15")
	entered := b.SendForm(pagestest.AccountSite+"/company", pagestest.FormFields(t, result, "/company"))
	if to := entered.Header.Get("Location"); !strings.Contains(to, "/mgr?auth_code_=") {
		t.Error("the new company is not entered with one press", to)
	}
	// Once more, without a name, and with another person's company.
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/register/init", "industry", "118", "import", "1"),
		"/register/result?done=initialised")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/register/result"), http.StatusOK, "新丰商行")
	pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/register/result?company=1001"), "/company")
}
