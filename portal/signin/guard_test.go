package signin_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/credentials"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/signin"
	"portico/store"
	"portico/store/storetest"
)

// Answers counts what many sign-ins at once were answered.
type Answers struct {
	Mu                          sync.Mutex
	SignedIn, Wrong, TurnedAway int
}

// Try signs in, again while the hash queue or the database is full, and counts the answer.
func (a *Answers) Try(t *testing.T, p *portal.Portal, address string, in signin.LoginInput) {
	err := error(access.NotAvailable)
	for errors.Is(err, access.NotAvailable) || portal.Unavailable(err) {
		ctx := access.WithCaller(t.Context(), access.Caller{RequestID: "r-1", Address: address, Agent: "test"})
		if _, err = p.Signin.Login(ctx, in); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
	a.Mu.Lock()
	defer a.Mu.Unlock()
	switch {
	case err == nil:
		a.SignedIn++
	case errors.Is(err, access.WrongPassword):
		a.Wrong++
	case errors.Is(err, access.TooManyAttempts), errors.Is(err, access.ValidationFailed): // it was too crowded
		a.TurnedAway++
	default:
		t.Errorf("%v", err)
	}
}

func TestThreeHundredConcurrentSignInsFromOneAddressAllSucceed(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		people := []string{"13800000001", "13800000002", "13800000003", "13800000012", "nophone", "northwind"}
		var all Answers
		var group sync.WaitGroup
		for i := range 300 {
			group.Go(func() { all.Try(t, p.Portal, "198.51.100.7", p.As(people[i%len(people)])) })
		}
		group.Wait()
		if all.SignedIn != 300 {
			t.Errorf("%d signed in, %d turned away", all.SignedIn, all.TurnedAway)
		}
		if n := p.Spray("198.51.100.7", 35); n != 30 {
			t.Errorf("after that %d wrong passwords were compared", n)
		}
	})
}

func TestASignInWithoutFailuresStoresNoCounter(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		p.SignIn(portaltest.AccountHost, "13800000001")
		p.SignIn(portaltest.AccountHost, "nophone")
		address := "address:" + portaltest.HomeAddress + "/32"
		phone := "phone:" + access.Decimal(p.Account("buyer1").PhoneID)
		account := "account:" + access.Decimal(p.Account("nophone").ID)
		credit := "credit:" + address + ":"
		keys := []string{address, phone, account, credit + phone, credit + account}
		if counters, err := p.Db.AttemptsOfAll(t.Context(), keys); err != nil || len(counters) != 0 {
			t.Errorf("%+v, %v", counters, err)
		}
		p.Spray(portaltest.HomeAddress, 1) // a failure at the address: the keys above are the right ones
		p.SignIn(portaltest.AccountHost, "13800000001")
		p.SignIn(portaltest.AccountHost, "nophone")
		// The counter of the address, and the credit of the first sign-in.
		if counters, err := p.Db.AttemptsOfAll(t.Context(), keys); err != nil || len(counters) != 2 {
			t.Errorf("%+v, %v", counters, err)
		}
	})
}

func TestTwoInstancesCompareOnlyTheFreeWrongPasswordsTogether(t *testing.T) {
	first := portaltest.NewPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.Options)
	portaltest.NoError(t, err)
	var all Answers
	var group sync.WaitGroup
	for i := range 40 {
		p := []*portal.Portal{first.Portal, second}[i%2]
		group.Go(func() { all.Try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), first.Wrong("13800000001")) })
	}
	group.Wait()
	if all.Wrong != 5 || all.TurnedAway != 35 {
		t.Errorf("%d answered, %d turned away", all.Wrong, all.TurnedAway)
	}
	if n := first.Failures("buyer1"); n != 5 {
		t.Errorf("%d counted", n)
	}
}

func TestRightAndWrongPasswordsAtTwoInstancesAreCountedConsistently(t *testing.T) {
	first := portaltest.NewPlatform(t, storetest.Postgres(t))
	second, err := portal.New(first.Options)
	portaltest.NoError(t, err)
	try := func() *Answers {
		all := new(Answers)
		var group sync.WaitGroup
		for i := range 80 {
			in := first.As("13800000001")
			if i%2 == 0 {
				in = first.Wrong("13800000001")
			}
			p := []*portal.Portal{first.Portal, second}[i/2%2]
			group.Go(func() { all.Try(t, p, fmt.Sprintf("%d.0.0.1", 20+i), in) })
		}
		group.Wait()
		return all
	}
	all := try()
	if sessions := first.Events(0, "sign_in"); sessions != all.SignedIn {
		t.Errorf("%d sessions, %d answers", sessions, all.SignedIn)
	}
	if all.Wrong > 5*(all.SignedIn+1) { // each sign-in takes back what was counted before
		t.Errorf("%d wrong ones were answered beside %d right ones", all.Wrong, all.SignedIn)
	}
	for range 5 {
		_, _ = first.Login(first.Wrong("13800000001"))
	}
	if all := try(); all.SignedIn != 0 || all.Wrong != 0 || all.TurnedAway != 80 {
		t.Errorf("while the person has to wait: %+v", all)
	}
}

