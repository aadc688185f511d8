package office_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/lists"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
)

func TestPeopleAreListedPageByPageAndBySide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range 35 {
			companytest.AddAccount(p, fmt.Sprintf("many%d", i), 1001, store.Shop, "")
		}
		var seen []string
		after, pages := int64(0), 0
		for {
			list, err := p.Backoffice.People(t.Context(), p.Administrator(), store.Shop, after)
			portaltest.NoError(t, err)
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
		mgr, err := p.Backoffice.People(t.Context(), p.Administrator(), store.Mgr, 0)
		if err != nil || mgr.More != 0 ||
			slices.ContainsFunc(mgr.People, func(m store.Member) bool { return m.Side != store.Mgr }) ||
			len(mgr.People) < 2 {
			t.Errorf("%+v, %v", mgr, err)
		}
	})
}

func TestAnAccountOpenedForAPhoneIsSetUpByItsLink(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened, err := companytest.OpenAccount(p.Platform, office.OpenAccountInput{
			Side:     "shop",
			Type:     3,
			Name:     " 新采购 ",
			Phone:    "139 1234 5678",
			ClientID: companytest.PartnerID(p.Platform),
			Form:     "f1",
		})
		portaltest.NoError(t, err)
		m := opened.Member
		if !m.Invited || m.Phone != portaltest.NewPhone || m.Name != "新采购" ||
			m.ClientID != companytest.PartnerID(p.Platform) ||
			m.Login == "" || m.PasswordHash != "" ||
			opened.First.Password != "" ||
			office.PersonStateOf(m) != office.PersonInvited {
			t.Errorf("%+v", m.Account)
		}
		link, _, err := p.Backoffice.InvitingLink(t.Context(), p.Administrator(), m.ID)
		portaltest.NoError(t, err)
		token, ok := strings.CutPrefix(link, "http://store1001.portico.test/register/complete?invite=")
		if invitation, valid, err := p.Credentials.Invitation(t.Context(), token); !ok || !valid || err != nil ||
			invitation.Phone != portaltest.NewPhone || invitation.CompanyID != 1001 {
			t.Errorf("%s: %+v, %v", link, invitation, err)
		}
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), p.Administrator(), m.ID))
		if _, err = onboardingtest.Complete(
			p, onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone),
		); err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Backoffice.InvitingLink(t.Context(), p.Administrator(), m.ID)
		portaltest.Refused(t, err, access.NotFound)
		portaltest.Refused(t, p.Backoffice.InviteAgain(t.Context(), p.Administrator(), m.ID), access.WrongParameters)
		if p.CountEvents(1001, "account_opened") != 1 || p.CountEvents(1001, "account_invited") != 2 {
			t.Error("what happened is not written down")
		}
	})
}

func TestOpeningAnAccountRefusesInvalidInput(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		good := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事"}
		before := p.DumpRows("attempts")
		for _, c := range []struct {
			field  string
			want   access.Problem
			change func(*office.OpenAccountInput)
		}{
			{"side", access.ChoiceRequired, func(in *office.OpenAccountInput) { in.Side = "" }},
			{"side", access.ChoiceRequired, func(in *office.OpenAccountInput) { in.Side = "admin" }},
			{"type", access.ChoiceRequired, func(in *office.OpenAccountInput) { in.Type = 3 }},
			{"type", access.ChoiceRequired, func(in *office.OpenAccountInput) { in.Type = 0 }},
			{
				"type", access.ChoiceRequired,
				func(in *office.OpenAccountInput) { in.Side, in.ClientName = "shop", "店" },
			},
			{"name", access.NameRequired, func(in *office.OpenAccountInput) { in.Name = " " }},
			{"name", access.NameMalformed, func(in *office.OpenAccountInput) { in.Name = "a\u0007b" }},
			{
				"login", access.LoginMalformed,
				func(in *office.OpenAccountInput) { in.Login = strings.Repeat("a", 41) },
			},
			{"login", access.LoginTaken, func(in *office.OpenAccountInput) { in.Login = " JINSUI " }},
			{"login", access.LoginTaken, func(in *office.OpenAccountInput) { in.Login = "sur" }},
			{"phone", access.PhoneMalformed, func(in *office.OpenAccountInput) { in.Phone = "1234" }},
			{
				"client_id", access.ClientRequired,
				func(in *office.OpenAccountInput) { in.Side, in.Type = "shop", 3 },
			},
			{"client_name", access.CompanyMalformed, func(in *office.OpenAccountInput) {
				in.Side, in.Type, in.ClientName = "shop", 3, strings.Repeat("店", 61)
			}},
		} {
			in := good
			c.change(&in)
			_, err := companytest.OpenAccount(p, in)
			portaltest.WantField(t, err, c.field, c.want)
		}
		good.Phone = portaltest.ManagerPhone
		_, err := companytest.OpenAccount(p, good)
		portaltest.Refused(t, err, access.PhoneRegistered)
		in := office.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.Account("li.lights").ClientID}
		_, err = companytest.OpenAccount(p, in) // another company's customer
		portaltest.Refused(t, err, access.NotFound)
		if p.DumpRows("attempts") != before {
			t.Error("something was written")
		}
	})
}

