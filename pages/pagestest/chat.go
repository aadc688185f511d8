package pagestest

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

// NameCodeProvider stands for WeChat and WeCom. The code that it gives a browser is the id and name of the person
// there.
type NameCodeProvider struct{}

// AuthorizeURL returns an address that contains where to return to and the state.
func (NameCodeProvider) AuthorizeURL(_ signin.ProviderApp, redirect, state string, _ signin.Scope) string {
	return "https://provider.test/?" + url.Values{"redirect": {redirect}, "state": {state}}.Encode()
}

// NeedsToken says that no access token is needed.
func (NameCodeProvider) NeedsToken() bool { return false }

// Token returns no access token.
func (NameCodeProvider) Token(context.Context, signin.ProviderApp) (signin.ProviderToken, error) {
	return signin.ProviderToken{}, &signin.ProviderFailure{Code: "none"}
}

// Ticket returns no ticket.
func (NameCodeProvider) Ticket(
	context.Context, signin.ProviderApp, signin.TokenKind, string,
) (signin.ProviderToken, error) {
	return signin.ProviderToken{}, &signin.ProviderFailure{Code: "none"}
}

// Exchange returns the person whose name the code is. It never fails.
func (NameCodeProvider) Exchange(
	_ context.Context, _ signin.ProviderApp, _, code string,
) (signin.ProviderIdentity, error) {
	return signin.ProviderIdentity{Subject: code, Nick: code}, nil
}

// Sign returns no signature.
func (NameCodeProvider) Sign(string, string, int64, string) string { return "" }

// NewChatSite returns a Site with rate limits where people sign in by WeChat and WeCom at a NameCodeProvider. It fails
// the test when the platform does not start.
func NewChatSite(t *testing.T) *Site {
	t.Helper()
	return NewSite(
		t,
		Options{
			Limits: true,
			Providers: signin.Providers{WeChat: NameCodeProvider{}, WeCom: NameCodeProvider{},
				Apps: []signin.ProviderApp{
					{Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "a-made-up-secret"},
					{Kind: store.WeComCorp, ID: "ww00000000000000c3", Agent: "1000002", Secret: "a-made-up-secret"},
				}},
		},
	)
}

// ChatSite is the site of company 1001, where people sign in by chat app.
const ChatSite = "http://store1001.portico.test"

// ReturnFromChatApp begins a sign-in by WeChat and returns the answer to the callback with which the person as comes
// back; headers come in pairs of name and value. It fails the test when the sign-in does not begin.
func (b *Browser) ReturnFromChatApp(as string, headers ...string) *http.Response {
	b.T.Helper()
	return b.Get(b.CallbackAddress(as), headers...)
}

// CallbackAddress begins a sign-in by WeChat and returns the address of the callback for the person as. It fails the
// test when the sign-in does not begin.
func (b *Browser) CallbackAddress(as string) string {
	b.T.Helper()
	to, err := b.Get(ChatSite + "/wechat").Location()
	if err != nil {
		b.T.Fatal(err)
	}
	return ChatSite + "/wechat/callback?" + url.Values{"code": {as}, "state": {to.Query().Get("state")}}.Encode()
}

// ProveAccountForLink returns from WeChat as a person without an account, proves an account with a phone and password,
// and returns the page that asks to confirm the link. It fails the test when that page does not follow.
// confirmation.
func (b *Browser) ProveAccountForLink(as, phone string) (page string) {
	b.T.Helper()
	WantRedirect(b.T, b.ReturnFromChatApp(as), "/wechat/link")
	WantRedirect(
		b.T, b.Post(ChatSite+"/wechat/link", "phone", phone, "password", onboarding.DemoPassword), "/wechat/confirm",
	)
	return Text(b.T, b.Get(ChatSite+"/wechat/confirm"))
}

// LinkWeChat links a person in WeChat with the accounts of a phone and returns the answer. It fails the test when the
// account cannot be proven.
func (b *Browser) LinkWeChat(as, phone string) *http.Response {
	b.T.Helper()
	form := HiddenFields(b.ProveAccountForLink(as, phone))
	form.Set("action", "link")
	return b.Do(http.MethodPost, ChatSite+"/wechat/confirm", form)
}
