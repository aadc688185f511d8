package portal

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

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
	m := here.Member
	if !isAdministrator(m) {
		return Forbidden
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
	return p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockCompany(ctx, m.CompanyID); err != nil {
			return err
		}
		c, err := tx.CompanyByID(ctx, m.CompanyID)
		if err != nil {
			return err
		}
		c.RegistrationOpen, c.RegistrationReview, c.ExclusivePhones = in.Open, in.Review, in.ExclusivePhones
		c.RegistrationRequired, c.ContactName, c.ContactPhone = strings.Join(in.Required, " "), name, strings.TrimSpace(in.ContactPhone)
		c.UpdatedAt = max(c.UpdatedAt+1, store.At(p.now()))
		if err := tx.UpdateCompany(ctx, c); err != nil {
			return err
		}
		return p.event(ctx, tx, "registration_set", m, "")
	})
}
