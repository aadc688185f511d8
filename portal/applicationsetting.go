package portal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/store"
)

// ApplicationSetting is how a company accepts new customers. It is public.
type ApplicationSetting struct {
	Company  store.Company
	Open     bool
	Review   bool
	Required []string // of ApplicationFields
	Contacts []Contact
}

// Requires says whether applicants must fill in a field of ApplicationFields.
func (s ApplicationSetting) Requires(name string) bool { return slices.Contains(s.Required, name) }

// ApplicationSetting reads how a company accepts new customers. It refuses with ValidationFailed under "company_id"
// when no company is named, and with NotFound when there is no such company.
func (p *Portal) ApplicationSetting(ctx context.Context, companyID int64) (ApplicationSetting, error) {
	if companyID == 0 {
		return ApplicationSetting{}, invalid(Fields{"company_id": ChoiceRequired})
	}
	c, err := p.companies.byID(ctx, p.db, companyID, p.now())
	if errors.Is(err, store.ErrNotFound) {
		return ApplicationSetting{}, NotFound
	}
	if err != nil {
		return ApplicationSetting{}, err
	}
	return ApplicationSetting{
		Company: *c, Open: c.ApplicationsOpen, Review: c.ApplicationsReviewed,
		Required: strings.Fields(c.ApplicationsRequired), Contacts: p.contactsFor(ApplicationsClosed, *c),
	}, nil
}

// ApplicationSettingInput is how a company wants to accept new customers, and the contact whom applicants may call.
// Seen is the tag of the setting that the page showed, from ApplicationSettingOf; "" is not compared.
type ApplicationSettingInput struct {
	Open            bool   `form:"open"`
	Review          bool   `form:"review"`
	ContactName     string `form:"contact_name"`
	ContactPhone    string `form:"contact_phone"`
	ExclusivePhones bool   `form:"exclusive_phones"`
	Seen            string `form:"seen"`

	Required []string // of ApplicationFields
}

// Validate normalises the contact and checks the form. A contact has a name and a phone, or neither.
func (in *ApplicationSettingInput) Validate() error {
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

// SetApplicationSetting changes how a company accepts new customers, at once for pages and API. It refuses with
// Forbidden anyone but the company's administrators; malformed contacts and unknown fields; with NotWhileTrying under
// "open" a sandbox; and with ApplicationSettingChanged under "seen" when somebody else changed the setting after the
// page was opened. Saving the stored values again succeeds and writes nothing.
func (p *Portal) SetApplicationSetting(ctx context.Context, here Landing, in ApplicationSettingInput) error {
	if err := may(here, RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	if in.Open && here.Member.Company.Sandbox {
		return invalid(Fields{"open": NotWhileTrying})
	}
	required := slices.DeleteFunc(slices.Clone(ApplicationFields), func(name string) bool {
		return !slices.Contains(in.Required, name)
	})
	return p.setCompany(ctx, here, "registration_set", func(c *store.Company) error {
		stored := *c
		c.ApplicationsOpen, c.ApplicationsReviewed, c.ExclusivePhones = in.Open, in.Review, in.ExclusivePhones
		c.ApplicationsRequired = strings.Join(required, " ")
		c.ContactName, c.ContactPhone = in.ContactName, in.ContactPhone
		if *c != stored && in.Seen != "" && in.Seen != applicationSettingOf(stored).Seen {
			return invalid(Fields{"seen": ApplicationSettingChanged})
		}
		return nil
	})
}

// ApplicationAddress is the page on which a company's customers open their account, on the company's host of this
// platform.
func (p *Portal) ApplicationAddress(c store.Company) string {
	return p.origin("store"+decimal(c.ID)) + "/register"
}

// ApplicationSettingOf reads the stored setting with its tag. It refuses with Forbidden anyone but the company's
// administrators.
func (p *Portal) ApplicationSettingOf(ctx context.Context, here Landing) (ApplicationSettingInput, error) {
	if err := may(here, RightSettings); err != nil {
		return ApplicationSettingInput{}, err
	}
	c, err := p.db.CompanyByID(ctx, here.Member.CompanyID)
	if err != nil {
		return ApplicationSettingInput{}, err
	}
	return applicationSettingOf(c), nil
}

// applicationSettingOf returns a company's setting with its tag.
func applicationSettingOf(c store.Company) ApplicationSettingInput {
	in := ApplicationSettingInput{
		Open: c.ApplicationsOpen, Review: c.ApplicationsReviewed,
		ContactName: c.ContactName, ContactPhone: c.ContactPhone,
		ExclusivePhones: c.ExclusivePhones, Required: strings.Fields(c.ApplicationsRequired),
	}
	in.Seen = seenTag(in)
	return in
}
