package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

const (
	budgetFile = "budgets.json"
	stillFor   = 300 * time.Millisecond // after the last byte, so that what the page loads when idle has arrived
)

// budget is how much a page may load into a browser with an empty cache: bytes on the wire with headers, the bytes of
// scripts among them, and requests. Again is how many bytes it may load when it is opened once more, 0 for pages where
// that is not measured: those that nobody works with all day. Chunks are the names of the scripts, with spaces between
// them; docs/bundle.md describes them.
type budget struct {
	Bytes    int    `json:"bytes"`
	Again    int    `json:"again,omitempty"`
	Scripts  int    `json:"scripts"`
	Requests int    `json:"requests"`
	Chunks   string `json:"chunks"`
}

// chunkName matches the URL of a script. Its group is the name; vite appends eight characters of a hash.
var chunkName = regexp.MustCompile(`/assets/(.+)-.{8}\.js$`)

// lightPage is a page with a budget. find returns its URL.
type lightPage struct {
	name string
	find func(b *browser.Tab) (address string)
}

// lightPages are the routes that have a budget, in an order that saves sign-ins. Pages of landing sites have the path
// that they have on large screens.
var lightPages = []lightPage{
	{"/login", onAccountSite("/login")},
	{"/login/account", onAccountSite("/login/account")},
	{"/login/code", onAccountSite("/login/code")},
	{"/register", onAccountSite("/register")},
	{"/experience", onAccountSite("/experience")},
	{"/forget/phone", onAccountSite("/forget/phone")},
	{"/forget/account", onAccountSite("/forget/account")},
	{"/agreement", onAccountSite("/agreement")},
	{"/jumperror", onAccountSite("/jumperror")},
	{"/register/complete", onHost("store1001", "/register/complete")},
	{"/register/more", onHost("store1001", "/register/more")},
	{"/register/init", afterSteps(func(b *browser.Tab) { steps.RegisterCompany(b, program.NewFounder()) })},
	{
		"/register/result",
		afterSteps(func(b *browser.Tab) { steps.ChooseIndustry(b, 118); b.Follow(steps.ImportButton) }),
	},
	{
		"/experience/role",
		afterSteps(func(b *browser.Tab) { b.ClearCookies(); steps.OpenTrial(b, program.NewPhone(), 121) }),
	},
	{"/home", afterSteps(func(b *browser.Tab) { b.Follow(steps.RoleButton("shop")) })},
	{"/home/cart", afterSteps(func(b *browser.Tab) { steps.TypeQuantity(b, 0, "1"); b.Follow(steps.CartLink) })},
	{"/home/orders", afterSteps(func(b *browser.Tab) { b.Follow(steps.OrderButton) })},
	{"/home/orders/{id}", afterSteps(func(b *browser.Tab) { b.Follow(steps.PlacedOrder) })},
	{"/mgr/orders/{id}", afterSteps(func(b *browser.Tab) {
		b.Follow(steps.SwitchButton)
		b.Follow(steps.OrdersLink)
		b.Follow(steps.PlacedOrder)
	})},
	{
		"/mgr/settings/initialisation",
		afterSteps(func(b *browser.Tab) { b.Follow(steps.SettingsLink); b.Follow(steps.SamplesLink) }),
	},
	{"/company", afterSteps(func(b *browser.Tab) {
		b.ClearCookies()
		steps.SignIn(b, "13800000003")
		b.Visit("account", "/company?all=1")
	})},
	{"/enter", afterSteps(func(b *browser.Tab) { b.ClearCookies(); steps.SignIn(b, "13800000012") })},
	{
		"/bind",
		afterSteps(
			func(b *browser.Tab) { b.ClearCookies(); steps.SignIn(b, b.Server.AddPersonWithoutPhone(b.T).Login) },
		),
	},
	{"/password", onAccountSite("/password")},
	{"/mgr", afterSteps(func(b *browser.Tab) {
		b.ClearCookies()
		b.Company, b.Applicant = b.Server.AddCompany(
			b.T, "zh", "region address reason licence contact_phone", true,
		), program.NewApplicant()
		b.Server.AddApplication(b.T, b.Company, b.Applicant)
		b.Server.AddCustomer(b.T, b.Company, program.NewApplicant())
		steps.SignIn(b, b.Company.Phone)
	})},
	{"/accounts", onAccountSite("/accounts?all=1")},
	{"/profile", onAccountSite("/profile")},
	{"/security", onAccountSite("/security")},
	{"/mgr/orders", inBackOffice("/orders")},
	{"/mgr/applications", inBackOffice("/applications")},
	{"/mgr/applications/{id}", afterSteps(func(b *browser.Tab) { b.Follow(`main .rows tbody a`) })},
	{"/mgr/customers", inBackOffice("/customers")},
	{"/mgr/customers/{id}", afterSteps(func(b *browser.Tab) { b.Follow(`main .rows tbody a`) })},
	{"/mgr/products/new", inBackOffice("/products/new")},
	{"/mgr/products/{id}", afterSteps(steps.AddProduct)},
	{"/mgr/products", inBackOffice("/products")},
	{"/mgr/people", inBackOffice("/people")},
	{"/mgr/people/{id}", afterSteps(func(b *browser.Tab) { b.Follow(`main .rows tbody tr:last-child a`) })},
	{"/mgr/people/{id}/role", afterSteps(func(b *browser.Tab) { b.Follow(steps.RoleLink) })},
	{"/mgr/people/new", inBackOffice("/people/new")},
	{"/mgr/settings", inBackOffice("/settings")},
	{"/mgr/settings/employees", inBackOffice("/settings/employees")},
	{"/mgr/settings/registration", inBackOffice("/settings/registration")},
	{"/mgr/settings/bank", inBackOffice("/settings/bank")},
	{"/mgr/settings/customer-types", inBackOffice("/settings/customer-types")},
	{"/mgr/settings/appearance", inBackOffice("/settings/appearance")},
	{"/mgr/settings/welcome", inBackOffice("/settings/welcome")},
	{"/mgr/settings/visits", inBackOffice("/settings/visits")},
	{"/mgr/audit", inBackOffice("/audit")},
}

