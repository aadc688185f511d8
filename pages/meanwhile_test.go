package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/store"
)

// events are those of a kind in the log of company 1001.
func (s *site) events(kind string) (all []store.AuditEvent) {
	s.t.Helper()
	log, err := s.db.AuditEvents(s.t.Context(), 1001, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range log {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

func TestTheSecondToSaveTheApplicationSettingSeesWhatTheFirstSaved(t *testing.T) {
	s := newSite(t, options{})
	first, second := s.within("13800000002"), s.within("13800000002")
	path, saved := settings+"/registration", "/mgr/settings/registration?done=saved"
	seen := fieldOf(t, text(t, second.get(path)), "seen")
	form := func(name, phone, seen string, more ...string) url.Values {
		return url.Values{
			"open": {"1"}, "required": more, "contact_name": {name}, "contact_phone": {phone}, "seen": {seen},
		}
	}
	wantTo(t, first.do(http.MethodPost, path, form("周洁", "13700000001", seen, "licence")), saved)
	theirs := form("陈静", "13900000222", seen, "reason")
	events := len(s.events("registration_set"))
	asked := wantPage(t, second.do(http.MethodPost, path, theirs), http.StatusUnprocessableEntity,
		"客户注册设置在您打开此页面后已被修改", `value="陈静"`, `value="139 0000 0222"`, `name="required" value="reason" checked`, "已保存的内容", "<dd>周洁</dd>", "<dd>137 0000 0001</dd>", "<dd>营业执照</dd>")
	if strings.Contains(asked, "<dd>开启</dd>") {
		t.Error("the page lists values that are the same")
	}
	if len(s.events("registration_set")) != events || s.account("jinsui").Company.ContactName != "周洁" {
		t.Error("the setting was saved before the form was sent again")
	}
	if fresh := fieldOf(t, asked, "seen"); fresh == seen {
		t.Error("the form would ask again")
	} else {
		theirs.Set("seen", fresh)
	}
	wantTo(t, second.do(http.MethodPost, path, theirs), saved)
	wantPage(t, first.get(path), http.StatusOK, `value="陈静"`)
}

func TestARefusedApplicationSettingKeepsWhatWasSeen(t *testing.T) {
	s := newSite(t, options{})
	first, second := s.within("13800000002"), s.within("13800000002")
	path := settings + "/registration"
	seen := fieldOf(t, text(t, second.get(path)), "seen")
	wantStatus(t, first.post(path, "contact_name", "周洁", "contact_phone", "13700000001", "seen", seen),
		http.StatusSeeOther)
	for _, form := range [][]string{
		{"contact_name", "陈静", "contact_phone", "1"}, {"contact_name", "陈静", "lang", "zh"},
	} {
		page := text(t, second.post(path, append(form, "seen", seen)...))
		if fieldOf(t, page, "seen") != seen || strings.Contains(page, "已保存的内容") {
			t.Errorf("%v: the first change would be replaced without a question", form)
		}
	}
}

func TestTheSecondToSaveTheEmployeesRightsSeesWhatTheFirstSaved(t *testing.T) {
	s := newSite(t, options{})
	first, second := s.within("13800000002"), s.within("13800000002")
	path, saved := settings+"/employees", "/mgr/settings/employees?done=saved"
	seen := fieldOf(t, text(t, second.get(path)), "seen")
	wantTo(t, first.do(http.MethodPost, path, url.Values{"rights": {"people", "audit"}, "seen": {seen}}), saved)
	theirs := url.Values{"rights": {"orders", "customers", "applications"}, "seen": {seen}}
	asked := wantPage(t, second.do(http.MethodPost, path, theirs), http.StatusUnprocessableEntity,
		"员工权限在您打开此页面后已被修改", `value="orders" checked`, `value="applications" checked`, "已保存的内容")
	if strings.Contains(asked, `value="people" checked`) ||
		s.account("jinsui").Company.EmployeeRights != "people audit" {
		t.Error("the second choice is lost, or was saved before the form was sent again")
	}
	theirs.Set("seen", fieldOf(t, asked, "seen"))
	wantTo(t, second.do(http.MethodPost, path, theirs), saved)
	if rights := s.account("jinsui").Company.EmployeeRights; rights != "orders customers applications" {
		t.Error(rights)
	}
}

func TestAChangedAppearanceDoesNotBlockOtherSettings(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	registration := fieldOf(t, text(t, b.get(settings+"/registration")), "seen")
	employees := fieldOf(t, text(t, b.get(settings+"/employees")), "seen")
	wantStatus(t, b.post(settings+"/appearance", "name", "金穗商行", "language", "zh"), http.StatusSeeOther)
	wantStatus(t, b.post(settings+"/registration", "contact_name", "周洁", "contact_phone", "13700000001", "seen",
		registration), http.StatusSeeOther)
	wantStatus(t, b.post(settings+"/employees", "rights", "orders", "seen", employees), http.StatusSeeOther)
}

// The response is lost, and the person opens the page again and sends the same values.
func TestSavingUnchangedSettingsAgainLogsOneEvent(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
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
		wantStatus(t, b.do(http.MethodPost, settings+c.path, c.form), http.StatusSeeOther)
		stored := s.stored()
		for range 2 {
			c.form.Set("seen", fieldOf(t, text(t, b.get(settings+c.path)), "seen"))
			wantStatus(t, b.do(http.MethodPost, settings+c.path, c.form), http.StatusSeeOther)
		}
		if n := len(s.events(c.kind)); n != 1 || s.stored() != stored {
			t.Errorf("%s: %d events, or something was written", c.kind, n)
		}
	}
}
