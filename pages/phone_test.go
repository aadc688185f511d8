package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/onboarding"
)

const nextPhone = "13912345678"

func TestChangingAPhoneByThePassword(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	wantTo(t, b.get(account+"/phone"), "/login")
	b.signIn("account.portico.test", "13800000003")
	wantPage(t, b.get(account+"/accounts?all=1"), http.StatusOK, `href="/phone"`, "更换手机号")
	wantPage(t, b.get(account+"/phone"), http.StatusOK, "138****0003", `name="phone"`, `name="code"`, `name="password"`)
	page := wantPage(t, b.post(account+"/phone", "phone", "139 1234 5678", "password", onboarding.DemoPassword,
		"action", "send_code"), http.StatusOK, "60 秒后重发", `value="139 1234 5678"`)
	if strings.Contains(page, onboarding.DemoPassword) {
		t.Error("the password comes back")
	}
	code := s.lastCode(nextPhone)
	wantPage(t, b.post(account+"/phone", "phone", nextPhone, "code", code, "password", "Wrong2026"),
		http.StatusUnprocessableEntity, `href="#password"`, `value="13912345678"`)
	wantPage(t, b.post(account+"/phone", "phone", nextPhone, "code", code, "password", ""),
		http.StatusUnprocessableEntity, `href="#password"`)
	wantPage(t, b.post(account+"/phone", "phone", "13800000003", "code", code, "password", onboarding.DemoPassword),
		http.StatusUnprocessableEntity, "这已是您的手机号")
	to := "/accounts?all=1&done=phone"
	b.sentTwice(to, account+"/phone", "phone", nextPhone, "code", code, "password", onboarding.DemoPassword)
	wantPage(t, b.get(account+to), http.StatusOK, "手机号已更换")
	wantTo(t, b.post(account+"/phone", "phone", nextPhone, "action", "send_code"), to) // the response was lost
	wantPage(t, b.get(account+"/phone"), http.StatusOK, "139****5678")
	if n := s.told("13800000003"); n != 1 {
		t.Errorf("the former number was told %d times", n)
	}
	wantTo(t, s.browser().signIn("account.portico.test", nextPhone), "/company")
}

func TestChangingAPhoneByACodeToTheFormerNumber(t *testing.T) {
	s := newSite(t, options{limits: true})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	page := wantPage(t, b.post(account+"/phone", "phone", nextPhone, "code", "", "action", "by_code"), http.StatusOK,
		`value="13912345678"`, `name="old_code"`, `value="send_old_code"`, `value="by_password"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("both proofs are asked for")
	}
	wantPage(t, b.post(account+"/phone", "phone", nextPhone, "old_code", "", "action", "send_code"),
		http.StatusOK, "139 1234 5678")
	page = wantPage(t, b.post(account+"/phone", "phone", nextPhone, "code", s.lastCode(nextPhone), "old_code", "",
		"action", "send_old_code"), http.StatusOK, "138****0003", `value="13912345678"`)
	if strings.Count(page, "秒后重发") < 2 {
		t.Error("not both buttons count down")
	}
	form := []string{"phone", nextPhone, "code", s.lastCode(nextPhone)}
	wantPage(t, b.post(account+"/phone", append(form, "old_code", "")...),
		http.StatusUnprocessableEntity, `href="#old_code"`)
	wantPage(t, b.post(account+"/phone", append(form, "old_code", "000000")...),
		http.StatusUnprocessableEntity, `href="#old_code"`)
	wantPage(t, b.post(account+"/phone", "phone", nextPhone, "old_code", "", "action", "send_old_code"),
		http.StatusUnprocessableEntity, `href="#old_code"`) // too early for another code
	wantTo(t, b.post(account+"/phone", append(form, "old_code", s.lastCode("13800000003"))...), "/accounts?all=1&done=phone")
}

func TestANumberWithAccountsIsRefusedWithHowToJoinThem(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	b.post(account+"/phone", "phone", "13800000001", "password", "", "action", "send_code")
	wantPage(t, b.post(account+"/phone", "phone", "13800000001", "code", s.lastCode("13800000001"), "password", onboarding.DemoPassword),
		http.StatusUnprocessableEntity, "该手机号已用于登录其他账号", `href="/accounts?all=1"`)
}

func TestAnAccountNameChangesItsOwnPhoneOrBindsOne(t *testing.T) {
	s := newSite(t, options{})
	bound := s.named("sur")
	bound.post(account+"/login/account", "login", "sur", "password", onboarding.DemoPassword)
	wantPage(t, bound.get(account+"/phone"), http.StatusOK, "sur", "Mariscos del Sur", "138****0003", "tel:")
	without := s.browser()
	without.post(account+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	wantTo(t, without.get(account+"/phone"), "/bind")
	wantTo(t, without.post(account+"/phone", "phone", nextPhone), "/bind")
}

func TestTheFormThatChangesAPhoneIsKeptInAnotherLanguage(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.signIn("account.portico.test", "13800000003")
	page := wantPage(t, b.post(account+"/phone", "phone", nextPhone, "code", "12", "old_code", "34", "lang", "es"),
		http.StatusOK,
		"Cambiar el teléfono", `value="13912345678"`, `value="12"`, `value="34"`)
	if strings.Contains(page, "更换") {
		t.Error("the page is not in Spanish")
	}
}
