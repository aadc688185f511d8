package shape_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/gateway"
	"portico/pages"
	"portico/pages/web"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"

// stage is a filled platform behind its pages.
type stage struct {
	t       *testing.T
	filling platformData
	url     string // of the database
	options portal.Options

	db    *store.DB
	p     *portal.Portal
	doors http.Handler

	codes sync.Map // the last code sent to each number

	callers       int // every sign-in comes from its own address
	administrator *browser
	buyer         *browser
	chooser       *browser
	invited       *browser
}

func newStage(t *testing.T, f platformData, address string) *stage {
	t.Helper()
	files, err := gateway.NewDir(t.TempDir())
	noError(t, err)
	s := &stage{t: t, filling: f, url: address}
	s.options = portal.Options{
		Base: &url.URL{Scheme: "http", Host: "portico.test"}, Secret: []byte("a-test-secret-of-thirty-two-bytes!"),
		Hash: cheapHash, Now: func() time.Time { return f.now }, Files: files, Messages: 1_000_000,
		MessagesCompany: 1_000_000, Dev: true, SendSMS: func(_ context.Context, m core.Message) error {
			s.codes.Store(m.Phone, m.Code)
			return nil
		},
	}
	s.open()
	t.Cleanup(func() { _ = s.db.Close() })
	return s
}

// open starts the program again on its database: with no prepared statements and nothing in memory.
func (s *stage) open() {
	s.t.Helper()
	if s.db != nil {
		noError(s.t, s.db.Close())
	}
	db, err := store.Open(s.t.Context(), s.url)
	noError(s.t, err)
	s.db, s.options.DB = db, db
	s.p, err = portal.New(s.options)
	noError(s.t, err)
	s.doors = pages.New(pages.Options{Portal: s.p, Base: s.options.Base, Log: slog.New(slog.DiscardHandler)})
}

// signInAll signs in the people who play the operations.
func (s *stage) signInAll() {
	s.t.Helper()
	s.administrator, s.buyer, s.chooser, s.invited = s.browser(), s.browser(), s.browser(), s.signedIn(5)
	s.administrator.signIn(10, "http://store1.portico.test/mgr")
	s.buyer.signIn(25, "http://store1.portico.test/home")
	s.chooser.signIn(3, "http://account.portico.test/company")
}

// browser keeps cookies per host, as browsers do.
type browser struct {
	*stage
	address string
	to      string // where the last sign-in led
	jar     map[string]map[string]*http.Cookie
}

func (s *stage) browser() *browser {
	s.callers++
	address := fmt.Sprintf("%d.%d.7.1", 11+s.callers/250, s.callers%250) // each in a /16 of its own
	return &browser{stage: s, address: address, jar: map[string]map[string]*http.Cookie{}}
}

// do sends a request, keeps the cookies of the answer, and returns its status, body and the address it redirects to.
func (b *browser) do(method, address string, form url.Values) (status int, body, to string) {
	b.t.Helper()
	u, err := url.Parse(address)
	noError(b.t, err)
	r := httptest.NewRequest(method, u.RequestURI(), strings.NewReader(form.Encode()))
	r.Host = u.Host
	r.Header.Set("User-Agent", agent)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for _, c := range b.jar[u.Host] {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	caller := access.Caller{RequestID: "r", Address: b.address, Agent: agent}
	b.doors.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), caller)))
	answer := w.Result()
	for _, c := range answer.Cookies() {
		if b.jar[u.Host] == nil {
			b.jar[u.Host] = map[string]*http.Cookie{}
		}
		b.jar[u.Host][c.Name] = c
		if c.MaxAge < 0 {
			delete(b.jar[u.Host], c.Name)
		}
	}
	text, err := io.ReadAll(answer.Body)
	noError(b.t, err)
	if location := answer.Header.Get("Location"); location != "" {
		next, err := u.Parse(location)
		noError(b.t, err)
		to = web.WithoutLanded(next.String()) // an engine without Fetch Metadata
	}
	return answer.StatusCode, string(text), to
}

// get reads a page.
func (b *browser) get(address string) string {
	b.t.Helper()
	status, body, to := b.do(http.MethodGet, address, nil)
	if status != http.StatusOK {
		b.t.Fatalf("GET %s: %d %s %s", address, status, to, pageText(body))
	}
	return body
}

// post sends a form and returns where it leads.
func (b *browser) post(address string, pairs ...string) string {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	status, body, to := b.do(http.MethodPost, address, form)
	if status != http.StatusSeeOther {
		b.t.Fatalf("POST %s: %d %s", address, status, pageText(body))
	}
	return to
}

// send sends a form whose answer is a page.
func (b *browser) send(address string, pairs ...string) {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	if status, body, to := b.do(http.MethodPost, address, form); status != http.StatusOK {
		b.t.Fatalf("POST %s: %d %s %s", address, status, to, pageText(body))
	}
}

// lastCode returns the last code that was sent to a phone.
func (s *stage) lastCode(number string) string {
	for range 100 { // a code is sent after the answer
		if code, sent := s.codes.LoadAndDelete(number); sent {
			return code.(string)
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("no code was sent to ", number)
	return ""
}

// signIn signs a person in and follows the redirects, which must lead to the page want.
func (b *browser) signIn(person int, want string) {
	b.t.Helper()
	to := b.post("http://account.portico.test/login", "phone", phone(person), "password", password)
	b.follow(to, want)
}

// signedIn returns a browser in which a person has signed in at the account site.
func (s *stage) signedIn(person int) *browser {
	b := s.browser()
	b.to = b.post(account+"/login", "phone", phone(person), "password", password)
	return b
}

func (b *browser) follow(to, want string) {
	b.t.Helper()
	for range 5 {
		status, body, next := b.do(http.MethodGet, to, nil)
		if status == http.StatusOK && to == want {
			return
		}
		if status != http.StatusSeeOther {
			b.t.Fatalf("%s: %d %s", to, status, pageText(body))
		}
		to = next
	}
	b.t.Fatalf("redirected to %s, not to %s", to, want)
}

var markup = regexp.MustCompile(`(?s)<(style|script|svg).*?</(style|script|svg)>|<[^>]*>`)

// pageText returns the text of a page without its markup, for error messages.
func pageText(page string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(page, " ")), " ")
}

func phone(person int) string { return fmt.Sprint(13900000000 + person) }

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
