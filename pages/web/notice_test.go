package web_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

func TestThePageAfterAChatAppSaysWhatItHasDone(t *testing.T) {
	for lang, notices := range map[string][2]string{
		"zh": {"微信已关联。", "微信授权成功。"},
		"es": {"WeChat quedó vinculado.", "Autorización de WeChat correcta."},
		"en": {"WeChat is connected.", "Authorised by WeChat."},
	} {
		for phone, back := range map[string]string{
			"13800000001": "",             // straight into the shop, on another host
			"13800000003": "/shop/orders", // a page of the shop
		} {
			s := pagestest.NewChatSite(t)
			b := s.InApp(pagestest.InWeChat)
			b.Get(Asking(pagestest.ChatHost+"/login", back) + "&lang=" + lang)
			b.WantSaidOnce(b.Links("xiao", phone), pagestest.ChatHost, notices[0])
			pagestest.WantStatus(t, b.Post(pagestest.ChatHost+"/logout"), http.StatusSeeOther)
			b.WantSaidOnce(b.ComesBack("xiao"), pagestest.ChatHost, notices[1])
		}
	}
}

func TestTheNoticeOfAChatAppIsSaidOnAPageOfTheAccountSiteWhereThePersonChooses(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.InApp(pagestest.InWeChat)
	begin := func() string {
		t.Helper()
		to, err := b.Get(pagestest.Account + "/wechat").Location()
		NoErr(t, err)
		return pagestest.Account + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
	}
	b.Get(begin())
	b.Post(pagestest.Account+"/wechat/link", "phone", "13800000003", "password", onboarding.DemoPassword)
	form := pagestest.HiddenFields(pagestest.Text(t, b.Get(pagestest.Account+"/wechat/confirm")))
	form.Set("action", "link")
	r := b.Do(http.MethodPost, pagestest.Account+"/wechat/confirm", form)
	b.WantSaidOnce(r, pagestest.Account, "微信已关联。")
	pagestest.WantStatus(t, b.Post(pagestest.Account+"/logout"), http.StatusSeeOther)
	b.WantSaidOnce(b.Get(begin()), pagestest.Account, "微信授权成功。")

	// what was said stays said
	b.ArrivesAt(b.Post(pagestest.Account+"/company", "company_id", "1002"), pagestest.Account)
	if strings.Contains(b.LastPage, "授权成功") {
		t.Error("it is said twice")
	}
	if !strings.Contains(b.LastPage, "Ha entrado") {
		t.Error("entering is not said")
	}
}

func TestASignInByWeComSaysThatItAuthorised(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.InApp(WorkChatAgent)
	state := func() string {
		t.Helper()
		to, err := b.Get(pagestest.ChatHost + "/wechatpro").Location()
		NoErr(t, err)
		return to.Query().Get("state")
	}
	b.Get(pagestest.ChatHost + "/wechatpro?code=wang&state=" + state())
	b.Post(pagestest.ChatHost+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword)
	form := pagestest.HiddenFields(pagestest.Text(t, b.Get(pagestest.ChatHost+"/wechat/confirm")))
	form.Set("action", "link")
	b.WantSaidOnce(b.Do(http.MethodPost, pagestest.ChatHost+"/wechat/confirm", form), pagestest.ChatHost, "企业微信已关联。")
	b.Post(pagestest.ChatHost + "/logout")
	b.WantSaidOnce(b.Get(pagestest.ChatHost+"/wechatpro?code=wang&state="+state()), pagestest.ChatHost, "企业微信授权成功。")
}
