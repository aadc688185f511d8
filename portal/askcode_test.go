package portal_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/portaltest"
)

func TestCodesAreSentOnlyToPhonesTheyAreMeantFor(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		before := p.DumpCounters()
		byName := func(login string) core.AskCodeInput {
			in := p.CodeRequest(core.ForReset, "", core.NewFlow())
			in.Login = login
			return in
		}
		onOwnHost := byName("nophone")
		onOwnHost.Place = p.Place("store1001.portico.test")
		inCompany := func(purpose access.Purpose, company int64) core.AskCodeInput {
			in := p.CodeRequest(purpose, portaltest.NewPhone, core.NewFlow())
			in.CompanyID = company
			return in
		}
		for _, c := range []struct {
			in       core.AskCodeInput
			want     access.Refusal
			contacts string // the first one's phone
		}{
			{
				p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()), access.PhoneNotBound,
				"13700000500",
			},
			{
				p.CodeRequest(core.ForLogin, portaltest.UnboundPhone, core.NewFlow()),
				access.PhoneNotBound,
				"13700000500",
			},
			{
				p.CodeRequest(core.ForReset, portaltest.NewPhone, core.NewFlow()), access.PhoneNotBound,
				"13700000500",
			},
			{
				p.CodeRequest(core.ForRegister, portaltest.BuyerPhone, core.NewFlow()),
				access.PhoneRegistered, "",
			},
			{
				p.CodeRequest(core.ForRegister, portaltest.UnboundPhone, core.NewFlow()),
				access.PhoneRegistered, "",
			},
			{byName("nobody"), access.AccountNotFound, "13700000500"},
			// On the platform's host a name proves nothing to its company, whose contact stays unknown.
			{byName("nophone"), access.PhoneNotBound, "13700000500"}, {onOwnHost, access.PhoneNotBound, "13700000001"},
			{byName("a\u0007b"), access.ValidationFailed, ""},
			{inCompany(core.ForShopRegister, 0), access.ValidationFailed, ""},
			{inCompany(core.ForShopRegister, 9999), access.NotFound, ""},
			{inCompany(core.ForShopRegister, 1004), access.NotInCompany, ""},
			{inCompany(core.ForApplication, 1003), access.ApplicationsClosed, "13700000003"},
			{inCompany(core.ForApplication, 1006), access.CompanyExpired, ""},
		} {
			_, err := p.AskCode(c.in)
			if with := portaltest.Refused(t, err, c.want); c.contacts != "" &&
				(len(with.Contacts) == 0 || with.Contacts[0].Phone != c.contacts) {
				t.Errorf("%s %s%s: %+v", c.in.Purpose, c.in.Phone, c.in.Login, with.Contacts)
			}
		}
		if n := len(p.Sms.Messages()); n != 0 || p.DumpCounters() != before {
			t.Errorf("%d were sent, or something counted", n)
		}
		// it is registered
		p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.UnboundPhone, core.NewFlow()))
		p.ReceiveCode(p.CodeRequest(core.ForRegister, portaltest.NewPhone, core.NewFlow()))
		p.ReceiveCode(inCompany(core.ForApplication, 1001))
	})
}

func TestAskingForCodesOfUnknownPhonesAndNamesCountsAsLookups(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		named := p.CodeRequest(core.ForReset, "", core.NewFlow())
		for n := range core.LookupLimit {
			in := p.CodeRequest(
				[]access.Purpose{core.ForLogin, core.ForReset}[n%2], fmt.Sprintf("139%08d", n),
				core.NewFlow(),
			)
			_, err := p.AskCode(in)
			portaltest.Refused(t, err, access.PhoneNotBound)
		}
		named.Login = "nobody"
		for _, in := range []core.AskCodeInput{
			p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()),
			p.CodeRequest(core.ForRegister, portaltest.BuyerPhone, core.NewFlow()), named,
		} {
			_, err := p.AskCode(in)
			portaltest.Refused(t, err, access.TooManyAttempts)
		}
		if n := p.CountEvents(0, "probe"); n != 1 {
			t.Errorf("%d events", n)
		}
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
	})
}

