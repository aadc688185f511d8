package api

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// canary is part of every secret, access token and ticket, none of which may leave the program.
const canary = "canary0c4n4ry"

// The platform's own applications.
var (
	platformWeChat = signin.ProviderApp{
		Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "wechat-secret-" + canary,
	}
	platformWeCom = signin.ProviderApp{
		Kind: store.WeComCorp, ID: "ww00000000000000a1", Agent: "1000001", Secret: "wecom-secret-" + canary,
	}
)

// fakeProvider is WeChat or work-chat: people authorise at the address they are sent to, and come back with a code that
// is good once and for five minutes.
type fakeProvider struct {
	name access.ProviderName
	now  func() time.Time

	mu            sync.Mutex
	codes         map[string]*chatCode     // by code
	tokens        map[string]string        // the current access token by application and agent
	counter       int                      // numbers codes and secrets
	failure       *signin.ProviderFailure  // every request fails with it, unless it is nil
	exchanges     int                      // requests to exchange a code
	signed        []string                 // the addresses of signed pages
	fetched       map[signin.TokenKind]int // how many tokens and tickets were issued
	exchangeDelay time.Duration
}

// chatCode is a code that a person brings back from an authorisation.
type chatCode struct {
	app      string
	identity signin.ProviderIdentity
	until    time.Time
	used     bool
}

func newFakeProvider(name access.ProviderName, now func() time.Time) *fakeProvider {
	return &fakeProvider{
		name: name, now: now, codes: map[string]*chatCode{}, tokens: map[string]string{},
		fetched: map[signin.TokenKind]int{},
	}
}

func (c *fakeProvider) AuthorizeURL(app signin.ProviderApp, redirect, state string, scope signin.Scope) string {
	query := url.Values{
		"appid": {app.ID}, "agentid": {app.Agent}, "redirect_uri": {redirect}, "state": {state},
		"scope": {string(scope)},
	}
	return "https://" + string(c.name) + ".test/authorize?" + query.Encode()
}

func (c *fakeProvider) NeedsToken() bool { return c.name == access.WeCom }

// newSecret returns a new secret with the canary in it.
func (c *fakeProvider) newSecret(kind signin.TokenKind) string {
	c.counter++
	c.fetched[kind]++
	return fmt.Sprintf("%s-%s-%s-%d", c.name, kind, canary, c.counter)
}

func (c *fakeProvider) Token(_ context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return signin.ProviderToken{}, c.failure
	}
	c.tokens[app.ID+app.Agent] = c.newSecret(signin.AccessToken)
	return signin.ProviderToken{Value: c.tokens[app.ID+app.Agent], Life: 2 * time.Hour}, nil
}

func (c *fakeProvider) Ticket(
	_ context.Context, app signin.ProviderApp, kind signin.TokenKind, token string,
) (signin.ProviderToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return signin.ProviderToken{}, c.failure
	}
	if token != c.tokens[app.ID+app.Agent] {
		return signin.ProviderToken{}, &signin.ProviderFailure{Code: "40001", Stale: true}
	}
	return signin.ProviderToken{Value: c.newSecret(kind), Life: 2 * time.Hour}, nil
}

func (c *fakeProvider) Exchange(
	ctx context.Context, app signin.ProviderApp, token, code string,
) (signin.ProviderIdentity, error) {
	c.mu.Lock()
	c.exchanges++
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return signin.ProviderIdentity{}, &signin.ProviderFailure{Code: "timeout"}
	case <-time.After(c.exchangeDelay):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return signin.ProviderIdentity{}, c.failure
	}
	if c.NeedsToken() && token != c.tokens[app.ID+app.Agent] {
		return signin.ProviderIdentity{}, &signin.ProviderFailure{Code: "40014", Stale: true}
	}
	given := c.codes[code]
	if given == nil || given.used || given.app != app.ID || !c.now().Before(given.until) {
		return signin.ProviderIdentity{}, &signin.ProviderFailure{Code: "40029", Spent: true}
	}
	given.used = true
	return given.identity, nil
}

func (c *fakeProvider) Sign(ticket, nonce string, timestamp int64, page string) string {
	c.mu.Lock()
	c.signed = append(c.signed, page)
	c.mu.Unlock()
	sum := sha1.Sum(fmt.Appendf(nil, "%s %s %d %s", ticket, nonce, timestamp, page))
	return hex.EncodeToString(sum[:])
}

// authorise lets a person authorise at the address that the program gave, and returns the code and state that the
// browser brings back.
func (c *fakeProvider) authorise(
	t testing.TB, address string, identity signin.ProviderIdentity,
) (code, state string) {
	t.Helper()
	u, err := url.Parse(address)
	noError(t, err)
	if u.Host != string(c.name)+".test" {
		t.Fatalf("sent to %s", address)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counter++
	code = fmt.Sprintf("%s-code-%d", c.name, c.counter)
	c.codes[code] = &chatCode{app: u.Query().Get("appid"), identity: identity, until: c.now().Add(5 * time.Minute)}
	return code, u.Query().Get("state")
}

// setFailure makes every request fail from now on; nil ends that.
func (c *fakeProvider) setFailure(f *signin.ProviderFailure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = f
}

// exchangeCount returns how many codes the program tried to exchange.
func (c *fakeProvider) exchangeCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exchanges
}

// invalidateTokens makes every access token that was issued so far stale.
func (c *fakeProvider) invalidateTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens = map[string]string{}
}

