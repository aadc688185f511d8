package signin

import (
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// updateDatabase changes the database of the running server in a way that no operation does.
func updateDatabase(t *testing.T, s *program.Server, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+s.DatabaseFile+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// withParameters replaces parameters of a callback. "" removes one.
func withParameters(callback string, pairs ...string) string {
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

// A state is valid once, in the browser that began, for a limited time. That also holds for a person whom the callback
// would sign in.
func TestChatStateIsValidOnceInItsBrowserForALimitedTime(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c := chatapp.NewClient(t, browser.Normal, method.Agent)
		other, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		c.Connect("account", method, person, who)
		c.DropCookies("portico_session")
		refused := func(what, callback, reason string) {
			t.Helper()
			a := c.FollowRedirects(c.Get(callback))
			c.WantFailure(a, "account", method, reason, "")
			c.WantNoSession("account")
			if n := c.Exchanges(callback); n != 0 {
				t.Errorf("%s: the code was exchanged", what)
			}
		}
		newCallback := func() string { return c.Authorise("account", method, person) }
		refused("missing", withParameters(newCallback(), "state", ""), "wechat_failed")
		refused("empty", withParameters(newCallback(), "state", "")+"&state=", "wechat_failed")
		refused("made up", withParameters(newCallback(), "state", strings.Repeat("0f", 20)), "wechat_failed")
		refused("too long", withParameters(newCallback(), "state", strings.Repeat("0f", 900)), "wechat_failed")
		refused("in another case", func() string {
			callback := newCallback()
			u, _ := url.Parse(callback)
			return withParameters(callback, "state", strings.ToUpper(u.Query().Get("state")))
		}(), "wechat_failed")
		refused("another browser's", other.Authorise("account", method, person), "wechat_failed")
		late := newCallback()
		updateDatabase(
			t,
			c.Server,
			"UPDATE authorisations SET expires_at = ? WHERE id = ?",
			time.Now().Add(-time.Second).UnixMilli(),
			stateOf(late),
		)
		refused("expired", late, "wechat_expired")

		done, second := newCallback(), newCallback()
		c.WantArrived(c.FollowRedirects(c.Get(done)), steps.ShopOfPerson(who, method.On))
		c.DropCookies("portico_session")
		u, _ := url.Parse(second)
		refused("used", withParameters(done, "code", u.Query().Get("code")), "wechat_expired")
		updateDatabase(
			t,
			c.Server,
			"UPDATE authorisations SET used_at = ? WHERE id = ?",
			time.Now().Add(-3*time.Minute).UnixMilli(),
			stateOf(done),
		)
		a := c.FollowRedirects(c.Get(done)) // the same callback, long afterwards
		c.WantFailure(a, "account", method, "wechat_expired", "")
		c.WantNoSession("account")
		c.WantOnePerson(who, 1)
	})
}

// A callback is valid only for the provider and the company for which it was requested.
func TestChatCallbackIsValidForOneProviderAndOneCompany(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		c.Connect("store1001", method, person, who)
		c.DropCookies("portico_session")
		another := map[string]string{"/wechatpro": "/wechat/callback", "/wechat/callback": "/wechatpro"}[method.Back]
		callback := c.Authorise("store1001", method, person)
		c.Begin("store1002", method) // gives this browser a cookie on that host
		for host, path := range map[string]string{
			"account": another, "store1001": another,
			"store1002": method.Back, "astore1001": method.Back, "": method.Back,
		} {
			wrong := c.URL(host, path) + callback[strings.Index(callback, "?"):]
			c.WantAt(c.FollowRedirects(c.Get(wrong)), host, "/jumperror")
			c.WantNoSession(host)
		}
		if n := c.Exchanges(callback); n != 0 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.WantArrived(c.FollowRedirects(c.Get(callback)), steps.ShopOfPerson(who, method.On))
		c.WantOnePerson(who, 1)

		const machine = "127.0.0.1" // on a developer's machine the URL names the company
		local := c.AuthoriseAs(c.RedirectToApp(c.Get(c.URL(machine, method.Begin)+"?companyId=1001")), person, "")
		c.WantAt(c.FollowRedirects(c.Get(local+"&companyId=1002")), machine, "/jumperror")
		c.WantNoSession(machine)
	})
}

