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

// boss is the administrator of 1001 at work.
func (p *platform) boss() portal.Landing {
	p.t.Helper()
	return p.at(p.account("jinsui"))
}

func (p *platform) opens1001(in portal.OpenAccountInput) (portal.OpenedAccount, error) {
	p.t.Helper()
	return p.OpenAccount(p.from(homeAddress), p.boss(), in)
}

// client is a customer of 1001 that is a partner.
func (p *platform) client() int64 { return p.account("buyer1").ClientID }

func TestPeopleAreListedPageByPageAndBySide(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for i := range portal.PeopleShown + 5 {
			p.addAccount(fmt.Sprintf("many%d", i), 1001, store.Shop, "")
		}
		var seen []string
		after, pages := int64(0), 0
		for {
			list, err := p.People(t.Context(), p.boss(), store.Shop, after)
			noError(t, err)
			for _, m := range list.People {
				if m.CompanyID != 1001 || m.Side != store.Shop {
					t.Errorf("%+v", m.Account)
				}
				seen = append(seen, m.Login)
			}
			pages++
			if after = list.More; after == 0 {
				break
			}
		}
		slices.Sort(seen)
		distinct := len(slices.Compact(slices.Clone(seen)))
		isComplete := slices.Contains(seen, "many34") && slices.Contains(seen, "buyer1")
		if pages != 2 || distinct != len(seen) || !isComplete {
			t.Errorf("%d pages, %d of %d distinct", pages, distinct, len(seen))
		}
		mgr, err := p.People(t.Context(), p.boss(), store.Mgr, 0)
		if err != nil || mgr.More != 0 || slices.ContainsFunc(mgr.People, func(m store.Member) bool { return m.Side != store.Mgr }) || len(mgr.People) < 2 {
			t.Errorf("%+v, %v", mgr, err)
		}
	})
}

func TestAnAccountOpenedForAPhoneIsSetUpByItsLink(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened, err := p.opens1001(portal.OpenAccountInput{Side: "shop", Type: 3, Name: " 新采购 ", Phone: "139 1234 5678", ClientID: p.client(), Form: "f1"})
		noError(t, err)
		m := opened.Member
		if !m.Invited || m.Phone != newPhone || m.Name != "新采购" || m.ClientID != p.client() || m.Login == "" || m.PasswordHash != "" || opened.First.Password != "" || portal.PersonStateOf(m) != portal.PersonInvited {
			t.Errorf("%+v", m.Account)
		}
		link, _, err := p.InvitingLink(t.Context(), p.boss(), m.ID)
		noError(t, err)
		token, ok := strings.CutPrefix(link, "http://store1001.portico.test/register/complete?invite=")
		if invitation, valid, err := p.Invitation(t.Context(), token); !ok || !valid || err != nil || invitation.Phone != newPhone || invitation.CompanyID != 1001 {
			t.Errorf("%s: %+v, %v", link, invitation, err)
		}
		noError(t, p.InviteAgain(t.Context(), p.boss(), m.ID))
		if _, err = p.complete(p.provenComplete(1001, newPhone)); err != nil {
			t.Fatal(err)
		}
		_, _, err = p.InvitingLink(t.Context(), p.boss(), m.ID)
		refused(t, err, portal.NotFound)
		refused(t, p.InviteAgain(t.Context(), p.boss(), m.ID), portal.WrongParameters)
		if p.events(1001, "account_opened") != 1 || p.events(1001, "account_invited") != 2 {
			t.Error("what happened is not written down")
		}
	})
}

