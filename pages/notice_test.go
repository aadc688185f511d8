package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/onboarding"
)

// wantSaidOnce checks that the page where a person arrives says a notice, and that no other page says it again.
func (b *browser) wantSaidOnce(answer *http.Response, from, notice string) {
	b.t.Helper()
	at := b.arrivesAt(answer, from)
	if page := b.lastPage; !strings.Contains(page, notice) {
		b.t.Errorf("%s does not say %q", at, notice)
	}
	if page := text(b.t, b.get(at)); strings.Contains(page, notice) {
		b.t.Errorf("%s says %q again", at, notice)
	}
}

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
			s := newChatSite(t)
			b := s.inApp(inWeChat)
			b.get(asking(chatHost+"/login", back) + "&lang=" + lang)
			b.wantSaidOnce(b.links("xiao", phone), chatHost, notices[0])
			wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)
			b.wantSaidOnce(b.comesBack("xiao"), chatHost, notices[1])
		}
	}
}

func TestTheNoticeOfAChatAppIsSaidOnAPageOfTheAccountSiteWhereThePersonChooses(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(inWeChat)
	begin := func() string {
		t.Helper()
		to, err := b.get(account + "/wechat").Location()
		noErr(t, err)
		return account + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
	}
	b.get(begin())
	b.post(account+"/wechat/link", "phone", "13800000003", "password", onboarding.DemoPassword)
	form := hiddenFields(text(t, b.get(account+"/wechat/confirm")))
	form.Set("action", "link")
	r := b.do(http.MethodPost, account+"/wechat/confirm", form)
	b.wantSaidOnce(r, account, "微信已关联。")
	wantStatus(t, b.post(account+"/logout"), http.StatusSeeOther)
	b.wantSaidOnce(b.get(begin()), account, "微信授权成功。")

	b.arrivesAt(b.post(account+"/company", "company_id", "1002"), account) // what was said stays said
	if strings.Contains(b.lastPage, "授权成功") {
		t.Error("it is said twice")
	}
	if !strings.Contains(b.lastPage, "Ha entrado") {
		t.Error("entering is not said")
	}
}

func TestASignInByWeComSaysThatItAuthorised(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(workChatAgent)
	state := func() string {
		t.Helper()
		to, err := b.get(chatHost + "/wechatpro").Location()
		noErr(t, err)
		return to.Query().Get("state")
	}
	b.get(chatHost + "/wechatpro?code=wang&state=" + state())
	b.post(chatHost+"/wechat/link", "phone", "13800000001", "password", onboarding.DemoPassword)
	form := hiddenFields(text(t, b.get(chatHost+"/wechat/confirm")))
	form.Set("action", "link")
	b.wantSaidOnce(b.do(http.MethodPost, chatHost+"/wechat/confirm", form), chatHost, "企业微信已关联。")
	b.post(chatHost + "/logout")
	b.wantSaidOnce(b.get(chatHost+"/wechatpro?code=wang&state="+state()), chatHost, "企业微信授权成功。")
}
