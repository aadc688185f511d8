package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/verification"
)

const store1001 = "http://store1001.portico.test"

// applies sends an application to company 1001 and returns the address of its page.
func (b *browser) applies(phone string) (result string) {
	b.t.Helper()
	b.proves(applyAt, phone)
	sent := b.post(applyAt, details()...)
	wantStatus(b.t, sent, http.StatusSeeOther)
	return sent.Header.Get("Location")
}

// signsInByCode sends the form that signs in by code on a host.
func (b *browser) signsInByCode(origin, phone string) *http.Response {
	b.t.Helper()
	b.clock = b.clock.Add(verification.DefaultResend)
	wantPage(b.t, b.post(origin+"/login/code", "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	return b.post(origin+"/login/code", "phone", phone, "code", b.lastCode(phone))
}

func TestAnApplicantWhoSignsInSeesTheStateOfTheApplication(t *testing.T) {
	s := newSite(t, options{})
	result := s.browser().applies(applicant)
	b := s.browser()
	page := wantPage(t, b.signsInByCode(store1001, applicant), http.StatusUnprocessableEntity,
		"申请已提交，请等待管理员审核", "刷新", `href="`+strings.ReplaceAll(result, "&", "&amp;")+`"`, "tel:")
	if strings.Contains(page, "未绑定") {
		t.Error("it says that the phone is bound to nothing")
	}
	code := b.lastCode(applicant) // the response was lost, and the browser sends the form again
	again := wantPage(t, b.post(store1001+"/login/code", "phone", applicant, "code", code),
		http.StatusUnprocessableEntity, "申请已提交")
	if strings.Contains(again, "验证码已") {
		t.Error("the second time the code has expired")
	}
	wantPage(t, b.get(store1001+result), http.StatusOK, "河口杂货", "阮梅") // the code proved the phone
	wantPage(t, s.browser().signsInByCode("http://account.portico.test", applicant), http.StatusUnprocessableEntity,
		"申请已提交", `href="`+store1001+result+`"`)

	boss := s.named("jinsui")
	id := strings.TrimPrefix(result, "/register/result?id=")
	wantStatus(t, boss.post(store1001+"/mgr/applications/"+id, "action", "reject", "reason", "执照看不清"),
		http.StatusSeeOther)
	wantPage(t, s.browser().signsInByCode(store1001, applicant), http.StatusUnprocessableEntity,
		"您的申请未通过审核", "执照看不清", "修改并重新申请", `href="/register/more"`)
	wantPage(t, s.browser().signsInByCode("http://account.portico.test", applicant), http.StatusUnprocessableEntity,
		"执照看不清", `href="`+store1001+`/register/more"`)
}

func TestOnlyARightPasswordShowsTheApplication(t *testing.T) {
	for _, strict := range []bool{false, true} {
		s := newSite(t, options{strict: strict})
		a := s.applicationOf("13800000011")
		b := s.browser()
		page := wantPage(t, b.post(store1001+"/login", "phone", "13800000011", "password", "Wrong2026"),
			http.StatusUnprocessableEntity)
		if strings.Contains(page, "申请已提交") || strings.Contains(page, decimal(a)) {
			t.Error("a wrong password learns of the application")
		}
		wantPage(t, b.post(store1001+"/login", "phone", "13800000011", "password", onboarding.DemoPassword),
			http.StatusUnprocessableEntity, "申请已提交", "/register/result?id="+decimal(a))
		whole := text(t, b.get(store1001+"/register/result?id="+decimal(a)))
		if strings.Contains(whole, "河口杂货") {
			t.Error("a password proves the phone to the company")
		}
	}
}

// applicationOf is the id of an application to company 1001 that was sent in by a phone.
func (s *site) applicationOf(phone string) int64 {
	s.t.Helper()
	_, ticket := s.applicant(phone)
	ctx := access.WithCaller(s.t.Context(), access.Caller{RequestID: "r", Address: "203.0.113.7"})
	who, err := s.p.Application.Applicant(ticket, 1001)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := s.p.Application.SendApplication(ctx, application.ApplicationInput{
		CompanyID: 1001, Applicant: who, CompanyName: "河口杂货", ContactName: "阮梅", Position: "采购",
		Province: "440000", City: "440300", District: "440305", Address: "海岸路 8 号", Reason: "想订大米", Lang: "zh",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return a.ID
}
