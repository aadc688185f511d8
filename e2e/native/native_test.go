package e2e

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// appCall is a call of the page as the played app kept it.
type appCall struct {
	Page, Call, Answer string
	Args               map[string]any
}

// inApp opens the app of a variant around an empty browser.
func inApp(t *testing.T, on string) *tab {
	t.Helper()
	b := scriptedTab(t, normal, phone)
	b.visit("account", "/dev/native?native="+on)
	return b
}

// calls are those that the app has heard so far, from pages of any host.
func (b *tab) calls(name string) (calls []appCall) {
	b.t.Helper()
	for _, c := range ask[struct{ Calls []appCall }](b, `() => fetch("/dev/native.json").then(r => r.json())`).Calls {
		if c.Call == name {
			calls = append(calls, c)
		}
	}
	return calls
}

// awaitCall waits for the n-th call of a name and gives its arguments.
func (b *tab) awaitCall(name string, n int) map[string]any {
	b.t.Helper()
	b.await(fmt.Sprintf("call %d of %s", n, name), `async (name, n) =>
		(await (await fetch("/dev/native.json")).json()).calls.filter(c => c.call === name && c.answer !== "").length >= n`, name, n)
	return b.calls(name)[n-1].Args
}

// letCallsArrive waits for the calls that the page makes because of what the app has just answered. The page makes them
// before it sends later requests of its own, so they have arrived when two of those, one after the other, are answered.
func (b *tab) letCallsArrive() {
	b.t.Helper()
	ask[any](b, `async () => {
		for (let i = 0; i < 2; i++) {
			await new Promise(next => setTimeout(next, 50))
			await fetch("/dev/native.json", {cache: "no-store"})
		}
	}`)
}

// appHas changes what the app has and does.
func (b *tab) appHas(pairs map[string]string) {
	b.t.Helper()
	fields := map[string]string{"action": "save", "api_address": b.site.at("api", ""), "state": "online", "version": "3.2.1", "mac": "02:00:5E:10:00:01", "manner": "answers"}
	maps.Copy(fields, pairs)
	status := ask[int](b, `fields => fetch("/dev/native", {method: "POST", body: new URLSearchParams(fields)}).then(r => r.status)`, fields)
	if status != http.StatusOK {
		b.t.Fatalf("the app is changed with %d", status)
	}
}

// api calls the API as the app would.
func (s *site) api(t *testing.T, method, path string, params url.Values) (status int, data struct {
	Login string `json:"login_"`
	Token string `json:"token_"`
	User  *struct {
		Token string `json:"token_"`
	} `json:"user_"`
}) {
	t.Helper()
	sent := strings.ReplaceAll(params.Encode(), "+", "%20")
	address, body := s.at("api", path), ""
	if method == http.MethodGet {
		address += "?" + sent
	} else {
		body = sent
	}
	now := time.Now().UnixMilli()
	stamp, nonce := fmt.Sprint(now), fmt.Sprint(now)+rand.Text()
	mac := hmac.New(sha256.New, []byte("portico-dev-sign-secret"))
	_, _ = io.WriteString(mac, "\n"+stamp+"\n"+nonce+"\n"+sent)
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"X-Timestamp": stamp, "X-Nonce": nonce, "X-Token-Type": "APP", "X-App-Source": "ANDROID", "X-Sign": hex.EncodeToString(mac.Sum(nil)),
		"Content-Type": "application/x-www-form-urlencoded",
	} {
		r.Header.Set(name, value)
	}
	client := s.client()
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	envelope := struct{ Data any }{&data}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, data
}