func TestAnEndedCustomerGetsNoAccounts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Backoffice.EndPartnership(t.Context(), p.Administrator(), companytest.PartnerID(p)))
		_, err := companytest.OpenAccount(
			p, office.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: companytest.PartnerID(p)},
		)
		portaltest.WantField(t, err, "client_id", access.ClientRequired)
	})
}

func TestAnExclusivePhoneIsInvitedByNoOtherCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		// sur of 1002, li.manager of 1001
		_, err := companytest.OpenAccount(
			p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: "13800000003"},
		)
		portaltest.Refused(t, err, access.PhoneRegistered)
		_, err = companytest.OpenAccount(p, office.OpenAccountInput{
			Side: "shop", Type: 3, Name: "谁", Phone: portaltest.BothPhone, ClientID: companytest.PartnerID(p),
		})
		portaltest.NoError(t, err)
		p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err = companytest.OpenAccount(
			p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.BothPhone},
		)
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
	})
}

// An account that a company opened and its holder has not accepted must not take the phone away from others.
func TestAnUnacceptedAccountDoesNotMakeItsPhoneExclusive(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1008, "invited", portaltest.NewPhone)
		p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := companytest.OpenAccount(
			p.Platform, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.NewPhone},
		)
		portaltest.NoError(t, err)
		_, in, _ := credentialtest.ProveBind(p, "northwind", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		portaltest.NoError(
			t,
			p.DB.Accounts.SetUp(
				t.Context(), 1008, p.Account("invited").ID, portaltest.PersonOf(t, p.DB, portaltest.NewPhone).ID, "谁",
			),
		)
		_, err = companytest.OpenAccount(p.Platform, office.OpenAccountInput{
			Side: "shop", Type: 3, Name: "谁", Phone: portaltest.NewPhone, ClientID: companytest.PartnerID(p.Platform),
		})
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
	})
}

func TestANewCustomersNameCreatesTheCustomer(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := companytest.OpenAccount(
			p, office.OpenAccountInput{Side: "shop", Type: 3, Name: "老板", ClientName: "新店"},
		)
		portaltest.NoError(t, err)
		detail, err := p.Backoffice.Customer(t.Context(), p.Administrator(), opened.Member.ClientID)
		if err != nil || detail.Name != "新店" || detail.Contact != "老板" || detail.State != store.ClientPartner ||
			len(detail.Accounts) != 1 || detail.Accounts[0].ID != opened.Member.ID {
			t.Errorf("%+v, %v", detail, err)
		}
	})
}

func TestSendingAFormTwiceOpensOneAccount(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		in := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Form: shop.NewForm()}
		results := make([]office.OpenedAccount, 4)
		portaltest.Together(len(results), func(i int) {
			var err error
			if results[i], err = companytest.OpenAccount(p, in); err != nil {
				t.Error(err)
			}
		})
		made := slices.DeleteFunc(slices.Clone(results), func(r office.OpenedAccount) bool { return r.Before })
		if len(made) != 1 || p.CountEvents(1001, "account_opened") != 1 || made[0].First.Password == "" {
			t.Fatalf("%d were opened", len(made))
		}
		for _, r := range results {
			if r.Member.ID != made[0].Member.ID || r.Before == (r.First.Password != "") {
				t.Errorf("%+v", r)
			}
		}
		p.Restart(func(o *portal.Options) { o.NoLimit = false })
		for range credentials.FirstPasswordsAnHour { // a repetition succeeds after the limit too
			_, err := p.DB.Attempts.Raise(t.Context(), "first passwords:1001", store.At(p.Clock.Now()),
				store.At(p.Clock.Now())-1000)
			portaltest.NoError(t, err)
		}
		if again, err := companytest.OpenAccount(p, in); err != nil || again.Member.ID != made[0].Member.ID ||
			!again.Before {
			t.Errorf("%+v, %v", again, err)
		}
	})
}

