package signin

import (
	"strings"
	"testing"

	"portico/e2e/browser"
	"portico/e2e/chatapp"
	"portico/e2e/program"
	"portico/e2e/testscope"
)

// linkWithText returns the URL of the link with a text.
func linkWithText(c *chatapp.Client, a chatapp.Answer, text string) string {
	c.T.Helper()
	before, _, found := strings.Cut(a.Text, ">"+text+"</a>")
	i := strings.LastIndex(before, `href="`)
	if !found || i < 0 {
		c.T.Fatalf("%s has no link %q:\n%s", a.Address, text, a.VisibleText())
	}
	href, _, _ := strings.Cut(before[i+len(`href="`):], `"`)
	return c.URL("account", href)
}

// WeCom signs in without a question. A person who wants another way, or is another person, gets the form, and the form
// stays.
func TestChatPersonCanUseTheFormInsteadOfWeCom(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	method := chatapp.WeCom
	c, who, person := chatapp.NewClient(
		t,
		browser.Normal,
		method.Agent,
	), browser.Normal.AddPerson(
		t,
	), chatapp.NewPersonID()
	text := program.Texts(t, c.Lang)
	wantForm := func(a chatapp.Answer, what string) {
		t.Helper()
		c.DropCookies("portico_silent") // a while later
		next := linkWithText(c, a, what)
		for _, address := range []string{
			next, c.URL("account", "/login/account"), c.URL("account", "/login"), c.URL("account", "/login"),
		} {
			a := c.FollowRedirects(c.Get(address))
			c.WantText(a, `name="password"`)
			if strings.Contains(a.Text, `http-equiv="refresh"`) {
				t.Fatalf("after %q, %s signs in by itself", what, address)
			}
		}
		c.WantNoSession("account")
	}
	silent := c.Get(c.URL("account", "/login"))
	c.WantText(silent, text("chat.silent_heading"), `http-equiv="refresh"`)
	wantForm(silent, text("chat.otherwise"))
	wantForm(c.FollowRedirects(c.Get(c.Authorise("account", method, person))), text("chat.otherwise"))
	wantForm(c.FollowRedirects(c.Get(c.URL("account", "/register/wechat"))), text("register.to_login"))
	wantForm(
		c.FollowRedirects(c.Get(c.AuthoriseAs(c.Begin("account", method), person, "expired"))),
		text("chat.otherwise"),
	)

	c.Connect("account", method, person, who)
	callback := c.Authorise("account", method, person)
	c.DropCookies()
	wantForm(c.Get(callback), text("chat.recognised_not"))
}

// A form whose browser has lost its cookie, or that comes too late, says so. It changes nothing, and one tap starts
// again.
func TestChatExpiredFormSaysSoAndChangesNothing(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "its rules are tested in portal/signin")
	forEachMethod(t, func(t *testing.T, method chatapp.Method) {
		c, who := chatapp.NewClient(t, browser.Normal, method.Agent), browser.Normal.AddPerson(t)
		person := chatapp.NewPersonID()
		for _, path := range []string{"/wechat/link", "/wechat/link/account", "/wechat/link/code", "/register/wechat"} {
			c.WantAt(c.FollowRedirects(c.Get(c.Authorise("account", method, person))), "account", "/wechat/link")
			c.DropCookies("portico_identity") // the cookie ends with its ticket
			c.WantFailure(
				c.FollowRedirects(
					c.Post(
						c.URL("account", path),
						"phone",
						who.Phone,
						"login",
						who.Login,
						"password",
						program.Password,
						"code",
						"123456",
					),
				),
				"account",
				method,
				"wechat_expired",
				"",
			)
		}
		c.FollowRedirects(c.Get(c.Authorise("account", method, person)))
		confirm := c.URL("account", "/wechat/confirm")
		prove := func() {
			t.Helper()
			c.WantAt(c.FollowRedirects(c.Get(c.Authorise("account", method, person))), "account", "/wechat/link")
			c.WantAt(
				c.FollowRedirects(
					c.Post(c.URL("account", "/wechat/link"), "phone", who.Phone, "password", program.Password),
				),
				"account",
				"/wechat/confirm",
			)
			updateDatabase(
				t, c.Server, "UPDATE phones SET password_hash = password_hash || ' ' WHERE phone = ?", who.Phone,
			) // the password has changed
		}
		restore := func() {
			updateDatabase(
				t,
				c.Server,
				"UPDATE phones SET password_hash = TRIM(password_hash) WHERE phone = ?",
				who.Phone,
			)
		}
		prove()
		c.WantFailure(c.FollowRedirects(c.Get(confirm)), "account", method, "wechat_expired", "")
		restore()
		prove()
		c.WantFailure(c.FollowRedirects(c.Post(confirm, "action", "link")), "account", method, "wechat_expired", "")
		restore()
		c.WantNoSession("account")
		if n := c.CountLinks(method, person); n != 0 {
			t.Error("the person is connected to an account")
		}
		c.WantOnePerson(who, 0)
	})
}
