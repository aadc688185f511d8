package signin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// Agents are User-Agents as they are sent, with where they are and whether they are on a phone.
var Agents = []struct {
	name   string
	in     signin.ChatApp
	mobile bool
	agent  string
}{
	{"WeChat on iOS", signin.InWeChat, true, chattest.InWeChat},
	{
		"WeChat on Android",
		signin.InWeChat,
		true,
		"Mozilla/5.0 (Linux; Android 14; 23127PN0CC Build/UKQ1.230804.001; wv) AppleWebKit/537.36 (KHTML, like " +
			"Gecko) Version/4.0 Chrome/126.0.6478.188 Mobile Safari/537.36 XWEB/1260117 MMWEBSDK/20241202 " +
			"MMWEBID/4893 MicroMessenger/8.0.55.2780(0x28003737) WeChat/arm64 Weixin NetType/5G Language/zh_CN " +
			"ABI/arm64",
	},
	{
		"WeChat on Windows",
		signin.InWeChat,
		false,
		"Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 " +
			"Safari/537.36 NetType/WIFI MicroMessenger/7.0.20.1781(0x6700143B) WindowsWechat(0x63090c11) " +
			"XWEB/11529 Flue",
	},
	{
		"WeChat on a Mac",
		signin.InWeChat,
		false,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"MicroMessenger/6.8.0(0x16080000) MacWechat/3.8.9(0x13080910) XWEB/1227 Flue",
	},
	{"WeChat shouting", signin.InWeChat, true, strings.ToUpper(chattest.InWeChat)},
	{"work-chat on iOS", signin.InWorkChat, true, chattest.InWeCom},
	{
		"work-chat on Android",
		signin.InWorkChat,
		true,
		"Mozilla/5.0 (Linux; Android 13; V2229A Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160065 MMWEBSDK/20231202 MMWEBID/5 " +
			"wxwork/4.1.20 MicroMessenger/7.0.1 NetType/WIFI Language/zh Lang/zh ColorScheme/Light",
	},
	{
		"work-chat on Windows",
		signin.InWorkChat,
		false,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.125 " +
			"Safari/537.36 wxwork/4.1.33 (MicroMessenger/6.2) WindowsWechat MailPlugin_Electron WeMail embeddisk " +
			"wwmver/3.26.33.612",
	},
	{
		"work-chat on a Mac",
		signin.InWorkChat,
		false,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) wxwork/4.1.33 " +
			"(MicroMessenger/6.2) WeChat/2.0.4 Safari/605.1.15",
	},
	{"a mini program on iOS", signin.InMiniProgram, true, chattest.InWeChat + " miniProgram/wx1234567890abcdef"},
	{
		"a mini program on Android",
		signin.InMiniProgram,
		true,
		"Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240805.005; wv) AppleWebKit/537.36 (KHTML, like " +
			"Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 XWEB/1260117 MMWEBSDK/20241202 " +
			"MicroMessenger/8.0.55.2780(0x28003737) WeChat/arm64 Weixin Android Tablet NetType/WIFI " +
			"Language/zh_CN ABI/arm64 miniProgram/wx1234567890abcdef",
	},
	{
		"a mini program on Windows",
		signin.InMiniProgram,
		false,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 " +
			"Safari/537.36 MicroMessenger/7.0.20.1781(0x6700143B) NetType/WIFI MiniProgramEnv/Windows " +
			"WindowsWechat/WMPF WindowsWechat(0x63090c11) XWEB/11529",
	},
	{
		"a mini program in work-chat",
		signin.InMiniProgram,
		true,
		chattest.InWeCom + " miniProgram/ww1234567890abcdef",
	},
	{"Chrome on a desktop", signin.InBrowser, false, chattest.OnDesktop},
	{
		"Safari on a Mac",
		signin.InBrowser,
		false,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 " +
			"Safari/605.1.15",
	},
	{"Edge on a desktop", signin.InBrowser, false, chattest.OnDesktop + " Edg/131.0.0.0"},
	{
		"Firefox on a desktop",
		signin.InBrowser,
		false,
		"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
	},
	{
		"Chrome on a phone",
		signin.InBrowser,
		true,
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile " +
			"Safari/537.36",
	},
	{
		"Safari on a phone",
		signin.InBrowser,
		true,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/18.1 Mobile/15E148 Safari/604.1",
	},
	{
		"the native app on iOS",
		signin.InWrapper,
		true,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Mobile/15E148 PorticoApp/2.4.0 (iOS)",
	},
	{
		"the native app on Android",
		signin.InWrapper,
		true,
		"Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 " +
			"Chrome/131.0.0.0 Mobile Safari/537.36 PorticoApp/2.4.0 (Android)",
	},
	{"nothing", signin.InBrowser, false, ""},
	{
		"what names MicroMessenger without being it",
		signin.InBrowser,
		false,
		chattest.OnDesktop + " NotMicroMessenger wxworker",
	},
}

