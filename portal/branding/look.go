package branding

import (
	"context"
	"errors"
	"strconv"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// lookTag returns the tag of a company's look. It changes when another look is published.
func lookTag(c store.Company) string { return core.SeenTag(access.CompanyLook(c)) }

// KeptLook is the look that UndoAppearance restores. Mark identifies it.
type KeptLook struct {
	store.Look
	Mark string
}

// LookBefore returns the company's previous look. ok is false when there is none. It refuses with Forbidden anyone but
// the company's administrators.
func (b *Branding) LookBefore(ctx context.Context, here access.Landing) (look KeptLook, ok bool, err error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return KeptLook{}, false, err
	}
	kept, err := b.core.DB.Looks.Before(ctx, here.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return KeptLook{}, false, nil
	}
	return KeptLook{kept, markOf(kept)}, err == nil, err
}

func markOf(l store.Look) string { return strconv.FormatInt(int64(l.KeptAt), 36) }

// UndoAppearance publishes the look before, which mark identifies, and keeps the look that it replaces. A repetition by
// the same account within RepeatWindow succeeds and changes nothing. It refuses with Forbidden anyone but the company's
// administrators, and with LookUndone under "undo" when another look was published or brought back since.
func (b *Branding) UndoAppearance(ctx context.Context, here access.Landing, mark string) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	defer b.core.Access.Companies.Forget()
	id := b.core.Replay.OperationID(
		"undo look", access.Decimal(here.Member.CompanyID), access.Decimal(here.Member.ID), mark,
	)
	return unlessPublished(b.core.DB.Tx(ctx, func(tx *store.DB) error {
		return b.core.Access.SetCompanyIn(ctx, tx, here, "appearance_undone", func(c *store.Company) error {
			kept, err := tx.Looks.Before(ctx, c.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && markOf(kept) != mark {
				return b.refuseUnlessUndone(ctx, tx, id, *c)
			}
			if err != nil {
				return err
			}
			c.Name = kept.Name
			c.Theme = kept.Theme
			c.Language = kept.Language
			c.IconURL = kept.IconURL
			c.Greeting, c.WelcomeURL = kept.Greeting, kept.WelcomeURL
			c.ShopSkin = kept.ShopSkin
			c.LoginStyleURL = kept.LoginStyleURL
			c.ViewCountURL = kept.ViewCountURL
			return b.core.Replay.NoteDone(ctx, tx, id, lookTag(*c))
		})
	}))
}

// refuseUnlessUndone returns LookUndone for a mark that is not the look before, or errLookPublished when the same
// account has brought that look back and no other look was published since.
func (b *Branding) refuseUnlessUndone(ctx context.Context, tx *store.DB, id string, c store.Company) error {
	note, err := tx.Repeats.ByID(ctx, id, store.At(b.core.Now().Add(-core.RepeatWindow)))
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && note.Result != lookTag(c):
		return access.Invalid(access.Fields{"undo": access.LookUndone})
	case err != nil:
		return err
	}
	return errLookPublished
}
