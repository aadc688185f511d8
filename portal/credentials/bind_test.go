package credentials_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestAnUnregisteredPhoneIsBoundWithANewPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed, in, bound := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		if bound.Need != credentials.NeedNewPassword || bound.Phone != portaltest.NewPhone || bound.Others != nil ||
			bound.Token != "" {
			t.Errorf("%+v", bound)
		}
		if before := p.Account("nophone"); before.PersonID != 0 {
			t.Error("it is bound already")
		}
		for password, want := range map[string]access.Problem{"woaini1314": core.PasswordCommon,
			"x912345678": core.PasswordPersonal, "nophone88": core.PasswordPersonal,
			"": access.PasswordRequired} {
			in.Password, in.Confirm = password, password
			_, err := credentialtest.Bind(p, in)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["password"] != want {
				t.Errorf("%s: %v", password, with.Fields)
			}
		}
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		bound, err := credentialtest.Bind(p, in)
		if err != nil || bound.Need != credentials.NeedNothing || bound.Phone != portaltest.NewPhone ||
			bound.Token == "" {
			t.Fatalf("%+v, %v", bound, err)
		}
		portaltest.NoError(t, p.RequestSignedIn(bound.Token, portaltest.AccountHost))
		portaltest.Refused(t, p.RequestSignedIn(signed.Token, portaltest.AccountHost), access.LoginRequired)
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) ||
			credentialtest.AcceptsPassword(p, "nophone", onboarding.DemoPassword) ||
			p.Account("nophone").Phone != portaltest.NewPhone {
			t.Error("it is not bound, or the account's own password still works")
		}
		if n := p.CountEvents(1001, "phone_bound"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		p.WantNotices(portaltest.NewPhone + " phone_bound")
		again := p.LoginInput(portaltest.NewPhone)
		again.Password = portaltest.NewPassword
		result, err := p.Login(again)
		portaltest.NoError(t, err)
		if result.Step.Kind != signin.StepEnter {
			t.Errorf("it is offered again: %+v", result.Step)
		}
	})
}

func TestARegisteredPhoneIsBoundWithItsPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		person := credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		_, in, bound := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone)
		if bound.Need != credentials.NeedPassword || len(bound.Others) != 1 || bound.Others[0].Login != "buyer1" {
			t.Errorf("%+v", bound)
		}
		_, err := credentialtest.Bind(p, in)
		if with := portaltest.Refused(
			t, err, access.ValidationFailed,
		); with.Fields["password"] != access.PasswordRequired {
			t.Errorf("%v", with.Fields)
		}
		in.Password = "Wrong2026"
		_, err = credentialtest.Bind(p, in)
		if with := portaltest.Refused(t, err, access.WrongPassword); with.Left != signin.ProofFailures-1 {
			t.Errorf("%+v", with)
		}
		in.Password = onboarding.DemoPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "the person's", person, credentialtest.AllSignIns)
		companytest.WantAccounts(p.Platform,
			p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session, "1001 shop:buyer1", "1003 mgr:northwind",
		)
		if n := guesstest.CountFailures(p.Platform, "buyer1"); n != 0 {
			t.Errorf("%d failures are left", n)
		}
	})
}

func TestWrongPasswordsOfABindingCountAsFailedSignIns(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, in, _ := credentialtest.ProveBind(p, "northwind", portaltest.BuyerPhone)
		in.Password = "Wrong2026"
		for n := range signin.ProofFailures - 1 {
			_, err := credentialtest.Bind(p, in)
			portaltest.Refused(t, err, access.WrongPassword)
			if n >= signin.FreeFailures {
				p.Clock.Advance(2 * time.Second << (n - signin.FreeFailures))
			}
		}
		_, err := credentialtest.Bind(p, in) // the form cannot show a question, so it gets a wait
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != core.FailureWindow ||
			with.Question != nil {
			t.Errorf("%+v", with)
		}
		p.Clock.Advance(2 * time.Minute)
		in.Password = onboarding.DemoPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.TooManyAttempts)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword // the code still speaks
		_, err = credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
	})
}

