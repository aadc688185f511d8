package office_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/office"
	"portico/portal/shop"
	"portico/portal/signin"
)

func TestAccountIsOpenedForAPhoneWithLinkAndQRCode(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, b.Get(pagestest.PeoplePath+"/new"), http.StatusOK, `name="type" value="2" checked`,
		`name="side" value="mgr"`, `name="phone"`)
	form := pagestest.WantPage(t, b.Get(pagestest.PeoplePath+"/new?side=shop"), http.StatusOK, `name="type" value="3"`,
		"芳华便利店", `name="client_name"`)
	if strings.Contains(form, "老街副食") {
		t.Error("a customer that is no partner can be chosen")
	}
	client := pagestest.FindIn(t, form, `<option value="(\d+)">芳华便利店`)
	refusedForm := pagestest.WantPage(t, b.Post(pagestest.PeoplePath+"/new", "side", "shop", "type", "3", "name", "",
		"phone", "123", "client_id", client), http.StatusUnprocessableEntity,
		"请输入对方的姓名。", "手机号应为 11 位", `aria-describedby="name-msg"`, `value="123"`, `<option value="`+client+`" selected>`)
	if strings.Contains(refusedForm, "请选择客户") {
		t.Error("the form asks for the chosen customer again")
	}
	r := b.Post(pagestest.PeoplePath+"/new", "side", "shop", "type", "3", "name", "新采购", "phone", "139 1234 5678",
		"client_id", client)
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !regexp.MustCompile(`^/mgr/people/\d+\?done=opened$`).MatchString(to) {
		t.Fatal(to)
	}
	address := "http://store1001.portico.test" + to
	page := pagestest.WantPage(t, b.Get(address), http.StatusOK, "新采购", "已邀请", "139****5678", "账号已开通。",
		"有效期至 2026年10月8日", `<svg class="qr" role="img" aria-label="邀请链接的二维码"`)
	link := pagestest.FindIn(t, page, `readonly value="([^"]+)"`)
	if strings.Contains(page, "13912345678") || strings.Contains(page, "style=") ||
		strings.Contains(page, `value="reset_password"`) {
		t.Error("more is shown than may be")
	}
	pagestest.WantPage(t, s.Browser().Get(link), http.StatusOK, "开通账号", "139****5678")
	address, _, _ = strings.Cut(address, "?")
	s.Clock = s.Clock.Add(signin.InvitationLife + time.Minute)
	pagestest.WantStatus(t, s.Browser().Get(link), http.StatusNotFound)
	b = s.SignInByPhone("13800000002")
	if ended := pagestest.WantPage(t, b.Get(address), http.StatusOK, "邀请链接已过期",
		`value="invite"`); strings.Contains(ended, "readonly") || strings.Contains(ended, `class="qr"`) {
		t.Error("a link that has ended is shown")
	}
	pagestest.WantRedirect(t, b.Post(address, "action", "invite"), strings.TrimSuffix(to, "opened")+"invite")
	newLink := pagestest.FindIn(t, pagestest.Text(t, b.Get(address)), `readonly value="([^"]+)"`)
	pagestest.WantStatus(t, s.Browser().Get(newLink), http.StatusOK)
	s.Clock = s.Clock.Add(time.Minute)
	pagestest.WantStatus(t, b.Post(address, "action", "invite"), http.StatusSeeOther)
	pagestest.WantStatus(t, s.Browser().Get(newLink), http.StatusNotFound)
	pagestest.WantStatus(t, s.Browser().Get(pagestest.FindIn(t, pagestest.Text(t, b.Get(address)),
		`readonly value="([^"]+)"`)), http.StatusOK)
	pagestest.WantPage(t, b.Post(pagestest.PeoplePath+"/new", "side", "shop", "type", "3", "name", "又一个", "phone",
		"13912345678", "client_id", client), http.StatusUnprocessableEntity, "此手机号已有同类账号，请换一个手机号。", `value="又一个"`)
}

