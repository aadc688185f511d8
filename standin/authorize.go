package standin

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// authPage is one of the four pages on which people authorise a sign-in.
type authPage string

const (
	wechatApp authPage = "wechat_app" // in WeChat
	wechatQR  authPage = "wechat_qr"  // WeChat's QR code, on a desktop
	wecomApp  authPage = "wecom_app"  // in WeCom
	wecomQR   authPage = "wecom_qr"   // WeCom's QR code, on a desktop
)

func (d authPage) isWeCom() bool { return d == wecomApp || d == wecomQR }
func (d authPage) isQR() bool    { return d == wechatQR || d == wecomQR }

// authRequest is the authorisation that a page asks for, and the URL that it redirects to.
type authRequest struct {
	authPage authPage
	app      string
	redirect *url.URL
	scope    string
	state    string
}

// silent reports whether the page redirects a known person without asking.
func (q authRequest) silent() bool {
	return q.authPage == wecomApp || q.authPage == wechatApp && q.scope == scopeBase
}

// refusal is an error page: the provider's error number, 0 for none, and the locale key of its text.
type refusal struct {
	code int
	key  string
}

// The reasons why an authorisation page is not shown.
var (
	noRefusal     = refusal{}
	outOfOrder    = refusal{0, "standin.refused.order"}
	wrongRedirect = refusal{10003, "standin.refused.redirect"}
	wrongScope    = refusal{10005, "standin.refused.scope"}
	noScope       = refusal{10010, "standin.refused.no_scope"}
	noRedirect    = refusal{10011, "standin.refused.no_redirect"}
	appMissing    = refusal{10012, "standin.refused.no_app"}
	notInApp      = refusal{10016, "standin.refused.open_app"}
	wrongApp      = refusal{40013, "standin.refused.app"}
	wrongAgent    = refusal{40056, "standin.refused.agent"}
	untrustedHost = refusal{50001, "standin.refused.redirect"}
	wrongResponse = refusal{0, "standin.refused.response_type"}
	wrongState    = refusal{0, "standin.refused.state"}
)

// authorizeInApp serves the page in the app. Both providers have it at the same URL; the application's id says which
// one.
func (s *standin) authorizeInApp(w http.ResponseWriter, r *http.Request) {
	d := wechatApp
	if strings.HasPrefix(r.URL.Query().Get("appid"), "ww") {
		d = wecomApp
	}
	s.authorizePage(d)(w, r)
}

// authorizePage asks who the person is and redirects them with a code. A silent page does not ask a known person.
func (s *standin) authorizePage(d authPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r = withLanguage(w, r)
		q, refused := s.read(r, d)
		if refused != noRefusal {
			s.render(w, r, http.StatusBadRequest, refusedPage(refused))
			return
		}
		v := choice{authRequest: q, asked: r.URL.Query(), people: s.people()}
		v.now, v.known = s.rememberedPerson(r)
		switch c := readChoice(r); {
		case c.declined && d == wechatApp:
			http.Redirect(w, r, q.redirectURL("", q.state), http.StatusFound)
		case c.declined:
			v.declined = true
			s.render(w, r, http.StatusOK, choicePage(v))
		case c.ok && d.offersTrouble(c.trouble):
			s.remember(w, c.person)
			s.redirectWithCode(w, r, q, c.person, c.trouble)
		case !c.tried && v.known && q.silent():
			s.redirectWithCode(w, r, q, v.now, none)
		default:
			v.badName = c.badName
			s.render(w, r, statusOf(v.badName), choicePage(v))
		}
	}
}

