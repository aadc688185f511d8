package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// known returns the migrations that this program knows.
func (db *DB) known() ([]migration, error) {
	if db.migrations != nil {
		return db.migrations, nil
	}
	return ownMigrations()
}

// WithMigrations returns the same database for a program with other migrations: the .sql files of a folder. Tests use
// it to stand for an older or a newer program.
func (db *DB) WithMigrations(files fs.FS) (*DB, error) {
	all, err := readMigrations(files)
	if err != nil {
		return nil, err
	}
	other := *db
	other.migrations = all
	return &other, nil
}

// versionRow is a row of schema_versions.
type versionRow struct {
	Version int
	// AppliedAt is 0 while the migration is not complete. Only Postgres has such rows.
	AppliedAt Instant `db:"applied_at"`
	// CompatibleFrom is 0 when the row was written by a program that did not know the column.
	CompatibleFrom int `db:"compatible_from"`
}

// versionRows reads schema_versions in order. Without such a table there are no rows.
func (db *DB) versionRows(ctx context.Context) ([]versionRow, error) {
	columns, err := db.versionColumns(ctx)
	if err != nil || columns == 0 {
		return nil, err
	}
	query := "SELECT version, applied_at, compatible_from FROM schema_versions ORDER BY version"
	if columns == 1 { // written by a program that did not know compatible_from
		query = "SELECT version, applied_at, 0 AS compatible_from FROM schema_versions ORDER BY version"
	}
	var rows []versionRow
	err = db.list(ctx, &rows, query)
	return rows, err
}

// versionColumns returns 0 when there is no table schema_versions, 1 when it has no column compatible_from, and else 2.
func (db *DB) versionColumns(ctx context.Context) (int, error) {
	query := "SELECT COUNT(*) FROM pragma_table_info('schema_versions') WHERE name IN ('version', 'compatible_from')"
	if db.postgres {
		query = `SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = current_schema()
			AND table_name = 'schema_versions' AND column_name IN ('version', 'compatible_from')`
	}
	return row[int](ctx, db, query)
}

// SchemaVersion returns the version of the database's schema, 0 if it has none, and the version that this program
// knows.
func (db *DB) SchemaVersion(ctx context.Context) (current, wanted int, err error) {
	known, err := db.known()
	if err != nil {
		return 0, 0, err
	}
	rows, err := db.versionRows(ctx)
	return applied(rows), len(known), err
}

// KnownVersion returns the version of the schema that this program knows.
func KnownVersion() (int, error) {
	known, err := new(DB).known()
	return len(known), err
}

func applied(rows []versionRow) int {
	version := 0
	for _, row := range rows {
		if row.AppliedAt > 0 {
			version = row.Version
		}
	}
	return version
}

// CheckSchema returns nil when this program can work with the schema: it is at the version that the program knows, and
// all newer versions say that they are compatible with it. ErrNoDatabase, ErrOlderSchema, ErrNewerSchema.
func (db *DB) CheckSchema(ctx context.Context) error {
	known, err := db.known()
	if err != nil {
		return err
	}
	rows, err := db.versionRows(ctx)
	if err != nil {
		return err
	}
	if err := checkNewer(rows, len(known)); err != nil {
		return err
	}
	switch current := applied(rows); {
	case current == 0:
		return ErrNoDatabase
	case current < len(known):
		return fmt.Errorf("%w: it is at version %d, this program needs %d", ErrOlderSchema, current, len(known))
	}
	return nil
}

// checkNewer returns ErrNewerSchema when a version that this program does not know is not compatible with it. A version
// whose migration has begun counts: its first statement may already break the program.
func checkNewer(rows []versionRow, known int) error {
	for _, row := range rows {
		if !usable(row.Version, row.CompatibleFrom, known) {
			return fmt.Errorf("%w: it is at version %d, this program knows %d", ErrNewerSchema, row.Version, known)
		}
	}
	return nil
}

// usable says whether a program that knows versions up to known can work with a schema at a version.
func usable(version, compatibleFrom, known int) bool {
	return version <= known || compatibleFrom > 0 && compatibleFrom <= known
}

// VersionState is one version of the schema, of this program or of the database.
type VersionState struct {
	Version        int
	Name           string  // "" for a version that this program does not know
	AppliedAt      Instant // 0 while it is not complete
	Begun          bool    // complete or half done
	CompatibleFrom int     // 0 when the program that applied it did not say
	Known          int     // the version that this program knows
	Steps          []StepState
}

// Usable says whether this program can work with a schema at that version.
func (v VersionState) Usable() bool { return usable(v.Version, v.CompatibleFrom, v.Known) }

// StepState is one statement of a version that this program knows.
type StepState struct {
	SQL    string
	Effect string // on other users of the database while it runs
	Done   bool
}

// Schema returns all versions, those of this program and newer ones of the database. It creates and changes nothing.
// For a SQLite file that does not exist, nothing is applied.
func Schema(ctx context.Context, url string) ([]VersionState, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			known, err := ownMigrations()
			return versionStates(known, nil, nil, false), err
		}
	}
	db, err := Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return db.schema(ctx)
}

func (db *DB) schema(ctx context.Context) ([]VersionState, error) {
	known, err := db.known()
	if err != nil {
		return nil, err
	}
	rows, err := db.versionRows(ctx)
	if err != nil {
		return nil, err
	}
	done, err := db.stepsDone(ctx)
	return versionStates(known, rows, done, db.postgres), err
}

func versionStates(known []migration, rows []versionRow, done map[stepKey]bool, postgres bool) []VersionState {
	states := make([]VersionState, 0, len(known))
	for _, m := range known {
		state := VersionState{Version: m.version, Name: m.name, CompatibleFrom: m.compatibleFrom, Known: len(known)}
		for i, s := range m.steps(postgres) {
			isDone := done[stepKey{m.version, i + 1}]
			state.Steps = append(state.Steps, StepState{SQL: s.sql, Effect: s.effect, Done: isDone})
		}
		states = append(states, state)
	}
	for _, row := range rows {
		at := row.Version - 1
		if row.Version > len(known) {
			states = append(states, VersionState{Version: row.Version, Known: len(known)})
			at = len(states) - 1
		}
		states[at].AppliedAt, states[at].Begun, states[at].CompatibleFrom = row.AppliedAt, true, row.CompatibleFrom
	}
	return states
}
