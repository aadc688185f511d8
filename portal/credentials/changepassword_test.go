package credentials_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
)

func TestChangingThePasswordRenewsThisSessionAndEndsAllOthers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, elsewhere := credentialtest.SignInEverywhere(
			p, portaltest.ManyPhone, "li.shop",
		), credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "sur")
		named, stranger := credentialtest.SignInEverywhere(p, "li.shop", "li.shop"), credentialtest.SignInEverywhere(
			p, portaltest.ManagerPhone, "jinsui",
		)
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.ManyPhone, "flow"))
		fresh, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, mine.Signed.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
		credentialtest.WantSignIns(p, "mine, by the old id", mine, "side code")
		credentialtest.WantSignIns(p, "elsewhere", elsewhere, "")
		credentialtest.WantSignIns(p, "by name", named, "")
		credentialtest.WantSignIns(p, "another's", stranger, credentialtest.AllSignIns)
		_, err = p.CodeLogin(p.CodeLoginInput(portaltest.ManyPhone, code, "flow"))
		portaltest.Refused(t, err, access.CodeExpired)
		if credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, portaltest.NewPassword) ||
			!credentialtest.AcceptsPassword(p, "li.shop", onboarding.DemoPassword) {
			t.Error("not the phone's password alone was changed")
		}
		if n := p.CountEvents(0, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestASessionByAccountNameChangesTheAccountsOwnPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, elsewhere := p.SignIn(portaltest.AccountHost, "li.shop"), credentialtest.SignInEverywhere(
			p, "li.shop", "li.shop",
		)
		person := credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "sur")
		fresh, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, mine.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost), access.LoginRequired)
		credentialtest.WantSignIns(p, "elsewhere", elsewhere, "")
		credentialtest.WantSignIns(p, "the person's", person, credentialtest.AllSignIns)
		if credentialtest.AcceptsPassword(p, "li.shop", onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, "li.shop", portaltest.NewPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("not the account's password alone was changed")
		}
		if n := p.CountEvents(1001, "password_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestAnAccountWithoutAPhoneChangesItsPasswordWithoutANotice(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, err := credentialtest.ChangePassword(
			p,
			credentialtest.ChangePasswordInput(
				p, p.SignIn(portaltest.AccountHost, "nophone").Session, onboarding.DemoPassword,
			),
		)
		portaltest.NoError(t, err)
		p.WantNotices()
		if !credentialtest.AcceptsPassword(p, "nophone", portaltest.NewPassword) {
			t.Error("it was not changed")
		}
	})
}

func TestAProgramThatChangesThePasswordKeepsItsToken(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, other := credentialtest.ClientToken(p, portaltest.BuyerPhone), credentialtest.ClientToken(
			p, portaltest.BuyerPhone,
		)
		browser := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		s, err := credentialtest.TokenSession(p, mine)
		portaltest.NoError(t, err)
		if fresh, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, s, onboarding.DemoPassword),
		); err != nil ||
			fresh != "" {
			t.Errorf("%q, %v", fresh, err)
		}
		if _, err := credentialtest.TokenSession(p, mine); err != nil {
			t.Errorf("its token: %v", err)
		}
		_, err = credentialtest.TokenSession(p, other)
		portaltest.Refused(t, err, access.LoginRequired)
		portaltest.Refused(t, p.RequestSignedIn(browser.Token, portaltest.AccountHost), access.LoginRequired)
	})
}

func TestChangingAPasswordNeedsTheOldOneAndAGoodNewOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		for _, c := range []struct {
			old, password, confirm string
			want                   access.Fields
		}{
			{"", portaltest.NewPassword, portaltest.NewPassword,
				access.Fields{"old_password": access.PasswordRequired}},
			{strings.Repeat("a", 257), portaltest.NewPassword, portaltest.NewPassword,
				access.Fields{"old_password": access.PasswordTooLong}},
			{onboarding.DemoPassword, "", "", access.Fields{"password": access.PasswordRequired}},
			{onboarding.DemoPassword, portaltest.NewPassword, credentialtest.OtherPassword,
				access.Fields{"confirm_password": access.PasswordsDiffer}},
			{onboarding.DemoPassword, onboarding.DemoPassword, onboarding.DemoPassword,
				access.Fields{"password": core.PasswordSame}},
			{onboarding.DemoPassword, "a380000000", "a380000000",
				access.Fields{"password": core.PasswordPersonal}},
			{onboarding.DemoPassword, "Buyer1.88", "Buyer1.88", access.Fields{"password": core.PasswordPersonal}},
		} {
			in := credentialtest.ChangePasswordInput(p, signed.Session, c.old)
			in.Password, in.Confirm = c.password, c.confirm
			_, err := credentialtest.ChangePassword(p, in)
			with := portaltest.Refused(t, err, access.ValidationFailed)
			for field, problem := range c.want {
				if with.Fields[field] != problem {
					t.Errorf("%s: %v, want %v", c.password, with.Fields, c.want)
				}
			}
		}
		_, err := credentialtest.ChangePassword(p, credentialtest.ChangePasswordInput(p, signed.Session, "Wrong2026"))
		if with := portaltest.Refused(t, err, access.OldPasswordWrong); with.Left >= signin.ProofFailures {
			t.Errorf("%+v", with)
		}
		_, err = credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, store.Session{ID: "landing"}, onboarding.DemoPassword),
		)
		portaltest.Refused(t, err, access.LoginRequired)
		if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("it was changed")
		}
	})
}

func TestARightOldPasswordIsNotCountedAsAFailureWhenTheNewOneIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := credentialtest.ChangePasswordInput(
			p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, onboarding.DemoPassword,
		)
		in.Password, in.Confirm = "Buyer1.88", "Buyer1.88"
		for range signin.FreeFailures + 2 {
			_, err := credentialtest.ChangePassword(p, in)
			portaltest.Refused(t, err, access.ValidationFailed)
		}
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 0 {
			t.Errorf("%d failures are counted", n)
		}
	})
}

func TestWrongOldPasswordsCountAsFailedSignIns(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := credentialtest.ChangePasswordInput(
			p, p.ConfirmSession(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)).Session, "Wrong2026",
		)
		g := &guesstest.Guesser{Platform: p.Platform}
		g.TryWrong(2, "buyer1") // when signing in
		wrongs := 2
		for wrongs < signin.ProofFailures {
			_, err := credentialtest.ChangePassword(p, in)
			with := portaltest.Refused(t, err, access.OldPasswordWrong)
			wrongs++
			if with.Left != signin.ProofFailures-wrongs || with.Question != nil {
				t.Errorf("after %d: %+v", wrongs, with)
			}
			if wrongs > signin.FreeFailures {
				_, err := credentialtest.ChangePassword(
					p, credentialtest.ChangePasswordInput(p, in.Session, onboarding.DemoPassword),
				)
				portaltest.Refused(t, err, access.TooManyAttempts)
				p.Clock.Advance(2 * time.Second << (wrongs - signin.FreeFailures - 1))
			}
		}
		_, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, in.Session, onboarding.DemoPassword),
		)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != core.FailureWindow ||
			with.Question != nil {
			t.Errorf("instead of a question: %+v", with)
		}
		p.Clock.Advance(core.FailureWindow)
		fresh, err := credentialtest.ChangePassword(
			p, credentialtest.ChangePasswordInput(p, in.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
		portaltest.NoError(t, p.RequestSignedIn(fresh, portaltest.AccountHost))
	})
}
