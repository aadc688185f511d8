package pages_test

import (
	"bytes"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/portal/picturetest"
)

const profile = "http://account.portico.test/profile"

// atAccounts is a browser in which somebody is signed in on the account site.
func (s *site) atAccounts(phone string) *browser {
	s.t.Helper()
	b := s.browser()
	wantStatus(s.t, b.signIn("account.portico.test", phone), http.StatusSeeOther)
	return b
}

// withFile sends a form with a file; the other fields come in pairs.
func (b *browser) withFile(address, field string, data []byte, pairs ...string) *http.Response {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = w.WriteField(pairs[i], pairs[i+1])
	}
	part, _ := w.CreateFormFile(field, "portrait.jpg")
	_, _ = part.Write(data)
	_ = w.Close()
	return b.send(address, w.FormDataContentType(), &body, int64(body.Len()))
}

func TestPeopleChangeTheirProfileOnThePage(t *testing.T) {
	s := newSite(t, options{})
	b := s.atAccounts("13800000001")
	id := decimal(s.account("buyer1").ID)
	wantPage(t, b.get("http://account.portico.test/accounts"), http.StatusOK, `href="/profile"`)
	page := wantPage(t, b.get(profile), http.StatusOK, "个人资料", `name="account_id" value="`+id+`"`, `value="王芳"`,
		`enctype="multipart/form-data"`, `name="portrait"`)
	if strings.Contains(page, "use_wechat") || strings.Contains(page, "remove_portrait") {
		t.Error("there is nothing to take or to remove")
	}
	typed := []string{"account_id", id, "name", "", "position", "采购"}
	wantPage(t, b.post(profile, append(typed, "action", "save")...), http.StatusUnprocessableEntity, `href="#name"`, `value="采购"`)
	wantPage(t, b.post(profile, append(typed, "action", "save", "lang", "es")...), http.StatusOK, "Su perfil", `value="采购"`)
	b.post(profile, append(typed, "lang", "zh")...)
	typed[3] = "王芳芳"
	wantTo(t, b.post(profile, append(typed, "action", "save")...), "/profile?account_id="+id+"&done=save")
	wantPage(t, b.get(profile+"?account_id="+id+"&done=save"), http.StatusOK, "资料已保存。", `value="王芳芳"`, `value="采购"`)
	wantStatus(t, b.post(profile, "account_id", id), http.StatusBadRequest)
	wantStatus(t, b.post(profile, "account_id", decimal(s.account("jinsui").ID), "name", "别人", "action", "save"), http.StatusNotFound)
	wantTo(t, s.browser().get(profile), "/login")
}

func TestSeveralAccountsHaveAProfileEach(t *testing.T) {
	s := newSite(t, options{})
	b := s.atAccounts("13800000003")
	page := wantPage(t, b.get(profile), http.StatusOK, "Mariscos del Sur", "li.manager", "li.shop", "li.lights")
	if strings.Contains(page, `name="name"`) || strings.Count(page, `href="/profile?account_id=`) != 4 {
		t.Error("there is no choice of four")
	}
	id := decimal(s.account("li.manager").ID)
	wantPage(t, b.get(profile+"?account_id="+id), http.StatusOK, "金穗粮油", "li.manager", `href="/profile"`)
	wantStatus(t, b.get(profile+"?account_id="+decimal(s.account("buyer1").ID)), http.StatusNotFound)
}

