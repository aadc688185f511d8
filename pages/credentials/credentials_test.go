package credentials_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/locale"
	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
)

// Without scripts the second button sends the code. The page comes back with what was typed and the seconds until
// another code can be sent. A reload shows both again.
func TestSignInByCodeWithoutScripts(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{Limits: true}).Browser()
	page := pagestest.AccountSite + "/login/code"
	pagestest.WantPage(t, b.Get(page), http.StatusOK, `autocomplete="one-time-code"`, `value="send_code"`)
	body := pagestest.WantPage(t, b.Post(page, "phone", "138 0000 0001", "remember", "1", "action", "send_code"),
		http.StatusOK,
		`value="138 0000 0001"`, "60 秒后重发", "138 0000 0001，5 分钟内有效", " checked")
	if first := regexp.MustCompile(`<button[^>]*type="submit"[^>]*>`).
		FindString(body); !strings.Contains(
		first,
		`class="first"`,
	) {
		t.Errorf("the enter key presses %s", first)
	}
	b.Clock = b.Clock.Add(10 * time.Second)
	pagestest.WantPage(t, b.Get(page), http.StatusOK, `value="138 0000 0001"`, "50 秒后重发")
	pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000001", "action", "send_code"),
		http.StatusUnprocessableEntity,
		"50 秒后重发",
		`aria-invalid="true"`,
	)
	if len(b.Messages) != 1 {
		t.Errorf("%d messages", len(b.Messages))
	}
	pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000001", "code", "00000"),
		http.StatusUnprocessableEntity,
		"验证码为 6 位数字",
		`value="00000"`,
	)
	wrong := "000000"
	if b.LastCode("13800000001") == wrong {
		wrong = "000001"
	}
	pagestest.WantPage(t, b.Post(page, "phone", "13800000001", "code", wrong), http.StatusUnprocessableEntity,
		"50 秒后重发")
	r := b.Post(page, "phone", "13800000001", "code", b.LastCode("13800000001"), "remember", "1")
	if r.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(r.Header.Get("Location"), "http://store1001.portico.test/home") {
		t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Location"))
	}
	pagestest.WantPage(t, b.Post(page, "phone", "13800000001", "code", b.LastCode("13800000001")),
		http.StatusUnprocessableEntity)
}

func TestCodeFromAnotherBrowserIsRefused(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	owner, thief := s.Browser(), s.Browser()
	owner.Post(pagestest.AccountSite+"/login/code", "phone", "13800000001", "action", "send_code")
	pagestest.WantPage(
		t,
		thief.Post(pagestest.AccountSite+"/login/code", "phone", "13800000001", "code", s.LastCode("13800000001")),
		http.StatusUnprocessableEntity,
	)
	pagestest.WantPage(
		t,
		owner.Post(pagestest.AccountSite+"/login/code", "phone", "13800000002", "code", s.LastCode("13800000001")),
		http.StatusUnprocessableEntity,
	)
	if r := owner.Post(
		pagestest.AccountSite+"/login/code", "phone", "13800000001", "code", s.LastCode("13800000001"),
	); r.StatusCode != http.StatusSeeOther {
		t.Errorf("%d", r.StatusCode)
	}
}

// In a browser without scripts a person answers a sum before a second code is sent.
func TestSecondRequestForACodeNeedsTheAnswerToASum(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{Limits: true}).Browser()
	page := pagestest.AccountSite + "/login/code"
	b.Post(page, "phone", "13800000001", "action", "send_code")
	b.Clock = b.Clock.Add(time.Minute)
	body := pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000001", "action", "send_code"),
		http.StatusUnprocessableEntity,
		`name="answer"`,
		`name="question"`,
	)
	sum := regexp.MustCompile(`(\d+) \+ (\d+)`).FindStringSubmatch(body)
	if sum == nil {
		t.Fatalf("no sum in\n%s", body)
	}
	token := regexp.MustCompile(`name="question" value="([^"]+)"`).FindStringSubmatch(body)[1]
	pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000001", "action", "send_code", "question", token, "answer", "1"),
		http.StatusUnprocessableEntity,
		`name="answer"`,
	)
	pagestest.WantPage(
		t,
		b.Post(
			page, "phone", "13800000001", "action", "send_code", "question", token, "answer", addSum(t, sum[1], sum[2]),
		),
		http.StatusOK,
		"60 秒后重发",
	)
	if len(b.Messages) != 2 {
		t.Errorf("%d messages", len(b.Messages))
	}
}

