package portaltest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/signin"
	"portico/portal/verification"
	"portico/store"
	"portico/store/storetest"
)

// TurnsChatOff turns chat apps off for a company, and waits until every instance knows.
func (p *Chatter) TurnsChatOff(company int64) {
	p.T.Helper()
	NoError(p.T, p.Operator.SetCompany(p.T.Context(), company, "chat", "off"))
	p.Clock.Advance(2 * time.Second)
}

// ComesBackToThePlatform returns an identity, with its ticket, that a program got for the platform itself.
func (c *Program) ComesBackToThePlatform(who chatapps.ProviderIdentity) chatlogin.ClientCallback {
	c.P.T.Helper()
	w := c.BeginsAtThePlatform()
	in := chatlogin.ClientCallbackInput{
		Code: c.P.Wechat.Grants(w.App, who), State: w.State, Provider: access.WeChat, Client: c.Kind,
	}
	back, err := c.P.Chatlogin.FinishForClient(c.Ctx(), in, false)
	NoError(c.P.T, err)
	return back
}

func (c *Program) BeginsAtThePlatform() Way {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(c.Ctx(), chatlogin.AppParamsInput{
		URL: "http://" + AccountHost + "/login", Provider: access.WeChat, Client: c.Kind,
	})
	NoError(c.P.T, err)
	return WayOf(c.P.T, access.WeChat, params.AuthorizeURL)
}

// LandedAs is the landing page of an account that a session enters.
func (p *Platform) LandedAs(s store.Session, login string) access.Landing {
	p.T.Helper()
	d := p.Enter(signin.LoginResult{Session: s}, AccountHost, login, PhoneScreen)
	result, err := p.Redeem(d, "")
	NoError(p.T, err)
	here, err := p.LandAt(d, result.Token)
	NoError(p.T, err)
	return here
}

// ChatMethods returns the kinds of the company's own credentials, as they are stored.
func (p *Chatter) ChatMethods(company int64) string { return p.Company(company).ChatDoors }

// Refs are what names the identities of a session.
func (p *Chatter) Refs(s access.Session) (all []string) {
	p.T.Helper()
	list, err := p.Chatlogin.Identities(p.T.Context(), s)
	NoError(p.T, err)
	for _, one := range list {
		all = append(all, one.Ref)
	}
	return all
}

// Program is one of a kind that calls the API.
type Program struct {
	*Browser
	Kind access.Client
}

func (p *Chatter) Program(kind access.Client) *Program {
	return &Program{p.Browser("api.portico.test", "PorticoClient/3.1 (Android 14)"), kind}
}

const PageOf1001 = "http://" + Host1001 + "/login"

// Begins is what a page of 1001 needs to authorise there.
func (c *Program) Begins(provider access.ProviderName) Way {
	c.P.T.Helper()
	params, err := c.P.Chatlogin.AppParams(
		c.Ctx(), chatlogin.AppParamsInput{CompanyID: 1001, URL: PageOf1001, Provider: provider, Client: c.Kind},
	)
	NoError(c.P.T, err)
	return WayOf(c.P.T, provider, params.AuthorizeURL)
}

func (c *Program) Finishing(w Way, code string) chatlogin.ClientCallbackInput {
	return chatlogin.ClientCallbackInput{
		Code: code, State: w.State, CompanyID: 1001, Provider: w.Provider, Client: c.Kind,
	}
}

// ComesBack is an identity that a program got, without a sign-in.
func (c *Program) ComesBack(provider access.ProviderName, who chatapps.ProviderIdentity) chatlogin.ClientCallback {
	c.P.T.Helper()
	w := c.Begins(provider)
	back, err := c.P.Chatlogin.FinishForClient(
		c.Ctx(), c.Finishing(w, c.P.Counterpart(provider).Grants(w.App, who)), false,
	)
	NoError(c.P.T, err)
	if back.User != nil || back.Ticket == "" || back.Identity != who {
		c.P.T.Fatalf("%+v", back)
	}
	return back
}

