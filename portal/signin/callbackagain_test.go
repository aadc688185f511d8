package signin_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
)

// What comes of callbacks that hit twice, late, at once or in another order.

func TestARepeatedCallbackIsExchangedOnceAndGivesTheSameResult(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		for provider, agent := range map[access.ProviderName]string{access.WeChat: chattest.InWeChat,
			access.WeCom: chattest.InWeCom} {
			b := p.Browser(chattest.Host1001, agent)
			b.Link(provider, chattest.Xiao, portaltest.BuyerPhone)
			asked := p.Provider(provider).Count("exchange")
			w := b.Begin(provider)
			code := p.Provider(provider).Grant(w.App, chattest.Xiao)
			for range 3 {
				back, err := b.Finish(w, code)
				portaltest.NoError(t, err)
				if back.Login == nil || !p.BelongsTo(back.Login.Session, portaltest.BuyerPhone) ||
					p.RequestSignedIn(back.Login.Token, chattest.Host1001) != nil {
					t.Fatalf("%+v", back)
				}
				p.Clock.Advance(time.Minute - time.Millisecond)
			}
			if n := p.Provider(provider).Count("exchange") - asked; n != 1 {
				t.Errorf("%d exchanges", n)
			}
			_, err := b.Finish(w, code) // back pressed, much later
			if with := portaltest.Refused(t, err, access.WeChatExpired); with.Strange {
				t.Error("the refusal says that the state is unknown")
			}
		}
		p.WantLinks(2)
	})
}

func TestARepeatedCallbackOfAnUnknownIdentityGivesTwoTicketsAndOneLink(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		var waiting []signin.Linking
		for range 2 {
			back, err := b.Finish(w, code)
			portaltest.NoError(t, err)
			l, err := b.ProveLink(b.LinkInput(back.Ticket, portaltest.BuyerPhone))
			portaltest.NoError(t, err)
			waiting = append(waiting, l)
		}
		for range 2 {
			for _, l := range waiting {
				if _, err := b.ConfirmLink(l); err != nil {
					t.Errorf("%v", err)
				}
			}
		}
		p.WantLinks(1)
		if n := p.CountEvents(0, "identity_linked"); n != 1 || p.Wechat.Count("exchange") != 1 {
			t.Errorf("%d links in the audit log, %d exchanges", n, p.Wechat.Count("exchange"))
		}
	})
}

func TestTenCallbacksAtOnceMakeOneExchangeAndSignInOnePerson(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeCom)
		b.Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		w := b.Begin(access.WeCom)
		code := p.Wecom.Grant(w.App, chattest.Lan)
		var mu sync.Mutex
		persons := map[int64]int{}
		portaltest.Together(10, func(int) {
			back, err := b.Finish(w, code)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || back.Login == nil {
				t.Errorf("%+v, %v", back, err)
				return
			}
			persons[back.Login.Session.PersonID]++
		})
		if persons[portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID] != 10 || p.Wecom.Count("exchange") != 2 {
			t.Errorf("%v signed in, %d exchanges", persons, p.Wecom.Count("exchange"))
		}
		p.WantLinks(1)
	})
}

func TestOnlyOneOfTwoConcurrentCodesForOneStateIsExchanged(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b, mallory := p.Browser(portaltest.AccountHost, chattest.InWeChat), signin.ProviderIdentity{
			Subject: "oMallory",
		}
		w := b.Begin(access.WeChat)
		codes := []string{p.Wechat.Grant(w.App, chattest.Xiao), p.Wechat.Grant(w.App, mallory)}
		tickets, errs := make([]signin.Callback, 2), make([]error, 2)
		portaltest.Together(2, func(i int) { tickets[i], errs[i] = b.Finish(w, codes[i]) })
		won := 0
		if errs[0] != nil {
			won = 1
		}
		if errs[won] != nil || tickets[won].Ticket == "" || !errors.Is(errs[1-won], access.WeChatExpired) ||
			p.Wechat.Count("exchange") != 1 {
			t.Errorf("%v, %d exchanges", errs, p.Wechat.Count("exchange"))
		}
	})
}

