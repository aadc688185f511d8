package signin_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/companytest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/signin"
	"portico/store"
)

func TestWhileTheManagementSideIsClosedNoSignInByWeChatEntersIt(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Restart(func(o *portal.Options) { chattest.ManagerClosed(o) })
		p.AddLink(chattest.Identity(0), portaltest.ManagerPhone)
		p.AddLink(chattest.Identity(1), portaltest.ManyPhone)
		// in the app, and by the QR code of a desktop
		for _, agent := range []string{chattest.InWeChat, chattest.OnDesktop} {
			at := p.Browser(portaltest.AccountHost, agent)
			who := chattest.Identity(0)
			if agent == chattest.OnDesktop {
				who = signin.ProviderIdentity{Subject: "oScanned"}
				now := store.At(p.Clock.Now())
				portaltest.NoError(t, p.DB.Identities.Link(t.Context(), store.Identity{
					Provider: string(access.WeChat), App: chattest.PlatformOpen, Subject: who.Subject,
					PersonID: portaltest.PersonOf(t, p.DB, portaltest.ManagerPhone).ID, LinkedAt: now, UsedAt: now,
				}, store.Identity{}))
			}
			_, err := at.Authorise(access.WeChat, who)
			with := portaltest.Refused(t, err, access.WeChatManagerClosed)
			if with.Company == nil || with.Company.ID != 1001 {
				t.Errorf("%+v", with)
			}
			_, err = at.ConfirmSignIn(at.AskConfirmation(access.WeChat, who).ConfirmToken)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = at.ProveLink(
				at.LinkInput(at.UnknownTicket(access.WeChat, chattest.Identity(9)), portaltest.ManagerPhone),
			)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
		}
		p.WantLinks(3)
		// with shops elsewhere
		_, err := p.Browser(chattest.Host1002, chattest.InWeChat).Authorise(access.WeChat, chattest.Identity(1))
		portaltest.Refused(t, err, access.WeChatManagerClosed)

		for _, kind := range signin.Clients { // programs say nothing of WeChat in their User-Agent
			c := p.Program(kind)
			_, err = c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Identity(0)).Ticket, 0)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Identity(1)).Ticket, p.Account("sur").ID)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = p.Chatlogin.BindByTicket(c.Context(), signin.BindByTicketInput{
				Ticket: c.UnknownCallbackAtPlatform(chattest.Identity(9)).Ticket, Login: portaltest.ManagerPhone,
				Password: onboarding.DemoPassword,
				Client:   kind,
			})
			portaltest.Refused(t, err, access.WeChatManagerClosed)
		}
		p.WantLinks(3)
	})
}

func TestWhileTheManagementSideIsClosedASignInByWeChatEntersShopsAlone(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.AddLink(chattest.Identity(1), portaltest.ManyPhone)
		b, c := p.Browser(portaltest.AccountHost, chattest.InWeChat), p.Program(signin.ClientApp)
		earlier := b.SignIn(access.WeChat, chattest.Identity(1)) // while it was open
		mgr := p.Enter(earlier, portaltest.AccountHost, "li.manager", portaltest.PhoneScreen)
		landed, err := p.Redeem(mgr, "")
		portaltest.NoError(t, err)
		waiting := p.Enter(earlier, portaltest.AccountHost, "sur", portaltest.PhoneScreen)
		shop := p.Enter(earlier, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		inShop, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		mixed, err := c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Identity(1)).Ticket, 0)
		portaltest.NoError(t, err)
		acting, err := p.Chatlogin.LoginAs(c.Context(), c.ChoiceSession(mixed),
			signin.LoginAsInput{AccountID: p.Account("sur").ID, Client: c.Kind})
		portaltest.NoError(t, err)
		pending := b.PendingLink(access.WeChat, chattest.Identity(2), portaltest.ManagerPhone)
		ask := b.AskConfirmation(access.WeChat, chattest.Identity(1)).ConfirmToken
		p.Restart(func(o *portal.Options) { chattest.ManagerClosed(o) })

		fresh := b.SignIn(access.WeChat, chattest.Identity(1))
		agreed, err := b.ConfirmSignIn(ask)
		portaltest.NoError(t, err)
		linked, err := b.ConfirmLink(b.PendingLink(access.WeChat, chattest.Identity(3), portaltest.ManyPhone))
		portaltest.NoError(t, err)
		choosing := c.ChoiceSession(mixed)
		for name, s := range map[string]access.Session{
			"from before": earlier.Session, "fresh": fresh.Session, "confirmed": agreed.Session,
			"just linked": linked.Session, "a program's": choosing,
		} {
			elsewhere := p.Browser(portaltest.AccountHost, chattest.OnDesktop).Context() // the agent changes nothing
			for login, want := range map[string]access.Refusal{
				"li.manager": access.WeChatManagerClosed, "sur": access.WeChatManagerClosed, "li.shop": "",
			} {
				err := enterFromPhone(p, elsewhere, s, login)
				if want == "" && err != nil {
					t.Errorf("%s enters %s: %v", name, login, err)
				} else if want != "" {
					portaltest.Refused(t, err, want)
				}
			}
			for _, company := range companytest.ListAccounts(p.Platform, s) {
				for _, account := range company.Mgr {
					if account.Blocked != access.WeChatManagerClosed {
						t.Errorf("%s: %s is listed as %q", name, account.Login, account.Blocked)
					}
				}
			}
		}
		_, err = p.Chatlogin.LoginAs(c.Context(), choosing,
			signin.LoginAsInput{AccountID: p.Account("sur").ID, Client: c.Kind})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Entry.EnterAsClient(c.Context(), choosing, p.Account("sur").ID, "")
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = credentialtest.TokenSession(p.SMSPlatform, string(acting.Token)) // chosen before
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Redeem(waiting, "")
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Landing.RedeemForClient(c.Context(), waiting.Code, c.Kind, 0)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.LandingAt(mgr, landed.Token)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		here, err := p.LandingAt(shop, inShop.Token)
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAnother(b.Context(), here, access.EnterInput{
			AccountID: p.Account("li.manager").ID, Place: p.Place(portaltest.AccountHost),
			Device: portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = b.ConfirmLink(pending)
		portaltest.Refused(t, err, access.WeChatManagerClosed)

		// the session gets another id
		token, err := credentialtest.ChangePassword(
			p.SMSPlatform, credentialtest.ChangePasswordInput(p.SMSPlatform, fresh.Session, onboarding.DemoPassword),
		)
		portaltest.NoError(t, err)
		renewed, err := p.SignedIn(b.Context(), token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		portaltest.Refused(t, enterFromPhone(p, b.Context(), renewed, "li.manager"), access.WeChatManagerClosed)
	})
}

