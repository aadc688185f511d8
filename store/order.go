package store

import (
	"context"
	"math"
)

// OrderState is a closed set: new ──confirmed by the company──▶ confirmed.
type OrderState string

// The states of an order.
const (
	OrderNew       OrderState = "new"
	OrderConfirmed OrderState = "confirmed"
)

// Order is an order of a customer. Number counts the company's orders from 1. Form is the id of the form that placed
// it. AccountID is the account that placed it, ConfirmedBy the one that confirmed it; 0 for no account of the company.
// Note is what the customer asks for. Total is in cents.
type Order struct {
	ID            int64      `db:"id"`
	CompanyID     int64      `db:"company_id"`
	Number        int64      `db:"number"`
	ClientID      int64      `db:"client_id"`
	AccountID     int64      `db:"account_id"`
	Form          string     `db:"form"`
	State         OrderState `db:"state"`
	Total         int64      `db:"total"`
	Note          string     `db:"note"`
	Sample        string     `db:"sample"` // "" for an order that is no sample
	PlacedAt      Instant    `db:"placed_at"`
	ConfirmedAt   Instant    `db:"confirmed_at"`
	ConfirmedBy   int64      `db:"confirmed_by"`
	Lines         int        `db:"lines"` // the number of lines, not stored
	ClientName    string     `db:"client_name"`
	ClientContact string     `db:"client_contact"`
	ClientSample  string     `db:"client_sample"`
}

// OrderLine is one product of an order, with the product's name, specification and unit. Price is the price in cents
// when the order was placed.
type OrderLine struct {
	OrderID       int64  `db:"order_id"`
	Line          int    `db:"line"`
	ProductID     int64  `db:"product_id"`
	Quantity      int64  `db:"quantity"`
	Price         int64  `db:"price"`
	Sample        string `db:"sample"` // Sample of the order
	Name          string `db:"name"`
	Spec          string `db:"spec"`
	Unit          string `db:"unit"`
	ProductSample string `db:"product_sample"`
	Picture       string `db:"picture"`
	Drawing       string `db:"drawing"` // of the category
}

// NewestOrder is the number before which a list of orders begins with the newest one: it is above all numbers.
const NewestOrder = int64(math.MaxInt32)

const orderColumns = `o.id, o.company_id, o.number, o.client_id, o.account_id, o.form, o.state, o.total, o.note,
	o.sample, o.placed_at, o.confirmed_at, o.confirmed_by,
	k.name AS client_name, k.contact AS client_contact, k.sample AS client_sample, (SELECT COUNT(*) FROM order_lines l
	WHERE l.order_id = o.id) AS lines`

const orderTables = " FROM orders o JOIN clients k ON k.id = o.client_id "

// OrderTable reads and changes orders and their lines.
type OrderTable struct{ db *DB }

// NextNumber returns the next order number of a company. Other transactions that need one wait until this one ends.
func (t OrderTable) NextNumber(ctx context.Context, companyID int64) (int64, error) {
	var n int64
	err := t.db.change(ctx, &n, "UPDATE companies SET orders_made = orders_made + 1 WHERE id = ? "+
		"RETURNING orders_made", companyID)
	return n, err
}

// Add inserts an order and returns its id, or 0 when the same form has placed one before.
func (t OrderTable) Add(ctx context.Context, o Order) (int64, error) {
	var id int64
	err := t.db.change(ctx, &id, `INSERT INTO orders (company_id, number, client_id, account_id, form, state, total,
		note, sample, placed_at, confirmed_at, confirmed_by, search)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, COALESCE((SELECT search FROM clients WHERE id = ?), ''))
		ON CONFLICT DO NOTHING RETURNING id`,
		o.CompanyID, o.Number, o.ClientID, o.AccountID, o.Form, o.State, o.Total, o.Note, o.Sample, o.PlacedAt,
		o.ConfirmedAt, o.ConfirmedBy, o.ClientID)
	if err == ErrNotFound {
		return 0, nil
	}
	return id, err
}