// The route for scripts has the same rules as the form.
func TestCodeRequestOfAScriptIsAnsweredAsJSON(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{Limits: true}).Browser()
	ask := func(pairs ...string) (int, map[string]any) {
		t.Helper()
		r := b.Post(pagestest.AccountSite+"/code", pairs...)
		if r.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
			r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", r.Header)
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(pagestest.Text(t, r)), &data); err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, data
	}
	if status, data := ask("purpose", "login", "phone", "1380000"); status != http.StatusUnprocessableEntity ||
		data["fields"].(map[string]any)["phone"] == "" {
		t.Errorf("%d %v", status, data)
	}
	if status, data := ask(
		"purpose", "login", "phone", "13800000001",
	); status != http.StatusOK || data["resend_after"] != 60.0 ||
		data["message"] == "" {
		t.Errorf("%d %v", status, data)
	}
	if status, data := ask("purpose", "login", "phone", "13800000001"); status != http.StatusUnprocessableEntity ||
		data["resend_after"] != 60.0 {
		t.Errorf("%d %v", status, data)
	}
	b.Clock = b.Clock.Add(time.Minute)
	status, data := ask("purpose", "login", "phone", "13800000001")
	proof, _ := data["proof"].(map[string]any)
	if status != http.StatusUnprocessableEntity || proof["token"] == nil || proof["bits"] != float64(core.WorkBits) {
		t.Fatalf("%d %v", status, data)
	}
	if status, data := ask(
		"purpose",
		"login",
		"phone",
		"13800000001",
		"proof",
		proof["token"].(string),
		"work",
		solveProof(proof["token"].(string)),
	); status != http.StatusOK {
		t.Errorf("the work was done: %d %v", status, data)
	}
	if status, data := ask("purpose", "register", "phone", "13800000001"); status != http.StatusUnprocessableEntity ||
		data["message"] != "" {
		t.Errorf("a registered phone, whose ways on the form shows: %d %v", status, data)
	}
	for _, purpose := range []string{"", "bind", "unbind", "x"} {
		if status, data := ask("purpose", purpose, "phone", "13800000001"); status != http.StatusUnprocessableEntity ||
			data["message"] == "" {
			t.Errorf("%q: %d %v", purpose, status, data)
		}
	}
	foreign := b.Do(
		http.MethodPost,
		pagestest.AccountSite+"/code",
		url.Values{"purpose": {"login"}, "phone": {"13800000002"}},
		"Sec-Fetch-Site",
		"cross-site",
	)
	if foreign.StatusCode != http.StatusForbidden ||
		b.Get(pagestest.AccountSite+"/code").StatusCode != http.StatusMethodNotAllowed {
		t.Error("another site may ask for codes")
	}
}

func TestPasswordIsResetByPhone(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b, other := s.Browser(), s.Browser()
	other.SignIn("account.portico.test", "13800000003")
	page := pagestest.AccountSite + "/forget/phone"
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/forget"), http.StatusOK, `action="/forget/phone"`)
	pagestest.WantPage(t, b.Post(page, "phone", "13800000003", "action", "send_code"), http.StatusOK, "60 秒后重发")
	code := s.LastCode("13800000003")
	pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000003", "code", code, "password", "Blauwal77", "confirm_password", "Blauwal78"),
		http.StatusUnprocessableEntity,
		"两次输入的密码不一致",
		`value="`+code+`"`,
	)
	body := pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000003", "code", code, "password", "123456", "confirm_password", "123456"),
		http.StatusUnprocessableEntity,
	)
	if strings.Contains(body, `value="123456"`) {
		t.Error("a password comes back in the page")
	}
	pagestest.WantRedirect(
		t,
		b.Post(page, "phone", "13800000003", "code", code, "password", "Blauwal77", "confirm_password", "Blauwal77"),
		"/login?done=reset",
	)
	const signIn = pagestest.AccountSite + "/login?done=reset"
	pagestest.WantPage(t, b.Get(signIn), http.StatusOK, "密码已重设", `value="138 0000 0003"`)
	if strings.Contains(pagestest.Text(t, b.Get(signIn)), "138 0000 0003") {
		t.Error("the number is filled in again")
	}
	if r := other.Get(pagestest.AccountSite + "/company"); r.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(r.Header.Get("Location"), "/login") {
		t.Errorf("the other browser is still signed in: %d", r.StatusCode)
	}
	pagestest.WantPage(
		t,
		b.Post(page, "phone", "13800000003", "code", code, "password", "Blauwal88", "confirm_password", "Blauwal88"),
		http.StatusUnprocessableEntity,
	)
	if r := b.Post(
		pagestest.AccountSite+"/login", "phone", "13800000003", "password", "Blauwal77",
	); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the new password: %d", r.StatusCode)
	}
}

