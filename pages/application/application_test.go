package application_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/application"
	"portico/portal/onboarding"
	"portico/portal/picturetest"
	"portico/store"
	"portico/store/storetest"
)

const (
	resultAddress = "http://store1001.portico.test/register/result"
)

func TestCompanyHostTakesApplications(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantPage(t, b.Get("http://store1001.portico.test/register"), http.StatusOK, `action="/register/more"`)
	pagestest.WantRedirect(
		t,
		b.Get("http://store1001.portico.test/register?sandbox=5"),
		"http://account.portico.test/register?sandbox=5",
	)
	pagestest.WantPage(t, b.Get("http://store1001.portico.test/login"), http.StatusOK, `href="/register/more"`, "申请加入")
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, "申请成为客户", `name="phone"`, `name="code"`)
	pagestest.WantPage(t, b.Get("http://account.portico.test/register/more"), http.StatusOK, "请从企业的注册链接申请")
	pagestest.WantPage(
		t,
		b.Get("http://store1003.portico.test/register/more"),
		http.StatusOK,
		"isn’t accepting new customers",
		"tel:",
	)
	if page := pagestest.Text(t, b.Get("http://store1003.portico.test/login")); strings.Contains(page,
		"/register/more") {
		t.Error("a closed company offers to apply")
	}
	pagestest.WantPage(
		t,
		b.Post("http://store1003.portico.test/register/more",
			pagestest.ApplicationFields("phone", pagestest.Applicant, "code", "123456")...),
		http.StatusUnprocessableEntity,
		"isn’t accepting new customers",
	)
}

func TestApplicationIsTypedKeptAsADraftAndSent(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `name="company_name"`,
		`enctype="multipart/form-data"`, "139****0555")
	if r := b.Post(
		pagestest.ApplyAddress, "company_name", "河口", "reason", "一\r\n二", "action", "draft",
	); r.StatusCode != http.StatusNoContent {
		t.Errorf("the draft: %d", r.StatusCode)
	}
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `value="河口"`, "一\r\n二</textarea>")
	page := pagestest.WantPage(
		t,
		b.Post(pagestest.ApplyAddress, "company_name", "河口杂货", "province", "440000", "action", "region"),
		http.StatusOK,
		`value="河口杂货"`,
		`value="440300"`,
	)
	if strings.Contains(page, `value="440305"`) {
		t.Error("districts of a city nobody chose")
	}
	pagestest.WantPage(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("lang", "es")...), http.StatusOK,
		"Hágase cliente", `value="阮梅"`)
	b.Get(pagestest.ApplyAddress + "?lang=zh")
	pagestest.WantPage(
		t,
		b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("contact_name", "", "district", "")...),
		http.StatusUnprocessableEntity,
		`href="#contact_name"`,
		`href="#region"`,
		`value="河口杂货"`,
	)
	sent := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("state", "approved", "account_id", "1", "id",
		"7", "phone",
		"13900000999")...)
	pagestest.WantStatus(t, sent, http.StatusSeeOther)
	pagestest.WantPage(
		t,
		b.Get("http://store1001.portico.test"+sent.Header.Get("Location")),
		http.StatusOK,
		"申请审核中",
		"河口杂货",
		"广东省 深圳市 南山区",
		"139 0000 0555",
	)
	// The form is sent twice.
	pagestest.WantRedirect(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...),
		sent.Header.Get("Location"))
	pagestest.WantRedirect(t, b.Get(pagestest.ApplyAddress), sent.Header.Get("Location"))
}

