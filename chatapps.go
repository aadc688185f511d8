package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"portico/gateway"
	"portico/portal"
	"portico/standin"
	"portico/store"
)

// weChat answers for WeChat what portal asks of a provider.
type weChat struct{ *gateway.WeChat }

func appOf(app portal.ProviderApp) gateway.App { return gateway.App{ID: app.ID, Secret: app.Secret} }

func (w weChat) AuthorizeURL(app portal.ProviderApp, redirect, state string, scope portal.Scope) string {
	scopes := map[portal.Scope]string{portal.ScopeSilent: gateway.ScopeBase, portal.ScopeProfile: gateway.ScopeUser, portal.ScopeScan: gateway.ScopeLogin}
	return w.WeChat.AuthorizeURL(app.ID, redirect, state, scopes[scope])
}

func (weChat) NeedsToken() bool { return false }

func (w weChat) Token(ctx context.Context, app portal.ProviderApp) (portal.ProviderToken, error) {
	return providerToken(w.WeChat.Token(ctx, appOf(app)))
}

func (w weChat) Ticket(ctx context.Context, app portal.ProviderApp, _ portal.TokenKind, token string) (portal.ProviderToken, error) {
	return providerToken(w.WeChat.Ticket(ctx, appOf(app), token))
}

func (w weChat) Exchange(ctx context.Context, app portal.ProviderApp, _, code string) (portal.ProviderIdentity, error) {
	who, err := w.WeChat.Exchange(ctx, appOf(app), code)
	return portal.ProviderIdentity{Subject: who.OpenID, UnionID: who.UnionID, Nick: who.Nick, Head: who.Head}, providerFailure(err)
}

func (weChat) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

// weCom answers for work-chat.
type weCom struct{ *gateway.WeCom }

func corpOf(app portal.ProviderApp) gateway.Corp {
	return gateway.Corp{ID: app.ID, AgentID: app.Agent, Secret: app.Secret}
}

func (w weCom) AuthorizeURL(app portal.ProviderApp, redirect, state string, scope portal.Scope) string {
	if scope == portal.ScopeScan {
		return w.ScanURL(corpOf(app), redirect, state)
	}
	return w.WeCom.AuthorizeURL(corpOf(app), redirect, state)
}

func (weCom) NeedsToken() bool { return true }

func (w weCom) Token(ctx context.Context, app portal.ProviderApp) (portal.ProviderToken, error) {
	return providerToken(w.WeCom.Token(ctx, corpOf(app)))
}

func (w weCom) Ticket(ctx context.Context, app portal.ProviderApp, kind portal.TokenKind, token string) (portal.ProviderToken, error) {
	if kind == portal.AgentTicket {
		return providerToken(w.AgentTicket(ctx, corpOf(app), token))
	}
	return providerToken(w.CorpTicket(ctx, corpOf(app), token))
}

// Exchange tells a member of the company, whose name there ignores case, from somebody else, who has an id of another kind: the
// prefix keeps the two apart.
func (w weCom) Exchange(ctx context.Context, app portal.ProviderApp, token, code string) (portal.ProviderIdentity, error) {
	who, err := w.WeCom.Exchange(ctx, corpOf(app), token, code)
	switch {
	case err != nil:
		return portal.ProviderIdentity{}, providerFailure(err)
	case who.UserID != "":
		return portal.ProviderIdentity{Subject: "user:" + strings.ToLower(who.UserID), Nick: who.UserID}, nil
	}
	return portal.ProviderIdentity{Subject: "open:" + who.OpenID}, nil
}

func (weCom) Sign(ticket, nonce string, timestamp int64, page string) string {
	return gateway.SignJS(ticket, nonce, timestamp, page)
}

func providerToken(t gateway.Token, err error) (portal.ProviderToken, error) {
	return portal.ProviderToken{Value: t.Value, Life: time.Until(t.Expires)}, providerFailure(err)
}

// providerFailure puts what a client failed with into portal's words.
func providerFailure(err error) error {
	failure := new(gateway.Failure)
	if !errors.As(err, &failure) {
		return err
	}
	return &portal.ProviderFailure{
		Code: failure.Error(), Spent: failure.Kind == gateway.Expired, Stale: failure.Kind == gateway.Stale, Message: failure.Message,
	}
}

// providers are the chat apps as they are configured.
func (w wechatConfig) providers() portal.Providers {
	return portal.Providers{
		WeChat: weChat{gateway.NewWeChat(gateway.WeChatOptions{API: w.api, Open: w.open})},
		WeCom:  weCom{gateway.NewWeCom(gateway.WeComOptions{API: w.wecomAPI, Open: w.wecomOpen})},
		Apps: []portal.ProviderApp{
			{Kind: store.WeChatAccount, ID: w.app.ID, Secret: w.app.Secret},
			{Kind: store.WeChatOpen, ID: w.openApp.ID, Secret: w.openApp.Secret},
			{Kind: store.WeChatMobile, ID: w.mobileApp.ID, Secret: w.mobileApp.Secret},
			{Kind: store.WeComCorp, ID: w.corp.ID, Agent: w.corp.AgentID, Secret: w.corp.Secret},
		},
		ManagerClosed: w.closed,
	}
}

// pictures fetches portraits from WeChat. The stand-in draws its own.
func (w wechatConfig) pictures() func(context.Context, string) ([]byte, error) {
	if w.standin {
		return standin.Picture
	}
	return gateway.NewPictures(gateway.WeChatPictures, portal.MaxPictureFetched).Fetch
}
