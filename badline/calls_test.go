package badline_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/badline"
	"portico/store"
)

// caller is a program that makes signed calls through a proxy of its own.
type caller struct {
	t      testing.TB
	proxy  *badline.Proxy
	client *http.Client
	base   string
}

// signed is a call with its signature. Sending it again sends the same bytes.
type signed struct {
	method, url, contentType string
	body                     []byte
	header                   http.Header
}

// envelope is every answer.
type envelope struct {
	Status int             `json:"status"`
	Code   string          `json:"code"`
	Data   json.RawMessage `json:"data"`
	text   string
}

func newCaller(t testing.TB, s *site) *caller {
	t.Helper()
	proxy, err := badline.Start("127.0.0.1:" + s.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	dialer := &net.Dialer{}
	return &caller{t: t, proxy: proxy, base: s.at("api", ""), client: &http.Client{
		Timeout: patience,
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, proxy.Address())
			}},
	}}
}

// sign signs a call as docs/api.md says. Parameters are pairs; asJSON sends them as a JSON object.
func (c *caller) sign(method, path, token, key string, asJSON bool, params []string) signed {
	now := time.Now().UnixMilli()
	stamp, nonce := strconv.FormatInt(now, 10), strconv.FormatInt(now, 10)+strconv.Itoa(rand.IntN(10_000))
	values := url.Values{}
	object := map[string]any{}
	for i := 0; i+1 < len(params); i += 2 {
		values.Add(params[i], params[i+1])
		object[params[i]] = params[i+1]
	}
	s := signed{method: method, url: c.base + path, header: http.Header{}}
	if asJSON {
		s.body, _ = json.Marshal(object)
		s.contentType = "application/json"
		sum := sha256.Sum256(s.body)
		values = url.Values{"body": {hex.EncodeToString(sum[:])}}
	}
	var parts []string
	for name, all := range values {
		for _, value := range all {
			parts = append(parts, name+"\x00"+value)
		}
	}
	slices.Sort(parts)
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "\x00")
		parts[i] = escaped(name) + "=" + escaped(value)
	}
	text := strings.Join(parts, "&")
	switch {
	case asJSON:
	case method == http.MethodGet:
		s.url += "?" + text
	default:
		s.contentType, s.body = "application/x-www-form-urlencoded", []byte(text)
	}
	mac := hmac.New(sha256.New, []byte(signSecret))
	mac.Write([]byte(strings.Join([]string{token, stamp, nonce, text}, "\n")))
	for name, value := range map[string]string{
		"X-Token": token, "X-Timestamp": stamp, "X-Nonce": nonce, "X-Token-Type": "APP", "X-App-Source": "IOS",
		"Accept-Language": "en",
		"X-Sign":          hex.EncodeToString(mac.Sum(nil)), "Content-Type": s.contentType, "Idempotency-Key": key,
	} {
		if value != "" {
			s.header.Set(name, value)
		}
	}
	return s
}

func escaped(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(s), "+", "%20"), "%7E", "~")
}

// send makes a call; an error means that the connection failed.
func (c *caller) send(s signed) (envelope, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), s.method, s.url, bytes.NewReader(s.body))
	if err != nil {
		return envelope{}, err
	}
	r.Header = s.header.Clone()
	answer, err := c.client.Do(r)
	if err != nil {
		return envelope{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return envelope{}, err
	}
	e := envelope{text: fmt.Sprintf("HTTP %d %s", answer.StatusCode, body)}
	return e, json.Unmarshal(body, &e)
}

// do makes a call without a fault; it ends the test unless the answer is ok.
func (c *caller) do(method, path, token string, params ...string) envelope {
	c.t.Helper()
	e, err := c.send(c.sign(method, path, token, "", false, params))
	if err != nil || e.Code != "ok" {
		c.t.Fatalf("%s: %v %s", path, err, e.text)
	}
	return e
}

