package signin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/guesstest"
	"portico/portal/signin"
	"portico/store"
)

func TestAProgramSignsInByAnIdentityThatIsLinked(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Browser(chattest.Host1001, chattest.InWeCom).Link(access.WeCom, chattest.Lan, portaltest.BuyerPhone)
		c := p.Program(signin.ClientApp)
		w := c.BeginOnPage(access.WeCom)
		in := c.FinishInput(w, p.Wecom.Grant(w.App, chattest.Lan))
		for range 2 {
			back, err := p.Chatlogin.FinishForClient(c.Context(), in, true)
			portaltest.NoError(t, err)
			if !back.Linked || back.User == nil || back.User.Login != "buyer1" || back.User.Token == "" ||
				back.Applied {
				t.Fatalf("%+v", back)
			}
			if s, err := credentialtest.TokenSession(p.SMSPlatform, string(back.User.Token)); err != nil ||
				s.ActingID != p.Account("buyer1").ID {
				t.Errorf("%+v %v", s, err)
			}
		}
		if n := p.Wecom.Count("exchange"); n != 2 {
			t.Errorf("%d exchanges", n)
		}
		back := c.UnknownCallback(access.WeCom, chattest.Lan)
		if !back.Linked {
			t.Errorf("%+v", back)
		}
		mixed, err := p.Chatlogin.LoginByTicket(
			c.Context(), signin.TicketLoginInput{Ticket: back.Ticket, Client: c.Kind},
		)
		if err != nil || mixed.User == nil || mixed.User.Login != "buyer1" || mixed.Ticket == "" ||
			mixed.Phone != portaltest.BuyerPhone {
			t.Errorf("%+v %v", mixed, err)
		}
		p.SetAccountState("buyer1", store.AccountDisabled)
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, true)
		portaltest.Refused(t, err, access.AccountDisabled)
		_, err = p.Chatlogin.LoginByTicket(c.Context(), signin.TicketLoginInput{Ticket: back.Ticket, Client: c.Kind})
		portaltest.Refused(t, err, access.AccountDisabled)
	})
}

func TestAStateWorksOnlyForTheProgramOrBrowserThatBeganIt(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b, c := p.Browser(chattest.Host1001, chattest.InWeChat), p.Program(signin.ClientApp)
		other := p.Program(access.ClientPC)
		mine, theirs := b.Begin(access.WeChat), c.BeginOnPage(access.WeChat)
		code := p.Wechat.Grant(chattest.PlatformAccount, chattest.Xiao)
		for _, visitor := range []*chattest.Browser{b, b.WithoutCookie(), b.AtHost(portaltest.AccountHost),
			b.WithoutCookie().AtHost(portaltest.AccountHost)} {
			back, err := visitor.Finish(theirs, code)
			WantUnknownState(t, "a program's state in a browser", back, err)
		}
		for name, in := range map[string]signin.ClientCallbackInput{
			"a browser's":       c.FinishInput(mine, code),
			"another program's": other.FinishInput(theirs, code),
			"no program's":      {Code: code, State: mine.State, CompanyID: 1001, Provider: access.WeChat},
			"another provider's": {Code: code, State: theirs.State, CompanyID: 1001, Provider: access.WeCom,
				Client: c.Kind},
			"another company's": {Code: code, State: theirs.State, CompanyID: 1002, Provider: access.WeChat,
				Client: c.Kind},
			"another site's": {Code: code, State: theirs.State, Site: 1002, Provider: access.WeChat,
				Client: c.Kind},
			"a state that is none": {Code: code, State: strings.Repeat("0", 40), CompanyID: 1001,
				Provider: access.WeChat, Client: c.Kind},
		} {
			back, err := p.Chatlogin.FinishForClient(c.Context(), in, true)
			if with := new(
				access.Refused,
			); !errors.As(err, &with) || with.Refusal != access.WeChatFailed || !with.Strange ||
				back != (signin.ClientCallback{}) {
				t.Errorf("%s: %+v %v", name, back, err)
			}
		}
		if p.Wechat.Count("exchange") != 0 {
			t.Error("the code was exchanged")
		}
		_, err := p.Chatlogin.FinishForClient(c.Context(), c.FinishInput(theirs, ""), true)
		portaltest.Refused(t, err, access.WeChatFailed)
		_, err = p.Chatlogin.FinishForClient(c.Context(), c.FinishInput(theirs, code), true)
		portaltest.NoError(t, err)
	})
}

