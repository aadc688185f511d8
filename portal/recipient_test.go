package portal_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/limits"
	"portico/portal/portaltest"
	"portico/portal/verification"
)

func TestCodesAreSentOnlyToPhonesTheyAreMeantFor(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		before := p.Counters()
		byName := func(login string) verification.AskCodeInput {
			in := p.Asking(verification.ForReset, "", verification.NewFlow())
			in.Login = login
			return in
		}
		inCompany := func(purpose access.Purpose, company int64) verification.AskCodeInput {
			in := p.Asking(purpose, portaltest.NewPhone, verification.NewFlow())
			in.CompanyID = company
			return in
		}
		for _, c := range []struct {
			in       verification.AskCodeInput
			want     access.Refusal
			contacts string // the first one's phone
		}{
			{
				p.Asking(verification.ForLogin, portaltest.NewPhone, verification.NewFlow()), access.PhoneNotBound,
				"13700000500",
			},
			{
				p.Asking(verification.ForLogin, portaltest.UnboundPhone, verification.NewFlow()), access.PhoneNotBound,
				"13700000500",
			},
			{
				p.Asking(verification.ForReset, portaltest.NewPhone, verification.NewFlow()), access.PhoneNotBound,
				"13700000500",
			},
			{
				p.Asking(verification.ForRegister, portaltest.BuyerPhone, verification.NewFlow()),
				access.PhoneRegistered, "",
			},
			{
				p.Asking(verification.ForRegister, portaltest.UnboundPhone, verification.NewFlow()),
				access.PhoneRegistered, "",
			},
			{byName("nobody"), access.AccountNotFound, "13700000500"},
			{byName("nophone"), access.PhoneNotBound, "13700000001"}, {byName("a\u202eb"), access.ValidationFailed, ""},
			{inCompany(verification.ForShopRegister, 0), access.ValidationFailed, ""},
			{inCompany(verification.ForShopRegister, 9999), access.NotFound, ""},
			{inCompany(verification.ForShopRegister, 1004), access.NotInCompany, ""},
			{inCompany(verification.ForApplication, 1003), access.ApplicationsClosed, "13700000003"},
			{inCompany(verification.ForApplication, 1006), access.CompanyExpired, ""},
		} {
			_, err := p.Ask(c.in)
			if with := portaltest.Refused(t, err, c.want); c.contacts != "" &&
				(len(with.Contacts) == 0 || with.Contacts[0].Phone != c.contacts) {
				t.Errorf("%s %s%s: %+v", c.in.Purpose, c.in.Phone, c.in.Login, with.Contacts)
			}
		}
		if n := len(p.Sms.Messages()); n != 0 || p.Counters() != before {
			t.Errorf("%d were sent, or something counted", n)
		}
		p.Sent(p.Asking(verification.ForReset, portaltest.UnboundPhone, verification.NewFlow())) // it is registered
		p.Sent(p.Asking(verification.ForRegister, portaltest.NewPhone, verification.NewFlow()))
		p.Sent(inCompany(verification.ForApplication, 1001))
	})
}

func TestAskingForCodesOfUnknownPhonesAndNamesCountsAsLookups(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		named := p.Asking(verification.ForReset, "", verification.NewFlow())
		for n := range limits.LookupLimit {
			in := p.Asking(
				[]access.Purpose{verification.ForLogin, verification.ForReset}[n%2], fmt.Sprintf("139%08d", n),
				verification.NewFlow(),
			)
			_, err := p.Ask(in)
			portaltest.Refused(t, err, access.PhoneNotBound)
		}
		named.Login = "nobody"
		for _, in := range []verification.AskCodeInput{
			p.Asking(verification.ForLogin, portaltest.NewPhone, verification.NewFlow()),
			p.Asking(verification.ForRegister, portaltest.BuyerPhone, verification.NewFlow()), named,
		} {
			_, err := p.Ask(in)
			portaltest.Refused(t, err, access.TooManyAttempts)
		}
		if n := p.Events(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.Sent(p.Asking(verification.ForLogin, portaltest.BuyerPhone, verification.NewFlow()))
	})
}