// read returns a value of an answer, by the names that lead to it.
func (e envelope) read(names ...string) string {
	var at any
	_ = json.Unmarshal(e.Data, &at)
	for _, name := range names {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	if n, ok := at.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	text, _ := at.(string)
	return text
}

// callScene is one test of a call: its people and the call's parameters.
type callScene struct {
	t      *testing.T
	s      *site
	api    *caller
	h      house
	token  string
	params []string
	asJSON bool
	effect func() int // how often the operation was done
	last   envelope   // the answer of the last attempt
}

// callRow is a call that changes something.
type callRow struct {
	method, path string
	make         func(*callScene)
	creates      bool   // it accepts an Idempotency-Key
	or           string // another correct answer to a repetition
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// sentAlready is the answer to a second request for a code within a minute: the first code was sent and is valid.
const sentAlready = "code_already_sent"

var callRows = []callRow{
	{get, "/v1/account/registCode", func(x *callScene) { x.code(newPhone()) }, false, sentAlready},
	{get, "/v1/base/experience/experienceCode", func(x *callScene) { x.code(newPhone()) }, false, sentAlready},
	{get, "/v1/account/bindPhoneCode", callBindCode, false, sentAlready},
	{get, "/v1/account/unbindPhoneCode", callUnbindCode, false, sentAlready},
	{get, "/v1/account/shopRegisterCode", callInvitedCode, false, sentAlready},
	{get, "/v1/account/resetCode", func(x *callScene) { x.code(x.house().buyer.phone) }, false, sentAlready},
	{get, "/v1/shopRegister/noAuth/registerCode", callApplicantCode, false, sentAlready},
	{post, "/v1/account/createCompany", callCreateCompany, true, ""},
	{post, "/v1/account/updateAndImportTrade", callInitialise, true, ""},
	{post, "/v1/account/experienceRegister", callTry, true, ""},
	{post, "/v1/account/getExperienceUser", callRole, true, ""},
	{post, "/v1/account/shopCompleteRegister", callComplete, true, ""},
	{post, "/v1/shopRegister/noAuth/save", callSave, true, ""},
	{post, "/v1/shopRegister/noAuth/checkCode", callCheckCode, false, ""},
	{post, "/v1/account/mixedLogin", callLogin, false, ""},
	{post, "/api/v1/company/wechat/account/login", callLoginAs, false, ""},
	{get, "/openapi/v1/auth/getAuthCode", callAuthCode, false, ""},
	{get, "/v1/account/getLoginUserByAuthCode", callRedeem, false, ""},
	{post, "/v1/account/setDefaultCompany", callDefault, false, ""},
	{post, "/v1/account/bindPhone", callBind, false, ""},
	{post, "/v1/account/setBindPhonePassword", callBindPassword, false, ""},
	{post, "/v1/account/unbindPhone", callUnbind, false, ""},
	{post, "/v1/account/resetPhonePassword", callReset, false, ""},
	{post, "/v1/account/modifyPwd", callModify, false, ""},
	{post, "/v1/account/bindJpushId", callPush, false, ""},
	{post, "/v1/account/noAuth/markDoNotRemindBindPhone/{id}", callNoReminder, false, ""},
	{get, "/v1/common/upload/getUploadToken", callUploadToken, false, ""},
}

// callsElsewhere change something and need a chat app's one-time code, which the app issues once: e2e tests them.
var callsElsewhere = []string{
	"/api/v1/company/wechat/noAuth/getAppAuthenticationParams", "/api/v1/company/wechat/noAuth/authorization",
	"/v1/account/bindOpenIdForLogin", "/v1/account/openIdLogin", "/v1/setting/weChatSetting/noAuth/getWeChatUserInfo",
}

func TestEveryCallWithAnEffectIsTriedOverABadLine(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../api/calls.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, call := range regexp.MustCompile(`\{(?:get|post), "([^"]+)", ([^,]*)`).FindAllStringSubmatch(string(table),
		-1) {
		if !strings.Contains(call[2], "effect") {
			continue
		}
		found++
		tried := slices.ContainsFunc(callRows, func(row callRow) bool { return row.path == call[1] })
		if !tried && !slices.Contains(callsElsewhere, call[1]) {
			t.Errorf("%s has an effect and is not tried", call[1])
		}
	}
	if found < len(callRows) {
		t.Errorf("only %d calls with an effect are found", found)
	}
}

func TestEveryCallHasOneEffectOverABadLine(t *testing.T) {
	t.Parallel()
	for _, row := range callRows {
		t.Run(row.path[strings.LastIndex(strings.TrimSuffix(row.path, "/{id}"), "/")+1:], func(t *testing.T) {
			t.Parallel()
			row.run(t, "no fault",
				func(x *callScene, once func() signed) envelope { return x.must(x.api.send(once())) })
			row.run(t, "response lost, signed again", func(x *callScene, once func() signed) envelope {
				x.lose(once())
				return x.must(x.api.send(once()))
			})
			row.run(t, "twice at once", func(x *callScene, once func() signed) envelope {
				var both sync.WaitGroup
				answers := make([]envelope, 2)
				for i, s := range []signed{once(), once()} {
					both.Go(func() { answers[i], _ = x.api.send(s) })
				}
				both.Wait()
				for _, e := range answers {
					row.wantOK(x, e)
				}
				return answers[1]
			})
			for _, ms := range []int{2, 30, 90} {
				row.run(t, fmt.Sprint("cut after ", ms, " ms"), func(x *callScene, once func() signed) envelope {
					x.api.proxy.Add(badline.Rule{Fault: badline.CutAfter, After: time.Duration(ms) * time.Millisecond})
					_, _ = x.api.send(once())
					return x.must(x.api.send(once()))
				})
			}
			if !row.creates {
				return
			}
			row.run(t, "answer lost, same key", func(x *callScene, _ func() signed) envelope {
				key := fmt.Sprint("key", numbers.Add(1))
				x.lose(x.sign(row, key))
				return x.must(x.api.send(x.sign(row, key)))
			})
			row.run(t, "answer lost, same bytes with a key", func(x *callScene, _ func() signed) envelope {
				s := x.sign(row, fmt.Sprint("key", numbers.Add(1)))
				x.lose(s)
				return x.must(x.api.send(s))
			})
		})
	}
}

// run makes a call with a fault, in a new scene.
func (row callRow) run(t *testing.T, name string, play func(*callScene, func() signed) envelope) {
	t.Run(name, func(t *testing.T) {
		x := &callScene{t: t, s: forms, api: newCaller(t, forms)}
		row.make(x)
		x.last = play(x, func() signed { return x.sign(row, "") })
		row.wantOK(x, x.last)
		if n := x.effect(); n != 1 {
			t.Errorf("%d effects, want 1", n)
		}
	})
}

// wantOK checks that an answer is a success.
func (row callRow) wantOK(x *callScene, e envelope) {
	x.t.Helper()
	if e.Code != "ok" && (row.or == "" || e.Code != row.or) {
		x.t.Errorf("the answer is %q: %s", e.Code, e.text)
	}
}

func (x *callScene) must(e envelope, err error) envelope {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err, e.text)
	}
	return e
}

