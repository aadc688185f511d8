package badline_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"portico/e2e/testscope"
	"portico/store/storetest"
)

// typedText is the text that the tests type into every text field, so that they can find it on any page.
const typedText = "Typed by hand "

// typeIntoAll types into all text fields of a form, and returns the values by name.
func typeIntoAll(f *form) map[string]string {
	values := map[string]string{}
	for i, c := range f.controls {
		if !c.isText() || values[c.name] != "" {
			continue
		}
		c.value = fmt.Sprint(typedText, i)
		values[c.name] = c.value
	}
	return values
}

// isText reports whether people type text into a control and a page may show it again: not a password or a code.
func (c *control) isText() bool {
	switch c.kind {
	case "text", "tel", "search", "textarea", "email", "url":
		return c.name != "" && c.name != "code"
	}
	return false
}

// tablesThatMayChange are the tables that may change when a form is refused: the times of sessions, kept forms, and
// page views.
var tablesThatMayChange = []string{"sessions", "session_slots", "kept_forms", "page_views"}

// dump returns every row of the database, except those of the given tables.
func (s *site) dump(t testing.TB, but ...string) []string {
	t.Helper()
	all, err := storetest.Dump(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(all) {
		if table, _, _ := strings.Cut(line, " "); !slices.Contains(but, table) {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	return kept
}

// difference returns the first rows that only one of two dumps has.
func difference(before, after []string) string {
	var all []string
	for sign, pair := range map[string][2][]string{"-": {before, after}, "+": {after, before}} {
		count := map[string]int{}
		for _, line := range pair[1] {
			count[line]++
		}
		for _, line := range pair[0] {
			if count[line]--; count[line] < 0 {
				all = append(all, sign+line)
			}
		}
	}
	slices.Sort(all)
	if len(all) > 4 {
		all = append(all[:4], fmt.Sprintf("and %d more", len(all)-4))
	}
	text := strings.Join(all, "\n")
	if len(text) > 800 {
		text = text[:800]
	}
	return text
}

// company returns the name of the company that a page of a landing site shows.
func (p *page) company() string {
	for n := range p.root.Descendants() {
		if n.DataAtom == atom.Div && attribute(n, "class") == "top" {
			for c := range n.Descendants() {
				if c.DataAtom == atom.Span && !hasAttribute(c, "aria-hidden") && c.Parent == n {
					return textOf(c)
				}
			}
		}
	}
	return ""
}

// mainLinksAndForms returns the links and the forms in a page's main element.
func (p *page) mainLinksAndForms() (links []string, forms []*form) {
	for n := range p.root.Descendants() {
		if n.DataAtom == atom.A && inMain(n) && attribute(n, "href") != "" {
			links = append(links, attribute(n, "href"))
		}
	}
	for _, f := range p.forms() {
		if f.inMain {
			forms = append(forms, f)
		}
	}
	return links, forms
}

// inMain reports whether a node is in the main element.
func inMain(n *html.Node) bool {
	for parent := n.Parent; parent != nil; parent = parent.Parent {
		if parent.DataAtom == atom.Main {
			return true
		}
	}
	return false
}

// buttons returns the buttons that can send a form: each kind once, and one of the language buttons.
func (f *form) buttons() []string {
	var all []string
	kinds := map[string]bool{}
	for _, c := range f.controls {
		if c.kind != "button" {
			continue
		}
		kind := c.name + "=" + digits.ReplaceAllString(c.value, "")
		if c.name == "lang" {
			kind = "lang"
		}
		if !kinds[kind] {
			kinds[kind] = true
			all = append(all, c.name+"="+c.value)
		}
	}
	return all
}

// requestOf returns the request of a button from buttons; "" is the enter key.
func (f *form) requestOf(button string) request {
	if button == "=" {
		return f.request("")
	}
	return f.request(button)
}

// place returns the host of a form, and the first page of its side; "" for the account site.
func (f *form) place() (host, side string) {
	host, _, _ = strings.Cut(f.page.url.Host, ".localhost")
	if host == f.page.url.Host {
		host = ""
	}
	first := "/" + strings.Split(strings.TrimPrefix(f.page.url.Path, "/"), "/")[0]
	switch {
	case host == "m" || host == "mgr", strings.HasPrefix(host, "store") && (first == "/home" || first == "/mgr"):
		return host, first
	}
	return host, ""
}

// enter enters an account from the account site of a host.
func (b *browser) enter(host string, accountID int64) *page {
	b.t.Helper()
	p := b.open(host, "/accounts?all=1")
	for _, f := range p.forms() {
		if f.value("account_id") == fmt.Sprint(accountID) && f.control("action=enter") != nil {
			return f.press("action=enter")
		}
	}
	b.t.Fatalf("account %d cannot be entered at %s", accountID, p.summary())
	return nil
}

// signOut signs out on a host with the page's own form, if anybody is signed in there.
func (b *browser) signOut(host, path string) {
	b.t.Helper()
	for _, f := range b.open(host, path).forms() {
		if f.action.Path == "/logout" {
			f.press("")
			return
		}
	}
}

// accountOf returns a person's account in a company, on the side whose first page is given.
func (w *world) accountOf(p person, companyID int64, side string) int64 {
	w.t.Helper()
	kind := "mgr"
	if side == "/shop" || side == "/home" {
		kind = "shop"
	}
	return int64(w.s.count(w.t, `SELECT COALESCE(MIN(a.id), 0) FROM accounts a JOIN phones p ON p.id = a.phone_id
		WHERE p.phone = ? AND a.company_id = ? AND a.side = ?`, p.phone, companyID, kind))
}

// sideOf returns the side of a first page: two sides have a first page /home, on different hosts.
func sideOf(host, first string) string {
	if host == "mgr" {
		return "/mgr"
	}
	return first
}

// companyAt returns the company of a host or, on a host of all companies, the one with the name; 0 for none.
func (w *world) companyAt(host, name string) int64 {
	w.t.Helper()
	if id, err := strconv.ParseInt(strings.TrimPrefix(host, "store"), 10, 64); err == nil {
		return id
	}
	return int64(w.s.count(w.t, "SELECT COALESCE(MIN(id), 0) FROM companies WHERE name = ?", name))
}

// switchPerson signs the browser's person out of a host and another one in. On a side it enters the company with the
// name.
func (w *world) switchPerson(b *browser, p person, host, side, company string) {
	b.t.Helper()
	signInHost := host
	if host == "m" || host == "mgr" {
		signInHost = "account"
	}
	b.signOut(signInHost, "/accounts?all=1")
	if side != "" {
		b.signOut(host, side)
	}
	id := w.companyAt(host, company)
	if id != 0 && w.accountOf(p, id, "/mgr") == 0 {
		w.addAccounts(p, id)
	}
	last := b.open(signInHost, "/login").form("password").fill("phone", p.phone, "password", password).press("")
	if last.status != http.StatusOK {
		b.t.Fatalf("%s cannot sign in: %s", p.name, last.summary())
	}
	if side == "" {
		return
	}
	// It may be the page that was asked for while nobody was signed in.
	if last = b.enter(
		signInHost,
		w.accountOf(p, id, sideOf(host, side)),
	); !strings.HasPrefix(
		last.at(),
		host+" "+side,
	) {
		b.t.Fatalf("%s enters %s, want %s %s", p.name, last.summary(), host, side)
	}
}

// signedOut reports whether nobody is signed in on a host of the account site.
func (b *browser) signedOut(host string) bool {
	return b.open(host, "/accounts?all=1").url.Path != "/accounts"
}

// notCrawled are the paths of forms that the crawl does not find, each with the reason.
var notCrawled = map[string]string{
	"/forget/{type}":    "its form goes to /forget/phone",
	"/agreement/accept": "is part of signing in: see TestAcceptanceCountsOnlyForTheSessionThatSawTheAgreement",
	"/wechat/confirm":   "is behind a chat app: see TestConfirmLinksOnlyTheAccountThatThePageShowed",
}

// One person signs out and another one signs in, in another tab. A form that was open before belongs to the first one.
func TestFormSentByAnotherPersonChangesNothing(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it opens every page and sends every form")
	w := newWorld(t)
	seen, actions := map[string]bool{}, map[string]bool{}
	sent := 0
	for _, who := range w.identities() {
		b := newBrowser(t, w.s, who.agent)
		if who.signIn != nil {
			who.signIn(b)
		}
		open := map[string][]*form{}
		var places []string
		for _, f := range w.crawl(b).forms(seen) {
			actions[f.page.url.Path], actions[digits.ReplaceAllString(f.action.Path, "{id}")] = true, true
			host, side := f.place()
			place := strings.Join([]string{host, side, ""}, "|")
			if side != "" {
				place += f.page.company()
			}
			if open[place] == nil {
				places = append(places, place)
			}
			open[place] = append(open[place], f)
		}
		places = slices.DeleteFunc(places, func(place string) bool { // forms that contain the person's own proof
			host, side, _ := strings.Cut(place, "|")
			return strings.HasPrefix(side, "|") && b.signedOut(host)
		})
		for _, place := range places {
			parts := strings.SplitN(place, "|", 3)
			w.switchPerson(b, w.second, parts[0], parts[1], parts[2])
			for _, f := range open[place] {
				seen[formKey(f.page, f)] = true
				ok := t.Run(strings.ReplaceAll(formName(f), "/", "∕"), func(t *testing.T) {
					sent += w.sendAsAnotherPerson(t, b, f, who)
				})
				if !ok {
					w.restorePerson(t, w.second)
					w.switchPerson(b, w.second, parts[0], parts[1], parts[2])
				}
			}
		}
	}
	t.Logf("%d ways to send a form were tried", sent)
	if sent < 150 {
		t.Errorf("only %d ways to send a form were found", sent)
	}
	for _, route := range postRoutes(t) {
		if notCrawled[route] != "" {
			continue
		}
		route = parameter.ReplaceAllString(route, "{id}")
		found := actions[route]
		for _, base := range []string{"/home", "/mgr", "/shop"} {
			found = found || actions[base+route]
		}
		if !found {
			t.Errorf("no page with a form to %s was found", route)
		}
	}
}

// restorePerson repairs what a form that was accepted by mistake can change about a person, so that the next forms can
// be tested.
func (w *world) restorePerson(t *testing.T, p person) {
	t.Helper()
	w.s.change(t, `UPDATE accounts SET state = 'active'
		WHERE phone_id = (SELECT id FROM phones WHERE phone = ?)`, p.phone)
	w.s.change(t, `UPDATE clients SET state = 'partner' WHERE id IN (SELECT a.client_id
		FROM accounts a JOIN phones p ON p.id = a.phone_id WHERE p.phone = ?)`, p.phone)
}

// parameter is a parameter in the pattern of a route.
var parameter = regexp.MustCompile(`\{\w+\}`)

// formName is the name of a form in the output of the tests.
func formName(f *form) string {
	name := digits.ReplaceAllString(f.page.at()+" → "+f.action.Path, "{id}")
	for _, c := range f.controls {
		if c.kind == "button" && c.name != "" && c.name != "lang" {
			return name + " " + c.name + "=" + digits.ReplaceAllString(c.value, "{id}")
		}
	}
	return name
}

// sendAsAnotherPerson sends a form that the identity who opened, with each of its buttons, while another person is
// signed in. It returns the number of requests.
func (w *world) sendAsAnotherPerson(t *testing.T, b *browser, f *form, who identity) (sent int) {
	typeIntoAll(f)
	if c := f.control("token"); c == nil || c.kind != "hidden" || c.value == "" {
		t.Error("the form does not name its owner: it has no hidden field token")
	}
	for _, button := range f.buttons() {
		before := w.s.dump(t, tablesThatMayChange...)
		p, err := b.send(f.requestOf(button))
		sent++
		if err != nil {
			t.Fatal(err)
		}
		if p.status != http.StatusConflict {
			t.Errorf("pressing %q answers %s", button, p.summary())
		}
		if diff := difference(before, w.s.dump(t, tablesThatMayChange...)); diff != "" {
			t.Errorf("pressing %q changes the database:\n%s", button, diff)
		}
		if strings.Contains(p.body, typedText) {
			t.Errorf("pressing %q shows what the other person typed", button)
		}
		if t.Failed() {
			return sent
		}
		if text := p.text(); !containsAny(text, who.names) ||
			!containsAny(text, append(w.namesOf(w.second), "Second")) {
			t.Errorf("the page does not name both %q and %q: %s", who.names, "Second", p.summary())
		}
		if links, forms := p.mainLinksAndForms(); len(links)+len(forms) < 2 {
			t.Errorf("the page has fewer than two links and forms: %s", p.summary())
		}
	}
	return sent
}

// containsAny reports whether a text contains at least one of some parts. Empty parts do not count.
func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return part != "" && strings.Contains(text, part) })
}

