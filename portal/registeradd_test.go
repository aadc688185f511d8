package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// hashOfPhone is the stored password of a person.
func (p *platform) hashOfPhone(number string) string {
	p.t.Helper()
	return phoneOf(p.t, p.db, number).PasswordHash
}

func TestARegisteredPhoneIsToldSoBeforeAMessageIsSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, phone := range []string{managerPhone, unboundPhone} {
			_, err := p.ask(p.asking(portal.ForRegister, phone, portal.NewFlow()))
			refused(t, err, portal.PhoneRegistered)
		}
		if n := len(p.sms.codes()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := p.registering(managerPhone, "123456", portal.NewFlow())
		_, err := p.register(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestStrictPrivacyTellsThatAPhoneIsRegisteredOnceItsCodeWasRight(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.registering(managerPhone, "", portal.NewFlow())
		_, err := p.ask(p.asking(portal.ForRegister, managerPhone, in.Flow))
		noError(t, err)
		p.settle()
		in.Code = p.sms.codes()[0].Code
		before := p.rows(tally...)
		wrong := in
		wrong.Code = otherThan(in.Code)
		_, err = p.register(wrong)
		refused(t, err, portal.CodeWrong)
		for range 2 {
			_, err = p.register(in)
			refused(t, err, portal.PhoneRegistered)
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
		in.Add, in.Password = true, ""
		result, err := p.register(in) // the code still speaks
		if err != nil || result.Member.Phone != managerPhone {
			t.Errorf("adding: %+v, %v", result.Member, err)
		}
	}, strict)
}

func TestACompanyIsAddedToARegisteredPhoneWithoutAPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, phone := range []string{managerPhone, unboundPhone} {
			before, number := p.hashOfPhone(phone), len(p.membersOf(phone))
			elsewhere := portal.LoginResult{}
			if phone == managerPhone {
				elsewhere = p.signIn(accountHost, phone)
			}
			ask := p.asking(portal.ForRegister, phone, portal.NewFlow())
			ask.Add = true
			in := p.registering(phone, p.sent(ask), ask.Flow)
			in.Add, in.Password = true, "Wrong2026" // and one that is given counts for nothing
			result, err := p.register(in)
			noError(t, err)
			if p.hashOfPhone(phone) != before || p.opens(phone, "Wrong2026") || !p.opens(phone, portal.DemoPassword) {
				t.Error("the password was changed")
			}
			if members := p.membersOf(phone); len(members) != number+1 || members[number].CompanyID != result.Member.CompanyID {
				t.Errorf("%d accounts", len(members))
			}
			if phone == managerPhone {
				noError(t, p.signedIn(elsewhere.Token, accountHost))
				p.wantList(p.signIn(accountHost, phone).Session, "1001 mgr:jinsui", fmt.Sprintf("%d mgr:admin%[1]d", result.Member.CompanyID))
			} else if step := p.signIn(accountHost, phone).Step; step.Kind != portal.StepEnter || step.AccountID != result.Member.ID {
				t.Errorf("signing in leads to %+v", step)
			}
		}
	})
}

func TestAddingToAPhoneNobodyRegisteredDemandsAPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.asking(portal.ForRegister, newPhone, portal.NewFlow())
		ask.Add = true
		in := p.registering(newPhone, p.sent(ask), ask.Flow)
		in.Add = true
		before := p.rows(tally...)
		for password, want := range map[string]portal.Problem{"": portal.PasswordRequired, "x912345678": portal.PasswordPersonal, "Ballena.Azul": portal.PasswordPersonal} {
			in.Password = password
			_, err := p.register(in)
			field(t, err, "password", want)
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
		in.Password = newPassword
		_, err := p.register(in)
		noError(t, err)
		if !p.opens(newPhone, newPassword) {
			t.Error("the password is not the one")
		}
	})
}

func TestSomeoneSignedInAddsACompanyWithoutACode(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, managerPhone)
		in := p.adding(signed.Session, ownCompany)
		in.Phone, in.Code = newPhone, "000000" // count for nothing
		before := p.companies()
		var results [5]portal.Registered
		together(len(results), func(i int) {
			var err error
			if results[i], err = p.register(in); err != nil {
				t.Errorf("%v", err)
			}
		})
		m := results[0].Member
		for _, result := range results {
			if result.Token != "" || result.Member.ID != m.ID || result.Session.ID != signed.Session.ID {
				t.Errorf("got %d, token %q", result.Member.ID, result.Token)
			}
		}
		if p.companies() != before+1 || m.Phone != managerPhone || m.Type != store.TypeAdministrator {
			t.Errorf("%d companies, %+v", p.companies()-before, m.Account)
		}
		if s := p.stored(signed, accountHost); s.ID != signed.Session.ID || s.ChosenCompanyID != m.CompanyID {
			t.Errorf("the session is %+v", s)
		}
		if !p.opens(managerPhone, portal.DemoPassword) || p.opens(managerPhone, newPassword) {
			t.Error("the password was changed")
		}
		in.Name = "Mario Solano"
		_, err := p.register(in)
		refused(t, err, portal.WrongParameters)
		other, err := p.register(p.adding(signed.Session, "Ballena Gris"))
		if err != nil || other.Member.CompanyID == m.CompanyID || p.companies() != before+2 {
			t.Errorf("another company: %+v, %v", other.Member.Account, err)
		}
		_, err = p.SignOut(t.Context(), signed.Token, p.place(accountHost))
		noError(t, err)
		for _, name := range []string{ownCompany, "Ballena Negra"} {
			in = p.adding(signed.Session, name)
			_, err = p.register(in)
			refused(t, err, portal.LoginRequired)
		}
		if p.companies() != before+2 {
			t.Error("a session that has ended made a company")
		}
	})
}

