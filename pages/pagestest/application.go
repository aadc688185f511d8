package pagestest

import (
	"bytes"
	"mime/multipart"
	"net/http"
)

const (
	ApplyAt   = "http://store1001.portico.test/register/more"
	Applicant = "13900000555"
)

// Details returns the fields of a complete application, with the given ones changed.
func Details(more ...string) []string {
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

// Proves proves a phone to a company with a code.
func (b *Browser) Proves(address, phone string) {
	b.T.Helper()
	WantPage(b.T, b.Post(address, "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	WantTo(b.T, b.Post(address, "phone", phone, "code", b.LastCode(phone)), "/register/more")
}

// Sends posts an application with the picture of a licence.
func (b *Browser) Sends(picture []byte, pairs ...string) *http.Response {
	b.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	part, _ := w.CreateFormFile("licence", "licence.jpg")
	_, _ = part.Write(picture)
	_ = w.Close()
	return b.Send(ApplyAt, w.FormDataContentType(), &body, int64(body.Len()))
}
