package signin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/signin"
)

func TestSignOutForgetsAnUnlinkedChatIdentity(t *testing.T) {
	s := pagestest.NewChatSite(t)
	for name, leaves := range map[string]func(b *pagestest.Browser){
		"signing out": func(b *pagestest.Browser) {
			pagestest.WantStatus(t, b.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
		},
		"signing out on another host": func(b *pagestest.Browser) {
			pagestest.WantStatus(t, b.Get(pagestest.ChatSite+"/login?done=signed_out"), http.StatusOK)
		},
		"somebody signing in": func(b *pagestest.Browser) { b.SignIn("store1001.portico.test", "13800000002") },
	} {
		b := s.BrowserWithAgent(pagestest.InWeChat)
		b.ProveAccountForLink("xiao", "13800000001")
		leaves(b)
		pagestest.WantRedirect(t, b.Get(pagestest.ChatSite+"/wechat/confirm"), "/wechat/link")
		pagestest.WantRedirect(t, b.Get(pagestest.ChatSite+"/wechat/link"), "/login")
		if _, left := b.Jar["store1001.portico.test"]["portico_flow"]; left && name != "somebody signing in" {
			t.Errorf("%s: the browser keeps its id", name)
		}
	}
}

func TestConfirmLinksOnlyTheAccountThatThePageShowed(t *testing.T) {
	b := pagestest.NewChatSite(t).BrowserWithAgent(pagestest.InWeChat)
	first := pagestest.HiddenFields(b.ProveAccountForLink("xiao", "13800000001"))
	second := b.ProveAccountForLink("lan", "13800000002")
	first.Set("action", "link")
	pagestest.WantRedirect(t, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", first), "/wechat/confirm")
	form := pagestest.HiddenFields(second)
	form.Set("action", "link")
	r := b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form)
	if r.StatusCode != http.StatusSeeOther || b.Jar["store1001.portico.test"]["portico_session"] == nil {
		t.Errorf("%d %s", r.StatusCode, r.Header.Get("Location"))
	}
}

func TestBrowserWithoutItsCookieConfirmsChatSignIn(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	form := pagestest.HiddenFields(b.ProveAccountForLink("xiao", "13800000001"))
	form.Set("action", "link")
	pagestest.WantStatus(t, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form), http.StatusSeeOther)
	callback := b.CallbackAddress("xiao")

	lost := s.BrowserWithAgent(pagestest.InWeChat)
	lost.OldWebView = true // an old WebView
	page := pagestest.Text(t, lost.Get(callback))
	if !strings.Contains(page, "138****0001") {
		t.Fatal(page)
	}
	page = pagestest.Text(t, lost.Get(callback)) // a reload
	ask := pagestest.HiddenFields(page)
	if ask.Get("ask") == "" {
		t.Fatal(page)
	}
	pagestest.WantStatus(t, s.BrowserWithAgent(pagestest.InWeChat).Do(http.MethodPost,
		pagestest.ChatSite+"/wechat/continue", ask),
		http.StatusSeeOther)
	other := s.BrowserWithAgent(pagestest.InWeChat)
	other.Do(http.MethodPost, pagestest.ChatSite+"/wechat/continue", ask)
	if other.Jar["store1001.portico.test"]["portico_session"] != nil {
		t.Error("the question is answered in another browser")
	}
	forged := url.Values{"ask": {ask.Get("ask")}, "action": {"continue"}}
	pagestest.WantStatus(t, lost.Do(http.MethodPost, pagestest.ChatSite+"/wechat/continue", forged),
		http.StatusForbidden)
	pagestest.WantStatus(t, lost.Do(http.MethodPost, pagestest.ChatSite+"/wechat/continue", ask), http.StatusSeeOther)
	if lost.Jar["store1001.portico.test"]["portico_session"] == nil {
		t.Error("the browser itself does not come in")
	}
	lost.OldWebView = false
	pagestest.WantStatus(t, lost.Post(pagestest.ChatSite+"/logout"), http.StatusSeeOther)
	lost.Do(http.MethodPost, pagestest.ChatSite+"/wechat/continue", ask) // by the back button
	if lost.Jar["store1001.portico.test"]["portico_session"] != nil {
		t.Error("after signing out the question signs in again")
	}
}

func TestHeadRequestBeginsNoChatSignIn(t *testing.T) {
	s := pagestest.NewChatSite(t)
	b := s.BrowserWithAgent(pagestest.InWeChat)
	callback := b.CallbackAddress("xiao")
	before := s.DumpWithoutSessions()
	for _, address := range []string{pagestest.ChatSite + "/wechat", pagestest.ChatSite + "/wechatpro", callback} {
		pagestest.WantStatus(t, b.Do(http.MethodHead, address, nil), http.StatusMethodNotAllowed)
	}
	if s.DumpWithoutSessions() != before {
		t.Error("something was written")
	}
	pagestest.WantRedirect(t, b.Get(callback), "/wechat/link")
}

func TestUpTo400BytesOfWhatAProviderSaysAreShown(t *testing.T) {
	s := pagestest.NewChatSite(t)
	for length, isShown := range map[int]bool{400: true, 401: false} {
		b, said := s.Browser(), strings.Repeat("x", length)
		b.Jar["store1001.portico.test"] = map[string]*http.Cookie{"portico_done": {
			Name: "portico_done", Value: "detail." + said,
		}}
		page := pagestest.Text(t, b.Get(pagestest.ChatSite+"/jumperror?reason=wechat_failed&by=wechat"))
		if strings.Contains(page, said) != isShown {
			t.Errorf("%d bytes: shown is %t", length, !isShown)
		}
	}
}

func TestWeComBrowserGetsTheFormWhenItsNetworkIsRateLimited(t *testing.T) {
	b := pagestest.NewChatSite(t).BrowserWithAgent(strings.Replace(pagestest.InWeChat, "MicroMessenger/",
		"wxwork/4.1.30 MicroMessenger/", 1))
	for range signin.Authorisations {
		if r := b.Get(pagestest.ChatSite + "/wechatpro"); !strings.HasPrefix(r.Header.Get("Location"),
			"https://provider.test/") {
			t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Location"))
		}
	}
	r, at := b.Follow(b.Get(pagestest.ChatSite+"/wechatpro"), pagestest.ChatSite+"/wechatpro")
	if page := pagestest.Text(t, r); r.StatusCode != http.StatusOK || at != pagestest.ChatSite+"/login?done=wecom" ||
		!strings.Contains(page, `name="password"`) {
		t.Errorf("%d %s", r.StatusCode, at)
	}
}
