package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// bossHere is the administrator of 1001, landed by the password of the phone.
func (p *platform) bossHere() portal.Landing {
	p.t.Helper()
	return p.landedAs(p.signIn(accountHost, managerPhone).Session, "jinsui")
}

func changes(login string, p *platform, change portal.RoleChange) portal.ChangeRoleInput {
	return portal.ChangeRoleInput{AccountID: p.account(login).ID, Change: change, Password: portal.DemoPassword}
}

func (p *platform) roles(logins ...string) string {
	p.t.Helper()
	var all []string
	for _, login := range logins {
		all = append(all, fmt.Sprint(p.account(login).Type))
	}
	return strings.Join(all, " ")
}

func TestAnAdministratorMakesAnotherOneAndTakesTheRoleBack(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		boss, staff := p.bossHere(), p.landed("li.manager", phoneScreen)
		_, err := p.EmployeeRights(t.Context(), staff)
		refused(t, err, portal.Forbidden)
		for range 2 { // sent twice
			noError(t, p.ChangeRole(p.from(homeAddress), boss, changes("li.manager", p.platform, portal.MakeAdministrator)))
		}
		if p.roles("jinsui", "li.manager") != "1 1" || p.events(1001, "administrator_made") != 1 {
			t.Errorf("%s", p.roles("jinsui", "li.manager"))
		}
		_, err = p.EmployeeRights(t.Context(), p.again(staff)) // signed in since before
		noError(t, err)
		noError(t, p.ChangeRole(p.from(homeAddress), boss, changes("li.manager", p.platform, portal.MakeEmployee)))
		_, err = p.EmployeeRights(t.Context(), p.again(staff))
		refused(t, err, portal.Forbidden)
		if p.roles("jinsui", "li.manager") != "1 2" || p.events(1001, "administrator_ended") != 1 {
			t.Errorf("%s", p.roles("jinsui", "li.manager"))
		}
		p.wantNoticesInAnyOrder(manyPhone+" administrator_made", manyPhone+" administrator_ended")
	})
}

// wantNoticesInAnyOrder demands the notices that were sent; several at once arrive in any order.
func (p *carer) wantNoticesInAnyOrder(want ...string) {
	p.t.Helper()
	p.settle()
	got := p.sms.notices()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.t.Errorf("notices %q, want %q", got, want)
	}
}

// again reads the account of a landing as the next request does.
func (p *platform) again(here portal.Landing) portal.Landing {
	p.t.Helper()
	m, err := p.db.MemberByID(p.t.Context(), here.Member.CompanyID, here.Member.ID)
	noError(p.t, err)
	here.Member = m
	return here
}

func TestHandingOverMakesBothChangesAtOnce(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		third := p.addAccount("third", 1001, store.Mgr, buyerPhone)
		noError(t, p.db.SetAccountType(t.Context(), 1001, third.ID, store.TypeAdministrator))
		boss := p.bossHere()
		in := changes("li.manager", p.platform, portal.HandOver)
		noError(t, p.ChangeRole(p.from(homeAddress), boss, in))
		noError(t, p.ChangeRole(p.from(homeAddress), p.again(boss), in)) // sent twice
		if p.roles("jinsui", "li.manager", "third") != "2 1 1" {
			t.Errorf("%s", p.roles("jinsui", "li.manager", "third"))
		}
		if p.events(1001, "administrator_made") != 1 || p.events(1001, "administrator_ended") != 1 {
			t.Error("what happened is not written down once")
		}
		refused(t, p.ChangeRole(p.from(homeAddress), p.again(boss), changes("third", p.platform, portal.MakeEmployee)), portal.Forbidden)
		p.wantNoticesInAnyOrder(manyPhone+" administrator_made", managerPhone+" administrator_ended", buyerPhone+" administrator_changed")
		// The new administrator gives the role back, and it is handed over once more: that is no repetition.
		heir := p.landedAs(p.signIn(accountHost, manyPhone).Session, "li.manager")
		noError(t, p.ChangeRole(p.from(homeAddress), heir, changes("jinsui", p.platform, portal.HandOver)))
		noError(t, p.ChangeRole(p.from(homeAddress), p.again(boss), in))
		if p.roles("jinsui", "li.manager") != "2 1" {
			t.Errorf("%s", p.roles("jinsui", "li.manager"))
		}
	})
}

