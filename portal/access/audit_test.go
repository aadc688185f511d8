package access_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/office"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/storetest"
)

func TestTheAuditLogIsReadPageByPageNewestFirst(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range 53 { // a page has 50 events
			companytest.AddEvent(p, 1002, 0, "order_placed", fmt.Sprint(i))
		}
		here := p.Office("sur")
		first, err := p.Access.Audit(t.Context(), here, access.AuditFilter{})
		if err != nil || len(first.Events) != 50 || first.Older != first.Events[49].ID {
			t.Fatalf("%d, %d, %v", len(first.Events), first.Older, err)
		}
		rest, err := p.Access.Audit(t.Context(), here, access.AuditFilter{Before: first.Older})
		if err != nil || len(rest.Events) != 3 || rest.Older != 0 {
			t.Errorf("%+v, %v", rest, err)
		}
		all, err := companytest.AuditEvents(p, here, access.AuditFilter{})
		if err != nil || len(all) != 53 ||
			!slices.IsSortedFunc(all, func(a, b access.AuditEvent) int { return int(b.ID - a.ID) }) {
			t.Errorf("%d, %v", len(all), err)
		}
	})
}

func TestAnExportOfTheAuditLogReadsTenThousandEventsFiveHundredAtATime(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	storetest.Exec(t, p.DB, fmt.Sprintf(`INSERT INTO audit_events (at, kind, part, company_id)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
		SELECT %d, 'registration_set', 'settings', 1002 FROM n`, store.At(p.Clock.Now())))
	read := 0
	err := p.Lists.EachAuditEvent(t.Context(), p.Office("sur"), access.AuditFilter{Of: access.AuditSettings},
		func(events []access.AuditEvent) error {
			if read += len(events); len(events) != 500 {
				t.Errorf("%d events at a time", len(events))
			}
			return nil
		})
	if err != nil || read != 10_000 {
		t.Errorf("%d events, %v", read, err)
	}
}

func TestTheAuditLogOffersFiftyPeopleToFilterBy(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range 51 {
			companytest.AddAccount(p, fmt.Sprintf("clerk%d", i), 1002, store.Mgr, "")
		}
		list, err := p.Access.Audit(t.Context(), p.Office("sur"), access.AuditFilter{})
		if err != nil || len(list.Staff) != 50 {
			t.Errorf("%d people, %v", len(list.Staff), err)
		}
	})
}

func TestTheAuditLogNamesPeopleOfTheCompanyAndNoSecrets(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("jinsui")
		companytest.AddEvent(p, 1001, here.Member.ID, "registration_set", "")
		// another company's account names nobody
		companytest.AddEvent(p, 1001, p.Account("sur").ID, "order_placed", "5")
		companytest.AddEvent(p, 1001, 0, "domain_verified", "shop.acme.com")
		companytest.AddEvent(p, 1001, 0, "code_sent", "13800000001")
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "mall", "open"))
		list, err := p.Access.Audit(t.Context(), here, access.AuditFilter{})
		portaltest.NoError(t, err)
		got := list.Events[:5]
		if !got[0].Operator || got[0].Login != "" || got[0].Kind != "company_set" ||
			got[2].Host != "shop.acme.com" || got[3].Login != "" ||
			got[4].Login != "jinsui" || got[4].Name != here.Member.Name ||
			got[4].Address != "203.0.113.77" {
			t.Errorf("%+v", got)
		}
		if strings.Contains(fmt.Sprint(list), "13800000001") {
			t.Error("a detail that is no host is shown")
		}
	})
}

