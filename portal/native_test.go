package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

const phonesMgr = "mgr.portico.test"

// arrived is somebody on a landing page: the sign-in, where it led, and the cookie there.
type arrived struct {
	signed portal.LoginResult
	to     portal.Destination
	cookie string
}

// arrive signs in and enters an account on a phone.
func (p *platform) arrive(who, login string) arrived {
	p.t.Helper()
	signed := p.signIn(accountHost, who)
	to := p.enter(signed, accountHost, login, phoneScreen)
	result, err := p.redeem(to, "")
	noError(p.t, err)
	return arrived{signed, to, result.Token}
}

func (p *platform) appCode(a arrived) (string, error) {
	return p.AppCode(p.from(homeAddress), a.cookie, p.arrival(a.to).Place, a.to.Slot)
}

// redeemed is the token that a wrapper gets for a code.
func (p *platform) redeemed(code string) (portal.User, error) {
	return p.RedeemForClient(p.from(homeAddress), code, portal.ClientApp, 0)
}

// appToken signs a program in to one account.
func (p *platform) appToken(in portal.MixedLoginInput) string {
	p.t.Helper()
	if in.Password == "" {
		in.Password = portal.DemoPassword
	}
	if in.Client == "" {
		in.Client = portal.ClientApp
	}
	result, err := p.MixedLogin(p.from(homeAddress), in)
	noError(p.t, err)
	if result.User == nil {
		p.t.Fatalf("%s has to choose", in.Login)
	}
	return string(result.User.Token)
}

func (p *platform) appLogin(token, host string) (portal.LoginResult, error) {
	return p.AppLogin(p.from(homeAddress), portal.AppLoginInput{Token: token, Browser: portal.Browser{Place: p.place(host), Width: 390}})
}

// app reads what an app's token stands for.
func (p *platform) app(token string) (portal.Session, error) {
	return p.Token(p.from(homeAddress), portal.TokenInput{Token: token, Client: portal.ClientApp})
}

func TestAWrappersCodeIsRedeemedThroughTheAPIOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.arrive("buyer1", "buyer1")
		code, err := p.appCode(here)
		noError(t, err)
		for _, slot := range portal.Slots { // no landing page takes it, on any host
			for _, host := range []string{"m.portico.test", phonesMgr, "store1001.portico.test", "api.portico.test"} {
				_, err := p.Redeem(p.from(homeAddress), portal.RedeemInput{Code: code, Place: p.place(host), Slot: slot})
				refused(t, err, portal.RedirectFailed)
			}
		}
		user, err := p.redeemed(code)
		noError(t, err)
		if user.Login != "buyer1" || user.CompanyID != 1001 || user.Token == "" {
			t.Errorf("%+v", user)
		}
		_, err = p.app(string(user.Token))
		noError(t, err)

		_, err = p.redeemed(code)
		refused(t, err, portal.LoginRequired)
		_, err = p.app(string(user.Token))
		refused(t, err, portal.LoginRequired) // somebody else has seen the code
		if _, err := p.landing(here.to, here.cookie); err != nil {
			t.Errorf("a wrapper that asks twice has put its person out: %v", err)
		}
		if n := p.events(1001, "auth_code_reused"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

func TestManyRedemptionsOfAnAppsCodeAtOnceGiveOneToken(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		code, err := p.appCode(p.arrive("buyer1", "buyer1"))
		noError(t, err)
		var tokens [12]string
		together(len(tokens), func(i int) {
			user, err := p.redeemed(code)
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
		_, err = p.app(tokens[0])
		noError(t, err)
		if n := p.events(1001, "auth_code_used"); n != 2 { // the landing's, and this one
			t.Errorf("%d events", n)
		}
	})
}

func TestAWrappersCodeEndsWithItsMinuteAndItsSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.arrive("buyer1", "buyer1")
		late, err := p.appCode(here)
		noError(t, err)
		p.clock.advance(portal.AuthCodeLife)
		_, err = p.redeemed(late)
		refused(t, err, portal.LoginRequired)

		left, err := p.appCode(here)
		noError(t, err)
		kept, err := p.appCode(here)
		noError(t, err)
		user, err := p.redeemed(kept)
		noError(t, err)
		_, err = p.SignOut(p.from(homeAddress), here.cookie, p.place("m.portico.test"))
		noError(t, err)
		_, err = p.redeemed(left)
		refused(t, err, portal.LoginRequired)
		_, err = p.app(string(user.Token)) // what it was redeemed for goes with the sign-in, too
		refused(t, err, portal.LoginRequired)
		_, err = p.appCode(here)
		refused(t, err, portal.LoginRequired)
	})
}