func TestOpeningTheSameAccountAgainNeedsAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := office.OpenAccountInput{Side: "shop", Type: 3, Name: "新采购", ClientID: companytest.PartnerID(p)}
		first, err := companytest.OpenAccount(p, in)
		portaltest.NoError(t, err)
		accounts, clients := p.CountRows("accounts"), 0
		asked, err := companytest.OpenAccount(p, in)
		portaltest.WantField(t, err, "name", access.OpenedJustNow)
		if asked.Earlier.ID != first.Member.ID || asked.First.Password != "" || p.CountRows("accounts") != accounts {
			t.Errorf("something was written, or %d is asked about", asked.Earlier.ID)
		}
		for name, change := range map[string]func(*office.OpenAccountInput){
			"another name":     func(in *office.OpenAccountInput) { in.Name = "别人" },
			"another side":     func(in *office.OpenAccountInput) { in.Side, in.Type, in.ClientID = "mgr", 2, 0 },
			"another customer": func(in *office.OpenAccountInput) { in.ClientID, in.ClientName = 0, "新店" },
		} {
			other := in
			change(&other)
			if _, err := companytest.OpenAccount(p, other); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			_, err := companytest.OpenAccount(p, other)
			portaltest.WantField(t, err, "name", access.OpenedJustNow)
		}
		all, err := p.Lists.Customers.Page(t.Context(), p.Administrator(), lists.Input{}, "zh")
		portaltest.NoError(t, err)
		for _, k := range all.Rows {
			if k.Name == "新店" {
				clients++
			}
		}
		second, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		if _, err := p.Backoffice.OpenAccount(
			p.From(portaltest.HomeAddress), p.LandingFor(second.Member), in,
		); err != nil {
			t.Errorf("another administrator: %v", err)
		}
		if clients != 1 {
			t.Errorf("%d customers of one name", clients)
		}
		meant := in
		meant.Again = true
		again, err := companytest.OpenAccount(p, meant)
		if err != nil || again.Member.ID == first.Member.ID {
			t.Errorf("%+v, %v", again, err)
		}
		p.Clock.Advance(5*time.Minute - time.Millisecond)
		_, err = companytest.OpenAccount(p, in)
		portaltest.WantField(t, err, "name", access.OpenedJustNow)
		p.Clock.Advance(time.Millisecond)
		_, err = companytest.OpenAccount(p, in)
		portaltest.NoError(t, err)
	})
}

func TestFiveHundredCustomersAreOfferedWhenAnAccountIsOpened(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.DB.Tx(t.Context(), func(tx *store.DB) error {
			for i := range 501 {
				_, err := tx.Clients.Add(t.Context(), store.Client{
					CompanyID: 1001, Name: fmt.Sprint("customer ", i), State: store.ClientPartner, CreatedAt: 1,
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		if all, err := p.Backoffice.Partners(t.Context(), p.Administrator()); err != nil || len(all) != 500 {
			t.Errorf("%d customers, %v", len(all), err)
		}
	})
}

func TestAnAccountThatCannotBeOpenedIsRefusedWithoutAskingForAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		named := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "小李", Login: "xiaoli"}
		phoned := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "小王", Phone: portaltest.NewPhone}
		for _, in := range []office.OpenAccountInput{named, phoned} {
			_, err := companytest.OpenAccount(p, in)
			portaltest.NoError(t, err)
		}
		_, err := companytest.OpenAccount(p, named)
		portaltest.WantField(t, err, "login", access.LoginTaken)
		_, err = companytest.OpenAccount(p, phoned)
		portaltest.Refused(t, err, access.PhoneRegistered)
	})
}

