package store

import (
	"context"
	"errors"
	"strings"
)

// Side is the half of the platform an account belongs to.
type Side string

// The two sides: the ordering mall and the management back office.
const (
	Shop Side = "shop"
	Mgr  Side = "mgr"
)

// The values of Account.Type (specification section 3: type_).
const (
	TypeAdministrator = 1
	TypeEmployee      = 2
	TypeShop          = 3
)

// AccountState is a closed set:
//
//	under_review ──approved──▶ active ◀──enabled── disabled
//	                             └────disabled───────▲
type AccountState string

// The states of an account.
const (
	AccountActive      AccountState = "active"
	AccountUnderReview AccountState = "under_review"
	AccountDisabled    AccountState = "disabled"
)

// Client is a company's customer; its shop accounts work while it is a partner.
type Client struct {
	ID        int64   `db:"id"`
	CompanyID int64   `db:"company_id"`
	Name      string  `db:"name"`
	TypeID    int64   `db:"type_id"`
	State     string  `db:"state"` // "partner" or "ended"
	Contact   string  `db:"contact"`
	Sample    string  `db:"sample"` // see Product.Sample
	CreatedAt Instant `db:"created_at"`
}

// ClientEnded is the state of a client that is no longer a partner; the other is ClientPartner.
const (
	ClientPartner = "partner"
	ClientEnded   = "ended"
)

// Phone is a person: a number with a password of its own, to which accounts are bound.
type Phone struct {
	ID               int64   `db:"id"`
	Phone            string  `db:"phone"` // 11 digits
	PasswordHash     string  `db:"password_hash"`
	DefaultCompanyID int64   `db:"default_company_id"` // 0: none
	CreatedAt        Instant `db:"created_at"`
}

