package portal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
	"portico/store/storetest"
)

// answers counts what many sign-ins at once were answered.
type answers struct {
	mu                          sync.Mutex
	signedIn, wrong, turnedAway int
}

// try signs in, again while the hash queue or the database is full, and counts the answer.
func (a *answers) try(t *testing.T, p *portal.Portal, address string, in portal.LoginInput) {
	err := error(portal.NotAvailable)
	for errors.Is(err, portal.NotAvailable) || portal.Unavailable(err) {
		ctx := portal.WithCaller(t.Context(), portal.Caller{RequestID: "r-1", Address: address, Agent: "test"})
		if _, err = p.Login(ctx, in); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.signedIn++
	case errors.Is(err, portal.WrongPassword):
		a.wrong++
	case errors.Is(err, portal.TooManyAttempts), errors.Is(err, portal.ValidationFailed): // it was too crowded
		a.turnedAway++
	default:
		t.Errorf("%v", err)
	}
}

func TestThreeHundredRightPasswordsAtOnceFromOneAddressAllSignIn(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		people := []string{"13800000001", "13800000002", "13800000003", "13800000012", "nophone", "northwind"}
		var all answers
		var group sync.WaitGroup
		for i := range 300 {
			group.Go(func() { all.try(t, p.Portal, "198.51.100.7", p.as(people[i%len(people)])) })
		}
		group.Wait()
		if all.signedIn != 300 {
			t.Errorf("%d signed in, %d turned away", all.signedIn, all.turnedAway)
		}
		if n := p.spray("198.51.100.7", 35); n != 30 {
			t.Errorf("after that %d wrong passwords were compared", n)
		}
	})
}

func TestASignInWithoutFailuresWritesNoCounter(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		p.signIn(accountHost, "13800000001")
		p.signIn(accountHost, "nophone")
		address := "address:" + homeAddress + "/32"
		phone := "phone:" + portal.Decimal(p.account("buyer1").PhoneID)
		account := "account:" + portal.Decimal(p.account("nophone").ID)
		credit := "credit:" + address + ":"
		keys := []string{address, phone, account, credit + phone, credit + account}
		if counters, err := p.db.AttemptsOfAll(t.Context(), keys); err != nil || len(counters) != 0 {
			t.Errorf("%+v, %v", counters, err)
		}
		p.spray(homeAddress, 1) // a failure at the address: the keys above are the right ones
		p.signIn(accountHost, "13800000001")
		p.signIn(accountHost, "nophone")
		// The counter of the address, and the credit of the first sign-in.
		if counters, err := p.db.AttemptsOfAll(t.Context(), keys); err != nil || len(counters) != 2 {
			t.Errorf("%+v, %v", counters, err)
		}
	})
}

func TestWrongPasswordsAtOnceOverTwoInstancesShareTheFreeFailures(t *testing.T) {
	first := newPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.options)
	noError(t, err)
	var all answers
	var group sync.WaitGroup
	for i := range 40 {
		p := []*portal.Portal{first.Portal, second}[i%2]
		group.Go(func() { all.try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), first.wrong("13800000001")) })
	}
	group.Wait()
	if all.wrong != 5 || all.turnedAway != 35 {
		t.Errorf("%d answered, %d turned away", all.wrong, all.turnedAway)
	}
	if n := first.failures("buyer1"); n != 5 {
		t.Errorf("%d counted", n)
	}
}

func TestRightAndWrongPasswordsAtOnceOverTwoInstances(t *testing.T) {
	first := newPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.options)
	noError(t, err)
	try := func() *answers {
		all := new(answers)
		var group sync.WaitGroup
		for i := range 80 {
			in := first.as("13800000001")
			if i%2 == 0 {
				in = first.wrong("13800000001")
			}
			p := []*portal.Portal{first.Portal, second}[i/2%2]
			group.Go(func() { all.try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), in) })
		}
		group.Wait()
		return all
	}
	all := try()
	if sessions := first.events(0, "sign_in"); sessions != all.signedIn {
		t.Errorf("%d sessions, %d answers", sessions, all.signedIn)
	}
	if all.wrong > 5*(all.signedIn+1) { // each sign-in takes back what was counted before
		t.Errorf("%d wrong ones were answered beside %d right ones", all.wrong, all.signedIn)
	}
	for range 5 {
		_, _ = first.login(first.wrong("13800000001"))
	}
	if all := try(); all.signedIn != 0 || all.wrong != 0 || all.turnedAway != 80 {
		t.Errorf("while the person has to wait: %+v", all)
	}
}

