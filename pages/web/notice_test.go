package web_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

func TestChatSignInShowsItsNoticeOnce(t *testing.T) {
	for lang, notices := range map[string][2]string{
		"zh": {"微信已关联。", "微信授权成功。"},
		"es": {"WeChat quedó vinculado.", "WeChat autorizó el acceso."},
		"en": {"WeChat is connected.", "Authorised by WeChat."},
	} {
		for phone, back := range map[string]string{
			"13800000001": "",             // enters the shop, on another host
			"13800000003": "/shop/orders", // a page of the shop
		} {
			s := pagestest.NewChatSite(t)
			b := s.BrowserWithAgent(pagestest.InWeChat)
			b.Get(withReturn(pagestest.ChatSite+"/login", back) + "&lang=" + lang)
			wantNoticeOnce(b, b.LinkWeChat("xiao", phone), pagestest.ChatSite, notices[0])
			pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
			wantNoticeOnce(b, b.ReturnFromChatApp("xiao"), pagestest.ChatSite, notices[1])
		}
	}
}

func TestChatNoticeIsShownWhereThePersonChoosesACompany(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	begin := func() string {
		t.Helper()
		to, err := b.Get(pagestest.AccountSite + "/wechat").Location()
		fatalOnError(t, err)
		return pagestest.AccountSite + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
	}
	b.Get(begin())
	b.Post(pagestest.AccountSite+"/wechat/link", "phone", "13800000003", "password", onboarding.DemoPassword)
	form := pagestest.HiddenFields(pagestest.Text(t, b.Get(pagestest.AccountSite+"/wechat/confirm")))
	form.Set("action", "link")
	r := b.Do(http.MethodPost, pagestest.AccountSite+"/wechat/confirm", form)
	wantNoticeOnce(b, r, pagestest.AccountSite, "微信已关联。")
	pagestest.WantStatus(t, b.Post(pagestest.AccountSite+"/logout"), http.StatusSeeOther)
	wantNoticeOnce(b, b.Get(begin()), pagestest.AccountSite, "微信授权成功。")

	// The notice is not shown again after the next step.
	page, _ := lastPage(b, b.Post(pagestest.AccountSite+"/company", "company_id", "1002"), pagestest.AccountSite)
	if strings.Contains(page, "授权成功") {
		t.Error("the notice is shown twice")
	}
	if !strings.Contains(page, "Mariscos del Sur") {
		t.Error("the page does not name the company that was entered")
	}
}

func TestWeComSignInShowsItsNotice(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(weComAgent)
	state := func() string {
		t.Helper()
		to, err := b.Get(pagestest.ChatSite + "/wechatpro").Location()
		fatalOnError(t, err)
		return to.Query().Get("state")
	}
	b.Get(pagestest.ChatSite + "/wechatpro?code=wang&state=" + state())
	b.Post(pagestest.ChatSite+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword)
	form := pagestest.HiddenFields(pagestest.Text(t, b.Get(pagestest.ChatSite+"/wechat/confirm")))
	form.Set("action", "link")
	wantNoticeOnce(b, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form), pagestest.ChatSite, "企业微信已关联。")
	b.Post(pagestest.ChatSite + "/logout")
	wantNoticeOnce(b, b.Get(pagestest.ChatSite+"/wechatpro?code=wang&state="+state()), pagestest.ChatSite, "企业微信授权成功。")
}

// wantNoticeOnce fails the test unless the page where a person arrives after an answer shows a notice, and does not
// show it when it is opened again.
func wantNoticeOnce(b *pagestest.Browser, answer *http.Response, from, notice string) {
	b.T.Helper()
	page, at := lastPage(b, answer, from)
	if !strings.Contains(page, notice) {
		b.T.Errorf("%s does not show %q", at, notice)
	}
	if page := pagestest.Text(b.T, b.Get(at)); strings.Contains(page, notice) {
		b.T.Errorf("%s shows %q again", at, notice)
	}
}

func TestSignInByPasswordOrCodeIsSaidOnceOnArrival(t *testing.T) {
	const notice = "登录成功。"
	for name, signIn := range map[string]func(s *pagestest.Site, b *pagestest.Browser, phone string) *http.Response{
		"password": func(_ *pagestest.Site, b *pagestest.Browser, phone string) *http.Response {
			return b.Post(pagestest.AccountSite+"/login", "phone", phone, "password", onboarding.DemoPassword)
		},
		"code": func(s *pagestest.Site, b *pagestest.Browser, phone string) *http.Response {
			b.Post(pagestest.AccountSite+"/login/code", "phone", phone, "action", "send_code")
			return b.Post(pagestest.AccountSite+"/login/code", "phone", phone, "code", s.LastCode(phone))
		},
	} {
		for _, agent := range []string{pagestest.DesktopAgent, pagestest.PhoneAgent} {
			for phone, where := range map[string]string{
				"13800000001": "shop", "13800000002": "office", "13800000003": "choice of a company",
			} {
				s := pagestest.NewSite(t, pagestest.Options{})
				b := s.BrowserWithAgent(agent)
				t.Log(name, where, agent)
				wantNoticeOnce(b, signIn(s, b, phone), pagestest.AccountSite, notice)
			}
		}
	}
}

func TestPageThatOpensInPlaceOfARedirectSaysOnceThatThePersonIsSignedIn(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	address := b.SignIn("account.portico.test", "13800000002").Header.Get("Location")
	opened := b.Get(address, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "same-site")
	pagestest.WantPage(t, opened, http.StatusOK, "登录成功。")
	if again := pagestest.Text(t, b.Get(pagestest.Office)); strings.Contains(again, "登录成功。") {
		t.Error("the page says it again")
	}
}

func TestSignInByNameSaysItWhereAPhoneIsBound(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	pagestest.WantRedirect(t, r, "/bind")
	wantNoticeOnce(b, r, pagestest.AccountSite, "登录成功。")
}

func TestTrialSaysThatItIsEnteredAndInitialised(t *testing.T) {
	const phone = "13911112222"
	for _, role := range []string{"shop", "mgr"} {
		s := pagestest.NewSite(t, pagestest.Options{})
		b := s.Browser()
		b.Post(pagestest.AccountSite+"/experience", "phone", phone, "action", "send_code")
		pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/experience", "phone", phone, "code", s.LastCode(phone),
			"industry", "118", "agree", "1"), "/experience/role")
		enter := func(samples string) *http.Response {
			return b.Post(pagestest.AccountSite+"/experience/role", "role", role, "import", samples)
		}
		wantNoticeOnce(b, enter("0"), pagestest.AccountSite, "体验已开始。")
		wantNoticeOnce(b, enter("1"), pagestest.AccountSite, "示例数据已导入，体验已开始。")
		wantNoticeOnce(b, enter("1"), pagestest.AccountSite, "体验已开始。") // the samples are there already
	}
}
