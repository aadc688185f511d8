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
	requestTime = 3 * time.Second // for one request, its answer read
	maxAnswer   = 64 << 10        // bytes of an answer
	idleTime    = 20 * time.Second
	idleKept    = 4
)

// newClient returns a client of one provider. It follows no redirect: a signed request goes to the address it
// was signed for, and nobody else reads it. HTTP/1 only: a request is never repeated by the transport once it
// was begun.
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

// answer is what a provider said. Of a body that is too long only the beginning is kept, which no longer parses.
type answer struct {
	status int
	body   []byte
}

// ask sends the request and reads the answer. A failure says whether the provider may have read the request:
// surely not when there was no connection to write to.
func ask(client *http.Client, provider string, r *http.Request) (answer, *Failure) {
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	r.Header.Set("User-Agent", "portico")
	resp, err := client.Do(r)
	if err != nil {
		return answer{}, lost(provider, err, connected.Load())
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, lost(provider, err, true)
	}
	return answer{resp.StatusCode, body}, nil
}

// lost is the failure of a request that got no answer. The error itself is dropped: it holds the address.
func lost(provider string, err error, connected bool) *Failure {
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

// broken is the failure of an answer that cannot be understood.
func broken(provider string) *Failure {
	return &Failure{Provider: provider, Code: codeBroken, Kind: Temporary, Unsure: true}
}

func refused(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: Refused}
}

func badPhone(provider, code string) *Failure {
	return &Failure{Provider: provider, Code: code, Kind: BadPhone}
}

// withSlash gives an address without a path the path that is asked for and signed.
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
