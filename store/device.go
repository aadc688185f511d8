package store

import "context"

// KnowDevice records that a browser signed in to a subject. It changes nothing when that was recorded after fresh.
func (b *Batch) KnowDevice(device, subject string, now, fresh Instant) {
	b.add(`INSERT INTO known_devices (device, subject, seen_at)
		SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM known_devices WHERE device = ? AND subject = ? AND seen_at > ?)
		ON CONFLICT (device, subject) DO UPDATE SET seen_at = excluded.seen_at`,
		device, subject, now, device, subject, fresh)
}

// DeviceTable reads and changes what is known of devices.
type DeviceTable struct{ db *DB }

// IsKnown says whether a browser signed in to a subject since the given instant.
func (t DeviceTable) IsKnown(ctx context.Context, device, subject string, since Instant) (bool, error) {
	var n int
	err := t.db.get(ctx, &n, "SELECT COUNT(*) FROM known_devices WHERE device = ? AND subject = ? AND seen_at > ?",
		device, subject, since)
	return n > 0, err
}

// Forget removes known devices that were not seen since the given instant, at most SweepStep.
func (t DeviceTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM known_devices
		WHERE (device, subject) IN (SELECT device, subject FROM known_devices WHERE seen_at < ? LIMIT ?)`,
		before, SweepStep)
}

// UseAccount stores the account that a person entered last on a device. It changes nothing when the same account was
// stored after fresh.
func (b *Batch) UseAccount(device string, personID, accountID int64, at, fresh Instant) {
	b.add(`INSERT INTO device_accounts (device, phone_id, account_id, at)
		SELECT CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
		WHERE NOT EXISTS (SELECT 1 FROM device_accounts WHERE device = ? AND phone_id = ? AND account_id = ? AND at > ?)
		ON CONFLICT (device, phone_id) DO UPDATE SET account_id = excluded.account_id, at = excluded.at`,
		device, personID, accountID, at, device, personID, accountID, fresh)
}

// UsedAccount reads the id of the account that a person entered last on a device after since; ErrNotFound.
func (t DeviceTable) UsedAccount(ctx context.Context, device string, personID int64, since Instant) (int64, error) {
	return row[int64](ctx, t.db, "SELECT account_id FROM device_accounts WHERE device = ? AND phone_id = ? AND at > ?",
		device, personID, since)
}

// ForgetUsedAccounts removes the rows of UseAccount from before the given instant, at most SweepStep.
func (t DeviceTable) ForgetUsedAccounts(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM device_accounts
		WHERE (device, phone_id) IN (SELECT device, phone_id FROM device_accounts WHERE at < ? LIMIT ?)`,
		before, SweepStep)
}

// BindPush stores the push id of the device that an API token (sessionID) is on. A device has one owner: the row of
// another token with the same push id is removed.
func (t DeviceTable) BindPush(
	ctx context.Context, sessionID string, accountID int64, jpushID string, now Instant,
) error {
	if _, err := t.db.exec(ctx, "DELETE FROM push_ids WHERE jpush_id = ? AND session_id <> ?",
		jpushID, sessionID); err != nil {
		return err
	}
	_, err := t.db.exec(ctx, `INSERT INTO push_ids (session_id, account_id, jpush_id, bound_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (session_id) DO UPDATE
		SET account_id = excluded.account_id, jpush_id = excluded.jpush_id, bound_at = excluded.bound_at`,
		sessionID, accountID, jpushID, now)
	return err
}

// PushIDs reads the push ids of an account's devices.
func (t DeviceTable) PushIDs(ctx context.Context, accountID int64) ([]string, error) {
	return rows[string](ctx, t.db, "SELECT jpush_id FROM push_ids WHERE account_id = ? ORDER BY jpush_id", accountID)
}
