package signin

import (
	"context"
	"errors"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Landing reads the account that a browser is signed in to on a side. It refuses with LoginRequired when there is none.
// When the account was blocked in the meantime, it signs the side out at once and refuses with the reason and with
// the people who can help.
func (l *Landing) Landing(ctx context.Context, place access.Place, slot store.Slot) (access.Landing, error) {
	return l.landing(ctx, place, slot, store.SlotIn)
}

// LandingOf does what Landing does, for a session that the caller has read.
func (l *Landing) LandingOf(ctx context.Context, s access.Session, slot store.Slot) (access.Landing, error) {
	return l.landingOf(ctx, s, slot, store.SlotIn)
}

// landing does what Landing does, for the account in a state of the side.
func (l *Landing) landing(
	ctx context.Context, place access.Place, slot store.Slot, state store.SlotState,
) (access.Landing, error) {
	s, err := l.core.Sessions.Session(ctx, place)
	if err != nil {
		return access.Landing{}, err
	}
	return l.landingOf(ctx, s, slot, state)
}

// landingOf does what LandingOf does, for the account in a state of the side.
func (l *Landing) landingOf(
	ctx context.Context, s access.Session, slot store.Slot, state store.SlotState,
) (access.Landing, error) {
	now := l.core.Now()
	side, err := l.core.DB.Slots.Of(ctx, s.ID, slot, state, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return access.Landing{}, access.LoginRequired
	}
	if err != nil {
		return access.Landing{}, err
	}
	m, err := l.core.DB.Accounts.ByID(ctx, side.CompanyID, side.AccountID)
	if err != nil {
		return access.Landing{}, err
	}
	l.accounts.MarkEntry(&m, side.Provider)
	if reason := access.BlockedBy(m, side.Lighting, now); reason != "" {
		if err := l.core.DB.Slots.Drop(ctx, s.ID, slot, state); err != nil && !errors.Is(err, store.ErrNotFound) {
			return access.Landing{}, err
		}
		return access.Landing{}, l.core.Access.Blocked(ctx, l.core.DB, m, reason)
	}
	idle, _ := slotLife(slot)
	until := min(store.At(now.Add(idle)), side.EndsAt)
	if until-side.IdleUntil >= store.Instant(core.TouchAfter.Milliseconds()) && state == store.SlotIn {
		if err := l.core.DB.Slots.Touch(ctx, s.ID, slot, until); err != nil {
			return access.Landing{}, err
		}
	}
	return access.Landing{User: l.accounts.UserOf(m), Member: m, FromOrigin: side.FromOrigin,
		DaysLeft: l.core.Access.TrialDaysLeft(m.Company),
		Chat:     access.ProviderName(side.Provider), Family: side.Family}, nil
}

// Asked reads the account that waits on a side for the person to accept it. It refuses with LoginRequired when there is
// none.
func (l *Landing) Asked(ctx context.Context, place access.Place, slot store.Slot) (access.Landing, error) {
	return l.landing(ctx, place, slot, store.SlotAsked)
}

// AnswerAsked accepts or rejects the account that Asked returns: yes signs it in to the side instead of the present
// one, no drops it. It returns the session's new cookie value, and refuses with LoginRequired when no account waits.
func (l *Landing) AnswerAsked(ctx context.Context, place access.Place, slot store.Slot, yes bool) (string, error) {
	ctx = l.core.Sessions.WithSession(ctx)
	s, err := l.core.Sessions.Session(ctx, place)
	if err != nil {
		return "", err
	}
	var cookie string
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		asked, err := tx.Slots.Of(ctx, s.ID, slot, store.SlotAsked, store.At(l.core.Now()))
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
		cookie, err = l.core.Sessions.Renew(ctx, tx, s)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return "", access.LoginRequired
	}
	if err != nil {
		return "", err
	}
	return cookie, nil
}

// slotLife returns how long a side stays signed in after its last use, and at most.
func slotLife(slot store.Slot) (idle, life time.Duration) {
	if slot == store.MobileMgr || slot == store.PCMgr {
		return core.ManagerIdle, core.ManagerLife
	}
	return core.ShopIdle, core.ShopLife
}
