package e2e

import (
	"fmt"
	"slices"
	"testing"
)

func TestChatEachPlaceShowsTheDoorsThatWorkThere(t *testing.T) {
	t.Parallel()
	desk, wechat, wecom := []string{"/wechat", "/wechatpro"}, []string{"/wechat"}, []string{"/wechatpro"}
	b := newTab(t, normal, phone)
	b.blockScripts()
	for i, place := range []struct {
		name, agent string
		on          screen
		doors       []string
	}{
		{"a desktop", "", desktop, desk},
		{"a phone", "", phone, nil},
		{"WeChat on an iPhone", wechatIOS, phone, wechat},
		{"WeChat on an Android phone", wechatAndroid, phone, wechat},
		{"work-chat", wecomAgent, phone, wecom},
		{"a mini program", miniAgent, phone, nil},
		{"the native app", wrapperAgent, phone, nil},
	} {
		b.lang = []string{"zh", "es", "en"}[i%3]
		text := texts(t, b.lang)
		b.on(place.on)
		b.shownIn(place.agent)
		b.forget()
		for _, path := range []string{"/login?form=1", "/login/account"} {
			b.visit("account", path)
			b.wantLang(b.lang)
			if shown := ask[[]string](b, `() => [...document.querySelectorAll("main a[href^='/wechat']")].map(a => a.getAttribute("href"))`); !slices.Equal(shown, place.doors) {
				t.Errorf("%s shows the doors %q on %s", place.name, shown, path)
			}
			b.wantCount(signInButton, 1)
		}
		for _, d := range []chatDoor{wechatDoor, wecomDoor} {
			if slices.Contains(place.doors, d.begin) {
				continue
			}
			b.visit("account", d.begin) // by an old link
			b.wantStatus(404)
			b.wantText(filled(text("chat.no_door"), "app", text("chat.app_"+d.provider)), filled(text("chat.no_door_body"), "app", text("chat.app_"+d.provider)))
			b.follow(`main a.button`)
			b.wantAt("account", "/login")
			b.wantCount(signInButton, 1)
		}
	}
}

func TestChatAnAccountIsConnectedAndThenOneTapSignsIn(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		d, person, who := b.in("wechat"), somebody(), b.site.register(b.t)
		b.visit("account", "/login")
		b.wantText(text("chat.door_" + map[bool]string{true: "wechat", false: "wechat_qr"}[b.screen.mobile]))
		b.through(d, person)
		b.wantAt("account", "/wechat/link")
		b.wantLang(b.lang)
		b.wantText(filled(text("chat.link_heading"), "app", text("chat.app_wechat")))
		b.fill("phone", who.phone)
		b.fill("password", "wrong-password")
		b.follow(careButton)
		b.wantRefusedWith("password", filled(text("error.wrong_password"), "left", 10))
		b.wantTyped("phone", grouped(who.phone), "password", "")
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, masked(who.phone), "金穗粮油")
		b.follow(cancelButton)
		b.wantAt("account", "/wechat/link")
		b.visit("account", "/wechat/confirm")
		b.wantAt("account", "/wechat/link")
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, masked(who.phone), "金穗粮油")
		b.follow(connectButton)
		b.wantArrived(who.landing(b.screen))
		b.wantLang(b.lang)
		b.back() // nothing is asked or done again
		b.visit("account", "/wechat/link")
		b.wantAt("account", "/login")
		b.wantText(filled(text("login.already"), "who", masked(who.phone)))

		b.visit("account", "/accounts?all=1")
		b.signedOut()
		b.wantAt("account", "/login")
		b.through(d, person)
		b.wantArrived(who.landing(b.screen))
		b.wantLang(b.lang)
		b.wantNoSecrets()
		b.visit("store1001", "/login")
		b.through(d, person)
		b.wantArrived(who.landing(b.screen))
		if n := b.site.caller(b.t, d.agent).links(d, person); n != 1 {
			b.t.Errorf("%d links", n)
		}
	})
}

func TestChatTheManagementIsOneTapAway(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, false}}, func(b *tab, _ func(string) string) {
		d, person, h := b.in("wechat"), somebody(), b.site.house(b.t, b.lang, "", true)
		b.speak(h.host())
		boss := newcomer{phone: h.phone, name: h.name}
		b.site.caller(b.t, d.agent).link("account", d, person, boss)
		host, path := b.sideOf("mgr", h.id)
		for _, door := range []string{"account", h.host()} {
			b.visit(door, "/login")
			b.through(d, person)
			b.wantArrived(arrival{host, path, h.name, h.company})
		}
	})
}

