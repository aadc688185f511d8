package application

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AskCode sends the code that proves an applicant's phone. It refuses a malformed number, with ChoiceRequired under
// "company_id" a request without a company, with NotFound an unknown one, with the reason a blocked one, with
// ApplicationsClosed one that takes no applications from a phone that has not applied before, and what Send refuses.
func (ap *Application) AskCode(ctx context.Context, in core.AskCodeInput) (core.CodeSent, error) {
	in.Purpose = core.ForApplication
	to, err := core.TypedRecipient(&in)
	if err != nil {
		return core.CodeSent{}, err
	}
	if to.Company, err = ap.core.Access.ChosenCompany(ctx, in.CompanyID); err != nil {
		return core.CodeSent{}, err
	}
	if reason := access.BlockedBy(store.Member{Company: to.Company}, false, ap.core.Now()); reason != "" {
		return core.CodeSent{}, &access.Refused{Refusal: reason}
	}
	if !to.Company.ApplicationsOpen {
		if err := ap.requireEarlierApplication(ctx, to.Phone, to.Company); err != nil {
			return core.CodeSent{}, err
		}
	}
	return ap.core.Verification.Send(ctx, in, to)
}

// requireEarlierApplication refuses phones that have not applied to a company that is closed to applications now; the
// others may still see the state of their application. Under strict privacy it refuses all phones, so that it reveals
// no applicant.
func (ap *Application) requireEarlierApplication(ctx context.Context, phone string, c store.Company) error {
	closed := &access.Refused{
		Refusal:  access.ApplicationsClosed,
		Contacts: ap.core.Access.ContactsFor(access.ApplicationsClosed, c),
	}
	if ap.core.Strict {
		return closed
	}
	if err := ap.core.Limits.CountLookup(ctx, "phone:"+phone); err != nil {
		return err
	}
	_, err := ap.core.DB.Applications.Last(ctx, c.ID, phone)
	if errors.Is(err, store.ErrNotFound) {
		err = closed
	}
	return err
}
