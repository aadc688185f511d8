package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// straightOn signs in at the account site as a page does that enters the account at once.
func (p *platform) straightOn(who string) portal.LoginResult {
	p.t.Helper()
	in := p.as(who)
	in.Enter = &portal.EnterInput{Device: phoneScreen}
	result, err := p.login(in)
	noError(p.t, err)
	return result
}

func TestASignInThatLeadsIntoOneAccountEntersItAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.straightOn("13800000001")
		if signed.Entered == nil {
			t.Fatalf("it stops at %+v", signed.Step)
		}
		landed, err := p.redeem(*signed.Entered, "")
		noError(t, err)
		if here, err := p.landing(*signed.Entered, landed.Token); err != nil || here.User.Login != "buyer1" {
			t.Errorf("%s is in, %v", here.User.Login, err)
		}
		_, err = p.Session(p.from(homeAddress), signed.Token, p.place(accountHost))
		noError(t, err)
		for _, who := range []string{"13800000003", "nophone"} { // a choice, and the offer to bind a phone
			if signed := p.straightOn(who); signed.Entered != nil {
				t.Errorf("%s is in, before the step %s", who, signed.Step.Kind)
			}
		}
		due := p.as("13800000001")
		due.Enter, due.Agreement = &portal.EnterInput{Device: phoneScreen}, "2027-01-01"
		if signed, err := p.login(due); err != nil || signed.Entered != nil {
			t.Errorf("before the agreement is accepted: %+v, %v", signed.Entered, err)
		}
	})
}

func TestASignInThatEntersAtOnceIsOneEventOfTheCompany(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		entered := *p.straightOn("13800000001").Entered
		_, err := p.redeem(entered, "")
		noError(t, err)
		count := func() [4]int {
			return [4]int{
				p.events(1001, "sign_in"), p.events(0, "sign_in"),
				p.events(1001, "auth_code_issued"), p.events(1001, "auth_code_used"),
			}
		}
		if n := count(); n != [4]int{1, 0, 0, 0} {
			t.Errorf("%v", n)
		}
		events, err := p.db.AuditEvents(t.Context(), 1001, 1)
		noError(t, err)
		e, m := events[0], p.account("buyer1")
		if e.AccountID != m.ID || e.PhoneID != m.PhoneID || e.Detail != "password, mShop" || e.Address != homeAddress {
			t.Errorf("%+v", e)
		}
		entered = *p.straightOn("13800000001").Entered
		_, err = p.Redeem(p.from("198.51.100.7"), p.arrival(entered)) // the code has travelled
		noError(t, err)
		if n := count(); n != [4]int{2, 0, 0, 1} {
			t.Errorf("redeemed elsewhere: %v", n)
		}
	})
}

func TestTheCodeOfASignInEndsWithWhatItDependsOn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.straightOn("13800000001")
		_, err := p.SignOut(p.from(homeAddress), signed.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.redeem(*signed.Entered, "")
		refused(t, err, portal.RedirectFailed)

		signed = p.straightOn("13800000001")
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err = p.redeem(*signed.Entered, "")
		refused(t, err, portal.AccountDisabled)
		p.setAccountState("buyer1", store.AccountActive)

		noError(t, p.db.EndAccount(t.Context(), p.account("buyer1").ID, "")) // as a change of its password does
		_, err = p.redeem(*signed.Entered, "")
		refused(t, err, portal.RedirectFailed)

		signed = p.straightOn("13800000001")
		p.clock.advance(60 * time.Second)
		_, err = p.redeem(*signed.Entered, "")
		refused(t, err, portal.RedirectFailed)
	})
}

func TestABrowserIsNotedOnceADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.as("13800000001")
		in.Enter = &portal.EnterInput{Device: phoneScreen}
		first, err := p.login(in)
		noError(t, err)
		in.Device = first.Device
		m := p.account("buyer1")
		noted := func(since time.Time) bool {
			subject := "phone:" + portal.Decimal(m.PhoneID)
			known, err := p.db.DeviceKnown(t.Context(), first.Device, subject, store.At(since))
			noError(t, err)
			_, err = p.db.UsedAccount(t.Context(), first.Device, m.PhoneID, store.At(since))
			if known != (err == nil) {
				t.Errorf("the browser is noted: %v; the account: %v", known, err)
			}
			return known
		}
		began := p.clock.now()
		p.clock.advance(24*time.Hour - time.Millisecond)
		_, err = p.login(in)
		noError(t, err)
		if noted(began) {
			t.Error("noted again within a day")
		}
		p.clock.advance(time.Millisecond)
		_, err = p.login(in)
		noError(t, err)
		if !noted(began) {
			t.Error("not noted again after a day")
		}
	})
}
