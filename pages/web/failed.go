package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"portico/portal/core"

	"portico/components"
	"portico/locale"
	"portico/portal/access"
	"portico/store"
)

// fail writes the error of a handler. A refusal becomes a redirect or a page that says what to do next. Any other error
// is logged once, here, and the page does not show it.
func (p *Web) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the browser has closed the connection
	}
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.LoginRequired) && r.Method == http.MethodGet && CookiesBlocked(r):
		p.renderCookiesBlocked(w, r)
	case errors.Is(err, access.LoginRequired):
		if err := p.SignInAgain(w, r, "/login", p.loginAddress(r)); err != nil {
			p.RenderFailure(w, r, err)
		}
	case ok && refused.FirstPassword && refused.Company == nil:
		_ = SeeOther(w, "/password")
	case ok && refused.Applied != nil:
		p.ShowApplied(w, r, refused)
	case ok && refused.Company != nil:
		p.renderBlocked(w, r, refused)
	case errors.Is(err, access.RedirectFailed):
		_ = SeeOther(w, "/jumperror")
	default:
		p.RenderFailure(w, r, err)
	}
}

// CookiesBlocked reports whether the browser blocks cookies: the request comes from a page of this platform, which
// always sets one, and has none. Old engines do not say where a request comes from; then the referrer does, and
// landedParam after a redirect between hosts, which sends no referrer. A browser that follows a link from another site
// of the platform blocks nothing.
func CookiesBlocked(r *http.Request) bool {
	if len(r.Header["Cookie"]) > 0 {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return true
	case "same-site":
		return r.Referer() == ""
	case "":
		from, err := url.Parse(r.Referer())
		return err == nil && from.Host != "" && from.Host == r.Host || r.URL.Query().Has(landedParam)
	}
	return false
}

// renderCookiesBlocked writes the page that says that signing in needs cookies.
func (p *Web) renderCookiesBlocked(w http.ResponseWriter, r *http.Request) {
	p.RenderState(w, r, http.StatusForbidden, components.State{
		Scene:   components.SceneLocked,
		Heading: locale.T(r.Context(), "cookies.heading"),
		Body:    locale.T(r.Context(), "cookies.body"),
		Action:  locale.T(r.Context(), "cookies.action"),
		Href:    p.OtherSignIn(r),
	})
}

// loginAddress returns the sign-in page, with a message when the browser had a session.
func (p *Web) loginAddress(r *http.Request) string {
	if p.SessionToken(r) != "" {
		return "/login?done=session_ended"
	}
	return "/login"
}

// blockedScenes holds the scene of each reason for which an account is blocked.
var blockedScenes = map[access.Refusal]components.Scene{
	access.UnderReview:    components.SceneReview,
	access.TrialEnded:     components.SceneNotNow,
	access.CompanyExpired: components.SceneNotNow,
	access.MallNotOpen:    components.SceneNotNow,
	access.PartnerEnded:   components.SceneEnded,
}

// blockedNext holds the text that says how to continue once the company is enabled again. The person has to sign in
// again, because a blocked account is signed out.
var blockedNext = map[access.Refusal]string{
	access.TrialEnded: "blocked.extended", access.CompanyExpired: "blocked.extended",
	access.CompanyDisabled: "blocked.enabled",
}

