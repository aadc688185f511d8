package signin_test

import (
	"testing"
	"time"

	"portico/portal/access"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
)

func TestAnIdentityOfThePlatformDoesNotEnterACompanyWithChatOff(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		p.AddLink(chattest.Identity(1), "jinsui")
		b, c := p.Browser(portaltest.AccountHost, chattest.InWeChat), p.Program(signin.ClientApp)
		ask := b.AskConfirmation(access.WeChat, chattest.Xiao).ConfirmToken
		ticket := c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket
		unknown := b.UnknownTicket(access.WeChat, chattest.Identity(8))
		pending := b.PendingLink(access.WeChat, chattest.Identity(9), portaltest.BuyerPhone)
		stranger := c.UnknownCallbackAtPlatform(chattest.Identity(7)).Ticket
		turnChatOff(p, 1001)

		for _, who := range []signin.ProviderIdentity{chattest.Xiao, chattest.Identity(1)} {
			_, err := b.Authorise(access.WeChat, who)
			if with := portaltest.Refused(t, err, access.ChatClosed); with.Company == nil || with.Company.ID != 1001 ||
				len(with.Contacts) == 0 {
				t.Errorf("%+v", with)
			}
		}
		_, err := b.ConfirmSignIn(ask)
		portaltest.Refused(t, err, access.ChatClosed)
		for _, in := range []signin.TicketLoginInput{{}, {CompanyID: 1001}, {AccountID: p.Account("buyer1").ID}} {
			in.Ticket, in.Client = ticket, c.Kind
			_, err = p.Chatlogin.LoginByTicket(c.Context(), in)
			portaltest.Refused(t, err, access.ChatClosed)
		}
		w := c.BeginAtPlatform()
		in := signin.ClientCallbackInput{
			Code: p.Wechat.Grant(w.App, chattest.Xiao), State: w.State, Provider: access.WeChat, Client: c.Kind,
		}
		_, err = p.Chatlogin.FinishForClient(c.Context(), in, true)
		portaltest.Refused(t, err, access.ChatClosed)

		_, err = b.ProveLink(b.LinkInput(unknown, portaltest.BuyerPhone)) // fresh links
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = b.ConfirmLink(pending)
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
			Ticket: stranger, Login: portaltest.BuyerPhone, Password: onboarding.DemoPassword, Client: c.Kind,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		p.WantLinks(2)

		p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone) // the password still works
		portaltest.NoError(t, p.Operator.SetCompany(t.Context(), 1001, "chat", "on"))
		p.Clock.Advance(2 * time.Second)
		b.SignIn(access.WeChat, chattest.Xiao)
	})
}

