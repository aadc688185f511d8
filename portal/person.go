package portal

import (
	"context"
	"errors"

	"portico/store"
)

// person reads a phone with its accounts, without offers. A number that is not registered has ID 0 and no accounts.
func (p *Portal) person(ctx context.Context, number string) (store.Phone, []store.Member, error) {
	phone, err := p.db.PhoneByNumber(ctx, number)
	if errors.Is(err, store.ErrNotFound) {
		return store.Phone{Phone: number}, nil, nil
	}
	if err != nil {
		return phone, nil, err
	}
	members, err := p.db.MembersByPhone(ctx, phone.ID)
	return phone, members, err
}

// exclusive refuses with PhoneBoundElsewhere a phone that an account of another company has, when either company
// requires exclusive phones. Offers do not count, because anybody can offer an account to any number.
func exclusive(m store.Member, others []store.Member) error {
	for _, other := range others {
		if other.CompanyID != m.CompanyID && (m.Company.ExclusivePhones || other.Company.ExclusivePhones) {
			return &Refused{Refusal: PhoneBoundElsewhere}
		}
	}
	return nil
}

// isPerson says whether a number is registered: it has a password or an account. Offers do not count, because anybody
// can offer an account to any number.
func isPerson(person store.Phone, members []store.Member) bool {
	return person.PasswordHash != "" || len(members) > 0
}
