package pages_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/onboarding"
	"portico/store"
)

// inWeChat is the User-Agent of WeChat on an iPhone.
const inWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
	"Mobile/15E148 MicroMessenger/8.0.53(0x18003531)"

// readsCodes is a provider whose codes are the names of the people who sign in.
type readsCodes struct{}

func (readsCodes) AuthorizeURL(_ chatapps.ProviderApp, redirect, state string, _ chatapps.Scope) string {
	return "https://provider.test/?" + url.Values{"redirect": {redirect}, "state": {state}}.Encode()
}
func (readsCodes) NeedsToken() bool { return false }
func (readsCodes) Token(context.Context, chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (readsCodes) Ticket(
	context.Context, chatapps.ProviderApp, chatapps.TokenKind, string,
) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (readsCodes) Exchange(
	_ context.Context, _ chatapps.ProviderApp, _, code string,
) (chatapps.ProviderIdentity, error) {
	return chatapps.ProviderIdentity{Subject: code, Nick: code}, nil
}
func (readsCodes) Sign(string, string, int64, string) string { return "" }

func newChatSite(t *testing.T) *site {
	t.Helper()
	return newSite(
		t,
		options{
			limits: true,
			providers: chatapps.Providers{WeChat: readsCodes{}, WeCom: readsCodes{}, Apps: []chatapps.ProviderApp{
				{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
				{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
			}},
		},
	)
}

const chatHost = "http://store1001.portico.test"

// comesBack goes to the chat app and comes back as a person there.
func (b *browser) comesBack(as string, headers ...string) *http.Response {
	b.t.Helper()
	return b.get(b.callback(as), headers...)
}

func (b *browser) callback(as string) string {
	b.t.Helper()
	to, err := b.get(chatHost + "/wechat").Location()
	if err != nil {
		b.t.Fatal(err)
	}
	return chatHost + "/wechat/callback?" + url.Values{"code": {as}, "state": {to.Query().Get("state")}}.Encode()
}

// hiddenFields returns the hidden fields of a page's form.
func hiddenFields(page string) url.Values {
	form := url.Values{}
	field := regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)"`)
	for _, found := range field.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], found[2])
	}
	return form
}

// proveLink comes back from the chat app and proves an account, and returns the page that asks for confirmation.
func (b *browser) proveLink(as, phone string) (question string) {
	b.t.Helper()
	wantRedirect(b.t, b.comesBack(as), "/wechat/link")
	wantRedirect(
		b.t, b.post(chatHost+"/wechat/link", "phone", phone, "password", onboarding.DemoPassword), "/wechat/confirm",
	)
	return text(b.t, b.get(chatHost+"/wechat/confirm"))
}

func wantRedirect(t testing.TB, r *http.Response, to string) {
	t.Helper()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != to {
		t.Fatalf("%d to %q, want %q", r.StatusCode, r.Header.Get("Location"), to)
	}
}

func TestSigningOutDropsAChatIdentityThatIsNotConnected(t *testing.T) {
	s := newChatSite(t)
	for name, leaves := range map[string]func(b *browser){
		"signing out": func(b *browser) {
			wantStatus(t, b.post(chatHost+"/logout"), http.StatusSeeOther)
		},
		"signing out on another host": func(b *browser) {
			wantStatus(t, b.get(chatHost+"/login?done=signed_out"), http.StatusOK)
		},
		"somebody signing in": func(b *browser) { b.signIn("store1001.portico.test", "13800000002") },
	} {
		b := s.inApp(inWeChat)
		b.proveLink("xiao", "13800000001")
		leaves(b)
		wantRedirect(t, b.get(chatHost+"/wechat/confirm"), "/wechat/link")
		wantRedirect(t, b.get(chatHost+"/wechat/link"), "/login")
		if _, left := b.jar["store1001.portico.test"]["portico_flow"]; left && name != "somebody signing in" {
			t.Errorf("%s: the browser keeps its id", name)
		}
	}
}

