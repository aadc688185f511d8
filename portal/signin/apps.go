package signin

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

// Method is a way to sign in by a chat app. The value is stored with each authorisation.
type Method string

const (
	// MethodWeChat signs in inside WeChat, through an official account.
	MethodWeChat Method = "wechat"
	// MethodWeChatQR signs in on a desktop, by a QR code of a website application of WeChat's open platform.
	MethodWeChatQR Method = "wechat_qr"
	// MethodWeCom signs in inside WeCom, without asking the person.
	MethodWeCom Method = "wecom"
	// MethodWeComQR signs in on a desktop, by a QR code of WeCom.
	MethodWeComQR Method = "wecom_qr"
	// MethodWeChatMobile signs in to a native app, which itself calls WeChat through WeChat's SDK. No page offers it.
	MethodWeChatMobile Method = "wechat_mobile"
)

// ChatApp is the app that shows a page, as the User-Agent names it.
type ChatApp string

const (
	// InWeChat is WeChat's own browser.
	InWeChat ChatApp = "wechat"
	// InWorkChat is WeCom's own browser.
	InWorkChat ChatApp = "work-chat"
	// InMiniProgram is a WeChat mini program. Its pages cannot authorise: the mini program signs in by itself.
	InMiniProgram ChatApp = "mini program"
	// InWrapper is the native app around the pages. It calls WeChat by itself.
	InWrapper ChatApp = "wrapper"
	// InBrowser is any other browser.
	InBrowser ChatApp = "browser"
)

// ChatAppOf returns the app that a User-Agent names. WeCom and mini programs also name MicroMessenger, so they are
// looked for first.
func ChatAppOf(agent string) ChatApp {
	lower := strings.ToLower(agent)
	switch {
	case strings.Contains(lower, "porticoapp/"):
		return InWrapper
	case strings.Contains(lower, "miniprogram"):
		return InMiniProgram
	case strings.Contains(lower, "wxwork/"):
		return InWorkChat
	case strings.Contains(lower, "micromessenger/"):
		return InWeChat
	}
	return InBrowser
}

// methodsFor lists the methods that work in each app, the best first. The inner key says whether the device is a phone.
var methodsFor = map[ChatApp]map[bool][]Method{
	InWeChat:   {true: {MethodWeChat}, false: {MethodWeChat}},
	InWorkChat: {true: {MethodWeCom}, false: {MethodWeCom}},
	InBrowser:  {false: {MethodWeChatQR, MethodWeComQR}},
}

// Provider returns the provider that a method authorises at.
func (m Method) Provider() access.ProviderName {
	return providerOf(m.Kind())
}

func providerOf(kind store.CredentialKind) access.ProviderName {
	if kind == store.WeComCorp {
		return access.WeCom
	}
	return access.WeChat
}

// InApp says whether a method works inside its chat app, where one tap is enough.
func (m Method) InApp() bool { return m == MethodWeChat || m == MethodWeCom }

// Kind returns the kind of credentials that a method needs.
func (m Method) Kind() store.CredentialKind {
	switch m {
	case MethodWeCom, MethodWeComQR:
		return store.WeComCorp
	case MethodWeChatQR:
		return store.WeChatOpen
	case MethodWeChatMobile:
		return store.WeChatMobile
	}
	return store.WeChatAccount
}

// Scope returns what a method asks the person for. knownBrowser says that the browser has authorised before, so that
// WeChat need not ask for the name and picture again.
func (m Method) Scope(knownBrowser bool) Scope {
	switch {
	case m == MethodWeChatQR || m == MethodWeComQR:
		return ScopeScan
	case m == MethodWeChat && !knownBrowser:
		return ScopeProfile
	}
	return ScopeSilent
}

// Methods returns the methods that work for a browser at a place, the best first: those that its app supports and for
// which the company or the platform has credentials.
func (ca *Chatapps) Methods(place access.Place, agent string, mobile bool) []Method {
	var offered []Method
	for _, method := range methodsFor[ChatAppOf(agent)][mobile] {
		if ca.Offers(place.Company, method.Kind()) {
			offered = append(offered, method)
		}
	}
	return offered
}

