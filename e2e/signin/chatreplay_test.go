package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// forEachMethod runs a test for each of the four sign-in methods.
func forEachMethod(t *testing.T, test func(t *testing.T, method chatapp.Method)) {
	t.Helper()
	for _, method := range chatapp.Methods {
		t.Run(method.Name, func(t *testing.T) {
			t.Parallel()
			test(t, method)
		})
	}
}

// getTenTimesAtOnce requests a URL from ten windows of one browser at once and returns the answers.
func getTenTimesAtOnce(c *chatapp.Client, address string) []chatapp.Answer {
	c.T.Helper()
	pages := make([]chatapp.Answer, 10)
	var running sync.WaitGroup
	for i := range pages {
		window := c.OtherWindow()
		running.Go(func() { pages[i] = window.Get(address) })
	}
	running.Wait()
	return pages
}

func TestChatCallbackIsExchangedOnce(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		unknown := c.Authorise("account", method, person)
		for _, a := range getTenTimesAtOnce(c, unknown) {
			if a.Status != http.StatusSeeOther || a.Redirect != c.URL("account", "/wechat/link") {
				t.Errorf("%d to %s", a.Status, a.Redirect)
			}
		}
		for range 2 { // the app redirects twice, or the person reloads
			c.WantAt(c.FollowRedirects(c.Get(unknown)), "account", "/wechat/link")
		}
		c.WantNoSession("account")
		if n := c.Exchanges(unknown); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		if n := c.CountLinks(method, person); n != 0 {
			t.Errorf("an unknown person is connected to %d accounts", n)
		}

		c.WantArrived(c.Connect("account", method, person, who), steps.ShopOfPerson(who, method.On))
		c.WantOnePerson(who, 1)
		known := c.Authorise("account", method, person)
		for _, a := range getTenTimesAtOnce(c, known) {
			if to, _ := url.Parse(a.Redirect); a.Status != http.StatusSeeOther || to.Query().Get("auth_code_") == "" {
				t.Errorf("%d to %s", a.Status, a.Redirect)
			}
		}
		for range 2 {
			c.WantArrived(c.FollowRedirects(c.Get(known)), steps.ShopOfPerson(who, method.On))
		}
		c.WantSession("account", who)
		if n := c.Exchanges(known); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.WantOnePerson(who, 1)
	})
}

func TestChatCallbackWithoutItsCookieAsksBeforeSigningIn(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		text := program.Texts(t, c.Lang)
		unknown := c.Authorise("account", method, person)
		c.DropCookies()
		c.WantFailure(c.FollowRedirects(c.Get(unknown)), "account", method, "wechat_expired", "")
		c.WantNoSession("account")
		c.WantAt(c.FollowRedirects(c.Get(c.URL("account", "/wechat/link"))), "account", "/login")

		c.Connect("account", method, person, who)
		c.DropCookies()
		known := c.Authorise("account", method, person)
		c.DropCookies()
		ask := ""
		for range 2 { // the same after a reload
			a := c.Get(known)
			c.WantAt(a, "account", method.Back)
			c.WantText(a, program.FillIn(text("chat.recognised_heading"), "account", program.Masked(who.Phone)))
			c.WantNoSession("account")
			_, ask, _ = strings.Cut(a.Text, `name="ask" value="`)
			ask, _, _ = strings.Cut(ask, `"`)
		}
		next := c.URL("account", "/wechat/continue")
		for _, from := range []string{"", "cross-site", "same-site"} {
			if a := c.Send(
				http.MethodPost, next, from, []string{"ask", ask, "action", "continue"},
			); a.Status != http.StatusForbidden {
				t.Errorf("from %q: %d", from, a.Status)
			}
		}
		for _, wrong := range []string{"", ask[1:], ask + "x"} {
			c.WantAt(c.FollowRedirects(c.Post(next, "ask", wrong, "action", "continue")), "account", "/jumperror")
		}
		elsewhere := c.FollowRedirects(c.Post(c.URL("store1001", "/wechat/continue"), "ask", ask, "action", "continue"))
		c.WantAt(elsewhere, "store1001", "/jumperror")
		c.WantNoSession("account")
		c.WantArrived(
			c.FollowRedirects(c.Post(next, "ask", ask, "action", "continue")),
			steps.ShopOfPerson(who, method.On),
		)
		c.WantSession("account", who)
		if n := c.Exchanges(known); n != 1 {
			t.Errorf("the code was exchanged %d times", n)
		}
		c.WantOnePerson(who, 1)
	})
}

