package storetest

import (
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"portico/store"
)

// Wire is a proxy between the program and Postgres that counts what passes, of all connections together: measure one
// operation at a time.
type Wire struct {
	mu   sync.Mutex
	work Work
}

// Work is what operations cost.
type Work struct {
	RoundTrips int // how often the program waited for the database
	Commits    int // of transactions that changed something, and of single statements that did
	Rows       int // inserted, updated and deleted

	Changed []string // the commands that changed rows, like "INSERT 0 1"
	changes bool     // in the transaction that is open
}

// Watched opens a Postgres database, as Postgres does, through a Wire.
func Watched(t testing.TB) (*store.DB, *Wire) {
	t.Helper()
	config, err := pgconn.ParseConfig(PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	wire := new(Wire)
	go wire.serve(listener, config)
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	return open(t, address.String()), wire
}

func (w *Wire) serve(listener net.Listener, config *pgconn.Config) {
	for {
		program, err := listener.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(config.Host, config.Port)
		server, err := net.Dial(network, address)
		if err != nil {
			_ = program.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(server, program)
			_ = server.Close()
		}()
		go w.count(program, server)
	}
}

// count passes the server's messages to the program. Each is counted first: what the program has received is counted.
func (w *Wire) count(program, server net.Conn) {
	defer func() { _ = program.Close() }()
	messages := pgproto3.NewFrontend(server, nil)
	for {
		message, err := messages.Receive()
		if err != nil {
			return
		}
		w.countMessage(message)
		content, err := message.Encode(nil)
		if err != nil {
			return
		}
		if _, err := program.Write(content); err != nil {
			return
		}
	}
}

func (w *Wire) countMessage(message pgproto3.BackendMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch m := message.(type) {
	case *pgproto3.ReadyForQuery:
		w.work.RoundTrips++
		if m.TxStatus == 'I' && w.work.changes {
			w.work.Commits++
		}
		w.work.changes = w.work.changes && m.TxStatus != 'I'
	case *pgproto3.CommandComplete:
		w.work.command(string(m.CommandTag))
	}
}

// command counts a command by its tag: "INSERT 0 1", "UPDATE 2", "ROLLBACK".
func (w *Work) command(tag string) {
	fields := strings.Fields(tag)
	switch fields[0] {
	case "ROLLBACK":
		w.changes = false
	case "INSERT", "UPDATE", "DELETE":
		if rows, err := strconv.Atoi(fields[len(fields)-1]); err == nil && rows > 0 {
			w.Rows += rows
			w.changes = true
			w.Changed = append(w.Changed, tag)
		}
	}
}

// Measure returns what an operation costs.
func (w *Wire) Measure(operation func()) Work {
	w.take()
	operation()
	return w.take()
}

func (w *Wire) take() Work {
	w.mu.Lock()
	defer w.mu.Unlock()
	work := w.work
	w.work = Work{}
	return work
}
