package store

import (
	"context"
	"time"
)

// Day is a day of the calendar, counted from 1970-01-01.
type Day int64

// DayOf returns the day of a time in the time's own zone.
func DayOf(t time.Time) Day {
	_, offset := t.Zone()
	return Day((t.Unix() + int64(offset)) / (24 * 60 * 60))
}

// In returns the day's noon in a zone.
func (d Day) In(zone *time.Location) time.Time {
	return time.Date(1970, 1, 1+int(d), 12, 0, 0, 0, zone)
}

// ViewKey is what page views are counted by. CompanyID is 0 for pages of no company.
type ViewKey struct {
	CompanyID int64  `db:"company_id"`
	Day       Day    `db:"day"`
	Page      string `db:"page"`
	Device    string `db:"device"`
}

// PageViews is how often a page was shown on a day.
type PageViews struct {
	ViewKey
	Views int64 `db:"views"`
}

// ViewTable counts page views by day.
type ViewTable struct{ db *DB }

// Add adds page views to the stored numbers, in one transaction. It leaves out companies that were removed.
// Callers must pass the keys in a fixed order: otherwise instances that add at the same time could deadlock.
func (t ViewTable) Add(ctx context.Context, all []PageViews) error {
	return t.db.Tx(ctx, func(tx *DB) error {
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

// OfCompany reads a company's page views from a day on, in the order of day, page and device.
func (t ViewTable) OfCompany(ctx context.Context, companyID int64, from Day) ([]PageViews, error) {
	return rows[PageViews](ctx, t.db, "SELECT company_id, day, page, device, views FROM page_views "+
		"WHERE company_id = ? AND day >= ? ORDER BY day, page, device", companyID, from)
}

// ByDay reads a company's page views of each day from a day on, without names that have a prefix, like "menu:orders".
// Days without views are left out.
func (t ViewTable) ByDay(ctx context.Context, companyID int64, from Day) ([]PageViews, error) {
	return rows[PageViews](ctx, t.db, `SELECT day, CAST(SUM(views) AS BIGINT) AS views FROM page_views
		WHERE company_id = ? AND day >= ? AND page NOT LIKE '%:%' GROUP BY day ORDER BY day`, companyID, from)
}

// Forget removes the views of days before a day, at most SweepStep rows.
func (t ViewTable) Forget(ctx context.Context, before Day) (int64, error) {
	return t.db.exec(ctx, `DELETE FROM page_views WHERE (company_id, day, page, device) IN
		(SELECT company_id, day, page, device FROM page_views WHERE day < ? LIMIT ?)`, before, SweepStep)
}
