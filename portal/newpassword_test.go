package portal_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"portico/locale"
	"portico/portal"
)

var (
	plainRule = portal.PasswordRule{}
	anyRule   = portal.PasswordRule{Any: true}
)

// passwordCase is a password and what the default rule and the one of any character say to it.
type passwordCase struct {
	password   string
	plain, any portal.Problem
}

var passwordCases = []passwordCase{
	{"Demo2026", "", ""},
	{"Kf83mzQ2", "", ""},
	{"lluvia.cobre7", "", ""},
	{"mesa_verde@42", "", ""},
	{"", portal.PasswordRequired, portal.PasswordRequired},

	{"kf83m", portal.PasswordTooShort, portal.PasswordTooShort},
	{"kf83mz", "", ""},
	{"kf83mzq2xw7v0bn5tj1p", "", ""},
	{"kf83mzq2xw7v0bn5tj1ph", portal.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8), portal.PasswordTooLong, ""},
	{strings.Repeat("kf83mzq2", 8) + "x", portal.PasswordTooLong, portal.PasswordTooLong},
	{strings.Repeat("风雨山河火木", 10) + "日月星辰", portal.PasswordTooLong, ""},
	{strings.Repeat("🌧", 65), portal.PasswordTooLong, portal.PasswordTooLong},
	{strings.Repeat("z", 1<<20), portal.PasswordTooLong, portal.PasswordTooLong},

	{"kf83 mzq2", portal.PasswordCharacters, ""},
	{" kf83mzq2", portal.PasswordCharacters, ""},
	{"kf83mzq2 ", portal.PasswordCharacters, ""},
	{"kf83-mzq2", portal.PasswordCharacters, ""},
	{"ｋｆ８３ｍｚｑ２", portal.PasswordCharacters, ""},
	{"contraseña83k", portal.PasswordCharacters, ""},
	{"🌧🚲🍜🎻🌵", portal.PasswordCharacters, portal.PasswordTooShort},
	{"🌧🚲🍜🎻🌵🧭", portal.PasswordCharacters, ""},
	{"👨‍👩‍👧🚲🍜🎻", portal.PasswordCharacters, ""},
	{"kf8\x003mzq2", portal.PasswordCharacters, portal.PasswordUnprintable},
	{"kf8\n3mzq2", portal.PasswordCharacters, portal.PasswordUnprintable},
	{"kf8\u202e3mzq2", portal.PasswordCharacters, portal.PasswordUnprintable},
	{"kf8\u200b3mzq2", portal.PasswordCharacters, portal.PasswordUnprintable},
	{"kf8\xff3mzq2", portal.PasswordCharacters, portal.PasswordUnprintable},
	{"\x00", portal.PasswordCharacters, portal.PasswordUnprintable},

	{"aaaaaa", portal.PasswordPattern, portal.PasswordPattern},
	{"888888", portal.PasswordPattern, portal.PasswordPattern},
	{"aaaaAAAAbb", portal.PasswordPattern, portal.PasswordPattern},
	{"hahaha", portal.PasswordPattern, portal.PasswordPattern},
	{"abcdef", portal.PasswordPattern, portal.PasswordPattern},
	{"FedCba", portal.PasswordPattern, portal.PasswordPattern},
	{"abcdef2026", "", ""},
	{"abcdef26", portal.PasswordPattern, portal.PasswordPattern},
	{"123456", portal.PasswordPattern, portal.PasswordPattern},
	{"678901", portal.PasswordPattern, portal.PasswordPattern},
	{"654321", portal.PasswordPattern, portal.PasswordPattern},
	{"qwerty", portal.PasswordPattern, portal.PasswordPattern},
	{"lkjhgfdsa", portal.PasswordPattern, portal.PasswordPattern},
	{"1qaz2wsx", portal.PasswordPattern, portal.PasswordPattern},
	{"zaq12wsx", portal.PasswordPattern, portal.PasswordPattern},
	{"q1w2e3r4", portal.PasswordPattern, portal.PasswordPattern},
	{"qwe123", portal.PasswordPattern, portal.PasswordPattern},
	{"abcxyz789", portal.PasswordPattern, portal.PasswordPattern},
	{"147258369", portal.PasswordPattern, portal.PasswordPattern},
	{"abcabc", portal.PasswordPattern, portal.PasswordPattern},
	{"121212", portal.PasswordPattern, portal.PasswordPattern},
	{"k7mk7mk7", portal.PasswordPattern, portal.PasswordPattern},
	{"ｑｗｅｒｔｙ", portal.PasswordCharacters, portal.PasswordPattern},
	{" qwerty ", portal.PasswordCharacters, portal.PasswordPattern},
	{"🌧🚲🌧🚲🌧🚲", portal.PasswordCharacters, portal.PasswordPattern},

	{"a123456", portal.PasswordCommon, portal.PasswordCommon},
	{"woaini1314", portal.PasswordCommon, portal.PasswordCommon},
	{"5201314", portal.PasswordCommon, portal.PasswordCommon},
	{"iloveyou", portal.PasswordCommon, portal.PasswordCommon},
	{"Password1", portal.PasswordCommon, portal.PasswordCommon},
	{"admin123", portal.PasswordCommon, portal.PasswordCommon},
	{"password1!", portal.PasswordCharacters, portal.PasswordCommon},

	{"portico2026", portal.PasswordPersonal, portal.PasswordPersonal},
	{"My.P0rt1c0", portal.PasswordPersonal, portal.PasswordPersonal},
}

