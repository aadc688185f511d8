package lists

import (
	"context"

	"portico/store"
	"portico/store/searchkey"
)

// keyless is a row without the key of its name.
type keyless struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// AddKeys gives up to store.SweepStep rows of customers, applications, people, products and orders each the key of
// their names: rows of before the schema had keys, rows that a program of a former version wrote, and people that it
// renamed. It returns how many rows it changed of the kind that had the most.
func AddKeys(ctx context.Context, db *store.DB) (int64, error) {
	var most int64
	for _, t := range []struct{ find, update string }{
		{
			"SELECT id, name FROM clients WHERE search = '' LIMIT ?",
			"UPDATE clients SET search = ? WHERE id = ? AND name = ? AND search = ''",
		},
		{
			"SELECT id, company_name AS name FROM applications WHERE search = '' LIMIT ?",
			"UPDATE applications SET search = ? WHERE id = ? AND company_name = ? AND search = ''",
		},
		{
			"SELECT id, name FROM products WHERE search = '' LIMIT ?",
			"UPDATE products SET search = ? WHERE id = ? AND name = ? AND search = ''",
		},
		{
			"SELECT id, name FROM accounts WHERE search_of <> name LIMIT ?",
			"UPDATE accounts SET search = ?, search_of = name WHERE id = ? AND name = ?",
		},
	} {
		var all []keyless
		if err := db.ReadRows(ctx, &all, t.find, store.SweepStep); err != nil {
			return most, err
		}
		err := db.Tx(ctx, func(tx *store.DB) error {
			for _, row := range all {
				if _, err := tx.ChangeRows(ctx, t.update, searchkey.OfRow(row.Name), row.ID, row.Name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return most, err
		}
		most = max(most, int64(len(all)))
	}
	// A customer that a former version adds after this step has its key with the next one; its orders wait for it.
	changed, err := db.ChangeRows(ctx, `UPDATE orders
		SET search = (SELECT k.search FROM clients k WHERE k.id = orders.client_id)
		WHERE id IN (SELECT o.id FROM orders o JOIN clients k ON k.id = o.client_id AND k.search <> ''
			WHERE o.search = '' LIMIT ?)`, store.SweepStep)
	return max(most, changed), err
}
