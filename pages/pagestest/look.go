package pagestest

import (
	"bytes"
	"encoding/json"
	"html"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/portal/access"
)

const LookPath = Settings + "/appearance"

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
func FieldValue(t testing.TB, page, name string) string {
	t.Helper()
	if m := regexp.MustCompile(`(?s)<textarea[^>]* name="` + name +
		`"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page); m != nil {
		return html.UnescapeString(strings.TrimPrefix(m[1], "\n")) // browsers drop it, too
	}
	return html.UnescapeString(FindIn(t, page, `<input[^>]* name="`+name+`"[^>]* value="([^"]*)"`))
}

// AdministratorLanding is a company's administrator in its back office.
func AdministratorLanding(s *Site, phone string) access.Landing {
	s.T.Helper()
	members, err := s.DB.MembersByLogin(s.T.Context(), "jinsui")
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

func ReadHead(t testing.TB, page string) Head {
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
	if data := FindIn(t, page, `<script type="application/ld\+json">([^<]*)</script>`); json.Unmarshal([]byte(data),
		&h.Data) != nil {
		t.Errorf("the data is no JSON: %s", data)
	}
	return h
}
