package portal_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"portico/portal"
	"portico/store"
)

// While PORTICO_WECHAT_MANAGER=closed, a sign-in that WeChat began enters no back office, in whatever way it goes on.

func (p *chatter) enterIn(ctx context.Context, s portal.Session, login string) error {
	p.t.Helper()
	_, err := p.Enter(ctx, portal.EnterInput{
		Session: s, AccountID: p.account(login).ID, Place: p.place(accountHost), Device: phoneScreen,
	})
	return err
}

func TestWhileTheManagementSideIsClosedNoSignInByWeChatEntersIt(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.restart(func(o *portal.Options) { managerClosed(o) })
		p.linkedRow(someone(0), managerPhone)
		p.linkedRow(someone(1), manyPhone)
		for _, agent := range []string{inWeChat, onADesktop} { // in the app, and by the QR code of a desktop
			at := p.browser(accountHost, agent)
			who := someone(0)
			if agent == onADesktop {
				who = portal.ProviderIdentity{Subject: "oScanned"}
				now := store.At(p.clock.now())
				noError(t, p.db.LinkIdentity(t.Context(), store.Identity{
					Provider: string(portal.WeChat), App: platformOpen, Subject: who.Subject,
					PhoneID: phoneOf(t, p.db, managerPhone).ID, LinkedAt: now, UsedAt: now,
				}, store.Identity{}))
			}
			_, err := at.authorises(portal.WeChat, who)
			with := refused(t, err, portal.WeChatManagerClosed)
			if with.Company == nil || with.Company.ID != 1001 {
				t.Errorf("%+v", with)
			}
			_, err = at.saysYes(at.asked(portal.WeChat, who).Ask)
			refused(t, err, portal.WeChatManagerClosed)
			_, err = at.proves(at.linking(at.unknown(portal.WeChat, someone(9)), managerPhone))
			refused(t, err, portal.WeChatManagerClosed)
		}
		p.wantLinks(3)
		_, err := p.browser(host1002, inWeChat).authorises(portal.WeChat, someone(1)) // with shops elsewhere
		refused(t, err, portal.WeChatManagerClosed)

		for _, kind := range portal.Clients { // programs say nothing of WeChat in their User-Agent
			c := p.program(kind)
			_, err = c.uses(c.comesBackToThePlatform(someone(0)).Ticket, 0)
			refused(t, err, portal.WeChatManagerClosed)
			_, err = c.uses(c.comesBackToThePlatform(someone(1)).Ticket, p.account("sur").ID)
			refused(t, err, portal.WeChatManagerClosed)
			_, err = p.BindByTicket(c.ctx(), portal.BindByTicketInput{
				Ticket: c.comesBackToThePlatform(someone(9)).Ticket, Login: managerPhone, Password: portal.DemoPassword,
				Client: kind,
			})
			refused(t, err, portal.WeChatManagerClosed)
		}
		p.wantLinks(3)
	})
}

func TestWhileTheManagementSideIsClosedASignInByWeChatEntersShopsAlone(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.linkedRow(someone(1), manyPhone)
		b, c := p.browser(accountHost, inWeChat), p.program(portal.ClientApp)
		earlier := b.signs(portal.WeChat, someone(1)) // while it was open
		mgr := p.enter(earlier, accountHost, "li.manager", phoneScreen)
		landed, err := p.redeem(mgr, "")
		noError(t, err)
		waiting := p.enter(earlier, accountHost, "sur", phoneScreen)
		shop := p.enter(earlier, accountHost, "li.shop", phoneScreen)
		inShop, err := p.redeem(shop, "")
		noError(t, err)
		mixed, err := c.uses(c.comesBackToThePlatform(someone(1)).Ticket, 0)
		noError(t, err)
		acting, err := p.LoginAs(c.ctx(), c.chosen(mixed), portal.LoginAsInput{AccountID: p.account("sur").ID, Client: c.kind})
		noError(t, err)
		pending := b.proven(portal.WeChat, someone(2), managerPhone)
		ask := b.asked(portal.WeChat, someone(1)).Ask
		p.restart(func(o *portal.Options) { managerClosed(o) })

		fresh := b.signs(portal.WeChat, someone(1))
		agreed, err := b.saysYes(ask)
		noError(t, err)
		linked, err := b.confirms(b.proven(portal.WeChat, someone(3), manyPhone))
		noError(t, err)
		choosing := c.chosen(mixed)
		for name, s := range map[string]portal.Session{
			"from before": earlier.Session, "fresh": fresh.Session, "confirmed": agreed.Session,
			"just linked": linked.Session, "a program's": choosing,
		} {
			elsewhere := p.browser(accountHost, onADesktop).ctx() // the agent changes nothing
			for login, want := range map[string]portal.Refusal{
				"li.manager": portal.WeChatManagerClosed, "sur": portal.WeChatManagerClosed, "li.shop": "",
			} {
				err := p.enterIn(elsewhere, s, login)
				if want == "" && err != nil {
					t.Errorf("%s enters %s: %v", name, login, err)
				} else if want != "" {
					refused(t, err, want)
				}
			}
			for _, company := range p.list(s) {
				for _, account := range company.Mgr {
					if account.Blocked != portal.WeChatManagerClosed {
						t.Errorf("%s: %s is listed as %q", name, account.Login, account.Blocked)
					}
				}
			}
		}
		_, err = p.LoginAs(c.ctx(), choosing, portal.LoginAsInput{AccountID: p.account("sur").ID, Client: c.kind})
		refused(t, err, portal.WeChatManagerClosed)
		_, err = p.EnterAsClient(c.ctx(), choosing, p.account("sur").ID, "")
		refused(t, err, portal.WeChatManagerClosed)
		_, err = p.tokenSession(string(acting.Token)) // chosen before
		refused(t, err, portal.WeChatManagerClosed)
		_, err = p.redeem(waiting, "")
		refused(t, err, portal.WeChatManagerClosed)
		_, err = p.RedeemForClient(c.ctx(), waiting.Code, c.kind, 0)
		refused(t, err, portal.WeChatManagerClosed)
		_, err = p.landing(mgr, landed.Token)
		refused(t, err, portal.WeChatManagerClosed)
		here, err := p.landing(shop, inShop.Token)
		noError(t, err)
		_, err = p.EnterAnother(b.ctx(), here, portal.EnterInput{
			AccountID: p.account("li.manager").ID, Place: p.place(accountHost), Device: phoneScreen,
		})
		refused(t, err, portal.WeChatManagerClosed)
		_, err = b.confirms(pending)
		refused(t, err, portal.WeChatManagerClosed)

		token, err := p.change(p.changing(fresh.Session, portal.DemoPassword)) // the session gets another id
		noError(t, err)
		renewed, err := p.SignedIn(b.ctx(), token, p.place(accountHost))
		noError(t, err)
		refused(t, p.enterIn(b.ctx(), renewed, "li.manager"), portal.WeChatManagerClosed)
	})
}

