package store_test

import (
	"errors"
	"strings"
	"testing"

	"portico/store"
	"portico/store/schema"
	"portico/store/storetest"
)

const nextColumn = "ALTER TABLE companies ADD COLUMN motto TEXT NOT NULL DEFAULT '';"

func TestAProgramWorksWithANewerSchemaThatSaysSo(t *testing.T) {
	const table = "CREATE TABLE made_up (id INTEGER PRIMARY KEY) STRICT;"
	for _, test := range []struct {
		next, second        string // what the first lines of two newer migrations say
		worksOwn, worksNext bool   // of a program that knows neither, and of one that knows the first
	}{
		{"", "", false, false},
		{"-- compatible-from: {own}\n", "", false, false},
		{"-- compatible-from: {own}\n", "-- compatible-from: {second}\n", false, false},
		{"-- compatible-from: {own}\n", "-- compatible-from: {next}\n", false, true},
		{"-- compatible-from: {own}\n", "-- compatible-from: {own}\n", true, true},
		{"-- compatible-from: {next}\n", "-- compatible-from: {own}\n", false, true},
		{"-- compatible-from: 1\n", "-- compatible-from: 1\n", true, true},
	} {
		emptyEach(t, func(t *testing.T, _ string, db *store.DB) {
			ctx := t.Context()
			next, second := test.next+nextColumn, test.second+table
			newest := newer(t, db, next, second)
			must(t, newest.Migrate(ctx))
			must(t, newest.CheckSchema(ctx))
			before := described(t, db)
			for _, older := range []struct {
				db    *store.DB
				works bool
			}{{db, test.worksOwn}, {newer(t, db, next), test.worksNext}} {
				for name, err := range map[string]error{
					"check": older.db.CheckSchema(ctx), "migrate": older.db.Migrate(ctx),
				} {
					if older.works != (err == nil) || err != nil && !errors.Is(err, schema.ErrNewer) {
						t.Errorf("%+v: %s: %v", test, name, err)
					}
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
		must(t, newer(t, db, "-- compatible-from: {own}\n"+nextColumn).Migrate(ctx))
		must(t, db.CheckSchema(ctx))
		must(t, db.ExecAll(ctx, numbers("UPDATE schema_versions SET compatible_from = 0 WHERE version = {next};")))
		if err := db.CheckSchema(ctx); !errors.Is(err, schema.ErrNewer) {
			t.Errorf("an empty value: %v", err)
		}
		must(t, db.ExecAll(ctx, "ALTER TABLE schema_versions DROP COLUMN compatible_from;"))
		reopened, err := store.Open(ctx, address) // the program before is gone, and its prepared statements
		must(t, err)
		defer func() { _ = reopened.Close() }()
		if err := reopened.CheckSchema(ctx); !errors.Is(err, schema.ErrNewer) {
			t.Errorf("no column: %v", err)
		}
		must(t, newer(t, reopened, nextColumn).CheckSchema(ctx))
	})
}

func TestAMigrationThatHasBegunCountsForOlderPrograms(t *testing.T) {
	for header, works := range map[string]bool{
		"-- compatible-from: {own}\n": true, "-- compatible-from: {next}\n": false,
	} {
		t.Run(header, func(t *testing.T) { // SQLite runs a version in one transaction
			ctx := t.Context()
			address := storetest.PostgresURL(t)
			db, err := store.Open(ctx, address)
			must(t, err)
			defer func() { _ = db.Close() }()
			must(t, db.Migrate(ctx))
			before := described(t, db)
			if out, err := migrating(t, address, header+nextColumn, numbers("{next} begun")).Output(); err == nil {
				t.Fatalf("not killed: %s", out)
			}
			if described(t, db) != before {
				t.Fatal("the first statement has run")
			}
			next := newer(t, db, header+nextColumn)
			if err := db.CheckSchema(ctx); works != (err == nil) || !works && !errors.Is(err, schema.ErrNewer) {
				t.Errorf("%q: %v", header, err)
			}
			if err := next.CheckSchema(ctx); !errors.Is(err, schema.ErrOlder) {
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

func TestAMigrationWhoseFirstStatementFailsLeavesOlderProgramsReady(t *testing.T) {
	empty(t, func(t *testing.T, _ string, db *store.DB) {
		ctx := t.Context()
		must(t, db.Migrate(ctx))
		const fails = "-- compatible-from: {next}\nALTER TABLE nowhere ADD COLUMN motto TEXT;"
		if err := newer(t, db, fails).Migrate(ctx); err == nil {
			t.Fatal("it did not fail")
		}
		must(t, db.CheckSchema(ctx))
		const failsLater = "-- compatible-from: {next}\n" + nextColumn + "ALTER TABLE nowhere ADD COLUMN motto TEXT;"
		if err := newer(t, db, failsLater).Migrate(ctx); err == nil {
			t.Fatal("it did not fail")
		}
		if err := db.CheckSchema(ctx); db.IsPostgres() != errors.Is(err, schema.ErrNewer) {
			t.Errorf("after a failure of the second statement: %v", err)
		}
	})
}