func TestInStrictPrivacyKnownAndUnknownPhonesGetTheSameAnswer(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for i, purpose := range []access.Purpose{
			core.ForLogin, core.ForReset, core.ForRegister, core.ForExperience,
		} {
			sent := p.CountEvents(0, "code_sent")
			for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
				in := p.CodeRequest(purpose, phone, core.NewFlow())
				for _, again := range []bool{false, true} {
					got, err := p.Portal.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in)
					if again {
						if with := portaltest.RefusalOf(t, err); !reflect.DeepEqual(
							with, access.Refused{Refusal: access.CodeAlreadySent, Wait: time.Minute},
						) {
							t.Errorf("%s %s again: %+v", purpose, phone, with)
						}
					} else if err != nil || got != (core.CodeSent{ResendAfter: time.Minute}) {
						t.Errorf("%s %s: %+v, %v", purpose, phone, got, err)
					}
				}
				if pending, ok, err := p.Verification.PendingCode(t.Context(), in.Flow, purpose); err != nil || !ok ||
					pending.Phone != phone {
					t.Errorf("%s %s: pending %+v, %v, %v", purpose, phone, pending, ok, err)
				}
			}
			want := map[access.Purpose][]string{
				core.ForLogin: {portaltest.BuyerPhone}, core.ForReset: {portaltest.BuyerPhone},
				core.ForRegister:   {portaltest.BuyerPhone, portaltest.NewPhone},
				core.ForExperience: {portaltest.BuyerPhone, portaltest.NewPhone},
			}[purpose]
			for range want {
				waitForMessage(p)
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
			if n := p.CountEvents(0, "code_sent") - sent; n != 2 {
				t.Errorf("%d audit events", n)
			}
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyACodeThatWasNeverSentIsRefusedAsWrong(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		var first []access.Refused
		for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			_, err := p.AskCode(p.CodeRequest(core.ForLogin, phone, flow))
			portaltest.NoError(t, err)
			_, err = p.AskCode(p.CodeRequest(core.ForReset, phone, flow))
			portaltest.NoError(t, err)
			if phone == portaltest.BuyerPhone {
				waitForMessage(p)
				waitForMessage(p)
			}
			codes := map[access.Purpose]string{}
			for _, m := range p.Sms.Codes() {
				codes[m.Purpose] = portaltest.WrongCode(m.Code)
			}
			var got []access.Refused
			for range core.CodeTries + 1 {
				_, err = p.CodeLogin(p.CodeLoginInput(phone, codes[core.ForLogin], flow))
				got = append(
					got, portaltest.RefusalOf(t, err),
					portaltest.RefusalOf(t, p.ResetPassword(p.ResetInput(phone, codes[core.ForReset], flow))),
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
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		var first core.CodeSent
		for i, login := range []string{"buyer1", "nophone", "nobody", "nobod"} {
			in := p.CodeRequest(core.ForReset, "", core.NewFlow())
			in.Login = login
			got, err := p.AskCode(in)
			portaltest.NoError(t, err)
			if i == 0 {
				first = got
				waitForMessage(p)
			} else if got != first {
				t.Errorf("%s: %+v, one with a phone: %+v", login, got, first)
			}
			_, err = p.AskCode(in)
			portaltest.Refused(t, err, access.CodeAlreadySent)
			pending, ok, err := p.Verification.PendingCode(t.Context(), in.Flow, core.ForReset)
			if err != nil || !ok || !pending.Hidden {
				t.Errorf("%s: pending %+v, %v, %v", login, pending, ok, err)
			}
			if shown := access.MaskPhone(pending.Phone); shown != "" && i > 0 {
				t.Errorf("%s: the page would show %q as its phone", login, shown)
			}
			reset := p.ResetInput("", "000000", in.Flow)
			reset.Login = login
			if err := p.ResetPassword(reset); !errors.Is(err, access.CodeWrong) {
				t.Errorf("%s: %v", login, err)
			}
		}
		if n := len(p.Sms.Codes()); n != 1 {
			t.Errorf("%d were sent", n)
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyNamesThatShareAPhoneGetTheSameAnswerAsUnknownNames(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		// trial and trial.shop share a phone, buyer1 has its own, and the last two names do not exist.
		groups := [][]string{{"trial", "trial.shop"}, {"buyer1", "nobodys"}, {"nobody.one", "nobody.two"}}
		answers := make([][]string, len(groups))
		for g, names := range groups {
			flow := core.NewFlow()
			tell := func(err error) {
				with := access.Refused{}
				if err != nil {
					with = portaltest.RefusalOf(t, err)
				}
				answers[g] = append(answers[g], fmt.Sprintf("%s %v %v", with.Refusal, with.Wait, with.MessagesSpent))
			}
			ask := func(name string, browser bool) {
				in := p.CodeRequest(core.ForReset, "", flow)
				in.Login, in.Browser = name, browser
				_, err := p.AskCodeFrom(fmt.Sprintf("10.%d.%d.1", g, len(answers[g])), in)
				tell(err)
			}
			for range 6 { // more than a phone may have in an hour
				for _, name := range names {
					ask(name, false)
					ask(name, false)
				}
				for range 4 {
					reset := p.ResetInput("", "000000", flow)
					reset.Login = names[0]
					tell(p.ResetPassword(reset))
				}
				reset := p.ResetInput("", "000000", flow)
				reset.Login = names[1]
				tell(p.ResetPassword(reset))
				p.Clock.Advance(time.Minute)
			}
			p.Clock.Advance(time.Hour)
		}
		for g := 1; g < len(groups); g++ {
			if !slices.Equal(answers[g], answers[0]) {
				t.Errorf("%v are answered\n%q\n%v\n%q", groups[0], answers[0], groups[g], answers[g])
			}
		}
		p.WaitForNotices()
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
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range 5 {
			in := p.CodeRequest(core.ForReset, "", core.NewFlow())
			in.Login = "buyer1"
			_, err := p.AskCodeFrom(portaltest.DistantAddress(n), in)
			portaltest.NoError(t, err)
			p.Clock.Advance(time.Minute)
		}
		for n, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			_, err := p.AskCodeFrom(
				portaltest.DistantAddress(10+n), p.CodeRequest(core.ForReset, phone, core.NewFlow()),
			)
			portaltest.NoError(t, err)
		}
		p.WaitForNotices()
		if n := len(p.Sms.Codes()); n != 5 { // the phone had its five messages
			t.Errorf("%d messages", n)
		}
	}, portaltest.Strict)
}

func TestACodeForAnAccountNameExpiresWhenTheAccountsPasswordChanges(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow, other := core.NewFlow(), core.NewFlow()
		named := p.CodeRequest(core.ForReset, "", flow)
		named.Login = "buyer1"
		in := p.ResetInput("", p.ReceiveCode(named), flow)
		in.Login = "buyer1"
		portaltest.NoError(
			t,
			p.ResetPassword(
				p.ResetInput(
					portaltest.BuyerPhone,
					p.ReceiveCode(p.CodeRequest(core.ForReset, portaltest.BuyerPhone, other)),
					other,
				),
			),
		)
		portaltest.Refused(t, p.ResetPassword(in), access.CodeExpired)
	})
}

