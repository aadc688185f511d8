package lists

import (
	"context"
	"slices"
	"strings"

	"portico/store"
)

// textsAtOnce is how many texts one statement looks for: so few that Postgres looks each up in the index, also in a
// company of some thousand rows, and does not read all of them. Every statement looks for as many, so that the database
// prepares one.
const textsAtOnce = 20

// CustomersByName reads the customers of a company whose names have some search keys (searchkey.OfRow), in no order.
func CustomersByName(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Client, error) {
	return rowsByText[store.Client](ctx, db, "SELECT "+customerColumns+
		" FROM wanted CROSS JOIN clients k WHERE k.company_id = ? AND k.search = wanted.text", company, keys)
}

// ProductsByNumber reads the products of a company whose numbers have some search keys, in no order.
func ProductsByNumber(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return rowsByText[store.Product](ctx, db, "SELECT "+store.ProductColumns+` FROM wanted CROSS JOIN products p
		WHERE p.company_id = ? AND p.number_key <> '' AND p.number_key = wanted.text`, company, keys)
}

// ProductsByName reads the products of a company whose names have some search keys, in no order.
func ProductsByName(ctx context.Context, db *store.DB, company int64, keys []string) ([]store.Product, error) {
	return rowsByText[store.Product](ctx, db, "SELECT "+store.ProductColumns+
		" FROM wanted CROSS JOIN products p WHERE p.company_id = ? AND p.search = wanted.text", company, keys)
}

// AccountHolder is a phone with the side of an account that it has in a company.
type AccountHolder struct {
	Phone string     `db:"phone"`
	Side  store.Side `db:"side"`
}

// AccountHolders reads which of some phones have accounts in a company, or were offered one, in no order.
func AccountHolders(ctx context.Context, db *store.DB, company int64, phones []string) ([]AccountHolder, error) {
	return rowsByText[AccountHolder](ctx, db, `SELECT p.phone, a.side
		FROM wanted CROSS JOIN phones p CROSS JOIN accounts a
		WHERE a.phone_id = p.id AND a.company_id = ? AND p.phone = wanted.text`, company, phones)
}

// rowsByText reads the rows of a company that have one of some values. The query reads the values from wanted and looks
// each of them up: with IN, Postgres compares every row of a company of some thousand rows with every value. CROSS JOIN
// makes SQLite begin with the values.
func rowsByText[T any](
	ctx context.Context, db *store.DB, query string, company int64, values []string,
) (all []T, err error) {
	query = "WITH wanted (text) AS (SELECT DISTINCT CAST(column1 AS TEXT) FROM (VALUES (?)" +
		strings.Repeat(", (?)", textsAtOnce-1) + ") AS given) " + query
	for some := range slices.Chunk(values, textsAtOnce) {
		var args []any
		for i := range textsAtOnce {
			args = append(args, some[min(i, len(some)-1)])
		}
		var rows []T
		if err := db.ReadRows(ctx, &rows, query, append(args, company)...); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
