package badline_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/store"
)

const (
	maxAlike = 25  // pages that differ in their numbers alone, like /people/3
	maxPages = 400 // of one identity
)

// identity is somebody in one browser, with the pages where the crawl begins.
type identity struct {
	name   string
	agent  string
	signIn func(b *browser) // nil: nobody
	names  []string         // one of them stands where a page names this person
}

// sighting is a form that the crawl found, and who had it open where.
type sighting struct {
	who  identity
	form *form
}

// world is a site with something in every state that has a form, so that a crawl meets all forms.
type world struct {
	t           *testing.T
	s           *site
	application int64  // to company 1001, which waits
	double      person // has an account with all rights on either side of several companies
	second      person // the same, another one
}

// companies are where double and second have accounts; two of them are enough to be in the wrong one.
var companies = []int64{1001, 1002, 1003, 1008}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := newSite(t)
	w := &world{t: t, s: s}
	w.double, w.second = w.everywhere("Double"), w.everywhere("Second")
	h := house{s: s, id: 1001, clientID: 2001}
	w.application, _ = h.applicant(t)
	invited := h.add(t, store.TypeEmployee, newPhone())
	s.change(t, "UPDATE accounts SET invited = 1, invited_at = ? WHERE id = ?", time.Now().UnixMilli(),
		invited.accountID)
	return w
}

// everywhere makes a person with an administrator's and a customer's account in each of the companies.
func (w *world) everywhere(name string) person {
	w.t.Helper()
	p := person{phone: newPhone(), name: name}
	for _, id := range companies {
		w.admit(p, id)
	}
	return p
}

// admit gives a person an administrator's and a customer's account in a company.
func (w *world) admit(p person, companyID int64) {
	w.t.Helper()
	h := house{s: w.s, id: companyID}
	var err error
	if h.clientID, err = w.s.db.NewClient(w.t.Context(), store.Client{
		CompanyID: companyID, Name: "Customer", State: store.ClientPartner, CreatedAt: store.At(time.Now()),
	}); err != nil {
		w.t.Fatal(err)
	}
	h.add(w.t, store.TypeAdministrator, p.phone)
	h.add(w.t, store.TypeShop, p.phone)
	w.s.change(w.t, "UPDATE accounts SET name = ? WHERE phone_id = (SELECT id FROM phones WHERE phone = ?)",
		p.name, p.phone)
}

// identities are the demo's people and those in the middle of something, on a phone and on a desktop.
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
			"13800000009", "13800000010", "13800000011", "13800000012", "nophone", "northwind", w.double.phone} {
			p := person{phone: who}
			if strings.Trim(who, "0123456789") != "" {
				p = person{login: who}
			}
			add(who, func(b *browser) { b.signIn(p) }, w.namesOf(p)...)
		}
		for _, who := range []string{"13800000003", w.double.phone} {
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
		if agent == phoneAgent { // an ordinary browser on a phone has no door to the app
			continue
		}
		add("visitor from a chat app", func(b *browser) { b.fromChat() })
		linker := house{s: w.s, id: 1001, clientID: 2001}.add(w.t, store.TypeShop, newPhone())
		add("somebody who links a chat app", func(b *browser) {
			b.signIn(linker)
			b.fromChat()
		}, w.namesOf(linker)...)
	}
	return all
}

// fromChat comes from a chat app as somebody whom nobody here knows. The stand-in of the app asks who one is there.
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
	b.t.Fatalf("the stand-in asks nothing: %s", p.summary())
	return nil
}

// namesOf are a person's names, as pages may show them.
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
		for _, one := range []string{name, login} {
			if one != "" && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	if p.phone != "" {
		all = append(all, p.phone[:3]+"****"+p.phone[7:])
	}
	return all
}

// routes are the paths of pages that the route table names, so that a page without a link is found, too.
func routes(t testing.TB) (account, office, shop []string) {
	t.Helper()
	table, err := os.ReadFile("../pages/pages.go")
	if err != nil {
		t.Fatal(err)
	}
	shopOnly := false
	for line := range strings.Lines(string(table)) {
		if strings.Contains(line, "if l.isShop()") {
			shopOnly = true
		} else if strings.Contains(line, "} else {") {
			shopOnly = false
		}
		m := regexp.MustCompile(`p\.(?:form|typed|uploadForm|lookForm)\(r, (path\+)?"([^"{]+)",`).FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "":
			account = append(account, m[2])
		case shopOnly:
			shop = append(shop, m[2])
		default:
			office = append(office, m[2])
		}
	}
	sources, err := filepath.Glob("../pages/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\w+Path\s*= "(/[a-z/]+)"`).FindAllStringSubmatch(string(text), -1) {
			account = append(account, m[1])
		}
	}
	if len(account) < 25 || len(office) < 10 || len(shop) < 1 {
		t.Fatalf("the route table gives only %d, %d and %d pages", len(account), len(office), len(shop))
	}
	return account, office, shop
}

// postRoutes are the paths to which the route table says that a page sends its form.
func postRoutes(t testing.TB) []string {
	t.Helper()
	table, err := os.ReadFile("../pages/pages.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	row := regexp.MustCompile(`p\.(?:form|typed|uploadForm|lookForm)\(r, (?:path\+)?"([^"]+)", .*, ([^,]*)\)\n`)
	for _, m := range row.FindAllStringSubmatch(string(table), -1) {
		if m[2] != "nil" {
			all = append(all, m[1])
		}
	}
	if len(all) < 30 {
		t.Fatalf("the route table names only %d pages with a form", len(all))
	}
	return all
}

// crawler opens every page that one identity reaches.
type crawler struct {
	b     *browser
	seen  map[string]bool
	alike map[string]int
	queue []string
	pages []*page
	only  string // the one host to stay on, "" for all
}

// crawl begins at the pages of the route table and at what signing in led to, enters every account, and follows all
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
			w.s.at(host, "/bind?step=2"), w.s.at(host, "/forget/account?step=2"))
	}
	c.queue = append(c.queue, w.s.at("store1001", fmt.Sprint("/register/result?id=", w.application)))
	c.run()
	for _, f := range c.entrances() {
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
	return c
}

// entrances are the forms that enter an account; each is pressed once.
func (c *crawler) entrances() []request {
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

func (c *crawler) run() {
	for len(c.queue) > 0 && len(c.pages) < maxPages {
		address := c.queue[0]
		c.queue = c.queue[1:]
		if c.skip(address) {
			continue
		}
		c.keep(c.b.must(c.b.get(address)))
	}
}

// skip says that an address was opened before, or often enough with other numbers, or is no page.
func (c *crawler) skip(address string) bool {
	address, _, _ = strings.Cut(address, "#")
	kind := digits.ReplaceAllString(address, "{id}")
	if c.seen[address] || c.alike[kind] >= maxAlike {
		return true
	}
	for _, part := range []string{"/dev/", ".csv", "/icon/", "/style/", "/share/", "/licence", "/assets/", "lang=",
		"/callback", "tel:", ".txt", ".xml", ".json"} {
		if strings.Contains(address, part) {
			return true
		}
	}
	begins := strings.HasSuffix(address, "/wechat") && !strings.HasSuffix(address,
		"/register/wechat") // a flow of its own
	if begins || strings.HasSuffix(address, "/wechatpro") {
		return true
	}
	c.seen[address] = true
	c.alike[kind]++
	return false
}

// keep notes a page and what it links to.
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

// formKey tells forms apart: the host, the page, where the form goes, and its controls.
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

// forms are the forms of the crawled pages, each once, that were not seen before.
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
