package core_test

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
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/portaltest"
	"portico/portal/signin"
)

func TestTenConcurrentRequestsSendOneMessage(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		var sent atomic.Int32
		var group sync.WaitGroup
		for i := range 10 {
			in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
			group.Go(func() {
				_, err := p.Portal.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in)
				if err == nil {
					sent.Add(1)
				} else if with := portaltest.Refused(t, err, access.CodeAlreadySent); with.WaitSeconds() < 1 ||
					with.WaitSeconds() > 60 {
					t.Errorf("the wait is %v", with.Wait)
				}
			})
		}
		group.Wait()
		if n := len(p.Sms.Codes()); n != 1 || sent.Load() != 1 {
			t.Errorf("%d messages, %d requests succeeded", n, sent.Load())
		}
		if n := p.CountEvents(0, "code_sent"); n != 1 {
			t.Errorf("%d audit events", n)
		}
	})
}

func TestANewCodeIsSentOnlyAfterTheCountdownAndReplacesTheOldOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, another := core.NewFlow(), core.NewFlow()
		old := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, mine))
		for waited := time.Duration(0); waited < time.Minute; waited += 20 * time.Second {
			for _, flow := range []string{mine, another} {
				_, err := p.AskCode(p.CodeRequest(core.ForLogin, "138 0000 0001", flow))
				if with := portaltest.Refused(t, err, access.CodeAlreadySent); with.Wait != time.Minute-waited {
					t.Errorf("after %v the wait is %v", waited, with.Wait)
				}
			}
			p.Restart() // the countdown is kept with the code
			p.Clock.Advance(20 * time.Second)
		}
		fresh := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, mine))
		if old != fresh {
			_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, old, mine))
			portaltest.Refused(t, err, access.CodeWrong)
		}
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, fresh, mine))
		portaltest.NoError(t, err)
	})
}

func TestACodeForAnotherBrowserReplacesTheOldOne(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		mine, another := core.NewFlow(), core.NewFlow()
		old := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, mine))
		p.Clock.Advance(time.Minute)
		fresh := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, another))
		for _, code := range []string{old, fresh} {
			_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, mine))
			portaltest.Refused(t, err, access.CodeExpired)
		}
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, fresh, another))
		portaltest.NoError(t, err)
	})
}

func TestTheCountdownHasTheConfiguredLength(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
		if sent, err := p.AskCode(in); err != nil || sent != (core.CodeSent{ResendAfter: 20 * time.Second}) {
			t.Errorf("%+v, %v", sent, err)
		}
		p.Clock.Advance(20*time.Second - time.Millisecond)
		_, err := p.AskCode(in)
		if with := portaltest.Refused(t, err, access.CodeAlreadySent); with.WaitSeconds() != 1 {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.Clock.Advance(time.Millisecond)
		p.ReceiveCode(in)
	}, func(o *portal.Options) { o.Resend = 20 * time.Second })
}

func TestCodesAreSixDigitsAndEquallyLikely(t *testing.T) {
	const draws = 20_000
	var places [6][10]int
	var thousands [1000]int
	for range draws {
		code := core.NewCode()
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
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
		if chi := ChiSquare(counts[:], draws); chi > 53 {
			t.Errorf("place %d: chi-square %.1f of 9 degrees", i, chi)
		}
	}
	if chi := ChiSquare(thousands[:], draws); chi > 1240 || chi < 780 {
		t.Errorf("last three digits: chi-square %.1f of 999 degrees", chi)
	}
}

func ChiSquare(counts []int, draws int) (sum float64) {
	expected := float64(draws) / float64(len(counts))
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum
}

func TestACodeExpiresAfterFiveMinutes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		p.Clock.Advance(5*time.Minute - time.Second)
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.NoError(t, err)
		code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		p.Clock.Advance(5 * time.Minute)
		_, err = p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.Refused(t, err, access.CodeExpired)
		if _, pending, err := p.Verification.PendingCode(t.Context(), flow, core.ForLogin); err != nil ||
			pending {
			t.Errorf("it is pending: %v, %v", pending, err)
		}
	})
}

