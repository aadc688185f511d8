package signin

import (
	"context"

	"portico/portal/access"
	"portico/store"
)

// IdentitiesOf returns the identities of a session's person and, for a phone, those of its accounts here. The map has
// the account names of the latter by account id.
func (a *Accounts) IdentitiesOf(
	ctx context.Context, db *store.DB, s access.Session,
) ([]store.Identity, map[int64]string, error) {
	rows, err := db.Identities.OfHolder(ctx, s.PersonID, s.AccountID)
	if err != nil || s.PersonID == 0 {
		return rows, nil, err
	}
	members, err := db.Accounts.ByPerson(ctx, s.PersonID)
	if err != nil {
		return nil, nil, err
	}
	logins := map[int64]string{}
	for _, m := range a.core.Access.InPlace(members, s.CompanyID) {
		own, err := db.Identities.OfHolder(ctx, 0, m.ID)
		if err != nil {
			return nil, nil, err
		}
		rows, logins[m.ID] = append(rows, own...), m.Login
	}
	return rows, logins, nil
}
