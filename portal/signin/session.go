package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Renew gives a browser's session a new cookie and returns its value; "" for an API token, which it leaves alone. The
// former cookie stays valid for a while, see renewal. LoginRequired when the session has ended.
func (p *Signin) Renew(ctx context.Context, tx *store.DB, s access.Session) (token string, err error) {
	if s.Client != "" {
		return "", nil
	}
	ctx = p.sessions.WithSession(ctx)
	if token, err = p.sessions.NewCookie(ctx); err != nil {
		return "", err
	}
	b := new(store.Batch)
	renewed := p.sessions.Renewal(ctx, store.BrowserSession{Session: s, StoredID: s.ID}, token)
	if _, err := p.sessions.CommitSession(ctx, tx, b, renewed); err != nil {
		return "", err
	}
	err = tx.Run(ctx, b)
	if errors.Is(err, store.ErrSessionEnded) {
		err = access.LoginRequired
	}
	return token, err
}

// FreshSession is how old a sign-in may be to unbind a phone without the password.
const FreshSession = 10 * time.Minute
