package credentials_test

import (
	"bytes"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/picturetest"
)

const Profile = "http://account.portico.test/profile"

func TestPersonChangesTheirProfile(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := signedInAtAccountSite(s, "13800000001")
	id := pagestest.Decimal(s.Account("buyer1").ID)
	pagestest.WantPage(t, b.Get("http://account.portico.test/security"), http.StatusOK, `href="/profile"`)
	page := pagestest.WantPage(t, b.Get(Profile), http.StatusOK, "个人资料", `name="account_id" value="`+id+`"`,
		`value="王芳"`,
		`enctype="multipart/form-data"`, `name="portrait"`)
	if strings.Contains(page, "use_wechat") || strings.Contains(page, "remove_portrait") {
		t.Error("there is nothing to take or to remove")
	}
	typed := []string{"account_id", id, "name", "", "position", "采购"}
	pagestest.WantPage(t, b.Post(Profile, append(typed, "action", "save")...), http.StatusUnprocessableEntity,
		`href="#name"`, `value="采购"`)
	pagestest.WantPage(t, b.Post(Profile, append(typed, "action", "save", "lang", "es")...), http.StatusOK, "Su perfil",
		`value="采购"`)
	b.Post(Profile, append(typed, "lang", "zh")...)
	typed[3] = "王芳芳"
	pagestest.WantRedirect(t, b.Post(Profile, append(typed, "action", "save")...),
		"/profile?account_id="+id+"&done=save")
	pagestest.WantPage(t, b.Get(Profile+"?account_id="+id+"&done=save"), http.StatusOK, "资料已保存。", `value="王芳芳"`,
		`value="采购"`)
	pagestest.WantStatus(t, b.Post(Profile, "account_id", id), http.StatusBadRequest)
	pagestest.WantStatus(t, b.Post(Profile, "account_id", pagestest.Decimal(s.Account("jinsui").ID), "name", "别人",
		"action", "save"), http.StatusNotFound)
	pagestest.WantRedirect(t, s.Browser().Get(Profile), "/login")
}

func TestEachAccountHasItsOwnProfile(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := signedInAtAccountSite(s, "13800000003")
	page := pagestest.WantPage(t, b.Get(Profile), http.StatusOK, "Mariscos del Sur", "li.manager", "li.shop",
		"li.lights")
	if strings.Contains(page, `name="name"`) || strings.Count(page, `href="/profile?account_id=`) != 4 {
		t.Error("there is no choice of four")
	}
	id := pagestest.Decimal(s.Account("li.manager").ID)
	pagestest.WantPage(t, b.Get(Profile+"?account_id="+id), http.StatusOK, "金穗粮油", "li.manager", `href="/profile"`)
	pagestest.WantStatus(t, b.Get(Profile+"?account_id="+pagestest.Decimal(s.Account("buyer1").ID)),
		http.StatusNotFound)
}

func TestPortraitIsUploadedShownAndRemoved(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := signedInAtAccountSite(s, "13800000001")
	id := pagestest.Decimal(s.Account("buyer1").ID)
	form := []string{"account_id", id, "name", "王芳", "position", "采购", "action", "save"}
	pagestest.WantPage(t, postWithPortrait(b, Profile, "portrait", []byte("<svg/>"), form...),
		http.StatusUnprocessableEntity,
		"仅支持 JPEG", `href="#portrait"`, `value="采购"`)
	pagestest.WantStatus(t, postWithPortrait(b, Profile, "portrait", picturetest.JPEG(500, 400), form...),
		http.StatusSeeOther)
	page := pagestest.WantPage(t, b.Get(Profile), http.StatusOK, `value="remove_portrait"`)
	address := pagestest.FindIn(t, page, `<img class="portrait" src="(/portrait/[A-Za-z0-9_-]{24}\.jpg)"`)
	for _, host := range []string{"account.portico.test", "store1001.portico.test", "m.portico.test", "jinsui.test"} {
		r := s.Browser().Get("http://" + host + address) // anybody who has the address
		h := r.Header
		data := pagestest.Text(t, r)
		decoded, err := jpeg.Decode(bytes.NewReader([]byte(data)))
		if err != nil || decoded.Bounds().Dx() != 320 {
			t.Fatalf("%s: %v", host, err)
		}
		if h.Get("Cache-Control") != "private, max-age=86400" ||
			h.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Robots-Tag") != "noindex" ||
			len(r.Cookies()) != 0 {
			t.Errorf("%s: %v", host, h)
		}
	}
	admin := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, admin.Get(pagestest.PeoplePath+"/"+id), http.StatusOK, `src="`+address+`"`)
	pagestest.WantRedirect(t, b.Post(Profile, "account_id", id, "action", "remove_portrait"),
		"/profile?account_id="+id+"&done=remove_portrait")
	pagestest.WantPage(t, b.Get(Profile+"?account_id="+id+"&done=remove_portrait"), http.StatusOK, "头像已移除。")
	pagestest.WantStatus(t, b.Get("http://account.portico.test"+address), http.StatusNotFound)
	pagestest.WantStatus(t, b.Get("http://account.portico.test/portrait/x.jpg"), http.StatusNotFound)
	pagestest.WantStatus(t, b.Get("http://account.portico.test/portrait/.jpg"), http.StatusNotFound)
}