func TestStrictPrivacyAnswersKnownAndUnknownAccountNamesAlike(t *testing.T) {
	names := [][]string{{"trial", "trial.shop"}, {"buyer1", "nobody"}, {"nobody.one", "nobody.two"}}
	var first []string
	for _, pair := range names {
		s := pagestest.NewSite(t, pagestest.Options{Limits: true, Strict: true})
		b := s.Browser()
		var got []string
		for _, name := range []string{pair[0], pair[1], pair[0], pair[1]} {
			r := b.Post(pagestest.AccountSite+"/code", "purpose", "reset", "login", name)
			answer := struct {
				Message     string `json:"message"`
				ResendAfter int    `json:"resend_after"`
				Proof       *struct{ Bits int }
			}{}
			if err := json.Unmarshal([]byte(pagestest.Text(t, r)), &answer); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(r.StatusCode, answer.Message, answer.ResendAfter, answer.Proof != nil))
			r = b.Post(pagestest.AccountSite+"/forget/account", "login", name)
			got = append(got, fmt.Sprint(r.StatusCode, r.Header.Get("Location")))
		}
		if first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("%v: %q\n%v: %q", pair, got, names[0], first)
		}
	}
}

func TestResetByPhoneRemovesAccountPasswordsUnlessTheBoxIsTicked(t *testing.T) {
	for what, c := range map[string]struct {
		keep string
		want int
	}{"left empty": {"", http.StatusUnprocessableEntity}, "ticked": {"1", http.StatusSeeOther}} {
		t.Run(what, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{Limits: true})
			b := s.Browser()
			page := pagestest.AccountSite + "/forget/phone"
			b.Post(page, "phone", "13800000003", "action", "send_code")
			form := []string{"phone", "13800000003", "code", s.LastCode("13800000003"), "password", "Blauwal77"}
			if c.keep != "" {
				form = append(form, "keep_passwords", c.keep)
			}
			body := pagestest.WantPage(
				t, b.Post(page, append(form, "confirm_password", "other")...), http.StatusUnprocessableEntity,
				`name="keep_passwords"`,
			)
			if strings.Contains(body, "checked") != (c.keep != "") {
				t.Error("the box does not come back as it was left")
			}
			pagestest.WantRedirect(t, b.Post(page, append(form, "confirm_password", "Blauwal77")...),
				"/login?done=reset")
			if r := s.Browser().Post(
				pagestest.AccountSite+"/login/account", "login", "li.manager", "password", onboarding.DemoPassword,
			); r.StatusCode != c.want {
				t.Errorf("by name: %d", r.StatusCode)
			}
		})
	}
}

func TestChangeOfThePhonePasswordAsksAboutAccountPasswords(t *testing.T) {
	for what, c := range map[string]struct {
		end  string
		want int
	}{"ticked": {"1", http.StatusUnprocessableEntity}, "left empty": {"", http.StatusSeeOther}} {
		t.Run(what, func(t *testing.T) {
			s := pagestest.NewSite(t, pagestest.Options{Limits: true})
			b := s.Browser()
			b.SignIn("account.portico.test", "13800000003")
			body := pagestest.WantPage(
				t, b.Get(pagestest.AccountSite+"/password"), http.StatusOK, "金穗粮油 · li.manager",
				`name="end_passwords" value="1" checked`,
			)
			if strings.Contains(body, "buyer1") {
				t.Error("another person's account is listed")
			}
			form := []string{
				"old_password", onboarding.DemoPassword, "password", "Blauwal77", "confirm_password", "Blauwal77",
			}
			if c.end != "" {
				form = append(form, "end_passwords", c.end)
			}
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/password", form...), "/accounts?done=password")
			if r := s.Browser().Post(
				pagestest.AccountSite+"/login/account", "login", "li.manager", "password", onboarding.DemoPassword,
			); r.StatusCode != c.want {
				t.Errorf("by name: %d", r.StatusCode)
			}
		})
	}
}

