package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/signin"
)

func TestAppIsSimulatedOnlyInDevelopment(t *testing.T) {
	for _, production := range []bool{false, true} {
		s := pagestest.NewSite(t, pagestest.Options{Production: production})
		b, scheme := s.Browser(), map[bool]string{false: "http", true: "https"}[production]
		for _, host := range []string{"account", "store1001", "m", "mgr"} {
			for _, path := range []string{"/dev/native", "/dev/native/wrapper.js"} {
				want := http.StatusOK
				if production {
					want = http.StatusNotFound
				}
				pagestest.WantStatus(t, b.Get(scheme+"://"+host+".portico.test"+path), want)
			}
		}
		if production {
			pagestest.WantStatus(t, b.Post(scheme+"://account.portico.test/dev/native/call", "message", "{}"),
				http.StatusNotFound)
			pagestest.WantStatus(t, b.Post(scheme+"://account.portico.test/dev/native"), http.StatusNotFound)
			pagestest.WantStatus(t, b.Get(scheme+"://account.portico.test/dev/native.json"), http.StatusNotFound)
			r := b.Get(scheme+"://account.portico.test/login?native=ios", "Cookie",
				"portico_native=ios.abcdefgh; __Host-portico_native=ios.abcdefgh")
			pagestest.WantStatus(t, r, http.StatusOK)
			if _, ok := bridgeData(t, pagestest.Text(t, r)); ok || len(r.Header.Values("Set-Cookie")) > 1 {
				t.Errorf("the app is simulated: %v", r.Header)
			}
		}
	}
}

func TestQueryTurnsTheSimulatedAppOnAndOff(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	r := b.Get(pagestest.AccountSite + "/login?native=android&u=5")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != "/login?u=5" {
		t.Errorf("to %s", to)
	}
	page := pagestest.Text(t, b.Get(pagestest.AccountSite+"/login"))
	got, ok := bridgeData(t, page)
	if !ok || got.On != "android" || !strings.Contains(page,
		`<script src="/dev/native/wrapper.js" data-on="android">`) {
		t.Errorf("%+v", got)
	}
	b.Get(pagestest.AccountSite + "/login?native=ios")
	if got, _ := bridgeData(t, pagestest.Text(t, b.Get(pagestest.AccountSite+"/login"))); got.On != "ios" {
		t.Errorf("%+v", got)
	}
	b.Get(pagestest.AccountSite + "/login?native=off")
	if _, ok := bridgeData(t, pagestest.Text(t, b.Get(pagestest.AccountSite+"/login"))); ok {
		t.Error("the app is still simulated")
	}
	for _, other := range []string{"windows", "ios.x", "ios.<b>", "1"} {
		pagestest.WantStatus(t, b.Get(pagestest.AccountSite+"/login?native="+url.QueryEscape(other)), http.StatusOK)
	}
}

func TestSimulatedAppFollowsToOtherHosts(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.Agent = strings.Replace(pagestest.DesktopAgent, "Safari", "Mobile Safari", 1)
	b.Get(pagestest.AccountSite + "/login?native=ios")
	page, at := b.SignInAndFollow("13800000001")
	if got, ok := bridgeData(t, page); !ok || got.On != "ios" || at != "http://m.portico.test/shop" {
		t.Errorf("%s %+v", at, got)
	}
	b.Get(pagestest.AccountSite + "/login?native=off")
	page, _ = b.SignInAndFollow("13800000001")
	if _, ok := bridgeData(t, page); ok {
		t.Error("the app is still simulated on the other host")
	}
}

