package store

import "context"

// Repeat is an operation that was done once, so that asking for it again gives the same result. ID is the keyed hash of the
// operation, the person and what was asked for. Result is the operation's own text and holds no secret.
type Repeat struct {
	ID     string  `db:"id"`
	Result string  `db:"result"`
	At     Instant `db:"at"`
}

// AddRepeat notes that an operation was done; a later note replaces an earlier one.
func (db *DB) AddRepeat(ctx context.Context, r Repeat) error {
	_, err := db.exec(ctx, `INSERT INTO repeats (id, result, at) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET result = excluded.result, at = excluded.at`, r.ID, r.Result, r.At)
	return err
}

// RepeatByID reads an operation done after the instant since; ErrNotFound.
func (db *DB) RepeatByID(ctx context.Context, id string, since Instant) (Repeat, error) {
	var r Repeat
	err := db.get(ctx, &r, "SELECT id, result, at FROM repeats WHERE id = ? AND at > ?", id, since)
	return r, err
}

// ForgetRepeats removes the notes from before an instant.
func (db *DB) ForgetRepeats(ctx context.Context, before Instant) error {
	_, err := db.exec(ctx, "DELETE FROM repeats WHERE at < ?", before)
	return err
}
