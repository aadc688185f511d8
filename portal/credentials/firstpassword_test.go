package credentials_test

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestAFirstPasswordHasToBeReplacedBeforeAnythingElse(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		password := opened.First.Password
		if !regexp.MustCompile(`^[a-km-np-z2-9]{12}$`).MatchString(password) ||
			office.PersonStateOf(opened.Member) != office.PersonFirstPassword {
			t.Errorf("%q, %s", password, office.PersonStateOf(opened.Member))
		}
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", password))
		portaltest.NoError(t, err)
		if want := (signin.Step{Kind: signin.StepPassword, CompanyID: 1001,
			AccountID: opened.Member.ID}); signed.Step != want {
			t.Errorf("it leads to %+v", signed.Step)
		}
		s, id := signed.Session, opened.Member.ID
		for name, door := range map[string]func() error{
			"enter": func() error {
				_, err := p.Entry.Enter(t.Context(),
					access.EnterInput{Session: s, AccountID: id, Place: p.Place(portaltest.AccountHost),
						Device: portaltest.Desktop})
				return err
			},
			"enter as a program": func() error { _, err := p.Entry.EnterAsClient(t.Context(), s, id, ""); return err },
			"continue":           func() error { _, err := p.Accounts.Continue(t.Context(), s); return err },
			"accounts":           func() error { _, err := p.Accounts.Accounts(t.Context(), s); return err },
			"choose a company": func() error {
				_, err := p.Accounts.ChooseCompany(t.Context(),
					signin.ChooseCompanyInput{Session: s, CompanyID: 1001})
				return err
			},
			"choose a side": func() error {
				_, err := p.Accounts.ChooseCompany(t.Context(),
					signin.ChooseCompanyInput{Session: s, Side: store.Mgr})
				return err
			},
			"default company": func() error { return p.Accounts.SetDefaultCompany(t.Context(), s, 1001, "") },
			"push": func() error {
				return p.Chatlogin.BindPush(t.Context(), s, signin.PushInput{UserID: id, PushID: "abc"})
			},
			"hide":     func() error { return p.Accounts.HideAccount(t.Context(), s, id) },
			"unbind":   func() error { _, err := p.Binding.Unbindable(t.Context(), s, id); return err },
			"reminder": func() error { return p.Binding.StopBindReminder(t.Context(), s, id, 0) },
		} {
			if with := portaltest.Refused(t, door(), access.PasswordNotSet); !with.FirstPassword ||
				with.Company != nil {
				t.Errorf("%s: %+v", name, with)
			}
		}
		if first, err := p.Credentials.HasFirstPassword(t.Context(), s); !first || err != nil {
			t.Errorf("%v, %v", first, err)
		}
		_, err = credentialtest.ReplacePassword(p.Platform, s, password, password)
		portaltest.WantField(t, err, "password", core.PasswordSame)
		token, err := credentialtest.ReplacePassword(p.Platform, s, password, credentialtest.ChosenPassword)
		portaltest.NoError(t, err)
		s, err = p.SignedIn(t.Context(), token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		step, err := p.Binding.ContinueSignIn(t.Context(), s)
		if err != nil || step.Kind != signin.StepBind {
			t.Errorf("%+v, %v", step, err)
		}
		p.Enter(signin.LoginResult{Session: s}, portaltest.AccountHost, "newcomer", portaltest.Desktop)
		if m := p.Account("newcomer"); m.FirstPasswordUntil != 0 ||
			office.PersonStateOf(m) != office.PersonActive {
			t.Errorf("%+v", m.Account)
		}
		_, err = p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", password))
		portaltest.Refused(t, err, access.WrongPassword)
		if p.CountEvents(1001, "first_password_given") != 1 || p.CountEvents(1001, "first_password_changed") != 1 {
			t.Error("it is not written down")
		}
		dump, err := storetest.Dump(t.Context(), p.DB)
		portaltest.NoError(t, err)
		if strings.Contains(dump, password) || strings.Contains(p.Log.String(), password) {
			t.Error("the first password is written down in clear")
		}
	})
}

