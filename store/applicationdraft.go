package store

import "context"

// Draft is an application that was begun and not sent. Content is what was typed, as JSON. Subject is the keyed hash of
// the proven phone.
type Draft struct {
	CompanyID int64   `db:"company_id"`
	Subject   string  `db:"subject"`
	Content   string  `db:"content"`
	UpdatedAt Instant `db:"updated_at"`
}

// KeepDraft stores a draft. It replaces the applicant's former draft for the same company.
func (db *DB) KeepDraft(ctx context.Context, d Draft) error {
	_, err := db.exec(ctx, `INSERT INTO application_drafts (company_id, subject, content, updated_at)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, subject) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at`,
		d.CompanyID, d.Subject, d.Content, d.UpdatedAt)
	return err
}

// DraftOf reads an applicant's draft; ErrNotFound.
func (db *DB) DraftOf(ctx context.Context, companyID int64, subject string) (Draft, error) {
	return row[Draft](ctx, db, "SELECT company_id, subject, content, updated_at FROM application_drafts "+
		"WHERE company_id = ? AND subject = ?", companyID, subject)
}

// DropDraft removes an applicant's draft, if there is one.
func (db *DB) DropDraft(ctx context.Context, companyID int64, subject string) error {
	_, err := db.exec(ctx, "DELETE FROM application_drafts WHERE company_id = ? AND subject = ?", companyID, subject)
	return err
}

// ForgetDrafts removes drafts of applications untouched since the given instant, at most SweepStep.
func (db *DB) ForgetDrafts(ctx context.Context, before Instant) (int64, error) {
	return db.exec(ctx, `DELETE FROM application_drafts
		WHERE (company_id, subject) IN (SELECT company_id, subject FROM application_drafts
		WHERE updated_at < ? LIMIT ?)`,
		before, SweepStep)
}