// A person enters another company in another tab, on the hosts that serve every company. A form that was open before
// belongs to the first company, and the link back to it restores the typed text. One rule refuses every form, so in
// make test every third one is sent.
func TestFormSentInAnotherCompanyChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const here, there = 1001, 1002
	name := func(id int) string {
		c, err := w.s.db.Companies.ByID(t.Context(), int64(id))
		if err != nil {
			t.Fatal(err)
		}
		return c.Name
	}
	from, to := name(here), name(there)
	b := newBrowser(t, w.s, phoneAgent)
	b.signIn(w.first)
	_, office, shop := routes(t)
	sent := 0
	for _, site := range []struct {
		host, side string
		pages      []string
	}{{"mgr", "/home", office}, {"m", "/shop", shop}} {
		enter := func(company int64) {
			if p := b.enter("account", w.accountOf(w.first, company,
				sideOf(site.host, site.side))); p.at() != site.host+" "+site.side {
				t.Fatal(p.summary())
			}
		}
		enter(here)
		c := &crawler{b: b, seen: map[string]bool{}, alike: map[string]int{}, only: site.host}
		c.queue = append(c.queue, w.s.at(site.host, site.side))
		for _, suffix := range site.pages {
			c.queue = append(c.queue, w.s.at(site.host, site.side+suffix))
		}
		c.run()
		for i, f := range c.forms(map[string]bool{}) {
			if !testscope.All() && i%3 != 0 {
				continue
			}
			enter(there)
			t.Run(strings.ReplaceAll(formName(f), "/", "∕"),
				func(t *testing.T) { sent += w.sendInOtherCompany(t, b, f, from, to) })
			if b.signedOut("account") {
				b.signIn(w.first)
			}
		}
	}
	least := 30
	if !testscope.All() {
		least /= 3
	}
	if sent < least {
		t.Errorf("only %d forms were sent", sent)
	}
}

