package backoffice_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/backoffice"
	"portico/portal/credentials"
	"portico/portal/entry"
	"portico/portal/landing"
	"portico/portal/ordering"
	"portico/portal/portaltest"
	"portico/portal/verification"
	"portico/store"
)

func TestPeopleAreListedPageByPageAndBySide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range backoffice.PeopleShown + 5 {
			p.AddAccount(fmt.Sprintf("many%d", i), 1001, store.Shop, "")
		}
		var seen []string
		after, pages := int64(0), 0
		for {
			list, err := p.Backoffice.People(t.Context(), p.Boss(), store.Shop, after)
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
		mgr, err := p.Backoffice.People(t.Context(), p.Boss(), store.Mgr, 0)
		if err != nil || mgr.More != 0 ||
			slices.ContainsFunc(mgr.People, func(m store.Member) bool { return m.Side != store.Mgr }) ||
			len(mgr.People) < 2 {
			t.Errorf("%+v, %v", mgr, err)
		}
	})
}

func TestAnAccountOpenedForAPhoneIsSetUpByItsLink(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		opened, err := p.Opens1001(backoffice.OpenAccountInput{
			Side: "shop", Type: 3, Name: " 新采购 ", Phone: "139 1234 5678", ClientID: p.Client(), Form: "f1",
		})
		portaltest.NoError(t, err)
		m := opened.Member
		if !m.Invited || m.Phone != portaltest.NewPhone || m.Name != "新采购" || m.ClientID != p.Client() ||
			m.Login == "" || m.PasswordHash != "" || opened.First.Password != "" ||
			backoffice.PersonStateOf(m) != backoffice.PersonInvited {
			t.Errorf("%+v", m.Account)
		}
		link, _, err := p.Backoffice.InvitingLink(t.Context(), p.Boss(), m.ID)
		portaltest.NoError(t, err)
		token, ok := strings.CutPrefix(link, "http://store1001.portico.test/register/complete?invite=")
		if invitation, valid, err := p.Onboarding.Invitation(t.Context(), token); !ok || !valid || err != nil ||
			invitation.Phone != portaltest.NewPhone || invitation.CompanyID != 1001 {
			t.Errorf("%s: %+v, %v", link, invitation, err)
		}
		portaltest.NoError(t, p.Backoffice.InviteAgain(t.Context(), p.Boss(), m.ID))
		if _, err = p.Complete(p.ProvenComplete(1001, portaltest.NewPhone)); err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Backoffice.InvitingLink(t.Context(), p.Boss(), m.ID)
		portaltest.Refused(t, err, access.NotFound)
		portaltest.Refused(t, p.Backoffice.InviteAgain(t.Context(), p.Boss(), m.ID), access.WrongParameters)
		if p.Events(1001, "account_opened") != 1 || p.Events(1001, "account_invited") != 2 {
			t.Error("what happened is not written down")
		}
	})
}

func TestOpeningAnAccountRefusesInvalidInput(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		good := backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事"}
		before := p.Rows("attempts")
		for _, c := range []struct {
			field  string
			want   access.Problem
			change func(*backoffice.OpenAccountInput)
		}{
			{"side", access.ChoiceRequired, func(in *backoffice.OpenAccountInput) { in.Side = "" }},
			{"side", access.ChoiceRequired, func(in *backoffice.OpenAccountInput) { in.Side = "admin" }},
			{"type", access.ChoiceRequired, func(in *backoffice.OpenAccountInput) { in.Type = 3 }},
			{"type", access.ChoiceRequired, func(in *backoffice.OpenAccountInput) { in.Type = 0 }},
			{
				"type", access.ChoiceRequired,
				func(in *backoffice.OpenAccountInput) { in.Side, in.ClientName = "shop", "店" },
			},
			{"name", access.NameRequired, func(in *backoffice.OpenAccountInput) { in.Name = " " }},
			{"name", access.NameMalformed, func(in *backoffice.OpenAccountInput) { in.Name = "a\u202eb" }},
			{
				"login", access.LoginMalformed,
				func(in *backoffice.OpenAccountInput) { in.Login = strings.Repeat("a", 41) },
			},
			{"login", access.LoginTaken, func(in *backoffice.OpenAccountInput) { in.Login = " JINSUI " }},
			{"login", access.LoginTaken, func(in *backoffice.OpenAccountInput) { in.Login = "sur" }},
			{"phone", access.PhoneMalformed, func(in *backoffice.OpenAccountInput) { in.Phone = "1234" }},
			{
				"client_id", access.ClientRequired,
				func(in *backoffice.OpenAccountInput) { in.Side, in.Type = "shop", 3 },
			},
			{"client_name", access.CompanyMalformed, func(in *backoffice.OpenAccountInput) {
				in.Side, in.Type, in.ClientName = "shop", 3, strings.Repeat("店", 61)
			}},
		} {
			in := good
			c.change(&in)
			_, err := p.Opens1001(in)
			portaltest.Field(t, err, c.field, c.want)
		}
		good.Phone = portaltest.ManagerPhone
		_, err := p.Opens1001(good)
		portaltest.Refused(t, err, access.PhoneRegistered)
		in := backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.Account("li.lights").ClientID}
		_, err = p.Opens1001(in) // another company's customer
		portaltest.Refused(t, err, access.NotFound)
		if p.Rows("attempts") != before {
			t.Error("something was written")
		}
	})
}

