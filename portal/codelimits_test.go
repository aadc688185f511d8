package portal_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"portico/portal"
)

// scattered is the nth of many numbers with a prefix that are not consecutive.
func scattered(prefix string, n int) string {
	return fmt.Sprintf("%s%08d", prefix, n*10_007%100_000_000)
}

// anyone asks for a code that every phone may have, from an address.
func (p *carer) anyone(n int, address string) error {
	p.t.Helper()
	_, err := p.askFrom(address, p.asking(portal.ForExperience, scattered("139", n), portal.NewFlow()))
	return err
}

// over demands that an ask is past a cap, and neither sends nor counts.
func (p *carer) over(ask func() error) time.Duration {
	p.t.Helper()
	before, sent := p.counters(), len(p.sms.codes())
	with := refused(p.t, ask(), portal.TooManyAttempts)
	if with.Wait <= 0 || with.Wait > 24*time.Hour {
		p.t.Errorf("the wait is %v", with.Wait)
	}
	if p.counters() != before {
		p.t.Error("something was counted all the same")
	}
	if n := len(p.sms.codes()); n != sent {
		p.t.Errorf("%d were sent", n-sent)
	}
	return with.Wait
}

func TestAPhoneIsSentFiveCodesAnHourAndTenADayWhateverTheyAreFor(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		asks := 0
		purposes := []portal.Purpose{portal.ForLogin, portal.ForReset, portal.ForExperience}
		ask := func() error {
			asks++
			_, err := p.AskCode(p.from(fmt.Sprintf("10.0.%d.1", asks)), p.asking(purposes[asks%3], buyerPhone, portal.NewFlow()))
			return err
		}
		hours := func() {
			for range 5 {
				noError(t, ask())
				p.clock.advance(time.Minute)
			}
		}
		hours()
		if wait := p.over(ask); wait != 55*time.Minute {
			t.Errorf("the hour ends in %v", wait)
		}
		p.clock.advance(55*time.Minute + time.Millisecond)
		hours()
		p.clock.advance(55*time.Minute + time.Millisecond)
		if wait := p.over(ask); wait < 21*time.Hour || wait > 22*time.Hour {
			t.Errorf("the day ends in %v", wait)
		}
		if n := len(p.sms.codes()); n != 10 {
			t.Errorf("%d were sent", n)
		}
		noError(t, p.anyone(1, homeAddress)) // other phones are
		p.clock.advance(22 * time.Hour)
		noError(t, ask())
	})
}

func TestAnAddressCausesTwentyMessagesAnHourAndStillSignsIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range 20 {
			noError(t, p.anyone(i, homeAddress))
		}
		p.over(func() error { return p.anyone(100, homeAddress) })
		p.over(func() error { return p.anyone(101, "::ffff:"+homeAddress) })
		p.signIn(accountHost, buyerPhone) // from the same address
		noError(t, p.anyone(102, "203.0.113.11"))
		p.clock.advance(time.Hour - time.Millisecond)
		p.over(func() error { return p.anyone(103, homeAddress) })
		p.clock.advance(2 * time.Millisecond)
		noError(t, p.anyone(104, homeAddress))
	})
}

func TestANetworkCausesSixtyMessagesAnHour(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range 60 {
			noError(t, p.anyone(i, fmt.Sprintf("198.51.100.%d", i)))
		}
		p.over(func() error { return p.anyone(100, "198.51.100.99") })
		noError(t, p.anyone(101, "198.51.101.1"))
		for i := range 20 { // an IPv6 /64 is one address
			noError(t, p.anyone(200+i, fmt.Sprintf("2001:db8:0:7:%x::1", i)))
		}
		p.over(func() error { return p.anyone(300, "2001:db8:0:7::ffff") })
		noError(t, p.anyone(301, "2001:db8:0:8::1"))
	})
}

// knownAsks returns a function that requests a code for a phone, in a browser that has signed in with the phone.
func (p *carer) knownAsks() func(company int64, phone string) error {
	p.t.Helper()
	devices := map[string]string{}
	for _, phone := range demoPhones {
		devices[phone] = p.signIn(accountHost, phone).Device
	}
	return func(company int64, phone string) error {
		in := p.asking(portal.ForApplication, phone, portal.NewFlow())
		in.CompanyID, in.Device = company, devices[phone]
		_, err := p.ask(in)
		return err
	}
}

