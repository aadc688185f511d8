package application_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/applicationtest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
	"portico/store"
)

func TestAnApplicantsDraftIsKeptUntilItIsSent(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		typed := in
		typed.CompanyName, typed.Reason = " Bodega <b>", "Primera línea\r\nSegunda"
		portaltest.NoError(t, applicationtest.KeepDraft(p, typed))
		draft, err := applicationtest.ReadDraft(p, in.Ticket, 1001)
		if err != nil || draft.CompanyName != typed.CompanyName || draft.Reason != typed.Reason {
			t.Errorf("%+v %v", draft, err)
		}
		if dump := p.DumpRows(); strings.Contains(dump, in.Ticket) {
			t.Error("the ticket is in the database")
		}
		other := applicationtest.New(p, 1002, portaltest.NewPhone)
		if draft, err = applicationtest.ReadDraft(p, other.Ticket, 1002); err != nil || draft.CompanyName != "" {
			t.Errorf("in another company: %+v %v", draft, err)
		}
		typed.CompanyID = 1002
		portaltest.Refused(t, applicationtest.KeepDraft(p, typed), access.CodeExpired)
		elsewhere := applicationtest.Input(p, in)
		elsewhere.CompanyID = 1002
		_, err = p.Application.KeepDraft(t.Context(), elsewhere)
		portaltest.Refused(t, err, access.CodeExpired)
		_, err = p.Application.SendApplication(t.Context(), elsewhere)
		portaltest.Refused(t, err, access.CodeExpired)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		_, err = p.DB.Drafts.Of(t.Context(), 1001, "")
		if err == nil || strings.Contains(p.DumpRows(), "Segunda") {
			t.Error("the draft of what was sent in is still there")
		}
		if draft, err = applicationtest.ReadDraft(p, in.Ticket, 1001); err != nil ||
			draft.CompanyName != a.CompanyName ||
			draft.District != a.District {
			t.Errorf("to be edited: %+v %v", draft, err)
		}
		typed.CompanyID, typed.Ticket = 1001, applicationtest.New(p, 1001, "13900000445").Ticket
		// 4000 bytes of a field are stored, and no part of a character: one of these has three bytes
		typed.Address, typed.Reason = strings.Repeat("x", 100_000), strings.Repeat("长", 100_000)
		portaltest.NoError(t, applicationtest.KeepDraft(p, typed))
		if draft, err = applicationtest.ReadDraft(p, typed.Ticket, 1001); err != nil ||
			len(draft.Address) != 4000 || len(draft.Reason) != 3999 {
			t.Errorf("%d and %d bytes, %v", len(draft.Address), len(draft.Reason), err)
		}
	})
}

func TestADraftIsKeptForSevenDays(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		typed := applicationtest.New(p, 1001, portaltest.NewPhone)
		typed.CompanyName = "Bodega vieja"
		portaltest.NoError(t, applicationtest.KeepDraft(p, typed))
		p.Clock.Advance(7*24*time.Hour - time.Millisecond)
		ticket := applicationtest.New(p, 1001, portaltest.NewPhone).Ticket
		wantDraft := func(when, want string) {
			t.Helper()
			if draft, err := applicationtest.ReadDraft(p, ticket, 1001); err != nil || draft.CompanyName != want {
				t.Errorf("%s: %q, %v", when, draft.CompanyName, err)
			}
		}
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantDraft("before seven days", "Bodega vieja")
		p.Clock.Advance(time.Millisecond)
		wantDraft("after seven days", "")
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if strings.Contains(p.DumpRows(), "Bodega vieja") {
			t.Error("an old draft is still there")
		}
	})
}

