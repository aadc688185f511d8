package command

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/config"
	"portico/config/configtest"
	"portico/gateway"
	"portico/server"
	"portico/standin"
)

// standInClients are the gateway's clients, connected to the stand-in over the network.
type standInClients struct {
	*testing.T
	url         string
	wechat      *gateway.WeChat
	wecom       *gateway.WeCom
	clockOffset atomic.Int64 // nanoseconds by which the clock of the stand-in is ahead
}

var (
	standinApp     = gateway.App{ID: standin.AppID, Secret: standin.Secret(standin.AppID)}
	standinOpenApp = gateway.App{ID: standin.OpenAppID, Secret: standin.Secret(standin.OpenAppID)}
	standinCorp    = gateway.Corp{ID: standin.CorpID, AgentID: standin.AgentID, Secret: standin.Secret(standin.CorpID)}
)

// newStandInClients starts a stand-in and returns clients for it.
func newStandInClients(t *testing.T) *standInClients {
	m := &standInClients{T: t}
	server := httptest.NewServer(
		standin.New(standin.Options{Now: func() time.Time {
			return time.Now().Add(time.Duration(m.clockOffset.Load()))
		}}),
	)
	t.Cleanup(server.Close)
	m.url = server.URL + "/dev/wechat"
	m.wechat = gateway.NewWeChat(gateway.WeChatOptions{API: m.url, Open: m.url})
	m.wecom = gateway.NewWeCom(gateway.WeComOptions{API: m.url, Open: m.url + "/"})
	return m
}

