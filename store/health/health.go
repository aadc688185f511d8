// Package health reads the state of a database server for people who operate it.
package health

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// Postgres is the state of a Postgres server and of the role that the program uses.
type Postgres struct {
	Version        int           // like 150018 for 15.18
	Encoding       string        // of the database
	Isolation      string        // of transactions by default
	Fsync          bool          // off: a crash destroys the database
	Synchronous    string        // synchronous_commit
	ReadOnly       bool          // the server accepts no writes
	Superuser      bool          // the role may do everything
	MaxConnections int           // of the server
	Reserved       int           // of them for superusers
	Used           int           // at the moment, by everybody
	ClockAhead     time.Duration // of the server against this machine, as far as the network lets us see
}

// ReadPostgres connects to a server and reads its state.
func ReadPostgres(ctx context.Context, address string) (Postgres, error) {
	var p Postgres
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return p, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var fsync, readOnly string
	before := time.Now()
	var clock time.Time
	if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&clock); err != nil {
		return p, err
	}
	after := time.Now()
	p.ClockAhead = clock.Sub(before.Add(after.Sub(before) / 2))
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
		current_setting('default_transaction_isolation'), current_setting('fsync'),
		current_setting('synchronous_commit'), current_setting('transaction_read_only'),
		current_setting('is_superuser') = 'on', current_setting('max_connections')::int,
		current_setting('superuser_reserved_connections')::int, (SELECT COUNT(*) FROM pg_stat_activity)`).
		Scan(&p.Version, &p.Encoding, &p.Isolation, &fsync, &p.Synchronous, &readOnly, &p.Superuser, &p.MaxConnections,
			&p.Reserved, &p.Used)
	p.Fsync, p.ReadOnly = fsync == "on", readOnly == "on"
	return p, err
}

// Replica is the state of a server that is said to follow another one.
type Replica struct {
	Standby bool          // it follows a server, and accepts no writes
	Same    bool          // its data began as a copy of the main server's
	Behind  time.Duration // how old the last change is that it applied, if the main server has newer ones
}

// ReadReplica connects to a main server and to its replica, and reads the state of the replica.
func ReadReplica(ctx context.Context, address, replica string) (Replica, error) {
	var r Replica
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return r, fmt.Errorf("connect to the main database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	const system = "SELECT system_identifier FROM pg_control_system()"
	var main, other int64
	var written string
	if err := conn.QueryRow(ctx, system).Scan(&main); err != nil {
		return r, err
	}
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&written); err != nil {
		return r, err
	}
	copied, err := pgx.Connect(ctx, replica)
	if err != nil {
		return r, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = copied.Close(context.WithoutCancel(ctx)) }()
	if err := copied.QueryRow(ctx, system).Scan(&other); err != nil {
		return r, err
	}
	var seconds float64
	err = copied.QueryRow(ctx, `SELECT pg_is_in_recovery(),
		CASE WHEN pg_last_wal_replay_lsn() < $1::pg_lsn
			THEN COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)
			ELSE 0 END::float8`,
		written).Scan(&r.Standby, &seconds)
	r.Same, r.Behind = main == other, time.Duration(seconds*float64(time.Second))
	return r, err
}

// SQLite is the state of a database file.
type SQLite struct {
	Version string // of SQLite, like 3.53.0
	Bytes   int64  // of the file
	Free    int64  // bytes that are free on its disk
	Journal string // the journal mode: wal
	Sound   string // "ok", or the first thing that is wrong with the file
}

// ReadSQLite reads the state of a database file without changing it.
func ReadSQLite(ctx context.Context, path string) (SQLite, error) {
	var s SQLite
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &disk); err != nil {
		return s, err
	}
	s.Free = int64(disk.Bavail) * int64(disk.Bsize)
	db, err := sql.Open("sqlite3", "file:"+strings.ReplaceAll(path, "?", "%3f")+"?mode=ro")
	if err != nil {
		return s, err
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&s.Version); err != nil {
		return s, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&s.Journal); err != nil {
		return s, err
	}
	return s, db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&s.Sound)
}
