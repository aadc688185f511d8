package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

// WeChatOptions are the base URLs of WeChat. Empty ones are WeChat's own.
type WeChatOptions struct {
	API  string // of the API
	Open string // of the pages on which people authorise
}

// WeChat is a client of WeChat's OAuth 2: in the app for an official account, elsewhere by the QR code of a website
// application of the open platform. It stores nothing: the caller caches tokens and tickets.
type WeChat struct {
	api  *wxAPI
	open string
}

const wechat = "wechat"

// The scopes of an authorisation.
const (
	ScopeBase  = "snsapi_base"     // the identity alone, without asking the person
	ScopeUser  = "snsapi_userinfo" // name and picture as well, after asking the person
	ScopeLogin = "snsapi_login"    // by QR code
)

// NewWeChat returns a client. It makes no request before the first call.
func NewWeChat(o WeChatOptions) *WeChat {
	return &WeChat{
		api:  newWxAPI(wechat, orDefault(o.API, "https://api.weixin.qq.com")),
		open: orDefault(o.Open, "https://open.weixin.qq.com"),
	}
}

// Up reports whether WeChat is in use, and not paused after repeated failures.
func (w *WeChat) Up() bool { return w.api.breaker.up() }

// App is an application at WeChat: an official account, or a website or mobile application.
type App struct {
	ID     string
	Secret string `json:"-"`
}

// String leaves out the secret, in case the application is logged by accident.
func (a App) String() string { return "wechat app " + a.ID }

// GoString returns what String returns, for %#v.
func (a App) GoString() string { return a.String() }

// LogValue returns what String returns, for slog.
func (a App) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Identity is the WeChat identity of the person who authorised. OpenID identifies the person at one application,
// UnionID at all applications that their owner has joined on the open platform.
type Identity struct {
	OpenID   string
	UnionID  string // may be empty
	Nick     string // may be empty; at most 64 characters in one line
	Portrait string // https URL of a picture; may be empty. Pictures fetches it when the person asks for that
}

// AuthorizeURL returns the URL of the page on which a person authorises: with a QR code for ScopeLogin, in the app for
// the other scopes. WeChat then redirects to redirect with code and state, or without a code when the person declined.
func (w *WeChat) AuthorizeURL(appID, redirect, state, scope string) string {
	path := "/connect/oauth2/authorize"
	if scope == ScopeLogin {
		path = "/connect/qrconnect"
	}
	return w.open + path + orderedQuery("appid", appID, "redirect_uri", redirect, "response_type", "code", "scope",
		scope, "state", state) + "#wechat_redirect"
}

// Exchange exchanges a code for the identity, in one attempt of at most 5 s. When the scope allows it, it reads name
// and picture as well; they stay empty when that fails. Its error is a *Failure.
func (w *WeChat) Exchange(ctx context.Context, app App, code string) (Identity, error) {
	if f := w.api.checkBeforeCall(app.ID != "" && app.Secret != "", true, isCode(code)); f != nil {
		return Identity{}, f
	}
	ctx, cancel := context.WithTimeout(ctx, w.api.totalTime)
	defer cancel()
	var got grantAnswer
	f := w.api.ask(ctx, wxCall{
		path: "/sns/oauth2/access_token",
		query: url.Values{"appid": {app.ID}, "secret": {app.Secret}, "code": {code},
			"grant_type": {"authorization_code"}},
		secrets: []string{app.Secret, code},
	}, &got)
	switch {
	case f != nil:
		return Identity{}, f
	case got.AppID != "" && got.AppID != app.ID:
		return Identity{}, refused(wechat, codeOtherApp)
	case got.Snapshot != "" && got.Snapshot != "0":
		return Identity{}, &Failure{Provider: wechat, Code: codeSnapshot, Kind: Expired}
	}
	identity := Identity{OpenID: got.OpenID, UnionID: got.UnionID}
	if strings.Contains(got.Scope, ScopeUser) || strings.Contains(got.Scope, ScopeLogin) {
		w.addProfile(ctx, &identity, got.AccessToken)
	}
	return identity, nil
}

// grantAnswer is the identity that a code belongs to. WeChat shows a "snapshot" of a page to people who have not agreed
// to anything; its identity is made up and shared by many people.
type grantAnswer struct {
	AppID       string      `json:"appid"`
	AccessToken string      `json:"access_token"`
	OpenID      string      `json:"openid"`
	UnionID     string      `json:"unionid"`
	Scope       string      `json:"scope"`
	Snapshot    json.Number `json:"is_snapshotuser"`
}

var openIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (g *grantAnswer) complete() bool {
	return openIDForm.MatchString(g.OpenID) && (g.UnionID == "" || openIDForm.MatchString(g.UnionID)) &&
		isToken(g.AccessToken)
}

// addProfile adds name, picture and a missing UnionID to an identity.
func (w *WeChat) addProfile(ctx context.Context, identity *Identity, token string) {
	var got profileAnswer
	f := w.api.ask(ctx, wxCall{
		path:  "/sns/userinfo",
		query: url.Values{"access_token": {token}, "openid": {identity.OpenID}, "lang": {"zh_CN"}},
	}, &got)
	if f != nil || got.OpenID != identity.OpenID ||
		identity.UnionID != "" && got.UnionID != "" && got.UnionID != identity.UnionID {
		return
	}
	if identity.UnionID == "" {
		identity.UnionID = got.UnionID
	}
	identity.Nick, identity.Portrait = printable(got.Nick, maxNick), picture(got.Head)
}

type profileAnswer struct {
	OpenID  string `json:"openid"`
	UnionID string `json:"unionid"`
	Nick    string `json:"nickname"`
	Head    string `json:"headimgurl"`
}

func (p *profileAnswer) complete() bool {
	return openIDForm.MatchString(p.OpenID) && (p.UnionID == "" || openIDForm.MatchString(p.UnionID))
}

const (
	maxNick = 64  // characters
	maxHead = 512 // bytes
)

// picture returns the https URL of a picture, "" when the given URL must not be shown to a browser.
func picture(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxHead || u.Host == "" || u.User != nil || u.Scheme != "https" &&
		u.Scheme != "http" {
		return ""
	}
	u.Scheme = "https"
	return u.String()
}

// Token fetches the access token of an application. While a token is valid, WeChat returns the same token again, so
// that instances do not end each other's token.
func (w *WeChat) Token(ctx context.Context, app App) (Token, error) {
	if f := w.api.checkBeforeCall(app.ID != "" && app.Secret != "", true, true); f != nil {
		return Token{}, f
	}
	body, err := json.Marshal(map[string]any{"grant_type": "client_credential",
		"appid": app.ID, "secret": app.Secret, "force_refresh": false})
	if err != nil {
		return Token{}, refused(wechat, "bad_request")
	}
	return w.api.token(ctx, wxCall{path: "/cgi-bin/stable_token", body: body, secrets: []string{app.Secret}})
}

// Ticket fetches the ticket that signs pages for the JS-SDK. A failure of Kind Stale says that token is not valid any
// more.
func (w *WeChat) Ticket(ctx context.Context, app App, token string) (Token, error) {
	if f := w.api.checkBeforeCall(true, isToken(token), true); f != nil {
		return Token{}, f
	}
	return w.api.token(ctx, wxCall{
		path:    "/cgi-bin/ticket/getticket",
		query:   url.Values{"access_token": {token}, "type": {"jsapi"}},
		secrets: []string{app.Secret, token},
	})
}
