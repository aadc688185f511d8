package office_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/store"
)

func TestVisitsAreShownAsBarsWithATableBehindThem(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits"), http.StatusOK, "访问统计", "还没有浏览记录。",
		`aria-current="page">7 天`)
	addPageViews(s, 0, "login", "phone", 1200)
	addPageViews(s, 3, "login", "work-chat", 600)
	addPageViews(s, 6, "shop", "desktop", 1)
	addPageViews(s, 29, "agreement", "app", 7)
	addPageViews(s, 30, "agreement", "app", 50)
	addPageViews(s, 2, "menu:orders", "phone", 9)
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits"), http.StatusOK, "1,801", "其中 4 天没有访问。")
	page := pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits?days=30"), http.StatusOK, "1,808",
		"最多的一天：2026年10月1日，1,200 次", "2026年9月2日", `href="/mgr/settings/visits.csv?days=30"`, "企业微信", "服务协议",
		"后台：订单", `<tr><th scope="row">2026年9月28日</th><td>600</td></tr>`,
		`<tr><th scope="row">2026年9月27日</th><td>0</td></tr>`)
	chart := regexp.MustCompile(`(?s)<svg class="bars".*?</svg>`).FindString(page)
	rects, titles := strings.Count(chart, "<rect "), strings.Count(chart, "<title>")
	if rects != 30 || titles != 30 || !strings.Contains(chart, `role="img" aria-label="2026年9月2日至2026年10月1日每天的浏览次数"`) {
		t.Errorf("%d bars, %d titles\n%s", rects, titles, chart)
	}
	for _, want := range []string{`viewBox="0 0 119 100"`, `x="116" y="0" width="3" height="100"`,
		`x="104" y="50" width="3" height="50"`, `x="92" y="98" width="3" height="2"`,
		`x="4" y="100" width="3" height="0"`} {
		if !strings.Contains(chart, want) {
			t.Errorf("no %s in\n%s", want, chart)
		}
	}
	if strings.ContainsAny(regexp.MustCompile(`<title>.*?</title>`).ReplaceAllString(chart, ""), "{}") ||
		strings.Contains(page, "style=") || strings.Contains(page, "<script>") {
		t.Error("the page contains a style or a script")
	}
	if err := checkXML(chart); err != nil {
		t.Error(err)
	}
	week := pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits?days=7"), http.StatusOK, "1,801",
		`aria-current="page">7 天`, `href="/mgr/settings/visits?days=7&amp;lang=es"`)
	if strings.Contains(week, "服务协议</th>") ||
		strings.Count(regexp.MustCompile(`(?s)<svg class="bars".*?</svg>`).FindString(week), "<rect ") != 7 {
		t.Error("more than a week")
	}
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits?days=90"), http.StatusOK, "1,858")
	for _, days := range []string{"0", "8", "-7", "x", "99999999999999999999", ""} {
		pagestest.WantStatus(t, b.Get(pagestest.Settings+"/visits?days="+days), http.StatusNotFound)
		pagestest.WantStatus(t, b.Get(pagestest.Settings+"/visits.csv?days="+days), http.StatusNotFound)
	}
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits?lang=es&days=30"), http.StatusOK, "1,808", "páginas vistas",
		"Máximo: 1,200 el 1 oct 2026", "Panel: pedidos")
	pagestest.WantPage(t, b.Get(pagestest.Settings+"/visits?lang=en"), http.StatusOK, "Most: 1,200 on 1 Oct 2026",
		"Opened from the menu")
	pagestest.WantPage(t, b.Get(pagestest.Office+"?lang=zh"), http.StatusOK, "近 7 天浏览次数", "1,801",
		`href="/mgr/settings/visits?days=7"`)
	pagestest.WantPage(t, b.Get(pagestest.Settings), http.StatusOK, `href="/mgr/settings/visits"`, "各页面的浏览次数")
}

// checkXML returns an error when markup is not well-formed XML.
func checkXML(markup string) error {
	d := xml.NewDecoder(strings.NewReader(markup))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestVisitsNeedTheRightAndShowOnlyTheCompany(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	addPageViews(s, 0, "login", "phone", 4321)
	pagestest.WantStatus(t, s.SignInAsEmployee().Get(pagestest.Settings+"/visits"), http.StatusForbidden)
	pagestest.WantStatus(t, s.SignInAsEmployee().Get(pagestest.Settings+"/visits.csv"), http.StatusForbidden)
	pagestest.WantSessionEnded(t, s.SignInByPhone("13800000001").Get(pagestest.Settings+"/visits"), "",
		"/mgr/settings/visits")
	other := s.SignInByName("northwind")
	page := pagestest.WantPage(t, other.Get("http://store1003.portico.test/mgr/settings/visits?companyId=1001"),
		http.StatusOK, "Visits")
	if strings.Contains(page, "4,321") {
		t.Error("another company's visits are shown")
	}
	if strings.Contains(pagestest.Text(t, s.SignInAsEmployee().Get(pagestest.Office)), "近 7 天浏览次数") {
		t.Error("the week is shown to an employee who may not")
	}
}

func TestVisitsAreExportedAsASpreadsheet(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	addPageViews(s, 0, "login", "phone", 1200)
	addPageViews(s, 1, "menu:orders", "work-chat", 3)
	addPageViews(s, 1, "=of_a_later_version", "desktop", 1)
	r := b.Get(pagestest.Settings + "/visits.csv?days=7")
	pagestest.WantStatus(t, r, http.StatusOK)
	if r.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		r.Header.Get("Content-Disposition") != `attachment; filename="visits-1001.csv"` ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Error(r.Header)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(pagestest.Text(t, r), "\ufeff"))).ReadAll()
	want := [][]string{
		{"日期", "页面", "设备", "浏览次数"}, {"2026-09-30", "'=of_a_later_version", "电脑", "1"},
		{"2026-09-30", "菜单：后台：订单", "企业微信", "3"}, {"2026-10-01", "登录", "手机", "1200"},
	}
	if err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("%v %q", err, rows)
	}
	if rows, err = csv.NewReader(strings.NewReader(strings.TrimPrefix(pagestest.Text(t,
		b.Get(pagestest.Settings+"/visits.csv")), "\ufeff"))).ReadAll(); err != nil || len(rows) != 4 ||
		!slices.Equal(rows[3], want[3]) {
		t.Errorf("without a period the export has 30 days: %v %q", err, rows)
	}
}

// addPageViews adds n views of a page by a kind of device to company 1001, so many days ago. It fails the test when the
// database fails.
func addPageViews(s *pagestest.Site, daysAgo int, page, device string, n int64) {
	s.T.Helper()
	day := store.DayOf(s.Clock.In(time.FixedZone("", 8*60*60))) - store.Day(daysAgo)
	if err := s.DB.Views.Add(s.T.Context(), []store.PageViews{{ViewKey: store.ViewKey{CompanyID: 1001, Day: day,
		Page: page, Device: device}, Views: n}}); err != nil {
		s.T.Fatal(err)
	}
}
