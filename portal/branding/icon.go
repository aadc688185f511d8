package branding

import (
	"context"
	"errors"
	"io"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// StoreIcon stores a picture that can become the company's icon and returns its address. It refuses what storePicture
// refuses.
func (b *Branding) StoreIcon(ctx context.Context, here access.Landing, body io.ReadSeeker) (string, error) {
	id, err := b.storePicture(ctx, here, body, pictures.AsIcon, pictures.IconName)
	if err != nil {
		return "", err
	}
	return access.IconPrefix + id + ".png", nil
}

// storePicture stores a picture of a company's look and returns its id. shape makes what is kept of the
// picture, name makes the name of the file. A picture that is not published is removed after AbandonedAfter. It refuses
// with Forbidden anyone but the company's administrators; with UploadRejected a bad picture; with TooManyAttempts after
// UploadsADay from one network; and with NotAvailable.
func (b *Branding) storePicture(
	ctx context.Context, here access.Landing, body io.ReadSeeker, shape pictures.Shape, name func(id string) string,
) (id string, err error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return "", err
	}
	if b.pictures.Files == nil {
		return "", &access.Refused{Refusal: access.NotAvailable}
	}
	if err := b.core.Limits.CountUpTo(
		ctx, b.core.DB, "uploads:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
	); err != nil {
		return "", err
	}
	companyID := here.Member.CompanyID
	made, content, err := b.pictures.Clean(ctx, core.TakerOf(here), body, shape)
	if err != nil {
		return "", b.pictures.NoteRefusedUpload(ctx, companyID, err)
	}
	u := store.Upload{
		ID: pictures.NewUploadID(), CompanyID: companyID, Purpose: store.UploadLook, Owner: "company",
		CreatedAt: store.At(b.core.Now()),
		Content:   content, Kind: made.Kind, Size: int64(len(made.Data)), Width: made.Width, Height: made.Height,
	}
	if _, err := b.core.DB.Uploads.Add(ctx, u); err != nil {
		return "", err
	}
	return u.ID, b.pictures.PutFile(ctx, name(u.ID), made)
}

// SetIcon makes a picture the icon of the administrator's company. The former icon is kept with the look before.
// Setting the same picture again changes nothing. It refuses what StoreIcon refuses.
func (b *Branding) SetIcon(ctx context.Context, here access.Landing, body io.ReadSeeker) error {
	address, err := b.StoreIcon(ctx, here, body)
	if err != nil {
		return err
	}
	defer b.core.Access.Companies.Forget()
	return unlessPublished(b.core.DB.Tx(ctx, func(tx *store.DB) error {
		return b.core.Access.SetCompanyIn(ctx, tx, here, "icon_set", func(c *store.Company) error {
			same, err := b.isIconOf(ctx, tx, *c, address)
			if err == nil && same {
				err = errLookPublished
			}
			if err != nil {
				return err
			}
			return b.takeIcon(ctx, tx, c, address)
		})
	}))
}

// RemoveIcon removes the icon of the administrator's company; without an icon it changes nothing. It refuses with
// Forbidden anyone but administrators.
func (b *Branding) RemoveIcon(ctx context.Context, here access.Landing) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	return unlessPublished(b.core.Access.SetCompany(ctx, here, "icon_removed", func(c *store.Company) error {
		if c.IconURL == "" {
			return errLookPublished
		}
		c.IconURL = ""
		return nil
	}))
}

// takeIcon makes a stored picture a company's icon, in the transaction of the caller; "" changes nothing.
func (b *Branding) takeIcon(ctx context.Context, tx *store.DB, c *store.Company, address string) error {
	if address == "" {
		return nil
	}
	err := tx.Uploads.Use(ctx, c.ID, access.UploadedIconID(address), store.At(b.core.Now()))
	if errors.Is(err, store.ErrNotFound) { // it was abandoned meanwhile
		return access.Invalid(access.Fields{"icon": access.FieldRequired})
	}
	c.IconURL = address
	return err
}

// Icon reads a company's icon by the last part of its address, for anyone. It refuses with NotFound an unknown address.
func (b *Branding) Icon(ctx context.Context, name string) (pictures.Picture, error) {
	return b.published(ctx, access.UploadedIconID(access.IconPrefix+name), "image/png", pictures.IconName)
}

// published reads a picture of a company's look that is published or was before, for anyone. kind tells icons from
// pictures of sign-in pages. It refuses any other with NotFound.
func (b *Branding) published(
	ctx context.Context, id, kind string, name func(id string) string,
) (pictures.Picture, error) {
	u, err := b.core.DB.Uploads.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) ||
		err == nil && (u.Purpose != store.UploadLook || u.Kind != kind || u.UsedAt == 0) {
		err = access.NotFound
	}
	if err != nil {
		return pictures.Picture{}, err
	}
	return b.pictures.Picture(ctx, name(id), u.Kind)
}
