package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"portico/config"
	"portico/gateway"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/signin"
	"portico/server"
	"portico/standin"
)

// weChat is the Provider of package signin for WeChat.
type weChat struct{ *gateway.WeChat }

func appOf(app signin.ProviderApp) gateway.App { return gateway.App{ID: app.ID, Secret: app.Secret} }

func (w weChat) AuthorizeURL(app signin.ProviderApp, redirect, state string, scope signin.Scope) string {
	scopes := map[signin.Scope]string{
		signin.ScopeSilent: gateway.ScopeBase, signin.ScopeProfile: gateway.ScopeUser,
		signin.ScopeScan: gateway.ScopeLogin,
	}
	return w.WeChat.AuthorizeURL(app.ID, redirect, state, scopes[scope])
}

func (weChat) NeedsToken() bool { return false }

func (w weChat) Token(ctx context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	return providerToken(w.WeChat.Token(ctx, appOf(app)))
}

func (w weChat) Ticket(
	ctx context.Context, app signin.ProviderApp, _ signin.TokenKind, token string,
) (signin.ProviderToken, error) {
	return providerToken(w.WeChat.Ticket(ctx, appOf(app), token))
}

func (w weChat) Exchange(
	ctx context.Context, app signin.ProviderApp, _, code string,
) (signin.ProviderIdentity, error) {
	wechatIdentity, err := w.WeChat.Exchange(ctx, appOf(app), code)
	identity := signin.ProviderIdentity{Subject: wechatIdentity.OpenID, UnionID: wechatIdentity.UnionID,
		Nick: wechatIdentity.Nick, Portrait: wechatIdentity.Portrait}
	return identity, providerFailure(err)
}

func (weChat) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

// weCom is the Provider of package signin for WeCom.
type weCom struct{ *gateway.WeCom }

func corpOf(app signin.ProviderApp) gateway.Corp {
	return gateway.Corp{ID: app.ID, AgentID: app.Agent, Secret: app.Secret}
}

func (w weCom) AuthorizeURL(app signin.ProviderApp, redirect, state string, scope signin.Scope) string {
	if scope == signin.ScopeScan {
		return w.ScanURL(corpOf(app), redirect, state)
	}
	return w.WeCom.AuthorizeURL(corpOf(app), redirect, state)
}

func (weCom) NeedsToken() bool { return true }

func (w weCom) Token(ctx context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	return providerToken(w.WeCom.Token(ctx, corpOf(app)))
}

func (w weCom) Ticket(
	ctx context.Context, app signin.ProviderApp, kind signin.TokenKind, token string,
) (signin.ProviderToken, error) {
	if kind == signin.AgentTicket {
		return providerToken(w.AgentTicket(ctx, corpOf(app), token))
	}
	return providerToken(w.CorpTicket(ctx, corpOf(app), token))
}

// Exchange returns the identity of a member of the company ("user:" and the member's name in lower case) or of another
// person ("open:" and an id). The prefixes keep the two kinds apart.
func (w weCom) Exchange(
	ctx context.Context, app signin.ProviderApp, token, code string,
) (signin.ProviderIdentity, error) {
	member, err := w.WeCom.Exchange(ctx, corpOf(app), token, code)
	switch {
	case err != nil:
		return signin.ProviderIdentity{}, providerFailure(err)
	case member.UserID != "":
		return signin.ProviderIdentity{Subject: "user:" + strings.ToLower(member.UserID), Nick: member.UserID}, nil
	}
	return signin.ProviderIdentity{Subject: "open:" + member.OpenID}, nil
}

func (weCom) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

func providerToken(t gateway.Token, err error) (signin.ProviderToken, error) {
	return signin.ProviderToken{Value: t.Value, Life: time.Until(t.Expires)}, providerFailure(err)
}

// providerFailure turns a failure of package gateway into one of package signin.
func providerFailure(err error) error {
	failure := new(gateway.Failure)
	if !errors.As(err, &failure) {
		return err
	}
	return &signin.ProviderFailure{
		Code: failure.Error(), Spent: failure.Kind == gateway.Expired, Stale: failure.Kind == gateway.Stale,
		Message: failure.Message,
	}
}

// chatApps returns the configured chat apps.
func chatApps(c config.ChatApps) signin.Providers {
	return signin.Providers{
		WeChat:        weChat{gateway.NewWeChat(gateway.WeChatOptions{API: c.WeChatAPI, Open: c.WeChatOpen})},
		WeCom:         weCom{gateway.NewWeCom(gateway.WeComOptions{API: c.WeComAPI, Open: c.WeComOpen})},
		Apps:          []signin.ProviderApp{c.Account, c.Website, c.Mobile, c.Corp},
		ManagerClosed: c.ManagerClosed,
	}
}

// watchChatApps adds to the metrics whether each chat app is in use, and how its calls end.
func watchChatApps(m *server.Metrics, all *signin.Providers) {
	for name, provider := range map[access.ProviderName]*signin.Provider{
		access.WeChat: &all.WeChat, access.WeCom: &all.WeCom,
	} {
		if watched, ok := (*provider).(interface{ Up() bool }); ok {
			m.WatchProvider(string(name), watched.Up)
		}
		*provider = countingProvider{*provider, string(name), m}
	}
}

// countingProvider counts the calls of a chat app.
type countingProvider struct {
	signin.Provider
	name    string
	metrics *server.Metrics
}

func (p countingProvider) Token(ctx context.Context, app signin.ProviderApp) (signin.ProviderToken, error) {
	began := time.Now()
	token, err := p.Provider.Token(ctx, app)
	p.metrics.CountCall(p.name, "token", began, err)
	return token, err
}

func (p countingProvider) Ticket(
	ctx context.Context, app signin.ProviderApp, kind signin.TokenKind, token string,
) (signin.ProviderToken, error) {
	began := time.Now()
	ticket, err := p.Provider.Ticket(ctx, app, kind, token)
	p.metrics.CountCall(p.name, "ticket", began, err)
	return ticket, err
}

func (p countingProvider) Exchange(
	ctx context.Context, app signin.ProviderApp, token, code string,
) (signin.ProviderIdentity, error) {
	began := time.Now()
	identity, err := p.Provider.Exchange(ctx, app, token, code)
	p.metrics.CountCall(p.name, "exchange", began, err)
	return identity, err
}

// portraits fetches people's portraits from WeChat. The stand-in draws its own.
func portraits(c config.ChatApps) func(context.Context, string) ([]byte, error) {
	if c.StandIn {
		return standin.Picture
	}
	return gateway.NewPictures(gateway.WeChatPictures, credentials.MaxPictureFetched).Fetch
}
