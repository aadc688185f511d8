package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"portico/e2e/testscope"
	"portico/server/tracing"
)

// collector is a collector of OpenTelemetry that keeps the spans that it gets.
type collector struct {
	*httptest.Server
	status chan int // answers before the next ones, which are 200

	mu      sync.Mutex
	spans   []*tracepb.Span
	largest int // number of spans in one request
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{status: make(chan int, 100)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case status := <-c.status:
		w.WriteHeader(status)
		return
	default:
	}
	if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	zip, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	raw, _ := io.ReadAll(zip)
	var message tracepb.TracesData
	if err := proto.Unmarshal(raw, &message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.spans)
	for _, resource := range message.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	c.largest = max(c.largest, len(c.spans)-before)
}

func (c *collector) received() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spans
}

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newExporter(t *testing.T, address string, ratio float64) (*Exporter, *lines) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	log := new(lines)
	return New(Options{
		Address: u, Ratio: ratio, Version: "v1", Environment: "test", Log: slog.New(slog.NewJSONHandler(log, nil)),
	}), log
}

func TestCollectorGetsSpansWithTheirParents(t *testing.T) {
	c := newCollector(t)
	e, _ := newExporter(t, c.URL, 1)
	ctx, job := e.Tracer.Job(t.Context(), "sweep")
	_, part := tracing.StartCall(ctx, "Codes.Forget")
	part.SetInt("rows", 7)
	part.End("timeout")
	job.End("")
	e.Close(t.Context())
	spans := c.received()
	if len(spans) != 2 || spans[0].GetName() != "Codes.Forget" || spans[1].GetName() != "sweep" {
		t.Fatalf("%v", spans)
	}
	child, parent := spans[0], spans[1]
	if !bytes.Equal(child.GetParentSpanId(), parent.GetSpanId()) || len(parent.GetParentSpanId()) != 0 ||
		!bytes.Equal(child.GetTraceId(), parent.GetTraceId()) {
		t.Errorf("%v is not within %v", child, parent)
	}
	if child.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || child.GetStatus().GetMessage() != "timeout" ||
		child.GetAttributes()[0].GetValue().GetIntValue() != 7 || parent.GetStatus().GetCode() != 0 {
		t.Errorf("%v", spans)
	}
	if got := e.Counts(); got != (Counts{Sent: 2}) {
		t.Errorf("%+v", got)
	}
}

func TestBatchIsSentAgainWhenTheCollectorIsBusy(t *testing.T) {
	c := newCollector(t)
	c.status <- http.StatusServiceUnavailable
	c.status <- http.StatusTooManyRequests
	sender := newClient(mustParse(t, c.URL))
	sender.pause = time.Millisecond
	spans := tracetest.SpanStubs{{Name: "job"}}.Snapshots()
	if err := sender.ExportSpans(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	if len(c.status) != 0 {
		t.Errorf("%d answers are left", len(c.status))
	}
	c.status <- http.StatusBadRequest
	c.status <- http.StatusOK
	if err := sender.ExportSpans(t.Context(), spans); err == nil || len(c.status) != 1 {
		t.Errorf("a batch that the collector refuses was sent again: %v", err)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNothingWaitsForACollectorThatDoesNotAnswer(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{}, 1)
	c := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	defer c.Close()
	defer close(hold)
	e, _ := newExporter(t, c.URL, 1)
	const spans = 10_000
	var slowest time.Duration
	for range spans {
		began := time.Now()
		_, span := e.Tracer.Job(t.Context(), "job")
		span.End("")
		slowest = max(slowest, time.Since(began))
	}
	<-asked
	if waiting := e.waiting.Load(); waiting > 2048 {
		t.Errorf("%d spans wait", waiting)
	}
	if got := e.Counts(); got.Dropped != spans-2048 || got.Sent != 0 {
		t.Errorf("%+v", got)
	}
	if slowest > time.Second {
		t.Errorf("a span took %v", slowest)
	}
	began := time.Now()
	e.Close(t.Context())
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("stopping took %v", took)
	}
}

// brokenCollector ends every connection without an answer, and counts them.
func brokenCollector(t *testing.T) (address string, asked *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	asked = new(atomic.Int64)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String(), asked
}

func TestSpanIsSentAfterTwoSecondsAndGivenUpAfterTenMore(t *testing.T) {
	address, asked := brokenCollector(t)
	synctest.Test(t, func(t *testing.T) {
		e, _ := newExporter(t, address, 1)
		began := time.Now()
		_, span := e.Tracer.Job(t.Context(), "job")
		span.End("")
		for _, c := range []struct {
			after         time.Duration
			asked, failed int64
		}{
			{2*time.Second - time.Millisecond, 0, 0}, {2*time.Second + time.Millisecond, 1, 0},
			{3*time.Second + time.Millisecond, 2, 0}, // the first pause is one second
			{12*time.Second - time.Millisecond, 4, 0}, {12*time.Second + time.Millisecond, 4, 1},
		} {
			time.Sleep(time.Until(began.Add(c.after)))
			if got := e.Counts(); asked.Load() != c.asked || got.Failed != c.failed {
				t.Errorf("after %s: asked %d times, %+v", c.after, asked.Load(), got)
			}
		}
		e.Close(t.Context())
	})
}

func TestStoppingWaitsTwoSecondsForTheCollector(t *testing.T) {
	address, _ := brokenCollector(t)
	synctest.Test(t, func(t *testing.T) {
		e, _ := newExporter(t, address, 1)
		_, span := e.Tracer.Job(t.Context(), "job")
		span.End("")
		began := time.Now()
		e.Close(t.Context())
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("stopping took %s", took)
		}
		time.Sleep(time.Minute) // until the batch is given up
	})
}

