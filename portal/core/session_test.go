package core_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestASessionWorksOnlyOnItsHost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			made    string
			foreign []string
		}{
			{portaltest.AccountHost, []string{"portico.test", "store1001.portico.test", "m.portico.test", "jinsui.test",
				"evil.test", ""}},
			{"store1001.portico.test", []string{"store1002.portico.test", "astore1001.portico.test", "jinsui.test",
				portaltest.AccountHost, "store1001.portico.test.evil.test"}},
			{"jinsui.test", []string{"store1001.portico.test", "www.jinsui.test", portaltest.AccountHost}},
		} {
			signed := p.SignIn(c.made, "buyer1")
			portaltest.NoError(t, p.RequestSignedIn(signed.Token, c.made))
			portaltest.NoError(t, p.RequestSignedIn(signed.Token, strings.ToUpper(c.made)+":8080"))
			for _, host := range c.foreign {
				portaltest.Refused(t, p.RequestSignedIn(signed.Token, host), access.LoginRequired)
			}
			portaltest.NoError(t, p.RequestSignedIn(signed.Token, c.made)) // trying it elsewhere did it no harm
		}
	})
}

func TestASessionEndsWhenItsHostMovesToAnotherCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.DB.Hosts.Add(t.Context(), 1002, "new.test", store.At(p.Clock.Now())))
		place := p.Place("new.test")
		in := p.LoginInput("sur")
		in.Place = place
		signed, err := p.Login(in)
		portaltest.NoError(t, err)
		other, err := p.Operator.Company(t.Context(), 1001)
		portaltest.NoError(t, err)
		place.Company = &other
		_, err = p.Session(t.Context(), signed.Token, place)
		portaltest.Refused(t, err, access.LoginRequired)
		place.Company = nil
		_, err = p.Session(t.Context(), signed.Token, place)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestTokensWithoutASessionAreRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		token := p.SignIn(portaltest.AccountHost, "buyer1").Token
		for _, forged := range []string{"", "x", token[:len(token)-1], token + "A", " " + token, strings.ToUpper(token),
			strings.ToLower(token), token + "\x00", "' OR 1=1 --", strings.Repeat("A", 1<<20), "\xff"} {
			portaltest.Refused(t, p.RequestSignedIn(forged, portaltest.AccountHost), access.LoginRequired)
		}
	})
}

func TestASessionExpiresExactlyAfterItsIdleTime(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		kept, left := p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")).Token,
			p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")).Token
		p.Clock.Advance(12*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.RequestSignedIn(kept, portaltest.AccountHost)) // this use begins a new idle time
		p.Clock.Advance(time.Millisecond)
		portaltest.Refused(t, p.RequestSignedIn(left, portaltest.AccountHost), access.LoginRequired)
		p.Clock.Advance(time.Hour)
		portaltest.NoError(t, p.RequestSignedIn(kept, portaltest.AccountHost))
	})
}

func TestASessionExpiresAfterItsLifetimeEvenIfUsed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			signed signin.LoginResult
			life   time.Duration
			step   time.Duration
		}{{p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")), 24 * time.Hour, time.Hour},
			{p.ConfirmSession(sessiontest.SignInRemembered(p, "buyer1")), 30 * 24 * time.Hour, 20 * time.Hour}} {
			ends := portaltest.DemoStart.Add(c.life)
			for p.Clock.In(c.step).Before(ends) {
				p.Clock.Advance(c.step)
				portaltest.NoError(t, p.RequestSignedIn(c.signed.Token, portaltest.AccountHost))
			}
			p.Clock.Advance(ends.Sub(p.Clock.Now()) - time.Millisecond)
			portaltest.NoError(t, p.RequestSignedIn(c.signed.Token, portaltest.AccountHost))
			p.Clock.Advance(time.Millisecond)
			portaltest.Refused(t, p.RequestSignedIn(c.signed.Token, portaltest.AccountHost), access.LoginRequired)
		}
	})
}

