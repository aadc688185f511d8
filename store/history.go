package store

import (
	"context"
)

// HistoryShown is how many events of one record are read at most.
const HistoryShown = 50

const historyColumns = `SELECT e.id, e.at, e.kind, e.part, e.company_id, e.phone_id, e.account_id, e.address,
		e.request_id, e.detail,
		COALESCE(a.name, '') AS name, COALESCE(a.login, '') AS login, COALESCE(a.side, '') AS side
	FROM audit_events e LEFT JOIN accounts a ON a.id = e.account_id AND a.company_id = ? `

// HistoryOfOrder reads a company's events about orders that have the given detail, the newest first. The detail is the
// order's number in the event of placing it, and its id in all later events.
func (t ReportTable) HistoryOfOrder(ctx context.Context, companyID int64, detail string) ([]AuditRow, error) {
	return rows[AuditRow](ctx, t.db, historyColumns+`WHERE e.company_id = ? AND e.part = 'orders'
		AND e.detail = ? ORDER BY e.id DESC LIMIT ?`, companyID, companyID, detail, HistoryShown)
}

// HistoryOfCustomer reads a company's events about customers and applications that have the given detail, which is the
// id of either, the newest first.
func (t ReportTable) HistoryOfCustomer(ctx context.Context, companyID int64, detail string) ([]AuditRow, error) {
	return rows[AuditRow](ctx, t.db, historyColumns+`WHERE e.company_id = ? AND e.part = 'customers'
		AND e.detail = ? ORDER BY e.id DESC LIMIT ?`, companyID, companyID, detail, HistoryShown)
}

// Named is the id of a row with its name. The name of an order is its number.
type Named struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// The plus before company_id makes SQLite look for the ids instead of reading all rows of the company.

// AccountNames reads the names of accounts of a company, or their logins where they have none.
func (t ReportTable) AccountNames(ctx context.Context, companyID int64, ids []int64) ([]Named, error) {
	list, args := idList(companyID, ids)
	return rows[Named](ctx, t.db, `SELECT id, COALESCE(NULLIF(name, ''), login) AS name
		FROM accounts WHERE id IN (`+list+`) AND +company_id = ?`, args...)
}

// ApplicantNames reads the names of the businesses that sent applications to a company.
func (t ReportTable) ApplicantNames(ctx context.Context, companyID int64, ids []int64) ([]Named, error) {
	list, args := idList(companyID, ids)
	return rows[Named](ctx, t.db, `SELECT id, company_name AS name
		FROM applications WHERE id IN (`+list+`) AND +company_id = ?`, args...)
}

// CustomerNames reads the names of a company's customers.
func (t ReportTable) CustomerNames(ctx context.Context, companyID int64, ids []int64) ([]Named, error) {
	list, args := idList(companyID, ids)
	return rows[Named](ctx, t.db, `SELECT id, name
		FROM clients WHERE id IN (`+list+`) AND +company_id = ?`, args...)
}

// OrderNumbers reads the numbers of a company's orders.
func (t ReportTable) OrderNumbers(ctx context.Context, companyID int64, ids []int64) ([]Named, error) {
	list, args := idList(companyID, ids)
	return rows[Named](ctx, t.db, `SELECT id, CAST(number AS TEXT) AS name
		FROM orders WHERE id IN (`+list+`) AND +company_id = ?`, args...)
}

// OrderIDs reads the ids of a company's orders by their numbers.
func (t ReportTable) OrderIDs(ctx context.Context, companyID int64, numbers []int64) ([]Named, error) {
	list, args := idList(companyID, numbers)
	return rows[Named](ctx, t.db, `SELECT id, CAST(number AS TEXT) AS name
		FROM orders WHERE number IN (`+list+`) AND company_id = ?`, args...)
}

// ProductNames reads the names of a company's products.
func (t ReportTable) ProductNames(ctx context.Context, companyID int64, ids []int64) ([]Named, error) {
	list, args := idList(companyID, ids)
	return rows[Named](ctx, t.db, `SELECT id, name
		FROM products WHERE id IN (`+list+`) AND +company_id = ?`, args...)
}
