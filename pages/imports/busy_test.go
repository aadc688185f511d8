package imports_test

import (
	"net/http"
	"testing"

	"portico/e2e/testscope"
	"portico/pages/pagestest"
	"portico/portal/imports"
	"portico/portal/lists"
)

func TestWhoGetsNoTurnIsToldWhenToTryAgain(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	here := pagestest.AdministratorLanding(s, "13800000002")
	address := pagestest.Office + "/products/import"
	token := pagestest.HiddenFields(pagestest.Text(t, b.Get(address))).Get("token")

	slow := testscope.NewHeldReader("x")
	ended := make(chan error)
	go func() {
		_, err := s.Portal.Imports.Read(t.Context(), here, imports.Input{List: imports.ProductList}, "slow", slow)
		ended <- err
	}()
	slow.AwaitReading()
	r := b.SendFile(address, token, "list.csv", []byte("商品名称\n大米\n"))
	pagestest.WantStatus(t, r, http.StatusServiceUnavailable)
	if r.Header.Get("Retry-After") != "2" {
		t.Errorf("an import: try again after %q", r.Header.Get("Retry-After"))
	}
	slow.Release()
	if err := <-ended; err == nil {
		t.Error("the slow file was read")
	}

	begun, more := make(chan struct{}), make(chan struct{})
	for range 2 {
		go func() {
			ended <- s.Portal.Lists.Products.Each(t.Context(), here, lists.Input{}, "zh", func([]lists.Product) error {
				begun <- struct{}{}
				<-more
				return nil
			})
		}()
		<-begun
	}
	for _, kind := range []string{".csv", ".xlsx"} {
		r := b.Get(pagestest.Office + "/customers/export" + kind)
		page := pagestest.WantPage(t, r, http.StatusServiceUnavailable, "<h1")
		if r.Header.Get("Retry-After") != "2" || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %v\n%s", kind, r.Header, page)
		}
	}
	close(more)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
