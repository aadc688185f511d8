package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/verification"
)

// Metrics are the values that Prometheus reads from this process: counters, and values that are computed at each
// scrape. No label contains personal data, a host or the path of a request.
type Metrics struct {
	registry    *prometheus.Registry
	seconds     *prometheus.HistogramVec
	requests    *prometheus.CounterVec
	signIns     *prometheus.CounterVec
	codes       *prometheus.CounterVec
	lastSweep   prometheus.Gauge
	sweepErrors prometheus.Counter
	serves      hostQuestion // from Watch
}

// httpBuckets are the upper bounds of the buckets of portico_http_seconds. There are few, because each route and status
// has all of them.
var httpBuckets = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10}

// NewMetrics makes the counters. Watch adds the values that are read at each scrape.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "portico_http_seconds", Buckets: httpBuckets,
			Help: "How long requests took, by door (pages, api, probe or standin), pattern of the route " +
				"(other: none) and status.",
		}, []string{"door", "route", "code"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_requests_total", Help: "Requests answered, by the first digit of the status.",
		}, []string{"status"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_sign_ins_total",
			Help: "Tries to sign in, by way (password, code, wechat or wecom) and result: ok, the code of the " +
				"refusal, cancelled when the caller has gone, or error.",
		}, []string{"way", "result"}),
		codes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_codes_total",
			Help: "Verification codes handed to a provider, by result: accepted, unsure (it may have been sent), " +
				"temporary, refused or bad_phone. A code that a second provider took over counts at both.",
		}, []string{"provider", "result"}),
		lastSweep: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "portico_sweep_last_success",
			Help: "When this process last removed all rows that have ended, in Unix seconds; 0: not yet. " +
				"One process sweeps at a time: use max over all.",
		}),
		sweepErrors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "portico_sweep_errors_total", Help: "Sweeps of this process that failed.",
		}),
	}
	for class := range 5 {
		m.requests.WithLabelValues(strconv.Itoa(class+1) + "xx")
	}
	m.registry.MustRegister(m.seconds, m.requests, m.signIns, m.codes, m.lastSweep, m.sweepErrors,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauge("portico_start_time_seconds", "When this process started, in Unix seconds.", nil,
		float64(startedAt.Unix()))
	return m
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
		SignIn: func(way, result string) { m.signIns.WithLabelValues(way, result).Inc() },
		Swept: func(err error) {
			switch {
			case err == nil:
				m.lastSweep.SetToCurrentTime()
			case !errors.Is(err, context.Canceled):
				m.sweepErrors.Inc()
			}
		},
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

// Program is the version of the program, for the metrics.
type Program struct {
	Version, Commit string
	Schema          int // the newest version of the database's schema that the program knows
}

// Watch registers the values that are computed at each scrape. pools are the pools of database connections by name.
func (m *Metrics) Watch(program Program, pools map[string]*sql.DB, p *portal.Portal) {
	m.serves = p.Access.ServesHost
	m.gauge("portico_build_info", "Always 1. The labels name this program and the schema that it knows.",
		prometheus.Labels{
			"version": program.Version, "commit": program.Commit, "schema": strconv.Itoa(program.Schema),
		}, 1)
	for name, pool := range pools {
		m.registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
	}
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "portico_hash_waiting",
			Help: "Callers of this process who wait until their password is hashed.",
		}, func() float64 { return float64(p.Passwords.HashWaiting()) }),
		portalValues{p},
	)
}

// WatchProvider registers whether a provider is in use.
func (m *Metrics) WatchProvider(name string, up func() bool) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_provider_up", ConstLabels: prometheus.Labels{"provider": name},
		Help: "1 while this process asks the provider, 0 while it leaves the provider alone after several failures.",
	}, func() float64 {
		if up() {
			return 1
		}
		return 0
	}))
}

// portalValues are the message budgets, which are rows of the database, and the page views.
type portalValues struct{ portal *portal.Portal }

// sharedValueHelp ends the help of each value that every process reads from the same rows of the database.
const sharedValueHelp = " Every process reports the same rows of the database: use max, not sum."

var (
	smsSent = prometheus.NewDesc("portico_sms_sent",
		`Messages sent in the running day of a company (company="platform": of all).`+sharedValueHelp,
		[]string{"company"}, nil)
	smsBudget = prometheus.NewDesc("portico_sms_budget",
		"Messages that may be sent in a day."+sharedValueHelp, []string{"company"}, nil)
	smsStrangers = prometheus.NewDesc("portico_sms_strangers_hour",
		"Messages sent in the running hour to numbers that are not known."+sharedValueHelp, []string{"company"}, nil)
	smsStrangersBudget = prometheus.NewDesc("portico_sms_strangers_hour_budget",
		"Messages that may be sent to such numbers in the hour."+sharedValueHelp, []string{"company"}, nil)
	pageViews = prometheus.NewDesc("portico_page_views_total",
		"Pages shown by this process, by kind of device, at companies (of=\"companies\") and where there is none "+
			"(of=\"platform\"), as of the last few seconds.", []string{"of", "device"}, nil)
)

// Describe sends the descriptions of the values.
func (portalValues) Describe(descriptions chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{smsSent, smsBudget, smsStrangers, smsStrangersBudget, pageViews} {
		descriptions <- desc
	}
}

// Collect reads the values. If the database fails, only the message budgets are missing.
func (v portalValues) Collect(metrics chan<- prometheus.Metric) {
	for _, total := range v.portal.Statistics.ViewTotals() {
		of := "companies"
		if total.Platform {
			of = "platform"
		}
		views := float64(total.Views)
		metrics <- prometheus.MustNewConstMetric(pageViews, prometheus.CounterValue, views, of, string(total.On))
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	budgets, err := v.portal.Verification.MessageBudgets(ctx)
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(smsSent, fmt.Errorf("message budgets: %w", err))
		return
	}
	for _, b := range budgets {
		for desc, value := range map[*prometheus.Desc]int{
			smsSent: b.Sent, smsBudget: b.Limit, smsStrangers: b.StrangersHour, smsStrangersBudget: b.StrangersLimit,
		} {
			metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), budgetLabel(b))
		}
	}
}

// budgetLabel returns the company label of a budget.
func budgetLabel(b verification.MessageBudget) string {
	if b.CompanyID == 0 {
		return "platform"
	}
	return strconv.FormatInt(b.CompanyID, 10)
}

// Handler answers GET /metrics and GET /tls/ask. A value that cannot be read is logged and left out.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
	}))
	mux.HandleFunc("GET /tls/ask", tlsAsk(m.serves, log))
	return mux
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
			log.Error("metrics", slog.Any("error", err))
		}
	}()
	return nil
}
