package gateway

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	canaryGrant  = "canary071AVll20uHk94SLDml27" // a code
	canaryToken  = "canary84_vWP-BMIMQ02VxmoiYg9tF0QOXAn06xXFjK91RJiWnEsrLZEU11i4"
	canaryTicket = "canarybxLdikRXVbTPdHSM05e5u5sUoXNKd8"
	openID       = "oLVPpjqs9BhvzwPj5A-vTYAX3GLc"
	unionID      = "o6_bmasdasdsad6_2sgVt7hMZOPfL"
)

var testApp = App{ID: "wx520c15f417810387", Secret: canarySecret}

const (
	granted = `{"access_token":"` + canaryToken + `","expires_in":7200,"refresh_token":"canaryREFRESH",` +
		`"openid":"` + openID + `",`
	grantBase = granted + `"scope":"snsapi_base"}`
	grantUser = granted + `"scope":"snsapi_userinfo","unionid":"` + unionID + `"}`
	grantScan = granted + `"scope":"snsapi_login","unionid":"` + unionID + `"}`

	wechatPerson = `{"openid":"` + openID + `","nickname":"王小明","sex":1,"province":"","city":"","country":"",` +
		`"headimgurl":"http:\/\/thirdwx.qlogo.cn\/mmopen\/vi_32\/Q0j4TwGTfTLl\/132","privilege":[],` +
		`"unionid":"` + unionID + `"}`
	ticketOK = `{"errcode":0,"errmsg":"ok","ticket":"` + canaryTicket + `","expires_in":7200}`
	tokenOK  = `{"access_token":"` + canaryToken + `","expires_in":7200}`
)

func testWeChat(url string) *WeChat {
	w := NewWeChat(WeChatOptions{API: url, Open: url})
	w.api.client.Timeout = 2 * shortTimeout
	return w
}

// checkWeChat compares a request with the documentation and returns its path.
func checkWeChat(t *testing.T, r *http.Request, body []byte) string {
	if len(r.Header["Referer"]) > 0 {
		t.Errorf("Referer %q", r.Referer())
	}
	want := url.Values{}
	switch r.URL.Path {
	case "/sns/oauth2/access_token":
		want = url.Values{"appid": {testApp.ID}, "secret": {canarySecret}, "code": {canaryGrant},
			"grant_type": {"authorization_code"}}
	case "/sns/userinfo":
		want = url.Values{"access_token": {canaryToken}, "openid": {openID}, "lang": {"zh_CN"}}
	case "/cgi-bin/ticket/getticket":
		want = url.Values{"access_token": {canaryToken}, "type": {"jsapi"}}
	case "/cgi-bin/stable_token":
		var posted map[string]any
		if r.Method != http.MethodPost || json.Unmarshal(body, &posted) != nil || len(posted) != 4 ||
			posted["grant_type"] != "client_credential" ||
			posted["appid"] != testApp.ID || posted["secret"] != canarySecret || posted["force_refresh"] != false ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s", r.Method, body)
		}
	default:
		t.Errorf("nothing is at %s", r.URL.Path)
	}
	if r.URL.Query().Encode() != want.Encode() || r.Method != http.MethodGet && r.URL.Path != "/cgi-bin/stable_token" {
		t.Errorf("%s %s", r.Method, r.URL)
	}
	return r.URL.Path
}

// byPath answers each path with its own script.
func byPath(answers map[string]func(int, http.ResponseWriter, *http.Request)) func(int, http.ResponseWriter,
	*http.Request) {
	return func(n int, w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](n, w, r) }
}

func answerGrant(grant string, person func(int, http.ResponseWriter, *http.Request)) func(int, http.ResponseWriter,
	*http.Request) {
	return byPath(map[string]func(int, http.ResponseWriter,
		*http.Request){"/sns/oauth2/access_token": answerWith(200, grant),
		"/sns/userinfo": person})
}

func TestWeChatAuthorizeURLMatchesDocumentation(t *testing.T) {
	const back = "https://store1001.example.com/login/wechat?from=商城&x=1#top"
	const page = "/connect/oauth2/authorize"
	const query = "?appid=wx520c15f417810387&" +
		"redirect_uri=https%3A%2F%2Fstore1001.example.com%2Flogin%2Fwechat%3Ffrom%3D%E5%95%86%E5%9F%8E%26x%3D1%23top" +
		"&response_type=code&scope="
	for _, c := range []struct{ open, scope, want string }{
		{"", ScopeBase, "https://open.weixin.qq.com" + page + query + "snsapi_base&state=s7#wechat_redirect"},
		{"", ScopeUser, "https://open.weixin.qq.com" + page + query + "snsapi_userinfo&state=s7#wechat_redirect"},
		{"", ScopeLogin, "https://open.weixin.qq.com/connect/qrconnect" + query + "snsapi_login&" +
			"state=s7#wechat_redirect"},
		{"http://localhost:8080/dev/wechat/",
			ScopeBase, "http://localhost:8080/dev/wechat" + page + query + "snsapi_base&state=s7#wechat_redirect"},
	} {
		if got := NewWeChat(WeChatOptions{Open: c.open}).AuthorizeURL(testApp.ID, back, "s7", c.scope); got != c.want {
			t.Errorf("%s\n%s", got, c.want)
		}
	}
}

