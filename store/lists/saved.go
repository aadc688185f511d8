package lists

import (
	"context"

	"portico/store"
)

// SavedFilter is a filter of a list that an account has saved under a name. Filter is JSON.
type SavedFilter struct {
	AccountID int64         `db:"account_id"`
	CompanyID int64         `db:"company_id"`
	List      string        `db:"list"`
	Name      string        `db:"name"`
	Filter    string        `db:"filter"`
	At        store.Instant `db:"at"`
}

// SavedFilters reads the filters of a list that an account has saved, by name.
func SavedFilters(ctx context.Context, db *store.DB, company, account int64, list string) ([]SavedFilter, error) {
	var all []SavedFilter
	err := db.ReadRows(ctx, &all, `SELECT account_id, company_id, list, name, filter, at FROM saved_filters
		WHERE account_id = ? AND list = ? AND company_id = ? ORDER BY name`, account, list, company)
	return all, err
}

// SaveFilter stores a filter, or replaces the one of the same name.
func SaveFilter(ctx context.Context, db *store.DB, f SavedFilter) error {
	_, err := db.ChangeRows(ctx, `INSERT INTO saved_filters (account_id, company_id, list, name, filter, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account_id, list, name) DO UPDATE SET filter = excluded.filter, at = excluded.at
			WHERE saved_filters.company_id = excluded.company_id`,
		f.AccountID, f.CompanyID, f.List, f.Name, f.Filter, f.At)
	return err
}

// RemoveFilter removes a filter; nothing happens when there is none of the name.
func RemoveFilter(ctx context.Context, db *store.DB, company, account int64, list, name string) error {
	_, err := db.ChangeRows(ctx, `DELETE FROM saved_filters
		WHERE account_id = ? AND list = ? AND name = ? AND company_id = ?`, account, list, name, company)
	return err
}
