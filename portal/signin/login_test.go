package signin_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestEverySpellingOfAPhoneIsNormalised(t *testing.T) {
	for _, typed := range []string{
		"13812345678", " 13812345678 ", "138 1234 5678", "138-1234-5678", "+86 138 1234 5678", "8613812345678",
		"+8613812345678",
		"１３８１２３４５６７８", "138\u00a01234\u00a05678", "138\u30001234\u30005678", "(138)12345678", "138\t1234\n5678",
		"138.1234.5678", "138/1234/5678", "138–1234‑5678", "0086 138 1234 5678", "13812345678.0",
		"\u202e13812345678",
		"138\u200b12345678", "\u206813812345678\u2069", "\ufeff13812345678\ufe0f",
	} {
		if got, ok := access.NormalPhone(typed); !ok || got != "13812345678" {
			t.Errorf("%q is %q, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		"", "1381234567", "138123456789", "12812345678", "23812345678", "03812345678", "1381234567a", "13812345678;",
		"١٣٨١٢٣٤٥٦٧٨", "13812345678\x00", "13812345678.5", "1381234567.80",
		"861381234567", "86138123456789", "13812345678 13812345678",
		"\xff13812345678", "138_1234_5678", "13812345678' OR '1'='1",
		"13812345678" + strings.Repeat(" ", 60) + "x", strings.Repeat("1", 1<<20),
	} {
		if got, ok := access.NormalPhone(typed); ok {
			t.Errorf("%.40q is taken for %q", typed, got)
		}
	}
}

func TestEverySpellingOfAnAccountNameIsNormalised(t *testing.T) {
	for typed, want := range map[string]string{
		"buyer1": "buyer1", "  buyer1\t": "buyer1", "Bu.Yer_1": "Bu.Yer_1", "王芳": "王芳", "e\u0301": "é", "a b": "a b",
		"a\u202eb": "ab", "a\u200bb": "ab", "a\u2066b": "ab", "a\ufeffb": "ab", "a\u00adb": "ab", "a\u3000b": "a b",
		"e\u200d\u0301": "é", strings.Repeat("名", 40): strings.Repeat("名", 40),
	} {
		if got, ok := access.NormalLogin(typed); !ok || got != want {
			t.Errorf("%q is %q, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		strings.Repeat("a", 41), strings.Repeat("名", 41), "a\nb", "a\x00b", "a\x1bb",
		"a\u0085b", "\xffa",
		"buyer1" + strings.Repeat(" ", 200) + "x", strings.Repeat("a", 1<<20),
	} {
		if got, ok := access.NormalLogin(typed); ok {
			t.Errorf("%.40q is taken for %q", typed, got)
		}
	}
}

func FuzzNormalPhoneAndLogin(f *testing.F) {
	for _, typed := range []string{"13812345678", "１３８ 1234 5678", "+86", "王芳", "e\u0301", "a\u202eb", "\xff", "①③⑧"} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		if phone, ok := access.NormalPhone(typed); ok {
			if again, ok := access.NormalPhone(phone); !ok || again != phone || len(phone) != 11 {
				t.Errorf("%q gives %q, which gives %q", typed, phone, again)
			}
		}
		if login, ok := access.NormalLogin(typed); ok {
			if again, ok := access.NormalLogin(login); !ok || again != login {
				t.Errorf("%q gives %q, which gives %q", typed, login, again)
			}
		}
	})
}

func TestMalformedInputIsReportedAtItsFieldAndNeverCompared(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		long := strings.Repeat("a", 257) // 64 characters have at most 256 bytes
		for _, c := range []struct {
			in   signin.LoginInput
			want access.Fields
		}{
			{signin.LoginInput{}, access.Fields{"phone": access.PhoneRequired, "password": access.PasswordRequired}},
			{signin.LoginInput{Phone: "   ", Password: "x"}, access.Fields{"phone": access.PhoneRequired}},
			{signin.LoginInput{Phone: "1380000000", Password: "x"}, access.Fields{"phone": access.PhoneMalformed}},
			{signin.LoginInput{Phone: "13800000001x", Password: "x"}, access.Fields{"phone": access.PhoneMalformed}},
			{signin.LoginInput{Phone: "13800000001"}, access.Fields{"password": access.PasswordRequired}},
			{signin.LoginInput{Phone: "13800000001", Password: long},
				access.Fields{"password": access.PasswordTooLong}},
			{signin.LoginInput{Phone: "13800000001", Password: strings.Repeat("a", 1<<20)},
				access.Fields{"password": access.PasswordTooLong}},
			{signin.LoginInput{ByName: true},
				access.Fields{"login": access.LoginMissing, "password": access.PasswordRequired}},
			{signin.LoginInput{ByName: true, Login: " \t ", Password: "x"},
				access.Fields{"login": access.LoginMissing}},
			{signin.LoginInput{ByName: true, Login: "buyer1\u0007", Password: "x"},
				access.Fields{"login": access.LoginMalformed}},
			{signin.LoginInput{ByName: true, Login: "\xff", Password: "x"},
				access.Fields{"login": access.LoginMalformed}},
			{signin.LoginInput{ByName: true, Login: strings.Repeat("a", 1<<20), Password: "x"},
				access.Fields{"login": access.LoginMalformed}},
			{signin.LoginInput{ByName: true, Phone: "13800000001", Password: "x"},
				access.Fields{"login": access.LoginMissing}},
		} {
			c.in.Place = p.Place(portaltest.AccountHost)
			_, err := p.Login(c.in)
			if with := portaltest.Refused(t, err, access.ValidationFailed); !reflect.DeepEqual(with.Fields, c.want) {
				t.Errorf("fields %v, want %v", with.Fields, c.want)
			}
		}
		if a, err := p.DB.Attempts.Of(t.Context(), fmt.Sprintf("phone:%d", p.Account("buyer1").PersonID)); err != nil ||
			a.Failures != 0 {
			t.Errorf("%d of them were counted, %v", a.Failures, err)
		}
	})
}

