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

// answerTime is how long a test waits for an answer.
const answerTime = 20 * time.Second

// behindProxy is the setting of a server with a proxy on this machine.
const behindProxy = "PORTICO_TRUSTED_PROXIES=127.0.0.0/8"

// listens runs the server until the test ends, and returns its address.
func listens(t *testing.T, s *Server) string {
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

// overHTTP2 is a client that speaks HTTP/2 without TLS and nothing else.
func overHTTP2(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: answerTime}
}

func TestWithoutAProxyThereIsNoHTTP2(t *testing.T) {
	for _, environ := range [][]string{nil, {"PORTICO_TRUSTED_PROXIES=none"}} {
		s, _ := testServer(t, http.HandlerFunc(noContent), environ...)
		answer, err := overHTTP2(t).Get("http://" + listens(t, s) + "/livez")
		if err == nil {
			_ = answer.Body.Close()
			t.Errorf("%v: %s %s", environ, answer.Proto, answer.Status)
		}
	}
}

// At most maxStreams requests of a connection run at once; the others wait in the client, or are refused.
func TestOneHTTP2ConnectionCannotTakeAllPlaces(t *testing.T) {
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
	conn, framer := rawHTTP2(t, listens(t, s))
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
	_ = conn.SetReadDeadline(time.Now().Add(answerTime))
	for refused < sent-100 {
		frame, err := framer.ReadFrame()
		if err != nil {
			break // the server has ended the connection
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

// rawHTTP2 opens a connection and sends the preface.
func rawHTTP2(t *testing.T, address string) (net.Conn, *http2.Framer) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, answerTime)
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

// The times are those of the server, shortened so that the test takes no half minute.
func TestSlowHTTP2CallersAreCutOff(t *testing.T) {
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
	address := listens(t, s)

	// The answer is larger than the window of a client that never reads it.
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+"/", nil)
	answer, err := overHTTP2(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	slow, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/", body)
	go func() { _, _ = writer.Write([]byte("a")) }() // and then nothing
	if late, err := overHTTP2(t).Do(slow); err == nil {
		_ = late.Body.Close()
	}
	for _, what := range []string{"answer", "body"} {
		for deadline := time.Now().Add(answerTime); ; time.Sleep(10 * time.Millisecond) {
			if err, ended := failed.Load(what); ended {
				if err == nil {
					t.Errorf("the slow %s was waited for", what)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the slow %s still runs", what)
			}
		}
	}

	// A connection on which nothing is asked ends.
	conn, framer := rawHTTP2(t, address)
	_ = conn.SetReadDeadline(time.Now().Add(answerTime))
	for {
		if _, err = framer.ReadFrame(); err != nil {
			break
		}
	}
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("an idle connection stays")
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
	client := overHTTP2(t)
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
