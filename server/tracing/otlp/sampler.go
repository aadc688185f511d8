package otlp

import (
	"sync"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// MaxForced is how many requests a second are recorded because their traceparent says so. A proxy that passes on the
// headers of strangers must not let them decide how much is recorded; further requests are recorded by the ratio.
const MaxForced = 50

// sampler decides what is recorded: within a recorded span everything, of requests whose caller records them up to
// MaxForced a second, and of the rest the ratio.
type sampler struct {
	ratio trace.Sampler
	now   func() time.Time

	mu     sync.Mutex
	second int64
	forced int
}

func newSampler(ratio float64, now func() time.Time) *sampler {
	return &sampler{ratio: trace.TraceIDRatioBased(ratio), now: now}
}

// ShouldSample decides about one span.
func (s *sampler) ShouldSample(p trace.SamplingParameters) trace.SamplingResult {
	parent := oteltrace.SpanContextFromContext(p.ParentContext)
	isLocal := parent.IsValid() && !parent.IsRemote()
	switch {
	case isLocal && !parent.IsSampled(), parent.IsRemote() && !parent.IsSampled():
		return trace.SamplingResult{Decision: trace.Drop}
	case isLocal, parent.IsRemote() && s.mayForce():
		return trace.SamplingResult{Decision: trace.RecordAndSample}
	}
	result := s.ratio.ShouldSample(p)
	result.Tracestate = oteltrace.TraceState{}
	return result
}

// mayForce counts a request whose caller records it.
func (s *sampler) mayForce() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := s.now().Unix(); second != s.second {
		s.second, s.forced = second, 0
	}
	s.forced++
	return s.forced <= MaxForced
}

// Description names the sampler.
func (*sampler) Description() string { return "portico" }
