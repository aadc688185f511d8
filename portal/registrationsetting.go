package portal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/store"
)

// RegistrationSetting is how a company takes new customers, as anyone may see it.
type RegistrationSetting struct {
	Company  store.Company
	Open     bool
	Review   bool
	Required []string // of ApplicationFields
	Contacts []Contact
}

// Requires says whether applicants must fill one of ApplicationFields in.
func (s RegistrationSetting) Requires(name string) bool { return slices.Contains(s.Required, name) }

// Registration reads how a company takes new customers; NotFound.
func (p *Portal) Registration(ctx context.Context, companyID int64) (RegistrationSetting, error) {
	c, err := p.companies.byID(ctx, p.db, companyID, p.now())
	if errors.Is(err, store.ErrNotFound) {
		return RegistrationSetting{}, NotFound
	}
	if err != nil {
		return RegistrationSetting{}, err
	}
	return RegistrationSetting{
		Company: *c, Open: c.RegistrationOpen, Review: c.RegistrationReview, Required: strings.Fields(c.RegistrationRequired), Contacts: p.contactsFor(RegistrationClosed, *c),
	}, nil
}

// RegistrationInput is how a company wants to take new customers, and whom applicants may call.
type RegistrationInput struct {
	Open            bool   `form:"open"`
	Review          bool   `form:"review"`
	ContactName     string `form:"contact_name"`
	ContactPhone    string `form:"contact_phone"`
	ExclusivePhones bool   `form:"exclusive_phones"`

	Required []string // of ApplicationFields
}

// SetRegistration changes how a company takes new customers; at once, at every door (requirement 49). Forbidden for others
// than its administrators; malformed contacts and unknown fields are refused.
func (p *Portal) SetRegistration(ctx context.Context, here Landing, in RegistrationInput) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	fields := Fields{}
	name, ok := NormalText(in.ContactName, MaxName)
	if !ok {
		fields["contact_name"] = NameMalformed
	}
	if strings.TrimSpace(in.ContactPhone) != "" {
		for _, problem := range phoneFields(&in.ContactPhone) {
			fields["contact_phone"] = problem
		}
	}
	if slices.ContainsFunc(in.Required, func(name string) bool { return !slices.Contains(ApplicationFields, name) }) {
		fields["required"] = ChoiceRequired
	}
	if err := invalid(fields); err != nil {
		return err
	}
	return p.setCompany(ctx, here, "registration_set", func(c *store.Company) {
		c.RegistrationOpen, c.RegistrationReview, c.ExclusivePhones = in.Open, in.Review, in.ExclusivePhones
		c.RegistrationRequired, c.ContactName, c.ContactPhone = strings.Join(in.Required, " "), name, strings.TrimSpace(in.ContactPhone)
	})
}
