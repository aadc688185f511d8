package office_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/guesstest"
	"portico/store"
)

func TestAnAdministratorGivesAndTakesBackTheAdministratorRole(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		boss, staff := signInAdministrator(p.Platform), p.Land("li.manager", portaltest.PhoneScreen)
		_, err := p.Backoffice.EmployeeRights(t.Context(), staff)
		portaltest.Refused(t, err, access.Forbidden)
		for range 2 { // sent twice
			portaltest.NoError(
				t,
				p.Backoffice.ChangeRole(
					p.From(portaltest.HomeAddress), boss,
					companytest.RoleChangeInput("li.manager", p.Platform, office.MakeAdministrator),
				),
			)
		}
		if companytest.AccountTypes(p.Platform, "jinsui", "li.manager") != "1 1" ||
			p.CountEvents(1001, "administrator_made") != 1 {
			t.Errorf("%s", companytest.AccountTypes(p.Platform, "jinsui", "li.manager"))
		}
		_, err = p.Backoffice.EmployeeRights(t.Context(), reloadLanding(p.Platform, staff)) // signed in since before
		portaltest.NoError(t, err)
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				p.From(portaltest.HomeAddress), boss,
				companytest.RoleChangeInput("li.manager", p.Platform, office.MakeEmployee),
			),
		)
		_, err = p.Backoffice.EmployeeRights(t.Context(), reloadLanding(p.Platform, staff))
		portaltest.Refused(t, err, access.Forbidden)
		if companytest.AccountTypes(p.Platform, "jinsui", "li.manager") != "1 2" ||
			p.CountEvents(1001, "administrator_ended") != 1 {
			t.Errorf("%s", companytest.AccountTypes(p.Platform, "jinsui", "li.manager"))
		}
		wantNoticesInAnyOrder(
			p, portaltest.ManyPhone+" administrator_made", portaltest.ManyPhone+" administrator_ended",
		)
	})
}

func TestHandingOverChangesBothRolesAtOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		third := companytest.AddAccount(p.Platform, "third", 1001, store.Mgr, portaltest.BuyerPhone)
		portaltest.NoError(t, p.DB.Accounts.SetType(t.Context(), 1001, third.ID, store.TypeAdministrator))
		boss := signInAdministrator(p.Platform)
		in := companytest.RoleChangeInput("li.manager", p.Platform, office.HandOver)
		portaltest.NoError(t, p.Backoffice.ChangeRole(p.From(portaltest.HomeAddress), boss, in))
		// sent twice
		portaltest.NoError(
			t, p.Backoffice.ChangeRole(p.From(portaltest.HomeAddress), reloadLanding(p.Platform, boss), in),
		)
		if companytest.AccountTypes(p.Platform, "jinsui", "li.manager", "third") != "2 1 1" {
			t.Errorf("%s", companytest.AccountTypes(p.Platform, "jinsui", "li.manager", "third"))
		}
		if p.CountEvents(1001, "administrator_made") != 1 || p.CountEvents(1001, "administrator_ended") != 1 {
			t.Error("what happened is not written down once")
		}
		portaltest.Refused(
			t,
			p.Backoffice.ChangeRole(
				p.From(portaltest.HomeAddress), reloadLanding(p.Platform, boss),
				companytest.RoleChangeInput("third", p.Platform, office.MakeEmployee),
			), access.Forbidden,
		)
		wantNoticesInAnyOrder(p,
			portaltest.ManyPhone+" administrator_made", portaltest.ManagerPhone+" administrator_ended",
			portaltest.BuyerPhone+" administrator_changed",
		)
		// The new administrator gives the role back, and it is handed over once more: that is no repetition.
		heir := p.LandWithSession(p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session, "li.manager")
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				p.From(portaltest.HomeAddress),
				heir,
				companytest.RoleChangeInput("jinsui", p.Platform, office.HandOver),
			),
		)
		portaltest.NoError(
			t, p.Backoffice.ChangeRole(p.From(portaltest.HomeAddress), reloadLanding(p.Platform, boss), in),
		)
		if companytest.AccountTypes(p.Platform, "jinsui", "li.manager") != "2 1" {
			t.Errorf("%s", companytest.AccountTypes(p.Platform, "jinsui", "li.manager"))
		}
	})
}

