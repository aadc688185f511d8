package portal_test

import (
	"fmt"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// farAddress returns the nth of many addresses, each in a /16 of its own.
func farAddress(n int) string { return fmt.Sprintf("%d.%d.7.9", 11+n/200, n%200) }

// spend makes strangers use up their share of the hour, from addresses in different /16 networks.
func (p *carer) spend(messages int) {
	p.t.Helper()
	for n := range messages {
		noError(p.t, p.anyone(n, farAddress(n)))
	}
}

func TestAFloodFromOneIPv6NetworkIsStoppedWithinItsOwnShare(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 264 { // each /64 of the /48 asks until it is refused
			address := fmt.Sprintf("2001:db8:7:%x::1", n)
			for i := range 3 {
				if err := p.anyone(3*n+i, address); err != nil {
					refused(t, err, portal.TooManyAttempts)
					break
				}
			}
		}
		if n := len(p.sms.codes()); n != 60 {
			t.Errorf("one /48 had %d messages sent", n)
		}
		for n := range 200 { // another attacker moves through the /48s of a /32
			if err := p.anyone(1000+n, fmt.Sprintf("2001:db9:%x::1", n)); err != nil {
				t.Fatalf("message %d of the /32: %v", n+1, err)
			}
		}
		p.over(func() error { return p.anyone(2000, "2001:db9:ffff::1") })
		noError(t, p.anyone(2001, "2001:db0::1")) // a stranger elsewhere
		for n, address := range []string{"2001:db8:7:ffff::1", "2001:db9:ffff::2", "198.51.100.7"} {
			_, err := p.AskCode(p.from(address), p.asking(portal.ForLogin, demoPhones[n], portal.NewFlow()))
			noError(t, err) // registered phones, on fresh addresses, without any proof
		}
	})
}

func TestStrangersSpendTheirPartOfTheHourAndRegisteredPhonesGoOn(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.spend(10) // a sixth of half of 120
		if wait := p.over(func() error { return p.anyone(100, "10.1.1.1") }); wait != time.Hour {
			t.Errorf("the wait is %v", wait)
		}
		err := refused(t, p.anyone(100, "10.1.1.1"), portal.TooManyAttempts)
		if key, args := err.Message(); key != "wait.messages" || args[1] != 60 {
			t.Errorf("%s %v", key, args)
		}
		hourly := "sms:strangers:hour:platform"
		if warned, full := p.budgetLines(hourly, "WARN"), p.budgetLines(hourly, "ERROR"); warned != 1 || full != 1 {
			t.Errorf("%d warnings, %d alarms", warned, full)
		}
		for n := range 8 { // a sixth of two fifths of 120
			in := p.asking(portal.ForLogin, demoPhones[n%4], portal.NewFlow())
			_, err := p.askFrom(fmt.Sprintf("172.16.%d.1", n), in)
			noError(t, err)
			p.clock.advance(time.Minute)
		}
		p.over(func() error {
			_, err := p.askFrom("172.17.1.1", p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
			return err
		})
		known := p.knownAsks()
		for n := range 4 { // an attacker with many registered phones cannot use the known browsers' share
			noError(t, known(1001, demoPhones[n]))
		}
		p.clock.advance(52*time.Minute + time.Millisecond)
		for n := range 9 { // a sixth of the 50 that are left
			noError(t, p.anyone(200+n, farAddress(200+n)))
		}
		p.over(func() error { return p.anyone(300, "10.1.1.1") })
	}, func(o *portal.Options) { o.Messages = 120 })
}

func TestTheSharesOfABudgetAreTheDocumentedOnes(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		budgets, err := p.MessageBudgets(t.Context())
		if err != nil || budgets[0] != (portal.MessageBudget{Limit: 5000, StrangersLimit: 417}) {
			t.Errorf("%+v, %v", budgets, err)
		}
		for name, c := range map[string][2]int{
			"strangers' share": {portal.StrangersShare, 50}, "registered phones' share": {portal.RegisteredShare, 40},
			"hours of a share": {portal.SharePerHour, 6}, "messages of a company": {portal.MessagesCompanyDay, 500},
			"messages of a day": {portal.MessagesDay, 5000},
			"a run":             {portal.RunLength, 10}, "a block": {portal.RunBlock, 1000},
			"a proof": {portal.WorkBits, 17}, "a proof under attack": {portal.MaxWorkBits, 20},
			"free asks of a browser":  {portal.FreeAsksBrowser, 1},
			"free asks of an address": {portal.FreeAsksAddress, 3},
		} {
			if c[0] != c[1] {
				t.Errorf("%s: %d, want %d", name, c[0], c[1])
			}
		}
	})
}

