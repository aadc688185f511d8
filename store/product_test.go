package store_test

import (
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestSearchOfAShopLooksAt10000Products(t *testing.T) {
	db := storetest.SQLite(t)
	for _, insert := range []string{
		"INSERT INTO companies (id, name, created_at, updated_at) VALUES (1, 'Sur', 1, 1)",
		"INSERT INTO categories (id, company_id, name) VALUES (1, 1, 'Oil')",
		`INSERT INTO products (id, company_id, category_id, name, search, spec, unit, price, stock)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
			SELECT i, 1, 1, printf('%05d', i), printf('%05d', i) || iif(i >= 10000, ' olive', ''), '', '', 1, 1 FROM n`,
	} {
		storetest.Exec(t, db, insert)
	}
	found, err := db.Products.InShop(t.Context(), store.ShopQuery{CompanyID: 1, Search: "olive", Limit: 10})
	if err != nil || len(found) != 1 || found[0].ID != 10_000 {
		t.Errorf("%d products are found: %+v, %v", len(found), found, err)
	}
}
