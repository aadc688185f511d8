package pages_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/signin"
	"portico/store"
)

const (
	iosApp      = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 PorticoApp/3.2.1 (iOS)"
	androidApp  = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 PorticoApp/3 (Android)"
	accountSite = "http://account.portico.test"
)

// bridged is what a page tells the app.
type bridged struct {
	On     string            `json:"on"`
	APIs   []string          `json:"apis"`
	Title  string            `json:"title"`
	Color  string            `json:"color"`
	First  bool              `json:"first"`
	User   map[string]any    `json:"user"`
	Code   string            `json:"code"`
	Token  string            `json:"token"`
	SignIn string            `json:"sign_in"`
	Enter  string            `json:"enter"`
	Texts  map[string]string `json:"texts"`

	Notices string `json:"notices"`
}

// bridgeOf reads it out of a page; false where the page has none.
func bridgeOf(t *testing.T, page string) (b bridged, ok bool) {
	t.Helper()
	_, props, ok := strings.Cut(page, `data-island="bridge" data-load="more" data-props="`)
	if !ok {
		return b, false
	}
	props, _, _ = strings.Cut(props, `"`)
	if err := json.Unmarshal([]byte(html.UnescapeString(props)), &b); err != nil {
		t.Fatal(err)
	}
	return b, true
}

// inApp is a browser inside the app.
func (s *site) inApp(agent string) *browser {
	b := s.browser()
	b.agent = agent
	return b
}

// arrive signs in and goes to where that leads.
func (b *browser) arrive(phone string) (page, at string) {
	b.t.Helper()
	r, at := b.follow(b.signIn("account.portico.test", phone), accountSite+"/login")
	wantStatus(b.t, r, http.StatusOK)
	return text(b.t, r), at
}

