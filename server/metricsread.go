package server

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"portico/portal"
	"portico/portal/core"
)

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
	m.registry.MustRegister(portalValues{p})
	m.read("portico_hash_waiting", "Callers of this process who wait until their password is hashed.",
		func() float64 { return float64(p.Passwords.HashWaiting()) })
	m.gauge("portico_hash_places", "How many callers of this process may wait until their password is hashed.", nil,
		2*core.HashPlaces)
	m.gauge("portico_hash_cores", "How many passwords this process hashes at the same time.", nil,
		float64(p.Passwords.HashCores()))
	m.read("portico_replay_cache_size", "Signatures of calls that this process remembers, to recognise replays.",
		func() float64 { return float64(p.Replay.Remembered()) })
	m.gauge("portico_replay_cache_limit", "How many signatures this process remembers; beyond that the oldest are "+
		"forgotten early.", nil, 2*core.SignaturesHeld)
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "portico_page_views_lost_total", Help: "Page views that were not stored, because too many waited.",
	}, func() float64 { return float64(p.Statistics.Views.Lost.Load()) }))
}

// read registers a value that is read at each scrape.
func (m *Metrics) read(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// watchReady registers whether the server is ready.
func (m *Metrics) watchReady(ready func() bool) {
	m.read("portico_ready", "1 while /readyz of this process answers 200, else 0.", func() float64 {
		return oneIf(ready())
	})
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// WatchProvider registers whether a provider is in use.
func (m *Metrics) WatchProvider(name string, up func() bool) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_provider_up", ConstLabels: prometheus.Labels{"provider": name},
		Help: "1 while this process asks the provider, 0 while it leaves the provider alone after several failures.",
	}, func() float64 { return oneIf(up()) }))
}

// WatchTraces registers how many spans were sent, were not taken by the collector, and were dropped.
func (m *Metrics) WatchTraces(sent, failed, dropped func() int64) {
	for result, count := range map[string]func() int64{"sent": sent, "failed": failed, "dropped": dropped} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "portico_trace_spans_total", ConstLabels: prometheus.Labels{"result": result},
			Help: "Spans of traces: sent, failed (the collector did not take them) or dropped (too many waited).",
		}, func() float64 { return float64(count()) }))
	}
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
func budgetLabel(b core.MessageBudget) string {
	if b.CompanyID == 0 {
		return "platform"
	}
	return strconv.FormatInt(b.CompanyID, 10)
}
