package binding_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
)

func TestUnbindingAPhoneEndsOnlyTheSessionsItOpenedOfTheAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		mine, sister := p.Open(portaltest.ManyPhone, "li.shop"), p.Open(portaltest.ManyPhone, "sur")
		named, stranger := p.Open("li.shop", "li.shop"), p.Open(portaltest.BuyerPhone, "buyer1")
		in := p.Unbinding(mine.Signed.Session, "li.shop")
		in.Code = p.Sent(p.AskToUnbind(in))
		if m := p.Sms.Codes()[0]; m.Phone != portaltest.ManyPhone || m.Company != "金穗粮油" {
			t.Errorf("%+v", m)
		}
		portaltest.NoError(t, p.Unbind(in))
		p.WantLives("of the account", mine, "browser")
		p.WantLives("of another account", sister, portaltest.Everything)
		p.WantLives("by its name", named, "")
		p.WantLives("another's", stranger, portaltest.Everything)
		p.WantList(
			p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session,
			"1001 mgr:li.manager",
			"1002 mgr:sur",
			"1003 shop:li.lights",
		)
		if m := p.Account("li.shop"); m.PhoneID != 0 || !p.Opens("li.shop", onboarding.DemoPassword) {
			t.Error("the account cannot be entered by its name")
		}
		if n := p.Events(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.ManyPhone + " phone_unbound")
		p.Clock.Advance(replay.RepeatWindow)
		portaltest.Refused(t, p.Unbind(in), access.NotFound)
	})
}

func TestASessionByAccountNameUnbindsThePhoneAndStaysSignedIn(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		mine, elsewhere := p.SignIn(portaltest.AccountHost, "li.shop"), p.Open("li.shop", "li.shop")
		person := p.Open(portaltest.ManyPhone, "sur")
		in := p.Unbinding(mine.Session, "li.shop")
		in.AccountID = 0
		if sent, err := p.Ask(p.AskToUnbind(in)); err != nil || sent.Phone != "138****0003" {
			t.Errorf("%+v, %v", sent, err)
		}
		in.Code = p.Sms.Codes()[0].Code
		portaltest.NoError(t, p.Unbind(in))
		portaltest.NoError(t, p.RequestSignedIn(mine.Token, portaltest.AccountHost))
		p.WantLives("elsewhere", elsewhere, "")
		p.WantLives("another account of the phone", person, portaltest.Everything)
	})
}

func TestUnbindingAnAccountWithoutItsOwnPasswordSetsOne(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		m := p.Account("buyer1")
		portaltest.NoError(t, p.Db.Passwords.SetAccount(t.Context(), 1001, m.ID, ""))
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		in := p.Unbinding(signed.Session, "buyer1")
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, 0); err != nil || !u.NewPassword || u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.Sent(p.AskToUnbind(in))
		portaltest.Refused(t, p.Unbind(in), access.PasswordNotSet)
		for password, want := range map[string]access.Problem{"buyer188": passwords.PasswordPersonal,
			"x80000000x": passwords.PasswordPersonal, "qwe123": passwords.PasswordPattern} {
			in.Password, in.Confirm = password, password
			if with := portaltest.Refused(t, p.Unbind(in), access.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		if p.Account("buyer1").PhoneID == 0 {
			t.Fatal("it was unbound without a way in")
		}
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		portaltest.NoError(t, p.Unbind(in))
		if !p.Opens("buyer1", portaltest.NewPassword) {
			t.Error("its name opens nothing")
		}

		portaltest.NoError(t, p.Db.Passwords.SetAccount(t.Context(), 1001, p.Account("jinsui").ID, ""))
		old := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
		p.Clock.Advance(signin.FreshSession + time.Second)
		_, err := p.Binding.Unbindable(t.Context(), old.Session, 0)
		portaltest.Refused(t, err, access.LoginRequired)
	})
}

func TestASignInOlderThanTenMinutesMustConfirmThePassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := p.Unbinding(signed.Session, "li.shop")
		p.Clock.Advance(signin.FreshSession - time.Millisecond)
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || u.Confirm ||
			u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
		p.Clock.Advance(time.Millisecond)
		if u, err := p.Binding.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || !u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.Sent(p.AskToUnbind(in))
		if with := portaltest.Refused(
			t, p.Unbind(in), access.ValidationFailed,
		); with.Fields["password"] != access.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		portaltest.Refused(t, p.Unbind(in), access.WrongPassword)
		if n := p.Failures("li.shop"); n != 1 {
			t.Errorf("%d failures", n)
		}
		in.Password = onboarding.DemoPassword
		in.Code, in.Flow = portaltest.OtherThan(in.Code), "session:"+signed.Session.ID
		portaltest.Refused(t, p.Unbind(in), access.CodeWrong)
		in.Code = p.Sms.Codes()[0].Code
		portaltest.NoError(t, p.Unbind(in))
		if n := p.Failures("sur"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestATokenIsAsOldAsTheSignInItCameFrom(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		p.Clock.Advance(signin.FreshSession + time.Minute)
		user, err := p.Landing.RedeemForClient(
			p.From(portaltest.HomeAddress),
			p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen).Code,
			landing.ClientApp,
			0,
		)
		portaltest.NoError(t, err)
		s, err := p.TokenSession(string(user.Token))
		portaltest.NoError(t, err)
		if u, err := p.Binding.Unbindable(t.Context(), s, 0); err == nil && !u.Confirm {
			t.Error("a stolen cookie becomes a fresh sign-in by way of an auth code")
		}
	})
}

