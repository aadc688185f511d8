package access

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"portico/store"
)

// PersonOf returns the person of a proven number. It adds a person without a password when there is none.
func (a *Access) PersonOf(ctx context.Context, tx *store.DB, number string) (store.Person, error) {
	if _, err := tx.Persons.Add(ctx, store.Person{Phone: number, CreatedAt: store.At(a.now())}); err != nil {
		return store.Person{}, err
	}
	return tx.Persons.ByNumber(ctx, number)
}

// LogForeign logs that a session asked for something that belongs to another person.
func (a *Access) LogForeign(ctx context.Context, s Session, what string) {
	a.LogSecurity(ctx, LogInfo, "foreign_refused",
		slog.Int64("phone", s.PersonID), slog.Int64("account", s.AccountID), slog.String("detail", what))
}

// RefuseMissing replaces store.ErrNotFound by NotFound, and logs the attempt: the id may belong to another company.
// what names the kind of thing for the log. It returns any other error as it is.
func (a *Access) RefuseMissing(ctx context.Context, here Landing, what string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	a.LogForeign(ctx, Session{PersonID: here.Member.PersonID, AccountID: here.Member.ID}, what)
	return NotFound
}

// Person returns a phone with its accounts, without offers. A number that is not stored has ID 0 and no accounts.
func (a *Access) Person(ctx context.Context, number string) (store.Person, []store.Member, error) {
	person, err := a.db.Persons.ByNumber(ctx, number)
	if errors.Is(err, store.ErrNotFound) {
		return store.Person{Phone: number}, nil, nil
	}
	if err != nil {
		return person, nil, err
	}
	members, err := a.db.Accounts.ByPerson(ctx, person.ID)
	return person, members, err
}

// RequireExclusivePhone refuses with PhoneBoundElsewhere to give the account m to a phone that has the accounts others,
// if one of them belongs to another company and either company requires exclusive phones. Offers do not count, because
// anybody can offer an account to any number.
func RequireExclusivePhone(m store.Member, others []store.Member) error {
	for _, other := range others {
		if other.CompanyID != m.CompanyID && (m.Company.ExclusivePhones || other.Company.ExclusivePhones) {
			return &Refused{Refusal: PhoneBoundElsewhere}
		}
	}
	return nil
}

// IsPerson says whether a person has a password or an account, also of a sandbox. Offers do not count, because anybody
// can offer an account to any number.
func IsPerson(person store.Person, members []store.Member) bool {
	return person.PasswordHash != "" || len(members) > 0
}

// Registered says whether a person has a password, or an account of a company that is not a sandbox.
func Registered(person store.Person, members []store.Member) bool {
	isCompany := func(m store.Member) bool { return !m.Company.Sandbox }
	return person.PasswordHash != "" || slices.ContainsFunc(members, isCompany)
}

// MayJoin refuses like RequireExclusivePhone, in the transaction that gives the account m to a person. It locks the
// phone, so that two accounts given to the person at the same time are checked one after the other.
func MayJoin(ctx context.Context, tx *store.DB, m store.Member, personID int64) error {
	if err := tx.Persons.Lock(ctx, personID); err != nil {
		return err
	}
	others, err := tx.Accounts.ByPerson(ctx, personID)
	if err != nil {
		return err
	}
	return RequireExclusivePhone(m, others)
}

// OffersShown is how many offers a person is shown at a time.
const OffersShown = 3