// lose makes a call whose response is lost.
func (x *callScene) lose(s signed) {
	x.t.Helper()
	x.api.proxy.Add(badline.Rule{Fault: badline.LoseAnswer})
	if e, err := x.api.send(s); err == nil {
		x.t.Fatal("the line did not fail: " + e.text)
	}
}

func (x *callScene) sign(row callRow, key string) signed {
	params, path := x.params, row.path
	if strings.HasSuffix(path, "/{id}") {
		path = strings.TrimSuffix(path, "{id}") + params[1]
	}
	return x.api.sign(row.method, path, x.token, key, x.asJSON, params)
}

func (x *callScene) house() house {
	x.t.Helper()
	x.h = x.s.newHouse(x.t)
	return x.h
}

// login signs a person in with the API.
func (x *callScene) login(p person) envelope {
	x.t.Helper()
	who := p.phone
	if who == "" {
		who = p.login
	}
	return x.api.do(post, "/v1/account/mixedLogin", "", "login_", who, "password_", password)
}

// code sets the parameters of a call that asks for a code. Its effect is the message.
func (x *callScene) code(phone string, more ...string) {
	x.params = append([]string{"phone_", phone}, more...)
	x.effect = func() int { return len(x.s.inbox(x.t, phone)) }
}

// codeBy asks for a code with a call without a fault, and returns the code.
func (x *callScene) codeBy(path, token, phone string, more ...string) string {
	x.t.Helper()
	x.api.do(get, path, token, append([]string{"phone_", phone}, more...)...)
	return x.s.code(x.t, phone)
}

