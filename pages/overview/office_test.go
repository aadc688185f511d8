package overview_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/access"
)

func TestOverviewShowsTodayWithATableBehindEachChart(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	buyer := s.SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2"),
		http.StatusSeeOther)
	boss := s.SignInByPhone("13800000002")
	for lang, today := range map[string]string{"zh": "今日待办", "es": "Hoy: ", "en": "Today: "} {
		page := pagestest.WantPage(t, boss.Get(pagestest.Office+"?lang="+lang), http.StatusOK,
			today, `href="/mgr/orders?state=new"`, `id="orders-by-day"`, `id="sales-by-day"`, `role="img"`)
		if rows := strings.Count(page, `<th scope="row">`); rows != 14 {
			t.Errorf("%s: the table has %d days", lang, rows)
		}
		for _, gone := range []string{`id="account"`, "NaN"} {
			if strings.Contains(page, gone) {
				t.Errorf("%s: the page has %s", lang, gone)
			}
		}
	}
}

func TestEmployeesSeeNoChartsOfWhatTheyMayNotSee(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	s.AddApplication(pagestest.Applicant)
	employee := s.SignInAsEmployee()
	for _, right := range []access.Right{access.RightOrders, access.RightApplications, access.RightCustomers} {
		c, err := s.DB.Companies.ByID(t.Context(), 1001)
		if err != nil {
			t.Fatal(err)
		}
		c.EmployeeRights = string(right)
		if err := s.DB.Companies.Update(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		page := pagestest.WantPage(t, employee.Get(pagestest.Office), http.StatusOK)
		for part, needs := range map[string]access.Right{
			`id="sales-by-day"`: access.RightOrders, `id="latest"`: access.RightOrders,
			`id="weeks"`: access.RightApplications, `class="figure"`: access.RightCustomers,
			"applications?state=pending": access.RightApplications,
		} {
			if strings.Contains(page, part) != (needs == right) {
				t.Errorf("with %s: %s is shown: %v", right, part, needs != right)
			}
		}
	}
}