func TestTheContactOfACompanyFollowsTheAdministratorWhoHandsOver(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		contact := func() string {
			c, err := p.DB.Companies.ByID(t.Context(), 1001)
			portaltest.NoError(t, err)
			return c.ContactName + " " + c.ContactPhone
		}
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), signInAdministrator(p), companytest.RoleChangeInput("li.manager", p, office.HandOver),
			),
		)
		if contact() != "陈静 13700000001" { // another person's phone
			t.Errorf("%s", contact())
		}
		heir := p.LandWithSession(p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session, "li.manager")
		portaltest.NoError(
			t,
			p.Application.SetApplicationSetting(t.Context(), heir, application.ApplicationSettingInput{
				ContactName: "李伟", ContactPhone: portaltest.ManyPhone, Open: true,
			}),
		)
		heir = reloadLanding(p, heir)
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(t.Context(), heir, companytest.RoleChangeInput("jinsui", p, office.HandOver)),
		)
		if contact() != "陈静 "+portaltest.ManagerPhone {
			t.Errorf("%s", contact())
		}
		_, err := p.Login(p.LoginInput("13800000005")) // a disabled account
		with := portaltest.Refused(t, err, access.AccountDisabled)
		if with.Contacts[0].Phone != portaltest.ManagerPhone {
			t.Errorf("%+v", with.Contacts)
		}
	})
}

func TestTheOnlyAdministratorWhoCanSignInCannotBeDemoted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		own := companytest.RoleChangeInput("jinsui", p, office.MakeEmployee)
		portaltest.WantField(t, p.Backoffice.ChangeRole(t.Context(), boss, own), "action", office.OnlyAdministrator)
		second, err := companytest.OpenAccount(p, office.OpenAccountInput{
			Side: "mgr", Type: 1, Name: "受邀", Phone: portaltest.NewPhone,
		})
		portaltest.NoError(t, err)
		// the invited one cannot sign in
		portaltest.WantField(t, p.Backoffice.ChangeRole(t.Context(), boss, own), "action", office.OnlyAdministrator)
		portaltest.NoError(
			t,
			p.DB.Accounts.SetUp(
				t.Context(), 1001, second.Member.ID, portaltest.PersonOf(t, p.DB, portaltest.NewPhone).ID, "第二",
			),
		)
		portaltest.NoError(t, p.Backoffice.ChangeRole(t.Context(), boss, own))
		if companytest.AccountTypes(p, "jinsui") != "2" {
			t.Error("one of two administrators does not become an employee")
		}
	})
}

func TestTwoAdministratorsCannotDemoteEachOtherAtOnce(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				t.Context(),
				signInAdministrator(p),
				companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator),
			),
		)
		two := []access.Landing{
			signInAdministrator(p),
			p.LandWithSession(p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session, "li.manager"),
		}
		errs := make([]error, 2)
		portaltest.Together(2, func(i int) {
			errs[i] = p.Backoffice.ChangeRole(t.Context(), two[i], office.ChangeRoleInput{
				AccountID: two[1-i].Member.ID, Change: office.MakeEmployee, Password: onboarding.DemoPassword,
			})
		})
		// The second is an employee by then, or would leave no administrator.
		loser := errors.Join(errs...)
		fields := new(access.Refused)
		if (errs[0] == nil) == (errs[1] == nil) ||
			!errors.Is(loser, access.Forbidden) &&
				(!errors.As(loser, &fields) || fields.Fields["action"] != office.OnlyAdministrator) {
			t.Errorf("%v", errs)
		}
		if roles := companytest.AccountTypes(p, "jinsui", "li.manager"); roles != "1 2" && roles != "2 1" {
			t.Errorf("%s", roles)
		}
	})
}

// One hands over to a person whom another administrator disables at the same moment.
func TestHandingOverToAnAccountBeingDisabledLeavesAnAdministrator(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), boss, companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator),
			),
		)
		heir := companytest.AddAccount(p, "heir", 1001, store.Mgr, portaltest.BuyerPhone)
		other := p.LandingFor(p.Account("li.manager"))
		portaltest.Together(2, func(i int) {
			if i == 0 {
				_ = p.Backoffice.ChangeRole(t.Context(), boss, companytest.RoleChangeInput("heir", p, office.HandOver))
			} else {
				_ = p.Backoffice.DisablePerson(t.Context(), other, heir.ID)
			}
		})
		if has, err := p.DB.Accounts.HasAdministrator(t.Context(), 1001, 0, store.At(p.Clock.Now())); err != nil ||
			!has {
			t.Errorf("%v, %v", has, err)
		}
	})
}

