package store

import (
	"context"
	"strings"
)

// Signature is one that was seen: ID its first half in hex, Path the call it was made for.
type Signature struct {
	ID        string  `db:"id"`
	Path      string  `db:"path"`
	ExpiresAt Instant `db:"expires_at"`
}

// UseSignature takes a signature once, atomically: of many callers at once one is told true.
func (db *DB) UseSignature(ctx context.Context, s Signature) (bool, error) {
	n, err := db.exec(ctx, "INSERT INTO signatures (id, path, expires_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING", s.ID, s.Path, s.ExpiresAt)
	return n == 1, err
}

// PathOfSignature reads the path of the call in which a signature was used; ErrNotFound.
func (db *DB) PathOfSignature(ctx context.Context, id string, now Instant) (string, error) {
	var path string
	err := db.get(ctx, &path, "SELECT path FROM signatures WHERE id = ? AND expires_at > ?", id, now)
	return path, err
}

// signaturesAtOnce keeps a statement under SQLite's 32,766 values and Postgres's 65,535.
const signaturesAtOnce = 2000

// NoteSignatures records signatures of calls without an effect; known ones stay as they are.
func (db *DB) NoteSignatures(ctx context.Context, all []Signature) error {
	for len(all) > 0 {
		some := all[:min(len(all), signaturesAtOnce)]
		all = all[len(some):]
		args := make([]any, 0, 3*len(some))
		for _, s := range some {
			args = append(args, s.ID, s.Path, s.ExpiresAt)
		}
		rows := strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", len(some)), ", ")
		if _, err := db.exec(ctx, "INSERT INTO signatures (id, path, expires_at) VALUES "+rows+" ON CONFLICT (id) DO NOTHING", args...); err != nil {
			return err
		}
	}
	return nil
}

// Signatures reads those that have not expired, the latest first, at most limit.
func (db *DB) Signatures(ctx context.Context, now Instant, limit int) ([]Signature, error) {
	var all []Signature
	err := db.list(ctx, &all, "SELECT id, path, expires_at FROM signatures WHERE expires_at > ? ORDER BY expires_at DESC LIMIT ?", now, limit)
	return all, err
}

// ForgetSignatures removes expired ones.
func (db *DB) ForgetSignatures(ctx context.Context, now Instant) error {
	_, err := db.exec(ctx, "DELETE FROM signatures WHERE expires_at <= ?", now)
	return err
}
