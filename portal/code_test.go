package portal_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
)

func TestOfTenAsksAtOnceOneSendsAMessage(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		var sent atomic.Int32
		var group sync.WaitGroup
		for i := range 10 {
			in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
			group.Go(func() {
				_, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
				if err == nil {
					sent.Add(1)
				} else if with := refused(t, err, portal.CodeAlreadySent); with.WaitSeconds() < 1 || with.WaitSeconds() > 60 {
					t.Errorf("the wait is %v", with.Wait)
				}
			})
		}
		group.Wait()
		if n := len(p.sms.codes()); n != 1 || sent.Load() != 1 {
			t.Errorf("%d messages, %d told so", n, sent.Load())
		}
		if n := p.events(0, "code_sent"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestWhileTheCountdownRunsNobodyIsSentAnotherAndThenANewCodeKillsTheOld(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, another := portal.NewFlow(), portal.NewFlow()
		old := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		for waited := time.Duration(0); waited < portal.DefaultResend; waited += 20 * time.Second {
			for _, flow := range []string{mine, another} {
				_, err := p.ask(p.asking(portal.ForLogin, "138 0000 0001", flow))
				if with := refused(t, err, portal.CodeAlreadySent); with.Wait != portal.DefaultResend-waited {
					t.Errorf("after %v the wait is %v", waited, with.Wait)
				}
			}
			p.restart() // the countdown is kept with the code
			p.clock.advance(20 * time.Second)
		}
		fresh := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		if old != fresh {
			_, err := p.codeLogin(p.withCode(buyerPhone, old, mine))
			refused(t, err, portal.CodeWrong)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, fresh, mine))
		noError(t, err)
	})
}

func TestACodeAskedForByAnotherBrowserKillsTheOldOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		mine, another := portal.NewFlow(), portal.NewFlow()
		old := p.sent(p.asking(portal.ForLogin, buyerPhone, mine))
		p.clock.advance(portal.DefaultResend)
		fresh := p.sent(p.asking(portal.ForLogin, buyerPhone, another))
		for _, code := range []string{old, fresh} {
			_, err := p.codeLogin(p.withCode(buyerPhone, code, mine))
			refused(t, err, portal.CodeExpired)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, fresh, another))
		noError(t, err)
	})
}

func TestTheCountdownIsTheConfiguredOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
		if sent, err := p.ask(in); err != nil || sent != (portal.CodeSent{ResendAfter: 20 * time.Second}) {
			t.Errorf("%+v, %v", sent, err)
		}
		p.clock.advance(20*time.Second - time.Millisecond)
		_, err := p.ask(in)
		if with := refused(t, err, portal.CodeAlreadySent); with.WaitSeconds() != 1 {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.clock.advance(time.Millisecond)
		p.sent(in)
	}, func(o *portal.Options) { o.Resend = 20 * time.Second })
}

func TestCodesAreSixDigitsAndAllAreAsLikely(t *testing.T) {
	const draws = 20_000
	var places [portal.CodeDigits][10]int
	var thousands [1000]int
	for range draws {
		code := portal.NewCode()
		if len(code) != portal.CodeDigits || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("%q", code)
		}
		for i, digit := range []byte(code) {
			places[i][digit-'0']++
		}
		n, _ := strconv.Atoi(code)
		thousands[n%1000]++
	}
	if places[0][0] == 0 {
		t.Error("no code begins with a zero")
	}
	// A sound generator passes all seven limits but once in a million runs.
	for i, counts := range places {
		if chi := chiSquare(counts[:], draws); chi > 53 {
			t.Errorf("place %d: chi-square %.1f of 9 degrees", i, chi)
		}
	}
	if chi := chiSquare(thousands[:], draws); chi > 1240 || chi < 780 {
		t.Errorf("last three digits: chi-square %.1f of 999 degrees", chi)
	}
}

func chiSquare(counts []int, draws int) (sum float64) {
	expected := float64(draws) / float64(len(counts))
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum
}

func TestACodeIsGoodForFiveMinutes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		p.clock.advance(5*time.Minute - time.Second)
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		p.clock.advance(5*time.Minute + time.Second)
		_, err = p.codeLogin(p.withCode(buyerPhone, code, flow))
		refused(t, err, portal.CodeExpired)
		if _, pending, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || pending {
			t.Errorf("it is pending: %v, %v", pending, err)
		}
	})
}

