package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

// PhonesMgr is the host of the back office for phones.
const PhonesMgr = "mgr.portico.test"

func TestAnAppsCodeIsRedeemedOnceThroughTheAPI(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := sessiontest.LandBrowser(p, "buyer1", "buyer1")
		code, err := sessiontest.AppCodeFor(p, here)
		portaltest.NoError(t, err)
		for _, slot := range access.Slots { // no landing page takes it, on any host
			for _, host := range []string{"m.portico.test", PhonesMgr, "store1001.portico.test", "api.portico.test"} {
				_, err := p.Landing.Redeem(p.From(portaltest.HomeAddress),
					signin.RedeemInput{Code: code, Place: p.Place(host), Slot: slot})
				portaltest.Refused(t, err, access.RedirectFailed)
			}
		}
		user, err := sessiontest.RedeemForApp(p, code)
		portaltest.NoError(t, err)
		if user.Login != "buyer1" || user.CompanyID != 1001 || user.Token == "" {
			t.Errorf("%+v", user)
		}
		_, err = sessiontest.AppSession(p, string(user.Token))
		portaltest.NoError(t, err)

		_, err = sessiontest.RedeemForApp(p, code)
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = sessiontest.AppSession(p, string(user.Token))
		portaltest.Refused(t, err, access.LoginRequired) // another person has seen the code
		if _, err := p.LandingAt(here.To, here.Cookie); err != nil {
			t.Errorf("a wrapper that asks twice has put its person out: %v", err)
		}
		if n := p.CountEvents(1001, "auth_code_reused"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestManyRedemptionsOfAnAppsCodeAtOnceGiveOneToken(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		code, err := sessiontest.AppCodeFor(p, sessiontest.LandBrowser(p, "buyer1", "buyer1"))
		portaltest.NoError(t, err)
		var tokens [12]string
		portaltest.Together(len(tokens), func(i int) {
			user, err := sessiontest.RedeemForApp(p, code)
			if err != nil {
				t.Errorf("%v", err)
			}
			tokens[i] = string(user.Token)
		})
		for _, token := range tokens {
			if token != tokens[0] {
				t.Error("another token")
			}
		}
		_, err = sessiontest.AppSession(p, tokens[0])
		portaltest.NoError(t, err)
		if n := p.CountEvents(1001, "auth_code_used"); n != 2 { // the landing's, and this one
			t.Errorf("%d events", n)
		}
	})
}

func TestAnAppsCodeExpiresAfterAMinuteOrWithItsSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := sessiontest.LandBrowser(p, "buyer1", "buyer1")
		late, err := sessiontest.AppCodeFor(p, here)
		portaltest.NoError(t, err)
		p.Clock.Advance(signin.AuthCodeLife)
		_, err = sessiontest.RedeemForApp(p, late)
		portaltest.Refused(t, err, access.LoginRequired)

		left, err := sessiontest.AppCodeFor(p, here)
		portaltest.NoError(t, err)
		kept, err := sessiontest.AppCodeFor(p, here)
		portaltest.NoError(t, err)
		user, err := sessiontest.RedeemForApp(p, kept)
		portaltest.NoError(t, err)
		_, err = p.SignOut(p.From(portaltest.HomeAddress), here.Cookie, p.Place("m.portico.test"))
		portaltest.NoError(t, err)
		_, err = sessiontest.RedeemForApp(p, left)
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = sessiontest.AppSession(p, string(user.Token)) // what it was redeemed for goes with the sign-in, too
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = sessiontest.AppCodeFor(p, here)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestAnAppGetsACodeOnlyForTheSignedInSide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := sessiontest.LandBrowser(p, "buyer1", "buyer1")
		for _, c := range []struct {
			cookie, host string
			slot         store.Slot
		}{
			{"", "m.portico.test", store.MobileShop}, {"x", "m.portico.test", store.MobileShop},
			{here.Signed.Token, "m.portico.test", store.MobileShop},
			{here.Cookie, "am.portico.test", store.MobileShop}, {here.Cookie, "m.portico.test", store.MobileMgr},
			{here.Signed.Token, portaltest.AccountHost, store.MobileShop},
		} {
			_, err := sessiontest.AppCode(p, p.From(portaltest.HomeAddress), c.cookie, p.Place(c.host), c.slot)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err := sessiontest.AppCodeFor(p, here)
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}