func TestTheAppIsToldOfEveryPageAndWhoSignsInAndOut(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"ios", "android"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := inApp(t, on)
			text := texts(t, "zh")
			b.visit("account", "/login")
			bar := b.awaitCall("setAppBar", 1)
			if bar["title"] != text("login.heading") || bar["back"] != false || bar["color"] != "#20ade5" {
				t.Errorf("the sign-in page's bar is %v", bar)
			}
			b.press(`a[href="tel:` + supportPhone + `"]`)
			if called := b.awaitCall("call", 1); called["phone"] != supportPhone {
				t.Errorf("called %v", called)
			}
			b.follow(`a[href="/forget/phone"]`)
			if bar := b.awaitCall("setAppBar", 2); bar["title"] != text("forget.heading") || bar["back"] != true {
				t.Errorf("a later page's bar is %v", bar)
			}

			b.signIn("13800000001")
			b.wantAt("m", "/shop")
			b.wantMirror("companyData", "lang", "mShop_user", "accountList")
			saved := b.awaitCall("saveUserInfo", 1)
			code, _ := saved["auth_code_"].(string)
			delete(saved, "auth_code_")
			if fmt.Sprint(saved) != "map[company_id_:1001 company_name_:金穗粮油 id_:3001 login_:buyer1 name_:王芳 type_:3]" {
				t.Errorf("saved %v", saved)
			}
			if strings.Contains(string(b.source()), code) {
				t.Error("the page holds the code")
			}
			token := ""
			for i := range 2 { // the first answer may have been lost
				status, user := b.site.api(t, http.MethodGet, "/v1/account/getLoginUserByAuthCode", url.Values{"auth_code_": {code}})
				if status != http.StatusOK || user.Login != "buyer1" || user.Token == "" || i == 1 && user.Token != token {
					t.Errorf("redemption %d: status %d, %+v", i+1, status, user)
				}
				token = user.Token
			}
			b.follow(`nav a[href="/shop/orders"]`)
			b.await("the bar of the orders", `async title => (await (await fetch("/dev/native.json")).json()).calls.some(c => c.call === "setAppBar" && c.args.title === title && c.args.back)`, text("shop.orders"))
			b.wantNoSecrets()

			b.follow(signOutButton)
			b.wantAt("account", "/login")
			b.awaitCall("deleteUserInfo", 1)
			if n := len(b.calls("saveUserInfo")); n != 1 {
				t.Errorf("saved %d times", n)
			}
		})
	}
}

func TestTheAppsOwnTokenBringsItsPersonBack(t *testing.T) {
	t.Parallel()
	b := inApp(t, "android")
	status, signed := b.site.api(t, http.MethodPost, "/v1/account/mixedLogin", url.Values{"login_": {"13800000002"}, "password_": {password}})
	if status != http.StatusOK || signed.User == nil {
		t.Fatalf("%d, %+v", status, signed)
	}
	b.appHas(map[string]string{"app_token": signed.User.Token, "api_address": "http://evil.test"})
	b.visit("account", "/login")
	b.awaitCall("apiAddress", 1)
	b.letCallsArrive()
	if n := len(b.calls("token")); n != 0 {
		t.Errorf("an app of another platform was asked %d times for its token", n)
	}
	b.appHas(map[string]string{"app_token": signed.User.Token})
	b.visit("account", "/login")
	b.await("the back office", `() => location.hostname === "mgr.localhost" && document.readyState === "complete"`)
	b.wantArrived(arrival{"mgr", "/home", "陈静", "金穗粮油"})

	b.follow(signOutButton)
	b.wantAt("account", "/login")
	b.awaitCall("deleteUserInfo", 1)
	asked := len(b.calls("token"))
	b.appHas(map[string]string{"app_token": signed.User.Token}) // an app that has forgotten to forget
	b.visit("account", "/login")
	b.awaitCall("setAppBar", 4)
	b.letCallsArrive()
	b.wantAt("account", "/login")
	if n := len(b.calls("token")); n != asked {
		t.Error("a token is asked for after signing out")
	}
}

// What a frame of another origin says is no answer of the app, and asks nothing of it; an app that names an API which is not
// ours gets no code.
func TestThePageBelievesNobodyButTheApp(t *testing.T) {
	t.Parallel()
	b := inApp(t, "android")
	b.must(proto.PageSetBypassCSP{Enabled: true}.Call(b)) // or there would be no frame at all
	b.appHas(map[string]string{"manner": "silent", "app_token": strings.Repeat("t", 43)})
	b.visit("account", "/login")
	b.await("the page's question", `async () => (await (await fetch("/dev/native.json")).json()).calls.some(c => c.call === "apiAddress")`)
	origin := ask[string](b, `async result => {
		const asked = (await (await fetch("/dev/native.json")).json()).calls.map(c => c.id)
		const lies = asked.flatMap(id => [{v: 1, id, ok: true, result}, {v: 1, id, call: "action", args: {number: 999}}])
		const frame = document.createElement("iframe")
		frame.sandbox = "allow-scripts"
		frame.srcdoc = "<script>for (const lie of " + JSON.stringify(lies) + ") for (const text of [lie, JSON.stringify(lie)]) parent.postMessage(text, '*');" +
			"parent.postMessage('over', '*')</" + "script>"
		return await new Promise(heard => {
			addEventListener("message", e => e.data === "over" && heard(e.origin))
			document.body.append(frame)
		})
	}`, b.site.at("api", ""))
	if origin != "null" {
		t.Fatalf("the frame is of origin %q", origin)
	}
	b.letCallsArrive()
	if calls := append(b.calls("token"), b.calls("action")...); len(calls) != 1 || calls[0].Args["number"] != 1.0 {
		t.Errorf("a frame was believed: %+v", calls)
	}

	b.appHas(map[string]string{"api_address": "http://evil.test"})
	b.signIn("13800000001")
	b.wantAt("m", "/shop")
	b.await("the page's question", `async () => (await (await fetch("/dev/native.json")).json()).calls.some(c => c.call === "apiAddress" && c.page === location.host + "/shop" && c.answer)`)
	b.letCallsArrive()
	if calls := b.calls("saveUserInfo"); len(calls) != 0 {
		t.Errorf("another platform's app gets %v", calls)
	}
}

