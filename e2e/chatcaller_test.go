package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The User-Agents of the places a page is shown in.
const (
	wechatIOS     = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.50(0x18003231) NetType/WIFI Language/zh_CN"
	wechatAndroid = "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240605.024; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160117 MMWEBSDK/20240501 MicroMessenger/8.0.50.2701(0x28003252) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64"
	wecomAgent    = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 wxwork/4.1.22 MicroMessenger/7.0.1 Language/zh ColorScheme/Light"
	miniAgent     = wechatAndroid + " miniProgram/wx57a9d11e0ff1c1a1"
	wrapperAgent  = mobileAgent + " PorticoApp/1.4.0 (Android)"
	desktopAgent  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
)

// chatDoor is one of the four ways in by a chat app.
type chatDoor struct {
	name, agent, begin, back, provider, app string
	on                                      screen
}

var (
	wechatDoor   = chatDoor{"WeChat", wechatAndroid, "/wechat", "/wechat/callback", "wechat", "wx57a9d11e0ff1c1a1", phone}
	wechatQRDoor = chatDoor{"WeChat's QR code", desktopAgent, "/wechat", "/wechat/callback", "wechat", "wx57a9d11e05ca99ed", desktop}
	wecomDoor    = chatDoor{"work-chat", wecomAgent, "/wechatpro", "/wechatpro", "wecom", "ww57a9d11e0c0c0c0c", phone}
	wecomQRDoor  = chatDoor{"work-chat's QR code", desktopAgent, "/wechatpro", "/wechatpro", "wecom", "ww57a9d11e0c0c0c0c", desktop}
	chatDoors    = []chatDoor{wechatDoor, wechatQRDoor, wecomDoor, wecomQRDoor}
)

// somebody is a person at a chat app whom no other test knows.
func somebody() string {
	return "n." + base64.RawURLEncoding.EncodeToString([]byte("网友"+newPhone()[7:]))
}

// caller is a browser without a screen: it runs no scripts, takes redirects one at a time, and loses its cookies when told to. What it is
// answered is searched for secrets.
type caller struct {
	t      *testing.T
	site   *site
	agent  string
	lang   string
	client *http.Client

	mu      sync.Mutex
	cookies map[string]map[string]string // by host
	states  []string                     // of its authorisations, and the codes that came of them
}

func (s *site) caller(t *testing.T, agent string) *caller {
	t.Helper()
	needBrowser(t) // nothing runs without one
	dialer := &net.Dialer{}
	c := &caller{t: t, site: s, agent: agent, lang: "zh", cookies: map[string]map[string]string{}}
	c.client = &http.Client{
		Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+s.port)
		}},
	}
	t.Cleanup(func() {
		c.client.CloseIdleConnections()
		s.hide(c.states...)
	})
	return c
}

// answer is what a caller was told.
type answer struct {
	at     string
	status int
	to     string // where it is sent on
	text   string
}

var tags = regexp.MustCompile(`(?s)<head.*?</head>|<[^>]*>`)

// seen is what a person reads, for messages.
func (a answer) seen() string { return tags.ReplaceAllString(a.text, " ") }

func (c *caller) get(address string) answer {
	c.t.Helper()
	return c.ask(http.MethodGet, address, "", nil)
}

// post sends a form of the page's own.
func (c *caller) post(address string, pairs ...string) answer {
	c.t.Helper()
	return c.ask(http.MethodPost, address, "same-origin", pairs)
}

// ask asks as a browser does that says where a form comes from: from, "" for one that does not say.
func (c *caller) ask(method, address, from string, pairs []string) answer {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept-Language", c.lang)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if from != "" {
		r.Header.Set("Sec-Fetch-Site", from)
	}
	c.mu.Lock()
	for name, value := range c.cookies[r.URL.Hostname()] {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	c.mu.Unlock()
	got, err := c.client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	c.keep(r.URL.Hostname(), got.Cookies())
	a := answer{address, got.StatusCode, "", html.UnescapeString(string(body))}
	if location := got.Header.Get("Location"); location != "" {
		to, err := r.URL.Parse(location)
		if err != nil {
			c.t.Fatal(err)
		}
		a.to = to.String()
	}
	if !strings.HasPrefix(r.URL.Path, "/dev/wechat/") {
		c.wantNothingTold(a, got.Header)
	}
	return a
}