func TestConfirmingCountsForTheAccountThatWasShown(t *testing.T) {
	b := newChatSite(t).inApp(inWeChat)
	first := hiddenFields(b.proveLink("xiao", "13800000001"))
	second := b.proveLink("lan", "13800000002")
	first.Set("action", "link")
	wantRedirect(t, b.do(http.MethodPost, chatHost+"/wechat/confirm", first), "/wechat/confirm")
	form := hiddenFields(second)
	form.Set("action", "link")
	r := b.do(http.MethodPost, chatHost+"/wechat/confirm", form)
	if r.StatusCode != http.StatusSeeOther || b.jar["store1001.portico.test"]["portico_session"] == nil {
		t.Errorf("%d %s", r.StatusCode, r.Header.Get("Location"))
	}
}

func TestABrowserThatLostItsCookieIsAskedBeforeItSignsIn(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(inWeChat)
	form := hiddenFields(b.proveLink("xiao", "13800000001"))
	form.Set("action", "link")
	wantStatus(t, b.do(http.MethodPost, chatHost+"/wechat/confirm", form), http.StatusSeeOther)
	callback := b.callback("xiao")

	lost := s.inApp(inWeChat)
	lost.bare = true // an old WebView
	page := text(t, lost.get(callback))
	if !strings.Contains(page, "138****0001") {
		t.Fatal(page)
	}
	page = text(t, lost.get(callback)) // a reload
	ask := hiddenFields(page)
	if ask.Get("ask") == "" {
		t.Fatal(page)
	}
	wantStatus(t, s.inApp(inWeChat).do(http.MethodPost, chatHost+"/wechat/continue", ask), http.StatusSeeOther)
	other := s.inApp(inWeChat)
	other.do(http.MethodPost, chatHost+"/wechat/continue", ask)
	if other.jar["store1001.portico.test"]["portico_session"] != nil {
		t.Error("the question is answered in another browser")
	}
	forged := url.Values{"ask": {ask.Get("ask")}, "action": {"continue"}}
	wantStatus(t, lost.do(http.MethodPost, chatHost+"/wechat/continue", forged), http.StatusForbidden)
	wantStatus(t, lost.do(http.MethodPost, chatHost+"/wechat/continue", ask), http.StatusSeeOther)
	if lost.jar["store1001.portico.test"]["portico_session"] == nil {
		t.Error("the browser itself does not come in")
	}
	lost.bare = false
	wantStatus(t, lost.post(chatHost+"/logout"), http.StatusSeeOther)
	lost.do(http.MethodPost, chatHost+"/wechat/continue", ask) // by the back button
	if lost.jar["store1001.portico.test"]["portico_session"] != nil {
		t.Error("after signing out the question signs in again")
	}
}

func TestAHeadRequestForAChatAppDoesNothing(t *testing.T) {
	s := newChatSite(t)
	b := s.inApp(inWeChat)
	callback := b.callback("xiao")
	before := s.stored()
	for _, address := range []string{chatHost + "/wechat", chatHost + "/wechatpro", callback} {
		wantStatus(t, b.do(http.MethodHead, address, nil), http.StatusMethodNotAllowed)
	}
	if s.stored() != before {
		t.Error("something was written")
	}
	wantRedirect(t, b.get(callback), "/wechat/link")
}

func TestWorkChatShowsTheFormWhenTheNetworkIsOverItsLimit(t *testing.T) {
	b := newChatSite(t).inApp(strings.Replace(inWeChat, "MicroMessenger/", "wxwork/4.1.30 MicroMessenger/", 1))
	for range chatlogin.Authorisations {
		if r := b.get(chatHost + "/wechatpro"); !strings.HasPrefix(r.Header.Get("Location"), "https://provider.test/") {
			t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Location"))
		}
	}
	r, at := b.follow(b.get(chatHost+"/wechatpro"), chatHost+"/wechatpro")
	if page := text(t, r); r.StatusCode != http.StatusOK || at != chatHost+"/login?done=wecom" ||
		!strings.Contains(page, `name="password"`) {
		t.Errorf("%d %s", r.StatusCode, at)
	}
}
