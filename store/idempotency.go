package store

import "context"

// IdempotencyKey is a creating call under its caller's key. ID is the hash of caller, path and key; Content
// the hash of what was asked; Answer is sealed.
//
//	claimed ──answered──▶ answer kept until ExpiresAt
//	   └──refused, or ClaimedUntil passed──▶ free again
type IdempotencyKey struct {
	ID           string  `db:"id"`
	Content      string  `db:"content"`
	Answer       string  `db:"answer"`
	ClaimedUntil Instant `db:"claimed_until"`
	ExpiresAt    Instant `db:"expires_at"`
}

// ClaimKey takes a key for one call: free, expired and abandoned ones are given. Otherwise it is
// ErrNotFound, and IdempotencyKeyByID tells why.
func (db *DB) ClaimKey(ctx context.Context, k IdempotencyKey, now Instant) error {
	n, err := db.exec(ctx, `INSERT INTO idempotency_keys (id, content, answer, claimed_until, expires_at) VALUES (?, ?, '', ?, ?)
		ON CONFLICT (id) DO UPDATE SET content = excluded.content, answer = '', claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
			WHERE idempotency_keys.expires_at <= ? OR idempotency_keys.answer = '' AND idempotency_keys.claimed_until <= ?`,
		k.ID, k.Content, k.ClaimedUntil, k.ExpiresAt, now, now)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// IdempotencyKeyByID reads a key; ErrNotFound.
func (db *DB) IdempotencyKeyByID(ctx context.Context, id string) (IdempotencyKey, error) {
	var k IdempotencyKey
	err := db.get(ctx, &k, "SELECT id, content, answer, claimed_until, expires_at FROM idempotency_keys WHERE id = ?", id)
	return k, err
}

// AnswerKey keeps the answer of the call that claimed a key.
func (db *DB) AnswerKey(ctx context.Context, id, answer string) error {
	return db.one(ctx, "UPDATE idempotency_keys SET answer = ? WHERE id = ? AND answer = ''", answer, id)
}

// FreeKey lets a key go whose call came to nothing.
func (db *DB) FreeKey(ctx context.Context, id string) error {
	_, err := db.exec(ctx, "DELETE FROM idempotency_keys WHERE id = ? AND answer = ''", id)
	return err
}

// ForgetKeys removes idempotency keys that have expired by now, at most SweepStep.
func (db *DB) ForgetKeys(ctx context.Context, now Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM idempotency_keys
		WHERE id IN (SELECT id FROM idempotency_keys WHERE expires_at <= ? LIMIT ?)`, now, SweepStep)
}