// renderBlocked writes the page of a blocked account: the reason, the people who can help, and how to continue then.
func (p *Web) renderBlocked(w http.ResponseWriter, r *http.Request, refused *access.Refused) {
	scene := blockedScenes[refused.Refusal]
	if scene == "" {
		scene = components.SceneLocked
	}
	state := components.State{
		Scene:   scene,
		Owner:   Owner(*refused.Company),
		Of:      OtherCompany(r, *refused.Company),
		Heading: locale.T(r.Context(), "chip."+string(refused.Refusal)),
		Body:    RefusalText(r, refused),
		People:  People(r, refused.Contacts),
		Action:  locale.T(r.Context(), "blocked.other"),
		Href:    p.OtherSignIn(r),
	}
	if refused.Refusal == access.WeChatManagerClosed { // a sign-in by password enters the same account
		state.Action, state.People = locale.T(r.Context(), "blocked.by_password"), nil
	}
	if next := blockedNext[refused.Refusal]; next != "" {
		state.Next = locale.T(r.Context(), next)
	}
	if refused.Company.Sandbox && refused.Refusal == access.TrialEnded { // a sandbox cannot be extended
		state.Heading = locale.T(r.Context(), "sandbox.ended")
		state.Body = ""
		state.People = nil
		state.Next = ""
		state.Action = locale.T(r.Context(), "sandbox.again")
		state.Href = p.Platform.Base.Scheme + "://account." + p.Platform.Base.Host + "/experience"
	}
	status := http.StatusUnprocessableEntity
	if refused.Refusal == access.ApplicationsClosed && r.Method != http.MethodPost {
		status = http.StatusOK // a GET is not refused: this is the content of the page
	}
	p.renderState(w, r, status, state, OwnerStyle(r, *refused.Company))
}

// Owner returns the company whose shop a state shows.
func Owner(c store.Company) components.Owner {
	return components.Owner{Name: c.Name, Icon: OwnIcon(c.IconURL)}
}

// HostOwner returns the company on whose host the request is, nobody on the platform's.
func HostOwner(r *http.Request) components.Owner {
	if c := PlaceOf(r.Context()).Company; c != nil {
		return Owner(*c)
	}
	return components.Owner{}
}

// OwnerStyle returns the colours of the shop of a company, "" on its own host, where the page has them.
func OwnerStyle(r *http.Request, c store.Company) string {
	if PlaceOf(r.Context()).CompanyID() == c.ID {
		return ""
	}
	return components.MarkStyle(components.OwnerMark, c.Theme)
}

// OtherCompany returns the name of a company, or "" on the company's own host, where the header has the name.
func OtherCompany(r *http.Request, c store.Company) string {
	if PlaceOf(r.Context()).CompanyID() == c.ID {
		return ""
	}
	return c.Name
}

// OtherSignIn returns the address of the sign-in page, from any host. The mobile sites have no sign-in page, so
// there it is the page of the account site.
func (p *Web) OtherSignIn(r *http.Request) string {
	if place := PlaceOf(r.Context()); place.Site == access.SiteMobileShop ||
		place.Site == access.SiteMobileMgr {
		return p.Platform.Base.Scheme + "://account." + p.Platform.Base.Host + "/login"
	}
	return "/login"
}

// Failures holds the refusals that have a page of their own, with its status and scene.
var Failures = map[access.Refusal]struct {
	Status int
	Scene  components.Scene
}{
	access.NotFound:         {http.StatusNotFound, components.SceneLost},
	access.Forbidden:        {http.StatusForbidden, components.SceneLocked},
	access.MethodNotAllowed: {http.StatusMethodNotAllowed, components.SceneLost},
	access.BadRequest:       {http.StatusBadRequest, components.SceneLost},
	access.TooLarge:         {http.StatusRequestEntityTooLarge, components.SceneBroken},
	access.WrongType:        {http.StatusUnsupportedMediaType, components.SceneBroken},
	access.TooManyAttempts:  {http.StatusTooManyRequests, components.SceneNotNow},
	access.NotAvailable:     {http.StatusServiceUnavailable, components.SceneNotNow},
	access.Internal:         {http.StatusInternalServerError, components.SceneBroken},
}

