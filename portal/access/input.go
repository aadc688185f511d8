package access

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/portal/stylesheet"
)

// Limits of what is typed; the pages print the same ones into the fields.
const (
	// MaxPhoneTyped is how many characters a phone field takes: what was typed, and a number with its country code
	// that a keyboard inserts behind it, like "+86 (138) 0013-8000". The script of the field keeps eleven digits of
	// it.
	MaxPhoneTyped = 40
	// PhonePattern is the pattern of a phone field: the number with or without its two spaces.
	PhonePattern = `\s*1[3-9]\d ?\d{4} ?\d{4}\s*`
	// MaxLogin is the longest account name, in characters.
	MaxLogin = 40
	// MaxName is the longest name of a person, in characters.
	MaxName = 40
	// MaxCompanyName is the longest name of a company, in characters.
	MaxCompanyName = 60
	// MaxSearch is the longest search, in characters.
	MaxSearch = 60

	MaxTyped = 8 * MaxLogin // bytes of a phone or name that are read at all
)

var phoneRule = regexp.MustCompile(`^1[3-9][0-9]{9}$`)

// NormalPhone gives a phone in its one spelling, digits only: spaces, hyphens and a leading +86 are
// dropped, full-width digits become plain ones. ok says whether it is a well-formed number.
func NormalPhone(typed string) (phone string, ok bool) {
	if len(typed) > MaxTyped {
		return "", false
	}
	var digits strings.Builder
	for _, r := range norm.NFKC.String(typed) {
		switch {
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case r == ' ' || r == '-' || r == '+' || r == '(' || r == ')' || unicode.IsSpace(r):
		default:
			return "", false
		}
	}
	phone = digits.String()
	if len(phone) == 13 {
		phone = strings.TrimPrefix(phone, "86")
	}
	return phone, phoneRule.MatchString(phone)
}

// NormalLogin gives an account name in one Unicode form without surrounding space. Control, bidirectional
// and zero-width characters, and over-long names, are refused.
func NormalLogin(typed string) (login string, ok bool) { return NormalText(typed, MaxLogin) }

// NormalText does the same for a line of text of so many characters.
func NormalText(typed string, characters int) (text string, ok bool) {
	if len(typed) > 8*characters || !utf8.ValidString(typed) {
		return "", false
	}
	text = strings.TrimSpace(norm.NFC.String(typed))
	if utf8.RuneCountInString(text) > characters {
		return text, false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			return text, false
		}
	}
	return text, true
}

// NormalLines does the same for text of several lines.
func NormalLines(typed string, characters int) (text string, ok bool) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(typed), "\r\n", "\n"), "\n")
	ok = len(typed) <= 8*characters
	for i := range lines {
		line, good := NormalText(Limited(lines[i], 8*characters), characters)
		lines[i], ok = line, ok && good
	}
	text = strings.Join(lines, "\n")
	return text, ok && utf8.RuneCountInString(text) <= characters
}

// Limited cuts a text that is longer than any field may be, so that nothing below runs long.
func Limited(s string, bytes int) string {
	if len(s) > bytes {
		return s[:bytes]
	}
	return s
}

// MaskPhone hides the middle of a number: 138****0001. Anything shorter is hidden whole.
func MaskPhone(phone string) string {
	if len(phone) != PhoneDigits {
		return ""
	}
	return phone[:3] + "****" + phone[7:]
}

// PhoneFields puts a phone into its one spelling, or says what is wrong with it.
func PhoneFields(phone *string) Fields {
	number, ok := NormalPhone(*phone)
	switch {
	case strings.TrimSpace(*phone) == "":
		return Fields{"phone": PhoneRequired}
	case !ok:
		return Fields{"phone": PhoneMalformed}
	}
	*phone = number
	return Fields{}
}

// NameField puts a person's name into its one spelling, or says what is wrong with it.
func NameField(fields Fields, name *string) {
	clean, ok := NormalText(*name, MaxName)
	switch {
	case !ok:
		fields["name"] = NameMalformed
		return
	case clean == "":
		fields["name"] = NameRequired
	}
	*name = clean
}

const (
	// MaxPosition, MaxAddress, MaxReason and MaxRejectReason are in characters.
	MaxPosition = 40
)

// PlainName says that a name in an address is made of the letters that ours are.
func PlainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !stylesheet.IsNameStart(c) && !stylesheet.IsDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// PasswordContext is what others may know about the person who chooses a password. Empty fields count for nothing.
type PasswordContext struct {
	Phone, Login, Name, Company string
	Old                         string // the password that is replaced
}

const (
	// MaxPassword is the longest password read at any door, in bytes: 64 characters of four bytes. Longer ones
	// are refused before hashing.
	MaxPassword = 4 * MaxPasswordChars
	// MaxPasswordChars is the longest password any configuration allows, in characters.
	MaxPasswordChars = 64
)
