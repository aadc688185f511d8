package onboarding_test

import (
	"errors"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
	"portico/store"
)

func TestTheHolderSetsUpAnAccountThatACompanyOpened(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		in := onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone)
		in.Name = " " + onboardingtest.PersonName + " "
		result, err := onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		after := p.Account("invited")
		if after.Invited || after.Name != onboardingtest.PersonName || after.ID != m.ID || after.PasswordHash != "" ||
			after.ClientID != m.ClientID || result.Member.ID != m.ID || p.CountEvents(1001, "account_set_up") != 1 {
			t.Errorf("%+v", after.Account)
		}
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1001, AccountID: m.ID}); result.Step != want {
			t.Errorf("it leads to %+v", result.Step)
		}
		if !credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) {
			t.Error("the password does not open it")
		}
		if here := sessiontest.EnterAccount(p,
			sessiontest.StoredSession(p.Platform, result.LoginResult, portaltest.AccountHost), result.Member,
		); here.Member.ID != m.ID {
			t.Errorf("entered %+v", here.Member.Account)
		}
	})
}

func TestTheSameProofOfASetUpSignsInAgain(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		in := onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone)
		portaltest.Together(5, func(int) {
			if _, err := onboardingtest.Complete(p, in); err != nil {
				t.Errorf("%v", err)
			}
		})
		again, err := onboardingtest.Complete(p, in)
		if err != nil || again.Member.Login != "invited" ||
			p.RequestSignedIn(
				again.Token, portaltest.AccountHost,
			) != nil || p.CountEvents(1001, "account_set_up") != 1 {
			t.Errorf("%+v, %v", again.Member.Account, err)
		}
		in.Name = "Mario Solano"
		_, err = onboardingtest.Complete(p, in)
		portaltest.Refused(t, err, access.WrongParameters)
		in.Name, in.CompanyID = onboardingtest.PersonName, 1002
		if _, err = onboardingtest.Complete(p, in); err == nil {
			t.Error("it signs in to another company")
		}
		in.CompanyID = 1001
		p.Clock.Advance(core.RegistrationKept)
		_, err = onboardingtest.Complete(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAProofOfASetUpIsVoidOnceTheAccountHasAnotherPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		in := onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone)
		_, err := onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		m := p.Account("invited")
		portaltest.NoError(t, p.DB.Persons.Unbind(t.Context(), 1001, m.ID, m.PersonID))
		again, err := onboardingtest.Complete(p, in)
		WantNotSignedIn(t, "while it has none", again.Token, err)
		portaltest.NoError(
			t, p.DB.Persons.Bind(t.Context(), 1001, m.ID, portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone)),
		)
		again, err = onboardingtest.Complete(p, in)
		WantNotSignedIn(t, "with another's", again.Token, err)
	})
}

func TestAProgramSetsUpAnAccountAndKeepsItsName(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		in := onboardingtest.CompleteInput(p, 1001, portaltest.NewPhone, "", "api:APP")
		in.Code = p.ReceiveCode(onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, in.Flow))
		in.Client, in.Name = signin.ClientApp, ""
		first, err := onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		if p.Account("invited").Name != "采购" || first.Token != "" || first.User.ID != m.ID {
			t.Errorf("%+v", first.User)
		}
		s, err := credentialtest.TokenSession(p, string(first.User.Token))
		if err != nil || s.ActingID != m.ID {
			t.Errorf("%+v, %v", s, err)
		}
		again, err := onboardingtest.Complete(p, in)
		if err != nil || again.User.ID != m.ID || again.User.Token == first.User.Token {
			t.Errorf("once more: %+v, %v", again.User, err)
		}
	})
}

func TestARefusedSetUpWritesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		companytest.AddOffer(p.Platform, 1002, "invited.too", portaltest.NewPhone)
		right := onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone)
		foreign := p.ReceiveCode(onboardingtest.CompleteCodeRequest(p, 1002, portaltest.NewPhone, right.Flow))
		before := p.DumpRows(TablesOfAttempts...)
		for name, c := range map[string]struct {
			change func(in *onboarding.CompleteInput)
			field  string
			want   access.Problem
		}{
			"no code": {
				func(in *onboarding.CompleteInput) { in.Code = "" }, "code", access.CodeRequired,
			},
			"no phone": {
				func(in *onboarding.CompleteInput) { in.Phone = "" }, "phone", access.PhoneRequired,
			},
			"no name": {
				func(in *onboarding.CompleteInput) { in.Name = "" }, "name", access.NameRequired,
			},
			"a long name": {
				func(in *onboarding.CompleteInput) { in.Name = strings.Repeat("a", 41) }, "name", access.NameMalformed,
			},
			"no company": {
				func(in *onboarding.CompleteInput) { in.CompanyID = 0 }, "company_id", access.ChoiceRequired,
			},
			"no password": {
				func(in *onboarding.CompleteInput) { in.Password, in.Confirm = "", "" }, "password",
				access.PasswordRequired,
			},
			"a common password": {
				func(in *onboarding.CompleteInput) { in.Password, in.Confirm = "woaini1314", "woaini1314" }, "password",
				core.PasswordCommon,
			},
			"the phone": {
				func(in *onboarding.CompleteInput) { in.Password, in.Confirm = "x912345678", "x912345678" }, "password",
				core.PasswordPersonal,
			},
			"the login": {
				func(in *onboarding.CompleteInput) { in.Password, in.Confirm = "invited77", "invited77" }, "password",
				core.PasswordPersonal,
			},
			"another login of theirs": {
				func(in *onboarding.CompleteInput) { in.Password, in.Confirm = "invitedtoo9", "invitedtoo9" },
				"password", core.PasswordPersonal,
			},
			"two passwords": {
				func(in *onboarding.CompleteInput) { in.Confirm = credentialtest.OtherPassword }, "confirm_password",
				access.PasswordsDiffer,
			},
		} {
			in := right
			c.change(&in)
			_, err := onboardingtest.Complete(p, in)
			if with := new(access.Refused); !errors.As(err, &with) || len(with.Fields) != 1 ||
				with.Fields[c.field] != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, change := range map[string]func(in *onboarding.CompleteInput){
			"a wrong code":           func(in *onboarding.CompleteInput) { in.Code = portaltest.WrongCode(in.Code) },
			"another company's code": func(in *onboarding.CompleteInput) { in.Code = foreign },
			"another browser":        func(in *onboarding.CompleteInput) { in.Flow = core.NewFlow() },
			"another company":        func(in *onboarding.CompleteInput) { in.CompanyID = 1003 },
		} {
			in := right
			change(&in)
			if _, err := onboardingtest.Complete(p, in); !IsCodeRefused(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.DumpRows(TablesOfAttempts...) != before {
			t.Error("something was written")
		}
	})
}

func TestAPersonWithoutAnInvitationSetsUpNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for phone, want := range map[string]access.Refusal{
			portaltest.NewPhone: access.NotInCompany, portaltest.BothPhone: access.NotInCompany,
			portaltest.BuyerPhone: access.PhoneRegistered,
		} {
			// new, with accounts elsewhere, and with one here
			_, err := p.AskCode(onboardingtest.CompleteCodeRequest(p, 1001, phone, core.NewFlow()))
			portaltest.Refused(t, err, want)
		}
		m := companytest.AddOffer(p.Platform, 1001, "invited", "13900000071")
		in := onboardingtest.ProvenCompleteInput(p, 1001, "13900000071")
		// the company took it back meanwhile
		portaltest.NoError(t, p.DB.Persons.Unbind(t.Context(), 1001, m.ID, m.PersonID))
		_, err := onboardingtest.Complete(p, in)
		if with := portaltest.Refused(t, err, access.NotInCompany); len(with.Contacts) == 0 ||
			with.Contacts[0].Role != access.RoleAdministrator {
			t.Errorf("%+v", with)
		}
		if n := len(p.Sms.Messages()); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestAnAccountIsSetUpOnceByOneCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		_, err := onboardingtest.Complete(p, onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		p.Clock.Advance(core.DefaultResend)
		_, err = p.AskCode(onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.PhoneRegistered)
		if p.Account("invited").Name != onboardingtest.PersonName ||
			!credentialtest.AcceptsPassword(p, portaltest.NewPhone, portaltest.NewPassword) ||
			credentialtest.AcceptsPassword(p, portaltest.NewPhone, credentialtest.OtherPassword) {
			t.Error("it was set up again")
		}
	})
}

