package credentials_test

import (
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestALandingRepeatedAfterALostResponseGivesTheSameSession(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		destination := p.Enter(
			p.SignIn(portaltest.AccountHost, "buyer1"), portaltest.AccountHost, "buyer1", portaltest.PhoneScreen,
		)
		lost, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		p.Clock.Advance(59 * time.Second)
		again, err := p.Redeem(destination, "")
		portaltest.NoError(t, err)
		if again != lost {
			t.Errorf("first %+v, then %+v", lost, again)
		}
		if here, err := p.LandingAt(destination, again.Token); err != nil || here.User.Login != "buyer1" {
			t.Errorf("%s is in, %v", here.User.Login, err)
		}
		if used, reused := p.CountEvents(1001, "auth_code_used"), p.CountEvents(1001, "auth_code_reused"); used != 1 ||
			reused != 0 {
			t.Errorf("%d used, %d reused", used, reused)
		}
	})
}

func TestOnlyTheSameBrowserRepeatsALandingAndOnlyBeforeItSendsTheNewCookie(t *testing.T) {
	for name, second := range map[string]func(p *portaltest.Platform, d signin.Redirect,
		first signin.RedeemResult) (signin.RedeemResult, error){
		"another browser": func(p *portaltest.Platform, d signin.Redirect,
			_ signin.RedeemResult) (signin.RedeemResult, error) {
			return p.RedeemWithAgent(portaltest.OtherAgent, d, "")
		},
		"a browser without a name": func(p *portaltest.Platform, d signin.Redirect,
			_ signin.RedeemResult) (signin.RedeemResult, error) {
			return p.RedeemWithAgent("", d, "")
		},
		"after the session was shown": func(p *portaltest.Platform, d signin.Redirect,
			first signin.RedeemResult) (signin.RedeemResult, error) {
			_, err := p.LandingAt(d, first.Token)
			portaltest.NoError(p.T, err)
			return p.Redeem(d, "")
		},
		"with another person's cookie": func(p *portaltest.Platform, d signin.Redirect,
			_ signin.RedeemResult) (signin.RedeemResult, error) {
			return p.Redeem(d, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				destination := p.Enter(
					p.SignIn(portaltest.AccountHost, "buyer1"),
					portaltest.AccountHost,
					"buyer1",
					portaltest.PhoneScreen,
				)
				first, err := p.Redeem(destination, "")
				portaltest.NoError(t, err)
				_, err = second(p, destination, first)
				portaltest.Refused(t, err, access.RedirectFailed)
				_, err = p.LandingAt(destination, first.Token)
				portaltest.Refused(t, err, access.LoginRequired)
				if n := p.CountEvents(1001, "auth_code_reused"); n != 1 {
					t.Errorf("%d events", n)
				}
			})
		})
	}
}

func TestALostLandingLeavesTheOtherSideOfTheHostSignedIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn("store1001.portico.test", portaltest.ManyPhone)
		office := p.Enter(signed, "store1001.portico.test", "li.manager", portaltest.Desktop)
		shop := p.Enter(signed, "store1001.portico.test", "li.shop", portaltest.Desktop)
		in, err := p.Redeem(office, signed.Token)
		portaltest.NoError(t, err)
		_, err = p.LandingAt(office, in.Token)
		portaltest.NoError(t, err)
		lost, err := p.Redeem(shop, in.Token)
		portaltest.NoError(t, err)
		place := p.Place("store1001.portico.test")
		s, renewed, err := sessiontest.RenewedSession(p,
			p.From(portaltest.HomeAddress), in.Token, place,
		) // the browser has the old cookie still
		portaltest.NoError(t, err)
		if renewed != lost.Token || s.PersonID == 0 {
			t.Errorf("renewed %q, want %q; session %+v", renewed, lost.Token, s)
		}
		again, err := p.Redeem(shop, in.Token)
		portaltest.NoError(t, err)
		if again != lost {
			t.Errorf("first %+v, then %+v", lost, again)
		}
		for _, d := range []signin.Redirect{office, shop} {
			_, err := p.LandingAt(d, again.Token)
			portaltest.NoError(t, err)
		}
	})
}

