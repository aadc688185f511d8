package signin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
)

// SamplesOnly are tables that these tests never change. They are left out of comparisons because reading them is slow.
var SamplesOnly = []string{"products", "orders", "order_lines", "categories"}

func TestTheOperatorSetsACompanysOwnChatApplications(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for _, c := range []struct {
			name, value string
			good        bool
			doors       string
		}{
			{"wechat", "wx00000000000000c1:" + chattest.CompanySecret, true, "wechat"},
			{"wechat", "wx00000000000000c2:" + chattest.CompanySecret, true, "wechat"},
			{"wechat", "wx00000000000000c2", false, ""}, {"wechat", "wx00000000000000c2:", false, ""},
			{"wechat", ":" + chattest.CompanySecret, false, ""},
			{"wechat", "WX00000000000000C2:" + chattest.CompanySecret, false, ""},
			{"wechat", "wx00000000000000c2:short", false, ""},
			{"wechat", "wx0000c2:" + chattest.CompanySecret, false, ""},
			{"wechat", "wx00000000000000c2:1000001:" + chattest.CompanySecret, false, ""},
			{"wechat", "wx00000000000000c2:" + chattest.CompanySecret + "\n", false, ""},
			{"wechat", " wx00000000000000c2:" + chattest.CompanySecret, false, ""},
			{"wechat", "wx00000000000000c2:" + chattest.CompanySecret + strings.Repeat("x", 128), false, ""},
			{"wechat", "off", false, ""}, {"wechat", "https://evil.test/" + chattest.CompanySecret, false, ""},
			{"wechat_open", "wx00000000000000c3:" + chattest.CompanySecret, true, "wechat wechat_open"},
			{"wecom", "wx00000000000000c4:" + chattest.CompanySecret, false, ""},
			{"wecom", "ww00000000000000c4:" + chattest.CompanySecret, false, ""},
			{"wecom", "ww00000000000000c4:agent:" + chattest.CompanySecret, false, ""},
			{"wecom", "ww00000000000000c4::" + chattest.CompanySecret, false, ""},
			{"wecom", "ww00000000000000c4:1000001:" + chattest.CompanySecret, true, "wechat wechat_open wecom"},
			{"wechat", "", true, "wechat_open wecom"},
			{"wechat", "", true, "wechat_open wecom"}, // twice is no fault
			{"chat", "", false, ""}, {"chat", "yes", false, ""}, {"chat", "OFF", false, ""},
			{"chat", "off", true, "off"}, {"chat", "off", true, "off"},
			{"wechat_open", "", true, "off"}, // what is switched off stays so
			{"wechat", "wx00000000000000c2:" + chattest.CompanySecret, true, "off"},
			{"chat", "on", true, "wechat wecom"}, {"chat", "on", true, "wechat wecom"},
			{"wechat", "", true, "wecom"}, {"wecom", "", true, ""}, {"chat", "on", true, ""},
			{"chat", "off", true, "off"}, {"wecom", "", true, "off"},
		} {
			before, set := "", p.CountEvents(1001, "company_set")
			if !c.good {
				before = p.DumpRows(SamplesOnly...)
			}
			err := p.Operator.SetCompany(t.Context(), 1001, c.name, c.value)
			if err != nil && strings.Contains(err.Error(), chattest.CompanySecret) {
				t.Errorf("%s: the secret is shown", c.name)
			}
			switch {
			case !c.good && (!errors.Is(err, office.ErrSetting) || p.DumpRows(SamplesOnly...) != before):
				t.Errorf("%s=%q: %v, or something was written", c.name, c.value, err)
			case c.good && (err != nil || chatMethods(p, 1001) != c.doors ||
				p.CountEvents(1001, "company_set") != set+1):
				t.Errorf("%s=%q: %v, the methods are %q, want %q", c.name, c.value, err, chatMethods(p, 1001), c.doors)
			}
		}
		if chatMethods(p, 1002) != "" || strings.Contains(p.DumpRows(), "company_credentials [") {
			t.Error("something is left")
		}
	})
}

