package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/backoffice"
	"portico/portal/credentials"
	"portico/portal/ordering"
)

const peoplePath = "http://store1001.portico.test/mgr/people"

func TestAnAccountIsOpenedForAPhoneByLinkAndQRCode(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	wantPage(t, b.get(peoplePath+"/new"), http.StatusOK, `name="type" value="2" checked`, `name="side" value="mgr"`, `name="phone"`)
	form := wantPage(t, b.get(peoplePath+"/new?side=shop"), http.StatusOK, `name="type" value="3"`, "芳华便利店", `name="client_name"`)
	if strings.Contains(form, "老街副食") {
		t.Error("a customer that is no partner can be chosen")
	}
	client := found(t, form, `<option value="(\d+)">芳华便利店`)
	refusedForm := wantPage(t, b.post(peoplePath+"/new", "side", "shop", "type", "3", "name", "", "phone", "123", "client_id", client), http.StatusUnprocessableEntity,
		"请输入对方的姓名。", "手机号应为 11 位", `aria-describedby="name-msg"`, `value="123"`, `<option value="`+client+`" selected>`)
	if strings.Contains(refusedForm, "请选择客户") {
		t.Error("the chosen customer is asked for again")
	}
	r := b.post(peoplePath+"/new", "side", "shop", "type", "3", "name", "新采购", "phone", "139 1234 5678", "client_id", client)
	wantStatus(t, r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !regexp.MustCompile(`^/mgr/people/\d+\?done=opened$`).MatchString(to) {
		t.Fatal(to)
	}
	address := "http://store1001.portico.test" + to
	page := wantPage(t, b.get(address), http.StatusOK, "新采购", "已邀请", "139****5678", "账号已开通。", "有效期至 2026年10月8日", `<svg class="qr" role="img" aria-label="邀请链接的二维码"`)
	link := found(t, page, `readonly value="([^"]+)"`)
	if strings.Contains(page, "13912345678") || strings.Contains(page, "style=") || strings.Contains(page, `value="reset_password"`) {
		t.Error("more is shown than may be")
	}
	wantPage(t, s.browser().get(link), http.StatusOK, "开通账号", "139****5678")
	address, _, _ = strings.Cut(address, "?")
	s.clock = s.clock.Add(accounts.InvitationLife + time.Minute)
	wantStatus(t, s.browser().get(link), http.StatusNotFound)
	b = s.within("13800000002")
	if ended := wantPage(t, b.get(address), http.StatusOK, "邀请链接已过期", `value="invite"`); strings.Contains(ended, "readonly") || strings.Contains(ended, `class="qr"`) {
		t.Error("a link that has ended is shown")
	}
	wantTo(t, b.post(address, "action", "invite"), strings.TrimSuffix(to, "opened")+"invite")
	fresh := found(t, text(t, b.get(address)), `readonly value="([^"]+)"`)
	wantStatus(t, s.browser().get(fresh), http.StatusOK)
	s.clock = s.clock.Add(time.Minute)
	wantStatus(t, b.post(address, "action", "invite"), http.StatusSeeOther)
	wantStatus(t, s.browser().get(fresh), http.StatusNotFound)
	wantStatus(t, s.browser().get(found(t, text(t, b.get(address)), `readonly value="([^"]+)"`)), http.StatusOK)
	wantPage(t, b.post(peoplePath+"/new", "side", "shop", "type", "3", "name", "又一个", "phone", "13912345678", "client_id", client), http.StatusUnprocessableEntity, "此手机号在这一端已有账号。", `value="又一个"`)
}

func TestAFirstPasswordIsShownOnceAndReplacedAtTheFirstSignIn(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	form := found(t, text(t, b.get(peoplePath+"/new")), `name="form" value="([^"]+)"`)
	opened := b.post(peoplePath+"/new", "side", "mgr", "type", "2", "login", "xiaoli", "name", "小李", "form", form)
	if opened.Header.Get("Cache-Control") != "no-store" || len(opened.Cookies()) != 0 {
		t.Error("it may be kept", opened.Header)
	}
	page := wantPage(t, opened, http.StatusOK, "xiaoli", "只显示这一次", "2026年10月8日")
	password := found(t, page, `translate="no">([a-z2-9]{12})<`)
	back := found(t, page, `href="/mgr/people/(\d+)"`)
	reloaded := b.post(peoplePath+"/new", "side", "mgr", "type", "2", "login", "xiaoli", "name", "小李", "form", form)
	wantTo(t, reloaded, "/mgr/people/"+back+"?done=opened_before")
	if again := wantPage(t, b.get(peoplePath+"/"+back), http.StatusOK, "待改初始密码"); strings.Contains(again, password) {
		t.Error("it is shown again")
	}
	if strings.Contains(s.log.String(), password) {
		t.Error("it is in the log")
	}

	const account = "http://account.portico.test"
	n := s.browser()
	wantTo(t, n.post(account+"/login/account", "login", "xiaoli", "password", password), "/password")
	for _, path := range []string{"/company", "/accounts", "/enter", "/unbind", "/phone"} {
		wantTo(t, n.get(account+path), "/password")
	}
	wantTo(t, n.post(account+"/company", "action", "continue"), "/password")
	wantTo(t, n.post(account+"/accounts", "account_id", back), "/password")
	wantPage(t, n.get(account+"/password"), http.StatusOK, "请先设置自己的密码", "初始密码")
	wantPage(t, n.post(account+"/password", "old_password", password, "password", password, "confirm_password", password), http.StatusUnprocessableEntity, "新密码与原密码相同", "请先设置自己的密码")
	wantTo(t, n.post(account+"/password", "old_password", password, "password", "Zeegras55", "confirm_password", "Zeegras55"), "/bind")
	landed, _ := n.follow(n.post(account+"/bind", "action", "skip"), account+"/bind")
	wantPage(t, landed, http.StatusOK, "小李，您好")

	given := wantPage(t, b.post(peoplePath+"/"+back, "action", "reset_password"), http.StatusOK, "初始密码已设置。")
	password = found(t, given, `translate="no">([a-z2-9]{12})<`)
	wantTo(t, n.get(account+"/accounts"), "/login?done=session_ended")
	s.clock = s.clock.Add(credentials.FirstPasswordLife)
	wantPage(t, s.browser().post(account+"/login/account", "login", "xiaoli", "password", password), http.StatusUnprocessableEntity, "初始密码已过期", "金穗粮油", "tel:")
}

// opening sends the form that opens an account; fields come in pairs.
func (b *browser) opening(fields ...string) *http.Response {
	b.t.Helper()
	return b.post(peoplePath+"/new", append(fields, "form", ordering.NewForm())...)
}

func TestOpeningTheSameAccountAgainNeedsAConfirmation(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	client := decimal(s.account("buyer1").ClientID)
	for _, fields := range [][]string{
		{"side", "mgr", "type", "2", "name", "小李"}, {"side", "shop", "type", "3", "name", "小李", "client_id", client},
		{"side", "shop", "type", "3", "name", "小李", "client_name", "新店"},
	} {
		opened := wantPage(t, b.opening(fields...), http.StatusOK, "只显示这一次")
		id := found(t, opened, `href="/mgr/people/(\d+)"`)
		events := len(s.events("account_opened"))
		asked := wantPage(t, b.opening(fields...), http.StatusUnprocessableEntity, "您已于 16:00 为小李开通过账号",
			`name="again" value="1"`, `value="小李"`, `id="summary"`,
			`href="/mgr/people/`+id+`?done=opened_before"`)
		if len(s.events("account_opened")) != events {
			t.Errorf("%v: a second account is opened without a question", fields)
		}
		wantPage(t, b.get(peoplePath+"/"+id+"?done=opened_before"), http.StatusOK, "如果您没有看到")
		wantPage(t, b.post(peoplePath+"/new", append(fields, "form", fieldOf(t, asked, "form"), "again", "1")...),
			http.StatusOK, "只显示这一次")
	}
	if switched := wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小李", "again", "1", "lang", "en"),
		http.StatusOK, `value="小李"`); strings.Contains(switched, `name="again"`) {
		t.Error("switching the language confirms the question")
	}
	wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小李"), http.StatusUnprocessableEntity,
		"You already opened an account for 小李 at 16:00")
	wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小李", "lang", "es"), http.StatusOK)
	wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小李"), http.StatusUnprocessableEntity,
		"ya abrió una cuenta para 小李 a las 16:00")
}

