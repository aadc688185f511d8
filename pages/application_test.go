package pages_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/store"
)

const (
	applyAt   = "http://store1001.portico.test/register/more"
	resultAt  = "http://store1001.portico.test/register/result"
	applicant = "13900000555"
)

// details returns the fields of a complete application, with the given ones changed.
func details(more ...string) []string {
	return append([]string{
		"company_name",
		"河口杂货",
		"contact_name",
		"阮梅",
		"position",
		"采购",
		"province",
		"440000",
		"city",
		"440300",
		"district",
		"440305",
		"address",
		"海岸路 8 号",
		"reason",
		"想订大米\r\n和油",
		"contact_phone",
		"139 0000 0556",
	}, more...)
}

// proves proves a phone to a company with a code.
func (b *browser) proves(address, phone string) {
	b.t.Helper()
	wantPage(b.t, b.post(address, "phone", phone, "action", "send_code"), http.StatusOK, "秒后重发")
	wantTo(b.t, b.post(address, "phone", phone, "code", b.lastCode(phone)), "/register/more")
}

func TestACompanysOwnHostTakesApplications(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	wantPage(t, b.get("http://store1001.portico.test/register"), http.StatusOK, `action="/register/more"`)
	wantTo(
		t,
		b.get("http://store1001.portico.test/register?sandbox=5"),
		"http://account.portico.test/register?sandbox=5",
	)
	wantPage(t, b.get("http://store1001.portico.test/login"), http.StatusOK, `href="/register/more"`, "申请加入")
	wantPage(t, b.get(applyAt), http.StatusOK, "申请成为金穗粮油的客户", `name="phone"`, `name="code"`)
	wantPage(t, b.get("http://account.portico.test/register/more"), http.StatusOK, "请从企业的专属地址申请")
	wantPage(
		t,
		b.get("http://store1003.portico.test/register/more"),
		http.StatusUnprocessableEntity,
		"does not allow registration",
		"tel:",
	)
	if page := text(t, b.get("http://store1003.portico.test/login")); strings.Contains(page, "/register/more") {
		t.Error("a closed company offers to apply")
	}
	wantPage(
		t,
		b.post("http://store1003.portico.test/register/more", details("phone", applicant, "code", "123456")...),
		http.StatusUnprocessableEntity,
		"does not allow registration",
	)
}

func TestAnApplicationIsFilledInKeptAndSentIn(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	wantPage(t, b.get(applyAt), http.StatusOK, `name="company_name"`, `enctype="multipart/form-data"`, "139****0555")
	if r := b.post(
		applyAt, "company_name", "河口", "reason", "一\r\n二", "action", "draft",
	); r.StatusCode != http.StatusNoContent {
		t.Errorf("the draft: %d", r.StatusCode)
	}
	wantPage(t, b.get(applyAt), http.StatusOK, `value="河口"`, "一\r\n二</textarea>")
	page := wantPage(
		t,
		b.post(applyAt, "company_name", "河口杂货", "province", "440000", "action", "region"),
		http.StatusOK,
		`value="河口杂货"`,
		`value="440300"`,
	)
	if strings.Contains(page, `value="440305"`) {
		t.Error("districts of a city nobody chose")
	}
	wantPage(t, b.post(applyAt, details("lang", "es")...), http.StatusOK, "Solicitar el alta en 金穗粮油", `value="阮梅"`)
	b.get(applyAt + "?lang=zh")
	wantPage(
		t,
		b.post(applyAt, details("contact_name", "", "district", "")...),
		http.StatusUnprocessableEntity,
		`href="#contact_name"`,
		`href="#region"`,
		`value="河口杂货"`,
	)
	sent := b.post(applyAt, details("state", "approved", "account_id", "1", "id", "7", "phone", "13900000999")...)
	wantStatus(t, sent, http.StatusSeeOther)
	wantPage(
		t,
		b.get("http://store1001.portico.test"+sent.Header.Get("Location")),
		http.StatusOK,
		"等待管理员审核",
		"河口杂货",
		"广东省 深圳市 南山区",
		"139 0000 0555",
	)
	wantTo(t, b.post(applyAt, details()...), sent.Header.Get("Location")) // pressed twice
	wantTo(t, b.get(applyAt), sent.Header.Get("Location"))
}