func TestTheCodesOfAnAppAreLimited(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := sessiontest.LandBrowser(p, "buyer1", "buyer1")
		for range 59 { // one of 60 was used to come here
			_, err := sessiontest.AppCodeFor(p, here)
			portaltest.NoError(t, err)
		}
		_, err := sessiontest.AppCodeFor(p, here)
		portaltest.Refused(t, err, access.TooManyAttempts)
	})
}

func TestTheTagOfASignInDiffersByAccountAndSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		seen := map[string]string{}
		for _, who := range []string{"li.manager", "li.shop"} {
			here := sessiontest.LandBrowser(p, "13800000003", who)
			first, err := p.LandingAt(here.To, here.Cookie)
			portaltest.NoError(t, err)
			again, err := p.LandingAt(here.To, here.Cookie)
			portaltest.NoError(t, err)
			tag := p.Landing.SignInTag(first)
			if tag != p.Landing.SignInTag(again) || len(tag) != 12 || seen[tag] != "" {
				t.Errorf("%s: %q, %q, %v", who, tag, p.Landing.SignInTag(again), seen)
			}
			seen[tag] = who
		}
	})
}

func TestAnAppsTokenSignsItsBrowserIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct{ login, host string }{
			{"13800000001", portaltest.AccountHost}, {"buyer1", portaltest.AccountHost},
			{"buyer1", "store1001.portico.test"}, {"13800000002", "jinsui.test"},
			{"nophone", portaltest.AccountHost},
		} {
			token := appToken(p, signin.ClientLoginInput{Login: c.login})
			session, err := sessiontest.AppSession(p, token)
			portaltest.NoError(t, err)
			p.Clock.Advance(time.Hour)
			signed, err := sessiontest.AppLogin(p, token, c.host)
			portaltest.NoError(t, err)
			portaltest.NoError(t, p.RequestSignedIn(signed.Token, c.host))
			s := signed.Session
			if s.Family != session.Family || s.PersonID != session.PersonID || s.AccountID != session.AccountID ||
				s.Client != "" || s.CreatedAt != session.CreatedAt || s.EndsAt > session.EndsAt {
				t.Errorf("%s: %+v of %+v", c.login, s, session)
			}
			if signed.Step.Kind != signin.StepEnter || signed.Step.AccountID != session.ActingID {
				t.Errorf("%s leads to %+v", c.login, signed.Step)
			}
			to, err := p.Entry.Enter(p.From(portaltest.HomeAddress),
				access.EnterInput{Session: s, AccountID: signed.Step.AccountID, Place: p.Place(c.host),
					Device: portaltest.PhoneScreen})
			portaltest.NoError(t, err)
			_, err = p.Redeem(to, "")
			portaltest.NoError(t, err)
		}
		all, err := p.DB.Audit.Events(t.Context(), 1001, 1000)
		portaltest.NoError(t, err)
		entered := 0
		for _, e := range all {
			if e.Kind == "sign_in" && e.Detail == "app token" && e.AccountID != 0 {
				entered++
			}
		}
		if entered != 5 {
			t.Errorf("%d events", entered)
		}
	})
}

