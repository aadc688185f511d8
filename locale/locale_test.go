package locale

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEveryTextExistsInEveryLanguage(t *testing.T) {
	for _, l := range Langs {
		for key := range messages[Chinese] {
			if strings.TrimSpace(messages[l][key]) == "" {
				t.Errorf("%s has no %q", l, key)
			}
		}
		for key := range messages[l] {
			if _, ok := messages[Chinese][strings.TrimSuffix(key, ".one")]; !ok {
				t.Errorf("%q is in %s and not in Chinese", key, l)
			}
		}
	}
}

func TestPlaceholdersAreTheSameInEveryLanguage(t *testing.T) {
	form := regexp.MustCompile(`\{[a-z]+\}`)
	for key, text := range messages[Chinese] {
		want := form.FindAllString(text, -1)
		slices.Sort(want)
		for _, l := range Langs {
			got := form.FindAllString(messages[l][key], -1)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s %q has %v, Chinese has %v", l, key, got, want)
			}
		}
	}
}

// Each message names what it is about in the words of docs/words.md, and the way out.
func TestEachMessageNamesItsSubject(t *testing.T) {
	for key, words := range map[string]string{
		"account_not_found": "account|doesn’t exist|administrator", "company_disabled": "company|disabled|support",
		"trial_ended": "company|trial|ended|support", "company_expired": "company|expired|renew",
		"shop_disabled":        "shop|disabled|sign in|administrator",
		"lighting_not_enabled": "lighting edition|administrator",
		"data_abnormal":        "data|try again|administrator", "wrong_parameters": "wrong parameters|administrator",
		"phone_not_bound": "no account|phone number|account name", "not_in_company": "company|no such account",
		"phone_bound_elsewhere": "phone number|already used|another company",
		"under_review":          "under review|administrator",
		"registration_closed":   "shop|new customers|administrator",
		"mall_not_open":         "shop|isn’t open yet|administrator",
		"wechat_expired":        "authorisation|expired", "wechat_failed": "authorisation|failed|{detail}",
		"wechat_manager_closed": "back office|wechat|app", "redirect_failed": "page|try again",
		"phone_registered": "phone number|already registered|sign in", "account_disabled": "company|disabled|account",
		"partner_ended": "no longer a customer|can’t sign in", "code_already_sent": "verification code|already sent",
		"application_exists": "already applied|application", "upload_rejected": "image|{reason}",
		"offered": "account|offered|accept", "company_registration_closed": "register a company|support",
	} {
		text := strings.ToLower(English.T("error." + key))
		for word := range strings.SplitSeq(words, "|") {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not say %q: %s", key, word, text)
			}
		}
	}
}

// Every key in a template or handler exists, and every text is used: by its whole key, or by the constant part of a key
// that the program puts together.
func TestEveryKeyExistsAndEveryTextIsUsed(t *testing.T) {
	literal := regexp.MustCompile(`"([a-z]+[._][a-z0-9._]+)"`)
	used := map[string]bool{"language": true, "platform": true, "description": true, "skip": true, "languages": true,
		"sign_out": true}
	for _, folder := range []string{"../pages", "../pages/*", "../components", "../components/*",
		"../api", "../portal", "../portal/*",
		"../standin", "."} {
		files, err := filepath.Glob(folder + "/*")
		if err != nil || len(files) == 0 {
			t.Fatal(err, folder)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".templ") ||
				strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range regexp.MustCompile(`locale\.T\(ctx, "([^"]+)"(\s*[,)]|`+
				`\s*\+)`).FindAllStringSubmatch(string(text), -1) {
				if strings.TrimSpace(call[2]) != "+" && !Has(call[1]) {
					t.Errorf("%s asks for %q", file, call[1])
				}
			}
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				used[m[1]] = true
			}
		}
	}
	for key := range messages[Chinese] {
		if builtUp := regexp.MustCompile(`^(error|problem|chip|contact|failed|trade|type|side|land|login|demo|logins|` +
			`devices|role|sms|right|upload|apply|standing|registration|audit|application|people|open|style)\.|` +
			`^chat\.(app|door)_|^visits\.(on|page)_|` +
			`^bulk\.(do|ask|now|body|none|done|undo|obstacle|left)[_.]|^import\.(heading|body|means|see)_|` +
			`^settings\.group_|^appearance\.colour_|^overview\.(by|failed)_`); !used[key] && !builtUp.MatchString(key) {
			t.Errorf("%q is never shown", key)
		}
	}
}

