package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// throughEachDoor runs a test for each of the four doors.
func throughEachDoor(t *testing.T, test func(t *testing.T, d chatDoor)) {
	t.Helper()
	for _, d := range chatDoors {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// atOnce asks ten times for the same, each from a window of the same browser, and gives the pages it led to.
func (c *caller) atOnce(address string) []answer {
	c.t.Helper()
	pages := make([]answer, 10)
	var all sync.WaitGroup
	for i := range pages {
		one := c.twin()
		all.Go(func() { pages[i] = one.get(address) })
	}
	all.Wait()
	return pages
}

func TestChatACallbackIsExchangedOnce(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
		unknown := c.authorise("account", d, person)
		for _, a := range c.atOnce(unknown) {
			if a.status != http.StatusSeeOther || a.to != c.at("account", "/wechat/link") {
				t.Errorf("%d to %s", a.status, a.to)
			}
		}
		for range 2 { // again, and as a reload
			c.wantAt(c.onward(c.get(unknown)), "account", "/wechat/link")
		}
		c.wantNobody("account")
		if n := c.exchanges(unknown); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		if n := c.links(d, person); n != 0 {
			t.Errorf("%d links of somebody unknown", n)
		}

		c.wantArrived(c.link("account", d, person, who), who.landing(d.on))
		c.wantOneOf(who, 1)
		known := c.authorise("account", d, person)
		for _, a := range c.atOnce(known) {
			if to, _ := url.Parse(a.to); a.status != http.StatusSeeOther || to.Query().Get("auth_code_") == "" {
				t.Errorf("%d to %s", a.status, a.to)
			}
		}
		for range 2 {
			c.wantArrived(c.onward(c.get(known)), who.landing(d.on))
		}
		c.wantSession("account", who)
		if n := c.exchanges(known); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.wantOneOf(who, 1)
	})
}

func TestChatALostCookieLosesNobody(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
		text := texts(t, c.lang)
		unknown := c.authorise("account", d, person)
		c.lose()
		c.wantAgain(c.onward(c.get(unknown)), "account", d, "wechat_expired", "")
		c.wantNobody("account")
		c.wantAt(c.onward(c.get(c.at("account", "/wechat/link"))), "account", "/login")

		c.link("account", d, person, who)
		c.lose()
		known := c.authorise("account", d, person)
		c.lose()
		ask := ""
		for range 2 { // a reload finds the same
			a := c.get(known)
			c.wantAt(a, "account", d.back)
			c.wantText(a, filled(text("chat.recognised_heading"), "account", masked(who.phone)))
			c.wantNobody("account")
			_, ask, _ = strings.Cut(a.text, `name="ask" value="`)
			ask, _, _ = strings.Cut(ask, `"`)
		}
		next := c.at("account", "/wechat/continue")
		for _, from := range []string{"", "cross-site", "same-site"} {
			if a := c.ask(http.MethodPost, next, from, []string{"ask", ask, "action", "continue"}); a.status != http.StatusForbidden {
				t.Errorf("from %q: %d", from, a.status)
			}
		}
		for _, wrong := range []string{"", ask[1:], ask + "x"} {
			c.wantAt(c.onward(c.post(next, "ask", wrong, "action", "continue")), "account", "/jumperror")
		}
		elsewhere := c.onward(c.post(c.at("store1001", "/wechat/continue"), "ask", ask, "action", "continue"))
		c.wantAt(elsewhere, "store1001", "/jumperror")
		c.wantNobody("account")
		c.wantArrived(c.onward(c.post(next, "ask", ask, "action", "continue")), who.landing(d.on))
		c.wantSession("account", who)
		if n := c.exchanges(known); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.wantOneOf(who, 1)
	})
}

// Somebody sends a victim the callback of an authorisation of their own: the victim is not signed in as them, and what the victim does
// later links nothing to them (requirements 61, 67).
func TestChatACallbackOfSomebodyElseSignsNobodyIn(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		attacker, stranger := normal.register(t), somebody()
		a := normal.caller(t, d.agent)
		known := somebody()
		a.link("account", d, known, attacker)
		victims := map[string]func(c *caller, who newcomer){
			"new here":              func(*caller, newcomer) {},
			"on the way themselves": func(c *caller, _ newcomer) { c.begin("account", d) },
			"signed in":             func(c *caller, who newcomer) { c.signIn(who) },
			"signed in by the app": func(c *caller, who newcomer) {
				c.link("account", d, somebody(), who)
			},
		}
		for name, come := range victims {
			t.Run(name, func(t *testing.T) {
				v, who := normal.caller(t, d.agent), normal.register(t)
				come(v, who)
				before := v.cookie("account", "portico_session")
				flow := v.cookie("account", "portico_flow") != ""
				for person, asked := range map[string]bool{known: !flow, stranger: false} {
					got := v.onward(v.get(a.authorise("account", d, person)))
					if asked { // the page names whom it would sign in
						v.wantAt(got, "account", d.back)
						v.wantText(got, filled(texts(t, v.lang)("chat.recognised_heading"), "account", masked(attacker.phone)))
						v.lose("portico_flow")
					} else {
						v.wantAt(got, "account", "/jumperror")
					}
					if v.cookie("account", "portico_session") != before || v.cookie("account", "portico_identity") != "" {
						t.Error("the callback left something behind")
					}
				}
				v.signIn(who)
				v.wantSession("account", who)
				v.wantAt(v.onward(v.get(v.at("account", "/wechat/link"))), "account", "/login")
				v.wantAt(v.onward(v.post(v.at("account", "/wechat/link"), "phone", who.phone, "password", password)), "account", "/login")
				v.wantAt(v.onward(v.post(v.at("account", "/wechat/confirm"), "action", "link")), "account", "/login")
				if n := a.links(d, stranger); n != 0 {
					t.Error("the stranger is linked")
				}
			})
		}
		a.wantOneOf(attacker, 1)
	})
}