// Becomes is what comes of an identity, in a word.
func (b *Browser) Becomes(provider access.ProviderName, who chatapps.ProviderIdentity) string {
	b.P.T.Helper()
	switch back, err := b.Authorises(provider, who); {
	case err != nil:
		return err.Error()
	case back.Login != nil:
		return "signed in"
	case back.Ticket != "":
		return "unknown"
	}
	return "something else"
}

// LinkedRow makes an identity at the platform's official account sign somebody in, by phone or by name, whatever blocks
// them.
func (p *Chatter) LinkedRow(who chatapps.ProviderIdentity, account string) {
	p.T.Helper()
	now := store.At(p.Clock.Now())
	i := store.Identity{
		Provider: string(access.WeChat),
		App:      PlatformAccount,
		Subject:  who.Subject,
		UnionID:  who.UnionID,
		LinkedAt: now,
		UsedAt:   now,
	}
	if _, ok := access.NormalPhone(account); ok {
		i.PhoneID = PhoneOf(p.T, p.Db, account).ID
	} else {
		i.AccountID = p.Account(account).ID
	}
	NoError(p.T, p.Db.Identities.Link(p.T.Context(), i, store.Identity{}))
}

// Identities that were planted before the rightful owner proved who they are.

// Planted is all that an attacker who once knew the password prepares at the account site: identities of the phone, of
// an account of it, and one on its way.
type Planted struct {
	*Browser
	Ticket  string
	Pending chatlogin.Linking
	Ask     string
}

func (p *Chatter) Plants(phone, login string) Planted {
	p.T.Helper()
	m := Planted{Browser: p.Browser(AccountHost, InWeChat)}
	m.Links(access.WeChat, Someone(66), phone)
	m.Links(access.WeChat, Someone(67), login)
	m.Ask = m.Asked(access.WeChat, Someone(66)).ConfirmToken
	m.Ticket = m.Unknown(access.WeChat, Someone(68))
	m.Pending = m.Proven(access.WeChat, Someone(69), phone)
	return m
}

// IsOut demands that nothing of it opens anything.
func (m Planted) IsOut() {
	m.P.T.Helper()
	for _, n := range []int{66, 67} {
		if got := m.Becomes(access.WeChat, Someone(n)); got != "unknown" {
			m.P.T.Errorf("identity %d: %s", n, got)
		}
	}
	_, err := m.SaysYes(m.Ask)
	Refused(m.P.T, err, access.WeChatExpired)
	_, err = m.Confirms(m.Pending)
	Refused(m.P.T, err, access.WeChatExpired)
	m.P.WantLinks(0)
}

// LinksByCode makes an identity sign the person of a phone in, proven by a code.
func (b *Browser) LinksByCode(provider access.ProviderName, who chatapps.ProviderIdentity, phone string) {
	b.P.T.Helper()
	b.P.Clock.Advance(verification.DefaultResend)
	in := chatlogin.LinkInput{
		Ticket: b.Unknown(provider, who), ByCode: true, Phone: phone, Flow: b.Flow, Browser: b.Browser(),
	}
	in.Code = b.P.Sent(b.P.Asking(verification.ForLogin, phone, b.P.Chatlogin.CodeFlow(b.Flow, in.Ticket)))
	l, err := b.Proves(in)
	NoError(b.P.T, err)
	_, err = b.Confirms(l)
	NoError(b.P.T, err)
}

// Callbacks in a browser that did not bring its cookie, and in one that never began them.

// Asked is a callback of somebody recognised whose browser lost its cookie.
func (b *Browser) Asked(provider access.ProviderName, who chatapps.ProviderIdentity) chatlogin.Callback {
	b.P.T.Helper()
	w := b.Goes(provider)
	lost := b.Without()
	lost.Fresh = b.Flow
	back, err := lost.Returns(w, b.P.Counterpart(provider).Grants(w.App, who))
	NoError(b.P.T, err)
	if back.ConfirmToken == "" || back.Login != nil || back.Ticket != "" || back.Application != 0 {
		b.P.T.Fatalf("not asked: %+v", back)
	}
	return back
}

