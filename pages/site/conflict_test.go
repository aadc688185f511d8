package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/pages/pagestest"
)

func TestConflictingApplicationSettingShowsTheStoredValues(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	first, second := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000002")
	path, saved := pagestest.Settings+"/registration", "/mgr/settings/registration?done=saved"
	seen := pagestest.FieldValue(t, pagestest.Text(t, second.Get(path)), "seen")
	form := func(name, phone, seen string, more ...string) url.Values {
		return url.Values{
			"open": {"1"}, "required": more, "contact_name": {name}, "contact_phone": {phone}, "seen": {seen},
		}
	}
	pagestest.WantRedirect(t, first.Do(http.MethodPost, path, form("周洁", "13700000001", seen, "licence")), saved)
	theirs := form("陈静", "13900000222", seen, "reason")
	events := len(s.AuditEvents("registration_set"))
	asked := pagestest.WantPage(t, second.Do(http.MethodPost, path, theirs), http.StatusUnprocessableEntity,
		"您打开此页面后，客户注册设置已被修改", `value="陈静"`, `value="139 0000 0222"`, `name="required" value="reason" checked`, "已保存的内容",
		"<dd>周洁</dd>", "<dd>137 0000 0001</dd>", "<dd>营业执照</dd>")
	if strings.Contains(asked, "<dd>开启</dd>") {
		t.Error("the page lists values that are the same")
	}
	if len(s.AuditEvents("registration_set")) != events || s.Account("jinsui").Company.ContactName != "周洁" {
		t.Error("the setting was saved before the form was sent again")
	}
	if newTag := pagestest.FieldValue(t, asked, "seen"); newTag == seen {
		t.Error("the form would ask again")
	} else {
		theirs.Set("seen", newTag)
	}
	pagestest.WantRedirect(t, second.Do(http.MethodPost, path, theirs), saved)
	pagestest.WantPage(t, first.Get(path), http.StatusOK, `value="陈静"`)
}

func TestRefusedApplicationSettingKeepsTheTagOfTheShownValues(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	first, second := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000002")
	path := pagestest.Settings + "/registration"
	seen := pagestest.FieldValue(t, pagestest.Text(t, second.Get(path)), "seen")
	pagestest.WantStatus(t, first.Post(path, "contact_name", "周洁", "contact_phone", "13700000001", "seen", seen),
		http.StatusSeeOther)
	for _, form := range [][]string{
		{"contact_name", "陈静", "contact_phone", "1"}, {"contact_name", "陈静", "lang", "zh"},
	} {
		page := pagestest.Text(t, second.Post(path, append(form, "seen", seen)...))
		if pagestest.FieldValue(t, page, "seen") != seen || strings.Contains(page, "已保存的内容") {
			t.Errorf("%v: the first change would be replaced without a question", form)
		}
	}
}

func TestConflictingEmployeeRightsShowTheStoredValues(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	first, second := s.SignInByPhone("13800000002"), s.SignInByPhone("13800000002")
	path, saved := pagestest.Settings+"/employees", "/mgr/settings/employees?done=saved"
	seen := pagestest.FieldValue(t, pagestest.Text(t, second.Get(path)), "seen")
	pagestest.WantRedirect(t, first.Do(http.MethodPost, path,
		url.Values{"rights": {"people", "audit"}, "seen": {seen}}),
		saved)
	theirs := url.Values{"rights": {"orders", "customers", "applications"}, "seen": {seen}}
	asked := pagestest.WantPage(t, second.Do(http.MethodPost, path, theirs), http.StatusUnprocessableEntity,
		"您打开此页面后，员工权限已被修改", `value="orders" checked`, `value="applications" checked`, "已保存的内容")
	if strings.Contains(asked, `value="people" checked`) ||
		s.Account("jinsui").Company.EmployeeRights != "people audit" {
		t.Error("the second choice is lost, or was saved before the form was sent again")
	}
	theirs.Set("seen", pagestest.FieldValue(t, asked, "seen"))
	pagestest.WantRedirect(t, second.Do(http.MethodPost, path, theirs), saved)
	if rights := s.Account("jinsui").Company.EmployeeRights; rights != "orders customers applications" {
		t.Error(rights)
	}
}

func TestChangedLookDoesNotBlockOtherSettings(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	registration := pagestest.FieldValue(t, pagestest.Text(t, b.Get(pagestest.Settings+"/registration")), "seen")
	employees := pagestest.FieldValue(t, pagestest.Text(t, b.Get(pagestest.Settings+"/employees")), "seen")
	pagestest.WantStatus(t, b.Post(pagestest.Settings+"/appearance", "name", "金穗商行", "language", "zh"),
		http.StatusSeeOther)
	pagestest.WantStatus(t, b.Post(pagestest.Settings+"/registration", "contact_name", "周洁", "contact_phone",
		"13700000001", "seen",
		registration), http.StatusSeeOther)
	pagestest.WantStatus(t, b.Post(pagestest.Settings+"/employees", "rights", "orders", "seen", employees),
		http.StatusSeeOther)
}

// The response is lost, and the person opens the page again and sends the same values.
func TestSavingUnchangedSettingsAgainLogsOneEvent(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	for _, c := range []struct {
		kind, path string
		form       url.Values
	}{
		{"registration_set", "/registration", url.Values{"open": {"1"}, "contact_name": {"周洁"},
			"contact_phone": {"13700000001"}}},
		{"employee_rights_set", "/employees", url.Values{"rights": {"audit", "orders"}}},
		{"appearance_set", "/appearance", url.Values{"name": {"金穗商行"}, "language": {"zh"}, "theme": {"D9480F"},
			"style": {".lead{color:red}"}}},
		{"bank_account_set", "/bank", url.Values{"bank_holder": {"金穗"}, "bank_name": {"示例银行"},
			"bank_card": {"6222000000000001"}}},
		{"desktop_domain_set", "/appearance", url.Values{"action": {"domain_desktop jinsui.test"}}},
	} {
		pagestest.WantStatus(t, b.Do(http.MethodPost, pagestest.Settings+c.path, c.form), http.StatusSeeOther)
		stored := s.DumpWithoutSessions()
		for range 2 {
			c.form.Set("seen", pagestest.FieldValue(t, pagestest.Text(t, b.Get(pagestest.Settings+c.path)), "seen"))
			pagestest.WantStatus(t, b.Do(http.MethodPost, pagestest.Settings+c.path, c.form), http.StatusSeeOther)
		}
		if n := len(s.AuditEvents(c.kind)); n != 1 || s.DumpWithoutSessions() != stored {
			t.Errorf("%s: %d events, or something was written", c.kind, n)
		}
	}
}
