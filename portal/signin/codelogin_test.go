package signin_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/portaltest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/portaltest/onboardingtest"
	"portico/store"
)

func TestACodeSignsInAsThePasswordWould(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, c := range onboardingtest.DemoCases[:12] {
			in, flow := p.LoginInput(c.Who), core.NewFlow()
			want, wantErr := p.Login(in)
			if c.Who == portaltest.UnboundPhone { // nobody to sign in
				_, err := p.AskCode(p.CodeRequest(core.ForLogin, c.Who, flow))
				portaltest.Refused(t, err, access.PhoneNotBound)
				continue
			}
			code := p.ReceiveCode(p.CodeRequest(core.ForLogin, c.Who, flow))
			got, err := p.CodeLogin(p.CodeLoginInput(c.Who, code, flow))
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v, want %v", c.Who, err, wantErr)
				continue
			}
			if err != nil {
				if a, b := portaltest.RefusalOf(t, err), portaltest.RefusalOf(t, wantErr); a.Refusal != c.Refusal ||
					a.Company.ID != b.Company.ID || !slices.Equal(a.Contacts, b.Contacts) {
					t.Errorf("%s: %+v, want %+v", c.Who, a, b)
				}
				_, err = p.CodeLogin(p.CodeLoginInput(c.Who, code, flow))
				portaltest.Refused(t, err, access.CodeExpired) // it was right, and used
				continue
			}
			if got.Step != want.Step || got.Identifier != want.Identifier ||
				got.Session.PersonID != want.Session.PersonID || got.Session.AccountID != 0 {
				t.Errorf("%s: %+v, want %+v", c.Who, got, want)
			}
			portaltest.NoError(t, p.RequestSignedIn(got.Token, portaltest.AccountHost))
		}
		if n := p.Log.Count(`"event":"sign_in"`, `"detail":"code"`); n != 4 {
			t.Errorf("the log has %d sign-ins by code", n)
		}
	})
}

func TestASignInByCodeEntersOnlyAccountsOfItsHostAndEdition(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, c := range []struct {
			host, phone string
			lighting    bool
			want        access.Refusal
		}{
			{"store1002.portico.test", portaltest.BuyerPhone, false, access.NotInCompany},
			{"store1001.portico.test", portaltest.ManagerPhone, false, ""},
			{"store1001.portico.test", portaltest.BothPhone, false, access.NotInCompany},
			{portaltest.AccountHost, portaltest.BuyerPhone, true, access.LightingNotEnabled},
			{portaltest.AccountHost, portaltest.ManyPhone, true, ""},
		} {
			in := p.CodeRequest(core.ForLogin, c.phone, core.NewFlow())
			in.Place = p.Place(c.host)
			in.CompanyID = in.Place.CompanyID()
			login := p.CodeLoginInput(c.phone, p.ReceiveCode(in), in.Flow)
			login.Place, login.Lighting = in.Place, c.lighting
			result, err := p.CodeLogin(login)
			if c.want != "" {
				portaltest.Refused(t, err, c.want)
			} else if err != nil || result.Session.Lighting != c.lighting || result.Session.CompanyID != in.CompanyID {
				t.Errorf("%s on %s: %+v, %v", c.phone, c.host, result.Session, err)
			}
		}
	})
}

func TestASignInByCodeIsRememberedAndReplacesTheSessionBefore(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before, flow := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone), core.NewFlow()
		in := p.CodeLoginInput(
			portaltest.BuyerPhone, p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)),
			flow,
		)
		in.Remember, in.Device, in.Width, in.ShareUser, in.ShareClient = true, before.Device, 390, 7, 8
		result, err := p.Signin.LoginByCode(p.Sessions.LoadSession(p.From(portaltest.HomeAddress), before.Token), in)
		portaltest.NoError(t, err)
		if s := result.Session; !s.Remember || s.Device != before.Device || s.Width != 390 || s.ShareUserID != 7 ||
			s.ShareClientID != 8 || s.EndsAt != store.At(p.Clock.In(30*24*time.Hour)) {
			t.Errorf("%+v", s)
		}
		portaltest.Refused(t, p.RequestSignedIn(before.Token, portaltest.AccountHost), access.LoginRequired)
		p.ConfirmSession(result)
		p.Clock.Advance(30*24*time.Hour - time.Second)
		portaltest.NoError(t, p.RequestSignedIn(result.Token, portaltest.AccountHost))
	})
}

func TestASignInByCodeWorksDespiteWrongPasswordsAndMakesTheBrowserKnown(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		g := &guesstest.Guesser{Platform: p.Platform}
		g.TryWrong(5, portaltest.BuyerPhone) // four wrong passwords cause no wait
		_, err := p.Login(p.LoginInput(portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.TooManyAttempts)
		result, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)), flow))
		portaltest.NoError(t, err)
		in := p.LoginInput(portaltest.BuyerPhone)
		_, err = p.Login(in)
		portaltest.Refused(t, err, access.TooManyAttempts)
		in.Device = result.Device
		_, err = p.Login(in)
		portaltest.NoError(t, err)
	})
}

func TestAPhoneWithoutAPasswordSignsInByCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		portaltest.NoError(t, p.DB.Passwords.SetPerson(t.Context(),
			portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID,
			""))
		flow := core.NewFlow()
		signed, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)), flow))
		portaltest.NoError(t, err)
		_, err = p.Credentials.ChangePassword(t.Context(),
			credentials.ChangePasswordInput{Old: "x", Password: portaltest.NewPassword, Confirm: portaltest.NewPassword,
				Session: signed.Session})
		portaltest.Refused(t, err, access.PasswordNotSet)
	})
}

func TestAnAccountDisabledAfterItsCodeWasSentIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}
