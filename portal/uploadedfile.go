package portal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portico/store"
)

// Limits of the files that people send: pictures of licences, icons and portraits.
const (
	// UploadsADay is how many files one network may send in a day, and how many forms to send one it may ask for.
	UploadsADay = 20
	// AbandonedAfter is how long a file is kept that nothing refers to.
	AbandonedAfter = 24 * time.Hour
)

// The names of files in the store.

func licenceName(id string) string  { return "licence/" + id }
func incomingName(id string) string { return "incoming/" + id }
func iconName(id string) string     { return "icon/" + id + ".png" }

func newUploadID() string { return randomToken(18) }

// putFile stores a picture. It refuses with NotAvailable when the store cannot be reached or is full, and logs the
// reason.
func (p *Portal) putFile(ctx context.Context, name string, made Picture) error {
	return p.filesAway(ctx, p.files.Put(ctx, name, made.Kind, made.Data))
}

// filesAway turns a failure of the store of files into NotAvailable.
func (p *Portal) filesAway(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrNoFile) || ctx.Err() != nil {
		return err
	}
	p.log.LogAttrs(ctx, slog.LevelError, "files away",
		slog.String("request_id", callerOf(ctx).RequestID), slog.Any("error", err))
	return &Refused{Refusal: NotAvailable, Wait: decodeWait}
}

// picture reads a stored picture. It refuses with NotFound when there is none.
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

// noteRefusedUpload writes an audit event when err is the refusal of a file, and returns err.
func (p *Portal) noteRefusedUpload(ctx context.Context, companyID int64, err error) error {
	refused := new(Refused)
	if !errors.As(err, &refused) || refused.Refusal != UploadRejected {
		return err
	}
	company := store.Member{Account: store.Account{CompanyID: companyID}}
	if noted := p.event(ctx, p.db, "upload_refused", company, string(refused.Reason)); noted != nil {
		return noted
	}
	return err
}
