package core

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/alexedwards/scs/v2"

	"portico/portal/access"
	"portico/store"
	"portico/store/sessionstore"
)

// The session manager (scs) carries the browser's session: pages load it with LoadSession into the context of a
// request, operations read it there, commit it in their own transaction, and return the cookie's new value, which pages
// write.

// newSessions makes the session manager. It does not call scs.New, which starts a goroutine that cleans up a memory
// store. pages.New describes the cookie.
func newSessions(db *store.DB, now func() time.Time) *scs.SessionManager {
	return &scs.SessionManager{
		Store: sessionstore.New(db, now), Codec: sessionstore.Codec{}, HashTokenInStore: true, Lifetime: AccountLife,
	}
}

// Sessions returns the session manager, for the cookie.
func (s *Sessions) Sessions() *scs.SessionManager { return s.sessions }

// sentCookieKey is the manager's value that holds the cookie as the browser sent it. The manager's token is the same
// until the session is renewed.
const sentCookieKey = "shown"

// sentCookie is the cookie that a browser sent with a request, or the one that the response to it sets (see
// WithNewCookie).
type sentCookie struct {
	cookie string
	err    error // why the session could not be read, nil if it was read
	isNew  bool  // the response sets it: the browser may never receive it
}

// LoadSession returns a context with the session of the cookie that a browser sent, where the operations of the request
// find it. A context that has one already stays as it is. When the database fails, each operation that needs the
// session returns the error.
func (s *Sessions) LoadSession(ctx context.Context, cookie string) context.Context {
	loaded, err := s.sessions.Load(ctx, cookie)
	if err != nil {
		loaded = s.WithSession(ctx)
	}
	if !s.sessions.Exists(loaded, sentCookieKey) {
		s.sessions.Put(loaded, sentCookieKey, sentCookie{cookie: cookie, err: err})
	}
	return loaded
}

// WithSession returns a context that carries a session: the same one, or one with an empty session.
func (s *Sessions) WithSession(ctx context.Context) context.Context {
	loaded, _ := s.sessions.Load(ctx, "") // reads nothing, so it cannot fail
	return loaded
}

// SentCookie returns the session cookie that the browser sent, "" for none.
func (s *Sessions) SentCookie(ctx context.Context) string {
	sent, _ := s.sessions.Get(s.WithSession(ctx), sentCookieKey).(sentCookie)
	return sent.cookie
}

// BrowserSession returns the stored session whose current or former cookie the browser sent. It refuses with
// LoginRequired when there is none. A former cookie counts only for the same User-Agent, and only if it opens the
// current one: otherwise the session was renewed again since.
func (s *Sessions) BrowserSession(ctx context.Context) (store.BrowserSession, error) {
	ctx = s.WithSession(ctx)
	sent, _ := s.sessions.Get(ctx, sentCookieKey).(sentCookie)
	if sent.err != nil {
		return store.BrowserSession{}, sent.err
	}
	stored, _ := s.sessions.Get(ctx, sessionstore.Value).(store.BrowserSession)
	if stored.StoredID == "" || stored.ID != access.Hashed(sent.cookie) &&
		!s.isFormer(ctx, sent.cookie, stored.Session) {
		return store.BrowserSession{}, access.LoginRequired
	}
	return stored, nil
}

// isFormer says whether a cookie is the former one of a session, and valid for this browser.
func (s *Sessions) isFormer(ctx context.Context, cookie string, session access.Session) bool {
	return session.Agent == agentOf(ctx) && s.RenewedCookie(cookie, session) != ""
}

// ReadSessionAgain reads the browser's session from the database once more, because it has changed since the request
// began. It refuses with LoginRequired a session that has ended.
func (s *Sessions) ReadSessionAgain(ctx context.Context) (store.BrowserSession, error) {
	stored, err := s.core.DB.Sessions.WithSlots(ctx, access.Hashed(s.SentCookie(ctx)), store.At(s.core.Now()))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.BrowserSession{}, err
	}
	s.sessions.Put(s.WithSession(ctx), sessionstore.Value, stored)
	return s.BrowserSession(ctx)
}

// WithNewCookie returns a context in which the request has the session of a cookie that its response sets, as if the
// browser had sent it. The session does not count as received by that.
func (s *Sessions) WithNewCookie(ctx context.Context, cookie string) (context.Context, error) {
	ctx = s.WithSession(ctx)
	s.sessions.Put(ctx, sentCookieKey, sentCookie{cookie: cookie, isNew: true})
	_, err := s.ReadSessionAgain(ctx)
	return ctx, err
}

