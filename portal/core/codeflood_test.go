package core_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
)

func TestAFloodFromOneIPv6NetworkUsesOnlyItsOwnShare(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range 264 { // each /64 of the /48 requests codes until it is refused
			address := fmt.Sprintf("2001:db8:7:%x::1", n)
			for i := range 3 {
				if err := askSandboxCode(p, 3*n+i, address); err != nil {
					portaltest.Refused(t, err, access.TooManyAttempts)
					break
				}
			}
		}
		if n := len(p.Sms.Codes()); n != 60 {
			t.Errorf("one /48 had %d messages sent", n)
		}
		portaltest.NoError(t, askSandboxCode(p, 2001, "2001:db0::1")) // a stranger elsewhere
		wantCodesOfRegisteredPhones(p, "2001:db8:7:ffff::1", "198.51.100.7")
	})
}

func TestAFloodFromOneIPv6ProviderUsesOnlyItsOwnShare(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range 200 { // the attacker moves through the /48s of a /32
			if err := askSandboxCode(p, n, fmt.Sprintf("2001:db9:%x::1", n)); err != nil {
				t.Fatalf("message %d of the /32: %v", n+1, err)
			}
		}
		wantLimit(p, func() error { return askSandboxCode(p, 2000, "2001:db9:ffff::1") })
		portaltest.NoError(t, askSandboxCode(p, 2001, "2001:db0::1")) // a stranger elsewhere
		wantCodesOfRegisteredPhones(p, "2001:db9:ffff::2", "198.51.100.7")
	}, func(o *portal.Options) { o.Messages = 4900 }) // four per cent of it are less than the 200 of a /32
}

// wantCodesOfRegisteredPhones fails the test unless registered phones get codes at new addresses without any proof.
func wantCodesOfRegisteredPhones(p *portaltest.SMSPlatform, addresses ...string) {
	p.T.Helper()
	for n, address := range addresses {
		_, err := p.Portal.AskCode(p.From(address), p.CodeRequest(core.ForLogin, demoPhones[n], core.NewFlow()))
		portaltest.NoError(p.T, err)
	}
}

func TestRegisteredPhonesGetCodesWhenStrangersUsedUpTheirHourlyShare(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		spendUnknownBudget(p, 10) // a sixth of half of 120
		if wait := wantLimit(p, func() error { return askSandboxCode(p, 100, "10.1.1.1") }); wait != time.Hour {
			t.Errorf("the wait is %v", wait)
		}
		err := portaltest.Refused(t, askSandboxCode(p, 100, "10.1.1.1"), access.TooManyAttempts)
		if key, args := err.Message(); key != "wait.messages" || args[1] != 60 {
			t.Errorf("%s %v", key, args)
		}
		hourly := "sms:strangers:hour:platform"
		if warned, full := countBudgetLines(p, hourly, "WARN"), countBudgetLines(p, hourly, "ERROR"); warned != 1 ||
			full != 1 {
			t.Errorf("%d warnings, %d alarms", warned, full)
		}
		for n := range 8 { // a sixth of two fifths of 120
			in := p.CodeRequest(core.ForLogin, demoPhones[n%4], core.NewFlow())
			_, err := p.AskCodeFrom(fmt.Sprintf("172.16.%d.1", n), in)
			portaltest.NoError(t, err)
			p.Clock.Advance(time.Minute)
		}
		wantLimit(p, func() error {
			_, err := p.AskCodeFrom("172.17.1.1", p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
			return err
		})
		known := askFromKnownBrowser(p)
		for n := range 4 { // an attacker with many registered phones cannot use the known browsers' share
			portaltest.NoError(t, known(1001, demoPhones[n]))
		}
		p.Clock.Advance(52*time.Minute + time.Millisecond)
		for n := range 9 { // a sixth of the 50 that are left
			portaltest.NoError(t, askSandboxCode(p, 200+n, portaltest.DistantAddress(200+n)))
		}
		wantLimit(p, func() error { return askSandboxCode(p, 300, "10.1.1.1") })
	}, func(o *portal.Options) { o.Messages = 120 })
}

func TestAPlatformMaySendFiveThousandMessagesADayAndACompanyFiveHundred(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		portaltest.NoError(t, askFromKnownBrowser(p)(1001, portaltest.BuyerPhone))
		budgets, err := p.Verification.MessageBudgets(t.Context())
		want := []core.MessageBudget{ // an hour of strangers: a sixth of the half, rounded up
			{Sent: 1, Limit: 5000, StrangersLimit: 417}, {CompanyID: 1001, Sent: 1, Limit: 500, StrangersLimit: 42},
		}
		if err != nil || !slices.Equal(budgets, want) {
			t.Errorf("%+v, %v", budgets, err)
		}
	})
}