func TestAnotherPasswordIsWrong(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, typed := range []string{
			"demo2026", "DEMO2026", "Demo 2026", "Demo2026\x00", "Demo2026.", " ", "Demo202", "Demo20266",
			"Demo2026" + strings.Repeat("x", 248), "\xff", "🐟🐟🐟",
		} {
			in := p.LoginInput("nophone")
			in.Password = typed
			_, err := p.Login(in)
			if with := portaltest.Refused(t, err, access.WrongPassword); with.Company != nil || with.Contacts != nil ||
				with.Wait != 0 {
				t.Errorf("%q: %+v", typed, with)
			}
			p.Clock.Advance(time.Hour)
		}
		p.SignIn(portaltest.AccountHost, "nophone")
	})
}

func TestAPastedPasswordIsNoFailedAttempt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, typed := range []string{" Demo2026", "Demo2026 ", "Demo2026\n", "Demo2026\u200b", "Ｄｅｍｏ２０２６"} {
			in := p.LoginInput("nophone")
			in.Password = typed
			if _, err := p.Login(in); err != nil {
				t.Errorf("%q: %v", typed, err)
			}
			if n := guesstest.CountFailures(p, "nophone"); n != 0 {
				t.Errorf("%q: %d failures are counted", typed, n)
			}
		}
		in := p.LoginInput("nophone")
		in.Password = "Demo2027 "
		_, err := p.Login(in)
		if with := portaltest.Refused(t, err, access.WrongPassword); with.Left != signin.ProofFailures-1 {
			t.Errorf("a wrong one in two spellings leaves %d attempts", with.Left)
		}
	})
}