func TestUnbindingOneOfSeveralAccountsNeedsTheIDOfAnOwnAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		_, err := p.Binding.Unbindable(t.Context(), signed.Session, 0)
		if with := portaltest.Refused(
			t, err, access.ValidationFailed,
		); with.Fields["account_id"] != access.ChoiceRequired {
			t.Errorf("%v", with.Fields)
		}
		for _, login := range []string{"buyer1", "nophone", "northwind"} {
			in := p.Unbinding(signed.Session, login)
			_, err := p.Ask(p.AskToUnbind(in))
			portaltest.Refused(t, err, access.NotFound)
			in.Code = "000000"
			portaltest.Refused(t, p.Unbind(in), access.NotFound)
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
		in := p.Unbinding(signed.Session, "li.shop") // and a code for one is not another's
		in.Code = p.Sent(p.AskToUnbind(in))
		in.AccountID = p.Account("sur").ID
		portaltest.Refused(t, p.Unbind(in), access.CodeExpired)
	})
}

func TestOnlyOneOfTwoConcurrentUnbindingsTakesEffect(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		in := p.Unbinding(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "buyer1")
		in.Code = p.Sent(p.AskToUnbind(in))
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if p.Unbind(in) == nil {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if done.Load() != 5 || p.Events(1001, "phone_unbound") != 1 {
			t.Errorf("%d of 5 succeeded, unbound %d times", done.Load(), p.Events(1001, "phone_unbound"))
		}
	})
}

func TestAReassignedNumberOpensNoEarlierAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		before := p.Open(portaltest.BuyerPhone, "buyer1")
		in := p.Unbinding(before.Signed.Session, "buyer1")
		in.Code = p.Sent(p.AskToUnbind(in))
		portaltest.NoError(t, p.Unbind(in))
		_, err := p.Ask(p.Asking(verification.ForLogin, portaltest.BuyerPhone, verification.NewFlow()))
		portaltest.Refused(t, err, access.PhoneNotBound)
		_, err = p.Login(p.As(portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.PhoneNotBound)
		ask := p.Asking(verification.ForReset, "", verification.NewFlow())
		ask.Login = "buyer1"
		_, err = p.Ask(ask)
		portaltest.Refused(t, err, access.PhoneNotBound)

		_, bind, bound := p.Proven("northwind", portaltest.BuyerPhone) // the number's next holder
		if len(bound.Others) != 0 {
			t.Errorf("it shows %+v", bound.Others)
		}
		bind.New, bind.Password, bind.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err = p.Bind(bind)
		portaltest.NoError(t, err)
		p.Clock.Advance(verification.DefaultResend)
		flow := verification.NewFlow()
		signed, err := p.CodeLogin(
			p.WithCode(
				portaltest.BuyerPhone, p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow)), flow,
			),
		)
		portaltest.NoError(t, err)
		p.WantList(signed.Session, "1003 mgr:northwind")
		p.WantLives("the former holder's", before, "")
		if p.Opens(portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("the former holder's password opens the number")
		}
		if phone := portaltest.PhoneOf(t, p.Db, portaltest.BuyerPhone); phone.DefaultCompanyID != 0 {
			t.Errorf("the default company %d was inherited", phone.DefaultCompanyID)
		}
	})
}

func TestTheNextHolderOfANumberIsAnotherPerson(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		_, bind, _ := p.Proven("nophone", portaltest.NewPhone) // the person added last
		bind.Password, bind.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err := p.Bind(bind)
		portaltest.NoError(t, err)
		sign := p.As(portaltest.NewPhone)
		sign.Password = portaltest.NewPassword
		before, err := p.Login(sign)
		portaltest.NoError(t, err)
		_, err = p.Accounts.ChooseCompany(
			t.Context(), accounts.ChooseCompanyInput{Session: before.Session, CompanyID: 1001, Default: true},
		)
		portaltest.NoError(t, err)
		in := p.Unbinding(before.Session, "nophone")
		in.Code = p.Sent(p.AskToUnbind(in))
		in.Password = portaltest.OtherPassword
		in.Confirm = portaltest.OtherPassword // the binding ended the account's own
		portaltest.NoError(t, p.Unbind(in))

		now := store.At(p.Clock.Now())
		_, err = p.Db.Phones.Add(
			t.Context(), store.Phone{Phone: portaltest.NewPhone, CreatedAt: now},
		) // as a company does for a customer of its
		portaltest.NoError(t, err)
		p.AddAccount("newcomer", 1001, store.Shop, portaltest.NewPhone)
		after := portaltest.PhoneOf(t, p.Db, portaltest.NewPhone)
		if after.ID == before.Session.PhoneID {
			t.Errorf("the next holder is the former one, phone %d", after.ID)
		}
		if after.DefaultCompanyID != 0 || p.Opens(portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the default company or the password was inherited")
		}
		if s, err := p.SignedIn(t.Context(), before.Token, p.Place(portaltest.AccountHost)); err == nil {
			if list, err := p.Accounts.Accounts(t.Context(), s); err == nil && len(list) > 0 {
				t.Errorf("the former holder's browser shows %q", portaltest.Listed(list))
			}
		}
	})
}
