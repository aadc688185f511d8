package badline_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/badline"
	"portico/portal"
	"portico/portal/picturetest"
	"portico/store"
)

// fault is something that goes wrong when a form is sent, and what the person does next. short names it in the
// document.
type fault struct {
	short, what string
}

var faults = []fault{
	{"L", "the response is lost; the same form is sent again"},
	{"R", "the response is lost; the page is opened again, filled in and sent"},
	{"D", "the form is delivered twice at once, like a double tap"},
	{"T", "two tabs have the same form and send it one after the other"},
	{"H", "the request is cut in the middle; the same form is sent again"},
	{"C", "the connection is cut 0, 3, 8, 20, 60 or 130 ms after the form was delivered; the same form is sent again"},
}

// moments are the times after delivery at which a connection is cut, in milliseconds.
var moments = []int{0, 3, 8, 20, 60, 130}

// scene is one test of a form: its people, their company and the browser.
type scene struct {
	t *testing.T
	s *site
	b *browser
	h house

	open   func() (r request, at *page) // opens the page and fills it in; returns only at when there is no form
	effect func() int                   // how often the operation was done
	home   string                       // a page that needs the person's session, "host path"
	after  func(last *page) *page       // uses the result of the operation, and returns the page where that ends
	pages  map[string]want              // the last page of certain faults, by the fault's letter
}

// want is the page that a test must end at.
type want struct {
	at     string // host and path, with {id} for digits
	text   string // the locale key of a text on the page
	status int    // 0: 200
}

// formRow is a form that changes something.
type formRow struct {
	name  string
	make  func(*scene)
	want  want
	also  map[string]want // the last page of certain faults, by their letters
	not   string          // letters of the faults that do not apply
	asks  string          // letters of the faults after which the page asks first
	agent string
}

// somewhere allows any page that is a success.
var somewhere = want{}

// openedAlready are the last pages when the repeated form finds the account opened.
var openedAlready = map[string]want{
	"L": {at: "store{id} /mgr/people/{id}", text: "person.opened_before"},
	"C": {at: "store{id} /mgr/people/{id}"},
	"D": {at: "store{id} /mgr/people/{id}"},
}

