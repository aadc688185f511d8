package pagestest

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"portico/portal/chatapps"
	"portico/portal/onboarding"
	"portico/store"
)

// InWeChat is the User-Agent of WeChat on an iPhone.
const InWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
	"Mobile/15E148 MicroMessenger/8.0.53(0x18003531)"

// ReadsCodes is a provider whose codes are the names of the people who sign in.
type ReadsCodes struct{}

func (ReadsCodes) AuthorizeURL(_ chatapps.ProviderApp, redirect, state string, _ chatapps.Scope) string {
	return "https://provider.test/?" + url.Values{"redirect": {redirect}, "state": {state}}.Encode()
}

func (ReadsCodes) NeedsToken() bool { return false }

func (ReadsCodes) Token(context.Context, chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (ReadsCodes) Ticket(
	context.Context, chatapps.ProviderApp, chatapps.TokenKind, string,
) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (ReadsCodes) Exchange(
	_ context.Context, _ chatapps.ProviderApp, _, code string,
) (chatapps.ProviderIdentity, error) {
	return chatapps.ProviderIdentity{Subject: code, Nick: code}, nil
}

func (ReadsCodes) Sign(string, string, int64, string) string { return "" }

func NewChatSite(t *testing.T) *Site {
	t.Helper()
	return NewSite(
		t,
		Options{
			Limits: true,
			Providers: chatapps.Providers{WeChat: ReadsCodes{}, WeCom: ReadsCodes{}, Apps: []chatapps.ProviderApp{
				{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
				{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
			}},
		},
	)
}

const ChatHost = "http://store1001.portico.test"

// ComesBack goes to the chat app and comes back as a person there.
func (b *Browser) ComesBack(as string, headers ...string) *http.Response {
	b.T.Helper()
	return b.Get(b.Callback(as), headers...)
}

func (b *Browser) Callback(as string) string {
	b.T.Helper()
	to, err := b.Get(ChatHost + "/wechat").Location()
	if err != nil {
		b.T.Fatal(err)
	}
	return ChatHost + "/wechat/callback?" + url.Values{"code": {as}, "state": {to.Query().Get("state")}}.Encode()
}

// HiddenFields returns the hidden fields of a page's form.
func HiddenFields(page string) url.Values {
	form := url.Values{}
	field := regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)"`)
	for _, found := range field.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], found[2])
	}
	return form
}

// ProveLink comes back from the chat app and proves an account, and returns the page that asks for confirmation.
func (b *Browser) ProveLink(as, phone string) (question string) {
	b.T.Helper()
	WantRedirect(b.T, b.ComesBack(as), "/wechat/link")
	WantRedirect(
		b.T, b.Post(ChatHost+"/wechat/link", "phone", phone, "password", onboarding.DemoPassword), "/wechat/confirm",
	)
	return Text(b.T, b.Get(ChatHost+"/wechat/confirm"))
}

func WantRedirect(t testing.TB, r *http.Response, to string) {
	t.Helper()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != to {
		t.Fatalf("%d to %q, want %q", r.StatusCode, r.Header.Get("Location"), to)
	}
}

// Links connects WeChat with the accounts of a phone and returns the answer.
func (b *Browser) Links(as, phone string) *http.Response {
	b.T.Helper()
	form := HiddenFields(b.ProveLink(as, phone))
	form.Set("action", "link")
	return b.Do(http.MethodPost, ChatHost+"/wechat/confirm", form)
}