// budgetLines counts the log lines about a budget at a level.
func (p *carer) budgetLines(of, level string) int {
	return p.log.count(`"event":"sms_budget"`, `"of":"`+of+`"`, `"level":"`+level+`"`)
}

// demoPhones are registered phones that can sign in.
var demoPhones = []string{buyerPhone, managerPhone, manyPhone, bothPhone}

func TestACompanyAndThePlatformHaveABudgetADayAndTheLogWarns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.knownAsks()
		for n := range 10 {
			noError(t, ask(1001, demoPhones[n%3]))
			warned, full := p.budgetLines("sms:company:1001", "WARN"), p.budgetLines("sms:company:1001", "ERROR")
			if warned != (n+1)/8 || full != (n+1)/10 {
				t.Errorf("after %d: %d warnings, %d alarms", n+1, warned, full)
			}
			p.clock.advance(time.Minute)
		}
		for range 3 {
			p.over(func() error { return ask(1001, bothPhone) })
		}
		for n := range 5 {
			noError(t, ask(1002, demoPhones[(n+1)%3]))
			p.clock.advance(time.Minute)
		}
		for range 3 {
			p.over(func() error { return ask(1002, bothPhone) })
			p.over(func() error { return p.anyone(400, "10.9.9.9") })
		}
		for of, want := range map[string]int{"sms:company:1001": 1, "sms:company:1002": 0, "sms:platform": 1} {
			if warned, full := p.budgetLines(of, "WARN"), p.budgetLines(of, "ERROR"); warned != want || full != want {
				t.Errorf("%s: %d warnings, %d alarms", of, warned, full)
			}
		}
		budgets, err := p.MessageBudgets(t.Context())
		want := []portal.MessageBudget{
			{Sent: 15, Limit: 15, StrangersLimit: 2},
			{CompanyID: 1001, Sent: 10, Limit: 10, StrangersLimit: 1},
			{CompanyID: 1002, Sent: 5, Limit: 10, StrangersLimit: 1},
		}
		if err != nil || !slices.Equal(budgets, want) {
			t.Errorf("%+v, %v", budgets, err)
		}
		p.clock.advance(24*time.Hour + time.Millisecond)
		noError(t, ask(1001, buyerPhone))
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 15, 10 })
}

func TestASmallBudgetIsWatchedToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.knownAsks()
		for n := range 3 {
			noError(t, ask(1001, demoPhones[n]))
		}
		p.over(func() error { return ask(1001, bothPhone) })
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 2 {
			t.Errorf("the log has %d lines, want the warning and the alarm", n)
		}
	}, func(o *portal.Options) { o.MessagesCompany = 3 })
}

func TestAnAskThatAnotherCapRefusesWarnsOfNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := p.knownAsks()
		for n := range 3 {
			noError(t, ask(1001, demoPhones[n]))
		}
		for range 3 { // would be the company's fourth of five, if the platform had room
			p.over(func() error { return ask(1001, bothPhone) })
		}
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 0 {
			t.Errorf("%d lines", n)
		}
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 3, 6 })
}

func TestOfManyAsksAtOnceNoMoreThanTheCapAreSent(t *testing.T) {
	eachCareCondition(t, func(t *testing.T, p *carer) {
		var group sync.WaitGroup
		for i := range 30 {
			group.Go(func() {
				if err := p.anyone(i, homeAddress); err != nil && !errors.Is(err, portal.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if n := len(p.sms.codes()); n != 20 {
			t.Errorf("%d were sent", n)
		}
	})
}

func TestWithLimitsOffOnlyTheCountdownIsLeft(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		for i := range 25 {
			in := p.asking(portal.ForExperience, fmt.Sprintf("139%08d", i), flow)
			in.Browser = true
			p.sent(in)
			_, err := p.ask(in)
			refused(t, err, portal.CodeAlreadySent)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}

// Proofs that a person asks.
