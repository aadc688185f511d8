package portal

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"portico/store"
)

// picture reads a picture as it is kept; NotFound.
func (p *Portal) picture(ctx context.Context, name, kind string) (Picture, error) {
	if p.files == nil {
		return Picture{}, NotFound
	}
	data, err := p.files.Get(ctx, name, maxKept)
	if errors.Is(err, ErrNoFile) {
		return Picture{}, NotFound
	}
	if err != nil {
		return Picture{}, p.filesAway(ctx, err)
	}
	return Picture{Kind: kind, Data: data}, nil
}

func unknownLicence() error { return invalid(Fields{"licence": LicenceUnknown}) }

// takeLicence makes sure that a proven phone may refer to a file in an application to a company: it is its own, or nobody's
// yet, and then it becomes its own. A file that was sent straight to the store is fetched and made anew here. Call it before
// the transaction that uses it. Refused: LicenceUnknown under "licence"; UploadRejected for what was sent to the store.
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
	over := u.UsedAt == 0 && u.CreatedAt <= store.At(p.now().Add(-AbandonedAfter))
	if over || u.Purpose != store.UploadLicence || u.CompanyID != 0 && u.CompanyID != companyID || u.Content == "" && u.SentUntil == 0 {
		return unknownLicence()
	}
	if u.Owner != owner || u.CompanyID == 0 {
		if u.Owner != owner && u.Owner != openOwner+u.ID {
			return unknownLicence()
		}
		err := p.db.ClaimUpload(ctx, u, companyID, owner)
		if errors.Is(err, store.ErrNotFound) { // somebody else was faster
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

// takeIncoming fetches a file that was sent straight to the store, and keeps it made anew.
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

// useUpload notes in the transaction of an application that it refers to a licence; LicenceUnknown when it has gone.
func (p *Portal) useUpload(ctx context.Context, tx *store.DB, key string, companyID int64) error {
	err := tx.UseUpload(ctx, companyID, key, store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) {
		err = unknownLicence()
	}
	return err
}

// LicenceOf is the picture of the licence in an application to one's own company. Forbidden without the right to see
// applications; NotFound for another company's, or one without a licence.
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

// LicenceOfApplicant is the picture that an applicant has sent to a company, by the ticket that proves the phone. NotFound for
// anybody else's, and without a good ticket.
func (p *Portal) LicenceOfApplicant(ctx context.Context, ticket string, companyID int64, key string) (Picture, error) {
	phone, err := p.Applicant(ticket, companyID)
	if err != nil {
		return Picture{}, NotFound
	}
	u, err := p.db.UploadByID(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Picture{}, err
	}
	if err != nil || u.Purpose != store.UploadLicence || u.CompanyID != companyID || u.Owner != p.ownerByPhone(phone) || u.Content == "" {
		return Picture{}, NotFound
	}
	return p.picture(ctx, licenceName(u.ID), u.Kind)
}