func TestARightPasswordIsRefusedWhenTheLimitIsReachedMeanwhile(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		attackers := &portaltest.Guesser{Platform: p}
		before := p.Events(0, "sign_in")
		_, err := p.Signin.LoginSlowly(p.From(portaltest.HomeAddress), p.As("13800000001"),
			func() { attackers.Wrongs(5, "13800000001") })
		with := portaltest.Refused(t, err, access.TooManyAttempts)
		if with.Wait != 2*time.Second || p.Failures("buyer1") != 5 || p.Events(0, "sign_in") != before {
			t.Errorf("%+v, %d failures", with, p.Failures("buyer1"))
		}
		p.Clock.Advance(2 * time.Second)
		p.SignIn(portaltest.AccountHost, "13800000001")

		err = p.Signin.TryPasswordSlowly(p.From(portaltest.HomeAddress), "13800000001", onboarding.DemoPassword,
			func() {
				attackers.Wrongs(5, "13800000001")
			})
		portaltest.Refused(t, err, access.TooManyAttempts)

		_, err = p.Signin.LoginSlowly(p.From("198.51.100.7"), p.As("nophone"), func() { p.Spray("198.51.100.7", 35) })
		if with := portaltest.Refused(t, err, access.TooManyAttempts); !with.OfAddress {
			t.Errorf("%+v", with)
		}
	})
}

func TestALimitReachedMeanwhileDoesNotRevealWhetherThePasswordIsRight(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		const phone = "13800000001"
		g := &portaltest.Guesser{Platform: p}
		for range signin.ProofFailures - 1 {
			g.Wrongs(1, phone)
			p.Clock.Advance(40 * time.Second)
		}
		// Four passwords are compared, and only then another try fails.
		var signIns, operations [2]error
		login := func(password string, meanwhile func()) error {
			in := p.As(phone)
			in.Password = password
			return p.Signin.GuessSlowly(p.From("198.51.100.7"), in, meanwhile)
		}
		operate := func(password string, meanwhile func()) error {
			return p.Signin.TryPasswordSlowly(p.From("198.51.100.8"), phone, password, meanwhile)
		}
		signIns[0] = login("Wrong2026", func() {
			signIns[1] = login(onboarding.DemoPassword, func() {
				operations[0] = operate("Wrong2026", func() {
					operations[1] = operate(onboarding.DemoPassword, func() { g.Wrongs(1, phone) })
				})
			})
		})
		for i, password := range []string{"a wrong password", "the right one"} {
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
			_, err := p.Signin.LoginSlowly(p.From(portaltest.HomeAddress), p.As(who), func() {
				_, err := p.Credentials.ChangePassword(p.From(portaltest.HomeAddress), credentials.ChangePasswordInput{
					Session: signed.Session, Old: onboarding.DemoPassword, Password: portaltest.NewPassword,
					Confirm: portaltest.NewPassword,
				})
				portaltest.NoError(t, err)
			})
			portaltest.Refused(t, err, access.WrongPassword)
			of := signed.Session
			all, err := p.Db.SessionsOf(t.Context(), of.PhoneID, of.AccountID, store.At(p.Clock.Now()))
			if err != nil || len(all) != 1 {
				t.Errorf("%s: %d sessions, %v", who, len(all), err)
			}
		}
	})
}

func TestInStrictPrivacyALimitReachedMeanwhileLooksLikeAWrongPassword(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		_, err := p.Signin.LoginSlowly(p.From(portaltest.HomeAddress), p.As("nophone"), func() {
			for i := range 5 {
				_, err := p.Signin.Login(p.From(fmt.Sprintf("10.0.0.%d", i)), p.Wrong("nophone"))
				portaltest.Refused(t, err, access.WrongPassword)
			}
		})
		portaltest.Refused(t, err, access.WrongPassword)
		id, now := p.Account("nophone").ID, store.At(p.Clock.Now())
		if s, err := p.Db.SessionsOf(t.Context(), 0, id, now); err != nil || len(s) != 0 {
			t.Errorf("%v, %v", s, err)
		}
	}, portaltest.Strict)
}

func TestAWrongPasswordIsCountedAlsoWhenTheCallerDisconnects(t *testing.T) {
	portaltest.Each(t, func(t *testing.T, p *portaltest.Platform) {
		ctx, leave := context.WithCancel(p.From(portaltest.HomeAddress))
		err := p.Signin.TryPasswordSlowly(ctx, "13800000001", "Wrong2026", leave)
		portaltest.Refused(t, err, access.WrongPassword)
		if n := p.Failures("buyer1"); n != 1 {
			t.Errorf("%d are counted", n)
		}
	})
}
