package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// DeviceView is one browser a person is signed in on, as that person sees it. Ref names it in a form.
type DeviceView struct {
	Ref     string
	Client  Client // "" a browser
	Agent   string
	Address string
	Seen    time.Duration // ago
	Current bool
}

// Devices lists where the person of a session is signed in, this browser first, then the last used first.
func (p *Portal) Devices(ctx context.Context, s Session) ([]DeviceView, error) {
	now := p.now()
	sessions, err := p.db.SessionsOf(ctx, s.PhoneID, s.AccountID, store.At(now))
	if err != nil {
		return nil, err
	}
	var current, others []DeviceView
	for _, one := range sessions {
		view := DeviceView{Ref: p.tag("session", one.Family), Client: Client(one.Client), Agent: one.Agent, Address: one.Address, Seen: now.Sub(one.SeenAt.Time())}
		if one.ID == s.ID {
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
func (p *Portal) EndDevice(ctx context.Context, s Session, ref string) error {
	n, err := p.endSessions(ctx, s, func(one Session) bool { return p.tag("session", one.Family) == ref })
	if err == nil && n == 0 {
		err = NotFound
	}
	return err
}

// EndOtherDevices signs a person out on every browser but this one.
func (p *Portal) EndOtherDevices(ctx context.Context, s Session) error {
	_, err := p.endSessions(ctx, s, func(one Session) bool { return one.ID != s.ID })
	return err
}

// endSessions ends those of a person's own sessions that are meant, and says how many.
func (p *Portal) endSessions(ctx context.Context, s Session, meant func(Session) bool) (n int, err error) {
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		sessions, err := tx.SessionsOf(ctx, s.PhoneID, s.AccountID, store.At(p.now()))
		if err != nil {
			return err
		}
		n = 0
		for _, one := range sessions {
			if !meant(one) {
				continue
			}
			n++
			if err := p.event(ctx, tx, "session_ended", store.Member{Account: store.Account{ID: s.AccountID, PhoneID: s.PhoneID}}, "by its owner"); err != nil {
				return err
			}
			if err := p.endSession(ctx, tx, one); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// badCode counts auth codes that were none, and refuses an address that sends too many.
func (p *Portal) badCode(ctx context.Context, refusal error) error {
	if p.noLimit || !errors.Is(refusal, RedirectFailed) && !errors.Is(refusal, LoginRequired) {
		return refusal
	}
	now := p.now()
	a, err := p.db.RaiseAttempts(ctx, "code:"+network(callerOf(ctx).Address), store.At(now), store.At(now.Add(-FailureWindow)))
	if err != nil {
		return err
	}
	if a.WindowFailures > BadCodes {
		return &Refused{Refusal: TooManyAttempts, Wait: a.WindowFrom.Time().Add(FailureWindow).Sub(now)}
	}
	return refusal
}