// The number stands in no address, and whoever uses the browser next does not find it.
func TestThePhoneOfARefusedSignInStandsInTheFormForANewPassword(t *testing.T) {
	const login, forget = pagestest.AccountSite + "/login", pagestest.AccountSite + "/forget/phone"
	const typed = `value="138 0000 0001"`
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	refuse := func(phone string) {
		t.Helper()
		pagestest.WantStatus(t, b.Post(login, "phone", phone, "password", "wrong1"), http.StatusUnprocessableEntity)
	}
	refuse("138 0000 0001")
	pagestest.WantPage(t, b.Get(forget), http.StatusOK, typed)
	if strings.Contains(pagestest.Text(t, b.Get(forget)), typed) {
		t.Error("the phone is shown twice")
	}
	refuse("13800")
	pagestest.WantPage(t, b.Get(forget), http.StatusOK, `id="phone"`)
	refuse("138 0000 0001")
	b.Post(login, "phone", "13800000002", "password", onboarding.DemoPassword)
	if _, kept := b.Jar["account.portico.test"]["portico_typed"]; kept {
		t.Error("the phone is still there after a sign-in")
	}
}

// The sum is answered for the button that sends the code, so it must not stand below the other fields of a form.
func TestTheSumStandsAboveTheButtonThatSendsTheCode(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{Limits: true}).Browser()
	ids := regexp.MustCompile(`<(?:input|button)[^>]* (?:id|value)="(phone|code|password|name|answer|send_code)"`)
	for path, c := range map[string]struct{ phone, want string }{
		"/register":     {"13911110000", "phone answer code send_code password name"},
		"/forget/phone": {"13800000001", "phone answer code send_code password"},
		"/login/code":   {"13800000003", "phone answer code send_code"},
	} {
		page, form := "", []string{"phone", c.phone, "action", "send_code"}
		for range 2 {
			page = pagestest.Text(t, b.Post(pagestest.AccountSite+path, form...))
			b.Clock = b.Clock.Add(time.Minute)
		}
		var got []string
		for _, found := range ids.FindAllStringSubmatch(page, -1) {
			got = append(got, found[1])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s has %q, want %q:\n%s", path, got, c.want, page)
		}
	}
}

// No code can be sent to such an account, so the page offers no field.
func TestResetOfAnAccountWithoutAPhoneNamesWhoCanHelp(t *testing.T) {
	for what, c := range map[string]struct {
		site, phone string // the number to call, "" for none
		has         string
		support     bool
	}{
		"platform without support": {pagestest.AccountSite, "", "forget.no_phone_body", false},
		"platform":                 {pagestest.AccountSite, "4000000000", "forget.no_phone_support", true},
		"the company's own host":   {"http://store1001.portico.test", "13700000001", "forget.no_phone_body", true},
	} {
		s := pagestest.NewSite(t, pagestest.Options{Limits: true, NoSupport: !c.support})
		page := pagestest.WantPage(t, s.Browser().Post(c.site+"/forget/account?lang=en", "login", "nophone"),
			http.StatusUnprocessableEntity, locale.Lang("en").T("forget.no_phone"), locale.Lang("en").T(c.has),
			`href="/login/account"`)
		if strings.Contains(page, locale.Lang("en").T("error.phone_not_bound")) ||
			strings.Contains(page, `name="login"`) {
			t.Errorf("%s: the page says that the number is unknown, or asks for a name:\n%s", what, page)
		}
		if strings.Contains(page, "tel:") != (c.phone != "") || !strings.Contains(page, "tel:"+c.phone) && c.support {
			t.Errorf("%s: the page names somebody else than %q", what, c.phone)
		}
	}
}