func TestACodeIsTakenHoweverItIsTyped(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for typed, want := range map[string]portal.Problem{
			"": portal.CodeRequired, " \t": portal.CodeRequired, "12345": portal.CodeMalformed, "1234567": portal.CodeMalformed, "12345a": portal.CodeMalformed, "١٢٣٤٥٦": portal.CodeMalformed,
			"12345\x00": portal.CodeMalformed, strings.Repeat("1", 1<<20): portal.CodeMalformed,
		} {
			_, err := p.codeLogin(p.withCode(buyerPhone, typed, flow))
			if with := refused(t, err, portal.ValidationFailed); with.Fields["code"] != want {
				t.Errorf("%.20q: %v", typed, with.Fields)
			}
			refused(t, p.reset(p.resetting(buyerPhone, typed, flow)), portal.ValidationFailed)
		}
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		wide := strings.Map(func(r rune) rune { return r - '0' + '０' }, code)
		_, err := p.codeLogin(p.withCode(" １３８ 0000-0001", " "+wide[:9]+"\u3000"+wide[9:]+" ", flow))
		noError(t, err)
	})
}

func TestOfFiftyWrongCodesAtOnceFiveAreComparedAndThenNotEvenTheRightOneIsTaken(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		in := p.withCode(buyerPhone, otherThan(code), flow)
		var compared, not atomic.Int32
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				_, err := p.codeLogin(in)
				switch {
				case errors.Is(err, portal.CodeWrong):
					compared.Add(1)
				case errors.Is(err, portal.CodeExpired) || errors.Is(err, portal.TooManyAttempts):
					not.Add(1)
				default:
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if compared.Load() != 5 || not.Load() != 45 {
			t.Errorf("%d were compared, %d not", compared.Load(), not.Load())
		}
		if n := p.log.count(`"event":"code_failed"`, `"detail":"login"`); n != 5 {
			t.Errorf("the log tells of %d", n)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		refused(t, err, portal.CodeExpired)
	})
}

func TestAfterFiveWrongTriesTheRightCodeIsRefusedUntilANewOneIsSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		for range 5 {
			_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
			refused(t, err, portal.CodeWrong)
		}
		for range 2 {
			_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
			refused(t, err, portal.CodeExpired)
		}
		p.clock.advance(portal.DefaultResend)
		code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
	})
}

func TestOfTwentyRightCodesAtOnceOneSignsInAndOneResets(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		login := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		reset := p.resetting(managerPhone, p.sent(p.asking(portal.ForReset, managerPhone, flow)), flow)
		for name, one := range map[string]struct {
			try  func() error
			want int32
		}{
			"login": {func() error { _, err := p.codeLogin(login); return err }, 1},
			"reset": {func() error { return p.reset(reset) }, 20}, // the same form again
		} {
			var done atomic.Int32
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					if err := one.try(); err == nil {
						done.Add(1)
					} else if !errors.Is(err, portal.CodeExpired) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			group.Wait()
			if done.Load() != one.want {
				t.Errorf("%s: %d succeeded", name, done.Load())
			}
		}
		if a, b := p.events(0, "sign_in"), p.events(0, "password_reset"); a != 1 || b != 1 {
			t.Errorf("%d sign-ins, %d resets in the audit log", a, b)
		}
	})
}

func TestAUsedCodeIsRefused(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		login := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		reset := p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)
		_, err := p.codeLogin(login)
		noError(t, err)
		_, err = p.codeLogin(login)
		refused(t, err, portal.CodeExpired)
		noError(t, p.reset(reset))
		reset.Password, reset.Confirm = "Zeegras55", "Zeegras55"
		refused(t, p.reset(reset), portal.CodeExpired)
	})
}

func TestAPhonesCodesForAPurposeAreTriedTwentyTimesADayWhateverNewOnesAreSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for range 4 {
			code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
			for range 5 {
				_, err := p.codeLogin(p.withCode(buyerPhone, otherThan(code), flow))
				refused(t, err, portal.CodeWrong)
			}
			p.clock.advance(20 * time.Minute)
		}
		right := p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, flow)), flow)
		_, err := p.codeLogin(right)
		if with := refused(t, err, portal.TooManyAttempts); with.Wait != 24*time.Hour-80*time.Minute {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.signIn(accountHost, buyerPhone) // other ways in remain
		noError(t, p.reset(p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, flow)), flow)))
		p.clock.advance(24*time.Hour - 80*time.Minute - time.Second)
		right.Code = p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		noError(t, p.Sweep(t.Context()))
		_, err = p.codeLogin(right)
		refused(t, err, portal.TooManyAttempts)
		p.clock.advance(2 * time.Second)
		_, err = p.codeLogin(right)
		noError(t, err)
	})
}

