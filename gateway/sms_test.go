package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/e2e/testscope"
)

// The canaries are values that no error and no log line may contain.
const (
	canaryPhone  = "13800138000"
	canaryCode   = "482915"
	canarySecret = "canary-key-that-signs-the-requests-01"
	canaryText   = "canary: your code is 482915"
)

// testCode returns a message with a verification code, full of canaries.
func testCode() SMS {
	return SMS{ID: "message-1", Phone: canaryPhone, Kind: Code, Purpose: "login", Lang: "zh",
		Text: canaryText, Code: canaryCode, Params: []string{canaryCode, "5", "Acme & Söhne 店"}}
}

// wantNoSecret checks that a text contains no canary and not the address of the test's server.
func wantNoSecret(t *testing.T, text string) {
	t.Helper()
	for _, canary := range []string{canaryPhone, canaryCode, canarySecret, "canary", "127.0.0.1"} {
		if strings.Contains(text, canary) {
			t.Errorf("%q is in %q", canary, text)
		}
	}
}

// failureOf returns err as a *Failure. It fails the test if err is another error or contains a canary.
func failureOf(t *testing.T, err error) *Failure {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("not a failure: %v", err)
	}
	wantNoSecret(t, fmt.Sprintf("%v %+v %#v", err, *f, *f))
	return f
}

// fakeServer is a provider on this machine. It checks each request and records the id that check returns. script
// answers the request and gets its number, from 1.
type fakeServer struct {
	*httptest.Server
	hits atomic.Int32
	mu   sync.Mutex
	ids  []string
}

func newFakeServer(t *testing.T, check func(*testing.T, *http.Request, []byte) (id string),
	script func(n int, w http.ResponseWriter, r *http.Request)) *fakeServer {
	t.Helper()
	s := &fakeServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := check(t, r, body)
		if r.UserAgent() != "portico" {
			t.Errorf("User-Agent %q", r.UserAgent())
		}
		s.mu.Lock()
		s.ids = append(s.ids, id)
		s.mu.Unlock()
		script(int(s.hits.Add(1)), w, r)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(s.Close)
	return s
}

// receivedIDs returns the ids of the received messages in order, separated by spaces.
func (s *fakeServer) receivedIDs() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.ids, " ")
}

// answerWith returns a script that answers with a status and a body.
func answerWith(status int, body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hang does not answer until the client gives up, or five seconds have passed.
func hang(_ int, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(5 * time.Second):
	}
}

// resetConnection breaks the connection without an answer.
func resetConnection(_ int, w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// redirectTo returns a script that redirects to a URL.
func redirectTo(url string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, url, http.StatusTemporaryRedirect)
	}
}

const endlessSize = 1 << 30 // bytes that flood writes at most

