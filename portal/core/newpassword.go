package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/portal/access"
	"portico/store/searchkey"
)

// The problems a new password can have, beside PasswordRequired and PasswordTooLong.
const (
	PasswordTooShort    access.Problem = "password_too_short"   // {num}: the rule's Min
	PasswordCharacters  access.Problem = "password_characters"  // other characters than the rule's
	PasswordUnprintable access.Problem = "password_unprintable" // with Any: control characters and the like
	PasswordSame        access.Problem = "password_same"        // the old one again
	PasswordPattern     access.Problem = "password_pattern"     // made of runs or repetitions
	PasswordCommon      access.Problem = "password_common"      // on the block list
	PasswordPersonal    access.Problem = "password_personal"    // made of what others know about the person
)

// PasswordRule says which new passwords are accepted. The zero value accepts 6 to 20 characters of A-Za-z0-9@._
type PasswordRule struct {
	Min, Max int  // in characters; zero: 6 and 20, with Any 64
	Any      bool // accepts all printable characters
}

// WithDefaults returns the rule with its zero lengths replaced by the defaults.
func (r PasswordRule) WithDefaults() PasswordRule {
	if r.Min == 0 {
		r.Min = access.MinPassword
	}
	if r.Max == 0 && r.Any {
		r.Max = access.MaxPasswordChars
	} else if r.Max == 0 {
		r.Max = access.MaxPasswordTyped
	}
	return r
}

// Hint returns the locale key of the rule's description for a form, with its argument {num}. The text also needs {max},
// the rule's Max.
func (r PasswordRule) Hint() (key string, num int) {
	r = r.WithDefaults()
	if r.Any {
		return "password.rule_any", r.Min
	}
	return "password.rule", r.Min
}

// Meant returns the password that a person meant to type. Where the rule allows nothing but letters, digits and @._ it
// is pasted without the spaces and invisible characters that came along, and with ordinary letters for the full-width
// ones of an input method. With Any all of these may be part of the password, so it stays as it is.
func (r PasswordRule) Meant(typed string) string {
	if r.Any || len(typed) > access.MaxPassword {
		return typed
	}
	return plainSpelling(typed)
}

// spellings returns the passwords that a typed one may stand for: what it looks like, and what it is to the byte when
// that is something else. Both are one attempt.
func spellings(typed string) []string {
	plain := plainSpelling(typed)
	if plain == typed || plain == "" {
		return []string{typed}
	}
	return []string{plain, typed}
}

// plainSpelling returns a password without surrounding space and invisible characters, with ordinary letters for
// full-width ones.
func plainSpelling(password string) string {
	return strings.TrimSpace(norm.NFKC.String(searchkey.Visible(password)))
}

// Attribute returns the rule as password managers read it in the attribute passwordrules, so that they make passwords
// which it accepts.
func (r PasswordRule) Attribute() string {
	r = r.WithDefaults()
	lengths := fmt.Sprintf("minlength: %d; maxlength: %d;", r.Min, r.Max)
	if r.Any {
		return lengths
	}
	return lengths + " allowed: upper, lower, digit, [@._];"
}

// Check returns the first problem of a new password, "" for none. The password is used exactly as it is given, see
// Meant. It is normalised only to compare it with patterns, common passwords and facts about the person.
func (r PasswordRule) Check(password string, about access.PasswordContext) access.Problem {
	r = r.WithDefaults()
	switch {
	case password == "":
		return access.PasswordRequired
	case len(password) > access.MaxPassword || utf8.RuneCountInString(password) > r.Max:
		return access.PasswordTooLong
	case !r.Any && strings.ContainsFunc(password, isOutsideRule):
		return PasswordCharacters
	case r.Any && (!utf8.ValidString(password) || strings.ContainsFunc(password, isUnprintable)):
		return PasswordUnprintable
	case utf8.RuneCountInString(password) < r.Min:
		return PasswordTooShort
	case password == about.Old:
		return PasswordSame
	}
	plain := strings.TrimSpace(strings.ToLower(norm.NFKC.String(password)))
	switch {
	case isPattern(plain):
		return PasswordPattern
	case isCommonPassword(plain):
		return PasswordCommon
	case isPersonal(plain, about):
		return PasswordPersonal
	}
	return ""
}

