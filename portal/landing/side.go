package landing

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/sessions"
	"portico/store"
)

// Asked reads the account that waits on a side for the person to accept it. It refuses
// with LoginRequired when there is none.
func (l *Landing) Asked(ctx context.Context, place access.Place, slot store.Slot) (access.Landing, error) {
	return l.landing(ctx, place, slot, store.SlotAsked)
}

// landing does what Landing does, for the account in a state of the side.
func (l *Landing) landing(
	ctx context.Context, place access.Place, slot store.Slot, state store.SlotState,
) (access.Landing, error) {
	s, err := l.sessions.Session(ctx, place)
	if err != nil {
		return access.Landing{}, err
	}
	return l.landingOf(ctx, s, slot, state)
}

// LandingOf does what Landing does, for a session that the caller has read.
func (l *Landing) LandingOf(ctx context.Context, s access.Session, slot store.Slot) (access.Landing, error) {
	return l.landingOf(ctx, s, slot, store.SlotIn)
}

// landingOf does what LandingOf does, for the account in a state of the side.
func (l *Landing) landingOf(
	ctx context.Context, s access.Session, slot store.Slot, state store.SlotState,
) (access.Landing, error) {
	now := l.now()
	held, err := l.db.Slots.Of(ctx, s.ID, slot, state, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return access.Landing{}, access.LoginRequired
	}
	if err != nil {
		return access.Landing{}, err
	}
	m, err := l.db.Accounts.ByID(ctx, held.CompanyID, held.AccountID)
	if err != nil {
		return access.Landing{}, err
	}
	l.accounts.MarkEntry(&m, held.Provider)
	if reason := access.BlockedBy(m, held.Lighting, now); reason != "" {
		if err := l.db.Slots.Drop(ctx, s.ID, slot, state); err != nil && !errors.Is(err, store.ErrNotFound) {
			return access.Landing{}, err
		}
		return access.Landing{}, l.access.Blocked(m, reason)
	}
	idle, _ := slotLife(slot)
	until := min(store.At(now.Add(idle)), held.EndsAt)
	if until-held.IdleUntil >= store.Instant(sessions.TouchAfter.Milliseconds()) && state == store.SlotIn {
		if err := l.db.Slots.Touch(ctx, s.ID, slot, until); err != nil {
			return access.Landing{}, err
		}
	}
	return access.Landing{User: l.accounts.UserOf(m), Member: m, FromOrigin: held.FromOrigin,
		DaysLeft: access.TrialDaysLeft(m.Company, now),
		Chat:     access.ProviderName(held.Provider), Family: held.Family}, nil
}

// AnswerAsked accepts or rejects the account that Asked returns: yes signs it in to the side instead of the present
// one, no drops it. It returns the session's new cookie value, and refuses with LoginRequired when no account waits.
func (l *Landing) AnswerAsked(ctx context.Context, place access.Place, slot store.Slot, yes bool) (string, error) {
	ctx = l.sessions.WithSession(ctx)
	s, err := l.sessions.Session(ctx, place)
	if err != nil {
		return "", err
	}
	var fresh string
	err = l.db.Tx(ctx, func(tx *store.DB) error {
		asked, err := tx.Slots.Of(ctx, s.ID, slot, store.SlotAsked, store.At(l.now()))
		if err != nil {
			return err
		}
		if err := tx.Slots.Drop(ctx, s.ID, slot, store.SlotAsked); err != nil {
			return err
		}
		if yes {
			asked.State = store.SlotIn
			if err := tx.Slots.Set(ctx, asked); err != nil {
				return err
			}
		}
		fresh, err = l.signin.Renew(ctx, tx, s)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.LoginRequired
	}
	return fresh, err
}

// Landing reads the account that a browser is signed in to on a side. It refuses with LoginRequired when there is none.
// When the account was blocked in the meantime, it signs the side out at once and refuses with the reason and with
// the people who can help.
func (l *Landing) Landing(ctx context.Context, place access.Place, slot store.Slot) (access.Landing, error) {
	return l.landing(ctx, place, slot, store.SlotIn)
}

// slotLife returns how long a side stays signed in after its last use, and at most.
func slotLife(slot store.Slot) (idle, life time.Duration) {
	if slot == store.MobileMgr || slot == store.PCMgr {
		return sessions.ManagerIdle, sessions.ManagerLife
	}
	return sessions.ShopIdle, sessions.ShopLife
}