func TestPhonesAndAccountNamesHaveTheirOwnPasswords(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		m := p.Account("buyer1")
		portaltest.NoError(t, p.DB.Passwords.RehashAccount(t.Context(), m.CompanyID, m.ID, m.PasswordHash,
			portaltest.HashPassword("Account9", portaltest.CheapHash)))
		byName, byPhone := p.LoginInput("buyer1"), p.LoginInput("13800000001")
		byName.Password = "Account9"
		if result, err := p.Login(byName); err != nil || result.Session.AccountID != m.ID ||
			result.Session.PersonID != 0 {
			t.Errorf("by name with the account's: %+v, %v", result.Session, err)
		}
		if result, err := p.Login(byPhone); err != nil || result.Session.PersonID != m.PersonID ||
			result.Session.AccountID != 0 {
			t.Errorf("by phone with the person's: %+v, %v", result.Session, err)
		}
		byName.Password, byPhone.Password = onboarding.DemoPassword, "Account9"
		for _, in := range []signin.LoginInput{byName, byPhone} {
			_, err := p.Login(in)
			portaltest.Refused(t, err, access.WrongPassword)
		}
	})
}

func TestNobodySignsInToAnAccountWithoutAPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		now := store.At(p.Clock.Now())
		_, err := p.DB.Persons.Add(t.Context(), store.Person{Phone: "13912345678", CreatedAt: now})
		portaltest.NoError(t, err)
		_, err = p.DB.Accounts.Add(t.Context(),
			store.Account{CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: "unset",
				State: store.AccountActive, CreatedAt: now})
		portaltest.NoError(t, err)
		for _, who := range []string{"13912345678", "unset"} {
			for _, typed := range []string{onboarding.DemoPassword, "x", "\x00", strings.Repeat("\x00", 32),
				"$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA"} {
				in := p.LoginInput(who)
				in.Password = typed
				if _, err := p.Login(in); err == nil {
					t.Fatalf("%s signed in with %q", who, typed)
				}
				p.Clock.Advance(time.Hour)
			}
		}
	})
}

func TestUnknownWrongAndUnboundAreRefusedAsTheCatalogueSays(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			in       signin.LoginInput
			want     access.Refusal
			contacts int
		}{
			{p.LoginInput("nobody"), access.AccountNotFound, 1}, {p.LoginInput("13999999999"), access.PhoneNotBound, 1},
			{p.WrongLoginInput("buyer1"), access.WrongPassword, 0},
			{p.WrongLoginInput("13800000001"), access.WrongPassword, 0},
			{p.WrongLoginInput("13800000011"), access.WrongPassword, 0},
			{p.LoginInput("13800000011"), access.PhoneNotBound, 1},
			{p.WrongLoginInput("stopped"), access.WrongPassword, 0},
			{p.WrongLoginInput("review"), access.WrongPassword, 0},
		} {
			_, err := p.Login(c.in)
			with := portaltest.Refused(t, err, c.want)
			if with.Company != nil || len(with.Contacts) != c.contacts {
				t.Errorf("%s%s: %+v", c.in.Phone, c.in.Login, with)
			}
		}
	})
}

func TestAnAccountNameIsUnknownOnAnotherCompanysHost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			host, who string
			want      access.Refusal // "": signed in
		}{
			{"store1002.portico.test", "13800000001", access.NotInCompany},
			{"store1002.portico.test", "buyer1", access.NotInCompany},
			{"store1001.portico.test", "northwind", access.NotInCompany},
			{"astore1008.portico.test", "13800000003", access.NotInCompany},
			{"jinsui.test", "sur", access.NotInCompany},
			{"store1002.portico.test", "13800000007", access.NotInCompany},
			{"store1001.portico.test", "13800000011", access.PhoneNotBound},
			{"store1004.portico.test", "13800000007", access.CompanyDisabled},
			{"jinsui.test", "13800000001", ""}, {"store1002.portico.test", "13800000003", ""},
			{"store9999.portico.test", "buyer1", ""}, {"evil.test", "buyer1", ""},
		} {
			in := p.LoginInput(c.who)
			in.Place = p.Place(c.host)
			_, err := p.Login(in)
			if c.want == "" {
				portaltest.NoError(t, err)
				continue
			}
			if with := portaltest.Refused(t, err, c.want); len(with.Contacts) == 0 {
				t.Errorf("%s on %s: nobody to call", c.who, c.host)
			}
			in.Password = "Wrong2026"
			_, err = p.Login(in)
			portaltest.Refused(t, err, access.WrongPassword)
		}
		signed := p.SignIn("store1003.portico.test", "13800000003")
		if want := (signin.Step{Kind: signin.StepEnter, CompanyID: 1003,
			AccountID: p.Account("li.lights").ID}); signed.Step != want {
			t.Errorf("in the house of 1003: %+v, want %+v", signed.Step, want)
		}
	})
}

