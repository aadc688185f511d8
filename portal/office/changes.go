package office

import (
	"context"

	"portico/portal/access"
)

// Changes does to a row what the method of Backoffice of the same name does, and says whether it was this call that
// changed the row. It also adds rows.
type Changes struct{ of *Backoffice }

// ChangesOf returns the Changes of a Backoffice.
func ChangesOf(b *Backoffice) Changes { return Changes{b} }

// ConfirmOrder confirms a new order.
func (c Changes) ConfirmOrder(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	return c.of.confirmIfNew(ctx, here, id)
}

// EnablePerson enables an account that is disabled or under review.
func (c Changes) EnablePerson(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	return c.of.enableIfBlocked(ctx, here, id)
}

// DisablePerson disables an account.
func (c Changes) DisablePerson(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	return c.of.disableIfEnabled(ctx, here, id)
}

// EndPartnership ends the partnership with a customer.
func (c Changes) EndPartnership(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	return c.of.endIfPartner(ctx, here, id)
}

// ResumePartnership resumes the partnership with a customer.
func (c Changes) ResumePartnership(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	return c.of.resumeIfEnded(ctx, here, id)
}

// InviteAgain makes a new invitation link for an offered account, each time.
func (c Changes) InviteAgain(ctx context.Context, here access.Landing, id int64) (changed bool, err error) {
	err = c.of.InviteAgain(ctx, here, id)
	return err == nil, err
}
