package pages_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/pages"
	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/store"
)

// officeRow says whose a route of the back office is. Path is one to try, with the ids of company 1001; Forms are the bodies
// of its actions. Whoever may not learns so, or that there is nothing where it is hidden.
type officeRow struct {
	route  string
	right  access.Right // "" for everybody of the management side
	path   string
	forms  []string
	hidden bool
}

// refusal is the status of the row for those who may not.
func (row officeRow) refusal() int {
	if row.hidden {
		return http.StatusNotFound
	}
	return http.StatusForbidden
}

// officeRows are all routes of the back office. One that is added without a row fails the test.
func officeRows(s *site) []officeRow {
	account := decimal(s.account("former").ID)
	customer, staff := decimal(s.account("former").ClientID), decimal(s.account("li.manager").ID)
	order := found(s.t, text(s.t, s.within("13800000002").get(office)), `href="/mgr/orders/(\d+)"`)
	return []officeRow{
		{route: "GET /home"},
		{route: "POST /home"},
		{route: "GET /home/orders", right: access.RightOrders},
		{route: "GET /home/orders/{id}", right: access.RightOrders, path: "/orders/" + order},
		{route: "POST /home/orders/{id}", right: access.RightOrders, path: "/orders/" + order, forms: []string{"action=confirm"}},
		{route: "GET /home/applications", right: access.RightApplications},
		{route: "POST /home/applications", right: access.RightReview,
			forms: []string{"action=notify_on", "action=notify_off"}},
		{route: "GET /home/applications/{id}", right: access.RightApplications, path: "/applications/1"},
		{route: "POST /home/applications/{id}", right: access.RightReview, path: "/applications/1", forms: []string{"action=approve", "action=reject&reason=x"}},
		{route: "GET /home/applications/{id}/licence", right: access.RightApplications, path: "/applications/1/licence", hidden: true},
		{route: "GET /home/customers", right: access.RightCustomers},
		{route: "GET /home/customers/{id}", right: access.RightCustomers, path: "/customers/" + customer},
		{route: "POST /home/customers/{id}", right: access.RightManageCustomers, path: "/customers/" + customer, forms: []string{"action=end", "action=resume", "action=set_type&client_type_id=2"}},
		{route: "GET /home/people", right: access.RightPeople},
		{route: "GET /home/people/new", right: access.RightManagePeople},
		{route: "POST /home/people/new", right: access.RightManagePeople, forms: []string{"side=mgr&type=2&name=x", "side=mgr&type=1&name=x&phone=13912345678", "side=shop&type=3&name=x&client_name=y"}},
		{route: "GET /home/people/{id}", right: access.RightPeople, path: "/people/" + account},
		{route: "POST /home/people/{id}", right: access.RightManagePeople, path: "/people/" + account, forms: []string{"action=disable", "action=enable", "action=reset_password", "action=invite", "action=edit&name=x"}},
		{route: "GET /home/people/{id}/role", right: access.RightManagePeople, path: "/people/" + staff + "/role"},
		{route: "POST /home/people/{id}/role", right: access.RightManagePeople, path: "/people/" + staff + "/role",
			forms: []string{"action=make_administrator&password=Demo2026"}},
		{route: "GET /home/audit", right: access.RightAudit},
		{route: "GET /home/audit.csv", right: access.RightAudit},
		{route: "GET /home/settings/visits", right: access.RightAudit},
		{route: "GET /home/settings/visits.csv", right: access.RightAudit},
		{route: "GET /home/settings"}, // for who may open one of its pages: TestTheSettingsAreForThoseWhoMayOpenOne
		{route: "GET /home/settings/employees", right: access.RightSettings},
		{route: "POST /home/settings/employees", right: access.RightSettings, forms: []string{"rights=orders&rights=customers&rights=applications&rights=people&rights=audit"}},
		{route: "GET /home/settings/initialisation", right: access.RightSettings},
		{route: "POST /home/settings/initialisation", right: access.RightSettings, forms: []string{"action=clear_samples"}},
		{route: "GET /home/settings/registration", right: access.RightSettings},
		{route: "POST /home/settings/registration", right: access.RightSettings, forms: []string{"open=1"}},
		{route: "GET /home/settings/customer-types", right: access.RightManageCustomers},
		{route: "POST /home/settings/customer-types", right: access.RightManageCustomers, forms: []string{"new=x"}},
		{route: "GET /home/settings/bank", right: access.RightSettings},
		{route: "POST /home/settings/bank", right: access.RightSettings, forms: []string{"bank_holder=x&bank_name=y&bank_card=6222000000000001", "bank_card="}},
		{route: "GET /home/settings/appearance", right: access.RightSettings},
		{route: "POST /home/settings/appearance", right: access.RightSettings, forms: []string{"name=x"}},
		{route: "GET /home/settings/appearance/look", right: access.RightSettings, path: "/settings/appearance/look?token=" + s.lookToken("jinsui")},
		{route: "POST /home/settings/appearance/preview", right: access.RightSettings, forms: []string{"theme=20ade5"}},
	}
}