func TestRequestsAndSpansHaveALargestSize(t *testing.T) {
	c := newCollector(t)
	e, _ := newExporter(t, c.URL, 1)
	for range 1600 {
		_, job := e.Tracer.Job(t.Context(), "job")
		job.End("")
	}
	_, large := e.Tracer.Job(t.Context(), "large")
	large.SetString("long", strings.Repeat("a", 129))
	for i := range 15 {
		large.SetString(strconv.Itoa(i), strings.Repeat("a", 128))
	}
	large.SetString("one too many", "a")
	large.End("")
	e.Close(t.Context())
	spans := c.received()
	if len(spans) != 1601 || c.largest != 512 {
		t.Fatalf("%d spans, at most %d in a request", len(spans), c.largest)
	}
	attributes := spans[1600].GetAttributes()
	if len(attributes) != 16 || spans[1600].GetDroppedAttributesCount() != 1 {
		t.Errorf("%d attributes, %d dropped", len(attributes), spans[1600].GetDroppedAttributesCount())
	}
	for _, a := range attributes {
		if n := len(a.GetValue().GetStringValue()); n != 128 {
			t.Errorf("%s has %d bytes", a.GetKey(), n)
		}
	}
}

// endless is an answer without end. It counts the bytes that were read of it.
type endless struct{ read int }

func (e *endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(e)}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestAnswerOfTheCollectorIsReadUpTo4KB(t *testing.T) {
	answer := new(endless)
	sender := newClient(mustParse(t, "http://127.0.0.1:1"))
	sender.http.Transport = answer
	if err := sender.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "job"}}.Snapshots()); err != nil {
		t.Fatal(err)
	}
	if answer.read != 4096 {
		t.Errorf("%d bytes were read", answer.read)
	}
}

func TestCollectorThatIsAwayIsLoggedOnce(t *testing.T) {
	log := new(lines)
	e := new(Exporter)
	sender := &failing{}
	c := &counting{SpanExporter: sender, exporter: e, log: slog.New(slog.NewJSONHandler(log, nil))}
	for _, err := range []error{errAway, errAway, errAway, nil, nil, errAway} {
		sender.err = err
		if got := c.ExportSpans(t.Context(), nil); got != nil {
			t.Errorf("the SDK would log %v", got)
		}
	}
	if n := strings.Count(log.String(), `"traces not sent"`); n != 2 {
		t.Errorf("%d lines:\n%s", n, log)
	}
	if n := strings.Count(log.String(), `"traces sent again"`); n != 1 {
		t.Errorf("%d lines:\n%s", n, log)
	}
}