func TestWhileTheManagementSideIsClosedPasswordsCodesAndWeComEnterItAnywhere(t *testing.T) {
	inBothModes(t, func(t *testing.T, p *chatter) {
		p.restart(func(o *portal.Options) { managerClosed(o) })
		p.browser(host1001, inWorkChat).links(portal.WeCom, lan, managerPhone)
		for _, agent := range []string{inWeChat, onADesktop, inWorkChat} {
			b := p.browser(accountHost, agent)
			password, err := p.Login(b.ctx(), p.as(managerPhone))
			noError(t, err)
			noError(t, p.enterIn(b.ctx(), password.Session, "jinsui"))
			flow := portal.NewFlow()
			p.clock.advance(time.Minute)
			in := p.withCode(managerPhone, p.sent(p.asking(portal.ForLogin, managerPhone, flow)), flow)
			code, err := p.LoginByCode(b.ctx(), in)
			noError(t, err)
			noError(t, p.enterIn(b.ctx(), code.Session, "jinsui"))
			_, err = p.LoginAs(b.ctx(), password.Session, portal.LoginAsInput{
				AccountID: p.account("jinsui").ID, Client: portal.ClientWebApp,
			})
			noError(t, err)
		}
		workChat := p.browser(host1001, inWorkChat)
		noError(t, p.enterIn(workChat.ctx(), workChat.signs(portal.WeCom, lan).Session, "jinsui"))
	})
}

func TestWhileTheManagementSideIsClosedNobodyRegistersACompanyByWeChat(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		b := p.browser(accountHost, inWeChat)
		in := p.registersBy(b, b.unknown(portal.WeChat, xiao), newPhone)
		before := p.companies()
		_, err := p.register(in)
		refused(t, err, portal.WeChatManagerClosed)
		if p.companies() != before {
			t.Error("a company was made")
		}
		p.wantLinks(0)
		in.Ticket, in.Password = "", newPassword // the code was not used up
		in.Flow = p.CodeFlow(b.flow, b.unknown(portal.WeChat, xiao))
		_, err = p.register(in)
		noError(t, err)
		workChat := p.browser(accountHost, inWorkChat)
		in = p.registersBy(workChat, workChat.unknown(portal.WeCom, lan), "13911112222")
		_, err = p.register(in)
		noError(t, err)
	}, managerClosed)
}

// A token that another operation makes for the same sign-in must not forget what began it.
func TestTheTokenOfATrialKnowsThatAnIdentityBeganIt(t *testing.T) {
	onceChat(t, func(t *testing.T, p *chatter) {
		p.tried(newPhone, 118)
		p.linkedRow(xiao, newPhone)
		c := p.program(portal.ClientApp)
		mixed, err := c.uses(c.comesBackToThePlatform(xiao).Ticket, 0)
		noError(t, err)
		user, err := p.ExperienceUser(c.ctx(), portal.RoleInput{Role: "shop", Session: c.chosen(mixed)}, c.kind)
		noError(t, err)
		s, err := p.tokenSession(string(user.Token))
		noError(t, err)
		list := p.list(s)
		i := slices.IndexFunc(list, func(one portal.CompanyAccounts) bool { return len(one.Mgr) > 0 })
		_, err = p.LoginAs(c.ctx(), s, portal.LoginAsInput{AccountID: list[i].Mgr[0].ID, Client: c.kind})
		refused(t, err, portal.WeChatManagerClosed)
	}, managerClosed)
}
