// Package carts has the SQL of the carts of the shops, beside the store because that is full.
package carts

import (
	"context"

	"portico/store"
)

// forgotten is how many carts one step of the sweep removes. Each may have a hundred lines.
const forgotten = store.SweepStep / 100

// Cart is the cart of an account without its lines. Form is the id of the order that it will become.
type Cart struct {
	AccountID int64  `db:"account_id"`
	CompanyID int64  `db:"company_id"`
	Form      string `db:"form"`
	Note      string `db:"note"`
}

// Line is one product in a cart. Seen is the tag of the product and its price when it was put in.
type Line struct {
	store.Product
	Quantity       int64  `db:"quantity"`
	Seen           string `db:"seen"`
	CategoryName   string `db:"category_name"`
	CategorySample string `db:"category_sample"`
	Drawing        string `db:"drawing"` // of the category
}

// Of reads the cart of an account; store.ErrNotFound before anything was put into it.
func Of(ctx context.Context, db *store.DB, companyID, accountID int64) (Cart, error) {
	var all []Cart
	err := db.ReadRows(ctx, &all, "SELECT account_id, company_id, form, note FROM carts "+
		"WHERE account_id = ? AND company_id = ?", accountID, companyID)
	if err == nil && len(all) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Cart{}, err
	}
	return all[0], nil
}

// Make makes the cart of an account if there is none. Other transactions that change the cart wait until this one ends.
func Make(ctx context.Context, db *store.DB, c Cart, now store.Instant) error {
	_, err := db.ChangeRows(ctx, `INSERT INTO carts (account_id, company_id, form, note, changed_at)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (account_id) DO UPDATE SET changed_at = excluded.changed_at
		WHERE carts.company_id = excluded.company_id`, c.AccountID, c.CompanyID, c.Form, c.Note, now)
	return err
}

// Set writes the form and the note of a cart.
func Set(ctx context.Context, db *store.DB, c Cart, now store.Instant) error {
	_, err := db.ChangeRows(ctx, "UPDATE carts SET form = ?, note = ?, changed_at = ? "+
		"WHERE account_id = ? AND company_id = ?", c.Form, c.Note, now, c.AccountID, c.CompanyID)
	return err
}

// Lines reads the products in a cart in the order in which they were put in.
func Lines(ctx context.Context, db *store.DB, companyID, accountID int64) ([]Line, error) {
	var all []Line
	err := db.ReadRows(ctx, &all, "SELECT "+store.ProductColumns+`, l.quantity, l.seen, c.name AS category_name,
		c.sample AS category_sample, c.picture AS drawing
		FROM cart_lines l JOIN products p ON p.id = l.product_id AND p.company_id = l.company_id
		JOIN categories c ON c.id = p.category_id
		WHERE l.account_id = ? AND l.company_id = ? ORDER BY l.added_at, l.product_id`, accountID, companyID)
	return all, err
}

// Count counts the products in a cart.
func Count(ctx context.Context, db *store.DB, companyID, accountID int64) (int, error) {
	var n []int
	err := db.ReadRows(ctx, &n, "SELECT COUNT(*) FROM cart_lines WHERE account_id = ? AND company_id = ?", accountID,
		companyID)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// Put sets the quantity of a product in a cart. A product that is in the cart keeps its place and its tag.
func Put(
	ctx context.Context, db *store.DB, companyID, accountID, productID, quantity int64, seen string, now store.Instant,
) error {
	_, err := db.ChangeRows(ctx, `INSERT INTO cart_lines (account_id, product_id, company_id, quantity, seen, added_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, product_id) DO UPDATE SET quantity = excluded.quantity`,
		accountID, productID, companyID, quantity, seen, now)
	return err
}

// Remove takes a product out of a cart.
func Remove(ctx context.Context, db *store.DB, companyID, accountID, productID int64) error {
	_, err := db.ChangeRows(ctx, "DELETE FROM cart_lines WHERE account_id = ? AND company_id = ? AND product_id = ?",
		accountID, companyID, productID)
	return err
}

// Empty takes all products out of a cart.
func Empty(ctx context.Context, db *store.DB, companyID, accountID int64) error {
	_, err := db.ChangeRows(ctx, "DELETE FROM cart_lines WHERE account_id = ? AND company_id = ?", accountID, companyID)
	return err
}

// Forget removes some carts that nobody has changed since an instant. It returns store.SweepStep when there may be more
// of them.
func Forget(ctx context.Context, db *store.DB, before store.Instant) (int64, error) {
	n, err := db.ChangeRows(ctx, `DELETE FROM carts WHERE account_id IN
		(SELECT account_id FROM carts WHERE changed_at <= ? ORDER BY changed_at LIMIT ?)`, before, forgotten)
	if n == forgotten {
		n = store.SweepStep
	}
	return n, err
}
