// Package chatapp signs in with WeChat and WeCom for browser tests: in a tab, or without a browser.
package chatapp

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

	"portico/e2e/browser"
	"portico/e2e/program"
)

// The User-Agents of the places a page is shown in.
const (
	WeChatIOSAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 " +
		"(KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.50(0x18003231) NetType/WIFI Language/zh_CN"
	WeChatAndroidAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240605.024; wv) AppleWebKit/537.36 " +
		"(KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160117 MMWEBSDK/20240501 " +
		"MicroMessenger/8.0.50.2701(0x28003252) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64"
	WeComAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 " +
		"(KHTML, like Gecko) Mobile/15E148 wxwork/4.1.22 MicroMessenger/7.0.1 " +
		"Language/zh ColorScheme/Light"
	MiniProgramAgent = WeChatAndroidAgent + " miniProgram/wx57a9d11e0ff1c1a1"
	AppAgent         = browser.MobileAgent + " PorticoApp/1.4.0 (Android)"
	desktopAgent     = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/120.0.0.0 Safari/537.36"
)

// Method is one of the four ways to sign in with a chat app. Begin and Back are the paths that start it and that the
// app redirects to, app is the id of the chat application, On the screen on which it works.
type Method struct {
	Name, Agent, Begin, Back, Provider, app string
	On                                      browser.Screen
}

// The ways to sign in with a chat app.
var (
	WeChat = Method{
		"WeChat",
		WeChatAndroidAgent,
		"/wechat",
		"/wechat/callback",
		"wechat",
		program.WeChatApp,
		browser.Phone,
	}
	WeChatQR = Method{
		"WeChat's QR code",
		desktopAgent,
		"/wechat",
		"/wechat/callback",
		"wechat",
		program.WeChatQRApp,
		browser.Desktop,
	}
	WeCom   = Method{"work-chat", WeComAgent, "/wechatpro", "/wechatpro", "wecom", program.WeComApp, browser.Phone}
	WeComQR = Method{
		"work-chat's QR code",
		desktopAgent,
		"/wechatpro",
		"/wechatpro",
		"wecom",
		program.WeComApp,
		browser.Desktop,
	}
	Methods = []Method{WeChat, WeChatQR, WeCom, WeComQR}
)

// NewPersonID returns the id of a person at a chat app. No other test uses it.
func NewPersonID() string {
	return "n." + base64.RawURLEncoding.EncodeToString([]byte("网友"+program.NewPhone()[7:]))
}

// Client is a browser without a screen. It runs no scripts, follows one redirect at a time and can lose its cookies. It
// fails the test if an answer contains a secret.
type Client struct {
	T      *testing.T
	Server *program.Server
	agent  string
	Lang   string
	http   *http.Client

	mu      sync.Mutex
	cookies map[string]map[string]string // by host
	states  []string                     // of its authorisations, and the codes that the chat app gave it
}

// NewClient returns a client without cookies that sends a User-Agent.
func NewClient(t *testing.T, s *program.Server, agent string) *Client {
	t.Helper()
	browser.NeedBrowser(t) // without a browser there is no server either
	dialer := &net.Dialer{}
	c := &Client{T: t, Server: s, agent: agent, Lang: "zh", cookies: map[string]map[string]string{}}
	c.http = &http.Client{
		Timeout:       program.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+s.Port)
		}},
	}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		s.HideSecrets(c.states...)
	})
	return c
}

// Answer is a response to a Client. Address is the URL that was requested.
type Answer struct {
	Address  string
	Status   int
	Redirect string // "" if it does not redirect
	Text     string
}

// tags matches HTML tags and the head.
var tags = regexp.MustCompile(`(?s)<head.*?</head>|<[^>]*>`)

// VisibleText returns the text of the page, for messages.
func (a Answer) VisibleText() string { return tags.ReplaceAllString(a.Text, " ") }

// Get requests a URL.
func (c *Client) Get(address string) Answer {
	c.T.Helper()
	return c.Send(http.MethodGet, address, "", nil)
}

// Post submits a form from a page of the same origin. pairs are names and values.
func (c *Client) Post(address string, pairs ...string) Answer {
	c.T.Helper()
	return c.Send(http.MethodPost, address, "same-origin", pairs)
}

