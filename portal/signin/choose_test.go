package signin_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestAccountsAreMergedPerCompanyWithTheirSides(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		companytest.WantAccounts(
			p, p.SignIn(portaltest.AccountHost, "13800000003").Session, "1001 mgr:li.manager shop:li.shop",
			"1002 mgr:sur", "1003 shop:li.lights",
		)
		companytest.WantAccounts(
			p, p.SignIn(portaltest.AccountHost, "13800000012").Session, "1008 mgr:trial shop:trial.shop",
		)
		companytest.WantAccounts(p, p.SignIn(portaltest.AccountHost, "li.shop").Session, "1001 shop:li.shop")
		companytest.WantAccounts(
			p, p.SignIn("store1001.portico.test", "13800000003").Session, "1001 mgr:li.manager shop:li.shop",
		)
		companytest.WantAccounts(p, p.SignIn("jinsui.test", "13800000003").Session, "1001 mgr:li.manager shop:li.shop")
	})
}

func TestBlockedAccountsStayInTheListWithTheReasonAndWhoHelps(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001))
		p.SetAccountState("li.lights", store.AccountUnderReview)
		companytest.WantAccounts(p, signed.Session, "1002 mgr:sur",
			"1001 mgr:li.manager(company_disabled) shop:li.shop(company_disabled)", "1003 shop:li.lights(under_review)")
		for _, c := range companytest.ListAccounts(p, signed.Session) {
			reason, contacts := c.Blocked()
			if (reason != "") != (c.Company.ID != 1002) || (len(contacts) > 0) != (reason != "") {
				t.Errorf("company %d: %q, %v", c.Company.ID, reason, contacts)
			}
			mgr, shop := c.Open()
			if open := len(mgr) + len(shop); (open > 0) != (reason == "") {
				t.Errorf("company %d: %d open", c.Company.ID, open)
			}
		}
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Company == nil || with.Company.ID != 1001 ||
			len(with.Contacts) == 0 {
			t.Errorf("refusal %+v", with)
		}
		person, err := p.DB.Persons.ByNumber(t.Context(), "13800000003")
		if err != nil || person.DefaultCompanyID != 0 {
			t.Errorf("a blocked company became the default: %+v, %v", person, err)
		}
	})
}

func TestChoosingACompanyLeadsToWhatItHolds(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		for company, want := range map[int64]signin.Step{
			1001: {Kind: signin.StepSide, CompanyID: 1001},
			1002: {Kind: signin.StepEnter, CompanyID: 1002, AccountID: p.Account("sur").ID},
			1003: {Kind: signin.StepEnter, CompanyID: 1003, AccountID: p.Account("li.lights").ID},
		} {
			step, err := p.Accounts.ChooseCompany(t.Context(),
				signin.ChooseCompanyInput{Session: signed.Session, CompanyID: company})
			if err != nil || step != want {
				t.Errorf("company %d: %+v, %v, want %+v", company, step, err, want)
			}
			if chosen, err := p.Accounts.Chosen(
				t.Context(), sessiontest.StoredSession(p, signed, portaltest.AccountHost), 0,
			); err != nil ||
				chosen.Company.ID != company {
				t.Errorf("chosen is %d, %v, want %d", chosen.Company.ID, err, company)
			}
		}
		companytest.AddAccount(p, "second", 1001, store.Shop, "13800000003")
		step, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		if want := (signin.Step{Kind: signin.StepAccounts, CompanyID: 1001}); err != nil || step != want {
			t.Errorf("with several logins on a side: %+v, %v", step, err)
		}
		p.SetAccountState("second", store.AccountDisabled)
		p.SetAccountState("li.shop", store.AccountDisabled)
		step, err = p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1001,
			AccountID: p.Account("li.manager").ID}); err != nil || step != want {
			t.Errorf("with one login open: %+v, %v", step, err)
		}
	})
}

