package portal_test

import (
	"errors"
	"testing"

	"portico/portal"
)

func TestPeopleSeeAndEndTheirOwnBrowsersOnly(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here, there, stranger := p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "13800000001")
		devices, err := p.Devices(t.Context(), here.Session)
		if err != nil || len(devices) != 2 || !devices[0].Current || devices[1].Current {
			t.Fatalf("%+v %v", devices, err)
		}
		foreign, err := p.Devices(t.Context(), stranger.Session)
		if err != nil || len(foreign) != 1 {
			t.Fatalf("%+v %v", foreign, err)
		}
		if err := p.EndDevice(t.Context(), here.Session, foreign[0].Ref); !errors.Is(err, portal.NotFound) {
			t.Errorf("another person's browser: %v", err)
		}
		if err := p.EndDevice(t.Context(), here.Session, devices[1].Ref); err != nil {
			t.Fatal(err)
		}
		place := p.place(accountHost)
		if _, err := p.SignedIn(t.Context(), there.Token, place); !errors.Is(err, portal.LoginRequired) {
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
	each(t, func(t *testing.T, p *platform) {
		here, stranger := p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "13800000001")
		for range 3 {
			p.signIn(accountHost, "13800000003")
		}
		noError(t, p.EndOtherDevices(t.Context(), here.Session))
		devices, err := p.Devices(t.Context(), here.Session)
		if err != nil || len(devices) != 1 || !devices[0].Current {
			t.Errorf("%+v %v", devices, err)
		}
		if _, err := p.SignedIn(t.Context(), stranger.Token, p.place(accountHost)); err != nil {
			t.Errorf("the stranger: %v", err)
		}
	})
}

func TestAnAddressThatSendsManyFalseCodesIsTurnedAway(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := portal.RedeemInput{Code: "AAAA", Place: p.place("store1001.portico.test"), Slot: "pcShop"}
		for i := range portal.BadCodes + 5 {
			_, err := p.Redeem(p.from("203.0.113.77"), in)
			want := portal.RedirectFailed
			if i >= portal.BadCodes {
				want = portal.TooManyAttempts
			}
			if !errors.Is(err, want) {
				t.Fatalf("code %d: %v", i+1, err)
			}
		}
		if _, err := p.Redeem(p.from("203.0.113.78"), in); !errors.Is(err, portal.RedirectFailed) {
			t.Errorf("another address: %v", err)
		}
	})
}
