package portal_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// guesser tries passwords as a person with patience would: from an address of its own each time, answering
// what it is asked. It never is a known browser.
type guesser struct {
	*platform
	question *portal.Question
	tries    int
}

func (g *guesser) try(in portal.LoginInput) error {
	g.t.Helper()
	g.tries++
	if g.question != nil {
		in.Question, in.Answer = g.question.Token, strconv.Itoa(g.question.A+g.question.B)
	}
	_, err := g.Login(g.from(fmt.Sprintf("10.%d.%d.%d", g.tries>>16, g.tries>>8&255, g.tries&255)), in)
	with := new(portal.Refused)
	if g.question = nil; errors.As(err, &with) {
		g.question = with.Question
	}
	return err
}

// wrongs makes n wrong tries, each of which must be compared.
func (g *guesser) wrongs(n int, who string) {
	g.t.Helper()
	for range n {
		refused(g.t, g.try(g.wrong(who)), portal.WrongPassword)
	}
}

// wait is how long the next try has to wait.
func (g *guesser) wait(who string) time.Duration {
	g.t.Helper()
	question := g.question
	with := refused(g.t, g.try(g.wrong(who)), portal.TooManyAttempts)
	if (question != nil) != (with.Question != nil) {
		g.t.Fatal("the question was not asked again")
	}
	return with.Wait
}

// failures reads how many tries in a row were counted against the person of an account.
func (p *platform) failures(login string) int {
	p.t.Helper()
	m := p.account(login)
	key := fmt.Sprintf("account:%d", m.ID)
	if m.PhoneID != 0 {
		key = fmt.Sprintf("phone:%d", m.PhoneID)
	}
	a, err := p.db.AttemptsOf(p.t.Context(), key)
	noError(p.t, err)
	return a.Failures
}

func TestFailuresAreCountedTogetherThroughEveryDoorAndSpelling(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		left := portal.ProofFailures
		for _, who := range []string{"13800000003", "LI.Manager", " 138 0000 0003 ", "sur", "１３８０００００００３", "li.shop", " Li.Lights "} {
			p.clock.advance(portal.FailureWindow / 10)
			err := g.try(p.wrong(who))
			left--
			if with := refused(t, err, portal.WrongPassword); with.Left != left {
				t.Errorf("after %s %d tries are left, want %d", who, with.Left, left)
			}
		}
		if n := p.failures("sur"); n != 7 {
			t.Errorf("%d were counted", n)
		}
		for _, who := range []string{"13800000003", "li.manager", "sur", "li.shop", "li.lights"} {
			if with := refused(t, g.try(p.as(who)), portal.TooManyAttempts); with.Wait != 8*time.Second {
				t.Errorf("%s waits %v", who, with.Wait)
			}
		}
	})
}

func TestOfFiftyWrongPasswordsAtOnceOnlyTheFreeOnesAreAnswered(t *testing.T) {
	eachCondition(t, func(t *testing.T, p *platform) {
		phone, name := p.wrong("13800000001"), p.wrong("buyer1")
		var answered, turnedAway atomic.Int32
		var group sync.WaitGroup
		for i := range 50 {
			in := phone
			if i%2 == 0 {
				in = name
			}
			group.Go(func() {
				_, err := p.Login(p.from(fmt.Sprintf("%d.0.0.1", 20+i)), in)
				switch {
				case errors.Is(err, portal.WrongPassword):
					answered.Add(1)
				case errors.Is(err, portal.TooManyAttempts), errors.Is(err, portal.ValidationFailed): // it was too crowded
					turnedAway.Add(1)
				default:
					t.Errorf("try %d: %v", i, err)
				}
			})
		}
		group.Wait()
		if c, away := answered.Load(), turnedAway.Load(); c != portal.FreeFailures+1 || away != 50-c {
			t.Errorf("%d answered, %d turned away", c, away)
		}
		if n := p.failures("buyer1"); n != portal.FreeFailures+1 {
			t.Errorf("%d counted", n)
		}
		_, err := p.login(p.as("13800000001"))
		refused(t, err, portal.TooManyAttempts)
		p.clock.advance(2 * time.Second)
		p.signIn(accountHost, "13800000001")
	})
}

func TestFourFailuresCostNothing(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		for range 3 { // the right password in between takes them back
			g.wrongs(portal.FreeFailures, "nophone")
			p.signIn(accountHost, "nophone")
		}
		if n := p.failures("nophone"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

func TestTriesDuringAWaitAreNotCountedAndDoNotLengthenIt(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		g.wrongs(5, "nophone")
		for left := 2 * time.Second; left > 0; left -= 100 * time.Millisecond {
			if wait := g.wait("nophone"); wait != left {
				t.Fatalf("wait %v, want %v", wait, left)
			}
			p.clock.advance(100 * time.Millisecond)
		}
		if n := p.failures("nophone"); n != 5 {
			t.Errorf("%d are counted", n)
		}
		p.signIn(accountHost, "nophone")
	})
}

