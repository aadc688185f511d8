package store

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Attempts is the counter of failures under one key. Failures counts those since the last success, WindowFailures those
// since WindowFrom.
type Attempts struct {
	Key            string  `db:"key"`
	Failures       int     `db:"failures"`
	WindowFailures int     `db:"window_failures"`
	WindowFrom     Instant `db:"window_from"`
	BlockedUntil   Instant `db:"blocked_until"`
	UpdatedAt      Instant `db:"updated_at"`
}

// AttemptTable counts failed attempts and lookups, for rate limits.
type AttemptTable struct{ db *DB }

// Of reads the counter of a key. When there is none, all counts are 0.
func (t AttemptTable) Of(ctx context.Context, key string) (Attempts, error) {
	a := Attempts{Key: key}
	err := t.db.get(ctx, &a, "SELECT key, failures, window_failures, window_from, blocked_until, updated_at "+
		"FROM attempts WHERE key = ?", key)
	if err == ErrNotFound {
		err = nil
	}
	return a, err
}

// OfAll reads the counters of several keys, of which there must be at least one. Keys without a counter are left out.
func (t AttemptTable) OfAll(ctx context.Context, keys []string) ([]Attempts, error) {
	args := make([]any, len(keys))
	for i, key := range keys {
		args[i] = key
	}
	return rows[Attempts](ctx, t.db, `SELECT key, failures, window_failures, window_from, blocked_until, updated_at
		FROM attempts WHERE key IN (?`+strings.Repeat(", ?", len(keys)-1)+")", args...)
}

// OfCompanies reads the counters of the companies whose messages were counted last, the last one first, at most
// limit. The key of such a counter is "sms:company:" and the company's id.
func (t AttemptTable) OfCompanies(ctx context.Context, limit int) ([]Attempts, error) {
	return rows[Attempts](ctx, t.db, `SELECT key, failures, window_failures, window_from, blocked_until, updated_at
		FROM attempts WHERE substr(key, 1, 12) = 'sms:company:' ORDER BY updated_at DESC LIMIT ?`, limit)
}

// Raise counts one more failure under a key and returns the counter. It is one statement, so that each of
// several attempts at the same time is counted. A window that began at windowFrom or before starts anew. ErrNotFound
// while the key is blocked at now: a blocked attempt is not counted.
func (t AttemptTable) Raise(ctx context.Context, key string, now, windowFrom Instant) (Attempts, error) {
	var a Attempts
	err := t.db.change(ctx, &a, `INSERT INTO attempts (key, failures, window_failures, window_from, blocked_until,
		updated_at) VALUES (?, 1, 1, ?, 0, ?)
		ON CONFLICT (key) DO UPDATE SET failures = attempts.failures + 1,
			window_failures = CASE WHEN attempts.window_from <= ? THEN 1 ELSE attempts.window_failures + 1 END,
			window_from = CASE WHEN attempts.window_from <= ? THEN excluded.window_from ELSE attempts.window_from END,
			updated_at = excluded.updated_at
			WHERE attempts.blocked_until <= ?
		RETURNING key, failures, window_failures, window_from, blocked_until, updated_at`,
		key, now, now, windowFrom, windowFrom, now)
	return a, err
}

// Block blocks a key until the given instant. It never shortens a block.
func (t AttemptTable) Block(ctx context.Context, key string, until Instant) error {
	_, err := t.db.exec(ctx, "UPDATE attempts SET blocked_until = ? WHERE key = ? AND blocked_until < ?",
		until, key, until)
	return err
}

// Lower takes failures off the window of a key. A success shows that the key, an address, is not only used to
// guess passwords.
func (t AttemptTable) Lower(ctx context.Context, key string, by int) error {
	b := new(Batch)
	b.LowerAttempts(key, by)
	return t.db.Run(ctx, b)
}

// LowerAttempts takes failures off the window of a key. A success shows that the key, an address, is not only used to
// guess passwords.
func (b *Batch) LowerAttempts(key string, by int) {
	b.add(`UPDATE attempts SET window_failures = CASE WHEN window_failures > ? THEN window_failures - ? ELSE 0 END
		WHERE key = ?`, by, by, key)
}

// ErrBlocked says that a key is blocked, or that too many failures were counted under it.
var ErrBlocked = errors.New("store: blocked by failures")

