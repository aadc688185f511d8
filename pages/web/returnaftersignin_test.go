package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/store"
)

const (
	weComAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1) Mobile/15E148 wxwork/4.1.30 MicroMessenger/8.0.53"
	ordersPage = "http://store1001.portico.test/home/orders"
)

// withReturn returns an address with the query parameter return.
func withReturn(address, back string) string {
	return address + "?" + url.Values{"return": {back}}.Encode()
}

// Each method opens a sign-in page with ?return=, signs in, and returns the address where that ends.
func TestEverySignInReturnsToThePageThatThePersonOpened(t *testing.T) {
	password := onboarding.DemoPassword
	methods := map[string]struct {
		agent string
		want  string
		enter func(s *pagestest.Site, b *pagestest.Browser) string
	}{
		"phone and password": {
			want: ordersPage,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/home/orders"))
				return followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password",
					password),
					pagestest.AccountSite+"/login")
			},
		},
		"account name": {
			want: ordersPage,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login/account", "/home/orders"))
				return followAll(b, b.Post(pagestest.AccountSite+"/login/account", "login", "buyer1", "password",
					password),
					pagestest.AccountSite)
			},
		},
		"a code": {
			want: ordersPage,
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				at := pagestest.AccountSite + "/login/code"
				b.Get(withReturn(at, "/home/orders"))
				b.Post(at, "phone", "13800000001", "action", "send_code")
				return followAll(b, b.Post(at, "phone", "13800000001", "code", s.LastCode("13800000001")), at)
			},
		},
		"a session that ended": {
			want: ordersPage,
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/home/orders"))
				followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password", password),
					pagestest.AccountSite)
				s.Clock = s.Clock.Add(core.ShopIdle + core.AccountIdle)
				at := openAndFollow(b, ordersPage)
				if !strings.Contains(at, "done=session_ended") {
					b.T.Errorf("at %s", at)
				}
				return followAll(b, b.Post(pagestest.ChatSite+"/login", "phone", "13800000001", "password", password),
					pagestest.ChatSite)
			},
		},
		"the company's own domain": {
			want: pagestest.OwnHost + "/mgr/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				fatalOnError(b.T, s.Portal.Operator.SetCompany(b.T.Context(), 1001, "pc_domain", pagestest.OwnHost))
				page := pagestest.Text(b.T, b.Get(openAndFollow(b, pagestest.OwnHost+"/mgr/orders")))
				button := pagestest.FindIn(b.T, page, `href="(http://store1001[^"]*/login[^"]*)"`)
				b.Get(strings.ReplaceAll(button, "&amp;", "&"))
				return followAll(b, b.Post(pagestest.ChatSite+"/login", "phone", "13800000002", "password", password),
					pagestest.ChatSite)
			},
		},
		"a choice of company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/home/orders"))
				followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000003", "password", password),
					pagestest.AccountSite)
				return followAll(b, b.Post(pagestest.AccountSite+"/company", "company_id", "1003"),
					pagestest.AccountSite+"/company")
			},
		},
		"the default company": {
			want: "http://store1003.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				other := s.Browser()
				other.Post(pagestest.AccountSite+"/login", "phone", "13800000003", "password", password)
				other.Post(pagestest.AccountSite+"/company", "company_id", "1003", "default", "1")
				b.Get(withReturn(pagestest.AccountSite+"/login", "/home/orders"))
				return followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000003", "password",
					password),
					pagestest.AccountSite)
			},
		},
		"an offer to bind a phone": {
			want: ordersPage,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login/account", "/home/orders"))
				followAll(b, b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", password),
					pagestest.AccountSite)
				return followAll(b, b.Post(pagestest.AccountSite+"/bind", "action", "skip"),
					pagestest.AccountSite+"/bind")
			},
		},
		"a first password": {
			want: "http://store1001.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				m, first := setFirstPassword(s, "nophone")
				b.Get(withReturn(pagestest.AccountSite+"/login/account", "/home/orders"))
				at := followAll(b, b.Post(pagestest.AccountSite+"/login/account", "login", m.Login, "password", first),
					pagestest.AccountSite)
				if at != pagestest.AccountSite+"/password" {
					b.T.Fatalf("at %s", at)
				}
				fields := []string{"old_password", first, "password", "Zitrone77", "confirm_password", "Zitrone77"}
				changed := b.Post(at, fields...)
				if at := followAll(b, changed, at); at != pagestest.AccountSite+"/bind" {
					b.T.Fatalf("at %s", at)
				}
				return followAll(b, b.Post(pagestest.AccountSite+"/bind", "action", "skip"),
					pagestest.AccountSite+"/bind")
			},
		},
		"an offer": {
			want: "http://store1002.portico.test/home/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				m := s.OfferAccount("13800000011", "王五")
				b.Get(withReturn(pagestest.AccountSite+"/login", "/home/orders"))
				followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000011", "password", password),
					pagestest.AccountSite)
				page := pagestest.Text(b.T, b.Get(pagestest.AccountSite+"/company?all=1"))
				version := pagestest.FindIn(b.T, page, `name="version" value="([^"]+)"`)
				fields := []string{"action", "accept", "account_id", pagestest.Decimal(m.ID), "version", version}
				return followAll(b, b.Post(pagestest.AccountSite+"/offers", fields...), pagestest.AccountSite)
			},
		},
		"another account": {
			want: "http://store1001.portico.test/mgr/people",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/mgr/people"))
				followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000003", "password", password),
					pagestest.AccountSite)
				manager := pagestest.Decimal(s.Account("li.manager").ID)
				return followAll(b, b.Post(pagestest.AccountSite+"/accounts", "action", "enter", "account_id", manager),
					pagestest.AccountSite)
			},
		},
		"a desktop link on a phone": {
			agent: pagestest.PhoneAgent, want: "http://mgr.portico.test/home/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/mgr/orders"))
				return followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000002", "password",
					password),
					pagestest.AccountSite)
			},
		},
		"a phone link on a desktop": {
			want: ordersPage,
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/shop/orders"))
				return followAll(b, b.Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password",
					password),
					pagestest.AccountSite)
			},
		},
		"WeChat": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.LinkWeChat("xiao", "13800000001")
				b.Post(pagestest.ChatSite + "/logout")
				b.Get(withReturn(pagestest.ChatSite+"/login", "/shop/orders"))
				return followAll(b, b.ReturnFromChatApp("xiao"), pagestest.ChatSite)
			},
		},
		"WeChat while it is linked": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.ChatSite+"/login", "/shop/orders"))
				return followAll(b, b.LinkWeChat("xiao", "13800000001"), pagestest.ChatSite)
			},
		},
		"WeChat's own address": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(_ *pagestest.Site, b *pagestest.Browser) string {
				b.LinkWeChat("xiao", "13800000001")
				b.Post(pagestest.ChatSite + "/logout")
				to, err := b.Get(withReturn(pagestest.ChatSite+"/wechat", "/shop/orders")).Location()
				fatalOnError(b.T, err)
				callback := pagestest.ChatSite + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
				return followAll(b, b.Get(callback), pagestest.ChatSite)
			},
		},
		"WeChat, recognised without a cookie": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				s.BrowserWithAgent(pagestest.InWeChat).LinkWeChat("xiao", "13800000001")
				callback := b.CallbackAddress("xiao")
				delete(b.Jar, "store1001.portico.test")
				b.Get(withReturn(pagestest.ChatSite+"/login", "/shop/orders")) // in the same tab
				ask := pagestest.HiddenFields(pagestest.Text(b.T, b.Get(callback)))
				ask.Set("action", "continue")
				return followAll(b, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/continue", ask),
					pagestest.ChatSite)
			},
		},
		"WeChat from the company's own domain": {
			agent: pagestest.InWeChat,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				s.BrowserWithAgent(pagestest.InWeChat).LinkWeChat("xiao", "13800000001")
				page := pagestest.Text(b.T, b.Get(withReturn(pagestest.OwnHost+"/login", "/shop/orders")))
				link := strings.ReplaceAll(pagestest.FindIn(b.T, page, `href="(/wechat[^"]*)"`), "&amp;", "&")
				platform := b.Get(pagestest.OwnHost + link).Header.Get("Location")
				to, err := b.Get(platform).Location()
				fatalOnError(b.T, err)
				callback := pagestest.ChatSite + "/wechat/callback?code=xiao&state=" + to.Query().Get("state")
				return followAll(b, b.Get(callback), pagestest.ChatSite)
			},
		},
		"WeCom by redirect": {
			agent: weComAgent,
			want:  "http://m.portico.test/shop/orders",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				page := pagestest.Text(b.T, b.Get(withReturn(pagestest.ChatSite+"/login", "/shop/orders")))
				to, err := b.Get(pagestest.ChatSite + pagestest.RefreshTarget(b.T, page)).Location()
				fatalOnError(b.T, err)
				b.Get(pagestest.ChatSite + "/wechatpro?code=wang&state=" + to.Query().Get("state"))
				b.Post(pagestest.ChatSite+"/wechat/link", "phone", "13800000001", "password", password)
				form := pagestest.HiddenFields(pagestest.Text(b.T, b.Get(pagestest.ChatSite+"/wechat/confirm")))
				form.Set("action", "link")
				return followAll(b, b.Do(http.MethodPost, pagestest.ChatSite+"/wechat/confirm", form),
					pagestest.ChatSite)
			},
		},
		"the native app's token": {
			want:  "http://m.portico.test/shop/orders",
			agent: pagestest.PhoneAgent + " PorticoApp/3.2.1 (iOS)",
			enter: func(s *pagestest.Site, b *pagestest.Browser) string {
				b.Get(withReturn(pagestest.AccountSite+"/login", "/shop/orders"))
				r := b.Do(http.MethodPost, pagestest.AccountSite+"/native/enter",
					url.Values{"app_token": {s.AppToken("buyer1")}},
					"Sec-Fetch-Site", "same-origin")
				at := pagestest.FindIn(b.T, pagestest.Text(b.T, r), `"location":"([^"]+)"`)
				return openAndFollow(b, strings.ReplaceAll(at, `\u0026`, "&"))
			},
		},
	}
	for name, method := range methods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pagestest.NewChatSite(t)
			b := s.Browser()
			if method.agent != "" {
				b.Agent = method.agent
			}
			if at := method.enter(s, b); at != method.want {
				t.Errorf("at %s, want %s", at, method.want)
			}
		})
	}
}