func TestACompanyOfTheSameNameMayBeAddedOnceTheFirstIsOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.remembered(managerPhone)
		first, err := p.register(p.adding(signed.Session, ownCompany))
		noError(t, err)
		p.clock.advance(portal.RegistrationKept + time.Second)
		second, err := p.register(p.adding(signed.Session, ownCompany)) // before anything was swept
		if err != nil || second.Member.CompanyID == first.Member.CompanyID {
			t.Errorf("%d, then %d: %v", first.Member.CompanyID, second.Member.CompanyID, err)
		}
	})
}

func TestASessionOfAnAccountsNameAddsNoCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, login := range []string{"northwind", "jinsui"} { // without a phone and with one
			signed := p.signIn(accountHost, login)
			before := p.rows(tally...)
			_, err := p.register(p.adding(signed.Session, ownCompany))
			refused(t, err, portal.WrongParameters)
			try := p.trying("", "", "", seafood)
			try.Session = signed.Session
			_, err = p.try(try)
			refused(t, err, portal.WrongParameters)
			if p.rows(tally...) != before {
				t.Error("something was written")
			}
		}
	})
}

func TestAPersonRegistersSoManyCompaniesADayAndNoMore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.remembered(managerPhone)
		for i := range portal.CompaniesADay {
			_, err := p.register(p.adding(signed.Session, fmt.Sprintf("Ballena Azul %d", i)))
			noError(t, err)
		}
		last := p.adding(signed.Session, fmt.Sprintf("Ballena Azul %d", portal.CompaniesADay-1))
		again, companies := p.signIn(accountHost, managerPhone), p.companies()
		same, err := p.register(last) // is none more
		if err != nil || p.companies() != companies {
			t.Errorf("the last one once more: %+v, %v", same.Member.Account, err)
		}
		p.clock.advance(time.Hour - time.Second)
		_, err = p.register(p.adding(again.Session, "Ballena Gris"))
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != 23*time.Hour+time.Second {
			t.Errorf("the wait is %v", with.Wait)
		}
		if p.companies() != companies {
			t.Error("a company was made")
		}
		other := p.signIn(accountHost, buyerPhone)
		if _, err := p.register(p.adding(other.Session, "Ballena Gris")); err != nil {
			t.Errorf("another person: %v", err)
		}
		p.clock.advance(23*time.Hour + 2*time.Second)
		_, err = p.register(p.adding(p.signIn(accountHost, managerPhone).Session, "Ballena Gris"))
		noError(t, err)
	})
}

func TestAPhoneThatACompanyKeepsToItselfRegistersAndTriesNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		signed := p.signIn(accountHost, managerPhone)
		ask := p.asking(portal.ForRegister, managerPhone, portal.NewFlow())
		ask.Add = true
		in := p.registering(managerPhone, p.sent(ask), ask.Flow)
		in.Add = true
		trial := p.trying(managerPhone, p.sent(p.asking(portal.ForExperience, managerPhone, ask.Flow)), ask.Flow, seafood)
		inSession := p.trying("", "", "", seafood)
		inSession.Session = signed.Session
		before := p.rows(tally...)
		for name, try := range map[string]func() error{
			"by code":          func() error { _, err := p.register(in); return err },
			"signed in":        func() error { _, err := p.register(p.adding(signed.Session, ownCompany)); return err },
			"trying":           func() error { _, err := p.try(trial); return err },
			"trying signed in": func() error { _, err := p.try(inSession); return err },
		} {
			if err := try(); !errors.Is(err, portal.PhoneBoundElsewhere) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
	})
}

func TestAProgramRegistersAndActsAsTheAdministratorAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.asking(portal.ForRegister, manyPhone, "api:APP")
		ask.Add = true
		in := p.registering(manyPhone, p.sent(ask), ask.Flow)
		in.Add, in.Client = true, portal.ClientApp
		first, err := p.register(in)
		noError(t, err)
		again, err := p.register(in)
		noError(t, err)
		if first.Token != "" || first.User.Token == "" || again.User.Token == first.User.Token || again.User.ID != first.User.ID {
			t.Errorf("%+v, then %+v", first.User, again.User)
		}
		s, err := p.tokenSession(string(again.User.Token))
		if err != nil || s.ActingID != first.Member.ID {
			t.Errorf("%+v, %v", s, err)
		}
		_, err = p.Token(t.Context(), portal.TokenInput{Token: string(again.User.Token), Client: portal.ClientPC})
		refused(t, err, portal.LoginRequired)
		if slices.ContainsFunc(p.membersOf(manyPhone), func(m store.Member) bool { return m.CompanyID == first.User.CompanyID && m.ID != first.User.ID }) {
			t.Error("a second account was made")
		}
	})
}

func TestTheSameProofForAnotherTrialIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		first, _ := p.tried(newPhone, seafood)
		other := p.trying("", "", "", groceries)
		other.Session = p.stored(first.LoginResult, accountHost)
		second, err := p.try(other)
		noError(t, err)
		in := p.registering(newPhone, "", portal.NewFlow())
		in.Code, in.SandboxID = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow)), first.CompanyID
		result, err := p.register(in)
		if err != nil || result.Member.CompanyID != first.CompanyID {
			t.Errorf("%+v, %v", result.Member.Account, err)
		}
		in.SandboxID = second.CompanyID
		_, err = p.register(in)
		refused(t, err, portal.WrongParameters)
		if !p.company(second.CompanyID).Sandbox {
			t.Error("the other trial became a company as well")
		}
	})
}
