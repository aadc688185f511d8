package store

import "context"

// TakeLease gives a lease to a holder until an instant, or extends the lease of the same holder. It returns false while
// another holder has it. A lease expires, so that a holder whose process has stopped does not block the others.
func (db *DB) TakeLease(ctx context.Context, name, holder string, now, until Instant) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE leases.holder = excluded.holder OR leases.until <= ?`, name, holder, until, now)
	return n == 1, err
}

// EndLease gives a lease back before it expires.
func (db *DB) EndLease(ctx context.Context, name, holder string) error {
	_, err := db.exec(ctx, "DELETE FROM leases WHERE name = ? AND holder = ?", name, holder)
	return err
}