// RenderFailure writes the page of a refusal or an error. An error that is not a refusal is logged, and the page shows
// the id of the request. A refusal for which the page that was asked for has no place is shown on a page of its own.
func (p *Web) RenderFailure(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	kind := access.Internal
	if core.Unavailable(err) {
		kind = access.NotAvailable
		p.Platform.Log.LogAttrs(
			ctx,
			slog.LevelError,
			"database away",
			slog.String("request_id", w.Header().Get("X-Request-Id")),
			slog.Any("error", err),
		)
		w.Header().Set("Retry-After", "5")
	}
	for refusal := range Failures {
		if errors.Is(err, refusal) {
			kind = refusal
		}
	}
	if kind == access.Internal && access.IsRefused(err) && !errors.Is(err, access.Internal) {
		p.renderRefusal(w, r, err)
		return
	}
	state := components.State{
		Scene:   Failures[kind].Scene,
		Heading: locale.T(ctx, "failed."+string(kind)),
		Body:    locale.T(ctx, "failed."+string(kind)+"_body"),
		Action:  locale.T(ctx, "failed.home"),
		Href:    p.OtherSignIn(r),
	}
	// The form comes from this site, but the account lacks the right that it needs.
	if kind == access.Forbidden && !errors.Is(err, ErrCrossOrigin) {
		state.Heading, state.Body = locale.T(ctx, "error.forbidden"), ""
	}
	if kind == access.Internal {
		id := w.Header().Get("X-Request-Id")
		p.Platform.Log.LogAttrs(
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
			state.Heading = RefusalText(r, refused)
		}
		w.Header().Set("Retry-After", strconv.Itoa(refused.WaitSeconds()))
	}
	p.RenderState(w, r, Failures[kind].Status, state)
}

// renderRefusal writes the page of a refusal that has none in Failures.
func (p *Web) renderRefusal(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*access.Refused](err)
	if !ok {
		refused = &access.Refused{}
		_ = errors.As(err, &refused.Refusal)
	}
	p.Platform.Log.LogAttrs(r.Context(), slog.LevelWarn, "refusal without a place on the page",
		slog.String("request_id", w.Header().Get("X-Request-Id")), slog.String("path", r.URL.Path),
		slog.String("refusal", string(refused.Refusal)))
	p.RenderState(w, r, http.StatusUnprocessableEntity, components.State{
		Scene: components.SceneLocked, Heading: RefusalText(r, refused), Action: locale.T(r.Context(), "failed.home"),
		Href: p.OtherSignIn(r),
	})
}

// AddAppActions makes an error page in the app offer the app's actions and show the request's id for customer service.
func (p *Web) AddAppActions(w http.ResponseWriter, r *http.Request, state *components.State) {
	if p.Native(r).System != "" {
		state.InApp, state.Request = true, w.Header().Get("X-Request-Id")
	}
}

// RenderState writes a page that says what has happened and what to do next.
func (p *Web) RenderState(w http.ResponseWriter, r *http.Request, status int, state components.State) {
	p.renderState(w, r, status, state, "")
}

// renderState does the same. marks are the colours of the company that the state is about, see components.Shell.Marks.
func (p *Web) renderState(w http.ResponseWriter, r *http.Request, status int, state components.State, marks string) {
	for _, address := range []*string{&state.Href, &state.SecondHref} {
		*address = InEdition(r.Context(), *address)
	}
	if state.Owner == (components.Owner{}) {
		state.Owner = HostOwner(r)
	}
	shell := p.Shell(r, "", true)
	shell.Path, shell.OwnStyle = p.OtherSignIn(r), "" // a company's own styles must not hide an error
	shell.State = true
	shell.Failed = true
	shell.Brief = len(state.People) == 0
	NamePage(r, &shell, state.Heading)
	shell.Marks = marks
	p.AddAppActions(w, r, &state)
	if err := p.Render(w, r, status, shell, components.StatePage(state)); err != nil {
		if r.Context().Err() != nil {
			return // the browser has closed the connection
		}
		p.Platform.Log.LogAttrs(r.Context(), slog.LevelError, "render failed", slog.Any("error", err))
		http.Error(w, http.StatusText(status), status)
	}
}

// RefuseApp writes a refusal as JSON with a message for the app's bridge. An ended session is answered with 401. It
// returns any other error, for the adapter that handles the errors of all pages.
func RefuseApp(w http.ResponseWriter, r *http.Request, err error) error {
	refused, ok := errors.AsType[*access.Refused](err)
	switch {
	case errors.Is(err, access.LoginRequired):
		return WriteJSON(w, http.StatusUnauthorized,
			map[string]string{"message": locale.T(r.Context(), "native.ended")})
	case ok:
		return WriteJSON(w, RefusedStatus(w, refused), map[string]string{"message": RefusalText(r, refused)})
	}
	return err
}
