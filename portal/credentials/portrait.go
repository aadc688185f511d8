package credentials

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/pictures"
	"portico/store"
)

// MaxPictureFetched is the largest picture that is read from a chat app, in bytes.
const MaxPictureFetched = 1 << 20

func portraitName(id string) string { return "portrait/" + id + ".jpg" }

// portraitID returns the id of the portrait at an address; "" for an address outside this site.
func portraitID(address string) string {
	name, ours := strings.CutPrefix(address, access.PortraitPrefix)
	id, jpeg := strings.CutSuffix(name, ".jpg")
	if !ours || !jpeg || !access.PlainName(id) {
		return ""
	}
	return id
}

// Portrait returns a portrait by the last part of its address. Anybody who has the address may see it. It refuses an
// unknown one with NotFound.
func (p *Profiles) Portrait(ctx context.Context, name string) (pictures.Picture, error) {
	id := portraitID(access.PortraitPrefix + name)
	stored, err := p.core.DB.Portraits.ByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && stored.UsedAt == 0 {
		err = access.NotFound
	}
	if err != nil {
		return pictures.Picture{}, err
	}
	return p.pictures.Picture(ctx, portraitName(id), "image/jpeg")
}

// countPortrait counts a portrait that is about to be sent in or fetched. It refuses with TooManyAttempts after
// UploadsADay from one network, and with NotAvailable.
func (p *Profiles) countPortrait(ctx context.Context) error {
	if p.pictures.Files == nil {
		return &access.Refused{Refusal: access.NotAvailable}
	}
	return p.core.Limits.CountUpTo(
		ctx, p.core.DB, "uploads:"+access.Network(access.CallerOf(ctx).Address), pictures.UploadsADay, access.Day,
	)
}

// storePortrait takes a picture that countPortrait has counted and that can become the portrait of an account. Until it
// does, it is removed after AbandonedAfter. It refuses with UploadRejected and its reason.
func (p *Profiles) storePortrait(ctx context.Context, m store.Member, body io.ReadSeeker) (store.Portrait, error) {
	made, content, err := p.pictures.Clean(ctx, core.TakerOf(access.Landing{Member: m}), body, pictures.AsPortrait)
	if err != nil {
		return store.Portrait{}, p.pictures.NoteRefusedUpload(ctx, m.CompanyID, err)
	}
	portrait := store.Portrait{
		ID:        pictures.NewUploadID(),
		CompanyID: m.CompanyID,
		AccountID: m.ID,
		Content:   content,
		CreatedAt: store.At(p.core.Now()),
	}
	if err := p.core.DB.Portraits.Add(ctx, portrait); err != nil { // before the file, so that no file is forgotten
		return store.Portrait{}, err
	}
	return portrait, p.pictures.PutFile(ctx, portraitName(portrait.ID), made)
}

// takePortrait makes a stored picture the portrait of an account, as part of a transaction that holds the account's
// company. It returns the portrait that the account had before, "" for none. The same picture again changes nothing.
func (p *Profiles) takePortrait(
	ctx context.Context, tx *store.DB, m store.Member, portrait store.Portrait,
) (ended string,
	err error) {
	was, err := tx.Portraits.ByID(ctx, portraitID(m.HeadImg))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if err == nil && was.Content == portrait.Content {
		return portrait.ID, tx.Portraits.End(ctx, m.CompanyID, portrait.ID)
	}
	err = tx.Portraits.Use(ctx, m.CompanyID, portrait.ID, store.At(p.core.Now()))
	if errors.Is(err, store.ErrNotFound) { // the janitor has removed it meanwhile
		return "", access.Invalid(access.Fields{"portrait": access.FieldRequired})
	}
	if err != nil {
		return "", err
	}
	if err := tx.Portraits.End(ctx, m.CompanyID, was.ID); err != nil {
		return "", err
	}
	if err := tx.Portraits.SetOfAccount(ctx, m.CompanyID, m.ID, access.PortraitPrefix+portrait.ID+".jpg"); err != nil {
		return "", err
	}
	return was.ID, p.core.Access.Event(ctx, tx, "portrait_set", m, "")
}

// removePortrait removes the file and the row of a portrait that has ended. If the file store is down, the janitor does
// it later.
func (p *Profiles) removePortrait(ctx context.Context, companyID int64, id string) {
	if id == "" || p.pictures.Files == nil {
		return
	}
	err := p.pictures.Files.Delete(ctx, portraitName(id))
	if err == nil {
		err = p.core.DB.Portraits.Drop(ctx, companyID, id)
	}
	if err != nil {
		p.core.Log.LogAttrs(
			ctx, slog.LevelWarn, "portrait not removed", slog.String("portrait", id), slog.Any("error", err),
		)
	}
}

// RemoveEndedPortraits removes the portraits that no account has shown for AbandonedAfter. One whose file cannot be
// removed is tried again the next time.
func (p *Profiles) RemoveEndedPortraits(ctx context.Context) error {
	last := store.Portrait{CreatedAt: -1}
	for {
		ended, err := p.core.DB.Portraits.Ended(
			ctx, store.At(p.core.Now().Add(-pictures.AbandonedAfter)), last, pictures.AbandonedAtOnce,
		)
		if err != nil {
			return err
		}
		for _, portrait := range ended {
			last = portrait
			err := p.core.DB.Portraits.EndUnused(ctx, portrait.CompanyID, portrait.ID)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			p.removePortrait(ctx, portrait.CompanyID, portrait.ID)
		}
		if len(ended) < pictures.AbandonedAtOnce {
			return ctx.Err()
		}
	}
}

// weChatHead returns the address of the portrait that WeChat gave with an identity of the account or its person, "" for
// none.
func (p *Profiles) weChatHead(ctx context.Context, s access.Session, m store.Member) (string, error) {
	if p.fetchPicture == nil || p.pictures.Files == nil {
		return "", nil
	}
	rows, _, err := p.accounts.IdentitiesOf(ctx, p.core.DB, s)
	i := slices.IndexFunc(rows, func(row store.Identity) bool {
		isOwn := row.AccountID == m.ID || row.PersonID != 0 && row.PersonID == m.PersonID
		return isOwn && access.ProviderName(row.Provider) == access.WeChat && row.Portrait != ""
	})
	if err != nil || i < 0 {
		return "", err
	}
	return rows[i].Portrait, nil
}

// fetchHead reads the picture at an address that WeChat gave. It refuses with WeChatFailed when the picture cannot be
// read.
func (p *Profiles) fetchHead(ctx context.Context, address string) (io.ReadSeeker, error) {
	data, err := p.fetchPicture(ctx, address)
	if err != nil {
		p.core.Log.LogAttrs(
			ctx, access.LogWarn, "provider", access.LogEvent("portrait_not_fetched"), slog.Any("error", err),
		)
		return nil, &access.Refused{Refusal: access.NotAvailable, Wait: pictures.DecodeWait}
	}
	return bytes.NewReader(data), nil
}
