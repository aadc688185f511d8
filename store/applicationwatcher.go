package store

import "context"

// ApplicationWatcher is a reviewer who wants a message when there is a new application to the company. NotifiedAt is
// when the last message was sent. DueAt is when the next one is due, for applications that came since; 0 for none.
type ApplicationWatcher struct {
	AccountID  int64   `db:"account_id"`
	CompanyID  int64   `db:"company_id"`
	Lang       string  `db:"lang"` // of the message
	NotifiedAt Instant `db:"told_at"`
	DueAt      Instant `db:"due_at"`
}

const watcherColumns = "account_id, company_id, lang, told_at, due_at"

// WatcherTable reads and changes who is told about new applications.
type WatcherTable struct{ db *DB }

// Add stores that an account wants messages, or the language of one that does already.
func (t WatcherTable) Add(ctx context.Context, companyID, accountID int64, lang string) error {
	_, err := t.db.exec(ctx, `INSERT INTO application_watchers (account_id, company_id, lang, told_at, due_at)
		VALUES (?, ?, ?, 0, 0) ON CONFLICT (account_id) DO UPDATE SET lang = excluded.lang`, accountID, companyID, lang)
	return err
}

// Remove stores that an account wants no messages.
func (t WatcherTable) Remove(ctx context.Context, companyID, accountID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM application_watchers WHERE account_id = ? AND company_id = ?",
		accountID, companyID)
	return err
}

// Has says whether an account wants messages.
func (t WatcherTable) Has(ctx context.Context, companyID, accountID int64) (bool, error) {
	return row[bool](ctx, t.db, `SELECT EXISTS (SELECT 1 FROM application_watchers
		WHERE account_id = ? AND company_id = ?)`, accountID, companyID)
}

// OfCompany reads the accounts of a company that want messages, at most limit.
func (t WatcherTable) OfCompany(ctx context.Context, companyID int64, limit int) ([]ApplicationWatcher, error) {
	return rows[ApplicationWatcher](ctx, t.db, "SELECT "+watcherColumns+` FROM application_watchers
		WHERE company_id = ? ORDER BY account_id LIMIT ?`, companyID, limit)
}

// Due reads the accounts of all companies whose next message is due, at most limit.
func (t WatcherTable) Due(ctx context.Context, now Instant, limit int) ([]ApplicationWatcher, error) {
	return rows[ApplicationWatcher](ctx, t.db, "SELECT "+watcherColumns+` FROM application_watchers
		WHERE due_at > 0 AND due_at <= ? ORDER BY due_at, account_id LIMIT ?`, now, limit)
}

// SetNotified stores that a message is sent to an account now. ErrNotFound when the last one was sent after the
// instant after.
func (t WatcherTable) SetNotified(ctx context.Context, w ApplicationWatcher, now, after Instant) error {
	return t.db.one(ctx, `UPDATE application_watchers SET told_at = ?, due_at = 0
		WHERE account_id = ? AND company_id = ? AND told_at <= ?`, now, w.AccountID, w.CompanyID, after)
}

// SetDue stores when the next message to an account is due, 0 for no message.
func (t WatcherTable) SetDue(ctx context.Context, w ApplicationWatcher, due Instant) error {
	_, err := t.db.exec(ctx, "UPDATE application_watchers SET due_at = ? WHERE account_id = ? AND company_id = ?",
		due, w.AccountID, w.CompanyID)
	return err
}