func TestTheWaitGrowsAndIsCapped(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		g.wrongs(4, "nophone")
		for _, want := range []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900} {
			g.wrongs(1, "nophone")
			if wait := g.wait("nophone"); wait != want*time.Second {
				t.Errorf("after %d failures the wait is %v, want %ds", p.failures("nophone"), wait, want)
			}
			p.clock.advance(want * time.Second)
		}
		g.question = nil
		if err := g.try(p.as("nophone")); errors.Is(err, portal.ValidationFailed) {
			err = g.try(p.as("nophone")) // the question answered
			noError(t, err)
		} else {
			noError(t, err)
		}
	})
}

func TestFromTheTenthFailureAQuestionIsAskedAsWell(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		for n := range portal.ProofFailures {
			if g.question != nil {
				t.Fatalf("a question after %d failures", n)
			}
			g.wrongs(1, "nophone")
			if n >= portal.FreeFailures {
				p.clock.advance(2 * time.Second << (n - portal.FreeFailures))
			}
		}
		if g.question == nil {
			t.Fatal("the tenth failure brings no question")
		}
		own := *g.question
		right := strconv.Itoa(own.A + own.B)
		other := &guesser{platform: p}
		for other.question == nil {
			other.wrongs(1, "buyer1")
			p.clock.advance(40 * time.Second)
		}
		for name, c := range map[string]struct {
			token, answer string
			want          portal.Problem
		}{
			"nothing":            {"", "", portal.AnswerRequired},
			"no answer":          {own.Token, "", portal.AnswerRequired},
			"a wrong one":        {own.Token, strconv.Itoa(own.A + own.B + 1), portal.AnswerWrong},
			"words":              {own.Token, "many", portal.AnswerWrong},
			"no token":           {"", right, portal.AnswerWrong},
			"a tampered token":   {own.Token[:len(own.Token)-2] + "AA", right, portal.AnswerWrong},
			"another's question": {other.question.Token, strconv.Itoa(other.question.A + other.question.B), portal.AnswerWrong},
		} {
			in := p.as("nophone") // the right password: it must not show
			in.Question, in.Answer = c.token, c.answer
			_, err := p.login(in)
			if with := refused(t, err, portal.ValidationFailed); with.Fields["answer"] != c.want || with.Question == nil {
				t.Errorf("%s: %+v", name, with)
			}
		}
		if n := p.failures("nophone"); n != portal.ProofFailures {
			t.Errorf("%d are counted: unanswered tries were", n)
		}
		in := p.as("nophone")
		in.Question, in.Answer = own.Token, " "+right+" "
		_, err := p.login(in)
		noError(t, err)
		p.signIn(accountHost, "nophone") // and the success took the question away
	})
}

func TestAQuestionIsGoodForTenMinutes(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		ask := func() portal.LoginInput {
			for g.question == nil {
				g.wrongs(1, "nophone")
				p.clock.advance(16 * time.Second)
				if n := p.failures("nophone"); n > 8 {
					p.clock.advance(50 * time.Second)
				}
			}
			in := p.as("nophone")
			in.Question, in.Answer = g.question.Token, strconv.Itoa(g.question.A+g.question.B)
			return in
		}
		in := ask()
		late := in
		asked := p.clock.now()
		p.clock.advance(portal.QuestionLife - 67*time.Second)
		if _, err := p.login(in); err != nil {
			t.Errorf("within %v: %v", p.clock.now().Sub(asked), err)
		}
		g.question = nil
		fresh := ask()
		if _, err := p.login(late); !errors.Is(err, portal.ValidationFailed) {
			t.Errorf("an old question's answer: %v", err)
		}
		_, err := p.login(fresh)
		noError(t, err)
	})
}

func TestAQuestionIsNoLongerAskedOnceTheWindowHasPassed(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		for g.question == nil {
			g.wrongs(1, "nophone")
			p.clock.advance(64 * time.Second)
		}
		p.clock.advance(portal.FailureWindow)
		p.signIn(accountHost, "nophone")
	})
}

