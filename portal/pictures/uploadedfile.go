package pictures

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/store"
)

// Limits of the files that people send: pictures of licences, icons and portraits.
const (
	// UploadsADay is how many files one network may send in a day, and how many upload forms it may ask for.
	UploadsADay = 20
	// AbandonedAfter is how long a file is kept that nothing refers to.
	AbandonedAfter = 24 * time.Hour
	// AbandonedAtOnce is how many abandoned files one query reads.
	AbandonedAtOnce = 100
)

// LicenceName returns the name of the stored picture of a licence.
func LicenceName(id string) string { return "licence/" + id }

// IncomingName returns the name of a file as a client sent it straight to the file store.
func IncomingName(id string) string { return "incoming/" + id }

// IconName returns the name of the stored icon of a company.
func IconName(id string) string { return "icon/" + id + ".png" }

// WelcomeName returns the name of the stored picture of a company's own sign-in page.
func WelcomeName(id string) string { return "welcome/" + id + ".jpg" }

// ProductName returns the name of the stored picture of a product.
func ProductName(id string) string { return "product/" + id + ".jpg" }

// NewUploadID makes the random id of an upload.
func NewUploadID() string { return access.RandomToken(18) }

// PutFile stores a picture. It refuses with NotAvailable when the store cannot be reached or is full, and logs the
// reason.
func (p *Pictures) PutFile(ctx context.Context, name string, made Picture) error {
	return p.FilesAway(ctx, p.Files.Put(ctx, name, made.Kind, made.Data))
}

// FilesAway logs a failure of the file store and turns it into NotAvailable.
func (p *Pictures) FilesAway(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrNoFile) || ctx.Err() != nil {
		return err
	}
	if p.core.Counted.FilesFailed != nil {
		p.core.Counted.FilesFailed()
	}
	p.core.Log.LogAttrs(ctx, slog.LevelError, "files away", slog.Any("error", err))
	return &access.Refused{Refusal: access.NotAvailable, Wait: DecodeWait}
}

// Picture reads a stored picture. It refuses with NotFound when there is none.
func (p *Pictures) Picture(ctx context.Context, name, kind string) (Picture, error) {
	if p.Files == nil {
		return Picture{}, access.NotFound
	}
	data, err := p.Files.Get(ctx, name, maxKept)
	if errors.Is(err, ErrNoFile) {
		return Picture{}, access.NotFound
	}
	if err != nil {
		return Picture{}, p.FilesAway(ctx, err)
	}
	return Picture{Kind: kind, Data: data}, nil
}

// NoteRefusedUpload writes an audit event when err is the refusal of a file, and returns err.
func (p *Pictures) NoteRefusedUpload(ctx context.Context, companyID int64, err error) error {
	refused := new(access.Refused)
	if !errors.As(err, &refused) || refused.Refusal != access.UploadRejected {
		return err
	}
	company := store.Member{Account: store.Account{CompanyID: companyID}}
	if noted := p.core.Access.Event(ctx, p.core.DB, "upload_refused", company, string(refused.Reason)); noted != nil {
		return noted
	}
	return err
}
