package signin_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// LoginResults counts the results of many concurrent sign-ins.
type LoginResults struct {
	Mu                       sync.Mutex
	SignedIn, Wrong, Refused int
}

// Try signs in from an address and counts the result. As a person does, it tries again while the hash queue or the
// database is full, and answers the question that is asked in a crowd. It fails the test for any other error than a
// wrong password or a limit.
func (a *LoginResults) Try(t *testing.T, p *portal.Portal, address string, in signin.LoginInput) {
	err := error(access.NotAvailable)
	for errors.Is(err, access.NotAvailable) || core.Unavailable(err) {
		ctx := access.WithCaller(t.Context(), access.Caller{RequestID: "r-1", Address: address, Agent: "test"})
		if _, err = p.Signin.Login(ctx, in); err != nil {
			time.Sleep(time.Millisecond)
		}
		if asked, ok := errors.AsType[*access.Refused](err); ok && asked.Work != nil && asked.Question != nil {
			in.Question, in.Answer = asked.Question.Token, strconv.Itoa(asked.Question.A+asked.Question.B)
			err = access.NotAvailable
		}
	}
	a.Mu.Lock()
	defer a.Mu.Unlock()
	switch {
	case err == nil:
		a.SignedIn++
	case errors.Is(err, access.WrongPassword):
		a.Wrong++
	// the hash queue needs a proof of work
	case errors.Is(err, access.TooManyAttempts), errors.Is(err, access.ValidationFailed):
		a.Refused++
	default:
		t.Errorf("%v", err)
	}
}

func TestThreeHundredConcurrentSignInsFromOneAddressAllSucceed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		people := []string{"13800000001", "13800000002", "13800000003", "13800000012", "nophone", "northwind"}
		var results LoginResults
		var group sync.WaitGroup
		for i := range 300 {
			group.Go(func() { results.Try(t, p.Portal, "198.51.100.7", p.LoginInput(people[i%len(people)])) })
		}
		group.Wait()
		if results.SignedIn != 300 {
			t.Errorf("%d signed in, %d were refused", results.SignedIn, results.Refused)
		}
		if n := guesstest.Spray(p, "198.51.100.7", 35); n != 30 {
			t.Errorf("after that %d wrong passwords were compared", n)
		}
	})
}

func TestASignInSubtractsThreeFailuresFromItsAddress(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const shared = "198.51.100.7"
		guesstest.Spray(p, shared, 20)
		_, err := p.Signin.Login(p.From(shared), p.LoginInput("nophone"))
		portaltest.NoError(t, err)
		if n := guesstest.Spray(p, shared, 20); n != 13 { // of 30, 17 are counted
			t.Errorf("%d more wrong passwords were compared", n)
		}
	})
}

func TestTheTenthWrongPasswordBringsAQuestion(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		g := &guesstest.Guesser{Platform: p}
		for left := 9; left >= 0; left-- {
			if g.Question != nil {
				t.Fatalf("a question with %d tries left", left+1)
			}
			err := g.Try(p.WrongLoginInput("nophone"))
			if with := portaltest.Refused(t, err, access.WrongPassword); with.Left != left {
				t.Errorf("%d tries are left, want %d", with.Left, left)
			}
			p.Clock.Advance(64 * time.Second)
		}
		if g.Question == nil {
			t.Error("no question after the tenth failure")
		}
	})
}

// Two accounts of one name may belong to one person, whose failures are counted together. What is refused for the first
// is not tried with the second.
func TestAnUnansweredQuestionIsNotPassedByASecondAccountOfTheName(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		twin, _ := guesstest.AddTwins(p, "13800000011", "13800000011")
		g := &guesstest.Guesser{Platform: p}
		for range 10 {
			portaltest.Refused(t, g.Try(guesstest.TwinLoginInput(p, "Neither1")), access.WrongPassword)
			p.Clock.Advance(64 * time.Second)
		}
		for _, password := range []string{"Manager1", "Shopper1", "Neither1"} {
			_, err := p.Signin.Login(p.From("198.51.100.77"), guesstest.TwinLoginInput(p, password))
			if with := portaltest.Refused(t, err, access.ValidationFailed); with.Fields["answer"] == "" {
				t.Errorf("%s: %+v", password, with)
			}
		}
		counted, err := p.DB.Attempts.Of(t.Context(), fmt.Sprintf("phone:%d", twin.PersonID))
		portaltest.NoError(t, err)
		if counted.Failures != 10 {
			t.Errorf("%d failures: passwords are compared without an answer", counted.Failures)
		}
	})
}