// answered reads the JSON of an answer.
func answered(t *testing.T, r *http.Response) map[string]string {
	t.Helper()
	var answer map[string]string
	if err := json.Unmarshal([]byte(text(t, r)), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// appToken is an API token of an app.
func (s *site) appToken(login string) string {
	s.t.Helper()
	result, err := s.p.Signin.ClientLogin(s.t.Context(), signin.ClientLoginInput{Login: login, Password: onboarding.DemoPassword, Client: landing.ClientApp})
	if err != nil || result.User == nil {
		s.t.Fatalf("%+v, %v", result, err)
	}
	return string(result.User.Token)
}

func TestOnlyTheAppIsTakenForTheApp(t *testing.T) {
	s := newSite(t, options{production: true})
	for agent, want := range map[string]string{
		iosApp: "ios", androidApp: "android", "PorticoApp/1.0 (iOS)": "ios", "PorticoApp/10.20.30.40 (Android) NetType/WIFI": "android",
		desktopAgent: "", "": "", "PorticoApp": "", "PorticoApp/ (iOS)": "", "PorticoApp/3.2.1": "", "PorticoApp/3.2.1 (Windows)": "", "PorticoApp/3.2.1(iOS)": "",
		"porticoapp/3.2.1 (ios)": "", "NotPorticoApp/3.2.1 (iOS)": "", "PorticoApp/beta (iOS)": "", "PorticoApp/123456 (iOS)": "", "PorticoApp/3.2.1 (Android": "",
		"Mozilla/5.0 (Linux; Android 14) MicroMessenger/8.0.47 Mobile": "",
	} {
		b := s.inApp(agent)
		page := text(t, b.get("https://account.portico.test/agreement"))
		got, ok := bridgeOf(t, page)
		if got.On != want || ok != (want != "") {
			t.Errorf("%q is %q (%v)", agent, got.On, ok)
		}
	}
}

func TestBrowsersGetNothingOfTheBridge(t *testing.T) {
	b := newSite(t, options{}).browser()
	landed, at := b.arrive("13800000001")
	pages := map[string]string{at: landed}
	for _, address := range []string{accountSite + "/login", accountSite + "/accounts?all=1", at + "/orders", at + "/nowhere", "http://store1001.portico.test/login"} {
		pages[address] = text(t, b.get(address))
	}
	pages["a visitor's"] = text(t, b.site.browser().get(accountSite+"/login"))
	for name, page := range pages {
		_, body, _ := strings.Cut(page, "</style>")
		if strings.Contains(body, "bridge") || strings.Contains(body, "native") {
			t.Errorf("%s has something of it", name)
		}
		if _, ok := bridgeOf(t, page); ok {
			t.Errorf("%s has it", name)
		}
	}
	for _, address := range []string{accountSite + "/native/enter", "http://store1001.portico.test/native/code/home"} {
		wantStatus(t, b.post(address, "app_token", b.appToken("buyer1")), http.StatusNotFound)
	}
}

func TestThePageKeptForAllVisitorsIsNotTheApps(t *testing.T) {
	s := newSite(t, options{})
	for range 2 {
		if _, ok := bridgeOf(t, text(t, s.browser().get(accountSite+"/login"))); ok {
			t.Error("a browser gets the app's page")
		}
		if got, ok := bridgeOf(t, text(t, s.inApp(iosApp).get(accountSite+"/login"))); !ok || got.On != "ios" {
			t.Error("the app gets the browsers' page")
		}
	}
}

func TestAPageTellsTheAppItsBarAndWhichAPIsAreOurs(t *testing.T) {
	s := newSite(t, options{production: true})
	b := s.inApp(iosApp)
	got, _ := bridgeOf(t, text(t, b.get("https://store1002.portico.test/login")))
	if !slices.Equal(got.APIs, []string{"https://api.portico.test"}) || got.Color != "#d9480f" || !got.First || got.Texts["entering"] == "" || got.User != nil {
		t.Errorf("%+v", got)
	}
	got, _ = bridgeOf(t, text(t, b.get("https://account.portico.test/forget/phone")))
	if got.First || got.Color != "#20ade5" || got.Enter != "" {
		t.Errorf("%+v", got)
	}
	dev, _ := bridgeOf(t, text(t, newSite(t, options{}).inApp(iosApp).get(accountSite+"/login")))
	if !slices.Equal(dev.APIs, []string{"http://api.portico.test", "http://portico.test"}) {
		t.Errorf("%v", dev.APIs)
	}
}

func TestALandingSiteTellsTheAppWhoItIsAndNoSecret(t *testing.T) {
	s := newSite(t, options{})
	b := s.inApp(androidApp)
	page, at := b.arrive("13800000001")
	got, ok := bridgeOf(t, page)
	if !ok || at != "http://m.portico.test/shop" || !got.First || got.Title != "金穗粮油" || got.Code != "/native/code/shop" || got.Token == "" || len(got.SignIn) != 12 || got.Enter != "" {
		t.Fatalf("%s %+v", at, got)
	}
	if want := []string{"company_id_", "company_name_", "id_", "login_", "name_", "type_"}; len(got.User) != len(want) || got.User["login_"] != "buyer1" || got.User["type_"] != 3.0 {
		t.Errorf("%+v", got.User)
	}
	for _, cookie := range b.jar["m.portico.test"] {
		if strings.Contains(page, cookie.Value) && len(cookie.Value) > 20 {
			t.Errorf("the page holds the cookie %s", cookie.Name)
		}
	}
	if strings.Contains(page, "13800000001") || strings.Contains(page, "auth_code_") {
		t.Error("the page holds a whole phone or a code")
	}
	orders, _ := bridgeOf(t, text(t, b.get(at+"/orders")))
	if orders.First || orders.Title != "我的订单" || orders.SignIn != got.SignIn {
		t.Errorf("%+v", orders)
	}
}

func TestTheAppGetsACodeThatTheAPIRedeemsOnce(t *testing.T) {
	s := newSite(t, options{})
	b := s.inApp(iosApp)
	page, _ := b.arrive("13800000001")
	got, _ := bridgeOf(t, page)
	r := b.post("http://m.portico.test"+got.Code, "token", got.Token)
	wantStatus(t, r, http.StatusOK)
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", r.Header)
	}
	code := answered(t, r)["auth_code_"]
	user, err := s.p.Landing.RedeemForClient(t.Context(), code, landing.ClientApp, 0)
	if err != nil || user.Login != "buyer1" || user.Token == "" {
		t.Fatalf("%+v, %v", user, err)
	}
	used := landing.TokenInput{Token: string(user.Token), Client: landing.ClientApp}
	if _, err := s.p.Landing.Token(t.Context(), used); err != nil {
		t.Fatal(err)
	}
	if _, err := s.p.Landing.RedeemForClient(t.Context(), code, landing.ClientApp, 0); err == nil {
		t.Error("it is redeemed again once its token is used")
	}
	if strings.Contains(s.log.String(), code) {
		t.Error("it is logged")
	}
}

func TestNobodyElseGetsTheAppsCode(t *testing.T) {
	s := newSite(t, options{})
	b := s.inApp(iosApp)
	page, _ := b.arrive("13800000001")
	got, _ := bridgeOf(t, page)
	address := "http://m.portico.test" + got.Code
	form := url.Values{"token": {got.Token}}
	wantStatus(t, b.do(http.MethodPost, address, form, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	wantStatus(t, b.do(http.MethodPost, address, form, "Sec-Fetch-Site", "same-site"), http.StatusForbidden)
	b.bare = true
	wantStatus(t, b.post(address), http.StatusForbidden)
	wantStatus(t, b.post(address, "token", "wrong"), http.StatusForbidden)
	wantStatus(t, b.post(address, "token", got.Token), http.StatusOK)
	wantStatus(t, b.get(address), http.StatusMethodNotAllowed)
	r := s.inApp(iosApp).post(address)
	wantStatus(t, r, http.StatusUnauthorized)
	if answered(t, r)["auth_code_"] != "" {
		t.Error("nobody gets a code")
	}
	wantStatus(t, s.inApp(iosApp).post("http://mgr.portico.test"+got.Code), http.StatusNotFound)
	wantStatus(t, b.post("http://account.portico.test"+got.Code), http.StatusNotFound)
}

func TestTheAppsTokenSignsInWhereNobodyIs(t *testing.T) {
	s := newSite(t, options{})
	for _, c := range []struct{ path, who, at string }{
		{"/login", "13800000001", "http://m.portico.test/shop"}, {"/login/account", "jinsui", "http://mgr.portico.test/home"}, {"/login/code", "buyer1", "http://m.portico.test/shop"},
	} {
		b := s.inApp(iosApp)
		got, _ := bridgeOf(t, text(t, b.get(accountSite+c.path)))
		if got.Enter != "/native/enter" {
			t.Fatalf("%+v", got)
		}
		r := b.post(accountSite+got.Enter, "app_token", s.appToken(c.who), "width", "390")
		wantStatus(t, r, http.StatusOK)
		to := answered(t, r)["location"]
		page, at := b.follow(b.get(to), to)
		if body := text(t, page); at != c.at || !strings.Contains(body, "金穗粮油") {
			t.Errorf("%s leads to %s", c.who, at)
		}
		again, _ := bridgeOf(t, text(t, b.get(accountSite+c.path)))
		if again.Enter != "" {
			t.Error("a token is asked for although somebody is signed in")
		}
		r = b.post(accountSite+got.Enter, "app_token", s.appToken("nophone"))
		wantStatus(t, r, http.StatusUnprocessableEntity)
	}
	if token := s.appToken("buyer1"); strings.Contains(s.log.String(), token) {
		t.Error("it is logged")
	}
}

func TestATokenSignsInFromOurOwnPagesAlone(t *testing.T) {
	s := newSite(t, options{})
	token := url.Values{"app_token": {s.appToken("buyer1")}}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "http://evil.test"}, {"Sec-Fetch-Site", "", "Origin", "null"}} {
		wantStatus(t, s.inApp(iosApp).do(http.MethodPost, accountSite+"/native/enter", token, headers...), http.StatusForbidden)
	}
	silent := s.inApp(iosApp)
	silent.bare = true
	wantStatus(t, silent.do(http.MethodPost, accountSite+"/native/enter", token), http.StatusForbidden)
	old := s.inApp(iosApp)
	old.bare = true
	wantStatus(t, old.do(http.MethodPost, accountSite+"/native/enter", token, "Origin", accountSite), http.StatusOK)
}

func TestARefusedTokenSignsNobodyIn(t *testing.T) {
	s := newSite(t, options{})
	b := s.inApp(iosApp)
	r := b.post(accountSite+"/native/enter", "app_token", "made-up-made-up-made-up")
	wantStatus(t, r, http.StatusUnauthorized)
	if answered(t, r)["message"] == "" || len(b.jar["account.portico.test"]) > 0 {
		t.Errorf("it is not said why, or a cookie is set: %v", b.jar)
	}
	token := s.appToken("buyer1")
	member := s.account("buyer1")
	if err := s.db.SetAccountState(t.Context(), member.CompanyID, member.ID, store.AccountDisabled); err != nil {
		t.Fatal(err)
	}
	r = b.post(accountSite+"/native/enter", "app_token", token)
	wantStatus(t, r, http.StatusUnprocessableEntity)
	if answered(t, r)["message"] == "" {
		t.Error("it is not said why")
	}
}

func TestSigningOutAsksForNoToken(t *testing.T) {
	b := newSite(t, options{}).inApp(iosApp)
	page := text(t, b.get(accountSite+"/login?done=signed_out"))
	if got, ok := bridgeOf(t, page); !ok || got.Enter != "" || !strings.Contains(page, "data-mirror-clear") {
		t.Errorf("%+v", got)
	}
	r := b.post(accountSite+"/login", "phone", "13800000001", "password", "Wrong2026")
	if got, ok := bridgeOf(t, text(t, r)); !ok || got.Enter != "" {
		t.Errorf("a form that came back: %+v", got)
	}
}

func TestEveryPageOfFailureOffersWhatTheAppCanDoInTheAppAlone(t *testing.T) {
	s, blocked := newSite(t, options{}), newSite(t, options{})
	shop := func(agent string) *browser {
		b := s.inApp(agent)
		b.arrive("13800000001")
		return b
	}
	for agent, want := range map[string]bool{iosApp: true, androidApp: true, desktopAgent: false} {
		foreign := s.inApp(agent)
		for name, c := range map[string]struct {
			status int
			answer *http.Response
		}{
			"no such page":      {http.StatusNotFound, s.inApp(agent).get("http://m.portico.test/nowhere")},
			"no such order":     {http.StatusNotFound, shop(agent).get(shopOf(agent) + "/orders/1")},
			"a failed redirect": {http.StatusOK, s.inApp(agent).get(accountSite + "/jumperror")},
			"an expired WeChat": {http.StatusOK, s.inApp(agent).get(accountSite + "/jumperror?reason=wechat_expired")},
			"a foreign form": {http.StatusForbidden,
				foreign.do(http.MethodPost, accountSite+"/login", nil, "Sec-Fetch-Site", "cross-site")},
			"a wrong method": {http.StatusMethodNotAllowed,
				s.inApp(agent).do(http.MethodDelete, accountSite+"/login", nil)},
			"a wrong type": {http.StatusUnsupportedMediaType,
				s.inApp(agent).do(http.MethodPost, accountSite+"/login", nil, "Content-Type", "text/xml")},
			"a form of 2 MB": {http.StatusRequestEntityTooLarge,
				s.inApp(agent).post(accountSite+"/login", "phone", strings.Repeat("1", 2<<20))},
			"cookies are off": {http.StatusForbidden,
				s.inApp(agent).get(accountSite+"/company", "Sec-Fetch-Site", "same-origin")},
			"a disabled company": {http.StatusUnprocessableEntity, blockedPage(blocked.inApp(agent))},
		} {
			page := text(t, c.answer)
			if c.answer.StatusCode != c.status {
				t.Errorf("%s: status %d", name, c.answer.StatusCode)
			}
			wantOffers(t, agent+": "+name, page, want)
		}
	}
	away := newSite(t, options{}) // which remembers no company
	if err := away.db.Close(); err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]bool{iosApp: true, androidApp: true, desktopAgent: false} {
		r := away.inApp(agent).get("http://store1001.portico.test/register/more")
		page := text(t, r)
		if r.StatusCode < http.StatusInternalServerError {
			t.Errorf("status %d", r.StatusCode)
		}
		wantOffers(t, agent+": no database", page, want)
	}
}

