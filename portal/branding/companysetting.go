package branding

import "strings"

// GoodTheme reports whether value is a colour of six hexadecimal digits, or "" for none.
func GoodTheme(value string) bool {
	if value != "" && len(value) != 6 {
		return false
	}
	for _, r := range strings.ToLower(value) {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}
