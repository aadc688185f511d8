package signin_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/signin"
	"portico/store"
)

func TestManyInstancesFetchOneTokenAndShareIt(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		if failed := requestParamsTogether(p, 20); failed != 0 || callCounts(p.Wecom) != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, callCounts(p.Wecom))
		}
		p.Clock.Advance(2*time.Hour - 5*time.Minute - time.Millisecond) // they are renewed before they end
		if failed := requestParamsTogether(p, 4); failed != 0 || callCounts(p.Wecom) != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, callCounts(p.Wecom))
		}
		p.Clock.Advance(time.Millisecond)
		if failed := requestParamsTogether(p, 10); failed != 0 || callCounts(p.Wecom) != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, callCounts(p.Wecom))
		}
	})
}

func TestAStaleTokenIsFetchedAgainByOneInstance(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeCom)
		b.Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		b.SignIn(access.WeCom, chattest.Lan)
		if p.Wecom.Count("token") != 1 {
			t.Fatalf("%d tokens", p.Wecom.Count("token"))
		}
		p.Wecom.ExpireTokens() // another program fetched one
		var ways []chattest.Authorisation
		var codes []string
		for range 8 {
			w := b.Begin(access.WeCom)
			ways, codes = append(ways, w), append(codes, p.Wecom.Grant(w.App, chattest.Lan))
		}
		portaltest.Together(8, func(i int) {
			if back, err := b.Finish(ways[i], codes[i]); err != nil || back.Login == nil {
				t.Errorf("%+v, %v", back, err)
			}
		})
		if n := p.Wecom.Count("token"); n != 2 {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestATokenThatStaysStaleIsFetchedTwiceAndThenFails(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(chattest.Host1001, chattest.InWeCom)
		p.Wecom.FailWith("exchange", &signin.ProviderFailure{Code: "42001", Stale: true})
		w := b.Begin(access.WeCom)
		_, err := b.Finish(w, p.Wecom.Grant(w.App, chattest.Lan))
		portaltest.Refused(t, err, access.WeChatFailed)
		if p.Wecom.Count("exchange") != 2 || p.Wecom.Count("token") != 2 {
			t.Errorf("%d exchanges, %d tokens", p.Wecom.Count("exchange"), p.Wecom.Count("token"))
		}
		p.Wecom.FailWith("", nil)
		b.UnknownTicket(access.WeCom, chattest.Lan)
	})
}

func TestAFailedFetchLetsTheNextInstanceTry(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Wecom.FailWith("token", &signin.ProviderFailure{Code: "-1"})
		for n := range 3 {
			if failed := requestParamsTogether(p, 1); failed != 1 || p.Wecom.Count("token") != n+1 {
				t.Errorf("%d failed, %d asked", failed, p.Wecom.Count("token"))
			}
		}
		p.Wecom.FailWith("", nil)
		if failed := requestParamsTogether(p, 2); failed != 0 || p.Wecom.Count("token") != 4 {
			t.Errorf("%d failed, %d asked", failed, p.Wecom.Count("token"))
		}
	})
}

func TestAnInstanceThatDiedWhileFetchingIsReplacedSoon(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		requestParamsTogether(p, 1)
		p.Clock.Advance(3 * time.Hour)
		for line := range strings.Lines(p.DumpRows()) { // it may fetch the token and never stores one
			if fields := strings.Fields(line); fields[0] == "provider_tokens" {
				app, kind := strings.TrimPrefix(fields[1], "[")+" "+fields[2]+" "+fields[3], fields[4]
				now := store.At(p.Clock.Now())
				mine, err := p.DB.ProviderTokens.MayFetch(t.Context(), app, kind, now, now+6000)
				if err != nil || !mine {
					t.Fatalf("%s %s: %v", app, kind, err)
				}
			}
		}
		p.Clock.Advance(6 * time.Second)
		if failed := requestParamsTogether(p, 4); failed != 0 || callCounts(p.Wecom) != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, callCounts(p.Wecom))
		}
	})
}

// timedProvider is a provider that notes when it was asked for a token, and the deadline. Then it calls During.
type timedProvider struct {
	signin.Provider
	During          func()
	asked, deadline time.Time
}

// Token notes the time and the deadline, calls During and passes the call on.
func (p *timedProvider) Token(ctx context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	p.asked = time.Now()
	p.deadline, _ = ctx.Deadline()
	p.During()
	return p.Provider.Token(ctx, app)
}

