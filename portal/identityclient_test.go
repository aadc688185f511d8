package portal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// program is one of a kind that calls the API.
type program struct {
	*browser
	kind portal.Client
}

func (p *chatter) program(kind portal.Client) *program {
	return &program{p.browser("api.portico.test", "PorticoClient/3.1 (Android 14)"), kind}
}

const pageOf1001 = "http://" + host1001 + "/login"

// begins is what a page of 1001 needs to authorise there.
func (c *program) begins(provider portal.ProviderName) way {
	c.p.t.Helper()
	params, err := c.p.AppParams(c.ctx(), portal.AppParamsInput{CompanyID: 1001, URL: pageOf1001, Provider: provider, Client: c.kind})
	noError(c.p.t, err)
	return wayOf(c.p.t, provider, params.AuthorizeURL)
}

func (c *program) finishing(w way, code string) portal.ClientCallbackInput {
	return portal.ClientCallbackInput{Code: code, State: w.state, CompanyID: 1001, Provider: w.provider, Client: c.kind}
}

// comesBack is an identity that a program got, without a sign-in.
func (c *program) comesBack(provider portal.ProviderName, who portal.ProviderIdentity) portal.ClientCallback {
	c.p.t.Helper()
	w := c.begins(provider)
	back, err := c.p.FinishForClient(c.ctx(), c.finishing(w, c.p.counterpart(provider).grants(w.app, who)), false)
	noError(c.p.t, err)
	if back.User != nil || back.Ticket == "" || back.Identity != who {
		c.p.t.Fatalf("%+v", back)
	}
	return back
}

func TestAProgramSignsInByAnIdentityThatIsLinked(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.browser(host1001, inWorkChat).links(portal.WeCom, lan, buyerPhone)
		c := p.program(portal.ClientApp)
		w := c.begins(portal.WeCom)
		in := c.finishing(w, p.wecom.grants(w.app, lan))
		for range 2 {
			back, err := p.FinishForClient(c.ctx(), in, true)
			noError(t, err)
			if !back.Linked || back.User == nil || back.User.Login != "buyer1" || back.User.Token == "" || back.Applied {
				t.Fatalf("%+v", back)
			}
			if s, err := p.tokenSession(string(back.User.Token)); err != nil || s.ActingID != p.account("buyer1").ID {
				t.Errorf("%+v %v", s, err)
			}
		}
		if n := p.wecom.count("exchange"); n != 2 {
			t.Errorf("%d exchanges", n)
		}
		back := c.comesBack(portal.WeCom, lan)
		if !back.Linked {
			t.Errorf("%+v", back)
		}
		mixed, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: back.Ticket, Client: c.kind})
		if err != nil || mixed.User == nil || mixed.User.Login != "buyer1" || mixed.Ticket == "" || mixed.Phone != buyerPhone {
			t.Errorf("%+v %v", mixed, err)
		}
		p.setAccountState("buyer1", store.AccountDisabled)
		_, err = p.FinishForClient(c.ctx(), in, true)
		refused(t, err, portal.AccountDisabled)
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: back.Ticket, Client: c.kind})
		refused(t, err, portal.AccountDisabled)
	})
}

