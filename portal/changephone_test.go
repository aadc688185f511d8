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

// changingPhone is a change to newPhone by a session, with the code that was sent to it and the demo's password.
func (p *carer) changingPhone(s portal.Session) portal.ChangePhoneInput {
	p.t.Helper()
	in := portal.ChangePhoneInput{Phone: newPhone, Session: s, Flow: "session:" + s.Family, Lang: "zh"}
	in.Password, in.Code = portal.DemoPassword, p.sent(p.askToChange(in))
	return in
}

func (p *carer) askToChange(in portal.ChangePhoneInput) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForNewPhone, in.Phone, in.Flow)
	ask.Session = in.Session
	return ask
}

// withOldCode makes a code that is sent to the present number the proof of a change.
func (p *carer) withOldCode(in portal.ChangePhoneInput) portal.ChangePhoneInput {
	p.t.Helper()
	ask := p.asking(portal.ForOldPhone, newPhone, in.Flow) // what is typed does not matter
	ask.Session = in.Session
	in.Password, in.ByCode, in.OldCode = "", true, p.sent(ask)
	return in
}

func (p *carer) changePhone(in portal.ChangePhoneInput) (string, error) {
	return p.ChangePhone(p.from(homeAddress), in)
}

func TestAPersonsNumberChangesWithAllAccountsOfEveryCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1003, func(c *store.Company) { c.Disabled = true })
		p.setAccountState("li.shop", store.AccountDisabled)
		elsewhere, stranger := p.open(manyPhone, "li.manager"), p.open(buyerPhone, "buyer1")
		before := p.account("li.manager").PhoneID
		signed := p.signIn(accountHost, manyPhone)
		change, err := p.PhoneToChange(t.Context(), signed.Session)
		noError(t, err)
		if change.Phone != manyPhone || change.Account.ID != 0 || len(change.Accounts) != 4 || !change.HasPassword ||
			len(change.Contacts) == 0 {
			t.Errorf("%+v", change)
		}
		token, err := p.changePhone(p.changingPhone(signed.Session))
		noError(t, err)
		noError(t, p.signedIn(token, accountHost))
		p.wantLives("elsewhere", elsewhere, "")
		p.wantLives("another's", stranger, everything)
		for _, login := range []string{"li.manager", "li.shop", "sur", "li.lights"} {
			if m := p.account(login); m.Phone != newPhone || m.PhoneID != before {
				t.Errorf("%s has the phone %s", login, m.Phone)
			}
		}
		if !p.opens(newPhone, portal.DemoPassword) || !p.opens("sur", portal.DemoPassword) {
			t.Error("the password, or an account's own, no longer works")
		}
		in := p.as(manyPhone)
		_, err = p.login(in)
		refused(t, err, portal.PhoneNotBound)
		for company, want := range map[int64]int{1001: 2, 1002: 1, 1003: 1} {
			if n := p.events(company, "phone_changed"); n != want {
				t.Errorf("company %d: %d audit events, want %d", company, n, want)
			}
		}
		p.settle()
		if got := p.sms.notices(); !slices.Equal(got, []string{manyPhone + " phone_changed"}) {
			t.Errorf("notices %q", got)
		}
	})
}

func TestACodeToTheFormerNumberProvesWithoutThePasswordAndEndsPlantedLinks(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		b.links(portal.WeChat, xiao, manyPhone)
		signed := p.signIn(accountHost, manyPhone)
		in := p.withOldCode(p.changingPhone(signed.Session))
		wrong := in
		wrong.OldCode = otherThan(in.OldCode)
		_, err := p.changePhone(wrong)
		if with := refused(t, err, portal.CodeWrong); with.Field != "old_code" {
			t.Errorf("it is about %q", with.Field)
		}
		_, err = p.changePhone(in) // the other code was right before, and still is
		noError(t, err)
		if len(p.refs(p.signIn(accountHost, newPhone).Session)) != 0 {
			t.Error("a link from before is left")
		}
		if !p.opens("sur", portal.DemoPassword) {
			t.Error("an account's own password ended")
		}
	})
}

