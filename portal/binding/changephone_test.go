package binding_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/binding"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/portaltest"
	"portico/portal/replay"
	"portico/portal/verification"
	"portico/store"
)

func TestChangingAPhoneMovesThePersonsAccountsOfEveryCompany(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.UpdateCompany(1003, func(c *store.Company) { c.Disabled = true })
		p.SetAccountState("li.shop", store.AccountDisabled)
		elsewhere, stranger := p.Open(portaltest.ManyPhone, "li.manager"), p.Open(portaltest.BuyerPhone, "buyer1")
		before := p.Account("li.manager").PhoneID
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		change, err := p.Binding.PhoneToChange(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if change.Phone != portaltest.ManyPhone || change.Account.ID != 0 || len(change.Accounts) != 4 ||
			!change.HasPassword ||
			len(change.Contacts) == 0 {
			t.Errorf("%+v", change)
		}
		token, err := p.ChangePhone(p.ChangingPhone(signed.Session))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(token, portaltest.AccountHost))
		p.WantLives("elsewhere", elsewhere, "")
		p.WantLives("another's", stranger, portaltest.Everything)
		for _, login := range []string{"li.manager", "li.shop", "sur", "li.lights"} {
			if m := p.Account(login); m.Phone != portaltest.NewPhone || m.PhoneID != before {
				t.Errorf("%s has the phone %s", login, m.Phone)
			}
		}
		if !p.Opens(portaltest.NewPhone, onboarding.DemoPassword) || !p.Opens("sur", onboarding.DemoPassword) {
			t.Error("the password, or an account's own, no longer works")
		}
		in := p.As(portaltest.ManyPhone)
		_, err = p.Login(in)
		portaltest.Refused(t, err, access.PhoneNotBound)
		for company, want := range map[int64]int{1001: 2, 1002: 1, 1003: 1} {
			if n := p.Events(company, "phone_changed"); n != want {
				t.Errorf("company %d: %d audit events, want %d", company, n, want)
			}
		}
		p.Settle()
		if got := p.Sms.Notices(); !slices.Equal(got, []string{portaltest.ManyPhone + " phone_changed"}) {
			t.Errorf("notices %q", got)
		}
	})
}

func TestACodeToTheFormerNumberReplacesThePasswordAndEndsPlantedLinks(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		b.Links(access.WeChat, portaltest.Xiao, portaltest.ManyPhone)
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := p.WithOldCode(p.ChangingPhone(signed.Session))
		wrong := in
		wrong.OldCode = portaltest.OtherThan(in.OldCode)
		_, err := p.ChangePhone(wrong)
		if with := portaltest.Refused(t, err, access.CodeWrong); with.Field != "old_code" {
			t.Errorf("it is about %q", with.Field)
		}
		_, err = p.ChangePhone(in) // the other code was right before, and still is
		portaltest.NoError(t, err)
		if len(p.Refs(p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session)) != 0 {
			t.Error("a link from before is left")
		}
		if !p.Opens("sur", onboarding.DemoPassword) {
			t.Error("an account's own password ended")
		}
	})
}

func TestAChatLinkSurvivesAChangeOfPhoneByPassword(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Browser(portaltest.AccountHost, portaltest.InWeChat).
			Links(access.WeChat, portaltest.Xiao, portaltest.ManyPhone)
		_, err := p.ChangePhone(p.ChangingPhone(p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session))
		portaltest.NoError(t, err)
		if len(p.Refs(p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session)) != 1 {
			t.Error("the link is gone")
		}
	})
}

