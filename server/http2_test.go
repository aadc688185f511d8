package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// responseTimeout is how long a test waits for a response.
const responseTimeout = 20 * time.Second

// behindProxy is the setting of a server with a proxy on this machine.
const behindProxy = "PORTICO_TRUSTED_PROXIES=127.0.0.0/8"

// serve runs the server until the test ends, and returns its address.
func serve(t *testing.T, s *Server) string {
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

func TestHTTP2IsOffWithoutTrustedProxy(t *testing.T) {
	for _, environ := range [][]string{nil, {"PORTICO_TRUSTED_PROXIES=none"}} {
		s, _ := testServer(t, http.HandlerFunc(noContent), environ...)
		answer, err := newHTTP2Client(t).Get("http://" + serve(t, s) + "/livez")
		if err == nil {
			_ = answer.Body.Close()
			t.Errorf("%v: %s %s", environ, answer.Proto, answer.Status)
		}
	}
}

// The tests connect from 127.0.0.1.
func TestHTTP2IsOnlyForTrustedProxies(t *testing.T) {
	s, _ := testServer(t, http.HandlerFunc(noContent), "PORTICO_TRUSTED_PROXIES=10.9.9.0/24")
	address := serve(t, s)
	if answer, err := newHTTP2Client(t).Get("http://" + address + "/livez"); err == nil {
		_ = answer.Body.Close()
		t.Errorf("from another address: %s %s", answer.Proto, answer.Status)
	}
	for _, method := range []string{"GET", "PRI", "PRIX", "POST"} { // what begins like HTTP/2 is HTTP/1
		r, err := http.NewRequest(method, "http://"+address+"/livez", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		_ = answer.Body.Close()
		if answer.ProtoMajor != 1 {
			t.Errorf("%s: %s", method, answer.Proto)
		}
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, b := range []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") { // one byte at a time
		if _, err := conn.Write([]byte{b}); err != nil {
			return // the server has closed the connection
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(responseTimeout))
	if n, err := conn.Read(make([]byte, 1)); n > 0 {
		t.Errorf("an answer to HTTP/2 in single bytes: %v", err)
	}
}

// At most 100 requests of a connection run at once; the others wait in the client, or are refused.
func TestStreamsPerHTTP2ConnectionAreLimited(t *testing.T) {
	var running, most atomic.Int64
	release := make(chan struct{})
	s, _ := testServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for n := running.Add(1); ; {
			if seen := most.Load(); n <= seen || most.CompareAndSwap(seen, n) {
				break
			}
		}
		<-release
		running.Add(-1)
	}), behindProxy)
	conn, framer := openHTTP2Connection(t, serve(t, s))
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	const sent = 150
	for i := range uint32(sent) {
		block.Reset()
		for _, f := range []hpack.HeaderField{
			{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "http"},
			{Name: ":authority", Value: "localhost"}, {Name: ":path", Value: "/"},
		} {
			_ = encoder.WriteField(f)
		}
		_ = framer.WriteHeaders(http2.HeadersFrameParam{
			StreamID: 2*i + 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true,
		})
	}
	refused := 0
	_ = conn.SetReadDeadline(time.Now().Add(responseTimeout))
	for refused < sent-100 {
		frame, err := framer.ReadFrame()
		if err != nil {
			break // the server has ended the connection
		}
		if settings, ok := frame.(*http2.SettingsFrame); ok && !settings.IsAck() {
			if most, _ := settings.Value(http2.SettingMaxConcurrentStreams); most != 100 {
				t.Errorf("clients are told that %d requests may run at once", most)
			}
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok && reset.ErrCode == http2.ErrCodeRefusedStream {
			refused++
		}
		if _, ok := frame.(*http2.GoAwayFrame); ok {
			break
		}
	}
	close(release)
	if n := most.Load(); n > 100 {
		t.Errorf("%d requests of one connection ran at once", n)
	}
}

// openHTTP2Connection opens a connection and sends the preface.
func openHTTP2Connection(t *testing.T, address string) (net.Conn, *http2.Framer) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, responseTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, http2.ClientPreface)
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return conn, framer
}

// The server's timeouts are shortened, so that the test is fast.
func TestSlowHTTP2ClientsAreDisconnected(t *testing.T) {
	var failed sync.Map
	s, _ := testServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			_, err := io.ReadAll(r.Body)
			failed.Store("body", err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		filler := bytes.Repeat([]byte("a"), 1<<16)
		for range 1000 {
			if _, err := w.Write(filler); err != nil {
				failed.Store("answer", err)
				return
			}
		}
		failed.Store("answer", nil)
	}), behindProxy)
	s.http.ReadTimeout, s.http.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond
	s.http.HTTP2.WriteByteTimeout, s.http.IdleTimeout = 500*time.Millisecond, 500*time.Millisecond
	address := serve(t, s)

	// The client does not read this response, which is larger than its window.
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+"/", nil)
	answer, err := newHTTP2Client(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	slow, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/", body)
	go func() { _, _ = writer.Write([]byte("a")) }() // and then nothing
	if late, err := newHTTP2Client(t).Do(slow); err == nil {
		_ = late.Body.Close()
	}
	for _, what := range []string{"answer", "body"} {
		for deadline := time.Now().Add(responseTimeout); ; time.Sleep(10 * time.Millisecond) {
			if err, ended := failed.Load(what); ended {
				if err == nil {
					t.Errorf("the server waited for the slow %s", what)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the request with the slow %s still runs", what)
			}
		}
	}

	// The server closes a connection without requests.
	conn, framer := openHTTP2Connection(t, address)
	_ = conn.SetReadDeadline(time.Now().Add(responseTimeout))
	for {
		if _, err = framer.ReadFrame(); err != nil {
			break
		}
	}
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("an idle connection was not closed")
	}
}

func TestRunningHTTP2RequestsFinishWhenTheServerStops(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	s, _ := testServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(started)
		<-finish
		_, _ = io.WriteString(w, "finished")
	}), behindProxy)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Run(ctx, listener) }()
	answered := make(chan string, 1)
	client := newHTTP2Client(t)
	go func() {
		answer, err := client.Get("http://" + listener.Addr().String() + "/")
		if err != nil {
			answered <- err.Error()
			return
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		answered <- string(body)
	}()
	<-started
	stop()
	close(finish)
	if got := <-answered; got != "finished" {
		t.Errorf("the running request got %q", got)
	}
	client.CloseIdleConnections()
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v", err)
	}
}
