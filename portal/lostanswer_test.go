package portal_test

import (
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// A browser that missed a response sends the same request again, with the cookie that it had before.

const otherBrowser = "another browser"

func (p *platform) redeemAs(agent string, d portal.Destination, token string) (portal.RedeemResult, error) {
	p.t.Helper()
	ctx := portal.WithCaller(p.t.Context(), portal.Caller{RequestID: "r-2", Address: homeAddress, Agent: agent})
	return p.redeemIn(ctx, d, token)
}

func TestALandingWhoseResponseWasLostGivesTheSameSessionAgain(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
		lost, err := p.redeem(destination, "")
		noError(t, err)
		p.clock.advance(portal.AuthCodeLife - time.Second)
		again, err := p.redeem(destination, "")
		noError(t, err)
		if again != lost {
			t.Errorf("first %+v, then %+v", lost, again)
		}
		if here, err := p.landing(destination, again.Token); err != nil || here.User.Login != "buyer1" {
			t.Errorf("%s is in, %v", here.User.Login, err)
		}
		if used, reused := p.events(1001, "auth_code_used"), p.events(1001, "auth_code_reused"); used != 1 || reused != 0 {
			t.Errorf("%d used, %d reused", used, reused)
		}
	})
}

func TestOnlyTheSameBrowserRepeatsALandingAndOnlyUntilItSendsTheNewCookie(t *testing.T) {
	for name, second := range map[string]func(p *platform, d portal.Destination, first portal.RedeemResult) (portal.RedeemResult, error){
		"another browser": func(p *platform, d portal.Destination, _ portal.RedeemResult) (portal.RedeemResult, error) {
			return p.redeemAs(otherBrowser, d, "")
		},
		"a browser without a name": func(p *platform, d portal.Destination, _ portal.RedeemResult) (portal.RedeemResult, error) {
			return p.redeemAs("", d, "")
		},
		"after the code's end": func(p *platform, d portal.Destination, _ portal.RedeemResult) (portal.RedeemResult, error) {
			p.clock.advance(portal.AuthCodeLife)
			return p.redeem(d, "")
		},
		"after the session was shown": func(p *platform, d portal.Destination, first portal.RedeemResult) (portal.RedeemResult, error) {
			_, err := p.landing(d, first.Token)
			noError(p.t, err)
			return p.redeem(d, "")
		},
		"with somebody else's cookie": func(p *platform, d portal.Destination, _ portal.RedeemResult) (portal.RedeemResult, error) {
			return p.redeem(d, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				destination := p.enter(p.signIn(accountHost, "buyer1"), accountHost, "buyer1", phoneScreen)
				first, err := p.redeem(destination, "")
				noError(t, err)
				_, err = second(p, destination, first)
				refused(t, err, portal.RedirectFailed)
				_, err = p.landing(destination, first.Token)
				refused(t, err, portal.LoginRequired)
				if n := p.events(1001, "auth_code_reused"); n != 1 {
					t.Errorf("%d events", n)
				}
			})
		})
	}
}

func TestALostLandingLeavesTheOtherSideOfTheHostSignedIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("store1001.portico.test", manyPhone)
		office := p.enter(signed, "store1001.portico.test", "li.manager", desktop)
		shop := p.enter(signed, "store1001.portico.test", "li.shop", desktop)
		in, err := p.redeem(office, signed.Token)
		noError(t, err)
		_, err = p.landing(office, in.Token)
		noError(t, err)
		lost, err := p.redeem(shop, in.Token)
		noError(t, err)
		place := p.place("store1001.portico.test")
		s, renewed, err := p.RenewedSession(p.from(homeAddress), in.Token, place) // the browser has the old cookie still
		noError(t, err)
		if renewed != lost.Token || s.PhoneID == 0 {
			t.Errorf("renewed %q, want %q; session %+v", renewed, lost.Token, s)
		}
		again, err := p.redeem(shop, in.Token)
		noError(t, err)
		if again != lost {
			t.Errorf("first %+v, then %+v", lost, again)
		}
		for _, d := range []portal.Destination{office, shop} {
			_, err := p.landing(d, again.Token)
			noError(t, err)
		}
	})
}