func TestRatioDecidesWhatIsRecorded(t *testing.T) {
	for ratio, want := range map[float64][2]int{0: {0, 0}, 0.5: {350, 650}, 1: {1000, 1000}} {
		e, _ := newExporter(t, "http://127.0.0.1:1", ratio)
		recorded := 0
		for range 1000 {
			if ctx, _ := e.Tracer.Request(t.Context(), ""); tracing.IsRecorded(ctx) {
				recorded++
			}
		}
		if recorded < want[0] || recorded > want[1] {
			t.Errorf("with %v, %d of 1000 requests are recorded", ratio, recorded)
		}
	}
}

func TestTraceparentDecidesForSomeRequestsOnly(t *testing.T) {
	e, _ := newExporter(t, "http://127.0.0.1:1", 0)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0"
	ctx, _ := e.Tracer.Request(t.Context(), parent+"1")
	if traceID, _ := tracing.IDs(ctx); traceID != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("the trace is %q", traceID)
	}
	if ctx, _ := e.Tracer.Request(t.Context(), parent+"0"); tracing.IsRecorded(ctx) {
		t.Error("a request is recorded although its caller does not record it")
	}
	now := time.Unix(1000, 0)
	s := newSampler(0, func() time.Time { return now })
	forced := func() (n int) {
		for range 100 {
			if s.mayForce() {
				n++
			}
		}
		return n
	}
	if n := forced(); n != 50 {
		t.Errorf("%d requests in a second are recorded because their caller says so", n)
	}
	now = now.Add(time.Second)
	if n := forced(); n != 50 {
		t.Errorf("%d in the next second", n)
	}
}

func TestMalformedTraceparentIsIgnored(t *testing.T) {
	e, _ := newExporter(t, "http://127.0.0.1:1", 1)
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	for _, bad := range []string{
		"", good[:54], good + "-x", "ff" + good[2:], strings.ToUpper(good), strings.ReplaceAll(good, "-", "_"),
		"00-00000000000000000000000000000000-b7ad6b7169203331-00",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-00",
	} {
		// It says that nothing is to be recorded. When it is ignored, the ratio decides: everything is.
		if ctx, _ := e.Tracer.Request(t.Context(), bad); !tracing.IsRecorded(ctx) {
			t.Errorf("%q is believed", bad)
		}
	}
	if ctx, _ := e.Tracer.Request(t.Context(), "01"+good[2:]+"-more"); tracing.IsRecorded(ctx) {
		t.Error("a later version is not read")
	}
}

func TestWithoutATracerNothingIsAllocated(t *testing.T) {
	ctx := t.Context()
	var none *tracing.Tracer
	if n := testing.AllocsPerRun(100, func() {
		ctx, request := none.Request(ctx, "")
		_, span := tracing.Start(ctx, "part")
		span.SetInt("a", 1)
		span.SetString("b", "c")
		span.End("")
		request.End("")
		_ = tracing.HeaderOf(ctx)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var errAway = errors.New("connection refused")

type failing struct {
	client
	err error
}

func (f *failing) ExportSpans(context.Context, []trace.ReadOnlySpan) error { return f.err }

func TestRequestsOfStrangersAreCountedTogether(t *testing.T) {
	now := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	s := newSampler(0, func() time.Time { return now })
	var forced atomic.Int64
	testscope.Together(8, 100, func(int, int) {
		if s.mayForce() {
			forced.Add(1)
		}
	})
	if n := forced.Load(); n != 50 {
		t.Errorf("%d requests of a second are recorded because they ask for it", n)
	}
}

func TestBatchesAreSentAtTheSameTime(t *testing.T) {
	log := new(lines)
	c := &counting{
		SpanExporter: &failing{err: errAway}, exporter: new(Exporter), log: slog.New(slog.NewJSONHandler(log, nil)),
	}
	testscope.Together(8, 100, func(int, int) {
		if err := c.ExportSpans(t.Context(), nil); err != nil {
			t.Errorf("the SDK would log %v", err)
		}
	})
	if n := strings.Count(log.String(), `"traces not sent"`); n != 1 {
		t.Errorf("%d lines:\n%s", n, log)
	}
}