func TestSavingADraftExtendsTheTicket(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ticket := applicationtest.New(p, 1001, portaltest.NewPhone).Ticket
		if _, _, err := p.Application.RenewApplicant(ticket, 1002); err == nil {
			t.Error("another company renews it")
		}
		for range 11 {
			p.Clock.Advance(10 * time.Minute)
			fresh, who, err := p.Application.RenewApplicant(ticket, 1001)
			if err != nil || who.Phone() != portaltest.NewPhone {
				t.Fatalf("%s %v", who.Phone(), err)
			}
			ticket = fresh
		}
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		_, _, err := p.Application.RenewApplicant(ticket, 1001)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Millisecond) // two hours after the proof
		_, _, err = p.Application.RenewApplicant(ticket, 1001)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAnApplicantSetsTheAccountUpWithoutAnotherCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1002, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		setUp := onboardingtest.CompleteInput(p, 1002, portaltest.NewPhone, "", core.NewFlow())
		for _, ticket := range []string{
			"", "nonsense", applicationtest.New(p, 1001, portaltest.NewPhone).Ticket,
			applicationtest.New(p, 1002, "13900000446").Ticket,
		} {
			setUp.Ticket = ticket
			_, err := onboardingtest.Complete(p, setUp)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["code"] == "" {
				t.Errorf("%q: %+v", ticket, with.Fields)
			}
		}
		setUp.Ticket = in.Ticket
		result, err := onboardingtest.Complete(p, setUp)
		if err != nil || result.Member.ID != a.AccountID || result.Member.Invited || result.Token == "" {
			t.Fatalf("%+v %v", result.Member, err)
		}
		again, err := onboardingtest.Complete(p, setUp) // sent twice
		if err != nil || again.Member.ID != a.AccountID {
			t.Errorf("%+v %v", again.Member, err)
		}
		late := applicationtest.New(p, 1002, "13900000447")
		_, err = applicationtest.Send(p, late)
		portaltest.NoError(t, err)
		p.Clock.Advance(10 * time.Minute)
		fresh, _, err := p.Application.RenewApplicant(late.Ticket, 1002)
		portaltest.NoError(t, err)
		p.Clock.Advance(10 * time.Minute)
		setUp = onboardingtest.CompleteInput(p, 1002, "13900000447", "", core.NewFlow())
		setUp.Ticket = fresh
		_, err = onboardingtest.Complete(p, setUp)
		portaltest.Refused(t, err, access.ValidationFailed)
	})
}

func TestAClosedCompanyStillShowsTheStateOfApplications(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		p.UpdateCompany(1001, func(c *store.Company) { c.ApplicationsOpen = false })
		p.Clock.Advance(2 * time.Minute)
		ask := p.CodeRequest(core.ForApplication, "13900000448", core.NewFlow())
		ask.CompanyID = 1001
		_, err = p.AskCode(ask)
		portaltest.Refused(t, err, access.ApplicationsClosed)
		_, err = p.Application.ApplicationStatus(t.Context(), 1001, signin.Applicant{})
		portaltest.Refused(t, err, access.ApplicationsClosed)
		back := applicationtest.New(p, 1001, portaltest.NewPhone)
		now, err := p.Application.ApplicationStatus(t.Context(), 1001, applicationtest.Input(p, back).Applicant)
		if err != nil || now.State != application.ApplicantPending || now.Last.ID != a.ID {
			t.Errorf("%+v %v", now, err)
		}
		_, _, err = p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen),
			application.ReviewInput{ID: a.ID, Reason: "No ahora"},
		)
		portaltest.NoError(t, err)
		_, err = applicationtest.Send(p, back)
		portaltest.Refused(t, err, access.ApplicationsClosed)
	})
}

func TestAnApplicationIsReadOnlyWithItsOwnPhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a, err := applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		prove := func(phone string, company int64) error {
			ask := p.CodeRequest(core.ForApplication, phone, core.NewFlow())
			ask.CompanyID = company
			_, _, err := p.Application.ProveApplicant(p.From(portaltest.HomeAddress), application.ProveApplicantInput{
				Phone: phone, Code: p.ReceiveCode(ask), CompanyID: company, Flow: ask.Flow, ApplicationID: a.ID,
			})
			return err
		}
		if with := portaltest.Refused(
			t, prove("13900000449", 1001), access.ValidationFailed,
		); with.Fields["phone"] != access.PhoneNotApplicant {
			t.Errorf("%+v", with.Fields)
		}
		portaltest.Refused(t, prove(portaltest.NewPhone, 1002), access.NotFound)
		p.Clock.Advance(2 * time.Minute)
		portaltest.NoError(t, prove(portaltest.NewPhone, 1001))
	})
}

func TestConcurrentApplicationsOfAPhoneMakeOneCustomer(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1002, portaltest.NewPhone)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := applicationtest.Send(p, in); err != nil {
					portaltest.Refused(t, err, access.PhoneRegistered)
				}
			})
		}
		all.Wait()
		if offers := companytest.OffersIn(p.Platform, 1002, portaltest.NewPhone); len(offers) != 1 {
			t.Errorf("%d accounts", len(offers))
		}
	})
}

func TestAnApprovalUsesAnAccountThatWasOpenedMeanwhile(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a, err := applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		m := companytest.AddOffer(p.Platform, 1001, "meanwhile", portaltest.NewPhone)
		approved, _, err := p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen), application.ReviewInput{ID: a.ID, Approve: true},
		)
		if err != nil || approved.AccountID != m.ID ||
			len(companytest.OffersIn(p.Platform, 1001, portaltest.NewPhone)) != 1 {
			t.Errorf("%+v %v", approved, err)
		}
	})
}

