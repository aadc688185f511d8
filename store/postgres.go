package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"portico/store/operations"
)

// Pool says how many connections to Postgres the program keeps. SQLite does not use it.
type Pool struct {
	Max  int           // open at the same time
	Idle int           // kept open while nothing uses them
	Age  time.Duration // after which a connection is replaced, so that connections move to a new node
}

// PoolMax, PoolIdle and PoolAge are the defaults of a Pool.
const (
	PoolMax  = 16
	PoolIdle = 8
	PoolAge  = 30 * time.Minute
)

// DefaultPool is the pool of Open.
var DefaultPool = Pool{Max: PoolMax, Idle: PoolIdle, Age: PoolAge}

const (
	// CancelTime is how long the server has to cancel a statement whose time is over. A connection whose server does
	// not answer by then is given up.
	CancelTime = 500 * time.Millisecond
	// reconnectRest is the shortest time between two reconnects.
	reconnectRest = time.Second
	// poolIdleTime is how long a connection that nothing uses stays open.
	poolIdleTime = 5 * time.Minute
)

func openPostgres(ctx context.Context, dsn string, pool Pool) (*DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	config.BuildContextWatcherHandler = cancelOnServer
	pooled, err := behindPooler(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	if pooled && !strings.Contains(dsn, "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // without named statements
	}
	db := &DB{postgres: true, atOnce: operations.New(), reconnected: new(atomic.Int64)}
	db.observed = &operations.Observed{Engine: "postgresql"}
	db.write = db.openPool(config, pool)
	db.read = db.write
	db.probe = db.openPool(config, Pool{Max: 1, Idle: 1, Age: pool.Age})
	return db.withTables(), nil
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

// openedAt is the key under which a connection keeps the moment at which it was opened.
const openedAt = "opened at"

func (db *DB) openPool(config *pgx.ConnConfig, pool Pool) *sqlx.DB {
	noteOpened := func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[openedAt] = time.Now().UnixNano()
		return nil
	}
	refuseOlder := func(_ context.Context, conn *pgx.Conn) error {
		if opened, _ := conn.PgConn().CustomData()[openedAt].(int64); opened < db.reconnected.Load() {
			return driver.ErrBadConn
		}
		return nil
	}
	opened := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(noteOpened), stdlib.OptionResetSession(refuseOlder))
	opened.SetMaxOpenConns(pool.Max)
	opened.SetMaxIdleConns(pool.Idle)
	opened.SetConnMaxLifetime(pool.Age)
	opened.SetConnMaxIdleTime(poolIdleTime)
	return sqlx.NewDb(opened, "pgx")
}

// reconnect makes the pools replace each connection that they have now before its next use. A new connection may lead
// to another server.
func (db *DB) reconnect() {
	if db.reconnected == nil {
		return
	}
	now, last := time.Now(), db.reconnected.Load()
	if now.Sub(time.Unix(0, last)) >= reconnectRest {
		db.reconnected.CompareAndSwap(last, now.UnixNano())
	}
}

// ForProbe returns the same database for a probe that asks whether it works. On Postgres the probe has a connection of
// its own, so it does not wait for those of requests.
func (db *DB) ForProbe() *DB {
	if db.probe == nil {
		return db
	}
	inner := db.clone()
	inner.read, inner.write = db.probe, db.probe
	return inner
}
