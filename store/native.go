package store

import "context"

// SignInOfFamily reads the sign-in that all of a family goes back to: its first session in which a person or an account
// proved themselves; ErrNotFound when none lasts at now.
func (db *DB) SignInOfFamily(ctx context.Context, family string, now Instant) (Session, error) {
	var s Session
	err := db.get(ctx, &s, "SELECT "+sessionColumns+` FROM sessions
		WHERE family = ? AND phone_id + account_id > 0 AND ends_at > ? AND idle_until > ? ORDER BY created_at, id LIMIT 1`, family, now, now)
	return s, err
}

// HoldSession finds out whether a session is still there, after any transaction that is about to end it; ErrNotFound.
func (db *DB) HoldSession(ctx context.Context, id string) error {
	return db.one(ctx, "UPDATE sessions SET family = family WHERE id = ?", id)
}
