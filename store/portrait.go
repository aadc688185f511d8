package store

import "context"

// Portrait is a picture of an account's holder. ID is the random name of its file, Content the SHA-256 of the uploaded
// file.
//
//	uploaded (UsedAt 0) ──Use──▶ shown ──End──▶ ended (UsedAt, CreatedAt 0)
//	ended ──Drop──▶ no row
//	uploaded ──EndUnused──▶ ended
type Portrait struct {
	ID        string  `db:"id"`
	CompanyID int64   `db:"company_id"`
	AccountID int64   `db:"account_id"`
	Content   string  `db:"content"`
	CreatedAt Instant `db:"created_at"`
	UsedAt    Instant `db:"used_at"`
}

const portraitColumns = "id, company_id, account_id, content, created_at, used_at"

// PortraitTable reads and changes portraits of accounts.
type PortraitTable struct{ db *DB }

// Add inserts a portrait that no account shows yet.
func (t PortraitTable) Add(ctx context.Context, p Portrait) error {
	_, err := t.db.exec(ctx, `INSERT INTO portraits (id, company_id, account_id, content, created_at)
		VALUES (?, ?, ?, ?, ?)`, p.ID, p.CompanyID, p.AccountID, p.Content, p.CreatedAt)
	return err
}

// ByID reads a portrait of any company, because nobody can guess the id; ErrNotFound.
func (t PortraitTable) ByID(ctx context.Context, id string) (Portrait, error) {
	return row[Portrait](ctx, t.db, "SELECT "+portraitColumns+" FROM portraits WHERE id = ?", id)
}

// Use stores that an account shows a portrait. ErrNotFound when the portrait has ended meanwhile.
func (t PortraitTable) Use(ctx context.Context, companyID int64, id string, now Instant) error {
	return t.db.one(ctx, `UPDATE portraits SET used_at = ?
		WHERE id = ? AND company_id = ? AND used_at = 0 AND created_at > 0`, now, id, companyID)
}

// End stores that no account shows a portrait any more. No account can show it again.
func (t PortraitTable) End(ctx context.Context, companyID int64, id string) error {
	const query = "UPDATE portraits SET used_at = 0, created_at = 0 WHERE id = ? AND company_id = ?"
	_, err := t.db.exec(ctx, query, id, companyID)
	return err
}

// EndUnused ends a portrait that no account shows. ErrNotFound when one has begun to show it.
func (t PortraitTable) EndUnused(ctx context.Context, companyID int64, id string) error {
	const query = "UPDATE portraits SET created_at = 0 WHERE id = ? AND company_id = ? AND used_at = 0"
	return t.db.one(ctx, query, id, companyID)
}

// Ended reads portraits that were created before an instant and that no account shows, also those of removed
// companies (Sandboxes.Remove). They come in the order of creation, after the portrait after; Portrait{CreatedAt: -1}
// reads from the beginning.
func (t PortraitTable) Ended(ctx context.Context, before Instant, after Portrait, limit int) ([]Portrait, error) {
	return rows[Portrait](ctx, t.db, "SELECT "+portraitColumns+` FROM portraits
		WHERE used_at = 0 AND created_at < ? AND (created_at, id) > (?, ?)
		ORDER BY created_at, id LIMIT ?`, before, after.CreatedAt, after.ID, limit)
}

// Drop removes the row of a portrait that has ended. Its file must have been removed before.
func (t PortraitTable) Drop(ctx context.Context, companyID int64, id string) error {
	_, err := t.db.exec(ctx, "DELETE FROM portraits WHERE id = ? AND company_id = ? AND used_at = 0", id, companyID)
	return err
}

// SetOfAccount stores the URL of an account's portrait, "" for none. ErrNotFound.
func (t PortraitTable) SetOfAccount(ctx context.Context, companyID, accountID int64, address string) error {
	const query = "UPDATE accounts SET head_img = ? WHERE id = ? AND company_id = ?"
	return t.db.one(ctx, query, address, accountID, companyID)
}
