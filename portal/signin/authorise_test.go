package signin_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
)

// WantUnknownState fails the test unless a callback was refused because its state was not issued here.
func WantUnknownState(t *testing.T, what string, back signin.Callback, err error) {
	t.Helper()
	if with := new(
		access.Refused,
	); !errors.As(err, &with) || with.Refusal != access.WeChatFailed || !with.Strange ||
		back != (signin.Callback{}) {
		t.Errorf("%s: %+v, %v", what, back, err)
	}
}

func TestAStateWorksOnceForTheBrowserCompanyHostAndProviderThatBeganIt(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		w := b.Begin(access.WeChat)
		if other := b.Begin(access.WeChat); other.State == w.State || len(w.State) != 40 { // 20 bytes in hex
			t.Fatalf("two authorisations with the states %s and %s", w.State, other.State)
		}
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		before := p.DumpRows()
		for name, try := range map[string]func() (signin.Callback, error){
			"another browser": func() (signin.Callback, error) {
				return p.Browser(chattest.Host1001, chattest.InWeChat).Finish(w, code)
			},
			"another company": func() (signin.Callback,
				error) {
				return b.AtHost(chattest.Host1002).Finish(w, code)
			},
			"the company's domain": func() (signin.Callback,
				error) {
				return b.AtHost("jinsui.test").Finish(w, code)
			},
			"the base": func() (signin.Callback,
				error) {
				return b.AtHost("portico.test").Finish(w, code)
			},
			"a landing host": func() (signin.Callback,
				error) {
				return b.AtHost("m.portico.test").Finish(w, code)
			},
			"no one's host": func() (signin.Callback, error) { return b.AtHost("nobody.test").Finish(w, code) },
			"without a cookie at another company": func() (signin.Callback, error) {
				return b.WithoutCookie().AtHost(chattest.Host1002).Finish(w, code)
			},
			"another provider": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeCom, State: w.State}, code)
			},
			"no state": func() (signin.Callback,
				error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat}, code)
			},
			"a shorter state": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: w.State[:38]}, code)
			},
			"a longer state": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: w.State + "00"}, code)
			},
			"a state in capitals": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: "F" + w.State[1:]}, code)
			},
			"a made-up state": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: strings.Repeat("a", 40)}, code)
			},
			"a huge state": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: strings.Repeat("a", 1<<20)},
					code)
			},
			"the stored form of the state": func() (signin.Callback, error) {
				return b.Finish(chattest.Authorisation{Provider: access.WeChat, State: access.Hashed(w.State)[:40]},
					code)
			},
		} {
			back, err := try()
			WantUnknownState(t, name, back, err)
		}
		if p.DumpRows() != before || p.Wechat.Count("exchange") != 1 {
			t.Error("something was written, or the provider was asked")
		}
		if n := p.Log.Count(`"event":"authorisation_refused"`); n != 15 {
			t.Errorf("the log has %d", n)
		}
		back, err := b.Finish(w, code)
		portaltest.NoError(t, err)
		if back.Login == nil || !p.BelongsTo(back.Login.Session, portaltest.BuyerPhone) {
			t.Errorf("%+v", back)
		}
		_, err = b.Finish(w, p.Wechat.Grant(w.App, chattest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.Wechat.Count("exchange") != 2 {
			t.Error("a second code of the same state was exchanged")
		}
	})
}

