package store

import (
	"context"
	"time"
)

// Day is a day of the calendar, counted from 1970-01-01.
type Day int64

// DayOf is the day a moment falls on at its own zone.
func DayOf(t time.Time) Day {
	_, offset := t.Zone()
	return Day((t.Unix() + int64(offset)) / (24 * 60 * 60))
}

// In is the day's noon in a zone.
func (d Day) In(zone *time.Location) time.Time {
	return time.Date(1970, 1, 1+int(d), 12, 0, 0, 0, zone)
}

// ViewKey is what page views are counted by. CompanyID is 0 for none.
type ViewKey struct {
	CompanyID int64  `db:"company_id"`
	Day       Day    `db:"day"`
	Page      string `db:"page"`
	Device    string `db:"device"`
}

// PageViews is how often a page was shown.
type PageViews struct {
	ViewKey
	Views int64 `db:"views"`
}

// AddViews adds to what is counted already, in one transaction; companies that are gone are left out. Several instances
// add up; those that add in one order do not wait for each other in a circle.
func (db *DB) AddViews(ctx context.Context, all []PageViews) error {
	return db.Tx(ctx, func(tx *DB) error {
		for _, v := range all {
			if _, err := tx.exec(ctx, `INSERT INTO page_views (company_id, day, page, device, views)
				SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
				WHERE CAST(? AS BIGINT) = 0 OR EXISTS (SELECT 1 FROM companies WHERE id = ?)
				ON CONFLICT (company_id, day, page, device) DO UPDATE SET views = page_views.views + excluded.views`,
				v.CompanyID, v.Day, v.Page, v.Device, v.Views, v.CompanyID, v.CompanyID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Views reads what is counted of a company from a day on, by day, page and device.
func (db *DB) Views(ctx context.Context, companyID int64, from Day) ([]PageViews, error) {
	return rows[PageViews](ctx, db, "SELECT company_id, day, page, device, views FROM page_views "+
		"WHERE company_id = ? AND day >= ? ORDER BY day, page, device", companyID, from)
}

// ViewsByDay reads the sums of a company's days from one on, but for pages whose name begins with prefix; days without
// any are left out.
func (db *DB) ViewsByDay(ctx context.Context, companyID int64, from Day, prefix string) ([]PageViews, error) {
	return rows[PageViews](ctx, db, `SELECT day, CAST(SUM(views) AS BIGINT) AS views FROM page_views
		WHERE company_id = ? AND day >= ? AND page NOT LIKE ? GROUP BY day ORDER BY day`, companyID, from, prefix+"%")
}

// ForgetViews removes what is older than a day, at most SweepStep rows.
func (db *DB) ForgetViews(ctx context.Context, before Day) (int64, error) {
	return db.exec(ctx, `DELETE FROM page_views WHERE (company_id, day, page, device) IN
		(SELECT company_id, day, page, device FROM page_views WHERE day < ? LIMIT ?)`, before, SweepStep)
}
