package onboarding_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

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
		"/experience": {"phone", "code", "industry", "agree"},
	} {
		page := pagestest.WantPage(t, b.Get("http://account.portico.test"+path), http.StatusOK,
			`<form id="care"`, `action="`+path+`"`, `href="/agreement"`)
		if got := fieldNames(page); !slices.Equal(got, want) {
			t.Errorf("%s asks for %q, want %q", path, got, want)
		}
	}
}

func TestEmptyRequiredFieldIsNamed(t *testing.T) {
	for path, want := range map[string][]string{
		"/login":          {"请输入手机号。", "请输入密码。"},
		"/login/account":  {"请先输入账号。", "请输入密码。"},
		"/forget/account": {"请先输入账号。"},
		"/register": {
			"请输入手机号。", "请填写验证码。", "请输入密码。", "请输入您的姓名。", "请输入企业名称。", "请先阅读并同意服务协议。",
		},
		"/experience": {"请输入手机号。", "请填写验证码。", "请选择行业。", "请先阅读并同意服务协议。"},
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