func TestAPhoneThatHasAPasswordKeepsIt(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i, c := range []struct {
			password string
			want     error
		}{{"Wrong2026", access.WrongPassword}, {"", access.ValidationFailed}, {onboarding.DemoPassword, nil}} {
			phone := []string{"13800000010", portaltest.BothPhone, portaltest.ManagerPhone}[i]
			login := "invited." + phone[9:]
			companytest.AddOffer(p.Platform, 1002, login, phone)
			hash := passwordHashOf(p.Platform, phone)
			elsewhere := signin.LoginResult{}
			if phone != "13800000010" {
				elsewhere = p.SignIn(portaltest.AccountHost, phone)
			}
			in := onboardingtest.ProvenCompleteInput(p, 1002, phone)
			in.Password, in.Confirm = c.password, ""
			_, err := onboardingtest.Complete(p, in)
			if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Errorf("with %q: %v", c.password, err)
			}
			if passwordHashOf(p.Platform, phone) != hash || p.Account(login).Invited != (c.want != nil) {
				t.Errorf("with %q the account is %+v", c.password, p.Account(login).Account)
			}
			if elsewhere.Token != "" {
				portaltest.NoError(t, p.RequestSignedIn(elsewhere.Token, portaltest.AccountHost))
			}
			if c.want != nil { // the code still speaks
				in.Password = onboarding.DemoPassword
				_, err = onboardingtest.Complete(p, in)
				portaltest.NoError(t, err)
			}
		}
	})
}

// The password may be a former holder's: a new one ends what the old one and the chat apps opened.
func TestAHolderWhoForgotThePhonesPasswordSetsANewOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1002, "invited", portaltest.BuyerPhone)
		former := credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		in := onboardingtest.ProvenCompleteInput(p, 1002, portaltest.BuyerPhone)
		_, err := onboardingtest.Complete(p, in)
		portaltest.WantField(t, err, "password", access.PasswordKept)
		in.New = true
		in.Confirm = credentialtest.OtherPassword
		_, err = onboardingtest.Complete(p, in)
		portaltest.WantField(t, err, "confirm_password", access.PasswordsDiffer)
		credentialtest.WantSignIns(p, "before", former, credentialtest.AllSignIns)
		in.Confirm = in.Password
		next, err := onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "after", former, "")
		if credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, onboarding.DemoPassword) ||
			!credentialtest.AcceptsPassword(p, portaltest.BuyerPhone, portaltest.NewPassword) {
			t.Error("the former password still opens it, or the new one does not")
		}
		portaltest.NoError(t, p.RequestSignedIn(next.Token, portaltest.AccountHost))
		p.WantNotices(portaltest.BuyerPhone + " password_changed")
	})
}

func TestSettingThePhonesPresentPasswordAgainEndsNoSession(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1002, "invited", portaltest.BuyerPhone)
		before := credentialtest.SignInEverywhere(p, portaltest.BuyerPhone, "buyer1")
		in := onboardingtest.ProvenCompleteInput(p, 1002, portaltest.BuyerPhone)
		in.Password, in.Confirm, in.New = onboarding.DemoPassword, onboarding.DemoPassword, true
		_, err := onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		credentialtest.WantSignIns(p, "of before", before, credentialtest.AllSignIns)
		p.WantNotices()
	})
}

func TestABlockedCompanyOrAccountIsNotSetUp(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		m := companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
		in := onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone)
		p.SetAccountState("invited", store.AccountDisabled)
		_, err := onboardingtest.Complete(p, in)
		portaltest.Refused(t, err, access.AccountDisabled)
		p.SetAccountState("invited", store.AccountActive)
		p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = onboardingtest.Complete(p, in)
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
		p.Clock.Advance(core.DefaultResend)
		_, err = p.AskCode(onboardingtest.CompleteCodeRequest(p, 1001, portaltest.NewPhone, in.Flow))
		portaltest.Refused(t, err, access.CompanyDisabled)
		if !p.Account("invited").Invited || passwordHashOf(p.Platform, portaltest.NewPhone) != "" ||
			p.Account("invited").Name != m.Name {
			t.Error("it was set up")
		}
		p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = false })
		_, err = onboardingtest.Complete(p, in)
		portaltest.NoError(t, err)
		p.UpdateCompany(1001, func(c *store.Company) { c.Disabled = true })
		_, err = onboardingtest.Complete(p, in) // the same proof, since blocked
		portaltest.Refused(t, err, access.CompanyDisabled)
	})
}

// passwordHashOf returns the stored password hash of a person.
func passwordHashOf(p *portaltest.Platform, number string) string {
	p.T.Helper()
	return portaltest.PersonOf(p.T, p.DB, number).PasswordHash
}
