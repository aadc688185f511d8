package storetest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Line is a TCP proxy in front of a Postgres server that can delay, cut and reset connections like a bad network.
type Line struct {
	listener net.Listener
	network  string // of the server's address: tcp or unix
	server   string
	ended    context.Context

	silent  atomic.Bool
	delay   atomic.Int64 // of each answer, in nanoseconds
	uncut   atomic.Int64 // counts down to the answer that is cut; 0 or less: none is
	refused atomic.Bool

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// NewLine starts a Line in front of the server of a database. It returns the Line and the URL of the database through
// it.
func NewLine(t testing.TB, address string) (line *Line, over string) {
	t.Helper()
	to, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	line = &Line{listener: listener, ended: ctx, conns: map[net.Conn]bool{}}
	line.network, line.server = pgconn.NetworkAddress(to.Host, to.Port)
	t.Cleanup(func() { end(); _ = listener.Close(); line.closeAll() })
	go line.serve()
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(to.User, to.Password), Host: listener.Addr().String(),
		Path: to.Database, RawQuery: "sslmode=disable",
	}
	return line, through.String()
}

// Silence makes the line hold back all bytes. When it is turned off, the line passes them on.
func (l *Line) Silence(on bool) { l.silent.Store(on) }

// Delay delays each answer of the server.
func (l *Line) Delay(d time.Duration) { l.delay.Store(int64(d)) }

// CutAnswer makes the line close a connection in the middle of one of the server's answers: the next one when after is
// 0. A negative number ends that.
func (l *Line) CutAnswer(after int) { l.uncut.Store(int64(after) + 1) }

// Reset closes every connection, and refuses new ones while it is on.
func (l *Line) Reset(on bool) {
	l.refused.Store(on)
	if on {
		l.closeAll()
	}
}

func (l *Line) serve() {
	for {
		from, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(l.network, l.server)
		if err != nil || l.refused.Load() {
			_ = from.Close()
			continue
		}
		l.mu.Lock()
		l.conns[from] = true
		l.mu.Unlock()
		go l.pass(from, server, false)
		go l.pass(server, from, true)
	}
}

func (l *Line) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // the other end sees a reset
		}
		_ = conn.Close()
	}
	clear(l.conns)
}

func (l *Line) pass(from, to net.Conn, answers bool) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for l.silent.Load() {
			if !l.sleep(10 * time.Millisecond) {
				return
			}
		}
		if answers && n > 0 {
			if l.uncut.Load() > 0 && l.uncut.Add(-1) == 0 {
				_, _ = to.Write(buffer[:n/2])
				return
			}
			if !l.sleep(time.Duration(l.delay.Load())) {
				return
			}
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// sleep waits. It returns false when the test ends first.
func (l *Line) sleep(d time.Duration) bool {
	select {
	case <-l.ended.Done():
		return false
	case <-time.After(d):
		return true
	}
}