func TestALinkToAChatAppOutlivesAChangeByThePassword(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.browser(accountHost, inWeChat).links(portal.WeChat, xiao, manyPhone)
		_, err := p.changePhone(p.changingPhone(p.signIn(accountHost, manyPhone).Session))
		noError(t, err)
		if len(p.refs(p.signIn(accountHost, newPhone).Session)) != 1 {
			t.Error("the link is gone")
		}
	})
}

func TestAPhoneIsNotChangedWithoutProofOfBothNumbers(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		in := p.changingPhone(signed.Session)
		for what, c := range map[string]struct {
			change func(*portal.ChangePhoneInput)
			want   portal.Refusal
			field  string
		}{
			"no password": {func(in *portal.ChangePhoneInput) {
				in.Password = ""
			}, portal.ValidationFailed, "password"},
			"a wrong password": {func(in *portal.ChangePhoneInput) {
				in.Password = "Wrong2026"
			}, portal.WrongPassword, ""},
			"no old code": {func(in *portal.ChangePhoneInput) {
				in.ByCode = true
			}, portal.ValidationFailed, "old_code"},
			"an old code unsent": {func(in *portal.ChangePhoneInput) {
				in.ByCode, in.OldCode = true, "123456"
			}, portal.CodeExpired, ""},
			"a wrong code": {func(in *portal.ChangePhoneInput) {
				in.Code = otherThan(in.Code)
			}, portal.CodeWrong, ""},
			"no code": {func(in *portal.ChangePhoneInput) { in.Code = "" }, portal.ValidationFailed, "code"},
			"another number": {func(in *portal.ChangePhoneInput) {
				in.Phone = "13900000778"
			}, portal.CodeExpired, ""},
			"the present number": {func(in *portal.ChangePhoneInput) {
				in.Phone = manyPhone
			}, portal.ValidationFailed, "phone"},
			"another flow": {func(in *portal.ChangePhoneInput) { in.Flow = "session:x" }, portal.CodeExpired, ""},
			"another session": {func(in *portal.ChangePhoneInput) {
				in.Session = p.signIn(accountHost, buyerPhone).Session
			}, portal.CodeExpired, ""},
			"nobody's session": {func(in *portal.ChangePhoneInput) {
				in.Session = store.Session{ID: "x"}
			}, portal.LoginRequired, ""},
		} {
			mine := in
			c.change(&mine)
			_, err := p.changePhone(mine)
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
			if with := new(portal.Refused); c.field != "" && (!errors.As(err, &with) || with.Fields[c.field] == "") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if p.account("sur").Phone != manyPhone || p.events(1002, "phone_changed") != 0 {
			t.Error("it was changed")
		}
		_, err := p.changePhone(in)
		noError(t, err)
	})
}

func TestACodeOfAnotherPurposeChangesNoPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		in := portal.ChangePhoneInput{
			Phone: newPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
			Password: portal.DemoPassword,
		}
		in.Code = p.sent(p.asking(portal.ForRegister, newPhone, in.Flow))
		_, err := p.changePhone(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestANumberThatHasAccountsIsNotTakenOver(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		for _, who := range []string{manyPhone, "li.manager"} {
			signed := p.signIn(accountHost, who)
			in := portal.ChangePhoneInput{
				Phone: buyerPhone, Session: signed.Session, Flow: "session:" + signed.Session.Family,
				Password: portal.DemoPassword, Code: "000000",
			}
			_, err := p.changePhone(in) // before the code was right nobody learns that the number is registered
			refused(t, err, portal.CodeExpired)
			p.clock.advance(portal.DefaultResend)
			in.Code = p.sent(p.askToChange(in))
			_, err = p.changePhone(in)
			refused(t, err, portal.PhoneRegistered)
		}
		if p.account("buyer1").Phone != buyerPhone || p.account("sur").Phone != manyPhone ||
			!p.opens(buyerPhone, portal.DemoPassword) {
			t.Error("something was moved")
		}
	})
}