func TestConflictingProfileChangeShowsBothValues(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b, admin := signedInAtAccountSite(s, "13800000001"), s.SignInByPhone("13800000002")
	id := pagestest.Decimal(s.Account("buyer1").ID)
	seen := pagestest.FieldValue(t, pagestest.Text(t, b.Get(Profile)), "seen")
	pagestest.WantStatus(t, admin.Post(pagestest.PeoplePath+"/"+id, "action", "edit", "name", "王经理", "client_id",
		pagestest.Decimal(s.Account("buyer1").ClientID)), http.StatusSeeOther)
	page := pagestest.WantPage(t, b.Post(Profile, "account_id", id, "name", "王芳芳", "action", "save", "seen", seen),
		http.StatusUnprocessableEntity,
		"资料已被修改", `value="王芳芳"`, "<dd>王经理</dd>")
	pagestest.WantStatus(t, b.Post(Profile, "account_id", id, "name", "王芳芳", "action", "save", "seen",
		pagestest.FieldValue(t, page, "seen")), http.StatusSeeOther)
}

func TestLandingPageLinksToTheProfileOfItsAccount(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	id := pagestest.Decimal(s.Account("buyer1").ID)
	pagestest.WantPage(t, s.SignInByPhone("13800000001").Get("http://store1001.portico.test/home"), http.StatusOK,
		`href="http://account.portico.test/profile?account_id=`+id+`"`)
}

func TestAdministratorEditsAPerson(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin := s.SignInByPhone("13800000002")
	m := s.Account("buyer1")
	at := pagestest.PeoplePath + "/" + pagestest.Decimal(m.ID)
	page := pagestest.WantPage(t, admin.Get(at), http.StatusOK, "账号信息", `name="department"`,
		`<option value="`+pagestest.Decimal(m.ClientID)+`" selected>芳华便利店`)
	seen := pagestest.FieldValue(t, page, "seen")
	fields := []string{"action", "edit", "name", "王小芳", "position", "采购", "department", "粮油部", "client_id",
		pagestest.Decimal(m.ClientID), "seen", seen}
	pagestest.WantPage(t, admin.Post(at, append(fields, "lang", "en")...), http.StatusOK, `value="粮油部"`, "Department")
	admin.Post(at, "lang", "zh")
	pagestest.WantRedirect(t, admin.Post(at, fields...), "/mgr/people/"+pagestest.Decimal(m.ID)+"?done=edit")
	pagestest.WantPage(t, admin.Get(at+"?done=edit"), http.StatusOK, "账号信息已保存。", "<dd>粮油部</dd>", "<dd>采购</dd>")
	fields[3] = "王大芳"
	changed := pagestest.WantPage(t, admin.Post(at, fields...), http.StatusUnprocessableEntity, "此账号的信息已被修改",
		`value="王大芳"`, "<dd>王小芳</dd>")
	fields[11] = pagestest.FieldValue(t, changed, "seen")
	pagestest.WantStatus(t, admin.Post(at, fields...), http.StatusSeeOther)
	fields[3] = ""
	pagestest.WantPage(t, admin.Post(at, fields...), http.StatusUnprocessableEntity, `href="#name"`,
		`aria-describedby="name-msg"`)
	pagestest.WantPage(t, admin.Post(at, "action", "edit", "name", "王", "client_id",
		pagestest.Decimal(s.Account("former").ClientID)), http.StatusUnprocessableEntity, `href="#client_id"`)
	pagestest.WantStatus(t, admin.Post(at, "action", "edit"), http.StatusBadRequest)
}

