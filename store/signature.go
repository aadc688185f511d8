package store

import "context"

// Signature is the signature of an API request that was accepted. A request with the same signature is a replay. ID is
// the first half of the signature in hex, Path the path of the request.
type Signature struct {
	ID        string  `db:"id"`
	Path      string  `db:"path"`
	ExpiresAt Instant `db:"expires_at"`
}

// SignatureTable keeps signatures of API requests, each of which is valid once.
type SignatureTable struct{ db *DB }

// Use stores a signature. Of several requests with the same signature one gets true, the others are replays.
func (t SignatureTable) Use(ctx context.Context, s Signature) (bool, error) {
	n, err := t.db.exec(ctx, "INSERT INTO signatures (id, path, expires_at) VALUES (?, ?, ?) "+
		"ON CONFLICT (id) DO NOTHING", s.ID, s.Path, s.ExpiresAt)
	return n == 1, err
}

// Path reads the path of the request in which a signature was used. ErrNotFound.
func (t SignatureTable) Path(ctx context.Context, id string, now Instant) (string, error) {
	return row[string](ctx, t.db, "SELECT path FROM signatures WHERE id = ? AND expires_at > ?", id, now)
}

// ReadSignatures are signatures of requests that only read, as one instance stores them together. Noted has the first
// 16 hex digits of each.
type ReadSignatures struct {
	Noted     string  `db:"noted"`
	ExpiresAt Instant `db:"expires_at"`
}

// NoteReads stores signatures of requests that only read, under a new id.
func (t SignatureTable) NoteReads(ctx context.Context, id, instance string, r ReadSignatures) error {
	_, err := t.db.exec(ctx, "INSERT INTO read_signatures (id, instance, noted, expires_at) VALUES (?, ?, ?, ?)",
		id, instance, r.Noted, r.ExpiresAt)
	return err
}

// ReadsOfOthers reads what all other instances have stored by NoteReads and what expires after the given instant.
func (t SignatureTable) ReadsOfOthers(ctx context.Context, instance string, after Instant) ([]ReadSignatures, error) {
	return rows[ReadSignatures](ctx, t.db, "SELECT noted, expires_at FROM read_signatures "+
		"WHERE expires_at > ? AND instance <> ?",
		after, instance)
}

// Unexpired reads the signatures that have not expired, the latest first, at most limit.
func (t SignatureTable) Unexpired(ctx context.Context, now Instant, limit int) ([]Signature, error) {
	return rows[Signature](ctx, t.db, "SELECT id, path, expires_at FROM signatures WHERE expires_at > ? "+
		"ORDER BY expires_at DESC LIMIT ?", now, limit)
}

// Forget removes expired signatures, at most SweepStep.
func (t SignatureTable) Forget(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx,
		"DELETE FROM signatures WHERE id IN (SELECT id FROM signatures WHERE expires_at <= ? LIMIT ?)",
		now, SweepStep)
}

// ForgetReads removes expired rows of NoteReads, at most SweepStep.
func (t SignatureTable) ForgetReads(ctx context.Context, now Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM read_signatures
		WHERE id IN (SELECT id FROM read_signatures WHERE expires_at <= ? LIMIT ?)`, now, SweepStep)
}
