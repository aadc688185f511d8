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
	for lang, today := range map[string]string{"zh": "昨日此时", "es": "Ayer a esta hora", "en": "Yesterday by this time"} {
		page := pagestest.WantPage(t, boss.Get(pagestest.Office+"?lang="+lang), http.StatusOK,
			today, `href="/mgr/orders?state=new"`, `id="orders-by-day"`, `id="sales-by-day"`, `role="img"`)
		sales, _, _ := strings.Cut(page, `id="latest"`)
		if rows := strings.Count(sales, `<th scope="row">`); rows != 14 {
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
			`id="weeks"`: access.RightApplications, `href="/mgr/customers"><strong>`: access.RightCustomers,
			"applications?state=pending": access.RightApplications,
		} {
			if strings.Contains(page, part) != (needs == right) {
				t.Errorf("with %s: %s is shown: %v", right, part, needs != right)
			}
		}
	}
}

func TestOverviewShowsHowPeopleSignedInAndWhySomeCouldNot(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	boss := s.SignInByPhone("13800000002")
	s.Browser().Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password", "Wrong2026")
	if err := s.Portal.Statistics.WriteViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	for lang, words := range map[string][]string{
		"zh": {"登录", "密码不正确"}, "es": {"Inicios de sesión", "Contraseña incorrecta"},
		"en": {"Sign-ins", "Wrong password"},
	} {
		pagestest.WantPage(t, boss.Get(pagestest.Office+"?lang="+lang), http.StatusOK, words...)
	}
}