// The application from the first of two tabs is used. After sending the second one, the page says so.
func TestAnApplicationFromASecondTabSaysThatTheFirstOneIsUsed(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.proves(applyAt, applicant)
	to := b.post(applyAt, details()...).Header.Get("Location")
	const sent, notTaken = "申请已提交，请等待管理员审核。", "您刚才提交的内容没有采用"
	result := "http://store1001.portico.test" + to
	wantPage(t, b.get(result), http.StatusOK, sent)
	for name, c := range map[string]struct {
		form  []string
		taken bool
	}{
		"the same":                  {details(), true},
		"the same, spaced":          {details("company_name", " 河口杂货  "), true},
		"another text":              {details("reason", "想订面粉"), false},
		"another that is malformed": {details("contact_name", ""), false},
		"another language":          {details("reason", "想订面粉", "lang", "zh"), false},
	} {
		wantTo(t, b.post(applyAt, c.form...), to)
		page := wantPage(t, b.get(result), http.StatusOK, "想订大米", "阮梅")
		if strings.Contains(page, notTaken) == c.taken || strings.Contains(page, sent) != c.taken {
			t.Errorf("%s: the page shows the wrong message", name)
		}
		if again := text(t, b.get(result)); strings.Contains(again, notTaken) {
			t.Errorf("%s: the message is shown again", name)
		}
	}
	wantTo(t, b.get(applyAt), to)
	if strings.Contains(text(t, b.get(result)), notTaken) {
		t.Error("the message is shown to a person who sent nothing")
	}
}

func TestAnApplicationWithAPictureIsTheSameWhenItIsSentAgain(t *testing.T) {
	b := newSite(t, options{}).browser()
	b.proves(applyAt, applicant)
	licence := picturetest.JPEG(640, 400)
	to := b.sends(licence, details()...).Header.Get("Location")
	for picture, taken := range map[string]bool{string(licence): true, string(picturetest.JPEG(64, 48)): false} {
		again := b.sends([]byte(picture), details()...)
		b.keepCookies(storeHost, again)
		wantTo(t, again, to)
		if page := text(t, b.get("http://store1001.portico.test"+to)); strings.Contains(page, "没有采用") == taken {
			t.Errorf("taken: %v, and the page says the opposite", taken)
		}
	}
}

func TestASecondApplicationWithoutReviewSaysThatTheFirstOneIsUsed(t *testing.T) {
	b := newSite(t, options{}).browser()
	const at = "http://store1002.portico.test/register/more"
	b.get("http://store1002.portico.test/login?lang=zh")
	b.proves(at, applicant)
	wantTo(t, b.post(at, details()...), "/register/complete")
	to := b.post(at, details("reason", "想订面粉")...).Header.Get("Location")
	wantPage(t, b.get("http://store1002.portico.test"+to), http.StatusOK, "没有采用", `href="/register/complete"`)
	to = b.post(at, details()...).Header.Get("Location")
	if strings.Contains(text(t, b.get("http://store1002.portico.test"+to)), "没有采用") {
		t.Error("the same content sent again counts as another application")
	}
}

func TestDetailsTypedBeforeThePhoneIsProvenAreKept(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	wantPage(
		t,
		b.post(applyAt, details("phone", applicant, "action", "send_code")...),
		http.StatusOK,
		`name="reason" value="想订大米`,
	)
	wantPage(
		t,
		b.post(applyAt, details("phone", applicant, "code", "000000")...),
		http.StatusUnprocessableEntity,
		`name="company_name" value="河口杂货"`,
	)
	sent := b.post(applyAt, details("phone", applicant, "code", s.lastCode(applicant))...)
	if to := sent.Header.Get("Location"); sent.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "/register/result?id=") {
		t.Errorf("%d to %s", sent.StatusCode, to)
	}
}

func TestALinkToAnApplicationShowsOnlyItsState(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	to := b.post(applyAt, details()...).Header.Get("Location")
	stranger := s.browser()
	page := wantPage(
		t,
		stranger.get("http://store1001.portico.test"+to),
		http.StatusOK,
		"等待管理员审核",
		"验证手机号，查看完整申请",
		"tel:",
	)
	for _, secret := range []string{"河口", "阮梅", "海岸路", applicant, "0000 0555"} {
		if strings.Contains(page, secret) {
			t.Errorf("a stranger reads %q", secret)
		}
	}
	wantTo(t, stranger.get("http://account.portico.test"+to), "http://store1001.portico.test"+to)
	for _, bad := range []string{
		"http://store1002.portico.test" + to, resultAt + "?id=4503599627370497", resultAt + "?id=1", resultAt + "?id=x",
		resultAt + "?id=",
	} {
		wantStatus(t, stranger.get(bad), http.StatusNotFound)
	}
	s.clock = s.clock.Add(2 * 60e9)
	id := strings.TrimPrefix(to, "/register/result?id=")
	wantPage(t, stranger.get(resultAt+"?id="+id+"&prove=1"), http.StatusOK, `name="code"`)
	wantPage(t, stranger.post(resultAt, "id", id, "phone", "13900000557", "action", "send_code"), http.StatusOK, "秒后重发")
	wantPage(
		t,
		stranger.post(resultAt, "id", id, "phone", "13900000557", "code", s.lastCode("13900000557")),
		http.StatusUnprocessableEntity,
		"不是用这个手机号提交的",
	)
	wantPage(t, stranger.post(resultAt, "id", id, "phone", applicant, "action", "send_code"), http.StatusOK, "秒后重发")
	wantTo(t, stranger.post(resultAt, "id", id, "phone", applicant, "code", s.lastCode(applicant)), to)
	wantPage(t, stranger.get("http://store1001.portico.test"+to), http.StatusOK, "阮梅")
}