// Without scripts, the lists of cities and districts keep what was chosen in them.
func TestSettingTheProvinceBackClearsTheRegion(t *testing.T) {
	cleared := func(more ...string) []string {
		return pagestest.ApplicationFields(append([]string{"province", ""}, more...)...)
	}
	for required, want := range map[string]int{"": http.StatusSeeOther, "region": http.StatusUnprocessableEntity} {
		s := pagestest.NewSite(t, pagestest.Options{})
		storetest.Exec(t, s.DB, "UPDATE companies SET registration_required = '"+required+"' WHERE id = 1001")
		b := s.Browser()
		b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
		page := pagestest.WantPage(t, b.Post(pagestest.ApplyAddress, cleared("action", "region")...), http.StatusOK)
		if strings.Contains(page, `value="440300"`) || strings.Contains(page, `value="440305"`) {
			t.Errorf("required %q: the form lists cities of no province", required)
		}
		sent := b.Post(pagestest.ApplyAddress, cleared()...)
		if sent.StatusCode != want {
			t.Errorf("required %q: %d, want %d", required, sent.StatusCode, want)
		}
		if want != http.StatusSeeOther {
			pagestest.WantPage(t, sent, want, `href="#region"`)
			continue
		}
		state := pagestest.Text(t, b.Get("http://store1001.portico.test"+sent.Header.Get("Location")))
		if strings.Contains(state, "深圳市") || !strings.Contains(state, "河口杂货") {
			t.Errorf("the application has the region that was cleared:\n%s", state)
		}
	}
}

// When two tabs send an application, the first one is used, and the page says so after the second one.
func TestApplicationFromASecondTabSaysThatTheFirstOneIsUsed(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	to := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...).Header.Get("Location")
	const sent, notTaken = "<h1>申请审核中</h1>", "您刚才提交的内容没有采用"
	result := "http://store1001.portico.test" + to
	pagestest.WantPage(t, b.Get(result), http.StatusOK, sent)
	for name, c := range map[string]struct {
		form  []string
		taken bool
	}{
		"the same":                  {pagestest.ApplicationFields(), true},
		"the same, spaced":          {pagestest.ApplicationFields("company_name", " 河口杂货  "), true},
		"another text":              {pagestest.ApplicationFields("reason", "想订面粉"), false},
		"another that is malformed": {pagestest.ApplicationFields("contact_name", ""), false},
		"another language":          {pagestest.ApplicationFields("reason", "想订面粉", "lang", "zh"), false},
	} {
		pagestest.WantRedirect(t, b.Post(pagestest.ApplyAddress, c.form...), to)
		page := pagestest.WantPage(t, b.Get(result), http.StatusOK, "想订大米", "阮梅", sent)
		if strings.Contains(page, notTaken) == c.taken {
			t.Errorf("%s: the page shows the wrong message", name)
		}
		if again := pagestest.Text(t, b.Get(result)); strings.Contains(again, notTaken) {
			t.Errorf("%s: the message is shown again", name)
		}
	}
	pagestest.WantRedirect(t, b.Get(pagestest.ApplyAddress), to)
	if strings.Contains(pagestest.Text(t, b.Get(result)), notTaken) {
		t.Error("the message is shown to a person who sent nothing")
	}
}

func TestApplicationWithTheSamePictureIsNotANewOne(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	licence := picturetest.JPEG(640, 400)
	to := sendWithLicence(b, licence, pagestest.ApplicationFields()...).Header.Get("Location")
	for picture, taken := range map[string]bool{string(licence): true, string(picturetest.JPEG(64, 48)): false} {
		again := sendWithLicence(b, []byte(picture), pagestest.ApplicationFields()...)
		b.KeepCookies(pagestest.StoreHost, again)
		pagestest.WantRedirect(t, again, to)
		if page := pagestest.Text(t, b.Get("http://store1001.portico.test"+to)); strings.Contains(page,
			"没有采用") == taken {
			t.Errorf("the application was used: %v, but the page says the opposite", taken)
		}
	}
}

func TestSecondApplicationWithoutReviewSaysThatTheFirstOneIsUsed(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	const at = "http://store1002.portico.test/register/more"
	b.Get("http://store1002.portico.test/login?lang=zh")
	b.ProvePhone(at, pagestest.Applicant)
	pagestest.WantRedirect(t, b.Post(at, pagestest.ApplicationFields()...), "/register/complete")
	to := b.Post(at, pagestest.ApplicationFields("reason", "想订面粉")...).Header.Get("Location")
	pagestest.WantPage(t, b.Get("http://store1002.portico.test"+to), http.StatusOK, "没有采用", `href="/register/complete"`)
	to = b.Post(at, pagestest.ApplicationFields()...).Header.Get("Location")
	if strings.Contains(pagestest.Text(t, b.Get("http://store1002.portico.test"+to)), "没有采用") {
		t.Error("the same content sent again counts as another application")
	}
}

