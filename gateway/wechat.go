package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

// WeChatOptions are the base addresses of WeChat. Empty ones are WeChat's own.
type WeChatOptions struct {
	API  string // answers to this server
	Open string // the pages on which people authorise
}

// WeChat asks WeChat who somebody is: in the app by the OAuth of an official account, elsewhere by the QR code of a
// website application of the open platform. It keeps nothing: the caller caches tokens and tickets.
type WeChat struct {
	api  *wxAPI
	open string
}

const wechat = "wechat"

// The scopes of an authorisation.
const (
	ScopeBase  = "snsapi_base"     // who it is; the person sees nothing of it
	ScopeUser  = "snsapi_userinfo" // name and picture as well, which the person grants
	ScopeLogin = "snsapi_login"    // the QR code
)

// NewWeChat returns a client. Nothing is asked until the first call.
func NewWeChat(o WeChatOptions) *WeChat {
	return &WeChat{
		api:  newWxAPI(wechat, orOwn(o.API, "https://api.weixin.qq.com")),
		open: orOwn(o.Open, "https://open.weixin.qq.com"),
	}
}

// Up reports whether WeChat is in use, and not paused after repeated failures.
func (w *WeChat) Up() bool { return w.api.breaker.up() }

// App is an official account or a website application, as WeChat knows it.
type App struct {
	ID     string
	Secret string `json:"-"`
}

// String leaves out the secret: credentials reach logs by accident.
func (a App) String() string { return "wechat app " + a.ID }

// GoString is String.
func (a App) GoString() string { return a.String() }

// LogValue is the application as a log may show it.
func (a App) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Identity is who authorised. OpenID is theirs at one application, UnionID at all of one owner, where he has joined
// them.
type Identity struct {
	OpenID  string
	UnionID string // may be empty
	Nick    string // may be empty; at most 64 characters in one line
	Head    string // address of a picture over https; may be empty. Pictures fetches it when the person asks
}

// AuthorizeURL is where the person is sent to authorise: the QR code for ScopeLogin, the page in the app for the
// others. They come back to redirect with code and state, or without a code where they declined.
func (w *WeChat) AuthorizeURL(appID, redirect, state, scope string) string {
	path := "/connect/oauth2/authorize"
	if scope == ScopeLogin {
		path = "/connect/qrconnect"
	}
	return w.open + path + inOrder("appid", appID, "redirect_uri", redirect, "response_type", "code", "scope",
		scope, "state", state) + "#wechat_redirect"
}

// Exchange asks once who the code belongs to, within 5 s. Where the scope grants them it asks for name and picture as
// well; without an answer they stay empty. It fails with a *Failure.
func (w *WeChat) Exchange(ctx context.Context, app App, code string) (Identity, error) {
	if f := w.api.refusal(app.ID != "" && app.Secret != "", true, goodCode(code)); f != nil {
		return Identity{}, f
	}
	ctx, cancel := context.WithTimeout(ctx, w.api.whole)
	defer cancel()
	var got grantAnswer
	f := w.api.ask(ctx, wxCall{
		path: "/sns/oauth2/access_token",
		query: url.Values{"appid": {app.ID}, "secret": {app.Secret}, "code": {code},
			"grant_type": {"authorization_code"}},
		hidden: []string{app.Secret, code},
	}, &got)
	switch {
	case f != nil:
		return Identity{}, f
	case got.AppID != "" && got.AppID != app.ID:
		return Identity{}, refused(wechat, codeOtherApp)
	case got.Snapshot != "" && got.Snapshot != "0":
		return Identity{}, &Failure{Provider: wechat, Code: codeSnapshot, Kind: Expired}
	}
	who := Identity{OpenID: got.OpenID, UnionID: got.UnionID}
	if strings.Contains(got.Scope, ScopeUser) || strings.Contains(got.Scope, ScopeLogin) {
		w.introduce(ctx, &who, got.AccessToken)
	}
	return who, nil
}

// grantAnswer says whose the code is. A snapshot is a page WeChat shows to people who have not agreed to anything; its
// identity is made up and shared.
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
		goodToken(g.AccessToken)
}

// introduce adds name, picture and, where it was missing, the id that joins applications.
func (w *WeChat) introduce(ctx context.Context, who *Identity, token string) {
	var got profileAnswer
	f := w.api.ask(ctx, wxCall{
		path:  "/sns/userinfo",
		query: url.Values{"access_token": {token}, "openid": {who.OpenID}, "lang": {"zh_CN"}},
	}, &got)
	if f != nil || got.OpenID != who.OpenID || who.UnionID != "" && got.UnionID != "" && got.UnionID != who.UnionID {
		return
	}
	if who.UnionID == "" {
		who.UnionID = got.UnionID
	}
	who.Nick, who.Head = printable(got.Nick, maxNick), picture(got.Head)
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

// picture is an address a browser may be given, over https, or nothing.
func picture(address string) string {
	u, err := url.Parse(address)
	if err != nil || len(address) > maxHead || u.Host == "" || u.User != nil || u.Scheme != "https" &&
		u.Scheme != "http" {
		return ""
	}
	u.Scheme = "https"
	return u.String()
}

// Token asks for the access token of the application. While one is good the same is given again, so that several
// instances do not take it from each other.
func (w *WeChat) Token(ctx context.Context, app App) (Token, error) {
	if f := w.api.refusal(app.ID != "" && app.Secret != "", true, true); f != nil {
		return Token{}, f
	}
	body, err := json.Marshal(map[string]any{"grant_type": "client_credential",
		"appid": app.ID, "secret": app.Secret, "force_refresh": false})
	if err != nil {
		return Token{}, refused(wechat, "bad_request")
	}
	return w.api.token(ctx, wxCall{path: "/cgi-bin/stable_token", body: body, hidden: []string{app.Secret}})
}

// Ticket asks for the ticket by which pages are signed for the JS-SDK. A failure of Kind Stale means that token is no
// longer good.
func (w *WeChat) Ticket(ctx context.Context, app App, token string) (Token, error) {
	if f := w.api.refusal(true, goodToken(token), true); f != nil {
		return Token{}, f
	}
	return w.api.token(ctx, wxCall{
		path:   "/cgi-bin/ticket/getticket",
		query:  url.Values{"access_token": {token}, "type": {"jsapi"}},
		hidden: []string{app.Secret, token},
	})
}
