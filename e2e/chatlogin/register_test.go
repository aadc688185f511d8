package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestChatACompanyIsRegisteredWithoutAPassword(t *testing.T) {
	t.Parallel()
	crosswise(t, func(b *tab, text func(string) string) {
		d, person, f := b.in("wechat"), somebody(), newFounder()
		b.visit("account", "/login")
		b.through(d, person)
		b.wantAt("account", "/wechat/link")
		b.follow(registerButton)
		b.wantAt("account", "/register/wechat")
		b.wantLang(b.lang)
		_, lead, _ := strings.Cut(filled(text("chat.register_lead_nick"), "app", text("chat.app_wechat")), "{nick}")
		b.wantText(lead)
		b.wantCount(field("password"), 0)
		b.fill("phone", "13800000001") // somebody has it: that account may be connected
		b.follow(careButton)
		b.wantMistakes("code", "company_name", "agree")
		b.fill("phone", f.phone)
		code := b.askCode(f.phone)
		b.describe(f)
		b.enterCode(code)
		b.wantAt("account", "/register/init")
		b.wantCompanies(f.phone, 1)
		b.chooseIndustry(118)
		b.follow(importButton)
		b.follow(enterButton)
		b.wantArrived(b.office(f))
		b.wantLang(b.lang)
		b.wantNoSecrets()
		b.visit("account", "/accounts?all=1")
		b.signedOut()
		b.through(d, person)
		b.wantArrived(b.office(f))
		b.wantCompanies(f.phone, 1)
		b.visit("account", "/register/wechat") // by an old link: whoever has come from the app is known, and signed in
		if b.has(personButton(person)) {
			b.follow(personButton(person))
		}
		b.goneOn()
		b.wantArrived(b.office(f))
	})
}

func TestChatARegisteredPhoneIsConnectedInstead(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, true}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wechat"), somebody(), b.site.register(b.t)
		b.visit("account", "/login")
		b.through(d, person)
		b.follow(registerButton)
		b.fill("phone", who.phone)
		b.follow(sendButton)
		b.wantRefusedWith("phone", text("error.phone_registered"))
		b.follow(`main .cards a[href="/wechat/link"]`)
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.follow(careButton)
		b.confirms(text, masked(who.phone), "金穗粮油")
		b.follow(connectButton)
		b.wantArrived(who.landing(b.screen))
	})
}

func TestChatACustomerComesBackToTheApplication(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, false}}, func(b *tab, text func(string) string) {
		d, person, h, a := b.in("wechat"), somebody(), b.site.house(b.t, b.lang, "", true), newApplicant()
		b.speak(h.host())
		b.visit(h.host(), "/login")
		b.through(d, person)
		b.wantAt(h.host(), "/wechat/link")
		b.follow(registerButton)
		b.wantAt(h.host(), "/register/more")
		b.apply(h, a)
		b.describeApplicant(a)
		b.follow(careButton)
		standing := b.wantStanding(text, h, "pending")
		if n := b.site.applications(b.t, a); n != 1 {
			b.t.Errorf("%d applications", n)
		}
		b.forget() // another day
		b.speak(h.host())
		b.visit(h.host(), "/login")
		b.through(d, person)
		b.wantStanding(text, h, "pending")
		if here, _, _ := strings.Cut(b.here(), "#"); here != standing { // the app's addresses end in a fragment, which stays
			b.t.Errorf("at %s, want %s", here, standing)
		}
		if n := b.site.caller(b.t, d.agent).links(d, person); n != 0 {
			b.t.Error("nobody has proven an account, and somebody is linked")
		}

		b.site.admit(b.t, h, a) // the company lets them in: from now on they may connect the account
		b.site.change(b.t, "UPDATE applications SET state = 'approved' WHERE phone = ?", a.phone)
		b.visit(h.host(), "/login")
		b.through(d, person)
		b.wantAt(h.host(), "/wechat/link")
		b.fill("phone", a.phone)
		b.fill("password", password)
		b.follow(careButton)
		b.follow(connectButton)
		b.wantArrived(b.shop(h, a))
		b.wantNoSecrets()
	})
}

