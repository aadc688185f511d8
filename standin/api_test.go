package standin_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/standin"
)

// corpToken returns the access token of the platform's application at WeCom.
func corpToken(s *site) string {
	s.Helper()
	_, answer := s.callAPI("cgi-bin/gettoken?corpid=" + standin.CorpID + "&corpsecret=" +
		standin.Secret(standin.CorpID))
	return answer["access_token"].(string)
}

// exchange returns the path that exchanges a code of an application.
func exchange(app, code string) string {
	return "sns/oauth2/access_token?appid=" + app + "&secret=" + standin.Secret(app) + "&code=" + code +
		"&grant_type=authorization_code"
}

// newCode issues a code without a page.
func newCode(s *site, query string) (m standin.IssuedCode) {
	s.Helper()
	resp, body := s.open("code.json?" + query)
	if err := json.Unmarshal([]byte(body), &m); err != nil || resp.StatusCode != http.StatusOK {
		s.Fatalf("%s: %d %s", query, resp.StatusCode, body)
	}
	return m
}

// stableToken requests the stable token of an application. fresh asks for a new one.
func stableToken(s *site, app, secret string, fresh bool) (int, map[string]any) {
	s.Helper()
	_, body := s.post("cgi-bin/stable_token",
		`{"grant_type":"client_credential","appid":"`+app+`","secret":"`+secret+
			`","force_refresh":`+strconv.FormatBool(fresh)+`}`)
	return s.parseAnswer(body)
}

func TestWrongParametersAreAnsweredWithTheirErrcode(t *testing.T) {
	s := newSite(t)
	app, corp := "appid="+standin.AppID, "corpid="+standin.CorpID
	secret, corpSecret := "&secret="+standin.Secret(standin.AppID), "&corpsecret="+standin.Secret(standin.CorpID)
	code := newCode(s, "app="+standin.AppID+"&person=maria&scope=snsapi_base").Code
	_, base := s.callAPI(exchange(standin.AppID, code))
	personToken := base["access_token"].(string)
	_, appToken := stableToken(s, standin.AppID, standin.Secret(standin.AppID), false)
	wechat, wecom := appToken["access_token"].(string), corpToken(s)
	for path, want := range map[string]int{
		"sns/oauth2/access_token":                                                          41002,
		"sns/oauth2/access_token?appid=wx1" + secret:                                       40013,
		"sns/oauth2/access_token?appid=" + standin.CorpID:                                  40013,
		"sns/oauth2/access_token?" + app:                                                   41004,
		"sns/oauth2/access_token?" + app + "&secret=standin-":                              40125,
		"sns/oauth2/access_token?" + app + secret:                                          41008,
		"sns/oauth2/access_token?" + app + secret + "&code=x":                              40002,
		exchange(standin.AppID, "x"):                                                       40029,
		exchange(standin.AppID, code):                                                      40163,
		"sns/userinfo":                                                                     41001,
		"sns/userinfo?access_token=x&openid=x":                                             40001,
		"sns/userinfo?access_token=" + wechat:                                              40001,
		"sns/userinfo?access_token=" + personToken:                                         41009,
		"sns/userinfo?access_token=" + personToken + "&openid=oX":                          40003,
		"sns/userinfo?access_token=" + personToken + "&openid=" + stringOf(base["openid"]): 48001,
		"cgi-bin/token?" + app + secret:                                                    40002,
		"cgi-bin/token?grant_type=client_credential":                                       41002,
		"cgi-bin/ticket/getticket":                                                         41001,
		"cgi-bin/ticket/getticket?type=jsapi&access_token=x":                               40001,
		"cgi-bin/ticket/getticket?type=jsapi&access_token=" + personToken:                  40001,
		"cgi-bin/ticket/getticket?type=jsapi&access_token=" + wecom:                        40001,
		"cgi-bin/ticket/getticket?type=wx_card&access_token=" + wechat:                     40097,
		"cgi-bin/gettoken":                                                                 41002,
		"cgi-bin/gettoken?corpid=" + standin.AppID + corpSecret:                            40013,
		"cgi-bin/gettoken?" + corp:                                                         41004,
		"cgi-bin/gettoken?" + corp + "&corpsecret=x":                                       40001,
		"cgi-bin/auth/getuserinfo":                                                         41001,
		"cgi-bin/auth/getuserinfo?access_token=x&code=x":                                   40014,
		"cgi-bin/auth/getuserinfo?code=x&access_token=" + wechat:                           40014,
		"cgi-bin/auth/getuserinfo?access_token=" + wecom:                                   41008,
		"cgi-bin/auth/getuserinfo?code=x&access_token=" + wecom:                            40029,
		"cgi-bin/auth/getuserinfo?code=" + code + "&access_token=" + wecom:                 40029,
		"cgi-bin/get_jsapi_ticket":                                                         41001,
		"cgi-bin/get_jsapi_ticket?access_token=x":                                          40014,
		"cgi-bin/ticket/get?access_token=" + wecom:                                         40097,
		"cgi-bin/ticket/get?type=agent_config&access_token=" + wechat:                      40014,
	} {
		if got, answer := s.callAPI(path); got != want || answer["errmsg"] == "" {
			t.Errorf("%s: %v, not %d", path, answer, want)
		}
	}
	if _, body := s.post("cgi-bin/stable_token", "appid=x"); !strings.Contains(body, "47001") {
		t.Errorf("no JSON: %s", body)
	}
	if got, _ := stableToken(s, standin.OpenAppID, standin.Secret(standin.OpenAppID), false); got != 48001 {
		t.Errorf("a website's token: %d", got)
	}
}