func TestCustomerTypesAreNamedAndAssigned(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin := s.SignInByPhone("13800000002")
	types := pagestest.Settings + "/customer-types"
	pagestest.WantPage(t, admin.Get(pagestest.Settings), http.StatusOK, `href="/mgr/settings/customer-types"`)
	pagestest.WantPage(t, admin.Get(types), http.StatusOK, `name="type_1"`, `value="零售店"`, `name="new"`)
	pagestest.WantPage(t, admin.Post(types, "type_1", "零售店", "type_2", "零售店", "new", "酒店"),
		http.StatusUnprocessableEntity, "已有同名的客户类型", `value="酒店"`)
	seen := pagestest.FieldValue(t, pagestest.Text(t, admin.Get(types)), "seen")
	pagestest.WantRedirect(t, admin.Post(types, "type_1", "零售店", "type_2", "连锁", "type_3", "", "new", "酒店", "seen",
		seen),
		"/mgr/settings/customer-types?done=saved")
	page := pagestest.WantPage(t, admin.Get(types), http.StatusOK, `value="连锁"`, `name="type_4"`, `value="酒店"`)
	if strings.Contains(page, `name="type_3"`) {
		t.Error("the type that was removed is still there")
	}
	pagestest.WantPage(t, admin.Post(types, "type_2", "连锁店", "seen", seen), http.StatusUnprocessableEntity, "客户类型已被修改",
		"<dd>连锁</dd>")

	at := pagestest.Office + "/customers/" + pagestest.Decimal(s.Account("buyer1").ClientID)
	page = pagestest.WantPage(t, admin.Get(at), http.StatusOK, `<option value="1" selected>零售店`,
		`<option value="4">酒店`)
	stale := pagestest.FieldValue(t, page, "seen")
	pagestest.WantRedirect(t, admin.Post(at, "action", "set_type", "client_type_id", "4", "seen", stale),
		"/mgr/customers/"+pagestest.Decimal(s.Account("buyer1").ClientID)+"?done=set_type")
	pagestest.WantPage(t, admin.Get(at+"?done=set_type"), http.StatusOK, "客户类型已保存。",
		`<option value="4" selected>酒店`)
	pagestest.WantPage(t, admin.Post(at, "action", "set_type", "client_type_id", "2", "seen", stale),
		http.StatusUnprocessableEntity, "此客户已被修改", `<option value="2" selected>`)
	pagestest.WantPage(t, admin.Post(at, "action", "set_type", "client_type_id", "3"), http.StatusUnprocessableEntity,
		`href="#client_type_id"`)
}

func TestAdministratorRoleIsHandedOver(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin := s.SignInByPhone("13800000002")
	own, other := pagestest.PeoplePath+"/"+pagestest.Decimal(s.Account("jinsui").ID),
		pagestest.PeoplePath+"/"+pagestest.Decimal(s.Account("li.manager").ID)
	pagestest.WantPage(t, admin.Get(pagestest.Settings), http.StatusOK, "移交管理员权限",
		`href="/mgr/people/`+pagestest.Decimal(s.Account("jinsui").ID)+`/role"`)
	pagestest.WantPage(t, admin.Get(own), http.StatusOK, "移交管理员权限")
	choice := pagestest.WantPage(t, admin.Get(own+"/role"), http.StatusOK, "请选择接任的管理员",
		`href="/mgr/people/`+pagestest.Decimal(s.Account("li.manager").ID)+`/role"`)
	if strings.Contains(choice, `name="password"`) {
		t.Error("one cannot hand over to oneself")
	}
	pagestest.WantPage(t, admin.Get(other), http.StatusOK, "该用户是员工", "/role")
	pagestest.WantPage(t, admin.Get(other+"/role"), http.StatusOK, `name="password"`, `value="make_administrator"`,
		`value="hand_over"`)
	pagestest.WantPage(t, admin.Post(other+"/role", "action", "hand_over"), http.StatusUnprocessableEntity,
		`href="#password"`)
	pagestest.WantPage(t, admin.Post(other, "action", "hand_over", "password", "Wrong2026"),
		http.StatusUnprocessableEntity, `aria-describedby="password-msg"`)
	pagestest.WantRedirect(t, admin.Post(other, "action", "make_administrator", "password", "Demo2026"),
		"/mgr/people/"+pagestest.Decimal(s.Account("li.manager").ID)+"?done=make_administrator")
	pagestest.WantPage(t, admin.Get(other+"?done=make_administrator"), http.StatusOK, "已设为管理员。", "<dd>企业管理员</dd>")
	pagestest.WantPage(t, admin.Get(other+"/role"), http.StatusOK, `value="make_employee"`)
	pagestest.WantRedirect(t, admin.Post(other+"/role", "action", "hand_over", "password", "Demo2026"),
		"/mgr?done=hand_over")
	pagestest.WantPage(t, admin.Get(pagestest.Office+"?done=hand_over"), http.StatusOK, "您现在是员工")
	pagestest.WantStatus(t, admin.Get(pagestest.Settings+"/employees"), http.StatusForbidden)
	pagestest.WantStatus(t, admin.Get(own+"/role"), http.StatusForbidden)
	// sent again
	pagestest.WantRedirect(t, admin.Post(other+"/role", "action", "hand_over", "password", "Demo2026"),
		"/mgr?done=hand_over")
}

