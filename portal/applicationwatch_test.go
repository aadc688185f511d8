package portal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// watches switches the messages of the demo's administrator of company 1001 on.
func (p *carer) watches() {
	p.t.Helper()
	noError(p.t, p.WatchApplications(p.from(homeAddress), p.boss(), true, "en"))
}

// toldWaiting are the messages about waiting applications, as "phone number".
func (p *carer) toldWaiting() (all []string) {
	p.t.Helper()
	p.settle()
	for _, m := range p.sms.messages() {
		if m.Notice == portal.NoticeApplications {
			all = append(all, fmt.Sprintf("%s %d", m.Phone, m.Waiting))
		}
	}
	return all
}

// watchedBy stores that an account wants messages, whatever its rights are.
func (p *carer) watchedBy(login string, on bool) {
	p.t.Helper()
	m := p.account(login)
	if on {
		noError(p.t, p.db.WatchApplications(p.t.Context(), m.CompanyID, m.ID, "zh"))
	} else {
		noError(p.t, p.db.UnwatchApplications(p.t.Context(), m.CompanyID, m.ID))
	}
}

// spent is how many messages are counted under a key.
func (p *carer) spent(key string) int {
	p.t.Helper()
	a, err := p.db.AttemptsOf(p.t.Context(), key)
	noError(p.t, err)
	return a.WindowFailures
}

func (p *carer) wantToldWaiting(what string, want ...string) {
	p.t.Helper()
	if got := p.toldWaiting(); strings.Join(got, ", ") != strings.Join(want, ", ") {
		p.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestAReviewerWithMessagesOnGetsAtMostOneAnHour(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.applicant(1001, "13900000701")
		p.wantToldWaiting("nobody wishes it")
		p.watches()
		p.applicant(1001, "13900000702")
		p.wantToldWaiting("the first", managerPhone+" 2")
		m := p.sms.messages()[len(p.sms.messages())-1]
		if m.Lang != "en" || !strings.HasSuffix(m.Way, "store1001.portico.test/mgr/applications") ||
			m.Login != "" || m.Code != "" {
			t.Errorf("%+v", m)
		}
		p.clock.advance(portal.ReviewerRest / 2)
		p.applicant(1001, "13900000703")
		p.applicant(1001, "13900000704")
		noError(t, p.Sweep(t.Context()))
		p.wantToldWaiting("within the hour", managerPhone+" 2")
		p.clock.advance(portal.ReviewerRest/2 + time.Second)
		noError(t, p.Sweep(t.Context()))
		p.wantToldWaiting("after the hour, without another application", managerPhone+" 2", managerPhone+" 4")
		p.clock.advance(2 * portal.ReviewerRest)
		noError(t, p.Sweep(t.Context()))
		p.wantToldWaiting("nobody applied since", managerPhone+" 2", managerPhone+" 4")

		noError(t, p.WatchApplications(p.from(homeAddress), p.boss(), false, "en"))
		p.applicant(1001, "13900000705")
		p.wantToldWaiting("switched off", managerPhone+" 2", managerPhone+" 4")
	})
}

func TestMessagesToReviewersStopWithTheirRights(t *testing.T) {
	for name, lose := range map[string]func(p *carer){
		"the right": func(p *carer) { // an employee, who is no administrator any more
			p.watchedBy("jinsui", false)
			p.watchedBy("li.manager", true)
		},
		"the phone": func(p *carer) {
			m := p.account("jinsui")
			noError(p.t, p.db.UnbindPhone(p.t.Context(), m.CompanyID, m.ID, m.PhoneID))
		},
		"the account": func(p *carer) { p.setAccountState("jinsui", store.AccountDisabled) },
	} {
		t.Run(name, func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				p.watches()
				lose(p)
				p.applicant(1001, newPhone)
				p.wantToldWaiting("lost " + name)
			})
		})
	}
}

func TestOnlyReviewersSwitchTheirMessages(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		employee := p.at(p.account("li.manager"))
		refused(t, p.WatchApplications(p.from(homeAddress), employee, true, "zh"), portal.Forbidden)
		_, err := p.WatchingApplications(t.Context(), employee)
		refused(t, err, portal.Forbidden)
		if n, err := p.WaitingApplications(t.Context(), employee); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		without := p.at(p.account("northwind")) // no phone
		refused(t, p.WatchApplications(p.from(homeAddress), without, true, "zh"), portal.WrongParameters)
		boss := p.boss()
		for _, on := range []bool{true, true, false, false} { // each sent twice
			noError(t, p.WatchApplications(p.from(homeAddress), boss, on, "zh"))
			if w, err := p.WatchingApplications(t.Context(), boss); err != nil ||
				w.On != on || w.Phone != managerPhone {
				t.Errorf("%+v, %v", w, err)
			}
		}
		p.applicant(1001, newPhone)
		if n, err := p.WaitingApplications(t.Context(), boss); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestAFailedMessageToAReviewerFailsNoApplicationAndIsSentLater(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.watches()
		in := p.applies(1001, newPhone)
		before := p.spent("sms:company:1001")
		p.sms.failWith(errProvider)
		_, err := p.apply(in)
		noError(t, err)
		p.settle()
		p.sms.failWith(nil)
		if n := p.spent("sms:company:1001"); n != before {
			t.Errorf("a message that was not sent counts: %d, before %d", n, before)
		}
		p.clock.advance(portal.ReviewerRest)
		noError(t, p.Sweep(t.Context()))
		p.wantToldWaiting("later", managerPhone+" 1")
	})
}

func TestMessagesToReviewersStayWithinTheBudgets(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.watches()
		p.applicant(1001, newPhone) // its code and the message to the reviewer use up the day
		p.wantToldWaiting("the first", managerPhone+" 1")
		m := p.account("jinsui")
		for range 3 {
			p.clock.advance(portal.ReviewerRest)
			w := store.ApplicationWatcher{AccountID: m.ID, CompanyID: m.CompanyID}
			noError(t, p.db.SetWatcherDue(t.Context(), w, store.At(p.clock.now())))
			noError(t, p.Sweep(t.Context()))
		}
		p.wantToldWaiting("with nothing left", managerPhone+" 1")
		p.clock.advance(24 * time.Hour)
		noError(t, p.Sweep(t.Context()))
		p.wantToldWaiting("the next day", managerPhone+" 1", managerPhone+" 1")
	}, func(o *portal.Options) { o.MessagesCompany = 2 })
}
