package portal_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"portico/portal"
)

func TestNobodyWhomACodeDoesNotConcernIsSentOne(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		before := p.counters()
		byName := func(login string) portal.AskCodeInput {
			in := p.asking(portal.ForReset, "", portal.NewFlow())
			in.Login = login
			return in
		}
		inCompany := func(purpose portal.Purpose, company int64) portal.AskCodeInput {
			in := p.asking(purpose, newPhone, portal.NewFlow())
			in.CompanyID = company
			return in
		}
		for _, c := range []struct {
			in       portal.AskCodeInput
			want     portal.Refusal
			contacts string // the first one's phone
		}{
			{p.asking(portal.ForLogin, newPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"}, {p.asking(portal.ForLogin, unboundPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"},
			{p.asking(portal.ForReset, newPhone, portal.NewFlow()), portal.PhoneNotBound, "13700000500"}, {p.asking(portal.ForRegister, buyerPhone, portal.NewFlow()), portal.PhoneRegistered, ""},
			{p.asking(portal.ForRegister, unboundPhone, portal.NewFlow()), portal.PhoneRegistered, ""}, {byName("nobody"), portal.AccountNotFound, "13700000500"},
			{byName("nophone"), portal.PhoneNotBound, "13700000001"}, {byName("a\u202eb"), portal.ValidationFailed, ""}, {inCompany(portal.ForShopRegister, 0), portal.ValidationFailed, ""},
			{inCompany(portal.ForShopRegister, 9999), portal.NotFound, ""}, {inCompany(portal.ForShopRegister, 1004), portal.NotInCompany, ""}, {inCompany(portal.ForApplication, 1003), portal.ApplicationsClosed, "13700000003"},
			{inCompany(portal.ForApplication, 1006), portal.CompanyExpired, ""},
		} {
			_, err := p.ask(c.in)
			if with := refused(t, err, c.want); c.contacts != "" && (len(with.Contacts) == 0 || with.Contacts[0].Phone != c.contacts) {
				t.Errorf("%s %s%s: %+v", c.in.Purpose, c.in.Phone, c.in.Login, with.Contacts)
			}
		}
		if n := len(p.sms.messages()); n != 0 || p.counters() != before {
			t.Errorf("%d were sent, or something counted", n)
		}
		p.sent(p.asking(portal.ForReset, unboundPhone, portal.NewFlow())) // it is registered
		p.sent(p.asking(portal.ForRegister, newPhone, portal.NewFlow()))
		p.sent(inCompany(portal.ForApplication, 1001))
	})
}

func TestAsksAboutUnknownPhonesAndNamesDrawOnTheBudgetOfLookUps(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		named := p.asking(portal.ForReset, "", portal.NewFlow())
		for n := range portal.LookupLimit {
			in := p.asking([]portal.Purpose{portal.ForLogin, portal.ForReset}[n%2], fmt.Sprintf("139%08d", n), portal.NewFlow())
			_, err := p.ask(in)
			refused(t, err, portal.PhoneNotBound)
		}
		named.Login = "nobody"
		for _, in := range []portal.AskCodeInput{p.asking(portal.ForLogin, newPhone, portal.NewFlow()), p.asking(portal.ForRegister, buyerPhone, portal.NewFlow()), named} {
			_, err := p.ask(in)
			refused(t, err, portal.TooManyAttempts)
		}
		if n := p.events(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
	})
}