func (b *Browser) SaysYes(ask string) (signin.LoginResult, error) {
	b.P.T.Helper()
	return b.P.Chatlogin.ConfirmSignIn(b.Ctx(), ask, b.Flow, b.Browser())
}

// OfMobileApp is a code that WeChat's SDK gave to the native app.
func (c *Program) OfMobileApp(code string) chatlogin.ClientCallbackInput {
	return chatlogin.ClientCallbackInput{Code: code, App: chatlogin.MobileApp, Provider: access.WeChat, Client: c.Kind}
}

const (
	PlatformAccount = "wx00000000000000a1"
	PlatformOpen    = "wx00000000000000b1"
	PlatformCorp    = "ww00000000000000a9"
	PlatformSecret  = "platform-secret-of-"
	CompanyAccount  = "wx00000000000010c1" // 1001's own
	CompanySecret   = "a-company-keeps-this-to-itself-7"
)

// Counterpart is WeChat or work-chat in memory: its codes are good once, for one application and five minutes.
type Counterpart struct {
	Name       access.ProviderName
	Now        func() time.Time
	WantsToken bool

	Mu     sync.Mutex
	Codes  map[string]*Grant
	Good   map[string]bool // access tokens that are taken
	Given  []string        // every token, ticket and code
	Asks   map[string]int  // "exchange", "token" and the kinds of tickets
	Fail   *chatapps.ProviderFailure
	Failed string        // the kind of ask that fails, "" for all
	During func()        // runs while a code is exchanged
	Asked  chan struct{} // nil: nobody waits
	Hold   chan struct{} // nil: nothing hangs
}

type Grant struct {
	App   string
	Who   chatapps.ProviderIdentity
	Until time.Time
	Used  bool
}

// NewCounterpart makes a stand-in of a provider that nobody has authorised at.
func NewCounterpart(name access.ProviderName) *Counterpart {
	return &Counterpart{
		Name:       name,
		WantsToken: name == access.WeCom,
		Codes:      map[string]*Grant{},
		Good:       map[string]bool{},
		Asks:       map[string]int{},
	}
}

// Grants is somebody who says yes: the code goes back to where they came from.
func (c *Counterpart) Grants(app string, who chatapps.ProviderIdentity) string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	code := fmt.Sprintf("code-%s-%s-%d", c.Name, strings.ReplaceAll(app, ".", ""), len(c.Given))
	c.Codes[code] = &Grant{App: app, Who: who, Until: c.Now().Add(5 * time.Minute)}
	c.Given = append(c.Given, code)
	return code
}

// FailWith makes the next calls fail with an error.
func (c *Counterpart) FailWith(kind string, f *chatapps.ProviderFailure) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Failed, c.Fail = kind, f
}

// Expire makes every access token stale.
func (c *Counterpart) Expire() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	clear(c.Good)
}

// Count returns how often an operation was called.
func (c *Counterpart) Count(kind string) int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Asks[kind]
}

// Ask counts one and fails where it is to.
func (c *Counterpart) Ask(ctx context.Context, kind string) error {
	c.Mu.Lock()
	c.Asks[kind]++
	fail, hold, asked := c.Fail, c.Hold, c.Asked
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
			return &chatapps.ProviderFailure{Code: "timeout"}
		}
	}
	if fail != nil {
		return fail
	}
	return nil
}

func (c *Counterpart) NeedsToken() bool { return c.WantsToken }

func (c *Counterpart) AuthorizeURL(app chatapps.ProviderApp, redirect, state string, scope chatapps.Scope) string {
	return "https://" + string(c.Name) + ".test/authorize?" + url.Values{
		"app": {app.ID}, "redirect": {redirect}, "state": {state}, "scope": {string(scope)},
	}.Encode()
}

