package portal_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// remembered signs in at the account site and asks to be remembered.
func (p *platform) remembered(who string) portal.LoginResult {
	p.t.Helper()
	in := p.as(who)
	in.Remember = true
	result, err := p.login(in)
	noError(p.t, err)
	return result
}

func (p *platform) signedIn(token, host string) error {
	p.t.Helper()
	_, err := p.SignedIn(p.t.Context(), token, p.place(host))
	return err
}

func TestASessionWorksOnlyWhereItWasMade(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			made    string
			foreign []string
		}{
			{accountHost, []string{"portico.test", "store1001.portico.test", "m.portico.test", "jinsui.test", "evil.test", ""}},
			{"store1001.portico.test", []string{"store1002.portico.test", "astore1001.portico.test", "jinsui.test", accountHost, "store1001.portico.test.evil.test"}},
			{"jinsui.test", []string{"store1001.portico.test", "www.jinsui.test", accountHost}},
		} {
			signed := p.signIn(c.made, "buyer1")
			noError(t, p.signedIn(signed.Token, c.made))
			noError(t, p.signedIn(signed.Token, strings.ToUpper(c.made)+":8080"))
			for _, host := range c.foreign {
				refused(t, p.signedIn(signed.Token, host), portal.LoginRequired)
			}
			noError(t, p.signedIn(signed.Token, c.made)) // trying it elsewhere did it no harm
		}
	})
}

func TestASessionEndsWhenItsHostBecomesAnotherCompanys(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.db.AddCompanyHost(t.Context(), 1002, "new.test", store.At(p.clock.now())))
		place := p.place("new.test")
		in := p.as("sur")
		in.Place = place
		signed, err := p.login(in)
		noError(t, err)
		other, err := p.Company(t.Context(), 1001)
		noError(t, err)
		place.Company = &other
		_, err = p.Session(t.Context(), signed.Token, place)
		refused(t, err, portal.LoginRequired)
		place.Company = nil
		_, err = p.Session(t.Context(), signed.Token, place)
		refused(t, err, portal.LoginRequired)
	})
}

func TestTokensThatAreNoSessionsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		token := p.signIn(accountHost, "buyer1").Token
		for _, forged := range []string{"", "x", token[:len(token)-1], token + "A", " " + token, strings.ToUpper(token), strings.ToLower(token), token + "\x00", "' OR 1=1 --", strings.Repeat("A", 1<<20), "\xff"} {
			refused(t, p.signedIn(forged, accountHost), portal.LoginRequired)
		}
	})
}

func TestASessionEndsAfterItsIdleTimeAndNotBefore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		kept, left := p.shows(p.signIn(accountHost, "buyer1")).Token, p.shows(p.signIn(accountHost, "buyer1")).Token
		p.clock.advance(portal.AccountIdle - time.Millisecond)
		noError(t, p.signedIn(kept, accountHost)) // this use begins a new idle time
		p.clock.advance(time.Millisecond)
		refused(t, p.signedIn(left, accountHost), portal.LoginRequired)
		p.clock.advance(time.Hour)
		noError(t, p.signedIn(kept, accountHost))
	})
}

func TestASessionEndsForGoodHoweverMuchItIsUsed(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			signed portal.LoginResult
			life   time.Duration
			step   time.Duration
		}{{p.shows(p.signIn(accountHost, "buyer1")), portal.AccountLife, time.Hour}, {p.shows(p.remembered("buyer1")), portal.RememberedLife - portal.AccountLife, 20 * time.Hour}} {
			for used := c.step; used < c.life; used += c.step {
				p.clock.advance(c.step)
				noError(t, p.signedIn(c.signed.Token, accountHost))
			}
			ends := c.signed.Session.EndsAt.Time()
			p.clock.advance(ends.Sub(p.clock.now()) - time.Millisecond)
			noError(t, p.signedIn(c.signed.Token, accountHost))
			p.clock.advance(time.Millisecond)
			refused(t, p.signedIn(c.signed.Token, accountHost), portal.LoginRequired)
		}
	})
}