func TestTheContactOfACompanyFollowsTheAdministratorWhoHandsOver(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		contact := func() string {
			c, err := p.db.CompanyByID(t.Context(), 1001)
			noError(t, err)
			return c.ContactName + " " + c.ContactPhone
		}
		noError(t, p.ChangeRole(t.Context(), p.bossHere(), changes("li.manager", p, portal.HandOver)))
		if contact() != "陈静 13700000001" { // somebody else's phone
			t.Errorf("%s", contact())
		}
		heir := p.landedAs(p.signIn(accountHost, manyPhone).Session, "li.manager")
		noError(t, p.SetApplicationSetting(t.Context(), heir, portal.ApplicationSettingInput{ContactName: "李伟", ContactPhone: manyPhone, Open: true}))
		heir = p.again(heir)
		noError(t, p.ChangeRole(t.Context(), heir, changes("jinsui", p, portal.HandOver)))
		if contact() != "陈静 "+managerPhone {
			t.Errorf("%s", contact())
		}
		_, err := p.login(p.as("13800000005")) // a disabled account
		with := refused(t, err, portal.AccountDisabled)
		if with.Contacts[0].Phone != managerPhone {
			t.Errorf("%+v", with.Contacts)
		}
	})
}

func TestTheOnlyAdministratorWhoCanSignInStaysOne(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		own := changes("jinsui", p, portal.MakeEmployee)
		field(t, p.ChangeRole(t.Context(), boss, own), "action", portal.OnlyAdministrator)
		second, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "受邀", Phone: newPhone})
		noError(t, err)
		field(t, p.ChangeRole(t.Context(), boss, own), "action", portal.OnlyAdministrator) // the invited one cannot sign in
		noError(t, p.db.SetUpAccount(t.Context(), 1001, second.Member.ID, phoneOf(t, p.db, newPhone).ID, "第二"))
		noError(t, p.ChangeRole(t.Context(), boss, own))
		if p.roles("jinsui") != "2" {
			t.Error("one of two administrators does not become an employee")
		}
	})
}

func TestTwoAdministratorsCannotDemoteEachOtherAtOnce(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		noError(t, p.ChangeRole(t.Context(), p.bossHere(), changes("li.manager", p, portal.MakeAdministrator)))
		two := []portal.Landing{p.bossHere(), p.landedAs(p.signIn(accountHost, manyPhone).Session, "li.manager")}
		errs := make([]error, 2)
		together(2, func(i int) {
			errs[i] = p.ChangeRole(t.Context(), two[i], portal.ChangeRoleInput{
				AccountID: two[1-i].Member.ID, Change: portal.MakeEmployee, Password: portal.DemoPassword,
			})
		})
		// The second is an employee by then, or would leave no administrator.
		loser := errors.Join(errs...)
		fields := new(portal.Refused)
		if (errs[0] == nil) == (errs[1] == nil) ||
			!errors.Is(loser, portal.Forbidden) &&
				(!errors.As(loser, &fields) || fields.Fields["action"] != portal.OnlyAdministrator) {
			t.Errorf("%v", errs)
		}
		if roles := p.roles("jinsui", "li.manager"); roles != "1 2" && roles != "2 1" {
			t.Errorf("%s", roles)
		}
	})
}

// One hands over to a person whom another administrator disables at the same moment.
func TestHandingOverToSomebodyWhoIsBeingDisabledLeavesAnAdministrator(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		noError(t, p.ChangeRole(t.Context(), boss, changes("li.manager", p, portal.MakeAdministrator)))
		heir := p.addAccount("heir", 1001, store.Mgr, buyerPhone)
		other := p.at(p.account("li.manager"))
		together(2, func(i int) {
			if i == 0 {
				_ = p.ChangeRole(t.Context(), boss, changes("heir", p, portal.HandOver))
			} else {
				_ = p.DisablePerson(t.Context(), other, heir.ID)
			}
		})
		if has, err := p.db.HasAdministrator(t.Context(), 1001, 0, store.At(p.clock.now())); err != nil || !has {
			t.Errorf("%v, %v", has, err)
		}
	})
}