func TestTheDefaultCompanyComesFirstAndIsEnteredAtTheNextSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003, Default: true})
		portaltest.NoError(t, err)
		next := p.SignIn(portaltest.AccountHost, "13800000003")
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1003,
			AccountID: p.Account("li.lights").ID}); next.Step != want {
			t.Errorf("step %+v, want %+v", next.Step, want)
		}
		companytest.WantAccounts(
			p, next.Session, "1003 default shop:li.lights", "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur",
		)

		_, err = p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		portaltest.NoError(t, err)
		if step := p.SignIn(portaltest.AccountHost, "13800000003").Step; step.Kind != signin.StepCompany {
			t.Errorf("a default company with two logins: %+v", step)
		}
		p.SetAccountState("li.manager", store.AccountDisabled)
		if step := p.SignIn(portaltest.AccountHost, "13800000003").Step; step.Kind != signin.StepEnter ||
			step.AccountID != p.Account("li.shop").ID {
			t.Errorf("a default company with one login open: %+v", step)
		}
		portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001))
		if step := p.SignIn(portaltest.AccountHost, "13800000003").Step; step.Kind != signin.StepCompany {
			t.Errorf("a default company that is blocked: %+v", step)
		}
		companytest.WantAccounts(p, signed.Session, "1002 mgr:sur", "1003 shop:li.lights",
			"1001 default mgr:li.manager(company_disabled) shop:li.shop(company_disabled)")
	})
}

func TestASignInByNameSetsNoDefault(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "li.shop")
		step, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		if err != nil || step.AccountID != p.Account("li.shop").ID {
			t.Errorf("step %+v, %v", step, err)
		}
		person, err := p.DB.Persons.ByNumber(t.Context(), "13800000003")
		if err != nil || person.DefaultCompanyID != 0 {
			t.Errorf("default %d, %v", person.DefaultCompanyID, err)
		}
	})
}

func TestOtherPeoplesCompaniesAndAccountsAreNotFoundAndNothingChanges(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed, victim := p.SignIn(portaltest.AccountHost, "13800000001"),
			p.SignIn(portaltest.AccountHost, "13800000003")
		inHouse := p.SignIn("store1001.portico.test", "13800000003")
		for _, c := range []struct {
			signed  signin.LoginResult
			company int64
		}{{signed, 1002}, {signed, 1003}, {signed, 9999}, {signed, -1}, {inHouse, 1002}} {
			_, err := p.Accounts.ChooseCompany(t.Context(),
				signin.ChooseCompanyInput{Session: c.signed.Session, CompanyID: c.company, Default: true})
			portaltest.Refused(t, err, access.NotFound)
		}
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, Default: true})
		if with := portaltest.Refused(t, err,
			access.ValidationFailed); with.Fields["company_id"] != access.ChoiceRequired {
			t.Errorf("no choice: %v", with.Fields)
		}
		for _, login := range []string{"li.shop", "jinsui", "nophone", "sur"} {
			portaltest.Refused(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account(login).ID),
				access.NotFound)
		}
		portaltest.Refused(t, p.Accounts.HideAccount(t.Context(), signed.Session, 1<<40), access.NotFound)
		for _, number := range []string{"13800000001", "13800000003"} {
			if person, err := p.DB.Persons.ByNumber(t.Context(), number); err != nil || person.DefaultCompanyID != 0 {
				t.Errorf("%s: default %d, %v", number, person.DefaultCompanyID, err)
			}
		}
		companytest.WantAccounts(p, signed.Session, "1001 shop:buyer1")
		companytest.WantAccounts(
			p, victim.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights",
		)
		if s := sessiontest.StoredSession(p, signed, portaltest.AccountHost); s.ChosenCompanyID != 0 {
			t.Errorf("chosen %d", s.ChosenCompanyID)
		}
	})
}

