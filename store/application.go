package store

import (
	"context"

	"portico/store/searchkey"
)

// ApplicationState is a closed set:
//
//	pending ──▶ approved
//	   └──────▶ rejected
type ApplicationState string

// The states of an application.
const (
	ApplicationPending  ApplicationState = "pending"
	ApplicationApproved ApplicationState = "approved"
	ApplicationRejected ApplicationState = "rejected"
)

// Application asks a company to let the applicant order from it. ID is random. Phone is the applicant's proven number.
// Province, City and District are region codes. AccountID is the account that the approval created, 0 for none.
// DecidedBy is the account that decided, 0 for none.
type Application struct {
	ID           int64            `db:"id"`
	CompanyID    int64            `db:"company_id"`
	Phone        string           `db:"phone"`
	State        ApplicationState `db:"state"`
	CompanyName  string           `db:"company_name"`
	ContactName  string           `db:"contact_name"`
	Position     string           `db:"position"`
	Province     string           `db:"province"`
	City         string           `db:"city"`
	District     string           `db:"district"`
	Address      string           `db:"address"`
	Reason       string           `db:"reason"`
	LicenceKey   string           `db:"licence_key"`
	ContactPhone string           `db:"contact_phone"`
	RejectReason string           `db:"reject_reason"`
	Lang         string           `db:"lang"` // of messages to the applicant
	AccountID    int64            `db:"account_id"`
	DecidedBy    int64            `db:"decided_by"`
	DecidedAt    Instant          `db:"decided_at"`
	CreatedAt    Instant          `db:"created_at"`
}

const applicationColumns = `a.id, a.company_id, a.phone, a.state, a.company_name, a.contact_name, a.position,
	a.province, a.city, a.district, a.address, a.reason, a.licence_key, a.contact_phone, a.reject_reason, a.lang,
	a.account_id, a.decided_by, a.decided_at, a.created_at`

// ApplicationTable reads and changes applications.
type ApplicationTable struct{ db *DB }

// Add inserts an application. It returns false when the company has a pending one of the same phone.
func (t ApplicationTable) Add(ctx context.Context, a Application) (bool, error) {
	n, err := t.db.exec(ctx, `INSERT INTO applications (id, company_id, phone, state, company_name, contact_name,
		position, province, city, district, address, reason, licence_key, contact_phone, reject_reason, lang,
			account_id, decided_by, decided_at, created_at, search)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		a.ID, a.CompanyID, a.Phone, a.State, a.CompanyName, a.ContactName, a.Position, a.Province, a.City, a.District,
		a.Address, a.Reason, a.LicenceKey, a.ContactPhone, a.RejectReason, a.Lang, a.AccountID, a.DecidedBy,
		a.DecidedAt, a.CreatedAt, searchkey.OfRow(a.CompanyName))
	return n == 1, err
}

// ByID reads an application to any company, because nobody can guess the id. ErrNotFound.
func (t ApplicationTable) ByID(ctx context.Context, id int64) (Application, error) {
	return row[Application](ctx, t.db, "SELECT "+applicationColumns+" FROM applications a WHERE a.id = ?", id)
}

// OfCompany reads an application to a company; ErrNotFound.
func (t ApplicationTable) OfCompany(ctx context.Context, companyID, id int64) (Application, error) {
	return row[Application](ctx, t.db, "SELECT "+applicationColumns+" FROM applications a "+
		"WHERE a.id = ? AND a.company_id = ?", id, companyID)
}

// Last reads the latest application of a phone to a company. ErrNotFound.
func (t ApplicationTable) Last(ctx context.Context, companyID int64, phone string) (Application, error) {
	return row[Application](ctx, t.db, "SELECT "+applicationColumns+" FROM applications a "+
		"WHERE a.phone = ? AND a.company_id = ? ORDER BY a.created_at DESC, a.id LIMIT 1", phone, companyID)
}

// OfPhone reads the applications of a phone to a company, the latest first, at most 50.
func (t ApplicationTable) OfPhone(ctx context.Context, companyID int64, phone string) ([]Application, error) {
	return rows[Application](ctx, t.db, "SELECT "+applicationColumns+" FROM applications a "+
		"WHERE a.phone = ? AND a.company_id = ? ORDER BY a.created_at DESC, a.id LIMIT 50", phone, companyID)
}

// ToAnyCompany reads the applications of a phone to all companies, at most limit: pending ones before decided
// ones, and the latest first among each.
func (t ApplicationTable) ToAnyCompany(ctx context.Context, phone string, limit int) ([]Application, error) {
	return rows[Application](ctx, t.db, "SELECT "+applicationColumns+` FROM applications a WHERE a.phone = ?
		ORDER BY a.state = 'pending' DESC, a.created_at DESC, a.id LIMIT ?`, phone, limit)
}

// CountPending counts the applications that wait for a company's decision, up to most, and reads no more rows than
// that.
func (t ApplicationTable) CountPending(ctx context.Context, companyID int64, most int) (int, error) {
	return row[int](ctx, t.db, `SELECT COUNT(*) FROM (SELECT 1 FROM applications
		WHERE company_id = ? AND state = 'pending' LIMIT ?) AS counted`, companyID, most)
}

// Decide stores the decision about a pending application. ErrNotFound when it was decided before.
func (t ApplicationTable) Decide(ctx context.Context, a Application) error {
	return t.db.one(ctx, "UPDATE applications "+
		"SET state = ?, reject_reason = ?, account_id = ?, decided_by = ?, decided_at = ? "+
		"WHERE id = ? AND company_id = ? AND state = 'pending'",
		a.State, a.RejectReason, a.AccountID, a.DecidedBy, a.DecidedAt, a.ID, a.CompanyID)
}
