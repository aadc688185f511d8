package onboarding

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/store"
)

const (
	// JanitorHold is the longest transaction of the janitor. Other writers wait for it, so it is short.
	JanitorHold = 10 * time.Millisecond
	// JanitorRest is the pause between two transactions of the janitor, in which other writers go on.
	JanitorRest = 20 * time.Millisecond

	// janitorList is how many sandboxes the janitor reads at a time.
	janitorList = 200
)

// RemoveSandboxes removes every expired sandbox that did not become a company, a few at a time. It frees the number of
// a person who has no other account and no password. It returns how many sandboxes it removed.
func (o *Onboarding) RemoveSandboxes(ctx context.Context) (removed int, err error) {
	for {
		ended, err := o.core.DB.Sandboxes.Ended(ctx, store.At(o.core.Now()), janitorList)
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

// noteRemoved logs how many sandboxes were removed, and returns err.
func (o *Onboarding) noteRemoved(ctx context.Context, removed int, err error) error {
	if removed > 0 {
		o.core.Log.LogAttrs(ctx, slog.LevelInfo, "sandboxes removed", slog.Int("number", removed))
	}
	return err
}

// removeSome removes as many sandboxes as JanitorHold allows, at least one, and returns how many.
func (o *Onboarding) removeSome(ctx context.Context, ended []store.Sandbox) (n int, err error) {
	err = o.core.DB.Tx(ctx, func(tx *store.DB) error {
		n = 0
		since := time.Now() // the duration of the work, which the platform's clock does not measure
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

// removeSandbox removes a sandbox with the access to its accounts, and the last traces of a person who has nothing
// else.
func (o *Onboarding) removeSandbox(ctx context.Context, tx *store.DB, s store.Sandbox) error {
	members, err := tx.Accounts.ByPerson(ctx, s.PersonID)
	if err != nil {
		return err
	}
	err = tx.Sandboxes.Remove(ctx, s.CompanyID, store.At(o.core.Now()))
	if errors.Is(err, store.ErrNotFound) { // the sandbox became a company, or got more time
		return nil
	}
	if err != nil {
		return err
	}
	others := 0
	for _, m := range members {
		if m.CompanyID != s.CompanyID {
			others++
			continue
		}
		if err := tx.Sessions.EndAccount(ctx, m.ID, ""); err != nil {
			return err
		}
	}
	if others > 0 {
		return nil
	}
	person, err := tx.Persons.ByID(ctx, s.PersonID)
	if err != nil || person.PasswordHash != "" {
		return err
	}
	if err := tx.Sessions.EndPerson(ctx, s.PersonID, ""); err != nil {
		return err
	}
	if _, err := tx.Identities.DropAll(ctx, s.PersonID, 0); err != nil {
		return err
	}
	return tx.Persons.Free(ctx, s.PersonID, store.At(o.core.Now()))
}
