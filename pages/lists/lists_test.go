package lists_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"portico/pages/pagestest"
	"portico/portal/lists"
	"portico/store/storetest"
)

func TestListSaysWhatItShowsInItsAddressAndItsTable(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(pagestest.Office+"/orders?state=new&sort=customer&limit=50"), http.StatusOK,
		`<th scope="col" class="text" aria-sort="ascending">`+
			`<a href="/mgr/orders?limit=50&amp;sort=-customer&amp;state=new" hx-boost=`,
		`<option value="50" selected>`, `<option value="customer" selected>`, `name="state" value="new"`,
		`href="/mgr/orders?limit=50&amp;sort=customer&amp;state=new" aria-current="page"`,
		`href="/mgr/orders/export.csv?limit=50&amp;sort=customer&amp;state=new" download`, `class="money">¥`)
	page := pagestest.WantPage(t, b.Get(pagestest.Office+"/orders?from=2026-09-01&to=2026-09-30&sort=customer"),
		http.StatusOK, `value="2026-09-01"`, `value="2026-09-30"`, `class="set" href="/mgr/orders"`,
		"2026年9月1日 – 2026年9月30日",
		`aria-sort="descending"`)
	if strings.Contains(page, `value="customer"`) || strings.Contains(page, "sort=-customer") {
		t.Error("a list of some days offers an order that has no index")
	}
}

func TestEmptyListSaysWhyItIsEmpty(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	storetest.Exec(t, s.DB, "DELETE FROM applications")
	b := s.SignInByPhone("13800000002")
	for _, c := range []struct {
		path, want, not string
	}{
		{"/customers?q=zzz", `href="/mgr/customers">清除筛选`, "还没有客户"},
		{"/applications?state=rejected", `href="/mgr/applications">清除筛选`, "还没有申请"},
		{"/applications", `href="/mgr/settings/registration"`, "没有符合条件的结果"},
	} {
		page := pagestest.WantPage(t, b.Get(pagestest.Office+c.path), http.StatusOK, c.want)
		if strings.Contains(page, c.not) || strings.Contains(page, "<table") {
			t.Errorf("%s has %s, or a table", c.path, c.not)
		}
	}
}

func TestSearchIsShownEscapedAndFindsTheCustomer(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	page := pagestest.WantPage(t, b.Get(pagestest.Office+"/customers?q=%E8%8A%B3"), http.StatusOK, "芳华便利店",
		`value="芳"`)
	if strings.Contains(page, "老街副食") {
		t.Error("a customer with another name is found")
	}
	page = pagestest.WantPage(t, b.Get(pagestest.Office+"/customers?q=%22%3E%3Cscript%3E"), http.StatusOK)
	if strings.Contains(page, `"><script>`) {
		t.Error("what was typed is not escaped")
	}
	for _, query := range []string{
		"?q=%00", "?q=%ff%fe", "?from=x&to=-1", "?limit=0", "?sort='", "?cursor=%ff", "?state=%27",
		"?after=5", "?before=1",
	} {
		for _, list := range []string{"/orders", "/customers", "/applications", "/people", "/products"} {
			pagestest.WantPage(t, b.Get(pagestest.Office+list+query), http.StatusOK, `class="states"`)
		}
	}
}