func (c *Counterpart) Token(ctx context.Context, app chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	if err := c.Ask(ctx, "token"); err != nil {
		return chatapps.ProviderToken{}, err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	token := fmt.Sprintf("access-%s-%d", app.ID, len(c.Given))
	c.Good[token] = true
	c.Given = append(c.Given, token)
	return chatapps.ProviderToken{Value: token, Life: 2 * time.Hour}, nil
}

func (c *Counterpart) Ticket(
	ctx context.Context, app chatapps.ProviderApp, kind chatapps.TokenKind, token string,
) (chatapps.ProviderToken, error) {
	if err := c.Ask(ctx, string(kind)); err != nil {
		return chatapps.ProviderToken{}, err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !c.Good[token] {
		return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "40001", Stale: true}
	}
	ticket := fmt.Sprintf("ticket-%s-%s-%d", kind, app.ID, len(c.Given))
	c.Given = append(c.Given, ticket)
	return chatapps.ProviderToken{Value: ticket, Life: 2 * time.Hour}, nil
}

func (c *Counterpart) Exchange(
	ctx context.Context, app chatapps.ProviderApp, token, code string,
) (chatapps.ProviderIdentity, error) {
	if err := c.Ask(ctx, "exchange"); err != nil {
		return chatapps.ProviderIdentity{}, err
	}
	if c.During != nil {
		c.During()
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.WantsToken && !c.Good[token] {
		return chatapps.ProviderIdentity{}, &chatapps.ProviderFailure{Code: "42001", Stale: true}
	}
	g := c.Codes[code]
	if g == nil || g.Used || g.App != app.ID || !c.Now().Before(g.Until) {
		return chatapps.ProviderIdentity{}, &chatapps.ProviderFailure{Code: "40029", Spent: true}
	}
	g.Used = true
	return g.Who, nil
}

func (c *Counterpart) Sign(ticket, nonce string, timestamp int64, page string) string {
	return fmt.Sprintf("signed %d bytes, %d, %s, %s", len(ticket), timestamp, nonce, page)
}

// Chatter is a platform that WeChat and work-chat answer.
type Chatter struct {
	*Carer
	Wechat, Wecom *Counterpart
	People        int      // for addresses of their own
	States        []string // that went to a provider
}

// EachChat runs a test on SQLite and on Postgres; after each nothing secret is left behind, of the counterparts
// neither.
func EachChat(t *testing.T, test func(t *testing.T, p *Chatter), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		p := NewChatter(t, db, change...)
		test(t, p)
		p.LeavesNoSecret()
		p.LeavesNothingOfTheCounterparts()
	})
}

// OnceChat is eachChat on SQLite alone, for rules that no statement of their own stands behind.
func OnceChat(t *testing.T, test func(t *testing.T, p *Chatter), change ...func(*portal.Options)) {
	t.Helper()
	t.Parallel()
	p := NewChatter(t, storetest.SQLite(t), change...)
	test(t, p)
	p.LeavesNoSecret()
	p.LeavesNothingOfTheCounterparts()
}

// NewChatter makes a platform with stand-ins of WeChat and WeCom.
func NewChatter(t *testing.T, db *store.DB, change ...func(*portal.Options)) *Chatter {
	t.Helper()
	p := &Chatter{Wechat: NewCounterpart(access.WeChat), Wecom: NewCounterpart(access.WeCom)}
	p.Carer = NewCarer(t, db, append([]func(*portal.Options){func(o *portal.Options) {
		p.Wechat.Now, p.Wecom.Now = o.Now, o.Now
		o.Providers = chatapps.Providers{WeChat: p.Wechat, WeCom: p.Wecom, Apps: PlatformApps()}
	}}, change...)...)
	return p
}