func TestAFirstPasswordExpiresAfterSevenDays(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		p.Clock.Advance(7*24*time.Hour - time.Second)
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", opened.First.Password))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Second)
		with := portaltest.Refused(
			t,
			func() error {
				_, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", opened.First.Password))
				return err
			}(),
			access.PasswordNotSet,
		)
		if !with.FirstPassword || with.Company == nil || len(with.Contacts) == 0 ||
			with.Contacts[0].Role != access.RoleAdministrator {
			t.Errorf("%+v", with)
		}
		if key, _ := with.Message(); key != "first_password.ended" {
			t.Error(key)
		}
		_, err = credentialtest.ReplacePassword(p.Platform,
			signed.Session, opened.First.Password, credentialtest.ChosenPassword,
		) // not from a session that began before, either
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = p.Signin.ClientLogin(
			p.From(portaltest.HomeAddress),
			signin.ClientLoginInput{Login: "newcomer", Password: opened.First.Password, Client: signin.ClientApp},
		)
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", "Wrong2026"))
		portaltest.Refused(t, err, access.WrongPassword) // only a person who has the password learns that it expired

		again, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), opened.Member.ID, "")
		portaltest.NoError(t, err)
		_, err = p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", again.Password))
		portaltest.NoError(t, err)
	})
}

func TestAProgramReplacesAFirstPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		result, err := p.Signin.ClientLogin(
			p.From(portaltest.HomeAddress),
			signin.ClientLoginInput{Login: "newcomer", Password: opened.First.Password, Client: signin.ClientApp},
		)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p, string(result.User.Token))
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAsClient(t.Context(), s, opened.Member.ID, "")
		portaltest.Refused(t, err, access.PasswordNotSet)
		ticket, err := p.Landing.Token(
			t.Context(), signin.TokenInput{Token: result.Ticket, Client: signin.ClientApp, Ticket: true},
		)
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAsClient(t.Context(), ticket, opened.Member.ID, "")
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = credentialtest.ReplacePassword(p.Platform, s, opened.First.Password, credentialtest.ChosenPassword)
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAsClient(t.Context(), s, opened.Member.ID, "")
		portaltest.NoError(t, err)
	})
}

func TestGivingAFirstPasswordEndsTheAccountsSessionsAndKeepsThePhonesPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("li.manager")
		byName, byPhone := credentialtest.SignInEverywhere(p, "li.manager", "li.manager"), p.SignIn(
			portaltest.AccountHost, portaltest.ManyPhone,
		)
		given, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Administrator(), m.ID, "")
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "by name", byName, "")
		if !credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) ||
			p.RequestSignedIn(byPhone.Token, portaltest.AccountHost) != nil {
			t.Error("the person's own password, or session, is gone")
		}
		p.Enter(
			byPhone, portaltest.AccountHost, "li.manager", portaltest.Desktop,
		) // by phone there is nothing to replace
		code := p.Enter(byPhone, portaltest.AccountHost, "li.manager", portaltest.Desktop).Code
		user, err := p.Landing.RedeemForClient(p.From(portaltest.HomeAddress), code, signin.ClientApp, 0)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p, string(user.Token))
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAsClient(t.Context(), s, m.ID, "")
		portaltest.NoError(t, err)
		_, err = p.Login(p.LoginInput("li.manager"))
		portaltest.Refused(t, err, access.WrongPassword)
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "li.manager", given.Password))
		if err != nil || signed.Step.Kind != signin.StepPassword {
			t.Errorf("%+v, %v", signed.Step, err)
		}
	})
}

func TestAnInvitedAccountHasNoFirstPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := companytest.AddOffer(p, 1001, "invited", portaltest.NewPhone)
		_, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, "")
		portaltest.Refused(t, err, access.WrongParameters)
	})
}

func TestAResetByPhoneReplacesAFirstPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("li.manager")
		given, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Administrator(), m.ID, "")
		portaltest.NoError(t, err)
		in := credentials.ResetInput{
			Login:    "li.manager",
			Flow:     core.NewFlow(),
			Password: given.Password,
			Confirm:  given.Password,
			Place:    p.Place(portaltest.AccountHost),
		}
		ask := p.CodeRequest(core.ForReset, "", in.Flow)
		ask.Login = "li.manager"
		in.Code = p.ReceiveCode(ask)
		portaltest.WantField(t, p.ResetPassword(in), "password", core.PasswordSame)
		in.Password, in.Confirm = credentialtest.ChosenPassword, credentialtest.ChosenPassword
		portaltest.NoError(t, p.ResetPassword(in))
		if p.Account("li.manager").FirstPasswordUntil != 0 {
			t.Error("it is to be replaced still")
		}
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "li.manager", credentialtest.ChosenPassword))
		if err != nil || signed.Step.Kind != signin.StepEnter {
			t.Errorf("%+v, %v", signed.Step, err)
		}
	})
}

func TestBindingAPhoneRemovesTheFirstPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", opened.First.Password))
		portaltest.NoError(t, err)
		in := credentialtest.BindInput(p, signed, portaltest.NewPhone)
		in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p, in))
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		in.Password, in.Confirm = credentialtest.ChosenPassword, credentialtest.ChosenPassword
		bound, err := credentialtest.Bind(p, in)
		portaltest.NoError(t, err)
		s, err := p.SignedIn(t.Context(), bound.Token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		p.Enter(signin.LoginResult{Session: s}, portaltest.AccountHost, "newcomer", portaltest.Desktop)
		_, err = p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", opened.First.Password))
		portaltest.Refused(t, err, access.WrongPassword)
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, credentialtest.ChosenPassword) {
			t.Error("there is no way in")
		}
	})
}

func TestUnbindingWithAPendingFirstPasswordNeedsANewPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := p.Account("li.manager")
		_, err := p.Backoffice.GiveFirstPassword(p.From(portaltest.HomeAddress), p.Administrator(), m.ID, "")
		portaltest.NoError(t, err)
		u, err := p.Binding.Unbindable(
			t.Context(), p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session, m.ID,
		)
		if err != nil || !u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
	})
}

func TestFirstPasswordsFollowThePasswordRuleAndDiffer(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.Restart(func(o *portal.Options) { o.Password = core.PasswordRule{Min: 15} })
		seen := map[string]bool{}
		for range 5 {
			given, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), p.Account("nophone").ID, "")
			portaltest.NoError(t, err)
			if len(given.Password) != 15 || seen[given.Password] ||
				given.Until != store.At(p.Clock.In(7*24*time.Hour)) {
				t.Errorf("%+v", given)
			}
			seen[given.Password] = true
		}
	})
}

func TestACompanyMakesFiftyFirstPasswordsAnHour(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		give := func(login string) error {
			_, _, err := p.Credentials.MakeFirstPassword(t.Context(), p.Account(login), "")
			return err
		}
		for range 50 {
			portaltest.NoError(t, give("nophone"))
		}
		portaltest.Refused(t, give("nophone"), access.TooManyAttempts)
		portaltest.Refused(t, give("li.manager"), access.TooManyAttempts) // the same company
		portaltest.NoError(t, give("northwind"))
		p.Clock.Advance(time.Hour)
		portaltest.NoError(t, give("nophone"))
	})
}

