package portal_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// listed writes a list as text: company, its manager and shop logins, and what blocks them.
func listed(list []portal.CompanyAccounts) (text []string) {
	for _, c := range list {
		line := fmt.Sprint(c.Company.ID)
		if c.Default {
			line += " default"
		}
		for _, a := range append(slices.Clone(c.Mgr), c.Shop...) {
			line += " " + string(a.Side) + ":" + a.Login
			if a.Blocked != "" {
				line += "(" + string(a.Blocked) + ")"
			}
		}
		text = append(text, line)
	}
	return text
}

func (p *platform) list(s store.Session) []portal.CompanyAccounts {
	p.t.Helper()
	list, err := p.Accounts(p.t.Context(), s)
	noError(p.t, err)
	return list
}

func (p *platform) wantList(s store.Session, want ...string) {
	p.t.Helper()
	if got := listed(p.list(s)); !slices.Equal(got, want) {
		p.t.Errorf("list %q, want %q", got, want)
	}
}

// stored reads a session as the next request would find it.
func (p *platform) stored(signed portal.LoginResult, host string) store.Session {
	p.t.Helper()
	s, err := p.SignedIn(p.t.Context(), signed.Token, p.place(host))
	noError(p.t, err)
	return s
}

func TestAccountsAreMergedPerCompanyWithTheirSides(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.wantList(p.signIn(accountHost, "13800000003").Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights")
		p.wantList(p.signIn(accountHost, "13800000012").Session, "1008 mgr:trial shop:trial.shop")
		p.wantList(p.signIn(accountHost, "li.shop").Session, "1001 shop:li.shop")
		p.wantList(p.signIn("store1001.portico.test", "13800000003").Session, "1001 mgr:li.manager shop:li.shop")
		p.wantList(p.signIn("jinsui.test", "13800000003").Session, "1001 mgr:li.manager shop:li.shop")
	})
}

func TestBlockedAccountsStayInTheListWithTheReasonAndWhoHelps(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		noError(t, p.DisableCompany(t.Context(), 1001))
		p.setAccountState("li.lights", store.AccountUnderReview)
		p.wantList(signed.Session, "1002 mgr:sur", "1001 mgr:li.manager(company_disabled) shop:li.shop(company_disabled)", "1003 shop:li.lights(under_review)")
		for _, c := range p.list(signed.Session) {
			reason, contacts := c.Blocked()
			if (reason != "") != (c.Company.ID != 1002) || (len(contacts) > 0) != (reason != "") {
				t.Errorf("company %d: %q, %v", c.Company.ID, reason, contacts)
			}
			mgr, shop := c.Open()
			if open := len(mgr) + len(shop); (open > 0) != (reason == "") {
				t.Errorf("company %d: %d open", c.Company.ID, open)
			}
		}
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		if with := refused(t, err, portal.CompanyDisabled); with.Company == nil || with.Company.ID != 1001 || len(with.Contacts) == 0 {
			t.Errorf("refusal %+v", with)
		}
		phone, err := p.db.PhoneByNumber(t.Context(), "13800000003")
		if err != nil || phone.DefaultCompanyID != 0 {
			t.Errorf("a blocked company became the default: %+v, %v", phone, err)
		}
	})
}

func TestChoosingACompanyLeadsToWhatItHolds(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		for company, want := range map[int64]portal.Step{
			1001: {Kind: portal.StepSide, CompanyID: 1001}, 1002: {Kind: portal.StepEnter, CompanyID: 1002, AccountID: p.account("sur").ID},
			1003: {Kind: portal.StepEnter, CompanyID: 1003, AccountID: p.account("li.lights").ID},
		} {
			step, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: company})
			if err != nil || step != want {
				t.Errorf("company %d: %+v, %v, want %+v", company, step, err, want)
			}
			if chosen, err := p.Chosen(t.Context(), p.stored(signed, accountHost), 0); err != nil || chosen.Company.ID != company {
				t.Errorf("chosen is %d, %v, want %d", chosen.Company.ID, err, company)
			}
		}
		p.addAccount("second", 1001, store.Shop, "13800000003")
		step, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		if want := (portal.Step{Kind: portal.StepAccounts, CompanyID: 1001}); err != nil || step != want {
			t.Errorf("with several logins on a side: %+v, %v", step, err)
		}
		p.setAccountState("second", store.AccountDisabled)
		p.setAccountState("li.shop", store.AccountDisabled)
		step, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001})
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1001, AccountID: p.account("li.manager").ID}); err != nil || step != want {
			t.Errorf("with one login open: %+v, %v", step, err)
		}
	})
}

