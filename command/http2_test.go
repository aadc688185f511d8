package command

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/server"
)

// serve runs the server until the test ends, and returns its address.
func serve(t *testing.T, s *server.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// newHTTP2Client returns a client that uses only HTTP/2 without TLS.
func newHTTP2Client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: responseTimeout}
}

// behindProxy is the setting of a server with a proxy on this machine.
const behindProxy = "PORTICO_TRUSTED_PROXIES=127.0.0.0/8"

func TestProxyCanUseHTTP2WithoutTLS(t *testing.T) {
	s, written := testServer(t, behindProxy)
	address := serve(t, s)
	for client, major := range map[*http.Client]int{newHTTP2Client(t): 2, http.DefaultClient: 1} {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+"/login", nil)
		r.Host = "account.localhost:8080"
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		r.Header.Set("X-Request-Id", "of-the-proxy")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("HTTP/%d: %v", major, err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 || answer.ProtoMajor != major || !bytes.Contains(body, []byte("</html>")) {
			t.Errorf("HTTP/%d: %s %s", major, answer.Proto, answer.Status)
		}
		if answer.Header.Get("X-Request-Id") != "of-the-proxy" {
			t.Errorf("HTTP/%d: %v", major, answer.Header)
		}
	}
	// The server writes the line after it has sent the answer, so the client may have the answer first.
	named := func() int { return strings.Count(written.String(), `"address":"198.51.100.7"`) }
	for end := time.Now().Add(responseTimeout); named() < 2 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := named(); n != 2 {
		t.Errorf("%d lines have the caller's address: %s", n, written)
	}
}

func TestRequestSizeLimitsApplyToHTTP2(t *testing.T) {
	s, _ := testServer(t, behindProxy)
	address, client := serve(t, s), newHTTP2Client(t)
	send := func(host, path, kind string, bytes, header int) int {
		body := io.LimitReader(endlessBody{}, int64(bytes))
		r, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+path, body)
		r.Host = host
		r.Header.Set("Content-Type", kind)
		r.Header.Set("X-Filler", strings.Repeat("a", header))
		answer, err := client.Do(r)
		if err != nil {
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	const form, account = "application/x-www-form-urlencoded", "account.localhost:8080"
	if status := send(account, "/login", form, 1000, 0); status != 422 {
		t.Errorf("a small form: %d", status)
	}
	if status := send(account, "/login", form, 2<<20, 0); status != 413 {
		t.Errorf("a form of 2 MB: %d", status)
	}
	if status := send(account, "/login", form, 10, 64<<10); status != 431 && status != 0 {
		t.Errorf("a header of 64 KB: %d", status)
	}
}

// endlessBody is a body without an end.
type endlessBody struct{}

func (endlessBody) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'a'
	}
	return len(into), nil
}

func TestSignInLimitsApplyToHTTP2(t *testing.T) {
	s, _ := testServer(t, behindProxy)
	if err := s.Portal.Onboarding.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	address, client := serve(t, s), newHTTP2Client(t)
	var mu sync.Mutex
	var group sync.WaitGroup
	statuses := map[int]int{}
	for i := range 60 {
		group.Go(func() {
			form := url.Values{"phone": {"13800000001"}, "password": {"wrong" + strconv.Itoa(i)}}.Encode()
			r, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/login", strings.NewReader(form))
			r.Host = "account.localhost:8080"
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("X-Forwarded-For", "198.51.100.7")
			answer, err := client.Do(r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			_ = answer.Body.Close()
			statuses[answer.StatusCode]++
		})
	}
	group.Wait()
	wrong, limited, busy := statuses[422], statuses[429], statuses[503]
	if wrong == 0 || wrong > 10 || wrong+limited+busy != 60 {
		t.Errorf("%v", statuses)
	}
}
