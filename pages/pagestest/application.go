package pagestest

import (
	"net/http"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/core"
)

// ApplyAddress is the page on which a business applies to company 1001, UploadPage the one that takes its licence.
// StoreHost is their host. Applicant and Sender are phones without accounts.
const (
	StoreHost    = "store1001.portico.test"
	ApplyAddress = "http://" + StoreHost + "/register/more"
	UploadPage   = "http://" + StoreHost + "/upload"
	Applicant    = "13900000555"
	Sender       = "13900000777"
)

// ApplicationFields returns the fields of a complete application in pairs of name and value, and then more, which
// replace those of the same name.
func ApplicationFields(more ...string) []string {
	return append([]string{
		"company_name",
		"河口杂货",
		"contact_name",
		"阮梅",
		"position",
		"采购",
		"province",
		"440000",
		"city",
		"440300",
		"district",
		"440305",
		"address",
		"海岸路 8 号",
		"reason",
		"想订大米\r\n和油",
		"contact_phone",
		"139 0000 0556",
	}, more...)
}

// ProvePhone proves a phone on the page of an application with a verification code. It fails the test when that is
// refused.
func (b *Browser) ProvePhone(address, phone string) {
	b.T.Helper()
	WantPage(b.T, b.Post(address, "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	WantRedirect(b.T, b.Post(address, "phone", phone, "code", b.LastCode(phone)), "/register/more")
}

// ProvenApplicant returns a browser that has proven a phone to company 1001, and the ticket that says so. It fails the
// test when the platform refuses it.
func (s *Site) ProvenApplicant(phone string) (*Browser, string) {
	s.T.Helper()
	flow := core.NewFlow()
	ctx := access.WithCaller(s.T.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	if _, err := s.Portal.AskCode(
		ctx,
		core.AskCodeInput{
			Purpose:   core.ForApplication,
			Phone:     phone,
			CompanyID: 1001,
			Flow:      flow,
			Lang:      "zh",
		},
	); err != nil {
		s.T.Fatal(err)
	}
	s.Portal.Stop(ctx) // strict sends the message in the background
	ticket, _, err := s.Portal.Application.ProveApplicant(
		ctx, application.ProveApplicantInput{Phone: phone, Code: s.LastCode(phone), CompanyID: 1001, Flow: flow},
	)
	if err != nil {
		s.T.Fatal(err)
	}
	b := s.Browser()
	b.Jar[StoreHost] = map[string]*http.Cookie{"portico_applicant": {Name: "portico_applicant", Value: ticket}}
	return b, ticket
}

// AddApplication sends an application to company 1001 for a phone and returns its id. It fails the test when the
// platform refuses it.
func (s *Site) AddApplication(phone string) int64 {
	s.T.Helper()
	_, ticket := s.ProvenApplicant(phone)
	ctx := access.WithCaller(s.T.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	who, err := s.Portal.Application.Applicant(ticket, 1001)
	if err != nil {
		s.T.Fatal(err)
	}
	a, err := s.Portal.Application.SendApplication(ctx, application.ApplicationInput{
		CompanyID: 1001, Applicant: who, CompanyName: "河口杂货", ContactName: "阮梅", Position: "采购",
		Province: "440000", City: "440300", District: "440305", Address: "海岸路 8 号", Reason: "想订大米", Lang: "zh",
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return a.ID
}