// addAccount adds an account with the demo password to a phone.
func (p *platform) addAccount(login string, company int64, side store.Side, number string) store.Member {
	p.t.Helper()
	a := store.Account{CompanyID: company, Side: side, Type: store.TypeShop, Login: login, State: store.AccountActive, CreatedAt: store.At(p.clock.now()), PasswordHash: p.account("buyer1").PasswordHash}
	if side == store.Mgr {
		a.Type = store.TypeEmployee
	}
	if number != "" {
		phone, err := p.db.PhoneByNumber(p.t.Context(), number)
		noError(p.t, err)
		a.PhoneID = phone.ID
	}
	id, err := p.db.AddAccount(p.t.Context(), a)
	noError(p.t, err)
	m, err := p.db.MemberByID(p.t.Context(), company, id)
	noError(p.t, err)
	return m
}

func TestTheDefaultCompanyComesFirstAndIsEnteredAtTheNextSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003, Default: true})
		noError(t, err)
		next := p.signIn(accountHost, "13800000003")
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1003, AccountID: p.account("li.lights").ID}); next.Step != want {
			t.Errorf("step %+v, want %+v", next.Step, want)
		}
		p.wantList(next.Session, "1003 default shop:li.lights", "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur")

		_, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		noError(t, err)
		if step := p.signIn(accountHost, "13800000003").Step; step.Kind != portal.StepCompany {
			t.Errorf("a default company with two logins: %+v", step)
		}
		p.setAccountState("li.manager", store.AccountDisabled)
		if step := p.signIn(accountHost, "13800000003").Step; step.Kind != portal.StepEnter || step.AccountID != p.account("li.shop").ID {
			t.Errorf("a default company with one login open: %+v", step)
		}
		noError(t, p.DisableCompany(t.Context(), 1001))
		if step := p.signIn(accountHost, "13800000003").Step; step.Kind != portal.StepCompany {
			t.Errorf("a default company that is blocked: %+v", step)
		}
		p.wantList(signed.Session, "1002 mgr:sur", "1003 shop:li.lights", "1001 default mgr:li.manager(company_disabled) shop:li.shop(company_disabled)")
	})
}

func TestASignInByNameSetsNoDefault(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "li.shop")
		step, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1001, Default: true})
		if err != nil || step.AccountID != p.account("li.shop").ID {
			t.Errorf("step %+v, %v", step, err)
		}
		if phone, err := p.db.PhoneByNumber(t.Context(), "13800000003"); err != nil || phone.DefaultCompanyID != 0 {
			t.Errorf("default %d, %v", phone.DefaultCompanyID, err)
		}
	})
}

func TestOtherPeoplesCompaniesAndAccountsAreNotFoundAndNothingChanges(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed, victim := p.signIn(accountHost, "13800000001"), p.signIn(accountHost, "13800000003")
		inHouse := p.signIn("store1001.portico.test", "13800000003")
		for _, c := range []struct {
			signed  portal.LoginResult
			company int64
		}{{signed, 1002}, {signed, 1003}, {signed, 9999}, {signed, -1}, {inHouse, 1002}} {
			_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: c.signed.Session, CompanyID: c.company, Default: true})
			refused(t, err, portal.NotFound)
		}
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, Default: true})
		if with := refused(t, err, portal.ValidationFailed); with.Fields["company_id"] != portal.ChoiceRequired {
			t.Errorf("no choice: %v", with.Fields)
		}
		for _, login := range []string{"li.shop", "jinsui", "nophone", "sur"} {
			refused(t, p.HideAccount(t.Context(), signed.Session, p.account(login).ID), portal.NotFound)
		}
		refused(t, p.HideAccount(t.Context(), signed.Session, 1<<40), portal.NotFound)
		for _, number := range []string{"13800000001", "13800000003"} {
			if phone, err := p.db.PhoneByNumber(t.Context(), number); err != nil || phone.DefaultCompanyID != 0 {
				t.Errorf("%s: default %d, %v", number, phone.DefaultCompanyID, err)
			}
		}
		p.wantList(signed.Session, "1001 shop:buyer1")
		p.wantList(victim.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights")
		if s := p.stored(signed, accountHost); s.ChosenCompanyID != 0 {
			t.Errorf("chosen %d", s.ChosenCompanyID)
		}
	})
}

