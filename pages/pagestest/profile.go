package pagestest

import (
	"bytes"
	"mime/multipart"
	"net/http"
)

// AtAccounts is a browser in which somebody is signed in on the account site.
func (s *Site) AtAccounts(phone string) *Browser {
	s.T.Helper()
	b := s.Browser()
	WantStatus(s.T, b.SignIn("account.portico.test", phone), http.StatusSeeOther)
	return b
}

// WithFile sends a form with a file; the other fields come in pairs.
func (b *Browser) WithFile(address, field string, data []byte, pairs ...string) *http.Response {
	b.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = w.WriteField(pairs[i], pairs[i+1])
	}
	part, _ := w.CreateFormFile(field, "portrait.jpg")
	_, _ = part.Write(data)
	_ = w.Close()
	return b.Send(address, w.FormDataContentType(), &body, int64(body.Len()))
}
