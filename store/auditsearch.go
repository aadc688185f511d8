package store

import (
	"cmp"
	"context"
	"math"
	"strconv"
)

// AuditFound is what a search of the log matches: accounts, for the events by them and about them, customers, and
// orders by their ids and numbers.
type AuditFound struct {
	People, Customers []int64
	Orders            []Named
}

const (
	// AuditSearched is how many events of a record one step of a search reads in each way. An account is searched in
	// two ways: the events by it, and the events about it.
	AuditSearched = 1001
	// stepsOfOne is how many steps SearchAudit takes at once if it reads one record, fewer for more records.
	stepsOfOne = 32
)

// union returns a query for the ids of the events of all records, with the same further conditions for each, and how
// many parts it has. There is an index of the records of each part of the log, for which the part must be a literal.
func (f AuditFound) union(companyID int64, tail string, values ...any) (text string, args []any, parts int) {
	add := func(condition string, of ...any) {
		if parts++; text != "" {
			text += " UNION "
		}
		text += "SELECT id FROM (SELECT id FROM audit_events WHERE company_id = ? AND " + condition + tail +
			") AS part"
		args = append(append(append(args, companyID), of...), values...)
	}
	for _, id := range f.People {
		add("account_id = ?", id)
		add("part = 'people' AND detail = ?", strconv.FormatInt(id, 10))
	}
	for _, id := range f.Customers {
		add("part = 'customers' AND detail = ?", strconv.FormatInt(id, 10))
	}
	for _, order := range f.Orders {
		add("part = 'orders' AND detail = ? AND kind <> 'order_placed'", strconv.FormatInt(order.ID, 10))
		add("part = 'orders' AND detail = ? AND kind = 'order_placed'", order.Name)
	}
	return text, args, parts
}

// SearchAudit reads the events of the records that a search found, the newest first. The other conditions of the query
// may match only few of them, so it reads a limited number of steps and may stop before the end of the log. rest is the
// id of the event before which the search continues when there are fewer rows than the limit, 0 if there is nothing
// left.
func (t ReportTable) SearchAudit(ctx context.Context, q AuditQuery) (found []AuditRow, rest int64, err error) {
	limit, rest := q.Limit, cmp.Or(q.Before, math.MaxInt64)
	for step := 0; ; step++ {
		// No record has more than AuditSearched events from the first one of the step to the last.
		text, args, parts := q.Found.union(q.CompanyID, " AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?",
			rest, AuditSearched-1)
		if parts == 0 {
			return nil, 0, nil
		}
		if step > 0 && step*parts >= stepsOfOne {
			return found, rest, nil
		}
		oldest, err := firstOf(rows[int64](ctx, t.db,
			"SELECT COALESCE(MAX(id), 0) AS id FROM ("+text+") AS oldest", args...))
		if err != nil {
			return nil, 0, err
		}
		q.first = oldest
		q.Before = rest
		q.Limit = limit - len(found)
		some, err := t.Audit(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		found, rest = append(found, some...), oldest
		if len(found) == limit || rest == 0 {
			return found, rest, nil
		}
	}
}
