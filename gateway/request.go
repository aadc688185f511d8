package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"portico/server/tracing"
)

const (
	requestTimeout     = 3 * time.Second  // for one request, including reading its answer
	maxAnswer          = 64 << 10         // bytes of an answer
	idleTimeout        = 20 * time.Second // how long an unused connection stays open
	maxIdleConnections = 4                // unused connections to one provider
)

// newClient returns an HTTP client for one provider. It follows no redirect, so that no other server reads a signed
// request. It speaks HTTP/1 only: the transport would repeat some requests of HTTP/2 that it had begun to send.
func newClient() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			Protocols:              protocols,
			DisableCompression:     true,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConnsPerHost:    maxIdleConnections,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}
}

// answer is a provider's answer. A body that is too long is cut off, so that it no longer parses.
type answer struct {
	status int
	body   []byte
}

// doRequest sends a request and reads the answer. Without a connection, the provider cannot have read the request, so
// the failure's MayHaveSucceeded is false.
func doRequest(client *http.Client, provider string, r *http.Request) (answer, *Failure) {
	ctx, span := tracing.StartCall(r.Context(), provider)
	// The webhook is the operator's own program. The other providers are third parties: they learn no ids of ours.
	if header := tracing.HeaderOf(ctx); header != "" && provider == webhook {
		r.Header.Set(tracing.Header, header)
	}
	got, failed := exchange(client, provider, r.WithContext(ctx))
	span.SetInt("http.response.status_code", int64(got.status))
	if failed != nil {
		span.End(failed.Code)
	} else {
		span.End("")
	}
	return got, failed
}

func exchange(client *http.Client, provider string, r *http.Request) (answer, *Failure) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	r.Header.Set("User-Agent", "portico")
	resp, err := client.Do(r)
	if err != nil {
		return answer{}, failureWithoutAnswer(provider, err, connected.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, failureWithoutAnswer(provider, err, true)
	}
	return answer{resp.StatusCode, body}, nil
}

// failureWithoutAnswer returns the failure of a request without an answer. It does not wrap the error, which contains
// the URL.
func failureWithoutAnswer(provider string, err error, connected bool) *Failure {
	f := &Failure{Provider: provider, Kind: Temporary, Code: codeUnreachable, MayHaveSucceeded: connected}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		f.Code = codeCancelled
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Code = codeTimeout
	case connected:
		f.Code = codeLost
	}
	return f
}

// brokenAnswer returns the failure of an answer that cannot be parsed.
func brokenAnswer(provider string) *Failure {
	return &Failure{Provider: provider, Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}
}

func refused(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: Refused}
}

func badPhone(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: BadPhone}
}

// withRootPath adds the path "/" to a URL without a path. That is the path that is requested and signed.
func withRootPath(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok && !strings.Contains(rest, "/") {
		return address + "/"
	}
	return address
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func hmacSHA256(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)
}
