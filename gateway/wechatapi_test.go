package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wxTestRequest is one of the seven requests to the two providers.
type wxTestRequest struct {
	provider string
	name     string
	token    bool   // it needs an access token
	code     bool   // it uses a code
	ok       string // the answer of a provider that accepts it
	check    func(*testing.T, *http.Request, []byte) string
	ask      func(ctx context.Context, url string, set func(*wxAPI)) error
}

// wxTestRequests returns the seven requests.
func wxTestRequests() []wxTestRequest {
	onWeChat := func(do func(context.Context, *WeChat) error) func(context.Context, string, func(*wxAPI)) error {
		return func(ctx context.Context, url string, set func(*wxAPI)) error {
			w := testWeChat(url)
			set(w.api)
			return do(ctx, w)
		}
	}
	onWeCom := func(do func(context.Context, *WeCom) error) func(context.Context, string, func(*wxAPI)) error {
		return func(ctx context.Context, url string, set func(*wxAPI)) error {
			w := testWeCom(url)
			set(w.api)
			return do(ctx, w)
		}
	}
	return []wxTestRequest{
		{wechat, "Exchange", false, true, grantBase, checkWeChat, onWeChat(func(ctx context.Context,
			w *WeChat) error {
			_, err := w.Exchange(ctx, testApp, canaryGrant)
			return err
		})},
		{wechat, "Token", false, false, tokenOK, checkWeChat, onWeChat(func(ctx context.Context, w *WeChat) error {
			_, err := w.Token(ctx, testApp)
			return err
		})},
		{wechat, "Ticket", true, false, ticketOK, checkWeChat, onWeChat(func(ctx context.Context, w *WeChat) error {
			_, err := w.Ticket(ctx, testApp, canaryToken)
			return err
		})},
		{wecom, "Exchange", true, true, `{"errcode":0,"errmsg":"ok","userid":"wang"}`,
			checkWeCom, onWeCom(func(ctx context.Context, w *WeCom) error {
				_, err := w.Exchange(ctx, testCorp, canaryToken, canaryGrant)
				return err
			})},
		{wecom, "Token", false, false, corpTokenOK, checkWeCom, onWeCom(func(ctx context.Context, w *WeCom) error {
			_, err := w.Token(ctx, testCorp)
			return err
		})},
		{wecom, "CorpTicket", true, false, ticketOK, checkWeCom, onWeCom(func(ctx context.Context, w *WeCom) error {
			_, err := w.CorpTicket(ctx, testCorp, canaryToken)
			return err
		})},
		{wecom, "AgentTicket", true, false, ticketOK, checkWeCom, onWeCom(func(ctx context.Context, w *WeCom) error {
			_, err := w.AgentTicket(ctx, testCorp, canaryToken)
			return err
		})},
	}
}

func noChange(*wxAPI) {}

