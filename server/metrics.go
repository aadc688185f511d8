package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/portal/access"
)

// Metrics are the values that Prometheus reads from this process: counters, and values that are computed at each
// scrape. No label contains personal data, a host or the path of a request.
type Metrics struct {
	registry *prometheus.Registry

	seconds  *prometheus.HistogramVec
	requests *prometheus.CounterVec
	inFlight prometheus.Gauge

	signIns     *prometheus.CounterVec
	codes       *prometheus.CounterVec
	limited     *prometheus.CounterVec
	hashWait    prometheus.Histogram
	hashRefused *prometheus.CounterVec
	uploads     *prometheus.CounterVec
	files       prometheus.Counter
	providers   *prometheus.HistogramVec
	tlsAsks     *prometheus.CounterVec

	database databaseMetrics

	lastSweep    prometheus.Gauge
	sweepErrors  prometheus.Counter
	lastBackup   prometheus.Gauge // nil without WatchBackups
	backupErrors prometheus.Counter
	lastDomains  prometheus.Gauge
	domainErrors prometheus.Counter

	serves hostQuestion // from Watch
}

// Upper bounds of buckets, in seconds. There are few, because each combination of labels has all of them.
var (
	httpBuckets     = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10}
	hashBuckets     = []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2}
	providerBuckets = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10}
)

// NewMetrics makes the counters. Watch adds the values that are read at each scrape.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.makeRequestMetrics()
	m.makeSignInMetrics()
	m.makeJobMetrics()
	m.database = m.makeDatabaseMetrics()
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauge("portico_start_time_seconds", "When this process started, in Unix seconds.", nil,
		float64(startedAt.Unix()))
	return m
}

func (m *Metrics) makeRequestMetrics() {
	m.seconds = m.histograms("portico_http_seconds", "How long requests took, by door (pages, api, probe or standin), "+
		"pattern of the route (other: none) and status.", httpBuckets, "door", "route", "code")
	m.requests = m.counters("portico_requests_total", "Requests answered, by the first digit of the status.", "status")
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "portico_http_in_flight", Help: "Requests that are being answered now, without probes.",
	})
	m.registry.MustRegister(m.inFlight)
	m.tlsAsks = m.counters("portico_tls_asks_total", "Questions of a proxy whether it may get a certificate for a "+
		"host, by answer: yes, no or unknown.", "answer")
	for _, answer := range []string{"yes", "no", "unknown"} {
		m.tlsAsks.WithLabelValues(answer)
	}
	for class := range 5 {
		m.requests.WithLabelValues(strconv.Itoa(class+1) + "xx")
	}
}

func (m *Metrics) makeSignInMetrics() {
	m.signIns = m.counters("portico_sign_ins_total", "Tries to sign in, by way (password, code, wechat or wecom) and "+
		"result: ok, the code of the refusal, cancelled when the caller has gone, or error.", "way", "result")
	m.codes = m.counters("portico_codes_total", "Verification codes handed to a provider, by result: accepted, unsure "+
		"(it may have been sent), temporary, refused or bad_phone. A code that a second provider took over counts at "+
		"both.", "provider", "result")
	m.limited = m.counters("portico_limited_total",
		"Refusals by rate limits, by limit. A transaction that ran again is counted again.", "limit")
	m.hashWait = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "portico_hash_wait_seconds", Buckets: hashBuckets,
		Help: "How long passwords that were hashed waited for a core.",
	})
	m.hashRefused = m.counters("portico_hash_refused_total", "Callers whose password was not hashed: full (the queue "+
		"had no place), late (no core was free in time) or asked (a stranger is to work for a place first).", "reason")
	m.uploads = m.counters("portico_uploads_total", "Pictures that were sent in, by result: ok, the problem of the "+
		"picture, busy, cancelled or error.", "result")
	m.files = m.counter("portico_file_errors_total", "Requests to the file store that failed.")
	m.providers = m.histograms("portico_provider_seconds", "How long calls of providers took, by call (send, token, "+
		"ticket or exchange) and result (ok or failed).", providerBuckets, "provider", "call", "result")
	m.registry.MustRegister(m.hashWait)
	for _, reason := range []string{"full", "late"} {
		m.hashRefused.WithLabelValues(reason)
	}
}

