package portal

import (
	"context"

	"portico/store"
)

// DefaultTheme is the theme of companies without one, six hex digits (specification section 9).
const DefaultTheme = "20ade5"

// Version is the product's version as clients see it (specification section 3: version 1.0).
const Version = "1.0"

// DefaultSetting is what a client needs before anyone has signed in.
type DefaultSetting struct {
	ShopSkinColor string `json:"shop_skin_color_"`
	Theme         string `json:"theme_"`
	Language      string `json:"language_type_"`
	Version       string `json:"version_"`
}

// Defaults gives a company's colours and language, the platform's for 0; NotFound for a company that is none.
func (p *Portal) Defaults(ctx context.Context, companyID int64) (DefaultSetting, error) {
	d := DefaultSetting{Theme: DefaultTheme, Language: "zh", Version: Version}
	if companyID != 0 {
		c, err := p.CompanyByID(ctx, companyID)
		if err != nil {
			return DefaultSetting{}, err
		}
		d.Language, d.ShopSkinColor = c.Language, c.ShopSkin
		if c.Theme != "" {
			d.Theme = c.Theme
		}
	}
	if d.ShopSkinColor == "" {
		d.ShopSkinColor = d.Theme
	}
	return d, nil
}

// SetDefaultCompany makes one of a person's companies the one gone to first. Forbidden for a company that is
// not theirs. Where an account alone was proven, the choice is its phone's, and it has but one company to choose.
func (p *Portal) SetDefaultCompany(ctx context.Context, s Session, companyID int64) error {
	if companyID == 0 {
		return invalid(Fields{"company_id": ChoiceRequired})
	}
	members, _, err := p.members(ctx, s)
	if err != nil {
		return err
	}
	own := p.inPlace(members, companyID)
	if len(own) == 0 {
		p.refuseForeign(ctx, s, "default company")
		return Forbidden
	}
	if refusal := p.refuseMembers(own, Place{}, s.Lighting); refusal != nil {
		return refusal
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.SetDefaultCompany(ctx, own[0].PhoneID, companyID); err != nil { // 0: no phone, no other company
			return err
		}
		return p.event(ctx, tx, "default_company_set", own[0], "")
	})
}