func TestDocumentedErrcodesBecomeFailures(t *testing.T) {
	const stale = Kind("stale or refused")
	for _, c := range []struct {
		code    int
		message string
		kind    Kind
		shown   string
	}{
		{40029, "invalid code, hints: [ req_id: EhKBzQaLRa-FOo9Da ]", Expired, "invalid code"},
		{40029, "invalid code, hint: [1622539468_161_9040b1a5], from ip: 8.8.70.1, more info at " +
			"https://open.work.weixin.qq.com/devtool/query?e=40029", Expired, "invalid code"},
		{40029, "不合法的oauth_code", Expired, "不合法的oauth_code"},
		{40163, "code been used, hints: [ req_id: MdoBRh4FE-_iqKea ]", Expired, "code been used"},
		{41008, "missing code, rid: 63dccc77-71ede712-25f92a0e", Expired, "missing code"},
		{42003, "code expired", Expired, "code expired"},
		{40001, "invalid credential, access_token is invalid or not latest, could get access_token by " +
			"getStableAccessToken, more details at x", stale, ""},
		{40001, "invalid credential", stale, "invalid credential"},
		{40014, "invalid access_token, hint: [1724828925128591361738622], from ip: 8.8.8.8",
			stale, "invalid access_token"},
		{41001, "access_token missing", stale, "access_token missing"},
		{42001, "access_token expired", stale, "access_token expired"},
		{40013, "invalid appid rid: 1", Refused, "invalid appid"},
		{40125, "invalid appsecret, view more at http://t.cn/RAEkdVq, hints: [ req_id: xxxxx]",
			Refused, "invalid appsecret"},
		{40164, "invalid ip 111.50.94.9 ipv6 ::ffff:111.50.94.9, not in whitelist, rid: 65f307bc-1a5c7d64-18ff931f",
			Refused, "invalid ip ipv6, not in whitelist"},
		{40243, "AppSecret已被冻结", Refused, "AppSecret已被冻结"},
		{48001, "api unauthorized, hints: [ req_id: dhKB244ce-0jxEla ]", Refused, "api unauthorized"},
		{50001, "redirect_uri unauthorized, hint: [1638184421206730740908604], from ip: 47.101.221.151, more info at " +
			"https://x.example", Refused, "redirect_uri unauthorized"},
		{50002, "user limited", Refused, "user limited"},
		{60011, "no privilege to access/modify contact/party/agent", Refused,
			"no privilege to access/modify contact/party/agent"},
		{60020, "not allow to access from your ip, hint: [1], from ip: 1.2.3.4",
			Refused, "not allow to access from your ip"},
		{301002, "not allow operate another agent with this accesstoken",
			Refused, "not allow operate another agent with this accesstoken"},
		{987654, "", Refused, ""},
		{12345678, "", Refused, ""}, // the longest that is shown
		{-1, "system error", Busy, "system error"},
		{45009, "reach max api daily quota limit", Busy, "reach max api daily quota limit"},
		{45011, "api minute-quota reach limit must slower retry next minute",
			Busy, "api minute-quota reach limit must slower retry next minute"},
		{45033, "接口并发调用超过限制", Busy, "接口并发调用超过限制"},
	} {
		body, _ := json.Marshal(map[string]any{"errcode": c.code, "errmsg": c.message})
		for _, q := range wxTestRequests() {
			want := Failure{Provider: q.provider, Code: strconv.Itoa(c.code), Kind: c.kind, Message: c.shown}
			if c.kind == stale {
				want.Kind = Refused
				if q.token {
					want.Kind = Stale
				}
			}
			s := newFakeServer(t, q.check, answerWith(200, string(body)))
			if f := failureOf(t, q.ask(t.Context(), s.URL, noChange)); *f != want {
				t.Errorf("%s %s: %+v, not %+v", q.provider, q.name, *f, want)
			}
			s.Close()
		}
	}
}

func TestMissingCredentialsTokenOrCodeMakesNoRequest(t *testing.T) {
	s := newFakeServer(t, checkWeChat, answerWith(200, grantBase))
	a, w := testWeChat(s.URL), testWeCom(s.URL)
	for name, c := range map[string]struct {
		ask  func() error
		kind Kind
	}{
		"WeChat without an id": {func() error {
			_, err := a.Exchange(t.Context(), App{Secret: canarySecret},
				canaryGrant)
			return err
		}, Refused},
		"WeChat without a secret": {func() error { _, err := a.Token(t.Context(), App{ID: "wx1"}); return err },
			Refused},
		"WeChat without a code": {func() error { _, err := a.Exchange(t.Context(), testApp, ""); return err },
			Expired},
		"WeChat, a code of breaks": {func() error {
			_, err := a.Exchange(t.Context(), testApp, canaryGrant+
				"\n")
			return err
		}, Expired},
		"WeChat, a long code": {func() error {
			_, err := a.Exchange(t.Context(), testApp, strings.Repeat("c",
				513))
			return err
		}, Expired},
		"WeChat without a token": {func() error { _, err := a.Ticket(t.Context(), testApp, ""); return err }, Stale},
		"WeCom without a secret": {func() error { _, err := w.Token(t.Context(), Corp{ID: "ww1"}); return err },
			Refused},
		"WeCom without an id": {func() error {
			_, err := w.Exchange(t.Context(), Corp{}, canaryToken,
				canaryGrant)
			return err
		}, Refused},
		"WeCom without a token": {func() error {
			_, err := w.Exchange(t.Context(), testCorp, "",
				canaryGrant)
			return err
		}, Stale},
		"WeCom without a code": {func() error {
			_, err := w.Exchange(t.Context(), testCorp, canaryToken,
				" ")
			return err
		}, Expired},
		"WeCom, no token for a ticket": {func() error {
			_, err := w.CorpTicket(t.Context(), testCorp, "")
			return err
		}, Stale},
	} {
		if f := failureOf(t, c.ask()); f.Kind != c.kind || f.MayHaveSucceeded {
			t.Errorf("%s: %+v", name, *f)
		}
	}
	if s.hits.Load() > 0 {
		t.Error("a request was made")
	}
}