func TestGuessesOfThoseWhoWereSentNothingTakeNoTriesFromTheOwner(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		stranger, owner := portal.NewFlow(), portal.NewFlow()
		for i := range portal.CodeTriesADay + 5 {
			_, err := p.LoginByCode(p.from(fmt.Sprintf("198.51.100.%d", i)), p.withCode(buyerPhone, fmt.Sprintf("%06d", i), stranger))
			if err == nil {
				t.Fatal("signed in")
			}
			err = p.ResetPassword(p.from(fmt.Sprintf("198.51.100.%d", i)), p.resetting(buyerPhone, fmt.Sprintf("%06d", i), stranger))
			if err == nil {
				t.Fatal("reset")
			}
		}
		if _, err := p.codeLogin(p.withCode(buyerPhone, p.sent(p.asking(portal.ForLogin, buyerPhone, owner)), owner)); err != nil {
			t.Errorf("the owner signs in: %v", err)
		}
		if err := p.reset(p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, owner)), owner)); err != nil {
			t.Errorf("the owner resets: %v", err)
		}
	})
}

func TestACodeOpensOnlyWhatItWasSentFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, other := portal.NewFlow(), portal.NewFlow()
		byName := p.asking(portal.ForReset, "", flow)
		byName.Login = "buyer1"
		login := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		reset := p.sent(p.asking(portal.ForReset, managerPhone, flow))
		named := p.sent(byName)
		inShop := p.asking(portal.ForLogin, manyPhone, flow)
		inShop.Place = p.place("store1001.portico.test")
		inShop.CompanyID = 1001
		shop := p.sent(inShop)
		p.sent(p.asking(portal.ForLogin, managerPhone, other))

		atShop := func(in portal.CodeLoginInput, host string) portal.CodeLoginInput {
			in.Place = p.place(host)
			return in
		}
		asLogin := func(in portal.ResetInput, login string) portal.ResetInput {
			in.Phone, in.Login = "", login
			return in
		}
		for name, try := range map[string]func() error{
			"another phone":                   func() error { _, err := p.codeLogin(p.withCode(bothPhone, login, flow)); return err },
			"another phone that was sent one": func() error { _, err := p.codeLogin(p.withCode(managerPhone, login, other)); return err },
			"another browser":                 func() error { _, err := p.codeLogin(p.withCode(buyerPhone, login, other)); return err },
			"no browser":                      func() error { _, err := p.codeLogin(p.withCode(buyerPhone, login, "")); return err },
			"another purpose":                 func() error { return p.reset(p.resetting(buyerPhone, login, flow)) },
			"a reset's for signing in":        func() error { _, err := p.codeLogin(p.withCode(managerPhone, reset, flow)); return err },
			"at a company's house": func() error {
				_, err := p.codeLogin(atShop(p.withCode(buyerPhone, login, flow), "store1001.portico.test"))
				return err
			},
			"a house's at the account site": func() error { _, err := p.codeLogin(p.withCode(manyPhone, shop, flow)); return err },
			"a house's at another's": func() error {
				_, err := p.codeLogin(atShop(p.withCode(manyPhone, shop, flow), "store1002.portico.test"))
				return err
			},
			"an account's reset for its phone's": func() error { return p.reset(p.resetting(buyerPhone, named, flow)) },
			"a phone's reset for its account's":  func() error { return p.reset(asLogin(p.resetting("", reset, flow), "jinsui")) },
			"an account's for another's":         func() error { return p.reset(asLogin(p.resetting("", named, flow), "jinsui")) },
			"an account's for nobody's":          func() error { return p.reset(asLogin(p.resetting("", named, flow), "nobody")) },
			"an account's for one without":       func() error { return p.reset(asLogin(p.resetting("", named, flow), "nophone")) },
		} {
			if err := try(); !errors.Is(err, portal.CodeExpired) && !errors.Is(err, portal.CodeWrong) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if a, b := p.events(0, "password_reset"), p.events(0, "sign_in"); a+b != 0 {
			t.Errorf("%d resets and %d sign-ins", a, b)
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, login, flow)) // and what it was for it still opens
		noError(t, err)
		_, err = p.codeLogin(atShop(p.withCode(manyPhone, shop, flow), "jinsui.test"))
		noError(t, err)
		noError(t, p.reset(asLogin(p.resetting("", named, flow), "Buyer1")))
	})
}

