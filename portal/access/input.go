package access

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/portal/stylesheet"
	"portico/store/searchkey"
)

// Limits of typed text. The pages print the same numbers into the fields.
const (
	// MaxPhoneTyped is how many characters a phone field takes: typed text followed by a number with country code that
	// a keyboard inserts, like "+86 (138) 0013-8000". The field's script keeps eleven digits.
	MaxPhoneTyped = 40
	// PhonePattern is the HTML pattern of a phone field: the number with or without its two spaces.
	PhonePattern = `\s*1[3-9]\d ?\d{4} ?\d{4}\s*`
	// MaxLogin is the longest account name, in characters.
	MaxLogin = 40
	// MaxName is the longest name of a person, in characters.
	MaxName = 40
	// MaxCompanyName is the longest name of a company, in characters.
	MaxCompanyName = 60
	// MaxSearch is the longest search, in characters.
	MaxSearch = 60

	// MaxTyped is how long a phone or name may be before it is normalised, in bytes.
	MaxTyped = 8 * MaxLogin
)

var phoneRule = regexp.MustCompile(`^1[3-9][0-9]{9}$`)

// wholeNumber is a phone number that a program has written as a number with decimals.
var wholeNumber = regexp.MustCompile(`^([0-9]{11,})\.0+$`)

// NormalPhone normalises a phone number to digits: it removes a leading +86 or 0086, and what people and programs write
// between the digits, visible or not. ok says whether the result is a well-formed number.
func NormalPhone(typed string) (phone string, ok bool) {
	if len(typed) > MaxTyped {
		return "", false
	}
	typed = strings.TrimSpace(searchkey.Visible(norm.NFKC.String(typed)))
	if phone, ok = searchkey.Digits(wholeNumber.ReplaceAllString(typed, "$1")); !ok {
		return "", false
	}
	switch len(phone) {
	case PhoneDigits + len("86"):
		phone = strings.TrimPrefix(phone, "86")
	case PhoneDigits + len("0086"):
		phone = strings.TrimPrefix(phone, "0086")
	}
	return phone, phoneRule.MatchString(phone)
}

// NormalLogin normalises an account name: what is visible of it, in Unicode NFC, without surrounding space. ok is false
// for control characters and for names longer than MaxLogin.
func NormalLogin(typed string) (login string, ok bool) { return NormalText(typed, MaxLogin) }

// NormalText does what NormalLogin does for a line of text of at most so many characters.
func NormalText(typed string, characters int) (text string, ok bool) {
	if len(typed) > 8*characters || !utf8.ValidString(typed) {
		return "", false
	}
	text = strings.TrimSpace(norm.NFC.String(searchkey.Visible(typed)))
	if utf8.RuneCountInString(text) > characters {
		return text, false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return text, false
		}
	}
	return text, true
}

// NormaliseText normalises a typed line of text that may be empty, or notes under name that it is malformed.
func (f Fields) NormaliseText(name string, typed *string, characters int) {
	text, ok := NormalText(*typed, characters)
	if !ok {
		f[name] = TextMalformed
		return
	}
	*typed = text
}

// NormalLines does what NormalText does for text of several lines.
func NormalLines(typed string, characters int) (text string, ok bool) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(typed), "\r\n", "\n"), "\n")
	ok = len(typed) <= 8*characters
	for i := range lines {
		line, good := NormalText(Truncated(lines[i], 8*characters), characters)
		lines[i], ok = line, ok && good
	}
	text = strings.Join(lines, "\n")
	return text, ok && utf8.RuneCountInString(text) <= characters
}

// Truncated cuts a text to a length in bytes, so that processing it takes bounded time.
func Truncated(s string, bytes int) string {
	if len(s) > bytes {
		return s[:bytes]
	}
	return s
}

// MaskPhone hides the middle of a number: 138****0001. It returns "" for a text of another length.
func MaskPhone(phone string) string {
	if len(phone) != PhoneDigits {
		return ""
	}
	return phone[:3] + "****" + phone[7:]
}

// PhoneFields normalises a phone in place, or returns its problem under "phone".
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

// NameField normalises a person's name in place, or adds its problem to fields under "name".
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

// MaxPosition is the longest job title, in characters.
const MaxPosition = 40

// PlainName says whether a name in a URL has only letters, digits, hyphens and underscores, as generated names do.
func PlainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !stylesheet.IsNameStart(c) && !stylesheet.IsDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// PasswordContext has facts about a person that a new password must not contain, because others may know them. Empty
// fields are ignored.
type PasswordContext struct {
	Phone, Login, Name, Company string
	Old                         string // the current password, which the new one must not repeat
}

const (
	// MaxPassword is the longest password that is hashed, in bytes: 64 characters of four bytes. Longer ones are
	// refused before hashing.
	MaxPassword = 4 * MaxPasswordChars
	// MaxPasswordChars is the longest password any configuration allows, in characters.
	MaxPasswordChars = 64
)