func TestAnExpiredFirstPasswordBindsNoPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		opened := credentialtest.OpenAccountWithFirstPassword(p.Platform, "newcomer")
		p.Clock.Advance(7*24*time.Hour - time.Minute)
		signed, err := p.Login(credentialtest.NamedLoginInput(p.Platform, "newcomer", opened.First.Password))
		portaltest.NoError(t, err)
		in := credentialtest.BindInput(p, signed, portaltest.NewPhone)
		in.Code = p.ReceiveCode(credentialtest.BindCodeRequest(p, in))
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Minute)
		in.New, in.Password, in.Confirm = true, portaltest.NewPassword, portaltest.NewPassword
		_, err = credentialtest.Bind(p, in)
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = p.Binding.ResumeBind(t.Context(), signed.Session, in.Flow)
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = p.Binding.ProveBind(p.From(portaltest.HomeAddress), in)
		portaltest.Refused(t, err, access.PasswordNotSet)
		_, err = p.AskCode(credentialtest.BindCodeRequest(p, in))
		portaltest.Refused(t, err, access.PasswordNotSet)
		if p.Account("newcomer").PersonID != 0 {
			t.Error("it was bound")
		}
	})
}

func TestTheSameFormGivesTheSameFirstPassword(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		m, form := p.Account("nophone"), shop.NewForm()
		var group sync.WaitGroup
		given := make([]credentials.FirstPassword, 6)
		for i := range given { // delivered more than once
			group.Go(func() {
				var err error
				if given[i], err = p.Backoffice.GiveFirstPassword(
					t.Context(), p.Administrator(), m.ID, form,
				); err != nil {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		for _, one := range given {
			if one.Password != given[0].Password || len(one.Password) < 12 {
				t.Errorf("%q, want %q", one.Password, given[0].Password)
			}
		}
		if n := p.CountEvents(1001, "first_password_given"); n != 1 {
			t.Errorf("%d events", n)
		}
		if _, err := p.Login(credentialtest.NamedLoginInput(p, "nophone", given[0].Password)); err != nil {
			t.Errorf("it does not work: %v", err)
		}
		other, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, shop.NewForm())
		if err != nil || other.Password == given[0].Password {
			t.Errorf("another form gives %q, %v", other.Password, err)
		}
		late, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, form)
		if err != nil || late.Password != "" {
			t.Errorf("the first form shows %q once another password was given, %v", late.Password, err)
		}
	})
}

func TestAFormThatIsSentAgainLaterGivesAnotherFirstPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m, form := p.Account("nophone"), shop.NewForm()
		first, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, form)
		portaltest.NoError(t, err)
		p.Clock.Advance(core.RepeatWindow) // the page stayed open, and the first password became known to others
		second, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, form)
		portaltest.NoError(t, err)
		if second.Password == first.Password || second.Password == "" {
			t.Errorf("%q, then %q", first.Password, second.Password)
		}
		again, err := p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, form)
		if err != nil || again.Password != second.Password {
			t.Errorf("%q, then %q, %v", second.Password, again.Password, err)
		}
		_, err = p.Login(credentialtest.NamedLoginInput(p, "nophone", first.Password))
		portaltest.Refused(t, err, access.WrongPassword)
	})
}

func TestAFirstPasswordRemovesTheKeptFormsOfTheFormerHolder(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Account("nophone")
		kept := core.KeptForm{Owner: core.FormOwner{CompanyID: m.CompanyID, AccountID: m.ID}, Path: "/shop"}
		kept.Fields = url.Values{"quantity": {"7"}, "password": {"Canary2027x"}}
		id, err := p.Limits.KeepForm(t.Context(), kept)
		portaltest.NoError(t, err)
		if again, err := p.Limits.KeptForm(t.Context(), id); err != nil || again.Fields.Get("quantity") != "7" {
			t.Fatalf("%+v, %v", again, err)
		}
		_, err = p.Backoffice.GiveFirstPassword(t.Context(), p.Administrator(), m.ID, "")
		portaltest.NoError(t, err)
		_, err = p.Limits.KeptForm(t.Context(), id)
		portaltest.Refused(t, err, access.NotFound)
	})
}
