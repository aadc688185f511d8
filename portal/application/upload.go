package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/store"
)

const (
	// UploadLife is how long an upload token is valid.
	UploadLife = 10 * time.Minute
	// MaxUploadName is the longest name of a sent file, in characters. The name is checked and not stored.
	MaxUploadName = 255
)

// UploadTypes are the media types that UploadToken accepts. The content is checked after the upload.
var UploadTypes = []string{"image/jpeg", "image/png", "image/webp"}

// uploadTicket is a sealed permission to send one file to a company (0: not known yet), for one purpose and owner.
// Session is the hash of the API token that asked for it, "" for none. Applicant says that the owner is a proven phone.
type uploadTicket struct {
	ID        string              `json:"i"`
	CompanyID int64               `json:"c"`
	Purpose   store.UploadPurpose `json:"w"`
	Owner     string              `json:"o"`
	Session   string              `json:"s"`
	Applicant bool                `json:"a"`
	Until     int64               `json:"u"` // Unix ms
}

// ownerByPhone returns the owner of the files that an applicant with a proven phone sends.
func (l *Licences) ownerByPhone(phone string) string {
	return l.core.Sealing.Tag("upload owner", phone)
}

// openOwner is the prefix of the owner of a file that was sent without a proven phone. The first applicant who uses the
// file becomes its owner.
const openOwner = "open:"

// LicenceToken makes the token of a page's upload form. With it an applicant with a proven phone may send one picture
// within UploadLife. A refused picture does not use the token up.
func (l *Licences) LicenceToken(_ context.Context, companyID int64, phone string) (string, error) {
	return l.core.Sealing.Seal("upload", uploadTicket{
		ID: pictures.NewUploadID(), CompanyID: companyID, Purpose: store.UploadLicence, Owner: l.ownerByPhone(phone),
		Applicant: true, Until: l.core.Now().Add(UploadLife).UnixMilli(),
	})
}

// UploadTokenInput asks for permission to send a file: its name, media type, size in bytes, and company, 0 when none is
// named. Session is the API token of the caller, "" for none.
type UploadTokenInput struct {
	Name      string `json:"name_"`
	Type      string `json:"type_"`
	Size      int64  `json:"size_"`
	CompanyID int64  `json:"company_id_"`
	Session   string
}

// UploadForm says how to send a file: a multipart form with the fields, and then the file under "file". Key names the
// file in an application.
type UploadForm struct {
	URL, Method     string
	Headers, Fields map[string]string
	Key             string
	Expires         time.Time
}

// UploadToken returns the form with which an API client sends the picture of a licence: straight to the file store if
// that accepts uploads, else to this program. It refuses malformed fields; with UploadRejected a wrong type or size;
// with NotFound an unknown company; with TooManyAttempts after UploadsADay from one network; and with NotAvailable when
// no files can be stored.
func (l *Licences) UploadToken(ctx context.Context, in UploadTokenInput) (UploadForm, error) {
	if l.pictures.Files == nil {
		return UploadForm{}, &access.Refused{Refusal: access.NotAvailable}
	}
	if err := in.validate(); err != nil {
		return UploadForm{}, err
	}
	if in.CompanyID != 0 {
		if _, err := l.core.Access.Companies.ByID(
			ctx, l.core.DB, in.CompanyID, l.core.Now(),
		); errors.Is(err, store.ErrNotFound) {
			return UploadForm{}, access.NotFound
		} else if err != nil {
			return UploadForm{}, err
		}
	}
	now := l.core.Now()
	u := store.Upload{
		ID: pictures.NewUploadID(), CompanyID: in.CompanyID, Purpose: store.UploadLicence, CreatedAt: store.At(now),
	}
	u.Owner = openOwner + u.ID
	form := UploadForm{Method: "POST", Headers: map[string]string{}, Key: u.ID, Expires: now.Add(UploadLife)}
	address, fields, direct := l.pictures.Files.Post(pictures.IncomingName(u.ID), in.Type, in.Size, form.Expires)
	if direct {
		form.URL = address
		form.Fields = fields
		u.SentUntil = store.At(form.Expires)
	} else {
		ticket := uploadTicket{
			ID: u.ID, CompanyID: u.CompanyID, Purpose: u.Purpose, Owner: u.Owner, Until: form.Expires.UnixMilli(),
		}
		if in.Session != "" {
			ticket.Session, form.Headers["X-Token"] = access.Hashed(in.Session), in.Session
		}
		token, err := l.core.Sealing.Seal("upload", ticket)
		if err != nil {
			return UploadForm{}, err
		}
		form.URL, form.Fields = l.core.Access.Origin("account")+"/upload", map[string]string{"token": token}
	}
	return form, l.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := l.core.Limits.CountUpTo(
			ctx, tx, "upload-tokens:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
		); err != nil {
			return err
		}
		_, err := tx.Uploads.Add(ctx, u)
		return err
	})
}

