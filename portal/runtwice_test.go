package portal_test

import (
	"fmt"
	"testing"

	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/shop"
	"portico/store/storetest"
)

func TestATransactionThatRunsTwiceHasTheEffectOfOneRun(t *testing.T) {
	for name, does := range map[string]func(p *portaltest.SMSPlatform) string{
		"signing in and entering": func(p *portaltest.SMSPlatform) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			v := sessiontest.EnterAccount(p, signed.Session, p.Account("jinsui"))
			return fmt.Sprint(signed.Step, v.Landing.Member.ID)
		},
		"signing in by a code": func(p *portaltest.SMSPlatform) string {
			flow := core.NewFlow()
			code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
			signed, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
			return fmt.Sprint(signed.Step, err)
		},
		"signing out everywhere": func(p *portaltest.SMSPlatform) string {
			p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			if err := p.Sessions.EndOtherDevices(p.From(portaltest.HomeAddress), signed.Session); err != nil {
				return err.Error()
			}
			_, err := p.SignOut(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
			return fmt.Sprint(err)
		},
		"registering a company": func(p *portaltest.SMSPlatform) string {
			result, _ := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
			return fmt.Sprint(result.Member.Name, result.Step.Kind)
		},
		"registering another company": func(p *portaltest.SMSPlatform) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			result, err := onboardingtest.Register(p, onboardingtest.AddCompanyInput(p, signed.Session, "Second"))
			return fmt.Sprint(result.Member.Company.Name, err)
		},
		"trying out": func(p *portaltest.SMSPlatform) string {
			result, _ := onboardingtest.OpenSandboxFor(p, portaltest.NewPhone, onboardingtest.Seafood)
			m := onboardingtest.RoleAccount(p, result.Session, "mgr", true)
			return fmt.Sprint(m.Company.Sandbox, m.Side)
		},
		"applying and being approved": func(p *portaltest.SMSPlatform) string {
			a, err := applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.NewPhone))
			portaltest.NoError(p.T, err)
			a, decided, err := p.Application.Review(
				p.From(portaltest.HomeAddress), p.Land("jinsui", portaltest.PhoneScreen),
				application.ReviewInput{ID: a.ID, Approve: true},
			)
			return fmt.Sprint(a.State, decided, err)
		},
		"setting an invited account up": func(p *portaltest.SMSPlatform) string {
			companytest.AddOffer(p.Platform, 1001, "invited", portaltest.NewPhone)
			completed, err := onboardingtest.Complete(p,
				onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone))
			return fmt.Sprint(completed.Member.Login, completed.Member.Invited, err)
		},
		"binding a phone": func(p *portaltest.SMSPlatform) string {
			_, in, _ := credentialtest.ProveBind(p, "nophone", portaltest.NewPhone)
			in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
			bound, err := credentialtest.Bind(p, in)
			return fmt.Sprint(bound.Phone, err)
		},
		"changing a password": func(p *portaltest.SMSPlatform) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			_, err := credentialtest.ChangePassword(p,
				credentialtest.ChangePasswordInput(p, signed.Session, onboarding.DemoPassword))
			return fmt.Sprint(err)
		},
		"resetting a password": func(p *portaltest.SMSPlatform) string {
			flow := core.NewFlow()
			code := p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow))
			return fmt.Sprint(p.ResetPassword(p.ResetInput(portaltest.BuyerPhone, code, flow)))
		},
		"ordering": func(p *portaltest.SMSPlatform) string {
			o, err := companytest.PlaceOrder(p.Platform, p.Land("buyer1", portaltest.PhoneScreen),
				companytest.FirstProduct(p.Platform, 1001).ID, "3", shop.NewForm())
			return fmt.Sprint(o.Number, o.Total,
				companytest.Stock(p.Platform, 1001, companytest.FirstProduct(p.Platform, 1001).ID), err)
		},
		"a wrong password": func(p *portaltest.SMSPlatform) string {
			_, err := p.Login(p.WrongLoginInput("13800000001"))
			return fmt.Sprint(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left [2]string
			for i := range left {
				p := portaltest.NewSMSPlatform(t, storetest.SQLite(t))
				if i == 1 {
					p.DB.RunTwice()
				}
				answer := does(p)
				left[i] = answer + "\n" + describeEffects(p)
			}
			if left[0] != left[1] {
				t.Errorf("once:\n%s\ntwice:\n%s", left[0], left[1])
			}
		})
	}
}

// describeEffects returns what operations changed, as text: the number of rows of every table, the messages, and the
// number of lines in the security log.
func describeEffects(p *portaltest.SMSPlatform) string {
	p.T.Helper()
	p.WaitForNotices()
	var messages []string
	for _, m := range p.Sms.Messages() {
		messages = append(messages, fmt.Sprint(m.Phone, " ", m.Purpose, m.Notice))
	}
	return fmt.Sprintf("%s\n%q\n%d lines of security", p.CountRows(), messages, p.Log.Count(`"msg":"security"`))
}
