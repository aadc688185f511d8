package portal_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// applies proves a phone to a company and gives an application that is good.
// filledIn is an application that somebody fills in, with the ticket that proves the phone.
type filledIn struct {
	portal.ApplicationInput
	Ticket string
}

func (p *carer) applies(company int64, phone string) filledIn {
	p.t.Helper()
	ask := p.asking(portal.ForApplication, phone, portal.NewFlow())
	ask.CompanyID = company
	ticket, _, err := p.ProveApplicant(p.from(homeAddress), portal.ProveApplicantInput{
		Phone: phone, Code: p.sent(ask), CompanyID: company, Flow: ask.Flow,
	})
	noError(p.t, err)
	return filledIn{portal.ApplicationInput{
		CompanyID: company, CompanyName: "Bodega del Puerto", ContactName: "Irene Vidal", Position: "Compras",
		Province: "440000", City: "440300", District: "440305", Address: "Calle 8", Reason: "Vendemos arroz",
		ContactPhone: "139 0000 0444", Lang: "es",
	}, ticket}
}

// apply sends an application, as a program does.
func (p *carer) apply(in filledIn) (store.Application, error) {
	sent, err := p.SendApplication(p.from(homeAddress), p.byTicket(in))
	return sent.Application, err
}

// byTicket adds the applicant whom the ticket proves, nobody for a bad ticket.
func (p *carer) byTicket(in filledIn) portal.ApplicationInput {
	in.Applicant, _ = p.Applicant(in.Ticket, in.CompanyID)
	return in.ApplicationInput
}

func (p *carer) keepsDraft(in filledIn) error {
	_, err := p.KeepDraft(p.t.Context(), p.byTicket(in))
	return err
}

func (p *carer) draft(ticket string, company int64) (portal.ApplicationInput, error) {
	who, _ := p.Applicant(ticket, company)
	status, err := p.ApplicationStatus(p.t.Context(), company, who)
	noError(p.t, err)
	return p.ApplicationDraft(p.t.Context(), status)
}

func TestAnApplicationWaitsForTheCompany(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		if a.State != store.ApplicationPending || a.ID < 1<<52 || a.Phone != newPhone || a.ContactPhone != "13900000444" || a.AccountID != 0 {
			t.Errorf("%+v", a)
		}
		same, err := p.apply(in)
		if err != nil || same.ID != a.ID {
			t.Errorf("the same again: %+v %v", same, err)
		}
		p.clock.advance(portal.RepeatWindow)
		_, err = p.apply(in)
		refused(t, err, portal.ApplicationExists)
		question := portal.LookUpApplicantInput{Phone: newPhone, CompanyID: 1001, Ticket: in.Ticket}
		state, err := p.LookUpApplicationState(t.Context(), question)
		noError(t, err)
		last, err := p.LookUpLastApplication(t.Context(), question)
		if err != nil || state != portal.ApplicantPending || last.ID != a.ID {
			t.Errorf("%s %+v %v", state, last, err)
		}
		shown, err := p.ApplicationByID(t.Context(), a.ID, "")
		if err != nil || shown.Whole || shown.CompanyName != "" || shown.Phone != "" || shown.State != store.ApplicationPending {
			t.Errorf("without a ticket: %+v %v", shown, err)
		}
		shown, err = p.ApplicationByID(t.Context(), a.ID, in.Ticket)
		if err != nil || !shown.Whole || shown.CompanyName != "Bodega del Puerto" {
			t.Errorf("%+v %v", shown, err)
		}
		if _, err := p.ApplicationByID(t.Context(), a.ID+1, in.Ticket); !errors.Is(err, portal.NotFound) {
			t.Errorf("%v", err)
		}
		if _, err := p.db.PhoneByNumber(t.Context(), newPhone); !errors.Is(err, store.ErrNotFound) {
			t.Error("an applicant is a person already")
		}
	})
}

func TestWhoMayNotApplyIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		for name, change := range map[string]func(*portal.ApplicationInput){
			"company_name": func(in *portal.ApplicationInput) { in.CompanyName = " " }, "contact_name": func(in *portal.ApplicationInput) { in.ContactName = "a\u202eb" },
			"province": func(in *portal.ApplicationInput) { in.District = "110101" }, "contact_phone": func(in *portal.ApplicationInput) { in.ContactPhone = "123" },
		} {
			bad := in
			change(&bad.ApplicationInput)
			_, err := p.apply(bad)
			if with := refused(t, err, portal.ValidationFailed); with.Fields[name] == "" {
				t.Errorf("%s: %v", name, with.Fields)
			}
		}
		foreign := in
		foreign.CompanyID = 1002
		_, err := p.apply(foreign)
		refused(t, err, portal.CodeExpired)
		closed := in
		closed.CompanyID = 1003
		_, err = p.apply(closed)
		refused(t, err, portal.ApplicationsClosed)
		_, err = p.apply(p.applies(1001, buyerPhone))
		refused(t, err, portal.PhoneRegistered)
		p.clock.advance(portal.ApplicantLife + time.Second)
		_, err = p.apply(in)
		refused(t, err, portal.CodeExpired)
	})
}

func TestWithoutReviewAnApplicationIsApprovedAtOnce(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a, err := p.apply(p.applies(1002, newPhone))
		noError(t, err)
		m, err := p.db.MemberByID(t.Context(), 1002, a.AccountID)
		if err != nil || a.State != store.ApplicationApproved || !m.Invited || m.Phone != newPhone || m.ClientName != "Bodega del Puerto" || m.Name != "Irene Vidal" {
			t.Errorf("%+v %+v %v", a, m, err)
		}
	})
}

// reviewed is how many of eight decisions at once say that they hold.
func (p *carer) reviewed(t *testing.T, in func(i int) portal.ReviewInput) (n int) {
	t.Helper()
	office := p.landed("jinsui", phoneScreen)
	var all sync.WaitGroup
	decisions := make(chan bool, 8)
	for i := range cap(decisions) {
		all.Go(func() {
			_, decided, err := p.Review(t.Context(), office, in(i))
			if err != nil {
				t.Error(err)
			}
			decisions <- decided
		})
	}
	all.Wait()
	close(decisions)
	for decided := range decisions {
		if decided {
			n++
		}
	}
	return n
}

func TestOneReviewerDecidesAndTheOtherIsTold(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		if n := p.reviewed(t, func(i int) portal.ReviewInput {
			return portal.ReviewInput{ID: a.ID, Reason: fmt.Sprint("Falta el documento ", i)}
		}); n != 1 {
			t.Errorf("%d decided", n)
		}
	})
}

// The answer to a decision is lost, and the button pressed again.
func TestTheSameDecisionOnceMoreHoldsAndChangesNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		if n := p.reviewed(t, func(int) portal.ReviewInput { return portal.ReviewInput{ID: a.ID, Approve: true} }); n != 8 {
			t.Errorf("%d of 8 hold", n)
		}
		_, decided, err := p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Reason: "No"})
		if err != nil || decided {
			t.Error("another decision holds, too", err)
		}
		if n := p.events(1001, "application_approved"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.clock.advance(portal.RepeatWindow)
		_, err = p.apply(in)
		refused(t, err, portal.PhoneRegistered)
	})
}

func TestARejectionTellsWhyAndMayBeFollowedByAnother(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		office := p.landed("jinsui", phoneScreen)
		_, _, err = p.Review(t.Context(), office, portal.ReviewInput{ID: a.ID})
		refused(t, err, portal.ValidationFailed)
		_, _, err = p.Review(t.Context(), p.landed("sur", phoneScreen), portal.ReviewInput{ID: a.ID, Approve: true})
		refused(t, err, portal.NotFound)
		_, _, err = p.Review(t.Context(), p.landed("li.manager", phoneScreen), portal.ReviewInput{ID: a.ID, Approve: true})
		refused(t, err, portal.Forbidden)
		rejected, decided, err := p.Review(t.Context(), office, portal.ReviewInput{ID: a.ID, Reason: "Falta la licencia"})
		if err != nil || !decided || rejected.State != store.ApplicationRejected {
			t.Errorf("%+v %v %v", rejected, decided, err)
		}
		shown, err := p.ApplicationByID(t.Context(), a.ID, in.Ticket)
		if err != nil || shown.RejectReason != "Falta la licencia" || len(shown.Contacts) == 0 {
			t.Errorf("%+v %v", shown, err)
		}
		p.clock.advance(time.Second)
		again, err := p.apply(in)
		noError(t, err)
		if shown, err = p.ApplicationByID(t.Context(), again.ID, in.Ticket); err != nil || len(shown.Earlier) != 1 || shown.Earlier[0].ID != a.ID {
			t.Errorf("%+v %v", shown.Earlier, err)
		}
	})
}