func TestAHiddenAccountIsSignedOutHereAndBackAfterTheNextSignIn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed, other := p.SignIn(portaltest.AccountHost, "13800000003"),
			p.SignIn(portaltest.AccountHost, "13800000003")
		gone, stays := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen),
			p.Enter(signed, portaltest.AccountHost, "li.manager", portaltest.PhoneScreen)
		goneAt, err := p.Redeem(gone, "")
		portaltest.NoError(t, err)
		staysAt, err := p.Redeem(stays, "")
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account("li.shop").ID))
		// twice is no fault
		portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account("li.shop").ID))
		companytest.WantAccounts(p, signed.Session, "1001 mgr:li.manager", "1002 mgr:sur", "1003 shop:li.lights")
		companytest.WantAccounts(
			p, other.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights",
		)
		_, err = p.LandingAt(gone, goneAt.Token)
		portaltest.Refused(t, err, access.LoginRequired)
		if _, err := p.LandingAt(stays, staysAt.Token); err != nil {
			t.Errorf("another account was signed out too: %v", err)
		}
		in := p.LoginInput("13800000003")
		in.Device = signed.Device
		again, err := p.LoginWithCookie(signed.Token, in)
		portaltest.NoError(t, err)
		companytest.WantAccounts(
			p, again.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights",
		)
	})
}

func TestACompanyWhoseAccountsAreAllHiddenIsNotChosen(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account("sur").ID))
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		portaltest.Refused(t, err, access.NotFound)
		for _, login := range []string{"li.manager", "li.shop", "li.lights"} {
			portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account(login).ID))
		}
		companytest.WantAccounts(p, signed.Session)
		_, err = p.Accounts.Chosen(t.Context(), signed.Session, 0)
		portaltest.Refused(t, err, access.NotFound)
	})
}

func TestWithoutAChoiceOnlyAnOnlyCompanyIsChosen(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		chosen, err := p.Accounts.Chosen(t.Context(), p.SignIn(portaltest.AccountHost, "13800000012").Session, 0)
		if err != nil || chosen.Company.ID != 1008 {
			t.Errorf("the only company: %d, %v", chosen.Company.ID, err)
		}
		_, err = p.Accounts.Chosen(t.Context(), p.SignIn(portaltest.AccountHost, "13800000003").Session, 0)
		portaltest.Refused(t, err, access.NotFound)
	})
}

func TestSixtyCompaniesAreListedInOrderAndSearched(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		portaltest.NoError(t, p.DB.Tx(t.Context(), func(tx *store.DB) error {
			phone, err := tx.Persons.Add(t.Context(),
				store.Person{Phone: "13900000060", PasswordHash: p.Account("buyer1").PasswordHash, CreatedAt: now})
			for i := int64(60); i > 0 && err == nil; i-- {
				c := store.Company{ID: 2000 + i, Name: fmt.Sprintf("Handel %02d", i), Language: "zh",
					Standing: store.Formal, Mall: store.MallOpen, CreatedAt: now, UpdatedAt: now}
				if _, err = tx.Companies.Save(t.Context(), c); err == nil {
					_, err = tx.Accounts.Add(t.Context(), store.Account{
						CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprintf("Kunde.%d", i),
						PersonID: phone, State: store.AccountActive, CreatedAt: now,
					})
				}
			}
			return err
		}))
		signed := p.SignIn(portaltest.AccountHost, "13900000060")
		list := companytest.ListAccounts(p, signed.Session)
		if len(list) != 60 || signed.Step.Kind != signin.StepCompany {
			t.Fatalf("%d companies, step %+v", len(list), signed.Step)
		}
		for i, c := range list {
			if c.Company.ID != int64(2001+i) {
				t.Fatalf("company %d stands at %d", c.Company.ID, i)
			}
		}
		for words, want := range map[string]int{"": 60, "  ": 60, "HANDEL 07": 1, " handel ": 60, "kunde.5": 11,
			"2042": 1, "nothing": 0, "%": 0, "_": 0, "'": 0, "handel  07": 0} {
			if got := len(signin.Search(list, words)); got != want {
				t.Errorf("%q finds %d, want %d", words, got, want)
			}
		}
		step, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 2060})
		if err != nil || step.Kind != signin.StepEnter {
			t.Errorf("the last one: %+v, %v", step, err)
		}
	})
}

