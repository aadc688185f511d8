package branding

import "strings"

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
