package portal_test

import (
	"fmt"
	"testing"

	"portico/portal"
	"portico/store/storetest"
)

// did describes what an operation left: the rows of every table, the messages, and the number of lines in the security
// log.
func (p *carer) did() string {
	p.t.Helper()
	p.settle()
	var messages []string
	for _, m := range p.sms.messages() {
		messages = append(messages, fmt.Sprint(m.Phone, " ", m.Purpose, m.Notice))
	}
	return fmt.Sprintf("%s\n%q\n%d lines of security", p.counted(), messages, p.log.count(`"msg":"security"`))
}

func TestATransactionThatRunsTwiceLeavesWhatOneRunLeaves(t *testing.T) {
	for name, does := range map[string]func(p *carer) string{
		"signing in and entering": func(p *carer) string {
			signed := p.signIn(accountHost, managerPhone)
			v := p.visits(signed.Session, p.account("jinsui"))
			return fmt.Sprint(signed.Step, v.Landing.Member.ID)
		},
		"signing in by a code": func(p *carer) string {
			flow := portal.NewFlow()
			code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
			signed, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
			return fmt.Sprint(signed.Step, err)
		},
		"signing out everywhere": func(p *carer) string {
			p.signIn(accountHost, managerPhone)
			signed := p.signIn(accountHost, managerPhone)
			if err := p.EndOtherDevices(p.from(homeAddress), signed.Session); err != nil {
				return err.Error()
			}
			_, err := p.SignOut(p.from(homeAddress), signed.Token, p.place(accountHost))
			return fmt.Sprint(err)
		},
		"registering a company": func(p *carer) string {
			result, _ := p.registered(newPhone)
			return fmt.Sprint(result.Member.Name, result.Step.Kind)
		},
		"registering another company": func(p *carer) string {
			signed := p.signIn(accountHost, managerPhone)
			result, err := p.register(p.adding(signed.Session, "Second"))
			return fmt.Sprint(result.Member.Company.Name, err)
		},
		"trying out": func(p *carer) string {
			result, _ := p.tried(newPhone, seafood)
			m := p.role(result.Session, "mgr", true)
			return fmt.Sprint(m.Company.Sandbox, m.Side)
		},
		"applying and being approved": func(p *carer) string {
			a, err := p.apply(p.applies(1001, newPhone))
			noError(p.t, err)
			a, decided, err := p.Review(p.from(homeAddress), p.landed("jinsui", phoneScreen),
				portal.ReviewInput{ID: a.ID, Approve: true})
			return fmt.Sprint(a.State, decided, err)
		},
		"setting an invited account up": func(p *carer) string {
			p.invites(1001, "invited", newPhone)
			completed, err := p.complete(p.provenComplete(1001, newPhone))
			return fmt.Sprint(completed.Member.Login, completed.Member.Invited, err)
		},
		"binding a phone": func(p *carer) string {
			_, in, _ := p.proven("nophone", newPhone)
			in.Password, in.Confirm = newPassword, newPassword
			bound, err := p.bind(in)
			return fmt.Sprint(bound.Phone, err)
		},
		"changing a password": func(p *carer) string {
			signed := p.signIn(accountHost, managerPhone)
			_, err := p.change(p.changing(signed.Session, portal.DemoPassword))
			return fmt.Sprint(err)
		},
		"resetting a password": func(p *carer) string {
			flow := portal.NewFlow()
			code := p.sent(p.asking(portal.ForReset, buyerPhone, flow))
			return fmt.Sprint(p.reset(p.resetting(buyerPhone, code, flow)))
		},
		"ordering": func(p *carer) string {
			o, err := p.order(p.landed("buyer1", phoneScreen), p.product(1001).ID, "3", portal.NewForm())
			return fmt.Sprint(o.Number, o.Total, p.stock(1001, p.product(1001).ID), err)
		},
		"a wrong password": func(p *carer) string {
			_, err := p.login(p.wrong("13800000001"))
			return fmt.Sprint(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left [2]string
			for i := range left {
				p := newCarer(t, storetest.SQLite(t))
				if i == 1 {
					p.db.RunTwice()
				}
				answer := does(p)
				left[i] = answer + "\n" + p.did()
			}
			if left[0] != left[1] {
				t.Errorf("once:\n%s\ntwice:\n%s", left[0], left[1])
			}
		})
	}
}
