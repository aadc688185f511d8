package store

import (
	"context"
	"errors"
)

// ProviderToken is an access token or a ticket of a provider. Value is sealed.
type ProviderToken struct {
	Value     string  `db:"value"`
	ExpiresAt Instant `db:"expires_at"`
}

// ProviderTokenOf reads a token that is good at now; ErrNotFound.
func (db *DB) ProviderTokenOf(ctx context.Context, app, kind string, now Instant) (ProviderToken, error) {
	return row[ProviderToken](ctx, db, "SELECT value, expires_at FROM provider_tokens "+
		"WHERE app = ? AND kind = ? AND expires_at > ?", app, kind, now)
}

// MayFetchToken says to one of several that ask at once, on whichever instance, that it may fetch a token: until the
// given instant, or until PutProviderToken, the others may not.
func (db *DB) MayFetchToken(ctx context.Context, app, kind string, now, until Instant) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO provider_tokens (app, kind, fetching_until) VALUES (?, ?, ?)
		ON CONFLICT (app, kind) DO UPDATE SET fetching_until = excluded.fetching_until
		WHERE provider_tokens.fetching_until <= ? AND provider_tokens.expires_at <= ?`,
		app, kind, until, now, now)
	return n == 1, err
}

// PutProviderToken keeps a token and lets the next one be fetched; a zero one means that none came.
func (db *DB) PutProviderToken(ctx context.Context, app, kind string, t ProviderToken) error {
	return db.one(ctx, "UPDATE provider_tokens SET value = ?, expires_at = ?, fetching_until = 0 "+
		"WHERE app = ? AND kind = ?", t.Value, t.ExpiresAt, app, kind)
}

// DropProviderToken forgets a token that the provider takes no more, unless another has taken its place.
func (db *DB) DropProviderToken(ctx context.Context, app, kind, value string) error {
	err := db.one(ctx, "UPDATE provider_tokens SET value = '', expires_at = 0 "+
		"WHERE app = ? AND kind = ? AND value = ?", app, kind, value)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return err
}

// ForgetProviderTokens removes providers' tokens that expired before the given instant, at most SweepStep.
func (db *DB) ForgetProviderTokens(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM provider_tokens
		WHERE (app, kind) IN (SELECT app, kind FROM provider_tokens
			WHERE expires_at < ? AND fetching_until < ? LIMIT ?)`, before, before, SweepStep)
}
