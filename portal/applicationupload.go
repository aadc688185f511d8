package portal

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

	"portico/store"
)

const (
	// UploadLife is how long one may send the file that one asked to send.
	UploadLife = 10 * time.Minute
	// MaxUploadName is the longest name of a file that is read, in characters. No file is stored under its name.
	MaxUploadName = 255
)

// UploadTypes are the media types of pictures that are taken; what counts is the content.
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

// ownerByPhone is the owner of the files that the holder of a proven phone sends.
func (p *Portal) ownerByPhone(phone string) string { return p.tag("upload owner", phone) }

// openOwner is how the owner of a file begins whose sender proved no phone. The first applicant who uses the file
// becomes its owner.
const openOwner = "open:"

// LicenceToken makes a token for the form of a page, with which an applicant whose phone is proven may send one picture
// within UploadLife. A refused picture does not use it up.
func (p *Portal) LicenceToken(_ context.Context, companyID int64, phone string) (string, error) {
	return p.seal("upload", uploadTicket{
		ID: newUploadID(), CompanyID: companyID, Purpose: store.UploadLicence, Owner: p.ownerByPhone(phone),
		Applicant: true, Until: p.now().Add(UploadLife).UnixMilli(),
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

// UploadToken returns the form with which an API client sends the picture of a licence: straight to the store of files
// if that accepts it, else to this program. It refuses malformed fields; with UploadRejected a wrong type or size; with
// NotFound an unknown company; with TooManyAttempts after UploadsADay from one network; and with NotAvailable when no
// files can be stored.
func (p *Portal) UploadToken(ctx context.Context, in UploadTokenInput) (UploadForm, error) {
	if p.files == nil {
		return UploadForm{}, &Refused{Refusal: NotAvailable}
	}
	if err := in.validate(); err != nil {
		return UploadForm{}, err
	}
	if in.CompanyID != 0 {
		if _, err := p.companies.byID(ctx, p.db, in.CompanyID, p.now()); errors.Is(err, store.ErrNotFound) {
			return UploadForm{}, NotFound
		} else if err != nil {
			return UploadForm{}, err
		}
	}
	now := p.now()
	u := store.Upload{
		ID: newUploadID(), CompanyID: in.CompanyID, Purpose: store.UploadLicence, CreatedAt: store.At(now),
	}
	u.Owner = openOwner + u.ID
	form := UploadForm{Method: "POST", Headers: map[string]string{}, Key: u.ID, Expires: now.Add(UploadLife)}
	address, fields, direct := p.files.Post(incomingName(u.ID), in.Type, in.Size, form.Expires)
	if direct {
		form.URL, form.Fields, u.SentUntil = address, fields, store.At(form.Expires)
	} else {
		ticket := uploadTicket{
			ID: u.ID, CompanyID: u.CompanyID, Purpose: u.Purpose, Owner: u.Owner, Until: form.Expires.UnixMilli(),
		}
		if in.Session != "" {
			ticket.Session, form.Headers["X-Token"] = hashed(in.Session), in.Session
		}
		token, err := p.seal("upload", ticket)
		if err != nil {
			return UploadForm{}, err
		}
		form.URL, form.Fields = p.origin("account")+"/upload", map[string]string{"token": token}
	}
	return form, p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.countUpTo(ctx, tx, "upload-tokens:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
			return err
		}
		_, err := tx.AddUpload(ctx, u)
		return err
	})
}

func (in *UploadTokenInput) validate() error {
	fields := Fields{}
	switch {
	case strings.TrimSpace(in.Name) == "":
		fields["name"] = FieldRequired
	case !utf8.ValidString(in.Name) || utf8.RuneCountInString(in.Name) > MaxUploadName:
		fields["name"] = TextMalformed
	}
	if err := invalid(fields); err != nil {
		return err
	}
	switch {
	case !slices.Contains(UploadTypes, in.Type):
		return uploadRejected(UploadNotPicture)
	case in.Size > MaxUpload:
		return uploadRejected(UploadTooLarge)
	case in.Size < 1:
		return uploadRejected(UploadEmpty)
	}
	return nil
}

// UploadInput is a file with the token that allows it. Body must have arrived already, because its owner is locked
// while it is read. When AtDoor is set, the token must fit the rest: CompanyID is the company of the site, 0 for none,
// Ticket the applicant's from the browser's cookie, Session the API token of the call.
type UploadInput struct {
	Token string
	Body  io.ReadSeeker

	AtDoor          bool
	CompanyID       int64
	Ticket, Session string
}

// MayUpload checks the token before the file is read, without Body. It refuses with Forbidden a token that is invalid,
// expired or another person's.
func (p *Portal) MayUpload(in UploadInput) error {
	_, err := p.uploadTicket(in, store.UploadLicence)
	return err
}

// UploadLicence stores the picture of a licence, for an application to refer to. The same picture with the same token
// within RepeatWindow returns the same file. It refuses with Forbidden a token that is invalid, used, expired or
// another applicant's; with UploadRejected a bad file, and with the reason UploadDuplicate a picture that was sent
// before, together with that file; with TooManyAttempts after UploadsADay from one network; and with NotAvailable.
func (p *Portal) UploadLicence(ctx context.Context, in UploadInput) (store.Upload, error) {
	ticket, err := p.uploadTicket(in, store.UploadLicence)
	if err != nil {
		return store.Upload{}, err
	}
	if p.files == nil {
		return store.Upload{}, &Refused{Refusal: NotAvailable}
	}
	defer p.proofs.hold("upload:" + ticket.Owner)()
	u := store.Upload{
		ID: ticket.ID, CompanyID: ticket.CompanyID, Purpose: ticket.Purpose, Owner: ticket.Owner,
		CreatedAt: store.At(p.now()),
	}
	kept, err := p.db.UploadByID(ctx, u.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Upload{}, err
	}
	if err == nil && kept.Content != "" {
		return p.keptUpload(ctx, kept, in.Body)
	}
	if err := p.countUpTo(ctx, p.db, "uploads:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
		return store.Upload{}, err
	}
	u, err = p.keepLicence(ctx, u, in.Body, false)
	return u, p.noteRefusedUpload(ctx, ticket.CompanyID, err)
}

// attachLicence stores the picture that came with an application, and returns the application with the picture's key. A
// picture that the applicant sent before is the same file again. It refuses with UploadRejected a bad picture; with
// TooManyAttempts after UploadsADay from one network; and with NotAvailable.
func (p *Portal) attachLicence(ctx context.Context, in ApplicationInput) (ApplicationInput, error) {
	if in.Licence == nil {
		return in, nil
	}
	if p.files == nil {
		return in, &Refused{Refusal: NotAvailable}
	}
	owner := p.ownerByPhone(in.Applicant.phone)
	defer p.proofs.hold("upload:" + owner)()
	if err := p.countUpTo(ctx, p.db, "uploads:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
		return in, err
	}
	u, err := p.keepLicence(ctx, store.Upload{
		ID: newUploadID(), CompanyID: in.CompanyID, Purpose: store.UploadLicence, Owner: owner,
		CreatedAt: store.At(p.now()),
	}, in.Licence, false)
	err = p.noteRefusedUpload(ctx, in.CompanyID, err)
	if isDuplicate := u.ID != "" && errors.Is(err, UploadRejected); err != nil && !isDuplicate {
		return in, err
	}
	in.LicenceKey = u.ID
	return in, nil
}

// keptUpload returns the file that was uploaded with a token, when the same picture is sent again within RepeatWindow;
// Forbidden for another picture.
func (p *Portal) keptUpload(ctx context.Context, kept store.Upload, body io.ReadSeeker) (store.Upload, error) {
	_, done, err := p.doneBefore(ctx, p.operationID("upload", kept.ID))
	if err != nil {
		return store.Upload{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(body, MaxUpload+1)); err != nil {
		return store.Upload{}, fmt.Errorf("read upload: %w", err)
	}
	if !done || hex.EncodeToString(hash.Sum(nil)) != kept.Content {
		return store.Upload{}, Forbidden
	}
	return kept, nil
}

// uploadTicket opens an upload token and checks that the input fits it.
func (p *Portal) uploadTicket(in UploadInput, purpose store.UploadPurpose) (uploadTicket, error) {
	var t uploadTicket
	if p.unseal("upload", in.Token, &t) != nil || p.ended(t.Until) || t.Purpose != purpose {
		return t, Forbidden
	}
	if !in.AtDoor {
		return t, nil
	}
	if in.CompanyID != 0 && t.CompanyID != 0 && in.CompanyID != t.CompanyID {
		return t, Forbidden
	}
	if t.Session != "" && t.Session != hashed(in.Session) {
		return t, Forbidden
	}
	if t.Applicant {
		who, err := p.Applicant(in.Ticket, t.CompanyID)
		if err != nil || p.ownerByPhone(who.phone) != t.Owner {
			return t, Forbidden
		}
	}
	return t, nil
}

// keepLicence cleans a picture and stores it; again allows one that the owner has sent before. It adds the row before
// the file, so that every file in the store has a row.
func (p *Portal) keepLicence(
	ctx context.Context, u store.Upload, body io.ReadSeeker, again bool,
) (store.Upload, error) {
	made, content, err := p.clean(ctx, body, asLicence)
	if err != nil {
		return store.Upload{}, err
	}
	same, err := p.db.SameUpload(ctx, u.CompanyID, u.Owner, content, store.At(p.now().Add(-AbandonedAfter)))
	if err == nil && !again {
		return same, uploadRejected(UploadDuplicate)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Upload{}, err
	}
	if _, err := p.db.AddUpload(ctx, u); err != nil {
		return store.Upload{}, err
	}
	u.Content, u.Kind, u.Size, u.Width, u.Height = content, made.Kind, int64(len(made.Data)), made.Width, made.Height
	if err := p.putFile(ctx, licenceName(u.ID), made); err != nil {
		return store.Upload{}, err
	}
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.FinishUpload(ctx, u); err != nil {
			return err
		}
		if err := p.noteDone(ctx, tx, p.operationID("upload", u.ID), ""); err != nil {
			return err
		}
		company := store.Member{Account: store.Account{CompanyID: u.CompanyID}}
		return p.event(ctx, tx, "upload_stored", company, string(u.Purpose))
	})
	if errors.Is(err, store.ErrNotFound) {
		err = Forbidden
	}
	if err != nil {
		return store.Upload{}, err
	}
	return u, nil
}