// MethodsIn returns the sign-in methods that work in a chat app or, with in == InBrowser, in a browser.
func MethodsIn(in signin.ChatApp, mobile bool) []signin.Method {
	switch {
	case in == signin.InWeChat:
		return []signin.Method{signin.MethodWeChat}
	case in == signin.InWorkChat:
		return []signin.Method{signin.MethodWeCom}
	case in == signin.InBrowser && !mobile:
		return []signin.Method{signin.MethodWeChatQR, signin.MethodWeComQR}
	}
	return nil
}

func TestEachUserAgentIsOfferedTheMethodsThatWorkThere(t *testing.T) {
	p := chattest.NewChatPlatform(t, storetest.SQLite(t))
	with := func(kinds ...store.CredentialKind) func(*portal.Options) {
		return func(o *portal.Options) {
			o.Providers.Apps = slices.DeleteFunc(
				chattest.PlatformApps(), func(a signin.ProviderApp) bool { return !slices.Contains(kinds, a.Kind) },
			)
		}
	}
	kind := map[signin.Method]store.CredentialKind{
		signin.MethodWeChat:   store.WeChatAccount,
		signin.MethodWeChatQR: store.WeChatOpen,
		signin.MethodWeCom:    store.WeComCorp,
		signin.MethodWeComQR:  store.WeComCorp,
	}
	all := []store.CredentialKind{store.WeChatAccount, store.WeChatOpen, store.WeComCorp}
	for name, c := range map[string]struct {
		platform []store.CredentialKind
		setting  [2]string
		open     []store.CredentialKind // those there are, in 1001
	}{
		"no credentials":             {open: nil},
		"the platform's":             {platform: all, open: all},
		"the open platform alone":    {platform: all[1:2], open: all[1:2]},
		"the official account alone": {platform: all[:1], open: all[:1]},
		"work-chat alone":            {platform: all[2:], open: all[2:]},
		"the company's account alone": {setting: [2]string{"wechat",
			chattest.CompanyAccount + ":" + chattest.CompanySecret}, open: all[:1]},
		"the company's website alone": {setting: [2]string{"wechat_open",
			chattest.CompanyAccount + ":" + chattest.CompanySecret}, open: all[1:2]},
		"the company's work-chat alone": {setting: [2]string{"wecom",
			"ww00000000000000d1:1000003:" + chattest.CompanySecret}, open: all[2:]},
		"the company's beside the platform's": {platform: all[1:],
			setting: [2]string{"wechat", chattest.CompanyAccount + ":" + chattest.CompanySecret}, open: all},
		"switched off": {platform: all, setting: [2]string{"chat", "off"}, open: nil},
	} {
		p.Restart(with(c.platform...))
		for _, setting := range []string{"wechat", "wechat_open", "wecom"} {
			portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, setting, ""))
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		if c.setting[0] != "" {
			portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, c.setting[0], c.setting[1]))
		}
		p.Clock.Advance(2 * time.Second)
		for _, a := range Agents {
			if got := signin.ChatAppOf(a.agent); got != a.in {
				t.Fatalf("%s is taken for %s", a.name, got)
			}
			for host, open := range map[string][]store.CredentialKind{chattest.Host1001: c.open,
				chattest.Host1002: c.platform, portaltest.AccountHost: c.platform} {
				want := slices.DeleteFunc(
					MethodsIn(a.in, a.mobile), func(m signin.Method) bool { return !slices.Contains(open, kind[m]) },
				)
				if got := p.Chatapps.Methods(p.Place(host), a.agent, a.mobile); !slices.Equal(got, want) {
					t.Errorf("%s, %s at %s: %q, want %q", name, a.name, host, got, want)
				}
			}
		}
	}
}