// chatSite is a site with WeChat and WeCom, and with the platform's applications at both.
type chatSite struct {
	*site
	wechat, wecom *fakeProvider
}

// eachDatabaseWithChat is eachDatabase with chat apps.
func eachDatabaseWithChat(t *testing.T, test func(t *testing.T, s *chatSite), change ...func(*portal.Options)) {
	t.Helper()
	storetest.EachRule(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		s := &chatSite{}
		s.site = newSite(t, db, append([]func(*portal.Options){s.addProviders}, change...)...)
		test(t, s)
	})
}

// addProviders sets the options for chat apps.
func (s *chatSite) addProviders(o *portal.Options) {
	s.wechat, s.wecom = newFakeProvider(access.WeChat, o.Now), newFakeProvider(access.WeCom, o.Now)
	o.Providers = signin.Providers{
		WeChat: s.wechat, WeCom: s.wecom, Apps: []signin.ProviderApp{platformWeChat, platformWeCom},
	}
}

// withChatApps is an option that adds chat apps to a site.
func withChatApps(o *portal.Options) { new(chatSite).addProviders(o) }

const (
	authorizeParamsPath = "/api/v1/company/wechat/noAuth/getAppAuthenticationParams"
	workChatPath        = "/api/v1/company/wechat/noAuth/authorization"
	chooseAccountPath   = "/api/v1/company/wechat/account/login"
	weChatUserPath      = "/v1/setting/weChatSetting/noAuth/getWeChatUserInfo"
	openIDLoginPath     = "/v1/account/openIdLogin"
	linkWeChatPath      = "/v1/account/bindOpenIdForLogin"

	shopPage = "http://store1001.portico.test/home?companyId=1001"
)

// identityOf returns an identity with a subject, for either provider.
func identityOf(subject string) signin.ProviderIdentity {
	return signin.ProviderIdentity{
		Subject: subject, Nick: "小禾", Portrait: "https://thirdwx.qlogo.cn/mmopen/" + subject + "/132",
	}
}

type authorizeData struct {
	CorpID         string  `json:"corp_id_"`
	AgentID        *string `json:"agent_id_"`
	AuthorizeURL   string  `json:"authorize_url_"`
	Timestamp      int64   `json:"timestamp_"`
	Nonce          string  `json:"nonce_"`
	CorpSignature  string  `json:"corp_signature_"`
	AgentSignature *string `json:"agent_signature_"`
}

// beginAuthorisation calls getAppAuthenticationParams, for WeChat and the platform unless more replaces the parameters.
func (s *chatSite) beginAuthorisation(more ...string) authorizeData {
	s.t.Helper()
	params := withChanges([]string{"url_", "http://account.portico.test/login", "provider_", "wechat"}, more...)
	return dataOf[authorizeData](s.t, s.post("", authorizeParamsPath, params...))
}

// authoriseAtWeChat returns the code and state that a browser brings back from WeChat.
func (s *chatSite) authoriseAtWeChat(identity signin.ProviderIdentity, more ...string) (code, state string) {
	s.t.Helper()
	return s.wechat.authorise(s.t, s.beginAuthorisation(more...).AuthorizeURL, identity)
}

type identityData struct {
	OpenID  string  `json:"open_id_"`
	UnionID *string `json:"union_id_"`
	Nick    *string `json:"nick_name_"`
	Head    *string `json:"head_img_"`
	Linked  bool    `json:"linked_"`
	Applied bool    `json:"applied_"`
	Ticket  string  `json:"ticket_"`
}

// weChatIdentity authorises at WeChat and returns the identity with its ticket.
func (s *chatSite) weChatIdentity(identity signin.ProviderIdentity, more ...string) identityData {
	s.t.Helper()
	code, state := s.authoriseAtWeChat(identity, more...)
	return dataOf[identityData](s.t, s.get("", weChatUserPath, "code_", code, "state_", state))
}

type workChatData struct {
	Ticket string    `json:"ticket_"`
	Linked bool      `json:"linked_"`
	User   *userData `json:"user_"`
}

// signInByWorkChat authorises at WeCom for company 1001 and returns the response of the sign-in.
func (s *chatSite) signInByWorkChat(subject string) apiResponse {
	s.t.Helper()
	code, state := s.wecom.authorise(
		s.t, s.beginAuthorisation("provider_", "wecom", "company_id_", "1001", "url_", shopPage).AuthorizeURL,
		signin.ProviderIdentity{Subject: subject},
	)
	return s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001")
}

// linkIdentity links an identity of an application to the phone or, if there is none, to the account of a login.
func (s *chatSite) linkIdentity(app signin.ProviderApp, subject, login string) {
	s.t.Helper()
	i := store.Identity{
		Provider: string(access.WeChat), App: app.ID, Subject: subject, OwnerID: app.Owner, LinkedAt: 1, UsedAt: 1,
	}
	if app.Kind == store.WeComCorp {
		i.Provider = string(access.WeCom)
	}
	if person, err := s.db.Persons.ByNumber(s.t.Context(), login); err == nil {
		i.PersonID = person.ID
	} else {
		members, err := s.db.Accounts.ByLogin(s.t.Context(), login)
		noError(s.t, err)
		i.AccountID = members[0].ID
	}
	noError(s.t, s.db.Identities.Link(s.t.Context(), i, store.Identity{}))
}