// noBudget are the routes without a budget, each with the reason.
var noBudget = map[string]string{
	"/":                                "is /login",
	"/forget":                          "is /forget/phone",
	"/bind/{isBind}":                   "is /bind with another way on",
	"/forget/{type}":                   "is /forget/phone",
	"/unbind":                          "is a form like /bind",
	"/phone":                           "is a form like /bind",
	"/register/wechat":                 "is a form like /register, behind a chat app",
	"/wechat":                          "leads to a chat app",
	"/wechatpro":                       "leads to a chat app",
	"/wechat/callback":                 "leads on from a chat app",
	"/wechat/confirm":                  "is one question, behind a chat app",
	"/wechat/link":                     "is a choice like /enter, behind a chat app",
	"/wechat/link/account":             "is a form like /login/account, behind a chat app",
	"/wechat/link/code":                "is a form like /login/code, behind a chat app",
	"/agreement/accept":                "is /agreement with a button",
	"/offers":                          "is a list like /enter",
	"/favicon.ico":                     "is no page",
	"/regions.json":                    "is no page",
	"/register/more/licence":           "is an uploaded picture",
	"/mgr/applications/{id}/licence":   "is an uploaded picture",
	"/share/{name}":                    "is a picture for other sites",
	"/icon/{name}":                     "is a picture that a company chose",
	"/portrait/{name}":                 "is an uploaded picture",
	"/welcome/{name}":                  "is a picture that a company chose",
	"/product/{name}":                  "is an uploaded picture",
	"/mgr/cart":                        "is /home/cart",
	"/received":                        "is no page",
	"/style/{name}":                    "is a style sheet of a company",
	"/robots.txt":                      "is no page",
	"/.well-known/change-password":     "is no page",
	"/sitemap.xml":                     "is no page",
	"/mgr/wechat.json":                 "is no page",
	"/mgr/settings/appearance/look":    "is /login as it will look, and carries every sheet in it",
	"/mgr/settings/appearance/preview": "leads to the look",
}

