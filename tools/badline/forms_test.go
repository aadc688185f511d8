package badline_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/tools/badline"
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
	t       *testing.T
	s       *site
	b       *browser
	company testCompany

	open   func() (r request, at *page) // opens the page and fills it in; without a form it returns only the page
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

// Each form is sent with each fault. The operation is done exactly once, and the last page is that of the table.
// `make test` tries the two faults that the others are kinds of.
func TestEveryFormTakesEffectOnceOverABadLine(t *testing.T) {
	t.Parallel()
	tried := "LD"
	if testscope.All() {
		tried = "-LRDTHC"
	}
	for _, row := range formRows {
		t.Run(strings.ReplaceAll(row.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if strings.Contains(tried, "-") {
				row.run(t, fault{short: "-"}, 0)
			}
			for _, f := range faults {
				if strings.Contains(row.not, f.short) || !strings.Contains(tried, f.short) {
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
	wanted, found := row.also[f.short]
	if !found {
		wanted, found = x.pages[f.short]
	}
	if !found {
		wanted = row.want
	}
	if f.short == "-" || f.short == "T" {
		if first, ok := x.pages["-"]; ok && !strings.Contains(row.asks, f.short) {
			wanted = first // nothing was lost
		}
	}
	if strings.Contains(row.asks, f.short) {
		if last.status != http.StatusUnprocessableEntity {
			t.Errorf("the page asks no question: %s", last.summary())
		}
		if n := x.effect(); n != 1 {
			t.Errorf("%d effects before the question is answered, want 1", n)
		}
		return
	}
	if x.after != nil {
		last = x.after(last)
	}
	x.wantLastPage(last, wanted)
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
			x.t.Fatal("the connection did not fail")
		}
		if x.b.lost == nil {
			x.b.lost = &r
		}
	}
	switch f.short {
	case "L":
		lose(badline.Rule{Fault: badline.LoseAnswer})
		return x.b.must(x.b.resend())
	case "R":
		lose(badline.Rule{Fault: badline.LoseAnswer})
		return x.sendOnce()
	case "H":
		lose(badline.Rule{Fault: badline.CutRequest})
		return x.b.must(x.b.resend())
	case "C":
		lose(badline.Rule{Fault: badline.CutAfter, After: time.Duration(ms) * time.Millisecond})
		return x.b.must(x.b.resend())
	case "D":
		r, _ := x.open()
		x.b.proxy.Add(badline.Rule{Fault: badline.Twice})
		return x.b.must(x.b.send(r))
	case "T":
		first, _ := x.open()
		second, at := x.open()
		if at != nil {
			x.t.Fatalf("the second tab has nothing to send at %s", at.summary())
		}
		x.b.must(x.b.send(first))
		return x.b.must(x.b.send(second))
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

// wantLastPage checks that a test ends at the wanted page, with its text.
func (x *scene) wantLastPage(last *page, w want) {
	x.t.Helper()
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	if last.status != status {
		x.t.Errorf("the last page has the status %d, want %d: %s", last.status, status, last.summary())
	}
	x.wantNoFailurePage(last)
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

// wantNoFailurePage checks that the fault did not sign the person out, lead to an error page, or expire a valid code.
func (x *scene) wantNoFailurePage(p *page) {
	x.t.Helper()
	messages := texts(x.t)
	switch {
	case p.url.Path == "/jumperror":
		x.t.Error("the page says that the redirect failed")
	case p.isSignedOut():
		x.t.Errorf("the person has to sign in again: %s", p.summary())
	case strings.Contains(p.text(), messages["error.code_expired"]):
		x.t.Errorf("a valid code is refused as expired: %s", p.summary())
	case p.status >= http.StatusInternalServerError:
		x.t.Errorf("the answer is an error: %s", p.summary())
	}
}

// isSignedOut reports whether a landing site has sent the person to the sign-in page.
func (p *page) isSignedOut() bool {
	query := p.url.Query()
	return query.Get("done") == "session_ended" || p.url.Path == "/login" && query.Has("return")
}

// fillPresent fills in those of the given fields that the form has. pairs are names and values.
func fillPresent(f *form, pairs ...string) *form {
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

// onAccount is the host of the account site, for page.
func onAccount() string { return "account" }

// newCompany adds the company of the scene.
func (x *scene) newCompany() testCompany {
	x.t.Helper()
	x.company = x.s.newCompany(x.t)
	return x.company
}

// events counts the events of a kind in a company's audit log.
func (x *scene) events(kind string, companyID int64) int {
	x.t.Helper()
	return x.s.count(x.t, "SELECT COUNT(*) FROM audit_events WHERE kind = ? AND company_id = ?", kind, companyID)
}

// signedInOnce returns a function that counts a phone's confirmed sessions on the account site.
func (x *scene) signedInOnce(phone string) func() int {
	return func() int {
		return x.s.count(x.t, `SELECT COUNT(*) FROM sessions s JOIN phones p ON p.id = s.phone_id
			WHERE p.phone = ? AND s.host LIKE 'account.%' AND s.confirmed`, phone)
	}
}
