package core_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/portal"
	"portico/portal/access"
	"portico/portal/portaltest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

func TestFailuresAreCountedTogetherForEveryMethodAndSpelling(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		left := signin.ProofFailures
		for _, who := range []string{
			"13800000003", "LI.Manager", " 138 0000 0003 ", "sur", "１３８０００００００３", "li.shop", " Li.Lights ",
		} {
			p.Clock.Advance(90 * time.Second)
			err := g.Try(p.WrongLoginInput(who))
			left--
			if with := portaltest.Refused(t, err, access.WrongPassword); with.Left != left {
				t.Errorf("after %s %d tries are left, want %d", who, with.Left, left)
			}
		}
		if n := guesstest.CountFailures(p, "sur"); n != 7 {
			t.Errorf("%d were counted", n)
		}
		for _, who := range []string{"13800000003", "li.manager", "sur", "li.shop", "li.lights"} {
			if with := portaltest.Refused(
				t, g.Try(p.LoginInput(who)), access.TooManyAttempts,
			); with.Wait != 8*time.Second {
				t.Errorf("%s waits %v", who, with.Wait)
			}
		}
	})
}

func TestOfFiftyConcurrentWrongPasswordsOnlyTheFreeOnesAreCompared(t *testing.T) {
	portaltest.EachCondition(t, func(t *testing.T, p *portaltest.Platform) {
		phone, name := p.WrongLoginInput("13800000001"), p.WrongLoginInput("buyer1")
		var answered, refused atomic.Int32
		var group sync.WaitGroup
		for i := range 50 {
			in := phone
			if i%2 == 0 {
				in = name
			}
			group.Go(func() {
				_, err := p.Signin.Login(p.From(fmt.Sprintf("%d.0.0.1", 20+i)), in)
				switch {
				case errors.Is(err, access.WrongPassword):
					answered.Add(1)
				case errors.Is(err, access.TooManyAttempts),
					errors.Is(err, access.ValidationFailed): // too many at once
					refused.Add(1)
				default:
					t.Errorf("try %d: %v", i, err)
				}
			})
		}
		group.Wait()
		if compared, rest := answered.Load(), refused.Load(); compared != signin.FreeFailures+1 || rest != 50-compared {
			t.Errorf("%d compared, %d refused", compared, rest)
		}
		if n := guesstest.CountFailures(p, "buyer1"); n != signin.FreeFailures+1 {
			t.Errorf("%d counted", n)
		}
		_, err := p.Login(p.LoginInput("13800000001"))
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(2 * time.Second)
		p.SignIn(portaltest.AccountHost, "13800000001")
	})
}

func TestFourFailuresCauseNoWait(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		for range 3 { // the right password removes the failures
			g.TryWrong(signin.FreeFailures, "nophone")
			p.SignIn(portaltest.AccountHost, "nophone")
		}
		if n := guesstest.CountFailures(p, "nophone"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

func TestAttemptsDuringAWaitAreNotCountedAndDoNotExtendIt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		g.TryWrong(5, "nophone")
		for left := 2 * time.Second; left > 0; left -= 100 * time.Millisecond {
			if wait := waitOfNextTry(g, "nophone"); wait != left {
				t.Fatalf("wait %v, want %v", wait, left)
			}
			p.Clock.Advance(100 * time.Millisecond)
		}
		if n := guesstest.CountFailures(p, "nophone"); n != 5 {
			t.Errorf("%d are counted", n)
		}
		p.SignIn(portaltest.AccountHost, "nophone")
	})
}

func TestTheWaitGrowsAndIsCapped(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		g.TryWrong(4, "nophone")
		for _, want := range []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900} {
			g.TryWrong(1, "nophone")
			if wait := waitOfNextTry(g, "nophone"); wait != time.Duration(want)*time.Second {
				t.Errorf(
					"after %d failures the wait is %v, want %ds", guesstest.CountFailures(p, "nophone"), wait, want,
				)
			}
			p.Clock.Advance(time.Duration(want) * time.Second)
		}
		g.Question = nil
		if err := g.Try(p.LoginInput("nophone")); errors.Is(err, access.ValidationFailed) {
			err = g.Try(p.LoginInput("nophone")) // the question answered
			portaltest.NoError(t, err)
		} else {
			portaltest.NoError(t, err)
		}
	})
}

