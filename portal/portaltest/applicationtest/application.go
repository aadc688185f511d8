// Package applicationtest applies to companies in tests.
package applicationtest

import (
	"bytes"
	"sync"
	"testing"

	"portico/portal/application"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
)

// Application is a valid application that was not sent yet, with the ticket that proves the phone.
type Application struct {
	application.ApplicationInput
	Ticket string
}

// New proves a phone for a company by a code and returns a valid application. It fails the test if the code is refused.
func New(p *portaltest.SMSPlatform, company int64, phone string) Application {
	p.T.Helper()
	ask := p.CodeRequest(core.ForApplication, phone, core.NewFlow())
	ask.CompanyID = company
	ticket, _, err := p.Application.ProveApplicant(p.From(portaltest.HomeAddress), application.ProveApplicantInput{
		Phone: phone, Code: p.ReceiveCode(ask), CompanyID: company, Flow: ask.Flow,
	})
	portaltest.NoError(p.T, err)
	return Application{application.ApplicationInput{
		CompanyID: company, CompanyName: "Bodega del Puerto", ContactName: "Irene Vidal", Position: "Compras",
		Province: "440000", City: "440300", District: "440305", Address: "Calle 8", Reason: "Vendemos arroz",
		ContactPhone: "139 0000 0444", Lang: "es",
	}, ticket}
}

// Send sends an application as an API client does and returns the operation's result.
func Send(p *portaltest.SMSPlatform, in Application) (store.Application, error) {
	sent, err := p.Application.SendApplication(p.From(portaltest.HomeAddress), Input(p, in))
	return sent.Application, err
}

// Input returns the input of an application, with the applicant of its ticket. A bad ticket gives no applicant.
func Input(p *portaltest.SMSPlatform, in Application) application.ApplicationInput {
	in.Applicant, _ = p.Application.Applicant(in.Ticket, in.CompanyID)
	return in.ApplicationInput
}

// KeepDraft stores an application as a draft and returns the operation's error.
func KeepDraft(p *portaltest.SMSPlatform, in Application) error {
	_, err := p.Application.KeepDraft(p.T.Context(), Input(p, in))
	return err
}

// ReadDraft returns the draft of the applicant of a ticket. It fails the test if the state of the application cannot be
// read.
func ReadDraft(p *portaltest.SMSPlatform, ticket string, company int64) (application.ApplicationInput, error) {
	who, _ := p.Application.Applicant(ticket, company)
	status, err := p.Application.ApplicationStatus(p.T.Context(), company, who)
	portaltest.NoError(p.T, err)
	return p.Application.ApplicationDraft(p.T.Context(), status)
}

// ReviewTogether makes eight decisions in parallel and returns how many of them took effect. It fails the test if one
// returns an error.
func ReviewTogether(p *portaltest.SMSPlatform, t *testing.T, in func(i int) application.ReviewInput) (n int) {
	t.Helper()
	office := p.Land("jinsui", portaltest.PhoneScreen)
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

// SendNew sends a valid application for a phone and returns it. It fails the test if that is refused.
func SendNew(p *portaltest.SMSPlatform, company int64, phone string) store.Application {
	p.T.Helper()
	a, err := Send(p, New(p, company, phone))
	portaltest.NoError(p.T, err)
	return a
}

// SenderPhone is the phone of an applicant who sends files.
const SenderPhone = "13900000777"

// UploadLicence uploads a picture for an application to a company and returns the operation's result.
func UploadLicence(p *portaltest.Platform, company int64, phone string, data []byte) (store.Upload, error) {
	p.T.Helper()
	token, err := p.Licences.LicenceToken(p.T.Context(), company, phone)
	portaltest.NoError(p.T, err)
	return p.Licences.UploadLicence(p.From(portaltest.HomeAddress), application.UploadInput{
		Token: token, Body: bytes.NewReader(data),
	})
}
