package badline_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
)

// afterSigningIn are the tables that change when a person sends a form after their session has ended, and signs in
// resend.
var afterSigningIn = []string{
	"sessions", "session_slots", "kept_forms", "page_views", "audit_events", "auth_codes", "attempts", "known_devices",
	"device_accounts", "repeats",
}

// A person fills in a form of the back office, is away for an hour, and sends it.
func TestFormSentAfterAnHourKeepsItsText(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "it opens every page and sends every form")
	w := newWorld(t)
	_, office, _ := routes(t)
	tried := 0
	for _, site := range []struct{ agent, host, side string }{{phoneAgent, "mgr", "/home"},
		{desktopAgent, "store1001", "/mgr"}} {
		account := w.accountOf(w.first, 1001, "/mgr")
		b := newBrowser(t, w.s, site.agent)
		b.signIn(w.first)
		b.enter("account", account)
		c := &crawler{b: b, seen: map[string]bool{}, alike: map[string]int{}, only: site.host}
		c.queue = append(c.queue, w.s.at(site.host, site.side))
		for _, suffix := range office {
			c.queue = append(c.queue, w.s.at(site.host, site.side+suffix))
		}
		c.run()
		for _, f := range c.forms(map[string]bool{}) {
			if _, side := f.place(); side != site.side || !slices.ContainsFunc(f.controls, (*control).isFilledIn) {
				continue
			}
			tried++
			t.Run(strings.ReplaceAll(formName(f), "/", "∕"), func(t *testing.T) {
				w.sendAfterAnHour(t, site.agent, f, w.first, true)
				w.sendAfterAnHour(t, site.agent, f, w.second, false)
			})
		}
	}
	if tried < 10 {
		t.Errorf("only %d forms with text were found", tried)
	}
}

// isFilledIn reports whether people fill in a control and a page may show its value again.
func (c *control) isFilledIn() bool {
	return c.isText() || c.name != "" && (c.kind == "select" || c.kind == "checkbox" || c.kind == "radio")
}

// fillInAll changes every control of a form that people fill in, and returns the new values by name.
func fillInAll(f *form) map[string]string {
	values := typeIntoAll(f)
	for _, c := range f.controls {
		switch c.kind {
		case "select":
			c.value = c.choices[len(c.choices)-1]
		case "checkbox":
			c.checked = !c.checked
		case "radio":
			f.fill(c.name, c.value) // of several radio buttons the last one stays checked
		}
	}
	for _, c := range f.controls {
		if c.isFilledIn() {
			values[c.name] = f.value(c.name)
		}
	}
	return values
}

// sendAfterAnHour fills in a form, lets an hour pass, sends it, and signs in on the page that answers: as the same
// person, or as another one, who must not see the text.
func (w *world) sendAfterAnHour(t *testing.T, agent string, found *form, as person, same bool) {
	t.Helper()
	b := newBrowser(t, w.s, agent)
	b.signIn(w.first)
	b.enter("account", w.accountOf(w.first, 1001, "/mgr"))
	opened := b.must(b.get(found.page.url.String()))
	f := sameForm(opened, found)
	if f == nil {
		t.Fatalf("the form is gone: %s", opened.summary())
	}
	wrote := fillInAll(f)
	before := w.s.dump(t, afterSigningIn...)
	w.passAnHour(t, w.first)
	p := b.must(b.send(f.request("")))
	if diff := difference(before, w.s.dump(t, afterSigningIn...)); diff != "" {
		t.Errorf("the form was accepted without a session:\n%s", diff)
	}
	last := w.signInThrough(t, b, p, as)
	if diff := difference(before, w.s.dump(t, afterSigningIn...)); diff != "" {
		t.Errorf("signing in sent the form:\n%s", diff)
	}
	if !same {
		if strings.Contains(last.body, typedText) ||
			strings.Contains(b.open("account", "/accounts?all=1").body, typedText) {
			t.Errorf("another person is shown what was typed: %s", last.summary())
		}
		return
	}
	back := sameForm(last, found)
	if back == nil {
		t.Fatalf("the form is not there after signing in again: %s", last.summary())
	}
	wantTyped(t, back, wrote)
}

// passAnHour moves the times of a person's sessions an hour back, so that their back office sessions expire.
func (w *world) passAnHour(t *testing.T, p person) {
	t.Helper()
	hour := time.Hour.Milliseconds()
	for _, query := range []string{
		"UPDATE session_slots SET entered_at = entered_at - ?, idle_until = idle_until - ?, ends_at = ends_at - ?",
		"UPDATE sessions SET seen_at = seen_at - ?, idle_until = idle_until - ?, ends_at = ends_at - ?",
	} {
		w.s.change(t, query, hour, hour, hour)
	}
	if n := w.s.count(t, `SELECT COUNT(*) FROM session_slots l
		JOIN accounts a ON a.id = l.account_id JOIN phones p ON p.id = a.phone_id
		WHERE p.phone = ? AND a.side = 'mgr' AND l.idle_until > ?`, p.phone, time.Now().UnixMilli()); n != 0 {
		t.Fatalf("%d back offices are still open after an hour", n)
	}
}

// signInThrough signs a person in on the page that a request was redirected to.
func (w *world) signInThrough(t *testing.T, b *browser, p *page, as person) *page {
	t.Helper()
	for range 3 {
		if f := p.find("password"); f != nil {
			who := f.control("phone")
			if who == nil {
				t.Fatalf("the sign-in form takes no phone: %s", p.summary())
			}
			p = f.fill("phone", as.phone, "password", password).press("")
			continue
		}
		if f := p.find("action=continue"); f != nil && as == w.first {
			p = f.press("action=continue")
			continue
		}
		if p.url.Path == "/company" || p.url.Path == "/accounts" || p.url.Path == "/enter" {
			host, _, _ := strings.Cut(p.url.Host, ".")
			return b.enter(host, w.accountOf(as, 1001, "/mgr"))
		}
		break
	}
	if p.status >= http.StatusInternalServerError {
		t.Errorf("signing in again ends at %s", p.summary())
	}
	return p
}