func TestTheWidestNetworksCapGrowsWithThePlatformsBudget(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 240 {
			if err := p.anyone(n, fmt.Sprintf("100.64.%d.9", n)); err != nil {
				t.Fatalf("message %d of the /16: %v", n+1, err)
			}
		}
		p.over(func() error { return p.anyone(1000, "100.64.250.9") })
	}, func(o *portal.Options) { o.Messages = 6000 })
}

func TestThePriceOfAnAskRisesWithTheStrangersShareThatIsSpent(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		price := func(n int) int { // for a number without requests, at an address with three requests
			address := "198.51.100.7"
			for i := range 3 {
				in := p.asking(portal.ForLogin, demoPhones[i], portal.NewFlow())
				if n == 0 {
					_, err := p.askFrom(address, in)
					noError(t, err)
				}
			}
			_, err := p.AskCode(p.from(address), p.asking(portal.ForExperience, scattered("136", n), portal.NewFlow()))
			return refused(t, err, portal.ValidationFailed).Work.Bits
		}
		want := map[int]int{0: 17, 4: 17, 5: 18, 9: 18, 10: 19, 14: 19, 15: 20, 19: 20}
		for n := range 20 {
			if bits, asked := want[n]; asked {
				if got := price(n); got != bits {
					t.Errorf("with %d of 20 spent the proof has %d bits, want %d", n, got, bits)
				}
			}
			fresh := p.asking(portal.ForExperience, scattered("135", n), portal.NewFlow())
			_, err := p.AskCode(p.from(farAddress(1000+n)), fresh) // an address that never asked
			if due := err != nil; due != (n >= 10) {
				t.Errorf("with %d of 20 spent: %v", n, err)
			}
			if err != nil {
				noError(t, p.anyone(n, farAddress(n)))
			}
		}
		_, err := p.AskCode(p.from("203.0.113.99"), p.asking(portal.ForLogin, bothPhone, portal.NewFlow()))
		noError(t, err) // a registered phone on a fresh address needs none
	}, func(o *portal.Options) { o.Messages = 240 })
}

func TestARunOfConsecutiveNumbersIsAnAlarmAndNeedsTheLargestProof(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := func(phone string, n int) error {
			_, err := p.AskCode(p.from(farAddress(n)), p.asking(portal.ForExperience, phone, portal.NewFlow()))
			return err
		}
		for n := range 10 {
			if lines := p.log.count(`"event":"sms_run"`); lines != 0 {
				t.Errorf("%d alarms after %d numbers", lines, n)
			}
			noError(t, ask(fmt.Sprintf("150000001%02d", 7*n), n))
		}
		if lines := p.log.count(`"event":"sms_run"`, `"level":"ERROR"`); lines != 1 {
			t.Errorf("%d alarms", lines)
		}
		if with := refused(t, ask("15000000199", 20), portal.ValidationFailed); with.Work.Bits != 20 {
			t.Errorf("%d bits", with.Work.Bits)
		}
		_, err := p.askFrom(farAddress(21), p.asking(portal.ForExperience, "15000000199", portal.NewFlow()))
		noError(t, err)                    // with the work done
		noError(t, ask("15000001199", 22)) // of another block of a thousand
		if lines := p.log.count(`"event":"sms_run"`); lines != 1 {
			t.Errorf("%d alarms", lines)
		}
		p.clock.advance(time.Hour + time.Millisecond)
		noError(t, ask("15000000198", 23))
	})
}

func TestAKnownBrowserIsNotHeldToTheNetworksCaps(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i := range 20 {
			noError(t, p.anyone(i, homeAddress))
		}
		p.over(func() error {
			_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
			return err
		})
		in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
		in.Device = p.signIn(accountHost, managerPhone).Device // known for another phone
		p.over(func() error { _, err := p.ask(in); return err })
		in.Device = p.signIn(accountHost, buyerPhone).Device
		p.sent(in)
	})
}

func TestNobodyUsesUpTheCodesOfAPhonesKnownBrowsers(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		ask := func(n int, device string) error {
			p.clock.advance(time.Minute)
			in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
			in.Device = device
			_, err := p.askFrom(farAddress(n), in)
			return err
		}
		for n := range 5 {
			noError(t, ask(n, ""))
		}
		p.over(func() error { return ask(5, "") })
		device := p.signIn(accountHost, buyerPhone).Device
		for n := range 5 {
			noError(t, ask(10+n, device))
		}
		p.over(func() error { return ask(20, device) })
	})
}