func TestAWrapperGetsACodeOnlyForTheSideThatIsSignedIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.arrive("buyer1", "buyer1")
		for _, c := range []struct {
			cookie, host string
			slot         store.Slot
		}{
			{"", "m.portico.test", store.MobileShop}, {"x", "m.portico.test", store.MobileShop}, {here.signed.Token, "m.portico.test", store.MobileShop},
			{here.cookie, "am.portico.test", store.MobileShop}, {here.cookie, "m.portico.test", store.MobileMgr}, {here.signed.Token, accountHost, store.MobileShop},
		} {
			_, err := p.AppCode(p.from(homeAddress), c.cookie, p.place(c.host), c.slot)
			refused(t, err, portal.LoginRequired)
		}
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err := p.appCode(here)
		refused(t, err, portal.AccountDisabled)
	})
}

func TestAWrapperAsksForSoManyCodesAndNoMore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		here := p.arrive("buyer1", "buyer1")
		for range portal.CodesIssued - 1 { // one was used to come here
			_, err := p.appCode(here)
			noError(t, err)
		}
		_, err := p.appCode(here)
		refused(t, err, portal.TooManyAttempts)
	})
}

func TestTheTagOfASignInIsOfOneAccountAndOneSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		seen := map[string]string{}
		for _, who := range []string{"li.manager", "li.shop"} {
			here := p.arrive("13800000003", who)
			first, err := p.landing(here.to, here.cookie)
			noError(t, err)
			again, err := p.landing(here.to, here.cookie)
			noError(t, err)
			tag := p.SignInTag(first)
			if tag != p.SignInTag(again) || len(tag) != 12 || seen[tag] != "" {
				t.Errorf("%s: %q, %q, %v", who, tag, p.SignInTag(again), seen)
			}
			seen[tag] = who
		}
	})
}

func TestAnAppsTokenSignsItsBrowserIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct{ login, host string }{
			{"13800000001", accountHost}, {"buyer1", accountHost}, {"buyer1", "store1001.portico.test"}, {"13800000002", "jinsui.test"}, {"nophone", accountHost},
		} {
			token := p.appToken(portal.MixedLoginInput{Login: c.login})
			held, err := p.app(token)
			noError(t, err)
			p.clock.advance(time.Hour)
			signed, err := p.appLogin(token, c.host)
			noError(t, err)
			noError(t, p.signedIn(signed.Token, c.host))
			s := signed.Session
			if s.Family != held.Family || s.PhoneID != held.PhoneID || s.AccountID != held.AccountID || s.Client != "" || s.CreatedAt != held.CreatedAt || s.EndsAt > held.EndsAt {
				t.Errorf("%s: %+v of %+v", c.login, s, held)
			}
			if signed.Step.Kind != portal.StepEnter || signed.Step.AccountID != held.ActingID {
				t.Errorf("%s leads to %+v", c.login, signed.Step)
			}
			to, err := p.Enter(p.from(homeAddress), portal.EnterInput{Session: s, AccountID: signed.Step.AccountID, Place: p.place(c.host), Device: phoneScreen})
			noError(t, err)
			_, err = p.redeem(to, "")
			noError(t, err)
		}
		all, err := p.db.AuditEvents(t.Context(), 1001, 1000)
		noError(t, err)
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

