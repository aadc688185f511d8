package store

import (
	"context"
	"errors"
)

// SetPhonePasswordHash replaces the hash of a person's password by a stronger hash of the same password. It changes
// nothing when the stored hash is not was any more, so that it never brings a replaced password back.
func (db *DB) SetPhonePasswordHash(ctx context.Context, phoneID int64, was, hash string) error {
	_, err := db.exec(ctx, "UPDATE phones SET password_hash = ? WHERE id = ? AND password_hash = ?", hash, phoneID, was)
	return err
}

// SetAccountPasswordHash does what SetPhonePasswordHash does, for an account's own password.
func (db *DB) SetAccountPasswordHash(ctx context.Context, companyID, accountID int64, was, hash string) error {
	_, err := db.exec(ctx, "UPDATE accounts SET password_hash = ? WHERE id = ? AND company_id = ? "+
		"AND password_hash = ?", hash, accountID, companyID, was)
	return err
}

// SetPhonePassword replaces a person's password. ErrNotFound.
func (db *DB) SetPhonePassword(ctx context.Context, phoneID int64, hash string) error {
	return db.one(ctx, "UPDATE phones SET password_hash = ? WHERE id = ?", hash, phoneID)
}

// SetAccountPassword replaces an account's own password by one that its holder chose, so that it is not a first
// password any more. ErrNotFound.
func (db *DB) SetAccountPassword(ctx context.Context, companyID, accountID int64, hash string) error {
	return db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = 0 "+
		"WHERE id = ? AND company_id = ?", hash, accountID, companyID)
}

// LockPhonePassword locks a phone's password until the transaction ends. ErrNotFound when its hash is not the given
// one.
func (db *DB) LockPhonePassword(ctx context.Context, phoneID int64, hash string) error {
	const query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	return db.one(ctx, query, phoneID, hash)
}

// LockAccountPassword locks an account's own password until the transaction ends. ErrNotFound when its hash is not the
// given one.
func (db *DB) LockAccountPassword(ctx context.Context, companyID, accountID int64, hash string) error {
	const query = `UPDATE accounts SET password_hash = password_hash
		WHERE id = ? AND company_id = ? AND password_hash = ?`
	return db.one(ctx, query, accountID, companyID, hash)
}

// LockPassword does what LockPhonePassword does for a person, or when phoneID is 0 what LockAccountPassword does for an
// account.
func (db *DB) LockPassword(ctx context.Context, phoneID, companyID, accountID int64, hash string) error {
	if phoneID != 0 {
		return db.LockPhonePassword(ctx, phoneID, hash)
	}
	return db.LockAccountPassword(ctx, companyID, accountID, hash)
}

// ErrPasswordReplaced says that a stored password is no longer the one that was compared.
var ErrPasswordReplaced = errors.New("store: the password was replaced")

// RequirePhonePassword makes the batch fail with ErrPasswordReplaced when the hash of a phone's password is not the
// given one. A transaction that replaces it then waits until this one ends.
func (db *DB) RequirePhonePassword(b *Batch, phoneID int64, hash string) {
	query := "SELECT 1 FROM phones WHERE id = ? AND password_hash = ? FOR SHARE"
	if !db.postgres { // only one transaction writes at a time
		query = "UPDATE phones SET password_hash = password_hash WHERE id = ? AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, phoneID, hash)
}

// RequireAccountPassword does what RequirePhonePassword does, for an account's own password.
func (db *DB) RequireAccountPassword(b *Batch, companyID, accountID int64, hash string) {
	query := "SELECT 1 FROM accounts WHERE id = ? AND company_id = ? AND password_hash = ? FOR SHARE"
	if !db.postgres {
		query = "UPDATE accounts SET password_hash = password_hash WHERE id = ? AND company_id = ? " +
			"AND password_hash = ?"
	}
	b.mustChange(ErrPasswordReplaced, query, accountID, companyID, hash)
}

// SetFirstPassword gives an account a password that its holder has to replace and that expires at until. ErrNotFound.
func (db *DB) SetFirstPassword(ctx context.Context, companyID, accountID int64, hash string, until Instant) error {
	return db.one(ctx, "UPDATE accounts SET password_hash = ?, first_password_until = ? "+
		"WHERE id = ? AND company_id = ?", hash, until, accountID, companyID)
}

// DropFirstPassword removes an account's password if it is a first password, because the holder now signs in otherwise.
func (db *DB) DropFirstPassword(ctx context.Context, companyID, accountID int64) error {
	_, err := db.exec(ctx, "UPDATE accounts SET password_hash = '', first_password_until = 0 "+
		"WHERE id = ? AND company_id = ? AND first_password_until > 0", accountID, companyID)
	return err
}
