package portal_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

func TestAnAddressOverItsBudgetCausesNoHash(t *testing.T) {
	for name, change := range map[string]func(*portal.Options){"strict": strict, "spec": func(*portal.Options) {}} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p *platform) {
				for i := range 30 {
					_, err := p.login(p.wrong(fmt.Sprintf("139%08d", i)))
					if err == nil {
						t.Fatal("signed in")
					}
				}
				before := p.Hashes()
				var all sync.WaitGroup
				for i := range store.OperationsNarrow { // more are refused before anything is read
					all.Go(func() {
						_, err := p.login(p.wrong(fmt.Sprintf("138%08d", i)))
						refused := new(portal.Refused)
						if !errors.As(err, &refused) || refused.Refusal != portal.TooManyAttempts || refused.WaitSeconds() == 0 {
							t.Errorf("%v", err)
						}
					})
				}
				all.Wait()
				if n := p.Hashes() - before; n != 0 {
					t.Errorf("%d hashes", n)
				}
				if _, err := p.Login(p.from("198.51.100.7"), p.as("13800000001")); err != nil {
					t.Errorf("from another address: %v", err)
				}
			}, change)
		})
	}
}

func TestInStrictPrivacyALockedAccountCausesNoHash(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for range 5 {
			_, err := p.login(p.wrong("nophone"))
			refused(t, err, portal.WrongPassword)
		}
		before := p.Hashes()
		for range 20 {
			_, err := p.login(p.wrong("nophone"))
			refused(t, err, portal.WrongPassword)
		}
		if n := p.Hashes() - before; n != 0 {
			t.Errorf("%d hashes", n)
		}
	}, strict)
}

func TestInACrowdStrangersProveThatTheyWantToSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		known := p.signIn(accountHost, "13800000001").Device
		attempts := p.failures("buyer1")
		leave := p.CrowdHashQueue(32)
		in := p.as("13800000001")
		_, err := p.login(in)
		asked := refused(t, err, portal.ValidationFailed)
		if asked.Fields["answer"] != portal.AnswerRequired || asked.Question == nil || asked.Work == nil || asked.Work.Bits != 17 {
			t.Fatalf("%+v", asked)
		}
		if n := p.failures("buyer1"); n != attempts {
			t.Errorf("%d tries are counted", n)
		}
		worked, owner := in, in
		worked.Proof = asked.Work.Token
		worked.Work, _ = work(asked.Work)
		owner.Device = known
		answered := p.as("13800000002") // another person: each try that is counted voids the questions of its subject
		_, err = p.login(answered)
		asked = refused(t, err, portal.ValidationFailed)
		answered.Question, answered.Answer = asked.Question.Token, strconv.Itoa(asked.Question.A+asked.Question.B)
		for name, c := range map[string]struct {
			in   portal.LoginInput
			from string
		}{
			"another phone":   {func() portal.LoginInput { o := worked; o.Phone = "13800000002"; return o }(), homeAddress},
			"another address": {worked, "198.51.100.99"},
			"another number":  {func() portal.LoginInput { o := worked; o.Work += "0"; return o }(), homeAddress},
			"a wrong answer":  {func() portal.LoginInput { o := answered; o.Answer += "1"; return o }(), homeAddress},
		} {
			if _, err := p.Login(p.from(c.from), c.in); !errors.Is(err, portal.ValidationFailed) {
				t.Errorf("with %s: %v", name, err)
			}
		}
		var all sync.WaitGroup
		for name, in := range map[string]portal.LoginInput{"worked": worked, "answered": answered, "known": owner} {
			all.Go(func() {
				if _, err := p.login(in); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		for deadline := time.Now().Add(time.Second); p.WaitForHash() < 3 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		leave()
		all.Wait()
		defer p.CrowdHashQueue(32)()
		for name, in := range map[string]portal.LoginInput{"worked": worked, "answered": answered} {
			if _, err := p.login(in); !errors.Is(err, portal.ValidationFailed) {
				t.Errorf("%s again: %v", name, err)
			}
		}
	})
}

func TestAProofOfWorkIsGoodForTenMinutes(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		leave := p.CrowdHashQueue(32)
		set := func() portal.LoginInput {
			in := p.as("13800000001")
			_, err := p.login(in)
			with := refused(t, err, portal.ValidationFailed)
			in.Proof = with.Work.Token
			in.Work, _ = work(with.Work)
			return in
		}
		late, inTime := set(), set()
		p.clock.advance(10*time.Minute + time.Second)
		_, err := p.login(late)
		refused(t, err, portal.ValidationFailed)
		p.clock.advance(-2 * time.Second)
		leave()
		defer p.CrowdHashQueue(32)()
		if _, err := p.login(inTime); errors.Is(err, portal.ValidationFailed) {
			t.Errorf("after less than ten minutes: %v", err)
		}
	})
}

func TestWhoeverGetsNoPlaceForAHashIsNotCounted(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		defer p.CrowdHashQueue(64)()
		began := time.Now()
		for range 10 {
			_, err := p.login(p.wrong("buyer1"))
			refused(t, err, portal.NotAvailable)
		}
		if took := time.Since(began) / 10; took > 100*time.Millisecond {
			t.Errorf("a refusal takes %v", took)
		}
		if n := p.failures("buyer1"); n != 0 {
			t.Errorf("%d tries are counted", n)
		}
		address, err := p.db.AttemptsOf(t.Context(), "address:203.0.113.10/32")
		noError(t, err)
		if address.WindowFailures != 0 {
			t.Errorf("%d tries are counted for the address", address.WindowFailures)
		}
	})
}