func TestAnEndedCustomerGetsNoAccounts(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		portaltest.NoError(t, p.Backoffice.EndPartnership(t.Context(), p.Boss(), p.Client()))
		_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: "谁", ClientID: p.Client()})
		portaltest.Field(t, err, "client_id", access.ClientRequired)
	})
}

func TestAnExclusivePhoneIsInvitedByNoOtherCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.ExclusivePhones = true })
		// sur of 1002, li.manager of 1001
		_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: "13800000003"})
		portaltest.Refused(t, err, access.PhoneRegistered)
		_, err = p.Opens1001(backoffice.OpenAccountInput{
			Side: "shop", Type: 3, Name: "谁", Phone: portaltest.BothPhone, ClientID: p.Client(),
		})
		portaltest.NoError(t, err)
		p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err = p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.BothPhone})
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
	})
}

// An account that a company opened and its holder has not accepted must not take the phone away from others.
func TestAnUnacceptedAccountDoesNotMakeItsPhoneExclusive(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Invites(1008, "invited", portaltest.NewPhone)
		p.UpdateCompany(1008, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "谁", Phone: portaltest.NewPhone})
		portaltest.NoError(t, err)
		_, in, _ := p.Proven("northwind", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err = p.Bind(in)
		portaltest.NoError(t, err)
		portaltest.NoError(
			t,
			p.Db.Accounts.SetUp(
				t.Context(), 1008, p.Account("invited").ID, portaltest.PhoneOf(t, p.Db, portaltest.NewPhone).ID, "谁",
			),
		)
		_, err = p.Opens1001(backoffice.OpenAccountInput{
			Side: "shop", Type: 3, Name: "谁", Phone: portaltest.NewPhone, ClientID: p.Client(),
		})
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
	})
}

func TestANewCustomersNameCreatesTheCustomer(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := p.Opens1001(backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: "老板", ClientName: "新店"})
		portaltest.NoError(t, err)
		detail, err := p.Backoffice.Customer(t.Context(), p.Boss(), opened.Member.ClientID, "zh")
		if err != nil || detail.Name != "新店" || detail.Contact != "老板" || detail.State != store.ClientPartner ||
			len(detail.Accounts) != 1 || detail.Accounts[0].ID != opened.Member.ID {
			t.Errorf("%+v, %v", detail, err)
		}
	})
}

func TestSendingAFormTwiceOpensOneAccount(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		in := backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Form: ordering.NewForm()}
		results := make([]backoffice.OpenedAccount, 4)
		portaltest.Together(len(results), func(i int) {
			var err error
			if results[i], err = p.Opens1001(in); err != nil {
				t.Error(err)
			}
		})
		made := slices.DeleteFunc(slices.Clone(results), func(r backoffice.OpenedAccount) bool { return r.Before })
		if len(made) != 1 || p.Events(1001, "account_opened") != 1 || made[0].First.Password == "" {
			t.Fatalf("%d were opened", len(made))
		}
		for _, r := range results {
			if r.Member.ID != made[0].Member.ID || r.Before == (r.First.Password != "") {
				t.Errorf("%+v", r)
			}
		}
		p.Restart(func(o *portal.Options) { o.NoLimit = false })
		for range credentials.FirstPasswordsAnHour { // a repetition succeeds after the limit too
			_, err := p.Db.Attempts.Raise(t.Context(), "first passwords:1001", store.At(p.Clock.Now()),
				store.At(p.Clock.Now())-1000)
			portaltest.NoError(t, err)
		}
		if again, err := p.Opens1001(in); err != nil || again.Member.ID != made[0].Member.ID || !again.Before {
			t.Errorf("%+v, %v", again, err)
		}
	})
}

