package interaction

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

	"portico/e2e/browser"
	"portico/e2e/program"
	"portico/e2e/steps"
	"portico/e2e/testscope"
)

// appCall is a call from the page to the simulated app.
type appCall struct {
	Page, Call, Answer string
	Args               map[string]any
}

// openApp opens the simulated app of a platform in a new browser.
func openApp(t *testing.T, on string) *browser.Tab {
	t.Helper()
	b := browser.NewScriptedTab(t, browser.Normal, browser.Phone)
	b.Visit("account", "/dev/native?native="+on)
	return b
}

// callsOf returns the calls that the app has received so far, from pages of any host.
func callsOf(b *browser.Tab, name string) (found []appCall) {
	b.T.Helper()
	answer := browser.Eval[struct{ Calls []appCall }](b, `() => fetch("/dev/native.json").then(r => r.json())`)
	for _, c := range answer.Calls {
		if c.Call == name {
			found = append(found, c)
		}
	}
	return found
}

// awaitCall waits for the n-th call with a name and returns its arguments.
func awaitCall(b *browser.Tab, name string, n int) map[string]any {
	b.T.Helper()
	b.Await(fmt.Sprintf("call %d of %s", n, name), `async (name, n) =>
		(await (await fetch("/dev/native.json")).json()).calls
			.filter(c => c.call === name && c.answer !== "").length >= n`, name, n)
	return callsOf(b, name)[n-1].Args
}

// awaitFollowingCalls waits for the calls that the page makes because of the app's last answer. The page makes them
// before later requests of its own, so they have arrived when two such requests, one after the other, have been
// answered.
func awaitFollowingCalls(b *browser.Tab) {
	b.T.Helper()
	browser.Eval[any](b, `async () => {
		for (let i = 0; i < 2; i++) {
			await new Promise(next => setTimeout(next, 50))
			await fetch("/dev/native.json", {cache: "no-store"})
		}
	}`)
}

// setApp changes the state and the behaviour of the app.
func setApp(b *browser.Tab, pairs map[string]string) {
	b.T.Helper()
	fields := map[string]string{
		"action":      "save",
		"api_address": b.Server.URL("api", ""),
		"state":       "online",
		"version":     "3.2.1",
		"mac":         "02:00:5E:10:00:01",
		"manner":      "answers",
	}
	maps.Copy(fields, pairs)
	status := browser.Eval[int](
		b,
		`fields => fetch("/dev/native", {method: "POST", body: new URLSearchParams(fields)}).then(r => r.status)`,
		fields,
	)
	if status != http.StatusOK {
		b.T.Fatalf("the app is changed with %d", status)
	}
}

// callAPI sends a signed call to the API as the app would.
func callAPI(t *testing.T, s *program.Server, method, path string, params url.Values) (status int, data struct {
	Login string `json:"login_"`
	Token string `json:"token_"`
	User  *struct {
		Token string `json:"token_"`
	} `json:"user_"`
}) {
	t.Helper()
	sent := strings.ReplaceAll(params.Encode(), "+", "%20")
	address, body := s.URL("api", path), ""
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
		"X-Timestamp": stamp, "X-Nonce": nonce,
		"X-Token-Type": "APP", "X-App-Source": "ANDROID", "X-Sign": hex.EncodeToString(mac.Sum(nil)),
		"Content-Type": "application/x-www-form-urlencoded",
	} {
		r.Header.Set(name, value)
	}
	client := s.Client()
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

