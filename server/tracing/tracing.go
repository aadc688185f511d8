// Package tracing records spans: what a request or a job did, and how long each part took. Where nothing is recorded,
// it does nothing and allocates nothing.
//
// A span may hold names from the source, patterns of routes, numbers and classes of errors. It never holds what a
// caller sent, an id of a person, or the text of an error, which can quote a value.
package tracing

import (
	"context"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

const scope = "portico"

// Span is one recorded piece of work. The zero Span records nothing.
type Span struct{ span trace.Span }

// IsRecorded says whether work with this context belongs to a recorded request or job.
func IsRecorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Start begins a span within that of ctx. It returns ctx and the zero Span when ctx has none that is recorded. The
// caller must call End.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// StartCall is Start for a request to another server or the database.
func StartCall(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindClient)
}

func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// IsZero says whether the span records nothing.
func (s Span) IsZero() bool { return s.span == nil }

// SetString adds a value to the span.
func (s Span) SetString(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// SetInt adds a number to the span.
func (s Span) SetInt(key string, value int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// SetName replaces the span's name.
func (s Span) SetName(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// End ends the span. failure is the class of an error, one of few; "" for success.
func (s Span) End(failure string) {
	if s.span == nil {
		return
	}
	if failure != "" {
		s.span.SetAttributes(attribute.String("error.type", failure))
		s.span.SetStatus(codes.Error, failure)
	}
	s.span.End()
}

// Carry returns a context that has the span of from, and nothing else of it.
func Carry(ctx, from context.Context) context.Context {
	if span := trace.SpanFromContext(from); span.SpanContext().IsValid() {
		return trace.ContextWithSpan(ctx, span)
	}
	return ctx
}

// IDs returns the ids of the recorded trace and span that ctx belongs to, in hex. They are "" when nothing is recorded,
// so that every id in the log can be found.
func IDs(ctx context.Context) (traceID, spanID string) {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsSampled() {
		return "", ""
	}
	return s.TraceID().String(), s.SpanID().String()
}

// Header is the name of the header of W3C Trace Context that names a trace and a span.
const Header = "Traceparent"

// HeaderOf returns the value of Header for a request within the span of ctx, "" when nothing is recorded.
func HeaderOf(ctx context.Context) string {
	traceID, spanID := IDs(ctx)
	if traceID == "" {
		return ""
	}
	return "00-" + traceID + "-" + spanID + "-01"
}

// parse reads the value of Header. ok is false when it is malformed. It reads version 00, and of later versions the
// fields that version 00 has, as W3C Trace Context demands.
func parse(value string) (parent trace.SpanContext, ok bool) {
	const version, traceAt, spanAt, flagsAt, length = 0, 3, 36, 53, 55
	if len(value) < length || value[2] != '-' || value[traceAt+32] != '-' || value[spanAt+16] != '-' {
		return parent, false
	}
	of, okVersion := lowerHex(value[version:2])
	traceID, okTrace := lowerHex(value[traceAt : traceAt+32])
	spanID, okSpan := lowerHex(value[spanAt : spanAt+16])
	flags, okFlags := lowerHex(value[flagsAt:length])
	isLonger := len(value) > length
	switch {
	case !okVersion || !okTrace || !okSpan || !okFlags || of[0] == 0xff:
		return parent, false
	case isLonger && (of[0] == 0 || value[length] != '-'):
		return parent, false
	}
	parent = trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(traceID), SpanID: trace.SpanID(spanID),
		TraceFlags: trace.TraceFlags(flags[0]) & trace.FlagsSampled, Remote: true,
	})
	return parent, parent.IsValid()
}

func lowerHex(text string) ([]byte, bool) {
	for _, c := range text {
		if c >= 'A' && c <= 'F' {
			return nil, false
		}
	}
	raw, err := hex.DecodeString(text)
	return raw, err == nil
}
