package accounts_test

import (
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/portal/access"
	"portico/portal/accounts"
	"portico/portal/chatapps"
	"portico/portal/chatlogin"
	"portico/portal/landing"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/verification"
	"portico/store"
)

func TestWhileTheManagementSideIsClosedNoSignInByWeChatEntersIt(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Restart(func(o *portal.Options) { portaltest.ManagerClosed(o) })
		p.LinkedRow(portaltest.Someone(0), portaltest.ManagerPhone)
		p.LinkedRow(portaltest.Someone(1), portaltest.ManyPhone)
		// in the app, and by the QR code of a desktop
		for _, agent := range []string{portaltest.InWeChat, portaltest.OnADesktop} {
			at := p.Browser(portaltest.AccountHost, agent)
			who := portaltest.Someone(0)
			if agent == portaltest.OnADesktop {
				who = chatapps.ProviderIdentity{Subject: "oScanned"}
				now := store.At(p.Clock.Now())
				portaltest.NoError(t, p.Db.Identities.Link(t.Context(), store.Identity{
					Provider: string(access.WeChat), App: portaltest.PlatformOpen, Subject: who.Subject,
					PhoneID: portaltest.PhoneOf(t, p.Db, portaltest.ManagerPhone).ID, LinkedAt: now, UsedAt: now,
				}, store.Identity{}))
			}
			_, err := at.Authorises(access.WeChat, who)
			with := portaltest.Refused(t, err, access.WeChatManagerClosed)
			if with.Company == nil || with.Company.ID != 1001 {
				t.Errorf("%+v", with)
			}
			_, err = at.SaysYes(at.Asked(access.WeChat, who).ConfirmToken)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = at.Proves(at.Linking(at.Unknown(access.WeChat, portaltest.Someone(9)), portaltest.ManagerPhone))
			portaltest.Refused(t, err, access.WeChatManagerClosed)
		}
		p.WantLinks(3)
		// with shops elsewhere
		_, err := p.Browser(portaltest.Host1002, portaltest.InWeChat).Authorises(access.WeChat, portaltest.Someone(1))
		portaltest.Refused(t, err, access.WeChatManagerClosed)

		for _, kind := range landing.Clients { // programs say nothing of WeChat in their User-Agent
			c := p.Program(kind)
			_, err = c.Uses(c.ComesBackToThePlatform(portaltest.Someone(0)).Ticket, 0)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = c.Uses(c.ComesBackToThePlatform(portaltest.Someone(1)).Ticket, p.Account("sur").ID)
			portaltest.Refused(t, err, access.WeChatManagerClosed)
			_, err = p.Chatlogin.BindByTicket(c.Ctx(), chatlogin.BindByTicketInput{
				Ticket: c.ComesBackToThePlatform(portaltest.Someone(9)).Ticket, Login: portaltest.ManagerPhone,
				Password: onboarding.DemoPassword,
				Client:   kind,
			})
			portaltest.Refused(t, err, access.WeChatManagerClosed)
		}
		p.WantLinks(3)
	})
}

