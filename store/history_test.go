package store_test

import (
	"testing"

	"portico/store"
	"portico/store/storetest"
)

func TestTheHistoryOfARecordHasOnlyTheEventsOfItsCompanyAndPart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		for i, e := range []store.AuditEvent{
			{Kind: "order_placed", Part: "orders", CompanyID: 1, Detail: "7"},
			{Kind: "order_confirmed", Part: "orders", CompanyID: 1, Detail: "42"},
			{Kind: "order_confirmed", Part: "orders", CompanyID: 2, Detail: "42"},
			{Kind: "customer_ended", Part: "customers", CompanyID: 1, Detail: "42"},
			{Kind: "customer_ended", Part: "customers", CompanyID: 2, Detail: "42"},
			{Kind: "customer_ended", Part: "customers", CompanyID: 1, Detail: "43"},
		} {
			e.At = store.Instant(i + 1)
			if err := db.Audit.Add(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		order, err := db.Reports.HistoryOfOrder(ctx, 1, "42")
		if err != nil || len(order) != 1 || order[0].Kind != "order_confirmed" || order[0].CompanyID != 1 {
			t.Errorf("%+v, %v", order, err)
		}
		customer, err := db.Reports.HistoryOfCustomer(ctx, 1, "42")
		if err != nil || len(customer) != 1 || customer[0].Kind != "customer_ended" || customer[0].CompanyID != 1 {
			t.Errorf("%+v, %v", customer, err)
		}
	})
}