func TestInStrictPrivacyKnownAndUnknownPhonesAreAnsweredAlike(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for i, purpose := range []portal.Purpose{portal.ForLogin, portal.ForReset, portal.ForRegister, portal.ForExperience} {
			sent := p.events(0, "code_sent")
			for _, phone := range []string{buyerPhone, newPhone} {
				in := p.asking(purpose, phone, portal.NewFlow())
				for _, again := range []bool{false, true} {
					got, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
					if again {
						if with := outcome(t, err); !reflect.DeepEqual(with, portal.Refused{Refusal: portal.CodeAlreadySent, Wait: time.Minute}) {
							t.Errorf("%s %s again: %+v", purpose, phone, with)
						}
					} else if err != nil || got != (portal.CodeSent{ResendAfter: time.Minute}) {
						t.Errorf("%s %s: %+v, %v", purpose, phone, got, err)
					}
				}
				if pending, ok, err := p.PendingCode(t.Context(), in.Flow, purpose); err != nil || !ok || pending.Phone != phone {
					t.Errorf("%s %s: pending %+v, %v, %v", purpose, phone, pending, ok, err)
				}
			}
			want := map[portal.Purpose][]string{portal.ForLogin: {buyerPhone}, portal.ForReset: {buyerPhone}, portal.ForRegister: {buyerPhone, newPhone}, portal.ForExperience: {buyerPhone, newPhone}}[purpose]
			for range want {
				p.arrive()
			}
			var got []string
			for _, m := range p.sms.codes() {
				if m.Purpose == purpose {
					got = append(got, m.Phone)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s was sent to %v, want %v", purpose, got, want)
			}
			if n := p.events(0, "code_sent") - sent; n != 2 {
				t.Errorf("%d audit events", n)
			}
		}
	}, strict)
}

func TestInStrictPrivacyACodeThatWasNeverSentIsWrongLikeAnyOther(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		var first []portal.Refused
		for _, phone := range []string{buyerPhone, newPhone} {
			_, err := p.ask(p.asking(portal.ForLogin, phone, flow))
			noError(t, err)
			_, err = p.ask(p.asking(portal.ForReset, phone, flow))
			noError(t, err)
			if phone == buyerPhone {
				p.arrive()
				p.arrive()
			}
			codes := map[portal.Purpose]string{}
			for _, m := range p.sms.codes() {
				codes[m.Purpose] = otherThan(m.Code)
			}
			var got []portal.Refused
			for range portal.CodeTries + 1 {
				_, err = p.codeLogin(p.withCode(phone, codes[portal.ForLogin], flow))
				got = append(got, outcome(t, err), outcome(t, p.reset(p.resetting(phone, codes[portal.ForReset], flow))))
			}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("unknown %+v\nknown %+v", got, first)
			}
		}
	}, strict)
}

func TestInStrictPrivacyNamesAreAnsweredAlike(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		var first portal.CodeSent
		for i, login := range []string{"buyer1", "nophone", "nobody", "nobod"} {
			in := p.asking(portal.ForReset, "", portal.NewFlow())
			in.Login = login
			got, err := p.ask(in)
			noError(t, err)
			if i == 0 {
				first = got
				p.arrive()
			} else if got != first {
				t.Errorf("%s: %+v, one with a phone: %+v", login, got, first)
			}
			_, err = p.ask(in)
			refused(t, err, portal.CodeAlreadySent)
			pending, ok, err := p.PendingCode(t.Context(), in.Flow, portal.ForReset)
			if err != nil || !ok || !pending.Hidden {
				t.Errorf("%s: pending %+v, %v, %v", login, pending, ok, err)
			}
			if shown := portal.MaskPhone(pending.Phone); shown != "" && i > 0 {
				t.Errorf("%s: the page would show %q as its phone", login, shown)
			}
			reset := p.resetting("", "000000", in.Flow)
			reset.Login = login
			if err := p.reset(reset); !errors.Is(err, portal.CodeWrong) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if n := len(p.sms.codes()); n != 1 {
			t.Errorf("%d were sent", n)
		}
	}, strict)
}

