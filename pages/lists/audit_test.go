package lists_test

import (
	"encoding/csv"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/locale"
	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/office"
	"portico/store"
	"portico/store/storetest"
)

func TestLanguageSwitchKeepsThePageOfAList(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000002")
	for address, want := range map[string]string{
		"/audit?of=settings&before=90":  `href="/mgr/audit?before=90&amp;of=settings&amp;lang=es"`,
		"/people?side=shop&after=1":     `href="/mgr/people?after=1&amp;side=shop&amp;lang=es"`,
		"/orders?before=3&done=ordered": `href="/mgr/orders?before=3&amp;lang=es"`,
		"/customers?after=%22%3E%3Ci":   `href="/mgr/customers?after=%22%3E%3Ci&amp;lang=es"`,
		"/applications?page=2":          `href="/mgr/applications?page=2&amp;lang=es"`,
	} {
		page := pagestest.Text(t, b.Get(pagestest.Office+address))
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %s in %v", address, want, regexp.MustCompile(`[^ ]*lang=es[^ ]*`).FindAllString(page, -1))
		}
	}
}

func TestActivityLogDescribesEventsInWords(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	b.Post(pagestest.Settings+"/appearance", "action", "domain_add", "domain", "shop.acme.com")
	pagestest.WantPage(
		t,
		b.Get(pagestest.Office+"/audit"),
		http.StatusOK,
		"操作记录",
		"添加域名: shop.acme.com",
		"陈静 (jinsui)",
		"203.0.113.9",
		`datetime="2026-10-01T16:00:00+08:00"`,
		`href="/mgr/audit/export.csv"`, `href="/mgr/audit/export.xlsx"`,
	)
	only := pagestest.WantPage(
		t,
		b.Get(pagestest.Office+"/audit?of=settings"),
		http.StatusOK,
		"添加域名",
		`value="settings" selected`,
		`href="/mgr/audit/export.csv?of=settings"`,
	)
	if strings.Contains(only, "进入商城或后台</strong>") {
		t.Error("more than the settings")
	}
	pagestest.WantPage(t, b.Get(pagestest.Office+"/audit?lang=es"), http.StatusOK, "Dominio agregado: shop.acme.com")
	pagestest.WantPage(
		t, b.Get(pagestest.Office+"/audit?of=orders&before=1&lang=zh"), http.StatusOK, "没有符合条件的结果",
		`href="/mgr/audit?of=orders"`,
	)
	pagestest.WantStatus(t, b.Get(pagestest.Office+"/audit?of=phones"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Get(pagestest.Office+"/audit.csv?of=phones"), http.StatusNotFound)
	pagestest.WantStatus(t, s.SignInAsEmployee().Get(pagestest.Office+"/audit"), http.StatusForbidden)
	pagestest.WantStatus(t, s.SignInAsEmployee().Get(pagestest.Office+"/audit.csv"), http.StatusForbidden)
	pagestest.WantSessionEnded(t, s.SignInByPhone("13800000001").Get(pagestest.Office+"/audit.csv"), "", "/mgr/audit")
	for i := range access.AuditPage { // each press changes something
		b.Post(pagestest.Settings+"/appearance", "action", "domain_desktop", "domain", []string{"jinsui.test", ""}[i%2])
	}
	older := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.Office+"/audit?of=settings")),
		`href="(/mgr/audit\?cursor=\d+&amp;of=settings)"`)
	pagestest.WantPage(
		t,
		b.Get("http://store1001.portico.test"+strings.ReplaceAll(older, "&amp;", "&")),
		http.StatusOK,
		"添加域名: shop.acme.com",
		"回到最新",
	)
}

