package chatapps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/store"
)

// ProviderApp is an application as its provider knows it: an official account, a website application, or one of
// work-chat, whose ID is the company's there. Owner is the company whose own it is, 0 the platform's.
type ProviderApp struct {
	Kind   store.CredentialKind
	ID     string
	Agent  string // of work-chat alone
	Secret string `json:"-"`
	Owner  int64
}

// String leaves out the secret: credentials reach logs by accident.
func (a ProviderApp) String() string { return string(a.Kind) + " " + a.ID }

// GoString is String.
func (a ProviderApp) GoString() string { return a.String() }

// LogValue is the application as a log may show it.
func (a ProviderApp) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Scope is what somebody is asked for.
type Scope string

// The scopes.
const (
	ScopeSilent  Scope = "silent"  // who it is: nothing is asked
	ScopeProfile Scope = "profile" // name and picture as well
	ScopeScan    Scope = "scan"    // by a QR code, on a desktop
)

// ProviderIdentity is who authorised. Subject is theirs at one application, UnionID at all of one owner. Nick is in
// one line and may be empty, as may Head, the address of a picture that is fetched only when its holder asks for it
// (UseWeChatPortrait).
type ProviderIdentity struct {
	Subject string
	UnionID string
	Nick    string
	Head    string
}

// ProviderToken is an access token or a ticket, good for Life.
type ProviderToken struct {
	Value string        `json:"v"`
	Life  time.Duration `json:"-"`
}

// TokenKind is what a token of a provider is for.
type TokenKind string

// The kinds.
const (
	AccessToken TokenKind = "access"
	PageTicket  TokenKind = "page"  // signs pages for the JS-SDK: of an official account, or in the company's name
	AgentTicket TokenKind = "agent" // in the name of the application of work-chat
)

// Provider asks WeChat or work-chat. What fails is a *ProviderFailure. Exchange needs an access token where NeedsToken.
type Provider interface {
	AuthorizeURL(app ProviderApp, redirect, state string, scope Scope) string
	NeedsToken() bool
	Token(ctx context.Context, app ProviderApp) (ProviderToken, error)
	Ticket(ctx context.Context, app ProviderApp, kind TokenKind, token string) (ProviderToken, error)
	Exchange(ctx context.Context, app ProviderApp, token, code string) (ProviderIdentity, error)
	Sign(ticket, nonce string, timestamp int64, page string) string // timestamp in seconds
}

// ProviderFailure is why a provider gave nothing. Message is in its own words, fit to be shown, and may be empty.
type ProviderFailure struct {
	Code    string // as a log may show it
	Spent   bool   // the code is used, too old or wrong: authorising again helps
	Stale   bool   // the access token is no longer good
	Message string
}

// Error gives the code; nobody but logs reads it.
func (f *ProviderFailure) Error() string { return fmt.Sprintf("provider: %s", f.Code) }

// Providers are how WeChat and work-chat are asked, and the platform's own applications there; those without an ID
// are none.
type Providers struct {
	WeChat        Provider
	WeCom         Provider
	Apps          []ProviderApp
	ManagerClosed bool // a sign-in that WeChat began enters no back office; WeCom is another app and still does
}

func (ca *Chatapps) Provider(name access.ProviderName) Provider {
	if name == access.WeCom {
		return ca.providers.WeCom
	}
	return ca.providers.WeChat
}

// ProviderRefusal is what a person is told of a failure.
func ProviderRefusal(err error) error {
	failure := new(ProviderFailure)
	if !errors.As(err, &failure) {
		return err
	}
	if failure.Spent {
		return &access.Refused{Refusal: access.WeChatExpired}
	}
	return &access.Refused{Refusal: access.WeChatFailed, Detail: failure.Message}
}
