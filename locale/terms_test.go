package locale

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replaced are words that docs/words.md replaces by others, as regular expressions.
var replaced = map[Lang][]string{
	Chinese: {"初始化", "未通过", "不通过", "控制字符", "贵企业", "[订货管理]侧", "一侧开始"},
	Spanish: {
		"(?i)a[ñ]ad[aei]", "(?i)caduc", "(?i)ajustes", "(?i)cifras", "(?i)ordenador", "(?i)contraseña inicial",
		"(?i)primeras? contraseñas?", "carácter(es)? de control", "(?i)solicit[a-z]+ (el|de) alta",
		"(?i)la cuenta se cierra|cuentas [a-z ]+ se cierran",
	},
	English: {
		`\b(cannot|could not|does not|do not|did not|is not|are not|was not|has not|have not|will not)\b`, "'",
		"(?i)first password", "(?i)control character", "(?i)\bmall\b", "(?i)\benterprise\b", "(?i)\bpictures?\b",
		"(?i)through one door", "(?i)\b(un)?(bind|bound)\b", "(?i)portrait", "(?i)customer service",
		"(?i)customer registration", "(?i)management (account|side)", "(?i)longer a partner",
	},
}

var leftOut = []string{"standin", "play", "demo", "error", "sms"}

// TestTextsAvoidWordsThatTheListReplaces leaves out the stand-in of WeChat and the demo's names, which only developers
// see. It also leaves out messages, which operators have registered with their providers, and the error catalogue where
// its texts are given: in Chinese and Spanish.
func TestTextsAvoidWordsThatTheListReplaces(t *testing.T) {
	for lang, patterns := range replaced {
		for _, pattern := range patterns {
			word := regexp.MustCompile(pattern)
			for key, text := range messages[lang] {
				area, _, _ := strings.Cut(key, ".")
				isGiven := slices.Contains(leftOut, area) && (lang != English || area != "error")
				if isGiven {
					continue
				}
				if found := word.FindString(text); found != "" {
					t.Errorf("%s: %s says %q: %s", lang, key, found, text)
				}
			}
		}
	}
}
