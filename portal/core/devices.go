package core

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/store"
)

// DeviceView is a browser or program that a person is signed in on, as that person sees it.
type DeviceView struct {
	Ref     string        // identifies it in a form
	Client  access.Client // "" for a browser
	Agent   string        // its User-Agent
	Address string        // its IP address at the sign-in
	Seen    time.Duration // time since its last use
	Current bool          // whether it sent this request
}

// Devices lists where the person of a session is signed in: this browser first, then the others, last used first.
func (s *Sessions) Devices(ctx context.Context, session access.Session) ([]DeviceView, error) {
	now := s.core.Now()
	sessions, err := s.core.DB.Sessions.OfHolder(ctx, session.PersonID, session.AccountID, store.At(now))
	if err != nil {
		return nil, err
	}
	var current, others []DeviceView
	for _, one := range sessions {
		view := DeviceView{Ref: s.core.Sealing.Tag("session", one.Family), Client: access.Client(one.Client),
			Agent: one.Agent, Address: one.Address, Seen: now.Sub(one.SeenAt.Time())}
		if one.ID == session.ID {
			view.Current = true
			current = append(current, view)
		} else {
			others = append(others, view)
		}
	}
	return append(current, others...), nil
}

// EndDevice signs a person out on one of their own browsers, with everything that was entered from it. It refuses any
// other browser with NotFound.
func (s *Sessions) EndDevice(ctx context.Context, session access.Session, ref string) error {
	n, err := s.endSessions(ctx, session, func(one access.Session) bool {
		return s.core.Sealing.Tag("session", one.Family) == ref
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return access.NotFound
	}
	return nil
}

// EndOtherDevices signs a person out on every browser but this one.
func (s *Sessions) EndOtherDevices(ctx context.Context, session access.Session) error {
	_, err := s.endSessions(ctx, session, func(one access.Session) bool { return one.ID != session.ID })
	return err
}

// endSessions ends the sessions of a person for which matches returns true, and returns their number.
func (s *Sessions) endSessions(
	ctx context.Context, session access.Session, matches func(access.Session) bool,
) (n int, err error) {
	err = s.core.DB.Tx(ctx, func(tx *store.DB) error {
		sessions, err := tx.Sessions.OfHolder(ctx, session.PersonID, session.AccountID, store.At(s.core.Now()))
		if err != nil {
			return err
		}
		n = 0
		for _, one := range sessions {
			if !matches(one) {
				continue
			}
			n++
			owner := store.Member{Account: store.Account{ID: session.AccountID, PersonID: session.PersonID}}
			if err := s.core.Access.Event(ctx, tx, "session_ended", owner, "by its owner"); err != nil {
				return err
			}
			if err := s.endSession(ctx, tx, one); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// CountBadCode counts an invalid auth code or app token against the address that sent it, and returns refusal. It
// returns TooManyAttempts once the address has sent more than BadCodes within FailureWindow. Other errors than
// RedirectFailed and LoginRequired do not count.
func (s *Sessions) CountBadCode(ctx context.Context, refusal error) error {
	if s.core.NoLimit || !errors.Is(refusal, access.RedirectFailed) && !errors.Is(refusal, access.LoginRequired) {
		return refusal
	}
	now := s.core.Now()
	a, err := s.core.DB.Attempts.Raise(ctx, "code:"+access.Network(access.CallerOf(ctx).Address), store.At(now),
		store.At(now.Add(-FailureWindow)))
	if err != nil {
		return err
	}
	if a.WindowFailures > BadCodes {
		s.core.Access.CountLimited("auth_codes")
		return &access.Refused{Refusal: access.TooManyAttempts,
			Wait: a.WindowFrom.Time().Add(FailureWindow).Sub(now)}
	}
	return refusal
}
