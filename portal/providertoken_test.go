package portal_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
)

// pages asks for what a page needs so many times at once, half of them another instance on the same database.
func (p *chatter) pages(n int) (failed int64) {
	p.t.Helper()
	other, err := portal.New(p.options)
	noError(p.t, err)
	instances := []*portal.Portal{p.Portal, other}
	var bad atomic.Int64
	together(n, func(i int) {
		_, err := instances[i%2].AppParams(p.from("10.7.7.7"), portal.AppParamsInput{CompanyID: 1001, URL: pageOf1001, Client: portal.ClientApp})
		if err != nil {
			bad.Add(1)
			if !errors.Is(err, portal.WeChatFailed) {
				p.t.Errorf("%v", err)
			}
		}
	})
	return bad.Load()
}

func (c *counterpart) counts() [3]int {
	return [3]int{c.count("token"), c.count("page"), c.count("agent")}
}

func TestOneOfManyInstancesAsksForATokenAndAllUseIt(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		if failed := p.pages(20); failed != 0 || p.wecom.counts() != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, p.wecom.counts())
		}
		p.clock.advance(2*time.Hour - 5*time.Minute - time.Millisecond) // they are renewed before they end
		if failed := p.pages(4); failed != 0 || p.wecom.counts() != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, p.wecom.counts())
		}
		p.clock.advance(time.Millisecond)
		if failed := p.pages(10); failed != 0 || p.wecom.counts() != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, p.wecom.counts())
		}
	})
}

func TestAStaleTokenIsFetchedOnceMoreByOne(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWorkChat)
		b.links(portal.WeCom, lan, buyerPhone)
		b.signs(portal.WeCom, lan)
		if p.wecom.count("token") != 1 {
			t.Fatalf("%d tokens", p.wecom.count("token"))
		}
		p.wecom.expire() // somebody else fetched one
		var ways []way
		var codes []string
		for range 8 {
			w := b.goes(portal.WeCom)
			ways, codes = append(ways, w), append(codes, p.wecom.grants(w.app, lan))
		}
		together(8, func(i int) {
			if back, err := b.returns(ways[i], codes[i]); err != nil || back.Login == nil {
				t.Errorf("%+v, %v", back, err)
			}
		})
		if n := p.wecom.count("token"); n != 2 {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestATokenThatStaysStaleIsAskedForTwiceAndThenAFailure(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(host1001, inWorkChat)
		p.wecom.failWith("exchange", &portal.ProviderFailure{Code: "42001", Stale: true})
		w := b.goes(portal.WeCom)
		_, err := b.returns(w, p.wecom.grants(w.app, lan))
		refused(t, err, portal.WeChatFailed)
		if p.wecom.count("exchange") != 2 || p.wecom.count("token") != 2 {
			t.Errorf("%d exchanges, %d tokens", p.wecom.count("exchange"), p.wecom.count("token"))
		}
		p.wecom.failWith("", nil)
		b.unknown(portal.WeCom, lan)
	})
}

func TestAFailureLetsTheNextOneTry(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.wecom.failWith("token", &portal.ProviderFailure{Code: "-1"})
		for n := range 3 {
			if failed := p.pages(1); failed != 1 || p.wecom.count("token") != n+1 {
				t.Errorf("%d failed, %d asked", failed, p.wecom.count("token"))
			}
		}
		p.wecom.failWith("", nil)
		if failed := p.pages(2); failed != 0 || p.wecom.count("token") != 4 {
			t.Errorf("%d failed, %d asked", failed, p.wecom.count("token"))
		}
	})
}

func TestAnInstanceThatDiedWhileItAskedIsNotWaitedForLong(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.pages(1)
		p.clock.advance(3 * time.Hour)
		for line := range strings.Lines(p.rows()) { // it may ask, and never says what came
			if fields := strings.Fields(line); fields[0] == "provider_tokens" {
				app, kind := strings.TrimPrefix(fields[1], "[")+" "+fields[2]+" "+fields[3], fields[4]
				mine, err := p.db.MayFetchToken(t.Context(), app, kind, instant(p), instant(p)+6000)
				if err != nil || !mine {
					t.Fatalf("%s %s: %v", app, kind, err)
				}
			}
		}
		p.clock.advance(6 * time.Second)
		if failed := p.pages(4); failed != 0 || p.wecom.counts() != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, p.wecom.counts())
		}
	})
}

func TestOtherCredentialsHaveOtherTokens(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.pages(1)
		for _, change := range []func(app *portal.ProviderApp){
			func(app *portal.ProviderApp) { app.Secret = platformSecret + "another-one" },
			func(app *portal.ProviderApp) { app.Agent = "1000003" },
		} {
			before := p.wecom.count("token")
			p.restart(func(o *portal.Options) {
				o.Providers.Apps = platformApps()
				change(&o.Providers.Apps[2])
			})
			p.pages(2)
			if n := p.wecom.count("token") - before; n != 1 {
				t.Errorf("%d tokens", n)
			}
		}
		p.restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes...") })
		before := p.wecom.count("token")
		if failed := p.pages(2); failed != 0 || p.wecom.count("token") != before+1 {
			t.Errorf("%d failed, %d tokens", failed, p.wecom.count("token")-before)
		}
		if strings.Contains(p.rows(), "access-"+platformCorp) {
			t.Error("a token can be read in the database")
		}
	})
}

func TestTheSweepForgetsTokensThatEnded(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.pages(1)
		tokens := func() int { return strings.Count(p.rows(), "provider_tokens [") }
		p.clock.advance(time.Hour)
		noError(t, p.Sweep(t.Context()))
		if n := tokens(); n != 3 {
			t.Errorf("%d are left of those that are good", n)
		}
		p.clock.advance(48 * time.Hour)
		noError(t, p.Sweep(t.Context()))
		if n := tokens(); n != 0 {
			t.Errorf("%d are still there", n)
		}
		if failed := p.pages(2); failed != 0 {
			t.Error("no new one is fetched")
		}
	})
}
