package portal

import (
	"context"
	"errors"
	"io"
	"strings"

	"portico/store"
)

const iconPrefix = "/icon/"

// ownIconID is the id of the file behind an icon's address; "" where it is none of those that companies sent in.
func ownIconID(address string) string {
	name, ours := strings.CutPrefix(address, iconPrefix)
	id, png := strings.CutSuffix(name, ".png")
	if !ours || !png || !plainName(id) {
		return ""
	}
	return id
}

// StoreIcon takes a picture that can become one's company's icon and gives its address; what nothing refers to is
// removed after AbandonedAfter. Forbidden; UploadRejected with its reason; TooManyAttempts past UploadsADay of an
// address; NotAvailable.
func (p *Portal) StoreIcon(ctx context.Context, here Landing, body io.ReadSeeker) (string, error) {
	if err := may(here, RightSettings); err != nil {
		return "", err
	}
	if p.files == nil {
		return "", &Refused{Refusal: NotAvailable}
	}
	if err := p.countUpTo(ctx, p.db, "uploads:"+network(callerOf(ctx).Address), UploadsADay, day); err != nil {
		return "", err
	}
	companyID := here.Member.CompanyID
	made, content, err := p.clean(ctx, body, asIcon)
	if err != nil {
		return "", p.noteRefusedUpload(ctx, companyID, err)
	}
	u := store.Upload{
		ID: newUploadID(), CompanyID: companyID, Purpose: store.UploadIcon, Owner: "company", CreatedAt: store.At(p.now()),
		Content: content, Kind: made.Kind, Size: int64(len(made.Data)), Width: made.Width, Height: made.Height,
	}
	if _, err := p.db.AddUpload(ctx, u); err != nil {
		return "", err
	}
	if err := p.putFile(ctx, iconName(u.ID), made); err != nil {
		return "", err
	}
	return iconPrefix + u.ID + ".png", nil
}

// SetIcon makes a picture the icon of the administrator's company. The former icon is kept with the look before.
// Setting the same picture again changes nothing. It refuses what StoreIcon refuses.
func (p *Portal) SetIcon(ctx context.Context, here Landing, body io.ReadSeeker) error {
	address, err := p.StoreIcon(ctx, here, body)
	if err != nil {
		return err
	}
	defer p.companies.forget()
	return unlessPublished(p.db.Tx(ctx, func(tx *store.DB) error {
		return p.setCompanyIn(ctx, tx, here, "icon_set", func(c *store.Company) error {
			same, err := p.isIconOf(ctx, tx, *c, address)
			if err == nil && same {
				err = errLookPublished
			}
			if err != nil {
				return err
			}
			return p.takeIcon(ctx, tx, c, address)
		})
	}))
}

// RemoveIcon removes the icon of the administrator's company; without an icon it changes nothing. It refuses with
// Forbidden anyone but administrators.
func (p *Portal) RemoveIcon(ctx context.Context, here Landing) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	return unlessPublished(p.setCompany(ctx, here, "icon_removed", func(c *store.Company) error {
		if c.IconURL == "" {
			return errLookPublished
		}
		c.IconURL = ""
		return nil
	}))
}

// takeIcon makes a stored picture a company's icon, as part of a transaction; "" changes nothing.
func (p *Portal) takeIcon(ctx context.Context, tx *store.DB, c *store.Company, address string) error {
	if address == "" {
		return nil
	}
	err := tx.UseUpload(ctx, c.ID, ownIconID(address), store.At(p.now()))
	if errors.Is(err, store.ErrNotFound) { // it was abandoned meanwhile
		return invalid(Fields{"icon": FieldRequired})
	}
	c.IconURL = address
	return err
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