func TestIdentityProviderBreakerOpensAfterRepeatedFailures(t *testing.T) {
	s := newFakeServer(t, checkWeChat, func(n int, w http.ResponseWriter, r *http.Request) {
		if n <= 5 {
			answerWith(502, "<html>")(n, w, r)
			return
		}
		answerWith(200, grantBase)(n, w, r)
	})
	a, ahead := testWeChat(s.URL), time.Duration(0)
	a.api.now = func() time.Time { return time.Now().Add(ahead) }
	for range 8 {
		_, err := a.Exchange(t.Context(), testApp, canaryGrant)
		failureOf(t, err)
	}
	if s.hits.Load() != 5 {
		t.Errorf("asked %d times", s.hits.Load())
	}
	if a.Up() {
		t.Error("it is up while it is left alone")
	}
	ahead = 31 * time.Second
	if _, err := a.Exchange(t.Context(), testApp, canaryGrant); err != nil || !a.Up() {
		t.Errorf("after its rest: %v, up: %t", err, a.Up())
	}
}

// Nothing that a person sends in a callback keeps other people from signing in.
func TestInvalidCallbacksDoNotOpenTheBreaker(t *testing.T) {
	for _, answer := range []string{
		`{"errcode":40029,"errmsg":"invalid code"}`, `{"errcode":-1,"errmsg":"system error"}`,
		`{"errcode":0,"errmsg":"ok","userid":"wwOTHER/wang"}`,
	} {
		s := newFakeServer(t, checkWeCom, answerWith(200, answer))
		w := testWeCom(s.URL)
		for range 2 * breakAfter {
			_, err := w.Exchange(t.Context(), testCorp, canaryToken, canaryGrant)
			failureOf(t, err)
		}
		if s.hits.Load() != 2*breakAfter {
			t.Errorf("%s: asked %d times", answer, s.hits.Load())
		}
	}
	s := newFakeServer(t, checkWeCom, hang)
	w := testWeCom(s.URL)
	for range 2 * breakAfter {
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err := w.Exchange(gone, testCorp, canaryToken, canaryGrant)
		if f := failureOf(t, err); f.Code != codeCancelled {
			t.Errorf("%+v", *f)
		}
	}
}

func TestEnvironmentProxySeesNoSecret(t *testing.T) {
	for _, address := range []string{"http://api.localhost:8080/dev/wechat/cgi-bin/gettoken?corpsecret=x",
		"http://10.1.2.3/"} {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		if proxy, err := proxyForHTTPS(r); proxy != nil || err != nil {
			t.Errorf("%s goes through %v %v", address, proxy, err)
		}
	}
	for _, api := range []*wxAPI{NewWeChat(WeChatOptions{}).api, NewWeCom(WeComOptions{}).api} {
		transport := api.client.Transport.(*http.Transport)
		if !strings.HasPrefix(api.base, "https://") || transport.Proxy == nil || !transport.DisableKeepAlives ||
			transport.TLSClientConfig != nil {
			t.Errorf("%s is asked otherwise", api.provider)
		}
	}
}
