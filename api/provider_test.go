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
	"portico/portal/chatapps"
	"portico/store"
	"portico/store/storetest"
)

// canary is part of every secret, access token and ticket, none of which may leave the program.
const canary = "canary0c4n4ry"

// The platform's own applications.
var (
	platformWeChat = chatapps.ProviderApp{
		Kind: store.WeChatAccount, ID: "wx00000000000000a1", Secret: "wechat-secret-" + canary,
	}
	platformWeCom = chatapps.ProviderApp{
		Kind: store.WeComCorp, ID: "ww00000000000000a1", Agent: "1000001", Secret: "wecom-secret-" + canary,
	}
)

// chat is WeChat or work-chat: people authorise at the address they are sent to, and come back with a code that is good
// once and for five minutes.
type chat struct {
	name access.ProviderName
	now  func() time.Time

	mu        sync.Mutex
	codes     map[string]*chatCode
	tokens    map[string]string // the access token of an application
	made      int
	down      *chatapps.ProviderFailure
	exchanges int
	signed    []string // pages
	fetched   map[chatapps.TokenKind]int
	slow      time.Duration // of an exchange
}

type chatCode struct {
	app   string
	who   chatapps.ProviderIdentity
	until time.Time
	used  bool
}

func newChat(name access.ProviderName, now func() time.Time) *chat {
	return &chat{
		name: name, now: now, codes: map[string]*chatCode{}, tokens: map[string]string{},
		fetched: map[chatapps.TokenKind]int{},
	}
}

func (c *chat) AuthorizeURL(app chatapps.ProviderApp, redirect, state string, scope chatapps.Scope) string {
	query := url.Values{
		"appid": {app.ID}, "agentid": {app.Agent}, "redirect_uri": {redirect}, "state": {state},
		"scope": {string(scope)},
	}
	return "https://" + string(c.name) + ".test/authorize?" + query.Encode()
}

func (c *chat) NeedsToken() bool { return c.name == access.WeCom }

// secret returns a new secret with the canary in it.
func (c *chat) secret(kind chatapps.TokenKind) string {
	c.made++
	c.fetched[kind]++
	return fmt.Sprintf("%s-%s-%s-%d", c.name, kind, canary, c.made)
}

func (c *chat) Token(_ context.Context, app chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down != nil {
		return chatapps.ProviderToken{}, c.down
	}
	c.tokens[app.ID+app.Agent] = c.secret(chatapps.AccessToken)
	return chatapps.ProviderToken{Value: c.tokens[app.ID+app.Agent], Life: 2 * time.Hour}, nil
}

func (c *chat) Ticket(
	_ context.Context, app chatapps.ProviderApp, kind chatapps.TokenKind, token string,
) (chatapps.ProviderToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down != nil {
		return chatapps.ProviderToken{}, c.down
	}
	if token != c.tokens[app.ID+app.Agent] {
		return chatapps.ProviderToken{}, &chatapps.ProviderFailure{Code: "40001", Stale: true}
	}
	return chatapps.ProviderToken{Value: c.secret(kind), Life: 2 * time.Hour}, nil
}

func (c *chat) Exchange(
	ctx context.Context, app chatapps.ProviderApp, token, code string,
) (chatapps.ProviderIdentity, error) {
	c.mu.Lock()
	c.exchanges++
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return chatapps.ProviderIdentity{}, &chatapps.ProviderFailure{Code: "timeout"}
	case <-time.After(c.slow):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down != nil {
		return chatapps.ProviderIdentity{}, c.down
	}
	if c.NeedsToken() && token != c.tokens[app.ID+app.Agent] {
		return chatapps.ProviderIdentity{}, &chatapps.ProviderFailure{Code: "40014", Stale: true}
	}
	given := c.codes[code]
	if given == nil || given.used || given.app != app.ID || !c.now().Before(given.until) {
		return chatapps.ProviderIdentity{}, &chatapps.ProviderFailure{Code: "40029", Spent: true}
	}
	given.used = true
	return given.who, nil
}

func (c *chat) Sign(ticket, nonce string, timestamp int64, page string) string {
	c.mu.Lock()
	c.signed = append(c.signed, page)
	c.mu.Unlock()
	sum := sha1.Sum(fmt.Appendf(nil, "%s %s %d %s", ticket, nonce, timestamp, page))
	return hex.EncodeToString(sum[:])
}

// agree authorises at the address that the program gave, and returns the code and state that the browser brings back.
func (c *chat) agree(t testing.TB, address string, who chatapps.ProviderIdentity) (code, state string) {
	t.Helper()
	u, err := url.Parse(address)
	noError(t, err)
	if u.Host != string(c.name)+".test" {
		t.Fatalf("sent to %s", address)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	code = fmt.Sprintf("%s-code-%d", c.name, c.made)
	c.codes[code] = &chatCode{app: u.Query().Get("appid"), who: who, until: c.now().Add(5 * time.Minute)}
	return code, u.Query().Get("state")
}

// fails makes everything fail from now on; nil ends it.
func (c *chat) fails(f *chatapps.ProviderFailure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = f
}

func (c *chat) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exchanges
}

