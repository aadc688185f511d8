package core_test

import (
	"errors"
	"testing"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

func TestPeopleSeeAndEndTheirOwnBrowsersOnly(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, there, stranger := p.SignIn(portaltest.AccountHost, "13800000003"),
			p.SignIn(portaltest.AccountHost, "13800000003"), p.SignIn(portaltest.AccountHost, "13800000001")
		devices, err := p.Sessions.Devices(t.Context(), here.Session)
		if err != nil || len(devices) != 2 || !devices[0].Current || devices[1].Current {
			t.Fatalf("%+v %v", devices, err)
		}
		foreign, err := p.Sessions.Devices(t.Context(), stranger.Session)
		if err != nil || len(foreign) != 1 {
			t.Fatalf("%+v %v", foreign, err)
		}
		if err := p.Sessions.EndDevice(t.Context(), here.Session, foreign[0].Ref); !errors.Is(err, access.NotFound) {
			t.Errorf("another person's browser: %v", err)
		}
		if err := p.Sessions.EndDevice(t.Context(), here.Session, devices[1].Ref); err != nil {
			t.Fatal(err)
		}
		place := p.Place(portaltest.AccountHost)
		if _, err := p.SignedIn(t.Context(), there.Token, place); !errors.Is(err, access.LoginRequired) {
			t.Errorf("the other browser goes on: %v", err)
		}
		for name, token := range map[string]string{"this browser": here.Token, "the stranger": stranger.Token} {
			if _, err := p.SignedIn(t.Context(), token, place); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestSigningOutEverywhereElseKeepsThisBrowser(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, stranger := p.SignIn(portaltest.AccountHost, "13800000003"),
			p.SignIn(portaltest.AccountHost, "13800000001")
		for range 3 {
			p.SignIn(portaltest.AccountHost, "13800000003")
		}
		portaltest.NoError(t, p.Sessions.EndOtherDevices(t.Context(), here.Session))
		devices, err := p.Sessions.Devices(t.Context(), here.Session)
		if err != nil || len(devices) != 1 || !devices[0].Current {
			t.Errorf("%+v %v", devices, err)
		}
		if _, err := p.SignedIn(t.Context(), stranger.Token, p.Place(portaltest.AccountHost)); err != nil {
			t.Errorf("the stranger: %v", err)
		}
	})
}

func TestAnAddressThatSendsManyInvalidCodesIsRefused(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := signin.RedeemInput{Code: "AAAA", Place: p.Place("store1001.portico.test"), Slot: "pcShop"}
		for i := range 65 {
			_, err := p.Landing.Redeem(p.From("203.0.113.77"), in)
			want := access.RedirectFailed
			if i >= 60 {
				want = access.TooManyAttempts
			}
			if !errors.Is(err, want) {
				t.Fatalf("code %d: %v", i+1, err)
			}
		}
		if _, err := p.Landing.Redeem(p.From("203.0.113.78"), in); !errors.Is(err, access.RedirectFailed) {
			t.Errorf("another address: %v", err)
		}
	})
}
