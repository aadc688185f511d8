package portal

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// Languages are the languages a company can have.
var Languages = []string{"zh", "es", "en"}

// AppearanceInput is how a company looks and speaks.
type AppearanceInput struct {
	Name     string `form:"name"`
	Theme    string `form:"theme"` // six hex digits with or without #, "" for the platform's own colour
	Language string `form:"language"`
}

// Validate brings the form into its one spelling and judges it.
func (in *AppearanceInput) Validate() error {
	fields := Fields{}
	name, ok := NormalText(in.Name, MaxCompanyName)
	switch in.Name = name; {
	case !ok:
		fields["name"] = CompanyMalformed
	case name == "":
		fields["name"] = CompanyRequired
	}
	in.Theme = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(in.Theme), "#"))
	if !goodTheme(in.Theme) {
		fields["theme"] = ThemeMalformed
	}
	if !slices.Contains(Languages, in.Language) {
		fields["language"] = ChoiceRequired
	}
	return invalid(fields)
}

// SetAppearance changes a company's name, colour and language; at once, everywhere. Forbidden for others than its
// administrators; malformed fields are refused.
func (p *Portal) SetAppearance(ctx context.Context, here Landing, in AppearanceInput) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	return p.setCompany(ctx, here, "appearance_set", func(c *store.Company) {
		c.Name, c.Theme, c.Language = in.Name, in.Theme, in.Language
	})
}

// AppearanceOf is how one's company looks now. Forbidden for others than its administrators.
func (p *Portal) AppearanceOf(here Landing) (AppearanceInput, error) {
	if err := may(here, RightSettings); err != nil {
		return AppearanceInput{}, err
	}
	c := here.Member.Company
	return AppearanceInput{Name: c.Name, Theme: c.Theme, Language: c.Language}, nil
}
