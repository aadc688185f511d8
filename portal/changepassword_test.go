package portal_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func (p *carer) changing(s portal.Session, old string) portal.ChangePasswordInput {
	return portal.ChangePasswordInput{Old: old, Password: newPassword, Confirm: newPassword, Session: s, Lang: "zh"}
}

func (p *carer) change(in portal.ChangePasswordInput) (string, error) {
	return p.ChangePassword(p.from(homeAddress), in)
}

// changeIn changes the password in the browser of a sign-in.
func (p *carer) changeIn(signed portal.LoginResult) (string, error) {
	ctx := p.LoadSession(p.from(homeAddress), signed.Token)
	return p.ChangePassword(ctx, p.changing(signed.Session, portal.DemoPassword))
}

func TestAChangedPasswordEndsAllButThisBrowserWhichGetsANewId(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, elsewhere, named, stranger := p.open(manyPhone, "li.shop"), p.open(manyPhone, "sur"), p.open("li.shop", "li.shop"), p.open(managerPhone, "jinsui")
		code := p.sent(p.asking(portal.ForLogin, manyPhone, "flow"))
		fresh, err := p.change(p.changing(mine.signed.Session, portal.DemoPassword))
		noError(t, err)
		noError(t, p.signedIn(fresh, accountHost))
		p.wantLives("mine, by the old id", mine, "side code")
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
		in := p.changing(p.shows(p.signIn(accountHost, buyerPhone)).Session, "Wrong2026")
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
