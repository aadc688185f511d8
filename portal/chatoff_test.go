package portal_test

import (
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// turnsChatOff turns chat apps off for a company, and waits until every instance knows.
func (p *chatter) turnsChatOff(company int64) {
	p.t.Helper()
	noError(p.t, p.SetCompany(p.t.Context(), company, "chat", "off"))
	p.clock.advance(2 * time.Second)
}

// comesBackToThePlatform returns an identity, with its ticket, that a program got for the platform itself.
func (c *program) comesBackToThePlatform(who portal.ProviderIdentity) portal.ClientCallback {
	c.p.t.Helper()
	w := c.beginsAtThePlatform()
	in := portal.ClientCallbackInput{
		Code: c.p.wechat.grants(w.app, who), State: w.state, Provider: portal.WeChat, Client: c.kind,
	}
	back, err := c.p.FinishForClient(c.ctx(), in, false)
	noError(c.p.t, err)
	return back
}

func (c *program) beginsAtThePlatform() way {
	c.p.t.Helper()
	params, err := c.p.AppParams(c.ctx(), portal.AppParamsInput{
		URL: "http://" + accountHost + "/login", Provider: portal.WeChat, Client: c.kind,
	})
	noError(c.p.t, err)
	return wayOf(c.p.t, portal.WeChat, params.AuthorizeURL)
}

func TestACompanyWithChatOffIsNotEnteredByAnIdentityAtThePlatform(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		p.linkedRow(someone(1), "jinsui")
		b, c := p.browser(accountHost, inWeChat), p.program(portal.ClientApp)
		ask := b.asked(portal.WeChat, xiao).Ask
		ticket := c.comesBackToThePlatform(xiao).Ticket
		unknown, pending := b.unknown(portal.WeChat, someone(8)), b.proven(portal.WeChat, someone(9), buyerPhone)
		stranger := c.comesBackToThePlatform(someone(7)).Ticket
		p.turnsChatOff(1001)

		for _, who := range []portal.ProviderIdentity{xiao, someone(1)} {
			_, err := b.authorises(portal.WeChat, who)
			if with := refused(t, err, portal.ChatClosed); with.Company == nil || with.Company.ID != 1001 ||
				len(with.Contacts) == 0 {
				t.Errorf("%+v", with)
			}
		}
		_, err := b.saysYes(ask)
		refused(t, err, portal.ChatClosed)
		for _, in := range []portal.TicketLoginInput{{}, {CompanyID: 1001}, {AccountID: p.account("buyer1").ID}} {
			in.Ticket, in.Client = ticket, c.kind
			_, err = p.LoginByTicket(c.ctx(), in)
			refused(t, err, portal.ChatClosed)
		}
		w := c.beginsAtThePlatform()
		in := portal.ClientCallbackInput{
			Code: p.wechat.grants(w.app, xiao), State: w.state, Provider: portal.WeChat, Client: c.kind,
		}
		_, err = p.FinishForClient(c.ctx(), in, true)
		refused(t, err, portal.ChatClosed)

		_, err = b.proves(b.linking(unknown, buyerPhone)) // fresh links
		refused(t, err, portal.ChatClosed)
		_, err = b.confirms(pending)
		refused(t, err, portal.ChatClosed)
		_, err = p.BindByTicket(c.ctx(), portal.BindByTicketInput{
			Ticket: stranger, Login: buyerPhone, Password: portal.DemoPassword, Client: c.kind,
		})
		refused(t, err, portal.ChatClosed)
		p.wantLinks(2)

		p.signIn(accountHost, buyerPhone) // the password still works
		noError(t, p.SetCompany(t.Context(), 1001, "chat", "on"))
		p.clock.advance(2 * time.Second)
		b.signs(portal.WeChat, xiao)
	})
}