// A chat application of the platform may redirect to one host only. That host redirects to the one on which the sign-in
// began.
func TestChatCallbackRedirectsToTheCompanysHost(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		const host = "store1001"
		c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		text := program.Texts(t, c.Lang)
		c.Connect(host, method, person, who)
		callback := c.Authorise(host, method, person)
		if !strings.HasPrefix(callback, c.URL("account", method.Back)+"?") {
			t.Fatalf("the chat app comes back to %s", callback)
		}
		c.DropCookies("portico_session")
		relayed := c.Get(callback)
		if want := c.URL(host, method.Back) + "?"; relayed.Status != http.StatusSeeOther ||
			!strings.HasPrefix(relayed.Redirect, want) {
			t.Fatalf("%d to %s, want %s", relayed.Status, relayed.Redirect, want)
		}
		c.WantNoSession("account")
		wantLanded(c, c.FollowRedirects(c.Get(relayed.Redirect)), steps.ShopOfPerson(who, method.On))
		c.WantSession(host, who)
		c.WantNoSession("account")
		for _, again := range []string{callback, relayed.Redirect} { // the app redirects twice
			wantLanded(c, c.FollowRedirects(c.Get(again)), steps.ShopOfPerson(who, method.On))
		}
		if n := c.Exchanges(callback); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}

		lost := c.Authorise(host, method, person)
		c.DropCookies()
		a := c.FollowRedirects(c.Get(lost))
		c.WantAt(a, host, method.Back)
		c.WantText(a, program.FillIn(text("chat.recognised_heading"), "account", program.Masked(who.Phone)))
		_, ask, _ := strings.Cut(a.Text, `name="ask" value="`)
		ask, _, _ = strings.Cut(ask, `"`)
		wantLanded(
			c,
			c.FollowRedirects(c.Post(c.URL(host, "/wechat/continue"), "ask", ask, "action", "continue")),
			steps.ShopOfPerson(who, method.On),
		)

		unknown := c.Authorise(host, method, chatapp.NewPersonID())
		c.DropCookies()
		c.WantFailure(c.FollowRedirects(c.Get(unknown)), host, method, "wechat_expired", "")
		c.WantOnePerson(who, 1)
	})
}

// wantLanded is WantArrived. It also follows the page that leads to another domain by itself.
func wantLanded(c *chatapp.Client, a chatapp.Answer, want browser.Arrival) {
	c.T.Helper()
	if _, on, ok := strings.Cut(a.Text, `http-equiv="refresh" content="0;url=`); ok {
		on, _, _ = strings.Cut(on, `"`)
		a = c.FollowRedirects(c.Get(on))
	}
	c.WantArrived(a, want)
}

func TestChatPersonWhoDeclinedCanTryAgain(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	method := chatapp.WeChat // the other methods stay on their own page
	for _, host := range []string{"account", "store1001"} {
		c, person := chatapp.NewClient(t, browser.Normal, method.Agent), chatapp.NewPersonID()
		address := c.Begin(host, method)
		declined := c.AuthoriseAs(address, "nobody", "")
		for range 2 {
			c.WantFailure(c.FollowRedirects(c.Get(declined)), host, method, "wechat_failed", "")
			c.WantNoSession(host)
		}
		c.WantAt(
			c.FollowRedirects(c.Get(c.AuthoriseAs(address, person, ""))), host, "/wechat/link",
		) // the person went back and agreed
		if n := c.CountLinks(method, person); n != 0 {
			t.Error("the person is connected to an account")
		}
	}
}

// Every failure of a chat app shows the text of its refusal, and a link that starts again, which works.
func TestChatEveryFailureShowsItsReasonAndSignsNobodyIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	busyWords := map[string]string{
		"wechat": "api minute-quota reach limit must slower retry next minute",
		"wecom":  "api freq out of limit",
	}
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
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		for i, want := range troubles {
			if want.trouble == "stale" && method.Provider != "wecom" ||
				want.trouble == "snapshot" && method != chatapp.WeChat {
				continue
			}
			if want.trouble == "silence" && method != chatapp.WeChat &&
				method != chatapp.WeComQR { // slow, so only two methods
				continue
			}
			t.Run(want.trouble, func(t *testing.T) {
				t.Parallel()
				c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
				person := chatapp.NewPersonID()
				c.Lang = langs[(i+len(method.Name))%len(langs)]
				c.KeepCookies("account.localhost", []*http.Cookie{{Name: "lang", Value: c.Lang}})
				c.Connect("account", method, person, who)
				c.DropCookies("portico_session")
				detail := ""
				if want.trouble == "busy" {
					detail = busyWords[method.Provider]
				}
				callback := c.AuthoriseAs(c.Begin("account", method), person, want.trouble)
				began := time.Now()
				answer := c.Get(callback)
				took := time.Since(began)
				began = time.Now()
				_ = chatapp.NewClient(t, browser.Normal, method.Agent).Get(c.Server.URL("account", "/agreement"))
				ordinary := time.Since(began) // a page that needs no provider shows how busy the machine is
				if longest := 7*time.Second + 20*ordinary; took > longest {
					t.Errorf("it took %s, an ordinary page %s", took, ordinary)
				}
				a := c.FollowRedirects(answer)
				switch silent := method == chatapp.WeCom && want.reason == "wechat_failed" && want.trouble != "state"; {
				case want.reason == "":
					c.WantArrived(a, steps.ShopOfPerson(who, method.On))
					return
				case silent: // the ordinary form, with the refusal
					c.WantAt(a, "account", "/login")
					c.WantText(
						a,
						strings.TrimSpace(
							program.FillIn(program.Texts(t, c.Lang)("error."+want.reason), "detail", detail),
						),
						`name="password"`,
						`href="/wechatpro"`,
					)
				default:
					c.WantFailure(a, "account", method, want.reason, detail)
				}
				c.WantNoSession("account")
				c.WantOnePerson(who, 1)
				if want.trouble != "state" && c.Exchanges(callback) != 1 {
					t.Errorf("the code was exchanged %d times", c.Exchanges(callback))
				}
				c.WantArrived(
					c.FollowRedirects(
						c.Get(c.Authorise("account", method, person)),
					),
					steps.ShopOfPerson(who, method.On),
				)
				c.WantOnePerson(who, 1)
			})
		}
	})
}