func TestOpeningTheSameAccountAgainNeedsAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := backoffice.OpenAccountInput{Side: "shop", Type: 3, Name: "新采购", ClientID: p.Client()}
		first, err := p.Opens1001(in)
		portaltest.NoError(t, err)
		accounts, clients := p.Counted("accounts"), 0
		asked, err := p.Opens1001(in)
		portaltest.Field(t, err, "name", access.OpenedJustNow)
		if asked.Earlier.ID != first.Member.ID || asked.First.Password != "" || p.Counted("accounts") != accounts {
			t.Errorf("something was written, or %d is asked about", asked.Earlier.ID)
		}
		for name, change := range map[string]func(*backoffice.OpenAccountInput){
			"another name":     func(in *backoffice.OpenAccountInput) { in.Name = "别人" },
			"another side":     func(in *backoffice.OpenAccountInput) { in.Side, in.Type, in.ClientID = "mgr", 2, 0 },
			"another customer": func(in *backoffice.OpenAccountInput) { in.ClientID, in.ClientName = 0, "新店" },
		} {
			other := in
			change(&other)
			if _, err := p.Opens1001(other); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			_, err := p.Opens1001(other)
			portaltest.Field(t, err, "name", access.OpenedJustNow)
		}
		all, err := p.Backoffice.Customers(t.Context(), p.Boss(), 0, "zh")
		portaltest.NoError(t, err)
		for _, k := range all.Customers {
			if k.Name == "新店" {
				clients++
			}
		}
		second, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		if _, err := p.Backoffice.OpenAccount(p.From(portaltest.HomeAddress), p.At(second.Member), in); err != nil {
			t.Errorf("another administrator: %v", err)
		}
		if clients != 1 {
			t.Errorf("%d customers of one name", clients)
		}
		meant := in
		meant.Again = true
		again, err := p.Opens1001(meant)
		if err != nil || again.Member.ID == first.Member.ID {
			t.Errorf("%+v, %v", again, err)
		}
		p.Clock.Advance(backoffice.OpenedAgain)
		_, err = p.Opens1001(in)
		portaltest.NoError(t, err)
	})
}

func TestAnAccountThatCannotBeOpenedIsRefusedWithoutAskingForAConfirmation(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		named := backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "小李", Login: "xiaoli"}
		phoned := backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "小王", Phone: portaltest.NewPhone}
		for _, in := range []backoffice.OpenAccountInput{named, phoned} {
			_, err := p.Opens1001(in)
			portaltest.NoError(t, err)
		}
		_, err := p.Opens1001(named)
		portaltest.Field(t, err, "login", access.LoginTaken)
		_, err = p.Opens1001(phoned)
		portaltest.Refused(t, err, access.PhoneRegistered)
	})
}

func TestTwoTabsThatOpenTheSameAccountAtOnceOpenOne(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		results := make([]error, 4)
		portaltest.Together(len(results), func(i int) {
			_, results[i] = p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事",
				Form: ordering.NewForm()})
		})
		asked := slices.DeleteFunc(results, func(err error) bool { return err == nil })
		if len(asked) != 3 || p.Events(1001, "account_opened") != 1 {
			t.Errorf("%d were asked, %d opened", len(asked), p.Events(1001, "account_opened"))
		}
		for _, err := range asked {
			portaltest.Field(t, err, "name", access.OpenedJustNow)
		}
	})
}

