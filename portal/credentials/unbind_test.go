package credentials_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
)

func TestUnbindingAPhoneEndsOnlyTheSessionsItOpenedOfTheAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, sister := credentialtest.SignInEverywhere(
			p, portaltest.ManyPhone, "li.shop",
		), credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "sur")
		named, stranger := credentialtest.SignInEverywhere(p, "li.shop", "li.shop"), credentialtest.SignInEverywhere(
			p, portaltest.BuyerPhone, "buyer1",
		)
		in := credentialtest.UnbindInput(p, mine.Signed.Session, "li.shop")
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		if m := p.Sms.Codes()[0]; m.Phone != portaltest.ManyPhone || m.Company != "金穗粮油" {
			t.Errorf("%+v", m)
		}
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		credentialtest.WantSignIns(p, "of the account", mine, "browser")
		credentialtest.WantSignIns(p, "of another account", sister, credentialtest.AllSignIns)
		credentialtest.WantSignIns(p, "by its name", named, "")
		credentialtest.WantSignIns(p, "another's", stranger, credentialtest.AllSignIns)
		companytest.WantAccounts(p.Platform,
			p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session,
			"1001 mgr:li.manager",
			"1002 mgr:sur",
			"1003 shop:li.lights",
		)
		if m := p.Account("li.shop"); m.PersonID != 0 ||
			!credentialtest.AcceptsPassword(p, "li.shop", onboarding.DemoPassword) {
			t.Error("the account cannot be entered by its name")
		}
		if n := p.CountEvents(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " phone_unbound")
		p.Clock.Advance(core.RepeatWindow)
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.NotFound)
	})
}

func TestASessionByAccountNameUnbindsThePhoneAndStaysSignedIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, elsewhere := p.SignIn(portaltest.AccountHost, "li.shop"), credentialtest.SignInEverywhere(
			p, "li.shop", "li.shop",
		)
		person := credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "sur")
		in := credentialtest.UnbindInput(p, mine.Session, "li.shop")
		in.AccountID = 0
		if sent, err := p.AskCode(credentialtest.UnbindCodeRequest(p, in)); err != nil || sent.Phone != "138****0003" {
			t.Errorf("%+v, %v", sent, err)
		}
		in.Code = p.Sms.Codes()[0].Code
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost))
		credentialtest.WantSignIns(p, "elsewhere", elsewhere, "")
		credentialtest.WantSignIns(p, "another account of the phone", person, credentialtest.AllSignIns)
	})
}

func TestUnbindingAnAccountWithoutItsOwnPasswordSetsOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("buyer1")
		portaltest.NoError(t, p.DB.Passwords.SetAccount(t.Context(), 1001, m.ID, ""))
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		in := credentialtest.UnbindInput(p, signed.Session, "buyer1")
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, 0); err != nil || !u.NewPassword || u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.PasswordNotSet)
		for password, want := range map[string]access.Problem{"buyer188": core.PasswordPersonal,
			"x80000000x": core.PasswordPersonal, "qwe123": core.PasswordPattern} {
			in.Password, in.Confirm = password, password
			if with := portaltest.Refused(
				t, credentialtest.Unbind(p, in), access.ValidationFailed,
			); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		if p.Account("buyer1").PersonID == 0 {
			t.Fatal("it was unbound without a way in")
		}
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		if !credentialtest.AcceptsPassword(p, "buyer1", portaltest.NewPassword) {
			t.Error("its name opens nothing")
		}

		portaltest.NoError(t, p.DB.Passwords.SetAccount(t.Context(), 1001, p.Account("jinsui").ID, ""))
		old := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		p.Clock.Advance(10*time.Minute + time.Second)
		_, err := p.Binding.Unbindable(t.Context(), old.Session, 0)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestASignInOlderThanTenMinutesMustConfirmThePassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := credentialtest.UnbindInput(p, signed.Session, "li.shop")
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || u.Confirm ||
			u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
		p.Clock.Advance(time.Millisecond)
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || !u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		if with := portaltest.Refused(
			t, credentialtest.Unbind(p, in), access.ValidationFailed,
		); with.Fields["password"] != access.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.WrongPassword)
		if n := guesstest.CountFailures(p.Platform, "li.shop"); n != 1 {
			t.Errorf("%d failures", n)
		}
		in.Password = onboarding.DemoPassword
		in.Code, in.Flow = portaltest.WrongCode(in.Code), "session:"+signed.Session.ID
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.CodeWrong)
		in.Code = p.Sms.Codes()[0].Code
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		if n := guesstest.CountFailures(p.Platform, "sur"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestATokenIsAsOldAsTheSignInItCameFrom(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		p.Clock.Advance(11 * time.Minute)
		user, err := p.Landing.RedeemForClient(
			p.From(portaltest.HomeAddress),
			p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen).Code,
			signin.ClientApp,
			0,
		)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p, string(user.Token))
		portaltest.NoError(t, err)
		if u, err := p.Binding.Unbindable(t.Context(), s, 0); err == nil && !u.Confirm {
			t.Error("a stolen cookie becomes a fresh sign-in by way of an auth code")
		}
	})
}

