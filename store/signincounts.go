package store

import (
	"context"
)

// SignInCounts reads what was counted for a company from a day on under names that begin with one of two prefixes, by
// day and name.
func (t ReportTable) SignInCounts(
	ctx context.Context, companyID int64, from Day, one, other string,
) (all []PageViews, err error) {
	err = t.db.ReadRows(ctx, &all, `SELECT day, page, CAST(SUM(views) AS BIGINT) AS views FROM page_views
		WHERE company_id = ? AND day >= ? AND (page LIKE ? OR page LIKE ?) GROUP BY day, page ORDER BY day, page`,
		companyID, from, one+"%", other+"%")
	return all, err
}