// shopOf is the shop that an agent is led to.
func shopOf(agent string) string {
	if agent == desktopAgent {
		return "http://store1001.portico.test/home"
	}
	return "http://m.portico.test/shop"
}

// blockedPage is what an account of a disabled company gets.
func blockedPage(b *browser) *http.Response {
	return b.signIn("account.portico.test", "13800000007")
}

// wantOffers checks that a page of failure offers the app's settings and closing, and names the request.
func wantOffers(t *testing.T, what, page string, want bool) {
	t.Helper()
	_, bridge := bridgeOf(t, page)
	for _, part := range []string{`data-native="settings" hidden`, `data-native="close" hidden`, `data-about="`,
		`data-native="copy"`} {
		if strings.Contains(page, part) != want {
			t.Errorf("%s: %s is %v", what, part, !want)
		}
	}
	if bridge != want || !want && strings.Contains(page, "data-native") {
		t.Errorf("%s: bridge %v", what, bridge)
	}
}

func TestTheSignInPageSpeaksOfALostConnectionInTheAppAlone(t *testing.T) {
	s := newSite(t, options{})
	for agent, want := range map[string]bool{iosApp: true, desktopAgent: false} {
		for _, path := range []string{"/", "/login", "/login/account"} {
			page := text(t, s.inApp(agent).get(accountSite+path))
			if strings.Contains(page, `data-island="offline"`) != want ||
				strings.Contains(page, `data-native="settings"`) != want {
				t.Errorf("%s in %s", path, agent)
			}
		}
	}
}

