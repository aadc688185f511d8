package e2e

import (
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// change writes to the database of the running server what no operation does.
func (s *site) change(t *testing.T, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.database+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// with gives a callback other parameters; "" takes one away.
func with(callback string, pairs ...string) string {
	u, _ := url.Parse(callback)
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Requirement 67, for somebody who would be signed in.
func TestChatAStateIsGoodOnceHereAndForAWhile(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c, other, who, person := normal.caller(t, d.agent), normal.caller(t, d.agent), normal.register(t), somebody()
		c.link("account", d, person, who)
		c.lose("portico_session")
		refused := func(what, callback, reason string) {
			t.Helper()
			a := c.onward(c.get(callback))
			c.wantAgain(a, "account", d, reason, "")
			c.wantNobody("account")
			if n := c.exchanges(callback); n != 0 {
				t.Errorf("%s: the code was exchanged", what)
			}
		}
		fresh := func() string { return c.authorise("account", d, person) }
		refused("missing", with(fresh(), "state", ""), "wechat_failed")
		refused("empty", with(fresh(), "state", "")+"&state=", "wechat_failed")
		refused("made up", with(fresh(), "state", strings.Repeat("0f", 20)), "wechat_failed")
		refused("too long", with(fresh(), "state", strings.Repeat("0f", 900)), "wechat_failed")
		refused("in another case", func() string {
			callback := fresh()
			u, _ := url.Parse(callback)
			return with(callback, "state", strings.ToUpper(u.Query().Get("state")))
		}(), "wechat_failed")
		refused("another browser's", other.authorise("account", d, person), "wechat_failed")
		late := fresh()
		c.site.change(t, "UPDATE authorisations SET expires_at = ? WHERE id = ?", time.Now().Add(-time.Second).UnixMilli(), stateOf(late))
		refused("expired", late, "wechat_expired")

		done, second := fresh(), fresh()
		c.wantArrived(c.onward(c.get(done)), who.landing(d.on))
		c.lose("portico_session")
		u, _ := url.Parse(second)
		refused("used", with(done, "code", u.Query().Get("code")), "wechat_expired")
		c.site.change(t, "UPDATE authorisations SET used_at = ? WHERE id = ?", time.Now().Add(-3*time.Minute).UnixMilli(), stateOf(done))
		a := c.onward(c.get(done)) // the same callback, but long after
		c.wantAgain(a, "account", d, "wechat_expired", "")
		c.wantNobody("account")
		c.wantOneOf(who, 1)
	})
}

// The doors of the other provider and other companies do not take a callback.
func TestChatACallbackIsOfOneDoorAndOneCompany(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
		c.link("store1001", d, person, who)
		c.lose("portico_session")
		another := map[string]string{"/wechatpro": "/wechat/callback", "/wechat/callback": "/wechatpro"}[d.back]
		callback := c.authorise("store1001", d, person)
		c.begin("store1002", d) // so that it knows this browser
		for host, path := range map[string]string{
			"account": another, "store1001": another, "store1002": d.back, "astore1001": d.back, "": d.back,
		} {
			wrong := c.at(host, path) + callback[strings.Index(callback, "?"):]
			c.wantAt(c.onward(c.get(wrong)), host, "/jumperror")
			c.wantNobody(host)
		}
		if n := c.exchanges(callback); n != 0 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.wantArrived(c.onward(c.get(callback)), who.landing(d.on))
		c.wantOneOf(who, 1)

		const machine = "127.0.0.1" // on a developer's own the address names the company
		local := c.as(c.sentToApp(c.get(c.at(machine, d.begin)+"?companyId=1001")), person, "")
		c.wantAt(c.onward(c.get(local+"&companyId=1002")), machine, "/jumperror")
		c.wantNobody(machine)
	})
}

// The platform's applications know one host to come back to; from there it goes on to the host where it began.
func TestChatACallbackComesBackToTheCompanysHost(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		const host = "store1001"
		c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
		text := texts(t, c.lang)
		c.link(host, d, person, who)
		callback := c.authorise(host, d, person)
		if !strings.HasPrefix(callback, c.at("account", d.back)+"?") {
			t.Fatalf("the chat app comes back to %s", callback)
		}
		c.lose("portico_session")
		relayed := c.get(callback)
		if want := c.at(host, d.back) + "?"; relayed.status != http.StatusSeeOther || !strings.HasPrefix(relayed.to, want) {
			t.Fatalf("%d to %s, want %s", relayed.status, relayed.to, want)
		}
		c.wantNobody("account")
		c.wantLanded(c.onward(c.get(relayed.to)), who.landing(d.on))
		c.wantSession(host, who)
		c.wantNobody("account")
		for _, again := range []string{callback, relayed.to} { // the app asks twice, and reloads
			c.wantLanded(c.onward(c.get(again)), who.landing(d.on))
		}
		if n := c.exchanges(callback); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}

		lost := c.authorise(host, d, person)
		c.lose()
		a := c.onward(c.get(lost))
		c.wantAt(a, host, d.back)
		c.wantText(a, filled(text("chat.recognised_heading"), "account", masked(who.phone)))
		_, ask, _ := strings.Cut(a.text, `name="ask" value="`)
		ask, _, _ = strings.Cut(ask, `"`)
		c.wantLanded(c.onward(c.post(c.at(host, "/wechat/continue"), "ask", ask, "action", "continue")), who.landing(d.on))

		unknown := c.authorise(host, d, somebody())
		c.lose()
		c.wantAgain(c.onward(c.get(unknown)), host, d, "wechat_expired", "")
		c.wantOneOf(who, 1)
	})
}

