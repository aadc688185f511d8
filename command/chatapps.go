package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"portico/config"
	"portico/gateway"
	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/profile"
	"portico/server"
	"portico/standin"
)

// weChat is the Provider of package portal for WeChat.
type weChat struct{ *gateway.WeChat }

func appOf(app chatapps.ProviderApp) gateway.App { return gateway.App{ID: app.ID, Secret: app.Secret} }

func (w weChat) AuthorizeURL(app chatapps.ProviderApp, redirect, state string, scope chatapps.Scope) string {
	scopes := map[chatapps.Scope]string{
		chatapps.ScopeSilent: gateway.ScopeBase, chatapps.ScopeProfile: gateway.ScopeUser,
		chatapps.ScopeScan: gateway.ScopeLogin,
	}
	return w.WeChat.AuthorizeURL(app.ID, redirect, state, scopes[scope])
}

func (weChat) NeedsToken() bool { return false }

func (w weChat) Token(ctx context.Context, app chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	return providerToken(w.WeChat.Token(ctx, appOf(app)))
}

func (w weChat) Ticket(
	ctx context.Context, app chatapps.ProviderApp, _ chatapps.TokenKind, token string,
) (chatapps.ProviderToken, error) {
	return providerToken(w.WeChat.Ticket(ctx, appOf(app), token))
}

func (w weChat) Exchange(
	ctx context.Context, app chatapps.ProviderApp, _, code string,
) (chatapps.ProviderIdentity, error) {
	wechatIdentity, err := w.WeChat.Exchange(ctx, appOf(app), code)
	identity := chatapps.ProviderIdentity{Subject: wechatIdentity.OpenID, UnionID: wechatIdentity.UnionID,
		Nick: wechatIdentity.Nick, Head: wechatIdentity.Head}
	return identity, providerFailure(err)
}

func (weChat) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

// weCom is the Provider of package portal for WeCom.
type weCom struct{ *gateway.WeCom }

func corpOf(app chatapps.ProviderApp) gateway.Corp {
	return gateway.Corp{ID: app.ID, AgentID: app.Agent, Secret: app.Secret}
}

func (w weCom) AuthorizeURL(app chatapps.ProviderApp, redirect, state string, scope chatapps.Scope) string {
	if scope == chatapps.ScopeScan {
		return w.ScanURL(corpOf(app), redirect, state)
	}
	return w.WeCom.AuthorizeURL(corpOf(app), redirect, state)
}

func (weCom) NeedsToken() bool { return true }

func (w weCom) Token(ctx context.Context, app chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	return providerToken(w.WeCom.Token(ctx, corpOf(app)))
}

func (w weCom) Ticket(
	ctx context.Context, app chatapps.ProviderApp, kind chatapps.TokenKind, token string,
) (chatapps.ProviderToken, error) {
	if kind == chatapps.AgentTicket {
		return providerToken(w.AgentTicket(ctx, corpOf(app), token))
	}
	return providerToken(w.CorpTicket(ctx, corpOf(app), token))
}

// Exchange returns the identity of a member of the company ("user:" and the member's name in lower case) or of another
// person ("open:" and an id). The prefixes keep the two kinds apart.
func (w weCom) Exchange(
	ctx context.Context, app chatapps.ProviderApp, token, code string,
) (chatapps.ProviderIdentity, error) {
	member, err := w.WeCom.Exchange(ctx, corpOf(app), token, code)
	switch {
	case err != nil:
		return chatapps.ProviderIdentity{}, providerFailure(err)
	case member.UserID != "":
		return chatapps.ProviderIdentity{Subject: "user:" + strings.ToLower(member.UserID), Nick: member.UserID}, nil
	}
	return chatapps.ProviderIdentity{Subject: "open:" + member.OpenID}, nil
}

func (weCom) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

func providerToken(t gateway.Token, err error) (chatapps.ProviderToken, error) {
	return chatapps.ProviderToken{Value: t.Value, Life: time.Until(t.Expires)}, providerFailure(err)
}

// providerFailure turns a failure of package gateway into one of package portal.
func providerFailure(err error) error {
	failure := new(gateway.Failure)
	if !errors.As(err, &failure) {
		return err
	}
	return &chatapps.ProviderFailure{
		Code: failure.Error(), Spent: failure.Kind == gateway.Expired, Stale: failure.Kind == gateway.Stale,
		Message: failure.Message,
	}
}

// chatApps returns the configured chat apps.
func chatApps(c config.ChatApps) chatapps.Providers {
	return chatapps.Providers{
		WeChat:        weChat{gateway.NewWeChat(gateway.WeChatOptions{API: c.WeChatAPI, Open: c.WeChatOpen})},
		WeCom:         weCom{gateway.NewWeCom(gateway.WeComOptions{API: c.WeComAPI, Open: c.WeComOpen})},
		Apps:          []chatapps.ProviderApp{c.Account, c.Website, c.Mobile, c.Corp},
		ManagerClosed: c.ManagerClosed,
	}
}

// watchChatApps adds to the metrics whether each chat app is in use, and how its calls end.
func watchChatApps(m *server.Metrics, all *chatapps.Providers) {
	for name, provider := range map[access.ProviderName]*chatapps.Provider{
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
	chatapps.Provider
	name    string
	metrics *server.Metrics
}

func (p countingProvider) Token(ctx context.Context, app chatapps.ProviderApp) (chatapps.ProviderToken, error) {
	began := time.Now()
	token, err := p.Provider.Token(ctx, app)
	p.metrics.CountCall(p.name, "token", began, err)
	return token, err
}

func (p countingProvider) Ticket(
	ctx context.Context, app chatapps.ProviderApp, kind chatapps.TokenKind, token string,
) (chatapps.ProviderToken, error) {
	began := time.Now()
	ticket, err := p.Provider.Ticket(ctx, app, kind, token)
	p.metrics.CountCall(p.name, "ticket", began, err)
	return ticket, err
}

func (p countingProvider) Exchange(
	ctx context.Context, app chatapps.ProviderApp, token, code string,
) (chatapps.ProviderIdentity, error) {
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
	return gateway.NewPictures(gateway.WeChatPictures, profile.MaxPictureFetched).Fetch
}