func TestWeChatCodeIsExchangedForIdentity(t *testing.T) {
	const alone, both = "/sns/oauth2/access_token", "/sns/oauth2/access_token /sns/userinfo"
	known := Identity{OpenID: openID, UnionID: unionID, Nick: "王小明",
		Portrait: "https://thirdwx.qlogo.cn/mmopen/vi_32/Q0j4TwGTfTLl/132"}
	joined := strings.Replace(grantUser, `,"unionid":"`+unionID+`"`, "", 1)
	for name, c := range map[string]struct {
		grant, person string
		want          Identity
		asked         string
	}{
		"silent":       {grantBase, wechatPerson, Identity{OpenID: openID}, alone},
		"granted":      {grantUser, wechatPerson, known, both},
		"by QR code":   {grantScan, wechatPerson, known, both},
		"joined later": {joined, wechatPerson, known, both},
		"no snapshot": {strings.Replace(grantBase, "{", `{"is_snapshotuser":0,`, 1), "",
			Identity{OpenID: openID}, alone},
		"without picture": {grantUser, `{"openid":"` + openID + `","nickname":"","headimgurl":""}`,
			Identity{OpenID: openID, UnionID: unionID}, both},
		"an odd name": {grantUser, `{"openid":"` + openID + `","headimgurl":"javascript:alert(1)","nickname":" ` +
			`a\u0000\u202e\n\u200bb ` + "\xff" + strings.Repeat("长", 80) + `"}`,
			Identity{OpenID: openID, UnionID: unionID, Nick: "a b " + strings.Repeat("长", 60)}, both},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer(t, checkWeChat, answerGrant(c.grant, answerWith(200, c.person)))
			got, err := testWeChat(s.URL).Exchange(t.Context(), testApp, canaryGrant)
			if err != nil || got != c.want || s.receivedIDs() != c.asked {
				t.Errorf("%+v %v, asked for %s", got, err, s.receivedIDs())
			}
		})
	}
}

