package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func (p *carer) binding(signed portal.LoginResult, phone string) portal.BindInput {
	p.t.Helper()
	return portal.BindInput{Phone: phone, Session: signed.Session, Flow: "session:" + signed.Session.ID, Lang: "zh"}
}

func (p *carer) askToBind(in portal.BindInput) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForBind, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// proven is a binding whose code was right.
func (p *carer) proven(login, phone string) (portal.LoginResult, portal.BindInput, portal.Bound) {
	p.t.Helper()
	signed := p.signIn(accountHost, login)
	in := p.binding(signed, phone)
	in.Code = p.sent(p.askToBind(in))
	bound, err := p.ProveBind(p.from(homeAddress), in)
	noError(p.t, err)
	return signed, in, bound
}

func (p *carer) bind(in portal.BindInput) (portal.Bound, error) {
	return p.Bind(p.from(homeAddress), in)
}

func TestAPhoneNobodyRegisteredIsBoundWithANewPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed, in, bound := p.proven("nophone", newPhone)
		if bound.Need != portal.NeedNewPassword || bound.Phone != newPhone || bound.Others != nil || bound.Token != "" {
			t.Errorf("%+v", bound)
		}
		if before := p.account("nophone"); before.PhoneID != 0 {
			t.Error("it is bound already")
		}
		for password, want := range map[string]portal.Problem{"woaini1314": portal.PasswordCommon, "x912345678": portal.PasswordPersonal, "nophone88": portal.PasswordPersonal, "": portal.PasswordRequired} {
			in.Password, in.Confirm = password, password
			_, err := p.bind(in)
			if with := refused(t, err, portal.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		in.Password, in.Confirm = newPassword, newPassword
		bound, err := p.bind(in)
		if err != nil || bound.Need != portal.NeedNothing || bound.Phone != newPhone || bound.Token == "" {
			t.Fatalf("%+v, %v", bound, err)
		}
		noError(t, p.signedIn(bound.Token, accountHost))
		refused(t, p.signedIn(signed.Token, accountHost), portal.LoginRequired)
		if !p.opens(newPhone, newPassword) || p.opens("nophone", portal.DemoPassword) ||
			p.account("nophone").Phone != newPhone {
			t.Error("it is not bound, or the account's own password still works")
		}
		if n := p.events(1001, "phone_bound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.wantNotices(newPhone + " phone_bound")
		again := p.as(newPhone)
		again.Password = newPassword
		result, err := p.login(again)
		noError(t, err)
		if result.Step.Kind != portal.StepEnter {
			t.Errorf("it is offered again: %+v", result.Step)
		}
	})
}

func TestARegisteredPhoneIsBoundWithItsPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person := p.open(buyerPhone, "buyer1")
		_, in, bound := p.proven("northwind", buyerPhone)
		if bound.Need != portal.NeedPassword || len(bound.Others) != 1 || bound.Others[0].Login != "buyer1" {
			t.Errorf("%+v", bound)
		}
		_, err := p.bind(in)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["password"] != portal.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		_, err = p.bind(in)
		if with := refused(t, err, portal.WrongPassword); with.Left != portal.ProofFailures-1 {
			t.Errorf("%+v", with)
		}
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		noError(t, err)
		p.wantLives("the person's", person, everything)
		p.wantList(p.signIn(accountHost, buyerPhone).Session, "1001 shop:buyer1", "1003 mgr:northwind")
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestWrongPasswordsOfABindingDrawOnTheBudgetOfSignIns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("northwind", buyerPhone)
		in.Password = "Wrong2026"
		for n := range portal.ProofFailures - 1 {
			_, err := p.bind(in)
			refused(t, err, portal.WrongPassword)
			if n >= portal.FreeFailures {
				p.clock.advance(2 * time.Second << (n - portal.FreeFailures))
			}
		}
		_, err := p.bind(in) // the wait stands in for a question
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != portal.FailureWindow || with.Question != nil {
			t.Errorf("%+v", with)
		}
		p.clock.advance(2 * time.Minute)
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		refused(t, err, portal.TooManyAttempts)
		in.New, in.Password, in.Confirm = true, newPassword, newPassword // the code still speaks
		_, err = p.bind(in)
		noError(t, err)
	})
}