// What a browser holds of somebody's sign-in is worth nothing in another browser.
func TestChatWhatAnotherBrowserHoldsIsWorthNothing(t *testing.T) {
	t.Parallel()
	d := wechatDoor
	a, v, who := normal.caller(t, d.agent), normal.caller(t, d.agent), normal.register(t)
	person := somebody()
	a.onward(a.get(a.authorise("account", d, person)))
	a.post(a.at("account", "/wechat/link"), "phone", who.phone, "password", password)
	v.begin("account", d)
	for _, name := range []string{"portico_identity", "portico_linking"} {
		stolen := a.cookie("account", name)
		if stolen == "" {
			t.Fatalf("there is no %s", name)
		}
		v.keep("account.localhost", []*http.Cookie{{Name: name, Value: stolen}})
	}
	for _, path := range []string{"/wechat/link", "/register/wechat"} {
		v.wantAt(v.onward(v.get(v.at("account", path))), "account", "/login")
		v.keep("account.localhost", []*http.Cookie{{Name: "portico_identity", Value: a.cookie("account", "portico_identity")}})
	}
	v.wantAt(v.onward(v.post(v.at("account", "/wechat/confirm"), "action", "link")), "account", "/jumperror")
	v.wantNobody("account")
	if n := v.links(d, person); n != 0 {
		t.Error("somebody is linked")
	}
}

func (c *caller) signIn(who newcomer) {
	c.t.Helper()
	c.onward(c.post(c.at("account", "/login"), "phone", who.phone, "password", password))
	c.wantSession("account", who)
}

func TestChatTwoAuthorisationsAtOnceBothLead(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c := normal.caller(t, d.agent)
		first, second := normal.register(t), normal.register(t)
		one, two := somebody(), somebody()
		c.link("account", d, one, first)
		c.link("account", d, two, second)
		begun, later := c.begin("account", d), c.begin("account", d)
		inOrder, outOfOrder := c.as(later, two, ""), c.as(begun, one, "")
		c.wantArrived(c.onward(c.get(inOrder)), second.landing(d.on))
		c.wantSession("account", second)
		c.wantArrived(c.onward(c.get(outOfOrder)), first.landing(d.on))
		c.wantSession("account", first)
		c.wantOneOf(first, 1)
		c.wantOneOf(second, 1)
	})
}

func TestChatGoingBackLinksNothingTwice(t *testing.T) {
	t.Parallel()
	d := wechatDoor
	c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
	callback := c.authorise("account", d, person)
	c.onward(c.get(callback))
	link, confirm := c.at("account", "/wechat/link"), c.at("account", "/wechat/confirm")
	c.post(link, "phone", who.phone, "password", password)
	before := c.twin()
	c.wantArrived(c.onward(c.post(confirm, "action", "link")), who.landing(d.on))
	for range 2 {
		c.wantAt(c.onward(c.post(confirm, "action", "link")), "account", "/login")
		c.wantAt(c.onward(c.post(link, "phone", who.phone, "password", password)), "account", "/login")
	}
	c.wantArrived(c.onward(c.get(callback)), who.landing(d.on)) // back to where it began: signed in by now
	c.wantOneOf(who, 1)

	other := normal.register(t) // a window from before goes on: it is linked by now, and stays with whom it is
	before.wantArrived(before.onward(before.post(confirm, "action", "link")), who.landing(d.on))
	before = c.twin()
	before.lose("portico_session")
	before.wantArrived(before.onward(before.get(before.authorise("account", d, person))), who.landing(d.on))
	c.wantOneOf(who, 1)
	c.wantOneOf(other, 0)
}

// stateOf is the name of a callback's authorisation in the database.
func stateOf(callback string) string {
	u, _ := url.Parse(callback)
	sum := sha256.Sum256([]byte(u.Query().Get("state")))
	return hex.EncodeToString(sum[:])
}