func TestEachGroupUsesItsShareOfABudgetAndTheLogWarns(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i, c := range []struct {
			who    core.Recipient
			budget int
			key    string // of the counter that warns
			warned int    // the message with which the log warns
			full   int    // the last message
		}{
			// A sixth of half of 1200, and the warning at half of it.
			{core.Recipient{Asker: core.Stranger}, 1200, "sms:strangers:hour:", 50, 100},
			// A sixth of two fifths of 1200.
			{core.Recipient{Asker: core.RegisteredPhone}, 1200, "sms:registered:hour:", 40, 80},
			// All of the budget, and the warning at four fifths.
			{core.Recipient{Asker: core.KnownBrowser}, 100, "sms:", 80, 100},
		} {
			of := fmt.Sprintf("company:%d", i)
			send := func() error {
				return p.DB.Tx(t.Context(), func(tx *store.DB) error {
					caps := core.BudgetCaps(of, c.budget, c.who)
					watched, _, err := p.Verification.RaiseCaps(t.Context(), tx, caps, p.Clock.Now())
					p.Verification.LogBudgets(t.Context(), watched)
					return err
				})
			}
			for n := 1; n <= c.full; n++ {
				if err := send(); err != nil {
					t.Fatalf("%s: message %d: %v", c.key, n, err)
				}
				warned := countBudgetLines(p, c.key+of, "WARN")
				full := countBudgetLines(p, c.key+of, "ERROR")
				if (warned == 1) != (n >= c.warned) || (full == 1) != (n == c.full) {
					t.Errorf("%s: after %d messages %d warnings, %d alarms", c.key, n, warned, full)
				}
			}
			portaltest.Refused(t, send(), access.TooManyAttempts)
		}
	})
}

func TestOnlyTheBudgetsOfTenCompaniesAreRead(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for id := range 11 {
			key := fmt.Sprintf("sms:company:%d", id+1)
			_, err := p.DB.Attempts.Raise(t.Context(), key, store.At(p.Clock.Now()), 0)
			portaltest.NoError(t, err)
			p.Clock.Advance(time.Second)
		}
		budgets, err := p.Verification.MessageBudgets(t.Context())
		// The first is the platform's. The company that sent the first message is left out.
		if err != nil || len(budgets) != 11 || budgets[1].CompanyID != 2 || budgets[10].CompanyID != 11 {
			t.Errorf("%+v, %v", budgets, err)
		}
	})
}

func TestTheWidestNetworksCapGrowsWithThePlatformsBudget(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range 240 {
			if err := askSandboxCode(p, n, fmt.Sprintf("100.64.%d.9", n)); err != nil {
				t.Fatalf("message %d of the /16: %v", n+1, err)
			}
		}
		wantLimit(p, func() error { return askSandboxCode(p, 1000, "100.64.250.9") })
	}, func(o *portal.Options) { o.Messages = 6000 })
}

func TestTheProofOfWorkGrowsAsStrangersUseUpTheirShare(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		price := func(n int) int { // for a number without requests, at an address with three requests
			address := "198.51.100.7"
			for i := range 3 {
				in := p.CodeRequest(core.ForLogin, demoPhones[i], core.NewFlow())
				if n == 0 {
					_, err := p.AskCodeFrom(address, in)
					portaltest.NoError(t, err)
				}
			}
			_, err := p.Portal.AskCode(
				p.From(address),
				p.CodeRequest(core.ForExperience, scatteredPhone("136", n), core.NewFlow()),
			)
			return portaltest.Refused(t, err, access.ValidationFailed).Work.Bits
		}
		want := map[int]int{0: 17, 4: 17, 5: 18, 9: 18, 10: 19, 14: 19, 15: 20, 19: 20}
		for n := range 20 {
			if bits, asked := want[n]; asked {
				if got := price(n); got != bits {
					t.Errorf("with %d of 20 spent the proof has %d bits, want %d", n, got, bits)
				}
			}
			fresh := p.CodeRequest(core.ForExperience, scatteredPhone("135", n), core.NewFlow())
			_, err := p.Portal.AskCode(
				p.From(portaltest.DistantAddress(1000+n)), fresh,
			) // an address that never asked
			if due := err != nil; due != (n >= 10) {
				t.Errorf("with %d of 20 spent: %v", n, err)
			}
			if err != nil {
				portaltest.NoError(t, askSandboxCode(p, n, portaltest.DistantAddress(n)))
			}
		}
		_, err := p.Portal.AskCode(
			p.From("203.0.113.99"), p.CodeRequest(core.ForLogin, portaltest.BothPhone, core.NewFlow()),
		)
		portaltest.NoError(t, err) // a registered phone on a fresh address needs none
	}, func(o *portal.Options) { o.Messages = 240 })
}

