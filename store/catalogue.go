package store

import (
	"context"

	"portico/store/searchkey"
)

// Category is a group of a company's products. Picture names a drawing of the sample packs, "" for none. Sample is as
// in Product.
type Category struct {
	ID        int64  `db:"id"`
	CompanyID int64  `db:"company_id"`
	Name      string `db:"name"`
	Picture   string `db:"picture"`
	Sample    string `db:"sample"`
}

// Product is something that a company sells. Unit is what one piece is called, and Spec what is in it. Price is in
// cents, Stock counts units. State "off" is not in the shop. Picture is the id of an upload. Form is the id of the form
// that added it. Sample is the row's key in the sample pack of the company's industry, "" for the company's own.
type Product struct {
	ID         int64   `db:"id"`
	CompanyID  int64   `db:"company_id"`
	CategoryID int64   `db:"category_id"`
	Number     string  `db:"number"` // the company's own, "" for none
	Name       string  `db:"name"`
	Spec       string  `db:"spec"`
	Unit       string  `db:"unit"`
	Price      int64   `db:"price"`
	Stock      int64   `db:"stock"`
	State      string  `db:"state"` // "on" or "off"
	Picture    string  `db:"picture"`
	Form       string  `db:"form"`
	Sample     string  `db:"sample"`
	CreatedAt  Instant `db:"created_at"` // 0 if unknown
	UpdatedAt  Instant `db:"updated_at"`
}

// ProductColumns are the columns of a Product in the table products p.
const ProductColumns = `p.id, p.company_id, p.category_id, p.number, p.name, p.spec, p.unit, p.price, p.stock, p.state,
	p.picture, p.form, p.sample, p.created_at, p.updated_at`

// CatalogueTable reads and changes categories and products.
type CatalogueTable struct{ db *DB }

// AddCategory inserts a category and returns its id.
func (t CatalogueTable) AddCategory(ctx context.Context, c Category) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, "INSERT INTO categories (company_id, name, picture, sample) VALUES (?, ?, ?, ?) "+
		"RETURNING id", c.CompanyID, c.Name, c.Picture, c.Sample)
	return id, err
}

// AddProduct inserts a product that is on and returns its id.
func (t CatalogueTable) AddProduct(ctx context.Context, p Product) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, `INSERT INTO products (company_id, category_id, number, number_key, name, search, spec,
		unit, price, stock, picture, form, sample, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		p.CompanyID, p.CategoryID, p.Number, searchkey.Of(p.Number), p.Name, searchkey.OfRow(p.Name), p.Spec, p.Unit,
		p.Price, p.Stock, p.Picture, p.Form, p.Sample, p.CreatedAt, p.CreatedAt)
	return id, err
}

// Categories reads a company's categories, in the order in which they were created.
func (t CatalogueTable) Categories(ctx context.Context, companyID int64) ([]Category, error) {
	return rows[Category](ctx, t.db, "SELECT c.id, c.company_id, c.name, c.picture, c.sample FROM categories c "+
		"WHERE c.company_id = ? ORDER BY c.id", companyID)
}

// Products reads a company's products, in the order in which they were created.
func (t CatalogueTable) Products(ctx context.Context, companyID int64) ([]Product, error) {
	return rows[Product](ctx, t.db, "SELECT "+ProductColumns+" FROM products p WHERE p.company_id = ? "+
		"ORDER BY p.id", companyID)
}

// SampleCounts are the numbers of a company's sample rows.
type SampleCounts struct {
	Categories int `db:"categories"`
	Products   int `db:"products"`
	Clients    int `db:"clients"`
	Orders     int `db:"orders"`
}

// A sample row is in use when an order that is no sample, an account, or a product that stays refers to it.
const (
	productInUse = "EXISTS (SELECT 1 FROM order_lines l WHERE l.product_id = p.id AND l.sample = '')"
	clientInUse  = "(EXISTS (SELECT 1 FROM orders o WHERE o.client_id = k.id AND o.sample = '') OR EXISTS (SELECT 1 " +
		"FROM accounts a WHERE a.client_id = k.id))"
	categoryInUse = "EXISTS (SELECT 1 FROM products p WHERE p.category_id = c.id AND (p.sample = '' " +
		"OR " + productInUse + "))"
)

// CountSamples counts a company's sample rows, including those in use.
func (t CatalogueTable) CountSamples(ctx context.Context, companyID int64) (SampleCounts, error) {
	return row[SampleCounts](ctx, t.db, `SELECT (SELECT COUNT(*) FROM categories
		WHERE company_id = ? AND sample <> '') AS categories,
		(SELECT COUNT(*) FROM products WHERE company_id = ? AND sample <> '') AS products,
		(SELECT COUNT(*) FROM clients WHERE company_id = ? AND sample <> '') AS clients,
		(SELECT COUNT(*) FROM orders WHERE company_id = ? AND sample <> '') AS orders`,
		companyID, companyID, companyID, companyID)
}

// SamplesInUse reads the sample rows of a company that are in use. ClearSamples keeps them.
func (t CatalogueTable) SamplesInUse(ctx context.Context, companyID int64) (categories []Category, products []Product,
	clients []Client, err error) {
	if err = t.db.list(ctx, &categories, "SELECT c.id, c.company_id, c.name, c.picture, c.sample FROM categories c "+
		"WHERE c.company_id = ? AND c.sample <> '' AND "+categoryInUse+" ORDER BY c.id", companyID); err != nil {
		return nil, nil, nil, err
	}
	if err = t.db.list(ctx, &products, "SELECT "+ProductColumns+" FROM products p "+
		"WHERE p.company_id = ? AND p.sample <> '' AND "+productInUse+" ORDER BY p.id", companyID); err != nil {
		return nil, nil, nil, err
	}
	err = t.db.list(ctx, &clients, "SELECT "+clientColumns+" FROM clients k "+
		"WHERE k.company_id = ? AND k.sample <> '' AND "+clientInUse+" ORDER BY k.id", companyID)
	return categories, products, clients, err
}

// ClearSamples removes the sample rows of a company that are not in use. Call it in a transaction.
func (t CatalogueTable) ClearSamples(ctx context.Context, companyID int64) error {
	for _, query := range []string{
		"DELETE FROM orders WHERE company_id = ? AND sample <> ''",
		"DELETE FROM products AS p WHERE p.company_id = ? AND p.sample <> '' AND NOT " + productInUse,
		"DELETE FROM categories AS c WHERE c.company_id = ? AND c.sample <> '' AND NOT " + categoryInUse,
		"DELETE FROM clients AS k WHERE k.company_id = ? AND k.sample <> '' AND NOT " + clientInUse,
	} {
		if _, err := t.db.exec(ctx, query, companyID); err != nil {
			return err
		}
	}
	return nil
}
