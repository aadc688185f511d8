package onboarding_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/assets"
	"portico/pages/pagestest"
)

// fieldNames returns the names of the visible fields of a page's form.
func fieldNames(page string) (names []string) {
	for _, control := range regexp.MustCompile(`<(?:input|select|textarea)[^>]*>`).FindAllString(page, -1) {
		name := regexp.MustCompile(` name="([^"]+)"`).FindStringSubmatch(control)
		if name != nil && !strings.Contains(control, `type="hidden"`) && !slices.Contains(names, name[1]) {
			names = append(names, name[1])
		}
	}
	return names
}

func TestRegistrationAndTrialFormsFitOneScreen(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	for path, want := range map[string][]string{
		"/register":   {"phone", "code", "password", "name", "company_name", "agree"},
		"/experience": {"industry", "phone", "code", "agree"},
	} {
		page := pagestest.WantPage(t, b.Get("http://account.portico.test"+path), http.StatusOK,
			`<form id="care"`, `action="`+path+`"`, `href="/agreement"`)
		if got := fieldNames(page); !slices.Equal(got, want) {
			t.Errorf("%s asks for %q, want %q", path, got, want)
		}
	}
}

// keptPassword reads the sealed new password of a page's form, "" for none.
func keptPassword(page string) string {
	if found := regexp.MustCompile(` name="password_kept" value="([^"]+)"`).FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}

func TestAnotherFieldsMistakeKeepsTheNewPasswordSealed(t *testing.T) {
	b := pagestest.NewSite(t, pagestest.Options{}).Browser()
	const page, password = "http://account.portico.test/register", "river.kite.58"
	fields := func(more ...string) []string {
		return append([]string{"phone", "13911112222", "name", "李", "company_name", "李记", "agree", "1"}, more...)
	}
	for why, sent := range map[string][]string{
		"a wrong code":          fields("password", password, "code", "000000"),
		"a missing name":        fields("password", password, "code", "000000", "name", ""),
		"a code is asked for":   fields("password", password, "action", "send_code"),
		"a change of language":  fields("password", password, "lang", "es"),
		"the agreement is open": fields("password", password, "code", "123456", "agree", ""),
		"a pasted password":     fields("password", password+" ", "code", "000000"),
	} {
		answer := b.Post(page, sent...)
		shown := pagestest.Text(t, answer)
		if strings.Contains(shown, password) {
			t.Errorf("%s shows the password", why)
		}
		kept := keptPassword(shown)
		if kept == "" {
			t.Errorf("%s empties the password: %d", why, answer.StatusCode)
			continue
		}
		if store := answer.Header.Get("Cache-Control"); store != "no-store" {
			t.Errorf("%s: %s", why, store)
		}
		again := pagestest.Text(t, b.Post(page, fields("password", "", "code", "000000", "password_kept", kept)...))
		if strings.Contains(again, "请输入密码") || keptPassword(again) == "" {
			t.Errorf("after %s the kept password is asked for again", why)
		}
	}
	shown := pagestest.Text(t, b.Post(page, fields("password", "short", "code", "000000")...))
	if strings.Contains(shown, `"short"`) || keptPassword(shown) != "" {
		t.Error("a refused password is kept")
	}
	signIn := "http://account.portico.test/login"
	shown = pagestest.Text(t, b.Post(signIn, "phone", "13800000001", "password", password))
	if strings.Contains(shown, password) || keptPassword(shown) != "" {
		t.Error("a present password is kept")
	}
}

