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

// NameCodeProvider is a provider whose codes are the names of the people who sign in.
type NameCodeProvider struct{}

func (NameCodeProvider) AuthorizeURL(_ chatapps.ProviderApp, redirect, state string, _ chatapps.Scope) string {
	return "https://provider.test/?" + url.Values{"redirect": {redirect}, "state": {state}}.Encode()
}

func (NameCodeProvider) NeedsToken() bool { return false }

func (NameCodeProvider) Token(context.Context, chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (NameCodeProvider) Ticket(
	context.Context, chatapps.ProviderApp, chatapps.TokenKind, string,
) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "none"}
}

func (NameCodeProvider) Exchange(
	_ context.Context, _ chatapps.ProviderApp, _, code string,
) (chatapps.ProviderIdentity, error) {
	return chatapps.ProviderIdentity{Subject: code, Nick: code}, nil
}

func (NameCodeProvider) Sign(string, string, int64, string) string { return "" }

func NewChatSite(t *testing.T) *Site {
	t.Helper()
	return NewSite(
		t,
		Options{
			Limits: true,
			Providers: chatapps.Providers{WeChat: NameCodeProvider{}, WeCom: NameCodeProvider{}, Apps: []chatapps.ProviderApp{
				{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
				{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
			}},
		},
	)
}

const ChatSite = "http://store1001.portico.test"

// ReturnFromChatApp goes to the chat app and comes back as a person there.
func (b *Browser) ReturnFromChatApp(as string, headers ...string) *http.Response {
	b.T.Helper()
	return b.Get(b.CallbackAddress(as), headers...)
}

func (b *Browser) CallbackAddress(as string) string {
	b.T.Helper()
	to, err := b.Get(ChatSite + "/wechat").Location()
	if err != nil {
		b.T.Fatal(err)
	}
	return ChatSite + "/wechat/callback?" + url.Values{"code": {as}, "state": {to.Query().Get("state")}}.Encode()
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

// ProveAccountForLink comes back from the chat app and proves an account, and returns the page that asks for confirmation.
func (b *Browser) ProveAccountForLink(as, phone string) (question string) {
	b.T.Helper()
	WantRedirect(b.T, b.ReturnFromChatApp(as), "/wechat/link")
	WantRedirect(
		b.T, b.Post(ChatSite+"/wechat/link", "phone", phone, "password", onboarding.DemoPassword), "/wechat/confirm",
	)
	return Text(b.T, b.Get(ChatSite+"/wechat/confirm"))
}

// LinkWeChat connects WeChat with the accounts of a phone and returns the answer.
func (b *Browser) LinkWeChat(as, phone string) *http.Response {
	b.T.Helper()
	form := HiddenFields(b.ProveAccountForLink(as, phone))
	form.Set("action", "link")
	return b.Do(http.MethodPost, ChatSite+"/wechat/confirm", form)
}
