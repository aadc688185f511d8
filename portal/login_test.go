package portal_test

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
	"portico/store"
	"portico/store/storetest"
)

func TestAPhoneHasOneSpelling(t *testing.T) {
	for _, typed := range []string{
		"13812345678", " 13812345678 ", "138 1234 5678", "138-1234-5678", "+86 138 1234 5678", "8613812345678", "+8613812345678",
		"１３８１２３４５６７８", "138\u00a01234\u00a05678", "138\u30001234\u30005678", "(138)12345678", "138\t1234\n5678",
	} {
		if got, ok := portal.NormalPhone(typed); !ok || got != "13812345678" {
			t.Errorf("%q is %q, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		"", "1381234567", "138123456789", "12812345678", "23812345678", "03812345678", "1381234567a", "13812345678;", "١٣٨١٢٣٤٥٦٧٨", "138.1234.5678", "13812345678\x00",
		"\u202e13812345678", "138\u200b12345678", "861381234567", "86138123456789", "13812345678 13812345678", "\xff13812345678", "138_1234_5678", "13812345678' OR '1'='1",
		"13812345678" + strings.Repeat(" ", 60) + "x", strings.Repeat("1", 1<<20),
	} {
		if got, ok := portal.NormalPhone(typed); ok {
			t.Errorf("%.40q is taken for %q", typed, got)
		}
	}
}

func TestALoginHasOneSpelling(t *testing.T) {
	for typed, want := range map[string]string{
		"buyer1": "buyer1", "  buyer1\t": "buyer1", "Bu.Yer_1": "Bu.Yer_1", "王芳": "王芳", "e\u0301": "é", "a b": "a b",
		strings.Repeat("名", portal.MaxLogin): strings.Repeat("名", portal.MaxLogin),
	} {
		if got, ok := portal.NormalLogin(typed); !ok || got != want {
			t.Errorf("%q is %q, %v", typed, got, ok)
		}
	}
	for _, typed := range []string{
		strings.Repeat("a", portal.MaxLogin+1), strings.Repeat("名", portal.MaxLogin+1), "a\nb", "a\x00b", "a\u202eb", "a\u200bb", "a\u2066b", "a\ufeffb", "a\x1bb", "a\u0085b", "\xffa", "a\u00adb",
		"buyer1" + strings.Repeat(" ", 200) + "x", strings.Repeat("a", 1<<20),
	} {
		if got, ok := portal.NormalLogin(typed); ok {
			t.Errorf("%.40q is taken for %q", typed, got)
		}
	}
}

func FuzzNormalPhoneAndLogin(f *testing.F) {
	for _, typed := range []string{"13812345678", "１３８ 1234 5678", "+86", "王芳", "e\u0301", "a\u202eb", "\xff", "①③⑧"} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		if phone, ok := portal.NormalPhone(typed); ok {
			if again, ok := portal.NormalPhone(phone); !ok || again != phone || len(phone) != portal.PhoneDigits {
				t.Errorf("%q gives %q, which gives %q", typed, phone, again)
			}
		}
		if login, ok := portal.NormalLogin(typed); ok {
			if again, ok := portal.NormalLogin(login); !ok || again != login {
				t.Errorf("%q gives %q, which gives %q", typed, login, again)
			}
		}
	})
}

func TestWhatCannotBeRightIsSaidBesideItsFieldAndComparedWithNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		long := strings.Repeat("a", portal.MaxPassword+1)
		for _, c := range []struct {
			in   portal.LoginInput
			want portal.Fields
		}{
			{portal.LoginInput{}, portal.Fields{"phone": portal.PhoneRequired, "password": portal.PasswordRequired}},
			{portal.LoginInput{Phone: "   ", Password: "x"}, portal.Fields{"phone": portal.PhoneRequired}},
			{portal.LoginInput{Phone: "1380000000", Password: "x"}, portal.Fields{"phone": portal.PhoneMalformed}},
			{portal.LoginInput{Phone: "13800000001x", Password: "x"}, portal.Fields{"phone": portal.PhoneMalformed}},
			{portal.LoginInput{Phone: "13800000001"}, portal.Fields{"password": portal.PasswordRequired}},
			{portal.LoginInput{Phone: "13800000001", Password: long}, portal.Fields{"password": portal.PasswordTooLong}},
			{portal.LoginInput{Phone: "13800000001", Password: strings.Repeat("a", 1<<20)}, portal.Fields{"password": portal.PasswordTooLong}},
			{portal.LoginInput{ByName: true}, portal.Fields{"login": portal.LoginMissing, "password": portal.PasswordRequired}},
			{portal.LoginInput{ByName: true, Login: " \t ", Password: "x"}, portal.Fields{"login": portal.LoginMissing}},
			{portal.LoginInput{ByName: true, Login: "buyer1\u202e", Password: "x"}, portal.Fields{"login": portal.LoginMalformed}},
			{portal.LoginInput{ByName: true, Login: "\xff", Password: "x"}, portal.Fields{"login": portal.LoginMalformed}},
			{portal.LoginInput{ByName: true, Login: strings.Repeat("a", 1<<20), Password: "x"}, portal.Fields{"login": portal.LoginMalformed}},
			{portal.LoginInput{ByName: true, Phone: "13800000001", Password: "x"}, portal.Fields{"login": portal.LoginMissing}},
		} {
			c.in.Place = p.place(accountHost)
			_, err := p.login(c.in)
			if with := refused(t, err, portal.ValidationFailed); !reflect.DeepEqual(with.Fields, c.want) {
				t.Errorf("fields %v, want %v", with.Fields, c.want)
			}
		}
		if a, err := p.db.AttemptsOf(t.Context(), fmt.Sprintf("phone:%d", p.account("buyer1").PhoneID)); err != nil || a.Failures != 0 {
			t.Errorf("%d of them were counted, %v", a.Failures, err)
		}
	})
}

