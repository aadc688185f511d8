package store_test

import (
	"testing"

	"portico/store"
	"portico/store/storetest"
)

// Each cart may have a hundred lines, so that a step removes a thousand rows at most, like the other steps of a sweep.
func TestOneStepOfASweepRemovesTenCarts(t *testing.T) {
	db := storetest.SQLite(t)
	numbers := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11) "
	for _, insert := range []string{
		"INSERT INTO companies (id, name, created_at, updated_at) VALUES (1, 'Sur', 1, 1)",
		"INSERT INTO accounts (id, company_id, side, type, login, login_key, created_at) " + numbers +
			"SELECT i, 1, 'shop', 3, 'a' || i, 'a' || i, 1 FROM n",
		"INSERT INTO carts (account_id, company_id, form, changed_at) " + numbers + "SELECT i, 1, 'form', 5 FROM n",
	} {
		storetest.Exec(t, db, insert)
	}
	for _, c := range []struct{ returned, left int64 }{
		{store.SweepStep, 1}, // there may be more
		{1, 0},
	} {
		n, err := db.Carts.Forget(t.Context(), 10)
		var left []int64
		if err == nil {
			err = db.ReadRows(t.Context(), &left, "SELECT COUNT(*) FROM carts")
		}
		if err != nil || n != c.returned || left[0] != c.left {
			t.Errorf("a step returns %d and leaves %v carts, want %d and %d: %v", n, left, c.returned, c.left, err)
		}
	}
}
