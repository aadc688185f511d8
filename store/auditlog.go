package store

import (
	"context"
	"math"
)

// AuditRow is an event with the account that did it, as far as that is one of the company's own and still there.
type AuditRow struct {
	AuditEvent
	Name  string `db:"name"`
	Login string `db:"login"`
	Side  Side   `db:"side"`
}

// AuditLog reads a company's events from before an id (0: from the newest on), newest first; of one part of
// the log, or of all for "".
func (db *DB) AuditLog(ctx context.Context, companyID, before int64, part string, limit int) ([]AuditRow, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	where, args := "", []any{companyID, companyID, before}
	if part != "" {
		where, args = " AND e.part = ?", append(args, part)
	}
	var rows []AuditRow
	err := db.list(ctx, &rows, `SELECT e.id, e.at, e.kind, e.company_id, e.phone_id, e.account_id, e.address,
			e.request_id, e.detail,
			COALESCE(a.name, '') AS name, COALESCE(a.login, '') AS login, COALESCE(a.side, '') AS side
		FROM audit_events e LEFT JOIN accounts a ON a.id = e.account_id AND a.company_id = ?
		WHERE e.company_id = ? AND e.id < ?`+where+` ORDER BY e.id DESC LIMIT ?`, append(args, limit)...)
	return rows, err
}
