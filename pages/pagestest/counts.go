package pagestest

import (
	"fmt"

	"portico/store/storetest"
)

// AddCustomers adds customers and pending applications to company 1001.
func (s *Site) AddCustomers(count int) {
	s.T.Helper()
	const series = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	storetest.Exec(s.T, s.Db, fmt.Sprintf("INSERT INTO clients (company_id, name, created_at) "+series+
		"SELECT 1001, 'Shop ' || i, 1 FROM n", count))
	storetest.Exec(s.T, s.Db, fmt.Sprintf(`INSERT INTO applications
		(id, company_id, phone, company_name, contact_name, created_at) `+series+
		`SELECT 900000 + i, 1001, CAST(15000000000 + i AS TEXT), 'Shop ' || i, 'Person', 1000 + i FROM n`, count))
}
