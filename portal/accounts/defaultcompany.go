package accounts

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// SetDefaultCompany makes one of a person's companies the one gone to first. Forbidden for a company that is
// not theirs. Where an account alone was proven, the choice is its phone's, and it has but one company to choose.
func (a *Accounts) SetDefaultCompany(ctx context.Context, s access.Session, companyID int64) error {
	if companyID == 0 {
		return access.Invalid(access.Fields{"company_id": access.ChoiceRequired})
	}
	members, _, err := a.Members(ctx, s)
	if err != nil {
		return err
	}
	own := a.access.InPlace(members, companyID)
	if len(own) == 0 {
		a.access.RefuseForeign(ctx, s, "default company")
		return access.Forbidden
	}
	if refusal := a.RefuseMembers(own, access.Place{}, s.Lighting); refusal != nil {
		return refusal
	}
	return a.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.SetDefaultCompany(ctx, own[0].PhoneID, companyID); err != nil { // 0: no phone, no other company
			return err
		}
		return a.access.Event(ctx, tx, "default_company_set", own[0], "")
	})
}