func TestSimulatedAppAnswersAndRecordsCalls(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Get(pagestest.AccountSite + "/login?native=ios")
	if answer := sendMessage(b, "account.portico.test",
		`{"v":1,"id":"a-1","call":"version","args":{}}`); answer["v"] != 1.0 ||
		answer["id"] != "a-1" || answer["ok"] != true || answer["result"] != "3.2.1" {
		t.Errorf("%v", answer)
	}
	if answer := sendMessage(b, "account.portico.test",
		`{"v":1,"id":"a-2","call":"dance","args":{}}`); answer["ok"] != false ||
		answer["error"] != "unknown_call" {
		t.Errorf("%v", answer)
	}
	for _, nonsense := range []string{"", "x", "[]", strings.Repeat("x", 9000)} {
		if answer := sendMessage(b, "account.portico.test", nonsense); answer != nil {
			t.Errorf("%q: %v", nonsense, answer)
		}
	}
	app := readSimulatedApp(b)
	if len(app.Calls) != 2 || app.Calls[0].Call != "version" || app.Calls[0].Page != "account.portico.test/login" {
		t.Errorf("%+v", app.Calls)
	}
	for manner, want := range map[string]string{"refuses": `"error":"refused"`, "newer": `"v":2`,
		"late": `"error":"code_expired"`, "silent": "null", "answers": `"ok":true`} {
		pagestest.WantStatus(t, b.Post(pagestest.AccountSite+"/dev/native", "action", "save", "manner", manner,
			"version", "9.9"), http.StatusSeeOther)
		answer, _ := json.Marshal(sendMessage(b, "account.portico.test",
			`{"v":1,"id":"a","call":"saveUserInfo","args":{"auth_code_":"c0de"}}`))
		if !strings.Contains(string(answer), want) {
			t.Errorf("%s: %s", manner, answer)
		}
	}
	if other := s.Browser(); other.Get(pagestest.AccountSite+"/login?native=ios") != nil &&
		len(readSimulatedApp(other).Calls) != 0 {
		t.Error("the app of another browser got the message")
	}
	b.Post(pagestest.AccountSite+"/dev/native", "action", "clear")
	if app := readSimulatedApp(b); len(app.Calls) != 0 || app.Code != "c0de" {
		t.Errorf("%+v", app)
	}
	pagestest.WantStatus(t, s.Browser().Get(pagestest.AccountSite+"/dev/native.json"), http.StatusNotFound)
}

func TestSimulatedAppRedeemsItsCodeAndShowsOnlyItsBeginning(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Get(pagestest.AccountSite + "/login?native=ios")
	page, at := b.SignInAndFollow("13800000001")
	got, _ := bridgeData(t, page)
	origin := strings.TrimSuffix(at, "/home")
	code := decodeJSON(t, b.Post(origin+got.Code, "token", got.Token))["auth_code_"]
	sendMessage(b, "store1001.portico.test", `{"v":1,"id":"a","call":"saveUserInfo","args":{"auth_code_":"`+code+`"}}`)
	shown := pagestest.Text(t, b.Get(pagestest.AccountSite+"/dev/native"))
	if !strings.Contains(shown, code[:8]+"…") || strings.Contains(shown, code) {
		t.Error("the page shows the whole code, or nothing of it")
	}
	b.Post(pagestest.AccountSite+"/dev/native", "action", "redeem")
	app := readSimulatedApp(b)
	if _, err := s.Portal.Landing.Token(t.Context(),
		signin.TokenInput{Token: app.Token, Client: signin.ClientApp}); err != nil || app.Code != "" {
		t.Errorf("%+v, %v", app, err)
	}
	b.Post(pagestest.AccountSite+"/dev/native", "action", "lose")
	if _, kept := b.Jar["account.portico.test"]["portico_session"]; kept {
		t.Error("the cookie is still there")
	}
	sendMessage(b, "account.portico.test", `{"v":1,"id":"b","call":"deleteUserInfo","args":{}}`)
	if app := readSimulatedApp(b); app.Token != "" {
		t.Errorf("%+v", app)
	}
}

// simulatedApp is the state of the simulated app, as /dev/native.json contains it.
type simulatedApp struct {
	Token string `json:"token"`
	Code  string `json:"auth_code_"`
	Calls []struct {
		Page, Call, Answer string
		Args               json.RawMessage
	} `json:"calls"`
}

// readSimulatedApp returns the state of the simulated app of a browser. It fails the test when there is none.
func readSimulatedApp(b *pagestest.Browser) (app simulatedApp) {
	b.T.Helper()
	r := b.Get(pagestest.AccountSite + "/dev/native.json")
	pagestest.WantStatus(b.T, r, http.StatusOK)
	if err := json.Unmarshal([]byte(pagestest.Text(b.T, r)), &app); err != nil {
		b.T.Fatal(err)
	}
	return app
}

// sendMessage sends a message to the simulated app as the page's script does, and returns the answer, nil for none.
func sendMessage(b *pagestest.Browser, host, message string) map[string]any {
	b.T.Helper()
	r := b.Post("http://"+host+"/dev/native/call", "message", message, "page", "/login")
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	pagestest.WantStatus(b.T, r, http.StatusOK)
	var answer map[string]any
	if err := json.Unmarshal([]byte(pagestest.Text(b.T, r)), &answer); err != nil {
		b.T.Fatal(err)
	}
	return answer
}