func TestAfterTenFailuresASignInNeedsAnAnswerToAQuestion(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		for n := range signin.ProofFailures {
			if g.Question != nil {
				t.Fatalf("a question after %d failures", n)
			}
			g.TryWrong(1, "nophone")
			if n >= signin.FreeFailures {
				p.Clock.Advance(2 * time.Second << (n - signin.FreeFailures))
			}
		}
		if g.Question == nil {
			t.Fatal("the tenth failure brings no question")
		}
		own := *g.Question
		right := strconv.Itoa(own.A + own.B)
		other := &guesstest.Guesser{Platform: p}
		for other.Question == nil {
			other.TryWrong(1, "buyer1")
			p.Clock.Advance(40 * time.Second)
		}
		for name, c := range map[string]struct {
			token, answer string
			want          access.Problem
		}{
			"nothing":          {"", "", access.AnswerRequired},
			"no answer":        {own.Token, "", access.AnswerRequired},
			"a wrong one":      {own.Token, strconv.Itoa(own.A + own.B + 1), access.AnswerWrong},
			"words":            {own.Token, "many", access.AnswerWrong},
			"no token":         {"", right, access.AnswerWrong},
			"a tampered token": {testscope.Changed(own.Token), right, access.AnswerWrong},
			"another's question": {
				other.Question.Token, strconv.Itoa(other.Question.A + other.Question.B), access.AnswerWrong,
			},
		} {
			in := p.LoginInput("nophone") // the right password: it must not show
			in.Question, in.Answer = c.token, c.answer
			_, err := p.Login(in)
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["answer"] != c.want ||
				with.Question == nil {
				t.Errorf("%s: %+v", name, with)
			}
		}
		if n := guesstest.CountFailures(p, "nophone"); n != signin.ProofFailures {
			t.Errorf("%d are counted: unanswered tries were", n)
		}
		in := p.LoginInput("nophone")
		in.Question, in.Answer = own.Token, " "+right+" "
		_, err := p.Login(in)
		portaltest.NoError(t, err)
		p.SignIn(portaltest.AccountHost, "nophone") // and the success took the question away
	})
}

func TestAQuestionExpiresAfterTenMinutes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		ask := func() signin.LoginInput {
			for g.Question == nil {
				g.TryWrong(1, "nophone")
				p.Clock.Advance(16 * time.Second)
				if n := guesstest.CountFailures(p, "nophone"); n > 8 {
					p.Clock.Advance(50 * time.Second)
				}
			}
			in := p.LoginInput("nophone")
			in.Question, in.Answer = g.Question.Token, strconv.Itoa(g.Question.A+g.Question.B)
			return in
		}
		in := ask()
		late := in
		asked := p.Clock.Now()
		p.Clock.Advance(10*time.Minute - 67*time.Second)
		if _, err := p.Login(in); err != nil {
			t.Errorf("within %v: %v", p.Clock.Now().Sub(asked), err)
		}
		g.Question = nil
		fresh := ask()
		if _, err := p.Login(late); !errors.Is(err, access.ValidationFailed) {
			t.Errorf("an old question's answer: %v", err)
		}
		_, err := p.Login(fresh)
		portaltest.NoError(t, err)
	})
}

func TestAQuestionIsNoLongerAskedOnceTheWindowHasPassed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		for g.Question == nil {
			g.TryWrong(1, "nophone")
			p.Clock.Advance(64 * time.Second)
		}
		p.Clock.Advance(15 * time.Minute)
		p.SignIn(portaltest.AccountHost, "nophone")
	})
}

func TestAHundredFailuresInARowDisableThePassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		known := p.SignIn(portaltest.AccountHost, "13800000001").Device
		g := &guesstest.Guesser{Platform: p}
		for n := range 100 {
			portaltest.Refused(t, g.Try(p.WrongLoginInput("13800000001")), access.WrongPassword)
			if n < 100-1 {
				p.Clock.Advance(signin.LongestWait + time.Second)
			}
		}
		if with := portaltest.Refused(
			t, g.Try(p.LoginInput("13800000001")), access.TooManyAttempts,
		); with.Wait > 24*time.Hour {
			t.Errorf("Retry-After would be %v", with.Wait)
		}
		for range 5 {
			p.Clock.Advance(30*24*time.Hour + time.Hour)
			portaltest.NoError(t, p.Sweep(t.Context()))
			portaltest.Refused(t, g.Try(p.LoginInput("buyer1")), access.TooManyAttempts)
		}
		in := p.LoginInput("13800000001")
		in.Device = known
		if _, err := p.Login(in); err != nil {
			t.Errorf("the known browser: %v", err)
		}
		portaltest.Refused(t, g.Try(p.LoginInput("13800000001")), access.TooManyAttempts)
	})
}

func TestAKnownBrowserSignsInWhileAttackersUseUpTheAllowedFailures(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		owner := p.LoginInput("13800000001")
		owner.Device = p.SignIn(portaltest.AccountHost, "13800000001").Device
		stranger := p.LoginInput("13800000001")
		stranger.Device = p.SignIn(portaltest.AccountHost, "13800000002").Device // known, but not to this person
		g := &guesstest.Guesser{Platform: p}
		for range 50 {
			if err := g.Try(p.WrongLoginInput("13800000001")); err == nil {
				t.Fatal("signed in")
			}
		}
		for _, in := range []signin.LoginInput{p.LoginInput("13800000001"), p.LoginInput("buyer1"), stranger} {
			_, err := p.Login(in)
			portaltest.Refused(t, err, access.TooManyAttempts)
		}
		for range 3 {
			if _, err := p.Login(owner); err != nil {
				t.Errorf("the owner: %v", err)
			}
		}
		byName := p.LoginInput("buyer1")
		byName.Device = owner.Device
		if _, err := p.Login(byName); err != nil {
			t.Errorf("the owner by name: %v", err)
		}
		_, err := p.Login(p.LoginInput("13800000001"))
		portaltest.Refused(t, err, access.TooManyAttempts) // the owner's success lifted nothing for the others
	})
}

func TestFailuresOfAKnownBrowserAreCountedSeparately(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := p.WrongLoginInput("nophone")
		in.Device = p.SignIn(portaltest.AccountHost, "nophone").Device
		for range 5 {
			_, err := p.Login(in)
			portaltest.Refused(t, err, access.WrongPassword)
		}
		_, err := p.Login(in)
		portaltest.Refused(t, err, access.TooManyAttempts)
		if n := guesstest.CountFailures(p, "nophone"); n != 0 {
			t.Errorf("%d were counted against everybody", n)
		}
		p.SignIn(portaltest.AccountHost, "nophone") // another browser
	})
}

func TestAKnownBrowserIsAskedNoQuestion(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		in := p.WrongLoginInput("nophone")
		in.Device = p.SignIn(portaltest.AccountHost, "nophone").Device
		for range signin.ProofFailures + 1 {
			_, err := p.Login(in)
			if with := portaltest.Refused(t, err, access.WrongPassword); with.Question != nil {
				t.Error("a question")
			}
			p.Clock.Advance(64 * time.Second)
		}
	})
}

func TestABrowserIsKnownForHalfAYearAfterASignIn(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		again time.Duration // when it signs in once more; 0: never
		after time.Duration
		known bool
	}{
		"until the end":                  {0, 180*day - time.Millisecond, true},
		"at the end":                     {0, 180 * day, false},
		"a second sign-in within a day":  {day - time.Millisecond, 180 * day, false}, // it is not stored
		"a second sign-in a day later":   {day, 180 * day, true},
		"half a year after a second one": {day, 181 * day, false},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				start := p.Clock.Now()
				in := p.LoginInput("nophone")
				in.Device = p.SignIn(portaltest.AccountHost, "nophone").Device
				if c.again != 0 {
					p.Clock.Advance(c.again)
					_, err := p.Login(in)
					portaltest.NoError(t, err)
				}
				p.Clock.Advance(start.Add(c.after).Sub(p.Clock.Now()))
				portaltest.NoError(t, p.Sweep(t.Context()))
				g := &guesstest.Guesser{Platform: p}
				g.TryWrong(5, "nophone")
				_, err := p.Login(in)
				if c.known {
					portaltest.NoError(t, err)
				} else {
					portaltest.Refused(t, err, access.TooManyAttempts)
				}
			})
		})
	}
}