// Send sends a request with the client's cookies. from is the value of Sec-Fetch-Site, "" for a browser that does not
// send it.
func (c *Client) Send(method, address, from string, pairs []string) Answer {
	c.T.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r, err := http.NewRequestWithContext(c.T.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		c.T.Fatal(err)
	}
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept-Language", c.Lang)
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
	got, err := c.http.Do(r)
	if err != nil {
		c.T.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	c.KeepCookies(r.URL.Hostname(), got.Cookies())
	a := Answer{address, got.StatusCode, "", html.UnescapeString(string(body))}
	if location := got.Header.Get("Location"); location != "" {
		to, err := r.URL.Parse(location)
		if err != nil {
			c.T.Fatal(err)
		}
		a.Redirect = to.String()
	}
	if !strings.HasPrefix(r.URL.Path, "/dev/wechat/") {
		c.wantNoSecrets(a, got.Header)
	}
	return a
}

// KeepCookies stores or deletes the cookies that a host has set.
func (c *Client) KeepCookies(host string, given []*http.Cookie) {
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

// OtherWindow returns another window of the same browser, with copies of its cookies.
func (c *Client) OtherWindow() *Client {
	c.T.Helper()
	other := NewClient(c.T, c.Server, c.agent)
	c.mu.Lock()
	defer c.mu.Unlock()
	for host, cookies := range c.cookies {
		other.cookies[host] = maps.Clone(cookies)
	}
	other.states = slices.Clone(c.states)
	return other
}

// DropCookies deletes the cookies with some names on every host, or all cookies if no name is given.
func (c *Client) DropCookies(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookies := range c.cookies {
		maps.DeleteFunc(cookies, func(name, _ string) bool { return len(names) == 0 || slices.Contains(names, name) })
	}
}

// URL returns the URL of a path on a host. host is the first label of one of the platform's hosts, or a company's own
// domain.
func (c *Client) URL(host, path string) string {
	if strings.Contains(host, ".") {
		return "http://" + host + ":" + c.Server.Port + path
	}
	return c.Server.URL(host, path)
}

// Cookie returns the value of a cookie, "" if there is none.
func (c *Client) Cookie(host, name string) string {
	u, _ := url.Parse(c.URL(host, "/"))
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cookies[u.Hostname()][name]
}

// mostHops limits the redirects from a callback to the page that it ends on.
const mostHops = 4 // from a callback to where it leads

// FollowRedirects follows redirects up to a page, or up to the chat app.
func (c *Client) FollowRedirects(a Answer) Answer {
	c.T.Helper()
	for range mostHops {
		if a.Redirect == "" || strings.Contains(a.Redirect, "/dev/wechat/") {
			return a
		}
		a = c.Get(a.Redirect)
	}
	if a.Redirect != "" {
		c.T.Fatalf("still redirected, to %s", a.Redirect)
	}
	return a
}

// Begin starts to sign in on a host and returns the URL at the chat app.
func (c *Client) Begin(host string, method Method) string {
	c.T.Helper()
	return c.RedirectToApp(c.Get(c.URL(host, method.Begin)))
}

// RedirectToApp checks that an answer redirects to the chat app, and returns that URL.
func (c *Client) RedirectToApp(a Answer) string {
	c.T.Helper()
	to, err := url.Parse(a.Redirect)
	if err != nil || a.Status != http.StatusSeeOther || !strings.HasPrefix(to.Path, "/dev/wechat/") {
		c.T.Fatalf("%s: %d to %q\n%s", a.Address, a.Status, a.Redirect, a.VisibleText())
	}
	c.noteSecrets(to.Query().Get("state"))
	return a.Redirect
}

// noteSecrets adds secrets that no answer may contain.
func (c *Client) noteSecrets(secrets ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, secret := range secrets {
		if secret != "" && !slices.Contains(c.states, secret) {
			c.states = append(c.states, secret)
		}
	}
}

// AuthoriseAs agrees at the chat app as a person and returns the callback's URL. trouble is what will go wrong with its
// code, "" for nothing.
func (c *Client) AuthoriseAs(address, person, trouble string) string {
	c.T.Helper()
	address, _, _ = strings.Cut(address, "#")
	a := c.Get(address + "&person=" + person + "&trouble=" + trouble)
	if a.Status != http.StatusFound {
		c.T.Fatalf("%s: %d\n%s", address, a.Status, a.VisibleText())
	}
	to, _ := url.Parse(a.Redirect)
	c.noteSecrets(to.Query().Get("code"), to.Query().Get("state"))
	return a.Redirect
}

// Authorise starts to sign in and agrees as a person. It returns the callback's URL.
func (c *Client) Authorise(host string, method Method, person string) string {
	c.T.Helper()
	return c.AuthoriseAs(c.Begin(host, method), person, "")
}

// Connect signs in with a chat app that is not connected yet, and connects it to an account by its password. It returns
// the page on which that ends.
func (c *Client) Connect(host string, method Method, person string, who program.Person) Answer {
	c.T.Helper()
	c.WantAt(c.FollowRedirects(c.Get(c.Authorise(host, method, person))), host, "/wechat/link")
	a := c.Post(c.URL(host, "/wechat/link"), "phone", who.Phone, "password", program.Password)
	c.WantAt(c.FollowRedirects(a), host, "/wechat/confirm")
	return c.FollowRedirects(c.Post(c.URL(host, "/wechat/confirm"), "action", "link"))
}

// Exchanges returns how often the code of a callback was exchanged at the chat app.
func (c *Client) Exchanges(callback string) int {
	c.T.Helper()
	u, _ := url.Parse(callback)
	var counts struct{ Exchange int }
	if err := json.Unmarshal(
		[]byte(c.Get(c.Server.URL("", "/dev/wechat/exchanges.json?code="+u.Query().Get("code"))).Text), &counts,
	); err != nil {
		c.T.Fatal(err)
	}
	return counts.Exchange
}
