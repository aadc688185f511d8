package store

import (
	"context"
	"strings"

	"portico/store/searchkey"
)

// Side is the half of the platform an account belongs to.
type Side string

// The two sides: the ordering mall and the management back office.
const (
	Shop Side = "shop"
	Mgr  Side = "mgr"
)

// The values of Account.Type. The API answers them as type_.
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

// Account is one login on one side of one company. PersonID is 0 when no phone is bound to it, ClientID when it belongs
// to no customer.
type Account struct {
	ID           int64        `db:"id"`
	CompanyID    int64        `db:"company_id"`
	Side         Side         `db:"side"`
	Type         int          `db:"type"` // TypeAdministrator, TypeEmployee or TypeShop
	Login        string       `db:"login"`
	Name         string       `db:"name"`
	PersonID     int64        `db:"phone_id"`
	ClientID     int64        `db:"client_id"`
	PasswordHash string       `db:"password_hash"`
	State        AccountState `db:"state"`
	DutyName     string       `db:"duty_name"`
	DeptName     string       `db:"dept_name"`
	HeadImg      string       `db:"head_img"`
	BindReminder bool         `db:"bind_reminder"` // offer to bind a phone after signing in
	Invited      bool         `db:"invited"`       // the phone's holder has not accepted it, see Offer
	CreatedAt    Instant      `db:"created_at"`

	OpenedBy   int64  `db:"-"` // the account that opened it, 0: none; no method reads it back, see OpenedSince
	OpenedForm string `db:"-"` // keyed hash of the id of the form that opened it, "": none; see ByForm

	// FirstPasswordUntil is when the password that an administrator set expires; 0: the password is the holder's own.
	FirstPasswordUntil Instant `db:"first_password_until"`
	InvitedAt          Instant `db:"invited_at"`  // when the inviting link was made, 0: no link
	DeclinedAt         Instant `db:"declined_at"` // when the phone's holder declined it, 0: never
}

// LoginKey returns the spelling of an account name by which it is unique on its side, looked up and counted: lower
// case, without surrounding space.
func LoginKey(login string) string { return strings.ToLower(strings.TrimSpace(login)) }

// AccountTable reads and changes accounts, and reads them as Members together with their companies and phones.
type AccountTable struct{ db *DB }

// SetBindReminder stores whether an account's holder is asked to bind a phone. It returns whether that changed.
func (t AccountTable) SetBindReminder(ctx context.Context, companyID, accountID int64, on bool) (bool, error) {
	n, err := t.db.exec(ctx,
		"UPDATE accounts SET bind_reminder = ? WHERE id = ? AND company_id = ? AND bind_reminder <> ?",
		on, accountID, companyID, on)
	return n > 0, err
}

// lookOf returns an SQL expression that is equal for keys of names that look alike: it takes 1, l and I for one letter,
// 0 and O, and rn and m. The index accounts_by_look has the same expression.
func lookOf(key string) string {
	return "replace(replace(replace(replace(" + key + ", 'rn', 'm'), '0', 'o'), '1', 'l'), 'i', 'l')"
}

// Add inserts an account and returns its id, or 0 when its side has an account with that login or one that looks
// like it. When a.ID is 0, the database chooses the id. InvitedAt of an invited account is its CreatedAt.
func (t AccountTable) Add(ctx context.Context, a Account) (int64, error) {
	_, err := row[int64](ctx, t.db, "SELECT id FROM accounts WHERE side = ? AND "+lookOf("login_key")+" = "+lookOf("?")+
		" LIMIT 1", a.Side, LoginKey(a.Login))
	if err != ErrNotFound {
		return 0, err
	}
	var invitedAt Instant
	if a.Invited {
		invitedAt = a.CreatedAt
	}
	mark := t.db.freshID("accounts")
	args := []any{a.CompanyID, a.Side, a.Type, a.Login, LoginKey(a.Login), a.Name, nullable(a.PersonID),
		nullable(a.ClientID), a.PasswordHash, a.State, a.DutyName, a.DeptName, a.HeadImg, a.Invited, invitedAt,
		a.CreatedAt, a.OpenedBy, a.OpenedForm, searchkey.Of(a.Name), a.Name}
	if a.ID != 0 {
		mark = "?"
		args = append(args, a.ID)
	}
	var id int64
	err = t.db.change(ctx, &id, `INSERT INTO accounts (company_id, side, type, login, login_key, name, phone_id,
			client_id, password_hash, state, duty_name, dept_name, head_img, invited, invited_at, created_at,
			opened_by, opened_form, search, search_of, id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `+mark+`)
		ON CONFLICT DO NOTHING RETURNING id`, args...)
	if err == ErrNotFound {
		return 0, nil
	}
	return id, err
}

// SetState enables, disables or approves an account of a company; ErrNotFound.
func (t AccountTable) SetState(ctx context.Context, companyID, accountID int64, state AccountState) error {
	return t.db.one(ctx, "UPDATE accounts SET state = ? WHERE id = ? AND company_id = ?", state, accountID, companyID)
}

// SetUp stores that the holder of a phone accepted an offered account, and the holder's name. ErrNotFound when
// it was accepted before, or is not offered to that person.
func (t AccountTable) SetUp(ctx context.Context, companyID, accountID, personID int64, name string) error {
	return t.db.one(ctx, `UPDATE accounts SET name = ?, search = ?, search_of = ?, invited = FALSE
		WHERE id = ? AND company_id = ? AND phone_id = ? AND invited`,
		name, searchkey.Of(name), name, accountID, companyID, personID)
}

// Rename writes the name of an account's holder; ErrNotFound.
func (t AccountTable) Rename(ctx context.Context, companyID, accountID int64, name string) error {
	return t.db.one(ctx, "UPDATE accounts SET name = ?, search = ?, search_of = ? WHERE id = ? AND company_id = ?",
		name, searchkey.Of(name), name, accountID, companyID)
}

// Edit writes the name, job title, department and customer of an account; ErrNotFound.
func (t AccountTable) Edit(ctx context.Context, a Account) error {
	return t.db.one(ctx, "UPDATE accounts SET name = ?, search = ?, search_of = ?, duty_name = ?, "+
		"dept_name = ?, client_id = ? WHERE id = ? AND company_id = ?",
		a.Name, searchkey.Of(a.Name), a.Name, a.DutyName, a.DeptName, nullable(a.ClientID), a.ID, a.CompanyID)
}

// SetType makes an account of the back office an administrator's or an employee's. ErrNotFound.
func (t AccountTable) SetType(ctx context.Context, companyID, accountID int64, kind int) error {
	return t.db.one(ctx, "UPDATE accounts SET type = ? WHERE id = ? AND company_id = ? AND side = 'mgr'",
		kind, accountID, companyID)
}

// Invite stores when the inviting link of an account was made. ErrNotFound when its holder has accepted the
// account already.
func (t AccountTable) Invite(ctx context.Context, companyID, accountID int64, at Instant) error {
	return t.db.one(ctx, "UPDATE accounts SET invited_at = ? WHERE id = ? AND company_id = ? AND invited",
		at, accountID, companyID)
}
