package sessions

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/store"
)

// DeviceView is one browser a person is signed in on, as that person sees it. Ref names it in a form.
type DeviceView struct {
	Ref     string
	Client  access.Client // "" a browser
	Agent   string
	Address string
	Seen    time.Duration // ago
	Current bool
}

// Devices lists where the person of a session is signed in, this browser first, then the last used first.
func (s *Sessions) Devices(ctx context.Context, session access.Session) ([]DeviceView, error) {
	now := s.now()
	sessions, err := s.db.SessionsOf(ctx, session.PhoneID, session.AccountID, store.At(now))
	if err != nil {
		return nil, err
	}
	var current, others []DeviceView
	for _, one := range sessions {
		view := DeviceView{Ref: s.sealing.Tag("session", one.Family), Client: access.Client(one.Client),
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
		return s.sealing.Tag("session",
			one.Family) == ref
	})
	if err == nil && n == 0 {
		err = access.NotFound
	}
	return err
}

// EndOtherDevices signs a person out on every browser but this one.
func (s *Sessions) EndOtherDevices(ctx context.Context, session access.Session) error {
	_, err := s.endSessions(ctx, session, func(one access.Session) bool { return one.ID != session.ID })
	return err
}

// endSessions ends those of a person's own sessions that are meant, and says how many.
func (s *Sessions) endSessions(
	ctx context.Context, session access.Session, meant func(access.Session) bool,
) (n int, err error) {
	err = s.db.Tx(ctx, func(tx *store.DB) error {
		sessions, err := tx.SessionsOf(ctx, session.PhoneID, session.AccountID, store.At(s.now()))
		if err != nil {
			return err
		}
		n = 0
		for _, one := range sessions {
			if !meant(one) {
				continue
			}
			n++
			if err := s.access.Event(ctx, tx, "session_ended",
				store.Member{Account: store.Account{ID: session.AccountID, PhoneID: session.PhoneID}},
				"by its owner"); err != nil {
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

// CountBadCode counts auth codes that were none, and refuses an address that sends too many.
func (s *Sessions) CountBadCode(ctx context.Context, refusal error) error {
	if s.noLimit || !errors.Is(refusal, access.RedirectFailed) && !errors.Is(refusal, access.LoginRequired) {
		return refusal
	}
	now := s.now()
	a, err := s.db.RaiseAttempts(ctx, "code:"+access.Network(access.CallerOf(ctx).Address), store.At(now),
		store.At(now.Add(-limits.FailureWindow)))
	if err != nil {
		return err
	}
	if a.WindowFailures > limits.BadCodes {
		return &access.Refused{Refusal: access.TooManyAttempts,
			Wait: a.WindowFrom.Time().Add(limits.FailureWindow).Sub(now)}
	}
	return refusal
}
