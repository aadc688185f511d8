package pages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/pages"
	"portico/pages/pagestest"
	"portico/portal/access"
)

// officeRows returns a row for every route of the back office. The test fails for a route without a row.
func officeRows(s *pagestest.Site) []officeRow {
	account := pagestest.Decimal(s.Account("former").ID)
	customer, staff := pagestest.Decimal(s.Account("former").ClientID), pagestest.Decimal(s.Account("li.manager").ID)
	order := pagestest.FindIn(s.T, pagestest.Text(s.T, s.SignInByPhone("13800000002").Get(pagestest.Office)),
		`href="/mgr/orders/(\d+)"`)
	product := pagestest.FindIn(s.T, pagestest.Text(s.T, s.SignInByPhone("13800000001").Get(pagestest.Shop)),
		`name="quantity_(\d+)"`)
	return []officeRow{
		{Route: "GET /home"},
		{Route: "POST /home"},
		{Route: "GET /home/orders", Right: access.RightOrders},
		{Route: "GET /home/orders/{id}", Right: access.RightOrders, Path: "/orders/" + order},
		{Route: "POST /home/orders/{id}", Right: access.RightOrders, Path: "/orders/" + order,
			Forms: []string{"action=confirm"}},
		{Route: "GET /home/applications", Right: access.RightApplications},
		{Route: "POST /home/applications", Right: access.RightReview,
			Forms: []string{"action=notify_on", "action=notify_off"}},
		{Route: "GET /home/applications/{id}", Right: access.RightApplications, Path: "/applications/1"},
		{Route: "POST /home/applications/{id}", Right: access.RightReview, Path: "/applications/1",
			Forms: []string{"action=approve", "action=reject&reason=x"}},
		{Route: "GET /home/applications/{id}/licence", Right: access.RightApplications, Path: "/applications/1/licence",
			Hidden: true},
		{Route: "GET /home/customers", Right: access.RightCustomers},
		{Route: "GET /home/customers/{id}", Right: access.RightCustomers, Path: "/customers/" + customer},
		{Route: "POST /home/customers/{id}", Right: access.RightManageCustomers, Path: "/customers/" + customer,
			Forms: []string{"action=end", "action=resume", "action=set_type&client_type_id=2"}},
		{Route: "GET /home/people", Right: access.RightPeople},
		{Route: "GET /home/people/new", Right: access.RightManagePeople},
		{Route: "POST /home/people/new", Right: access.RightManagePeople,
			Forms: []string{"side=mgr&type=2&name=x", "side=mgr&type=1&name=x&phone=13912345678",
				"side=shop&type=3&name=x&client_name=y"}},
		{Route: "GET /home/people/{id}", Right: access.RightPeople, Path: "/people/" + account},
		{Route: "POST /home/people/{id}", Right: access.RightManagePeople, Path: "/people/" + account,
			Forms: []string{"action=disable", "action=enable", "action=reset_password", "action=invite",
				"action=edit&name=x"}},
		{Route: "GET /home/people/{id}/role", Right: access.RightManagePeople, Path: "/people/" + staff + "/role"},
		{Route: "POST /home/people/{id}/role", Right: access.RightManagePeople, Path: "/people/" + staff + "/role",
			Forms: []string{"action=make_administrator&password=Demo2026"}},
		{Route: "GET /home/orders/bulk", Right: access.RightOrders, Path: "/orders/bulk?action=confirm&id=" + order,
			Missing: true},
		{Route: "POST /home/orders/bulk", Right: access.RightOrders,
			Forms: []string{"action=confirm&form=x&id=" + order}},
		{Route: "GET /home/applications/bulk", Right: access.RightReview, Missing: true,
			Path: "/applications/bulk?action=approve&id=1"},
		{Route: "POST /home/applications/bulk", Right: access.RightReview,
			Forms: []string{"action=approve&form=x&id=1", "action=reject&reason=x&form=y&id=1"}},
		{Route: "GET /home/customers/bulk", Right: access.RightManageCustomers, Missing: true,
			Path: "/customers/bulk?action=end&id=" + customer},
		{Route: "POST /home/customers/bulk", Right: access.RightManageCustomers,
			Forms: []string{"action=end&form=x&id=" + customer, "action=resume&form=y&id=" + customer}},
		{Route: "GET /home/people/bulk", Right: access.RightManagePeople, Missing: true,
			Path: "/people/bulk?action=disable&id=" + account},
		{Route: "POST /home/people/bulk", Right: access.RightManagePeople,
			Forms: []string{"action=disable&form=x&id=" + account, "action=enable&form=y&id=" + account,
				"action=invite&form=z&id=" + account}},
		{Route: "GET /home/orders/filters", Right: access.RightOrders},
		{Route: "POST /home/orders/filters", Right: access.RightOrders,
			Forms: []string{"action=save&name=x&back=limit%3D50", "action=remove&name=x"}},
		{Route: "GET /home/applications/filters", Right: access.RightApplications},
		{Route: "POST /home/applications/filters", Right: access.RightApplications,
			Forms: []string{"action=save&name=x&back=limit%3D50", "action=remove&name=x"}},
		{Route: "GET /home/customers/filters", Right: access.RightCustomers},
		{Route: "POST /home/customers/filters", Right: access.RightCustomers,
			Forms: []string{"action=save&name=x&back=limit%3D50", "action=remove&name=x"}},
		{Route: "GET /home/people/filters", Right: access.RightPeople},
		{Route: "POST /home/people/filters", Right: access.RightPeople,
			Forms: []string{"action=save&name=x&back=limit%3D50", "action=remove&name=x"}},
		{Route: "GET /home/orders/export.csv", Right: access.RightOrders},
		{Route: "GET /home/orders/export.xlsx", Right: access.RightOrders},
		{Route: "GET /home/applications/export.csv", Right: access.RightApplications},
		{Route: "GET /home/applications/export.xlsx", Right: access.RightApplications},
		{Route: "GET /home/customers/export.csv", Right: access.RightCustomers},
		{Route: "GET /home/customers/export.xlsx", Right: access.RightCustomers},
		{Route: "GET /home/people/export.csv", Right: access.RightPeople},
		{Route: "GET /home/people/export.xlsx", Right: access.RightPeople},
		{Route: "GET /home/products", Right: access.RightProducts},
		{Route: "GET /home/products/new", Right: access.RightProducts},
		{Route: "POST /home/products/new", Right: access.RightProducts,
			Forms: []string{"name=x&category=y&unit=z&price=1&stock=1&form=f"}},
		{Route: "GET /home/products/{id}", Right: access.RightProducts, Path: "/products/" + product},
		{Route: "POST /home/products/{id}", Right: access.RightProducts, Path: "/products/" + product,
			Forms: []string{"action=off", "action=on", "name=x&category=y&unit=z&price=1&stock=1"}},
		{Route: "GET /home/products/export.csv", Right: access.RightProducts},
		{Route: "GET /home/products/export.xlsx", Right: access.RightProducts},
		{Route: "GET /home/customers/import", Right: access.RightManagePeople},
		{Route: "POST /home/customers/import", Right: access.RightManagePeople, Forms: []string{"form=x"}},
		{Route: "POST /home/customers/import/run", Right: access.RightManagePeople, Gone: true,
			Forms: []string{"file=x"}},
		{Route: "GET /home/customers/import/empty.xlsx", Right: access.RightManagePeople},
		{Route: "GET /home/customers/import/remarks.xlsx", Right: access.RightManagePeople, Gone: true,
			Path: "/customers/import/remarks.xlsx?file=x"},
		{Route: "GET /home/people/import", Right: access.RightManagePeople},
		{Route: "POST /home/people/import", Right: access.RightManagePeople, Forms: []string{"form=x"}},
		{Route: "POST /home/people/import/run", Right: access.RightManagePeople, Gone: true,
			Forms: []string{"file=x"}},
		{Route: "GET /home/people/import/empty.xlsx", Right: access.RightManagePeople},
		{Route: "GET /home/people/import/remarks.xlsx", Right: access.RightManagePeople, Gone: true,
			Path: "/people/import/remarks.xlsx?file=x"},
		{Route: "GET /home/products/import", Right: access.RightProducts},
		{Route: "POST /home/products/import", Right: access.RightProducts, Forms: []string{"form=x"}},
		{Route: "POST /home/products/import/run", Right: access.RightProducts, Gone: true, Forms: []string{"file=x"}},
		{Route: "GET /home/products/import/empty.xlsx", Right: access.RightProducts},
		{Route: "GET /home/products/import/remarks.xlsx", Right: access.RightProducts, Gone: true,
			Path: "/products/import/remarks.xlsx?file=x"},
		{Route: "GET /home/audit", Right: access.RightAudit},
		{Route: "GET /home/audit/export.csv", Right: access.RightAudit},
		{Route: "GET /home/audit/export.xlsx", Right: access.RightAudit},
		{Route: "GET /home/audit.csv", Right: access.RightAudit},
		{Route: "GET /home/audit.xlsx", Right: access.RightAudit},
		{Route: "GET /home/settings/visits", Right: access.RightAudit},
		{Route: "GET /home/settings/visits.csv", Right: access.RightAudit},
		// for an account that may open one of its pages: TestSettingsPageNeedsARightToOneSetting
		{Route: "GET /home/wechat.json", Path: "/wechat.json?page=http://mgr.portico.test/home", Missing: true},
		{Route: "GET /home/settings"},
		{Route: "GET /home/settings/employees", Right: access.RightSettings},
		{Route: "POST /home/settings/employees", Right: access.RightSettings,
			Forms: []string{"rights=orders&rights=customers&rights=applications&rights=people&rights=audit" +
				"&rights=products"}},
		{Route: "GET /home/settings/initialisation", Right: access.RightSettings},
		{Route: "POST /home/settings/initialisation", Right: access.RightSettings,
			Forms: []string{"action=clear_samples"}},
		{Route: "GET /home/settings/registration", Right: access.RightSettings},
		{Route: "POST /home/settings/registration", Right: access.RightSettings, Forms: []string{"open=1"}},
		{Route: "GET /home/settings/customer-types", Right: access.RightManageCustomers},
		{Route: "POST /home/settings/customer-types", Right: access.RightManageCustomers, Forms: []string{"new=x"}},
		{Route: "GET /home/settings/bank", Right: access.RightSettings},
		{Route: "POST /home/settings/bank", Right: access.RightSettings,
			Forms: []string{"bank_holder=x&bank_name=y&bank_card=6222000000000001", "bank_card="}},
		{Route: "GET /home/settings/welcome", Right: access.RightSettings},
		{Route: "POST /home/settings/welcome", Right: access.RightSettings,
			Forms: []string{"greeting=x", "action=remove"}},
		{Route: "GET /home/settings/appearance", Right: access.RightSettings},
		{Route: "POST /home/settings/appearance", Right: access.RightSettings, Forms: []string{"name=x"}},
		{Route: "GET /home/settings/appearance/look", Right: access.RightSettings,
			Path: "/settings/appearance/look?token=" + previewToken(s, "jinsui")},
		{Route: "POST /home/settings/appearance/preview", Right: access.RightSettings, Forms: []string{"theme=20ade5"}},
	}
}

