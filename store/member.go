package store

import "context"

// Member is an account with all that decides whether it may be entered: its company, its client, its phone.
type Member struct {
	Account
	Company      Company `db:"company"`
	ClientName   string  `db:"client_name"`
	ClientTypeID int64   `db:"client_type_id"`
	ClientState  string  `db:"client_state"` // empty: the account has no client
	Phone        string  `db:"phone"`        // empty: none bound
	WeChatBound  bool    `db:"wechat_bound"` // WeChat signs its holder in; lists of a company's people leave it out
	CorpID       string  `db:"corp_id"`      // of the company's own application of work-chat, empty: none
	AgentID      string  `db:"agent_id"`
	ByChat       bool    `db:"-"` // the account would be entered by a sign-in that a chat app's identity began

	// ManagerClosed says that WeChat began that sign-in and that the platform keeps WeChat out of the back office.
	ManagerClosed bool `db:"-"`
}

// listedColumns are the columns of a Member except WeChatBound, which lists don't show.
var listedColumns = `a.id, a.company_id, a.side, a.type, a.login, a.name, COALESCE(a.phone_id, 0) AS phone_id,
	COALESCE(a.client_id, 0) AS client_id, a.password_hash, a.state, a.duty_name, a.dept_name, a.head_img,
	a.bind_reminder, a.invited, a.first_password_until, a.invited_at, a.declined_at, a.created_at,
	COALESCE(k.name, '') AS client_name, COALESCE(k.type_id, 0) AS client_type_id, COALESCE(k.state,
	'') AS client_state,
	COALESCE(p.phone, '') AS phone,
	COALESCE(w.app, '') AS corp_id, COALESCE(w.agent, '') AS agent_id, ` + nested("company", "c", companyColumns)

// memberColumns are listedColumns and Member.WeChatBound. Each of its two subqueries repeats the condition of a partial
// index and stops at the first row. As one EXISTS with OR, Postgres would read the whole table.
var memberColumns = listedColumns + `, COALESCE(
	(SELECT 1 FROM identities i WHERE i.phone_id = a.phone_id AND i.phone_id > 0 AND i.provider = 'wechat' LIMIT 1),
	(SELECT 1 FROM identities i WHERE i.account_id = a.id AND i.account_id > 0 AND i.provider = 'wechat' LIMIT 1),
	0) = 1 AS wechat_bound`

const memberTables = ` FROM accounts a JOIN companies c ON c.id = a.company_id
	LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id
	LEFT JOIN phones p ON p.id = a.phone_id
	LEFT JOIN company_credentials w ON w.company_id = c.id AND w.kind = 'wecom' `

// MembersByPhone reads every account that a person has, in all companies, ordered by company and side. Offers are not
// among them: see OffersTo and OffersIn.
func (db *DB) MembersByPhone(ctx context.Context, phoneID int64) ([]Member, error) {
	return rows[Member](ctx, db, "SELECT "+memberColumns+memberTables+
		"WHERE a.phone_id = ? AND NOT a.invited ORDER BY a.company_id, a.side, a.id", phoneID)
}

// MembersByLogin reads the accounts of a name in all companies, at most one on each side. Offers are not among them. It
// names both sides, because the index of names begins with the side.
func (db *DB) MembersByLogin(ctx context.Context, login string) ([]Member, error) {
	return rows[Member](ctx, db, "SELECT "+memberColumns+memberTables+
		"WHERE a.side IN ('mgr', 'shop') AND a.login_key = ? AND NOT a.invited ORDER BY a.side, a.id", LoginKey(login))
}

// MemberByID reads one account of a company with what decides its state; ErrNotFound.
func (db *DB) MemberByID(ctx context.Context, companyID, accountID int64) (Member, error) {
	return row[Member](ctx, db, "SELECT "+memberColumns+memberTables+"WHERE a.id = ? AND a.company_id = ?",
		accountID, companyID)
}

// MemberOfAccount reads the account a session was proven for, whose company the session does not repeat;
// ErrNotFound.
func (db *DB) MemberOfAccount(ctx context.Context, accountID int64) (Member, error) {
	return row[Member](ctx, db, "SELECT "+memberColumns+memberTables+"WHERE a.id = ?", accountID)
}

// StandingOfAccount reads of an account only what decides whether it may be entered, and by whom: for the check
// at each call. Everything else of the Member is zero. ErrNotFound.
func (db *DB) StandingOfAccount(ctx context.Context, accountID int64) (Member, error) {
	return row[Member](ctx, db, `SELECT a.id, a.company_id, a.side, a.type, a.state, a.invited,
		COALESCE(a.phone_id, 0) AS phone_id, COALESCE(k.state, '') AS client_state,
		c.id AS "company.id", c.standing AS "company.standing", c.disabled AS "company.disabled",
		c.ends_at AS "company.ends_at", c.mall AS "company.mall",
		c.lighting AS "company.lighting", c.chat_doors AS "company.chat_doors"
		FROM accounts a JOIN companies c ON c.id = a.company_id
		LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id WHERE a.id = ?`, accountID)
}

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
	return row[Member](ctx, db, "SELECT "+listedColumns+memberTables+
		"WHERE a.opened_form = ? AND a.opened_form <> '' AND a.company_id = ?", form, companyID)
}

// OpenedSince reads the last account that the account a.OpenedBy opened after since, with the same company, side, name
// and customer as a. The customer is the one with the id a.ClientID or with the given name. ErrNotFound.
func (db *DB) OpenedSince(ctx context.Context, a Account, customer string, since Instant) (Member, error) {
	return row[Member](ctx, db, "SELECT "+listedColumns+memberTables+`WHERE a.opened_by = ? AND a.opened_by <> 0
		AND a.created_at > ? AND a.company_id = ? AND a.side = ? AND a.name = ? AND (COALESCE(a.client_id,
			0) = ? OR k.name = ?)
		ORDER BY a.created_at DESC, a.id DESC LIMIT 1`,
		a.OpenedBy, since, a.CompanyID, a.Side, a.Name, a.ClientID, customer)
}

// AccountsOfClient reads the accounts of a company's customer.
func (db *DB) AccountsOfClient(ctx context.Context, companyID, clientID int64) ([]Member, error) {
	return rows[Member](ctx, db, "SELECT "+listedColumns+memberTables+
		"WHERE a.company_id = ? AND a.client_id = ? ORDER BY a.id", companyID, clientID)
}

// HasAdministrator says whether a company has an active administrator besides the account but, who can sign in: the
// account is set up, and its first password, if that is its only way in, has not expired. The number 1 is
// TypeAdministrator, as in the condition of the index.
func (db *DB) HasAdministrator(ctx context.Context, companyID, but int64, now Instant) (bool, error) {
	return row[bool](ctx, db, `SELECT EXISTS (SELECT 1 FROM accounts
		WHERE company_id = ? AND type = 1 AND side = 'mgr' AND state = 'active' AND NOT invited AND id <> ?
		AND (phone_id IS NOT NULL OR first_password_until = 0 OR first_password_until > ?))`,
		companyID, but, now)
}

// Administrators reads the active administrators of a company whose accounts are set up, by id. The number 1 is
// TypeAdministrator, as in the condition of the index.
func (db *DB) Administrators(ctx context.Context, companyID int64, limit int) ([]Member, error) {
	return rows[Member](ctx, db, "SELECT "+listedColumns+memberTables+`WHERE a.company_id = ? AND a.type = 1
		AND a.side = 'mgr' AND a.state = 'active' AND NOT a.invited ORDER BY a.id LIMIT ?`, companyID, limit)
}
