package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"portico/config"
	"portico/gateway"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/server"
	"portico/store/storetest"
)

// traceCollector is a collector that keeps what it gets.
type traceCollector struct {
	*httptest.Server
	mu       sync.Mutex
	messages []*tracepb.TracesData
}

func newTraceCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := new(traceCollector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := new(tracepb.TracesData)
		zip, err := gzip.NewReader(r.Body)
		if err == nil {
			var raw []byte
			if raw, err = io.ReadAll(zip); err == nil {
				err = proto.Unmarshal(raw, message)
			}
		}
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.messages = append(c.messages, message)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *traceCollector) spans() (all []*tracepb.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages {
		for _, r := range m.GetResourceSpans() {
			for _, s := range r.GetScopeSpans() {
				all = append(all, s.GetSpans()...)
			}
		}
	}
	return all
}

func (c *traceCollector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	for _, m := range c.messages {
		text.WriteString(prototext.Format(m))
	}
	return text.String()
}

// tracedServer returns the program with a collector. stop sends the spans that wait.
func tracedServer(
	t *testing.T, environ ...string,
) (s *server.Server, written *syncBuffer, collector *traceCollector, stop func()) {
	t.Helper()
	collector = newTraceCollector(t)
	c, err := config.Read(append([]string{
		"PORTICO_DATABASE=sqlite:" + filepath.Join(t.TempDir(), "p.db"), "PORTICO_OTLP=" + collector.URL,
		"PORTICO_OTLP_SAMPLE=1",
	}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	c.Secrets.KeyFile = filepath.Join(t.TempDir(), "secret")
	db, err := openMigrating(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	written = new(syncBuffer)
	log := slog.New(server.LogHandler(slog.NewJSONHandler(written, nil)))
	m := server.NewMetrics()
	tracer, stop := startTracing(t.Context(), c, log, m)
	p, inbox, err := newPortal(c, db, dependencies{log: log, metrics: m, tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	if err := watch(m, db, p); err != nil {
		t.Fatal(err)
	}
	handler, err := newSites(c, p, log, inbox)
	if err != nil {
		t.Fatal(err)
	}
	s = newServer(c, p, handler, log, log, m)
	s.Tracer = tracer
	if err := p.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, written, collector, stop
}

// sendForm sends a form to the sign-in site.
func sendForm(s http.Handler, path string, form url.Values, more ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://account.localhost:8080"+path, strings.NewReader(form.Encode()))
	r.URL.Host = ""
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestTraceOfSignInHasItsParts(t *testing.T) {
	for _, database := range []string{"", storetest.PostgresURL(t)} {
		var environ []string
		if database != "" {
			environ = []string{"PORTICO_DATABASE=" + database}
		}
		s, written, collector, stop := tracedServer(t, environ...)
		w := sendForm(s, "/login", url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}})
		if w.Code != http.StatusSeeOther {
			t.Fatal(w.Code)
		}
		stop()
		names := map[string]*tracepb.Span{}
		for _, span := range collector.spans() {
			names[span.GetName()] = span
		}
		root := names["POST /login"]
		if root == nil {
			t.Fatalf("%v", names)
		}
		for _, part := range []string{"wait for a core", "hash a password", "Attempt.OfAll"} {
			if names[part] == nil || !bytes.Equal(names[part].GetTraceId(), root.GetTraceId()) {
				t.Errorf("%s is not in the trace: %v", part, slices.Collect(mapKeys(names)))
			}
		}
		if !slices.ContainsFunc(collector.spans(), func(s *tracepb.Span) bool {
			return strings.Contains(prototext.Format(s), `"transaction"`) && strings.HasPrefix(s.GetName(), "signin.")
		}) {
			t.Errorf("no transaction of signin: %v", slices.Collect(mapKeys(names)))
		}
		wantLogOfTrace(t, written.String(), fmt.Sprintf("%x", root.GetTraceId()), w.Header().Get("X-Request-Id"))
	}
}

func mapKeys(m map[string]*tracepb.Span) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// wantLogOfTrace checks that the lines of a request have the ids of the request and the trace, each once.
func wantLogOfTrace(t *testing.T, log, traceID, requestID string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(log) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry["request_id"] != requestID {
			continue
		}
		seen[entry["msg"].(string)] = true
		if entry["trace_id"] != traceID || len(entry["span_id"].(string)) != 16 ||
			strings.Count(line, `"request_id"`) != 1 {
			t.Errorf("%s is not of trace %s", line, traceID)
		}
	}
	if !seen["request"] || !seen["security"] {
		t.Errorf("the log of the request has %v:\n%s", seen, log)
	}
}

// What a person types, and what the platform gives only to that person, must not be in a trace.
func TestTracesContainNoSecretsAndNothingThatWasTyped(t *testing.T) {
	s, _, collector, stop := tracedServer(t)
	const password, code, company, path = "Canary-Password-1", "731946", "Canary Company", "canary-path"
	const phone, name = "13912345678", "canary-name"
	sendForm(s, "/login", url.Values{"phone": {phone}, "password": {password}}, "User-Agent", "canary-agent")
	sendForm(s, "/login", url.Values{"phone": {"13800000001"}, "password": {password}})
	signedIn := sendForm(s, "/login", url.Values{"phone": {"13800000001"}, "password": {onboarding.DemoPassword}})
	sendForm(s, "/login/code", url.Values{"phone": {phone}, "code": {code}})
	sendForm(s, "/login/account", url.Values{"login": {name}, "password": {password}})
	sendForm(s, "/register", url.Values{"company": {company}, "phone": {phone}, "code": {code}, "contact": {name}})
	sendForm(s, "/"+path+"/"+phone+"?code="+code, url.Values{"a": {password}})
	request(s, "GET", "http://canary-host.example/login?code="+code)
	ctx := access.WithCaller(t.Context(), access.Caller{Address: "203.0.113.77", Agent: "canary-agent"})
	ctx, span := s.Tracer.Job(ctx, "ask for a code")
	if _, err := s.Portal.AskCode(ctx, core.AskCodeInput{
		Purpose: core.ForLogin, Phone: "13800000001", Flow: "canary-flow",
	}); err != nil {
		t.Fatal(err)
	}
	span.End("")
	stop()
	times := regexp.MustCompile(`_unix_nano: *\d+`) // they may contain the six digits
	text := times.ReplaceAllString(collector.text(), "")
	if !strings.Contains(text, "core.(*Verification)") {
		t.Errorf("the trace has no code:\n%s", text)
	}
	secrets := []string{
		password, code, company, path, phone, "13800000001", name, "canary", onboarding.DemoPassword, "203.0.113.77",
		"192.0.2.1",
	}
	for _, cookie := range signedIn.Result().Cookies() {
		secrets = append(secrets, cookie.Value)
	}
	if len(secrets) < 12 {
		t.Error("the sign-in set no cookie")
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
			t.Errorf("a trace contains %q", secret)
		}
	}
}

func TestTraceparentIsTakenFromTrustedProxiesOnly(t *testing.T) {
	s, _, collector, stop := tracedServer(t, "PORTICO_OTLP_SAMPLE=0", "PORTICO_TRUSTED_PROXIES=10.0.0.0/8")
	s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for i, peer := range []string{"198.51.100.7:999", "10.0.0.1:999"} {
		r := httptest.NewRequest("GET", "http://account.localhost:8080/login", nil)
		r.URL.Host, r.RemoteAddr = "", peer
		r.Header.Set("Traceparent", fmt.Sprintf("00-0af7651916cd43dd8448eb211c80319%d-b7ad6b7169203331-01", i))
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	stop()
	traces := map[string]bool{}
	for _, span := range collector.spans() {
		traces[fmt.Sprintf("%x", span.GetTraceId())] = true
	}
	if len(traces) != 1 || !traces["0af7651916cd43dd8448eb211c803191"] {
		t.Errorf("%v", traces)
	}
}

// The webhook is the operator's own program. WeChat and the SMS providers are third parties and get no ids.
func TestTraceparentIsSentToTheWebhookOnly(t *testing.T) {
	headers := map[string]string{}
	var mu sync.Mutex
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		headers[r.URL.Path] = r.Header.Get("Traceparent")
		_, _ = w.Write([]byte("{}"))
	}))
	defer provider.Close()
	s, _, collector, stop := tracedServer(t)
	ctx, span := s.Tracer.Job(t.Context(), "job")
	message := gateway.SMS{
		ID: "1", Phone: "13800000001", Kind: gateway.Code, Purpose: "login", Lang: "zh", Code: "123456",
	}
	webhook := gateway.NewWebhook(gateway.WebhookOptions{URL: provider.URL + "/webhook", Secret: "s"})
	if err := webhook.Send(ctx, message); err != nil {
		t.Fatal(err)
	}
	weChat := gateway.NewWeChat(gateway.WeChatOptions{API: provider.URL + "/wechat"})
	_, _ = weChat.Token(ctx, gateway.App{ID: "wx1111111111111111", Secret: "s"})
	if err := webhook.Send(context.Background(), message); err != nil {
		t.Fatal(err)
	}
	if headers["/webhook"] != "" {
		t.Errorf("a message that is not recorded has %q", headers["/webhook"])
	}
	_ = webhook.Send(ctx, message)
	span.End("")
	stop()
	mu.Lock()
	defer mu.Unlock()
	var calls []string
	for _, span := range collector.spans() {
		if span.GetName() == "webhook" {
			calls = append(calls, fmt.Sprintf("00-%x-%x-01", span.GetTraceId(), span.GetSpanId()))
		}
	}
	if len(calls) != 2 || headers["/webhook"] != calls[1] {
		t.Errorf("the webhook got %q, the spans are %q", headers["/webhook"], calls)
	}
	if len(headers) != 2 {
		t.Errorf("WeChat was not asked: %v", headers)
	}
	for path, header := range headers {
		if path != "/webhook" && header != "" {
			t.Errorf("%s got %q", path, header)
		}
	}
}

// Nobody pays for traces who does not want them.
func TestSignInPageAllocatesNoMoreWithoutTraces(t *testing.T) {
	s, _ := testServer(t)
	r := httptest.NewRequest("GET", "http://account.localhost:8080/login", nil)
	r.URL.Host = ""
	allocations := func() float64 {
		return testing.AllocsPerRun(200, func() { s.ServeHTTP(httptest.NewRecorder(), r) })
	}
	_ = allocations()
	if without := allocations(); without > maxSignInPageAllocations {
		t.Errorf("the sign-in page makes %v allocations, at most %d", without, maxSignInPageAllocations)
	} else {
		t.Logf("%v allocations", without)
	}
}

// maxSignInPageAllocations is what the page takes without traces (44, with the recorder of the test; some 50 with the
// race detector, under which pools forget) and some room.
const maxSignInPageAllocations = 53