// forgets makes every access token that was given out so far stale.
func (c *chat) forgets() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens = map[string]string{}
}

// chatSite is a site with the platform's applications at both providers.
type chatSite struct {
	*site
	wechat, wecom *chat
}

// eachChat is each, with chat apps.
func eachChat(t *testing.T, test func(t *testing.T, s *chatSite), change ...func(*portal.Options)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Parallel()
		s := &chatSite{}
		s.site = newSite(t, db, append([]func(*portal.Options){s.offer}, change...)...)
		test(t, s)
	})
}

func (s *chatSite) offer(o *portal.Options) {
	s.wechat, s.wecom = newChat(access.WeChat, o.Now), newChat(access.WeCom, o.Now)
	o.Providers = chatapps.Providers{
		WeChat: s.wechat, WeCom: s.wecom, Apps: []chatapps.ProviderApp{platformWeChat, platformWeCom},
	}
}

// withChat turns the chat apps on for a site.
func withChat(o *portal.Options) { new(chatSite).offer(o) }

const (
	paramsPath   = "/api/v1/company/wechat/noAuth/getAppAuthenticationParams"
	workChatPath = "/api/v1/company/wechat/noAuth/authorization"
	chosenPath   = "/api/v1/company/wechat/account/login"
	weChatPath   = "/v1/setting/weChatSetting/noAuth/getWeChatUserInfo"
	ticketPath   = "/v1/account/openIdLogin"
	bindPath     = "/v1/account/bindOpenIdForLogin"

	shopPage = "http://store1001.portico.test/home?companyId=1001"
)

// somebody is an identity at either provider.
func somebody(subject string) chatapps.ProviderIdentity {
	return chatapps.ProviderIdentity{
		Subject: subject, Nick: "小禾", Head: "https://thirdwx.qlogo.cn/mmopen/" + subject + "/132",
	}
}

type answeredParams struct {
	CorpID         string  `json:"corp_id_"`
	AgentID        *string `json:"agent_id_"`
	AuthorizeURL   string  `json:"authorize_url_"`
	Timestamp      int64   `json:"timestamp_"`
	Nonce          string  `json:"nonce_"`
	CorpSignature  string  `json:"corp_signature_"`
	AgentSignature *string `json:"agent_signature_"`
}

// begun is an authorisation by getAppAuthenticationParams, of WeChat and the platform unless more names others.
func (s *chatSite) begun(more ...string) answeredParams {
	s.t.Helper()
	params := changed([]string{"url_", "http://account.portico.test/login", "provider_", "wechat"}, more...)
	return dataOf[answeredParams](s.t, s.post("", paramsPath, params...))
}

// cameBack returns the code and state that a browser brings back from WeChat.
func (s *chatSite) cameBack(who chatapps.ProviderIdentity, more ...string) (code, state string) {
	s.t.Helper()
	return s.wechat.agree(s.t, s.begun(more...).AuthorizeURL, who)
}

type answeredIdentity struct {
	OpenID  string  `json:"open_id_"`
	UnionID *string `json:"union_id_"`
	Nick    *string `json:"nick_name_"`
	Head    *string `json:"head_img_"`
	Linked  bool    `json:"linked_"`
	Applied bool    `json:"applied_"`
	Ticket  string  `json:"ticket_"`
}

// recognised authorises at WeChat and returns the identity with its ticket.
func (s *chatSite) recognised(who chatapps.ProviderIdentity, more ...string) answeredIdentity {
	s.t.Helper()
	code, state := s.cameBack(who, more...)
	return dataOf[answeredIdentity](s.t, s.get("", weChatPath, "code_", code, "state_", state))
}

type answeredWorkChat struct {
	Ticket string        `json:"ticket_"`
	Linked bool          `json:"linked_"`
	User   *answeredUser `json:"user_"`
}

// atWorkChat authorises at WeCom for company 1001 and returns the answer.
func (s *chatSite) atWorkChat(subject string) answered {
	s.t.Helper()
	code, state := s.wecom.agree(
		s.t, s.begun("provider_", "wecom", "company_id_", "1001", "url_", shopPage).AuthorizeURL,
		chatapps.ProviderIdentity{Subject: subject},
	)
	return s.post("", workChatPath, "code_", code, "state_", state, "company_id_", "1001")
}

// link links an identity of an application to whoever signs in by login: a phone, or an account without one.
func (s *chatSite) link(app chatapps.ProviderApp, subject, login string) {
	s.t.Helper()
	i := store.Identity{
		Provider: string(access.WeChat), App: app.ID, Subject: subject, OwnerID: app.Owner, LinkedAt: 1, UsedAt: 1,
	}
	if app.Kind == store.WeComCorp {
		i.Provider = string(access.WeCom)
	}
	if phone, err := s.db.Phones.ByNumber(s.t.Context(), login); err == nil {
		i.PhoneID = phone.ID
	} else {
		members, err := s.db.Accounts.ByLogin(s.t.Context(), login)
		noError(s.t, err)
		i.AccountID = members[0].ID
	}
	noError(s.t, s.db.Identities.Link(s.t.Context(), i, store.Identity{}))
}
