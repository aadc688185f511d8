package store

import "context"

// People reads accounts of a company with a larger id than after, by id; of one side, or of both for "".
func (db *DB) People(ctx context.Context, companyID int64, side Side, after int64, limit int) ([]Member, error) {
	var all []Member
	query := "SELECT " + listedColumns + memberTables + "WHERE a.company_id = ? AND a.id > ? ORDER BY a.id LIMIT ?"
	args := []any{companyID, after, limit}
	if side != "" {
		query = "SELECT " + listedColumns + memberTables +
			"WHERE a.company_id = ? AND a.side = ? AND a.id > ? ORDER BY a.id LIMIT ?"
		args = []any{companyID, string(side), after, limit}
	}
	err := db.list(ctx, &all, query, args...)
	return all, err
}

// MemberByForm reads the account of a company that was opened with a form. form is the keyed hash of the form's id.
// ErrNotFound.
func (db *DB) MemberByForm(ctx context.Context, companyID int64, form string) (Member, error) {
	var m Member
	err := db.get(ctx, &m, "SELECT "+listedColumns+memberTables+
		"WHERE a.opened_form = ? AND a.opened_form <> '' AND a.company_id = ?", form, companyID)
	return m, err
}

// OpenedSince reads the last account that the account a.OpenedBy opened after since, with the same company, side, name
// and customer as a. The customer is the one with the id a.ClientID or with the given name. ErrNotFound.
func (db *DB) OpenedSince(ctx context.Context, a Account, customer string, since Instant) (Member, error) {
	var m Member
	err := db.get(ctx, &m, "SELECT "+listedColumns+memberTables+`WHERE a.opened_by = ? AND a.opened_by <> 0
		AND a.created_at > ? AND a.company_id = ? AND a.side = ? AND a.name = ? AND (COALESCE(a.client_id,
			0) = ? OR k.name = ?)
		ORDER BY a.created_at DESC, a.id DESC LIMIT 1`,
		a.OpenedBy, since, a.CompanyID, a.Side, a.Name, a.ClientID, customer)
	return m, err
}

// AccountsOfClient reads the accounts of a company's customer.
func (db *DB) AccountsOfClient(ctx context.Context, companyID, clientID int64) ([]Member, error) {
	var all []Member
	err := db.list(ctx, &all, "SELECT "+listedColumns+memberTables+
		"WHERE a.company_id = ? AND a.client_id = ? ORDER BY a.id", companyID, clientID)
	return all, err
}

// HasAdministrator says whether a company has an active administrator besides the account but, who can sign in: the
// account is set up, and its first password, if that is its only way in, has not expired. The number 1 is
// TypeAdministrator, as in the condition of the index.
func (db *DB) HasAdministrator(ctx context.Context, companyID, but int64, now Instant) (bool, error) {
	var has bool
	err := db.get(ctx, &has, `SELECT EXISTS (SELECT 1 FROM accounts
		WHERE company_id = ? AND type = 1 AND side = 'mgr' AND state = 'active' AND NOT invited AND id <> ?
		AND (phone_id IS NOT NULL OR first_password_until = 0 OR first_password_until > ?))`,
		companyID, but, now)
	return has, err
}

// Administrators reads the active administrators of a company whose accounts are set up, by id. The number 1 is
// TypeAdministrator, as in the condition of the index.
func (db *DB) Administrators(ctx context.Context, companyID int64, limit int) ([]Member, error) {
	var all []Member
	err := db.list(ctx, &all, "SELECT "+listedColumns+memberTables+`WHERE a.company_id = ? AND a.type = 1
		AND a.side = 'mgr' AND a.state = 'active' AND NOT a.invited ORDER BY a.id LIMIT ?`, companyID, limit)
	return all, err
}

// SetFirstPassword gives an account a password that works until an instant and has to be replaced; ErrNotFound.
func (db *DB) SetFirstPassword(ctx context.Context, companyID, accountID int64, hash string, until Instant) error {
	return db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = ? WHERE id = ? AND company_id = ?", hash, until, accountID, companyID)
}

// DropFirstPassword takes a first password away from an account that has another way in; nothing happens to any other.
func (db *DB) DropFirstPassword(ctx context.Context, companyID, accountID int64) error {
	_, err := db.exec(ctx, "UPDATE accounts SET password_hash = '', first_password_until = 0 WHERE id = ? AND company_id = ? AND first_password_until > 0", accountID, companyID)
	return err
}

// InviteAccount notes when the inviting link was made of an account that its holder has not set up; ErrNotFound.
func (db *DB) InviteAccount(ctx context.Context, companyID, accountID int64, at Instant) error {
	return db.one(ctx, "UPDATE accounts SET invited_at = ? WHERE id = ? AND company_id = ? AND invited", at, accountID, companyID)
}

// EndOpenCodes voids what a company or an account has asked to be sent, or was proven by it: the codes of a phone for that
// company, and those that speak of the account alone (target).
func (db *DB) EndOpenCodes(ctx context.Context, subject string, companyID int64, target string) error {
	const ofTarget = "UPDATE codes SET expires_at = 0, proven_until = 0 WHERE target = ? AND target <> ''"
	if _, err := db.exec(ctx, ofTarget, target); err != nil {
		return err
	}
	const ofCompany = "UPDATE codes SET expires_at = 0, proven_until = 0 WHERE subject = ? AND company_id = ?"
	_, err := db.exec(ctx, ofCompany, subject, companyID)
	return err
}

// EndRegistrationsOf forgets what proofs have made for an account: shown again they open nothing.
func (db *DB) EndRegistrationsOf(ctx context.Context, accountID int64) error {
	_, err := db.exec(ctx, "DELETE FROM registrations WHERE account_id = ?", accountID)
	return err
}

// ClientByID reads a company's customer; ErrNotFound.
func (db *DB) ClientByID(ctx context.Context, companyID, clientID int64) (Client, error) {
	var k Client
	err := db.get(ctx, &k, "SELECT "+clientColumns+" FROM clients k WHERE k.id = ? AND k.company_id = ?", clientID, companyID)
	return k, err
}

// ClientsAfter reads customers of a company with a larger id than after, by id.
func (db *DB) ClientsAfter(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	var all []Client
	err := db.list(ctx, &all, "SELECT "+clientColumns+
		" FROM clients k WHERE k.company_id = ? AND k.id > ? ORDER BY k.id LIMIT ?", companyID, after, limit)
	return all, err
}

// PartnersAfter reads customers of a company that are partners, with a larger id than after, by id.
func (db *DB) PartnersAfter(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	var all []Client
	err := db.list(ctx, &all, "SELECT "+clientColumns+` FROM clients k
		WHERE k.company_id = ? AND k.state = 'partner' AND k.id > ? ORDER BY k.id LIMIT ?`, companyID, after, limit)
	return all, err
}