func TestInStrictPrivacyKnownAndUnknownPhonesGetTheSameAnswer(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for i, purpose := range []access.Purpose{
			verification.ForLogin, verification.ForReset, verification.ForRegister, verification.ForExperience,
		} {
			sent := p.Events(0, "code_sent")
			for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
				in := p.Asking(purpose, phone, verification.NewFlow())
				for _, again := range []bool{false, true} {
					got, err := p.Verification.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in)
					if again {
						if with := portaltest.Outcome(t, err); !reflect.DeepEqual(
							with, access.Refused{Refusal: access.CodeAlreadySent, Wait: time.Minute},
						) {
							t.Errorf("%s %s again: %+v", purpose, phone, with)
						}
					} else if err != nil || got != (verification.CodeSent{ResendAfter: time.Minute}) {
						t.Errorf("%s %s: %+v, %v", purpose, phone, got, err)
					}
				}
				if pending, ok, err := p.Verification.PendingCode(t.Context(), in.Flow, purpose); err != nil || !ok ||
					pending.Phone != phone {
					t.Errorf("%s %s: pending %+v, %v, %v", purpose, phone, pending, ok, err)
				}
			}
			want := map[access.Purpose][]string{
				verification.ForLogin: {portaltest.BuyerPhone}, verification.ForReset: {portaltest.BuyerPhone},
				verification.ForRegister:   {portaltest.BuyerPhone, portaltest.NewPhone},
				verification.ForExperience: {portaltest.BuyerPhone, portaltest.NewPhone},
			}[purpose]
			for range want {
				p.Arrive()
			}
			var got []string
			for _, m := range p.Sms.Codes() {
				if m.Purpose == purpose {
					got = append(got, m.Phone)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s was sent to %v, want %v", purpose, got, want)
			}
			if n := p.Events(0, "code_sent") - sent; n != 2 {
				t.Errorf("%d audit events", n)
			}
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyACodeThatWasNeverSentIsRefusedAsWrong(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow := verification.NewFlow()
		var first []access.Refused
		for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			_, err := p.Ask(p.Asking(verification.ForLogin, phone, flow))
			portaltest.NoError(t, err)
			_, err = p.Ask(p.Asking(verification.ForReset, phone, flow))
			portaltest.NoError(t, err)
			if phone == portaltest.BuyerPhone {
				p.Arrive()
				p.Arrive()
			}
			codes := map[access.Purpose]string{}
			for _, m := range p.Sms.Codes() {
				codes[m.Purpose] = portaltest.OtherThan(m.Code)
			}
			var got []access.Refused
			for range verification.CodeTries + 1 {
				_, err = p.CodeLogin(p.WithCode(phone, codes[verification.ForLogin], flow))
				got = append(
					got, portaltest.Outcome(t, err),
					portaltest.Outcome(t, p.Reset(p.Resetting(phone, codes[verification.ForReset], flow))),
				)
			}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("unknown %+v\nknown %+v", got, first)
			}
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyKnownAndUnknownNamesGetTheSameAnswer(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		var first verification.CodeSent
		for i, login := range []string{"buyer1", "nophone", "nobody", "nobod"} {
			in := p.Asking(verification.ForReset, "", verification.NewFlow())
			in.Login = login
			got, err := p.Ask(in)
			portaltest.NoError(t, err)
			if i == 0 {
				first = got
				p.Arrive()
			} else if got != first {
				t.Errorf("%s: %+v, one with a phone: %+v", login, got, first)
			}
			_, err = p.Ask(in)
			portaltest.Refused(t, err, access.CodeAlreadySent)
			pending, ok, err := p.Verification.PendingCode(t.Context(), in.Flow, verification.ForReset)
			if err != nil || !ok || !pending.Hidden {
				t.Errorf("%s: pending %+v, %v, %v", login, pending, ok, err)
			}
			if shown := access.MaskPhone(pending.Phone); shown != "" && i > 0 {
				t.Errorf("%s: the page would show %q as its phone", login, shown)
			}
			reset := p.Resetting("", "000000", in.Flow)
			reset.Login = login
			if err := p.Reset(reset); !errors.Is(err, access.CodeWrong) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if n := len(p.Sms.Codes()); n != 1 {
			t.Errorf("%d were sent", n)
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyNamesThatShareAPhoneGetTheSameAnswerAsUnknownNames(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		// trial and trial.shop share a phone, buyer1 has its own, and the last two names do not exist.
		groups := [][]string{{"trial", "trial.shop"}, {"buyer1", "nobodys"}, {"nobody.one", "nobody.two"}}
		answers := make([][]string, len(groups))
		for g, names := range groups {
			flow := verification.NewFlow()
			tell := func(err error) {
				with := access.Refused{}
				if err != nil {
					with = portaltest.Outcome(t, err)
				}
				answers[g] = append(answers[g], fmt.Sprintf("%s %v %v", with.Refusal, with.Wait, with.MessagesSpent))
			}
			ask := func(name string, browser bool) {
				in := p.Asking(verification.ForReset, "", flow)
				in.Login, in.Browser = name, browser
				_, err := p.AskFrom(fmt.Sprintf("10.%d.%d.1", g, len(answers[g])), in)
				tell(err)
			}
			for range 6 { // more than a phone may have in an hour
				for _, name := range names {
					ask(name, false)
					ask(name, false)
				}
				for range 4 {
					reset := p.Resetting("", "000000", flow)
					reset.Login = names[0]
					tell(p.Reset(reset))
				}
				reset := p.Resetting("", "000000", flow)
				reset.Login = names[1]
				tell(p.Reset(reset))
				p.Clock.Advance(time.Minute)
			}
			p.Clock.Advance(time.Hour)
		}
		for g := 1; g < len(groups); g++ {
			if !slices.Equal(answers[g], answers[0]) {
				t.Errorf("%v are answered\n%q\n%v\n%q", groups[0], answers[0], groups[g], answers[g])
			}
		}
		p.Settle()
		sent := map[string]int{}
		for _, m := range p.Sms.Codes() {
			sent[m.Phone]++
		}
		if sent[portaltest.BothPhone] != 5 ||
			sent[portaltest.BuyerPhone] != 5 { // the caps of the phone hold all the same
			t.Errorf("%v", sent)
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyAResetByNameIsNotRevealedWhenThePhoneIsTyped(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for n := range 5 {
			in := p.Asking(verification.ForReset, "", verification.NewFlow())
			in.Login = "buyer1"
			_, err := p.AskFrom(portaltest.FarAddress(n), in)
			portaltest.NoError(t, err)
			p.Clock.Advance(time.Minute)
		}
		for n, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			_, err := p.AskFrom(
				portaltest.FarAddress(10+n), p.Asking(verification.ForReset, phone, verification.NewFlow()),
			)
			portaltest.NoError(t, err)
		}
		p.Settle()
		if n := len(p.Sms.Codes()); n != 5 { // the phone had its five messages
			t.Errorf("%d messages", n)
		}
	}, portaltest.Strict)
}

func TestACodeForAnAccountNameExpiresWhenTheAccountsPasswordChanges(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		flow, other := verification.NewFlow(), verification.NewFlow()
		named := p.Asking(verification.ForReset, "", flow)
		named.Login = "buyer1"
		in := p.Resetting("", p.Sent(named), flow)
		in.Login = "buyer1"
		portaltest.NoError(
			t,
			p.Reset(
				p.Resetting(
					portaltest.BuyerPhone, p.Sent(p.Asking(verification.ForReset, portaltest.BuyerPhone, other)), other,
				),
			),
		)
		portaltest.Refused(t, p.Reset(in), access.CodeExpired)
	})
}

func TestInStrictPrivacyTheLookupLimitRevealsNoAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		for n := range limits.LookupLimit {
			_, err := p.Ask(p.Asking(verification.ForLogin, fmt.Sprintf("139%08d", n), verification.NewFlow()))
			portaltest.NoError(t, err)
		}
		_, known := p.Ask(p.Asking(verification.ForLogin, portaltest.BuyerPhone, verification.NewFlow()))
		_, unknown := p.Ask(p.Asking(verification.ForLogin, portaltest.NewPhone, verification.NewFlow()))
		if (known == nil) != (unknown == nil) {
			t.Errorf("a known phone: %v, an unknown one: %v", known, unknown)
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyAFailingProviderRevealsNoAccount(t *testing.T) {
	portaltest.EachCare(t, func(t *testing.T, p *portaltest.Carer) {
		p.Sms.FailWith(portaltest.ErrProvider)
		var got []error
		for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			in := p.Asking(verification.ForLogin, phone, verification.NewFlow())
			_, err := p.Ask(in)
			portaltest.NoError(t, err)
			if phone == portaltest.BuyerPhone {
				p.Arrive()
				p.Settle()
			}
			_, err = p.Ask(in)
			got = append(got, err)
		}
		if errors.Is(got[0], access.CodeAlreadySent) != errors.Is(got[1], access.CodeAlreadySent) {
			t.Errorf("asked again at once, a known phone: %v, an unknown one: %v", got[0], got[1])
		}
	}, portaltest.Strict)
}