func TestTwoTabsThatOpenTheSameAccountAtOnceOpenOne(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		results := make([]error, 4)
		portaltest.Together(len(results), func(i int) {
			_, results[i] = companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事",
				Form: shop.NewForm()})
		})
		asked := slices.DeleteFunc(results, func(err error) bool { return err == nil })
		if len(asked) != 3 || p.CountEvents(1001, "account_opened") != 1 {
			t.Errorf("%d were asked, %d opened", len(asked), p.CountEvents(1001, "account_opened"))
		}
		for _, err := range asked {
			portaltest.WantField(t, err, "name", access.OpenedJustNow)
		}
	})
}

func TestGeneratedAccountNamesDoNotCollide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		seen := map[string]bool{}
		for range 3 {
			opened, err := companytest.OpenAccount(
				p, office.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Again: true},
			)
			portaltest.NoError(t, err)
			seen[opened.Member.Login] = true
		}
		if len(seen) != 3 {
			t.Errorf("%v", seen)
		}
	})
}

func TestAccountsThatACompanyOpensAreLimitedPerDay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.NoLimit = false })
		for standing, most := range map[store.Standing]int{store.Trial: 200, store.Formal: 2000} {
			here := p.Administrator()
			here.Member.Company.Standing = standing
			p.Clock.Advance(access.Day)
			now := store.At(p.Clock.Now())
			for range most - 1 {
				_, err := p.DB.Attempts.Raise(t.Context(), "opened:1001", now, now-1000)
				portaltest.NoError(t, err)
			}
			taken := office.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.ManagerPhone}
			_, err := p.Backoffice.OpenAccount(p.From(portaltest.HomeAddress), here, taken)
			portaltest.Refused(t, err, access.PhoneRegistered) // a refused one counts
			_, err = p.Backoffice.OpenAccount(p.From(portaltest.HomeAddress), here, taken)
			portaltest.Refused(t, err, access.TooManyAttempts)
		}
	})
}

// Disabling ends all by which the account is entered, at once: sides, tokens, codes that wait.
func TestDisablingAnAccountEndsEverySideTokenAndCode(t *testing.T) {
	for _, c := range []struct {
		login  string
		device access.Device
		slot   store.Slot
	}{
		{"li.manager", portaltest.PhoneScreen, store.MobileMgr}, {"li.manager", portaltest.Desktop, store.PCMgr},
		{"buyer1", portaltest.PhoneScreen, store.MobileShop}, {"buyer1", portaltest.Desktop, store.PCShop},
	} {
		t.Run(string(c.slot), func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				m := p.Account(c.login)
				byName := p.SignIn(portaltest.AccountHost, c.login)
				inside := p.Enter(byName, portaltest.AccountHost, c.login, c.device)
				landed, err := p.Redeem(inside, "")
				portaltest.NoError(t, err)
				if inside.Slot != c.slot {
					t.Fatal(inside.Slot)
				}
				person := credentialtest.SignInEverywhere(p, m.Phone, c.login)
				byPhone := p.Enter(person.Signed, portaltest.AccountHost, c.login, c.device)
				program, err := p.Landing.RedeemForClient(
					p.From(portaltest.HomeAddress),
					p.Enter(person.Signed, portaltest.AccountHost, c.login, c.device).Code, signin.ClientApp, 0,
				)
				portaltest.NoError(t, err)
				waiting := p.Enter(byName, portaltest.AccountHost, c.login, c.device)
				code := p.CodeLoginInput(m.Phone, "", core.NewFlow())
				ask := p.CodeRequest(core.ForLogin, m.Phone, code.Flow)
				ask.Place = p.Place("store1001.portico.test")
				code.Code, code.Place = p.ReceiveCode(ask), ask.Place

				portaltest.NoError(
					t, p.Backoffice.DisablePerson(p.From(portaltest.HomeAddress), p.Administrator(), m.ID),
				)
				_, err = p.LandingAt(inside, landed.Token)
				portaltest.Refused(t, err, access.LoginRequired)
				portaltest.Refused(t, p.RequestSignedIn(byName.Token, portaltest.AccountHost), access.LoginRequired)
				for _, d := range []signin.Redirect{waiting, byPhone, person.Waiting} {
					_, err = p.Redeem(d, "")
					portaltest.Refused(t, err, access.RedirectFailed)
				}
				for _, token := range []string{person.Token, string(program.Token)} {
					_, err = credentialtest.TokenSession(p, token)
					portaltest.Refused(t, err, access.LoginRequired)
				}
				_, err = p.CodeLogin(code)
				portaltest.Refused(t, err, access.CodeExpired)
				_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
					Session: person.Signed.Session, AccountID: m.ID, Place: p.Place(portaltest.AccountHost),
					Device: c.device,
				})
				portaltest.Refused(t, err, access.AccountDisabled)
				_, err = p.Login(p.LoginInput(c.login))
				portaltest.Refused(t, err, access.AccountDisabled)
				if p.RequestSignedIn(person.Signed.Token, portaltest.AccountHost) != nil {
					t.Error("the person is signed out of other companies, too")
				}
				if p.CountEvents(1001, "account_disabled") != 1 {
					t.Error("it is not written down")
				}

				portaltest.NoError(
					t, p.Backoffice.EnablePerson(p.From(portaltest.HomeAddress), p.Administrator(), m.ID),
				)
				_, err = p.LandingAt(inside, landed.Token)
				portaltest.Refused(t, err, access.LoginRequired) // nothing comes back
				p.Enter(p.SignIn(portaltest.AccountHost, c.login), portaltest.AccountHost, c.login, c.device)
				if p.CountEvents(1001, "account_enabled") != 1 {
					t.Error("it is not written down")
				}
			})
		})
	}
}

