package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/portal/onboarding"
	"portico/portal/sessions"
	"portico/store"
)

const (
	workChatAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1) Mobile/15E148 wxwork/4.1.30 MicroMessenger/8.0.53"
	orders1001    = "http://store1001.portico.test/home/orders"
)

// opens opens an address and follows all redirects, those of pages that go on by themselves included.
func (b *browser) opens(address string) string {
	b.t.Helper()
	_, at := b.follow(b.get(address), address)
	return at
}

// arrivesAt follows the answer to a form to the page where the person ends.
func (b *browser) arrivesAt(answer *http.Response, from string) string {
	b.t.Helper()
	r, at := b.follow(answer, from)
	page := text(b.t, r)
	for strings.Contains(page, `http-equiv="refresh"`) {
		next, err := url.Parse(at)
		if err != nil {
			b.t.Fatal(err)
		}
		to, err := next.Parse(refreshOf(b.t, page))
		if err != nil {
			b.t.Fatal(err)
		}
		r, at = b.follow(b.get(to.String()), to.String())
		page = text(b.t, r)
	}
	b.lastPage = page
	return at
}

func asking(address, back string) string {
	return address + "?" + url.Values{"return": {back}}.Encode()
}

// Each door begins at a sign-in page with ?return= and returns where the person ends.
func TestEveryDoorLeadsBackToThePageThatThePersonCameFor(t *testing.T) {
	password := onboarding.DemoPassword
	doors := map[string]struct {
		agent string
		want  string
		enter func(s *site, b *browser) string
	}{
		"phone and password": {
			want: orders1001,
			enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login", "/home/orders"))
				return b.arrivesAt(b.post(account+"/login", "phone", "13800000001", "password", password), account+"/login")
			},
		},
		"account name": {
			want: orders1001,
			enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login/account", "/home/orders"))
				return b.arrivesAt(b.post(account+"/login/account", "login", "buyer1", "password", password), account)
			},
		},
		"a code": {
			want: orders1001,
			enter: func(s *site, b *browser) string {
				at := account + "/login/code"
				b.get(asking(at, "/home/orders"))
				b.post(at, "phone", "13800000001", "action", "send_code")
				return b.arrivesAt(b.post(at, "phone", "13800000001", "code", s.lastCode("13800000001")), at)
			},
		},
		"a session that ended": {
			want: orders1001,
			enter: func(s *site, b *browser) string {
				b.get(asking(account+"/login", "/home/orders"))
				b.arrivesAt(b.post(account+"/login", "phone", "13800000001", "password", password), account)
				s.clock = s.clock.Add(sessions.ShopIdle + sessions.AccountIdle)
				at := b.opens(orders1001)
				if !strings.Contains(at, "done=session_ended") {
					b.t.Errorf("at %s", at)
				}
				return b.arrivesAt(b.post(chatHost+"/login", "phone", "13800000001", "password", password), chatHost)
			},
		},
		"the company's own domain": {
			want: ownHost + "/mgr/orders",
			enter: func(s *site, b *browser) string {
				noErr(b.t, s.p.Operator.SetCompany(b.t.Context(), 1001, "pc_domain", ownHost))
				page := text(b.t, b.get(b.opens(ownHost+"/mgr/orders")))
				button := found(b.t, page, `href="(http://store1001[^"]*/login[^"]*)"`)
				b.get(strings.ReplaceAll(button, "&amp;", "&"))
				return b.arrivesAt(b.post(chatHost+"/login", "phone", "13800000002", "password", password), chatHost)
			},
		},
		"a choice of company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login", "/home/orders"))
				b.arrivesAt(b.post(account+"/login", "phone", "13800000003", "password", password), account)
				return b.arrivesAt(b.post(account+"/company", "company_id", "1003"), account+"/company")
			},
		},
		"the default company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(s *site, b *browser) string {
				other := s.browser()
				other.post(account+"/login", "phone", "13800000003", "password", password)
				other.post(account+"/company", "company_id", "1003", "default", "1")
				b.get(asking(account+"/login", "/home/orders"))
				return b.arrivesAt(b.post(account+"/login", "phone", "13800000003", "password", password), account)
			},
		},
		"an offer to bind a phone": {
			want: orders1001,
			enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login/account", "/home/orders"))
				b.arrivesAt(b.post(account+"/login/account", "login", "nophone", "password", password), account)
				return b.arrivesAt(b.post(account+"/bind", "action", "skip"), account+"/bind")
			},
		},
		"a first password": {
			want: "http://store1001.portico.test/home/orders",
			enter: func(s *site, b *browser) string {
				m, first := s.firstPassword("nophone")
				b.get(asking(account+"/login/account", "/home/orders"))
				at := b.arrivesAt(b.post(account+"/login/account", "login", m.Login, "password", first), account)
				if at != account+"/password" {
					b.t.Fatalf("at %s", at)
				}
				fields := []string{"old_password", first, "password", "Zitrone77", "confirm_password", "Zitrone77"}
				changed := b.post(at, fields...)
				if at := b.arrivesAt(changed, at); at != account+"/bind" {
					b.t.Fatalf("at %s", at)
				}
				return b.arrivesAt(b.post(account+"/bind", "action", "skip"), account+"/bind")
			},
		},
		"an offer": {
			want: "http://store1002.portico.test/home/orders",
			enter: func(s *site, b *browser) string {
				m := s.offer("13800000011", "王五")
				b.get(asking(account+"/login", "/home/orders"))
				b.arrivesAt(b.post(account+"/login", "phone", "13800000011", "password", password), account)
				page := text(b.t, b.get(account+"/company?all=1"))
				version := found(b.t, page, `name="version" value="([^"]+)"`)
				fields := []string{"action", "accept", "account_id", decimal(m.ID), "version", version}
				return b.arrivesAt(b.post(account+"/offers", fields...), account)
			},
		},
		"another account": {
			want: "http://store1001.portico.test/mgr/people",
			enter: func(s *site, b *browser) string {
				b.get(asking(account+"/login", "/mgr/people"))
				b.arrivesAt(b.post(account+"/login", "phone", "13800000003", "password", password), account)
				manager := decimal(s.account("li.manager").ID)
				return b.arrivesAt(b.post(account+"/accounts", "action", "enter", "account_id", manager), account)
			},
		},
		"a link for a desktop, on a phone": {
			agent: phoneAgent, want: "http://mgr.portico.test/home/orders", enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login", "/mgr/orders"))
				return b.arrivesAt(b.post(account+"/login", "phone", "13800000002", "password", password), account)
			},
		},
		"a link for a phone, on a desktop": {
			want: orders1001,
			enter: func(_ *site, b *browser) string {
				b.get(asking(account+"/login", "/shop/orders"))
				return b.arrivesAt(b.post(account+"/login", "phone", "13800000001", "password", password), account)
			},
		},
		"WeChat": {
			agent: inWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *site, b *browser) string {
				b.links("xiao", "13800000001")
				b.post(chatHost + "/logout")
				b.get(asking(chatHost+"/login", "/shop/orders"))
				return b.arrivesAt(b.comesBack("xiao"), chatHost)
			},
		},
		"WeChat, as it is connected": {
			agent: inWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *site, b *browser) string {
				b.get(asking(chatHost+"/login", "/shop/orders"))
				return b.arrivesAt(b.links("xiao", "13800000001"), chatHost)
			},
		},
		"WeChat's own address": {
			agent: inWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *site, b *browser) string {
				b.links("xiao", "13800000001")
				b.post(chatHost + "/logout")
				to, err := b.get(asking(chatHost+"/wechat", "/shop/orders")).Location()
				noErr(b.t, err)
				return b.arrivesAt(b.get(chatHost+"/wechat/callback?code=xiao&state="+to.Query().Get("state")), chatHost)
			},
		},
		"WeChat, recognised without a cookie": {
			agent: inWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *site, b *browser) string {
				s.inApp(inWeChat).links("xiao", "13800000001")
				callback := b.callback("xiao")
				delete(b.jar, "store1001.portico.test")
				b.get(asking(chatHost+"/login", "/shop/orders")) // the same tab again
				ask := hiddenFields(text(b.t, b.get(callback)))
				ask.Set("action", "continue")
				return b.arrivesAt(b.do(http.MethodPost, chatHost+"/wechat/continue", ask), chatHost)
			},
		},
		"WeChat from the company's own domain": {
			agent: inWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *site, b *browser) string {
				s.inApp(inWeChat).links("xiao", "13800000001")
				page := text(b.t, b.get(asking(ownHost+"/login", "/shop/orders")))
				door := strings.ReplaceAll(found(b.t, page, `href="(/wechat[^"]*)"`), "&amp;", "&")
				there := b.get(ownHost + door).Header.Get("Location")
				to, err := b.get(there).Location()
				noErr(b.t, err)
				return b.arrivesAt(b.get(chatHost+"/wechat/callback?code=xiao&state="+to.Query().Get("state")), chatHost)
			},
		},
		"WeCom, by itself": {
			agent: workChatAgent,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *site, b *browser) string {
				page := text(b.t, b.get(asking(chatHost+"/login", "/shop/orders")))
				to, err := b.get(chatHost + refreshOf(b.t, page)).Location()
				noErr(b.t, err)
				b.get(chatHost + "/wechatpro?code=wang&state=" + to.Query().Get("state"))
				b.post(chatHost+"/wechat/link", "phone", "13800000001", "password", password)
				form := hiddenFields(text(b.t, b.get(chatHost+"/wechat/confirm")))
				form.Set("action", "link")
				return b.arrivesAt(b.do(http.MethodPost, chatHost+"/wechat/confirm", form), chatHost)
			},
		},
		"the native app's token": {
			want:  "http://m.portico.test/shop/orders",
			agent: phoneAgent + " PorticoApp/3.2.1 (iOS)",
			enter: func(s *site, b *browser) string {
				b.get(asking(account+"/login", "/shop/orders"))
				r := b.do(http.MethodPost, account+"/native/enter", url.Values{"app_token": {s.appToken("buyer1")}},
					"Sec-Fetch-Site", "same-origin")
				at := found(b.t, text(b.t, r), `"location":"([^"]+)"`)
				return b.opens(strings.ReplaceAll(at, `\u0026`, "&"))
			},
		},
	}
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChatSite(t)
			b := s.browser()
			if door.agent != "" {
				b.agent = door.agent
			}
			if at := door.enter(s, b); at != door.want {
				t.Errorf("at %s, want %s", at, door.want)
			}
		})
	}
}

// firstPassword gives an account a first password, as an administrator does.
func (s *site) firstPassword(login string) (m store.Member, password string) {
	s.t.Helper()
	m = s.account(login)
	b := s.named("jinsui")
	page := text(s.t, b.post("http://store1001.portico.test/mgr/people/"+decimal(m.ID), "action", "reset_password"))
	return m, found(s.t, page, `class="secret" translate="no">([^<]+)<`)
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
