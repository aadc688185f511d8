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
)

const (
	requestTime = 3 * time.Second  // for one request, including reading its answer
	maxAnswer   = 64 << 10         // bytes of an answer
	idleTime    = 20 * time.Second // how long an unused connection stays open
	idleKept    = 4                // unused connections to one provider
)

// newClient returns an HTTP client for one provider. It follows no redirect, so that no other server reads a signed
// request. It speaks HTTP/1 only: the transport would repeat some requests of HTTP/2 that it had begun to send.
func newClient() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Timeout:       requestTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			Protocols:              protocols,
			DisableCompression:     true,
			IdleConnTimeout:        idleTime,
			MaxIdleConnsPerHost:    idleKept,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}
}

// answer is a provider's answer. A body that is too long is cut off, so that it no longer parses.
type answer struct {
	status int
	body   []byte
}

// ask sends a request and reads the answer. Failure.Unsure says whether the provider may have read the request. Without
// a connection it has not.
func ask(client *http.Client, provider string, r *http.Request) (answer, *Failure) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	r.Header.Set("User-Agent", "portico")
	resp, err := client.Do(r)
	if err != nil {
		return answer{}, noAnswer(provider, err, connected.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, noAnswer(provider, err, true)
	}
	return answer{resp.StatusCode, body}, nil
}

// noAnswer returns the failure of a request without an answer. It does not wrap the error, which contains the URL.
func noAnswer(provider string, err error, connected bool) *Failure {
	f := &Failure{Provider: provider, Kind: Temporary, Code: codeUnreachable, Unsure: connected}
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

// broken returns the failure of an answer that cannot be parsed.
func broken(provider string) *Failure {
	return &Failure{Provider: provider, Code: codeBroken, Kind: Temporary, Unsure: true}
}

func refused(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: Refused}
}

func badPhone(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: BadPhone}
}

// withSlash adds the path "/" to a URL without a path. That is the path that is requested and signed.
func withSlash(address string) string {
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
