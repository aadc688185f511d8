package store

import "context"

// LeaseTable reads and changes leases: one instance at a time does the work that a lease names.
type LeaseTable struct{ db *DB }

// Take gives a lease to a holder until an instant, or extends the lease of the same holder. It returns false while
// another holder has it. A lease expires, so that a holder whose process has stopped does not block the others.
func (t LeaseTable) Take(ctx context.Context, name, holder string, now, until Instant) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE leases.holder = excluded.holder OR leases.until <= ?`, name, holder, until, now)
	return n == 1, err
}

// End gives a lease back before it expires.
func (t LeaseTable) End(ctx context.Context, name, holder string) error {
	_, err := t.db.exec(ctx, "DELETE FROM leases WHERE name = ? AND holder = ?", name, holder)
	return err
}