// An attacker sends a victim the callback of the attacker's own authorisation. It does not sign the victim in, and what
// the victim does later connects nothing to the attacker.
func TestChatCallbackOfAnAttackerSignsNobodyIn(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		attacker, stranger := browser.Normal.AddPerson(t), chatapp.NewPersonID()
		a := chatapp.NewClient(t, browser.Normal, method.Agent)
		known := chatapp.NewPersonID()
		a.Connect("account", method, known, attacker)
		victims := map[string]func(c *chatapp.Client, who program.Person){
			"new here":              func(*chatapp.Client, program.Person) {},
			"on the way themselves": func(c *chatapp.Client, _ program.Person) { c.Begin("account", method) },
			"signed in":             func(c *chatapp.Client, who program.Person) { signIn(c, who) },
			"signed in by the app": func(c *chatapp.Client, who program.Person) {
				c.Connect("account", method, chatapp.NewPersonID(), who)
			},
		}
		for name, come := range victims {
			t.Run(name, func(t *testing.T) {
				v, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
				come(v, who)
				before := v.Cookie("account", "portico_session")
				flow := v.Cookie("account", "portico_flow") != ""
				for person, asked := range map[string]bool{known: !flow, stranger: false} {
					got := v.FollowRedirects(v.Get(a.Authorise("account", method, person)))
					if asked { // the page names the account that it would sign in
						v.WantAt(got, "account", method.Back)
						v.WantText(
							got,
							program.FillIn(
								program.Texts(t, v.Lang)("chat.recognised_heading"),
								"account",
								program.Masked(attacker.Phone),
							),
						)
						v.DropCookies("portico_flow")
					} else {
						v.WantAt(got, "account", "/jumperror")
					}
					if v.Cookie("account", "portico_session") != before ||
						v.Cookie("account", "portico_identity") != "" {
						t.Error("the callback changed something")
					}
				}
				signIn(v, who)
				v.WantSession("account", who)
				v.WantAt(v.FollowRedirects(v.Get(v.URL("account", "/wechat/link"))), "account", "/login")
				v.WantAt(
					v.FollowRedirects(
						v.Post(v.URL("account", "/wechat/link"), "phone", who.Phone, "password", program.Password),
					),
					"account",
					"/login",
				)
				v.WantAt(
					v.FollowRedirects(v.Post(v.URL("account", "/wechat/confirm"), "action", "link")),
					"account",
					"/login",
				)
				if n := a.CountLinks(method, stranger); n != 0 {
					t.Error("the stranger is connected to an account")
				}
			})
		}
		a.WantOnePerson(attacker, 1)
	})
}

// The cookies of one browser's sign-in are not valid in another browser.
func TestChatCookiesOfAnotherBrowserAreInvalid(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	method := chatapp.WeChat
	a := chatapp.NewClient(t, browser.Normal, method.Agent)
	v, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
	person := chatapp.NewPersonID()
	a.FollowRedirects(a.Get(a.Authorise("account", method, person)))
	a.Post(a.URL("account", "/wechat/link"), "phone", who.Phone, "password", program.Password)
	v.Begin("account", method)
	for _, name := range []string{"portico_identity", "portico_linking"} {
		stolen := a.Cookie("account", name)
		if stolen == "" {
			t.Fatalf("there is no %s", name)
		}
		v.KeepCookies("account.localhost", []*http.Cookie{{Name: name, Value: stolen}})
	}
	for _, path := range []string{"/wechat/link", "/register/wechat"} {
		v.WantAt(v.FollowRedirects(v.Get(v.URL("account", path))), "account", "/login")
		v.KeepCookies(
			"account.localhost",
			[]*http.Cookie{{Name: "portico_identity", Value: a.Cookie("account", "portico_identity")}},
		)
	}
	v.WantAt(v.FollowRedirects(v.Post(v.URL("account", "/wechat/confirm"), "action", "link")), "account", "/jumperror")
	v.WantNoSession("account")
	if n := v.CountLinks(method, person); n != 0 {
		t.Error("the person is connected to an account")
	}
}

