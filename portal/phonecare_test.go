package portal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

const otherPassword = "Zeegras55"

// opens says whether a password opens a phone or a name.
func (p *carer) opens(who, password string) bool {
	p.t.Helper()
	in := p.as(who)
	in.Password = password
	_, err := p.Login(p.from("192.0.2.77"), in)
	if err != nil && !errors.Is(err, portal.WrongPassword) && !errors.Is(err, portal.PasswordNotSet) {
		p.t.Fatalf("%s: %v", who, err)
	}
	return err == nil
}

// token signs a program in by a phone or name that has one account.
func (p *carer) token(who string) string {
	p.t.Helper()
	result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: who, Password: portal.DemoPassword, Client: portal.ClientApp})
	noError(p.t, err)
	return string(result.User.Token)
}

func (p *carer) tokenSession(token string) (portal.Session, error) {
	return p.Token(p.t.Context(), portal.TokenInput{Token: token, Client: portal.ClientApp})
}

// opened is all that a sign-in by a password can leave behind: a browser, a side entered from it, an auth code that
// waits, and a program's token.
type opened struct {
	signed      portal.LoginResult
	destination portal.Destination
	landed      string
	waiting     portal.Destination
	token       string
}

// open signs in everywhere and enters the account of a login.
func (p *carer) open(who, login string) opened {
	p.t.Helper()
	o := opened{signed: p.signIn(accountHost, who)}
	o.destination = p.enter(o.signed, accountHost, login, phoneScreen)
	landed, err := p.redeem(o.destination, "")
	noError(p.t, err)
	o.landed = landed.Token
	o.waiting = p.enter(o.signed, accountHost, login, desktop)
	result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: who, Password: portal.DemoPassword, AccountID: p.account(login).ID, Client: portal.ClientApp})
	noError(p.t, err)
	o.token = string(result.User.Token)
	return o
}

// lives tells what of it still works, e.g. "browser side code token". It uses the code up.
func (p *carer) lives(o opened) string {
	p.t.Helper()
	var alive []string
	if p.signedIn(o.signed.Token, accountHost) == nil {
		alive = append(alive, "browser")
	}
	if _, err := p.landing(o.destination, o.landed); err == nil {
		alive = append(alive, "side")
	}
	if _, err := p.redeem(o.waiting, ""); err == nil {
		alive = append(alive, "code")
	}
	if _, err := p.tokenSession(o.token); err == nil {
		alive = append(alive, "token")
	}
	return strings.Join(alive, " ")
}

const everything = "browser side code token"

func (p *carer) wantLives(what string, o opened, want string) {
	p.t.Helper()
	if got := p.lives(o); got != want {
		p.t.Errorf("%s: %q lives, want %q", what, got, want)
	}
}

func (p *carer) wantNotices(want ...string) {
	p.t.Helper()
	p.settle()
	if got := p.sms.notices(); !slices.Equal(got, want) {
		p.t.Errorf("notices %q, want %q", got, want)
	}
}

func phoneOf(t *testing.T, db *store.DB, number string) store.Phone {
	t.Helper()
	phone, err := db.PhoneByNumber(t.Context(), number)
	noError(t, err)
	return phone
}

// Signing in by a code.

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
		in.Remember, in.OldToken, in.Device, in.Width, in.ShareUser, in.ShareClient = true, before.Token, before.Device, 390, 7, 8
		result, err := p.codeLogin(in)
		noError(t, err)
		if s := result.Session; !s.Remember || s.Device != before.Device || s.Width != 390 || s.ShareUserID != 7 || s.ShareClientID != 8 || s.EndsAt != store.At(p.clock.in(portal.RememberedLife)) {
			t.Errorf("%+v", s)
		}
		refused(t, p.signedIn(before.Token, accountHost), portal.LoginRequired)
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

func TestAResetByPhoneEndsAllThatThePersonAndTheirAccountsOpened(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person, named, stranger := p.open(manyPhone, "li.shop"), p.open("sur", "sur"), p.open(managerPhone, "jinsui")
		flow := portal.NewFlow()
		noError(t, p.reset(p.resetting(manyPhone, p.sent(p.asking(portal.ForReset, manyPhone, flow)), flow)))
		p.wantLives("the person's", person, "")
		p.wantLives("an account's, by name", named, "")
		p.wantLives("another's", stranger, everything)
		if p.opens(manyPhone, portal.DemoPassword) || !p.opens(manyPhone, newPassword) {
			t.Error("the phone's password is not the new one")
		}
		for _, login := range []string{"sur", "li.shop", "li.manager", "li.lights"} {
			if !p.opens(login, portal.DemoPassword) {
				t.Errorf("the password of %s was changed", login)
			}
		}
		if n := p.events(0, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " password_changed")
	})
}

func TestAResetByNameChangesAndEndsThatAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		own, sister, person := p.open("li.shop", "li.shop"), p.open("sur", "sur"), p.open(manyPhone, "li.manager")
		inShop := p.enter(person.signed, accountHost, "li.shop", phoneScreen)
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = " LI.Shop "
		in := p.resetting("", p.sent(ask), ask.Flow)
		in.Login = "li.shop"
		noError(t, p.reset(in))
		p.wantLives("the account's", own, "")
		p.wantLives("another account's of the phone", sister, everything)
		p.wantLives("the person's", person, everything)
		_, err := p.redeem(inShop, "")
		refused(t, err, portal.RedirectFailed)
		if p.opens("li.shop", portal.DemoPassword) || !p.opens("li.shop", newPassword) || !p.opens(manyPhone, portal.DemoPassword) || !p.opens("sur", portal.DemoPassword) {
			t.Error("not the account's password alone was changed")
		}
		if n := p.events(1001, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " password_changed")
	})
}