func TestTheLightingEditionEntersOnlyCompaniesThatHaveIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, c := range []struct {
			who  string
			want access.Refusal
		}{
			{"13800000001", access.LightingNotEnabled}, {"buyer1", access.LightingNotEnabled},
			{"13800000002", access.LightingNotEnabled}, {"northwind", ""}, {"li.lights", ""}, {"13800000003", ""},
			{"13800000004", access.UnderReview}, {"13800000007", access.CompanyDisabled},
			{"13800000006", access.LightingNotEnabled}, {"13800000010", access.LightingNotEnabled},
		} {
			in := p.LoginInput(c.who)
			in.Lighting = true
			result, err := p.Login(in)
			if c.want != "" {
				portaltest.Refused(t, err, c.want)
				continue
			}
			portaltest.NoError(t, err)
			if c.who == "13800000003" && result.Step.AccountID != p.Account("li.lights").ID {
				t.Errorf("several companies, one with the edition: %+v", result.Step)
			}
		}
	})
}

func TestASignInReturnsTheNormalisedIdentifier(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	for _, c := range []struct {
		in   signin.LoginInput
		want string
	}{
		{signin.LoginInput{Phone: " １３８ 0000 0001"}, "13800000001"},
		{signin.LoginInput{ByName: true, Login: " Buyer1 "}, "Buyer1"},
		{signin.LoginInput{Phone: "13800000001", Login: "jinsui"}, "13800000001"},
		{signin.LoginInput{ByName: true, Login: "buyer1", Phone: "13800000002"}, "buyer1"},
	} {
		c.in.Password, c.in.Place = onboarding.DemoPassword, p.Place(portaltest.AccountHost)
		if result, err := p.Login(c.in); err != nil || result.Identifier != c.want {
			t.Errorf("%+v gives %q, %v", c.in, result.Identifier, err)
		}
	}
}

func TestANameOnBothSidesOpensTheAccountThatThePasswordMatches(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		mgr, shop := guesstest.AddTwins(p, "", "")
		for password, want := range map[string]store.Member{"Manager1": mgr, "Shopper1": shop} {
			result, err := p.Login(guesstest.TwinLoginInput(p, password))
			if err != nil || result.Session.AccountID != want.ID || result.Step.AccountID != want.ID {
				t.Errorf("%s: %+v, %v", password, result.Step, err)
			}
			companytest.WantAccounts(p, result.Session, fmt.Sprintf("%d %s:%s", want.CompanyID, want.Side, want.Login))
		}
		_, err := p.Login(guesstest.TwinLoginInput(p, "Neither1"))
		portaltest.Refused(t, err, access.WrongPassword)
	})
}

func TestANameOnBothSidesWithOnePasswordOpensTheUnblockedAccountOfTheHost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		mgr, shop := companytest.AddAccount(p, "twin", 1002, store.Mgr, ""), companytest.AddAccount(
			p, "twin", 1001, store.Shop, "",
		)
		in := guesstest.TwinLoginInput(p, onboarding.DemoPassword)
		for host, want := range map[string]store.Member{"store1001.portico.test": shop, "store1002.portico.test": mgr,
			"jinsui.test": shop} {
			in.Place = p.Place(host)
			if result, err := p.Login(in); err != nil || result.Session.AccountID != want.ID {
				t.Errorf("on %s: %+v, %v", host, result.Step, err)
			}
		}
		portaltest.NoError(t, p.DB.Accounts.SetState(t.Context(), 1002, mgr.ID, store.AccountDisabled))
		in.Place = p.Place(portaltest.AccountHost)
		if result, err := p.Login(in); err != nil || result.Session.AccountID != shop.ID {
			t.Errorf("with the other one disabled: %+v, %v", result.Step, err)
		}
		portaltest.NoError(t, p.DB.Accounts.SetState(t.Context(), 1001, shop.ID, store.AccountUnderReview))
		_, err := p.Login(in)
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}

