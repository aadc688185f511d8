package portal_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// strange demands that a callback is refused as nothing that was begun here.
func strange(t *testing.T, what string, back portal.Callback, err error) {
	t.Helper()
	if with := new(portal.Refused); !errors.As(err, &with) || with.Refusal != portal.WeChatFailed || !with.Strange || back != (portal.Callback{}) {
		t.Errorf("%s: %+v, %v", what, back, err)
	}
}

func TestAStateIsGoodOnceForTheBrowserTheCompanyTheHostAndTheProviderThatBeganIt(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		w := b.goes(portal.WeChat)
		if other := b.goes(portal.WeChat); other.state == w.state {
			t.Fatal("two ways with one state")
		}
		code := p.wechat.grants(w.app, xiao)
		before := p.rows()
		for name, try := range map[string]func() (portal.Callback, error){
			"another browser":      func() (portal.Callback, error) { return p.browser(host1001, inWeChat).returns(w, code) },
			"another company":      func() (portal.Callback, error) { return b.at(host1002).returns(w, code) },
			"the company's domain": func() (portal.Callback, error) { return b.at("jinsui.test").returns(w, code) },
			"the base":             func() (portal.Callback, error) { return b.at("portico.test").returns(w, code) },
			"a landing host":       func() (portal.Callback, error) { return b.at("m.portico.test").returns(w, code) },
			"no one's host":        func() (portal.Callback, error) { return b.at("nobody.test").returns(w, code) },
			"without a cookie at another company": func() (portal.Callback, error) {
				return b.without().at(host1002).returns(w, code)
			},
			"another provider": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeCom, state: w.state}, code)
			},
			"no state": func() (portal.Callback, error) { return b.returns(way{provider: portal.WeChat}, code) },
			"a shorter state": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: w.state[:38]}, code)
			},
			"a longer state": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: w.state + "00"}, code)
			},
			"a state in capitals": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: "F" + w.state[1:]}, code)
			},
			"a made-up state": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: strings.Repeat("a", 40)}, code)
			},
			"a huge state": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: strings.Repeat("a", 1<<20)}, code)
			},
			"the stored form of the state": func() (portal.Callback, error) {
				return b.returns(way{provider: portal.WeChat, state: portal.Hashed(w.state)[:40]}, code)
			},
		} {
			back, err := try()
			strange(t, name, back, err)
		}
		if p.rows() != before || p.wechat.count("exchange") != 1 {
			t.Error("something was written, or the provider was asked")
		}
		if n := p.log.count(`"event":"authorisation_refused"`); n != 15 {
			t.Errorf("the log tells of %d", n)
		}
		back, err := b.returns(w, code)
		noError(t, err)
		if back.Login == nil || !p.is(back.Login.Session, buyerPhone) {
			t.Errorf("%+v", back)
		}
		_, err = b.returns(w, p.wechat.grants(w.app, xiao))
		refused(t, err, portal.WeChatExpired)
		if p.wechat.count("exchange") != 2 {
			t.Error("a second code of the same state was exchanged")
		}
	})
}

func TestAStateLastsTenMinutes(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		first, second := b.goes(portal.WeChat), b.goes(portal.WeChat)
		p.clock.advance(portal.AuthorisationLife - time.Millisecond)
		back, err := b.returns(first, p.wechat.grants(first.app, xiao))
		if err != nil || back.Login == nil {
			t.Errorf("at the last moment: %v", err)
		}
		p.clock.advance(time.Millisecond)
		_, err = b.returns(second, p.wechat.grants(second.app, xiao))
		refused(t, err, portal.WeChatExpired)
		_, err = b.at(accountHost).returns(second, p.wechat.grants(second.app, xiao))
		refused(t, err, portal.WeChatExpired)
		if p.wechat.count("exchange") != 2 {
			t.Error("the code of a state that had ended was exchanged")
		}
	})
}