func TestARightPasswordIsRefusedWhenOthersHaveFailedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		attackers := &guesser{platform: p}
		before := p.events(0, "sign_in")
		_, err := p.LoginSlowly(p.from(homeAddress), p.as("13800000001"), func() { attackers.wrongs(5, "13800000001") })
		with := refused(t, err, portal.TooManyAttempts)
		if with.Wait != 2*time.Second || p.failures("buyer1") != 5 || p.events(0, "sign_in") != before {
			t.Errorf("%+v, %d failures", with, p.failures("buyer1"))
		}
		p.clock.advance(2 * time.Second)
		p.signIn(accountHost, "13800000001")

		err = p.TryPasswordSlowly(p.from(homeAddress), "13800000001", portal.DemoPassword, func() {
			attackers.wrongs(5, "13800000001")
		})
		refused(t, err, portal.TooManyAttempts)

		_, err = p.LoginSlowly(p.from("198.51.100.7"), p.as("nophone"), func() { p.spray("198.51.100.7", 35) })
		if with := refused(t, err, portal.TooManyAttempts); !with.OfAddress {
			t.Errorf("%+v", with)
		}
	})
}

func TestABlockMeanwhileTellsNoRightPasswordFromAWrongOne(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		const phone = "13800000001"
		g := &guesser{platform: p}
		for range portal.ProofFailures - 1 {
			g.wrongs(1, phone)
			p.clock.advance(40 * time.Second)
		}
		// Four passwords are compared, and only then another try fails.
		var signIns, operations [2]error
		login := func(password string, meanwhile func()) error {
			in := p.as(phone)
			in.Password = password
			return p.GuessSlowly(p.from("198.51.100.7"), in, meanwhile)
		}
		operate := func(password string, meanwhile func()) error {
			return p.TryPasswordSlowly(p.from("198.51.100.8"), phone, password, meanwhile)
		}
		signIns[0] = login("Wrong2026", func() {
			signIns[1] = login(portal.DemoPassword, func() {
				operations[0] = operate("Wrong2026", func() {
					operations[1] = operate(portal.DemoPassword, func() { g.wrongs(1, phone) })
				})
			})
		})
		for i, password := range []string{"a wrong password", "the right one"} {
			for _, err := range []error{signIns[i], operations[i]} {
				with := refused(t, err, portal.TooManyAttempts)
				if with.Question == nil || with.Wait != 64*time.Second {
					t.Errorf("%s: %+v", password, with)
				}
			}
		}
	})
}

func TestASignInFailsWhenItsPasswordIsReplacedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		for _, who := range []string{"13800000001", "nophone"} {
			signed := p.signIn(accountHost, who)
			_, err := p.LoginSlowly(p.from(homeAddress), p.as(who), func() {
				_, err := p.ChangePassword(p.from(homeAddress), portal.ChangePasswordInput{
					Session: signed.Session, Old: portal.DemoPassword, Password: newPassword, Confirm: newPassword,
				})
				noError(t, err)
			})
			refused(t, err, portal.WrongPassword)
			of := signed.Session
			all, err := p.db.SessionsOf(t.Context(), of.PhoneID, of.AccountID, store.At(p.clock.now()))
			if err != nil || len(all) != 1 {
				t.Errorf("%s: %d sessions, %v", who, len(all), err)
			}
		}
	})
}

func TestInStrictPrivacyABlockMeanwhileLooksLikeAWrongPassword(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		_, err := p.LoginSlowly(p.from(homeAddress), p.as("nophone"), func() {
			for i := range 5 {
				_, err := p.Login(p.from(fmt.Sprintf("10.0.0.%d", i)), p.wrong("nophone"))
				refused(t, err, portal.WrongPassword)
			}
		})
		refused(t, err, portal.WrongPassword)
		id, now := p.account("nophone").ID, store.At(p.clock.now())
		if s, err := p.db.SessionsOf(t.Context(), 0, id, now); err != nil || len(s) != 0 {
			t.Errorf("%v, %v", s, err)
		}
	}, strict)
}

func TestAWrongPasswordCountsAlsoWhenTheCallerHasGone(t *testing.T) {
	each(t, func(t *testing.T, p *platform) {
		ctx, leave := context.WithCancel(p.from(homeAddress))
		err := p.TryPasswordSlowly(ctx, "13800000001", "Wrong2026", leave)
		refused(t, err, portal.WrongPassword)
		if n := p.failures("buyer1"); n != 1 {
			t.Errorf("%d are counted", n)
		}
	})
}
