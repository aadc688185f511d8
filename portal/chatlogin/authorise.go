package chatlogin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"time"

	"portico/portal/access"
	"portico/portal/chatapps"
	"portico/portal/sessions"
	"portico/portal/signin"
	"portico/store"
)

const (
	// AuthorisationLife is how long somebody may take at the provider.
	AuthorisationLife = 10 * time.Minute
	// AuthorisationAgain is how long a second hit of the same callback finds what came of the first.
	AuthorisationAgain = 2 * time.Minute
	// AuthorisationKept is how long an ended authorisation is told from one that never was.
	AuthorisationKept = time.Hour
	// Authorisations is how many the browsers of one address may begin in AuthorisationLife: an office that opens
	// work-chat at nine is one.
	Authorisations = 200

	stateBytes   = 20 // 160 bits
	exchangeTime = 5500 * time.Millisecond
)

// BeginAuthorisationInput asks to be sent to a provider. Flow is the browser's own id; Known says that this browser
// has come back from there before, so that nobody needs to be introduced once more.
type BeginAuthorisationInput struct {
	Provider access.ProviderName
	Place    access.Place
	Agent    string
	Mobile   bool
	Flow     string
	Known    bool
	Lighting bool
	Width    int
	From     string // the company's own domain where the person pressed the button, "" for none
	Return   string // the path to open after signing in, "" for none: taken to the company's platform host
}

// BeginAuthorisation returns the provider's address to redirect a browser to, for the kind of authorisation that fits
// the browser. A company's own domain gets the same page on the company's platform host, because every sign-in happens
// there. It refuses with WeChatFailed when no authorisation fits, and with TooManyAttempts past Authorisations.
func (c *Chatlogin) BeginAuthorisation(ctx context.Context, in BeginAuthorisationInput) (string, error) {
	doors := c.chatapps.Doors(in.Place, in.Agent, in.Mobile)
	i := slices.IndexFunc(doors, func(d chatapps.Door) bool { return d.Provider() == in.Provider })
	if i < 0 {
		return "", &access.Refused{Refusal: access.WeChatFailed}
	}
	door := doors[i]
	app, err := c.chatapps.AppFor(ctx, in.Place.Company, door.Kind())
	if err != nil {
		return "", err
	}
	if in.Place.OwnDomain {
		from := ""
		if app.Owner != 0 { // the application may be registered for this host only
			from = in.Place.Host
		}
		return c.access.CompanyOrigin(in.Place.CompanyID()) + beginPath(in, from), nil
	}
	if err := c.limits.CountUpTo(ctx, c.db, "authorisations:"+access.Network(access.CallerOf(ctx).Address), Authorisations, AuthorisationLife); err != nil {
		return "", err
	}
	back := c.access.Origin("account") // the platform's applications know one host to come back to
	if app.Owner != 0 || in.Place.Local {
		back = in.Place.Origin
	}
	if app.Owner != 0 && in.From != "" {
		from, err := c.access.Locate(ctx, access.LocateInput{Host: in.From})
		if err != nil {
			return "", err
		}
		if from.OwnDomain && from.CompanyID() == in.Place.CompanyID() {
			back = from.Origin // which passes the callback to this host
		}
	}
	a := store.Authorisation{
		Door: string(door), CompanyID: in.Place.CompanyID(), Host: in.Place.Host, Origin: in.Place.Origin, Flow: c.verification.Flow(in.Flow),
		Lighting: in.Lighting, Width: sessions.ValidWidth(in.Width),
	}
	return c.authorise(ctx, a, app, back+callbackPath(in.Provider), door.Scope(in.Known))
}

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

func callbackPath(provider access.ProviderName) string {
	if provider == access.WeCom {
		return "/wechatpro"
	}
	return "/wechat/callback"
}

// authorise keeps an authorisation that begins, and gives the provider's address.
func (c *Chatlogin) authorise(
	ctx context.Context, a store.Authorisation, app chatapps.ProviderApp, redirect string, scope chatapps.Scope,
) (string, error) {
	now, provider := c.now(), chatapps.Door(a.Door).Provider()
	raw := make([]byte, stateBytes)
	_, _ = rand.Read(raw) // never fails
	state := hex.EncodeToString(raw)
	a.ID, a.Provider, a.App = access.Hashed(state), string(provider), app.ID
	a.CreatedAt, a.ExpiresAt = store.At(now), store.At(now.Add(AuthorisationLife))
	if err := c.db.AddAuthorisation(ctx, a); err != nil {
		return "", err
	}
	return c.chatapps.Provider(provider).AuthorizeURL(app, redirect, state, scope), nil
}

// CallbackInput is what a browser came back with from a provider. Code is "" where the person declined.
type CallbackInput struct {
	Provider access.ProviderName
	Code     string `form:"code"`
	State    string `form:"state"`

	Flow    string
	Fresh   string // the id that the browser is given where it has none: an Ask is good with that alone
	Browser access.Browser
}

