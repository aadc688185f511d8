package store

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// SessionValue is the one value that a browser's session holds in the session manager (scs): a BrowserSession.
const SessionValue = "session"

// BrowserSession is a session as the session manager holds it during a request. StoredID is the id of its row, "" for a
// session that is not stored yet. When a commit finds another id in the row, it renames the row.
type BrowserSession struct {
	Session
	Slots    []SessionSlot
	StoredID string
}

// ErrSessionEnded says that the row of a session is not there any more under the id under which it was read: the
// session has ended, or another request has renewed it.
var ErrSessionEnded = errors.New("store: the session has ended")

// SessionStore keeps the sessions of browsers in the table sessions, one column for each of their fields. It implements
// scs.CtxStore for a manager that hashes the tokens (HashTokenInStore). now is the clock that sessions expire by.
type SessionStore struct {
	db  *DB
	now func() time.Time
}

// SessionStore returns the store of browser sessions.
func (db *DB) SessionStore(now func() time.Time) *SessionStore { return &SessionStore{db, now} }

type batchKey struct{}

// WithBatch makes a commit or a deletion add its statement to a batch instead of running it. The caller runs the batch
// in the transaction of the operation.
func WithBatch(ctx context.Context, b *Batch) context.Context {
	return context.WithValue(ctx, batchKey{}, b)
}

type rowKeptKey struct{}

// WithRowKept makes a deletion leave the row alone. A renewal renames the row in its commit, so that the slots of the
// session stay; a sign-out ends the row together with everything else that the sign-in made.
func WithRowKept(ctx context.Context) context.Context {
	return context.WithValue(ctx, rowKeptKey{}, true)
}

// FindCtx reads a session that has not expired, with its slots, by its current or former token.
func (s *SessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	id, err := sessionID(token)
	if err != nil {
		return nil, false, nil
	}
	found, err := s.db.Sessions.WithSlots(ctx, id, At(s.now()))
	if errors.Is(err, ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	encoded, err := json.Marshal(found)
	return encoded, true, err
}

// CommitCtx inserts a new session, or updates the row of a stored one, see SaveSession. ErrSessionEnded.
func (s *SessionStore) CommitCtx(ctx context.Context, token string, encoded []byte, expiry time.Time) error {
	id, err := sessionID(token)
	if err != nil {
		return err
	}
	var session BrowserSession
	if err := json.Unmarshal(encoded, &session); err != nil {
		return fmt.Errorf("read the session to commit: %w", err)
	}
	session.ID, session.EndsAt = id, At(expiry)
	return s.run(ctx, func(b *Batch) { b.SaveSession(session) })
}

// DeleteCtx removes a session with its slots, unless WithRowKept says that the row stays.
func (s *SessionStore) DeleteCtx(ctx context.Context, token string) error {
	id, err := sessionID(token)
	if err != nil || ctx.Value(rowKeptKey{}) != nil {
		return err
	}
	return s.run(ctx, func(b *Batch) { b.add("DELETE FROM sessions WHERE id = ?", id) })
}

// run adds statements to the batch of the context, or runs them at once when it has none.
func (s *SessionStore) run(ctx context.Context, add func(b *Batch)) error {
	if b, joined := ctx.Value(batchKey{}).(*Batch); joined {
		add(b)
		return nil
	}
	b := new(Batch)
	add(b)
	return s.db.Run(ctx, b)
}

// Find is FindCtx without a context.
func (s *SessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *SessionStore) Commit(token string, encoded []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, encoded, expiry)
}

// Delete is DeleteCtx without a context.
func (s *SessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// sessionID returns the id of a session, which is the SHA-256 of its token in hex. The session manager passes the same
// hash in base64.
func sessionID(token string) (string, error) {
	sum, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", fmt.Errorf("read the hash of a session's token: %w", err)
	}
	return hex.EncodeToString(sum), nil
}

// SaveSession inserts a session that is not stored yet. Of a stored one it updates what a request may change: the id
// with the former id, and the times of use, which only grow. Run returns ErrSessionEnded when the row is gone, so that
// a slow request never brings an ended session back.
func (b *Batch) SaveSession(s BrowserSession) {
	if s.StoredID == "" {
		b.AddSession(s.Session)
		return
	}
	idleUntil := min(s.IdleUntil, s.EndsAt)
	b.mustChange(ErrSessionEnded, `UPDATE sessions
		SET id = ?, former_id = ?, former_until = ?, renewal = ?, confirmed = (confirmed OR ?),
			seen_at = CASE WHEN seen_at < ? THEN ? ELSE seen_at END,
			idle_until = CASE WHEN idle_until < ? THEN ? ELSE idle_until END
		WHERE id = ?`,
		s.ID, s.FormerID, s.FormerUntil, s.Renewal, s.Confirmed, s.SeenAt, s.SeenAt, idleUntil, idleUntil, s.StoredID)
}

// SessionCodec carries a BrowserSession between the session manager and the SessionStore. It implements scs.Codec.
type SessionCodec struct{}

// Encode writes the session of the manager's values.
func (SessionCodec) Encode(_ time.Time, values map[string]any) ([]byte, error) {
	s, ok := values[SessionValue].(BrowserSession)
	if !ok {
		return nil, errors.New("store: there is no session to commit")
	}
	return json.Marshal(s)
}

// Decode reads a session into the manager's values.
func (SessionCodec) Decode(encoded []byte) (deadline time.Time, values map[string]any, err error) {
	var s BrowserSession
	if err := json.Unmarshal(encoded, &s); err != nil {
		return time.Time{}, nil, fmt.Errorf("read a session: %w", err)
	}
	return s.EndsAt.Time(), map[string]any{SessionValue: s}, nil
}
