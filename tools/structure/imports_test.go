package structure

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport has, for each package, the packages of this repository that it may import, and the reason, which the test
// prints when the rule is broken.
var mayImport = map[string]importRule{
	"portico": {[]string{"command"}, "it is one call"},
	"portico/command": {
		[]string{
			"server", "config", "pages", "api", "portal", "store", "store/schema", "gateway", "locale", "standin",
			"command/doctor", "server/tracing", "server/tracing/otlp", "store/backup",
		},
		"the commands are the only wiring",
	},
	"portico/server": {
		[]string{"portal", "store", "store/dberror", "store/pool", "server/tracing"},
		"the HTTP shell hands requests on and shows no page itself; it counts what the store reports",
	},
	"portico/server/tracing":      {nil, "every package may begin spans, so it depends on none"},
	"portico/server/tracing/otlp": {[]string{"server/tracing"}, "it sends spans and knows nothing of their meaning"},
	"portico/config": {
		[]string{"portal", "store", "store/pool", "gateway", "standin", "store/backup"},
		"it reads settings and starts nothing",
	},
	"portico/store/backup": {
		[]string{"store", "store/schema", "store/whole", "gateway/s3address"},
		"it copies the database as a whole and knows no rule",
	},
	"portico/config/configtest": {nil, "it makes settings for tests"},
	"portico/pages":             pageRule,
	"portico/pages/pagestest": {
		[]string{"pages", "portal", "portal/portaltest", "store", "store/storetest", "gateway", "locale"},
		"it helps the tests of the pages",
	},
	"portico/api": {
		[]string{"api/docs", "api/negotiation", "portal", "store", "locale"},
		"the API decodes, calls portal and answers; it knows nothing of the pages",
	},
	"portico/api/docs": {
		[]string{"api/negotiation", "portal", "locale", "assets"},
		"it shows the API's description and the catalogue of refusals",
	},
	"portico/api/negotiation": {nil, "it reads headers of HTTP"},
	"portico/portal":          portalRule,
	"portico/command/doctor": {
		[]string{"config", "gateway", "server", "store", "store/health", "store/pool", "store/schema"},
		"it looks at the installation from outside and knows no rule",
	},
	"portico/store/health":       {nil, "it reads the state of a database server"},
	"portico/portal/picturetest": {nil, "it makes pictures for tests"},
	"portico/portal/portaltest": {
		[]string{"portal", "store", "store/storetest", "gateway"},
		"it starts platforms for the tests of the rules",
	},
	"portico/portal/portaltest/applicationtest": {
		[]string{"portal", "portal/portaltest", "store"},
		"it applies to companies for tests",
	},
	"portico/portal/portaltest/chattest": {
		[]string{
			"portal", "portal/portaltest", "portal/portaltest/applicationtest", "portal/portaltest/onboardingtest",
			"store", "store/storetest",
		},
		"it signs in by chat apps for tests",
	},
	"portico/portal/portaltest/companytest": {
		[]string{"portal", "portal/portaltest", "portal/portaltest/onboardingtest", "store"},
		"it fills companies for tests",
	},
	"portico/portal/portaltest/credentialtest": {
		[]string{"portal", "portal/portaltest", "portal/portaltest/companytest"},
		"it binds phones and changes passwords for tests",
	},
	"portico/portal/portaltest/guesstest": {
		[]string{"portal", "portal/portaltest", "portal/portaltest/companytest", "store"},
		"it guesses passwords for tests",
	},
	"portico/portal/portaltest/onboardingtest": {
		[]string{"portal", "portal/portaltest", "store"},
		"it registers companies and opens sandboxes for tests",
	},
	"portico/portal/portaltest/sessiontest": {
		[]string{"portal", "portal/portaltest", "store"},
		"it uses sessions of browsers and native apps for tests",
	},
	"portico/components": {
		[]string{"components/product", "components/outline", "locale", "assets"},
		"building blocks show what a page gives them and decide nothing",
	},
	"portico/components/product": {[]string{"locale", "assets"}, "pictures of the product decide nothing"},
	"portico/components/outline": {nil, "it draws what it is given"},
	"portico/store": {
		[]string{
			"store/dberror", "store/pool", "store/schema", "store/searchkey",
		},
		"the store depends on no package that uses it",
	},
	"portico/store/dberror": {nil, "it reads the errors of drivers"},
	"portico/store/pool": {
		[]string{"store/dberror", "server/tracing"},
		"it opens connections and counts what they do",
	},
	"portico/store/schema": {
		[]string{"store/dberror"},
		"it reaches the database by functions that the store gives it",
	},
	"portico/store/searchkey": {nil, "it spells the keys of names and knows no database"},
	"portico/store/lists": {
		[]string{"store", "store/searchkey"},
		"it has the SQL of the lists",
	},
	"portico/store/sessionstore": {[]string{"store"}, "it keeps the sessions of the session manager in the store"},
	"portico/store/whole":        {[]string{"store", "store/schema"}, "it looks at a database as a whole"},
	"portico/store/storetest": {
		[]string{"store", "store/pool", "store/schema", "e2e/testscope"},
		"it opens databases for tests",
	},
	"portico/gateway": {
		[]string{"gateway/s3address", "server/tracing"},
		"clients of other services know nothing of this program",
	},
	"portico/gateway/s3address": {nil, "it reads the address of a bucket"},
	"portico/standin": {
		[]string{"locale"},
		"the stand-in must behave like WeChat, so it shares no code with the gateway and the rules",
	},
	"portico/locale":           {nil, "texts depend on no other package"},
	"portico/assets":           {nil, "files depend on no other package"},
	"portico/assets/drawwords": {nil, "it draws words and prints them"},
	"portico/tools/bench": {
		[]string{
			"e2e/testscope", "tools/bench/figures", "tools/bench/page", "portal", "store", "store/storetest",
		},
		"it measures the program from outside and single operations from inside",
	},
	"portico/tools/bench/figures":      {nil, "it prints numbers"},
	"portico/tools/bench/page":         {[]string{"tools/bench/figures"}, "it measures the program in a browser"},
	"portico/tools/badline/lostanswer": {nil, "its test drives a browser"},
	"portico/tools/badline": {
		nil,
		"the proxy knows only HTTP; its tests drive the built program from outside",
	},
	"portico/deploy":            {nil, "its tests start other programs with the samples"},
	"portico/deploy/debian":     {nil, "it tests the Debian package"},
	"portico/deploy/deploytest": {[]string{"e2e/testscope"}, "it runs the built program and others for tests"},
	"portico/tools/report":      {nil, "it reads Go code and knows no program"},
	"portico/tools/scale":       {nil, "its tests run several programs for minutes"},
	"portico/tools/structure":   {nil, "its tests read the repository"},
	"portico/e2e/testscope":     {nil, "it reads a variable, starts goroutines, finds ports and files"},
	"portico/tools/shape":       {nil, "its tests run operations through the pages and measure the database"},
	"portico/e2e/program": {
		[]string{"store", "e2e/testscope"},
		"it starts the built program and fills its database for browser tests",
	},
	"portico/e2e/browser": {[]string{"e2e/program", "e2e/testscope"}, "it drives a browser and knows no page"},
	"portico/e2e/steps": {
		[]string{"e2e/browser", "e2e/program", "store"},
		"it has the steps that browser tests of several subjects share",
	},
	"portico/e2e/chatapp": {
		[]string{"e2e/browser", "e2e/program", "e2e/steps"},
		"it signs in by chat apps for browser tests",
	},
}