func TestAHundredWrongPasswordsInARowCloseThePasswordForGood(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.UpdateCompany(1001, func(c *store.Company) { c.EndsAt = 0 }) // the test lasts a hundred years
		g := &guesstest.Guesser{Platform: p}
		waits := func(failures int, want time.Duration) {
			t.Helper()
			err := g.Try(p.LoginInput("nophone"))
			if with := portaltest.Refused(t, err, access.TooManyAttempts); with.Wait != want {
				t.Errorf("after %d failures the wait is %v, want %v", failures, with.Wait, want)
			}
		}
		g.TryWrong(5, "nophone") // the first four cause no wait
		waits(5, 2*time.Second)
		storetest.Exec(t, p.DB, "UPDATE attempts SET failures = 98 WHERE failures = 5")
		p.Clock.Advance(2 * time.Second)
		g.TryWrong(1, "nophone")
		waits(99, 15*time.Minute)
		p.Clock.Advance(15 * time.Minute)
		g.TryWrong(1, "nophone")
		waits(100, 24*time.Hour) // no answer names a longer wait
		p.Clock.Advance(100*365*24*time.Hour - time.Second)
		waits(100, time.Second)
		p.Clock.Advance(time.Second)
		p.SignIn(portaltest.AccountHost, "nophone")
	})
}

// Reading about an account costs the database. A caller whose network fills the queue gets there only with work that
// can be valid. The context has ended, so that every read fails with another error.
func TestAMadeUpProofOfWorkDoesNotGetPastAFullNetwork(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		home := p.From(portaltest.HomeAddress)
		worked := func(ctx context.Context) signin.LoginInput {
			work, err := p.Limits.SetCrowdWork(ctx, "someone")
			portaltest.NoError(t, err)
			in := p.LoginInput("13800000001")
			in.Proof = work.Token
			in.Work, _ = portaltest.SolveWork(work)
			return in
		}
		answered := func() signin.LoginInput {
			q, err := p.Limits.Ask("someone", 0)
			portaltest.NoError(t, err)
			in := p.LoginInput("13800000001")
			in.Question, in.Answer = q.Token, strconv.Itoa(q.A+q.B)
			return in
		}
		expired, late := worked(home), answered()
		p.Clock.Advance(core.QuestionLife)
		madeUp, easy, wrong, guessed := worked(home), worked(home), answered(), p.LoginInput("13800000001")
		madeUp.Proof = strings.Repeat("A", len(madeUp.Proof))
		easy.Work = "0" + easy.Work
		wrong.Answer += "0"
		guessed.Answer = "42"
		used, usedAnswer := worked(home), answered()
		p.Limits.UseCrowdProof(used.Proof)
		p.Limits.UseCrowdProof(usedAnswer.Question)
		for range 4 * core.HashWaitingNarrow { // a core is free
			place, err := p.Passwords.Hasher.Queue.Reserve(home, core.LaneStrangers)
			portaltest.NoError(t, err)
			defer place.Leave()
		}
		ended, end := context.WithCancel(home)
		end()
		for name, c := range map[string]struct {
			in      signin.LoginInput
			refused bool
		}{
			"a proof": {worked(home), false}, "an answer": {answered(), false},
			"nothing": {p.LoginInput("13800000001"), true}, "a made-up proof": {madeUp, true},
			"a wrong number": {easy, true}, "a wrong answer": {wrong, true}, "no question": {guessed, true},
			"another's proof": {worked(p.From("198.51.100.9")), true}, "an expired proof": {expired, true},
			"an expired question": {late, true}, "a used proof": {used, true}, "a used question": {usedAnswer, true},
		} {
			_, err := p.Signin.Login(ended, c.in)
			if refused := errors.Is(err, access.NotAvailable); err == nil || refused != c.refused {
				t.Errorf("with %s: %v", name, err)
			}
		}
	})
}