func TestChatAnAccountIsConnectedByItsName(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, true}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wecom"), somebody(), b.site.enroll(b.t)
		b.visit("account", "/login?form=1")
		b.through(d, person)
		b.wantText(filled(text("chat.link_heading"), "app", text("chat.app_wecom")))
		b.follow(`main a[href="/wechat/link/account"]`)
		b.fill("login", who.login)
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, who.login, "金穗粮油")
		b.follow(connectButton)
		b.wantAt("account", "/bind") // it has no phone
		b.follow(skipButton)
		b.wantArrived(who.landing(b.screen))
		if n := b.site.count(b.t, "SELECT COUNT(*) FROM identities WHERE account_id = ? AND phone_id = 0", who.accountID); n != 1 {
			b.t.Errorf("%d links", n)
		}
	})
}

func TestChatAnAccountIsConnectedByACode(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{desktop, false}}, func(b *tab, text func(string) string) {
		d, who := b.in("wecom"), b.site.register(b.t)
		b.visit("account", "/login")
		b.through(d, somebody())
		b.follow(`main a[href="/wechat/link/code"]`)
		b.fill("phone", who.phone)
		code := b.askCode(who.phone)
		b.enterCode(wrong(code))
		b.wantRefusedWith("code", text("error.code_wrong"))
		b.wantTyped("phone", grouped(who.phone))
		b.enterCode(code)
		b.confirms(text, masked(who.phone), "金穗粮油")
		b.follow(connectButton)
		b.wantArrived(who.landing(b.screen))
		b.wantNoSecrets()
	})
}

// Quick login: the account that this device remembers is filled in; its password is asked for all the same.
func TestChatTheRememberedAccountIsOffered(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, false}}, func(b *tab, text func(string) string) {
		d, who := b.in("wechat"), b.site.register(b.t)
		b.visit("account", "/login")
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.press(field("remember"))
		b.follow(signInButton)
		b.follow(signOutButton)
		b.visit("account", "/login")
		b.through(d, somebody())
		b.wantText(text("chat.remembered"))
		b.wantTyped("phone", grouped(who.phone), "password", "")
		b.follow(careButton)
		b.wantMistakes("password")
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, masked(who.phone))
		b.follow(connectButton)
		b.wantArrived(who.landing(b.screen))
	})
}

func TestChatAnAppIsDisconnected(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{desktop, true}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wechat"), somebody(), b.site.register(b.t)
		b.site.caller(b.t, d.agent).link("account", d, person, who)
		b.visit("account", "/login")
		b.through(d, person)
		b.wantArrived(who.landing(b.screen))
		b.visit("account", "/accounts?all=1")
		b.press(unlinkDetails)
		b.wantText(text("chat.app_wechat"))
		b.follow(unlinkButton)
		b.wantToast(text("chat.unlinked"))
		b.wantCount(unlinkButton, 0)
		b.signedOut()
		b.through(d, person)
		b.wantAt("account", "/wechat/link")
		if n := b.site.count(b.t, "SELECT COUNT(*) FROM identities i JOIN phones p ON p.id = i.phone_id WHERE p.phone = ?", who.phone); n != 0 {
			b.t.Error(fmt.Sprint(n, " links are left"))
		}
	})
}

func TestChatASignInByWorkChatLeavesAMarkAndNoCode(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, false}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wecom"), somebody(), b.site.register(b.t)
		b.visit("account", "/login?form=1")
		b.through(d, person)
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, masked(who.phone), "金穗粮油")
		b.follow(connectButton)
		b.wantArrived(who.landing(b.screen))
		if kept := b.stored()["WechatproCode"]; kept != "exchanged" {
			b.t.Errorf("kept %q", kept)
		}
		b.wantMirror("accountList", "WechatproCode")
		b.wantNoSecrets()
		b.follow(signOutButton)
		b.wantAt("account", "/login")
		if kept, left := b.stored()["WechatproCode"]; left {
			b.t.Errorf("signing out leaves %q", kept)
		}
	})
}
