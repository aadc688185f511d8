package onboarding

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/store"
)

const (
	// JanitorHold is how long the janitor keeps the database to itself at a time; others wait for it, so it is short.
	JanitorHold = 10 * time.Millisecond
	// JanitorRest is how long it then leaves the database to others.
	JanitorRest = 20 * time.Millisecond

	janitorList = 200
)

// RemoveSandboxes removes every sandbox that has ended and that nobody registered, a few at a time, and parts the
// numbers of people of whom nothing is left. It gives how many there were.
func (o *Onboarding) RemoveSandboxes(ctx context.Context) (removed int, err error) {
	for {
		ended, err := o.db.EndedSandboxes(ctx, store.At(o.now()), janitorList)
		if err != nil || len(ended) == 0 {
			return removed, o.noteRemoved(ctx, removed, err)
		}
		for len(ended) > 0 {
			n, err := o.removeSome(ctx, ended)
			if err != nil {
				return removed, o.noteRemoved(ctx, removed, err)
			}
			removed, ended = removed+n, ended[n:]
			select {
			case <-ctx.Done():
				return removed, o.noteRemoved(ctx, removed, ctx.Err())
			case <-time.After(JanitorRest):
			}
		}
	}
}

func (o *Onboarding) noteRemoved(ctx context.Context, removed int, err error) error {
	if removed > 0 {
		o.log.LogAttrs(ctx, slog.LevelInfo, "sandboxes removed", slog.Int("number", removed))
	}
	return err
}

// removeSome removes as many as JanitorHold allows, at least one.
func (o *Onboarding) removeSome(ctx context.Context, ended []store.Sandbox) (n int, err error) {
	err = o.db.Tx(ctx, func(tx *store.DB) error {
		n = 0
		since := time.Now() // how long it takes, whatever the platform's clock says
		for _, s := range ended {
			if n > 0 && time.Since(since) > JanitorHold {
				return nil
			}
			if err := o.removeSandbox(ctx, tx, s); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

func (o *Onboarding) removeSandbox(ctx context.Context, tx *store.DB, s store.Sandbox) error {
	members, err := tx.MembersByPhone(ctx, s.PhoneID)
	if err != nil {
		return err
	}
	err = tx.RemoveSandbox(ctx, s.CompanyID, store.At(o.now()))
	if errors.Is(err, store.ErrNotFound) { // registered meanwhile, or given more time
		return nil
	}
	if err != nil {
		return err
	}
	others := 0
	for _, m := range members {
		if m.CompanyID != s.CompanyID {
			others++
		} else if err := tx.EndAccount(ctx, m.ID, ""); err != nil { // the tokens that acted as it
			return err
		}
	}
	if others > 0 {
		return nil
	}
	person, err := tx.PhoneByID(ctx, s.PhoneID)
	if err != nil || person.PasswordHash != "" {
		return err
	}
	if err := tx.EndPhone(ctx, s.PhoneID, ""); err != nil {
		return err
	}
	if _, err := tx.DropIdentities(ctx, s.PhoneID, 0); err != nil {
		return err
	}
	return tx.FreePhone(ctx, s.PhoneID, store.At(o.now()))
}
