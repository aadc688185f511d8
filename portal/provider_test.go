package portal_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// The platform's applications at the counterparts.
const (
	platformAccount = "wx00000000000000a1"
	platformOpen    = "wx00000000000000b1"
	platformCorp    = "ww00000000000000a9"
	platformSecret  = "platform-secret-of-"
	companyAccount  = "wx00000000000010c1" // 1001's own
	companySecret   = "a-company-keeps-this-to-itself-7"
)

// counterpart is WeChat or work-chat in memory: its codes are good once, for one application and five minutes.
type counterpart struct {
	name       portal.ProviderName
	now        func() time.Time
	needsToken bool

	mu     sync.Mutex
	codes  map[string]*grant
	good   map[string]bool // access tokens that are taken
	given  []string        // every token, ticket and code
	asks   map[string]int  // "exchange", "token" and the kinds of tickets
	fail   *portal.ProviderFailure
	failed string        // the kind of ask that fails, "" for all
	during func()        // runs while a code is exchanged
	asked  chan struct{} // nil: nobody waits
	hold   chan struct{} // nil: nothing hangs
}

type grant struct {
	app   string
	who   portal.ProviderIdentity
	until time.Time
	used  bool
}

func newCounterpart(name portal.ProviderName) *counterpart {
	return &counterpart{name: name, needsToken: name == portal.WeCom, codes: map[string]*grant{}, good: map[string]bool{}, asks: map[string]int{}}
}

// grants is somebody who says yes: the code goes back to where they came from.
func (c *counterpart) grants(app string, who portal.ProviderIdentity) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	code := fmt.Sprintf("code-%s-%s-%d", c.name, strings.ReplaceAll(app, ".", ""), len(c.given))
	c.codes[code] = &grant{app: app, who: who, until: c.now().Add(5 * time.Minute)}
	c.given = append(c.given, code)
	return code
}

func (c *counterpart) failWith(kind string, f *portal.ProviderFailure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed, c.fail = kind, f
}

// expire makes every access token stale.
func (c *counterpart) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.good)
}

func (c *counterpart) count(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks[kind]
}

// ask counts one and fails where it is to.
func (c *counterpart) ask(ctx context.Context, kind string) error {
	c.mu.Lock()
	c.asks[kind]++
	fail, hold, asked := c.fail, c.hold, c.asked
	if c.failed != "" && c.failed != kind {
		fail = nil
	}
	c.mu.Unlock()
	if asked != nil {
		asked <- struct{}{}
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return &portal.ProviderFailure{Code: "timeout"}
		}
	}
	if fail != nil {
		return fail
	}
	return nil
}

func (c *counterpart) NeedsToken() bool { return c.needsToken }

func (c *counterpart) AuthorizeURL(app portal.ProviderApp, redirect, state string, scope portal.Scope) string {
	return "https://" + string(c.name) + ".test/authorize?" + url.Values{"app": {app.ID}, "redirect": {redirect}, "state": {state}, "scope": {string(scope)}}.Encode()
}

