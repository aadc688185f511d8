package portal_test

import (
	"errors"
	"strings"
	"testing"

	"portico/portal"
	"portico/store"
)

// invites opens an account of a company for a phone, which nobody has set up.
func (p *platform) invites(company int64, login, number string) store.Member {
	p.t.Helper()
	ctx, now := p.t.Context(), store.At(p.clock.now())
	_, err := p.db.AddPhone(ctx, store.Phone{Phone: number, CreatedAt: now})
	noError(p.t, err)
	id, err := p.db.AddAccount(ctx, store.Account{
		CompanyID: company, Side: store.Shop, Type: store.TypeShop, Login: login, Name: "采购", PhoneID: phoneOf(p.t, p.db, number).ID,
		ClientID: p.account("buyer1").ClientID, State: store.AccountActive, Invited: true, CreatedAt: now,
	})
	noError(p.t, err)
	m, err := p.db.MemberByID(ctx, company, id)
	noError(p.t, err)
	return m
}

// completing is the set-up of an account that a company opened for a phone.
func (p *carer) completing(company int64, phone, code, flow string) portal.CompleteInput {
	p.t.Helper()
	return portal.CompleteInput{
		Phone: phone, Code: code, Name: ownName, Password: newPassword, Confirm: newPassword, CompanyID: company,
		Flow: flow, Browser: portal.Browser{Place: p.place(accountHost)},
	}
}

func (p *carer) askToComplete(company int64, phone, flow string) portal.AskCodeInput {
	p.t.Helper()
	ask := p.asking(portal.ForShopRegister, phone, flow)
	ask.CompanyID = company
	return ask
}

// provenComplete is a set-up whose code has arrived.
func (p *carer) provenComplete(company int64, phone string) portal.CompleteInput {
	p.t.Helper()
	in := p.completing(company, phone, "", portal.NewFlow())
	in.Code = p.sent(p.askToComplete(company, phone, in.Flow))
	return in
}

func (p *carer) complete(in portal.CompleteInput) (portal.Completed, error) {
	return p.Complete(p.from(homeAddress), in)
}

func TestAnAccountThatACompanyOpenedIsSetUpByItsHolder(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.invites(1001, "invited", newPhone)
		in := p.provenComplete(1001, newPhone)
		in.Name = " " + ownName + " "
		result, err := p.complete(in)
		noError(t, err)
		after := p.account("invited")
		if after.Invited || after.Name != ownName || after.ID != m.ID || after.PasswordHash != "" || after.ClientID != m.ClientID || result.Member.ID != m.ID || p.events(1001, "account_set_up") != 1 {
			t.Errorf("%+v", after.Account)
		}
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1001, AccountID: m.ID}); result.Step != want {
			t.Errorf("it leads to %+v", result.Step)
		}
		if !p.opens(newPhone, newPassword) {
			t.Error("the password does not open it")
		}
		if here := p.visits(p.stored(result.LoginResult, accountHost), result.Member); here.Member.ID != m.ID {
			t.Errorf("entered %+v", here.Member.Account)
		}
	})
}

func TestTheSameProofOfASetUpSignsInAgain(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		p.invites(1001, "invited", newPhone)
		in := p.provenComplete(1001, newPhone)
		together(5, func(int) {
			if _, err := p.complete(in); err != nil {
				t.Errorf("%v", err)
			}
		})
		again, err := p.complete(in)
		if err != nil || again.Member.Login != "invited" || p.signedIn(again.Token, accountHost) != nil || p.events(1001, "account_set_up") != 1 {
			t.Errorf("%+v, %v", again.Member.Account, err)
		}
		in.Name = "Mario Solano"
		_, err = p.complete(in)
		refused(t, err, portal.WrongParameters)
		in.Name, in.CompanyID = ownName, 1002
		if _, err = p.complete(in); err == nil {
			t.Error("it signs in to another company")
		}
		in.CompanyID = 1001
		p.clock.advance(portal.RegistrationKept)
		_, err = p.complete(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestAProofOfASetUpOpensNothingOnceTheAccountHasAnotherPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1001, "invited", newPhone)
		in := p.provenComplete(1001, newPhone)
		_, err := p.complete(in)
		noError(t, err)
		m := p.account("invited")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, m.ID, m.PhoneID))
		again, err := p.complete(in)
		notIn(t, "while it has none", again.Token, err)
		noError(t, p.db.BindPhone(t.Context(), 1001, m.ID, phoneOf(t, p.db, managerPhone)))
		again, err = p.complete(in)
		notIn(t, "with another's", again.Token, err)
	})
}

