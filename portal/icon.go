package portal

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"

	"portico/store"
)

const iconPrefix = "/icon/"

// ownIconID is the id of the file behind an icon's address; "" where it is none of those that companies sent in.
func ownIconID(address string) string {
	name, ours := strings.CutPrefix(address, iconPrefix)
	id, png := strings.CutSuffix(name, ".png")
	if !ours || !png || strings.Contains(id, "/") {
		return ""
	}
	return id
}

// SetIcon makes a picture one's company's icon. The icon it had is removed. Forbidden; UploadRejected with its reason;
// TooManyAttempts past UploadsADay of an address; NotAvailable.
func (p *Portal) SetIcon(ctx context.Context, here Landing, body io.ReadSeeker) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	if p.files == nil {
		return &Refused{Refusal: NotAvailable}
	}
	if err := p.countUpTo(ctx, p.db, "uploads:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
		return err
	}
	companyID := here.Member.CompanyID
	made, content, err := p.clean(ctx, body, asIcon)
	if err != nil {
		return p.noteRefusedUpload(ctx, companyID, err)
	}
	u := store.Upload{
		ID: newUploadID(), CompanyID: companyID, Purpose: store.UploadIcon, Owner: "company", CreatedAt: store.At(p.now()),
		Content: content, Kind: made.Kind, Size: int64(len(made.Data)), Width: made.Width, Height: made.Height,
	}
	if _, err := p.db.AddUpload(ctx, u); err != nil {
		return err
	}
	if err := p.putFile(ctx, iconName(u.ID), made); err != nil {
		return err
	}
	return p.changeIcon(ctx, here, "icon_set", iconPrefix+u.ID+".png")
}

// RemoveIcon takes the icon from one's company. Forbidden.
func (p *Portal) RemoveIcon(ctx context.Context, here Landing) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	return p.changeIcon(ctx, here, "icon_removed", "")
}

// changeIcon writes the address of the icon, and gives up the file of the one before.
func (p *Portal) changeIcon(ctx context.Context, here Landing, event, address string) error {
	companyID, before := here.Member.CompanyID, ""
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		if err := p.setCompanyIn(ctx, tx, here, event, func(c *store.Company) { before, c.IconURL = ownIconID(c.IconURL), address }); err != nil {
			return err
		}
		if before != "" {
			if err := tx.ReleaseUpload(ctx, companyID, before); err != nil {
				return err
			}
		}
		if address == "" {
			return nil
		}
		return tx.UseUpload(ctx, companyID, ownIconID(address), store.At(p.now()))
	})
	if err != nil || before == "" || p.files == nil {
		return err
	}
	if err := p.removeUpload(ctx, store.Upload{ID: before, Purpose: store.UploadIcon}); err != nil { // the janitor tries again
		p.log.LogAttrs(ctx, slog.LevelWarn, "icon not removed", slog.Any("error", err))
	}
	return nil
}

// Icon is a company's icon by the last part of its address; anybody may see it. NotFound.
func (p *Portal) Icon(ctx context.Context, name string) (Picture, error) {
	id := ownIconID(iconPrefix + name)
	u, err := p.db.UploadByID(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (u.Purpose != store.UploadIcon || u.UsedAt == 0) {
		err = NotFound
	}
	if err != nil {
		return Picture{}, err
	}
	return p.picture(ctx, iconName(id), u.Kind)
}
