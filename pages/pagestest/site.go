// Package pagestest helps the tests of the pages. A Site is the demo platform behind its pages, and a Browser sends
// requests to it.
package pagestest

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/gateway"
	"portico/locale"
	"portico/pages"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// DesktopAgent, PhoneAgent, AndroidApp and InWeChat are the User-Agent headers of a browser on a computer, a browser on
// a phone, the platform's Android app, and WeChat on an iPhone.
const (
	DesktopAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/130.0.0.0 Safari/537.36"
	PhoneAgent = "Mozilla/5.0 (Linux; Android 13; CUBOT X18) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/130.0.0.0 Mobile Safari/537.36"
	AndroidApp = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 PorticoApp/3 (Android)"
	InWeChat = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Mobile/15E148 MicroMessenger/8.0.53(0x18003531)"
)

// The addresses of the account site, of company 1001's own domain, and of its shop, back office and pages of the back
// office. OfficeOnPhone and ShopOnPhone are those that a phone gets.
const (
	AccountSite   = "http://account.portico.test"
	OwnHost       = "http://jinsui.test"
	Shop          = "http://store1001.portico.test/home"
	Office        = "http://store1001.portico.test/mgr"
	PeoplePath    = Office + "/people"
	Settings      = Office + "/settings"
	LookPath      = Settings + "/appearance"
	OfficeOnPhone = "http://mgr.portico.test/home"
	ShopOnPhone   = "http://m.portico.test/shop"
)

// Site is the demo platform behind its pages.
type Site struct {
	T       testing.TB
	DB      *store.DB
	Portal  *portal.Portal
	Handler http.Handler   // serves the pages of all hosts
	Clock   time.Time      // the time of the platform; tests move it
	Files   pictures.Files // the uploaded files
	Log     bytes.Buffer   // lines of JSON

	Mu       sync.Mutex     // guards Messages while the platform sends in the background
	Messages []core.Message // all text messages, the last one last
}

// Options are what a test changes of its Site. The zero value is a platform in development without rate limits.
type Options struct {
	Production  bool // https, and no development pages
	Strict      bool // answers do not say whether a phone is known
	Limits      bool // rate limits apply
	NoCompanies bool // nobody can register a company
	NoSupport   bool // the platform has no number of its support
	LookUpTXT   func(context.Context, string) ([]string, error)
	Providers   signin.Providers
	Agreements  func(locale.Lang) []locale.AgreementText
	Counters    []string // the hosts to which a company's statistics may go
	AppVersions map[string]string
	Hash        core.HashCost // zero: a cheap one
	DB          *store.DB     // nil: SQLite
}

// NewSite returns a Site with the demo data, at 08:00 UTC on 1 October 2026. It fails the test when the platform does
// not start.
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
	options := portal.Options{
		DB: s.DB, Base: base, Secret: []byte("a-test-secret-of-thirty-two-bytes!"), Dev: !o.Production,
		Strict: o.Strict, NoLimit: !o.Limits, NoCompanies: o.NoCompanies,
		Support: access.Contact{Role: access.RoleSupport, Name: "客服", Phone: "4000000000"},
		Hash:    cmp.Or(o.Hash, core.HashCost{Memory: 64, Passes: 1, Threads: 1}), Log: log,
		Now: func() time.Time { return s.Clock }, SendSMS: s.SendSMS, Files: files, LookUpTXT: o.LookUpTXT,
		Providers: o.Providers, Counters: o.Counters,
	}
	if o.NoSupport {
		options.Support = access.Contact{}
	}
	s.Portal, err = portal.New(options)
	if err != nil {
		t.Fatal(err)
	}
	portaltest.LoadDemo(t, s.Portal, options)
	s.Handler = pages.New(pages.Options{Portal: s.Portal, Base: base, Production: o.Production, Log: log,
		Agreements: o.Agreements, AppVersions: o.AppVersions})
	return s
}

// SendSMS adds a text message to Messages, in place of a provider. It never fails.
func (s *Site) SendSMS(_ context.Context, m core.Message) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Messages = append(s.Messages, m)
	return nil
}

// LastCode returns the last verification code that was sent to a phone, "" for none.
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

// CountNotices returns the number of notices that a phone got, those in the background included.
func CountNotices(s *Site, phone string) (n int) {
	s.Portal.Stop(s.T.Context())
	for _, m := range s.Messages {
		if m.Phone == phone && m.Notice != "" {
			n++
		}
	}
	return n
}

// Account returns the account with a name. It fails the test unless exactly one account has that name.
func (s *Site) Account(login string) store.Member {
	s.T.Helper()
	members, err := s.DB.Accounts.ByLogin(s.T.Context(), login)
	if err != nil || len(members) != 1 {
		s.T.Fatal(len(members), err)
	}
	return members[0]
}

// RowCounts returns the number of rows of each table, except the ignored ones. It fails the test when the database
// fails.
func (s *Site) RowCounts(ignored ...string) string {
	counts, err := storetest.RowCounts(s.T.Context(), s.DB)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, table := range ignored {
		counts = regexp.MustCompile(`\b`+table+`=\d+ `).ReplaceAllString(counts, "")
	}
	return counts
}

// DumpWithoutSessions returns the content of all tables except those of sessions, which say when a person was last
// seen. It fails the test when the database fails.
func (s *Site) DumpWithoutSessions() string {
	s.T.Helper()
	dump, err := storetest.Dump(s.T.Context(), s.DB)
	if err != nil {
		s.T.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"sessions", "session_slots"}, table) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// AuditEvents returns the audit events of a kind from the last 1,000 of company 1001. It fails the test when the
// database fails.
func (s *Site) AuditEvents(kind string) (all []store.AuditEvent) {
	s.T.Helper()
	log, err := s.DB.Audit.Events(s.T.Context(), 1001, 1000)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range log {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

// Decimal returns an id as it is written in addresses and forms.
func Decimal(id int64) string { return strconv.FormatInt(id, 10) }