func TestAHundredFailuresInARowTurnThePasswordOffForGood(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		known := p.signIn(accountHost, "13800000001").Device
		g := &guesser{platform: p}
		for n := range 100 {
			refused(t, g.try(p.wrong("13800000001")), portal.WrongPassword)
			if n < 100-1 {
				p.clock.advance(portal.LongestWait + time.Second)
			}
		}
		if with := refused(t, g.try(p.as("13800000001")), portal.TooManyAttempts); with.Wait > 24*time.Hour {
			t.Errorf("Retry-After would be %v", with.Wait)
		}
		for range 5 {
			p.clock.advance(portal.AttemptsKept + time.Hour)
			noError(t, p.Sweep(t.Context()))
			refused(t, g.try(p.as("buyer1")), portal.TooManyAttempts)
		}
		in := p.as("13800000001")
		in.Device = known
		if _, err := p.login(in); err != nil {
			t.Errorf("the known browser: %v", err)
		}
		refused(t, g.try(p.as("13800000001")), portal.TooManyAttempts)
	})
}

func TestTheVictimSignsInFromAKnownBrowserWhileAttackersBurnTheBudget(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		owner := p.as("13800000001")
		owner.Device = p.signIn(accountHost, "13800000001").Device
		stranger := p.as("13800000001")
		stranger.Device = p.signIn(accountHost, "13800000002").Device // known, but not to this person
		g := &guesser{platform: p}
		for range 50 {
			if err := g.try(p.wrong("13800000001")); err == nil {
				t.Fatal("signed in")
			}
		}
		for _, in := range []portal.LoginInput{p.as("13800000001"), p.as("buyer1"), stranger} {
			_, err := p.login(in)
			refused(t, err, portal.TooManyAttempts)
		}
		for range 3 {
			if _, err := p.login(owner); err != nil {
				t.Errorf("the owner: %v", err)
			}
		}
		byName := p.as("buyer1")
		byName.Device = owner.Device
		if _, err := p.login(byName); err != nil {
			t.Errorf("the owner by name: %v", err)
		}
		_, err := p.login(p.as("13800000001"))
		refused(t, err, portal.TooManyAttempts) // the owner's success lifted nothing for the others
	})
}

func TestAKnownBrowserHasABudgetOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.wrong("nophone")
		in.Device = p.signIn(accountHost, "nophone").Device
		for range 5 {
			_, err := p.login(in)
			refused(t, err, portal.WrongPassword)
		}
		_, err := p.login(in)
		refused(t, err, portal.TooManyAttempts)
		if n := p.failures("nophone"); n != 0 {
			t.Errorf("%d were counted against everybody", n)
		}
		p.signIn(accountHost, "nophone") // another browser
	})
}

func TestAKnownBrowserIsAskedNoQuestion(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.wrong("nophone")
		in.Device = p.signIn(accountHost, "nophone").Device
		for range portal.ProofFailures + 1 {
			_, err := p.login(in)
			if with := refused(t, err, portal.WrongPassword); with.Question != nil {
				t.Error("a question")
			}
			p.clock.advance(64 * time.Second)
		}
	})
}

func TestABrowserIsNoLongerKnownAfterHalfAYear(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		in := p.as("nophone")
		in.Device = p.signIn(accountHost, "nophone").Device
		p.clock.advance(portal.DeviceKnownFor)
		noError(t, p.Sweep(t.Context()))
		g := &guesser{platform: p}
		g.wrongs(5, "nophone")
		_, err := p.login(in)
		refused(t, err, portal.TooManyAttempts)
	})
}

// spray makes tries with one wrong password each from an address, four a person, over people whose own budget
// they leave alone, and says how many were compared.
func (p *platform) spray(address string, tries int) (compared int) {
	p.t.Helper()
	people := []string{"13800000001", "13800000002", "13800000003", "13800000004", "13800000005", "13800000006", "13800000007", "13800000008", "13800000009", "13800000010"}
	for i := range tries {
		_, err := p.Login(p.from(address), p.wrong(people[i%len(people)]))
		if errors.Is(err, portal.WrongPassword) {
			compared++
		} else if with := refused(p.t, err, portal.TooManyAttempts); with.Wait > portal.FailureWindow {
			p.t.Fatalf("try %d waits %v", i, with.Wait)
		}
	}
	return compared
}

