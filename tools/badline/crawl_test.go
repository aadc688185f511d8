package badline_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/store"
)

const (
	maxAlike        = 15  // pages whose paths differ only in their numbers, like /people/3
	maxAlikeQueries = 4   // pages whose queries differ only in their values, like a list and its next page
	maxPages        = 600 // of one identity
)

var parameterValues = regexp.MustCompile(`=[^&]*`)

// identity is a person (or nobody) with a browser, and the pages where the crawl starts.
type identity struct {
	name   string
	agent  string
	signIn func(b *browser) // nil: nobody signs in
	names  []string         // a page that names this person shows one of them
}

// world is a site with a record in every state that has a form, so that a crawl finds all forms.
type world struct {
	t           *testing.T
	s           *site
	application int64  // a pending application to company 1001
	first       person // has an account with all rights on both sides of each of companies
	second      person // another person with the same accounts
}

// companies are the companies in which first and second have accounts.
var companies = []int64{1001, 1002, 1003, 1008}

// newWorld starts a site and fills it.
func newWorld(t *testing.T) *world {
	t.Helper()
	s := newSite(t)
	w := &world{t: t, s: s}
	w.first, w.second = w.addPersonEverywhere("Double"), w.addPersonEverywhere("Second")
	company := testCompany{s: s, id: 1001, clientID: 2001}
	w.application, _ = company.addApplication(t)
	company.offerAccount(t, newPhone())
	company.offerAccount(t, w.first.phone)
	return w
}

// addPersonEverywhere adds a person with an administrator's and a customer's account in each of the companies.
func (w *world) addPersonEverywhere(name string) person {
	w.t.Helper()
	p := person{phone: newPhone(), name: name}
	for _, id := range companies {
		w.addAccounts(p, id)
	}
	return p
}

// addAccounts adds an administrator's and a customer's account of a person to a company.
func (w *world) addAccounts(p person, companyID int64) {
	w.t.Helper()
	company := testCompany{s: w.s, id: companyID}
	var err error
	if company.clientID, err = w.s.db.Clients.Add(w.t.Context(), store.Client{
		CompanyID: companyID, Name: "Customer", State: store.ClientPartner, CreatedAt: store.At(time.Now()),
	}); err != nil {
		w.t.Fatal(err)
	}
	company.addAccount(w.t, store.TypeAdministrator, p.phone)
	company.addAccount(w.t, store.TypeShop, p.phone)
	w.s.change(w.t, "UPDATE accounts SET name = ? WHERE phone_id = (SELECT id FROM phones WHERE phone = ?)",
		p.name, p.phone)
}

// identities are the demo's people, and people in the middle of a flow, on a phone and on a desktop.
func (w *world) identities() []identity {
	w.t.Helper()
	var all []identity
	for _, agent := range []string{phoneAgent, desktopAgent} {
		add := func(name string, signIn func(*browser), names ...string) {
			all = append(all, identity{name: name, agent: agent, signIn: signIn, names: names})
		}
		add("nobody", nil)
		for _, who := range []string{"13800000001", "13800000002", "13800000003", "13800000004", "13800000005",
			"13800000006", "13800000007", "13800000008",
			"13800000009", "13800000010", "13800000011", "13800000012", "nophone", "northwind", w.first.phone} {
			p := person{phone: who}
			if strings.Trim(who, "0123456789") != "" {
				p = person{login: who}
			}
			add(who, func(b *browser) { b.signIn(p) }, w.namesOf(p)...)
		}
		for _, who := range []string{"13800000003", w.first.phone} {
			p := person{phone: who}
			add(who+" at the company's own host", func(b *browser) {
				b.open("store1001", "/login").form("password").fill("phone", who, "password", password).press("")
			}, w.namesOf(p)...)
		}
		phone := newPhone()
		add("founder", func(b *browser) {
			b.open("account", "/register").form("action=send_code").fill("phone", phone).press("action=send_code")
			b.open("account", "/register").form("company_name").fill("phone", phone, "code", w.s.code(b.t, phone),
				"password", password,
				"name", "Founder", "company_name", "Founded "+phone, "agree", "1").press("")
		}, "Founder", phone[:3]+"****"+phone[7:])
		trier := newPhone()
		add("trier", func(b *browser) {
			b.open("account", "/experience").form("action=send_code").fill("phone", trier).press("action=send_code")
			b.open("account", "/experience").form("industry").fill("phone", trier, "code", w.s.code(b.t, trier),
				"industry", "118", "agree", "1").press("")
		}, trier[:3]+"****"+trier[7:], "· try", "(try")
		applicant := newPhone()
		add("applicant", func(b *browser) {
			b.open("store1001", "/register/more").form("action=send_code").fill("phone",
				applicant).press("action=send_code")
			b.open("store1001", "/register/more").form("code").fill("phone", applicant, "code",
				w.s.code(b.t, applicant)).press("")
		})
		if agent == phoneAgent { // an ordinary browser on a phone cannot sign in with the chat app
			continue
		}
		add("visitor from a chat app", func(b *browser) { b.fromChat() })
		linker := testCompany{s: w.s, id: 1001, clientID: 2001}.addAccount(w.t, store.TypeShop, newPhone())
		add("a person who links a chat app", func(b *browser) {
			b.signIn(linker)
			b.fromChat()
		}, w.namesOf(linker)...)
	}
	return all
}

