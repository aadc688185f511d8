// Package pool keeps connections to Postgres, and opens the connection that writes to SQLite. It limits how many
// statements and transactions run or wait at the same time, reports how they end, and reads from a copy of the
// database.
package pool

import (
	"context"
	"database/sql/driver"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// Limits say how many connections a pool keeps.
type Limits struct {
	Max  int           // open at the same time
	Idle int           // kept open while nothing uses them
	Age  time.Duration // after which a connection is replaced, so that connections move to a new node
}

// Max, Idle and Age are the limits of Default.
const (
	Max  = 16
	Idle = 8
	Age  = 30 * time.Minute
)

// Default are the limits of a pool for which nobody chose others.
var Default = Limits{Max: Max, Idle: Idle, Age: Age}

const (
	// CancelTime is how long the server has to cancel a statement whose time is over. A connection whose server does
	// not answer by then is given up.
	CancelTime = 500 * time.Millisecond
	// reconnectRest is the shortest time between two reconnects.
	reconnectRest = time.Second
	// idleTime is how long a connection that nothing uses stays open.
	idleTime = 5 * time.Minute
)

// Settings are how connections to a server are made.
type Settings struct{ config *pgx.ConnConfig }

// Parse reads the address of a server, postgres://…, and connects to no server. Statements get no names on the server,
// unless the address says default_query_exec_mode, so the connections may lead through a pooler like PgBouncer.
func Parse(address string) (Settings, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return Settings{}, err
	}
	config.BuildContextWatcherHandler = cancelOnServer
	if !strings.Contains(address, "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return Settings{config}, nil
}

// ParseAndAsk does what Parse does, and asks the server whether a pooler is in between. If there is none, statements
// are prepared with names, which is faster.
func ParseAndAsk(ctx context.Context, address string) (Settings, error) {
	s, err := Parse(address)
	if err != nil {
		return s, err
	}
	pooled, err := behindPooler(ctx, s.config)
	if !pooled && !strings.Contains(address, "default_query_exec_mode") {
		s.config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	}
	return s, err
}

// cancelOnServer cancels a statement on the server too when its context ends. Otherwise the server would keep waiting
// for a lock although nobody waits for the answer.
func cancelOnServer(conn *pgconn.PgConn) ctxwatch.Handler {
	return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: CancelTime}
}

// behindPooler says whether a pooler like PgBouncer is between the program and Postgres. A pooler shares the
// server's connections among its clients, so a client cannot rely on statements that it prepared. Postgres gives a new
// client the number of the process that serves it; a pooler gives another number.
func behindPooler(ctx context.Context, config *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var process uint32
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&process)
	return process != conn.PgConn().PID(), err
}

// Renewal replaces the connections of pools. The zero value is ready to use.
type Renewal struct {
	// connections opened before this moment (Unix nanoseconds) are replaced
	after atomic.Int64
}

// Reconnect makes the pools replace each connection that they have now before its next use. A new connection may lead
// to another server. It does so once in reconnectRest at most.
func (r *Renewal) Reconnect() {
	now, last := time.Now(), r.after.Load()
	if now.Sub(time.Unix(0, last)) >= reconnectRest {
		r.after.CompareAndSwap(last, now.UnixNano())
	}
}

// openedAt is the key under which a connection keeps the moment at which it was opened.
const openedAt = "opened at"

// Open returns a pool of connections, which are replaced when renewal says so. It connects to no server yet.
func Open(s Settings, limits Limits, renewal *Renewal) *sqlx.DB {
	noteOpened := func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[openedAt] = time.Now().UnixNano()
		return nil
	}
	refuseOlder := func(_ context.Context, conn *pgx.Conn) error {
		if opened, _ := conn.PgConn().CustomData()[openedAt].(int64); opened < renewal.after.Load() {
			return driver.ErrBadConn
		}
		return nil
	}
	opened := stdlib.OpenDB(*s.config, stdlib.OptionAfterConnect(noteOpened), stdlib.OptionResetSession(refuseOlder))
	opened.SetMaxOpenConns(limits.Max)
	opened.SetMaxIdleConns(limits.Idle)
	opened.SetConnMaxLifetime(limits.Age)
	opened.SetConnMaxIdleTime(idleTime)
	return sqlx.NewDb(opened, "pgx")
}
