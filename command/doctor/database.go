package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"portico/store"
	"portico/store/health"
	lists "portico/store/pool"
	"portico/store/schema"
)

// The oldest Postgres that Portico is tested with, and how far clocks may differ.
const (
	oldestPostgres = 150000
	maxClockDrift  = 10 * time.Second
	leastFreeDisk  = 1 << 30 // bytes
)

// Database checks the database that an address names, and its replica; "" for none. connections is how many one
// instance opens at most.
func Database(address, replica string, connections int) Area {
	return Area{"database", func(ctx context.Context) []Result {
		var l list
		if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
			l.sqlite(ctx, path)
		} else {
			l.postgres(ctx, address, connections)
		}
		for _, r := range l {
			if r.State == Failed {
				return l
			}
		}
		l.schema(ctx, address)
		if replica != "" {
			l.replica(ctx, address, replica)
		}
		return l
	}}
}

func (l *list) sqlite(ctx context.Context, path string) {
	s, err := health.ReadSQLite(ctx, path)
	if err != nil {
		l.fail("file", fmt.Sprintf("%s cannot be read: %v", path, err),
			"look at PORTICO_DATABASE and the owner of the file; portico migrate creates it")
		return
	}
	l.ok("file", "%s, SQLite %s, %d MB", path, s.Version, s.Bytes>>20)
	if s.Sound != "ok" {
		l.fail("content", "SQLite says: "+s.Sound, "restore a backup: portico restore")
	} else {
		l.ok("content", "SQLite finds nothing wrong")
	}
	if s.Free < max(leastFreeDisk, 2*s.Bytes) {
		l.warn("disk", fmt.Sprintf("%d MB are free", s.Free>>20), "a backup needs as much as the database: free some")
	} else {
		l.ok("disk", "%d MB are free", s.Free>>20)
	}
}

func (l *list) postgres(ctx context.Context, address string, connections int) {
	p, err := health.ReadPostgres(ctx, address)
	if err != nil {
		l.fail("server", fmt.Sprintf("it does not answer: %v", err),
			"look at PORTICO_DATABASE: host, port, role, password, sslmode; and at pg_hba.conf of the server")
		return
	}
	version := fmt.Sprintf("%d.%d", p.Version/10000, p.Version%10000)
	if p.Version < oldestPostgres {
		l.warn("server", "PostgreSQL "+version, "Portico is tested with 15; use 15 or newer")
	} else {
		l.ok("server", "PostgreSQL %s", version)
	}
	if p.ReadOnly {
		l.fail("writes", "the server accepts no writes", "it is a standby: name the leader, or all servers with "+
			"target_session_attrs=read-write")
	} else {
		l.ok("writes", "the server accepts writes")
	}
	if p.Encoding != "UTF8" {
		l.fail("encoding", "the database has the encoding "+p.Encoding, "create it with ENCODING 'UTF8'")
	} else {
		l.ok("encoding", "UTF8")
	}
	if !p.Fsync || p.Synchronous == "off" {
		l.fail("durability", "fsync or synchronous_commit is off: a crash loses what was acknowledged",
			"switch both on in postgresql.conf")
	} else {
		l.ok("durability", "fsync on, synchronous_commit %s", p.Synchronous)
	}
	if p.Isolation != "read committed" {
		l.warn("isolation", "transactions are "+p.Isolation+" by default", "that works, and read committed is faster")
	} else {
		l.ok("isolation", "read committed")
	}
	if p.Superuser {
		l.warn("role", "the role is a superuser", "use a role that owns the database and may do no more")
	} else {
		l.ok("role", "not a superuser")
	}
	if free := p.MaxConnections - p.Reserved; connections+1 > free {
		l.fail("connections", fmt.Sprintf("an instance opens up to %d, the server allows %d", connections+1, free),
			"lower max of PORTICO_DATABASE_POOL, or raise max_connections")
	} else {
		l.ok("connections", "an instance opens up to %d of %d, %d are in use now: room for %d instances",
			connections+1, free, p.Used, free/(connections+1))
	}
	if drift := p.ClockAhead.Abs(); drift > maxClockDrift {
		l.fail("clock", fmt.Sprintf("the server's clock differs by %s from this machine's", drift.Round(time.Second)),
			"let both follow a time server (chrony, systemd-timesyncd)")
	} else {
		l.ok("clock", "the server's differs by %d ms", drift.Milliseconds())
	}
}

// replica checks the server of PORTICO_DATABASE_REPLICA. Without it everything works, so nothing fails.
func (l *list) replica(ctx context.Context, address, replica string) {
	r, err := health.ReadReplica(ctx, address, replica)
	switch {
	case err != nil:
		l.warn("replica", fmt.Sprintf("it does not answer: %v", err),
			"look at PORTICO_DATABASE_REPLICA; until then lists are read from the main database")
	case !r.Same:
		l.warn("replica", "it is not a copy of the main database",
			"name a standby that follows the server of PORTICO_DATABASE by streaming replication")
	case !r.Standby:
		l.warn("replica", "it accepts writes: it is the main server", "name a standby, so that it does the reading")
	case r.Behind > lists.MaxAge:
		l.warn("replica", fmt.Sprintf("it is %s behind", r.Behind.Round(time.Second)),
			"lists are read from the main database meanwhile: see PorticoReplicaBehind in docs/alerts.md")
	default:
		l.ok("replica", "a standby, %d ms behind", r.Behind.Milliseconds())
	}
}

// schema checks whether the schema is the one that this program needs.
func (l *list) schema(ctx context.Context, address string) {
	db, err := store.OpenMigrated(ctx, address)
	switch {
	case errors.Is(err, schema.ErrNewer):
		l.fail("schema", err.Error(), "use the program that migrated it, or a newer one")
		return
	case err != nil:
		l.fail("schema", err.Error(), "run portico migrate; portico migrate -n shows what that does")
		return
	}
	defer func() { _ = db.Close() }()
	version, known, err := db.SchemaVersion(ctx)
	if err != nil {
		l.fail("schema", err.Error(), "look at the database's log")
		return
	}
	l.ok("schema", "version %d, this program knows %d", version, known)
}