func TestOnlyAnAccountThatCanSignInGetsANewRole(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		offered, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "受邀", Phone: newPhone})
		noError(t, err)
		first, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "初始"})
		noError(t, err)
		disabled := p.addAccount("off", 1001, store.Mgr, "")
		p.setAccountState("off", store.AccountDisabled)
		for _, m := range []store.Member{offered.Member, first.Member, disabled} {
			for _, change := range []portal.RoleChange{portal.MakeAdministrator, portal.HandOver} {
				in := portal.ChangeRoleInput{AccountID: m.ID, Change: change, Password: portal.DemoPassword}
				field(t, p.ChangeRole(t.Context(), boss, in), "action", portal.RoleNotActive)
			}
		}
		refused(t, p.ChangeRole(t.Context(), boss, changes("buyer1", p, portal.MakeAdministrator)), portal.NotFound)
		refused(t, p.ChangeRole(t.Context(), boss, changes("sur", p, portal.MakeAdministrator)), portal.NotFound)
		refused(t, p.ChangeRole(t.Context(), boss, changes("li.manager", p, "everything")), portal.BadRequest)
		field(t, p.ChangeRole(t.Context(), boss, changes("jinsui", p, portal.HandOver)), "action", portal.OwnAccount)
		refused(t, p.ChangeRole(t.Context(), p.landed("li.manager", phoneScreen), changes("li.manager", p, portal.MakeAdministrator)), portal.Forbidden)
		refused(t, p.ChangeRole(t.Context(), p.landed("buyer1", phoneScreen), changes("li.manager", p, portal.MakeAdministrator)), portal.NotFound)
		if p.events(1001, "administrator_made") != 0 || p.roles("jinsui", "li.manager") != "1 2" {
			t.Error("something was changed")
		}
	})
}

func TestAChangeOfARoleNeedsTheAdministratorsOwnPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		in := changes("li.manager", p, portal.MakeAdministrator)
		in.Password = ""
		field(t, p.ChangeRole(t.Context(), boss, in), "password", portal.PasswordRequired)
		in.Password = "Wrong2026"
		for range 2 {
			refused(t, p.ChangeRole(t.Context(), boss, in), portal.WrongPassword)
		}
		if p.failures("jinsui") != 2 {
			t.Errorf("%d wrong passwords were counted", p.failures("jinsui"))
		}
		if p.roles("li.manager") != "2" {
			t.Error("it was changed")
		}
		noError(t, p.ChangeRole(t.Context(), boss, changes("li.manager", p, portal.MakeAdministrator)))
	})
}

func TestAnAdministratorWithoutAPasswordProvesAChangeByACode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		boss := p.bossHere()
		_, err := p.AskRoleCode(p.from(homeAddress), boss, portal.AskCodeInput{Browser: true, Place: p.place(accountHost), Lang: "zh"})
		refused(t, err, portal.WrongParameters) // there is a password
		noError(t, p.db.SetPhonePassword(t.Context(), phoneOf(t, p.db, managerPhone).ID, ""))
		proof, err := p.RoleProofOf(t.Context(), boss, false)
		if err != nil || !proof.ByCode || proof.Phone != "138****0002" {
			t.Fatalf("%+v, %v", proof, err)
		}
		in := changes("li.manager", p.platform, portal.MakeAdministrator)
		field(t, p.ChangeRole(t.Context(), boss, in), "code", portal.CodeRequired)
		in.Code = "123456"
		refused(t, p.ChangeRole(t.Context(), boss, in), portal.CodeExpired)
		_, err = p.AskRoleCode(p.from(homeAddress), boss, portal.AskCodeInput{Browser: true, Place: p.place(accountHost), Lang: "zh"})
		noError(t, err)
		codes := p.sms.codes()
		sent := codes[len(codes)-1]
		if sent.Phone != managerPhone || sent.Purpose != portal.ForRole {
			t.Errorf("%+v", sent)
		}
		in.Code = otherThan(sent.Code)
		refused(t, p.ChangeRole(t.Context(), boss, in), portal.CodeWrong)
		in.Code = sent.Code
		for range 2 { // sent twice
			noError(t, p.ChangeRole(t.Context(), boss, in))
		}
		in = changes("li.manager", p.platform, portal.MakeEmployee)
		in.Code = sent.Code
		refused(t, p.ChangeRole(t.Context(), boss, in), portal.CodeExpired) // used
		byName := p.landed("jinsui", phoneScreen)                           // signed in by the account's own password
		noError(t, p.ChangeRole(t.Context(), byName, changes("li.manager", p.platform, portal.MakeEmployee)))
	})
}

