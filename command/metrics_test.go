package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"portico/gateway"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/server"
)

// scrape reads the metrics of a server as Prometheus does.
func scrape(t *testing.T, s *server.Server) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	s.Metrics.Handler(s.Log).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// seriesValue returns the value of one series: of a counter or a gauge, or the number of observations of a histogram.
// ok is false when there is no such series. labels are names and values in turn.
func seriesValue(families map[string]*dto.MetricFamily, name string, labels ...string) (v float64, ok bool) {
	for _, m := range families[name].GetMetric() {
		values := map[string]string{}
		for _, l := range m.GetLabel() {
			values[l.GetName()] = l.GetValue()
		}
		fits := true
		for i := 0; i+1 < len(labels); i += 2 {
			fits = fits && values[labels[i]] == labels[i+1]
		}
		if fits {
			count := float64(m.GetHistogram().GetSampleCount())
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + count, true
		}
	}
	return 0, false
}

func wantValue(t *testing.T, families map[string]*dto.MetricFamily, want float64, name string, labels ...string) {
	t.Helper()
	if got, ok := seriesValue(families, name, labels...); !ok || got != want {
		t.Errorf("%s%v is %v (there: %t), want %v", name, labels, got, ok, want)
	}
}

func TestMetricsHavePageViewsWithoutCompanies(t *testing.T) {
	s, _ := testServer(t)
	s.Portal.Statistics.CountView("login", 1001, core.OnPhone)
	s.Portal.Statistics.CountView("login", 0, core.OnApp)
	if err := s.Portal.Statistics.WriteViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := scrape(t, s)
	const views = "portico_page_views_total"
	wantValue(t, found, 1, views, "of", "companies", "device", "phone")
	wantValue(t, found, 1, views, "of", "platform", "device", "app")
	wantValue(t, found, 0, views, "of", "platform", "device", "work-chat")
	if rows := len(found[views].GetMetric()); rows != 2*len(core.DeviceKinds) {
		t.Errorf("%d rows for %d kinds of devices", rows, len(core.DeviceKinds))
	}
	for name, family := range found {
		for _, metric := range family.GetMetric() {
			if labels := fmt.Sprint(metric.GetLabel()); strings.Contains(labels, "1001") {
				t.Errorf("%s names a company: %s", name, labels)
			}
		}
	}
}

