package chatlogin_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/portaltest"
	"portico/store"
)

// WantUnknownState fails the test unless a callback was refused because its state was not issued here.
func WantUnknownState(t *testing.T, what string, back chatlogin.Callback, err error) {
	t.Helper()
	if with := new(
		access.Refused,
	); !errors.As(err, &with) || with.Refusal != access.WeChatFailed || !with.Strange ||
		back != (chatlogin.Callback{}) {
		t.Errorf("%s: %+v, %v", what, back, err)
	}
}

func TestAStateWorksOnceForTheBrowserCompanyHostAndProviderThatBeganIt(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		w := b.Goes(access.WeChat)
		if other := b.Goes(access.WeChat); other.State == w.State {
			t.Fatal("two ways with one state")
		}
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		before := p.Rows()
		for name, try := range map[string]func() (chatlogin.Callback, error){
			"another browser": func() (chatlogin.Callback, error) {
				return p.Browser(portaltest.Host1001, portaltest.InWeChat).Returns(w, code)
			},
			"another company": func() (chatlogin.Callback,
				error) {
				return b.At(portaltest.Host1002).Returns(w, code)
			},
			"the company's domain": func() (chatlogin.Callback, error) { return b.At("jinsui.test").Returns(w, code) },
			"the base":             func() (chatlogin.Callback, error) { return b.At("portico.test").Returns(w, code) },
			"a landing host": func() (chatlogin.Callback,
				error) {
				return b.At("m.portico.test").Returns(w, code)
			},
			"no one's host": func() (chatlogin.Callback, error) { return b.At("nobody.test").Returns(w, code) },
			"without a cookie at another company": func() (chatlogin.Callback, error) {
				return b.Without().At(portaltest.Host1002).Returns(w, code)
			},
			"another provider": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeCom, State: w.State}, code)
			},
			"no state": func() (chatlogin.Callback,
				error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat}, code)
			},
			"a shorter state": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: w.State[:38]}, code)
			},
			"a longer state": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: w.State + "00"}, code)
			},
			"a state in capitals": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: "F" + w.State[1:]}, code)
			},
			"a made-up state": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: strings.Repeat("a", 40)}, code)
			},
			"a huge state": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: strings.Repeat("a", 1<<20)}, code)
			},
			"the stored form of the state": func() (chatlogin.Callback, error) {
				return b.Returns(portaltest.Way{Provider: access.WeChat, State: access.Hashed(w.State)[:40]}, code)
			},
		} {
			back, err := try()
			WantUnknownState(t, name, back, err)
		}
		if p.Rows() != before || p.Wechat.Count("exchange") != 1 {
			t.Error("something was written, or the provider was asked")
		}
		if n := p.Log.Count(`"event":"authorisation_refused"`); n != 15 {
			t.Errorf("the log has %d", n)
		}
		back, err := b.Returns(w, code)
		portaltest.NoError(t, err)
		if back.Login == nil || !p.Is(back.Login.Session, portaltest.BuyerPhone) {
			t.Errorf("%+v", back)
		}
		_, err = b.Returns(w, p.Wechat.Grants(w.App, portaltest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.Wechat.Count("exchange") != 2 {
			t.Error("a second code of the same state was exchanged")
		}
	})
}