func TestARegisteredNumberWithoutAccountsChangesHands(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.offers(unboundPhone)
		flow := portal.NewFlow()
		reset := p.resetting(unboundPhone, p.sent(p.asking(portal.ForReset, unboundPhone, flow)), flow)
		reset.Password, reset.Confirm = otherPassword, otherPassword
		noError(t, p.reset(reset))
		former := p.as(unboundPhone)
		former.Password = otherPassword
		holder, err := p.login(former)
		noError(t, err)
		signed := p.signIn(accountHost, buyerPhone)
		p.clock.advance(portal.DefaultResend)
		in := p.changingPhoneTo(signed.Session, unboundPhone)
		_, err = p.changePhone(in)
		noError(t, err)
		if p.signedIn(holder.Token, accountHost) == nil {
			t.Error("who was registered with the number is still signed in")
		}
		if !p.opens(unboundPhone, portal.DemoPassword) || p.opens(unboundPhone, otherPassword) {
			t.Error("the number's former password works, or the person's own does not")
		}
		offers, err := p.Offers(t.Context(), p.signIn(accountHost, unboundPhone).Session, "")
		noError(t, err)
		if len(offers.Shown) != 1 || offers.Shown[0].Member.ID != m.ID {
			t.Errorf("the offers to the number: %+v", offers)
		}
	})
}

// changingPhoneTo is a change to any number.
func (p *carer) changingPhoneTo(s portal.Session, phone string) portal.ChangePhoneInput {
	p.t.Helper()
	in := portal.ChangePhoneInput{
		Phone: phone, Session: s, Flow: "session:" + s.Family, Lang: "zh", Password: portal.DemoPassword,
	}
	in.Code = p.sent(p.askToChange(in))
	return in
}

func TestOffersAndApplicationsStayWithTheNumberTheyAreFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.updateCompany(1002, func(c *store.Company) { c.ApplicationsReviewed = true })
		a := p.applicant(1002, buyerPhone)
		m := p.offers(buyerPhone)
		_, err := p.changePhone(p.changingPhone(p.signIn(accountHost, buyerPhone).Session))
		noError(t, err)
		offers, err := p.Offers(t.Context(), p.signIn(accountHost, newPhone).Session, "")
		noError(t, err)
		if offers.All != 0 {
			t.Error("the person took an offer along that is for the holder of the former number")
		}
		offered, err := p.db.OffersIn(t.Context(), m.CompanyID, phoneOf(t, p.db, buyerPhone).ID)
		noError(t, err)
		if len(offered) != 1 || offered[0].ID != m.ID {
			t.Errorf("%+v", offered)
		}
		stored, err := p.db.ApplicationByID(t.Context(), a.ID)
		noError(t, err)
		if stored.Phone != buyerPhone {
			t.Errorf("the application is of %s", stored.Phone)
		}
		if phone := phoneOf(t, p.db, buyerPhone); phone.PasswordHash != "" || phone.ID == p.account("buyer1").PhoneID {
			t.Error("the next holder of the number gets the person's password or accounts")
		}
	})
}

func TestAnAccountNameChangesThePhoneOfItsAccountAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		person := p.open(manyPhone, "li.shop")
		signed := p.signIn(accountHost, "sur")
		change, err := p.PhoneToChange(t.Context(), signed.Session)
		noError(t, err)
		if change.Account.Login != "sur" || len(change.Accounts) != 1 || change.Phone != manyPhone {
			t.Errorf("%+v", change)
		}
		token, err := p.changePhone(p.changingPhone(signed.Session))
		noError(t, err)
		noError(t, p.signedIn(token, accountHost))
		if p.account("sur").Phone != newPhone || p.account("li.shop").Phone != manyPhone {
			t.Error("not the one account was moved")
		}
		p.wantLives("the person's", person, everything)
		if !p.opens("sur", portal.DemoPassword) || !p.opens(manyPhone, portal.DemoPassword) {
			t.Error("a password no longer works")
		}
		if n := p.events(1002, "phone_changed"); n != 1 {
			t.Errorf("%d audit events", n)
		}
		for _, m := range p.sms.codes() {
			if m.Login != "sur" {
				t.Errorf("the code is for %q", m.Login)
			}
		}
		again, err := p.signsInByCode(accountHost, newPhone)
		noError(t, err)
		p.wantList(p.codeSession(again), "1002 mgr:sur")
	})
}

// codeSession signs in once more with a new code.
func (p *carer) codeSession(in portal.CodeLoginInput) portal.Session {
	p.t.Helper()
	p.clock.advance(portal.DefaultResend)
	in.Flow = portal.NewFlow()
	in.Code = p.sent(p.asking(portal.ForLogin, in.Phone, in.Flow))
	signed, err := p.codeLogin(in)
	noError(p.t, err)
	return signed.Session
}

