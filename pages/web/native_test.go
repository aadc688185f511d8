package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/signin"
	"portico/store"
)

const (
	IosApp = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Mobile/15E148 PorticoApp/3.2.1 (iOS)"
)

// bridge is the data that a page passes to the app.
type bridge struct {
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

// bridgeData returns the data that a page passes to the app; false for a page without the bridge. It fails the test
// when the data is not JSON.
func bridgeData(t *testing.T, page string) (b bridge, ok bool) {
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

// decodeJSON returns the JSON object of an answer. It fails the test when the answer is not one.
func decodeJSON(t *testing.T, r *http.Response) map[string]string {
	t.Helper()
	var answer map[string]string
	if err := json.Unmarshal([]byte(pagestest.Text(t, r)), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAppIsRecognisedByItsUserAgent(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	for agent, want := range map[string]string{
		IosApp: "ios", pagestest.AndroidApp: "android", "PorticoApp/1.0 (iOS)": "ios",
		"PorticoApp/10.20.30.40 (Android) NetType/WIFI": "android",
		pagestest.DesktopAgent:                          "", "": "",
		"PorticoApp": "", "PorticoApp/ (iOS)": "", "PorticoApp/3.2.1": "",
		"PorticoApp/3.2.1 (Windows)": "", "PorticoApp/3.2.1(iOS)": "",
		"porticoapp/3.2.1 (ios)": "", "NotPorticoApp/3.2.1 (iOS)": "", "PorticoApp/beta (iOS)": "",
		"PorticoApp/123456 (iOS)": "", "PorticoApp/3.2.1 (Android": "",
		"Mozilla/5.0 (Linux; Android 14) MicroMessenger/8.0.47 Mobile": "",
	} {
		b := s.BrowserWithAgent(agent)
		page := pagestest.Text(t, b.Get("https://account.portico.test/agreement"))
		got, ok := bridgeData(t, page)
		if got.On != want || ok != (want != "") {
			t.Errorf("%q is %q (%v)", agent, got.On, ok)
		}
	}
}

func TestBrowsersGetNoBridge(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	landed, at := b.SignInAndFollow("13800000001")
	pages := map[string]string{at: landed}
	for _, address := range []string{pagestest.AccountSite + "/login", pagestest.AccountSite + "/accounts?all=1",
		at + "/orders", at + "/nowhere", "http://store1001.portico.test/login"} {
		pages[address] = pagestest.Text(t, b.Get(address))
	}
	pages["a visitor's"] = pagestest.Text(t, b.Site.Browser().Get(pagestest.AccountSite+"/login"))
	for name, page := range pages {
		_, body, _ := strings.Cut(page, "</style>")
		if strings.Contains(body, "bridge") || strings.Contains(body, "native") {
			t.Errorf("%s has something of it", name)
		}
		if _, ok := bridgeData(t, page); ok {
			t.Errorf("%s has it", name)
		}
	}
	for _, address := range []string{pagestest.AccountSite + "/native/enter",
		"http://store1001.portico.test/native/code/home"} {
		pagestest.WantStatus(t, b.Post(address, "app_token", b.AppToken("buyer1")), http.StatusNotFound)
	}
}

func TestCachedSignInPageIsNotServedToTheApp(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for range 2 {
		if _, ok := bridgeData(t, pagestest.Text(t, s.Browser().Get(pagestest.AccountSite+"/login"))); ok {
			t.Error("a browser gets the app's page")
		}
		if got, ok := bridgeData(t, pagestest.Text(t,
			s.BrowserWithAgent(IosApp).Get(pagestest.AccountSite+"/login"))); !ok ||
			got.On != "ios" {
			t.Error("the app gets the browsers' page")
		}
	}
}

func TestPageSendsTheAppItsTitleBarAndAPIAddresses(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Production: true})
	b := s.BrowserWithAgent(IosApp)
	got, _ := bridgeData(t, pagestest.Text(t, b.Get("https://store1002.portico.test/login")))
	if !slices.Equal(got.APIs, []string{"https://api.portico.test"}) || got.Color != "#d9480f" || !got.First ||
		got.Texts["entering"] == "" || got.User != nil {
		t.Errorf("%+v", got)
	}
	got, _ = bridgeData(t, pagestest.Text(t, b.Get("https://account.portico.test/forget/phone")))
	if got.First || got.Color != "#20ade5" || got.Enter != "" {
		t.Errorf("%+v", got)
	}
	dev, _ := bridgeData(t, pagestest.Text(t, pagestest.NewSite(t,
		pagestest.Options{}).BrowserWithAgent(IosApp).Get(pagestest.AccountSite+"/login")))
	if !slices.Equal(dev.APIs, []string{"http://api.portico.test", "http://portico.test"}) {
		t.Errorf("%v", dev.APIs)
	}
}

func TestLandingSiteSendsTheAppItsAccountWithoutSecrets(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(pagestest.AndroidApp)
	page, at := b.SignInAndFollow("13800000001")
	got, ok := bridgeData(t, page)
	if !ok || at != "http://m.portico.test/shop" || !got.First || got.Title != "金穗粮油" ||
		got.Code != "/native/code/shop" || got.Token == "" || len(got.SignIn) != 12 || got.Enter != "" {
		t.Fatalf("%s %+v", at, got)
	}
	if want := []string{"company_id_", "company_name_", "id_", "login_", "name_",
		"type_"}; len(got.User) != len(want) || got.User["login_"] != "buyer1" || got.User["type_"] != 3.0 {
		t.Errorf("%+v", got.User)
	}
	for _, cookie := range b.Jar["m.portico.test"] {
		if strings.Contains(page, cookie.Value) && len(cookie.Value) > 20 {
			t.Errorf("the page holds the cookie %s", cookie.Name)
		}
	}
	if strings.Contains(page, "13800000001") || strings.Contains(page, "auth_code_") {
		t.Error("the page contains a full phone number or an auth code")
	}
	orders, _ := bridgeData(t, pagestest.Text(t, b.Get(at+"/orders")))
	if orders.First || orders.Title != "我的订单" || orders.SignIn != got.SignIn {
		t.Errorf("%+v", orders)
	}
}

func TestTheAppGetsACodeThatTheAPIRedeemsOnce(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(IosApp)
	page, _ := b.SignInAndFollow("13800000001")
	got, _ := bridgeData(t, page)
	r := b.Post("http://m.portico.test"+got.Code, "token", got.Token)
	pagestest.WantStatus(t, r, http.StatusOK)
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", r.Header)
	}
	code := decodeJSON(t, r)["auth_code_"]
	user, err := s.Portal.Landing.RedeemForClient(t.Context(), code, signin.ClientApp, 0)
	if err != nil || user.Login != "buyer1" || user.Token == "" {
		t.Fatalf("%+v, %v", user, err)
	}
	used := signin.TokenInput{Token: string(user.Token), Client: signin.ClientApp}
	if _, err := s.Portal.Landing.Token(t.Context(), used); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Portal.Landing.RedeemForClient(t.Context(), code, signin.ClientApp, 0); err == nil {
		t.Error("the code is redeemed again after its token was used")
	}
	if strings.Contains(s.Log.String(), code) {
		t.Error("the secret is in the log")
	}
}

func TestAppCodeIsRefusedToOthers(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(IosApp)
	page, _ := b.SignInAndFollow("13800000001")
	got, _ := bridgeData(t, page)
	address := "http://m.portico.test" + got.Code
	form := url.Values{"token": {got.Token}}
	pagestest.WantStatus(t, b.Do(http.MethodPost, address, form, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	pagestest.WantStatus(t, b.Do(http.MethodPost, address, form, "Sec-Fetch-Site", "same-site"), http.StatusForbidden)
	b.OldWebView = true
	pagestest.WantStatus(t, b.Post(address), http.StatusForbidden)
	pagestest.WantStatus(t, b.Post(address, "token", "wrong"), http.StatusForbidden)
	pagestest.WantStatus(t, b.Post(address, "token", got.Token), http.StatusOK)
	pagestest.WantStatus(t, b.Get(address), http.StatusMethodNotAllowed)
	r := s.BrowserWithAgent(IosApp).Post(address)
	pagestest.WantStatus(t, r, http.StatusUnauthorized)
	if decodeJSON(t, r)["auth_code_"] != "" {
		t.Error("a browser without a session gets a code")
	}
	pagestest.WantStatus(t, s.BrowserWithAgent(IosApp).Post("http://mgr.portico.test"+got.Code), http.StatusNotFound)
	pagestest.WantStatus(t, b.Post("http://account.portico.test"+got.Code), http.StatusNotFound)
}

func TestAppTokenSignsInWhenNobodyIsSignedIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for _, c := range []struct{ path, who, at string }{
		{"/login", "13800000001", "http://m.portico.test/shop"},
		{"/login/account", "jinsui", "http://mgr.portico.test/home"},
		{"/login/code", "buyer1", "http://m.portico.test/shop"},
	} {
		b := s.BrowserWithAgent(IosApp)
		got, _ := bridgeData(t, pagestest.Text(t, b.Get(pagestest.AccountSite+c.path)))
		if got.Enter != "/native/enter" {
			t.Fatalf("%+v", got)
		}
		r := b.Post(pagestest.AccountSite+got.Enter, "app_token", s.AppToken(c.who), "width", "390")
		pagestest.WantStatus(t, r, http.StatusOK)
		to := decodeJSON(t, r)["location"]
		page, at := b.Follow(b.Get(to), to)
		if body := pagestest.Text(t, page); at != c.at || !strings.Contains(body, "金穗粮油") {
			t.Errorf("%s leads to %s", c.who, at)
		}
		again, _ := bridgeData(t, pagestest.Text(t, b.Get(pagestest.AccountSite+c.path)))
		if again.Enter != "" {
			t.Error("the page requests the app token although a person is signed in")
		}
		r = b.Post(pagestest.AccountSite+got.Enter, "app_token", s.AppToken("nophone"))
		pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
	}
	if token := s.AppToken("buyer1"); strings.Contains(s.Log.String(), token) {
		t.Error("the secret is in the log")
	}
}

func TestAppTokenSignsInOnlyFromThisSite(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	token := url.Values{"app_token": {s.AppToken("buyer1")}}
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Sec-Fetch-Site", "", "Origin", "http://evil.test"}, {"Sec-Fetch-Site", "", "Origin", "null"}} {
		pagestest.WantStatus(t, s.BrowserWithAgent(IosApp).Do(http.MethodPost, pagestest.AccountSite+"/native/enter",
			token,
			headers...), http.StatusForbidden)
	}
	silent := s.BrowserWithAgent(IosApp)
	silent.OldWebView = true
	pagestest.WantStatus(t, silent.Do(http.MethodPost, pagestest.AccountSite+"/native/enter", token),
		http.StatusForbidden)
	old := s.BrowserWithAgent(IosApp)
	old.OldWebView = true
	pagestest.WantStatus(t, old.Do(http.MethodPost, pagestest.AccountSite+"/native/enter", token, "Origin",
		pagestest.AccountSite), http.StatusOK)
}

func TestRefusedAppTokenSignsNobodyIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(IosApp)
	r := b.Post(pagestest.AccountSite+"/native/enter", "app_token", "made-up-made-up-made-up")
	pagestest.WantStatus(t, r, http.StatusUnauthorized)
	if decodeJSON(t, r)["message"] == "" || len(b.Jar["account.portico.test"]) > 0 {
		t.Errorf("there is no message, or a cookie is set: %v", b.Jar)
	}
	token := s.AppToken("buyer1")
	member := s.Account("buyer1")
	if err := s.DB.Accounts.SetState(t.Context(), member.CompanyID, member.ID, store.AccountDisabled); err != nil {
		t.Fatal(err)
	}
	r = b.Post(pagestest.AccountSite+"/native/enter", "app_token", token)
	pagestest.WantStatus(t, r, http.StatusUnprocessableEntity)
	if decodeJSON(t, r)["message"] == "" {
		t.Error("there is no message")
	}
}