// Account is one login on one side of one company. PhoneID and ClientID are 0 when there is none.
type Account struct {
	ID           int64        `db:"id"`
	CompanyID    int64        `db:"company_id"`
	Side         Side         `db:"side"`
	Type         int          `db:"type"` // TypeAdministrator, TypeEmployee or TypeShop
	Login        string       `db:"login"`
	Name         string       `db:"name"`
	PhoneID      int64        `db:"phone_id"`
	ClientID     int64        `db:"client_id"`
	PasswordHash string       `db:"password_hash"`
	State        AccountState `db:"state"`
	DutyName     string       `db:"duty_name"`
	DeptName     string       `db:"dept_name"`
	HeadImg      string       `db:"head_img"`
	BindReminder bool         `db:"bind_reminder"` // offer to bind a phone after signing in
	Invited      bool         `db:"invited"`       // an offer: the holder of its phone has not accepted it, see Offer
	CreatedAt    Instant      `db:"created_at"`

	OpenedBy   int64  `db:"-"` // the account that opened it, 0: none; stored but not read back, see OpenedSince
	OpenedForm string `db:"-"` // keyed hash of the id of the form that opened it, "": none; see MemberByForm

	FirstPasswordUntil Instant `db:"first_password_until"` // until when an administrator's first password works, 0: the holder's own
	InvitedAt          Instant `db:"invited_at"`           // when its inviting link was made, 0: nobody was invited
	DeclinedAt         Instant `db:"declined_at"`          // when the phone's holder declined it, 0: never
}

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
	COALESCE(k.name, '') AS client_name, COALESCE(k.type_id, 0) AS client_type_id, COALESCE(k.state, '') AS client_state,
	COALESCE(p.phone, '') AS phone,
	COALESCE(w.app, '') AS corp_id, COALESCE(w.agent, '') AS agent_id, ` + prefixed(companyColumns)

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

// prefixed names each column "company.x", which sqlx reads into the nested Company.
func prefixed(columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = name + ` AS "company.` + strings.TrimPrefix(name, "c.") + `"`
	}
	return strings.Join(names, ", ")
}

// nested names each column of a table "field.column", which sqlx reads into a nested struct.
func nested(field, table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = table + "." + name + ` AS "` + field + "." + name + `"`
	}
	return strings.Join(names, ", ")
}

// LoginKey is the one spelling of an account name under which it is unique on its side, counted and
// looked up: lower case, without surrounding space.
func LoginKey(login string) string { return strings.ToLower(strings.TrimSpace(login)) }

// PhoneByNumber reads a person by number (11 digits); ErrNotFound.
func (db *DB) PhoneByNumber(ctx context.Context, number string) (Phone, error) {
	var p Phone
	err := db.get(ctx, &p, "SELECT id, phone, password_hash, default_company_id, created_at FROM phones WHERE phone = ?", number)
	return p, err
}

// PhoneByID reads a person; ErrNotFound.
func (db *DB) PhoneByID(ctx context.Context, id int64) (Phone, error) {
	var p Phone
	err := db.get(ctx, &p, "SELECT id, phone, password_hash, default_company_id, created_at FROM phones WHERE id = ?", id)
	return p, err
}

// AddPhone inserts a person and gives the id; an existing number keeps its row and gives 0.
func (db *DB) AddPhone(ctx context.Context, p Phone) (int64, error) {
	var id int64
	err := db.change(ctx, &id, `INSERT INTO phones (phone, password_hash, default_company_id, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (phone) DO NOTHING RETURNING id`, p.Phone, p.PasswordHash, p.DefaultCompanyID, p.CreatedAt)
	if err == ErrNotFound {
		return 0, nil
	}
	return id, err
}

// SetDefaultCompany notes the company a person goes to first; 0 for none.
func (db *DB) SetDefaultCompany(ctx context.Context, phoneID, companyID int64) error {
	_, err := db.exec(ctx, "UPDATE phones SET default_company_id = ? WHERE id = ?", companyID, phoneID)
	return err
}

// SetPhonePasswordHash replaces a person's password hash, provided it is still the one given: two
// upgrades at once do no harm.
func (db *DB) SetPhonePasswordHash(ctx context.Context, phoneID int64, was, hash string) error {
	_, err := db.exec(ctx, "UPDATE phones SET password_hash = ? WHERE id = ? AND password_hash = ?", hash, phoneID, was)
	return err
}

// SetAccountPasswordHash does the same for an account's own password.
func (db *DB) SetAccountPasswordHash(ctx context.Context, companyID, accountID int64, was, hash string) error {
	_, err := db.exec(ctx, "UPDATE accounts SET password_hash = ? WHERE id = ? AND company_id = ? AND password_hash = ?", hash, accountID, companyID, was)
	return err
}

// HoldPhonePassword locks a phone's password until the transaction ends. ErrNotFound when its hash is not the given
// one.
func (db *DB) HoldPhonePassword(ctx context.Context, phoneID int64, hash string) error {
	const query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	return db.one(ctx, query, phoneID, hash)
}

// HoldAccountPassword locks an account's own password until the transaction ends. ErrNotFound when its hash is not the
// given one.
func (db *DB) HoldAccountPassword(ctx context.Context, companyID, accountID int64, hash string) error {
	const query = `UPDATE accounts SET password_hash = password_hash
		WHERE id = ? AND company_id = ? AND password_hash = ?`
	return db.one(ctx, query, accountID, companyID, hash)
}

// SetPhonePassword gives a person a password, whatever it was.
func (db *DB) SetPhonePassword(ctx context.Context, phoneID int64, hash string) error {
	return db.one(ctx, "UPDATE phones SET password_hash = ? WHERE id = ?", hash, phoneID)
}

// SetAccountPassword gives an account a password of its own, whatever it was: no first password any more.
func (db *DB) SetAccountPassword(ctx context.Context, companyID, accountID int64, hash string) error {
	return db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = 0 WHERE id = ? AND company_id = ?", hash, accountID, companyID)
}

// BindPhone binds an account to a person, provided it has none and the person still has the number; ErrNotFound.
func (db *DB) BindPhone(ctx context.Context, companyID, accountID int64, to Phone) error {
	return db.one(ctx, `UPDATE accounts SET phone_id = ? WHERE id = ? AND company_id = ? AND phone_id IS NULL
		AND EXISTS (SELECT 1 FROM phones p WHERE p.id = ? AND p.phone = ?)`, to.ID, accountID, companyID, to.ID, to.Phone)
}

// UnbindPhone frees an account from a person, provided it is still bound to that one; ErrNotFound.
func (db *DB) UnbindPhone(ctx context.Context, companyID, accountID, phoneID int64) error {
	return db.one(ctx, "UPDATE accounts SET phone_id = NULL WHERE id = ? AND company_id = ? AND phone_id = ?", accountID, companyID, phoneID)
}

// ErrPasswordReplaced says that a stored password is no longer the one that was compared.
var ErrPasswordReplaced = errors.New("store: the password was replaced")

// KeepPhonePassword makes the batch fail with ErrPasswordReplaced when the hash of a phone's password is not the given
// one. A transaction that replaces it then waits until this one ends.
func (db *DB) KeepPhonePassword(b *Batch, phoneID int64, hash string) {
	query := "SELECT 1 FROM phones WHERE id = ? AND password_hash = ? FOR SHARE"
	if !db.postgres { // only one transaction writes
		query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, phoneID, hash)
}

// KeepAccountPassword does what KeepPhonePassword does, for an account's own password.
func (db *DB) KeepAccountPassword(b *Batch, companyID, accountID int64, hash string) {
	query := "SELECT 1 FROM accounts WHERE id = ? AND company_id = ? AND password_hash = ? FOR SHARE"
	if !db.postgres {
		query = "UPDATE accounts SET password_hash = password_hash WHERE id = ? AND company_id = ? AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, accountID, companyID, hash)
}

// LockPhone makes other transactions wait that lock the same person or give the person an account, until this one ends.
// On SQLite every transaction that writes does that.
//
// The row is also written. Otherwise a transaction at REPEATABLE READ that waited here would continue with what it read
// before.
func (db *DB) LockPhone(ctx context.Context, phoneID int64) error {
	if !db.postgres {
		return nil
	}
	_, err := db.exec(ctx, `UPDATE phones SET created_at = created_at
		WHERE id = (SELECT id FROM phones WHERE id = ? FOR UPDATE)`, phoneID)
	return err
}

// FreePhone separates a number from a person who has no account left; ErrNotFound when there is one. The person's row
// stays, without a number or password, so that its id is never another person's. Offers do not count as accounts: they
// move to a new person of the same number.
func (db *DB) FreePhone(ctx context.Context, phoneID int64, at Instant) error {
	if err := db.LockPhone(ctx, phoneID); err != nil {
		return err
	}
	was, err := db.PhoneByID(ctx, phoneID)
	if err != nil {
		return err
	}
	err = db.one(ctx, `UPDATE phones SET phone = 'freed:' || id, password_hash = '', default_company_id = 0
		WHERE id = ? AND NOT EXISTS (SELECT 1 FROM accounts WHERE phone_id = ? AND NOT invited)`, phoneID, phoneID)
	if err != nil {
		return err
	}
	return db.moveOffers(ctx, was, at)
}

// SetBindReminder stores whether an account's holder is asked to bind a phone, and says whether that changed.
func (db *DB) SetBindReminder(ctx context.Context, companyID, accountID int64, on bool) (bool, error) {
	n, err := db.exec(ctx,
		"UPDATE accounts SET bind_reminder = ? WHERE id = ? AND company_id = ? AND bind_reminder <> ?",
		on, accountID, companyID, on)
	return n > 0, err
}

// AddClient inserts a company's customer under its own id, or leaves the existing one.
func (db *DB) AddClient(ctx context.Context, k Client) error {
	_, err := db.exec(ctx, `INSERT INTO clients (id, company_id, name, type_id, state, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		k.ID, k.CompanyID, k.Name, k.TypeID, k.State, k.CreatedAt)
	return err
}

