package lists

import (
	"context"

	"portico/store"
)

// OrdersByID reads the orders of a company that have some ids, with the accounts that confirmed them, in no order.
func OrdersByID(ctx context.Context, db *store.DB, company int64, ids []int64) ([]store.Order, error) {
	return rowsByID[store.Order](ctx, db, orders, company, ids, selection{
		columns: orderColumns + ", o.confirmed_by", joins: " CROSS JOIN clients k", on: " AND k.id = o.client_id",
	})
}

// CustomersByID reads the customers of a company that have some ids, in no order.
func CustomersByID(ctx context.Context, db *store.DB, company int64, ids []int64) ([]store.Client, error) {
	return rowsByID[store.Client](ctx, db, customers, company, ids, selection{columns: customerColumns})
}

// ApplicationsByID reads the applications to a company that have some ids, in no order.
func ApplicationsByID(ctx context.Context, db *store.DB, company int64, ids []int64) ([]store.Application, error) {
	return rowsByID[store.Application](ctx, db, applications, company, ids, selection{columns: applicationColumns})
}

// PeopleByID reads the accounts of a company that have some ids, in no order.
func PeopleByID(ctx context.Context, db *store.DB, company int64, ids []int64) ([]store.Member, error) {
	return rowsByID[store.Member](ctx, db, people, company, ids, selection{columns: personColumns, joins: personJoins})
}

// rowsByID reads rows as page does. The plus before company_id makes SQLite look for the ids instead of reading all
// rows of the company.
func rowsByID[T any](
	ctx context.Context, db *store.DB, t table, company int64, ids []int64, of selection,
) ([]T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := inList(ids)
	var all []T
	err := db.ReadRows(ctx, &all, "SELECT "+of.columns+" FROM "+t.name+" "+t.alias+of.joins+
		" WHERE "+t.alias+".id IN ("+in+") AND +"+t.alias+".company_id = ?"+of.on,
		append(args, company)...)
	return all, err
}
