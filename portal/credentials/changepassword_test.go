package credentials_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestChangingThePasswordRenewsThisSessionAndEndsAllOthers(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		mine, elsewhere := p.Open(portaltest.ManyPhone, "li.shop"), p.Open(portaltest.ManyPhone, "sur")
		named, stranger := p.Open("li.shop", "li.shop"), p.Open(portaltest.ManagerPhone, "jinsui")
		code := p.Sent(p.Asking(verification.ForLogin, portaltest.ManyPhone, "flow"))
		fresh, err := p.Change(p.Changing(mine.Signed.Session, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
		p.WantLives("mine, by the old id", mine, "side code")
		p.WantLives("elsewhere", elsewhere, "")
		p.WantLives("by name", named, "")
		p.WantLives("another's", stranger, portaltest.Everything)
		_, err = p.CodeLogin(p.WithCode(portaltest.ManyPhone, code, "flow"))
		portaltest.Refused(t, err, access.CodeExpired)
		if p.Opens(portaltest.ManyPhone, onboarding.DemoPassword) ||
			!p.Opens(portaltest.ManyPhone, portaltest.NewPassword) ||
			!p.Opens("li.shop", onboarding.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
		if n := p.Events(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestASessionByAccountNameChangesTheAccountsOwnPassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		mine, elsewhere := p.SignIn(portaltest.AccountHost, "li.shop"), p.Open("li.shop", "li.shop")
		person := p.Open(portaltest.ManyPhone, "sur")
		fresh, err := p.Change(p.Changing(mine.Session, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost), access.LoginRequired)
		p.WantLives("elsewhere", elsewhere, "")
		p.WantLives("the person's", person, portaltest.Everything)
		if p.Opens("li.shop", onboarding.DemoPassword) || !p.Opens("li.shop", portaltest.NewPassword) ||
			!p.Opens(portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("not the account's password alone was changed")
		}
		if n := p.Events(1001, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestAnAccountWithoutAPhoneChangesItsPasswordWithoutANotice(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		_, err := p.Change(p.Changing(p.SignIn(portaltest.AccountHost, "nophone").Session, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		p.WantNotices()
		if !p.Opens("nophone", portaltest.NewPassword) {
			t.Error("it was not changed")
		}
	})
}

func TestAProgramThatChangesThePasswordKeepsItsToken(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		mine, other := p.Token(portaltest.BuyerPhone), p.Token(portaltest.BuyerPhone)
		browser := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		s, err := p.TokenSession(mine)
		portaltest.NoError(t, err)
		if fresh, err := p.Change(p.Changing(s, onboarding.DemoPassword)); err != nil || fresh != "" {
			t.Errorf("%q, %v", fresh, err)
		}
		if _, err := p.TokenSession(mine); err != nil {
			t.Errorf("its token: %v", err)
		}
		_, err = p.TokenSession(other)
		portaltest.Refused(t, err, access.LoginRequired)
		portaltest.Refused(t, p.RequestSignedIn(browser.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestChangingAPasswordNeedsTheOldOneAndAGoodNewOne(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		for _, c := range []struct {
			old, password, confirm string
			want                   access.Fields
		}{
			{"", portaltest.NewPassword, portaltest.NewPassword,
				access.Fields{"old_password": access.PasswordRequired}},
			{strings.Repeat("a", access.MaxPassword+1), portaltest.NewPassword, portaltest.NewPassword,
				access.Fields{"old_password": access.PasswordTooLong}},
			{onboarding.DemoPassword, "", "", access.Fields{"password": access.PasswordRequired}},
			{onboarding.DemoPassword, portaltest.NewPassword, portaltest.OtherPassword,
				access.Fields{"confirm_password": access.PasswordsDiffer}},
			{onboarding.DemoPassword, onboarding.DemoPassword, onboarding.DemoPassword,
				access.Fields{"password": passwords.PasswordSame}},
			{onboarding.DemoPassword, "a380000000", "a380000000",
				access.Fields{"password": passwords.PasswordPersonal}},
			{onboarding.DemoPassword, "Buyer1.88", "Buyer1.88", access.Fields{"password": passwords.PasswordPersonal}},
		} {
			in := p.Changing(signed.Session, c.old)
			in.Password, in.Confirm = c.password, c.confirm
			_, err := p.Change(in)
			with := portaltest.Refused(t, err, access.ValidationFailed)
			for field, problem := range c.want {
				if with.Fields[field] != problem {
					t.Errorf("%s: %v, want %v", c.password, with.Fields, c.want)
				}
			}
		}
		_, err := p.Change(p.Changing(signed.Session, "Wrong2026"))
		if with := portaltest.Refused(t, err, access.OldPasswordWrong); with.Left >= signin.ProofFailures {
			t.Errorf("%+v", with)
		}
		_, err = p.Change(p.Changing(store.Session{ID: "landing"}, onboarding.DemoPassword))
		portaltest.Refused(t, err, access.LoginRequired)
		if !p.Opens(portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("it was changed")
		}
	})
}

func TestARightOldPasswordIsNotCountedAsAFailureWhenTheNewOneIsRefused(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Changing(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, onboarding.DemoPassword)
		in.Password, in.Confirm = "Buyer1.88", "Buyer1.88"
		for range signin.FreeFailures + 2 {
			_, err := p.Change(in)
			portaltest.Refused(t, err, access.ValidationFailed)
		}
		if n := p.Failures("buyer1"); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
	})
}

func TestWrongOldPasswordsCountAsFailedSignIns(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Changing(p.Shows(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)).Session, "Wrong2026")
		g := &portaltest.Guesser{Platform: p.Platform}
		g.Wrongs(2, "buyer1") // when signing in
		wrongs := 2
		for wrongs < signin.ProofFailures {
			_, err := p.Change(in)
			with := portaltest.Refused(t, err, access.OldPasswordWrong)
			wrongs++
			if with.Left != signin.ProofFailures-wrongs || with.Question != nil {
				t.Errorf("after %d: %+v", wrongs, with)
			}
			if wrongs > signin.FreeFailures {
				_, err := p.Change(p.Changing(in.Session, onboarding.DemoPassword))
				portaltest.Refused(t, err, access.TooManyAttempts)
				p.Clock.Advance(2 * time.Second << (wrongs - signin.FreeFailures - 1))
			}
		}
		_, err := p.Change(p.Changing(in.Session, onboarding.DemoPassword))
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != limits.FailureWindow ||
			with.Question != nil {
			t.Errorf("instead of a question: %+v", with)
		}
		p.Clock.Advance(limits.FailureWindow)
		fresh, err := p.Change(p.Changing(in.Session, onboarding.DemoPassword))
		portaltest.NoError(t, err)
		if n := p.Failures("buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
	})
}