func TestAStateLastsTenMinutes(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		first, second := b.Goes(access.WeChat), b.Goes(access.WeChat)
		p.Clock.Advance(chatlogin.AuthorisationLife - time.Millisecond)
		back, err := b.Returns(first, p.Wechat.Grants(first.App, portaltest.Xiao))
		if err != nil || back.Login == nil {
			t.Errorf("at the last moment: %v", err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err = b.Returns(second, p.Wechat.Grants(second.App, portaltest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = b.At(portaltest.AccountHost).Returns(second, p.Wechat.Grants(second.App, portaltest.Xiao))
		portaltest.Refused(t, err, access.WeChatExpired)
		if p.Wechat.Count("exchange") != 2 {
			t.Error("the code of a state that had ended was exchanged")
		}
	})
}

func TestTheAccountSiteRedirectsACallbackToItsHostWithoutUsingIt(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		for _, host := range []string{portaltest.Host1001, "astore1001.portico.test", "portico.test"} {
			b := p.Browser(host, portaltest.InWeChat)
			w := b.Goes(access.WeChat)
			code := p.Wechat.Grants(w.App, portaltest.Someone(len(host))) + "&x=/?"
			asked := p.Wechat.Count("exchange")
			// account. has other cookies
			for _, visitor := range []*portaltest.Browser{b.At(portaltest.AccountHost),
				b.Without().At(portaltest.AccountHost), p.Browser(portaltest.AccountHost, portaltest.InWeChat)} {
				back, err := visitor.Returns(w, code)
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
			declined, err := b.At(portaltest.AccountHost).Returns(w, "")
			if err != nil || !strings.HasPrefix(declined.RedirectURL, "http://"+host+"/wechat/callback?state=") {
				t.Errorf("%s: declined: %+v %v", host, declined, err)
			}
		}
		silent := p.Browser(portaltest.Host1001, portaltest.InWorkChat).Goes(access.WeCom)
		back, err := p.Browser(portaltest.AccountHost, portaltest.InWorkChat).Returns(silent, "a-code-of-work-chat")
		if err != nil ||
			!strings.HasPrefix(
				back.RedirectURL,
				"http://"+portaltest.Host1001+"/wechatpro?code=a-code-of-work-chat&state=",
			) {
			t.Errorf("work-chat: %+v %v", back, err)
		}
	})
}

func TestACallbackIsRedirectedOnlyToHostsOfThePlatform(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		for i, host := range []string{"jinsui.test", "nobody.test"} {
			state := strings.Repeat(string('a'+rune(i)), 40)
			portaltest.NoError(t, p.Db.Authorisations.Add(t.Context(), store.Authorisation{
				ID: access.Hashed(state), Provider: string(access.WeChat), Door: string(chatapps.MethodWeChat),
				CompanyID: 1001, Host: host, Origin: "http://" + host,
				CreatedAt: store.At(p.Clock.Now()), ExpiresAt: store.At(p.Clock.In(time.Minute)),
			}))
			w := portaltest.Way{Provider: access.WeChat, State: state}
			back, err := p.Browser(portaltest.AccountHost, portaltest.InWeChat).Returns(w, "a-code-of-somebody")
			WantUnknownState(t, host, back, err)
		}
	})
}

func TestACompanysOwnApplicationReturnsToTheDomainWhereItBegan(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Own(1001)
		b := p.Browser("jinsui.test", portaltest.InWeChat)
		w := b.Goes(access.WeChat)
		if w.App != portaltest.CompanyAccount || w.Redirect != "http://jinsui.test/wechat/callback" {
			t.Fatalf("%+v", w)
		}
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		back, err := b.Returns(w, code) // the domain passes the callback on unread
		WantUnknownState(t, "at the domain", back, err)
		back, err = b.At(portaltest.Host1001).Returns(w, code)
		portaltest.NoError(t, err)
		if back.Ticket == "" {
			t.Errorf("%+v", back)
		}
		wantHere := func(from string) {
			t.Helper()
			address, err := p.Chatlogin.BeginAuthorisation(b.Ctx(), chatlogin.BeginAuthorisationInput{
				Provider: access.WeChat,
				Place:    p.Place(portaltest.Host1001),
				Agent:    b.Agent,
				Mobile:   b.Mobile,
				Flow:     b.Flow,
				From:     from,
			})
			portaltest.NoError(t, err)
			if w := portaltest.WayOf(
				t, access.WeChat, address,
			); w.Redirect != "http://"+portaltest.Host1001+"/wechat/callback" {
				t.Errorf("from %s: back to %s", from, w.Redirect)
			}
		}
		for _, from := range []string{
			"evil.test", "shop.acme.com", portaltest.Host1002, "account.portico.test", "jinsui.test.evil.test",
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
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		before := p.Rows()
		for _, c := range []struct {
			agent    string
			provider access.ProviderName
			lighting bool
			want     string
		}{
			{portaltest.InWeChat, access.WeChat, false, "/wechat"},
			{portaltest.OnADesktop, access.WeChat, true, "/wechat?edition=lighting"},
			{portaltest.InWorkChat, access.WeCom, false, "/wechatpro"},
		} {
			b := p.Browser("jinsui.test", c.agent)
			address, err := p.Chatlogin.BeginAuthorisation(b.Ctx(), chatlogin.BeginAuthorisationInput{
				Provider: c.provider,
				Place:    p.Place(b.Host),
				Agent:    b.Agent,
				Mobile:   b.Mobile,
				Flow:     b.Flow,
				Lighting: c.lighting,
			})
			if err != nil || address != "http://"+portaltest.Host1001+c.want {
				t.Errorf("%s %v", address, err)
			}
		}
		if p.Rows() != before {
			t.Error("something was written")
		}
	})
}

