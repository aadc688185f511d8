package office_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/store/storetest"
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

func TestFirstStepsStandAboveTheFiguresAndSamplesAreNamed(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	before := func(page, first, second string) {
		t.Helper()
		i, k := strings.Index(page, first), strings.Index(page, second)
		if i < 0 || k < 0 || i > k {
			t.Errorf("%s does not stand before %s", first, second)
		}
	}
	clear := `href="/mgr/settings/initialisation"`
	page := pagestest.WantPage(t, b.Get(pagestest.Office+"?lang=en"), http.StatusOK, "Samples included here: ",
		"Orders to confirm ", "Customers ", clear, `class="chip sampled">Sample<`, "samples: ")
	before(page, `id="setup"`, `id="to-do"`) // samples call nobody to act
	before(page, `id="setup"`, `id="sales"`)
	before(page, `href="/mgr/products"><span class="mark">`, `href="/mgr/settings/registration"><span class="mark">`)
	if strings.Contains(page, `class="figure waits"`) {
		t.Error("samples wait for somebody")
	}

	buyer := s.SignInByPhone("13800000001")
	product := pagestest.FindIn(t, pagestest.Text(t, buyer.Get(pagestest.Shop)), `name="quantity_(\d+)"`)
	pagestest.WantStatus(t, buyer.Post(pagestest.Shop+"/orders", "product_id", product, "quantity", "2"),
		http.StatusSeeOther)
	page = pagestest.WantPage(t, b.Get(pagestest.Office), http.StatusOK, `class="figure waits"`)
	before(page, `id="to-do"`, `id="setup"`)
	before(page, `id="setup"`, `id="sales"`)

	storetest.Exec(t, s.DB, "DELETE FROM orders WHERE company_id = 1001 AND sample <> ''")
	storetest.Exec(t, s.DB, "UPDATE clients SET sample = '' WHERE company_id = 1001")
	storetest.Exec(t, s.DB, "UPDATE products SET sample = '' WHERE company_id = 1001")
	storetest.Exec(t, s.DB, "UPDATE categories SET sample = '' WHERE company_id = 1001")
	page = pagestest.WantPage(t, b.Get(pagestest.Office), http.StatusOK, `id="setup"`)
	for _, gone := range []string{clear, "chip sampled", "note samples"} {
		if strings.Contains(page, gone) {
			t.Errorf("a company without samples sees %s", gone)
		}
	}
}

func TestSamplesAreMarkedInListsAndOnTheirPages(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for _, list := range []string{"orders", "customers", "products"} {
		page := pagestest.WantPage(t, b.Get(pagestest.Office+"/"+list+"?lang=es"), http.StatusOK,
			`<span class="chip sampled">Ejemplo</span>`)
		at := pagestest.FindIn(t, page, `href="/mgr/`+list+`/(\d+)">\s*<span class="chip sampled">`)
		pagestest.WantPage(t, b.Get(pagestest.Office+"/"+list+"/"+at+"?lang=es"), http.StatusOK,
			`</h1>`, `<span class="chip sampled">Ejemplo</span>`)
	}
}