func isOutsideRule(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '@' && r != '.' && r != '_'
}

// isUnprintable says whether a character is one that people cannot type on purpose. It accepts characters newer than
// Go's tables and the joiner within emoji.
func isUnprintable(r rune) bool {
	const joiner = '\u200d'
	return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point) && r != joiner
}

// isPattern says whether the password, up to three digits at its end aside, is one or two characters over and over, a
// short block repeated, or made of runs only: abcdef, qwe123, 1qaz2wsx.
func isPattern(plain string) bool {
	chars := []rune(plain)
	if hasPattern(chars) {
		return true
	}
	for range min(3, len(chars)-access.MinPassword) {
		if last := chars[len(chars)-1]; last < '0' || last > '9' {
			return false
		}
		chars = chars[:len(chars)-1]
		if hasPattern(chars) {
			return true
		}
	}
	return false
}

func hasPattern(chars []rune) bool {
	distinct := slices.Compact(slices.Sorted(slices.Values(chars)))
	return len(distinct) <= 2 || repeatsBlock(chars) || isMadeOfRuns(chars)
}

// repeatsBlock finds abcabc, 121212 and 12312312, with blocks of four characters at most.
func repeatsBlock(chars []rune) bool {
	for size := 1; size <= 4 && 2*size <= len(chars); size++ {
		if slices.Equal(chars[size:], chars[:len(chars)-size]) {
			return true
		}
	}
	return false
}

// shortestRun is the length from which neighbours are a run.
const shortestRun = 3

// isMadeOfRuns says whether the whole can be cut into runs.
func isMadeOfRuns(chars []rune) bool {
	cut := make([]bool, len(chars)+1) // cut[i]: the first i characters can be
	cut[0] = true
	for end := shortestRun; end <= len(chars); end++ {
		for start := 0; start <= end-shortestRun && !cut[end]; start++ {
			cut[end] = cut[start] && isRun(string(chars[start:end]))
		}
	}
	return cut[len(chars)]
}

// runs are the alphabet, the digits, and the ways fingers go over a keyboard or a keypad.
var runs = strings.Fields(`
	abcdefghijklmnopqrstuvwxyz 01234567890123456789
	qwertyuiop asdfghjkl zxcvbnm !@#$%^&*()
	1qaz 2wsx 3edc 4rfv 5tgb 6yhn 7ujm 8ik 9ol
	1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 q2w3e4r5t6y7u8i9o0p qawsedrftgyhujikolp
	147 258 369 159 357
`)

func isRun(s string) bool {
	backwards := []rune(s)
	slices.Reverse(backwards)
	if s == string(backwards) && s == strings.Repeat(string(backwards[0]), len(backwards)) {
		return true
	}
	return slices.ContainsFunc(runs, func(run string) bool {
		return strings.Contains(run, s) || strings.Contains(run, string(backwards))
	})
}

const productName = "Portico"

// A password must not share as many digits or letters with the facts about the person as these.
const (
	sharedPhoneDigits = 6
	sharedName        = 4 // bytes of a whole name: four letters or two Han characters
	sharedPart        = 5 // bytes of a part of one: "del" and "reed" are part of too many words
	sharedCore        = 3 // bytes of a name or part that is the whole password but for digits and signs around it
)