// PlatformApps returns the platform's own applications.
func PlatformApps() []chatapps.ProviderApp {
	return []chatapps.ProviderApp{
		{Kind: store.WeChatAccount, ID: PlatformAccount, Secret: PlatformSecret + "the-account"},
		{Kind: store.WeChatOpen, ID: PlatformOpen, Secret: PlatformSecret + "the-website"},
		{Kind: store.WeComCorp, ID: PlatformCorp, Agent: "1000002", Secret: PlatformSecret + "work-chat"},
	}
}

// ManagerClosed refuses the back office to sign-ins that began at WeChat.
func ManagerClosed(o *portal.Options) { o.Providers.ManagerClosed = true }

// Own gives 1001 an official account of its own.
func (p *Chatter) Own(company int64) {
	p.T.Helper()
	NoError(p.T, p.Operator.SetCompany(p.T.Context(), company, "wechat", CompanyAccount+":"+CompanySecret))
	p.Clock.Advance(2 * time.Second) // what is known of a company is a second old at most
}

// Counterpart returns the stand-in of a provider.
func (p *Chatter) Counterpart(name access.ProviderName) *Counterpart {
	if name == access.WeCom {
		return p.Wecom
	}
	return p.Wechat
}

// LeavesNothingOfTheCounterparts searches the database and the log for what they gave out and for the secrets.
func (p *Chatter) LeavesNothingOfTheCounterparts() {
	p.T.Helper()
	dump, err := p.Db.Dump(p.T.Context())
	NoError(p.T, err)
	log := p.Log.String()
	for _, secret := range slices.Concat([]string{PlatformSecret, CompanySecret}, p.Wechat.Given, p.Wecom.Given,
		p.States) {
		if strings.Contains(dump, secret) || strings.Contains(log, secret) {
			p.T.Errorf("%s is written down", secret)
		}
	}
}

func NewLog(j *Journal) *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// Pages asks for what a page needs so many times at once, half of them another instance on the same database.
func (p *Chatter) Pages(n int) (failed int64) {
	p.T.Helper()
	other, err := portal.New(p.Options)
	NoError(p.T, err)
	instances := []*portal.Portal{p.Portal, other}
	var bad atomic.Int64
	Together(n, func(i int) {
		_, err := instances[i%2].Chatlogin.AppParams(
			p.From("10.7.7.7"), chatlogin.AppParamsInput{CompanyID: 1001, URL: PageOf1001, Client: landing.ClientApp},
		)
		if err != nil {
			bad.Add(1)
			if !errors.Is(err, access.WeChatFailed) {
				p.T.Errorf("%v", err)
			}
		}
	})
	return bad.Load()
}

func (c *Counterpart) Counts() [3]int {
	return [3]int{c.Count("token"), c.Count("page"), c.Count("agent")}
}

// Uses signs in with a ticket of an identity.
func (c *Program) Uses(ticket string, accountID int64) (signin.ClientLogin, error) {
	return c.P.Chatlogin.LoginByTicket(
		c.Ctx(), chatlogin.TicketLoginInput{Ticket: ticket, AccountID: accountID, Client: c.Kind},
	)
}

// Chosen is the session of the ticket that a sign-in gives for choosing an account.
func (c *Program) Chosen(in signin.ClientLogin) access.Session {
	c.P.T.Helper()
	s, err := c.P.Landing.Token(c.Ctx(), landing.TokenInput{Token: in.Ticket, Client: c.Kind, Ticket: true})
	NoError(c.P.T, err)
	return s
}

// SignsOut ends a sign-in as the person does from another device.
func (p *Chatter) SignsOut(phone string) {
	p.T.Helper()
	NoError(p.T, p.Sessions.EndOtherDevices(p.T.Context(), p.SignIn(AccountHost, phone).Session))
}

// WantRows demands that a table has so many rows.
func (p *Platform) WantRows(table string, n int) {
	p.T.Helper()
	counts, err := p.Db.RowCounts(p.T.Context())
	NoError(p.T, err)
	if !strings.Contains(" "+counts, fmt.Sprintf(" %s=%d ", table, n)) {
		p.T.Errorf("want %d rows in %s: %s", n, table, counts)
	}
}
