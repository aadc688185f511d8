package pagestest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"portico/pages/web"
	"portico/portal/access"
)

// Browser sends requests to a Site from 203.0.113.9. It keeps cookies for each host, as browsers do.
type Browser struct {
	*Site
	Agent string                             // the header User-Agent
	Jar   map[string]map[string]*http.Cookie // cookies by host and name

	OldWebView bool // sends neither Sec-Fetch-Site nor Origin
}

// Browser returns a desktop browser without cookies.
func (s *Site) Browser() *Browser {
	return &Browser{Site: s, Agent: DesktopAgent, Jar: map[string]map[string]*http.Cookie{}}
}

// BrowserWithAgent returns a browser with a User-Agent and no cookies.
func (s *Site) BrowserWithAgent(agent string) *Browser {
	b := s.Browser()
	b.Agent = agent
	return b
}

// Do sends one request and keeps the cookies of the answer; headers come in pairs of name and value. It fails the test
// when the address cannot be parsed.
func (b *Browser) Do(method, address string, form url.Values, headers ...string) *http.Response {
	b.T.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.T.Fatal(err)
	}
	r := httptest.NewRequest(method, u.RequestURI(), strings.NewReader(form.Encode()))
	r.Host, r.URL.Host = u.Host, ""
	r.Header.Set("User-Agent", b.Agent)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if !b.OldWebView {
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
	for _, c := range b.Jar[u.Host] {
		r.AddCookie(c)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.Handler.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(),
		access.Caller{RequestID: "r1", Address: "203.0.113.9", Agent: b.Agent})))
	response := w.Result()
	b.KeepCookies(u.Host, response)
	return response
}

// KeepCookies stores the cookies of an answer of a host, and deletes those that it expires.
func (b *Browser) KeepCookies(host string, response *http.Response) {
	for _, c := range response.Cookies() {
		if b.Jar[host] == nil {
			b.Jar[host] = map[string]*http.Cookie{}
		}
		if c.MaxAge < 0 {
			delete(b.Jar[host], c.Name)
		} else {
			b.Jar[host][c.Name] = c
		}
	}
}

// Get requests an address; headers come in pairs of name and value.
func (b *Browser) Get(address string, headers ...string) *http.Response {
	return b.Do(http.MethodGet, address, nil, headers...)
}

// Post sends a form; its fields come in pairs of name and value.
func (b *Browser) Post(address string, pairs ...string) *http.Response {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.Do(http.MethodPost, address, form)
}

// SendForm sends the fields of a form.
func (b *Browser) SendForm(address string, fields url.Values) *http.Response {
	return b.Do(http.MethodPost, address, fields)
}

// Send posts a body of a content type. A length of -1 is an unknown one; headers come in pairs of name and value.
// Cookies of the answer are not kept. It fails the test when the address cannot be parsed.
func (b *Browser) Send(address, kind string, body io.Reader, length int64, headers ...string) *http.Response {
	b.T.Helper()
	return b.SendFrom("203.0.113.9", address, kind, body, length, headers...)
}

// SendFrom is Send from another IP address.
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

// Unmarked returns an address without the mark that a browser without Fetch Metadata gets on its first landing.
func Unmarked(address string) string { return web.WithoutLanded(address) }

// Follow follows redirects until there is none, and returns the last answer and its address. It fails the test after
// six redirects.
func (b *Browser) Follow(r *http.Response, from string) (*http.Response, string) {
	b.T.Helper()
	at, err := url.Parse(from)
	for range 6 {
		if err != nil {
			b.T.Fatal(err)
		}
		if r.StatusCode != http.StatusSeeOther {
			return r, at.String()
		}
		at, err = at.Parse(r.Header.Get("Location"))
		r = b.Get(at.String())
	}
	b.T.Fatal("redirected in a circle")
	return nil, ""
}
