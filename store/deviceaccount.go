package store

import "context"

// UseAccount stores the account that a person entered last on a device. It changes nothing when the same account was
// stored after fresh.
func (b *Batch) UseAccount(device string, phoneID, accountID int64, at, fresh Instant) {
	b.add(`INSERT INTO device_accounts (device, phone_id, account_id, at)
		SELECT CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM device_accounts WHERE device = ? AND phone_id = ? AND account_id = ? AND at > ?)
		ON CONFLICT (device, phone_id) DO UPDATE SET account_id = excluded.account_id, at = excluded.at`,
		device, phoneID, accountID, at, device, phoneID, accountID, fresh)
}

// UsedAccount reads the id of the account that a person entered last on a device after since; ErrNotFound.
func (db *DB) UsedAccount(ctx context.Context, device string, phoneID int64, since Instant) (int64, error) {
	var id int64
	err := db.get(ctx, &id, "SELECT account_id FROM device_accounts WHERE device = ? AND phone_id = ? AND at > ?",
		device, phoneID, since)
	return id, err
}

// ForgetUsedAccounts removes what devices entered last, of before the given instant, at most SweepStep.
func (db *DB) ForgetUsedAccounts(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM device_accounts
		WHERE (device, phone_id) IN (SELECT device, phone_id FROM device_accounts WHERE at < ? LIMIT ?)`,
		before, SweepStep)
}