func TestASignInByAnIdentityEntersOnlyTheCompaniesThatHaveChatOn(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		b, c := p.browser(accountHost, inWeChat), p.program(portal.ClientApp)
		signed := b.signs(portal.WeChat, xiao)
		shop := p.enter(signed, accountHost, "li.shop", phoneScreen)
		landed, err := p.redeem(shop, "")
		noError(t, err)
		waiting := p.enter(signed, accountHost, "li.shop", phoneScreen)
		another := p.enter(signed, accountHost, "li.shop", phoneScreen)
		mixed, err := p.LoginByTicket(c.ctx(), portal.TicketLoginInput{
			Ticket: c.comesBackToThePlatform(xiao).Ticket, Client: c.kind,
		})
		noError(t, err)
		choosing, err := p.Token(c.ctx(), portal.TokenInput{Token: mixed.Ticket, Client: c.kind, Ticket: true})
		noError(t, err)
		user, err := p.LoginAs(c.ctx(), choosing, portal.LoginAsInput{AccountID: p.account("li.shop").ID, Client: c.kind})
		noError(t, err)
		redeemed, err := p.RedeemForClient(
			c.ctx(), p.enter(signed, accountHost, "li.shop", phoneScreen).Code, c.kind, 0,
		)
		noError(t, err)
		password := p.signIn(accountHost, manyPhone)
		p.turnsChatOff(1001)

		for login, want := range map[string]portal.Refusal{
			"li.shop": portal.ChatClosed, "li.manager": portal.ChatClosed, "sur": "",
		} {
			_, err = p.Enter(b.ctx(), portal.EnterInput{
				Session: signed.Session, AccountID: p.account(login).ID, Place: p.place(accountHost),
				Device: phoneScreen,
			})
			if want == "" {
				noError(t, err)
			} else {
				refused(t, err, want)
			}
			_, err = p.LoginAs(c.ctx(), choosing, portal.LoginAsInput{AccountID: p.account(login).ID, Client: c.kind})
			if want == "" {
				noError(t, err)
			} else {
				refused(t, err, want)
			}
		}
		_, err = p.ChooseCompany(b.ctx(), portal.ChooseCompanyInput{
			Session: p.stored(signed, accountHost), CompanyID: 1001,
		})
		refused(t, err, portal.ChatClosed)
		for _, list := range [][]portal.CompanyAccounts{p.list(signed.Session), p.list(choosing)} {
			for _, company := range list {
				reason, contacts := company.Blocked()
				if (reason == portal.ChatClosed) != (company.Company.ID == 1001) || reason == portal.ChatClosed &&
					len(contacts) == 0 {
					t.Errorf("%d is shown as %q", company.Company.ID, reason)
				}
			}
		}
		_, err = p.redeem(waiting, "")
		refused(t, err, portal.ChatClosed)
		_, err = p.RedeemForClient(c.ctx(), another.Code, c.kind, 0)
		refused(t, err, portal.ChatClosed)
		_, err = p.landing(shop, landed.Token)
		refused(t, err, portal.ChatClosed)
		for what, token := range map[string]string{"chosen": string(user.Token), "redeemed": string(redeemed.Token)} {
			if _, err := p.tokenSession(token); err == nil {
				t.Errorf("the token that was %s works", what)
			}
		}
		for _, mixed := range []portal.TicketLoginInput{{CompanyID: 1001}, {AccountID: p.account("li.shop").ID}} {
			mixed.Ticket, mixed.Client = c.comesBackToThePlatform(xiao).Ticket, c.kind
			_, err = p.LoginByTicket(c.ctx(), mixed)
			refused(t, err, portal.ChatClosed)
		}
		p.enter(password, accountHost, "li.shop", phoneScreen) // a sign-in by password still works
	})
}