// awaitShown waits until an element of the page is shown.
func (b *tab) awaitShown(selector string, shown bool) {
	b.t.Helper()
	b.await(fmt.Sprintf("%s shown: %v", selector, shown), `(selector, shown) => {
		const found = document.querySelector(selector)
		return (!!found && found.checkVisibility() && found.getBoundingClientRect().left >= 0) === shown
	}`, selector, shown)
}

// awaitAction waits until the app has heard an action.
func (b *tab) awaitAction(number int) {
	b.t.Helper()
	b.await(fmt.Sprintf("action %d", number), `async number => (await (await fetch("/dev/native.json")).json()).calls
		.some(c => c.call === "action" && c.args.number === number)`, number)
}

func TestPagesOfFailureOfferTheAppsMeansAndNameTheRequest(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"ios", "android"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := inApp(t, on)
			for i, path := range []string{"/nowhere", "/jumperror"} {
				b.visit("account", path)
				b.awaitShown(`main button[data-native=settings]`, true)
				b.awaitShown(`main [data-about]`, true)
				line := ask[string](b, `() => document.querySelector("[data-about]").textContent`)
				request := ask[string](b, `() => document.querySelector("[data-about]").dataset.about`)
				if request == "" || line != request+" · 3.2.1 · online · 02:00:5E:10:00:01" {
					t.Errorf("%s names %q, the request is %q", path, line, request)
				}
				b.press(`main button[data-native=settings]`)
				b.awaitCall("openIPSettings", i+1)
			}
			b.press(`main button[data-native=close]`)
			b.awaitAction(2)
		})
	}
}

func TestTheSignInPageLeadsToTheNetworkSettingsOfTheApp(t *testing.T) {
	t.Parallel()
	b := inApp(t, "ios")
	b.visit("account", "/login")
	b.awaitAction(1)
	b.await("an app that answers", `() => "app" in document.documentElement.dataset`)
	b.expectBlocked(b.site.at("account", "/robots.txt"), false)
	b.awaitShown(`[data-island=offline] button`, false)
	b.connected(false)
	b.awaitShown(`[data-island=offline] button`, true)
	b.connected(true)
	b.awaitShown(`[data-island=offline] button`, false)
}

func TestPagesSendTheNumbersOfTheAppsActions(t *testing.T) {
	t.Parallel()
	for on, isOld := range map[string]bool{"ios": true, "android": false} { // as PORTICO_APP_VERSION says
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := inApp(t, on)
			b.signIn("13800000001")
			b.wantAt("m", "/shop")
			b.visit("m", "/shop/orders")
			b.awaitShown(`[data-app=notices]`, true)
			b.awaitShown(`button[data-native=update]`, isOld)
			if isOld {
				b.press(`button[data-native=update]`)
				b.awaitAction(3)
			}
			b.press(`button[data-native=notices]`)
			b.awaitAction(4)
			b.await("the answer of the server",
				`() => performance.getEntriesByType("resource").some(e => e.name.endsWith("/native/notices/shop"))`)
			b.visit("m", "/shop/orders")
			b.awaitAction(1)
			b.wantNoText(texts(t, "zh")("native.notices_on"))
			b.follow(signOutButton)
			b.wantAt("account", "/login")
			b.awaitShown(`[data-app=close]`, true)
			b.press(`[data-app=close] button`)
			b.awaitAction(2)
		})
	}
}

func TestATokenThatEndedIsExplainedOnThePage(t *testing.T) {
	t.Parallel()
	b := inApp(t, "android")
	b.appHas(map[string]string{"app_token": strings.Repeat("t", 43)})
	b.visit("account", "/login")
	b.await("the reason", `said => document.querySelector("[data-island=bridge] [role=status]").textContent === said`,
		texts(t, "zh")("native.ended"))
}
