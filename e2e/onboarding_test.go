package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/store"
)

// founder is somebody who registers a company, known to no other test.
type founder struct{ phone, name, company string }

func newFounder() founder {
	number := newPhone()
	return founder{number, "新人" + number[7:], "新店" + number[7:]}
}

// found registers a company with the samples of an industry, 0 for none, as a browser without scripts does. Its
// password is the new one.
func (s *site) found(t *testing.T, lang string, industry int) founder {
	t.Helper()
	client, f := s.client(), newFounder()
	defer client.CloseIdleConnections()
	s.send(t, client, http.StatusOK, "/register", "action", "send_code", "phone", f.phone)
	list, err := s.inbox(f.phone)
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	s.send(t, client, http.StatusSeeOther, "/register?lang="+lang,
		"phone", f.phone, "code", list[0].Code, "password", newPassword, "name", f.name, "company_name", f.company, "agree", "1")
	if industry != 0 {
		s.send(t, client, http.StatusSeeOther, "/register/init", "industry", fmt.Sprint(industry), "import", "1")
	}
	return f
}

// send sends a form of the account site from its own page.
func (s *site) send(t *testing.T, client *http.Client, want int, path string, pairs ...string) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.at("account", path), strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != want {
		t.Fatalf("%s: status %d, want %d\n%s", path, answer.StatusCode, want, body)
	}
}

// own is the company that a phone administers, the newest one.
func (s *site) own(t *testing.T, number string) int64 {
	t.Helper()
	return int64(s.count(t, `SELECT COALESCE(MAX(a.company_id), 0) FROM accounts a JOIN phones p ON p.id = a.phone_id WHERE p.phone = ? AND a.side = 'mgr'`, number))
}