// Callback is the outcome of an authorisation; one of its fields is set, beside Lighting.
type Callback struct {
	Lighting bool // the lighting edition was asked for; also set when the authorisation is refused

	Elsewhere   string              // where it began: this callback belongs there
	Login       *signin.LoginResult // signed in
	Ask         string              // signs in who was recognised, by ConfirmSignIn, once the person has seen whom: the browser did not bring its cookie
	Who         IdentityView        // with Ask and Ticket
	Ticket      string              // nobody is signed in by this identity yet: it may be linked to an account, or register
	Application int64               // it has applied to this company
}

// FinishAuthorisation exchanges the code of a callback, once, and says what comes of it. A second hit of the same
// callback finds the same. Refused: WeChatFailed for a state that is none, another browser's or another provider's,
// and for what the provider refuses; WeChatExpired for one that was used or is too old, or whose code is; and all
// that blocks a sign-in.
func (c *Chatlogin) FinishAuthorisation(ctx context.Context, in CallbackInput) (Callback, error) {
	a, err := c.authorisation(ctx, in.State)
	if err != nil {
		return Callback{}, err
	}
	if a.Provider != string(in.Provider) || a.Client != "" {
		return Callback{}, c.strange(ctx, "another door")
	}
	if a.Host != in.Browser.Place.Host && in.Browser.Place.Host == "account."+c.baseHost {
		return c.elsewhere(ctx, a, in)
	}
	own, asked := in.Flow != "" && c.verification.Flow(in.Flow) == a.Flow, false
	if in.Flow != "" && !own {
		if asked = c.askedBefore(a, in.Flow); asked {
			in.Fresh = in.Flow
		}
	}
	if a.Host != in.Browser.Place.Host || a.CompanyID != in.Browser.Place.CompanyID() || in.Flow != "" && !own && !asked {
		return Callback{}, c.strange(ctx, "another browser or company")
	}
	by := ""
	if !own {
		by = c.verification.Flow(in.Fresh)
	}
	who, err := c.exchangeOnce(ctx, a, in.Browser.Place.Company, in.Code, by)
	if err != nil {
		return Callback{Lighting: a.Lighting}, err
	}
	in.Browser.Lighting = a.Lighting
	if in.Browser.Width == 0 {
		in.Browser.Width = a.Width
	}
	came, err := c.recognise(ctx, who, in, own)
	came.Lighting = a.Lighting
	return came, err
}

// askedBefore says that a browser which had lost its cookie came back by this callback before, and loads it again
// with the id it was given then.
func (c *Chatlogin) askedBefore(a store.Authorisation, flow string) bool {
	var outcome decided
	return a.Outcome != "" && c.sealing.Unseal("outcome "+a.ID, a.Outcome, &outcome) == nil && outcome.By == c.verification.Flow(flow)
}

// authorisation reads the one of a state.
func (c *Chatlogin) authorisation(ctx context.Context, state string) (store.Authorisation, error) {
	if len(state) != 2*stateBytes {
		return store.Authorisation{}, c.strange(ctx, "no state")
	}
	a, err := c.db.AuthorisationByID(ctx, access.Hashed(state))
	if errors.Is(err, store.ErrNotFound) {
		return a, c.strange(ctx, "an unknown state")
	}
	return a, err
}

// strange refuses a callback that nobody here began.
func (c *Chatlogin) strange(ctx context.Context, why string) error {
	c.access.LogSecurity(ctx, access.LogInfo, "authorisation_refused", access.LogDetail(why))
	return &access.Refused{Refusal: access.WeChatFailed, Strange: true}
}

// elsewhere sends a callback on to where it began, if that is still a place of ours, with the code and state unread.
func (c *Chatlogin) elsewhere(ctx context.Context, a store.Authorisation, in CallbackInput) (Callback, error) {
	if a.UsedAt == 0 && a.ExpiresAt <= store.At(c.now()) || c.longUsed(a) {
		return Callback{}, &access.Refused{Refusal: access.WeChatExpired}
	}
	if ours, err := c.access.OwnOrigin(ctx, a.Origin); err != nil || !ours || !c.access.UnderBase(a.Host) {
		return Callback{}, errors.Join(err, c.strange(ctx, "a place that is no more"))
	}
	query := url.Values{"state": {in.State}}
	if in.Code != "" {
		query.Set("code", in.Code)
	}
	return Callback{Elsewhere: a.Origin + callbackPath(in.Provider) + "?" + query.Encode()}, nil
}

// longUsed says that an authorisation was used too long ago for a second hit of its callback.
func (c *Chatlogin) longUsed(a store.Authorisation) bool {
	return a.UsedAt != 0 && c.now().Sub(a.UsedAt.Time()) >= AuthorisationAgain
}
