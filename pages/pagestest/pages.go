package pagestest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/gateway"
	"portico/locale"
	"portico/pages"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/onboarding"
	"portico/portal/passwords"
	"portico/portal/pictures"
	"portico/portal/verification"
	"portico/store"
	"portico/store/storetest"
)

const DesktopAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/130.0.0.0 Safari/537.36"

// Site is the demo platform behind its pages, with a clock that tests move.
type Site struct {
	T       testing.TB
	DB      *store.DB
	Portal  *portal.Portal
	Handler http.Handler
	Clock   time.Time
	Files   pictures.Files
	Log     bytes.Buffer

	Mu       sync.Mutex
	Messages []verification.Message // sent, the last one last
}

// SendSMS keeps a message, as a provider would send it.
func (s *Site) SendSMS(_ context.Context, m verification.Message) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Messages = append(s.Messages, m)
	return nil
}

// LastCode is the last code sent to a phone, "" for none.
func (s *Site) LastCode(phone string) string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if m := s.Messages[i]; m.Phone == phone && m.Code != "" {
			return m.Code
		}
	}
	return ""
}

type Options struct {
	Production, Strict, Limits bool
	LookUpTXT                  func(context.Context, string) ([]string, error)
	Providers                  chatapps.Providers
	Agreements                 func(locale.Lang) []locale.AgreementText
	Counters                   []string
	AppVersions                map[string]string
	Hash                       passwords.HashCost // zero: a cheap one
	DB                         *store.DB          // nil: SQLite
}

func NewSite(t testing.TB, o Options) *Site {
	t.Helper()
	if o.DB == nil {
		o.DB = storetest.SQLite(t)
	}
	s := &Site{T: t, DB: o.DB, Clock: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	base := &url.URL{Scheme: "http", Host: "portico.test"}
	if o.Production {
		base.Scheme = "https"
	}
	log := slog.New(slog.NewJSONHandler(&s.Log, nil))
	files, err := gateway.NewDir(filepath.Join(t.TempDir(), "uploads"))
	if err != nil {
		t.Fatal(err)
	}
	s.Files = files
	s.Portal, err = portal.New(portal.Options{
		DB: s.DB, Base: base, Secret: []byte("a-test-secret-of-thirty-two-bytes!"), Dev: !o.Production,
		Strict: o.Strict, NoLimit: !o.Limits,
		Support: access.Contact{Role: access.RoleSupport, Name: "客服", Phone: "4000000000"},
		Hash:    cmp.Or(o.Hash, passwords.HashCost{Memory: 64, Passes: 1, Threads: 1}), Log: log,
		Now: func() time.Time { return s.Clock }, SendSMS: s.SendSMS, Files: files, LookUpTXT: o.LookUpTXT,
		Providers: o.Providers, Counters: o.Counters,
	})
	if err == nil {
		err = s.Portal.Onboarding.LoadDemo(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Handler = pages.New(pages.Options{Portal: s.Portal, Base: base, Production: o.Production, Log: log,
		Agreements: o.Agreements, AppVersions: o.AppVersions})
	return s
}

// Browser keeps cookies per host, as browsers do.
type Browser struct {
	*Site
	Agent string
	Jar   map[string]map[string]*http.Cookie

	LastPage   string // where arrivesAt ended
	OldWebView bool   // an old WebView: no Sec-Fetch-Site, no Origin
}

func (s *Site) Browser() *Browser {
	return &Browser{Site: s, Agent: DesktopAgent, Jar: map[string]map[string]*http.Cookie{}}
}

// Do sends one request and keeps the cookies of the answer.
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

func (b *Browser) Get(address string, headers ...string) *http.Response {
	return b.Do(http.MethodGet, address, nil, headers...)
}

func (b *Browser) Post(address string, pairs ...string) *http.Response {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return b.Do(http.MethodPost, address, form)
}

func (b *Browser) SignIn(host, phone string) *http.Response {
	return b.Post("http://"+host+"/login", "phone", phone, "password", onboarding.DemoPassword)
}

// Follow goes where a redirect says until there is none.
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

func Text(t testing.TB, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func WantStatus(t testing.TB, r *http.Response, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d\n%s", r.StatusCode, status, Text(t, r))
	}
}

func (s *Site) RowCounts(but ...string) string {
	counts, err := s.DB.RowCounts(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	for _, table := range but { // these may change
		counts = regexp.MustCompile(`\b`+table+`=\d+ `).ReplaceAllString(counts, "")
	}
	return counts
}
