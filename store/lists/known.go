package lists

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// knownAtOnce is how many values one look-up asks for. Each look-up asks for as many, so that there is one statement.
const knownAtOnce = 100

// CustomersNamed reads the customers of a company whose names have some search keys (searchkey.OfRow), in no order.
func CustomersNamed(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Client, error) {
	return known[store.Client](ctx, db, "SELECT "+customerColumns+
		" FROM clients k WHERE k.company_id = ? AND k.search IN ", company, keys)
}

// ProductsNumbered reads the products of a company whose numbers have some search keys, in no order.
func ProductsNumbered(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return known[store.Product](ctx, db, "SELECT "+store.ProductColumns+
		" FROM products p WHERE p.company_id = ? AND p.number_key <> '' AND p.number_key IN ", company, keys)
}

// ProductsNamed reads the products of a company whose names have some search keys, in no order.
func ProductsNamed(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return known[store.Product](ctx, db, "SELECT "+store.ProductColumns+
		" FROM products p WHERE p.company_id = ? AND p.search IN ", company, keys)
}

// Holder is a phone with the side of an account that it has in a company.
type Holder struct {
	Phone string     `db:"phone"`
	Side  store.Side `db:"side"`
}

// HoldersOf reads which of some phones have accounts in a company, or were offered one, in no order.
func HoldersOf(ctx context.Context, db *store.DB, company int64, phones []string) ([]Holder, error) {
	// CROSS JOIN makes SQLite begin with the phones
	return known[Holder](ctx, db, `SELECT p.phone, a.side FROM phones p CROSS JOIN accounts a
		WHERE a.phone_id = p.id AND a.company_id = ? AND p.phone IN `, company, phones)
}

// known reads the rows of a company that have one of some values.
func known[T any](
	ctx context.Context, db *store.DB, query string, company int64, values []string,
) (all []T, err error) {
	query += "(?" + strings.Repeat(", ?", knownAtOnce-1) + ")"
	for some := range slices.Chunk(values, knownAtOnce) {
		args := []any{company}
		for i := range knownAtOnce {
			args = append(args, some[min(i, len(some)-1)])
		}
		var rows []T
		if err := db.ReadRows(ctx, &rows, query, args...); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