func (x *callScene) counting(query string, args ...any) {
	x.effect = func() int { return x.s.count(x.t, query, args...) }
}

func (x *callScene) noticing(phone string) {
	x.effect = func() int {
		n := 0
		for _, m := range x.s.inbox(x.t, phone) {
			if m.Code == "" {
				n++
			}
		}
		return n
	}
}

func callBindCode(x *callScene) {
	who := x.house().add(x.t, store.TypeShop, "")
	x.code(newPhone())
	x.token = x.login(who).read("user_", "token_")
}

func callUnbindCode(x *callScene) {
	who := x.house().buyer
	x.code(who.phone)
	x.params, x.token = nil, x.login(who).read("user_", "token_")
}

// invited opens an account for a phone, which its holder has to set up.
func (x *callScene) invited() (phone, company string) {
	x.t.Helper()
	h, phone := x.house(), newPhone()
	who := h.add(x.t, store.TypeShop, phone)
	x.s.change(x.t, "UPDATE accounts SET invited = 1, invited_at = created_at, password_hash = '' WHERE id = ?",
		who.accountID)
	x.s.change(x.t, "UPDATE phones SET password_hash = '' WHERE phone = ?", phone)
	return phone, strconv.FormatInt(h.id, 10)
}

func callInvitedCode(x *callScene) {
	phone, company := x.invited()
	x.code(phone, "company_id_", company)
}

func callApplicantCode(x *callScene) {
	x.code(newPhone(), "company_id_", strconv.FormatInt(x.house().id, 10))
}

func callCreateCompany(x *callScene) {
	phone := newPhone()
	code := x.codeBy("/v1/account/registCode", "", phone)
	x.params = []string{
		"phone_", phone, "code_", code, "password_", newPassword, "name_", "Ana", "company_name_", "Company " + phone,
		"agree_", "1",
	}
	x.counting("SELECT COUNT(*) FROM companies WHERE name = ?", "Company "+phone)
}

func callInitialise(x *callScene) {
	callCreateCompany(x)
	user := x.api.do(post, "/v1/account/createCompany", "", x.params...)
	x.token, x.params = user.read("token_"), []string{"industry_id_", "118", "import_", "1"}
	x.counting(`SELECT CASE COUNT(*) WHEN 0 THEN 0 ELSE 1 + COUNT(*) - COUNT(DISTINCT sample) END FROM products
		WHERE company_id = ?`, user.read("company_id_"))
}

func callTry(x *callScene) {
	phone := newPhone()
	x.params = []string{"phone_", phone, "code_", x.codeBy("/v1/base/experience/experienceCode", "", phone),
		"industry_id_", "118"}
	x.counting("SELECT COUNT(*) FROM sandboxes b JOIN phones p ON p.id = b.phone_id WHERE p.phone = ?", phone)
}

