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
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/shop"
	"portico/portal/signin"
	"portico/store"
)

func TestChangingAPhoneMovesThePersonsAccountsOfEveryCompany(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1003, func(c *store.Company) { c.Disabled = true })
		p.SetAccountState("li.shop", store.AccountDisabled)
		elsewhere, stranger := credentialtest.SignInEverywhere(
			p, portaltest.ManyPhone, "li.manager",
		), credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		before := p.Account("li.manager").PersonID
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		change, err := p.Binding.PhoneToChange(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if change.Phone != portaltest.ManyPhone || change.Account.ID != 0 || len(change.Accounts) != 4 ||
			!change.HasPassword ||
			len(change.Contacts) == 0 {
			t.Errorf("%+v", change)
		}
		token, err := changePhone(p, changePhoneInput(p, signed.Session))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(token, portaltest.AccountHost))
		credentialtest.WantSignIns(p, "elsewhere", elsewhere, "")
		credentialtest.WantSignIns(p, "another's", stranger, credentialtest.AllSignIns)
		for _, login := range []string{"li.manager", "li.shop", "sur", "li.lights"} {
			if m := p.Account(login); m.Phone != portaltest.NewPhone || m.PersonID != before {
				t.Errorf("%s has the phone %s", login, m.Phone)
			}
		}
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, "sur", onboarding.DemoPassword) {
			t.Error("the password, or an account's own, no longer works")
		}
		in := p.LoginInput(portaltest.ManyPhone)
		_, err = p.Login(in)
		portaltest.Refused(t, err, access.PhoneNotBound)
		for company, want := range map[int64]int{1001: 2, 1002: 1, 1003: 1} {
			if n := p.CountEvents(company, "phone_changed"); n != want {
				t.Errorf("company %d: %d audit events, want %d", company, n, want)
			}
		}
		p.WaitForNotices()
		if got := p.Sms.Notices(); !slices.Equal(got, []string{portaltest.ManyPhone + " phone_changed"}) {
			t.Errorf("notices %q", got)
		}
	})
}

func TestACodeToTheFormerNumberReplacesThePasswordAndEndsPlantedLinks(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Xiao, portaltest.ManyPhone)
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := withOldPhoneCode(p.SMSPlatform, changePhoneInput(p.SMSPlatform, signed.Session))
		wrong := in
		wrong.OldCode = portaltest.WrongCode(in.OldCode)
		_, err := changePhone(p.SMSPlatform, wrong)
		if with := portaltest.Refused(t, err, access.CodeWrong); with.Field != "old_code" {
			t.Errorf("it is about %q", with.Field)
		}
		_, err = changePhone(p.SMSPlatform, in) // the other code was right before, and still is
		portaltest.NoError(t, err)
		if len(p.IdentityRefs(p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session)) != 0 {
			t.Error("a link from before is left")
		}
		if !credentialtest.AcceptsPassword(p.SMSPlatform, "sur", onboarding.DemoPassword) {
			t.Error("an account's own password ended")
		}
	})
}

func TestAChatLinkSurvivesAChangeOfPhoneByPassword(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Browser(portaltest.AccountHost, chattest.InWeChat).
			Link(access.WeChat, chattest.Xiao, portaltest.ManyPhone)
		_, err := changePhone(
			p.SMSPlatform,
			changePhoneInput(p.SMSPlatform, p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session),
		)
		portaltest.NoError(t, err)
		if len(p.IdentityRefs(p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session)) != 1 {
			t.Error("the link is gone")
		}
	})
}