func (m *Metrics) makeJobMetrics() {
	const lease = " One process does this at a time: use max over all."
	success := func(name, what string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{
			Name: name, Help: "When this process last " + what + ", in Unix seconds; 0: not yet." + lease,
		})
		m.registry.MustRegister(g)
		return g
	}
	m.lastSweep = success("portico_sweep_last_success", "removed all rows that have ended")
	m.sweepErrors = m.counter("portico_sweep_errors_total", "Sweeps of this process that failed.")
	m.lastDomains = success("portico_domain_check_last_success", "looked up the domains that were due")
	m.domainErrors = m.counter("portico_domain_check_errors_total", "Checks of domains by this process that failed.")
}

// WatchBackups adds the values of the schedule of backups. Without a schedule they are missing.
func (m *Metrics) WatchBackups() {
	m.lastBackup = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "portico_backup_last_success",
		Help: "When the newest scheduled backup was made, in Unix seconds; 0: there is none. Use max over all.",
	})
	m.registry.MustRegister(m.lastBackup)
	m.backupErrors = m.counter("portico_backup_errors_total", "Scheduled backups by this process that failed.")
}

// CountBackup records when the newest backup was made, the zero time for none, or that one failed.
func (m *Metrics) CountBackup(newest time.Time, err error) {
	if err != nil {
		m.backupErrors.Inc()
	}
	if !newest.IsZero() {
		m.lastBackup.Set(float64(newest.Unix()))
	}
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

var startedAt = time.Now()

// gauge registers a value that does not change.
func (m *Metrics) gauge(name, help string, labels prometheus.Labels, value float64) {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels})
	g.Set(value)
	m.registry.MustRegister(g)
}

// Counted returns the functions that portal calls to count.
func (m *Metrics) Counted() access.Counted {
	return access.Counted{
		SignIn:      func(way, result string) { m.signIns.WithLabelValues(way, result).Inc() },
		Limited:     func(limit string) { m.limited.WithLabelValues(limit).Inc() },
		Hashed:      func(wait time.Duration) { m.hashWait.Observe(wait.Seconds()) },
		HashRefused: func(reason string) { m.hashRefused.WithLabelValues(reason).Inc() },
		Upload:      func(result string) { m.uploads.WithLabelValues(result).Inc() },
		FilesFailed: m.files.Inc,
		Swept:       func(err error) { countJob(m.lastSweep, m.sweepErrors, err) },
		DomainsChecked: func(err error) {
			countJob(m.lastDomains, m.domainErrors, err)
		},
	}
}

func countJob(last prometheus.Gauge, failed prometheus.Counter, err error) {
	switch {
	case err == nil:
		last.SetToCurrentTime()
	case !errors.Is(err, context.Canceled):
		failed.Inc()
	}
}

// countRequest counts a request that was answered.
func (m *Metrics) countRequest(door, route string, status int, took time.Duration) {
	if class := status / 100; class >= 1 && class <= 5 {
		m.requests.WithLabelValues(strconv.Itoa(class) + "xx").Inc()
	}
	m.seconds.WithLabelValues(door, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// CountCode counts a verification code that was handed to a provider. result is "accepted", "unsure", "temporary",
// "refused" or "bad_phone".
func (m *Metrics) CountCode(provider, result string) { m.codes.WithLabelValues(provider, result).Inc() }

// CountCall counts a call of a provider, which began at a moment. call is "send", "token", "ticket" or "exchange".
func (m *Metrics) CountCall(provider, call string, began time.Time, err error) {
	result := "ok"
	if err != nil {
		result = "failed"
	}
	m.providers.WithLabelValues(provider, call, result).Observe(time.Since(began).Seconds())
}

// Handler answers GET /metrics and GET /tls/ask. A value that cannot be read is logged and left out.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: metricsLog{log}, ErrorHandling: promhttp.ContinueOnError,
	}))
	mux.HandleFunc("GET /tls/ask", tlsAsk(m.serves, m.tlsAsks, log))
	return mux
}

// metricsLog logs what is wrong with the metrics.
type metricsLog struct{ log *slog.Logger }

// Println logs one line.
func (l metricsLog) Println(values ...any) {
	l.log.Error("metrics incomplete", slog.String("error", fmt.Sprint(slices.Concat(values)...)))
}

// Serve answers what Handler does at a separate address until the context ends. Only the operator's network may reach
// it.
func (m *Metrics) Serve(ctx context.Context, address string, log *slog.Logger) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("PORTICO_METRICS=%q: %w", address, err)
	}
	s := &http.Server{
		Handler: m.Handler(log), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout,
		MaxHeaderBytes: maxHeaderBytes,
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics not served", slog.Any("error", err))
		}
	}()
	return nil
}