func callRole(x *callScene) {
	callTry(x)
	opened := x.api.do(post, "/v1/account/experienceRegister", "", x.params...)
	x.token, x.params = opened.read("ticket_"), []string{"role_", "shop", "industry_id_", "118", "import_", "1"}
	x.counting(`SELECT CASE COUNT(*) WHEN 0 THEN 0 ELSE 1 + COUNT(*) - COUNT(DISTINCT sample) END FROM products
		WHERE company_id = ?`, opened.read("company_id_"))
}

func callComplete(x *callScene) {
	phone, company := x.invited()
	code := x.codeBy("/v1/account/shopRegisterCode", "", phone, "company_id_", company)
	x.params = []string{
		"phone_", phone, "code_", code, "company_id_", company, "name_", "Bo", "password_", newPassword,
		"confirm_password_", newPassword,
	}
	x.counting("SELECT COUNT(*) FROM audit_events WHERE kind = 'account_set_up' AND company_id = ?", x.h.id)
}

func callCheckCode(x *callScene) {
	phone, company := newPhone(), strconv.FormatInt(x.house().id, 10)
	x.params = []string{"company_id_", company, "phone_", phone}
	x.params = append(x.params, "code_", x.codeBy("/v1/shopRegister/noAuth/registerCode", "", phone, "company_id_",
		company))
	x.effect = func() int { // the ticket is good for an application
		x.must(x.api.send(x.api.sign(post, "/v1/shopRegister/noAuth/save", "", "", true,
			applicationWith(company, x.last.read("ticket_")))))
		return x.s.count(x.t, "SELECT COUNT(*) FROM applications WHERE company_id = ?", x.h.id)
	}
}

func applicationWith(company, ticket string) []string {
	return []string{"company_id_", company, "ticket_", ticket, "company_name_", "Corner shop", "contact_name_", "Wang",
		"address_", "1 Main Street"}
}

func callSave(x *callScene) {
	callCheckCode(x)
	ticket := x.api.do(post, "/v1/shopRegister/noAuth/checkCode", "", x.params...).read("ticket_")
	x.asJSON, x.params = true, applicationWith(x.params[1], ticket)
	x.counting("SELECT COUNT(*) FROM applications WHERE company_id = ?", x.h.id)
}

func callLogin(x *callScene) {
	x.params = []string{"login_", x.house().buyer.phone, "password_", password}
	x.effect = func() int { return 1 } // each token is a sign-in of its own
}

func callLoginAs(x *callScene) {
	who := x.house().buyer
	x.s.newHouse(x.t).add(x.t, store.TypeShop, who.phone)
	x.token, x.params = x.login(who).read("ticket_"), []string{"account_id_", strconv.FormatInt(who.accountID, 10)}
	x.effect = func() int { return 1 }
}

func callAuthCode(x *callScene) {
	who := x.house().buyer
	x.token, x.params = x.login(who).read("ticket_"), []string{"account_id_", strconv.FormatInt(who.accountID, 10),
		"target_", "mShop"}
	x.effect = func() int { return 1 } // each code is a new one and can be used once
}

func callRedeem(x *callScene) {
	callAuthCode(x)
	code := x.api.do(get, "/openapi/v1/auth/getAuthCode", x.token, x.params...).read("auth_code_")
	x.token, x.params = "", []string{"auth_code_", code}
	x.counting("SELECT COUNT(*) FROM sessions WHERE acting_id = ? AND purpose = 'code'", x.h.buyer.accountID)
}

func callDefault(x *callScene) {
	who := x.house().buyer
	x.s.newHouse(x.t).add(x.t, store.TypeShop, who.phone)
	x.token, x.params = x.login(who).read("ticket_"), []string{"company_id_", strconv.FormatInt(x.h.id, 10)}
	x.counting("SELECT COUNT(*) FROM phones WHERE phone = ? AND default_company_id = ?", who.phone, x.h.id)
}