func TestARightCodeIsAProofForTenMinutes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow, ctx := core.NewFlow(), p.From(portaltest.HomeAddress)
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.Verification.ProveCode(ctx, core.TypedCode{
			Phone: portaltest.BuyerPhone, Purpose: core.ForLogin, Flow: flow, Target: core.TargetPhone, Code: code,
		})
		portaltest.NoError(t, err)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		proof, err := p.Verification.Proven(ctx, flow, core.ForLogin, core.TargetPhone)
		if err != nil || proof.Phone != portaltest.BuyerPhone {
			t.Errorf("%+v, %v", proof, err)
		}
		p.Clock.Advance(time.Millisecond)
		_, err = p.Verification.Proven(ctx, flow, core.ForLogin, core.TargetPhone)
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestTheSweepDeletesACodeAfterTwentyFiveHours(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
		codes := func() int {
			portaltest.NoError(t, p.Sweep(t.Context()))
			return strings.Count(p.DumpCounters(), "codes [")
		}
		p.Clock.Advance(25 * time.Hour)
		if codes() != 1 {
			t.Error("it was deleted early")
		}
		p.Clock.Advance(time.Millisecond)
		if codes() != 0 {
			t.Error("it is still there")
		}
	})
}

func TestACodeIsAcceptedInEverySpelling(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		for typed, want := range map[string]access.Problem{
			"": access.CodeRequired, " \t": access.CodeRequired, "12345": access.CodeMalformed,
			"1234567": access.CodeMalformed, "12345a": access.CodeMalformed, "١٢٣٤٥٦": access.CodeMalformed,
			"12345\x00": access.CodeMalformed, strings.Repeat("1", 1<<20): access.CodeMalformed,
		} {
			_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, typed, flow))
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["code"] != want {
				t.Errorf("%.20q: %v", typed, with.Fields)
			}
			portaltest.Refused(
				t, p.ResetPassword(p.ResetInput(portaltest.BuyerPhone, typed, flow)), access.ValidationFailed,
			)
		}
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		wide := strings.Map(func(r rune) rune { return r - '0' + '０' }, code)
		_, err := p.CodeLogin(p.CodeLoginInput(" １３８ 0000-0001", " "+wide[:9]+"\u3000"+wide[9:]+" ", flow))
		portaltest.NoError(t, err)
	})
}

func TestAfterFiveOfFiftyConcurrentWrongCodesTheRightOneIsRefused(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		in := p.CodeLoginInput(portaltest.BuyerPhone, portaltest.WrongCode(code), flow)
		var compared, not atomic.Int32
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				_, err := p.CodeLogin(in)
				switch {
				case errors.Is(err, access.CodeWrong):
					compared.Add(1)
				case errors.Is(err, access.CodeExpired) || errors.Is(err, access.TooManyAttempts):
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
		if n := p.Log.Count(`"event":"code_failed"`, `"detail":"login"`); n != 5 {
			t.Errorf("the log has %d", n)
		}
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.Refused(t, err, access.CodeExpired)
	})
}

func TestAfterFiveWrongAttemptsTheRightCodeIsRefusedUntilANewOneIsSent(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		for range 5 {
			_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, portaltest.WrongCode(code), flow))
			portaltest.Refused(t, err, access.CodeWrong)
		}
		for range 2 {
			_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
			portaltest.Refused(t, err, access.CodeExpired)
		}
		p.Clock.Advance(time.Minute)
		code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.NoError(t, err)
	})
}