// fatalOnError fails the test when there is an error.
func fatalOnError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openAndFollow opens an address, follows its HTTP redirects and returns the address where they end.
func openAndFollow(b *pagestest.Browser, address string) string {
	b.T.Helper()
	_, at := b.Follow(b.Get(address), address)
	return at
}

// followAll follows the HTTP redirects and the meta refreshes that begin with an answer, and returns the address where
// they end. It fails the test when they go round in a circle.
func followAll(b *pagestest.Browser, answer *http.Response, from string) string {
	b.T.Helper()
	_, at := lastPage(b, answer, from)
	return at
}

// lastPage is followAll and returns the text of the page, too.
func lastPage(b *pagestest.Browser, answer *http.Response, from string) (page, at string) {
	b.T.Helper()
	r, at := b.Follow(answer, from)
	page = pagestest.Text(b.T, r)
	for strings.Contains(page, `http-equiv="refresh"`) {
		base, err := url.Parse(at)
		if err != nil {
			b.T.Fatal(err)
		}
		target, err := base.Parse(pagestest.RefreshTarget(b.T, page))
		if err != nil {
			b.T.Fatal(err)
		}
		r, at = b.Follow(b.Get(target.String()), target.String())
		page = pagestest.Text(b.T, r)
	}
	return page, at
}

// setFirstPassword gives an account of company 1001 a first password, as an administrator does, and returns both. It
// fails the test when the back office refuses it.
func setFirstPassword(s *pagestest.Site, login string) (m store.Member, password string) {
	s.T.Helper()
	m = s.Account(login)
	b := s.SignInByName("jinsui")
	page := pagestest.Text(s.T, b.Post("http://store1001.portico.test/mgr/people/"+pagestest.Decimal(m.ID), "action",
		"reset_password"))
	return m, pagestest.FindIn(s.T, page, `class="secret" translate="no">([^<]+)<`)
}
