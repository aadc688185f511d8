package portal_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func (p *carer) unbinding(s portal.Session, login string) portal.UnbindInput {
	p.t.Helper()
	return portal.UnbindInput{AccountID: p.account(login).ID, Session: s, Flow: "session:" + s.ID, Lang: "zh"}
}

func (p *carer) askToUnbind(in portal.UnbindInput) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForUnbind, newPhone, in.Flow) // what is typed does not matter
	ask.Session, ask.AccountID = in.Session, in.AccountID
	return ask
}

func (p *carer) unbind(in portal.UnbindInput) error { return p.Unbind(p.from(homeAddress), in) }

func TestTakingAPhoneOffEndsWhatItOpenedOfTheAccountAndNothingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, sister, named, stranger := p.open(manyPhone, "li.shop"), p.open(manyPhone, "sur"), p.open("li.shop", "li.shop"), p.open(buyerPhone, "buyer1")
		in := p.unbinding(mine.signed.Session, "li.shop")
		in.Code = p.sent(p.askToUnbind(in))
		if m := p.sms.codes()[0]; m.Phone != manyPhone || m.Company != "金穗粮油" {
			t.Errorf("%+v", m)
		}
		noError(t, p.unbind(in))
		p.wantLives("of the account", mine, "browser")
		p.wantLives("of another account", sister, everything)
		p.wantLives("by its name", named, "")
		p.wantLives("another's", stranger, everything)
		p.wantList(p.signIn(accountHost, manyPhone).Session, "1001 mgr:li.manager", "1002 mgr:sur", "1003 shop:li.lights")
		if m := p.account("li.shop"); m.PhoneID != 0 || !p.opens("li.shop", portal.DemoPassword) {
			t.Error("the account cannot be entered by its name")
		}
		if n := p.events(1001, "phone_unbound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(manyPhone + " phone_unbound")
		p.clock.advance(portal.RepeatWindow)
		refused(t, p.unbind(in), portal.NotFound)
	})
}

func TestAnAccountByItsNameTakesItsPhoneOffAndStaysSignedIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, elsewhere, person := p.signIn(accountHost, "li.shop"), p.open("li.shop", "li.shop"), p.open(manyPhone, "sur")
		in := p.unbinding(mine.Session, "li.shop")
		in.AccountID = 0
		if sent, err := p.ask(p.askToUnbind(in)); err != nil || sent.Phone != "138****0003" {
			t.Errorf("%+v, %v", sent, err)
		}
		in.Code = p.sms.codes()[0].Code
		noError(t, p.unbind(in))
		noError(t, p.signedIn(mine.Token, accountHost))
		p.wantLives("elsewhere", elsewhere, "")
		p.wantLives("another account of the phone", person, everything)
	})
}

func TestAnAccountWithoutAPasswordOfItsOwnGetsOneFirst(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("buyer1")
		noError(t, p.db.SetAccountPassword(t.Context(), 1001, m.ID, ""))
		signed := p.signIn(accountHost, buyerPhone)
		in := p.unbinding(signed.Session, "buyer1")
		if u, err := p.Unbindable(t.Context(), in.Session, 0); err != nil || !u.NewPassword || u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.sent(p.askToUnbind(in))
		refused(t, p.unbind(in), portal.PasswordNotSet)
		for password, want := range map[string]portal.Problem{"buyer188": portal.PasswordPersonal, "x80000000x": portal.PasswordPersonal, "qwe123": portal.PasswordPattern} {
			in.Password, in.Confirm = password, password
			if with := refused(t, p.unbind(in), portal.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		if p.account("buyer1").PhoneID == 0 {
			t.Fatal("it was unbound without a way in")
		}
		in.Password, in.Confirm = newPassword, newPassword
		noError(t, p.unbind(in))
		if !p.opens("buyer1", newPassword) {
			t.Error("its name opens nothing")
		}

		noError(t, p.db.SetAccountPassword(t.Context(), 1001, p.account("jinsui").ID, ""))
		old := p.signIn(accountHost, managerPhone)
		p.clock.advance(portal.FreshSession + time.Second)
		_, err := p.Unbindable(t.Context(), old.Session, 0)
		refused(t, err, portal.LoginRequired)
	})
}

func TestASignInOlderThanTenMinutesConfirmsByItsPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		in := p.unbinding(signed.Session, "li.shop")
		p.clock.advance(portal.FreshSession - time.Millisecond)
		if u, err := p.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || u.Confirm || u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
		p.clock.advance(time.Millisecond)
		if u, err := p.Unbindable(t.Context(), in.Session, in.AccountID); err != nil || !u.Confirm {
			t.Errorf("%+v, %v", u, err)
		}
		in.Code = p.sent(p.askToUnbind(in))
		if with := refused(t, p.unbind(in), portal.ValidationFailed); with.Fields["password"] != portal.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		refused(t, p.unbind(in), portal.WrongPassword)
		if n := p.failures("li.shop"); n != 1 {
			t.Errorf("%d failures", n)
		}
		in.Password = portal.DemoPassword
		in.Code, in.Flow = otherThan(in.Code), "session:"+signed.Session.ID
		refused(t, p.unbind(in), portal.CodeWrong)
		in.Code = p.sms.codes()[0].Code
		noError(t, p.unbind(in))
		if n := p.failures("sur"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestATokenFromAnOldSignInIsAsOldAsThatIs(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, buyerPhone)
		p.clock.advance(portal.FreshSession + time.Minute)
		user, err := p.RedeemForClient(p.from(homeAddress), p.enter(signed, accountHost, "buyer1", phoneScreen).Code, portal.ClientApp, 0)
		noError(t, err)
		s, err := p.tokenSession(string(user.Token))
		noError(t, err)
		if u, err := p.Unbindable(t.Context(), s, 0); err == nil && !u.Confirm {
			t.Error("a stolen cookie becomes a fresh sign-in by way of an auth code")
		}
	})
}