func TestASignInByAnIdentityEntersOnlyCompaniesWithChatOn(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		b, c := p.Browser(portaltest.AccountHost, chattest.InWeChat), p.Program(signin.ClientApp)
		signed := b.SignIn(access.WeChat, chattest.Xiao)
		shop := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		waiting := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		another := p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		mixed, err := p.Chatlogin.LoginByTicket(c.Context(), signin.TicketLoginInput{
			Ticket: c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, Client: c.Kind,
		})
		portaltest.NoError(t, err)
		choosing, err := p.Landing.Token(
			c.Context(), signin.TokenInput{Token: mixed.Ticket, Client: c.Kind, Ticket: true},
		)
		portaltest.NoError(t, err)
		user, err := p.Chatlogin.LoginAs(
			c.Context(), choosing, signin.LoginAsInput{AccountID: p.Account("li.shop").ID, Client: c.Kind},
		)
		portaltest.NoError(t, err)
		redeemed, err := p.Landing.RedeemForClient(
			c.Context(), p.Enter(signed, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen).Code, c.Kind, 0,
		)
		portaltest.NoError(t, err)
		password := p.SignIn(portaltest.AccountHost, portaltest.ManyPhone)
		turnChatOff(p, 1001)

		for login, want := range map[string]access.Refusal{
			"li.shop": access.ChatClosed, "li.manager": access.ChatClosed, "sur": "",
		} {
			_, err = p.Entry.Enter(b.Context(), access.EnterInput{
				Session: signed.Session, AccountID: p.Account(login).ID, Place: p.Place(portaltest.AccountHost),
				Device: portaltest.PhoneScreen,
			})
			if want == "" {
				portaltest.NoError(t, err)
			} else {
				portaltest.Refused(t, err, want)
			}
			_, err = p.Chatlogin.LoginAs(
				c.Context(), choosing, signin.LoginAsInput{AccountID: p.Account(login).ID, Client: c.Kind},
			)
			if want == "" {
				portaltest.NoError(t, err)
			} else {
				portaltest.Refused(t, err, want)
			}
		}
		_, err = p.Accounts.ChooseCompany(b.Context(), signin.ChooseCompanyInput{
			Session: sessiontest.StoredSession(p.Platform, signed, portaltest.AccountHost), CompanyID: 1001,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		for _, list := range [][]signin.CompanyAccounts{companytest.ListAccounts(p.Platform, signed.Session),
			companytest.ListAccounts(p.Platform, choosing)} {
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
		_, err = p.Landing.RedeemForClient(c.Context(), another.Code, c.Kind, 0)
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = p.LandingAt(shop, landed.Token)
		portaltest.Refused(t, err, access.ChatClosed)
		for what, token := range map[string]string{"chosen": string(user.Token), "redeemed": string(redeemed.Token)} {
			if _, err := credentialtest.TokenSession(p.SMSPlatform, token); err == nil {
				t.Errorf("the token that was %s works", what)
			}
		}
		for _, mixed := range []signin.TicketLoginInput{{CompanyID: 1001}, {AccountID: p.Account("li.shop").ID}} {
			mixed.Ticket, mixed.Client = c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, c.Kind
			_, err = p.Chatlogin.LoginByTicket(c.Context(), mixed)
			portaltest.Refused(t, err, access.ChatClosed)
		}
		p.Enter(
			password, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen,
		) // a sign-in by password still works
	})
}

func TestASessionKeepsItsIdentityProviderWhenItsIDIsRenewed(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.ManyPhone)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		signed := b.SignIn(access.WeChat, chattest.Xiao)
		in := credentialtest.ChangePasswordInput(p.SMSPlatform, signed.Session, onboarding.DemoPassword)
		token, err := credentialtest.ChangePassword(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		renewed, err := p.SignedIn(b.Context(), token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		if renewed.ID == signed.Session.ID || renewed.Provider != string(access.WeChat) {
			t.Fatalf("%+v", renewed)
		}
		here := p.LandWithSession(renewed, "sur")
		turnChatOff(p, 1001)
		_, err = p.Entry.EnterAnother(b.Context(), here, access.EnterInput{
			AccountID: p.Account("li.shop").ID, Place: p.Place(portaltest.AccountHost), Device: portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestANewLinkEntersOnlyCompaniesWithChatOn(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		turnChatOff(p, 1001)
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		linking := b.PendingLink(access.WeChat, chattest.Xiao, portaltest.ManyPhone)
		for _, c := range linking.Companies {
			if c.ID == 1001 {
				t.Error("the link is said to open a company that is closed to it")
			}
		}
		result, err := b.ConfirmLink(linking)
		portaltest.NoError(t, err)
		_, err = p.Entry.Enter(b.Context(), access.EnterInput{
			Session: result.Session, AccountID: p.Account("li.manager").ID, Place: p.Place(portaltest.AccountHost),
			Device: portaltest.Desktop,
		})
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestASessionMadeFromATokenKeepsItsIdentityProvider(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		c := p.Program(signin.ClientApp)
		in, err := c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		made, err := sessiontest.AppLogin(p.Platform, string(in.User.Token), portaltest.AccountHost)
		portaltest.NoError(t, err)
		signed := p.Browser(portaltest.AccountHost, chattest.InWeChat).SignIn(access.WeChat, chattest.Xiao)
		shop := p.Enter(signed, portaltest.AccountHost, "buyer1", portaltest.PhoneScreen)
		landed, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		code, err := sessiontest.AppCode(
			p.Platform, p.From(portaltest.HomeAddress), landed.Token, p.RedeemInput(shop).Place, shop.Slot,
		)
		portaltest.NoError(t, err)
		turnChatOff(p, 1001)
		_, err = p.Entry.Enter(p.From(portaltest.HomeAddress), access.EnterInput{
			Session:   made.Session,
			AccountID: p.Account("buyer1").ID,
			Place:     p.Place(portaltest.AccountHost),
			Device:    portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.ChatClosed)
		_, err = sessiontest.RedeemForApp(p.Platform, code)
		portaltest.Refused(t, err, access.ChatClosed)
	})
}

func TestASignInByAnIdentityAcceptsNoOfferOfACompanyWithChatOff(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Xiao, portaltest.BuyerPhone)
		offer := companytest.OfferAccount(p.Platform, portaltest.BuyerPhone)
		turnChatOff(p, 1002)
		back, err := p.Browser(portaltest.AccountHost, chattest.InWeChat).Authorise(access.WeChat, chattest.Xiao)
		portaltest.NoError(t, err)
		_, err = p.Accounts.AcceptOffer(
			p.From(portaltest.HomeAddress), signin.OfferInput{AccountID: offer.ID, Session: back.Login.Session},
		)
		portaltest.Refused(t, err, access.ChatClosed)
		if _, err := p.DB.Offers.ByID(t.Context(), offer.PersonID, offer.ID); err != nil {
			t.Errorf("the offer: %v", err)
		}
		byPassword := p.SignIn(portaltest.AccountHost, portaltest.BuyerPhone).Session
		_, err = p.Accounts.AcceptOffer(
			p.From(portaltest.HomeAddress), signin.OfferInput{AccountID: offer.ID, Session: byPassword},
		)
		portaltest.NoError(t, err)
	})
}

// turnChatOff turns chat apps off for a company, and waits until every instance knows.
func turnChatOff(p *chattest.ChatPlatform, company int64) {
	p.T.Helper()
	portaltest.NoError(p.T, p.Operator.SetCompany(p.T.Context(), company, "chat", "off"))
	p.Clock.Advance(2 * time.Second)
}