// NewClient inserts a company's customer and gives the id.
func (db *DB) NewClient(ctx context.Context, k Client) (int64, error) {
	var id int64
	err := db.change(ctx, &id, "INSERT INTO clients (id, company_id, name, type_id, state, contact, sample, created_at) VALUES ("+db.freshID("clients")+", ?, ?, ?, ?, ?, ?, ?) RETURNING id",
		k.CompanyID, k.Name, k.TypeID, k.State, k.Contact, k.Sample, k.CreatedAt)
	return id, err
}

const clientColumns = "k.id, k.company_id, k.name, k.type_id, k.state, k.contact, k.sample, k.created_at"

// CountClients counts a company's customers, up to most: it reads no more rows than that.
func (db *DB) CountClients(ctx context.Context, companyID int64, most int) (int, error) {
	var n int
	err := db.get(ctx, &n, "SELECT COUNT(*) FROM (SELECT 1 FROM clients WHERE company_id = ? LIMIT ?) AS counted",
		companyID, most)
	return n, err
}

// SetClientState makes a company's customer a partner again or ends the partnership; ErrNotFound.
func (db *DB) SetClientState(ctx context.Context, companyID, clientID int64, state string) error {
	n, err := db.exec(ctx, "UPDATE clients SET state = ? WHERE id = ? AND company_id = ?", state, clientID, companyID)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// AddAccount inserts an account and gives the id; a login taken on its side keeps its row and gives 0.
// A zero ID lets the database choose. Who is invited is invited from its CreatedAt on.
func (db *DB) AddAccount(ctx context.Context, a Account) (int64, error) {
	var invitedAt Instant
	if a.Invited {
		invitedAt = a.CreatedAt
	}
	mark := db.freshID("accounts")
	args := []any{a.CompanyID, a.Side, a.Type, a.Login, LoginKey(a.Login), a.Name, nullable(a.PhoneID), nullable(a.ClientID),
		a.PasswordHash, a.State, a.DutyName, a.DeptName, a.HeadImg, a.Invited, invitedAt, a.CreatedAt,
		a.OpenedBy, a.OpenedForm}
	if a.ID != 0 {
		mark = "?"
		args = append(args, a.ID)
	}
	var id int64
	err := db.change(ctx, &id, `INSERT INTO accounts (company_id, side, type, login, login_key, name, phone_id, client_id,
			password_hash, state, duty_name, dept_name, head_img, invited, invited_at, created_at,
			opened_by, opened_form, id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `+mark+`)
		ON CONFLICT DO NOTHING RETURNING id`, args...)
	if err == ErrNotFound {
		return 0, nil
	}
	return id, err
}

// SetAccountState enables, disables or approves an account of a company; ErrNotFound.
func (db *DB) SetAccountState(ctx context.Context, companyID, accountID int64, state AccountState) error {
	n, err := db.exec(ctx, "UPDATE accounts SET state = ? WHERE id = ? AND company_id = ?", state, accountID, companyID)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// SetUpAccount stores that the holder of a phone accepted an offered account, and the holder's name. ErrNotFound when
// it was accepted before, or is not offered to that person.
func (db *DB) SetUpAccount(ctx context.Context, companyID, accountID, phoneID int64, name string) error {
	const query = `UPDATE accounts SET name = ?, invited = FALSE
		WHERE id = ? AND company_id = ? AND phone_id = ? AND invited`
	return db.one(ctx, query, name, accountID, companyID, phoneID)
}

// RenameAccount writes the name of an account's holder; ErrNotFound.
func (db *DB) RenameAccount(ctx context.Context, companyID, accountID int64, name string) error {
	return db.one(ctx, "UPDATE accounts SET name = ? WHERE id = ? AND company_id = ?", name, accountID, companyID)
}

// EditAccount writes the name, job title, department and customer of an account; ErrNotFound.
func (db *DB) EditAccount(ctx context.Context, a Account) error {
	return db.one(ctx, "UPDATE accounts SET name = ?, duty_name = ?, dept_name = ?, client_id = ? WHERE id = ? AND company_id = ?",
		a.Name, a.DutyName, a.DeptName, nullable(a.ClientID), a.ID, a.CompanyID)
}

// SetAccountType makes an account of the management side an administrator's or an employee's; ErrNotFound.
func (db *DB) SetAccountType(ctx context.Context, companyID, accountID int64, kind int) error {
	return db.one(ctx, "UPDATE accounts SET type = ? WHERE id = ? AND company_id = ? AND side = 'mgr'", kind, accountID, companyID)
}

// MembersByPhone reads every account that a person has, in all companies, ordered by company and side. Offers are not
// among them: see OffersTo and OffersIn.
func (db *DB) MembersByPhone(ctx context.Context, phoneID int64) ([]Member, error) {
	var members []Member
	err := db.list(ctx, &members, "SELECT "+memberColumns+memberTables+
		"WHERE a.phone_id = ? AND NOT a.invited ORDER BY a.company_id, a.side, a.id", phoneID)
	return members, err
}

// MembersByLogin reads the accounts of a name in all companies, at most one on each side. Offers are not among them. It
// names both sides, because the index of names begins with the side.
func (db *DB) MembersByLogin(ctx context.Context, login string) ([]Member, error) {
	var members []Member
	err := db.list(ctx, &members, "SELECT "+memberColumns+memberTables+
		"WHERE a.side IN ('mgr', 'shop') AND a.login_key = ? AND NOT a.invited ORDER BY a.side, a.id", LoginKey(login))
	return members, err
}

// MemberByID reads one account of a company with what decides its state; ErrNotFound.
func (db *DB) MemberByID(ctx context.Context, companyID, accountID int64) (Member, error) {
	var m Member
	err := db.get(ctx, &m, "SELECT "+memberColumns+memberTables+"WHERE a.id = ? AND a.company_id = ?", accountID, companyID)
	return m, err
}

// MemberOfAccount reads the account a session was proven for, whose company the session does not repeat;
// ErrNotFound.
func (db *DB) MemberOfAccount(ctx context.Context, accountID int64) (Member, error) {
	var m Member
	err := db.get(ctx, &m, "SELECT "+memberColumns+memberTables+"WHERE a.id = ?", accountID)
	return m, err
}

// StandingOfAccount reads of an account only what decides whether it may be entered, and by whom: for the check
// at each call. Everything else of the Member is zero. ErrNotFound.
func (db *DB) StandingOfAccount(ctx context.Context, accountID int64) (Member, error) {
	var m Member
	err := db.get(ctx, &m, `SELECT a.id, a.company_id, a.side, a.type, a.state, a.invited,
		COALESCE(a.phone_id, 0) AS phone_id, COALESCE(k.state, '') AS client_state,
		c.id AS "company.id", c.standing AS "company.standing", c.disabled AS "company.disabled", c.ends_at AS "company.ends_at", c.mall AS "company.mall",
		c.lighting AS "company.lighting", c.chat_doors AS "company.chat_doors"
		FROM accounts a JOIN companies c ON c.id = a.company_id
		LEFT JOIN clients k ON k.id = a.client_id AND k.company_id = a.company_id WHERE a.id = ?`, accountID)
	return m, err
}

func nullable(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
