package chatlogin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
)

func TestAnIdentityOfThePlatformDoesNotEnterACompanyWithChatOff(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		p.LinkedRow(portaltest.Someone(1), "jinsui")
		b, c := p.Browser(portaltest.AccountHost, portaltest.InWeChat), p.Program(landing.ClientApp)
		ask := b.Asked(access.WeChat, portaltest.Xiao).ConfirmToken
		ticket := c.ComesBackToThePlatform(portaltest.Xiao).Ticket
		unknown := b.Unknown(access.WeChat, portaltest.Someone(8))
		pending := b.Proven(access.WeChat, portaltest.Someone(9), portaltest.BuyerPhone)
		stranger := c.ComesBackToThePlatform(portaltest.Someone(7)).Ticket
		p.TurnsChatOff(1001)

		for _, who := range []chatapps.ProviderIdentity{portaltest.Xiao, portaltest.Someone(1)} {
			_, err := b.Authorises(access.WeChat, who)
			if with := portaltest.Refused(t, err, access.ChatClosed); with.Company == nil || with.Company.ID != 1001 ||
				len(with.Contacts) == 0 {
				t.Errorf("%+v", with)
			}
		}
		_, err := b.SaysYes(ask)
		portaltest.Refused(t, err, access.ChatClosed)
		for _, in := range []chatlogin.TicketLoginInput{{}, {CompanyID: 1001}, {AccountID: p.Account("buyer1").ID}} {
			in.Ticket, in.Client = ticket, c.Kind
			_, err = p.Chatlogin.LoginByTicket(c.Ctx(), in)
			portaltest.Refused(t, err, access.ChatClosed)
		}
		w := c.BeginsAtThePlatform()
		in := chatlogin.ClientCallbackInput{
			Code: p.Wechat.Grants(w.App, portaltest.Xiao), State: w.State, Provider: access.WeChat, Client: c.Kind,
		}
		_, err = p.Chatlogin.FinishForClient(c.Ctx(), in, true)
		portaltest.Refused(t, err, access.ChatClosed)

		_, err = b.Proves(b.Linking(unknown, portaltest.BuyerPhone)) // fresh links
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = b.Confirms(pending)
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.Chatlogin.BindByTicket(c.Ctx(), chatlogin.BindByTicketInput{
			Ticket: stranger, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		p.WantLinks(2)

		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone) // the password still works
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		p.Clock.Advance(2 * time.Second)
		b.Signs(access.WeChat, portaltest.Xiao)
	})
}

func TestASignInByAnIdentityEntersOnlyCompaniesWithChatOn(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.ManyPhone)
		b, c := p.Browser(portaltest.AccountHost, portaltest.InWeChat), p.Program(landing.ClientApp)
		signed := b.Signs(access.WeChat, portaltest.Xiao)
		shop := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		waiting := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		another := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		mixed, err := p.Chatlogin.LoginByTicket(c.Ctx(), chatlogin.TicketLoginInput{
			Ticket: c.ComesBackToThePlatform(portaltest.Xiao).Ticket, Client: c.Kind,
		})
		portaltest.NoError(t, err)
		choosing, err := p.Landing.Token(c.Ctx(), landing.TokenInput{Token: mixed.Ticket, Client: c.Kind, Ticket: true})
		portaltest.NoError(t, err)
		user, err := p.Chatlogin.LoginAs(
			c.Ctx(), choosing, chatlogin.LoginAsInput{AccountID: p.Account("li.shop").ID, Client: c.Kind},
		)
		portaltest.NoError(t, err)
		redeemed, err := p.Landing.RedeemForClient(
			c.Ctx(), p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen).Code, c.Kind, 0,
		)
		portaltest.NoError(t, err)
		password := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		p.TurnsChatOff(1001)

		for login, want := range map[string]access.Refusal{
			"li.shop": access.ChatClosed, "li.manager": access.ChatClosed, "sur": "",
		} {
			_, err = p.Entry.Enter(b.Ctx(), access.EnterInput{
				Session: signed.Session, AccountID: p.Account(login).ID, Place: p.Place(portaltest.AccountHost),
				Device: portaltest.PhoneScreen,
			})
			if want == "" {
				portaltest.NoError(t, err)
			} else {
				portaltest.Refused(t, err, want)
			}
			_, err = p.Chatlogin.LoginAs(
				c.Ctx(), choosing, chatlogin.LoginAsInput{AccountID: p.Account(login).ID, Client: c.Kind},
			)
			if want == "" {
				portaltest.NoError(t, err)
			} else {
				portaltest.Refused(t, err, want)
			}
		}
		_, err = p.Accounts.ChooseCompany(b.Ctx(), accounts.ChooseCompanyInput{
			Session: p.Stored(signed, portaltest.AccountHost), CompanyID: 1001,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		for _, list := range [][]accounts.CompanyAccounts{p.List(signed.Session), p.List(choosing)} {
			for _, company := range list {
				reason, contacts := company.Blocked()
				if (reason == access.ChatClosed) != (company.Company.ID == 1001) || reason == access.ChatClosed &&
					len(contacts) == 0 {
					t.Errorf("%d is shown as %q", company.Company.ID, reason)
				}
			}
		}
		_, err = p.Redeem(waiting, "")
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.Landing.RedeemForClient(c.Ctx(), another.Code, c.Kind, 0)
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.LandAt(shop, landed.Token)
		portaltest.Refused(t, err, access.ChatClosed)
		for what, token := range map[string]string{"chosen": string(user.Token), "redeemed": string(redeemed.Token)} {
			if _, err := p.TokenSession(token); err == nil {
				t.Errorf("the token that was %s works", what)
			}
		}
		for _, mixed := range []chatlogin.TicketLoginInput{{CompanyID: 1001}, {AccountID: p.Account("li.shop").ID}} {
			mixed.Ticket, mixed.Client = c.ComesBackToThePlatform(portaltest.Xiao).Ticket, c.Kind
			_, err = p.Chatlogin.LoginByTicket(c.Ctx(), mixed)
			portaltest.Refused(t, err, access.ChatClosed)
		}
		p.Enter(
			password, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen,
		) // a sign-in by password still works
	})
}