func TestATakenNameOrPhoneIsRefusedWithoutAQuestion(t *testing.T) {
	b := newSite(t, options{}).within("13800000002")
	wantStatus(t, b.opening("side", "mgr", "type", "2", "name", "小李", "login", "xiaoli"), http.StatusOK)
	taken := wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小李", "login", "xiaoli"),
		http.StatusUnprocessableEntity, "账号名已被使用")
	wantStatus(t, b.opening("side", "mgr", "type", "2", "name", "小王", "phone", "13912345678"), http.StatusSeeOther)
	again := wantPage(t, b.opening("side", "mgr", "type", "2", "name", "小王", "phone", "13912345678"),
		http.StatusUnprocessableEntity, "此手机号在这一端已有账号")
	if strings.Contains(taken+again, `name="again"`) {
		t.Error("the page asks about an account that cannot be opened")
	}
}

func TestAFirstPasswordWhoseResponseWasLostCanBeReplaced(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	form := []string{"side", "mgr", "type", "2", "name", "小李", "login", "xiaoli", "form", ordering.NewForm()}
	password := found(t, text(t, b.post(peoplePath+"/new", form...)),
		`translate="no">([a-z2-9]{12})<`) // its answer is lost
	again := func() string {
		r := b.post(peoplePath+"/new", form...)
		wantTo(t, r, "/mgr/people/"+decimal(s.account("xiaoli").ID)+"?done=opened_before")
		return wantPage(t, b.get("http://store1001.portico.test"+r.Header.Get("Location")), http.StatusOK, "此账号已经开通")
	}
	const unseen = "如果您没有看到"
	if page := again(); !strings.Contains(page, unseen) || !strings.Contains(page, `href="#reset"`) ||
		!strings.Contains(page, `value="reset_password"`) || strings.Contains(page, password) {
		t.Error("the page does not say what to do, or shows the password", page)
	}
	s.clock = s.clock.Add(time.Minute)
	person := peoplePath + "/" + decimal(s.account("xiaoli").ID)
	password = found(t, wantPage(t, b.post(person, "action", "reset_password"), http.StatusOK),
		`translate="no">([a-z2-9]{12})<`)
	if strings.Contains(again(), unseen) {
		t.Error("another first password was made and shown")
	}
	n := s.browser()
	wantTo(t, n.post("http://account.portico.test/login/account", "login", "xiaoli", "password", password), "/password")
	if strings.Contains(again(), unseen) {
		t.Error("it was used")
	}
}

