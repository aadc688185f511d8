package e2e

import (
	"strings"
	"testing"
)

// linkTo is where a page leads by a text.
func (c *caller) linkTo(a answer, text string) string {
	c.t.Helper()
	before, _, found := strings.Cut(a.text, ">"+text+"</a>")
	i := strings.LastIndex(before, `href="`)
	if !found || i < 0 {
		c.t.Fatalf("%s has no way %q:\n%s", a.at, text, a.seen())
	}
	href, _, _ := strings.Cut(before[i+len(`href="`):], `"`)
	return c.at("account", href)
}

// Work-chat signs in by itself; who wants another way, or is somebody else, gets the form and keeps it.
func TestChatAnotherWayThanWorkChatIsTheForm(t *testing.T) {
	t.Parallel()
	d := wecomDoor
	c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
	text := texts(t, c.lang)
	wantForm := func(a answer, what string) {
		t.Helper()
		c.lose("portico_silent") // a while later
		next := c.linkTo(a, what)
		for _, address := range []string{next, c.at("account", "/login/account"), c.at("account", "/login"), c.at("account", "/login")} {
			a := c.onward(c.get(address))
			c.wantText(a, `name="password"`)
			if strings.Contains(a.text, `http-equiv="refresh"`) {
				t.Fatalf("after %q, %s signs in by itself", what, address)
			}
		}
		c.wantNobody("account")
	}
	silent := c.get(c.at("account", "/login"))
	c.wantText(silent, text("chat.silent_heading"), `http-equiv="refresh"`)
	wantForm(silent, text("chat.otherwise"))
	wantForm(c.onward(c.get(c.authorise("account", d, person))), text("chat.otherwise"))
	wantForm(c.onward(c.get(c.at("account", "/register/wechat"))), text("register.to_login"))
	wantForm(c.onward(c.get(c.as(c.begin("account", d), person, "expired"))), text("chat.otherwise"))

	c.link("account", d, person, who)
	callback := c.authorise("account", d, person)
	c.lose()
	wantForm(c.get(callback), text("chat.recognised_not"))
}

// A form whose browser has lost who came, or took too long, says so: nothing is done, and authorising again is one tap.
func TestChatWhatComesTooLateSaysSo(t *testing.T) {
	t.Parallel()
	throughEachDoor(t, func(t *testing.T, d chatDoor) {
		c, who, person := normal.caller(t, d.agent), normal.register(t), somebody()
		for _, path := range []string{"/wechat/link", "/wechat/link/account", "/wechat/link/code", "/register/wechat"} {
			c.wantAt(c.onward(c.get(c.authorise("account", d, person))), "account", "/wechat/link")
			c.lose("portico_identity") // it ends with its ticket
			c.wantAgain(c.onward(c.post(c.at("account", path), "phone", who.phone, "login", who.login, "password", password, "code", "123456")), "account", d, "wechat_expired", "")
		}
		c.onward(c.get(c.authorise("account", d, person)))
		confirm := c.at("account", "/wechat/confirm")
		prove := func() {
			t.Helper()
			c.wantAt(c.onward(c.get(c.authorise("account", d, person))), "account", "/wechat/link")
			c.wantAt(c.onward(c.post(c.at("account", "/wechat/link"), "phone", who.phone, "password", password)), "account", "/wechat/confirm")
			c.site.change(t, "UPDATE phones SET password_hash = password_hash || ' ' WHERE phone = ?", who.phone) // it is another by now
		}
		restore := func() {
			c.site.change(t, "UPDATE phones SET password_hash = TRIM(password_hash) WHERE phone = ?", who.phone)
		}
		prove()
		c.wantAgain(c.onward(c.get(confirm)), "account", d, "wechat_expired", "")
		restore()
		prove()
		c.wantAgain(c.onward(c.post(confirm, "action", "link")), "account", d, "wechat_expired", "")
		restore()
		c.wantNobody("account")
		if n := c.links(d, person); n != 0 {
			t.Error("somebody is linked")
		}
		c.wantOneOf(who, 0)
	})
}