func TestAStateLastsTenMinutes(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		first, second := b.Begin(access.WeChat), b.Begin(access.WeChat)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		back, err := b.Finish(first, p.Wechat.Grant(first.App, chattest.Xiao))
		if err != nil || back.Login == nil {
			t.Errorf("at the last moment: %v", err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err = b.Finish(second, p.Wechat.Grant(second.App, chattest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = b.AtHost(portaltest.AccountHost).Finish(second, p.Wechat.Grant(second.App, chattest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.Wechat.Count("exchange") != 2 {
			t.Error("the code of a state that had ended was exchanged")
		}
	})
}

func TestTheAccountSiteRedirectsACallbackToItsHostWithoutUsingIt(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for _, host := range []string{chattest.Host1001, "astore1001.portico.test", "portico.test"} {
			b := p.Browser(host, chattest.InWeChat)
			w := b.Begin(access.WeChat)
			code := p.Wechat.Grant(w.App, chattest.Identity(len(host))) + "&x=/?"
			asked := p.Wechat.Count("exchange")
			// account. has other cookies
			for _, visitor := range []*chattest.Browser{b.AtHost(portaltest.AccountHost),
				b.WithoutCookie().AtHost(portaltest.AccountHost),
				p.Browser(portaltest.AccountHost, chattest.InWeChat)} {
				back, err := visitor.Finish(w, code)
				portaltest.NoError(t, err)
				u, err := url.Parse(back.RedirectURL)
				portaltest.NoError(t, err)
				q := u.Query()
				if u.Scheme != "http" || u.Host != host || u.Path != "/wechat/callback" || len(q) != 2 ||
					q.Get("state") != w.State ||
					q.Get("code") != code {
					t.Errorf("%s: sent to %s", host, back.RedirectURL)
				}
				if back.Login != nil || back.Ticket != "" || back.ConfirmToken != "" {
					t.Errorf("%s: %+v", host, back)
				}
			}
			if p.Wechat.Count("exchange") != asked {
				t.Error("the code was exchanged on the way")
			}
			declined, err := b.AtHost(portaltest.AccountHost).Finish(w, "")
			if err != nil || !strings.HasPrefix(declined.RedirectURL, "http://"+host+"/wechat/callback?state=") {
				t.Errorf("%s: declined: %+v %v", host, declined, err)
			}
		}
		silent := p.Browser(chattest.Host1001, chattest.InWeCom).Begin(access.WeCom)
		back, err := p.Browser(portaltest.AccountHost, chattest.InWeCom).Finish(silent, "a-code-of-work-chat")
		if err != nil ||
			!strings.HasPrefix(
				back.RedirectURL,
				"http://"+chattest.Host1001+"/wechatpro?code=a-code-of-work-chat&state=",
			) {
			t.Errorf("work-chat: %+v %v", back, err)
		}
	})
}

func TestACallbackIsRedirectedOnlyToHostsOfThePlatform(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for i, host := range []string{"jinsui.test", "nobody.test"} {
			state := strings.Repeat(string('a'+rune(i)), 40)
			portaltest.NoError(t, p.DB.Authorisations.Add(t.Context(), store.Authorisation{
				ID: access.Hashed(state), Provider: string(access.WeChat), Method: string(signin.MethodWeChat),
				CompanyID: 1001, Host: host, Origin: "http://" + host,
				CreatedAt: store.At(p.Clock.Now()), ExpiresAt: store.At(p.Clock.In(time.Minute)),
			}))
			w := chattest.Authorisation{Provider: access.WeChat, State: state}
			back, err := p.Browser(portaltest.AccountHost, chattest.InWeChat).Finish(w, "a-code-of-somebody")
			WantUnknownState(t, host, back, err)
		}
	})
}

func TestACompanysOwnApplicationReturnsToTheDomainWhereItBegan(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.UseOwnWeChat(1001)
		b := p.Browser("jinsui.test", chattest.InWeChat)
		w := b.Begin(access.WeChat)
		if w.App != chattest.CompanyAccount || w.Redirect != "http://jinsui.test/wechat/callback" {
			t.Fatalf("%+v", w)
		}
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		back, err := b.Finish(w, code) // the domain passes the callback on unread
		WantUnknownState(t, "at the domain", back, err)
		back, err = b.AtHost(chattest.Host1001).Finish(w, code)
		portaltest.NoError(t, err)
		if back.Ticket == "" {
			t.Errorf("%+v", back)
		}
		wantHere := func(from string) {
			t.Helper()
			address, err := p.Chatlogin.BeginAuthorisation(b.Context(), signin.BeginAuthorisationInput{
				Provider: access.WeChat,
				Place:    p.Place(chattest.Host1001),
				Agent:    b.Agent,
				Mobile:   b.Mobile,
				Flow:     b.Flow,
				From:     from,
			})
			portaltest.NoError(t, err)
			if w := chattest.ParseAuthorisation(
				t, access.WeChat, address,
			); w.Redirect != "http://"+chattest.Host1001+"/wechat/callback" {
				t.Errorf("from %s: back to %s", from, w.Redirect)
			}
		}
		for _, from := range []string{
			"evil.test", "shop.acme.com", chattest.Host1002, "account.portico.test", "jinsui.test.evil.test",
			"http://jinsui.test",
		} {
			wantHere(from)
		}
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "no_domain", "jinsui.test"))
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1002, "domain", "jinsui.test"))
		p.Clock.Advance(2 * time.Second)
		wantHere("jinsui.test") // another company has the domain now
	})
}