func TestFirstPasswordIsShownOnceAndReplacedAtTheFirstSignIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	form := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.PeoplePath+"/new")), `name="form" value="([^"]+)"`)
	opened := b.Post(pagestest.PeoplePath+"/new", "side", "mgr", "type", "2", "login", "xiaoli", "name", "小李", "form",
		form)
	if opened.Header.Get("Cache-Control") != "no-store" || len(opened.Cookies()) != 0 {
		t.Error("it may be kept", opened.Header)
	}
	page := pagestest.WantPage(t, opened, http.StatusOK, "xiaoli", "只显示这一次", "2026年10月8日")
	password := pagestest.FindIn(t, page, `translate="no">([a-z2-9]{12})<`)
	back := pagestest.FindIn(t, page, `href="/mgr/people/(\d+)"`)
	reloaded := b.Post(pagestest.PeoplePath+"/new", "side", "mgr", "type", "2", "login", "xiaoli", "name", "小李", "form",
		form)
	pagestest.WantRedirect(t, reloaded, "/mgr/people/"+back+"?done=opened_before")
	if again := pagestest.WantPage(t, b.Get(pagestest.PeoplePath+"/"+back), http.StatusOK,
		"待改初始密码"); strings.Contains(again, password) {
		t.Error("the first password is shown again")
	}
	if strings.Contains(s.Log.String(), password) {
		t.Error("the first password is in the log")
	}

	const account = "http://account.portico.test"
	n := s.Browser()
	pagestest.WantRedirect(t, n.Post(account+"/login/account", "login", "xiaoli", "password", password), "/password")
	for _, path := range []string{"/company", "/accounts", "/enter", "/unbind", "/phone"} {
		pagestest.WantRedirect(t, n.Get(account+path), "/password")
	}
	pagestest.WantRedirect(t, n.Post(account+"/company", "action", "continue"), "/password")
	pagestest.WantRedirect(t, n.Post(account+"/accounts", "account_id", back), "/password")
	pagestest.WantPage(t, n.Get(account+"/password"), http.StatusOK, "请先设置自己的密码", "初始密码")
	pagestest.WantPage(t, n.Post(account+"/password", "old_password", password, "password", password,
		"confirm_password", password), http.StatusUnprocessableEntity, "新密码与原密码相同", "请先设置自己的密码")
	pagestest.WantRedirect(t, n.Post(account+"/password", "old_password", password, "password", "Zeegras55",
		"confirm_password", "Zeegras55"), "/bind")
	landed, _ := n.Follow(n.Post(account+"/bind", "action", "skip"), account+"/bind")
	pagestest.WantPage(t, landed, http.StatusOK, "小李，您好")

	given := pagestest.WantPage(t, b.Post(pagestest.PeoplePath+"/"+back, "action", "reset_password"), http.StatusOK,
		"初始密码已设置。")
	password = pagestest.FindIn(t, given, `translate="no">([a-z2-9]{12})<`)
	pagestest.WantRedirect(t, n.Get(account+"/accounts"), "/login?done=session_ended")
	s.Clock = s.Clock.Add(credentials.FirstPasswordLife)
	pagestest.WantPage(t, s.Browser().Post(account+"/login/account", "login", "xiaoli", "password", password),
		http.StatusUnprocessableEntity, "初始密码已过期", "金穗粮油", "tel:")
}

func TestSecondEqualAccountNeedsAConfirmation(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	client := pagestest.Decimal(s.Account("buyer1").ClientID)
	for _, fields := range [][]string{
		{"side", "mgr", "type", "2", "name", "小李"}, {"side", "shop", "type", "3", "name", "小李", "client_id", client},
		{"side", "shop", "type", "3", "name", "小李", "client_name", "新店"},
	} {
		opened := pagestest.WantPage(t, openAccount(b, fields...), http.StatusOK, "只显示这一次")
		id := pagestest.FindIn(t, opened, `href="/mgr/people/(\d+)"`)
		events := len(s.AuditEvents("account_opened"))
		asked := pagestest.WantPage(t, openAccount(b, fields...), http.StatusUnprocessableEntity, "您已于 16:00 为小李开通过账号",
			`name="again" value="1"`, `value="小李"`, `id="summary"`,
			`href="/mgr/people/`+id+`?done=opened_before"`)
		if len(s.AuditEvents("account_opened")) != events {
			t.Errorf("%v: a second account is opened without a question", fields)
		}
		pagestest.WantPage(t, b.Get(pagestest.PeoplePath+"/"+id+"?done=opened_before"), http.StatusOK, "如果您没有看到")
		pagestest.WantPage(t, b.Post(pagestest.PeoplePath+"/new",
			append(fields, "form", pagestest.FieldValue(t, asked, "form"), "again", "1")...),
			http.StatusOK, "只显示这一次")
	}
	if switched := pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李", "again", "1", "lang",
		"en"),
		http.StatusOK, `value="小李"`); strings.Contains(switched, `name="again"`) {
		t.Error("switching the language confirms the question")
	}
	pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李"), http.StatusUnprocessableEntity,
		"You already created an account for 小李 at 16:00")
	pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李", "lang", "es"), http.StatusOK)
	pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李"), http.StatusUnprocessableEntity,
		"ya creó una cuenta para 小李 a las 16:00")
}