// noBudgetAt returns why a page of a list has no budget, "" for other pages.
func noBudgetAt(path string) string {
	for ending, reason := range map[string]string{
		".csv": "is a file to keep", ".xlsx": "is a file to keep",
		"/bulk":    "is a table like the list that leads to it",
		"/filters": "is a form like that of a setting",
		"/import":  "is a form like that of a setting",
	} {
		if strings.HasSuffix(path, ending) {
			return reason
		}
	}
	return ""
}

// onAccountSite returns the URL of a path on the account site.
func onAccountSite(path string) func(b *browser.Tab) string { return onHost("account", path) }

// onHost returns the URL of a path on a host.
func onHost(host, path string) func(b *browser.Tab) string {
	return func(b *browser.Tab) string { return b.Server.URL(host, path) }
}

// inBackOffice returns the URL of a path in the back office of the tab's company.
func inBackOffice(path string) func(b *browser.Tab) string {
	return func(b *browser.Tab) string {
		host, root := steps.SideOf(b, "mgr", b.Company.ID)
		return b.Server.URL(host, root+path)
	}
}

// afterSteps returns the URL of the page that some steps lead to.
func afterSteps(do func(b *browser.Tab)) func(b *browser.Tab) string {
	return func(b *browser.Tab) string { do(b); return b.Address() }
}

// In make test the pages where people arrive are measured: the first ones.
// PORTICO_BUDGETS names a file to write new budgets to, a little above what was measured. Look at them and replace the
// old ones.
func TestNoPageLoadsMoreThanItsBudget(t *testing.T) {
	t.Parallel()
	b, budgets, now := browser.NewScriptedTab(t, browser.Normal, browser.Phone), readBudgets(t), map[string]budget{}
	pages := lightPages
	if !testscope.All() && os.Getenv("PORTICO_BUDGETS") == "" {
		pages = pages[:slices.IndexFunc(pages, func(p lightPage) bool { return p.name == "/forget/phone" })]
	}
	for _, page := range pages {
		address := page.find(b)
		cost := loadUncached(b, address)
		now[page.name] = budget{roundUp(cost.Bytes), 0, roundUp(cost.Scripts), cost.Requests, cost.Chunks}
		if strings.HasPrefix(page.name, "/mgr") {
			cost.Again = load(b, address).Bytes
			again := now[page.name]
			again.Again = roundUp(cost.Again)
			now[page.name] = again
		}
		limit, ok := budgets[page.name]
		if !ok {
			t.Errorf("%s has no budget: it takes %+v", page.name, cost)
		} else if cost.Bytes > limit.Bytes || cost.Scripts > limit.Scripts || cost.Requests > limit.Requests ||
			cost.Again > limit.Again {
			t.Errorf("%s takes %+v, its budget is %+v", page.name, cost, limit)
		} else if cost.Chunks != limit.Chunks {
			t.Errorf("%s loads %q, not %q", page.name, cost.Chunks, limit.Chunks)
		}
	}
	if path := os.Getenv("PORTICO_BUDGETS"); path != "" {
		lines := []string{}
		for _, name := range slices.Sorted(maps.Keys(now)) {
			text, err := json.Marshal(now[name])
			b.Must(err)
			lines = append(
				lines,
				fmt.Sprintf(
					"  %q: %s",
					name,
					strings.NewReplacer(`:`, `: `, `,`, `, `, `{`, `{ `, `}`, ` }`).Replace(string(text)),
				),
			)
		}
		b.Must(os.WriteFile(path, []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644))
	}
}

// roundUp rounds up a little: names, numbers and tokens of other runs take more bytes or fewer.
func roundUp(bytes int) int { return (bytes + 199) / 100 * 100 }

