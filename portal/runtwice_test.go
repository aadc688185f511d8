package portal_test

import (
	"fmt"
	"testing"

	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/ordering"
	"portico/portal/portaltest"
	"portico/portal/verification"
	"portico/store/storetest"
)

func TestATransactionThatRunsTwiceHasTheEffectOfOneRun(t *testing.T) {
	for name, does := range map[string]func(p *portaltest.Carer) string{
		"signing in and entering": func(p *portaltest.Carer) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			v := p.Visits(signed.Session, p.Account("jinsui"))
			return fmt.Sprint(signed.Step, v.Landing.Member.ID)
		},
		"signing in by a code": func(p *portaltest.Carer) string {
			flow := verification.NewFlow()
			code := p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, flow))
			signed, err := p.CodeLogin(p.WithCode(portaltest.BuyerPhone, code, flow))
			return fmt.Sprint(signed.Step, err)
		},
		"signing out everywhere": func(p *portaltest.Carer) string {
			p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			if err := p.Sessions.EndOtherDevices(p.From(portaltest.HomeAddress), signed.Session); err != nil {
				return err.Error()
			}
			_, err := p.SignOut(p.From(portaltest.HomeAddress), signed.Token, p.Place(portaltest.AccountHost))
			return fmt.Sprint(err)
		},
		"registering a company": func(p *portaltest.Carer) string {
			result, _ := p.Registered(portaltest.NewPhone)
			return fmt.Sprint(result.Member.Name, result.Step.Kind)
		},
		"registering another company": func(p *portaltest.Carer) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			result, err := p.Register(p.Adding(signed.Session, "Second"))
			return fmt.Sprint(result.Member.Company.Name, err)
		},
		"trying out": func(p *portaltest.Carer) string {
			result, _ := p.Tried(portaltest.NewPhone, portaltest.Seafood)
			m := p.Role(result.Session, "mgr", true)
			return fmt.Sprint(m.Company.Sandbox, m.Side)
		},
		"applying and being approved": func(p *portaltest.Carer) string {
			a, err := p.Apply(p.Applies(1001, portaltest.NewPhone))
			portaltest.NoError(p.T, err)
			a, decided, err := p.Application.Review(
				p.From(portaltest.HomeAddress), p.Landed("jinsui", portaltest.PhoneScreen),
				application.ReviewInput{ID: a.ID, Approve: true},
			)
			return fmt.Sprint(a.State, decided, err)
		},
		"setting an invited account up": func(p *portaltest.Carer) string {
			p.Invites(1001, "invited", portaltest.NewPhone)
			completed, err := p.Complete(p.ProvenComplete(1001, portaltest.NewPhone))
			return fmt.Sprint(completed.Member.Login, completed.Member.Invited, err)
		},
		"binding a phone": func(p *portaltest.Carer) string {
			_, in, _ := p.Proven("nophone", portaltest.NewPhone)
			in.Password, in.Confirm = portaltest.NewPassword, portaltest.NewPassword
			bound, err := p.Bind(in)
			return fmt.Sprint(bound.Phone, err)
		},
		"changing a password": func(p *portaltest.Carer) string {
			signed := p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone)
			_, err := p.Change(p.Changing(signed.Session, onboarding.DemoPassword))
			return fmt.Sprint(err)
		},
		"resetting a password": func(p *portaltest.Carer) string {
			flow := verification.NewFlow()
			code := p.Sent(p.Asking(verification.ForReset, portaltest.BuyerPhone, flow))
			return fmt.Sprint(p.Reset(p.Resetting(portaltest.BuyerPhone, code, flow)))
		},
		"ordering": func(p *portaltest.Carer) string {
			o, err := p.Order(p.Landed("buyer1", portaltest.PhoneScreen), p.Product(1001).ID, "3", ordering.NewForm())
			return fmt.Sprint(o.Number, o.Total, p.Stock(1001, p.Product(1001).ID), err)
		},
		"a wrong password": func(p *portaltest.Carer) string {
			_, err := p.Login(p.Wrong("13800000001"))
			return fmt.Sprint(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left [2]string
			for i := range left {
				p := portaltest.NewCarer(t, storetest.SQLite(t))
				if i == 1 {
					p.Db.RunTwice()
				}
				answer := does(p)
				left[i] = answer + "\n" + p.Did()
			}
			if left[0] != left[1] {
				t.Errorf("once:\n%s\ntwice:\n%s", left[0], left[1])
			}
		})
	}
}
