package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// wantNothingTold looks for secrets in an answer. State and code are in the addresses alone that carry them there and back.
func (c *caller) wantNothingTold(a answer, headers http.Header) {
	c.t.Helper()
	rest := headers.Clone()
	to, _ := url.Parse(a.to)
	if carries := strings.HasPrefix(to.Path, "/dev/wechat/") || slices.ContainsFunc(chatDoors, func(d chatDoor) bool { return d.back == to.Path }); carries {
		rest.Del("Location")
	}
	text := fmt.Sprint(rest) + a.text
	c.mu.Lock()
	defer c.mu.Unlock()
	told := unsaid.FindAllString(fmt.Sprint(headers)+a.text, -1)
	for _, secret := range c.states {
		if strings.Contains(text, secret) {
			told = append(told, secret)
		}
	}
	if len(told) > 0 {
		c.t.Errorf("%s tells %q", a.at, told)
	}
}

// wantAt checks that a page is this one and was given.
func (c *caller) wantAt(a answer, host, path string) {
	c.t.Helper()
	got, _ := url.Parse(a.at)
	if want, _ := url.Parse(c.at(host, path)); got.Host != want.Host || got.Path != want.Path || a.status != http.StatusOK {
		c.t.Fatalf("%d at %s, want %s\n%s", a.status, a.at, want, a.seen())
	}
}

func (c *caller) wantText(a answer, wanted ...string) {
	c.t.Helper()
	for _, want := range wanted {
		if !strings.Contains(a.text, want) {
			c.t.Errorf("%s does not show %q:\n%s", a.at, want, a.seen())
		}
	}
}

// wantArrived checks that somebody landed.
func (c *caller) wantArrived(a answer, want arrival) {
	c.t.Helper()
	c.wantAt(a, want.host, want.path)
	c.wantText(a, want.holder, want.company)
}

// wantNobody checks that a host signs nobody in.
func (c *caller) wantNobody(host string) {
	c.t.Helper()
	if c.cookie(host, "portico_session") != "" {
		c.t.Errorf("there is a session on %s", host)
	}
}

// wantSession checks whom a host signs in, by the page that offers to go on.
func (c *caller) wantSession(host string, who newcomer) {
	c.t.Helper()
	c.wantText(c.get(c.at(host, "/login?form=1")), filled(texts(c.t, c.lang)("login.already"), "who", masked(who.phone)))
}

// wantAgain checks the page of an authorisation that failed: what is said, and the one button that authorises again.
func (c *caller) wantAgain(a answer, host string, d chatDoor, reason, detail string) {
	c.t.Helper()
	text := texts(c.t, c.lang)
	c.wantAt(a, host, "/jumperror")
	c.wantText(a, strings.TrimSpace(filled(text("error."+reason), "detail", detail)), text("chat.again"))
	if n := strings.Count(a.text, `href="`+d.begin+`"`); n != 1 {
		c.t.Errorf("%d ways to authorise again:\n%s", n, a.seen())
	}
	c.sentToApp(c.get(c.at(host, d.begin)))
}

// links counts the links of somebody at an application: one, or none.
func (c *caller) links(d chatDoor, person string) int {
	c.t.Helper()
	var who struct{ OpenID, UserID string }
	if err := json.Unmarshal([]byte(c.get(c.site.at("", "/dev/wechat/code.json?app="+d.app+"&person="+person)).text), &who); err != nil {
		c.t.Fatal(err)
	}
	subject := who.OpenID
	if d.provider == "wecom" {
		subject = "open:" + who.OpenID
	}
	if who.UserID != "" {
		subject = "user:" + strings.ToLower(who.UserID)
	}
	return c.site.count(c.t, "SELECT COUNT(*) FROM identities WHERE provider = ? AND app = ? AND subject = ?", d.provider, d.app, subject)
}

// wantOneOf checks that somebody is one person with one account still, and how many apps sign them in.
func (c *caller) wantOneOf(who newcomer, links int) {
	c.t.Helper()
	for what, want := range map[string]int{
		"SELECT COUNT(*) FROM phones WHERE phone = ?":                                            1,
		"SELECT COUNT(*) FROM accounts a JOIN phones p ON p.id = a.phone_id WHERE p.phone = ?":   1,
		"SELECT COUNT(*) FROM identities i JOIN phones p ON p.id = i.phone_id WHERE p.phone = ?": links,
	} {
		if n := c.site.count(c.t, what, who.phone); n != want {
			c.t.Errorf("%d of %s, want %d", n, what, want)
		}
	}
}