func TestGeneratedAccountNamesDoNotCollide(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		seen := map[string]bool{}
		for range 3 {
			opened, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事", Again: true})
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
		for range backoffice.AccountsOpened {
			_, err := p.Db.Attempts.Raise(
				t.Context(), "opened:1001", store.At(p.Clock.Now()), store.At(p.Clock.Now())-1000,
			)
			portaltest.NoError(t, err)
		}
		_, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "新同事"})
		portaltest.Refused(t, err, access.TooManyAttempts)
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
			portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
				m := p.Account(c.login)
				byName := p.SignIn(portaltest.AccountHost, c.login)
				inside := p.Enter(byName, portaltest.AccountHost, c.login, c.device)
				landed, err := p.Redeem(inside, "")
				portaltest.NoError(t, err)
				if inside.Slot != c.slot {
					t.Fatal(inside.Slot)
				}
				person := p.Open(m.Phone, c.login)
				byPhone := p.Enter(person.Signed, portaltest.AccountHost, c.login, c.device)
				program, err := p.Landing.RedeemForClient(
					p.From(portaltest.HomeAddress),
					p.Enter(person.Signed, portaltest.AccountHost, c.login, c.device).Code, landing.ClientApp, 0,
				)
				portaltest.NoError(t, err)
				waiting := p.Enter(byName, portaltest.AccountHost, c.login, c.device)
				code := p.WithCode(m.Phone, "", verification.NewFlow())
				ask := p.Asking(verification.ForLogin, m.Phone, code.Flow)
				ask.Place = p.Place("store1001.portico.test")
				code.Code, code.Place = p.Sent(ask), ask.Place

				portaltest.NoError(t, p.Backoffice.DisablePerson(p.From(portaltest.HomeAddress), p.Boss(), m.ID))
				_, err = p.LandAt(inside, landed.Token)
				portaltest.Refused(t, err, access.LoginRequired)
				portaltest.Refused(t, p.RequestSignedIn(byName.Token, portaltest.AccountHost), access.LoginRequired)
				for _, d := range []entry.Destination{waiting, byPhone, person.Waiting} {
					_, err = p.Redeem(d, "")
					portaltest.Refused(t, err, access.RedirectFailed)
				}
				for _, token := range []string{person.Token, string(program.Token)} {
					_, err = p.TokenSession(token)
					portaltest.Refused(t, err, access.LoginRequired)
				}
				_, err = p.CodeLogin(code)
				portaltest.Refused(t, err, access.CodeExpired)
				_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
					Session: person.Signed.Session, AccountID: m.ID, Place: p.Place(portaltest.AccountHost),
					Device: c.device,
				})
				portaltest.Refused(t, err, access.AccountDisabled)
				_, err = p.Login(p.As(c.login))
				portaltest.Refused(t, err, access.AccountDisabled)
				if p.RequestSignedIn(person.Signed.Token, portaltest.AccountHost) != nil {
					t.Error("the person is signed out of other companies, too")
				}
				if p.Events(1001, "account_disabled") != 1 {
					t.Error("it is not written down")
				}

				portaltest.NoError(t, p.Backoffice.EnablePerson(p.From(portaltest.HomeAddress), p.Boss(), m.ID))
				_, err = p.LandAt(inside, landed.Token)
				portaltest.Refused(t, err, access.LoginRequired) // nothing comes back
				p.Enter(p.SignIn(portaltest.AccountHost, c.login), portaltest.AccountHost, c.login, c.device)
				if p.Events(1001, "account_enabled") != 1 {
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
			portaltest.NoError(t, p.Backoffice.DisablePerson(t.Context(), p.Boss(), m.ID))
		}
		for range 2 {
			portaltest.NoError(t, p.Backoffice.EnablePerson(t.Context(), p.Boss(), m.ID))
		}
		if p.Events(1001, "account_disabled") != 1 || p.Events(1001, "account_enabled") != 1 {
			t.Error("more is written down than was done")
		}
	})
}

func TestAnAdministratorCannotDisableOrResetTheirOwnAccount(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Boss()
		portaltest.Field(
			t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.LastAdministrator,
		)
		_, err := p.Backoffice.GiveFirstPassword(t.Context(), boss, boss.Member.ID, "")
		portaltest.Field(t, err, "action", access.OwnAccount)
		_, err = p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 1, Name: "受邀", Phone: portaltest.NewPhone})
		portaltest.NoError(t, err)
		// the invited one is not there yet
		portaltest.Field(
			t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.LastAdministrator,
		)
		_, err = p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		portaltest.Field(t, p.Backoffice.DisablePerson(t.Context(), boss, boss.Member.ID), "action", access.OwnAccount)
	})
}

func TestTwoAdministratorsCannotBothDisableEachOther(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		opened, err := p.Opens1001(backoffice.OpenAccountInput{Side: "mgr", Type: 1, Name: "第二"})
		portaltest.NoError(t, err)
		two := []access.Landing{p.Boss(), p.At(opened.Member)}
		errs := make([]error, 2)
		portaltest.Together(
			2, func(i int) { errs[i] = p.Backoffice.DisablePerson(t.Context(), two[i], two[1-i].Member.ID) },
		)
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), access.AccountDisabled) {
			t.Errorf("%v", errs)
		}
		left := 0
		for _, but := range two {
			has, err := p.Db.Accounts.HasAdministrator(t.Context(), 1001, but.Member.ID, store.At(p.Clock.Now()))
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
		m := p.AddAccount("waiting", 1001, store.Shop, "")
		p.SetAccountState("waiting", store.AccountUnderReview)
		portaltest.NoError(t, p.Backoffice.EnablePerson(t.Context(), p.Boss(), m.ID))
		if p.Account("waiting").State != store.AccountActive {
			t.Error("it waits on")
		}
		own := p.AddAccount("own.shop", 1001, store.Shop, portaltest.ManagerPhone)
		p.SetAccountState("own.shop", store.AccountUnderReview)
		portaltest.Refused(t, p.Backoffice.EnablePerson(t.Context(), p.Boss(), own.ID), access.Forbidden)
	})
}