func TestAProgramSetsAnAccountUpUnderTheNameItHas(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.invites(1001, "invited", newPhone)
		in := p.completing(1001, newPhone, "", "api:APP")
		in.Code = p.sent(p.askToComplete(1001, newPhone, in.Flow))
		in.Client, in.Name = portal.ClientApp, ""
		first, err := p.complete(in)
		noError(t, err)
		if p.account("invited").Name != "采购" || first.Token != "" || first.User.ID != m.ID {
			t.Errorf("%+v", first.User)
		}
		s, err := p.tokenSession(string(first.User.Token))
		if err != nil || s.ActingID != m.ID {
			t.Errorf("%+v, %v", s, err)
		}
		again, err := p.complete(in)
		if err != nil || again.User.ID != m.ID || again.User.Token == first.User.Token {
			t.Errorf("once more: %+v, %v", again.User, err)
		}
	})
}

func TestARefusedSetUpLeavesNothingBehind(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1001, "invited", newPhone)
		p.invites(1002, "invited.too", newPhone)
		right := p.provenComplete(1001, newPhone)
		foreign := p.sent(p.askToComplete(1002, newPhone, right.Flow))
		before := p.rows(tally...)
		for name, c := range map[string]struct {
			change func(in *portal.CompleteInput)
			field  string
			want   portal.Problem
		}{
			"no code":                 {func(in *portal.CompleteInput) { in.Code = "" }, "code", portal.CodeRequired},
			"no phone":                {func(in *portal.CompleteInput) { in.Phone = "" }, "phone", portal.PhoneRequired},
			"no name":                 {func(in *portal.CompleteInput) { in.Name = "" }, "name", portal.NameRequired},
			"a long name":             {func(in *portal.CompleteInput) { in.Name = strings.Repeat("a", 41) }, "name", portal.NameMalformed},
			"no company":              {func(in *portal.CompleteInput) { in.CompanyID = 0 }, "company_id", portal.ChoiceRequired},
			"no password":             {func(in *portal.CompleteInput) { in.Password, in.Confirm = "", "" }, "password", portal.PasswordRequired},
			"a common password":       {func(in *portal.CompleteInput) { in.Password, in.Confirm = "woaini1314", "woaini1314" }, "password", portal.PasswordCommon},
			"the phone":               {func(in *portal.CompleteInput) { in.Password, in.Confirm = "x912345678", "x912345678" }, "password", portal.PasswordPersonal},
			"the login":               {func(in *portal.CompleteInput) { in.Password, in.Confirm = "invited77", "invited77" }, "password", portal.PasswordPersonal},
			"another login of theirs": {func(in *portal.CompleteInput) { in.Password, in.Confirm = "invitedtoo9", "invitedtoo9" }, "password", portal.PasswordPersonal},
			"two passwords":           {func(in *portal.CompleteInput) { in.Confirm = otherPassword }, "confirm_password", portal.PasswordsDiffer},
		} {
			in := right
			c.change(&in)
			_, err := p.complete(in)
			if with := new(portal.Refused); !errors.As(err, &with) || len(with.Fields) != 1 || with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, change := range map[string]func(in *portal.CompleteInput){
			"a wrong code":           func(in *portal.CompleteInput) { in.Code = otherThan(in.Code) },
			"another company's code": func(in *portal.CompleteInput) { in.Code = foreign },
			"another browser":        func(in *portal.CompleteInput) { in.Flow = portal.NewFlow() },
			"another company":        func(in *portal.CompleteInput) { in.CompanyID = 1003 },
		} {
			in := right
			change(&in)
			if _, err := p.complete(in); !unproven(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.rows(tally...) != before {
			t.Error("something was written")
		}
	})
}