func TestPasswordIsResetByAccountName(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	page := pagestest.AccountSite + "/forget/account"
	pagestest.WantPage(t, b.Post(page, "login", ""), http.StatusUnprocessableEntity, `aria-invalid="true"`)
	pagestest.WantPage(t, b.Post(page, "login", "nobody-here"), http.StatusUnprocessableEntity, "账号不存在")
	pagestest.WantPage(t, b.Post(page, "login", "nophone"), http.StatusUnprocessableEntity, "此账号没有绑定手机")
	pagestest.WantPage(t, b.Post("http://store1001.portico.test/forget/account", "login", "nophone"),
		http.StatusUnprocessableEntity, "此账号没有绑定手机", `href="tel:13700000001"`)
	pagestest.WantRedirect(t, b.Post(page, "login", "li.manager"), "/forget/account?step=2")
	pagestest.WantPage(t, b.Get(page), http.StatusOK, `value="li.manager"`)
	body := pagestest.WantPage(
		t,
		b.Get(page+"?step=2"),
		http.StatusOK,
		"138****0003",
		`name="code"`,
		`name="login" value="li.manager"`,
		"60 秒后重发",
	)
	if strings.Contains(body, "13800000003") || strings.Contains(body, "138 0000 0003") {
		t.Error("the page tells the phone")
	}
	code := s.LastCode("13800000003")
	pagestest.WantPage(
		t,
		b.Post(page, "login", "sur", "code", code, "password", "Blauwal77", "confirm_password", "Blauwal77"),
		http.StatusUnprocessableEntity,
	)
	pagestest.WantRedirect(
		t,
		b.Post(page, "login", "li.manager", "code", code, "password", "Blauwal77", "confirm_password", "Blauwal77"),
		"/login/account?done=reset",
	)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/login/account?done=reset"), http.StatusOK, `value="li.manager"`)
	if r := b.Post(
		pagestest.AccountSite+"/login/account", "login", "li.manager", "password", "Blauwal77",
	); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the new password: %d", r.StatusCode)
	}
	if r := b.SignIn("account.portico.test", "13800000003"); r.StatusCode != http.StatusSeeOther {
		t.Error("the phone's own password changed with the account's")
	}
}

func TestPasswordIsChanged(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b, other := s.Browser(), s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	other.SignIn("account.portico.test", "13800000003")
	old := b.Jar["account.portico.test"]["portico_session"].Value
	pagestest.WantPage(
		t,
		b.Get(pagestest.AccountSite+"/password"),
		http.StatusOK,
		`autocomplete="current-password"`,
		`autocomplete="new-password"`,
		"6 至 20 位",
	)
	pagestest.WantPage(
		t,
		b.Post(
			pagestest.AccountSite+"/password", "old_password", "Wrong2026", "password", "Blauwal77", "confirm_password",
			"Blauwal77",
		),
		http.StatusUnprocessableEntity,
		`id="old_password-msg"`,
	)
	pagestest.WantRedirect(
		t,
		b.Post(
			pagestest.AccountSite+"/password",
			"old_password",
			onboarding.DemoPassword,
			"password",
			"Blauwal77",
			"confirm_password",
			"Blauwal77",
		),
		"/accounts?done=password",
	)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?done=password"), http.StatusOK, "密码已修改")
	if renewed := b.Jar["account.portico.test"]["portico_session"].Value; renewed == old {
		t.Error("the session keeps its id")
	}
	if r := other.Get(pagestest.AccountSite + "/accounts"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the other browser is still signed in: %d", r.StatusCode)
	}
	pagestest.WantRedirect(t, s.Browser().Get(pagestest.AccountSite+"/password"), "/login")
}

func TestSignInByAccountNameOffersToBindAPhone(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	signIn := func() *pagestest.Browser {
		b := s.Browser()
		pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
			onboarding.DemoPassword), "/bind")
		return b
	}
	b := signIn()
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind"), http.StatusOK, `name="phone"`, `value="skip"`,
		`name="remind" value="0"`)
	if body := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind/1"), http.StatusOK,
		`name="phone"`); strings.Contains(
		body, `value="skip"`,
	) {
		t.Error("what must be done can be skipped")
	}
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/bind/1", "action", "skip"), http.StatusSeeOther)
	if r := b.Post(pagestest.AccountSite+"/bind", "action", "skip"); !strings.HasPrefix(
		r.Header.Get("Location"),
		"http://store1001.portico.test/home",
	) {
		t.Errorf("skipped to %s", r.Header.Get("Location"))
	}
	signIn().Post(pagestest.AccountSite+"/bind", "remind", "0")
	if r := s.Browser().
		Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password",
			onboarding.DemoPassword); !strings.HasPrefix(
		r.Header.Get("Location"),
		"http://store1001.portico.test/home",
	) {
		t.Errorf("the page offers to bind again: %s", r.Header.Get("Location"))
	}
}