func TestAPortraitIsSentShownAndRemoved(t *testing.T) {
	s := newSite(t, options{})
	b := s.atAccounts("13800000001")
	id := decimal(s.account("buyer1").ID)
	form := []string{"account_id", id, "name", "王芳", "position", "采购", "action", "save"}
	wantPage(t, b.withFile(profile, "portrait", []byte("<svg/>"), form...), http.StatusUnprocessableEntity, "仅支持 JPEG", `href="#portrait"`, `value="采购"`)
	wantStatus(t, b.withFile(profile, "portrait", picturetest.JPEG(500, 400), form...), http.StatusSeeOther)
	page := wantPage(t, b.get(profile), http.StatusOK, `value="remove_portrait"`)
	address := found(t, page, `<img class="portrait" src="(/portrait/[A-Za-z0-9_-]{24}\.jpg)"`)
	for _, host := range []string{"account.portico.test", "store1001.portico.test", "m.portico.test", "jinsui.test"} {
		r := s.browser().get("http://" + host + address) // anybody who has the address
		h := r.Header
		data := text(t, r)
		decoded, err := jpeg.Decode(bytes.NewReader([]byte(data)))
		if err != nil || decoded.Bounds().Dx() != 320 {
			t.Fatalf("%s: %v", host, err)
		}
		if h.Get("Cache-Control") != "private, max-age=86400" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Robots-Tag") != "noindex" || len(r.Cookies()) != 0 {
			t.Errorf("%s: %v", host, h)
		}
	}
	admin := s.within("13800000002")
	wantPage(t, admin.get(peoplePath+"/"+id), http.StatusOK, `src="`+address+`"`)
	wantTo(t, b.post(profile, "account_id", id, "action", "remove_portrait"), "/profile?account_id="+id+"&done=remove_portrait")
	wantPage(t, b.get(profile+"?account_id="+id+"&done=remove_portrait"), http.StatusOK, "头像已移除。")
	wantStatus(t, b.get("http://account.portico.test"+address), http.StatusNotFound)
	wantStatus(t, b.get("http://account.portico.test/portrait/x.jpg"), http.StatusNotFound)
	wantStatus(t, b.get("http://account.portico.test/portrait/.jpg"), http.StatusNotFound)
}

func TestAProfileThatChangedMeanwhileComesBackWithBothValues(t *testing.T) {
	s := newSite(t, options{})
	b, admin := s.atAccounts("13800000001"), s.within("13800000002")
	id := decimal(s.account("buyer1").ID)
	seen := fieldOf(t, text(t, b.get(profile)), "seen")
	wantStatus(t, admin.post(peoplePath+"/"+id, "action", "edit", "name", "王经理", "client_id", decimal(s.account("buyer1").ClientID)), http.StatusSeeOther)
	page := wantPage(t, b.post(profile, "account_id", id, "name", "王芳芳", "action", "save", "seen", seen), http.StatusUnprocessableEntity,
		"资料已被修改", `value="王芳芳"`, "<dd>王经理</dd>")
	wantStatus(t, b.post(profile, "account_id", id, "name", "王芳芳", "action", "save", "seen", fieldOf(t, page, "seen")), http.StatusSeeOther)
}

func TestALandingLeadsToOnesOwnProfile(t *testing.T) {
	s := newSite(t, options{})
	id := decimal(s.account("buyer1").ID)
	wantPage(t, s.within("13800000001").get("http://store1001.portico.test/home"), http.StatusOK, `href="http://account.portico.test/profile?account_id=`+id+`"`)
}

func TestAnAdministratorEditsAPersonOnThePage(t *testing.T) {
	s := newSite(t, options{})
	admin := s.within("13800000002")
	m := s.account("buyer1")
	at := peoplePath + "/" + decimal(m.ID)
	page := wantPage(t, admin.get(at), http.StatusOK, "账号信息", `name="department"`, `<option value="`+decimal(m.ClientID)+`" selected>芳华便利店`)
	seen := fieldOf(t, page, "seen")
	fields := []string{"action", "edit", "name", "王小芳", "position", "采购", "department", "粮油部", "client_id", decimal(m.ClientID), "seen", seen}
	wantPage(t, admin.post(at, append(fields, "lang", "en")...), http.StatusOK, `value="粮油部"`, "Department")
	admin.post(at, "lang", "zh")
	wantTo(t, admin.post(at, fields...), "/mgr/people/"+decimal(m.ID)+"?done=edit")
	wantPage(t, admin.get(at+"?done=edit"), http.StatusOK, "账号信息已保存。", "<dd>粮油部</dd>", "<dd>采购</dd>")
	fields[3] = "王大芳"
	changed := wantPage(t, admin.post(at, fields...), http.StatusUnprocessableEntity, "此账号的信息已被修改", `value="王大芳"`, "<dd>王小芳</dd>")
	fields[11] = fieldOf(t, changed, "seen")
	wantStatus(t, admin.post(at, fields...), http.StatusSeeOther)
	fields[3] = ""
	wantPage(t, admin.post(at, fields...), http.StatusUnprocessableEntity, `href="#name"`, `aria-describedby="name-msg"`)
	wantPage(t, admin.post(at, "action", "edit", "name", "王", "client_id", decimal(s.account("former").ClientID)), http.StatusUnprocessableEntity, `href="#client_id"`)
	wantStatus(t, admin.post(at, "action", "edit"), http.StatusBadRequest)
}