func TestAChatApplicationBelongsToOneCompany(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		before := p.DumpRows()
		err := p.Operator.SetCompany(
			t.Context(), 1002, "wechat", chattest.CompanyAccount+":"+chattest.CompanySecret+"2",
		)
		if !errors.Is(err, office.ErrSetting) || p.DumpRows() != before ||
			strings.Contains(err.Error(), chattest.CompanySecret) {
			t.Errorf("%v", err)
		}
		if own, err := p.DB.Credentials.CompaniesOfApp(t.Context(), store.WeChatAccount,
			chattest.CompanyAccount); err != nil ||
			!slices.Equal(own, []int64{1001}) {
			t.Errorf("%v %v", own, err)
		}
		if own, err := p.DB.Credentials.CompaniesOfApp(t.Context(), store.WeChatOpen,
			chattest.CompanyAccount); err != nil ||
			len(own) > 0 {
			t.Errorf("of another kind: %v %v", own, err)
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
		portaltest.NoError(
			t,
			p.Operator.SetCompany(t.Context(), 1002, "wechat", chattest.CompanyAccount+":"+chattest.CompanySecret),
		)
		if err := p.Operator.SetCompany(
			t.Context(), 424242, "wechat", chattest.CompanyAccount+":"+chattest.CompanySecret,
		); err == nil ||
			strings.Contains(err.Error(), chattest.CompanySecret) {
			t.Errorf("a company that is none: %v", err)
		}
	})
}

func TestChangingCredentialsEndsAuthorisationsThatHaveBegun(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for name, change := range map[string]func(){
			"its own now": func() { p.UseOwnWeChat(1001) },
			"another of its": func() {
				portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat",
					"wx00000000000000c9:"+chattest.CompanySecret))
			},
			"the platform's": func() { portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat", "")) },
			"switched off":   func() { portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off")) },
		} {
			portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
			if name != "its own now" {
				p.UseOwnWeChat(1001)
			}
			p.Clock.Advance(2 * time.Second)
			b := p.Browser(chattest.Host1001, chattest.InWeChat)
			w := b.Begin(access.WeChat)
			code, asked := p.Wechat.Grant(w.App, chattest.Xiao), p.Wechat.Count("exchange")
			change()
			p.Clock.Advance(2 * time.Second)
			_, err := b.Finish(w, code)
			want := access.WeChatExpired // authorising again helps
			if name == "switched off" {
				want = access.WeChatFailed
			}
			portaltest.Refused(t, err, want)
			if p.Wechat.Count("exchange") != asked {
				t.Errorf("%s: the code was exchanged", name)
			}
			portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "wechat", ""))
		}
	})
}

func TestACompanyWithChatOffKeepsItsLinks(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "off"))
		p.Clock.Advance(2 * time.Second)
		_, err := b.TryBegin(access.WeChat)
		portaltest.Refused(t, err, access.WeChatFailed)
		p.WantLinks(1)
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		p.Clock.Advance(2 * time.Second)
		b.SignIn(access.WeChat, chattest.Xiao)
	})
}

func TestPrintingAChatApplicationDoesNotShowItsSecret(t *testing.T) {
	for _, app := range chattest.PlatformApps() {
		read, ok := signin.ReadProviderApp(
			app.Kind, strings.ReplaceAll(app.ID+":"+app.Agent+":"+app.Secret, "::", ":"),
		)
		if !ok || read != app {
			t.Errorf("%v is read as %v", app, read)
		}
	}
	p := new(portaltest.LogBuffer)
	log := portaltest.NewLogger(p)
	for _, app := range chattest.PlatformApps() {
		log.InfoContext(
			context.Background(),
			"app",
			"app",
			app,
			"apps",
			[]signin.ProviderApp{app},
			"all",
			signin.Providers{Apps: chattest.PlatformApps()},
		)
	}
	if strings.Contains(p.String(), chattest.PlatformSecret) {
		t.Errorf("%s", p)
	}
}

// chatMethods returns the kinds of the company's own credentials, as they are stored.
func chatMethods(p *chattest.ChatPlatform, company int64) string { return p.Company(company).ChatDoors }