func TestConsecutiveNumbersRaiseAnAlarmAndNeedTheLargestProof(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := func(phone string, n int) error {
			_, err := p.Portal.AskCode(
				p.From(portaltest.DistantAddress(n)),
				p.CodeRequest(core.ForExperience, phone, core.NewFlow()),
			)
			return err
		}
		for n := range 10 {
			if lines := p.Log.Count(`"event":"sms_run"`); lines != 0 {
				t.Errorf("%d alarms after %d numbers", lines, n)
			}
			portaltest.NoError(t, ask(fmt.Sprintf("15000000%03d", 111*n), n)) // of one block of a thousand
		}
		if lines := p.Log.Count(`"event":"sms_run"`, `"level":"ERROR"`); lines != 1 {
			t.Errorf("%d alarms", lines)
		}
		if with := portaltest.Refused(t, ask("15000000199", 20), access.ValidationFailed); with.Work.Bits != 20 {
			t.Errorf("%d bits", with.Work.Bits)
		}
		_, err := p.AskCodeFrom(
			portaltest.DistantAddress(21),
			p.CodeRequest(core.ForExperience, "15000000199", core.NewFlow()),
		)
		portaltest.NoError(t, err)                    // with the work done
		portaltest.NoError(t, ask("15000001199", 22)) // of another block of a thousand
		if lines := p.Log.Count(`"event":"sms_run"`); lines != 1 {
			t.Errorf("%d alarms", lines)
		}
		p.Clock.Advance(time.Hour + time.Millisecond)
		portaltest.NoError(t, ask("15000000198", 23))
	})
}

func TestTheNetworksLimitsDoNotApplyToAKnownBrowser(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i := range 20 {
			portaltest.NoError(t, askSandboxCode(p, i, portaltest.HomeAddress))
		}
		wantLimit(p, func() error {
			_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
			return err
		})
		in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
		in.Device = p.SignIn(portaltest.AccountHost, portaltest.ManagerPhone).Device // known for another phone
		wantLimit(p, func() error { _, err := p.AskCode(in); return err })
		in.Device = p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Device
		p.ReceiveCode(in)
	})
}

func TestOthersCannotUseUpTheCodesOfAPhonesKnownBrowsers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		ask := func(n int, device string) error {
			p.Clock.Advance(time.Minute)
			in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
			in.Device = device
			_, err := p.AskCodeFrom(portaltest.DistantAddress(n), in)
			return err
		}
		for n := range 5 {
			portaltest.NoError(t, ask(n, ""))
		}
		wantLimit(p, func() error { return ask(5, "") })
		device := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Device
		for n := range 5 {
			portaltest.NoError(t, ask(10+n, device))
		}
		wantLimit(p, func() error { return ask(20, device) })
	})
}

func TestPhonesThatOnlyHaveATrialCountAsStrangers(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		addSandbox(p, portaltest.NewPhone)
		_, err := p.AskCodeFrom("10.1.1.1", p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()))
		portaltest.NoError(t, err)
		p.Clock.Advance(time.Minute)
		spendUnknownBudget(p, 9)
		wantLimit(p, func() error {
			_, err := p.AskCodeFrom("10.2.1.1", p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()))
			return err
		})
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
	}, func(o *portal.Options) { o.Messages = 120 })
}

