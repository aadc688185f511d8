package portal

import (
	"context"

	"portico/store"
)

// SetDefaultCompany makes one of a person's companies the one gone to first. Forbidden for a company that is
// not theirs. Where an account alone was proven, the choice is its phone's, and it has but one company to choose.
func (p *Portal) SetDefaultCompany(ctx context.Context, s Session, companyID int64) error {
	if companyID == 0 {
		return invalid(Fields{"company_id": ChoiceRequired})
	}
	members, _, err := p.members(ctx, s)
	if err != nil {
		return err
	}
	own := p.inPlace(members, companyID)
	if len(own) == 0 {
		p.refuseForeign(ctx, s, "default company")
		return Forbidden
	}
	if refusal := p.refuseMembers(own, Place{}, s.Lighting); refusal != nil {
		return refusal
	}
	return p.db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.SetDefaultCompany(ctx, own[0].PhoneID, companyID); err != nil { // 0: no phone, no other company
			return err
		}
		return p.event(ctx, tx, "default_company_set", own[0], "")
	})
}