func TestTheAskerOfAnAccountsCodeLearnsItsPhoneMasked(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "buyer1"
		if sent, err := p.ask(ask); err != nil || sent.Phone != "138****0001" {
			t.Errorf("%+v, %v", sent, err)
		}
	})
}

func TestOnACompanysHouseItsOwnAccountOfANameIsMeant(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mgr, shop := p.twins(buyerPhone, managerPhone) // in 1002 and in 1001
		for host, want := range map[string]struct {
			m     store.Member
			phone string
		}{"store1002.portico.test": {mgr, buyerPhone}, "store1001.portico.test": {shop, managerPhone}} {
			ask := p.asking(portal.ForReset, "", portal.NewFlow())
			ask.Login, ask.Place = "twin", p.place(host)
			ask.CompanyID = ask.Place.CompanyID()
			in := p.resetting("", p.sent(ask), ask.Flow)
			in.Login, in.Place = "twin", ask.Place
			noError(t, p.reset(in))
			if got := p.sms.codes()[len(p.sms.codes())-1].Phone; got != want.phone {
				t.Errorf("on %s the code went to %s", host, got)
			}
			after, err := p.db.MemberByID(t.Context(), want.m.CompanyID, want.m.ID)
			if err != nil || after.PasswordHash == want.m.PasswordHash {
				t.Errorf("on %s the password is the old one, %v", host, err)
			}
		}
	})
}

func TestARefusedNewPasswordKeepsTheProofForAnotherOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.resetting(manyPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, manyPhone, in.Flow))
		for _, c := range []struct {
			password, confirm string
			field             string
			want              portal.Problem
		}{
			{"", "", "password", portal.PasswordRequired}, {"Ab1.x", "Ab1.x", "password", portal.PasswordTooShort}, {strings.Repeat("Ab3", 7), "", "password", portal.PasswordTooLong},
			{"Blauwal-77", "Blauwal-77", "password", portal.PasswordCharacters}, {"woaini1314", "woaini1314", "password", portal.PasswordCommon}, {"abcdef", "abcdef", "password", portal.PasswordPattern},
			{"x800000003x", "x800000003x", "password", portal.PasswordPersonal}, {newPassword, "", "confirm_password", portal.PasswordsDiffer}, {newPassword, "Blauwal78", "confirm_password", portal.PasswordsDiffer},
			{"Li.Lights88", "Li.Lights88", "password", portal.PasswordPersonal}, {"Mariscos88", "Mariscos88", "password", portal.PasswordPersonal}, {"Northwind1", "Northwind1", "password", portal.PasswordPersonal},
			{portal.DemoPassword, portal.DemoPassword, "password", portal.PasswordSame},
		} {
			in.Password, in.Confirm = c.password, c.confirm
			if with := refused(t, p.reset(in), portal.ValidationFailed); with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", c.password, with.Fields)
			}
		}
		p.clock.advance(portal.ProofLife - time.Second) // the code itself has ended, what it proved has not
		in.Password, in.Confirm = newPassword, newPassword
		code := in.Code
		in.Code = otherThan(code)
		refused(t, p.reset(in), portal.CodeWrong)
		in.Code = code
		noError(t, p.reset(in))
		in.Password, in.Confirm = otherPassword, otherPassword
		refused(t, p.reset(in), portal.CodeExpired)
		if !p.opens(manyPhone, newPassword) {
			t.Error("the first password is not the one")
		}
	})
}

func TestAProofOfAResetEndsAfterTenMinutes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.resetting(buyerPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, buyerPhone, in.Flow))
		in.Password, in.Confirm = portal.DemoPassword, portal.DemoPassword
		refused(t, p.reset(in), portal.ValidationFailed)
		if pending, ok, err := p.PendingCode(t.Context(), in.Flow, portal.ForReset); err != nil || !ok || !pending.Proven {
			t.Errorf("%+v, %v, %v", pending, ok, err)
		}
		p.clock.advance(portal.ProofLife / 2)
		refused(t, p.reset(in), portal.ValidationFailed) // showing it again does not lengthen it
		p.clock.advance(portal.ProofLife / 2)
		in.Password, in.Confirm = newPassword, newPassword
		refused(t, p.reset(in), portal.CodeExpired)
	})
}

func TestOfTwoResetsAtOnceOneWins(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.resetting(buyerPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, buyerPhone, in.Flow))
		passwords := []string{newPassword, otherPassword}
		errs := make([]error, 2)
		var group sync.WaitGroup
		for i, password := range passwords {
			group.Go(func() {
				mine := in
				mine.Password, mine.Confirm = password, password
				errs[i] = p.reset(mine)
			})
		}
		group.Wait()
		won := slices.Index(errs, nil)
		if won < 0 || !errors.Is(errs[1-won], portal.CodeExpired) {
			t.Fatalf("%v", errs)
		}
		if !p.opens(buyerPhone, passwords[won]) || p.opens(buyerPhone, passwords[1-won]) {
			t.Error("the winner's password is not the one")
		}
		p.wantNotices(buyerPhone + " password_changed")
	})
}

