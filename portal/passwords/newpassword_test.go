package passwords_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/passwords"
)

// The two rules for characters: letters, digits and a few marks, or any character.
var (
	PlainRule = passwords.PasswordRule{}
	AnyRule   = passwords.PasswordRule{Any: true}
)

// PasswordCase is a password and the problem that it has by the default rule and by the rule that allows any character.
type PasswordCase struct {
	Password   string
	Plain, Any access.Problem
}

var PasswordCases = []PasswordCase{
	{"Demo2026", "", ""},
	{"Kf83mzQ2", "", ""},
	{"lluvia.cobre7", "", ""},
	{"mesa_verde@42", "", ""},
	{"", access.PasswordRequired, access.PasswordRequired},

	{"kf83m", passwords.PasswordTooShort, passwords.PasswordTooShort},
	{"kf83mz", "", ""},
	{"kf83mzq2xw7v0bn5tj1p", "", ""},
	{"kf83mzq2xw7v0bn5tj1ph", access.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8), access.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8) + "x", access.PasswordTooLong, access.PasswordTooLong},
	{strings.Repeat("风雨山河火木", 10) + "日月星辰", access.PasswordTooLong, ""},
	{strings.Repeat("🌧", 65), access.PasswordTooLong, access.PasswordTooLong},
	{strings.Repeat("z", 1<<20), access.PasswordTooLong, access.PasswordTooLong},

	{"kf83 mzq2", passwords.PasswordCharacters, ""},
	{" kf83mzq2", passwords.PasswordCharacters, ""},
	{"kf83mzq2 ", passwords.PasswordCharacters, ""},
	{"kf83-mzq2", passwords.PasswordCharacters, ""},
	{"ｋｆ８３ｍｚｑ２", passwords.PasswordCharacters, ""},
	{"contraseña83k", passwords.PasswordCharacters, ""},
	{"🌧🚲🍜🎻🌵", passwords.PasswordCharacters, passwords.PasswordTooShort},
	{"🌧🚲🍜🎻🌵🧭", passwords.PasswordCharacters, ""},
	{"👨‍👩‍👧🚲🍜🎻", passwords.PasswordCharacters, ""},
	{"kf8\x003mzq2", passwords.PasswordCharacters, passwords.PasswordUnprintable},
	{"kf8\n3mzq2", passwords.PasswordCharacters, passwords.PasswordUnprintable},
	{"kf8\u202e3mzq2", passwords.PasswordCharacters, passwords.PasswordUnprintable},
	{"kf8\u200b3mzq2", passwords.PasswordCharacters, passwords.PasswordUnprintable},
	{"kf8\xff3mzq2", passwords.PasswordCharacters, passwords.PasswordUnprintable},
	{"\x00", passwords.PasswordCharacters, passwords.PasswordUnprintable},

	{"aaaaaa", passwords.PasswordPattern, passwords.PasswordPattern},
	{"888888", passwords.PasswordPattern, passwords.PasswordPattern},
	{"aaaaAAAAbb", passwords.PasswordPattern, passwords.PasswordPattern},
	{"hahaha", passwords.PasswordPattern, passwords.PasswordPattern},
	{"abcdef", passwords.PasswordPattern, passwords.PasswordPattern},
	{"FedCba", passwords.PasswordPattern, passwords.PasswordPattern},
	{"abcdef2026", "", ""},
	{"abcdef26", passwords.PasswordPattern, passwords.PasswordPattern},
	{"123456", passwords.PasswordPattern, passwords.PasswordPattern},
	{"678901", passwords.PasswordPattern, passwords.PasswordPattern},
	{"654321", passwords.PasswordPattern, passwords.PasswordPattern},
	{"qwerty", passwords.PasswordPattern, passwords.PasswordPattern},
	{"lkjhgfdsa", passwords.PasswordPattern, passwords.PasswordPattern},
	{"1qaz2wsx", passwords.PasswordPattern, passwords.PasswordPattern},
	{"zaq12wsx", passwords.PasswordPattern, passwords.PasswordPattern},
	{"q1w2e3r4", passwords.PasswordPattern, passwords.PasswordPattern},
	{"qwe123", passwords.PasswordPattern, passwords.PasswordPattern},
	{"abcxyz789", passwords.PasswordPattern, passwords.PasswordPattern},
	{"147258369", passwords.PasswordPattern, passwords.PasswordPattern},
	{"abcabc", passwords.PasswordPattern, passwords.PasswordPattern},
	{"121212", passwords.PasswordPattern, passwords.PasswordPattern},
	{"k7mk7mk7", passwords.PasswordPattern, passwords.PasswordPattern},
	{"ｑｗｅｒｔｙ", passwords.PasswordCharacters, passwords.PasswordPattern},
	{" qwerty ", passwords.PasswordCharacters, passwords.PasswordPattern},
	{"🌧🚲🌧🚲🌧🚲", passwords.PasswordCharacters, passwords.PasswordPattern},

	{"a123456", passwords.PasswordCommon, passwords.PasswordCommon},
	{"woaini1314", passwords.PasswordCommon, passwords.PasswordCommon},
	{"5201314", passwords.PasswordCommon, passwords.PasswordCommon},
	{"iloveyou", passwords.PasswordCommon, passwords.PasswordCommon},
	{"Password1", passwords.PasswordCommon, passwords.PasswordCommon},
	{"admin123", passwords.PasswordCommon, passwords.PasswordCommon},
	{"password1!", passwords.PasswordCharacters, passwords.PasswordCommon},

	{"portico2026", passwords.PasswordPersonal, passwords.PasswordPersonal},
	{"My.P0rt1c0", passwords.PasswordPersonal, passwords.PasswordPersonal},
}

