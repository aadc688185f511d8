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

// anyone asks for a code that every phone may have, from an address.
func (p *carer) anyone(n int, address string) error {
	p.t.Helper()
	_, err := p.AskCode(p.from(address), p.asking(portal.ForExperience, fmt.Sprintf("139%08d", n), portal.NewFlow()))
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
			for range portal.MessagesPhoneHour {
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
		if n := len(p.sms.codes()); n != portal.MessagesPhoneDay {
			t.Errorf("%d were sent", n)
		}
		noError(t, p.anyone(1, homeAddress)) // other phones are
		p.clock.advance(22 * time.Hour)
		noError(t, ask())
	})
}

func TestAnAddressCausesTwentyMessagesAnHourAndStillSignsIn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range portal.MessagesAddressHour {
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
		for i := range portal.MessagesNetworkHour {
			noError(t, p.anyone(i, fmt.Sprintf("198.51.100.%d", i)))
		}
		p.over(func() error { return p.anyone(100, "198.51.100.99") })
		noError(t, p.anyone(101, "198.51.101.1"))
		for i := range portal.MessagesAddressHour { // an IPv6 /64 is one address
			noError(t, p.anyone(200+i, fmt.Sprintf("2001:db8:0:7:%x::1", i)))
		}
		p.over(func() error { return p.anyone(300, "2001:db8:0:7::ffff") })
		noError(t, p.anyone(301, "2001:db8:0:8::1"))
	})
}

// wanting asks something of a company, as a phone and address of its own.
func (p *carer) wanting(company int64, n int) error {
	p.t.Helper()
	in := p.asking(portal.ForApplication, fmt.Sprintf("137%08d", n), portal.NewFlow())
	in.CompanyID = company
	_, err := p.AskCode(p.from(fmt.Sprintf("10.%d.%d.1", n>>8, n&255)), in)
	return err
}

func TestACompanyAndThePlatformHaveABudgetADayAndTheLogWarns(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		told := func(of, level string) int {
			return p.log.count(`"event":"sms_budget"`, `"of":"`+of+`"`, `"level":"`+level+`"`)
		}
		for n := range 20 {
			noError(t, p.wanting(1001, n))
			if warned, full := told("sms:company:1001", "WARN"), told("sms:company:1001", "ERROR"); warned != n/15 || full != n/19 {
				t.Errorf("after %d: %d warnings, %d alarms", n+1, warned, full)
			}
		}
		for n := range 3 {
			p.over(func() error { return p.wanting(1001, 100+n) })
		}
		for n := range 10 {
			noError(t, p.wanting(1002, 200+n))
		}
		for n := range 3 {
			p.over(func() error { return p.wanting(1002, 300+n) })
			p.over(func() error { return p.anyone(400+n, "10.9.9.9") })
		}
		for of, want := range map[string]int{"sms:company:1001": 1, "sms:company:1002": 0, "sms:platform": 1} {
			if warned, full := told(of, "WARN"), told(of, "ERROR"); warned != want || full != want {
				t.Errorf("%s: %d warnings, %d alarms", of, warned, full)
			}
		}
		if n := len(p.sms.codes()); n != 30 {
			t.Errorf("%d were sent", n)
		}
		budgets, err := p.MessageBudgets(t.Context())
		if want := []portal.MessageBudget{{Sent: 30, Limit: 30}, {CompanyID: 1001, Sent: 20, Limit: 20}, {CompanyID: 1002, Sent: 10, Limit: 20}}; err != nil || !slices.Equal(budgets, want) {
			t.Errorf("%+v, %v", budgets, err)
		}
		p.signIn(accountHost, buyerPhone)
		p.clock.advance(24*time.Hour + time.Millisecond)
		noError(t, p.wanting(1001, 500))
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 30, 20 })
}

func TestASmallBudgetIsWatchedToo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 5 {
			noError(t, p.wanting(1001, n))
		}
		p.over(func() error { return p.wanting(1001, 100) })
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 2 {
			t.Errorf("the log has %d lines, want the warning and the alarm", n)
		}
	}, func(o *portal.Options) { o.MessagesCompany = 5 })
}

func TestAnAskThatAnotherCapRefusesWarnsOfNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 15 {
			noError(t, p.wanting(1001, n))
		}
		for n := range 3 { // the company's sixteenth, were it not the platform's
			p.over(func() error { return p.wanting(1001, 100+n) })
		}
		if n := p.log.count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 0 {
			t.Errorf("%d lines", n)
		}
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 15, 20 })
}

func TestOfManyAsksAtOnceNoMoreThanTheCapAreSent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		var group sync.WaitGroup
		for i := range 30 {
			group.Go(func() {
				if err := p.anyone(i, homeAddress); err != nil && !errors.Is(err, portal.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if n := len(p.sms.codes()); n != portal.MessagesAddressHour {
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
