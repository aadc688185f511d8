package portal_test

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

const ownChoice = "Zeegras55"

// first opens an account without a phone, with a first password.
func (p *platform) first(login string) portal.OpenedAccount {
	p.t.Helper()
	opened, err := p.opens1001(portal.OpenAccountInput{Side: "mgr", Type: 2, Login: login, Name: "新同事"})
	noError(p.t, err)
	return opened
}

// named is a sign-in by an account's name.
func (p *platform) named(login, password string) portal.LoginInput {
	p.t.Helper()
	return portal.LoginInput{ByName: true, Login: login, Password: password, Browser: portal.Browser{Place: p.place(accountHost)}}
}

func (p *platform) replace(s portal.Session, old, password string) (string, error) {
	return p.ChangePassword(p.from(homeAddress), portal.ChangePasswordInput{Old: old, Password: password, Confirm: password, Session: s})
}

func TestAFirstPasswordHasToBeReplacedBeforeAnythingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		password := opened.First.Password
		if !regexp.MustCompile(`^[a-km-np-z2-9]{12}$`).MatchString(password) || portal.PersonStateOf(opened.Member) != portal.PersonFirstPassword {
			t.Errorf("%q, %s", password, portal.PersonStateOf(opened.Member))
		}
		signed, err := p.login(p.named("newcomer", password))
		noError(t, err)
		if want := (portal.Step{Kind: portal.StepPassword, CompanyID: 1001, AccountID: opened.Member.ID}); signed.Step != want {
			t.Errorf("it leads to %+v", signed.Step)
		}
		s, id := signed.Session, opened.Member.ID
		for name, door := range map[string]func() error{
			"enter": func() error {
				_, err := p.Enter(t.Context(), portal.EnterInput{Session: s, AccountID: id, Place: p.place(accountHost), Device: desktop})
				return err
			},
			"enter as a program": func() error { _, err := p.EnterAsClient(t.Context(), s, id, ""); return err },
			"continue":           func() error { _, err := p.Continue(t.Context(), s); return err },
			"accounts":           func() error { _, err := p.Accounts(t.Context(), s); return err },
			"choose a company": func() error {
				_, err := p.ChooseCompany(t.Context(), portal.ChooseCompanyInput{Session: s, CompanyID: 1001})
				return err
			},
			"choose a side":   func() error { _, err := p.ChooseSide(t.Context(), s, 0, store.Mgr); return err },
			"default company": func() error { return p.SetDefaultCompany(t.Context(), s, 1001) },
			"push":            func() error { return p.BindPush(t.Context(), s, portal.PushInput{UserID: id, PushID: "abc"}) },
			"hide":            func() error { return p.HideAccount(t.Context(), s, id) },
			"unbind":          func() error { _, err := p.Unbindable(t.Context(), s, id); return err },
			"reminder":        func() error { return p.StopBindReminder(t.Context(), s, id, 0) },
		} {
			if with := refused(t, door(), portal.PasswordNotSet); !with.FirstPassword || with.Company != nil {
				t.Errorf("%s: %+v", name, with)
			}
		}
		if first, err := p.HasFirstPassword(t.Context(), s); !first || err != nil {
			t.Errorf("%v, %v", first, err)
		}
		_, err = p.replace(s, password, password)
		field(t, err, "password", portal.PasswordSame)
		token, err := p.replace(s, password, ownChoice)
		noError(t, err)
		s, err = p.SignedIn(t.Context(), token, p.place(accountHost))
		noError(t, err)
		step, err := p.ContinueSignIn(t.Context(), s)
		if err != nil || step.Kind != portal.StepBind {
			t.Errorf("%+v, %v", step, err)
		}
		p.enter(portal.LoginResult{Session: s}, accountHost, "newcomer", desktop)
		if m := p.account("newcomer"); m.FirstPasswordUntil != 0 || portal.PersonStateOf(m) != portal.PersonActive {
			t.Errorf("%+v", m.Account)
		}
		_, err = p.login(p.named("newcomer", password))
		refused(t, err, portal.WrongPassword)
		if p.events(1001, "first_password_given") != 1 || p.events(1001, "first_password_changed") != 1 {
			t.Error("it is not written down")
		}
		dump, err := p.db.Dump(t.Context())
		noError(t, err)
		if strings.Contains(dump, password) || strings.Contains(p.log.String(), password) {
			t.Error("the first password is written down in clear")
		}
	})
}

