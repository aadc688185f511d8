package signin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/store"
)

const (
	// AuthorisationLife is how long a person may take at the provider.
	AuthorisationLife = 10 * time.Minute
	// AuthorisationAgain is how long a repeated request of the same callback gets the result of the first.
	AuthorisationAgain = 2 * time.Minute
	// AuthorisationKept is how long an ended authorisation is stored, so that its callback is refused as expired and
	// not as unknown.
	AuthorisationKept = time.Hour
	// Authorisations is how many authorisations one network may begin in AuthorisationLife. It is large enough for an
	// office where everybody opens WeCom at nine.
	Authorisations = 200

	stateBytes   = 20 // 160 bits
	exchangeTime = 5500 * time.Millisecond
)

// BeginAuthorisationInput asks for the address of a provider to redirect a browser to.
type BeginAuthorisationInput struct {
	Provider access.ProviderName
	Place    access.Place
	Agent    string // the User-Agent
	Mobile   bool   // the device is a phone
	Flow     string // the browser's own id
	Known    bool   // the browser has authorised at this provider before
	Lighting bool   // the lighting edition
	Width    int    // of the screen, in CSS pixels; 0 unknown
	From     string // the company's own domain where the person pressed the button, "" for none
	Return   string // the path to open after signing in, "" for none: passed to the company's platform host
}

// BeginAuthorisation returns the provider's address to redirect a browser to, for the kind of authorisation that fits
// the browser. A company's own domain gets the same page on the company's platform host, because every sign-in happens
// there. It refuses with WeChatFailed when no authorisation fits, and with TooManyAttempts past Authorisations.
func (cl *Chatlogin) BeginAuthorisation(ctx context.Context, in BeginAuthorisationInput) (string, error) {
	methods := cl.chatapps.Methods(in.Place, in.Agent, in.Mobile)
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Provider() == in.Provider })
	if i < 0 {
		return "", &access.Refused{Refusal: access.WeChatFailed}
	}
	method := methods[i]
	app, err := cl.chatapps.AppFor(ctx, in.Place.Company, method.Kind())
	if err != nil {
		return "", err
	}
	if in.Place.OwnDomain {
		from := ""
		if app.Owner != 0 { // a company may have registered its application for this host only
			from = in.Place.Host
		}
		return cl.core.Access.CompanyOrigin(in.Place.CompanyID()) + beginPath(in, from), nil
	}
	if err := cl.core.Limits.CountUpTo(
		ctx, cl.core.DB, "authorisations:"+access.Network(
			access.CallerOf(ctx).Address,
		), Authorisations, AuthorisationLife,
	); err != nil {
		return "", err
	}
	back := cl.core.Access.Origin("account") // the only host that the platform's applications are registered for
	if app.Owner != 0 || in.Place.Local {
		back = in.Place.Origin
	}
	if app.Owner != 0 && in.From != "" {
		from, err := cl.core.Access.Locate(ctx, access.LocateInput{Host: in.From})
		if err != nil {
			return "", err
		}
		if from.OwnDomain && from.CompanyID() == in.Place.CompanyID() {
			back = from.Origin // from there FinishAuthorisation redirects to this host
		}
	}
	a := store.Authorisation{
		Method:    string(method),
		CompanyID: in.Place.CompanyID(),
		Host:      in.Place.Host,
		Origin:    in.Place.Origin,
		Flow:      cl.core.Verification.Flow(in.Flow),
		Lighting:  in.Lighting,
		Width:     core.ValidWidth(in.Width),
	}
	return cl.authorise(ctx, a, app, back+callbackPath(in.Provider), method.Scope(in.Known))
}