func TestOnlyAnAccountThatCanSignInGetsANewRole(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		offered, err := companytest.OpenAccount(p, office.OpenAccountInput{
			Side: "mgr", Type: 2, Name: "受邀", Phone: portaltest.NewPhone,
		})
		portaltest.NoError(t, err)
		first, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "初始"})
		portaltest.NoError(t, err)
		disabled := companytest.AddAccount(p, "off", 1001, store.Mgr, "")
		p.SetAccountState("off", store.AccountDisabled)
		for _, m := range []store.Member{offered.Member, first.Member, disabled} {
			for _, change := range []office.RoleChange{office.MakeAdministrator, office.HandOver} {
				in := office.ChangeRoleInput{AccountID: m.ID, Change: change, Password: onboarding.DemoPassword}
				portaltest.WantField(t, p.Backoffice.ChangeRole(t.Context(), boss, in), "action", office.RoleNotActive)
			}
		}
		portaltest.Refused(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), boss, companytest.RoleChangeInput("buyer1", p, office.MakeAdministrator),
			),
			access.NotFound,
		)
		portaltest.Refused(
			t,
			p.Backoffice.ChangeRole(t.Context(), boss, companytest.RoleChangeInput("sur", p, office.MakeAdministrator)),
			access.NotFound,
		)
		portaltest.Refused(
			t, p.Backoffice.ChangeRole(t.Context(), boss, companytest.RoleChangeInput("li.manager", p, "everything")),
			access.BadRequest,
		)
		portaltest.WantField(
			t,
			p.Backoffice.ChangeRole(t.Context(), boss, companytest.RoleChangeInput("jinsui", p, office.HandOver)),
			"action",
			access.OwnAccount,
		)
		portaltest.Refused(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), p.Land("li.manager", portaltest.PhoneScreen),
				companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator),
			), access.Forbidden,
		)
		portaltest.Refused(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), p.Land("buyer1", portaltest.PhoneScreen),
				companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator),
			), access.NotFound,
		)
		if p.CountEvents(1001, "administrator_made") != 0 ||
			companytest.AccountTypes(p, "jinsui", "li.manager") != "1 2" {
			t.Error("something was changed")
		}
	})
}

func TestChangingARoleNeedsTheAdministratorsOwnPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		in := companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator)
		in.Password = ""
		portaltest.WantField(t, p.Backoffice.ChangeRole(t.Context(), boss, in), "password", access.PasswordRequired)
		in.Password = "Wrong2026"
		for range 2 {
			portaltest.Refused(t, p.Backoffice.ChangeRole(t.Context(), boss, in), access.WrongPassword)
		}
		if guesstest.CountFailures(p, "jinsui") != 2 {
			t.Errorf("%d wrong passwords were counted", guesstest.CountFailures(p, "jinsui"))
		}
		if companytest.AccountTypes(p, "li.manager") != "2" {
			t.Error("it was changed")
		}
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), boss, companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator),
			),
		)
	})
}

func TestAnAdministratorWithoutAPasswordConfirmsAChangeByACode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		boss := signInAdministrator(p.Platform)
		_, err := p.Backoffice.AskRoleCode(p.From(portaltest.HomeAddress), boss, core.AskCodeInput{
			Browser: true, Place: p.Place(portaltest.AccountHost), Lang: "zh",
		})
		portaltest.Refused(t, err, access.WrongParameters) // there is a password
		portaltest.NoError(
			t, p.DB.Passwords.SetPerson(t.Context(), portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone).ID, ""),
		)
		proof, err := p.Backoffice.RoleProofOf(t.Context(), boss, false)
		if err != nil || !proof.ByCode || proof.Phone != "138****0002" {
			t.Fatalf("%+v, %v", proof, err)
		}
		in := companytest.RoleChangeInput("li.manager", p.Platform, office.MakeAdministrator)
		portaltest.WantField(t, p.Backoffice.ChangeRole(t.Context(), boss, in), "code", access.CodeRequired)
		in.Code = "123456"
		portaltest.Refused(t, p.Backoffice.ChangeRole(t.Context(), boss, in), access.CodeExpired)
		_, err = p.Backoffice.AskRoleCode(p.From(portaltest.HomeAddress), boss, core.AskCodeInput{
			Browser: true, Place: p.Place(portaltest.AccountHost), Lang: "zh",
		})
		portaltest.NoError(t, err)
		codes := p.Sms.Codes()
		sent := codes[len(codes)-1]
		if sent.Phone != portaltest.ManagerPhone || sent.Purpose != core.ForRole {
			t.Errorf("%+v", sent)
		}
		in.Code = portaltest.WrongCode(sent.Code)
		portaltest.Refused(t, p.Backoffice.ChangeRole(t.Context(), boss, in), access.CodeWrong)
		in.Code = sent.Code
		for range 2 { // sent twice
			portaltest.NoError(t, p.Backoffice.ChangeRole(t.Context(), boss, in))
		}
		in = companytest.RoleChangeInput("li.manager", p.Platform, office.MakeEmployee)
		in.Code = sent.Code
		portaltest.Refused(t, p.Backoffice.ChangeRole(t.Context(), boss, in), access.CodeExpired) // used
		// signed in by the account's own password
		byName := p.Land("jinsui", portaltest.PhoneScreen)
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				t.Context(), byName, companytest.RoleChangeInput("li.manager", p.Platform, office.MakeEmployee),
			),
		)
	})
}

