package landing

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/sessions"
	"portico/store"
)

const (
	ClientApp    access.Client = "APP"
	ClientWebApp access.Client = "WEBAPP"
)

// Clients are all of them.
var Clients = []access.Client{ClientApp, ClientWebApp, access.ClientPC}

// TokenInput is a token as it came with a call.
type TokenInput struct {
	Token     string
	Client    access.Client
	Ticket    bool  // the call may be made with a ticket
	CompanyID int64 // the company the caller says it is in (X-Company-Id), 0 for none
}

// Token reads who a token stands for and slides its end. LoginRequired for one that is unknown, ended, of
// another kind of client or another company, or a ticket where none will do. When the
// account it acts as has been blocked since, that is the refusal, once: the token ends with it.
func (l *Landing) Token(ctx context.Context, in TokenInput) (access.Session, error) {
	now := l.now()
	s, err := l.db.SessionByID(ctx, access.Hashed(in.Token), store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return access.Session{}, access.LoginRequired
	}
	if err != nil {
		return access.Session{}, err
	}
	elsewhere := in.CompanyID != 0 && s.CompanyID != 0 && in.CompanyID != s.CompanyID
	if s.Client == "" || s.Client != string(in.Client) || s.Purpose == store.PurposeChoose && !in.Ticket || elsewhere {
		return access.Session{}, access.LoginRequired
	}
	if s.ActingID != 0 {
		if err := l.checkActingAccount(ctx, s, in.CompanyID); err != nil {
			return access.Session{}, err
		}
	}
	if s.Purpose != store.PurposeChoose && now.Sub(s.SeenAt.Time()) >= sessions.TouchAfter {
		s.SeenAt, s.IdleUntil = store.At(now), min(store.At(now.Add(sessions.TokenIdle)), s.EndsAt)
		err = l.db.TouchSession(ctx, s.ID, s.SeenAt, s.IdleUntil)
	}
	return s, err
}

// checkActingAccount refuses a token whose account is gone, moved to another phone, of another company, or blocked.
func (l *Landing) checkActingAccount(ctx context.Context, s access.Session, companyID int64) error {
	m, err := l.db.StandingOfAccount(ctx, s.ActingID)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.PhoneID != 0 && m.PhoneID != s.PhoneID {
		return access.LoginRequired
	}
	if err != nil {
		return err
	}
	if companyID != 0 && companyID != m.CompanyID {
		return access.LoginRequired
	}
	l.accounts.MarkEntry(&m, s.Provider)
	reason := access.BlockedBy(m, s.Lighting, l.now())
	if reason == "" {
		return nil
	}
	err = l.db.Tx(ctx, func(tx *store.DB) error {
		if m, err = tx.MemberOfAccount(ctx, s.ActingID); err != nil { // with whom to call
			return err
		}
		if err := tx.EndSession(ctx, s.ID); err != nil {
			return err
		}
		return l.access.Event(ctx, tx, "token_ended", m, string(reason))
	})
	if err != nil {
		return err
	}
	return l.access.Blocked(m, reason)
}
