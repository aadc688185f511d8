package portal_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestWhatAnApplicantTypesIsKeptUntilItIsSentIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		typed := in
		typed.CompanyName, typed.Reason = " Bodega <b>", "Primera línea\r\nSegunda"
		noError(t, p.keepsDraft(typed))
		draft, err := p.draft(in.Ticket, 1001)
		if err != nil || draft.CompanyName != typed.CompanyName || draft.Reason != typed.Reason {
			t.Errorf("%+v %v", draft, err)
		}
		if dump := p.rows(); strings.Contains(dump, in.Ticket) {
			t.Error("the ticket is in the database")
		}
		other := p.applies(1002, newPhone)
		if draft, err = p.draft(other.Ticket, 1002); err != nil || draft.CompanyName != "" {
			t.Errorf("in another company: %+v %v", draft, err)
		}
		typed.CompanyID = 1002
		refused(t, p.keepsDraft(typed), portal.CodeExpired)
		elsewhere := p.byTicket(in)
		elsewhere.CompanyID = 1002
		_, err = p.KeepDraft(t.Context(), elsewhere)
		refused(t, err, portal.CodeExpired)
		_, err = p.SendApplication(t.Context(), elsewhere)
		refused(t, err, portal.CodeExpired)
		a, err := p.apply(in)
		noError(t, err)
		_, err = p.db.DraftOf(t.Context(), 1001, "")
		if err == nil || strings.Contains(p.rows(), "Segunda") {
			t.Error("the draft of what was sent in is still there")
		}
		if draft, err = p.draft(in.Ticket, 1001); err != nil || draft.CompanyName != a.CompanyName || draft.District != a.District {
			t.Errorf("to be edited: %+v %v", draft, err)
		}
		typed.CompanyID, typed.Ticket = 1001, p.applies(1001, "13900000445").Ticket
		typed.Reason = strings.Repeat("长", 100_000)
		noError(t, p.keepsDraft(typed))
		if draft, err = p.draft(typed.Ticket, 1001); err != nil || len(draft.Reason) > 8*portal.MaxReason || len(draft.Reason) == 0 {
			t.Errorf("%d bytes, %v", len(draft.Reason), err)
		}
		p.clock.advance(portal.DraftKept + time.Minute)
		noError(t, p.Sweep(t.Context()))
		if strings.Contains(p.rows(), "长长长") {
			t.Error("an old draft is still there")
		}
	})
}

func TestATicketLastsWhileItsHolderWrites(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ticket := p.applies(1001, newPhone).Ticket
		if _, _, err := p.RenewApplicant(ticket, 1002); err == nil {
			t.Error("another company renews it")
		}
		for range int(portal.ApplicantStay/(10*time.Minute)) - 1 {
			p.clock.advance(10 * time.Minute)
			fresh, who, err := p.RenewApplicant(ticket, 1001)
			if err != nil || who.Phone() != newPhone {
				t.Fatalf("%s %v", who.Phone(), err)
			}
			ticket = fresh
		}
		p.clock.advance(11 * time.Minute)
		_, _, err := p.RenewApplicant(ticket, 1001)
		refused(t, err, portal.CodeExpired)
	})
}

func TestWhoJustAppliedSetsTheAccountUpWithoutAnotherCode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1002, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		setUp := p.completing(1002, newPhone, "", portal.NewFlow())
		for _, ticket := range []string{"", "nonsense", p.applies(1001, newPhone).Ticket, p.applies(1002, "13900000446").Ticket} {
			setUp.Ticket = ticket
			_, err := p.complete(setUp)
			if with := refused(t, err, portal.ValidationFailed); with.Fields["code"] == "" {
				t.Errorf("%q: %+v", ticket, with.Fields)
			}
		}
		setUp.Ticket = in.Ticket
		result, err := p.complete(setUp)
		if err != nil || result.Member.ID != a.AccountID || result.Member.Invited || result.Token == "" {
			t.Fatalf("%+v %v", result.Member, err)
		}
		again, err := p.complete(setUp) // sent twice
		if err != nil || again.Member.ID != a.AccountID {
			t.Errorf("%+v %v", again.Member, err)
		}
		late := p.applies(1002, "13900000447")
		_, err = p.apply(late)
		noError(t, err)
		p.clock.advance(10 * time.Minute)
		fresh, _, err := p.RenewApplicant(late.Ticket, 1002)
		noError(t, err)
		p.clock.advance(10 * time.Minute)
		setUp = p.completing(1002, "13900000447", "", portal.NewFlow())
		setUp.Ticket = fresh
		_, err = p.complete(setUp)
		refused(t, err, portal.ValidationFailed)
	})
}

func TestAClosedCompanyStillAnswersThoseWhoApplied(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		p.updateCompany(1001, func(c *store.Company) { c.ApplicationsOpen = false })
		p.clock.advance(2 * time.Minute)
		ask := p.asking(portal.ForApplication, "13900000448", portal.NewFlow())
		ask.CompanyID = 1001
		_, err = p.ask(ask)
		refused(t, err, portal.ApplicationsClosed)
		_, err = p.ApplicationStatus(t.Context(), 1001, portal.Applicant{})
		refused(t, err, portal.ApplicationsClosed)
		back := p.applies(1001, newPhone)
		now, err := p.ApplicationStatus(t.Context(), 1001, p.byTicket(back).Applicant)
		if err != nil || now.State != portal.ApplicantPending || now.Last.ID != a.ID {
			t.Errorf("%+v %v", now, err)
		}
		_, _, err = p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Reason: "No ahora"})
		noError(t, err)
		_, err = p.apply(back)
		refused(t, err, portal.ApplicationsClosed)
	})
}

