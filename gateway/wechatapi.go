package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// wxAPI is what the APIs of WeChat and WeCom have in common: answers have an errcode, and URLs contain secrets. So ask
// returns no error of net/http, which would contain the URL.
type wxAPI struct {
	provider, base string
	client         *http.Client
	breaker        breaker
	now            func() time.Time
	totalTime      time.Duration // for all requests of one call that a person waits for
}

// newWxAPI returns a client of the API at base. It opens a connection for every request: the transport repeats a GET
// when a reused connection breaks, and a code must be exchanged once only.
func newWxAPI(provider, base string) *wxAPI {
	client := newClient()
	if transport, ok := client.Transport.(*http.Transport); ok {
		transport.DisableKeepAlives = true
		transport.Proxy = proxyForHTTPS
	}
	return &wxAPI{provider: provider, base: base, client: client, now: time.Now, totalTime: attemptTime}
}

// proxyForHTTPS returns the environment's proxy for https, where the proxy sees the host only, and none for http.
func proxyForHTTPS(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// orDefault returns the base URL that the operator gave, without a slash at its end, or the provider's own.
func orDefault(given, own string) string {
	if given == "" {
		return own
	}
	return strings.TrimRight(given, "/")
}

// wxCall is one request.
type wxCall struct {
	path    string
	query   url.Values
	body    []byte   // JSON to post; nil: a GET
	secrets []string // what a failure may not repeat
}

// wxAnswer is the content of an answer that reports no error: its errcode is missing or 0. complete says whether the
// required fields are there and valid.
type wxAnswer interface{ complete() bool }

// ask sends a request and reads its answer, unless the breaker is open.
func (a *wxAPI) ask(ctx context.Context, c wxCall, into wxAnswer) *Failure {
	if resting := a.breaker.allows(a.now()); resting != nil {
		return resting
	}
	f := a.send(ctx, c, into)
	a.breaker.report(f, a.now())
	return f
}

func (a *wxAPI) send(ctx context.Context, c wxCall, into wxAnswer) *Failure {
	address, method := a.base+c.path, http.MethodGet
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	if c.body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(c.body))
	if err != nil {
		return refused(a.provider, "bad_request")
	}
	if c.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, failed := doRequest(a.client, a.provider, r)
	if failed != nil {
		return failed
	}
	return readWx(a.provider, got, c, into)
}

// readWx reads an answer. Errors have status 200, too. An answer that is too long is broken, even when its beginning
// can be parsed.
func readWx(provider string, got answer, c wxCall, into wxAnswer) *Failure {
	var said struct {
		Code    int64  `json:"errcode"`
		Message string `json:"errmsg"`
	}
	if len(got.body) >= maxAnswer || json.Unmarshal(got.body, &said) != nil {
		return brokenAnswer(provider)
	}
	if said.Code != 0 {
		return wxFailure(provider, said.Code, said.Message, c)
	}
	if got.status != http.StatusOK || json.Unmarshal(got.body, into) != nil || !into.complete() {
		return brokenAnswer(provider)
	}
	return nil
}

// wxFailure turns an errcode into a failure. An unknown errcode is Refused, so that the operator looks it up. The
// errcodes of an invalid token mean a wrong secret when no token was sent.
func wxFailure(provider string, code int64, message string, c wxCall) *Failure {
	f := refused(provider, strconv.FormatInt(code, 10))
	f.Message = publicMessage(message, c.secrets)
	if len(f.Code) > maxErrcode || repeatsSecret(f.Code, c.secrets) {
		f.Code = "unreadable_code"
	}
	switch code {
	case 40029, 40163, 41008, 42003:
		f.Kind = Expired
	case 40001, 40014, 41001, 42001:
		if c.query.Has("access_token") {
			f.Kind = Stale
		}
	case -1, 45009, 45011, 45033:
		f.Kind = Busy
	}
	return f
}

const maxErrcode = 8 // digits

// Token is an access token or a ticket of the JS-SDK with its expiry. It never leaves the server.
type Token struct {
	Value   string
	Expires time.Time
}

// String leaves out the value, in case the token is logged by accident.
func (t Token) String() string { return "token until " + t.Expires.Format(time.RFC3339) }

// GoString is String.
func (t Token) GoString() string { return t.String() }

// tokenAnswer is the answer with an access token or a ticket.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	Ticket      string `json:"ticket"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
}

const (
	maxTokenLife = 24 * time.Hour // tokens of WeChat and WeCom expire after two hours
	maxToken     = 1000           // bytes
	maxCode      = 512            // bytes of the code in a callback
)

func (t *tokenAnswer) complete() bool {
	return t.ExpiresIn > 0 && (t.AccessToken == "") != (t.Ticket == "") && isToken(t.AccessToken+t.Ticket)
}

// isToken says whether value has the form of a token or a ticket.
func isToken(value string) bool { return oneWord.MatchString(value) && len(value) <= maxToken }

// isCode says whether code has the form of a code that a provider sends in a callback.
func isCode(code string) bool { return oneWord.MatchString(code) && len(code) <= maxCode }

var oneWord = regexp.MustCompile(`^[!-~]+$`)

// token fetches an access token or a ticket. Its lifetime counts from before the request.
func (a *wxAPI) token(ctx context.Context, c wxCall) (Token, error) {
	ctx, cancel := context.WithTimeout(ctx, a.totalTime)
	defer cancel()
	asked := a.now()
	var got tokenAnswer
	if f := a.ask(ctx, c, &got); f != nil {
		return Token{}, f
	}
	life := maxTokenLife
	if got.ExpiresIn < int64(maxTokenLife/time.Second) {
		life = time.Duration(got.ExpiresIn) * time.Second
	}
	return Token{Value: got.AccessToken + got.Ticket, Expires: asked.Add(life)}, nil
}

// checkBeforeCall returns the failure of a call that must not be made, because the credentials are missing or the token
// or the code is invalid. It returns nil for any other call.
func (a *wxAPI) checkBeforeCall(credentials, token, code bool) *Failure {
	switch {
	case !credentials:
		return refused(a.provider, codeNoCredentials)
	case !token:
		return &Failure{Provider: a.provider, Code: codeNoToken, Kind: Stale}
	case !code:
		return &Failure{Provider: a.provider, Code: codeBadCode, Kind: Expired}
	}
	return nil
}

// orderedQuery returns a query with the given pairs of names and values in the given order, which WeChat's pages
// require.
func orderedQuery(pairs ...string) string {
	out := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		out += "&" + pairs[i] + "=" + url.QueryEscape(pairs[i+1])
	}
	return "?" + out[1:]
}
