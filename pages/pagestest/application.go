package pagestest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/verification"
)

const (
	ApplyAddress = "http://store1001.portico.test/register/more"
	Applicant    = "13900000555"
)

// ApplicationFields returns the fields of a complete application, with the given ones changed.
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

// ProvePhone proves a phone to a company with a code.
func (b *Browser) ProvePhone(address, phone string) {
	b.T.Helper()
	WantPage(b.T, b.Post(address, "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	WantRedirect(b.T, b.Post(address, "phone", phone, "code", b.LastCode(phone)), "/register/more")
}

// AddApplication is the id of an application to company 1001 that was sent in by a phone.
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

const (
	StoreHost  = "store1001.portico.test"
	UploadPage = "http://" + StoreHost + "/upload"
	Sender     = "13900000777"
)

// ProvenApplicant returns a browser that has proven a phone to company 1001.
func (s *Site) ProvenApplicant(phone string) (*Browser, string) {
	s.T.Helper()
	flow := verification.NewFlow()
	ctx := access.WithCaller(s.T.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	if _, err := s.Portal.Verification.AskCode(
		ctx,
		verification.AskCodeInput{
			Purpose:   verification.ForApplication,
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

// UploadToken returns an upload token of an applicant to company 1001.
func (s *Site) UploadToken(phone string) string {
	s.T.Helper()
	token, err := s.Portal.Licences.LicenceToken(s.T.Context(), 1001, phone)
	if err != nil {
		s.T.Fatal(err)
	}
	return token
}

// UploadForm returns a form with a token and a file.
func UploadForm(token, name string, data []byte) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("token", token)
	part, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {
			`form-data; name="file"; filename="` + strings.NewReplacer(`"`, "%22", "\x00", "%00").Replace(name) + `"`,
		},
		"Content-Type": {"image/jpeg"},
	})
	_, _ = part.Write(data)
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// Send posts a body to an address of a host.
func (b *Browser) Send(address, kind string, body io.Reader, length int64, headers ...string) *http.Response {
	b.T.Helper()
	return b.SendFrom("203.0.113.9", address, kind, body, length, headers...)
}

func (b *Browser) SendFrom(from, address, kind string, body io.Reader, length int64, headers ...string) *http.Response {
	b.T.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.T.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, u.RequestURI(), body)
	r.Host, r.ContentLength = u.Host, length
	r.Header.Set("Content-Type", kind)
	if !b.OldWebView {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for _, c := range b.Jar[u.Host] {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.Handler.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), access.Caller{RequestID: "r1", Address: from})))
	return w.Result()
}

func (b *Browser) SendFile(address, token, name string, data []byte, headers ...string) *http.Response {
	kind, body := UploadForm(token, name, data)
	return b.Send(address, kind, bytes.NewReader(body), int64(len(body)), headers...)
}

type UploadAnswer struct {
	Key           string
	Width, Height int
	Size          int64
	Message       string
}

func DecodeUpload(t *testing.T, r *http.Response) (u UploadAnswer) {
	t.Helper()
	if err := json.Unmarshal([]byte(Text(t, r)), &u); err != nil ||
		r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("status %d: %v", r.StatusCode, err)
	}
	return u
}

// TokenPart is the part of a form with boundary b that holds the token.
func TokenPart(token string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token + "\r\n"
}

// WantNoTemporaryFiles puts temporary files into a folder of the test, which must be empty when the test ends.
func WantNoTemporaryFiles(t *testing.T) {
	t.Helper()
	at := t.TempDir()
	t.Setenv("TMPDIR", at)
	t.Cleanup(func() {
		if left, err := os.ReadDir(at); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
}

type ZeroReader struct{}

func (ZeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

type CountingReader struct {
	io.Reader
	N int
}

func (c *CountingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.N += n
	return n, err
}