func TestApplicationsAreDecidedInTheBackOffice(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	to := b.post(applyAt, details("company_name", `<script>alert(1)</script>`)...).Header.Get("Location")
	id := strings.TrimPrefix(to, "/register/result?id=")
	const list = "http://store1001.portico.test/mgr/applications"
	jinsui := s.within("13800000002")
	wantPage(t, jinsui.get(list), http.StatusOK, "1 份待审核", "&lt;script&gt;", "/mgr/applications/"+id)
	wantPage(t, jinsui.get(list+"/"+id), http.StatusOK, "阮梅", "广东省 深圳市 南山区", "海岸路 8 号", `value="approve"`)
	sur := s.browser()
	sur.follow(
		sur.post("http://store1002.portico.test/login/account", "login", "sur", "password", onboarding.DemoPassword),
		"http://store1002.portico.test/login",
	)
	wantPage(t, sur.get("http://store1002.portico.test/mgr/applications"), http.StatusOK, "Solicitudes")
	before := s.rows()
	for _, host := range []string{"store1001", "store1002"} {
		for _, r := range []*http.Response{
			sur.get("http://" + host + ".portico.test/mgr/applications/" + id),
			sur.post("http://"+host+".portico.test/mgr/applications/"+id, "action", "approve"),
		} {
			if r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusForbidden &&
				r.StatusCode != http.StatusSeeOther {
				t.Errorf("%s: %d", host, r.StatusCode)
			}
		}
	}
	wantPage(
		t,
		jinsui.post(list+"/"+id, "action", "reject", "reason", " "),
		http.StatusUnprocessableEntity,
		`href="#reason"`,
	)
	wantStatus(t, jinsui.post(list+"/"+id, "action", "open"), http.StatusBadRequest)
	wantStatus(t, jinsui.post(list+"/4503599627370497", "action", "approve"), http.StatusNotFound)
	wantStatus(t, jinsui.get(list+"/1"), http.StatusNotFound)
	if s.rows() != before {
		t.Error("something was written")
	}
	for range 2 { // as if the first response was lost
		wantTo(t, jinsui.post(list+"/"+id, "action", "reject", "reason", "资料不全\r\n请补充"), "/mgr/applications/"+id)
	}
	wantPage(t, jinsui.get(list+"/"+id), http.StatusOK, "未通过", "资料不全\n请补充")
	wantPage(t, jinsui.post(list+"/"+id, "action", "approve"), http.StatusConflict, "已由其他管理员处理")
	wantPage(t, b.get("http://store1001.portico.test"+to), http.StatusOK, "未通过", "资料不全", "修改并重新申请", "tel:")
	wantPage(t, b.get(applyAt), http.StatusOK, `value="阮梅"`, "想订大米")
	again := b.post(applyAt, details()...).Header.Get("Location")
	if again == to {
		t.Fatal("the same application")
	}
	wantPage(t, b.get("http://store1001.portico.test"+again), http.StatusOK, "以前的申请", to)
	before = ""
	for range 2 {
		wantTo(
			t,
			jinsui.post(list+"/"+strings.TrimPrefix(again, "/register/result?id="), "action", "approve"),
			"/mgr/applications/"+strings.TrimPrefix(again, "/register/result?id="),
		)
		if rows := s.rows(); before != "" && rows != before {
			t.Error("decided twice")
		} else {
			before = rows
		}
	}
	wantPage(t, b.get("http://store1001.portico.test"+again), http.StatusOK, "申请已通过", "/register/complete")
	page := wantPage(t, b.get("http://store1001.portico.test/register/complete"), http.StatusOK, `name="name"`)
	if strings.Contains(page, `name="code"`) {
		t.Error("the phone was proven a moment ago")
	}
	done := b.post(
		"http://store1001.portico.test/register/complete",
		"phone",
		applicant,
		"name",
		"阮梅",
		"password",
		"Muelle.norte4",
		"confirm_password",
		"Muelle.norte4",
		"width",
		"390",
	)
	if to := done.Header.Get("Location"); !strings.HasPrefix(
		to,
		"http://m.portico.test/shop?companyId=1001&auth_code_=",
	) {
		t.Errorf("%d to %s", done.StatusCode, to)
	}
}