// beginPath returns the path that begins an authorisation, with its query. from is the company's own domain to come
// back through, "" for none.
func beginPath(in BeginAuthorisationInput, from string) string {
	path, query := "/wechat", url.Values{}
	if in.Provider == access.WeCom {
		path = "/wechatpro"
	}
	if in.Lighting {
		query.Set("edition", "lighting")
	}
	if in.Return != "" {
		query.Set("return", in.Return)
	}
	if from != "" {
		query.Set("from", from)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// callbackPath returns the path that a provider redirects to.
func callbackPath(provider access.ProviderName) string {
	if provider == access.WeCom {
		return "/wechatpro"
	}
	return "/wechat/callback"
}

// authorise stores a new authorisation and returns the provider's address for it.
func (cl *Chatlogin) authorise(
	ctx context.Context, a store.Authorisation, app ProviderApp, redirect string, scope Scope,
) (string, error) {
	now, provider := cl.core.Now(), Method(a.Method).Provider()
	raw := make([]byte, stateBytes)
	_, _ = rand.Read(raw) // never fails
	state := hex.EncodeToString(raw)
	a.ID = access.Hashed(state)
	a.Provider = string(provider)
	a.App = app.ID
	a.CreatedAt, a.ExpiresAt = store.At(now), store.At(now.Add(AuthorisationLife))
	if err := cl.core.DB.Authorisations.Add(ctx, a); err != nil {
		return "", err
	}
	return cl.chatapps.Provider(provider).AuthorizeURL(app, redirect, state, scope), nil
}

// CallbackInput is the callback with which a provider sent a browser back.
type CallbackInput struct {
	Provider access.ProviderName
	Code     string `form:"code"` // "" when the person declined
	State    string `form:"state"`

	Flow    string // the browser's own id, "" when it has lost its cookie
	Fresh   string // the id that a browser without one is given now; a ConfirmToken is valid for it alone
	Browser access.Browser
}

// Callback is the result of an authorisation. One of RedirectURL, Login, ConfirmToken, Ticket and Application is set.
type Callback struct {
	Lighting bool // the lighting edition was requested; also set when the authorisation is refused

	RedirectURL string       // the same callback on the host where the authorisation began
	Login       *LoginResult // the person is signed in
	// ConfirmToken signs the person in by ConfirmSignIn, once the person has seen which account it is. It is set when
	// the browser did not send the cookie with which the authorisation began.
	ConfirmToken string
	Identity     IdentityView // set with ConfirmToken and Ticket
	Ticket       string       // the identity has no account yet: it may be linked to one, or register
	Application  int64        // the application that the identity sent to this company
}

// FinishAuthorisation exchanges the code of a callback once and decides what follows. A repeated request of the same
// callback gets the same result. It refuses with WeChatFailed an unknown state, a state of another browser or provider,
// and what the provider refuses; with WeChatExpired a state that was used or expired, and an expired code; and with
// everything that blocks a sign-in.
func (cl *Chatlogin) FinishAuthorisation(ctx context.Context, in CallbackInput) (Callback, error) {
	a, err := cl.authorisation(ctx, in.State)
	if err != nil {
		return Callback{}, err
	}
	if a.Provider != string(in.Provider) || a.Client != "" {
		return Callback{}, cl.refuseCallback(ctx, "another door")
	}
	if a.Host != in.Browser.Place.Host && in.Browser.Place.Host == "account."+cl.core.BaseHost {
		return cl.redirectToOrigin(ctx, a, in)
	}
	own, asked := in.Flow != "" && cl.core.Verification.Flow(in.Flow) == a.Flow, false
	if in.Flow != "" && !own {
		if asked = cl.askedToConfirm(a, in.Flow); asked {
			in.Fresh = in.Flow
		}
	}
	if a.Host != in.Browser.Place.Host || a.CompanyID != in.Browser.Place.CompanyID() ||
		in.Flow != "" && !own && !asked {
		return Callback{}, cl.refuseCallback(ctx, "another browser or company")
	}
	by := ""
	if !own {
		by = cl.core.Verification.Flow(in.Fresh)
	}
	who, err := cl.exchangeOnce(ctx, a, in.Browser.Place.Company, in.Code, by)
	if err != nil {
		return Callback{Lighting: a.Lighting}, err
	}
	in.Browser.Lighting = a.Lighting
	if in.Browser.Width == 0 {
		in.Browser.Width = a.Width
	}
	came, err := cl.recognise(ctx, who, in, own)
	came.Lighting = a.Lighting
	return came, err
}

// askedToConfirm says whether a browser without its cookie sent this callback before and was given the id flow then.
// Reloading the page then shows the same question.
func (cl *Chatlogin) askedToConfirm(a store.Authorisation, flow string) bool {
	var outcome exchangeOutcome
	return a.Outcome != "" && cl.core.Sealing.Unseal("outcome "+a.ID, a.Outcome, &outcome) == nil &&
		outcome.By == cl.core.Verification.Flow(flow)
}

// authorisation reads the authorisation of a state. It refuses an unknown state with WeChatFailed.
func (cl *Chatlogin) authorisation(ctx context.Context, state string) (store.Authorisation, error) {
	if len(state) != 2*stateBytes {
		return store.Authorisation{}, cl.refuseCallback(ctx, "no state")
	}
	a, err := cl.core.DB.Authorisations.ByID(ctx, access.Hashed(state))
	if errors.Is(err, store.ErrNotFound) {
		return a, cl.refuseCallback(ctx, "an unknown state")
	}
	return a, err
}

// refuseCallback logs a callback that does not belong to this browser or site, and returns its refusal.
func (cl *Chatlogin) refuseCallback(ctx context.Context, why string) error {
	cl.core.Access.LogSecurity(ctx, access.LogInfo, "authorisation_refused", access.LogDetail(why))
	return &access.Refused{Refusal: access.WeChatFailed, Strange: true}
}

// redirectToOrigin redirects a callback, with its code and state unread, to the host where the authorisation began, if
// that is still a site of the platform.
func (cl *Chatlogin) redirectToOrigin(ctx context.Context, a store.Authorisation, in CallbackInput) (Callback, error) {
	if a.UsedAt == 0 && a.ExpiresAt <= store.At(cl.core.Now()) || cl.longUsed(a) {
		return Callback{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if own, err := cl.core.Access.OwnOrigin(ctx, a.Origin); err != nil || !own || !cl.core.Access.UnderBase(a.Host) {
		return Callback{}, errors.Join(err, cl.refuseCallback(ctx, "a place that is no more"))
	}
	query := url.Values{"state": {in.State}}
	if in.Code != "" {
		query.Set("code", in.Code)
	}
	return Callback{RedirectURL: a.Origin + callbackPath(in.Provider) + "?" + query.Encode()}, nil
}

// longUsed says whether an authorisation was used too long ago to answer a repeated request of its callback.
func (cl *Chatlogin) longUsed(a store.Authorisation) bool {
	return a.UsedAt != 0 && cl.core.Now().Sub(a.UsedAt.Time()) >= AuthorisationAgain
}