func TestATicketWorksOnlyForTheKindOfProgramThatAuthorised(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b, c := p.Browser(chattest.Host1001, chattest.InWeChat), p.Program(signin.ClientApp)
		b.Link(access.WeChat, chattest.Identity(2), portaltest.BuyerPhone)
		browsers := b.UnknownTicket(access.WeChat, chattest.Xiao)
		ticket := c.UnknownCallback(access.WeChat, chattest.Identity(2)).Ticket
		ask := b.AskConfirmation(access.WeChat, chattest.Identity(2)).ConfirmToken
		for name, in := range map[string]signin.TicketLoginInput{
			"a browser's":    {Ticket: browsers, Client: c.Kind},
			"another kind's": {Ticket: ticket, Client: access.ClientPC}, "none": {Client: c.Kind},
			"an openId":  {Ticket: chattest.Identity(2).Subject, Client: c.Kind},
			"a question": {Ticket: ask, Client: c.Kind}, "no program": {Ticket: ticket},
		} {
			if _, err := p.Chatlogin.LoginByTicket(c.Context(), in); !errors.Is(err, access.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
			bind := signin.BindByTicketInput{
				Ticket: in.Ticket, Client: in.Client, Login: portaltest.ManagerPhone, Password: onboarding.DemoPassword,
			}
			if _, err := p.Chatlogin.BindByTicket(c.Context(), bind); !errors.Is(err, access.LoginRequired) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := b.ProveLink(b.LinkInput(ticket, portaltest.ManagerPhone)) // a program's in a browser
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = b.WithoutCookie().ProveLink(b.WithoutCookie().LinkInput(ticket, portaltest.ManagerPhone))
		portaltest.Refused(t, err, access.LoginRequired)
		_, err = p.Chatlogin.LoginByTicket(
			c.Context(),
			signin.TicketLoginInput{Ticket: c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket, Client: c.Kind},
		)
		portaltest.Refused(t, err, access.AccountNotFound)
		_, err = p.Chatlogin.LoginByTicket(
			c.Context(), signin.TicketLoginInput{Ticket: ticket, Client: c.Kind, CompanyID: 1002},
		)
		portaltest.Refused(t, err, access.WrongParameters) // it was authorised for 1001
		_, err = p.Chatlogin.LoginByTicket(
			c.Context(), signin.TicketLoginInput{Ticket: ticket, Client: c.Kind, CompanyID: 1001, Site: 1002},
		)
		portaltest.Refused(t, err, access.WrongParameters)
		_, err = p.Chatlogin.LoginByTicket(
			c.Context(), signin.TicketLoginInput{Ticket: ticket, Client: c.Kind, AccountID: p.Account("jinsui").ID},
		)
		portaltest.Refused(t, err, access.NotFound)
		p.Clock.Advance(signin.IdentityTicketLife + time.Millisecond)
		_, err = p.Chatlogin.LoginByTicket(c.Context(), signin.TicketLoginInput{Ticket: ticket, Client: c.Kind})
		portaltest.Refused(t, err, access.WeChatExpired)
		p.WantLinks(1)
	})
}