func TestWhatEndsTheTokenEndsTheBrowserAndBack(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		token := p.appToken(portal.MixedLoginInput{Login: "13800000001"})
		signed, err := p.appLogin(token, accountHost)
		noError(t, err)
		_, err = p.SignOut(p.from(homeAddress), signed.Token, p.place(accountHost))
		noError(t, err)
		_, err = p.app(token)
		refused(t, err, portal.LoginRequired)
		_, err = p.appLogin(token, accountHost)
		refused(t, err, portal.LoginRequired)

		here := p.arrive("13800000001", "buyer1")
		code, err := p.appCode(here)
		noError(t, err)
		user, err := p.redeemed(code)
		noError(t, err)
		lost, err := p.appLogin(string(user.Token), accountHost) // the web view has lost its cookies
		noError(t, err)
		if lost.Session.Family != here.signed.Session.Family || lost.Session.Purpose != store.PurposeCode {
			t.Errorf("%+v", lost.Session)
		}
		_, err = p.SignOut(p.from(homeAddress), here.signed.Token, p.place(accountHost))
		noError(t, err)
		refused(t, p.signedIn(lost.Token, accountHost), portal.LoginRequired)
	})
}

func TestWhatIsNoTokenOfAnAppSignsNobodyIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		many, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: "13800000003", Password: portal.DemoPassword, Client: portal.ClientApp})
		noError(t, err)
		ended := p.appToken(portal.MixedLoginInput{Login: "buyer1"})
		p.clock.advance(portal.TokenIdle)
		for name, token := range map[string]string{
			"none": "", "made up": "AAAA", "a ticket": many.Ticket, "a cookie": p.signIn(accountHost, "buyer1").Token, "one that has ended": ended,
			"a desktop program's": p.appToken(portal.MixedLoginInput{Login: "buyer1", Client: portal.ClientPC}),
			"a web app's":         p.appToken(portal.MixedLoginInput{Login: "buyer1", Client: portal.ClientWebApp}),
		} {
			if _, err := p.appLogin(token, accountHost); err == nil {
				t.Errorf("%s signs in", name)
			} else {
				refused(t, err, portal.LoginRequired)
			}
		}
		_, err = p.appLogin(p.appToken(portal.MixedLoginInput{Login: "buyer1"}), "store1002.portico.test") // another company's site
		refused(t, err, portal.LoginRequired)
	})
}

func TestABlockedAccountsTokenSignsNobodyInAndSaysWhy(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		token := p.appToken(portal.MixedLoginInput{Login: "buyer1"})
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err := p.appLogin(token, accountHost)
		if with := refused(t, err, portal.AccountDisabled); with.Company == nil || with.Company.ID != 1001 {
			t.Errorf("%+v", with)
		}
		p.setAccountState("buyer1", store.AccountActive)
		_, err = p.appLogin(token, accountHost) // the token ended with the account
		refused(t, err, portal.LoginRequired)
	})
}

func TestATokenNeverReplacesWhoIsSignedIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000002")
		token := p.appToken(portal.MixedLoginInput{Login: "buyer1"})
		in := portal.AppLoginInput{Token: token, Browser: portal.Browser{Place: p.place(accountHost)}}
		_, err := p.AppLogin(p.LoadSession(p.from(homeAddress), signed.Token), in)
		refused(t, err, portal.WrongParameters)
		noError(t, p.signedIn(signed.Token, accountHost))
	})
}

func TestATokenOfOneCompanyOpensNoOtherOfItsPhone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		token := p.appToken(portal.MixedLoginInput{Login: "13800000003", CompanyID: 1002})
		signed, err := p.appLogin(token, accountHost)
		noError(t, err)
		p.wantList(signed.Session, "1002 mgr:sur")
		at, err := p.appLogin(token, "store1002.portico.test")
		noError(t, err)
		if at.Session.PhoneID == 0 {
			t.Errorf("%+v", at.Session)
		}
	})
}

func TestAFirstPasswordsTokenLeadsToItsReplacement(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		for _, company := range []int64{0, 1001} {
			token := p.appToken(portal.MixedLoginInput{Login: "newcomer", Password: opened.First.Password, CompanyID: company})
			signed, err := p.appLogin(token, accountHost)
			noError(t, err)
			if signed.Step.Kind != portal.StepPassword {
				t.Errorf("it leads to %+v", signed.Step)
			}
			_, err = p.Accounts(t.Context(), signed.Session)
			refused(t, err, portal.PasswordNotSet)
		}
	})
}

func TestMadeUpTokensAreCounted(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range portal.BadCodes {
			_, err := p.appLogin("made up", accountHost)
			refused(t, err, portal.LoginRequired)
		}
		_, err := p.appLogin("made up", accountHost)
		refused(t, err, portal.TooManyAttempts)
	})
}