// SignedInAfterChange does what SignedIn does, after an operation that may have ended the session.
func (s *Sessions) SignedInAfterChange(ctx context.Context, place access.Place) (access.Session, error) {
	if _, err := s.ReadSessionAgain(ctx); err != nil {
		return access.Session{}, err
	}
	return s.SignedIn(ctx, place)
}

// Until returns how much time is left until an instant, negative once it has passed.
func (s *Sessions) Until(at store.Instant) time.Duration { return at.Time().Sub(s.core.Now()) }

// NewCookie makes the random value of the cookie under which the session is committed next.
func (s *Sessions) NewCookie(ctx context.Context) (string, error) {
	err := s.sessions.RenewToken(sessionstore.WithRowKept(ctx))
	return s.sessions.Token(ctx), err
}

// CommitSession adds the browser's session to the batch of a transaction, under its present cookie, and returns the
// cookie's value. Later operations of the request see the session once the transaction is committed.
func (s *Sessions) CommitSession(
	ctx context.Context, tx *store.DB, b *store.Batch, session store.BrowserSession,
) (cookie string, err error) {
	before := s.sessions.Get(ctx, sessionstore.Value)
	s.sessions.Put(ctx, sessionstore.Value, session)
	s.sessions.SetDeadline(ctx, session.EndsAt.Time())
	cookie, _, err = s.sessions.Commit(sessionstore.WithBatch(ctx, b))
	s.sessions.Put(ctx, sessionstore.Value, before)
	tx.AfterCommit(func() {
		session.ID = access.Hashed(cookie)
		session.StoredID = session.ID
		s.sessions.Put(ctx, sessionstore.Value, session)
	})
	return cookie, err
}

// Renewal prepares a stored session for its new cookie. The response with the new cookie may be lost, so the browser
// may send the former one for FormerLife, or until it sends the new one. The new cookie is sealed with the former one:
// only a browser that sends the former cookie gets the new one again, even for many requests at once.
func (s *Sessions) Renewal(ctx context.Context, session store.BrowserSession, cookie string) store.BrowserSession {
	former := s.SentCookie(ctx)
	session.ID = access.Hashed(cookie)
	session.FormerID = ""
	session.FormerUntil = 0
	session.Renewal = ""
	if former != "" {
		session.FormerID, session.FormerUntil = access.Hashed(former), store.At(s.core.Now().Add(FormerLife))
		session.Renewal = SealWith(former, cookie)
	}
	return session
}

// Renew gives a browser's session a new cookie and returns its value. The former cookie stays valid for a while, see
// Renewal. An API token stays as it is, and the value is "". It refuses with LoginRequired a session that has ended.
func (s *Sessions) Renew(ctx context.Context, tx *store.DB, session access.Session) (cookie string, err error) {
	if session.Client != "" {
		return "", nil
	}
	ctx = s.WithSession(ctx)
	if cookie, err = s.NewCookie(ctx); err != nil {
		return "", err
	}
	b := new(store.Batch)
	renewed := s.Renewal(ctx, store.BrowserSession{Session: session, StoredID: session.ID}, cookie)
	if _, err := s.CommitSession(ctx, tx, b, renewed); err != nil {
		return "", err
	}
	err = tx.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		err = access.LoginRequired
	}
	return cookie, err
}

// RenewedCookie returns the current cookie of a renewed session to a browser that sends the secret with which the
// cookie was sealed. It returns "" for another secret, and when the session was renewed again since.
func (s *Sessions) RenewedCookie(secret string, session access.Session) string {
	cookie := openWith(secret, session.Renewal)
	if cookie == "" { // the version before this one derived the cookie instead of sealing it
		cookie = s.core.Sealing.Tag("renewed session", session.Renewal+"\x00"+access.Hashed(secret))
	}
	if access.Hashed(cookie) != session.ID {
		return ""
	}
	return cookie
}

// SealWith encrypts and authenticates a cookie under a key that is derived from a random secret.
func SealWith(secret, cookie string) string {
	return base64.RawURLEncoding.EncodeToString(renewalBox(secret).Seal(nil, nil, []byte(cookie), nil))
}

// openWith returns the cookie that SealWith sealed, "" for another secret.
func openWith(secret, sealed string) string {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return ""
	}
	cookie, err := renewalBox(secret).Open(nil, nil, raw, nil)
	if err != nil {
		return ""
	}
	return string(cookie)
}

// renewalBox returns the cipher for a secret.
func renewalBox(secret string) cipher.AEAD {
	key := sha256.Sum256([]byte("renewed session\x00" + secret))
	block, _ := aes.NewCipher(key[:])             // a key of 32 bytes is valid
	box, _ := cipher.NewGCMWithRandomNonce(block) // so is an AES block
	return box
}
