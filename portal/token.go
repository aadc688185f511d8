package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// Client is the kind of program that calls the API; a token works for the kind it was made for (header
// X-Token-Type).
type Client string

// The kinds.
const (
	ClientApp    Client = "APP"
	ClientWebApp Client = "WEBAPP"
	ClientPC     Client = "PC"
)

// Clients are all of them.
var Clients = []Client{ClientApp, ClientWebApp, ClientPC}

const (
	// TokenIdle is how long a token lasts after its last use; TokenLife how long it lasts at most.
	TokenIdle = 30 * 24 * time.Hour
	TokenLife = 365 * 24 * time.Hour
	// TicketLife is how long a sign-in's ticket may be used to choose an account.
	TicketLife = 15 * time.Minute
)

// newClientSession is the session behind a fresh token. It has no host: no cookie names it.
func (p *Portal) newClientSession(ctx context.Context, client Client, token string) store.Session {
	now, caller := p.now(), callerOf(ctx)
	return store.Session{
		ID: hashed(token), Client: string(client), Family: randomToken(16), Device: randomToken(16),
		Address: caller.Address, Agent: agentOf(ctx),
		CreatedAt: store.At(now), SeenAt: store.At(now), Confirmed: true,
		IdleUntil: store.At(now.Add(TokenIdle)), EndsAt: store.At(now.Add(TokenLife)),
	}
}

// asTicket narrows a session to choosing an account, for a short while.
func (p *Portal) asTicket(s store.Session) store.Session {
	s.Purpose, s.EndsAt = store.PurposeChoose, store.At(p.now().Add(TicketLife))
	s.IdleUntil = s.EndsAt
	return s
}

// TokenInput is a token as it came with a call.
type TokenInput struct {
	Token     string
	Client    Client
	Ticket    bool  // the call may be made with a ticket
	CompanyID int64 // the company the caller says it is in (X-Company-Id), 0 for none
}

// Token reads who a token stands for and slides its end. LoginRequired for one that is unknown, ended, of
// another kind of client or another company, or a ticket where none will do. When the
// account it acts as has been blocked since, that is the refusal, once: the token ends with it.
func (p *Portal) Token(ctx context.Context, in TokenInput) (Session, error) {
	now := p.now()
	s, err := p.db.SessionByID(ctx, hashed(in.Token), store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return Session{}, LoginRequired
	}
	if err != nil {
		return Session{}, err
	}
	elsewhere := in.CompanyID != 0 && s.CompanyID != 0 && in.CompanyID != s.CompanyID
	if s.Client == "" || s.Client != string(in.Client) || s.Purpose == store.PurposeChoose && !in.Ticket || elsewhere {
		return Session{}, LoginRequired
	}
	if s.ActingID != 0 {
		if err := p.mayAct(ctx, s, in.CompanyID); err != nil {
			return Session{}, err
		}
	}
	if s.Purpose != store.PurposeChoose && now.Sub(s.SeenAt.Time()) >= touchAfter {
		s.SeenAt, s.IdleUntil = store.At(now), min(store.At(now.Add(TokenIdle)), s.EndsAt)
		err = p.db.TouchSession(ctx, s.ID, s.SeenAt, s.IdleUntil)
	}
	return s, err
}

// mayAct refuses a token whose account is gone, moved to another phone, of another company, or blocked.
func (p *Portal) mayAct(ctx context.Context, s Session, companyID int64) error {
	m, err := p.db.StandingOfAccount(ctx, s.ActingID)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.PhoneID != 0 && m.PhoneID != s.PhoneID {
		return LoginRequired
	}
	if err != nil {
		return err
	}
	if companyID != 0 && companyID != m.CompanyID {
		return LoginRequired
	}
	p.markEntry(&m, s.Provider)
	reason := BlockedBy(m, s.Lighting, p.now())
	if reason == "" {
		return nil
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if m, err = tx.MemberOfAccount(ctx, s.ActingID); err != nil { // with whom to call
			return err
		}
		if err := tx.EndSession(ctx, s.ID); err != nil {
			return err
		}
		return p.event(ctx, tx, "token_ended", m, string(reason))
	})
	if err != nil {
		return err
	}
	return p.blocked(m, reason)
}