func (in *UploadTokenInput) validate() error {
	fields := access.Fields{}
	switch {
	case strings.TrimSpace(in.Name) == "":
		fields["name"] = access.FieldRequired
	case !utf8.ValidString(in.Name) || utf8.RuneCountInString(in.Name) > MaxUploadName:
		fields["name"] = access.TextMalformed
	}
	if err := access.Invalid(fields); err != nil {
		return err
	}
	switch {
	case !slices.Contains(UploadTypes, in.Type):
		return pictures.UploadRejected(pictures.UploadNotPicture)
	case in.Size > access.MaxUpload:
		return pictures.UploadRejected(pictures.UploadTooLarge)
	case in.Size < 1:
		return pictures.UploadRejected(pictures.UploadEmpty)
	}
	return nil
}

// UploadInput is a file with its upload token. Body must have arrived already, because its owner is locked while it is
// read. With CheckSender the token must also belong to the sender: CompanyID is the company of the site, 0 for none,
// Ticket the applicant's from the browser's cookie, Session the API token of the call.
type UploadInput struct {
	Token string
	Body  io.ReadSeeker

	CheckSender     bool
	CompanyID       int64
	Ticket, Session string
}

// MayUpload checks the token before the file is read, without Body. It refuses with Forbidden a token that is invalid,
// expired or another person's.
func (l *Licences) MayUpload(in UploadInput) error {
	_, err := l.uploadTicket(in, store.UploadLicence)
	return err
}

// UploadLicence stores the picture of a licence, to which an application can refer. The same picture with the same
// token within RepeatWindow returns the same file. It refuses with Forbidden a token that is invalid, used, expired or
// another applicant's; with UploadRejected a bad file, and with the reason UploadDuplicate a picture that was sent
// before, together with that file; with TooManyAttempts after UploadsADay from one network; and with NotAvailable.
func (l *Licences) UploadLicence(ctx context.Context, in UploadInput) (store.Upload, error) {
	ticket, err := l.uploadTicket(in, store.UploadLicence)
	if err != nil {
		return store.Upload{}, err
	}
	if l.pictures.Files == nil {
		return store.Upload{}, &access.Refused{Refusal: access.NotAvailable}
	}
	defer l.core.Replay.Proofs.Hold("upload:" + ticket.Owner)()
	u := store.Upload{
		ID: ticket.ID, CompanyID: ticket.CompanyID, Purpose: ticket.Purpose, Owner: ticket.Owner,
		CreatedAt: store.At(l.core.Now()),
	}
	kept, err := l.core.DB.Uploads.ByID(ctx, u.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Upload{}, err
	}
	if err == nil && kept.Content != "" {
		return l.keptUpload(ctx, kept, in.Body)
	}
	if err := l.core.Limits.CountUpTo(
		ctx, l.core.DB, "uploads:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
	); err != nil {
		return store.Upload{}, err
	}
	u, err = l.keepLicence(ctx, u, in.Body, false)
	return u, l.pictures.NoteRefusedUpload(ctx, ticket.CompanyID, err)
}

