package store

import "context"

// Signature is one that was seen: ID its first half in hex, Path the call it was made for.
type Signature struct {
	ID        string  `db:"id"`
	Path      string  `db:"path"`
	ExpiresAt Instant `db:"expires_at"`
}

// UseSignature takes a signature once, atomically: of many callers at once one is told true.
func (db *DB) UseSignature(ctx context.Context, s Signature) (bool, error) {
	n, err := db.exec(ctx, "INSERT INTO signatures (id, path, expires_at) VALUES (?, ?, ?) "+
		"ON CONFLICT (id) DO NOTHING", s.ID, s.Path, s.ExpiresAt)
	return n == 1, err
}

// PathOfSignature reads the path of the call in which a signature was used; ErrNotFound.
func (db *DB) PathOfSignature(ctx context.Context, id string, now Instant) (string, error) {
	return row[string](ctx, db, "SELECT path FROM signatures WHERE id = ? AND expires_at > ?", id, now)
}

// ReadSignatures are the beginnings of the signatures of reads that one instance got in one moment: 16 hex digits each.
type ReadSignatures struct {
	Noted     string  `db:"noted"`
	ExpiresAt Instant `db:"expires_at"`
}

// NoteReads records signatures of reads under a fresh id.
func (db *DB) NoteReads(ctx context.Context, id, instance string, r ReadSignatures) error {
	_, err := db.exec(ctx, "INSERT INTO read_signatures (id, instance, noted, expires_at) VALUES (?, ?, ?, ?)",
		id, instance, r.Noted, r.ExpiresAt)
	return err
}

// ReadsOfOthers reads what all instances but one have noted, those that expire after the given instant.
func (db *DB) ReadsOfOthers(ctx context.Context, instance string, after Instant) ([]ReadSignatures, error) {
	return rows[ReadSignatures](ctx, db, "SELECT noted, expires_at FROM read_signatures "+
		"WHERE expires_at > ? AND instance <> ?",
		after, instance)
}

// Signatures reads those that have not expired, the latest first, at most limit.
func (db *DB) Signatures(ctx context.Context, now Instant, limit int) ([]Signature, error) {
	return rows[Signature](ctx, db, "SELECT id, path, expires_at FROM signatures WHERE expires_at > ? "+
		"ORDER BY expires_at DESC LIMIT ?", now, limit)
}

// ForgetSignatures removes expired signatures, at most SweepStep. It returns how many there were.
func (db *DB) ForgetSignatures(ctx context.Context, now Instant) (int64, error) {
	return db.exec(ctx, "DELETE FROM signatures WHERE id IN (SELECT id FROM signatures WHERE expires_at <= ? LIMIT ?)",
		now, SweepStep)
}

// ForgetReads removes expired signatures of reads, as ForgetSignatures does.
func (db *DB) ForgetReads(ctx context.Context, now Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM read_signatures
		WHERE id IN (SELECT id FROM read_signatures WHERE expires_at <= ? LIMIT ?)`, now, SweepStep)
}
