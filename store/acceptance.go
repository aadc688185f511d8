package store

import "context"

// Acceptance says that a version of the agreement was accepted: by a person (PersonID), or by an account without a
// phone (AccountID, of CompanyID). Lang is the language in which the agreement was shown, Address the caller's IP
// address.
type Acceptance struct {
	PersonID  int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	CompanyID int64   `db:"company_id"`
	Version   string  `db:"version"`
	Lang      string  `db:"lang"`
	Address   string  `db:"address"`
	At        Instant `db:"at"`
}

// AcceptanceTable reads and changes who accepted which version of the terms: acceptances and account_acceptances.
type AcceptanceTable struct{ db *DB }

// Add stores an acceptance. It changes nothing when the same version was accepted before.
func (t AcceptanceTable) Add(ctx context.Context, a Acceptance) error {
	if a.AccountID != 0 {
		_, err := t.db.exec(ctx, `INSERT INTO account_acceptances (account_id, company_id, version, lang, address, at)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (account_id, version) WHERE NOT former DO NOTHING`,
			a.AccountID, a.CompanyID, a.Version, a.Lang, a.Address, a.At)
		return err
	}
	_, err := t.db.exec(ctx, "INSERT INTO acceptances (phone_id, company_id, version, lang, address, at) "+
		"VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (phone_id, company_id, version) DO NOTHING",
		a.PersonID, a.CompanyID, a.Version, a.Lang, a.Address, a.At)
	return err
}

// OfPerson reads what a person has accepted, the oldest first. What an account accepted before it was bound to the
// person counts, too.
func (t AcceptanceTable) OfPerson(ctx context.Context, personID int64) ([]Acceptance, error) {
	return rows[Acceptance](ctx, t.db, `SELECT phone_id, account_id, company_id, version, lang, address, at FROM (
			SELECT phone_id, 0 AS account_id, company_id, version, lang, address, at, id FROM acceptances
			WHERE phone_id = ?
			UNION ALL
			SELECT 0, e.account_id, e.company_id, e.version, e.lang, e.address, e.at, e.id FROM account_acceptances e
				JOIN accounts a ON a.id = e.account_id AND a.company_id = e.company_id
				WHERE a.phone_id = ? AND NOT e.former) accepted
		ORDER BY at, account_id, id`, personID, personID)
}

// OfAccount reads what the current holder of an account accepted while it had no phone, the oldest first.
func (t AcceptanceTable) OfAccount(ctx context.Context, companyID, accountID int64) ([]Acceptance, error) {
	return rows[Acceptance](ctx, t.db, `SELECT 0 AS phone_id, account_id, company_id, version, lang, address, at
		FROM account_acceptances
		WHERE account_id = ? AND company_id = ? AND NOT former ORDER BY id`, accountID, companyID)
}

// EndOfAccount marks what an account accepted as accepted by a former holder, who no longer counts.
func (t AcceptanceTable) EndOfAccount(ctx context.Context, companyID, accountID int64) error {
	_, err := t.db.exec(ctx, "UPDATE account_acceptances SET former = TRUE "+
		"WHERE account_id = ? AND company_id = ? AND NOT former", accountID, companyID)
	return err
}