func TestAFirstPasswordEndsAfterSevenDays(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		p.clock.advance(portal.FirstPasswordLife - 1e9)
		signed, err := p.login(p.named("newcomer", opened.First.Password))
		noError(t, err)
		p.clock.advance(1e9)
		with := refused(t, func() error { _, err := p.login(p.named("newcomer", opened.First.Password)); return err }(), portal.PasswordNotSet)
		if !with.FirstPassword || with.Company == nil || len(with.Contacts) == 0 || with.Contacts[0].Role != portal.RoleAdministrator {
			t.Errorf("%+v", with)
		}
		if key, _ := with.Message(); key != "first_password.ended" {
			t.Error(key)
		}
		_, err = p.replace(signed.Session, opened.First.Password, ownChoice) // not from a session that began before, either
		refused(t, err, portal.PasswordNotSet)
		_, err = p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: "newcomer", Password: opened.First.Password, Client: portal.ClientApp})
		refused(t, err, portal.PasswordNotSet)
		_, err = p.login(p.named("newcomer", "Wrong2026"))
		refused(t, err, portal.WrongPassword) // told to nobody who does not have it

		again, err := p.GiveFirstPassword(t.Context(), p.boss(), opened.Member.ID, "")
		noError(t, err)
		_, err = p.login(p.named("newcomer", again.Password))
		noError(t, err)
	})
}

func TestAProgramReplacesAFirstPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		result, err := p.MixedLogin(p.from(homeAddress), portal.MixedLoginInput{Login: "newcomer", Password: opened.First.Password, Client: portal.ClientApp})
		noError(t, err)
		s, err := p.tokenSession(string(result.User.Token))
		noError(t, err)
		_, err = p.EnterAsClient(t.Context(), s, opened.Member.ID, "")
		refused(t, err, portal.PasswordNotSet)
		ticket, err := p.Token(t.Context(), portal.TokenInput{Token: result.Ticket, Client: portal.ClientApp, Ticket: true})
		noError(t, err)
		_, err = p.EnterAsClient(t.Context(), ticket, opened.Member.ID, "")
		refused(t, err, portal.PasswordNotSet)
		_, err = p.replace(s, opened.First.Password, ownChoice)
		noError(t, err)
		_, err = p.EnterAsClient(t.Context(), s, opened.Member.ID, "")
		noError(t, err)
	})
}

func TestGivingAFirstPasswordEndsWhatTheOldOneOpenedAndLeavesThePhonesAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("li.manager")
		byName, byPhone := p.open("li.manager", "li.manager"), p.signIn(accountHost, manyPhone)
		given, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), m.ID, "")
		noError(t, err)
		p.wantLives("by name", byName, "")
		if !p.opens(manyPhone, portal.DemoPassword) || p.signedIn(byPhone.Token, accountHost) != nil {
			t.Error("the person's own password, or session, is gone")
		}
		p.enter(byPhone, accountHost, "li.manager", desktop) // by phone there is nothing to replace
		code := p.enter(byPhone, accountHost, "li.manager", desktop).Code
		user, err := p.RedeemForClient(p.from(homeAddress), code, portal.ClientApp, 0)
		noError(t, err)
		s, err := p.tokenSession(string(user.Token))
		noError(t, err)
		_, err = p.EnterAsClient(t.Context(), s, m.ID, "")
		noError(t, err)
		_, err = p.login(p.as("li.manager"))
		refused(t, err, portal.WrongPassword)
		signed, err := p.login(p.named("li.manager", given.Password))
		if err != nil || signed.Step.Kind != portal.StepPassword {
			t.Errorf("%+v, %v", signed.Step, err)
		}
	})
}

func TestAnInvitedAccountHasNoFirstPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.invites(1001, "invited", newPhone)
		_, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, "")
		refused(t, err, portal.WrongParameters)
	})
}

func TestAResetByPhoneReplacesAFirstPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("li.manager")
		given, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), m.ID, "")
		noError(t, err)
		in := portal.ResetInput{Login: "li.manager", Flow: portal.NewFlow(), Password: given.Password, Confirm: given.Password, Place: p.place(accountHost)}
		ask := p.asking(portal.ForReset, "", in.Flow)
		ask.Login = "li.manager"
		in.Code = p.sent(ask)
		field(t, p.reset(in), "password", portal.PasswordSame)
		in.Password, in.Confirm = ownChoice, ownChoice
		noError(t, p.reset(in))
		if p.account("li.manager").FirstPasswordUntil != 0 {
			t.Error("it is to be replaced still")
		}
		signed, err := p.login(p.named("li.manager", ownChoice))
		if err != nil || signed.Step.Kind != portal.StepEnter {
			t.Errorf("%+v, %v", signed.Step, err)
		}
	})
}

func TestBindingAPhoneTakesTheFirstPasswordAway(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		signed, err := p.login(p.named("newcomer", opened.First.Password))
		noError(t, err)
		in := p.binding(signed, newPhone)
		in.Code = p.sent(p.askToBind(in))
		_, err = p.ProveBind(p.from(homeAddress), in)
		noError(t, err)
		in.Password, in.Confirm = ownChoice, ownChoice
		bound, err := p.bind(in)
		noError(t, err)
		s, err := p.SignedIn(t.Context(), bound.Token, p.place(accountHost))
		noError(t, err)
		p.enter(portal.LoginResult{Session: s}, accountHost, "newcomer", desktop)
		_, err = p.login(p.named("newcomer", opened.First.Password))
		refused(t, err, portal.WrongPassword)
		if !p.opens(newPhone, ownChoice) {
			t.Error("there is no way in")
		}
	})
}

