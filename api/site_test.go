package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/store"
	"portico/store/storetest"
)

const (
	secret      = "portico-dev-sign-secret"
	homeAddress = "203.0.113.10"
)

var testStart = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)

// site is the API on a database of its own with the demo data.
type site struct {
	t       testing.TB
	db      *store.DB
	portal  *portal.Portal
	api     *API
	handler http.Handler
	clock   atomic.Int64 // Unix ms; it moves only by advance
	log     *bytes.Buffer
	logMu   sync.Mutex
	secrets []string
	origins []string // further allowed origins
	options portal.Options
	ids     atomic.Int64
	nonces  atomic.Int64

	messages   []core.Message
	messagesMu sync.Mutex
}

// eachDatabase runs a test with a new site, on the databases of storetest.EachRule.
func eachDatabase(t *testing.T, test func(t *testing.T, s *site), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachRule(t, withSite(test, change...))
}

// eachCondition runs a test with a new site under each condition of storetest.EachCondition.
func eachCondition(t *testing.T, test func(t *testing.T, s *site), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachCondition(t, withSite(test, change...))
}

// withSite turns a test of a site into a test of a database.
func withSite(test func(t *testing.T, s *site), change ...func(*portal.Options)) func(t *testing.T, db *store.DB) {
	return func(t *testing.T, db *store.DB) {
		t.Parallel()
		test(t, newSite(t, db, change...))
	}
}

// newSite starts a site on a database and loads the demo data.
func newSite(t testing.TB, db *store.DB, change ...func(*portal.Options)) *site {
	t.Helper()
	s := &site{t: t, db: db, log: new(bytes.Buffer), secrets: []string{secret}}
	s.clock.Store(testStart.UnixMilli())
	base, err := url.Parse("http://portico.test")
	noError(t, err)
	s.options = portal.Options{
		DB:      db,
		Base:    base,
		Secret:  []byte("0123456789abcdef0123456789abcdef"),
		Dev:     true,
		Hash:    core.HashCost{Memory: 64, Passes: 1, Threads: 1},
		Now:     s.now,
		Log:     slog.New(slog.NewJSONHandler(s, nil)),
		SendSMS: s.recordMessage,
	}
	for _, f := range change {
		f(&s.options)
	}
	s.restart()
	portaltest.LoadDemo(t, s.portal, s.options)
	return s
}

// restart stops the program properly and starts a new one on the same database.
func (s *site) restart() {
	s.t.Helper()
	if s.portal != nil {
		s.portal.Stop(s.t.Context())
	}
	var err error
	s.portal, err = portal.New(s.options)
	noError(s.t, err)
	noError(s.t, s.portal.Start(s.t.Context()))
	s.api, err = New(Options{
		Portal: s.portal, Base: s.options.Base, Secrets: s.secrets, Origins: s.origins, Dev: true, Log: s.options.Log,
	})
	noError(s.t, err)
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := "r-" + strconv.FormatInt(s.ids.Add(1), 10)
		w.Header().Set("X-Request-Id", id)
		address := strings.TrimSuffix(r.RemoteAddr, ":4711")
		s.api.ServeHTTP(w, r.WithContext(
			access.WithCaller(r.Context(), access.Caller{RequestID: id, Address: address, Agent: r.UserAgent()}),
		))
	})
}

func (s *site) now() time.Time { return time.UnixMilli(s.clock.Load()).UTC() }

func (s *site) advance(d time.Duration) { s.clock.Add(d.Milliseconds()) }

// recordMessage stores a message instead of sending it to a provider.
func (s *site) recordMessage(_ context.Context, m core.Message) error {
	s.messagesMu.Lock()
	defer s.messagesMu.Unlock()
	s.messages = append(s.messages, m)
	return nil
}

// messagesTo returns the messages to a phone, oldest first.
func (s *site) messagesTo(phone string) []core.Message {
	s.messagesMu.Lock()
	defer s.messagesMu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.messages), func(m core.Message) bool { return m.Phone != phone })
}