var formRows = []formRow{
	{name: "Sign in with a password", make: signingIn, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Enter the shop on a phone", make: enteringShop, agent: phoneAgent, want: want{at: "m /shop"}, not: "T"},
	{name: "Enter the back office on a phone", make: enteringOffice, agent: phoneAgent, want: want{at: "mgr /home"},
		not: "T"},
	{name: "Enter the shop beside the back office", make: enteringBeside, agent: desktopAgent,
		want: want{at: "store{id} /home"}, not: "T"},
	{name: "Send a code: sign in", make: codeToSignIn, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Send a code: register", make: codeToRegister, agent: phoneAgent,
		want: want{at: "account /register/init", text: "register.created_long"}},
	{name: "Send a code: try it", make: codeToTry, agent: phoneAgent,
		want: want{at: "account /experience/role", text: "role.heading"}},
	{name: "Send a code: forgotten password", make: codeToReset, agent: phoneAgent,
		want: want{at: "account /login", text: "login.reset"}},
	{name: "Send a code: apply", make: codeToApply, agent: phoneAgent,
		want: want{at: "store{id} /register/more", text: "apply.submit"}},
	{name: "Register a company", make: registering, agent: phoneAgent,
		want: want{at: "account /register/init", text: "register.created_long"}},
	{name: "Initialise a company", make: initialising, agent: phoneAgent,
		want: want{at: "account /register/result", text: "result.heading"}},
	{name: "Try it: open the trial", make: trying, agent: phoneAgent,
		want: want{at: "account /experience/role", text: "role.heading"}},
	{name: "Try it: choose a side", make: choosingRole, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Apply, without a file", make: applying(false), agent: phoneAgent,
		want: want{at: "store{id} /register/result", text: "standing.pending"}},
	{name: "Apply, with a file", make: applying(true), agent: phoneAgent,
		want: want{at: "store{id} /register/result", text: "standing.pending"}},
	{
		name: "Bind a phone", make: binding, agent: phoneAgent, want: want{at: "account /accounts", text: "bind.done"},
		also: map[string]want{"R": somewhere, "T": somewhere},
	},
	{
		name: "Unbind a phone", make: unbinding, agent: phoneAgent,
		want: want{at: "account /accounts", text: "unbind.done"},
		also: map[string]want{"R": {at: "account /accounts"}},
	},
	{
		name: "Change the phone", make: changingPhone(false), agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Change the phone by codes", make: changingPhone(true), agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Send a code: change the phone", make: codeToChangePhone, agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{
		name: "Send a code to the former phone", make: codeToFormerPhone, agent: phoneAgent,
		want: want{at: "account /accounts", text: "phone.done"},
	},
	{name: "Forgotten password", make: resetting, agent: phoneAgent,
		want: want{at: "account /login", text: "login.reset"}},
	{name: "Change a password", make: changing, agent: phoneAgent,
		want: want{at: "account /accounts", text: "password.changed"}},
	{
		name: "Open an account with an account name", make: openingNamed, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.reset"},
		also: map[string]want{"D": somewhere}, asks: "RT",
	},
	{
		name: "Open an account without account name and phone", make: openingNameless, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.reset"}, also: map[string]want{"D": somewhere},
		asks: "RT",
	},
	{
		name: "Open an account by phone: back office", make: openingByPhone("mgr"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.opened"}, also: openedAlready, asks: "RT",
	},
	{
		name: "Open an account by phone: shop", make: openingByPhone("shop"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.opened"}, also: openedAlready, asks: "RT",
	},
	{name: "Disable an account", make: disabling, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.enable"}},
	{name: "Change one's profile", make: changingProfile, agent: phoneAgent,
		want: want{at: "account /profile", text: "profile.saved"}},
	{name: "Send a portrait", make: sendingPortrait, agent: phoneAgent,
		want: want{at: "account /profile", text: "profile.remove"}},
	{name: "Remove a portrait", make: removingPortrait, agent: phoneAgent,
		want: want{at: "account /profile"}},
	{name: "Edit an account", make: editingPerson, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.saved"}},
	{name: "Make an employee an administrator", make: changingRole(portal.MakeAdministrator), agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.became_administrator"}, not: "R"},
	{
		name:  "Hand over the administrator's role",
		make:  changingRole(portal.HandOver),
		agent: desktopAgent,
		want:  want{at: "store{id} /mgr"},
		also: map[string]want{
			"R": {at: "store{id} /mgr/people/{id}/role", text: "error.forbidden", status: http.StatusForbidden},
		},
	},
	{name: "Choose a customer's type", make: choosingType, agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.type_saved"}},
	{name: "Name the customer types", make: namingTypes, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/customer-types", text: "settings.saved"},
		also: map[string]want{"R": {at: "store{id} /mgr/settings/customer-types", text: "problem.customer_type_twice",
			status: http.StatusUnprocessableEntity}}},
	{name: "Make a new first password", make: givingPassword, agent: desktopAgent,
		want: want{at: "store{id} /mgr/people/{id}", text: "person.given_once"}},
	{
		name: "Accept an offered account", make: answeringOffer("accept", "account_set_up"), agent: phoneAgent,
		want: want{at: "mgr /home"}, also: map[string]want{"R": {at: "account /offers", text: "offers.none"}},
	},
	{
		name: "Decline an offered account", make: answeringOffer("decline", "offer_declined"), agent: phoneAgent,
		want: want{at: "account /offers", text: "offers.declined"},
		also: map[string]want{"R": {at: "account /offers", text: "offers.none"}},
	},
	{
		name: "Set up an account after an invitation", make: completing, agent: phoneAgent, want: want{at: "m /shop"},
		also: map[string]want{"R": {at: "store{id} /register/complete", text: "complete.used",
			status: http.StatusNotFound}},
	},
	{name: "Approve an application", make: reviewing("approve"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/applications/{id}", text: "application.approved"}},
	{name: "Reject an application", make: reviewing("reject"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/applications/{id}", text: "application.rejected"}},
	{name: "End a partnership", make: partnering("end"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.resume"}},
	{name: "Resume a partnership", make: partnering("resume"), agent: desktopAgent,
		want: want{at: "store{id} /mgr/customers/{id}", text: "customer.end"}},
	{name: "Order", make: ordering, agent: phoneAgent, want: want{at: "m /shop/orders", text: "order.ordered"},
		asks: "RT"},
	{name: "Confirm an order", make: confirming, agent: desktopAgent,
		want: want{at: "store{id} /mgr/orders/{id}", text: "order.confirmed"}},
	{name: "Registration of customers", make: settingRegistration, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/registration", text: "settings.saved"}},
	{name: "Rights of employees", make: settingRights, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/employees", text: "employees.saved"}},
	{name: "Bank account", make: settingBank, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/bank", text: "settings.saved"}},
	{name: "Appearance: publish", make: publishing, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/appearance", text: "settings.saved"}},
	{name: "Claim a domain", make: claiming, agent: desktopAgent, want: want{at: "store{id} /mgr/settings/appearance"}},
	{name: "Clear the samples", make: clearing, agent: desktopAgent,
		want: want{at: "store{id} /mgr/settings/initialisation", text: "office.clear_nothing"}},
	{name: "Choose the default company", make: choosingDefault, agent: phoneAgent, want: want{at: "m /shop"}},
	{name: "Sign out", make: signingOut, agent: phoneAgent, want: want{at: "account /login"}},
}

func TestEveryFormHasOneEffectOverABadLine(t *testing.T) {
	t.Parallel()
	for _, row := range formRows {
		t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			row.run(t, fault{short: "-"}, 0)
			for _, f := range faults {
				if strings.Contains(row.not, f.short) {
					continue
				}
				t.Run(f.short, func(t *testing.T) {
					if f.short != "C" {
						row.run(t, f, 0)
						return
					}
					for _, ms := range moments {
						t.Run(fmt.Sprint(ms, "ms"), func(t *testing.T) { row.run(t, f, ms) })
					}
				})
			}
		})
	}
}

// run sends a form with a fault, in a new scene, and checks the effect and the last page.
func (row formRow) run(t *testing.T, f fault, ms int) {
	x := &scene{t: t, s: forms, b: newBrowser(t, forms, row.agent)}
	row.make(x)
	last := x.play(f, ms)
	wanted, other := row.also[f.short]
	if !other {
		wanted, other = x.pages[f.short]
	}
	if !other {
		wanted = row.want
	}
	if f.short == "-" || f.short == "T" {
		if first, ok := x.pages["-"]; ok && !strings.Contains(row.asks, f.short) {
			wanted = first // nothing was lost
		}
	}
	if strings.Contains(row.asks, f.short) {
		if last.status != http.StatusUnprocessableEntity {
			t.Errorf("nothing was asked: %s", last.summary())
		}
		if n := x.effect(); n != 1 {
			t.Errorf("%d effects before the question is answered, want 1", n)
		}
		return
	}
	if x.after != nil {
		last = x.after(last)
	}
	x.wantTold(last, wanted)
	if x.home != "" {
		host, path, _ := strings.Cut(x.home, " ")
		if p := x.b.open(host, path); p.status != http.StatusOK || p.at() != host+" "+p.url.Path ||
			p.url.Path != strings.Split(path, "?")[0] {
			t.Errorf("the person is not signed in any more: %s leads to %s", x.home, p.summary())
		}
	}
	if n := x.effect(); n != 1 {
		t.Errorf("%d effects, want 1", n)
	}
}

// play sends the form with a fault and returns the last page.
func (x *scene) play(f fault, ms int) *page {
	x.t.Helper()
	lose := func(rule badline.Rule) {
		x.t.Helper()
		r, at := x.open()
		if at != nil {
			x.t.Fatalf("there is nothing to send at %s", at.summary())
		}
		x.b.proxy.Add(rule)
		if _, err := x.b.send(r); err == nil && rule.Fault != badline.CutAfter { // a quick answer comes before the cut
			x.t.Fatal("the line did not fail")
		}
		if x.b.lost == nil {
			x.b.lost = &r
		}
	}
	switch f.short {
	case "L":
		lose(badline.Rule{Fault: badline.LoseAnswer})
		return x.b.must(x.b.again())
	case "R":
		lose(badline.Rule{Fault: badline.LoseAnswer})
		return x.sendOnce()
	case "H":
		lose(badline.Rule{Fault: badline.CutRequest})
		return x.b.must(x.b.again())
	case "C":
		lose(badline.Rule{Fault: badline.CutAfter, After: time.Duration(ms) * time.Millisecond})
		return x.b.must(x.b.again())
	case "D":
		r, _ := x.open()
		x.b.proxy.Add(badline.Rule{Fault: badline.Twice})
		return x.b.must(x.b.send(r))
	case "T":
		one, _ := x.open()
		two, at := x.open()
		if at != nil {
			x.t.Fatalf("the second tab has nothing to send at %s", at.summary())
		}
		x.b.must(x.b.send(one))
		return x.b.must(x.b.send(two))
	}
	return x.sendOnce()
}

// sendOnce opens the page, fills it in and sends it, and returns the last page. When the page has no form any more, it
// returns that page.
func (x *scene) sendOnce() *page {
	x.t.Helper()
	r, at := x.open()
	if at != nil {
		return at
	}
	return x.b.must(x.b.send(r))
}

var digits = regexp.MustCompile(`[0-9]+`)

// summary describes a page for the output of a test: its place and the start of its text.
func (p *page) summary() string {
	text := p.text()
	if len(text) > 500 {
		text = text[:500]
	}
	return fmt.Sprintf("%s?%s, status %d, %q: %s", p.at(), p.url.RawQuery, p.status, p.heading(), text)
}

// wantTold checks that a page is the wanted one and shows its text.
func (x *scene) wantTold(last *page, w want) {
	x.t.Helper()
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	if last.status != status {
		x.t.Errorf("the last page has the status %d, want %d: %s", last.status, status, last.summary())
	}
	x.wantNotThrownOut(last)
	if at := digits.ReplaceAllString(last.at(), "{id}"); w.at != "" && at != w.at {
		x.t.Errorf("the person ends at %s, want %s: %s", at, w.at, last.summary())
	}
	if w.text == "" {
		return
	}
	for _, part := range strings.FieldsFunc(texts(x.t)[w.text], func(r rune) bool { return r == '{' || r == '}' }) {
		if part = strings.TrimSpace(part); part != "" && part != "num" && part != "company" &&
			!strings.Contains(last.text(), part) {
			x.t.Errorf("the last page does not say %q: %s", part, last.summary())
		}
	}
}

// wantNotThrownOut checks that the fault did not sign the person out, lead to an error page, or expire a valid code.
func (x *scene) wantNotThrownOut(p *page) {
	x.t.Helper()
	said := texts(x.t)
	switch {
	case p.url.Path == "/jumperror":
		x.t.Error("the page says that the redirect failed")
	case p.isThrownOut():
		x.t.Errorf("the person has to sign in again: %s", p.summary())
	case strings.Contains(p.text(), said["error.code_expired"]):
		x.t.Errorf("a right code is called expired: %s", p.summary())
	case p.status >= http.StatusInternalServerError:
		x.t.Errorf("the answer is an error: %s", p.summary())
	}
}

// isThrownOut says whether a landing site has sent the person to the sign-in page.
func (p *page) isThrownOut() bool {
	query := p.url.Query()
	return query.Get("done") == "session_ended" || p.url.Path == "/login" && query.Has("return")
}

// fillAll fills in the given fields that the form has.
func fillAll(f *form, pairs ...string) *form {
	for i := 0; i+1 < len(pairs); i += 2 {
		if c := f.control(pairs[i]); c != nil && c.kind != "hidden" {
			f.fill(pairs[i], pairs[i+1])
		}
	}
	return f
}

// page sets x.open: it opens an address, finds the form by marker, fills it in, and presses button.
func (x *scene) page(host func() string, path, marker, button string, fill func(*form)) {
	x.open = func() (request, *page) {
		x.t.Helper()
		p := x.b.open(host(), path)
		f := p.find(marker)
		if f == nil {
			return request{}, p
		}
		if fill != nil {
			fill(f)
		}
		return f.request(button), nil
	}
}

func onAccount() string { return "account" }

func (x *scene) house() house {
	x.t.Helper()
	x.h = x.s.newHouse(x.t)
	return x.h
}

// events counts the events of a kind in a company's audit log.
func (x *scene) events(kind string, companyID int64) int {
	x.t.Helper()
	return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = ? AND company_id = ?", kind, companyID)
}

// signedInOnce counts a phone's confirmed sessions on the account site.
func (x *scene) signedInOnce(phone string) func() int {
	return func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM sessions s JOIN phones p ON p.id = s.phone_id
			WHERE p.phone = ? AND s.host LIKE 'account.%' AND s.confirmed`, phone)
	}
}

func signingIn(x *scene) {
	who := x.house().buyer
	x.page(onAccount, "/login", "password", "", func(f *form) { f.fill("phone", who.phone, "password", password) })
	x.home, x.effect = "account /accounts?all=1", x.signedInOnce(who.phone)
}

// entering applies the fault to the redirect after a sign-in. When the person opens the account site again, the site
// offers to continue.
func (x *scene) entering(who person, door string) {
	x.open = func() (request, *page) {
		x.t.Helper()
		p := x.b.open("account", "/login")
		f := p.find("action=continue")
		r := request{}
		if f != nil {
			r = f.request("action=continue")
		} else {
			r = p.form("password").fill("phone", who.phone, "password", password).request("")
		}
		return x.redirect(r), nil
	}
	x.effect = func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM session_slots l JOIN sessions s ON s.id = l.session_id
			WHERE l.account_id = ? AND l.state = 'in' AND s.confirmed AND l.slot = ?`, who.accountID, door)
	}
	x.home = "account /accounts?all=1"
}

// redirect sends a form and returns the request that the browser makes next.
func (x *scene) redirect(r request) request {
	x.t.Helper()
	for range maxHops {
		answer, body, err := x.b.once(r)
		if err != nil {
			x.t.Fatal(err)
		}
		next, err := answer.Request.URL.Parse(answer.Header.Get("Location"))
		if err != nil || answer.StatusCode != http.StatusSeeOther {
			x.t.Fatalf("no redirect: %d %v %.300s", answer.StatusCode, err, body)
		}
		r = r.onward(answer, next, r.origin)
		if next.Query().Has("auth_code_") {
			return r
		}
	}
	x.t.Fatal("no code in any redirect")
	return r
}

func enteringShop(x *scene) {
	x.entering(x.house().buyer, "mShop")
	x.after = func(last *page) *page {
		x.wantNotThrownOut(last)
		return x.b.open("m", "/shop") // the reload of a person
	}
}

func enteringOffice(x *scene) {
	x.entering(x.house().owner, "mMgr")
	x.after = func(last *page) *page {
		x.wantNotThrownOut(last)
		return x.b.open("mgr", "/home")
	}
}

// enteringBeside enters the shop from the company's own host, where the back office is open: one cookie carries both.
func enteringBeside(x *scene) {
	h := x.house()
	both := h.add(x.t, store.TypeShop, h.owner.phone)
	x.b.t = x.t
	x.open = func() (request, *page) {
		x.t.Helper()
		if x.home == "" {
			x.b.open(h.host(), "/login").form("password").fill("phone", h.owner.phone, "password",
				password).press("").form("side=mgr").press("side=mgr")
			x.home = h.host() + " /mgr"
		}
		return x.redirect(x.b.open(h.host(), "/enter").form("side=shop").request("side=shop")), nil
	}
	x.effect = func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM session_slots l JOIN sessions s ON s.id = l.session_id
			WHERE l.account_id = ? AND l.state = 'in' AND s.confirmed`, both.accountID)
	}
	x.after = func(last *page) *page {
		x.wantNotThrownOut(last)
		if p := x.b.open(h.host(), "/accounts?all=1"); p.url.Path != "/accounts" {
			x.t.Errorf("the account site is left, too: %s", p.summary())
		}
		return x.b.open(h.host(), "/home")
	}
}

// sendingCode applies the fault to the request for a code. The code that arrives must then be accepted.
func (x *scene) sendingCode(host func() string, path, phone string, fill func(*form)) {
	x.page(host, path, "action=send_code", "action=send_code", func(f *form) { f.fill("phone", phone) })
	x.effect = func() int { return len(x.s.inbox(x.t, phone)) - x.noticed(phone) }
	x.after = func(last *page) *page {
		x.t.Helper()
		x.wantNotThrownOut(last)
		f := last.form("code").fill("code", x.s.awaitCode(x.t, phone))
		fillAll(f, "phone", phone)
		if fill != nil {
			fill(f)
		}
		return f.press("")
	}
}

// noticed counts the messages to a phone that contain no code.
func (x *scene) noticed(phone string) int {
	n := 0
	for _, m := range x.s.inbox(x.t, phone) {
		if m.Code == "" {
			n++
		}
	}
	return n
}

func codeToSignIn(x *scene) { x.sendingCode(onAccount, "/login/code", x.house().buyer.phone, nil) }

func codeToRegister(x *scene) {
	phone := newPhone()
	x.sendingCode(onAccount, "/register", phone, func(f *form) {
		f.fill("password", newPassword, "name", "Ana", "company_name", "Company "+phone, "agree", "1")
	})
}

func codeToTry(x *scene) {
	x.sendingCode(onAccount, "/experience", newPhone(), func(f *form) { f.fill("industry", "118", "agree", "1") })
}

func codeToReset(x *scene) {
	x.sendingCode(onAccount, "/forget/phone", x.house().buyer.phone,
		func(f *form) { f.fill("password", newPassword, "confirm_password", newPassword) })
}

func codeToApply(x *scene) { x.sendingCode(x.house().host, "/register/more", newPhone(), nil) }

// ask asks for a code without a fault and returns it.
func (x *scene) ask(host, path, phone string) string {
	x.t.Helper()
	p := x.b.open(host, path).form("action=send_code")
	fillAll(p, "phone", phone)
	p.press("action=send_code")
	return x.s.awaitCode(x.t, phone)
}

func registering(x *scene) {
	phone := newPhone()
	name, code := "Company "+phone, x.ask("account", "/register", phone)
	x.page(onAccount, "/register", "company_name", "", func(f *form) {
		fillAll(f, "phone", phone, "code", code, "password", newPassword)
		f.fill("name", "Ana", "company_name", name, "agree", "1")
	})
	x.effect = func() int { return x.s.count(x.t, "SELECT COUNT(*) FROM companies WHERE name = ?", name) }
	x.home = "account /accounts?all=1"
}

// registered registers a company without a fault and returns its id.
func (x *scene) registered() int64 {
	x.t.Helper()
	phone := newPhone()
	code := x.ask("account", "/register", phone)
	x.b.open("account", "/register").form("company_name").
		fill("phone", phone, "code", code, "password", newPassword, "name", "Ana", "company_name", "Company "+phone,
			"agree", "1").press("")
	return int64(x.s.count(x.t, "SELECT id FROM companies WHERE name = ?", "Company "+phone))
}

// sampled is 1 when the samples of a company are there once.
func (x *scene) sampled(companyID int64) int {
	x.t.Helper()
	all := x.s.count(x.t, "SELECT COUNT(*) FROM products WHERE company_id = ?", companyID)
	kinds := x.s.count(x.t, "SELECT COUNT(DISTINCT sample) FROM products WHERE company_id = ?", companyID)
	if all == 0 {
		return 0
	}
	return 1 + all - kinds
}

func initialising(x *scene) {
	id := x.registered()
	x.page(onAccount, "/register/init", "industry", "import=1", func(f *form) { f.fill("industry", "118") })
	x.effect = func() int { return x.sampled(id) }
	x.home = "account /accounts?all=1"
}

func trying(x *scene) {
	phone := newPhone()
	code := x.ask("account", "/experience", phone)
	x.page(onAccount, "/experience", "industry", "", func(f *form) {
		fillAll(f, "phone", phone, "code", code)
		f.fill("industry", "118", "agree", "1")
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?",
			phone)
	}
	x.home = "account /experience/role"
}

func choosingRole(x *scene) {
	trying(x)
	phone := x.lastPhone()
	x.sendOnce()
	x.page(onAccount, "/experience/role", "role=shop", "role=shop", nil)
	x.effect = func() int {
		return x.sampled(int64(x.s.count(x.t,
			"SELECT company_id FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?", phone)))
	}
	x.home = "account /accounts?all=1"
}

// lastPhone returns the phone of the code that this scene asked for last.
func (x *scene) lastPhone() string {
	x.t.Helper()
	r, at := x.open()
	if at != nil {
		x.t.Fatal(at.summary())
	}
	body := string(r.body)
	for pair := range strings.SplitSeq(body, "&") {
		if value, ok := strings.CutPrefix(pair, "phone="); ok {
			return value
		}
	}
	x.t.Fatal("the form has no phone")
	return ""
}

func applying(withFile bool) func(*scene) {
	return func(x *scene) {
		h, phone := x.house(), newPhone()
		code := x.ask(h.host(), "/register/more", phone)
		x.b.open(h.host(), "/register/more").form("code").fill("phone", phone, "code", code).press("")
		x.page(h.host, "/register/more", "company_name", "", func(f *form) {
			f.fill("company_name", "Corner shop", "contact_name", "Wang", "address", "1 Main Street", "reason",
				"We are near.")
			if withFile {
				f.attach("licence", picturetest.PNG(60, 40))
			}
		})
		x.effect = func() int {
			n := x.s.count(x.t, "SELECT COUNT(*) FROM applications WHERE company_id = ?", h.id)
			if withFile {
				n += x.s.count(x.t, "SELECT COUNT(*) FROM uploads WHERE company_id = ? AND used_at > 0", h.id) - 1
			}
			return n
		}
	}
}

func binding(x *scene) {
	who, phone := x.house().add(x.t, store.TypeShop, ""), newPhone()
	x.b.signIn(who)
	code := x.ask("account", "/bind", phone)
	x.b.open("account", "/bind").form("code").fill("phone", phone, "code", code).press("")
	x.page(onAccount, "/bind?step=2", "confirm_password", "",
		func(f *form) { f.fill("password", newPassword, "confirm_password", newPassword) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_bound' AND account_id = ?",
			who.accountID)
	}
	x.home = "account /accounts?all=1"
}

func unbinding(x *scene) {
	who := x.house().buyer
	x.s.newHouse(x.t).add(x.t, store.TypeShop, who.phone)
	x.b.signIn(who)
	path := fmt.Sprint("/unbind?account_id=", who.accountID)
	code := x.ask("account", path, who.phone)
	x.page(onAccount, path, "code", "", func(f *form) {
		fillAll(f.fill("code", code), "password", password,
			"confirm_password", password)
	})
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_unbound' AND account_id = ?",
			who.accountID)
	}
	x.home = "account /accounts?all=1"
}

// phoneForm opens the page that changes a phone, with a code to the former number in place of the password.
func (x *scene) phoneForm(byCode bool) *form {
	x.t.Helper()
	f := x.b.open("account", "/phone").form("code")
	if byCode {
		f = f.press("action=by_code").form("old_code")
	}
	return f
}

// askFrom presses a button that sends a code, without a fault, and returns the code that arrives at a phone.
func (x *scene) askFrom(f *form, action, newPhone, phone string) string {
	x.t.Helper()
	f.fill("phone", newPhone).press("action=" + action)
	return x.s.awaitCode(x.t, phone)
}

func changingPhone(byCode bool) func(*scene) {
	return func(x *scene) {
		who, phone := x.house().buyer, newPhone()
		x.b.signIn(who)
		code, proof, value := x.askFrom(x.phoneForm(byCode), "send_code", phone, phone), "password", password
		if byCode {
			proof, value = "old_code", x.askFrom(x.phoneForm(true), "send_old_code", phone, who.phone)
		}
		x.open = func() (request, *page) {
			return x.phoneForm(byCode).fill("phone", phone, "code", code, proof, value).request(""), nil
		}
		x.effect = func() int {
			return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_changed' AND account_id = ?",
				who.accountID)
		}
		x.home = "account /accounts?all=1"
	}
}

func codeToChangePhone(x *scene) {
	x.b.signIn(x.house().buyer)
	x.sendingCode(onAccount, "/phone", newPhone(), func(f *form) { f.fill("password", password) })
}

func codeToFormerPhone(x *scene) {
	who, phone := x.house().buyer, newPhone()
	x.b.signIn(who)
	code := x.askFrom(x.phoneForm(true), "send_code", phone, phone)
	x.open = func() (request, *page) {
		return x.phoneForm(true).fill("phone", phone, "code", code).request("action=send_old_code"), nil
	}
	x.effect = func() int { return len(x.s.inbox(x.t, who.phone)) - x.noticed(who.phone) }
	x.after = func(last *page) *page {
		x.t.Helper()
		x.wantNotThrownOut(last)
		f := last.form("old_code").fill("phone", phone, "code", code, "old_code", x.s.code(x.t, who.phone))
		return f.press("")
	}
}

// notices returns a count of the messages to a phone without a code: each change of a password sends one.
func (x *scene) notices(phone string) func() int { return func() int { return x.noticed(phone) } }

func resetting(x *scene) {
	who := x.house().buyer
	code := x.ask("account", "/forget/phone", who.phone)
	x.page(onAccount, "/forget/phone", "confirm_password", "", func(f *form) {
		f.fill("phone", who.phone, "code", code, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect = x.notices(who.phone)
	x.after = func(last *page) *page {
		x.t.Helper()
		p := newBrowser(x.t, x.s, phoneAgent).open("account", "/login").form("password").fill("phone", who.phone,
			"password", newPassword).press("")
		if p.at() != "m /shop" {
			x.t.Errorf("the new password does not sign in: %s", p.summary())
		}
		return last
	}
}

func changing(x *scene) {
	who := x.house().buyer
	x.b.signIn(who)
	x.page(onAccount, "/password", "old_password", "", func(f *form) {
		f.fill("old_password", password, "password", newPassword, "confirm_password", newPassword)
	})
	x.effect, x.home = x.notices(who.phone), "account /accounts?all=1"
}

// office signs the house's administrator in to the desktop back office.
func (x *scene) office() house {
	x.t.Helper()
	h := x.house()
	if p := x.b.signIn(h.owner); p.url.Path != "/mgr" {
		x.t.Fatal(p.summary())
	}
	x.home = h.host() + " /mgr"
	return h
}

// opening opens an account. When the response arrives, the page shows the first password. When it is lost, the
// account's page says how to make another one.
func (x *scene) opening(query string, where string, args []any, pairs ...string) {
	h := x.office()
	x.page(h.host, "/mgr/people/new"+query, "form", "", func(f *form) { f.fill(pairs...) })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM accounts a WHERE a.company_id = ? AND "+where,
			append([]any{h.id}, args...)...)
	}
}

func openingNamed(x *scene) {
	login := fmt.Sprint("opened", numbers.Add(1))
	x.opening("", "a.login = ?", []any{login}, "type", "2", "name", "Bo", "login", login)
	x.pages = openedPages
}

func openingNameless(x *scene) {
	x.opening("", "a.name = ?", []any{"Nameless"}, "type", "2", "name", "Nameless")
	x.pages = openedPages
}

// openedPages are the pages that show an account's first password: only when no response was lost.
var openedPages = map[string]want{
	"-": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"H": {at: "store{id} /mgr/people/new", text: "person.given_once"},
	"C": somewhere, // whether it was opened depends on the moment
}

func openingByPhone(side string) func(*scene) {
	return func(x *scene) {
		phone := newPhone()
		pairs := []string{"name", "Bo", "phone", phone}
		if side == "shop" {
			pairs = append(pairs, "client_name", "New customer")
		} else {
			pairs = append(pairs, "type", "2")
		}
		x.opening("?side="+side, "a.phone_id = (SELECT id FROM phones WHERE phone = ?)", []any{phone}, pairs...)
	}
}

func disabling(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/people/", h.buyer.accountID), "action=disable", "action=disable", nil)
	x.effect = func() int { return x.events("account_disabled", h.id) }
}

func givingPassword(x *scene) {
	h := x.office()
	who := h.add(x.t, store.TypeShop, "")
	x.page(h.host, fmt.Sprint("/mgr/people/", who.accountID), "action=reset_password", "action=reset_password", nil)
	works := 0
	x.effect = func() int { return works }
	x.after = func(last *page) *page {
		x.t.Helper()
		_, shown, _ := strings.Cut(last.body, `translate="no">`)
		shown, _, _ = strings.Cut(shown, "<")
		p := newBrowser(x.t, x.s, phoneAgent).open("account", "/login/account").form("password").fill("login",
			who.login, "password", shown).press("")
		if p.url.Path == "/password" {
			works = 1
		}
		return last
	}
}

func changingProfile(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	x.page(
		onAccount, "/profile", "portrait", "action=save", func(f *form) { f.fill("name", "Bo", "position", "Buyer") },
	)
	x.effect, x.home = func() int { return x.events("profile_changed", h.id) }, "account /accounts?all=1"
}

func sendingPortrait(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	picture := picturetest.JPEG(80, 60)
	x.page(
		onAccount, "/profile", "portrait", "action=save",
		func(f *form) { f.fill("name", "Bo"); f.attach("portrait", picture) },
	)
	x.effect, x.home = func() int { return x.events("portrait_set", h.id) }, "account /accounts?all=1"
}

func removingPortrait(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	f := x.b.open("account", "/profile").form("portrait").fill("name", "Bo")
	f.attach("portrait", picturetest.JPEG(80, 60))
	f.press("action=save")
	x.page(onAccount, "/profile", "action=remove_portrait", "action=remove_portrait", nil)
	x.effect, x.home = func() int { return x.events("portrait_removed", h.id) }, "account /accounts?all=1"
}

func editingPerson(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/people/", h.buyer.accountID), "department", "action=edit", func(f *form) {
		f.fill("name", "Bo", "department", "Rice")
	})
	x.effect = func() int { return x.events("account_edited", h.id) }
}

func changingRole(change portal.RoleChange) func(*scene) {
	return func(x *scene) {
		h := x.office()
		who := h.add(x.t, store.TypeEmployee, newPhone())
		x.page(
			h.host,
			fmt.Sprint("/mgr/people/", who.accountID, "/role"),
			"password",
			"action="+string(change),
			func(f *form) {
				f.fill("password", password)
			},
		)
		x.effect = func() int { return x.events("administrator_made", h.id) }
	}
}

func choosingType(x *scene) {
	h := x.office()
	err := x.s.db.PutCustomerType(x.t.Context(), store.CustomerType{CompanyID: h.id, ID: 1, Name: "Retail"})
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(h.host, fmt.Sprint("/mgr/customers/", h.clientID), "client_type_id", "action=set_type", func(f *form) {
		f.fill("client_type_id", "1")
	})
	x.effect = func() int { return x.events("customer_type_set", h.id) }
}

func namingTypes(x *scene) {
	x.setting("customer-types", "new", "", "customer_types_set", func(f *form) { f.fill("new", "Retail") })
}

func completing(x *scene) {
	h, phone := x.house(), newPhone()
	owner := newBrowser(x.t, x.s, desktopAgent)
	owner.signIn(h.owner)
	p := owner.open(h.host(), fmt.Sprint("/mgr/people/new?side=shop&client_id=",
		h.clientID)).form("client_id").fill("name", "Bo", "phone", phone).press("")
	_, link, _ := strings.Cut(p.body, `id="link" type="text" readonly value="`)
	link, _, _ = strings.Cut(link, `"`)
	link = strings.ReplaceAll(link, "&amp;", "&")
	asked := x.b.must(x.b.get(link)).form("action=send_code").fill("phone", phone).press("action=send_code")
	x.wantNotThrownOut(asked)
	code := x.s.code(x.t, phone)
	x.open = func() (request, *page) {
		p := x.b.must(x.b.get(link))
		f := p.find("code")
		if f == nil {
			return request{}, p
		}
		return fillAll(f, "phone", phone, "code", code, "name", "Bo", "password", newPassword, "confirm_password",
			newPassword).request(""), nil
	}
	x.effect = func() int { return x.events("account_set_up", h.id) }
}

func answeringOffer(action, event string) func(*scene) {
	return func(x *scene) {
		h := x.house()
		offered := x.s.newHouse(x.t).buyer
		h.offers(x.t, offered.phone)
		x.b.signIn(offered)
		x.page(onAccount, "/offers", "action="+action, "action="+action, nil)
		x.effect, x.home = func() int { return x.events(event, h.id) }, "account /accounts?all=1"
	}
}

func reviewing(action string) func(*scene) {
	return func(x *scene) {
		h := x.office()
		id, phone := h.applicant(x.t)
		marker := "action=" + action
		x.page(h.host, fmt.Sprint("/mgr/applications/", id), marker, marker, func(f *form) {
			if action == "reject" {
				f.fill("reason", "Too far away.")
			}
		})
		x.effect = func() int { return len(x.s.inbox(x.t, phone)) }
	}
}

func partnering(action string) func(*scene) {
	return func(x *scene) {
		h := x.office()
		kind := "customer_ended"
		if action == "resume" {
			kind = "customer_resumed"
			x.s.change(x.t, "UPDATE clients SET state = 'ended' WHERE id = ?", h.clientID)
		}
		x.page(h.host, fmt.Sprint("/mgr/customers/", h.clientID), "action="+action, "action="+action, nil)
		x.effect = func() int { return x.events(kind, h.id) }
	}
}

func ordering(x *scene) {
	h := x.house()
	x.b.signIn(h.buyer)
	x.page(func() string { return "m" }, "/shop", "product_id", "", func(f *form) { f.fill("quantity", "3") })
	x.effect = func() int {
		orders := x.s.count(x.t, "SELECT COUNT(*) FROM orders WHERE client_id = ?", h.clientID)
		if sold := 1000 - x.s.count(x.t, "SELECT stock FROM products WHERE id = ?", h.productID); sold != 3*orders {
			x.t.Errorf("%d orders of 3 took %d from the stock", orders, sold)
		}
		return orders
	}
	x.home = "m /shop"
}

func confirming(x *scene) {
	h := x.office()
	x.page(h.host, fmt.Sprint("/mgr/orders/", h.order(x.t)), "action=confirm", "action=confirm", nil)
	x.effect = func() int { return x.events("order_confirmed", h.id) }
}

// setting fills in a page of the settings. The audit log says how often the setting was changed.
func (x *scene) setting(path, marker, button, kind string, fill func(*form)) {
	h := x.office()
	x.page(h.host, "/mgr/settings/"+path, marker, button, fill)
	x.effect = func() int { return x.events(kind, h.id) }
}

func settingRegistration(x *scene) {
	x.setting("registration", "contact_name", "", "registration_set", func(f *form) { f.fill("contact_name", "Mei") })
}

func settingRights(x *scene) {
	x.setting("employees", "rights", "", "employee_rights_set", func(f *form) { f.fill("rights", "people") })
}

func settingBank(x *scene) {
	x.setting("bank", "seen", "", "bank_account_set", func(f *form) {
		for _, c := range f.controls {
			switch {
			case c.kind != "text" && c.kind != "tel":
			case strings.Contains(c.name, "card"):
				c.value = "6222020200112233"
			default:
				c.value = "Bank of Corners"
			}
		}
	})
}

func publishing(x *scene) {
	x.setting("appearance", "theme", "action=save", "appearance_set", func(f *form) { f.fill("theme", "1c7ed6") })
}

func claiming(x *scene) {
	h := x.office()
	host := fmt.Sprintf("shop%d.example.com", h.id)
	x.page(h.host, "/mgr/settings/appearance", "domain", "action=domain_add", func(f *form) { f.fill("domain", host) })
	x.effect = func() int { return x.s.count(x.t, "SELECT COUNT(*) FROM domain_claims WHERE host = ?", host) }
}

func clearing(x *scene) {
	h := x.office()
	category, err := x.s.db.AddCategory(x.t.Context(), store.Category{CompanyID: h.id, Name: "Samples", Sample: "c"})
	if err == nil {
		_, err = x.s.db.AddProduct(x.t.Context(), store.Product{CompanyID: h.id, CategoryID: category, Name: "Sample",
			Spec: "1", Unit: "bag", Sample: "p"})
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.page(h.host, "/mgr/settings/initialisation", "action=clear_samples", "action=clear_samples", nil)
	x.effect = func() int {
		return x.events("samples_cleared", h.id) + 10*x.s.count(x.t,
			"SELECT COUNT(*) FROM products WHERE company_id = ? AND sample <> ''", h.id)
	}
}

func choosingDefault(x *scene) {
	h := x.house()
	x.s.newHouse(x.t).add(x.t, store.TypeShop, h.buyer.phone)
	if p := x.b.signIn(h.buyer); p.url.Path != "/company" {
		x.t.Fatal(p.summary())
	}
	button := fmt.Sprint("company_id=", h.id)
	x.page(onAccount, "/company?all=1", button, button, func(f *form) { f.fill("default", "1") })
	x.effect = func() int {
		return x.s.count(x.t, "SELECT COUNT(*) FROM phones WHERE phone = ? AND default_company_id = ?", h.buyer.phone,
			h.id)
	}
	x.home = "account /accounts?all=1"
}

func signingOut(x *scene) {
	who := x.house().buyer
	x.b.signIn(who)
	x.open = func() (request, *page) {
		p := x.b.open("account", "/accounts?all=1")
		for _, f := range p.forms() {
			if f.action.Path == "/logout" {
				return f.request(""), nil
			}
		}
		p.url.RawQuery = "" // that the session has ended is the truth here
		return request{}, p
	}
	x.effect = func() int {
		return 1 + x.s.count(x.t,
			"SELECT COUNT(*) FROM sessions s JOIN phones p ON p.id = s.phone_id WHERE p.phone = ?", who.phone)
	}
	x.after = func(last *page) *page {
		if p := x.b.open("m", "/shop"); p.url.Path != "/login" {
			x.t.Errorf("the shop is still open: %s", p.summary())
		}
		return last
	}
}

func TestTheTableOfFormsNamesEachOnce(t *testing.T) {
	t.Parallel()
	var names []string
	for _, row := range formRows {
		if slices.Contains(names, row.name) {
			t.Errorf("%q stands twice", row.name)
		}
		names = append(names, row.name)
	}
}
