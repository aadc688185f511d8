package shop

import (
	"context"
	"errors"
	"io"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// pictureOwner is the owner of the uploads of all products. Their company says whose they are.
const pictureOwner = "product"

// PicturesADay is how many pictures of products a company may send in a day.
const PicturesADay = 500

// storePicture stores a picture of a product and returns its id; "" without a picture. A picture that no product refers
// to is removed after AbandonedAfter. It refuses with UploadRejected a bad picture; with TooManyAttempts after
// PicturesADay; and with NotAvailable.
func (s *Shop) storePicture(ctx context.Context, here access.Landing, body io.ReadSeeker) (string, error) {
	if body == nil {
		return "", nil
	}
	if s.pictures.Files == nil {
		return "", &access.Refused{Refusal: access.NotAvailable}
	}
	companyID := here.Member.CompanyID
	if err := s.core.Limits.CountUpTo(
		ctx, s.core.DB, "product pictures:"+access.Decimal(companyID), PicturesADay, access.Day,
	); err != nil {
		return "", err
	}
	made, content, err := s.pictures.Clean(ctx, core.TakerOf(here), body, pictures.AsProduct)
	if err != nil {
		return "", s.pictures.NoteRefusedUpload(ctx, companyID, err)
	}
	u := store.Upload{
		ID: pictures.NewUploadID(), CompanyID: companyID, Purpose: store.UploadLook, Owner: pictureOwner,
		CreatedAt: store.At(s.core.Now()),
		Content:   content, Kind: made.Kind, Size: int64(len(made.Data)), Width: made.Width, Height: made.Height,
	}
	if _, err := s.core.DB.Uploads.Add(ctx, u); err != nil {
		return "", err
	}
	return u.ID, s.pictures.PutFile(ctx, pictures.ProductName(u.ID), made)
}

// pictureOf returns the id of the picture that a product has after an edit. A picture with the content of the present
// one changes nothing.
func (s *Shop) pictureOf(
	ctx context.Context, tx *store.DB, was store.Product, id string, remove bool,
) (string, error) {
	if id == "" {
		if remove {
			return "", nil
		}
		return was.Picture, nil
	}
	if was.Picture == "" {
		return id, nil
	}
	given, err := tx.Uploads.ByID(ctx, id)
	if err != nil {
		return "", err
	}
	present, err := tx.Uploads.ByID(ctx, was.Picture)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if err == nil && present.CompanyID == was.CompanyID && present.Content == given.Content {
		return was.Picture, nil
	}
	return id, nil
}

// usePicture stores that a product refers to a new picture instead of a former one; "" for none.
func (s *Shop) usePicture(ctx context.Context, tx *store.DB, companyID int64, was, is string) error {
	if was == is {
		return nil
	}
	if was != "" {
		if err := tx.Uploads.Release(ctx, companyID, was); err != nil {
			return err
		}
	}
	if is == "" {
		return nil
	}
	return tx.Uploads.Use(ctx, companyID, is, store.At(s.core.Now()))
}

// Picture reads the picture of a product by the last part of its address, for anyone. It refuses with NotFound an
// unknown address.
func (s *Shop) Picture(ctx context.Context, name string) (pictures.Picture, error) {
	id := access.ProductPictureID(access.ProductPrefix + name)
	u, err := s.core.DB.Uploads.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (u.Owner != pictureOwner || u.UsedAt == 0) {
		err = access.NotFound
	}
	if err != nil {
		return pictures.Picture{}, err
	}
	return s.pictures.Picture(ctx, pictures.ProductName(id), u.Kind)
}