func TestAFirstPasswordThatWasUsedIsNotCalledUnseen(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	form := []string{"side", "mgr", "type", "2", "name", "小李", "login", "xiaoli", "form", ordering.NewForm()}
	password := found(t, text(t, b.post(peoplePath+"/new", form...)), `translate="no">([a-z2-9]{12})<`)
	n := s.browser()
	const account = "http://account.portico.test"
	again := func(when string) {
		page := wantPage(t, b.get(peoplePath+"/"+decimal(s.account("xiaoli").ID)+"?done=opened_before"),
			http.StatusOK, "此账号已经开通")
		if strings.Contains(page, "如果您没有看到") {
			t.Error(when)
		}
	}
	wantTo(t, n.post(account+"/login/account", "login", "xiaoli", "password", password), "/password")
	again("it was used")
	wantTo(t, n.post(account+"/password", "old_password", password, "password", "Zeegras55", "confirm_password",
		"Zeegras55"), "/bind")
	again("it was replaced")
}

func TestAnAccountIsDisabledAndEnabledOnItsPage(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	buyer := s.within("13800000001")
	person := peoplePath + "/" + decimal(s.account("buyer1").ID)
	wantPage(t, b.get(person), http.StatusOK, "不会改变", `value="disable" aria-describedby="disable-body"`)
	wantStatus(t, b.post(person, "action", "erase"), http.StatusBadRequest)
	wantTo(t, b.post(person, "action", "disable"), "/mgr/people/"+decimal(s.account("buyer1").ID)+"?done=disable")
	wantTo(t, buyer.get(shop), "/login?done=session_ended")
	wantPage(t, b.get(person+"?done=disable"), http.StatusOK, "已停用", "账号已停用。", `value="enable"`)
	wantStatus(t, b.post(person, "action", "enable"), http.StatusSeeOther)
	own := peoplePath + "/" + decimal(s.account("jinsui").ID)
	if page := wantPage(t, b.get(own), http.StatusOK, "陈静"); strings.Contains(page, `value="disable"`) || strings.Contains(page, `value="reset_password"`) {
		t.Error("one's own account can be disabled")
	}
	wantPage(t, b.post(own, "action", "disable"), http.StatusUnprocessableEntity, "您是企业唯一的管理员", `id="summary"`)
	wantPage(t, b.post(own, "action", "reset_password"), http.StatusUnprocessableEntity, "不能对自己的账号")
	review := peoplePath + "/" + decimal(s.account("review").ID)
	wantPage(t, b.get(review), http.StatusOK, "通过审核并启用", "审核中")
}