func TestTheAccountSiteSendsACallbackOnToWhereItBeganUnread(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		for _, host := range []string{host1001, "astore1001.portico.test", "portico.test"} {
			b := p.browser(host, inWeChat)
			w := b.goes(portal.WeChat)
			code := p.wechat.grants(w.app, someone(len(host))) + "&x=/?"
			asked := p.wechat.count("exchange")
			for _, visitor := range []*browser{b.at(accountHost), b.without().at(accountHost), p.browser(accountHost, inWeChat)} { // account. has other cookies
				back, err := visitor.returns(w, code)
				noError(t, err)
				u, err := url.Parse(back.Elsewhere)
				noError(t, err)
				q := u.Query()
				if u.Scheme != "http" || u.Host != host || u.Path != "/wechat/callback" || len(q) != 2 || q.Get("state") != w.state || q.Get("code") != code {
					t.Errorf("%s: sent to %s", host, back.Elsewhere)
				}
				if back.Login != nil || back.Ticket != "" || back.Ask != "" {
					t.Errorf("%s: %+v", host, back)
				}
			}
			if p.wechat.count("exchange") != asked {
				t.Error("the code was exchanged on the way")
			}
			declined, err := b.at(accountHost).returns(w, "")
			if err != nil || !strings.HasPrefix(declined.Elsewhere, "http://"+host+"/wechat/callback?state=") {
				t.Errorf("%s: declined: %+v %v", host, declined, err)
			}
		}
		silent := p.browser(host1001, inWorkChat).goes(portal.WeCom)
		back, err := p.browser(accountHost, inWorkChat).returns(silent, "a-code-of-work-chat")
		if err != nil || !strings.HasPrefix(back.Elsewhere, "http://"+host1001+"/wechatpro?code=a-code-of-work-chat&state=") {
			t.Errorf("work-chat: %+v %v", back, err)
		}
	})
}

func TestACallbackIsSentOnToPlacesOfOursAlone(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		for i, host := range []string{"jinsui.test", "nobody.test"} {
			state := strings.Repeat(string('a'+rune(i)), 40)
			noError(t, p.db.AddAuthorisation(t.Context(), store.Authorisation{
				ID: portal.Hashed(state), Provider: string(portal.WeChat), Door: string(portal.DoorWeChat),
				CompanyID: 1001, Host: host, Origin: "http://" + host,
				CreatedAt: store.At(p.clock.now()), ExpiresAt: store.At(p.clock.in(time.Minute)),
			}))
			w := way{provider: portal.WeChat, state: state}
			back, err := p.browser(accountHost, inWeChat).returns(w, "a-code-of-somebody")
			strange(t, host, back, err)
		}
	})
}

func TestACompanysOwnApplicationComesBackByTheDomainWhereItBegan(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.own(1001)
		b := p.browser("jinsui.test", inWeChat)
		w := b.goes(portal.WeChat)
		if w.app != companyAccount || w.redirect != "http://jinsui.test/wechat/callback" {
			t.Fatalf("%+v", w)
		}
		code := p.wechat.grants(w.app, xiao)
		back, err := b.returns(w, code) // the domain passes the callback on unread
		strange(t, "at the domain", back, err)
		back, err = b.at(host1001).returns(w, code)
		noError(t, err)
		if back.Ticket == "" {
			t.Errorf("%+v", back)
		}
		wantHere := func(from string) {
			t.Helper()
			address, err := p.BeginAuthorisation(b.ctx(), portal.BeginAuthorisationInput{
				Provider: portal.WeChat, Place: p.place(host1001), Agent: b.agent, Mobile: b.mobile, Flow: b.flow,
				From: from,
			})
			noError(t, err)
			if w := wayOf(t, portal.WeChat, address); w.redirect != "http://"+host1001+"/wechat/callback" {
				t.Errorf("from %s: back to %s", from, w.redirect)
			}
		}
		for _, from := range []string{
			"evil.test", "shop.acme.com", host1002, "account.portico.test", "jinsui.test.evil.test", "http://jinsui.test",
		} {
			wantHere(from)
		}
		noError(t, p.SetCompany(t.Context(), 1001, "no_domain", "jinsui.test"))
		noError(t, p.SetCompany(t.Context(), 1002, "domain", "jinsui.test"))
		p.clock.advance(2 * time.Second)
		wantHere("jinsui.test") // another company has the domain now
	})
}