func TestChatWhoIsBlockedLearnsWhy(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{desktop, false}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wechat"), somebody(), b.site.register(b.t)
		b.visit("account", "/login")
		b.through(d, person)
		b.fill("phone", "13800000005")
		b.fill("password", password)
		b.follow(careButton)
		b.wantText(text("error.account_disabled"), "金穗粮油") // nothing can be connected to it
		b.wantCount(connectButton, 0)
		b.site.caller(b.t, d.agent).link("account", d, person, who)

		b.speak("store1002")
		b.visit("store1002", "/login")
		b.through(d, person)
		b.wantStatus(422)
		b.wantLang(b.lang)
		b.wantText(text("error.not_in_company"), text("chat.join_body"))
		b.find(`main a[href="/register/more"]`)
		b.find(`main a[href^="/login"]`)

		b.site.change(b.t, "UPDATE accounts SET state = 'disabled' WHERE id = ?", who.accountID)
		for _, host := range []string{"account", "store1001"} {
			b.visit(host, "/login")
			b.through(d, person)
			b.wantLang(b.lang)
			b.wantText(text("error.account_disabled"), "金穗粮油")
			b.find(`main a[href="tel:13700000001"]`)
			b.visit(host, "/company")
			b.wantAt(host, "/login") // there is no session
		}
	})
}

func TestChatWorkChatSignsInByItself(t *testing.T) {
	t.Parallel()
	inManners(t, []manner{{phone, true}}, func(b *tab, text func(string) string) {
		d, person, who := b.in("wecom"), somebody(), b.site.register(b.t)
		b.site.caller(b.t, d.agent).link("account", d, person, who)
		landing := who.landing(phone)
		b.is(person)
		b.visit("account", "/login")
		b.await("the way in", `path => location.pathname === path && document.readyState === "complete"`, landing.path)
		b.wantArrived(landing)
		b.follow(signOutButton)
		b.wantAt("account", "/login")
		b.wantCount(signInButton, 1) // not in again at once
		b.through(d, person)
		b.wantArrived(landing)

		b.forget()
		b.visit("account", "/login") // nobody is known there: it asks, and what comes of it goes wrong
		b.await("work-chat", `s => !!document.querySelector(s)`, troubleChoice("busy"))
		b.press(`details:has(input[name=trouble]) summary`)
		b.press(troubleChoice("busy"))
		b.follow(personButton("zhouyan"))
		b.wantAt("account", "/login")
		b.wantLang(b.lang)
		b.wantToast(filled(text("error.wechat_failed"), "detail", "api freq out of limit"))
		b.wantCount(signInButton, 1)
		b.fill("phone", who.phone)
		b.fill("password", password)
		b.follow(signInButton)
		b.wantArrived(landing)
	})
}

// The platform may close the management side to WeChat; it stays open to WeCom, and the shop to both.
func TestChatTheManagementIsClosedToWeChat(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s, err := start(normal.cmd.Path, filepath.Join(t.TempDir(), "closed"), "off", "PORTICO_WECHAT_MANAGER=closed")
	if err != nil {
		t.Fatal(err)
	}
	defer s.kill()
	text := texts(t, "zh")
	h, shopper := s.house(t, "zh", "", true), s.register(t)
	boss := newcomer{phone: h.phone, name: h.name}
	for _, d := range chatDoors {
		c, person, customer := s.caller(t, d.agent), somebody(), somebody()
		c.wantArrived(c.link("account", d, customer, shopper), shopper.landing(d.on))
		c.lose()
		where := arrival{fmt.Sprintf("store%d", h.id), "/mgr", h.name, h.company}
		if d.on.mobile {
			where = arrival{"mgr", "/home", h.name, h.company}
		}
		if d == wecomDoor || d == wecomQRDoor {
			c.wantArrived(c.link("account", d, person, boss), where)
			continue
		}
		c.wantAt(c.onward(c.get(c.authorise("account", d, person))), "account", "/wechat/link")
		a := c.post(c.at("account", "/wechat/link"), "phone", boss.phone, "password", password)
		c.wantText(a, text("error.wechat_manager_closed"))
		c.wantNobody("account")
		if n := c.links(d, person); n != 0 {
			t.Error("somebody is linked")
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
