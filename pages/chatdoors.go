package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/portal/chatapps"
)

// doorLink is a button that signs in by a chat app. Here is true on a page shown inside that app, where one tap is
// enough.
type doorLink struct {
	Label, Href, Icon string
	Here              bool
}

// doors returns the sign-ins by chat app that work for this request.
func (p *Pages) doors(r *http.Request) []chatapps.Door {
	return p.portal.Chatapps.Doors(placeOf(r.Context()), r.UserAgent(), deviceOf(r, 0).Mobile())
}

// doorLinks returns their buttons. On a company's own domain no cookie can keep the page to return to, so the addresses
// carry it.
func (p *Pages) doorLinks(r *http.Request) []doorLink {
	links := doorLinksOf(r.Context(), p.doors(r))
	for i := range links {
		links[i].Href = p.withReturnPath(r, links[i].Href)
	}
	return links
}

// withReturnPath adds the page to return to, on a company's own domain.
func (p *Pages) withReturnPath(r *http.Request, address string) string {
	if back := askedReturn(r); back != "" && placeOf(r.Context()).OwnDomain {
		return withReturn(address, back)
	}
	return address
}

// doorNames joins the names of doors with spaces, for the key of a cached page.
func doorNames(doors []chatapps.Door) string {
	names := make([]string, len(doors))
	for i, door := range doors {
		names[i] = string(door)
	}
	return strings.Join(names, " ")
}

// doorLinksOf returns the buttons of doors, in the language of the context.
func doorLinksOf(ctx context.Context, doors []chatapps.Door) []doorLink {
	var links []doorLink
	for _, door := range doors {
		label := locale.T(ctx, "chat.door_"+string(door))
		href := inEdition(ctx, beginAt(door.Provider()))
		link := doorLink{Label: label, Href: href, Icon: "wechat", Here: door.InApp()}
		if door.Provider() == access.WeCom {
			link.Icon = "work-chat"
		}
		links = append(links, link)
	}
	return links
}

// signInSilently redirects a browser inside work-chat to WeCom once, which recognises the person; a waiting page is
// shown meanwhile. It does nothing, and the person keeps the form for a while, when that has just failed, when the
// person is signed in or has signed out, and when they want to sign in otherwise.
func (p *Pages) signInSilently(w http.ResponseWriter, r *http.Request) (bool, error) {
	doors := p.doors(r)
	if len(doors) != 1 || doors[0] != chatapps.DoorWeCom || r.Method != http.MethodGet || byName(r.URL.Path) {
		return false, nil
	}
	// A browser whose session has ended signs in silently, too.
	if _, err := p.signedIn(r); !errors.Is(err, access.LoginRequired) {
		return false, err
	}
	asked := p.cookie(r, silentCookie) != ""
	p.setCookie(w, silentCookie, "1", silentSeconds)
	if asked || r.URL.Query().Has("done") || r.URL.Query().Has("form") {
		return false, nil
	}
	ctx := r.Context()
	shell := p.shell(r, "", true)
	shell.Refresh, shell.Mirror = p.withReturnPath(r, inEdition(ctx, wecomPath)), mirrorPlace(r)
	return true, p.render(w, r, http.StatusOK, shell, components.StatePage(components.State{
		Drawing:    "d-open",
		Heading:    locale.T(ctx, "chat.silent_heading"),
		Body:       locale.T(ctx, "chat.silent_body"),
		Action:     locale.T(ctx, "login.continue"),
		Href:       shell.Refresh,
		Second:     locale.T(ctx, "chat.otherwise"),
		SecondHref: formAddress(r),
	}))
}

// formAddress is the address of the sign-in form. Inside work-chat it carries form=1, which prevents a silent sign-in.
func formAddress(r *http.Request) string {
	if chatapps.ChatAppOf(r.UserAgent()) == chatapps.InWorkChat {
		return inEdition(r.Context(), "/login?form=1")
	}
	return inEdition(r.Context(), "/login")
}

// chatJumpError returns the page of a failed authorisation: what failed, and the button that authorises again.
func (p *Pages) chatJumpError(
	w http.ResponseWriter, r *http.Request, reason access.Refusal, by access.ProviderName,
) components.State {
	ctx := r.Context()
	state := components.State{
		Drawing:    "d-lost",
		Heading:    refusalText(r, &access.Refused{Refusal: reason, Detail: p.flashDetail(w, r, "detail")}),
		Body:       locale.T(ctx, "chat.again_body"),
		Action:     locale.T(ctx, "chat.again"),
		Second:     locale.T(ctx, "chat.otherwise"),
		SecondHref: formAddress(r),
	}
	doors := p.doors(r)
	for _, door := range doors {
		if state.Href == "" || by == door.Provider() {
			state.Href = inEdition(ctx, beginAt(door.Provider()))
		}
	}
	if state.Href == "" {
		state.Action, state.Href, state.Second = locale.T(ctx, "chat.otherwise"), formAddress(r), ""
	}
	return state
}

// chatLines lists the chat apps that are connected to the person's accounts.
func (p *Pages) chatLines(r *http.Request, s access.Session) ([]deviceLine, error) {
	linked, err := p.portal.Chatlogin.Identities(r.Context(), s)
	if err != nil {
		return nil, err
	}
	lines := make([]deviceLine, len(linked))
	for i, one := range linked {
		lines[i] = deviceLine{
			What: appName(r, one.Provider),
			Ref:  one.Ref,
			Detail: locale.T(
				r.Context(), "chat.linked_since", "day", components.Day(locale.Of(r.Context()), one.Linked),
			),
		}
		if one.Nick != "" {
			lines[i].Detail = one.Nick + " · " + lines[i].Detail
		}
	}
	return lines, nil
}