func TestChangingAPhoneNeedsProofsOfBothNumbers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := changePhoneInput(p, signed.Session)
		for what, c := range map[string]struct {
			change func(*credentials.ChangePhoneInput)
			want   access.Refusal
			field  string
		}{
			"no password": {func(in *credentials.ChangePhoneInput) {
				in.Password = ""
			}, access.ValidationFailed, "password"},
			"a wrong password": {func(in *credentials.ChangePhoneInput) {
				in.Password = "Wrong2026"
			}, access.WrongPassword, ""},
			"no old code": {func(in *credentials.ChangePhoneInput) {
				in.ByCode = true
			}, access.ValidationFailed, "old_code"},
			"an old code unsent": {func(in *credentials.ChangePhoneInput) {
				in.ByCode, in.OldCode = true, "123456"
			}, access.CodeExpired, ""},
			"a wrong code": {func(in *credentials.ChangePhoneInput) {
				in.Code = portaltest.WrongCode(in.Code)
			}, access.CodeWrong, ""},
			"no code": {func(in *credentials.ChangePhoneInput) { in.Code = "" }, access.ValidationFailed, "code"},
			"another number": {func(in *credentials.ChangePhoneInput) {
				in.Phone = "13900000778"
			}, access.CodeExpired, ""},
			"the present number": {func(in *credentials.ChangePhoneInput) {
				in.Phone = portaltest.ManyPhone
			}, access.ValidationFailed, "phone"},
			"another flow": {func(in *credentials.ChangePhoneInput) { in.Flow = "session:x" }, access.CodeExpired, ""},
			"another session": {func(in *credentials.ChangePhoneInput) {
				in.Session = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
			}, access.CodeExpired, ""},
			"nobody's session": {func(in *credentials.ChangePhoneInput) {
				in.Session = store.Session{ID: "x"}
			}, access.LoginRequired, ""},
		} {
			mine := in
			c.change(&mine)
			_, err := changePhone(p, mine)
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
			if with := new(access.Refused); c.field != "" && (!errors.As(err, &with) || with.Fields[c.field] == "") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if p.Account("sur").Phone != portaltest.ManyPhone || p.CountEvents(1002, "phone_changed") != 0 {
			t.Error("it was changed")
		}
		_, err := changePhone(p, in)
		portaltest.NoError(t, err)
	})
}

func TestACodeOfAnotherPurposeCannotChangeAPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := credentials.ChangePhoneInput{
			Phone: portaltest.NewPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
			Password: onboarding.DemoPassword,
		}
		in.Code = p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, in.Flow))
		_, err := changePhone(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestANumberThatHasAccountsIsNotTakenOver(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		for _, who := range []string{portaltest.ManyPhone, "li.manager"} {
			signed := p.SignIn(portaltest.AccountHost, who)
			in := credentials.ChangePhoneInput{
				Phone: portaltest.BuyerPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
				Password: onboarding.DemoPassword, Code: "000000",
			}
			_, err := changePhone(p, in) // before the code was right nobody learns that the number is registered
			portaltest.Refused(t, err, access.CodeExpired)
			p.Clock.Advance(core.DefaultResend)
			in.Code = p.ReceiveCode(newPhoneCodeRequest(p, in))
			_, err = changePhone(p, in)
			portaltest.Refused(t, err, access.PhoneRegistered)
		}
		if p.Account("buyer1").Phone != portaltest.BuyerPhone || p.Account("sur").Phone != portaltest.ManyPhone ||
			!credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, onboarding.DemoPassword) {
			t.Error("something was moved")
		}
	})
}

func TestARegisteredNumberWithoutAccountsCanBeTakenOver(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := companytest.OfferAccount(p.Platform, portaltest.UnboundPhone)
		flow := core.NewFlow()
		reset := p.ResetInput(
			portaltest.UnboundPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.UnboundPhone, flow)),
			flow,
		)
		reset.Password, reset.Confirm = credentialtest.OtherPassword, credentialtest.OtherPassword
		portaltest.NoError(t, p.ResetPassword(reset))
		former := p.LoginInput(portaltest.UnboundPhone)
		former.Password = credentialtest.OtherPassword
		holder, err := p.Login(former)
		portaltest.NoError(t, err)
		signed := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
		p.Clock.Advance(core.DefaultResend)
		in := changePhoneInputTo(p, signed.Session, portaltest.UnboundPhone)
		_, err = changePhone(p, in)
		portaltest.NoError(t, err)
		if p.RequestSignedIn(holder.Token, portaltest.AccountHost) == nil {
			t.Error("who was registered with the number is still signed in")
		}
		if !credentialtest.AcceptsPassword(p, portaltest.UnboundPhone, onboarding.DemoPassword) ||
			credentialtest.AcceptsPassword(p, portaltest.UnboundPhone, credentialtest.OtherPassword) {
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
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.UpdateCompany(1002, func(c *store.Company) { c.ApplicationsReviewed = true })
		a := applicationtest.SendNew(p, 1002, portaltest.BuyerPhone)
		m := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		_, err := changePhone(p, changePhoneInput(p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session))
		portaltest.NoError(t, err)
		offers, err := p.Accounts.Offers(t.Context(), p.SignIn(portaltest.AccountHost, portaltest.NewPhone).Session, "")
		portaltest.NoError(t, err)
		if offers.All != 0 {
			t.Error("the person took an offer along that is for the holder of the former number")
		}
		offered, err := p.DB.Offers.InCompany(t.Context(), m.CompanyID,
			portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone).ID)
		portaltest.NoError(t, err)
		if len(offered) != 1 || offered[0].ID != m.ID {
			t.Errorf("%+v", offered)
		}
		stored, err := p.DB.Applications.ByID(t.Context(), a.ID)
		portaltest.NoError(t, err)
		if stored.Phone != portaltest.BuyerPhone {
			t.Errorf("the application is of %s", stored.Phone)
		}
		if person := portaltest.PersonOf(t, p.DB, portaltest.BuyerPhone); person.PasswordHash != "" ||
			person.ID == p.Account("buyer1").PersonID {
			t.Error("the next holder of the number gets the person's password or accounts")
		}
	})
}