func TestAPasswordNotAtHandIsReplacedAndWhatItOpenedEnds(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person, named, stranger := p.open(manyPhone, "li.shop"), p.open("sur", "sur"), p.open(buyerPhone, "buyer1")
		_, in, bound := p.proven("nophone", manyPhone)
		var others []string
		for _, m := range bound.Others {
			others = append(others, m.Login)
		}
		if !slices.Equal(others, []string{"li.manager", "li.shop", "sur", "li.lights"}) {
			t.Errorf("it concerns %v", others)
		}
		in.New, in.Password, in.Confirm = true, newPassword, newPassword
		bound, err := p.bind(in)
		noError(t, err)
		p.wantLives("the person's", person, "")
		p.wantLives("an account's, by name", named, "")
		p.wantLives("another's", stranger, everything)
		noError(t, p.signedIn(bound.Token, accountHost))
		if p.opens(manyPhone, portal.DemoPassword) || !p.opens(manyPhone, newPassword) ||
			p.opens("sur", portal.DemoPassword) || p.opens("nophone", portal.DemoPassword) {
			t.Error("not the new password alone opens the accounts")
		}
	})
}

func TestAPhoneWithoutAPasswordGetsOneWhenItIsBound(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		noError(t, p.db.SetPhonePassword(t.Context(), phoneOf(t, p.db, unboundPhone).ID, ""))
		_, in, bound := p.proven("nophone", unboundPhone)
		if bound.Need != portal.NeedNewPassword {
			t.Errorf("%+v", bound)
		}
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		noError(t, err)
		if !p.opens(unboundPhone, newPassword) {
			t.Error("it has none")
		}
	})
}

func TestTheOtherSessionsOfAnAccountEndWhenAPhoneIsBoundToIt(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		elsewhere := p.open("nophone", "nophone")
		_, in, _ := p.proven("nophone", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		noError(t, err)
		p.wantLives("elsewhere", elsewhere, "")
	})
}

func TestAProvenBindingIsResumedForTenMinutesAndUsedOnce(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		signed, in, first := p.proven("nophone", buyerPhone)
		p.restart()
		p.clock.advance(portal.ProofLife - time.Second)
		if again, err := p.ResumeBind(t.Context(), signed.Session, in.Flow); err != nil || again.Need != first.Need || again.Phone != first.Phone || len(again.Others) != 1 {
			t.Errorf("%+v, %v", again, err)
		}
		p.clock.advance(time.Second)
		_, err := p.ResumeBind(t.Context(), signed.Session, in.Flow)
		refused(t, err, portal.CodeExpired)
		in.Password = portal.DemoPassword
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)

		in.Code = p.sent(p.askToBind(in))
		_, err = p.ProveBind(p.from(homeAddress), in)
		noError(t, err)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := p.bind(in); err == nil {
					done.Add(1)
				} else if !errors.Is(err, portal.CodeExpired) && !errors.Is(err, portal.WrongParameters) && !errors.Is(err, portal.LoginRequired) && !errors.Is(err, portal.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 5 || p.events(1001, "phone_bound") != 1 {
			t.Errorf("%d of 5 succeeded, bound %d times", done.Load(), p.events(1001, "phone_bound"))
		}
		again := p.account("nophone")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, again.ID, again.PhoneID))
		_, err = p.bind(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestAProofOfABindingIsGoodForItsSessionAndAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("nophone", newPhone)
		in.Password, in.Confirm = newPassword, newPassword
		again, other := p.signIn(accountHost, "nophone"), p.signIn(accountHost, "northwind")
		for name, change := range map[string]func(*portal.BindInput){
			"another session's flow": func(in *portal.BindInput) { in.Flow = "session:" + again.Session.ID },
			"no flow":                func(in *portal.BindInput) { in.Flow = "" },
			"another account":        func(in *portal.BindInput) { in.Session = other.Session },
		} {
			mine := in
			change(&mine)
			for range 2 {
				_, err := p.bind(mine)
				if !errors.Is(err, portal.CodeExpired) {
					t.Errorf("%s: %v", name, err)
				}
				mine.New = true
			}
			if _, err := p.ProveBind(t.Context(), mine); !errors.Is(err, portal.CodeExpired) {
				t.Errorf("%s, the code again: %v", name, err)
			}
		}
		_, err := p.bind(portal.BindInput{Session: store.Session{ID: "landing"}, Flow: in.Flow, New: true, Password: newPassword, Confirm: newPassword})
		refused(t, err, portal.LoginRequired)
		in.Phone = buyerPhone // the last form's phone counts for nothing
		bound, err := p.bind(in)
		if err != nil || bound.Phone != newPhone {
			t.Errorf("%+v, %v", bound, err)
		}
	})
}

