package store_test

import (
	"context"
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestHistoryHasAtMost50Events(t *testing.T) {
	db := storetest.SQLite(t)
	for part, history := range map[string]func(context.Context, int64, string) ([]store.AuditRow, error){
		"orders": db.Reports.HistoryOfOrder, "customers": db.Reports.HistoryOfCustomer,
		"people": db.Reports.HistoryOfPerson,
	} {
		storetest.Exec(t, db, `INSERT INTO audit_events (at, kind, part, company_id, detail)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 51)
			SELECT i, 'changed', '`+part+`', 1, '42' FROM n`)
		events, err := history(t.Context(), 1, "42")
		if err != nil || len(events) != 50 || events[0].At != 51 {
			t.Errorf("%s: %d events, %v", part, len(events), err)
		}
	}
}

// addOrders adds orders of one cent each, with the numbers from first to last, to customer 1 of company 1.
func addOrders(t *testing.T, db *store.DB, first, last string) {
	t.Helper()
	storetest.Exec(t, db, `INSERT INTO orders (company_id, number, client_id, form, total, placed_at)
		WITH RECURSIVE n (i) AS (SELECT `+first+` UNION ALL SELECT i + 1 FROM n WHERE i < `+last+`)
		SELECT 1, i, 1, 'form ' || i, 1, 1 FROM n`)
}

func withCustomer(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.SQLite(t)
	storetest.Exec(t, db, "INSERT INTO companies (id, name, created_at, updated_at) VALUES (1, 'Sur', 1, 1)")
	storetest.Exec(t, db, "INSERT INTO clients (id, company_id, name, created_at) VALUES (1, 1, 'Lin', 1)")
	return db
}

func TestNewest10000OrdersOfACustomerAreSummed(t *testing.T) {
	db := withCustomer(t)
	for _, c := range []struct {
		first, last string
		sum         int64
		isPart      bool
	}{
		{"1", "9999", 9_999, false}, {"10000", "10000", 10_000, true}, {"10001", "10001", 10_000, true},
	} {
		addOrders(t, db, c.first, c.last)
		sum, err := db.Reports.OrdersOfClient(t.Context(), 1, 1)
		if err != nil || sum.Count != c.sum || sum.Total != c.sum || sum.IsPart() != c.isPart {
			t.Errorf("after order %s: %+v, a part: %t, %v", c.last, sum, sum.IsPart(), err)
		}
	}
}

func TestOrdersAreSummedByDayAndTimeOfDayOfTheCompany(t *testing.T) {
	const (
		hour   = 60 * 60 * 1000
		offset = 8 * hour                     // the company's clocks are ahead of UTC
		now    = 3*24*hour + 18*hour - offset // day 3, at 18:00 there
	)
	db := withCustomer(t)
	for i, placedAt := range []store.Instant{now - 24*hour, now - 24*hour + 1, now - 42*hour, now} {
		o := store.Order{CompanyID: 1, ClientID: 1, Number: int64(i + 1), Form: string(rune('a' + i)), State: "new"}
		o.PlacedAt, o.Total = placedAt, 100
		if _, err := db.Orders.Add(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	got, err := db.Reports.OrdersByDay(t.Context(), 1, 0, now, offset)
	want := []store.OrderSum{
		{Day: 2, IsEarly: false, Orders: 1, Total: 100}, {Day: 2, IsEarly: true, Orders: 2, Total: 200},
		{Day: 3, IsEarly: true, Orders: 1, Total: 100},
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
