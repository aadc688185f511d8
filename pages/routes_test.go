package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// specifiedRoutes are the routes of section 2 of the specification.
var specifiedRoutes = []string{
	"/", "/login", "/login/account", "/register", "/register/complete", "/register/init", "/register/wechat",
	"/register/result", "/register/more", "/company", "/bind", "/bind/1", "/unbind", "/forget", "/forget/phone",
	"/forget/account", "/experience", "/experience/role", "/agreement", "/jumperror", "/wechatpro",
}

// optionalParameters are the routes that end in a value of an optional parameter, which may be any text.
var optionalParameters = map[string]struct{}{"/bind/1": {}, "/forget/phone": {}, "/forget/account": {}}

func TestEveryRouteOfTheSpecificationIsAnExactMatch(t *testing.T) {
	b := newSite(t, options{}).browser()
	status := func(path string) int {
		// Without credentials and a session some pages are not found or redirect. PUT tells whether the route exists.
		return b.do(http.MethodPut, "http://account.portico.test"+path, nil).StatusCode
	}
	for _, path := range specifiedRoutes {
		if got := status(path); got != http.StatusMethodNotAllowed {
			t.Errorf("%s is no route: %d", path, got)
		}
		if path == "/" || path == "/bind" {
			continue
		}
		others := []string{path + "/", path + "/none/none", strings.ToUpper(path), "/x" + path}
		if _, isValue := optionalParameters[path]; !isValue {
			others = append(others, path+".html")
		}
		for _, other := range others {
			if got := status(other); got != http.StatusNotFound {
				t.Errorf("%s leads somewhere: %d", other, got)
			}
		}
	}
}

func TestTheRootShowsTheLoginForm(t *testing.T) {
	b := newSite(t, options{}).browser()
	form := func(path string) string {
		page := wantPage(t, b.get("http://account.portico.test"+path), http.StatusOK,
			`name="phone"`, `name="password"`, `name="remember"`, `href="/forget/phone"`)
		return regexp.MustCompile(`(?s)<form.*</form>`).FindString(page)
	}
	if root := form("/"); root != form("/login") {
		t.Errorf("another form:\n%s", root)
	}
}