func TestTheAuditLogIsFilteredByKindAndShowsOnlyTheOwnCompany(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for group, kinds := range access.AuditKinds {
			for _, kind := range kinds {
				companytest.AddEvent(p, 1002, 0, kind, "")
				companytest.AddEvent(p, 1001, 0, kind, "")
			}
			list, err := p.Access.Audit(t.Context(), p.Office("sur"), access.AuditFilter{Of: group})
			if err != nil || len(list.Events) != len(kinds) {
				t.Errorf("%s: %d, %v", group, len(list.Events), err)
			}
		}
		_, err := p.Access.Audit(t.Context(), p.Office("sur"), access.AuditFilter{Of: "others"})
		portaltest.Refused(t, err, access.NotFound)
		ours, err := companytest.AuditEvents(p, p.Office("jinsui"), access.AuditFilter{})
		portaltest.NoError(t, err)
		theirs, err := p.Access.Audit(t.Context(), p.Office("sur"), access.AuditFilter{Before: ours[0].ID})
		portaltest.NoError(t, err)
		for _, e := range theirs.Events {
			if slices.ContainsFunc(ours, func(o access.AuditEvent) bool { return o.ID == e.ID }) {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestEmployeesReadTheAuditLogOnlyWithTheRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for login, want := range map[string]access.Refusal{"li.manager": access.Forbidden, "buyer1": access.NotFound} {
			_, err := p.Access.Audit(t.Context(), p.Office(login), access.AuditFilter{})
			portaltest.Refused(t, err, want)
			_, err = companytest.AuditEvents(p, p.Office(login), access.AuditFilter{})
			portaltest.Refused(t, err, want)
		}
		portaltest.NoError(t, p.Backoffice.SetEmployeeRights(t.Context(), p.Office("jinsui"),
			office.EmployeeRightsInput{Rights: []access.Right{access.RightAudit}}))
		list, err := p.Access.Audit(t.Context(), p.Office("li.manager"), access.AuditFilter{Of: access.AuditSettings})
		if err != nil || len(list.Events) != 1 || list.Events[0].Kind != "employee_rights_set" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestTheAuditLogNamesWhatAnEventIsAbout(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, other := p.Office("jinsui"), p.Account("sur")
		employee, customer := p.Account("li.manager"), p.Account("buyer1")
		for _, e := range []struct{ kind, detail string }{
			{"account_disabled", fmt.Sprint(employee.ID)}, {"customer_ended", fmt.Sprint(customer.ClientID)},
			{"order_placed", "17"}, {"account_disabled", fmt.Sprint(other.ID)}, {"account_disabled", "x"},
		} {
			companytest.AddEvent(p, 1001, here.Member.ID, e.kind, e.detail)
		}
		list, err := p.Access.Audit(t.Context(), here, access.AuditFilter{})
		portaltest.NoError(t, err)
		for i, want := range []string{"", "", "17", customer.ClientName, employee.Name} {
			if got := list.Events[i].Object; got != want {
				t.Errorf("%s is about %q, want %q", list.Events[i].Kind, got, want)
			}
		}
		if customer.ClientName == "" || employee.Name == "" {
			t.Error("the test compares nothing")
		}
	})
}

func TestTheHistoryOfAnOrderHasNoEventsOfOtherRecords(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("jinsui")
		for _, e := range []struct{ kind, detail string }{
			{"order_placed", "7"}, {"order_confirmed", "700"}, {"order_placed", "700"}, {"order_confirmed", "7"},
			{"customer_ended", "700"}, {"application_approved", "700"},
		} {
			companytest.AddEvent(p, 1001, here.Member.ID, e.kind, e.detail)
			companytest.AddEvent(p, 1002, 0, e.kind, e.detail)
		}
		kinds := func(events []access.AuditEvent, err error) (all []string) {
			t.Helper()
			portaltest.NoError(t, err)
			for _, e := range events {
				all = append(all, e.Kind+" "+e.Login)
			}
			return all
		}
		order := store.Order{ID: 700, Number: 7}
		for name, c := range map[string]struct{ got, want []string }{
			"order": {kinds(p.Access.HistoryOfOrder(t.Context(), here, order)),
				[]string{"order_confirmed jinsui", "order_placed jinsui"}},
			"customer": {kinds(p.Access.HistoryOfCustomer(t.Context(), here, 700)),
				[]string{"customer_ended jinsui"}},
			"application": {kinds(p.Access.HistoryOfApplication(t.Context(), here, 700)),
				[]string{"application_approved jinsui"}},
		} {
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%s: %q, want %q", name, c.got, c.want)
			}
		}
	})
}

