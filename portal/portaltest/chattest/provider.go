package chattest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"portico/portal/access"
	"portico/portal/signin"
)

// ChatProvider is a stand-in of WeChat or WeCom in memory. A code works once, for one application and five minutes.
type ChatProvider struct {
	Name       access.ProviderName
	Now        func() time.Time
	WantsToken bool

	Mu     sync.Mutex
	Codes  map[string]*Grant
	Good   map[string]bool // access tokens that are taken
	Given  []string        // every token, ticket and code
	Asks   map[string]int  // "exchange", "token" and the kinds of tickets
	Fail   *signin.ProviderFailure
	Failed string        // the kind of ask that fails, "" for all
	During func()        // runs while a code is exchanged
	Asked  chan struct{} // nil: nobody waits
	Hold   chan struct{} // nil: nothing hangs
}

// Grant is a code that a person's consent gave: its application, its person, its expiry and whether it was used.
type Grant struct {
	App   string
	Who   signin.ProviderIdentity
	Until time.Time
	Used  bool
}

// newChatProvider returns a stand-in without codes.
func newChatProvider(name access.ProviderName) *ChatProvider {
	return &ChatProvider{
		Name:       name,
		WantsToken: name == access.WeCom,
		Codes:      map[string]*Grant{},
		Good:       map[string]bool{},
		Asks:       map[string]int{},
	}
}

// Grant consents as a person and returns the code for an application.
func (c *ChatProvider) Grant(app string, who signin.ProviderIdentity) string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	code := fmt.Sprintf("code-%s-%s-%d", c.Name, strings.ReplaceAll(app, ".", ""), len(c.Given))
	c.Codes[code] = &Grant{App: app, Who: who, Until: c.Now().Add(5 * time.Minute)}
	c.Given = append(c.Given, code)
	return code
}

// FailWith makes later calls of a kind fail, "" for all kinds. A nil failure ends that.
func (c *ChatProvider) FailWith(kind string, f *signin.ProviderFailure) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Failed, c.Fail = kind, f
}

// ExpireTokens makes every access token invalid.
func (c *ChatProvider) ExpireTokens() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	clear(c.Good)
}

// Count returns how often an operation was called.
func (c *ChatProvider) Count(kind string) int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Asks[kind]
}

// call counts a call, and returns the failure that FailWith set.
func (c *ChatProvider) call(ctx context.Context, kind string) error {
	c.Mu.Lock()
	c.Asks[kind]++
	fail := c.Fail
	hold := c.Hold
	asked := c.Asked
	if c.Failed != "" && c.Failed != kind {
		fail = nil
	}
	c.Mu.Unlock()
	if asked != nil {
		asked <- struct{}{}
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return &signin.ProviderFailure{Code: "timeout"}
		}
	}
	if fail != nil {
		return fail
	}
	return nil
}

// NeedsToken says whether an exchange needs an access token.
func (c *ChatProvider) NeedsToken() bool { return c.WantsToken }

// AuthorizeURL returns the address of an authorisation, which ParseAuthorisation reads.
func (c *ChatProvider) AuthorizeURL(app signin.ProviderApp, redirect, state string, scope signin.Scope) string {
	return "https://" + string(c.Name) + ".test/authorize?" + url.Values{
		"app": {app.ID}, "redirect": {redirect}, "state": {state}, "scope": {string(scope)},
	}.Encode()
}

// Token returns a new access token for an application.
func (c *ChatProvider) Token(ctx context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	if err := c.call(ctx, "token"); err != nil {
		return signin.ProviderToken{}, err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	token := fmt.Sprintf("access-%s-%d", app.ID, len(c.Given))
	c.Good[token] = true
	c.Given = append(c.Given, token)
	return signin.ProviderToken{Value: token, Life: 2 * time.Hour}, nil
}

// Ticket returns a new ticket of a kind, or a failure for an invalid access token.
func (c *ChatProvider) Ticket(
	ctx context.Context, app signin.ProviderApp, kind signin.TokenKind, token string,
) (signin.ProviderToken, error) {
	if err := c.call(ctx, string(kind)); err != nil {
		return signin.ProviderToken{}, err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !c.Good[token] {
		return signin.ProviderToken{}, &signin.ProviderFailure{Code: "40001", Stale: true}
	}
	ticket := fmt.Sprintf("ticket-%s-%s-%d", kind, app.ID, len(c.Given))
	c.Given = append(c.Given, ticket)
	return signin.ProviderToken{Value: ticket, Life: 2 * time.Hour}, nil
}

// Exchange returns the person of a code and uses the code up. A code that is used, expired or of another application
// fails.
func (c *ChatProvider) Exchange(
	ctx context.Context, app signin.ProviderApp, token, code string,
) (signin.ProviderIdentity, error) {
	if err := c.call(ctx, "exchange"); err != nil {
		return signin.ProviderIdentity{}, err
	}
	if c.During != nil {
		c.During()
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.WantsToken && !c.Good[token] {
		return signin.ProviderIdentity{}, &signin.ProviderFailure{Code: "42001", Stale: true}
	}
	g := c.Codes[code]
	if g == nil || g.Used || g.App != app.ID || !c.Now().Before(g.Until) {
		return signin.ProviderIdentity{}, &signin.ProviderFailure{Code: "40029", Spent: true}
	}
	g.Used = true
	return g.Who, nil
}

// Sign returns a signature in which a test can see what was signed.
func (c *ChatProvider) Sign(ticket, nonce string, timestamp int64, page string) string {
	return fmt.Sprintf("signed %d bytes, %d, %s, %s", len(ticket), timestamp, nonce, page)
}