func TestTakenNameOrPhoneIsRefusedWithoutAConfirmation(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).SignInByPhone("13800000002")
	pagestest.WantStatus(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李", "login", "xiaoli"), http.StatusOK)
	taken := pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小李", "login", "xiaoli"),
		http.StatusUnprocessableEntity, "账号名已被使用")
	pagestest.WantStatus(t, openAccount(b, "side", "mgr", "type", "2", "name", "小王", "phone", "13912345678"),
		http.StatusSeeOther)
	again := pagestest.WantPage(t, openAccount(b, "side", "mgr", "type", "2", "name", "小王", "phone", "13912345678"),
		http.StatusUnprocessableEntity, "此手机号已有同类账号")
	if strings.Contains(taken+again, `name="again"`) {
		t.Error("the page asks about an account that cannot be opened")
	}
}

func TestFirstPasswordCanBeReplacedAfterALostResponse(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	form := []string{"side", "mgr", "type", "2", "name", "小李", "login", "xiaoli", "form", shop.NewForm()}
	password := pagestest.FindIn(t, pagestest.Text(t, b.Post(pagestest.PeoplePath+"/new", form...)),
		`translate="no">([a-z2-9]{12})<`) // the response is lost
	again := func() string {
		r := b.Post(pagestest.PeoplePath+"/new", form...)
		pagestest.WantRedirect(t, r, "/mgr/people/"+pagestest.Decimal(s.Account("xiaoli").ID)+"?done=opened_before")
		return pagestest.WantPage(t, b.Get("http://store1001.portico.test"+r.Header.Get("Location")), http.StatusOK,
			"此账号已经开通")
	}
	const unseen = "如果您没有看到"
	if page := again(); !strings.Contains(page, unseen) || !strings.Contains(page, `href="#reset"`) ||
		!strings.Contains(page, `value="reset_password"`) || strings.Contains(page, password) {
		t.Error("the page does not say what to do, or shows the password", page)
	}
	s.Clock = s.Clock.Add(time.Minute)
	person := pagestest.PeoplePath + "/" + pagestest.Decimal(s.Account("xiaoli").ID)
	password = pagestest.FindIn(t, pagestest.WantPage(t, b.Post(person, "action", "reset_password"), http.StatusOK),
		`translate="no">([a-z2-9]{12})<`)
	if strings.Contains(again(), unseen) {
		t.Error("another first password was made and shown")
	}
	n := s.Browser()
	pagestest.WantRedirect(t, n.Post("http://account.portico.test/login/account", "login", "xiaoli", "password",
		password),
		"/password")
	if strings.Contains(again(), unseen) {
		t.Error("it was used")
	}
}

func TestUsedFirstPasswordIsNotReportedAsUnseen(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	form := []string{"side", "mgr", "type", "2", "name", "小李", "login", "xiaoli", "form", shop.NewForm()}
	password := pagestest.FindIn(t, pagestest.Text(t, b.Post(pagestest.PeoplePath+"/new", form...)),
		`translate="no">([a-z2-9]{12})<`)
	n := s.Browser()
	const account = "http://account.portico.test"
	again := func(when string) {
		page := pagestest.WantPage(t,
			b.Get(pagestest.PeoplePath+"/"+pagestest.Decimal(s.Account("xiaoli").ID)+"?done=opened_before"),
			http.StatusOK, "此账号已经开通")
		if strings.Contains(page, "如果您没有看到") {
			t.Error(when)
		}
	}
	pagestest.WantRedirect(t, n.Post(account+"/login/account", "login", "xiaoli", "password", password), "/password")
	again("it was used")
	pagestest.WantRedirect(t, n.Post(account+"/password", "old_password", password, "password", "Zeegras55",
		"confirm_password",
		"Zeegras55"), "/bind")
	again("it was replaced")
}

