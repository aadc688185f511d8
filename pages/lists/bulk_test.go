package lists_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store/storetest"
)

// newOrders adds n new orders of 老街副食 to company 1001, numbered from 5001, and returns their ids.
func newOrders(s *pagestest.Site, n int) (ids []string) {
	s.T.Helper()
	storetest.Exec(s.T, s.DB, fmt.Sprintf(`INSERT INTO orders (company_id, number, client_id, form, total, placed_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT 1001, 5000 + i, (SELECT MIN(id) FROM clients WHERE company_id = 1001), 'bulk' || i, 100, 1 FROM n`, n))
	var all []int64
	err := s.DB.ReadRows(s.T.Context(), &all,
		"SELECT id FROM orders WHERE company_id = 1001 AND number > 5000 ORDER BY number")
	if err != nil || len(all) != n {
		s.T.Fatal(len(all), err)
	}
	for _, id := range all {
		ids = append(ids, pagestest.Decimal(id))
	}
	return ids
}

// fieldsOf returns the hidden fields of the form of a page that does an action, and its button.
func fieldsOf(t *testing.T, page string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(page, `id="bulk"`)
	if !found {
		t.Fatal("the page has no form")
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, m := range regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		fields.Add(m[1], strings.ReplaceAll(m[2], "&amp;", "&"))
	}
	fields.Set("action", pagestest.FindIn(t, form, `name="action" value="(\w+)"`))
	return fields
}

func TestChosenOrdersAreConfirmedAfterAPreview(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, ids := s.SignInByPhone("13800000002"), newOrders(s, 3)
	list := pagestest.Office + "/orders"
	page := pagestest.WantPage(t, b.Get(list+"?state=new&limit=50"), http.StatusOK,
		`<form class="choosing" method="get" action="/mgr/orders/bulk" hx-boost=`,
		`name="back" value="limit=50&amp;state=new"`,
		`name="id" value="`+ids[0]+`"`,
		`aria-label="选择 订单 5001"`, `name="action" value="confirm"`,
		`href="/mgr/orders?chosen=all&amp;limit=50&amp;state=new"`)
	if strings.Contains(page, "checked") {
		t.Error("a row is chosen from the beginning")
	}
	page = pagestest.WantPage(t, b.Get(list+"?chosen=all&state=new"), http.StatusOK, `href="/mgr/orders?state=new"`)
	if n := strings.Count(page, " checked"); n < 3 {
		t.Errorf("%d rows are chosen, want all", n)
	}
	storetest.Exec(t, s.DB, "UPDATE orders SET state = 'confirmed', confirmed_at = 2, confirmed_by = "+
		pagestest.Decimal(s.Account("li.manager").ID)+" WHERE id = "+ids[2])
	preview := list + "/bulk?action=confirm&back=limit%3D50%26evil%3D1&id=" + strings.Join(ids, "&id=")
	before := s.DumpWithoutSessions()
	page = pagestest.WantPage(t, b.Get(preview), http.StatusOK, "确认 2 个订单？", "已由李伟确认", "有 1 项将保持不变",
		`href="/mgr/orders?limit=50"`)
	if s.DumpWithoutSessions() != before {
		t.Error("the preview changed something")
	}
	fields := fieldsOf(t, page)
	if got := fields["id"]; len(got) != 2 {
		t.Errorf("the form has the ids %q", got)
	}
	answer := b.Do(http.MethodPost, list+"/bulk", fields)
	result := answer.Header.Get("Location")
	pagestest.WantRedirect(t, answer, "/mgr/orders/bulk?back=limit%3D50&result="+fields.Get("form"))
	for range 2 { // loading the page again does nothing
		page = pagestest.WantPage(t, b.Get("http://store1001.portico.test"+result), http.StatusOK, "已确认 2 个订单",
			`href="/mgr/orders?limit=50"`)
		if strings.Contains(page, `id="bulk"`) {
			t.Error("a confirmation can be undone")
		}
	}
	pagestest.WantRedirect(t, b.Do(http.MethodPost, list+"/bulk", fields), result)
	var n []int
	err := s.DB.ReadRows(t.Context(), &n, "SELECT COUNT(*) FROM audit_events WHERE kind = 'order_confirmed'")
	if err != nil || n[0] != 2 {
		t.Errorf("%d events, %v", n, err)
	}
	stranger := s.SignInByName("li.manager")
	pagestest.WantPage(t, stranger.Get("http://store1001.portico.test"+result), http.StatusNotFound, "此结果已不存在")
}

func TestPreviewOfNothingSaysWhatToDo(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(pagestest.Office+"/orders/bulk?action=confirm&lang=en"), http.StatusUnprocessableEntity,
		"Nothing selected", `href="/mgr/orders"`)
	many := strings.Builder{}
	for i := range 201 {
		fmt.Fprintf(&many, "&id=%d", i+1)
	}
	pagestest.WantPage(t, b.Get(pagestest.Office+"/orders/bulk?action=confirm"+many.String()),
		http.StatusUnprocessableEntity, "at most 200 rows")
	for _, query := range []string{"", "?action=confirm&id=-1&id=x&id=%00", "?action=delete&id=1", "?action=%ff&id=1",
		"?result=%00%ff", "?result=x&back=%25", "?action=confirm&id=1&back=%00%ff"} {
		for _, list := range []string{"/orders", "/customers", "/applications", "/people"} {
			if status := b.Get(pagestest.Office + list + "/bulk" + query).StatusCode; status >= 500 {
				t.Errorf("%s%s: %d", list, query, status)
			}
		}
	}
	pagestest.WantStatus(t, b.Post(pagestest.Office+"/orders/bulk", "action", "confirm", "form", "x"),
		http.StatusUnprocessableEntity)
}