func TestASessionByAccountNameChangesThePhoneOfThatAccountOnly(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		person := credentialtest.SignInEverywhere(p, portaltest.ManyPhone, "li.shop")
		signed := p.SignIn(portaltest.AccountHost, "sur")
		change, err := p.Binding.PhoneToChange(t.Context(), signed.Session)
		portaltest.NoError(t, err)
		if change.Account.Login != "sur" || len(change.Accounts) != 1 || change.Phone != portaltest.ManyPhone {
			t.Errorf("%+v", change)
		}
		token, err := changePhone(p, changePhoneInput(p, signed.Session))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.RequestSignedIn(token, portaltest.AccountHost))
		if p.Account("sur").Phone != portaltest.NewPhone || p.Account("li.shop").Phone != portaltest.ManyPhone {
			t.Error("not the one account was moved")
		}
		credentialtest.WantSignIns(p, "the person's", person, credentialtest.AllSignIns)
		if !credentialtest.AcceptsPassword(p, "sur", onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.ManyPhone, onboarding.DemoPassword) {
			t.Error("a password no longer works")
		}
		if n := p.CountEvents(1002, "phone_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		for _, m := range p.Sms.Codes() {
			if m.Login != "sur" {
				t.Errorf("the code is for %q", m.Login)
			}
		}
		again, err := p.SignInByCode(portaltest.AccountHost, portaltest.NewPhone)
		portaltest.NoError(t, err)
		companytest.WantAccounts(p.Platform, signInByNewCode(p, again), "1002 mgr:sur")
	})
}

func TestChangingThePhoneOfItsLastAccountFreesTheOldNumber(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, "buyer1")
		_, err := changePhone(p, withOldPhoneCode(p, changePhoneInput(p, signed.Session)))
		portaltest.NoError(t, err)
		if _, err := p.DB.Persons.ByNumber(t.Context(), portaltest.BuyerPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the former number still belongs to a person: %v", err)
		}
		if !credentialtest.AcceptsPassword(p, "buyer1", onboarding.DemoPassword) {
			t.Error("the account has no way in")
		}
	})
}

func TestChangingAPhoneNeedsABoundPhoneAndNoFirstPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		_, err := p.Binding.PhoneToChange(t.Context(), p.SignIn(portaltest.AccountHost, "nophone").Session)
		portaltest.Refused(t, err, access.WrongParameters)
		given, err := p.Backoffice.GiveFirstPassword(
			t.Context(), p.Administrator(), p.Account("li.manager").ID, shop.NewForm(),
		)
		portaltest.NoError(t, err)
		in := p.LoginInput("li.manager")
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
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		in := changePhoneInput(p, signed.Session)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if _, err := changePhone(p, in); err == nil {
					done.Add(1)
				} else {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 4 || p.CountEvents(1002, "phone_changed") != 1 {
			t.Errorf("%d of 4 succeeded, changed %d times", done.Load(), p.CountEvents(1002, "phone_changed"))
		}
		p.WantNotices(portaltest.ManyPhone + " phone_changed")
		other := in
		other.Code = portaltest.WrongCode(in.Code)
		_, err := changePhone(p, other)
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
		p.Clock.Advance(core.RepeatWindow + time.Second)
		if _, err = changePhone(p, in); err == nil {
			t.Error("it succeeds for ever")
		}
	})
}