func statusOf(bad bool) int {
	if bad {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// redirectWithCode redirects a person with a new code.
func (s *standin) redirectWithCode(w http.ResponseWriter, r *http.Request, q authRequest, p person, t trouble) {
	carried := q.state
	if t == otherState {
		carried = randomText(32)
	}
	http.Redirect(w, r, q.redirectURL(s.makeCode(q.app, q.scope, p, t), carried), http.StatusFound)
}

// redirectURL returns the URL to redirect to, with code and state, or without a code when code is "".
func (q authRequest) redirectURL(code, state string) string {
	to := *q.redirect
	pairs := []string{}
	if to.RawQuery != "" {
		pairs = append(pairs, to.RawQuery)
	}
	if code != "" {
		pairs = append(pairs, "code="+url.QueryEscape(code))
	}
	if state != "" {
		pairs = append(pairs, "state="+url.QueryEscape(state))
	}
	to.RawQuery = strings.Join(pairs, "&")
	return to.String()
}

// pageParams are the parameters of the pages, in the order that the providers require.
var pageParams = map[authPage][]string{
	wechatApp: {"appid", "redirect_uri", "response_type", "scope", "state"},
	wechatQR:  {"appid", "redirect_uri", "response_type", "scope", "state"},
	wecomApp:  {"appid", "redirect_uri", "response_type", "scope", "state", "agentid"},
	wecomQR:   {"login_type", "appid", "agentid", "redirect_uri", "state"},
}

// stateForm is the form of state that both providers accept: at most 128 letters and digits.
var stateForm = regexp.MustCompile(`^[A-Za-z0-9]{0,128}$`)

// read reads and checks the parameters of a page as the provider does.
func (s *standin) read(r *http.Request, d authPage) (authRequest, refusal) {
	p := r.URL.Query()
	q := authRequest{authPage: d, app: p.Get("appid"), scope: p.Get("scope"), state: p.Get("state")}
	if d == wecomQR {
		q.scope = scopeBase
	}
	if refused := q.refuseApp(p); refused != noRefusal {
		return q, refused
	}
	if refused := q.refuseScope(p); refused != noRefusal {
		return q, refused
	}
	to, err := url.Parse(p.Get("redirect_uri"))
	switch {
	case p.Get("redirect_uri") == "":
		return q, noRedirect
	case err != nil, to.Scheme != "http" && to.Scheme != "https", to.Host == "",
		to.User != nil, !s.mayRedirectTo(r.Context(), to):
		if d.isWeCom() {
			return q, untrustedHost
		}
		return q, wrongRedirect
	case !stateForm.MatchString(q.state):
		return q, wrongState
	case !areInOrder(r.URL.RawQuery, pageParams[d]):
		return q, outOfOrder
	}
	q.redirect = to
	return q, noRefusal
}

func (q authRequest) refuseApp(p url.Values) refusal {
	form := wechatForm
	if q.authPage.isWeCom() {
		form = wecomForm
	}
	switch {
	case q.app == "":
		return appMissing
	case !form.MatchString(q.app):
		return wrongApp
	case q.authPage == wechatApp && (q.app == OpenAppID || q.app == MobileAppID):
		return notInApp
	case q.authPage == wechatQR && (q.app == AppID || q.app == MobileAppID):
		return wrongScope
	case q.authPage.isWeCom() && (!agentForm.MatchString(p.Get("agentid")) || q.app == CorpID &&
		p.Get("agentid") != AgentID):
		return wrongAgent
	}
	return noRefusal
}

func (q authRequest) refuseScope(p url.Values) refusal {
	scopes := map[authPage][]string{wechatApp: {scopeBase, scopeUser}, wechatQR: {scopeLogin},
		wecomApp: {scopeBase, scopeUser, "snsapi_privateinfo"}, wecomQR: {scopeBase}}
	switch {
	case q.authPage != wecomQR && p.Get("response_type") != "code":
		return wrongResponse
	case q.authPage == wecomQR && p.Get("login_type") != "CorpApp":
		return wrongResponse
	case q.scope == "":
		return noScope
	case !slices.Contains(scopes[q.authPage], q.scope):
		return wrongScope
	}
	return noRefusal
}

// mayRedirectTo reports whether the stand-in may redirect to a URL. It may always redirect to this machine.
func (s *standin) mayRedirectTo(ctx context.Context, to *url.URL) bool {
	host := strings.ToLower(to.Hostname())
	if ip := net.ParseIP(host); host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil &&
		ip.IsLoopback() {
		return true
	}
	return s.IsOwnOrigin != nil && s.IsOwnOrigin(ctx, to.Scheme+"://"+to.Host)
}

// areInOrder reports whether the parameters of a query come in the order of names. Other parameters are ignored.
func areInOrder(query string, names []string) bool {
	last := -1
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if i := slices.Index(names, name); i >= 0 {
			if i < last {
				return false
			}
			last = i
		}
	}
	return true
}