func TestRejectionOfSeveralNeedsAReasonAndKeepsWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	a := s.AddApplication(pagestest.Applicant)
	at := pagestest.Office + "/applications/bulk"
	page := pagestest.WantPage(t, b.Get(at+"?action=reject&id="+pagestest.Decimal(a)), http.StatusOK, `name="reason"`)
	fields := fieldsOf(t, page)
	fields.Set("reason", " ")
	pagestest.WantPage(t, b.Do(http.MethodPost, at, fields), http.StatusUnprocessableEntity, `href="#reason"`, "此项必填")
	fields.Set("reason", strings.Repeat("长", 201))
	again := pagestest.WantPage(t, b.Do(http.MethodPost, at, fields), http.StatusUnprocessableEntity, "长长长")
	if fieldsOf(t, again).Get("form") != fields.Get("form") {
		t.Error("the form that comes back has another id")
	}
	fields.Set("reason", "材料不全")
	answer := b.Do(http.MethodPost, at, fields)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+answer.Header.Get("Location")), http.StatusOK,
		"已驳回 1 份申请")
}

func TestUndoOfADisabledAccountIsOneButton(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	id, at := pagestest.Decimal(s.Account("buyer1").ID), pagestest.Office+"/people/bulk"
	own := pagestest.Decimal(s.Account("jinsui").ID)
	page := pagestest.WantPage(t, b.Get(at+"?action=disable&id="+id+"&id="+own), http.StatusOK, "停用 1 个账号？",
		"这是您自己的账号")
	answer := b.Do(http.MethodPost, at, fieldsOf(t, page))
	page = pagestest.WantPage(t, b.Get("http://store1001.portico.test"+answer.Header.Get("Location")), http.StatusOK,
		"已停用 1 个账号", "撤销：启用 1 个账号")
	if s.Account("buyer1").State != "disabled" {
		t.Fatal("the account is not disabled")
	}
	undo := fieldsOf(t, page)
	answer = b.Do(http.MethodPost, at, undo)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+answer.Header.Get("Location")), http.StatusOK,
		"已启用 1 个账号")
	if s.Account("buyer1").State != "active" {
		t.Error("the account is still disabled")
	}
}

func TestReadersWithoutTheRightGetNoCheckBoxes(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	storetest.Exec(t, s.DB, "UPDATE companies SET employee_rights = 'customers people applications' WHERE id = 1001")
	b := s.SignInByName("li.manager")
	for _, list := range []string{"/customers", "/people", "/applications"} {
		page := pagestest.WantPage(t, b.Get(pagestest.Office+list), http.StatusOK)
		if strings.Contains(page, `name="id"`) || strings.Contains(page, "/bulk") {
			t.Errorf("%s offers actions", list)
		}
	}
	pagestest.WantStatus(t, b.Get(pagestest.Office+"/people/bulk?action=disable&id=1"), http.StatusForbidden)
}

func TestSavedFilterIsALinkAboveTheList(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	list := pagestest.Office + "/orders"
	if page := pagestest.WantPage(t, b.Get(list), http.StatusOK); strings.Contains(page, "/filters") {
		t.Error("a list without a filter offers to save it")
	}
	pagestest.WantPage(t, b.Get(list+"?state=new&sort=date&cursor=x"), http.StatusOK,
		`href="/mgr/orders/filters?back=cursor%3Dx%26sort%3Ddate%26state%3Dnew" hx-boost="false">保存此筛选`)
	form := list + "/filters?back=sort%3Ddate%26state%3Dnew%26evil%3D1"
	page := pagestest.WantPage(t, b.Get(form), http.StatusOK, `name="back" value="sort=date&amp;state=new"`)
	if strings.Contains(page, "evil") && !strings.Contains(page, "lang=") {
		t.Error("another parameter is kept")
	}
	pagestest.WantPage(t, b.Post(list+"/filters", "action", "save", "name", "", "back", "state=new"),
		http.StatusUnprocessableEntity, "此项必填")
	pagestest.WantRedirect(t, b.Post(list+"/filters", "action", "save", "name", `<b>旧"单`, "back",
		"sort=date&state=new&evil=1"), "/mgr/orders?sort=date&state=new")
	pagestest.WantPage(t, b.Get(list+"?state=new&sort=date"), http.StatusOK,
		`<a href="/mgr/orders?sort=date&amp;state=new" aria-current="true">&lt;b&gt;旧&#34;单</a>`, "管理已保存的筛选")
	pagestest.WantPage(t, b.Get(list), http.StatusOK, `<a href="/mgr/orders?sort=date&amp;state=new">&lt;b&gt;旧`)
	pagestest.WantPage(t, b.Get(list+"/filters"), http.StatusOK, `value="remove"`)
	pagestest.WantRedirect(t, b.Post(list+"/filters", "action", "remove", "name", `<b>旧"单`), "/mgr/orders/filters")
	pagestest.WantPage(t, b.Get(list+"/filters"), http.StatusOK, "您还没有保存此列表的筛选")
	pagestest.WantStatus(t, b.Post(list+"/filters", "action", "x"), http.StatusBadRequest)
}
