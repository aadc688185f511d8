package pages_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheChoiceOfSidesSaysWhyOneCannotBeEntered(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.signIn("account.portico.test", "13800000002") // an administrator without an ordering account
	page := wantPage(t, b.get("http://account.portico.test/enter"), http.StatusOK,
		`name="side" value="mgr"`, "您在这家企业没有订货账号")
	if strings.Contains(page, `name="side" value="shop"`) {
		t.Error("the mall can be chosen")
	}
	wantTo(t, b.post("http://account.portico.test/enter", "side", "shop"), "/enter?company=1001")
	wantTo(t, b.post("http://account.portico.test/enter", "side", "elsewhere"), "/company")
}

func TestTrialPagesOfferThePlatformsSupport(t *testing.T) {
	s := newSite(t, options{})
	call := `<a href="tel:4000000000">平台客服 客服</a>`
	for _, path := range []string{"/register", "/experience"} {
		wantPage(t, s.browser().get("http://account.portico.test"+path), http.StatusOK, call)
	}
	b := s.browser()
	b.signIn("account.portico.test", "13800000001")
	wantTo(t, b.post("http://account.portico.test/experience", "industry", "118", "agree", "1"), "/experience/role")
	wantPage(t, b.get("http://account.portico.test/experience/role"), http.StatusOK, call)
}
