package application_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/core"
	"portico/portal/onboarding"
)

const companySite = "http://store1001.portico.test"

func TestApplicantSeesTheStateOfTheApplicationAfterSigningIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	result := apply(s.Browser(), pagestest.Applicant)
	b := s.Browser()
	page := pagestest.WantPage(t, signInByCode(b, companySite, pagestest.Applicant), http.StatusUnprocessableEntity,
		"申请审核中", "刷新", `href="`+strings.ReplaceAll(result, "&", "&amp;")+`"`, "tel:")
	if strings.Contains(page, "未绑定") {
		t.Error("it says that the phone is bound to nothing")
	}
	code := b.LastCode(pagestest.Applicant) // the response was lost, and the browser sends the form again
	again := pagestest.WantPage(t, b.Post(companySite+"/login/code", "phone", pagestest.Applicant, "code", code),
		http.StatusUnprocessableEntity, "申请审核中")
	if strings.Contains(again, "验证码已") {
		t.Error("the second time the code has expired")
	}
	pagestest.WantPage(t, b.Get(companySite+result), http.StatusOK, "河口杂货", "阮梅") // the code proved the phone
	pagestest.WantPage(t, signInByCode(s.Browser(), "http://account.portico.test", pagestest.Applicant),
		http.StatusUnprocessableEntity,
		"申请审核中", `href="`+companySite+result+`"`)

	boss := s.SignInByName("jinsui")
	id := strings.TrimPrefix(result, "/register/result?id=")
	pagestest.WantStatus(t, boss.Post(companySite+"/mgr/applications/"+id, "action", "reject", "reason", "执照看不清"),
		http.StatusSeeOther)
	pagestest.WantPage(t, signInByCode(s.Browser(), companySite, pagestest.Applicant), http.StatusUnprocessableEntity,
		"申请已驳回", "执照看不清", "修改并重新申请", `href="/register/more"`)
	pagestest.WantPage(t, signInByCode(s.Browser(), "http://account.portico.test", pagestest.Applicant),
		http.StatusUnprocessableEntity,
		"执照看不清", `href="`+companySite+`/register/more"`)
}

func TestApplicationIsShownOnlyAfterARightPassword(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s := pagestest.NewSite(t, pagestest.Options{Strict: strict})
		a := s.AddApplication("13800000011")
		b := s.Browser()
		page := pagestest.WantPage(t, b.Post(companySite+"/login", "phone", "13800000011", "password", "Wrong2026"),
			http.StatusUnprocessableEntity)
		if strings.Contains(page, "申请审核中") || strings.Contains(page, pagestest.Decimal(a)) {
			t.Error("the page after a wrong password shows the application")
		}
		pagestest.WantPage(t, b.Post(companySite+"/login", "phone", "13800000011", "password", onboarding.DemoPassword),
			http.StatusUnprocessableEntity, "申请审核中", "/register/result?id="+pagestest.Decimal(a))
		whole := pagestest.Text(t, b.Get(companySite+"/register/result?id="+pagestest.Decimal(a)))
		if strings.Contains(whole, "河口杂货") {
			t.Error("a password proves the phone to the company")
		}
	}
}

// apply sends an application to company 1001 and returns the path of its result page. It fails the test when the
// application is refused.
func apply(b *pagestest.Browser, phone string) (result string) {
	b.T.Helper()
	b.ProvePhone(pagestest.ApplyAddress, phone)
	sent := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...)
	pagestest.WantStatus(b.T, sent, http.StatusSeeOther)
	return sent.Header.Get("Location")
}

// signInByCode requests a verification code on a host, signs in with it and returns the answer.
func signInByCode(b *pagestest.Browser, origin, phone string) *http.Response {
	b.T.Helper()
	b.Clock = b.Clock.Add(core.DefaultResend)
	pagestest.WantPage(b.T, b.Post(origin+"/login/code", "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	return b.Post(origin+"/login/code", "phone", phone, "code", b.LastCode(phone))
}
