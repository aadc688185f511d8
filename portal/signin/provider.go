package signin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"portico/portal/access"
	"portico/store"
)

// ProviderApp is an application that a company or the platform registered at a provider: an official account, a
// website or mobile application of WeChat, or an application of WeCom.
type ProviderApp struct {
	Kind   store.CredentialKind
	ID     string // in WeCom, the id of the company there
	Agent  string // the agent id in WeCom, "" for WeChat
	Secret string `json:"-"`
	Owner  int64  // the company that registered it, 0 for the platform
}

// String leaves out the secret, so that credentials never reach a log by accident.
func (a ProviderApp) String() string { return string(a.Kind) + " " + a.ID }

// GoString returns String, so that %#v does not print the secret either.
func (a ProviderApp) GoString() string { return a.String() }

// LogValue returns String, so that slog does not print the secret either.
func (a ProviderApp) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Scope is what a provider asks a person for during an authorisation.
type Scope string

const (
	// ScopeSilent reads the person's id. The person is not asked.
	ScopeSilent Scope = "silent"
	// ScopeProfile asks for the name and the picture as well.
	ScopeProfile Scope = "profile"
	// ScopeScan shows a QR code on a desktop.
	ScopeScan Scope = "scan"
)

// ProviderIdentity is the person who authorised, as the provider knows them.
type ProviderIdentity struct {
	Subject  string // the person's id in one application
	UnionID  string // the person's id in all applications of one owner, "" when the provider gives none
	Nick     string // the nickname in one line, may be empty
	Portrait string // the URL of the portrait, may be empty; fetched only by credentials.UseWeChatPortrait
}

// ProviderToken is an access token or a ticket of a provider. It expires after Life.
type ProviderToken struct {
	Value string        `json:"v"`
	Life  time.Duration `json:"-"`
}

// TokenKind says what a token of a provider is used for.
type TokenKind string

const (
	// AccessToken authorises calls to the provider.
	AccessToken TokenKind = "access"
	// PageTicket signs pages for the JS-SDK of an official account, or of a company in WeCom.
	PageTicket TokenKind = "page"
	// AgentTicket signs pages for the JS-SDK of one application in WeCom.
	AgentTicket TokenKind = "agent"
)

// Provider calls WeChat or WeCom. Every error of the provider is a *ProviderFailure.
type Provider interface {
	// AuthorizeURL returns the address where a person authorises. It redirects to redirect with a code and state.
	AuthorizeURL(app ProviderApp, redirect, state string, scope Scope) string
	// NeedsToken says whether Exchange needs an access token.
	NeedsToken() bool
	// Token requests a new access token.
	Token(ctx context.Context, app ProviderApp) (ProviderToken, error)
	// Ticket requests a new ticket with an access token.
	Ticket(ctx context.Context, app ProviderApp, kind TokenKind, token string) (ProviderToken, error)
	// Exchange returns the person who authorised. A code works once.
	Exchange(ctx context.Context, app ProviderApp, token, code string) (ProviderIdentity, error)
	// Sign returns the signature of a page for the JS-SDK. timestamp is in Unix seconds.
	Sign(ticket, nonce string, timestamp int64, page string) string
}

// ProviderFailure says why a call to a provider failed.
type ProviderFailure struct {
	Code    string // for the log
	Spent   bool   // the authorisation code was used, expired or is wrong: authorising again helps
	Stale   bool   // the access token is no longer valid
	Message string // the provider's own message, which a page may show; may be empty
}

// Error returns the code, for the log.
func (f *ProviderFailure) Error() string { return fmt.Sprintf("provider: %s", f.Code) }

// Providers are the clients of WeChat and WeCom and the platform's own applications there. An application without an
// ID is not set up.
type Providers struct {
	WeChat        Provider
	WeCom         Provider
	Apps          []ProviderApp
	ManagerClosed bool // refuse the back office to sign-ins that began at WeChat; WeCom is not affected
}

// Provider returns the client of a provider, nil when there is none.
func (ca *Chatapps) Provider(name access.ProviderName) Provider {
	if name == access.WeCom {
		return ca.providers.WeCom
	}
	return ca.providers.WeChat
}

// ProviderRefusal turns a ProviderFailure into the refusal that the person sees. It returns any other error as it is.
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
