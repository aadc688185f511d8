package portal_test

import (
	"sync"
	"testing"

	"portico/portal"
)

// Somebody may have left their own cookie in a browser that another person uses afterwards, and hold a copy of it.
func TestALandingOfAnotherPersonEndsTheFormerCookieAtOnce(t *testing.T) {
	for name, sameDevice := range map[string]bool{"from this device": true, "from another device": false} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				left := p.signIn(accountHost, "buyer1")
				planted, err := p.redeem(p.enter(left, accountHost, "buyer1", phoneScreen), "")
				noError(t, err)
				in := p.as(manyPhone)
				if sameDevice {
					in.Device = left.Session.Device
				}
				signed, err := p.login(in)
				noError(t, err)
				d := p.enter(signed, accountHost, "li.shop", phoneScreen)
				place := p.arrival(d).Place
				_, err = p.Session(p.from(homeAddress), planted.Token, place)
				noError(t, err)

				entered, err := p.redeem(d, planted.Token)
				noError(t, err)
				if entered.Asked == sameDevice {
					t.Errorf("asked: %v", entered.Asked)
				}
				_, renewed, err := p.RenewedSession(p.from(homeAddress), planted.Token, place)
				refused(t, err, portal.LoginRequired)
				if renewed != "" {
					t.Error("whoever holds the former cookie gets the new one")
				}
				again, err := p.redeem(d, planted.Token) // the browser missed the answer, and asks again with its code
				noError(t, err)
				if again != entered {
					t.Errorf("first %+v, then %+v", entered, again)
				}
			})
		})
	}
}

func TestTwoLandingsOnTheirWayAtOnceLeaveTheBrowserSignedInToBoth(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("store1001.portico.test", manyPhone)
		office := p.enter(signed, "store1001.portico.test", "li.manager", desktop)
		shop := p.enter(signed, "store1001.portico.test", "li.shop", desktop)
		first, err := p.redeem(office, signed.Token)
		noError(t, err)
		second, err := p.redeem(shop, signed.Token) // sent before the first answer came
		noError(t, err)
		again, err := p.redeem(office, signed.Token) // the first answer was lost
		noError(t, err)
		for _, token := range []string{first.Token, second.Token, again.Token} { // whichever answer comes last
			for _, d := range []portal.Destination{office, shop} {
				_, err := p.landing(d, token)
				noError(t, err)
			}
		}
		_, err = p.redeem(office, signed.Token) // after the session was shown
		refused(t, err, portal.RedirectFailed)
	})
}

func TestTwoLandingsAtTheSameMomentBothSucceed(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("store1001.portico.test", manyPhone)
		for range 5 {
			at := []portal.Destination{
				p.enter(signed, "store1001.portico.test", "li.manager", desktop),
				p.enter(signed, "store1001.portico.test", "li.shop", desktop),
			}
			var tokens [2]string
			var group sync.WaitGroup
			for i, d := range at {
				group.Go(func() {
					entered, err := p.redeem(d, signed.Token)
					if tokens[i] = entered.Token; err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			for i, token := range tokens {
				if _, err := p.landing(at[i], token); err != nil {
					t.Error(i, err)
				}
			}
			signed.Token = tokens[1]
			s, err := p.Session(p.from(homeAddress), signed.Token, p.place("store1001.portico.test"))
			noError(t, err)
			signed.Session = s
		}
	})
}

func TestAFormerCookieBringsNoLandingOfAnotherBrowserIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn("store1001.portico.test", manyPhone)
		office := p.enter(signed, "store1001.portico.test", "li.manager", desktop)
		shop := p.enter(signed, "store1001.portico.test", "li.shop", desktop)
		_, err := p.redeem(office, signed.Token) // the browser has not shown the new cookie yet
		noError(t, err)
		elsewhere, err := p.redeemAs(otherBrowser, shop, signed.Token)
		noError(t, err)
		_, err = p.landing(shop, elsewhere.Token)
		noError(t, err)
		_, err = p.landing(office, elsewhere.Token)
		refused(t, err, portal.LoginRequired)
	})
}