func TestARememberedSessionLastsThirtyDaysUnused(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.shows(p.remembered("buyer1"))
		if life := signed.Session.EndsAt.Time().Sub(p.clock.now()); life != 30*24*time.Hour {
			t.Errorf("it lasts %v", life)
		}
		p.clock.advance(30*24*time.Hour - time.Millisecond)
		noError(t, p.signedIn(signed.Token, accountHost))
		p.clock.advance(time.Millisecond)
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
	})
}

func TestTheSidesEndAsTheirKindDoes(t *testing.T) {
	for _, c := range []struct {
		login      string
		device     portal.Device
		idle, life time.Duration
	}{
		{"buyer1", phoneScreen, portal.ShopIdle, portal.ShopLife}, {"buyer1", desktop, portal.ShopIdle, portal.ShopLife},
		{"jinsui", phoneScreen, portal.ManagerIdle, portal.ManagerLife}, {"jinsui", desktop, portal.ManagerIdle, portal.ManagerLife},
	} {
		t.Run(c.login, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				signed := p.signIn(accountHost, c.login)
				idle, busy := p.enter(signed, accountHost, c.login, c.device), p.enter(signed, accountHost, c.login, c.device)
				first, err := p.redeem(idle, "")
				noError(t, err)
				second, err := p.redeem(busy, "")
				noError(t, err)
				for _, shown := range []string{first.Token, second.Token} { // the browser's first request
					_, err = p.landing(idle, shown)
					noError(t, err)
				}
				p.clock.advance(c.idle - time.Millisecond)
				_, err = p.landing(busy, second.Token)
				noError(t, err)
				p.clock.advance(time.Millisecond)
				_, err = p.landing(idle, first.Token)
				refused(t, err, portal.LoginRequired)
				ends := demoStart.Add(c.life)
				for p.clock.in(c.idle / 2).Before(ends) {
					p.clock.advance(c.idle / 2)
					_, err = p.landing(busy, second.Token)
					noError(t, err)
				}
				p.clock.advance(ends.Sub(p.clock.now()) - time.Millisecond)
				_, err = p.landing(busy, second.Token)
				noError(t, err)
				p.clock.advance(time.Millisecond)
				_, err = p.landing(busy, second.Token)
				refused(t, err, portal.LoginRequired)
			})
		})
	}
}

func TestSigningInGivesANewIdAndTheOldOneIsDead(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		old := p.signIn(accountHost, "buyer1")
		shop := p.enter(old, accountHost, "buyer1", phoneScreen)
		landed, err := p.redeem(shop, "")
		noError(t, err)
		in := p.as("jinsui")
		in.Device = old.Device
		fresh, err := p.loginWith(old.Token, in)
		noError(t, err)
		if fresh.Token == old.Token || fresh.Session.ID == old.Session.ID || fresh.Session.Family == old.Session.Family || fresh.Device != old.Device {
			t.Error("something of the old sign-in was kept, or the browser's id was not")
		}
		refused(t, p.signedIn(old.Token, accountHost), portal.LoginRequired)
		_, err = p.landing(shop, landed.Token)
		refused(t, err, portal.LoginRequired)
		noError(t, p.signedIn(fresh.Token, accountHost))
	})
}

func TestAPlantedTokenNeitherBecomesASessionNorEndsAnothersElsewhere(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		elsewhere := p.signIn("store1001.portico.test", "buyer1")
		in := p.as("jinsui")
		_, err := p.loginWith(elsewhere.Token, in)
		noError(t, err)
		noError(t, p.signedIn(elsewhere.Token, "store1001.portico.test"))
		fresh, err := p.loginWith("planted", in)
		noError(t, err)
		if fresh.Token == "planted" {
			t.Error("the planted token was taken over")
		}
		refused(t, p.signedIn("planted", accountHost), portal.LoginRequired)
	})
}