// account is the demo account of a name.
func (s *site) account(login string) store.Member {
	s.t.Helper()
	members, err := s.db.MembersByLogin(s.t.Context(), login)
	if err != nil || len(members) != 1 {
		s.t.Fatal(len(members), err)
	}
	return members[0]
}

// named signs in by an account's name and lands.
func (s *site) named(login string) *browser {
	s.t.Helper()
	b := s.browser()
	const from = "http://account.portico.test/login/account"
	landed, at := b.follow(b.post(from, "login", login, "password", onboarding.DemoPassword), from)
	if strings.HasSuffix(at, "/bind") {
		landed, _ = b.follow(b.post(at, "action", "skip"), at)
	}
	wantStatus(s.t, landed, http.StatusOK)
	return b
}

// try sends the row's request, or each of its forms, under the back office of a company, and gives the statuses.
func (b *browser) try(row officeRow, base string) (got []int) {
	b.t.Helper()
	method, route, _ := strings.Cut(row.route, " ")
	path := row.path
	if path == "" {
		path = strings.TrimPrefix(route, "/home")
	}
	if method == http.MethodGet {
		return []int{b.get(base + path).StatusCode}
	}
	for _, form := range row.forms {
		values, err := url.ParseQuery(form)
		if err != nil {
			b.t.Fatal(err)
		}
		got = append(got, b.do(http.MethodPost, base+path, values).StatusCode)
	}
	return got
}

