package chatapps_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/portaltest"
	"portico/store"
)

func TestManyInstancesFetchOneTokenAndShareIt(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		if failed := p.Pages(20); failed != 0 || p.Wecom.Counts() != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, p.Wecom.Counts())
		}
		p.Clock.Advance(2*time.Hour - 5*time.Minute - time.Millisecond) // they are renewed before they end
		if failed := p.Pages(4); failed != 0 || p.Wecom.Counts() != [3]int{1, 1, 1} {
			t.Errorf("%d failed, asked for %v", failed, p.Wecom.Counts())
		}
		p.Clock.Advance(time.Millisecond)
		if failed := p.Pages(10); failed != 0 || p.Wecom.Counts() != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, p.Wecom.Counts())
		}
	})
}

func TestAStaleTokenIsFetchedAgainByOneInstance(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWorkChat)
		b.Links(access.WeCom, portaltest.Lan, portaltest.BuyerPhone)
		b.Signs(access.WeCom, portaltest.Lan)
		if p.Wecom.Count("token") != 1 {
			t.Fatalf("%d tokens", p.Wecom.Count("token"))
		}
		p.Wecom.Expire() // another program fetched one
		var ways []portaltest.Way
		var codes []string
		for range 8 {
			w := b.Goes(access.WeCom)
			ways, codes = append(ways, w), append(codes, p.Wecom.Grants(w.App, portaltest.Lan))
		}
		portaltest.Together(8, func(i int) {
			if back, err := b.Returns(ways[i], codes[i]); err != nil || back.Login == nil {
				t.Errorf("%+v, %v", back, err)
			}
		})
		if n := p.Wecom.Count("token"); n != 2 {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestATokenThatStaysStaleIsFetchedTwiceAndThenFails(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.Host1001, portaltest.InWorkChat)
		p.Wecom.FailWith("exchange", &chatapps.ProviderFailure{Code: "42001", Stale: true})
		w := b.Goes(access.WeCom)
		_, err := b.Returns(w, p.Wecom.Grants(w.App, portaltest.Lan))
		portaltest.Refused(t, err, access.WeChatFailed)
		if p.Wecom.Count("exchange") != 2 || p.Wecom.Count("token") != 2 {
			t.Errorf("%d exchanges, %d tokens", p.Wecom.Count("exchange"), p.Wecom.Count("token"))
		}
		p.Wecom.FailWith("", nil)
		b.Unknown(access.WeCom, portaltest.Lan)
	})
}

func TestAFailedFetchLetsTheNextInstanceTry(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Wecom.FailWith("token", &chatapps.ProviderFailure{Code: "-1"})
		for n := range 3 {
			if failed := p.Pages(1); failed != 1 || p.Wecom.Count("token") != n+1 {
				t.Errorf("%d failed, %d asked", failed, p.Wecom.Count("token"))
			}
		}
		p.Wecom.FailWith("", nil)
		if failed := p.Pages(2); failed != 0 || p.Wecom.Count("token") != 4 {
			t.Errorf("%d failed, %d asked", failed, p.Wecom.Count("token"))
		}
	})
}

func TestAnInstanceThatDiedWhileFetchingIsReplacedSoon(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Pages(1)
		p.Clock.Advance(3 * time.Hour)
		for line := range strings.Lines(p.Rows()) { // it may fetch the token and never stores one
			if fields := strings.Fields(line); fields[0] == "provider_tokens" {
				app, kind := strings.TrimPrefix(fields[1], "[")+" "+fields[2]+" "+fields[3], fields[4]
				now := store.At(p.Clock.Now())
				mine, err := p.Db.ProviderTokens.MayFetch(t.Context(), app, kind, now, now+6000)
				if err != nil || !mine {
					t.Fatalf("%s %s: %v", app, kind, err)
				}
			}
		}
		p.Clock.Advance(6 * time.Second)
		if failed := p.Pages(4); failed != 0 || p.Wecom.Counts() != [3]int{2, 2, 2} {
			t.Errorf("%d failed, asked for %v", failed, p.Wecom.Counts())
		}
	})
}

func TestEachCredentialHasItsOwnToken(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Pages(1)
		for _, change := range []func(app *chatapps.ProviderApp){
			func(app *chatapps.ProviderApp) { app.Secret = portaltest.PlatformSecret + "another-one" },
			func(app *chatapps.ProviderApp) { app.Agent = "1000003" },
		} {
			before := p.Wecom.Count("token")
			p.Restart(func(o *portal.Options) {
				o.Providers.Apps = portaltest.PlatformApps()
				change(&o.Providers.Apps[2])
			})
			p.Pages(2)
			if n := p.Wecom.Count("token") - before; n != 1 {
				t.Errorf("%d tokens", n)
			}
		}
		p.Restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes...") })
		before := p.Wecom.Count("token")
		if failed := p.Pages(2); failed != 0 || p.Wecom.Count("token") != before+1 {
			t.Errorf("%d failed, %d tokens", failed, p.Wecom.Count("token")-before)
		}
		if strings.Contains(p.Rows(), "access-"+portaltest.PlatformCorp) {
			t.Error("a token can be read in the database")
		}
	})
}

func TestTheSweepDeletesExpiredTokens(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Pages(1)
		tokens := func() int { return strings.Count(p.Rows(), "provider_tokens [") }
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
		if failed := p.Pages(2); failed != 0 {
			t.Error("no new one is fetched")
		}
	})
}
