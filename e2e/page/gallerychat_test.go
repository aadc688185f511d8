package page

import (
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/steps"
)

// chatViews are the pages of chat apps.
var chatViews = []view{
	{"login-wechat", func(b *browser.Tab) {
		chatapp.SetAgent(b, chatapp.WeChatAndroidAgent)
		b.ClearCookies()
		b.Visit("account", "/login")
	}},
	{"wechat-link", func(b *browser.Tab) { chatapp.SignInThrough(b, chatapp.WeChat, chatapp.NewPersonID()) }},
	{"wechat-link-refused", func(b *browser.Tab) {
		b.Fill("phone", "13800000001")
		b.Fill("password", "wrong-password")
		b.Follow(steps.MainButton)
	}},
	{"wechat-link-account", func(b *browser.Tab) { b.Follow(`main a[href="/wechat/link/account"]`) }},
	{"wechat-link-account-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"wechat-link-code", func(b *browser.Tab) { b.Follow(`main a[href="/wechat/link/code"]`) }},
	{"wechat-link-code-sent", func(b *browser.Tab) { b.Fill("phone", b.Server.AddPerson(b.T).Phone); sendPlainly(b) }},
	{"register-wechat", func(b *browser.Tab) { b.Visit("account", "/register/wechat") }},
	{"register-wechat-refused", func(b *browser.Tab) { b.Follow(steps.MainButton) }},
	{"register-wechat-registered", func(b *browser.Tab) { b.Fill("phone", "13800000001"); sendPlainly(b) }},
	{"wechat-confirm", func(b *browser.Tab) {
		who := b.Server.AddPerson(b.T)
		b.Visit("account", "/wechat/link")
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Follow(steps.MainButton)
	}},
	{"accounts-wechat", func(b *browser.Tab) {
		b.Follow(chatapp.ConnectButton)
		b.Visit("account", "/security")
	}},
	{"wechat-link-remembered", func(b *browser.Tab) {
		steps.SignOut(b)
		who := b.Server.AddPerson(b.T)
		b.Fill("phone", who.Phone)
		b.Fill("password", program.Password)
		b.Press(browser.Field("remember"))
		b.Follow(steps.SignInButton)
		b.Visit("account", "/login")
		chatapp.SignInThrough(b, chatapp.WeChat, chatapp.NewPersonID())
	}},
	{"wechat-recognised", func(b *browser.Tab) {
		b.ClearCookies()
		b.VisitURL(callbackWithoutCookies(b, "account", chatapp.WeChat))
	}},
	{"wechat-stranger", func(b *browser.Tab) {
		b.ClearCookies()
		b.Visit("store1002", "/login")
		chatapp.SignInThrough(b, chatapp.WeChat, connectedPerson(b, chatapp.WeChat))
	}},
	{"jumperror-wechat", func(b *browser.Tab) { b.Visit("account", "/jumperror?reason=wechat_expired&by=wechat") }},
	{"login-work-chat-silent", func(b *browser.Tab) {
		chatapp.SetAgent(b, chatapp.WeComAgent)
		b.ClearCookies()
		visitAndBlockNext(b, "account", "/login", "*/wechatpro")
	}},
	{"login-work-chat", func(b *browser.Tab) { b.Visit("account", "/login?form=1") }},
	{"no-door", func(b *browser.Tab) { chatapp.SetAgent(b, chatapp.MiniProgramAgent); b.Visit("account", "/wechat") }},
}

// connectedPerson returns a person at a chat app whose account is connected.
func connectedPerson(b *browser.Tab, method chatapp.Method) string {
	b.T.Helper()
	person := chatapp.NewPersonID()
	chatapp.NewClient(b.T, b.Server, method.Agent).Connect("account", method, person, b.Server.AddPerson(b.T))
	return person
}

// callbackWithoutCookies returns the callback of a connected person in a browser that has lost its cookies.
func callbackWithoutCookies(b *browser.Tab, host string, method chatapp.Method) string {
	b.T.Helper()
	return chatapp.NewClient(b.T, b.Server, method.Agent).Authorise(host, method, connectedPerson(b, method))
}

// visitAndBlockNext opens a page that leads to another by itself, and blocks that other page.
func visitAndBlockNext(b *browser.Tab, host, path, next string) {
	b.T.Helper()
	asked, router := make(chan struct{}, 1), b.HijackRequests()
	b.Must(router.Add(next, "", func(h *rod.Hijack) {
		h.Response.Fail(proto.NetworkErrorReasonAborted)
		asked <- struct{}{}
	}))
	go router.Run()
	b.T.Cleanup(func() { _ = router.Stop() })
	b.Visit(host, path)
	select {
	case <-asked:
	case <-time.After(program.Patience):
		b.T.Errorf("%s does not lead to the next page", b.Address())
	}
}