func TestUnbindingOneOfSeveralAccountsNeedsTheIDOfAnOwnAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		_, err := p.Binding.Unbindable(t.Context(), signed.Session, 0)
		if with := portaltest.Refused(
			t, err, access.ValidationFailed,
		); with.Fields["account_id"] != access.ChoiceRequired {
			t.Errorf("%v", with.Fields)
		}
		for _, login := range []string{"buyer1", "nophone", "northwind"} {
			in := credentialtest.UnbindInput(p, signed.Session, login)
			_, err := p.AskCode(credentialtest.UnbindCodeRequest(p, in))
			portaltest.Refused(t, err, access.NotFound)
			in.Code = "000000"
			portaltest.Refused(t, credentialtest.Unbind(p, in), access.NotFound)
		}
		_, err = p.Binding.Unbindable(t.Context(), p.SignIn(portaltest.AccountHost, "nophone").Session, 0)
		portaltest.Refused(t, err, access.WrongParameters)
		_, err = p.Binding.Unbindable(t.Context(), store.Session{ID: "landing"}, 0)
		portaltest.Refused(t, err, access.LoginRequired)
		inHouse := p.SignIn("store1002.portico.test", portaltest.ManyPhone)
		if u, err := p.Binding.Unbindable(t.Context(), inHouse.Session, 0); err != nil || u.Member.Login != "sur" {
			t.Errorf("%+v, %v", u.Member, err)
		}
		_, err = p.Binding.Unbindable(t.Context(), inHouse.Session, p.Account("li.shop").ID)
		portaltest.Refused(t, err, access.NotFound)
		if n := len(p.Sms.Messages()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := credentialtest.UnbindInput(p, signed.Session, "li.shop") // and a code for one is not another's
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		in.AccountID = p.Account("sur").ID
		portaltest.Refused(t, credentialtest.Unbind(p, in), access.CodeExpired)
	})
}

func TestOnlyOneOfTwoConcurrentUnbindingsTakesEffect(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := credentialtest.UnbindInput(p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1")
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if credentialtest.Unbind(p, in) == nil {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if done.Load() != 5 || p.CountEvents(1001, "phone_unbound") != 1 {
			t.Errorf("%d of 5 succeeded, unbound %d times", done.Load(), p.CountEvents(1001, "phone_unbound"))
		}
	})
}

func TestAReassignedNumberOpensNoEarlierAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before := credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		in := credentialtest.UnbindInput(p, before.Signed.Session, "buyer1")
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		portaltest.NoError(t, credentialtest.Unbind(p, in))
		_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, err = p.Login(p.LoginInput(portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.PhoneNotBound)
		ask := p.CodeRequest(core.ForReset, "", core.NewFlow())
		ask.Login = "buyer1"
		_, err = p.AskCode(ask)
		portaltest.Refused(t, err, access.PhoneNotBound)

		_, bind, bound := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone) // the number's next holder
		if len(bound.Others) != 0 {
			t.Errorf("it shows %+v", bound.Others)
		}
		bind.New, bind.Password, bind.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err = credentialtest.Bind(p, bind)
		portaltest.NoError(t, err)
		p.Clock.Advance(core.DefaultResend)
		flow := core.NewFlow()
		signed, err := p.CodeLogin(
			p.CodeLoginInput(
				portaltest.BuyerPhone,
				p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)),
				flow,
			),
		)
		portaltest.NoError(t, err)
		companytest.WantAccounts(p.Platform, signed.Session, "1003 mgr:northwind")
		credentialtest.WantSignIns(p, "the former holder's", before, "")
		if credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("the former holder's password opens the number")
		}
		if person := portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone); person.DefaultCompanyID != 0 {
			t.Errorf("the default company %d was inherited", person.DefaultCompanyID)
		}
	})
}

func TestTheNextHolderOfANumberIsAnotherPerson(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, bind, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone) // the person added last
		bind.Password, bind.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err := credentialtest.Bind(p, bind)
		portaltest.NoError(t, err)
		sign := p.LoginInput(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		before, err := p.Login(sign)
		portaltest.NoError(t, err)
		_, err = p.Accounts.ChooseCompany(
			t.Context(), signin.ChooseCompanyInput{Session: before.Session, CompanyID: 1001, Default: true},
		)
		portaltest.NoError(t, err)
		in := credentialtest.UnbindInput(p, before.Session, "nophone")
		in.Code = p.ReceiveCode(credentialtest.UnbindCodeRequest(p, in))
		in.Password = credentialtest.OtherPassword
		in.Confirm = credentialtest.OtherPassword // the binding ended the account's own
		portaltest.NoError(t, credentialtest.Unbind(p, in))

		now := store.At(p.Clock.Now())
		_, err = p.DB.Persons.Add(
			t.Context(), store.Person{Phone: portaltest.NewPhone, CreatedAt: now},
		) // as a company does for a customer of its
		portaltest.NoError(t, err)
		companytest.AddAccount(p.Platform, "newcomer", 1001, store.Shop, portaltest.NewPhone)
		after := portaltest.PersonOf(t, p.DB, portaltest.NewPhone)
		if after.ID == before.Session.PersonID {
			t.Errorf("the next holder is the former one, phone %d", after.ID)
		}
		if after.DefaultCompanyID != 0 ||
			credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the default company or the password was inherited")
		}
		if s, err := p.SignedIn(t.Context(), before.Token, p.Place(portaltest.AccountHost)); err == nil {
			if list, err := p.Accounts.Accounts(t.Context(), s); err == nil && len(list) > 0 {
				t.Errorf("the former holder's browser shows %q", companytest.DescribeAccounts(list))
			}
		}
	})
}
