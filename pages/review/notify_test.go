package review_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/pages/pagestest"
	"portico/portal/core"
)

func TestMenuShowsReviewersTheNumberOfPendingApplications(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	boss, employee := s.SignInByPhone("13800000002"), s.SignInAsEmployee()
	const none = "份待审核"
	if strings.Contains(pagestest.Text(t, boss.Get(pagestest.Office)), none) {
		t.Error("there is a number without an application")
	}
	s.AddApplication(pagestest.Applicant)
	for _, path := range []string{"", "/orders", "/applications", "/settings"} {
		pagestest.WantPage(t, boss.Get(pagestest.Office+path),
			http.StatusOK, `<span class="count num" aria-hidden="true">1</span>`, "1 份待审核")
	}
	if strings.Contains(pagestest.Text(t, employee.Get(pagestest.Office)), none) {
		t.Error("an employee, who may not decide, sees the number")
	}
	addCustomers(s, 98)
	pagestest.WantPage(t, boss.Get(pagestest.Office), http.StatusOK, `aria-hidden="true">99</span>`)
	s.AddApplication("13900000556")
	for lang, want := range map[string]string{
		"zh": "超过 99 份待审核", "es": "más de 99 en espera", "en": "more than 99 waiting",
	} {
		pagestest.WantPage(t, boss.Get(pagestest.Office+"?lang="+lang), http.StatusOK, `aria-hidden="true">99+</span>`,
			want)
	}
}

func TestReviewerTurnsTextMessagesOnAndOff(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{Limits: true})
	boss := s.SignInByPhone("13800000002")
	list := pagestest.Office + "/applications"
	pagestest.WantPage(t, boss.Get(list), http.StatusOK, "您不会收到短信", `value="notify_on"`)
	for _, action := range []string{"notify_on", "notify_on", "notify_off", "notify_off", "notify_on"} { // sent twice
		pagestest.WantRedirect(t, boss.Post(list, "action", action), "/mgr/applications")
	}
	pagestest.WantPage(t, boss.Get(list), http.StatusOK, "138****0002", `value="notify_off"`, "我们会短信通知您")
	pagestest.WantStatus(t, boss.Post(list, "action", "x"), http.StatusBadRequest)
	s.AddApplication(pagestest.Applicant)
	s.Portal.Stop(t.Context())
	s.Mu.Lock()
	last := s.Messages[len(s.Messages)-1]
	s.Mu.Unlock()
	if last.Notice != core.NoticeApplications || last.Phone != "13800000002" || last.Waiting != 1 ||
		last.Lang != "zh" {
		t.Fatalf("%+v", last)
	}
	if strings.Contains(last.Way, pagestest.Applicant) || !strings.HasSuffix(last.Way, "/mgr/applications") {
		t.Errorf("the message leads to %s", last.Way)
	}
	fresh := s.Browser() // opens the link of the message in a browser without a session
	signIn := fresh.Get(last.Way).Header.Get("Location")
	if !strings.Contains(signIn, "return=%2Fmgr%2Fapplications") {
		t.Errorf("the link leads to %s", signIn)
	}
}

func TestReviewerWithoutAPhoneSeesWhyMessagesAreUnavailable(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByName("northwind")
	const list = "http://store1003.portico.test/mgr/applications"
	page := pagestest.WantPage(t, b.Get(list+"?lang=en"), http.StatusOK, "add a phone number to your account", "/bind")
	if strings.Contains(page, "notify_on") {
		t.Error("there is a switch")
	}
	pagestest.WantRedirect(t, b.Post(list, "action", "notify_on"), "/mgr/applications")
	if strings.Contains(pagestest.Text(t, b.Get(list)), "We’ll text you") {
		t.Error("it says that a message will come")
	}
}