func TestACustomersTypeIsNamedAndChosenOnThePages(t *testing.T) {
	s := newSite(t, options{})
	admin := s.within("13800000002")
	types := settings + "/customer-types"
	wantPage(t, admin.get(settings), http.StatusOK, `href="/mgr/settings/customer-types"`)
	wantPage(t, admin.get(types), http.StatusOK, `name="type_1"`, `value="零售店"`, `name="new"`)
	wantPage(t, admin.post(types, "type_1", "零售店", "type_2", "零售店", "new", "酒店"), http.StatusUnprocessableEntity, "已有同名的客户类型", `value="酒店"`)
	seen := fieldOf(t, text(t, admin.get(types)), "seen")
	wantTo(t, admin.post(types, "type_1", "零售店", "type_2", "连锁", "type_3", "", "new", "酒店", "seen", seen), "/mgr/settings/customer-types?done=saved")
	page := wantPage(t, admin.get(types), http.StatusOK, `value="连锁"`, `name="type_4"`, `value="酒店"`)
	if strings.Contains(page, `name="type_3"`) {
		t.Error("the type that was removed is still there")
	}
	wantPage(t, admin.post(types, "type_2", "连锁店", "seen", seen), http.StatusUnprocessableEntity, "客户类型已被修改", "<dd>连锁</dd>")

	at := office + "/customers/" + decimal(s.account("buyer1").ClientID)
	page = wantPage(t, admin.get(at), http.StatusOK, "<dd>零售店</dd>", `<option value="1" selected>零售店`, `<option value="4">酒店`)
	stale := fieldOf(t, page, "seen")
	wantTo(t, admin.post(at, "action", "set_type", "client_type_id", "4", "seen", stale), "/mgr/customers/"+decimal(s.account("buyer1").ClientID)+"?done=set_type")
	wantPage(t, admin.get(at+"?done=set_type"), http.StatusOK, "客户类型已保存。", "<dd>酒店</dd>")
	wantPage(t, admin.post(at, "action", "set_type", "client_type_id", "2", "seen", stale), http.StatusUnprocessableEntity, "此客户已被修改", `<option value="2" selected>`)
	wantPage(t, admin.post(at, "action", "set_type", "client_type_id", "3"), http.StatusUnprocessableEntity, `href="#client_type_id"`)
}