func TestAFailedSignInLeavesTheOldSessionAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		old := p.signIn(accountHost, "buyer1")
		for _, in := range []portal.LoginInput{p.wrong("jinsui"), p.as("13800000004"), p.as("13800000011")} {
			if _, err := p.loginWith(old.Token, in); err == nil {
				t.Fatal("signed in")
			}
		}
		noError(t, p.signedIn(old.Token, accountHost))
	})
}

func TestSigningOutEndsEverySideOnEveryHost(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed, other := p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "13800000003")
		landings := map[string]string{}
		destinations := map[string]portal.Destination{}
		for _, c := range []struct {
			login  string
			device portal.Device
		}{{"li.shop", phoneScreen}, {"li.shop", desktop}, {"li.manager", phoneScreen}, {"sur", desktop}} {
			d := p.enter(signed, accountHost, c.login, c.device)
			result, err := p.redeem(d, "")
			noError(t, err)
			landings[d.URL], destinations[d.URL] = result.Token, d
		}
		others := p.enter(other, accountHost, "li.shop", phoneScreen)
		kept, err := p.redeem(others, "")
		noError(t, err)
		if from, err := p.SignOut(t.Context(), signed.Token, p.place(accountHost)); err != nil || from != "" {
			t.Errorf("signed out to %q, %v", from, err)
		}
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		for at, token := range landings {
			_, err := p.landing(destinations[at], token)
			refused(t, err, portal.LoginRequired)
		}
		noError(t, p.signedIn(other.Token, accountHost))
		if _, err := p.landing(others, kept.Token); err != nil {
			t.Errorf("another browser's side ended too: %v", err)
		}
		if _, err := p.SignOut(t.Context(), signed.Token, p.place(accountHost)); err != nil {
			t.Errorf("signing out twice: %v", err)
		}
		if n := p.events(0, "sign_out"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestSigningOutOnALandingPageEndsTheAccountSitesSessionToo(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("bstore1001.portico.test", "buyer1")
		shop := p.enter(signed, "bstore1001.portico.test", "buyer1", phoneScreen)
		landed, err := p.redeem(shop, "")
		noError(t, err)
		from, err := p.SignOut(t.Context(), landed.Token, p.arrival(shop).Place)
		noError(t, err)
		if from != "http://bstore1001.portico.test" {
			t.Errorf("it returns to %q", from)
		}
		refused(t, p.signedIn(signed.Token, "bstore1001.portico.test"), portal.LoginRequired)
		_, err = p.landing(shop, landed.Token)
		refused(t, err, portal.LoginRequired)
	})
}

func TestSigningOutLeavesOtherPeopleOfTheSameBrowserHostsAlone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		var kept []func() error
		for _, who := range []string{"buyer1", "nophone"} {
			d := p.enter(p.signIn(accountHost, who), accountHost, who, phoneScreen)
			result, err := p.redeem(d, "")
			noError(t, err)
			kept = append(kept, func() error { _, err := p.landing(d, result.Token); return err })
		}
		leaver := p.signIn(accountHost, "li.shop")
		gone := p.enter(leaver, accountHost, "li.shop", phoneScreen)
		left, err := p.redeem(gone, "")
		noError(t, err)
		_, err = p.SignOut(t.Context(), leaver.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.Session(t.Context(), left.Token, p.place("m.portico.test"))
		refused(t, err, portal.LoginRequired)
		for i, still := range kept {
			if err := still(); err != nil {
				t.Errorf("browser %d: %v", i, err)
			}
		}
	})
}