func TestChangingAPhoneNeedsProofsOfBothNumbers(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := p.ChangingPhone(signed.Session)
		for what, c := range map[string]struct {
			change func(*binding.ChangePhoneInput)
			want   access.Refusal
			field  string
		}{
			"no password": {func(in *binding.ChangePhoneInput) {
				in.Password = ""
			}, access.ValidationFailed, "password"},
			"a wrong password": {func(in *binding.ChangePhoneInput) {
				in.Password = "Wrong2026"
			}, access.WrongPassword, ""},
			"no old code": {func(in *binding.ChangePhoneInput) {
				in.ByCode = true
			}, access.ValidationFailed, "old_code"},
			"an old code unsent": {func(in *binding.ChangePhoneInput) {
				in.ByCode, in.OldCode = true, "123456"
			}, access.CodeExpired, ""},
			"a wrong code": {func(in *binding.ChangePhoneInput) {
				in.Code = portaltest.OtherThan(in.Code)
			}, access.CodeWrong, ""},
			"no code": {func(in *binding.ChangePhoneInput) { in.Code = "" }, access.ValidationFailed, "code"},
			"another number": {func(in *binding.ChangePhoneInput) {
				in.Phone = "13900000778"
			}, access.CodeExpired, ""},
			"the present number": {func(in *binding.ChangePhoneInput) {
				in.Phone = portaltest.ManyPhone
			}, access.ValidationFailed, "phone"},
			"another flow": {func(in *binding.ChangePhoneInput) { in.Flow = "session:x" }, access.CodeExpired, ""},
			"another session": {func(in *binding.ChangePhoneInput) {
				in.Session = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
			}, access.CodeExpired, ""},
			"nobody's session": {func(in *binding.ChangePhoneInput) {
				in.Session = store.Session{ID: "x"}
			}, access.LoginRequired, ""},
		} {
			mine := in
			c.change(&mine)
			_, err := p.ChangePhone(mine)
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
			if with := new(access.Refused); c.field != "" && (!errors.As(err, &with) || with.Fields[c.field] == "") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if p.Account("sur").Phone != portaltest.ManyPhone || p.Events(1002, "phone_changed") != 0 {
			t.Error("it was changed")
		}
		_, err := p.ChangePhone(in)
		portaltest.NoError(t, err)
	})
}

func TestACodeOfAnotherPurposeCannotChangeAPhone(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := binding.ChangePhoneInput{
			Phone: portaltest.NewPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
			Password: onboarding.DemoPassword,
		}
		in.Code = p.Sent(p.Asking(verification.ForRegister, portaltest.NewPhone, in.Flow))
		_, err := p.ChangePhone(in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestANumberThatHasAccountsIsNotTakenOver(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		for _, who := range []string{portaltest.ManyPhone, "li.manager"} {
			signed := p.SignIn(portaltest.AccountHost, who)
			in := binding.ChangePhoneInput{
				Phone: portaltest.BuyerPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
				Password: onboarding.DemoPassword, Code: "000000",
			}
			_, err := p.ChangePhone(in) // before the code was right nobody learns that the number is registered
			portaltest.Refused(t, err, access.CodeExpired)
			p.Clock.Advance(verification.DefaultResend)
			in.Code = p.Sent(p.AskToChange(in))
			_, err = p.ChangePhone(in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if p.Account("buyer1").Phone != portaltest.BuyerPhone || p.Account("sur").Phone != portaltest.ManyPhone ||
			!p.Opens(portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("something was moved")
		}
	})
}

func TestARegisteredNumberWithoutAccountsCanBeTakenOver(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		m := p.Offers(portaltest.UnboundPhone)
		flow := verification.NewFlow()
		reset := p.Resetting(
			portaltest.UnboundPhone, p.Sent(p.Asking(verification.ForReset, portaltest.UnboundPhone, flow)), flow,
		)
		reset.Password, reset.Confirm = portaltest.OtherPassword, portaltest.OtherPassword
		portaltest.NoError(t, p.Reset(reset))
		former := p.As(portaltest.UnboundPhone)
		former.Password = portaltest.OtherPassword
		holder, err := p.Login(former)
		portaltest.NoError(t, err)
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		p.Clock.Advance(verification.DefaultResend)
		in := p.ChangingPhoneTo(signed.Session, portaltest.UnboundPhone)
		_, err = p.ChangePhone(in)
		portaltest.NoError(t, err)
		if p.RequestSignedIn(holder.Token, portaltest.AccountHost) == nil {
			t.Error("who was registered with the number is still signed in")
		}
		if !p.Opens(portaltest.UnboundPhone, onboarding.DemoPassword) ||
			p.Opens(portaltest.UnboundPhone, portaltest.OtherPassword) {
			t.Error("the number's former password works, or the person's own does not")
		}
		offers, err := p.Accounts.Offers(
			t.Context(), p.SignIn(portaltest.AccountHost, portaltest.UnboundPhone).Session, "",
		)
		portaltest.NoError(t, err)
		if len(offers.Shown) != 1 || offers.Shown[0].Member.ID != m.ID {
			t.Errorf("the offers to the number: %+v", offers)
		}
	})
}

