package portal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// agents are User-Agents as they are sent, with where they are and whether they are on a phone.
var agents = []struct {
	name   string
	in     portal.ChatApp
	mobile bool
	agent  string
}{
	{"WeChat on iOS", portal.InWeChat, true, inWeChat},
	{"WeChat on Android", portal.InWeChat, true, "Mozilla/5.0 (Linux; Android 14; 23127PN0CC Build/UKQ1.230804.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.188 Mobile Safari/537.36 XWEB/1260117 MMWEBSDK/20241202 MMWEBID/4893 MicroMessenger/8.0.55.2780(0x28003737) WeChat/arm64 Weixin NetType/5G Language/zh_CN ABI/arm64"},
	{"WeChat on Windows", portal.InWeChat, false, "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116.0.0.0 Safari/537.36 NetType/WIFI MicroMessenger/7.0.20.1781(0x6700143B) WindowsWechat(0x63090c11) XWEB/11529 Flue"},
	{"WeChat on a Mac", portal.InWeChat, false, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) MicroMessenger/6.8.0(0x16080000) MacWechat/3.8.9(0x13080910) XWEB/1227 Flue"},
	{"WeChat shouting", portal.InWeChat, true, strings.ToUpper(inWeChat)},
	{"work-chat on iOS", portal.InWorkChat, true, inWorkChat},
	{"work-chat on Android", portal.InWorkChat, true, "Mozilla/5.0 (Linux; Android 13; V2229A Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160065 MMWEBSDK/20231202 MMWEBID/5 wxwork/4.1.20 MicroMessenger/7.0.1 NetType/WIFI Language/zh Lang/zh ColorScheme/Light"},
	{"work-chat on Windows", portal.InWorkChat, false, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.125 Safari/537.36 wxwork/4.1.33 (MicroMessenger/6.2) WindowsWechat MailPlugin_Electron WeMail embeddisk wwmver/3.26.33.612"},
	{"work-chat on a Mac", portal.InWorkChat, false, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) wxwork/4.1.33 (MicroMessenger/6.2) WeChat/2.0.4 Safari/605.1.15"},
	{"a mini program on iOS", portal.InMiniProgram, true, inWeChat + " miniProgram/wx1234567890abcdef"},
	{"a mini program on Android", portal.InMiniProgram, true, "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240805.005; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 XWEB/1260117 MMWEBSDK/20241202 MicroMessenger/8.0.55.2780(0x28003737) WeChat/arm64 Weixin Android Tablet NetType/WIFI Language/zh_CN ABI/arm64 miniProgram/wx1234567890abcdef"},
	{"a mini program on Windows", portal.InMiniProgram, false, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36 MicroMessenger/7.0.20.1781(0x6700143B) NetType/WIFI MiniProgramEnv/Windows WindowsWechat/WMPF WindowsWechat(0x63090c11) XWEB/11529"},
	{"a mini program in work-chat", portal.InMiniProgram, true, inWorkChat + " miniProgram/ww1234567890abcdef"},
	{"Chrome on a desktop", portal.InBrowser, false, onADesktop},
	{"Safari on a Mac", portal.InBrowser, false, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15"},
	{"Edge on a desktop", portal.InBrowser, false, onADesktop + " Edg/131.0.0.0"},
	{"Firefox on a desktop", portal.InBrowser, false, "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"},
	{"Chrome on a phone", portal.InBrowser, true, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"},
	{"Safari on a phone", portal.InBrowser, true, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"},
	{"the native app on iOS", portal.InWrapper, true, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 PorticoApp/2.4.0 (iOS)"},
	{"the native app on Android", portal.InWrapper, true, "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.0.0 Mobile Safari/537.36 PorticoApp/2.4.0 (Android)"},
	{"nothing", portal.InBrowser, false, ""},
	{"what names MicroMessenger without being it", portal.InBrowser, false, onADesktop + " NotMicroMessenger wxworker"},
}

func doorsIn(in portal.ChatApp, mobile bool) []portal.Door {
	switch {
	case in == portal.InWeChat:
		return []portal.Door{portal.DoorWeChat}
	case in == portal.InWorkChat:
		return []portal.Door{portal.DoorWeCom}
	case in == portal.InBrowser && !mobile:
		return []portal.Door{portal.DoorWeChatQR, portal.DoorWeComQR}
	}
	return nil
}

func TestEachUserAgentHasTheDoorsThatWorkThere(t *testing.T) {
	p := newChatter(t, storetest.SQLite(t))
	with := func(kinds ...store.CredentialKind) func(*portal.Options) {
		return func(o *portal.Options) {
			o.Providers.Apps = slices.DeleteFunc(platformApps(), func(a portal.ProviderApp) bool { return !slices.Contains(kinds, a.Kind) })
		}
	}
	kind := map[portal.Door]store.CredentialKind{
		portal.DoorWeChat: store.WeChatAccount, portal.DoorWeChatQR: store.WeChatOpen, portal.DoorWeCom: store.WeComCorp, portal.DoorWeComQR: store.WeComCorp,
	}
	all := []store.CredentialKind{store.WeChatAccount, store.WeChatOpen, store.WeComCorp}
	for name, c := range map[string]struct {
		platform []store.CredentialKind
		setting  [2]string
		open     []store.CredentialKind // those there are, in 1001
	}{
		"no credentials":                      {open: nil},
		"the platform's":                      {platform: all, open: all},
		"the open platform alone":             {platform: all[1:2], open: all[1:2]},
		"the official account alone":          {platform: all[:1], open: all[:1]},
		"work-chat alone":                     {platform: all[2:], open: all[2:]},
		"the company's account alone":         {setting: [2]string{"wechat", companyAccount + ":" + companySecret}, open: all[:1]},
		"the company's website alone":         {setting: [2]string{"wechat_open", companyAccount + ":" + companySecret}, open: all[1:2]},
		"the company's work-chat alone":       {setting: [2]string{"wecom", "ww00000000000000d1:1000003:" + companySecret}, open: all[2:]},
		"the company's beside the platform's": {platform: all[1:], setting: [2]string{"wechat", companyAccount + ":" + companySecret}, open: all},
		"switched off":                        {platform: all, setting: [2]string{"chat", "off"}, open: nil},
	} {
		p.restart(with(c.platform...))
		for _, setting := range []string{"wechat", "wechat_open", "wecom"} {
			noError(t, p.SetCompany(t.Context(), 1001, setting, ""))
		}
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
		if c.setting[0] != "" {
			noError(t, p.SetCompany(t.Context(), 1001, c.setting[0], c.setting[1]))
		}
		p.clock.advance(2 * time.Second)
		for _, a := range agents {
			if got := portal.ChatAppOf(a.agent); got != a.in {
				t.Fatalf("%s is taken for %s", a.name, got)
			}
			for host, open := range map[string][]store.CredentialKind{host1001: c.open, host1002: c.platform, accountHost: c.platform} {
				want := slices.DeleteFunc(doorsIn(a.in, a.mobile), func(d portal.Door) bool { return !slices.Contains(open, kind[d]) })
				if got := p.Doors(p.place(host), a.agent, a.mobile); !slices.Equal(got, want) {
					t.Errorf("%s, %s at %s: %q, want %q", name, a.name, host, got, want)
				}
			}
		}
	}
}

func TestADoorThatIsNotThereSendsNobodyAnywhere(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		before := p.rows()
		for _, a := range agents {
			for _, provider := range []portal.ProviderName{portal.WeChat, portal.WeCom, "qq", ""} {
				b := p.browser(host1001, a.agent)
				b.mobile = a.mobile
				doors := doorsIn(a.in, a.mobile)
				if slices.ContainsFunc(doors, func(d portal.Door) bool { return d.Provider() == provider }) {
					continue
				}
				_, err := b.tries(provider)
				refused(t, err, portal.WeChatFailed)
			}
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestWithoutAProviderItsDoorsAreNotThere(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		p.restart(func(o *portal.Options) { o.Providers.WeChat, o.Providers.WeCom = nil, nil })
		for _, agent := range []string{inWeChat, inWorkChat, onADesktop} {
			b := p.browser(host1001, agent)
			if doors := p.Doors(p.place(host1001), agent, b.mobile); len(doors) != 0 {
				t.Errorf("there are %q", doors)
			}
			for _, provider := range []portal.ProviderName{portal.WeChat, portal.WeCom} {
				_, err := b.tries(provider)
				refused(t, err, portal.WeChatFailed)
			}
		}
	})
}

func TestTheWayThereIsOfTheApplicationThatAnswers(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		const platform, company = "http://" + accountHost, "http://" + host1001
		for name, c := range map[string]struct {
			host, agent string
			provider    portal.ProviderName
			known       bool
			app, back   string
			scope       portal.Scope
		}{
			"the company's account":      {host1001, inWeChat, portal.WeChat, false, companyAccount, company + "/wechat/callback", portal.ScopeProfile},
			"once more":                  {host1001, inWeChat, portal.WeChat, true, companyAccount, company + "/wechat/callback", portal.ScopeSilent},
			"the platform's website":     {host1001, onADesktop, portal.WeChat, false, platformOpen, platform + "/wechat/callback", portal.ScopeScan},
			"the platform's work-chat":   {host1001, inWorkChat, portal.WeCom, false, platformCorp, platform + "/wechatpro", portal.ScopeSilent},
			"work-chat on a desktop":     {host1001, onADesktop, portal.WeCom, true, platformCorp, platform + "/wechatpro", portal.ScopeScan},
			"the platform's account":     {host1002, inWeChat, portal.WeChat, false, platformAccount, platform + "/wechat/callback", portal.ScopeProfile},
			"at the account site":        {accountHost, inWeChat, portal.WeChat, false, platformAccount, platform + "/wechat/callback", portal.ScopeProfile},
			"at the base":                {"portico.test", inWeChat, portal.WeChat, false, platformAccount, platform + "/wechat/callback", portal.ScopeProfile},
			"at a company's own domain":  {"jinsui.test", inWeChat, portal.WeChat, false, companyAccount, "http://jinsui.test/wechat/callback", portal.ScopeProfile},
			"at this machine in dev":     {"localhost", inWeChat, portal.WeChat, false, platformAccount, "http://localhost/wechat/callback", portal.ScopeProfile},
			"at a host that is no one's": {"nobody.test", inWeChat, portal.WeChat, false, platformAccount, platform + "/wechat/callback", portal.ScopeProfile},
		} {
			b := p.browser(c.host, c.agent)
			b.known = c.known
			w := b.goes(c.provider)
			if w.app != c.app || w.redirect != c.back || w.scope != c.scope {
				t.Errorf("%s: %+v", name, w)
			}
			if len(w.state) != 40 || strings.Trim(w.state, "0123456789abcdef") != "" {
				t.Errorf("%s: the state %q", name, w.state)
			}
		}
	})
}