func TestTheAppIsOfferedToCloseAfterSigningOut(t *testing.T) {
	s := newSite(t, options{})
	for agent, want := range map[string]bool{iosApp: true, desktopAgent: false} {
		page := text(t, s.inApp(agent).get(accountSite+"/login?done=signed_out"))
		if strings.Contains(page, `data-app="close" hidden`) != want {
			t.Errorf("in %s", agent)
		}
	}
	if strings.Contains(text(t, s.inApp(iosApp).get(accountSite+"/login")), `data-app="close"`) {
		t.Error("a person who comes to sign in is offered to close the page")
	}
}

func TestAnOldAppIsToldToUpdateWhereTheOperatorAsksForIt(t *testing.T) {
	for least, old := range map[string]bool{
		"": false, "3.2.1": false, "3.2": false, "3.2.1.0": false, "3.2.1.1": true, "3.10": true, "4": true, "2.9.9": false,
	} {
		s := newSite(t, options{appVersions: map[string]string{"ios": least}})
		for agent, want := range map[string]bool{iosApp: old, androidApp: false, desktopAgent: false} {
			for _, path := range []string{"/login", "/nowhere", "/agreement"} {
				page := text(t, s.inApp(agent).get(accountSite+path))
				if strings.Contains(page, `data-native="update"`) != want {
					t.Errorf("%s in %s, at least %q", path, agent, least)
				}
			}
		}
	}
}

