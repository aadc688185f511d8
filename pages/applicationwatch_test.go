package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/portal/verification"
)

func TestTheMenuShowsReviewersHowManyApplicationsWait(t *testing.T) {
	s := newSite(t, options{})
	boss, employee := s.within("13800000002"), s.employee()
	const none = `class="count num"`
	if strings.Contains(text(t, boss.get(office)), none) {
		t.Error("there is a number without an application")
	}
	s.applicationOf(applicant)
	for _, path := range []string{"", "/orders", "/applications", "/settings"} {
		wantPage(t, boss.get(office+path),
			http.StatusOK, `<span class="count num" aria-hidden="true">1</span>`, "1 份待审核")
	}
	if strings.Contains(text(t, employee.get(office)), none) {
		t.Error("an employee, who may not decide, sees the number")
	}
	s.addCustomers(98)
	wantPage(t, boss.get(office), http.StatusOK, `aria-hidden="true">99</span>`)
	s.applicationOf("13900000556")
	for lang, want := range map[string]string{
		"zh": "超过 99 份待审核", "es": "más de 99 en espera", "en": "more than 99 waiting",
	} {
		wantPage(t, boss.get(office+"?lang="+lang), http.StatusOK, `aria-hidden="true">99+</span>`, want)
	}
}

func TestAReviewerSwitchesMessagesOnAndOff(t *testing.T) {
	s := newSite(t, options{limits: true})
	boss := s.within("13800000002")
	list := office + "/applications"
	wantPage(t, boss.get(list), http.StatusOK, "您不会收到短信", `value="notify_on"`)
	for _, action := range []string{"notify_on", "notify_on", "notify_off", "notify_off", "notify_on"} { // sent twice
		wantTo(t, boss.post(list, "action", action), "/mgr/applications")
	}
	wantPage(t, boss.get(list), http.StatusOK, "138****0002", `value="notify_off"`, "我们会短信通知您")
	wantStatus(t, boss.post(list, "action", "x"), http.StatusBadRequest)
	s.applicationOf(applicant)
	s.p.Stop(t.Context())
	s.mu.Lock()
	last := s.messages[len(s.messages)-1]
	s.mu.Unlock()
	if last.Notice != verification.NoticeApplications || last.Phone != "13800000002" || last.Waiting != 1 ||
		last.Lang != "zh" {
		t.Fatalf("%+v", last)
	}
	if strings.Contains(last.Way, applicant) || !strings.HasSuffix(last.Way, "/mgr/applications") {
		t.Errorf("the message leads to %s", last.Way)
	}
	fresh := s.browser() // the link of the message, opened where nobody is signed in
	signIn := fresh.get(last.Way).Header.Get("Location")
	if !strings.Contains(signIn, "return=%2Fmgr%2Fapplications") {
		t.Errorf("the link leads to %s", signIn)
	}
}

func TestAReviewerWithoutAPhoneReadsWhyThereIsNoSwitch(t *testing.T) {
	s := newSite(t, options{})
	b := s.named("northwind")
	const list = "http://store1003.portico.test/mgr/applications"
	page := wantPage(t, b.get(list+"?lang=en"), http.StatusOK, "bind a phone to your account", "/bind")
	if strings.Contains(page, "notify_on") {
		t.Error("there is a switch")
	}
	wantTo(t, b.post(list, "action", "notify_on"), "/mgr/applications")
	if strings.Contains(text(t, b.get(list)), "We’ll text you") {
		t.Error("it says that a message will come")
	}
}
