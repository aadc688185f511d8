package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
	"portico/portal/sessions"
)

const (
	WorkChatAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1) Mobile/15E148 wxwork/4.1.30 MicroMessenger/8.0.53"
	Orders1001    = "http://store1001.portico.test/home/orders"
)

func Asking(address, back string) string {
	return address + "?" + url.Values{"return": {back}}.Encode()
}

// Each door begins at a sign-in page with ?return= and returns where the person ends.
func TestEverySignInReturnsToThePageThatThePersonOpened(t *testing.T) {
	password := onboarding.DemoPassword
	doors := map[string]struct {
		agent string
		want  string
		enter func(s *pagestest.Site, b *pagestest.Browser) string
	}{
		"phone and password": {
			want: Orders1001,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/home/orders"))
				return b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000001", "password", password),
					pagestest.Account+"/login")
			},
		},
		"account name": {
			want: Orders1001,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login/account", "/home/orders"))
				return b.ArrivesAt(b.Post(pagestest.Account+"/login/account", "login", "buyer1", "password", password),
					pagestest.Account)
			},
		},
		"a code": {
			want: Orders1001,
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				at := pagestest.Account + "/login/code"
				b.Get(Asking(at, "/home/orders"))
				b.Post(at, "phone", "13800000001", "action", "send_code")
				return b.ArrivesAt(b.Post(at, "phone", "13800000001", "code", s.LastCode("13800000001")), at)
			},
		},
		"a session that ended": {
			want: Orders1001,
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/home/orders"))
				b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000001", "password", password),
					pagestest.Account)
				s.Clock = s.Clock.Add(sessions.ShopIdle + sessions.AccountIdle)
				at := b.Opens(Orders1001)
				if !strings.Contains(at, "done=session_ended") {
					b.T.Errorf("at %s", at)
				}
				return b.ArrivesAt(b.Post(pagestest.ChatHost+"/login", "phone", "13800000001", "password", password),
					pagestest.ChatHost)
			},
		},
		"the company's own domain": {
			want: pagestest.OwnHost + "/mgr/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				NoErr(b.T, s.P.Operator.SetCompany(b.T.Context(), 1001, "pc_domain", pagestest.OwnHost))
				page := pagestest.Text(b.T, b.Get(b.Opens(pagestest.OwnHost+"/mgr/orders")))
				button := pagestest.Found(b.T, page, `href="(http://store1001[^"]*/login[^"]*)"`)
				b.Get(strings.ReplaceAll(button, "&amp;", "&"))
				return b.ArrivesAt(b.Post(pagestest.ChatHost+"/login", "phone", "13800000002", "password", password),
					pagestest.ChatHost)
			},
		},
		"a choice of company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/home/orders"))
				b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000003", "password", password),
					pagestest.Account)
				return b.ArrivesAt(b.Post(pagestest.Account+"/company", "company_id", "1003"),
					pagestest.Account+"/company")
			},
		},
		"the default company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				other := s.Browser()
				other.Post(pagestest.Account+"/login", "phone", "13800000003", "password", password)
				other.Post(pagestest.Account+"/company", "company_id", "1003", "default", "1")
				b.Get(Asking(pagestest.Account+"/login", "/home/orders"))
				return b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000003", "password", password),
					pagestest.Account)
			},
		},
		"an offer to bind a phone": {
			want: Orders1001,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login/account", "/home/orders"))
				b.ArrivesAt(b.Post(pagestest.Account+"/login/account", "login", "nophone", "password", password),
					pagestest.Account)
				return b.ArrivesAt(b.Post(pagestest.Account+"/bind", "action", "skip"), pagestest.Account+"/bind")
			},
		},
		"a first password": {
			want: "http://store1001.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				m, first := s.FirstPassword("nophone")
				b.Get(Asking(pagestest.Account+"/login/account", "/home/orders"))
				at := b.ArrivesAt(b.Post(pagestest.Account+"/login/account", "login", m.Login, "password", first),
					pagestest.Account)
				if at != pagestest.Account+"/password" {
					b.T.Fatalf("at %s", at)
				}
				fields := []string{"old_password", first, "password", "Zitrone77", "confirm_password", "Zitrone77"}
				changed := b.Post(at, fields...)
				if at := b.ArrivesAt(changed, at); at != pagestest.Account+"/bind" {
					b.T.Fatalf("at %s", at)
				}
				return b.ArrivesAt(b.Post(pagestest.Account+"/bind", "action", "skip"), pagestest.Account+"/bind")
			},
		},
		"an offer": {
			want: "http://store1002.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				m := s.Offer("13800000011", "王五")
				b.Get(Asking(pagestest.Account+"/login", "/home/orders"))
				b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000011", "password", password),
					pagestest.Account)
				page := pagestest.Text(b.T, b.Get(pagestest.Account+"/company?all=1"))
				version := pagestest.Found(b.T, page, `name="version" value="([^"]+)"`)
				fields := []string{"action", "accept", "account_id", pagestest.Decimal(m.ID), "version", version}
				return b.ArrivesAt(b.Post(pagestest.Account+"/offers", fields...), pagestest.Account)
			},
		},
		"another account": {
			want: "http://store1001.portico.test/mgr/people",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/mgr/people"))
				b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000003", "password", password),
					pagestest.Account)
				manager := pagestest.Decimal(s.Account("li.manager").ID)
				return b.ArrivesAt(b.Post(pagestest.Account+"/accounts", "action", "enter", "account_id", manager),
					pagestest.Account)
			},
		},
		"a link for a desktop, on a phone": {
			agent: pagestest.PhoneAgent, want: "http://mgr.portico.test/home/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/mgr/orders"))
				return b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000002", "password", password),
					pagestest.Account)
			},
		},
		"a link for a phone, on a desktop": {
			want: Orders1001,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/shop/orders"))
				return b.ArrivesAt(b.Post(pagestest.Account+"/login", "phone", "13800000001", "password", password),
					pagestest.Account)
			},
		},
		"WeChat": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Links("xiao", "13800000001")
				b.Post(pagestest.ChatHost + "/logout")
				b.Get(Asking(pagestest.ChatHost+"/login", "/shop/orders"))
				return b.ArrivesAt(b.ComesBack("xiao"), pagestest.ChatHost)
			},
		},
		"WeChat, as it is connected": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.ChatHost+"/login", "/shop/orders"))
				return b.ArrivesAt(b.Links("xiao", "13800000001"), pagestest.ChatHost)
			},
		},
		"WeChat's own address": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Links("xiao", "13800000001")
				b.Post(pagestest.ChatHost + "/logout")
				to, err := b.Get(Asking(pagestest.ChatHost+"/wechat", "/shop/orders")).Location()
				NoErr(b.T, err)
				callback := pagestest.ChatHost + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
				return b.ArrivesAt(b.Get(callback), pagestest.ChatHost)
			},
		},
		"WeChat, recognised without a cookie": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				s.InApp(pagestest.InWeChat).Links("xiao", "13800000001")
				callback := b.Callback("xiao")
				delete(b.Jar, "store1001.portico.test")
				b.Get(Asking(pagestest.ChatHost+"/login", "/shop/orders")) // the same tab again
				ask := pagestest.HiddenFields(pagestest.Text(b.T, b.Get(callback)))
				ask.Set("action", "continue")
				return b.ArrivesAt(b.Do(http.MethodPost, pagestest.ChatHost+"/wechat/continue", ask),
					pagestest.ChatHost)
			},
		},
		"WeChat from the company's own domain": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				s.InApp(pagestest.InWeChat).Links("xiao", "13800000001")
				page := pagestest.Text(b.T, b.Get(Asking(pagestest.OwnHost+"/login", "/shop/orders")))
				door := strings.ReplaceAll(pagestest.Found(b.T, page, `href="(/wechat[^"]*)"`), "&amp;", "&")
				there := b.Get(pagestest.OwnHost + door).Header.Get("Location")
				to, err := b.Get(there).Location()
				NoErr(b.T, err)
				callback := pagestest.ChatHost + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
				return b.ArrivesAt(b.Get(callback), pagestest.ChatHost)
			},
		},
		"WeCom, by itself": {
			agent: WorkChatAgent,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				page := pagestest.Text(b.T, b.Get(Asking(pagestest.ChatHost+"/login", "/shop/orders")))
				to, err := b.Get(pagestest.ChatHost + pagestest.RefreshOf(b.T, page)).Location()
				NoErr(b.T, err)
				b.Get(pagestest.ChatHost + "/wechatpro?code=wang&state=" + to.Query().Get("state"))
				b.Post(pagestest.ChatHost+"/wechat/link", "phone", "13800000001", "password", password)
				form := pagestest.HiddenFields(pagestest.Text(b.T, b.Get(pagestest.ChatHost+"/wechat/confirm")))
				form.Set("action", "link")
				return b.ArrivesAt(b.Do(http.MethodPost, pagestest.ChatHost+"/wechat/confirm", form),
					pagestest.ChatHost)
			},
		},
		"the native app's token": {
			want:  "http://m.portico.test/shop/orders",
			agent: pagestest.PhoneAgent + " PorticoApp/3.2.1 (iOS)",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(Asking(pagestest.Account+"/login", "/shop/orders"))
				r := b.Do(http.MethodPost, pagestest.Account+"/native/enter",
					url.Values{"app_token": {s.AppToken("buyer1")}},
					"Sec-Fetch-Site", "same-origin")
				at := pagestest.Found(b.T, pagestest.Text(b.T, r), `"location":"([^"]+)"`)
				return b.Opens(strings.ReplaceAll(at, `\u0026`, "&"))
			},
		},
	}
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pagestest.NewChatSite(t)
			b := s.Browser()
			if door.agent != "" {
				b.Agent = door.agent
			}
			if at := door.enter(s, b); at != door.want {
				t.Errorf("at %s, want %s", at, door.want)
			}
		})
	}
}

func NoErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
