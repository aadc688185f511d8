package store

import (
	"context"
	"strings"
)

// dayLength is the length of a day in milliseconds.
const dayLength = 24 * 60 * 60 * 1000

// ReportTable reads what is computed from many rows of a company: sums by day and week, and the history of a record.
// Each method finds its rows by an index and reads a bounded part of them.
type ReportTable struct{ db *DB }

// OrderSum is what was ordered on a day. IsEarly says whether it counts the orders up to the time of day that was asked
// for, or the later ones. Total is in cents.
type OrderSum struct {
	Day     Day   `db:"day"`
	IsEarly bool  `db:"early"`
	Orders  int   `db:"orders"`
	Total   int64 `db:"total"`
}

// OrdersByDay sums a company's orders since an instant, by day and by whether they were placed later in the day than
// now. offset is how many milliseconds the company's clocks are ahead of UTC. Days without orders are left out.
func (t ReportTable) OrdersByDay(
	ctx context.Context, companyID int64, since, now Instant, offset int64,
) ([]OrderSum, error) {
	timeOfDay := (int64(now) + offset) % dayLength
	return rows[OrderSum](ctx, t.db, `SELECT day, early, COUNT(*) AS orders, CAST(SUM(total) AS BIGINT) AS total
		FROM (SELECT (placed_at + ?) / 86400000 AS day, (placed_at + ?) % 86400000 <= ? AS early, total
			FROM orders WHERE company_id = ? AND placed_at >= ?) AS placed
		GROUP BY day, early ORDER BY day, early`, offset, offset, timeOfDay, companyID, since)
}

// ClientSum is how many orders a customer has placed, and their total in cents.
type ClientSum struct {
	Count int64 `db:"orders"`
	Total int64 `db:"total"`
}

// OrdersSummed is how many of a customer's orders OrdersOfClient sums.
const OrdersSummed = 10_000

// IsPart reports whether there can be older orders that were not summed.
func (s ClientSum) IsPart() bool { return s.Count >= OrdersSummed }

// OrdersOfClient sums the newest orders of a company's customer, at most OrdersSummed.
func (t ReportTable) OrdersOfClient(ctx context.Context, companyID, clientID int64) (ClientSum, error) {
	sums, err := rows[ClientSum](ctx, t.db, `SELECT COUNT(*) AS orders, CAST(COALESCE(SUM(total), 0) AS BIGINT) AS total
		FROM (SELECT total FROM orders WHERE company_id = ? AND client_id = ? ORDER BY number DESC LIMIT ?) AS newest`,
		companyID, clientID, OrdersSummed)
	if err != nil {
		return ClientSum{}, err
	}
	return sums[0], nil
}

// WeekSum is what was applied for in a week, counted from the one that was asked for. Waited is the sum of the times
// between sending and decision, in milliseconds.
type WeekSum struct {
	Week         int   `db:"week"`
	Applications int   `db:"applications"`
	Decided      int   `db:"decided"`
	Waited       int64 `db:"waited"`
}

// ApplicationsByWeek sums the applications that were sent to a company since an instant, by weeks that begin with it.
// It reads the newest ones, at most limit. Weeks without applications are left out.
func (t ReportTable) ApplicationsByWeek(
	ctx context.Context, companyID int64, since Instant, limit int,
) ([]WeekSum, error) {
	return rows[WeekSum](ctx, t.db, `SELECT week, COUNT(*) AS applications,
			CAST(SUM(CASE WHEN decided_at > 0 THEN 1 ELSE 0 END) AS BIGINT) AS decided,
			CAST(SUM(CASE WHEN decided_at > 0 THEN decided_at - created_at ELSE 0 END) AS BIGINT) AS waited
		FROM (SELECT (created_at - ?) / 604800000 AS week, created_at, decided_at FROM applications
			WHERE company_id = ? AND created_at >= ? ORDER BY created_at DESC LIMIT ?) AS newest
		GROUP BY week ORDER BY week`, since, companyID, since, limit)
}

// CountOffered counts the accounts that a company has offered and nobody has accepted yet, up to most.
func (t ReportTable) CountOffered(ctx context.Context, companyID int64, most int) (int, error) {
	return firstOf(rows[int](ctx, t.db, `SELECT COUNT(*) FROM (SELECT 1 FROM accounts
		WHERE company_id = ? AND invited = TRUE LIMIT ?) AS counted`, companyID, most))
}

// OldestOrder returns the id of the new order that has waited longest and is no sample, 0 for none.
func (t ReportTable) OldestOrder(ctx context.Context, companyID int64) (int64, error) {
	return firstOf(rows[int64](ctx, t.db, `SELECT id FROM orders
		WHERE company_id = ? AND state = 'new' AND sample = '' ORDER BY number LIMIT 1`, companyID))
}

// OldestApplication returns the id of the pending application that has waited longest, 0 for none.
func (t ReportTable) OldestApplication(ctx context.Context, companyID int64) (int64, error) {
	return firstOf(rows[int64](ctx, t.db, `SELECT id FROM applications
		WHERE company_id = ? AND state = 'pending' ORDER BY created_at, id LIMIT 1`, companyID))
}

// firstOf returns the first of some rows, the zero value when there are none.
func firstOf[T any](all []T, err error) (one T, _ error) {
	if err != nil || len(all) == 0 {
		return one, err
	}
	return all[0], nil
}

// idList returns the values of an IN list as one placeholder for each id, and the ids followed by the company's id.
func idList(companyID int64, ids []int64) (string, []any) {
	var args []any
	for _, id := range ids {
		args = append(args, id)
	}
	return strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", "), append(args, companyID)
}
