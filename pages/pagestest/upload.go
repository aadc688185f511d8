package pagestest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"testing"
)

// UploadToken returns the token with which a phone's applicant to company 1001 uploads one file. It fails the test when
// the platform refuses it.
func (s *Site) UploadToken(phone string) string {
	s.T.Helper()
	token, err := s.Portal.Licences.LicenceToken(s.T.Context(), 1001, phone)
	if err != nil {
		s.T.Fatal(err)
	}
	return token
}

// UploadForm returns a multipart form with a token and a JPEG file, and its content type.
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

// TokenPart returns the part of a form with the boundary b that contains the token.
func TokenPart(token string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token + "\r\n"
}

// SendFile posts a file with its token; headers come in pairs of name and value.
func (b *Browser) SendFile(address, token, name string, data []byte, headers ...string) *http.Response {
	kind, body := UploadForm(token, name, data)
	return b.Send(address, kind, bytes.NewReader(body), int64(len(body)), headers...)
}

// UploadAnswer is the answer to an uploaded picture: its key, size in pixels and bytes, or the message of a refusal.
type UploadAnswer struct {
	Key           string
	Width, Height int
	Size          int64
	Message       string
}

// DecodeUpload returns the answer to an uploaded picture. It fails the test when the answer is not JSON.
func DecodeUpload(t *testing.T, r *http.Response) (u UploadAnswer) {
	t.Helper()
	if err := json.Unmarshal([]byte(Text(t, r)), &u); err != nil ||
		r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("status %d: %v", r.StatusCode, err)
	}
	return u
}

// WantNoTemporaryFiles lets temporary files be created in a folder of the test. It fails the test when files are left
// in it at the end.
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

// ZeroReader reads zero bytes without end.
type ZeroReader struct{}

// Read fills b with zeros. It never fails.
func (ZeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// CountingReader counts the bytes that are read from a reader.
type CountingReader struct {
	io.Reader
	N int // bytes
}

// Read reads from the Reader and adds to N.
func (c *CountingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.N += n
	return n, err
}