func TestAnAccountsCodeIsNotAnothersOfTheSamePhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ask := p.asking(portal.ForReset, "", flow)
		ask.Login = "li.shop"
		code := p.sent(ask)
		for _, login := range []string{"sur", "li.manager", "li.lights"} {
			in := p.resetting("", code, flow)
			in.Login = login
			refused(t, p.reset(in), portal.CodeExpired)
		}
		refused(t, p.reset(p.resetting(manyPhone, code, flow)), portal.CodeExpired)
		p.signIn(accountHost, "sur")
		p.signIn(accountHost, manyPhone)
	})
}

func TestACodeIsVoidOnceThePhoneOfItsAccountHasChanged(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ask := p.asking(portal.ForReset, "", flow)
		ask.Login = "buyer1"
		in := p.resetting("", p.sent(ask), flow)
		in.Login = "buyer1"
		m := p.account("buyer1")
		noError(t, p.db.UnbindPhone(t.Context(), 1001, m.ID, m.PhoneID))
		refused(t, p.reset(in), portal.CodeExpired)
		noError(t, p.db.BindPhone(t.Context(), 1001, m.ID, phoneOf(t, p.db, p.account("jinsui").Phone)))
		refused(t, p.reset(in), portal.CodeExpired)
		if after := p.account("buyer1"); after.PasswordHash != m.PasswordHash {
			t.Error("the password was changed")
		}
	})
}

func TestAPendingCodeIsFoundByTheBrowserThatAskedAlone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		named := p.asking(portal.ForReset, "", flow)
		named.Login = "buyer1"
		p.sent(p.asking(portal.ForLogin, "+86 138 0000 0002", flow))
		p.sent(named)
		p.clock.advance(15 * time.Second)
		p.restart()
		for _, c := range []struct {
			flow    string
			purpose portal.Purpose
			want    portal.PendingCode
			ok      bool
		}{
			{flow, portal.ForLogin, portal.PendingCode{Phone: managerPhone, Target: "phone", ResendAfter: 45 * time.Second}, true},
			{flow, portal.ForReset, portal.PendingCode{Phone: buyerPhone, Hidden: true, Target: fmt.Sprintf("account:%d", p.account("buyer1").ID), ResendAfter: 45 * time.Second}, true},
			{flow, portal.ForBind, portal.PendingCode{}, false}, {portal.NewFlow(), portal.ForLogin, portal.PendingCode{}, false}, {"", portal.ForLogin, portal.PendingCode{}, false},
		} {
			if got, ok, err := p.PendingCode(t.Context(), c.flow, c.purpose); err != nil || ok != c.ok || got != c.want {
				t.Errorf("%s: %+v, %v, %v", c.purpose, got, ok, err)
			}
		}
		p.restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes!!") })
		if _, ok, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || ok {
			t.Errorf("with another master key: %v, %v", ok, err)
		}
		p.restart(func(o *portal.Options) { o.Secret = []byte("0123456789abcdef0123456789abcdef") })
	})
}

func TestAFlowHasAShapeOfItsOwn(t *testing.T) {
	a, b := portal.NewFlow(), portal.NewFlow()
	if a == b || !portal.IsFlow(a) || portal.IsFlow("") || portal.IsFlow("session:x") || portal.IsFlow(a+"x") {
		t.Errorf("%q, %q", a, b)
	}
}

func TestAFewPhonesOfWrongShapeAreRefusedAndCountNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.counters()
		for typed, want := range map[string]portal.Problem{
			"": portal.PhoneRequired, "  ": portal.PhoneRequired, "12800000001": portal.PhoneMalformed, "1380000000": portal.PhoneMalformed, "13800000001;13800000002": portal.PhoneMalformed,
			"0044 7700 900123": portal.PhoneMalformed, "13800000001\x00": portal.PhoneMalformed,
		} {
			for _, purpose := range []portal.Purpose{portal.ForLogin, portal.ForRegister, portal.ForReset, portal.ForExperience, portal.ForApplication} {
				_, err := p.ask(p.asking(purpose, typed, portal.NewFlow()))
				if with := refused(t, err, portal.ValidationFailed); with.Fields["phone"] != want {
					t.Errorf("%q: %v", typed, with.Fields)
				}
			}
		}
		_, err := p.ask(p.asking("nonsense", newPhone, portal.NewFlow()))
		refused(t, err, portal.WrongParameters)
		if len(p.sms.messages()) != 0 || p.counters() != before {
			t.Error("something was sent or counted")
		}
	})
}

// The caps.