func TestACompanysDomainAuthorisesByOursOnTheCompanysHostHere(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		before := p.rows()
		for _, c := range []struct {
			agent    string
			provider portal.ProviderName
			lighting bool
			want     string
		}{
			{inWeChat, portal.WeChat, false, "/wechat"}, {onADesktop, portal.WeChat, true, "/wechat?edition=lighting"}, {inWorkChat, portal.WeCom, false, "/wechatpro"},
		} {
			b := p.browser("jinsui.test", c.agent)
			address, err := p.BeginAuthorisation(b.ctx(), portal.BeginAuthorisationInput{
				Provider: c.provider, Place: p.place(b.host), Agent: b.agent, Mobile: b.mobile, Flow: b.flow, Lighting: c.lighting,
			})
			if err != nil || address != "http://"+host1001+c.want {
				t.Errorf("%s %v", address, err)
			}
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestASecondHitOfTheAccountSiteIsSentOnAsTheFirstWas(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		w := b.goes(portal.WeChat)
		p.clock.advance(portal.AuthorisationLife - time.Second)
		code := p.wechat.grants(w.app, xiao)
		first, err := b.at(accountHost).returns(w, code)
		noError(t, err)
		back, err := b.returns(w, code)
		noError(t, err)
		if back.Login == nil {
			t.Fatalf("%+v", back)
		}
		p.clock.advance(portal.AuthorisationAgain - time.Millisecond)
		second, err := b.at(accountHost).returns(w, code)
		if err != nil || second != first {
			t.Errorf("the second hit: %+v, %v", second, err)
		}
		p.clock.advance(time.Second)
		_, err = b.at(accountHost).returns(w, code)
		refused(t, err, portal.WeChatExpired)
	})
}

func TestWhoeverDeclinedMayStillSayYes(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		w := b.goes(portal.WeChat)
		before := p.rows()
		for range 3 {
			_, err := b.returns(w, "")
			if with := refused(t, err, portal.WeChatFailed); with.Detail != "" || with.Strange {
				t.Errorf("%+v", with)
			}
		}
		if p.rows() != before {
			t.Error("something was written")
		}
		if back, err := b.returns(w, p.wechat.grants(w.app, xiao)); err != nil || back.Login == nil {
			t.Errorf("%+v %v", back, err)
		}
	})
}

func TestAnAddressBeginsSoManyAuthorisations(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		for range portal.Authorisations {
			b.goes(portal.WeChat)
		}
		_, err := b.tries(portal.WeChat)
		if with := refused(t, err, portal.TooManyAttempts); with.Wait <= 0 || with.Wait > portal.AuthorisationLife {
			t.Errorf("%v", with.Wait)
		}
		p.browser(accountHost, inWeChat).goes(portal.WeChat) // another address
		p.clock.advance(portal.AuthorisationLife + time.Second)
		b.goes(portal.WeChat)
	})
}

func TestTheSweepForgetsAuthorisationsThatEnded(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		_, err := b.authorises(portal.WeChat, xiao)
		noError(t, err)
		authorisations := func() int { return strings.Count(p.rows(), "authorisations [") }
		p.clock.advance(portal.AuthorisationLife + portal.AuthorisationKept)
		noError(t, p.Sweep(t.Context()))
		if authorisations() != 2 {
			t.Error("they were forgotten early")
		}
		_, err = b.returns(w, "a-late-code")
		refused(t, err, portal.WeChatExpired)
		p.clock.advance(time.Second)
		noError(t, p.Sweep(t.Context()))
		if authorisations() != 0 {
			t.Error("they are still there")
		}
		back, err := b.returns(w, "a-late-code")
		strange(t, "after the sweep", back, err)
	})
}
