package application_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/store"
)

func TestAReviewerWithMessagesOnGetsAtMostOneAnHour(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		applicationtest.SendNew(p, 1001, "13900000701")
		wantWaitingMessages(p, "nobody wishes it")
		watchApplications(p)
		applicationtest.SendNew(p, 1001, "13900000702")
		wantWaitingMessages(p, "the first", portaltest.ManagerPhone+" 2")
		m := p.Sms.Messages()[len(p.Sms.Messages())-1]
		if m.Lang != "en" || !strings.HasSuffix(m.Way, "store1001.portico.test/mgr/applications") ||
			m.Login != "" || m.Code != "" {
			t.Errorf("%+v", m)
		}
		p.Clock.Advance(30 * time.Minute)
		applicationtest.SendNew(p, 1001, "13900000703")
		applicationtest.SendNew(p, 1001, "13900000704")
		p.Clock.Advance(30*time.Minute - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantWaitingMessages(p, "within the hour", portaltest.ManagerPhone+" 2")
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantWaitingMessages(p,
			"after the hour, without another application", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4",
		)
		p.Clock.Advance(2 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantWaitingMessages(p, "nobody applied since", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4")

		portaltest.NoError(
			t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), p.Administrator(), false, "en"),
		)
		applicationtest.SendNew(p, 1001, "13900000705")
		wantWaitingMessages(p, "switched off", portaltest.ManagerPhone+" 2", portaltest.ManagerPhone+" 4")
	})
}

func TestWhoRegistersACompanyIsToldOfApplicationsUntilTheyTurnItOff(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		owner, in := onboardingtest.RegisterPhone(p, portaltest.NewPhone)
		id := owner.Member.CompanyID
		p.UpdateCompany(id, func(c *store.Company) { c.ApplicationsOpen, c.ApplicationsReviewed = true, true })
		for i := range 5 {
			applicationtest.SendNew(p, id, fmt.Sprintf("1390000071%d", i))
			p.WaitForNotices() // the message counts the applications that there are when it is sent
		}
		wantWaitingMessages(p, "of five within the hour", in.Phone+" 1")
		for _, m := range p.Sms.Messages() {
			if m.Notice == core.NoticeApplications && m.Lang != in.Lang {
				t.Errorf("the registration was in %s, the message is in %s", in.Lang, m.Lang)
			}
		}
		here := p.LandingFor(owner.Member)
		on, err := p.Application.WatchingApplications(t.Context(), here)
		if portaltest.NoError(t, err); !on.On {
			t.Error("the switch says that it is off")
		}
		portaltest.NoError(t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), here, false, "en"))
		p.Clock.Advance(2 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		applicationtest.SendNew(p, id, "13900000720")
		wantWaitingMessages(p, "turned off", in.Phone+" 1")
	})
}

func TestTwentyReviewersOfACompanyGetAMessage(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 22 {
			phone := fmt.Sprintf("139000006%02d", i)
			_, err := p.DB.Persons.Add(t.Context(), store.Person{Phone: phone, CreatedAt: 1})
			portaltest.NoError(t, err)
			m := companytest.AddAccount(p.Platform, fmt.Sprint("reviewer", i), 1001, store.Mgr, phone)
			portaltest.NoError(t, p.DB.Accounts.SetType(t.Context(), 1001, m.ID, store.TypeAdministrator))
			setWatching(p, m.Login, true)
		}
		applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		if sent := waitingMessages(p); len(sent) != 20 {
			t.Errorf("%d messages: %q", len(sent), sent)
		}
	})
}

func TestMessagesToReviewersStopWithTheirRights(t *testing.T) {
	for name, lose := range map[string]func(p *portaltest.SMSPlatform){
		"the right": func(p *portaltest.SMSPlatform) { // an employee, who is no administrator any more
			setWatching(p, "jinsui", false)
			setWatching(p, "li.manager", true)
		},
		"the phone": func(p *portaltest.SMSPlatform) {
			m := p.Account("jinsui")
			portaltest.NoError(p.T, p.DB.Persons.Unbind(p.T.Context(), m.CompanyID, m.ID, m.PersonID))
		},
		"the account": func(p *portaltest.SMSPlatform) { p.SetAccountState("jinsui", store.AccountDisabled) },
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				watchApplications(p)
				lose(p)
				applicationtest.SendNew(p, 1001, portaltest.NewPhone)
				wantWaitingMessages(p, "lost "+name)
			})
		})
	}
}