// attachLicence stores the picture that came with an application, and returns the application with the picture's key. A
// picture that the applicant sent before is the same file again. It refuses with UploadRejected a bad picture; with
// TooManyAttempts after UploadsADay from one network; and with NotAvailable.
func (l *Licences) attachLicence(ctx context.Context, in ApplicationInput) (ApplicationInput, error) {
	if in.Licence == nil {
		return in, nil
	}
	if l.pictures.Files == nil {
		return in, &access.Refused{Refusal: access.NotAvailable}
	}
	owner := l.ownerByPhone(in.Applicant.Number)
	defer l.core.Replay.Proofs.Hold("upload:" + owner)()
	if err := l.core.Limits.CountUpTo(
		ctx, l.core.DB, "uploads:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
	); err != nil {
		return in, err
	}
	u, err := l.keepLicence(ctx, store.Upload{
		ID: pictures.NewUploadID(), CompanyID: in.CompanyID, Purpose: store.UploadLicence, Owner: owner,
		CreatedAt: store.At(l.core.Now()),
	}, in.Licence, false)
	err = l.pictures.NoteRefusedUpload(ctx, in.CompanyID, err)
	if isDuplicate := u.ID != "" && errors.Is(err, access.UploadRejected); err != nil && !isDuplicate {
		return in, err
	}
	in.LicenceKey = u.ID
	return in, nil
}

// keptUpload returns the file that was uploaded with a token, when the same picture is sent again within RepeatWindow;
// Forbidden for another picture.
func (l *Licences) keptUpload(ctx context.Context, kept store.Upload, body io.ReadSeeker) (store.Upload, error) {
	_, done, err := l.core.Replay.DoneBefore(ctx, l.core.Replay.OperationID("upload", kept.ID))
	if err != nil {
		return store.Upload{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(body, access.MaxUpload+1)); err != nil {
		return store.Upload{}, fmt.Errorf("read upload: %w", err)
	}
	if !done || hex.EncodeToString(hash.Sum(nil)) != kept.Content {
		return store.Upload{}, access.Forbidden
	}
	return kept, nil
}

// uploadTicket opens an upload token and checks that the input fits it.
func (l *Licences) uploadTicket(in UploadInput, purpose store.UploadPurpose) (uploadTicket, error) {
	var t uploadTicket
	if l.core.Sealing.Unseal("upload", in.Token, &t) != nil || l.core.Limits.Ended(t.Until) || t.Purpose != purpose {
		return t, access.Forbidden
	}
	if !in.CheckSender {
		return t, nil
	}
	if in.CompanyID != 0 && t.CompanyID != 0 && in.CompanyID != t.CompanyID {
		return t, access.Forbidden
	}
	if t.Session != "" && t.Session != access.Hashed(in.Session) {
		return t, access.Forbidden
	}
	if t.Applicant {
		who, err := l.accounts.Applicants.Open(in.Ticket, t.CompanyID)
		if err != nil || l.ownerByPhone(who.Number) != t.Owner {
			return t, access.Forbidden
		}
	}
	return t, nil
}

// keepLicence cleans a picture and stores it. With again it accepts a picture that the owner has sent before. It adds
// the row before the file, so that every file in the store has a row.
func (l *Licences) keepLicence(
	ctx context.Context, u store.Upload, body io.ReadSeeker, again bool,
) (store.Upload, error) {
	made, content, err := l.pictures.Clean(ctx, pictures.Stranger(u.CompanyID), body, pictures.AsLicence)
	if err != nil {
		return store.Upload{}, err
	}
	same, err := l.core.DB.Uploads.Same(
		ctx, u.CompanyID, u.Owner, content, store.At(l.core.Now().Add(-pictures.AbandonedAfter)),
	)
	if err == nil && !again {
		return same, pictures.UploadRejected(pictures.UploadDuplicate)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Upload{}, err
	}
	if _, err := l.core.DB.Uploads.Add(ctx, u); err != nil {
		return store.Upload{}, err
	}
	u.Content = content
	u.Kind = made.Kind
	u.Size = int64(len(made.Data))
	u.Width = made.Width
	u.Height = made.Height
	if err := l.pictures.PutFile(ctx, pictures.LicenceName(u.ID), made); err != nil {
		return store.Upload{}, err
	}
	err = l.core.DB.Tx(ctx, func(tx *store.DB) error {
		if err := tx.Uploads.Finish(ctx, u); err != nil {
			return err
		}
		if err := l.core.Replay.NoteDone(ctx, tx, l.core.Replay.OperationID("upload", u.ID), ""); err != nil {
			return err
		}
		company := store.Member{Account: store.Account{CompanyID: u.CompanyID}}
		return l.core.Access.Event(ctx, tx, "upload_stored", company, string(u.Purpose))
	})
	if errors.Is(err, store.ErrNotFound) {
		err = access.Forbidden
	}
	if err != nil {
		return store.Upload{}, err
	}
	return u, nil
}