func TestBindingCanReplaceAForgottenPasswordAndEndsItsSessions(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		person, named := credentialtest.SignInEverywhere(
			p, portaltest.ManyPhone, "li.shop",
		), credentialtest.SignInEverywhere(p, "sur", "sur")
		stranger := credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		_, in, bound := credentialtest.ProveBind(p, "nophone", portaltest.ManyPhone)
		var others []string
		for _, m := range bound.Others {
			others = append(others, m.Login)
		}
		if !slices.Equal(others, []string{"li.manager", "li.shop", "sur", "li.lights"}) {
			t.Errorf("it concerns %v", others)
		}
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		bound, err := credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "the person's", person, "")
		credentialtest.WantSignIns(p, "an account's, by name", named, "")
		credentialtest.WantSignIns(p, "another's", stranger, credentialtest.AllSignIns)
		portaltest.NoError(t, p.RequestSignedIn(bound.Token, portaltest.AccountHost))
		if credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, portaltest.NewPassword) ||
			credentialtest.AcceptsPassword(p, "sur", onboarding.DemoPassword) ||
			credentialtest.AcceptsPassword(p, "nophone", onboarding.DemoPassword) {
			t.Error("not the new password alone opens the accounts")
		}
	})
}

func TestAPhoneWithoutAPasswordGetsOneWhenItIsBound(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		portaltest.NoError(
			t, p.DB.Passwords.SetPerson(t.Context(), portaltest.PersonOf(t, p.DB, portaltest.UnboundPhone).ID, ""),
		)
		_, in, bound := credentialtest.ProveBind(p, "nophone", portaltest.UnboundPhone)
		if bound.Need != credentials.NeedNewPassword {
			t.Errorf("%+v", bound)
		}
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err := credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		if !credentialtest.AcceptsPassword(p, portaltest.UnboundPhone, portaltest.NewPassword) {
			t.Error("it has none")
		}
	})
}

func TestBindingAPhoneEndsTheOtherSessionsOfTheAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		elsewhere := credentialtest.SignInEverywhere(p, "nophone", "nophone")
		_, in, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err := credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "elsewhere", elsewhere, "")
	})
}

func TestAProvenBindingCanBeFinishedOnceWithinTenMinutes(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed, in, first := credentialtest.ProveBind(p, "nophone", portaltest.BuyerPhone)
		p.Restart()
		p.Clock.Advance(core.ProofLife - time.Second)
		if again, err := p.Binding.ResumeBind(
			t.Context(), signed.Session, in.Flow,
		); err != nil || again.Need != first.Need || again.Phone != first.Phone ||
			len(again.Others) != 1 {
			t.Errorf("%+v, %v", again, err)
		}
		p.Clock.Advance(time.Second)
		_, err := p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.Refused(t, err, access.CodeExpired)
		in.Password = onboarding.DemoPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.CodeExpired)

		in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p, in))
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				if _, err := credentialtest.Bind(p, in); err == nil {
					done.Add(1)
				} else if !errors.Is(err, access.CodeExpired) && !errors.Is(err, access.WrongParameters) &&
					!errors.Is(err, access.LoginRequired) && !errors.Is(err, access.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 5 || p.CountEvents(1001, "phone_bound") != 1 {
			t.Errorf("%d of 5 succeeded, bound %d times", done.Load(), p.CountEvents(1001, "phone_bound"))
		}
		again := p.Account("nophone")
		portaltest.NoError(t, p.DB.Persons.Unbind(t.Context(), 1001, again.ID, again.PersonID))
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAProofOfABindingWorksOnlyForItsSessionAndAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, in, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		again, other := p.SignIn(portaltest.AccountHost, "nophone"), p.SignIn(portaltest.AccountHost, "northwind")
		for name, change := range map[string]func(*credentials.BindInput){
			"another session's flow": func(in *credentials.BindInput) { in.Flow = "session:" + again.Session.ID },
			"no flow":                func(in *credentials.BindInput) { in.Flow = "" },
			"another account":        func(in *credentials.BindInput) { in.Session = other.Session },
		} {
			mine := in
			change(&mine)
			for range 2 {
				_, err := credentialtest.Bind(p, mine)
				if !errors.Is(err, access.CodeExpired) {
					t.Errorf("%s: %v", name, err)
				}
				mine.New = true
			}
			if _, err := p.Binding.ProveBind(t.Context(), mine); !errors.Is(err, access.CodeExpired) {
				t.Errorf("%s, the code again: %v", name, err)
			}
		}
		_, err := credentialtest.Bind(p,
			credentials.BindInput{
				Session:  store.Session{ID: "landing"},
				Flow:     in.Flow,
				New:      true,
				Password: portaltest.NewPassword,
				Confirm:  portaltest.NewPassword,
			},
		)
		portaltest.Refused(t, err, access.LoginRequired)
		in.Phone = portaltest.BuyerPhone // the last form's phone counts for nothing
		bound, err := credentialtest.Bind(p, in)
		if err != nil || bound.Phone != portaltest.NewPhone {
			t.Errorf("%+v, %v", bound, err)
		}
	})
}