func TestTheFirstProblemOfANewPasswordIsReturned(t *testing.T) {
	for _, c := range PasswordCases {
		if got := PlainRule.Check(c.Password, access.PasswordContext{}); got != c.Plain {
			t.Errorf("%.80q: %q, want %q", c.Password, got, c.Plain)
		}
		if got := AnyRule.Check(c.Password, access.PasswordContext{}); got != c.Any {
			t.Errorf("%.80q of any characters: %q, want %q", c.Password, got, c.Any)
		}
	}
}

func TestEveryProblemOfANewPasswordIsReturned(t *testing.T) {
	for _, problem := range []access.Problem{
		access.PasswordRequired, access.PasswordTooLong, passwords.PasswordTooShort, passwords.PasswordCharacters,
		passwords.PasswordUnprintable,
		passwords.PasswordSame, passwords.PasswordPattern, passwords.PasswordCommon, passwords.PasswordPersonal,
	} {
		if key := "problem." + string(problem); !locale.Has(key) {
			t.Errorf("there is no %s", key)
		}
	}
}

func TestTheOperatorCanRequireLongerPasswords(t *testing.T) {
	rule := passwords.PasswordRule{Min: 10}
	for password, want := range map[string]access.Problem{
		"kf83mzq2": passwords.PasswordTooShort, "kf83mzq2x": passwords.PasswordTooShort, "kf83mzq2xw": "",
	} {
		if got := rule.Check(password, access.PasswordContext{}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	got := (passwords.PasswordRule{Max: 8}).Check(
		"kf83mzq2x", access.PasswordContext{},
	)
	if got != access.PasswordTooLong {
		t.Errorf("nine of eight: %q", got)
	}
}

func TestThePasswordRuleIsAvailableBeforeAnyMistake(t *testing.T) {
	for _, c := range []struct {
		rule passwords.PasswordRule
		key  string
		num  int
	}{
		{PlainRule, "password.rule", 6},
		{AnyRule, "password.rule_any", 6},
		{passwords.PasswordRule{Min: 10, Any: true}, "password.rule_any", 10},
	} {
		if key, num := c.rule.Hint(); key != c.key || num != c.num || !locale.Has(key) {
			t.Errorf("%+v: %s %d", c.rule, key, num)
		}
	}
}

func TestANewPasswordIsRefusedOnlyIfItEqualsTheOldOneExactly(t *testing.T) {
	for password, want := range map[string]access.Problem{
		"Kf83mzQ2": passwords.PasswordSame, "kf83mzQ2": "", "Kf83mzQ2x": "",
	} {
		if got := PlainRule.Check(password, access.PasswordContext{Old: "Kf83mzQ2"}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	if got := PlainRule.Check("123456", access.PasswordContext{Old: "123456"}); got != passwords.PasswordSame {
		t.Errorf("123456 again: %q", got)
	}
}

func TestANewPasswordContainsNoKnownFactsOfThePerson(t *testing.T) {
	li := access.PasswordContext{
		Phone:   "13826059478",
		Login:   "li.manager",
		Name:    "Lucía Ramos",
		Company: "Northwind Lighting",
	}
	sur := access.PasswordContext{Login: "sur", Name: "李伟", Company: "金穗粮油"}
	buyer := access.PasswordContext{Login: "buyer1", Name: "Alan Reed", Company: "Mariscos del Sur S.A."}
	for _, c := range []struct {
		about    access.PasswordContext
		password string
		want     access.Problem
	}{
		{li, "13826059478", passwords.PasswordPersonal},
		{li, "059478", passwords.PasswordPersonal},
		{li, "Kx382605mz", passwords.PasswordPersonal},
		{li, "138.2605.9478", passwords.PasswordPersonal},
		{li, "Kx82605mz", ""},
		{li, "li.manager", passwords.PasswordPersonal},
		{li, "LiManager88", passwords.PasswordPersonal},
		{li, "l1_m4nag3r", passwords.PasswordPersonal},
		{li, "xManager90", passwords.PasswordPersonal},
		{li, "luc1aRam05", passwords.PasswordPersonal},
		{li, "Ramos.1974", passwords.PasswordPersonal},
		{li, "northwind", passwords.PasswordPersonal},
		{li, "my.NORTHW1ND.7", passwords.PasswordPersonal},
		{li, "N0rthwindL1ght1ng", passwords.PasswordPersonal},
		{li, "northern.wind", ""},
		{li, "Demo2026", ""},

		{sur, "sur202607", passwords.PasswordPersonal},
		{sur, "2026_Sur_07", passwords.PasswordPersonal},
		{sur, "treasure2607", ""},
		{sur, "金穗粮油2607号", passwords.PasswordPersonal},
		{sur, "我是李伟呀哈", passwords.PasswordPersonal},
		{sur, "伟大的李子树", ""},

		{buyer, "buyer1", passwords.PasswordPersonal},
		{buyer, "Buyer2026", passwords.PasswordPersonal},
		{buyer, "8uyer2026", ""},
		{buyer, "reed_2607", passwords.PasswordPersonal},
		{buyer, "freedom_2607", ""},
		{buyer, "alanreed7", passwords.PasswordPersonal},
		{buyer, "del123987", passwords.PasswordPersonal},
		{buyer, "delta9387", ""},
		{buyer, "m4r15c05x", passwords.PasswordPersonal},

		{access.PasswordContext{Phone: "1", Login: "q", Name: "z", Company: "."}, "qz1.93x7", ""},
		{access.PasswordContext{Login: "20260719"}, "kx20260719", passwords.PasswordPersonal},

		// four letters of a whole name, five of a part of one, three of a name that only digits and signs surround
		{access.PasswordContext{Login: "lina"}, "kxlina83q", passwords.PasswordPersonal},
		{access.PasswordContext{Login: "lin"}, "kxlin83qw", ""},
		{li, "kxramos83q", passwords.PasswordPersonal},
		{buyer, "kxreed83q", ""},
		{access.PasswordContext{Login: "xkw"}, "xkw837264", passwords.PasswordPersonal},
		{access.PasswordContext{Login: "xk"}, "xk837264", ""},
	} {
		rule := PlainRule
		if strings.ContainsFunc(c.password, func(r rune) bool { return r >= utf8.RuneSelf }) {
			rule = AnyRule
		}
		if got := rule.Check(c.password, c.about); got != c.want {
			t.Errorf("%s of %+v: %q, want %q", c.password, c.about, got, c.want)
		}
	}
}

// What is read is counted, not timed: to look a password up it has to be copied into lower case first.
func TestAMegabyteAsAPasswordIsRefusedWithoutBeingCopied(t *testing.T) {
	long := strings.Repeat("Passw0rd", 1<<17)
	for _, rule := range []passwords.PasswordRule{PlainRule, AnyRule} {
		if n := testing.AllocsPerRun(5, func() {
			if got := rule.Check(long, access.PasswordContext{Login: long, Old: long}); got != access.PasswordTooLong {
				t.Errorf("%+v: %q", rule, got)
			}
		}); n > 0 {
			t.Errorf("%+v: %v allocations", rule, n)
		}
	}
}

func TestRandomPasswordsAreAccepted(t *testing.T) {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	about := access.PasswordContext{
		Phone:   "13800000003",
		Login:   "li.manager",
		Name:    "李伟",
		Company: "金穗粮油",
		Old:     "Demo2026",
	}
	random := rand.New(rand.NewPCG(20, 26))
	for range 1000 {
		password := make([]byte, 8)
		for i := range password {
			password[i] = chars[random.IntN(len(chars))]
		}
		if got := PlainRule.Check(string(password), about); got != "" {
			t.Errorf("%s: %q", password, got)
		}
	}
}

func FuzzNewPassword(f *testing.F) {
	for _, c := range PasswordCases {
		if len(c.Password) <= 2*access.MaxPassword {
			f.Add(c.Password, "li.manager", "Lucía Ramos")
		}
	}
	f.Add("ﷺﷺﷺﷺﷺﷺ", "\xff\xf0", "\u0301\u0301\u0301\u0301")
	f.Fuzz(func(t *testing.T, password, login, name string) {
		about := access.PasswordContext{Phone: login, Login: login, Name: name, Company: name, Old: login}
		for _, rule := range []passwords.PasswordRule{PlainRule, AnyRule, {Min: 1, Max: 3}} {
			got := rule.Check(password, about)
			if got != rule.Check(password, about) {
				t.Errorf("%q is judged in two ways", password)
			}
			if got == "" &&
				(password == "" || password == login || !utf8.ValidString(password) ||
					len(password) > access.MaxPassword) {
				t.Errorf("%q is taken", password)
			}
		}
	})
}
