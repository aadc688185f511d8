package store

import (
	"context"
	"math"
	"strings"
)

// AuditRow is an event with the account that did it, as far as that is one of the company's own and still there.
type AuditRow struct {
	AuditEvent
	Name  string `db:"name"`
	Login string `db:"login"`
	Side  Side   `db:"side"`
}

// AuditLog reads a company's events from before an id (0: from the newest on), newest first; of the given kinds alone, or
// of all where none is given. There is one branch for each kind, because the databases merge branches that an index has
// in order and stop at the limit. With IN they would read all events of a company that has few of those kinds.
func (db *DB) AuditLog(ctx context.Context, companyID, before int64, kinds []string, limit int) ([]AuditRow, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	const all = "SELECT " + auditColumns + " FROM audit_events WHERE company_id = ? AND id < ?"
	query, args := all, []any{companyID, before}
	if len(kinds) > 0 {
		const ofKind = "SELECT " + auditColumns + " FROM audit_events WHERE company_id = ? AND kind = ? AND id < ?"
		query, args = ofKind+strings.Repeat(" UNION ALL "+ofKind, len(kinds)-1), nil
		for _, kind := range kinds {
			args = append(args, companyID, kind, before)
		}
	}
	var rows []AuditRow
	err := db.list(ctx, &rows, `SELECT e.id, e.at, e.kind, e.company_id, e.phone_id, e.account_id, e.address,
			e.request_id, e.detail,
			COALESCE(a.name, '') AS name, COALESCE(a.login, '') AS login, COALESCE(a.side, '') AS side
		FROM (`+query+` ORDER BY id DESC LIMIT ?) AS e
		LEFT JOIN accounts a ON a.id = e.account_id AND a.company_id = ? ORDER BY e.id DESC`,
		append(args, limit, companyID)...)
	return rows, err
}