func TestAStateIsEitherAProgramsOrABrowsers(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b, c, other := p.browser(host1001, inWeChat), p.program(portal.ClientApp), p.program(portal.ClientPC)
		mine, theirs := b.goes(portal.WeChat), c.begins(portal.WeChat)
		code := p.wechat.grants(platformAccount, xiao)
		for _, visitor := range []*browser{b, b.without(), b.at(accountHost), b.without().at(accountHost)} {
			back, err := visitor.returns(theirs, code)
			strange(t, "a program's state in a browser", back, err)
		}
		for name, in := range map[string]portal.ClientCallbackInput{
			"a browser's":          c.finishing(mine, code),
			"another program's":    other.finishing(theirs, code),
			"no program's":         {Code: code, State: mine.state, CompanyID: 1001, Provider: portal.WeChat},
			"another provider's":   {Code: code, State: theirs.state, CompanyID: 1001, Provider: portal.WeCom, Client: c.kind},
			"another company's":    {Code: code, State: theirs.state, CompanyID: 1002, Provider: portal.WeChat, Client: c.kind},
			"another site's":       {Code: code, State: theirs.state, Site: 1002, Provider: portal.WeChat, Client: c.kind},
			"a state that is none": {Code: code, State: strings.Repeat("0", 40), CompanyID: 1001, Provider: portal.WeChat, Client: c.kind},
		} {
			back, err := p.FinishForClient(c.ctx(), in, true)
			if with := new(portal.Refused); !errors.As(err, &with) || with.Refusal != portal.WeChatFailed || !with.Strange || back != (portal.ClientCallback{}) {
				t.Errorf("%s: %+v %v", name, back, err)
			}
		}
		if p.wechat.count("exchange") != 0 {
			t.Error("the code was exchanged")
		}
		_, err := p.FinishForClient(c.ctx(), c.finishing(theirs, ""), true)
		refused(t, err, portal.WeChatFailed)
		_, err = p.FinishForClient(c.ctx(), c.finishing(theirs, code), true)
		noError(t, err)
	})
}

func TestATicketIsOfTheKindOfProgramThatAuthorised(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b, c := p.browser(host1001, inWeChat), p.program(portal.ClientApp)
		b.links(portal.WeChat, someone(2), buyerPhone)
		browsers, ticket := b.unknown(portal.WeChat, xiao), c.comesBack(portal.WeChat, someone(2)).Ticket
		ask := b.asked(portal.WeChat, someone(2)).Ask
		for name, in := range map[string]portal.TicketLoginInput{
			"a browser's": {Ticket: browsers, Client: c.kind}, "another kind's": {Ticket: ticket, Client: portal.ClientPC}, "none": {Client: c.kind},
			"an openId": {Ticket: someone(2).Subject, Client: c.kind}, "a question": {Ticket: ask, Client: c.kind}, "no program": {Ticket: ticket},
		} {
			if _, err := p.LoginByTicket(c.ctx(), in); !errors.Is(err, portal.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
			bind := portal.BindByTicketInput{Ticket: in.Ticket, Client: in.Client, Login: managerPhone, Password: portal.DemoPassword}
			if _, err := p.BindByTicket(c.ctx(), bind); !errors.Is(err, portal.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := b.proves(b.linking(ticket, managerPhone)) // a program's in a browser
		refused(t, err, portal.LoginRequired)
		_, err = b.without().proves(b.without().linking(ticket, managerPhone))
		refused(t, err, portal.LoginRequired)
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: c.comesBack(portal.WeChat, xiao).Ticket, Client: c.kind})
		refused(t, err, portal.AccountNotFound)
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: ticket, Client: c.kind, CompanyID: 1002})
		refused(t, err, portal.WrongParameters) // it was authorised for 1001
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: ticket, Client: c.kind, CompanyID: 1001, Site: 1002})
		refused(t, err, portal.WrongParameters)
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: ticket, Client: c.kind, AccountID: p.account("jinsui").ID})
		refused(t, err, portal.NotFound)
		p.clock.advance(portal.IdentityTicketLife + time.Millisecond)
		_, err = p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: ticket, Client: c.kind})
		refused(t, err, portal.WeChatExpired)
		p.wantLinks(1)
	})
}

