package store

import (
	"context"
	"math"
	"strings"
)

// AuditQuery is what to read of a company's log. The zero value of a field leaves it out.
type AuditQuery struct {
	CompanyID   int64
	Part        string      // a part of the log
	AccountID   int64       // who did it
	About       AuditAbout  // what it is about
	Found       *AuditFound // what a search found, for SearchAudit; nil for no search
	From, Until Instant     // events from From and before Until
	Before      int64       // the id of an event: those older than it
	Limit       int

	first int64 // the id of the oldest event of a step of SearchAudit
}

// AuditAbout is a record that events are about: those of Kinds with the detail, and those of the kind Placed, of which
// an order is named by its number. The part has an index by the detail. The zero value is no record.
type AuditAbout struct {
	Part, Detail     string
	Kinds            []string
	Placed, OfNumber string
}

// Audit reads a company's events, the newest first.
func (t ReportTable) Audit(ctx context.Context, q AuditQuery) ([]AuditRow, error) {
	columns := historyColumns
	where := "WHERE e.company_id = ?"
	args := []any{q.CompanyID, q.CompanyID}
	and := func(condition string, values ...any) {
		where, args = where+" AND "+condition, append(args, values...)
	}
	if q.Part != "" {
		and("e.part = ?", q.Part)
	}
	plus := ""
	if q.Found != nil {
		// CROSS JOIN makes SQLite start from the events that the search found.
		found, values, _ := q.Found.union(q.CompanyID, " AND id >= ? AND id < ?", q.first, q.Before)
		columns = strings.Replace(columns, "FROM audit_events e", "FROM ("+found+") f CROSS JOIN audit_events e", 1)
		where += " AND e.id = f.id"
		args = append(values, args...)
		plus = "+"
	}
	if q.About.Part != "" {
		// SQLite does not use an index for a column with a plus: the events of one record are few, and are found by the
		// index of their part, for which the part must be a literal.
		plus = "+"
		and("e.part = '" + q.About.Part + "'")
		about, values := "e.detail = ? AND e.kind IN (?"+strings.Repeat(", ?", len(q.About.Kinds)-1)+")",
			[]any{q.About.Detail}
		for _, kind := range q.About.Kinds {
			values = append(values, kind)
		}
		if q.About.Placed != "" {
			and("e.detail IN (?, ?)", q.About.Detail, q.About.OfNumber)
			about, values = "("+about+" OR e.detail = ? AND e.kind = ?)",
				append(values, q.About.OfNumber, q.About.Placed)
		}
		and(about, values...)
	}
	if q.AccountID != 0 {
		and(plus+"e.account_id = ?", q.AccountID)
	}
	order, byTime := plus+"e.id DESC", q.From != 0 || q.Until != 0
	if byTime {
		until := q.Until
		if until == 0 {
			until = math.MaxInt64
		}
		and(plus+"e.at >= ? AND "+plus+"e.at < ?", q.From, until)
	}
	if !byTime || q.Found != nil {
		before := q.Before
		if before == 0 {
			before = math.MaxInt64
		}
		and(plus+"e.id < ?", before)
	} else { // idList the order of the index by time
		order = plus + "e.at DESC, e.id DESC"
		if q.Before != 0 {
			and("(e.at, e.id) < (SELECT b.at, b.id FROM audit_events b WHERE b.id = ? AND b.company_id = ?)",
				q.Before, q.CompanyID)
		}
	}
	return rows[AuditRow](ctx, t.db, columns+where+" ORDER BY "+order+" LIMIT ?", append(args, q.Limit)...)
}

// HistoryOfPerson reads a company's events about an account, the newest first.
func (t ReportTable) HistoryOfPerson(ctx context.Context, companyID int64, detail string) ([]AuditRow, error) {
	return rows[AuditRow](ctx, t.db, historyColumns+`WHERE e.company_id = ? AND e.part = 'people'
		AND e.detail = ? ORDER BY e.id DESC LIMIT ?`, companyID, companyID, detail, HistoryShown)
}

// StaffNames reads the first people of a company's staff by name, with their logins where they have none.
func (t ReportTable) StaffNames(ctx context.Context, companyID int64, limit int) ([]Named, error) {
	return rows[Named](ctx, t.db, `SELECT id, COALESCE(NULLIF(name, ''), login) AS name
		FROM accounts WHERE company_id = ? AND side = 'mgr' ORDER BY search, id LIMIT ?`, companyID, limit)
}

// LastSignIn returns when somebody last signed in to a company's account, or entered it after signing in elsewhere; 0
// when the log has neither.
func (t ReportTable) LastSignIn(ctx context.Context, companyID, accountID int64) (Instant, error) {
	return firstOf(rows[Instant](ctx, t.db, `SELECT at FROM audit_events
		WHERE company_id = ? AND account_id = ? AND kind IN ('sign_in', 'auth_code_used') ORDER BY id DESC LIMIT 1`,
		companyID, accountID))
}