func TestInStrictPrivacyTheLookupLimitRevealsNoAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		for n := range core.LookupLimit {
			_, err := p.AskCode(p.CodeRequest(core.ForLogin, fmt.Sprintf("139%08d", n), core.NewFlow()))
			portaltest.NoError(t, err)
		}
		_, known := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
		_, unknown := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.NewPhone, core.NewFlow()))
		if (known == nil) != (unknown == nil) {
			t.Errorf("a known phone: %v, an unknown one: %v", known, unknown)
		}
	}, portaltest.Strict)
}

func TestInStrictPrivacyAFailingProviderRevealsNoAccount(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.Sms.FailWith(portaltest.ErrProvider)
		var got []error
		for _, phone := range []string{portaltest.BuyerPhone, portaltest.NewPhone} {
			in := p.CodeRequest(core.ForLogin, phone, core.NewFlow())
			_, err := p.AskCode(in)
			portaltest.NoError(t, err)
			if phone == portaltest.BuyerPhone {
				waitForMessage(p)
				p.WaitForNotices()
			}
			_, err = p.AskCode(in)
			got = append(got, err)
		}
		if errors.Is(got[0], access.CodeAlreadySent) != errors.Is(got[1], access.CodeAlreadySent) {
			t.Errorf("asked again at once, a known phone: %v, an unknown one: %v", got[0], got[1])
		}
	}, portaltest.Strict)
}

// waitForMessage waits until the provider gets one more message. It fails the test after a minute.
func waitForMessage(p *portaltest.SMSPlatform) {
	p.T.Helper()
	select {
	case <-p.Sms.Arrived:
	case <-time.After(time.Minute):
		p.T.Fatal("no message was handed over")
	}
}