func TestAFormerCookieIsValidForAMinuteOrUntilTheNewOneIsSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		place, here := p.place(accountHost), p.from(homeAddress)
		signed := p.shows(p.signIn(accountHost, managerPhone))
		fresh, err := p.changeIn(signed)
		noError(t, err)

		var group sync.WaitGroup
		for range 8 { // a page and all that it asks for at once
			group.Go(func() {
				s, renewed, err := p.RenewedSession(here, signed.Token, place)
				if err != nil || renewed != fresh || s.PhoneID == 0 {
					t.Errorf("%q, %v", renewed, err)
				}
			})
		}
		group.Wait()

		elsewhere := portal.WithCaller(t.Context(), portal.Caller{Address: homeAddress, Agent: otherBrowser})
		_, err = p.Session(elsewhere, signed.Token, place)
		refused(t, err, portal.LoginRequired)

		p.clock.advance(portal.FormerLife - time.Millisecond)
		_, err = p.Session(here, signed.Token, place)
		noError(t, err)
		p.clock.advance(time.Millisecond)
		_, err = p.Session(here, signed.Token, place)
		refused(t, err, portal.LoginRequired)

		_, renewed, err := p.RenewedSession(here, fresh, place)
		noError(t, err)
		if renewed != "" {
			t.Error("the present cookie is renewed")
		}
	})
}

func TestAFormerCookieIsRefusedOnceTheNewOneWasSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		place, here := p.place(accountHost), p.from(homeAddress)
		signed := p.shows(p.signIn(accountHost, managerPhone))
		fresh, err := p.changeIn(signed)
		noError(t, err)
		_, err = p.Session(here, fresh, place)
		noError(t, err)
		_, err = p.Session(here, signed.Token, place)
		refused(t, err, portal.LoginRequired)
	})
}

func TestSigningOutWithTheFormerCookieEndsTheSession(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.shows(p.signIn(accountHost, managerPhone))
		fresh, err := p.changeIn(signed)
		noError(t, err)
		_, err = p.SignOut(p.from(homeAddress), signed.Token, p.place(accountHost))
		noError(t, err)
		refused(t, p.signedIn(fresh, accountHost), portal.LoginRequired)
	})
}

func TestASessionWhoseCookieWasNeverSentExpiresAfterTenMinutes(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		lost, shown := p.remembered("buyer1"), p.shows(p.remembered("buyer1"))
		through := p.remembered("buyer1")
		_, err := p.redeem(p.enter(through, accountHost, "buyer1", phoneScreen), "") // went on to the shop and stays there
		noError(t, err)
		elsewhere := p.remembered("buyer1")
		_, err = p.redeemed(p.enter(elsewhere, accountHost, "buyer1", phoneScreen).Code) // by another product's shop
		noError(t, err)
		p.clock.advance(portal.UnconfirmedLife)
		refused(t, p.signedIn(lost.Token, accountHost), portal.LoginRequired)
		p.clock.advance(20 * 24 * time.Hour)
		noError(t, p.signedIn(shown.Token, accountHost))
		noError(t, p.signedIn(through.Token, accountHost))
		noError(t, p.signedIn(elsewhere.Token, accountHost))
		noError(t, p.Sweep(t.Context()))
		if _, err := p.db.SessionByID(t.Context(), lost.Session.ID, store.Instant(0)); err == nil {
			t.Error("the lost session is still stored")
		}
	})
}

func TestASessionWhoseCodeAProgramRedeemedIsReceived(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		// The browser goes straight on to a site of another product, which redeems the code by the API.
		signed := p.remembered("buyer1")
		code := p.enter(signed, accountHost, "buyer1", phoneScreen).Code
		_, err := p.RedeemForClient(p.from(homeAddress), code, portal.ClientWebApp, 0)
		noError(t, err)
		p.clock.advance(20 * 24 * time.Hour)
		noError(t, p.signedIn(signed.Token, accountHost))
	})
}