func TestAPersonWhoLostEveryAccountHasAnEmptyList(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	person, err := p.DB.Persons.ByNumber(t.Context(), "13800000011")
	portaltest.NoError(t, err)
	companytest.WantAccounts(p, store.Session{ID: "s", PersonID: person.ID})
	_, err = p.Accounts.Accounts(t.Context(), store.Session{ID: "s"})
	portaltest.Refused(t, err, access.LoginRequired)
	_, err = p.Accounts.Accounts(t.Context(), store.Session{ID: "s", PersonID: 1 << 40})
	portaltest.Refused(t, err, access.LoginRequired)
}

func TestContinuingLeadsWhereSigningInWould(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, who := range []string{"13800000001", "13800000003", "13800000012", "buyer1"} {
			signed := p.SignIn(portaltest.AccountHost, who)
			if step, err := p.Accounts.Continue(t.Context(), signed.Session); err != nil || step != signed.Step {
				t.Errorf("%s: %+v, %v, want %+v", who, step, err, signed.Step)
			}
		}
		signed := p.SignIn(portaltest.AccountHost, "northwind") // who is first offered to bind a phone
		step, err := p.Accounts.Continue(t.Context(), signed.Session)
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1003,
			AccountID: p.Account("northwind").ID}); err != nil || step != want {
			t.Errorf("without a phone: %+v, %v", step, err)
		}
		portaltest.NoError(t, p.Binding.StopBindReminder(t.Context(), signed.Session, step.AccountID, 0))
		if again := p.SignIn(portaltest.AccountHost, "northwind").Step; again != step {
			t.Errorf("not to be reminded: %+v", again)
		}
		signed = p.SignIn(portaltest.AccountHost, "buyer1")
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err = p.Accounts.Continue(t.Context(), signed.Session)
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}

func TestContinuingEntersNoHiddenAccount(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for who, login := range map[string]string{"13800000001": "buyer1", "northwind": "northwind"} {
			signed := p.SignIn(portaltest.AccountHost, who)
			portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), signed.Session, p.Account(login).ID))
			if step, err := p.Accounts.Continue(t.Context(), signed.Session); err != nil ||
				step != (signin.Step{Kind: signin.StepCompany}) {
				t.Errorf("%s: %+v, %v", who, step, err)
			}
		}
		two := p.SignIn(portaltest.AccountHost, "13800000012")
		portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), two.Session, p.Account("trial").ID))
		if step, err := p.Accounts.Continue(t.Context(), two.Session); err != nil ||
			step.AccountID != p.Account("trial.shop").ID {
			t.Errorf("one of two hidden: %+v, %v", step, err)
		}
	})
}

func TestASingleCompanyThatIsOpenNeedsNoChoice(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		both, many := companytest.ListAccounts(p, p.SignIn(portaltest.AccountHost, "13800000012").Session),
			companytest.ListAccounts(p, p.SignIn(portaltest.AccountHost, "13800000003").Session)
		if step, only := signin.OnlyStep(both); !only ||
			step != (signin.Step{Kind: signin.StepSide, CompanyID: 1008}) {
			t.Errorf("both sides of one company: %+v, %v", step, only)
		}
		if step, only := signin.OnlyStep(many); only || step != (signin.Step{}) {
			t.Errorf("three companies: %+v, %v", step, only)
		}
		if _, only := signin.OnlyStep(nil); only {
			t.Error("no company needs no choice")
		}
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001))
		if _, only := signin.OnlyStep(companytest.ListAccounts(p, signed.Session)); only {
			t.Error("a blocked company is gone into")
		}
	})
}

func TestTheListNarrowsToTheChosenCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, "13800000003")
		_, err := p.Accounts.ChooseCompany(t.Context(),
			signin.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003})
		portaltest.NoError(t, err)
		s := sessiontest.StoredSession(p, signed, portaltest.AccountHost)
		list := companytest.ListAccounts(p, s)
		if got := companytest.DescribeAccounts(signin.ChosenOnly(list, s, false)); !slices.Equal(got,
			[]string{"1003 shop:li.lights"}) {
			t.Errorf("chosen only: %q", got)
		}
		if got := signin.ChosenOnly(list, s, true); len(got) != 3 {
			t.Errorf("all: %q", companytest.DescribeAccounts(got))
		}
		if got := signin.ChosenOnly(list, signed.Session, false); len(got) != 3 {
			t.Errorf("nothing chosen: %q", companytest.DescribeAccounts(got))
		}
	})
}

// chooseSide chooses a side of the company that the session chose last.
func chooseSide(ctx context.Context, p *portaltest.Platform, s store.Session, side store.Side) (signin.Step, error) {
	return p.Accounts.ChooseCompany(ctx, signin.ChooseCompanyInput{Session: s, Side: side})
}

func TestChoosingASideLeadsToItsLogins(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		s := p.SignIn(portaltest.AccountHost, "13800000012").Session
		for side, login := range map[store.Side]string{store.Mgr: "trial", store.Shop: "trial.shop"} {
			if step, err := chooseSide(t.Context(), p, s, side); err != nil ||
				step != (signin.Step{Kind: signin.StepEnter, CompanyID: 1008, AccountID: p.Account(login).ID}) {
				t.Errorf("%s: %+v, %v", side, step, err)
			}
		}
		for _, side := range []store.Side{"both", "SHOP"} {
			_, err := chooseSide(t.Context(), p, s, side)
			portaltest.Refused(t, err, access.NotFound)
		}
		companytest.AddAccount(p, "trial.second", 1008, store.Shop, "13800000012")
		if step, err := chooseSide(t.Context(), p, s, store.Shop); err != nil ||
			step != (signin.Step{Kind: signin.StepAccounts, CompanyID: 1008}) {
			t.Errorf("two logins: %+v, %v", step, err)
		}
		p.SetAccountState("trial", store.AccountDisabled)
		_, err := chooseSide(t.Context(), p, s, store.Mgr)
		portaltest.Refused(t, err, access.AccountDisabled)
		_, err = chooseSide(t.Context(), p, p.SignIn(portaltest.AccountHost, "13800000003").Session, store.Shop)
		portaltest.Refused(t, err, access.NotFound) // no company chosen
	})
}

func TestAPersonIsNamedByTheMaskedPhoneOrTheLogin(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	for who, want := range map[string]string{"13800000001": "138****0001", "northwind": "northwind"} {
		if got, err := p.Accounts.PersonLabel(t.Context(), p.SignIn(portaltest.AccountHost, who).Session); err != nil ||
			got != want {
			t.Errorf("%s is named %q, %v", who, got, err)
		}
	}
}

