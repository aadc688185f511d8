package core_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"portico/locale"
	"portico/portal/access"
	"portico/portal/core"
)

// The two rules for characters: letters, digits and a few marks, or any character.
var (
	PlainRule = core.PasswordRule{}
	AnyRule   = core.PasswordRule{Any: true}
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

	{"kf83m", core.PasswordTooShort, core.PasswordTooShort},
	{"kf83mz", "", ""},
	{"kf83mzq2xw7v0bn5tj1p", "", ""},
	{"kf83mzq2xw7v0bn5tj1ph", access.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8), access.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8) + "x", access.PasswordTooLong, access.PasswordTooLong},
	{strings.Repeat("风雨山河火木", 10) + "日月星辰", access.PasswordTooLong, ""},
	{strings.Repeat("🌧", 65), access.PasswordTooLong, access.PasswordTooLong},
	{strings.Repeat("z", 1<<20), access.PasswordTooLong, access.PasswordTooLong},

	{"kf83 mzq2", core.PasswordCharacters, ""},
	{" kf83mzq2", core.PasswordCharacters, ""},
	{"kf83mzq2 ", core.PasswordCharacters, ""},
	{"kf83-mzq2", core.PasswordCharacters, ""},
	{"ｋｆ８３ｍｚｑ２", core.PasswordCharacters, ""},
	{"contraseña83k", core.PasswordCharacters, ""},
	{"🌧🚲🍜🎻🌵", core.PasswordCharacters, core.PasswordTooShort},
	{"🌧🚲🍜🎻🌵🧭", core.PasswordCharacters, ""},
	{"👨‍👩‍👧🚲🍜🎻", core.PasswordCharacters, ""},
	{"kf8\x003mzq2", core.PasswordCharacters, core.PasswordUnprintable},
	{"kf8\n3mzq2", core.PasswordCharacters, core.PasswordUnprintable},
	{"kf8\u202e3mzq2", core.PasswordCharacters, core.PasswordUnprintable},
	{"kf8\u200b3mzq2", core.PasswordCharacters, core.PasswordUnprintable},
	{"kf8\xff3mzq2", core.PasswordCharacters, core.PasswordUnprintable},
	{"\x00", core.PasswordCharacters, core.PasswordUnprintable},

	{"aaaaaa", core.PasswordPattern, core.PasswordPattern},
	{"888888", core.PasswordPattern, core.PasswordPattern},
	{"aaaaAAAAbb", core.PasswordPattern, core.PasswordPattern},
	{"hahaha", core.PasswordPattern, core.PasswordPattern},
	{"abcdef", core.PasswordPattern, core.PasswordPattern},
	{"FedCba", core.PasswordPattern, core.PasswordPattern},
	{"abcdef2026", "", ""},
	{"abcdef26", core.PasswordPattern, core.PasswordPattern},
	{"123456", core.PasswordPattern, core.PasswordPattern},
	{"678901", core.PasswordPattern, core.PasswordPattern},
	{"654321", core.PasswordPattern, core.PasswordPattern},
	{"qwerty", core.PasswordPattern, core.PasswordPattern},
	{"lkjhgfdsa", core.PasswordPattern, core.PasswordPattern},
	{"1qaz2wsx", core.PasswordPattern, core.PasswordPattern},
	{"zaq12wsx", core.PasswordPattern, core.PasswordPattern},
	{"q1w2e3r4", core.PasswordPattern, core.PasswordPattern},
	{"qwe123", core.PasswordPattern, core.PasswordPattern},
	{"abcxyz789", core.PasswordPattern, core.PasswordPattern},
	{"147258369", core.PasswordPattern, core.PasswordPattern},
	{"abcabc", core.PasswordPattern, core.PasswordPattern},
	{"121212", core.PasswordPattern, core.PasswordPattern},
	{"k7mk7mk7", core.PasswordPattern, core.PasswordPattern},
	{"ｑｗｅｒｔｙ", core.PasswordCharacters, core.PasswordPattern},
	{" qwerty ", core.PasswordCharacters, core.PasswordPattern},
	{"🌧🚲🌧🚲🌧🚲", core.PasswordCharacters, core.PasswordPattern},

	{"a123456", core.PasswordCommon, core.PasswordCommon},
	{"woaini1314", core.PasswordCommon, core.PasswordCommon},
	{"5201314", core.PasswordCommon, core.PasswordCommon},
	{"iloveyou", core.PasswordCommon, core.PasswordCommon},
	{"Password1", core.PasswordCommon, core.PasswordCommon},
	{"admin123", core.PasswordCommon, core.PasswordCommon},
	{"password1!", core.PasswordCharacters, core.PasswordCommon},

	{"portico2026", core.PasswordPersonal, core.PasswordPersonal},
	{"My.P0rt1c0", core.PasswordPersonal, core.PasswordPersonal},
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
		access.PasswordRequired, access.PasswordTooLong, core.PasswordTooShort, core.PasswordCharacters,
		core.PasswordUnprintable,
		core.PasswordSame, core.PasswordPattern, core.PasswordCommon, core.PasswordPersonal,
	} {
		if key := "problem." + string(problem); !locale.Has(key) {
			t.Errorf("there is no %s", key)
		}
	}
}