func TestWithSeveralAccountsOneIsNamedAndOnlyAnOwnOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		_, err := p.Unbindable(t.Context(), signed.Session, 0)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["account_id"] != portal.ChoiceRequired {
			t.Errorf("%v", with.Fields)
		}
		for _, login := range []string{"buyer1", "nophone", "northwind"} {
			in := p.unbinding(signed.Session, login)
			_, err := p.ask(p.askToUnbind(in))
			refused(t, err, portal.NotFound)
			in.Code = "000000"
			refused(t, p.unbind(in), portal.NotFound)
		}
		_, err = p.Unbindable(t.Context(), p.signIn(accountHost, "nophone").Session, 0)
		refused(t, err, portal.WrongParameters)
		_, err = p.Unbindable(t.Context(), store.Session{ID: "landing"}, 0)
		refused(t, err, portal.LoginRequired)
		inHouse := p.signIn("store1002.portico.test", manyPhone)
		if u, err := p.Unbindable(t.Context(), inHouse.Session, 0); err != nil || u.Member.Login != "sur" {
			t.Errorf("%+v, %v", u.Member, err)
		}
		_, err = p.Unbindable(t.Context(), inHouse.Session, p.account("li.shop").ID)
		refused(t, err, portal.NotFound)
		if n := len(p.sms.messages()); n != 0 {
			t.Errorf("%d messages", n)
		}
		in := p.unbinding(signed.Session, "li.shop") // and a code for one is not another's
		in.Code = p.sent(p.askToUnbind(in))
		in.AccountID = p.account("sur").ID
		refused(t, p.unbind(in), portal.CodeExpired)
	})
}

func TestOfTwoUnbindingsAtOnceOneHappens(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		in := p.unbinding(p.signIn(accountHost, buyerPhone).Session, "buyer1")
		in.Code = p.sent(p.askToUnbind(in))
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if p.unbind(in) == nil {
					done.Add(1)
				}
			})
		}
		group.Wait()
		if done.Load() != 5 || p.events(1001, "phone_unbound") != 1 {
			t.Errorf("%d of 5 succeeded, unbound %d times", done.Load(), p.events(1001, "phone_unbound"))
		}
	})
}

func TestANumberThatChangesHandsOpensNothingOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.open(buyerPhone, "buyer1")
		in := p.unbinding(before.signed.Session, "buyer1")
		in.Code = p.sent(p.askToUnbind(in))
		noError(t, p.unbind(in))
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		refused(t, err, portal.PhoneNotBound)
		_, err = p.login(p.as(buyerPhone))
		refused(t, err, portal.PhoneNotBound)
		ask := p.asking(portal.ForReset, "", portal.NewFlow())
		ask.Login = "buyer1"
		_, err = p.ask(ask)
		refused(t, err, portal.PhoneNotBound)

		_, bind, bound := p.proven("northwind", buyerPhone) // the number's next holder
		if len(bound.Others) != 0 {
			t.Errorf("it shows %+v", bound.Others)
		}
		bind.New, bind.Password, bind.Confirm = true, newPassword, newPassword
		_, err = p.bind(bind)
		noError(t, err)
		p.clock.advance(portal.DefaultResend)
		flow := portal.NewFlow()
		signed, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow))
		noError(t, err)
		p.wantList(signed.Session, "1003 mgr:northwind")
		p.wantLives("the former holder's", before, "")
		if p.opens(buyerPhone, portal.DemoPassword) {
			t.Error("the former holder's password opens the number")
		}
		if phone := phoneOf(t, p.db, buyerPhone); phone.DefaultCompanyID != 0 {
			t.Errorf("the default company %d was inherited", phone.DefaultCompanyID)
		}
	})
}

func TestTheNextHolderOfANumberIsSomebodyElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, bind, _ := p.proven("nophone", newPhone) // the person added last
		bind.Password, bind.Confirm = newPassword, newPassword
		_, err := p.bind(bind)
		noError(t, err)
		sign := p.as(newPhone)
		sign.Password = newPassword
		before, err := p.login(sign)
		noError(t, err)
		_, err = p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: before.Session, CompanyID: 1001, Default: true})
		noError(t, err)
		in := p.unbinding(before.Session, "nophone")
		in.Code = p.sent(p.askToUnbind(in))
		in.Password, in.Confirm = otherPassword, otherPassword // the binding ended the account's own
		noError(t, p.unbind(in))

		now := store.At(p.clock.now())
		_, err = p.db.AddPhone(t.Context(), store.Phone{Phone: newPhone, CreatedAt: now}) // as a company does for a customer of its
		noError(t, err)
		p.addAccount("newcomer", 1001, store.Shop, newPhone)
		after := phoneOf(t, p.db, newPhone)
		if after.ID == before.Session.PhoneID {
			t.Errorf("the next holder is the former one, phone %d", after.ID)
		}
		if after.DefaultCompanyID != 0 || p.opens(newPhone, newPassword) {
			t.Error("the default company or the password was inherited")
		}
		if s, err := p.SignedIn(t.Context(), before.Token, p.place(accountHost)); err == nil {
			if list, err := p.Accounts(t.Context(), s); err == nil && len(list) > 0 {
				t.Errorf("the former holder's browser shows %q", listed(list))
			}
		}
	})
}

// All of it, searched for secrets.