func TestAProgramLinksAnIdentityByAPassword(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		weak := hashOf(portal.DemoPassword, portal.HashCost{Memory: 32, Passes: 1, Threads: 1}) // to be hashed anew
		person := phoneOf(t, p.db, manyPhone)
		noError(t, p.db.SetPhonePasswordHash(t.Context(), person.ID, person.PasswordHash, weak))
		in := portal.BindByTicketInput{Ticket: c.comesBack(portal.WeChat, xiao).Ticket, Login: manyPhone, Password: "Wrong2026", Client: c.kind}
		_, err := p.BindByTicket(c.ctx(), in)
		refused(t, err, portal.WrongPassword)
		if p.failures("sur") != 1 {
			t.Error("it was not counted")
		}
		in.Password = portal.DemoPassword
		in.AccountID = p.account("jinsui").ID // somebody else's
		_, err = p.BindByTicket(c.ctx(), in)
		refused(t, err, portal.NotFound)
		p.wantLinks(0)
		in.AccountID = p.account("sur").ID // of another company than it was authorised for
		_, err = p.BindByTicket(c.ctx(), in)
		refused(t, err, portal.NotFound)
		p.wantLinks(0)
		in.AccountID = p.account("li.manager").ID
		for range 2 { // sent twice
			mixed, err := p.BindByTicket(c.ctx(), in)
			if err != nil || mixed.User == nil || mixed.User.Login != "li.manager" || mixed.Phone != manyPhone {
				t.Fatalf("%+v %v", mixed, err)
			}
		}
		p.wantLinks(1)
		if p.failures("sur") != 0 {
			t.Error("the right password does not count")
		}
		p.wantNotices(manyPhone + " identity_linked")
		other := portal.BindByTicketInput{Ticket: in.Ticket, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind}
		_, err = p.BindByTicket(c.ctx(), other) // the identity signs in somebody else
		refused(t, err, portal.WrongParameters)
		if p.failures("buyer1") != 0 {
			t.Error("the right password was counted as a wrong one")
		}
		for who, want := range map[string]portal.Refusal{newPhone: portal.PhoneNotBound, "nobody": portal.AccountNotFound, "13800000005": portal.AccountDisabled} {
			fresh := portal.BindByTicketInput{Ticket: c.comesBack(portal.WeChat, someone(3)).Ticket, Login: who, Password: portal.DemoPassword, Client: c.kind}
			_, err = p.BindByTicket(c.ctx(), fresh)
			refused(t, err, want)
		}
		p.wantLinks(1)
	})
}

func TestAProgramChoosesAmongTheAccountsItSignedInTo(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		c := p.program(portal.ClientApp)
		p.linkedRow(xiao, manyPhone)
		mixed, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{Ticket: c.comesBack(portal.WeChat, xiao).Ticket, Client: c.kind})
		noError(t, err)
		if mixed.User != nil || len(mixed.Mgr) != 1 || len(mixed.Shop) != 1 {
			t.Fatalf("%+v", mixed)
		}
		s, err := p.Token(t.Context(), portal.TokenInput{Token: mixed.Ticket, Client: c.kind, Ticket: true})
		noError(t, err)
		user, err := p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: p.account("li.manager").ID, Client: c.kind})
		noError(t, err)
		if acting, err := p.tokenSession(string(user.Token)); err != nil || acting.ActingID != p.account("li.manager").ID || user.Login != "li.manager" {
			t.Errorf("%+v %v", acting, err)
		}
		for _, foreign := range []int64{p.account("jinsui").ID, p.account("buyer1").ID, p.account("sur").ID, 1 << 40} {
			_, err = p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: foreign, Client: c.kind})
			refused(t, err, portal.NotFound)
		}
		_, err = p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: 0, Client: c.kind})
		field(t, err, "account_id", portal.ChoiceRequired)
		noError(t, p.DisableCompany(t.Context(), 1001))
		_, err = p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: p.account("li.manager").ID, Client: c.kind})
		refused(t, err, portal.CompanyDisabled)
		p.recovers(manyPhone)
		if _, err := p.tokenSession(string(user.Token)); err == nil {
			t.Error("the token lives on after a reset")
		}
		if text := fmt.Sprintf("%+v %v", mixed, user); strings.Contains(text, platformSecret) || strings.Contains(text, xiao.Subject) {
			t.Error("it tells too much")
		}
	})
}
