package portal_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestACodeSignsInAsThePasswordWould(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, c := range demoCases[:12] {
			in, flow := p.as(c.who), portal.NewFlow()
			want, wantErr := p.login(in)
			if c.who == unboundPhone { // nobody to sign in
				_, err := p.ask(p.asking(portal.ForLogin, c.who, flow))
				refused(t, err, portal.PhoneNotBound)
				continue
			}
			code := p.sent(p.asking(portal.ForLogin, c.who, flow))
			got, err := p.codeLogin(p.withCode(c.who, code, flow))
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v, want %v", c.who, err, wantErr)
				continue
			}
			if err != nil {
				if a, b := outcome(t, err), outcome(t, wantErr); a.Refusal != c.refusal || a.Company.ID != b.Company.ID || !slices.Equal(a.Contacts, b.Contacts) {
					t.Errorf("%s: %+v, want %+v", c.who, a, b)
				}
				_, err = p.codeLogin(p.withCode(c.who, code, flow))
				refused(t, err, portal.CodeExpired) // it was right, and used
				continue
			}
			if got.Step != want.Step || got.Identifier != want.Identifier || got.Session.PhoneID != want.Session.PhoneID || got.Session.AccountID != 0 {
				t.Errorf("%s: %+v, want %+v", c.who, got, want)
			}
			noError(t, p.signedIn(got.Token, accountHost))
		}
		if n := p.log.count(`"event":"sign_in"`, `"detail":"code"`); n != 4 {
			t.Errorf("the log tells of %d sign-ins by code", n)
		}
	})
}

func TestASignInByCodeKeepsToItsHouseAndEdition(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, c := range []struct {
			host, phone string
			lighting    bool
			want        portal.Refusal
		}{
			{"store1002.portico.test", buyerPhone, false, portal.NotInCompany}, {"store1001.portico.test", managerPhone, false, ""}, {"store1001.portico.test", bothPhone, false, portal.NotInCompany},
			{accountHost, buyerPhone, true, portal.LightingNotEnabled}, {accountHost, manyPhone, true, ""},
		} {
			in := p.asking(portal.ForLogin, c.phone, portal.NewFlow())
			in.Place = p.place(c.host)
			in.CompanyID = in.Place.CompanyID()
			login := p.withCode(c.phone, p.sent(in), in.Flow)
			login.Place, login.Lighting = in.Place, c.lighting
			result, err := p.codeLogin(login)
			if c.want != "" {
				refused(t, err, c.want)
			} else if err != nil || result.Session.Lighting != c.lighting || result.Session.CompanyID != in.CompanyID {
				t.Errorf("%s on %s: %+v, %v", c.phone, c.host, result.Session, err)
			}
		}
	})
}

func TestASignInByCodeIsRememberedAndReplacesTheSessionBefore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before, flow := p.signIn(accountHost, managerPhone), portal.NewFlow()
		in := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		in.Remember, in.Device, in.Width, in.ShareUser, in.ShareClient = true, before.Device, 390, 7, 8
		result, err := p.LoginByCode(p.LoadSession(p.from(homeAddress), before.Token), in)
		noError(t, err)
		if s := result.Session; !s.Remember || s.Device != before.Device || s.Width != 390 || s.ShareUserID != 7 || s.ShareClientID != 8 || s.EndsAt != store.At(p.clock.in(portal.RememberedLife)) {
			t.Errorf("%+v", s)
		}
		refused(t, p.signedIn(before.Token, accountHost), portal.LoginRequired)
		p.shows(result)
		p.clock.advance(portal.RememberedLife - time.Second)
		noError(t, p.signedIn(result.Token, accountHost))
	})
}

func TestWrongPasswordsDoNotStandInTheWayOfACodeAndItsBrowserIsKnownFromThenOn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		g := &guesser{platform: p.platform}
		g.wrongs(portal.FreeFailures+1, buyerPhone)
		_, err := p.login(p.as(buyerPhone))
		refused(t, err, portal.TooManyAttempts)
		result, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow))
		noError(t, err)
		in := p.as(buyerPhone)
		_, err = p.login(in)
		refused(t, err, portal.TooManyAttempts)
		in.Device = result.Device
		_, err = p.login(in)
		noError(t, err)
	})
}

func TestAPhoneWithoutAPasswordSignsInByCode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		noError(t, p.db.SetPhonePassword(t.Context(), phoneOf(t, p.db, buyerPhone).ID, ""))
		flow := portal.NewFlow()
		signed, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow))
		noError(t, err)
		_, err = p.ChangePassword(t.Context(), portal.ChangePasswordInput{Old: "x", Password: newPassword, Confirm: newPassword, Session: signed.Session})
		refused(t, err, portal.PasswordNotSet)
	})
}

func TestALockSetWhileACodeIsOutIsHeededWhenItIsUsed(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		refused(t, err, portal.AccountDisabled)
	})
}

// Resetting a password.