func TestFailuresAreForgottenThirtyDaysAfterTheLastOne(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		g.TryWrong(4, "nophone")
		p.Clock.Advance(30 * 24 * time.Hour)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if n := guesstest.CountFailures(p, "nophone"); n != 4 {
			t.Errorf("%d of 4 are left", n)
		}
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		if n := guesstest.CountFailures(p, "nophone"); n != 0 {
			t.Errorf("%d are left too long", n)
		}
	})
}

func TestAnAddressMayFailThirtyTimesInFifteenMinutes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		known := p.LoginInput("13800000012")
		known.Device = p.SignIn(portaltest.AccountHost, "13800000012").Device
		const shared = "198.51.100.7"
		if n := guesstest.Spray(p, shared, 36); n != signin.AddressFailures {
			t.Errorf("%d were compared", n)
		}
		_, err := p.Signin.Login(p.From(shared), p.LoginInput("nophone"))
		portaltest.Refused(t, err, access.TooManyAttempts)
		_, err = p.Signin.Login(p.From("::ffff:"+shared), p.LoginInput("nophone"))
		portaltest.Refused(t, err, access.TooManyAttempts)
		if _, err := p.Signin.Login(p.From(shared), known); err != nil {
			t.Errorf("a known browser behind it: %v", err)
		}
		if _, err := p.Signin.Login(p.From("198.51.100.8"), p.LoginInput("nophone")); err != nil {
			t.Errorf("another address: %v", err)
		}
		p.Clock.Advance(15*time.Minute - time.Millisecond)
		_, err = p.Signin.Login(p.From(shared), p.LoginInput("nophone"))
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(2 * time.Millisecond)
		if _, err := p.Signin.Login(p.From(shared), p.LoginInput("nophone")); err != nil {
			t.Errorf("after the window: %v", err)
		}
	})
}

func TestFailuresOfAnIPv6NetworkAreCountedTogether(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for i := range signin.AddressFailures {
			if n := guesstest.Spray(p, fmt.Sprintf("2001:db8:0:7:%x::%x", i, i+1), 1); n != 1 {
				t.Fatalf("try %d was not compared", i)
			}
			subject := fmt.Sprintf("phone:%d", p.Account("buyer1").PersonID)
			portaltest.NoError(t, p.DB.Attempts.ClearSubject(t.Context(), subject))
		}
		for _, address := range []string{"2001:db8:0:7:ffff::1", "2001:0DB8:0:7::", "2001:db8:0:7::1%eth0"} {
			_, err := p.Signin.Login(p.From(address), p.LoginInput("nophone"))
			portaltest.Refused(t, err, access.TooManyAttempts)
		}
		if _, err := p.Signin.Login(p.From("2001:db8:0:8::1"), p.LoginInput("nophone")); err != nil {
			t.Errorf("the next network: %v", err)
		}
	})
}

func TestASignInReducesTheFailuresOfItsAddressOncePerWindow(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const shared = "198.51.100.7"
		guesstest.Spray(p, shared, 20)
		for range 10 { // one account of the guesser's own, again and again
			if _, err := p.Signin.Login(p.From(shared), p.LoginInput("nophone")); err != nil {
				t.Fatal(err)
			}
		}
		if n := guesstest.Spray(p, shared, 20); n != signin.AddressFailures-20+signin.AddressCredit {
			t.Errorf("%d more were compared, want %d", n, signin.AddressFailures-20+signin.AddressCredit)
		}
	})
}

func TestManyPeopleOfOneAddressSignInWhileSomeMistype(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const shared = "198.51.100.7"
		for i := range 40 {
			who := fmt.Sprintf("colleague%d", i)
			companytest.AddAccount(p, who, 1001, store.Shop, "")
			if i%2 == 0 {
				if i/2 < 10 { // an address may look up ten names
					_, err := p.Signin.Login(p.From(shared), p.WrongLoginInput(who))
					portaltest.Refused(t, err, access.WrongPassword)
				}
			}
			if _, err := p.Signin.Login(p.From(shared), p.LoginInput(who)); err != nil {
				t.Fatalf("%s: %v", who, err)
			}
		}
	})
}

