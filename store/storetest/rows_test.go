package storetest_test

import (
	"errors"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestRowsAreLoadedOnceAndCopiedIntoFurtherSQLiteDatabases(t *testing.T) {
	calls := map[string]int{}
	load := func(name string, db *store.DB) {
		storetest.Load(t, db, "two companies", func() error {
			calls[name]++
			c := store.Company{Name: "甲", Language: "zh", Standing: store.Formal, Mall: store.MallOpen}
			_, err := db.Companies.Save(t.Context(), c)
			c.Name, c.Greeting, c.EndsAt, c.Disabled = "乙", "it's\n“quoted”", 5, true
			_, again := db.Companies.Save(t.Context(), c)
			return errors.Join(err, again)
		})
	}
	dumpOf := func(db *store.DB) string {
		dump, err := storetest.Dump(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return dump
	}
	first, copied := storetest.SQLite(t), storetest.SQLite(t)
	load("first", first)
	load("copied", copied)
	if dumpOf(first) != dumpOf(copied) || dumpOf(first) == dumpOf(storetest.SQLite(t)) {
		t.Errorf("the first has\n%sthe copy has\n%s", dumpOf(first), dumpOf(copied))
	}
	load("has rows", copied)
	load("postgres", storetest.Postgres(t))
	if calls["first"] != 1 || calls["copied"] != 0 || calls["has rows"] != 1 || calls["postgres"] != 1 {
		t.Errorf("loaded %v", calls)
	}
}
