package signin_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/signin"
	"portico/store/storetest"
)

func TestATicketSignsInOnceWhenUsedManyTimesAtOnce(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		c := p.Program(signin.ClientApp)
		ticket, families := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, map[string]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				in, err := c.LoginByTicket(ticket, 0)
				if err != nil {
					t.Errorf("%v", err)
					return
				}
				s, err := p.Landing.Token(
					c.Context(), signin.TokenInput{Token: in.Ticket, Client: c.Kind, Ticket: true},
				)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || s.PersonID == 0 {
					t.Errorf("%+v %v", s, err)
				}
				families[s.Family] = true
			})
		}
		all.Wait()
		if len(families) != 1 {
			t.Errorf("%d sign-ins", len(families))
		}
		other, err := c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, 0)
		if err != nil || families[c.ChoiceSession(other).Family] {
			t.Errorf("another ticket's sign-in is the same: %v", err)
		}
	})
}

func TestUsingATicketAgainChoosesAnAccountInTheSameSignIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		c := p.Program(signin.ClientApp)
		ticket := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket
		first, err := c.LoginByTicket(ticket, 0)
		portaltest.NoError(t, err)
		began := c.ChoiceSession(first)
		p.Clock.Advance(9 * time.Minute)
		later, err := c.LoginByTicket(ticket, p.Account("sur").ID)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p.SMSPlatform, string(later.User.Token))
		portaltest.NoError(t, err)
		if s.Family != began.Family || s.CreatedAt != began.CreatedAt ||
			s.EndsAt.Time().Sub(began.CreatedAt.Time()) != 365*24*time.Hour {
			t.Errorf("%+v is no part of %+v", s, began)
		}
		signOutElsewhere(p, portaltest.ManyPhone)
		_, err = credentialtest.TokenSession(p.SMSPlatform, string(later.User.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = c.LoginByTicket(ticket, 0)
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
	})
}

func TestARefusedTicketCanBeUsedAgain(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		ticket := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket
		_, err := c.LoginByTicket(ticket, 0)
		portaltest.Refused(t, err, access.AccountNotFound)
		bind := signin.BindByTicketInput{
			Ticket: ticket, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		}
		bound, err := p.Chatlogin.BindByTicket(c.Context(), bind)
		portaltest.NoError(t, err)
		again, err := p.Chatlogin.BindByTicket(c.Context(), bind) // its response was lost
		portaltest.NoError(t, err)
		in, err := c.LoginByTicket(ticket, 0)
		portaltest.NoError(t, err)
		if c.ChoiceSession(in).Family != c.ChoiceSession(bound).Family ||
			c.ChoiceSession(again).Family != c.ChoiceSession(bound).Family {
			t.Error("one ticket made several sign-ins")
		}
		signOutElsewhere(p, portaltest.BuyerPhone)
		_, err = p.Chatlogin.BindByTicket(c.Context(), bind)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestTheTicketOfAnImmediateSignInBelongsToThatSignIn(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		c := p.Program(signin.ClientApp)
		w := c.BeginAtPlatform()
		back, err := p.Chatlogin.FinishForClient(c.Context(), signin.ClientCallbackInput{
			Code: p.Wechat.Grant(w.App, chattest.Xiao), State: w.State, Provider: access.WeChat, Client: c.Kind,
		}, true)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p.SMSPlatform, string(back.User.Token))
		portaltest.NoError(t, err)
		in, err := c.LoginByTicket(back.Ticket, 0)
		portaltest.NoError(t, err)
		if c.ChoiceSession(in).Family != s.Family {
			t.Error("it makes a sign-in of its own")
		}
	})
}

func TestATicketSignsInNoOtherPerson(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		c := p.Program(signin.ClientApp)
		ticket := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket
		_, err := c.LoginByTicket(ticket, 0)
		portaltest.NoError(t, err)
		buyer := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), buyer, p.IdentityRefs(buyer)[0], "zh"))
		p.AddLink(chattest.Xiao, portaltest.ManagerPhone)
		_, err = c.LoginByTicket(ticket, 0)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestTheSweepDeletesUsedTicketsOnceTheyExpire(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		c := p.Program(signin.ClientApp)
		_, err := c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantRows(p.Platform, "used_tickets", 1)
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		wantRows(p.Platform, "used_tickets", 0)
	})
}

// signOutElsewhere ends the other sign-ins of a person, as the person does on another device.
func signOutElsewhere(p *chattest.ChatPlatform, phone string) {
	p.T.Helper()
	portaltest.NoError(p.T, p.Sessions.EndOtherDevices(p.T.Context(), p.SignIn(portaltest.AccountHost, phone).Session))
}

// wantRows fails the test unless a table has n rows.
func wantRows(p *portaltest.Platform, table string, n int) {
	p.T.Helper()
	counts, err := storetest.RowCounts(p.T.Context(), p.DB)
	portaltest.NoError(p.T, err)
	if !strings.Contains(" "+counts, fmt.Sprintf(" %s=%d ", table, n)) {
		p.T.Errorf("want %d rows in %s: %s", n, table, counts)
	}
}
