package store

import "context"

// Registration is what one proof has made. ID is the keyed hash of the proof, Content of what was asked for.
type Registration struct {
	ID        string  `db:"id"`
	Content   string  `db:"content"`
	CompanyID int64   `db:"company_id"`
	AccountID int64   `db:"account_id"`
	At        Instant `db:"at"`
}

// AddRegistration notes what a proof has made; false when it made something since the given instant.
func (db *DB) AddRegistration(ctx context.Context, r Registration, since Instant) (bool, error) {
	n, err := db.exec(ctx, `INSERT INTO registrations (id, content, company_id, account_id, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET content = excluded.content, company_id = excluded.company_id, account_id = excluded.account_id, at = excluded.at
			WHERE registrations.at <= ?`,
		r.ID, r.Content, r.CompanyID, r.AccountID, r.At, since)
	return n == 1, err
}

// EndRegistrations forgets what proofs have made for a person's accounts: shown again they open nothing.
func (db *DB) EndRegistrations(ctx context.Context, phoneID int64) error {
	_, err := db.exec(ctx, "DELETE FROM registrations WHERE account_id IN (SELECT id FROM accounts WHERE phone_id = ?)", phoneID)
	return err
}

// RegistrationByID reads what a proof has made since an instant; ErrNotFound.
func (db *DB) RegistrationByID(ctx context.Context, id string, since Instant) (Registration, error) {
	var r Registration
	err := db.get(ctx, &r, "SELECT id, content, company_id, account_id, at FROM registrations WHERE id = ? AND at > ?", id, since)
	return r, err
}

// ForgetRegistrations removes registrations of before the given instant, at most SweepStep.
func (db *DB) ForgetRegistrations(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM registrations
		WHERE id IN (SELECT id FROM registrations WHERE at < ? LIMIT ?)`, before, SweepStep)
}