func TestWhileTheManagementSideIsClosedASignInByWeChatEntersShopsAlone(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.LinkedRow(portaltest.Someone(1), portaltest.ManyPhone)
		b, c := p.Browser(portaltest.AccountHost, portaltest.InWeChat), p.Program(landing.ClientApp)
		earlier := b.Signs(access.WeChat, portaltest.Someone(1)) // while it was open
		mgr := p.Enter(earlier, portaltest.AccountHost, "li.manager", portaltest.PhoneScreen)
		landed, err := p.Redeem(mgr, "")
		portaltest.NoError(t, err)
		waiting := p.Enter(earlier, portaltest.AccountHost, "sur", portaltest.PhoneScreen)
		shop := p.Enter(earlier, portaltest.AccountHost, "li.shop", portaltest.PhoneScreen)
		inShop, err := p.Redeem(shop, "")
		portaltest.NoError(t, err)
		mixed, err := c.Uses(c.ComesBackToThePlatform(portaltest.Someone(1)).Ticket, 0)
		portaltest.NoError(t, err)
		acting, err := p.Chatlogin.LoginAs(c.Ctx(), c.Chosen(mixed),
			chatlogin.LoginAsInput{AccountID: p.Account("sur").ID, Client: c.Kind})
		portaltest.NoError(t, err)
		pending := b.Proven(access.WeChat, portaltest.Someone(2), portaltest.ManagerPhone)
		ask := b.Asked(access.WeChat, portaltest.Someone(1)).ConfirmToken
		p.Restart(func(o *portal.Options) { portaltest.ManagerClosed(o) })

		fresh := b.Signs(access.WeChat, portaltest.Someone(1))
		agreed, err := b.SaysYes(ask)
		portaltest.NoError(t, err)
		linked, err := b.Confirms(b.Proven(access.WeChat, portaltest.Someone(3), portaltest.ManyPhone))
		portaltest.NoError(t, err)
		choosing := c.Chosen(mixed)
		for name, s := range map[string]access.Session{
			"from before": earlier.Session, "fresh": fresh.Session, "confirmed": agreed.Session,
			"just linked": linked.Session, "a program's": choosing,
		} {
			elsewhere := p.Browser(portaltest.AccountHost, portaltest.OnADesktop).Ctx() // the agent changes nothing
			for login, want := range map[string]access.Refusal{
				"li.manager": access.WeChatManagerClosed, "sur": access.WeChatManagerClosed, "li.shop": "",
			} {
				err := p.EnterIn(elsewhere, s, login)
				if want == "" && err != nil {
					t.Errorf("%s enters %s: %v", name, login, err)
				} else if want != "" {
					portaltest.Refused(t, err, want)
				}
			}
			for _, company := range p.List(s) {
				for _, account := range company.Mgr {
					if account.Blocked != access.WeChatManagerClosed {
						t.Errorf("%s: %s is listed as %q", name, account.Login, account.Blocked)
					}
				}
			}
		}
		_, err = p.Chatlogin.LoginAs(c.Ctx(), choosing,
			chatlogin.LoginAsInput{AccountID: p.Account("sur").ID, Client: c.Kind})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Entry.EnterAsClient(c.Ctx(), choosing, p.Account("sur").ID, "")
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.TokenSession(string(acting.Token)) // chosen before
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Redeem(waiting, "")
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.Landing.RedeemForClient(c.Ctx(), waiting.Code, c.Kind, 0)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = p.LandAt(mgr, landed.Token)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		here, err := p.LandAt(shop, inShop.Token)
		portaltest.NoError(t, err)
		_, err = p.Entry.EnterAnother(b.Ctx(), here, access.EnterInput{
			AccountID: p.Account("li.manager").ID, Place: p.Place(portaltest.AccountHost),
			Device: portaltest.PhoneScreen,
		})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		_, err = b.Confirms(pending)
		portaltest.Refused(t, err, access.WeChatManagerClosed)

		token, err := p.Change(p.Changing(fresh.Session, onboarding.DemoPassword)) // the session gets another id
		portaltest.NoError(t, err)
		renewed, err := p.SignedIn(b.Ctx(), token, p.Place(portaltest.AccountHost))
		portaltest.NoError(t, err)
		portaltest.Refused(t, p.EnterIn(b.Ctx(), renewed, "li.manager"), access.WeChatManagerClosed)
	})
}