func callBind(x *callScene) {
	who, phone := x.house().add(x.t, store.TypeShop, ""), newPhone()
	x.token = x.login(who).read("user_", "token_")
	code := x.codeBy("/v1/account/bindPhoneCode", x.token, phone)
	x.params = []string{"phone_", phone, "code_", code, "password_", newPassword}
	x.counting("SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_bound' AND account_id = ?", who.accountID)
}

func callBindPassword(x *callScene) {
	callBind(x)
	x.api.do(post, "/v1/account/bindPhone", x.token, x.params[:4]...)
	x.params = []string{"password_", newPassword, "confirm_password_", newPassword}
}

func callUnbind(x *callScene) {
	who := x.house().buyer
	x.token = x.login(who).read("user_", "token_")
	x.api.do(get, "/v1/account/unbindPhoneCode", x.token)
	x.params = []string{"code_", x.s.code(x.t, who.phone), "password_", password}
	x.counting("SELECT COUNT(*) FROM audit_events WHERE kind = 'phone_unbound' AND account_id = ?", who.accountID)
}

func callReset(x *callScene) {
	who := x.house().buyer
	code := x.codeBy("/v1/account/resetCode", "", who.phone)
	x.params = []string{"phone_", who.phone, "code_", code, "password_", newPassword, "confirm_password_", newPassword}
	x.noticing(who.phone)
}

func callModify(x *callScene) {
	who := x.house().buyer
	x.token = x.login(who).read("user_", "token_")
	x.params = []string{"old_password_", password, "password_", newPassword, "confirm_password_", newPassword}
	x.noticing(who.phone)
}

func callPush(x *callScene) {
	who := x.house().buyer
	x.token = x.login(who).read("user_", "token_")
	id := fmt.Sprint("push", numbers.Add(1))
	x.params = []string{"user_id_", strconv.FormatInt(who.accountID, 10), "jpush_id_", id}
	x.counting("SELECT COUNT(*) FROM push_ids WHERE jpush_id = ?", id)
}

func callNoReminder(x *callScene) {
	who := x.house().add(x.t, store.TypeShop, "")
	x.s.change(x.t, "UPDATE accounts SET bind_reminder = 1 WHERE id = ?", who.accountID)
	x.token = x.login(who).read("user_", "token_")
	x.params = []string{"user_id_", strconv.FormatInt(who.accountID, 10)}
	x.counting("SELECT COUNT(*) FROM accounts WHERE id = ? AND NOT bind_reminder", who.accountID)
}

func callUploadToken(x *callScene) {
	x.params = []string{"name_", "licence.png", "size_", "1000", "type_", "image/png"}
	x.effect = func() int { return 1 } // each token is a new one, and nothing is stored
}

// Two different new passwords are sent at once. One is set, and the sender of the other gets a refusal.
func TestOfTwoNewPasswordsSentAtOnceOneIsSetAndTheOtherRefused(t *testing.T) {
	t.Parallel()
	for range 3 {
		x := &callScene{t: t, s: forms, api: newCaller(t, forms)}
		who := x.house().buyer
		tokens := []string{x.login(who).read("user_", "token_"), x.login(who).read("user_", "token_")}
		news := []string{"Blauwal77", "Rotfuchs88"}
		codes := make([]string, 2)
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() {
				e, err := x.api.send(x.api.sign(post, "/v1/account/modifyPwd", tokens[i], "", false,
					[]string{"old_password_", password, "password_", news[i], "confirm_password_", news[i]}))
				if codes[i] = e.Code; err != nil {
					t.Error(errors.Join(err, errors.New(e.text)))
				}
			})
		}
		both.Wait()
		for i, code := range codes {
			e, err := x.api.send(x.api.sign(post, "/v1/account/mixedLogin", "", "", false,
				[]string{"login_", who.phone, "password_", news[i]}))
			if works := err == nil && e.Code == "ok"; works != (code == "ok") {
				t.Errorf("a change answered %q, and its password signs in: %v", code, works)
			}
		}
	}
}