func TestUnbindingWithAFirstPasswordPendingWantsANewOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.account("li.manager")
		_, err := p.GiveFirstPassword(p.from(homeAddress), p.boss(), m.ID, "")
		noError(t, err)
		u, err := p.Unbindable(t.Context(), p.signIn(accountHost, manyPhone).Session, m.ID)
		if err != nil || !u.NewPassword {
			t.Errorf("%+v, %v", u, err)
		}
	})
}

func TestFirstPasswordsFitTheRuleAndDiffer(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.restart(func(o *portal.Options) { o.Password = portal.PasswordRule{Min: 15} })
		seen := map[string]bool{}
		for range 5 {
			given, err := p.GiveFirstPassword(t.Context(), p.boss(), p.account("nophone").ID, "")
			noError(t, err)
			if len(given.Password) != 15 || seen[given.Password] || given.Until != store.At(p.clock.in(portal.FirstPasswordLife)) {
				t.Errorf("%+v", given)
			}
			seen[given.Password] = true
		}
	})
}

func TestAFirstPasswordThatHasEndedBindsNoPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		opened := p.first("newcomer")
		p.clock.advance(portal.FirstPasswordLife - time.Minute)
		signed, err := p.login(p.named("newcomer", opened.First.Password))
		noError(t, err)
		in := p.binding(signed, newPhone)
		in.Code = p.sent(p.askToBind(in))
		_, err = p.ProveBind(p.from(homeAddress), in)
		noError(t, err)
		p.clock.advance(time.Minute)
		in.New, in.Password, in.Confirm = true, newPassword, newPassword
		_, err = p.bind(in)
		refused(t, err, portal.PasswordNotSet)
		_, err = p.ResumeBind(t.Context(), signed.Session, in.Flow)
		refused(t, err, portal.PasswordNotSet)
		_, err = p.ProveBind(p.from(homeAddress), in)
		refused(t, err, portal.PasswordNotSet)
		_, err = p.ask(p.askToBind(in))
		refused(t, err, portal.PasswordNotSet)
		if p.account("newcomer").PhoneID != 0 {
			t.Error("it was bound")
		}
	})
}

func TestTheSameFormGivesTheSameFirstPassword(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		m, form := p.account("nophone"), portal.NewForm()
		var group sync.WaitGroup
		given := make([]portal.FirstPassword, 6)
		for i := range given { // delivered more than once
			group.Go(func() {
				var err error
				if given[i], err = p.GiveFirstPassword(t.Context(), p.boss(), m.ID, form); err != nil {
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
		if n := p.events(1001, "first_password_given"); n != 1 {
			t.Errorf("%d events", n)
		}
		if _, err := p.login(p.named("nophone", given[0].Password)); err != nil {
			t.Errorf("it does not work: %v", err)
		}
		other, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, portal.NewForm())
		if err != nil || other.Password == given[0].Password {
			t.Errorf("another form gives %q, %v", other.Password, err)
		}
		late, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, form)
		if err != nil || late.Password != "" {
			t.Errorf("the first form shows %q once another password was given, %v", late.Password, err)
		}
	})
}

func TestAFormThatIsSentAgainLaterGivesAnotherFirstPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m, form := p.account("nophone"), portal.NewForm()
		first, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, form)
		noError(t, err)
		p.clock.advance(portal.RepeatWindow) // the page stayed open, and the first password became known to others
		second, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, form)
		noError(t, err)
		if second.Password == first.Password || second.Password == "" {
			t.Errorf("%q, then %q", first.Password, second.Password)
		}
		again, err := p.GiveFirstPassword(t.Context(), p.boss(), m.ID, form)
		if err != nil || again.Password != second.Password {
			t.Errorf("%q, then %q, %v", second.Password, again.Password, err)
		}
		_, err = p.login(p.named("nophone", first.Password))
		refused(t, err, portal.WrongPassword)
	})
}

func TestAFirstPasswordRemovesTheKeptFormsOfTheHolderBefore(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.account("nophone")
		kept := portal.KeptForm{Owner: portal.FormOwner{CompanyID: m.CompanyID, AccountID: m.ID}, Path: "/shop"}
		kept.Fields = url.Values{"quantity": {"7"}, "password": {"Canary2027x"}}
		id, err := p.KeepForm(t.Context(), kept)
		noError(t, err)
		if again, err := p.KeptForm(t.Context(), id); err != nil || again.Fields.Get("quantity") != "7" {
			t.Fatalf("%+v, %v", again, err)
		}
		_, err = p.GiveFirstPassword(t.Context(), p.boss(), m.ID, "")
		noError(t, err)
		_, err = p.KeptForm(t.Context(), id)
		refused(t, err, portal.NotFound)
	})
}
