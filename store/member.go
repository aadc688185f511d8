package store

import "context"

// Member is an account with its company, its customer and its phone, which decide whether the account may be entered.
type Member struct {
	Account
	Company      Company `db:"company"`
	ClientName   string  `db:"client_name"`
	ClientTypeID int64   `db:"client_type_id"`
	ClientState  string  `db:"client_state"` // empty: the account has no client
	Phone        string  `db:"phone"`        // empty: none bound
	WeChatBound  bool    `db:"wechat_bound"` // its holder can sign in by WeChat; read only with memberColumns
	CorpID       string  `db:"corp_id"`      // of the company's own WeCom application, empty: none
	AgentID      string  `db:"agent_id"`
	ByChat       bool    `db:"-"` // the sign-in that would enter the account began with a chat app's identity

	// ManagerClosed says that the sign-in began with WeChat, and that the platform does not let WeChat sign-ins into
	// the back office.
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

// ByPerson reads every account that a person has, in all companies, ordered by company and side. Offers are not
// among them: see OfferTable.
func (t AccountTable) ByPerson(ctx context.Context, personID int64) ([]Member, error) {
	return rows[Member](ctx, t.db, "SELECT "+memberColumns+memberTables+
		"WHERE a.phone_id = ? AND NOT a.invited ORDER BY a.company_id, a.side, a.id", personID)
}

// CompaniesOfPhone reads the companies where a phone number has accounts, without offers.
func (t AccountTable) CompaniesOfPhone(ctx context.Context, number string) ([]int64, error) {
	return rows[int64](ctx, t.db, `SELECT DISTINCT a.company_id FROM phones p
		JOIN accounts a ON a.phone_id = p.id WHERE p.phone = ? AND NOT a.invited ORDER BY a.company_id`, number)
}

// ByLogin reads the accounts of a name in all companies, at most one on each side. Offers are not among them. It
// names both sides, because the index of names begins with the side.
func (t AccountTable) ByLogin(ctx context.Context, login string) ([]Member, error) {
	return rows[Member](ctx, t.db, "SELECT "+memberColumns+memberTables+
		"WHERE a.side IN ('mgr', 'shop') AND a.login_key = ? AND NOT a.invited ORDER BY a.side, a.id", LoginKey(login))
}

// ByID reads one account of a company with what decides its state; ErrNotFound.
func (t AccountTable) ByID(ctx context.Context, companyID, accountID int64) (Member, error) {
	return row[Member](ctx, t.db, "SELECT "+memberColumns+memberTables+"WHERE a.id = ? AND a.company_id = ?",
		accountID, companyID)
}

// OfAnyCompany reads an account of any company, for a session that names the account but not its company.
// ErrNotFound.
func (t AccountTable) OfAnyCompany(ctx context.Context, accountID int64) (Member, error) {
	return row[Member](ctx, t.db, "SELECT "+memberColumns+memberTables+"WHERE a.id = ?", accountID)
}

// EntryState reads the columns of an account of any company that decide whether it may be entered, and by whom. All
// other fields of the Member are zero. Every API call with an account's token makes this check, so it reads no more
// than that. ErrNotFound.
func (t AccountTable) EntryState(ctx context.Context, accountID int64) (Member, error) {
	return row[Member](ctx, t.db, `SELECT a.id, a.company_id, a.side, a.type, a.state, a.invited,
		COALESCE(a.phone_id, 0) AS phone_id, COALESCE(k.state, '') AS client_state,
		c.id AS "company.id", c.standing AS "company.standing", c.disabled AS "company.disabled",
		c.ends_at AS "company.ends_at", c.mall AS "company.mall",
		c.lighting AS "company.lighting", c.chat_doors AS "company.chat_doors"
		FROM accounts a JOIN companies c ON c.id = a.company_id
		LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id WHERE a.id = ?`, accountID)
}

// After reads the accounts of a company whose ids are larger than after, in the order of their ids: those of one side,
// or of both sides when side is "".
func (t AccountTable) After(ctx context.Context, companyID int64, side Side, after int64, limit int) ([]Member, error) {
	query := "SELECT " + listedColumns + memberTables + "WHERE a.company_id = ? AND a.id > ? ORDER BY a.id LIMIT ?"
	args := []any{companyID, after, limit}
	if side != "" {
		query = "SELECT " + listedColumns + memberTables +
			"WHERE a.company_id = ? AND a.side = ? AND a.id > ? ORDER BY a.id LIMIT ?"
		args = []any{companyID, string(side), after, limit}
	}
	return rows[Member](ctx, t.db, query, args...)
}

// ByForm reads the account of a company that was opened with a form. form is the keyed hash of the form's id.
// ErrNotFound.
func (t AccountTable) ByForm(ctx context.Context, companyID int64, form string) (Member, error) {
	return row[Member](ctx, t.db, "SELECT "+listedColumns+memberTables+
		"WHERE a.opened_form = ? AND a.opened_form <> '' AND a.company_id = ?", form, companyID)
}

// OpenedSince reads the last account that the account a.OpenedBy opened after since, with the same company, side, name
// and customer as a. The customer is the one with the id a.ClientID or with the given name. ErrNotFound.
func (t AccountTable) OpenedSince(ctx context.Context, a Account, customer string, since Instant) (Member, error) {
	return row[Member](ctx, t.db, "SELECT "+listedColumns+memberTables+`WHERE a.opened_by = ? AND a.opened_by <> 0
		AND a.created_at > ? AND a.company_id = ? AND a.side = ? AND a.name = ? AND (COALESCE(a.client_id, 0) = ?
			OR k.name = ?)
		ORDER BY a.created_at DESC, a.id DESC LIMIT 1`,
		a.OpenedBy, since, a.CompanyID, a.Side, a.Name, a.ClientID, customer)
}

// OfClient reads the accounts of a company's customer.
func (t AccountTable) OfClient(ctx context.Context, companyID, clientID int64) ([]Member, error) {
	return rows[Member](ctx, t.db, "SELECT "+listedColumns+memberTables+
		"WHERE a.company_id = ? AND a.client_id = ? ORDER BY a.id", companyID, clientID)
}

// HasAdministrator says whether a company has an active administrator who can sign in, other than the account exceptID.
// The holder must have accepted the account. An account without a phone does not count after its temporary password has
// expired. The number 1 is TypeAdministrator, as in the condition of the index.
func (t AccountTable) HasAdministrator(ctx context.Context, companyID, exceptID int64, now Instant) (bool, error) {
	return row[bool](ctx, t.db, `SELECT EXISTS (SELECT 1 FROM accounts
		WHERE company_id = ? AND type = 1 AND side = 'mgr' AND state = 'active' AND NOT invited AND id <> ?
		AND (phone_id IS NOT NULL OR first_password_until = 0 OR first_password_until > ?))`,
		companyID, exceptID, now)
}

// Administrators reads the active administrators of a company who have accepted their accounts and have a phone, in the
// order of their ids. The conditions are those of the index; the number 1 is TypeAdministrator.
func (t AccountTable) Administrators(ctx context.Context, companyID int64, limit int) ([]Member, error) {
	return rows[Member](ctx, t.db, "SELECT "+listedColumns+memberTables+`WHERE a.company_id = ? AND a.type = 1
		AND a.side = 'mgr' AND a.state = 'active' AND NOT a.invited AND a.phone_id IS NOT NULL ORDER BY a.id LIMIT ?`,
		companyID, limit)
}