func TestOpeningAnAccountRefusesWhatDoesNotFit(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		good := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事"}
		before := p.rows("attempts")
		for _, c := range []struct {
			field  string
			want   portal.Problem
			change func(*portal.OpenAccountInput)
		}{
			{"side", portal.ChoiceRequired, func(in *portal.OpenAccountInput) { in.Side = "" }},
			{"side", portal.ChoiceRequired, func(in *portal.OpenAccountInput) { in.Side = "admin" }},
			{"type", portal.ChoiceRequired, func(in *portal.OpenAccountInput) { in.Type = 3 }},
			{"type", portal.ChoiceRequired, func(in *portal.OpenAccountInput) { in.Type = 0 }},
			{"type", portal.ChoiceRequired, func(in *portal.OpenAccountInput) { in.Side, in.ClientName = "shop", "店" }},
			{"name", portal.NameRequired, func(in *portal.OpenAccountInput) { in.Name = " " }},
			{"name", portal.NameMalformed, func(in *portal.OpenAccountInput) { in.Name = "a\u202eb" }},
			{"login", portal.LoginMalformed, func(in *portal.OpenAccountInput) { in.Login = strings.Repeat("a", 41) }},
			{"login", portal.LoginTaken, func(in *portal.OpenAccountInput) { in.Login = " JINSUI " }},
			{"login", portal.LoginTaken, func(in *portal.OpenAccountInput) { in.Login = "sur" }},
			{"phone", portal.PhoneMalformed, func(in *portal.OpenAccountInput) { in.Phone = "1234" }},
			{"client_id", portal.ClientRequired, func(in *portal.OpenAccountInput) { in.Side, in.Type = "shop", 3 }},
			{"client_name", portal.CompanyMalformed, func(in *portal.OpenAccountInput) {
				in.Side, in.Type, in.ClientName = "shop", 3, strings.Repeat("店", 61)
			}},
		} {
			in := good
			c.change(&in)
			_, err := p.opens1001(in)
			field(t, err, c.field, c.want)
		}
		good.Phone = managerPhone
		_, err := p.opens1001(good)
		refused(t, err, portal.PhoneRegistered)
		in := portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.account("li.lights").ClientID}
		_, err = p.opens1001(in) // another company's customer
		refused(t, err, portal.NotFound)
		if p.rows("attempts") != before {
			t.Error("something was written")
		}
	})
}

func TestAnEndedCustomerGetsNoAccounts(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		noError(t, p.EndPartnership(t.Context(), p.boss(), p.client()))
		_, err := p.opens1001(portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.client()})
		field(t, err, "client_id", portal.ClientRequired)
	})
}

func TestAPhoneThatIsKeptExclusiveIsInvitedNowhereElse(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.updateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: "13800000003"}) // sur of 1002, li.manager of 1001
		refused(t, err, portal.PhoneRegistered)
		_, err = p.opens1001(portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", Phone: bothPhone, ClientID: p.client()})
		noError(t, err)
		p.updateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err = p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: bothPhone})
		refused(t, err, portal.PhoneBoundElsewhere)
	})
}

// An account that a company opens for somebody who has not accepted it must not take the phone away from others.
func TestAnAccountNobodyAcceptedKeepsNoPhoneFromOthers(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1008, "invited", newPhone)
		p.updateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: newPhone})
		noError(t, err)
		_, in, _ := p.proven("northwind", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		_, err = p.bind(in)
		noError(t, err)
		noError(t, p.db.SetUpAccount(t.Context(), 1008, p.account("invited").ID, phoneOf(t, p.db, newPhone).ID, "谁"))
		_, err = p.opens1001(portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", Phone: newPhone, ClientID: p.client()})
		refused(t, err, portal.PhoneBoundElsewhere)
	})
}

func TestANewCustomersNameMakesTheCustomer(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		opened, err := p.opens1001(portal.OpenAccountInput{Side: "shop", Type: 3, Name: "老板", ClientName: "新店"})
		noError(t, err)
		detail, err := p.Customer(t.Context(), p.boss(), opened.Member.ClientID, "zh")
		if err != nil || detail.Name != "新店" || detail.Contact != "老板" || detail.State != store.ClientPartner || len(detail.Accounts) != 1 || detail.Accounts[0].ID != opened.Member.ID {
			t.Errorf("%+v, %v", detail, err)
		}
	})
}

func TestTheSameFormOpensOneAccount(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		in := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Form: portal.NewForm()}
		results := make([]portal.OpenedAccount, 4)
		together(len(results), func(i int) {
			var err error
			if results[i], err = p.opens1001(in); err != nil {
				t.Error(err)
			}
		})
		made := slices.DeleteFunc(slices.Clone(results), func(r portal.OpenedAccount) bool { return r.Before })
		if len(made) != 1 || p.events(1001, "account_opened") != 1 || made[0].First.Password == "" {
			t.Fatalf("%d were opened", len(made))
		}
		for _, r := range results {
			if r.Member.ID != made[0].Member.ID || r.Before == (r.First.Password != "") {
				t.Errorf("%+v", r)
			}
		}
		p.restart(func(o *portal.Options) { o.NoLimit = false })
		for range portal.FirstPasswordsAnHour { // a repetition succeeds after the limit too
			_, err := p.db.RaiseAttempts(t.Context(), "first passwords:1001", store.At(p.clock.now()),
				store.At(p.clock.now())-1000)
			noError(t, err)
		}
		if again, err := p.opens1001(in); err != nil || again.Member.ID != made[0].Member.ID || !again.Before {
			t.Errorf("%+v, %v", again, err)
		}
	})
}