func TestTheAuditLogIsFilteredByARecord(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here := p.Office("jinsui")
		orders, err := p.DB.Orders.OfCompany(t.Context(), 1001, math.MaxInt32, 1)
		portaltest.NoError(t, err)
		order := orders[0]
		object := access.ObjectName("orders", order.ID)
		for _, e := range []struct{ kind, detail string }{
			{"order_placed", access.Decimal(order.Number)}, {"order_confirmed", access.Decimal(order.ID)},
			{"order_confirmed", "70000"}, {"customer_ended", access.Decimal(order.ID)},
			{"customer_ended", "2001"}, {"application_approved", "2001"},
		} {
			companytest.AddEvent(p, 1001, here.Member.ID, e.kind, e.detail)
			companytest.AddEvent(p, 1002, 0, e.kind, e.detail)
		}
		today := p.Clock.Now().In(access.CompanyDay).Format(time.DateOnly)
		ofOrder := []string{"order_confirmed", "order_placed"}
		for name, c := range map[string]struct {
			f    access.AuditFilter
			want []string
		}{
			"an order":        {access.AuditFilter{Object: object}, ofOrder},
			"an order, today": {access.AuditFilter{Object: object, From: today}, ofOrder},
			"an order, by me": {access.AuditFilter{Object: object, Person: here.Member.ID}, ofOrder},
			"a customer":      {access.AuditFilter{Object: "customers-2001"}, []string{"customer_ended"}},
			"an application":  {access.AuditFilter{Object: "applications-2001"}, []string{"application_approved"}},
		} {
			list, err := p.Access.Audit(t.Context(), here, c.f)
			portaltest.NoError(t, err)
			var kinds []string
			for _, e := range list.Events {
				kinds = append(kinds, e.Kind)
				if e.About().Kind == "orders" && e.ObjectID != order.ID {
					t.Errorf("%s: %s leads to order %d, want %d", name, e.Kind, e.ObjectID, order.ID)
				}
			}
			if !slices.Equal(kinds, c.want) || list.Filter.Object != c.f.Object {
				t.Errorf("%s: %q, want %q", name, kinds, c.want)
			}
		}
		for _, none := range []string{"orders", "orders-x", "products-1", "-1", "sessions-1"} {
			list, err := p.Access.Audit(t.Context(), here, access.AuditFilter{Object: none})
			if err != nil || list.Filter.Object != "" || len(list.Events) < 6 {
				t.Errorf("%q: filtered by %q, %d events, %v", none, list.Filter.Object, len(list.Events), err)
			}
		}
	})
}

func TestTheAuditLogIsFilteredByPersonAndDay(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		here, other := p.Office("jinsui"), p.Account("li.manager")
		yesterday := p.Clock.Now()
		mine := func(kind string, by int64) { companytest.AddEvent(p, 1001, by, kind, "") }
		mine("registration_set", here.Member.ID)
		mine("bank_account_set", other.ID)
		p.Clock.Advance(access.Day)
		today := p.Clock.Now()
		mine("registration_set", other.ID)
		companytest.AddEvent(p, 1002, other.ID, "registration_set", "")
		day := func(at time.Time) string { return at.In(access.CompanyDay).Format(time.DateOnly) }
		for name, c := range map[string]struct {
			filter access.AuditFilter
			want   int
		}{
			"a person":                   {access.AuditFilter{Person: other.ID}, 2},
			"a person and a day":         {access.AuditFilter{Person: other.ID, From: day(today)}, 1},
			"a day":                      {access.AuditFilter{From: day(yesterday), To: day(yesterday)}, 2},
			"days the wrong way round":   {access.AuditFilter{From: day(today), To: day(yesterday)}, 3},
			"a day, a person, a group":   {access.AuditFilter{Of: "settings", Person: other.ID, To: day(yesterday)}, 1},
			"days that are none":         {access.AuditFilter{From: "2026-02-31", To: "x"}, 3},
			"a person of somebody else":  {access.AuditFilter{Person: p.Account("sur").ID}, 3},
			"a day of which nobody knew": {access.AuditFilter{From: "2031-01-01"}, 0},
		} {
			events, err := companytest.AuditEvents(p, here, c.filter)
			portaltest.NoError(t, err)
			events = slices.DeleteFunc(events, func(e access.AuditEvent) bool {
				return e.Kind != "registration_set" && e.Kind != "bank_account_set"
			})
			if len(events) != c.want {
				t.Errorf("%s: %d events, want %d", name, len(events), c.want)
			}
		}
		// page by page it has the same events as in one piece
		for i := range 50 {
			mine("registration_set", []int64{here.Member.ID, other.ID}[i%2])
		}
		f := access.AuditFilter{From: day(yesterday)}
		all, err := companytest.AuditEvents(p, here, f)
		portaltest.NoError(t, err)
		var read []access.AuditEvent
		for {
			list, err := p.Access.Audit(t.Context(), here, f)
			portaltest.NoError(t, err)
			read = append(read, list.Events...)
			if f.Before = list.Older; f.Before == 0 {
				break
			}
		}
		same := slices.EqualFunc(all, read, func(x, y access.AuditEvent) bool { return x.ID == y.ID })
		if len(all) <= 50 || !same {
			t.Errorf("%d events in pages, %d in one piece", len(read), len(all))
		}
	})
}