func TestTheTokenAndItsBrowserSessionEndTogether(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		token := appToken(p, signin.ClientLoginInput{Login: "13800000001"})
		signed, err := sessiontest.AppLogin(p, token, portaltest.AccountHost)
		portaltest.NoError(t, err)
		_, err = p.SignOut(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		_, err = sessiontest.AppSession(p, token)
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = sessiontest.AppLogin(p, token, portaltest.AccountHost)
		portaltest.Refused(t, err, access.LoginRequired)

		here := sessiontest.LandBrowser(p, "13800000001", "buyer1")
		code, err := sessiontest.AppCodeFor(p, here)
		portaltest.NoError(t, err)
		user, err := sessiontest.RedeemForApp(p, code)
		portaltest.NoError(t, err)
		// the web view has lost its cookies
		lost, err := sessiontest.AppLogin(p, string(user.Token), portaltest.AccountHost)
		portaltest.NoError(t, err)
		if lost.Session.Family != here.Signed.Session.Family || lost.Session.Purpose != store.PurposeCode {
			t.Errorf("%+v", lost.Session)
		}
		_, err = p.SignOut(p.From(portaltest.HomeAddress), here.Signed.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		portaltest.Refused(t, p.RequestSignedIn(lost.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestOnlyAnAppsTokenSignsABrowserIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		many, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress),
			signin.ClientLoginInput{Login: "13800000003", Password: onboarding.DemoPassword, Client: signin.ClientApp})
		portaltest.NoError(t, err)
		ended := appToken(p, signin.ClientLoginInput{Login: "buyer1"})
		p.Clock.Advance(core.TokenIdle)
		for name, token := range map[string]string{
			"none": "", "made up": "AAAA", "a ticket": many.Ticket,
			"a cookie": p.SignIn(portaltest.AccountHost, "buyer1").Token, "one that has ended": ended,
			"a desktop program's": appToken(p, signin.ClientLoginInput{Login: "buyer1", Client: access.ClientPC}),
			"a web app's":         appToken(p, signin.ClientLoginInput{Login: "buyer1", Client: signin.ClientWebApp}),
		} {
			if _, err := sessiontest.AppLogin(p, token, portaltest.AccountHost); err == nil {
				t.Errorf("%s signs in", name)
			} else {
				portaltest.Refused(t, err, access.LoginRequired)
			}
		}
		// another company's site
		_, err = sessiontest.AppLogin(
			p, appToken(p, signin.ClientLoginInput{Login: "buyer1"}), "store1002.portico.test",
		)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestABlockedAccountsTokenIsRefusedWithTheReason(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		token := appToken(p, signin.ClientLoginInput{Login: "buyer1"})
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err := sessiontest.AppLogin(p, token, portaltest.AccountHost)
		if with := portaltest.Refused(t, err, access.AccountDisabled); with.Company == nil || with.Company.ID != 1001 {
			t.Errorf("%+v", with)
		}
		p.SetAccountState("buyer1", store.AccountActive)
		_, err = sessiontest.AppLogin(p, token, portaltest.AccountHost) // the token ended with the account
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestATokenDoesNotReplaceASignedInAccount(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000002")
		token := appToken(p, signin.ClientLoginInput{Login: "buyer1"})
		in := signin.AppLoginInput{Token: token, Browser: access.Browser{Place: p.Place(portaltest.AccountHost)}}
		_, err := p.Landing.AppLogin(p.Sessions.LoadSession(p.From(portaltest.HomeAddress), signed.Token), in)
		portaltest.Refused(t, err, access.WrongParameters)
		portaltest.NoError(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost))
	})
}

func TestATokenOpensNoAccountOfThePhoneAtAnotherCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		token := appToken(p, signin.ClientLoginInput{Login: "13800000003", CompanyID: 1002})
		signed, err := sessiontest.AppLogin(p, token, portaltest.AccountHost)
		portaltest.NoError(t, err)
		companytest.WantAccounts(p, signed.Session, "1002 mgr:sur")
		at, err := sessiontest.AppLogin(p, token, "store1002.portico.test")
		portaltest.NoError(t, err)
		if at.Session.PersonID == 0 {
			t.Errorf("%+v", at.Session)
		}
	})
}

func TestAFirstPasswordsTokenLeadsToItsReplacement(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		for _, company := range []int64{0, 1001} {
			token := appToken(p.Platform, signin.ClientLoginInput{Login: "newcomer", Password: opened.First.Password,
				CompanyID: company})
			signed, err := sessiontest.AppLogin(p.Platform, token, portaltest.AccountHost)
			portaltest.NoError(t, err)
			if signed.Step.Kind != signin.StepPassword {
				t.Errorf("it leads to %+v", signed.Step)
			}
			_, err = p.Accounts.Accounts(t.Context(), signed.Session)
			portaltest.Refused(t, err, access.PasswordNotSet)
		}
	})
}

func TestInvalidTokensAreCounted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 60 {
			_, err := sessiontest.AppLogin(p, "made up", portaltest.AccountHost)
			portaltest.Refused(t, err, access.LoginRequired)
		}
		_, err := sessiontest.AppLogin(p, "made up", portaltest.AccountHost)
		portaltest.Refused(t, err, access.TooManyAttempts)
	})
}

// appToken signs a program in to one account and returns its token. It fails the test if that is refused.
func appToken(p *portaltest.Platform, in signin.ClientLoginInput) string {
	p.T.Helper()
	if in.Password == "" {
		in.Password = onboarding.DemoPassword
	}
	if in.Client == "" {
		in.Client = signin.ClientApp
	}
	result, err := p.Signin.ClientLogin(p.From(portaltest.HomeAddress), in)
	portaltest.NoError(p.T, err)
	if result.User == nil {
		p.T.Fatalf("%s has to choose", in.Login)
	}
	return string(result.User.Token)
}