func TestMetricsHaveMessageBudgetsWithoutPhones(t *testing.T) {
	s, _ := testServer(t)
	if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := access.WithCaller(t.Context(), access.Caller{Address: "203.0.113.7"})
	for _, in := range []core.AskCodeInput{
		{Purpose: core.ForLogin, Phone: "13800000001", Flow: "a"},
		{Purpose: core.ForApplication, Phone: "13711113333", CompanyID: 1001, Flow: "a"},
	} {
		if _, err := s.Portal.AskCode(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	request(s, "GET", "http://localhost:8080/login")
	request(s, "GET", "http://localhost:8080/nothing")
	found := scrape(t, s)
	wantValue(t, found, 1, "portico_sms_sent", "company", "1001")
	wantValue(t, found, 2, "portico_sms_sent", "company", "platform")
	wantValue(t, found, 500, "portico_sms_budget", "company", "1001")
	wantValue(t, found, 5000, "portico_sms_budget", "company", "platform")
	wantValue(t, found, 1, "portico_sms_strangers_hour", "company", "1001")
	wantValue(t, found, 1, "portico_sms_strangers_hour", "company", "platform")
	wantValue(t, found, 42, "portico_sms_strangers_hour_budget", "company", "1001")
	wantValue(t, found, 417, "portico_sms_strangers_hour_budget", "company", "platform")
	wantValue(t, found, 1, "portico_requests_total", "status", "2xx")
	wantValue(t, found, 1, "portico_requests_total", "status", "4xx")
	wantValue(t, found, 0, "portico_requests_total", "status", "5xx")
	wantValue(t, found, 2, "portico_codes_total", "provider", "inbox", "result", "accepted")
	wantValue(t, found, 1, "portico_provider_up", "provider", "inbox")
	wantValue(t, found, 1, "portico_provider_up", "provider", "wechat")
	wantValue(t, found, 1, "portico_provider_up", "provider", "wecom")
	for _, name := range []string{
		"portico_sms_sent", "portico_sms_budget", "portico_sms_strangers_hour", "portico_sms_strangers_hour_budget",
	} {
		if help := found[name].GetHelp(); !strings.HasSuffix(help, "use max, not sum.") {
			t.Errorf("%s: %s", name, help)
		}
	}
	w := httptest.NewRecorder()
	s.Metrics.Handler(s.Log).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if strings.Contains(w.Body.String(), "13800000001") || strings.Contains(w.Body.String(), "13711113333") {
		t.Errorf("a phone is in the metrics:\n%s", w.Body)
	}
}

func TestMetricsHaveASeparateAddress(t *testing.T) {
	s, _ := testServer(t)
	for _, host := range []string{"localhost", "api.localhost", "account.localhost"} {
		if r := request(s, "GET", "http://"+host+":8080/metrics"); r.StatusCode != 404 {
			t.Errorf("%s: %d", host, r.StatusCode)
		}
	}
	for target, want := range map[string]int{
		"GET /": 404, "GET /metrics/": 404, "POST /metrics": 405, "GET /login": 404,
	} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		s.Metrics.Handler(s.Log).ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

func TestMetricsHaveOneSeriesPerRoute(t *testing.T) {
	s, _ := testServer(t)
	hosts := []string{"account", "store1001", "m", "mgr", "api"}
	for i := range 1000 {
		host, path := hosts[i%len(hosts)], "/"+strconv.FormatUint(rand.Uint64(), 36)
		switch i % 7 {
		case 0:
			path = "/share" + path
		case 1:
			path = "/v1/account/getCompanyById/" + strconv.Itoa(i)
		case 2:
			path = "/assets" + path
		case 3:
			path = "/mgr/orders/" + strconv.Itoa(i)
		}
		request(s, "GET", "http://"+host+strconv.Itoa(i)+".localhost:8080"+path)
		request(s, "GET", "http://"+host+".localhost:8080"+path)
	}
	request(s, "GET", "http://account.localhost:8080/login")
	request(s, "GET", "http://account.localhost:8080/login?done=signed_out")
	request(s, "GET", "http://api.localhost:8080/openapi.json")
	request(s, "GET", "http://localhost:8080/livez")
	request(s, "POST", "http://account.localhost:8080/login")
	found := scrape(t, s)
	series := found["portico_http_seconds"].GetMetric()
	if len(series) > 20 {
		t.Errorf("%d series after 2000 different addresses", len(series))
	}
	for _, m := range series {
		for _, l := range m.GetLabel() {
			if l.GetName() != "door" && l.GetName() != "route" && l.GetName() != "code" {
				t.Errorf("the label %s", l)
			}
		}
	}
	const seconds = "portico_http_seconds"
	wantValue(t, found, 2, seconds, "door", "pages", "route", "/login", "code", "200")
	wantValue(t, found, 1, seconds, "door", "api", "route", "/openapi.json", "code", "200")
	wantValue(t, found, 1, seconds, "door", "probe", "route", "/livez", "code", "200")
	for _, labels := range [][]string{
		{"door", "pages", "route", "other", "code", "404"}, {"door", "api", "route", "other", "code", "404"},
		{"door", "api", "route", "/v1/account/getCompanyById/{id}", "code", "401"},
		{"door", "pages", "route", "/share/{name}", "code", "302"}, {"door", "pages", "route", "/login", "code", "415"},
	} {
		if n, _ := seriesValue(found, seconds, labels...); n < 1 {
			t.Errorf("%v is missing", labels)
		}
	}
}

func TestMetricsCountSignInResults(t *testing.T) {
	s, _ := testServer(t)
	if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	signIn := func(phone, password string) {
		form := url.Values{"phone": {phone}, "password": {password}}.Encode()
		r := httptest.NewRequest("POST", "http://account.localhost:8080/login", strings.NewReader(form))
		r.URL.Host = ""
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	signIn("13800000001", onboarding.DemoPassword)
	signIn("13800000001", "wrong1")
	signIn("13800000001", "")
	ctx := access.WithCaller(t.Context(), access.Caller{Address: "203.0.113.7"})
	_, err := s.Portal.Signin.LoginByCode(ctx, signin.CodeLoginInput{Phone: "13800000001", Code: "123456", Flow: "a"})
	if err == nil {
		t.Fatal("signed in by a code that was never sent")
	}
	in := signin.ClientLoginInput{Login: "13800000001", Password: onboarding.DemoPassword, Client: signin.Clients[0]}
	if _, err := s.Portal.Signin.ClientLogin(ctx, in); err != nil {
		t.Fatal(err)
	}
	const signIns = "portico_sign_ins_total"
	found := scrape(t, s)
	wantValue(t, found, 2, signIns, "way", "password", "result", "ok")
	wantValue(t, found, 1, signIns, "way", "password", "result", "wrong_password")
	wantValue(t, found, 1, signIns, "way", "password", "result", "validation_failed")
	wantValue(t, found, 1, signIns, "way", "code", "result", "code_expired")
	wantValue(t, found, 0, "portico_hash_waiting")
}

func TestMetricsHavePoolsProgramAndProcess(t *testing.T) {
	s, _ := testServer(t)
	found := scrape(t, s)
	wantValue(t, found, 1, "go_sql_max_open_connections", "db_name", "write")
	wantValue(t, found, 8, "go_sql_max_open_connections", "db_name", "read")
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes", "portico_start_time_seconds"} {
		if v, ok := seriesValue(found, name); !ok || v <= 0 {
			t.Errorf("%s is %v", name, v)
		}
	}
	info := found["portico_build_info"].GetMetric()
	if len(info) != 1 || info[0].GetGauge().GetValue() != 1 {
		t.Fatalf("%v", info)
	}
	labels := map[string]string{}
	for _, l := range info[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	schema, err := strconv.Atoi(labels["schema"])
	if labels["version"] != readBuild().version || labels["commit"] == "" || err != nil || schema < 13 {
		t.Errorf("%v", labels)
	}
}

// The rules of promtool check metrics.
func TestMetricsFollowPrometheusRules(t *testing.T) {
	s, _ := testServer(t)
	request(s, "GET", "http://account.localhost:8080/login")
	s.Metrics.Counted().SignIn("password", "ok")
	s.Metrics.CountCode("inbox", "accepted")
	w := httptest.NewRecorder()
	s.Metrics.Handler(s.Log).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	problems, err := promlint.New(w.Body).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsHaveLastSweepAndSweepErrors(t *testing.T) {
	s, _ := testServer(t)
	wantValue(t, scrape(t, s), 0, "portico_sweep_last_success")
	before := time.Now().Unix()
	if err := s.Portal.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := scrape(t, s)
	if at, _ := seriesValue(found, "portico_sweep_last_success"); at < float64(before) {
		t.Errorf("the last success was at %v, before %d", at, before)
	}
	wantValue(t, found, 0, "portico_sweep_errors_total")
	counted := s.Metrics.Counted()
	counted.Swept(context.Canceled)
	counted.Swept(errors.New("the disk is full"))
	wantValue(t, scrape(t, s), 1, "portico_sweep_errors_total")
}

// Operators need the metrics most while the database is unavailable.
func TestMetricsAreServedWithoutDatabase(t *testing.T) {
	s, written, db := testServerAndDatabase(t)
	request(s, "GET", "http://localhost:8080/livez")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Portal.Sweep(t.Context()); err == nil {
		t.Fatal("swept without a database")
	}
	found := scrape(t, s)
	wantValue(t, found, 1, "portico_http_seconds", "door", "probe", "route", "/livez", "code", "200")
	wantValue(t, found, 1, "portico_sweep_errors_total")
	if _, there := seriesValue(found, "portico_sms_sent"); there {
		t.Error("message budgets are told without a database")
	}
	if !strings.Contains(written.String(), "message budgets") {
		t.Errorf("the log does not say what is missing: %s", written)
	}
}

func TestMetricsCountCodeResultsPerProvider(t *testing.T) {
	m := server.NewMetrics()
	for i, c := range []struct {
		err    error
		result string
	}{
		{nil, "accepted"}, {&gateway.Failure{Kind: gateway.BadPhone}, "bad_phone"},
		{&gateway.Failure{Kind: gateway.Refused}, "refused"}, {&gateway.Failure{Kind: gateway.Temporary}, "temporary"},
		{&gateway.Failure{Kind: gateway.Temporary, MayHaveSucceeded: true}, "unsure"}, {io.ErrUnexpectedEOF, "unsure"},
	} {
		sender := countingSender{failingSender{c.err}, strconv.Itoa(i), m, slog.New(slog.DiscardHandler)}
		if err := sender.Send(t.Context(), gateway.SMS{Kind: gateway.Code}); err != c.err {
			t.Errorf("%v became %v", c.err, err)
		}
		_ = sender.Send(t.Context(), gateway.SMS{Kind: gateway.Notice})
		counted := &server.Server{Options: server.Options{Metrics: m, Log: slog.New(slog.DiscardHandler)}}
		found := scrape(t, counted)
		wantValue(t, found, 1, "portico_codes_total", "provider", strconv.Itoa(i), "result", c.result)
	}
}

// failingSender is a provider that always returns err.
type failingSender struct{ err error }

func (f failingSender) Send(context.Context, gateway.SMS) error { return f.err }

// Each new family is there before anything has happened, so that alarms and dashboards have a value from the start.
func TestMetricsHaveLimitsQueuesAndDatabase(t *testing.T) {
	s, _ := testServer(t)
	found := scrape(t, s)
	for until := time.Now().Add(responseTimeout); time.Now().Before(until); found = scrape(t, s) {
		if ready, _ := seriesValue(found, "portico_ready"); ready == 1 { // a busy machine may need a while
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	wantValue(t, found, 1, "portico_ready")
	wantValue(t, found, 0, "portico_http_in_flight")
	wantValue(t, found, 128, "portico_hash_places")
	wantValue(t, found, float64(runtime.GOMAXPROCS(0)), "portico_hash_cores")
	wantValue(t, found, 0, "portico_hash_refused_total", "reason", "full")
	wantValue(t, found, 0, "portico_database_operations")
	wantValue(t, found, 256, "portico_database_operations_limit")
	wantValue(t, found, 0, "portico_database_repeated_total", "kind", "transaction")
	wantValue(t, found, 0, "portico_database_refused_total", "reason", "too_many")
	wantValue(t, found, 0, "portico_database_errors_total", "class", "timeout")
	wantValue(t, found, 0, "portico_replay_cache_size")
	wantValue(t, found, 400_000, "portico_replay_cache_limit")
	wantValue(t, found, 0, "portico_page_views_lost_total")
	wantValue(t, found, 0, "portico_file_errors_total")
	wantValue(t, found, 0, "portico_domain_check_last_success")

	if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Portal.Branding.CheckDomains(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := access.WithCaller(t.Context(), access.Caller{Address: "203.0.113.7"})
	in := signin.ClientLoginInput{Login: "13800000001", Password: onboarding.DemoPassword, Client: signin.Clients[0]}
	if _, err := s.Portal.Signin.ClientLogin(ctx, in); err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		_, err := s.Portal.AskCode(ctx, core.AskCodeInput{
			Purpose: core.ForLogin, Phone: fmt.Sprintf("138%08d", n), Flow: "a",
		})
		if errors.Is(err, access.TooManyAttempts) {
			break
		}
	}
	found = scrape(t, s)
	for _, name := range []string{"portico_hash_wait_seconds", "portico_domain_check_last_success"} {
		if n, _ := seriesValue(found, name); n < 1 {
			t.Errorf("%s is %v", name, n)
		}
	}
	for _, kind := range []string{"read", "write", "transaction"} {
		if n, _ := seriesValue(found, "portico_database_seconds", "kind", kind); n < 1 {
			t.Errorf("%v operations of kind %s", n, kind)
		}
	}
	if n := len(found["portico_limited_total"].GetMetric()); n != 1 {
		t.Errorf("%v", found["portico_limited_total"])
	}
	const calls = "portico_provider_seconds"
	if n, _ := seriesValue(found, calls, "provider", "inbox", "call", "send", "result", "ok"); n < 1 {
		t.Error("messages are not timed")
	}
}

func TestMetricsSayNotReadyWithoutDatabase(t *testing.T) {
	s, _, db := testServerAndDatabase(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantValue(t, scrape(t, s), 0, "portico_ready")
}

func TestNamesOfLimitsContainNothingOfTheCaller(t *testing.T) {
	for key, want := range map[string]string{
		"uploads:203.0.113.7/32": "uploads", "code tries:abc:login": "code_tries", "look-ups:unbind:1": "look_ups",
		"sms:address:203.0.113.7/32": "sms_address", "sms:hour:abc": "sms_hour", "sms:budget": "sms_budget",
		"role changes:1001": "role_changes", "public_calls": "public_calls",
	} {
		if got := access.LimitName(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