func TestAHiddenAccountIsSignedOutHereAndBackAfterTheNextSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed, other := p.signIn(accountHost, "13800000003"), p.signIn(accountHost, "13800000003")
		gone, stays := p.enter(signed, accountHost, "li.shop", phoneScreen), p.enter(signed, accountHost, "li.manager", phoneScreen)
		goneAt, err := p.redeem(gone, "")
		noError(t, err)
		staysAt, err := p.redeem(stays, "")
		noError(t, err)
		noError(t, p.HideAccount(t.Context(), signed.Session, p.account("li.shop").ID))
		noError(t, p.HideAccount(t.Context(), signed.Session, p.account("li.shop").ID)) // twice is no fault
		p.wantList(signed.Session, "1001 mgr:li.manager", "1002 mgr:sur", "1003 shop:li.lights")
		p.wantList(other.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights")
		_, err = p.landing(gone, goneAt.Token)
		refused(t, err, portal.LoginRequired)
		if _, err := p.landing(stays, staysAt.Token); err != nil {
			t.Errorf("another account was signed out too: %v", err)
		}
		in := p.as("13800000003")
		in.Device = signed.Device
		again, err := p.loginWith(signed.Token, in)
		noError(t, err)
		p.wantList(again.Session, "1001 mgr:li.manager shop:li.shop", "1002 mgr:sur", "1003 shop:li.lights")
	})
}

func TestACompanyWhoseAccountsAreAllHiddenIsNotChosen(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		noError(t, p.HideAccount(t.Context(), signed.Session, p.account("sur").ID))
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1002})
		refused(t, err, portal.NotFound)
		for _, login := range []string{"li.manager", "li.shop", "li.lights"} {
			noError(t, p.HideAccount(t.Context(), signed.Session, p.account(login).ID))
		}
		p.wantList(signed.Session)
		_, err = p.Chosen(t.Context(), signed.Session, 0)
		refused(t, err, portal.NotFound)
	})
}

func TestWithoutAChoiceOnlyAnOnlyCompanyIsChosen(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		chosen, err := p.Chosen(t.Context(), p.signIn(accountHost, "13800000012").Session, 0)
		if err != nil || chosen.Company.ID != 1008 {
			t.Errorf("the only company: %d, %v", chosen.Company.ID, err)
		}
		_, err = p.Chosen(t.Context(), p.signIn(accountHost, "13800000003").Session, 0)
		refused(t, err, portal.NotFound)
	})
}

func TestSixtyCompaniesAreListedInOrderAndSearched(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := store.At(p.clock.now())
		noError(t, p.db.Tx(t.Context(), func(tx *store.DB) error {
			phone, err := tx.AddPhone(t.Context(), store.Phone{Phone: "13900000060", PasswordHash: p.account("buyer1").PasswordHash, CreatedAt: now})
			for i := int64(60); i > 0 && err == nil; i-- {
				c := store.Company{ID: 2000 + i, Name: fmt.Sprintf("Handel %02d", i), Language: "zh", Standing: store.Formal, Mall: store.MallOpen, CreatedAt: now, UpdatedAt: now}
				if _, err = tx.SaveCompany(t.Context(), c); err == nil {
					_, err = tx.AddAccount(t.Context(), store.Account{CompanyID: c.ID, Side: store.Shop, Type: store.TypeShop, Login: fmt.Sprintf("Kunde.%d", i), PhoneID: phone, State: store.AccountActive, CreatedAt: now})
				}
			}
			return err
		}))
		signed := p.signIn(accountHost, "13900000060")
		list := p.list(signed.Session)
		if len(list) != 60 || signed.Step.Kind != portal.StepCompany {
			t.Fatalf("%d companies, step %+v", len(list), signed.Step)
		}
		for i, c := range list {
			if c.Company.ID != int64(2001+i) {
				t.Fatalf("company %d stands at %d", c.Company.ID, i)
			}
		}
		for words, want := range map[string]int{"": 60, "  ": 60, "HANDEL 07": 1, " handel ": 60, "kunde.5": 11, "2042": 1, "nothing": 0, "%": 0, "_": 0, "'": 0, "handel  07": 0} {
			if got := len(portal.Search(list, words)); got != want {
				t.Errorf("%q finds %d, want %d", words, got, want)
			}
		}
		step, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 2060})
		if err != nil || step.Kind != portal.StepEnter {
			t.Errorf("the last one: %+v, %v", step, err)
		}
	})
}