func stringOf(v any) string { s, _ := v.(string); return s }

func TestErrorMessagesMatchTheProviders(t *testing.T) {
	s := newSite(t)
	_, wechat := s.callAPI(exchange(standin.AppID, "x"))
	_, wecom := s.callAPI("cgi-bin/auth/getuserinfo?code=x&access_token=" + corpToken(s))
	if m := stringOf(wechat["errmsg"]); !strings.HasPrefix(m, "invalid code, rid: ") {
		t.Error(m)
	}
	if m := stringOf(wecom["errmsg"]); !strings.HasPrefix(m, "invalid code, hint: [") ||
		!strings.Contains(m, "devtool/query?e=40029") {
		t.Error(m)
	}
}

func TestTokenIsReusedUntilShortlyBeforeItsExpiry(t *testing.T) {
	s := newSite(t)
	secret := standin.Secret(standin.AppID)
	good := func(token string) bool {
		code, _ := s.callAPI("cgi-bin/ticket/getticket?type=jsapi&access_token=" + token)
		return code == 0
	}
	_, first := stableToken(s, standin.AppID, secret, false)
	s.advance(time.Hour + 54*time.Minute)
	_, again := stableToken(s, standin.AppID, secret, false)
	if first["access_token"] != again["access_token"] || again["expires_in"] != float64(360) {
		t.Errorf("%v", again)
	}
	s.advance(time.Minute)
	_, renewed := stableToken(s, standin.AppID, secret, false)
	if renewed["access_token"] == first["access_token"] || renewed["expires_in"] != float64(7200) ||
		!good(stringOf(first["access_token"])) {
		t.Errorf("%v", renewed)
	}
	_, forced := stableToken(s, standin.AppID, secret, true)
	s.advance(4 * time.Minute)
	if forced["access_token"] == renewed["access_token"] || !good(stringOf(renewed["access_token"])) ||
		!good(stringOf(forced["access_token"])) {
		t.Error("the former token is invalid too early")
	}
	s.advance(time.Minute)
	if good(stringOf(renewed["access_token"])) || good(stringOf(first["access_token"])) ||
		!good(stringOf(forced["access_token"])) {
		t.Error("an expired token is still valid")
	}
	plain := "cgi-bin/token?grant_type=client_credential&appid=" + standin.AppID + "&secret=" + secret
	_, plainFirst := s.callAPI(plain)
	_, plainSecond := s.callAPI(plain)
	if plainFirst["access_token"] == plainSecond["access_token"] || !good(stringOf(forced["access_token"])) {
		t.Error("the two kinds of token are mixed up")
	}
	if _, body := s.post("end-tokens", ""); good(stringOf(plainSecond["access_token"])) {
		t.Errorf("an expired token is still valid: %s", body)
	}
}