func TestTheSameAccountAgainNeedsAConfirmation(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := portal.OpenAccountInput{Side: "shop", Type: 3, Name: "新采购", ClientID: p.client()}
		first, err := p.opens1001(in)
		noError(t, err)
		accounts, clients := p.counted("accounts"), 0
		asked, err := p.opens1001(in)
		field(t, err, "name", portal.OpenedJustNow)
		if asked.Earlier.ID != first.Member.ID || asked.First.Password != "" || p.counted("accounts") != accounts {
			t.Errorf("something was written, or %d is asked about", asked.Earlier.ID)
		}
		for name, change := range map[string]func(*portal.OpenAccountInput){
			"another name":     func(in *portal.OpenAccountInput) { in.Name = "别人" },
			"another side":     func(in *portal.OpenAccountInput) { in.Side, in.Type, in.ClientID = "mgr", 2, 0 },
			"another customer": func(in *portal.OpenAccountInput) { in.ClientID, in.ClientName = 0, "新店" },
		} {
			other := in
			change(&other)
			if _, err := p.opens1001(other); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			_, err := p.opens1001(other)
			field(t, err, "name", portal.OpenedJustNow)
		}
		all, err := p.Customers(t.Context(), p.boss(), 0, "zh")
		noError(t, err)
		for _, k := range all.Customers {
			if k.Name == "新店" {
				clients++
			}
		}
		second, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		noError(t, err)
		if _, err := p.OpenAccount(p.from(homeAddress), p.at(second.Member), in); err != nil {
			t.Errorf("another administrator: %v", err)
		}
		if clients != 1 {
			t.Errorf("%d customers of one name", clients)
		}
		meant := in
		meant.Again = true
		again, err := p.opens1001(meant)
		if err != nil || again.Member.ID == first.Member.ID {
			t.Errorf("%+v, %v", again, err)
		}
		p.clock.advance(portal.OpenedAgain)
		_, err = p.opens1001(in)
		noError(t, err)
	})
}

func TestAnAccountThatCannotBeOpenedIsRefusedWithoutAQuestion(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		named := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "小李", Login: "xiaoli"}
		phoned := portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "小王", Phone: newPhone}
		for _, in := range []portal.OpenAccountInput{named, phoned} {
			_, err := p.opens1001(in)
			noError(t, err)
		}
		_, err := p.opens1001(named)
		field(t, err, "login", portal.LoginTaken)
		_, err = p.opens1001(phoned)
		refused(t, err, portal.PhoneRegistered)
	})
}

func TestTwoTabsThatOpenTheSameAccountAtOnceOpenOne(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		results := make([]error, 4)
		together(len(results), func(i int) {
			_, results[i] = p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事",
				Form: portal.NewForm()})
		})
		asked := slices.DeleteFunc(results, func(err error) bool { return err == nil })
		if len(asked) != 3 || p.events(1001, "account_opened") != 1 {
			t.Errorf("%d were asked, %d opened", len(asked), p.events(1001, "account_opened"))
		}
		for _, err := range asked {
			field(t, err, "name", portal.OpenedJustNow)
		}
	})
}

func TestMadeUpLoginsDoNotMeet(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		seen := map[string]bool{}
		for range 3 {
			opened, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Again: true})
			noError(t, err)
			seen[opened.Member.Login] = true
		}
		if len(seen) != 3 {
			t.Errorf("%v", seen)
		}
	})
}

func TestACompanyOpensSoManyAccountsADay(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.NoLimit = false })
		for range portal.AccountsOpened {
			_, err := p.db.RaiseAttempts(t.Context(), "opened:1001", store.At(p.clock.now()), store.At(p.clock.now())-1000)
			noError(t, err)
		}
		_, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事"})
		refused(t, err, portal.TooManyAttempts)
	})
}