func TestTwentyConcurrentUsesOfARightCodeSucceedOnce(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		login := p.CodeLoginInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)),
			flow,
		)
		reset := p.ResetInput(
			portaltest.ManagerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManagerPhone, flow)),
			flow,
		)
		for name, one := range map[string]struct {
			try  func() error
			want int32
		}{
			"login": {func() error { _, err := p.CodeLogin(login); return err }, 1},
			"reset": {func() error { return p.ResetPassword(reset) }, 20}, // the same form again
		} {
			var done atomic.Int32
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					if err := one.try(); err == nil {
						done.Add(1)
					} else if !errors.Is(err, access.CodeExpired) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			group.Wait()
			if done.Load() != one.want {
				t.Errorf("%s: %d succeeded", name, done.Load())
			}
		}
		if a, b := p.CountEvents(0, "sign_in"), p.CountEvents(0, "password_reset"); a != 1 || b != 1 {
			t.Errorf("%d sign-ins, %d resets in the audit log", a, b)
		}
	})
}

func TestAUsedCodeIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		login := p.CodeLoginInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)),
			flow,
		)
		reset := p.ResetInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow)),
			flow,
		)
		_, err := p.CodeLogin(login)
		portaltest.NoError(t, err)
		_, err = p.CodeLogin(login)
		portaltest.Refused(t, err, access.CodeExpired)
		portaltest.NoError(t, p.ResetPassword(reset))
		reset.Password, reset.Confirm = "Zeegras55", "Zeegras55"
		portaltest.Refused(t, p.ResetPassword(reset), access.CodeExpired)
	})
}

func TestNewCodesDoNotExtendTheTwentyAttemptsADayOfAPhoneAndPurpose(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		for range 4 {
			code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
			for range 5 {
				_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, portaltest.WrongCode(code), flow))
				portaltest.Refused(t, err, access.CodeWrong)
			}
			p.Clock.Advance(20 * time.Minute)
		}
		right := p.CodeLoginInput(
			portaltest.BuyerPhone,
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)),
			flow,
		)
		_, err := p.CodeLogin(right)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != 24*time.Hour-80*time.Minute {
			t.Errorf("the wait is %v", with.Wait)
		}
		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone) // other ways in remain
		portaltest.NoError(
			t,
			p.ResetPassword(
				p.ResetInput(
					portaltest.BuyerPhone,
					p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, flow)),
					flow,
				),
			),
		)
		p.Clock.Advance(24*time.Hour - 80*time.Minute - time.Second)
		right.Code = p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		portaltest.NoError(t, p.Sweep(t.Context()))
		_, err = p.CodeLogin(right)
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(2 * time.Second)
		_, err = p.CodeLogin(right)
		portaltest.NoError(t, err)
	})
}

func TestGuessesWithoutARequestedCodeUseUpNoAttemptsOfTheOwner(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		stranger, owner := core.NewFlow(), core.NewFlow()
		for i := range 25 { // more than the twenty attempts of a day
			_, err := p.Signin.LoginByCode(
				p.From(fmt.Sprintf("198.51.100.%d", i)),
				p.CodeLoginInput(portaltest.BuyerPhone, fmt.Sprintf("%06d", i), stranger),
			)
			if err == nil {
				t.Fatal("signed in")
			}
			err = p.Credentials.ResetPassword(
				p.From(fmt.Sprintf("198.51.100.%d", i)),
				p.ResetInput(portaltest.BuyerPhone, fmt.Sprintf("%06d", i), stranger),
			)
			if err == nil {
				t.Fatal("reset")
			}
		}
		if _, err := p.CodeLogin(
			p.CodeLoginInput(
				portaltest.BuyerPhone,
				p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, owner)),
				owner,
			),
		); err != nil {
			t.Errorf("the owner signs in: %v", err)
		}
		if err := p.ResetPassword(
			p.ResetInput(
				portaltest.BuyerPhone,
				p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, owner)),
				owner,
			),
		); err != nil {
			t.Errorf("the owner resets: %v", err)
		}
	})
}

