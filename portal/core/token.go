package core

import (
	"context"
	"time"

	"portico/portal/access"
	"portico/store"
)

const (
	// TokenIdle is how long a token lasts after its last use.
	TokenIdle = 30 * 24 * time.Hour
	// TokenLife is how long a token lasts at most.
	TokenLife = 365 * 24 * time.Hour
	// TicketLife is how long a program may choose an account with the ticket of a sign-in.
	TicketLife = 15 * time.Minute
)

// NewClientSession returns the session of a new token of a program, not stored. It has no host, so no cookie opens it.
// Every session of a program begins here.
func (s *Sessions) NewClientSession(ctx context.Context, client access.Client, token string) store.Session {
	now, caller := s.core.Now(), access.CallerOf(ctx)
	return store.Session{
		ID: access.Hashed(token), Client: string(client),
		Family: access.RandomToken(16), Device: access.RandomToken(16),
		Address: caller.Address, Agent: agentOf(ctx),
		CreatedAt: store.At(now), SeenAt: store.At(now), Confirmed: true,
		IdleUntil: store.At(now.Add(TokenIdle)), EndsAt: store.At(now.Add(TokenLife)),
	}
}

// AsTicket limits the session of a program to choosing an account, within TicketLife.
func (s *Sessions) AsTicket(session store.Session) store.Session {
	session.Purpose, session.EndsAt = store.PurposeChoose, store.At(s.core.Now().Add(TicketLife))
	session.IdleUntil = session.EndsAt
	return session
}
