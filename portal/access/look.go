package access

import (
	"context"
	"errors"
	"strings"

	"portico/store"
)

// A company's look is all that its administrators publish of it. What it had before is kept, once, whoever changed
// it, and comes back by one press; the press after that brings back what it replaced.
//
//	published ──publish──▶ kept        published ◀──undo──▶ kept

// LookOf is a company's look.
func LookOf(c store.Company) store.Look {
	return store.Look{
		CompanyID: c.ID, Name: c.Name, Theme: c.Theme, Language: c.Language, IconURL: c.IconURL,
		ShopSkin: c.ShopSkin, LoginStyleURL: c.LoginStyleURL, ViewCountURL: c.ViewCountURL,
	}
}

// KeepLook keeps the look that a company had, where it changed. What neither of the two refers to any more is given up.
func (a *Access) KeepLook(ctx context.Context, tx *store.DB, before, after store.Company) error {
	was, is := LookOf(before), LookOf(after)
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
	if id := OwnIconID(replaced.IconURL); id != "" && replaced.IconURL != was.IconURL &&
		replaced.IconURL != is.IconURL {
		if err := tx.ReleaseUpload(ctx, before.ID, id); err != nil {
			return err
		}
	}
	return tx.DropStyles(ctx, before.ID, StyleNameOf(was.LoginStyleURL), StyleNameOf(is.LoginStyleURL))
}

const IconPrefix = "/icon/"

// OwnIconID is the id of the file behind an icon's address; "" where it is none of those that companies sent in.
func OwnIconID(address string) string {
	name, ours := strings.CutPrefix(address, IconPrefix)
	id, png := strings.CutSuffix(name, ".png")
	if !ours || !png || !PlainName(id) {
		return ""
	}
	return id
}

const StylePrefix = "/style/"

// StyleNameOf is the name in the address of a sheet; "" where it is none of ours.
func StyleNameOf(address string) string {
	name, ours := strings.CutPrefix(address, StylePrefix)
	name, css := strings.CutSuffix(name, ".css")
	if !ours || !css || !PlainName(name) {
		return ""
	}
	return name
}