func TestAnAddressHasThirtyFailuresInFifteenMinutes(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		known := p.as("13800000012")
		known.Device = p.signIn(accountHost, "13800000012").Device
		const shared = "198.51.100.7"
		if n := p.spray(shared, 36); n != portal.AddressFailures {
			t.Errorf("%d were compared", n)
		}
		_, err := p.Login(p.from(shared), p.as("nophone"))
		refused(t, err, portal.TooManyAttempts)
		_, err = p.Login(p.from("::ffff:"+shared), p.as("nophone"))
		refused(t, err, portal.TooManyAttempts)
		if _, err := p.Login(p.from(shared), known); err != nil {
			t.Errorf("a known browser behind it: %v", err)
		}
		if _, err := p.Login(p.from("198.51.100.8"), p.as("nophone")); err != nil {
			t.Errorf("another address: %v", err)
		}
		p.clock.advance(portal.FailureWindow - time.Millisecond)
		_, err = p.Login(p.from(shared), p.as("nophone"))
		refused(t, err, portal.TooManyAttempts)
		p.clock.advance(2 * time.Millisecond)
		if _, err := p.Login(p.from(shared), p.as("nophone")); err != nil {
			t.Errorf("after the window: %v", err)
		}
	})
}

func TestAnIPv6NetworkIsOneAddress(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for i := range portal.AddressFailures {
			if n := p.spray(fmt.Sprintf("2001:db8:0:7:%x::%x", i, i+1), 1); n != 1 {
				t.Fatalf("try %d was not compared", i)
			}
			p.db.ClearSubject(t.Context(), fmt.Sprintf("phone:%d", p.account("buyer1").PhoneID))
		}
		for _, address := range []string{"2001:db8:0:7:ffff::1", "2001:0DB8:0:7::", "2001:db8:0:7::1%eth0"} {
			_, err := p.Login(p.from(address), p.as("nophone"))
			refused(t, err, portal.TooManyAttempts)
		}
		if _, err := p.Login(p.from("2001:db8:0:8::1"), p.as("nophone")); err != nil {
			t.Errorf("the next network: %v", err)
		}
	})
}

func TestASignInTakesFailuresBackOffItsAddressOnceAWindow(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		const shared = "198.51.100.7"
		p.spray(shared, 20)
		for range 10 { // one account of the guesser's own, again and again
			if _, err := p.Login(p.from(shared), p.as("nophone")); err != nil {
				t.Fatal(err)
			}
		}
		if n := p.spray(shared, 20); n != portal.AddressFailures-20+portal.AddressCredit {
			t.Errorf("%d more were compared, want %d", n, portal.AddressFailures-20+portal.AddressCredit)
		}
	})
}

func TestManyPeopleOfOneAddressSignInWhileSomeMistype(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		const shared = "198.51.100.7"
		for i := range 40 {
			who := fmt.Sprintf("colleague%d", i)
			p.addAccount(who, 1001, store.Shop, "")
			if i%2 == 0 {
				if i/2 < portal.LookupLimit {
					_, err := p.Login(p.from(shared), p.wrong(who))
					refused(t, err, portal.WrongPassword)
				}
			}
			if _, err := p.Login(p.from(shared), p.as(who)); err != nil {
				t.Fatalf("%s: %v", who, err)
			}
		}
	})
}

func TestLimitsSurviveARestart(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		g := &guesser{platform: p}
		for range 4 {
			g.wrongs(1, "nophone")
			p.restart()
		}
		g.wrongs(1, "nophone")
		p.restart()
		refused(t, g.try(p.as("nophone")), portal.TooManyAttempts)
		p.clock.advance(2 * time.Second)
		for g.question == nil {
			g.wrongs(1, "nophone")
			p.clock.advance(64 * time.Second)
			p.restart()
		}
		g.question = nil
		refused(t, g.try(p.as("nophone")), portal.ValidationFailed)
		p.spray("198.51.100.7", 15)
		p.restart()
		if n := p.spray("198.51.100.7", 20); n != 15 {
			t.Errorf("the address had %d more", n)
		}
	})
}

func TestAnAddressAsksAboutTenPhonesAndLoginsAnHour(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		asked := []portal.LoginInput{
			p.as("nobody1"), p.as("13999999991"), p.wrong("nophone"), p.wrong("13800000001"), p.as("nobody2"), p.as("13999999992"), p.as("nobody3"), p.as("13999999993"), p.as("nobody4"), p.as("13999999994"),
		}
		for _, in := range asked {
			_, err := p.login(in)
			if errors.Is(err, portal.TooManyAttempts) {
				t.Fatalf("%s%s: %v", in.Phone, in.Login, err)
			}
		}
		for _, again := range []portal.LoginInput{p.as(" NOBODY1"), p.as("１３９９９９９９９９１"), p.wrong("NoPhone")} {
			if _, err := p.login(again); errors.Is(err, portal.TooManyAttempts) {
				t.Errorf("a spelling of one asked about before: %v", err)
			}
		}
		if n := p.events(0, "probe"); n != 0 {
			t.Errorf("%d events too early", n)
		}
		for _, in := range []portal.LoginInput{p.as("nobody5"), p.as("13999999995"), p.wrong("northwind"), p.as("nobody5"), p.as("nobody6")} {
			_, err := p.login(in)
			if with := refused(t, err, portal.TooManyAttempts); with.Wait <= 0 || with.Wait > portal.LookupWindow || with.Contacts != nil {
				t.Errorf("%s%s: %+v", in.Phone, in.Login, with)
			}
		}
		if n := p.events(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		if _, err := p.login(p.as("13800000002")); err != nil {
			t.Errorf("the right password from that address: %v", err)
		}
		_, err := p.Login(p.from("198.51.100.9"), p.as("nobody5"))
		refused(t, err, portal.AccountNotFound)
		p.clock.advance(portal.LookupWindow)
		_, err = p.login(p.as("nobody7"))
		refused(t, err, portal.AccountNotFound)
	})
}