func TestDisablingTwiceLogsOneAuditEvent(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Account("buyer1")
		for range 2 {
			portaltest.NoError(t, p.Backoffice.DisablePerson(t.Context(), p.Administrator(), m.ID))
		}
		for range 2 {
			portaltest.NoError(t, p.Backoffice.EnablePerson(t.Context(), p.Administrator(), m.ID))
		}
		if p.CountEvents(1001, "account_disabled") != 1 || p.CountEvents(1001, "account_enabled") != 1 {
			t.Error("more is written down than was done")
		}
	})
}

func TestAnAdministratorCannotDisableOrResetTheirOwnAccount(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Administrator()
		portaltest.WantField(
			t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.LastAdministrator,
		)
		_, err := p.Backoffice.GiveFirstPassword(t.Context(), boss, boss.Member.ID, "")
		portaltest.WantField(t, err, "action", access.OwnAccount)
		_, err = companytest.OpenAccount(
			p, office.OpenAccountInput{Side: "mgr", Type: 1, Name: "受邀", Phone: portaltest.NewPhone},
		)
		portaltest.NoError(t, err)
		// the invited one is not there yet
		portaltest.WantField(
			t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.LastAdministrator,
		)
		_, err = companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		portaltest.WantField(
			t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.OwnAccount,
		)
	})
}

func TestTwoAdministratorsCannotBothDisableEachOther(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := companytest.OpenAccount(p, office.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		two := []access.Landing{p.Administrator(), p.LandingFor(opened.Member)}
		errs := make([]error, 2)
		portaltest.Together(
			2, func(i int) { errs[i] = p.Backoffice.DisablePerson(t.Context(), two[i], two[1-i].Member.ID) },
		)
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), access.AccountDisabled) {
			t.Errorf("%v", errs)
		}
		left := 0
		for _, but := range two {
			has, err := p.DB.Accounts.HasAdministrator(t.Context(), 1001, but.Member.ID, store.At(p.Clock.Now()))
			portaltest.NoError(t, err)
			if has {
				left++
			}
		}
		if left != 1 {
			t.Errorf("%d are left", left)
		}
	})
}

func TestEnablingApprovesAnAccountUnderReviewExceptOnesOwn(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddAccount(p, "waiting", 1001, store.Shop, "")
		p.SetAccountState("waiting", store.AccountUnderReview)
		portaltest.NoError(t, p.Backoffice.EnablePerson(t.Context(), p.Administrator(), m.ID))
		if p.Account("waiting").State != store.AccountActive {
			t.Error("it waits on")
		}
		own := companytest.AddAccount(p, "own.shop", 1001, store.Shop, portaltest.ManagerPhone)
		p.SetAccountState("own.shop", store.AccountUnderReview)
		portaltest.Refused(t, p.Backoffice.EnablePerson(t.Context(), p.Administrator(), own.ID), access.Forbidden)
	})
}

