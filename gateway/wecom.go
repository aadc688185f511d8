package gateway

import (
	"context"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

// WeComOptions are the base URLs of WeCom. Empty ones are WeCom's own.
type WeComOptions struct {
	API  string // of the API
	Open string // of the pages on which people authorise, in the app and on a desktop
}

// WeCom is a client of the OAuth 2 of WeCom, the WeChat for companies. It stores nothing: the caller caches tokens and
// tickets.
type WeCom struct {
	api        *wxAPI
	open, scan string
}

// Up reports whether WeCom is in use, and not paused after repeated failures.
func (w *WeCom) Up() bool { return w.api.breaker.up() }

const wecom = "wecom"

// NewWeCom returns a client. It makes no request before the first call.
func NewWeCom(o WeComOptions) *WeCom {
	return &WeCom{
		api:  newWxAPI(wecom, orDefault(o.API, "https://qyapi.weixin.qq.com")),
		open: orDefault(o.Open, "https://open.weixin.qq.com"),
		scan: orDefault(o.Open, "https://login.work.weixin.qq.com"),
	}
}

// Corp is a company's application at WeCom.
type Corp struct {
	ID      string
	AgentID string
	Secret  string `json:"-"`
}

// String leaves out the secret, in case the application is logged by accident.
func (c Corp) String() string { return "wecom corp " + c.ID + " agent " + c.AgentID }

// GoString returns what String returns, for %#v.
func (c Corp) GoString() string { return c.String() }

// LogValue returns what String returns, for slog.
func (c Corp) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Member is the person who authorised. A member of the company has a UserID and nothing else. Any other person has an
// OpenID, which identifies them at this company.
type Member struct {
	UserID         string // at most 64 characters, which WeCom compares without regard to case
	OpenID         string
	ExternalUserID string // of a customer of the company; may be empty
}

// AuthorizeURL returns the URL that authorises a person in the app, without asking them. WeCom then redirects to
// redirect with code and state.
func (w *WeCom) AuthorizeURL(corp Corp, redirect, state string) string {
	return w.open + "/connect/oauth2/authorize" +
		orderedQuery("appid", corp.ID, "redirect_uri", redirect, "response_type",
			"code",
			"scope", ScopeBase, "state", state, "agentid", corp.AgentID) + "#wechat_redirect"
}

// ScanURL returns the URL of the page with a QR code, for a desktop. WeCom then redirects to redirect with code and
// state.
func (w *WeCom) ScanURL(corp Corp, redirect, state string) string {
	return w.scan + "/wwlogin/sso/login" + orderedQuery("login_type", "CorpApp", "appid", corp.ID, "agentid",
		corp.AgentID,
		"redirect_uri", redirect, "state", state)
}

// Token fetches the access token of an application. Its error is a *Failure.
func (w *WeCom) Token(ctx context.Context, corp Corp) (Token, error) {
	if f := w.api.checkBeforeCall(corp.ID != "" && corp.Secret != "", true, true); f != nil {
		return Token{}, f
	}
	return w.api.token(ctx, wxCall{
		path:    "/cgi-bin/gettoken",
		query:   url.Values{"corpid": {corp.ID}, "corpsecret": {corp.Secret}},
		secrets: []string{corp.Secret},
	})
}

// Exchange exchanges a code for the member, in one attempt of at most 5 s. After a failure of Kind Stale the code is
// still valid with another token.
func (w *WeCom) Exchange(ctx context.Context, corp Corp, token, code string) (Member, error) {
	if f := w.api.checkBeforeCall(corp.ID != "", isToken(token), isCode(code)); f != nil {
		return Member{}, f
	}
	ctx, cancel := context.WithTimeout(ctx, w.api.totalTime)
	defer cancel()
	var got memberAnswer
	f := w.api.ask(ctx, wxCall{
		path:    "/cgi-bin/auth/getuserinfo",
		query:   url.Values{"access_token": {token}, "code": {code}},
		secrets: []string{corp.Secret, token, code},
	}, &got)
	switch {
	case f != nil:
		return Member{}, f
	case got.CorpID != "" && got.CorpID != corp.ID, strings.Contains(got.UserID, "/"):
		return Member{}, refused(wecom, codeOtherApp)
	case got.UserID != "":
		return Member{UserID: got.UserID}, nil
	}
	return Member{OpenID: got.OpenID, ExternalUserID: got.ExternalUserID}, nil
}

// memberAnswer is the member that a code belongs to. The UserID of a member of a linked company begins with that
// company's id and a slash.
type memberAnswer struct {
	CorpID         string `json:"corpid"`
	UserID         string `json:"userid"`
	OpenID         string `json:"openid"`
	ExternalUserID string `json:"external_userid"`
}

var userIDForm = regexp.MustCompile(`^([A-Za-z0-9_-]{1,64}/)?[A-Za-z0-9][A-Za-z0-9_@.-]{0,63}$`)

func (m *memberAnswer) complete() bool {
	if m.UserID != "" {
		return userIDForm.MatchString(m.UserID)
	}
	return openIDForm.MatchString(m.OpenID) && (m.ExternalUserID == "" || openIDForm.MatchString(m.ExternalUserID))
}

// CorpTicket fetches the ticket that signs pages for the company.
func (w *WeCom) CorpTicket(ctx context.Context, corp Corp, token string) (Token, error) {
	return w.ticket(ctx, corp, "/cgi-bin/get_jsapi_ticket", url.Values{"access_token": {token}})
}

// AgentTicket fetches the ticket that signs pages for the application.
func (w *WeCom) AgentTicket(ctx context.Context, corp Corp, token string) (Token, error) {
	return w.ticket(ctx, corp, "/cgi-bin/ticket/get", url.Values{"access_token": {token}, "type": {"agent_config"}})
}

func (w *WeCom) ticket(ctx context.Context, corp Corp, path string, query url.Values) (Token, error) {
	token := query.Get("access_token")
	if f := w.api.checkBeforeCall(true, isToken(token), true); f != nil {
		return Token{}, f
	}
	return w.api.token(ctx, wxCall{path: path, query: query, secrets: []string{corp.Secret, token}})
}