// AddLine inserts a line of an order. The line keeps the name, specification and unit that the product has now.
// ErrNotFound without the product.
func (t OrderTable) AddLine(ctx context.Context, l OrderLine) error {
	return t.db.one(ctx, `INSERT INTO order_lines
		(order_id, line, product_id, quantity, price, sample, name, spec, unit)
		SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), id, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), name,
			spec, unit FROM products WHERE id = ?`,
		l.OrderID, l.Line, l.Quantity, l.Price, l.Sample, l.ProductID)
}

// ByID reads an order of a company; ErrNotFound.
func (t OrderTable) ByID(ctx context.Context, companyID, orderID int64) (Order, error) {
	return row[Order](ctx, t.db, "SELECT "+orderColumns+orderTables+"WHERE o.id = ? AND o.company_id = ?",
		orderID, companyID)
}

// ByForm reads the order of a company that was placed with a form; ErrNotFound.
func (t OrderTable) ByForm(ctx context.Context, companyID int64, form string) (Order, error) {
	return row[Order](ctx, t.db, "SELECT "+orderColumns+orderTables+"WHERE o.form = ? AND o.company_id = ?",
		form, companyID)
}

// OrderedSince says whether an account has ordered the same quantity of a product since an instant.
func (t OrderTable) OrderedSince(
	ctx context.Context, companyID, accountID, productID, quantity int64, since Instant) (bool, error) {
	return row[bool](ctx, t.db, `SELECT EXISTS (SELECT 1 FROM orders o WHERE o.account_id = ? AND o.placed_at > ?
		AND o.company_id = ? AND EXISTS (SELECT 1 FROM order_lines l
			WHERE l.order_id = o.id AND l.product_id = ? AND l.quantity = ?))`,
		accountID, since, companyID, productID, quantity)
}

// OfCompany reads a company's orders with smaller numbers than before, the newest first.
func (t OrderTable) OfCompany(ctx context.Context, companyID, before int64, limit int) ([]Order, error) {
	return rows[Order](ctx, t.db, "SELECT "+orderColumns+orderTables+"WHERE o.company_id = ? AND o.number < ? "+
		"ORDER BY o.number DESC LIMIT ?", companyID, before, limit)
}

// OfClient does what Orders does, for the orders of one customer.
func (t OrderTable) OfClient(ctx context.Context, companyID, clientID, before int64, limit int) ([]Order, error) {
	return rows[Order](ctx, t.db, "SELECT "+orderColumns+orderTables+"WHERE o.company_id = ? AND o.client_id = ? "+
		"AND o.number < ? ORDER BY o.number DESC LIMIT ?", companyID, clientID, before, limit)
}

// Lines reads the lines of an order of a company, with what the products were called when they were ordered. Lines of
// programs before schema 23 have the products' present names.
func (t OrderTable) Lines(ctx context.Context, companyID, orderID int64) ([]OrderLine, error) {
	return rows[OrderLine](ctx, t.db, `SELECT l.order_id, l.line, l.product_id, l.quantity, l.price, o.sample,
		COALESCE(NULLIF(l.name, ''), p.name) AS name, CASE l.name WHEN '' THEN p.spec ELSE l.spec END AS spec,
		CASE l.name WHEN '' THEN p.unit ELSE l.unit END AS unit, p.sample AS product_sample, p.picture,
		c.picture AS drawing
		FROM order_lines l JOIN orders o ON o.id = l.order_id JOIN products p ON p.id = l.product_id
		JOIN categories c ON c.id = p.category_id
		WHERE l.order_id = ? AND o.company_id = ? ORDER BY l.line`, orderID, companyID)
}

// Confirm confirms a new order. ErrNotFound when there is none, or it is confirmed already.
func (t OrderTable) Confirm(ctx context.Context, companyID, orderID, accountID int64, now Instant) error {
	return t.db.one(ctx, "UPDATE orders SET state = 'confirmed', confirmed_at = ?, confirmed_by = ? "+
		"WHERE id = ? AND company_id = ? AND state = 'new'", now, accountID, orderID, companyID)
}