func TestAProgramLinksAnIdentityByAPassword(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		weak := portaltest.HashPassword(
			onboarding.DemoPassword, core.HashCost{Memory: 32, Passes: 1, Threads: 1},
		) // to be hashed anew
		person := portaltest.PersonOf(t, p.DB, portaltest.ManyPhone)
		portaltest.NoError(t, p.DB.Passwords.RehashPerson(t.Context(), person.ID, person.PasswordHash, weak))
		in := signin.BindByTicketInput{
			Ticket:   c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket,
			Login:    portaltest.ManyPhone,
			Password: "Wrong2026",
			Client:   c.Kind,
		}
		_, err := p.Chatlogin.BindByTicket(c.Context(), in)
		portaltest.Refused(t, err, access.WrongPassword)
		if guesstest.CountFailures(p.Platform, "sur") != 1 {
			t.Error("it was not counted")
		}
		in.Password = onboarding.DemoPassword
		in.AccountID = p.Account("jinsui").ID // of another person
		_, err = p.Chatlogin.BindByTicket(c.Context(), in)
		portaltest.Refused(t, err, access.NotFound)
		p.WantLinks(0)
		in.AccountID = p.Account("sur").ID // of another company than it was authorised for
		_, err = p.Chatlogin.BindByTicket(c.Context(), in)
		portaltest.Refused(t, err, access.NotFound)
		p.WantLinks(0)
		in.AccountID = p.Account("li.manager").ID
		for range 2 { // sent twice
			mixed, err := p.Chatlogin.BindByTicket(c.Context(), in)
			if err != nil || mixed.User == nil || mixed.User.Login != "li.manager" ||
				mixed.Phone != portaltest.ManyPhone {
				t.Fatalf("%+v %v", mixed, err)
			}
		}
		p.WantLinks(1)
		if guesstest.CountFailures(p.Platform, "sur") != 0 {
			t.Error("the right password does not count")
		}
		p.WantNotices(portaltest.ManyPhone + " identity_linked")
		other := signin.BindByTicketInput{
			Ticket: in.Ticket, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		}
		_, err = p.Chatlogin.BindByTicket(c.Context(), other) // the identity signs in another person
		portaltest.Refused(t, err, access.WrongParameters)
		if guesstest.CountFailures(p.Platform, "buyer1") != 0 {
			t.Error("the right password was counted as a wrong one")
		}
		for who, want := range map[string]access.Refusal{portaltest.NewPhone: access.PhoneNotBound,
			"nobody": access.AccountNotFound, "13800000005": access.AccountDisabled} {
			fresh := signin.BindByTicketInput{
				Ticket:   c.UnknownCallback(access.WeChat, chattest.Identity(3)).Ticket,
				Login:    who,
				Password: onboarding.DemoPassword,
				Client:   c.Kind,
			}
			_, err = p.Chatlogin.BindByTicket(c.Context(), fresh)
			portaltest.Refused(t, err, want)
		}
		p.WantLinks(1)
	})
}

func TestAProgramChoosesAmongTheAccountsItSignedInTo(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		c := p.Program(signin.ClientApp)
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		mixed, err := p.Chatlogin.LoginByTicket(
			c.Context(),
			signin.TicketLoginInput{Ticket: c.UnknownCallback(access.WeChat, chattest.Xiao).Ticket, Client: c.Kind},
		)
		portaltest.NoError(t, err)
		if mixed.User != nil || len(mixed.Mgr) != 1 || len(mixed.Shop) != 1 {
			t.Fatalf("%+v", mixed)
		}
		s, err := p.Landing.Token(t.Context(), signin.TokenInput{Token: mixed.Ticket, Client: c.Kind, Ticket: true})
		portaltest.NoError(t, err)
		user, err := p.Chatlogin.LoginAs(
			c.Context(), s, signin.LoginAsInput{AccountID: p.Account("li.manager").ID, Client: c.Kind},
		)
		portaltest.NoError(t, err)
		if acting, err := credentialtest.TokenSession(p.SMSPlatform,
			string(user.Token),
		); err != nil || acting.ActingID != p.Account("li.manager").ID ||
			user.Login != "li.manager" {
			t.Errorf("%+v %v", acting, err)
		}
		for _, foreign := range []int64{p.Account("jinsui").ID, p.Account("buyer1").ID, p.Account("sur").ID, 1 << 40} {
			_, err = p.Chatlogin.LoginAs(c.Context(), s, signin.LoginAsInput{AccountID: foreign, Client: c.Kind})
			portaltest.Refused(t, err, access.NotFound)
		}
		_, err = p.Chatlogin.LoginAs(c.Context(), s, signin.LoginAsInput{AccountID: 0, Client: c.Kind})
		portaltest.WantField(t, err, "account_id", access.ChoiceRequired)
		portaltest.NoError(t, p.Operator.DisableCompany(t.Context(), 1001))
		_, err = p.Chatlogin.LoginAs(
			c.Context(), s, signin.LoginAsInput{AccountID: p.Account("li.manager").ID, Client: c.Kind},
		)
		portaltest.Refused(t, err, access.CompanyDisabled)
		credentialtest.RecoverPassword(p.SMSPlatform, portaltest.ManyPhone)
		if _, err := credentialtest.TokenSession(p.SMSPlatform, string(user.Token)); err == nil {
			t.Error("the token lives on after a reset")
		}
		if text := fmt.Sprintf("%+v %v", mixed, user); strings.Contains(text, chattest.PlatformSecret) ||
			strings.Contains(text, chattest.Xiao.Subject) {
			t.Error("the answer reveals too much")
		}
	})
}
