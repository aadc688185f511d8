package store

import "context"

// BindPush notes where the device of a token takes its push messages. A device has one owner: the same
// id bound by another token moves here.
func (db *DB) BindPush(ctx context.Context, sessionID string, accountID int64, jpushID string, now Instant) error {
	if _, err := db.exec(ctx, "DELETE FROM push_ids WHERE jpush_id = ? AND session_id <> ?", jpushID, sessionID); err != nil {
		return err
	}
	_, err := db.exec(ctx, `INSERT INTO push_ids (session_id, account_id, jpush_id, bound_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (session_id) DO UPDATE SET account_id = excluded.account_id, jpush_id = excluded.jpush_id, bound_at = excluded.bound_at`,
		sessionID, accountID, jpushID, now)
	return err
}

// PushIDs reads the devices of an account.
func (db *DB) PushIDs(ctx context.Context, accountID int64) ([]string, error) {
	var ids []string
	err := db.list(ctx, &ids, "SELECT jpush_id FROM push_ids WHERE account_id = ? ORDER BY jpush_id", accountID)
	return ids, err
}
