package pagestest

import (
	"bytes"
	"html"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/portal/access"
)

const LookPath = Settings + "/appearance"

// LookToken opens the preview of an administrator's draft.
func (s *Site) LookToken(login string) string {
	s.T.Helper()
	token, err := s.P.Branding.LookToken(access.Landing{Member: s.Account(login)})
	if err != nil {
		s.T.Fatal(err)
	}
	return token
}

// SendLook sends the page's form as browsers do: the look of the demo's first company with these fields changed, files by name.
func (b *Browser) SendLook(files map[string][]byte, pairs ...string) *http.Response {
	b.T.Helper()
	fields := map[string]string{"name": "金穗粮油", "theme": "", "shop_skin": "", "language": "zh", "style": "", "view_count": "", "domain": ""}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	for _, name := range []string{"icon", "style_file"} {
		part, _ := w.CreateFormFile(name, map[bool]string{true: name + ".x"}[files[name] != nil])
		_, _ = part.Write(files[name])
	}
	_ = w.Close()
	return b.Send(LookPath, w.FormDataContentType(), &body, int64(body.Len()))
}

// field is what stands in a control of a page.
func FieldOf(t testing.TB, page, name string) string {
	t.Helper()
	if m := regexp.MustCompile(`(?s)<textarea[^>]* name="` + name + `"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page); m != nil {
		return html.UnescapeString(strings.TrimPrefix(m[1], "\n")) // browsers drop it, too
	}
	return html.UnescapeString(Found(t, page, `<input[^>]* name="`+name+`"[^>]* value="([^"]*)"`))
}