func (c *counterpart) Token(ctx context.Context, app portal.ProviderApp) (portal.ProviderToken, error) {
	if err := c.ask(ctx, "token"); err != nil {
		return portal.ProviderToken{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	token := fmt.Sprintf("access-%s-%d", app.ID, len(c.given))
	c.good[token] = true
	c.given = append(c.given, token)
	return portal.ProviderToken{Value: token, Life: 2 * time.Hour}, nil
}

func (c *counterpart) Ticket(ctx context.Context, app portal.ProviderApp, kind portal.TokenKind, token string) (portal.ProviderToken, error) {
	if err := c.ask(ctx, string(kind)); err != nil {
		return portal.ProviderToken{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.good[token] {
		return portal.ProviderToken{}, &portal.ProviderFailure{Code: "40001", Stale: true}
	}
	ticket := fmt.Sprintf("ticket-%s-%s-%d", kind, app.ID, len(c.given))
	c.given = append(c.given, ticket)
	return portal.ProviderToken{Value: ticket, Life: 2 * time.Hour}, nil
}

func (c *counterpart) Exchange(ctx context.Context, app portal.ProviderApp, token, code string) (portal.ProviderIdentity, error) {
	if err := c.ask(ctx, "exchange"); err != nil {
		return portal.ProviderIdentity{}, err
	}
	if c.during != nil {
		c.during()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.needsToken && !c.good[token] {
		return portal.ProviderIdentity{}, &portal.ProviderFailure{Code: "42001", Stale: true}
	}
	g := c.codes[code]
	if g == nil || g.used || g.app != app.ID || !c.now().Before(g.until) {
		return portal.ProviderIdentity{}, &portal.ProviderFailure{Code: "40029", Spent: true}
	}
	g.used = true
	return g.who, nil
}

func (c *counterpart) Sign(ticket, nonce string, timestamp int64, page string) string {
	return fmt.Sprintf("signed %d bytes, %d, %s, %s", len(ticket), timestamp, nonce, page)
}

// chatter is a platform that WeChat and work-chat answer.
type chatter struct {
	*carer
	wechat, wecom *counterpart
	people        int      // for addresses of their own
	states        []string // that went to a provider
}

// eachChat runs a test on SQLite and on Postgres; after each nothing secret is left behind, of the counterparts neither.
func eachChat(t *testing.T, test func(t *testing.T, p *chatter), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := newChatter(t, db, change...)
		test(t, p)
		p.leavesNoSecret()
		p.leavesNothingOfTheCounterparts()
	})
}

// onceChat is eachChat on SQLite alone, for rules that no statement of their own stands behind.
func onceChat(t *testing.T, test func(t *testing.T, p *chatter), change ...func(*portal.Options)) {
	t.Helper()
	t.Parallel()
	p := newChatter(t, storetest.SQLite(t), change...)
	test(t, p)
	p.leavesNoSecret()
	p.leavesNothingOfTheCounterparts()
}

func newChatter(t *testing.T, db *store.DB, change ...func(*portal.Options)) *chatter {
	t.Helper()
	p := &chatter{wechat: newCounterpart(portal.WeChat), wecom: newCounterpart(portal.WeCom)}
	p.carer = newCarer(t, db, append([]func(*portal.Options){func(o *portal.Options) {
		p.wechat.now, p.wecom.now = o.Now, o.Now
		o.Providers = portal.Providers{WeChat: p.wechat, WeCom: p.wecom, Apps: platformApps()}
	}}, change...)...)
	return p
}

func platformApps() []portal.ProviderApp {
	return []portal.ProviderApp{
		{Kind: store.WeChatAccount, ID: platformAccount, Secret: platformSecret + "the-account"},
		{Kind: store.WeChatOpen, ID: platformOpen, Secret: platformSecret + "the-website"},
		{Kind: store.WeComCorp, ID: platformCorp, Agent: "1000002", Secret: platformSecret + "work-chat"},
	}
}

func managerClosed(o *portal.Options) { o.Providers.ManagerClosed = true }

// own gives 1001 an official account of its own.
func (p *chatter) own(company int64) {
	p.t.Helper()
	noError(p.t, p.SetCompany(p.t.Context(), company, "wechat", companyAccount+":"+companySecret))
	p.clock.advance(2 * time.Second) // what is known of a company is a second old at most
}

func (p *chatter) counterpart(name portal.ProviderName) *counterpart {
	if name == portal.WeCom {
		return p.wecom
	}
	return p.wechat
}

// leavesNothingOfTheCounterparts searches the database and the log for what they gave out and for the secrets.
func (p *chatter) leavesNothingOfTheCounterparts() {
	p.t.Helper()
	dump, err := p.db.Dump(p.t.Context())
	noError(p.t, err)
	log := p.log.String()
	for _, secret := range slices.Concat([]string{platformSecret, companySecret}, p.wechat.given, p.wecom.given, p.states) {
		if strings.Contains(dump, secret) || strings.Contains(log, secret) {
			p.t.Errorf("%s is written down", secret)
		}
	}
}

func instant(p *chatter) store.Instant { return store.At(p.clock.now()) }

func newLog(j *journal) *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }
