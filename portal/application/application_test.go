package application_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/signin"
	"portico/store"
)

func TestAnApplicationIsPendingUntilTheCompanyDecides(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		if a.State != store.ApplicationPending || a.ID < 1<<52 || a.Phone != portaltest.NewPhone ||
			a.ContactPhone != "13900000444" || a.AccountID != 0 {
			t.Errorf("%+v", a)
		}
		same, err := applicationtest.Send(p, in)
		if err != nil || same.ID != a.ID {
			t.Errorf("the same again: %+v %v", same, err)
		}
		p.Clock.Advance(core.RepeatWindow)
		_, err = applicationtest.Send(p, in)
		portaltest.Refused(t, err, access.ApplicationExists)
		question := application.LookUpApplicantInput{Phone: portaltest.NewPhone, CompanyID: 1001, Ticket: in.Ticket}
		state, err := p.Application.LookUpApplicationState(t.Context(), question)
		portaltest.NoError(t, err)
		last, err := p.Application.LookUpLastApplication(t.Context(), question)
		if err != nil || state != application.ApplicantPending || last.ID != a.ID {
			t.Errorf("%s %+v %v", state, last, err)
		}
		shown, err := p.Application.ApplicationByID(t.Context(), a.ID, "")
		if err != nil || shown.AllFields || shown.CompanyName != "" || shown.Phone != "" ||
			shown.State != store.ApplicationPending {
			t.Errorf("without a ticket: %+v %v", shown, err)
		}
		shown, err = p.Application.ApplicationByID(t.Context(), a.ID, in.Ticket)
		if err != nil || !shown.AllFields || shown.CompanyName != "Bodega del Puerto" {
			t.Errorf("%+v %v", shown, err)
		}
		if _, err := p.Application.ApplicationByID(t.Context(), a.ID+1, in.Ticket); !errors.Is(err, access.NotFound) {
			t.Errorf("%v", err)
		}
		if _, err := p.DB.Persons.ByNumber(t.Context(), portaltest.NewPhone); !errors.Is(err, store.ErrNotFound) {
			t.Error("an applicant is a person already")
		}
	})
}

func TestInvalidApplicationsAreRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		for name, change := range map[string]func(*application.ApplicationInput){
			"company_name":  func(in *application.ApplicationInput) { in.CompanyName = " " },
			"contact_name":  func(in *application.ApplicationInput) { in.ContactName = "a\u0007b" },
			"province":      func(in *application.ApplicationInput) { in.District = "110101" },
			"contact_phone": func(in *application.ApplicationInput) { in.ContactPhone = "123" },
		} {
			bad := in
			change(&bad.ApplicationInput)
			_, err := applicationtest.Send(p, bad)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields[name] == "" {
				t.Errorf("%s: %v", name, with.Fields)
			}
		}
		foreign := in
		foreign.CompanyID = 1002
		_, err := applicationtest.Send(p, foreign)
		portaltest.Refused(t, err, access.CodeExpired)
		closed := in
		closed.CompanyID = 1003
		_, err = applicationtest.Send(p, closed)
		portaltest.Refused(t, err, access.ApplicationsClosed)
		_, err = applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.BuyerPhone))
		portaltest.Refused(t, err, access.PhoneRegistered)
		p.Clock.Advance(signin.ApplicantLife + time.Second)
		_, err = applicationtest.Send(p, in)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestTheLongestFieldsOfAnApplicationAreAccepted(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		in.Address, in.Reason = strings.Repeat("长", 200), strings.Repeat("长", 500)
		for name, change := range map[string]func(*application.ApplicationInput){
			"address": func(in *application.ApplicationInput) { in.Address += "长" },
			"reason":  func(in *application.ApplicationInput) { in.Reason += "长" },
		} {
			long := in
			change(&long.ApplicationInput)
			_, err := applicationtest.Send(p, long)
			portaltest.WantField(t, err, name, access.TextMalformed)
		}
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		office, reason := p.Land("jinsui", portaltest.PhoneScreen), strings.Repeat("长", 200)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID, Reason: reason + "长"})
		portaltest.WantField(t, err, "reason", access.TextMalformed)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID, Reason: reason})
		portaltest.NoError(t, err)
	})
}

func TestTheSixthApplicationToACompanyInADayIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in, office := applicationtest.New(p, 1001, portaltest.NewPhone), p.Land("jinsui", portaltest.PhoneScreen)
		sendAndReject := func() error {
			a, err := applicationtest.Send(p, in)
			if err == nil {
				_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID, Reason: "No"})
			}
			return err
		}
		for range 5 {
			portaltest.NoError(t, sendAndReject())
		}
		portaltest.Refused(t, sendAndReject(), access.TooManyAttempts)
		p.Clock.Advance(24 * time.Hour)
		in.Ticket = applicationtest.New(p, 1001, portaltest.NewPhone).Ticket
		portaltest.NoError(t, sendAndReject())
	})
}

