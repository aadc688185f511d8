package standin_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/standin"
)

// site is a stand-in on a test server, with a clock of its own and a browser.
type site struct {
	*testing.T
	url     string
	browser *http.Client // follows no redirect
	mu      sync.Mutex
	now     time.Time
}

func newSite(t *testing.T) *site {
	s := &site{T: t, now: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(standin.New(standin.Options{
		Now: s.clock, Home: "http://account.localhost:8080", Hang: 20 * time.Millisecond,
		IsOwnOrigin: func(_ context.Context, origin string) bool { return origin == "https://shop.test:8443" },
	}))
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.url = server.URL + standin.Path
	s.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return s
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// advance moves the clock forward.
func (s *site) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// open requests a path below the stand-in's and returns the response and its text.
func (s *site) open(path string, headers ...string) (*http.Response, string) {
	s.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(r)
}

// post sends a body to a path and returns the response and its text.
func (s *site) post(path, body string) (*http.Response, string) {
	s.Helper()
	r, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	return s.do(r)
}

func (s *site) do(r *http.Request) (*http.Response, string) {
	s.Helper()
	resp, err := s.browser.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp, string(body)
}

// redirectOf requests a path and returns the URL to which the response redirects.
func (s *site) redirectOf(path string) *url.URL {
	s.Helper()
	resp, body := s.open(path)
	to, err := resp.Location()
	if err != nil || resp.StatusCode != http.StatusFound {
		s.Fatalf("%s: %d %s", path, resp.StatusCode, body)
	}
	return to
}

// parseAnswer returns the errcode of an answer, 0 for none, and its fields.
func (s *site) parseAnswer(body string) (int, map[string]any) {
	s.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		s.Fatalf("%v: %s", err, body)
	}
	code, _ := fields["errcode"].(float64)
	return int(code), fields
}

// callAPI requests a path of the API and returns the errcode, 0 for none, and the fields of the answer.
func (s *site) callAPI(path string) (int, map[string]any) {
	s.Helper()
	resp, body := s.open(path)
	if resp.StatusCode != http.StatusOK {
		s.Errorf("%s: status %d", path, resp.StatusCode)
	}
	return s.parseAnswer(body)
}

// counts returns the counts of API calls, for a query like "?app=ID".
func (s *site) counts(query string) (c standin.Counts) {
	s.Helper()
	_, body := s.open("exchanges.json" + query)
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		s.Fatal(err)
	}
	return c
}

// The URLs of the pages as the gateway makes them, and the URL to which they redirect.
const (
	returnTo = "http://account.localhost:8080/wechat/callback?from=%E5%95%86%E5%9F%8E"
	state    = "5tateOf128BitsAtLeast"
)

var (
	escapedReturnTo = url.QueryEscape(returnTo)
	baseInApp       = "connect/oauth2/authorize?appid=" + standin.AppID + "&redirect_uri=" + escapedReturnTo +
		"&response_type=code&scope=snsapi_base&state=" + state
	userInApp  = strings.Replace(baseInApp, "snsapi_base", "snsapi_userinfo", 1)
	wechatScan = "connect/qrconnect?appid=" + standin.OpenAppID + "&redirect_uri=" + escapedReturnTo +
		"&response_type=code&scope=snsapi_login&state=" + state
	wecomInApp = "connect/oauth2/authorize?appid=" + standin.CorpID + "&redirect_uri=" + escapedReturnTo +
		"&response_type=code&scope=snsapi_base&state=" + state + "&agentid=" + standin.AgentID
	wecomScan = "wwlogin/sso/login?login_type=CorpApp&appid=" + standin.CorpID + "&agentid=" + standin.AgentID +
		"&redirect_uri=" + escapedReturnTo + "&state=" + state
)
