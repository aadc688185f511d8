package application_test

import (
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/portaltest"
	"portico/store"
)

func TestAReviewerWithMessagesOnGetsAtMostOneAnHour(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Applicant(1001, "13900000701")
		p.WantToldWaiting("nobody wishes it")
		p.Watches()
		p.Applicant(1001, "13900000702")
		p.WantToldWaiting("the first", portaltest.ManagerPhone+" 2")
		m := p.Sms.Messages()[len(p.Sms.Messages())-1]
		if m.Lang != "en" || !strings.HasSuffix(m.Way, "store1001.portico.test/mgr/applications") ||
			m.Login != "" || m.Code != "" {
			t.Errorf("%+v", m)
		}
		p.Clock.Advance(application.ReviewerRest / 2)
		p.Applicant(1001, "13900000703")
		p.Applicant(1001, "13900000704")
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantToldWaiting("within the hour", portaltest.ManagerPhone+" 2")
		p.Clock.Advance(application.ReviewerRest/2 + time.Second)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantToldWaiting(
			"after the hour, without another application", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4",
		)
		p.Clock.Advance(2 * application.ReviewerRest)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantToldWaiting("nobody applied since", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4")

		portaltest.NoError(t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), p.Boss(), false, "en"))
		p.Applicant(1001, "13900000705")
		p.WantToldWaiting("switched off", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4")
	})
}

func TestMessagesToReviewersStopWithTheirRights(t *testing.T) {
	for name, lose := range map[string]func(p *portaltest.Carer){
		"the right": func(p *portaltest.Carer) { // an employee, who is no administrator any more
			p.WatchedBy("jinsui", false)
			p.WatchedBy("li.manager", true)
		},
		"the phone": func(p *portaltest.Carer) {
			m := p.Account("jinsui")
			portaltest.NoError(p.T, p.Db.Phones.Unbind(p.T.Context(), m.CompanyID, m.ID, m.PhoneID))
		},
		"the account": func(p *portaltest.Carer) { p.SetAccountState("jinsui", store.AccountDisabled) },
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
				p.Watches()
				lose(p)
				p.Applicant(1001, portaltest.NewPhone)
				p.WantToldWaiting("lost " + name)
			})
		})
	}
}

func TestOnlyReviewersTurnTheirMessagesOnOrOff(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		employee := p.At(p.Account("li.manager"))
		portaltest.Refused(
			t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), employee, true, "zh"), access.Forbidden,
		)
		_, err := p.Application.WatchingApplications(t.Context(), employee)
		portaltest.Refused(t, err, access.Forbidden)
		if n, err := p.Application.WaitingApplications(t.Context(), employee); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		without := p.At(p.Account("northwind")) // no phone
		portaltest.Refused(
			t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), without, true, "zh"),
			access.WrongParameters,
		)
		boss := p.Boss()
		for _, on := range []bool{true, true, false, false} { // each sent twice
			portaltest.NoError(t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), boss, on, "zh"))
			if w, err := p.Application.WatchingApplications(t.Context(), boss); err != nil ||
				w.On != on || w.Phone != portaltest.ManagerPhone {
				t.Errorf("%+v, %v", w, err)
			}
		}
		p.Applicant(1001, portaltest.NewPhone)
		if n, err := p.Application.WaitingApplications(t.Context(), boss); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestAFailedMessageToAReviewerFailsNoApplicationAndIsSentLater(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Watches()
		in := p.Applies(1001, portaltest.NewPhone)
		before := p.Spent("sms:company:1001")
		p.Sms.FailWith(portaltest.ErrProvider)
		_, err := p.Apply(in)
		portaltest.NoError(t, err)
		p.Settle()
		p.Sms.FailWith(nil)
		if n := p.Spent("sms:company:1001"); n != before {
			t.Errorf("a message that was not sent counts: %d, before %d", n, before)
		}
		p.Clock.Advance(application.ReviewerRest)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantToldWaiting("later", portaltest.ManagerPhone+" 1")
	})
}

func TestMessagesToReviewersStayWithinTheBudgets(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Watches()
		p.Applicant(1001, portaltest.NewPhone) // its code and the message to the reviewer use up the day
		p.WantToldWaiting("the first", portaltest.ManagerPhone+" 1")
		m := p.Account("jinsui")
		for range 3 {
			p.Clock.Advance(application.ReviewerRest)
			w := store.ApplicationWatcher{AccountID: m.ID, CompanyID: m.CompanyID}
			portaltest.NoError(t, p.Db.Watchers.SetDue(t.Context(), w, store.At(p.Clock.Now())))
			portaltest.NoError(t, p.Sweep(t.Context()))
		}
		p.WantToldWaiting("with nothing left", portaltest.ManagerPhone+" 1")
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantToldWaiting("the next day", portaltest.ManagerPhone+" 1", portaltest.ManagerPhone+" 1")
	}, func(o *portal.Options) { o.MessagesCompany = 2 })
}
