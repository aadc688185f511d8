package chatlogin_test

import (
	"sync"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
)

func TestATicketSignsInOnceWhenUsedManyTimesAtOnce(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.ManyPhone)
		c := p.Program(landing.ClientApp)
		ticket, families := c.ComesBackToThePlatform(portaltest.Xiao).Ticket, map[string]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				in, err := c.Uses(ticket, 0)
				if err != nil {
					t.Errorf("%v", err)
					return
				}
				s, err := p.Landing.Token(c.Ctx(), landing.TokenInput{Token: in.Ticket, Client: c.Kind, Ticket: true})
				mu.Lock()
				defer mu.Unlock()
				if err != nil || s.PhoneID == 0 {
					t.Errorf("%+v %v", s, err)
				}
				families[s.Family] = true
			})
		}
		all.Wait()
		if len(families) != 1 {
			t.Errorf("%d sign-ins", len(families))
		}
		other, err := c.Uses(c.ComesBackToThePlatform(portaltest.Xiao).Ticket, 0)
		if err != nil || families[c.Chosen(other).Family] {
			t.Errorf("another ticket's sign-in is the same: %v", err)
		}
	})
}

func TestUsingATicketAgainChoosesAnAccountInTheSameSignIn(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.ManyPhone)
		c := p.Program(landing.ClientApp)
		ticket := c.ComesBackToThePlatform(portaltest.Xiao).Ticket
		first, err := c.Uses(ticket, 0)
		portaltest.NoError(t, err)
		began := c.Chosen(first)
		p.Clock.Advance(9 * time.Minute)
		later, err := c.Uses(ticket, p.Account("sur").ID)
		portaltest.NoError(t, err)
		s, err := p.TokenSession(string(later.User.Token))
		portaltest.NoError(t, err)
		if s.Family != began.Family || s.CreatedAt != began.CreatedAt ||
			s.EndsAt.Time().Sub(began.CreatedAt.Time()) != 365*24*time.Hour {
			t.Errorf("%+v is no part of %+v", s, began)
		}
		p.SignsOut(portaltest.ManyPhone)
		_, err = p.TokenSession(string(later.User.Token))
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = c.Uses(ticket, 0)
		portaltest.Refused(t, err, access.WeChatExpired)
		_, err = c.Uses(c.ComesBackToThePlatform(portaltest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
	})
}

func TestARefusedTicketCanBeUsedAgain(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		c := p.Program(landing.ClientApp)
		ticket := c.ComesBackToThePlatform(portaltest.Xiao).Ticket
		_, err := c.Uses(ticket, 0)
		portaltest.Refused(t, err, access.AccountNotFound)
		bind := chatlogin.BindByTicketInput{
			Ticket: ticket, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		}
		bound, err := p.Chatlogin.BindByTicket(c.Ctx(), bind)
		portaltest.NoError(t, err)
		again, err := p.Chatlogin.BindByTicket(c.Ctx(), bind) // its response was lost
		portaltest.NoError(t, err)
		in, err := c.Uses(ticket, 0)
		portaltest.NoError(t, err)
		if c.Chosen(in).Family != c.Chosen(bound).Family || c.Chosen(again).Family != c.Chosen(bound).Family {
			t.Error("one ticket made several sign-ins")
		}
		p.SignsOut(portaltest.BuyerPhone)
		_, err = p.Chatlogin.BindByTicket(c.Ctx(), bind)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestTheTicketOfAnImmediateSignInBelongsToThatSignIn(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		c := p.Program(landing.ClientApp)
		w := c.BeginsAtThePlatform()
		back, err := p.Chatlogin.FinishForClient(c.Ctx(), chatlogin.ClientCallbackInput{
			Code: p.Wechat.Grants(w.App, portaltest.Xiao), State: w.State, Provider: access.WeChat, Client: c.Kind,
		}, true)
		portaltest.NoError(t, err)
		s, err := p.TokenSession(string(back.User.Token))
		portaltest.NoError(t, err)
		in, err := c.Uses(back.Ticket, 0)
		portaltest.NoError(t, err)
		if c.Chosen(in).Family != s.Family {
			t.Error("it makes a sign-in of its own")
		}
	})
}

func TestATicketSignsInNoOtherPerson(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		c := p.Program(landing.ClientApp)
		ticket := c.ComesBackToThePlatform(portaltest.Xiao).Ticket
		_, err := c.Uses(ticket, 0)
		portaltest.NoError(t, err)
		buyer := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), buyer, p.Refs(buyer)[0], "zh"))
		p.LinkedRow(portaltest.Xiao, portaltest.ManagerPhone)
		_, err = c.Uses(ticket, 0)
		portaltest.Refused(t, err, access.WeChatExpired)
	})
}

func TestTheSweepDeletesUsedTicketsOnceTheyExpire(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		c := p.Program(landing.ClientApp)
		_, err := c.Uses(c.ComesBackToThePlatform(portaltest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		p.Clock.Advance(10*time.Minute - time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantRows("used_tickets", 1)
		p.Clock.Advance(time.Millisecond)
		portaltest.NoError(t, p.Sweep(t.Context()))
		p.WantRows("used_tickets", 0)
	})
}