func TestAResetReopensWhatAHundredFailuresShut(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		g := &guesser{platform: p.platform}
		for range portal.OffFailures {
			refused(t, g.try(p.wrong(buyerPhone)), portal.WrongPassword)
			p.clock.advance(portal.LongestWait + time.Second)
		}
		refused(t, g.try(p.as(buyerPhone)), portal.TooManyAttempts)
		in := p.resetting(buyerPhone, "", portal.NewFlow())
		in.Code = p.sent(p.asking(portal.ForReset, buyerPhone, in.Flow))
		noError(t, p.reset(in))
		if !p.opens(buyerPhone, newPassword) || !p.opens("buyer1", portal.DemoPassword) {
			t.Error("it is still shut")
		}
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestAResetReopensAKnownBrowserToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.wrong(buyerPhone)
		in.Device = p.signIn(accountHost, buyerPhone).Device
		for range portal.OffFailures {
			_, err := p.login(in)
			refused(t, err, portal.WrongPassword)
			p.clock.advance(portal.LongestWait + time.Second)
		}
		reset := p.resetting(buyerPhone, "", portal.NewFlow())
		reset.Code = p.sent(p.asking(portal.ForReset, buyerPhone, reset.Flow))
		noError(t, p.reset(reset))
		in.Password = newPassword
		if _, err := p.login(in); err != nil {
			t.Errorf("the new password in the browser that had failed: %v", err)
		}
	})
}

// Changing a password.

func (p *carer) changing(s portal.Session, old string) portal.ChangePasswordInput {
	return portal.ChangePasswordInput{Old: old, Password: newPassword, Confirm: newPassword, Session: s, Lang: "zh"}
}

func (p *carer) change(in portal.ChangePasswordInput) (string, error) {
	return p.ChangePassword(p.from(homeAddress), in)
}

func TestAChangedPasswordEndsAllButThisBrowserWhichGetsANewId(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, elsewhere, named, stranger := p.open(manyPhone, "li.shop"), p.open(manyPhone, "sur"), p.open("li.shop", "li.shop"), p.open(managerPhone, "jinsui")
		code := p.sent(p.asking(portal.ForLogin, manyPhone, "flow"))
		fresh, err := p.change(p.changing(mine.signed.Session, portal.DemoPassword))
		noError(t, err)
		p.wantLives("mine, by the old id", mine, "side code")
		noError(t, p.signedIn(fresh, accountHost))
		p.wantLives("elsewhere", elsewhere, "")
		p.wantLives("by name", named, "")
		p.wantLives("another's", stranger, everything)
		_, err = p.codeLogin(p.withCode(manyPhone, code, "flow"))
		refused(t, err, portal.CodeExpired)
		if p.opens(manyPhone, portal.DemoPassword) || !p.opens(manyPhone, newPassword) || !p.opens("li.shop", portal.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
		if n := p.events(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " password_changed")
	})
}

func TestAnAccountsOwnPasswordIsChangedInASessionByItsName(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, elsewhere, person := p.signIn(accountHost, "li.shop"), p.open("li.shop", "li.shop"), p.open(manyPhone, "sur")
		fresh, err := p.change(p.changing(mine.Session, portal.DemoPassword))
		noError(t, err)
		noError(t, p.signedIn(fresh, accountHost))
		refused(t, p.signedIn(mine.Token, accountHost), portal.LoginRequired)
		p.wantLives("elsewhere", elsewhere, "")
		p.wantLives("the person's", person, everything)
		if p.opens("li.shop", portal.DemoPassword) || !p.opens("li.shop", newPassword) || !p.opens(manyPhone, portal.DemoPassword) {
			t.Error("not the account's password alone was changed")
		}
		if n := p.events(1001, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " password_changed")
	})
}

func TestAnAccountWithoutAPhoneChangesItsPasswordAndNobodyIsTold(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, err := p.change(p.changing(p.signIn(accountHost, "nophone").Session, portal.DemoPassword))
		noError(t, err)
		p.wantNotices()
		if !p.opens("nophone", newPassword) {
			t.Error("it was not changed")
		}
	})
}

func TestAProgramThatChangesThePasswordKeepsItsToken(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, other, browser := p.token(buyerPhone), p.token(buyerPhone), p.signIn(accountHost, buyerPhone)
		s, err := p.tokenSession(mine)
		noError(t, err)
		if fresh, err := p.change(p.changing(s, portal.DemoPassword)); err != nil || fresh != "" {
			t.Errorf("%q, %v", fresh, err)
		}
		if _, err := p.tokenSession(mine); err != nil {
			t.Errorf("its token: %v", err)
		}
		_, err = p.tokenSession(other)
		refused(t, err, portal.LoginRequired)
		refused(t, p.signedIn(browser.Token, accountHost), portal.LoginRequired)
	})
}

func TestChangingAPasswordNeedsTheOldOneAndAGoodNewOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, buyerPhone)
		for _, c := range []struct {
			old, password, confirm string
			want                   portal.Fields
		}{
			{"", newPassword, newPassword, portal.Fields{"old_password": portal.PasswordRequired}}, {strings.Repeat("a", portal.MaxPassword+1), newPassword, newPassword, portal.Fields{"old_password": portal.PasswordTooLong}},
			{portal.DemoPassword, "", "", portal.Fields{"password": portal.PasswordRequired}}, {portal.DemoPassword, newPassword, otherPassword, portal.Fields{"confirm_password": portal.PasswordsDiffer}},
			{portal.DemoPassword, portal.DemoPassword, portal.DemoPassword, portal.Fields{"password": portal.PasswordSame}}, {portal.DemoPassword, "a380000000", "a380000000", portal.Fields{"password": portal.PasswordPersonal}},
			{portal.DemoPassword, "Buyer1.88", "Buyer1.88", portal.Fields{"password": portal.PasswordPersonal}},
		} {
			in := p.changing(signed.Session, c.old)
			in.Password, in.Confirm = c.password, c.confirm
			_, err := p.change(in)
			with := refused(t, err, portal.ValidationFailed)
			for field, problem := range c.want {
				if with.Fields[field] != problem {
					t.Errorf("%s: %v, want %v", c.password, with.Fields, c.want)
				}
			}
		}
		_, err := p.change(p.changing(signed.Session, "Wrong2026"))
		if with := refused(t, err, portal.OldPasswordWrong); with.Left >= portal.ProofFailures {
			t.Errorf("%+v", with)
		}
		_, err = p.change(p.changing(store.Session{ID: "landing"}, portal.DemoPassword))
		refused(t, err, portal.LoginRequired)
		if !p.opens(buyerPhone, portal.DemoPassword) {
			t.Error("it was changed")
		}
	})
}

