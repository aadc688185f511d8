package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/portal"
)

// metrics answers GET /metrics in the text format of Prometheus, on an address of its own that only the operator's
// network reaches (requirement 116). It is written by hand: the usual library is 2.2 MB for these few lines.
type metrics struct {
	portal *portal.Portal
	server *server
	log    *slog.Logger
}

// serveMetrics listens until the context ends; without an address there are no metrics.
func serveMetrics(ctx context.Context, address string, m *metrics) error {
	if address == "" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("PORTICO_METRICS=%q: %w", address, err)
	}
	s := &http.Server{Handler: m, ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeaderBytes}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() {
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			m.log.Error("metrics", slog.Any("error", err))
		}
	}()
	return nil
}

// ServeHTTP writes what is counted.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/metrics" || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	budgets, err := m.portal.MessageBudgets(ctx)
	if err != nil {
		m.log.LogAttrs(ctx, slog.LevelError, "metrics", slog.Any("error", err))
		http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		return
	}
	var b strings.Builder
	describe(&b, "portico_sms_sent", "gauge", "Messages sent in the running day of a company (company=\"platform\": of all).")
	for _, each := range budgets {
		fmt.Fprintf(&b, "portico_sms_sent{company=%q} %d\n", budgetOf(each), each.Sent)
	}
	describe(&b, "portico_sms_budget", "gauge", "Messages that may be sent in a day.")
	for _, each := range budgets {
		fmt.Fprintf(&b, "portico_sms_budget{company=%q} %d\n", budgetOf(each), each.Limit)
	}
	describe(&b, "portico_sms_strangers_hour", "gauge",
		"Messages sent in the running hour to numbers that are not known.")
	for _, each := range budgets {
		fmt.Fprintf(&b, "portico_sms_strangers_hour{company=%q} %d\n", budgetOf(each), each.StrangersHour)
	}
	describe(&b, "portico_sms_strangers_hour_budget", "gauge", "Messages that may be sent to such numbers in the hour.")
	for _, each := range budgets {
		fmt.Fprintf(&b, "portico_sms_strangers_hour_budget{company=%q} %d\n", budgetOf(each), each.StrangersLimit)
	}
	describe(&b, "portico_requests_total", "counter", "Requests answered, by the first digit of the status.")
	for i := range m.server.answered {
		fmt.Fprintf(&b, "portico_requests_total{status=\"%dxx\"} %d\n", i+1, m.server.answered[i].Load())
	}
	describe(&b, "portico_page_views_total", "counter", "Pages shown, by kind of device, at companies (of=\"companies\") and where there is none (of=\"platform\"), as of the last few seconds.")
	for _, each := range m.portal.ViewTotals() {
		of := "companies"
		if each.Platform {
			of = "platform"
		}
		fmt.Fprintf(&b, "portico_page_views_total{of=%q,device=%q} %d\n", of, each.On, each.Views)
	}
	describe(&b, "portico_start_time_seconds", "gauge", "When this process started.")
	fmt.Fprintf(&b, "portico_start_time_seconds %d\n", started.Unix())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(b.String()))
}

var started = time.Now()

func describe(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func budgetOf(b portal.MessageBudget) string {
	if b.CompanyID == 0 {
		return "platform"
	}
	return strconv.FormatInt(b.CompanyID, 10)
}