func TestACustomersPageEndsAndResumesThePartnership(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	buyer := s.within("13800000001")
	customer := office + "/customers/" + decimal(s.account("buyer1").ClientID)
	wantPage(t, b.get(office+"/customers"), http.StatusOK, `href="/mgr/customers/`+decimal(s.account("buyer1").ClientID)+`"`)
	wantPage(t, b.get(customer), http.StatusOK, "芳华便利店", "buyer1", "/mgr/people/"+decimal(s.account("buyer1").ID), `value="end"`, "client_id="+decimal(s.account("buyer1").ClientID))
	wantStatus(t, b.post(customer, "action", "erase"), http.StatusBadRequest)
	wantStatus(t, b.post(customer, "action", "end"), http.StatusSeeOther)
	wantTo(t, buyer.get(shop), "/login?done=session_ended")
	wantPage(t, b.get(customer+"?done=end"), http.StatusOK, "合作已终止。", `value="resume"`)
	wantStatus(t, b.post(customer, "action", "resume"), http.StatusSeeOther)
	wantPage(t, b.get(customer+"?done=resume"), http.StatusOK, "合作已恢复。")
	s.within("13800000001")
}

func TestALongListOfPeopleHasPagesWithoutScripts(t *testing.T) {
	s := newSite(t, options{})
	b := s.within("13800000002")
	here := access.Landing{Member: s.account("jinsui")}
	for range backoffice.PeopleShown + 1 {
		if _, err := s.p.Backoffice.OpenAccount(t.Context(), here, backoffice.OpenAccountInput{Side: "mgr", Type: 2, Name: "同事",
			Again: true}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	address := peoplePath + "?side=mgr"
	for range 2 {
		page := text(t, b.get(address))
		for _, m := range regexp.MustCompile(`href="/mgr/people/(\d+)"`).FindAllStringSubmatch(page, -1) {
			seen = append(seen, m[1])
		}
		if more := regexp.MustCompile(`href="(/mgr/people\?after=[^"]+)"`).FindStringSubmatch(page); more != nil {
			address = "http://store1001.portico.test" + strings.ReplaceAll(more[1], "&amp;", "&")
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("side") != "mgr" {
		t.Error(address)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(seen))); len(distinct) != len(seen) || len(seen) != backoffice.PeopleShown+3 {
		t.Errorf("%d people on two pages, %d distinct", len(seen), len(distinct))
	}
}
