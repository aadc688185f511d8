package pages_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/portal/landing"
)

// played is /dev/native.json.
type played struct {
	Token string `json:"token"`
	Code  string `json:"auth_code_"`
	Calls []struct {
		Page, Call, Answer string
		Args               json.RawMessage
	} `json:"calls"`
}

func (b *browser) played() (app played) {
	b.t.Helper()
	r := b.get(accountSite + "/dev/native.json")
	wantStatus(b.t, r, http.StatusOK)
	if err := json.Unmarshal([]byte(text(b.t, r)), &app); err != nil {
		b.t.Fatal(err)
	}
	return app
}

// says sends a message as the played object does, and gives the answer.
func (b *browser) says(host, message string) map[string]any {
	b.t.Helper()
	r := b.post("http://"+host+"/dev/native/call", "message", message, "page", "/login")
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	wantStatus(b.t, r, http.StatusOK)
	var answer map[string]any
	if err := json.Unmarshal([]byte(text(b.t, r)), &answer); err != nil {
		b.t.Fatal(err)
	}
	return answer
}

func TestTheAppIsPlayedInDevAlone(t *testing.T) {
	for _, production := range []bool{false, true} {
		s := newSite(t, options{production: production})
		b, scheme := s.browser(), map[bool]string{false: "http", true: "https"}[production]
		for _, host := range []string{"account", "store1001", "m", "mgr"} {
			for _, path := range []string{"/dev/native", "/dev/native/wrapper.js"} {
				want := http.StatusOK
				if production {
					want = http.StatusNotFound
				}
				wantStatus(t, b.get(scheme+"://"+host+".portico.test"+path), want)
			}
		}
		if production {
			wantStatus(t, b.post(scheme+"://account.portico.test/dev/native/call", "message", "{}"), http.StatusNotFound)
			wantStatus(t, b.post(scheme+"://account.portico.test/dev/native"), http.StatusNotFound)
			wantStatus(t, b.get(scheme+"://account.portico.test/dev/native.json"), http.StatusNotFound)
			r := b.get(scheme+"://account.portico.test/login?native=ios", "Cookie", "portico_native=ios.abcdefgh; __Host-portico_native=ios.abcdefgh")
			wantStatus(t, r, http.StatusOK)
			if _, ok := bridgeOf(t, text(t, r)); ok || len(r.Header.Values("Set-Cookie")) > 1 {
				t.Errorf("it is played: %v", r.Header)
			}
		}
	}
}