func TestWaitingApplicationsAreCountedUpToALimit(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		office := p.Administrator()
		add := func(from, to int) {
			portaltest.NoError(t, p.DB.Tx(t.Context(), func(tx *store.DB) error {
				for i := from; i < to; i++ {
					_, err := tx.Applications.Add(t.Context(), store.Application{
						ID: 1<<52 + int64(i), CompanyID: 1001, Phone: fmt.Sprintf("139%08d", i),
						State: store.ApplicationPending, CompanyName: "Bodega", CreatedAt: 1,
					})
					if err != nil {
						return err
					}
				}
				return nil
			}))
		}
		wantWaiting := func(want int) {
			t.Helper()
			next, err := p.Application.NextApplication(t.Context(), office)
			portaltest.NoError(t, err)
			if menu, err := p.Overview.Waiting(t.Context(), office); err != nil || next.Waiting != want ||
				menu.Applications != want {
				t.Errorf("%d and in the menu %d wait, want %d, %v", next.Waiting, menu.Applications, want, err)
			}
		}
		add(0, 99)
		wantWaiting(99)
		add(99, 105)
		wantWaiting(100) // shown as "99+"
		add(105, 1005)
		if first, err := p.Overview.Office(t.Context(), office); err != nil || first.Pending != 1001 {
			t.Errorf("%d wait on the first page, %v", first.Pending, err) // shown as "1000+"
		}
	})
}

func TestWithoutReviewAnApplicationIsApprovedAtOnce(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a, err := applicationtest.Send(p, applicationtest.New(p, 1002, portaltest.NewPhone))
		portaltest.NoError(t, err)
		m, err := p.DB.Accounts.ByID(t.Context(), 1002, a.AccountID)
		if err != nil || a.State != store.ApplicationApproved || !m.Invited || m.Phone != portaltest.NewPhone ||
			m.ClientName != "Bodega del Puerto" || m.Name != "Irene Vidal" {
			t.Errorf("%+v %+v %v", a, m, err)
		}
	})
}

func TestOnlyOneOfTwoReviewersDecidesAnApplication(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		if n := applicationtest.ReviewTogether(p, t, func(i int) application.ReviewInput {
			return application.ReviewInput{ID: a.ID, Reason: fmt.Sprint("Falta el documento ", i)}
		}); n != 1 {
			t.Errorf("%d decided", n)
		}
	})
}

// The answer to a decision is lost, and the button pressed again.
func TestRepeatingADecisionSucceedsAndChangesNothing(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		if n := applicationtest.ReviewTogether(p,
			t, func(int) application.ReviewInput { return application.ReviewInput{ID: a.ID, Approve: true} },
		); n != 8 {
			t.Errorf("%d of 8 hold", n)
		}
		_, decided, err := p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen), application.ReviewInput{ID: a.ID, Reason: "No"},
		)
		if err != nil || decided {
			t.Error("another decision holds, too", err)
		}
		if n := p.CountEvents(1001, "application_approved"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.Clock.Advance(core.RepeatWindow)
		_, err = applicationtest.Send(p, in)
		portaltest.Refused(t, err, access.PhoneRegistered)
	})
}

func TestARejectionNamesTheReasonAndAllowsANewApplication(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		office := p.Land("jinsui", portaltest.PhoneScreen)
		_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{ID: a.ID})
		portaltest.Refused(t, err, access.ValidationFailed)
		_, _, err = p.Application.Review(
			t.Context(), p.Land("sur", portaltest.PhoneScreen), application.ReviewInput{ID: a.ID, Approve: true},
		)
		portaltest.Refused(t, err, access.NotFound)
		_, _, err = p.Application.Review(
			t.Context(), p.Land("li.manager", portaltest.PhoneScreen),
			application.ReviewInput{ID: a.ID, Approve: true},
		)
		portaltest.Refused(t, err, access.Forbidden)
		rejected, decided, err := p.Application.Review(t.Context(), office, application.ReviewInput{
			ID: a.ID, Reason: "Falta la licencia",
		})
		if err != nil || !decided || rejected.State != store.ApplicationRejected {
			t.Errorf("%+v %v %v", rejected, decided, err)
		}
		shown, err := p.Application.ApplicationByID(t.Context(), a.ID, in.Ticket)
		if err != nil || shown.RejectReason != "Falta la licencia" || len(shown.Contacts) == 0 {
			t.Errorf("%+v %v", shown, err)
		}
		p.Clock.Advance(time.Second)
		again, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		if shown, err = p.Application.ApplicationByID(t.Context(), again.ID, in.Ticket); err != nil ||
			len(shown.Earlier) != 1 || shown.Earlier[0].ID != a.ID {
			t.Errorf("%+v %v", shown.Earlier, err)
		}
	})
}