func (c *caller) keep(host string, given []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cookies[host] == nil {
		c.cookies[host] = map[string]string{}
	}
	for _, cookie := range given {
		if cookie.MaxAge < 0 {
			delete(c.cookies[host], cookie.Name)
			continue
		}
		c.cookies[host][cookie.Name] = cookie.Value
	}
}

// twin is another window of the same browser.
func (c *caller) twin() *caller {
	c.t.Helper()
	other := c.site.caller(c.t, c.agent)
	c.mu.Lock()
	defer c.mu.Unlock()
	for host, cookies := range c.cookies {
		other.cookies[host] = maps.Clone(cookies)
	}
	other.states = slices.Clone(c.states)
	return other
}

// lose drops cookies of every host, all of them for none named.
func (c *caller) lose(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookies := range c.cookies {
		maps.DeleteFunc(cookies, func(name, _ string) bool { return len(names) == 0 || slices.Contains(names, name) })
	}
}

// at is the address of a path on a host: one of the platform's, by its first label, or a company's own domain.
func (c *caller) at(host, path string) string {
	if strings.Contains(host, ".") {
		return "http://" + host + ":" + c.site.port + path
	}
	return c.site.at(host, path)
}

func (c *caller) cookie(host, name string) string {
	u, _ := url.Parse(c.at(host, "/"))
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cookies[u.Hostname()][name]
}

const mostHops = 4 // from a callback to where it leads

// onward takes redirects until there is a page, or the chat app asks.
func (c *caller) onward(a answer) answer {
	c.t.Helper()
	for range mostHops {
		if a.to == "" || strings.Contains(a.to, "/dev/wechat/") {
			return a
		}
		a = c.get(a.to)
	}
	if a.to != "" {
		c.t.Fatalf("still sent on, to %s", a.to)
	}
	return a
}

// begin goes through a door and gives the chat app's address.
func (c *caller) begin(host string, d chatDoor) string {
	c.t.Helper()
	return c.sentToApp(c.get(c.at(host, d.begin)))
}

func (c *caller) sentToApp(a answer) string {
	c.t.Helper()
	to, err := url.Parse(a.to)
	if err != nil || a.status != http.StatusSeeOther || !strings.HasPrefix(to.Path, "/dev/wechat/") {
		c.t.Fatalf("%s: %d to %q\n%s", a.at, a.status, a.to, a.seen())
	}
	c.note(to.Query().Get("state"))
	return a.to
}

func (c *caller) note(secrets ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range secrets {
		if one != "" && !slices.Contains(c.states, one) {
			c.states = append(c.states, one)
		}
	}
}

// as says at the chat app who one is, and gives the callback one is sent to. trouble is what goes wrong with its code.
func (c *caller) as(address, person, trouble string) string {
	c.t.Helper()
	address, _, _ = strings.Cut(address, "#")
	a := c.get(address + "&person=" + person + "&trouble=" + trouble)
	if a.status != http.StatusFound {
		c.t.Fatalf("%s: %d\n%s", address, a.status, a.seen())
	}
	to, _ := url.Parse(a.to)
	c.note(to.Query().Get("code"), to.Query().Get("state"))
	return a.to
}

// authorise goes through a door as somebody, up to the callback.
func (c *caller) authorise(host string, d chatDoor, person string) string {
	c.t.Helper()
	return c.as(c.begin(host, d), person, "")
}

// link comes from a chat app unknown and connects an account by its password, up to the page it arrives at.
func (c *caller) link(host string, d chatDoor, person string, who newcomer) answer {
	c.t.Helper()
	c.wantAt(c.onward(c.get(c.authorise(host, d, person))), host, "/wechat/link")
	a := c.post(c.at(host, "/wechat/link"), "phone", who.phone, "password", password)
	c.wantAt(c.onward(a), host, "/wechat/confirm")
	return c.onward(c.post(c.at(host, "/wechat/confirm"), "action", "link"))
}

// exchanges is how often a callback's code was shown to the chat app.
func (c *caller) exchanges(callback string) int {
	c.t.Helper()
	u, _ := url.Parse(callback)
	var counts struct{ Exchange int }
	if err := json.Unmarshal([]byte(c.get(c.site.at("", "/dev/wechat/exchanges.json?code="+u.Query().Get("code"))).text), &counts); err != nil {
		c.t.Fatal(err)
	}
	return counts.Exchange
}