func TestPageAfterSignOutDoesNotRequestTheAppToken(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).BrowserWithAgent(IosApp)
	page := pagestest.Text(t, b.Get(pagestest.AccountSite+"/login?done=signed_out"))
	if got, ok := bridgeData(t, page); !ok || got.Enter != "" || !strings.Contains(page, "data-mirror-clear") {
		t.Errorf("%+v", got)
	}
	r := b.Post(pagestest.AccountSite+"/login", "phone", "13800000001", "password", "Wrong2026")
	if got, ok := bridgeData(t, pagestest.Text(t, r)); !ok || got.Enter != "" {
		t.Errorf("a form that came back: %+v", got)
	}
}

func TestFailurePagesOfferAppActionsOnlyInTheApp(t *testing.T) {
	s, blocked := pagestest.NewSite(t, pagestest.Options{}), pagestest.NewSite(t, pagestest.Options{})
	shop := func(agent string) *pagestest.Browser {
		b := s.BrowserWithAgent(agent)
		b.SignInAndFollow("13800000001")
		return b
	}
	for agent, want := range map[string]bool{IosApp: true, pagestest.AndroidApp: true, pagestest.DesktopAgent: false} {
		foreign := s.BrowserWithAgent(agent)
		for name, c := range map[string]struct {
			status int
			answer *http.Response
		}{
			"no such page":      {http.StatusNotFound, s.BrowserWithAgent(agent).Get("http://m.portico.test/nowhere")},
			"no such order":     {http.StatusNotFound, shop(agent).Get(shopAddress(agent) + "/orders/1")},
			"a failed redirect": {http.StatusOK, s.BrowserWithAgent(agent).Get(pagestest.AccountSite + "/jumperror")},
			"an expired WeChat": {http.StatusOK,
				s.BrowserWithAgent(agent).Get(pagestest.AccountSite + "/jumperror?reason=wechat_expired")},
			"a foreign form": {http.StatusForbidden,
				foreign.Do(http.MethodPost, pagestest.AccountSite+"/login", nil, "Sec-Fetch-Site", "cross-site")},
			"a wrong method": {http.StatusMethodNotAllowed,
				s.BrowserWithAgent(agent).Do(http.MethodDelete, pagestest.AccountSite+"/login", nil)},
			"a wrong type": {http.StatusUnsupportedMediaType,
				s.BrowserWithAgent(agent).Do(http.MethodPost, pagestest.AccountSite+"/login", nil, "Content-Type",
					"text/xml")},
			"a form of 2 MB": {http.StatusRequestEntityTooLarge,
				s.BrowserWithAgent(agent).Post(pagestest.AccountSite+"/login", "phone", strings.Repeat("1", 2<<20))},
			"cookies are off": {http.StatusForbidden,
				s.BrowserWithAgent(agent).Get(pagestest.AccountSite+"/company", "Sec-Fetch-Site", "same-origin")},
			"a disabled company": {http.StatusUnprocessableEntity, getBlockedPage(blocked.BrowserWithAgent(agent))},
		} {
			page := pagestest.Text(t, c.answer)
			if c.answer.StatusCode != c.status {
				t.Errorf("%s: status %d", name, c.answer.StatusCode)
			}
			wantAppAction(t, agent+": "+name, page, want)
		}
	}
	away := pagestest.NewSite(t, pagestest.Options{}) // has no company in its cache
	if err := away.DB.Close(); err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]bool{IosApp: true, pagestest.AndroidApp: true, pagestest.DesktopAgent: false} {
		r := away.BrowserWithAgent(agent).Get("http://store1001.portico.test/register/more")
		page := pagestest.Text(t, r)
		if r.StatusCode < http.StatusInternalServerError {
			t.Errorf("status %d", r.StatusCode)
		}
		wantAppAction(t, agent+": no database", page, want)
	}
}

