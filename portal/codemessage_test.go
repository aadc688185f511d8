package portal_test

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
	"portico/store"
)

func TestWhatAProviderCannotSendCostsNothing(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		in := p.asking(portal.ForLogin, buyerPhone, flow)
		in.Browser = true
		p.sms.failWith(errProvider)
		for range 2 * portal.MessagesAddressHour {
			_, err := p.ask(in)
			if with := refused(t, err, portal.SMSUnavailable); with.Wait != 0 {
				t.Errorf("the wait is %v", with.Wait)
			}
			if _, pending, err := p.PendingCode(t.Context(), flow, portal.ForLogin); err != nil || pending {
				t.Fatalf("a code is pending: %v, %v", pending, err)
			}
		}
		p.sms.failWith(nil)
		code := p.sent(in)
		if p.sms.refused != 2*portal.MessagesAddressHour || p.log.count(`"sms failed"`) != p.sms.refused {
			t.Errorf("%d asks reached the provider, the log tells of %d", p.sms.refused, p.log.count(`"sms failed"`))
		}
		_, err := p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		for range portal.MessagesPhoneHour - 1 {
			p.clock.advance(portal.DefaultResend)
			p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		}
	})
}

func TestWithoutAProviderEveryAskSaysSo(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.restart(func(o *portal.Options) { o.SendSMS = nil })
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		refused(t, err, portal.SMSUnavailable)
		p.signIn(accountHost, buyerPhone)
	})
}

func TestAMessageThatMayHaveBeenSentCountsAndItsCodeIsGood(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		p.sms.failWith(fmt.Errorf("%w: no answer in time", portal.ErrMaybeSent))
		code := p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, flow))
		refused(t, err, portal.CodeAlreadySent)
		_, err = p.codeLogin(p.withCode(buyerPhone, code, flow))
		noError(t, err)
		for range portal.MessagesPhoneHour - 1 {
			p.clock.advance(portal.DefaultResend)
			p.sent(p.asking(portal.ForLogin, buyerPhone, flow))
		}
		p.clock.advance(portal.DefaultResend)
		p.over(func() error { _, err := p.ask(p.asking(portal.ForLogin, buyerPhone, flow)); return err })
	})
}

func TestAsksAtOnceWhileTheProviderFailsAreAllToldWhatHappened(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		p.sms.failWith(errProvider)
		for range 5 {
			var group sync.WaitGroup
			for i := range 10 {
				in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
				group.Go(func() {
					_, err := p.AskCode(p.from(fmt.Sprintf("198.51.100.%d", i)), in)
					if !errors.Is(err, portal.SMSUnavailable) && !errors.Is(err, portal.CodeAlreadySent) {
						t.Errorf("%v", err)
					}
				})
			}
			group.Wait()
		}
		p.sms.failWith(nil)
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
	})
}

func TestAPersonWhoHangsUpHasTheCodeAllTheSame(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		flow := portal.NewFlow()
		ctx, hangUp := context.WithCancel(p.from(homeAddress))
		p.restart(func(o *portal.Options) {
			o.SendSMS = func(inner context.Context, m portal.Message) error {
				hangUp()
				if err := inner.Err(); err != nil {
					return err
				}
				return p.sms.send(inner, m)
			}
		})
		_, err := p.AskCode(ctx, p.asking(portal.ForLogin, buyerPhone, flow))
		noError(t, err)
		_, err = p.codeLogin(p.withCode(buyerPhone, p.sms.codes()[0].Code, flow))
		noError(t, err)
	})
}

// What a message says.

func TestAMessageCarriesTheCodeAndNothingMore(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, manyPhone, portal.NewFlow())
		in.Place, in.CompanyID, in.Lang = p.place("store1001.portico.test"), 1001, "es"
		code := p.sent(in)
		m := p.sms.codes()[0]
		if m.ID == "" || m != (portal.Message{ID: m.ID, Phone: manyPhone, Purpose: portal.ForLogin, Code: code, Lang: "es", Company: "金穗粮油", Host: "store1001.portico.test"}) {
			t.Errorf("%+v", m)
		}
		p.sent(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
		other := p.sms.codes()[1]
		if other.ID == m.ID || other.Company != "" || other.Host != accountHost {
			t.Errorf("%+v", other)
		}
	})
}

func TestTheHostInAMessageIsNeverTheRequests(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		in := p.asking(portal.ForLogin, buyerPhone, portal.NewFlow())
		in.Place = p.place("evil.test")
		p.sent(in)
		if host := p.sms.codes()[0].Host; strings.Contains(host, "evil") {
			t.Errorf("phones are told to offer the code to %s", host)
		}
	})
}

