package store

import (
	"context"
	"fmt"

	"portico/store/pool"
)

func openPostgres(ctx context.Context, address string, limits pool.Limits) (*DB, error) {
	settings, err := pool.ParseAndAsk(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	db := &DB{postgres: true, atOnce: pool.NewCounter(), renewal: new(pool.Renewal)}
	db.observed = &pool.Observed{Engine: "postgresql"}
	db.write = pool.Open(settings, limits, db.renewal)
	db.read = db.write
	db.probe = pool.Open(settings, pool.Limits{Max: 1, Idle: 1, Age: limits.Age}, db.renewal)
	return db.withTables(), nil
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