func TestExportedSpreadsheetContainsNoFormulas(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for i, name := range []string{"＝1+1", "=1+1", "+1", "-1", "@SUM(A1)", `a "quoted", one`} {
		id, err := s.DB.Accounts.Add(
			t.Context(),
			store.Account{
				CompanyID: 1001,
				Side:      store.Mgr,
				Type:      store.TypeEmployee,
				Login:     fmt.Sprint("x", i),
				Name:      name,
				State:     store.AccountActive,
				CreatedAt: store.At(s.Clock),
			},
		)
		if err == nil {
			err = s.DB.Audit.Add(
				t.Context(),
				store.AuditEvent{
					At:        store.At(s.Clock),
					Kind:      "order_confirmed",
					CompanyID: 1001,
					AccountID: id,
					Address:   "=cmd|' /C calc'!A0",
				},
			)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := b.Get(pagestest.Office + "/audit.csv")
	pagestest.WantStatus(t, r, http.StatusOK)
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="audit-1001.csv"`,
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	body := pagestest.Text(t, r)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff"))).ReadAll()
	if err != nil || !strings.HasPrefix(body, "\ufeff\"") || len(rows) < 7 {
		t.Fatalf("%v\n%s", err, body)
	}
	if want := []string{
		"2026-10-01 16:00:00",
		"确认订单",
		`a "quoted", one (x5)`,
		"'=cmd|' /C calc'!A0",
	}; !slices.Equal(rows[1], want) {
		t.Errorf("%q", rows[1])
	}
	for i, want := range []string{"'@SUM(A1) (x4)", "'-1 (x3)", "'+1 (x2)", "'=1+1 (x1)", "'＝1+1 (x0)"} {
		if rows[i+2][2] != want {
			t.Errorf("%q, want %q", rows[i+2][2], want)
		}
	}
	if regexp.MustCompile(`1[3-9]\d{9}`).MatchString(body) {
		t.Error("it tells a phone")
	}
}

// The test finds every kind of event in the source of portal. Each must have a group and a text.
func TestEveryKindOfEventHasAText(t *testing.T) {
	var grouped []string
	for group, kinds := range access.AuditKinds {
		if !slices.Contains(access.AuditGroups, group) || !locale.Has("audit.of_"+string(group)) {
			t.Errorf("%s is no group that is shown", group)
		}
		grouped = append(grouped, kinds...)
	}
	for i, kind := range grouped {
		if !locale.Has("audit."+kind) || slices.Contains(grouped[:i], kind) {
			t.Errorf("%s has no words, or is in two groups", kind)
		}
	}
	written := eventKindsInCode(t)
	if len(written) < 30 {
		t.Fatalf("only %v are found", written)
	}
	for _, kind := range written {
		if !slices.Contains(grouped, kind) {
			t.Errorf("%s is in no group", kind)
		}
	}
}

// eventKindsInCode returns the kinds of events in the source of portal: the string arguments of the functions that
// write an event. It fails the test when the source cannot be read.
func eventKindsInCode(t *testing.T) []string {
	t.Helper()
	form := regexp.MustCompile(`^[a-z]+(_[a-z]+)+$|^probe$`)
	var kinds []string
	files, err := filepath.Glob("../../portal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isEventCall(call) {
				return true
			}
			for _, argument := range call.Args {
				if word, ok := argument.(*ast.BasicLit); ok && word.Kind == token.STRING {
					if kind, _ := strconv.Unquote(word.Value); form.MatchString(kind) && !slices.Contains(kinds, kind) {
						kinds = append(kinds, kind)
					}
				}
			}
			return true
		})
	}
	return kinds
}

func isEventCall(call *ast.CallExpr) bool {
	of, ok := call.Fun.(*ast.SelectorExpr)
	return ok &&
		slices.ContainsFunc([]string{"event", "changeCompany", "setCompany", "setPassword"}, func(name string) bool {
			return strings.EqualFold(name, of.Sel.Name) // exported when several packages use it
		})
}

func TestEmployeeWithTheRightFindsTheActivityLogInSettings(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInAsEmployee()
	pagestest.WantStatus(t, b.Get(pagestest.Settings), http.StatusForbidden)
	if strings.Contains(pagestest.Text(t, b.Get(pagestest.Office)), `href="/mgr/audit"`) {
		t.Error("the menu links the activity log")
	}
	err := s.Portal.Backoffice.SetEmployeeRights(t.Context(), access.Landing{Member: s.Account("jinsui")},
		office.EmployeeRightsInput{Rights: []access.Right{access.RightAudit}})
	if err != nil {
		t.Fatal(err)
	}
	page := pagestest.WantPage(t, b.Get(pagestest.Settings), http.StatusOK, `href="/mgr/audit"`)
	if strings.Contains(page, "/settings/registration") || strings.Contains(page, "/people") {
		t.Error("more than that is offered")
	}
	pagestest.WantPage(t, b.Get(pagestest.Office), http.StatusOK, `href="/mgr/settings"`, `href="/mgr/audit"`)
	pagestest.WantStatus(t, b.Get(pagestest.Office+"/audit"), http.StatusOK)
}

func TestTheLogIsSearchedByPeopleCustomersAndOrders(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	customer := s.Account("buyer1").ClientID
	orders, err := s.DB.Orders.OfCompany(t.Context(), 1001, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	order := orders[0].ID
	add := func(part, kind, detail string, account int64) {
		t.Helper()
		if err := s.DB.Audit.Add(t.Context(), store.AuditEvent{
			At: store.At(s.Clock), Part: part, Kind: kind, CompanyID: 1001, AccountID: account, Detail: detail,
		}); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Exec(t, s.DB, fmt.Sprintf(
		"UPDATE clients SET name = 'Acme Shop', search = 'acme shop' WHERE id = %d", customer))
	add("customers", "customer_ended", pagestest.Decimal(customer), 0)
	add("orders", "order_confirmed", pagestest.Decimal(order), 0)
	add("orders", "order_placed", pagestest.Decimal(orders[0].Number), 0)
	add("settings", "registration_set", "", s.Account("li.manager").ID)
	add("people", "account_disabled", pagestest.Decimal(s.Account("li.manager").ID), 0)
	for search, want := range map[string]map[string]int{
		"acme":                               {"customer_ended": 1},
		"li.man":                             {"registration_set": 1, "account_disabled": 1},
		pagestest.Decimal(orders[0].Number):  {"order_confirmed": 1, "order_placed": 1},
		"nobody is called so":                {},
		"acme&of=orders":                     {},
		"acme&from=2020-01-01&to=2020-01-02": {},
		"li.man&of=people":                   {"account_disabled": 1},
		"li.man&from=2026-09-30":             {"registration_set": 1, "account_disabled": 1},
		"acme&limit=25&cursor=9000000":       {"customer_ended": 1},
	} {
		file := pagestest.Office + "/audit/export.csv?lang=en&q=" + strings.ReplaceAll(search, " ", "+")
		page := pagestest.WantPage(t, b.Get(file), http.StatusOK)
		for kind, key := range map[string]string{
			"customer_ended": "audit.customer_ended", "order_confirmed": "audit.order_confirmed",
			"order_placed": "audit.order_placed", "registration_set": "audit.registration_set",
			"account_disabled": "audit.account_disabled",
		} {
			if n := strings.Count(page, `"`+locale.Lang("en").T(key)); n != want[kind] {
				t.Errorf("%s finds %d of %s, want %d:\n%s", search, n, kind, want[kind], page)
			}
		}
	}
	pagestest.WantPage(t, b.Get(pagestest.Office+"/audit?q=acme&of=customers&lang=en"), http.StatusOK,
		`name="q" value="acme"`, `href="/mgr/audit/export.csv?of=customers&amp;q=acme" download`,
		`class="set" href="/mgr/audit?of=customers"`)
}