func TestAccountIsDisabledAndEnabled(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	buyer := s.SignInByPhone("13800000001")
	person := pagestest.PeoplePath + "/" + pagestest.Decimal(s.Account("buyer1").ID)
	pagestest.WantPage(t, b.Get(person), http.StatusOK, "不受影响", `value="disable" aria-describedby="disable-body"`)
	pagestest.WantStatus(t, b.Post(person, "action", "erase"), http.StatusBadRequest)
	pagestest.WantRedirect(t, b.Post(person, "action", "disable"),
		"/mgr/people/"+pagestest.Decimal(s.Account("buyer1").ID)+"?done=disable")
	pagestest.WantRedirect(t, buyer.Get(pagestest.Shop), "/login?done=session_ended")
	pagestest.WantPage(t, b.Get(person+"?done=disable"), http.StatusOK, "已停用", "账号已停用。", `value="enable"`)
	pagestest.WantStatus(t, b.Post(person, "action", "enable"), http.StatusSeeOther)
	own := pagestest.PeoplePath + "/" + pagestest.Decimal(s.Account("jinsui").ID)
	if page := pagestest.WantPage(t, b.Get(own), http.StatusOK, "陈静"); strings.Contains(page, `value="disable"`) ||
		strings.Contains(page, `value="reset_password"`) {
		t.Error("one's own account can be disabled")
	}
	pagestest.WantPage(t, b.Post(own, "action", "disable"), http.StatusUnprocessableEntity, "您是企业唯一的管理员",
		`id="summary"`)
	pagestest.WantPage(t, b.Post(own, "action", "reset_password"), http.StatusUnprocessableEntity, "不能对自己的账号")
	review := pagestest.PeoplePath + "/" + pagestest.Decimal(s.Account("review").ID)
	pagestest.WantPage(t, b.Get(review), http.StatusOK, "通过审核并启用", "审核中")
}

func TestPartnershipIsEndedAndResumed(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	buyer := s.SignInByPhone("13800000001")
	customer := pagestest.Office + "/customers/" + pagestest.Decimal(s.Account("buyer1").ClientID)
	pagestest.WantPage(t, b.Get(pagestest.Office+"/customers"), http.StatusOK,
		`href="/mgr/customers/`+pagestest.Decimal(s.Account("buyer1").ClientID)+`"`)
	pagestest.WantPage(t, b.Get(customer), http.StatusOK, "芳华便利店", "buyer1",
		"/mgr/people/"+pagestest.Decimal(s.Account("buyer1").ID), `value="end"`,
		"client_id="+pagestest.Decimal(s.Account("buyer1").ClientID))
	pagestest.WantStatus(t, b.Post(customer, "action", "erase"), http.StatusBadRequest)
	pagestest.WantStatus(t, b.Post(customer, "action", "end"), http.StatusSeeOther)
	pagestest.WantRedirect(t, buyer.Get(pagestest.Shop), "/login?done=session_ended")
	pagestest.WantPage(t, b.Get(customer+"?done=end"), http.StatusOK, "合作已终止。", `value="resume"`)
	pagestest.WantStatus(t, b.Post(customer, "action", "resume"), http.StatusSeeOther)
	pagestest.WantPage(t, b.Get(customer+"?done=resume"), http.StatusOK, "合作已恢复。")
	s.SignInByPhone("13800000001")
}

func TestLongListOfPeopleHasPagesWithoutScripts(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.SignInByPhone("13800000002")
	here := access.Landing{Member: s.Account("jinsui")}
	for range 31 {
		if _, err := s.Portal.Backoffice.OpenAccount(t.Context(), here,
			office.OpenAccountInput{Side: "mgr", Type: 2, Name: "同事",
				Again: true}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	address := pagestest.PeoplePath + "?side=mgr"
	next := regexp.MustCompile(`class="button quiet" href="(/mgr/people\?cursor=[^"]+)"`)
	for range 2 {
		page := pagestest.Text(t, b.Get(address))
		for _, m := range regexp.MustCompile(`href="/mgr/people/(\d+)"`).FindAllStringSubmatch(page, -1) {
			seen = append(seen, m[1])
		}
		if more := next.FindStringSubmatch(page); more != nil {
			address = "http://store1001.portico.test" + strings.ReplaceAll(more[1], "&amp;", "&")
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("state") != "staff" {
		t.Error(address)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(seen))); len(distinct) != len(seen) ||
		len(seen) != 33 {
		t.Errorf("%d people on two pages, %d distinct", len(seen), len(distinct))
	}
}

// openAccount sends the form that opens an account in company 1001 and returns the answer; fields come in pairs of name
// and value.
func openAccount(b *pagestest.Browser, fields ...string) *http.Response {
	b.T.Helper()
	return b.Post(pagestest.PeoplePath+"/new", append(fields, "form", shop.NewForm())...)
}
