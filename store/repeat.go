package store

import "context"

// Repeat stores that an operation was done, so that the same request again gets the same result. ID is a keyed hash of
// the operation, the proof and the input. Each operation chooses the format of Result; it must not hold a secret.
type Repeat struct {
	ID     string  `db:"id"`
	Result string  `db:"result"`
	At     Instant `db:"at"`
}

// AddRepeat stores that an operation was done. It replaces an earlier row with the same id.
func (db *DB) AddRepeat(ctx context.Context, r Repeat) error {
	_, err := db.exec(ctx, `INSERT INTO repeats (id, result, at) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET result = excluded.result, at = excluded.at`, r.ID, r.Result, r.At)
	return err
}

// RepeatByID reads an operation that was done after since; ErrNotFound.
func (db *DB) RepeatByID(ctx context.Context, id string, since Instant) (Repeat, error) {
	var r Repeat
	err := db.get(ctx, &r, "SELECT id, result, at FROM repeats WHERE id = ? AND at > ?", id, since)
	return r, err
}

// ForgetRepeats removes what repetitions need, of before the given instant, at most SweepStep.
func (db *DB) ForgetRepeats(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM repeats
		WHERE id IN (SELECT id FROM repeats WHERE at < ? LIMIT ?)`, before, SweepStep)
}
