// Package api serves programs: 45 signed calls, their description at /openapi.json and a page about it at /docs. A call
// decodes its parameters, runs an operation of package portal and answers in an envelope. The rules are in portal.
package api

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"portico/api/docs"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/signin"
)

//go:embed openapi.json
var openAPI []byte

// Options are what the API needs.
type Options struct {
	Portal  *portal.Portal
	Base    *url.URL // scheme and {host} of the platform
	Secrets []string // of the request signature, all of them accepted
	Origins []string // further origins whose scripts may read answers; may contain "null"
	Dev     bool     // lets people try calls on the page about the API
	Log     *slog.Logger

	// Routed is called with the pattern of the route that answers a request, unless it is nil.
	Routed func(r *http.Request, route string)
}

// API serves the API's host.
type API struct {
	portal  *portal.Portal
	secrets [][]byte
	log     *slog.Logger
	calls   map[string]*call
	docs    *docs.Docs
	origins []string
	routed  func(r *http.Request, route string)
}

// New returns the API. It fails without a secret.
func New(o Options) (*API, error) {
	a := &API{portal: o.Portal, log: o.Log, calls: map[string]*call{}, origins: o.Origins, routed: o.Routed}
	if a.routed == nil {
		a.routed = func(*http.Request, string) {}
	}
	for _, secret := range o.Secrets {
		a.secrets = append(a.secrets, []byte(secret))
	}
	if len(a.secrets) == 0 {
		return nil, errors.New("api: no secret to check signatures with")
	}
	for i := range calls {
		a.calls[calls[i].path] = &calls[i]
	}
	a.docs = docs.New(docs.Options{
		Description: openAPI, Origin: o.Base.Scheme + "://api." + o.Base.Host, Dev: o.Dev,
	})
	return a, nil
}

// Serves reports whether a path belongs to the API. In dev the API is also served on the platform's own host.
func (a *API) Serves(path string) bool {
	for _, prefix := range []string{"/v1/", "/openapi/", "/api/", "/docs/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/openapi.json" || path == "/docs"
}

// ServeHTTP answers a call, or serves the description of the calls.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer a.recover(w, r)
	w.Header().Set("X-Robots-Tag", "noindex")
	if r.URL.Path == "/robots.txt" {
		a.routed(r, r.URL.Path)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("User-agent: *\nDisallow: /\n"))
		return
	}
	served, err := a.docs.Serve(w, r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if served {
		a.routed(r, r.URL.Path) // the docs have only a few paths, so each path is a route
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	allowed, err := a.allowOrigin(w, r)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	c, id, err := a.find(w, r)
	switch {
	case err != nil && errors.Is(err, access.MethodNotAllowed) && r.Method == http.MethodOptions && allowed:
		answerPreflight(w)
	case err != nil:
		a.fail(w, r, err)
	default:
		a.routed(r, c.path)
		if err := a.serve(w, r, c, id); err != nil {
			a.fail(w, r, err)
		}
	}
}

// find returns the call of a path, and the id at the end of the path, if there is one.
func (a *API) find(w http.ResponseWriter, r *http.Request) (*call, int64, error) {
	var id int64
	path := r.URL.Path
	c := a.calls[path]
	if slash := strings.LastIndexByte(path, '/'); c == nil && slash > 0 {
		if number, ok := access.DecimalID(path[slash+1:]); ok {
			c, id = a.calls[path[:slash]+"/{id}"], number
		}
	}
	if c == nil {
		return nil, 0, access.NotFound
	}
	if r.Method != c.method {
		w.Header().Set("Allow", c.method)
		return nil, 0, access.MethodNotAllowed
	}
	return c, id, nil
}

// serve checks the signature and the token, and refuses a replay, unless an answer is stored under its Idempotency-Key.
// Then it decodes the parameters and answers.
func (a *API) serve(w http.ResponseWriter, r *http.Request, c *call, id int64) error {
	sent, err := readRequest(w, r)
	if err != nil {
		return err
	}
	if err := a.checkSignature(sent); err != nil {
		return err
	}
	session, err := a.session(r.Context(), c, sent)
	if err != nil {
		return err
	}
	use := core.Call{Signature: sent.sign, Path: r.URL.Path, Effect: c.has(effect), Keyed: c.hasKey(sent)}
	first := a.portal.Replay.FirstUse(r.Context(), use)
	if first != nil && (!use.Keyed || !errors.Is(first, access.SignReplayed)) {
		return first
	}
	caller, err := a.caller(r, c, sent, session, id)
	if err != nil {
		return err
	}
	if first != nil { // a repeated request with an Idempotency-Key: return its stored answer, or refuse the replay
		data, err := a.portal.Replay.KeptAnswer(r.Context(), use, sent.onceInput(r))
		if err != nil {
			return err
		}
		return writeData(w, data)
	}
	if c.respond != nil {
		return c.respond(a, w, r, sent)
	}
	return a.answer(w, r, c, caller, sent)
}

// session returns the session of a call's token, unless the call is public. If it finds none, it counts the call for
// the rate limit on calls without a valid token, which applies to each network.
func (a *API) session(ctx context.Context, c *call, sent *request) (found *access.Session, err error) {
	if !c.has(public) {
		found, err = a.portal.Landing.FindToken(ctx, sent.token)
	}
	if found == nil && err == nil {
		err = a.portal.Limits.LimitPublicCall(ctx)
	}
	return found, err
}

// caller checks the token of a call, whose session was found already, and returns the caller.
func (a *API) caller(
	r *http.Request, c *call, sent *request, found *access.Session, id int64,
) (*caller, error) {
	caller := &caller{
		ctx: r.Context(), lang: func() string { return string(a.langOf(r)) }, kind: sent.kind, token: sent.token,
		companyID: sent.companyID, lighting: sent.lighting, id: id,
	}
	if c.has(public) {
		return caller, nil
	}
	if sent.token == "" && c.has(optional) {
		return caller, nil
	}
	if sent.token == "" {
		return nil, access.LoginRequired
	}
	var err error
	caller.session, err = a.portal.Landing.Token(r.Context(), signin.TokenInput{
		Token: sent.token, Client: sent.kind, Ticket: c.has(ticket), CompanyID: sent.companyID, Session: found,
	})
	if c.has(ends) && errors.Is(err, access.LoginRequired) {
		// The operation itself refuses an ended token, unless the call repeats the one that ended it.
		caller.session, err = access.Session{}, nil
	}
	return caller, err
}

// recover turns a panic into the envelope of a 500.
func (a *API) recover(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	a.log.LogAttrs(
		r.Context(), slog.LevelError, "panic", slog.String("request_id", requestID(w)), slog.Any("error", cause),
		slog.String("stack", string(debug.Stack())),
	)
	a.fail(w, r, access.Internal)
}
