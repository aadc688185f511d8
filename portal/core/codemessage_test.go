package core_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/branding"
	"portico/portal/core"
	"portico/portal/portaltest"
	"portico/store"
)

func TestAMessageThatTheProviderCannotSendIsNotCounted(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow)
		in.Browser = true
		p.Sms.FailWith(portaltest.ErrProvider)
		for range 40 { // an address may cause 20 messages
			_, err := p.AskCode(in)
			if with := portaltest.Refused(t, err, access.SMSUnavailable); with.Wait != 0 {
				t.Errorf("the wait is %v", with.Wait)
			}
			if _, pending, err := p.Verification.PendingCode(t.Context(), flow, core.ForLogin); err != nil ||
				pending {
				t.Fatalf("a code is pending: %v, %v", pending, err)
			}
		}
		p.Sms.FailWith(nil)
		code := p.ReceiveCode(in)
		if p.Sms.Refused != 40 || p.Log.Count(`"sms failed"`) != p.Sms.Refused {
			t.Errorf("%d messages reached the provider, the log has %d", p.Sms.Refused, p.Log.Count(`"sms failed"`))
		}
		_, err := p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.NoError(t, err)
		for range 4 {
			p.Clock.Advance(time.Minute)
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		}
	})
}

func TestWithoutAProviderEveryRequestForACodeIsRefused(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.Restart(func(o *portal.Options) { o.SendSMS = nil })
		_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
		portaltest.Refused(t, err, access.SMSUnavailable)
		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone)
	})
}

func TestAMessageThatMayHaveBeenSentIsCountedAndItsCodeWorks(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		p.Sms.FailWith(fmt.Errorf("%w: no answer in time", core.ErrMaybeSent))
		code := p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		portaltest.Refused(t, err, access.CodeAlreadySent)
		_, err = p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, code, flow))
		portaltest.NoError(t, err)
		for range 4 {
			p.Clock.Advance(time.Minute)
			p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		}
		p.Clock.Advance(time.Minute)
		wantLimit(p, func() error {
			_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
			return err
		})
	})
}

func TestConcurrentRequestsAreAllRefusedWhenTheProviderFails(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		p.Sms.FailWith(portaltest.ErrProvider)
		for range 5 {
			var group sync.WaitGroup
			for i := range 10 {
				in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
				group.Go(func() {
					_, err := p.Portal.AskCode(p.From(fmt.Sprintf("198.51.100.%d", i)), in)
					if !errors.Is(err, access.SMSUnavailable) && !errors.Is(err, access.CodeAlreadySent) {
						t.Errorf("%v", err)
					}
				})
			}
			group.Wait()
		}
		p.Sms.FailWith(nil)
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
	})
}

func TestACodeIsSentAfterTheBrowserDisconnects(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		flow := core.NewFlow()
		ctx, hangUp := context.WithCancel(p.From(portaltest.HomeAddress))
		p.Restart(func(o *portal.Options) {
			o.SendSMS = func(inner context.Context, m core.Message) error {
				hangUp()
				if err := inner.Err(); err != nil {
					return err
				}
				return p.Sms.Send(inner, m)
			}
		})
		_, err := p.Portal.AskCode(ctx, p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, flow))
		portaltest.NoError(t, err)
		_, err = p.CodeLogin(p.CodeLoginInput(portaltest.BuyerPhone, p.Sms.Codes()[0].Code, flow))
		portaltest.NoError(t, err)
	})
}

// What a message says.

func TestAMessageContainsOnlyTheCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.CodeRequest(core.ForLogin, portaltest.ManyPhone, core.NewFlow())
		in.Place, in.CompanyID, in.Lang = p.Place("store1001.portico.test"), 1001, "es"
		code := p.ReceiveCode(in)
		m := p.Sms.Codes()[0]
		if m.ID == "" ||
			m != (core.Message{ID: m.ID, Phone: portaltest.ManyPhone, Purpose: core.ForLogin,
				Code: code, Lang: "es", Company: "金穗粮油", Host: "store1001.portico.test"}) {
			t.Errorf("%+v", m)
		}
		p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
		other := p.Sms.Codes()[1]
		if other.ID == m.ID || other.Company != "" || other.Host != portaltest.AccountHost {
			t.Errorf("%+v", other)
		}
	})
}

func TestTheHostInAMessageIsNeverTakenFromTheRequest(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		in := p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow())
		in.Place = p.Place("evil.test")
		p.ReceiveCode(in)
		if host := p.Sms.Codes()[0].Host; strings.Contains(host, "evil") {
			t.Errorf("the message offers the code to %s", host)
		}
	})
}

