package gateway

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	maxMessage = 1024 // bytes of a message that are read
	maxWords   = 100  // characters of it that are shown
	leakLength = 8    // bytes in a row that reveal a secret
)

var (
	// wxTrail is the end of a message: request ids, addresses and links for the provider's support.
	wxTrail = regexp.MustCompile(`(?i)[\s,;]*` +
		`(\bhints?\s*:|\brid\s*:|\bfrom ip\b|\bmore (info|details)\b|\bview more\b|https?://).*$`)
	// ipAddress is this machine's address, which the provider names when its list of allowed addresses does not have
	// it.
	ipAddress = regexp.MustCompile(`[0-9A-Fa-f:]*[0-9]+(\.[0-9]+){3}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:]*`)
	// longWord is a word that no text for people has, like a token.
	longWord = regexp.MustCompile(`[A-Za-z0-9_+=-]{20,}`)
)

// publicMessage returns a provider's message as it may be shown: short, in one line, without addresses. It returns ""
// when the message repeats a hidden value.
func publicMessage(message string, hidden []string) string {
	text := printable(message[:min(len(message), maxMessage)], maxMessage)
	text = wxTrail.ReplaceAllString(text, "")
	if repeatsSecret(text, hidden) || longWord.MatchString(text) {
		return ""
	}
	text = printable(ipAddress.ReplaceAllString(text, " "), maxMessage)
	return strings.Trim(printable(strings.ReplaceAll(text, " ,", ","), maxWords), " ,;:")
}

// printable returns text as one line of at most that many characters, without characters that cannot be seen.
func printable(text string, most int) string {
	seen := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	line := []rune(strings.Join(strings.Fields(seen), " "))
	return strings.TrimSpace(string(line[:min(len(line), most)]))
}

// repeatsSecret says whether text repeats a hidden value or leakLength bytes of it.
func repeatsSecret(text string, hidden []string) bool {
	text = strings.ToLower(text)
	for _, value := range hidden {
		value = strings.ToLower(value)
		for i := 0; i < len(value) && (i == 0 || i+leakLength <= len(value)); i++ {
			if strings.Contains(text, value[i:min(i+leakLength, len(value))]) {
				return true
			}
		}
	}
	return false
}