// isPersonal says whether the password contains six digits in a row of the phone, or the account, the person's, the
// company's or the product's name: spelt with digits for letters, with signs between, or with other digits after it.
func isPersonal(plain string, about access.PasswordContext) bool {
	if sharesDigits(plain, about.Phone) {
		return true
	}
	typed, core := bare(plain), bare(withoutEnds(plain))
	reveals := func(name string, contained int) bool {
		return slices.ContainsFunc([]string{bare(name), bare(withoutEnds(name))}, func(name string) bool {
			return len(name) >= contained && strings.Contains(typed, name) || len(name) >= sharedCore && core == name
		})
	}
	for _, name := range []string{about.Login, about.Name, about.Company, productName} {
		name = access.Truncated(name, access.MaxTyped)
		if reveals(name, sharedName) {
			return true
		}
		parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
		if slices.ContainsFunc(parts, func(part string) bool { return reveals(part, sharedPart) }) {
			return true
		}
	}
	return false
}

func sharesDigits(plain, phone string) bool {
	unsigned := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.P, unicode.Z) {
			return -1
		}
		return r
	}, plain)
	for i := 0; i+sharedPhoneDigits <= len(phone); i++ {
		if strings.Contains(unsigned, phone[i:i+sharedPhoneDigits]) {
			return true
		}
	}
	return false
}

// withoutEnds drops the digits and signs at both ends.
func withoutEnds(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) })
}

// bare is a text in lower case without accents and signs, with the letters that digits stand for.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', 'i':
			return 'l'
		case '3':
			return 'e'
		case '4', '@':
			return 'a'
		case '5', '$':
			return 's'
		}
		if !unicode.In(r, unicode.L, unicode.N) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(s)))
}

// NewPasswordFields replaces a new password by what was meant (see PasswordRule.Meant), checks it and its confirmation
// without reading the database, and adds the problems to fields.
func (p *Passwords) NewPasswordFields(
	fields access.Fields, password *string, confirm string, about access.PasswordContext,
) {
	*password = p.Password.Meant(*password)
	if problem := p.Password.Check(*password, about); problem != "" {
		fields["password"] = problem
	} else if p.Password.Meant(confirm) != *password {
		fields["confirm_password"] = access.PasswordsDiffer
	}
}

// CheckNewPassword checks a new password against the names of all the owner's accounts and against the current
// password. It runs only after the owner is proven: its answer would reveal account names to others.
func (p *Passwords) CheckNewPassword(ctx context.Context, owner access.Subject, password, old string) error {
	contexts := []access.PasswordContext{PasswordContext(owner, old)}
	if owner.Person.ID != 0 {
		members, err := p.core.DB.Accounts.ByPerson(ctx, owner.Person.ID)
		if err != nil {
			return err
		}
		for _, m := range members {
			contexts = append(contexts, PasswordContext(access.Subject{Member: m}, old))
		}
	}
	for _, about := range contexts {
		if problem := p.Password.Check(password, about); problem != "" {
			return access.Invalid(access.Fields{"password": problem})
		}
	}
	if owner.Hash == "" {
		return nil
	}
	same, _, err := p.Hasher.Verify(ctx, owner.Hash, password)
	if err != nil {
		return err
	}
	if same {
		return access.Invalid(access.Fields{"password": PasswordSame})
	}
	return nil
}

// IsSamePassword says whether a new password was refused because it is the current one.
func IsSamePassword(err error) bool {
	refused, ok := errors.AsType[*access.Refused](err)
	return ok && refused.Fields["password"] == PasswordSame
}

// PasswordHint returns the rule for new passwords, for the form's hint: a locale key and its arguments.
func (p *Passwords) PasswordHint() (key string, args []any) {
	key, _ = p.Password.Hint()
	return key, []any{"num", p.Password.Min, "max", p.Password.Max}
}

// ProblemMessage returns the text of a field's problem: a locale key and its arguments.
func (p *Passwords) ProblemMessage(problem access.Problem) (key string, args []any) {
	return "problem." + string(problem), []any{"num", p.Password.Min, "max", p.Password.Max}
}

// PasswordContext returns the words that a new password of a subject must not contain. old is the current password, ""
// when it is not known.
func PasswordContext(of access.Subject, old string) access.PasswordContext {
	return access.PasswordContext{
		Phone: of.Phone(), Login: of.Member.Login, Name: of.Member.Name, Company: of.Member.Company.Name, Old: old,
	}
}