func TestDetailsTypedBeforeThePhoneIsProvenAreKept(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	pagestest.WantPage(
		t,
		b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("phone", pagestest.Applicant, "action",
			"send_code")...),
		http.StatusOK,
		`name="reason" value="想订大米`,
	)
	pagestest.WantPage(
		t,
		b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("phone", pagestest.Applicant, "code", "000000")...),
		http.StatusUnprocessableEntity,
		`name="company_name" value="河口杂货"`,
	)
	sent := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("phone", pagestest.Applicant, "code",
		s.LastCode(pagestest.Applicant))...)
	if to := sent.Header.Get("Location"); sent.StatusCode != http.StatusSeeOther ||
		!strings.HasPrefix(to, "/register/result?id=") {
		t.Errorf("%d to %s", sent.StatusCode, to)
	}
}

func TestLinkToAnApplicationShowsOnlyItsState(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	to := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...).Header.Get("Location")
	stranger := s.Browser()
	page := pagestest.WantPage(
		t,
		stranger.Get("http://store1001.portico.test"+to),
		http.StatusOK,
		"申请审核中",
		"验证手机号，查看完整申请",
		"tel:",
	)
	for _, secret := range []string{"河口", "阮梅", "海岸路", pagestest.Applicant, "0000 0555"} {
		if strings.Contains(page, secret) {
			t.Errorf("a stranger reads %q", secret)
		}
	}
	pagestest.WantRedirect(t, stranger.Get("http://account.portico.test"+to), "http://store1001.portico.test"+to)
	for _, bad := range []string{
		"http://store1002.portico.test" + to, resultAddress + "?id=4503599627370497", resultAddress + "?id=1",
		resultAddress + "?id=x",
		resultAddress + "?id=",
	} {
		pagestest.WantStatus(t, stranger.Get(bad), http.StatusNotFound)
	}
	s.Clock = s.Clock.Add(2 * 60e9)
	id := strings.TrimPrefix(to, "/register/result?id=")
	pagestest.WantPage(t, stranger.Get(resultAddress+"?id="+id+"&prove=1"), http.StatusOK, `name="code"`)
	pagestest.WantPage(t, stranger.Post(resultAddress, "id", id, "phone", "13900000557", "action", "send_code"),
		http.StatusOK, "秒后重发")
	pagestest.WantPage(
		t,
		stranger.Post(resultAddress, "id", id, "phone", "13900000557", "code", s.LastCode("13900000557")),
		http.StatusUnprocessableEntity,
		"不是用这个手机号提交的",
	)
	pagestest.WantPage(t, stranger.Post(resultAddress, "id", id, "phone", pagestest.Applicant, "action", "send_code"),
		http.StatusOK, "秒后重发")
	pagestest.WantRedirect(t, stranger.Post(resultAddress, "id", id, "phone", pagestest.Applicant, "code",
		s.LastCode(pagestest.Applicant)), to)
	pagestest.WantPage(t, stranger.Get("http://store1001.portico.test"+to), http.StatusOK, "阮梅")
}

