package reports

import (
	"context"

	"portico/store"
)

// SignInCounts reads what was counted for a company from a day on under names that begin with one of two prefixes, by
// day and name.
func SignInCounts(
	ctx context.Context, db *store.DB, companyID int64, from store.Day, one, other string,
) (all []store.PageViews, err error) {
	err = db.ReadRows(ctx, &all, `SELECT day, page, CAST(SUM(views) AS BIGINT) AS views FROM page_views
		WHERE company_id = ? AND day >= ? AND (page LIKE ? OR page LIKE ?) GROUP BY day, page ORDER BY day, page`,
		companyID, from, one+"%", other+"%")
	return all, err
}
