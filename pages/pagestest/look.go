package pagestest

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
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

// SendLook sends the page's form as browsers do: the look of the demo's first company with these fields changed, files
// by name.
func (b *Browser) SendLook(files map[string][]byte, pairs ...string) *http.Response {
	b.T.Helper()
	fields := map[string]string{"name": "金穗粮油", "theme": "", "shop_skin": "", "language": "zh", "style": "",
		"view_count": "", "domain": ""}
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
	if m := regexp.MustCompile(`(?s)<textarea[^>]* name="` + name +
		`"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page); m != nil {
		return html.UnescapeString(strings.TrimPrefix(m[1], "\n")) // browsers drop it, too
	}
	return html.UnescapeString(Found(t, page, `<input[^>]* name="`+name+`"[^>]* value="([^"]*)"`))
}

// Shared is the picture that a page names, as it is fetched: without cookies.
func (s *Site) Shared(page string) (address string, picture []byte) {
	s.T.Helper()
	address = HeadOf(s.T, Text(s.T, s.Browser().Get(page))).Graph["image"][0]
	r := s.Browser().Get(address)
	WantStatus(s.T, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "image/png" ||
		!strings.HasPrefix(r.Header.Get("Cache-Control"), "public, max-age=") || len(r.Cookies()) != 0 ||
		r.Header.Get("Etag") == "" {
		s.T.Errorf("%v", r.Header)
	}
	picture, err := io.ReadAll(r.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return address, picture
}

// Administrator is a company's administrator in its back office.
func (s *Site) Administrator(phone string) access.Landing {
	s.T.Helper()
	members, err := s.Db.Accounts.ByLogin(s.T.Context(), "jinsui")
	if err != nil || len(members) != 1 || members[0].Phone != phone {
		s.T.Fatal(err, members)
	}
	return access.Landing{Member: members[0]}
}

// Head is what machines are told of a page.
type Head struct {
	Canonical  string
	Alternates map[string]string
	Graph      map[string][]string
	Data       map[string]any
}

var HeadTag = regexp.MustCompile(`<(?:link rel="(canonical|alternate)"(?: hreflang="([^"]+)")? href="([^"]+)"|` +
	`meta property="og:([^"]+)" content="([^"]*)")`)

func HeadOf(t testing.TB, page string) Head {
	t.Helper()
	h := Head{Alternates: map[string]string{}, Graph: map[string][]string{}}
	for _, m := range HeadTag.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "canonical":
			h.Canonical = html.UnescapeString(m[3])
		case m[1] == "alternate":
			h.Alternates[m[2]] = html.UnescapeString(m[3])
		default:
			h.Graph[m[4]] = append(h.Graph[m[4]], html.UnescapeString(m[5]))
		}
	}
	if data := Found(t, page, `<script type="application/ld\+json">([^<]*)</script>`); json.Unmarshal([]byte(data),
		&h.Data) != nil {
		t.Errorf("the data is no JSON: %s", data)
	}
	return h
}
