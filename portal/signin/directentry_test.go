package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
)

func TestASignInWithOneAccountEntersItAtOnce(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := signInAndEnter(p, "13800000001")
		if signed.Entered == nil {
			t.Fatalf("it stops at %+v", signed.Step)
		}
		landed, err := p.Redeem(*signed.Entered, "")
		portaltest.NoError(t, err)
		if here, err := p.LandingAt(*signed.Entered, landed.Token); err != nil || here.User.Login != "buyer1" {
			t.Errorf("%s is in, %v", here.User.Login, err)
		}
		_, err = p.Session(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		for _, who := range []string{"13800000003", "nophone"} { // a choice, and the offer to bind a phone
			if signed := signInAndEnter(p, who); signed.Entered != nil {
				t.Errorf("%s is in, before the step %s", who, signed.Step.Kind)
			}
		}
		due := p.LoginInput("13800000001")
		due.Enter, due.Agreement = &access.EnterInput{Device: portaltest.PhoneScreen}, "2027-01-01"
		if signed, err := p.Login(due); err != nil || signed.Entered != nil {
			t.Errorf("before the agreement is accepted: %+v, %v", signed.Entered, err)
		}
	})
}

func TestASignInThatEntersAtOnceLogsOneAuditEvent(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		entered := *signInAndEnter(p, "13800000001").Entered
		_, err := p.Redeem(entered, "")
		portaltest.NoError(t, err)
		count := func() [4]int {
			return [4]int{
				p.CountEvents(1001, "sign_in"), p.CountEvents(0, "sign_in"),
				p.CountEvents(1001, "auth_code_issued"), p.CountEvents(1001, "auth_code_used"),
			}
		}
		if n := count(); n != [4]int{1, 0, 0, 0} {
			t.Errorf("%v", n)
		}
		events, err := p.DB.Audit.Events(t.Context(), 1001, 1)
		portaltest.NoError(t, err)
		e, m := events[0], p.Account("buyer1")
		if e.AccountID != m.ID || e.PersonID != m.PersonID || e.Detail != "password, mShop" ||
			e.Address != portaltest.HomeAddress {
			t.Errorf("%+v", e)
		}
		entered = *signInAndEnter(p, "13800000001").Entered
		_, err = p.Landing.Redeem(p.From("198.51.100.7"), p.RedeemInput(entered)) // the code has travelled
		portaltest.NoError(t, err)
		if n := count(); n != [4]int{2, 0, 0, 1} {
			t.Errorf("redeemed elsewhere: %v", n)
		}
	})
}

func TestAnAuthCodeExpiresWhenItsSignInOrAccountEnds(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := signInAndEnter(p, "13800000001")
		_, err := p.SignOut(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = p.Redeem(*signed.Entered, "")
		portaltest.Refused(t, err, access.RedirectFailed)

		signed = signInAndEnter(p, "13800000001")
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err = p.Redeem(*signed.Entered, "")
		portaltest.Refused(t, err, access.AccountDisabled)
		p.SetAccountState("buyer1", store.AccountActive)

		// as a change of its password does
		portaltest.NoError(t, p.DB.Sessions.EndAccount(t.Context(), p.Account("buyer1").ID, ""))
		_, err = p.Redeem(*signed.Entered, "")
		portaltest.Refused(t, err, access.RedirectFailed)

		signed = signInAndEnter(p, "13800000001")
		p.Clock.Advance(60 * time.Second)
		_, err = p.Redeem(*signed.Entered, "")
		portaltest.Refused(t, err, access.RedirectFailed)
	})
}

func TestAKnownBrowserIsStoredOnceADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := p.LoginInput("13800000001")
		in.Enter = &access.EnterInput{Device: portaltest.PhoneScreen}
		first, err := p.Login(in)
		portaltest.NoError(t, err)
		in.Device = first.Device
		m := p.Account("buyer1")
		noted := func(since time.Time) bool {
			subject := "phone:" + access.Decimal(m.PersonID)
			known, err := p.DB.Devices.IsKnown(t.Context(), first.Device, subject, store.At(since))
			portaltest.NoError(t, err)
			_, err = p.DB.Devices.UsedAccount(t.Context(), first.Device, m.PersonID, store.At(since))
			if known != (err == nil) {
				t.Errorf("the browser is noted: %v; the account: %v", known, err)
			}
			return known
		}
		began := p.Clock.Now()
		p.Clock.Advance(24*time.Hour - time.Millisecond)
		_, err = p.Login(in)
		portaltest.NoError(t, err)
		if noted(began) {
			t.Error("noted again within a day")
		}
		p.Clock.Advance(time.Millisecond)
		_, err = p.Login(in)
		portaltest.NoError(t, err)
		if !noted(began) {
			t.Error("not noted again after a day")
		}
	})
}

// signInAndEnter signs in at the account site and enters the account in the same request, as pages do. It fails the
// test if that is refused.
func signInAndEnter(p *portaltest.Platform, who string) signin.LoginResult {
	p.T.Helper()
	in := p.LoginInput(who)
	in.Enter = &access.EnterInput{Device: portaltest.PhoneScreen}
	result, err := p.Login(in)
	portaltest.NoError(p.T, err)
	return result
}