func TestWhileTheManagementSideIsClosedPasswordsCodesAndWeComEnterItAnywhere(t *testing.T) {
	chattest.EachPrivacyMode(t, func(t *testing.T, p *chattest.ChatPlatform) {
		p.Restart(func(o *portal.Options) { chattest.ManagerClosed(o) })
		p.Browser(chattest.Host1001, chattest.InWeCom).Link(access.WeCom, chattest.Lan,
			portaltest.ManagerPhone)
		for _, agent := range []string{chattest.InWeChat, chattest.OnDesktop, chattest.InWeCom} {
			b := p.Browser(portaltest.AccountHost, agent)
			password, err := p.Signin.Login(b.Context(), p.LoginInput(portaltest.ManagerPhone))
			portaltest.NoError(t, err)
			portaltest.NoError(t, enterFromPhone(p, b.Context(), password.Session, "jinsui"))
			flow := core.NewFlow()
			p.Clock.Advance(time.Minute)
			in := p.CodeLoginInput(portaltest.ManagerPhone,
				p.ReceiveCode(p.CodeRequest(core.ForLogin, portaltest.ManagerPhone, flow)), flow)
			code, err := p.Signin.LoginByCode(b.Context(), in)
			portaltest.NoError(t, err)
			portaltest.NoError(t, enterFromPhone(p, b.Context(), code.Session, "jinsui"))
			_, err = p.Chatlogin.LoginAs(b.Context(), password.Session, signin.LoginAsInput{
				AccountID: p.Account("jinsui").ID, Client: signin.ClientWebApp,
			})
			portaltest.NoError(t, err)
		}
		workChat := p.Browser(chattest.Host1001, chattest.InWeCom)
		portaltest.NoError(
			t, enterFromPhone(p, workChat.Context(), workChat.SignIn(access.WeCom, chattest.Lan).Session, "jinsui"),
		)
	})
}

func TestWhileTheManagementSideIsClosedNobodyRegistersACompanyByWeChat(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		in := p.RegisterInput(b, b.UnknownTicket(access.WeChat, chattest.Xiao), portaltest.NewPhone)
		before := companytest.CountCompanies(p.Platform)
		_, err := onboardingtest.Register(p.SMSPlatform, in)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		if companytest.CountCompanies(p.Platform) != before {
			t.Error("a company was made")
		}
		p.WantLinks(0)
		in.Ticket, in.Password = "", portaltest.NewPassword // the code was not used up
		in.Flow = p.Chatlogin.CodeFlow(b.Flow, b.UnknownTicket(access.WeChat, chattest.Xiao))
		_, err = onboardingtest.Register(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		workChat := p.Browser(portaltest.AccountHost, chattest.InWeCom)
		in = p.RegisterInput(workChat, workChat.UnknownTicket(access.WeCom, chattest.Lan), "13911112222")
		_, err = onboardingtest.Register(p.SMSPlatform, in)
		portaltest.NoError(t, err)
	}, chattest.ManagerClosed)
}

// A token that another operation makes for the same sign-in must not forget what began it.
func TestTheTokenOfATrialKnowsThatAnIdentityBeganIt(t *testing.T) {
	chattest.OnSQLiteWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, 118)
		p.AddLink(chattest.Xiao, portaltest.NewPhone)
		c := p.Program(signin.ClientApp)
		mixed, err := c.LoginByTicket(c.UnknownCallbackAtPlatform(chattest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(
			c.Context(), onboarding.RoleInput{Role: "shop", Session: c.ChoiceSession(mixed)}, c.Kind,
		)
		portaltest.NoError(t, err)
		s, err := credentialtest.TokenSession(p.SMSPlatform, string(user.Token))
		portaltest.NoError(t, err)
		list := companytest.ListAccounts(p.Platform, s)
		i := slices.IndexFunc(list, func(one signin.CompanyAccounts) bool { return len(one.Mgr) > 0 })
		_, err = p.Chatlogin.LoginAs(
			c.Context(), s, signin.LoginAsInput{AccountID: list[i].Mgr[0].ID, Client: c.Kind},
		)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
	}, chattest.ManagerClosed)
}

// enterFromPhone enters an account from a phone, with a session on the account site, and returns the refusal if there
// is one.
func enterFromPhone(p *chattest.ChatPlatform, ctx context.Context, s access.Session, login string) error {
	p.T.Helper()
	_, err := p.Entry.Enter(ctx, access.EnterInput{
		Session:   s,
		AccountID: p.Account(login).ID,
		Place:     p.Place(portaltest.AccountHost),
		Device:    portaltest.PhoneScreen,
	})
	return err
}
