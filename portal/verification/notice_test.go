package verification_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

func TestANoticeNamesTheAccountTheCompanyTheNicknameAndTheDevice(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		p.WantNotice("linked to a phone", verification.Message{
			Phone: portaltest.BuyerPhone, Notice: verification.NoticeLinked, Lang: "zh", App: access.WeChat, Nick: "小满",
			Device: "iPhone",
		})
		c := p.Program(landing.ClientApp)
		_, err := p.Chatlogin.BindByTicket(c.Ctx(), chatlogin.BindByTicketInput{
			Ticket:   c.ComesBack(access.WeChat, portaltest.Someone(1)).Ticket,
			Login:    "li.manager",
			Password: onboarding.DemoPassword,
			Client:   c.Kind,
			Lang:     "en",
		})
		portaltest.NoError(t, err)
		p.WantNotice("linked to an account", verification.Message{
			Phone: portaltest.ManyPhone, Notice: verification.NoticeLinked, Lang: "en", App: access.WeChat, Nick: "某人1",
			Login: "li·manager", Company: "金穗粮油",
			Device: "Android",
		})
		many := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session
		portaltest.NoError(t, p.Chatlogin.Unlink(b.Ctx(), many, p.Refs(many)[0], "es"))
		p.WantNotice("unlinked", verification.Message{
			Phone:   portaltest.ManyPhone,
			Notice:  verification.NoticeUnlinked,
			Lang:    "es",
			App:     access.WeChat,
			Nick:    "某人1",
			Login:   "li·manager",
			Company: "金穗粮油",
			Device:  "iPhone",
		})
		_, err = p.Backoffice.GiveFirstPassword(b.Ctx(), p.Boss(), p.Account("li.manager").ID, ordering.NewForm())
		portaltest.NoError(t, err)
		p.WantNotice("a first password", verification.Message{
			Phone:   portaltest.ManyPhone,
			Notice:  verification.NoticeFirst,
			Lang:    "zh",
			Login:   "li·manager",
			Company: "金穗粮油",
		})
		in := p.Resetting(portaltest.ManyPhone, "", verification.NewFlow())
		in.Code = p.Sent(p.Asking(verification.ForReset, portaltest.ManyPhone, in.Flow))
		portaltest.NoError(t, p.Credentials.ResetPassword(b.Ctx(), in))
		p.WantNotice("a reset", verification.Message{
			Phone: portaltest.ManyPhone, Notice: verification.NoticePassword, Lang: "zh", Device: "iPhone", Ended: true,
		})
		signed, bind, _ := p.Proven("northwind", portaltest.NewPhone)
		bind.Password, bind.Confirm = portaltest.NewPassword, portaltest.NewPassword
		bound, err := p.Binding.Bind(b.Ctx(), bind)
		portaltest.NoError(t, err)
		p.WantNotice("a binding", verification.Message{
			Phone:   portaltest.NewPhone,
			Notice:  verification.NoticeBound,
			Lang:    "zh",
			Login:   "northwind",
			Company: p.NameOf("northwind"),
			Device:  "iPhone",
			Ended:   true,
		})
		signed.Session, err = p.SignedIn(t.Context(), bound.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		unbind := p.Unbinding(signed.Session, "northwind")
		unbind.Code = p.Sent(p.AskToUnbind(unbind))
		unbind.Password, unbind.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		portaltest.NoError(t, p.Binding.Unbind(b.Ctx(), unbind))
		p.WantNotice("an unbinding", verification.Message{
			Phone: portaltest.NewPhone, Notice: verification.NoticeUnbound, Lang: "zh", Login: "northwind",
			Company: p.NameOf("northwind"), Device: "iPhone",
		})
	})
}

func TestAMessageNamesTheAccountThatItsCodeIsFor(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		ask := p.Asking(verification.ForReset, "", verification.NewFlow())
		ask.Login = "li.manager"
		p.Sent(ask)
		bind := p.BindingOf(p.SignIn(portaltest.AccountHost, "nophone"), portaltest.NewPhone)
		p.Sent(p.AskToBind(bind))
		unbind := p.Unbinding(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1")
		p.Sent(p.AskToUnbind(unbind))
		p.Sent(p.Asking(verification.ForLogin, portaltest.ManagerPhone, verification.NewFlow()))
		for i, want := range []string{"li·manager", "nophone", "buyer1", ""} {
			if got := p.Sms.Codes()[i].Login; got != want {
				t.Errorf("code %d is for %q, want %q", i, got, want)
			}
		}
	})
}

func TestNamesInMessagesContainNeitherLinksNorCodes(t *testing.T) {
	for name, want := range map[string]string{
		"li.manager": "li·manager", "evil.com": "evil·com", "https://evil.com/x?y=1": "httpsevil·comxy1",
		"a@b.cn":   "ab·cn",
		"team_7-b": "team_7-b", "call13812345678": "call", "张 三": "张三",
		strings.Repeat("w", 21): strings.Repeat("w", 20), "\u202ecod": "cod",
	} {
		if got := verification.LoginInMessage(name); got != want {
			t.Errorf("account %q is named %q, want %q", name, got, want)
		}
	}
	for nick, want := range map[string]string{
		"小满": "小满", "小满🌾": "小满", "evil.com": "evilcom", "验证码482915": "验证码", "a b": "a b",
		strings.Repeat("满", 13): strings.Repeat("满", 12),
		"您的账号已停用，请致电 400":       "您的账号已停用请致电 4", "": "",
	} {
		got := verification.NickInMessage(nick)
		if got != want {
			t.Errorf("nickname %q becomes %q, want %q", nick, got, want)
		}
		if utf8.RuneCountInString(got) > 12 ||
			strings.ContainsFunc(got, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }) {
			t.Errorf("nickname %q becomes %q", nick, got)
		}
	}
}

func TestMessagesNameOnlyListedDevices(t *testing.T) {
	for agent, want := range map[string]string{
		portaltest.InWeChat: "iPhone", portaltest.OnADesktop: "Windows", "PorticoClient/3.1 (Android 14)": "Android",
		"":                      "",
		"curl/8.5 call 400-123": "",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)": "Mac",
		"Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X)":   "iPad",
		"Mozilla/5.0 (Phone; OpenHarmony 5.0)":            "HarmonyOS", "Mozilla/5.0 (X11; Linux x86_64)": "Linux",
	} {
		if got := verification.DeviceName(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
