// Package shape_test plays what people and programs do, on a small and on a large platform, and compares the work of
// the database: an operation reads about as many blocks with 100,000 accounts as with 1,000.
package shape_test

import (
	"cmp"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "github.com/mattn/go-sqlite3"    // driver "sqlite3"

	"portico/e2e/testscope"
	"portico/store"
	"portico/store/storetest"
)

var large = flag.Int("accounts", 100_000, "accounts of the large platform; with -v its table is printed")

const (
	few = 1_000

	// maxBlocks is how many blocks an operation may read, for any number of accounts. A page of the activity log reads
	// the most: it looks up an account and a record for each of 50 events, three or four blocks each.
	maxBlocks = 400
	// extraBlocks is how many blocks an operation may read in addition to twice as many as on the small platform. Each
	// index that it searches has one or two levels more on the large one.
	extraBlocks = 40
	// sweepBlocks is how many blocks a sweep that finds nothing may read.
	sweepBlocks = 100
	// warmUpTurns is how often an operation is played before it is measured: Postgres chooses its plan for a prepared
	// statement after five times.
	warmUpTurns = 6
	// measuredTurns is how often it is then measured.
	measuredTurns = 3
)

func TestMain(m *testing.M) { storetest.Main(m) }

// databaseWork is the work of the database for one turn of an operation.
type databaseWork struct {
	statements int // on Postgres
	rows       int // that they return or change, on Postgres
	blocks     int
	took       time.Duration
	detail     string // the statements, the most expensive one first
}

// meter measures what the database does.
type meter interface {
	// begin prepares for a turn.
	begin(t *testing.T, s *stage)
	start(t *testing.T)
	end(t *testing.T) databaseWork
	// warmUpTurns returns how often an operation is played before it is measured.
	warmUpTurns() int
}

func TestBlocksReadDoNotGrowWithTheNumberOfAccounts(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { compare(t, onSQLite) })
	t.Run("postgres", func(t *testing.T) {
		testscope.OnlyInAll(t, "it writes a hundred thousand rows; the shapes are those of SQLite")
		compare(t, onPostgres)
	})
}

func compare(t *testing.T, open func(*testing.T, platformData) (*stage, meter)) {
	var works [2][]databaseWork
	for i, accounts := range []int{few, *large} {
		began := time.Now()
		s, m := open(t, platformData{accounts, time.Now().Truncate(time.Second)})
		t.Logf("%d accounts filled in %v", accounts, time.Since(began).Round(time.Millisecond))
		works[i] = playAll(t, s, m)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| operation | statements | blocks %d | blocks %d | ms %d | ms %d |\n",
		few, *large, few, *large)
	table.WriteString("|---|---|---|---|---|---|\n")
	for i, o := range operations {
		a, b := works[0][i], works[1][i]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %s | %s |\n",
			o.name, b.statements, a.blocks, b.blocks, milliseconds(a.took), milliseconds(b.took))
		most := maxBlocks
		if strings.HasPrefix(o.name, "sweep") {
			most = sweepBlocks
		}
		rows := max(2*a.rows, o.shows) + extraBlocks
		grows := b.statements > 2*a.statements || b.rows > rows || b.blocks > 2*a.blocks+extraBlocks
		if grows && *large <= 100_000 || b.blocks > most {
			t.Errorf("%s with %d accounts: %d statements, %d rows, %d blocks; with %d: %d, %d and %d\n%s",
				o.name, few, a.statements, a.rows, a.blocks, *large, b.statements, b.rows, b.blocks, b.detail)
		}
	}
	t.Log("\n" + table.String())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

func playAll(t *testing.T, s *stage, m meter) []databaseWork {
	s.signInAll()
	works := make([]databaseWork, len(operations))
	for i, o := range operations {
		for turn := range m.warmUpTurns() {
			o.play(s, turn)()
		}
		works[i] = measure(t, s, m, o)
	}
	return works
}

// measure plays an operation measuredTurns times and returns the turn with the fewest blocks. A single turn may meet a
// page of an index that is full and has to be split, whatever the number of accounts.
func measure(t *testing.T, s *stage, m meter, o operation) (least databaseWork) {
	for turn := range measuredTurns {
		m.begin(t, s)
		do := o.play(s, m.warmUpTurns()+turn)
		m.start(t)
		do()
		if work := m.end(t); turn == 0 || work.blocks < least.blocks {
			least = work
		}
	}
	return least
}