func TestARightOldPasswordIsNoFailureWhateverTheNewOneWas(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.changing(p.signIn(accountHost, buyerPhone).Session, portal.DemoPassword)
		in.Password, in.Confirm = "Buyer1.88", "Buyer1.88"
		for range portal.FreeFailures + 2 {
			_, err := p.change(in)
			refused(t, err, portal.ValidationFailed)
		}
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
	})
}

func TestTheOldPasswordIsGuessedFromTheBudgetOfSignIns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.changing(p.signIn(accountHost, buyerPhone).Session, "Wrong2026")
		g := &guesser{platform: p.platform}
		g.wrongs(2, "buyer1") // by the other door
		wrongs := 2
		for wrongs < portal.ProofFailures {
			_, err := p.change(in)
			with := refused(t, err, portal.OldPasswordWrong)
			wrongs++
			if with.Left != portal.ProofFailures-wrongs || with.Question != nil {
				t.Errorf("after %d: %+v", wrongs, with)
			}
			if wrongs > portal.FreeFailures {
				_, err := p.change(p.changing(in.Session, portal.DemoPassword))
				refused(t, err, portal.TooManyAttempts)
				p.clock.advance(2 * time.Second << (wrongs - portal.FreeFailures - 1))
			}
		}
		_, err := p.change(p.changing(in.Session, portal.DemoPassword))
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != portal.FailureWindow || with.Question != nil {
			t.Errorf("instead of a question: %+v", with)
		}
		p.clock.advance(portal.FailureWindow)
		fresh, err := p.change(p.changing(in.Session, portal.DemoPassword))
		noError(t, err)
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
		noError(t, p.signedIn(fresh, accountHost))
	})
}

// Binding a phone.

func (p *carer) binding(signed portal.LoginResult, phone string) portal.BindInput {
	p.t.Helper()
	return portal.BindInput{Phone: phone, Session: signed.Session, Flow: "session:" + signed.Session.ID, Lang: "zh"}
}

func (p *carer) askToBind(in portal.BindInput) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForBind, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// proven is a binding whose code was right.
func (p *carer) proven(login, phone string) (portal.LoginResult, portal.BindInput, portal.Bound) {
	p.t.Helper()
	signed := p.signIn(accountHost, login)
	in := p.binding(signed, phone)
	in.Code = p.sent(p.askToBind(in))
	bound, err := p.ProveBind(p.from(homeAddress), in)
	noError(p.t, err)
	return signed, in, bound
}

func (p *carer) bind(in portal.BindInput) (portal.Bound, error) {
	return p.Bind(p.from(homeAddress), in)
}

func TestAPhoneNobodyRegisteredIsBoundWithANewPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed, in, bound := p.proven("nophone", newPhone)
		if bound.Need != portal.NeedNewPassword || bound.Phone != newPhone || bound.Others != nil || bound.Token != "" {
			t.Errorf("%+v", bound)
		}
		if before := p.account("nophone"); before.PhoneID != 0 {
			t.Error("it is bound already")
		}
		for password, want := range map[string]portal.Problem{"woaini1314": portal.PasswordCommon, "x912345678": portal.PasswordPersonal, "nophone88": portal.PasswordPersonal, "": portal.PasswordRequired} {
			in.Password, in.Confirm = password, password
			_, err := p.bind(in)
			if with := refused(t, err, portal.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		in.Password, in.Confirm = newPassword, newPassword
		bound, err := p.bind(in)
		if err != nil || bound.Need != portal.NeedNothing || bound.Phone != newPhone || bound.Token == "" {
			t.Fatalf("%+v, %v", bound, err)
		}
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		noError(t, p.signedIn(bound.Token, accountHost))
		if !p.opens(newPhone, newPassword) || !p.opens("nophone", portal.DemoPassword) || p.account("nophone").Phone != newPhone {
			t.Error("it is not bound")
		}
		if n := p.events(1001, "phone_bound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(newPhone + " phone_bound")
		if step := p.signIn(accountHost, "nophone").Step; step.Kind != portal.StepEnter {
			t.Errorf("it is offered again: %+v", step)
		}
	})
}

func TestARegisteredPhoneIsBoundWithItsPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person := p.open(buyerPhone, "buyer1")
		_, in, bound := p.proven("northwind", buyerPhone)
		if bound.Need != portal.NeedPassword || len(bound.Others) != 1 || bound.Others[0].Login != "buyer1" {
			t.Errorf("%+v", bound)
		}
		_, err := p.bind(in)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["password"] != portal.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		_, err = p.bind(in)
		if with := refused(t, err, portal.WrongPassword); with.Left != portal.ProofFailures-1 {
			t.Errorf("%+v", with)
		}
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		noError(t, err)
		p.wantLives("the person's", person, everything)
		p.wantList(p.signIn(accountHost, buyerPhone).Session, "1001 shop:buyer1", "1003 mgr:northwind")
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestWrongPasswordsOfABindingDrawOnTheBudgetOfSignIns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("northwind", buyerPhone)
		in.Password = "Wrong2026"
		for n := range portal.ProofFailures - 1 {
			_, err := p.bind(in)
			refused(t, err, portal.WrongPassword)
			if n >= portal.FreeFailures {
				p.clock.advance(2 * time.Second << (n - portal.FreeFailures))
			}
		}
		_, err := p.bind(in) // the wait stands in for a question
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != portal.FailureWindow || with.Question != nil {
			t.Errorf("%+v", with)
		}
		p.clock.advance(2 * time.Minute)
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		refused(t, err, portal.TooManyAttempts)
		in.New, in.Password, in.Confirm = true, newPassword, newPassword // the code still speaks
		_, err = p.bind(in)
		noError(t, err)
	})
}