func TestARememberedSessionLastsThirtyDaysUnused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.ConfirmSession(sessiontest.SignInRemembered(p, "buyer1"))
		if life := signed.Session.EndsAt.Time().Sub(p.Clock.Now()); life != 30*24*time.Hour {
			t.Errorf("it lasts %v", life)
		}
		p.Clock.Advance(30*24*time.Hour - time.Millisecond)
		portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
		p.Clock.Advance(time.Millisecond)
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestEachSideExpiresAfterTheTimeOfItsKind(t *testing.T) {
	for _, c := range []struct {
		login      string
		device     access.Device
		idle, life time.Duration
	}{
		{"buyer1", portaltest.PhoneScreen, 12 * time.Hour, 30 * 24 * time.Hour},
		{"buyer1", portaltest.Desktop, 12 * time.Hour, 30 * 24 * time.Hour},
		{"jinsui", portaltest.PhoneScreen, 30 * time.Minute, 24 * time.Hour},
		{"jinsui", portaltest.Desktop, 30 * time.Minute, 24 * time.Hour},
	} {
		t.Run(c.login, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				signed := p.SignIn(portaltest.AccountHost, c.login)
				idle, busy := p.Enter(signed, portaltest.AccountHost, c.login, c.device),
					p.Enter(signed, portaltest.AccountHost, c.login, c.device)
				first, err := p.Redeem(idle, "")
				portaltest.NoError(t, err)
				second, err := p.Redeem(busy, "")
				portaltest.NoError(t, err)
				for _, shown := range []string{first.Token, second.Token} { // the browser's first request
					_, err = p.LandingAt(idle, shown)
					portaltest.NoError(t, err)
				}
				p.Clock.Advance(c.idle - time.Millisecond)
				_, err = p.LandingAt(busy, second.Token)
				portaltest.NoError(t, err)
				p.Clock.Advance(time.Millisecond)
				_, err = p.LandingAt(idle, first.Token)
				portaltest.Refused(t, err, access.LoginRequired)
				ends := portaltest.DemoStart.Add(c.life)
				for p.Clock.In(c.idle / 2).Before(ends) {
					p.Clock.Advance(c.idle / 2)
					_, err = p.LandingAt(busy, second.Token)
					portaltest.NoError(t, err)
				}
				p.Clock.Advance(ends.Sub(p.Clock.Now()) - time.Millisecond)
				_, err = p.LandingAt(busy, second.Token)
				portaltest.NoError(t, err)
				p.Clock.Advance(time.Millisecond)
				_, err = p.LandingAt(busy, second.Token)
				portaltest.Refused(t, err, access.LoginRequired)
			})
		})
	}
}

func TestTheUseOfASessionIsStoredOnceAMinute(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1"))
		for _, c := range []struct{ after, stored time.Duration }{
			{time.Minute - time.Millisecond, 0}, {time.Millisecond, time.Minute},
		} {
			p.Clock.Advance(c.after)
			portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
			s, err := p.DB.Sessions.ByID(t.Context(), signed.Session.ID, store.At(p.Clock.Now()))
			if want := store.At(portaltest.DemoStart.Add(c.stored)); err != nil || s.SeenAt != want {
				t.Errorf("the last use is stored as %v, want %v; %v", s.SeenAt.Time(), want.Time(), err)
			}
		}
	})
}

func TestATokenExpiresAfterThirtyDaysWithoutUseAndAYear(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s := p.Sessions.NewClientSession(p.From(portaltest.HomeAddress), signin.ClientApp, "token")
		ticket := p.Sessions.AsTicket(s)
		for what, c := range map[string]struct {
			got  store.Instant
			want time.Duration
		}{
			"an unused token": {s.IdleUntil, 30 * 24 * time.Hour}, "a token": {s.EndsAt, 365 * 24 * time.Hour},
			"an unused ticket": {ticket.IdleUntil, 15 * time.Minute}, "a ticket": {ticket.EndsAt, 15 * time.Minute},
		} {
			if c.got != store.At(portaltest.DemoStart.Add(c.want)) {
				t.Errorf("%s expires at %v", what, c.got.Time())
			}
		}
	})
}

func TestSigningInRenewsTheSessionIDAndTheOldOneIsInvalid(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		old := p.SignIn(portaltest.AccountHost, "buyer1")
		shop := p.Enter(old, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		in := p.LoginInput("jinsui")
		in.Device = old.Device
		fresh, err := p.LoginWithCookie(old.Token, in)
		portaltest.NoError(t, err)
		if fresh.Token == old.Token || fresh.Session.ID == old.Session.ID ||
			fresh.Session.Family == old.Session.Family || fresh.Device != old.Device {
			t.Error("something of the old sign-in was kept, or the browser's id was not")
		}
		portaltest.Refused(t, p.RequestSignedIn(old.Token, portaltest.AccountHost), access.LoginRequired)
		_, err = p.LandingAt(shop, landed.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		portaltest.NoError(t, p.RequestSignedIn(fresh.Token, portaltest.AccountHost))
	})
}