func TestEveryRouteOfTheOfficeIsForThoseWhoHaveTheRight(t *testing.T) {
	s := newSite(t, options{})
	rows := officeRows(s)
	routes := s.doors.(*pages.Pages).OfficeRoutes()
	for _, route := range routes {
		if !slices.ContainsFunc(rows, func(row officeRow) bool { return row.route == route }) {
			t.Errorf("%s has no row: whose is it?", route)
		}
	}
	rows = slices.DeleteFunc(rows, func(row officeRow) bool { return !slices.Contains(routes, row.route) })
	allow := func(rights string) {
		c, err := s.db.CompanyByID(t.Context(), 1001)
		if err == nil {
			c.EmployeeRights = rights
			err = s.db.UpdateCompany(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	alone := map[access.Right]bool{}
	var all []string
	for _, right := range access.Rights {
		alone[right.Right] = right.Alone
		all = append(all, string(right.Right)) // also those that no employee has, whatever is stored
	}
	employee, buyer, other := s.named("li.manager"), s.within("13800000001"), s.named("northwind")
	before := s.stored()
	for _, row := range rows {
		if row.right == "" {
			continue
		}
		allow("")
		if status := employee.get(office + "/settings").StatusCode; status != http.StatusForbidden {
			t.Errorf("an employee without any right gets settings: %d", status)
		}
		for _, status := range employee.try(row, office) {
			if status != row.refusal() {
				t.Errorf("%s: an employee without the right gets %d", row.route, status)
			}
		}
		without := slices.DeleteFunc(slices.Clone(all), func(right string) bool { return right == string(row.right) })
		allow(strings.Join(without, " "))
		for _, status := range employee.try(row, office) {
			if status != row.refusal() {
				t.Errorf("%s: an employee with all other rights gets %d", row.route, status)
			}
		}
		allow(strings.Join(all, " "))
		if alone[row.right] {
			for _, status := range employee.try(row, office) {
				if status != row.refusal() {
					t.Errorf("%s: an employee gets what is the administrators' alone: %d", row.route, status)
				}
			}
		}
		for _, status := range buyer.try(row, office) {
			if status != http.StatusSeeOther && status != http.StatusNotFound {
				t.Errorf("%s: a customer gets %d", row.route, status)
			}
		}
		if row.path != "" {
			for _, status := range other.try(row, "http://store1003.portico.test/mgr") {
				if status != http.StatusNotFound {
					t.Errorf("%s: another company gets %d", row.route, status)
				}
			}
		}
	}
	allow("orders customers")
	if s.stored() != before {
		t.Error("something was written for those who may not")
	}
	allow(strings.Join(all, " "))
	admin := s.within("13800000002")
	for _, row := range rows {
		if row.right == "" {
			continue
		}
		for who, b := range map[string]*browser{"employee": employee, "administrator": admin} {
			if who == "employee" && alone[row.right] {
				continue
			}
			for _, status := range b.try(row, office) {
				if status == http.StatusForbidden || status >= 500 || status == http.StatusNotFound && !strings.Contains(row.path, "/applications/1") {
					t.Errorf("%s: an %s with the right gets %d", row.route, who, status)
				}
			}
		}
	}
}

// stored is everything, but for when somebody was last seen.
func (s *site) stored() string {
	s.t.Helper()
	dump, err := s.db.Dump(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(dump) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"sessions", "session_slots"}, table) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestAnEmployeeSeesTheMenuAndFiguresTheyMay(t *testing.T) {
	s := newSite(t, options{})
	employee := s.named("li.manager")
	page := wantPage(t, employee.get(office), http.StatusOK, "待确认订单", `href="/mgr/customers"`, "最近的订单")
	for _, hidden := range []string{"/mgr/people", "/mgr/settings", "/mgr/applications"} {
		if strings.Contains(page, `href="`+hidden+`"`) {
			t.Errorf("%s is shown", hidden)
		}
	}
	admin := s.within("13800000002")
	wantPage(t, admin.get(office), http.StatusOK, "待审核申请", `href="/mgr/applications"`, `href="/mgr/people"`)
	settings := office + "/settings/employees"
	wantPage(t, admin.get(settings), http.StatusOK, `value="orders" checked`, `value="people"`, "仅限管理员", "审核加入申请")
	wantStatus(t, admin.post(settings, "rights", "manage_people"), http.StatusUnprocessableEntity)
	wantTo(t, admin.post(settings, "rights", "people"), "/mgr/settings/employees?done=saved")
	page = wantPage(t, employee.get(office), http.StatusOK, `href="/mgr/people"`)
	if strings.Contains(page, "待确认订单") || strings.Contains(page, "最近的订单") || strings.Contains(page, `href="/mgr/customers"`) {
		t.Error("orders or customers are shown")
	}
	page = wantPage(t, employee.get(office+"/people"), http.StatusOK, "buyer1", "138****0001", "审核中", "已停用")
	if strings.Contains(page, "/people/new") || strings.Contains(page, "13800000001") {
		t.Error("more is shown than they may see")
	}
	page = wantPage(t, employee.get(office+"/people/"+decimal(s.account("buyer1").ID)), http.StatusOK, "王芳")
	if strings.Contains(page, `name="action"`) {
		t.Error("actions are offered")
	}
}

func decimal(id int64) string { return strconv.FormatInt(id, 10) }

func TestTheSettingsAreForThoseWhoMayOpenOne(t *testing.T) {
	s := newSite(t, options{})
	employee := s.named("li.manager")
	for rights, want := range map[string]int{
		"": http.StatusForbidden, "orders customers applications": http.StatusForbidden, "people": http.StatusOK, "audit": http.StatusOK,
	} {
		c, err := s.db.CompanyByID(t.Context(), 1001)
		if err == nil {
			c.EmployeeRights = rights
			err = s.db.UpdateCompany(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := employee.get(office + "/settings").StatusCode; got != want {
			t.Errorf("%q: %d, want %d", rights, got, want)
		}
	}
}