func TestSigningInToOneOfTwoAccountsOfANameNeverBlocksTheOther(t *testing.T) {
	for _, known := range []bool{false, true} {
		t.Run(fmt.Sprintf("known browser %v", known), func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				p.twins("", "")
				device := ""
				for day := range 30 {
					for _, password := range []string{"Shopper1", "Manager1"} {
						if day > 0 && day < 25 && password == "Manager1" {
							continue // on leave
						}
						in := p.asTwin(password)
						if known {
							in.Device = device
						}
						result, err := p.login(in)
						if err != nil {
							t.Fatalf("day %d, %s: %v", day, password, err)
						}
						device = result.Device
					}
					p.clock.advance(24 * time.Hour)
				}
			})
		})
	}
}

func TestSigningInToOnesOwnAccountWipesNoFailuresOfItsNamesake(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		mgr, _ := p.twins("", "")
		g := &guesser{platform: p}
		for range 5 { // a guess at the manager's password, then a sign-in to the guesser's own shop account
			refused(t, g.try(p.asTwin("Guessed1")), portal.WrongPassword)
			noError(t, g.try(p.asTwin("Shopper1")))
		}
		for range 3 {
			refused(t, g.try(p.asTwin("Manager1")), portal.TooManyAttempts)
			noError(t, g.try(p.asTwin("Shopper1")))
		}
		if a, err := p.db.AttemptsOf(t.Context(), fmt.Sprintf("account:%d", mgr.ID)); err != nil || a.Failures != 5 {
			t.Errorf("%d failures are left, %v", a.Failures, err)
		}
		p.clock.advance(2 * time.Second)
		noError(t, g.try(p.asTwin("Manager1")))
	})
}

func TestTwoAccountsOfOneNameAndPersonAreOneTry(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.twins("13800000011", "13800000011")
		g := &guesser{platform: p}
		for left := portal.ProofFailures - 1; left >= portal.ProofFailures-4; left-- {
			if with := refused(t, g.try(p.asTwin("Neither1")), portal.WrongPassword); with.Left != left {
				t.Errorf("%d tries are left, want %d", with.Left, left)
			}
		}
		noError(t, g.try(p.asTwin("Shopper1"))) // the fifth try, right on the second account
		g.wrongs(4, "twin")
	})
}

func TestWithLimitsOffNothingIsCounted(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 40 {
			_, err := p.login(p.wrong("nophone"))
			refused(t, err, portal.WrongPassword)
		}
		for i := range 15 {
			_, err := p.login(p.as(fmt.Sprintf("nobody%d", i)))
			refused(t, err, portal.AccountNotFound)
		}
		p.signIn(accountHost, "nophone")
	}, func(o *portal.Options) { o.NoLimit = true })
}

func TestAnAnswerServesOneTry(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	g := &guesser{platform: p}
	for g.question == nil {
		g.wrongs(1, "nophone")
		p.clock.advance(40 * time.Second)
	}
	p.clock.advance(time.Minute)
	in := p.wrong("nophone")
	in.Question, in.Answer = g.question.Token, strconv.Itoa(g.question.A+g.question.B)
	_, err := p.login(in)
	refused(t, err, portal.WrongPassword)
	p.clock.advance(3 * time.Minute)
	_, err = p.login(in)
	refused(t, err, portal.ValidationFailed)
}

func TestAPhoneWithoutAPasswordIsToldToSetOne(t *testing.T) {
	p := newPlatform(t, storetest.SQLite(t))
	_, err := p.db.AddPhone(t.Context(), store.Phone{Phone: "13900000042"})
	noError(t, err)
	p.addAccount("without.password", 1001, store.Shop, "13900000042")
	_, err = p.login(p.as("13900000042"))
	refused(t, err, portal.PasswordNotSet)
	p.restart(strict)
	_, err = p.login(p.as("13900000042"))
	refused(t, err, portal.WrongPassword)
}
