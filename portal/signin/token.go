package signin

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// The kinds of programs, besides access.ClientPC.
const (
	ClientApp    access.Client = "APP"    // a native app
	ClientWebApp access.Client = "WEBAPP" // a web app
)

// Clients lists all kinds of programs.
var Clients = []access.Client{ClientApp, ClientWebApp, access.ClientPC}

// TokenInput is the token of a call of the API.
type TokenInput struct {
	Token     string
	Client    access.Client
	Ticket    bool  // the call may be made with a ticket
	CompanyID int64 // the company the caller says it is in (X-Company-Id), 0 for none

	// Session is the session that FindToken returned for the token in the same call, nil if it was not called.
	Session *access.Session
}

// FindToken reads the session of a token or ticket, and changes nothing. It returns nil for one that is unknown or has
// ended. A session that it returns may be of another kind of client, or blocked: Token says whether it may be used.
func (l *Landing) FindToken(ctx context.Context, token string) (*access.Session, error) {
	if token == "" {
		return nil, nil
	}
	s, err := l.core.DB.Sessions.ByID(ctx, access.Hashed(token), store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// Token returns the session of a token and extends it. It refuses with LoginRequired a token that is unknown, expired,
// of another kind of client or of another company, and a ticket where in.Ticket is not set. When the account that the
// token acts as was blocked since, it revokes the token and refuses with the reason.
func (l *Landing) Token(ctx context.Context, in TokenInput) (access.Session, error) {
	found, err := in.Session, error(nil)
	if found == nil {
		found, err = l.FindToken(ctx, in.Token)
	}
	if err != nil {
		return access.Session{}, err
	}
	if found == nil {
		return access.Session{}, access.LoginRequired
	}
	s, now := *found, l.core.Now()
	elsewhere := in.CompanyID != 0 && s.CompanyID != 0 && in.CompanyID != s.CompanyID
	if s.Client == "" || s.Client != string(in.Client) || s.Purpose == store.PurposeChoose && !in.Ticket || elsewhere {
		return access.Session{}, access.LoginRequired
	}
	if s.ActingID != 0 {
		if err := l.checkActingAccount(ctx, s, in.CompanyID); err != nil {
			return access.Session{}, err
		}
	}
	if s.Purpose != store.PurposeChoose && now.Sub(s.SeenAt.Time()) >= core.TouchAfter {
		s.SeenAt, s.IdleUntil = store.At(now), min(store.At(now.Add(core.TokenIdle)), s.EndsAt)
		err = l.core.DB.Sessions.Touch(ctx, s.ID, s.SeenAt, s.IdleUntil)
	}
	return s, err
}

// checkActingAccount refuses a token with LoginRequired when its account is gone, belongs to another phone now, or is
// of another company than companyID. It revokes the token of a blocked account and refuses with the reason.
func (l *Landing) checkActingAccount(ctx context.Context, s access.Session, companyID int64) error {
	m, err := l.core.DB.Accounts.EntryState(ctx, s.ActingID)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.PersonID != 0 && m.PersonID != s.PersonID {
		return access.LoginRequired
	}
	if err != nil {
		return err
	}
	if companyID != 0 && companyID != m.CompanyID {
		return access.LoginRequired
	}
	l.accounts.MarkEntry(&m, s.Provider)
	reason := access.BlockedBy(m, s.Lighting, l.core.Now())
	if reason == "" {
		return nil
	}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		if m, err = tx.Accounts.OfAnyCompany(ctx, s.ActingID); err != nil { // with the people who can help
			return err
		}
		if err := tx.Sessions.End(ctx, s.ID); err != nil {
			return err
		}
		return l.core.Access.Event(ctx, tx, "token_ended", m, string(reason))
	})
	if err != nil {
		return err
	}
	return l.core.Access.Blocked(ctx, l.core.DB, m, reason)
}