func TestASignInRehashesAPasswordWithALowCost(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		weak := core.HashCost{Memory: 32, Passes: 1, Threads: 1}
		m := p.Account("buyer1")
		person, err := p.DB.Persons.ByID(t.Context(), m.PersonID)
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.DB.Passwords.RehashAccount(t.Context(), m.CompanyID, m.ID, m.PasswordHash,
			portaltest.HashPassword(onboarding.DemoPassword, weak)))
		portaltest.NoError(t, p.DB.Passwords.RehashPerson(t.Context(), person.ID, person.PasswordHash,
			portaltest.HashPassword(onboarding.DemoPassword, weak)))
		for _, in := range []signin.LoginInput{p.WrongLoginInput("buyer1"), p.WrongLoginInput("13800000001")} {
			_, err := p.Login(in)
			portaltest.Refused(t, err, access.WrongPassword)
		}
		if got := p.Account("buyer1").PasswordHash; !strings.Contains(got, "m=32,") {
			t.Fatalf("a wrong password raised it: %s", got)
		}
		pasted := p.LoginInput("buyer1") // and what came along is no part of the new hash
		pasted.Password = onboarding.DemoPassword + " "
		if _, err := p.Login(pasted); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			p.SignIn(portaltest.AccountHost, "buyer1")
			p.SignIn(portaltest.AccountHost, "13800000001")
		}
		person, err = p.DB.Persons.ByID(t.Context(), m.PersonID)
		portaltest.NoError(t, err)
		for _, hash := range []string{p.Account("buyer1").PasswordHash, person.PasswordHash} {
			if !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
				t.Errorf("after the sign-in it is %s", hash)
			}
		}
	})
}

func TestASignInKeepsAHashWithAHigherCost(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	m := p.Account("buyer1")
	strong := portaltest.HashPassword(onboarding.DemoPassword, core.HashCost{Memory: 128, Passes: 2, Threads: 1})
	portaltest.NoError(t, p.DB.Passwords.RehashAccount(t.Context(), m.CompanyID, m.ID, m.PasswordHash, strong))
	p.SignIn(portaltest.AccountHost, "buyer1")
	if got := p.Account("buyer1").PasswordHash; got != strong {
		t.Errorf("it became %s", got)
	}
}

func TestAnUnknownLoginCostsAPasswordComparisonToo(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	dear := core.HashCost{Memory: 48 * 1024, Passes: 1, Threads: 1}
	p.Restart(func(o *portal.Options) { o.Hash, o.NoLimit = dear, true })
	m := p.Account("buyer1")
	portaltest.NoError(t, p.DB.Passwords.RehashAccount(t.Context(), m.CompanyID, m.ID, m.PasswordHash,
		portaltest.HashPassword(onboarding.DemoPassword, dear)))
	median := func(who string) time.Duration {
		var took []time.Duration
		for range 5 {
			in, began := p.WrongLoginInput(who), time.Now()
			if _, err := p.Login(in); err == nil {
				t.Fatal("signed in")
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[2]
	}
	known, unknown, number := median("buyer1"), median("nobody"), median("13999999999")
	if unknown < known/5 || number < known/5 {
		t.Errorf("known %v, unknown login %v, unknown phone %v", known, unknown, number)
	}
}

func TestInStrictPrivacyUnknownWrongAndLockedGetTheSameAnswer(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for try := range 14 { // through the wait (from the 5th) and the question (from the 10th)
			var first access.Refused
			for i, in := range []signin.LoginInput{p.WrongLoginInput("13999999999"), p.WrongLoginInput("13800000001"),
				p.WrongLoginInput("13800000007"), p.WrongLoginInput("13800000011"), p.WrongLoginInput("nobody"),
				p.WrongLoginInput("nophone"),
				p.WrongLoginInput("northwind")} {
				_, err := p.Signin.Login(p.From(fmt.Sprintf("198.51.100.%d", try)), in)
				if got := portaltest.RefusalOf(t, err); i == 0 {
					first = got
				} else if !reflect.DeepEqual(got, first) {
					t.Errorf("try %d: %s%s answers %+v, an unknown phone %+v", try, in.Phone, in.Login, got, first)
				}
			}
			if try < 10 && (first.Refusal != access.WrongPassword || first.Left != access.LeftHidden ||
				first.Wait != 0) {
				t.Errorf("try %d: %+v", try, first)
			}
			if try >= 5 {
				p.Clock.Advance(90 * time.Second)
			}
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyALockedAccountIsNotOpenedByTheRightPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 5 {
			_, err := p.Login(p.WrongLoginInput("nophone"))
			portaltest.Refused(t, err, access.WrongPassword)
		}
		_, err := p.Login(p.LoginInput("nophone"))
		if with := portaltest.Refused(t, err, access.WrongPassword); with.Left != access.LeftHidden || with.Wait != 0 {
			t.Errorf("%+v", with)
		}
		p.Clock.Advance(time.Minute)
		p.SignIn(portaltest.AccountHost, "nophone")
	}, portaltest.Strict)
}

func TestInStrictPrivacyTheReasonOfABlockIsShownOnlyWithTheRightPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		_, err := p.Login(p.LoginInput("13800000007"))
		if with := portaltest.Refused(t, err, access.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
	}, portaltest.Strict)
}