func TestOnACompanysOwnDomainAFreshSignInProvesAChange(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		proof, err := p.RoleProofOf(t.Context(), boss, true)
		if err != nil || !proof.BySignIn {
			t.Fatalf("%+v, %v", proof, err)
		}
		in := changes("li.manager", p, portal.MakeAdministrator)
		in.OwnDomain, in.Password = true, ""
		p.clock.advance(10*time.Minute - time.Second)
		noError(t, p.ChangeRole(t.Context(), boss, in))
		in.Change = portal.MakeEmployee
		p.clock.advance(time.Second)
		refused(t, p.ChangeRole(t.Context(), boss, in), portal.LoginRequired)
		noError(t, p.ChangeRole(t.Context(), p.bossHere(), in))
	})
}

func TestRolesOfACompanyChangeTwentyTimesADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.bossHere()
		for i := range 21 {
			change := portal.MakeAdministrator
			if i%2 == 1 {
				change = portal.MakeEmployee
			}
			err := p.ChangeRole(t.Context(), boss, changes("li.manager", p, change))
			if limited := errors.Is(err, portal.TooManyAttempts); limited != (i == 20) || !limited && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}

func TestAtMostTwentyOtherAdministratorsGetAMessage(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range 25 {
			number := fmt.Sprintf("139000010%02d", i)
			_, err := p.db.AddPhone(t.Context(), store.Phone{Phone: number, CreatedAt: 1})
			noError(t, err)
			m := p.addAccount(fmt.Sprintf("boss%d", i), 1001, store.Mgr, number)
			noError(t, p.db.SetAccountType(t.Context(), 1001, m.ID, store.TypeAdministrator))
		}
		noError(t, p.ChangeRole(p.from(homeAddress), p.bossHere(), changes("li.manager", p.platform, portal.MakeAdministrator)))
		p.settle()
		told := slices.DeleteFunc(p.sms.notices(), func(n string) bool { return !strings.HasSuffix(n, "administrator_changed") })
		if len(told) != 18 { // the two whom it concerns are among the twenty
			t.Errorf("%d were told", len(told))
		}
	})
}

// The other administrator has a first password, which only lasts for some days, and no phone to sign in with.
func TestAnAdministratorWhoseFirstPasswordHasExpiredIsNoSuccessor(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		opened, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		noError(t, err)
		p.clock.advance(portal.FirstPasswordLife)
		own := changes("jinsui", p, portal.MakeEmployee)
		field(t, p.ChangeRole(t.Context(), p.bossHere(), own), "action", portal.OnlyAdministrator)
		_, err = p.GiveFirstPassword(t.Context(), p.bossHere(), opened.Member.ID, "")
		noError(t, err)
		noError(t, p.ChangeRole(t.Context(), p.bossHere(), own))
	})
}

// The administrator ends all sign-ins while somebody else's password for one of them is compared.
func TestASignInThatEndsMeanwhileChangesNoRole(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, managerPhone)
		boss := p.landedAs(signed.Session, "jinsui")
		in := changes("li.manager", p, portal.MakeAdministrator)
		leave := p.CrowdHashQueue(0)
		changed := make(chan error)
		go func() { changed <- p.ChangeRole(t.Context(), boss, in) }()
		for p.WaitForHash() == 0 {
			time.Sleep(time.Millisecond)
		}
		noError(t, p.db.EndPhone(t.Context(), signed.Session.PhoneID, ""))
		leave()
		refused(t, <-changed, portal.LoginRequired)
		if p.roles("li.manager") != "2" {
			t.Error("it was changed")
		}
	})
}