// handlesNoDatabase are the packages that may use the types of the store but never its database, so that they cannot
// skip a rule of portal.
var handlesNoDatabase = []string{"pages", "api"}

// importRule is a row of mayImport.
type importRule struct {
	ours   []string
	reason string
}

// portalRule is the rule for portal and the packages below it. Which of them may import which is in docs/structure.md.
var portalRule = importRule{
	[]string{"store", "store/sessionstore", "store/lists", "store/searchkey", "portal", "server/tracing"},
	"the rules know neither HTTP nor HTML, so that pages and API have the same ones",
}

// pageRule is the rule for pages and the packages below it. Which of them may import which is in docs/structure.md.
var pageRule = importRule{
	[]string{"pages", "portal", "store", "components", "locale", "assets"},
	"pages decode, call portal and render; they know nothing of the API",
}

// browserTests is the rule for the folders of e2e that contain only tests.
var browserTests = importRule{nil, "browser tests share code through browser, program, steps and chatapp"}

// testPackages are packages for tests. Only tests and other test packages import them.
var testPackages = []string{
	"portal/portaltest", "portal/portaltest/applicationtest", "portal/portaltest/chattest",
	"portal/portaltest/companytest", "portal/portaltest/credentialtest", "portal/portaltest/guesstest",
	"portal/portaltest/onboardingtest", "portal/portaltest/sessiontest", "portal/picturetest", "pages/pagestest",
}