func TestACodeWorksOnlyForItsPurpose(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow, other := core.NewFlow(), core.NewFlow()
		byName := p.CodeRequest(core.ForReset, "", flow)
		byName.Login = "buyer1"
		login := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		reset := p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.ManagerPhone, flow))
		named := p.ReceiveCode(byName)
		inShop := p.CodeRequest(core.ForLogin, portaltest.ManyPhone, flow)
		inShop.Place = p.Place("store1001.portico.test")
		inShop.CompanyID = 1001
		shop := p.ReceiveCode(inShop)
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.ManagerPhone, other))

		atShop := func(in signin.CodeLoginInput, host string) signin.CodeLoginInput {
			in.Place = p.Place(host)
			return in
		}
		asLogin := func(in credentials.ResetInput, login string) credentials.ResetInput {
			in.Phone, in.Login = "", login
			return in
		}
		for name, try := range map[string]func() error{
			"another phone": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.BothPhone, login, flow))
				return err
			},
			"another phone that was sent one": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.ManagerPhone, login, other))
				return err
			},
			"another browser": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, login, other))
				return err
			},
			"no browser": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, login, ""))
				return err
			},
			"another purpose": func() error {
				return p.ResetPassword(p.ResetInput(portaltest.BuyerPhone, login,
					flow))
			},
			"a reset's for signing in": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.ManagerPhone, reset, flow))
				return err
			},
			"at a company's house": func() error {
				_, err := p.CodeLogin(atShop(p.CodeLoginInput(portaltest.BuyerPhone, login, flow),
					"store1001.portico.test"))
				return err
			},
			"a house's at the account site": func() error {
				_,
					err := p.CodeLogin(p.CodeLoginInput(portaltest.ManyPhone, shop, flow))
				return err
			},
			"a house's at another's": func() error {
				_, err := p.CodeLogin(atShop(p.CodeLoginInput(portaltest.ManyPhone, shop, flow),
					"store1002.portico.test"))
				return err
			},
			"an account's reset for its phone's": func() error {
				return p.ResetPassword(p.ResetInput(portaltest.BuyerPhone,
					named, flow))
			},
			"a phone's reset for its account's": func() error {
				return p.ResetPassword(asLogin(p.ResetInput("", reset, flow),
					"jinsui"))
			},
			"an account's for another's": func() error {
				return p.ResetPassword(asLogin(p.ResetInput("", named, flow),
					"jinsui"))
			},
			"an account's for nobody's": func() error {
				return p.ResetPassword(asLogin(p.ResetInput("", named, flow),
					"nobody"))
			},
			"an account's for one without": func() error {
				return p.ResetPassword(asLogin(p.ResetInput("", named, flow),
					"nophone"))
			},
		} {
			if err := try(); !errors.Is(err, access.CodeExpired) && !errors.Is(err, access.CodeWrong) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if a, b := p.CountEvents(0, "password_reset"), p.CountEvents(0, "sign_in"); a+b != 0 {
			t.Errorf("%d resets and %d sign-ins", a, b)
		}
		// and what it was for it still opens
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, login, flow))
		portaltest.NoError(t, err)
		_, err = p.CodeLogin(atShop(p.CodeLoginInput(portaltest.ManyPhone, shop, flow), "jinsui.test"))
		portaltest.NoError(t, err)
		portaltest.NoError(t, p.ResetPassword(asLogin(p.ResetInput("", named, flow), "Buyer1")))
	})
}

func TestAnAccountsCodeDoesNotWorkForAnotherAccountOfTheSamePhone(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		ask := p.CodeRequest(core.ForReset, "", flow)
		ask.Login = "li.shop"
		code := p.ReceiveCode(ask)
		for _, login := range []string{"sur", "li.manager", "li.lights"} {
			in := p.ResetInput("", code, flow)
			in.Login = login
			portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		}
		portaltest.Refused(t, p.ResetPassword(p.ResetInput(portaltest.ManyPhone, code, flow)), access.CodeExpired)
		p.SignIn(portaltest.AccountHost, "sur")
		p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
	})
}