func TestAnInstanceHasSixSecondsToFetchAToken(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		timed, leases := &timedProvider{Provider: p.Wecom}, 0
		timed.During = func() { // another instance may fetch the token in six seconds
			for line := range strings.Lines(p.DumpRows()) {
				fields := strings.Fields(line)
				if fields[0] != "provider_tokens" {
					continue
				}
				app, kind := strings.TrimPrefix(fields[1], "[")+" "+fields[2]+" "+fields[3], fields[4]
				leases++
				for _, c := range []struct {
					after time.Duration
					may   bool
				}{{6*time.Second - time.Millisecond, false}, {6 * time.Second, true}} {
					at := store.At(p.Clock.In(c.after))
					may, err := p.DB.ProviderTokens.MayFetch(t.Context(), app, kind, at, at)
					if err != nil || may != c.may {
						t.Errorf("%s after %v: %v, %v", kind, c.after, may, err)
					}
				}
			}
		}
		p.Restart(func(o *portal.Options) { o.Providers.WeCom = timed })
		began := time.Now()
		_, err := p.Chatlogin.AppParams(
			p.From("10.7.7.7"),
			signin.AppParamsInput{CompanyID: 1001, URL: chattest.PageOf1001, Client: signin.ClientApp},
		)
		portaltest.NoError(t, err)
		const allowed = 6 * time.Second // it began between the two times
		if timed.deadline.Before(began.Add(allowed)) || timed.deadline.After(timed.asked.Add(allowed)) {
			t.Errorf("the deadline is %v after the beginning", timed.deadline.Sub(began))
		}
		if leases == 0 {
			t.Error("no lease was taken")
		}
	})
}

func TestEachCredentialHasItsOwnToken(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		requestParamsTogether(p, 1)
		for _, change := range []func(app *signin.ProviderApp){
			func(app *signin.ProviderApp) { app.Secret = chattest.PlatformSecret + "another-one" },
			func(app *signin.ProviderApp) { app.Agent = "1000003" },
		} {
			before := p.Wecom.Count("token")
			p.Restart(func(o *portal.Options) {
				o.Providers.Apps = chattest.PlatformApps()
				change(&o.Providers.Apps[2])
			})
			requestParamsTogether(p, 2)
			if n := p.Wecom.Count("token") - before; n != 1 {
				t.Errorf("%d tokens", n)
			}
		}
		p.Restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes...") })
		before := p.Wecom.Count("token")
		if failed := requestParamsTogether(p, 2); failed != 0 || p.Wecom.Count("token") != before+1 {
			t.Errorf("%d failed, %d tokens", failed, p.Wecom.Count("token")-before)
		}
		if strings.Contains(p.DumpRows(), "access-"+chattest.PlatformCorp) {
			t.Error("a token can be read in the database")
		}
	})
}

func TestTheSweepDeletesExpiredTokens(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		requestParamsTogether(p, 1)
		tokens := func() int { return strings.Count(p.DumpRows(), "provider_tokens [") }
		p.Clock.Advance(time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if n := tokens(); n != 3 {
			t.Errorf("%d are left of those that are good", n)
		}
		p.Clock.Advance(48 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if n := tokens(); n != 0 {
			t.Errorf("%d are still there", n)
		}
		if failed := requestParamsTogether(p, 2); failed != 0 {
			t.Error("no new one is fetched")
		}
	})
}

// requestParamsTogether requests the parameters of a page n times in parallel, on two instances with one database. It
// returns how many requests failed.
func requestParamsTogether(p *chattest.ChatPlatform, n int) (failed int64) {
	p.T.Helper()
	other, err := portal.New(p.Options)
	portaltest.NoError(p.T, err)
	instances := []*portal.Portal{p.Portal, other}
	var bad atomic.Int64
	portaltest.Together(n, func(i int) {
		_, err := instances[i%2].Chatlogin.AppParams(
			p.From("10.7.7.7"),
			signin.AppParamsInput{CompanyID: 1001, URL: chattest.PageOf1001, Client: signin.ClientApp},
		)
		if err != nil {
			bad.Add(1)
			if !errors.Is(err, access.WeChatFailed) {
				p.T.Errorf("%v", err)
			}
		}
	})
	return bad.Load()
}

// callCounts returns how often tokens, page tickets and agent tickets were requested.
func callCounts(c *chattest.ChatProvider) [3]int {
	return [3]int{c.Count("token"), c.Count("page"), c.Count("agent")}
}
