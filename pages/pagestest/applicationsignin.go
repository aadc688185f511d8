package pagestest

import (
	"net/http"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/verification"
)

// Applies sends an application to company 1001 and returns the address of its page.
func (b *Browser) Applies(phone string) (result string) {
	b.T.Helper()
	b.Proves(ApplyAt, phone)
	sent := b.Post(ApplyAt, Details()...)
	WantStatus(b.T, sent, http.StatusSeeOther)
	return sent.Header.Get("Location")
}

// SignsInByCode sends the form that signs in by code on a host.
func (b *Browser) SignsInByCode(origin, phone string) *http.Response {
	b.T.Helper()
	b.Clock = b.Clock.Add(verification.DefaultResend)
	WantPage(b.T, b.Post(origin+"/login/code", "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	return b.Post(origin+"/login/code", "phone", phone, "code", b.LastCode(phone))
}

// ApplicationOf is the id of an application to company 1001 that was sent in by a phone.
func (s *Site) ApplicationOf(phone string) int64 {
	s.T.Helper()
	_, ticket := s.Applicant(phone)
	ctx := access.WithCaller(s.T.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	who, err := s.P.Application.Applicant(ticket, 1001)
	if err != nil {
		s.T.Fatal(err)
	}
	a, err := s.P.Application.SendApplication(ctx, application.ApplicationInput{
		CompanyID: 1001, Applicant: who, CompanyName: "河口杂货", ContactName: "阮梅", Position: "采购",
		Province: "440000", City: "440300", District: "440305", Address: "海岸路 8 号", Reason: "想订大米", Lang: "zh",
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return a.ID
}
