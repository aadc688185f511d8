package credentials_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/store"
)

func TestAResetByPhoneEndsEverySessionOfThePersonAndTheirAccounts(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		person, named := credentialtest.SignInEverywhere(
			p, portaltest.ManyPhone, "li.shop",
		), credentialtest.SignInEverywhere(p, "sur", "sur")
		stranger := credentialtest.SignInEverywhere(p, portaltest.ManagerPhone, "jinsui")
		flow := core.NewFlow()
		portaltest.NoError(
			t,
			p.ResetPassword(
				p.ResetInput(
					portaltest.ManyPhone,
					p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManyPhone, flow)),
					flow,
				),
			),
		)
		credentialtest.WantSignIns(p, "the person's", person, "")
		credentialtest.WantSignIns(p, "an account's, by name", named, "")
		credentialtest.WantSignIns(p, "another's", stranger, credentialtest.AllSignIns)
		if credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, portaltest.NewPassword) {
			t.Error("the phone's password is not the new one")
		}
		for _, login := range []string{"sur", "li.shop", "li.manager", "li.lights"} {
			if credentialtest.AcceptsPassword(p, login, onboarding.DemoPassword) {
				t.Errorf("the own password of %s still works", login)
			}
		}
		if n := p.CountEvents(0, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestAResetByNameAffectsOnlyThatAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		own, sister := credentialtest.SignInEverywhere(p, "li.shop", "li.shop"), credentialtest.SignInEverywhere(
			p, "sur", "sur",
		)
		person := credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "li.manager")
		inShop := p.Enter(person.Signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = " LI.Shop "
		in := p.ResetInput("", p.ReceiveCode(ask), ask.Flow)
		in.Login = "li.shop"
		portaltest.NoError(t, p.ResetPassword(in))
		credentialtest.WantSignIns(p, "the account's", own, "")
		credentialtest.WantSignIns(p, "another account's of the phone", sister, credentialtest.AllSignIns)
		credentialtest.WantSignIns(p, "the person's", person, credentialtest.AllSignIns)
		_, err := p.Redeem(inShop, "")
		portaltest.Refused(t, err, access.RedirectFailed)
		if credentialtest.AcceptsPassword(p, "li.shop", onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, "li.shop", portaltest.NewPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, "sur", onboarding.DemoPassword) {
			t.Error("not the account's password alone was changed")
		}
		if n := p.CountEvents(1001, "password_reset"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " password_changed")
	})
}

func TestRequestingACodeByAccountNameShowsOnlyTheMaskedPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = "buyer1"
		if sent, err := p.AskCode(ask); err != nil || sent.Phone != "138****0001" {
			t.Errorf("%+v, %v", sent, err)
		}
	})
}

func TestOnACompanysHostANameMeansTheCompanysOwnAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// in 1002 and in 1001
		mgr, shop := guesstest.AddTwins(p.Platform, portaltest.BuyerPhone, portaltest.ManagerPhone)
		for host, want := range map[string]struct {
			m     store.Member
			phone string
		}{"store1002.portico.test": {mgr, portaltest.BuyerPhone},
			"store1001.portico.test": {shop, portaltest.ManagerPhone}} {
			ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
			ask.Login, ask.Place = "twin", p.Place(host)
			ask.CompanyID = ask.Place.CompanyID()
			in := p.ResetInput("", p.ReceiveCode(ask), ask.Flow)
			in.Login, in.Place = "twin", ask.Place
			portaltest.NoError(t, p.ResetPassword(in))
			if got := p.Sms.Codes()[len(p.Sms.Codes())-1].Phone; got != want.phone {
				t.Errorf("on %s the code went to %s", host, got)
			}
			after, err := p.DB.Accounts.ByID(t.Context(), want.m.CompanyID, want.m.ID)
			if err != nil || after.PasswordHash == want.m.PasswordHash {
				t.Errorf("on %s the password is the old one, %v", host, err)
			}
		}
	})
}