func TestTheOperatorCanRequireLongerPasswords(t *testing.T) {
	rule := core.PasswordRule{Min: 10}
	for password, want := range map[string]access.Problem{
		"kf83mzq2": core.PasswordTooShort, "kf83mzq2x": core.PasswordTooShort, "kf83mzq2xw": "",
	} {
		if got := rule.Check(password, access.PasswordContext{}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	got := (core.PasswordRule{Max: 8}).Check("kf83mzq2x", access.PasswordContext{})
	if got != access.PasswordTooLong {
		t.Errorf("nine of eight: %q", got)
	}
}

func TestThePasswordRuleIsAvailableBeforeAnyMistake(t *testing.T) {
	for _, c := range []struct {
		rule core.PasswordRule
		key  string
		num  int
	}{
		{PlainRule, "password.rule", 6},
		{AnyRule, "password.rule_any", 6},
		{core.PasswordRule{Min: 10, Any: true}, "password.rule_any", 10},
	} {
		if key, num := c.rule.Hint(); key != c.key || num != c.num || !locale.Has(key) {
			t.Errorf("%+v: %s %d", c.rule, key, num)
		}
	}
}

func TestANewPasswordIsRefusedOnlyIfItEqualsTheOldOneExactly(t *testing.T) {
	for password, want := range map[string]access.Problem{
		"Kf83mzQ2": core.PasswordSame, "kf83mzQ2": "", "Kf83mzQ2x": "",
	} {
		if got := PlainRule.Check(password, access.PasswordContext{Old: "Kf83mzQ2"}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	if got := PlainRule.Check("123456", access.PasswordContext{Old: "123456"}); got != core.PasswordSame {
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
		{li, "13826059478", core.PasswordPersonal},
		{li, "059478", core.PasswordPersonal},
		{li, "Kx382605mz", core.PasswordPersonal},
		{li, "138.2605.9478", core.PasswordPersonal},
		{li, "Kx82605mz", ""},
		{li, "li.manager", core.PasswordPersonal},
		{li, "LiManager88", core.PasswordPersonal},
		{li, "l1_m4nag3r", core.PasswordPersonal},
		{li, "xManager90", core.PasswordPersonal},
		{li, "luc1aRam05", core.PasswordPersonal},
		{li, "Ramos.1974", core.PasswordPersonal},
		{li, "northwind", core.PasswordPersonal},
		{li, "my.NORTHW1ND.7", core.PasswordPersonal},
		{li, "N0rthwindL1ght1ng", core.PasswordPersonal},
		{li, "northern.wind", ""},
		{li, "Demo2026", ""},

		{sur, "sur202607", core.PasswordPersonal},
		{sur, "2026_Sur_07", core.PasswordPersonal},
		{sur, "treasure2607", ""},
		{sur, "金穗粮油2607号", core.PasswordPersonal},
		{sur, "我是李伟呀哈", core.PasswordPersonal},
		{sur, "伟大的李子树", ""},

		{buyer, "buyer1", core.PasswordPersonal},
		{buyer, "Buyer2026", core.PasswordPersonal},
		{buyer, "8uyer2026", ""},
		{buyer, "reed_2607", core.PasswordPersonal},
		{buyer, "freedom_2607", ""},
		{buyer, "alanreed7", core.PasswordPersonal},
		{buyer, "del123987", core.PasswordPersonal},
		{buyer, "delta9387", ""},
		{buyer, "m4r15c05x", core.PasswordPersonal},

		{access.PasswordContext{Phone: "1", Login: "q", Name: "z", Company: "."}, "qz1.93x7", ""},
		{access.PasswordContext{Login: "20260719"}, "kx20260719", core.PasswordPersonal},

		// four letters of a whole name, five of a part of one, three of a name that only digits and signs surround
		{access.PasswordContext{Login: "lina"}, "kxlina83q", core.PasswordPersonal},
		{access.PasswordContext{Login: "lin"}, "kxlin83qw", ""},
		{li, "kxramos83q", core.PasswordPersonal},
		{buyer, "kxreed83q", ""},
		{access.PasswordContext{Login: "xkw"}, "xkw837264", core.PasswordPersonal},
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
	for _, rule := range []core.PasswordRule{PlainRule, AnyRule} {
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
		for _, rule := range []core.PasswordRule{PlainRule, AnyRule, {Min: 1, Max: 3}} {
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
