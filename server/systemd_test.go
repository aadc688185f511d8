package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"
)

// listenAsSystemd receives what services tell systemd.
func listenAsSystemd(t *testing.T) *net.UnixConn {
	t.Helper()
	address := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", address)
	return conn
}

func wantState(t *testing.T, conn *net.UnixConn, want string) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	n, err := conn.Read(buffer)
	if got := string(buffer[:n]); err != nil || got != want {
		t.Fatalf("systemd got %q, %v; want %q", got, err, want)
	}
}

func TestSystemdIsToldWhenTheServerServesAndStops(t *testing.T) {
	systemd := listenAsSystemd(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Options: Options{Log: slog.New(slog.DiscardHandler)}, http: &http.Server{}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, listener) }()
	wantState(t, systemd, SystemdReady)
	stop()
	wantState(t, systemd, SystemdStopping)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestSystemdThatDoesNotAnswerIsAnError(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "absent"))
	if err := NotifySystemd(SystemdReady); err == nil {
		t.Error("no error")
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := NotifySystemd(SystemdReady); err != nil {
		t.Error(err)
	}
}
