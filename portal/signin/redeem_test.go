package signin_test

import (
	"sync"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
)

// An attacker may leave their own cookie in a browser that another person uses afterwards, and keep a copy of it.
func TestALandingOfAnotherPersonEndsTheFormerCookieAtOnce(t *testing.T) {
	for name, sameDevice := range map[string]bool{"from this device": true, "from another device": false} {
		t.Run(name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				left := p.SignIn(portaltest.AccountHost, "buyer1")
				planted, err := p.Redeem(p.Enter(left, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen), "")
				portaltest.NoError(t, err)
				in := p.LoginInput(portaltest.ManyPhone)
				if sameDevice {
					in.Device = left.Session.Device
				}
				signed, err := p.Login(in)
				portaltest.NoError(t, err)
				d := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
				place := p.RedeemInput(d).Place
				_, err = p.Session(p.From(portaltest.HomeAddress), planted.Token, place)
				portaltest.NoError(t, err)

				entered, err := p.Redeem(d, planted.Token)
				portaltest.NoError(t, err)
				if entered.Asked == sameDevice {
					t.Errorf("asked: %v", entered.Asked)
				}
				_, renewed, err := sessiontest.RenewedSession(p, p.From(portaltest.HomeAddress), planted.Token, place)
				portaltest.Refused(t, err, access.LoginRequired)
				if renewed != "" {
					t.Error("the former cookie gives the new one")
				}
				again, err := p.Redeem(d, planted.Token) // the browser lost the response and sends the code again
				portaltest.NoError(t, err)
				if again != entered {
					t.Errorf("first %+v, then %+v", entered, again)
				}
			})
		})
	}
}

func TestTwoOverlappingLandingsSignTheBrowserInToBoth(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("store1001.portico.test", portaltest.ManyPhone)
		office := p.Enter(signed, "store1001.portico.test", "li.manager", portaltest.Desktop)
		shop := p.Enter(signed, "store1001.portico.test", "li.shop", portaltest.Desktop)
		first, err := p.Redeem(office, signed.Token)
		portaltest.NoError(t, err)
		second, err := p.Redeem(shop, signed.Token) // sent before the first answer came
		portaltest.NoError(t, err)
		again, err := p.Redeem(office, signed.Token) // the first answer was lost
		portaltest.NoError(t, err)
		for _, token := range []string{first.Token, second.Token, again.Token} { // whichever answer comes last
			for _, d := range []signin.Redirect{office, shop} {
				_, err := p.LandingAt(d, token)
				portaltest.NoError(t, err)
			}
		}
		_, err = p.Redeem(office, signed.Token) // after the session was shown
		portaltest.Refused(t, err, access.RedirectFailed)
	})
}

func TestTwoConcurrentLandingsBothSucceed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("store1001.portico.test", portaltest.ManyPhone)
		for range 5 {
			at := []signin.Redirect{
				p.Enter(signed, "store1001.portico.test", "li.manager", portaltest.Desktop),
				p.Enter(signed, "store1001.portico.test", "li.shop", portaltest.Desktop),
			}
			var tokens [2]string
			var group sync.WaitGroup
			for i, d := range at {
				group.Go(func() {
					entered, err := p.Redeem(d, signed.Token)
					if tokens[i] = entered.Token; err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			for i, token := range tokens {
				if _, err := p.LandingAt(at[i], token); err != nil {
					t.Error(i, err)
				}
			}
			signed.Token = tokens[1]
			s, err := p.Session(p.From(portaltest.HomeAddress), signed.Token, p.Place("store1001.portico.test"))
			portaltest.NoError(t, err)
			signed.Session = s
		}
	})
}

func TestAnotherBrowserCannotLandWithAFormerCookie(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("store1001.portico.test", portaltest.ManyPhone)
		office := p.Enter(signed, "store1001.portico.test", "li.manager", portaltest.Desktop)
		shop := p.Enter(signed, "store1001.portico.test", "li.shop", portaltest.Desktop)
		_, err := p.Redeem(office, signed.Token) // the browser has not shown the new cookie yet
		portaltest.NoError(t, err)
		elsewhere, err := p.RedeemWithAgent(portaltest.OtherAgent, shop, signed.Token)
		portaltest.NoError(t, err)
		_, err = p.LandingAt(shop, elsewhere.Token)
		portaltest.NoError(t, err)
		_, err = p.LandingAt(office, elsewhere.Token)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}
