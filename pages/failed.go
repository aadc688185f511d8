package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"portico/components"
	"portico/locale"
	"portico/portal"
	"portico/portal/access"
)

// fail writes the error of a handler. A refusal becomes a redirect or a page that says what to do next. Any other error
// is logged once, here, and the page does not show it.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the browser has closed the connection
	}
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.LoginRequired) && r.Method == http.MethodGet && cookiesBlocked(r):
		p.renderCookiesBlocked(w, r)
	case errors.Is(err, access.LoginRequired):
		if err := p.signInAgain(w, r, "/login", p.loginAddress(r)); err != nil {
			p.renderFailure(w, r, err)
		}
	case ok && refused.FirstPassword && refused.Company == nil:
		_ = seeOther(w, "/password")
	case ok && refused.Applied != nil:
		p.renderApplied(w, r, refused)
	case ok && refused.Company != nil:
		p.renderBlocked(w, r, refused)
	case errors.Is(err, access.RedirectFailed):
		_ = seeOther(w, "/jumperror")
	default:
		p.renderFailure(w, r, err)
	}
}

// cookiesBlocked reports whether the browser blocks cookies: the request comes from a page of this platform, which
// always sets one, and has none. It returns false for a browser that does not say where the request comes from, and for
// one that follows a link from another site of the platform, because our own redirects between hosts send no referrer.
func cookiesBlocked(r *http.Request) bool {
	if len(r.Header["Cookie"]) > 0 {
		return false
	}
	from := r.Header.Get("Sec-Fetch-Site")
	return from == "same-origin" || from == "same-site" && r.Referer() == ""
}

// renderCookiesBlocked writes the page that says that signing in needs cookies.
func (p *Pages) renderCookiesBlocked(w http.ResponseWriter, r *http.Request) {
	p.renderState(w, r, http.StatusForbidden, components.State{
		Drawing: "d-locked",
		Heading: locale.T(r.Context(), "cookies.heading"),
		Body:    locale.T(r.Context(), "cookies.body"),
		Action:  locale.T(r.Context(), "cookies.action"),
		Href:    p.otherSignIn(r),
	})
}

// loginAddress returns the sign-in page, with a message when the browser had a session.
func (p *Pages) loginAddress(r *http.Request) string {
	if p.sessionToken(r) != "" {
		return "/login?done=session_ended"
	}
	return "/login"
}

// blockedDrawings holds the drawing of each reason for which an account is blocked.
var blockedDrawings = map[access.Refusal]string{
	access.UnderReview:    "d-review",
	access.TrialEnded:     "d-clock",
	access.CompanyExpired: "d-clock",
	access.MallNotOpen:    "d-clock",
	access.PartnerEnded:   "d-partner",
}

// blockedNext holds the text that says how to continue once the company is enabled again. The person has to sign in
// again, because a blocked account is signed out.
var blockedNext = map[access.Refusal]string{
	access.TrialEnded: "blocked.extended", access.CompanyExpired: "blocked.extended",
	access.CompanyDisabled: "blocked.enabled",
}

// renderBlocked writes the page of a blocked account: the reason, the people who can help, and how to continue then.
func (p *Pages) renderBlocked(w http.ResponseWriter, r *http.Request, refused *access.Refused) {
	drawing := blockedDrawings[refused.Refusal]
	if drawing == "" {
		drawing = "d-locked"
	}
	state := components.State{
		Drawing: drawing,
		Heading: refusalText(r, refused),
		Body:    refused.Company.Name,
		People:  people(r, refused.Contacts),
		Action:  locale.T(r.Context(), "blocked.other"),
		Href:    p.otherSignIn(r),
	}
	if refused.Refusal == access.WeChatManagerClosed { // a sign-in by password enters the same account
		state.Action, state.People = locale.T(r.Context(), "blocked.by_password"), nil
	}
	if next := blockedNext[refused.Refusal]; next != "" {
		state.Next, state.NextHref = locale.T(r.Context(), next), p.otherSignIn(r)
	}
	if refused.Company.Sandbox && refused.Refusal == access.TrialEnded { // a sandbox cannot be extended
		state.Heading, state.People = locale.T(r.Context(), "sandbox.ended"), nil
		state.Next = ""
		state.Action = locale.T(r.Context(), "sandbox.again")
		state.Href = p.base.Scheme + "://account." + p.base.Host + "/experience"
	}
	p.renderState(w, r, http.StatusUnprocessableEntity, state)
}

// otherSignIn returns the address of the sign-in page, from any host. The mobile sites have none of their own.
func (p *Pages) otherSignIn(r *http.Request) string {
	if place := placeOf(r.Context()); place.Site == access.SiteMobileShop || place.Site == access.SiteMobileMgr {
		return p.base.Scheme + "://account." + p.base.Host + "/login"
	}
	return "/login"
}

