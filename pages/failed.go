package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"portico/components"
	"portico/locale"
	"portico/portal"
)

// fail writes what a handler refused: blocked accounts and lost ways get a full page that says what to do
// next; anything we did not foresee is logged once, here, and told to nobody.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the reader has gone
	}
	refused := new(portal.Refused)
	switch {
	case errors.Is(err, portal.LoginRequired) && r.Method == http.MethodGet && cookiesBlocked(r):
		p.renderCookiesBlocked(w, r)
	case errors.Is(err, portal.LoginRequired):
		if err := p.signInAgain(w, r, "/login", p.loginAddress(r)); err != nil {
			p.renderFailure(w, r, err)
		}
	case errors.As(err, &refused) && refused.FirstPassword && refused.Company == nil:
		_ = seeOther(w, "/password")
	case errors.As(err, &refused) && refused.Company != nil:
		p.renderBlocked(w, r, refused)
	case errors.Is(err, portal.RedirectFailed):
		_ = seeOther(w, "/jumperror")
	default:
		p.renderFailure(w, r, err)
	}
}

// cookiesBlocked says whether the browser keeps no cookies: it comes from one of our pages, which always set one, and
// shows none. A browser that does not say where it comes from is given the benefit of the doubt. So is one that
// follows a link of another site: where a sign-in sends a browser from host to host, it sends no referrer.
func cookiesBlocked(r *http.Request) bool {
	if len(r.Header["Cookie"]) > 0 {
		return false
	}
	from := r.Header.Get("Sec-Fetch-Site")
	return from == "same-origin" || from == "same-site" && r.Referer() == ""
}

// renderCookiesBlocked tells somebody whose browser keeps no cookies why signing in leads nowhere.
func (p *Pages) renderCookiesBlocked(w http.ResponseWriter, r *http.Request) {
	p.renderState(w, r, http.StatusForbidden, components.State{
		Drawing: "d-locked", Heading: locale.T(r.Context(), "cookies.heading"), Body: locale.T(r.Context(), "cookies.body"),
		Action: locale.T(r.Context(), "cookies.action"), Href: p.otherSignIn(r),
	})
}

// loginAddress sends back to sign in; someone who had a session is told that it ended.
func (p *Pages) loginAddress(r *http.Request) string {
	if p.sessionToken(r) != "" {
		return "/login?done=session_ended"
	}
	return "/login"
}

// blockedDrawings are the pictures of the states that block.
var blockedDrawings = map[portal.Refusal]string{
	portal.UnderReview: "d-review", portal.TrialEnded: "d-clock", portal.CompanyExpired: "d-clock", portal.MallNotOpen: "d-clock",
	portal.PartnerEnded: "d-partner",
}

// blockedNext says how to go on once the company may be entered again; its sides were signed out.
var blockedNext = map[portal.Refusal]string{
	portal.TrialEnded: "blocked.extended", portal.CompanyExpired: "blocked.extended",
	portal.CompanyDisabled: "blocked.enabled",
}

// renderBlocked is the full page of an account that may not be entered: the reason, who can lift it, and what then.
func (p *Pages) renderBlocked(w http.ResponseWriter, r *http.Request, refused *portal.Refused) {
	drawing := blockedDrawings[refused.Refusal]
	if drawing == "" {
		drawing = "d-locked"
	}
	state := components.State{
		Drawing: drawing, Heading: refusalText(r, refused), Body: refused.Company.Name, People: people(r, refused.Contacts),
		Action: locale.T(r.Context(), "blocked.other"), Href: p.otherSignIn(r),
	}
	if next := blockedNext[refused.Refusal]; next != "" {
		state.Next, state.NextHref = locale.T(r.Context(), next), p.otherSignIn(r)
	}
	if refused.Company.Sandbox && refused.Refusal == portal.TrialEnded { // nobody extends what one tries
		state.Heading, state.People = locale.T(r.Context(), "sandbox.ended"), nil
		state.Next = ""
		state.Action, state.Href = locale.T(r.Context(), "sandbox.again"), p.base.Scheme+"://account."+p.base.Host+"/experience"
	}
	p.renderState(w, r, http.StatusUnprocessableEntity, state)
}