func TestWhoeverIsNotInvitedSetsNothingUp(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for phone, want := range map[string]portal.Refusal{newPhone: portal.NotInCompany, bothPhone: portal.NotInCompany, buyerPhone: portal.PhoneRegistered} {
			_, err := p.ask(p.askToComplete(1001, phone, portal.NewFlow())) // new, with accounts elsewhere, and with one here
			refused(t, err, want)
		}
		m := p.invites(1001, "invited", "13900000071")
		in := p.provenComplete(1001, "13900000071")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, m.ID, m.PhoneID)) // the company took it back meanwhile
		_, err := p.complete(in)
		if with := refused(t, err, portal.NotInCompany); len(with.Contacts) == 0 || with.Contacts[0].Role != portal.RoleAdministrator {
			t.Errorf("%+v", with)
		}
		if n := len(p.sms.messages()); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestAnAccountIsSetUpOnceByOneCode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1001, "invited", newPhone)
		_, err := p.complete(p.provenComplete(1001, newPhone))
		noError(t, err)
		p.clock.advance(portal.DefaultResend)
		_, err = p.ask(p.askToComplete(1001, newPhone, portal.NewFlow()))
		refused(t, err, portal.PhoneRegistered)
		if p.account("invited").Name != ownName || !p.opens(newPhone, newPassword) || p.opens(newPhone, otherPassword) {
			t.Error("it was set up again")
		}
	})
}

func TestAPhoneThatHasAPasswordKeepsIt(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i, c := range []struct {
			password string
			want     error
		}{{"Wrong2026", portal.WrongPassword}, {"", portal.ValidationFailed}, {portal.DemoPassword, nil}} {
			phone := []string{"13800000010", bothPhone, managerPhone}[i]
			login := "invited." + phone[9:]
			p.invites(1002, login, phone)
			hash := p.hashOfPhone(phone)
			elsewhere := portal.LoginResult{}
			if phone != "13800000010" {
				elsewhere = p.signIn(accountHost, phone)
			}
			in := p.provenComplete(1002, phone)
			in.Password, in.Confirm = c.password, ""
			_, err := p.complete(in)
			if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Errorf("with %q: %v", c.password, err)
			}
			if p.hashOfPhone(phone) != hash || p.account(login).Invited != (c.want != nil) {
				t.Errorf("with %q the account is %+v", c.password, p.account(login).Account)
			}
			if elsewhere.Token != "" {
				noError(t, p.signedIn(elsewhere.Token, accountHost))
			}
			if c.want != nil { // the code still speaks
				in.Password = portal.DemoPassword
				_, err = p.complete(in)
				noError(t, err)
			}
		}
	})
}

// The password may be a former holder's: a new one ends what the old one and the chat apps opened.
func TestAHolderWhoDoesNotKnowThePhonesPasswordSetsANewOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1002, "invited", buyerPhone)
		former := p.open(buyerPhone, "buyer1")
		in := p.provenComplete(1002, buyerPhone)
		_, err := p.complete(in)
		field(t, err, "password", portal.PasswordKept)
		in.New = true
		in.Confirm = otherPassword
		_, err = p.complete(in)
		field(t, err, "confirm_password", portal.PasswordsDiffer)
		p.wantLives("before", former, everything)
		in.Confirm = in.Password
		next, err := p.complete(in)
		noError(t, err)
		p.wantLives("after", former, "")
		if p.opens(buyerPhone, portal.DemoPassword) || !p.opens(buyerPhone, newPassword) {
			t.Error("the former password still opens it, or the new one does not")
		}
		noError(t, p.signedIn(next.Token, accountHost))
		p.wantNotices(buyerPhone + " password_changed")
	})
}

func TestANewPasswordThatIsThePhonesOwnEndsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1002, "invited", buyerPhone)
		before := p.open(buyerPhone, "buyer1")
		in := p.provenComplete(1002, buyerPhone)
		in.Password, in.Confirm, in.New = portal.DemoPassword, portal.DemoPassword, true
		_, err := p.complete(in)
		noError(t, err)
		p.wantLives("of before", before, everything)
		p.wantNotices()
	})
}

func TestABlockedCompanyOrAccountIsNotSetUp(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		m := p.invites(1001, "invited", newPhone)
		in := p.provenComplete(1001, newPhone)
		p.setAccountState("invited", store.AccountDisabled)
		_, err := p.complete(in)
		refused(t, err, portal.AccountDisabled)
		p.setAccountState("invited", store.AccountActive)
		p.updateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = p.complete(in)
		if with := refused(t, err, portal.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
		p.clock.advance(portal.DefaultResend)
		_, err = p.ask(p.askToComplete(1001, newPhone, in.Flow))
		refused(t, err, portal.CompanyDisabled)
		if !p.account("invited").Invited || p.hashOfPhone(newPhone) != "" || p.account("invited").Name != m.Name {
			t.Error("it was set up")
		}
		p.updateCompany(1001, func(c *store.Company) { c.Disabled = false })
		_, err = p.complete(in)
		noError(t, err)
		p.updateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = p.complete(in) // the same proof, since blocked
		refused(t, err, portal.CompanyDisabled)
	})
}
