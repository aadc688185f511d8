package portal_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/portal"
)

// uses signs in with a ticket of an identity.
func (c *program) uses(ticket string, accountID int64) (portal.MixedLogin, error) {
	return c.p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: ticket, AccountID: accountID, Client: c.kind})
}

// chosen is the session of the ticket that a sign-in gives for choosing an account.
func (c *program) chosen(in portal.MixedLogin) portal.Session {
	c.p.t.Helper()
	s, err := c.p.Token(c.ctx(), portal.TokenInput{Token: in.Ticket, Client: c.kind, Ticket: true})
	noError(c.p.t, err)
	return s
}

// signsOut ends a sign-in as the person does from another device.
func (p *chatter) signsOut(phone string) {
	p.t.Helper()
	noError(p.t, p.EndOtherDevices(p.t.Context(), p.signIn(accountHost, phone).Session))
}

func TestATicketMakesOneSignInHoweverManyUseItAtOnce(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		c := p.program(portal.ClientApp)
		ticket, families := c.comesBackToThePlatform(xiao).Ticket, map[string]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				in, err := c.uses(ticket, 0)
				if err != nil {
					t.Errorf("%v", err)
					return
				}
				s, err := p.Token(c.ctx(), portal.TokenInput{Token: in.Ticket, Client: c.kind, Ticket: true})
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
		other, err := c.uses(c.comesBackToThePlatform(xiao).Ticket, 0)
		if err != nil || families[c.chosen(other).Family] {
			t.Errorf("another ticket's sign-in is the same: %v", err)
		}
	})
}

func TestALaterUseOfATicketChoosesAnAccountInTheSameSignIn(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		c := p.program(portal.ClientApp)
		ticket := c.comesBackToThePlatform(xiao).Ticket
		first, err := c.uses(ticket, 0)
		noError(t, err)
		began := c.chosen(first)
		p.clock.advance(9 * time.Minute)
		later, err := c.uses(ticket, p.account("sur").ID)
		noError(t, err)
		s, err := p.tokenSession(string(later.User.Token))
		noError(t, err)
		if s.Family != began.Family || s.CreatedAt != began.CreatedAt ||
			s.EndsAt.Time().Sub(began.CreatedAt.Time()) != 365*24*time.Hour {
			t.Errorf("%+v is no part of %+v", s, began)
		}
		p.signsOut(manyPhone)
		_, err = p.tokenSession(string(later.User.Token))
		refused(t, err, portal.LoginRequired)
		_, err = c.uses(ticket, 0)
		refused(t, err, portal.WeChatExpired)
		_, err = c.uses(c.comesBackToThePlatform(xiao).Ticket, 0)
		noError(t, err)
	})
}

func TestATicketThatWasRefusedIsNotSpent(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		ticket := c.comesBackToThePlatform(xiao).Ticket
		_, err := c.uses(ticket, 0)
		refused(t, err, portal.AccountNotFound)
		bind := portal.BindByTicketInput{
			Ticket: ticket, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind,
		}
		bound, err := p.BindByTicket(c.ctx(), bind)
		noError(t, err)
		again, err := p.BindByTicket(c.ctx(), bind) // its response was lost
		noError(t, err)
		in, err := c.uses(ticket, 0)
		noError(t, err)
		if c.chosen(in).Family != c.chosen(bound).Family || c.chosen(again).Family != c.chosen(bound).Family {
			t.Error("one ticket made several sign-ins")
		}
		p.signsOut(buyerPhone)
		_, err = p.BindByTicket(c.ctx(), bind)
		refused(t, err, portal.WeChatExpired)
	})
}

func TestTheTicketOfASignInAtOnceBelongsToIt(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		c := p.program(portal.ClientApp)
		w := c.beginsAtThePlatform()
		back, err := p.FinishForClient(c.ctx(), portal.ClientCallbackInput{
			Code: p.wechat.grants(w.app, xiao), State: w.state, Provider: portal.WeChat, Client: c.kind,
		}, true)
		noError(t, err)
		s, err := p.tokenSession(string(back.User.Token))
		noError(t, err)
		in, err := c.uses(back.Ticket, 0)
		noError(t, err)
		if c.chosen(in).Family != s.Family {
			t.Error("it makes a sign-in of its own")
		}
	})
}

func TestATicketMakesNoSignInOfSomebodyElse(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		c := p.program(portal.ClientApp)
		ticket := c.comesBackToThePlatform(xiao).Ticket
		_, err := c.uses(ticket, 0)
		noError(t, err)
		buyer := p.signIn(accountHost, buyerPhone).Session
		noError(t, p.Unlink(t.Context(), buyer, p.refs(buyer)[0], "zh"))
		p.linkedRow(xiao, managerPhone)
		_, err = c.uses(ticket, 0)
		refused(t, err, portal.WeChatExpired)
	})
}

func TestUsesOfTicketsAreForgottenOnceTheTicketsHaveExpired(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		c := p.program(portal.ClientApp)
		_, err := c.uses(c.comesBackToThePlatform(xiao).Ticket, 0)
		noError(t, err)
		p.clock.advance(10*time.Minute - time.Millisecond)
		noError(t, p.Sweep(t.Context()))
		p.wantRows("used_tickets", 1)
		p.clock.advance(time.Millisecond)
		noError(t, p.Sweep(t.Context()))
		p.wantRows("used_tickets", 0)
	})
}

// wantRows demands that a table has so many rows.
func (p *platform) wantRows(table string, n int) {
	p.t.Helper()
	counts, err := p.db.RowCounts(p.t.Context())
	noError(p.t, err)
	if !strings.Contains(" "+counts, fmt.Sprintf(" %s=%d ", table, n)) {
		p.t.Errorf("want %d rows in %s: %s", n, table, counts)
	}
}
