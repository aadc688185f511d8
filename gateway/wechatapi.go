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

// wxAPI is what the APIs of WeChat and WeCom have in common: answers with an errcode, and secrets in the addresses
// asked for. No error of net/http, which holds the address, leaves ask.
type wxAPI struct {
	provider, base string
	client         *http.Client
	breaker        breaker
	now            func() time.Time
	whole          time.Duration // for what a person waits for, be it one request or two
}

// newWxAPI returns an API at base. Every request has a connection of its own: the transport repeats a GET whose
// kept connection breaks, and a code is to be exchanged once.
func newWxAPI(provider, base string) *wxAPI {
	client := newClient()
	if transport, ok := client.Transport.(*http.Transport); ok {
		transport.DisableKeepAlives = true
		transport.Proxy = tunnel
	}
	return &wxAPI{provider: provider, base: base, client: client, now: time.Now, whole: tryTime}
}

// tunnel is the proxy of the environment for https, of which it sees no more than the host. It is asked for nothing
// else.
func tunnel(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// orOwn is the address an operator gave, without its last slash, or the provider's own.
func orOwn(given, own string) string {
	if given == "" {
		return own
	}
	return strings.TrimRight(given, "/")
}

// wxCall is one request.
type wxCall struct {
	path   string
	query  url.Values
	body   []byte   // JSON to post; nil: a GET
	hidden []string // what a failure may not repeat
}

// wxAnswer is filled from an answer without an errcode, and says whether what is needed of it is there.
type wxAnswer interface{ complete() bool }

// ask sends the request and reads its answer, unless the provider is left alone.
func (a *wxAPI) ask(ctx context.Context, c wxCall, into wxAnswer) *Failure {
	if resting := a.breaker.allows(a.now()); resting != nil {
		return resting
	}
	f := a.try(ctx, c, into)
	a.breaker.report(f, a.now())
	return f
}

func (a *wxAPI) try(ctx context.Context, c wxCall, into wxAnswer) *Failure {
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
	got, failed := ask(a.client, a.provider, r)
	if failed != nil {
		return failed
	}
	return readWx(a.provider, got, c, into)
}

// readWx reads an answer. An error comes with status 200 like everything else; an answer that is too long is none,
// even where its beginning can be read.
func readWx(provider string, got answer, c wxCall, into wxAnswer) *Failure {
	var said struct {
		Code    int64  `json:"errcode"`
		Message string `json:"errmsg"`
	}
	if len(got.body) >= maxAnswer || json.Unmarshal(got.body, &said) != nil {
		return broken(provider)
	}
	if said.Code != 0 {
		return wxFailure(provider, said.Code, said.Message, c)
	}
	if got.status != http.StatusOK || json.Unmarshal(got.body, into) != nil || !into.complete() {
		return broken(provider)
	}
	return nil
}

// wxFailure tells by the errcode what can be done. What is not known is the operator's to look up. A token that is not
// accepted means a wrong secret where no token was sent.
func wxFailure(provider string, code int64, message string, c wxCall) *Failure {
	f := refused(provider, strconv.FormatInt(code, 10))
	f.Message = ownWords(message, c.hidden)
	if len(f.Code) > maxErrcode || leaks(f.Code, c.hidden) {
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

// Token is an access token or a ticket of the JS-SDK, and until when it is good. It stays on the server.
type Token struct {
	Value   string
	Expires time.Time
}

// String leaves out the value: tokens reach logs by accident.
func (t Token) String() string { return "token until " + t.Expires.Format(time.RFC3339) }

// GoString is String.
func (t Token) GoString() string { return t.String() }

// tokenAnswer answers for both: access tokens and tickets.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	Ticket      string `json:"ticket"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
}

const (
	maxTokenLife = 24 * time.Hour // those of today last two hours
	maxToken     = 1000           // bytes
	maxCode      = 512            // bytes, of what a person came back with
)

func (t *tokenAnswer) complete() bool {
	return t.ExpiresIn > 0 && (t.AccessToken == "") != (t.Ticket == "") && goodToken(t.AccessToken+t.Ticket)
}

// goodToken says whether value can be a token or a ticket.
func goodToken(value string) bool { return oneWord.MatchString(value) && len(value) <= maxToken }

// goodCode says whether code can be what a provider sent a person back with.
func goodCode(code string) bool { return oneWord.MatchString(code) && len(code) <= maxCode }

var oneWord = regexp.MustCompile(`^[!-~]+$`)

// token asks for an access token or a ticket. Its life is counted from before the question.
func (a *wxAPI) token(ctx context.Context, c wxCall) (Token, error) {
	ctx, cancel := context.WithTimeout(ctx, a.whole)
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

// refusal is of what nobody is asked for: without credentials, without a token, with a code that is none.
func (a *wxAPI) refusal(credentials, token, code bool) *Failure {
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

// inOrder writes the parameters of an address, pairs of name and value, in the order given: WeChat's pages want theirs.
func inOrder(pairs ...string) string {
	out := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		out += "&" + pairs[i] + "=" + url.QueryEscape(pairs[i+1])
	}
	return "?" + out[1:]
}