func TestThePasswordIsTakenAsItWasTyped(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, typed := range []string{
			"demo2026", "DEMO2026", " Demo2026", "Demo2026 ", "Demo2026\n", "Demo2026\x00", "Ｄｅｍｏ２０２６", "Demo202", "Demo20266", "Demo2026" + strings.Repeat("x", portal.MaxPassword-8), "\xff", "🐟🐟🐟",
		} {
			in := p.as("nophone")
			in.Password = typed
			_, err := p.login(in)
			if with := refused(t, err, portal.WrongPassword); with.Company != nil || with.Contacts != nil || with.Wait != 0 {
				t.Errorf("%q: %+v", typed, with)
			}
			p.clock.advance(time.Hour)
		}
		p.signIn(accountHost, "nophone")
	})
}

func TestEachDoorHasItsOwnPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		m := p.account("buyer1")
		noError(t, p.db.SetAccountPasswordHash(t.Context(), m.CompanyID, m.ID, m.PasswordHash, hashOf("Account9", cheapHash)))
		byName, byPhone := p.as("buyer1"), p.as("13800000001")
		byName.Password = "Account9"
		if result, err := p.login(byName); err != nil || result.Session.AccountID != m.ID || result.Session.PhoneID != 0 {
			t.Errorf("by name with the account's: %+v, %v", result.Session, err)
		}
		if result, err := p.login(byPhone); err != nil || result.Session.PhoneID != m.PhoneID || result.Session.AccountID != 0 {
			t.Errorf("by phone with the person's: %+v, %v", result.Session, err)
		}
		byName.Password, byPhone.Password = portal.DemoPassword, "Account9"
		for _, in := range []portal.LoginInput{byName, byPhone} {
			_, err := p.login(in)
			refused(t, err, portal.WrongPassword)
		}
	})
}

func TestNobodySignsInWithoutAPasswordOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		now := store.At(p.clock.now())
		_, err := p.db.AddPhone(t.Context(), store.Phone{Phone: "13912345678", CreatedAt: now})
		noError(t, err)
		_, err = p.db.AddAccount(t.Context(), store.Account{CompanyID: 1001, Side: store.Shop, Type: store.TypeShop, Login: "unset", State: store.AccountActive, CreatedAt: now})
		noError(t, err)
		for _, who := range []string{"13912345678", "unset"} {
			for _, typed := range []string{portal.DemoPassword, "x", "\x00", strings.Repeat("\x00", 32), "$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA"} {
				in := p.as(who)
				in.Password = typed
				if _, err := p.login(in); err == nil {
					t.Fatalf("%s signed in with %q", who, typed)
				}
				p.clock.advance(time.Hour)
			}
		}
	})
}

func TestUnknownWrongAndUnboundAreToldAsTheCatalogueSays(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			in       portal.LoginInput
			want     portal.Refusal
			contacts int
		}{
			{p.as("nobody"), portal.AccountNotFound, 1}, {p.as("13999999999"), portal.PhoneNotBound, 1}, {p.wrong("buyer1"), portal.WrongPassword, 0},
			{p.wrong("13800000001"), portal.WrongPassword, 0}, {p.wrong("13800000011"), portal.WrongPassword, 0}, {p.as("13800000011"), portal.PhoneNotBound, 1},
			{p.wrong("stopped"), portal.WrongPassword, 0}, {p.wrong("review"), portal.WrongPassword, 0},
		} {
			_, err := p.login(c.in)
			with := refused(t, err, c.want)
			if with.Company != nil || len(with.Contacts) != c.contacts {
				t.Errorf("%s%s: %+v", c.in.Phone, c.in.Login, with)
			}
		}
	})
}