func TestPhonesThatOnlyTryThePlatformAreStrangers(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.trial(newPhone)
		_, err := p.askFrom("10.1.1.1", p.asking(portal.ForLogin, newPhone, portal.NewFlow()))
		noError(t, err)
		p.clock.advance(time.Minute)
		p.spend(9)
		p.over(func() error {
			_, err := p.askFrom("10.2.1.1", p.asking(portal.ForLogin, newPhone, portal.NewFlow()))
			return err
		})
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
	}, func(o *portal.Options) { o.Messages = 120 })
}

// trial gives a number a sandbox and nothing else. Anybody who has the number once can do this.
func (p *carer) trial(number string) {
	p.t.Helper()
	_, err := p.db.AddPhone(p.t.Context(), store.Phone{Phone: number, CreatedAt: 1})
	noError(p.t, err)
	phone, now := phoneOf(p.t, p.db, number), store.At(p.clock.now())
	id, err := p.db.AddCompany(p.t.Context(), store.Company{
		Name: "Prueba", Language: "es", Standing: store.Trial, EndsAt: now + store.Instant(24*time.Hour/time.Millisecond),
		Mall: store.MallOpen, Sandbox: true, CreatedAt: now, UpdatedAt: now,
	})
	noError(p.t, err)
	_, err = p.db.AddAccount(p.t.Context(), store.Account{
		CompanyID: id, Login: "trial" + number, Side: store.Mgr, Type: store.TypeAdministrator, Name: "谁",
		PhoneID: phone.ID, State: store.AccountActive, CreatedAt: 1,
	})
	noError(p.t, err)
}

func TestInStrictPrivacyASpentShareTellsNothingOfAPhone(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		const trying = "13911110000"
		p.trial(trying)
		asked := 0
		login := func(phone string) error {
			asked++
			_, err := p.askFrom(fmt.Sprintf("172.%d.1.1", asked), p.asking(portal.ForLogin, phone, portal.NewFlow()))
			return err
		}
		phones := []string{buyerPhone, newPhone, trying}
		p.spend(9)
		for _, phone := range phones {
			noError(t, login(phone)) // the last message for strangers goes to the phone with a sandbox
		}
		p.clock.advance(time.Minute)
		sent := 9 + 2
		for n, phone := range phones {
			noError(t, login(phone)) // the strangers' part of the hour is spent
			if n == 0 {
				sent++
			}
		}
		p.settle()
		if n := len(p.sms.codes()); n != sent {
			t.Errorf("%d messages, want %d", n, sent)
		}
		for n := range 6 { // unknown phones use up nothing, registered ones do: two were sent before
			noError(t, login(scattered("134", n)))
			noError(t, login(demoPhones[1+n%3]))
			p.clock.advance(time.Minute)
		}
		for _, phone := range phones {
			if with := refused(t, login(phone), portal.TooManyAttempts); !with.MessagesSpent {
				t.Errorf("%s: %+v", phone, with)
			}
		}
	}, strict, func(o *portal.Options) { o.Messages = 120 })
}

func TestAnAccountHasTenCodesADaySentToPhonesItWantsToBind(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		signed := p.signIn(accountHost, "nophone")
		bind := func(n int) error {
			in := p.asking(portal.ForBind, scattered("133", n), "session:"+signed.Session.Family)
			in.Session = signed.Session
			_, err := p.askFrom(farAddress(n), in)
			return err
		}
		for n := range 10 {
			noError(t, bind(n))
		}
		p.over(func() error { return bind(10) })
		p.clock.advance(24*time.Hour + time.Millisecond)
		signed = p.signIn(accountHost, "nophone")
		noError(t, bind(11))
	})
}

func TestOnlyAccountsOfCompaniesWithAContractAskAsKnownPeople(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.spend(10)
		signed := p.signIn(accountHost, "nophone")
		bind := func(n int) error {
			in := p.asking(portal.ForBind, scattered("133", n), "session:"+signed.Session.Family)
			in.Session = signed.Session
			_, err := p.askFrom(farAddress(500+n), in)
			return err
		}
		noError(t, bind(1))
		p.updateCompany(p.account("nophone").CompanyID, func(c *store.Company) {
			c.Standing, c.EndsAt = store.Trial, store.At(p.clock.in(time.Hour))
		})
		p.over(func() error { return bind(2) })
	}, func(o *portal.Options) { o.Messages = 120 })
}