func TestACodeExpiresWhenThePhoneOfItsAccountChanges(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		ask := p.CodeRequest(core.ForReset, "", flow)
		ask.Login = "buyer1"
		in := p.ResetInput("", p.ReceiveCode(ask), flow)
		in.Login = "buyer1"
		m := p.Account("buyer1")
		portaltest.NoError(t, p.DB.Persons.Unbind(t.Context(), 1001, m.ID, m.PersonID))
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		portaltest.NoError(
			t, p.DB.Persons.Bind(t.Context(), 1001, m.ID, portaltest.PersonOf(t, p.DB, p.Account("jinsui").Phone)),
		)
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
		if after := p.Account("buyer1"); after.PasswordHash != m.PasswordHash {
			t.Error("the password was changed")
		}
	})
}

func TestAPendingCodeIsFoundOnlyByTheBrowserThatRequestedIt(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		named := p.CodeRequest(core.ForReset, "", flow)
		named.Login = "buyer1"
		p.ReceiveCode(p.CodeRequest(core.ForLogin, "+86 138 0000 0002", flow))
		p.ReceiveCode(named)
		p.Clock.Advance(15 * time.Second)
		p.Restart()
		for _, c := range []struct {
			flow    string
			purpose access.Purpose
			want    core.PendingCode
			ok      bool
		}{
			{flow, core.ForLogin, core.PendingCode{Phone: portaltest.ManagerPhone, Target: "phone",
				ResendAfter: 45 * time.Second}, true},
			{flow, core.ForReset, core.PendingCode{Phone: portaltest.BuyerPhone, Hidden: true,
				Target: fmt.Sprintf("account:%d", p.Account("buyer1").ID), ResendAfter: 45 * time.Second}, true},
			{flow, core.ForBind, core.PendingCode{}, false},
			{core.NewFlow(), core.ForLogin, core.PendingCode{}, false},
			{"", core.ForLogin, core.PendingCode{}, false},
		} {
			if got, ok, err := p.Verification.PendingCode(t.Context(), c.flow, c.purpose); err != nil || ok != c.ok ||
				got != c.want {
				t.Errorf("%s: %+v, %v, %v", c.purpose, got, ok, err)
			}
		}
		p.Restart(func(o *portal.Options) { o.Secret = []byte("another master key of 32 bytes!!") })
		if _, ok, err := p.Verification.PendingCode(t.Context(), flow, core.ForLogin); err != nil || ok {
			t.Errorf("with another master key: %v, %v", ok, err)
		}
		p.Restart(func(o *portal.Options) { o.Secret = []byte("0123456789abcdef0123456789abcdef") })
	})
}

func TestOnlyWellFormedFlowsAreValid(t *testing.T) {
	a, b := core.NewFlow(), core.NewFlow()
	if a == b || !core.IsFlow(a) || core.IsFlow("") || core.IsFlow("session:x") ||
		core.IsFlow(a+"x") {
		t.Errorf("%q, %q", a, b)
	}
}

func TestMalformedPhonesAreRefusedAndNotCounted(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before := p.DumpCounters()
		for typed, want := range map[string]access.Problem{
			"": access.PhoneRequired, "  ": access.PhoneRequired, "12800000001": access.PhoneMalformed,
			"1380000000": access.PhoneMalformed, "13800000001;13800000002": access.PhoneMalformed,
			"0044 7700 900123": access.PhoneMalformed, "13800000001\x00": access.PhoneMalformed,
		} {
			for _, purpose := range []access.Purpose{core.ForLogin, core.ForRegister,
				core.ForReset, core.ForExperience, core.ForApplication} {
				_, err := p.AskCode(p.CodeRequest(purpose, typed, core.NewFlow()))
				if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["phone"] != want {
					t.Errorf("%q: %v", typed, with.Fields)
				}
			}
		}
		_, err := p.AskCode(p.CodeRequest("nonsense", portaltest.NewPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.WrongParameters)
		if len(p.Sms.Messages()) != 0 || p.DumpCounters() != before {
			t.Error("something was sent or counted")
		}
	})
}