func TestAPersonWhoLostEveryAccountHasAnEmptyList(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	phone, err := p.db.PhoneByNumber(t.Context(), "13800000011")
	noError(t, err)
	p.wantList(store.Session{ID: "s", PhoneID: phone.ID})
	_, err = p.Accounts(t.Context(), store.Session{ID: "s"})
	refused(t, err, portal.LoginRequired)
	_, err = p.Accounts(t.Context(), store.Session{ID: "s", PhoneID: 1 << 40})
	refused(t, err, portal.LoginRequired)
}

func TestContinuingLeadsWhereSigningInWould(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, who := range []string{"13800000001", "13800000003", "13800000012", "buyer1"} {
			signed := p.signIn(accountHost, who)
			if step, err := p.Continue(t.Context(), signed.Session); err != nil || step != signed.Step {
				t.Errorf("%s: %+v, %v, want %+v", who, step, err, signed.Step)
			}
		}
		signed := p.signIn(accountHost, "northwind") // who is first offered to bind a phone
		step, err := p.Continue(t.Context(), signed.Session)
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1003, AccountID: p.account("northwind").ID}); err != nil || step != want {
			t.Errorf("without a phone: %+v, %v", step, err)
		}
		noError(t, p.StopBindReminder(t.Context(), signed.Session, step.AccountID, 0))
		if again := p.signIn(accountHost, "northwind").Step; again != step {
			t.Errorf("not to be reminded: %+v", again)
		}
		signed = p.signIn(accountHost, "buyer1")
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err = p.Continue(t.Context(), signed.Session)
		refused(t, err, portal.AccountDisabled)
	})
}

func TestContinuingEntersNoHiddenAccount(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for who, login := range map[string]string{"13800000001": "buyer1", "northwind": "northwind"} {
			signed := p.signIn(accountHost, who)
			noError(t, p.HideAccount(t.Context(), signed.Session, p.account(login).ID))
			if step, err := p.Continue(t.Context(), signed.Session); err != nil || step != (portal.Step{Kind: portal.StepCompany}) {
				t.Errorf("%s: %+v, %v", who, step, err)
			}
		}
		two := p.signIn(accountHost, "13800000012")
		noError(t, p.HideAccount(t.Context(), two.Session, p.account("trial").ID))
		if step, err := p.Continue(t.Context(), two.Session); err != nil || step.AccountID != p.account("trial.shop").ID {
			t.Errorf("one of two hidden: %+v, %v", step, err)
		}
	})
}

func TestASingleCompanyThatIsOpenNeedsNoChoice(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		both, many := p.list(p.signIn(accountHost, "13800000012").Session), p.list(p.signIn(accountHost, "13800000003").Session)
		if step, only := portal.OnlyStep(both); !only || step != (portal.Step{Kind: portal.StepSide, CompanyID: 1008}) {
			t.Errorf("both sides of one company: %+v, %v", step, only)
		}
		if step, only := portal.OnlyStep(many); only || step != (portal.Step{}) {
			t.Errorf("three companies: %+v, %v", step, only)
		}
		if _, only := portal.OnlyStep(nil); only {
			t.Error("no company needs no choice")
		}
		signed := p.signIn(accountHost, buyerPhone)
		noError(t, p.DisableCompany(t.Context(), 1001))
		if _, only := portal.OnlyStep(p.list(signed.Session)); only {
			t.Error("a blocked company is gone into")
		}
	})
}

func TestTheListNarrowsToTheChosenCompany(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		signed := p.signIn(accountHost, "13800000003")
		_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: signed.Session, CompanyID: 1003})
		noError(t, err)
		s := p.stored(signed, accountHost)
		list := p.list(s)
		if got := listed(portal.ChosenOnly(list, s, false)); !slices.Equal(got, []string{"1003 shop:li.lights"}) {
			t.Errorf("chosen only: %q", got)
		}
		if got := portal.ChosenOnly(list, s, true); len(got) != 3 {
			t.Errorf("all: %q", listed(got))
		}
		if got := portal.ChosenOnly(list, signed.Session, false); len(got) != 3 {
			t.Errorf("nothing chosen: %q", listed(got))
		}
	})
}