func TestAdministratorDecidesApplications(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	to := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("company_name",
		`<script>alert(1)</script>`)...).Header.Get("Location")
	id := strings.TrimPrefix(to, "/register/result?id=")
	const list = "http://store1001.portico.test/mgr/applications"
	jinsui := s.SignInByPhone("13800000002")
	pagestest.WantPage(t, jinsui.Get(list), http.StatusOK, "1 份待审核", "&lt;script&gt;", "/mgr/applications/"+id)
	pagestest.WantPage(t, jinsui.Get(list+"/"+id), http.StatusOK, "阮梅", "广东省 深圳市 南山区", "海岸路 8 号", `value="approve"`)
	sur := s.Browser()
	sur.Follow(
		sur.Post("http://store1002.portico.test/login/account", "login", "sur", "password", onboarding.DemoPassword),
		"http://store1002.portico.test/login",
	)
	pagestest.WantPage(t, sur.Get("http://store1002.portico.test/mgr/applications"), http.StatusOK, "Solicitudes")
	before := s.RowCounts()
	for _, host := range []string{"store1001", "store1002"} {
		for _, r := range []*http.Response{
			sur.Get("http://" + host + ".portico.test/mgr/applications/" + id),
			sur.Post("http://"+host+".portico.test/mgr/applications/"+id, "action", "approve"),
		} {
			if r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusForbidden &&
				r.StatusCode != http.StatusSeeOther {
				t.Errorf("%s: %d", host, r.StatusCode)
			}
		}
	}
	pagestest.WantPage(
		t,
		jinsui.Post(list+"/"+id, "action", "reject", "reason", " "),
		http.StatusUnprocessableEntity,
		`href="#reason"`,
	)
	pagestest.WantStatus(t, jinsui.Post(list+"/"+id, "action", "open"), http.StatusBadRequest)
	pagestest.WantStatus(t, jinsui.Post(list+"/4503599627370497", "action", "approve"), http.StatusNotFound)
	pagestest.WantStatus(t, jinsui.Get(list+"/1"), http.StatusNotFound)
	if s.RowCounts() != before {
		t.Error("something was written")
	}
	for range 2 { // as if the first response was lost
		pagestest.WantRedirect(t, jinsui.Post(list+"/"+id, "action", "reject", "reason", "资料不全\r\n请补充"),
			"/mgr/applications/"+id)
	}
	pagestest.WantPage(t, jinsui.Get(list+"/"+id), http.StatusOK, "已驳回", "资料不全\n请补充")
	pagestest.WantPage(t, jinsui.Post(list+"/"+id, "action", "approve"), http.StatusConflict, "已由其他管理员处理")
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+to), http.StatusOK, "已驳回", "资料不全", "修改并重新申请", "tel:")
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `value="阮梅"`, "想订大米")
	again := b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...).Header.Get("Location")
	if again == to {
		t.Fatal("the same application")
	}
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+again), http.StatusOK, "以前的申请", to)
	before = ""
	for range 2 {
		pagestest.WantRedirect(
			t,
			jinsui.Post(list+"/"+strings.TrimPrefix(again, "/register/result?id="), "action", "approve"),
			"/mgr/applications/"+strings.TrimPrefix(again, "/register/result?id="),
		)
		if rows := s.RowCounts(); before != "" && rows != before {
			t.Error("decided twice")
		} else {
			before = rows
		}
	}
	pagestest.WantPage(t, b.Get("http://store1001.portico.test"+again), http.StatusOK, "申请已通过", "/register/complete")
	page := pagestest.WantPage(t, b.Get("http://store1001.portico.test/register/complete"), http.StatusOK,
		`name="name"`)
	if strings.Contains(page, `name="code"`) {
		t.Error("the phone was proven a moment ago")
	}
	done := b.Post(
		"http://store1001.portico.test/register/complete",
		"phone",
		pagestest.Applicant,
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

func TestApplicantSetsTheAccountUpAtOnceWithoutReview(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Get("http://store1002.portico.test/login?lang=zh")
	b.ProvePhone("http://store1002.portico.test/register/more", pagestest.Applicant)
	pagestest.WantRedirect(t, b.Post("http://store1002.portico.test/register/more", pagestest.ApplicationFields()...),
		"/register/complete")
	person, err := s.DB.Persons.ByNumber(t.Context(), pagestest.Applicant)
	if err != nil {
		t.Fatal(err)
	}
	offers, err := s.DB.Offers.InCompany(t.Context(), 1002, person.ID)
	if err != nil || len(offers) != 1 || offers[0].Side != store.Shop {
		t.Errorf("%+v %v", offers, err)
	}
}

func TestLicenceIsSentWithTheForm(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	licence := picturetest.JPEG(640, 400)
	large := append(slices.Clone(licence), make([]byte, access.MaxUpload)...)
	refused := sendWithLicence(b, large, pagestest.ApplicationFields()...)
	if page := pagestest.Text(
		t, refused,
	); refused.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, `value="阮梅"`) ||
		!strings.Contains(page, "5 MB") {
		t.Errorf("%d:\n%s", refused.StatusCode, page)
	}
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `value="阮梅"`)
	pagestest.WantPage(
		t,
		sendWithLicence(b, []byte("<svg onload=alert(1)>"), pagestest.ApplicationFields()...),
		http.StatusUnprocessableEntity,
		`value="阮梅"`,
		`href="#licence"`,
	)
	page := pagestest.WantPage(
		t,
		sendWithLicence(b, licence, pagestest.ApplicationFields("contact_name", "")...),
		http.StatusUnprocessableEntity,
		`value="河口杂货"`,
		"/register/more/licence?key=",
	)
	key := pagestest.FindIn(t, page, `name="licence_key" value="([^"]+)"`)
	if r := b.Get(pagestest.ApplyAddress + "/licence?key=" + key); r.StatusCode != http.StatusOK ||
		r.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the picture: %d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	pagestest.WantPage( // the same picture again
		t, sendWithLicence(b, licence, pagestest.ApplicationFields("contact_name", "", "licence_key", key)...),
		http.StatusUnprocessableEntity,
		`value="`+key+`"`,
	)
	pagestest.WantStatus(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("licence_key", key)...),
		http.StatusSeeOther)
}

