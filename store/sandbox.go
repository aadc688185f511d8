package store

import "context"

// Sandbox is a company in which one person tries the platform for one industry.
type Sandbox struct {
	PersonID   int64   `db:"phone_id"`
	IndustryID int64   `db:"industry_id"`
	CompanyID  int64   `db:"company_id"`
	CreatedAt  Instant `db:"created_at"`
}

const sandboxColumns = "s.phone_id, s.industry_id, s.company_id, s.created_at"

// SandboxTable reads and changes sandboxes: companies of the demo that end by themselves.
type SandboxTable struct{ db *DB }

// Add stores that a company is a person's sandbox. It returns false when the person has a sandbox of that industry.
func (t SandboxTable) Add(ctx context.Context, s Sandbox) (bool, error) {
	n, err := t.db.exec(ctx,
		"INSERT INTO sandboxes (phone_id, industry_id, company_id, created_at) VALUES (?, ?, ?, ?) "+
			"ON CONFLICT DO NOTHING",
		s.PersonID, s.IndustryID, s.CompanyID, s.CreatedAt)
	return n == 1, err
}

// OfPerson reads a person's sandboxes that have not expired, the newest first.
func (t SandboxTable) OfPerson(ctx context.Context, personID int64, now Instant) ([]Sandbox, error) {
	return rows[Sandbox](ctx, t.db,
		"SELECT "+sandboxColumns+" FROM sandboxes s JOIN companies c ON c.id = s.company_id "+
			"WHERE s.phone_id = ? AND c.ends_at > ? ORDER BY s.created_at DESC, s.company_id DESC", personID, now)
}

// Ended reads sandboxes that have expired, at most limit.
func (t SandboxTable) Ended(ctx context.Context, now Instant, limit int) ([]Sandbox, error) {
	return rows[Sandbox](ctx, t.db,
		"SELECT "+sandboxColumns+" FROM sandboxes s JOIN companies c ON c.id = s.company_id "+
			"WHERE c.sandbox AND c.standing = 'trial' AND c.ends_at <= ? ORDER BY c.ends_at LIMIT ?", now, limit)
}

// Adopt turns a person's sandbox into an ordinary company. ErrNotFound when it is not that person's sandbox any more.
func (t SandboxTable) Adopt(ctx context.Context, personID int64, c Company) error {
	if err := t.db.one(ctx, `UPDATE companies SET sandbox = FALSE, name = ?, ends_at = ?, updated_at = ?
		WHERE id = ? AND sandbox
		AND EXISTS (SELECT 1 FROM sandboxes s WHERE s.company_id = companies.id AND s.phone_id = ?)`,
		c.Name, c.EndsAt, c.UpdatedAt, c.ID, personID); err != nil {
		return err
	}
	return t.Drop(ctx, c.ID)
}

// Empty stores that a sandbox contains no samples any more.
func (t SandboxTable) Empty(ctx context.Context, companyID int64) error {
	_, err := t.db.exec(ctx, "UPDATE companies SET initialised_at = 0 WHERE id = ? AND sandbox", companyID)
	return err
}

// Drop stores that a company is no sandbox any more. The company stays.
func (t SandboxTable) Drop(ctx context.Context, companyID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM sandboxes WHERE company_id = ?", companyID)
	return err
}

// Remove removes an expired sandbox with everything in it. ErrNotFound when it was adopted or extended
// meanwhile. Call it in a transaction.
func (t SandboxTable) Remove(ctx context.Context, companyID int64, now Instant) error {
	if err := t.db.one(ctx, "UPDATE companies SET updated_at = updated_at "+
		"WHERE id = ? AND sandbox AND standing = 'trial' AND ends_at <= ?", companyID, now); err != nil {
		return err
	}
	for _, kind := range []string{"companies", "accounts", "clients"} {
		column := "company_id"
		if kind == "companies" {
			column = "id"
		}
		_, err := t.db.exec(ctx, "INSERT INTO last_ids (kind, id) SELECT '"+kind+"', MAX(id) FROM "+kind+
			" WHERE "+column+` = ? HAVING COUNT(*) > 0 ON CONFLICT (kind)
			DO UPDATE SET id = CASE WHEN excluded.id > last_ids.id THEN excluded.id ELSE last_ids.id END`, companyID)
		if err != nil {
			return err
		}
	}
	if _,
		err := t.db.exec(ctx, "DELETE FROM identities WHERE account_id > 0 AND account_id IN (SELECT id FROM accounts "+
		"WHERE company_id = ?)", companyID); err != nil {
		return err
	}
	// Rows that refer to rows of another table are removed before those.
	for _, table := range []string{"orders", "accounts", "clients", "products", "categories", "page_views"} {
		if _, err := t.db.exec(ctx, "DELETE FROM "+table+" WHERE company_id = ?", companyID); err != nil {
			return err
		}
	}
	const releaseUploads = "UPDATE uploads SET used_at = 0, created_at = 0 WHERE company_id = ?"
	if _, err := t.db.exec(ctx, releaseUploads, companyID); err != nil {
		return err
	}
	const endPortraits = "UPDATE portraits SET used_at = 0, created_at = 0 WHERE company_id = ?"
	if _, err := t.db.exec(ctx, endPortraits, companyID); err != nil {
		return err
	}
	return t.db.one(ctx, "DELETE FROM companies WHERE id = ?", companyID)
}
