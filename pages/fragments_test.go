package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/store"
	"portico/store/storetest"
)

// asked are the headers of a request for what stands in <main>.
var asked = []string{"HX-Request", "true", "HX-Target", "main#main"}

// wantFragment fails the test unless an answer is a part of a page.
func wantFragment(t *testing.T, r *http.Response, status int, parts ...string) {
	t.Helper()
	page := pagestest.WantPage(t, r, status, append(parts, "<title>")...)
	if strings.Contains(page, "<html") || strings.Contains(page, `class="menu"`) || strings.Contains(page, "<style") {
		t.Errorf("a whole page, where a part was asked for:\n%.200s", page)
	}
	if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("a part of a page that somebody opens may load something: %s", policy)
	}
}

// sent returns how many bytes an answer to a GET takes as it is sent.
func sent(b *pagestest.Browser, address string, headers ...string) int64 {
	return b.Get(address, append(headers, "Accept-Encoding", "gzip")...).ContentLength
}

func TestPageOfALandingSiteIsSentWithoutItsFrameWhenAScriptAsksForThat(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for _, list := range []string{"/orders", "/customers", "/applications", "/people", "/products"} {
		wantFragment(t, b.Get(pagestest.Office+list, asked...), http.StatusOK, `class="listed"`,
			`<span class="waits" id="waiting-orders" hx-swap-oob="true">`, `id="menu-languages" hx-swap-oob="true"`)
		part, whole := sent(b, pagestest.Office+list, asked...), sent(b, pagestest.Office+list)
		if part > 4096 || part > whole*3/4 {
			t.Errorf("%s takes %d bytes, and %d as a whole page", list, part, whole)
		}
	}
	wantFragment(t, b.Get(pagestest.Office+"/audit", asked...), http.StatusOK, `class="index log"`)
	wantFragment(t, b.Get(pagestest.Office+"/settings/bank?done=saved", asked...), http.StatusOK,
		`<div hx-swap-oob="beforeend:body"><p class="toast"`)
}

// A page of a list has 25 rows at first.
func TestListOf25RowsIsRenewedInFourKilobytes(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for i := range 40 {
		if _, err := s.DB.Orders.Add(t.Context(), store.Order{
			CompanyID: 1001, Number: int64(7001 + i), ClientID: int64(2001 + i%4), State: store.OrderNew,
			Form: fmt.Sprint("form", i), Total: int64(i*i*9973 + 1234),
			PlacedAt: store.Instant(1790000000000 + i*4321000),
		}); err != nil {
			t.Fatal(err)
		}
	}
	b := s.SignInByPhone("13800000002")
	page := pagestest.Text(t, b.Get(pagestest.Office+"/orders?state=new", asked...))
	if rows := strings.Count(page, `<tr id="row-`); rows != 25 {
		t.Fatalf("%d rows", rows)
	}
	if size := sent(b, pagestest.Office+"/orders?state=new", asked...); size > 4096 {
		t.Errorf("25 rows take %d bytes", size)
	}
}

func TestWholePageIsSentToWhoDoesNotAskForAPart(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for name, headers := range map[string][]string{
		"another target":   {"HX-Request", "true", "HX-Target", "body"},
		"no script":        {"HX-Target", "main#main"},
		"coming back":      {"HX-History-Restore-Request", "true"},
		"nothing":          nil,
		"an empty request": {"HX-Request", "", "HX-Target", "main#main"},
	} {
		t.Run(name, func(t *testing.T) {
			pagestest.WantPage(t, b.Get(pagestest.Office+"/orders", headers...), http.StatusOK, "<!doctype html>",
				`<main id="main" hx-history-elt hx-sync:inherited="#main:replace">`)
		})
	}
}

// What has no frame of a landing site is never put into one: the sign-in pages, and the pages of errors.
func TestPagesWithoutTheFrameOfALandingSiteAreSentWhole(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for _, c := range []struct {
		address string
		status  int
	}{
		{pagestest.AccountSite + "/login", http.StatusOK}, {pagestest.AccountSite + "/accounts?all=1", http.StatusOK},
		{pagestest.AccountSite + "/security", http.StatusOK},
		{pagestest.Office + "/orders/999999", http.StatusNotFound},
	} {
		page := pagestest.WantPage(t, b.Get(c.address, asked...), c.status, "<!doctype html>")
		if strings.Contains(page, "htmx-config") || strings.Contains(page, "hx-boost") {
			t.Errorf("%s has the markup of fragments", c.address)
		}
	}
	pagestest.WantStatus(t, s.Browser().Get(pagestest.Office+"/orders", asked...), http.StatusSeeOther)
}

func TestRefusedSettingComesBackAsAPartWithWhatWasTyped(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	page := pagestest.WantPage(t, b.Get(pagestest.Office+"/settings/bank"), http.StatusOK, `hx-sync="this:drop"`)
	fields := pagestest.FormFields(t, page, "/mgr/settings/bank")
	fields.Set("bank_card", "12")
	fields.Set("action", "save")
	wantFragment(t, b.Do(http.MethodPost, pagestest.Office+"/settings/bank", fields, asked...),
		http.StatusUnprocessableEntity, `role="alert"`, `value="12"`)
}

func TestFragmentSaysHowManyOrdersWait(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	storetest.Exec(t, s.DB, "UPDATE orders SET state = 'confirmed'")
	wantFragment(t, b.Get(pagestest.Office+"/orders", asked...), http.StatusOK,
		`<span class="waits" id="waiting-orders" hx-swap-oob="true"></span>`)
}