func TestLicenceIsRequestedAgainAfterTheProofOfThePhoneExpired(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	s.Clock = s.Clock.Add(application.ApplicantStay + time.Minute)
	pagestest.WantPage(
		t,
		sendWithLicence(b, picturetest.JPEG(64, 48), pagestest.ApplicationFields()...),
		http.StatusUnprocessableEntity,
		`name="picture" value="1"`,
		`name="company_name" value="河口杂货"`,
	)
	b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("phone", pagestest.Applicant, "picture", "1", "action",
		"send_code")...)
	pagestest.WantRedirect(
		t,
		b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("phone", pagestest.Applicant, "picture", "1", "code",
			s.LastCode(pagestest.Applicant))...),
		"/register/more",
	)
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `value="阮梅"`, "请重新选择营业执照图片")
}

func TestApplicantFormOfAnOldWebViewNeedsItsToken(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	token := pagestest.FindIn(t, pagestest.Text(t, b.Get(pagestest.ApplyAddress)), `name="token" value="([^"]+)"`)
	b.OldWebView = true
	before := s.RowCounts()
	pagestest.WantStatus(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields()...), http.StatusForbidden)
	pagestest.WantStatus(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("token", "x")...),
		http.StatusForbidden)
	pagestest.WantStatus(
		t,
		b.Post(
			"http://store1001.portico.test/register/complete",
			"phone",
			pagestest.Applicant,
			"name",
			"x",
			"password",
			"Muelle.norte4",
			"confirm_password",
			"Muelle.norte4",
		),
		http.StatusForbidden,
	)
	if s.RowCounts() != before {
		t.Error("something was written")
	}
	pagestest.WantStatus(t, b.Post(pagestest.ApplyAddress, pagestest.ApplicationFields("token", token)...),
		http.StatusSeeOther)
}

func TestSignInFormHasTheProvenPhoneOfAPersonWithAPassword(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.Get("http://store1002.portico.test/login?lang=zh")
	b.ProvePhone("http://store1002.portico.test/register/more", "13800000001")
	pagestest.WantRedirect(t, b.Post("http://store1002.portico.test/register/more", pagestest.ApplicationFields()...),
		"/register/complete")
	pagestest.WantPage(
		t,
		b.Get("http://store1002.portico.test/register/complete"),
		http.StatusOK,
		`value="138 0000 0001"`,
		`name="code"`,
	)
}

func TestSignOutForgetsTheApplicant(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	b.ProvePhone(pagestest.ApplyAddress, pagestest.Applicant)
	b.Post("http://store1001.portico.test/logout")
	pagestest.WantPage(t, b.Get(pagestest.ApplyAddress), http.StatusOK, `name="code"`)
}

// sendWithLicence sends an application with the picture of a licence and returns the answer. Of fields with the same
// name the last one is sent.
func sendWithLicence(b *pagestest.Browser, picture []byte, pairs ...string) *http.Response {
	b.T.Helper()
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
	return b.Send(pagestest.ApplyAddress, w.FormDataContentType(), &body, int64(body.Len()))
}
