package store

import "context"

// KeptForm is a form that was refused because its session had ended or because another person was signed in. On a
// landing site it belongs to an account of a company. On the account site it belongs to a person (PersonID, or
// AccountID for an account without a phone), and CompanyID is 0. Content is the fields, sealed. Path is the form's
// page.
type KeptForm struct {
	ID        string  `db:"id"`
	CompanyID int64   `db:"company_id"`
	PersonID  int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	Path      string  `db:"path"`
	Content   string  `db:"content"`
	At        Instant `db:"at"`
}

const keptFormColumns = "id, company_id, phone_id, account_id, path, content, at"

// KeptFormTable reads and changes forms that were kept for a later request.
type KeptFormTable struct{ db *DB }

// Keep stores a form, or replaces the one with the same id. Only the newest forms of an owner stay, at most `most`.
func (t KeptFormTable) Keep(ctx context.Context, f KeptForm, most int) error {
	_, err := t.db.exec(ctx, "INSERT INTO kept_forms ("+keptFormColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET content = excluded.content, at = excluded.at`,
		f.ID, f.CompanyID, f.PersonID, f.AccountID, f.Path, f.Content, f.At)
	if err != nil {
		return err
	}
	_, err = t.db.exec(ctx, `DELETE FROM kept_forms WHERE account_id = ? AND phone_id = ? AND id NOT IN (
		SELECT id FROM kept_forms WHERE account_id = ? AND phone_id = ? ORDER BY at DESC, id LIMIT ?)`,
		f.AccountID, f.PersonID, f.AccountID, f.PersonID, most)
	return err
}

// ByID reads a form that was kept after since; ErrNotFound.
func (t KeptFormTable) ByID(ctx context.Context, id string, since Instant) (KeptForm, error) {
	return row[KeptForm](ctx, t.db, "SELECT "+keptFormColumns+" FROM kept_forms WHERE id = ? AND at > ?", id, since)
}

// Drop removes the forms that are kept for an account.
func (t KeptFormTable) Drop(ctx context.Context, accountID int64) error {
	_, err := t.db.exec(ctx, "DELETE FROM kept_forms WHERE account_id = ?", accountID)
	return err
}

// Forget removes forms that were kept before the given instant, at most SweepStep.
func (t KeptFormTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM kept_forms
		WHERE id IN (SELECT id FROM kept_forms WHERE at < ? LIMIT ?)`, before, SweepStep)
}