func TestASignInMethodThatIsOffBeginsNoAuthorisation(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		before := p.DumpRows()
		for _, a := range Agents {
			for _, provider := range []access.ProviderName{access.WeChat, access.WeCom, "qq", ""} {
				b := p.Browser(chattest.Host1001, a.agent)
				b.Mobile = a.mobile
				methods := MethodsIn(a.in, a.mobile)
				if slices.ContainsFunc(methods, func(m signin.Method) bool { return m.Provider() == provider }) {
					continue
				}
				_, err := b.TryBegin(provider)
				portaltest.Refused(t, err, access.WeChatFailed)
			}
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestWithoutAProviderItsSignInMethodsAreNotOffered(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		p.Restart(func(o *portal.Options) { o.Providers.WeChat, o.Providers.WeCom = nil, nil })
		for _, agent := range []string{chattest.InWeChat, chattest.InWeCom, chattest.OnDesktop} {
			b := p.Browser(chattest.Host1001, agent)
			if methods := p.Chatapps.Methods(p.Place(chattest.Host1001), agent, b.Mobile); len(methods) != 0 {
				t.Errorf("methods %q are offered", methods)
			}
			for _, provider := range []access.ProviderName{access.WeChat, access.WeCom} {
				_, err := b.TryBegin(provider)
				portaltest.Refused(t, err, access.WeChatFailed)
			}
		}
	})
}

func TestTheAuthorisationURLNamesTheApplicationOfTheHostAndAgent(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		const platform, company = "http://" + portaltest.AccountHost, "http://" + chattest.Host1001
		for name, c := range map[string]struct {
			host, agent string
			provider    access.ProviderName
			known       bool
			app, back   string
			scope       signin.Scope
		}{
			"the company's account": {chattest.Host1001, chattest.InWeChat, access.WeChat, false,
				chattest.CompanyAccount, company + "/wechat/callback", signin.ScopeProfile},
			"once more": {chattest.Host1001, chattest.InWeChat, access.WeChat, true,
				chattest.CompanyAccount, company + "/wechat/callback", signin.ScopeSilent},
			"the platform's website": {chattest.Host1001, chattest.OnDesktop, access.WeChat, false,
				chattest.PlatformOpen, platform + "/wechat/callback", signin.ScopeScan},
			"the platform's work-chat": {chattest.Host1001, chattest.InWeCom, access.WeCom, false,
				chattest.PlatformCorp, platform + "/wechatpro", signin.ScopeSilent},
			"work-chat on a desktop": {chattest.Host1001, chattest.OnDesktop, access.WeCom, true,
				chattest.PlatformCorp, platform + "/wechatpro", signin.ScopeScan},
			"the platform's account": {chattest.Host1002, chattest.InWeChat, access.WeChat, false,
				chattest.PlatformAccount, platform + "/wechat/callback", signin.ScopeProfile},
			"at the account site": {portaltest.AccountHost, chattest.InWeChat, access.WeChat, false,
				chattest.PlatformAccount, platform + "/wechat/callback", signin.ScopeProfile},
			"at the base": {"portico.test", chattest.InWeChat, access.WeChat, false,
				chattest.PlatformAccount, platform + "/wechat/callback", signin.ScopeProfile},
			"at a company's own domain": {"jinsui.test", chattest.InWeChat, access.WeChat, false,
				chattest.CompanyAccount, "http://jinsui.test/wechat/callback", signin.ScopeProfile},
			"at this machine in dev": {"localhost", chattest.InWeChat, access.WeChat, false,
				chattest.PlatformAccount, "http://localhost/wechat/callback", signin.ScopeProfile},
			"at a host that is no one's": {"nobody.test", chattest.InWeChat, access.WeChat, false,
				chattest.PlatformAccount, platform + "/wechat/callback", signin.ScopeProfile},
		} {
			b := p.Browser(c.host, c.agent)
			b.Known = c.known
			w := b.Begin(c.provider)
			if w.App != c.app || w.Redirect != c.back || w.Scope != c.scope {
				t.Errorf("%s: %+v", name, w)
			}
			if len(w.State) != 40 || strings.Trim(w.State, "0123456789abcdef") != "" {
				t.Errorf("%s: the state %q", name, w.State)
			}
		}
	})
}