// onPostgres measures with pg_stat_statements: what it counts is what the program's own statements did, with the plans
// that they really had. Blocks are those found in memory and those read.
func onPostgres(t *testing.T, f platformData) (*stage, meter) {
	address := storetest.PostgresURL(t)
	db := openMigrated(t, address)
	raw, err := sql.Open("pgx", address)
	noError(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	noError(t, f.fill(t.Context(), raw))
	noError(t, db.AdvanceIdentities(t.Context()))
	noError(t, db.Close())
	for _, statement := range []string{"VACUUM ANALYZE", "CREATE EXTENSION pg_stat_statements"} {
		_, err = raw.ExecContext(t.Context(), statement)
		noError(t, err)
	}
	return newStage(t, f, address), &statMeter{raw}
}

type statMeter struct{ db *sql.DB }

func (m *statMeter) warmUpTurns() int         { return warmUpTurns }
func (m *statMeter) begin(*testing.T, *stage) {}

func (m *statMeter) start(t *testing.T) {
	_, err := m.db.ExecContext(t.Context(), "SELECT pg_stat_statements_reset()")
	noError(t, err)
}

func (m *statMeter) end(t *testing.T) databaseWork {
	rows, err := m.db.QueryContext(t.Context(), `
		SELECT calls, shared_blks_hit + shared_blks_read, total_exec_time, rows, query FROM pg_stat_statements
		WHERE query NOT LIKE '%pg_stat_statements%'
			AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
		ORDER BY shared_blks_hit + shared_blks_read DESC`)
	noError(t, err)
	defer func() { _ = rows.Close() }()
	var w databaseWork
	for rows.Next() {
		var calls, blocks, returned int
		var took float64
		var query string
		noError(t, rows.Scan(&calls, &blocks, &took, &returned, &query))
		w.statements, w.rows, w.blocks = w.statements+calls, w.rows+returned, w.blocks+blocks
		w.took += time.Duration(took * float64(time.Millisecond))
		w.detail += fmt.Sprintf("%5d blocks %4d rows %.2f ms %dx %.400s\n", blocks, returned, took, calls,
			strings.Join(strings.Fields(query), " "))
	}
	noError(t, rows.Err())
	return w
}

// onSQLite measures what this process reads: SQLite reads each page that is not in a connection's memory from its file.
// Before each turn the program starts again, so that only the schema is in memory, and the write-ahead log is emptied.
// A page that is read twice counts once. SQLite has no statistics of its tables here, as in operation.
func onSQLite(t *testing.T, f platformData) (*stage, meter) {
	path := filepath.Join(t.TempDir(), "portico.db")
	db := openMigrated(t, "sqlite:"+path)
	noError(t, db.Close())
	raw, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=5000&_synchronous=OFF&_foreign_keys=on")
	noError(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	raw.SetMaxOpenConns(1)
	noError(t, f.fill(t.Context(), raw))
	return newStage(t, f, "sqlite:"+path), &readMeter{db: raw}
}

type readMeter struct {
	db     *sql.DB
	before int64
	since  time.Time
}

func (m *readMeter) warmUpTurns() int { return 1 }

func (m *readMeter) begin(t *testing.T, s *stage) {
	s.open()
	noError(t, s.p.Ready(t.Context())) // reads the schema on a connection of each kind
	_, err := m.db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
	noError(t, err)
}

func (m *readMeter) start(t *testing.T) {
	m.before, m.since = bytesRead(t), time.Now()
}

func (m *readMeter) end(t *testing.T) databaseWork {
	took := time.Since(m.since)
	const pageSize = 4096
	return databaseWork{blocks: int((bytesRead(t) - m.before) / pageSize), took: took}
}

// bytesRead is how many bytes this process has read from files.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	noError(t, err)
	_, err = fmt.Sscanf(string(text), "rchar: %d", &n)
	noError(t, err)
	return n
}

func openMigrated(t *testing.T, address string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), address)
	noError(t, err)
	noError(t, cmp.Or(db.Migrate(t.Context()), t.Context().Err()))
	return db
}