func TestAnotherCompanysHouseHasNoSuchAccount(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			host, who string
			want      portal.Refusal // "": signed in
		}{
			{"store1002.portico.test", "13800000001", portal.NotInCompany}, {"store1002.portico.test", "buyer1", portal.NotInCompany}, {"store1001.portico.test", "northwind", portal.NotInCompany},
			{"astore1008.portico.test", "13800000003", portal.NotInCompany}, {"jinsui.test", "sur", portal.NotInCompany}, {"store1002.portico.test", "13800000007", portal.NotInCompany},
			{"store1001.portico.test", "13800000011", portal.PhoneNotBound}, {"store1004.portico.test", "13800000007", portal.CompanyDisabled},
			{"jinsui.test", "13800000001", ""}, {"store1002.portico.test", "13800000003", ""}, {"store9999.portico.test", "buyer1", ""}, {"evil.test", "buyer1", ""},
		} {
			in := p.as(c.who)
			in.Place = p.place(c.host)
			_, err := p.login(in)
			if c.want == "" {
				noError(t, err)
				continue
			}
			if with := refused(t, err, c.want); len(with.Contacts) == 0 {
				t.Errorf("%s on %s: nobody to call", c.who, c.host)
			}
			in.Password = "Wrong2026"
			_, err = p.login(in)
			refused(t, err, portal.WrongPassword)
		}
		signed := p.signIn("store1003.portico.test", "13800000003")
		if want := (portal.Step{Kind: portal.StepEnter, CompanyID: 1003, AccountID: p.account("li.lights").ID}); signed.Step != want {
			t.Errorf("in the house of 1003: %+v, want %+v", signed.Step, want)
		}
	})
}

func TestTheLightingEditionIsForCompaniesThatHaveIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, c := range []struct {
			who  string
			want portal.Refusal
		}{
			{"13800000001", portal.LightingNotEnabled}, {"buyer1", portal.LightingNotEnabled}, {"13800000002", portal.LightingNotEnabled}, {"northwind", ""}, {"li.lights", ""}, {"13800000003", ""},
			{"13800000004", portal.UnderReview}, {"13800000007", portal.CompanyDisabled}, {"13800000006", portal.LightingNotEnabled}, {"13800000010", portal.LightingNotEnabled},
		} {
			in := p.as(c.who)
			in.Lighting = true
			result, err := p.login(in)
			if c.want != "" {
				refused(t, err, c.want)
				continue
			}
			noError(t, err)
			if c.who == "13800000003" && result.Step.AccountID != p.account("li.lights").ID {
				t.Errorf("several companies, one with the edition: %+v", result.Step)
			}
		}
	})
}

func TestASignInGivesTheIdentifierInItsNormalForm(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	for _, c := range []struct {
		in   portal.LoginInput
		want string
	}{
		{portal.LoginInput{Phone: " １３８ 0000 0001"}, "13800000001"}, {portal.LoginInput{ByName: true, Login: " Buyer1 "}, "Buyer1"},
		{portal.LoginInput{Phone: "13800000001", Login: "jinsui"}, "13800000001"}, {portal.LoginInput{ByName: true, Login: "buyer1", Phone: "13800000002"}, "buyer1"},
	} {
		c.in.Password, c.in.Place = portal.DemoPassword, p.place(accountHost)
		if result, err := p.login(c.in); err != nil || result.Identifier != c.want {
			t.Errorf("%+v gives %q, %v", c.in, result.Identifier, err)
		}
	}
}

// twins are two accounts of one name, on the two sides, of different people with different passwords.
func (p *platform) twins(mgrPhone, shopPhone string) (mgr, shop store.Member) {
	p.t.Helper()
	mgr, shop = p.addAccount("twin", 1002, store.Mgr, mgrPhone), p.addAccount("Twin", 1001, store.Shop, shopPhone)
	noError(p.t, p.db.SetAccountPasswordHash(p.t.Context(), mgr.CompanyID, mgr.ID, mgr.PasswordHash, hashOf("Manager1", cheapHash)))
	noError(p.t, p.db.SetAccountPasswordHash(p.t.Context(), shop.CompanyID, shop.ID, shop.PasswordHash, hashOf("Shopper1", cheapHash)))
	return mgr, shop
}

