package pages_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"portico/pages"
	"portico/pages/pagestest"
)

// SpecifiedRoutes are the paths that other systems may link to. They never change.
var SpecifiedRoutes = []string{
	"/", "/login", "/login/account", "/register", "/register/complete", "/register/init", "/register/wechat",
	"/register/result", "/register/more", "/company", "/bind", "/bind/1", "/unbind", "/forget", "/forget/phone",
	"/forget/account", "/experience", "/experience/role", "/agreement", "/jumperror", "/wechatpro",
}

// OptionalParameters are the paths that may be followed by any text as an optional parameter.
var OptionalParameters = map[string]struct{}{"/bind/1": {}, "/forget/phone": {}, "/forget/account": {}}

func TestEveryPublishedRouteIsAnExactMatch(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	status := func(path string) int {
		// Some pages redirect or are not found without a session. The answer to PUT shows whether the route exists.
		return b.Do(http.MethodPut, "http://account.portico.test"+path, nil).StatusCode
	}
	for _, path := range SpecifiedRoutes {
		if got := status(path); got != http.StatusMethodNotAllowed {
			t.Errorf("%s is no route: %d", path, got)
		}
		if path == "/" || path == "/bind" {
			continue
		}
		others := []string{path + "/", path + "/none/none", strings.ToUpper(path), "/x" + path}
		if _, isValue := OptionalParameters[path]; !isValue {
			others = append(others, path+".html")
		}
		for _, other := range others {
			if got := status(other); got != http.StatusNotFound {
				t.Errorf("%s leads somewhere: %d", other, got)
			}
		}
	}
}

// Tests of other packages read the list. PORTICO_WRITE_DOCS=1 writes it anew.
func TestListOfRoutesIsCurrent(t *testing.T) {
	const path = "testdata/routes.txt"
	list := pagestest.NewSite(t, pagestest.Options{Production: true}).Handler.(*pages.Pages).RouteList()
	if os.Getenv("PORTICO_WRITE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != list {
		t.Errorf("%s is not current: write it with PORTICO_WRITE_DOCS=1 go test ./pages -run ListOfRoutes", path)
	}
}

func TestTheRootShowsTheLoginForm(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	form := func(path string) string {
		page := pagestest.WantPage(t, b.Get("http://account.portico.test"+path), http.StatusOK,
			`name="phone"`, `name="password"`, `name="remember"`, `href="/forget/phone"`)
		return regexp.MustCompile(`(?s)<form.*</form>`).FindString(page)
	}
	if root := form("/"); root != form("/login") {
		t.Errorf("another form:\n%s", root)
	}
}