func TestAppGetsEveryPageAndEverySignInAndSignOut(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"ios", "android"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := openApp(t, on)
			text := program.Texts(t, "zh")
			b.Visit("account", "/login")
			bar := awaitCall(b, "setAppBar", 1)
			if bar["title"] != text("login.heading") || bar["back"] != false || bar["color"] != "#20ade5" {
				t.Errorf("the sign-in page's bar is %v", bar)
			}
			b.Press(`a[href="tel:` + program.SupportPhone + `"]`)
			if called := awaitCall(b, "call", 1); called["phone"] != program.SupportPhone {
				t.Errorf("called %v", called)
			}
			b.Follow(`a[href="/forget/phone"]`)
			if bar := awaitCall(b, "setAppBar", 2); bar["title"] != text("forget.heading") || bar["back"] != true {
				t.Errorf("a later page's bar is %v", bar)
			}

			steps.SignIn(b, "13800000001")
			b.WantAt("m", "/shop")
			browser.WantMirror(b, "companyData", "lang", "mShop_user", "accountList")
			saved := awaitCall(b, "saveUserInfo", 1)
			code, _ := saved["auth_code_"].(string)
			delete(saved, "auth_code_")
			if fmt.Sprint(saved) != "map[company_id_:1001 company_name_:金穗粮油 id_:3001 login_:buyer1 name_:王芳 type_:3]" {
				t.Errorf("saved %v", saved)
			}
			if strings.Contains(string(browser.Source(b)), code) {
				t.Error("the page contains the code")
			}
			token := ""
			for i := range 2 { // the response may have been lost
				status, user := callAPI(
					t, b.Server, http.MethodGet, "/v1/account/getLoginUserByAuthCode",
					url.Values{"auth_code_": {code}},
				)
				if status != http.StatusOK || user.Login != "buyer1" || user.Token == "" ||
					i == 1 && user.Token != token {
					t.Errorf("redemption %d: status %d, %+v", i+1, status, user)
				}
				token = user.Token
			}
			b.Follow(`nav a[href="/shop/orders"]`)
			b.Await(
				"the bar of the orders",
				`async title => (await (await fetch("/dev/native.json")).json()).calls
					.some(c => c.call === "setAppBar" && c.args.title === title && c.args.back)`,
				text("shop.orders"),
			)
			b.WantNoSecrets()

			steps.SignOut(b)
			b.WantAt("account", "/login")
			awaitCall(b, "deleteUserInfo", 1)
			if n := len(callsOf(b, "saveUserInfo")); n != 1 {
				t.Errorf("saved %d times", n)
			}
		})
	}
}

func TestTokenOfTheAppSignsItsPersonIn(t *testing.T) {
	t.Parallel()
	b := openApp(t, "android")
	status, signed := callAPI(
		t, b.Server, http.MethodPost, "/v1/account/mixedLogin",
		url.Values{"login_": {"13800000002"}, "password_": {program.Password}},
	)
	if status != http.StatusOK || signed.User == nil {
		t.Fatalf("%d, %+v", status, signed)
	}
	setApp(b, map[string]string{"app_token": signed.User.Token, "api_address": "http://evil.test"})
	b.Visit("account", "/login")
	awaitCall(b, "apiAddress", 1)
	awaitFollowingCalls(b)
	if n := len(callsOf(b, "token")); n != 0 {
		t.Errorf("an app of another platform was asked %d times for its token", n)
	}
	setApp(b, map[string]string{"app_token": signed.User.Token})
	b.Visit("account", "/login")
	b.Await("the back office", `() => location.hostname === "mgr.localhost" && document.readyState === "complete"`)
	b.WantArrived(browser.Arrival{Host: "mgr", Path: "/home", Holder: "陈静", Company: "金穗粮油"})

	steps.SignOut(b)
	b.WantAt("account", "/login")
	awaitCall(b, "deleteUserInfo", 1)
	asked := len(callsOf(b, "token"))
	setApp(b, map[string]string{"app_token": signed.User.Token}) // an app that did not delete its token
	b.Visit("account", "/login")
	awaitCall(b, "setAppBar", 4)
	awaitFollowingCalls(b)
	b.WantAt("account", "/login")
	if n := len(callsOf(b, "token")); n != asked {
		t.Error("a token is asked for after signing out")
	}
}

// The page accepts no answer and no call from a frame of another origin. It gives no code to an app that names another
// API.
func TestPageIgnoresMessagesThatAreNotFromTheApp(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := openApp(t, "android")
	b.Must(proto.PageSetBypassCSP{Enabled: true}.Call(b)) // the policy would block the frame
	setApp(b, map[string]string{"manner": "silent", "app_token": strings.Repeat("t", 43)})
	b.Visit("account", "/login")
	b.Await(
		"the call apiAddress",
		`async () => (await (await fetch("/dev/native.json")).json()).calls.some(c => c.call === "apiAddress")`,
	)
	origin := browser.Eval[string](b, `async result => {
		const asked = (await (await fetch("/dev/native.json")).json()).calls.map(c => c.id)
		const forged = asked.flatMap(id => [{v: 1, id, ok: true, result},
			{v: 1, id, call: "action", args: {number: 999}}])
		const frame = document.createElement("iframe")
		frame.sandbox = "allow-scripts"
		frame.srcdoc = "<script>for (const lie of " + JSON.stringify(forged) + ")" +
			" for (const text of [lie, JSON.stringify(lie)]) parent.postMessage(text, '*');" +
			"parent.postMessage('over', '*')</" + "script>"
		return await new Promise(heard => {
			addEventListener("message", e => e.data === "over" && heard(e.origin))
			document.body.append(frame)
		})
	}`, b.Server.URL("api", ""))
	if origin != "null" {
		t.Fatalf("the frame is of origin %q", origin)
	}
	awaitFollowingCalls(b)
	if got := append(callsOf(b, "token"), callsOf(b, "action")...); len(got) != 1 ||
		got[0].Args["number"] != 1.0 {
		t.Errorf("the page accepted a message from a frame: %+v", got)
	}

	setApp(b, map[string]string{"api_address": "http://evil.test"})
	steps.SignIn(b, "13800000001")
	b.WantAt("m", "/shop")
	b.Await(
		"the call apiAddress",
		`async () => (await (await fetch("/dev/native.json")).json()).calls
			.some(c => c.call === "apiAddress" && c.page === location.host + "/shop" && c.answer)`,
	)
	awaitFollowingCalls(b)
	if callsOf := callsOf(b, "saveUserInfo"); len(callsOf) != 0 {
		t.Errorf("another platform's app gets %v", callsOf)
	}
}