func TestTheSecurityLogContainsTheEventsAndNoSecrets(t *testing.T) {
	var log bytes.Buffer
	p := portaltest.NewPlatform(t, storetest.SQLite(t),
		func(o *portal.Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	signed := p.SignIn(portaltest.AccountHost, "13800000001")
	for _, in := range []signin.LoginInput{p.WrongLoginInput("13800000001"), p.LoginInput("nobody\"\\"),
		p.LoginInput("13999999999")} {
		if _, err := p.Login(in); err == nil {
			t.Fatal("signed in")
		}
	}
	destination := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
	landed, err := p.Redeem(destination, "")
	portaltest.NoError(t, err)
	_, err = p.LandingAt(destination, landed.Token)
	portaltest.NoError(t, err)
	_, err = p.Redeem(destination, "")
	portaltest.Refused(t, err, access.RedirectFailed)
	_, err = p.SignOut(t.Context(), signed.Token, p.Place(portaltest.AccountHost))
	portaltest.NoError(t, err)
	for _, secret := range []string{onboarding.DemoPassword, "Wrong2026", "13800000001", "13999999999", "buyer1",
		"nobody", signed.Token, landed.Token, signed.Device, destination.Code, "argon2"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %.20s…", secret)
		}
	}
	seen := map[string]int{}
	for line := range strings.Lines(log.String()) {
		var entry struct{ Event string }
		portaltest.NoError(t, json.Unmarshal([]byte(line), &entry))
		seen[entry.Event]++
	}
	for event, want := range map[string]int{"sign_in": 1, "sign_in_failed": 3, "auth_code_issued": 1,
		"auth_code_used": 1, "auth_code_reused": 1, "sign_out": 1} {
		if seen[event] != want {
			t.Errorf("%s is logged %d times, want %d", event, seen[event], want)
		}
	}
}

func TestConcurrentSignInsFromOneAddressAllSucceedOrWait(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 5 {
			var group sync.WaitGroup
			for _, who := range []string{"buyer1", "13800000001", "buyer1", "13800000001", "nophone", "buyer1",
				"13800000001", "buyer1", "13800000003", "nophone"} {
				in := p.LoginInput(who)
				group.Go(func() {
					_, err := p.Login(in)
					waits := errors.Is(err, access.TooManyAttempts) || errors.Is(err, access.NotAvailable)
					if err != nil && !waits {
						t.Errorf("%s: %v", who, err)
					}
				})
			}
			group.Wait()
			p.Clock.Advance(core.FailureWindow + time.Second)
		}
	})
}
