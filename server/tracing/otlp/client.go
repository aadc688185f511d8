package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	firstPause = time.Second // before a batch is sent again; doubles each time
	maxAnswer  = 4 << 10     // bytes of an answer that are read, so that the connection can be used again
)

// client sends batches of spans as OTLP over HTTP in protobuf. OpenTelemetry's own exporter contains gRPC, which would
// double the size of the program.
type client struct {
	http    *http.Client
	address string
	pause   time.Duration
}

func newClient(address *url.URL) *client {
	to := *address
	if strings.Trim(to.Path, "/") == "" {
		to.Path = "/v1/traces"
	}
	return &client{
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 1,
			},
		},
		address: to.String(), pause: firstPause,
	}
}

// ExportSpans sends one batch. It sends the batch again after an error that may pass, until ctx ends.
func (c *client) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body, err := encode(spans)
	if err != nil {
		return err
	}
	for pause := c.pause; ; pause *= 2 {
		mayPass, err := c.post(ctx, body)
		if err == nil || !mayPass {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// post sends a batch once. mayPass says whether the same batch may be accepted later.
func (c *client) post(ctx context.Context, body []byte) (mayPass bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("User-Agent", "portico")
	resp, err := c.http.Do(r)
	if err != nil {
		return ctx.Err() == nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		mayPass = true
	}
	return mayPass, fmt.Errorf("the collector answered with status %d", resp.StatusCode)
}

// Shutdown closes the connections.
func (c *client) Shutdown(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// encode returns the compressed message of a batch. All spans have the resource and scope of this program.
func encode(spans []trace.ReadOnlySpan) ([]byte, error) {
	list := make([]*tracepb.Span, len(spans))
	for i, s := range spans {
		list[i] = spanMessage(s)
	}
	raw, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: keyValues(spans[0].Resource().Attributes())},
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{Name: spans[0].InstrumentationScope().Name}, Spans: list,
		}},
	}}})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(raw); err != nil {
		return nil, err
	}
	err = zip.Close()
	return out.Bytes(), err
}

func spanMessage(s trace.ReadOnlySpan) *tracepb.Span {
	traceID, spanID := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	m := &tracepb.Span{
		TraceId: traceID[:], SpanId: spanID[:], Name: s.Name(), Kind: tracepb.Span_SpanKind(s.SpanKind()),
		StartTimeUnixNano: uint64(s.StartTime().UnixNano()), EndTimeUnixNano: uint64(s.EndTime().UnixNano()),
		Attributes: keyValues(s.Attributes()), DroppedAttributesCount: uint32(s.DroppedAttributes()),
		Flags: uint32(s.SpanContext().TraceFlags()),
	}
	if s.Parent().IsValid() {
		parent := s.Parent().SpanID()
		m.ParentSpanId = parent[:]
	}
	if s.Status().Code == codes.Error {
		m.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: s.Status().Description}
	}
	return m
}

func keyValues(all []attribute.KeyValue) []*commonpb.KeyValue {
	list := make([]*commonpb.KeyValue, len(all))
	for i, kv := range all {
		value := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: kv.Value.String()}}
		if kv.Value.Type() == attribute.INT64 {
			value.Value = &commonpb.AnyValue_IntValue{IntValue: kv.Value.AsInt64()}
		}
		list[i] = &commonpb.KeyValue{Key: string(kv.Key), Value: value}
	}
	return list
}