// endTrial moves the end of a company's trial to a while from now.
func (s *site) endTrial(t *testing.T, id int64, in time.Duration) {
	t.Helper()
	db := s.seed(t)
	c, err := db.CompanyByID(t.Context(), id)
	if err == nil {
		c.EndsAt = store.At(time.Now().Add(in))
		err = db.UpdateCompany(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// office is where somebody arrives in the back office of a company of their own.
func (b *tab) office(f founder) arrival {
	b.t.Helper()
	host, path := b.sideOf("mgr", b.site.own(b.t, f.phone))
	return arrival{host, path, f.name, f.company}
}

// The controls of these pages.
const (
	importButton  = `button[name=import][value="1"]`
	emptyButton   = `button[name=import][value="0"]`
	enterButton   = `form[action="/company"] button`
	switchButton  = `.try button[value=switch]`
	mineLink      = `.try a[href*="/register?sandbox="]`
	orderButton   = `form.order button`
	confirmButton = `button[name=action][value=confirm]`
	ordersLink    = `.menu a[href$="/orders"]`
	customersLink = `.menu a[href$="/customers"]`
	settingsLink  = `.menu a[href$="/settings"]`
	samplesLink   = `main a[href$="/settings/initialisation"]`
	clearButton   = `button[name=action][value=clear_samples]`
	placedOrder   = `main a.placed`
)

func industryCard(id int) string    { return fmt.Sprintf(`label.industry:has(input[value="%d"])`, id) }
func roleButton(side string) string { return fmt.Sprintf(`button[name=role][value="%s"]`, side) }

// mark presses a box or a card that is not chosen yet.
func (b *tab) mark(selector, control string) {
	b.t.Helper()
	if !ask[bool](b, `s => document.querySelector(s).checked`, control) {
		b.press(selector)
	}
	b.await("the choice", `s => document.querySelector(s).checked`, control)
}

func (b *tab) agree() { b.t.Helper(); b.mark(field("agree"), field("agree")) }

func (b *tab) chooseIndustry(id int) {
	b.t.Helper()
	b.mark(industryCard(id), fmt.Sprintf(`input[name=industry][value="%d"]`, id))
}

// describe fills in the form of a new company, but for what proves the phone.
func (b *tab) describe(f founder) {
	b.t.Helper()
	if b.has(field("password")) {
		b.fill("password", newPassword)
	}
	b.fill("name", f.name)
	b.fill("company_name", f.company)
	b.agree()
}

// create registers a company, up to the choice of its industry.
func (b *tab) create(f founder) (code string) {
	b.t.Helper()
	b.visit("account", "/register")
	b.fill("phone", f.phone)
	code = b.askCode(f.phone)
	b.describe(f)
	b.enterCode(code)
	b.wantAt("account", "/register/init")
	return code
}

// wantCompanies counts the companies that a phone administers.
func (b *tab) wantCompanies(number string, want int) {
	b.t.Helper()
	n := b.site.count(b.t, `SELECT COUNT(*) FROM accounts a JOIN phones p ON p.id = a.phone_id JOIN companies c ON c.id = a.company_id WHERE p.phone = ? AND a.side = 'mgr' AND c.sandbox = ?`, number, false)
	if n != want {
		b.t.Errorf("%d companies, want %d", n, want)
	}
}

// wantMistakes checks the summary of a refused form: it has the focus, and names these fields, each tied to its message.
func (b *tab) wantMistakes(names ...string) {
	b.t.Helper()
	b.wantStatus(422)
	b.await("the focus on the summary", `() => document.activeElement.getAttribute("role") === "alert"`)
	links := ask[[]string](b, `() => [...document.querySelectorAll("[role=alert] a")].map(a => a.hash.slice(1))`)
	if fmt.Sprint(links) != fmt.Sprint(names) {
		b.t.Errorf("the summary leads to %q, want %q", links, names)
	}
	for _, name := range names {
		if !ask[bool](b, `id => {
			const e = document.getElementById(id), notes = (e.getAttribute("aria-describedby") || "").split(" ")
			return (e.matches("fieldset") || e.getAttribute("aria-invalid") === "true") && notes.includes(id + "-msg") && !!document.getElementById(id + "-msg").innerText
		}`, name) {
			b.t.Errorf("%s is not tied to its message", name)
		}
	}
}

// wantChosen checks that a box or a card is chosen.
func (b *tab) wantChosen(control string) {
	b.t.Helper()
	if !ask[bool](b, `s => document.querySelector(s).checked`, control) {
		b.t.Errorf("%s is not chosen at %s", control, b.here())
	}
}

// openTrial opens the sandbox of an industry.
func (b *tab) openTrial(number string, industry int) {
	b.t.Helper()
	b.visit("account", "/experience")
	b.fill("phone", number)
	code := b.askCode(number)
	b.chooseIndustry(industry)
	b.agree()
	b.enterCode(code)
	b.wantAt("account", "/experience/role")
}

// tryOut opens the sandbox of an industry and goes to one side of it, with its samples.
func (b *tab) tryOut(number string, industry int, side string) {
	b.t.Helper()
	b.openTrial(number, industry)
	b.follow(roleButton(side))
}

// sideOf is where a side of a company is: its host and its first page.
func (b *tab) sideOf(side string, company int64) (host, path string) {
	if b.screen.mobile {
		return map[string]string{"shop": "m", "mgr": "mgr"}[side], map[string]string{"shop": "/shop", "mgr": "/home"}[side]
	}
	return fmt.Sprintf("store%d", company), map[string]string{"shop": "/home", "mgr": "/mgr"}[side]
}

// wantSide checks on which page of a side of a company the tab is.
func (b *tab) wantSide(side string, company int64, path string) {
	b.t.Helper()
	host, root := b.sideOf(side, company)
	b.wantAt(host, root+path)
	b.wantStatus(200)
}

// order orders a quantity of the first product that can be had.
func (b *tab) order(quantity string) {
	b.t.Helper()
	b.fill("quantity", quantity)
	b.follow(orderButton)
}

// wantCount counts what a page shows.
func (b *tab) wantCount(selector string, want int) {
	b.t.Helper()
	if n := ask[int](b, `s => document.querySelectorAll(s).length`, selector); n != want {
		b.t.Errorf("%s shows %d of %s, want %d\n%s", b.here(), n, selector, want, b.seen())
	}
}

// pressTwiceTo presses an impatient second time, which may fall on the page that follows, and goes to where the first
// one led.
func (b *tab) pressTwiceTo(selector, host, path string) {
	b.t.Helper()
	b.leave(func() { b.t.Helper(); b.pressTwice(selector) })
	b.visit(host, path)
	b.await("the page after it", `path => location.pathname === path && document.readyState === "complete"`, path)
}
