package pages_test

import (
	"encoding/json"
	"html"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/components"
	"portico/pages/pagestest"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/onboarding"
)

func TestBrowserAndServerAgreeOnTheConstants(t *testing.T) {
	text, err := os.ReadFile("../islands/constants.ts")
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]int{}
	constant := regexp.MustCompile(`(?m)^export const (\w+) = ([\d_.]+);$`)
	for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[2], "_", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		in[m[1]] = int(n * 1000)
	}
	for name, want := range map[string]float64{
		"TOAST_MS": 1500, "TOAST_SHORT_MS": 3000, "TOAST_LONG_MS": 8000, "PULL_DISTANCE": 25, "PULL_DAMPING": 100,
		"PULL_SCALE": 0.6, "PULL_REFRESH_MS": 1000,
		"CHUNK_TIMEOUT_MS": 120_000, "SUBMENU_REPORT_MS": 300,
		"MOBILE_WIDTH": access.MobileWidth, "PHONE_DIGITS": access.PhoneDigits, "CARD_GROUP": access.CardGroup,
	} {
		if got, ok := in[name]; !ok || got != int(want*1000) {
			t.Errorf("%s is %d thousandths, want %v", name, got, want)
		}
		delete(in, name)
	}
	if len(in) > 0 {
		t.Errorf("not compared with the server: %v", in)
	}
	for name, equal := range map[string]bool{
		"passwords": access.MinPassword == 6 && access.MaxPasswordTyped == 20, "phones": access.PhoneDigits == 11,
		"pictures":        access.MaxUpload == 5<<20,
		"phones' windows": access.MobileWidth == 750,
		"random strings":  access.RandomLength == 15 && access.RequestLength == 20, "cards": access.CardGroup == 4,
		"the theme": access.DefaultTheme == "20ade5" && components.DefaultTheme == access.DefaultTheme,
		"languages": strings.Join(branding.Languages, " ") == "zh es en",
	} {
		if !equal {
			t.Errorf("the constants of %s differ", name)
		}
	}
}

func TestDocumentationNamesEveryConstant(t *testing.T) {
	document, err := os.ReadFile("../docs/constants.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../islands/constants.ts", "../portal/access/constants.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		constant := regexp.MustCompile(`(?m)^(?:export const|\t)\s?(\w+) += `)
		for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(document), "`"+m[1]+"`") {
				t.Errorf("docs/constants.md does not name %s", m[1])
			}
		}
	}
}

func TestMirrorHasElevenKeysAndNoWeComCode(t *testing.T) {
	constants, err := os.ReadFile("../islands/constants.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(constants), "export const KEYS = [")
	var keys []string
	for _, m := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(list, -1) {
		keys = append(keys, m[1])
	}
	if len(keys) != 11 {
		t.Fatal(keys)
	}
	s := pagestest.NewSite(t, pagestest.Options{})
	several := s.Browser()
	several.Post("http://account.portico.test/login", "phone", "13800000003", "password", onboarding.DemoPassword)
	for place, page := range map[string]string{
		"companies": pagestest.Text(t, several.Get("http://account.portico.test/company")),
		"office":    pagestest.Text(t, s.SignInByPhone("13800000002").Get(pagestest.Office)),
	} {
		var mirror map[string]any
		if err := json.Unmarshal(
			[]byte(html.UnescapeString(pagestest.FindIn(t, page, `data-mirror="([^"]+)"`))), &mirror,
		); err != nil {
			t.Fatal(err)
		}
		for key := range mirror {
			if !slices.Contains(keys, key) {
				t.Errorf("%s: %s is mirrored", place, key)
			}
		}
		if left, present := mirror["WechatproCode"]; !present || left != nil {
			t.Errorf("%s: the key of a WeCom sign-in is not removed: %v", place, mirror)
		}
	}
}
