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
	page := wantPage(t, b.get("http://account.portico.test/enter"), http.StatusOK, `name="side" value="mgr"`, "您在这家企业没有订货账号")
	if strings.Contains(page, `name="side" value="shop"`) {
		t.Error("the mall can be chosen")
	}
	wantTo(t, b.post("http://account.portico.test/enter", "side", "shop"), "/enter?company=1001")
	wantTo(t, b.post("http://account.portico.test/enter", "side", "elsewhere"), "/company")
}
