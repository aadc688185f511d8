package portal

import (
	"context"
	"errors"
	"time"

	"portico/store"
)

// Landing is the account that a landing site's page is shown for, with its company. FromOrigin is the account site that
// it was entered from ("https://host").
type Landing struct {
	User       User
	Member     store.Member
	FromOrigin string
	DaysLeft   int          // of a trial, in days; 0 without a trial
	Chat       ProviderName // the chat app whose identity began the sign-in, "" for a password or a code

	family string // identifies the sign-in that entered the side
}

// Asked reads the account that waits on a side for the person to accept it; LoginRequired when there is none.
func (p *Portal) Asked(ctx context.Context, place Place, slot store.Slot) (Landing, error) {
	return p.landing(ctx, place, slot, store.SlotAsked)
}

func (p *Portal) landing(
	ctx context.Context, place Place, slot store.Slot, state store.SlotState,
) (Landing, error) {
	s, err := p.Session(ctx, place)
	if err != nil {
		return Landing{}, err
	}
	return p.landingOf(ctx, s, slot, state)
}

// LandingOf does what Landing does, for a session that the caller has read.
func (p *Portal) LandingOf(ctx context.Context, s Session, slot store.Slot) (Landing, error) {
	return p.landingOf(ctx, s, slot, store.SlotIn)
}

func (p *Portal) landingOf(ctx context.Context, s Session, slot store.Slot, state store.SlotState) (Landing, error) {
	now := p.now()
	held, err := p.db.SlotOf(ctx, s.ID, slot, state, store.At(now))
	if errors.Is(err, store.ErrNotFound) {
		return Landing{}, LoginRequired
	}
	if err != nil {
		return Landing{}, err
	}
	m, err := p.db.MemberByID(ctx, held.CompanyID, held.AccountID)
	if err != nil {
		return Landing{}, err
	}
	p.markEntry(&m, held.Provider)
	if reason := BlockedBy(m, held.Lighting, now); reason != "" {
		if err := p.db.DropSlot(ctx, s.ID, slot, state); err != nil && !errors.Is(err, store.ErrNotFound) {
			return Landing{}, err
		}
		return Landing{}, p.blocked(m, reason)
	}
	idle, _ := slotLife(slot)
	until := min(store.At(now.Add(idle)), held.EndsAt)
	if until-held.IdleUntil >= store.Instant(touchAfter.Milliseconds()) && state == store.SlotIn {
		if err := p.db.TouchSlot(ctx, s.ID, slot, until); err != nil {
			return Landing{}, err
		}
	}
	return Landing{User: p.userOf(m), Member: m, FromOrigin: held.FromOrigin, DaysLeft: TrialDaysLeft(m.Company, now),
		Chat: ProviderName(held.Provider), family: held.Family}, nil
}

// AnswerAsked answers the question of Asked: yes replaces the side's account with the waiting one, no drops the waiting
// one. It returns the session's new cookie value; LoginRequired when no account waits.
func (p *Portal) AnswerAsked(ctx context.Context, place Place, slot store.Slot, yes bool) (string, error) {
	ctx = p.withSession(ctx)
	s, err := p.Session(ctx, place)
	if err != nil {
		return "", err
	}
	var fresh string
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		asked, err := tx.SlotOf(ctx, s.ID, slot, store.SlotAsked, store.At(p.now()))
		if err != nil {
			return err
		}
		if err := tx.DropSlot(ctx, s.ID, slot, store.SlotAsked); err != nil {
			return err
		}
		if yes {
			asked.State = store.SlotIn
			if err := tx.SetSlot(ctx, asked); err != nil {
				return err
			}
		}
		fresh, err = p.renew(ctx, tx, s)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return fresh, err
}

// Landing reads the account that a browser is signed in to on a side. It refuses with LoginRequired when there is none.
// When the account was blocked in the meantime, it signs the side out at once and refuses with the reason and with
// the people who can help.
func (p *Portal) Landing(ctx context.Context, place Place, slot store.Slot) (Landing, error) {
	return p.landing(ctx, place, slot, store.SlotIn)
}

// Slots are the four sides a browser can be signed in to.
var Slots = []store.Slot{store.MobileShop, store.MobileMgr, store.PCShop, store.PCMgr}

func slotLife(slot store.Slot) (idle, life time.Duration) {
	if slot == store.MobileMgr || slot == store.PCMgr {
		return ManagerIdle, ManagerLife
	}
	return ShopIdle, ShopLife
}
