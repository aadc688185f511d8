package application

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// ApplicationSetting is how a company accepts new customers. It is public.
type ApplicationSetting struct {
	Company  store.Company
	Open     bool
	Review   bool
	Required []string // names in ApplicationFields
	Contacts []access.Contact
}

// Requires reports whether applicants must fill in a field of ApplicationFields.
func (s ApplicationSetting) Requires(name string) bool { return slices.Contains(s.Required, name) }

// ApplicationSetting reads how a company accepts new customers. It refuses with ValidationFailed under "company_id"
// when no company is named, and with NotFound when there is no such company.
func (ap *Application) ApplicationSetting(ctx context.Context, companyID int64) (ApplicationSetting, error) {
	if companyID == 0 {
		return ApplicationSetting{}, access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	c, err := ap.core.Access.Companies.ByID(ctx, ap.core.DB, companyID, ap.core.Now())
	if errors.Is(err, store.ErrNotFound) {
		return ApplicationSetting{}, access.NotFound
	}
	if err != nil {
		return ApplicationSetting{}, err
	}
	return ApplicationSetting{
		Company: *c, Open: c.ApplicationsOpen, Review: c.ApplicationsReviewed,
		Required: strings.Fields(c.ApplicationsRequired),
		Contacts: ap.core.Access.ContactsFor(access.ApplicationsClosed, *c),
	}, nil
}

// ApplicationSettingInput changes how a company accepts new customers, the contact that applicants may call, and
// whether its phone numbers may have accounts at other companies (ExclusivePhones). Seen is the tag of the setting that
// the page showed, from ApplicationSettingOf. With "" nobody checks whether the setting was changed since.
type ApplicationSettingInput struct {
	Open            bool   `form:"open"`
	Review          bool   `form:"review"`
	ContactName     string `form:"contact_name"`
	ContactPhone    string `form:"contact_phone"`
	ExclusivePhones bool   `form:"exclusive_phones"`
	Seen            string `form:"seen"`

	Required []string // names in ApplicationFields
}

// Validate normalises the contact and checks the form. A contact has a name and a phone, or neither.
func (in *ApplicationSettingInput) Validate() error {
	fields := access.Fields{}
	name, ok := access.NormalText(in.ContactName, access.MaxName)
	in.ContactName, in.ContactPhone = name, strings.TrimSpace(in.ContactPhone)
	switch {
	case !ok:
		fields["contact_name"] = access.NameMalformed
	case name == "" && in.ContactPhone != "":
		fields["contact_name"] = access.NameRequired
	}
	if in.ContactPhone != "" || name != "" {
		for _, problem := range access.PhoneFields(&in.ContactPhone) {
			fields["contact_phone"] = problem
		}
	}
	if slices.ContainsFunc(in.Required, func(name string) bool { return !slices.Contains(ApplicationFields, name) }) {
		fields["required"] = access.ChoiceRequired
	}
	return access.Invalid(fields)
}

// SetApplicationSetting changes how a company accepts new customers. Pages and API follow the change at once. Only the
// company's administrators may do this: it refuses its other back office accounts with Forbidden, and shop accounts
// with NotFound. It refuses malformed contacts and unknown fields. A sandbox cannot accept new customers: it refuses
// that with NotWhileTrying under "open". It refuses a change after another person has changed the setting since the
// page was opened, with ApplicationSettingChanged under "seen". Saving the stored values again succeeds and writes
// nothing.
func (ap *Application) SetApplicationSetting(
	ctx context.Context, here access.Landing, in ApplicationSettingInput,
) error {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	if in.Open && here.Member.Company.Sandbox {
		return access.Invalid(access.Fields{"open": access.NotWhileTrying})
	}
	required := slices.DeleteFunc(slices.Clone(ApplicationFields), func(name string) bool {
		return !slices.Contains(in.Required, name)
	})
	return ap.core.Access.SetCompany(ctx, here, "registration_set", func(c *store.Company) error {
		stored := *c
		c.ApplicationsOpen = in.Open
		c.ApplicationsReviewed = in.Review
		c.ExclusivePhones = in.ExclusivePhones
		c.ApplicationsRequired = strings.Join(required, " ")
		c.ContactName, c.ContactPhone = in.ContactName, in.ContactPhone
		if *c != stored && in.Seen != "" && in.Seen != applicationSettingOf(stored).Seen {
			return access.Invalid(access.Fields{"seen": access.ApplicationSettingChanged})
		}
		return nil
	})
}

// ApplicationAddress returns the sign-up link of a company: a URL on the company's host below the base, which redirects
// businesses to the application form.
func (ap *Application) ApplicationAddress(c store.Company) string {
	return ap.core.Access.Origin("store"+access.Decimal(c.ID)) + "/register"
}

// ApplicationSettingOf reads the stored setting with its tag. Only the company's administrators may do this: it refuses
// its other back office accounts with Forbidden, and shop accounts with NotFound.
func (ap *Application) ApplicationSettingOf(ctx context.Context, here access.Landing) (ApplicationSettingInput, error) {
	if err := access.RequireRight(here, access.RightSettings); err != nil {
		return ApplicationSettingInput{}, err
	}
	c, err := ap.core.DB.Companies.ByID(ctx, here.Member.CompanyID)
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
	in.Seen = core.SeenTag(in)
	return in
}
