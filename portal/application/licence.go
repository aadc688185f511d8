package application

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/store"
)

// unknownLicence is the refusal of a licence that is not there or belongs to another applicant.
func unknownLicence() error { return access.Invalid(access.Fields{"licence": access.LicenceUnknown}) }

// takeLicence makes sure that the owner of a proven phone may use a file in an application to a company. A file without
// an owner becomes theirs. It fetches and cleans a file that was sent straight to the file store, so it must be called
// before the transaction that uses the file. It refuses with LicenceUnknown under "licence", and with UploadRejected a
// bad file in the store.
func (l *Licences) takeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	if l.pictures.Files == nil {
		return unknownLicence()
	}
	owner := l.ownerByPhone(phone)
	defer l.core.Replay.Proofs.Hold("upload:" + owner)()
	u, err := l.core.DB.Uploads.ByID(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return unknownLicence()
	}
	if err != nil {
		return err
	}
	isAbandoned := u.UsedAt == 0 && u.CreatedAt <= store.At(l.core.Now().Add(-pictures.AbandonedAfter))
	isElsewhere := u.CompanyID != 0 && u.CompanyID != companyID
	isMissing := u.Content == "" && u.SentUntil == 0
	if isAbandoned || isElsewhere || isMissing || u.Purpose != store.UploadLicence {
		return unknownLicence()
	}
	if u.Owner != owner || u.CompanyID == 0 {
		if u.Owner != owner && u.Owner != openOwner+u.ID {
			return unknownLicence()
		}
		err := l.core.DB.Uploads.Claim(ctx, u, companyID, owner)
		if errors.Is(err, store.ErrNotFound) { // another request was faster
			return unknownLicence()
		}
		if err != nil {
			return err
		}
		u.CompanyID, u.Owner = companyID, owner
	}
	if u.Content != "" {
		return nil
	}
	return l.pictures.NoteRefusedUpload(ctx, companyID, l.takeIncoming(ctx, u))
}

// takeIncoming fetches a file that was sent straight to the file store, and stores a clean picture of it.
func (l *Licences) takeIncoming(ctx context.Context, u store.Upload) error {
	data, err := l.pictures.Files.Get(ctx, pictures.IncomingName(u.ID), access.MaxUpload)
	if errors.Is(err, pictures.ErrNoFile) {
		return unknownLicence()
	}
	if err != nil {
		return l.pictures.FilesAway(ctx, err)
	}
	if err := l.core.Limits.CountUpTo(
		ctx, l.core.DB, "uploads:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
	); err != nil {
		return err
	}
	_, kept := l.keepLicence(ctx, u, bytes.NewReader(data), true)
	if kept != nil && !errors.Is(kept, access.UploadRejected) {
		return kept
	}
	if err := l.pictures.Files.Delete(ctx, pictures.IncomingName(u.ID)); err != nil {
		// The sweep of abandoned files tries again.
		l.core.Log.LogAttrs(ctx, slog.LevelWarn, "incoming file not removed", slog.Any("error", err))
	}
	return kept
}

// useUpload records that an application uses a picture. Call it in the transaction that stores the application. It
// refuses with LicenceUnknown when the picture was removed.
func (l *Licences) useUpload(ctx context.Context, tx *store.DB, key string, companyID int64) error {
	err := tx.Uploads.Use(ctx, companyID, key, store.At(l.core.Now()))
	if errors.Is(err, store.ErrNotFound) {
		err = unknownLicence()
	}
	return err
}

// LicenceOf reads the picture in an application for its reviewers. It refuses with Forbidden an account without the
// right to see applications, and with NotFound another company's application or one without a picture.
func (l *Licences) LicenceOf(
	ctx context.Context, here access.Landing, applicationID int64,
) (pictures.Picture, error) {
	if err := access.RequireRight(here, access.RightApplications); err != nil {
		return pictures.Picture{}, err
	}
	a, err := l.core.DB.Applications.OfCompany(ctx, here.Member.CompanyID, applicationID)
	switch {
	case err != nil:
		return pictures.Picture{}, l.core.Access.RefuseMissing(ctx, here, "licence", err)
	case a.LicenceKey == "":
		return pictures.Picture{}, access.NotFound
	}
	return l.pictures.Picture(ctx, pictures.LicenceName(a.LicenceKey), "image/jpeg")
}

// LicenceOfApplicant reads the picture that an applicant sent to a company, for this applicant. ticket proves the
// applicant's phone. It refuses with NotFound an invalid ticket and the picture of another applicant.
func (l *Licences) LicenceOfApplicant(
	ctx context.Context, ticket string, companyID int64, key string,
) (pictures.Picture, error) {
	who, err := l.accounts.Applicants.Open(ticket, companyID)
	if err != nil {
		return pictures.Picture{}, access.NotFound
	}
	u, err := l.core.DB.Uploads.ByID(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return pictures.Picture{}, err
	}
	isOwn := u.CompanyID == companyID && u.Owner == l.ownerByPhone(who.Number)
	if err != nil || !isOwn || u.Purpose != store.UploadLicence || u.Content == "" {
		return pictures.Picture{}, access.NotFound
	}
	return l.pictures.Picture(ctx, pictures.LicenceName(u.ID), u.Kind)
}
