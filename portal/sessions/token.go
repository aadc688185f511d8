package sessions

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// TokenIdle is how long a token lasts after its last use; TokenLife how long it lasts at most.
	TokenIdle = 30 * 24 * time.Hour
	TokenLife = 365 * 24 * time.Hour
	// TicketLife is how long a sign-in's ticket may be used to choose an account.
	TicketLife = 15 * time.Minute
)

// NewClientSession is the session behind a fresh token. It has no host: no cookie names it.
func (s *Sessions) NewClientSession(ctx context.Context, client access.Client, token string) store.Session {
	now, caller := s.now(), access.CallerOf(ctx)
	return store.Session{
		ID: access.Hashed(token), Client: string(client), Family: access.RandomToken(16),
		Device:  access.RandomToken(16),
		Address: caller.Address, Agent: agentOf(ctx),
		CreatedAt: store.At(now), SeenAt: store.At(now), Confirmed: true,
		IdleUntil: store.At(now.Add(TokenIdle)), EndsAt: store.At(now.Add(TokenLife)),
	}
}

// AsTicket narrows a session to choosing an account, for a short while.
func (s *Sessions) AsTicket(session store.Session) store.Session {
	session.Purpose, session.EndsAt = store.PurposeChoose, store.At(s.now().Add(TicketLife))
	session.IdleUntil = session.EndsAt
	return session
}
