package portal_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

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
			if p.opens(login, portal.DemoPassword) {
				t.Errorf("the own password of %s still works", login)
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
	eachCareCondition(t, func(t *testing.T, p *carer) {
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
		if !p.opens(buyerPhone, newPassword) {
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
