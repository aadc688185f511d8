package chatapps

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"portico/portal/access"
	"portico/portal/sealing"
	"portico/store"
)

// Door is a way to sign in by a chat app.
type Door string

// The doors.
const (
	DoorWeChat   Door = "wechat"    // inside WeChat: the official account
	DoorWeChatQR Door = "wechat_qr" // on a desktop: the QR code of the open platform
	DoorWeCom    Door = "wecom"     // inside work-chat, silently
	DoorWeComQR  Door = "wecom_qr"  // on a desktop: work-chat's QR code

	// DoorWeChatMobile is a sign-in for which a native app itself asks WeChat, through WeChat's SDK. No page offers it.
	DoorWeChatMobile Door = "wechat_mobile"
)

// ChatApp is where a page is shown, by its User-Agent.
type ChatApp string

// The places.
const (
	InWeChat      ChatApp = "wechat"
	InWorkChat    ChatApp = "work-chat"
	InMiniProgram ChatApp = "mini program" // its pages cannot authorise; the mini program signs in by itself
	InWrapper     ChatApp = "wrapper"      // the native app: it asks WeChat by itself
	InBrowser     ChatApp = "browser"
)

// ChatAppOf reads a User-Agent. Work-chat's also names MicroMessenger, as does a mini program's page, so that the
// order counts.
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

// doorsFor is the table: which doors work where, the best first.
var doorsFor = map[ChatApp]map[bool][]Door{ // on a phone, or not
	InWeChat:   {true: {DoorWeChat}, false: {DoorWeChat}},
	InWorkChat: {true: {DoorWeCom}, false: {DoorWeCom}},
	InBrowser:  {false: {DoorWeChatQR, DoorWeComQR}},
}

// Provider is who is asked behind the door.
func (d Door) Provider() access.ProviderName {
	return providerOf(d.Kind())
}

func providerOf(kind store.CredentialKind) access.ProviderName {
	if kind == store.WeComCorp {
		return access.WeCom
	}
	return access.WeChat
}

// InApp says that the door opens inside its chat app, where one tap is enough.
func (d Door) InApp() bool { return d == DoorWeChat || d == DoorWeCom }

func (d Door) Kind() store.CredentialKind {
	switch d {
	case DoorWeCom, DoorWeComQR:
		return store.WeComCorp
	case DoorWeChatQR:
		return store.WeChatOpen
	case DoorWeChatMobile:
		return store.WeChatMobile
	}
	return store.WeChatAccount
}

func (d Door) Scope(known bool) Scope {
	switch {
	case d == DoorWeChatQR || d == DoorWeComQR:
		return ScopeScan
	case d == DoorWeChat && !known:
		return ScopeProfile
	}
	return ScopeSilent
}

// Doors are the doors that work for a browser at a place, the best first: those of the table for which the company,
// or else the platform, has credentials.
func (ca *Chatapps) Doors(place access.Place, agent string, mobile bool) []Door {
	var open []Door
	for _, door := range doorsFor[ChatAppOf(agent)][mobile] {
		if ca.Offers(place.Company, door.Kind()) {
			open = append(open, door)
		}
	}
	return open
}

// Offers says whether a provider can be asked with credentials of a kind for a company, nil for none: its own, or
// else the platform's.
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

func (ca *Chatapps) PlatformApp(kind store.CredentialKind) ProviderApp {
	for _, app := range ca.providers.Apps {
		if app.Kind == kind {
			return app
		}
	}
	return ProviderApp{}
}

// AppFor reads the credentials of a kind for a company, nil for none; WeChatFailed where there are none.
func (ca *Chatapps) AppFor(ctx context.Context, c *store.Company, kind store.CredentialKind) (ProviderApp, error) {
	if !ca.Offers(c, kind) {
		return ProviderApp{}, &access.Refused{Refusal: access.WeChatFailed}
	}
	if c != nil && slices.Contains(strings.Fields(c.ChatDoors), string(kind)) {
		own, err := ca.db.CredentialsOf(ctx, c.ID, kind)
		if err != nil {
			return ProviderApp{}, err
		}
		app, err := ca.ownApp(own)
		if errors.Is(err, sealing.ErrUnsealed) {
			err = &access.Refused{Refusal: access.WeChatFailed}
		}
		return app, err
	}
	return ca.PlatformApp(kind), nil
}

// ownApp opens a company's own credentials, and notes whether a master key opens them: ErrUnsealed when none does.
func (ca *Chatapps) ownApp(own store.Credentials) (ProviderApp, error) {
	app := ProviderApp{Kind: own.Kind, ID: own.App, Agent: own.Agent, Owner: own.CompanyID}
	err := ca.sealing.Unseal(sealing.CredentialsPurpose(own.CompanyID, own.Kind), own.Secret, &app.Secret)
	ca.lost.set(own.CompanyID, own.Kind, errors.Is(err, sealing.ErrUnsealed))
	return app, err
}

// The forms of what providers give out.
var (
	wechatID     = regexp.MustCompile(`^wx[0-9a-f]{16}$`)
	corpID       = regexp.MustCompile(`^w[wx][0-9a-f]{16}$`)
	agentID      = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
	appSecret    = regexp.MustCompile(`^[!-9;-~]{8,128}$`) // no colon
	ChatSettings = map[string]store.CredentialKind{
		"wechat": store.WeChatAccount, "wechat_open": store.WeChatOpen, "wecom": store.WeComCorp,
	}
)

// ReadProviderApp reads APPID:SECRET, for work-chat CORPID:AGENTID:SECRET; ok is false for anything else.
func ReadProviderApp(kind store.CredentialKind, value string) (app ProviderApp, ok bool) {
	parts := strings.Split(value, ":")
	app.Kind = kind
	switch {
	case kind == store.WeComCorp && len(parts) == 3:
		app.ID, app.Agent, app.Secret = parts[0], parts[1], parts[2]
		ok = corpID.MatchString(app.ID) && agentID.MatchString(app.Agent)
	case kind != store.WeComCorp && len(parts) == 2:
		app.ID, app.Secret = parts[0], parts[1]
		ok = wechatID.MatchString(app.ID)
	}
	return app, ok && appSecret.MatchString(app.Secret)
}

func CredentialsForm(kind store.CredentialKind) string {
	if kind == store.WeComCorp {
		return "CORPID:AGENTID:SECRET"
	}
	return "APPID:SECRET"
}
