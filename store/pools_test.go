package store_test

import (
	"maps"
	"slices"
	"testing"

	"portico/store"
	"portico/store/schema"
	"portico/store/storetest"
)

func TestThePoolsAreNamedForTheMetrics(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		names := slices.Sorted(maps.Keys(db.Pools()))
		if !slices.Equal(names, []string{"read", "write"}) && !slices.Equal(names, []string{"probe", "requests"}) {
			t.Errorf("%v", names)
		}
		for name, pool := range db.Pools() {
			if pool.Stats().MaxOpenConnections == 0 {
				t.Errorf("%s has no limit", name)
			}
		}
	})
}

func TestTheProgramKnowsItsSchema(t *testing.T) {
	known, err := schema.Own()
	if err != nil {
		t.Fatal(err)
	}
	_, wanted, err := storetest.SQLite(t).SchemaVersion(t.Context())
	if err != nil || len(known) != wanted {
		t.Errorf("%d, want %d: %v", len(known), wanted, err)
	}
}
