package store

import "context"

// SweepStep is how many rows one statement of a sweep removes. Every function whose name begins with Forget removes no
// more than that, finds them by an index, and returns how many there were, so that a sweep never keeps the database
// from others for long.
const SweepStep = 1000

// TakeLease gives a named lease to one holder at a time, until the given instant. It returns false while another one
// holds it at now. The holder may take it again, which moves its end.
func (db *DB) TakeLease(ctx context.Context, name, holder string, now, until Instant) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE leases.until <= ? OR leases.holder = excluded.holder`, name, holder, until, now)
	return n == 1, err
}

// EndLease gives a lease back.
func (db *DB) EndLease(ctx context.Context, name, holder string) error {
	_, err := db.exec(ctx, "DELETE FROM leases WHERE name = ? AND holder = ?", name, holder)
	return err
}
