package application

import (
	"context"
	"errors"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// AskCode sends the code that proves an applicant's phone. It refuses a malformed number. It refuses a request without
// a company with ChoiceRequired under "company_id", an unknown company with NotFound, and a blocked one with the
// reason. When the company takes no applications, it refuses like requireEarlierApplication. It also refuses what Send
// refuses.
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

// requireEarlierApplication refuses with ApplicationsClosed a phone that has not applied to a company, which takes no
// applications now; an applicant may still see the state of the application. Under strict privacy it refuses every
// phone, so that it reveals no applicant. Otherwise it counts a look-up, and refuses like CountLookup.
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