func TestOnlyReviewersTurnTheirMessagesOnOrOff(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		employee := p.LandingFor(p.Account("li.manager"))
		portaltest.Refused(
			t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), employee, true, "zh"), access.Forbidden,
		)
		_, err := p.Application.WatchingApplications(t.Context(), employee)
		portaltest.Refused(t, err, access.Forbidden)
		if n, err := p.Overview.Waiting(t.Context(), employee); n.Applications != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		without := p.LandingFor(p.Account("northwind")) // no phone
		portaltest.Refused(
			t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), without, true, "zh"),
			access.WrongParameters,
		)
		boss := p.Administrator()
		for _, on := range []bool{true, true, false, false} { // each sent twice
			portaltest.NoError(t, p.Application.WatchApplications(p.From(portaltest.HomeAddress), boss, on, "zh"))
			if w, err := p.Application.WatchingApplications(t.Context(), boss); err != nil ||
				w.On != on || w.Phone != portaltest.ManagerPhone {
				t.Errorf("%+v, %v", w, err)
			}
		}
		applicationtest.SendNew(p, 1001, portaltest.NewPhone)
		if n, err := p.Overview.Waiting(t.Context(), boss); n.Applications != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestAFailedMessageToAReviewerFailsNoApplicationAndIsSentLater(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		watchApplications(p)
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		before := countSpentMessages(p, "sms:company:1001")
		p.Sms.FailWith(portaltest.ErrProvider)
		_, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		p.WaitForNotices()
		p.Sms.FailWith(nil)
		if n := countSpentMessages(p, "sms:company:1001"); n != before {
			t.Errorf("a message that was not sent counts: %d, before %d", n, before)
		}
		p.Clock.Advance(application.ReviewerRest)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantWaitingMessages(p, "later", portaltest.ManagerPhone+" 1")
	})
}

func TestMessagesToReviewersStayWithinTheBudgets(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		watchApplications(p)
		applicationtest.SendNew(p, 1001, portaltest.NewPhone) // its code and the message to the reviewer use up the day
		wantWaitingMessages(p, "the first", portaltest.ManagerPhone+" 1")
		m := p.Account("jinsui")
		for range 3 {
			p.Clock.Advance(application.ReviewerRest)
			w := store.ApplicationWatcher{AccountID: m.ID, CompanyID: m.CompanyID}
			portaltest.NoError(t, p.DB.Watchers.SetDue(t.Context(), w, store.At(p.Clock.Now())))
			portaltest.NoError(t, p.Sweep(t.Context()))
		}
		wantWaitingMessages(p, "with nothing left", portaltest.ManagerPhone+" 1")
		p.Clock.Advance(24 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantWaitingMessages(p, "the next day", portaltest.ManagerPhone+" 1", portaltest.ManagerPhone+" 1")
	}, func(o *portal.Options) { o.MessagesCompany = 2 })
}

// watchApplications switches on the messages about new applications for the administrator of company 1001.
func watchApplications(p *portaltest.SMSPlatform) {
	p.T.Helper()
	portaltest.NoError(
		p.T, p.Application.WatchApplications(p.From(portaltest.HomeAddress), p.Administrator(), true, "en"),
	)
}

// waitingMessages returns the messages about pending applications, each as "phone number-of-applications".
func waitingMessages(p *portaltest.SMSPlatform) (all []string) {
	p.T.Helper()
	p.WaitForNotices()
	for _, m := range p.Sms.Messages() {
		if m.Notice == core.NoticeApplications {
			all = append(all, fmt.Sprintf("%s %d", m.Phone, m.Waiting))
		}
	}
	return all
}

// setWatching stores whether an account wants messages, without a check of its rights.
func setWatching(p *portaltest.SMSPlatform, login string, on bool) {
	p.T.Helper()
	m := p.Account(login)
	if on {
		portaltest.NoError(p.T, p.DB.Watchers.Add(p.T.Context(), m.CompanyID, m.ID, "zh"))
	} else {
		portaltest.NoError(p.T, p.DB.Watchers.Remove(p.T.Context(), m.CompanyID, m.ID))
	}
}

// countSpentMessages returns how many messages are counted under a key. It fails the test if the counter cannot be
// read.
func countSpentMessages(p *portaltest.SMSPlatform, key string) int {
	p.T.Helper()
	a, err := p.DB.Attempts.Of(p.T.Context(), key)
	portaltest.NoError(p.T, err)
	return a.WindowFailures
}

// wantWaitingMessages fails the test unless exactly these messages about pending applications were sent, in the form of
// waitingMessages.
func wantWaitingMessages(p *portaltest.SMSPlatform, what string, want ...string) {
	p.T.Helper()
	if got := waitingMessages(p); strings.Join(got, ", ") != strings.Join(want, ", ") {
		p.T.Errorf("%s: %q, want %q", what, got, want)
	}
}
