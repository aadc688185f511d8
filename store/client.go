package store

import (
	"context"

	"portico/store/searchkey"
)

// Client is a company's customer. Its shop accounts can be entered while it is a partner.
//
//	partner ◀──────▶ ended   (SetState)
type Client struct {
	ID        int64   `db:"id"`
	CompanyID int64   `db:"company_id"`
	Name      string  `db:"name"`
	TypeID    int64   `db:"type_id"`
	State     string  `db:"state"` // "partner" or "ended"
	Contact   string  `db:"contact"`
	Sample    string  `db:"sample"` // see Product.Sample
	CreatedAt Instant `db:"created_at"`
}

// The states of a client: a partner, or one whose partnership has ended.
const (
	ClientPartner = "partner"
	ClientEnded   = "ended"
)

const clientColumns = "k.id, k.company_id, k.name, k.type_id, k.state, k.contact, k.sample, k.created_at"

// ClientTable reads and changes customers (clients) and their types.
type ClientTable struct{ db *DB }

// AddWithID inserts a customer with the id k.ID. It changes nothing when there is one with that id.
func (t ClientTable) AddWithID(ctx context.Context, k Client) error {
	_, err := t.db.exec(ctx, `INSERT INTO clients (id, company_id, name, type_id, state, created_at, search)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		k.ID, k.CompanyID, k.Name, k.TypeID, k.State, k.CreatedAt, searchkey.OfRow(k.Name))
	return err
}

// Add inserts a customer and returns the id that the database chose.
func (t ClientTable) Add(ctx context.Context, k Client) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, `INSERT INTO clients
		(id, company_id, name, type_id, state, contact, sample, created_at, search)
		VALUES (`+t.db.freshID("clients")+", ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
		k.CompanyID, k.Name, k.TypeID, k.State, k.Contact, k.Sample, k.CreatedAt, searchkey.OfRow(k.Name))
	return id, err
}

// ByID reads a company's customer; ErrNotFound.
func (t ClientTable) ByID(ctx context.Context, companyID, clientID int64) (Client, error) {
	return row[Client](ctx, t.db, "SELECT "+clientColumns+" FROM clients k "+
		"WHERE k.id = ? AND k.company_id = ?", clientID, companyID)
}

// After reads customers of a company with a larger id than after, by id.
func (t ClientTable) After(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	return rows[Client](ctx, t.db, "SELECT "+clientColumns+
		" FROM clients k WHERE k.company_id = ? AND k.id > ? ORDER BY k.id LIMIT ?", companyID, after, limit)
}

// PartnersAfter reads customers of a company that are partners, with a larger id than after, by id.
func (t ClientTable) PartnersAfter(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	return rows[Client](ctx, t.db, "SELECT "+clientColumns+` FROM clients k
		WHERE k.company_id = ? AND k.state = 'partner' AND k.id > ? ORDER BY k.id LIMIT ?`, companyID, after, limit)
}

// Count counts a company's customers, up to most, and reads no more rows than that.
func (t ClientTable) Count(ctx context.Context, companyID int64, most int) (int, error) {
	return row[int](ctx, t.db, "SELECT COUNT(*) FROM (SELECT 1 FROM clients WHERE company_id = ? LIMIT ?) AS counted",
		companyID, most)
}

// SetState makes a company's customer a partner again or ends the partnership. ErrNotFound.
func (t ClientTable) SetState(ctx context.Context, companyID, clientID int64, state string) error {
	return t.db.one(ctx, "UPDATE clients SET state = ? WHERE id = ? AND company_id = ?", state, clientID, companyID)
}

// CustomerType is one of the types into which a company sorts its customers. ID is unique within the company. A removed
// type keeps its row, so that no other type gets its id.
type CustomerType struct {
	CompanyID int64  `db:"company_id"`
	ID        int64  `db:"id"`
	Name      string `db:"name"`
	Removed   bool   `db:"removed"`
}

// Types reads the types of a company in the order of their ids, removed types too.
func (t ClientTable) Types(ctx context.Context, companyID int64) ([]CustomerType, error) {
	return rows[CustomerType](ctx, t.db, `SELECT company_id, id, name, removed FROM customer_types
		WHERE company_id = ? ORDER BY id`, companyID)
}

// PutType adds a type, or changes the one of the same id.
func (t ClientTable) PutType(ctx context.Context, kind CustomerType) error {
	_, err := t.db.exec(ctx, `INSERT INTO customer_types (company_id, id, name, removed) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, id) DO UPDATE SET name = excluded.name, removed = excluded.removed`,
		kind.CompanyID, kind.ID, kind.Name, kind.Removed)
	return err
}

// SetType sorts a company's customer into a type, 0 for none; ErrNotFound.
func (t ClientTable) SetType(ctx context.Context, companyID, clientID, typeID int64) error {
	const query = "UPDATE clients SET type_id = ? WHERE id = ? AND company_id = ?"
	return t.db.one(ctx, query, typeID, clientID, companyID)
}