func TestExportsHaveTheFilteredRowsWithFormulasDisarmed(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for i, sign := range []string{"=1+1", "+1", "-1", "@x", "＝1"} {
		storetest.Exec(t, s.DB, fmt.Sprintf("INSERT INTO clients (company_id, name, search, contact, created_at) "+
			"VALUES (1001, 'Shop %d', 'shop %d', '%s', 1)", i, i, sign))
	}
	answer := b.Get(pagestest.Office + "/customers/export.csv?q=shop&lang=en")
	if name := answer.Header.Get("Content-Disposition"); name != `attachment; filename="customers-1001.csv"` {
		t.Error(name)
	}
	text := pagestest.Text(t, answer)
	if !strings.HasPrefix(text, "\ufeff") {
		t.Error("the file has no mark of its encoding")
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(b.Get(pagestest.Office + "/customers/export.xlsx?q=shop").Body)
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	excel, err := book.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	for kind, table := range map[string][][]string{"csv": rows, "xlsx": excel} {
		if len(table) != 6 {
			t.Fatalf("%s: %d rows, want 6", kind, len(table))
		}
		for _, cells := range table[1:] {
			if len(cells) < 9 || !strings.HasPrefix(cells[2], "'") {
				t.Errorf("%s: %q", kind, cells)
			}
		}
	}
	orders, err := io.ReadAll(b.Get(pagestest.Office + "/orders/export.xlsx?q=9").Body)
	if err != nil {
		t.Fatal(err)
	}
	if book, err = excelize.OpenReader(bytes.NewReader(orders)); err != nil {
		t.Fatal(err)
	}
	if total, err := book.GetCellValue("Sheet1", "M2"); err != nil || total != "1848" {
		t.Errorf("a total is %q, %v: want a number", total, err)
	}
}

func TestAnOrderWithoutLinesHasARowInTheExport(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	storetest.Exec(t, s.DB, "DELETE FROM order_lines")
	text := pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office+"/orders/export.csv?q=9&lang=en"))
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, `"","1848.00"`) {
		t.Errorf("%q", text)
	}
}

func TestAnExportOfOrdersHasARowForEachLine(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	storetest.Exec(t, s.DB, "UPDATE products SET number = 'GL-007', number_key = 'gl-007' WHERE id = "+
		"(SELECT MIN(l.product_id) FROM order_lines l JOIN orders o ON o.id = l.order_id "+
		"WHERE o.company_id = 1001 AND o.number = 9)")
	b := s.SignInByPhone("13800000002")
	text := pagestest.Text(t, b.Get(pagestest.Office+"/orders/export.csv?q=9&lang=en"))
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	orders, err := s.DB.Orders.OfCompany(t.Context(), 1001, 10, 1)
	if err != nil || orders[0].Number != 9 {
		t.Fatal(orders, err)
	}
	want := []string{"Order", "Customer number", "Customer", "Placed", "State", "Product number", "Product", "Size",
		"Unit", "Price per unit (¥)", "Quantity", "Amount", "Order total", "Sample data"}
	if !slices.Equal(rows[0], want) || len(rows)-1 != orders[0].Lines || len(rows) < 3 {
		t.Fatalf("of %d lines: %q", orders[0].Lines, rows)
	}
	sum, numbers := 0.0, map[string]bool{}
	for _, cells := range rows[1:] {
		price, _ := strconv.ParseFloat(cells[9], 64)
		quantity, _ := strconv.ParseFloat(cells[10], 64)
		amount, err := strconv.ParseFloat(cells[11], 64)
		if err != nil || math.Abs(price*quantity-amount) > 0.001 || cells[0] != "9" || cells[12] != "1848.00" ||
			cells[2] == "" || cells[6] == "" || cells[8] == "" || cells[13] != "Sample" {
			t.Errorf("%q", cells)
		}
		sum += amount
		numbers[cells[5]] = true
	}
	if math.Abs(sum-1848) > 0.001 || !numbers["GL-007"] {
		t.Errorf("the lines come to %.2f: %q", sum, rows)
	}
}

func TestAnExportOfCustomersSaysHowToReachThem(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	storetest.Exec(t, s.DB, `INSERT INTO applications (id, company_id, phone, state, company_name, contact_name,
		province, city, district, address, contact_phone, account_id, created_at)
		SELECT 77, 1001, p.phone, 'approved', 'Shop', 'Person', '330000', '330100', '330106', 'Lake Road 8',
			'0571-88880000', a.id, 1 FROM accounts a JOIN phones p ON p.id = a.phone_id WHERE a.login = 'buyer1'`)
	text := pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office+"/customers/export.csv?lang=en"))
	if want := `"13800000001","0571-88880000","浙江省杭州市西湖区","Lake Road 8"`; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

func TestExportOfManyRowsHasThemAll(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	many := 2*lists.ExportStep + 7
	storetest.Exec(t, s.DB, fmt.Sprintf(`INSERT INTO clients (company_id, name, search, created_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT 1001, 'Many ' || i, 'many ' || i, i FROM n`, many))
	text := pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office+"/customers/export.csv?q=many"))
	if n := strings.Count(text, `"Many `); n != many {
		t.Errorf("%d rows, want %d", n, many)
	}
}