func TestPhoneIsBound(t *testing.T) {
	for what, c := range map[string]struct {
		phone string
		steps func(t *testing.T, b *pagestest.Browser)
	}{
		"a new phone": {"13711112222", func(t *testing.T, b *pagestest.Browser) {
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind?step=2"), http.StatusOK, `name="confirm_password"`,
				"137 1111 2222")
			pagestest.WantPage(
				t, b.Post(pagestest.AccountSite+"/bind", "new", "1", "password", "abc", "confirm_password", "abc"),
				http.StatusUnprocessableEntity, `name="confirm_password"`,
			)
			pagestest.WantRedirect(
				t, b.Post(pagestest.AccountSite+"/bind", "new", "1", "password", "Blauwal77", "confirm_password",
					"Blauwal77"),
				"/accounts?done=bound",
			)
		}},
		"a registered one, by its password": {"13800000001", func(t *testing.T, b *pagestest.Browser) {
			body := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind?step=2"), http.StatusOK,
				`value="new_password"`)
			if strings.Contains(body, `name="confirm_password"`) {
				t.Error("the form has fields for a new password")
			}
			pagestest.WantPage(
				t, b.Post(pagestest.AccountSite+"/bind", "password", "Wrong2026"), http.StatusUnprocessableEntity,
				`id="password-msg"`,
			)
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/bind", "password", onboarding.DemoPassword),
				"/accounts?done=bound")
			if r := b.Browser().Post(
				pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword,
			); r.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("the account's own password: %d", r.StatusCode)
			}
		}},
		"one, keeping the account's own password": {"13800000001", func(t *testing.T, b *pagestest.Browser) {
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind?step=2"), http.StatusOK, `name="keep_passwords"`)
			pagestest.WantRedirect(
				t, b.Post(pagestest.AccountSite+"/bind", "password", onboarding.DemoPassword, "keep_passwords", "1"),
				"/accounts?done=bound",
			)
			if r := b.Browser().Post(
				pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword,
			); r.StatusCode != http.StatusSeeOther {
				t.Errorf("the account's own password: %d", r.StatusCode)
			}
		}},
		"a registered one, by a new password": {"13800000001", func(t *testing.T, b *pagestest.Browser) {
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/bind", "action", "new_password"), "/bind?new=1")
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/bind?new=1"), http.StatusOK, `name="confirm_password"`,
				"buyer1")
			pagestest.WantRedirect(
				t, b.Post(pagestest.AccountSite+"/bind", "new", "1", "password", "Blauwal77", "confirm_password",
					"Blauwal77"),
				"/accounts?done=bound",
			)
			if r := b.Browser().Post(
				pagestest.AccountSite+"/login", "phone", "13800000001", "password", "Blauwal77",
			); r.StatusCode != http.StatusSeeOther {
				t.Errorf("the new password is not the phone's: %d", r.StatusCode)
			}
		}},
	} {
		t.Run(what, func(t *testing.T) {
			b := pagestest.NewSite(t, pagestest.Options{Limits: true}).Browser()
			b.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
			// No step can be skipped.
			pagestest.WantRedirect(
				t, b.Post(pagestest.AccountSite+"/bind", "password", "Blauwal77", "confirm_password", "Blauwal77",
					"new",
					"1"),
				"/bind",
			)
			pagestest.WantPage(
				t,
				b.Post(pagestest.AccountSite+"/bind", "phone", c.phone, "code", "", "action", "send_code"),
				http.StatusOK,
				"60 秒后重发",
			)
			pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/bind?step=2"), "/bind")
			pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/bind", "phone", c.phone, "code",
				b.LastCode(c.phone)),
				"/bind?step=2")
			pagestest.WantPage(
				t, b.Get(pagestest.AccountSite+"/bind"), http.StatusOK, `name="code"`,
				c.phone[:3]+" "+c.phone[3:7]+" "+c.phone[7:],
			)
			c.steps(t, b)
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?done=bound"), http.StatusOK, "手机已绑定")
			pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/security"), http.StatusOK, "/unbind")
			pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/bind"), "/company")
			if r := b.Post(pagestest.AccountSite+"/bind", "password",
				onboarding.DemoPassword); r.StatusCode != http.StatusSeeOther {
				t.Errorf("a second time: %d", r.StatusCode)
			}
		})
	}
}