func TestTextsUseTheFormalAddress(t *testing.T) {
	for _, l := range Langs {
		for key, text := range messages[l] {
			if strings.ContainsAny(text, "！!¡") {
				t.Errorf("%s %q shouts: %s", l, key, text)
			}
		}
	}
	for key, text := range messages[Chinese] {
		if strings.Contains(text, "你") {
			t.Errorf("%q says 你 where 您 is meant: %s", key, text)
		}
	}
	tu := regexp.MustCompile(`(?i)\b(tú|tu|tus|contigo|puedes|tienes)\b`)
	for key, text := range messages[Spanish] {
		if tu.MatchString(text) {
			t.Errorf("%q says tú where usted is meant: %s", key, text)
		}
	}
}

func TestAgreementHasTheSameSectionsInEveryLanguage(t *testing.T) {
	for n, want := range Chinese.Agreements() {
		if len(want.Sections) < 8 {
			t.Fatalf("%s: only %d sections", want.Version, len(want.Sections))
		}
		for _, l := range Langs {
			if len(l.Agreements()) != len(Chinese.Agreements()) {
				t.Fatalf("%s has %d versions", l, len(l.Agreements()))
			}
			a := l.Agreements()[n]
			if a.Version != want.Version || a.Again != want.Again || a.Title == "" || a.Intro == "" ||
				a.Changes == "" || len(a.Sections) != len(want.Sections) {
				t.Errorf("%s: version %s, %d sections", l, a.Version, len(a.Sections))
				continue
			}
			if day, err := time.Parse(time.DateOnly, a.Version); err != nil || a.Updated != l.Date(day) {
				t.Errorf("%s: version %s is said to be of %s", l, a.Version, a.Updated)
			}
			for i, s := range a.Sections {
				if s.ID != want.Sections[i].ID || s.Title == "" ||
					len(s.Paragraphs) != len(want.Sections[i].Paragraphs) {
					t.Errorf("%s section %d: %s with %d paragraphs", l, i, s.ID, len(s.Paragraphs))
				}
			}
		}
	}
}

func TestAgreementVersionsAreInOrder(t *testing.T) {
	versions := Chinese.Agreements()
	for i := 1; i < len(versions); i++ {
		if versions[i-1].Version <= versions[i].Version {
			t.Errorf("%s does not come after %s", versions[i-1].Version, versions[i].Version)
		}
	}
	if Chinese.Agreement().Version != versions[0].Version {
		t.Error("the present version is not the newest")
	}
}

func TestSingularIsUsedForOne(t *testing.T) {
	for _, c := range []struct {
		l    Lang
		n    int
		want string
	}{{English, 1, "1 day left"}, {English, 2, "2 days left"}, {Spanish, 1, "queda 1 día"},
		{Spanish, 12, "quedan 12 días"}, {Chinese, 1, "剩 1 天"}} {
		if got := c.l.T("chip.trial", "num", c.n); !strings.Contains(got, c.want) {
			t.Errorf("%s %d: %q", c.l, c.n, got)
		}
	}
	for _, key := range []string{"error.code_already_sent", "error.too_many_attempts"} {
		for n, want := range map[int]string{1: " 1 second.", 2: " 2 seconds."} {
			if got := English.T(key, "num", n); !strings.HasSuffix(got, want) {
				t.Errorf("%s: %q", key, got)
			}
		}
	}
}

func TestDatesAreFormattedPerLanguage(t *testing.T) {
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for l, want := range map[Lang]string{Chinese: "2026年11月1日", Spanish: "1 de noviembre de 2026",
		English: "1 November 2026"} {
		if got := l.Date(day); got != want {
			t.Errorf("%s: %q", l, got)
		}
	}
}

func TestTextWithoutItsLastArgumentEndsWithoutSpace(t *testing.T) {
	if got := English.T("error.wechat_failed", "detail", ""); got != "WeChat authorisation failed. Try again." {
		t.Errorf("%q", got)
	}
}
