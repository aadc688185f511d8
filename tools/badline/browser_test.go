package badline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"portico/tools/badline"
)

// The User-Agents of the browsers.
const (
	phoneAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 " +
		"(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
	desktopAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 " +
		"(KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)

const maxHops = 15 // redirects one after the other

// browser runs no scripts. It keeps cookies for each host, follows redirects, and has a proxy of its own. Pages are
// values: two pages are two tabs.
type browser struct {
	t      testing.TB
	site   *site
	proxy  *badline.Proxy
	client *http.Client
	agent  string
	lost   *request // the request whose response was lost: a reload sends it again
}

// request is what a browser sends. It can be sent more than once. origin is the origin of the page that sent it, "" for
// none. elsewhere says that a redirect led to another host; referer says that the new host gets the origin.
type request struct {
	method, url, origin, contentType string
	body                             []byte
	elsewhere, referer               bool
}

// page is a response, after redirects.
type page struct {
	b      *browser
	url    *url.URL
	status int
	body   string
	root   *html.Node
}

// newBrowser returns a browser with a User-Agent and a proxy of its own.
func newBrowser(t testing.TB, s *site, agent string) *browser {
	t.Helper()
	proxy, err := badline.Start("127.0.0.1:" + s.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	jar, _ := cookiejar.New(nil)
	dialer := &net.Dialer{}
	return &browser{t: t, site: s, proxy: proxy, agent: agent, client: &http.Client{
		Jar: jar, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, proxy.Address())
			}},
	}}
}

