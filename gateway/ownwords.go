package gateway

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	maxMessage = 1024 // bytes of a message that are looked at
	maxWords   = 100  // characters of it that are kept
	leakLength = 8    // characters in a row that give a secret away
)

var (
	// What follows is for whoever asks the provider about one request: numbers, addresses, links.
	wxTrail = regexp.MustCompile(`(?i)[\s,;]*(\bhints?\s*:|\brid\s*:|\bfrom ip\b|\bmore (info|details)\b|\bview ` +
		`more\b|https?://).*$`)
	// The addresses of this machine, which a list of allowed ones is missing.
	ipAddress = regexp.MustCompile(`[0-9A-Fa-f:]*[0-9]+(\.[0-9]+){3}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:]*`)
	// Nothing that is written for people has such words.
	longWord = regexp.MustCompile(`[A-Za-z0-9_+=-]{20,}`)
)

// ownWords is a provider's message as anybody may read it: short, in one line, without addresses, and nothing at all
// where it repeats what was sent.
func ownWords(message string, hidden []string) string {
	text := printable(message[:min(len(message), maxMessage)], maxMessage)
	text = wxTrail.ReplaceAllString(text, "")
	if leaks(text, hidden) || longWord.MatchString(text) {
		return ""
	}
	text = printable(ipAddress.ReplaceAllString(text, " "), maxMessage)
	return strings.Trim(printable(strings.ReplaceAll(text, " ,", ","), maxWords), " ,;:")
}

// printable is text in one line with no more than so many characters, all of which can be seen.
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

// leaks says whether text repeats a hidden value, or as much of it as gives it away.
func leaks(text string, hidden []string) bool {
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