// signIn signs in with a phone and its password.
func signIn(c *chatapp.Client, who program.Person) {
	c.T.Helper()
	c.FollowRedirects(c.Post(c.URL("account", "/login"), "phone", who.Phone, "password", program.Password))
	c.WantSession("account", who)
}

func TestChatTwoSimultaneousAuthorisationsBothSignIn(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c := chatapp.NewClient(t, browser.Normal, method.Agent)
		first, second := browser.Normal.AddPerson(t), browser.Normal.AddPerson(t)
		one, two := chatapp.NewPersonID(), chatapp.NewPersonID()
		c.Connect("account", method, one, first)
		c.Connect("account", method, two, second)
		begun, later := c.Begin("account", method), c.Begin("account", method)
		inOrder, outOfOrder := c.AuthoriseAs(later, two, ""), c.AuthoriseAs(begun, one, "")
		c.WantArrived(c.FollowRedirects(c.Get(inOrder)), steps.ShopOfPerson(second, method.On))
		c.WantSession("account", second)
		c.WantArrived(c.FollowRedirects(c.Get(outOfOrder)), steps.ShopOfPerson(first, method.On))
		c.WantSession("account", first)
		c.WantOnePerson(first, 1)
		c.WantOnePerson(second, 1)
	})
}

func TestChatGoingBackConnectsNothingTwice(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	method := chatapp.WeChat
	c, who, person := chatapp.NewClient(
		t,
		browser.Normal,
		method.Agent,
	), browser.Normal.AddPerson(
		t,
	), chatapp.NewPersonID()
	callback := c.Authorise("account", method, person)
	c.FollowRedirects(c.Get(callback))
	link, confirm := c.URL("account", "/wechat/link"), c.URL("account", "/wechat/confirm")
	c.Post(link, "phone", who.Phone, "password", program.Password)
	before := c.OtherWindow()
	c.WantArrived(c.FollowRedirects(c.Post(confirm, "action", "link")), steps.ShopOfPerson(who, method.On))
	for range 2 {
		c.WantAt(c.FollowRedirects(c.Post(confirm, "action", "link")), "account", "/login")
		c.WantAt(c.FollowRedirects(c.Post(link, "phone", who.Phone, "password", program.Password)), "account", "/login")
	}
	c.WantArrived(
		c.FollowRedirects(c.Get(callback)), steps.ShopOfPerson(who, method.On),
	) // the callback again, after signing in
	c.WantOnePerson(who, 1)

	other := browser.Normal.AddPerson(t) // an older window continues; the connection stays as it is
	before.WantArrived(
		before.FollowRedirects(before.Post(confirm, "action", "link")),
		steps.ShopOfPerson(who, method.On),
	)
	before = c.OtherWindow()
	before.DropCookies("portico_session")
	before.WantArrived(
		before.FollowRedirects(
			before.Get(before.Authorise("account", method, person)),
		),
		steps.ShopOfPerson(who, method.On),
	)
	c.WantOnePerson(who, 1)
	c.WantOnePerson(other, 0)
}

// stateOf returns the id of a callback's row in the table of authorisations.
func stateOf(callback string) string {
	u, _ := url.Parse(callback)
	sum := sha256.Sum256([]byte(u.Query().Get("state")))
	return hex.EncodeToString(sum[:])
}
