package store

import (
	"context"
	"errors"
)

// ProviderToken is an access token or a ticket of an identity provider. Value is sealed.
type ProviderToken struct {
	Value     string  `db:"value"`
	ExpiresAt Instant `db:"expires_at"`
}

// ProviderTokenTable reads and changes access tokens that a provider gave to this program.
type ProviderTokenTable struct{ db *DB }

// Of reads a token that has not expired at now. ErrNotFound.
func (t ProviderTokenTable) Of(ctx context.Context, app, kind string, now Instant) (ProviderToken, error) {
	return row[ProviderToken](ctx, t.db, "SELECT value, expires_at FROM provider_tokens "+
		"WHERE app = ? AND kind = ? AND expires_at > ?", app, kind, now)
}

// MayFetch says whether the caller may fetch a new token from the provider. Of several callers at the same time,
// on all instances, one may. The others may not until the given instant or the next Put.
func (t ProviderTokenTable) MayFetch(ctx context.Context, app, kind string, now, until Instant) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO provider_tokens (app, kind, fetching_until) VALUES (?, ?, ?)
		ON CONFLICT (app, kind) DO UPDATE SET fetching_until = excluded.fetching_until
		WHERE provider_tokens.fetching_until <= ? AND provider_tokens.expires_at <= ?`,
		app, kind, until, now, now)
	return n == 1, err
}

// Put stores a token and allows the next fetch. A zero token means that the provider sent none.
func (t ProviderTokenTable) Put(ctx context.Context, app, kind string, token ProviderToken) error {
	return t.db.one(ctx, "UPDATE provider_tokens SET value = ?, expires_at = ?, fetching_until = 0 "+
		"WHERE app = ? AND kind = ?", token.Value, token.ExpiresAt, app, kind)
}

// Drop removes a token that the provider no longer accepts, unless another token has replaced it.
func (t ProviderTokenTable) Drop(ctx context.Context, app, kind, value string) error {
	err := t.db.one(ctx, "UPDATE provider_tokens SET value = '', expires_at = 0 "+
		"WHERE app = ? AND kind = ? AND value = ?", app, kind, value)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return err
}

// Forget removes tokens that expired before the given instant, at most SweepStep.
func (t ProviderTokenTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM provider_tokens
		WHERE (app, kind) IN (SELECT app, kind FROM provider_tokens
			WHERE expires_at < ? AND fetching_until < ? LIMIT ?)`, before, before, SweepStep)
}
