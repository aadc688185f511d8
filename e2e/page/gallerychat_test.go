package e2e

import (
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// chatViews are the pages of chat apps.
var chatViews = []view{
	{"login-wechat", func(b *tab) { b.shownIn(wechatAndroid); b.forget(); b.visit("account", "/login") }},
	{"wechat-link", func(b *tab) { b.through(wechatDoor, somebody()) }},
	{"wechat-link-refused", func(b *tab) {
		b.fill("phone", "13800000001")
		b.fill("password", "wrong-password")
		b.follow(careButton)
	}},
	{"wechat-link-account", func(b *tab) { b.follow(`main a[href="/wechat/link/account"]`) }},
	{"wechat-link-account-refused", func(b *tab) { b.follow(careButton) }},
	{"wechat-link-code", func(b *tab) { b.follow(`main a[href="/wechat/link/code"]`) }},
	{"wechat-link-code-sent", func(b *tab) { b.fill("phone", b.site.register(b.t).phone); b.sendPlainly() }},
	{"register-wechat", func(b *tab) { b.visit("account", "/register/wechat") }},
	{"register-wechat-refused", func(b *tab) { b.follow(careButton) }},
	{"register-wechat-registered", func(b *tab) { b.fill("phone", "13800000001"); b.sendPlainly() }},
	{"wechat-confirm", func(b *tab) {
		who := b.site.register(b.t)
		b.visit("account", "/wechat/link")
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.follow(careButton)
	}},
	{"accounts-wechat", func(b *tab) {
		b.follow(connectButton)
		b.visit("account", "/accounts?all=1")
		b.press(unlinkDetails)
	}},
	{"wechat-link-remembered", func(b *tab) {
		b.follow(signOutButton)
		who := b.site.register(b.t)
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.press(field("remember"))
		b.follow(signInButton)
		b.visit("account", "/login")
		b.through(wechatDoor, somebody())
	}},
	{"wechat-recognised", func(b *tab) {
		b.forget()
		b.visitURL(b.comesBack("account", wechatDoor))
	}},
	{"wechat-stranger", func(b *tab) {
		b.forget()
		b.visit("store1002", "/login")
		b.through(wechatDoor, b.linked(wechatDoor))
	}},
	{"jumperror-wechat", func(b *tab) { b.visit("account", "/jumperror?reason=wechat_expired&by=wechat") }},
	{"login-work-chat-silent", func(b *tab) {
		b.shownIn(wecomAgent)
		b.forget()
		b.visitAndStay("account", "/login", "*/wechatpro")
	}},
	{"login-work-chat", func(b *tab) { b.visit("account", "/login?form=1") }},
	{"no-door", func(b *tab) { b.shownIn(miniAgent); b.visit("account", "/wechat") }},
}

// linked is somebody whose app signs them in.
func (b *tab) linked(d chatDoor) string {
	b.t.Helper()
	person := somebody()
	b.site.caller(b.t, d.agent).link("account", d, person, b.site.register(b.t))
	return person
}

// comesBack is the callback of somebody whose app signs them in, in a browser that has lost its cookies.
func (b *tab) comesBack(host string, d chatDoor) string {
	b.t.Helper()
	return b.site.caller(b.t, d.agent).authorise(host, d, b.linked(d))
}

// visitAndStay visits a page that goes on by itself to another, which never comes.
func (b *tab) visitAndStay(host, path, next string) {
	b.t.Helper()
	asked, router := make(chan struct{}, 1), b.HijackRequests()
	b.must(router.Add(next, "", func(h *rod.Hijack) {
		h.Response.Fail(proto.NetworkErrorReasonAborted)
		asked <- struct{}{}
	}))
	go router.Run()
	b.t.Cleanup(func() { _ = router.Stop() })
	b.visit(host, path)
	select {
	case <-asked:
	case <-time.After(patience):
		b.t.Errorf("%s stays by itself", b.here())
	}
}
