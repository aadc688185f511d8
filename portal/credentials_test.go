package portal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// samplesOnly are tables that nothing of this reaches, and that take long to read.
var samplesOnly = []string{"products", "orders", "order_lines", "categories"}

func (p *chatter) doors(company int64) string { return p.company(company).ChatDoors }

func TestTheOperatorGivesACompanyApplicationsOfItsOwn(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for _, c := range []struct {
			name, value string
			good        bool
			doors       string
		}{
			{"wechat", "wx00000000000000c1:" + companySecret, true, "wechat"},
			{"wechat", "wx00000000000000c2:" + companySecret, true, "wechat"},
			{"wechat", "wx00000000000000c2", false, ""}, {"wechat", "wx00000000000000c2:", false, ""}, {"wechat", ":" + companySecret, false, ""},
			{"wechat", "WX00000000000000C2:" + companySecret, false, ""}, {"wechat", "wx00000000000000c2:short", false, ""}, {"wechat", "wx0000c2:" + companySecret, false, ""},
			{"wechat", "wx00000000000000c2:1000001:" + companySecret, false, ""}, {"wechat", "wx00000000000000c2:" + companySecret + "\n", false, ""},
			{"wechat", " wx00000000000000c2:" + companySecret, false, ""}, {"wechat", "wx00000000000000c2:" + companySecret + strings.Repeat("x", 128), false, ""},
			{"wechat", "off", false, ""}, {"wechat", "https://evil.test/" + companySecret, false, ""},
			{"wechat_open", "wx00000000000000c3:" + companySecret, true, "wechat wechat_open"},
			{"wecom", "wx00000000000000c4:" + companySecret, false, ""}, {"wecom", "ww00000000000000c4:" + companySecret, false, ""},
			{"wecom", "ww00000000000000c4:agent:" + companySecret, false, ""}, {"wecom", "ww00000000000000c4::" + companySecret, false, ""},
			{"wecom", "ww00000000000000c4:1000001:" + companySecret, true, "wechat wechat_open wecom"},
			{"wechat", "", true, "wechat_open wecom"},
			{"wechat", "", true, "wechat_open wecom"}, // twice is no fault
			{"chat", "", false, ""}, {"chat", "yes", false, ""}, {"chat", "OFF", false, ""},
			{"chat", "off", true, "off"}, {"chat", "off", true, "off"},
			{"wechat_open", "", true, "off"}, // what is switched off stays so
			{"wechat", "wx00000000000000c2:" + companySecret, true, "off"},
			{"chat", "on", true, "wechat wecom"}, {"chat", "on", true, "wechat wecom"},
			{"wechat", "", true, "wecom"}, {"wecom", "", true, ""}, {"chat", "on", true, ""}, {"chat", "off", true, "off"}, {"wecom", "", true, "off"},
		} {
			before, set := "", p.events(1001, "company_set")
			if !c.good {
				before = p.rows(samplesOnly...)
			}
			err := p.SetCompany(t.Context(), 1001, c.name, c.value)
			if err != nil && strings.Contains(err.Error(), companySecret) {
				t.Errorf("%s: the secret is told", c.name)
			}
			switch {
			case !c.good && (!errors.Is(err, portal.ErrSetting) || p.rows(samplesOnly...) != before):
				t.Errorf("%s=%q: %v, or something was written", c.name, c.value, err)
			case c.good && (err != nil || p.doors(1001) != c.doors || p.events(1001, "company_set") != set+1):
				t.Errorf("%s=%q: %v, the doors are %q, want %q", c.name, c.value, err, p.doors(1001), c.doors)
			}
		}
		if p.doors(1002) != "" || strings.Contains(p.rows(), "company_credentials [") {
			t.Error("something is left")
		}
	})
}

func TestAnApplicationIsOneCompanys(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		before := p.rows()
		err := p.SetCompany(t.Context(), 1002, "wechat", companyAccount+":"+companySecret+"2")
		if !errors.Is(err, portal.ErrSetting) || p.rows() != before || strings.Contains(err.Error(), companySecret) {
			t.Errorf("%v", err)
		}
		if own, err := p.db.CompaniesOfApp(t.Context(), store.WeChatAccount, companyAccount); err != nil || !slices.Equal(own, []int64{1001}) {
			t.Errorf("%v %v", own, err)
		}
		if own, err := p.db.CompaniesOfApp(t.Context(), store.WeChatOpen, companyAccount); err != nil || len(own) > 0 {
			t.Errorf("of another kind: %v %v", own, err)
		}
		noError(t, p.SetCompany(t.Context(), 1001, "wechat", ""))
		noError(t, p.SetCompany(t.Context(), 1002, "wechat", companyAccount+":"+companySecret))
		if err := p.SetCompany(t.Context(), 424242, "wechat", companyAccount+":"+companySecret); err == nil || strings.Contains(err.Error(), companySecret) {
			t.Errorf("a company that is none: %v", err)
		}
	})
}

func TestCredentialsChangedWhileSomebodyIsAwayEndTheirWay(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		for name, change := range map[string]func(){
			"its own now":    func() { p.own(1001) },
			"another of its": func() { noError(t, p.SetCompany(t.Context(), 1001, "wechat", "wx00000000000000c9:"+companySecret)) },
			"the platform's": func() { noError(t, p.SetCompany(t.Context(), 1001, "wechat", "")) },
			"switched off":   func() { noError(t, p.SetCompany(t.Context(), 1001, "chat", "off")) },
		} {
			noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
			if name != "its own now" {
				p.own(1001)
			}
			p.clock.advance(2 * time.Second)
			b := p.browser(host1001, inWeChat)
			w := b.goes(portal.WeChat)
			code, asked := p.wechat.grants(w.app, xiao), p.wechat.count("exchange")
			change()
			p.clock.advance(2 * time.Second)
			_, err := b.returns(w, code)
			want := portal.WeChatExpired // authorising again helps
			if name == "switched off" {
				want = portal.WeChatFailed
			}
			refused(t, err, want)
			if p.wechat.count("exchange") != asked {
				t.Errorf("%s: the code was exchanged", name)
			}
			noError(t, p.SetCompany(t.Context(), 1001, "wechat", ""))
		}
	})
}

func TestACompanyThatIsSwitchedOffKeepsItsLinksForLater(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "off"))
		p.clock.advance(2 * time.Second)
		_, err := b.tries(portal.WeChat)
		refused(t, err, portal.WeChatFailed)
		p.wantLinks(1)
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
		p.clock.advance(2 * time.Second)
		b.signs(portal.WeChat, xiao)
	})
}

func TestAnApplicationTellsItsSecretToNoOneWhoPrintsIt(t *testing.T) {
	for _, app := range platformApps() {
		read, ok := portal.ReadProviderApp(app.Kind, strings.ReplaceAll(app.ID+":"+app.Agent+":"+app.Secret, "::", ":"))
		if !ok || read != app {
			t.Errorf("%v is read as %v", app, read)
		}
	}
	p := new(journal)
	log := newLog(p)
	for _, app := range platformApps() {
		log.InfoContext(context.Background(), "app", "app", app, "apps", []portal.ProviderApp{app}, "all", portal.Providers{Apps: platformApps()})
	}
	if strings.Contains(p.String(), platformSecret) {
		t.Errorf("%s", p)
	}
}