func (p *platform) asTwin(password string) portal.LoginInput {
	in := p.as("twin")
	in.Password = password
	return in
}

func TestANameOnBothSidesOpensTheAccountWhosePasswordItIs(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		mgr, shop := p.twins("", "")
		for password, want := range map[string]store.Member{"Manager1": mgr, "Shopper1": shop} {
			result, err := p.login(p.asTwin(password))
			if err != nil || result.Session.AccountID != want.ID || result.Step.AccountID != want.ID {
				t.Errorf("%s: %+v, %v", password, result.Step, err)
			}
			p.wantList(result.Session, fmt.Sprintf("%d %s:%s", want.CompanyID, want.Side, want.Login))
		}
		_, err := p.login(p.asTwin("Neither1"))
		refused(t, err, portal.WrongPassword)
	})
}

func TestANameOnBothSidesWithOnePasswordOpensTheOneThatIsInTheHouseAndOpen(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		mgr, shop := p.addAccount("twin", 1002, store.Mgr, ""), p.addAccount("twin", 1001, store.Shop, "")
		in := p.asTwin(portal.DemoPassword)
		for host, want := range map[string]store.Member{"store1001.portico.test": shop, "store1002.portico.test": mgr, "jinsui.test": shop} {
			in.Place = p.place(host)
			if result, err := p.login(in); err != nil || result.Session.AccountID != want.ID {
				t.Errorf("on %s: %+v, %v", host, result.Step, err)
			}
		}
		noError(t, p.db.SetAccountState(t.Context(), 1002, mgr.ID, store.AccountDisabled))
		in.Place = p.place(accountHost)
		if result, err := p.login(in); err != nil || result.Session.AccountID != shop.ID {
			t.Errorf("with the other one disabled: %+v, %v", result.Step, err)
		}
		noError(t, p.db.SetAccountState(t.Context(), 1001, shop.ID, store.AccountUnderReview))
		_, err := p.login(in)
		refused(t, err, portal.AccountDisabled)
	})
}

func TestAHashBelowTodaysCostIsRaisedAtSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		weak := portal.HashCost{Memory: 32, Passes: 1, Threads: 1}
		m := p.account("buyer1")
		phone, err := p.db.PhoneByID(t.Context(), m.PhoneID)
		noError(t, err)
		noError(t, p.db.SetAccountPasswordHash(t.Context(), m.CompanyID, m.ID, m.PasswordHash, hashOf(portal.DemoPassword, weak)))
		noError(t, p.db.SetPhonePasswordHash(t.Context(), phone.ID, phone.PasswordHash, hashOf(portal.DemoPassword, weak)))
		for _, in := range []portal.LoginInput{p.wrong("buyer1"), p.wrong("13800000001")} {
			_, err := p.login(in)
			refused(t, err, portal.WrongPassword)
		}
		if got := p.account("buyer1").PasswordHash; !strings.Contains(got, "m=32,") {
			t.Fatalf("a wrong password raised it: %s", got)
		}
		for range 2 {
			p.signIn(accountHost, "buyer1")
			p.signIn(accountHost, "13800000001")
		}
		phone, err = p.db.PhoneByID(t.Context(), m.PhoneID)
		noError(t, err)
		for _, hash := range []string{p.account("buyer1").PasswordHash, phone.PasswordHash} {
			if !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
				t.Errorf("after the sign-in it is %s", hash)
			}
		}
	})
}

func TestAHashAboveTodaysCostIsKept(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	m := p.account("buyer1")
	strong := hashOf(portal.DemoPassword, portal.HashCost{Memory: 128, Passes: 2, Threads: 1})
	noError(t, p.db.SetAccountPasswordHash(t.Context(), m.CompanyID, m.ID, m.PasswordHash, strong))
	p.signIn(accountHost, "buyer1")
	if got := p.account("buyer1").PasswordHash; got != strong {
		t.Errorf("it became %s", got)
	}
}

