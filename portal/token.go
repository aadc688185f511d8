package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// Client is the kind of program that calls the API; a token works for the kind it was made for (X-Token-Type,
// contract section 4).
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

// RedeemForClient redeems an auth code for an API client, whichever site received the code. It returns the user with a
// token for that account alone. The same client may redeem the code again before it has used the token: it gets the
// same answer. It refuses with LoginRequired a code that is unknown, used, expired, or of another company than
// companyID. A second redemption also ends what the first one made.
func (p *Portal) RedeemForClient(ctx context.Context, code string, client Client, companyID int64) (User, error) {
	var sealed sealedCode
	if p.unseal("auth code", code, &sealed) != nil || companyID != 0 && companyID != sealed.User.CompanyID {
		return User{}, p.badCode(ctx, LoginRequired)
	}
	token := p.redeemedToken(sealed.ID, client)
	var user User
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		used, err := tx.UseAuthCodeAnywhere(ctx, hashed(sealed.ID), store.At(p.now()))
		again := errors.Is(err, store.ErrNotFound)
		if again {
			used, err = p.redeemedBefore(ctx, tx, hashed(sealed.ID), client, token)
		}
		if err == nil {
			err = p.checkTarget(ctx, tx, used)
		}
		if err != nil {
			return err
		}
		m, err := tx.MemberByID(ctx, used.CompanyID, used.AccountID)
		if err != nil {
			return err
		}
		p.markEntry(&m, used.Provider)
		if reason := BlockedBy(m, used.Lighting, p.now()); reason != "" {
			return p.blocked(m, reason)
		}
		user = p.userOf(m)
		user.Token = Text(token)
		if again {
			return nil
		}
		b := new(store.Batch)
		p.confirmSignIn(b, used)
		s := p.newClientSession(ctx, client, token)
		s.SeenAt = neverUsed
		s.Purpose, s.Family, s.Device, s.Provider = store.PurposeCode, used.Family, used.Device, used.Provider
		s.AccountID, s.ActingID, s.CompanyID, s.Lighting = m.ID, m.ID, m.CompanyID, used.Lighting
		if s.CreatedAt, err = p.provenAt(ctx, tx, used); err != nil {
			return err
		}
		b.AddSession(s)
		if err := tx.Run(ctx, b); err != nil {
			return err
		}
		if err := tx.SetAuthCodeSession(ctx, used.ID, s.ID, ""); err != nil {
			return err
		}
		return p.event(ctx, tx, "auth_code_used", m, string(client))
	})
	if errors.Is(err, store.ErrNotFound) {
		if err = p.reused(ctx, hashed(sealed.ID)); errors.Is(err, RedirectFailed) {
			err = p.badCode(ctx, LoginRequired)
		}
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// provenAt is when the sign-in that issued a code was made: what it hands on is no fresher than that. One that has
// gone under another id since is not fresh.
func (p *Portal) provenAt(ctx context.Context, tx *store.DB, code store.AuthCode) (store.Instant, error) {
	issuer, err := tx.SessionByID(ctx, code.SessionID, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		return store.At(p.now().Add(-FreshSession - time.Second)), nil
	}
	return issuer.CreatedAt, err
}
