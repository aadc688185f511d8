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

// DraftTable reads and changes drafts of applications.
type DraftTable struct{ db *DB }

// Keep stores a draft. It replaces the applicant's former draft for the same company.
func (t DraftTable) Keep(ctx context.Context, d Draft) error {
	_, err := t.db.exec(ctx, `INSERT INTO application_drafts (company_id, subject, content, updated_at)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, subject) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at`,
		d.CompanyID, d.Subject, d.Content, d.UpdatedAt)
	return err
}

// Of reads an applicant's draft; ErrNotFound.
func (t DraftTable) Of(ctx context.Context, companyID int64, subject string) (Draft, error) {
	return row[Draft](ctx, t.db, "SELECT company_id, subject, content, updated_at FROM application_drafts "+
		"WHERE company_id = ? AND subject = ?", companyID, subject)
}

// Drop removes an applicant's draft, if there is one.
func (t DraftTable) Drop(ctx context.Context, companyID int64, subject string) error {
	_, err := t.db.exec(ctx, "DELETE FROM application_drafts WHERE company_id = ? AND subject = ?", companyID, subject)
	return err
}

// Forget removes drafts of applications untouched since the given instant, at most SweepStep.
func (t DraftTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM application_drafts
		WHERE (company_id, subject) IN (SELECT company_id, subject FROM application_drafts
		WHERE updated_at < ? LIMIT ?)`,
		before, SweepStep)
}
