package portal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

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

// offersSince is when the oldest offer was made that can still be accepted.
func (p *Portal) offersSince() store.Instant { return store.At(p.now().Add(-InvitationLife)) }

// offersTo reads the first OffersShown offers to a person, of one company or, for 0, of all, and counts all of them.
func (p *Portal) offersTo(ctx context.Context, phoneID, companyID int64) ([]store.Offer, int, error) {
	if phoneID == 0 {
		return nil, 0, nil
	}
	since, now := p.offersSince(), store.At(p.now())
	rows, err := p.db.OffersTo(ctx, phoneID, companyID, since, now, OffersShown)
	if err != nil || len(rows) < OffersShown {
		return rows, len(rows), err
	}
	all, err := p.db.CountOffersTo(ctx, phoneID, companyID, since, now)
	return rows, all, err
}

// offerWaits says whether a person has an offer that can be accepted, of one company or, for 0, of any.
func (p *Portal) offerWaits(ctx context.Context, phoneID, companyID int64) (bool, error) {
	_, all, err := p.offersTo(ctx, phoneID, companyID)
	return all > 0, err
}

// InvitationLife is how long an inviting link works.
const InvitationLife = 7 * 24 * time.Hour

// registered says whether a person signs in already: by a password, or by a chat app to a company that is no trial.
func registered(person store.Phone, members []store.Member) bool {
	isCompany := func(m store.Member) bool { return !m.Company.Sandbox }
	return person.PasswordHash != "" || slices.ContainsFunc(members, isCompany)
}

// mayJoin checks in a transaction that gives m to a person that no company keeps its phones exclusive. Another account
// that is given to the person at the same time waits, and sees this one.
func mayJoin(ctx context.Context, tx *store.DB, m store.Member, phoneID int64) error {
	if err := tx.LockPhone(ctx, phoneID); err != nil {
		return err
	}
	others, err := tx.MembersByPhone(ctx, phoneID)
	if err != nil {
		return err
	}
	return exclusive(m, others)
}

// addOwnAccount adds an account that the phone's password opens, under a login made of a word and the company's id.
func (p *Portal) addOwnAccount(ctx context.Context, tx *store.DB, a store.Account, word string) (int64, error) {
	a.State, a.CreatedAt = store.AccountActive, store.At(p.now())
	a.Login = word + decimal(a.CompanyID)
	id, err := tx.AddAccount(ctx, a)
	if err == nil && id == 0 { // somebody chose that name before
		a.Login += "-" + strings.ToLower(randomToken(6))
		id, err = tx.AddAccount(ctx, a)
	}
	if err == nil && id == 0 {
		err = errors.New("portal: no login is free for " + a.Login)
	}
	return id, err
}

// OffersShown is how many offers a person is shown at a time.
const OffersShown = 3