func TestANewSessionStartsInTheDefaultCompanyElseTheLastAccountElseAChoice(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		again := func(device string) signin.Step {
			in := p.LoginInput(portaltest.ManyPhone)
			in.Device = device
			signed, err := p.Login(in)
			portaltest.NoError(t, err)
			return signed.Step
		}
		first := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		if first.Step.Kind != signin.StepCompany {
			t.Fatalf("the first session: %+v", first.Step)
		}
		p.Enter(first, portaltest.AccountHost, "sur", portaltest.Desktop)
		p.Enter(first, portaltest.AccountHost, "li.shop", portaltest.Desktop)
		p.Clock.Advance(time.Hour)
		newest := companytest.AddAccount(p, "newest", 1002, store.Shop, portaltest.ManyPhone)
		shop, lights := p.Account("li.shop"), p.Account("li.lights")
		if step := again(first.Device); step != (signin.Step{Kind: signin.StepEnter, CompanyID: 1001,
			AccountID: shop.ID}) {
			t.Errorf("on this device: %+v, want %d (the newest is %d)", step, shop.ID, newest.ID)
		}
		if step := again(""); step.Kind != signin.StepCompany {
			t.Errorf("on another device: %+v", step)
		}
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), first.Session, 1003, ""))
		if step := again(first.Device); step != (signin.Step{Kind: signin.StepEnter, CompanyID: 1003,
			AccountID: lights.ID}) {
			t.Errorf("with a default: %+v", step)
		}
		// two accounts there, and the last one used is elsewhere
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), first.Session, 1002, ""))
		if step := again(first.Device); step.Kind != signin.StepCompany {
			t.Errorf("with a default of several accounts: %+v", step)
		}
		p.Enter(first, portaltest.AccountHost, "sur", portaltest.Desktop)
		if step := again(first.Device); step.AccountID != p.Account("sur").ID {
			t.Errorf("with the last one used in the default: %+v", step)
		}
		// 1001 has one account on each side
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), first.Session, 1001, store.Mgr))
		if step := again(first.Device); step.AccountID != p.Account("li.manager").ID {
			t.Errorf("with a default side: %+v", step)
		}
		p.SetAccountState("li.manager", store.AccountDisabled)
		if step := again(first.Device); step.AccountID != shop.ID {
			t.Errorf("with a default side that is blocked: %+v", step)
		}
		p.SetAccountState("li.manager", store.AccountActive)
		err := p.Accounts.SetDefaultCompany(t.Context(), first.Session, 1003, store.Mgr)
		portaltest.Refused(t, err, access.Forbidden)
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), first.Session, 1001, ""))
		p.Enter(first, portaltest.AccountHost, "li.shop", portaltest.Desktop)
		p.SetAccountState("li.shop", store.AccountDisabled)
		if step := again(first.Device); step.AccountID == shop.ID {
			t.Errorf("into a disabled account: %+v", step)
		}
	})
}

func TestANewSessionDoesNotStartInAnAccountRemovedFromTheDevice(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		first := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		p.Enter(first, portaltest.AccountHost, "li.shop", portaltest.Desktop)
		portaltest.NoError(t, p.Accounts.HideAccount(t.Context(), first.Session, p.Account("li.shop").ID))
		in := p.LoginInput(portaltest.ManyPhone)
		in.Device = first.Device
		signed, err := p.Login(in)
		portaltest.NoError(t, err)
		if signed.Step.Kind != signin.StepCompany {
			t.Errorf("%+v", signed.Step)
		}
	})
}

func TestDestinationsAreTheSidesOfTheCompaniesInTheOrderOfUse(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		want := func(when string, want ...string) {
			t.Helper()
			s := sessiontest.StoredSession(p, signed, portaltest.AccountHost)
			all, err := p.Accounts.Destinations(t.Context(), s, companytest.ListAccounts(p, s))
			portaltest.NoError(t, err)
			var got []string
			for _, d := range all {
				text := fmt.Sprint(d.Company.ID, " ", d.Side)
				if d.Blocked != "" {
					text += " " + string(d.Blocked)
				}
				got = append(got, text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		want("at first", "1001 mgr", "1001 shop", "1002 mgr", "1003 shop")
		p.Enter(signed, portaltest.AccountHost, "li.lights", portaltest.Desktop)
		want("after a visit", "1003 shop", "1001 mgr", "1001 shop", "1002 mgr")
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), signed.Session, 1002, ""))
		want("with a default company", "1002 mgr", "1003 shop", "1001 mgr", "1001 shop")
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), signed.Session, 1001, store.Shop))
		want("with a default side", "1001 shop", "1003 shop", "1001 mgr", "1002 mgr")
		portaltest.NoError(t, p.Accounts.SetDefaultCompany(t.Context(), signed.Session, 1002, ""))
		p.SetAccountState("li.manager", store.AccountDisabled)
		want("with one that is blocked", "1002 mgr", "1003 shop", "1001 shop", "1001 mgr account_disabled")
	})
}

