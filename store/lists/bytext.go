package lists

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// textsAtOnce is how many texts one statement looks for. Every statement looks for as many, so that the database
// prepares one.
const textsAtOnce = 100

// CustomersByName reads the customers of a company whose names have some search keys (searchkey.OfRow), in no order.
func CustomersByName(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Client, error) {
	return rowsByText[store.Client](ctx, db, "SELECT "+customerColumns+
		" FROM clients k WHERE k.company_id = ? AND k.search IN ", company, keys)
}

// ProductsByNumber reads the products of a company whose numbers have some search keys, in no order.
func ProductsByNumber(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return rowsByText[store.Product](ctx, db, "SELECT "+store.ProductColumns+
		" FROM products p WHERE p.company_id = ? AND p.number_key <> '' AND p.number_key IN ", company, keys)
}

// ProductsByName reads the products of a company whose names have some search keys, in no order.
func ProductsByName(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return rowsByText[store.Product](ctx, db, "SELECT "+store.ProductColumns+
		" FROM products p WHERE p.company_id = ? AND p.search IN ", company, keys)
}

// AccountHolder is a phone with the side of an account that it has in a company.
type AccountHolder struct {
	Phone string     `db:"phone"`
	Side  store.Side `db:"side"`
}

// AccountHolders reads which of some phones have accounts in a company, or were offered one, in no order.
func AccountHolders(ctx context.Context, db *store.DB, company int64, phones []string) ([]AccountHolder, error) {
	// CROSS JOIN makes SQLite begin with the phones
	return rowsByText[AccountHolder](ctx, db, `SELECT p.phone, a.side FROM phones p CROSS JOIN accounts a
		WHERE a.phone_id = p.id AND a.company_id = ? AND p.phone IN `, company, phones)
}

// rowsByText reads the rows of a company that have one of some values.
func rowsByText[T any](
	ctx context.Context, db *store.DB, query string, company int64, values []string,
) (all []T, err error) {
	query += "(?" + strings.Repeat(", ?", textsAtOnce-1) + ")"
	for some := range slices.Chunk(values, textsAtOnce) {
		args := []any{company}
		for i := range textsAtOnce {
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
