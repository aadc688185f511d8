package tracing

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// Tracer begins the spans of requests and jobs. A nil Tracer begins none.
type Tracer struct{ tracer trace.Tracer }

// NewTracer returns a Tracer whose spans go to provider.
func NewTracer(provider trace.TracerProvider) *Tracer { return &Tracer{provider.Tracer(scope)} }

// Request begins the span of a request. traceparent is the header of the caller, "" for none. It must come from a proxy
// that is trusted, because it decides what is recorded.
func (t *Tracer) Request(ctx context.Context, traceparent string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	if parent, ok := parse(traceparent); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	return t.root(ctx, "request", trace.SpanKindServer)
}

// Job begins the span of work that no request asked for, like a sweep.
func (t *Tracer) Job(ctx context.Context, name string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	return t.root(ctx, name, trace.SpanKindInternal)
}

// root begins a span. One that is not recorded does not reach the context, so that nothing is spent on its parts.
func (t *Tracer) root(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	began, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
	if !span.IsRecording() {
		return ctx, Span{}
	}
	return began, Span{span}
}
