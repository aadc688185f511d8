package command

import (
	"cmp"
	"context"
	"log/slog"

	"portico/config"
	"portico/server"
	"portico/server/tracing"
	"portico/server/tracing/otlp"
)

// startTracing sends traces to the collector of PORTICO_OTLP. Without one, the tracer is nil and nothing is recorded.
// stop sends what still waits.
func startTracing(
	ctx context.Context, c config.Config, log *slog.Logger, m *server.Metrics,
) (tracer *tracing.Tracer, stop func()) {
	if c.Tracing.Collector == nil {
		return nil, func() {}
	}
	environment := "dev"
	if c.Production {
		environment = "production"
	}
	ctx = context.WithoutCancel(ctx) // the last requests are sent while the program stops
	exporter := otlp.New(otlp.Options{
		Address: c.Tracing.Collector, Ratio: c.Tracing.Ratio, Version: readBuild().version,
		Environment: cmp.Or(c.Environment, environment), Log: log,
	})
	m.WatchTraces(
		func() int64 { return exporter.Counts().Sent }, func() int64 { return exporter.Counts().Failed },
		func() int64 { return exporter.Counts().Dropped },
	)
	return exporter.Tracer, func() { exporter.Close(ctx) }
}

// traceJob runs a job in a span of its own.
func traceJob(ctx context.Context, tracer *tracing.Tracer, name string, job func(context.Context) error) error {
	ctx, span := tracer.Job(ctx, name)
	err := job(ctx)
	if err != nil {
		span.End("error")
	} else {
		span.End("")
	}
	return err
}