func TestACompanysNameInAMessageLooksLikeNothingElse(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		place := p.place("store1001.portico.test")
		for i, c := range []struct{ name, want string }{
			{"金穗粮油", "金穗粮油"}, {"Mariscos del Sur", "Mariscos del Sur"}, {"【免费】http://evil.test", "免费httpeviltest"}, {strings.Repeat("长", 300), strings.Repeat("长", 20)}, {"甲\n乙\r\n丙", "甲乙丙"},
			{"🐟 Fisch 🎣", "Fisch"}, {"\u202eabc\u200b", "abc"}, {"#@/.:", ""}, {"", ""}, {"  A  ", "A"},
		} {
			company := *place.Company
			company.Name, company.ConfirmedName = c.name, c.name
			in := p.asking(portal.ForReset, fmt.Sprintf("138000000%02d", i+1), portal.NewFlow())
			if i > 9 {
				t.Fatal("more names than phones")
			}
			in.Place = place
			in.Place.Company = &company
			p.sent(in)
			if got := p.sms.codes()[i].Company; got != c.want || utf8.RuneCountInString(got) > 20 {
				t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
			}
		}
	})
}

func TestMessagesMentionACompanyOnlyByAConfirmedName(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		const alarm = "支付宝安全中心 账户异常请回电"
		n := 0
		mentioned := func(company int64) string {
			n++
			p.clock.advance(time.Minute) // the cached company has expired by then
			in := p.asking(portal.ForApplication, scattered("137", n), portal.NewFlow())
			in.CompanyID = company
			p.sent(in)
			codes := p.sms.codes()
			return codes[len(codes)-1].Company
		}
		set := func(value string) { noError(t, p.SetCompany(t.Context(), 1001, "name", value)) }
		if got := mentioned(1001); got != "金穗粮油" {
			t.Errorf("%q", got)
		}
		look := portal.AppearanceInput{Name: alarm, Language: "zh"}
		noError(t, p.SetAppearance(t.Context(), p.office("jinsui"), look))
		if got := mentioned(1001); got != "" {
			t.Errorf("a new name is mentioned before anybody confirmed it: %q", got)
		}
		set("confirmed")
		c, err := p.Company(t.Context(), 1001)
		if err != nil || c.Name != alarm || c.ConfirmedName != alarm || mentioned(1001) == "" {
			t.Errorf("%+v, %v", c, err)
		}
		set("金穗")
		if got := mentioned(1001); got != "金穗" {
			t.Errorf("%q", got)
		}
		p.updateCompany(1008, func(c *store.Company) { c.ApplicationsOpen = true })
		noError(t, p.RenewCompany(t.Context(), 1008, p.clock.in(24*time.Hour)))
		if got := mentioned(1008); got != "" { // its name was chosen while it was on trial
			t.Errorf("%q", got)
		}
	})
}

func TestACompanysNameInAMessageIsNoSecondCode(t *testing.T) {
	eachCare(t, func(t *testing.T, p *carer) {
		digits := regexp.MustCompile(`\p{Nd}[ \p{Nd}]{4,}\p{Nd}`)
		for i, name := range []string{"验证码888888", "Code 888 888", "验证码８８８８８８", "888-888"} {
			company := *p.place("store1001.portico.test").Company
			company.Name, company.ConfirmedName = name, name
			in := p.asking(portal.ForReset, fmt.Sprintf("138000000%02d", i+1), portal.NewFlow())
			in.Place.Company = &company
			p.sent(in)
			if got := p.sms.codes()[i].Company; digits.MatchString(got) {
				t.Errorf("%q becomes %q", name, got)
			}
		}
	})
}

// Who gets nothing.

func TestStoppingWaitsForCodesOnTheirWay(t *testing.T) {
	for name, privacy := range map[string]bool{"spec": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			eachCare(t, func(t *testing.T, p *carer) {
				begun, finish := make(chan struct{}), make(chan struct{})
				p.restart(func(o *portal.Options) {
					o.SendSMS = func(ctx context.Context, m portal.Message) error {
						close(begun)
						<-finish
						return p.sms.send(ctx, m)
					}
				})
				asked := make(chan error, 1)
				go func() {
					_, err := p.ask(p.asking(portal.ForLogin, buyerPhone, portal.NewFlow()))
					asked <- err
				}()
				<-begun
				stopped := make(chan int, 1)
				if privacy { // else the request itself waits
					noError(t, <-asked)
					go func() { p.Stop(context.Background()); stopped <- len(p.sms.codes()) }()
				}
				time.AfterFunc(50*time.Millisecond, func() { close(finish) })
				if !privacy {
					noError(t, <-asked)
				} else if n := <-stopped; n != 1 {
					t.Errorf("stopped with %d messages sent", n)
				}
			}, func(o *portal.Options) { o.Strict = privacy })
		})
	}
}
