package store

import (
	"context"
)

// cartsForgotten is how many carts one step of the sweep removes. Each may have a hundred lines.
const cartsForgotten = SweepStep / 100

// Cart is the cart of an account without its lines. Form is the id of the order that it will become.
type Cart struct {
	AccountID int64  `db:"account_id"`
	CompanyID int64  `db:"company_id"`
	Form      string `db:"form"`
	Note      string `db:"note"`
}

// CartLine is one product in a cart. Seen is the tag of the product and its price when it was put in.
type CartLine struct {
	Product
	Quantity       int64  `db:"quantity"`
	Seen           string `db:"seen"`
	CategoryName   string `db:"category_name"`
	CategorySample string `db:"category_sample"`
	Drawing        string `db:"drawing"` // of the category
}

// CartTable reads and changes the carts of the shops.
type CartTable struct{ db *DB }

// Of reads the cart of an account; ErrNotFound before anything was put into it.
func (t CartTable) Of(ctx context.Context, companyID, accountID int64) (Cart, error) {
	return row[Cart](ctx, t.db, "SELECT account_id, company_id, form, note FROM carts "+
		"WHERE account_id = ? AND company_id = ?", accountID, companyID)
}

// Make makes the cart of an account if there is none. Other transactions that change the cart wait until this one ends.
func (t CartTable) Make(ctx context.Context, c Cart, now Instant) error {
	_, err := t.db.ChangeRows(ctx, `INSERT INTO carts (account_id, company_id, form, note, changed_at)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (account_id) DO UPDATE SET changed_at = excluded.changed_at
		WHERE carts.company_id = excluded.company_id`, c.AccountID, c.CompanyID, c.Form, c.Note, now)
	return err
}

// Set writes the form and the note of a cart.
func (t CartTable) Set(ctx context.Context, c Cart, now Instant) error {
	_, err := t.db.ChangeRows(ctx, "UPDATE carts SET form = ?, note = ?, changed_at = ? "+
		"WHERE account_id = ? AND company_id = ?", c.Form, c.Note, now, c.AccountID, c.CompanyID)
	return err
}

// Lines reads the products in a cart in the order in which they were put in.
func (t CartTable) Lines(ctx context.Context, companyID, accountID int64) ([]CartLine, error) {
	return rows[CartLine](ctx, t.db, "SELECT "+ProductColumns+`, l.quantity, l.seen, c.name AS category_name,
		c.sample AS category_sample, c.picture AS drawing
		FROM cart_lines l JOIN products p ON p.id = l.product_id AND p.company_id = l.company_id
		JOIN categories c ON c.id = p.category_id
		WHERE l.account_id = ? AND l.company_id = ? ORDER BY l.added_at, l.product_id`, accountID, companyID)
}

// Count counts the products in a cart.
func (t CartTable) Count(ctx context.Context, companyID, accountID int64) (int, error) {
	return row[int](ctx, t.db, "SELECT COUNT(*) FROM cart_lines WHERE account_id = ? AND company_id = ?",
		accountID, companyID)
}

// Put sets the quantity of a product in a cart. A product that is in the cart keeps its place and its tag.
func (t CartTable) Put(ctx context.Context, c Cart, productID, quantity int64, seen string, now Instant) error {
	_, err := t.db.ChangeRows(ctx, `INSERT INTO cart_lines
			(account_id, product_id, company_id, quantity, seen, added_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account_id, product_id) DO UPDATE SET quantity = excluded.quantity`,
		c.AccountID, productID, c.CompanyID, quantity, seen, now)
	return err
}

// Remove takes a product out of a cart.
func (t CartTable) Remove(ctx context.Context, companyID, accountID, productID int64) error {
	_, err := t.db.ChangeRows(ctx, "DELETE FROM cart_lines WHERE account_id = ? AND company_id = ? AND product_id = ?",
		accountID, companyID, productID)
	return err
}

// Empty takes all products out of a cart.
func (t CartTable) Empty(ctx context.Context, companyID, accountID int64) error {
	_, err := t.db.ChangeRows(ctx, "DELETE FROM cart_lines WHERE account_id = ? AND company_id = ?",
		accountID, companyID)
	return err
}

// Forget removes some carts that nobody has changed since an instant. It returns SweepStep when there may be more
// of them.
func (t CartTable) Forget(ctx context.Context, before Instant) (int64, error) {
	n, err := t.db.ChangeRows(ctx, `DELETE FROM carts WHERE account_id IN
		(SELECT account_id FROM carts WHERE changed_at <= ? ORDER BY changed_at LIMIT ?)`, before, cartsForgotten)
	if n == cartsForgotten {
		n = SweepStep
	}
	return n, err
}