func TestOnACompanysOwnDomainARecentSignInConfirmsAChange(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		proof, err := p.Backoffice.RoleProofOf(t.Context(), boss, true)
		if err != nil || !proof.BySignIn {
			t.Fatalf("%+v, %v", proof, err)
		}
		in := companytest.RoleChangeInput("li.manager", p, office.MakeAdministrator)
		in.OwnDomain, in.Password = true, ""
		p.Clock.Advance(10*time.Minute - time.Second)
		portaltest.NoError(t, p.Backoffice.ChangeRole(t.Context(), boss, in))
		in.Change = office.MakeEmployee
		p.Clock.Advance(time.Second)
		portaltest.Refused(t, p.Backoffice.ChangeRole(t.Context(), boss, in), access.LoginRequired)
		portaltest.NoError(t, p.Backoffice.ChangeRole(t.Context(), signInAdministrator(p), in))
	})
}

func TestRolesOfACompanyChangeAtMostTwentyTimesADay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := signInAdministrator(p)
		for i := range 21 {
			change := office.MakeAdministrator
			if i%2 == 1 {
				change = office.MakeEmployee
			}
			err := p.Backoffice.ChangeRole(t.Context(), boss, companytest.RoleChangeInput("li.manager", p, change))
			if limited := errors.Is(err, access.TooManyAttempts); limited != (i == 20) || !limited && err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
}

func TestAtMostTwentyOtherAdministratorsGetAMessage(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 25 {
			number := fmt.Sprintf("139000010%02d", i)
			_, err := p.DB.Persons.Add(t.Context(), store.Person{Phone: number, CreatedAt: 1})
			portaltest.NoError(t, err)
			m := companytest.AddAccount(p.Platform, fmt.Sprintf("boss%d", i), 1001, store.Mgr, number)
			portaltest.NoError(t, p.DB.Accounts.SetType(t.Context(), 1001, m.ID, store.TypeAdministrator))
		}
		portaltest.NoError(
			t,
			p.Backoffice.ChangeRole(
				p.From(portaltest.HomeAddress), signInAdministrator(p.Platform),
				companytest.RoleChangeInput("li.manager", p.Platform, office.MakeAdministrator),
			),
		)
		p.WaitForNotices()
		told := slices.DeleteFunc(
			p.Sms.Notices(), func(n string) bool { return !strings.HasSuffix(n, "administrator_changed") },
		)
		if len(told) != 18 { // the two whose roles change are among the twenty
			t.Errorf("%d got a message", len(told))
		}
	})
}

// The other administrator has a first password, which only lasts for some days, and no phone to sign in with.
func TestAnAdministratorWithAnExpiredFirstPasswordCannotSucceed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		p.Clock.Advance(credentials.FirstPasswordLife)
		own := companytest.RoleChangeInput("jinsui", p, office.MakeEmployee)
		portaltest.WantField(
			t,
			p.Backoffice.ChangeRole(t.Context(), signInAdministrator(p), own),
			"action",
			office.OnlyAdministrator,
		)
		_, err = p.Backoffice.GiveFirstPassword(t.Context(), signInAdministrator(p), opened.Member.ID, "")
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Backoffice.ChangeRole(t.Context(), signInAdministrator(p), own))
	})
}

// signInAdministrator signs the administrator of company 1001 in by phone and returns the landing.
func signInAdministrator(p *portaltest.Platform) access.Landing {
	p.T.Helper()
	return p.LandWithSession(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session, "jinsui")
}

// wantNoticesInAnyOrder fails the test unless exactly these notices were sent, in any order.
func wantNoticesInAnyOrder(p *portaltest.SMSPlatform, want ...string) {
	p.T.Helper()
	p.WaitForNotices()
	got := p.Sms.Notices()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		p.T.Errorf("notices %q, want %q", got, want)
	}
}

// reloadLanding reads the account of a landing as the next request does.
func reloadLanding(p *portaltest.Platform, here access.Landing) access.Landing {
	p.T.Helper()
	m, err := p.DB.Accounts.ByID(p.T.Context(), here.Member.CompanyID, here.Member.ID)
	portaltest.NoError(p.T, err)
	here.Member = m
	return here
}