func TestNobodyDecidesTheirOwnApplication(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		a, err := applicationtest.Send(p, applicationtest.New(p, 1001, portaltest.ManagerPhone))
		portaltest.NoError(t, err)
		office := p.Land("jinsui", portaltest.PhoneScreen)
		detail, err := p.Application.CompanyApplication(t.Context(), office, a.ID)
		if err != nil || !detail.Own {
			t.Errorf("%+v %v", detail, err)
		}
		before := p.DumpRows()
		for _, approve := range []bool{true, false} {
			_, _, err = p.Application.Review(t.Context(), office, application.ReviewInput{
				ID: a.ID, Approve: approve, Reason: "No",
			})
			portaltest.Refused(t, err, access.Forbidden)
		}
		if p.DumpRows() != before {
			t.Error("something was written")
		}
	})
}

func TestADecisionSendsANotice(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		_, _, err = p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen),
			application.ReviewInput{ID: a.ID, Reason: "Falta la licencia"},
		)
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Second)
		again, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		_, _, err = p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen),
			application.ReviewInput{ID: again.ID, Approve: true},
		)
		portaltest.NoError(t, err)
		p.WaitForNotices()
		var ways []string
		for _, m := range p.Sms.Messages() {
			if m.Notice != "" {
				ways = append(ways, string(m.Notice)+" "+m.Lang+" "+m.Way)
			}
		}
		want := []string{
			"application_rejected es http://store1001.portico.test/register/result?id=" + strconv.FormatInt(a.ID, 10),
			"application_approved es http://store1001.portico.test/register/complete",
		}
		if strings.Join(ways, "\n") != strings.Join(want, "\n") {
			t.Errorf("notices by %q, want %q", ways, want)
		}
	})
}

func TestATicketOpensNoAccountOfAPersonWithAPassword(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1002, portaltest.BuyerPhone)
		_, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		setUp := onboardingtest.CompleteInput(p, 1002, portaltest.BuyerPhone, "", core.NewFlow())
		setUp.Ticket, setUp.Password, setUp.Confirm = in.Ticket, "", ""
		_, err = onboardingtest.Complete(p, setUp)
		if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["code"] != access.CodeRequired {
			t.Errorf("%+v", with.Fields)
		}
		setUp.Password = onboarding.DemoPassword
		_, err = onboardingtest.Complete(p, setUp)
		portaltest.Refused(t, err, access.ValidationFailed)
		if here, err := p.Onboarding.InvitationHere(t.Context(), p.Company(1002), in.Ticket); err != nil ||
			!here.HasPassword || here.Phone != portaltest.BuyerPhone {
			t.Errorf("%+v %v", here, err)
		}
	})
}

func TestAClosedCompanyShowsNoFormToARejectedApplicant(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := applicationtest.New(p, 1001, portaltest.NewPhone)
		a, err := applicationtest.Send(p, in)
		portaltest.NoError(t, err)
		_, _, err = p.Application.Review(
			t.Context(), p.Land("jinsui", portaltest.PhoneScreen), application.ReviewInput{ID: a.ID, Reason: "No"},
		)
		portaltest.NoError(t, err)
		p.UpdateCompany(1001, func(c *store.Company) { c.ApplicationsOpen = false })
		p.Clock.Advance(2 * time.Second)
		_, err = p.Application.ApplicationStatus(t.Context(), 1001, applicationtest.Input(p, in).Applicant)
		portaltest.Refused(t, err, access.ApplicationsClosed)
	})
}

func TestACustomerOfAnExclusiveCompanySetsUpNoOtherAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		companytest.AddOffer(p.Platform, 1001, "kept", portaltest.NewPhone)
		companytest.AddOffer(p.Platform, 1002, "wanted", portaltest.NewPhone)
		p.UpdateCompany(1001, func(c *store.Company) { c.ExclusivePhones = true })
		_, err := onboardingtest.Complete(p, onboardingtest.ProvenCompleteInput(p, 1001, portaltest.NewPhone))
		portaltest.NoError(t, err)
		p.Clock.Advance(2 * time.Minute)
		again := onboardingtest.ProvenCompleteInput(p, 1002, portaltest.NewPhone)
		again.Confirm = ""
		_, err = onboardingtest.Complete(p, again)
		portaltest.Refused(t, err, access.PhoneBoundElsewhere)
		if m := p.Account("wanted"); !m.Invited {
			t.Error("it was set up")
		}
	})
}
