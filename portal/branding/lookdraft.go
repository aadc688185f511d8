package branding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"portico/portal/access"
	"portico/portal/pictures"
	"portico/portal/stylesheet"
	"portico/store"
)

// Limits of looks that are not published.
const (
	// LookDraftKept is how long what was typed is kept.
	LookDraftKept = 24 * time.Hour
	// LookShown is how long the address of a preview works.
	LookShown = 10 * time.Minute

	maxDraftStyle = 3 * stylesheet.MaxStyle
)

// KeepLook stores an administrator's unpublished look as it was typed, until it is published or LookDraftKept has
// passed. It refuses with Forbidden anyone but the company's administrators.
func (b *Branding) KeepLook(ctx context.Context, here access.Landing, in AppearanceInput) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	in.Style = access.Truncated(in.Style, maxDraftStyle)
	return b.core.DB.Tx(ctx, func(tx *store.DB) error {
		by, err := b.core.Access.LockActor(ctx, tx, here, access.RightSettings)
		if err != nil {
			return err
		}
		in := in // each run of the transaction begins with the same values

		if in.Seen == lookTag(here.Member.Company) { // what has changed since is one's own doing
			in.Seen = lookTag(by.Company)
		}
		content, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("keep a look: %w", err)
		}
		return tx.Looks.KeepDraft(ctx, store.LookDraft{
			CompanyID: by.CompanyID, AccountID: by.ID, Content: string(content), UpdatedAt: store.At(b.core.Now()),
		})
	})
}

// KeptDraft reads the administrator's unpublished look. ok is false when there is none. It refuses with Forbidden
// anyone but the company's administrators.
func (b *Branding) KeptDraft(ctx context.Context, here access.Landing) (in AppearanceInput, ok bool, err error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return in, false, err
	}
	d, err := b.core.DB.Looks.Draft(ctx, here.Member.CompanyID, here.Member.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.UpdatedAt <= store.At(b.core.Now().Add(-LookDraftKept)) {
		return in, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(d.Content), &in)
	}
	return in, err == nil, err
}

// DropLook removes the administrator's unpublished look. It refuses with Forbidden anyone but the company's
// administrators.
func (b *Branding) DropLook(ctx context.Context, here access.Landing) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	return b.core.DB.Looks.DropDraft(ctx, here.Member.CompanyID, here.Member.ID)
}

// lookSeal is the purpose of the address of a preview.
const lookSeal = "look"

type sealedLook struct {
	Company, Account int64
	Until            store.Instant
}

// LookToken makes the token with which only this administrator can open the preview of the draft, for LookShown. It
// refuses with Forbidden anyone but the company's administrators.
func (b *Branding) LookToken(here access.Landing) (string, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return "", err
	}
	return b.core.Sealing.Seal(
		lookSeal, sealedLook{here.Member.CompanyID, here.Member.ID, store.At(b.core.Now().Add(LookShown))},
	)
}

// LookPreview is a look as it would be published.
type LookPreview struct {
	Company store.Company     // with the look
	Style   string            // the sheet as it would be served, "" for none
	Icon    *pictures.Picture // one that is not published, nil for none
}

// PreviewLook returns the administrator's unpublished look, or the published one when there is none. It refuses with
// Forbidden anyone but the company's administrators, and with NotFound a token that has expired or is another person's.
func (b *Branding) PreviewLook(ctx context.Context, here access.Landing, token string) (LookPreview, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return LookPreview{}, err
	}
	var sealed sealedLook
	m := here.Member
	if b.core.Sealing.Unseal(lookSeal, token, &sealed) != nil || sealed.Until <= store.At(b.core.Now()) {
		return LookPreview{}, access.NotFound
	}
	if sealed.Company != m.CompanyID || sealed.Account != m.ID {
		return LookPreview{}, b.core.Access.RefuseMissing(ctx, here, "look", store.ErrNotFound)
	}
	in, typed, err := b.KeptDraft(ctx, here)
	if err == nil && !typed {
		in, err = b.AppearanceOf(ctx, here)
	}
	if err != nil {
		return LookPreview{}, err
	}
	look := LookPreview{Company: m.Company}
	_ = b.CheckAppearance(&in) // what was refused shows as nothing
	c := &look.Company
	c.Name = in.Name
	c.Theme = in.Theme
	c.Language = in.Language
	c.ShopSkin = in.ShopSkin
	if css, problems := stylesheet.FilterStyle(in.Style); len(problems) == 0 && css != "" {
		look.Style = ServedStyle(css)
	}
	if id := access.UploadedIconID(in.Icon); id != "" {
		if u, err := b.core.DB.Uploads.ByID(ctx, id); err == nil && u.CompanyID == m.CompanyID &&
			u.Purpose == store.UploadLook {
			picture, err := b.pictures.Picture(ctx, pictures.IconName(id), u.Kind)
			if err != nil {
				return LookPreview{}, err
			}
			look.Icon = &picture
		}
	}
	return look, nil
}