// wantLanded is wantArrived, also behind the page that goes on to another domain by itself.
func (c *caller) wantLanded(a answer, want arrival) {
	c.t.Helper()
	if _, on, ok := strings.Cut(a.text, `http-equiv="refresh" content="0;url=`); ok {
		on, _, _ = strings.Cut(on, `"`)
		a = c.onward(c.get(on))
	}
	c.wantArrived(a, want)
}

func TestChatWhoDeclinesMayComeAgain(t *testing.T) {
	t.Parallel()
	d := wechatDoor // the others stay on their own page
	for _, host := range []string{"account", "store1001"} {
		c, person := normal.caller(t, d.agent), somebody()
		address := c.begin(host, d)
		declined := c.as(address, "nobody", "")
		for range 2 {
			c.wantAgain(c.onward(c.get(declined)), host, d, "wechat_failed", "")
			c.wantNobody(host)
		}
		c.wantAt(c.onward(c.get(c.as(address, person, ""))), host, "/wechat/link") // they went back and thought better of it
		if n := c.links(d, person); n != 0 {
			t.Error("somebody is linked")
		}
	}
}

// Each trouble of a chat app is told in the catalogue's words, with a way to authorise again that then works.
func TestChatEveryTroubleIsToldAndNoneSignsIn(t *testing.T) {
	t.Parallel()
	busyWords := map[string]string{"wechat": "api minute-quota reach limit must slower retry next minute", "wecom": "api freq out of limit"}
	troubles := []struct{ trouble, reason string }{
		{"expired", "wechat_expired"},
		{"used", "wechat_expired"},
		{"silence", "wechat_failed"},
		{"html", "wechat_failed"},
		{"busy", "wechat_failed"},
		{"state", "wechat_failed"},
		{"stale", ""},
		{"snapshot", "wechat_expired"},
	}
	langs := []string{"zh", "es", "en"}
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		for i, want := range troubles {
			if want.trouble == "stale" && d.provider != "wecom" || want.trouble == "snapshot" && d != wechatDoor {
				continue
			}
			if want.trouble == "silence" && d != wechatDoor && d != wecomQRDoor { // it takes its time
				continue
			}
			t.Run(want.trouble, func(t *testing.T) {
				t.Parallel()
				c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
				c.lang = langs[(i+len(d.name))%len(langs)]
				c.keep("account.localhost", []*http.Cookie{{Name: "lang", Value: c.lang}})
				c.link("account", d, person, who)
				c.lose("portico_session")
				detail := ""
				if want.trouble == "busy" {
					detail = busyWords[d.provider]
				}
				callback := c.as(c.begin("account", d), person, want.trouble)
				began := time.Now()
				answer := c.get(callback)
				took := time.Since(began)
				began = time.Now()
				_ = normal.caller(t, d.agent).get(c.site.at("account", "/agreement"))
				ordinary := time.Since(began) // for a page that asks no provider: it tells how busy the machine is
				if longest := 7*time.Second + 20*ordinary; took > longest {
					t.Errorf("it took %s, an ordinary page %s", took, ordinary)
				}
				a := c.onward(answer)
				switch silent := d == wecomDoor && want.reason == "wechat_failed" && want.trouble != "state"; {
				case want.reason == "":
					c.wantArrived(a, who.landing(d.on))
					return
				case silent: // the ordinary form, and what was said
					c.wantAt(a, "account", "/login")
					c.wantText(a, strings.TrimSpace(filled(texts(t, c.lang)("error."+want.reason), "detail", detail)), `name="password"`, `href="/wechatpro"`)
				default:
					c.wantAgain(a, "account", d, want.reason, detail)
				}
				c.wantNobody("account")
				c.wantOneOf(who, 1)
				if want.trouble != "state" && c.exchanges(callback) != 1 {
					t.Errorf("the code was exchanged %d times", c.exchanges(callback))
				}
				c.wantArrived(c.onward(c.get(c.authorise("account", d, person))), who.landing(d.on))
				c.wantOneOf(who, 1)
			})
		}
	})
}
