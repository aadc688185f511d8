package store

import (
	"context"
	"errors"
)

// PasswordTable changes the password hashes of phones and accounts.
type PasswordTable struct{ db *DB }

// RehashPerson replaces the hash of a person's password by a stronger hash of the same password. It changes
// nothing when the stored hash is not was any more, so that it never brings a replaced password back.
func (t PasswordTable) RehashPerson(ctx context.Context, personID int64, was, hash string) error {
	_, err := t.db.exec(ctx, "UPDATE phones SET password_hash = ? WHERE id = ? AND password_hash = ?", hash, personID,
		was)
	return err
}

// RehashAccount does what RehashPerson does, for an account's own password.
func (t PasswordTable) RehashAccount(ctx context.Context, companyID, accountID int64, was, hash string) error {
	_, err := t.db.exec(ctx, "UPDATE accounts SET password_hash = ? WHERE id = ? AND company_id = ? "+
		"AND password_hash = ?", hash, accountID, companyID, was)
	return err
}

// SetPerson replaces a person's password. ErrNotFound.
func (t PasswordTable) SetPerson(ctx context.Context, personID int64, hash string) error {
	return t.db.one(ctx, "UPDATE phones SET password_hash = ? WHERE id = ?", hash, personID)
}

// SetAccount replaces an account's own password by one that its holder chose, so that it is not a first
// password any more. ErrNotFound.
func (t PasswordTable) SetAccount(ctx context.Context, companyID, accountID int64, hash string) error {
	return t.db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = 0 "+
		"WHERE id = ? AND company_id = ?", hash, accountID, companyID)
}

// LockPerson locks a person's password until the transaction ends. ErrNotFound when its hash is not the given one.
func (t PasswordTable) LockPerson(ctx context.Context, personID int64, hash string) error {
	const query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	return t.db.one(ctx, query, personID, hash)
}

// LockAccount locks an account's own password until the transaction ends. ErrNotFound when its hash is not the
// given one.
func (t PasswordTable) LockAccount(ctx context.Context, companyID, accountID int64, hash string) error {
	const query = `UPDATE accounts SET password_hash = password_hash
		WHERE id = ? AND company_id = ? AND password_hash = ?`
	return t.db.one(ctx, query, accountID, companyID, hash)
}

// Lock does what LockPerson does for a person, or when personID is 0 what LockAccount does for an
// account.
func (t PasswordTable) Lock(ctx context.Context, personID, companyID, accountID int64, hash string) error {
	if personID != 0 {
		return t.LockPerson(ctx, personID, hash)
	}
	return t.LockAccount(ctx, companyID, accountID, hash)
}

// ErrPasswordReplaced says that a stored password is no longer the one that was compared.
var ErrPasswordReplaced = errors.New("store: the password was replaced")

// RequirePerson makes the batch fail with ErrPasswordReplaced when the hash of a person's password is not the
// given one. A transaction that replaces it then waits until this one ends.
func (t PasswordTable) RequirePerson(b *Batch, personID int64, hash string) {
	query := "SELECT 1 FROM phones WHERE id = ? AND password_hash = ? FOR SHARE"
	if !t.db.postgres { // only one transaction writes at a time
		query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, personID, hash)
}

// RequireAccount does what RequirePerson does, for an account's own password.
func (t PasswordTable) RequireAccount(b *Batch, companyID, accountID int64, hash string) {
	query := "SELECT 1 FROM accounts WHERE id = ? AND company_id = ? AND password_hash = ? FOR SHARE"
	if !t.db.postgres {
		query = "UPDATE accounts SET password_hash = password_hash WHERE id = ? AND company_id = ? " +
			"AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, accountID, companyID, hash)
}

// SetFirst gives an account a password that its holder has to replace and that expires at until. ErrNotFound.
func (t PasswordTable) SetFirst(ctx context.Context, companyID, accountID int64, hash string, until Instant) error {
	return t.db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = ? "+
		"WHERE id = ? AND company_id = ?", hash, until, accountID, companyID)
}

// DropFirst removes an account's password if it is a first password, because the holder now signs in otherwise.
func (t PasswordTable) DropFirst(ctx context.Context, companyID, accountID int64) error {
	_, err := t.db.exec(ctx, "UPDATE accounts SET password_hash = '', first_password_until = 0 "+
		"WHERE id = ? AND company_id = ? AND first_password_until > 0", accountID, companyID)
	return err
}
