package pagestest

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// Text returns the body of an answer. It fails the test when it cannot be read, when a template refused an address in
// it (templ.FailedSanitizationURL), or when one of its forms does not say whose it is.
func Text(t testing.TB, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), string(templ.FailedSanitizationURL)) {
		t.Errorf("a template refused an address:\n%s", body)
	}
	for _, form := range postForms.FindAllString(string(body), -1) {
		if !strings.Contains(form, `name="token"`) && !forStrangers.MatchString(form) {
			t.Errorf("a form does not say whose it is: no field \"token\" in\n%s", form)
		}
	}
	return string(body)
}

var (
	// postForms matches the forms of a page that change something.
	postForms = regexp.MustCompile(`(?s)<form [^>]*method="post".*?</form>`)
	// forStrangers matches the forms for signing in and for proving a phone. They have no owner in a browser that is
	// here for the first time.
	forStrangers = regexp.MustCompile(`^<form id="(sign-in|care)"`)
)

// WantStatus fails the test unless an answer has a status.
func WantStatus(t testing.TB, r *http.Response, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d\n%s", r.StatusCode, status, Text(t, r))
	}
}

// WantPage returns the text of a page. It fails the test unless the page has a status and contains all parts.
func WantPage(t testing.TB, r *http.Response, status int, parts ...string) string {
	t.Helper()
	body := Text(t, r)
	if r.StatusCode != status {
		t.Fatalf("%d, want %d\n%s", r.StatusCode, status, body)
	}
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("%q is missing in\n%s", part, body)
		}
	}
	return body
}

// WantRedirect fails the test unless an answer is a redirect (303) to an address, which may be marked (see Unmarked).
func WantRedirect(t testing.TB, r *http.Response, to string) {
	t.Helper()
	if r.StatusCode != http.StatusSeeOther || Unmarked(r.Header.Get("Location")) != to {
		t.Fatalf("%d to %q, want %q\n%s", r.StatusCode, r.Header.Get("Location"), to, Text(t, r))
	}
}

// WantSessionEnded fails the test unless an answer redirects to the sign-in page of an origin ("" for the same one),
// which says that the session has ended and later returns to the page back.
func WantSessionEnded(t testing.TB, r *http.Response, origin, back string) {
	t.Helper()
	WantRedirect(t, r, origin+"/login?done=session_ended&return="+url.QueryEscape(back))
}

// WantSignIn fails the test unless an answer redirects to the sign-in page of an origin as it is for a browser that
// never had a session there. Back is the page to which it later returns.
func WantSignIn(t testing.TB, r *http.Response, origin, back string) {
	t.Helper()
	WantRedirect(t, r, origin+"/login?return="+url.QueryEscape(back))
}

// FindIn returns the first group of a regular expression's first match on a page. It fails the test when there is none.
func FindIn(t testing.TB, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s on\n%s", pattern, page)
	}
	return m[1]
}

// FieldValue returns the value of a text field on a page. It fails the test when the page has no such field.
func FieldValue(t testing.TB, page, name string) string {
	t.Helper()
	if m := regexp.MustCompile(`(?s)<textarea[^>]* name="` + name +
		`"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page); m != nil {
		return html.UnescapeString(strings.TrimPrefix(m[1], "\n")) // browsers drop it, too
	}
	return html.UnescapeString(FindIn(t, page, `<input[^>]* name="`+name+`"[^>]* value="([^"]*)"`))
}

// HiddenFields returns the hidden fields of all forms on a page.
func HiddenFields(page string) url.Values {
	form := url.Values{}
	field := regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)"`)
	for _, found := range field.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], found[2])
	}
	return form
}

// FormFields returns the values of the fields that browsers would send for the form with an action. It fails the test
// when the page has no such form.
func FormFields(t testing.TB, page, action string) url.Values {
	t.Helper()
	_, form, ok := strings.Cut(page, `action="`+action+`"`)
	if !ok {
		t.Fatalf("no form to %s in\n%s", action, page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(form, -1) {
		name := regexp.MustCompile(` name="([^"]*)"`).FindStringSubmatch(input)
		value := regexp.MustCompile(` value="([^"]*)"`).FindStringSubmatch(input)
		if name == nil || strings.Contains(input, "checkbox") && !strings.Contains(input, " checked") ||
			strings.Contains(input, "radio") && !strings.Contains(input, " checked") {
			continue
		}
		if value == nil {
			value = []string{"", ""}
		}
		fields.Set(name[1], html.UnescapeString(value[1]))
	}
	return fields
}

// RefreshTarget returns the address to which a page redirects by a meta refresh. It fails the test when it does not.
func RefreshTarget(t testing.TB, page string) string {
	t.Helper()
	return strings.ReplaceAll(FindIn(t, page, `http-equiv="refresh" content="0;url=([^"]+)"`), "&amp;", "&")
}

// Head is what a page says in its head to search engines and to apps that show shared links.
type Head struct {
	Canonical  string              // the canonical address
	Alternates map[string]string   // addresses by language
	Graph      map[string][]string // values of Open Graph by property
	Data       map[string]any      // structured data (JSON-LD)
}

var headTag = regexp.MustCompile(`<(?:link rel="(canonical|alternate)"(?: hreflang="([^"]+)")? href="([^"]+)"|` +
	`meta property="og:([^"]+)" content="([^"]*)")`)

// ReadHead returns the Head of a page. It fails the test when the page has no structured data.
func ReadHead(t testing.TB, page string) Head {
	t.Helper()
	h := Head{Alternates: map[string]string{}, Graph: map[string][]string{}}
	for _, m := range headTag.FindAllStringSubmatch(page, -1) {
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