func TestSigningOutLeavesTheSideAnotherSignInGaveTheSameBrowser(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		mall, office := p.signIn(accountHost, "buyer1"), p.signIn(accountHost, "jinsui")
		shop, mgr := p.enter(mall, accountHost, "buyer1", desktop), p.enter(office, accountHost, "jinsui", desktop)
		first, err := p.redeem(shop, "")
		noError(t, err)
		both, err := p.redeem(mgr, first.Token)
		noError(t, err)
		_, err = p.SignOut(t.Context(), mall.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.landing(shop, both.Token)
		refused(t, err, portal.LoginRequired)
		if landing, err := p.landing(mgr, both.Token); err != nil || landing.User.Login != "jinsui" {
			t.Errorf("the other side: %s, %v", landing.User.Login, err)
		}
	})
}

func TestASlowRequestNeverBringsASessionBack(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		shop := p.enter(signed, accountHost, "li.shop", phoneScreen)
		p.clock.advance(30 * time.Second)
		place := p.place(accountHost)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				_, _ = p.Session(t.Context(), signed.Token, place)
				_, _ = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
				_, _ = p.Redeem(t.Context(), portal.RedeemInput{Code: shop.Code, Place: p.place("m.portico.test"), Slot: shop.Slot})
			})
		}
		_, err := p.SignOut(t.Context(), signed.Token, place)
		group.Wait()
		noError(t, err)
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		_, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		refused(t, err, portal.LoginRequired)
		_, err = p.redeem(shop, "")
		refused(t, err, portal.RedirectFailed)
	})
}

func TestACodeRedeemedDuringTheSignOutOpensNothingAfterIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 25 {
			signed := p.signIn(accountHost, "buyer1")
			shop := p.enter(signed, accountHost, "buyer1", phoneScreen)
			in, place := p.arrival(shop), p.place(accountHost)
			var landed portal.RedeemResult
			var redeemErr, signOutErr error
			var group sync.WaitGroup
			group.Go(func() { landed, redeemErr = p.Redeem(t.Context(), in) })
			group.Go(func() { _, signOutErr = p.SignOut(t.Context(), signed.Token, place) })
			group.Wait()
			noError(t, signOutErr)
			if redeemErr != nil {
				refused(t, redeemErr, portal.RedirectFailed)
				continue
			}
			_, err := p.landing(shop, landed.Token)
			refused(t, err, portal.LoginRequired)
		}
	})
}

func TestASessionKeepsWhatTheSignInSaid(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.as("buyer1")
		in.Place, in.Width, in.ShareUser, in.ShareClient, in.Lighting = p.place("store1003.portico.test"), 1280, 7, 8, true
		in.Login = "li.lights"
		agent := strings.Repeat("a", 199) + "界" + "\xff"
		signed, err := p.Login(portal.WithCaller(t.Context(), portal.Caller{Address: homeAddress, Agent: agent}), in)
		noError(t, err)
		s, err := p.SignedIn(t.Context(), signed.Token, in.Place)
		noError(t, err)
		if s.CompanyID != 1003 || s.Width != 1280 || s.ShareUserID != 7 || s.ShareClientID != 8 || !s.Lighting || s.Address != homeAddress || s.Agent != strings.Repeat("a", 199) {
			t.Errorf("session %+v", s)
		}
	})
}

func TestOnlyWidthsAScreenCanHaveAreBelieved(t *testing.T) {
	for width, want := range map[int]int{0: 0, -1: 0, 99: 0, 100: 100, 749: 749, 16384: 16384, 16385: 0, 1 << 40: 0} {
		if got := portal.BelievedWidth(width); got != want {
			t.Errorf("%d is believed as %d, want %d", width, got, want)
		}
	}
}

func TestSweepingRemovesWhatHasEndedAndNothingElse(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		short, long := p.shows(p.signIn(accountHost, "buyer1")), p.shows(p.remembered("buyer1"))
		p.clock.advance(portal.AccountLife)
		noError(t, p.Sweep(t.Context()))
		if _, err := p.db.SessionByID(t.Context(), short.Session.ID, 0); err == nil {
			t.Error("the ended session is still stored")
		}
		noError(t, p.signedIn(long.Token, accountHost))
	})
}