// The stand-in plays the WeChat SDK of a native app: code.json issues the code without a page.
func TestStandInPlaysTheMobileApplication(t *testing.T) {
	m := newStandInClients(t)
	resp, err := http.Get(m.url + "/code.json?app=" + standin.MobileAppID + "&person=maria&scope=snsapi_userinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var made struct {
		Code string `json:"code"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	mobile := gateway.App{ID: standin.MobileAppID, Secret: standin.Secret(standin.MobileAppID)}
	wechatIdentity, err := m.wechat.Exchange(t.Context(), mobile, made.Code)
	if err != nil || wechatIdentity.Nick == "" {
		t.Fatalf("%+v %v", wechatIdentity, err)
	}
	inApp, err := m.wechat.Exchange(t.Context(), standinApp, m.authoriseInWeChat(gateway.ScopeUser, ""))
	if err != nil || inApp.OpenID == wechatIdentity.OpenID || inApp.UnionID != wechatIdentity.UnionID ||
		wechatIdentity.UnionID == "" {
		t.Errorf("inside WeChat %+v, in the native app %+v: %v", inApp, wechatIdentity, err)
	}
	if _, err := m.wechat.Exchange(t.Context(), standinApp, made.Code); err == nil {
		t.Error("another application exchanges the code")
	}
}

// authorise opens an authorisation address as a browser does, chooses a person, and returns the code and state of the
// redirect. trouble makes the stand-in fail in a certain way.
func (m *standInClients) authorise(address, person, trouble string) (code, state string) {
	m.Helper()
	address, _, _ = strings.Cut(address, "#")
	address += "&person=" + person + "&trouble=" + trouble
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	to, err := resp.Location()
	if err != nil {
		body, _ := io.ReadAll(resp.Body)
		m.Fatalf("%s: %d %s", address, resp.StatusCode, body)
	}
	if to.Host != "account.localhost:8080" {
		m.Errorf("%s led to %s", address, to)
	}
	return to.Query().Get("code"), to.Query().Get("state")
}

// authoriseInWeChat returns a code of WeChat for the person "maria".
func (m *standInClients) authoriseInWeChat(scope, trouble string) string {
	m.Helper()
	code, _ := m.authorise(m.wechat.AuthorizeURL(standin.AppID, redirectURL, "s7", scope), "maria", trouble)
	return code
}

// authoriseInWeCom returns a code of WeCom for a person.
func (m *standInClients) authoriseInWeCom(person, trouble string) string {
	m.Helper()
	code, _ := m.authorise(m.wecom.AuthorizeURL(standinCorp, redirectURL, "s7"), person, trouble)
	return code
}

// corpToken returns an access token of WeCom.
func (m *standInClients) corpToken() string {
	m.Helper()
	token, err := m.wecom.Token(m.Context(), standinCorp)
	if err != nil {
		m.Fatal(err)
	}
	return token.Value
}

const redirectURL = "http://account.localhost:8080/wechat/callback?from=商城&x=1"

// failureOf returns err as a gateway.Failure. It fails the test when err is another error.
func failureOf(t *testing.T, err error) gateway.Failure {
	t.Helper()
	f := new(gateway.Failure)
	if !errors.As(err, &f) {
		t.Fatalf("%v is not a failure of a provider", err)
	}
	return *f
}

func TestEveryWeChatAuthorisationReturnsAPerson(t *testing.T) {
	m := newStandInClients(t)
	ctx := t.Context()
	base, err := m.wechat.Exchange(ctx, standinApp, m.authoriseInWeChat(gateway.ScopeBase, ""))
	if err != nil || base.OpenID == "" || base.UnionID != "" || base.Nick != "" || base.Portrait != "" {
		t.Errorf("silently: %+v %v", base, err)
	}
	user, err := m.wechat.Exchange(ctx, standinApp, m.authoriseInWeChat(gateway.ScopeUser, ""))
	if err != nil || user.OpenID != base.OpenID || user.UnionID == "" || user.Nick != "María T." ||
		!strings.HasPrefix(user.Portrait, "https://") {
		t.Errorf("granted: %+v %v", user, err)
	}
	code, state := m.authorise(
		m.wechat.AuthorizeURL(standin.OpenAppID, redirectURL, "s7", gateway.ScopeLogin), "maria", "",
	)
	scan, err := m.wechat.Exchange(ctx, standinOpenApp, code)
	if err != nil || state != "s7" || scan.OpenID == base.OpenID || scan.UnionID != user.UnionID ||
		scan.Nick != user.Nick {
		t.Errorf("by QR code: %+v %v", scan, err)
	}
	token, err := m.wechat.Token(ctx, standinApp)
	again, err2 := m.wechat.Token(ctx, standinApp)
	if err != nil || err2 != nil || token.Value != again.Value || time.Until(token.Expires) < 119*time.Minute {
		t.Errorf("%v %v %v %v", token, err, again, err2)
	}
	ticket, err := m.wechat.Ticket(ctx, standinApp, token.Value)
	if err != nil || ticket.Value == "" || ticket.Value == token.Value {
		t.Errorf("%v %v", ticket, err)
	}
	m.clockOffset.Store(int64(time.Hour + 56*time.Minute))
	if renewed, err := m.wechat.Token(ctx, standinApp); err != nil || renewed.Value == token.Value {
		t.Errorf("near its end: %v %v", renewed, err)
	}
	m.clockOffset.Store(int64(2 * time.Hour))
	if f := failureOf(t, errorOnly(m.wechat.Ticket(ctx, standinApp, token.Value))); f.Code != "42001" ||
		f.Kind != gateway.Stale {
		t.Errorf("past its end: %+v", f)
	}
}

// errorOnly drops the first of two results.
func errorOnly[T any](_ T, err error) error { return err }

func TestWeChatErrorsBecomeFailures(t *testing.T) {
	m := newStandInClients(t)
	ctx := t.Context()
	exchange := func(app gateway.App, code string) error { return errorOnly(m.wechat.Exchange(ctx, app, code)) }
	code, spent, late := m.authoriseInWeChat(gateway.ScopeBase, ""), m.authoriseInWeChat(gateway.ScopeBase, ""),
		m.authoriseInWeChat(gateway.ScopeBase, "")
	if err := exchange(standinApp, spent); err != nil {
		t.Fatal(err)
	}
	other := gateway.App{ID: "wx0000000000000001", Secret: standin.Secret("wx0000000000000001")}
	for name, c := range map[string]struct {
		ask  func() error
		want gateway.Failure
	}{
		"no code of theirs": {func() error {
			return exchange(standinApp, "071AVll20uHk94SLDml27")
		}, gateway.Failure{Code: "40029", Kind: gateway.Expired, Message: "invalid code"}},
		"another app's code": {func() error { return exchange(other, code) }, gateway.Failure{
			Code: "40029", Kind: gateway.Expired, Message: "invalid code",
		}},
		"a code used before": {func() error { return exchange(standinApp, spent) }, gateway.Failure{
			Code: "40163", Kind: gateway.Expired, Message: "code been used",
		}},
		"a code that comes so": {func() error {
			return exchange(standinApp, m.authoriseInWeChat(gateway.ScopeUser, "used"))
		}, gateway.Failure{Code: "40163", Kind: gateway.Expired, Message: "code been used"}},
		"a code that comes old": {
			func() error { return exchange(standinApp, m.authoriseInWeChat(gateway.ScopeUser, "expired")) },
			gateway.Failure{Code: "42003", Kind: gateway.Expired, Message: "code expired"},
		},
		"an id of no form": {func() error {
			return exchange(gateway.App{ID: "wx1", Secret: "x"}, code)
		}, gateway.Failure{Code: "40013", Kind: gateway.Refused, Message: "invalid appid"}},
		"a wrong secret": {func() error {
			return exchange(gateway.App{ID: standin.AppID, Secret: "x"}, code)
		}, gateway.Failure{Code: "40125", Kind: gateway.Refused, Message: "invalid appsecret"}},
		"a snapshot": {func() error {
			return exchange(standinApp, m.authoriseInWeChat(gateway.ScopeUser, "snapshot"))
		}, gateway.Failure{Code: "snapshot", Kind: gateway.Expired}},
		"a token's secret": {func() error {
			return errorOnly(m.wechat.Token(ctx, gateway.App{ID: standin.AppID, Secret: "x"}))
		},
			gateway.Failure{Code: "40125", Kind: gateway.Refused, Message: "invalid appsecret"}},
		"a website's token": {
			func() error { return errorOnly(m.wechat.Token(ctx, standinOpenApp)) },
			gateway.Failure{Code: "48001", Kind: gateway.Refused, Message: "api unauthorized"},
		},
		"a ticket for nothing": {func() error { return errorOnly(m.wechat.Ticket(ctx, standinApp, "84_x")) },
			gateway.Failure{Code: "40001", Kind: gateway.Stale,
				Message: "invalid credential, access_token is invalid or not latest"}},
	} {
		c.want.Provider = "wechat"
		if f := failureOf(t, c.ask()); f != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
	m.clockOffset.Store(int64(5 * time.Minute))
	if f := failureOf(t, exchange(standinApp, late)); f.Code != "42003" || f.Kind != gateway.Expired {
		t.Errorf("after five minutes: %+v", f)
	}
}

func TestSimulatedCodeErrorHappensOnce(t *testing.T) {
	t.Parallel()
	m := newStandInClients(t)
	ctx := t.Context()
	code := m.authoriseInWeChat(gateway.ScopeUser, "busy")
	if f := failureOf(t, errorOnly(m.wechat.Exchange(ctx, standinApp, code))); f.Kind != gateway.Busy ||
		f.Code != "45011" {
		t.Errorf("%+v", f)
	}
	if _, err := m.wechat.Exchange(ctx, standinApp, code); err != nil {
		t.Errorf("the second try: %v", err)
	}
	for trouble, want := range map[string]string{"html": "broken_answer", "silence": "timeout"} {
		code := m.authoriseInWeChat(gateway.ScopeUser, trouble)
		if f := failureOf(
			t, errorOnly(m.wechat.Exchange(ctx, standinApp, code)),
		); f.Kind != gateway.Temporary || f.Code != want ||
			!f.MayHaveSucceeded {
			t.Errorf("%s: %+v", trouble, f)
		}
		if f := failureOf(t, errorOnly(m.wechat.Exchange(ctx, standinApp, code))); f.Code != "40163" {
			t.Errorf("%s left the code good: %+v", trouble, f)
		}
	}
	if _, state := m.authorise(
		m.wechat.AuthorizeURL(standin.AppID, redirectURL, "s7", gateway.ScopeBase), "maria", "state",
	); state == "s7" ||
		state == "" {
		t.Errorf("state %q", state)
	}
}

func TestEveryWeComAuthorisationReturnsAPerson(t *testing.T) {
	m := newStandInClients(t)
	ctx, token := t.Context(), m.corpToken()
	if again := m.corpToken(); again != token {
		t.Error("another token while the first was good")
	}
	if member, err := m.wecom.Exchange(ctx, standinCorp, token, m.authoriseInWeCom("zhouyan", "")); err != nil ||
		member != (gateway.Member{UserID: "zhou.yan"}) {
		t.Errorf("a member: %+v %v", member, err)
	}
	if member, err := m.wecom.Exchange(
		ctx, standinCorp, token, m.authoriseInWeCom("xiaoman", ""),
	); err != nil || member.UserID != "" || member.OpenID == "" ||
		member.ExternalUserID == "" {
		t.Errorf("a customer: %+v %v", member, err)
	}
	code, state := m.authorise(m.wecom.ScanURL(standinCorp, redirectURL, "s7"), "linzhou", "")
	if member, err := m.wecom.Exchange(
		ctx, standinCorp, token, code,
	); err != nil || state != "s7" || member.UserID != "" || member.OpenID == "" ||
		member.ExternalUserID != "" {
		t.Errorf("an outsider, by QR code: %+v %v", member, err)
	}
	corp, err := m.wecom.CorpTicket(ctx, standinCorp, token)
	agent, err2 := m.wecom.AgentTicket(ctx, standinCorp, token)
	if err != nil || err2 != nil || corp.Value == agent.Value || time.Until(corp.Expires) < 119*time.Minute {
		t.Errorf("%v %v %v %v", corp, err, agent, err2)
	}
}

func TestWeComErrorsBecomeFailures(t *testing.T) {
	m := newStandInClients(t)
	ctx, token := t.Context(), m.corpToken()
	exchange := func(token, code string) error { return errorOnly(m.wecom.Exchange(ctx, standinCorp, token, code)) }
	spent, late := m.authoriseInWeCom("diego", ""), m.authoriseInWeCom("diego", "")
	if err := exchange(token, spent); err != nil {
		t.Fatal(err)
	}
	invalid := gateway.Failure{Code: "40029", Kind: gateway.Expired, Message: "invalid code"}
	for name, c := range map[string]struct {
		ask  func() error
		want gateway.Failure
	}{
		"no code of theirs": {func() error { return exchange(token, "x") }, invalid},
		"a code of WeChat": {func() error { return exchange(token, m.authoriseInWeChat(gateway.ScopeBase, "")) },
			invalid},
		"a code used before": {func() error { return exchange(token, spent) }, invalid},
		"a code that comes so": {func() error { return exchange(token, m.authoriseInWeCom("diego", "used")) },
			invalid},
		"a code that comes old": {func() error { return exchange(token, m.authoriseInWeCom("diego", "expired")) },
			invalid},
		"no token of theirs": {func() error { return exchange("x", late) }, gateway.Failure{
			Code: "40014", Kind: gateway.Stale, Message: "invalid access_token",
		}},
		"too many ask": {func() error { return exchange(token, m.authoriseInWeCom("diego", "busy")) }, gateway.Failure{
			Code: "45009", Kind: gateway.Busy, Message: "api freq out of limit",
		}},
		"a wrong secret": {func() error {
			return errorOnly(m.wecom.Token(ctx, gateway.Corp{ID: standin.CorpID, AgentID: "1", Secret: "x"}))
		}, gateway.Failure{Code: "40001", Kind: gateway.Refused, Message: "invalid credential"}},
		"an id of no form": {func() error {
			return errorOnly(m.wecom.Token(ctx,
				gateway.Corp{ID: "ww1", Secret: "x"}))
		},
			gateway.Failure{Code: "40013", Kind: gateway.Refused, Message: "invalid corpid"}},
		"a ticket for nothing": {
			func() error { return errorOnly(m.wecom.AgentTicket(ctx, standinCorp, "x")) },
			gateway.Failure{Code: "40014", Kind: gateway.Stale, Message: "invalid access_token"},
		},
	} {
		c.want.Provider = "wecom"
		if f := failureOf(t, c.ask()); f != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
	m.clockOffset.Store(int64(5 * time.Minute))
	if f := failureOf(t, exchange(token, late)); f.Code != "40029" {
		t.Errorf("after five minutes: %+v", f)
	}
}

func TestWeComCodeIsStillValidWithAnotherToken(t *testing.T) {
	m := newStandInClients(t)
	ctx, first := t.Context(), m.corpToken()
	code := m.authoriseInWeCom("zhouyan", "stale")
	if f := failureOf(t, errorOnly(m.wecom.Exchange(ctx, standinCorp, first, code))); f.Code != "42001" ||
		f.Kind != gateway.Stale {
		t.Errorf("%+v", f)
	}
	if f := failureOf(t, errorOnly(m.wecom.CorpTicket(ctx, standinCorp, first))); f.Kind != gateway.Stale {
		t.Errorf("the expired token is still valid: %+v", f)
	}
	if member, err := m.wecom.Exchange(ctx, standinCorp, m.corpToken(), code); err != nil ||
		member.UserID != "zhou.yan" {
		t.Errorf("%+v %v", member, err)
	}
}

// The settings that dev fills in lead through the whole program, on every host.
func TestDevSettingsUseTheStandIn(t *testing.T) {
	s, written := testServer(t)
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	address, _ := url.Parse(served.URL)
	c, err := config.Read([]string{"PORTICO_ADDR=" + address.Host, "PORTICO_BASE=http://localhost:" + address.Port()})
	if err != nil {
		t.Fatal(err)
	}
	w := c.ChatApps
	m := &standInClients{
		T:      t,
		wechat: gateway.NewWeChat(gateway.WeChatOptions{API: w.WeChatAPI, Open: w.WeChatAPI}),
		wecom:  gateway.NewWeCom(gateway.WeComOptions{API: w.WeComAPI, Open: w.WeComAPI}),
	}
	code := m.authoriseInWeChat(gateway.ScopeUser, "")
	if wechatIdentity, err := m.wechat.Exchange(t.Context(), appOf(w.Account), code); err != nil ||
		wechatIdentity.Nick == "" {
		t.Errorf("%+v %v", wechatIdentity, err)
	}
	token, err := m.wecom.Token(t.Context(), corpOf(w.Corp))
	if err != nil {
		t.Fatal(err)
	}
	corpCode := m.authoriseInWeCom("zhouyan", "")
	if member, err := m.wecom.Exchange(t.Context(), corpOf(w.Corp), token.Value, corpCode); err != nil ||
		member.UserID != "zhou.yan" {
		t.Errorf("%+v %v", member, err)
	}
	for _, secret := range []string{code, corpCode, token.Value, standin.SecretPrefix} {
		if strings.Contains(written.String(), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
	got := countExchanges(t, s, "http://store1001.localhost:8080")
	if got != (standin.Counts{Token: 1, Exchange: 2, Userinfo: 1}) {
		t.Errorf("%+v", got)
	}
}

func countExchanges(t *testing.T, s *server.Server, origin string) (c standin.Counts) {
	t.Helper()
	if err := json.NewDecoder(request(s, "GET", origin+"/dev/wechat/exchanges.json").Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStandInIsServedOnlyInDev(t *testing.T) {
	dev, _ := testServer(t)
	live, _ := testServer(t, configtest.Production()...)
	for _, path := range []string{
		"", "standin.css", "exchanges.json", "code.json?app=" + standin.AppID + "&person=maria", "connect/qrconnect",
		"sns/oauth2/access_token", "cgi-bin/gettoken",
	} {
		for _, host := range []string{"account.", "", "store1001.", "m.", "api."} {
			if r := request(
				live, "GET", "https://"+host+"portico.test/dev/wechat/"+path,
			); r.StatusCode != http.StatusNotFound {
				t.Errorf("production answers %d at %s %s", r.StatusCode, host, path)
			}
			if r := request(
				dev, "GET", "http://"+host+"localhost:8080/dev/wechat/"+path,
			); r.StatusCode == http.StatusNotFound {
				t.Errorf("dev answers %d at %s %s", r.StatusCode, host, path)
			}
		}
	}
}