// Offers says whether there are credentials of a kind for a company: its own, or else the platform's. A nil company is
// the platform.
func (ca *Chatapps) Offers(c *store.Company, kind store.CredentialKind) bool {
	if ca.Provider(providerOf(kind)) == nil {
		return false
	}
	if c != nil {
		if c.ChatDoors == access.ChatAppsOff {
			return false
		}
		if slices.Contains(strings.Fields(c.ChatDoors), string(kind)) {
			return !ca.lost.has(c.ID, kind)
		}
	}
	return ca.PlatformApp(kind).ID != ""
}

// PlatformApp returns the platform's own application of a kind. Its ID is "" when the platform has none.
func (ca *Chatapps) PlatformApp(kind store.CredentialKind) ProviderApp {
	for _, app := range ca.providers.Apps {
		if app.Kind == kind {
			return app
		}
	}
	return ProviderApp{}
}

// AppFor returns the application of a kind for a company, with its credentials: the company's own, or else the
// platform's. A nil company is the platform. It refuses with WeChatFailed when there are no credentials, or no master
// key opens them.
func (ca *Chatapps) AppFor(ctx context.Context, c *store.Company, kind store.CredentialKind) (ProviderApp, error) {
	if !ca.Offers(c, kind) {
		return ProviderApp{}, &access.Refused{Refusal: access.WeChatFailed}
	}
	if c != nil && slices.Contains(strings.Fields(c.ChatDoors), string(kind)) {
		own, err := ca.core.DB.Credentials.Of(ctx, c.ID, kind)
		if err != nil {
			return ProviderApp{}, err
		}
		app, err := ca.ownApp(own)
		if errors.Is(err, core.ErrUnsealed) {
			err = &access.Refused{Refusal: access.WeChatFailed}
		}
		return app, err
	}
	return ca.PlatformApp(kind), nil
}

// ownApp unseals a company's own credentials and records whether a master key opens them. It returns ErrUnsealed when
// none does.
func (ca *Chatapps) ownApp(own store.Credentials) (ProviderApp, error) {
	app := ProviderApp{Kind: own.Kind, ID: own.App, Agent: own.Agent, Owner: own.CompanyID}
	err := ca.core.Sealing.Unseal(core.CredentialsPurpose(own.CompanyID, own.Kind), own.Secret, &app.Secret)
	ca.lost.set(own.CompanyID, own.Kind, errors.Is(err, core.ErrUnsealed))
	return app, err
}

// The formats of ids and secrets that the providers issue.
var (
	wechatID  = regexp.MustCompile(`^wx[0-9a-f]{16}$`)
	corpID    = regexp.MustCompile(`^w[wx][0-9a-f]{16}$`)
	agentID   = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
	appSecret = regexp.MustCompile(`^[!-9;-~]{8,128}$`) // no colon, which separates the parts
)

// ChatSettings maps the names of an operator's settings for chat apps to the kinds of credentials that they set.
var ChatSettings = map[string]store.CredentialKind{
	"wechat":      store.WeChatAccount,
	"wechat_open": store.WeChatOpen,
	"wecom":       store.WeComCorp,
}

// ReadProviderApp reads an application in the format that CredentialsForm returns. ok is false for any other format.
func ReadProviderApp(kind store.CredentialKind, value string) (app ProviderApp, ok bool) {
	parts := strings.Split(value, ":")
	app.Kind = kind
	switch {
	case kind == store.WeComCorp && len(parts) == 3:
		app.ID = parts[0]
		app.Agent = parts[1]
		app.Secret = parts[2]
		ok = corpID.MatchString(app.ID) && agentID.MatchString(app.Agent)
	case kind != store.WeComCorp && len(parts) == 2:
		app.ID, app.Secret = parts[0], parts[1]
		ok = wechatID.MatchString(app.ID)
	}
	return app, ok && appSecret.MatchString(app.Secret)
}

// CredentialsForm returns the format in which an operator types the credentials of a kind.
func CredentialsForm(kind store.CredentialKind) string {
	if kind == store.WeComCorp {
		return "CORPID:AGENTID:SECRET"
	}
	return "APPID:SECRET"
}
