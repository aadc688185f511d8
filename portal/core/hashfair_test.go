package core_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/pool"
	"portico/store/storetest"
)

// oneByOne runs a test on a new platform, alone. A caller who waits for a core is refused after HashWait, and beside
// other tests that can happen to the callers of this one.
func oneByOne(t *testing.T, test func(t *testing.T, p *portaltest.Platform)) {
	t.Helper()
	storetest.EachRule(t, func(t *testing.T, db *store.DB) { test(t, portaltest.NewPlatform(t, db)) })
}

func TestAnAddressOverItsBudgetCausesNoHash(t *testing.T) {
	for name, change := range map[string]func(*portal.Options){
		"strict": portaltest.Strict, "spec": func(*portal.Options) {},
	} {
		t.Run(name, func(t *testing.T) {
			portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
				for i := range 30 {
					_, err := p.Login(p.WrongLoginInput(fmt.Sprintf("139%08d", i)))
					if err == nil {
						t.Fatal("signed in")
					}
				}
				before := p.Passwords.Hashes()
				var all sync.WaitGroup
				for i := range pool.Narrow { // more are refused before anything is read
					all.Go(func() {
						_, err := p.Login(p.WrongLoginInput(fmt.Sprintf("138%08d", i)))
						refused := new(access.Refused)
						if !errors.As(err, &refused) || refused.Refusal != access.TooManyAttempts ||
							refused.WaitSeconds() == 0 {
							t.Errorf("%v", err)
						}
					})
				}
				all.Wait()
				if n := p.Passwords.Hashes() - before; n != 0 {
					t.Errorf("%d hashes", n)
				}
				if _, err := p.Signin.Login(p.From("198.51.100.7"), p.LoginInput("13800000001")); err != nil {
					t.Errorf("from another address: %v", err)
				}
			}, change)
		})
	}
}

func TestInStrictPrivacyALockedAccountCausesNoHash(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		for range 5 {
			_, err := p.Login(p.WrongLoginInput("nophone"))
			portaltest.Refused(t, err, access.WrongPassword)
		}
		before := p.Passwords.Hashes()
		for range 20 {
			_, err := p.Login(p.WrongLoginInput("nophone"))
			portaltest.Refused(t, err, access.WrongPassword)
		}
		if n := p.Passwords.Hashes() - before; n != 0 {
			t.Errorf("%d hashes", n)
		}
	}, portaltest.Strict)
}

