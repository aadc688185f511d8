package portal

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"portico/store"
)

func unknownLicence() error { return invalid(Fields{"licence": LicenceUnknown}) }

// takeLicence makes sure that the owner of a proven phone may use a file in an application to a company. A file without
// an owner becomes theirs. It fetches and cleans a file that was sent straight to the store of files, so it must be
// called before the transaction that uses the file. It refuses with LicenceUnknown under "licence", and with
// UploadRejected a bad file in the store.
func (p *Portal) takeLicence(ctx context.Context, key string, companyID int64, phone string) error {
	if p.files == nil {
		return unknownLicence()
	}
	owner := p.ownerByPhone(phone)
	defer p.proofs.hold("upload:" + owner)()
	u, err := p.db.UploadByID(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return unknownLicence()
	}
	if err != nil {
		return err
	}
	isAbandoned := u.UsedAt == 0 && u.CreatedAt <= store.At(p.now().Add(-AbandonedAfter))
	isElsewhere := u.CompanyID != 0 && u.CompanyID != companyID
	isMissing := u.Content == "" && u.SentUntil == 0
	if isAbandoned || isElsewhere || isMissing || u.Purpose != store.UploadLicence {
		return unknownLicence()
	}
	if u.Owner != owner || u.CompanyID == 0 {
		if u.Owner != owner && u.Owner != openOwner+u.ID {
			return unknownLicence()
		}
		err := p.db.ClaimUpload(ctx, u, companyID, owner)
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
	return p.noteRefusedUpload(ctx, companyID, p.takeIncoming(ctx, u))
}

// takeIncoming fetches a file that was sent straight to the store of files, and stores a clean picture of it.
func (p *Portal) takeIncoming(ctx context.Context, u store.Upload) error {
	data, err := p.files.Get(ctx, incomingName(u.ID), MaxUpload)
	if errors.Is(err, ErrNoFile) {
		return unknownLicence()
	}
	if err != nil {
		return p.filesAway(ctx, err)
	}
	if err := p.countUpTo(ctx, p.db, "uploads:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
		return err
	}
	_, kept := p.keepLicence(ctx, u, bytes.NewReader(data), true)
	if kept != nil && !errors.Is(kept, UploadRejected) {
		return kept
	}
	if err := p.files.Delete(ctx, incomingName(u.ID)); err != nil { // the janitor tries again
		p.log.LogAttrs(ctx, slog.LevelWarn, "incoming file not removed", slog.Any("error", err))
	}
	return kept
}

// useUpload notes in the transaction of an application that it uses a picture. It refuses with LicenceUnknown when the
// picture was removed.
func (p *Portal) useUpload(ctx context.Context, tx *store.DB, key string, companyID int64) error {
	err := tx.UseUpload(ctx, companyID, key, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = unknownLicence()
	}
	return err
}

// LicenceOf reads the picture in an application to the account's company. It refuses with Forbidden without the right
// to see applications, and with NotFound another company's application or one without a picture.
func (p *Portal) LicenceOf(ctx context.Context, here Landing, applicationID int64) (Picture, error) {
	if err := may(here, RightApplications); err != nil {
		return Picture{}, err
	}
	a, err := p.db.ApplicationOf(ctx, here.Member.CompanyID, applicationID)
	switch {
	case err != nil:
		return Picture{}, p.missing(ctx, here, "licence", err)
	case a.LicenceKey == "":
		return Picture{}, NotFound
	}
	return p.picture(ctx, licenceName(a.LicenceKey), "image/jpeg")
}

// LicenceOfApplicant reads the picture that an applicant sent to a company. It refuses with NotFound without a valid
// ticket of the phone, and another applicant's picture.
func (p *Portal) LicenceOfApplicant(ctx context.Context, ticket string, companyID int64, key string) (Picture, error) {
	who, err := p.Applicant(ticket, companyID)
	if err != nil {
		return Picture{}, NotFound
	}
	u, err := p.db.UploadByID(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Picture{}, err
	}
	isOwn := u.CompanyID == companyID && u.Owner == p.ownerByPhone(who.phone)
	if err != nil || !isOwn || u.Purpose != store.UploadLicence || u.Content == "" {
		return Picture{}, NotFound
	}
	return p.picture(ctx, licenceName(u.ID), u.Kind)
}