// awaitShown waits until an element is visible.
func awaitShown(b *browser.Tab, selector string, shown bool) {
	b.T.Helper()
	b.Await(fmt.Sprintf("%s shown: %v", selector, shown), `(selector, shown) => {
		const found = document.querySelector(selector)
		return (!!found && found.checkVisibility() && found.getBoundingClientRect().left >= 0) === shown
	}`, selector, shown)
}

// awaitAction waits until the app has received an action.
func awaitAction(b *browser.Tab, number int) {
	b.T.Helper()
	b.Await(fmt.Sprintf("action %d", number), `async number => (await (await fetch("/dev/native.json")).json()).calls
		.some(c => c.call === "action" && c.args.number === number)`, number)
}

func TestErrorPagesInTheAppShowItsButtonsAndTheRequestID(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	for _, on := range []string{"ios", "android"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := openApp(t, on)
			for i, path := range []string{"/nowhere", "/jumperror"} {
				b.Visit("account", path)
				awaitShown(b, `main button[data-native=settings]`, true)
				awaitShown(b, `main [data-about]`, true)
				line := browser.Eval[string](b, `() => document.querySelector("[data-about]").textContent`)
				request := browser.Eval[string](b, `() => document.querySelector("[data-about]").dataset.about`)
				if request == "" || line != request+" · 3.2.1 · online · 02:00:5E:10:00:01" {
					t.Errorf("%s names %q, the request is %q", path, line, request)
				}
				b.Press(`main button[data-native=settings]`)
				awaitCall(b, "openIPSettings", i+1)
			}
			b.Press(`main button[data-native=close]`)
			awaitAction(b, 2)
		})
	}
}

func TestSignInPageOpensTheNetworkSettingsOfTheApp(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := openApp(t, "ios")
	b.Visit("account", "/login")
	awaitAction(b, 1)
	b.Await("an app that answers", `() => "app" in document.documentElement.dataset`)
	b.ExpectBlocked(b.Server.URL("account", "/robots.txt"), false)
	awaitShown(b, `[data-island=offline] button`, false)
	browser.SetConnected(b, false)
	awaitShown(b, `[data-island=offline] button`, true)
	browser.SetConnected(b, true)
	awaitShown(b, `[data-island=offline] button`, false)
}

func TestPagesSendTheActionNumbersToTheApp(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	for on, isOld := range map[string]bool{"ios": true, "android": false} { // as PORTICO_APP_VERSION says
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			b := openApp(t, on)
			steps.SignIn(b, "13800000001")
			b.WantAt("m", "/shop")
			b.Visit("m", "/shop/orders")
			awaitShown(b, `[data-app=notices]`, true)
			awaitShown(b, `button[data-native=update]`, isOld)
			if isOld {
				b.Press(`button[data-native=update]`)
				awaitAction(b, 3)
			}
			b.Press(`button[data-native=notices]`)
			awaitAction(b, 4)
			b.Await("the answer of the server",
				`() => performance.getEntriesByType("resource").some(e => e.name.endsWith("/native/notices/shop"))`)
			b.Visit("m", "/shop/orders")
			awaitAction(b, 1)
			b.WantNoText(program.Texts(t, "zh")("native.notices_on"))
			steps.SignOut(b)
			b.WantAt("account", "/login")
			awaitShown(b, `[data-app=close]`, true)
			b.Press(`[data-app=close] button`)
			awaitAction(b, 2)
		})
	}
}

func TestPageExplainsAnExpiredToken(t *testing.T) {
	t.Parallel()
	testscope.OnlyInAll(t, "another flow of the same kind runs in make test")
	b := openApp(t, "android")
	setApp(b, map[string]string{"app_token": strings.Repeat("t", 43)})
	b.Visit("account", "/login")
	b.Await("the reason", `said => document.querySelector("[data-island=bridge] [role=status]").textContent === said`,
		program.Texts(t, "zh")("native.ended"))
}