func TestASessionKeepsItsIdentityProviderWhenItsIDIsRenewed(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.ManyPhone)
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		signed := b.Signs(access.WeChat, portaltest.Xiao)
		in := p.Changing(signed.Session, onboarding.DemoPassword)
		token, err := p.Change(in)
		portaltest.NoError(t, err)
		renewed, err := p.SignedIn(b.Ctx(), token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if renewed.ID == signed.Session.ID || renewed.Provider != string(access.WeChat) {
			t.Fatalf("%+v", renewed)
		}
		here := p.LandedAs(renewed, "sur")
		p.TurnsChatOff(1001)
		_, err = p.Entry.EnterAnother(b.Ctx(), here, access.EnterInput{
			AccountID: p.Account("li.shop").ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestANewLinkEntersOnlyCompaniesWithChatOn(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.TurnsChatOff(1001)
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		linking := b.Proven(access.WeChat, portaltest.Xiao, portaltest.ManyPhone)
		for _, c := range linking.Companies {
			if c.ID == 1001 {
				t.Error("the link is said to open a company that is closed to it")
			}
		}
		result, err := b.Confirms(linking)
		portaltest.NoError(t, err)
		_, err = p.Entry.Enter(b.Ctx(), access.EnterInput{
			Session: result.Session, AccountID: p.Account("li.manager").ID, Place: p.Place(portaltest.AccountHost),
			Device: portaltest.Desktop,
		})
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestASessionMadeFromATokenKeepsItsIdentityProvider(t *testing.T) {
	portaltest.EachChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		c := p.Program(landing.ClientApp)
		in, err := c.Uses(c.ComesBackToThePlatform(portaltest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		made, err := p.AppLogin(string(in.User.Token), portaltest.AccountHost)
		portaltest.NoError(t, err)
		signed := p.Browser(portaltest.AccountHost, portaltest.InWeChat).Signs(access.WeChat, portaltest.Xiao)
		shop := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		code, err := p.AppCode(p.From(portaltest.HomeAddress), landed.Token, p.Arrival(shop).Place, shop.Slot)
		portaltest.NoError(t, err)
		p.TurnsChatOff(1001)
		_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session:   made.Session,
			AccountID: p.Account("buyer1").ID,
			Place:     p.Place(portaltest.AccountHost),
			Device:    portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.Redeemed(code)
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestASignInByAnIdentityAcceptsNoOfferOfACompanyWithChatOff(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Xiao, portaltest.BuyerPhone)
		offer := p.Offers(portaltest.BuyerPhone)
		p.TurnsChatOff(1002)
		back, err := p.Browser(portaltest.AccountHost, portaltest.InWeChat).Authorises(access.WeChat, portaltest.Xiao)
		portaltest.NoError(t, err)
		_, err = p.Accounts.AcceptOffer(
			p.From(portaltest.HomeAddress), accounts.OfferInput{AccountID: offer.ID, Session: back.Login.Session},
		)
		portaltest.Refused(t, err, access.ChatClosed)
		if _, err := p.Db.Offers.ByID(t.Context(), offer.PhoneID, offer.ID); err != nil {
			t.Errorf("the offer: %v", err)
		}
		byPassword := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		_, err = p.Accounts.AcceptOffer(
			p.From(portaltest.HomeAddress), accounts.OfferInput{AccountID: offer.ID, Session: byPassword},
		)
		portaltest.NoError(t, err)
	})
}
