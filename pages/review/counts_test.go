package review_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store/storetest"
)

func TestCountsAboveAThousandAreShownAsMoreThanAThousand(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	addCustomers(s, 1001)
	b := s.SignInByPhone("13800000002")
	for lang, want := range map[string][2]string{
		"zh": {">1,000+<", ">1,000+<"}, "es": {">1,000+<", ">Más de 1,000<"}, "en": {">1,000+<", ">1,000+<"},
	} {
		pagestest.WantPage(t, b.Get(pagestest.Office+"/customers?lang="+lang), http.StatusOK, want[0])
		pagestest.WantPage(t, b.Get(pagestest.Office+"/applications?lang="+lang), http.StatusOK, want[0])
		pagestest.WantPage(t, b.Get(pagestest.Office+"?lang="+lang), http.StatusOK, want[1])
	}
}

func TestListOfApplicationsHasPagesAndAcceptsOldAddresses(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	addCustomers(s, 120)
	b := s.SignInByPhone("13800000002")
	first := pagestest.WantPage(t, b.Get(pagestest.Office+"/applications?limit=50"), http.StatusOK, ">Shop 120<",
		">Shop 71<")
	seen := map[string]bool{}
	address, pages := pagestest.Office+"/applications?limit=50", 0
	for address != "" {
		page := pagestest.WantPage(t, b.Get(address), http.StatusOK)
		for _, m := range regexp.MustCompile(`href="/mgr/applications/(\d+)"`).FindAllStringSubmatch(page, -1) {
			seen[m[1]] = true
		}
		if pages++; pages > 1 && !strings.Contains(page, `href="/mgr/applications?limit=50">`) {
			t.Error("no way back to the first page")
		}
		address = ""
		next := regexp.MustCompile(`class="button quiet" href="(/mgr/applications\?cursor=[^"]+)"`)
		if older := next.FindStringSubmatch(page); older != nil {
			address = "http://store1001.portico.test" + strings.ReplaceAll(older[1], "&amp;", "&")
		}
	}
	if pages != 3 || len(seen) < 120 {
		t.Errorf("%d applications on %d pages", len(seen), pages)
	}
	for _, query := range []string{
		"?cursor=x", "?page=2", "?page=-1", "?from=",
		"?from=pending", "?from=pending-1-x", "?from=other-1-2", "?from=pending-1-2-3",
		"?from=pending-99999999999999999999-1",
	} {
		page := pagestest.WantPage(t, b.Get(pagestest.Office+"/applications"+query), http.StatusOK)
		if strings.Contains(page, ">Shop 120<") != strings.Contains(first, ">Shop 120<") {
			t.Errorf("%s does not show the first page", query)
		}
	}
}

// addCustomers adds count customers and count pending applications to company 1001. It fails the test when the database
// fails.
func addCustomers(s *pagestest.Site, count int) {
	s.T.Helper()
	const series = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	storetest.Exec(s.T, s.DB, fmt.Sprintf("INSERT INTO clients (company_id, name, created_at) "+series+
		"SELECT 1001, 'Shop ' || i, 1 FROM n", count))
	storetest.Exec(s.T, s.DB, fmt.Sprintf(`INSERT INTO applications
		(id, company_id, phone, company_name, contact_name, created_at) `+series+
		`SELECT 900000 + i, 1001, CAST(15000000000 + i AS TEXT), 'Shop ' || i, 'Person', 1000 + i FROM n`, count))
}
