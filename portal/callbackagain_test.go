package portal_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"portico/portal"
)

// What comes of callbacks that hit twice, late, at once or in another order.

func TestACallbackThatHitsTwiceIsExchangedOnceAndEndsTheSame(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		for provider, agent := range map[portal.ProviderName]string{portal.WeChat: inWeChat, portal.WeCom: inWorkChat} {
			b := p.browser(host1001, agent)
			b.links(provider, xiao, buyerPhone)
			asked := p.counterpart(provider).count("exchange")
			w := b.goes(provider)
			code := p.counterpart(provider).grants(w.app, xiao)
			for range 3 {
				back, err := b.returns(w, code)
				noError(t, err)
				if back.Login == nil || !p.is(back.Login.Session, buyerPhone) || p.signedIn(back.Login.Token, host1001) != nil {
					t.Fatalf("%+v", back)
				}
				p.clock.advance(portal.AuthorisationAgain/2 - time.Millisecond)
			}
			if n := p.counterpart(provider).count("exchange") - asked; n != 1 {
				t.Errorf("%d exchanges", n)
			}
			_, err := b.returns(w, code) // back pressed, much later
			if with := refused(t, err, portal.WeChatExpired); with.Strange {
				t.Error("it is told as strange")
			}
		}
		p.wantLinks(2)
	})
}

func TestAnUnknownIdentityThatHitsTwiceHasTwoTicketsAndBecomesOneLink(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		var waiting []portal.Linking
		for range 2 {
			back, err := b.returns(w, code)
			noError(t, err)
			l, err := b.proves(b.linking(back.Ticket, buyerPhone))
			noError(t, err)
			waiting = append(waiting, l)
		}
		for range 2 {
			for _, l := range waiting {
				if _, err := b.confirms(l); err != nil {
					t.Errorf("%v", err)
				}
			}
		}
		p.wantLinks(1)
		if n := p.events(0, "identity_linked"); n != 1 || p.wechat.count("exchange") != 1 {
			t.Errorf("%d links in the audit log, %d exchanges", n, p.wechat.count("exchange"))
		}
	})
}

func TestTenCallbacksAtOnceAreOneExchangeAndOnePerson(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWorkChat)
		b.links(portal.WeCom, lan, buyerPhone)
		w := b.goes(portal.WeCom)
		code := p.wecom.grants(w.app, lan)
		var mu sync.Mutex
		persons := map[int64]int{}
		together(10, func(int) {
			back, err := b.returns(w, code)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || back.Login == nil {
				t.Errorf("%+v, %v", back, err)
				return
			}
			persons[back.Login.Session.PhoneID]++
		})
		if persons[phoneOf(t, p.db, buyerPhone).ID] != 10 || p.wecom.count("exchange") != 2 {
			t.Errorf("%v signed in, %d exchanges", persons, p.wecom.count("exchange"))
		}
		p.wantLinks(1)
	})
}

func TestOfTwoCodesForOneStateAtOnceOneIsExchanged(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b, mallory := p.browser(accountHost, inWeChat), portal.ProviderIdentity{Subject: "oMallory"}
		w := b.goes(portal.WeChat)
		codes := []string{p.wechat.grants(w.app, xiao), p.wechat.grants(w.app, mallory)}
		tickets, errs := make([]portal.Callback, 2), make([]error, 2)
		together(2, func(i int) { tickets[i], errs[i] = b.returns(w, codes[i]) })
		won := 0
		if errs[0] != nil {
			won = 1
		}
		if errs[won] != nil || tickets[won].Ticket == "" || !errors.Is(errs[1-won], portal.WeChatExpired) || p.wechat.count("exchange") != 1 {
			t.Errorf("%v, %d exchanges", errs, p.wechat.count("exchange"))
		}
	})
}

func TestTwoWaysThatComeBackInReverseAreTwoIdentities(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWeChat)
		b.links(portal.WeChat, xiao, buyerPhone)
		b.links(portal.WeChat, someone(2), managerPhone)
		first, second := b.goes(portal.WeChat), b.goes(portal.WeChat)
		hers, his := p.wechat.grants(first.app, xiao), p.wechat.grants(second.app, someone(2))
		back, err := b.returns(second, his)
		if err != nil || !p.is(back.Login.Session, managerPhone) {
			t.Errorf("%+v, %v", back, err)
		}
		back, err = b.returns(first, hers)
		if err != nil || !p.is(back.Login.Session, buyerPhone) {
			t.Errorf("%+v, %v", back, err)
		}
		_, err = b.returns(first, his) // each code with the other's state
		refused(t, err, portal.WeChatExpired)
		_, err = b.returns(second, hers)
		refused(t, err, portal.WeChatExpired)
	})
}