// isBelow reports whether a package of rules or pages is in a folder below parent, which is portal or pages.
func isBelow(name, parent string) bool {
	folder, ok := strings.CutPrefix(name, "portico/")
	return ok && strings.HasPrefix(folder, parent+"/") && !slices.Contains(testPackages, folder)
}

// allows reports whether a list of packages allows an import. With portal or pages, it allows the packages below them.
func allows(list []string, folder string) bool {
	for _, parent := range []string{"portal", "pages"} {
		if slices.Contains(list, parent) && isBelow("portico/"+folder, parent) {
			return true
		}
	}
	return slices.Contains(list, folder)
}

func TestPackagesFollowImportRules(t *testing.T) {
	for line := range strings.Lines(listImports(t, ".") + listImports(t, "tools")) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		rule, known := mayImport[name]
		if !known && strings.HasPrefix(name, "portico/portal/") {
			rule, known = portalRule, true
		}
		if !known && strings.HasPrefix(name, "portico/pages/") {
			rule, known = pageRule, true
		}
		if !known && strings.HasPrefix(name, "portico/e2e/") {
			rule, known = browserTests, true
		}
		if !known {
			t.Errorf("%s has no row in the table of imports", name)
			continue
		}
		for _, imported := range strings.Fields(imports) {
			if folder, ok := strings.CutPrefix(imported, "portico/"); ok && !allows(rule.ours, folder) {
				t.Errorf("%s imports %s: %s", name, imported, rule.reason)
			}
			if slices.Contains(forbidden[name], imported) ||
				isBelow(name, "portal") && slices.Contains(forbidden["portico/portal"], imported) ||
				isBelow(name, "pages") && slices.Contains(forbidden["portico/pages"], imported) {
				t.Errorf("%s imports %s: %s", name, imported, rule.reason)
			}
		}
	}
}

// listImports returns a line for each package of the module in a folder: its path, a colon, and what it imports.
func listImports(t *testing.T, folder string) string {
	t.Helper()
	list := exec.Command("go", "list", "-f", "{{.ImportPath}}: {{join .Imports \" \"}}", "./...")
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// forbidden are packages of other authors that a package here must not import, for the same reason.
var forbidden = map[string][]string{
	"portico/portal": {"net/http", "html/template", "github.com/a-h/templ", "database/sql", "github.com/jmoiron/sqlx"},
	"portico/pages":  {"database/sql", "github.com/jmoiron/sqlx"},
	"portico/api":    {"database/sql", "github.com/jmoiron/sqlx"},
	"portico/store":  {"net/http"},
}

func TestPagesAndAPIDoNotUseTheDatabase(t *testing.T) {
	for _, folder := range handlesNoDatabase {
		out, err := exec.Command(
			"grep", "-rnE", `\.DB\b|store\.Open\b`, folder, "--include=*.go", "--include=*.templ",
			"--exclude=*_test.go", "--exclude-dir=pagestest",
		).
			CombinedOutput()
		if len(out) > 0 && err == nil {
			t.Errorf("only portal and command may use the database:\n%s", out)
		}
	}
}

func TestRealIPMiddlewareIsNotUsed(t *testing.T) {
	out, err := exec.Command("grep", "-rn", "middleware.RealIP", ".", "--include=*.go", "--exclude=imports_test.go").
		CombinedOutput()
	if len(out) > 0 && err == nil {
		t.Errorf("chi's RealIP trusts every client:\n%s", out)
	}
}

// net/http/pprof and expvar add their pages to http.DefaultServeMux when they are linked, so no server may use that.
func TestNoServerUsesTheDefaultMux(t *testing.T) {
	out, err := exec.Command("grep", "-rnE", `DefaultServeMux|http\.Handle(Func)?\(|middleware\.Profiler`, ".",
		"--include=*.go", "--exclude=*_test.go").CombinedOutput()
	if len(out) > 0 && err == nil {
		t.Errorf("a server may show what other packages add:\n%s", out)
	}
}