func TestAFormerCookieIsValidForAMinuteOrUntilTheNewOneIsSent(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		place, here := p.Place(portaltest.AccountHost), p.From(portaltest.HomeAddress)
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone))
		fresh, err := credentialtest.ChangePasswordWithCookie(p, signed)
		portaltest.NoError(t, err)

		var group sync.WaitGroup
		for range 8 { // a page and all that it loads at once
			group.Go(func() {
				s, renewed, err := sessiontest.RenewedSession(p.Platform, here, signed.Token, place)
				if err != nil || renewed != fresh || s.PersonID == 0 {
					t.Errorf("%q, %v", renewed, err)
				}
			})
		}
		group.Wait()

		elsewhere := access.WithCaller(
			t.Context(), access.Caller{Address: portaltest.HomeAddress, Agent: portaltest.OtherAgent},
		)
		_, err = p.Session(elsewhere, signed.Token, place)
		portaltest.Refused(t, err, access.LoginRequired)

		p.Clock.Advance(time.Minute - time.Millisecond)
		_, err = p.Session(here, signed.Token, place)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond)
		_, err = p.Session(here, signed.Token, place)
		portaltest.Refused(t, err, access.LoginRequired)

		_, renewed, err := sessiontest.RenewedSession(p.Platform, here, fresh, place)
		portaltest.NoError(t, err)
		if renewed != "" {
			t.Error("the present cookie is renewed")
		}
	})
}

func TestAFormerCookieIsRefusedOnceTheNewOneWasSent(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		place, here := p.Place(portaltest.AccountHost), p.From(portaltest.HomeAddress)
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone))
		fresh, err := credentialtest.ChangePasswordWithCookie(p, signed)
		portaltest.NoError(t, err)
		_, err = p.Session(here, fresh, place)
		portaltest.NoError(t, err)
		_, err = p.Session(here, signed.Token, place)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestSigningOutWithTheFormerCookieEndsTheSession(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone))
		fresh, err := credentialtest.ChangePasswordWithCookie(p, signed)
		portaltest.NoError(t, err)
		_, err = p.SignOut(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		portaltest.Refused(t, p.RequestSignedIn(fresh, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestASessionWhoseCookieWasNeverSentExpiresAfterTenMinutes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		lost, shown := sessiontest.SignInRemembered(p, "buyer1"), p.ConfirmSession(
			sessiontest.SignInRemembered(p, "buyer1"),
		)
		sent, through := sessiontest.SignInRemembered(p, "buyer1"), sessiontest.SignInRemembered(p, "buyer1")
		_, err := p.Redeem(
			p.Enter(through, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen), "",
		) // went on to the shop and stays there
		portaltest.NoError(t, err)
		elsewhere := sessiontest.SignInRemembered(p, "buyer1")
		_, err = sessiontest.RedeemForApp(p,
			p.Enter(elsewhere, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen).Code,
		) // by another product's shop
		portaltest.NoError(t, err)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		portaltest.NoError(t, p.RequestSignedIn(sent.Token, portaltest.AccountHost))
		p.Clock.Advance(time.Millisecond)
		portaltest.Refused(t, p.RequestSignedIn(lost.Token, portaltest.AccountHost), access.LoginRequired)
		p.Clock.Advance(20 * 24 * time.Hour)
		portaltest.NoError(t, p.RequestSignedIn(shown.Token, portaltest.AccountHost))
		portaltest.NoError(t, p.RequestSignedIn(through.Token, portaltest.AccountHost))
		portaltest.NoError(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost))
		portaltest.NoError(t, p.Sweep(t.Context()))
		if _, err := p.DB.Sessions.ByID(t.Context(), lost.Session.ID, store.Instant(0)); err == nil {
			t.Error("the lost session is still stored")
		}
	})
}

func TestASessionIsConfirmedWhenAProgramRedeemsItsCode(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		// The browser goes straight on to a site of another product, which redeems the code by the API.
		signed := sessiontest.SignInRemembered(p, "buyer1")
		code := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen).Code
		_, err := p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, signin.ClientWebApp, 0)
		portaltest.NoError(t, err)
		p.Clock.Advance(20 * 24 * time.Hour)
		portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
	})
}