func TestTwoPeopleCannotChangeToTheSameNumberAtOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		one := changePhoneInput(p, p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session)
		p.Clock.Advance(core.DefaultResend)
		two := changePhoneInput(p, p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Session)
		var group sync.WaitGroup
		var changed atomic.Int32
		for _, in := range []credentials.ChangePhoneInput{one, two} {
			group.Go(func() {
				if _, err := changePhone(p, in); err == nil {
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
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		s := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone).Session
		for n := range core.MessagesAccountDay {
			in := credentials.ChangePhoneInput{Phone: fmt.Sprintf("139000000%02d", n), Session: s, Flow: "f"}
			p.ReceiveCode(newPhoneCodeRequest(p, in))
			p.Clock.Advance(core.DefaultResend)
		}
		_, err := p.AskCode(
			newPhoneCodeRequest(p, credentials.ChangePhoneInput{Phone: "13911111111", Session: s, Flow: "f"}),
		)
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = p.AskCode(
			newPhoneCodeRequest(p, credentials.ChangePhoneInput{Phone: portaltest.ManyPhone, Session: s, Flow: "f"}),
		)
		if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["phone"] != access.PhoneSame {
			t.Errorf("%v", with.Fields)
		}
	})
}

// changePhoneInput returns the input that changes the phone to NewPhone, with the code that was sent there and the demo
// password.
func changePhoneInput(p *portaltest.SMSPlatform, s access.Session) credentials.ChangePhoneInput {
	p.T.Helper()
	in := credentials.ChangePhoneInput{Phone: portaltest.NewPhone, Session: s, Flow: "session:" + s.Family, Lang: "zh"}
	in.Password, in.Code = onboarding.DemoPassword, p.ReceiveCode(newPhoneCodeRequest(p, in))
	return in
}

// newPhoneCodeRequest returns the request for the code that is sent to the new number.
func newPhoneCodeRequest(p *portaltest.SMSPlatform, in credentials.ChangePhoneInput) core.AskCodeInput {
	p.T.Helper()
	ask := p.CodeRequest(core.ForNewPhone, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// withOldPhoneCode replaces the password of the input by a code that was sent to the present number.
func withOldPhoneCode(p *portaltest.SMSPlatform, in credentials.ChangePhoneInput) credentials.ChangePhoneInput {
	p.T.Helper()
	ask := p.CodeRequest(core.ForOldPhone, portaltest.NewPhone, in.Flow) // what is typed does not matter
	ask.Session = in.Session
	in.Password, in.ByCode, in.OldCode = "", true, p.ReceiveCode(ask)
	return in
}

// changePhone changes a phone and returns the new cookie.
func changePhone(p *portaltest.SMSPlatform, in credentials.ChangePhoneInput) (string, error) {
	return p.Binding.ChangePhone(p.From(portaltest.HomeAddress), in)
}

// changePhoneInputTo returns the input that changes the phone to any number, with the code that was sent there and the
// demo password.
func changePhoneInputTo(p *portaltest.SMSPlatform, s access.Session, phone string) credentials.ChangePhoneInput {
	p.T.Helper()
	in := credentials.ChangePhoneInput{
		Phone: phone, Session: s, Flow: "session:" + s.Family, Lang: "zh", Password: onboarding.DemoPassword,
	}
	in.Code = p.ReceiveCode(newPhoneCodeRequest(p, in))
	return in
}

// signInByNewCode signs in with a new code and returns the session. It fails the test if that is refused.
func signInByNewCode(p *portaltest.SMSPlatform, in signin.CodeLoginInput) access.Session {
	p.T.Helper()
	p.Clock.Advance(core.DefaultResend)
	in.Flow = core.NewFlow()
	in.Code = p.ReceiveCode(p.CodeRequest(core.ForLogin, in.Phone, in.Flow))
	signed, err := p.CodeLogin(in)
	portaltest.NoError(p.T, err)
	return signed.Session
}