// sendInOtherCompany sends a form of one company while the browser is in another one, and follows the link back to the
// form.
func (w *world) sendInOtherCompany(t *testing.T, b *browser, f *form, from, to string) (sent int) {
	wrote := fillInAll(f)
	before := w.s.dump(t, tablesThatMayChange...)
	p, err := b.send(f.request(""))
	if err != nil {
		t.Fatal(err)
	}
	if p.status != http.StatusConflict {
		t.Errorf("the answer is %s", p.summary())
	}
	if diff := difference(before, w.s.dump(t, tablesThatMayChange...)); diff != "" {
		t.Errorf("the database changed:\n%s", diff)
	}
	if t.Failed() {
		return 1
	}
	if text := p.text(); !strings.Contains(text, from) || !strings.Contains(text, to) {
		t.Errorf("the page does not name %q and %q: %s", from, to, p.summary())
	}
	if back := w.followBackToForm(t, b, p, f, from); back == nil {
		t.Errorf("no link or form leads back to the form: %s", p.summary())
	} else {
		wantTyped(t, back, wrote)
		if got := back.page.company(); got != from {
			t.Errorf("the link back leads to %q, want %q", got, from)
		}
	}
	return 1
}

// followBackToForm follows the links and forms of a page until one shows the form again, in the company with the name.
func (w *world) followBackToForm(t *testing.T, b *browser, p *page, f *form, company string) *form {
	t.Helper()
	links, forms := p.mainLinksAndForms()
	var requests []request
	for _, link := range links {
		if to, err := p.url.Parse(link); err == nil {
			from := originOf(p.url)
			elsewhere := originOf(to) != from
			requests = append(
				requests, request{method: http.MethodGet, url: to.String(), origin: from, elsewhere: elsewhere},
			)
		}
	}
	for _, form := range forms {
		requests = append(requests, form.request(""))
	}
	for _, r := range requests {
		last, err := b.send(r)
		if err != nil || last.status != http.StatusOK || last.company() != company {
			continue
		}
		if found := sameForm(last, f); found != nil {
			return found
		}
	}
	return nil
}

// sameForm finds a form on another page with the same action and the same fields.
func sameForm(p *page, f *form) *form {
	for _, other := range p.forms() {
		if other.action.Path != f.action.Path {
			continue
		}
		missing := slices.ContainsFunc(f.controls, func(c *control) bool {
			return c.kind != "hidden" && c.name != "" && c.name != "lang" && other.control(c.name) == nil
		})
		if !missing {
			return other
		}
	}
	return nil
}

// wantTyped checks that a form has the typed values.
func wantTyped(t *testing.T, f *form, wrote map[string]string) {
	t.Helper()
	for name, value := range wrote {
		if got := f.value(name); got != value {
			t.Errorf("the field %q has %q, want %q", name, got, value)
		}
	}
}