func TestAnotherCompanysPeopleAndCustomersAreNotFoundOrChanged(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		invited := p.Invites(1001, "invited", portaltest.NewPhone)
		before, counts := p.Rows("attempts"), p.Counted("attempts")
		for _, here := range []access.Landing{p.At(p.Account("sur")), p.At(p.Account("northwind"))} {
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
			for _, id := range []int64{p.Client(), 0, -1, 1 << 40} {
				_, err := p.Backoffice.Customer(t.Context(), here, id, "zh")
				portaltest.Refused(t, err, access.NotFound)
				portaltest.Refused(t, p.Backoffice.EndPartnership(t.Context(), here, id), access.NotFound)
				portaltest.Refused(t, p.Backoffice.ResumePartnership(t.Context(), here, id), access.NotFound)
				if id == 0 {
					continue
				}
				_, err = p.Backoffice.OpenAccount(t.Context(), here, backoffice.OpenAccountInput{
					Side: "shop", Type: 3, Name: "谁", ClientID: id,
				})
				portaltest.Refused(t, err, access.NotFound)
			}
		}
		if p.Rows("attempts") != before || p.Counted("attempts") != counts {
			t.Error("something was written")
		}
	})
}

func TestEndingAPartnershipBlocksTheCustomersAccountsUntilItResumes(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		m := p.Account("buyer1")
		o := p.Open("buyer1", "buyer1")
		other := p.Open("li.manager", "li.manager")
		portaltest.NoError(t, p.Backoffice.EndPartnership(p.From(portaltest.HomeAddress), p.Boss(), m.ClientID))
		p.WantLives("of the customer", o, "")
		p.WantLives("of others", other, portaltest.Everything)
		_, err := p.Login(p.As("buyer1"))
		portaltest.Refused(t, err, access.PartnerEnded)
		portaltest.NoError(t, p.Backoffice.EndPartnership(p.From(portaltest.HomeAddress), p.Boss(), m.ClientID))
		portaltest.NoError(t, p.Backoffice.ResumePartnership(p.From(portaltest.HomeAddress), p.Boss(), m.ClientID))
		p.SignIn(portaltest.AccountHost, "buyer1")
		if p.Events(1001, "customer_ended") != 1 || p.Events(1001, "customer_resumed") != 1 {
			t.Error("what happened is not written down, or twice")
		}
	})
}

func TestCustomersAreListedPageByPage(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Founded("zh")
		for range backoffice.CustomersShown + 1 {
			p.CustomerOf(m.CompanyID)
		}
		first, err := p.Backoffice.Customers(t.Context(), p.At(m), 0, "zh")
		portaltest.NoError(t, err)
		rest, err := p.Backoffice.Customers(t.Context(), p.At(m), first.More, "zh")
		portaltest.NoError(t, err)
		if len(first.Customers) != backoffice.CustomersShown || first.Count != backoffice.CustomersShown+1 ||
			len(rest.Customers) != 1 || rest.Customers[0].ID <= first.More || rest.More != 0 {
			t.Errorf("%d, then %d of %d", len(first.Customers), len(rest.Customers), first.Count)
		}
	})
}

func TestAnEmployeeWhoJustLostTheRightCanDoNothing(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		boss := p.Boss()
		p.SetAccountState("jinsui", store.AccountDisabled)
		before := p.Rows("attempts")
		portaltest.Refused(
			t, p.Backoffice.DisablePerson(t.Context(), boss, p.Account("buyer1").ID), access.AccountDisabled,
		)
		_, err := p.Backoffice.OpenAccount(t.Context(), boss, backoffice.OpenAccountInput{
			Side: "mgr", Type: 1, Name: "谁",
		})
		portaltest.Refused(t, err, access.AccountDisabled)
		portaltest.Refused(t, p.Backoffice.EndPartnership(t.Context(), boss, p.Client()), access.AccountDisabled)
		if p.Rows("attempts") != before {
			t.Error("something was written")
		}
		p.Clock.Advance(time.Second)
	})
}