func TestARefusedNewPasswordKeepsTheProofForAnotherAttempt(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.ResetInput(portaltest.ManyPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManyPhone, in.Flow))
		for _, c := range []struct {
			password, confirm string
			field             string
			want              access.Problem
		}{
			{"", "", "password", access.PasswordRequired}, {"Ab1.x", "Ab1.x", "password", core.PasswordTooShort},
			{strings.Repeat("Ab3", 7), "", "password", access.PasswordTooLong},
			{"Blauwal-77", "Blauwal-77", "password", core.PasswordCharacters},
			{"woaini1314", "woaini1314", "password", core.PasswordCommon},
			{"abcdef", "abcdef", "password", core.PasswordPattern},
			{"x800000003x", "x800000003x", "password", core.PasswordPersonal},
			{portaltest.NewPassword, "", "confirm_password", access.PasswordsDiffer},
			{portaltest.NewPassword, "Blauwal78", "confirm_password", access.PasswordsDiffer},
			{"Li.Lights88", "Li.Lights88", "password", core.PasswordPersonal},
			{"Mariscos88", "Mariscos88", "password", core.PasswordPersonal},
			{"Northwind1", "Northwind1", "password", core.PasswordPersonal},
			{onboarding.DemoPassword, onboarding.DemoPassword, "password", core.PasswordSame},
		} {
			in.Password, in.Confirm = c.password, c.confirm
			if with := portaltest.Refused(
				t, p.ResetPassword(in), access.ValidationFailed,
			); with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", c.password, with.Fields)
			}
		}
		p.Clock.Advance(core.ProofLife - time.Second) // the code itself has ended, what it proved has not
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		code := in.Code
		in.Code = portaltest.WrongCode(code)
		portaltest.Refused(t, p.ResetPassword(in), access.CodeWrong)
		in.Code = code
		portaltest.NoError(t, p.ResetPassword(in))
		in.Password, in.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		if !credentialtest.AcceptsPassword(p, portaltest.ManyPhone, portaltest.NewPassword) {
			t.Error("the first password is not the one")
		}
	})
}

func TestAProofOfAResetExpiresAfterTenMinutes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, in.Flow))
		in.Password, in.Confirm = onboarding.DemoPassword, onboarding.DemoPassword
		portaltest.Refused(t, p.ResetPassword(in), access.ValidationFailed)
		if pending, ok, err := p.Verification.PendingCode(t.Context(), in.Flow, core.ForReset); err != nil || !ok ||
			!pending.Proven {
			t.Errorf("%+v, %v, %v", pending, ok, err)
		}
		p.Clock.Advance(core.ProofLife / 2)
		portaltest.Refused(t, p.ResetPassword(in), access.ValidationFailed) // showing it again does not lengthen it
		p.Clock.Advance(core.ProofLife / 2)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
	})
}

func TestOnlyOneOfTwoConcurrentResetsSucceeds(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, in.Flow))
		passwords := []string{portaltest.NewPassword, credentialtest.OtherPassword}
		errs := make([]error, 2)
		var group sync.WaitGroup
		for i, password := range passwords {
			group.Go(func() {
				mine := in
				mine.Password, mine.Confirm = password, password
				errs[i] = p.ResetPassword(mine)
			})
		}
		group.Wait()
		won := slices.Index(errs, nil)
		if won < 0 || !errors.Is(errs[1-won], access.CodeExpired) {
			t.Fatalf("%v", errs)
		}
		if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, passwords[won]) ||
			credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, passwords[1-won]) {
			t.Error("the winner's password is not the one")
		}
		p.WantNotices(portaltest.BuyerPhone + " password_changed")
	})
}

func TestAResetUnlocksAPasswordDisabledByAHundredFailures(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		g := &guesstest.Guesser{Platform: p.Platform}
		for range 100 {
			portaltest.Refused(t, g.Try(p.WrongLoginInput(portaltest.BuyerPhone)), access.WrongPassword)
			p.Clock.Advance(15*time.Minute + time.Second)
		}
		portaltest.Refused(t, g.Try(p.LoginInput(portaltest.BuyerPhone)), access.TooManyAttempts)
		in := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, in.Flow))
		portaltest.NoError(t, p.ResetPassword(in))
		if !credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("it is still shut")
		}
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestAResetUnlocksAKnownBrowserToo(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.WrongLoginInput(portaltest.BuyerPhone)
		in.Device = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Device
		for range 100 {
			_, err := p.Login(in)
			portaltest.Refused(t, err, access.WrongPassword)
			p.Clock.Advance(15*time.Minute + time.Second)
		}
		reset := p.ResetInput(portaltest.BuyerPhone, "", core.NewFlow())
		reset.Code = p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, reset.Flow))
		portaltest.NoError(t, p.ResetPassword(reset))
		in.Password = portaltest.NewPassword
		if _, err := p.Login(in); err != nil {
			t.Errorf("the new password in the browser that had failed: %v", err)
		}
	})
}