func TestAdministratorWithoutAPasswordChangesARoleByCode(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	admin := s.SignInByPhone("13800000002")
	person, err := s.DB.Persons.ByNumber(t.Context(), "13800000002")
	if err == nil {
		err = s.DB.Passwords.SetPerson(t.Context(), person.ID, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	other := pagestest.PeoplePath + "/" + pagestest.Decimal(s.Account("li.manager").ID)
	page := pagestest.WantPage(t, admin.Get(other+"/role"), http.StatusOK, `name="code"`, "138****0002",
		`value="send_code"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("the form has a password field for an account without a password")
	}
	pagestest.WantPage(t, admin.Post(other+"/role", "action", "send_code"), http.StatusOK, "138****0002", "60")
	pagestest.WantPage(t, admin.Post(other+"/role", "action", "send_code"), http.StatusUnprocessableEntity, "验证码已发送")
	pagestest.WantPage(t, admin.Post(other+"/role", "action", "make_administrator", "code", ""),
		http.StatusUnprocessableEntity, `href="#code"`)
	code := s.LastCode("13800000002")
	pagestest.WantStatus(t, admin.Post(other+"/role", "action", "make_administrator", "code", code),
		http.StatusSeeOther)
	if s.Account("li.manager").Type != 1 {
		t.Error("the role is as it was")
	}
}

func TestRoleChangesOnAnOwnDomainSoonAfterSigningIn(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	if err := s.Portal.Operator.SetCompany(t.Context(), 1001, "pc_domain", pagestest.OwnHost); err != nil {
		t.Fatal(err)
	}
	b := s.Browser()
	pagestest.WantRedirect(t, b.Get(pagestest.RefreshTarget(t,
		pagestest.Text(t, b.SignIn("store1001.portico.test", "13800000002")))), "/mgr")
	role := pagestest.OwnHost + "/mgr/people/" + pagestest.Decimal(s.Account("li.manager").ID) + "/role"
	pagestest.WantPage(t, b.Get(role), http.StatusOK, "距上次登录超过 10 分钟", `value="make_administrator"`)
	s.Clock = s.Clock.Add(11 * time.Minute)
	r := b.Post(role, "action", "make_administrator")
	pagestest.WantStatus(t, r, http.StatusSeeOther)
	if to := r.Header.Get("Location"); !strings.Contains(to, "/login?") || !strings.Contains(to, "return=") {
		t.Errorf("it leads to %s", to)
	}
	b = s.Browser()
	pagestest.WantRedirect(t, b.Get(pagestest.RefreshTarget(t,
		pagestest.Text(t, b.SignIn("store1001.portico.test", "13800000002")))), "/mgr")
	pagestest.WantStatus(t, b.Post(role, "action", "make_administrator"), http.StatusSeeOther)
	if s.Account("li.manager").Type != 1 {
		t.Error("the role is as it was")
	}
}

// signedInAtAccountSite returns a browser that signed in with a phone on the account site. It fails the test when that
// is refused.
func signedInAtAccountSite(s *pagestest.Site, phone string) *pagestest.Browser {
	s.T.Helper()
	b := s.Browser()
	pagestest.WantStatus(s.T, b.SignIn("account.portico.test", phone), http.StatusSeeOther)
	return b
}

// postWithPortrait sends a form with the file portrait.jpg; the other fields come in pairs of name and value.
func postWithPortrait(b *pagestest.Browser, address, field string, data []byte, pairs ...string) *http.Response {
	b.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = w.WriteField(pairs[i], pairs[i+1])
	}
	part, _ := w.CreateFormFile(field, "portrait.jpg")
	_, _ = part.Write(data)
	_ = w.Close()
	return b.Send(address, w.FormDataContentType(), &body, int64(body.Len()))
}