func TestLimitsSurviveARestart(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		for range 4 {
			g.TryWrong(1, "nophone")
			p.Restart()
		}
		g.TryWrong(1, "nophone")
		p.Restart()
		portaltest.Refused(t, g.Try(p.LoginInput("nophone")), access.TooManyAttempts)
		p.Clock.Advance(2 * time.Second)
		for g.Question == nil {
			g.TryWrong(1, "nophone")
			p.Clock.Advance(64 * time.Second)
			p.Restart()
		}
		g.Question = nil
		portaltest.Refused(t, g.Try(p.LoginInput("nophone")), access.ValidationFailed)
		guesstest.Spray(p, "198.51.100.7", 15)
		p.Restart()
		if n := guesstest.Spray(p, "198.51.100.7", 20); n != 15 {
			t.Errorf("the address had %d more", n)
		}
	})
}

func TestAnAddressMayLookUpTenPhonesAndNamesAnHour(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		asked := []signin.LoginInput{
			p.LoginInput("nobody1"),
			p.LoginInput("13999999991"),
			p.WrongLoginInput("nophone"),
			p.WrongLoginInput("13800000001"),
			p.LoginInput("nobody2"),
			p.LoginInput("13999999992"),
			p.LoginInput("nobody3"),
			p.LoginInput("13999999993"),
			p.LoginInput("nobody4"),
			p.LoginInput("13999999994"),
		}
		for _, in := range asked {
			_, err := p.Login(in)
			if errors.Is(err, access.TooManyAttempts) {
				t.Fatalf("%s%s: %v", in.Phone, in.Login, err)
			}
		}
		for _, again := range []signin.LoginInput{p.LoginInput(" NOBODY1"), p.LoginInput("１３９９９９９９９９１"),
			p.WrongLoginInput("NoPhone")} {
			if _, err := p.Login(again); errors.Is(err, access.TooManyAttempts) {
				t.Errorf("a spelling of one asked about before: %v", err)
			}
		}
		if n := p.CountEvents(0, "probe"); n != 0 {
			t.Errorf("%d events too early", n)
		}
		for _, in := range []signin.LoginInput{
			p.LoginInput("nobody5"), p.LoginInput("13999999995"), p.WrongLoginInput("northwind"),
			p.LoginInput("nobody5"), p.LoginInput("nobody6"),
		} {
			_, err := p.Login(in)
			with := portaltest.Refused(t, err, access.TooManyAttempts)
			if with.Wait != time.Hour || with.Contacts != nil {
				t.Errorf("%s%s: %+v", in.Phone, in.Login, with)
			}
		}
		if n := p.CountEvents(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		if _, err := p.Login(p.LoginInput("13800000002")); err != nil {
			t.Errorf("the right password from that address: %v", err)
		}
		_, err := p.Signin.Login(p.From("198.51.100.9"), p.LoginInput("nobody5"))
		portaltest.Refused(t, err, access.AccountNotFound)
		p.Clock.Advance(time.Hour - time.Millisecond)
		_, err = p.Login(p.LoginInput("nobody7"))
		portaltest.Refused(t, err, access.TooManyAttempts)
		p.Clock.Advance(time.Millisecond)
		_, err = p.Login(p.LoginInput("nobody7"))
		portaltest.Refused(t, err, access.AccountNotFound)
	})
}

func TestSigningInToOneOfTwoAccountsOfANameNeverBlocksTheOther(t *testing.T) {
	for _, known := range []bool{false, true} {
		t.Run(fmt.Sprintf("known browser %v", known), func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				guesstest.AddTwins(p, "", "")
				device := ""
				for day := range 30 {
					for _, password := range []string{"Shopper1", "Manager1"} {
						if day > 0 && day < 25 && password == "Manager1" {
							continue // on leave
						}
						in := guesstest.TwinLoginInput(p, password)
						if known {
							in.Device = device
						}
						result, err := p.Login(in)
						if err != nil {
							t.Fatalf("day %d, %s: %v", day, password, err)
						}
						device = result.Device
					}
					p.Clock.Advance(24 * time.Hour)
				}
			})
		})
	}
}