func TestAnotherCompanysPeopleAndCustomersAreNotFoundOrChanged(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		invited := companytest.AddOffer(p, 1001, "invited", portaltest.NewPhone)
		before, counts := p.DumpRows("attempts"), p.CountRows("attempts")
		for _, here := range []access.Landing{p.LandingFor(p.Account("sur")), p.LandingFor(p.Account("northwind"))} {
			for _, id := range []int64{p.Account("buyer1").ID, p.Account("li.manager").ID, invited.ID, 0, -1, 1 << 40} {
				_, err := p.Backoffice.PersonHere(t.Context(), here, id)
				portaltest.Refused(t, err, access.NotFound)
				_, _, err = p.Backoffice.InvitingLink(t.Context(), here, id)
				portaltest.Refused(t, err, access.NotFound)
				_, err = p.Backoffice.GiveFirstPassword(t.Context(), here, id, "")
				portaltest.Refused(t, err, access.NotFound)
				portaltest.Refused(t, p.Backoffice.EnablePerson(t.Context(), here, id), access.NotFound)
				portaltest.Refused(t, p.Backoffice.DisablePerson(t.Context(), here, id), access.NotFound)
				portaltest.Refused(t, p.Backoffice.InviteAgain(t.Context(), here, id), access.NotFound)
			}
			for _, id := range []int64{companytest.PartnerID(p), 0, -1, 1 << 40} {
				_, err := p.Backoffice.Customer(t.Context(), here, id)
				portaltest.Refused(t, err, access.NotFound)
				portaltest.Refused(t, p.Backoffice.EndPartnership(t.Context(), here, id), access.NotFound)
				portaltest.Refused(t, p.Backoffice.ResumePartnership(t.Context(), here, id), access.NotFound)
				if id == 0 {
					continue
				}
				_, err = p.Backoffice.OpenAccount(t.Context(), here, office.OpenAccountInput{
					Side: "shop", Type: 3, Name: "谁", ClientID: id,
				})
				portaltest.Refused(t, err, access.NotFound)
			}
		}
		if p.DumpRows("attempts") != before || p.CountRows("attempts") != counts {
			t.Error("something was written")
		}
	})
}

func TestEndingAPartnershipBlocksTheCustomersAccountsUntilItResumes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("buyer1")
		o := credentialtest.SignInEverywhere(p, "buyer1", "buyer1")
		other := credentialtest.SignInEverywhere(p, "li.manager", "li.manager")
		portaltest.NoError(
			t, p.Backoffice.EndPartnership(p.From(portaltest.HomeAddress), p.Administrator(), m.ClientID),
		)
		credentialtest.WantSignIns(p, "of the customer", o, "")
		credentialtest.WantSignIns(p, "of others", other, credentialtest.AllSignIns)
		_, err := p.Login(p.LoginInput("buyer1"))
		portaltest.Refused(t, err, access.PartnerEnded)
		portaltest.NoError(
			t, p.Backoffice.EndPartnership(p.From(portaltest.HomeAddress), p.Administrator(), m.ClientID),
		)
		portaltest.NoError(
			t, p.Backoffice.ResumePartnership(p.From(portaltest.HomeAddress), p.Administrator(), m.ClientID),
		)
		p.SignIn(portaltest.AccountHost, "buyer1")
		if p.CountEvents(1001, "customer_ended") != 1 || p.CountEvents(1001, "customer_resumed") != 1 {
			t.Error("what happened is not written down, or twice")
		}
	})
}

func TestAnEmployeeWhoJustLostTheRightCanDoNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Administrator()
		p.SetAccountState("jinsui", store.AccountDisabled)
		before := p.DumpRows("attempts")
		portaltest.Refused(
			t, p.Backoffice.DisablePerson(t.Context(), boss, p.Account("buyer1").ID), access.AccountDisabled,
		)
		_, err := p.Backoffice.OpenAccount(t.Context(), boss, office.OpenAccountInput{
			Side: "mgr", Type: 1, Name: "谁",
		})
		portaltest.Refused(t, err, access.AccountDisabled)
		portaltest.Refused(
			t, p.Backoffice.EndPartnership(t.Context(), boss, companytest.PartnerID(p)), access.AccountDisabled,
		)
		if p.DumpRows("attempts") != before {
			t.Error("something was written")
		}
		p.Clock.Advance(time.Second)
	})
}