// fromChat signs in from a chat app as a person who is not linked to any account. The stand-in of the app asks who the
// person is.
func (b *browser) fromChat() *page {
	b.t.Helper()
	p := b.open("account", "/wechat")
	for _, f := range p.forms() {
		for _, c := range f.controls {
			if c.kind == "button" && c.name == "person" && c.value != "new" { // a new one needs a name
				r := f.request("person=" + c.value)
				return b.must(b.get(f.action.Scheme + "://" + f.action.Host + f.action.Path + "?" + string(r.body)))
			}
		}
	}
	b.t.Fatalf("the stand-in shows no person to choose: %s", p.summary())
	return nil
}

// namesOf returns a person's names, as pages may show them.
func (w *world) namesOf(p person) []string {
	w.t.Helper()
	rows, err := w.s.raw.Query(`SELECT a.name, a.login, COALESCE(p.phone, '')
		FROM accounts a LEFT JOIN phones p ON p.id = a.phone_id WHERE a.login = ? OR p.phone = ?`, p.login, p.phone)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var name, login, phone string
		if err := rows.Scan(&name, &login, &phone); err != nil {
			w.t.Fatal(err)
		}
		for _, text := range []string{name, login} {
			if text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	if p.phone != "" {
		all = append(all, p.phone[:3]+"****"+p.phone[7:])
	}
	return all
}

// routes returns the paths of the pages without a parameter, so that a page without a link to it is found too.
func routes(t testing.TB) (account, office, shop []string) {
	t.Helper()
	all := map[string][]string{}
	for _, route := range testscope.Routes() {
		if route.Shows && !strings.Contains(route.Path, "{") {
			all[route.Site] = append(all[route.Site], route.Path)
		}
	}
	account, office, shop = all["account"], all["office"], all["shop"]
	if len(account) < 25 || len(office) < 10 || len(shop) < 1 {
		t.Fatalf("there are only %d, %d and %d pages", len(account), len(office), len(shop))
	}
	return account, office, shop
}

// postRoutes returns the paths that pages send forms to.
func postRoutes(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, route := range testscope.Routes() {
		if route.Does && route.Shows {
			all = append(all, route.Path)
		}
	}
	if len(all) < 30 {
		t.Fatalf("there are only %d pages with a form", len(all))
	}
	return all
}

// crawler opens every page that one identity can reach.
type crawler struct {
	b     *browser
	seen  map[string]bool
	alike map[string]int
	queue []string
	pages []*page
	only  string // the one host to stay on, "" for all
}

// crawl starts at the pages of the route table and at the page after signing in, enters every account, and follows all
// links.
func (w *world) crawl(b *browser) *crawler {
	b.t.Helper()
	c := &crawler{b: b, seen: map[string]bool{}, alike: map[string]int{}}
	account, office, shop := routes(b.t)
	for _, host := range []string{"account", "store1001", "store1002", ""} {
		for _, path := range account {
			c.queue = append(c.queue, w.s.at(host, path))
		}
		c.queue = append(c.queue, w.s.at(host, "/accounts?all=1"), w.s.at(host, "/company?all=1"),
			w.s.at(host, "/bind/1"), w.s.at(host, "/bind?step=2"), w.s.at(host, "/forget/account?step=2"))
	}
	c.queue = append(c.queue, w.s.at("store1001", fmt.Sprint("/register/result?id=", w.application)))
	c.run()
	for _, f := range c.enterRequests() {
		c.keep(b.must(b.send(f)))
	}
	for base, suffixes := range map[string][]string{"m /shop": shop, "store1001 /home": shop, "mgr /home": office,
		"store1001 /mgr": office} {
		host, path, _ := strings.Cut(base, " ")
		c.queue = append(c.queue, w.s.at(host, path))
		for _, suffix := range suffixes {
			c.queue = append(c.queue, w.s.at(host, path+suffix))
		}
	}
	c.run()
	for _, p := range slices.Clone(c.pages) {
		for _, f := range p.forms() {
			c.chooseFirstRow(p, f)
			c.importFile(f)
		}
	}
	c.run()
	return c
}

// chooseFirstRow queues the pages of what a list can do to its first row.
func (c *crawler) chooseFirstRow(p *page, f *form) {
	i := slices.IndexFunc(f.controls, func(box *control) bool { return box.kind == "checkbox" && box.name == "id" })
	if f.method != http.MethodGet || i < 0 {
		return
	}
	for _, button := range f.controls {
		if button.kind == "button" && button.name == "action" {
			c.queue = append(c.queue, f.action.String()+"?action="+button.value+"&id="+f.controls[i].value)
		}
	}
}

// importFile sends a file with a row for any list, and keeps the page that asks whether to import it.
func (c *crawler) importFile(f *form) {
	if f.control("file") == nil || !strings.HasSuffix(f.action.Path, "/import") {
		return
	}
	f.attach("file", []byte("name,phone,category,unit,price,stock\nCrawled,"+newPhone()+",Tea,tin,12.50,40\n"))
	c.keep(c.b.must(c.b.send(f.request(""))))
}

// enterRequests returns the requests that enter an account, each once.
func (c *crawler) enterRequests() []request {
	var all []request
	taken := map[string]bool{}
	for _, p := range c.pages {
		for _, f := range p.forms() {
			if b := f.control("action=enter"); b != nil && f.action.Path == "/accounts" &&
				!taken[f.value("account_id")] {
				taken[f.value("account_id")] = true
				all = append(all, f.request("action=enter"))
			}
		}
	}
	return all
}

// run opens the queued addresses, and those that their pages link to.
func (c *crawler) run() {
	for len(c.queue) > 0 && len(c.pages) < maxPages {
		address := c.queue[0]
		c.queue = c.queue[1:]
		if c.skip(address) {
			continue
		}
		c.keep(c.b.must(c.b.get(address)))
	}
	if len(c.pages) >= maxPages {
		c.b.t.Errorf("the crawl stops at %d pages; most are like %s", maxPages, strings.Join(c.commonest(), ", "))
	}
}

// commonest returns the kinds of pages that were opened most often.
func (c *crawler) commonest() []string {
	kinds := slices.Collect(maps.Keys(c.alike))
	slices.SortFunc(kinds, func(a, b string) int { return c.alike[b] - c.alike[a] })
	return kinds[:min(10, len(kinds))]
}

// skip reports whether an address needs no visit: it was opened before, or often enough with other values, or it is
// not a page.
func (c *crawler) skip(address string) bool {
	address, _, _ = strings.Cut(address, "#")
	path, query, _ := strings.Cut(address, "?")
	kind := digits.ReplaceAllString(path, "{id}") + "?" + parameterValues.ReplaceAllString(query, "=")
	most := maxAlike
	if query != "" {
		most = maxAlikeQueries
	}
	if c.seen[address] || c.alike[kind] >= most {
		return true
	}
	for _, part := range []string{"/dev/", ".csv", ".xlsx", "/icon/", "/style/", "/share/", "/licence", "/assets/",
		"lang=", "/callback", "tel:", ".txt", ".xml", ".json"} {
		if strings.Contains(address, part) {
			return true
		}
	}
	begins := strings.HasSuffix(address, "/wechat") && !strings.HasSuffix(address,
		"/register/wechat") // it has a test of its own
	if begins || strings.HasSuffix(address, "/wechatpro") {
		return true
	}
	c.seen[address] = true
	c.alike[kind]++
	return false
}

// keep adds a page and queues its links.
func (c *crawler) keep(p *page) {
	c.pages = append(c.pages, p)
	for _, link := range p.links() {
		to, err := p.url.Parse(link)
		if err == nil && to.Scheme == "http" && strings.HasSuffix(to.Hostname(), "localhost") &&
			strings.HasPrefix(to.Host, c.only) {
			c.queue = append(c.queue, to.String())
		}
	}
}

// formKey identifies a form by its host, page, action and controls.
func formKey(p *page, f *form) string {
	var names []string
	for _, c := range f.controls {
		name := c.name
		if c.kind == "button" {
			name += "=" + digits.ReplaceAllString(c.value, "{id}")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	at := digits.ReplaceAllString(p.at()+" "+f.action.Path, "{id}")
	return at + " " + strings.Join(names, ",")
}

// forms returns the forms of the crawled pages, each once, without those that were seen before.
func (c *crawler) forms(before map[string]bool) []*form {
	var all []*form
	seen := maps.Clone(before)
	for _, p := range c.pages {
		if p.status != http.StatusOK || strings.HasPrefix(p.url.Path, "/dev/") {
			continue
		}
		for _, f := range p.forms() {
			if key := formKey(p, f); f.method == http.MethodPost && !seen[key] {
				seen[key] = true
				all = append(all, f)
			}
		}
	}
	return all
}
