package store_test

import (
	"errors"
	"strings"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

const nextColumn = "ALTER TABLE companies ADD COLUMN motto TEXT NOT NULL DEFAULT '';"

// knowing is the same database for a program that knows so many migrations.
func knowing(t *testing.T, db *store.DB, versions int) *store.DB {
	t.Helper()
	older, err := db.WithMigrations(first(t, versions))
	must(t, err)
	return older
}

func TestAProgramWorksWithANewerSchemaThatSaysSo(t *testing.T) {
	for header, works := range map[string]map[int]bool{
		"-- compatible-from: 14\n": {12: false, 13: false},
		"":                         {12: false, 13: false},
		"-- compatible-from: 13\n": {12: false, 13: true},
		"-- compatible-from: 12\n": {12: true, 13: true},
		"-- compatible-from: 1\n":  {11: false, 12: true, 13: true}, // the thirteenth says 12
	} {
		empty(t, func(t *testing.T, _ string, db *store.DB) {
			ctx := t.Context()
			next := newer(t, db, header+nextColumn)
			must(t, next.Migrate(ctx))
			must(t, next.CheckSchema(ctx))
			before := described(t, db)
			for versions, want := range works {
				older := knowing(t, db, versions)
				if err := older.CheckSchema(ctx); want != (err == nil) || !want && !errors.Is(err, store.ErrNewerSchema) {
					t.Errorf("%q: a program that knows %d: %v", header, versions, err)
				}
				if err := older.Migrate(ctx); want != (err == nil) || !want && !errors.Is(err, store.ErrNewerSchema) {
					t.Errorf("%q: migrating by a program that knows %d: %v", header, versions, err)
				}
			}
			if described(t, db) != before {
				t.Error("an older program has changed the schema")
			}
		})
	}
}

func TestASchemaThatSaysNothingIsNotCompatibleWithOlderPrograms(t *testing.T) {
	empty(t, func(t *testing.T, address string, db *store.DB) {
		ctx := t.Context()
		must(t, db.Migrate(ctx))
		must(t, newer(t, db, "-- compatible-from: 13\n"+nextColumn).Migrate(ctx))
		older := knowing(t, db, 13)
		must(t, older.CheckSchema(ctx))
		must(t, db.ExecAll(ctx, "UPDATE schema_versions SET compatible_from = 0 WHERE version = 14;"))
		if err := older.CheckSchema(ctx); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("an empty value: %v", err)
		}
		must(t, db.ExecAll(ctx, "ALTER TABLE schema_versions DROP COLUMN compatible_from;"))
		reopened, err := store.Open(ctx, address) // the program before is gone, and its prepared statements
		must(t, err)
		defer func() { _ = reopened.Close() }()
		if err := knowing(t, reopened, 13).CheckSchema(ctx); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("no column: %v", err)
		}
		must(t, newer(t, reopened, nextColumn).CheckSchema(ctx))
	})
}

func TestAMigrationThatHasBegunCountsForOlderPrograms(t *testing.T) {
	for header, works := range map[string]bool{"-- compatible-from: 13\n": true, "-- compatible-from: 14\n": false} {
		t.Run(header, func(t *testing.T) { // SQLite runs a version in one transaction
			db := storetest.Postgres(t)
			ctx := t.Context()
			before := described(t, db)
			stopped := errors.New("stopped")
			next := newer(t, db, header+nextColumn)
			err := next.MigrateUntil(ctx, func(point string) error {
				if point == "14 begun" {
					return stopped
				}
				return nil
			}, func(string) {})
			if !errors.Is(err, stopped) || described(t, db) != before {
				t.Fatalf("the first statement has run: %v", err)
			}
			if err := db.CheckSchema(ctx); works != (err == nil) || !works && !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("%q: %v", header, err)
			}
			if err := next.CheckSchema(ctx); !errors.Is(err, store.ErrOlderSchema) {
				t.Errorf("the newer program: %v", err)
			}
			must(t, next.Migrate(ctx))
			must(t, next.CheckSchema(ctx))
			if !strings.Contains(described(t, db), "motto") {
				t.Error("the statement did not run")
			}
		})
	}
}