func TestPhoneIsUnbound(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/unbind"), "/security?unbind=1")
	link := regexp.MustCompile(`/unbind\?account_id=(\d+)`).
		FindStringSubmatch(pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/security"), http.StatusOK,
			"li.lights"))
	if link == nil {
		t.Fatal("no link to unbind")
	}
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/unbind?account_id=1"), http.StatusNotFound)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+link[0]), http.StatusOK, "138****0003", `name="code"`)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/unbind", "account_id", link[1], "action", "send_code"),
		http.StatusOK, "60 秒后重发")
	pagestest.WantRedirect(
		t,
		b.Post(pagestest.AccountSite+"/unbind", "account_id", link[1], "code", s.LastCode("13800000003")),
		"/accounts?all=1&done=unbound",
	)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/accounts?all=1&done=unbound"), http.StatusOK, "手机已解绑")
	if body := pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/security"), http.StatusOK); strings.Contains(
		body, link[0],
	) {
		t.Error("the account is still there")
	}
	b.Clock = b.Clock.Add(11 * time.Minute) // the sign-in is too long ago, so the page asks for the password, too
	link = regexp.MustCompile(`/unbind\?account_id=(\d+)`).FindStringSubmatch(pagestest.Text(t,
		b.Get(pagestest.AccountSite+"/security")))
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+link[0]), http.StatusOK, `autocomplete="current-password"`)
}

func TestInboxExistsOnlyInDevelopment(t *testing.T) {
	for _, o := range []pagestest.Options{{}, {Production: true}} {
		s := pagestest.NewSite(t, o)
		scheme := "http"
		if o.Production {
			scheme = "https"
		}
		// In production messages are sent, so there is no inbox.
		for _, path := range []string{"/dev/inbox", "/dev/inbox.json"} {
			if r := s.Browser().Get(scheme + "://account.portico.test" + path); r.StatusCode != http.StatusNotFound {
				t.Errorf("%v %s: %d", o, path, r.StatusCode)
			}
		}
	}
}

func addSum(t *testing.T, a, b string) string {
	t.Helper()
	x, err := strconv.Atoi(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := strconv.Atoi(b)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(x + y)
}

// solveProof returns the solution of a proof of work, as the script of a page does.
func solveProof(token string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(token + ":" + strconv.Itoa(n)))
		if binary.BigEndian.Uint32(sum[:4])>>(32-core.WorkBits) == 0 {
			return strconv.Itoa(n)
		}
	}
}

func TestSecurityPageSwitchesTheReminderToBindAPhone(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	const account = "http://account.portico.test"
	b := s.Browser()
	signIn := func() *http.Response {
		b = s.Browser()
		return b.Post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	}
	pagestest.WantRedirect(t, signIn(), "/bind")
	page := pagestest.WantPage(t, b.Get(account+"/security"), http.StatusOK, `name="action" value="remind_off"`,
		"会提醒您绑定手机")
	id := pagestest.FindIn(t, page, `name="account_id" value="(\d+)"`)
	pagestest.WantRedirect(t, b.Post(account+"/accounts", "account_id", id, "action", "remind_off"),
		"/security?done=remind_off")
	pagestest.WantPage(t, b.Get(account+"/security?done=remind_off"), http.StatusOK,
		`name="action" value="remind_on"`,
		"已关闭绑定手机的提醒")
	if to := signIn().Header.Get("Location"); to == "/bind" {
		t.Error("the person is reminded")
	}
	pagestest.WantRedirect(t, b.Post(account+"/accounts", "account_id", id, "action", "remind_on"),
		"/security?done=remind_on")
	pagestest.WantRedirect(t, signIn(), "/bind")

	other := s.Browser()
	pagestest.WantStatus(t, other.SignIn("account.portico.test", "13800000001"), http.StatusSeeOther)
	pagestest.WantStatus(t, other.Post(account+"/accounts", "account_id", id, "action", "remind_off"),
		http.StatusNotFound)
	if page := pagestest.Text(t, other.Get(account+"/security")); strings.Contains(page, "remind_o") {
		t.Error("an account with a phone has the switch")
	}
	pagestest.WantRedirect(t, signIn(), "/bind")
}