func TestANewPasswordIsToldItsFirstProblem(t *testing.T) {
	for _, c := range passwordCases {
		if got := plainRule.Check(c.password, portal.PasswordContext{}); got != c.plain {
			t.Errorf("%.80q: %q, want %q", c.password, got, c.plain)
		}
		if got := anyRule.Check(c.password, portal.PasswordContext{}); got != c.any {
			t.Errorf("%.80q of any characters: %q, want %q", c.password, got, c.any)
		}
	}
}

func TestEveryProblemOfANewPasswordIsTold(t *testing.T) {
	for _, problem := range []portal.Problem{
		portal.PasswordRequired, portal.PasswordTooLong, portal.PasswordTooShort, portal.PasswordCharacters, portal.PasswordUnprintable,
		portal.PasswordSame, portal.PasswordPattern, portal.PasswordCommon, portal.PasswordPersonal,
	} {
		if key := "problem." + string(problem); !locale.Has(key) {
			t.Errorf("there is no %s", key)
		}
	}
}

func TestOperatorsMayAskForLongerPasswords(t *testing.T) {
	rule := portal.PasswordRule{Min: 10}
	for password, want := range map[string]portal.Problem{"kf83mzq2": portal.PasswordTooShort, "kf83mzq2x": portal.PasswordTooShort, "kf83mzq2xw": ""} {
		if got := rule.Check(password, portal.PasswordContext{}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	if got := (portal.PasswordRule{Max: 8}).Check("kf83mzq2x", portal.PasswordContext{}); got != portal.PasswordTooLong {
		t.Errorf("nine of eight: %q", got)
	}
}

func TestTheRuleOfPasswordsIsToldBeforeAnyMistake(t *testing.T) {
	for _, c := range []struct {
		rule portal.PasswordRule
		key  string
		num  int
	}{
		{plainRule, "password.rule", 6},
		{anyRule, "password.rule_any", 6},
		{portal.PasswordRule{Min: 10, Any: true}, "password.rule_any", 10},
	} {
		if key, num := c.rule.Hint(); key != c.key || num != c.num || !locale.Has(key) {
			t.Errorf("%+v: %s %d", c.rule, key, num)
		}
	}
}

func TestANewPasswordDiffersFromTheOldOneExactly(t *testing.T) {
	for password, want := range map[string]portal.Problem{"Kf83mzQ2": portal.PasswordSame, "kf83mzQ2": "", "Kf83mzQ2x": ""} {
		if got := plainRule.Check(password, portal.PasswordContext{Old: "Kf83mzQ2"}); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
	if got := plainRule.Check("123456", portal.PasswordContext{Old: "123456"}); got != portal.PasswordSame {
		t.Errorf("123456 again: %q", got)
	}
}

func TestANewPasswordIsNotMadeOfWhatOthersKnow(t *testing.T) {
	li := portal.PasswordContext{Phone: "13826059478", Login: "li.manager", Name: "Lucía Ramos", Company: "Northwind Lighting"}
	sur := portal.PasswordContext{Login: "sur", Name: "李伟", Company: "金穗粮油"}
	buyer := portal.PasswordContext{Login: "buyer1", Name: "Alan Reed", Company: "Mariscos del Sur S.A."}
	for _, c := range []struct {
		about    portal.PasswordContext
		password string
		want     portal.Problem
	}{
		{li, "13826059478", portal.PasswordPersonal},
		{li, "059478", portal.PasswordPersonal},
		{li, "Kx382605mz", portal.PasswordPersonal},
		{li, "138.2605.9478", portal.PasswordPersonal},
		{li, "Kx82605mz", ""},
		{li, "li.manager", portal.PasswordPersonal},
		{li, "LiManager88", portal.PasswordPersonal},
		{li, "l1_m4nag3r", portal.PasswordPersonal},
		{li, "xManager90", portal.PasswordPersonal},
		{li, "luc1aRam05", portal.PasswordPersonal},
		{li, "Ramos.1974", portal.PasswordPersonal},
		{li, "northwind", portal.PasswordPersonal},
		{li, "my.NORTHW1ND.7", portal.PasswordPersonal},
		{li, "N0rthwindL1ght1ng", portal.PasswordPersonal},
		{li, "northern.wind", ""},
		{li, "Demo2026", ""},

		{sur, "sur202607", portal.PasswordPersonal},
		{sur, "2026_Sur_07", portal.PasswordPersonal},
		{sur, "treasure2607", ""},
		{sur, "金穗粮油2607号", portal.PasswordPersonal},
		{sur, "我是李伟呀哈", portal.PasswordPersonal},
		{sur, "伟大的李子树", ""},

		{buyer, "buyer1", portal.PasswordPersonal},
		{buyer, "Buyer2026", portal.PasswordPersonal},
		{buyer, "8uyer2026", ""},
		{buyer, "reed_2607", portal.PasswordPersonal},
		{buyer, "freedom_2607", ""},
		{buyer, "alanreed7", portal.PasswordPersonal},
		{buyer, "del123987", portal.PasswordPersonal},
		{buyer, "delta9387", ""},
		{buyer, "m4r15c05x", portal.PasswordPersonal},

		{portal.PasswordContext{Phone: "1", Login: "q", Name: "z", Company: "."}, "qz1.93x7", ""},
		{portal.PasswordContext{Login: "20260719"}, "kx20260719", portal.PasswordPersonal},
	} {
		rule := plainRule
		if strings.ContainsFunc(c.password, func(r rune) bool { return r >= utf8.RuneSelf }) {
			rule = anyRule
		}
		if got := rule.Check(c.password, c.about); got != c.want {
			t.Errorf("%s of %+v: %q, want %q", c.password, c.about, got, c.want)
		}
	}
}

// What is read is counted, not timed: to look a password up it has to be copied into lower case first.
func TestAMegabyteOfPasswordIsRefusedWithoutACopyOfIt(t *testing.T) {
	long := strings.Repeat("Passw0rd", 1<<17)
	for _, rule := range []portal.PasswordRule{plainRule, anyRule} {
		if n := testing.AllocsPerRun(5, func() {
			if got := rule.Check(long, portal.PasswordContext{Login: long, Old: long}); got != portal.PasswordTooLong {
				t.Errorf("%+v: %q", rule, got)
			}
		}); n > 0 {
			t.Errorf("%+v: %v allocations", rule, n)
		}
	}
}

func TestRandomPasswordsAreTaken(t *testing.T) {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	about := portal.PasswordContext{Phone: "13800000003", Login: "li.manager", Name: "李伟", Company: "金穗粮油", Old: "Demo2026"}
	random := rand.New(rand.NewPCG(20, 26))
	for range 1000 {
		password := make([]byte, 8)
		for i := range password {
			password[i] = chars[random.IntN(len(chars))]
		}
		if got := plainRule.Check(string(password), about); got != "" {
			t.Errorf("%s: %q", password, got)
		}
	}
}

func FuzzNewPassword(f *testing.F) {
	for _, c := range passwordCases {
		if len(c.password) <= 2*portal.MaxPassword {
			f.Add(c.password, "li.manager", "Lucía Ramos")
		}
	}
	f.Add("ﷺﷺﷺﷺﷺﷺ", "\xff\xf0", "\u0301\u0301\u0301\u0301")
	f.Fuzz(func(t *testing.T, password, login, name string) {
		about := portal.PasswordContext{Phone: login, Login: login, Name: name, Company: name, Old: login}
		for _, rule := range []portal.PasswordRule{plainRule, anyRule, {Min: 1, Max: 3}} {
			got := rule.Check(password, about)
			if got != rule.Check(password, about) {
				t.Errorf("%q is judged in two ways", password)
			}
			if got == "" && (password == "" || password == login || !utf8.ValidString(password) || len(password) > portal.MaxPassword) {
				t.Errorf("%q is taken", password)
			}
		}
	})
}