func TestDestinationsSayHowManyOrdersWaitForThoseWhoSeeOrders(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		waiting := func() (found []int) {
			t.Helper()
			all, err := p.Accounts.Destinations(
				t.Context(),
				signed.Session,
				companytest.ListAccounts(p, signed.Session),
			)
			portaltest.NoError(t, err)
			for _, d := range all {
				found = append(found, d.Waiting)
			}
			return found
		}
		before := waiting()
		if before[1] != 0 || before[3] != 0 {
			t.Errorf("a shop has orders to confirm: %v", before)
		}
		if before[0] != 0 {
			t.Errorf("there are samples alone, the list says %v", before)
		}
		addNewOrders(p, 1001, 100) // at most 99 are counted
		if after := waiting(); after[0] != 99 {
			t.Errorf("of a hundred orders wait %v", after)
		}
		orders, err := p.DB.Orders.OfCompany(t.Context(), 1001, math.MaxInt64, 200)
		portaltest.NoError(t, err)
		for _, o := range orders {
			if o.State == store.OrderNew {
				portaltest.NoError(t, p.DB.Orders.Confirm(t.Context(), 1001, o.ID, p.Account("li.manager").ID,
					store.At(p.Clock.Now())))
			}
		}
		if after := waiting(); after[0] != 0 {
			t.Errorf("after all were confirmed: %v", after)
		}
	})
}

func TestOrdersAreCountedForFiveBackOfficesOfAList(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		person := portaltest.PersonOf(t, p.DB, portaltest.UnboundPhone)
		for i := range 6 {
			company := companytest.AddCompany(p, "zh").CompanyID
			_, err := p.DB.Accounts.Add(t.Context(), store.Account{
				CompanyID: company, Side: store.Mgr, Type: store.TypeAdministrator, Login: fmt.Sprint("owner", i),
				PersonID: person.ID, State: store.AccountActive, CreatedAt: store.At(p.Clock.Now()),
			})
			portaltest.NoError(t, err)
			addNewOrders(p, company, 1)
		}
		s := p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session
		all, err := p.Accounts.Destinations(t.Context(), s, companytest.ListAccounts(p, s))
		portaltest.NoError(t, err)
		var waiting []int
		for _, d := range all {
			waiting = append(waiting, d.Waiting)
		}
		if !slices.Equal(waiting, []int{1, 1, 1, 1, 1, 0}) {
			t.Errorf("the list says %v", waiting)
		}
	})
}

func TestASearchReadsTheFirst240BytesOfItsWords(t *testing.T) {
	list := []signin.CompanyAccounts{{Company: store.Company{Name: strings.Repeat("x", 300)}}}
	for words, want := range map[string]int{
		strings.Repeat("x", 240) + "y": 1, strings.Repeat("x", 239) + "y": 0,
	} {
		if got := len(signin.Search(list, words)); got != want {
			t.Errorf("%d bytes find %d companies, want %d", len(words), got, want)
		}
	}
}

// addNewOrders adds orders of a new customer that wait to be confirmed, directly to the database. It fails the test if
// the database refuses them.
func addNewOrders(p *portaltest.Platform, company int64, orders int) {
	p.T.Helper()
	client := companytest.AddCustomer(p, company).ClientID
	for i := range orders {
		_, err := p.DB.Orders.Add(p.T.Context(), store.Order{
			CompanyID: company, Number: 900_000 + int64(i), ClientID: client, Form: fmt.Sprint(company, " ", i),
			State: store.OrderNew, Total: 100, PlacedAt: store.At(p.Clock.Now()),
		})
		portaltest.NoError(p.T, err)
	}
}
