package signin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/pages/forms"
	"portico/pages/web"
	"portico/portal/access"
	"portico/portal/signin"
)

// MethodLink is a button that signs in by a chat app. Here is true on a page shown inside that app, where one tap is
// enough.
type MethodLink struct {
	Label, Href, Icon string
	Here              bool
}

// Colour is the class of a button in the app's colour.
func (m MethodLink) Colour() string { return colourOf(m.Icon) }

// colourOf is the class of a button in the colour of the app with a mark.
func colourOf(mark string) string {
	if mark == "wechat" {
		return "green"
	}
	return "blue"
}

// MarkOf is the name of an app's mark, see components.AppMark.
func MarkOf(provider access.ProviderName) string {
	if provider == access.WeCom {
		return "work-chat"
	}
	return "wechat"
}

// identityOf shows an identity above a form. account is the account that it signs in, "" when that is not known.
func identityOf(r *http.Request, who signin.IdentityView, account string) *forms.ChatIdentity {
	app := web.AppName(r, who.Provider)
	return &forms.ChatIdentity{
		Mark: MarkOf(who.Provider), App: app, Name: cmp.Or(who.Nick, app), Account: account,
	}
}

// Methods returns the sign-ins by chat app that work for this request.
func (p *ChatPages) Methods(r *http.Request) []signin.Method {
	return p.portal.Chatapps.Methods(web.PlaceOf(r.Context()), r.UserAgent(), web.DeviceOf(r, 0).Mobile())
}

// MethodLinks returns their buttons. On a company's own domain no cookie can keep the page to return to, so the
// addresses carry it.
func (p *ChatPages) MethodLinks(r *http.Request) []MethodLink {
	links := MethodLinksOf(r.Context(), p.Methods(r))
	for i := range links {
		links[i].Href = p.withReturnPath(r, links[i].Href)
	}
	return links
}

// withReturnPath adds the page to return to, on a company's own domain.
func (p *ChatPages) withReturnPath(r *http.Request, address string) string {
	if back := web.AskedReturn(r); back != "" && web.PlaceOf(r.Context()).OwnDomain {
		return web.WithReturn(address, back)
	}
	return address
}

// MethodNames joins the names of methods with spaces, for the key of a cached page.
func MethodNames(methods []signin.Method) string {
	names := make([]string, len(methods))
	for i, method := range methods {
		names[i] = string(method)
	}
	return strings.Join(names, " ")
}

// MethodLinksOf returns the buttons of methods, in the language of the context.
func MethodLinksOf(ctx context.Context, methods []signin.Method) []MethodLink {
	var links []MethodLink
	for _, method := range methods {
		label := locale.T(ctx, "chat.door_"+string(method))
		href := web.InEdition(ctx, BeginAt(method.Provider()))
		link := MethodLink{Label: label, Href: href, Icon: MarkOf(method.Provider()), Here: method.InApp()}
		links = append(links, link)
	}
	return links
}

// SignInSilently redirects a browser inside WeCom to WeCom once, which recognises the person; a waiting page is
// shown meanwhile. It does nothing, and the person keeps the form for a while, when that has just failed, when the
// person is signed in or has signed out, and when they want to sign in otherwise.
func (p *ChatPages) SignInSilently(w http.ResponseWriter, r *http.Request) (bool, error) {
	methods := p.Methods(r)
	if len(methods) != 1 || methods[0] != signin.MethodWeCom || r.Method != http.MethodGet ||
		web.IsAccountNamePath(r.URL.Path) {
		return false, nil
	}
	// A browser whose session has ended signs in silently, too.
	if _, err := p.web.SignedIn(r); !errors.Is(err, access.LoginRequired) {
		return false, err
	}
	asked := p.web.Cookie(r, web.SilentCookie) != ""
	p.web.SetCookie(w, web.SilentCookie, "1", web.SilentSeconds)
	if asked || r.URL.Query().Has("done") || r.URL.Query().Has("form") {
		return false, nil
	}
	ctx := r.Context()
	shell := p.web.Shell(r, "", true)
	shell.State, shell.Brief = true, true
	shell.Refresh, shell.Mirror = p.withReturnPath(r, web.InEdition(ctx, WecomPath)), web.MirrorPlace(r)
	return true, p.web.Render(w, r, http.StatusOK, shell, components.StatePage(components.State{
		Scene:      components.SceneOpen,
		Owner:      web.HostOwner(r),
		Heading:    locale.T(ctx, "chat.silent_heading"),
		Body:       locale.T(ctx, "chat.silent_body"),
		Action:     locale.T(ctx, "login.continue"),
		Href:       shell.Refresh,
		Second:     locale.T(ctx, "chat.otherwise"),
		SecondHref: FormAddress(r),
	}))
}

// FormAddress is the address of the sign-in form. Inside WeCom it has form=1, which prevents a silent sign-in.
func FormAddress(r *http.Request) string {
	if signin.ChatAppOf(r.UserAgent()) == signin.InWorkChat {
		return web.InEdition(r.Context(), "/login?form=1")
	}
	return web.InEdition(r.Context(), "/login")
}

// chatJumpError returns the page of a failed authorisation: what failed, and the button that authorises again.
func (p *ChatPages) chatJumpError(
	w http.ResponseWriter, r *http.Request, reason access.Refusal, by access.ProviderName,
) components.State {
	ctx := r.Context()
	scene, heading := components.SceneNotNow, locale.T(ctx, "chat.expired")
	if reason == access.WeChatFailed {
		scene, heading = components.SceneBroken, locale.T(ctx, "chat.failed")
	}
	state := components.State{
		Scene:      scene,
		Heading:    heading,
		Body:       web.RefusalText(r, &access.Refused{Refusal: reason, Detail: p.FlashDetail(w, r, "detail")}),
		Action:     locale.T(ctx, "chat.again"),
		Second:     locale.T(ctx, "chat.otherwise"),
		SecondHref: FormAddress(r),
	}
	methods := p.Methods(r)
	for _, method := range methods {
		if state.Href == "" || by == method.Provider() {
			state.Href = web.InEdition(ctx, BeginAt(method.Provider()))
		}
	}
	if state.Href == "" {
		state.Action = locale.T(ctx, "chat.otherwise")
		state.Href = FormAddress(r)
		state.Second = ""
	}
	return state
}

// ChatLines lists the chat apps that are connected to the person's accounts.
func (p *ChatPages) ChatLines(r *http.Request, s access.Session) ([]web.DeviceLine, error) {
	linked, err := p.portal.Chatlogin.Identities(r.Context(), s)
	if err != nil {
		return nil, err
	}
	lines := make([]web.DeviceLine, len(linked))
	for i, identity := range linked {
		lines[i] = web.DeviceLine{
			What: web.AppName(r, identity.Provider),
			Icon: MarkOf(identity.Provider),
			Ref:  identity.Ref,
			Detail: locale.T(
				r.Context(), "chat.linked_since", "day", components.Day(locale.Of(r.Context()), identity.Linked),
			),
		}
		if identity.Nick != "" {
			lines[i].Detail = identity.Nick + " · " + lines[i].Detail
		}
	}
	return lines, nil
}