func TestChoosingASideLeadsToItsLogins(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		s := p.signIn(accountHost, "13800000012").Session
		for side, login := range map[store.Side]string{store.Mgr: "trial", store.Shop: "trial.shop"} {
			if step, err := p.ChooseSide(t.Context(), s, 0, side); err != nil || step != (portal.Step{Kind: portal.StepEnter, CompanyID: 1008, AccountID: p.account(login).ID}) {
				t.Errorf("%s: %+v, %v", side, step, err)
			}
		}
		for _, side := range []store.Side{"", "both", "SHOP"} {
			_, err := p.ChooseSide(t.Context(), s, 0, side)
			refused(t, err, portal.NotFound)
		}
		p.addAccount("trial.second", 1008, store.Shop, "13800000012")
		if step, err := p.ChooseSide(t.Context(), s, 0, store.Shop); err != nil || step != (portal.Step{Kind: portal.StepAccounts, CompanyID: 1008}) {
			t.Errorf("two logins: %+v, %v", step, err)
		}
		p.setAccountState("trial", store.AccountDisabled)
		_, err := p.ChooseSide(t.Context(), s, 0, store.Mgr)
		refused(t, err, portal.AccountDisabled)
		_, err = p.ChooseSide(t.Context(), p.signIn(accountHost, "13800000003").Session, 0, store.Shop)
		refused(t, err, portal.NotFound) // no company chosen
	})
}

func TestAPersonIsNamedByTheMaskedPhoneOrTheLogin(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	for who, want := range map[string]string{"13800000001": "138****0001", "northwind": "northwind"} {
		if got, err := p.Who(t.Context(), p.signIn(accountHost, who).Session); err != nil || got != want {
			t.Errorf("%s is named %q, %v", who, got, err)
		}
	}
}

func TestANewSessionStartsInTheDefaultCompanyElseTheLastAccountElseAChoice(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		again := func(device string) portal.Step {
			in := p.as(manyPhone)
			in.Device = device
			signed, err := p.login(in)
			noError(t, err)
			return signed.Step
		}
		first := p.signIn(accountHost, manyPhone)
		if first.Step.Kind != portal.StepCompany {
			t.Fatalf("the first session: %+v", first.Step)
		}
		p.enter(first, accountHost, "sur", desktop)
		p.enter(first, accountHost, "li.shop", desktop)
		p.clock.advance(time.Hour)
		newest := p.addAccount("newest", 1002, store.Shop, manyPhone)
		shop, lights := p.account("li.shop"), p.account("li.lights")
		if step := again(first.Device); step != (portal.Step{Kind: portal.StepEnter, CompanyID: 1001, AccountID: shop.ID}) {
			t.Errorf("on this device: %+v, want %d (the newest is %d)", step, shop.ID, newest.ID)
		}
		if step := again(""); step.Kind != portal.StepCompany {
			t.Errorf("on another device: %+v", step)
		}
		noError(t, p.SetDefaultCompany(t.Context(), first.Session, 1003))
		if step := again(first.Device); step != (portal.Step{Kind: portal.StepEnter, CompanyID: 1003, AccountID: lights.ID}) {
			t.Errorf("with a default: %+v", step)
		}
		noError(t, p.SetDefaultCompany(t.Context(), first.Session, 1002)) // two accounts there, and the last one used is elsewhere
		if step := again(first.Device); step.Kind != portal.StepCompany {
			t.Errorf("with a default of several accounts: %+v", step)
		}
		p.enter(first, accountHost, "sur", desktop)
		if step := again(first.Device); step.AccountID != p.account("sur").ID {
			t.Errorf("with the last one used in the default: %+v", step)
		}
		noError(t, p.SetDefaultCompany(t.Context(), first.Session, 1001))
		p.enter(first, accountHost, "li.shop", desktop)
		p.setAccountState("li.shop", store.AccountDisabled)
		if step := again(first.Device); step.AccountID == shop.ID {
			t.Errorf("into a disabled account: %+v", step)
		}
	})
}

func TestANewSessionDoesNotStartInAnAccountRemovedFromTheDevice(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		first := p.signIn(accountHost, manyPhone)
		p.enter(first, accountHost, "li.shop", desktop)
		noError(t, p.HideAccount(t.Context(), first.Session, p.account("li.shop").ID))
		in := p.as(manyPhone)
		in.Device = first.Device
		signed, err := p.login(in)
		noError(t, err)
		if signed.Step.Kind != portal.StepCompany {
			t.Errorf("%+v", signed.Step)
		}
	})
}
