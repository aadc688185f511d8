package core_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/shop"
	"portico/portal/signin"
)

func TestANoticeNamesTheAccountTheCompanyTheNicknameAndTheDevice(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		wantNotice(p.SMSPlatform, "linked to a phone", core.Message{
			Phone: portaltest.BuyerPhone, Notice: core.NoticeLinked, Lang: "zh", App: access.WeChat, Nick: "小满",
			Device: "iPhone",
		})
		c := p.Program(signin.ClientApp)
		_, err := p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket:   c.UnknownCallback(access.WeChat, chattest.Identity(1)).Ticket,
			Login:    "li.manager",
			Password: onboarding.DemoPassword,
			Client:   c.Kind,
			Lang:     "en",
		})
		portaltest.NoError(t, err)
		wantNotice(p.SMSPlatform, "linked to an account", core.Message{
			Phone: portaltest.ManyPhone, Notice: core.NoticeLinked, Lang: "en", App: access.WeChat, Nick: "某人1",
			Login: "li·manager", Company: "金穗粮油",
			Device: "Android",
		})
		many := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session
		portaltest.NoError(t, p.Chatlogin.Unlink(b.Context(), many, p.IdentityRefs(many)[0], "es"))
		wantNotice(p.SMSPlatform, "unlinked", core.Message{
			Phone:   portaltest.ManyPhone,
			Notice:  core.NoticeUnlinked,
			Lang:    "es",
			App:     access.WeChat,
			Nick:    "某人1",
			Login:   "li·manager",
			Company: "金穗粮油",
			Device:  "iPhone",
		})
		_, err = p.Backoffice.GiveFirstPassword(
			b.Context(), p.Administrator(), p.Account("li.manager").ID, shop.NewForm(),
		)
		portaltest.NoError(t, err)
		wantNotice(p.SMSPlatform, "a first password", core.Message{
			Phone:   portaltest.ManyPhone,
			Notice:  core.NoticeFirst,
			Lang:    "zh",
			Login:   "li·manager",
			Company: "金穗粮油",
		})
		in := p.ResetInput(portaltest.ManyPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManyPhone, in.Flow))
		portaltest.NoError(t, p.Credentials.ResetPassword(b.Context(), in))
		wantNotice(p.SMSPlatform, "a reset", core.Message{
			Phone: portaltest.ManyPhone, Notice: core.NoticePassword, Lang: "zh", Device: "iPhone", Ended: true,
		})
		signed, bind, _ := credentialtest.ProveBind(p.SMSPlatform, "northwind", portaltest.NewPhone)
		bind.Password, bind.Confirm = portaltest.NewPassword, portaltest.NewPassword
		bound, err := p.Binding.Bind(b.Context(), bind)
		portaltest.NoError(t, err)
		wantNotice(p.SMSPlatform, "a binding", core.Message{
			Phone:   portaltest.NewPhone,
			Notice:  core.NoticeBound,
			Lang:    "zh",
			Login:   "northwind",
			Company: companyNameOf(p.SMSPlatform, "northwind"),
			Device:  "iPhone",
			Ended:   true,
		})
		signed.Session, err = p.SignedIn(t.Context(), bound.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		unbind := credentialtest.UnbindInput(p.SMSPlatform, signed.Session, "northwind")
		unbind.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p.SMSPlatform, unbind))
		unbind.Password, unbind.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		portaltest.NoError(t, p.Binding.Unbind(b.Context(), unbind))
		wantNotice(p.SMSPlatform, "an unbinding", core.Message{
			Phone: portaltest.NewPhone, Notice: core.NoticeUnbound, Lang: "zh", Login: "northwind",
			Company: companyNameOf(p.SMSPlatform, "northwind"), Device: "iPhone",
		})
	})
}

func TestAMessageNamesTheAccountThatItsCodeIsFor(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = "li.manager"
		p.ReceiveCode(ask)
		bind := credentialtest.BindInput(p, p.SignIn(portaltest.AccountHost, "nophone"), portaltest.NewPhone)
		p.ReceiveCode(credentialtest.BindCodeRequest(p, bind))
		unbind := credentialtest.UnbindInput(
			p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1",
		)
		p.ReceiveCode(credentialtest.UnbindCodeRequest(p, unbind))
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.ManagerPhone, core.NewFlow()))
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
		"shop123": "shop123", "shop1234": "shop", // four digits look like a code
	} {
		if got := core.LoginInMessage(name); got != want {
			t.Errorf("account %q is named %q, want %q", name, got, want)
		}
	}
	for nick, want := range map[string]string{
		"小满": "小满", "小满🌾": "小满", "evil.com": "evilcom", "验证码482915": "验证码", "a b": "a b",
		strings.Repeat("满", 13): strings.Repeat("满", 12),
		"您的账号已停用，请致电 400":       "您的账号已停用请致电 4", "": "",
		"a123": "a123", "a1234": "a",
	} {
		got := core.NickInMessage(nick)
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
		chattest.InWeChat: "iPhone", chattest.OnDesktop: "Windows", "PorticoClient/3.1 (Android 14)": "Android",
		"":                      "",
		"curl/8.5 call 400-123": "",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)": "Mac",
		"Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X)":   "iPad",
		"Mozilla/5.0 (Phone; OpenHarmony 5.0)":            "HarmonyOS", "Mozilla/5.0 (X11; Linux x86_64)": "Linux",
	} {
		if got := core.DeviceName(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}

// onlyNotice returns the notice that was sent since the last call. It fails the test unless there is exactly one.
func onlyNotice(p *portaltest.SMSPlatform) core.Message {
	p.T.Helper()
	p.WaitForNotices()
	notices := slices.DeleteFunc(p.Sms.Messages(), func(m core.Message) bool { return m.Notice == "" })
	p.Sms.Forget()
	if len(notices) != 1 {
		p.T.Fatalf("%d notices were sent", len(notices))
	}
	return notices[0]
}

// wantNotice fails the test unless exactly this notice was sent since the last call. what names the case.
func wantNotice(p *portaltest.SMSPlatform, what string, want core.Message) {
	p.T.Helper()
	got := onlyNotice(p)
	if want.ID, want.At = got.ID, p.Clock.Now(); got != want {
		p.T.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// companyNameOf returns the name that messages use for the company of an account.
func companyNameOf(p *portaltest.SMSPlatform, login string) string {
	return core.NameInMessages(p.Account(login).Company)
}
