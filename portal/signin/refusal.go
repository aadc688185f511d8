package signin

import (
	"context"
	"errors"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// RefuseMembers returns the refusal of a sign-in that opens these accounts: PhoneNotBound when there is none,
// NotInCompany when there is none in the company of the place, the reason and the people who can help when all are
// blocked, and nil when one can be entered.
func (a *Accounts) RefuseMembers(
	ctx context.Context, members []store.Member, place access.Place, lighting bool,
) error {
	if len(members) == 0 {
		return &access.Refused{Refusal: access.PhoneNotBound, Contacts: a.core.Access.Support(place)}
	}
	members = a.core.Access.InPlace(members, place.CompanyID())
	if len(members) == 0 {
		return &access.Refused{Refusal: access.NotInCompany, Contacts: a.core.Access.Support(place)}
	}
	best := -1
	var first store.Member
	for _, m := range members {
		rank := slices.Index(access.BlockingOrder, access.BlockedBy(m, lighting, a.core.Now()))
		if rank < 0 {
			return nil
		}
		if best < 0 || rank < best {
			best, first = rank, m
		}
	}
	return a.core.Access.Blocked(ctx, a.core.DB, first, access.BlockingOrder[best])
}

// RefuseProven does what RefuseMembers does, for a person whose password was right. It also refuses an expired first
// password.
func (a *Accounts) RefuseProven(
	ctx context.Context, c access.Subject, members []store.Member, place access.Place, lighting bool,
) error {
	if err := a.RefuseMembers(ctx, members, place, lighting); err != nil {
		return err
	}
	return a.RefuseExpiredFirstPassword(ctx, c)
}

// RefuseSignIn does what RefuseProven does, but lets a person in who has no account here and an offer to answer. A
// person who has applied instead gets the state of the application. err is set when the offers or the applications
// cannot be read.
func (a *Accounts) RefuseSignIn(
	ctx context.Context, c access.Subject, members []store.Member, place access.Place, lighting bool,
) (refusal, err error) {
	refusal = a.RefuseProven(ctx, c, members, place, lighting)
	if !errors.Is(refusal, access.PhoneNotBound) && !errors.Is(refusal, access.NotInCompany) {
		return refusal, nil
	}
	waits, err := a.OfferWaits(ctx, c.Person.ID, place.CompanyID())
	if err != nil || waits {
		return nil, err
	}
	return a.Applicants.Refuse(ctx, c.Person, place.CompanyID(), refusal)
}

// PlaceOfCompany returns the place of a program that names a company, 0 for none. It does not read the company: one
// that does not exist has no accounts.
func PlaceOfCompany(companyID int64) access.Place {
	if companyID == 0 {
		return access.Place{}
	}
	return access.Place{Company: &store.Company{ID: companyID}}
}