func TestAPasswordNotAtHandIsReplacedAndWhatItOpenedEnds(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person, named, stranger := p.open(manyPhone, "li.shop"), p.open("sur", "sur"), p.open(buyerPhone, "buyer1")
		_, in, bound := p.proven("nophone", manyPhone)
		var others []string
		for _, m := range bound.Others {
			others = append(others, m.Login)
		}
		if !slices.Equal(others, []string{"li.manager", "li.shop", "sur", "li.lights"}) {
			t.Errorf("it concerns %v", others)
		}
		in.New, in.Password, in.Confirm = true, newPassword, newPassword
		bound, err := p.bind(in)
		noError(t, err)
		p.wantLives("the person's", person, "")
		p.wantLives("an account's, by name", named, "")
		p.wantLives("another's", stranger, everything)
		noError(t, p.signedIn(bound.Token, accountHost))
		if p.opens(manyPhone, portal.DemoPassword) || !p.opens(manyPhone, newPassword) || !p.opens("sur", portal.DemoPassword) || !p.opens("nophone", portal.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
	})
}

func TestAPhoneWithoutAPasswordGetsOneWhenItIsBound(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		noError(t, p.db.SetPhonePassword(t.Context(), phoneOf(t, p.db, unboundPhone).ID, ""))
		_, in, bound := p.proven("nophone", unboundPhone)
		if bound.Need != portal.NeedNewPassword {
			t.Errorf("%+v", bound)
		}
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		noError(t, err)
		if !p.opens(unboundPhone, newPassword) {
			t.Error("it has none")
		}
	})
}

func TestTheOtherSessionsOfAnAccountEndWhenAPhoneIsBoundToIt(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		elsewhere := p.open("nophone", "nophone")
		_, in, _ := p.proven("nophone", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		noError(t, err)
		p.wantLives("elsewhere", elsewhere, "")
	})
}

func TestAProvenBindingIsResumedForTenMinutesAndUsedOnce(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed, in, first := p.proven("nophone", buyerPhone)
		p.restart()
		p.clock.advance(portal.ProofLife - time.Second)
		if again, err := p.ResumeBind(t.Context(), signed.Session, in.Flow); err != nil || again.Need != first.Need || again.Phone != first.Phone || len(again.Others) != 1 {
			t.Errorf("%+v, %v", again, err)
		}
		p.clock.advance(time.Second)
		_, err := p.ResumeBind(t.Context(), signed.Session, in.Flow)
		refused(t, err, portal.CodeExpired)
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)

		in.Code = p.sent(p.askToBind(in))
		_, err = p.ProveBind(p.from(homeAddress), in)
		noError(t, err)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := p.bind(in); err == nil {
					done.Add(1)
				} else if !errors.Is(err, portal.CodeExpired) && !errors.Is(err, portal.WrongParameters) && !errors.Is(err, portal.LoginRequired) && !errors.Is(err, portal.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 1 || p.events(1001, "phone_bound") != 1 {
			t.Errorf("bound %d times", done.Load())
		}
		again := p.account("nophone")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, again.ID, again.PhoneID))
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestAProofOfABindingIsGoodForItsSessionAndAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("nophone", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		again, other := p.signIn(accountHost, "nophone"), p.signIn(accountHost, "northwind")
		for name, change := range map[string]func(*portal.BindInput){
			"another session's flow": func(in *portal.BindInput) { in.Flow = "session:" + again.Session.ID },
			"no flow":                func(in *portal.BindInput) { in.Flow = "" },
			"another account":        func(in *portal.BindInput) { in.Session = other.Session },
		} {
			mine := in
			change(&mine)
			for range 2 {
				_, err := p.bind(mine)
				if !errors.Is(err, portal.CodeExpired) {
					t.Errorf("%s: %v", name, err)
				}
				mine.New = true
			}
			if _, err := p.ProveBind(t.Context(), mine); !errors.Is(err, portal.CodeExpired) {
				t.Errorf("%s, the code again: %v", name, err)
			}
		}
		_, err := p.bind(portal.BindInput{Session: store.Session{ID: "landing"}, Flow: in.Flow, New: true, Password: newPassword, Confirm: newPassword})
		refused(t, err, portal.LoginRequired)
		in.Phone = buyerPhone // the last form's phone counts for nothing
		bound, err := p.bind(in)
		if err != nil || bound.Phone != newPhone {
			t.Errorf("%+v, %v", bound, err)
		}
	})
}

