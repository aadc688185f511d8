package credentials_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/onboarding"
)

const NextPhone = "13912345678"

func TestPhoneIsChangedByPassword(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	pagestest.WantRedirect(t, b.Get(pagestest.AccountSite+"/phone"), "/login")
	b.SignIn("account.portico.test", "13800000003")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/security"), http.StatusOK, `href="/phone"`, "更换手机号")
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/phone"), http.StatusOK, "138****0003", `name="phone"`,
		`name="code"`, `name="password"`)
	page := pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", "139 1234 5678", "password",
		onboarding.DemoPassword,
		"action", "send_code"), http.StatusOK, "60 秒后重发", `value="139 1234 5678"`)
	if strings.Contains(page, onboarding.DemoPassword) {
		t.Error("the password comes back")
	}
	code := s.LastCode(NextPhone)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "code", code, "password",
		"Wrong2026"),
		http.StatusUnprocessableEntity, `href="#password"`, `value="13912345678"`)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "code", code, "password", ""),
		http.StatusUnprocessableEntity, `href="#password"`)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", "13800000003", "code", code, "password",
		onboarding.DemoPassword),
		http.StatusUnprocessableEntity, "这已是您的手机号")
	to := "/accounts?all=1&done=phone"
	b.WantSameRedirectTwice(to, pagestest.AccountSite+"/phone", "phone", NextPhone, "code", code, "password",
		onboarding.DemoPassword)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+to), http.StatusOK, "手机号已更换")
	// the response was lost
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "action", "send_code"), to)
	pagestest.WantPage(t, b.Get(pagestest.AccountSite+"/phone"), http.StatusOK, "139****5678")
	if n := pagestest.CountNotices(s, "13800000003"); n != 1 {
		t.Errorf("the former number got %d notices, want 1", n)
	}
	pagestest.WantRedirect(t, s.Browser().SignIn("account.portico.test", NextPhone), "/company")
}

func TestPhoneIsChangedByCodeToTheOldNumber(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	page := pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "code", "", "action",
		"by_code"), http.StatusOK,
		`value="13912345678"`, `name="old_code"`, `value="send_old_code"`, `value="by_password"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("the form has fields for both proofs")
	}
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "old_code", "", "action",
		"send_code"),
		http.StatusOK, "139 1234 5678")
	page = pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "code",
		s.LastCode(NextPhone),
		"old_code", "",
		"action", "send_old_code"), http.StatusOK, "138****0003", `value="13912345678"`)
	if strings.Count(page, "秒后重发") < 2 {
		t.Error("not both buttons count down")
	}
	form := []string{"phone", NextPhone, "code", s.LastCode(NextPhone)}
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", append(form, "old_code", "")...),
		http.StatusUnprocessableEntity, `href="#old_code"`)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", append(form, "old_code", "000000")...),
		http.StatusUnprocessableEntity, `href="#old_code"`)
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "old_code", "", "action",
		"send_old_code"),
		http.StatusUnprocessableEntity, `href="#old_code"`) // another code is not sent yet
	pagestest.WantRedirect(t, b.Post(pagestest.AccountSite+"/phone",
		append(form, "old_code", s.LastCode("13800000003"))...),
		"/accounts?all=1&done=phone")
}

func TestPhoneWithAccountsIsRefusedAsTheNewPhone(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	b.Post(pagestest.AccountSite+"/phone", "phone", "13800000001", "password", "", "action", "send_code")
	pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", "13800000001", "code",
		s.LastCode("13800000001"),
		"password", onboarding.DemoPassword),
		http.StatusUnprocessableEntity, "该手机号已用于登录其他账号", `href="/accounts?all=1"`)
}

func TestSessionByAccountNameChangesOrBindsThePhoneOfThatAccount(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	bound := s.SignInByName("sur")
	bound.Post(pagestest.AccountSite+"/login/account", "login", "sur", "password", onboarding.DemoPassword)
	pagestest.WantPage(t, bound.Get(pagestest.AccountSite+"/phone"), http.StatusOK, "sur", "Mariscos del Sur",
		"138****0003", "tel:")
	without := s.Browser()
	without.Post(pagestest.AccountSite+"/login/account", "login", "nophone", "password", onboarding.DemoPassword)
	pagestest.WantRedirect(t, without.Get(pagestest.AccountSite+"/phone"), "/bind")
	pagestest.WantRedirect(t, without.Post(pagestest.AccountSite+"/phone", "phone", NextPhone), "/bind")
}

func TestPhoneFormKeepsItsTextWhenTheLanguageChanges(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.SignIn("account.portico.test", "13800000003")
	page := pagestest.WantPage(t, b.Post(pagestest.AccountSite+"/phone", "phone", NextPhone, "code", "12", "old_code",
		"34",
		"lang", "es"),
		http.StatusOK,
		"Cambiar el teléfono", `value="13912345678"`, `value="12"`, `value="34"`)
	if strings.Contains(page, "更换") {
		t.Error("the page is not in Spanish")
	}
}
