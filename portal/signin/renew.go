package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// FreshSession is how old a sign-in may be to unbind a phone without the password.
const FreshSession = 10 * time.Minute

// Renew gives a browser's session a new cookie and returns its value. The former cookie stays valid for a while, see
// sessions.Renewal. An API token stays as it is, and the value is "". It refuses with LoginRequired a session that has
// ended.
func (s *Signin) Renew(ctx context.Context, tx *store.DB, session access.Session) (token string, err error) {
	if session.Client != "" {
		return "", nil
	}
	ctx = s.sessions.WithSession(ctx)
	if token, err = s.sessions.NewCookie(ctx); err != nil {
		return "", err
	}
	b := new(store.Batch)
	renewed := s.sessions.Renewal(ctx, store.BrowserSession{Session: session, StoredID: session.ID}, token)
	if _, err := s.sessions.CommitSession(ctx, tx, b, renewed); err != nil {
		return "", err
	}
	err = tx.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		err = access.LoginRequired
	}
	return token, err
}
