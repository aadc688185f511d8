package store

import "context"

// CustomerType is one of the types into which a company sorts its customers. Its ID is a number of the company. A
// removed type stays, so that its id is never given to another.
type CustomerType struct {
	CompanyID int64  `db:"company_id"`
	ID        int64  `db:"id"`
	Name      string `db:"name"`
	Removed   bool   `db:"removed"`
}

// CustomerTypes reads the types of a company by id, removed ones too.
func (db *DB) CustomerTypes(ctx context.Context, companyID int64) ([]CustomerType, error) {
	var all []CustomerType
	err := db.list(ctx, &all, `SELECT company_id, id, name, removed FROM customer_types
		WHERE company_id = ? ORDER BY id`, companyID)
	return all, err
}

// PutCustomerType adds a type, or changes the one of the same id.
func (db *DB) PutCustomerType(ctx context.Context, t CustomerType) error {
	_, err := db.exec(ctx, `INSERT INTO customer_types (company_id, id, name, removed) VALUES (?, ?, ?, ?)
		ON CONFLICT (company_id, id) DO UPDATE SET name = excluded.name, removed = excluded.removed`,
		t.CompanyID, t.ID, t.Name, t.Removed)
	return err
}

// SetClientType sorts a company's customer into a type, 0 for none; ErrNotFound.
func (db *DB) SetClientType(ctx context.Context, companyID, clientID, typeID int64) error {
	const query = "UPDATE clients SET type_id = ? WHERE id = ? AND company_id = ?"
	return db.one(ctx, query, typeID, clientID, companyID)
}