// sendOne sends one request. The language is English from the first request on.
func (b *browser) sendOne(r request) (*http.Response, []byte, error) {
	sent, err := http.NewRequestWithContext(b.t.Context(), r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(b.client.Jar.Cookies(sent.URL), func(c *http.Cookie) bool { return c.Name == "lang" }) {
		b.client.Jar.SetCookies(sent.URL, []*http.Cookie{{Name: "lang", Value: "en", Path: "/"}})
	}
	company := sent.Header
	company.Set("User-Agent", b.agent)
	company.Set("Accept", "text/html,application/xhtml+xml")
	company.Set("Accept-Language", "en")
	company.Set("Sec-Fetch-Mode", "navigate")
	company.Set("Sec-Fetch-Dest", "document")
	company.Set("Sec-Fetch-Site", r.fetchSite())
	if r.method != http.MethodGet && r.origin != "" {
		company.Set("Origin", r.origin)
	}
	if r.referer {
		company.Set("Referer", r.origin+"/")
	}
	if r.contentType != "" {
		company.Set("Content-Type", r.contentType)
	}
	answer, err := b.client.Do(sent)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// originOf returns the origin of a URL.
func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// redirected returns the request to the address to which an answer redirects. from is the origin of the page.
func (r request) redirected(answer *http.Response, to *url.URL, from string) request {
	elsewhere := from != "" && (r.elsewhere || originOf(to) != from)
	return request{
		method: http.MethodGet, url: to.String(), origin: from, elsewhere: elsewhere,
		referer: elsewhere && answer.Header.Get("Referrer-Policy") == "strict-origin",
	}
}

// fetchSite returns the value of Sec-Fetch-Site. Each host below localhost is a site of its own.
func (r request) fetchSite() string {
	switch {
	case r.origin == "":
		return "none"
	case r.elsewhere:
		return "cross-site"
	}
	return "same-origin"
}

// send sends a request and follows redirects. An error means that the connection failed; b.lost is then the request to
// send again.
func (b *browser) send(r request) (*page, error) {
	for range maxHops {
		answer, body, err := b.sendOne(r)
		if err != nil {
			b.lost = &r
			return nil, err
		}
		b.lost = nil
		to, from := answer.Header.Get("Location"), r.origin
		if answer.StatusCode/100 != 3 || to == "" {
			p, err := b.newPage(answer, body)
			if err != nil || p.refresh() == "" {
				return p, err
			}
			to, from = p.refresh(), originOf(answer.Request.URL)
		}
		next, err := answer.Request.URL.Parse(to)
		if err != nil {
			return nil, err
		}
		r = r.redirected(answer, next, from)
	}
	return nil, fmt.Errorf("more than %d redirects, the last to %s", maxHops, r.url)
}

func (b *browser) newPage(answer *http.Response, body []byte) (*page, error) {
	root, err := html.Parse(bytes.NewReader(body))
	return &page{b, answer.Request.URL, answer.StatusCode, string(body), root}, err
}

// get opens an address.
func (b *browser) get(address string) (*page, error) {
	return b.send(request{method: http.MethodGet, url: address})
}

// open opens a path of a host; it ends the test when the connection fails.
func (b *browser) open(host, path string) *page {
	b.t.Helper()
	return b.must(b.get(b.site.at(host, path)))
}

// must ends the test when the connection failed although no fault was planned.
func (b *browser) must(p *page, err error) *page {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// resend sends the request whose response was lost once more, like a reload.
func (b *browser) resend() (*page, error) {
	if b.lost == nil {
		return nil, errors.New("nothing was lost")
	}
	return b.send(*b.lost)
}

// at returns the host and the path of a page, like "account /login".
func (p *page) at() string {
	host, _, _ := strings.Cut(p.url.Host, ".localhost")
	return host + " " + p.url.Path
}

// refresh returns the address to which a page redirects with a meta refresh; "" for none.
func (p *page) refresh() string {
	for n := range p.root.Descendants() {
		if n.DataAtom == atom.Meta && strings.EqualFold(attribute(n, "http-equiv"), "refresh") {
			if _, to, ok := strings.Cut(attribute(n, "content"), "url="); ok {
				return to
			}
		}
	}
	return ""
}

// text returns the visible text of a page, in one line.
func (p *page) text() string { return textOf(p.root) }

// textOf returns the visible text of a node, in one line.
func textOf(n *html.Node) string {
	var words []string
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Title {
			return
		}
		if n.Type == html.TextNode {
			words = append(words, strings.Fields(n.Data)...)
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(n)
	return strings.Join(words, " ")
}

// heading returns the page's first heading.
func (p *page) heading() string {
	for n := range p.root.Descendants() {
		if n.DataAtom == atom.H1 {
			return textOf(n)
		}
	}
	return ""
}

// links returns the addresses of the links in a page's main part.
func (p *page) links() []string {
	var all []string
	for n := range p.root.Descendants() {
		if n.DataAtom == atom.A && attribute(n, "href") != "" {
			all = append(all, attribute(n, "href"))
		}
	}
	return all
}

// form is a form of a page, with the values that were typed into it.
type form struct {
	page            *page
	action          *url.URL
	method, enctype string
	id              string
	controls        []*control
	inMain          bool
}

// control is one of a form's controls. A radio button or a box that is not checked and a button that is not pressed
// send nothing.
type control struct {
	name, kind, value string // kind: a type of input, "select", "textarea" or "button"
	checked           bool
	choices           []string // of a select
	file              []byte
}

// forms returns all forms of a page, with the controls outside them that name them.
func (p *page) forms() []*form {
	var all []*form
	byNode := map[*html.Node]*form{}
	for n := range p.root.Descendants() {
		if n.DataAtom != atom.Form {
			continue
		}
		f := &form{page: p, action: p.url, method: strings.ToUpper(attribute(n, "method")),
			enctype: attribute(n, "enctype"), id: attribute(n, "id")}
		if action, err := p.url.Parse(attribute(n, "action")); err == nil && hasAttribute(n, "action") {
			f.action = action
		}
		for at := n.Parent; at != nil; at = at.Parent {
			f.inMain = f.inMain || at.DataAtom == atom.Main
		}
		byNode[n] = f
		all = append(all, f)
	}
	for n := range p.root.Descendants() {
		c := controlOf(n)
		if c == nil {
			continue
		}
		if id := attribute(n, "form"); id != "" {
			if i := slices.IndexFunc(all, func(f *form) bool { return f.id == id }); i >= 0 {
				all[i].controls = append(all[i].controls, c)
			}
			continue
		}
		for at := n.Parent; at != nil; at = at.Parent {
			if f := byNode[at]; f != nil {
				f.controls = append(f.controls, c)
				break
			}
		}
	}
	return all
}

func controlOf(n *html.Node) *control {
	c := &control{name: attribute(n, "name"), value: attribute(n, "value"), kind: strings.ToLower(attribute(n, "type")),
		checked: hasAttribute(n, "checked")}
	switch n.DataAtom {
	case atom.Input:
		if c.kind == "" {
			c.kind = "text"
		}
		if (c.kind == "checkbox" || c.kind == "radio") && !hasAttribute(n, "value") {
			c.value = "on"
		}
		if c.kind == "submit" {
			c.kind = "button"
		}
	case atom.Button:
		if c.kind == "button" { // presses nothing without scripts
			return nil
		}
		c.kind = "button"
	case atom.Textarea:
		c.kind, c.value = "textarea", strings.TrimPrefix(rawText(n), "\n")
	case atom.Select:
		c.kind = "select"
		for o := range n.Descendants() {
			if o.DataAtom != atom.Option {
				continue
			}
			value := attribute(o, "value")
			if !hasAttribute(o, "value") {
				value = textOf(o)
			}
			if len(c.choices) == 0 || hasAttribute(o, "selected") {
				c.value = value
			}
			c.choices = append(c.choices, value)
		}
	default:
		return nil
	}
	if hasAttribute(n, "disabled") {
		return nil
	}
	return c
}

func rawText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// form returns the form that has a control with the name, or a button "name=value". It ends the test if there is none.
func (p *page) form(name string) *form {
	p.b.t.Helper()
	if f := p.find(name); f != nil {
		return f
	}
	p.b.t.Fatalf("no form with %q at %s (status %d): %.600s", name, p.at(), p.status, p.text())
	return nil
}

// find is form, but returns nil if there is none.
func (p *page) find(name string) *form {
	for _, f := range p.forms() {
		if f.method == http.MethodPost && f.control(name) != nil {
			return f
		}
	}
	return nil
}

// control finds a control by name, or by "name=value".
func (f *form) control(name string) *control {
	name, value, byValue := strings.Cut(name, "=")
	for _, c := range f.controls {
		if c.name == name && (!byValue || c.value == value) {
			return c
		}
	}
	return nil
}

// value returns the value of a control, and for boxes and radio buttons that of the checked one.
func (f *form) value(name string) string {
	var all []string
	for _, c := range f.controls {
		if c.name == name && c.kind != "button" && (c.checked || c.kind != "radio" && c.kind != "checkbox") {
			all = append(all, c.value)
		}
	}
	return strings.Join(all, ",")
}

// fill types into controls, pairs of name and value. Radio buttons and boxes are checked when they have the value.
func (f *form) fill(pairs ...string) *form {
	f.page.b.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		done := false
		for _, c := range f.controls {
			if c.name != name || c.kind == "button" || done && c.kind != "radio" && c.kind != "checkbox" {
				continue
			}
			switch c.kind {
			case "radio", "checkbox":
				if c.value != value && c.kind == "checkbox" {
					continue
				}
				c.checked = c.value == value
				done = done || c.checked
			default:
				c.value, done = value, true
			}
		}
		if !done {
			f.page.b.t.Fatalf("no control %q for %q at %s: %.300s", name, value, f.page.at(), f.page.text())
		}
	}
	return f
}

// attach chooses a file.
func (f *form) attach(name string, file []byte) *form {
	f.page.b.t.Helper()
	c := f.control(name)
	if c == nil || c.kind != "file" {
		f.page.b.t.Fatalf("no file %q at %s", name, f.page.at())
	}
	c.file = file
	return f
}

// request returns the request that a button sends. The button is "name=value"; "" is the form's first one.
func (f *form) request(button string) request {
	f.page.b.t.Helper()
	pressed := f.first()
	if button != "" {
		if pressed = f.control(button); pressed == nil {
			f.page.b.t.Fatalf("no button %q at %s", button, f.page.at())
		}
	}
	values := url.Values{}
	type file struct {
		name    string
		content []byte
	}
	var files []file
	for _, c := range f.controls {
		switch c.kind {
		case "file":
			files = append(files, file{c.name, c.file})
			continue
		case "button":
			if c != pressed {
				continue
			}
		case "radio", "checkbox":
			if !c.checked {
				continue
			}
		}
		if c.name != "" {
			values.Add(c.name, c.value)
		}
	}
	r := request{method: http.MethodPost, url: f.action.String(), origin: f.page.url.Scheme + "://" + f.page.url.Host}
	if f.enctype != "multipart/form-data" {
		r.contentType, r.body = "application/x-www-form-urlencoded", []byte(values.Encode())
		return r
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, all := range values {
		for _, value := range all {
			_ = w.WriteField(name, value)
		}
	}
	for _, file := range files {
		name := ""
		if file.content != nil {
			name = "picture.png"
		}
		part, _ := w.CreateFormFile(file.name, name)
		_, _ = part.Write(file.content)
	}
	_ = w.Close()
	r.contentType, r.body = w.FormDataContentType(), body.Bytes()
	return r
}

// first returns the button that the enter key presses.
func (f *form) first() *control {
	for _, c := range f.controls {
		if c.kind == "button" {
			return c
		}
	}
	return nil
}

// press sends a form with a button; it ends the test when the connection fails.
func (f *form) press(button string) *page {
	f.page.b.t.Helper()
	return f.page.b.must(f.page.b.send(f.request(button)))
}
