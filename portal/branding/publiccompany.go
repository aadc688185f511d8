package branding

import (
	"context"
	"errors"
	"strings"

	"portico/portal/access"
	"portico/store"
)

// CompanyState is the public state of a company.
type CompanyState string

const (
	// CompanyActive is a formal company that works.
	CompanyActive CompanyState = "active"
	// CompanyOnTrial is a company in its trial.
	CompanyOnTrial CompanyState = "trial"
	// CompanyTrialEnded is a company whose trial has ended.
	CompanyTrialEnded CompanyState = "trial_ended"
	// CompanyTermExpired is a formal company whose term has expired.
	CompanyTermExpired CompanyState = "expired"
	// CompanyBlocked is a company that the operator has disabled.
	CompanyBlocked CompanyState = "disabled"
)

// PublicCompany is a company as anyone may see it: its public fields and its state.
type PublicCompany struct {
	store.Company
	State CompanyState `json:"state_"`
}

// CompanyByID reads the public fields of a company. It refuses with NotFound an unknown company.
func (b *Branding) CompanyByID(ctx context.Context, id int64) (PublicCompany, error) {
	c, err := b.core.Access.Companies.ByID(ctx, b.core.DB, id, b.core.Now())
	if errors.Is(err, store.ErrNotFound) {
		return PublicCompany{}, access.NotFound
	}
	if err != nil {
		return PublicCompany{}, err
	}
	return b.public(*c), nil
}

// CompanyByHost reads the company that a host belongs to, nil for none. The whole host must match.
func (b *Branding) CompanyByHost(ctx context.Context, host string) (*PublicCompany, error) {
	if len(host) > 255 || strings.TrimSpace(host) == "" {
		return nil, access.Invalid(access.Fields{"host": access.HostMalformed})
	}
	place, err := b.core.Access.Locate(ctx, access.LocateInput{Host: strings.TrimSpace(host)})
	if err != nil || place.Company == nil {
		return nil, err
	}
	c := b.public(*place.Company)
	return &c, nil
}

func (b *Branding) public(c store.Company) PublicCompany {
	state := CompanyActive
	if c.Standing == store.Trial {
		state = CompanyOnTrial
	}
	switch access.BlockedBy(store.Member{Company: c}, false, b.core.Now()) {
	case access.CompanyDisabled:
		state = CompanyBlocked
	case access.CompanyExpired:
		state = CompanyTermExpired
	case access.TrialEnded:
		state = CompanyTrialEnded
	}
	c.LoginStyleURL = LoginStyle(c)
	if _, problem := b.core.Statistics.ViewCount(c.ViewCountURL); problem != "" { // its host is listed no more
		c.ViewCountURL = ""
	}
	return PublicCompany{c, state}
}

// Version is the product's version as clients see it.
const Version = "1.0"

// DefaultSetting is what a client needs before anyone has signed in.
type DefaultSetting struct {
	ShopSkinColor string `json:"shop_skin_color_"`
	Theme         string `json:"theme_"`
	Language      string `json:"language_type_"`
	Version       string `json:"version_"`
}

// Defaults returns a company's colours and language, the platform's for 0. It refuses with NotFound an unknown company.
func (b *Branding) Defaults(ctx context.Context, companyID int64) (DefaultSetting, error) {
	d := DefaultSetting{Theme: access.DefaultTheme, Language: "zh", Version: Version}
	if companyID != 0 {
		c, err := b.CompanyByID(ctx, companyID)
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
