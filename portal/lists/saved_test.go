package lists_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/lists"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/store"
	"portico/store/storetest"
)

func TestAnAccountSavesFiltersForItself(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		stranger := p.LandingFor(companytest.AddCompany(p, "zh"))
		in := lists.Input{
			Search: " rice ", State: "new", From: "2026-03-01", Sort: "customer", Limit: "50", Cursor: "x",
		}
		portaltest.NoError(t, p.Lists.SaveFilter(t.Context(), o.boss, lists.OrderList, " 今天 ", in))
		in.State = "confirmed"
		portaltest.NoError(t, p.Lists.SaveFilter(t.Context(), o.boss, lists.OrderList, "今天", in))
		want := lists.Filter{
			Search: "rice", State: "confirmed", From: "2026-03-01", Sort: "customer", Limit: 50, NameSorted: true,
		}
		saved, err := p.Lists.SavedFilters(t.Context(), o.boss, lists.OrderList)
		if err != nil || len(saved) != 1 || saved[0].Name != "今天" || saved[0].Filter != want {
			t.Errorf("%+v, %v", saved, err)
		}
		for _, here := range []access.Landing{o.colleague, stranger} {
			portaltest.NoError(t, p.Lists.RemoveFilter(t.Context(), here, lists.OrderList, "今天"))
			if saved, err := p.Lists.SavedFilters(t.Context(), here, lists.OrderList); err != nil || len(saved) > 0 {
				t.Errorf("another account sees %+v, %v", saved, err)
			}
		}
		if saved, err := p.Lists.SavedFilters(t.Context(), o.boss, lists.PeopleList); err != nil || len(saved) > 0 {
			t.Errorf("another list has %+v, %v", saved, err)
		}
		if saved, _ = p.Lists.SavedFilters(t.Context(), o.boss, lists.OrderList); len(saved) != 1 {
			t.Error("another account removed the filter")
		}
		portaltest.NoError(t, p.Lists.RemoveFilter(t.Context(), o.boss, lists.OrderList, "今天"))
		if saved, _ = p.Lists.SavedFilters(t.Context(), o.boss, lists.OrderList); len(saved) != 0 {
			t.Error("the filter is not removed")
		}
	})
}

func TestAnAccountSavesTwelveFiltersOfAListAndTheyGoWithIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		o := newOffice(t, p)
		save := func(name string) error {
			return p.Lists.SaveFilter(t.Context(), o.colleague, lists.PeopleList, name, lists.Input{State: "invited"})
		}
		for i := range 11 {
			portaltest.NoError(t, save(fmt.Sprint("filter ", i)))
		}
		portaltest.NoError(t, save(strings.Repeat("长", 30)))
		portaltest.WantField(t, save("one more"), "name", lists.FiltersFull)
		portaltest.NoError(t, save("filter 3"))
		portaltest.WantField(t, save("  "), "name", access.FieldRequired)
		portaltest.WantField(t, save("a\x00b"), "name", access.TextMalformed)
		portaltest.WantField(t, save(strings.Repeat("长", 31)), "name", access.TextMalformed)
		employee := o.colleague
		employee.Member.Type, employee.Member.Company.EmployeeRights = store.TypeEmployee, "orders"
		for _, list := range []lists.Name{lists.PeopleList, lists.CustomerList, lists.ApplicationList, "audit"} {
			want := access.Forbidden
			portaltest.Refused(t, p.Lists.SaveFilter(t.Context(), employee, list, "x", lists.Input{}), want)
			portaltest.Refused(t, p.Lists.RemoveFilter(t.Context(), employee, list, "x"), want)
			_, err := p.Lists.SavedFilters(t.Context(), employee, list)
			portaltest.Refused(t, err, want)
		}
		storetest.Exec(t, p.DB, fmt.Sprintf("DELETE FROM accounts WHERE id = %d", o.colleague.Member.ID))
		if n := o.count("SELECT COUNT(*) FROM saved_filters WHERE company_id = ?"); n != 0 {
			t.Errorf("%d filters of an account that is gone", n)
		}
	})
}
