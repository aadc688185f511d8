package chatapp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/e2e/browser"
	"portico/e2e/program"
)

// wantNoSecrets checks that an answer contains no secret. State and code may appear only in the URLs that carry them to
// the chat app and back.
func (c *Client) wantNoSecrets(a Answer, headers http.Header) {
	c.T.Helper()
	rest := headers.Clone()
	to, _ := url.Parse(a.Redirect)
	if carries := strings.HasPrefix(to.Path, "/dev/wechat/") ||
		slices.ContainsFunc(Methods, func(method Method) bool { return method.Back == to.Path }); carries {
		rest.Del("Location")
	}
	text := fmt.Sprint(rest) + a.Text
	c.mu.Lock()
	defer c.mu.Unlock()
	found := program.ChatAppSecrets.FindAllString(fmt.Sprint(headers)+a.Text, -1)
	for _, secret := range c.states {
		if strings.Contains(text, secret) {
			found = append(found, secret)
		}
	}
	if len(found) > 0 {
		c.T.Errorf("%s contains %q", a.Address, found)
	}
}

// WantAt checks the host and path of an answer, and that its status is 200.
func (c *Client) WantAt(a Answer, host, path string) {
	c.T.Helper()
	got, _ := url.Parse(a.Address)
	if want, _ := url.Parse(c.URL(host, path)); got.Host != want.Host || got.Path != want.Path ||
		a.Status != http.StatusOK {
		c.T.Fatalf("%d at %s, want %s\n%s", a.Status, a.Address, want, a.VisibleText())
	}
}

// WantText checks that an answer contains some texts.
func (c *Client) WantText(a Answer, wanted ...string) {
	c.T.Helper()
	for _, want := range wanted {
		if !strings.Contains(a.Text, want) {
			c.T.Errorf("%s does not show %q:\n%s", a.Address, want, a.VisibleText())
		}
	}
}

// WantArrived checks that a sign-in has ended on a page.
func (c *Client) WantArrived(a Answer, want browser.Arrival) {
	c.T.Helper()
	c.WantAt(a, want.Host, want.Path)
	c.WantText(a, want.Holder, want.Company)
}

// WantNoSession checks that the client has no session on a host.
func (c *Client) WantNoSession(host string) {
	c.T.Helper()
	if c.Cookie(host, "portico_session") != "" {
		c.T.Errorf("there is a session on %s", host)
	}
}

// WantSession checks that the client is signed in on a host as a person. The sign-in page names that person.
func (c *Client) WantSession(host string, who program.Person) {
	c.T.Helper()
	c.WantText(
		c.Get(c.URL(host, "/login?form=1")),
		program.FillIn(program.Texts(c.T, c.Lang)("login.already"), "who", program.Masked(who.Phone)),
	)
}

// WantFailure checks the page of a failed authorisation: it shows the text of the refusal and has exactly one link that
// starts again. The link works.
func (c *Client) WantFailure(a Answer, host string, method Method, reason, detail string) {
	c.T.Helper()
	text := program.Texts(c.T, c.Lang)
	c.WantAt(a, host, "/jumperror")
	c.WantText(a, strings.TrimSpace(program.FillIn(text("error."+reason), "detail", detail)), text("chat.again"))
	if n := strings.Count(a.Text, `href="`+method.Begin+`"`); n != 1 {
		c.T.Errorf("%d ways to authorise again:\n%s", n, a.VisibleText())
	}
	c.RedirectToApp(c.Get(c.URL(host, method.Begin)))
}

// CountLinks returns how many stored identities a person of a chat app has, 0 or 1.
func (c *Client) CountLinks(method Method, person string) int {
	c.T.Helper()
	var who struct{ OpenID, UserID string }
	if err := json.Unmarshal(
		[]byte(c.Get(c.Server.URL("", "/dev/wechat/code.json?app="+method.app+"&person="+person)).Text), &who,
	); err != nil {
		c.T.Fatal(err)
	}
	subject := who.OpenID
	if method.Provider == "wecom" {
		subject = "open:" + who.OpenID
	}
	if who.UserID != "" {
		subject = "user:" + strings.ToLower(who.UserID)
	}
	return c.Server.Count(
		c.T,
		"SELECT COUNT(*) FROM identities WHERE provider = ? AND app = ? AND subject = ?",
		method.Provider,
		method.app,
		subject,
	)
}

// WantOnePerson checks that a person still has one phone and one account, and how many chat apps are connected to them.
func (c *Client) WantOnePerson(who program.Person, links int) {
	c.T.Helper()
	for what, want := range map[string]int{
		"SELECT COUNT(*) FROM phones WHERE phone = ?":                                            1,
		"SELECT COUNT(*) FROM accounts a JOIN phones p ON p.id = a.phone_id WHERE p.phone = ?":   1,
		"SELECT COUNT(*) FROM identities i JOIN phones p ON p.id = i.phone_id WHERE p.phone = ?": links,
	} {
		if n := c.Server.Count(c.T, what, who.Phone); n != want {
			c.T.Errorf("%d of %s, want %d", n, what, want)
		}
	}
}