func TestAPlantedTokenNeitherBecomesASessionNorEndsAnother(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		elsewhere := p.SignIn("store1001.portico.test", "buyer1")
		in := p.LoginInput("jinsui")
		_, err := p.LoginWithCookie(elsewhere.Token, in)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(elsewhere.Token, "store1001.portico.test"))
		fresh, err := p.LoginWithCookie("planted", in)
		portaltest.NoError(t, err)
		if fresh.Token == "planted" {
			t.Error("the planted token was taken over")
		}
		portaltest.Refused(t, p.RequestSignedIn("planted", portaltest.AccountHost), access.LoginRequired)
	})
}

func TestAFailedSignInKeepsTheFormerSession(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		old := p.SignIn(portaltest.AccountHost, "buyer1")
		for _, in := range []signin.LoginInput{p.WrongLoginInput("jinsui"), p.LoginInput("13800000004"),
			p.LoginInput("13800000011")} {
			if _, err := p.LoginWithCookie(old.Token, in); err == nil {
				t.Fatal("signed in")
			}
		}
		portaltest.NoError(t, p.RequestSignedIn(old.Token, portaltest.AccountHost))
	})
}

func TestSigningOutEndsEverySideOnEveryHost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed, other := p.SignIn(portaltest.AccountHost, "13800000003"),
			p.SignIn(portaltest.AccountHost, "13800000003")
		landings := map[string]string{}
		destinations := map[string]signin.Redirect{}
		for _, c := range []struct {
			login  string
			device access.Device
		}{{"li.shop", portaltest.PhoneScreen}, {"li.shop", portaltest.Desktop}, {"li.manager", portaltest.PhoneScreen},
			{"sur", portaltest.Desktop}} {
			d := p.Enter(signed, portaltest.AccountHost, c.login, c.device)
			result, err := p.Redeem(d, "")
			portaltest.NoError(t, err)
			landings[d.URL], destinations[d.URL] = result.Token, d
		}
		others := p.Enter(other, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		kept, err := p.Redeem(others, "")
		portaltest.NoError(t, err)
		if from, err := p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost)); err != nil ||
			from != "" {
			t.Errorf("signed out to %q, %v", from, err)
		}
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
		for at, token := range landings {
			_, err := p.LandingAt(destinations[at], token)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		portaltest.NoError(t, p.RequestSignedIn(other.Token, portaltest.AccountHost))
		if _, err := p.LandingAt(others, kept.Token); err != nil {
			t.Errorf("another browser's side ended too: %v", err)
		}
		if _, err := p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost)); err != nil {
			t.Errorf("signing out twice: %v", err)
		}
		if n := p.CountEvents(0, "sign_out"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestSigningOutOnALandingPageEndsTheAccountSitesSessionToo(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("bstore1001.portico.test", "buyer1")
		shop := p.Enter(signed, "bstore1001.portico.test", "buyer1", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		from, err := p.SignOut(t.Context(), landed.Token, p.RedeemInput(shop).Place)
		portaltest.NoError(t, err)
		if from != "http://bstore1001.portico.test" {
			t.Errorf("it returns to %q", from)
		}
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, "bstore1001.portico.test"), access.LoginRequired)
		_, err = p.LandingAt(shop, landed.Token)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestSigningOutKeepsOtherPeopleOfTheSameBrowserSignedIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		var kept []func() error
		for _, who := range []string{"buyer1", "nophone"} {
			d := p.Enter(p.SignIn(portaltest.AccountHost, who), portaltest.AccountHost, who, portaltest.PhoneScreen)
			result, err := p.Redeem(d, "")
			portaltest.NoError(t, err)
			kept = append(kept, func() error { _, err := p.LandingAt(d, result.Token); return err })
		}
		leaver := p.SignIn(portaltest.AccountHost, "li.shop")
		gone := p.Enter(leaver, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		left, err := p.Redeem(gone, "")
		portaltest.NoError(t, err)
		_, err = p.SignOut(t.Context(), leaver.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = p.Session(t.Context(), left.Token, p.Place("m.portico.test"))
		portaltest.Refused(t, err, access.LoginRequired)
		for i, still := range kept {
			if err := still(); err != nil {
				t.Errorf("browser %d: %v", i, err)
			}
		}
	})
}