func TestNotificationsAreOfferedInTheAppUntilTheOfferIsAnswered(t *testing.T) {
	s := newSite(t, options{})
	b := s.inApp(androidApp)
	b.arrive("13800000001")
	const orders = "http://m.portico.test/shop/orders"
	page := wantPage(t, b.get(orders), http.StatusOK, `data-app="notices" hidden`, `data-native="dismiss"`)
	bridge, _ := bridgeOf(t, page)
	if bridge.Notices != "/native/notices/shop" {
		t.Errorf("kept at %q", bridge.Notices)
	}
	if strings.Contains(text(t, b.get("http://m.portico.test/shop")), "data-app=") {
		t.Error("the first page offers them")
	}
	wantStatus(t, s.inApp(androidApp).post("http://m.portico.test"+bridge.Notices), http.StatusUnauthorized)
	wantStatus(t, b.post("http://m.portico.test"+bridge.Notices, "token", bridge.Token), http.StatusOK)
	if page := text(t, b.get(orders)); strings.Contains(page, "data-app=") {
		t.Error("they are offered again")
	}

	browser := s.browser()
	browser.arrive("13800000001")
	if page := text(t, browser.get("http://store1001.portico.test/home/orders")); strings.Contains(page, "data-app=") {
		t.Error("a browser is offered notifications")
	}
	wantStatus(t, browser.post("http://store1001.portico.test/native/notices/home"), http.StatusNotFound)
}

func TestATokenThatIsRefusedIsExplained(t *testing.T) {
	b := newSite(t, options{}).inApp(androidApp)
	r := b.post(accountSite+"/native/enter", "app_token", strings.Repeat("t", 43))
	wantStatus(t, r, http.StatusUnauthorized)
	if said := answered(t, r)["message"]; said != "应用的登录状态已失效，请登录。" {
		t.Errorf("said %q", said)
	}
}