func TestOffersAndApplicationsStayWithTheirNumber(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.UpdateCompany(1002, func(c *store.Company) { c.ApplicationsReviewed = true })
		a := p.Applicant(1002, portaltest.BuyerPhone)
		m := p.Offers(portaltest.BuyerPhone)
		_, err := p.ChangePhone(p.ChangingPhone(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session))
		portaltest.NoError(t, err)
		offers, err := p.Accounts.Offers(t.Context(), p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session, "")
		portaltest.NoError(t, err)
		if offers.All != 0 {
			t.Error("the person took an offer along that is for the holder of the former number")
		}
		offered, err := p.Db.Offers.InCompany(t.Context(), m.CompanyID,
			portaltest.PhoneOf(t, p.Db, portaltest.BuyerPhone).ID)
		portaltest.NoError(t, err)
		if len(offered) != 1 || offered[0].ID != m.ID {
			t.Errorf("%+v", offered)
		}
		stored, err := p.Db.Applications.ByID(t.Context(), a.ID)
		portaltest.NoError(t, err)
		if stored.Phone != portaltest.BuyerPhone {
			t.Errorf("the application is of %s", stored.Phone)
		}
		if phone := portaltest.PhoneOf(t, p.Db, portaltest.BuyerPhone); phone.PasswordHash != "" ||
			phone.ID == p.Account("buyer1").PhoneID {
			t.Error("the next holder of the number gets the person's password or accounts")
		}
	})
}

func TestASessionByAccountNameChangesThePhoneOfThatAccountOnly(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		person := p.Open(portaltest.ManyPhone, "li.shop")
		signed := p.SignIn(portaltest.AccountHost, "sur")
		change, err := p.Binding.PhoneToChange(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if change.Account.Login != "sur" || len(change.Accounts) != 1 || change.Phone != portaltest.ManyPhone {
			t.Errorf("%+v", change)
		}
		token, err := p.ChangePhone(p.ChangingPhone(signed.Session))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(token, portaltest.AccountHost))
		if p.Account("sur").Phone != portaltest.NewPhone || p.Account("li.shop").Phone != portaltest.ManyPhone {
			t.Error("not the one account was moved")
		}
		p.WantLives("the person's", person, portaltest.Everything)
		if !p.Opens("sur", onboarding.DemoPassword) || !p.Opens(portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("a password no longer works")
		}
		if n := p.Events(1002, "phone_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		for _, m := range p.Sms.Codes() {
			if m.Login != "sur" {
				t.Errorf("the code is for %q", m.Login)
			}
		}
		again, err := p.SignsInByCode(portaltest.AccountHost, portaltest.NewPhone)
		portaltest.NoError(t, err)
		p.WantList(p.CodeSession(again), "1002 mgr:sur")
	})
}

func TestChangingThePhoneOfItsLastAccountFreesTheOldNumber(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, "buyer1")
		_, err := p.ChangePhone(p.WithOldCode(p.ChangingPhone(signed.Session)))
		portaltest.NoError(t, err)
		if _, err := p.Db.Phones.ByNumber(t.Context(), portaltest.BuyerPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the former number still belongs to a person: %v", err)
		}
		if !p.Opens("buyer1", onboarding.DemoPassword) {
			t.Error("the account has no way in")
		}
	})
}