func TestAKeptPasswordServesOnlyTheFormAndBrowserThatTypedIt(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	const site, password = "http://account.portico.test", "river.kite.58"
	fields := []string{"phone", "13911112222", "name", "李", "company_name", "李记", "agree", "1", "code", "000000"}
	kept := keptPassword(pagestest.Text(t, b.Post(site+"/register", append(fields, "password", password)...)))
	if kept == "" {
		t.Fatal("the form keeps no password")
	}
	asks := func(b *pagestest.Browser, path, kept string) bool {
		fields := append(slices.Clone(fields), "password", "", "confirm_password", "", "password_kept", kept)
		return strings.Contains(pagestest.Text(t, b.Post(site+path, fields...)), "请输入密码")
	}
	stranger := s.Browser()
	stranger.Post(site+"/register", append(fields, "password", password)...)
	later := func() bool {
		s.Clock = s.Clock.Add(11 * time.Minute)
		return asks(b, "/register", kept)
	}
	for why, asked := range map[string]bool{
		"another browser":   asks(stranger, "/register", kept),
		"no browser":        asks(s.Browser(), "/register", kept),
		"another form":      asks(b, "/forget/phone", kept),
		"another value":     asks(b, "/register", kept[:len(kept)-2]+"AA"),
		"no sealed value":   asks(b, "/register", password),
		"an empty one":      asks(b, "/register", ""),
		"ten minutes later": later(),
	} {
		if !asked {
			t.Errorf("%s has the password", why)
		}
	}
}

func TestANewPasswordTypedIntoAFormReplacesTheKeptOne(t *testing.T) {
	s := pagestest.NewSite(t, pagestest.Options{})
	b := s.Browser()
	const page = "http://account.portico.test/forget/phone"
	phone := []string{"phone", "13800000001"}
	pagestest.WantStatus(t, b.Post(page, append(phone, "action", "send_code")...), http.StatusOK)
	code := s.LastCode("13800000001")
	kept := keptPassword(pagestest.Text(t, b.Post(page, append(phone, "code", "12", "password", "river.kite.58",
		"confirm_password", "river.kite.58")...)))
	if kept == "" {
		t.Fatal("the form keeps no password")
	}
	answer := b.Post(page, append(phone, "code", code, "password", "winter.boat.31", "confirm_password", "",
		"password_kept", kept)...)
	pagestest.WantPage(t, answer, http.StatusUnprocessableEntity, "两次输入的密码不一致")
	answer = b.Post(page, append(phone, "code", code, "password", "", "confirm_password", "", "password_kept", kept)...)
	pagestest.WantStatus(t, answer, http.StatusSeeOther)
	pagestest.WantStatus(t, s.Browser().Post("http://account.portico.test/login", "phone", "13800000001",
		"password", "river.kite.58"), http.StatusSeeOther)
}

func TestEmptyRequiredFieldIsNamed(t *testing.T) {
	for path, want := range map[string][]string{
		"/login":          {"请输入手机号。", "请输入密码。"},
		"/login/account":  {"请先输入账号。", "请输入密码。"},
		"/forget/account": {"请先输入账号。"},
		"/register": {
			"请输入手机号。", "请输入验证码。", "请输入密码。", "请输入您的姓名。", "请输入企业名称。", "请先阅读并同意服务协议。",
		},
		"/experience": {"请输入手机号。", "请输入验证码。", "请选择行业。", "请先阅读并同意服务协议。"},
	} {
		b := pagestest.NewSite(t, pagestest.Options{}).Browser()
		pagestest.WantPage(t, b.Post("http://account.portico.test"+path), http.StatusUnprocessableEntity, want...)
	}
}

func TestTrialOffersTwelveIndustries(t *testing.T) {
	names := map[int]string{
		118: "Grain and oil", 729: "Restaurants", 724: "Wine and drinks", 121: "Fresh produce", 128: "Lighting",
		117: "Home furnishing", 124: "Appliances", 116: "Clothing and shoes", 119: "Personal care",
		122: "Pharmacy and health", 123: "Baby and toys", 725: "General trade",
	}
	page := pagestest.Text(t, pagestest.NewSite(t,
		pagestest.Options{}).Browser().Get("http://account.portico.test/experience?lang=en"))
	industries := regexp.MustCompile(`(?s)<label class="industry">.*?</label>`).FindAllString(page, -1)
	if len(industries) != 12 {
		t.Fatalf("%d industries", len(industries))
	}
	for id, name := range names {
		value := fmt.Sprintf(`value="%d"`, id)
		icon, _, known := assets.Symbol(fmt.Sprintf("i-%d", id))
		if !known || !slices.ContainsFunc(industries, func(label string) bool {
			return strings.Contains(label, value) && strings.Contains(label, icon) && strings.Contains(label, name)
		}) {
			t.Errorf("%d %s is missing, or its icon is", id, name)
		}
	}
}
