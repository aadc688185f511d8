package core_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
)

func TestAPhoneGetsFiveCodesAnHourAndTenADayForAllPurposes(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		asks := 0
		purposes := []access.Purpose{core.ForLogin, core.ForReset, core.ForExperience}
		ask := func() error {
			asks++
			_, err := p.Portal.AskCode(
				p.From(fmt.Sprintf("10.0.%d.1", asks)),
				p.CodeRequest(purposes[asks%3], portaltest.BuyerPhone, core.NewFlow()),
			)
			return err
		}
		hours := func() {
			for range 5 {
				portaltest.NoError(t, ask())
				p.Clock.Advance(time.Minute)
			}
		}
		hours()
		if wait := wantLimit(p, ask); wait != 55*time.Minute {
			t.Errorf("the hour ends in %v", wait)
		}
		p.Clock.Advance(55*time.Minute + time.Millisecond)
		hours()
		p.Clock.Advance(55*time.Minute + time.Millisecond)
		if wait := wantLimit(p, ask); wait < 21*time.Hour || wait > 22*time.Hour {
			t.Errorf("the day ends in %v", wait)
		}
		if n := len(p.Sms.Codes()); n != 10 {
			t.Errorf("%d were sent", n)
		}
		portaltest.NoError(t, askSandboxCode(p, 1, portaltest.HomeAddress)) // other phones are
		p.Clock.Advance(22 * time.Hour)
		portaltest.NoError(t, ask())
	})
}

func TestAnAddressCausesAtMostTwentyMessagesAnHourAndStillSignsIn(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 20 {
			portaltest.NoError(t, askSandboxCode(p, i, portaltest.HomeAddress))
		}
		wantLimit(p, func() error { return askSandboxCode(p, 100, portaltest.HomeAddress) })
		wantLimit(p, func() error { return askSandboxCode(p, 101, "::ffff:"+portaltest.HomeAddress) })
		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone) // from the same address
		portaltest.NoError(t, askSandboxCode(p, 102, "203.0.113.11"))
		p.Clock.Advance(time.Hour - time.Millisecond)
		wantLimit(p, func() error { return askSandboxCode(p, 103, portaltest.HomeAddress) })
		p.Clock.Advance(2 * time.Millisecond)
		portaltest.NoError(t, askSandboxCode(p, 104, portaltest.HomeAddress))
	})
}

func TestANetworkCausesAtMostSixtyMessagesAnHour(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 60 {
			portaltest.NoError(t, askSandboxCode(p, i, fmt.Sprintf("198.51.100.%d", i)))
		}
		wantLimit(p, func() error { return askSandboxCode(p, 100, "198.51.100.99") })
		portaltest.NoError(t, askSandboxCode(p, 101, "198.51.101.1"))
		for i := range 20 { // an IPv6 /64 is one address
			portaltest.NoError(t, askSandboxCode(p, 200+i, fmt.Sprintf("2001:db8:0:7:%x::1", i)))
		}
		wantLimit(p, func() error { return askSandboxCode(p, 300, "2001:db8:0:7::ffff") })
		portaltest.NoError(t, askSandboxCode(p, 301, "2001:db8:0:8::1"))
	})
}

func TestACompanyAndThePlatformHaveADailyBudgetAndTheLogWarns(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := askFromKnownBrowser(p)
		for n := range 10 {
			portaltest.NoError(t, ask(1001, demoPhones[n%3]))
			warned, full := countBudgetLines(p, "sms:company:1001", "WARN"), countBudgetLines(
				p, "sms:company:1001", "ERROR",
			)
			if warned != (n+1)/8 || full != (n+1)/10 {
				t.Errorf("after %d: %d warnings, %d alarms", n+1, warned, full)
			}
			p.Clock.Advance(time.Minute)
		}
		for range 3 {
			wantLimit(p, func() error { return ask(1001, portaltest.BothPhone) })
		}
		for n := range 5 {
			portaltest.NoError(t, ask(1002, demoPhones[(n+1)%3]))
			p.Clock.Advance(time.Minute)
		}
		for range 3 {
			wantLimit(p, func() error { return ask(1002, portaltest.BothPhone) })
			wantLimit(p, func() error { return askSandboxCode(p, 400, "10.9.9.9") })
		}
		for of, want := range map[string]int{"sms:company:1001": 1, "sms:company:1002": 0, "sms:platform": 1} {
			if warned, full := countBudgetLines(p, of, "WARN"), countBudgetLines(p, of, "ERROR"); warned != want ||
				full != want {
				t.Errorf("%s: %d warnings, %d alarms", of, warned, full)
			}
		}
		budgets, err := p.Verification.MessageBudgets(t.Context())
		want := []core.MessageBudget{
			{Sent: 15, Limit: 15, StrangersLimit: 2},
			{CompanyID: 1001, Sent: 10, Limit: 10, StrangersLimit: 1},
			{CompanyID: 1002, Sent: 5, Limit: 10, StrangersLimit: 1},
		}
		if err != nil || !slices.Equal(budgets, want) {
			t.Errorf("%+v, %v", budgets, err)
		}
		p.Clock.Advance(24*time.Hour + time.Millisecond)
		portaltest.NoError(t, ask(1001, portaltest.BuyerPhone))
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 15, 10 })
}

