package store

import "context"

// AuditEvent is an entry of the audit log. Detail never contains a secret, a phone number or a code.
type AuditEvent struct {
	ID        int64   `db:"id"`
	At        Instant `db:"at"`
	Kind      string  `db:"kind"`
	Part      string  `db:"part"` // the part of the log that shows it: access.AuditGroup
	CompanyID int64   `db:"company_id"`
	PersonID  int64   `db:"phone_id"`
	AccountID int64   `db:"account_id"`
	Address   string  `db:"address"`
	RequestID string  `db:"request_id"`
	Detail    string  `db:"detail"`
}

// AuditTable reads and adds audit events.
type AuditTable struct{ db *DB }

// Add appends an event.
func (t AuditTable) Add(ctx context.Context, e AuditEvent) error {
	b := new(Batch)
	b.AddAuditEvent(e)
	return t.db.Run(ctx, b)
}

// AddAuditEvent appends an event.
func (b *Batch) AddAuditEvent(e AuditEvent) {
	b.add(`INSERT INTO audit_events (at, kind, part, company_id, phone_id, account_id, address, request_id, detail)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.At, e.Kind, e.Part, e.CompanyID, e.PersonID, e.AccountID, e.Address, e.RequestID, e.Detail)
}

// Events reads a company's events, newest first.
func (t AuditTable) Events(ctx context.Context, companyID int64, limit int) ([]AuditEvent, error) {
	return rows[AuditEvent](ctx, t.db, `SELECT
			id, at, kind, part, company_id, phone_id, account_id, address, request_id, detail
		FROM audit_events WHERE company_id = ? ORDER BY id DESC LIMIT ?`, companyID, limit)
}

// Forget removes events from before the given instant, at most SweepStep. Ids grow with the time, so it only
// looks at the smallest ids and needs no index by time.
func (t AuditTable) Forget(ctx context.Context, before Instant) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM audit_events WHERE id IN (
		SELECT id FROM (SELECT id, at FROM audit_events ORDER BY id LIMIT ?) AS oldest WHERE at < ?)`,
		SweepStep, before)
}

// AuditRow is an event with the account that caused it. Name, Login and Side are empty when the company has no such
// account.
type AuditRow struct {
	AuditEvent
	Name  string `db:"name"`
	Login string `db:"login"`
	Side  Side   `db:"side"`
}