func TestAPhoneThatACompanyKeepsToItselfIsNotSharedEitherWay(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		now := store.At(p.clock.now())
		_, err := p.db.SaveCompany(t.Context(), store.Company{ID: 2001, Name: "Allein", Language: "zh", Standing: store.Formal, Mall: store.MallOpen, ExclusivePhones: true, CreatedAt: now, UpdatedAt: now})
		noError(t, err)
		p.addAccount("solo", 2001, store.Mgr, "")
		p.addAccount("kept", 2001, store.Shop, unboundPhone)
		for _, c := range []struct{ login, phone string }{{"solo", buyerPhone}, {"northwind", unboundPhone}} {
			in := p.binding(p.signIn(accountHost, c.login), c.phone)
			in.Code = p.sent(p.askToBind(in))
			_, err := p.ProveBind(p.from(homeAddress), in)
			refused(t, err, portal.PhoneBoundElsewhere)
			in.New, in.Password, in.Confirm = true, newPassword, newPassword
			_, err = p.bind(in)
			refused(t, err, portal.PhoneBoundElsewhere)
			if p.account(c.login).PhoneID != 0 || !p.opens(c.phone, portal.DemoPassword) {
				t.Error("something was changed")
			}
		}
		p.clock.advance(portal.DefaultResend)
		_, own, _ := p.proven("solo", unboundPhone) // the phone of the same company's account
		own.Password = portal.DemoPassword
		_, err = p.bind(own)
		noError(t, err)
	})
}

func TestAnAccountBoundMeanwhileIsLeftAsItIs(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("nophone", newPhone)
		m, elsewhere := p.account("nophone"), phoneOf(t, p.db, managerPhone)
		noError(t, p.db.BindPhone(t.Context(), 1001, m.ID, elsewhere))
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		refused(t, err, portal.WrongParameters)
		if p.account("nophone").PhoneID != elsewhere.ID {
			t.Error("it was bound anew")
		}
		_, err = p.db.PhoneByNumber(t.Context(), newPhone)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}
	})
}

func TestASessionProvenByAPhoneBindsNone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, who := range []string{buyerPhone, "buyer1"} { // by a phone, and of an account that has one
			in := p.binding(p.signIn(accountHost, who), newPhone)
			_, err := p.ask(p.askToBind(in))
			refused(t, err, portal.WrongParameters)
			in.Code = "000000"
			_, err = p.ProveBind(t.Context(), in)
			refused(t, err, portal.WrongParameters)
			_, err = p.bind(in)
			refused(t, err, portal.WrongParameters)
			if _, ok, err := p.Bindable(t.Context(), in.Session); err != nil || ok {
				t.Errorf("%s: %v, %v", who, ok, err)
			}
		}
		if m, ok, err := p.Bindable(t.Context(), p.signIn(accountHost, "nophone").Session); err != nil || !ok || m.Login != "nophone" {
			t.Errorf("%+v, %v, %v", m, ok, err)
		}
	})
}

func TestTheReminderIsStoppedForAnOwnAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, "nophone")
		refused(t, p.StopBindReminder(t.Context(), signed.Session, p.account("northwind").ID, 0), portal.NotFound)
		refused(t, p.StopBindReminder(t.Context(), signed.Session, 1<<40, 0), portal.NotFound)
		refused(t, p.StopBindReminder(t.Context(), store.Session{ID: "landing"}, p.account("nophone").ID, 0), portal.LoginRequired)
		if !p.account("northwind").BindReminder || !p.account("nophone").BindReminder {
			t.Error("it was stopped")
		}
		noError(t, p.StopBindReminder(t.Context(), signed.Session, p.account("nophone").ID, 0))
		if p.account("nophone").BindReminder || !p.account("northwind").BindReminder {
			t.Error("not the own one was stopped")
		}
	})
}

func TestACodeForABindingNamesTheAccountsCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1003, func(c *store.Company) { c.Name = "North【wind】\nhttp://x.test" })
		in := p.binding(p.signIn(accountHost, "northwind"), newPhone)
		p.sent(p.askToBind(in))
		if m := p.sms.codes()[0]; m.Company != "Northwindhttpxtest" || m.Phone != newPhone || m.Purpose != portal.ForBind {
			t.Errorf("%+v", m)
		}
	})
}

// Taking a phone off.

func (p *carer) unbinding(s portal.Session, login string) portal.UnbindInput {
	p.t.Helper()
	return portal.UnbindInput{AccountID: p.account(login).ID, Session: s, Flow: "session:" + s.ID, Lang: "zh"}
}

func (p *carer) askToUnbind(in portal.UnbindInput) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForUnbind, newPhone, in.Flow) // what is typed does not matter
	ask.Session, ask.AccountID = in.Session, in.AccountID
	return ask
}

func (p *carer) unbind(in portal.UnbindInput) error { return p.Unbind(p.from(homeAddress), in) }

func TestTakingAPhoneOffEndsWhatItOpenedOfTheAccountAndNothingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, sister, named, stranger := p.open(manyPhone, "li.shop"), p.open(manyPhone, "sur"), p.open("li.shop", "li.shop"), p.open(buyerPhone, "buyer1")
		in := p.unbinding(mine.signed.Session, "li.shop")
		in.Code = p.sent(p.askToUnbind(in))
		if m := p.sms.codes()[0]; m.Phone != manyPhone || m.Company != "金穗粮油" {
			t.Errorf("%+v", m)
		}
		noError(t, p.unbind(in))
		p.wantLives("of the account", mine, "browser")
		p.wantLives("of another account", sister, everything)
		p.wantLives("by its name", named, "")
		p.wantLives("another's", stranger, everything)
		p.wantList(p.signIn(accountHost, manyPhone).Session, "1001 mgr:li.manager", "1002 mgr:sur", "1003 shop:li.lights")
		if m := p.account("li.shop"); m.PhoneID != 0 || !p.opens("li.shop", portal.DemoPassword) {
			t.Error("the account cannot be entered by its name")
		}
		if n := p.events(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " phone_unbound")
		refused(t, p.unbind(in), portal.NotFound)
	})
}

