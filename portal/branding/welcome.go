package branding

import (
	"context"
	"errors"
	"io"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/store"
)

// MaxGreeting is the length of a company's greeting, in characters.
const MaxGreeting = 80

// WelcomeInput is what a company shows beside the form of its own sign-in page.
type WelcomeInput struct {
	Greeting string `form:"greeting"` // one line, "" for none
	// Remove removes the picture.
	Remove bool   `form:"remove"`
	Seen   string `form:"seen"` // the Seen that WelcomeOf gave with the form; "" if unknown

	Picture io.ReadSeeker // the new picture, nil to keep the present one
}

// WelcomeOf reads what a company shows beside the form of its own sign-in page. It refuses with Forbidden anyone but
// the company's administrators.
func (b *Branding) WelcomeOf(here access.Landing) (WelcomeInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return WelcomeInput{}, err
	}
	c := here.Member.Company
	return WelcomeInput{Greeting: c.Greeting, Seen: lookTag(c)}, nil
}

// SignInAddress returns the address of a company's own sign-in page.
func (b *Branding) SignInAddress(c store.Company) string {
	return b.core.Access.CompanyOrigin(c.ID) + "/login"
}

// SetWelcome publishes a company's greeting and its picture, at once on its own sign-in page. UndoAppearance restores
// the former ones. It refuses with Forbidden anyone but the company's administrators; a malformed greeting under
// "greeting"; with LookChanged under "seen" when another person published a look after the form was opened; and what
// storePicture refuses. Publishing the same again succeeds and writes nothing.
func (b *Branding) SetWelcome(ctx context.Context, here access.Landing, in WelcomeInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	greeting, ok := access.NormalText(in.Greeting, MaxGreeting)
	if !ok {
		return access.Invalid(access.Fields{"greeting": access.TextMalformed})
	}
	var id string
	if in.Picture != nil {
		var err error
		id, err = b.storePicture(ctx, here, in.Picture, pictures.AsWelcome, pictures.WelcomeName)
		if err != nil {
			return err
		}
	}
	defer b.core.Access.Companies.Forget()
	return unlessPublished(b.core.DB.Tx(ctx, func(tx *store.DB) error {
		return b.core.Access.SetCompanyIn(ctx, tx, here, "welcome_set", func(c *store.Company) error {
			published := *c
			c.Greeting = greeting
			if err := b.takeWelcome(ctx, tx, c, id, in.Remove); err != nil {
				return err
			}
			if access.CompanyLook(*c) == access.CompanyLook(published) {
				return errLookPublished
			}
			if in.Seen != "" && in.Seen != lookTag(published) {
				return access.Invalid(access.Fields{"seen": access.LookChanged})
			}
			return nil
		})
	}))
}

// takeWelcome makes a stored picture the one of a company's own sign-in page, in the transaction of the caller. With id
// "" it keeps or removes the present one. A picture with the content of the present one changes nothing.
func (b *Branding) takeWelcome(ctx context.Context, tx *store.DB, c *store.Company, id string, remove bool) error {
	if id == "" {
		if remove {
			c.WelcomeURL = ""
		}
		return nil
	}
	given, err := tx.Uploads.ByID(ctx, id)
	if err != nil {
		return err
	}
	present, err := tx.Uploads.ByID(ctx, access.WelcomeID(c.WelcomeURL))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil && present.CompanyID == c.ID && present.Content == given.Content {
		return nil
	}
	c.WelcomeURL = access.WelcomePrefix + id + ".jpg"
	return tx.Uploads.Use(ctx, c.ID, id, store.At(b.core.Now()))
}

// Welcome reads the picture of a company's own sign-in page by the last part of its address, for anyone. It refuses
// with NotFound an unknown address.
func (b *Branding) Welcome(ctx context.Context, name string) (pictures.Picture, error) {
	return b.published(ctx, access.WelcomeID(access.WelcomePrefix+name), "image/jpeg", pictures.WelcomeName)
}