// RefuseBlocked makes the batch fail with ErrBlocked while a key is blocked at now.
func (b *Batch) RefuseBlocked(key string, now Instant) {
	b.mustNotChange(ErrBlocked, `UPDATE attempts SET blocked_until = blocked_until
		WHERE key = ? AND blocked_until > ?`, key, now)
}

// RefuseUsedUp makes the batch fail with ErrBlocked when at least that many failures were counted under a key in a
// window that began after windowFrom.
func (b *Batch) RefuseUsedUp(key string, failures int, windowFrom Instant) {
	b.mustNotChange(ErrBlocked, `UPDATE attempts SET window_failures = window_failures
		WHERE key = ? AND window_failures >= ? AND window_from > ?`, key, failures, windowFrom)
}

// ClearUnblocked removes the counter of a key after a success, unless the key is blocked at now.
func (b *Batch) ClearUnblocked(key string, now Instant) {
	b.add("DELETE FROM attempts WHERE key = ? AND blocked_until <= ?", key, now)
}

// ClearSubject removes the counter of a subject and the counters that browsers known to the subject have of their own.
// The key of such a counter is "known:", 22 characters of the browser's id, ":" and the subject. The index and this
// condition rely on that.
func (t AttemptTable) ClearSubject(ctx context.Context, subject string) error {
	if _, err := t.db.exec(ctx, "DELETE FROM attempts WHERE key = ?", subject); err != nil {
		return err
	}
	_, err := t.db.exec(ctx, "DELETE FROM attempts WHERE substr(key, 30) = ? AND substr(key, 1, 6) = 'known:'", subject)
	return err
}

// NoteLookup stores that an address looked up a subject (a keyed hash), and returns how many subjects the address has
// looked up since the given instant, as CountLookups does. It stores nothing when that number has reached most.
func (t AttemptTable) NoteLookup(
	ctx context.Context, address, subject string, now, since Instant, most int,
) (int, error) {
	if _, err := t.db.exec(ctx, `INSERT INTO lookups (address, subject, at)
		SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
		WHERE (SELECT COUNT(*) FROM (SELECT 1 FROM lookups WHERE address = ? AND at > ? LIMIT ?) AS asked) < ?
		ON CONFLICT (address, subject) DO UPDATE SET at = excluded.at`,
		address, subject, now, address, since, most, most); err != nil {
		return 0, err
	}
	return t.CountLookups(ctx, address, since, most)
}

// CountLookups counts the distinct subjects that NoteLookup recorded for an address since the given instant, up to
// most: it reads no more rows than that.
func (t AttemptTable) CountLookups(ctx context.Context, address string, since Instant, most int) (int, error) {
	return row[int](ctx, t.db, "SELECT COUNT(*) FROM (SELECT 1 FROM lookups "+
		"WHERE address = ? AND at > ? LIMIT ?) AS asked",
		address, since, most)
}

// WithDevice reads the counters of some keys, as OfAll does, and when a browser last signed in to a
// subject, 0 for never.
func (t AttemptTable) WithDevice(
	ctx context.Context, keys []string, device, subject string,
) (all []Attempts, seenAt Instant, err error) {
	args := []any{device, subject}
	for _, key := range keys {
		args = append(args, key)
	}
	err = t.db.list(ctx, &all, `SELECT '' AS key, 0 AS failures, 0 AS window_failures, 0 AS window_from,
			0 AS blocked_until, seen_at AS updated_at FROM known_devices WHERE device = ? AND subject = ?
		UNION ALL SELECT key, failures, window_failures, window_from, blocked_until, updated_at
		FROM attempts WHERE key IN (?`+strings.Repeat(", ?", len(keys)-1)+")", args...)
	i := slices.IndexFunc(all, func(a Attempts) bool { return a.Key == "" })
	if i < 0 {
		return all, 0, err
	}
	seenAt = all[i].UpdatedAt
	return slices.Delete(all, i, i+1), seenAt, err
}

// Forget removes counters that have not changed since the given instant, at most SweepStep. Counters that still
// block stay.
func (t AttemptTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM attempts
		WHERE key IN (SELECT key FROM attempts WHERE updated_at < ? AND blocked_until < ? LIMIT ?)`,
		before, before, SweepStep)
}

// ForgetLookups removes look-ups that were made before the given instant, at most SweepStep.
func (t AttemptTable) ForgetLookups(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM lookups
		WHERE (address, subject) IN (SELECT address, subject FROM lookups WHERE at < ? LIMIT ?)`, before, SweepStep)
}
