package access

import (
	"context"
	"errors"
	"strings"

	"portico/store"
)

// A company's look is what its administrators publish about it. The previous look is kept, one per company, so that a
// change can be undone. Undo exchanges the two, so undoing again restores the newer look.
//
//	published ──publish──▶ kept        published ◀──undo──▶ kept

// CompanyLook returns a company's look.
func CompanyLook(c store.Company) store.Look {
	return store.Look{
		CompanyID: c.ID, Name: c.Name, Theme: c.Theme, Language: c.Language, IconURL: c.IconURL,
		ShopSkin: c.ShopSkin, LoginStyleURL: c.LoginStyleURL, ViewCountURL: c.ViewCountURL,
		Greeting: c.Greeting, WelcomeURL: c.WelcomeURL,
	}
}

// KeepLook stores the previous look of a company when the look has changed. It releases the pictures and the style
// sheets that neither of the two looks refers to any more.
func (a *Access) KeepLook(ctx context.Context, tx *store.DB, before, after store.Company) error {
	was, is := CompanyLook(before), CompanyLook(after)
	if was == is {
		return nil
	}
	replaced, err := tx.Looks.Before(ctx, before.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	was.KeptAt = after.UpdatedAt
	if err := tx.Looks.Keep(ctx, was); err != nil {
		return err
	}
	for _, picture := range []struct{ id, replaced, was, is string }{
		{UploadedIconID(replaced.IconURL), replaced.IconURL, was.IconURL, is.IconURL},
		{WelcomeID(replaced.WelcomeURL), replaced.WelcomeURL, was.WelcomeURL, is.WelcomeURL},
	} {
		if picture.id == "" || picture.replaced == picture.was || picture.replaced == picture.is {
			continue
		}
		if err := tx.Uploads.Release(ctx, before.ID, picture.id); err != nil {
			return err
		}
	}
	return tx.Looks.DropStyles(ctx, before.ID, StyleName(was.LoginStyleURL), StyleName(is.LoginStyleURL))
}

// IconPrefix begins the path of a company's uploaded icon.
const IconPrefix = "/icon/"

// UploadedIconID returns the upload id in the URL of an uploaded icon, "" for any other URL.
func UploadedIconID(address string) string { return nameIn(address, IconPrefix, ".png") }

// WelcomePrefix begins the path of the picture on a company's own sign-in page.
const WelcomePrefix = "/welcome/"

// WelcomeID returns the upload id in the URL of the picture on a company's own sign-in page, "" for any other URL.
func WelcomeID(address string) string { return nameIn(address, WelcomePrefix, ".jpg") }

// ProductPrefix begins the path of the picture of a product.
const ProductPrefix = "/product/"

// ProductPictureID returns the upload id in the URL of the picture of a product, "" for any other URL.
func ProductPictureID(address string) string { return nameIn(address, ProductPrefix, ".jpg") }

// ProductPicture returns the URL of the picture of a product by its upload id, "" for none.
func ProductPicture(id string) string {
	if id == "" {
		return ""
	}
	return ProductPrefix + id + ".jpg"
}

// nameIn returns the plain name between a prefix and a suffix of a URL, "" for any other URL.
func nameIn(address, prefix, suffix string) string {
	name, hasPrefix := strings.CutPrefix(address, prefix)
	name, hasSuffix := strings.CutSuffix(name, suffix)
	if !hasPrefix || !hasSuffix || !PlainName(name) {
		return ""
	}
	return name
}

// StylePrefix begins the path of a company's style sheet.
const StylePrefix = "/style/"

// StyleName returns the name in the URL of a company's style sheet, "" for any other URL.
func StyleName(address string) string { return nameIn(address, StylePrefix, ".css") }
