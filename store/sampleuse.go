package store

import (
	"context"
)

// SampleUse says how many sample orders and customers are among the figures of a company. Today counts the orders since
// an instant and Total sums them, in cents. New counts those that are not confirmed.
type SampleUse struct {
	Orders    int   `db:"orders"`
	New       int   `db:"waiting"`
	Today     int   `db:"today"`
	Total     int64 `db:"total"`
	Customers int   `db:"customers"`
}

// SamplesOf counts a company's samples. A company has at most the samples of one pack.
func (t ReportTable) SamplesOf(ctx context.Context, companyID int64, since Instant) (SampleUse, error) {
	return firstOf(rows[SampleUse](ctx, t.db, `SELECT COUNT(*) AS orders,
		CAST(COALESCE(SUM(CASE state WHEN 'new' THEN 1 ELSE 0 END), 0) AS BIGINT) AS waiting,
		CAST(COALESCE(SUM(CASE WHEN placed_at >= ? THEN 1 ELSE 0 END), 0) AS BIGINT) AS today,
		CAST(COALESCE(SUM(CASE WHEN placed_at >= ? THEN total ELSE 0 END), 0) AS BIGINT) AS total,
		(SELECT COUNT(*) FROM clients WHERE company_id = ? AND sample <> '') AS customers
		FROM orders WHERE company_id = ? AND sample <> ''`, since, since, companyID, companyID))
}

// mostSamples is more than the new orders of a sample pack.
const mostSamples = 50

// CountNewOrders counts a company's orders that wait to be confirmed, up to most. It leaves samples out, because nobody
// has to act on them.
func (t ReportTable) CountNewOrders(ctx context.Context, companyID int64, most int) (int, error) {
	n, err := firstOf(rows[struct {
		All     int `db:"counted"`
		Samples int `db:"samples"`
	}](ctx, t.db, `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM orders
			WHERE company_id = ? AND state = 'new' LIMIT ?) AS found) AS counted,
		CAST(COALESCE(SUM(CASE state WHEN 'new' THEN 1 ELSE 0 END), 0) AS BIGINT) AS samples
		FROM orders WHERE company_id = ? AND sample <> ''`, companyID, most+mostSamples, companyID))
	return min(n.All-n.Samples, most), err
}

// HasOwnProduct says whether a company has a product that is no sample.
func (t ReportTable) HasOwnProduct(ctx context.Context, companyID int64) (bool, error) {
	return firstOf(rows[bool](ctx, t.db, `SELECT EXISTS (SELECT 1 FROM products WHERE company_id = ? AND sample = '')`,
		companyID))
}