// Disabling ends all by which the account is entered, at once: sides, tokens, codes that wait.
func TestDisablingEndsEverySideTokenAndCodeOfTheAccount(t *testing.T) {
	for _, c := range []struct {
		login  string
		device portal.Device
		slot   store.Slot
	}{
		{"li.manager", phoneScreen, store.MobileMgr}, {"li.manager", desktop, store.PCMgr},
		{"buyer1", phoneScreen, store.MobileShop}, {"buyer1", desktop, store.PCShop},
	} {
		t.Run(string(c.slot), func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				m := p.account(c.login)
				byName := p.signIn(accountHost, c.login)
				inside := p.enter(byName, accountHost, c.login, c.device)
				landed, err := p.redeem(inside, "")
				noError(t, err)
				if inside.Slot != c.slot {
					t.Fatal(inside.Slot)
				}
				person := p.open(m.Phone, c.login)
				byPhone := p.enter(person.signed, accountHost, c.login, c.device)
				program, err := p.RedeemForClient(p.from(homeAddress), p.enter(person.signed, accountHost, c.login, c.device).Code, portal.ClientApp, 0)
				noError(t, err)
				waiting := p.enter(byName, accountHost, c.login, c.device)
				code := p.withCode(m.Phone, "", portal.NewFlow())
				ask := p.asking(portal.ForLogin, m.Phone, code.Flow)
				ask.Place = p.place("store1001.portico.test")
				code.Code, code.Place = p.sent(ask), ask.Place

				noError(t, p.DisablePerson(p.from(homeAddress), p.boss(), m.ID))
				_, err = p.landing(inside, landed.Token)
				refused(t, err, portal.LoginRequired)
				refused(t, p.signedIn(byName.Token, accountHost), portal.LoginRequired)
				for _, d := range []portal.Destination{waiting, byPhone, person.waiting} {
					_, err = p.redeem(d, "")
					refused(t, err, portal.RedirectFailed)
				}
				for _, token := range []string{person.token, string(program.Token)} {
					_, err = p.tokenSession(token)
					refused(t, err, portal.LoginRequired)
				}
				_, err = p.codeLogin(code)
				refused(t, err, portal.CodeExpired)
				_, err = p.Enter(p.from(homeAddress), portal.EnterInput{Session: person.signed.Session, AccountID: m.ID, Place: p.place(accountHost), Device: c.device})
				refused(t, err, portal.AccountDisabled)
				_, err = p.login(p.as(c.login))
				refused(t, err, portal.AccountDisabled)
				if p.signedIn(person.signed.Token, accountHost) != nil {
					t.Error("the person is signed out of other companies, too")
				}
				if p.events(1001, "account_disabled") != 1 {
					t.Error("it is not written down")
				}

				noError(t, p.EnablePerson(p.from(homeAddress), p.boss(), m.ID))
				_, err = p.landing(inside, landed.Token)
				refused(t, err, portal.LoginRequired) // nothing comes back
				p.enter(p.signIn(accountHost, c.login), accountHost, c.login, c.device)
				if p.events(1001, "account_enabled") != 1 {
					t.Error("it is not written down")
				}
			})
		})
	}
}

func TestDisablingTwiceIsWrittenDownOnce(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.account("buyer1")
		for range 2 {
			noError(t, p.DisablePerson(t.Context(), p.boss(), m.ID))
		}
		for range 2 {
			noError(t, p.EnablePerson(t.Context(), p.boss(), m.ID))
		}
		if p.events(1001, "account_disabled") != 1 || p.events(1001, "account_enabled") != 1 {
			t.Error("more is written down than was done")
		}
	})
}

func TestNobodyLocksThemselvesOut(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.boss()
		field(t, p.DisablePerson(t.Context(), boss, boss.Member.ID), "action", portal.LastAdministrator)
		_, err := p.GiveFirstPassword(t.Context(), boss, boss.Member.ID, "")
		field(t, err, "action", portal.OwnAccount)
		_, err = p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "受邀", Phone: newPhone})
		noError(t, err)
		field(t, p.DisablePerson(t.Context(), boss, boss.Member.ID), "action", portal.LastAdministrator) // the invited one is not there yet
		_, err = p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		noError(t, err)
		field(t, p.DisablePerson(t.Context(), boss, boss.Member.ID), "action", portal.OwnAccount)
	})
}

func TestOfTwoAdministratorsWhoDisableEachOtherOneStays(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		opened, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		noError(t, err)
		two := []portal.Landing{p.boss(), p.at(opened.Member)}
		errs := make([]error, 2)
		together(2, func(i int) { errs[i] = p.DisablePerson(t.Context(), two[i], two[1-i].Member.ID) })
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), portal.AccountDisabled) {
			t.Errorf("%v", errs)
		}
		left := 0
		for _, but := range two {
			has, err := p.db.HasAdministrator(t.Context(), 1001, but.Member.ID, store.At(p.clock.now()))
			noError(t, err)
			if has {
				left++
			}
		}
		if left != 1 {
			t.Errorf("%d are left", left)
		}
	})
}