func TestEveryBackOfficeRouteRequiresItsRight(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	rows := officeRows(s)
	routes := s.Handler.(*pages.Pages).OfficeRoutes()
	for _, route := range routes {
		if !slices.ContainsFunc(rows, func(row officeRow) bool { return row.Route == route }) {
			t.Errorf("%s has no row: add one with the right that it needs", route)
		}
	}
	rows = slices.DeleteFunc(rows, func(row officeRow) bool { return !slices.Contains(routes, row.Route) })
	allow := func(rights string) {
		c, err := s.DB.Companies.ByID(t.Context(), 1001)
		if err == nil {
			c.EmployeeRights = rights
			err = s.DB.Companies.Update(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	alone := map[access.Right]bool{}
	var all []string
	for _, right := range access.Rights {
		alone[right.Right] = right.Alone
		all = append(all, string(right.Right)) // also the rights that employees never have, whatever is stored
	}
	employee, buyer, other := s.SignInByName("li.manager"), s.SignInByPhone("13800000001"), s.SignInByName("northwind")
	before := s.DumpWithoutSessions()
	for _, row := range rows {
		if row.Right == "" {
			continue
		}
		allow("")
		if status := employee.Get(pagestest.Office + "/settings").StatusCode; status != http.StatusForbidden {
			t.Errorf("an employee without any right gets settings: %d", status)
		}
		for _, status := range requestRow(employee, row, pagestest.Office) {
			if status != row.RefusedStatus() {
				t.Errorf("%s: an employee without the right gets %d", row.Route, status)
			}
		}
		without := slices.DeleteFunc(slices.Clone(all), func(right string) bool { return right == string(row.Right) })
		allow(strings.Join(without, " "))
		for _, status := range requestRow(employee, row, pagestest.Office) {
			if status != row.RefusedStatus() {
				t.Errorf("%s: an employee with all other rights gets %d", row.Route, status)
			}
		}
		allow(strings.Join(all, " "))
		if alone[row.Right] {
			for _, status := range requestRow(employee, row, pagestest.Office) {
				if status != row.RefusedStatus() {
					t.Errorf("%s: an employee gets a page for administrators: %d", row.Route, status)
				}
			}
		}
		for _, status := range requestRow(buyer, row, pagestest.Office) {
			if status != http.StatusSeeOther && status != http.StatusNotFound {
				t.Errorf("%s: a customer gets %d", row.Route, status)
			}
		}
		if row.Path != "" {
			for _, status := range requestRow(other, row, "http://store1003.portico.test/mgr") {
				if want := row.StrangerStatus(); status != want {
					t.Errorf("%s: another company gets %d, want %d", row.Route, status, want)
				}
			}
		}
	}
	allow("orders customers")
	if s.DumpWithoutSessions() != before {
		t.Error("a request without the right changed the database")
	}
	allow(strings.Join(all, " "))
	admin := s.SignInByPhone("13800000002")
	for _, row := range rows {
		if row.Right == "" {
			continue
		}
		for who, b := range map[string]*pagestest.Browser{"employee": employee, "administrator": admin} {
			if who == "employee" && alone[row.Right] {
				continue
			}
			for _, status := range requestRow(b, row, pagestest.Office) {
				if status == http.StatusForbidden || status >= 500 ||
					status == http.StatusNotFound && !row.Gone && !strings.Contains(row.Path, "/applications/1") {
					t.Errorf("%s: an %s with the right gets %d", row.Route, who, status)
				}
			}
		}
	}
}

func TestEmployeeSeesOnlyPermittedMenusAndFigures(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	employee := s.SignInByName("li.manager")
	page := pagestest.WantPage(t, employee.Get(pagestest.Office), http.StatusOK, "待确认订单", `href="/mgr/customers"`,
		"最近的订单")
	for _, hidden := range []string{"/mgr/people", "/mgr/settings", "/mgr/applications"} {
		if strings.Contains(page, `href="`+hidden+`"`) {
			t.Errorf("%s is shown", hidden)
		}
	}
	s.AddApplication(pagestest.Applicant)
	admin := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, admin.Get(pagestest.Office), http.StatusOK, "待审核申请", `href="/mgr/applications"`,
		`href="/mgr/people"`)
	settings := pagestest.Office + "/settings/employees"
	pagestest.WantPage(t, admin.Get(settings), http.StatusOK, `value="orders" checked`, `value="people"`, "仅限管理员",
		"审核加入申请")
	pagestest.WantStatus(t, admin.Post(settings, "rights", "manage_people"), http.StatusUnprocessableEntity)
	pagestest.WantRedirect(t, admin.Post(settings, "rights", "people"), "/mgr/settings/employees?done=saved")
	page = pagestest.WantPage(t, employee.Get(pagestest.Office), http.StatusOK, `href="/mgr/people"`)
	if strings.Contains(page, "待确认订单") || strings.Contains(page, "最近的订单") ||
		strings.Contains(page, `href="/mgr/customers"`) {
		t.Error("orders or customers are shown")
	}
	page = pagestest.WantPage(t, employee.Get(pagestest.Office+"/people"), http.StatusOK, "buyer1", "138****0001",
		"审核中", "已停用")
	if strings.Contains(page, "/people/new") || strings.Contains(page, "13800000001") {
		t.Error("the page shows what the employee may not see")
	}
	page = pagestest.WantPage(t, employee.Get(pagestest.Office+"/people/"+pagestest.Decimal(s.Account("buyer1").ID)),
		http.StatusOK, "王芳")
	if strings.Contains(page, `name="action"`) {
		t.Error("the page offers actions")
	}
}

func TestSettingsPageNeedsARightToOneSetting(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	employee := s.SignInByName("li.manager")
	for rights, want := range map[string]int{
		"": http.StatusForbidden, "orders customers applications": http.StatusForbidden, "people": http.StatusOK,
		"audit": http.StatusOK,
	} {
		c, err := s.DB.Companies.ByID(t.Context(), 1001)
		if err == nil {
			c.EmployeeRights = rights
			err = s.DB.Companies.Update(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := employee.Get(pagestest.Office + "/settings").StatusCode; got != want {
			t.Errorf("%q: %d, want %d", rights, got, want)
		}
	}
}

// officeRow says which right a route of the back office needs. Path is an address of the route in company 1001, "" for
// the route itself. Forms are the bodies of its forms. A hidden route answers 404 to an account without the right.
type officeRow struct {
	Route  string
	Right  access.Right // "" for all accounts of the back office
	Path   string
	Forms  []string
	Hidden bool
	// Missing is a page that shows another company that its own rows do not have the ids of the path.
	Missing bool
	// Gone is a page about a file that nobody has sent.
	Gone bool
}

// StrangerStatus returns the status for another company.
func (row officeRow) StrangerStatus() int {
	if row.Missing {
		return http.StatusOK
	}
	return http.StatusNotFound
}

// RefusedStatus returns the status for an account without the right.
func (row officeRow) RefusedStatus() int {
	if row.Hidden {
		return http.StatusNotFound
	}
	return http.StatusForbidden
}

// requestRow sends the row's request, or each of its forms, to the back office at base, and returns the statuses. It
// fails the test for a malformed form.
func requestRow(b *pagestest.Browser, row officeRow, base string) (got []int) {
	b.T.Helper()
	method, route, _ := strings.Cut(row.Route, " ")
	path := row.Path
	if path == "" {
		path = strings.TrimPrefix(route, "/home")
	}
	if method == http.MethodGet {
		return []int{b.Get(base + path).StatusCode}
	}
	for _, form := range row.Forms {
		values, err := url.ParseQuery(form)
		if err != nil {
			b.T.Fatal(err)
		}
		got = append(got, b.Do(http.MethodPost, base+path, values).StatusCode)
	}
	return got
}

// previewToken returns a token for the preview of an administrator's look. It fails the test when it is refused.
func previewToken(s *pagestest.Site, login string) string {
	s.T.Helper()
	token, err := s.Portal.Branding.LookToken(access.Landing{Member: s.Account(login)})
	if err != nil {
		s.T.Fatal(err)
	}
	return token
}