func TestAnUnknownLoginCostsAComparisonToo(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	dear := portal.HashCost{Memory: 48 * 1024, Passes: 1, Threads: 1}
	p.restart(func(o *portal.Options) { o.Hash, o.NoLimit = dear, true })
	m := p.account("buyer1")
	noError(t, p.db.SetAccountPasswordHash(t.Context(), m.CompanyID, m.ID, m.PasswordHash, hashOf(portal.DemoPassword, dear)))
	median := func(who string) time.Duration {
		var took []time.Duration
		for range 5 {
			in, began := p.wrong(who), time.Now()
			if _, err := p.login(in); err == nil {
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

// outcome is a refusal without what must differ from one try to the next.
func outcome(t *testing.T, err error) portal.Refused {
	t.Helper()
	with := new(portal.Refused)
	if !errors.As(err, &with) {
		t.Fatalf("no refusal: %v", err)
	}
	got := *with
	if got.Question != nil {
		got.Question = &portal.Question{}
	}
	return got
}

func TestInStrictPrivacyUnknownWrongAndLockedAreOneAnswer(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for try := range 14 { // through the wait (from the 5th) and the question (from the 10th)
			var first portal.Refused
			for i, in := range []portal.LoginInput{p.wrong("13999999999"), p.wrong("13800000001"), p.wrong("13800000007"), p.wrong("13800000011"), p.wrong("nobody"), p.wrong("nophone"), p.wrong("northwind")} {
				_, err := p.Login(p.from(fmt.Sprintf("198.51.100.%d", try)), in)
				if got := outcome(t, err); i == 0 {
					first = got
				} else if !reflect.DeepEqual(got, first) {
					t.Errorf("try %d: %s%s answers %+v, an unknown phone %+v", try, in.Phone, in.Login, got, first)
				}
			}
			if try < 10 && (first.Refusal != portal.WrongPassword || first.Left != portal.LeftUntold || first.Wait != 0) {
				t.Errorf("try %d: %+v", try, first)
			}
			if try >= 5 {
				p.clock.advance(portal.LongestWait / 10)
			}
		}
	}, strict)
}

func TestInStrictPrivacyALockedAccountIsNotOpenedByTheRightPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 5 {
			_, err := p.login(p.wrong("nophone"))
			refused(t, err, portal.WrongPassword)
		}
		_, err := p.login(p.as("nophone"))
		if with := refused(t, err, portal.WrongPassword); with.Left != portal.LeftUntold || with.Wait != 0 {
			t.Errorf("%+v", with)
		}
		p.clock.advance(time.Minute)
		p.signIn(accountHost, "nophone")
	}, strict)
}

func TestInStrictPrivacyTheReasonOfABlockIsToldOnceThePasswordIsProven(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		_, err := p.login(p.as("13800000007"))
		if with := refused(t, err, portal.CompanyDisabled); with.Company == nil || len(with.Contacts) == 0 {
			t.Errorf("%+v", with)
		}
	}, strict)
}

func TestTheSecurityLogTellsWhatHappenedAndNoSecret(t *testing.T) {
	var log bytes.Buffer
	p := newPlatform(t, storetest.SQLite(t), func(o *portal.Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	signed := p.signIn(accountHost, "13800000001")
	for _, in := range []portal.LoginInput{p.wrong("13800000001"), p.as("nobody\"\\"), p.as("13999999999")} {
		if _, err := p.login(in); err == nil {
			t.Fatal("signed in")
		}
	}
	destination := p.enter(signed, accountHost, "buyer1", phoneScreen)
	landed, err := p.redeem(destination, "")
	noError(t, err)
	_, err = p.landing(destination, landed.Token)
	noError(t, err)
	_, err = p.redeem(destination, "")
	refused(t, err, portal.RedirectFailed)
	_, err = p.SignOut(t.Context(), signed.Token, p.place(accountHost))
	noError(t, err)
	for _, secret := range []string{portal.DemoPassword, "Wrong2026", "13800000001", "13999999999", "buyer1", "nobody", signed.Token, landed.Token, signed.Device, destination.Code, "argon2"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %.20s…", secret)
		}
	}
	seen := map[string]int{}
	for line := range strings.Lines(log.String()) {
		var entry struct{ Event string }
		noError(t, json.Unmarshal([]byte(line), &entry))
		seen[entry.Event]++
	}
	for event, want := range map[string]int{"sign_in": 1, "sign_in_failed": 3, "auth_code_issued": 1, "auth_code_used": 1, "auth_code_reused": 1, "sign_out": 1} {
		if seen[event] != want {
			t.Errorf("%s is told %d times, want %d", event, seen[event], want)
		}
	}
}

func TestSignInsAtOnceFromOneAddressAllSucceedOrWait(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 5 {
			var group sync.WaitGroup
			for _, who := range []string{"buyer1", "13800000001", "buyer1", "13800000001", "nophone", "buyer1", "13800000001", "buyer1", "13800000003", "nophone"} {
				in := p.as(who)
				group.Go(func() {
					_, err := p.login(in)
					waits := errors.Is(err, portal.TooManyAttempts) || errors.Is(err, portal.NotAvailable)
					if err != nil && !waits {
						t.Errorf("%s: %v", who, err)
					}
				})
			}
			group.Wait()
			p.clock.advance(portal.FailureWindow + time.Second)
		}
	})
}