func TestChangingAPhoneNeedsABoundPhoneAndNoFirstPassword(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		_, err := p.Binding.PhoneToChange(t.Context(), p.SignIn(portaltest.AccountHost, "nophone").Session)
		portaltest.Refused(t, err, access.WrongParameters)
		given, err := p.Backoffice.GiveFirstPassword(
			t.Context(), p.Boss(), p.Account("li.manager").ID, ordering.NewForm(),
		)
		portaltest.NoError(t, err)
		in := p.As("li.manager")
		in.Password = given.Password
		first, err := p.Login(in)
		portaltest.NoError(t, err)
		_, err = p.Binding.PhoneToChange(t.Context(), first.Session)
		if with := portaltest.Refused(t, err, access.PasswordNotSet); !with.FirstPassword {
			t.Errorf("%+v", with)
		}
	})
}

func TestChangingAPhoneAgainAfterALostResponseSucceedsAndChangesNothing(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := p.ChangingPhone(signed.Session)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if _, err := p.ChangePhone(in); err == nil {
					done.Add(1)
				} else {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 4 || p.Events(1002, "phone_changed") != 1 {
			t.Errorf("%d of 4 succeeded, changed %d times", done.Load(), p.Events(1002, "phone_changed"))
		}
		p.WantNotices(portaltest.ManyPhone + " phone_changed")
		other := in
		other.Code = portaltest.OtherThan(in.Code)
		_, err := p.ChangePhone(other)
		if err == nil {
			t.Error("another code succeeds")
		}
		if just, err := p.Binding.PhoneJustChanged(t.Context(), signed.Session, portaltest.NewPhone); !just ||
			err != nil {
			t.Errorf("%v, %v", just, err)
		}
		if just, err := p.Binding.PhoneJustChanged(t.Context(), signed.Session, portaltest.ManyPhone); just ||
			err != nil {
			t.Errorf("%v, %v", just, err)
		}
		p.Clock.Advance(replay.RepeatWindow + time.Second)
		if _, err = p.ChangePhone(in); err == nil {
			t.Error("it succeeds for ever")
		}
	})
}

func TestTwoPeopleCannotChangeToTheSameNumberAtOnce(t *testing.T) {
	portaltest.EachCareCondition(t, func(t *testing.T, p *portaltest.Carer) {
		one := p.ChangingPhone(p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session)
		p.Clock.Advance(verification.DefaultResend)
		two := p.ChangingPhone(p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session)
		var group sync.WaitGroup
		var changed atomic.Int32
		for _, in := range []binding.ChangePhoneInput{one, two} {
			group.Go(func() {
				if _, err := p.ChangePhone(in); err == nil {
					changed.Add(1)
				} else if !errors.Is(err, access.PhoneRegistered) && !errors.Is(err, access.CodeExpired) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if changed.Load() != 1 ||
			(p.Account("buyer1").Phone == portaltest.NewPhone) == (p.Account("jinsui").Phone == portaltest.NewPhone) {
			t.Errorf("%d changed", changed.Load())
		}
	})
}

func TestCodesToANewNumberHaveTheLimitsOfABinding(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		s := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session
		for n := range verification.MessagesAccountDay {
			in := binding.ChangePhoneInput{Phone: fmt.Sprintf("139000000%02d", n), Session: s, Flow: "f"}
			p.Sent(p.AskToChange(in))
			p.Clock.Advance(verification.DefaultResend)
		}
		_, err := p.Ask(p.AskToChange(binding.ChangePhoneInput{Phone: "13911111111", Session: s, Flow: "f"}))
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = p.Ask(p.AskToChange(binding.ChangePhoneInput{Phone: portaltest.ManyPhone, Session: s, Flow: "f"}))
		if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["phone"] != access.PhoneSame {
			t.Errorf("%v", with.Fields)
		}
	})
}