func TestWhatTheProviderRefusedOnceIsToldAgainWithoutAsking(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		for name, c := range map[string]struct {
			fail *portal.ProviderFailure
			code func(w way) string
			want portal.Refusal
			says string
		}{
			"a failure with words": {&portal.ProviderFailure{Code: "48001", Message: "api unauthorized"}, nil, portal.WeChatFailed, "api unauthorized"},
			"a failure without":    {&portal.ProviderFailure{Code: "timeout"}, nil, portal.WeChatFailed, ""},
			"a spent code":         {&portal.ProviderFailure{Code: "40163", Spent: true, Message: "code been used"}, nil, portal.WeChatExpired, ""},
			"another app's code":   {nil, func(way) string { return p.wechat.grants(platformOpen, xiao) }, portal.WeChatExpired, ""},
			"a wrong code":         {nil, func(way) string { return "a-code-that-is-none" }, portal.WeChatExpired, ""},
			"an old code": {nil, func(w way) string {
				code := p.wechat.grants(w.app, xiao)
				p.clock.advance(5 * time.Minute)
				return code
			}, portal.WeChatExpired, ""},
		} {
			w := b.goes(portal.WeChat)
			p.wechat.failWith("", c.fail)
			asked := p.wechat.count("exchange")
			code := p.wechat.grants(w.app, xiao)
			if c.code != nil {
				code = c.code(w)
			}
			for range 3 {
				_, err := b.returns(w, code)
				if with := refused(t, err, c.want); with.Detail != c.says || with.Strange {
					t.Errorf("%s: %+v", name, with)
				}
				p.wechat.failWith("", nil) // it would work by now
			}
			if n := p.wechat.count("exchange") - asked; n != 1 {
				t.Errorf("%s: %d exchanges", name, n)
			}
		}
		if p.log.count(`"event":"exchange_failed"`) != 6 || p.log.count("api unauthorized") != 0 {
			t.Error("the log does not tell of them, or holds the provider's words")
		}
		b.unknown(portal.WeChat, xiao) // authorising again helps
	})
}

func TestAnAnswerWithoutASubjectIsNobody(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		back, err := b.authorises(portal.WeChat, portal.ProviderIdentity{UnionID: "oUnion", Nick: "无名"})
		refused(t, err, portal.WeChatFailed)
		if back != (portal.Callback{}) {
			t.Errorf("%+v", back)
		}
	})
}

func TestAnExchangeGoesOnWhenTheBrowserHasGone(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWorkChat)
		b.links(portal.WeCom, lan, buyerPhone)
		w := b.goes(portal.WeCom)
		code := p.wecom.grants(w.app, lan)
		ctx, leave := context.WithCancel(b.ctx())
		p.wecom.during = leave
		_, err := p.FinishAuthorisation(ctx, portal.CallbackInput{Provider: w.provider, Code: code, State: w.state, Flow: b.flow, Browser: b.browser()})
		if err == nil {
			t.Error("somebody who left was signed in")
		}
		p.wecom.during = nil
		back, err := b.returns(w, code)
		if err != nil || back.Login == nil || p.wecom.count("exchange") != 2 {
			t.Errorf("%+v, %v, %d exchanges", back, err, p.wecom.count("exchange"))
		}
	})
}

func TestASecondHitWaitsForWhatTheFirstIsTold(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		p.wechat.hold, p.wechat.asked = make(chan struct{}), make(chan struct{}, 4)
		var group sync.WaitGroup
		hit := func() {
			if back, err := b.returns(w, code); err != nil || back.Ticket == "" {
				t.Errorf("%+v, %v", back, err)
			}
		}
		group.Go(hit)
		<-p.wechat.asked
		group.Go(hit)
		close(p.wechat.hold)
		group.Wait()
		if n := p.wechat.count("exchange"); n != 1 {
			t.Errorf("%d exchanges", n)
		}
	})
}

func TestWhoeverHangsUpDoesNotWaitForTheFirst(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		w := b.goes(portal.WeChat)
		code := p.wechat.grants(w.app, xiao)
		p.wechat.hold, p.wechat.asked = make(chan struct{}), make(chan struct{}, 4)
		var group sync.WaitGroup
		group.Go(func() { _, _ = b.returns(w, code) })
		<-p.wechat.asked
		ctx, leave := context.WithTimeout(b.ctx(), 50*time.Millisecond)
		defer leave()
		_, err := p.FinishAuthorisation(ctx, portal.CallbackInput{Provider: w.provider, Code: code, State: w.state, Flow: b.flow, Browser: b.browser()})
		if err == nil {
			t.Error("it came of nothing")
		}
		close(p.wechat.hold)
		group.Wait()
	})
}