func TestTheLastAccountOfAPhoneLeavesNothingBehind(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, "buyer1")
		_, err := p.changePhone(p.withOldCode(p.changingPhone(signed.Session)))
		noError(t, err)
		if _, err := p.db.PhoneByNumber(t.Context(), buyerPhone); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the former number still belongs to somebody: %v", err)
		}
		if !p.opens("buyer1", portal.DemoPassword) {
			t.Error("the account has no way in")
		}
	})
}

func TestWhoMayNotChangeAPhoneIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		_, err := p.PhoneToChange(t.Context(), p.signIn(accountHost, "nophone").Session)
		refused(t, err, portal.WrongParameters)
		given, err := p.GiveFirstPassword(t.Context(), p.boss(), p.account("li.manager").ID, portal.NewForm())
		noError(t, err)
		in := p.as("li.manager")
		in.Password = given.Password
		first, err := p.login(in)
		noError(t, err)
		_, err = p.PhoneToChange(t.Context(), first.Session)
		if with := refused(t, err, portal.PasswordNotSet); !with.FirstPassword {
			t.Errorf("%+v", with)
		}
	})
}

func TestChangingAPhoneAgainAfterALostResponseSucceedsAndChangesNothing(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, manyPhone)
		in := p.changingPhone(signed.Session)
		var done atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if _, err := p.changePhone(in); err == nil {
					done.Add(1)
				} else {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if done.Load() != 4 || p.events(1002, "phone_changed") != 1 {
			t.Errorf("%d of 4 succeeded, changed %d times", done.Load(), p.events(1002, "phone_changed"))
		}
		p.wantNotices(manyPhone + " phone_changed")
		other := in
		other.Code = otherThan(in.Code)
		_, err := p.changePhone(other)
		if err == nil {
			t.Error("another code succeeds")
		}
		if just, err := p.PhoneJustChanged(t.Context(), signed.Session, newPhone); !just || err != nil {
			t.Errorf("%v, %v", just, err)
		}
		if just, err := p.PhoneJustChanged(t.Context(), signed.Session, manyPhone); just || err != nil {
			t.Errorf("%v, %v", just, err)
		}
		p.clock.advance(portal.RepeatWindow + time.Second)
		if _, err = p.changePhone(in); err == nil {
			t.Error("it succeeds for ever")
		}
	})
}

func TestTwoPeopleWhoWantTheSameNumberAtOnceDoNotShareIt(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		one := p.changingPhone(p.signIn(accountHost, buyerPhone).Session)
		p.clock.advance(portal.DefaultResend)
		two := p.changingPhone(p.signIn(accountHost, managerPhone).Session)
		var group sync.WaitGroup
		var changed atomic.Int32
		for _, in := range []portal.ChangePhoneInput{one, two} {
			group.Go(func() {
				if _, err := p.changePhone(in); err == nil {
					changed.Add(1)
				} else if !errors.Is(err, portal.PhoneRegistered) && !errors.Is(err, portal.CodeExpired) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if changed.Load() != 1 || (p.account("buyer1").Phone == newPhone) == (p.account("jinsui").Phone == newPhone) {
			t.Errorf("%d changed", changed.Load())
		}
	})
}

func TestCodesToANewNumberHaveTheLimitsOfABinding(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		s := p.signIn(accountHost, manyPhone).Session
		for n := range portal.MessagesAccountDay {
			in := portal.ChangePhoneInput{Phone: fmt.Sprintf("139000000%02d", n), Session: s, Flow: "f"}
			p.sent(p.askToChange(in))
			p.clock.advance(portal.DefaultResend)
		}
		_, err := p.ask(p.askToChange(portal.ChangePhoneInput{Phone: "13911111111", Session: s, Flow: "f"}))
		refused(t, err, portal.TooManyAttempts)
		_, err = p.ask(p.askToChange(portal.ChangePhoneInput{Phone: manyPhone, Session: s, Flow: "f"}))
		if with := refused(t, err, portal.ValidationFailed); with.Fields["phone"] != portal.PhoneSame {
			t.Errorf("%v", with.Fields)
		}
	})
}
