package portaltest

import (
	"sync"
	"testing"

	"portico/portal/application"
	"portico/portal/verification"
	"portico/store"
)

// FilledIn is a valid application with the ticket that proves the phone.
type FilledIn struct {
	application.ApplicationInput
	Ticket string
}

// Applies proves a phone for a company and returns a valid application.
func (p *Carer) Applies(company int64, phone string) FilledIn {
	p.T.Helper()
	ask := p.Asking(verification.ForApplication, phone, verification.NewFlow())
	ask.CompanyID = company
	ticket, _, err := p.Application.ProveApplicant(p.From(HomeAddress), application.ProveApplicantInput{
		Phone: phone, Code: p.Sent(ask), CompanyID: company, Flow: ask.Flow,
	})
	NoError(p.T, err)
	return FilledIn{application.ApplicationInput{
		CompanyID: company, CompanyName: "Bodega del Puerto", ContactName: "Irene Vidal", Position: "Compras",
		Province: "440000", City: "440300", District: "440305", Address: "Calle 8", Reason: "Vendemos arroz",
		ContactPhone: "139 0000 0444", Lang: "es",
	}, ticket}
}

// Apply sends an application, as an API client does.
func (p *Carer) Apply(in FilledIn) (store.Application, error) {
	sent, err := p.Application.SendApplication(p.From(HomeAddress), p.ByTicket(in))
	return sent.Application, err
}

// ByTicket returns the input with the applicant of the ticket, the zero value for a bad ticket.
func (p *Carer) ByTicket(in FilledIn) application.ApplicationInput {
	in.Applicant, _ = p.Application.Applicant(in.Ticket, in.CompanyID)
	return in.ApplicationInput
}

// KeepsDraft stores an application as a draft.
func (p *Carer) KeepsDraft(in FilledIn) error {
	_, err := p.Application.KeepDraft(p.T.Context(), p.ByTicket(in))
	return err
}

// Draft reads the draft of the applicant of a ticket.
func (p *Carer) Draft(ticket string, company int64) (application.ApplicationInput, error) {
	who, _ := p.Application.Applicant(ticket, company)
	status, err := p.Application.ApplicationStatus(p.T.Context(), company, who)
	NoError(p.T, err)
	return p.Application.ApplicationDraft(p.T.Context(), status)
}

// Reviewed makes eight decisions at once and returns how many of them succeeded.
func (p *Carer) Reviewed(t *testing.T, in func(i int) application.ReviewInput) (n int) {
	t.Helper()
	office := p.Landed("jinsui", PhoneScreen)
	var all sync.WaitGroup
	decisions := make(chan bool, 8)
	for i := range cap(decisions) {
		all.Go(func() {
			_, decided, err := p.Application.Review(t.Context(), office, in(i))
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
