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

// RegistrationInput is how a company wants to take new customers, and whom applicants may call. Seen is the tag of the
// setting that was shown, as RegistrationOf gives it; "" is not compared.
type RegistrationInput struct {
	Open            bool   `form:"open"`
	Review          bool   `form:"review"`
	ContactName     string `form:"contact_name"`
	ContactPhone    string `form:"contact_phone"`
	ExclusivePhones bool   `form:"exclusive_phones"`
	Seen            string `form:"seen"`

	Required []string // of ApplicationFields
}

// Validate brings the contact into its one spelling and judges the form: a contact is a name and a phone, or none at all.
func (in *RegistrationInput) Validate() error {
	fields := Fields{}
	name, ok := NormalText(in.ContactName, MaxName)
	in.ContactName, in.ContactPhone = name, strings.TrimSpace(in.ContactPhone)
	switch {
	case !ok:
		fields["contact_name"] = NameMalformed
	case name == "" && in.ContactPhone != "":
		fields["contact_name"] = NameRequired
	}
	if in.ContactPhone != "" || name != "" {
		for _, problem := range phoneFields(&in.ContactPhone) {
			fields["contact_phone"] = problem
		}
	}
	if slices.ContainsFunc(in.Required, func(name string) bool { return !slices.Contains(ApplicationFields, name) }) {
		fields["required"] = ChoiceRequired
	}
	return invalid(fields)
}

// SetRegistration changes how a company takes new customers; at once, at every door. It refuses with Forbidden anyone
// but the company's administrators, and malformed contacts, unknown fields and a sandbox that is to be open. It
// refuses with RegistrationChanged under "seen" when somebody else changed the setting after it was shown. Saving
// what is stored already succeeds and writes nothing.
func (p *Portal) SetRegistration(ctx context.Context, here Landing, in RegistrationInput) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	if in.Open && here.Member.Company.Sandbox {
		return invalid(Fields{"open": NotWhileTrying})
	}
	required := slices.DeleteFunc(slices.Clone(ApplicationFields), func(name string) bool { return !slices.Contains(in.Required, name) })
	return p.setCompany(ctx, here, "registration_set", func(c *store.Company) error {
		stored := *c
		c.RegistrationOpen, c.RegistrationReview, c.ExclusivePhones = in.Open, in.Review, in.ExclusivePhones
		c.RegistrationRequired, c.ContactName, c.ContactPhone = strings.Join(required, " "), in.ContactName, in.ContactPhone
		if *c != stored && in.Seen != "" && in.Seen != registrationOf(stored).Seen {
			return invalid(Fields{"seen": RegistrationChanged})
		}
		return nil
	})
}

// RegistrationAddress is where a company's customers open their account: on its own host here.
func (p *Portal) RegistrationAddress(c store.Company) string {
	return p.origin("store"+decimal(c.ID)) + "/register"
}

// RegistrationOf reads the setting as it is stored now. It refuses with Forbidden anyone but the company's
// administrators.
func (p *Portal) RegistrationOf(ctx context.Context, here Landing) (RegistrationInput, error) {
	if err := may(here, RightSettings); err != nil {
		return RegistrationInput{}, err
	}
	c, err := p.db.CompanyByID(ctx, here.Member.CompanyID)
	if err != nil {
		return RegistrationInput{}, err
	}
	return registrationOf(c), nil
}

// registrationOf is a company's setting with its tag.
func registrationOf(c store.Company) RegistrationInput {
	in := RegistrationInput{
		Open: c.RegistrationOpen, Review: c.RegistrationReview, ContactName: c.ContactName, ContactPhone: c.ContactPhone,
		ExclusivePhones: c.ExclusivePhones, Required: strings.Fields(c.RegistrationRequired),
	}
	in.Seen = seenTag(in)
	return in
}