// failures holds the refusals that have a page of their own, with its status and drawing.
var failures = map[access.Refusal]struct {
	status  int
	drawing string
}{
	access.NotFound:         {http.StatusNotFound, "d-lost"},
	access.Forbidden:        {http.StatusForbidden, "d-locked"},
	access.MethodNotAllowed: {http.StatusMethodNotAllowed, "d-lost"},
	access.BadRequest:       {http.StatusBadRequest, "d-lost"},
	access.TooLarge:         {http.StatusRequestEntityTooLarge, "d-broken"},
	access.WrongType:        {http.StatusUnsupportedMediaType, "d-broken"},
	access.TooManyAttempts:  {http.StatusTooManyRequests, "d-clock"},
	access.NotAvailable:     {http.StatusServiceUnavailable, "d-clock"},
	access.Internal:         {http.StatusInternalServerError, "d-broken"},
}

// renderFailure writes the page of a refusal or an error. An error that is not a refusal is logged, and the page shows
// the id of the request.
func (p *Pages) renderFailure(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	kind := access.Internal
	if portal.Unavailable(err) {
		kind = access.NotAvailable
		p.log.LogAttrs(
			ctx,
			slog.LevelError,
			"database away",
			slog.String("request_id", w.Header().Get("X-Request-Id")),
			slog.Any("error", err),
		)
		w.Header().Set("Retry-After", "5")
	}
	for refusal := range failures {
		if errors.Is(err, refusal) {
			kind = refusal
		}
	}
	state := components.State{
		Drawing: failures[kind].drawing,
		Heading: locale.T(ctx, "failed."+string(kind)),
		Body:    locale.T(ctx, "failed."+string(kind)+"_body"),
		Action:  locale.T(ctx, "failed.home"),
		Href:    p.otherSignIn(r),
	}
	// A form of this site whose account has no right to what it asks for.
	if kind == access.Forbidden && !errors.Is(err, errCrossOrigin) {
		state.Heading, state.Body = locale.T(ctx, "error.forbidden"), ""
	}
	if kind == access.Internal {
		id := w.Header().Get("X-Request-Id")
		p.log.LogAttrs(
			ctx,
			slog.LevelError,
			"request failed",
			slog.String("request_id", id),
			slog.String("path", r.URL.Path),
			slog.Any("error", err),
		)
		state.Small = locale.T(ctx, "failed.number", "id", id)
	}
	if refused, ok := errors.AsType[*access.Refused](err); ok && refused.WaitSeconds() > 0 {
		if kind == access.TooManyAttempts {
			state.Heading = refusalText(r, refused)
		}
		w.Header().Set("Retry-After", strconv.Itoa(refused.WaitSeconds()))
	}
	p.renderState(w, r, failures[kind].status, state)
}

// addAppActions makes an error page in the app offer the app's actions and show the request's id for customer service.
func (p *Pages) addAppActions(w http.ResponseWriter, r *http.Request, state *components.State) {
	if p.native(r).on != "" {
		state.InApp, state.Request = true, w.Header().Get("X-Request-Id")
	}
}

// renderState writes a page that says what has happened and what to do next.
func (p *Pages) renderState(w http.ResponseWriter, r *http.Request, status int, state components.State) {
	for _, address := range []*string{&state.Href, &state.SecondHref, &state.NextHref} {
		*address = inEdition(r.Context(), *address)
	}
	shell := p.shell(r, "", true)
	shell.Path, shell.OwnStyle = p.otherSignIn(r), "" // a company's own styles must not hide an error
	shell.Failed = true
	p.addAppActions(w, r, &state)
	if err := p.render(w, r, status, shell, components.StatePage(state)); err != nil {
		if r.Context().Err() != nil {
			return // the browser has closed the connection
		}
		p.log.LogAttrs(r.Context(), slog.LevelError, "render failed", slog.Any("error", err))
		http.Error(w, http.StatusText(status), status)
	}
}

// showJumpError shows the page of a failed redirect. Its text is fixed: nothing from the address is shown, so that a
// link cannot put words on the page.
func (p *Pages) showJumpError(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	state := components.State{
		Drawing: "d-lost",
		Heading: locale.T(ctx, "jump.heading"),
		Body:    locale.T(ctx, "jump.body"),
		Action:  locale.T(ctx, "jump.action"),
		Href:    p.otherSignIn(r),
	}
	shell := p.shell(r, "", true)
	if reason := access.Refusal(query.Get("reason")); reason == access.WeChatExpired || reason == access.WeChatFailed {
		by := access.ProviderName(query.Get("by"))
		state, shell.Query = p.chatJumpError(w, r, reason, by), "reason="+string(reason)
		if by == access.WeChat || by == access.WeCom {
			shell.Query += "&by=" + string(by)
		}
	}
	p.addAppActions(w, r, &state)
	state.Href = inEdition(ctx, state.Href)
	if asksLighting(ctx) {
		shell.Query = strings.TrimPrefix(shell.Query+"&edition="+lightingEdition, "&")
	}
	return p.render(w, r, http.StatusOK, shell, components.StatePage(state))
}