func TestWithoutReviewTheApplicantSetsTheAccountUpAtOnce(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.get("http://store1002.portico.test/login?lang=zh")
	b.proves("http://store1002.portico.test/register/more", applicant)
	wantTo(t, b.post("http://store1002.portico.test/register/more", details()...), "/register/complete")
	phone, err := s.db.PhoneByNumber(t.Context(), applicant)
	if err != nil {
		t.Fatal(err)
	}
	offers, err := s.db.OffersIn(t.Context(), 1002, phone.ID)
	if err != nil || len(offers) != 1 || offers[0].Side != store.Shop {
		t.Errorf("%+v %v", offers, err)
	}
}

// sends posts an application with the picture of a licence.
func (b *browser) sends(picture []byte, pairs ...string) *http.Response {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	part, _ := w.CreateFormFile("licence", "licence.jpg")
	_, _ = part.Write(picture)
	_ = w.Close()
	return b.send(applyAt, w.FormDataContentType(), &body, int64(body.Len()))
}

func TestAPictureIsSentWithTheForm(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	licence := picturetest.JPEG(640, 400)
	large := append(slices.Clone(licence), make([]byte, access.MaxUpload)...)
	refused := b.sends(large, details()...)
	if page := text(
		t, refused,
	); refused.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, `value="阮梅"`) ||
		!strings.Contains(page, "5 MB") {
		t.Errorf("%d:\n%s", refused.StatusCode, page)
	}
	wantPage(t, b.get(applyAt), http.StatusOK, `value="阮梅"`)
	wantPage(
		t,
		b.sends([]byte("<svg onload=alert(1)>"), details()...),
		http.StatusUnprocessableEntity,
		`value="阮梅"`,
		`href="#licence"`,
	)
	page := wantPage(
		t,
		b.sends(licence, details("contact_name", "")...),
		http.StatusUnprocessableEntity,
		`value="河口杂货"`,
		"/register/more/licence?key=",
	)
	key := found(t, page, `name="licence_key" value="([^"]+)"`)
	if r := b.get(applyAt + "/licence?key=" + key); r.StatusCode != http.StatusOK ||
		r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the picture: %d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	wantPage( // the same picture again
		t, b.sends(licence, details("contact_name", "", "licence_key", key)...), http.StatusUnprocessableEntity,
		`value="`+key+`"`,
	)
	wantStatus(t, b.post(applyAt, details("licence_key", key)...), http.StatusSeeOther)
}

func TestAPictureIsAskedForAgainWhenTheProofHasExpired(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	s.clock = s.clock.Add(application.ApplicantStay + time.Minute)
	wantPage(
		t,
		b.sends(picturetest.JPEG(64, 48), details()...),
		http.StatusUnprocessableEntity,
		`name="picture" value="1"`,
		`name="company_name" value="河口杂货"`,
	)
	b.post(applyAt, details("phone", applicant, "picture", "1", "action", "send_code")...)
	wantTo(
		t,
		b.post(applyAt, details("phone", applicant, "picture", "1", "code", s.lastCode(applicant))...),
		"/register/more",
	)
	wantPage(t, b.get(applyAt), http.StatusOK, `value="阮梅"`, "请重新选择营业执照图片")
}

func TestAnOldWebViewsFormOfAnApplicantNeedsItsToken(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	token := found(t, text(t, b.get(applyAt)), `name="token" value="([^"]+)"`)
	b.bare = true
	before := s.rows()
	wantStatus(t, b.post(applyAt, details()...), http.StatusForbidden)
	wantStatus(t, b.post(applyAt, details("token", "x")...), http.StatusForbidden)
	wantStatus(
		t,
		b.post(
			"http://store1001.portico.test/register/complete",
			"phone",
			applicant,
			"name",
			"x",
			"password",
			"Muelle.norte4",
			"confirm_password",
			"Muelle.norte4",
		),
		http.StatusForbidden,
	)
	if s.rows() != before {
		t.Error("something was written")
	}
	wantStatus(t, b.post(applyAt, details("token", token)...), http.StatusSeeOther)
}

func TestAPersonWithAPasswordFindsTheProvenPhoneFilledIn(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.get("http://store1002.portico.test/login?lang=zh")
	b.proves("http://store1002.portico.test/register/more", "13800000001")
	wantTo(t, b.post("http://store1002.portico.test/register/more", details()...), "/register/complete")
	wantPage(
		t,
		b.get("http://store1002.portico.test/register/complete"),
		http.StatusOK,
		`value="138 0000 0001"`,
		`name="code"`,
	)
}

func TestSigningOutForgetsTheApplicant(t *testing.T) {
	s := newSite(t, options{})
	b := s.browser()
	b.proves(applyAt, applicant)
	b.post("http://store1001.portico.test/logout")
	wantPage(t, b.get(applyAt), http.StatusOK, `name="code"`)
}