func TestASignInWithoutFailuresStoresNoCounter(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.SignIn(portaltest.AccountHost, "13800000001")
		p.SignIn(portaltest.AccountHost, "nophone")
		address := "address:" + portaltest.HomeAddress + "/32"
		phone := "phone:" + access.Decimal(p.Account("buyer1").PersonID)
		account := "account:" + access.Decimal(p.Account("nophone").ID)
		credit := "credit:" + address + ":"
		keys := []string{address, phone, account, credit + phone, credit + account}
		if counters, err := p.DB.Attempts.OfAll(t.Context(), keys); err != nil || len(counters) != 0 {
			t.Errorf("%+v, %v", counters, err)
		}
		guesstest.Spray(p, portaltest.HomeAddress, 1) // a failure at the address: the keys above are the right ones
		p.SignIn(portaltest.AccountHost, "13800000001")
		p.SignIn(portaltest.AccountHost, "nophone")
		// The counter of the address, and the credit of the first sign-in.
		if counters, err := p.DB.Attempts.OfAll(t.Context(), keys); err != nil || len(counters) != 2 {
			t.Errorf("%+v, %v", counters, err)
		}
	})
}

func TestTwoInstancesCompareOnlyTheFreeWrongPasswordsTogether(t *testing.T) {
	first := portaltest.NewPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.Options)
	portaltest.NoError(t, err)
	var results LoginResults
	var group sync.WaitGroup
	for i := range 40 {
		p := []*portal.Portal{first.Portal, second}[i%2]
		group.Go(func() { results.Try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), first.WrongLoginInput("13800000001")) })
	}
	group.Wait()
	if results.Wrong != 5 || results.Refused != 35 {
		t.Errorf("%d were compared, %d refused", results.Wrong, results.Refused)
	}
	if n := guesstest.CountFailures(first, "buyer1"); n != 5 {
		t.Errorf("%d failures are counted", n)
	}
}

func TestRightAndWrongPasswordsAtTwoInstancesAreCountedConsistently(t *testing.T) {
	first := portaltest.NewPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.Options)
	portaltest.NoError(t, err)
	try := func() *LoginResults {
		results := new(LoginResults)
		var group sync.WaitGroup
		for i := range 80 {
			in := first.LoginInput("13800000001")
			if i%2 == 0 {
				in = first.WrongLoginInput("13800000001")
			}
			p := []*portal.Portal{first.Portal, second}[i/2%2]
			group.Go(func() { results.Try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), in) })
		}
		group.Wait()
		return results
	}
	results := try()
	if sessions := first.CountEvents(0, "sign_in"); sessions != results.SignedIn {
		t.Errorf("%d sessions, %d answers", sessions, results.SignedIn)
	}
	if results.Wrong > 5*(results.SignedIn+1) { // each sign-in takes back what was counted before
		t.Errorf("%d wrong passwords were compared beside %d right ones", results.Wrong, results.SignedIn)
	}
	for range 5 {
		_, _ = first.Login(first.WrongLoginInput("13800000001"))
	}
	if results := try(); results.SignedIn != 0 || results.Wrong != 0 || results.Refused != 80 {
		t.Errorf("while the person has to wait: %+v", results)
	}
}

func TestARightPasswordIsRefusedWhenTheLimitIsReachedMeanwhile(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		attackers := &guesstest.Guesser{Platform: p}
		before := p.CountEvents(0, "sign_in")
		_, err := p.Signin.LoginWithHook(p.From(portaltest.HomeAddress), p.LoginInput("13800000001"),
			func() { attackers.TryWrong(5, "13800000001") })
		with := portaltest.Refused(t, err, access.TooManyAttempts)
		if with.Wait != 2*time.Second || guesstest.CountFailures(p, "buyer1") != 5 ||
			p.CountEvents(0, "sign_in") != before {
			t.Errorf("%+v, %d failures", with, guesstest.CountFailures(p, "buyer1"))
		}
		p.Clock.Advance(2 * time.Second)
		p.SignIn(portaltest.AccountHost, "13800000001")

		err = p.Signin.ProvePasswordWithHook(p.From(portaltest.HomeAddress), "13800000001", onboarding.DemoPassword,
			func() {
				attackers.TryWrong(5, "13800000001")
			})
		portaltest.Refused(t, err, access.TooManyAttempts)

		_, err = p.Signin.LoginWithHook(
			p.From("198.51.100.7"), p.LoginInput("nophone"), func() { guesstest.Spray(p, "198.51.100.7", 35) },
		)
		if with := portaltest.Refused(t, err, access.TooManyAttempts); !with.OfAddress {
			t.Errorf("%+v", with)
		}
	})
}