func TestTwoAuthorisationsThatFinishInReverseOrderStayTwoIdentities(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.BuyerPhone)
		b.Link(access.WeChat, chattest.Identity(2), portaltest.ManagerPhone)
		first, second := b.Begin(access.WeChat), b.Begin(access.WeChat)
		hers, his := p.Wechat.Grant(first.App, chattest.Xiao), p.Wechat.Grant(second.App, chattest.Identity(2))
		back, err := b.Finish(second, his)
		if err != nil || !p.BelongsTo(back.Login.Session, portaltest.ManagerPhone) {
			t.Errorf("%+v, %v", back, err)
		}
		back, err = b.Finish(first, hers)
		if err != nil || !p.BelongsTo(back.Login.Session, portaltest.BuyerPhone) {
			t.Errorf("%+v, %v", back, err)
		}
		_, err = b.Finish(first, his) // each code with the other's state
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = b.Finish(second, hers)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestARepeatedCallbackGetsTheProvidersRefusalWithoutAnotherExchange(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		for name, c := range map[string]struct {
			fail *signin.ProviderFailure
			code func(w chattest.Authorisation) string
			want access.Refusal
			says string
		}{
			"a failure with words": {&signin.ProviderFailure{Code: "48001", Message: "api unauthorized"}, nil,
				access.WeChatFailed, "api unauthorized"},
			"a failure without": {&signin.ProviderFailure{Code: "timeout"}, nil, access.WeChatFailed, ""},
			"a spent code": {&signin.ProviderFailure{Code: "40163", Spent: true, Message: "code been used"},
				nil, access.WeChatExpired, ""},
			"another app's code": {nil, func(chattest.Authorisation) string {
				return p.Wechat.Grant(chattest.PlatformOpen,
					chattest.Xiao)
			}, access.WeChatExpired, ""},
			"a wrong code": {nil, func(chattest.Authorisation) string { return "a-code-that-is-none" },
				access.WeChatExpired, ""},
			"an old code": {nil, func(w chattest.Authorisation) string {
				code := p.Wechat.Grant(w.App, chattest.Xiao)
				p.Clock.Advance(5 * time.Minute)
				return code
			}, access.WeChatExpired, ""},
		} {
			w := b.Begin(access.WeChat)
			p.Wechat.FailWith("", c.fail)
			asked := p.Wechat.Count("exchange")
			code := p.Wechat.Grant(w.App, chattest.Xiao)
			if c.code != nil {
				code = c.code(w)
			}
			for range 3 {
				_, err := b.Finish(w, code)
				if with := portaltest.Refused(t, err, c.want); with.Detail != c.says || with.Strange {
					t.Errorf("%s: %+v", name, with)
				}
				p.Wechat.FailWith("", nil) // it would work by now
			}
			if n := p.Wechat.Count("exchange") - asked; n != 1 {
				t.Errorf("%s: %d exchanges", name, n)
			}
		}
		if p.Log.Count(`"event":"exchange_failed"`) != 6 || p.Log.Count("api unauthorized") != 0 {
			t.Error("the log does not tell of them, or holds the provider's words")
		}
		b.UnknownTicket(access.WeChat, chattest.Xiao) // authorising again helps
	})
}

func TestAProviderAnswerWithoutASubjectIsRefused(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		back, err := b.Authorise(access.WeChat, signin.ProviderIdentity{UnionID: "oUnion", Nick: "无名"})
		portaltest.Refused(t, err, access.WeChatFailed)
		if back != (signin.Callback{}) {
			t.Errorf("%+v", back)
		}
	})
}

func TestAnExchangeFinishesAfterTheBrowserDisconnects(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeCom)
		b.Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		w := b.Begin(access.WeCom)
		code := p.Wecom.Grant(w.App, chattest.Lan)
		ctx, leave := context.WithCancel(b.Context())
		p.Wecom.During = leave
		_, err := p.Chatlogin.FinishAuthorisation(
			ctx,
			signin.CallbackInput{
				Provider: w.Provider, Code: code, State: w.State, Flow: b.Flow, Browser: b.Browser(),
			},
		)
		if err == nil {
			t.Error("a browser that disconnected was signed in")
		}
		p.Wecom.During = nil
		back, err := b.Finish(w, code)
		if err != nil || back.Login == nil || p.Wecom.Count("exchange") != 2 {
			t.Errorf("%+v, %v, %d exchanges", back, err, p.Wecom.Count("exchange"))
		}
	})
}

func TestASecondCallbackWaitsForTheResultOfTheFirst(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		p.Wechat.Hold, p.Wechat.Asked = make(chan struct{}), make(chan struct{}, 4)
		var group sync.WaitGroup
		hit := func() {
			if back, err := b.Finish(w, code); err != nil || back.Ticket == "" {
				t.Errorf("%+v, %v", back, err)
			}
		}
		group.Go(hit)
		<-p.Wechat.Asked
		group.Go(hit)
		close(p.Wechat.Hold)
		group.Wait()
		if n := p.Wechat.Count("exchange"); n != 1 {
			t.Errorf("%d exchanges", n)
		}
	})
}

func TestADisconnectedCallbackDoesNotWaitForTheFirst(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		w := b.Begin(access.WeChat)
		code := p.Wechat.Grant(w.App, chattest.Xiao)
		p.Wechat.Hold, p.Wechat.Asked = make(chan struct{}), make(chan struct{}, 4)
		var group sync.WaitGroup
		group.Go(func() { _, _ = b.Finish(w, code) })
		<-p.Wechat.Asked
		ctx, leave := context.WithTimeout(b.Context(), 50*time.Millisecond)
		defer leave()
		_, err := p.Chatlogin.FinishAuthorisation(
			ctx,
			signin.CallbackInput{
				Provider: w.Provider, Code: code, State: w.State, Flow: b.Flow, Browser: b.Browser(),
			},
		)
		if err == nil {
			t.Error("it came of nothing")
		}
		close(p.Wechat.Hold)
		group.Wait()
	})
}
