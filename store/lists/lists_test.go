package lists_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/store"
	"portico/store/lists"
	"portico/store/pool"
	"portico/store/storetest"
)

// withCustomers returns a database whose company 1 has customers with the names c1, c2 and so on.
func withCustomers(t *testing.T, many int) *store.DB {
	t.Helper()
	db := storetest.SQLite(t)
	storetest.Exec(t, db, "INSERT INTO companies (id, name, created_at, updated_at) VALUES (1, 'Sur', 1, 1)")
	storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO clients (company_id, name, search, created_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT 1, 'c' || i, 'c' || i, 1 FROM n`, many))
	return db
}

func TestSearchesFindAndCount1001RowsAtMost(t *testing.T) {
	db := withCustomers(t, 1002)
	found, err := lists.Customers(t.Context(), db, lists.Query{Company: 1, Search: lists.NewSearch("c"), Limit: 2000})
	if err != nil || len(found) != 1001 {
		t.Errorf("%d customers are found, %v", len(found), err)
	}
	counts, err := lists.CountCustomers(t.Context(), db, lists.Query{Company: 1})
	if err != nil || len(counts) == 0 || counts[0].Count != 1001 {
		t.Errorf("counted %v, %v", counts, err)
	}
}

func TestPhoneNumbersAreFoundByTenDigitsOrAllEleven(t *testing.T) {
	for typed, want := range map[string]string{
		"13800000001": "13800000001", "138 0000-0001": "13800000001", "138000000012": "", // twelve digits are a name
	} {
		if got := lists.NewSearch(typed).Phone; got != want {
			t.Errorf("%s is understood as the phone number %q", typed, got)
		}
	}
	db := withCustomers(t, 12)
	// No phone number has twelve digits. Such a row stands for more numbers than ten digits can begin.
	for i, phone := range []string{
		"13800000010", "13800000011", "13800000012", "13800000013", "13800000014", "13800000015", "13800000016",
		"13800000017", "13800000018", "138000000185", "13800000019", "13800000020",
	} {
		id := i + 1
		storetest.Exec(t, db, fmt.Sprintf("INSERT INTO phones (id, phone, created_at) VALUES (%d, '%s', 1)", id, phone))
		storetest.Exec(t, db, fmt.Sprintf(`INSERT INTO accounts
			(company_id, side, type, login, login_key, phone_id, client_id, created_at)
			VALUES (1, 'shop', 3, 'a%[1]d', 'a%[1]d', %[1]d, %[1]d, 1)`, id))
	}
	for typed, want := range map[string]int{"138000000": 0, "1380000001": 10, "13800000020": 1} {
		q := lists.Query{Company: 1, Search: lists.NewSearch(typed), Limit: 100}
		people, err := lists.People(t.Context(), db, q)
		if err != nil || len(people) != want {
			t.Errorf("%s finds %d people, want %d: %v", typed, len(people), want, err)
		}
		customers, err := lists.Customers(t.Context(), db, q)
		if err != nil || len(customers) != want {
			t.Errorf("%s finds %d customers, want %d: %v", typed, len(customers), want, err)
		}
	}
}

// Postgres looks so few names up in the index, also in a company of some thousand rows.
func TestOneStatementLooksFor20Names(t *testing.T) {
	db := withCustomers(t, 21)
	statements := 0
	db.Observe(pool.Observer{Done: func(pool.Kind, time.Duration) { statements++ }})
	names := strings.Fields("c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19 c20 c21")
	for many, want := range map[int]int{20: 1, 21: 2} {
		statements = 0
		found, err := lists.CustomersByName(t.Context(), db, 1, names[:many])
		if err != nil || len(found) != many || statements != want {
			t.Errorf("%d names: %d customers by %d statements, want %d: %v", many, len(found), statements, want, err)
		}
	}
}