func TestALimitReachedMeanwhileDoesNotRevealWhetherThePasswordIsRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const phone = "13800000001"
		g := &guesstest.Guesser{Platform: p}
		for range 9 { // the tenth failure brings a question
			g.TryWrong(1, phone)
			p.Clock.Advance(40 * time.Second)
		}
		// Four passwords are compared. Only then does another attempt fail, which reaches the limit.
		var signIns, operations [2]error
		login := func(password string, meanwhile func()) error {
			in := p.LoginInput(phone)
			in.Password = password
			return p.Signin.LoginByPhoneWithHook(p.From("198.51.100.7"), in, meanwhile)
		}
		operate := func(password string, meanwhile func()) error {
			return p.Signin.ProvePasswordWithHook(p.From("198.51.100.8"), phone, password, meanwhile)
		}
		signIns[0] = login("Wrong2026", func() {
			signIns[1] = login(onboarding.DemoPassword, func() {
				operations[0] = operate("Wrong2026", func() {
					operations[1] = operate(onboarding.DemoPassword, func() { g.TryWrong(1, phone) })
				})
			})
		})
		for i, password := range []string{"wrong password", "right password"} {
			for _, err := range []error{signIns[i], operations[i]} {
				with := portaltest.Refused(t, err, access.TooManyAttempts)
				if with.Question == nil || with.Wait != 64*time.Second {
					t.Errorf("%s: %+v", password, with)
				}
			}
		}
	})
}

func TestASignInFailsWhenThePasswordIsReplacedMeanwhile(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for _, who := range []string{"13800000001", "nophone"} {
			signed := p.SignIn(portaltest.AccountHost, who)
			_, err := p.Signin.LoginWithHook(p.From(portaltest.HomeAddress), p.LoginInput(who), func() {
				_, err := p.Credentials.ChangePassword(p.From(portaltest.HomeAddress), credentials.ChangePasswordInput{
					Session: signed.Session, Old: onboarding.DemoPassword, Password: portaltest.NewPassword,
					Confirm: portaltest.NewPassword,
				})
				portaltest.NoError(t, err)
			})
			portaltest.Refused(t, err, access.WrongPassword)
			s := signed.Session
			sessions, err := p.DB.Sessions.OfHolder(t.Context(), s.PersonID, s.AccountID, store.At(p.Clock.Now()))
			if err != nil || len(sessions) != 1 {
				t.Errorf("%s: %d sessions, %v", who, len(sessions), err)
			}
		}
	})
}

func TestInStrictPrivacyALimitReachedMeanwhileLooksLikeAWrongPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		_, err := p.Signin.LoginWithHook(p.From(portaltest.HomeAddress), p.LoginInput("nophone"), func() {
			for i := range 5 {
				_, err := p.Signin.Login(p.From(fmt.Sprintf("10.0.0.%d", i)), p.WrongLoginInput("nophone"))
				portaltest.Refused(t, err, access.WrongPassword)
			}
		})
		portaltest.Refused(t, err, access.WrongPassword)
		id, now := p.Account("nophone").ID, store.At(p.Clock.Now())
		if s, err := p.DB.Sessions.OfHolder(t.Context(), 0, id, now); err != nil || len(s) != 0 {
			t.Errorf("%v, %v", s, err)
		}
	}, portaltest.Strict)
}

func TestAWrongPasswordIsCountedAlsoWhenTheCallerDisconnects(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, disconnect := context.WithCancel(p.From(portaltest.HomeAddress))
		err := p.Signin.ProvePasswordWithHook(ctx, "13800000001", "Wrong2026", disconnect)
		portaltest.Refused(t, err, access.WrongPassword)
		if n := guesstest.CountFailures(p, "buyer1"); n != 1 {
			t.Errorf("%d failures are counted", n)
		}
	})
}