func TestSigningInKeepsTheFailuresOfAnotherAccountWithTheSameName(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		mgr, _ := guesstest.AddTwins(p, "", "")
		g := &guesstest.Guesser{Platform: p}
		for range 5 { // a guess at the manager's password, then a sign-in to the guesser's own shop account
			portaltest.Refused(t, g.Try(guesstest.TwinLoginInput(p, "Guessed1")), access.WrongPassword)
			portaltest.NoError(t, g.Try(guesstest.TwinLoginInput(p, "Shopper1")))
		}
		for range 3 {
			portaltest.Refused(t, g.Try(guesstest.TwinLoginInput(p, "Manager1")), access.TooManyAttempts)
			portaltest.NoError(t, g.Try(guesstest.TwinLoginInput(p, "Shopper1")))
		}
		if a, err := p.DB.Attempts.Of(t.Context(), fmt.Sprintf("account:%d", mgr.ID)); err != nil || a.Failures != 5 {
			t.Errorf("%d failures are left, %v", a.Failures, err)
		}
		p.Clock.Advance(2 * time.Second)
		portaltest.NoError(t, g.Try(guesstest.TwinLoginInput(p, "Manager1")))
	})
}

func TestTwoAccountsOfOnePersonWithTheSameNameCountOneAttempt(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		guesstest.AddTwins(p, "13800000011", "13800000011")
		g := &guesstest.Guesser{Platform: p}
		for left := signin.ProofFailures - 1; left >= signin.ProofFailures-4; left-- {
			if with := portaltest.Refused(
				t, g.Try(guesstest.TwinLoginInput(p, "Neither1")), access.WrongPassword,
			); with.Left != left {
				t.Errorf("%d tries are left, want %d", with.Left, left)
			}
		}
		// the fifth try, right on the second account
		portaltest.NoError(t, g.Try(guesstest.TwinLoginInput(p, "Shopper1")))
		g.TryWrong(4, "twin")
	})
}

func TestWithLimitsOffNothingIsCounted(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 40 {
			_, err := p.Login(p.WrongLoginInput("nophone"))
			portaltest.Refused(t, err, access.WrongPassword)
		}
		for i := range 15 {
			_, err := p.Login(p.LoginInput(fmt.Sprintf("nobody%d", i)))
			portaltest.Refused(t, err, access.AccountNotFound)
		}
		p.SignIn(portaltest.AccountHost, "nophone")
	}, func(o *portal.Options) { o.NoLimit = true })
}

func TestAnAnswerWorksForOneAttempt(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	g := &guesstest.Guesser{Platform: p}
	for g.Question == nil {
		g.TryWrong(1, "nophone")
		p.Clock.Advance(40 * time.Second)
	}
	p.Clock.Advance(time.Minute)
	in := p.WrongLoginInput("nophone")
	in.Question, in.Answer = g.Question.Token, strconv.Itoa(g.Question.A+g.Question.B)
	_, err := p.Login(in)
	portaltest.Refused(t, err, access.WrongPassword)
	p.Clock.Advance(3 * time.Minute)
	_, err = p.Login(in)
	portaltest.Refused(t, err, access.ValidationFailed)
}

func TestSigningInWithoutAPasswordAsksToSetOne(t *testing.T) {
	p := portaltest.NewPlatform(t, storetest.SQLite(t))
	_, err := p.DB.Persons.Add(t.Context(), store.Person{Phone: "13900000042"})
	portaltest.NoError(t, err)
	companytest.AddAccount(p, "without.password", 1001, store.Shop, "13900000042")
	_, err = p.Login(p.LoginInput("13900000042"))
	portaltest.Refused(t, err, access.PasswordNotSet)
	p.Restart(portaltest.Strict)
	_, err = p.Login(p.LoginInput("13900000042"))
	portaltest.Refused(t, err, access.WrongPassword)
}

// waitOfNextTry makes an attempt that must be refused because of too many failures, and returns how long it has to
// wait.
func waitOfNextTry(g *guesstest.Guesser, who string) time.Duration {
	g.T.Helper()
	question := g.Question
	with := portaltest.Refused(g.T, g.Try(g.WrongLoginInput(who)), access.TooManyAttempts)
	if (question != nil) != (with.Question != nil) {
		g.T.Fatal("the question was not asked again")
	}
	return with.Wait
}