func TestTheAdministratorsRoleIsHandedOverOnThePages(t *testing.T) {
	s := newSite(t, options{})
	admin := s.within("13800000002")
	own, other := peoplePath+"/"+decimal(s.account("jinsui").ID), peoplePath+"/"+decimal(s.account("li.manager").ID)
	wantPage(t, admin.get(settings), http.StatusOK, "移交管理员权限", `href="/mgr/people/`+decimal(s.account("jinsui").ID)+`/role"`)
	wantPage(t, admin.get(own), http.StatusOK, "移交管理员权限")
	choice := wantPage(t, admin.get(own+"/role"), http.StatusOK, "请选择接任的管理员", `href="/mgr/people/`+decimal(s.account("li.manager").ID)+`/role"`)
	if strings.Contains(choice, `name="password"`) {
		t.Error("one cannot hand over to oneself")
	}
	wantPage(t, admin.get(other), http.StatusOK, "此人是员工", "/role")
	wantPage(t, admin.get(other+"/role"), http.StatusOK, `name="password"`, `value="make_administrator"`, `value="hand_over"`)
	wantPage(t, admin.post(other+"/role", "action", "hand_over"), http.StatusUnprocessableEntity, `href="#password"`)
	wantPage(t, admin.post(other, "action", "hand_over", "password", "Wrong2026"), http.StatusUnprocessableEntity, `aria-describedby="password-msg"`)
	wantTo(t, admin.post(other, "action", "make_administrator", "password", "Demo2026"), "/mgr/people/"+decimal(s.account("li.manager").ID)+"?done=make_administrator")
	wantPage(t, admin.get(other+"?done=make_administrator"), http.StatusOK, "此人现在是管理员。", "<dd>企业管理员</dd>")
	wantPage(t, admin.get(other+"/role"), http.StatusOK, `value="make_employee"`)
	wantTo(t, admin.post(other+"/role", "action", "hand_over", "password", "Demo2026"), "/mgr?done=hand_over")
	wantPage(t, admin.get(office+"?done=hand_over"), http.StatusOK, "您现在是员工")
	wantStatus(t, admin.get(settings+"/employees"), http.StatusForbidden)
	wantStatus(t, admin.get(own+"/role"), http.StatusForbidden)
	wantTo(t, admin.post(other+"/role", "action", "hand_over", "password", "Demo2026"), "/mgr?done=hand_over") // sent again
}

func TestAnAdministratorWithoutAPasswordChangesARoleByACode(t *testing.T) {
	s := newSite(t, options{})
	admin := s.within("13800000002")
	phone, err := s.db.PhoneByNumber(t.Context(), "13800000002")
	if err == nil {
		err = s.db.SetPhonePassword(t.Context(), phone.ID, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	other := peoplePath + "/" + decimal(s.account("li.manager").ID)
	page := wantPage(t, admin.get(other+"/role"), http.StatusOK, `name="code"`, "138****0002", `value="send_code"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("a password is asked for that there is not")
	}
	wantPage(t, admin.post(other+"/role", "action", "send_code"), http.StatusOK, "138****0002", "60")
	wantPage(t, admin.post(other+"/role", "action", "send_code"), http.StatusUnprocessableEntity, "验证码已发送")
	wantPage(t, admin.post(other+"/role", "action", "make_administrator", "code", ""), http.StatusUnprocessableEntity, `href="#code"`)
	code := s.lastCode("13800000002")
	wantStatus(t, admin.post(other+"/role", "action", "make_administrator", "code", code), http.StatusSeeOther)
	if s.account("li.manager").Type != 1 {
		t.Error("the role is as it was")
	}
}

func TestARoleIsChangedOnACompanysOwnDomainSoonAfterSigningIn(t *testing.T) {
	s := newSite(t, options{})
	if err := s.p.Operator.SetCompany(t.Context(), 1001, "pc_domain", ownHost); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	wantTo(t, b.get(refreshOf(t, text(t, b.signIn("store1001.portico.test", "13800000002")))), "/mgr")
	role := ownHost + "/mgr/people/" + decimal(s.account("li.manager").ID) + "/role"
	wantPage(t, b.get(role), http.StatusOK, "10 分钟内登录过", `value="make_administrator"`)
	s.clock = s.clock.Add(11 * time.Minute)
	r := b.post(role, "action", "make_administrator")
	wantStatus(t, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); !strings.Contains(to, "/login?") || !strings.Contains(to, "return=") {
		t.Errorf("it leads to %s", to)
	}
	b = s.browser()
	wantTo(t, b.get(refreshOf(t, text(t, b.signIn("store1001.portico.test", "13800000002")))), "/mgr")
	wantStatus(t, b.post(role, "action", "make_administrator"), http.StatusSeeOther)
	if s.account("li.manager").Type != 1 {
		t.Error("the role is as it was")
	}
}