func TestARepeatedCallbackOfTheAccountSiteIsRedirectedLikeTheFirst(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		w := b.Goes(access.WeChat)
		p.Clock.Advance(chatlogin.AuthorisationLife - time.Second)
		code := p.Wechat.Grants(w.App, portaltest.Xiao)
		first, err := b.At(portaltest.AccountHost).Returns(w, code)
		portaltest.NoError(t, err)
		back, err := b.Returns(w, code)
		portaltest.NoError(t, err)
		if back.Login == nil {
			t.Fatalf("%+v", back)
		}
		p.Clock.Advance(chatlogin.AuthorisationAgain - time.Millisecond)
		second, err := b.At(portaltest.AccountHost).Returns(w, code)
		if err != nil || second != first {
			t.Errorf("the second hit: %+v, %v", second, err)
		}
		p.Clock.Advance(time.Second)
		_, err = b.At(portaltest.AccountHost).Returns(w, code)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestAPersonWhoDeclinedAuthorisationCanStillAccept(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.BuyerPhone)
		w := b.Goes(access.WeChat)
		before := p.Rows()
		for range 3 {
			_, err := b.Returns(w, "")
			if with := portaltest.Refused(t, err, access.WeChatFailed); with.Detail != "" || with.Strange {
				t.Errorf("%+v", with)
			}
		}
		if p.Rows() != before {
			t.Error("something was written")
		}
		if back, err := b.Returns(w, p.Wechat.Grants(w.App, portaltest.Xiao)); err != nil || back.Login == nil {
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAuthorisationsOfOneAddressAreLimited(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		for range chatlogin.Authorisations {
			b.Goes(access.WeChat)
		}
		_, err := b.Tries(access.WeChat)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait <= 0 ||
			with.Wait > chatlogin.AuthorisationLife {
			t.Errorf("%v", with.Wait)
		}
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).Goes(access.WeChat) // another address
		p.Clock.Advance(chatlogin.AuthorisationLife + time.Second)
		b.Goes(access.WeChat)
	})
}

func TestTheSweepDeletesExpiredAuthorisations(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		w := b.Goes(access.WeChat)
		_, err := b.Authorises(access.WeChat, portaltest.Xiao)
		portaltest.NoError(t, err)
		authorisations := func() int { return strings.Count(p.Rows(), "authorisations [") }
		p.Clock.Advance(chatlogin.AuthorisationLife + chatlogin.AuthorisationKept)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if authorisations() != 2 {
			t.Error("they were forgotten early")
		}
		_, err = b.Returns(w, "a-late-code")
		portaltest.Refused(t, err, access.WeChatExpired)
		p.Clock.Advance(time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if authorisations() != 0 {
			t.Error("they are still there")
		}
		back, err := b.Returns(w, "a-late-code")
		WantUnknownState(t, "after the sweep", back, err)
	})
}