func TestAnExclusivePhoneIsNotSharedWithAnotherCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		now := store.At(p.Clock.Now())
		_, err := p.DB.Companies.Save(
			t.Context(),
			store.Company{
				ID:              2001,
				Name:            "Allein",
				Language:        "zh",
				Standing:        store.Formal,
				Mall:            store.MallOpen,
				ExclusivePhones: true,
				CreatedAt:       now,
				UpdatedAt:       now,
			},
		)
		portaltest.NoError(t, err)
		companytest.AddAccount(p.Platform, "solo", 2001, store.Mgr, "")
		companytest.AddAccount(p.Platform, "kept", 2001, store.Shop, portaltest.UnboundPhone)
		for _, c := range []struct{ login, phone string }{{"solo", portaltest.BuyerPhone},
			{"northwind", portaltest.UnboundPhone}} {
			in := credentialtest.BindInput(p, p.SignIn(portaltest.AccountHost, c.login), c.phone)
			in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p, in))
			_, err := p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
			portaltest.Refused(t, err, access.PhoneBoundElsewhere)
			in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
			_, err = credentialtest.Bind(p, in)
			portaltest.Refused(t, err, access.PhoneBoundElsewhere)
			if p.Account(c.login).PersonID != 0 ||
				!credentialtest.AcceptsPassword(p, c.phone, onboarding.DemoPassword) {
				t.Error("something was changed")
			}
		}
		p.Clock.Advance(core.DefaultResend)
		// the phone of the same company's account
		_, own, _ := credentialtest.ProveBind(p, "solo", portaltest.UnboundPhone)
		own.Password = onboarding.DemoPassword
		_, err = credentialtest.Bind(p, own)
		portaltest.NoError(t, err)
	})
}

func TestAnAccountThatWasBoundMeanwhileIsNotChanged(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, in, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
		m, elsewhere := p.Account("nophone"), portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone)
		portaltest.NoError(t, p.DB.Persons.Bind(t.Context(), 1001, m.ID, elsewhere))
		in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
		_, err := credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		if p.Account("nophone").PersonID != elsewhere.ID {
			t.Error("it was bound anew")
		}
		_, err = p.DB.Persons.ByNumber(t.Context(), portaltest.NewPhone)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the phone was registered: %v", err)
		}
	})
}

func TestAnAccountWithAPhoneBindsNoOtherPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for _, who := range []string{portaltest.BuyerPhone, "buyer1"} { // by a phone, and of an account that has one
			in := credentialtest.BindInput(p, p.SignIn(portaltest.AccountHost, who), portaltest.NewPhone)
			_, err := p.AskCode(credentialtest.BindCodeRequest(p, in))
			portaltest.Refused(t, err, access.WrongParameters)
			in.Code = "000000"
			_, err = p.Binding.ProveBind(t.Context(), in)
			portaltest.Refused(t, err, access.WrongParameters)
			_, err = credentialtest.Bind(p, in)
			portaltest.Refused(t, err, access.WrongParameters)
			if _, ok, err := p.Binding.Bindable(t.Context(), in.Session); err != nil || ok {
				t.Errorf("%s: %v, %v", who, ok, err)
			}
		}
		if m, ok, err := p.Binding.Bindable(
			t.Context(), p.SignIn(portaltest.AccountHost, "nophone").Session,
		); err != nil || !ok ||
			m.Login != "nophone" {
			t.Errorf("%+v, %v, %v", m, ok, err)
		}
	})
}