func TestInStrictPrivacyNamesOfOnePhoneAreAnsweredLikeNamesOfNobody(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		// trial and trial.shop share a phone, buyer1 has its own, and the last two names do not exist.
		groups := [][]string{{"trial", "trial.shop"}, {"buyer1", "nobodys"}, {"nobody.one", "nobody.two"}}
		answers := make([][]string, len(groups))
		for g, names := range groups {
			flow := portal.NewFlow()
			tell := func(err error) {
				with := portal.Refused{}
				if err != nil {
					with = outcome(t, err)
				}
				answers[g] = append(answers[g], fmt.Sprintf("%s %v %v", with.Refusal, with.Wait, with.MessagesSpent))
			}
			ask := func(name string, browser bool) {
				in := p.asking(portal.ForReset, "", flow)
				in.Login, in.Browser = name, browser
				_, err := p.askFrom(fmt.Sprintf("10.%d.%d.1", g, len(answers[g])), in)
				tell(err)
			}
			for range 6 { // more than a phone may have in an hour
				for _, name := range names {
					ask(name, false)
					ask(name, false)
				}
				for range 4 {
					reset := p.resetting("", "000000", flow)
					reset.Login = names[0]
					tell(p.reset(reset))
				}
				reset := p.resetting("", "000000", flow)
				reset.Login = names[1]
				tell(p.reset(reset))
				p.clock.advance(time.Minute)
			}
			p.clock.advance(time.Hour)
		}
		for g := 1; g < len(groups); g++ {
			if !slices.Equal(answers[g], answers[0]) {
				t.Errorf("%v are answered\n%q\n%v\n%q", groups[0], answers[0], groups[g], answers[g])
			}
		}
		p.settle()
		sent := map[string]int{}
		for _, m := range p.sms.codes() {
			sent[m.Phone]++
		}
		if sent[bothPhone] != 5 || sent[buyerPhone] != 5 { // the caps of the phone hold all the same
			t.Errorf("%v", sent)
		}
	}, strict)
}

func TestInStrictPrivacyResetsByNameDoNotShowWhenThePhoneIsTyped(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range 5 {
			in := p.asking(portal.ForReset, "", portal.NewFlow())
			in.Login = "buyer1"
			_, err := p.askFrom(farAddress(n), in)
			noError(t, err)
			p.clock.advance(time.Minute)
		}
		for n, phone := range []string{buyerPhone, newPhone} {
			_, err := p.askFrom(farAddress(10+n), p.asking(portal.ForReset, phone, portal.NewFlow()))
			noError(t, err)
		}
		p.settle()
		if n := len(p.sms.codes()); n != 5 { // the phone had its five messages
			t.Errorf("%d messages", n)
		}
	}, strict)
}

func TestACodeAskedForByNameEndsWithThePasswordOfItsAccount(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow, other := portal.NewFlow(), portal.NewFlow()
		named := p.asking(portal.ForReset, "", flow)
		named.Login = "buyer1"
		in := p.resetting("", p.sent(named), flow)
		in.Login = "buyer1"
		noError(t, p.reset(p.resetting(buyerPhone, p.sent(p.asking(portal.ForReset, buyerPhone, other)), other)))
		refused(t, p.reset(in), portal.CodeExpired)
	})
}

func TestInStrictPrivacyTheBudgetOfLookUpsTellsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		for n := range portal.LookupLimit {
			_, err := p.ask(p.asking(portal.ForLogin, fmt.Sprintf("139%08d", n), portal.NewFlow()))
			noError(t, err)
		}
		_, known := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		_, unknown := p.ask(p.asking(portal.ForLogin, newPhone, portal.NewFlow()))
		if (known == nil) != (unknown == nil) {
			t.Errorf("a known phone: %v, an unknown one: %v", known, unknown)
		}
	}, strict)
}

func TestInStrictPrivacyAFailingProviderTellsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.sms.failWith(errProvider)
		var got []error
		for _, phone := range []string{buyerPhone, newPhone} {
			in := p.asking(portal.ForLogin, phone, portal.NewFlow())
			_, err := p.ask(in)
			noError(t, err)
			if phone == buyerPhone {
				p.arrive()
				p.settle()
			}
			_, err = p.ask(in)
			got = append(got, err)
		}
		if errors.Is(got[0], portal.CodeAlreadySent) != errors.Is(got[1], portal.CodeAlreadySent) {
			t.Errorf("asked again at once, a known phone: %v, an unknown one: %v", got[0], got[1])
		}
	}, strict)
}
