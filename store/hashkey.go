package store

import "context"

// HashKey is a key of keyed hashes, sealed with the master key that KeyID names.
type HashKey struct {
	KeyID     string  `db:"key_id"`
	Sealed    string  `db:"sealed"`
	CreatedAt Instant `db:"created_at"`
}

// HashKeyTable reads and changes the keys of keyed hashes.
type HashKeyTable struct{ db *DB }

// All reads every key of keyed hashes, the oldest first. There is one for each master key that was ever the only
// one, so they are few.
func (t HashKeyTable) All(ctx context.Context) ([]HashKey, error) {
	return rows[HashKey](ctx, t.db, "SELECT key_id, sealed, created_at FROM hash_keys ORDER BY created_at, key_id")
}

// Add stores a key of keyed hashes, unless its master key has one already.
func (t HashKeyTable) Add(ctx context.Context, k HashKey) error {
	_, err := t.db.exec(ctx, `INSERT INTO hash_keys (key_id, sealed, created_at) VALUES (?, ?, ?)
		ON CONFLICT (key_id) DO NOTHING`, k.KeyID, k.Sealed, k.CreatedAt)
	return err
}

// Drop removes the key of keyed hashes that is sealed with a master key.
func (t HashKeyTable) Drop(ctx context.Context, keyID string) error {
	_, err := t.db.exec(ctx, "DELETE FROM hash_keys WHERE key_id = ?", keyID)
	return err
}