func TestInStrictPrivacyAUsedUpShareDoesNotRevealWhetherAPhoneIsKnown(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		const trying = "13911110000"
		addSandbox(p, trying)
		asked := 0
		login := func(phone string) error {
			asked++
			_, err := p.AskCodeFrom(
				fmt.Sprintf("172.%d.1.1", asked), p.CodeRequest(core.ForLogin, phone, core.NewFlow()),
			)
			return err
		}
		phones := []string{portaltest.BuyerPhone, portaltest.NewPhone, trying}
		spendUnknownBudget(p, 9)
		for _, phone := range phones {
			portaltest.NoError(t, login(phone)) // the last message for strangers goes to the phone with a sandbox
		}
		p.Clock.Advance(time.Minute)
		sent := 9 + 2
		for n, phone := range phones {
			portaltest.NoError(t, login(phone)) // the strangers' part of the hour is spent
			if n == 0 {
				sent++
			}
		}
		p.WaitForNotices()
		if n := len(p.Sms.Codes()); n != sent {
			t.Errorf("%d messages, want %d", n, sent)
		}
		for n := range 6 { // unknown phones use up nothing, registered ones do: two were sent before
			portaltest.NoError(t, login(scatteredPhone("134", n)))
			portaltest.NoError(t, login(demoPhones[1+n%3]))
			p.Clock.Advance(time.Minute)
		}
		for _, phone := range phones {
			if with := portaltest.Refused(t, login(phone), access.TooManyAttempts); !with.MessagesSpent {
				t.Errorf("%s: %+v", phone, with)
			}
		}
	}, portaltest.Strict, func(o *portal.Options) { o.Messages = 120 })
}

func TestAnAccountMayRequestTenBindingCodesADay(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		bind := func(n int) error {
			in := p.CodeRequest(core.ForBind, scatteredPhone("133", n), "session:"+signed.Session.Family)
			in.Session = signed.Session
			_, err := p.AskCodeFrom(portaltest.DistantAddress(n), in)
			return err
		}
		for n := range 10 {
			portaltest.NoError(t, bind(n))
		}
		wantLimit(p, func() error { return bind(10) })
		p.Clock.Advance(24*time.Hour + time.Millisecond)
		signed = p.SignIn(portaltest.AccountHost, "nophone")
		portaltest.NoError(t, bind(11))
	})
}

func TestOnlyAccountsOfFormalCompaniesCountAsKnownPeople(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		spendUnknownBudget(p, 10)
		signed := p.SignIn(portaltest.AccountHost, "nophone")
		bind := func(n int) error {
			in := p.CodeRequest(core.ForBind, scatteredPhone("133", n), "session:"+signed.Session.Family)
			in.Session = signed.Session
			_, err := p.AskCodeFrom(portaltest.DistantAddress(500+n), in)
			return err
		}
		portaltest.NoError(t, bind(1))
		p.UpdateCompany(p.Account("nophone").CompanyID, func(c *store.Company) {
			c.Standing, c.EndsAt = store.Trial, store.At(p.Clock.In(time.Hour))
		})
		wantLimit(p, func() error { return bind(2) })
	}, func(o *portal.Options) { o.Messages = 120 })
}

// spendUnknownBudget uses up messages of the budget for unknown phones, from addresses in different /16 networks.
func spendUnknownBudget(p *portaltest.SMSPlatform, messages int) {
	p.T.Helper()
	for n := range messages {
		portaltest.NoError(p.T, askSandboxCode(p, n, portaltest.DistantAddress(n)))
	}
}

// addSandbox gives a phone number a sandbox and nothing else. Anybody who holds the number once can do this.
func addSandbox(p *portaltest.SMSPlatform, number string) {
	p.T.Helper()
	_, err := p.DB.Persons.Add(p.T.Context(), store.Person{Phone: number, CreatedAt: 1})
	portaltest.NoError(p.T, err)
	person, now := portaltest.PersonOf(p.T, p.DB, number), store.At(p.Clock.Now())
	id, err := p.DB.Companies.Add(p.T.Context(), store.Company{
		Name:      "Prueba",
		Language:  "es",
		Standing:  store.Trial,
		EndsAt:    now + store.Instant(24*time.Hour/time.Millisecond),
		Mall:      store.MallOpen,
		Sandbox:   true,
		CreatedAt: now,
		UpdatedAt: now,
	})
	portaltest.NoError(p.T, err)
	_, err = p.DB.Accounts.Add(p.T.Context(), store.Account{
		CompanyID: id, Login: "trial" + number, Side: store.Mgr, Type: store.TypeAdministrator, Name: "谁",
		PersonID: person.ID, State: store.AccountActive, CreatedAt: 1,
	})
	portaltest.NoError(p.T, err)
}

// scatteredPhone returns the nth of many phone numbers with a prefix that are not consecutive.
func scatteredPhone(prefix string, n int) string {
	return fmt.Sprintf("%s%08d", prefix, n*10_007%100_000_000)
}