// otherSignIn is the address of the sign-in page from any of our hosts.
func (p *Pages) otherSignIn(r *http.Request) string {
	if place := placeOf(r.Context()); place.Site == portal.SiteMobileShop || place.Site == portal.SiteMobileMgr {
		return p.base.Scheme + "://account." + p.base.Host + "/login"
	}
	return "/login"
}

// failures are the refusals with a page of their own and its status and drawing.
var failures = map[portal.Refusal]struct {
	status  int
	drawing string
}{
	portal.NotFound:         {http.StatusNotFound, "d-lost"},
	portal.Forbidden:        {http.StatusForbidden, "d-locked"},
	portal.MethodNotAllowed: {http.StatusMethodNotAllowed, "d-lost"},
	portal.BadRequest:       {http.StatusBadRequest, "d-lost"},
	portal.TooLarge:         {http.StatusRequestEntityTooLarge, "d-broken"},
	portal.WrongType:        {http.StatusUnsupportedMediaType, "d-broken"},
	portal.TooManyAttempts:  {http.StatusTooManyRequests, "d-clock"},
	portal.NotAvailable:     {http.StatusServiceUnavailable, "d-clock"},
	portal.Internal:         {http.StatusInternalServerError, "d-broken"},
}

func (p *Pages) renderFailure(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	kind := portal.Internal
	if portal.Unavailable(err) {
		kind = portal.NotAvailable
		p.log.LogAttrs(ctx, slog.LevelError, "database away", slog.String("request_id", w.Header().Get("X-Request-Id")), slog.Any("error", err))
		w.Header().Set("Retry-After", "5")
	}
	for refusal := range failures {
		if errors.Is(err, refusal) {
			kind = refusal
		}
	}
	state := components.State{
		Drawing: failures[kind].drawing, Heading: locale.T(ctx, "failed."+string(kind)), Body: locale.T(ctx, "failed."+string(kind)+"_body"),
		Action: locale.T(ctx, "failed.home"), Href: p.otherSignIn(r),
	}
	if kind == portal.Forbidden && !errors.Is(err, errNotOurs) { // it was ours, but is not for this account
		state.Heading, state.Body = locale.T(ctx, "error.forbidden"), ""
	}
	if kind == portal.Internal {
		id := w.Header().Get("X-Request-Id")
		p.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request_id", id), slog.String("path", r.URL.Path), slog.Any("error", err))
		state.Small = locale.T(ctx, "failed.number", "id", id)
	}
	state.InApp = (kind == portal.Internal || kind == portal.NotAvailable) && p.native(r).on != ""
	refused := new(portal.Refused)
	if errors.As(err, &refused) && refused.WaitSeconds() > 0 {
		if kind == portal.TooManyAttempts {
			state.Heading = refusalText(r, refused)
		}
		w.Header().Set("Retry-After", strconv.Itoa(refused.WaitSeconds()))
	}
	p.renderState(w, r, failures[kind].status, state)
}

func (p *Pages) renderState(w http.ResponseWriter, r *http.Request, status int, state components.State) {
	shell := p.shell(r, "", true)
	shell.Path, shell.OwnStyle = p.otherSignIn(r), "" // what went wrong reads as it is
	if err := p.render(w, r, status, shell, components.StatePage(state)); err != nil {
		if r.Context().Err() != nil {
			return // the reader has gone
		}
		p.log.LogAttrs(r.Context(), slog.LevelError, "render failed", slog.Any("error", err))
		http.Error(w, http.StatusText(status), status)
	}
}

// showJumpError is the redirect error page. Its text is fixed: nothing in the address reaches it
// (requirement 82).
func (p *Pages) showJumpError(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	state := components.State{
		Drawing: "d-lost", Heading: locale.T(ctx, "jump.heading"), Body: locale.T(ctx, "jump.body"), Action: locale.T(ctx, "jump.action"), Href: p.otherSignIn(r),
	}
	shell := p.shell(r, "", true)
	if reason := portal.Refusal(query.Get("reason")); reason == portal.WeChatExpired || reason == portal.WeChatFailed {
		by := portal.ProviderName(query.Get("by"))
		state, shell.Query = p.chatJumpError(w, r, reason, by), "reason="+string(reason)
		if by == portal.WeChat || by == portal.WeCom {
			shell.Query += "&by=" + string(by)
		}
	}
	p.countHere(r, &shell, portal.CountedJumpError)
	return p.render(w, r, http.StatusOK, shell, components.StatePage(state))
}