func TestACompanysNameInAMessageIsStrippedAndCutToTwentyCharacters(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		place := p.Place("store1001.portico.test")
		for i, c := range []struct{ name, want string }{
			{"金穗粮油", "金穗粮油"}, {"Mariscos del Sur", "Mariscos del Sur"}, {"【免费】http://evil.test", "免费httpeviltest"},
			{strings.Repeat("长", 300), strings.Repeat("长", 20)}, {"甲\n乙\r\n丙", "甲乙丙"},
			{"🐟 Fisch 🎣", "Fisch"}, {"\u202eabc\u200b", "abc"}, {"#@/.:", ""}, {"", ""}, {"  A  ", "A"},
		} {
			company := *place.Company
			company.Name, company.ConfirmedName = c.name, c.name
			in := p.CodeRequest(core.ForReset, fmt.Sprintf("138000000%02d", i+1), core.NewFlow())
			if i > 9 {
				t.Fatal("more names than phones")
			}
			in.Place = place
			in.Place.Company = &company
			p.ReceiveCode(in)
			if got := p.Sms.Codes()[i].Company; got != c.want || utf8.RuneCountInString(got) > 20 {
				t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestMessagesMentionACompanyOnlyByAConfirmedName(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		const alarm = "支付宝安全中心 账户异常请回电"
		n := 0
		mentioned := func(company int64) string {
			n++
			p.Clock.Advance(time.Minute) // the cached company has expired by then
			in := p.CodeRequest(core.ForApplication, scatteredPhone("137", n), core.NewFlow())
			in.CompanyID = company
			p.ReceiveCode(in)
			codes := p.Sms.Codes()
			return codes[len(codes)-1].Company
		}
		set := func(value string) { portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "name", value)) }
		if got := mentioned(1001); got != "金穗粮油" {
			t.Errorf("%q", got)
		}
		look := branding.AppearanceInput{Name: alarm, Language: "zh"}
		portaltest.NoError(t, p.Branding.SetAppearance(t.Context(), p.Office("jinsui"), look))
		if got := mentioned(1001); got != "" {
			t.Errorf("a new name is mentioned before anybody confirmed it: %q", got)
		}
		set("confirmed")
		c, err := p.Operator.Company(t.Context(), 1001)
		if err != nil || c.Name != alarm || c.ConfirmedName != alarm || mentioned(1001) == "" {
			t.Errorf("%+v, %v", c, err)
		}
		set("金穗")
		if got := mentioned(1001); got != "金穗" {
			t.Errorf("%q", got)
		}
		p.UpdateCompany(1008, func(c *store.Company) { c.ApplicationsOpen = true })
		portaltest.NoError(t, p.Operator.RenewCompany(t.Context(), 1008, p.Clock.In(24*time.Hour)))
		if got := mentioned(1008); got != "" { // its name was chosen while it was on trial
			t.Errorf("%q", got)
		}
	})
}

func TestACompanysNameInAMessageLooksLikeNoSecondCode(t *testing.T) {
	portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
		digits := regexp.MustCompile(`\p{Nd}[ \p{Nd}]{4,}\p{Nd}`)
		for i, name := range []string{"验证码888888", "Code 888 888", "验证码８８８８８８", "888-888"} {
			company := *p.Place("store1001.portico.test").Company
			company.Name, company.ConfirmedName = name, name
			in := p.CodeRequest(core.ForReset, fmt.Sprintf("138000000%02d", i+1), core.NewFlow())
			in.Place.Company = &company
			p.ReceiveCode(in)
			if got := p.Sms.Codes()[i].Company; digits.MatchString(got) {
				t.Errorf("%q becomes %q", name, got)
			}
		}
	})
}

// Who gets nothing.

func TestStoppingWaitsUntilCodesAreSent(t *testing.T) {
	for name, privacy := range map[string]bool{"spec": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			portaltest.EachWithSMS(t, func(t *testing.T, p *portaltest.SMSPlatform) {
				begun, finish := make(chan struct{}), make(chan struct{})
				p.Restart(func(o *portal.Options) {
					o.SendSMS = func(ctx context.Context, m core.Message) error {
						close(begun)
						<-finish
						return p.Sms.Send(ctx, m)
					}
				})
				asked := make(chan error, 1)
				go func() {
					_, err := p.AskCode(p.CodeRequest(core.ForLogin, portaltest.BuyerPhone, core.NewFlow()))
					asked <- err
				}()
				<-begun
				stopped := make(chan int, 1)
				if privacy { // else the request itself waits
					portaltest.NoError(t, <-asked)
					go func() { p.Stop(context.Background()); stopped <- len(p.Sms.Codes()) }()
				}
				time.AfterFunc(50*time.Millisecond, func() { close(finish) })
				if !privacy {
					portaltest.NoError(t, <-asked)
				} else if n := <-stopped; n != 1 {
					t.Errorf("stopped with %d messages sent", n)
				}
			}, func(o *portal.Options) { o.Strict = privacy })
		})
	}
}
