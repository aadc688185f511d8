package signin

import (
	"context"
	"slices"

	"portico/portal/access"
	"portico/store"
)

// SetDefaultCompany makes one of a person's companies the default company, which a sign-in enters, and with a side that
// side of it. A session that an account name opened may choose only the company of that account; it becomes the default
// of the account's phone. It refuses with Forbidden a company or side of other people, and one in which every account
// is blocked with the reason.
func (a *Accounts) SetDefaultCompany(ctx context.Context, s access.Session, companyID int64, side store.Side) error {
	if companyID == 0 {
		return access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	members, _, err := a.Members(ctx, s)
	if err != nil {
		return err
	}
	own := onSide(a.core.Access.InPlace(members, companyID), side)
	if len(own) == 0 {
		a.core.Access.LogForeign(ctx, s, "default company")
		return access.Forbidden
	}
	if refusal := a.RefuseMembers(ctx, own, access.Place{}, s.Lighting); refusal != nil {
		return refusal
	}
	return a.core.DB.Tx(ctx, func(tx *store.DB) error {
		// for 0, an account without a phone, it changes nothing
		if err := tx.Persons.SetDefaultCompany(ctx, own[0].PersonID, companyID, side); err != nil {
			return err
		}
		return a.core.Access.Event(ctx, tx, "default_company_set", own[0], "")
	})
}

// onSide returns the members on a side, all of them for "".
func onSide(members []store.Member, side store.Side) []store.Member {
	if side == "" {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), func(m store.Member) bool { return m.Side != side })
}
