package main

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/portal"
)

func TestTheMetricsTellPageViewsAndNoCompany(t *testing.T) {
	s, _ := testServer(t, nil)
	s.portal.CountView("login", 1001, portal.OnPhone)
	s.portal.CountView("login", 0, portal.OnApp)
	if err := s.portal.WriteViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	(&metrics{portal: s.portal, server: s, log: s.log}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`portico_page_views_total{of="companies",device="phone"} 1`, `portico_page_views_total{of="platform",device="app"} 1`, `portico_page_views_total{of="platform",device="work-chat"} 0`,
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("%s is missing in\n%s", line, w.Body)
		}
	}
	if strings.Count(w.Body.String(), "\nportico_page_views_total{") != 2*len(portal.DeviceKinds) || strings.Contains(w.Body.String(), "1001") {
		t.Errorf("a company is named, or there are more rows than kinds:\n%s", w.Body)
	}
}

func TestTheMetricsTellTheDayOfEachBudgetAndNoPhone(t *testing.T) {
	s, _ := testServer(t, nil)
	if err := s.portal.LoadDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := portal.WithCaller(t.Context(), portal.Caller{Address: "203.0.113.7"})
	for _, in := range []portal.AskCodeInput{
		{Purpose: portal.ForLogin, Phone: "13800000001", Flow: "a"},
		{Purpose: portal.ForApplication, Phone: "13711113333", CompanyID: 1001, Flow: "a"},
	} {
		if _, err := s.portal.AskCode(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	ask(s, "GET", "http://localhost:8080/login")
	ask(s, "GET", "http://localhost:8080/nothing")
	w := httptest.NewRecorder()
	m := &metrics{portal: s.portal, server: s, log: s.log}
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, _ := io.ReadAll(w.Result().Body)
	for _, line := range []string{
		`portico_sms_sent{company="1001"} 1`, `portico_sms_sent{company="platform"} 2`, `portico_sms_budget{company="1001"} 500`, `portico_sms_budget{company="platform"} 5000`,
		`portico_sms_strangers_hour{company="1001"} 1`, `portico_sms_strangers_hour{company="platform"} 1`,
		`portico_sms_strangers_hour_budget{company="1001"} 42`,
		`portico_sms_strangers_hour_budget{company="platform"} 417`,
		`portico_requests_total{status="2xx"} 1`, `portico_requests_total{status="4xx"} 1`,
	} {
		if !strings.Contains(string(body), line+"\n") {
			t.Errorf("%s is missing in\n%s", line, body)
		}
	}
	if strings.Contains(string(body), "138") || strings.Contains(string(body), "137") {
		t.Errorf("a phone is in the metrics:\n%s", body)
	}
	for _, address := range []string{"http://localhost:8080/metrics", "http://api.localhost:8080/metrics", "http://account.localhost:8080/metrics"} {
		if r := ask(s, "GET", address); r.StatusCode != 404 {
			t.Errorf("%s: %d", address, r.StatusCode)
		}
	}
}