func TestAnAccountByItsNameTakesItsPhoneOffAndStaysSignedIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, elsewhere, person := p.signIn(accountHost, "li.shop"), p.open("li.shop", "li.shop"), p.open(manyPhone, "sur")
		in := p.unbinding(mine.Session, "li.shop")
		in.AccountID = 0
		if sent, err := p.ask(p.askToUnbind(in)); err != nil || sent.Phone != "138****0003" {
			t.Errorf("%+v, %v", sent, err)
		}
		in.Code = p.sms.codes()[0].Code
		noError(t, p.unbind(in))
		noError(t, p.signedIn(mine.Token, accountHost))
		p.wantLives("elsewhere", elsewhere, "")
		p.wantLives("another account of the phone", person, everything)
	})
}

func TestAnAccountWithoutAPasswordOfItsOwnGetsOneFirst(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("buyer1")
		noError(t, p.db.SetAccountPassword(t.Context(), 1001, m.ID, ""))
		signed := p.signIn(accountHost, buyerPhone)
		in := p.unbinding(signed.Session, "buyer1")
		if u, err := p.Unbindable(t.Context(), in.Session, 0); err != nil || !u.NewPassword || u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.sent(p.askToUnbind(in))
		refused(t, p.unbind(in), portal.PasswordNotSet)
		for password, want := range map[string]portal.Problem{"buyer188": portal.PasswordPersonal, "x80000000x": portal.PasswordPersonal, "qwe123": portal.PasswordPattern} {
			in.Password, in.Confirm = password, password
			if with := refused(t, p.unbind(in), portal.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		if p.account("buyer1").PhoneID == 0 {
			t.Fatal("it was unbound without a way in")
		}
		in.Password, in.Confirm = newPassword, newPassword
		noError(t, p.unbind(in))
		if !p.opens("buyer1", newPassword) {
			t.Error("its name opens nothing")
		}

		noError(t, p.db.SetAccountPassword(t.Context(), 1001, p.account("jinsui").ID, ""))
		old := p.signIn(accountHost, managerPhone)
		p.clock.advance(portal.FreshSession + time.Second)
		_, err := p.Unbindable(t.Context(), old.Session, 0)
		refused(t, err, portal.LoginRequired)
	})
}

func TestASignInOlderThanTenMinutesConfirmsByItsPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		in := p.unbinding(signed.Session, "li.shop")
		p.clock.advance(portal.FreshSession)
		if u, err := p.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || u.Confirm || u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
		p.clock.advance(time.Millisecond)
		if u, err := p.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || !u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.sent(p.askToUnbind(in))
		if with := refused(t, p.unbind(in), portal.ValidationFailed); with.Fields["password"] != portal.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		refused(t, p.unbind(in), portal.WrongPassword)
		if n := p.failures("li.shop"); n != 1 {
			t.Errorf("%d failures", n)
		}
		in.Password = portal.DemoPassword
		in.Code, in.Flow = otherThan(in.Code), "session:"+signed.Session.ID
		refused(t, p.unbind(in), portal.CodeWrong)
		in.Code = p.sms.codes()[0].Code
		noError(t, p.unbind(in))
		if n := p.failures("sur"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestATokenFromAnOldSignInIsAsOldAsThatIs(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, buyerPhone)
		p.clock.advance(portal.FreshSession + time.Minute)
		user, err := p.RedeemForClient(p.from(homeAddress), p.enter(signed, accountHost, "buyer1", phoneScreen).Code, portal.ClientApp, 0)
		noError(t, err)
		s, err := p.tokenSession(string(user.Token))
		noError(t, err)
		if u, err := p.Unbindable(t.Context(), s, 0); err == nil && !u.Confirm {
			t.Error("a stolen cookie becomes a fresh sign-in by way of an auth code")
		}
	})
}

func TestWithSeveralAccountsOneIsNamedAndOnlyAnOwnOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		_, err := p.Unbindable(t.Context(), signed.Session, 0)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["account_id"] != portal.ChoiceRequired {
			t.Errorf("%v", with.Fields)
		}
		for _, login := range []string{"buyer1", "nophone", "northwind"} {
			in := p.unbinding(signed.Session, login)
			_, err := p.ask(p.askToUnbind(in))
			refused(t, err, portal.NotFound)
			in.Code = "000000"
			refused(t, p.unbind(in), portal.NotFound)
		}
		_, err = p.Unbindable(t.Context(), p.signIn(accountHost, "nophone").Session, 0)
		refused(t, err, portal.WrongParameters)
		_, err = p.Unbindable(t.Context(), store.Session{ID: "landing"}, 0)
		refused(t, err, portal.LoginRequired)
		inHouse := p.signIn("store1002.portico.test", manyPhone)
		if u, err := p.Unbindable(t.Context(), inHouse.Session, 0); err != nil || u.Member.Login != "sur" {
			t.Errorf("%+v, %v", u.Member, err)
		}
		_, err = p.Unbindable(t.Context(), inHouse.Session, p.account("li.shop").ID)
		refused(t, err, portal.NotFound)
		if n := len(p.sms.messages()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := p.unbinding(signed.Session, "li.shop") // and a code for one is not another's
		in.Code = p.sent(p.askToUnbind(in))
		in.AccountID = p.account("sur").ID
		refused(t, p.unbind(in), portal.CodeExpired)
	})
}

func TestOfTwoUnbindingsAtOnceOneHappens(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.unbinding(p.signIn(accountHost, buyerPhone).Session, "buyer1")
		in.Code = p.sent(p.askToUnbind(in))
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if p.unbind(in) == nil {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if done.Load() != 1 || p.events(1001, "phone_unbound") != 1 {
			t.Errorf("%d", done.Load())
		}
	})
}

func TestANumberThatChangesHandsOpensNothingOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.open(buyerPhone, "buyer1")
		in := p.unbinding(before.signed.Session, "buyer1")
		in.Code = p.sent(p.askToUnbind(in))
		noError(t, p.unbind(in))
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		refused(t, err, portal.PhoneNotBound)
		_, err = p.login(p.as(buyerPhone))
		refused(t, err, portal.PhoneNotBound)
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "buyer1"
		_, err = p.ask(ask)
		refused(t, err, portal.PhoneNotBound)

		_, bind, bound := p.proven("northwind", buyerPhone) // the number's next holder
		if len(bound.Others) != 0 {
			t.Errorf("it shows %+v", bound.Others)
		}
		bind.New, bind.Password, bind.Confirm = true, newPassword, newPassword
		_, err = p.bind(bind)
		noError(t, err)
		p.clock.advance(portal.DefaultResend)
		flow := portal.NewFlow()
		signed, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow))
		noError(t, err)
		p.wantList(signed.Session, "1003 mgr:northwind")
		p.wantLives("the former holder's", before, "")
		if p.opens(buyerPhone, portal.DemoPassword) {
			t.Error("the former holder's password opens the number")
		}
		if phone := phoneOf(t, p.db, buyerPhone); phone.DefaultCompanyID != 0 {
			t.Errorf("the default company %d was inherited", phone.DefaultCompanyID)
		}
	})
}

func TestTheNextHolderOfANumberIsSomebodyElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, bind, _ := p.proven("nophone", newPhone) // the person added last
		bind.Password, bind.Confirm = newPassword, newPassword
		_, err := p.bind(bind)
		noError(t, err)
		sign := p.as(newPhone)
		sign.Password = newPassword
		before, err := p.login(sign)
		noError(t, err)
		_, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: before.Session, CompanyID: 1001, Default: true})
		noError(t, err)
		in := p.unbinding(before.Session, "nophone")
		in.Code = p.sent(p.askToUnbind(in))
		noError(t, p.unbind(in))

		now := store.At(p.clock.now())
		_, err = p.db.AddPhone(t.Context(), store.Phone{Phone: newPhone, CreatedAt: now}) // as a company does for a customer of its
		noError(t, err)
		p.addAccount("newcomer", 1001, store.Shop, newPhone)
		after := phoneOf(t, p.db, newPhone)
		if after.ID == before.Session.PhoneID {
			t.Errorf("the next holder is the former one, phone %d", after.ID)
		}
		if after.DefaultCompanyID != 0 || p.opens(newPhone, newPassword) {
			t.Error("the default company or the password was inherited")
		}
		if s, err := p.SignedIn(t.Context(), before.Token, p.place(accountHost)); err == nil {
			if list, err := p.Accounts(t.Context(), s); err == nil && len(list) > 0 {
				t.Errorf("the former holder's browser shows %q", listed(list))
			}
		}
	})
}

// All of it, searched for secrets.

func TestNoCodeNorPasswordIsWrittenDownAnywhere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := newCarer(t, db)
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
		refused(t, err, portal.CodeWrong)
		signed, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		reset := p.resetting(managerPhone, p.sent(p.asking(portal.ForReset, managerPhone, flow)), flow)
		noError(t, p.reset(reset))
		_, err = p.change(p.changing(signed.Session, "Wrong2026"))
		refused(t, err, portal.OldPasswordWrong)
		in := p.changing(signed.Session, portal.DemoPassword)
		in.Password, in.Confirm = otherPassword, otherPassword
		fresh, err := p.change(in)
		noError(t, err)
		_, bind, _ := p.proven("nophone", newPhone)
		bind.Password, bind.Confirm = "Kabeljau9", "Kabeljau9"
		bound, err := p.bind(bind)
		noError(t, err)
		s, err := p.SignedIn(t.Context(), bound.Token, p.place(accountHost))
		noError(t, err)
		unbind := p.unbinding(s, "nophone")
		unbind.Code = p.sent(p.askToUnbind(unbind))
		noError(t, p.unbind(unbind))
		pending := p.sent(p.asking(portal.ForExperience, "13900000077", flow))
		p.sms.failWith(errProvider)
		_, err = p.ask(p.asking(portal.ForExperience, "13900000078", flow))
		refused(t, err, portal.SMSUnavailable)
		p.sms.failWith(nil)

		p.leavesNoSecret()
		log := p.log.String()
		dump, err := p.db.Dump(context.WithoutCancel(t.Context()))
		noError(t, err)
		for what, secret := range map[string]string{"flow": flow, "token": signed.Token, "token after": fresh, "token of the binding": bound.Token} {
			if strings.Contains(log, secret) || strings.Contains(dump, secret) {
				t.Errorf("the %s is written down", what)
			}
		}
		if strings.Contains(dump, " "+pending+" ") || strings.Contains(log, "13900000077") || strings.Contains(log, "13900000078") {
			t.Error("the pending code or its phone is written down")
		}
		for kind, want := range map[string]int{"code_sent": 6, "sign_in": 2, "password_reset": 2, "password_changed": 1, "phone_bound": 1, "phone_unbound": 1, "code_failed": 1} {
			if n := p.log.count(`"event":"` + kind + `"`); n != want {
				t.Errorf("the log tells of %s %d times, want %d", kind, n, want)
			}
		}
		for _, m := range p.sms.messages() {
			if m.ID == "" || (m.Code == "") == (m.Notice == "") || m.Notice != "" && (m.Purpose != "" || m.Host != "") {
				t.Errorf("a message that is neither or both: %+v", m)
			}
		}
	})
}