func TestTheLogWarnsOfASmallBudgetToo(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := askFromKnownBrowser(p)
		for n := range 3 {
			portaltest.NoError(t, ask(1001, demoPhones[n]))
		}
		wantLimit(p, func() error { return ask(1001, portaltest.BothPhone) })
		if n := p.Log.Count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 2 {
			t.Errorf("the log has %d lines, want the warning and the alarm", n)
		}
	}, func(o *portal.Options) { o.MessagesCompany = 3 })
}

func TestARequestThatAnotherLimitRefusesLogsNoWarning(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := askFromKnownBrowser(p)
		for n := range 3 {
			portaltest.NoError(t, ask(1001, demoPhones[n]))
		}
		for range 3 { // would be the company's fourth of five, if the platform had room
			wantLimit(p, func() error { return ask(1001, portaltest.BothPhone) })
		}
		if n := p.Log.Count(`"event":"sms_budget"`, `"of":"sms:company:1001"`); n != 0 {
			t.Errorf("%d lines", n)
		}
	}, func(o *portal.Options) { o.Messages, o.MessagesCompany = 3, 6 })
}

func TestConcurrentRequestsSendNoMoreCodesThanTheLimit(t *testing.T) {
	portaltest.EachConditionWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		var group sync.WaitGroup
		var counted atomic.Int32 // without a message
		for i := range 30 {
			group.Go(func() {
				err := askSandboxCode(p, i, portaltest.HomeAddress)
				busy := false
				for errors.Is(err, store.ErrBusy) { // a slow machine
					busy, err = true, askSandboxCode(p, i, portaltest.HomeAddress)
				}
				if busy && errors.Is(err, access.CodeAlreadySent) { // the commit that took too long had succeeded
					counted.Add(1)
				} else if err != nil && !errors.Is(err, access.TooManyAttempts) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if n := len(p.Sms.Codes()); n+int(counted.Load()) != 20 {
			t.Errorf("%d were sent, %d counted without a message", n, counted.Load())
		}
	})
}

func TestWithLimitsOffOnlyTheCountdownApplies(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		for i := range 25 {
			in := p.CodeRequest(core.ForExperience, fmt.Sprintf("139%08d", i), flow)
			in.Browser = true
			p.ReceiveCode(in)
			_, err := p.AskCode(in)
			portaltest.Refused(t, err, access.CodeAlreadySent)
		}
	}, func(o *portal.Options) { o.NoLimit = true })
}

// askSandboxCode requests a code for a sandbox, which every phone may have, from an IP address.
func askSandboxCode(p *portaltest.SMSPlatform, n int, address string) error {
	p.T.Helper()
	_, err := p.AskCodeFrom(address, p.CodeRequest(core.ForExperience, scatteredPhone("139", n), core.NewFlow()))
	return err
}

// wantLimit fails the test unless ask is refused because of a limit, sends no code and counts nothing. It returns the
// wait.
func wantLimit(p *portaltest.SMSPlatform, ask func() error) time.Duration {
	p.T.Helper()
	before, sent := p.DumpCounters(), len(p.Sms.Codes())
	with := portaltest.Refused(p.T, ask(), access.TooManyAttempts)
	if with.Wait <= 0 || with.Wait > 24*time.Hour {
		p.T.Errorf("the wait is %v", with.Wait)
	}
	if p.DumpCounters() != before {
		p.T.Error("something was counted all the same")
	}
	if n := len(p.Sms.Codes()); n != sent {
		p.T.Errorf("%d were sent", n-sent)
	}
	return with.Wait
}

// askFromKnownBrowser returns a function that requests a code for a phone, in a browser that has signed in with the
// phone.
func askFromKnownBrowser(p *portaltest.SMSPlatform) func(company int64, phone string) error {
	p.T.Helper()
	devices := map[string]string{}
	for _, phone := range demoPhones {
		devices[phone] = p.SignIn(portaltest.AccountHost, phone).Device
	}
	return func(company int64, phone string) error {
		in := p.CodeRequest(core.ForApplication, phone, core.NewFlow())
		in.CompanyID, in.Device = company, devices[phone]
		_, err := p.AskCode(in)
		return err
	}
}

// countBudgetLines counts the log lines about a budget at a level.
func countBudgetLines(p *portaltest.SMSPlatform, of, level string) int {
	return p.Log.Count(`"event":"sms_budget"`, `"of":"`+of+`"`, `"level":"`+level+`"`)
}

// demoPhones are registered phones that can sign in.
var demoPhones = []string{portaltest.BuyerPhone, portaltest.ManagerPhone, portaltest.ManyPhone, portaltest.BothPhone}
