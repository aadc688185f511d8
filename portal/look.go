package portal

import (
	"context"
	"errors"
	"strconv"

	"portico/store"
)

// A company's look is all that its administrators publish of it. What it had before is kept, once, whoever changed
// it, and comes back by one press; the press after that brings back what it replaced.
//
//	published ──publish──▶ kept        published ◀──undo──▶ kept

// lookOf is a company's look.
func lookOf(c store.Company) store.Look {
	return store.Look{
		CompanyID: c.ID, Name: c.Name, Theme: c.Theme, Language: c.Language, IconURL: c.IconURL,
		ShopSkin: c.ShopSkin, LoginStyleURL: c.LoginStyleURL, ViewCountURL: c.ViewCountURL,
	}
}

// lookTag returns the tag of a company's look. It changes when another look is published.
func lookTag(c store.Company) string { return seenTag(lookOf(c)) }

// keepLook keeps the look that a company had, where it changed. What neither of the two refers to any more is given up.
func (p *Portal) keepLook(ctx context.Context, tx *store.DB, before, after store.Company) error {
	was, is := lookOf(before), lookOf(after)
	if was == is {
		return nil
	}
	replaced, err := tx.LookBefore(ctx, before.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	was.KeptAt = after.UpdatedAt
	if err := tx.KeepLook(ctx, was); err != nil {
		return err
	}
	if id := ownIconID(replaced.IconURL); id != "" && replaced.IconURL != was.IconURL && replaced.IconURL != is.IconURL {
		if err := tx.ReleaseUpload(ctx, before.ID, id); err != nil {
			return err
		}
	}
	return tx.DropStyles(ctx, before.ID, styleNameOf(was.LoginStyleURL), styleNameOf(is.LoginStyleURL))
}

// KeptLook is the look that UndoAppearance brings back. Mark names it.
type KeptLook struct {
	store.Look
	Mark string
}

// LookBefore is the look one's company had before; ok is false where there is none. Forbidden for others than its
// administrators.
func (p *Portal) LookBefore(ctx context.Context, here Landing) (look KeptLook, ok bool, err error) {
	if err := may(here, RightSettings); err != nil {
		return KeptLook{}, false, err
	}
	kept, err := p.db.LookBefore(ctx, here.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return KeptLook{}, false, nil
	}
	return KeptLook{kept, markOf(kept)}, err == nil, err
}

func markOf(l store.Look) string { return strconv.FormatInt(int64(l.KeptAt), 36) }

// UndoAppearance publishes the look before, which mark identifies, and keeps the look that it replaces. A repetition by
// the same account within RepeatWindow succeeds and changes nothing. It refuses with Forbidden anyone but the company's
// administrators, and with LookUndone under "undo" when another look was published or brought back since.
func (p *Portal) UndoAppearance(ctx context.Context, here Landing, mark string) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	defer p.companies.forget()
	id := p.operationID("undo look", decimal(here.Member.CompanyID), decimal(here.Member.ID), mark)
	return unlessPublished(p.db.Tx(ctx, func(tx *store.DB) error {
		return p.setCompanyIn(ctx, tx, here, "appearance_undone", func(c *store.Company) error {
			kept, err := tx.LookBefore(ctx, c.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && markOf(kept) != mark {
				return p.refuseUnlessUndone(ctx, tx, id, *c)
			}
			if err != nil {
				return err
			}
			c.Name, c.Theme, c.Language, c.IconURL = kept.Name, kept.Theme, kept.Language, kept.IconURL
			c.ShopSkin, c.LoginStyleURL, c.ViewCountURL = kept.ShopSkin, kept.LoginStyleURL, kept.ViewCountURL
			return p.noteDone(ctx, tx, id, lookTag(*c))
		})
	}))
}

// refuseUnlessUndone returns LookUndone for a mark that is not the look before, or errLookPublished when the same
// account has brought that look back and no other look was published since.
func (p *Portal) refuseUnlessUndone(ctx context.Context, tx *store.DB, id string, c store.Company) error {
	note, err := tx.RepeatByID(ctx, id, store.At(p.now().Add(-RepeatWindow)))
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && note.Result != lookTag(c):
		return invalid(Fields{"undo": LookUndone})
	case err != nil:
		return err
	}
	return errLookPublished
}