func TestAPhoneThatACompanyKeepsToItselfIsNotSharedEitherWay(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		now := store.At(p.clock.now())
		_, err := p.db.SaveCompany(t.Context(), store.Company{ID: 2001, Name: "Allein", Language: "zh", Standing: store.Formal, Mall: store.MallOpen, ExclusivePhones: true, CreatedAt: now, UpdatedAt: now})
		noError(t, err)
		p.addAccount("solo", 2001, store.Mgr, "")
		p.addAccount("kept", 2001, store.Shop, unboundPhone)
		for _, c := range []struct{ login, phone string }{{"solo", buyerPhone}, {"northwind", unboundPhone}} {
			in := p.binding(p.signIn(accountHost, c.login), c.phone)
			in.Code = p.sent(p.askToBind(in))
			_, err := p.ProveBind(p.from(homeAddress), in)
			refused(t, err, portal.PhoneBoundElsewhere)
			in.New, in.Password, in.Confirm = true, newPassword, newPassword
			_, err = p.bind(in)
			refused(t, err, portal.PhoneBoundElsewhere)
			if p.account(c.login).PhoneID != 0 || !p.opens(c.phone, portal.DemoPassword) {
				t.Error("something was changed")
			}
		}
		p.clock.advance(portal.DefaultResend)
		_, own, _ := p.proven("solo", unboundPhone) // the phone of the same company's account
		own.Password = portal.DemoPassword
		_, err = p.bind(own)
		noError(t, err)
	})
}

func TestAnAccountBoundMeanwhileIsLeftAsItIs(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, in, _ := p.proven("nophone", newPhone)
		m, elsewhere := p.account("nophone"), phoneOf(t, p.db, managerPhone)
		noError(t, p.db.BindPhone(t.Context(), 1001, m.ID, elsewhere))
		in.Password, in.Confirm = newPassword, newPassword
		_, err := p.bind(in)
		refused(t, err, portal.WrongParameters)
		if p.account("nophone").PhoneID != elsewhere.ID {
			t.Error("it was bound anew")
		}
		_, err = p.db.PhoneByNumber(t.Context(), newPhone)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}
	})
}

func TestASessionProvenByAPhoneBindsNone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for _, who := range []string{buyerPhone, "buyer1"} { // by a phone, and of an account that has one
			in := p.binding(p.signIn(accountHost, who), newPhone)
			_, err := p.ask(p.askToBind(in))
			refused(t, err, portal.WrongParameters)
			in.Code = "000000"
			_, err = p.ProveBind(t.Context(), in)
			refused(t, err, portal.WrongParameters)
			_, err = p.bind(in)
			refused(t, err, portal.WrongParameters)
			if _, ok, err := p.Bindable(t.Context(), in.Session); err != nil || ok {
				t.Errorf("%s: %v, %v", who, ok, err)
			}
		}
		if m, ok, err := p.Bindable(t.Context(), p.signIn(accountHost, "nophone").Session); err != nil || !ok || m.Login != "nophone" {
			t.Errorf("%+v, %v, %v", m, ok, err)
		}
	})
}

func TestTheReminderIsStoppedForAnOwnAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, "nophone")
		refused(t, p.StopBindReminder(t.Context(), signed.Session, p.account("northwind").ID, 0), portal.NotFound)
		refused(t, p.StopBindReminder(t.Context(), signed.Session, 1<<40, 0), portal.NotFound)
		refused(t, p.StopBindReminder(t.Context(), store.Session{ID: "landing"}, p.account("nophone").ID, 0), portal.LoginRequired)
		if !p.account("northwind").BindReminder || !p.account("nophone").BindReminder {
			t.Error("it was stopped")
		}
		noError(t, p.StopBindReminder(t.Context(), signed.Session, p.account("nophone").ID, 0))
		if p.account("nophone").BindReminder || !p.account("northwind").BindReminder {
			t.Error("not the own one was stopped")
		}
	})
}

func TestAStoppedReminderCanBeResumedByItsHolder(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		nophone := p.account("nophone")
		noError(t, p.StopBindReminderOf(p.from(homeAddress), nophone.ID, 0))
		noError(t, p.StopBindReminderOf(p.from(homeAddress), nophone.ID, nophone.ID))
		if p.account("nophone").BindReminder || p.events(1001, "bind_reminder_stopped") != 1 {
			t.Error("it is stopped once, and noted once")
		}
		other := p.signIn(accountHost, "northwind")
		refused(t, p.ResumeBindReminder(t.Context(), other.Session, nophone.ID), portal.NotFound)
		signed := p.signIn(accountHost, "nophone")
		if signed.Step.Kind == portal.StepBind {
			t.Error("the person is reminded")
		}
		for range 2 {
			noError(t, p.ResumeBindReminder(t.Context(), signed.Session, nophone.ID))
		}
		if !p.account("nophone").BindReminder || p.events(1001, "bind_reminder_resumed") != 1 {
			t.Error("it is resumed once, and noted once")
		}
	})
}

func TestStoppingTheReminderOfAnUnknownAccountChangesNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		noError(t, p.StopBindReminderOf(p.from(homeAddress), 1<<40, 0))
		nophone := p.account("nophone")
		refused(t, p.StopBindReminderOf(p.from(homeAddress), nophone.ID, nophone.ID+1), portal.WrongParameters)
		if !p.account("nophone").BindReminder || p.events(1001, "bind_reminder_stopped") != 0 {
			t.Error("something was stopped")
		}
	})
}

func TestANetworkStopsFewRemindersWithoutAToken(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		stop := func(address string) error { return p.StopBindReminderOf(p.from(address), 1<<40, 0) }
		for range 20 {
			noError(t, stop("203.0.113.7"))
		}
		refused(t, stop("203.0.113.7"), portal.TooManyAttempts)
		noError(t, stop("203.0.113.8"))
		for i := range 179 { // 200 of the /24 in all
			noError(t, stop(fmt.Sprintf("203.0.113.%d", 9+i)))
		}
		refused(t, stop("203.0.113.250"), portal.TooManyAttempts)
		noError(t, stop("203.0.114.1"))
		p.clock.advance(time.Hour + time.Second)
		noError(t, stop("203.0.113.7"))
	})
}

func TestACodeForABindingNamesTheAccountsCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1003, func(c *store.Company) {
			c.Name = "North【wind】\nhttp://x.test"
			c.ConfirmedName = c.Name
		})
		in := p.binding(p.signIn(accountHost, "northwind"), newPhone)
		p.sent(p.askToBind(in))
		if m := p.sms.codes()[0]; m.Company != "Northwindhttpxtest" || m.Phone != newPhone || m.Purpose != portal.ForBind {
			t.Errorf("%+v", m)
		}
	})
}

// Taking a phone off.