func TestPersonHasOneOpenIDPerApplicationAndOneUnionIDPerOwner(t *testing.T) {
	s := newSite(t)
	const other = "wxaaaaaaaa00000001"
	account := newCode(s, "app="+standin.AppID+"&person=maria&scope=snsapi_userinfo")
	website := newCode(s, "app="+standin.OpenAppID+"&person=maria&scope=snsapi_login")
	theirs := newCode(s, "app="+other+"&person=maria&scope=snsapi_userinfo")
	again := newCode(s, "app="+standin.AppID+"&person=maria&scope=snsapi_userinfo")
	somebody := newCode(s, "app="+standin.AppID+"&person=linzhou&scope=snsapi_userinfo")
	if account.OpenID != again.OpenID || account.OpenID == website.OpenID || account.OpenID == theirs.OpenID ||
		account.OpenID == somebody.OpenID || account.Code == again.Code {
		t.Errorf("%+v %+v %+v %+v", account, website, theirs, somebody)
	}
	if account.UnionID == "" || account.UnionID != website.UnionID || account.UnionID == theirs.UnionID ||
		account.UnionID == somebody.UnionID {
		t.Errorf("%+v %+v %+v %+v", account, website, theirs, somebody)
	}
	_, answer := s.callAPI(exchange(standin.AppID, account.Code))
	if answer["openid"] != account.OpenID || answer["unionid"] != account.UnionID ||
		answer["scope"] != "snsapi_userinfo" {
		t.Errorf("%v, %+v", answer, account)
	}
	silent := newCode(s, "app="+standin.AppID+"&person=maria&scope=snsapi_base")
	if _, answer := s.callAPI(exchange(standin.AppID, silent.Code)); answer["openid"] != account.OpenID ||
		answer["unionid"] != nil || silent.UnionID != "" {
		t.Errorf("silently: %v", answer)
	}
	member := newCode(s, "app="+standin.CorpID+"&name=Ana&member=1")
	customer := newCode(s, "app="+standin.CorpID+"&person=xiaoman")
	if member.UserID == "" || member.OpenID != "" || customer.UserID != "" || customer.OpenID == "" ||
		!strings.HasPrefix(customer.ExternalUserID, "wm") {
		t.Errorf("%+v %+v", member, customer)
	}
}

func TestCodeIsIssuedOnlyForValidParameters(t *testing.T) {
	s := newSite(t)
	app := "app=" + standin.AppID
	for _, wrong := range []string{"", "app=wx1&person=maria", app, app + "&person=me", app + "&name=",
		app + "&person=maria&scope=all", app + "&person=maria&trouble=flood", app + "&person=maria&trouble=state",
		"app=" + standin.CorpID + "&person=maria&scope=snsapi_login", app + "&person=maria&trouble=stale"} {
		if resp, _ := s.open("code.json?" + wrong); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, resp.StatusCode)
		}
	}
}

func TestAPICallsAreCounted(t *testing.T) {
	s := newSite(t)
	m := newCode(s, "app="+standin.AppID+"&person=maria&scope=snsapi_userinfo")
	_, answer := s.callAPI(exchange(standin.AppID, m.Code))
	s.callAPI(exchange(standin.AppID, m.Code))
	s.callAPI("sns/userinfo?access_token=" + stringOf(answer["access_token"]) + "&openid=" + m.OpenID)
	s.callAPI("cgi-bin/get_jsapi_ticket?access_token=" + corpToken(s))
	if got := s.counts("?app=" + standin.AppID); got != (standin.Counts{Exchange: 2, Userinfo: 1, Refused: 1}) {
		t.Errorf("of the account: %+v", got)
	}
	if got := s.counts(""); got != (standin.Counts{Token: 1, Exchange: 2, Userinfo: 1, Ticket: 1, Refused: 1}) {
		t.Errorf("of all: %+v", got)
	}
	if got := s.counts("?code=" + m.Code); got.Exchange != 2 {
		t.Errorf("of the code: %+v", got)
	}
	if got := s.counts("?code=x"); got != (standin.Counts{}) {
		t.Errorf("of no code: %+v", got)
	}
}

func TestParallelExchangesOfOneCodeSucceedOnce(t *testing.T) {
	s := newSite(t)
	m := newCode(s, "app="+standin.AppID+"&person=maria")
	var all sync.WaitGroup
	got := make(chan int, 20)
	for range cap(got) {
		all.Go(func() {
			code, _ := s.callAPI(exchange(standin.AppID, m.Code))
			got <- code
		})
	}
	all.Wait()
	close(got)
	times := map[int]int{}
	for code := range got {
		times[code]++
	}
	if times[0] != 1 || times[40163] != 19 {
		t.Errorf("%v", times)
	}
}

func TestOldestCodesAreRemoved(t *testing.T) {
	handler := standin.New(standin.Options{})
	first := useNewCode(t, handler)
	second := useNewCode(t, handler)
	for range 9_999 {
		useNewCode(t, handler)
	}
	if exchangeCount(t, handler, first) != 0 || exchangeCount(t, handler, second) != 1 {
		t.Errorf("%d and %d", exchangeCount(t, handler, first), exchangeCount(t, handler, second))
	}
}

// useNewCode issues a code, exchanges it once, and returns it.
func useNewCode(t *testing.T, h http.Handler) string {
	t.Helper()
	var m standin.IssuedCode
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, standin.Path+"code.json?app="+standin.AppID+"&person=maria",
		nil))
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet,
		standin.Path+exchange(standin.AppID, m.Code), nil))
	return m.Code
}

// exchangeCount returns how often a code was sent to be exchanged.
func exchangeCount(t *testing.T, h http.Handler, code string) int {
	t.Helper()
	var c standin.Counts
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, standin.Path+"exchanges.json?code="+code, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	return c.Exchange
}
