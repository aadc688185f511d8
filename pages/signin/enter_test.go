package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

func TestChoiceOfSidesSaysWhyASideIsBlocked(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000002") // an administrator without an ordering account
	page := pagestest.WantPage(t, b.Get("http://account.portico.test/enter"), http.StatusOK,
		`name="side" value="mgr"`, "您在这家企业没有订货账号")
	if strings.Contains(page, `name="side" value="shop"`) {
		t.Error("the mall can be chosen")
	}
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/enter", "side", "shop"), "/enter?company=1001")
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/enter", "side", "elsewhere"), "/company")
}

func TestTrialPagesShowPlatformSupport(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	call := `<a href="tel:4000000000">联系客服 400 000 0000</a>`
	for _, path := range []string{"/register", "/experience"} {
		pagestest.WantPage(t, s.Browser().Get("http://account.portico.test"+path), http.StatusOK, call)
	}
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000001")
	pagestest.WantRedirect(t, b.Post("http://account.portico.test/experience", "industry", "118", "agree", "1"),
		"/experience/role")
	pagestest.WantPage(t, b.Get("http://account.portico.test/experience/role"), http.StatusOK, call)
}