// shopAddress returns the address of the shop for a User-Agent.
func shopAddress(agent string) string {
	if agent == pagestest.DesktopAgent {
		return "http://store1001.portico.test/home"
	}
	return "http://m.portico.test/shop"
}

// getBlockedPage signs in to an account of a disabled company and returns the answer.
func getBlockedPage(b *pagestest.Browser) *http.Response {
	return b.SignIn("account.portico.test", "13800000007")
}

// wantAppAction fails the test unless a failure page has the app's buttons (settings, close, copy the request's id)
// exactly when want is true.
func wantAppAction(t *testing.T, what, page string, want bool) {
	t.Helper()
	_, bridge := bridgeData(t, page)
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

func TestSignInPageReportsALostConnectionOnlyInTheApp(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for agent, want := range map[string]bool{IosApp: true, pagestest.DesktopAgent: false} {
		for _, path := range []string{"/", "/login", "/login/account"} {
			page := pagestest.Text(t, s.BrowserWithAgent(agent).Get(pagestest.AccountSite+path))
			if strings.Contains(page, `data-island="offline"`) != want ||
				strings.Contains(page, `data-native="settings"`) != want {
				t.Errorf("%s in %s", path, agent)
			}
		}
	}
}

func TestSignOutOffersToCloseTheApp(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	for agent, want := range map[string]bool{IosApp: true, pagestest.DesktopAgent: false} {
		page := pagestest.Text(t, s.BrowserWithAgent(agent).Get(pagestest.AccountSite+"/login?done=signed_out"))
		if strings.Contains(page, `data-app="close" hidden`) != want {
			t.Errorf("in %s", agent)
		}
	}
	if strings.Contains(pagestest.Text(t, s.BrowserWithAgent(IosApp).Get(pagestest.AccountSite+"/login")),
		`data-app="close"`) {
		t.Error("a person who comes to sign in is offered to close the page")
	}
}

func TestOldAppIsAskedToUpdateWhenConfigured(t *testing.T) {
	for least, old := range map[string]bool{
		"": false, "3.2.1": false, "3.2": false, "3.2.1.0": false, "3.2.1.1": true, "3.10": true, "4": true,
		"2.9.9": false,
	} {
		s := pagestest.NewSite(t, pagestest.Options{AppVersions: map[string]string{"ios": least}})
		for agent, want := range map[string]bool{IosApp: old, pagestest.AndroidApp: false,
			pagestest.DesktopAgent: false} {
			for _, path := range []string{"/login", "/nowhere", "/agreement"} {
				page := pagestest.Text(t, s.BrowserWithAgent(agent).Get(pagestest.AccountSite+path))
				if strings.Contains(page, `data-native="update"`) != want {
					t.Errorf("%s in %s, at least %q", path, agent, least)
				}
			}
		}
	}
}

func TestAppOffersNotificationsUntilAnswered(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.BrowserWithAgent(pagestest.AndroidApp)
	b.SignInAndFollow("13800000001")
	const orders = "http://m.portico.test/shop/orders"
	page := pagestest.WantPage(t, b.Get(orders), http.StatusOK, `data-app="notices" hidden`, `data-native="dismiss"`)
	bridge, _ := bridgeData(t, page)
	if bridge.Notices != "/native/notices/shop" {
		t.Errorf("kept at %q", bridge.Notices)
	}
	if strings.Contains(pagestest.Text(t, b.Get("http://m.portico.test/shop")), "data-app=") {
		t.Error("the first page offers them")
	}
	pagestest.WantStatus(t, s.BrowserWithAgent(pagestest.AndroidApp).Post("http://m.portico.test"+bridge.Notices),
		http.StatusUnauthorized)
	pagestest.WantStatus(t, b.Post("http://m.portico.test"+bridge.Notices, "token", bridge.Token), http.StatusOK)
	if page := pagestest.Text(t, b.Get(orders)); strings.Contains(page, "data-app=") {
		t.Error("notifications are offered again")
	}

	browser := s.Browser()
	browser.SignInAndFollow("13800000001")
	if page := pagestest.Text(t, browser.Get("http://store1001.portico.test/home/orders")); strings.Contains(page,
		"data-app=") {
		t.Error("a browser is offered notifications")
	}
	pagestest.WantStatus(t, browser.Post("http://store1001.portico.test/native/notices/home"), http.StatusNotFound)
}

func TestRefusedAppTokenIsExplained(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).BrowserWithAgent(pagestest.AndroidApp)
	r := b.Post(pagestest.AccountSite+"/native/enter", "app_token", strings.Repeat("t", 43))
	pagestest.WantStatus(t, r, http.StatusUnauthorized)
	if message := decodeJSON(t, r)["message"]; message != "登录已过期，请重新登录。" {
		t.Errorf("message %q", message)
	}
}