func TestAPersonStopsTheReminderOnlyForTheirOwnAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		portaltest.Refused(
			t, p.Binding.StopBindReminder(t.Context(), signed.Session, p.Account("northwind").ID, 0), access.NotFound,
		)
		portaltest.Refused(t, p.Binding.StopBindReminder(t.Context(), signed.Session, 1<<40, 0), access.NotFound)
		portaltest.Refused(
			t,
			p.Binding.StopBindReminder(t.Context(), store.Session{ID: "landing"}, p.Account("nophone").ID, 0),
			access.LoginRequired,
		)
		if !p.Account("northwind").BindReminder || !p.Account("nophone").BindReminder {
			t.Error("it was stopped")
		}
		portaltest.NoError(t, p.Binding.StopBindReminder(t.Context(), signed.Session, p.Account("nophone").ID, 0))
		if p.Account("nophone").BindReminder || !p.Account("northwind").BindReminder {
			t.Error("not the own one was stopped")
		}
	})
}

func TestAStoppedReminderCanBeResumedByItsHolder(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		nophone := p.Account("nophone")
		portaltest.NoError(t, p.Binding.StopBindReminderOf(p.From(portaltest.HomeAddress), nophone.ID, 0))
		portaltest.NoError(t, p.Binding.StopBindReminderOf(p.From(portaltest.HomeAddress), nophone.ID, nophone.ID))
		if p.Account("nophone").BindReminder || p.CountEvents(1001, "bind_reminder_stopped") != 1 {
			t.Error("it is stopped once, and noted once")
		}
		other := p.SignIn(portaltest.AccountHost, "northwind")
		portaltest.Refused(t, p.Binding.ResumeBindReminder(t.Context(), other.Session, nophone.ID), access.NotFound)
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		if signed.Step.Kind == signin.StepBind {
			t.Error("the person is reminded")
		}
		for range 2 {
			portaltest.NoError(t, p.Binding.ResumeBindReminder(t.Context(), signed.Session, nophone.ID))
		}
		if !p.Account("nophone").BindReminder || p.CountEvents(1001, "bind_reminder_resumed") != 1 {
			t.Error("it is resumed once, and noted once")
		}
	})
}

func TestStoppingTheReminderOfAnUnknownAccountChangesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		portaltest.NoError(t, p.Binding.StopBindReminderOf(p.From(portaltest.HomeAddress), 1<<40, 0))
		nophone := p.Account("nophone")
		portaltest.Refused(
			t,
			p.Binding.StopBindReminderOf(p.From(portaltest.HomeAddress), nophone.ID, nophone.ID+1),
			access.WrongParameters,
		)
		if !p.Account("nophone").BindReminder || p.CountEvents(1001, "bind_reminder_stopped") != 0 {
			t.Error("something was stopped")
		}
	})
}

func TestStoppingRemindersWithoutATokenIsLimitedPerNetwork(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		stop := func(address string) error { return p.Binding.StopBindReminderOf(p.From(address), 1<<40, 0) }
		for range 20 {
			portaltest.NoError(t, stop("203.0.113.7"))
		}
		portaltest.Refused(t, stop("203.0.113.7"), access.TooManyAttempts)
		portaltest.NoError(t, stop("203.0.113.8"))
		for i := range 179 { // 200 of the /24 in all
			portaltest.NoError(t, stop(fmt.Sprintf("203.0.113.%d", 9+i)))
		}
		portaltest.Refused(t, stop("203.0.113.250"), access.TooManyAttempts)
		portaltest.NoError(t, stop("203.0.114.1"))
		// 2000 of the /16 in all
		storetest.Exec(t, p.DB, "UPDATE attempts SET window_failures = 1999 WHERE key = 'reminders:2:203.0.0.0/16'")
		portaltest.NoError(t, stop("203.0.115.1"))
		portaltest.Refused(t, stop("203.0.116.1"), access.TooManyAttempts)
		p.Clock.Advance(time.Hour - time.Millisecond)
		portaltest.Refused(t, stop("203.0.113.7"), access.TooManyAttempts)
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, stop("203.0.113.7"))
	})
}

func TestABindingCodesMessageNamesTheAccountsCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1003, func(c *store.Company) {
			c.Name = "North【wind】\nhttp://x.test"
			c.ConfirmedName = c.Name
		})
		in := credentialtest.BindInput(p, p.SignIn(portaltest.AccountHost, "northwind"), portaltest.NewPhone)
		p.ReceiveCode(credentialtest.BindCodeRequest(p, in))
		if m := p.Sms.Codes()[0]; m.Company != "Northwindhttpxtest" || m.Phone != portaltest.NewPhone ||
			m.Purpose != core.ForBind {
			t.Errorf("%+v", m)
		}
	})
}