func TestASessionKnowsThatAnIdentityBeganItAfterItsIDIsRenewed(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, manyPhone)
		b := p.browser(accountHost, inWeChat)
		signed := b.signs(portal.WeChat, xiao)
		in := p.changing(signed.Session, portal.DemoPassword)
		token, err := p.change(in)
		noError(t, err)
		renewed, err := p.SignedIn(b.ctx(), token, p.place(accountHost))
		noError(t, err)
		if renewed.ID == signed.Session.ID || renewed.Provider != string(portal.WeChat) {
			t.Fatalf("%+v", renewed)
		}
		here := p.landedAs(renewed, "sur")
		p.turnsChatOff(1001)
		_, err = p.EnterAnother(b.ctx(), here, portal.EnterInput{
			AccountID: p.account("li.shop").ID, Place: p.place(accountHost), Device: phoneScreen,
		})
		refused(t, err, portal.ChatClosed)
	})
}

func TestAFreshLinkLeadsOnlyToTheCompaniesThatHaveChatOn(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.turnsChatOff(1001)
		b := p.browser(accountHost, inWeChat)
		linking := b.proven(portal.WeChat, xiao, manyPhone)
		for _, c := range linking.Companies {
			if c.ID == 1001 {
				t.Error("the link is said to open a company that is closed to it")
			}
		}
		result, err := b.confirms(linking)
		noError(t, err)
		_, err = p.Enter(b.ctx(), portal.EnterInput{
			Session: result.Session, AccountID: p.account("li.manager").ID, Place: p.place(accountHost),
			Device: desktop,
		})
		refused(t, err, portal.ChatClosed)
	})
}

// landedAs is the landing page of an account that a session enters.
func (p *platform) landedAs(s store.Session, login string) portal.Landing {
	p.t.Helper()
	d := p.enter(portal.LoginResult{Session: s}, accountHost, login, phoneScreen)
	result, err := p.redeem(d, "")
	noError(p.t, err)
	here, err := p.landing(d, result.Token)
	noError(p.t, err)
	return here
}

func TestASessionMadeFromATokenKnowsThatAnIdentityBeganIt(t *testing.T) {
	eachChat(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		c := p.program(portal.ClientApp)
		in, err := c.uses(c.comesBackToThePlatform(xiao).Ticket, 0)
		noError(t, err)
		made, err := p.appLogin(string(in.User.Token), accountHost)
		noError(t, err)
		signed := p.browser(accountHost, inWeChat).signs(portal.WeChat, xiao)
		shop := p.enter(signed, accountHost, "buyer1", phoneScreen)
		landed, err := p.redeem(shop, "")
		noError(t, err)
		code, err := p.AppCode(p.from(homeAddress), landed.Token, p.arrival(shop).Place, shop.Slot)
		noError(t, err)
		p.turnsChatOff(1001)
		_, err = p.Enter(p.from(homeAddress), portal.EnterInput{
			Session: made.Session, AccountID: p.account("buyer1").ID, Place: p.place(accountHost), Device: phoneScreen,
		})
		refused(t, err, portal.ChatClosed)
		_, err = p.redeemed(code)
		refused(t, err, portal.ChatClosed)
	})
}

func TestASignInByAnIdentityAcceptsNoOfferOfACompanyWithChatOff(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.linkedRow(xiao, buyerPhone)
		offer := p.offers(buyerPhone)
		p.turnsChatOff(1002)
		back, err := p.browser(accountHost, inWeChat).authorises(portal.WeChat, xiao)
		noError(t, err)
		_, err = p.AcceptOffer(p.from(homeAddress), portal.OfferInput{AccountID: offer.ID, Session: back.Login.Session})
		refused(t, err, portal.ChatClosed)
		if _, err := p.db.OfferByID(t.Context(), offer.PhoneID, offer.ID); err != nil {
			t.Errorf("the offer: %v", err)
		}
		byPassword := p.signIn(accountHost, buyerPhone).Session
		_, err = p.AcceptOffer(p.from(homeAddress), portal.OfferInput{AccountID: offer.ID, Session: byPassword})
		noError(t, err)
	})
}