func TestADomainWithoutAnOwnApplicationAuthorisesOnTheCompanysPlatformHost(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		before := p.DumpRows()
		for _, c := range []struct {
			agent    string
			provider access.ProviderName
			lighting bool
			want     string
		}{
			{chattest.InWeChat, access.WeChat, false, "/wechat"},
			{chattest.OnDesktop, access.WeChat, true, "/wechat?edition=lighting"},
			{chattest.InWeCom, access.WeCom, false, "/wechatpro"},
		} {
			b := p.Browser("jinsui.test", c.agent)
			address, err := p.Chatlogin.BeginAuthorisation(b.Context(), signin.BeginAuthorisationInput{
				Provider: c.provider,
				Place:    p.Place(b.Host),
				Agent:    b.Agent,
				Mobile:   b.Mobile,
				Flow:     b.Flow,
				Lighting: c.lighting,
			})
			if err != nil || address != "http://"+chattest.Host1001+c.want {
				t.Errorf("%s %v", address, err)
			}
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestARepeatedCallbackOfTheAccountSiteIsRedirectedLikeTheFirst(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		w := b.Begin(access.WeChat)
		p.Clock.Advance(10*time.Minute - time.Second)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		first, err := b.AtHost(portaltest.AccountHost).Finish(w, code)
		portaltest.NoError(t, err)
		back, err := b.Finish(w, code)
		portaltest.NoError(t, err)
		if back.Login == nil {
			t.Fatalf("%+v", back)
		}
		p.Clock.Advance(2*time.Minute - time.Millisecond)
		second, err := b.AtHost(portaltest.AccountHost).Finish(w, code)
		if err != nil || second != first {
			t.Errorf("the second hit: %+v, %v", second, err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err = b.AtHost(portaltest.AccountHost).Finish(w, code)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestAPersonWhoDeclinedAuthorisationCanStillAccept(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		w := b.Begin(access.WeChat)
		before := p.DumpRows()
		for range 3 {
			_, err := b.Finish(w, "")
			if with := portaltest.Refused(t, err, access.WeChatFailed); with.Detail != "" || with.Strange {
				t.Errorf("%+v", with)
			}
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
		if back, err := b.Finish(w, p.Wechat.Grant(w.App, chattest.Xiao)); err != nil || back.Login == nil {
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAuthorisationsOfOneAddressAreLimited(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		for range 200 {
			b.Begin(access.WeChat)
		}
		_, err := b.TryBegin(access.WeChat)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != 10*time.Minute {
			t.Errorf("%v", with.Wait)
		}
		p.Browser(portaltest.AccountHost, chattest.InWeChat).Begin(access.WeChat) // another address
		p.Clock.Advance(10 * time.Minute)
		b.Begin(access.WeChat)
	})
}

func TestTheSweepDeletesExpiredAuthorisations(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		_, err := b.Authorise(access.WeChat, chattest.Xiao)
		portaltest.NoError(t, err)
		authorisations := func() int { return strings.Count(p.DumpRows(), "authorisations [") }
		p.Clock.Advance(10*time.Minute + time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if authorisations() != 2 {
			t.Error("they were forgotten early")
		}
		_, err = b.Finish(w, "a-late-code")
		portaltest.Refused(t, err, access.WeChatExpired)
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if authorisations() != 0 {
			t.Error("they are still there")
		}
		back, err := b.Finish(w, "a-late-code")
		WantUnknownState(t, "after the sweep", back, err)
	})
}
