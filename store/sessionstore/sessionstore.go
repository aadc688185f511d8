// Package sessionstore keeps the sessions of browsers in the database for the session manager (scs).
package sessionstore

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"portico/store"
)

// Value is the one value that a browser's session holds in the session manager (scs): a store.BrowserSession.
const Value = "session"

// Store keeps the sessions of browsers in the table sessions, one column for each of their fields. It implements
// scs.CtxStore for a manager that hashes the tokens (HashTokenInStore). now is the clock that sessions expire by.
type Store struct {
	db  *store.DB
	now func() time.Time
}

// New returns the store of the browser sessions of a database.
func New(db *store.DB, now func() time.Time) *Store { return &Store{db, now} }

type batchKey struct{}

// WithBatch makes a commit or a deletion add its statement to a batch instead of running it. The caller runs the batch
// in the transaction of the operation.
func WithBatch(ctx context.Context, b *store.Batch) context.Context {
	return context.WithValue(ctx, batchKey{}, b)
}

type rowKeptKey struct{}

// WithRowKept makes a deletion leave the row alone. A renewal renames the row in its commit, so that the slots of the
// session stay; a sign-out ends the row together with everything else that the sign-in made.
func WithRowKept(ctx context.Context) context.Context {
	return context.WithValue(ctx, rowKeptKey{}, true)
}

// FindCtx reads a session that has not expired, with its slots, by its current or former token.
func (s *Store) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	id, err := sessionID(token)
	if err != nil {
		return nil, false, nil
	}
	found, err := s.db.Sessions.WithSlots(ctx, id, store.At(s.now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	encoded, err := json.Marshal(found)
	return encoded, true, err
}

// CommitCtx inserts a new session, or updates the row of a stored one, see store.Batch.SaveSession.
// store.ErrSessionEnded.
func (s *Store) CommitCtx(ctx context.Context, token string, encoded []byte, expiry time.Time) error {
	id, err := sessionID(token)
	if err != nil {
		return err
	}
	var session store.BrowserSession
	if err := json.Unmarshal(encoded, &session); err != nil {
		return fmt.Errorf("read the session to commit: %w", err)
	}
	session.ID, session.EndsAt = id, store.At(expiry)
	return s.run(ctx, func(b *store.Batch) { b.SaveSession(session) })
}

// DeleteCtx removes a session with its slots, unless WithRowKept says that the row stays.
func (s *Store) DeleteCtx(ctx context.Context, token string) error {
	id, err := sessionID(token)
	if err != nil || ctx.Value(rowKeptKey{}) != nil {
		return err
	}
	return s.run(ctx, func(b *store.Batch) { b.EndSession(id) })
}

// run adds statements to the batch of the context, or runs them at once when it has none.
func (s *Store) run(ctx context.Context, add func(b *store.Batch)) error {
	if b, joined := ctx.Value(batchKey{}).(*store.Batch); joined {
		add(b)
		return nil
	}
	b := new(store.Batch)
	add(b)
	return s.db.Run(ctx, b)
}

// Find is FindCtx without a context.
func (s *Store) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Store) Commit(token string, encoded []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, encoded, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Store) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// sessionID returns the id of a session, which is the SHA-256 of its token in hex. The session manager passes the same
// hash in base64.
func sessionID(token string) (string, error) {
	sum, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", fmt.Errorf("read the hash of a session's token: %w", err)
	}
	return hex.EncodeToString(sum), nil
}

// Codec carries a store.BrowserSession between the session manager and the Store. It implements scs.Codec.
type Codec struct{}

// Encode writes the session of the manager's values.
func (Codec) Encode(_ time.Time, values map[string]any) ([]byte, error) {
	s, ok := values[Value].(store.BrowserSession)
	if !ok {
		return nil, errors.New("sessionstore: there is no session to commit")
	}
	return json.Marshal(s)
}

// Decode reads a session into the manager's values.
func (Codec) Decode(encoded []byte) (deadline time.Time, values map[string]any, err error) {
	var s store.BrowserSession
	if err := json.Unmarshal(encoded, &s); err != nil {
		return time.Time{}, nil, fmt.Errorf("read a session: %w", err)
	}
	return s.EndsAt.Time(), map[string]any{Value: s}, nil
}