func TestEnablingApprovesWhatIsUnderReviewButNotOnesOwn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.addAccount("waiting", 1001, store.Shop, "")
		p.setAccountState("waiting", store.AccountUnderReview)
		noError(t, p.EnablePerson(t.Context(), p.boss(), m.ID))
		if p.account("waiting").State != store.AccountActive {
			t.Error("it waits on")
		}
		own := p.addAccount("own.shop", 1001, store.Shop, managerPhone)
		p.setAccountState("own.shop", store.AccountUnderReview)
		refused(t, p.EnablePerson(t.Context(), p.boss(), own.ID), portal.Forbidden)
	})
}

func TestAnotherCompanysPeopleAndCustomersAreNotFoundAndNothingChanges(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		invited := p.invites(1001, "invited", newPhone)
		before, counts := p.rows("attempts"), p.counted("attempts")
		for _, here := range []portal.Landing{p.at(p.account("sur")), p.at(p.account("northwind"))} {
			for _, id := range []int64{p.account("buyer1").ID, p.account("li.manager").ID, invited.ID, 0, -1, 1 << 40} {
				_, err := p.PersonHere(t.Context(), here, id)
				refused(t, err, portal.NotFound)
				_, _, err = p.InvitingLink(t.Context(), here, id)
				refused(t, err, portal.NotFound)
				_, err = p.GiveFirstPassword(t.Context(), here, id, "")
				refused(t, err, portal.NotFound)
				refused(t, p.EnablePerson(t.Context(), here, id), portal.NotFound)
				refused(t, p.DisablePerson(t.Context(), here, id), portal.NotFound)
				refused(t, p.InviteAgain(t.Context(), here, id), portal.NotFound)
			}
			for _, id := range []int64{p.client(), 0, -1, 1 << 40} {
				_, err := p.Customer(t.Context(), here, id, "zh")
				refused(t, err, portal.NotFound)
				refused(t, p.EndPartnership(t.Context(), here, id), portal.NotFound)
				refused(t, p.ResumePartnership(t.Context(), here, id), portal.NotFound)
				if id == 0 {
					continue
				}
				_, err = p.OpenAccount(t.Context(), here, portal.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: id})
				refused(t, err, portal.NotFound)
			}
		}
		if p.rows("attempts") != before || p.counted("attempts") != counts {
			t.Error("something was written")
		}
	})
}

func TestEndingACustomerEndsItsAccountsAndResumingLetsThemInAgain(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("buyer1")
		o := p.open("buyer1", "buyer1")
		other := p.open("li.manager", "li.manager")
		noError(t, p.EndPartnership(p.from(homeAddress), p.boss(), m.ClientID))
		p.wantLives("of the customer", o, "")
		p.wantLives("of others", other, everything)
		_, err := p.login(p.as("buyer1"))
		refused(t, err, portal.PartnerEnded)
		noError(t, p.EndPartnership(p.from(homeAddress), p.boss(), m.ClientID))
		noError(t, p.ResumePartnership(p.from(homeAddress), p.boss(), m.ClientID))
		p.signIn(accountHost, "buyer1")
		if p.events(1001, "customer_ended") != 1 || p.events(1001, "customer_resumed") != 1 {
			t.Error("what happened is not written down, or twice")
		}
	})
}

func TestCustomersAreListedPageByPage(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.founded("zh")
		for range portal.CustomersShown + 1 {
			p.customerOf(m.CompanyID)
		}
		first, err := p.Customers(t.Context(), p.at(m), 0, "zh")
		noError(t, err)
		rest, err := p.Customers(t.Context(), p.at(m), first.More, "zh")
		noError(t, err)
		if len(first.Customers) != portal.CustomersShown || first.Count != portal.CustomersShown+1 ||
			len(rest.Customers) != 1 || rest.Customers[0].ID <= first.More || rest.More != 0 {
			t.Errorf("%d, then %d of %d", len(first.Customers), len(rest.Customers), first.Count)
		}
	})
}

func TestWhoLostTheRightAMomentAgoDoesNothingMore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		boss := p.boss()
		p.setAccountState("jinsui", store.AccountDisabled)
		before := p.rows("attempts")
		refused(t, p.DisablePerson(t.Context(), boss, p.account("buyer1").ID), portal.AccountDisabled)
		_, err := p.OpenAccount(t.Context(), boss, portal.OpenAccountInput{Side: "mgr", Type: 1, Name: "谁"})
		refused(t, err, portal.AccountDisabled)
		refused(t, p.EndPartnership(t.Context(), boss, p.client()), portal.AccountDisabled)
		if p.rows("attempts") != before {
			t.Error("something was written")
		}
		p.clock.advance(time.Second)
	})
}
