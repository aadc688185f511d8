// Package otlp sends spans to a collector by OTLP over HTTP. Nothing waits for the collector: spans that it does not
// take in time are dropped and counted.
package otlp

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"portico/server/tracing"
)

const (
	// MaxWaiting is how many spans wait in memory to be sent; some 4 MB. Further ones are dropped.
	MaxWaiting = 2048
	// SendEvery is how long a span waits at most before it is sent.
	SendEvery = 2 * time.Second
	// SendTime is how long the collector may take for one batch, retries included.
	SendTime = 10 * time.Second
	// StopTime is how long Close waits for the collector.
	StopTime = 2 * time.Second

	maxBatch      = 512 // spans in one request
	maxAttributes = 16  // of one span
	maxValue      = 128 // bytes of one attribute
)

// Options say where spans go and whose they are.
type Options struct {
	Address     *url.URL // of the collector, like http://127.0.0.1:4318; without a path, /v1/traces
	Ratio       float64  // of requests and jobs that are recorded, from 0 to 1
	Version     string   // of the program
	Environment string   // like production
	Log         *slog.Logger
}

// Exporter sends the spans of its Tracer. It is safe for concurrent use.
type Exporter struct {
	Tracer *tracing.Tracer

	provider *trace.TracerProvider
	waiting  atomic.Int64
	sent     atomic.Int64
	failed   atomic.Int64
	dropped  atomic.Int64
}

// Counts are how many spans were sent, were not taken by the collector, and were dropped because too many waited.
type Counts struct{ Sent, Failed, Dropped int64 }

// New returns an Exporter. It makes no request before the first span.
func New(o Options) *Exporter {
	e := new(Exporter)
	batches := trace.NewBatchSpanProcessor(&counting{SpanExporter: newClient(o.Address), exporter: e, log: o.Log},
		trace.WithMaxQueueSize(2*MaxWaiting), trace.WithMaxExportBatchSize(maxBatch),
		trace.WithBatchTimeout(SendEvery), trace.WithExportTimeout(SendTime))
	limits := trace.NewSpanLimits()
	limits.AttributeCountLimit, limits.AttributeValueLengthLimit = maxAttributes, maxValue
	e.provider = trace.NewTracerProvider(
		trace.WithSpanProcessor(&bounded{SpanProcessor: batches, exporter: e}),
		trace.WithSampler(newSampler(o.Ratio, time.Now)),
		trace.WithRawSpanLimits(limits),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "portico"), attribute.String("service.version", o.Version),
			attribute.String("deployment.environment.name", o.Environment),
		)),
	)
	e.Tracer = tracing.NewTracer(e.provider)
	return e
}

// Counts returns the numbers since the start.
func (e *Exporter) Counts() Counts {
	return Counts{Sent: e.sent.Load(), Failed: e.failed.Load(), Dropped: e.dropped.Load()}
}

// Close sends the spans that wait, for at most StopTime.
func (e *Exporter) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, StopTime)
	defer cancel()
	_ = e.provider.Shutdown(ctx) // what was lost is counted
}

// bounded drops spans while MaxWaiting of them wait. The processor behind it has room for more, so it never drops one
// that is not counted.
type bounded struct {
	trace.SpanProcessor
	exporter *Exporter
}

func (b *bounded) OnEnd(s trace.ReadOnlySpan) {
	if b.exporter.waiting.Add(1) > MaxWaiting {
		b.exporter.waiting.Add(-1)
		b.exporter.dropped.Add(1)
		return
	}
	b.SpanProcessor.OnEnd(s)
}

// counting counts what the collector takes. It logs when the collector begins to fail and when it works again, not each
// failure.
type counting struct {
	trace.SpanExporter
	exporter *Exporter
	log      *slog.Logger

	mu   sync.Mutex
	away bool
}

// ExportSpans returns no error: the SDK would write it to standard error in a form of its own.
func (c *counting) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	number := int64(len(spans))
	c.exporter.waiting.Add(-number)
	if err != nil {
		c.exporter.failed.Add(number)
	} else {
		c.exporter.sent.Add(number)
	}
	c.mu.Lock()
	was := c.away
	c.away = err != nil
	c.mu.Unlock()
	switch {
	case err != nil && !was:
		c.log.LogAttrs(ctx, slog.LevelWarn, "traces not sent", slog.Int64("number", number), slog.Any("error", err))
	case err == nil && was:
		c.log.LogAttrs(ctx, slog.LevelInfo, "traces sent again")
	}
	return nil
}