func TestEveryRouteHasABudget(t *testing.T) {
	budgets, measured := readBudgets(t), map[string]bool{}
	for _, page := range lightPages {
		measured[page.name] = true
	}
	for _, route := range testscope.Routes() {
		path := route.Path
		if route.Site != "account" {
			path = "/mgr" + path
		}
		_, ok := budgets[path]
		if route.Shows && !ok && noBudget[path] == "" && noBudgetAt(path) == "" {
			t.Errorf("%s has no budget in %s and no reason to have none", path, budgetFile)
		}
	}
	for path := range budgets {
		if !measured[path] {
			t.Errorf("%s has a budget that nothing measures", path)
		}
	}
}

// readBudgets reads the budgets of all pages.
func readBudgets(t *testing.T) map[string]budget {
	t.Helper()
	text, err := os.ReadFile(budgetFile)
	if err != nil {
		t.Fatal(err)
	}
	budgets := map[string]budget{}
	if err := json.Unmarshal(text, &budgets); err != nil {
		t.Fatal(err)
	}
	return budgets
}

// loadUncached opens a page in a browser with an empty cache and returns what it loads.
func loadUncached(b *browser.Tab, address string) (cost budget) {
	b.T.Helper()
	b.Must(proto.NetworkEnable{}.Call(b))
	b.Must(proto.NetworkDeleteCookies{Name: "portico_sheet", URL: address}.Call(b))
	leavePage(b)
	b.Must(proto.NetworkClearBrowserCache{}.Call(b))
	return load(b, address)
}

// leavePage opens an empty page, so that the one before it loads nothing more.
func leavePage(b *browser.Tab) {
	b.T.Helper()
	_, err := proto.PageNavigate{URL: "about:blank"}.Call(b)
	b.Must(err)
}

// load opens a page and returns what it loads.
func load(b *browser.Tab, address string) (cost budget) {
	b.T.Helper()
	leavePage(b)
	var mu sync.Mutex
	chunks := []string{}
	kinds, running, last := map[proto.NetworkRequestID]proto.NetworkResourceType{}, 0, time.Now()
	page, stop := b.WithCancel()
	defer stop()
	go page.EachEvent(func(e *proto.NetworkRequestWillBeSent) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(e.Request.URL, "/seen") {
			return // a report that is sent long after the page has loaded
		}
		if strings.HasPrefix(e.Request.URL, "data:") {
			return // a picture within a style sheet
		}
		if _, again := kinds[e.RequestID]; !again {
			running++
			cost.Requests++
			if chunk := chunkName.FindStringSubmatch(e.Request.URL); chunk != nil {
				chunks = append(chunks, chunk[1])
			}
		}
		kinds[e.RequestID], last = e.Type, time.Now()
	}, func(e *proto.NetworkLoadingFinished) {
		mu.Lock()
		defer mu.Unlock()
		kind, known := kinds[e.RequestID]
		if !known {
			return
		}
		cost.Bytes += int(e.EncodedDataLength)
		if kind == proto.NetworkResourceTypeScript {
			cost.Scripts += int(e.EncodedDataLength)
		}
		running, last = running-1, time.Now()
	}, func(e *proto.NetworkLoadingFailed) {
		mu.Lock()
		defer mu.Unlock()
		if _, known := kinds[e.RequestID]; known {
			running, last = running-1, time.Now()
		}
	})()
	b.VisitURL(address)
	// Scripts that the page loads when idle are requested before this returns, however busy the machine is.
	browser.Eval[any](b, `() => new Promise(done => requestIdleCallback(() => requestIdleCallback(() => done(0))))`)
	for end := time.Now().Add(program.Patience); ; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.T.Fatalf("%s still loads after %s", address, program.Patience)
		}
		mu.Lock()
		still := running <= 0 && cost.Requests > 0 && time.Since(last) > stillFor
		if still {
			slices.Sort(chunks)
			cost.Chunks = strings.Join(chunks, " ")
		}
		mu.Unlock()
		if still {
			return cost
		}
	}
}