func TestSigningOutKeepsTheSideOfAnotherSignInInTheSameBrowser(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		mall, office := p.SignIn(portaltest.AccountHost, "buyer1"), p.SignIn(portaltest.AccountHost, "jinsui")
		shop, mgr := p.Enter(mall, portaltest.AccountHost, "buyer1", portaltest.Desktop),
			p.Enter(office, portaltest.AccountHost, "jinsui", portaltest.Desktop)
		first, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		both, err := p.Redeem(mgr, first.Token)
		portaltest.NoError(t, err)
		_, err = p.SignOut(t.Context(), mall.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = p.LandingAt(shop, both.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		if landing, err := p.LandingAt(mgr, both.Token); err != nil || landing.User.Login != "jinsui" {
			t.Errorf("the other side: %s, %v", landing.User.Login, err)
		}
	})
}

func TestASlowRequestDoesNotRestoreAnEndedSession(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		shop := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		p.Clock.Advance(30 * time.Second)
		place := p.Place(portaltest.AccountHost)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				_, _ = p.Session(t.Context(), signed.Token, place)
				_, _ = p.Accounts.ChooseCompany(t.Context(),
					signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
				_, _ = p.Landing.Redeem(t.Context(),
					signin.RedeemInput{Code: shop.Code, Place: p.Place("m.portico.test"), Slot: shop.Slot})
			})
		}
		_, err := p.SignOut(t.Context(), signed.Token, place)
		group.Wait()
		portaltest.NoError(t, err)
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
		_, err = p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.Redeem(shop, "")
		portaltest.Refused(t, err, access.RedirectFailed)
	})
}

func TestACodeRedeemedDuringASignOutOpensNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 25 {
			signed := p.SignIn(portaltest.AccountHost, "buyer1")
			shop := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
			in, place := p.RedeemInput(shop), p.Place(portaltest.AccountHost)
			var landed signin.RedeemResult
			var redeemErr, signOutErr error
			var group sync.WaitGroup
			group.Go(func() { landed, redeemErr = p.Landing.Redeem(t.Context(), in) })
			group.Go(func() { _, signOutErr = p.SignOut(t.Context(), signed.Token, place) })
			group.Wait()
			portaltest.NoError(t, signOutErr)
			if redeemErr != nil {
				portaltest.Refused(t, redeemErr, access.RedirectFailed)
				continue
			}
			_, err := p.LandingAt(shop, landed.Token)
			portaltest.Refused(t, err, access.LoginRequired)
		}
	})
}

func TestASessionKeepsTheDetailsOfItsSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := p.LoginInput("buyer1")
		in.Place, in.Width, in.ShareUser, in.ShareClient, in.Lighting = p.Place("store1003.portico.test"), 1280, 7, 8,
			true
		in.Login = "li.lights"
		for agent, stored := range map[string]string{ // the first 200 bytes, without a character that is cut
			strings.Repeat("a", 201):                strings.Repeat("a", 200),
			strings.Repeat("a", 199) + "界" + "\xff": strings.Repeat("a", 199),
		} {
			signed, err := p.Signin.Login(access.WithCaller(t.Context(),
				access.Caller{Address: portaltest.HomeAddress, Agent: agent}), in)
			portaltest.NoError(t, err)
			s, err := p.SignedIn(t.Context(), signed.Token, in.Place)
			portaltest.NoError(t, err)
			if s.CompanyID != 1003 || s.Width != 1280 || s.ShareUserID != 7 || s.ShareClientID != 8 || !s.Lighting ||
				s.Address != portaltest.HomeAddress || s.Agent != stored {
				t.Errorf("session %+v", s)
			}
		}
	})
}

func TestOnlyPossibleScreenWidthsAreStored(t *testing.T) {
	for width, want := range map[int]int{0: 0, -1: 0, 99: 0, 100: 100, 749: 749, 16384: 16384, 16385: 0, 1 << 40: 0} {
		if got := core.ValidWidth(width); got != want {
			t.Errorf("%d is believed as %d, want %d", width, got, want)
		}
	}
}

func TestTheSweepRemovesOnlyExpiredRows(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		short, long := p.ConfirmSession(p.SignIn(portaltest.AccountHost, "buyer1")), p.ConfirmSession(
			sessiontest.SignInRemembered(p, "buyer1"),
		)
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if _, err := p.DB.Sessions.ByID(t.Context(), short.Session.ID, 0); err == nil {
			t.Error("the ended session is still stored")
		}
		portaltest.NoError(t, p.RequestSignedIn(long.Token, portaltest.AccountHost))
	})
}
