package gateway

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

var testCorp = Corp{ID: "ww16f3243aebfdad11", AgentID: "1000002", Secret: canarySecret}

const corpTokenOK = `{"errcode":0,"errmsg":"ok","access_token":"` + canaryToken + `","expires_in":7200}`

func testWeCom(url string) *WeCom {
	w := NewWeCom(WeComOptions{API: url, Open: url})
	w.api.client.Timeout = 2 * shortTimeout
	return w
}

// checkWeCom compares a request with the documentation and returns its path.
func checkWeCom(t *testing.T, r *http.Request, _ []byte) string {
	want := url.Values{"access_token": {canaryToken}}
	switch r.URL.Path {
	case "/cgi-bin/gettoken":
		want = url.Values{"corpid": {testCorp.ID}, "corpsecret": {canarySecret}}
	case "/cgi-bin/auth/getuserinfo":
		want.Set("code", canaryGrant)
	case "/cgi-bin/ticket/get":
		want.Set("type", "agent_config")
	case "/cgi-bin/get_jsapi_ticket":
	default:
		t.Errorf("nothing is at %s", r.URL.Path)
	}
	if r.Method != http.MethodGet || r.URL.Query().Encode() != want.Encode() || len(r.Header["Referer"]) > 0 {
		t.Errorf("%s %s", r.Method, r.URL)
	}
	return r.URL.Path
}

func TestWeComAuthorizeURLMatchesDocumentation(t *testing.T) {
	const back = "https%3A%2F%2Fstore1001.example.com%2Fwechatpro"
	const page = "/connect/oauth2/authorize?appid=ww16f3243aebfdad11&redirect_uri=" + back + "&response_type=code&" +
		"scope=snsapi_base&state=s7" +
		"&agentid=1000002#wechat_redirect"
	const scan = "/wwlogin/sso/login?login_type=CorpApp&appid=ww16f3243aebfdad11&agentid=1000002&" +
		"redirect_uri=" + back + "&state=s7"
	for open, want := range map[string][2]string{
		"": {"https://open.weixin.qq.com" + page, "https://login.work.weixin.qq.com" + scan},
		"http://localhost:8080/dev/wechat/wecom/": {"http://localhost:8080/dev/wechat/wecom" + page,
			"http://localhost:8080/dev/wechat/wecom" + scan},
	} {
		w := NewWeCom(WeComOptions{Open: open})
		redirect := "https://store1001.example.com/wechatpro"
		for i, got := range []string{w.AuthorizeURL(testCorp, redirect, "s7"), w.ScanURL(testCorp, redirect, "s7")} {
			if got != want[i] {
				t.Errorf("%s\n%s", got, want[i])
			}
		}
	}
}

func TestWeComCodeIsExchangedForMember(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   Member
	}{
		"a member": {`{"errcode":0,"errmsg":"ok","userid":"li.manager@jinsui"}`,
			Member{UserID: "li.manager@jinsui"}},
		"a member of a ticket": {`{"errcode":0,"errmsg":"ok","userid":"wang","user_ticket":"canaryTICKET"}`,
			Member{UserID: "wang"}},
		"the older spelling": {`{"errcode":0,"errmsg":"ok","UserId":"wang","DeviceId":"x"}`, Member{UserID: "wang"}},
		"somebody else":      {`{"errcode":0,"errmsg":"ok","openid":"oAAA"}`, Member{OpenID: "oAAA"}},
		"a customer": {`{"errcode":0,"errmsg":"ok","openid":"oAAA","external_userid":"wmBBB"}`,
			Member{OpenID: "oAAA", ExternalUserID: "wmBBB"}},
		"a member all over": {`{"errcode":0,"errmsg":"ok","userid":"wang","openid":"oAAA",` +
			`"external_userid":"wmBBB"}`, Member{UserID: "wang"}},
		"of this company": {`{"errcode":0,"errmsg":"ok","userid":"wang","corpid":"ww16f3243aebfdad11"}`,
			Member{UserID: "wang"}},
	} {
		s := newFakeServer(t, checkWeCom, answerWith(200, c.answer))
		got, err := testWeCom(s.URL).Exchange(t.Context(), testCorp, canaryToken, canaryGrant)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestWeComAnswerWithoutMemberOfThisCompanyIsRefused(t *testing.T) {
	broken := Failure{Provider: wecom, Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}
	other := Failure{Provider: wecom, Code: codeOtherApp, Kind: Refused}
	for answer, want := range map[string]Failure{
		`{"errcode":0,"errmsg":"ok"}`:                                               broken,
		`{"errcode":0,"errmsg":"ok","userid":"","openid":""}`:                       broken,
		`{"errcode":0,"errmsg":"ok","external_userid":"wmBBB"}`:                     broken,
		`{"errcode":0,"errmsg":"ok","userid":"a b"}`:                                broken,
		`{"errcode":0,"errmsg":"ok","userid":"` + strings.Repeat("a", 65) + `"}`:    broken,
		`{"errcode":0,"errmsg":"ok","userid":7}`:                                    broken,
		`{"errcode":0,"errmsg":"ok","userid":"` + "\xff" + `"}`:                     broken,
		`{"errcode":0,"errmsg":"ok","openid":"oAAA","external_userid":"<b>"}`:       broken,
		`{"errcode":0,"errmsg":"ok","userid":"wang","corpid":"wwOTHER"}`:            other,
		`{"errcode":0,"errmsg":"ok","userid":"wwOTHER/wang"}`:                       other,
		`{"errcode":0,"errmsg":"ok","openid":"oAAA","corpid":"wwOTHER"}`:            other,
		`{"errcode":0,"errmsg":"ok","userid":"wang","CORPID":"ww16F3243aebfdad11"}`: other,
	} {
		s := newFakeServer(t, checkWeCom, answerWith(200, answer))
		got, err := testWeCom(s.URL).Exchange(t.Context(), testCorp, canaryToken, canaryGrant)
		if f := failureOf(t, err); *f != want || got != (Member{}) {
			t.Errorf("%s: %+v %+v", answer, got, *f)
		}
	}
}

func TestWeComTokenAndTicketsHaveAnExpiry(t *testing.T) {
	s := newFakeServer(t, checkWeCom, byPath(map[string]func(int, http.ResponseWriter, *http.Request){
		"/cgi-bin/gettoken": answerWith(200, corpTokenOK), "/cgi-bin/get_jsapi_ticket": answerWith(200, ticketOK),
		"/cgi-bin/ticket/get": answerWith(200, strings.Replace(ticketOK, "7200", "1", 1)),
	}))
	w, now := testWeCom(s.URL), time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	w.api.now = func() time.Time { return now }
	token, err := w.Token(t.Context(), testCorp)
	if err != nil || token.Value != canaryToken || !token.Expires.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%v %v", token, err)
	}
	corp, err := w.CorpTicket(t.Context(), testCorp, token.Value)
	if err != nil || corp.Value != canaryTicket || !corp.Expires.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%v %v", corp, err)
	}
	agent, err := w.AgentTicket(t.Context(), testCorp, token.Value)
	if err != nil || agent.Value != canaryTicket || !agent.Expires.Equal(now.Add(time.Second)) {
		t.Errorf("%v %v", agent, err)
	}
}
