package branding

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/stylesheet"
	"portico/store"
)

// Languages are the languages a company can have.
var Languages = []string{"zh", "es", "en"}

// AppearanceInput changes the look and language of a company.
type AppearanceInput struct {
	Name      string `form:"name"`
	Theme     string `form:"theme"` // six hex digits with or without #, "" for the platform's own colour
	Language  string `form:"language"`
	ShopSkin  string `form:"shop_skin"`  // the shop's own colour as Theme is, "" for the company's
	Style     string `form:"style"`      // a style sheet for the sign-in pages, "" for none
	ViewCount string `form:"view_count"` // address of the company's statistics, "" for none
	// Agreed is the ViewCount whose report the administrator has seen and agreed to.
	Agreed string `form:"view_count_agreed" json:"-"`
	Seen   string `form:"seen"` // the Seen that AppearanceOf gave with the look that was changed; "" if unknown
	Icon   string // of StoreIcon; "" leaves the icon as it is
}

// CheckAppearance normalises and checks the form. It refuses with ValidationFailed; the problems of the style sheet are
// in Styles.
func (b *Branding) CheckAppearance(in *AppearanceInput) error {
	fields := access.Fields{}
	name, ok := access.NormalText(in.Name, access.MaxCompanyName)
	switch in.Name = name; {
	case !ok:
		fields["name"] = access.CompanyMalformed
	case name == "":
		fields["name"] = access.CompanyRequired
	}
	for field, colour := range map[string]*string{"theme": &in.Theme, "shop_skin": &in.ShopSkin} {
		*colour = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(*colour), "#"))
		if !GoodTheme(*colour) {
			fields[field] = access.ThemeMalformed
		}
	}
	if !slices.Contains(Languages, in.Language) {
		fields["language"] = access.ChoiceRequired
	}
	var problem access.Problem
	if in.ViewCount, problem = b.core.Statistics.ViewCount(in.ViewCount); problem != "" {
		fields["view_count"] = problem
	}
	in.Style = stylesheet.TidyStyle(in.Style)
	_, problems := stylesheet.FilterStyle(in.Style)
	if len(problems) > 0 {
		fields["style"] = access.StyleRefused
	}
	if len(fields) == 0 {
		return nil
	}
	return &access.Refused{Refusal: access.ValidationFailed, Fields: fields, Styles: problems}
}

// SetAppearance publishes a company's look and language, at once on all its pages. It keeps the previous look for
// UndoAppearance. It refuses with Forbidden anyone but the company's administrators; malformed fields; with LookChanged
// under "seen" when another person published a look after this one was begun; and with CounterUnseen statistics whose
// report the administrator has not seen. Publishing the published look again succeeds and writes nothing.
func (b *Branding) SetAppearance(ctx context.Context, here access.Landing, in AppearanceInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	if err := b.CheckAppearance(&in); err != nil {
		return err
	}
	defer b.core.Access.Companies.Forget()
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		err := b.core.Access.SetCompanyIn(ctx, tx, here, "appearance_set", func(c *store.Company) error {
			published := *c
			c.Name = in.Name
			c.Theme = in.Theme
			c.Language = in.Language
			c.ShopSkin = in.ShopSkin
			c.ViewCountURL = in.ViewCount
			if err := b.TakeStyle(ctx, tx, c, in.Style); err != nil {
				return err
			}
			if same, err := b.isIconOf(ctx, tx, published, in.Icon); err != nil {
				return err
			} else if same && access.CompanyLook(*c) == access.CompanyLook(published) {
				return errLookPublished
			}
			if in.Seen != "" && in.Seen != lookTag(published) {
				return access.Invalid(access.Fields{"seen": access.LookChanged})
			}
			if in.ViewCount != "" && in.ViewCount != published.ViewCountURL && in.Agreed != in.ViewCount {
				return access.Invalid(access.Fields{"view_count": access.CounterUnseen})
			}
			return b.takeIcon(ctx, tx, c, in.Icon)
		})
		if err := unlessPublished(err); err != nil {
			return err
		}
		return tx.Looks.DropDraft(ctx, here.Member.CompanyID, here.Member.ID)
	})
}

// errLookPublished rolls a transaction back because the look is published already. unlessPublished turns it into
// success.
var errLookPublished = errors.New("portal: the look is published already")

// unlessPublished returns err, or nil for errLookPublished: the person has what they asked for.
func unlessPublished(err error) error {
	if errors.Is(err, errLookPublished) {
		return nil
	}
	return err
}

// isIconOf says whether publishing a stored picture would leave a company's icon as it is. It would when no picture is
// given (""), and when the picture has the same content.
func (b *Branding) isIconOf(ctx context.Context, tx *store.DB, c store.Company, address string) (bool, error) {
	if address == "" || address == c.IconURL {
		return true, nil
	}
	given, err := tx.Uploads.ByID(ctx, access.UploadedIconID(address))
	if err == nil && given.Purpose == store.UploadLook && given.CompanyID == c.ID {
		var present store.Upload
		present, err = tx.Uploads.ByID(ctx, access.UploadedIconID(c.IconURL))
		if err == nil {
			return present.CompanyID == c.ID && present.Content != "" && present.Content == given.Content, nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return false, err
}

// AppearanceOf reads the company's published look. It refuses with Forbidden anyone but the company's administrators.
func (b *Branding) AppearanceOf(ctx context.Context, here access.Landing) (AppearanceInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return AppearanceInput{}, err
	}
	c := here.Member.Company
	in := AppearanceInput{
		Name: c.Name, Theme: c.Theme, Language: c.Language, ShopSkin: c.ShopSkin, ViewCount: c.ViewCountURL,
		Seen: lookTag(c),
	}
	if name := access.StyleName(c.LoginStyleURL); name != "" {
		source, err := b.core.DB.Looks.Style(ctx, c.ID, name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return in, err
		}
		in.Style = source
	}
	return in, nil
}
