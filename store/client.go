package store

import "context"

// Client is a company's customer. Its shop accounts can be entered while it is a partner.
//
//	partner ◀──────▶ ended   (SetClientState)
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

// AddClient inserts a customer with the id k.ID. It changes nothing when there is one with that id.
func (db *DB) AddClient(ctx context.Context, k Client) error {
	_, err := db.exec(ctx, `INSERT INTO clients (id, company_id, name, type_id, state, created_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		k.ID, k.CompanyID, k.Name, k.TypeID, k.State, k.CreatedAt)
	return err
}

// NewClient inserts a customer and returns the id that the database chose.
func (db *DB) NewClient(ctx context.Context, k Client) (int64, error) {
	var id int64
	err := db.change(ctx, &id, `INSERT INTO clients (id, company_id, name, type_id, state, contact, sample, created_at)
		VALUES (`+db.freshID("clients")+", ?, ?, ?, ?, ?, ?, ?) RETURNING id",
		k.CompanyID, k.Name, k.TypeID, k.State, k.Contact, k.Sample, k.CreatedAt)
	return id, err
}

// ClientByID reads a company's customer; ErrNotFound.
func (db *DB) ClientByID(ctx context.Context, companyID, clientID int64) (Client, error) {
	return row[Client](ctx, db, "SELECT "+clientColumns+" FROM clients k "+
		"WHERE k.id = ? AND k.company_id = ?", clientID, companyID)
}

// ClientsAfter reads customers of a company with a larger id than after, by id.
func (db *DB) ClientsAfter(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	return rows[Client](ctx, db, "SELECT "+clientColumns+
		" FROM clients k WHERE k.company_id = ? AND k.id > ? ORDER BY k.id LIMIT ?", companyID, after, limit)
}

// PartnersAfter reads customers of a company that are partners, with a larger id than after, by id.
func (db *DB) PartnersAfter(ctx context.Context, companyID, after int64, limit int) ([]Client, error) {
	return rows[Client](ctx, db, "SELECT "+clientColumns+` FROM clients k
		WHERE k.company_id = ? AND k.state = 'partner' AND k.id > ? ORDER BY k.id LIMIT ?`, companyID, after, limit)
}

// CountClients counts a company's customers, up to most, and reads no more rows than that.
func (db *DB) CountClients(ctx context.Context, companyID int64, most int) (int, error) {
	return row[int](ctx, db, "SELECT COUNT(*) FROM (SELECT 1 FROM clients WHERE company_id = ? LIMIT ?) AS counted",
		companyID, most)
}

// SetClientState makes a company's customer a partner again or ends the partnership. ErrNotFound.
func (db *DB) SetClientState(ctx context.Context, companyID, clientID int64, state string) error {
	return db.one(ctx, "UPDATE clients SET state = ? WHERE id = ? AND company_id = ?", state, clientID, companyID)
}

// CustomerType is one of the types into which a company sorts its customers. ID is unique within the company. A removed
// type keeps its row, so that no other type gets its id.
type CustomerType struct {
	CompanyID int64  `db:"company_id"`
	ID        int64  `db:"id"`
	Name      string `db:"name"`
	Removed   bool   `db:"removed"`
}

// CustomerTypes reads the types of a company in the order of their ids, removed types too.
func (db *DB) CustomerTypes(ctx context.Context, companyID int64) ([]CustomerType, error) {
	return rows[CustomerType](ctx, db, `SELECT company_id, id, name, removed FROM customer_types
		WHERE company_id = ? ORDER BY id`, companyID)
}

// PutCustomerType adds a type, or changes the one of the same id.
func (db *DB) PutCustomerType(ctx context.Context, kind CustomerType) error {
	_, err := db.exec(ctx, `INSERT INTO customer_types (company_id, id, name, removed) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, id) DO UPDATE SET name = excluded.name, removed = excluded.removed`,
		kind.CompanyID, kind.ID, kind.Name, kind.Removed)
	return err
}

// SetClientType sorts a company's customer into a type, 0 for none; ErrNotFound.
func (db *DB) SetClientType(ctx context.Context, companyID, clientID, typeID int64) error {
	const query = "UPDATE clients SET type_id = ? WHERE id = ? AND company_id = ?"
	return db.one(ctx, query, typeID, clientID, companyID)
}