// flood returns a script that writes until the connection is closed. written counts the bytes.
func flood(written *atomic.Int64) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte(" "), 64<<10)
		for written.Load() < endlessSize {
			n, err := w.Write(chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
}

// unreachableURL returns a URL on which no server listens.
func unreachableURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

const shortTimeout = 150 * time.Millisecond // of a request, in tests that wait for the timeout

// provider is one of the senders that make requests, with a check of its requests.
type provider struct {
	name   string
	sender func(url string) Sender // sends to the provider at a URL
	check  func(*testing.T, *http.Request, []byte) string
	ok     string // the answer of a provider that accepts a message
}

// providers returns the three senders that make requests.
func providers() []provider {
	return []provider{
		{aliyun, func(url string) Sender { return testAliyun(url) }, checkAliyun, aliyunOK},
		{tencent, func(url string) Sender { return testTencent(url) }, checkTencent, tencentOK},
		{webhook, func(url string) Sender { return testWebhook(url) }, checkWebhook, ""},
	}
}

func TestBrokenProviderIsATemporaryFailureWithoutPhone(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	for _, p := range providers() {
		for name, c := range map[string]struct {
			script func(int, http.ResponseWriter, *http.Request)
			code   string
		}{
			"HTML":     {answerWith(502, "<html>canary"+canaryPhone), ""},
			"redirect": {redirectTo(other.URL), ""},
			"hang":     {hang, codeTimeout},
			"reset":    {resetConnection, codeLost},
		} {
			t.Run(p.name+" "+name, func(t *testing.T) {
				s := newFakeServer(t, p.check, c.script)
				f := failureOf(t, p.sender(s.URL).Send(t.Context(), testCode()))
				if f.Kind != Temporary || !f.MayHaveSucceeded || f.Provider != p.name ||
					f.DetectsDuplicates != (p.name == webhook) ||
					c.code != "" && f.Code != c.code {
					t.Errorf("%+v", *f)
				}
			})
		}
	}
	if followed.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

func TestUnreachableProviderCannotHaveSucceeded(t *testing.T) {
	for _, p := range providers() {
		f := failureOf(t, p.sender(unreachableURL(t)).Send(t.Context(), testCode()))
		if f.Kind != Temporary || f.MayHaveSucceeded || f.Code != codeUnreachable {
			t.Errorf("%s: %+v", p.name, *f)
		}
	}
}

func TestEndlessAnswerIsCutOff(t *testing.T) {
	for _, p := range providers() {
		var written atomic.Int64
		s := newFakeServer(t, p.check, flood(&written))
		err := p.sender(s.URL).Send(t.Context(), testCode())
		if p.name == webhook && err != nil || p.name != webhook && failureOf(t, err).Code != codeBroken {
			t.Errorf("%s: %v", p.name, err)
		}
		s.Close() // waits for the handler
		if n := written.Load(); n > 32<<20 {
			t.Errorf("%s: %d bytes were taken", p.name, n)
		}
	}
}

func TestMessageToInvalidPhoneIsRefused(t *testing.T) {
	for _, p := range providers() {
		s := newFakeServer(t, p.check, answerWith(200, p.ok))
		for _, phone := range []string{"", "1380013800", "138001380001", canaryPhone + ",13900139000", "+8613800138",
			"1380013800०", "13800 13800"} {
			m := testCode()
			m.Phone = phone
			if f := failureOf(t, p.sender(s.URL).Send(t.Context(), m)); f.Kind != BadPhone {
				t.Errorf("%s %q: %+v", p.name, phone, *f)
			}
		}
		if s.hits.Load() > 0 {
			t.Errorf("%s was asked", p.name)
		}
	}
}

func TestSenderWithoutTemplateMakesNoRequest(t *testing.T) {
	m := testCode()
	m.Kind = "advertisement"
	for _, p := range providers()[:2] {
		s := newFakeServer(t, p.check, answerWith(200, p.ok))
		if f := failureOf(t, p.sender(s.URL).Send(t.Context(), m)); f.Kind != Refused || s.hits.Load() > 0 {
			t.Errorf("%s: %+v", p.name, *f)
		}
	}
}

func TestErrorCodeThatRepeatsTheVerificationCodeIsDropped(t *testing.T) {
	for _, code := range []string{canaryPhone, "isv." + canaryCode, "not accepted: " + canaryPhone, "a\nb", "",
		strings.Repeat("x", 100)} {
		if got := safeCode(code); got != "unreadable_code" {
			t.Errorf("%q became %q", code, got)
		}
	}
	if got := safeCode("isv.SMS_TEMPLATE_ILLEGAL"); got != "isv.SMS_TEMPLATE_ILLEGAL" {
		t.Error(got)
	}
}

func TestLogsShowOnlyTheIDOfAMessage(t *testing.T) {
	var out bytes.Buffer
	m := testCode()
	slog.New(slog.NewJSONHandler(&out, nil)).Info("about", "sms", m)
	wantNoSecret(t, out.String()+fmt.Sprintf("%v %+v %s", m, m, m))
	if !strings.Contains(out.String(), m.ID) {
		t.Error(out.String())
	}
}

func TestLanguageWithoutTemplateUsesTheChineseOne(t *testing.T) {
	templates := Templates{"code.zh": {ID: "1"}, "code.es": {ID: "2", Params: 2}}
	for lang, want := range map[string]string{"zh": "1 [a b c]", "es": "2 [a b]", "en": "1 [a b c]", "": "1 [a b c]"} {
		id, params, ok := templates.forMessage(SMS{Kind: Code, Lang: lang, Params: []string{"a", "b", "c"}})
		if got := fmt.Sprint(id, " ", params); !ok || got != want {
			t.Errorf("%s: %s", lang, got)
		}
	}
	if _, _, ok := templates.forMessage(SMS{Kind: Notice, Lang: "zh"}); ok {
		t.Error("a template out of nothing")
	}
}

func TestInboxListsNewestMessagesFirst(t *testing.T) {
	b := NewInbox()
	for i := range 503 {
		m := testCode()
		m.ID, m.Text = fmt.Sprint(i), fmt.Sprint(i)
		if i%2 == 1 {
			m.Phone = "13900139000"
		}
		if err := b.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	all, ofPhone := b.Messages(""), b.Messages("13900139000")
	if len(all) != 500 || all[0].Text != "502" || all[499].Text != "3" || len(ofPhone) != 250 ||
		ofPhone[0].Text != "501" {
		t.Errorf("%d messages, %s to %s, %d odd", len(all), all[0].Text, all[len(all)-1].Text, len(ofPhone))
	}
	b.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	_ = b.Send(t.Context(), testCode())
	got, err := json.Marshal(b.Messages("")[0])
	want := `{"phone":"13800138000","purpose":"login","code":"482915","text":"canary: your code is 482915",` +
		`"sent_at":"2026-01-02T03:04:05Z"}`
	if err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	if none, _ := json.Marshal(NewInbox().Messages("1")); string(none) != "[]" {
		t.Errorf("no messages are %s", none)
	}
}

func TestMessagesArriveAtTheSameTimeAsTheyAreRead(t *testing.T) {
	b := NewInbox()
	testscope.Together(8, 50, func(goroutine, i int) {
		phone := strconv.Itoa(goroutine)
		if err := b.Send(t.Context(), SMS{Phone: phone, Code: strconv.Itoa(i)}); err != nil {
			t.Error(err)
		}
		if list := b.Messages(phone); len(list) != i+1 || list[0].Code != strconv.Itoa(i) {
			t.Errorf("%d messages after %d", len(list), i+1)
		}
	})
	if n := len(b.Messages("")); n != 400 {
		t.Errorf("%d messages", n)
	}
}