func TestAnApplicationIsReadWithItsOwnPhoneAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a, err := p.apply(p.applies(1001, newPhone))
		noError(t, err)
		prove := func(phone string, company int64) error {
			ask := p.asking(portal.ForApplication, phone, portal.NewFlow())
			ask.CompanyID = company
			_, _, err := p.ProveApplicant(p.from(homeAddress), portal.ProveApplicantInput{
				Phone: phone, Code: p.sent(ask), CompanyID: company, Flow: ask.Flow, ApplicationID: a.ID,
			})
			return err
		}
		if with := refused(t, prove("13900000449", 1001), portal.ValidationFailed); with.Fields["phone"] != portal.PhoneNotApplicant {
			t.Errorf("%+v", with.Fields)
		}
		refused(t, prove(newPhone, 1002), portal.NotFound)
		p.clock.advance(2 * time.Minute)
		noError(t, prove(newPhone, 1001))
	})
}

func TestOneCustomerAPhoneHoweverOftenItAppliesAtOnce(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		in := p.applies(1002, newPhone)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := p.apply(in); err != nil {
					refused(t, err, portal.PhoneRegistered)
				}
			})
		}
		all.Wait()
		if offers := p.offersIn(1002, newPhone); len(offers) != 1 {
			t.Errorf("%d accounts", len(offers))
		}
	})
}

func TestAnApprovalTakesTheAccountThatWasOpenedMeanwhile(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a, err := p.apply(p.applies(1001, newPhone))
		noError(t, err)
		m := p.invites(1001, "meanwhile", newPhone)
		approved, _, err := p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Approve: true})
		if err != nil || approved.AccountID != m.ID || len(p.offersIn(1001, newPhone)) != 1 {
			t.Errorf("%+v %v", approved, err)
		}
	})
}

func TestNobodyDecidesTheirOwnApplication(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		a, err := p.apply(p.applies(1001, managerPhone))
		noError(t, err)
		office := p.landed("jinsui", phoneScreen)
		detail, err := p.CompanyApplication(t.Context(), office, a.ID)
		if err != nil || !detail.Own {
			t.Errorf("%+v %v", detail, err)
		}
		before := p.rows()
		for _, approve := range []bool{true, false} {
			_, _, err = p.Review(t.Context(), office, portal.ReviewInput{ID: a.ID, Approve: approve, Reason: "No"})
			refused(t, err, portal.Forbidden)
		}
		if p.rows() != before {
			t.Error("something was written")
		}
	})
}

func TestADecisionIsTold(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		_, _, err = p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Reason: "Falta la licencia"})
		noError(t, err)
		p.clock.advance(time.Second)
		again, err := p.apply(in)
		noError(t, err)
		_, _, err = p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: again.ID, Approve: true})
		noError(t, err)
		p.settle()
		var ways []string
		for _, m := range p.sms.messages() {
			if m.Notice != "" {
				ways = append(ways, string(m.Notice)+" "+m.Lang+" "+m.Way)
			}
		}
		want := []string{"application_rejected es http://store1001.portico.test/register/result?id=" + strconv.FormatInt(a.ID, 10), "application_approved es http://store1001.portico.test/register/complete"}
		if strings.Join(ways, "\n") != strings.Join(want, "\n") {
			t.Errorf("told %q, want %q", ways, want)
		}
	})
}

func TestATicketOpensNothingOfAPersonWithAPassword(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1002, buyerPhone)
		_, err := p.apply(in)
		noError(t, err)
		setUp := p.completing(1002, buyerPhone, "", portal.NewFlow())
		setUp.Ticket, setUp.Password, setUp.Confirm = in.Ticket, "", ""
		_, err = p.complete(setUp)
		if with := refused(t, err, portal.ValidationFailed); with.Fields["code"] != portal.CodeRequired {
			t.Errorf("%+v", with.Fields)
		}
		setUp.Password = portal.DemoPassword
		_, err = p.complete(setUp)
		refused(t, err, portal.ValidationFailed)
		if here, err := p.InvitationHere(t.Context(), p.company(1002), in.Ticket); err != nil || !here.Registered || here.Phone != buyerPhone {
			t.Errorf("%+v %v", here, err)
		}
	})
}

func TestAClosedCompanyShowsNoFormToWhoWasRejected(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.applies(1001, newPhone)
		a, err := p.apply(in)
		noError(t, err)
		_, _, err = p.Review(t.Context(), p.landed("jinsui", phoneScreen), portal.ReviewInput{ID: a.ID, Reason: "No"})
		noError(t, err)
		p.updateCompany(1001, func(c *store.Company) { c.ApplicationsOpen = false })
		p.clock.advance(2 * time.Second)
		_, err = p.ApplicationStatus(t.Context(), 1001, p.byTicket(in).Applicant)
		refused(t, err, portal.ApplicationsClosed)
	})
}

func TestWhoIsACustomerOfAnExclusiveCompanySetsUpNoOtherAccount(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.invites(1001, "kept", newPhone)
		p.invites(1002, "wanted", newPhone)
		p.updateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := p.complete(p.provenComplete(1001, newPhone))
		noError(t, err)
		p.clock.advance(2 * time.Minute)
		again := p.provenComplete(1002, newPhone)
		again.Confirm = ""
		_, err = p.complete(again)
		refused(t, err, portal.PhoneBoundElsewhere)
		if m := p.account("wanted"); !m.Invited {
			t.Error("it was set up")
		}
	})
}
