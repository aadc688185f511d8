package store

import "context"

// Acceptance is a yes to a version of the agreement, in the language it was read, and from where: a person's (PhoneID),
// or an account's to which no phone was bound (AccountID, of CompanyID).
type Acceptance struct {
	PhoneID   int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	CompanyID int64   `db:"company_id"`
	Version   string  `db:"version"`
	Lang      string  `db:"lang"`
	Address   string  `db:"address"`
	At        Instant `db:"at"`
}

// AddAcceptance notes that a person, or an account, accepted a version of the agreement, the first time.
func (db *DB) AddAcceptance(ctx context.Context, a Acceptance) error {
	if a.AccountID != 0 {
		_, err := db.exec(ctx, `INSERT INTO account_acceptances (account_id, company_id, version, lang, address, at)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (account_id, version) WHERE NOT former DO NOTHING`,
			a.AccountID, a.CompanyID, a.Version, a.Lang, a.Address, a.At)
		return err
	}
	_, err := db.exec(ctx, "INSERT INTO acceptances (phone_id, company_id, version, lang, address, at) "+
		"VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (phone_id, company_id, version) DO NOTHING",
		a.PhoneID, a.CompanyID, a.Version, a.Lang, a.Address, a.At)
	return err
}

// Acceptances reads what a person accepted, the first first, and what the accounts accepted that are bound to the
// person now, from when they had no phone.
func (db *DB) Acceptances(ctx context.Context, phoneID int64) ([]Acceptance, error) {
	return rows[Acceptance](ctx, db, `SELECT phone_id, account_id, company_id, version, lang, address, at FROM (
			SELECT phone_id, 0 AS account_id, company_id, version, lang, address, at, id FROM acceptances
			WHERE phone_id = ?
			UNION ALL
			SELECT 0, e.account_id, e.company_id, e.version, e.lang, e.address, e.at, e.id FROM account_acceptances e
				JOIN accounts a ON a.id = e.account_id AND a.company_id = e.company_id
				WHERE a.phone_id = ? AND NOT e.former) accepted
		ORDER BY at, account_id, id`, phoneID, phoneID)
}

// AcceptancesOfAccount reads what an account accepted while it had no phone and since it was last given to somebody,
// the first first.
func (db *DB) AcceptancesOfAccount(ctx context.Context, companyID, accountID int64) ([]Acceptance, error) {
	return rows[Acceptance](ctx, db, `SELECT 0 AS phone_id, account_id, company_id, version, lang, address, at
		FROM account_acceptances
		WHERE account_id = ? AND company_id = ? AND NOT former ORDER BY id`, accountID, companyID)
}

// EndAcceptancesOfAccount keeps what an account accepted as that of who had it before.
func (db *DB) EndAcceptancesOfAccount(ctx context.Context, companyID, accountID int64) error {
	_, err := db.exec(ctx, "UPDATE account_acceptances SET former = TRUE "+
		"WHERE account_id = ? AND company_id = ? AND NOT former", accountID, companyID)
	return err
}