// lastCode returns the last code that was sent to a phone. It fails the test when there is none.
func (s *site) lastCode(phone string) string {
	s.t.Helper()
	for _, m := range slices.Backward(s.messagesTo(phone)) {
		if m.Code != "" {
			return m.Code
		}
	}
	s.t.Fatalf("no code was sent to %s", phone)
	return ""
}

// Write appends a line to the log.
func (s *site) Write(line []byte) (int, error) {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	return s.log.Write(line)
}

// apiRequest is a call that a test makes. params go into the query of a GET and into the form of a POST.
type apiRequest struct {
	method, path string
	params       []string // name, value, name, value …
	json         string   // instead of a form
	token        string
	kind         string // X-Token-Type, "APP" by default
	source       string // X-App-Source, "IOS" by default
	lang         string // Accept-Language, "en" by default
	address      string // of the caller, homeAddress by default
	headers      map[string]string
	offset       time.Duration       // added to the timestamp
	change       func(*http.Request) // changes the request after it was signed
}

// apiResponse is the response to a call.
type apiResponse struct {
	http   int
	header http.Header
	body   []byte
	envelope
}

// request builds and signs a call. It shares no code with the check of signatures.
func (s *site) request(in apiRequest) *http.Request {
	s.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(in.params); i += 2 {
		form.Add(in.params[i], in.params[i+1])
	}
	target, body, kind := "http://api.portico.test"+in.path, "", ""
	switch {
	case in.json != "":
		body, kind = in.json, "application/json"
		if len(form) > 0 {
			target += "?" + form.Encode()
		}
	case in.method == post:
		body, kind = form.Encode(), "application/x-www-form-urlencoded"
	case len(form) > 0:
		target += "?" + form.Encode()
	}
	r := httptest.NewRequestWithContext(s.t.Context(), in.method, target, strings.NewReader(body))
	if in.method == get {
		r.Body = http.NoBody
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	r.RemoteAddr = cmp.Or(in.address, homeAddress) + ":4711"
	timestamp := strconv.FormatInt(s.now().Add(in.offset).UnixMilli(), 10)
	nonce := strconv.FormatInt(s.now().UnixMilli()+s.nonces.Add(1), 10)
	for name, value := range map[string]string{
		"X-Token": in.token, "X-Timestamp": timestamp, "X-Nonce": nonce, "X-Token-Type": cmp.Or(in.kind, "APP"),
		"X-App-Source":    cmp.Or(in.source, "IOS"),
		"X-Sign":          referenceSign(secret, in.token, timestamp, nonce, form, in.json),
		"Accept-Language": cmp.Or(in.lang, "en"),
	} {
		r.Header.Set(name, value)
	}
	for name, value := range in.headers {
		r.Header.Set(name, value)
	}
	if in.change != nil {
		in.change(r)
	}
	return r
}

// call makes a call and checks the response against the published description.
func (s *site) call(in apiRequest) apiResponse {
	s.t.Helper()
	return s.send(s.request(in))
}

// serve sends a request and returns the response without parsing it, and its body.
func (s *site) serve(r *http.Request) (apiResponse, []byte) {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return apiResponse{http: w.Code, header: w.Header()}, w.Body.Bytes()
}

// send sends a request, parses the response and checks it against the published description.
func (s *site) send(r *http.Request) apiResponse {
	s.t.Helper()
	got, body := s.serve(r)
	got.body = body
	if got.http == http.StatusNotModified || got.http == http.StatusNoContent {
		if len(got.body) > 0 {
			s.t.Errorf("%s %s: %d with a body", r.Method, r.URL.Path, got.http)
		}
		return got
	}
	if err := json.Unmarshal(got.body, &got.envelope); err != nil {
		s.t.Fatalf("%s %s: %d %s: %v", r.Method, r.URL.Path, got.http, got.body, err)
	}
	if got.RequestID == "" || got.RequestID != got.header.Get("X-Request-Id") {
		s.t.Errorf("%s %s: request_id %q", r.Method, r.URL.Path, got.RequestID)
	}
	publishedDescription(s.t).checkResponse(s.t, r, got)
	return got
}

// get makes a GET call, with a proof of work if one is required.
func (s *site) get(token, path string, params ...string) apiResponse {
	s.t.Helper()
	return s.callWithProof(apiRequest{method: get, path: path, token: token, params: params})
}

// callWithProof makes a call. If it is refused for lack of a proof of work, it does the work and calls again.
func (s *site) callWithProof(in apiRequest) apiResponse {
	s.t.Helper()
	got := s.call(in)
	if w := s.requiredProof(got); w.Token != "" {
		right, _ := solveProof(w)
		in.params = append(slices.Clone(in.params), "proof_", w.Token, "work_", right)
		got = s.call(in)
	}
	return got
}

// requiredProof returns the proof of work that a refusal requires. It is zero when none is required.
func (s *site) requiredProof(got apiResponse) (w proof) {
	s.t.Helper()
	var data struct {
		Proof proof `json:"proof_"`
	}
	if len(got.Data) > 0 && got.Data[0] == '{' {
		noError(s.t, json.Unmarshal(got.Data, &data))
	}
	return data.Proof
}

// solveProof returns the smallest number that proves the work, and one that does not.
func solveProof(w proof) (right, wrong string) {
	return portaltest.SolveWork(&access.Work{Token: w.Token, Bits: w.Bits})
}

// post makes a POST call with a form.
func (s *site) post(token, path string, params ...string) apiResponse {
	s.t.Helper()
	return s.call(apiRequest{method: post, path: path, token: token, params: params})
}

// signIn signs in with the demo password and returns the data of the response.
func (s *site) signIn(login string, more ...string) loginData {
	s.t.Helper()
	got := s.post(
		"",
		"/v1/account/mixedLogin",
		append([]string{"login_", login, "password_", onboarding.DemoPassword}, more...)...)
	if got.Code != "ok" {
		s.t.Fatalf("signing in %s: %s", login, got.body)
	}
	return dataOf[loginData](s.t, got)
}

// loginData is the data of a sign-in as a client reads it.
type loginData struct {
	Phone  *string   `json:"phone_"`
	Mgr    []account `json:"mgrAccountList"`
	Shop   []account `json:"shopAccountList"`
	Ticket string    `json:"ticket_"`
	User   *userData `json:"user_"`
}

// userData is the user_ of a sign-in as a client reads it.
type userData struct {
	ID        int64  `json:"id_"`
	CompanyID int64  `json:"company_id_"`
	Login     string `json:"login_"`
	Type      int    `json:"type_"`
	Token     string `json:"token_"`
}

// token returns the token of the sign-in. It fails the test when there is none.
func (l loginData) token(t testing.TB) string {
	t.Helper()
	if l.User == nil || l.User.Token == "" {
		t.Fatalf("no token: %+v", l)
	}
	return l.User.Token
}

// dataOf parses the data of a successful response. It fails the test when the response is a refusal.
func dataOf[T any](t testing.TB, got apiResponse) T {
	t.Helper()
	var data T
	if got.Code != "ok" || got.Status != 1 || got.http != http.StatusOK {
		t.Fatalf("refused: %d %s", got.http, got.body)
	}
	noError(t, json.Unmarshal(got.Data, &data))
	return data
}

// refusalDetail parses the data of a refusal.
func (got apiResponse) refusalDetail(t testing.TB) detail {
	t.Helper()
	var d detail
	noError(t, json.Unmarshal(got.Data, &d))
	return d
}

// wantCode checks the code of a response and returns the response. what describes the case in the error message.
func (got apiResponse) wantCode(t testing.TB, code string, what ...any) apiResponse {
	t.Helper()
	if got.Code != code {
		t.Errorf("%v: want %s, got %d %s", what, code, got.http, got.body)
	}
	return got
}

// noError ends the test when there is an error.
// noError ends the test when there is an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