func TestInACrowdUnknownBrowsersNeedAProofOfWork(t *testing.T) {
	oneByOne(t, func(t *testing.T, p *portaltest.Platform) {
		known := p.SignIn(portaltest.AccountHost, "13800000001").Device
		attempts := guesstest.CountFailures(p, "buyer1")
		leave := p.Passwords.CrowdHashQueue(32)
		in := p.LoginInput("13800000001")
		_, err := p.Login(in)
		asked := portaltest.Refused(t, err, access.ValidationFailed)
		if asked.Fields["answer"] != access.AnswerRequired || asked.Question == nil || asked.Work == nil ||
			asked.Work.Bits != 17 {
			t.Fatalf("%+v", asked)
		}
		if n := guesstest.CountFailures(p, "buyer1"); n != attempts {
			t.Errorf("%d tries are counted", n)
		}
		worked, owner := in, in
		worked.Proof = asked.Work.Token
		right, wrong := portaltest.SolveWork(asked.Work)
		worked.Work = right
		owner.Device = known
		// another person: each try that is counted voids the questions of its subject
		answered := p.LoginInput("13800000002")
		_, err = p.Login(answered)
		asked = portaltest.Refused(t, err, access.ValidationFailed)
		answered.Question, answered.Answer = asked.Question.Token, strconv.Itoa(asked.Question.A+asked.Question.B)
		for name, c := range map[string]struct {
			in   signin.LoginInput
			from string
		}{
			"another phone": {
				func() signin.LoginInput { o := worked; o.Phone = "13800000002"; return o }(), portaltest.HomeAddress,
			},
			"another address": {worked, "198.51.100.99"},
			"another number": {
				func() signin.LoginInput { o := worked; o.Work = wrong; return o }(), portaltest.HomeAddress,
			},
			"a wrong answer": {
				func() signin.LoginInput { o := answered; o.Answer += "1"; return o }(), portaltest.HomeAddress,
			},
		} {
			if _, err := p.Signin.Login(p.From(c.from), c.in); !errors.Is(err, access.ValidationFailed) {
				t.Errorf("with %s: %v", name, err)
			}
		}
		var all sync.WaitGroup
		for name, in := range map[string]signin.LoginInput{"worked": worked, "answered": answered, "known": owner} {
			all.Go(func() {
				if _, err := p.Login(in); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		for deadline := time.Now().Add(time.Second); p.Passwords.WaitForHash() < 3 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		leave()
		all.Wait()
		defer p.Passwords.CrowdHashQueue(32)()
		for name, in := range map[string]signin.LoginInput{"worked": worked, "answered": answered} {
			if _, err := p.Login(in); !errors.Is(err, access.ValidationFailed) {
				t.Errorf("%s again: %v", name, err)
			}
		}
	})
}

// A flood of strangers from one wide network fills its lane. A stranger who works for it is not behind them.
func TestWhoHasWorkedIsNotBehindAFloodThatHasNot(t *testing.T) {
	oneByOne(t, func(t *testing.T, p *portaltest.Platform) {
		leave := p.Passwords.CrowdHashQueue(64)
		byWork, byAnswer := p.LoginInput("13800000001"), p.LoginInput("13800000002")
		_, err := p.Login(byWork) // no place is free, yet the work is set
		asked := portaltest.Refused(t, err, access.ValidationFailed)
		byWork.Proof = asked.Work.Token
		byWork.Work, _ = portaltest.SolveWork(asked.Work)
		_, err = p.Login(byAnswer)
		asked = portaltest.Refused(t, err, access.ValidationFailed)
		byAnswer.Question, byAnswer.Answer = asked.Question.Token, strconv.Itoa(asked.Question.A+asked.Question.B)
		var all sync.WaitGroup
		for name, in := range map[string]signin.LoginInput{"worked": byWork, "answered": byAnswer} {
			all.Go(func() {
				if _, err := p.Login(in); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		for deadline := time.Now().Add(time.Minute); p.Passwords.WaitForHash() < 2 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		p.Passwords.FreeACore() // the flood goes on
		all.Wait()
		leave()
	})
}

func TestAProofOfWorkExpiresAfterTenMinutes(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		leave := p.Passwords.CrowdHashQueue(32)
		set := func() signin.LoginInput {
			in := p.LoginInput("13800000001")
			_, err := p.Login(in)
			with := portaltest.Refused(t, err, access.ValidationFailed)
			in.Proof = with.Work.Token
			in.Work, _ = portaltest.SolveWork(with.Work)
			return in
		}
		late, inTime := set(), set()
		p.Clock.Advance(10*time.Minute + time.Second)
		_, err := p.Login(late)
		portaltest.Refused(t, err, access.ValidationFailed)
		p.Clock.Advance(-2 * time.Second)
		leave()
		defer p.Passwords.CrowdHashQueue(32)()
		if _, err := p.Login(inTime); errors.Is(err, access.ValidationFailed) {
			t.Errorf("after less than ten minutes: %v", err)
		}
	})
}

func TestAnAttemptWithoutAPlaceForAHashIsNotCounted(t *testing.T) {
	oneByOne(t, func(t *testing.T, p *portaltest.Platform) {
		defer p.Passwords.CrowdHashQueue(64)()
		began := time.Now()
		for range 10 {
			_, err := p.Login(p.WrongLoginInput("buyer1"))
			portaltest.Refused(t, err, access.ValidationFailed)
		}
		if took := time.Since(began) / 10; took > core.HashWait/2 { // it does not wait for a core
			t.Errorf("a refusal takes %v", took)
		}
		if n := guesstest.CountFailures(p, "buyer1"); n != 0 {
			t.Errorf("%d tries are counted", n)
		}
		address, err := p.DB.Attempts.Of(t.Context(), "address:203.0.113.10/32")
		portaltest.NoError(t, err)
		if address.WindowFailures != 0 {
			t.Errorf("%d tries are counted for the address", address.WindowFailures)
		}
	})
}