func TestAQueryBeginsAndEndsToPlayTheApp(t *testing.T) {
	b := newSite(t, options{}).browser()
	r := b.get(accountSite + "/login?native=android&u=5")
	wantStatus(t, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != "/login?u=5" {
		t.Errorf("to %s", to)
	}
	page := text(t, b.get(accountSite+"/login"))
	got, ok := bridgeOf(t, page)
	if !ok || got.On != "android" || !strings.Contains(page, `<script src="/dev/native/wrapper.js" data-on="android">`) {
		t.Errorf("%+v", got)
	}
	b.get(accountSite + "/login?native=ios")
	if got, _ := bridgeOf(t, text(t, b.get(accountSite+"/login"))); got.On != "ios" {
		t.Errorf("%+v", got)
	}
	b.get(accountSite + "/login?native=off")
	if _, ok := bridgeOf(t, text(t, b.get(accountSite+"/login"))); ok {
		t.Error("it is played on")
	}
	for _, other := range []string{"windows", "ios.x", "ios.<b>", "1"} {
		wantStatus(t, b.get(accountSite+"/login?native="+url.QueryEscape(other)), http.StatusOK)
	}
}

func TestThePlayedAppGoesAlongToOtherHosts(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.agent = strings.Replace(desktopAgent, "Safari", "Mobile Safari", 1)
	b.get(accountSite + "/login?native=ios")
	page, at := b.arrive("13800000001")
	if got, ok := bridgeOf(t, page); !ok || got.On != "ios" || at != "http://m.portico.test/shop" {
		t.Errorf("%s %+v", at, got)
	}
	b.get(accountSite + "/login?native=off")
	page, _ = b.arrive("13800000001")
	if _, ok := bridgeOf(t, page); ok {
		t.Error("it is still played on the other host")
	}
}

func TestThePlayedAppAnswersAndKeepsWhatItIsAsked(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.get(accountSite + "/login?native=ios")
	if answer := b.says("account.portico.test", `{"v":1,"id":"a-1","call":"version","args":{}}`); answer["v"] != 1.0 || answer["id"] != "a-1" || answer["ok"] != true || answer["result"] != "3.2.1" {
		t.Errorf("%v", answer)
	}
	if answer := b.says("account.portico.test", `{"v":1,"id":"a-2","call":"dance","args":{}}`); answer["ok"] != false || answer["error"] != "unknown_call" {
		t.Errorf("%v", answer)
	}
	for _, nonsense := range []string{"", "x", "[]", strings.Repeat("x", 9000)} {
		if answer := b.says("account.portico.test", nonsense); answer != nil {
			t.Errorf("%q: %v", nonsense, answer)
		}
	}
	app := b.played()
	if len(app.Calls) != 2 || app.Calls[0].Call != "version" || app.Calls[0].Page != "account.portico.test/login" {
		t.Errorf("%+v", app.Calls)
	}
	for manner, want := range map[string]string{"refuses": `"error":"refused"`, "newer": `"v":2`, "late": `"error":"code_expired"`, "silent": "null", "answers": `"ok":true`} {
		wantStatus(t, b.post(accountSite+"/dev/native", "action", "save", "manner", manner, "version", "9.9"), http.StatusSeeOther)
		answer, _ := json.Marshal(b.says("account.portico.test", `{"v":1,"id":"a","call":"saveUserInfo","args":{"auth_code_":"c0de"}}`))
		if !strings.Contains(string(answer), want) {
			t.Errorf("%s: %s", manner, answer)
		}
	}
	if other := s.browser(); other.get(accountSite+"/login?native=ios") != nil && len(other.played().Calls) != 0 {
		t.Error("another browser's app has heard it")
	}
	b.post(accountSite+"/dev/native", "action", "clear")
	if app := b.played(); len(app.Calls) != 0 || app.Code != "c0de" {
		t.Errorf("%+v", app)
	}
	wantStatus(t, s.browser().get(accountSite+"/dev/native.json"), http.StatusNotFound)
}

func TestThePlayedAppRedeemsItsCodeAndDoesNotShowItWhole(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.get(accountSite + "/login?native=ios")
	page, at := b.arrive("13800000001")
	got, _ := bridgeOf(t, page)
	origin := strings.TrimSuffix(at, "/home")
	code := answered(t, b.post(origin+got.Code, "token", got.Token))["auth_code_"]
	b.says("store1001.portico.test", `{"v":1,"id":"a","call":"saveUserInfo","args":{"auth_code_":"`+code+`"}}`)
	shown := text(t, b.get(accountSite+"/dev/native"))
	if !strings.Contains(shown, code[:8]+"…") || strings.Contains(shown, code) {
		t.Error("the code is shown whole, or not at all")
	}
	b.post(accountSite+"/dev/native", "action", "redeem")
	app := b.played()
	if _, err := s.p.Landing.Token(t.Context(), landing.TokenInput{Token: app.Token, Client: landing.ClientApp}); err != nil || app.Code != "" {
		t.Errorf("%+v, %v", app, err)
	}
	b.post(accountSite+"/dev/native", "action", "lose")
	if _, kept := b.jar["account.portico.test"]["portico_session"]; kept {
		t.Error("the cookie is still there")
	}
	b.says("account.portico.test", `{"v":1,"id":"b","call":"deleteUserInfo","args":{}}`)
	if app := b.played(); app.Token != "" {
		t.Errorf("%+v", app)
	}
}