func TestWhileTheManagementSideIsClosedPasswordsCodesAndWeComEnterItAnywhere(t *testing.T) {
	portaltest.InBothModes(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Restart(func(o *portal.Options) { portaltest.ManagerClosed(o) })
		p.Browser(portaltest.Host1001, portaltest.InWorkChat).Links(access.WeCom, portaltest.Lan,
			portaltest.ManagerPhone)
		for _, agent := range []string{portaltest.InWeChat, portaltest.OnADesktop, portaltest.InWorkChat} {
			b := p.Browser(portaltest.AccountHost, agent)
			password, err := p.Signin.Login(b.Ctx(), p.As(portaltest.ManagerPhone))
			portaltest.NoError(t, err)
			portaltest.NoError(t, p.EnterIn(b.Ctx(), password.Session, "jinsui"))
			flow := verification.NewFlow()
			p.Clock.Advance(time.Minute)
			in := p.WithCode(portaltest.ManagerPhone,
				p.Sent(p.Asking(verification.ForLogin, portaltest.ManagerPhone, flow)), flow)
			code, err := p.Signin.LoginByCode(b.Ctx(), in)
			portaltest.NoError(t, err)
			portaltest.NoError(t, p.EnterIn(b.Ctx(), code.Session, "jinsui"))
			_, err = p.Chatlogin.LoginAs(b.Ctx(), password.Session, chatlogin.LoginAsInput{
				AccountID: p.Account("jinsui").ID, Client: landing.ClientWebApp,
			})
			portaltest.NoError(t, err)
		}
		workChat := p.Browser(portaltest.Host1001, portaltest.InWorkChat)
		portaltest.NoError(t, p.EnterIn(workChat.Ctx(), workChat.Signs(access.WeCom, portaltest.Lan).Session, "jinsui"))
	})
}

func TestWhileTheManagementSideIsClosedNobodyRegistersACompanyByWeChat(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		b := p.Browser(portaltest.AccountHost, portaltest.InWeChat)
		in := p.RegistersBy(b, b.Unknown(access.WeChat, portaltest.Xiao), portaltest.NewPhone)
		before := p.Companies()
		_, err := p.Register(in)
		portaltest.Refused(t, err, access.WeChatManagerClosed)
		if p.Companies() != before {
			t.Error("a company was made")
		}
		p.WantLinks(0)
		in.Ticket, in.Password = "", portaltest.NewPassword // the code was not used up
		in.Flow = p.Chatlogin.CodeFlow(b.Flow, b.Unknown(access.WeChat, portaltest.Xiao))
		_, err = p.Register(in)
		portaltest.NoError(t, err)
		workChat := p.Browser(portaltest.AccountHost, portaltest.InWorkChat)
		in = p.RegistersBy(workChat, workChat.Unknown(access.WeCom, portaltest.Lan), "13911112222")
		_, err = p.Register(in)
		portaltest.NoError(t, err)
	}, portaltest.ManagerClosed)
}

// A token that another operation makes for the same sign-in must not forget what began it.
func TestTheTokenOfATrialKnowsThatAnIdentityBeganIt(t *testing.T) {
	portaltest.OnceChat(t, func(t *testing.T, p *portaltest.Chatter) {
		p.Tried(portaltest.NewPhone, 118)
		p.LinkedRow(portaltest.Xiao, portaltest.NewPhone)
		c := p.Program(landing.ClientApp)
		mixed, err := c.Uses(c.ComesBackToThePlatform(portaltest.Xiao).Ticket, 0)
		portaltest.NoError(t, err)
		user, err := p.Onboarding.ExperienceUser(c.Ctx(), onboarding.RoleInput{Role: "shop", Session: c.Chosen(mixed)},
			c.Kind)
		portaltest.NoError(t, err)
		s, err := p.TokenSession(string(user.Token))
		portaltest.NoError(t, err)
		list := p.List(s)
		i := slices.IndexFunc(list, func(one accounts.CompanyAccounts) bool { return len(one.Mgr) > 0 })
		_, err = p.Chatlogin.LoginAs(c.Ctx(), s, chatlogin.LoginAsInput{AccountID: list[i].Mgr[0].ID, Client: c.Kind})
		portaltest.Refused(t, err, access.WeChatManagerClosed)
	}, portaltest.ManagerClosed)
}