func TestWeChatIdentityWithoutProfileIsAccepted(t *testing.T) {
	for name, person := range map[string]func(int, http.ResponseWriter, *http.Request){
		"refused":         answerWith(200, `{"errcode":48001,"errmsg":"api unauthorized, rid: 66e5c46f-52840e51"}`),
		"token expired":   answerWith(200, `{"errcode":42001,"errmsg":"access_token expired"}`),
		"HTML":            answerWith(502, "<html>"),
		"hang":            hang,
		"reset":           resetConnection,
		"another person":  answerWith(200, strings.Replace(wechatPerson, openID, "oANOTHERperson", 1)),
		"another union":   answerWith(200, strings.Replace(wechatPerson, unionID, "oANOTHERunion", 1)),
		"nobody":          answerWith(200, `{"nickname":"王小明"}`),
		"a name too many": answerWith(200, `{"openid":"`+openID+`","nickname":["王小明"]}`),
	} {
		s := newFakeServer(t, checkWeChat, answerGrant(grantUser, person))
		got, err := testWeChat(s.URL).Exchange(t.Context(), testApp, canaryGrant)
		if err != nil || got != (Identity{OpenID: openID, UnionID: unionID}) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

func TestPictureURLMustBeHTTPS(t *testing.T) {
	longest := "https://a.example/" + strings.Repeat("a", 512-len("https://a.example/"))
	for given, want := range map[string]string{
		"https://thirdwx.qlogo.cn/a/132": "https://thirdwx.qlogo.cn/a/132",
		"http://thirdwx.qlogo.cn/a/0":    "https://thirdwx.qlogo.cn/a/0",
		"":                               "",
		"/a":                             "",
		"//evil.example/a":               "",
		"javascript:alert(1)":            "",
		"data:image/png;base64,AAAA":     "",
		"file:///etc/passwd":             "",
		"https://user:pw@evil.example/a": "",
		"https://a.example/\x00":         "",
		longest:                          longest,
		longest + "a":                    "",
	} {
		if got := picture(given); got != want {
			t.Errorf("%q became %q", given, got)
		}
	}
}

func TestSnapshotAndForeignWeChatIdentitiesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		grant string
		want  Failure
	}{
		"a snapshot": {strings.Replace(grantUser, `"scope"`, `"is_snapshotuser":1,"scope"`,
			1), Failure{Code: codeSnapshot, Kind: Expired}},
		"a snapshot, as a string": {strings.Replace(grantUser, `"scope"`, `"is_snapshotuser":"1","scope"`,
			1), Failure{Code: codeSnapshot, Kind: Expired}},
		"another application": {strings.Replace(grantUser, `"scope"`, `"appid":"wxOTHER","scope"`,
			1), Failure{Code: codeOtherApp, Kind: Refused}},
		"no openid": {strings.Replace(grantUser, openID, "",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"an openid with a space": {strings.Replace(grantUser, openID, "o L",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"an openid of bad UTF-8": {strings.Replace(grantUser, openID, "o\xff\xfe",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"a long openid": {strings.Replace(grantUser, openID, strings.Repeat("o",
			65), 1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"a number for an openid": {strings.Replace(grantUser, `"`+openID+`"`, "1",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"a bad unionid": {strings.Replace(grantUser, unionID, "<b>",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"no access token": {strings.Replace(grantUser, canaryToken, "",
			1), Failure{Code: codeBroken, Kind: Temporary, MayHaveSucceeded: true}},
		"an openid with an error": {strings.Replace(grantUser, "{", `{"errcode":40029,"errmsg":"invalid code",`, 1),
			Failure{Code: "40029", Kind: Expired, Message: "invalid code"}},
	} {
		s := newFakeServer(t, checkWeChat, answerGrant(c.grant, answerWith(200, wechatPerson)))
		c.want.Provider = wechat
		got, err := testWeChat(s.URL).Exchange(t.Context(), testApp, canaryGrant)
		if f := failureOf(t, err); *f != c.want || got != (Identity{}) {
			t.Errorf("%s: %+v %+v", name, got, *f)
		}
	}
}

func TestWeChatTokenAndTicketHaveAnExpiry(t *testing.T) {
	s := newFakeServer(t, checkWeChat, byPath(map[string]func(int, http.ResponseWriter, *http.Request){
		"/cgi-bin/stable_token": answerWith(200, tokenOK), "/cgi-bin/ticket/getticket": answerWith(200, ticketOK),
	}))
	w, now := testWeChat(s.URL+"/"), time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	w.api.now = func() time.Time { return now }
	token, err := w.Token(t.Context(), testApp)
	if err != nil || token.Value != canaryToken || !token.Expires.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%v %v", token, err)
	}
	ticket, err := w.Ticket(t.Context(), testApp, token.Value)
	if err != nil || ticket.Value != canaryTicket || !ticket.Expires.Equal(now.Add(2*time.Hour)) {
		t.Errorf("%v %v", ticket, err)
	}
}

func TestTokenIsUsedForADayAtMost(t *testing.T) {
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for seconds, want := range map[string]time.Duration{
		"86399": 24*time.Hour - time.Second, "86400": 24 * time.Hour, "86401": 24 * time.Hour,
		"9000000000000000000": 24 * time.Hour,
	} {
		s := newFakeServer(t, checkWeChat, answerWith(200, strings.Replace(tokenOK, "7200", seconds, 1)))
		w := testWeChat(s.URL)
		w.api.now = func() time.Time { return now }
		token, err := w.Token(t.Context(), testApp)
		if err != nil || !token.Expires.Equal(now.Add(want)) {
			t.Errorf("a token of %s s is used for %s, %v", seconds, token.Expires.Sub(now), err)
		}
	}
}

func TestLongestTokensAndCodesAreAccepted(t *testing.T) {
	anything := func(*testing.T, *http.Request, []byte) string { return "" }
	for length, accepted := range map[int]bool{1000: true, 1001: false} {
		token := strings.Repeat("t", length)
		s := newFakeServer(t, anything, answerWith(200, strings.Replace(tokenOK, canaryToken, token, 1)))
		if got, err := testWeChat(s.URL).Token(t.Context(), testApp); (err == nil && got.Value == token) != accepted {
			t.Errorf("a token of %d bytes: %v", length, err)
		}
	}
	for length, accepted := range map[int]bool{512: true, 513: false} {
		s := newFakeServer(t, anything, answerWith(200, grantBase))
		_, err := testWeChat(s.URL).Exchange(t.Context(), testApp, strings.Repeat("c", length))
		if (err == nil) != accepted || (s.hits.Load() == 1) != accepted {
			t.Errorf("a code of %d bytes: %v after %d requests", length, err, s.hits.Load())
		}
	}
}
