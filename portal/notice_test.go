package portal_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"portico/portal"
)

// onlyNotice returns the notice that was sent since the last call; there must be exactly one.
func (p *carer) onlyNotice() portal.Message {
	p.t.Helper()
	p.settle()
	notices := slices.DeleteFunc(p.sms.messages(), func(m portal.Message) bool { return m.Notice == "" })
	p.sms.forget()
	if len(notices) != 1 {
		p.t.Fatalf("%d notices were sent", len(notices))
	}
	return notices[0]
}

// forget drops the messages that were sent so far.
func (s *provider) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

// wantNotice demands that one notice was sent since the last call, and what it says.
func (p *carer) wantNotice(what string, want portal.Message) {
	p.t.Helper()
	got := p.onlyNotice()
	if want.ID, want.At = got.ID, p.clock.now(); got != want {
		p.t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func TestANoticeNamesTheAccountTheCompanyTheNicknameAndTheDevice(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		p.wantNotice("linked to a phone", portal.Message{
			Phone: buyerPhone, Notice: portal.NoticeLinked, Lang: "zh", App: portal.WeChat, Nick: "小满",
			Device: "iPhone",
		})
		c := p.program(portal.ClientApp)
		_, err := p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: c.comesBack(portal.WeChat, someone(1)).Ticket, Login: "li.manager", Password: portal.DemoPassword,
			Client: c.kind, Lang: "en",
		})
		noError(t, err)
		p.wantNotice("linked to an account", portal.Message{
			Phone: manyPhone, Notice: portal.NoticeLinked, Lang: "en", App: portal.WeChat, Nick: "某人1",
			Login: "li·manager", Company: "金穗粮油",
			Device: "Android",
		})
		many := p.signIn(accountHost, manyPhone).Session
		noError(t, p.Unlink(b.ctx(), many, p.refs(many)[0], "es"))
		p.wantNotice("unlinked", portal.Message{
			Phone: manyPhone, Notice: portal.NoticeUnlinked, Lang: "es", App: portal.WeChat, Nick: "某人1",
			Login: "li·manager", Company: "金穗粮油",
			Device: "iPhone",
		})
		_, err = p.GiveFirstPassword(b.ctx(), p.boss(), p.account("li.manager").ID, portal.NewForm())
		noError(t, err)
		p.wantNotice("a first password", portal.Message{
			Phone: manyPhone, Notice: portal.NoticeFirst, Lang: "zh", Login: "li·manager", Company: "金穗粮油",
		})
		in := p.resetting(manyPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, manyPhone, in.Flow))
		noError(t, p.ResetPassword(b.ctx(), in))
		p.wantNotice("a reset", portal.Message{
			Phone: manyPhone, Notice: portal.NoticePassword, Lang: "zh", Device: "iPhone", Ended: true,
		})
		signed, bind, _ := p.proven("northwind", newPhone)
		bind.Password, bind.Confirm = newPassword, newPassword
		bound, err := p.Bind(b.ctx(), bind)
		noError(t, err)
		p.wantNotice("a binding", portal.Message{
			Phone: newPhone, Notice: portal.NoticeBound, Lang: "zh", Login: "northwind", Company: p.nameOf("northwind"),
			Device: "iPhone", Ended: true,
		})
		signed.Session, err = p.SignedIn(t.Context(), bound.Token, p.place(accountHost))
		noError(t, err)
		unbind := p.unbinding(signed.Session, "northwind")
		unbind.Code = p.sent(p.askToUnbind(unbind))
		unbind.Password, unbind.Confirm = otherPassword, otherPassword
		noError(t, p.Unbind(b.ctx(), unbind))
		p.wantNotice("an unbinding", portal.Message{
			Phone: newPhone, Notice: portal.NoticeUnbound, Lang: "zh", Login: "northwind",
			Company: p.nameOf("northwind"), Device: "iPhone",
		})
	})
}

// nameOf is the name that messages give the company of an account.
func (p *carer) nameOf(login string) string { return portal.NameInMessages(p.account(login).Company) }

func TestACodeIsSentWithTheAccountThatItIsFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "li.manager"
		p.sent(ask)
		bind := p.binding(p.signIn(accountHost, "nophone"), newPhone)
		p.sent(p.askToBind(bind))
		unbind := p.unbinding(p.signIn(accountHost, buyerPhone).Session, "buyer1")
		p.sent(p.askToUnbind(unbind))
		p.sent(p.asking(portal.ForLogin, managerPhone, portal.NewFlow()))
		for i, want := range []string{"li·manager", "nophone", "buyer1", ""} {
			if got := p.sms.codes()[i].Login; got != want {
				t.Errorf("code %d is for %q, want %q", i, got, want)
			}
		}
	})
}

func TestNamesInMessagesHoldNeitherLinksNorCodes(t *testing.T) {
	for name, want := range map[string]string{
		"li.manager": "li·manager", "evil.com": "evil·com", "https://evil.com/x?y=1": "httpsevil·comxy1",
		"a@b.cn":   "ab·cn",
		"team_7-b": "team_7-b", "call13812345678": "call", "张 三": "张三",
		strings.Repeat("w", 21): strings.Repeat("w", 20), "\u202ecod": "cod",
	} {
		if got := portal.LoginInMessage(name); got != want {
			t.Errorf("account %q is named %q, want %q", name, got, want)
		}
	}
	for nick, want := range map[string]string{
		"小满": "小满", "小满🌾": "小满", "evil.com": "evilcom", "验证码482915": "验证码", "a b": "a b",
		strings.Repeat("满", 13): strings.Repeat("满", 12),
		"您的账号已停用，请致电 400":       "您的账号已停用请致电 4", "": "",
	} {
		got := portal.NickInMessage(nick)
		if got != want {
			t.Errorf("nickname %q becomes %q, want %q", nick, got, want)
		}
		if utf8.RuneCountInString(got) > 12 ||
			strings.ContainsFunc(got, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }) {
			t.Errorf("nickname %q becomes %q", nick, got)
		}
	}
}

func TestADeviceInAMessageIsOneOfAList(t *testing.T) {
	for agent, want := range map[string]string{
		inWeChat: "iPhone", onADesktop: "Windows", "PorticoClient/3.1 (Android 14)": "Android", "": "",
		"curl/8.5 call 400-123":                           "",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)": "Mac",
		"Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X)":   "iPad",
		"Mozilla/5.0 (Phone; OpenHarmony 5.0)":            "HarmonyOS", "Mozilla/5.0 (X11; Linux x86_64)": "Linux",
	} {
		if got := portal.DeviceName(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
