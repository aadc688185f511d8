package signin_test

import (
	"slices"
	"testing"

	"portico/portal/access"
	"portico/portal/core"
	"portico/portal/onboarding"
	"portico/portal/portaltest"
	"portico/portal/portaltest/chattest"
	"portico/portal/portaltest/credentialtest"
	"portico/portal/portaltest/onboardingtest"
	"portico/portal/portaltest/sessiontest"
	"portico/portal/signin"
)

// Links of those who had an account, a number or a phone before.

func TestAFirstPasswordFromAnAdministratorRemovesTheAccountsLinks(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		former := p.Browser(chattest.Host1001, chattest.InWeChat)
		former.Link(access.WeChat, chattest.Xiao, "nophone")
		p.Browser(chattest.Host1001, chattest.InWeChat).
			Link(access.WeChat, chattest.Identity(2), portaltest.BuyerPhone)
		given, err := p.Backoffice.GiveFirstPassword(
			p.From(portaltest.HomeAddress), p.Administrator(), p.Account("nophone").ID, "",
		)
		portaltest.NoError(t, err)
		p.WantLinks(1)
		next, err := p.Signin.Login(
			p.From(portaltest.HomeAddress),
			signin.LoginInput{
				ByName:   true,
				Login:    "nophone",
				Password: given.Password,
				Browser:  access.Browser{Place: p.Place(chattest.Host1001)},
			},
		)
		portaltest.NoError(t, err)
		_, err = credentialtest.ChangePassword(
			p.SMSPlatform, credentialtest.ChangePasswordInput(p.SMSPlatform, next.Session, given.Password),
		)
		portaltest.NoError(t, err)
		if back, err := former.Authorise(access.WeChat, chattest.Xiao); err != nil || back.Login != nil ||
			back.Ticket == "" {
			t.Errorf("who had the account before: %+v, %v", back, err)
		}
		if p.CountEvents(1001, "identity_unlinked") != 1 {
			t.Error("the audit log does not tell of it")
		}
	})
}

func TestANewOwnerOfANumberWhoRegistersByWeChatInheritsNoLink(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		former := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		trial, _ := onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, onboardingtest.Seafood)
		onboardingtest.RoleAccount(
			p.SMSPlatform, sessiontest.StoredSession(p.Platform, trial.LoginResult, portaltest.AccountHost), "shop",
			true,
		)
		linkByCode(former, access.WeChat, chattest.Xiao, portaltest.NewPhone)
		p.Clock.Advance(core.DefaultResend)

		owner := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		ticket := owner.UnknownTicket(access.WeChat, chattest.Identity(2))
		in := onboardingtest.RegisterInput(p.SMSPlatform, portaltest.NewPhone, "", owner.Flow)
		in.Ticket, in.Password = ticket, ""
		in.Code = p.ReceiveCode(
			p.CodeRequest(core.ForRegister, portaltest.NewPhone, p.Chatlogin.CodeFlow(owner.Flow, ticket)),
		)
		made, err := onboardingtest.Register(p.SMSPlatform, in)
		portaltest.NoError(t, err)
		sessiontest.StoredSession(p.Platform, made.LoginResult, portaltest.AccountHost)
		p.WantLinks(1)
		if back, err := former.Authorise(access.WeChat, chattest.Xiao); err != nil || back.Login != nil {
			t.Errorf("who had the number before: %+v, %v", back, err)
		}
		if !p.BelongsTo(owner.SignIn(access.WeChat, chattest.Identity(2)).Session, portaltest.NewPhone) {
			t.Error("the owner does not come in")
		}
	})
}

func TestAnIdentityLinkedInASandboxIsUnknownOnceTheSandboxIsRemoved(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		b := p.Browser(portaltest.AccountHost, chattest.InWeChat)
		trial, _ := onboardingtest.OpenSandboxFor(p.SMSPlatform, portaltest.NewPhone, onboardingtest.Seafood)
		onboardingtest.RoleAccount(
			p.SMSPlatform, sessiontest.StoredSession(p.Platform, trial.LoginResult, portaltest.AccountHost), "shop",
			true,
		)
		linkByCode(b, access.WeChat, chattest.Xiao, portaltest.NewPhone)
		p.Clock.Advance(onboarding.SandboxLife)
		onboardingtest.RemoveSandboxes(p.SMSPlatform, 1)
		p.WantLinks(0)
		b.UnknownTicket(access.WeChat, chattest.Xiao)
	})
}

func TestUnlinkingRemovesEveryIdentityWithTheSameUnionID(t *testing.T) {
	chattest.EachWithChat(t, func(t *testing.T, p *chattest.ChatPlatform) {
		phone, desk := chattest.Xiao, chattest.Identity(2)
		phone.UnionID, desk.UnionID = "uXiao", "uXiao"
		b := p.Browser(chattest.Host1001, chattest.InWeChat)
		b.Link(access.WeChat, chattest.Identity(3), portaltest.BuyerPhone)
		session := b.Link(access.WeChat, phone, portaltest.BuyerPhone).Session
		atDesk := p.Browser(chattest.Host1001, chattest.OnDesktop)
		atDesk.SignIn(access.WeChat, desk)
		p.WantLinks(3)
		list, err := p.Chatlogin.Identities(t.Context(), session)
		portaltest.NoError(t, err)
		i := slices.IndexFunc(list, func(v signin.IdentityView) bool { return v.Nick == desk.Nick })
		portaltest.NoError(t, p.Chatlogin.Unlink(t.Context(), session, list[i].Ref, "zh"))
		p.WantLinks(1)
		b.UnknownTicket(access.WeChat, phone)
		atDesk.UnknownTicket(access.WeChat, desk)
	})
}

// linkByCode links an identity to the person of a phone, proved by a code. It fails the test if that is refused.
func linkByCode(b *chattest.Browser, provider access.ProviderName, who signin.ProviderIdentity, phone string) {
	b.P.T.Helper()
	b.P.Clock.Advance(core.DefaultResend)
	in := signin.LinkInput{
		Ticket: b.UnknownTicket(provider, who), ByCode: true, Phone: phone, Flow: b.Flow, Browser: b.Browser(),
	}
	in.Code = b.P.ReceiveCode(b.P.CodeRequest(core.ForLogin, phone, b.P.Chatlogin.CodeFlow(b.Flow, in.Ticket)))
	l, err := b.ProveLink(in)
	portaltest.NoError(b.P.T, err)
	_, err = b.ConfirmLink(l)
	portaltest.NoError(b.P.T, err)
}
